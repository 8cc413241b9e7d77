"""Requirements of a capture, and the figures that a run achieves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.control.allocation import allocate
from dalembert.control.gyro_steering import gyro_torques
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.plan.robot_capture import RobotCapture
from dalembert.plan.robot_limits import RobotLimits
from dalembert.simulation.run import Run
from dalembert.systems.space_robots.twins import ChaserTwins

__all__ = ["MissionRequirement", "base_torques", "base_turns", "judged", "rested", "tip_errors", "turned"]


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


def base_turns(run: Run, base: str, attitude: Array) -> Array:
    """Angle of the base from where it should be at the rows of a run [rad]."""
    Q = run.array([f"{base}.q{x}" for x in "wxyz"])
    w, x, y, z = np.asarray(attitude, dtype=float)
    conjugate = np.array([[w, x, y, z], [-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]])
    return np.asarray(2.0 * np.arcsin(np.clip(np.linalg.norm((Q @ conjugate.T)[:, 1:], axis=1), 0, 1)))


def base_torques(run: Run, eom: EquationsOfMotion, base: str, kind: str = "u") -> Array:
    """Torques (n, 3) of wheels and thrusters on a base by their inputs of a kind, and of its gyros as they move."""
    u = run.array([f"{kind}.{name}" for name in eom.u_names])
    torques = u @ allocate(eom, base, need=()).effect[3:].T
    return np.asarray(torques + gyro_torques(eom, base, run.array(eom.q_names), run.array(eom.v_names)))


def _torques(run: Run, eom: EquationsOfMotion, twins: ChaserTwins) -> tuple[Array, Array]:
    """Largest commanded torques of the base about its axes, and of the joints."""
    kind = "command" if f"command.{eom.u_names[0]}" in run else "u"
    u = run.array([f"{kind}.{name}" for name in eom.u_names])
    motors = {m.joint: m for m in eom.machine.motors}
    rows = [eom.u_names.index(motors[name].name) for name in twins.joints]
    ratios = np.array([abs(nominal(motors[name].ratio)) for name in twins.joints])
    return np.abs(base_torques(run, eom, twins.base, kind)).max(axis=0), ratios * np.abs(u[:, rows]).max(axis=0)


def _most_used(name: str, values: Array, limits: float | tuple[float, ...]) -> MissionRequirement:
    """Requirement on several torques: that which uses most of its limit."""
    most = np.broadcast_to(np.array(limits, dtype=float), values.shape)
    k = int(np.argmax(values / most)) if np.isfinite(most).any() else int(np.argmax(values))
    return MissionRequirement(name, float(values[k]), float(most[k]), "N m")


def judged(
    run: Run, plan: RobotCapture, limits: RobotLimits, twins: ChaserTwins, eom: EquationsOfMotion
) -> tuple[MissionRequirement, ...]:
    """Figures of an approach for its requirements."""
    after = run.t >= run.t[0] + plan.duration - 1e-9
    base, joints = _torques(run, eom, twins)
    turned = float(np.degrees(base_turns(run, twins.base, plan.attitude).max()))
    return (
        MissionRequirement("tip error from synchronisation on", 1e3 * float(tip_errors(run)[after].max()), 10.0, "mm"),
        MissionRequirement("attitude of the base", turned, 0.1, "degrees"),
        _most_used("torque of the base", base, limits.base_torque),
        _most_used("torque of a joint", joints, limits.joint_torque),
    )


def rested(
    run: Run, eom: EquationsOfMotion, p: dict[str, float], limits: RobotLimits, twins: ChaserTwins, debris: str
) -> tuple[MissionRequirement, ...]:
    """Figures of the run after the grip for its requirements; ``debris`` is the body."""
    last = run.t >= run.t[-1] - 10.0
    q, v = run.array(eom.q_names)[last], run.array(eom.v_names)[last]
    J = eom.jacobian(debris, q, p=eom.parameter_values(p))
    debris_rate = np.linalg.norm(np.einsum("kij,kj->ki", J, v)[:, 3:], axis=1)
    base_rate = np.linalg.norm(run.array([f"{twins.base}.w{x}" for x in "xyz"])[last], axis=1)
    base, joints = _torques(run, eom, twins)
    fastest = float(np.degrees(max(debris_rate.max(), base_rate.max())))
    return (
        MissionRequirement("rate of the stack at rest", fastest, 0.05, "degrees/s"),
        _most_used("torque of the base after the grip", base, limits.base_torque),
        _most_used("torque of a joint after the grip", joints, limits.joint_torque),
    )


def turned(
    run: Run, eom: EquationsOfMotion, wanted: Array, limits: RobotLimits, twins: ChaserTwins
) -> tuple[MissionRequirement, ...]:
    """Figures of the turn of the stack into a wanted attitude of the base."""
    last = run.t >= run.t[-1] - 10.0
    base, joints = _torques(run, eom, twins)
    rate = np.linalg.norm(run.array([f"{twins.base}.w{x}" for x in "xyz"])[last], axis=1)
    miss = float(np.degrees(base_turns(run, twins.base, wanted)[last].max()))
    return (
        MissionRequirement("attitude of the stack", miss, 0.5, "degrees"),
        MissionRequirement("rate of the stack after its turn", float(np.degrees(rate.max())), 0.05, "degrees/s"),
        _most_used("torque of the base in the turn", base, limits.base_torque),
        _most_used("torque of a joint in the turn", joints, limits.joint_torque),
    )
