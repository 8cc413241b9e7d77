"""The approach to a debris that is known, natively: one plan, flown by many members of a rollout.

Where the debris need not be estimated and the path not made anew, guidance is an expression: lanes, threads and GPUs
run it with all its errors of the model and noise of the sensors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import casadi as ca
import numpy as np

from dalembert.control.cascade import Cascade, Known, Sampled
from dalembert.core.errors import InputError
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.comparison import mechanics_apart
from dalembert.model.machine import Machine
from dalembert.plan.robot_capture import RobotCapture
from dalembert.systems.space_robots.cases import HOME
from dalembert.systems.space_robots.chaser import space_chaser
from dalembert.systems.space_robots.feedback import CaptureFeedback, CaptureGains, held_names
from dalembert.systems.space_robots.guide_law import GuideLaw
from dalembert.systems.space_robots.settings import derived_gains
from dalembert.systems.space_robots.start import CaptureStart
from dalembert.systems.space_robots.twins import chaser_twins

__all__ = ["PlanGuidance", "capture_loop", "capture_start", "chaser_law", "rigid_twin"]

_POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
_TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")


@dataclass(frozen=True, eq=False)
class PlanGuidance:
    """Guidance along a plan, as a native stage of a cascade.

    Until the meeting the tip follows the path of the plan, then the true target point; over the last seconds and from
    then on a camera in the hand, without noise and delay, removes the remaining error.

    Parameters
    ----------
    plan
        The plan.
    law
        Computation of each instant.
    gains
        Settings of the loops.
    debris
        The free joint of the debris.
    name
        Name of the stage.
    """

    plan: RobotCapture
    law: GuideLaw
    gains: CaptureGains
    debris: str = "debris"
    name: str = "guidance"

    @property
    def holds(self) -> tuple[str, ...]:
        """Names of the held values."""
        return held_names(self.law.n)

    @property
    def period(self) -> float:
        """Seconds between samples."""
        return self.gains.period * self.gains.every

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """State of the law, and the correction by the camera in the hand."""
        return tuple(f"{self.name}.z{k}" for k in range(self.law.size + 3))

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """At rest."""
        return np.concatenate([self.law.start(self.plan.motion.joints[0]), np.zeros(3)])

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Values to hold, and next states."""
        known, plan, g = Known(eom, t, q, v, p), self.plan, self.gains
        with_it = _with_target(known, plan.grip, self.debris)
        motion = ca.if_else(t < plan.duration, _along(plan, t), with_it)
        tip = known.pose(plan.frame)
        seen = tip[:3, :3].T @ (with_it[:3] - tip[:3, 3])
        hand = ca.reshape(motion[9:18], 3, 3).T if plan.task == "pose" else tip[:3, :3]
        miss = hand @ seen - (with_it[:3] - motion[:3])
        looks = t >= plan.duration - g.hand_from
        correction = z[self.law.size :] + ca.if_else(looks, g.hand * self.period, 0.0) * miss
        frame = ca.DM(np.concatenate([plan.centre, plan.attitude]))
        base = known.vector(*[f"{self.law.robot.base}.{x}" for x in _POSE])
        after, held = self.law.expression(
            z[: self.law.size], base, motion, correction, frame, ca.DM([self.period, g.follow])
        )
        return held, ca.vertcat(after, correction)


def _with_target(known: Known, grip: Array, joint: str) -> Expression:
    """Motion (24) of the grip on the debris as it is, a rigid body, by Euler's equations."""
    block = next(b for b in known.eom.layout.blocks if b.name == joint)
    M = known._at(known.eom.symbolic.mass_matrix)[block.v, block.v]
    c = ca.vertcat(M[5, 1], M[3, 2], M[4, 0]) / M[0, 0]
    I = M[3:, 3:] - M[0, 0] * (ca.dot(c, c) * ca.DM.eye(3) - c @ c.T)
    X, body = known.pose("target"), known.pose(known.eom.machine.joint(joint).child)
    R, r = body[:3, :3], X[:3, 3] - (body[:3, 3] + body[:3, :3] @ c)
    v, w = (known.vector(*[f"{joint}.{k}{x}" for x in "xyz"]) for k in "vw")
    rate, change = R @ w, R @ ca.solve(I, -ca.cross(w, I @ w))
    speed = ca.cross(rate, r)
    bend = ca.cross(change, r) + ca.cross(rate, speed)
    return ca.vertcat(X[:3, 3], R @ (v + ca.cross(w, c)) + speed, bend, ca.vec((R @ ca.DM(grip)).T), rate, change)


def _along(plan: RobotCapture, t: Expression) -> Expression:
    """Motion (24) along the path of a plan, up to its meeting."""
    path = plan.path
    s = ca.fmin(t / path.duration, 1.0)
    both = np.hstack([path.places, path.turns])
    x = []
    for k in range(3):
        powers = ca.vertcat(*[math.perm(i, k) * s ** (i - k) for i in range(k, 6)])
        x.append(ca.DM(both[k:].T) @ powers / path.duration**k)
    R, w, change = _turned(*(y[3:] for y in x))
    A = ca.DM(path.start) @ R
    return ca.vertcat(*(y[:3] for y in x), ca.vec(A.T), A @ w, A @ change)


def _turned(phi: Expression, rate: Expression, second: Expression) -> tuple[Expression, Expression, Expression]:
    """Rotation of a rotation vector, its body rate and rate of change; as `dalembert.plan.PosePath` has them."""
    square = ca.dot(phi, phi)
    small = square < 0.01  # series, before the differences lose their digits
    x = ca.sqrt(ca.if_else(small, 1.0, square))
    a, b = (1.0 - ca.cos(x)) / x**2, (x - ca.sin(x)) / x**3
    far = ca.vertcat(a, b, (ca.sin(x) / x - 2.0 * a) / x**2, (a - 3.0 * b) / x**2)
    near = ca.DM(_SERIES) @ ca.vertcat(*[square**k for k in range(5)])
    a, b, da, db = ca.vertsplit(ca.if_else(small, near, far))
    K, D, along = ca.skew(phi), ca.skew(rate), ca.dot(phi, rate)
    R = ca.DM.eye(3) + (1.0 - square * b) * K + a * (K @ K)
    J = ca.DM.eye(3) - a * K + b * (K @ K)
    J_rate = -a * D + b * (D @ K + K @ D) + along * (-da * K + db * (K @ K))
    return R, J @ rate, J @ second + J_rate @ rate


_SERIES = [
    [1 / 2, -1 / 24, 1 / 720, -1 / 40320, 1 / 3628800],
    [1 / 6, -1 / 120, 1 / 5040, -1 / 362880, 1 / 39916800],
    [-1 / 12, 1 / 180, -1 / 6720, 1 / 453600, 0.0],
    [-1 / 60, 1 / 1260, -1 / 60480, 1 / 4989600, 0.0],
]
"""Coefficients of ``(1 - cos x) / x^2``, ``(x - sin x) / x^3`` and their derivatives, in powers of ``x^2``."""


@cache
def chaser_law() -> GuideLaw:
    """The law of the nominal `space_chaser`; derived and compiled once."""
    return chaser_twins(space_chaser()).law


def _law(plan: RobotCapture, chaser: Machine | None) -> GuideLaw:
    """The law of the chaser that a plan was made for."""
    if not isinstance(plan, RobotCapture):
        raise InputError(f"plan must be a RobotCapture, as plan_robot_capture returns it, got {plan!r}")
    law = chaser_law() if chaser is None else chaser_twins(chaser, plan.frame, "z", plan.task).law
    if apart := mechanics_apart(plan.robot, law.robot.eom.machine):
        wanted = "the rigid space_chaser" if chaser is None else f"the rigid twin of machine '{chaser.name}'"
        raise InputError(
            f"the loops of a capture are those of {wanted}, but the plan is for machine '{plan.robot.name}' with other "
            f"{', '.join(apart)}: give the chaser that flies as 'chaser', and plan for its rigid twin (rigid_twin)"
        )
    return law


def rigid_twin(chaser: Machine, tip: str = "tip") -> Machine:
    """The rigid machine that plans of a chaser are made for: nothing bends, and only the joints of its arms move.

    Parameters
    ----------
    chaser
        The chaser as it flies.
    tip
        The frame that grips.

    Examples
    --------
    >>> from dalembert.systems.space_robots import rigid_twin, space_chaser
    >>> len(space_chaser().v_names) > len(rigid_twin(space_chaser()).v_names)
    True
    """
    return chaser_twins(chaser, tip).rigid.eom.machine


def capture_loop(plan: RobotCapture, gains: CaptureGains | None = None, *, chaser: Machine | None = None) -> Cascade:
    """The loops of a capture whose debris is known, as one native cascade: `dalembert.rollout` takes it.

    It belongs to a `capture_scene` of the chaser, with any errors and sensors; `capture_start` is where it begins.

    Parameters
    ----------
    plan
        The plan.
    gains
        Settings of the loops; None: from the chaser.
    chaser
        The chaser that flies, of which the plan's robot is the rigid twin (`rigid_twin`); None: `space_chaser`.
    """
    law = _law(plan, chaser)
    joints = plan.motion.joints[0]
    if chaser is None:
        gains, joints = CaptureGains() if gains is None else gains, np.array(HOME)
    elif gains is None:
        start = CaptureStart(joints=dict(zip(law.robot.names, joints.tolist(), strict=True)))
        gains = derived_gains(chaser_twins(chaser, plan.frame, "z", plan.task), start)
    feedback = CaptureFeedback.tuned(law.robot, gains, joints)
    return Cascade(Sampled(feedback, gains.period), [PlanGuidance(plan, law, gains)])


def capture_start(plan: RobotCapture) -> tuple[dict[str, float], dict[str, float]]:
    """Coordinates and velocities by name with which a `capture_scene` begins a plan; the chaser is at rest."""
    body, robot = plan.body, plan.robot
    q = dict(zip(robot.q_names, plan.q[0].tolist(), strict=True))
    pose = np.concatenate([body.position, body.quaternion])
    q |= {f"debris.{n}": float(x) for n, x in zip(_POSE, pose, strict=True)}
    twist = np.concatenate([body.attitude(0.0).T @ np.array(body.velocity), body.rate])
    v = {f"debris.{n}": float(x) for n, x in zip(_TWIST, twist, strict=True)}
    return q, v
