"""A straight tape as C with short vectors where it repeats itself (``compile/bundles.py``).

Sines and cosines of inputs come first, as many at a time as a vector of the machine holds.
Vectors store runs of zeros of the outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dalembert.compile.bundles import Bundle, Statements, is_angle
from dalembert.compile.rows import neighbours
from dalembert.compile.statements import write_number, write_operation
from dalembert.compile.tape import Tape

__all__ = ["BundleWriter"]

_GROUP = 8
"""Angles whose sines and cosines are written as one call."""
_ZERO_WIDTHS = (8, 4, 2, 1)


@dataclass(frozen=True, slots=True)
class _Angles:
    """Inputs whose sine or cosine is needed, in the order of their places in the work array."""

    inputs: tuple[int, ...]

    @property
    def room(self) -> int:
        """Places of the sines, and of the cosines behind them."""
        return -(-len(self.inputs) // _GROUP) * _GROUP


def _angles(tape: Tape, statements: Statements) -> _Angles:
    """Find the angles; those of a bundle are neighbours."""
    angles: dict[int, None] = {}
    for bundle in sorted(statements.order, key=len, reverse=True):
        if is_angle(tape, bundle[0]):
            angles.update(dict.fromkeys(tape.left[i] for i in bundle))
    return _Angles(tuple(angles) if len(angles) > 1 else ())


class BundleWriter:
    """Writes the functions of a tape.

    Sines and cosines lie in the work array, or in an array of the function if there is only one.

    Parameters
    ----------
    tape
        The operations.
    statements
        Their order, and which go together.
    chunk_size
        Largest number of statements in a function.
    joint
        Sines with the cosine of the same angle, and the other way round.
    targets
        Outputs and their elements that a value goes to.
    """

    def __init__(
        self,
        tape: Tape,
        statements: Statements,
        chunk_size: int,
        joint: Mapping[int, int],
        targets: Mapping[int, Sequence[tuple[int, int]]],
    ) -> None:
        self.tape, self.statements, self.joint, self.targets = tape, statements, joint, targets
        self.angles = _angles(tape, statements)
        # Places in the work array of all values that are read from there.
        self.places: dict[int, int] = {}
        number = {angle: k for k, angle in enumerate(self.angles.inputs)}
        for i, op in enumerate(tape.operations):
            if number and is_angle(tape, i):
                self.places[i] = number[tape.left[i]] + self.angles.room * (op == "COS")
        self.together = frozenset(self.places)  # sines and cosines that are computed first, all at once
        order = [bundle for bundle in statements.order if bundle[0] not in self.together]
        n = max(1, -(-len(order) // chunk_size))
        bounds = [len(order) * k // n for k in range(n + 1)]
        self.chunks = [order[a:b] for a, b in pairwise(bounds)]
        self.n_work = self._allocate()
        self.memory = "w"
        if n == 1:
            self.memory, self.n_work = "t", 0

    def _allocate(self) -> int:
        """Give values that other chunks read a place; a place is free again after the last of them."""
        home = {i: (k, bundle) for k, chunk in enumerate(self.chunks) for bundle in chunk for i in bundle}
        last: dict[Bundle, int] = {}
        for k, chunk in enumerate(self.chunks):
            for i in (i for bundle in chunk for i in bundle):
                for operand in (self.tape.left[i], self.tape.right[i]):
                    if operand in home and home[operand][0] < k:
                        last[home[operand][1]] = k
        n_work = 2 * self.angles.room
        free: dict[int, list[int]] = {}
        dying: list[list[Bundle]] = [[] for _ in self.chunks]
        for k, chunk in enumerate(self.chunks):
            for bundle in dying[k - 1] if k else ():
                free.setdefault(len(bundle), []).append(self.places[bundle[0]])
            for bundle in chunk:
                if bundle not in last:
                    continue
                if free.get(len(bundle)):
                    place = free[len(bundle)].pop()
                else:
                    place, n_work = n_work, n_work + len(bundle)
                self.places.update({i: place + lane for lane, i in enumerate(bundle)})
                dying[last[bundle]].append(bundle)
        return n_work

    def write(self, k: int, signature: str) -> str:
        """Write the function of a chunk."""
        return _Chunk(self, k).write(signature)


class _Chunk:
    """The text of a function as it grows."""

    def __init__(self, writer: BundleWriter, k: int) -> None:
        self.writer, self.tape, self.first = writer, writer.tape, k == 0
        self.chunk = writer.chunks[k]
        self.here = {i: bundle for bundle in self.chunk for i in bundle}
        self.lines: list[str] = []
        self.names: dict[Bundle, str] = {}

    def _name(self, lanes: Bundle, text: Callable[[], str]) -> str:
        """Name of a scalar or a vector that is a local from its first use on."""
        if lanes not in self.names:
            spelled = text()
            self.names[lanes] = name = f"b{len(self.names)}"
            self.lines.append(f"const {_kind(lanes)} {name} = {spelled};")
        return self.names[lanes]

    def scalar(self, i: int) -> str:
        """Spell one value."""
        tape, op = self.tape, self.tape.operations[i]
        if op == "CONST":
            return f"K({write_number(tape.constants[tape.left[i]])})"
        if op == "INPUT":
            return self._name((i,), lambda: f"x{tape.left[i]}[{tape.right[i]}]")
        if i not in self.here:
            return self._name((i,), lambda: f"{self.writer.memory}[{self.writer.places[i]}]")
        bundle = self.here[i]
        return f"a{i}" if len(bundle) == 1 else self._name((i,), lambda: f"a{bundle[0]}[{bundle.index(i)}]")

    def operand(self, lanes: Bundle) -> str:
        """Spell the operands of a bundle."""
        if len(lanes) == 1:
            return self.scalar(lanes[0])
        if self.here.get(lanes[0]) == lanes:
            return f"a{lanes[0]}"
        return self._name(lanes, lambda: self._vector(lanes))

    def _vector(self, lanes: Bundle) -> str:
        tape, kind = self.tape, _kind(lanes)
        if all(i in self.writer.places and i not in self.here for i in lanes):
            places = [self.writer.places[i] for i in lanes]
            if places == list(range(places[0], places[0] + len(places))):
                return f"PART({kind}, {self.writer.memory} + {places[0]})"
        if all(tape.operations[i] == "INPUT" for i in lanes) and len({tape.left[i] for i in lanes}) == 1:
            elements = [tape.right[i] for i in lanes]
            if elements == list(range(elements[0], elements[0] + len(elements))):
                return f"PART({kind}, x{tape.left[lanes[0]]} + {elements[0]})"
        return f"({kind}){{{', '.join(map(self.scalar, lanes))}}}"

    def _store(self, bundle: Bundle) -> None:
        """Write a computed bundle to its places in the work array and in the outputs."""
        width, name, place = len(bundle), f"a{bundle[0]}", self.writer.places.get(bundle[0])
        if place is not None:
            self.lines.append(f"{f'w[{place}]' if width == 1 else f'PART({_kind(bundle)}, w + {place})'} = {name};")
        for lane, i in enumerate(bundle):
            value = name if width == 1 else f"{name}[{lane}]"
            self.lines += [f"y{output}[{element}] = {value};" for output, element in self.writer.targets.get(i, ())]

    def _sines(self) -> None:
        """Compute the sines and cosines of inputs."""
        angles, memory = self.writer.angles, self.writer.memory
        if memory != "w" and angles.inputs:
            self.lines.append(f"real {memory}[{2 * angles.room}];")
        for k in range(0, len(angles.inputs), _GROUP):
            group = angles.inputs[k : k + _GROUP]
            full = [*group, *[group[-1]] * (_GROUP - len(group))]
            x = ", ".join(f"x{self.tape.left[i]}[{self.tape.right[i]}]" for i in full)
            self.lines.append(f"ANGLES({memory} + {k}, {memory} + {k + angles.room}, {x});")

    def _plain_outputs(self) -> None:
        """Store the outputs that are inputs, constants, or sines of inputs."""
        zeros: dict[int, list[int]] = {}
        for i, places in self.writer.targets.items():
            op = self.tape.operations[i]
            if op == "CONST" and write_number(self.tape.constants[self.tape.left[i]]) == "0.0":
                for output, element in places:
                    zeros.setdefault(output, []).append(element)
            elif op in ("CONST", "INPUT") or i in self.writer.together:
                value = self.scalar(i)
                self.lines += [f"y{output}[{element}] = {value};" for output, element in places]
        for output, elements in zeros.items():
            for first, n in neighbours(sorted(elements)):
                self.lines += [f"ZEROS{width}(y{output} + {first + k});" for k, width in _covered(n)]

    def write(self, signature: str) -> str:
        """Write the function."""
        tape, statements = self.tape, self.writer.statements
        if self.first:
            self._sines()
            self._plain_outputs()
        done: set[int] = set()
        for bundle in self.chunk:
            i = bundle[0]
            if i in done:
                continue
            spelled = [self.operand(lanes) for lanes in statements.operands(bundle)]
            other = self.writer.joint.get(i, -1) if len(bundle) == 1 else -1
            if self.here.get(other) == (other,) and other not in done:
                sine, cosine = (i, other) if tape.operations[i] == "SIN" else (other, i)
                self.lines += [f"real a{sine}, a{cosine};", f"sincos_({spelled[0]}, &a{sine}, &a{cosine});"]
                done.add(other)
                self._store(bundle)
                self._store((other,))
                continue
            text = write_operation(tape.operations[i], spelled[0], spelled[-1])
            self.lines.append(f"const {_kind(bundle)} a{i} = {text};")
            self._store(bundle)
        body = "\n".join(self.lines)
        pointers = [f"const real *restrict x{k} = in[{k}];" for k in range(len(tape.inputs)) if f"x{k}" in body]
        pointers += [f"real *restrict y{k} = out[{k}];" for k in range(len(tape.outputs)) if f"y{k}" in body]
        lines = ["(void)in, (void)out, (void)w;", *pointers, *self.lines]
        return "\n".join([f"{signature} {{", *(f"    {line}" for line in lines), "}", ""])


def _kind(lanes: Bundle) -> str:
    return "real" if len(lanes) == 1 else f"real{len(lanes)}"


def _covered(n: int) -> Iterator[tuple[int, int]]:
    """Cover n places by vectors, as (first place, width); the last one may lie over the one before."""
    width = next(w for w in _ZERO_WIDTHS if w <= n)
    for k in range(0, n, width):
        yield min(k, n - width), width
