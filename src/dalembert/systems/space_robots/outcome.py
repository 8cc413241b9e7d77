"""Result of a capture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dalembert.control.estimation import TumblingEstimate
from dalembert.core.errors import InputError
from dalembert.formulations.equations import derive
from dalembert.loop.join import Handover
from dalembert.plan.robot_capture import RobotCapture
from dalembert.simulation.run import EndState, Run
from dalembert.spatial.rotations import quaternion_from_matrix
from dalembert.systems.space_robots.cases import CaptureCase
from dalembert.systems.space_robots.debris_twin import DebrisTwin
from dalembert.systems.space_robots.flying_around import FlyAround
from dalembert.systems.space_robots.requirements import MissionRequirement
from dalembert.systems.space_robots.start import CaptureStart
from dalembert.systems.space_robots.twins import ChaserTwins

__all__ = ["CaptureOutcome"]


@dataclass(frozen=True)
class CaptureOutcome:
    """Result of a capture.

    Attributes
    ----------
    case
        Its start: a case of the ready-made chaser, or a `CaptureStart`.
    reason
        Why it ended before its end; empty if it did not.
    estimate
        The debris as it was known when the approach began.
    plan
        The plan.
    approach, stack
        Runs before and after the grip.
    handover
        The grip: its displacement and its energy loss.
    requirements
        Its requirements, with the achieved figures.
    twins, debris
        The chaser and the debris with their models.
    flight, way
        The run from the hold point to where the arm begins, and its path; None: it was not flown.
    """

    case: CaptureCase | CaptureStart
    reason: str = ""
    estimate: TumblingEstimate | None = None
    plan: RobotCapture | None = None
    approach: Run | None = None
    stack: Run | None = None
    handover: Handover | None = None
    requirements: tuple[MissionRequirement, ...] = ()
    twins: ChaserTwins | None = None
    debris: DebrisTwin | None = None
    flight: Run | None = None
    way: FlyAround | None = None

    @property
    def ok(self) -> bool:
        """Whether it went to its end and kept every requirement."""
        return not self.reason and bool(self.requirements) and all(r.ok for r in self.requirements)

    @property
    def parameters(self) -> dict[str, float]:
        """True values of the parameters of chaser and debris."""
        return dict(self.case.factors if isinstance(self.case, CaptureCase) else self.case.parameters)

    @cached_property
    def whole(self) -> Run:
        """Both runs as one of the machine before the grip, in which the debris remains a separate body.

        It has the signals that both runs have.
        """
        if self.approach is None:
            raise InputError(f"there is no run: {self.reason}")
        first, second, debris = self.approach, self.stack, self.debris
        if self.flight is not None:
            first = _joined(self.flight, first)
        if second is None or debris is None:
            return first
        machine = first.machine
        states = (*machine.q_names, *machine.v_names)
        signals = tuple(n for n in first.names if n in second and n not in states)
        eom = derive(second.machine)
        q, v = second.array(eom.q_names), second.array(eom.v_names)
        p = eom.parameter_values(dict(second.metadata["parameters"]))
        X = eom.pose(debris.body, q, p=p)
        twist = np.einsum("kij,kj->ki", eom.jacobian(debris.body, q, p=p), v)
        last = first.array([f"{debris.joint}.{n}" for n in ("qw", "qx", "qy", "qz")])[-1]
        Q = np.array([last, *(quaternion_from_matrix(R).ravel() for R in X[:, :3, :3])])
        # either sign is the same attitude: the one that continues without a jump
        signs = np.cumprod(np.where(np.sum(Q[1:] * Q[:-1], axis=1) < 0.0, -1.0, 1.0))
        Q = signs[:, None] * Q[1:]
        coordinates = [n for n in states if n.startswith(f"{debris.joint}.")]
        added = dict(zip(coordinates, np.hstack([X[:, :3, 3], Q, twist]).T, strict=True))
        after = np.column_stack([added[n] if n in added else second[n] for n in states])
        x = np.vstack([first.array(states), after])
        y = np.vstack([first.array(signals), second.array(signals)])
        return replace(
            first,
            t=np.concatenate([first.t, second.t]),
            x=x,
            y=y,
            held=np.zeros((len(x), 0)),
            state_names=states,
            signal_names=signals,
            held_names=(),
            events=(*first.events, *second.events),
            final=EndState(float(second.t[-1]), x[-1]),
        )

    def __str__(self) -> str:
        if self.reason:
            return f"not captured: {self.reason}"
        listed = ", ".join(f"{r.name} {r.value:.3g} of {r.limit:g} {r.unit}" for r in self.requirements)
        return f"{'captured' if self.ok else 'requirements missed'}: {listed}"


def _joined(one: Run, other: Run) -> Run:
    """Two runs of one machine, one after the other, with the signals of both."""
    states = (*one.machine.q_names, *one.machine.v_names)
    signals = tuple(n for n in one.names if n in other and n not in states)
    x = np.vstack([one.array(states), other.array(states)[1:]])
    return replace(
        other,
        t=np.concatenate([one.t, other.t[1:]]),
        x=x,
        y=np.vstack([one.array(signals), other.array(signals)[1:]]),
        held=np.zeros((len(x), 0)),
        state_names=states,
        signal_names=signals,
        held_names=(),
        events=(*one.events, *other.events),
        final=EndState(float(other.t[-1]), x[-1]),
    )
