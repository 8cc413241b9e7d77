"""Blocks of an uncertain system: the possible relations between two of its signals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from dalembert.core.errors import InputError

__all__ = ["KINDS", "DeltaBlock", "merged", "slices"]

KINDS = ("state", "real", "complex", "full", "error")


@dataclass(frozen=True)
class DeltaBlock:
    """A block of the uncertainty.

    Parameters
    ----------
    name
        Its name; several entries of one name are one parameter.
    size
        Repetitions (of ``full``: number of rows and columns).
    kind
        ``"state"``: integrators; ``"real"``: a real number, repeated; ``"complex"``: a complex number (a stable
        transfer function), repeated; ``"full"``: a full complex matrix; ``"error"``: the error of a model of a machine,
        a full complex matrix that keeps its size in every proof.
    sampled
        For an error that is not bounded, only sampled: the largest sample, relative; such a block has no size, and
        proofs hold for the model alone.
    moving
        For an error: the real blocks of the machine, each with the largest rate [1/s] whose effect the model includes:
        zero for constants. Empty: unknown, so that no block may vary.
    ties
        For an error: blocks of the machine whose rate is a multiple of the number of another block, as triples of the
        block, the other one and the factor [1/s]. The rate of a sliding coordinate that moves is one.
    """

    name: str
    size: int
    kind: str = "real"
    sampled: float | None = None
    moving: tuple[tuple[str, float], ...] = ()
    ties: tuple[tuple[str, str, float], ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"kind of block '{self.name}' must be one of {', '.join(KINDS)}, got {self.kind!r}")
        if not (isinstance(self.size, int) and self.size >= 0):
            raise InputError(f"size of block '{self.name}' must be a whole number >= 0, got {self.size!r}")


def slices(blocks: Iterable[DeltaBlock]) -> Iterator[tuple[DeltaBlock, slice]]:
    """Blocks with the rows that each takes."""
    start = 0
    for block in blocks:
        yield block, slice(start, start + block.size)
        start += block.size


def merged(blocks: Sequence[DeltaBlock]) -> tuple[list[DeltaBlock], list[int]]:
    """Blocks with equal names put together, states first, and the order of rows that does it.

    Errors of one model that stand in several places are taken to be independent, which covers that they are the same.
    """
    errors = [i for i, b in enumerate(blocks) if b.kind == "error"]
    blocks = [replace(b, name=f"{b.name} ({i})") if i in errors[1:] else b for i, b in enumerate(blocks)]
    rank = {name: (b.kind != "state", i) for i, (name, b) in reversed(list(enumerate((b.name, b) for b in blocks)))}
    names = sorted({b.name for b in blocks}, key=lambda n: rank[n])
    kinds = {b.name: b.kind for b in blocks}
    for b in blocks:
        if kinds[b.name] != b.kind:
            raise InputError(f"block '{b.name}' is {kinds[b.name]} in one place and {b.kind} in another")
        if b.kind == "full" and sum(c.name == b.name for c in blocks) > 1:
            raise InputError(f"full block '{b.name}' occurs more than once: repeated full blocks are not supported")
    rows = {name: [i for b, s in slices(blocks) if b.name == name for i in range(s.start, s.stop)] for name in names}
    last = {b.name: b for b in blocks}
    together = [replace(last[n], size=len(rows[n])) for n in names]
    return together, [i for n in names for i in rows[n]]
