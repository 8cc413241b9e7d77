"""Coordinated guidance of SPACE 8.1.2: the base keeps the target in reach of the arm, the arm does the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.cascade import Cascade, Follow, Known, Sampled, read
from dalembert.control.laws import PD
from dalembert.control.spacecraft import BasePD, CentralizedPD, FollowPose, Together
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.ports import Law
from dalembert.core.types import Array, Expression, StateLike
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, derive
from dalembert.formulations.factorization import solve_spd
from dalembert.loop.poles import SampledPoles, sampled_poles
from dalembert.model.machine import Machine
from dalembert.model.signals import Sensor, Signal
from dalembert.plan.held_base import way_to
from dalembert.plan.tip_task import chosen_task, task_rows
from dalembert.spatial.rotations import (
    quaternion_difference,
    quaternion_exp,
    quaternion_matrix,
    quaternion_of,
    quaternion_product,
)

__all__ = ["CoordinatedGuidance", "coordinated_loop", "tune_coordinated"]

_Target: TypeAlias = ArrayLike | Callable[[Expression], Expression] | FollowPose
"""Desired pose: constant, a function of time, or a reference that a stage above holds."""

_GAINS = ("base_gain", "arm_gain")


@dataclass(frozen=True, eq=False)
class CoordinatedGuidance:
    """References of base and joints from that of the tip, SPACE (8.5), as a native stage of a cascade.

    The base moves towards the target until that is ``distance`` away from where the arm begins; the joints bring the
    tip to the target from where it is measured, through the Jacobian of the rigid robot, damped near singular postures:

        dr_b = (d - d_A) r / d,   v_b' = G_b (dr_b, dphi_b),   theta' = J_m^+ (G_m e - J_b G_m db)

    and both are integrated. With ``consistent`` the rates are those of a moving tip and base, ``theta' = J_m^+ (t +
    G_m e - J_b v_b)`` with the twist ``t`` of the target: without, the tip lags behind a target that moves.

    Held are ``ref.NAME`` of every coordinate and velocity of the robot: for `control.FollowPose` and `control.Follow`.

    Parameters
    ----------
    robot
        The rigid robot, or its equations; its coordinates are found by name in the machine that is controlled.
    target
        Desired pose of the tip: seven numbers, a function of time on CasADi symbols, or `control.FollowPose`.
    base_gain, arm_gain
        ``G_b`` and ``G_m`` [1/s]; states of the stage, so that they can be changed without compiling anew.
    period
        Seconds between samples.
    attitude
        Desired attitude of the base (w, x, y, z).
    distance
        ``d_A`` [m].
    damping
        Damping of the inverse, in the units of a Jacobian.
    tip, anchor
        Frames of the hand and of the beginning of the arm.
    sight
        Signal of a frame, as ``"tip"``, from which the pose of the tip is taken: that of a flexible arm as it is. None:
        from the joints, by the rigid robot.
    consistent
        As above.
    flying
        Whether the base follows; else its reference stays where it begins.
    task
        Task of the tip, as in `dalembert.plan.held_base`; None: the most that the number of joints allows.
    name
        Name of the stage.

    Examples
    --------
    >>> from dalembert.systems.space_robots import CoordinatedGuidance, space_chaser
    >>> target = [4.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0]  # position [m] and quaternion of the tip
    >>> guidance = CoordinatedGuidance(space_chaser("rigid", arrays=None), target, base_gain=0.1, arm_gain=0.5)
    >>> guidance.name
    'guidance'
    """

    robot: MachineOrEquations
    target: _Target
    base_gain: float = 0.1
    arm_gain: float = 0.5
    period: float = 0.02
    attitude: ArrayLike = (1.0, 0.0, 0.0, 0.0)
    distance: float = 4.5
    damping: float = 0.05
    tip: str = "tip"
    anchor: str = "anchor"
    sight: str | None = None
    consistent: bool = True
    flying: bool = True
    task: str | None = None
    name: str = "guidance"
    holds: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        for key, positive in (("base_gain", False), ("arm_gain", False), ("period", True), ("damping", False)):
            value = check_number(f"{key} of a CoordinatedGuidance", getattr(self, key), positive=positive)
            if value < 0.0:
                raise InputError(f"{key} of a CoordinatedGuidance must not be negative, got {value:g}")
        check_number("distance of a CoordinatedGuidance", self.distance, unit="m")
        Q = np.asarray(self.attitude, dtype=float)
        if Q.shape != (4,) or abs(np.linalg.norm(Q) - 1.0) > 1e-6:
            raise InputError(f"attitude of a CoordinatedGuidance must be a unit quaternion, got {self.attitude!r}")
        model = self.model
        for frame in (self.tip, self.anchor):
            if frame not in model.machine.tree.frames:
                raise UnknownNameError("frame", frame, model.machine.tree.frames, f"machine '{model.machine.name}'")
        blocks = model.layout.blocks
        single = all(b.q.stop - b.q.start == 1 for b in blocks[1:])
        if not blocks or blocks[0].kind != "free" or not single:
            raise InputError(
                "coordinated guidance needs a rigid robot on a free base with joints of one coordinate each, got "
                f"{model.machine}"
            )
        where = f"machine '{model.machine.name}'"
        object.__setattr__(self, "task", chosen_task(self.task, len(way_to(model.machine, self.tip)), where))
        object.__setattr__(self, "holds", tuple(f"ref.{n}" for n in (*model.q_names, *model.v_names)))

    @property
    def model(self) -> EquationsOfMotion:
        """Equations of the rigid robot."""
        return self.robot if isinstance(self.robot, EquationsOfMotion) else derive(self.robot)

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """Gains, and whether it has begun."""
        return (*(f"{self.name}.{g}" for g in _GAINS), f"{self.name}.begun")

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """Gains, and that it has not."""
        return np.array([self.base_gain, self.arm_gain, 0.0])

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """References to hold, and states."""
        model, known = self.model, Known(eom, t, q, v, p)
        for name in model.q_names:
            if name not in known.eom.q_names:
                raise UnknownNameError("coordinate", name, known.eom.q_names, f"machine '{eom.machine.name}'")
        now = known.vector(*model.q_names)
        s = model.symbolic
        values = model.parameter_values()
        X, A, J = (
            ca.Function("f", [s.q, s.p], [ca.densify(x)])(now, values)
            for x in (s.pose(self.tip), s.pose(self.anchor)[:3, 3], s.jacobian(self.tip, "world"))
        )
        base_gain, arm_gain, begun = z[0], z[1], z[2] > 0.5
        Q, R = now[3:7], quaternion_matrix(now[3:7])
        goal, Qg, speed, rate = _target(self.target, t)
        away = goal - A
        d = ca.norm_2(away)
        turn = quaternion_difference(Q, ca.DM(np.asarray(self.attitude, dtype=float)))
        step = ca.vertcat(R.T @ away * (d - self.distance) / d, turn)
        if not self.flying:
            step = ca.vertcat(ca.SX.zeros(3), step[3:])
        at, attitude = X[:3, 3], quaternion_of(X[:3, :3])
        if self.sight is not None:
            seen = read(*[f"{self.sight}.{k}" for k in ("x", "y", "z", "qw", "qx", "qy", "qz")])
            at, attitude = seen[:3], seen[3:]
        e = ca.vertcat(goal - at, quaternion_matrix(attitude) @ quaternion_difference(attitude, Qg))
        vb = base_gain * step
        if self.consistent:
            twist = ca.vertcat(speed, quaternion_matrix(Qg) @ rate)
            wanted = twist + arm_gain * e - J[:, :6] @ vb
        else:
            wanted = arm_gain * (e - J[:, :6] @ step)
        assert self.task is not None
        rows = task_rows(self.task, X)
        Jm = rows @ J[:, 6:]
        rates = Jm.T @ solve_spd(Jm @ Jm.T + self.damping**2 * ca.SX.eye(rows.shape[0]), rows @ wanted)
        before = ca.if_else(begun, read(*[f"ref.{n}" for n in model.q_names]), now)
        h = ca.if_else(begun, self.period, 0.0)
        Rr = quaternion_matrix(before[3:7])
        turned = quaternion_product(before[3:7], quaternion_exp(h * (Rr.T @ R @ vb[3:])))
        place = before[:3] + h * (R @ vb[:3])
        after = ca.vertcat(place, turned / ca.norm_2(turned), before[7:] + h * rates)
        carried = ca.vertcat(Rr.T @ R @ vb[:3], Rr.T @ R @ vb[3:])
        return ca.vertcat(after, carried, rates), ca.vertcat(z[0], z[1], 1.0)


def _target(target: _Target, t: Expression) -> tuple[Expression, Expression, Expression, Expression]:
    """Position, quaternion, velocity in world axes and rate in own axes."""
    if isinstance(target, FollowPose):
        return target.motion(t)
    if callable(target):
        pose = target(t)
        r = ca.SX(ca.vertcat(*pose)) if isinstance(pose, list | tuple) else ca.SX(pose)
    else:
        r = ca.SX(ca.DM(np.asarray(target, dtype=float)))
    if r.shape != (7, 1):
        raise InputError(f"the target of a CoordinatedGuidance must be a position and a quaternion, got {r.shape[0]}")
    Q = r[3:] / ca.norm_2(r[3:])
    w = 2 * quaternion_product(ca.vertcat(Q[0], -Q[1], -Q[2], -Q[3]), ca.jacobian(Q, t))[1:]
    return r[:3], Q, ca.jacobian(r[:3], t), w


def coordinated_loop(
    guidance: CoordinatedGuidance,
    *,
    base: tuple[ArrayLike, ArrayLike],
    joints: tuple[ArrayLike, ArrayLike],
    period: float = 0.004,
    at: StateLike = None,
    centralized: bool = False,
) -> Cascade:
    """Cascade of SPACE 8.1: PD of base and joints at their period, coordinated guidance above them.

    Parameters
    ----------
    guidance
        The outer stage.
    base, joints
        Gains ``(kp, kd)`` of (8.1), six each, and of (8.3), one per joint, or (8.2) with ``centralized``.
    period
        Period of the inner law [s].
    at
        Posture of the mass matrix of (8.2).
    centralized
        Whether the law couples the joints.

    Examples
    --------
    >>> from dalembert.systems.space_robots import CoordinatedGuidance, coordinated_loop, space_chaser
    >>> target = [4.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0]  # position [m] and quaternion of the tip
    >>> guidance = CoordinatedGuidance(space_chaser("rigid", arrays=None), target, base_gain=0.1, arm_gain=0.5)
    >>> loop = coordinated_loop(guidance, base=([50.0] * 6, [200.0] * 6), joints=([100.0] * 6, [80.0] * 6))
    >>> type(loop).__name__
    'Cascade'
    """
    model = guidance.model
    follow = Follow(
        [f"ref.{n}" for n in model.q_names[7:]], [f"ref.{n}" for n in model.v_names[6:]], since=f"{guidance.name}.t"
    )
    arm: Law = CentralizedPD(*joints, follow, at=at) if centralized else PD(*joints, follow)
    free = model.layout.blocks[0].name
    law = Together([BasePD(*base, FollowPose(f"ref.{free}")), arm])
    return Cascade(Sampled(law, period), [guidance])


def tune_coordinated(
    machine: Machine | EquationsOfMotion,
    cascade: Cascade,
    at: StateLike,
    *,
    signals: Sequence[Signal] = (),
    sensors: Sequence[Sensor] = (),
    base_gains: ArrayLike = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5),
    arm_gains: ArrayLike = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0),
    name: str = "guidance",
) -> tuple[float, float, SampledPoles]:
    """Gains ``G_b``, ``G_m`` with the fastest decay of the linearised sampled cascade, and its poles.

    Parameters
    ----------
    machine
        The machine that is controlled.
    cascade
        The cascade, its target where the tip is in the posture.
    at
        The posture, at the distance that the guidance keeps.
    signals, sensors
        As in `dalembert.simulate`.
    base_gains, arm_gains
        Gains to choose from.
    name
        Name of the guidance.

    Raises
    ------
    InputError
        If no pair is stable.

    Examples
    --------
    >>> from dalembert.systems.space_robots import space_chaser, tune_coordinated
    >>> chaser = space_chaser("rigid", arrays=None)
    >>> gains = tune_coordinated(chaser, loop, posture)  # a loop of coordinated_loop  # doctest: +SKIP
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    best: tuple[float, float, SampledPoles] | None = None
    for gb in np.asarray(base_gains, dtype=float):
        for gm in np.asarray(arm_gains, dtype=float):
            held = {f"{name}.base_gain": float(gb), f"{name}.arm_gain": float(gm)}
            poles = sampled_poles(eom, cascade, at, held=held, signals=signals, sensors=sensors)
            if best is None or poles.slowest < best[2].slowest:
                best = float(gb), float(gm), poles
    if best is None or not best[2].stable:
        grows = "" if best is None else f": the best one grows at {best[2].slowest:g} 1/s"
        raise InputError(f"no pair of gains is stable{grows}")
    return best
