"""Control of machines with fewer motors than degrees of freedom (CRANE 6.2.2, Spong's partition).

With ``a`` the driven and ``u`` the other velocities, eliminating the second rows of ``M q'' + h = (tau, 0)`` leaves

    M_bar q_a'' + h_bar = tau,   M_bar = M_aa - M_au M_uu^-1 M_ua,   h_bar = h_a - M_au M_uu^-1 h_u     (176)-(178)

``M_bar`` is positive definite (Lemma 3). The laws here never form these matrices: ``M_bar^-1`` and ``-M_bar^-1 h_bar``
are the response of the driven accelerations to unit forces and to none, which O(n) forward dynamics delivers.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.linearize import equilibrium
from dalembert.control.law_bases import (
    Reference,
    _driven,
    _gain,
    _reference,
    _Stateless,
    driven_response,
    machine_state,
)
from dalembert.core.errors import InputError
from dalembert.core.types import Array, Expression, StateLike
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.factorization import solve_spd

__all__ = [
    "EnergyRegulation",
    "PartialFeedbackLinearization",
    "Partition",
    "collocated_inertia",
    "partition",
]


@dataclass(frozen=True)
class Partition:
    """Driven and other velocities.

    Parameters
    ----------
    driven, other
        Their rows in ``v``.
    """

    driven: tuple[int, ...]
    other: tuple[int, ...]

    @property
    def degree(self) -> int:
        """Degree of underactuation: degrees of freedom less independent inputs (CRANE 1.5)."""
        return len(self.other)


def partition(eom: EquationsOfMotion) -> Partition:
    """Spong's partition of a machine's velocities.

    Examples
    --------
    >>> import dalembert as da
    >>> crane = da.Machine(
    ...     "crane",
    ...     bodies=[da.box("trolley", 150.0, (0.8, 0.5, 0.2)), da.point_mass("load", 300.0, com=(0, 0, -6.0))],
    ...     joints=[
    ...         da.Joint("x", "prismatic", "world", "trolley", axis="x"),
    ...         da.Joint("sway", "revolute", "trolley", "load", axis="-y"),
    ...     ],
    ...     motors=[da.Motor("drive", "x")],
    ... )
    >>> partition(da.equations(crane))
    Partition(driven=(0,), other=(1,))
    """
    _, rows, _ = _driven(eom, "partition")
    return Partition(tuple(rows), tuple(i for i in range(eom.nv) if i not in rows))


def collocated_inertia(M: Array, parts: Partition) -> Array:
    """Inertia ``M_bar`` seen by the motors (CRANE 178), of mass matrices (..., nv, nv).

    Examples
    --------
    >>> M = np.array([[450.0, 1800.0], [1800.0, 10800.0]])
    >>> collocated_inertia(M, Partition((0,), (1,))).tolist()
    [[150.0]]
    """
    a, u = list(parts.driven), list(parts.other)
    M_aa, M_au = M[..., a, :][..., :, a], M[..., a, :][..., :, u]
    if not u:
        return M_aa
    M_uu = M[..., u, :][..., :, u]
    return M_aa - M_au @ np.linalg.solve(M_uu, M_au.swapaxes(-1, -2))


@dataclass(frozen=True)
class PartialFeedbackLinearization(_Stateless):
    """Driven joints follow ``q_a'' = r'' + kd e' + kp e + ks s'``, independently of the others (CRANE 176-179).

    The last term reaches the sway: ``s'`` is the velocity of a frame, along the motion of the driven joint, relative to
    it. Around the hanging posture the accelerations of the rails reach the sway, those of a winch do not; a winch acts
    by velocity couplings (Proposition 1), see `dalembert.systems.cranes.WinchSwayDamping`. A pendulum of frequency
    ``w`` below the joint then has the poles of

        (s^2 + kd s + kp) (s^2 + w^2) + ks s^3 = 0,

    so that ``ks > 0`` damps it in a soft loop, ``kp`` well below ``w^2``, and ``ks < 0`` in a stiff one; the other sign
    makes it grow. With ``ks = 0`` it swings on undamped, and where the load is lighter than the model says it grows:
    its reaction is overcompensated. Weigh the load, or choose a stiff loop.

    Parameters
    ----------
    kp, kd
        Gains of the error equation, per motor [1/s2, 1/s].
    reference
        Positions of the driven joints: numbers or a function of time.
    sway_gain
        ``ks`` per motor [1/s], of either sign; zero for none, and for a winch.
    frame
        The frame whose sway is damped.
    """

    kp: ArrayLike
    kd: ArrayLike
    reference: Reference
    sway_gain: ArrayLike = 0.0
    frame: str = "payload"

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs as expressions."""
        label = "PartialFeedbackLinearization"
        eom, q, v = machine_state(eom, q, v, p)
        rows_q, rows_v, n = _driven(eom, label)
        r, rd, rdd = _reference(self.reference, t, eom.u_names, label)
        e, ed = r - q[rows_q], rd - v[rows_v]
        kp, kd = (_gain(x, eom.u_names, name, at=(eom, p)) for x, name in ((self.kp, "kp"), (self.kd, "kd")))
        demand = rdd + kd * ed + kp * e
        ks = _gain(self.sway_gain, eom.u_names, "sway_gain", signed=True, at=(eom, p))
        if any(float(k) for k in ca.vertsplit(ks)):
            demand = demand + ks * _sway_rate(eom, self.frame, rows_v, q, v, p)
        b, G = driven_response(eom, t, q, v, p)
        return solve_spd(G, demand - b) / n, ca.SX(0, 1)


def _sway_rate(
    eom: EquationsOfMotion, frame: str, rows: list[int], q: Expression, v: Expression, p: Expression
) -> Expression:
    """Velocity of a frame relative to each driven joint, along the joint's own motion of the frame."""
    s = eom.symbolic
    J = ca.Function("J", [s.q, s.p], [ca.densify(s.jacobian(frame, "world")[:3, :])])(q, p)
    velocity = J @ v
    return ca.vertcat(*[ca.dot(J[:, i], velocity) - v[i] for i in rows])


@dataclass(frozen=True)
class EnergyRegulation(_Stateless):
    """Regulation by the energy and its square, for any number of links and motors.

    With the inputs ``u0`` that hold the machine at rest, ``E = T + V - V(q0) - u0^T (q_a - q_a0)`` is not negative
    around ``q0`` and ``E' = v_a^T w`` for the additional effort of the motors (passivity of CRANE 1.5 and after (194)).
    The law

        ((k1 + ke E) I + Kv M_bar^-1) w = -Kd v_a - Kp (q_a - r) - Kv b

    makes ``W = k1 E + ke E^2/2 + v_a^T Kv v_a/2 + (q_a - r)^T Kp (q_a - r)/2`` fall by ``W' = -v_a^T Kd v_a`` for a
    constant ``r`` (no losses). With ``k1`` alone it is proportional-derivative control on top of the holding forces,
    which needs no model; ``ke`` softens it while much energy is about; ``Kv`` stiffens the driven joints against the
    sway, and lets it ring. With ``k1 = 0`` it is the E^2 law of Fantoni and Lozano (CRANE [9]).

    Parameters
    ----------
    kp, kd, kv
        Gains per motor.
    reference
        Positions of the driven joints: numbers, or a function of time (``v_a`` is then relative to its rate).
    k1, ke
        Weights of the energy and of its square; one of ``k1``, ``kv`` must be positive.
    at
        Configuration at rest from which the energy is counted; names or numbers.

    Examples
    --------
    >>> EnergyRegulation(kp=40.0, kd=30.0, reference=[2.0], k1=1.0).ke
    0.0
    """

    kp: ArrayLike
    kd: ArrayLike
    reference: Reference
    k1: float = 1.0
    ke: float = 0.0
    kv: ArrayLike = 0.0
    at: StateLike = None

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs as expressions."""
        label = "EnergyRegulation"
        eom, q, v = machine_state(eom, q, v, p)
        rows_q, rows_v, n = _driven(eom, label)
        named = ((self.kv, "kv"), (self.kp, "kp"), (self.kd, "kd"))
        kv, kp, kd = (_gain(k, eom.u_names, name, at=(eom, p)) for k, name in named)
        k1, ke = (_gain(k, 1, name, at=(eom, p)) for k, name in ((self.k1, "k1"), (self.ke, "ke")))
        if not (float(k1) > 0 or float(ca.mmin(kv)) > 0):
            raise InputError(f"{label} needs k1 > 0 or kv > 0 at every motor; got {self.k1!r} and {self.kv!r}")
        r, rd, _ = _reference(self.reference, t, eom.u_names, label)
        point = equilibrium(eom, self.at)
        if point.unbalanced(1e-6) is not None:
            raise InputError(f"{label}: machine '{eom.machine.name}' does not rest at the given configuration 'at'")
        tau0 = ca.DM(point.u) * n
        E = self._energy(eom, point.q, tau0, rows_q, q, v, p)
        b, G = driven_response(eom, t, q, v, p)
        b = b + G @ tau0
        left = (k1 + ke * E) * ca.SX.eye(eom.nu) + ca.diag(kv) @ G
        right = -kd * (v[rows_v] - rd) - kp * (q[rows_q] - r) - kv * b
        return (tau0 + _solve(left, right)) / n, ca.SX(0, 1)

    def _energy(
        self,
        eom: EquationsOfMotion,
        q0: Array,
        tau0: Expression,
        rows_q: list[int],
        q: Expression,
        v: Expression,
        p: Expression,
    ) -> Expression:
        s = eom.symbolic
        T = ca.Function("T", [s.q, s.v, s.p], [s.kinetic_energy])(q, v, p)
        V = ca.Function("V", [s.q, s.p], [s.potential_energy])
        return T + V(q, p) - V(ca.DM(q0), p) - ca.dot(tau0, q[rows_q] - ca.DM(q0)[rows_q])


def _solve(A: Expression, b: Expression) -> Expression:
    """Solve a small system on the tape by Cramer's rule (one or two motors) or by elimination."""
    if A.shape[0] == 1:
        return b / A
    if A.shape[0] == 2:
        det = A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]
        return ca.vertcat(A[1, 1] * b[0] - A[0, 1] * b[1], A[0, 0] * b[1] - A[1, 0] * b[0]) / det
    return ca.solve(A, b)
