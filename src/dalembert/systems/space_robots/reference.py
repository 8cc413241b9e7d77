"""References of a whole space robot that belong to a path of its tip and respect momentum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.floating import GeneralizedJacobian, generalized_jacobian
from dalembert.core.errors import InputError, PlanError
from dalembert.core.types import Array
from dalembert.formulations.equations import MachineOrEquations, Parameters
from dalembert.plan.held_base import held_base
from dalembert.plan.pose import PoseMotion

__all__ = ["RobotReference", "robot_reference"]

_NEAR = 1e-10  # metres and radians
_STEPS = 60


@dataclass(frozen=True)
class RobotReference:
    """Motion of a robot along a path of its tip, and its effort.

    Attributes
    ----------
    t
        Times (n).
    q, v, a
        Coordinates, velocities and accelerations (n, ...).
    effort
        Generalised forces ``M a + C v`` (n, nv): force and torque of the base in its axes, torques of the joints.
    least
        Least singular value of the generalised Jacobian (n): how far the arm is from where it gets stuck.
    base
        Rows of the base in ``v`` and ``effort``.
    """

    t: Array
    q: Array
    v: Array
    a: Array
    effort: Array
    least: Array
    base: slice

    @property
    def base_force(self) -> Array:
        """Force on the base in its axes (n, 3)."""
        return self.effort[:, self.base][:, :3]

    @property
    def base_torque(self) -> Array:
        """Torque on the base in its axes (n, 3)."""
        return self.effort[:, self.base][:, 3:]


def robot_reference(
    robot: MachineOrEquations,
    path: Callable[[float], PoseMotion],
    times: ArrayLike,
    q0: ArrayLike,
    *,
    frame: str = "tip",
    hold: str = "attitude",
    p: Parameters = None,
) -> RobotReference:
    """Move a rigid robot so that its tip follows a path, from rest.

    With ``hold="attitude"`` the base turns not at all and moves as linear momentum asks, so that its thrusters need
    give torques only; with ``hold="pose"`` it does not move.

    Parameters
    ----------
    robot
        A robot on a free base, or its equations.
    path
        Motion of the tip, such as `dalembert.plan.meet_pose` gives.
    times
        Times, increasing.
    q0
        Configuration at the first of them.
    frame
        The tip.
    hold
        ``"attitude"`` or ``"pose"``.
    p
        Parameter values.

    Raises
    ------
    PlanError
        If the tip cannot follow: the path leaves the reach of the arm.
    """
    if hold not in ("attitude", "pose"):
        raise InputError(
            f"hold must be 'attitude' or 'pose', got {hold!r}; how far a floating base turns depends on the whole way"
        )
    J = generalized_jacobian(robot, frame, hold=hold)
    eom, n = J.eom, len(J.v_names)
    if n != 6:
        if hold == "pose" or p is not None:
            raise InputError(
                f"a path of the tip with hold='pose' or parameters needs a robot with 6 joints, machine "
                f"'{eom.machine.name}' has {n}; hold='attitude' takes any number"
            )
        return _by_task(J, path, np.atleast_1d(np.asarray(times, dtype=float)), np.asarray(q0, dtype=float))
    t = np.atleast_1d(np.asarray(times, dtype=float))
    q = np.asarray(q0, dtype=float)
    centre, start = eom.center_of_mass(q, p=p), eom.pose(J.body, q, p=p)
    rows: list[tuple[Array, Array, Array, Array, float]] = []
    for k, time in enumerate(t):
        wanted = path(float(time))
        if k:
            q = eom.integrate(q, (time - t[k - 1]) * rows[-1][1])  # a guess
        q = _posed(J, q, wanted, centre, start, float(time), p)
        rows.append((q, *_moved(J, q, wanted, p)))
    q_, v, a, effort, least = (np.array(x) for x in zip(*rows, strict=True))
    first = J.rows[0][0]
    return RobotReference(t, q_, v, a, effort, least, slice(int(first), int(first) + 6))


def _by_task(J: GeneralizedJacobian, path: Callable[[float], PoseMotion], t: Array, q0: Array) -> RobotReference:
    """Motion of a robot with any number of joints: as that of its tip about the centre of mass."""
    eom = J.eom
    held = held_base(eom, J.frame)
    centre, R = eom.center_of_mass(q0), eom.pose(J.body, q0)[:3, :3]
    each = [path(float(x)) for x in t]
    x, v, a, A, w, dw = (np.array([m[k] for m in each]) for k in range(6))
    motion = held.follow(
        PoseMotion((x - centre) @ R, v @ R, a @ R, R.T @ A, w @ R, dw @ R), t, q0[held.rows[2]], steps=4
    )
    worst = int(np.argmax(motion.miss))
    if not motion.miss[worst] < 1e-6:
        raise PlanError(
            f"the tip cannot follow its path at t = {t[worst]:g} s: {motion.miss[worst]:.3g} m or rad are left"
        )
    block = next(b for b in eom.layout.blocks if b.name == held.base)
    q = held.configuration(motion.joints, centre, q0[block.q][3:])
    speeds = np.array([J.velocities(*row) for row in zip(q, motion.rates, strict=True)])
    base, others = J.rows
    second = np.zeros_like(speeds)
    second[:, others] = motion.accelerations
    for k, row in enumerate(q):
        carried = J.base_map_rate(row, speeds[k]) @ motion.rates[k]
        second[k, base] = J.base_map(row) @ motion.accelerations[k] + carried
    first = int(base[0])
    return RobotReference(t, q, speeds, second, motion.effort, held.least(motion.joints), slice(first, first + 6))


def _posed(
    J: GeneralizedJacobian, q: Array, wanted: PoseMotion, centre: Array, start: Array, t: float, p: Parameters
) -> Array:
    """Configuration with the tip in place, the base where momentum puts it."""
    eom, (base, others) = J.eom, J.rows
    for _ in range(_STEPS):
        X, B = eom.pose(J.frame, q, p=p), eom.pose(J.body, q, p=p)
        M, A, b = eom.mass_matrix(q, p=p), np.zeros((eom.nv, eom.nv)), np.zeros(eom.nv)
        A[np.ix_(base, base)] = np.eye(6)
        b[base] = np.concatenate([B[:3, :3].T @ (start[:3, 3] - B[:3, 3]), _turn(B[:3, :3].T @ start[:3, :3])])
        if J.hold == "attitude":
            A[base[:3]] = M[base[:3]] / M[base[0], base[0]]
            b[base[:3]] = B[:3, :3].T @ (centre - eom.center_of_mass(q, p=p))
        A[others] = eom.jacobian(J.frame, q, axes="world", p=p)
        b[others] = np.concatenate([wanted.position - X[:3, 3], X[:3, :3] @ _turn(X[:3, :3].T @ wanted.rotation)])
        if np.abs(b).max() < _NEAR:
            return q
        step = np.linalg.lstsq(A, b, rcond=1e-12)[0]
        q = eom.integrate(q, step / max(1.0, float(np.abs(step).max()) / 0.3))
    raise PlanError(
        f"the tip cannot follow its path at t = {t:g} s: {np.linalg.norm(b[others][:3]):.3g} m are left, out of reach"
    )


def _moved(J: GeneralizedJacobian, q: Array, wanted: PoseMotion, p: Parameters) -> tuple[Array, Array, Array, float]:
    """Velocities, accelerations, efforts and least singular value."""
    eom, (base, others) = J.eom, J.rows
    G = J(q, p=p)
    least = float(np.linalg.svd(G, compute_uv=False)[-1])
    v = J.velocities(q, np.linalg.solve(G, np.concatenate([wanted.velocity, wanted.rate])), p=p)
    twist = np.concatenate([wanted.acceleration, wanted.rate_change])
    a = np.zeros(eom.nv)
    a[others] = np.linalg.solve(G, twist - J.rate(q, v, p=p) @ v[others])
    a[base] = J.base_map(q, p=p) @ a[others] + J.base_map_rate(q, v, p=p) @ v[others]
    return v, a, eom.inverse_dynamics(q, v, a, p=p), least


def _turn(R: Array) -> Array:
    """Small rotation as a vector, its size that of the angle."""
    w = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    s = float(np.linalg.norm(w))
    angle = float(np.arctan2(s, 0.5 * (np.trace(R) - 1.0)))
    return np.asarray(w if s < 1e-9 else angle / s * w)
