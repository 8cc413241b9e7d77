"""Kernels on the CasADi virtual machine: the same calls, where there is no compiler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.types import Array

__all__ = ["VmFrame"]


class VmFrame:
    """Memory of one thread for calls into one function.

    Parameters
    ----------
    function
        On dense column vectors (see ``row_major``).
    outputs
        Arrays for the results.
    inputs
        Arrays that `run` reads instead of new ones.
    """

    __slots__ = ("_buffer", "_evaluate", "_inputs", "_outputs")

    def __init__(self, function: ca.Function, outputs: Sequence[Array], inputs: Sequence[Array] | None = None) -> None:
        if inputs is None:
            inputs = [np.zeros(function.numel_in(k)) for k in range(function.n_in())]
        self._inputs = [array.reshape(-1) for array in inputs]
        self._outputs = [array.reshape(-1) for array in outputs]
        buffer: Any
        buffer, self._evaluate = function.buffer()
        self._buffer = buffer  # the evaluator does not keep it alive
        for attach, arrays in ((buffer.set_arg, self._inputs), (buffer.set_res, self._outputs)):
            for k, array in enumerate(arrays):
                if array.size:
                    attach(k, array.data)

    def evaluate(self, packed: bytes) -> int:
        """Evaluate inputs that lie one after the other; see ``NativeFrame``."""
        values, start = np.frombuffer(packed), 0
        for mine in self._inputs:
            mine[:] = values[start : start + mine.size]
            start += mine.size
        status = self.run()
        if status == 0 and not all(np.isfinite(y).all() for y in self._outputs):
            return -1
        return status

    def run(self) -> int:
        """Evaluate once; return 0, or 1 + k if input k is not finite."""
        for k, array in enumerate(self._inputs):
            if not np.isfinite(array).all():
                return 1 + k
        self._evaluate()
        return 0

    def run_batch(self, n: int, inputs: Sequence[Array], in_strides: Sequence[int], outputs: Sequence[Array]) -> int:
        """Evaluate `n` rows; return 0, or 1 + k if input k is not finite (see `BatchEntry.run`)."""
        for k, array in enumerate(inputs):
            if not np.isfinite(array).all():
                return 1 + k
        moving = []
        for mine, array, stride in zip(self._inputs, inputs, in_strides, strict=True):
            if stride:
                moving.append((mine, array.reshape(n, stride)))
            else:
                mine[:] = array.reshape(-1)
        results = [(y.reshape(n, -1), mine) for y, mine in zip(outputs, self._outputs, strict=True) if y.size]
        for i in range(n):
            for mine, rows in moving:
                mine[:] = rows[i]
            self._evaluate()
            for rows, mine in results:
                rows[i] = mine
        return 0
