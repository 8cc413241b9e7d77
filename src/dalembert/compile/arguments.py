"""Checks of the arguments of a kernel (number, type, shape, finiteness), and broadcasting of batch axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile.rows import RowFunction
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array

__all__ = ["Shape", "Signature", "make_signature", "nonfinite_error"]

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Signature:
    """Names and NumPy shapes of the inputs and outputs of a kernel.

    Parameters
    ----------
    name
        Name of the kernel.
    input_names, output_names
        In order.
    input_shapes, output_shapes
        Without batch axes.
    """

    name: str
    input_names: tuple[str, ...]
    output_names: tuple[str, ...]
    input_shapes: tuple[Shape, ...]
    output_shapes: tuple[Shape, ...]

    def arrays(self, arguments: Sequence[ArrayLike]) -> tuple[list[Array], Shape]:
        """Return the arguments as float64 arrays, and their common batch shape.

        Raises
        ------
        InputError
            Naming the input, the value and the expected values.
        """
        if len(arguments) != len(self.input_names):
            raise InputError(
                f"kernel {self.name!r} takes {len(self.input_names)} inputs ({', '.join(self.input_names)}), "
                f"got {len(arguments)}"
            )
        arrays = [
            _real_array(self.name, name, argument) for name, argument in zip(self.input_names, arguments, strict=True)
        ]
        leads = []
        for name, shape, array in zip(self.input_names, self.input_shapes, arrays, strict=True):
            n_lead = array.ndim - len(shape)
            if n_lead < 0 or array.shape[n_lead:] != shape:
                raise InputError(
                    f"input {name!r} of kernel {self.name!r}: got shape {array.shape}, expected {_expected(shape)}"
                )
            leads.append(array.shape[:n_lead])
        if not any(leads):
            return arrays, ()
        try:
            return arrays, np.broadcast_shapes(*leads)
        except ValueError:
            got = ", ".join(f"{name} {lead}" for name, lead in zip(self.input_names, leads, strict=True))
            raise InputError(f"batch axes of the inputs of kernel {self.name!r} do not broadcast: got {got}") from None


def make_signature(function: ca.Function | RowFunction, shapes: Mapping[str, Shape] | None) -> Signature:
    """Take names and shapes from a function.

    Parameters
    ----------
    function
        A function with named inputs and outputs.
    shapes
        NumPy shapes for some of the names. Default: a column (n, 1) is ``(n,)``, a matrix ``(rows,
        columns)``.
    """
    inputs = {name: tuple(function.size_in(name)) for name in function.name_in()}
    outputs = {name: tuple(function.size_out(name)) for name in function.name_out()}
    asked = {name: tuple(int(n) for n in shape) for name, shape in (shapes or {}).items()}
    for name in asked:
        if name not in inputs and name not in outputs:
            raise UnknownNameError("input or output", name, [*inputs, *outputs], f"function {function.name()!r}")

    def shape(name: str, size: Shape) -> Shape:
        rows, columns = size
        default = (rows,) if columns == 1 else size
        chosen = asked.get(name, default)
        if int(np.prod(chosen)) != rows * columns or min(chosen, default=0) < 0:
            raise InputError(
                f"shape {chosen} of {name!r} in function {function.name()!r} does not fit {rows} x {columns} numbers"
            )
        return chosen

    return Signature(
        name=function.name(),
        input_names=tuple(inputs),
        output_names=tuple(outputs),
        input_shapes=tuple(shape(name, size) for name, size in inputs.items()),
        output_shapes=tuple(shape(name, size) for name, size in outputs.items()),
    )


def nonfinite_error(kernel: str, name: str, array: Array) -> InputError:
    """Make the error that names the first number of an input that is not finite."""
    where = np.argwhere(~np.isfinite(array))
    if not len(where):
        return InputError(f"input {name!r} of kernel {kernel!r} changed while the kernel ran")
    index = tuple(int(i) for i in where[0])
    place = f"{name}[{', '.join(map(str, index))}]" if index else name
    more = f" ({len(where)} such numbers)" if len(where) > 1 else ""
    return InputError(
        f"input {name!r} of kernel {kernel!r}: {place} is {float(array[index])}, expected finite numbers{more}"
    )


def _expected(shape: Shape) -> str:
    return f"(..., {', '.join(map(str, shape))})" if shape else "a number or (...)"


def _real_array(kernel: str, name: str, argument: ArrayLike) -> Array:
    try:
        if isinstance(argument, np.ndarray) and argument.dtype == object:
            raise InputError("got an array of objects")
        return as_numbers(argument)
    except InputError as error:
        raise InputError(f"input {name!r} of kernel {kernel!r} must be plain real numbers: {error}") from None
