"""Bounds of expressions over boxes: a tape evaluated in interval arithmetic, many boxes at once.

Each operation of the tape maps intervals to an interval that contains every result, widened by its rounding (R. E.
Moore, *Interval Analysis*, 1966). The bounds hold for the real-number values of the tape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["bounds"]

Interval = tuple[Array, Array]
_WIDER = 2.0**-50  # relative: an operation is right to two units in the last place
_TINY = 1e-300


def bounds(function: ca.Function, boxes: Sequence[Interval]) -> list[Interval]:
    """Bounds of a function's outputs over boxes of its inputs.

    Parameters
    ----------
    function
        A function of scalar expressions (SX) with dense outputs.
    boxes
        Lower and upper ends of each input, of shape (entries, boxes).

    Returns
    -------
    list
        For each output, lower and upper bounds of shape (entries, boxes).

    Examples
    --------
    >>> x = ca.SX.sym("x")
    >>> f = ca.Function("f", [x], [x * ca.cos(x)])
    >>> low, high = bounds(f, [(np.array([[0.0, 1.0]]), np.array([[1.0, 2.0]]))])[0]
    >>> bool((low <= 0.0).all() and 0.54 < high[0, 0] <= 1.01)
    True
    """
    count = boxes[0][0].shape[1]
    work: list[Interval | None] = [None] * int(function.sz_w())
    found = [
        (np.zeros((function.nnz_out(i), count)), np.zeros((function.nnz_out(i), count)))
        for i in range(function.n_out())
    ]
    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        ins, outs = function.instruction_input(k), function.instruction_output(k)
        if code == ca.OP_CONST:
            value = np.full(count, function.instruction_constant(k))
            work[outs[0]] = (value, value)
        elif code == ca.OP_INPUT:
            low, high = boxes[ins[0]]
            work[outs[0]] = (low[ins[1]], high[ins[1]])
        elif code == ca.OP_OUTPUT:
            found[outs[0]][0][outs[1]], found[outs[0]][1][outs[1]] = _known(work, ins[0])
        elif code in _ONE:
            work[outs[0]] = _wider(_ONE[code](_known(work, ins[0])))
        elif code in _TWO:
            work[outs[0]] = _wider(_TWO[code](_known(work, ins[0]), _known(work, ins[1])))
        else:
            raise InputError(f"the equations contain operation {code}, of which no bound over a box is known")
    return found


def _known(work: Sequence[Interval | None], place: int) -> Interval:
    value = work[place]
    assert value is not None
    return value


def _wider(x: Interval) -> Interval:
    low, high = x
    return low - (_WIDER * np.abs(low) + _TINY), high + (_WIDER * np.abs(high) + _TINY)


def _times(x: Interval, y: Interval) -> Interval:
    ends = np.array([x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1]])
    return ends.min(axis=0), ends.max(axis=0)


def _square(x: Interval) -> Interval:
    low, high = np.square(x[0]), np.square(x[1])
    inside = (x[0] <= 0.0) & (x[1] >= 0.0)
    return np.where(inside, 0.0, np.minimum(low, high)), np.maximum(low, high)


def _inverse(x: Interval) -> Interval:
    if ((x[0] <= 0.0) & (x[1] >= 0.0)).any():
        raise InputError("the equations divide by a number that may be zero within the box")
    return 1.0 / x[1], 1.0 / x[0]


def _root(x: Interval) -> Interval:
    if (x[0] < 0.0).any():
        raise InputError("the equations contain the square root of a number that may be negative within the box")
    return np.sqrt(x[0]), np.sqrt(x[1])


def _cosine(x: Interval) -> Interval:
    """Ends, and 1 or -1 where a multiple of pi lies inside."""
    ends = np.cos(x[0]), np.cos(x[1])
    slack = 1e-9
    top = np.floor(x[1] / (2.0 * np.pi) + slack) >= np.ceil(x[0] / (2.0 * np.pi) - slack)
    bottom = np.floor(x[1] / (2.0 * np.pi) - 0.5 + slack) >= np.ceil(x[0] / (2.0 * np.pi) - 0.5 - slack)
    return np.where(bottom, -1.0, np.minimum(*ends)), np.where(top, 1.0, np.maximum(*ends))


def _sine(x: Interval) -> Interval:
    quarter = 0.5 * np.pi
    low, high = _cosine((x[0] - quarter, x[1] - quarter))
    return np.maximum(low - 1e-15, -1.0), np.minimum(high + 1e-15, 1.0)  # the shift is rounded


_ONE: dict[int, Callable[[Interval], Interval]] = {
    ca.OP_ASSIGN: lambda x: x,
    ca.OP_NEG: lambda x: (-x[1], -x[0]),
    ca.OP_SQ: _square,
    ca.OP_TWICE: lambda x: (2.0 * x[0], 2.0 * x[1]),
    ca.OP_INV: _inverse,
    ca.OP_SQRT: _root,
    ca.OP_SIN: _sine,
    ca.OP_COS: _cosine,
}
_TWO: dict[int, Callable[[Interval, Interval], Interval]] = {
    ca.OP_ADD: lambda x, y: (x[0] + y[0], x[1] + y[1]),
    ca.OP_SUB: lambda x, y: (x[0] - y[1], x[1] - y[0]),
    ca.OP_MUL: _times,
    ca.OP_DIV: lambda x, y: _times(x, _wider(_inverse(y))),
}
