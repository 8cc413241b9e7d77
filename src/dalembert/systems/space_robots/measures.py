"""A capture as a member of a campaign: a number in, numbers by name out."""

from __future__ import annotations

from dalembert.core.errors import PlanError, SimulationError
from dalembert.systems.space_robots.cases import random_case
from dalembert.systems.space_robots.mission import fly_capture

__all__ = ["capture_measures"]

_NAMES = {
    "tip error from synchronisation on": "tip_error",
    "attitude of the base": "attitude",
    "torque of the base": "base_torque",
    "torque of a joint": "joint_torque",
    "rate of the stack at rest": "rest_rate",
    "torque of the base after the grip": "base_torque_after",
    "torque of a joint after the grip": "joint_torque_after",
}


def capture_measures(case: float, speed: float = 4.0, *, rest: bool = True) -> dict[str, float]:
    """Fly a random case, and return its figure for each requirement: `dalembert.campaign` runs this many times.

    Parameters
    ----------
    case, speed
        Number of the case and tumbling of the debris [degrees per second], as in `random_case`.
    rest
        Whether the grip closes and the stack is brought to rest.

    Returns
    -------
    ``tip_error`` [mm], ``attitude`` [degrees], ``base_torque``, ``joint_torque`` [N m] up to the grip; after it
    ``rest_rate`` [degrees/s] and both torques as ``..._after``; ``meeting``, when the tip meets the target point [s];
    and ``captured``, 1 if every requirement is kept, else 0.

    Raises
    ------
    PlanError, SimulationError
        With the reason of a capture that ended before its end.
    """
    outcome = fly_capture(random_case(int(case), speed), detumble=rest)
    if outcome.reason:
        raise (PlanError if outcome.plan is None else SimulationError)(outcome.reason)
    assert outcome.plan is not None
    values = {_NAMES[r.name]: r.value for r in outcome.requirements}
    return {**values, "meeting": outcome.plan.duration, "captured": float(outcome.ok)}
