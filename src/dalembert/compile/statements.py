"""One piece of a tape as a C function: straight, or a loop.

Within a piece values are locals. Values that a piece reads from others lie in the work array ``w``, or in the inputs; a
loop hands values on to its next turn in locals as well. Where the places that the turns of a loop read or write do not
lie at equal distances, a table lists them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dalembert.compile.loops import Piece
from dalembert.compile.tape import Tape

__all__ = ["Operand", "Operands", "operands_of", "write_number", "write_operation", "write_piece"]

_MACROS = ("LT", "LE", "EQ", "NE", "AND", "OR", "IF_ELSE_ZERO")
_FUNCTIONS_1 = (
    *("exp", "log", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
    *("asinh", "acosh", "atanh", "floor", "ceil", "fabs", "erf", "log1p", "expm1"),
)
_FUNCTIONS_2 = ("pow", "atan2", "fmod", "remainder", "copysign", "fmin", "fmax", "hypot")

_TEMPLATES = {
    "ADD": "{a} + {b}",
    "SUB": "{a} - {b}",
    "MUL": "{a} * {b}",
    "DIV": "{a} / {b}",
    "NEG": "-{a}",
    "SQ": "{a} * {a}",
    "TWICE": "K(2.0) * {a}",
    "INV": "K(1.0) / {a}",
    "SIGN": "SIGN({a})",
    "NOT": "NOT({a})",
    "CONSTPOW": "pow({a}, {b})",
    **{name: f"{name}({{a}}, {{b}})" for name in _MACROS},
    **{name.upper(): f"{name}({{a}})" for name in _FUNCTIONS_1},
    **{name.upper(): f"{name}({{a}}, {{b}})" for name in _FUNCTIONS_2},
}


def write_operation(operation: str, a: str, b: str) -> str:
    """Write one operation on operands that are spelled already."""
    return _TEMPLATES[operation].format(a=a, b=b)


def write_number(value: float) -> str:
    """Write a constant."""
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(value)


@dataclass(frozen=True, slots=True)
class Operand:
    """Value that one operation of a piece reads in its turns.

    Parameters
    ----------
    kind
        ``"constant"``, ``"input"``, ``"local"`` (computed in the same turn), ``"carried"`` (computed in the turn
        before, and before the loop for the first one) or ``"memory"``.
    indices
        The values on the tape, one for each turn.
    column
        For a local or carried value: the operation of the piece that computes it.
    """

    kind: str
    indices: tuple[int, ...]
    column: int = -1

    @property
    def read(self) -> tuple[int, ...]:
        """The values that come out of the work array."""
        return {"memory": self.indices, "carried": self.indices[:1]}.get(self.kind, ())


Operands = list[list[Operand]]
"""Operands of each operation of a piece, one or two each."""


def operands_of(tape: Tape, piece: Piece) -> Operands:
    """Say for each operation of a piece where its operands come from."""
    home = {i: (turn, column) for turn, row in enumerate(piece.values.tolist()) for column, i in enumerate(row)}

    def follows(homes: Sequence[tuple[int, int]]) -> bool:
        """Whether values come from one operation, turn by turn from the first one on."""
        return all(place == (turn, homes[-1][1]) for turn, place in enumerate(homes))

    def operand(indices: tuple[int, ...]) -> Operand:
        kind = {"CONST": "constant", "INPUT": "input"}.get(tape.operations[indices[0]])
        if kind:
            return Operand(kind, indices)
        homes = [home.get(i, (-1, -1)) for i in indices]
        if follows(homes):
            return Operand("local", indices, homes[-1][1])
        if len(homes) > 1 and indices[0] not in home and follows(homes[1:]):
            return Operand("carried", indices, homes[-1][1])
        return Operand("memory", indices)

    return [
        [
            operand(tuple(side[i] for i in column))
            for side in ((tape.left, tape.right) if tape.right[column[0]] >= 0 else (tape.left,))
        ]
        for column in piece.values.T.tolist()
    ]


def write_piece(
    tape: Tape,
    name: str,
    signature: str,
    piece: Piece,
    operands: Operands,
    addresses: Mapping[int, int],
    targets: Mapping[int, Sequence[tuple[int, int]]],
    joint: Mapping[int, int],
    *,
    first: bool,
) -> str:
    """Write one function.

    Parameters
    ----------
    tape, piece, operands
        The code to write.
    name, signature
        Name and signature of the C function.
    addresses
        Places in the work array of the values that have one.
    targets
        Outputs and their elements that a value goes to.
    joint
        Sines with the cosine of the same angle, and the other way round.
    first
        Whether to store the outputs that are inputs or constants, too.
    """
    return _Writer(tape, name, piece, addresses).write(signature, operands, targets, joint, first)


class _Writer:
    """The text of a function as it grows."""

    def __init__(self, tape: Tape, name: str, piece: Piece, addresses: Mapping[int, int]) -> None:
        self.tape, self.name, self.piece, self.addresses = tape, name, piece, addresses
        self.tables: list[str] = []
        self.before: list[str] = []
        self.lines: list[str] = []
        self.after: list[str] = []
        self.loaded: dict[tuple[object, ...], str] = {}

    def table(self, kind: str, entries: Sequence[object]) -> str:
        """Write a table with one entry for each turn; return its entry of this turn."""
        name = f"{self.name}_t{len(self.tables)}"
        self.tables.append(f"TABLE {kind} {name}[] = {{{', '.join(map(str, entries))}}};")
        return f"{name}[k]"

    def position(self, places: Sequence[int]) -> str:
        """Spell an index that takes these values in the turns."""
        step = places[1] - places[0] if len(places) > 1 else 0
        if any(b - a != step for a, b in pairwise(places)):
            return self.table("int", places)
        if step == 0:
            return str(places[0])
        return f"{places[0]} {'+' if step > 0 else '-'} {abs(step)} * k"

    def load(self, indices: tuple[int, ...], place: Callable[[], str]) -> str:
        """Read a place into a local at its first use."""
        key = ("loaded", *indices)
        if key not in self.loaded:
            self.loaded[key] = text = f"b{len(self.loaded)}"
            self.lines.append(f"const real {text} = {place()};")
        return self.loaded[key]

    def spell(self, operand: Operand) -> str:
        """Name an operand, after loading it where it has to be."""
        tape, indices = self.tape, operand.indices
        if operand.kind == "local":
            return f"a{operand.column}"
        if operand.kind == "constant":
            values = [write_number(tape.constants[tape.left[i]]) for i in indices]
            if len(set(indices)) == 1:
                return f"K({values[0]})"
            return self.load(indices, lambda: f"K({self.table('double', values)})")
        if operand.kind == "input":
            elements = [tape.right[i] for i in indices]
            return self.load(indices, lambda: f"x{tape.left[indices[0]]}[{self.position(elements)}]")
        if operand.kind == "carried":
            key = (operand.column, indices[0])
            if key not in self.loaded:
                self.loaded[key] = text = f"c{len(self.loaded)}"
                self.before.append(f"real {text} = w[{self.addresses[indices[0]]}];")
                self.after.append(f"{text} = a{operand.column};")
            return self.loaded[key]
        return self.load(indices, lambda: f"w[{self.position([self.addresses[i] for i in indices])}]")

    def constants_and_inputs(self, targets: Mapping[int, Sequence[tuple[int, int]]]) -> None:
        """Store the outputs that are inputs or constants."""
        for i, places in targets.items():
            kind = {"CONST": "constant", "INPUT": "input"}.get(self.tape.operations[i])
            if kind:
                value = self.spell(Operand(kind, (i,)))
                self.lines += [f"y{output}[{element}] = {value};" for output, element in places]
        self.before, self.lines = self.lines, []
        if self.piece.turns > 1:
            self.loaded.clear()

    def store(self, column: int, targets: Mapping[int, Sequence[tuple[int, int]]]) -> None:
        """Write a computed value to its places in the work array and in the outputs."""
        indices = self.piece.values[:, column].tolist()
        if indices[0] in self.addresses:
            self.lines.append(f"w[{self.position([self.addresses[i] for i in indices])}] = a{column};")
        for places in zip(*(targets.get(i, ()) for i in indices), strict=True):
            self.lines.append(f"y{places[0][0]}[{self.position([element for _, element in places])}] = a{column};")

    def partner(self, column: int, joint: Mapping[int, int]) -> int:
        """Operation of the same turns that is the cosine to a sine, or the sine to a cosine; -1 if there is none."""
        values = self.piece.values
        others = [joint.get(i, -1) for i in values[:, column].tolist()]
        for other in range(column + 1, self.piece.length if others[0] >= 0 else 0):
            if values[0, other] == others[0]:
                return other if values[:, other].tolist() == others else -1
        return -1

    def write(
        self,
        signature: str,
        operands: Operands,
        targets: Mapping[int, Sequence[tuple[int, int]]],
        joint: Mapping[int, int],
        first: bool,
    ) -> str:
        """Write the function."""
        if first:
            self.constants_and_inputs(targets)
        done: set[int] = set()
        for column, i in enumerate(self.piece.values[0].tolist()):
            if column in done:
                continue
            spelled = [self.spell(operand) for operand in operands[column]]
            operation, other = self.tape.operations[i], self.partner(column, joint)
            if other >= 0:
                sine, cosine = (column, other) if operation == "SIN" else (other, column)
                self.lines += [f"real a{sine}, a{cosine};", f"sincos_({spelled[0]}, &a{sine}, &a{cosine});"]
                done.add(other)
            else:
                text = write_operation(operation, spelled[0], spelled[-1])
                self.lines.append(f"const real a{column} = {text};")
            for j in [column, other][: 1 + (other >= 0)]:
                self.store(j, targets)
        lines = [*self.before, *self.lines]
        if self.piece.turns > 1:
            turn = [f"    {line}" for line in (*self.lines, *self.after)]
            lines = [*self.before, "ROLL", f"for (int k = 0; k < {self.piece.turns}; k++) {{", *turn, "}"]
        body = "\n".join(lines)
        pointers = [f"const real *restrict x{k} = in[{k}];" for k in range(len(self.tape.inputs)) if f" x{k}[" in body]
        outputs = range(len(self.tape.outputs))
        pointers += [f"real *restrict y{k} = out[{k}];" for k in outputs if f"y{k}[" in body]
        lines = ["(void)in, (void)out, (void)w;", *pointers, *lines]
        return "\n".join([*self.tables, f"{signature} {{", *(f"    {line}" for line in lines), "}", ""])
