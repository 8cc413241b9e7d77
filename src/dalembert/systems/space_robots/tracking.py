"""Tracking of a path of the tip by a robot on a free base: references that respect momentum, efforts fed forward.

Base and joints receive the efforts of the rigid motion, so that feedback has only the rest to do. The base keeps its
attitude by torques, or is let go on the way: from then on the references are those of a robot that floats with its
momentum, and they continue from their last values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.floating import generalized_jacobian
from dalembert.control.cascade import Cascade, Follow, Sampled
from dalembert.control.laws import PD
from dalembert.control.spacecraft import BasePD, Feedforward, Together
from dalembert.core.errors import InputError, PlanError
from dalembert.core.types import Array
from dalembert.core.validation import check_number
from dalembert.formulations.equations import MachineOrEquations
from dalembert.model.machine import Machine
from dalembert.plan.held_base import HeldBase, held_base
from dalembert.plan.pose import PoseMotion

__all__ = ["PathGuidance", "tracking_loop"]

_WRENCH = tuple(f"ff.base.{k}" for k in ("fx", "fy", "fz", "nx", "ny", "nz"))
_GATES = ("gate.force", "gate.torque")
_NEAR = 1e-3  # metres and radians by which a table may miss the path


@dataclass(frozen=True, eq=False)
class PathGuidance:
    """Stage of a cascade that holds references and efforts of a robot along a path of its tip.

    Held are ``ref.NAME`` of the joints and their rates, ``ff.NAME`` of their torques, the wrench of the base and two
    gates, which `dalembert.control.BasePD` is switched by.

    Parameters
    ----------
    robot
        The rigid robot, or its equations, with three joints or more on a free base; what its tip must do is chosen by
        `dalembert.plan.held_base`.
    path
        Motion of the tip, such as `dalembert.plan.meet_pose` gives.
    q0
        Configuration of the rigid robot at the start, at rest.
    duration
        Seconds for which it is motion.
    period
        Seconds between samples.
    feedforward
        Whether efforts are held; else zeros.
    float_from
        Time at which the base is let go; None: never.
    machine
        The machine that is controlled, in which the robot's coordinates are found by name; None: the robot.
    frame
        The tip.
    gain
        Rate at which the references of a floating robot return to the path [1/s].
    """

    robot: MachineOrEquations
    path: Callable[[float], PoseMotion]
    q0: ArrayLike
    duration: float
    period: float = 0.02
    feedforward: bool = True
    float_from: float | None = None
    machine: Machine | None = None
    frame: str = "tip"
    gain: float = 0.5
    name: str = "guidance"
    holds: tuple[str, ...] = field(init=False)
    _table: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_number("duration of a PathGuidance", self.duration, unit="s")
        check_number("period of a PathGuidance", self.period, unit="s")
        if self.float_from is not None:
            check_number("float_from of a PathGuidance", self.float_from, positive=False)
        held = held_base(self.robot, self.frame)
        eom = held.eom
        if self.float_from is not None and (held.task != "pose" or len(held.names) != 6):
            raise InputError(
                f"float_from of a PathGuidance needs a robot with 6 joints; machine '{eom.machine.name}' has "
                f"{len(held.names)}"
            )
        q0 = np.asarray(self.q0, dtype=float)
        if q0.shape != (eom.nq,):
            raise InputError(f"q0 of a PathGuidance must be {eom.nq} numbers, got shape {q0.shape}")
        plant = eom.machine if self.machine is None else self.machine
        for names, known in ((eom.q_names, plant.q_names), (eom.v_names, plant.v_names)):
            missing = [n for n in names if n not in known]
            if missing:
                raise InputError(f"machine '{plant.name}' has no {', '.join(missing)}, which the robot has")
        joints = [eom.q_names[i] for i in held.rows[2]]
        rates = [eom.v_names[i] for i in held.rows[1]]
        holds = (*(f"ref.{n}" for n in (*joints, *rates)), *(f"ff.{n}" for n in joints), *_WRENCH, *_GATES)
        object.__setattr__(self, "holds", holds)
        object.__setattr__(self, "_table", self._values(held, q0))

    def _values(self, held: HeldBase, q0: Array) -> Array:
        """Values to hold at the samples."""
        eom, (base, joints, _) = held.eom, held.rows
        t: Array = self.period * np.arange(round(self.duration / self.period) + 1, dtype=float)
        wanted = _motions(self.path, t)
        R, c = eom.pose(eom.machine.joint(held.base).child, q0)[:3, :3], eom.center_of_mass(q0)
        x, v, a, A, w, dw = wanted
        local = PoseMotion((x - c) @ R, v @ R, a @ R, R.T @ A, w @ R, dw @ R)
        motion = held.follow(local, t, q0[held.rows[2]])
        worst = int(np.argmax(motion.miss))
        if motion.miss[worst] > _NEAR:
            raise PlanError(
                f"the tip cannot follow its path at t = {t[worst]:g} s: it misses it by {motion.miss[worst]:.3g} m "
                "or rad"
            )
        fed = 1.0 if self.feedforward else 0.0
        efforts = fed * np.hstack([motion.effort[:, joints], motion.effort[:, base]])
        table = np.hstack([motion.joints, motion.rates, efforts, np.ones((len(t), 2))])
        first = len(t) if self.float_from is None else int(np.ceil(self.float_from / self.period - 1e-9))
        if first < len(t):
            block = next(b for b in eom.layout.blocks if b.name == held.base)
            q = held.configuration(motion.joints[first], c, q0[block.q][3:])
            theta, rate, torque = self._floating(held, q, motion.rates[first], PoseMotion(*(y[first:] for y in wanted)))
            rest = np.zeros((len(theta), 8))
            table[first:] = np.hstack([theta, rate, fed * torque, rest])
        return table

    def _floating(self, held: HeldBase, q: Array, rate: Array, wanted: PoseMotion) -> tuple[Array, Array, Array]:
        """Joints, rates and torques of the robot that floats on, with the momentum that it has."""
        eom, joints = held.eom, held.rows[1]
        J = generalized_jacobian(eom, self.frame, hold="none")
        start = generalized_jacobian(eom, self.frame, hold="attitude").velocities(q, rate)
        momentum = eom.momentum(q, start)

        def velocities(q: Array, k: int, later: float) -> Array:
            after = min(k + 1, len(wanted.position) - 1)
            x, A = ((1 - later) * y[k] + later * y[after] for y in (wanted.position, wanted.rotation))
            twist = np.concatenate([(1 - later) * y[k] + later * y[after] for y in (wanted.velocity, wanted.rate)])
            X = eom.pose(self.frame, q)
            e = np.concatenate([x - X[:3, 3], X[:3, :3] @ _turn(X[:3, :3].T @ A)])
            carried = eom.jacobian(self.frame, q, axes="world") @ J.velocities(q, np.zeros(6), momentum=momentum)
            moved = np.linalg.solve(J(q), twist + self.gain * e - carried)
            return np.asarray(J.velocities(q, moved, momentum=momentum))

        rows = []
        for k in range(len(wanted.position)):
            v = velocities(q, k, 0.0)
            rows.append((q, v))
            middle = velocities(eom.integrate(q, 0.5 * self.period * v), k, 0.5)
            q = eom.integrate(q, self.period * middle)
        qs, vs = (np.array(y) for y in zip(*rows, strict=True))
        accelerations = np.gradient(vs, self.period, axis=0, edge_order=2) if len(vs) > 2 else np.zeros_like(vs)
        efforts = eom.inverse_dynamics(qs, vs, accelerations)
        return qs[:, held.rows[2]], vs[:, joints], efforts[:, joints]

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints."""
        n = (len(self.holds) - len(_WRENCH) - len(_GATES)) // 3
        return tuple(name.removeprefix("ref.") for name in self.holds[:n])

    def __call__(self, t: float, q: Array, v: Array, s: Mapping[str, float]) -> Array:
        """Values to hold."""
        return np.asarray(self._table[min(round(t / self.period), len(self._table) - 1)])


def _motions(path: Callable[[Any], PoseMotion], t: Array) -> PoseMotion:
    """Motions at times: of the whole array if the path can, else one by one."""
    try:
        motion = path(t)
        if np.shape(motion.position) == (len(t), 3) and np.shape(motion.rotation) == (len(t), 3, 3):
            return PoseMotion(*map(np.asarray, motion))
    except (TypeError, ValueError):
        pass
    each = [path(float(x)) for x in t]
    return PoseMotion(*(np.array([m[k] for m in each]) for k in range(6)))


def _turn(R: Array) -> Array:
    """Rotation as a vector."""
    w = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    s = float(np.linalg.norm(w))
    return np.asarray(w if s < 1e-9 else float(np.arctan2(s, 0.5 * (np.trace(R) - 1.0))) / s * w)


def tracking_loop(
    guidance: PathGuidance,
    *,
    arm: tuple[float, float] = (1.0, 0.8),
    base: tuple[float, float] = (0.2, 1.0),
    period: float = 0.004,
) -> Cascade:
    """Cascade below a `PathGuidance`: PD of the joints and of the base's attitude around its held values.

    Gains are those of frequencies and damping ratios on the diagonal of the mass matrix at the start. A joint is
    damped by a sampled law only while ``Kd Ts < 2 J`` with the inertia that it has at high frequency: its rotor's.

    Parameters
    ----------
    guidance
        The outer stage.
    arm, base
        Frequency [rad/s] and damping ratio of the joints, and of the attitude of the base.
    period
        Period of the law [s].
    """
    held = held_base(guidance.robot, guidance.frame)
    q0 = np.asarray(guidance.q0, dtype=float)
    D = np.diag(held.eom.mass_matrix(q0))
    rows, joints, _ = held.rows
    for value, what in zip((*arm, *base), ("arm", "damping of the arm", "base", "damping of the base"), strict=True):
        check_number(f"{what} of a tracking_loop", value)
    kp, kd = np.zeros(6), np.zeros(6)
    kp[3:], kd[3:] = base[0] ** 2 * D[rows[3:]], 2 * base[1] * base[0] * D[rows[3:]]
    names, n = guidance.joints, len(guidance.joints)
    block = next(b for b in held.eom.layout.blocks if b.name == held.base)
    motors = {m.joint: m for m in held.eom.machine.motors}
    follow = Follow(guidance.holds[:n], guidance.holds[n : 2 * n], since=f"{guidance.name}.t")
    inputs = {motors[name].name: f"ff.{name}" for name in names}
    law = Together(
        [
            PD(arm[0] ** 2 * D[joints], 2 * arm[1] * arm[0] * D[joints], follow),
            BasePD(kp, kd, q0[block.q], joint=held.base, gates=_GATES, feedforward=_WRENCH),
            Feedforward(inputs),
        ]
    )
    return Cascade(Sampled(law, period), [guidance])
