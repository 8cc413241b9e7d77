"""Rest-to-rest references as expressions of time.

A reference is a function ``r(t)`` on CasADi symbols that returns the positions; laws differentiate it themselves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeAlias

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array, Expression

__all__ = [
    "Quintic", "Sine", "Spline", "Table", "blended", "check_ends", "check_move", "is_number", "piecewise", "progress"
]  # fmt: skip

Time: TypeAlias = float | Array | Expression
"""A time, times in a row, or the symbol of time."""

Positions: TypeAlias = Expression | ca.DM
"""Positions at a time: expressions of its symbol, or numbers."""


class Ends(Protocol):
    """A move between two rests."""

    @property
    def start(self) -> ArrayLike: ...
    @property
    def end(self) -> ArrayLike: ...


class Move(Ends, Protocol):
    """A move between two rests that takes a given time."""

    @property
    def duration(self) -> float: ...
    @property
    def delay(self) -> float: ...


def _vector(value: ArrayLike, what: str) -> tuple[float, ...]:
    try:
        array = np.atleast_1d(as_numbers(value))
    except (TypeError, ValueError):
        raise InputError(f"{what} must be numbers, got {value!r}") from None
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError(f"{what} must be a vector of finite numbers, got {value!r}")
    return tuple(array.tolist())


def is_number(value: object) -> bool:
    """Whether a value is a finite number."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(np.isfinite(value))


def check_ends(move: Ends) -> None:
    """Check the ends of a move between two rests, and store them as vectors."""
    kind = type(move).__name__
    start, end = _vector(move.start, f"start of a {kind}"), _vector(move.end, f"end of a {kind}")
    if len(start) != len(end):
        raise InputError(f"start and end of a {kind} must have equal lengths, got {len(start)} and {len(end)}")
    object.__setattr__(move, "start", start)
    object.__setattr__(move, "end", end)


def check_move(move: Move) -> None:
    """Check the ends, the duration and the delay of a move between two rests."""
    kind = type(move).__name__
    check_ends(move)
    if not (is_number(move.duration) and move.duration > 0):
        raise InputError(f"duration of a {kind} must be > 0, got {move.duration!r}")
    if not (is_number(move.delay) and move.delay >= 0):
        raise InputError(f"delay of a {kind} must be a finite number >= 0, got {move.delay!r}")


def progress(move: Move, t: Time) -> Positions:
    """Fraction of a move's time that has passed: 0 before it starts, 1 after its end."""
    return ca.fmin(ca.fmax((t - move.delay) / move.duration, 0), 1)


def blended(move: Ends, blend: Positions) -> Positions:
    """Positions of a move: its start at ``blend = 0``, its end at 1."""
    a, b = ca.DM(np.asarray(move.start)), ca.DM(np.asarray(move.end))
    return a + (b - a) * blend


@dataclass(frozen=True)
class Quintic:
    """Fifth-order polynomial between two rests, with zero velocity and acceleration at both.

    Parameters
    ----------
    start, end
        Positions, one per motor [m or rad].
    duration
        Time from start to end [s].
    delay
        Time before the move starts [s].

    Examples
    --------
    >>> move = Quintic(start=0.0, end=2.0, duration=4.0)
    >>> float(move(0.0)), float(move(2.0)), float(move(9.0))
    (0.0, 1.0, 2.0)
    """

    units: ClassVar[Mapping[str, str]] = {"start": "{q}", "end": "{q}", "duration": "s", "delay": "s"}

    start: ArrayLike
    end: ArrayLike
    duration: float
    delay: float = 0.0

    def __post_init__(self) -> None:
        check_move(self)

    def __call__(self, t: Time) -> Positions:
        """Positions at time ``t``."""
        s = progress(self, t)
        return blended(self, s**3 * (10 + s * (-15 + 6 * s)))


@dataclass(frozen=True)
class Sine:
    """Sinusoids ``center + amplitude sin(2 pi frequency t + phase)``, component by component.

    Parameters
    ----------
    center
        Mean positions, one per motor [m or rad].
    amplitude
        Amplitudes, one per motor [m or rad].
    frequency
        Frequency of all components [Hz].
    phase
        Phase angles at t = 0, one per motor or one for all [rad].

    Examples
    --------
    >>> sway = Sine(center=1.0, amplitude=0.5, frequency=0.25)  # a period of 4 s
    >>> round(float(sway(1.0)), 12)
    1.5
    """

    units: ClassVar[Mapping[str, str]] = {"center": "{q}", "amplitude": "{q}", "frequency": "Hz", "phase": "rad"}

    center: ArrayLike
    amplitude: ArrayLike
    frequency: float
    phase: ArrayLike = 0.0

    def __post_init__(self) -> None:
        names = ("center", "amplitude", "phase")
        vectors = {name: _vector(getattr(self, name), f"{name} of a Sine") for name in names}
        n = max(map(len, vectors.values()))
        for name, values in vectors.items():
            if len(values) not in (1, n):
                raise InputError(f"{name} of a Sine must be one number or {n} numbers, got {len(values)}")
            object.__setattr__(self, name, values if len(values) == n else n * values)
        if not is_number(self.frequency):
            raise InputError(f"frequency of a Sine must be a finite number, got {self.frequency!r}")

    def __call__(self, t: Time) -> Positions:
        """Positions at time ``t``."""
        center, amplitude, phase = (ca.DM(np.asarray(x)) for x in (self.center, self.amplitude, self.phase))
        return center + amplitude * ca.sin(2 * np.pi * self.frequency * t + phase)


class _Tabulated(ABC):
    """Pieces of polynomials between knots, as an expression of time; before and after, the values at the ends."""

    times: ArrayLike
    values: ArrayLike

    def _checked(self, fewest: int) -> tuple[Array, Array]:
        """Return times (n) and values (n, k)."""
        kind = type(self).__name__
        try:
            t, x = (as_numbers(numbers) for numbers in (self.times, self.values))
        except (TypeError, ValueError):
            raise InputError(f"times and values of a {kind} must be numbers") from None
        if t.ndim != 1 or len(t) < fewest or x.ndim not in (1, 2) or len(x) != len(t):
            raise InputError(
                f"a {kind} needs {fewest} times or more and as many values (rows), got shapes {t.shape} and {x.shape}"
            )
        if not (np.isfinite(t).all() and np.isfinite(x).all()):
            raise InputError(f"times and values of a {kind} must be finite")
        if not (np.diff(t) > 0).all():
            k = int(np.argmin(np.diff(t)))
            raise InputError(f"times of a {kind} must increase, got {t[k]:g} before {t[k + 1]:g}")
        x = x.reshape(len(t), -1)
        object.__setattr__(self, "times", tuple(t.tolist()))
        object.__setattr__(self, "values", tuple(map(tuple, x.tolist())))
        return t, x

    @abstractmethod
    def _pieces(self) -> Array:
        """Coefficients (degree + 1, pieces, k), the highest power first, of the time since the knot before."""

    def __call__(self, t: Time) -> Positions:
        """Values at time ``t``."""
        return piecewise(t, np.asarray(self.times), self._pieces().transpose(1, 0, 2))


def piecewise(t: Time, knots: Array, coefficients: Array) -> Positions:
    """Pieces of polynomials as an expression of time; before and after, the values at the ends.

    The row of the piece is the sum of all rows, of which one counts: equal operations for each row, which the compiler
    turns into a loop over a table of numbers. A search by halving would be as many operations, none of them alike.

    Parameters
    ----------
    t
        The time.
    knots
        Times (n + 1) between the pieces.
    coefficients
        Coefficients (n, degree + 1, k) of the time since the knot before, the highest power first.
    """
    at = ca.fmin(ca.fmax(t, knots[0]), knots[-1])
    n, powers, width = coefficients.shape
    table = np.column_stack([knots[:n], coefficients.reshape(n, -1)])
    ends = [*knots[1:n].tolist(), np.inf]
    row: Positions = ca.DM.zeros(table.shape[1])
    for begin, end, values in zip(knots[:n].tolist(), ends, table, strict=True):
        row = row + ca.logic_and(at >= begin, at < end) * ca.DM(values)
    h = at - row[0]
    value = row[1 : 1 + width]
    for power in range(1, powers):
        value = value * h + row[1 + power * width : 1 + (power + 1) * width]
    return value


@dataclass(frozen=True)
class Table(_Tabulated):
    """Straight lines between values at given times; the values at the ends before and after.

    Parameters
    ----------
    times
        Times (n), increasing.
    values
        Values (n, k), or (n) of one component.

    Examples
    --------
    >>> float(Table([0.0, 1.0, 3.0], [0.0, 2.0, 4.0])(2.0))
    3.0
    """

    times: ArrayLike
    values: ArrayLike

    def __post_init__(self) -> None:
        self._checked(2)

    def _pieces(self) -> Array:
        t, x = np.asarray(self.times), np.asarray(self.values)
        return np.stack([np.diff(x, axis=0) / np.diff(t)[:, None], x[:-1]])


@dataclass(frozen=True)
class Spline(_Tabulated):
    """Cubic spline through values at given times, with continuous accelerations; at rest before and after.

    Parameters
    ----------
    times
        Times (n), increasing.
    values
        Values (n, k), or (n) of one component.

    Examples
    --------
    >>> float(Spline([0.0, 1.0, 2.0], [0.0, 1.0, 0.0])(1.0))
    1.0
    """

    times: ArrayLike
    values: ArrayLike

    def __post_init__(self) -> None:
        self._checked(2)

    def _pieces(self) -> Array:
        from scipy.interpolate import CubicSpline

        spline = CubicSpline(np.asarray(self.times), np.asarray(self.values), bc_type="clamped")
        return np.asarray(spline.c)
