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
from dalembert.systems.space_robots.rendezvous_way import RendezvousWay
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
    grip, opening
        The runs in which the fingers close, and open again where the grip failed; None: without a gripper.
    handover
        The grip: its displacement and its energy loss.
    impulse
        Linear and angular impulse (6) of the lock on the debris, at the tip in world axes [N s, N m s]; None: without
        a gripper.
    requirements
        Its requirements, with the achieved figures.
    twins, debris
        The chaser and the debris with their models.
    flight, way
        The run from the hold point to where the arm begins, and its path; None: it was not flown.
    retreat
        The run away from the debris, where the mission was aborted.
    transport
        The run in which the stack turns into a wanted attitude.
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
    way: RendezvousWay | None = None
    retreat: Run | None = None
    transport: Run | None = None
    grip: Run | None = None
    opening: Run | None = None
    impulse: tuple[float, ...] | None = None

    @property
    def ok(self) -> bool:
        """Whether it went to its end and kept every requirement."""
        return not self.reason and bool(self.requirements) and all(r.ok for r in self.requirements)

    @property
    def parameters(self) -> dict[str, float]:
        """True values of the parameters of chaser and debris."""
        return dict(self.case.factors if isinstance(self.case, CaptureCase) else self.case.parameters)

    @property
    def runs(self) -> dict[str, Run]:
        """Runs of the phases that were flown, by name, in their order."""
        runs = {
            "way": self.flight,
            "approach": self.approach,
            "grip": self.grip,
            "opening": self.opening,
            "retreat": self.retreat,
            "rest": self.stack,
            "transport": self.transport,
        }
        return {name: run for name, run in runs.items() if run is not None}

    @property
    def times(self) -> dict[str, float]:
        """Seconds of each phase that was flown.

        The phases are ``way``, ``approach``, ``grip``, ``opening``, ``retreat``, ``rest`` and ``transport``.
        """
        return {name: float(run.t[-1] - run.t[0]) for name, run in self.runs.items()}

    @property
    def propellant(self) -> dict[str, float]:
        """Mass of the propellant that each phase has used [kg]; a chaser without thrusters uses none."""
        return {name: float(run["propellant"][-1]) if "propellant" in run else 0.0 for name, run in self.runs.items()}

    @property
    def used(self) -> float:
        """Mass of all propellant that was used [kg]."""
        return sum(self.propellant.values())

    @cached_property
    def whole(self) -> Run:
        """All runs as one of the machine before the grip, in which the debris remains a separate body.

        It has the signals that all runs have.
        """
        before = [run for name, run in self.runs.items() if name not in ("rest", "transport")]
        if not before:
            raise InputError(f"there is no run: {self.reason}")
        first, second, debris = before[0], self.stack, self.debris
        for run in before[1:]:
            first = _joined(first, run)
        if second is None or debris is None:
            return first
        if self.transport is not None:
            second = _joined(second, self.transport)
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
    """Two runs one after the other, with the signals of both, of the first machine; the other may have more joints."""
    states = (*one.machine.q_names, *one.machine.v_names)
    signals = tuple(n for n in one.names if n in other and n not in states)
    x = np.vstack([one.array(states), other.array(states)[1:]])
    return replace(
        other,
        source=one.source,
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
