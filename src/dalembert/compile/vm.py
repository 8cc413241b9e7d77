"""Kernels on the CasADi virtual machine: the same calls, where there is no compiler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from .arguments import Signature

__all__ = ["VmFrame"]

Array = NDArray[np.float64]


class VmFrame:
    """Memory of one thread for calls into one function.

    Parameters
    ----------
    function
        On dense column vectors (see `dalembert.compile.tape.row_major`).
    signature
        Shapes of the arrays.
    inputs, outputs
        Arrays to use instead of new ones.

    Attributes
    ----------
    inputs, outputs
        Arrays that `run` reads and writes.
    shaped_inputs
        The inputs and their shapes.
    """

    __slots__ = ("_buffer", "_evaluate", "inputs", "outputs", "shaped_inputs")

    def __init__(
        self,
        function: ca.Function,
        signature: Signature,
        inputs: Sequence[Array] | None = None,
        outputs: Sequence[Array] | None = None,
    ) -> None:
        self.inputs = [np.zeros(s) for s in signature.input_shapes] if inputs is None else list(inputs)
        self.outputs = [np.zeros(s) for s in signature.output_shapes] if outputs is None else list(outputs)
        self.shaped_inputs = [(array, array.shape) for array in self.inputs]
        buffer: Any
        buffer, self._evaluate = function.buffer()
        self._buffer = buffer  # the evaluator does not keep it alive
        for attach, arrays in ((buffer.set_arg, self.inputs), (buffer.set_res, self.outputs)):
            for k, array in enumerate(arrays):
                if array.size:
                    attach(k, array.reshape(-1).data)

    def run(self) -> int:
        """Evaluate once; return 0, or 1 + k if input k is not finite."""
        for k, array in enumerate(self.inputs):
            if not np.isfinite(array).all():
                return 1 + k
        self._evaluate()
        return 0

    def run_batch(
        self, n: int, inputs: Sequence[Array], in_strides: Sequence[int], outputs: Sequence[Array], threads: int = 1
    ) -> int:
        """Evaluate `n` rows; return 0, or 1 + k if input k is not finite (see `BatchEntry.run`).

        The virtual machine holds the interpreter lock: there is one thread, whatever `threads`.
        """
        for k, array in enumerate(inputs):
            if not np.isfinite(array).all():
                return 1 + k
        moving = []
        for mine, array, stride in zip(self.inputs, inputs, in_strides, strict=True):
            if stride:
                moving.append((mine.reshape(-1), array.reshape(n, stride)))
            else:
                mine[...] = array.reshape(mine.shape)
        results = [
            (y.reshape(n, -1), mine.reshape(-1)) for y, mine in zip(outputs, self.outputs, strict=True) if y.size
        ]
        for i in range(n):
            for mine, rows in moving:
                mine[:] = rows[i]
            self._evaluate()
            for rows, mine in results:
                rows[i] = mine
        return 0
