"""Accelerations, multipliers and projections of a constrained system as separate tapes, solved on the way."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.core.constraint_tape import SHARE, TapeFactors, acting
from dalembert.core.types import Expression, ExpressionLike

__all__ = [
    "SweptMass",
    "contact_multipliers_tape",
    "dynamics_tape",
    "gaps_tape",
    "largest_error",
    "multipliers_tape",
    "projection_tape",
    "seen_gaps",
    "start_tape",
    "swept_motion",
]

_NAMES = ("t", "x", "c", "p")
_LEAST = 1e-8  # what is added to a diagonal, as a part of its largest element


def _symbols(function: ca.Function) -> list[Expression]:
    return [ca.SX.sym(name, function.size1_in(k)) for k, name in enumerate(_NAMES)]


def _acting(flags: NDArray[np.int64], x: Expression) -> list[Expression]:
    return acting([None if flag < 0 else x[int(flag)] for flag in flags])


def seen_gaps(phi: Expression, watched: Sequence[int]) -> Expression:
    """``Phi`` of the watched rows, of the others zero."""
    return ca.vertcat(*(phi[i] if i in watched else 0 for i in range(phi.shape[0])))


def gaps_tape(tape: ca.Function, watched: Sequence[int]) -> ca.Function:
    """(t, x, c, p) -> ``Phi`` of the watched rows by itself: what location of events asks for most."""
    arguments = _symbols(tape)
    phi = ca.densify(ca.cse(seen_gaps(ca.SX(tape(*arguments)[3]), watched)))
    return ca.Function("gaps", arguments, [phi], list(_NAMES), ["phi"])


def largest_error(on: list[Expression], values: Expression) -> Expression:
    """Largest magnitude among the rows that act; huge if one of them is not a number."""
    most, total = ca.SX(0), ca.SX(0)
    for i, act in enumerate(on):
        e = ca.fabs(values[i]) if act.is_one() else ca.if_else(act, ca.fabs(values[i]), 0)
        most, total = ca.fmax(most, e), total + e
    return most + ca.if_else(total >= 0, 0, 1e300)  # a maximum loses what is not a number, a sum does not


class SweptMass:
    """Factors of a mass matrix by sweeps along its tree (`MassFactors`).

    Parameters
    ----------
    sweeps
        (t, x, c, p, b) -> ``L^-1 b``, ``L^-T b`` and the diagonal of ``D^-1``.
    arguments
        The symbols t, x, c and p.
    """

    def __init__(self, sweeps: ca.Function, arguments: Sequence[Expression]) -> None:
        self._sweeps, self._arguments = sweeps, arguments
        self.pivots = self._inverse = ca.vertsplit(self._sweep(ca.SX(sweeps.size1_in(4), 1))[2])

    def _sweep(self, b: Expression) -> list[Expression]:
        return list(self._sweeps(*self._arguments, b))

    def lower(self, b: Sequence[Expression]) -> list[Expression]:
        """``L^-1 b``."""
        return list(ca.vertsplit(self._sweep(ca.vertcat(*b))[0]))

    def upper(self, b: Sequence[Expression]) -> list[Expression]:
        """``L^-T b``."""
        return list(ca.vertsplit(self._sweep(ca.vertcat(*b))[1]))

    def scaled(self, b: Sequence[Expression]) -> list[Expression]:
        """``D^-1 b``."""
        return [x * d for x, d in zip(b, self._inverse, strict=True)]


def swept_motion(
    tape: ca.Function, flags: NDArray[np.int64], watched: Sequence[int], sweeps: ca.Function
) -> ca.Function:
    """Solve the equations that a tape delivers by sweeps along the tree: its mass matrix is not formed.

    Returns
    -------
    casadi.Function
        (t, x, c, p) -> rates of x (zero for the velocities), ``Phi`` of the watched rows, ``Phi_t``, accelerations,
        multipliers and the share (`TapeFactors`).
    """
    arguments = _symbols(tape)
    rates, f, Jt, phi, _, gamma, phi_t, _ = (ca.SX(x) for x in tape(*arguments))
    factors = TapeFactors(None, Jt, _acting(flags, arguments[1]), SweptMass(sweeps, arguments))
    a, multipliers = factors.dynamics(f, gamma)
    outputs = ca.cse([ca.densify(x) for x in (rates, seen_gaps(phi, watched), phi_t, a, multipliers, factors.share)])
    return ca.Function("motion", arguments, outputs, list(_NAMES), ["rates", "phi", "phi_t", "a", "lambda", "share"])


def dynamics_tape(tape: ca.Function, flags: NDArray[np.int64], watched: Sequence[int] | None = None) -> ca.Function:
    """Solve the constrained equations that a tape delivers.

    Parameters
    ----------
    tape
        As in `ConstrainedSystem`.
    flags
        For each row the index in x of its switch, -1 if it always acts.
    watched
        Rows that need ``Phi``, where the equations have no terms of Baumgarte; the others and ``Phi'`` are then zero
        (the length of a cable over pulleys costs as much as all the rest). None: all, with these terms.

    Returns
    -------
    casadi.Function
        (t, x, c, p, s) -> what ``tape`` returns, then accelerations, multipliers and the share (`TapeFactors`), with
        ``J a = gamma - s[0] Phi' - s[1] Phi``.
    """
    arguments = _symbols(tape)
    s = ca.SX.sym("s", 2)
    terms = [ca.SX(x) for x in tape(*arguments)]
    _, f, Jt, phi, phidot, gamma, _, M = terms
    factors = TapeFactors(M, Jt, _acting(flags, arguments[1]))
    right = gamma
    if watched is None:
        right = gamma - s[0] * phidot - s[1] * phi
    else:
        terms[3] = seen_gaps(phi, watched)
        terms[4] = ca.SX.zeros(phidot.shape)
    a, multipliers = factors.dynamics(f, right)
    outputs = ca.cse([ca.densify(x) for x in (*terms, a, multipliers, factors.share)])
    labels = [*tape.name_out(), "a", "lambda", "share"]
    return ca.Function("dynamics", [*arguments, s], outputs, [*_NAMES, "s"], labels)


def multipliers_tape(tape: ca.Function, flags: NDArray[np.int64]) -> ca.Function:
    """(t, x, c, p) -> multipliers of the equations that a tape delivers; of least norm where rows are redundant."""
    arguments = _symbols(tape)
    _, f, Jt, _, _, gamma, _, M = (ca.SX(x) for x in tape(*arguments))
    factors = TapeFactors(M, Jt, _acting(flags, arguments[1]))
    full, least = factors.dynamics(f, gamma)[1], factors.least_multipliers(f, gamma)
    chosen = ca.if_else(factors.share >= SHARE, full, least)
    return ca.Function("multipliers", arguments, [ca.densify(ca.cse(ca.SX(chosen)))], list(_NAMES), ["lambda"])


def contact_multipliers_tape(
    contact: ca.Function,
    flags: NDArray[np.int64],
    rubbing: Sequence[tuple[int, int, int]],
    shares: NDArray[np.int64],
) -> ca.Function:
    """(t, x, c, p) -> multipliers of equations with friction, as ``contact_solve`` of sliding.c has them.

    Where pairs slip, ``M a + K lambda = f`` with ``K_n = J_n^T + sum drag_j J_j^T`` of their normals: the matrix
    ``S = J M^-1 K`` is not symmetric. Two steps of refinement remove the effect of the regularisation of its diagonal,
    which admits dependent rows. The direction of slow slips, in space, is that of their velocities.

    Parameters
    ----------
    contact, flags, rubbing, shares
        As in `ConstrainedSystem`.
    """
    arguments = _symbols(contact)
    _, f, Jt, _, _, gamma, _, M, drag, cone = (ca.SX(x) for x in contact(*arguments))
    x = arguments[1]
    on = _acting(flags, x)
    factors = TapeFactors(M, Jt, on)
    full, least = factors.dynamics(f, gamma)[1], factors.least_multipliers(f, gamma)
    K, slips = ca.SX(Jt), ca.SX(0)
    for normal, *tangents in rubbing:
        for row in (row for row in tangents if row >= 0 and normal >= 0):
            K[:, normal] += Jt[:, row] * drag[row]
            slips = ca.fmax(slips, ca.fabs(drag[row]))
    mask = ca.vertcat(*(ca.SX(act) for act in on))
    D, LT, order = ca.ldl(M)
    solved = ca.ldl_solve(ca.horzcat(K, f), D, LT, order)
    S = (Jt.T @ solved[:, :-1]) * (mask @ mask.T) + ca.diag(1 - mask)
    b = (Jt.T @ solved[:, -1] - gamma) * mask
    added = S + _LEAST * ca.mmax(ca.diag(S)) * ca.SX.eye(len(on))
    sliding = ca.solve(added, b)
    for _ in range(2):
        sliding += ca.solve(added, b - S @ sliding)
    result = ca.if_else(slips > 0, sliding, ca.if_else(factors.share >= SHARE, full, least))
    for row, share in enumerate(shares):
        if share >= 0:
            result[row] += ca.if_else(mask[row], x[int(share)], 0)
    for r, (normal, *tangents) in enumerate(rubbing):
        if normal < 0:
            result[tangents[0]] = ca.if_else(mask[tangents[0]], result[tangents[0]], cone[3 * r + 2])
        for row in (row for row in tangents if row >= 0 and normal >= 0):
            result[row] = ca.if_else(ca.fabs(drag[row]) > 0, drag[row] * result[normal], result[row])
    return ca.Function("multipliers", arguments, [ca.densify(ca.cse(result))], list(_NAMES), ["lambda"])


def projection_tape(
    geometry: ca.Function,
    move: ca.Function,
    flags: NDArray[np.int64],
    nq: int,
    nv: int,
    sweeps: ca.Function | None = None,
) -> ca.Function:
    """One step of Newton's method onto ``Phi = 0``, and the velocities that satisfy ``Phi' = 0``, from one geometry.

    Parameters
    ----------
    geometry, move
        As in `ConstrainedSystem`.
    flags
        As in `dynamics_tape`.
    nq, nv
        Numbers of coordinates and velocities.
    sweeps
        As in `SweptMass`; without them the mass matrix of ``geometry`` is factorised.

    Returns
    -------
    casadi.Function (t, x, c, p) -> outputs of ``geometry`` (with ``sweeps``: none of them), then the moved coordinates,
    the corrected velocities, the largest ``|Phi|`` and the share.
    """
    arguments = _symbols(geometry)
    x = arguments[1]
    terms = [ca.SX(y) for y in geometry(*arguments)]
    Jt, phi, phidot, M = terms
    on = _acting(flags, x)
    factors = TapeFactors(M, Jt, on, None if sweeps is None else SweptMass(sweeps, arguments))
    q = move(x, factors.correction(phi), arguments[3])
    v = x[nq : nq + nv] + factors.correction(phidot)
    outputs = [q, v, largest_error(on, phi), factors.share]
    labels = ["q", "v", "error", "share"]
    if sweeps is None:
        outputs, labels = [*terms, *outputs], [*geometry.name_out(), *labels]
    return ca.Function("projection", arguments, ca.cse([ca.densify(y) for y in outputs]), list(_NAMES), labels)


def start_tape(
    geometry: ca.Function, move: ca.Function, flags: NDArray[np.int64], nq: int, nv: int, kept: ExpressionLike
) -> ca.Function:
    """One step of Newton's method onto ``Phi = 0``, and velocities on ``Phi' = 0`` with some requested values.

    Parameters
    ----------
    geometry, move, flags, nq, nv
        As in `projection_tape`.
    kept
        Rows (k x nv) of the requested velocities.

    Returns
    -------
    casadi.Function (t, x, c, p, asked) -> the moved coordinates, the velocities, the largest ``|Phi|``, the residual of
    the velocities as part of their size, and the share.
    """
    arguments = _symbols(geometry)
    asked, x = ca.SX.sym("asked", kept.shape[0]), arguments[1]
    Jt, phi, phidot, M = (ca.SX(y) for y in geometry(*arguments))
    on, v = _acting(flags, x), x[nq : nq + nv]
    factors = TapeFactors(M, Jt, on)
    q = move(x, factors.correction(phi), arguments[3])
    rows, every = ca.horzcat(Jt, ca.SX(kept.T)), [*on, *acting([None] * kept.shape[0])]
    held = TapeFactors(M, rows, every)
    before = ca.vertcat(phidot, kept @ v - asked)
    change = held.correction(before)
    change = change + held.correction(before + rows.T @ change)
    size = 1 + largest_error(every, before) + largest_error(every[len(on) :], asked)
    left = largest_error(every, before + rows.T @ change) / size
    share = ca.fmin(factors.share, held.share)
    outputs = ca.cse([ca.densify(ca.SX(y)) for y in (q, v + change, largest_error(on, phi), left, share)])
    return ca.Function("start", [*arguments, asked], outputs, [*_NAMES, "asked"], ["q", "v", "error", "left", "share"])
