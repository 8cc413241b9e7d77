"""Lyapunov functions of higher degree in the states.

A homogeneous polynomial of degree ``2 k`` in the states is a quadratic form of their products of degree ``k``. These
products, in an orthonormal basis of the symmetric tensors, satisfy linear equations with the matrix

    A_k = k F^T (A x 1) F

of ``A`` and an isometry ``F``, so that the inequalities of quadratic functions apply to them (A. L. Zelentsovsky,
"Nonquadratic Lyapunov functions for robust stability analysis of linear uncertain systems", IEEE TAC 39 (1994),
135-138).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from math import factorial

import numpy as np

from dalembert.control.norms import Matrices
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["lifted", "lifted_matrix"]


def lifted(system: Matrices, blocks: Sequence[DeltaBlock], order: int) -> tuple[Matrices, list[DeltaBlock]]:
    """The equations of the products of ``order`` states; blocks repeat with the products of one state less.

    Parameters
    ----------
    system, blocks
        Matrices and blocks of a loop without channel.
    order
        Number of factors.
    """
    if order == 1:
        return system, list(blocks)
    for b in blocks:
        if b.kind not in ("real", "error"):
            raise InputError(
                f"order={order} needs blocks that act at every instant, and block '{b.name}' may be a system"
            )
    A, B, C, D = system
    F = _split(A.shape[0], order)
    m = F.shape[0] // A.shape[0]
    one = np.eye(m)
    more = [replace(b, size=m * b.size) for b in blocks]
    matrices = (
        lifted_matrix(A, order),
        np.asarray(order * F.T @ np.kron(B, one)),
        np.asarray(np.kron(C, one) @ F),
        np.asarray(np.kron(D, one), dtype=float),
    )
    return matrices, more


def lifted_matrix(A: Array, order: int) -> Array:
    """The matrix of the products of ``order`` states, of a matrix of states.

    Parameters
    ----------
    A, order
        The matrix, and the number of factors.
    """
    if order == 1:
        return A
    F = _split(A.shape[0], order)
    return np.asarray(order * F.T @ np.kron(A, np.eye(F.shape[0] // A.shape[0])) @ F)


def _split(n: int, order: int) -> Array:
    """Symmetric products of ``order`` states in terms of a state times the products of one less."""
    whole = [tuple(x) for x in combinations_with_replacement(range(n), order)]
    less = {tuple(x): k for k, x in enumerate(combinations_with_replacement(range(n), order - 1))}
    F = np.zeros((n * len(less), len(whole)))
    for column, term in enumerate(whole):
        for i in set(term):
            rest = list(term)
            rest.remove(i)
            key = tuple(rest)
            # entries of a symmetric unit tensor: one over the root of the number of its arrangements
            F[i * len(less) + less[key], column] = np.sqrt(_arrangements(key) / _arrangements(term))
    return F


def _arrangements(term: Sequence[int]) -> float:
    count = factorial(len(term))
    for i in set(term):
        count //= factorial(list(term).count(i))
    return float(count)
