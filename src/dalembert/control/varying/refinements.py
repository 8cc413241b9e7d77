"""Lyapunov functions beyond quadratic and affine ones: higher degrees in the states, and pieces of a range.

A homogeneous polynomial of degree ``2 k`` in the states is a quadratic form of their products of degree ``k``. These
products, in an orthonormal basis of the symmetric tensors, satisfy linear equations with the matrix

    A_k = k F^T (A x 1) F

of ``A`` and an isometry ``F``, so that the inequalities of quadratic functions apply to them (A. L. Zelentsovsky,
"Nonquadratic Lyapunov functions for robust stability analysis of linear uncertain systems", IEEE TAC 39 (1994),
135-138).

A function that is affine in a parameter on each of several pieces of its range, and continuous, falls if it falls on
every piece: at a knot the parameter moves into one of the two pieces, or stays.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from math import factorial
from typing import Any

import numpy as np

from dalembert.control.norms import Matrices
from dalembert.control.uncertain.blocks import DeltaBlock, slices
from dalembert.control.varying.inequalities import Certificate, Inequalities
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["in_pieces", "lifted", "piece"]


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
        np.asarray(order * F.T @ np.kron(A, one) @ F),
        np.asarray(order * F.T @ np.kron(B, one)),
        np.asarray(np.kron(C, one) @ F),
        np.asarray(np.kron(D, one), dtype=float),
    )
    return matrices, more


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


def piece(system: Matrices, blocks: Sequence[DeltaBlock], name: str, middle: float, half: float) -> Matrices:
    """The system with a block that is ``middle + half d``, with ``d`` between -1 and 1."""
    A, B, C, D = system
    m = sum(b.size for b in blocks)
    at, width = np.zeros(D.shape[0]), np.ones(D.shape[0])
    for b, rows in slices(blocks):
        if b.name == name:
            at[rows], width[rows] = middle, half
    # rows beyond the blocks are those of the channel
    inner = np.linalg.inv(np.eye(m) - D[:m, :m] * at[:m])
    C, D = C.copy(), D.copy()
    z, feed = inner @ C[:m], inner @ D[:m]
    A, B = A + (B[:, :m] * at[:m]) @ z, B + (B[:, :m] * at[:m]) @ feed
    C[m:], D[m:] = C[m:] + (D[m:, :m] * at[:m]) @ z, D[m:] + (D[m:, :m] * at[:m]) @ feed
    C[:m], D[:m] = width[:m, None] * z, width[:m, None] * feed
    return A, B, C, D


def in_pieces(parts: Sequence[Inequalities], name: str) -> tuple[list[Certificate], float]:
    """Solve inequalities of neighbouring pieces of a range together, with a function that is continuous at the knots.

    Parameters
    ----------
    parts
        Inequalities of the pieces, in order, for functions that are affine in the parameters.
    name
        The parameter.

    Returns
    -------
    tuple
        The certificates of the pieces, and their least margin.
    """
    cp: Any = importlib.import_module("cvxpy")
    n, first = parts[0].size, parts[0]
    place = first.varying.index(name)
    knots = [cp.Variable((n, n), symmetric=True) for _ in range(len(parts) + 1)]
    shared = {term: cp.Variable((n, n), symmetric=True) for term in first.terms if term and term != (place,)}
    t: Any = cp.Variable()
    conditions, multipliers, functions = [], [], []
    for k, part in enumerate(parts):
        P = {(): 0.5 * (knots[k] + knots[k + 1]), (place,): 0.5 * (knots[k + 1] - knots[k]), **shared}
        found = part.multipliers(cp)
        conditions += part.conditions(P, found, t, None, cp.bmat)
        multipliers.append(found)
        functions.append(P)
    conditions.append(sum(cp.trace(x) for x in knots) + sum(cp.trace(q) for x in multipliers for q in x.Q) == n)
    problem = cp.Problem(cp.Maximize(t), conditions)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # inaccurate or not: the solution is checked
            problem.solve(solver=cp.CLARABEL)
    except cp.error.SolverError:
        return [], -np.inf
    if knots[0].value is None:
        return [], -np.inf
    values = [(x.value + x.value.T) / 2.0 for x in knots]
    others = {term: (x.value + x.value.T) / 2.0 for term, x in shared.items()}
    certificates = []
    for k, (part, found) in enumerate(zip(parts, multipliers, strict=True)):
        P = {(): 0.5 * (values[k] + values[k + 1]), (place,): 0.5 * (values[k + 1] - values[k]), **others}
        certificates.append(part.checked(part.solution(P, found)))
    return certificates, min(c.margin for c in certificates)
