"""References that leave no vibration behind: S-curves and input shapers.

An input shaper replaces a reference ``r(t)`` by ``sum A_i r(t - t_i)``: impulses so timed that the vibration excited
by the first is cancelled by the others. Sources: N. Singer and W. Seering, J. Dyn. Sys. Meas. Control 112 (1990) for ZV
and ZVD; W. Singhose, W. Seering and N. Singer, J. Mech. Design 116 (1994) for EI. The vibration used throughout is

    V(w) = exp(-zeta w t_n) sqrt(C^2 + S^2),   C, S = sum A_i exp(zeta w t_i) (cos, sin)(w_d t_i).

It is relative to the excitation of the reference without a shaper, which `excitation` returns: a shaper takes time, and
the faster reference behind it excites more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.renamed import renamed_keywords
from dalembert.core.types import Array
from dalembert.plan.references import Positions, Time, check_ends, is_number

__all__ = ["SCurve", "Shaped", "Shaper", "ei", "excitation", "zv", "zvd"]

_MORE_DAMPING = 0.05  # of an EI shaper, from one solution of its conditions to the next


@dataclass(frozen=True)
class SCurve:
    """Rest-to-rest motion with limited jerk: seven phases of constant jerk.

    Parameters
    ----------
    start, end
        Positions.
    jerk_time, acceleration_time, cruise_time
        Seconds of each phase of jerk (four of them), of constant acceleration (two) and of constant velocity.
    delay
        Seconds before it starts.

    Examples
    --------
    >>> move = SCurve.timed(0.0, 5.0, 8.0)
    >>> move.duration, round(float(move(4.0)), 9), round(float(move(9.0)), 9)
    (8.0, 2.5, 5.0)
    """

    start: ArrayLike
    end: ArrayLike
    jerk_time: float
    acceleration_time: float = 0.0
    cruise_time: float = 0.0
    delay: float = 0.0

    def __post_init__(self) -> None:
        check_ends(self)
        times = (self.jerk_time, self.acceleration_time, self.cruise_time, self.delay)
        if not all(map(is_number, times)) or not self.jerk_time > 0 or not min(times) >= 0:
            raise InputError(f"an SCurve needs jerk_time > 0 and other times and the delay >= 0, got {times}")

    @staticmethod
    def timed(
        start: ArrayLike,
        end: ArrayLike,
        duration: float,
        *,
        cruise: float = 1 / 3,
        smooth: float = 1.0,
        delay: float = 0.0,
    ) -> SCurve:
        """An S-curve of given duration.

        Parameters
        ----------
        start, end
            Positions.
        duration
            Seconds from start to end.
        cruise
            Share of the duration at constant velocity, 0 to below 1.
        smooth
            Share of each ramp with jerk, above 0 to 1 (no phase of constant acceleration).
        delay
            Seconds before it starts.
        """
        numbers = all(map(is_number, (duration, cruise, smooth)))
        if not (numbers and duration > 0 and 0 <= cruise < 1 and 0 < smooth <= 1):
            raise InputError(
                "an S-curve needs duration > 0, 0 <= cruise < 1 and 0 < smooth <= 1, "
                f"got {duration!r}, {cruise!r}, {smooth!r}"
            )
        ramp = duration * (1 - cruise) / 2
        return SCurve(start, end, ramp * smooth / 2, ramp * (1 - smooth), duration * cruise, delay)

    @staticmethod
    def limited(
        start: float, end: float, *, velocity: float, acceleration: float, jerk: float, delay: float = 0.0
    ) -> SCurve:
        """The fastest S-curve within limits of velocity, acceleration and jerk."""
        limits = {"velocity": velocity, "acceleration": acceleration, "jerk": jerk}
        for name, limit in limits.items():
            if not (is_number(limit) and limit > 0):
                raise InputError(f"the limit of {name} of an S-curve must be a finite number > 0, got {limit!r}")
        for name, place in (("start", start), ("end", end)):
            if not is_number(place):
                raise InputError(f"{name} of an S-curve within limits must be one finite number, got {place!r}")
        way = abs(float(end) - float(start))
        if way == 0:
            raise InputError(f"start and end of an S-curve must differ, got {start!r} twice")
        # Drop phases that the way is too short for: cruise first, then constant acceleration.
        t_j = min(acceleration / jerk, math.sqrt(velocity / jerk))
        t_a = max(velocity / (jerk * t_j) - t_j, 0.0)
        if way < velocity * (2 * t_j + t_a):
            t_j = acceleration / jerk
            t_a = (-3 * t_j + math.sqrt(t_j**2 + 4 * way / (jerk * t_j))) / 2
            if t_a < 0:
                t_j, t_a = (way / (2 * jerk)) ** (1 / 3), 0.0
            return SCurve(start, end, t_j, t_a, 0.0, delay)
        return SCurve(start, end, t_j, t_a, way / velocity - (2 * t_j + t_a), delay)

    @property
    def duration(self) -> float:
        """Seconds from start to end."""
        return 4 * self.jerk_time + 2 * self.acceleration_time + self.cruise_time

    @property
    def peaks(self) -> tuple[Array, Array, Array]:
        """Largest velocity, acceleration and jerk, per component."""
        way = np.abs(np.subtract(self.end, self.start))
        velocity = way / (2 * self.jerk_time + self.acceleration_time + self.cruise_time)
        acceleration = velocity / (self.jerk_time + self.acceleration_time)
        return velocity, acceleration, acceleration / self.jerk_time

    def __call__(self, t: Time) -> Positions:
        """Positions at time ``t``."""
        j, a, c = self.jerk_time, self.acceleration_time, self.cruise_time
        phases = (j, a, j, c, j, a, j)
        steps = (1, -1, -1, 1, -1, 1, 1, -1)  # of the jerk, at the beginning of each phase and at the end
        s = ca.fmin(t - self.delay, self.duration)
        moved: Positions | float = 0.0
        begin = 0.0
        for step, phase in zip(steps, (*phases, 0.0), strict=True):
            moved = moved + step * ca.fmax(s - begin, 0) ** 3 / 6
            begin += phase
        blend = moved / (j * (j + a) * (2 * j + a + c))
        start, end = ca.DM(np.asarray(self.start)), ca.DM(np.asarray(self.end))
        return start + (end - start) * blend


@dataclass(frozen=True)
class Shaper:
    """Impulses ``A_i`` at times ``t_i``, which add up to one.

    Call it with a reference to shape it; multiply shapers to suppress several modes.

    Parameters
    ----------
    times
        Seconds, ascending from 0.
    amplitudes
        Shares.
    """

    times: tuple[float, ...]
    amplitudes: tuple[float, ...]

    def __post_init__(self) -> None:
        try:
            t, A = as_numbers(self.times), as_numbers(self.amplitudes)
        except (TypeError, ValueError):
            raise InputError(
                f"times and amplitudes of a shaper must be numbers, got {self.times!r}, {self.amplitudes!r}"
            ) from None
        if t.ndim != 1 or t.shape != A.shape or t.size == 0 or t[0] != 0 or (np.diff(t) < 0).any():
            raise InputError(f"a shaper needs as many ascending times from 0 as amplitudes, got {self.times}")
        if abs(A.sum() - 1) > 1e-12 * np.abs(A).sum():
            raise InputError(f"the amplitudes of a shaper must add up to 1, got {A.sum()!r}")

    @property
    def duration(self) -> float:
        """Seconds by which it lengthens a reference."""
        return self.times[-1]

    def __call__(self, reference: Callable[[Time], Positions]) -> Shaped:
        """The shaped reference."""
        if not callable(reference):
            raise InputError(f"a shaper needs a reference that is a function of time, got {reference!r}")
        return Shaped(self, reference)

    def __mul__(self, other: Shaper) -> Shaper:
        if not isinstance(other, Shaper):
            return NotImplemented
        pairs = sorted(
            (t + s, a * b)
            for t, a in zip(self.times, self.amplitudes, strict=True)
            for s, b in zip(other.times, other.amplitudes, strict=True)
        )
        return Shaper(tuple(t for t, _ in pairs), tuple(a for _, a in pairs))

    @renamed_keywords("rad/s", frequency="omega")
    def vibration(self, omega: ArrayLike, damping: float = 0.0) -> Array:
        """Residual vibration of modes (rad/s), relative to that of one unit impulse."""
        w = as_numbers(omega)[..., None]
        t, A = np.asarray(self.times), np.asarray(self.amplitudes)
        z = A * np.exp(damping * w * (t - t[-1])) * np.exp(1j * w * math.sqrt(1 - damping**2) * t)
        return np.abs(z.sum(axis=-1))


@dataclass(frozen=True)
class Shaped:
    """A reference convolved with a shaper's impulses.

    Examples
    --------
    >>> from dalembert.plan import Quintic
    >>> slow = zv(omega=1.3)(Quintic([0.0], [5.0], duration=8.0))
    >>> round(float(slow(20.0)[0]), 9)
    5.0
    """

    shaper: Shaper
    reference: Callable[[Time], Positions]

    @property
    def duration(self) -> float:
        """Seconds until it rests."""
        return float(getattr(self.reference, "duration", math.nan)) + self.shaper.duration

    def __call__(self, t: Time) -> Positions:
        """Positions at time ``t``."""
        impulses = zip(self.shaper.times, self.shaper.amplitudes, strict=True)
        return cast(Positions, sum(A * self.reference(t - delay) for delay, A in impulses))


@renamed_keywords("rad/s", frequency="omega")
def excitation(reference: Callable[[Time], Positions], omega: ArrayLike, end: float) -> Array:
    """Velocity with which undamped modes ring once a reference rests: ``|int r''(t) exp(-i w t) dt|``.

    Parameters
    ----------
    reference
        Position as a function of time, with one component.
    omega
        Angular frequencies of the modes [rad/s], any shape.
    end
        Time at which the reference rests [s].

    Examples
    --------
    A slow mode rings more than a fast one after a smooth motion [m/s]:

    >>> from dalembert.plan import Quintic
    >>> move = Quintic([0.0], [5.0], duration=8.0)
    >>> excitation(move, [0.5, 3.0], 8.0).round(4).tolist()
    [1.8604, 0.0409]
    """
    if not callable(reference):
        raise InputError(f"a reference must be a function of time to compute its excitation, got {reference!r}")
    if not (is_number(end) and end > 0):
        raise InputError(f"the end of a reference must be a time > 0 s, got {end!r}")
    w = as_numbers(omega)
    if w.size == 0 or not (np.isfinite(w).all() and (w > 0).all()):
        raise InputError(f"the angular frequencies of modes must be > 0 rad/s, got {omega!r}")
    t = ca.SX.sym("t")
    r = ca.SX(reference(t))
    if r.numel() != 1:
        raise InputError(f"a reference must have one component to compute its excitation, got {r.numel()}")
    acceleration = ca.Function("a", [t], [ca.densify(ca.jacobian(ca.jacobian(r, t), t))])
    count = math.ceil(max(2e4, 50.0 * end * float(w.max())))  # the trapezoidal rule errs by (w h)^2/12
    grid = np.linspace(0.0, end, count + 1)
    values = np.array(acceleration.map(len(grid))(grid[None, :]).full())[0]
    return np.abs(np.trapezoid(values * np.exp(-1j * w[..., None] * grid), grid, axis=-1))


def _check(omega: float, damping: float) -> float:
    """Damped period of a mode."""
    if not (is_number(omega) and omega > 0):
        raise InputError(f"the angular frequency of a mode must be one number > 0 rad/s, got {omega!r}")
    if not (is_number(damping) and 0 <= damping < 1):
        raise InputError(f"the damping ratio of a mode must be at least 0 and below 1, got {damping!r}")
    return 2 * math.pi / (omega * math.sqrt(1 - damping**2))


@renamed_keywords("rad/s", frequency="omega")
def zv(omega: float, damping: float = 0.0) -> Shaper:
    """Zero-vibration shaper: two impulses, half a period apart.

    Parameters
    ----------
    omega
        Natural angular frequency of the mode [rad/s].
    damping
        Its damping ratio.
    """
    T = _check(omega, damping)
    K = math.exp(-damping * math.pi / math.sqrt(1 - damping**2))
    return Shaper((0.0, T / 2), (1 / (1 + K), K / (1 + K)))


@renamed_keywords("rad/s", frequency="omega")
def zvd(omega: float, damping: float = 0.0) -> Shaper:
    """Zero vibration and zero derivative with respect to the frequency: three impulses over one period.

    Examples
    --------
    >>> [round(x, 6) for x in zvd(omega=2.0).times], zvd(omega=2.0).amplitudes
    ([0.0, 1.570796, 3.141593], (0.25, 0.5, 0.25))
    """
    shaper = zv(omega, damping)
    T = 2 * shaper.times[1]
    A, B = shaper.amplitudes
    return Shaper((0.0, T / 2, T), (A * A, 2 * A * B, B * B))


@renamed_keywords("rad/s", frequency="omega")
def ei(omega: float, damping: float = 0.0, tolerance: float = 0.05) -> Shaper:
    """Extra-insensitive shaper: ``tolerance`` is admitted at the modelled frequency, for a wider valley around it.

    The tolerance is a share of the vibration without the shaper. Choose it as the admissible vibration, divided by the
    excitation of the reference (`excitation`): a fast reference needs a small one.

    Without damping the three impulses are ``(1 + V)/4, (1 - V)/2, (1 + V)/4`` at ``0, T/2, T``. With damping its
    conditions are solved: ``V(w)`` has its maximum, the tolerance, at the modelled frequency and a zero on either side.
    They have other solutions as well; this one is followed from none to the given damping.
    """
    T = _check(omega, damping)
    if not (is_number(tolerance) and 0 < tolerance < 1):
        raise InputError(f"the tolerance of an EI shaper must lie between 0 and 1, got {tolerance!r}")
    V = tolerance
    if damping == 0:
        return Shaper((0.0, T / 2, T), ((1 + V) / 4, (1 - V) / 2, (1 + V) / 4))
    from scipy.optimize import root

    def conditions(y: Array, z: float) -> list[float]:
        A1, A2, t2, t3, low, high = y
        t, A = np.array([0.0, t2, t3]) * _check(omega, z), np.array([A1, A2, 1 - A1 - A2])

        def response(ratio: float) -> complex:
            w = omega * ratio
            turned = A * np.exp(z * w * (t - t[-1]) + 1j * w * math.sqrt(1 - z**2) * t)
            return complex(turned.sum())

        below, above, h = response(low), response(high), 1e-5
        slope = (abs(response(1 + h)) - abs(response(1 - h))) / (2 * h)
        return [below.real, below.imag, above.real, above.imag, abs(response(1.0)) - V, slope]

    side = math.acos(-(1 - V) / (1 + V)) / math.pi
    y = np.array([(1 + V) / 4, (1 - V) / 2, 0.5, 1.0, side, 2 - side])
    for z in np.linspace(0.0, damping, math.ceil(damping / _MORE_DAMPING) + 1)[1:].tolist():
        y = root(conditions, y, args=(z,), tol=1e-13).x
        found = bool(np.abs(conditions(y, z)).max() <= 1e-8)
        if not found:
            break
    A1, A2, t2, t3, low, high = y.tolist()
    if not (found and low < 1.0 < high and 0.0 < t2 < t3 and min(A1, A2, 1 - A1 - A2) > 0.0):
        raise InputError(f"no EI shaper was found for the damping ratio {damping:g} and the tolerance {tolerance:g}")
    return Shaper((0.0, t2 * T, t3 * T), (A1, A2, 1 - A1 - A2))
