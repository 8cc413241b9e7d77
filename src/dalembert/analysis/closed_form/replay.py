"""A tape, replayed in exact arithmetic: the same operations that are compiled, on polynomials instead of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca

from dalembert.analysis.closed_form.algebra import ONE, Algebra, Polynomial, constant
from dalembert.compile.tape import read_tape
from dalembert.core.errors import InputError
from dalembert.core.types import Expression

__all__ = ["FUNCTIONS", "replay"]

FUNCTIONS = {
    "EXP": "exp",
    "LOG": "log",
    "TAN": "tan",
    "ASIN": "asin",
    "ACOS": "acos",
    "ATAN": "atan",
    "SINH": "sinh",
    "COSH": "cosh",
    "TANH": "tanh",
    "FABS": "Abs",
    "SIGN": "sign",
    "ATAN2": "atan2",
    "FMIN": "Min",
    "FMAX": "Max",
    "POW": "Pow",
    "CONSTPOW": "Pow",
}
"""Operations of a tape without special rules, and the corresponding SymPy functions."""


def replay(
    algebra: Algebra,
    expressions: Sequence[Expression],
    inputs: Mapping[str, tuple[Expression, Sequence[Polynomial]]],
) -> list[list[Polynomial]]:
    """Evaluate CasADi expressions on polynomials.

    Parameters
    ----------
    algebra
        Where the polynomials live.
    expressions
        Matrices of CasADi expressions.
    inputs
        By name: the CasADi symbols and the polynomial of each.

    Returns
    -------
    list
        For each matrix its entries, row by row.
    """
    names = [name for name, (symbols, _) in inputs.items() if symbols.numel()]
    function = ca.Function(
        "closed_form",
        [inputs[name][0] for name in names],
        [ca.densify(ca.SX(x)) for x in expressions],
        names,
        [f"out{i}" for i in range(len(expressions))],
    )
    tape = read_tape(function)
    values: list[Polynomial] = []
    angles: dict[int, tuple[Polynomial, Polynomial]] = {}
    for op, i, j in zip(tape.operations, tape.left, tape.right, strict=True):
        if op == "CONST":
            values.append(algebra.number(tape.constants[i]))
        elif op == "INPUT":
            values.append(inputs[names[i]][1][j])
        elif op in ("SIN", "COS"):
            if i not in angles:
                angles[i] = algebra.cos_sin(values[i])
            values.append(angles[i][op == "SIN"])
        else:
            values.append(_apply(algebra, op, values[i], values[j] if j >= 0 else {}))
    return [[values[k] for k in store] for store in tape.stores]


def _apply(algebra: Algebra, op: str, a: Polynomial, b: Polynomial) -> Polynomial:
    match op:
        case "ADD":
            return algebra.add(a, b)
        case "SUB":
            return algebra.sub(a, b)
        case "MUL":
            return algebra.mul(a, b)
        case "DIV":
            return algebra.div(a, b)
        case "INV":
            return algebra.div(constant(1), a)
        case "NEG":
            return algebra.scale(a, -1)
        case "TWICE":
            return algebra.scale(a, 2)
        case "SQ":
            return algebra.mul(a, a)
        case "SQRT":
            return algebra.sqrt(a)
        case "POW" | "CONSTPOW" if set(b) <= {ONE} and int(b.get(ONE, 0)) == b.get(ONE, 0):
            return algebra.integer_power(a, int(b.get(ONE, 0)))
    if op not in FUNCTIONS:
        raise InputError(f"a closed form cannot contain the operation {op}; known: {', '.join(sorted(FUNCTIONS))}")
    arity = 2 if op in ("ATAN2", "FMIN", "FMAX", "POW", "CONSTPOW") else 1
    return algebra.call(FUNCTIONS[op], *(a, b)[:arity])
