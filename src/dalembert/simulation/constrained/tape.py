"""Accelerations, multipliers and projections of a constrained system as tapes of their own, solved on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca

from dalembert.core.constraint_tape import TapeFactors, acting

__all__ = ["dynamics_tape", "largest_error", "projection_tape"]

_NAMES = ("t", "x", "c", "p")


def _symbols(function: ca.Function) -> list[Any]:
    return [ca.SX.sym(name, function.size1_in(k)) for k, name in enumerate(_NAMES)]


def _acting(flags: Any, x: Any) -> list[Any]:
    return acting([None if flag < 0 else x[int(flag)] for flag in flags])


def largest_error(on: list[Any], values: Any) -> Any:
    """Largest magnitude among the rows that act; huge if one of them is not a number."""
    most, total = ca.SX(0), ca.SX(0)
    for i, act in enumerate(on):
        e = ca.fabs(values[i]) if act.is_one() else ca.if_else(act, ca.fabs(values[i]), 0)
        most, total = ca.fmax(most, e), total + e
    return most + ca.if_else(total >= 0, 0, 1e300)  # a maximum loses what is not a number, a sum does not


def dynamics_tape(tape: ca.Function, flags: Any, watched: Sequence[int] | None = None) -> ca.Function:
    """Solve the constrained equations that a tape delivers.

    Parameters
    ----------
    tape
        As of `ConstrainedSystem`.
    flags
        Of each row the index in x of its switch, -1 if it always acts.
    watched
        Rows of which ``Phi`` is wanted, where the equations have no terms of Baumgarte; the others and ``Phi'`` are
        then zero (the length of a cable over pulleys costs as much as all the rest). None: all, with these terms.

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
        terms[3] = ca.vertcat(*(phi[i] if i in watched else 0 for i in range(phi.shape[0])))
        terms[4] = ca.SX.zeros(phidot.shape)
    a, multipliers = factors.dynamics(f, right)
    outputs = ca.cse([ca.densify(x) for x in (*terms, a, multipliers, factors.share)])
    labels = [*tape.name_out(), "a", "lambda", "share"]
    return ca.Function("dynamics", [*arguments, s], outputs, [*_NAMES, "s"], labels)


def projection_tape(geometry: ca.Function, move: ca.Function, flags: Any, nq: int, nv: int) -> ca.Function:
    """One step of Newton's method onto ``Phi = 0``, and the velocities that satisfy ``Phi' = 0``, from one geometry.

    Parameters
    ----------
    geometry, move
        As of `ConstrainedSystem`.
    flags
        As of `dynamics_tape`.
    nq, nv
        Numbers of coordinates and velocities.

    Returns
    -------
    casadi.Function
        (t, x, c, p) -> what ``geometry`` returns, then the moved coordinates, the corrected velocities, the largest
        ``|Phi|`` and the share.
    """
    arguments = _symbols(geometry)
    x = arguments[1]
    terms = [ca.SX(y) for y in geometry(*arguments)]
    Jt, phi, phidot, M = terms
    on = _acting(flags, x)
    factors = TapeFactors(M, Jt, on)
    q = move(x, factors.correction(phi), arguments[3])
    v = x[nq : nq + nv] + factors.correction(phidot)
    outputs = ca.cse([ca.densify(y) for y in (*terms, q, v, largest_error(on, phi), factors.share)])
    labels = [*geometry.name_out(), "q", "v", "error", "share"]
    return ca.Function("projection", arguments, outputs, list(_NAMES), labels)
