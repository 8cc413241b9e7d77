"""Flexible bodies that are linear in their coordinates, on CasADi symbols: beams and bodies from finite elements.

With the points of the body at ``x = x_0 + X delta`` (see ``model/elastic/integrals.py``) and

    N_bc = int x_b X_c dm = n_bc + delta^T B_bc,        b, c = x, y, z

everything in the mass matrix (5.16) of the body follows:

    c = c_0 + V delta,   G_bc = G_0bc + (n_bc + n_cb + N_bc + N_cb) delta / 2,   I = tr(G) 1 - G,
    M_vd = V,   M_wd = H with rows N_yz - N_zy, N_zx - N_xz, N_xy - N_yx,   M_dd = sum B_bb.

(In the source: c + V_u delta; I_o + I_ru + I_rpsi + I_uu + I_psipsi; P_ru; H_ru + H_rpsi + H_uu + H_psipsi;
Z_uu + Z_psipsi, and the same sums hold where the section varies.) The Coriolis terms are the integrals of
``x'' - (accelerations)`` over the beam: with ``Gamma_bc = N_bc delta'``,

    force     w x (w x c) + 2 w x V delta'
    moment    w x I w + 2 (tr(Gamma) w - Gamma^T w)
    modal     sum_bc w_b w_c N_cb - w^T w sum_b N_bb + 2 (dH/dt)^T w

which is (5.53) with the corrections of the errata page.

Geometric stiffening (an option) keeps motions of second degree in delta in the positions of points and sections and in
all that follows from them: the shortening of the bent axis of a beam (``model/elastic/shortening.py``), and those of
bodies from finite elements (``model/elastic/stiffening.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import casadi as ca
import numpy as np

from dalembert.core.types import Array, Expression
from dalembert.model.beam_shortening import ShorteningIntegrals
from dalembert.model.elastic.integrals import ModalIntegrals
from dalembert.model.elastic.shortening import Shortening
from dalembert.model.elastic.stiffening import SecondOrder, StiffeningIntegrals
from dalembert.spatial.rotations import cross_matrix, euler_rates, rotation_euler321

__all__ = ["ModalBody", "ModalSection", "Series"]

_X = ca.DM([1.0, 0.0, 0.0])
_PAIRS = ((1, 2), (2, 0), (0, 1))


Series = Sequence[tuple[Expression | float, ModalIntegrals]]
"""Shape integrals as a sum, each with a factor."""


Pick = Callable[[ModalIntegrals], Array]


def _sparse(x: Array | ca.DM) -> ca.DM:
    return ca.sparsify(ca.DM(x))


def _straight(b: int, c: int) -> Pick:
    return lambda i: i.n[b, c]


def _both(b: int, c: int) -> Pick:
    return lambda i: i.n[b, c] + i.n[c, b]


def _bent(b: int, c: int) -> Pick:
    return lambda i: i.B[b, c].T


def _swung(b: int, c: int) -> Pick:
    return lambda i: i.B[b, c].T - i.B[c, b].T


def _skew(b: int, c: int) -> Pick:
    return lambda i: i.B[b, c] - i.B[c, b]


class ModalBody:
    """Inertia, strain and Coriolis forces of a body that is linear in its coordinates, in the axes of its frame.

    Parameters
    ----------
    parts
        Its shape integrals, per unit density: a sum of integrals, each with a factor.
    delta
        Symbols of its modal coordinates.
    density
        The density: a plain one goes into the constants, a parameter multiplies the results.
    stiffness, damping
        Stiffness matrix (n x n) and structural damping per mode (n).
    loses
        Whether there is structural damping.
    shortening, offset
        Integrals of the shortening of the bent axis, if it is kept, and where that axis begins.
    stiffening
        Integrals of the motion of second order of a body from finite elements, if it is kept.
    constant
        Whether the mass matrix is held at its undeformed value (flex-M and the models built on it).
    """

    def __init__(
        self,
        parts: Series,
        delta: Expression,
        density: Expression | float,
        stiffness: Expression,
        damping: Expression | ca.DM,
        *,
        loses: bool,
        shortening: ShorteningIntegrals | None = None,
        offset: tuple[float, float, float] = (0.0, 0.0, 0.0),
        stiffening: StiffeningIntegrals | None = None,
        constant: bool = False,
    ) -> None:
        self._parts, self.delta, self.constant = parts, delta, constant
        self._rho: Expression | float = 1.0 if isinstance(density, float) else density
        self._unit: float = density if isinstance(density, float) else 1.0
        self.stiffness, self.damping, self.loses = stiffness, damping, loses
        self.n = parts[0][1].V.shape[1]
        self._shortening: Shortening | SecondOrder | None = None
        if shortening and self.n:
            self._shortening = Shortening(shortening, offset, delta, self._constant)
        elif stiffening is not None:
            self._shortening = SecondOrder(stiffening, delta, self._constant)

    def _constant(self, x: Array | float) -> ca.DM:
        return _sparse(np.asarray(x) * self._unit)

    def _of(self, what: Callable[[ModalIntegrals], Array | float]) -> ca.DM | Expression:
        """An array of the integrals: the sum over their parts."""
        (factor, first), *others = self._parts
        constant = self._constant(what(first))
        if isinstance(factor, float) and factor == 1.0 and not others:
            return constant
        total = factor * ca.SX(constant)
        for factor, part in others:
            total = total + factor * ca.SX(self._constant(what(part)))
        return total

    @property
    def _bent(self) -> Shortening | SecondOrder | None:
        """The shortening, where the mass matrix knows of the deformation."""
        return None if self.constant else self._shortening

    @cached_property
    def _straight_N(self) -> list[list[Expression]]:
        """Columns ``N_bc`` of the motion that is linear in delta (per density, if that is a parameter)."""
        N = [[ca.SX(self._of(_straight(b, c))) for c in range(3)] for b in range(3)]
        if self.constant:
            return N
        return [[N[b][c] + self._of(_bent(b, c)) @ self.delta for c in range(3)] for b in range(3)]

    @cached_property
    def _N(self) -> list[list[Expression]]:
        """Columns ``N_bc``."""
        N, bent = self._straight_N, self._bent
        return [[N[b][c] + bent.N(b, c) for c in range(3)] for b in range(3)] if bent else N

    @property
    def mass(self) -> Expression | float:
        """Mass."""
        volume = sum((factor * (self._unit * part.volume) for factor, part in self._parts[1:]), 0.0)
        factor, first = self._parts[0]
        return self._rho * (factor * (self._unit * first.volume) + volume)

    @cached_property
    def deformed_first_moment(self) -> Expression:
        """First moment ``c_0 + V delta`` (and the shortening)."""
        c = ca.SX(self._of(lambda i: i.first)) + self._of(lambda i: i.V) @ self.delta
        if self._shortening:
            c = self._shortening.moved(c)
        return self._rho * c

    @cached_property
    def first_moment(self) -> Expression:
        """First moment in the mass matrix."""
        return self._rho * ca.SX(self._of(lambda i: i.first)) if self.constant else self.deformed_first_moment

    @cached_property
    def inertia(self) -> Expression:
        """Inertia ``tr(G) 1 - G`` about the root's origin."""
        G = ca.SX(self._of(lambda i: i.second))
        if not self.constant:
            d = self.delta
            for b in range(3):
                for c in range(b, 3):
                    moved = self._of(_both(b, c))
                    sums = moved + self._straight_N[b][c] + self._straight_N[c][b]
                    G[b, c] = G[b, c] + ca.dot(ca.densify(sums), d) / 2
                    if self._bent:
                        G[b, c] = G[b, c] + self._bent.second(b, c)
                    G[c, b] = G[b, c]
        return self._rho * (ca.trace(G) * ca.SX.eye(3) - G)

    @cached_property
    def V(self) -> Expression:
        """Coupling ``M_vd`` of translation and modes (3 x n)."""
        V = ca.SX(self._of(lambda i: i.V))
        if self._bent:
            V = self._bent.coupled(V)
        return self._rho * V

    @cached_property
    def H(self) -> Expression:
        """Coupling ``M_wd`` of rotation and modes (3 x n)."""
        N = self._N
        return self._rho * ca.horzcat(N[1][2] - N[2][1], N[2][0] - N[0][2], N[0][1] - N[1][0]).T

    @cached_property
    def modal_mass(self) -> Expression:
        """Modal mass matrix ``M_dd`` (n x n); constant unless the shortening of the axis is kept."""
        M = ca.SX(self._of(lambda i: np.einsum("bbij->ij", i.B)))
        return self._rho * (M + self._bent.modal_mass if self._bent else M)

    def _swing(self, rate: Expression) -> list[Expression]:
        """Rows of ``dH/dt`` due to the elastic motion, as columns: ``int (x'_b dx_c - x'_c dx_b) dm``."""
        columns = [self._of(_swung(b, c)) @ rate for b, c in _PAIRS]
        return [x + y for x, y in zip(columns, self._bent.swing(rate), strict=True)] if self._bent else columns

    def coriolis(
        self, w: Expression, rate: Expression, v: Expression | None = None
    ) -> tuple[Expression, Expression, Expression]:
        """Force, moment and modal force of the elastic motion beyond those of a rigid body of this inertia.

        Parameters
        ----------
        w
            Angular velocity of the root in its axes.
        rate
            Rates of the modal coordinates.
        v
            Linear velocity of the root in its axes; used with a constant mass matrix only.
        """
        if self.constant:
            assert v is not None
            # gamma = (Omega M - M Omega + M~) t with M~_wv only, its V_u delta' term included (errata, flex-M)
            moving = self.V @ rate
            moment = ca.cross(w, self.H @ rate) + ca.cross(v, moving)
            return ca.cross(w, moving), moment, -self.V.T @ ca.cross(w, v)
        N = self._N
        Gamma = ca.vertcat(*[ca.horzcat(*[ca.dot(ca.densify(N[b][c]), rate) for c in range(3)]) for b in range(3)])
        force = 2 * ca.cross(w, self.V @ rate)
        moment = 2 * self._rho * (ca.trace(Gamma) * w - Gamma.T @ w)
        square = [w[b] * w[b] for b in range(3)]
        modal = ca.SX(self.n, 1)
        for b in range(3):
            modal = modal - (square[(b + 1) % 3] + square[(b + 2) % 3]) * N[b][b]
            for c in range(b + 1, 3):
                modal = modal + (w[b] * w[c]) * (N[b][c] + N[c][b])
        for a, column in enumerate(self._swing(rate)):
            modal = modal + (2 * w[a]) * column
        if self._bent:
            f, n, x = self._bent.convective(rate)
            force, moment, modal = force + self._rho * f, moment + self._rho * n, modal + x
        return force, moment, self._rho * modal

    def coriolis_blocks(self, w: Expression, rate: Expression) -> tuple[Expression, Expression, Expression, Expression]:
        """Blocks (rr, rd, dr, dd) of ``int E^T (w^x E + E') dm``, where ``E`` maps the twist to the points' velocities.

        They make ``C = sum J^T (B J + M J')`` a Coriolis matrix with ``M' - 2 C`` skew-symmetric.
        """
        N, c, W = self._N, self.first_moment, cross_matrix(w)
        m = self.mass
        Gamma = self._rho * ca.vertcat(
            *[ca.horzcat(*[ca.dot(ca.densify(N[b][k]), rate) for k in range(3)]) for b in range(3)]
        )
        G = ca.trace(self.inertia) / 2 * ca.SX.eye(3) - self.inertia
        moving = self.V @ rate
        ww = cross_matrix(G @ w) + ca.trace(Gamma) * ca.SX.eye(3) - Gamma.T
        rr = ca.vertcat(
            ca.horzcat(m * W, -W @ cross_matrix(c) - cross_matrix(moving)), ca.horzcat(cross_matrix(c) @ W, ww)
        )
        trace = N[0][0] + N[1][1] + N[2][2]
        rows = [w[k] * trace - sum((w[b] * N[b][k] for b in range(3)), ca.SX(self.n, 1)) for k in range(3)]
        wd = self._rho * ca.horzcat(*rows).T
        swing = self._rho * ca.horzcat(*self._swing(rate))
        vd, dv, dw = W @ self.V, self.V.T @ W, -wd.T + swing
        dd = ca.SX(self.n, self.n)
        for a, (b, k) in enumerate(_PAIRS):
            dd = dd + w[a] * self._of(_skew(k, b))
        if self._bent:
            f, n, x = self._bent.convective_blocks(rate)
            vd, wd, dd = vd + self._rho * f, wd + self._rho * n, dd + self._bent.turning(w) + x
        return rr, ca.vertcat(vd, wd), ca.horzcat(dv, dw), self._rho * dd


class ModalSection:
    """Motion of a section in the frame of its body, (5.31)-(5.50), in the axes of that frame.

    Parameters
    ----------
    origin
        Undeformed position of the section.
    Phi, Delta
        Modes (3 x n) of its displacement and of its 3-2-1 angles.
    delta
        Symbols of the modal coordinates.
    shortening
        Matrix ``H`` (n x n) of the shortening ``delta.H delta / 2`` of the axis up to there, if it is kept.
    second
        Matrices ``Q`` (3 x n x n) of the motion ``delta.Q_c delta / 2`` of second order, if it is kept.
    approximation
        One of `APPROXIMATIONS`.
    """

    def __init__(
        self,
        origin: Array | ca.DM | Expression,
        Phi: Array | ca.DM | Expression,
        Delta: Array,
        delta: Expression,
        *,
        shortening: Array | None = None,
        second: Array | None = None,
        approximation: str = "flex",
    ) -> None:
        self.second = None if second is None else [_sparse(Q) for Q in second]
        self.Phi, self.Delta = Phi if isinstance(Phi, ca.SX) else _sparse(Phi), _sparse(Delta)
        self.delta = delta
        self.rigid = origin if isinstance(origin, ca.SX) else ca.DM(origin)
        self.shortening = None if shortening is None else _sparse(shortening)
        self.turning = approximation != "flex-MR"
        self.bending = approximation != "flex-MA"
        self.psi = self.Delta @ delta if Phi.shape[1] else ca.SX(3, 1)

    def angle(self, axis: int) -> Expression | None:
        """Angle of the section if it turns about this coordinate axis alone, else None."""
        return None if any(self.psi[i].nnz() for i in range(3) if i != axis) else self.psi[axis]

    @cached_property
    def R(self) -> Expression:
        """Rotation of the section by its 3-2-1 angles, (5.3)."""
        return rotation_euler321(self.psi) if self.turning else ca.SX.eye(3)

    @property
    def turns(self) -> list[tuple[int, Expression | float, Expression | float]]:
        """The rotation as turns (axis, cosine, sine), the last one first."""
        if not self.turning:
            return []
        return [(k, ca.cos(self.psi[k]), ca.sin(self.psi[k])) for k in range(3) if self.psi[k].nnz()]

    @cached_property
    def p(self) -> Expression:
        """Position of the section, (5.34)."""
        p = ca.SX(self.rigid) + self.Phi @ self.delta
        if self.shortening is not None:
            p = p - _X * (ca.dot(self.delta, self.shortening @ self.delta) / 2)
        if self.second is not None:
            p = p + self._forms(self.delta) / 2
        return p

    def _forms(self, x: Expression) -> Expression:
        """``x^T Q_c x`` (3) of the motion of second order."""
        return ca.vertcat(*[ca.dot(x, ca.densify(Q @ x)) for Q in self.second or ()])

    @property
    def lever(self) -> Expression:
        """Position in the twist propagation (5.42): the undeformed one if that is constant."""
        return self.p if self.bending else ca.SX(self.rigid)

    @cached_property
    def rates(self) -> Expression:
        """Matrix from the rates of the 3-2-1 angles to the angular velocity in root axes, ``R_psi`` of (5.12)."""
        return euler_rates(self.psi, body=False) if self.bending else ca.SX.eye(3)

    @cached_property
    def mixed(self) -> Expression:
        """Modes [Phi; Delta] (6 x n) from modal rates to section velocity and rates of its angles."""
        Phi = ca.SX(self.Phi)
        if self.shortening is not None and self.bending:
            Phi = Phi - _X @ (self.shortening @ self.delta).T
        if self.second is not None and self.bending:
            Phi = Phi + ca.horzcat(*[Q @ self.delta for Q in self.second]).T
        return ca.vertcat(Phi, ca.SX(self.Delta))

    @cached_property
    def S(self) -> Expression:
        """Matrix (6 x n) from modal rates to the section's twist in the root's frame."""
        return ca.diagcat(ca.SX.eye(3), self.rates) @ self.mixed

    def twist(self, rate: Expression) -> tuple[Expression, Expression]:
        """Velocity and angular velocity of the section in the root's frame."""
        x = self.mixed @ rate
        return x[:3], self.rates @ x[3:]

    def convective(self, w: Expression, rate: Expression) -> tuple[Expression, Expression]:
        """Linear and angular acceleration of the section without those of root and modes, (5.49)-(5.51)."""
        u, w_r = self.twist(rate)
        p = self.lever
        linear = ca.cross(w, ca.cross(w, p) + (2 if self.bending else 1) * u)
        angular = ca.cross(w, w_r)
        if self.bending:
            x = self.Delta @ rate
            a, b, z = self.rates[:, 0], self.rates[:, 1], ca.DM([0.0, 0.0, 1.0])
            angular = angular + x[2] * ca.cross(z, x[0] * a + x[1] * b) + (x[0] * x[1]) * ca.cross(b, a)
            if self.shortening is not None:
                linear = linear - _X * ca.dot(rate, self.shortening @ rate)
            if self.second is not None:
                linear = linear + self._forms(rate)
        return linear, angular
