"""Independent parts of a loop: states and blocks that no signal connects, each with its own proof.

Parts share parameters and the error of the model. Let ``|w_e| <= |z_e|`` be the error and ``|z_e| <= rho |x|`` for all
values of the blocks, with the states ``x`` of all ``N`` parts. For Lyapunov functions of degree ``2 k``

    sum_i |w_e|^2 |x_i|^(2 k - 2)  <=  N rho^2 sum_ij (|x_j|^(2 k) / k + |x_i|^(2 k) (k - 1) / k)
                                    =  N^2 rho^2 sum_i |x_i|^(2 k)

by Young's inequality. A part whose error has the input ``N rho x_i`` therefore adds as much as the whole loop needs:
if every part falls with such an error, the sum of their functions, scaled to one multiplier, falls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from dalembert.control.norms import Matrices
from dalembert.control.uncertain.blocks import DeltaBlock, slices
from dalembert.core.types import Array

__all__ = ["LoopPart", "assembled", "error_bound", "independent_parts"]


@dataclass(frozen=True, eq=False)
class LoopPart:
    """A part of a loop.

    Parameters
    ----------
    states
        Its states among those of the loop.
    system, blocks
        Its matrices and blocks.
    """

    states: tuple[int, ...]
    system: Matrices
    blocks: tuple[DeltaBlock, ...]


def independent_parts(system: Matrices, blocks: Sequence[DeltaBlock]) -> list[LoopPart]:
    """Parts of a loop without channel that no signal connects, those of the error of its model aside.

    Parameters
    ----------
    system, blocks
        Matrices and blocks of the loop.
    """
    from scipy.sparse.csgraph import connected_components

    A, B, C, D = system
    n, m = A.shape[0], D.shape[0]
    whole = [LoopPart(tuple(range(n)), system, tuple(blocks))]
    errors = [(b, rows) for b, rows in slices(blocks) if b.kind == "error"]
    others = [(b, rows) for b, rows in slices(blocks) if b.kind != "error"]
    linked = np.zeros((n + m, n + m), dtype=bool)
    linked[:n, :n], linked[:n, n:], linked[n:, :n], linked[n:, n:] = A != 0.0, B != 0.0, C != 0.0, D != 0.0
    for b, rows in others:
        if b.kind != "real":  # one system of several signals
            linked[n + rows.start : n + rows.stop, n + rows.start : n + rows.stop] = True
    for _, rows in errors:
        linked[n + rows.start : n + rows.stop] = False
        linked[:, n + rows.start : n + rows.stop] = False
    labels = np.asarray(connected_components(linked, directed=False)[1], dtype=int)
    names = list(dict.fromkeys(labels[:n].tolist()))
    bounds = [error_bound(system, blocks, rows) for _, rows in errors]
    if len(names) < 2 or not np.isfinite(bounds).all():
        return whole
    return [_part(system, errors, others, labels, name, len(names), bounds) for name in names]


def _part(
    system: Matrices,
    errors: Sequence[tuple[DeltaBlock, slice]],
    others: Sequence[tuple[DeltaBlock, slice]],
    labels: NDArray[np.int_],
    name: int,
    count: int,
    bounds: Sequence[float],
) -> LoopPart:
    """One part, with errors of the size that the whole loop needs."""
    A, B, C, D = system
    n = A.shape[0]
    states = np.flatnonzero(labels[:n] == name)
    found: list[int] = []
    blocks: list[DeltaBlock] = []
    for b, place in others:
        mine = [i for i in range(place.start, place.stop) if labels[n + i] == name]
        if mine:
            found += mine
            blocks.append(replace(b, size=len(mine)))
    rows = np.array(found, dtype=int)
    parts = [B[np.ix_(states, rows)]], [C[np.ix_(rows, states)]], [D[np.ix_(rows, rows)]]
    total = len(rows)
    for (b, place), bound in zip(errors, bounds, strict=True):
        size = max(b.size, len(states))
        more = size - b.size
        into = np.zeros((size, len(states)))
        into[: len(states)] = count * bound * np.eye(len(states))
        parts[0].append(np.hstack([B[states, place], np.zeros((len(states), more))]))
        parts[1].append(into)
        parts[2].append(np.hstack([D[rows, place], np.zeros((len(rows), more))]))
        blocks.append(replace(b, size=size))
        total += size
    feed = np.hstack(parts[2])
    feed = np.vstack([feed, np.zeros((total - len(rows), total))])
    matrices = (A[np.ix_(states, states)], np.hstack(parts[0]), np.vstack(parts[1]), feed)
    return LoopPart(tuple(states.tolist()), matrices, tuple(blocks))


def error_bound(system: Matrices, blocks: Sequence[DeltaBlock], rows: slice) -> float:
    """A bound of ``|z_e| / |x|`` over all values of the blocks; infinite if none is found.

    With ``z = C x + D w`` and ``|w_b| <= |z_b|`` in every block, scales ``T`` that commute with the blocks and
    ``|T D / T| = b < 1`` give ``|T w| <= |T C| |x| / (1 - b)``.

    Parameters
    ----------
    system, blocks
        Matrices and blocks of the loop.
    rows
        Rows of the error.
    """
    from scipy.linalg import matrix_balance

    _, _, C, D = system
    if not rows.stop > rows.start:
        return 0.0
    scale = 1.0 / np.asarray(matrix_balance(D, permute=False, separate=True)[1][0], dtype=float)
    for b, place in slices(blocks):
        if b.kind in ("full", "error"):
            scale[place] = scale[place].min(initial=np.inf)
    size = float(np.linalg.norm(scale[:, None] * D / scale, 2)) * (1.0 + 1e-9)
    if not size < 1.0:
        return np.inf
    output = float(np.linalg.norm(scale[:, None] * C, 2)) / (1.0 - size)
    feed = float(np.linalg.norm(D[rows] / scale, 2))
    return (float(np.linalg.norm(C[rows], 2)) + feed * output) * (1.0 + 1e-9)


def assembled(
    functions: Sequence[dict[str, Array]], parts: Sequence[LoopPart], count: int, order: int
) -> dict[str, Array]:
    """The sum of the functions of parts, as matrices of all states or their products.

    Parameters
    ----------
    functions, parts
        Matrices of the functions, by name, and the parts.
    count
        Number of states of the loop.
    order
        Number of states of a product.
    """
    if len(parts) == 1:
        return functions[0]
    whole = {term: k for k, term in enumerate(combinations_with_replacement(range(count), order))}
    names = {key: _numbers(key) for function in functions for key in function}
    every: dict[str, list[str]] = {}  # places of the coefficients of each parameter
    for numbers in names.values():
        for name, x in numbers.items():
            every[name] = list(dict.fromkeys([*every.get(name, []), x]))
    keys = [dict(zip(every, place, strict=True)) for place in product(*every.values())] if every else []
    found: dict[str, Array] = {}
    for function, part in zip(functions, parts, strict=True):
        places = [whole[term] for term in combinations_with_replacement(part.states, order)]
        if keys:  # the same at every coefficient of parameters that it does not depend on
            own = {tuple(names[key].items()): P for key, P in function.items()}
            known = next(iter(names[key] for key in function))
            function = {
                ", ".join(f"{n}={x}" for n, x in key.items()): own[tuple((n, key[n]) for n in known)] for key in keys
            }
        for name, P in function.items():
            found.setdefault(name, np.zeros((len(whole), len(whole))))[np.ix_(places, places)] += P
    return found


def _numbers(key: str) -> dict[str, str]:
    """Parameters and numbers of the place of a coefficient; none of a term of a polynomial."""
    pairs = (x.partition("=") for x in key.split(", ") if "=" in x)
    return {name: number for name, _, number in pairs}
