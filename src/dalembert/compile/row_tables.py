"""Sums of rows and pivots in C: straight lines, or tables that a C function works through (``text/rows.h``).

Columns of a matrix do not depend on each other in a solution by substitution, and often the same is done to groups of
them. Sums are therefore divided into panels, all rows of some columns; panels that differ only by their place share one
function. Which places depend on each other is seen from the sums themselves. Straight lines of sums are about twice as
fast as tables, whose loops end at a different number of terms each time. Long ones are tables: they would take too long
to compile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert.compile.rows import ALIGN, Pivot, RowSum, neighbours

__all__ = ["RowTables", "write_table"]

_GROUP = 4
"""Packs of a row that a step of a table sums at the same time."""
_WIDTHS = (6, 5, 4, 3)
"""Packs of a row in a panel."""
_STRAIGHT, _PRODUCT = 16_000, 5000
"""Most operations on packs of straight lines, and of those that are products: sums of which nearly all have the same
number of terms, so that the loops of tables are as fast as straight lines that do not fit into the cache."""
_FUNCTION, _UNIT = 600, 4000
"""Operations on packs from which on a function, or a translation unit, ends."""

_Packs = Mapping[int, int]
"""Packs that hold the columns of a sum, and their masks."""


@dataclass(frozen=True, slots=True)
class _Line:
    """The text of a sum or a pivot, its operations on packs, and about how many such operations its time is worth.

    Sums of few packs wait for each other's terms.
    """

    text: str
    size: int
    time: int = 0


class RowTables:
    """Tables of sums and pivots as they are written.

    Parameters
    ----------
    symbol
        Symbol of the whole function.
    """

    def __init__(self, symbol: str) -> None:
        self._symbol = symbol
        self._steps: list[tuple[int | str, ...]] = []
        self._terms: list[tuple[int, int]] = []
        self._masks: dict[tuple[int, ...], int] = {(-1,) * ALIGN: 0}
        self._stages: list[RowSum | Pivot] = []
        self._functions: list[_Line] = []
        self.signatures: list[str] = []

    def add(self, stage: RowSum | Pivot) -> None:
        """Append a stage."""
        self._stages.append(stage)

    def call(self) -> list[str]:
        """Write the calls that work through the stages since the last ones."""
        stages, self._stages = self._stages, []
        packs = [{} if isinstance(stage, Pivot) else self._packs(stage) for stage in stages]
        if not stages:
            return []
        size = sum(_operations(stage, len(masks)) for stage, masks in zip(stages, packs, strict=True))
        most = min(_PRODUCT, _STRAIGHT) if _is_product(stages) else _STRAIGHT
        panels = [_bodies(stages, packs, width) for width in _WIDTHS] if size <= len(_WIDTHS) * most else []
        bodies = min(panels, key=_cost, default={})
        if not bodies or _size(bodies) > most:
            return self._in_tables(stages, packs)
        calls = []
        for lines, places in bodies.items():
            names = self._write(lines)
            calls += [f"{name}(b, b + {place}, {self._symbol}_masks);" for place in places for name in names]
        return calls

    def _write(self, lines: Sequence[_Line]) -> list[str]:
        """Write functions of straight lines; return their names."""
        names = []
        for chunk in _parts(lines, _FUNCTION):
            name = f"{self._symbol}_sums{len(self._functions)}"
            signature = f"HIDDEN void {name}(double *b, double *p, const struct row_mask *masks)"
            body = "\n    ".join(line.text for line in chunk)
            head = "const pack nothing = {0};\n    (void)b, (void)p, (void)masks, (void)nothing;"
            text = f"{signature} {{\n    {head}\n    {body}\n}}\n"
            self._functions.append(_Line(text, sum(line.size for line in chunk)))
            self.signatures.append(signature)
            names.append(name)
        return names

    def units(self) -> list[str]:
        """Texts of the straight lines; each may be compiled on its own, after ``rows.h``."""
        return ["\n".join(function.text for function in chunk) for chunk in _parts(self._functions, _UNIT) if chunk]

    def _packs(self, stage: RowSum) -> _Packs:
        inside: dict[int, list[int]] = {}
        for first, n in stage.runs:
            for place in range(stage.target + first, stage.target + first + n):
                inside.setdefault(place // ALIGN, [0] * ALIGN)[place % ALIGN] = -1
        return {k: self._masks.setdefault(tuple(m), len(self._masks)) for k, m in sorted(inside.items())}

    def _in_tables(self, stages: Sequence[RowSum | Pivot], packs: Sequence[_Packs]) -> list[str]:
        first_step = len(self._steps)
        for stage, masks in zip(stages, packs, strict=True):
            if isinstance(stage, Pivot):
                self._steps.append((stage.target, stage.source, 0, 0))
                continue
            first = len(self._terms)
            self._terms += [(f, x - stage.target) for f, x in stage.terms]
            start = "NO_START" if stage.start is None else stage.start - stage.target
            inside = list(masks)
            n_groups = -(-len(inside) // _GROUP)
            for k in range(n_groups):
                group = inside[len(inside) * k // n_groups : len(inside) * (k + 1) // n_groups]
                places = *(ALIGN * k for k in group), *(0,) * (_GROUP - len(group))
                self._steps.append((first, len(self._terms), start, len(group), *places, *(masks[k] for k in group)))
        name, n = self._symbol, len(self._steps) - first_step
        return [f"row_steps(b, {name}_steps + {first_step}, {n}, {name}_terms, {name}_masks);"]

    def index(self, size: int) -> str:
        """Write the type of the numbers in the tables, and one that is too small to be among them."""
        kind, bits = ("short", 15) if max(size, len(self._terms)) < 2**15 else ("int", 31)
        return f"typedef {kind} row_index;\n#define NO_START ({1 - 2**bits})\n"

    def texts(self) -> list[str]:
        """Write the tables."""
        return [
            write_table("row_step", f"{self._symbol}_steps", self._steps),
            write_table("row_term", f"{self._symbol}_terms", self._terms),
            write_table("row_mask", f"{self._symbol}_masks", list(self._masks)),
        ]


def _is_product(stages: Sequence[RowSum | Pivot]) -> bool:
    """Whether stages are products of matrices: their sums have at most two numbers of terms."""
    return len({len(stage.terms) if isinstance(stage, RowSum) else -1 for stage in stages}) <= 2


_Bodies = dict[tuple[_Line, ...], list[int]]
"""Straight lines, and the places of the panels that they work on."""


def _size(bodies: _Bodies) -> int:
    return sum(line.size for lines in bodies for line in lines)


def _cost(bodies: _Bodies) -> int:
    """Cost of code: to run, and to compile and to fetch."""
    return _size(bodies) + sum(line.time * len(places) for lines, places in bodies.items() for line in lines)


def _operations(stage: RowSum | Pivot, n_packs: int) -> int:
    return 1 if isinstance(stage, Pivot) else len(stage.terms) * (n_packs + 1) + 2 * n_packs


def _bodies(stages: Sequence[RowSum | Pivot], packs: Sequence[_Packs], width: int) -> _Bodies:
    """Write stages in panels of so many packs."""
    bodies: _Bodies = {}
    for panel in _panels(stages, packs, width):
        # A pivot is at a fixed place, and so are the operations between pivots.
        place = 0 if any(isinstance(stage, Pivot) for stage in stages) else ALIGN * min(panel)
        lines: list[_Line] = []
        for stage, masks in zip(stages, packs, strict=True):
            if isinstance(stage, Pivot):
                lines.append(_Line(f"b[{stage.target}] = -1.0 / b[{stage.source}];", 1))
                continue
            for first, n in neighbours([k for k in masks if k in panel]):
                for k in range(first, first + n, width):
                    lines.append(_sum(stage, masks, k, min(width, first + n - k), place))
        bodies.setdefault(tuple(lines), []).append(place)
    return bodies


def _sum(stage: RowSum, masks: _Packs, first: int, n: int, place: int) -> _Line:
    """Write a sum of n packs from the first one on, in a panel at a place."""
    at, each = ALIGN * first - place, f"EACH_{n}"
    start = "SUM_FROM_NOTHING({each})"
    if stage.start is not None:
        start = f"SUM({each}, {at + stage.start - stage.target})"
    parts = [f"double *const at = p + {at};", start.format(each=each)]
    parts += [f"ADD({each}, {f}, {at + x - stage.target})" for f, x in stage.terms]
    parts += [f"MASK({k}, {masks[first + k]})" for k in range(n) if masks[first + k]]
    time = _operations(stage, max(n, _WIDTHS[-1]))
    return _Line(f"{{ {' '.join(parts)} STORE({each}) }}", _operations(stage, n), time)


def _panels(stages: Sequence[RowSum | Pivot], packs: Sequence[_Packs], width: int) -> list[set[int]]:
    """Packs that sums write, divided so that none depends on one of another panel, and sums have few in each."""
    root = {k: k for masks in packs for k in masks}
    if any(isinstance(stage, Pivot) for stage in stages):
        return [set(root)]

    def top(k: int) -> int:
        while root[k] != k:
            root[k] = k = root[root[k]]
        return k

    for stage, masks in zip(stages, packs, strict=True):
        assert isinstance(stage, RowSum)
        moves, factors = _reads(stage)
        for k in masks:
            for other in ({k + move for move in moves} | factors) & root.keys():
                root[top(other)] = top(k)
    columns: dict[int, list[int]] = {}
    for k in sorted(root):
        columns.setdefault(top(k), []).append(k)
    panels: list[set[int]] = []
    rows = {frozenset(masks) for masks in packs}
    for column in columns.values():
        wider = panels[-1].union(column) if panels else set()
        if panels and all(len(row & wider) <= width for row in rows):
            panels[-1] = wider
        else:
            panels.append(set(column))
    return panels


def _reads(stage: RowSum) -> tuple[set[int], set[int]]:
    """Packs that a sum reads: for rows, how far from each pack that it writes; and those of its factors."""
    starts = () if stage.start is None else (stage.start,)
    shifts = {x - stage.target for x in (*starts, *(x for _, x in stage.terms))}
    # A row that does not start with a pack lies in two of them.
    moves = {move for shift in shifts for move in (shift // ALIGN, -(-shift // ALIGN))}
    return moves, {f // ALIGN for f, _ in stage.terms}


def _parts(lines: Sequence[_Line], size: int) -> list[list[_Line]]:
    """Divide lines into parts of about some size."""
    parts: list[list[_Line]] = [[]]
    for line in lines:
        if sum(x.size for x in parts[-1]) >= size:
            parts.append([])
        parts[-1].append(line)
    return parts


def write_table(kind: str, name: str, entries: Sequence[Sequence[object]]) -> str:
    """Write an array of structures."""
    listed = ", ".join(f"{{{', '.join(map(str, entry))}}}" for entry in entries) or "{0}"
    return f"static const struct {kind} {name}[] = {{{listed}}};"
