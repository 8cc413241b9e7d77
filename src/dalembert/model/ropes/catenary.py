"""The elastic catenary (H. M. Irvine, Cable Structures, 1981), on numbers and on CasADi symbols.

A cable of unstretched length ``L``, weight ``w`` per length and axial stiffness ``EA`` hangs from its start to its end,
which is at the distance ``l`` and the height ``h`` from the start. The holder at the end pulls with (H, V):

    l = H L / EA + (H / w) (asinh(V / H) - asinh((V - w L) / H))
    h = (V - w L / 2) L / EA + (sqrt(H^2 + V^2) - sqrt(H^2 + (V - w L)^2)) / w

Both are derivatives of the potential energy of strain and weight, ``dU/dl = H`` and ``dU/dh = V``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import casadi as ca

__all__ = ["ROUNDS", "Hanging", "compliance", "cut", "potential", "pull", "reach"]

_STEPS = 12  # of Newton's method; 4,000 random catenaries needed 10 at most
_CUTS = 6  # the same with H given
_NEAR = 2  # from a solution nearby
_MORE, _LESS = math.e - 1.0, 1.0 - 1.0 / math.e  # H changes by a factor of e at most in a step
ROUNDS = 6  # of Newton's method for where a cable leaves a pulley


def reach(H: Any, V: Any, L: Any, w: Any, EA: Any) -> tuple[Any, Any]:
    """Place (l, h) of the end for a pull (H, V)."""
    low = V - w * L
    upper, lower = ca.sqrt(H**2 + V**2), ca.sqrt(H**2 + low**2)
    # Differences of asinh and of roots in forms that keep their digits where the cable is taut, and these nearly equal.
    s = low * V
    part = ca.if_else(s > 0, (H**2 + V**2 + low**2) / (upper * lower + ca.fabs(s)), (upper * lower - s) / H**2)
    l = H * L / EA + H / w * ca.asinh(w * L * (1.0 + part) / (upper + lower))
    return l, (V - w * L / 2.0) * L / EA + L * (V + low) / (upper + lower)


def compliance(H: Any, V: Any, L: Any, w: Any, EA: Any) -> tuple[Any, Any, Any]:
    """Derivatives dl/dH, dl/dV = dh/dH and dh/dV."""
    low = V - w * L
    upper, lower = ca.sqrt(H**2 + V**2), ca.sqrt(H**2 + low**2)
    along = L / EA + (ca.asinh(V / H) - ca.asinh(low / H) - V / upper + low / lower) / w
    return along, (H / upper - H / lower) / w, L / EA + (V / upper - low / lower) / w


def potential(H: Any, V: Any, L: Any, w: Any, EA: Any) -> Any:
    """Energy of strain, and of weight above the start: the integrals of ``T^2 / (2 EA)`` and ``w z``."""
    low = V - w * L
    upper, lower = ca.sqrt(H**2 + V**2), ca.sqrt(H**2 + low**2)
    strain = (H**2 * L + (V**3 - low**3) / (3.0 * w)) / (2.0 * EA)
    stretched = w * L**2 * (low / 2.0 + w * L / 6.0) / EA
    curve = (V * upper - low * lower + H**2 * (ca.asinh(V / H) - ca.asinh(low / H))) / (2.0 * w)
    return strain + stretched + curve - L * lower


def pull(
    l: ca.SX,
    h: ca.SX,
    total: ca.SX,
    w: ca.SX,
    EA: ca.SX,
    near: tuple[ca.SX, ca.SX, ca.SX] | None = None,
    before: ca.SX | None = None,
) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
    """Unstretched length L, pull (H, V) at the end, and by which part of the length Newton's method misses the end.

    A part ``before / (1 + T / EA)`` of the ``total`` length lies ahead of the start, with the tension ``T`` there; none
    by default. Newton's method takes a fixed number of steps; few suffice from a solution (L, H, V) ``near``.
    """
    c = ca.SX(0) if before is None else before
    L = total - c
    chord = ca.sqrt(l**2 + h**2)
    hangs = chord < L
    slope = ca.if_else(hangs, ca.fmax(ca.sqrt(3.0 * ca.fmax((L**2 - h**2) / l**2 - 1.0, 0.0)), 0.03), 0.2)
    H = w * l / (2.0 * slope)
    taut = ca.fmax(H, EA * (chord / L - 1.0) * l / chord)
    V = ca.if_else(hangs, w / 2.0 * (h / ca.tanh(slope) + L), taut * h / l + w * L / 2.0)
    H = ca.if_else(hangs, H, taut)
    if near is not None:
        L, H, V = near
    for _ in range(_STEPS if near is None else _NEAR):
        (x, z), (a, b, d) = reach(H, V, L, w, EA), compliance(H, V, L, w, EA)
        low = V - w * L
        T = ca.sqrt(H**2 + low**2)
        give = 1.0 / EA + 1.0 / T  # the derivatives of (l, h) by L are (H, low) times this
        freed = c / (EA * (1.0 + T / EA) ** 2) / T  # and those of L by (H, V) are (H, low) times this
        freed = freed / (1.0 + freed * w * low)
        miss_L = (total - c / (1.0 + T / EA) - L) * (1.0 - freed * w * low)
        miss_l, miss_h = l - x - H * give * miss_L, h - z - low * give * miss_L
        a, b, d = a + H * give * freed * H, b + H * give * freed * low, d + low * give * freed * low
        det = a * d - b * b
        dH, dV = (d * miss_l - b * miss_h) / det, (a * miss_h - b * miss_l) / det
        part = 1.0 / ca.fmax(1.0, ca.fmax(dH / (_MORE * H), -dH / (_LESS * H)))  # the direction of the pull counts
        L = L + part * (miss_L + freed * (H * dH + low * dV))
        H, V = H + part * dH, V + part * dV
    if before is None:
        L = total
    x, z = reach(H, V, L, w, EA)
    ahead = ca.fabs(total - c / (1.0 + ca.sqrt(H**2 + (V - w * L) ** 2) / EA) - L)
    return L, H, V, ca.fmax(ca.fmax(ca.fabs(x - l), ca.fabs(z - h)), ahead) / ca.fmax(chord, L)


def cut(l: ca.SX, h: ca.SX, H: ca.SX, w: ca.SX, EA: ca.SX, near: ca.SX | None = None) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Vertical pull V and unstretched length L of the cable that pulls with H along, and the error as in `pull`.

    There is one such cable for every H > 0, and L falls with H; an end tension may belong to two cables. Newton's
    method starts at the inextensible catenary, ``L^2 = h^2 + (l sinh(k) / k)^2`` with ``k = w l / (2 H)``. With the
    solution (V, L) given as ``near`` it is one step, which has the derivatives of the solution in a short expression.
    """
    if near is None:
        k = ca.fmin(w * l / (2.0 * H), 30.0)
        L = ca.sqrt(h**2 + (l * ca.sinh(k) / k) ** 2)
        V = w / 2.0 * (h / ca.tanh(k) + L)
        L = L / (1.0 + H * ca.sqrt(l**2 + h**2) / (l * EA))
    else:
        V, L = near[0], near[1]
    for _ in range(_CUTS if near is None else 1):
        (x, z), (_, b, c) = reach(H, V, L, w, EA), compliance(H, V, L, w, EA)
        low = V - w * L
        give = 1.0 / EA + 1.0 / ca.sqrt(H**2 + low**2)  # the derivatives of (l, h) by L are (H, low) times this
        miss_l, miss_h, det = l - x, h - z, (b * low - c * H) * give
        V, dL = V + (low * miss_l - H * miss_h) * give / det, (b * miss_h - c * miss_l) / det
        L = L * ca.exp(ca.fmax(ca.fmin(dL / L, 1.0), -1.0))
    x, z = reach(H, V, L, w, EA)
    return V, L, ca.fmax(ca.fabs(x - l), ca.fabs(z - h)) / ca.fmax(ca.sqrt(l**2 + h**2), L)


def _plane(start: ca.SX, end: ca.SX, gravity: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
    """Horizontal and vertical unit vectors of the plane of a cable, and the distances of its end along them."""
    size = ca.norm_2(gravity)
    z = ca.SX([0.0, 0.0, 1.0])
    up = z if gravity.is_zero() else ca.if_else(size > 0, -gravity / size, z)
    d = end - start
    h = ca.dot(up, d)
    l = ca.sqrt(ca.sumsqr(d - h * up) + 1e-300)
    return (d - h * up) / l, up, l, h


@dataclass(frozen=True, eq=False)
class Hanging:
    """A heavy cable at rest between two points, as expressions.

    Parameters
    ----------
    origin, along, up
        Its start, and the horizontal and vertical unit vectors of its plane.
    l, h
        Distance and height of its end from its start.
    L, w, EA
        Unstretched length, weight per length and axial stiffness.
    H, V
        Pull of the holder at its end.
    error
        Part of its length by which the iteration misses the end.
    payout
        The part of its length that a winch at its start has paid out; what it has coiled up rests there.
    arc, psi
        Unstretched length on a pulley at its start, and the angle at which it leaves that.
    entry
        Tension where it enters that pulley.
    lead, wound
        Unstretched length between that pulley and the winch, and the tension there; None: that of ``entry``. Without a
        pulley the winch is at its start.
    laid
        Energy of strain and weight of the cable before its start, above the point where it enters the pulley, and how
        far its start is above that point.
    held
        Its start, which the frame of a pulley carries along: an expression of the place in that frame, the symbol of
        that place, and its value; and its end. None: the start is a point.
    """

    origin: ca.SX
    along: ca.SX
    up: ca.SX
    l: ca.SX
    h: ca.SX
    L: ca.SX
    w: ca.SX
    EA: ca.SX
    H: ca.SX
    V: ca.SX
    error: ca.SX
    payout: ca.SX = field(default_factory=lambda: ca.SX(0))
    arc: ca.SX = field(default_factory=lambda: ca.SX(0))
    psi: ca.SX | None = None
    entry: ca.SX | None = None
    lead: ca.SX = field(default_factory=lambda: ca.SX(0))
    wound: ca.SX | None = None
    laid: tuple[ca.SX, ca.SX] | None = None
    held: tuple[ca.SX, ca.SX, ca.SX, ca.SX] | None = None

    @staticmethod
    def between(
        start: ca.SX,
        end: ca.SX,
        gravity: ca.SX,
        cable: tuple[ca.SX, ca.SX, ca.SX],
        payout: ca.SX | None = None,
        near: Hanging | None = None,
        before: ca.SX | None = None,
    ) -> Hanging:
        """Solve for it, with unstretched length, weight per length and stiffness; ``payout`` is added to the length.

        The part ``before`` of this length lies ahead of the start as in `pull`.
        """
        along, up, l, h = _plane(start, end, gravity)
        paid, (length, w, EA) = ca.SX(0) if payout is None else payout, cable
        close = None if near is None else (near.L, near.H, near.V)
        L, H, V, error = pull(l, h, length + paid, w, EA, close, before)
        return Hanging(start, along, up, l, h, L, w, EA, H, V, error, paid)

    @staticmethod
    def pulled(
        start: ca.SX, end: ca.SX, gravity: ca.SX, cable: tuple[ca.SX, ca.SX, ca.SX], H: ca.SX, V: ca.SX
    ) -> tuple[Hanging, ca.SX]:
        """With a given pull at the end, and by how much it misses that end along and up."""
        along, up, l, h = _plane(start, end, gravity)
        x, z = reach(H, V, *cable)
        return Hanging(start, along, up, l, h, *cable, H, V, ca.SX(0)), ca.vertcat(l - x, h - z)

    @staticmethod
    def tightened(
        start: ca.SX, end: ca.SX, gravity: ca.SX, cable: tuple[ca.SX, ca.SX, ca.SX], near: ca.SX | None = None
    ) -> Hanging:
        """Solve for its length, with its tension along the chord, weight and stiffness; ``near`` as in `cut`.

        This tension, where the cable is parallel to the line between its ends, is ``H`` divided by the cosine of the
        slope of that line.
        """
        along, up, l, h = _plane(start, end, gravity)
        tension, w, EA = cable
        H = tension * l / ca.sqrt(l**2 + h**2)
        V, L, error = cut(l, h, H, w, EA, near)
        return Hanging(start, along, up, l, h, L, w, EA, H, V, error)

    def gradient(self, q: ca.SX) -> ca.SX:
        """Derivatives of its energy with respect to coordinates that move its ends, and turn its winch.

        At fixed ends, ``dU/dL = -T - T^2 / (2 EA)`` with the tension ``T`` at the winch: cable that is paid out was not
        stretched on the drum, and takes up energy of strain.
        """
        T = self.winch_tension
        winch = (T + T**2 / (2.0 * self.EA)) * ca.jacobian(self.payout, q)
        if self.held is not None:  # the point where it leaves the pulley moves with the frame of the pulley
            start, local, place, end = self.held
            below = self.H * self.along + (self.V - self.w * (self.unstretched - self.payout)) * self.up
            moves = ca.substitute(ca.jacobian(start, q), local, place)
            return (self.H * self.along + self.V * self.up).T @ ca.jacobian(end, q) - below.T @ moves - winch
        pulled = self.H * ca.jacobian(self.l, q) + self.V * ca.jacobian(self.h, q)
        carried = self.w * (self.L - self.payout) * ca.jacobian(self.start, q)
        return pulled + carried - winch

    @property
    def unstretched(self) -> ca.SX:
        """Unstretched length, with the arc on a pulley and what is between that and the winch."""
        return self.L + self.arc + self.lead

    @property
    def winch_tension(self) -> ca.SX:
        """Tension at the winch."""
        if self.wound is not None:
            return self.wound
        return self.tensions[0] if self.entry is None else self.entry

    @property
    def chord_tension(self) -> ca.SX:
        """Tension where it is parallel to the line between its ends."""
        return self.H * ca.sqrt(self.l**2 + self.h**2) / self.l

    @property
    def extremes(self) -> tuple[ca.SX, ca.SX]:
        """Least and largest tension along it."""
        first, last = self.tensions
        lowest_inside = ca.logic_and(self.V > 0, self.w * self.L > self.V)
        return ca.if_else(lowest_inside, self.H, ca.fmin(first, last)), ca.fmax(first, last)

    @property
    def start(self) -> ca.SX:
        """Height of its start above the origin, against gravity [m]."""
        return ca.dot(self.up, self.origin)

    def points(self, count: int) -> tuple[ca.SX, ...]:
        """Points along it between its ends, at equal unstretched distances."""
        low, H, w = self.V - self.w * self.L, self.H, self.w
        points = []
        for k in range(1, count + 1):
            s = self.L * k / (count + 1)
            load = low + w * s
            x = H * s / self.EA + H / w * (ca.asinh(load / H) - ca.asinh(low / H))
            z = (low + w * s / 2) * s / self.EA + (ca.sqrt(H**2 + load**2) - ca.sqrt(H**2 + low**2)) / w
            points.append(self.origin + x * self.along + z * self.up)
        return tuple(points)

    @property
    def tensions(self) -> tuple[ca.SX, ca.SX]:
        """Tensions at its start and its end."""
        return ca.sqrt(self.H**2 + (self.V - self.w * self.L) ** 2), ca.sqrt(self.H**2 + self.V**2)

    @property
    def potential(self) -> ca.SX:
        """Energy of strain and weight, with that of the cable on a winch at its start."""
        own = potential(self.H, self.V, self.L, self.w, self.EA)
        if self.laid is None:
            return own + self.w * (self.L - self.payout) * self.start
        before, above = self.laid
        strain = self.lead * self.winch_tension**2 / (2.0 * self.EA)
        low = self.start - above  # where it enters the pulley, as high as the winch
        return own + self.w * self.L * above + before + strain + self.w * (self.unstretched - self.payout) * low

    def frequency(self, gravity: ca.SX) -> ca.SX:
        """First frequency across its plane [Hz], about that of a string."""
        chord = ca.sqrt(self.l**2 + self.h**2)
        return ca.sqrt(self.H * chord / self.l * ca.norm_2(gravity) / self.w) / (2.0 * chord)
