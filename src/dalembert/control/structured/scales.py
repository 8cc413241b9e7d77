"""Typical sizes of a controller's numbers, from plants and requirements, and the variables of the search.

A number has its typical size where the loop through it alone has a gain of one at a typical frequency. That frequency
is where requirements change (a weight passes one, a band ends, poles are required), else the middle of the plant's
poles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.control.norms import balanced, level_frequencies, matrices_of
from dalembert.control.structured.plants import LoopPlant
from dalembert.control.structured.requirements import ControllerGain, Gain, Poles, Requirement, Variance
from dalembert.control.structured.structures import Structure, Tunable
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["Range", "ranges", "typical_frequencies"]

_OFF = 1e-6  # of the range (or of the size, where there is one bound only) at which a start is kept off a bound


@dataclass(frozen=True)
class Range:
    """A number, bounded or not, as a function of a free variable of typical size one.

    Without bounds it is ``scale sinh(y)``: proportional to the variable about zero, exponential far from it, so that
    no size is out of reach. With one bound it is a hyperbola in that which approaches the bound. Between two bounds of
    either sign it is nearly proportional to the variable until it comes close to one; a number that may not be negative
    is exponential in it.
    """

    lower: float
    upper: float
    scale: float
    start: float

    @property
    def _logistic(self) -> bool:
        return self.lower >= 0.0 and bool(np.isfinite(self.upper))

    @property
    def _width(self) -> float:
        return self.upper - self.lower

    def value(self, y: float) -> tuple[float, float]:
        """The number, and its derivative."""
        if self._logistic:
            s = 1.0 / (1.0 + np.exp(-np.clip(y, -500.0, 500.0)))
            return self.lower + self._width * s, self._width * s * (1.0 - s)
        if np.isfinite(self._width):
            half, middle = self._width / 2.0, (self.upper + self.lower) / 2.0
            x = y * self.scale / half
            root = np.sqrt(1.0 + x * x)
            return middle + half * x / root, self.scale / root**3
        y = float(np.clip(y, -50.0, 50.0))
        x, slope = self.scale * np.sinh(y), self.scale * np.cosh(y)
        if np.isinf(self.lower) and np.isinf(self.upper):
            return x, slope
        sign, bound = (1.0, self.lower) if np.isfinite(self.lower) else (-1.0, self.upper)
        t = sign * (x - bound)
        root = np.hypot(t, 2.0 * self.scale)
        above = (t + root) / 2.0 if t > 0.0 else 2.0 * self.scale**2 / (root - t)
        return bound + sign * above, slope * above / root

    def variable(self, x: float) -> float:
        """The variable of a number, kept off the bounds."""
        if np.isfinite(self._width):
            x = float(np.clip(x, self.lower + _OFF * self._width, self.upper - _OFF * self._width))
        if self._logistic:
            s = (x - self.lower) / self._width
            return float(np.log(s / (1.0 - s)))
        if np.isfinite(self._width):
            half, middle = self._width / 2.0, (self.upper + self.lower) / 2.0
            s = (x - middle) / half
            return float(s / np.sqrt(1.0 - s * s) * half / self.scale)
        if np.isfinite(self.lower) or np.isfinite(self.upper):
            sign, bound = (1.0, self.lower) if np.isfinite(self.lower) else (-1.0, self.upper)
            above = max(sign * (x - bound), _OFF * self.scale)
            x = bound + sign * (above - self.scale**2 / above)
        return float(np.arcsinh(x / self.scale))

    def ends_at_bound(self, x: float) -> bool:
        """Whether a number is as good as at a bound (zero is none for a number that may not be negative)."""
        size = self._width if np.isfinite(self._width) else self.scale
        return bool(self.upper - x < 1e-3 * size or (x - self.lower < 1e-3 * size and self.lower != 0.0))


def typical_frequencies(plants: Sequence[LoopPlant], order: int, requirements: Sequence[Requirement]) -> list[float]:
    """Typical frequencies of the closed loop [rad/s]: that of the requirements, if any, then that of the plants."""
    asked = [w for r in requirements for w in _asked(r) if 0.0 < w < np.inf]
    sizes = np.concatenate([np.abs(np.linalg.eigvals(P.A[: len(P.A) - order, : len(P.A) - order])) for P in plants])
    sizes = sizes[sizes > 1e-6 * max(sizes.max(initial=0.0), 1e-9)]
    middles = [float(np.exp(np.log(w).mean())) for w in (asked, sizes) if len(w)]
    return middles or [1.0]


def _asked(r: Requirement) -> list[float]:
    if isinstance(r, Poles):
        return [w for w in (r.decay, r.omega) if w is not None]
    if not isinstance(r, Gain | Variance | ControllerGain):
        return []
    frequencies = [] if isinstance(r, Variance) or r.band is None else list(r.band)
    for weight in (r.before, r.after):
        if weight is not None:
            parts, _ = matrices_of(weight)
            frequencies += list(level_frequencies(balanced(parts), 1.0)) if parts[0].size else []
    return frequencies


def ranges(
    structure: Structure,
    plants: Sequence[LoopPlant],
    frequency: float,
    *,
    alike: Callable[[Array], float] | None = None,
) -> list[Range]:
    """Bounds, typical sizes and first values of a structure's numbers for a typical frequency [rad/s].

    With ``alike`` all static gains without a given scale have one size, a function of all their sizes. With the least
    of them, loops of several gains are small together, and the search begins close to the open loop.
    """
    order = structure.order
    rate = 1.05 * frequency  # a real rate instead of a frequency: undamped plants have poles among the frequencies
    G = _plant_gains(plants, order, rate)
    reached = G > 1e-9 * G.max(initial=0.0)  # noqa: SIM300
    fill = float(1.0 / G.max()) if reached.any() else 1.0
    gain = np.where(reached, 1.0 / np.where(reached, G, 1.0), fill)
    x = ca.SX.sym("x", len(structure.tunables))
    packed = ca.densify(structure.packed(x))
    parts = ca.Function("parts", [x], [packed, ca.densify(ca.jacobian(ca.vec(packed), x))])

    def moved(values: Sequence[float]) -> tuple[Array, Array]:
        """The packed controller, and its derivatives by the numbers, (numbers, rows, columns)."""
        K, J = (np.array(part.full()) for part in parts(ca.DM(list(values))))
        return K, J.T.reshape(-1, K.shape[1], K.shape[0]).transpose(0, 2, 1)

    guess = [t.start if t.start is not None else (t.scale or 1.0) for t in structure.tunables]
    _, slopes = moved(guess)
    sizes = [
        _given(t) or _entry_size(t, slope, gain, fill, frequency)
        for t, slope in zip(structure.tunables, slopes, strict=True)
    ]
    begin = [
        t.start
        if t.start is not None
        else s * (t.begin or (0.0 if order and slope[len(gain) :, gain.shape[1] :].any() else 1.0))
        for t, s, slope in zip(structure.tunables, sizes, slopes, strict=True)
    ]
    K, slopes = moved(begin)
    nu, ny = gain.shape
    R = np.linalg.inv(rate * np.eye(order) - K[nu:, ny:]) if order else np.zeros((0, 0))
    result = []
    for t, size, slope in zip(structure.tunables, sizes, slopes, strict=True):
        if _given(t) is None and t.power == 1.0 and not slope[nu:, ny:].any():
            through = slope[:nu, :ny] + slope[:nu, ny:] @ R @ K[nu:, :ny] + K[:nu, ny:] @ R @ slope[nu:, :ny]
            loop = float((np.abs(through) / gain).max(initial=0.0))
            size = 1.0 / loop if loop > 0.0 and np.isfinite(loop) else size
        result.append(_range(t, max(size, abs(t.start or 0.0) / 10.0)))
    static = [
        _given(t) is None and t.start is None and not (slope[nu:].any() or slope[:, ny:].any())
        for t, slope in zip(structure.tunables, slopes, strict=True)
    ]
    if alike is not None and any(static):
        size = alike(np.array([r.scale for r, s in zip(result, static, strict=True) if s]))
        result = [_range(t, size) if s else r for t, r, s in zip(structure.tunables, result, static, strict=True)]
    return result


def _plant_gains(plants: Sequence[LoopPlant], order: int, rate: float) -> Array:
    """Gains from measurements' controls at a rate, (controls, measured): the geometric mean over plants."""
    logs = []
    for P in plants:
        n, nu, ny = len(P.A) - order, P.B2.shape[1] - order, P.C2.shape[0] - order
        states = np.linalg.solve(rate * np.eye(n) - P.A[:n, :n], P.B2[:n, :nu])
        logs.append(np.log(np.maximum(np.abs(P.D22[:ny, :nu] + P.C2[:ny, :n] @ states).T, 1e-300)))
    return np.asarray(np.exp(np.mean(logs, axis=0)))


def _given(t: Tunable) -> float | None:
    if t.scale is None and t.lower is not None and t.upper is not None:
        return max(abs(t.lower), abs(t.upper)) / 4.0
    return t.scale


def _entry_size(t: Tunable, slope: Array, gain: Array, fill: float, frequency: float) -> float:
    """Size of a number by the entries of the packed controller that it moves: rates, gains, and mixtures."""
    nu, ny = gain.shape
    whole = np.full(slope.shape, frequency)
    whole[:nu, :ny] = gain
    whole[:nu, ny:] = np.sqrt(fill) * frequency
    whole[nu:, :ny] = np.sqrt(fill)
    at = slope != 0.0
    if not at.any():
        return 1.0
    return float((whole[at] / (np.abs(slope[at]) if t.power == 1.0 else 1.0)).min()) ** (1.0 / t.power)


def _range(t: Tunable, scale: float) -> Range:
    lower = -np.inf if t.lower is None else t.lower
    upper = np.inf if t.upper is None else t.upper
    if t.start is not None:
        if not lower <= t.start <= upper:
            raise InputError(f"tunable '{t.name}' starts at {t.start:g}, outside of its bounds {lower:g} to {upper:g}")
        return Range(lower, upper, scale, float(t.start))
    start = t.begin * scale
    if not lower < start < upper:
        if np.isfinite(lower) and np.isfinite(upper):
            start = (lower + upper) / 2.0 if lower < 0 else lower + min(scale, (upper - lower) / 2.0)
        else:
            start = lower + scale if np.isfinite(lower) else upper - scale
    return Range(lower, upper, scale, start)
