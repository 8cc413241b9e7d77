"""Choices of a tape that the uncertain quantities do not change: whether a cable is taut, the sign of a number.

A coefficient is a polynomial in numbers between -1 and 1, so that its constant part plus and minus the sizes of all
others encloses its range. A comparison is decided if the ranges do not meet; then it is the same in the whole box.
"""

from __future__ import annotations

from typing import Any

from dalembert.control.uncertain.enclosures import ONE, ZERO, Enclosure
from dalembert.core.errors import InputError

__all__ = ["DECISIONS", "Coefficient", "Monomial", "decided"]

Monomial = tuple[tuple[str, str], ...]  # factors ("cos" | "sin" | "p" | "over", name), between -1 and 1
Coefficient = dict[Monomial, Enclosure]
Value = tuple[bool, Any]  # (is a signal, signal or coefficient)

DECISIONS = frozenset(("FMAX", "FMIN", "LT", "LE", "EQ", "NE", "NOT", "AND", "OR", "IF_ELSE_ZERO", "FABS", "SIGN"))
"""Operations that choose."""


def decided(op: str, A: Value, B: Value | None) -> Value:
    """The result of a choice that is the same in the whole box; else it is refused.

    Parameters
    ----------
    op
        Operation of the tape.
    A, B
        Its operands.
    """
    if op == "IF_ELSE_ZERO" and B is not None and not A[0]:
        return B if _truth(op, A[1]) else (B[0], {})
    if A[0] or (B is not None and B[0]):
        raise InputError(f"the equations choose ({op}) between displacements or inputs: they are not linear")
    x: Coefficient = A[1]
    if op in ("FABS", "SIGN", "NOT"):
        if op == "NOT":
            return False, {} if _truth(op, x) else {(): ONE}
        sign = _sign(op, x)
        if op == "SIGN":
            return False, {(): Enclosure(float(sign))} if sign else {}
        return False, x if sign >= 0 else {m: c.times(Enclosure(-1.0)) for m, c in x.items()}
    assert B is not None
    y: Coefficient = B[1]
    if op in ("AND", "OR"):
        both = (_truth(op, x), _truth(op, y))
        return False, {(): ONE} if (all(both) if op == "AND" else any(both)) else {}
    difference = {m: x.get(m, ZERO).plus(y.get(m, ZERO).times(Enclosure(-1.0))) for m in {**x, **y}}
    sign = _sign(op, {m: c for m, c in difference.items() if not c.zero})
    if op in ("FMAX", "FMIN"):
        return False, x if (sign >= 0) == (op == "FMAX") else y
    holds = {"LT": sign < 0, "LE": sign <= 0, "EQ": sign == 0, "NE": sign != 0}[op]
    return False, {(): ONE} if holds else {}


def _truth(op: str, x: Coefficient) -> bool:
    return _sign(op, x) != 0


def _sign(op: str, x: Coefficient) -> int:
    """The sign of a coefficient in the whole box; zero only if it is exactly zero."""
    if not x:
        return 0
    middle = x.get((), ZERO)
    reach = (sum(c.most for m, c in x.items() if m) + middle.r) * (1.0 + 1e-12)
    if any(kind == "angle" for m in x for kind, _ in m) or not abs(middle.m) > reach:
        names = sorted({name for m in x for _, name in m})
        raise InputError(
            f"the equations choose ({op}) in a way that depends on {', '.join(names) or 'rounding'} within the ranges, "
            "as where a cable becomes slack or an input reaches its limit: take narrower ranges"
        )
    return 1 if middle.m > 0.0 else -1
