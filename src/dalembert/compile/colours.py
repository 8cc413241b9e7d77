"""Relations between the values of a tape: the operations that lead to them, and the inputs they depend on."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dalembert.compile.tape import COMMUTATIVE, Tape

__all__ = ["bits", "colours", "common", "cones", "input_values"]


def colours(tape: Tape, twins: Mapping[int, int], depth: int) -> NDArray[np.int64]:
    """Colours of all values, one row for each depth: equal for equal operations up to it, whatever the constants.

    Parameters
    ----------
    tape
        The operations.
    twins
        Inputs that count as the same, for each the first of them. If there are none, all elements of an input count
        as the same.
    depth
        The greatest depth.
    """
    names: dict[object, int] = {}
    kinds = (
        (op, a, twins.get(i, i) if twins else -1) if op == "INPUT" else op
        for i, (op, a) in enumerate(zip(tape.operations, tape.left, strict=True))
    )
    kind_hashes = np.array([names.setdefault(kind, len(names) + 1) for kind in kinds], dtype=np.uint64)
    leaf = np.array([op in ("CONST", "INPUT") for op in tape.operations])
    mirrored = np.array([op in COMMUTATIVE for op in tape.operations])
    unary = leaf | (np.array(tape.right) < 0)
    left, right = np.where(leaf, 0, np.array(tape.left)), np.where(unary, 0, np.array(tape.right))
    rows = [_scattered(kind_hashes)]
    for _ in range(depth):
        a, b = rows[-1][left], np.where(unary, np.uint64(0), rows[-1][right])
        a, b = np.where(mirrored, np.minimum(a, b), a), np.where(mirrored, np.maximum(a, b), b)
        rows.append(np.where(leaf, rows[0], _scattered(kind_hashes + _scattered(a + _scattered(b)))))
    return np.array(rows).view(np.int64)


def _scattered(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scatter the bits of whole numbers (SplitMix64 of G. Steele, D. Lea and C. Flood, 2014)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def input_values(tape: Tape) -> list[int]:
    """Values that are inputs, by input and element."""
    inputs = (i for i, op in enumerate(tape.operations) if op == "INPUT")
    return sorted(inputs, key=lambda i: (tape.left[i], tape.right[i]))


def cones(tape: Tape) -> list[int]:
    """Inputs that each value depends on, as bits in the order of `input_values`."""
    masks = {i: 1 << place for place, i in enumerate(input_values(tape))}
    result: list[int] = []
    for i, (op, a, b) in enumerate(zip(tape.operations, tape.left, tape.right, strict=True)):
        if op in ("CONST", "INPUT"):
            result.append(masks.get(i, 0))
        else:
            result.append(result[a] | (result[b] if b >= 0 else 0))
    return result


def common(masks: Sequence[int]) -> tuple[int, list[int]]:
    """Bits that all masks have, and those that are each one's own."""
    shared = functools.reduce(operator.and_, masks)
    return shared, [mask & ~shared for mask in masks]


def bits(mask: int) -> list[int]:
    """Places of the ones of a whole number, ascending."""
    result = []
    while mask:
        low = mask & -mask
        result.append(low.bit_length() - 1)
        mask ^= low
    return result
