"""Rewritings of tapes that make them faster, at the cost of a last digit."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from dalembert.compile.tape import Tape

__all__ = ["share_reciprocals"]

_WORTHWHILE = 3
"""Divisions by the same value from which on one reciprocal and multiplications are faster."""


def share_reciprocals(tape: Tape) -> Tape:
    """Replace several divisions by one value with multiplications by its reciprocal.

    CasADi writes ``a*(1/d)`` as ``a/d``, so that a factorisation that divides a column by its pivot arrives as a
    column of divisions. A product with the reciprocal differs from the quotient by at most 1.5 units in the last
    place.
    """
    divisions = Counter(right for op, right in zip(tape.operations, tape.right, strict=True) if op == "DIV")
    shared = {i for i, count in divisions.items() if count >= _WORTHWHILE and tape.operations[i] != "CONST"}
    if not shared:
        return tape
    operations: list[str] = []
    left: list[int] = []
    right: list[int] = []
    moved: list[int] = []
    reciprocal: dict[int, int] = {}

    def append(op: str, a: int, b: int) -> int:
        operations.append(op)
        left.append(a)
        right.append(b)
        return len(operations) - 1

    for op, a, b in zip(tape.operations, tape.left, tape.right, strict=True):
        if op in ("CONST", "INPUT"):
            moved.append(append(op, a, b))
        elif op == "DIV" and b in shared:
            if b not in reciprocal:
                reciprocal[b] = append("INV", moved[b], -1)
            moved.append(append("MUL", moved[a], reciprocal[b]))
        else:
            moved.append(append(op, moved[a], moved[b] if b >= 0 else -1))
    return replace(
        tape,
        operations=tuple(operations),
        left=tuple(left),
        right=tuple(right),
        stores=tuple(tuple(moved[i] if i >= 0 else -1 for i in values) for values in tape.stores),
    )
