"""The elastic catenary: a heavy cable that hangs at rest between two points (H. M. Irvine, Cable Structures, 1981).

The equations are those of ``model/ropes/catenary.py``. Newton's method solves for the pull (H, V) of the holder. The
matrix of derivatives of its place is symmetric; its inverse is the stiffness.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.model.ropes.catenary import compliance, reach

__all__ = ["Catenary", "catenary"]

_ROUNDS = 200
_CLOSE = 1e-12  # part of the length by which the end may miss its place


@dataclass(frozen=True, eq=False)
class Catenary:
    """A heavy cable at rest.

    Parameters
    ----------
    start, end
        Its ends [m].
    length, weight, stiffness
        Unstretched length [m], weight per length [N/m], axial stiffness ``E A`` [N] (infinite: inextensible).
    horizontal, vertical
        Pull of the cable's holder at ``end``: H along the horizontal line to ``end``, and V upwards [N].
    gravity
        Acceleration of gravity, which gives its mass.
    """

    start: Array
    end: Array
    length: float
    weight: float
    stiffness: float
    horizontal: float
    vertical: float
    gravity: float

    @property
    def forces(self) -> tuple[Array, Array]:
        """Forces of the cable on what holds its start and its end [N]."""
        e = self._along()
        at_end = -self.horizontal * e - np.array([0.0, 0.0, self.vertical])
        return self.horizontal * e + np.array([0.0, 0.0, self.vertical - self.weight * self.length]), at_end

    @property
    def tensions(self) -> tuple[float, float]:
        """Tensions at its start and its end [N]."""
        below = self.vertical - self.weight * self.length
        return math.hypot(self.horizontal, below), math.hypot(self.horizontal, self.vertical)

    @property
    def sag(self) -> float:
        """Largest distance of the cable below the line between its ends, measured vertically [m]."""
        points = self.points(400)
        d = np.linalg.norm((self.end - self.start)[:2])
        along = np.linalg.norm(points[:, :2] - self.start[:2], axis=1) / d
        return float(np.max(self.start[2] + along * (self.end[2] - self.start[2]) - points[:, 2]))

    @property
    def stiffness_matrix(self) -> Array:
        """Derivative (3 x 3) of the pull at ``end`` with respect to its position [N/m]; exact and symmetric."""
        l = float(np.linalg.norm((self.end - self.start)[:2]))
        K = np.linalg.inv(_compliance(self.horizontal, self.vertical, self.length, self.weight, self.stiffness))
        e, z = self._along(), np.array([0.0, 0.0, 1.0])
        across = np.cross(z, e)
        return (
            K[0, 0] * np.outer(e, e)
            + K[0, 1] * (np.outer(e, z) + np.outer(z, e))
            + K[1, 1] * np.outer(z, z)
            + self.horizontal / l * np.outer(across, across)
        )

    @property
    def frequency(self) -> float:
        """First frequency across its plane [Hz], about that of a string: motions must be slow against it."""
        chord = float(np.linalg.norm(self.end - self.start))
        l = float(np.linalg.norm((self.end - self.start)[:2]))
        return math.sqrt(self.horizontal * chord / l / (self.weight / self.gravity)) / (2.0 * chord)

    def points(self, count: int = 50) -> Array:
        """Points (count, 3) along the cable from its start to its end."""
        s = np.linspace(0.0, self.length, count)
        H, w, EA = self.horizontal, self.weight, self.stiffness
        low = self.vertical - w * self.length
        x = H * s / EA + H / w * (np.arcsinh((low + w * s) / H) - math.asinh(low / H))
        z = (low + w * s / 2.0) * s / EA + (np.hypot(H, low + w * s) - math.hypot(H, low)) / w
        return np.asarray(self.start + x[:, None] * self._along() + z[:, None] * np.array([0.0, 0.0, 1.0]))

    def _along(self) -> Array:
        d = (self.end - self.start) * np.array([1.0, 1.0, 0.0])
        return np.asarray(d / np.linalg.norm(d))


def catenary(
    start: ArrayLike,
    end: ArrayLike,
    length: float,
    weight: float,
    *,
    stiffness: float = math.inf,
    gravity: float = 9.81,
) -> Catenary:
    """Return the heavy cable between two points, with gravity along -z.

    Parameters
    ----------
    start, end
        Ends [m], not above each other.
    length
        Unstretched length [m].
    weight
        Weight per unstretched length [N/m].
    stiffness
        Axial stiffness ``E A`` [N]; infinite: inextensible, and longer than the distance of its ends.
    gravity
        Acceleration of gravity [m/s2].

    Examples
    --------
    >>> from dalembert.analysis import catenary
    >>> cable = catenary((0, 0, 0), (100, 0, 30), 106.0, 20.601, stiffness=2.8e7)
    >>> round(cable.horizontal, 3), round(cable.vertical, 3)
    (3252.322, 2099.944)
    """
    a, b = (_point(x, what) for x, what in ((start, "start"), (end, "end")))
    for value, what, infinite in ((length, "length", False), (weight, "weight", False), (stiffness, "stiffness", True)):
        number = float(value)
        if not number > 0.0 or (math.isinf(number) and not infinite):
            raise InputError(f"the {what} of a catenary must be > 0, got {value!r}")
    l, h = float(np.linalg.norm((b - a)[:2])), float((b - a)[2])
    if not l > 1e-6 * length:
        raise InputError(
            f"the ends of a catenary must not lie on a vertical line, got a horizontal distance of {l:g} m: a vertical "
            "cable has no horizontal tension"
        )
    if math.isinf(stiffness) and not length > math.hypot(l, h) * (1.0 + 1e-12):
        raise InputError(
            f"an inextensible cable of {length:g} m is too short for a distance of {math.hypot(l, h):g} m; give its "
            "stiffness"
        )
    H, V = _solve(l, h, float(length), float(weight), float(stiffness))
    return Catenary(a, b, float(length), float(weight), float(stiffness), H, V, float(gravity))


def _point(value: ArrayLike, what: str) -> Array:
    point = np.asarray(value, dtype=float)
    if point.shape != (3,) or not np.isfinite(point).all():
        raise InputError(f"the {what} of a catenary must be three finite numbers, got {value!r}")
    return point


def _reach(H: float, V: float, L: float, w: float, EA: float) -> Array:
    """Place (l, h) of the end for a pull (H, V)."""
    return np.array([float(x) for x in reach(H, V, L, w, EA)])


def _compliance(H: float, V: float, L: float, w: float, EA: float) -> Array:
    """Derivative of (l, h) with respect to (H, V)."""
    along, cross, upright = compliance(H, V, L, w, EA)
    return np.array([[along, cross], [cross, upright]], dtype=float)


def _solve(l: float, h: float, L: float, w: float, EA: float) -> tuple[float, float]:
    """H and V by Newton's method, from Irvine's first guess, or from others where it does not converge."""
    chord = math.hypot(l, h)
    slope = max(math.sqrt(3.0 * ((L**2 - h**2) / l**2 - 1.0)), 1e-3) if chord < L else 0.2
    H, V = w * l / (2.0 * slope), w / 2.0 * (h / math.tanh(slope) + L)
    if chord >= L:
        H = max(H, EA * (chord / L - 1.0) * l / chord)
        V = H * h / l + w * L / 2.0
    best = (H, V, math.inf)
    for factor in (1.0, 3.0, 0.3, 10.0, 0.1, 30.0):
        start = factor * H, factor * H * h / l + w * L / 2.0 if factor != 1.0 else V
        best = min(best, _newton(*start, l, h, L, w, EA), key=lambda made: made[2])
        if best[2] <= 1e3 * _CLOSE * max(chord, L):
            return best[0], best[1]
    raise InputError(
        f"no catenary of {L:g} m over {l:g} m and {h:g} m was found; the nearest one misses its end by {best[2]:.3g} m"
    )


def _newton(H: float, V: float, l: float, h: float, L: float, w: float, EA: float) -> tuple[float, float, float]:
    """H and V, and by how much they miss the end; steps that do not help are halved."""
    aim, size = np.array([l, h]), max(math.hypot(l, h), L)
    miss = _reach(H, V, L, w, EA) - aim
    for _ in range(_ROUNDS):
        if np.abs(miss).max() <= _CLOSE * size:
            break
        dH, dV = np.linalg.solve(_compliance(H, V, L, w, EA), -miss)
        part = 1.0
        while part > 1e-9:
            new_H, new_V = H * math.exp(max(min(part * dH / H, 2.0), -2.0)), V + part * float(dV)
            new = _reach(new_H, new_V, L, w, EA) - aim
            if np.linalg.norm(new) < np.linalg.norm(miss):
                break
            part /= 2.0
        else:
            break
        H, V, miss = new_H, new_V, new
    return H, V, float(np.abs(miss).max())
