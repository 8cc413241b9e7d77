"""Kinematics of robots on a free base: generalised Jacobians that respect momentum, and manipulability (SPACE 6.2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, Parameters, derive
from dalembert.formulations.floating import free_base

__all__ = ["GeneralizedJacobian", "Manipulability", "generalized_jacobian", "manipulability"]

HOLDS = ("none", "attitude", "pose")


class Manipulability(NamedTuple):
    """Volume of the manipulability ellipsoid, condition number and least singular value of a Jacobian, each (...)."""

    volume: Array
    condition: Array
    least: Array


def manipulability(jacobian: ArrayLike, *, length: float = 1.0) -> Manipulability:
    """Measures of how well a frame can be moved from where it is.

    The volume is the product of the singular values, ``sqrt(det(J J^T))`` of SPACE (4.35). Metres and radians are made
    comparable by a length: the linear rows are divided by it.

    Parameters
    ----------
    jacobian
        Jacobian [v; w] of any columns, (..., 6, n), or (..., 3, n) of the position alone: that of a fixed arm, of a
        robot with its base (SPACE 6.26), or a `generalized_jacobian`.
    length
        The length; the reach of the arm is a good one.
    """
    J = as_numbers(jacobian)
    if J.ndim < 2 or J.shape[-2] not in (3, 6):
        raise InputError(f"a Jacobian must have 6 rows [v; w] or 3 rows of position, got the shape {J.shape}")
    scale = np.ones(J.shape[-2])
    scale[:3] /= check_number("length", length, unit="m")
    s = np.linalg.svd(scale[:, None] * J, compute_uv=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = s[..., 0] / s[..., -1]
    # fewer columns than rows: some motions are impossible, and the ellipsoid is flat
    full = J.shape[-1] >= J.shape[-2]
    if not full:
        flat = np.zeros(s.shape[:-1])
        return Manipulability(flat, np.full_like(flat, np.inf), flat)
    return Manipulability(*map(np.asarray, (np.prod(s, axis=-1), condition, s[..., -1])))


@dataclass(frozen=True)
class GeneralizedJacobian:
    """Jacobian from the velocities of all but the base to the twist of a frame, with the base's part eliminated.

    Attributes
    ----------
    eom, frame, hold, axes
        The arguments of `generalized_jacobian`.
    base
        Name of the free joint.
    """

    eom: EquationsOfMotion
    frame: str
    hold: str
    base: str
    axes: str

    @cached_property
    def rows(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Indices of the base's velocities, and of all others."""
        block = next(b for b in self.eom.layout.blocks if b.name == self.base)
        base = np.arange(block.v.start, block.v.start + 6)
        return base, np.setdiff1d(np.arange(self.eom.nv), base)

    @property
    def v_names(self) -> tuple[str, ...]:
        """Velocities that it multiplies."""
        return tuple(self.eom.v_names[i] for i in self.rows[1])

    @property
    def _moving(self) -> NDArray[np.intp]:
        """Rows of the base that momentum sets into motion."""
        return np.arange({"none": 6, "attitude": 3, "pose": 0}[self.hold])

    def base_map(self, q: ArrayLike, *, p: Parameters = None) -> Array:
        """Matrix ``B`` of ``v_base = B v_others`` without momentum, (..., 6, n)."""
        return self._map(self.eom.mass_matrix(q, p=p))

    def _map(self, M: Array) -> Array:
        base, others = self.rows
        B, free = np.zeros((*M.shape[:-2], 6, len(others))), self._moving
        if len(free):
            rows = base[free]
            B[..., free, :] = -np.linalg.solve(_block(M, rows, rows), _block(M, rows, others))
        return B

    def __call__(self, q: ArrayLike, *, p: Parameters = None) -> Array:
        """Generalised Jacobian, (..., 6, n)."""
        base, others = self.rows
        J = self.eom.jacobian(self.frame, q, axes=self.axes, p=p)
        return np.asarray(J[..., others] + J[..., base] @ self.base_map(q, p=p))

    def base_map_rate(self, q: ArrayLike, v: ArrayLike, *, p: Parameters = None) -> Array:
        """Time derivative of `base_map` along all velocities ``v``."""
        base, others = self.rows
        M, C = self.eom.mass_matrix(q, p=p), self.eom.coriolis_matrix(q, v, p=p)
        Md = C + np.swapaxes(C, -1, -2)  # M' - 2 C is skew
        B = self._map(M)
        Bd, free = np.zeros_like(B), self._moving
        if len(free):
            rows = base[free]
            change = _block(Md, rows, others) + _block(Md, rows, rows) @ B[..., free, :]
            Bd[..., free, :] = -np.linalg.solve(_block(M, rows, rows), change)
        return Bd

    def rate(self, q: ArrayLike, v: ArrayLike, *, p: Parameters = None) -> Array:
        """Time derivative of the generalised Jacobian along all velocities ``v``, entry by entry."""
        base, others = self.rows
        J = self.eom.jacobian(self.frame, q, axes=self.axes, p=p)
        Jd = self.eom.jacobian_rate(self.frame, q, v, axes=self.axes, p=p)
        B, Bd = self.base_map(q, p=p), self.base_map_rate(q, v, p=p)
        return np.asarray(Jd[..., others] + Jd[..., base] @ B + J[..., base] @ Bd)

    def velocities(
        self, q: ArrayLike, v: ArrayLike, *, momentum: ArrayLike | None = None, p: Parameters = None
    ) -> Array:
        """All velocities of the machine, (..., nv), from those of all but the base.

        Parameters
        ----------
        q
            Configuration.
        v
            Velocities `v_names`, (..., n).
        momentum
            Momentum that the robot has, as in `EquationsOfMotion.momentum`; the part that the base does not hold
            against moves the base. None: it has none.
        p
            Parameter values.
        """
        base, others = self.rows
        u = as_numbers(v)
        if u.shape[-1:] != (len(others),):
            raise InputError(f"v must have {len(others)} velocities ({', '.join(self.v_names)}), got shape {u.shape}")
        M = self.eom.mass_matrix(q, p=p)
        b = np.einsum("...ij,...j->...i", self._map(M), u)
        free = self._moving
        if momentum is not None and len(free):
            h = self._at_base(q, as_numbers(momentum), p)[..., free]
            b[..., free] += np.linalg.solve(_block(M, base[free], base[free]), h[..., None])[..., 0]
        full = np.zeros((*np.broadcast_shapes(b.shape[:-1], u.shape[:-1]), self.eom.nv))
        full[..., base], full[..., others] = b, u
        return full

    def _at_base(self, q: ArrayLike, h: Array, p: Parameters) -> Array:
        """Momentum about the base's origin, in its axes."""
        if h.shape[-1:] != (6,):
            raise InputError(f"momentum must be 6 numbers (linear, angular), got shape {h.shape}")
        X = self.eom.pose(self.body, q, p=p)
        R, x = X[..., :3, :3], X[..., :3, 3]
        about = h[..., 3:] - np.cross(x, h[..., :3])
        return np.concatenate([np.einsum("...ji,...j->...i", R, y) for y in (h[..., :3], about)], axis=-1)

    @property
    def body(self) -> str:
        """Body that floats."""
        return self.eom.machine.joint(self.base).child


def _block(A: Array, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Array:
    return A[..., rows[:, None], columns[None, :]]


def generalized_jacobian(
    machine: MachineOrEquations, frame: str, *, hold: str = "none", base: str | None = None, axes: str = "world"
) -> GeneralizedJacobian:
    """Jacobian of a frame of a robot on a free base, with the base's motion eliminated by conservation of momentum.

    ``J* = J_m + J_b B`` with ``v_base = B v_others``: without momentum the base's rows of ``M v`` vanish (Umetani and
    Yoshida; SPACE 2.9, 6.26).

    Parameters
    ----------
    machine
        A machine with a free joint on the world, or its equations.
    frame
        The frame that moves.
    hold
        Coordinates that the actuators of the base hold. ``"none"``: nothing, the base floats and both momenta are
        conserved; ``"attitude"``: its attitude, so that linear momentum alone moves it; ``"pose"``: all of it, as a
        fixed arm.
    base
        The free joint; needed where there is more than one.
    axes
        ``"world"`` or ``"frame"``: axes of the twist.

    Examples
    --------
    >>> from dalembert.systems.textbook import floating_two_link
    >>> robot = floating_two_link()
    >>> J = generalized_jacobian(robot, "link2")
    >>> J.v_names, J(robot.q_neutral).shape
    (('q1_dot', 'q2_dot'), (6, 2))
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    if hold not in HOLDS:
        raise InputError(f"hold must be one of {', '.join(map(repr, HOLDS))}, got {hold!r}")
    if not eom.formulation.machine_coordinates:
        eom = eom.in_machine_coordinates()
    where = f"machine '{eom.machine.name}'"
    held = free_base(eom, base)
    if frame not in eom.machine.tree.frames:
        raise UnknownNameError("frame", frame, eom.machine.tree.frames, where)
    if axes not in ("world", "frame"):
        raise InputError(f"axes of a Jacobian must be 'frame' or 'world', got {axes!r}")
    return GeneralizedJacobian(eom, frame, hold, held, axes)
