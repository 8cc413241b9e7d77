"""The closed forms of CRANE for the planar N-link crane, vectorised and independent of any recursion.

State in the document's order ``q = (x, theta_1 .. theta_N, l_1 .. l_N)`` with any leading batch axes. Corrections of
misprints are those of ``docs/errata.md``.

With ``a_k = theta_1 + .. + theta_k`` and the partial sums ``C_ni = sum_{k=n..i} l_k cos(a_k)`` and ``S_ni`` likewise,
which are zero for ``i < n``, the sums over ``i >= max(n, p)`` of the document are plain matrix products.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.model.machine import Machine
from dalembert.systems.cranes.coordinates import Columns, node_masses

__all__ = ["PlanarClosedForms", "bending_stiffness_alpha", "mass_matrix_two_links", "one_link_forces"]


@dataclass(frozen=True)
class PlanarClosedForms:
    """Mass matrix, velocity forces, gravity and energy of the planar crane with all lengths varying.

    Rows and columns of lengths that are fixed are dropped, not computed otherwise (CRANE remark 16).

    Parameters
    ----------
    trolley
        Mass ``m``.
    masses
        Masses ``m_1 .. m_N``; zeros are admitted.
    gravity
        Acceleration of gravity.
    """

    trolley: float
    masses: Array
    gravity: float = 9.81

    @staticmethod
    def of(machine: Machine) -> PlanarClosedForms:
        """Closed forms of a planar crane of this package, with its nominal masses."""
        if Columns(machine).spatial:
            raise InputError(f"the closed forms apply to planar cranes; crane '{machine.name}' is spatial")
        rods = [b.name for b in machine.bodies if b.name.startswith("link") and nominal(b.mass) > 0]
        if rods:
            raise InputError(f"the closed forms apply to point masses; '{rods[0]}' of crane '{machine.name}' is a rod")
        return PlanarClosedForms(
            nominal(machine.body("trolley").mass), node_masses(machine), -nominal(machine.gravity[2])
        )

    @property
    def n(self) -> int:
        """Number of links."""
        return len(self.masses)

    def split(self, q: ArrayLike) -> tuple[Array, Array, Array]:
        """Trolley, relative angles and lengths of a state in the document's order."""
        q = _states(q, 2 * self.n + 1, f"(x, {self.n} angles, {self.n} lengths)")
        return q[..., 0], q[..., 1 : self.n + 1], q[..., self.n + 1 :]

    def _partial_sums(self, theta: Array, l: Array) -> tuple[Array, Array, Array]:
        """``a_k``, ``C_ni`` and ``S_ni``."""
        a = np.cumsum(theta, axis=-1)
        upper = np.triu(np.ones((self.n, self.n)))

        def sums(x: Array) -> Array:
            total = np.cumsum(x, axis=-1)
            return upper * (total[..., None, :] - (total - x)[..., :, None])

        return a, sums(l * np.cos(a)), sums(l * np.sin(a))

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Mass matrix by (19)-(21), (33), (39), (63)."""
        x, theta, l = self.split(q)
        n, m = self.n, self.masses
        a, C, S = self._partial_sums(theta, l)
        below = np.cumsum(m[::-1])[::-1]  # sum_{i >= p} m_i
        M = np.zeros((*x.shape, 2 * n + 1, 2 * n + 1))
        M[..., 0, 0] = self.trolley + m.sum()  # (19)
        M[..., 0, 1 : n + 1] = C @ m  # (20)
        M[..., 0, n + 1 :] = below * np.sin(a)  # (21)
        M[..., 1 : n + 1, 1 : n + 1] = (C * m) @ C.swapaxes(-1, -2) + (S * m) @ S.swapaxes(-1, -2)  # (33)
        # (39): the sum over i >= max(n, p) of the partial sums of row n, column by column
        tail_C, tail_S = (np.cumsum((X * m)[..., ::-1], axis=-1)[..., ::-1] for X in (C, S))
        M[..., 1 : n + 1, n + 1 :] = np.sin(a)[..., None, :] * tail_C - np.cos(a)[..., None, :] * tail_S
        k = np.arange(n)
        M[..., n + 1 :, n + 1 :] = below[np.maximum.outer(k, k)] * np.cos(a[..., :, None] - a[..., None, :])  # (63)
        upper = np.triu(np.ones((2 * n + 1, 2 * n + 1), dtype=bool))
        return np.where(upper, M, M.swapaxes(-1, -2))

    def velocity_force(self, q: ArrayLike, v: ArrayLike) -> Array:
        """``C(q, q') q'``: the velocity terms of (18), (31) - (70) and (55) - (75).

        In each row the terms with ``x'`` and the products of node velocities cancel. The remainder is the mass times
        the acceleration of each node at constant velocities, projected: ``d_i = sum_k (2 l_k' a_k' cos - l_k a_k'^2
        sin, 2 l_k' a_k' sin + l_k a_k'^2 cos)``.
        """
        _, theta, l = self.split(q)
        _, theta_dot, l_dot = self.split(v)
        a, C, S = self._partial_sums(theta, l)
        rate = np.cumsum(theta_dot, axis=-1)
        c, s = np.cos(a), np.sin(a)
        dx = np.cumsum(2 * l_dot * rate * c - l * rate**2 * s, axis=-1) * self.masses
        dy = np.cumsum(2 * l_dot * rate * s + l * rate**2 * c, axis=-1) * self.masses
        tail_x, tail_y = (np.cumsum(d[..., ::-1], axis=-1)[..., ::-1] for d in (dx, dy))
        angles = (C @ dx[..., None] + S @ dy[..., None])[..., 0]
        return np.concatenate([tail_x[..., :1], angles, s * tail_x - c * tail_y], axis=-1)

    def gravity_force(self, q: ArrayLike) -> Array:
        """``dU_g/dq`` by (83) and (84)."""
        x, theta, l = self.split(q)
        a, _, S = self._partial_sums(theta, l)
        below = np.cumsum(self.masses[::-1])[::-1]
        return self.gravity * np.concatenate([np.zeros((*x.shape, 1)), S @ self.masses, -below * np.cos(a)], axis=-1)

    def potential_energy(self, q: ArrayLike) -> Array:
        """``U_g`` by (82)."""
        _, theta, l = self.split(q)
        below = np.cumsum(self.masses[::-1])[::-1]
        return -self.gravity * np.sum(below * l * np.cos(np.cumsum(theta, axis=-1)), axis=-1)

    def forces(self, q: ArrayLike, v: ArrayLike, acceleration: ArrayLike) -> Array:
        """Generalised forces ``Q`` of (93), without joint flexibility."""
        Ma = (self.mass_matrix(q) @ np.asarray(acceleration, dtype=float)[..., None])[..., 0]
        return Ma + self.velocity_force(q, v) + self.gravity_force(q)

    def mass_matrix_alpha(self, q: ArrayLike) -> Array:
        """Mass matrix for absolute angles ``q_alpha = (x, alpha, l)``.

        (157) shows the zeroth order only. In general ``M_alpha_ij = l_i l_j cos(alpha_i - alpha_j) mu``, with the sum
        ``mu`` of the masses from ``max(i, j)`` on, and the lengths are coupled by ``l_n sin(alpha_p - alpha_n) mu``.
        """
        x, alpha, l = self.split(q)
        n, k = self.n, np.arange(self.n)
        below = np.cumsum(self.masses[::-1])[::-1]
        mu = below[np.maximum.outer(k, k)]
        d = alpha[..., :, None] - alpha[..., None, :]
        M = np.zeros((*x.shape, 2 * n + 1, 2 * n + 1))
        M[..., 0, 0] = self.trolley + self.masses.sum()
        M[..., 0, 1 : n + 1] = below * l * np.cos(alpha)
        M[..., 0, n + 1 :] = below * np.sin(alpha)
        M[..., 1 : n + 1, 1 : n + 1] = mu * l[..., :, None] * l[..., None, :] * np.cos(d)
        M[..., 1 : n + 1, n + 1 :] = -mu * l[..., :, None] * np.sin(d)
        M[..., n + 1 :, n + 1 :] = mu * np.cos(d)
        upper = np.triu(np.ones((2 * n + 1, 2 * n + 1), dtype=bool))
        return np.where(upper, M, M.swapaxes(-1, -2))

    def hoisting_force(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Velocity couplings with ``l_1'`` in the row of ``theta_N``, only ``l_1`` varying: Lemma 4, corrected.

        ``2 m_1 l_1' l_1 theta_1'`` for N = 1 (185), and ``2 m_N l_1' l_N theta_1' cos(theta_2 + .. + theta_N)`` for
        N >= 2. The printed (186) comes from a sign in the last line of (182).
        """
        _, theta, l = self.split(q)
        _, theta_dot, l_dot = self.split(v)
        turned = np.cos(np.sum(theta[..., 1:], axis=-1))
        return 2 * self.masses[-1] * l_dot[..., 0] * l[..., -1] * theta_dot[..., 0] * turned


def _numbers(values: ArrayLike, what: str) -> Array:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be numbers, got {values!r}") from None


def _states(values: ArrayLike, size: int, names: str) -> Array:
    """States with any leading axes."""
    array = _numbers(values, "states")
    if array.shape[-1:] != (size,):
        raise InputError(f"expected states of {size} numbers {names}, got shape {array.shape}")
    return array


def bending_stiffness_alpha(kappa: ArrayLike) -> Array:
    """Stiffness matrix of bending in absolute angles, (88)-(91): ``dU_flex/dalpha = K alpha``.

    (91) prints the matrix where the product with ``alpha`` is meant.

    Parameters
    ----------
    kappa
        ``kappa_0 .. kappa_{N-1}``.

    Examples
    --------
    >>> bending_stiffness_alpha([2.0, 3.0]).tolist()
    [[5.0, -3.0], [-3.0, 3.0]]
    """
    kappa = _numbers(kappa, "the angular stiffnesses of a cable")
    if kappa.ndim != 1 or kappa.size == 0:
        raise InputError(f"the angular stiffnesses of a cable must be a list of numbers, got shape {kappa.shape}")
    next_ = np.append(kappa[1:], 0.0)
    return np.diag(kappa + next_) - np.diag(kappa[1:], 1) - np.diag(kappa[1:], -1)


def mass_matrix_two_links(q: ArrayLike, m: float, m1: float, m2: float) -> Array:
    """Mass matrix for N = 2 and ``q = (x, theta_1, theta_2, l_1, l_2)``, as printed in (138)-(142).

    Examples
    --------
    >>> mass_matrix_two_links([0, 0, 0, 4.0, 1.0], 100.0, 20.0, 200.0)[:2, :2].tolist()
    [[320.0, 1080.0], [1080.0, 5320.0]]
    """
    q = _states(q, 5, "(x, theta_1, theta_2, l_1, l_2)")
    t1, t2, l1, l2 = (q[..., i] for i in range(1, 5))
    c1, s1, c2, s2, c12, s12 = np.cos(t1), np.sin(t1), np.cos(t2), np.sin(t2), np.cos(t1 + t2), np.sin(t1 + t2)
    one = np.ones_like(t1)
    rows: list[list[Any]] = [
        [(m + m1 + m2) * one, m1 * l1 * c1 + m2 * (l1 * c1 + l2 * c12), m2 * l2 * c12, (m1 + m2) * s1, m2 * s12],
        [
            None,
            m1 * l1**2 + m2 * (l1**2 + l2**2 + 2 * l1 * l2 * c2),
            m2 * (l1 * l2 * c2 + l2**2),
            -m2 * l2 * s2,
            m2 * l1 * s2,
        ],
        [None, None, m2 * l2**2, -m2 * l2 * s2, 0 * one],
        [None, None, None, (m1 + m2) * one, m2 * c2],
        [None, None, None, None, m2 * one],
    ]
    return np.stack([np.stack([rows[min(i, j)][max(i, j)] for j in range(5)], axis=-1) for i in range(5)], axis=-2)


def one_link_forces(
    q: ArrayLike, v: ArrayLike, acceleration: ArrayLike, m: float, m1: float, gravity: float = 9.81
) -> Array:
    """Left sides of the equations for N = 1, (194): ``(F, 0, F_1)`` for ``q = (x, theta_1, l_1)``.

    Examples
    --------
    At rest the hoist carries the payload:

    >>> one_link_forces([0, 0, 4.0], [0, 0, 0], [0, 0, 0], 100.0, 20.0).round(6).tolist()
    [0.0, 0.0, -196.2]
    """
    q, v, acc = (_states(y, 3, "(x, theta_1, l_1)") for y in (q, v, acceleration))
    theta, l = q[..., 1], q[..., 2]
    theta_d, l_d = v[..., 1], v[..., 2]
    x_dd, theta_dd, l_dd = (acc[..., i] for i in range(3))
    c, s = np.cos(theta), np.sin(theta)
    F = (m + m1) * x_dd + m1 * (l * c * theta_dd + s * l_dd + 2 * l_d * theta_d * c - l * theta_d**2 * s)
    Q = m1 * l * c * x_dd + m1 * l**2 * theta_dd + 2 * m1 * l_d * l * theta_d + m1 * gravity * l * s
    F1 = m1 * s * x_dd + m1 * l_dd - m1 * gravity * c - m1 * l * theta_d**2
    return np.stack([F, Q, F1], axis=-1)
