"""A CasADi function as a straight tape of scalar operations in static single assignment form.

The tape is the only thing that the emitters see: every value is assigned once, an operand is the index of an
earlier value, and equal operations on equal operands are one value. Inputs and outputs are dense and
row-major, whatever their sparsity in CasADi.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from dalembert.core.errors import InputError

__all__ = ["COMMUTATIVE", "Tape", "operation_name", "read_tape", "row_major", "supported_operations"]

_UNARY = (
    *("NEG", "EXP", "LOG", "SQRT", "SQ", "TWICE", "INV", "SIN", "COS", "TAN", "ASIN", "ACOS", "ATAN"),
    *("SINH", "COSH", "TANH", "ASINH", "ACOSH", "ATANH", "FLOOR", "CEIL", "FABS", "SIGN", "ERF", "NOT"),
    *("LOG1P", "EXPM1"),
)
_BINARY = (
    *("ADD", "SUB", "MUL", "DIV", "POW", "CONSTPOW", "ATAN2", "FMOD", "REMAINDER", "COPYSIGN"),
    *("FMIN", "FMAX", "HYPOT", "LT", "LE", "EQ", "NE", "AND", "OR", "IF_ELSE_ZERO"),
)
COMMUTATIVE = frozenset(("ADD", "MUL", "EQ", "NE", "AND", "OR"))
"""Operations whose operands may change places; a tape has the earlier one first."""


@dataclass(frozen=True, slots=True)
class Tape:
    """Scalar operations in the order of their evaluation.

    Parameters
    ----------
    name
        Name of the function.
    inputs, outputs
        Number of scalars of each named input and output, in order.
    operations
        Name of the operation of each value: ``"CONST"``, ``"INPUT"``, or one of `supported_operations`.
    left, right
        Operands. ``CONST``: index into `constants`; ``INPUT``: input and element; otherwise indices of
        earlier values (`right` is -1 for unary operations).
    constants
        Distinct constants (distinguished by their bits).
    stores
        For each scalar of each output, in order: the index of its value, or -1 for one that is not stored.
    """

    name: str
    inputs: Mapping[str, int]
    outputs: Mapping[str, int]
    operations: tuple[str, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    constants: tuple[float, ...]
    stores: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        """Return the number of values, constants and inputs included."""
        return len(self.operations)

    @property
    def n_operations(self) -> int:
        """Number of values that cost something: all but constants and inputs."""
        return sum(op not in ("CONST", "INPUT") for op in self.operations)


@functools.cache
def _operation_table() -> dict[int, tuple[str, int]]:
    """Map CasADi operation codes to (name, number of operands)."""
    table = {getattr(ca, f"OP_{name}"): (name, 1) for name in _UNARY}
    table |= {getattr(ca, f"OP_{name}"): (name, 2) for name in _BINARY}
    return table


@functools.cache
def _all_operation_names() -> dict[int, str]:
    return {getattr(ca, name): name[3:] for name in dir(ca) if name.startswith("OP_")}


def supported_operations() -> dict[str, int]:
    """Return the operations that a tape may hold and their number of operands."""
    return dict(_operation_table().values())


def operation_name(code: int) -> str:
    """Return CasADi's name of an operation code, such as ``"ERFINV"``."""
    return _all_operation_names().get(code, f"number {code}")


def row_major(function: ca.Function) -> ca.Function:
    """Return the same function on dense column vectors that hold each matrix row by row.

    An MX function is expanded first. Entries of a structurally sparse input that are not stored are ignored;
    entries of a sparse output that are not stored are zero.
    """
    if not function.is_a("SXFunction"):
        try:
            function = function.expand()
        except RuntimeError as error:
            raise InputError(
                f"function {function.name()!r} cannot be written as scalar operations (SX): {error}"
            ) from error
    if function.has_free():
        raise InputError(
            f"function {function.name()!r} has free symbols: {', '.join(map(str, function.get_free()))}; "
            f"its inputs are {', '.join(function.name_in())}"
        )
    sparsities = [function.sparsity_in(i) for i in range(function.n_in())]
    sparsities += [function.sparsity_out(i) for i in range(function.n_out())]
    if all(sparsity.is_dense() and sparsity.size2() == 1 for sparsity in sparsities):
        return function
    vectors = [ca.SX.sym(name, function.numel_in(name)) for name in function.name_in()]
    matrices = [
        ca.project(ca.reshape(x, *reversed(function.size_in(name))).T, function.sparsity_in(name))
        for name, x in zip(function.name_in(), vectors, strict=True)
    ]
    results = [ca.vec(ca.densify(y).T) for y in function.call(matrices)]
    return ca.Function(function.name(), vectors, results, function.name_in(), function.name_out())


def read_tape(function: ca.Function) -> Tape:
    """Read the instructions of a CasADi function into a `Tape`.

    CasADi's instructions reuse work registers; here each result gets its own index, and a result that has
    been computed before is not computed again.

    Raises
    ------
    InputError
        If the function cannot be expanded to SX, has free symbols, or uses an operation that the emitters do
        not know.
    """
    function = row_major(function)
    table = _operation_table()
    op_input, op_output, op_const = ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST
    aliases = (ca.OP_ASSIGN, ca.OP_LIFT)

    operations: list[str] = []
    left: list[int] = []
    right: list[int] = []
    constants: list[float] = []
    constant_index: dict[str, int] = {}
    seen: dict[tuple[str, int, int], int] = {}
    register: dict[int, int] = {}
    stores = [[-1] * function.numel_out(k) for k in range(function.n_out())]

    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        if code == op_output:
            output, element = function.instruction_output(k)
            stores[output][element] = register[function.instruction_input(k)[0]]
            continue
        if code in table:
            name, arity = table[code]
            operands = function.instruction_input(k)
            a = register[operands[0]]
            b = register[operands[1]] if arity == 2 else -1
            if a > b >= 0 and name in COMMUTATIVE:
                a, b = b, a
        elif code == op_input:
            name = "INPUT"
            a, b = function.instruction_input(k)
        elif code == op_const:
            name, b = "CONST", -1
            value = function.instruction_constant(k)
            a = constant_index.setdefault(float(value).hex(), len(constants))
            if a == len(constants):
                constants.append(value)
        elif code in aliases:
            register[function.instruction_output(k)[0]] = register[function.instruction_input(k)[0]]
            continue
        else:
            raise InputError(
                f"function {function.name()!r} uses operation {operation_name(code)}, "
                "which cannot be compiled; "
                f"supported: {', '.join(sorted(supported_operations()))}"
            )
        key = (name, a, b)
        index = seen.setdefault(key, len(operations))
        if index == len(operations):
            operations.append(name)
            left.append(a)
            right.append(b)
        register[function.instruction_output(k)[0]] = index

    return Tape(
        name=function.name(),
        inputs={name: function.numel_in(name) for name in function.name_in()},
        outputs={name: function.numel_out(name) for name in function.name_out()},
        operations=tuple(operations),
        left=tuple(left),
        right=tuple(right),
        constants=tuple(constants),
        stores=tuple(map(tuple, stores)),
    )
