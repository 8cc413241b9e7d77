"""Functions of a problem on the CasADi virtual machine, for solvers in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi
import numpy as np

from dalembert.core.types import Array

__all__ = ["evaluator"]


def evaluator(function: casadi.Function, p: Array) -> Callable[[float, Array, Array], Array]:
    """Return (t, x, c) -> value of a problem's function, on the CasADi virtual machine."""
    if not function.sparsity_out(0).is_dense():
        arguments = [casadi.MX.sym(function.name_in(k), function.sparsity_in(k)) for k in range(4)]
        function = casadi.Function(function.name(), arguments, [casadi.densify(function(*arguments))])
    t, x, c, p = np.zeros(1), np.zeros(function.numel_in(1)), np.zeros(function.numel_in(2)), p.copy()
    out = np.zeros(function.numel_out(0))
    buffer: Any
    buffer, run = function.buffer()
    for k, array in enumerate((t, x, c, p)):
        if function.nnz_in(k) not in (0, array.size):
            raise ValueError(f"input {k} of {function.name()} is partly sparse")
        if function.nnz_in(k):
            buffer.set_arg(k, array.data)
    if out.size:
        buffer.set_res(0, out.data)

    def evaluate(t_now: float, x_now: Array, c_now: Array) -> Array:
        t[0], x[:], c[:] = t_now, x_now, c_now
        run()
        return out.copy()

    evaluate.kept = (buffer, p)  # type: ignore[attr-defined]  # `run` uses them through bare pointers
    return evaluate
