"""A search for motions of joints along which the loop of a machine diverges: the counterpart of a proof along motions.

Joints move as ``middle + reach sin(omega t + phase)`` with one period, or half of it, within their ranges, rates and
accelerations. The growth is that of the loop, linear about the motion, over one period (Floquet).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from numbers import Integral

import numpy as np

from dalembert.control.varying.energy import basis
from dalembert.control.varying.falsification import exponentials
from dalembert.control.varying.moving import MotionLoop
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["JointSine", "WorstMotion", "worst_motion"]

_STEPS = 64  # of a period in the search; a result is confirmed with four times as many
_BEST = 3  # motions that are improved
_SHRINK, _GROW = 0.85, 1.5  # of the steps from the worst motion, after a failure and a success


@dataclass(frozen=True)
class JointSine:
    """The motion ``middle + reach sin(omega t + phase)`` of a joint.

    Parameters
    ----------
    middle, reach
        Middle and amplitude [rad, m].
    omega
        Angular frequency [rad/s].
    phase
        Phase [rad].
    """

    middle: float
    reach: float
    omega: float
    phase: float

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Position, rate and acceleration."""
        angle = self.omega * t + self.phase
        sine, cosine = np.sin(angle), np.cos(angle)
        return (
            self.middle + self.reach * sine,
            self.reach * self.omega * cosine,
            -self.reach * self.omega**2 * sine,
        )


@dataclass(frozen=True, eq=False)
class WorstMotion:
    """Result of a search for a motion along which a loop diverges.

    Parameters
    ----------
    broken
        Whether one was found.
    growth
        Growth rate [1/s] along the worst motion that was found: positive if the loop diverges.
    period
        Its period [s].
    motion
        Motions of the joints.
    constants
        Values of parameters with a range.
    evaluations
        Number of motions that were tried.
    message
        The result in words.
    """

    broken: bool
    growth: float
    period: float
    motion: dict[str, JointSine]
    constants: dict[str, float]
    evaluations: int
    message: str


def worst_motion(
    loop: MotionLoop,
    *,
    evaluations: int = 400,
    seed: int = 0,
    progress: Callable[[str], object] = lambda text: None,
) -> WorstMotion:
    """Search for a motion, within ranges, rates and accelerations, along which a loop diverges.

    Random motions come first, half of them at one and two times the frequencies of the loop; random steps from the
    worst of them follow.

    Parameters
    ----------
    loop
        The loop about motions.
    evaluations
        Number of motions to try.
    seed
        Seed of the random ones.
    progress
        Called with a text now and then.

    Examples
    --------
    A pendulum with little damping on a rope of 1 to 3 m: slow hoisting leaves it stable, fast hoisting pumps it.

    >>> import dalembert as da
    >>> from dalembert.control import linear_feedback
    >>> from dalembert.control.varying import motion_loop
    >>> hoist = da.Machine(
    ...     "hoist",
    ...     bodies=[da.Body("rope"), da.point_mass("load", 2.0)],
    ...     joints=[
    ...         da.Joint("sway", "revolute", "world", "rope", axis="y", damping=2.0),
    ...         da.Joint("l", "prismatic", "rope", "load", axis="-z"),
    ...     ],
    ...     motors=[da.Motor("F", "l")],
    ... )
    >>> law = linear_feedback(hoist, [[30.0, 30.0]], measured=["l", "l_dot"], controls=["F"], at={"l": 2.0})
    >>> loop = motion_loop(hoist, law, {"l": (1.0, 3.0)}, {"l": (0.2, 0.8)}, at={"l": 2.0})
    >>> worst_motion(loop, evaluations=60).broken, worst_motion(loop.faster(5.0), evaluations=60).broken
    (False, True)
    """
    if not (isinstance(evaluations, Integral) and int(evaluations) >= 1):
        raise InputError(f"evaluations must be a whole number >= 1, got {evaluations!r}")
    search = _Search(loop)
    rng = np.random.default_rng(seed)
    tried: list[tuple[float, Array]] = []

    def told() -> None:
        progress(f"search: {search.count} motions, slowest decay {-max(g for g, _ in tried):.4g} 1/s")

    first = max(int(evaluations) // 2, 1)
    for k in range(first):
        x = search.resonant(rng) if k % 2 else rng.uniform(-1.0, 1.0, search.size)
        tried.append((search.growth(x), x))
        if k % 25 == 0:
            told()
    starts = sorted(tried, key=lambda item: -item[0])[:_BEST]
    for growth, best in starts:
        width = 0.3
        for _ in range((int(evaluations) - first) // len(starts)):
            x = np.clip(best + width * rng.standard_normal(search.size), -1.0, 1.0)
            now = search.growth(x)
            better = now > growth
            growth, best = (now, x) if better else (growth, best)
            width = min(width * (_GROW if better else _SHRINK), 0.5) if width > 1e-4 else 0.3
        tried.append((growth, best))
        told()
    _, x = max(tried, key=lambda item: item[0])
    growth = search.growth(x, 4 * _STEPS)
    period, motion, constants = search.motion(x)
    broken = growth > 1e-9 * search.fastest
    if broken:
        message = f"a motion with a period of {period:.4g} s makes the loop diverge at {growth:.4g} 1/s"
    else:
        message = f"along none of {search.count} motions the loop diverges: the slowest decay is {-growth:.4g} 1/s"
    return WorstMotion(broken, growth, period, motion, constants, search.count, message)


class _Search:
    """Motions by numbers between -1 and 1, and their growth."""

    def __init__(self, loop: MotionLoop) -> None:
        self.loop = loop
        self.parts = loop.family.coefficients[..., (0, 2, 3), :, :]
        self.size = 1 + 4 * len(loop.joints) + len(loop.constants)
        poles = np.abs(np.linalg.eigvals(self._matrices(np.array([self._middle()]))[0]))
        self.fastest = float(poles.max()) or 1.0
        slow = float(poles[poles > 1e-6 * self.fastest].min(initial=self.fastest))
        self.periods = (2.0 * np.pi / self.fastest, 4.0 * 2.0 * np.pi / slow)
        self.count = 0

    def _middle(self) -> Array:
        """Monomials and positions in the middle of the ranges, at rest."""
        rest = np.zeros(self.parts.shape[0])
        rest[0] = 1.0
        return np.array([*rest, *self.loop.middle])

    def resonant(self, rng: np.random.Generator) -> Array:
        """A random motion of the largest size, at one or two times a frequency of the loop in the middle."""
        x = rng.uniform(-1.0, 1.0, self.size)
        omega = np.abs(np.linalg.eigvals(self._matrices(np.array([self._middle()]))[0]).imag)
        omega = omega[omega > 1e-6 * self.fastest]
        if omega.size:
            period = 2.0 * np.pi / (rng.choice(omega) * rng.choice((1.0, 2.0)) * rng.uniform(0.9, 1.1))
            low, high = np.log(self.periods)
            x[0] = np.clip(2.0 * (np.log(period) - low) / (high - low) - 1.0, -1.0, 1.0)
        x[2 : 1 + 4 * len(self.loop.joints) : 4] = 1.0
        return x

    def motion(self, x: Array) -> tuple[float, dict[str, JointSine], dict[str, float]]:
        """Period, motions of the joints, and values of the parameters."""
        low, high = np.log(self.periods)
        period = float(np.exp(low + (high - low) * 0.5 * (1.0 + x[0])))
        found = {}
        for k, j in enumerate(self.loop.joints):
            middle, share, phase, double = (float(y) for y in x[1 + 4 * k : 5 + 4 * k])
            lo, hi = j.span
            omega = (2.0 if double > 0.5 else 1.0) * 2.0 * np.pi / period
            most = min(0.5 * (hi - lo), j.rate / omega, j.acceleration / omega**2)
            reach = 0.5 * (1.0 + share) * most
            centre = 0.5 * (lo + hi) + middle * (0.5 * (hi - lo) - reach)
            found[j.name] = JointSine(centre, reach, omega, np.pi * phase)
        ends = x[1 + 4 * len(self.loop.joints) :]
        constants = {c.name: c.position(float(y)) for c, y in zip(self.loop.constants, ends, strict=True)}
        return period, found, constants

    def growth(self, x: Array, steps: int = _STEPS) -> float:
        """Growth rate [1/s] of the worst solution along a motion."""
        self.count += 1
        period, motion, _ = self.motion(x)
        t = np.asarray((np.arange(steps) + 0.5) * (period / steps), dtype=float)
        positions, rates, pushes = [], [], []
        for j in self.loop.joints:
            q, v, a = motion[j.name].at(t)
            lo, hi = j.span
            positions.append(q if j.turning else (q - 0.5 * (lo + hi)) / (0.5 * (hi - lo)))
            rates.append(v / j.rate)
            pushes.append(a / j.acceleration)
        ends = x[1 + 4 * len(self.loop.joints) :]
        positions += [np.full(steps, y) for y in ends]
        products = [rates[i] * rates[j] for i, j in combinations(range(len(rates)), 2)]
        rows = np.array([np.ones(steps), *rates, *(r**2 for r in rates), *products, *pushes, *positions]).T
        whole, log = np.eye(2 * self.loop.family.size), 0.0
        for step in exponentials(self._matrices(rows) * (period / steps)):
            whole = step @ whole
            size = float(np.abs(whole).max())
            whole, log = whole / size, log + np.log(size)
        largest = float(np.abs(np.linalg.eigvals(whole)).max())
        return float((np.log(max(largest, 1e-300)) + log) / period)

    def _matrices(self, rows: Array) -> Array:
        """Matrices of the loop, first order, at rows of monomials and positions."""
        count, n = self.parts.shape[0], self.loop.family.size
        found = np.tensordot(rows[:, :count], self.parts, 1)
        for k, x in enumerate(self.loop.varied):
            bases = np.array([basis(float(y), x.turning) for y in rows[:, count + k]])
            found = np.einsum("sa,sa...->s...", bases, found)
        M, D, K = found[:, 0], found[:, 1], found[:, 2]
        lower = -np.linalg.solve(M, np.concatenate([K, D], axis=2))
        upper = np.broadcast_to(np.hstack([np.zeros((n, n)), np.eye(n)]), (len(rows), n, 2 * n))
        return np.concatenate([upper, lower], axis=1)
