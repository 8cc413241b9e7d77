"""Linear equations of a machine as polynomials of a motion, and Lyapunov functions that contain its mass matrix."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["EnergyFunction", "LinearFamily", "basis", "curvature", "energy_functions", "monomials"]

_ROUNDS = 12  # of linear matrix inequalities at more and more values
_ADDED = 4  # values per round
_ENOUGH = 0.05  # part of the margin by which inequalities may be worse at values that were left out


@dataclass(frozen=True, eq=False)
class EnergyFunction:
    """``V = x'^T M x' / 2 + x^T S M x' + x^T (K + X) x / 2``.

    Parameters
    ----------
    S, X
        Its matrices; ``M`` is the mass matrix of the machine, ``K`` the symmetric part of the stiffness of its loop at
        rest.
    scales
        Sizes of displacements and velocities at which its inequalities are written.
    """

    S: Array
    X: Array
    scales: Array

    def value(self, parts: Array, first: bool = True) -> Array:
        """Twice ``V`` as a matrix of displacements and velocities; ``parts`` as of a `LinearFamily`.

        It is linear in the parts and affine in the function: ``first`` adds the part that does not depend on them.
        """
        M, rest = parts[0], parts[4]
        return np.block([[rest + (self.X if first else 0.0), self.S @ M], [(self.S @ M).T, M]])

    def fall(self, parts: Array, decay: float = 0.0, first: bool = True) -> Array:
        """``-2 V' - 4 decay V`` as a matrix."""
        M, change, D, K, rest, softer = parts
        corner = (D - change).T @ self.S.T + K - rest - (self.X if first else 0.0)  # of velocities and displacements
        upper, lower = self.S @ K, D - self.S @ M
        W = np.block([[upper + upper.T - softer, corner.T], [corner, lower + lower.T - change]])
        return np.asarray(W - 2.0 * decay * self.value(parts, first))


@dataclass(frozen=True, eq=False)
class LinearFamily:
    """``M x'' + D x' + K x = 0`` along motions: polynomials of positions, rates and accelerations.

    Parameters
    ----------
    spans
        Ranges of the positions.
    turning
        Whether each position is an angle, whose polynomials are trigonometric.
    coefficients
        By monomials of rates and accelerations (see `monomials`), then by basis functions of each position, then mass
        matrix, its rate, damping, stiffness, the symmetric part of the stiffness at rest, and its rate.
    moving
        Number of positions that move. They come first; the others are constants.
    """

    spans: tuple[tuple[float, float], ...]
    turning: tuple[bool, ...]
    coefficients: Array
    moving: int

    def faster(self, factor: float, push: float | None = None) -> LinearFamily:
        """The family of motions whose rates are multiplied, and accelerations by ``push`` or as much."""
        d = self.moving
        squares = d + d * (d - 1) // 2
        push = factor if push is None else push
        factors = np.array([1.0, *[factor] * d, *[factor**2] * squares, *[push] * d])
        changed = factors.reshape(-1, *[1] * (self.coefficients.ndim - 1)) * self.coefficients
        return replace(self, coefficients=changed)

    @property
    def size(self) -> int:
        """Number of displacements."""
        return int(self.coefficients.shape[-1])

    def at(self, position: Sequence[float]) -> Array:
        """Matrices of all monomials at a position."""
        found = self.coefficients
        for x, turns in zip(position, self.turning, strict=True):
            found = np.tensordot(found, basis(x, turns), axes=(1, 0))
        return found

    @cached_property
    def vertices(self) -> list[Array]:
        """Values of the monomials of rates and accelerations whose convex hull contains those of every motion.

        Products of two rates are extreme where the rates are; squares are varied apart from them.
        """
        d = self.moving
        found = []
        for signs in product((-1.0, 1.0), repeat=d):
            for squares in product((0.0, 1.0), repeat=d):
                for pushes in product((-1.0, 1.0), repeat=d):
                    products = [signs[i] * signs[j] for i, j in combinations(range(d), 2)]
                    found.append(np.array([1.0, *signs, *squares, *products, *pushes]))
        return found


def monomials(rates: Array, accelerations: Array) -> Array:
    """One, the rates, their squares, their products and the accelerations."""
    products = [rates[i] * rates[j] for i, j in combinations(range(len(rates)), 2)]
    return np.array([1.0, *rates, *rates**2, *products, *accelerations])


def basis(x: float, turning: bool) -> Array:
    """Basis of the polynomials of a position."""
    if turning:
        return np.array([1.0, np.cos(x), np.sin(x), np.cos(2.0 * x), np.sin(2.0 * x)])
    return np.array([1.0, x, x**2])


def curvature(turning: bool) -> Array:
    """Largest second derivatives of the basis."""
    return np.array([0.0, 1.0, 1.0, 4.0, 4.0]) if turning else np.array([0.0, 0.0, 2.0])


def energy_functions(
    family: LinearFamily,
    decay: float,
    progress: Callable[[str], object] = lambda text: None,
    *,
    simple: bool = False,
) -> Iterator[EnergyFunction]:
    """Lyapunov functions for a family, to be verified: the energy with one coupling, then one by inequalities.

    The inequalities are those at some values, to which others are added where they fail.

    Parameters
    ----------
    family
        The family.
    decay
        Rate of decay [1/s].
    progress
        Called with a text now and then.
    simple
        Whether to leave out the inequalities, which take long for large machines.
    """
    middle = [0.5 * (lo + hi) for lo, hi in family.spans]
    parts = family.at(middle)[0]
    m, k = np.abs(np.diag(parts[0])), np.abs(np.diag(parts[4]))
    k = np.maximum(k, 1e-9 * m * float((k / m).max()))
    scales = 1.0 / np.sqrt(np.concatenate([k, m]))
    grid = list(product(*(np.linspace(lo, hi, 3 if len(family.spans) > 1 else 7) for lo, hi in family.spans)))
    places = [family.at(x) for x in grid]
    corners = np.array([np.eye(len(family.vertices[0]))[0], *family.vertices])

    def least(energy: EnergyFunction) -> list[tuple[float, int, int]]:
        """Least eigenvalues of the fall at all values, the worst first."""
        found = []
        for i, place in enumerate(places):
            falls = np.array([energy.fall(x, decay, first=k == 0) for k, x in enumerate(place)])
            falls = scales[:, None] * falls * scales
            lowest = np.linalg.eigvalsh(np.tensordot(corners, falls, 1))[:, 0]
            found += [(float(x), i, j) for j, x in enumerate(lowest)]
        return sorted(found)

    progress("Lyapunov function of the energy")
    zero = np.zeros((len(m), len(m)))
    candidates = [EnergyFunction(float(e) * np.eye(len(m)), zero, scales) for e in _coupling(family, middle)]
    rated = [(least(energy)[0][0], k) for k, energy in enumerate(candidates)]
    best, which = max(rated, default=(-np.inf, 0))
    if best > 0.0:
        yield candidates[which]
    if simple:
        return
    chosen = [(len(grid) // 2, 0)]
    for count in range(_ROUNDS):
        progress(f"Lyapunov function, round {count + 1}")
        energy, margin = _inequalities([np.tensordot(corners[j], places[i], 1) for i, j in chosen], scales, decay)
        if energy is None or margin <= 0.0:
            return
        worst = least(energy)
        if worst[0][0] >= (1.0 - _ENOUGH) * margin:
            break
        chosen += [(i, j) for _, i, j in worst[:_ADDED] if (i, j) not in chosen]
    if energy is not None:
        yield energy


def _coupling(family: LinearFamily, middle: Sequence[float]) -> Array:
    """Couplings [1/s] to try: parts of the least damping of the machine in the middle of its ranges."""
    from scipy.linalg import eigh

    M, _, D = family.at(middle)[0][:3]
    damping = float(eigh(D + D.T, M, eigvals_only=True)[0])  # twice the damping over the mass
    return damping * np.geomspace(0.02, 0.5, 8) if damping > 0.0 else np.zeros(0)


def _inequalities(values: Sequence[Array], scales: Array, decay: float) -> tuple[EnergyFunction | None, float]:
    """Solve the inequalities at some values: the function, and by how much they hold."""
    try:
        cp: Any = importlib.import_module("cvxpy")
    except ImportError:
        raise InputError("proofs along motions need cvxpy and clarabel: pip install 'dalembert[robust]'") from None
    n = len(scales) // 2
    x, v = scales[:n], scales[n:]
    size = cp.Variable((n, n), symmetric=True)  # X between displacements of their scales
    lever = cp.Variable((n, n))  # S, so that S M is of the size of velocities over displacements
    X = cp.multiply(np.outer(1.0 / x, 1.0 / x), size)
    S = cp.multiply(np.outer(1.0 / x, v), lever)
    t = cp.Variable()
    conditions = []
    outer = np.outer(scales, scales)
    for M, change, D, K, rest, softer in values:
        V = cp.bmat([[rest + X, S @ M], [(S @ M).T, M]])
        corner = (D - change).T @ S.T + K - rest - X
        upper, lower = S @ K, D - S @ M
        W = cp.bmat([[upper + upper.T - softer, corner.T], [corner, lower + lower.T - change]]) - 2.0 * decay * V
        for matrix in (cp.multiply(outer, W), cp.multiply(outer, V)):
            conditions.append(0.5 * (matrix + matrix.T) >> t * np.eye(2 * n))
    problem = cp.Problem(cp.Maximize(t), conditions)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # inaccurate or not: the function is checked
            problem.solve(solver=cp.CLARABEL)
    except cp.error.SolverError:
        return None, -np.inf
    if size.value is None:
        return None, -np.inf
    X_found = (size.value + size.value.T) / 2.0 / np.outer(x, x)
    return EnergyFunction(lever.value * np.outer(1.0 / x, v), X_found, scales), float(t.value)
