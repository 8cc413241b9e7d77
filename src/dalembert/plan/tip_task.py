"""Tasks of the tip of an arm, and the motion of the joints that serves them best.

An arm with as many joints as its task has rows has no choice. With more, the joints move so that they and the base they
react on move least, and away from their limits; with fewer than six joints the task is reduced, by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array, Expression, ExpressionLike
from dalembert.formulations.factorization import solve_spd

__all__ = [
    "TASKS",
    "Redundancy",
    "chosen_task",
    "linear_solver",
    "meaning",
    "rotation_vector",
    "task_error",
    "task_rows",
]

TASKS = {"pose": 6, "axis": 5, "position": 3}
"""Tasks of a tip and their rows: place and attitude, place and direction of the z axis, place alone."""

_MEANING = {
    "pose": "place and attitude of the tip",
    "axis": "place of the tip and direction of its approach axis; the rotation about the axis is free",
    "position": "place of the tip; its attitude is free",
}
_STIRRED = 0.02  # speed of the tip at which the joints begin to use their freedom [m/s]


def chosen_task(task: str | None, joints: int, where: str) -> str:
    """The task of an arm: as asked, or the largest that its number of joints can serve.

    Parameters
    ----------
    task
        The name, or None.
    joints
        Number of joints between base and tip.
    where
        The machine, for messages.
    """
    if task is None:
        task = next((name for name, rows in TASKS.items() if rows <= joints), None)
        if task is None:
            raise InputError(f"a tip needs at least 3 joints of one coordinate each to be placed; {where} has {joints}")
        return task
    if task not in TASKS:
        raise UnknownNameError("task", task, TASKS)
    if TASKS[task] > joints:
        raise InputError(
            f"the task '{task}' ({_MEANING[task]}) needs {TASKS[task]} joints between base and tip, {where} has "
            f"{joints}: choose {', '.join(repr(n) for n, rows in TASKS.items() if rows <= joints) or 'another arm'}"
        )
    return task


def meaning(task: str) -> str:
    """Describe a task in words."""
    return _MEANING[task]


def task_rows(task: str, X: Expression) -> Expression:
    """Matrix (k, 6) that takes a twist in world axes to the rows of a task; ``X`` is the pose of the tip."""
    if task == "pose":
        return ca.SX.eye(6)
    turn = X[:3, :2].T if task == "axis" else ca.SX(0, 3)
    return ca.densify(ca.blockcat([[ca.SX.eye(3), ca.SX.zeros(3, 3)], [ca.SX.zeros(turn.shape[0], 3), turn]]))


def task_error(task: str, X: Expression, position: Expression, rotation: Expression) -> Expression:
    """Error (k) from a pose of the tip to a desired one, in the rows of a task."""
    away = position - X[:3, 3]
    if task == "pose":
        return ca.vertcat(away, X[:3, :3] @ rotation_vector(X[:3, :3].T @ rotation))
    if task == "position":
        return ca.SX(away)
    z, d = X[:3, 2], rotation[:3, 2]
    c = ca.cross(z, d)
    s = ca.norm_2(c)
    small = s < 1e-9
    turn = ca.if_else(small, 1.0, ca.atan2(s, ca.dot(z, d)) / ca.if_else(small, 1.0, s)) * c
    return ca.vertcat(away, X[:3, :2].T @ turn)


def rotation_vector(R: Expression) -> Expression:
    """Rotation as a vector; near half a turn its direction is lost, not its size."""
    w = 0.5 * ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
    s = ca.norm_2(w)
    small = s < 1e-9
    safe = ca.if_else(small, 1.0, s)
    return ca.if_else(small, 1.0, ca.atan2(s, 0.5 * (ca.trace(R) - 1.0)) / safe) * w


def linear_solver(A: Expression) -> Callable[[Expression], Expression]:
    """Solution of linear equations with a square matrix, by its QR factors, for any number of right sides."""
    Q, R = ca.qr(ca.densify(A))
    return lambda b: ca.solve(R, Q.T @ b)


@dataclass(frozen=True)
class Redundancy:
    """How an arm with more joints than rows of its task moves them.

    The rates minimise ``m/2 |q' - z|^2 + mu/2 q'^T H^T I^-1 H q'`` among those that serve the task, ``J q' = t``:

        q' = y + W^-1 J^T (J W^-1 J^T)^-1 (t - J y),   W = m + mu H^T I^-1 H,   y = m W^-1 z

    ``H q'`` is the angular momentum that the base must take up (the reaction; where ``H q' = 0`` is possible this is
    the reaction null space of Yoshida), ``I`` the inertia of the base and ``m`` the mean inertia of the joints, so that
    both parts are energies. ``z`` moves joints out of the outer part of their ranges, with the cube of their distance
    from the middle, while the tip moves.

    Attributes
    ----------
    inertia
        ``m`` [kg m2].
    reaction
        ``mu``.
    middle, half
        Middle of the range of each joint, and half of its width.
    gain
        Rate of the return from the end of a range, as a part of half of its width [1/s].
    """

    inertia: float
    reaction: float
    middle: Array
    half: Array
    gain: float = 0.05

    def solver(
        self, J: Expression, H: Expression, base_inertia: Expression, theta: Expression, square: ExpressionLike | None
    ) -> Callable[[Expression], Expression]:
        """Rates for values of the task, with ``z`` by the ``square`` of the speed of the tip; None: without."""
        n = J.shape[1]
        W = self.inertia * ca.SX.eye(n) + self.reaction * H.T @ solve_spd(base_inertia, H)
        V = solve_spd(W, J.T)
        A = J @ V
        y = ca.SX.zeros(n)
        if square is not None:
            s = (theta - ca.DM(self.middle)) / ca.DM(self.half)
            z = -self.gain * ca.DM(self.half) * s**3 * (square / (square + _STIRRED**2))
            y = solve_spd(W, self.inertia * z)
        return lambda t: y + V @ solve_spd(A, t - J @ y)
