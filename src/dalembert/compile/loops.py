"""Repetitions of a tape: the same operations again and again, as the links of a chain give them.

A tape is straight; the recursion that wrote it was a loop. Code of tens of thousands of operations does not fit into
the instruction cache and takes long to compile, so long tapes are rolled up again. Only the sequence of operations has
to repeat: which values they act on is settled when the loop is written, by an address that is linear in the counter, or
by a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dalembert.compile.tape import Tape

__all__ = ["Piece", "joined", "split_tape"]

Indices = NDArray[np.int64]

_WINDOW = 24
"""Operations that must repeat for a distance to be considered as a period."""
_CANDIDATES = 12
"""Periods that are tried, the most frequent distances first."""
_WORTHWHILE = 600
"""Operations that a loop must save."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a tape: a loop, or a straight run, which is a loop with one turn.

    Parameters
    ----------
    values
        Indices of its values on the tape, one row for each turn.
    """

    values: Indices

    @property
    def turns(self) -> int:
        """How often it is repeated."""
        return int(self.values.shape[0])

    @property
    def length(self) -> int:
        """Operations of one turn."""
        return int(self.values.shape[1])


def split_tape(tape: Tape, size: int, *, roll: bool = True) -> list[Piece]:
    """Divide a tape into pieces of at most about `size` operations; long tapes are searched for repetitions."""
    computed = np.array([i for i, op in enumerate(tape.operations) if op not in ("CONST", "INPUT")], dtype=np.int64)
    if not roll or len(computed) <= size:
        return _straight(computed, size)
    signature, reach = _signature(tape, computed), _reach(tape, computed)
    pieces: list[Piece] = []
    here = 0
    for start, period, turns in sorted(_find(signature, reach, 0, len(computed), size)):
        stop = start + period * turns
        pieces += _straight(computed[here:start], size) if start > here else []
        pieces.append(Piece(computed[start:stop].reshape(turns, period)))
        here = stop
    return pieces + (_straight(computed[here:], size) if here < len(computed) else [])


def joined(pieces: list[Piece]) -> list[Piece]:
    """Join straight pieces that follow each other; loops stay as they are."""
    result: list[Piece] = []
    for piece in pieces:
        if result and piece.turns == result[-1].turns == 1:
            result[-1] = Piece(np.concatenate([result[-1].values, piece.values], axis=1))
        else:
            result.append(piece)
    return result


def _straight(values: Indices, size: int) -> list[Piece]:
    """Runs of about equal length."""
    n = max(1, -(-len(values) // size))
    bounds = [len(values) * k // n for k in range(n + 1)]
    return [Piece(values[a:b].reshape(1, -1)) for a, b in pairwise(bounds)]


def _signature(tape: Tape, computed: Indices) -> Indices:
    """Number the operations by the properties that all turns of a loop must share.

    That is the operation, the kind of its operands (constant, which input, computed) and the outputs it goes to.
    """
    targets: dict[int, tuple[int, ...]] = {}
    for output, values in enumerate(tape.stores):
        for i in values:
            targets[i] = (*targets.get(i, ()), output)

    def kind(i: int) -> object:
        if i < 0:
            return "none"
        # a pair: the number of an input must not compare equal to anything else
        return ("INPUT", tape.left[i]) if tape.operations[i] == "INPUT" else tape.operations[i] == "CONST"

    numbers: dict[object, int] = {}
    keys = ((tape.operations[i], kind(tape.left[i]), kind(tape.right[i]), targets.get(i)) for i in computed.tolist())
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def _reach(tape: Tape, computed: Indices) -> Indices:
    """For each place between two operations: how many values are needed soon after it that were computed before.

    A loop that starts where few are alive carries little from turn to turn.
    """
    place = {i: k for k, i in enumerate(computed.tolist())}
    last = np.arange(len(computed))
    for k, i in enumerate(computed.tolist()):
        for operand in (tape.left[i], tape.right[i]):
            if operand in place:
                last[place[operand]] = k
    change = np.zeros(len(computed) + 2, dtype=np.int64)
    np.add.at(change, np.arange(len(computed)) + 1, 1)
    np.add.at(change, last + 1, -1)
    return np.cumsum(change)


def _find(signature: Indices, reach: Indices, start: int, stop: int, size: int) -> list[tuple[int, int, int]]:
    """Loops in a range, as (start, period, turns): the one that saves most, then those before and after it."""
    loops = [
        (start + begin, length, period)
        for period in _periods(signature[start:stop], size)
        for begin, length in _runs(signature[start:stop], period)
    ]
    if not loops:
        return []
    begin, length, period = max(loops, key=lambda loop: (loop[1] // loop[2] * loop[2], -loop[2]))
    turns = length // period + 1
    if (turns - 1) * period < _WORTHWHILE:
        return []
    spare = length - (turns - 1) * period
    first = begin + int(np.argmin(reach[begin : begin + spare + 1]))
    return [
        *_find(signature, reach, start, first, size),
        (first, period, turns),
        *_find(signature, reach, first + period * turns, stop, size),
    ]


def _periods(signature: Indices, size: int) -> list[int]:
    """Distances at which windows of operations come back most often."""
    n = len(signature) - _WINDOW + 1
    if n < 2:
        return []
    weights = np.random.default_rng(0).integers(1, 2**62, size=_WINDOW, dtype=np.int64)
    hashes = np.zeros(n, dtype=np.int64)
    with np.errstate(over="ignore"):
        for k, weight in enumerate(weights):
            hashes += signature[k : k + n] * weight
    order = np.argsort(hashes, kind="stable")
    same = np.diff(hashes[order]) == 0
    distances, counts = np.unique(np.diff(order)[same], return_counts=True)
    usable = distances <= size
    distances, counts = distances[usable], counts[usable]
    return [int(d) for d in distances[np.argsort(-counts, kind="stable")][:_CANDIDATES]]


def _runs(signature: Indices, period: int) -> list[tuple[int, int]]:
    """Longest stretches over which the operations equal those one period later: start and length of a few."""
    equal = np.concatenate([[False], signature[:-period] == signature[period:], [False]])
    edges = np.flatnonzero(np.diff(equal.astype(np.int8)))
    starts, lengths = edges[::2], edges[1::2] - edges[::2]
    longest = np.argsort(-lengths, kind="stable")[:3]
    return [(int(starts[k]), int(lengths[k])) for k in longest if lengths[k] >= period]
