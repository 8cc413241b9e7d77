"""Errors of models in proofs: blocks of the machine's error in addition to the uncertain blocks.

A model of a machine has a block for its error (kind ``"error"``). It keeps its size at every level of a proof, and
searches for destabilising values ignore it. A model whose error was only sampled has such a block without a size, and a
proof then holds for the model alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dalembert.control.norms import Matrices
from dalembert.control.uncertain.blocks import DeltaBlock, slices

__all__ = ["at_level", "extent", "sampled_error", "without_errors"]


def sampled_error(blocks: Sequence[DeltaBlock]) -> float | None:
    """The largest error of models that was only sampled; None if every error is bounded, or there is no machine."""
    sampled = [b.sampled for b in blocks if b.kind == "error" and b.sampled is not None]
    return max(sampled) if sampled else None


def extent(blocks: Sequence[DeltaBlock]) -> str:
    """Subject of a proof, for messages."""
    sampled = sampled_error(blocks)
    return "" if sampled is None else f" for the LFT (its error, sampled: {sampled:.2g})"


def at_level(system: Matrices, blocks: Sequence[DeltaBlock], level: float) -> tuple[Matrices, list[DeltaBlock]]:
    """The system whose bound at a level has errors of full size: their outputs are as many times as large."""
    A, B, C, D = system
    size = np.ones(C.shape[0])
    for b, s in slices(blocks):
        if b.kind == "error":
            size[s] = level
    full = [replace(b, kind="full") if b.kind == "error" else b for b in blocks if b.size]
    return (A, B, size[:, None] * C, size[:, None] * D), full


def without_errors(system: Matrices, blocks: Sequence[DeltaBlock]) -> tuple[Matrices, tuple[DeltaBlock, ...]]:
    """The system with the errors of its models at zero."""
    A, B, C, D = system
    n = sum(b.size for b in blocks)
    keep = [i for b, s in slices(blocks) if b.kind != "error" for i in range(s.start, s.stop)]
    rows, columns = [*keep, *range(n, C.shape[0])], [*keep, *range(n, B.shape[1])]
    rest = (A, B[:, columns], C[rows], D[np.ix_(rows, columns)])
    return rest, tuple(b for b in blocks if b.kind != "error")
