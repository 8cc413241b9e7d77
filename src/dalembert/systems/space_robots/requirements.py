"""Requirements of a capture, and the figures that a run achieves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.plan.robot_capture import RobotCapture, RobotLimits
from dalembert.simulation.run import Run
from dalembert.systems.space_robots.cases import JOINTS

__all__ = ["MissionRequirement", "base_turns", "judged", "rested", "tip_errors"]


@dataclass(frozen=True)
class MissionRequirement:
    """A requirement of a capture, and the achieved figure."""

    name: str
    value: float
    limit: float
    unit: str

    @property
    def ok(self) -> bool:
        """Whether it is kept."""
        return bool(self.value <= self.limit)


def tip_errors(run: Run) -> Array:
    """Distance between hand and target point at the rows of a run of the capture scene [m]."""
    hand, target = (run.array([f"{n}.{x}" for x in "xyz"]) for n in ("hand", "target"))
    return np.asarray(np.linalg.norm(hand - target, axis=1))


def base_turns(run: Run) -> Array:
    """Angle of the base from where it should be at the rows of a run [rad]."""
    return np.asarray(2.0 * np.arcsin(np.clip(np.linalg.norm(run.array([f"base.q{x}" for x in "xyz"]), axis=1), 0, 1)))


def _torques(run: Run) -> tuple[float, float]:
    """Largest commanded torque of the base and of a joint."""
    kind = "command" if f"command.{JOINTS[0]}" in run else "u"
    base = run.array([f"{kind}.torque.{x}" for x in "xyz"])
    joints = run.array([f"{kind}.{name}" for name in JOINTS])
    return float(np.abs(base).max()), float(np.abs(joints).max())


def judged(run: Run, plan: RobotCapture, limits: RobotLimits) -> tuple[MissionRequirement, ...]:
    """Figures of an approach for its requirements."""
    after = run.t >= plan.duration - 1e-9
    base, joints = _torques(run)
    return (
        MissionRequirement("tip error from synchronisation on", 1e3 * float(tip_errors(run)[after].max()), 10.0, "mm"),
        MissionRequirement("attitude of the base", float(np.degrees(base_turns(run).max())), 0.1, "degrees"),
        MissionRequirement("torque of the base", base, limits.base_torque, "N m"),
        MissionRequirement("torque of a joint", joints, limits.joint_torque, "N m"),
    )


def rested(
    run: Run, eom: EquationsOfMotion, p: dict[str, float], limits: RobotLimits
) -> tuple[MissionRequirement, ...]:
    """Figures of the run after the grip for its requirements."""
    last = run.t >= run.t[-1] - 10.0
    q, v = run.array(eom.q_names)[last], run.array(eom.v_names)[last]
    J = eom.jacobian("debris", q, p=eom.parameter_values(p))
    debris_rate = np.linalg.norm(np.einsum("kij,kj->ki", J, v)[:, 3:], axis=1)
    base_rate = np.linalg.norm(run.array(["base.wx", "base.wy", "base.wz"])[last], axis=1)
    base, joints = _torques(run)
    fastest = float(np.degrees(max(debris_rate.max(), base_rate.max())))
    return (
        MissionRequirement("rate of the stack at rest", fastest, 0.05, "degrees/s"),
        MissionRequirement("torque of the base after the grip", base, limits.base_torque, "N m"),
        MissionRequirement("torque of a joint after the grip", joints, limits.joint_torque, "N m"),
    )
