"""The function that is minimised: the worst of all requirements, over the numbers of a structure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.control.structured.plants import LoopPlant
from dalembert.control.structured.structures import Structure, Tunable
from dalembert.control.structured.terms import Term, abscissa
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["Objective", "Range", "ranges"]

_DEFAULT_BOUND = 1e3  # bound of a gain without one, in multiples of its typical size


@dataclass(frozen=True)
class Range:
    """A number between bounds, as a function of a free variable of typical size one.

    Numbers that may have either sign are nearly proportional to the variable until they come close to a bound; numbers
    that may not are exponential in it, so that gains of very different size are equally easy to find.
    """

    lower: float
    upper: float
    scale: float
    start: float

    @property
    def _positive(self) -> bool:
        return self.lower >= 0.0

    def value(self, y: float) -> tuple[float, float]:
        """The number, and its derivative."""
        width = self.upper - self.lower
        if self._positive:
            s = 1.0 / (1.0 + np.exp(-np.clip(y, -500.0, 500.0)))
            return self.lower + width * s, width * s * (1.0 - s)
        half, middle = width / 2.0, (self.upper + self.lower) / 2.0
        x = y * self.scale / half
        root = np.sqrt(1.0 + x * x)
        return middle + half * x / root, self.scale / root**3

    def ends_at_bound(self, x: float) -> bool:
        """Whether a number is as good as at a bound (zero is none for a number that may not be negative)."""
        width = self.upper - self.lower
        return self.upper - x < 1e-3 * width or (x - self.lower < 1e-3 * width and not self._positive)

    def variable(self, x: float) -> float:
        """The variable of a number, kept off the bounds."""
        width = self.upper - self.lower
        x = float(np.clip(x, self.lower + 1e-6 * width, self.upper - 1e-6 * width))
        if self._positive:
            s = (x - self.lower) / width
            return float(np.log(s / (1.0 - s)))
        half, middle = width / 2.0, (self.upper + self.lower) / 2.0
        s = (x - middle) / half
        return float(s / np.sqrt(1.0 - s * s) * half / self.scale)


def ranges(structure: Structure, plants: Sequence[LoopPlant], frequency: float | None) -> list[Range]:
    """Bounds and typical sizes of a structure's numbers; what was left open comes from the plants."""
    typical = _typical_gains(structure, plants, frequency)
    x = ca.SX.sym("x", len(structure.tunables))
    slope = ca.Function("slope", [x], [ca.jacobian(ca.vec(structure.packed(x)), x)])
    guess = [t.start if t.start is not None else (t.scale or 1.0) for t in structure.tunables]
    moved = np.abs(np.array(slope(guess).full())) if structure.tunables else np.zeros((0, 0))
    scaled = []
    for i, t in enumerate(structure.tunables):
        rows = np.flatnonzero(moved[:, i])
        sizes = typical.T.ravel()[rows]
        scale = t.scale
        if scale is None and t.lower is not None and t.upper is not None:
            scale = max(abs(t.lower), abs(t.upper)) / 4.0
        if scale is None:
            slopes = moved[rows, i] if t.power == 1.0 else 1.0
            scale = float(np.min(sizes / slopes)) ** (1.0 / t.power) if rows.size else 1.0
        scaled.append(_range(t, max(scale, abs(t.start or 0.0) / 10.0)))
    return scaled


def _range(t: Tunable, scale: float) -> Range:
    bound = _DEFAULT_BOUND * scale
    lower = t.lower if t.lower is not None else min(-bound, (t.upper or 0.0) - bound)
    upper = t.upper if t.upper is not None else max(bound, (t.lower or 0.0) + bound)
    start = t.start if t.start is not None else t.begin * scale
    if not lower <= start <= upper:
        if t.start is not None:
            raise InputError(f"tunable '{t.name}' starts at {start:g}, outside of its bounds {lower:g} to {upper:g}")
        start = (lower + upper) / 2.0 if lower < 0 else lower + min(scale, (upper - lower) / 2.0)
    if start in (lower, upper):
        start = lower + min(scale, (upper - lower) / 2.0) if start == lower else (lower + upper) / 2.0
    return Range(lower, upper, scale, start)


def _typical_gains(structure: Structure, plants: Sequence[LoopPlant], frequency: float | None) -> Array:
    """Gains with which each loop alone has a gain of one at a frequency; entries of the controller's states beside."""
    nu, ny = len(structure.controls), len(structure.measured)
    n = structure.order
    P = plants[0]
    order = P.A.shape[0] - n
    w = frequency or _middle_frequency(P.A[:order, :order])
    # At a real rate instead of a frequency: undamped plants have poles among the frequencies.
    states = np.linalg.solve(1.05 * w * np.eye(order) - P.A[:order, :order], P.B2[:order, :nu])
    G = np.abs(P.D22[:ny, :nu] + P.C2[:ny, :order] @ states).T
    reached = G > 1e-9 * G.max(initial=0.0)  # noqa: SIM300
    fill = float(1.0 / G.max()) if reached.any() else 1.0
    direct = np.where(reached, 1.0 / np.where(reached, G, 1.0), fill)
    whole = np.full((nu + n, ny + n), w)  # A: rates of the order of the frequency
    whole[:nu, :ny] = direct
    whole[:nu, ny:] = np.sqrt(fill) * w
    whole[nu:, :ny] = np.sqrt(fill)
    return whole


def _middle_frequency(A: Array) -> float:
    size = np.abs(np.linalg.eigvals(A)) if A.size else np.zeros(0)
    size = size[size > 1e-6 * max(size.max(initial=0.0), 1e-9)]
    return float(np.exp(np.log(size).mean())) if size.size else 1.0


class Objective:
    """Worst requirement as a function of the free variables.

    Parameters
    ----------
    structure
        The structure.
    plants
        The plants, the controller cut out.
    hard, soft
        Terms of what must be met and of what is minimised.
    limits
        Ranges of the numbers.
    """

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

    def numbers(self, y: Array) -> Array:
        """Numbers of the structure."""
        return np.array([r.value(float(v))[0] for r, v in zip(self.limits, y, strict=True)])

    def gain(self, x: Array) -> Array:
        """Packed gain matrix."""
        return np.array(self._K(x).full())

    def start(self) -> Array:
        """Variables of the first start."""
        return np.array([r.variable(r.start) for r in self.limits])

    def _chain(self, y: Array) -> tuple[Array, Array]:
        """Packed gain matrix, and its derivative by the variables, (entries, variables) with columns stacked."""
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

    def values(self, x: Array) -> dict[tuple[str, str], float]:
        """Every requirement's value by (name, plant)."""
        K = self.gain(x)
        return {(t.name, t.plant): t.pieces(K, 1.0)[0].value for t in (*self.hard, *self.soft)}
