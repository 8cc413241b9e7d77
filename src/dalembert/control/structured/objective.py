"""The function that is minimised: the worst of all requirements, over the numbers of a structure."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import casadi as ca
import numpy as np

from dalembert.control.structured.plants import LoopPlant
from dalembert.control.structured.scales import Range
from dalembert.control.structured.structures import Structure
from dalembert.control.structured.terms import Claim, Term, abscissa
from dalembert.core.types import Array

__all__ = ["Objective"]


class Objective:
    """Worst requirement as a function of the free variables.

    Parameters
    ----------
    structure
        The structure.
    plants
        The plants, the controller cut out.
    hard, soft
        Terms of hard requirements, and of minimised ones.
    limits
        Ranges of the numbers.
    """

    mixture: Array | None = None  # numbers without bounds as linear functions of the variables

    def __init__(
        self,
        structure: Structure,
        plants: Sequence[LoopPlant],
        hard: Sequence[Term],
        soft: Sequence[Term],
        limits: Sequence[Range],
    ) -> None:
        self.structure, self.plants, self.hard, self.soft, self.limits = structure, plants, hard, soft, limits
        x = ca.SX.sym("x", len(structure.tunables))
        K = ca.densify(structure.packed(x))
        self._K = ca.Function("K", [x], [K])
        self._slope = ca.Function("dK", [x], [ca.densify(ca.jacobian(ca.vec(K), x))])

    def scaled(self, limits: Sequence[Range]) -> Objective:
        """The same function of other variables."""
        other = copy(self)
        other.limits = limits
        return other

    def mixed(self, mixture: Array | None) -> Objective:
        """The same function of variables that a matrix takes to the numbers, which must have no bounds; None: none."""
        other = copy(self)
        other.mixture = mixture
        return other

    def slope(self, y: Array) -> Array:
        """Derivative of the packed gain matrix by the numbers, (entries, numbers) with columns stacked."""
        return np.array(self._slope(self.numbers(y)).full())

    def numbers(self, y: Array) -> Array:
        """Numbers of the structure."""
        if self.mixture is not None:
            return np.asarray(self.mixture @ y)
        return np.array([r.value(float(v))[0] for r, v in zip(self.limits, y, strict=True)])

    def gain(self, x: Array) -> Array:
        """Packed gain matrix."""
        return np.array(self._K(x).full())

    def variables(self, x: Sequence[float]) -> Array:
        """Variables of numbers, kept off the bounds."""
        if self.mixture is not None:
            return np.asarray(np.linalg.solve(self.mixture, np.asarray(x)))
        return np.array([r.variable(v) for r, v in zip(self.limits, x, strict=True)])

    def start(self) -> Array:
        """Variables of the first start."""
        return self.variables([r.start for r in self.limits])

    def _chain(self, y: Array) -> tuple[Array, Array]:
        """Packed gain matrix, and its derivative by the variables, (entries, variables) with columns stacked."""
        if self.mixture is not None:
            return self.gain(self.numbers(y)), self.slope(y) @ self.mixture
        pairs = [r.value(float(v)) for r, v in zip(self.limits, y, strict=True)]
        x, dx = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
        return self.gain(x), np.array(self._slope(x).full()) * dx

    def abscissa(self, y: Array) -> tuple[float, Array]:
        """Largest real part of all closed loops' poles."""
        K, J = self._chain(y)
        worst = max((abscissa(P, K) for P in self.plants), key=lambda piece: piece.value)
        return worst.value, J.T @ worst.gradient.T.ravel()

    def worst(self, y: Array, weight: float) -> tuple[float, Array]:
        """Largest requirement, hard ones times ``weight``, and a subgradient; infinite where a loop is unstable."""
        K, J = self._chain(y)
        best: tuple[float, Array] | None = None
        for terms, factor in ((self.hard, weight), (self.soft, 1.0)):
            for term in terms:
                piece = term.pieces(K, 1.0)[0]
                if not np.isfinite(piece.value):
                    return np.inf, np.zeros(len(y))
                if best is None or factor * piece.value > best[0]:
                    best = (factor * piece.value, factor * piece.gradient)
        assert best is not None
        return best[0], J.T @ best[1].T.ravel()

    def pieces(self, y: Array, weight: float, fraction: float = 0.9) -> tuple[Array, Array]:
        """Values and slopes of all requirements that are nearly the worst one."""
        K, J = self._chain(y)
        gradients = [
            (factor * piece.value, factor * piece.gradient)
            for terms, factor in ((self.hard, weight), (self.soft, 1.0))
            for term in terms
            for piece in term.pieces(K, fraction)
        ]
        most = max(value for value, _ in gradients)
        kept = [(value, J.T @ g.T.ravel()) for value, g in gradients if value >= fraction * most]
        return np.array([v for v, _ in kept]), np.array([g for _, g in kept])

    def claims(self, x: Array) -> dict[tuple[str, str], Claim]:
        """Claims about every requirement, by (name, plant)."""
        K = self.gain(x)
        return {(t.name, t.plant): t.claim(K) for t in (*self.hard, *self.soft)}
