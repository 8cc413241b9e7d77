"""Capture of a moving point by a hand, optimal in time and effort (SPACE chapter 7).

The hand starts from a position, velocity and acceleration, and meets the target in position (case 1), in position and
velocity (case 2), or in position, velocity and acceleration (case 3). It minimises

    J = integral of 1 + w_u |u|^2 + w_1 |x|^2   with   u = r', r'', r'''   and   x = -, r', r''

over its path and over the final time. The path solves ``w_u r^(2n) = w_1 r^(2n - 2)`` (Pontryagin), a polynomial and,
with the extra weight ``w_1``, two exponentials of ``sigma = sqrt(w_1 / w_u)``; the final time is a root of
``dJ / dt_f``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, PlanError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.core.validation import check_number
from dalembert.plan.tumbling import PointMotion

__all__ = ["CapturePlan", "plan_capture"]

_MATCHES = ("position", "velocity", "acceleration")
_SERIES = 2.0  # below this sigma t_f the exponentials are too much like polynomials to be told from them
Target = Callable[[ArrayLike], PointMotion]


@dataclass(frozen=True)
class CapturePlan:
    """The optimal path of the hand.

    Attributes
    ----------
    match
        Quantity that meets the target at the end: ``"position"``, ``"velocity"`` (and position) or ``"acceleration"``
        (both).
    duration
        Final time ``t_f`` [s].
    cost
        The criterion ``J``.
    weight, extra
        ``w_u`` and ``w_1``.
    coefficients
        Coefficients of the functions that the path is made of, (2 n, 3).
    """

    match: str
    duration: float
    cost: float
    weight: float
    extra: float
    coefficients: Array

    @property
    def order(self) -> int:
        """Number ``n`` of conditions at each end: 1, 2 or 3."""
        return _MATCHES.index(self.match) + 1

    def derivative(self, t: ArrayLike, k: int = 0) -> Array:
        """Derivative ``k`` of the position at times from 0 to the duration, (..., 3)."""
        s = as_numbers(t)
        tolerance = 1e-9 * max(1.0, self.duration)
        if np.any(s < -tolerance) or np.any(s > self.duration + tolerance):
            raise InputError(f"a plan is defined from t = 0 to {self.duration:g} s, got {t!r}")
        return _basis(self.order, s, np.array(self.duration), _sigma(self.weight, self.extra), k) @ self.coefficients

    def __call__(self, t: ArrayLike) -> PointMotion:
        """Position, velocity, acceleration and jerk at times from 0 to the duration."""
        return PointMotion(*(self.derivative(t, k) for k in range(4)))


def plan_capture(
    target: Target,
    start: ArrayLike,
    *,
    match: str = "acceleration",
    weight: float = 1.0,
    extra: float = 0.0,
    duration: float | None = None,
    horizon: tuple[float, float] = (0.1, 60.0),
    samples: int = 400,
) -> CapturePlan:
    """Plan the optimal capture of a moving point.

    Parameters
    ----------
    target
        Motion of the target point from now on, a function of time (and of arrays of times) such as
        `TumblingBody.target`.
    start
        Position of the hand now; or position, velocity and acceleration as rows, of which the first ``n`` count (those
        that are not given are zero).
    match
        Quantity that is to meet the target at the end: ``"position"``, ``"velocity"`` or ``"acceleration"``, each with
        those before it.
    weight
        ``w_u``, of the squared velocity, acceleration or jerk.
    extra
        ``w_1``, of the squared velocity (``match="velocity"``) or acceleration (``match="acceleration"``).
    duration
        Final time; None: the optimal one.
    horizon
        Interval of the search for the final time.
    samples
        Number of intervals in which it is searched for minima of the cost; of several the least is taken.

    Returns
    -------
    The plan.

    Raises
    ------
    PlanError
        If the cost has no minimum within the horizon; the message says to which end it falls.

    Examples
    --------
    >>> from dalembert.plan import TumblingBody
    >>> body = TumblingBody((1440, 1120, 2250), rate=(0.0, 0.0, 0.07), point=(0.75, 1.885, 0.75))
    >>> plan = plan_capture(body.target, [5.0, 2.0, -1.0])
    >>> bool(abs(plan(plan.duration).position - body.target(plan.duration).position).max() < 1e-9)
    True
    """
    if match not in _MATCHES:
        raise InputError(f"match must be one of {', '.join(map(repr, _MATCHES))}, got {match!r}")
    n = _MATCHES.index(match) + 1
    w_u = check_number("weight", weight)
    w_1 = check_number("extra", extra, positive=False)
    if w_1 < 0.0 or (w_1 > 0.0 and n == 1):
        reason = "must be >= 0" if n > 1 else "has no effect where only the position is matched"
        raise InputError(f"extra {reason}, got {w_1:g}")
    x0 = _start(start, n)
    _check_target(target)
    if duration is not None:
        return _plan(target, x0, n, w_u, w_1, check_number("duration", duration, unit="s"))
    lower, upper = _horizon(horizon)
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 2:
        raise InputError(f"samples must be an integer >= 2, got {samples!r}")

    def slope(t: float) -> float:
        return float(_slope(target, x0, n, w_u, w_1, np.array(t)))

    times = np.linspace(lower, upper, samples + 1)
    slopes = _slope(target, x0, n, w_u, w_1, times)
    minima = np.flatnonzero((slopes[:-1] < 0.0) & (slopes[1:] >= 0.0))
    if not len(minima):
        way, cure = ("falls", "a later end") if slopes[-1] < 0.0 else ("rises", "an earlier begin")
        raise PlanError(
            f"the cost of the capture has no minimum between {lower:g} and {upper:g} s: it {way} to the end of the "
            f"horizon; give {cure}, or a duration"
        )
    from scipy.optimize import brentq

    roots = [brentq(slope, times[i], times[i + 1], xtol=1e-13, rtol=1e-14) for i in minima]
    return min((_plan(target, x0, n, w_u, w_1, float(t)) for t in roots), key=lambda plan: plan.cost)


def _sigma(w_u: float, w_1: float) -> float:
    """``sqrt(w_1 / w_u)``; SPACE (7.32), (7.42) print another, see the errata."""
    return math.sqrt(w_1 / w_u)


def _basis(n: int, t: Array, tf: Array, sigma: float, k: int) -> Array:
    """Derivative ``k`` at ``t`` of the ``2 n`` functions that a path of duration ``tf`` is made of, (..., 2 n)."""
    polynomials = 2 * n if sigma == 0.0 else 2 * n - 2
    columns = [_power(t / tf, i, k) / tf**k for i in range(polynomials)]
    if sigma > 0.0:
        short = sigma * tf < _SERIES
        x = np.where(short, sigma * tf, 0.0)
        waves = (sigma**k * np.exp(sigma * (t - tf)), (-sigma) ** k * np.exp(-sigma * t))
        for i, wave in enumerate(waves, start=polynomials):
            columns.append(np.where(short, _like_power(t / tf, i, x, k) / tf**k, wave))
    return np.stack(np.broadcast_arrays(*columns), axis=-1)


def _power(s: Array, i: int, k: int) -> Array:
    """Derivative ``k`` of ``s^i``."""
    return np.asarray(math.perm(i, k) * s ** (i - k) if i >= k else np.zeros_like(s))


def _like_power(s: Array, i: int, x: Array, k: int) -> Array:
    """Derivative ``k`` of ``i! sum_j x^(2 j) s^(i + 2 j) / (i + 2 j)!``: exponentials less their polynomials."""
    total: Array = np.zeros_like(s)
    for j in range(20):
        power = i + 2 * j
        total = total + math.factorial(i) / math.factorial(power) * x ** (2 * j) * _power(s, power, k)
    return total


def _coefficients(target: Target, x0: Array, n: int, sigma: float, tf: Array) -> tuple[Array, PointMotion]:
    """Coefficients (..., 2 n, 3) of the paths that meet the target at the times ``tf`` (...), and its motion there."""
    end = target(tf)
    ends = [_basis(n, t, tf, sigma, k) for t in (np.zeros_like(tf), tf) for k in range(n)]
    first = [np.broadcast_to(x, (*tf.shape, 3)) for x in x0]
    scale = tf[..., None, None] ** np.tile(np.arange(n), 2)[:, None]  # derivatives by t / t_f: rows of one size
    A, b = scale * np.stack(ends, axis=-2), scale * np.stack([*first, *end[:n]], axis=-2)
    return np.linalg.solve(A, b), end


def _slope(target: Target, x0: Array, n: int, w_u: float, w_1: float, tf: Array) -> Array:
    """``dJ / dt_f``, the Hamiltonian at the end: SPACE (7.27), (7.37), (7.47) with the errata."""
    sigma = _sigma(w_u, w_1)
    c, end = _coefficients(target, x0, n, sigma, tf)
    u = np.einsum("...i,...ij->...j", _basis(n, tf, tf, sigma, n), c)
    slope = 1.0 + w_u * np.sum(u * (2.0 * np.asarray(end[n]) - u), axis=-1)
    return np.asarray(slope + w_1 * np.sum(np.square(end[n - 1]), axis=-1) if n > 1 else slope)


def _plan(target: Target, x0: Array, n: int, w_u: float, w_1: float, tf: float) -> CapturePlan:
    c, _ = _coefficients(target, x0, n, _sigma(w_u, w_1), np.array(tf))
    plan = CapturePlan(_MATCHES[n - 1], tf, math.nan, w_u, w_1, c)
    return CapturePlan(plan.match, tf, tf + _effort(plan), w_u, w_1, c)


def _effort(plan: CapturePlan) -> float:
    """Integral of ``w_u |u|^2 + w_1 |x|^2``: integrated by parts, only its ends are left."""
    n, w_u, w_1 = plan.order, plan.weight, plan.extra
    ends = np.array([0.0, plan.duration])
    r = [plan.derivative(ends, k) for k in range(2 * n)]
    total = w_u * np.sum(r[n] * r[n - 1], axis=-1)
    for k in range(1, n):
        momentum = w_u * r[n + k] - w_1 * r[n + k - 2]
        total = total + (-1.0) ** k * np.sum(momentum * r[n - 1 - k], axis=-1)
    return float(total[1] - total[0])


def _start(start: ArrayLike, n: int) -> Array:
    try:
        x = np.atleast_2d(as_numbers(start))
    except (TypeError, ValueError):
        x = np.zeros((0, 0))
    if x.ndim != 2 or x.shape[1] != 3 or not 1 <= len(x) <= 3 or not np.isfinite(x).all():
        raise InputError(
            f"start must be a position of 3 finite numbers, or position, velocity and acceleration, got {start!r}"
        )
    return np.vstack([x, np.zeros((3, 3))])[:n]


def _horizon(horizon: tuple[float, float]) -> tuple[float, float]:
    try:
        lower, upper = (float(x) for x in horizon)
    except (TypeError, ValueError):
        lower, upper = math.nan, math.nan
    if not 0.0 < lower < upper < math.inf:
        raise InputError(f"horizon must be two times 0 < begin < end, got {horizon!r}")
    return lower, upper


def _check_target(target: Target) -> None:
    if not callable(target):
        raise InputError(f"target must be a function of time such as TumblingBody.target, got {target!r}")
    try:
        motion = np.array(target(np.zeros(2)), dtype=float)
    except (TypeError, ValueError, AttributeError):
        motion = np.zeros(0)
    if motion.shape != (4, 2, 3) or not np.isfinite(motion).all():
        raise InputError(
            "target must return position, velocity, acceleration and jerk, each (..., 3) for times (...) and finite"
        )
