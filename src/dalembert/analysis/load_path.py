"""Equilibria while a load grows: their path, followed around turning points, with the stability of each.

With the forces ``g`` at rest and the constraints ``phi`` as functions of the configuration and of a load ``x``, and the
motions ``N`` that the constraints allow, the equilibria are a curve. Its direction ``(dq, dx)`` has

    N^T (K dq + dg/dx dx) = 0,     J dq + dphi/dx dx = 0,

``K`` being the tangent stiffness with the reactions. Each step goes a length along this direction and returns to the
curve at right angles to it (pseudo-arclength continuation: E. Riks, Int. J. Solids Struct. 15 (1979) 529-551; H. B.
Keller, "Lectures on Numerical Methods in Bifurcation Problems" (1987)), so that the load may fall on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.resting import Descent, RestingPlace, find_equilibrium
from dalembert.analysis.touching import refuse_touching
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array, StateLike
from dalembert.core.warn import warn
from dalembert.formulations.constraints.reduction import locked_rows
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.model.machine import Machine

__all__ = ["CriticalPoint", "EquilibriumPath", "equilibrium_path"]

_FIRST, _LONGEST, _SHORTEST = 0.02, 0.1, 1e-7
"""First, longest and shortest step, in radians, parts of the length of the machine, or of the range of the load."""
_STRAIGHT = 0.95
"""Least cosine of the angle between directions before and after a step."""
_SHARP, _NEAR = 1e-3, 2e-3
"""Steps down to which turns of the path and changes of stability are approached."""
_MOST = 400
_LOGARITHMIC = 100.0
"""Ratio of the ends of a load from which on its logarithm is followed."""
_BALANCED = 1e-11


@dataclass(frozen=True, eq=False)
class CriticalPoint:
    """An equilibrium at which the machine gains or loses stability.

    Parameters
    ----------
    kind
        ``"turning"``: the load has an extremum along the path, beyond which the machine snaps. ``"branching"``: another
        path crosses this one, as at a buckling load.
    load
        The load there.
    q
        Coordinates.
    """

    kind: str
    load: float
    q: Array


@dataclass(frozen=True, eq=False)
class EquilibriumPath:
    """Equilibria along a load.

    Parameters
    ----------
    loads
        Values of the load (k), not monotonic beyond a turning point.
    q
        Coordinates (k, nq).
    least
        Least eigenvalue of the tangent stiffness relative to the mass matrix [rad^2/s^2] at each of them.
    stable
        Whether each of them is stable.
    critical
        Turning and branching points in the order of the path.
    complete
        Whether the path reaches the end of the load.
    """

    loads: Array
    q: Array
    least: Array
    stable: Array
    critical: tuple[CriticalPoint, ...]
    complete: bool

    @property
    def turning(self) -> tuple[CriticalPoint, ...]:
        """The turning points."""
        return tuple(c for c in self.critical if c.kind == "turning")


def equilibrium_path(
    machine: Machine | EquationsOfMotion,
    load: str,
    ends: tuple[float, float],
    guess: StateLike = None,
    *,
    u: ArrayLike | None = None,
    locked: Sequence[str] = (),
    t: float = 0.0,
    p: Parameters = None,
) -> EquilibriumPath:
    """Follow an equilibrium while a parameter or an input changes.

    The path begins with `find_equilibrium` at the first end. It is followed through turning points, where the load
    falls, and straight through branching points: a small load to the side leads a column onto its bent branch.
    A path that does not reach the second end is returned up to there, with a warning.

    Parameters
    ----------
    machine
        The machine, or its equations.
    load
        Name of a `Parameter` of the machine, or of an input.
    ends
        First and last value of the load. If they have one sign and a ratio beyond 100, the path follows the logarithm.
    guess
        Configuration to begin with.
    u, locked, t, p
        Inputs, joints that do not move, time and parameter values, as in `find_equilibrium`.

    Examples
    --------
    A column under a growing load on its tip buckles at ``(pi/2)^2 EI/L^2``:

    >>> import numpy as np, dalembert as da
    >>> from dalembert.analysis import equilibrium_path
    >>> section = da.Section(1.0, 0.0, 1.0)
    >>> rod = da.Rod("rod", 1.0, section, 1.0, density=1.0, strains={"bending_y": 4}, rotary_inertia=False)
    >>> push = da.Wrench("push", "rod.tip", force=(-da.Parameter("P", 0.0), 0, 0))
    >>> foot = da.Joint("foot", "fixed", "world", "rod")
    >>> column = da.Machine("column", [rod], [foot], gravity=(0, 0, 0), wrenches=[push])
    >>> path = equilibrium_path(column, "P", (0.0, 3.0))
    >>> [(c.kind, round(c.load, 4)) for c in path.critical], round(np.pi**2 / 4, 4)
    ([('branching', 2.4674)], 2.4674)
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine, backend="vm")
    known = (*eom.p_names, *eom.u_names)
    if load not in known:
        raise UnknownNameError("parameter or input", load, known, f"machine '{eom.machine.name}'")
    first, last = (float(x) for x in ends)
    if not np.isfinite([first, last]).all() or first == last:
        raise InputError(f"ends of the load '{load}' must be two finite numbers that differ, got {ends!r}")
    values = eom.parameter_values(p)
    inputs = np.zeros(eom.nu) if u is None else np.array(u, dtype=float)
    at = known.index(load)
    (values if at < len(eom.p_names) else inputs)[at if at < len(eom.p_names) else at - len(eom.p_names)] = first
    rest = find_equilibrium(eom, guess, u=inputs, locked=locked, t=t, p=dict(zip(eom.p_names, values, strict=True)))
    if not rest.converged:
        raise InputError(f"machine '{eom.machine.name}' has no equilibrium at {load} = {first:g} near the guess")
    refuse_touching(eom, rest.q, values, "a path of equilibria")
    curve = _Curve(eom, at, (first, last), inputs, values, rest, locked_rows(eom, locked), t)
    points, critical, complete = curve.follow(rest.q)
    if not complete:
        warn(
            f"the path of equilibria of machine '{eom.machine.name}' ends at {load} = {curve.value(points[-1].x):.6g} "
            f"before {last:g}, after {len(points) - 1} steps"
        )
    least = np.array([point.squares.min(initial=np.inf) for point in points])
    return EquilibriumPath(
        np.array([curve.value(point.x) for point in points]),
        np.array([point.q for point in points]),
        least,
        np.array([point.negative == 0 for point in points]),
        tuple(critical),
        complete,
    )


@dataclass(frozen=True, eq=False)
class _Point:
    """Equilibrium at the part ``x`` of the load, eigenvalues of its stiffness, and direction of the path."""

    q: Array
    x: float
    squares: Array
    dq: Array
    dx: float

    @property
    def negative(self) -> int:
        """Number of negative eigenvalues, beyond rounding."""
        return int((self.squares < -1e-9 * np.abs(self.squares).max(initial=1e-300)).sum())


class _Curve:
    """The equilibria of a machine as a curve of configuration and part of the load."""

    def __init__(
        self,
        eom: EquationsOfMotion,
        at: int,
        ends: tuple[float, float],
        u: Array,
        p: Array,
        rest: RestingPlace,
        rows: Array,
        t: float,
    ) -> None:
        self._eom, self._at, self._ends, self._u, self._p = eom, at, ends, u, p
        self._rows, self._t, self._latches = rows, t, rest.point.latches
        self._log = ends[0] * ends[1] > 0.0 and max(ends[0] / ends[1], ends[1] / ends[0]) > _LOGARITHMIC
        self._sizes = self._system(0.0).sizes

    def value(self, x: float) -> float:
        """Load at the part ``x`` of its range."""
        a, b = self._ends
        return float(a * (b / a) ** x) if self._log else float(a + x * (b - a))

    def _system(self, x: float) -> Descent:
        u, p, inputs = self._u.copy(), self._p.copy(), self._at - len(self._p)
        if inputs < 0:
            p[self._at] = self.value(x)
        else:
            u[inputs] = self.value(x)
        return Descent(self._eom, u, self._latches, self._rows, self._t, p)

    @cached_property
    def _slope(self) -> ca.Function:
        """Derivatives of the forces (with reactions) and of the constraints by the load."""
        held = self._system(0.0).held
        arguments = [ca.SX.sym(held.name_in(i), held.size1_in(i)) for i in range(held.n_in())]
        g, _, _, _, J, phi = held(*arguments)
        multipliers = ca.SX.sym("multipliers", J.shape[0])
        n = len(self._p)
        load = arguments[3][self._at] if self._at < n else arguments[1][self._at - n]
        slopes = [ca.densify(ca.jacobian(x, load)) for x in (g + J.T @ multipliers, phi)]
        return ca.Function("slope", [*arguments, multipliers], slopes)

    def _derivatives(self, q: Array, x: float) -> tuple[Descent, Array, Array, Array, Array, Array]:
        """System, forces on allowed motions and those motions, stiffness, its column of the load, motion with it."""
        system = self._system(x)
        g, _, _, M, J, _ = system.at(q)
        N, multipliers, K = system.tangent(q, g, M, J)
        by_load = (self.value(x + 1e-6) - self.value(x - 1e-6)) / 2e-6
        slope, gap = (by_load * np.array(y.full())[:, 0] for y in self._slope(*system.arguments(q), multipliers))
        gap = np.concatenate([gap[system.on], np.zeros(len(self._rows))])
        carried = -np.linalg.lstsq(J, gap, rcond=1e-12)[0] if len(J) else np.zeros(len(g))
        return system, N.T @ g, N, N.T @ K @ N, N.T @ (K @ carried + slope), np.asarray(carried)

    def _point(self, q: Array, x: float, dq: Array, dx: float) -> _Point:
        """Return the point with the direction of the path that is nearest to the given one."""
        system, _, N, K, column, carried = self._derivatives(q, x)
        null = np.linalg.svd(np.column_stack([K, column]))[2][-1]
        own, part = N @ null[:-1] + carried * null[-1], float(null[-1])
        length = np.hypot(np.linalg.norm(own / self._sizes), part)
        same = float((own / self._sizes) @ (dq / self._sizes) + part * dx)
        sign = np.copysign(1.0 / length, same)
        return _Point(q, x, system.stiffness(q)[0], sign * own, sign * part)

    def _returned(self, q: Array, x: float, dq: Array, dx: float) -> tuple[Array, float, int] | None:
        """Nearest equilibrium across a direction, and the number of iterations; None if there is none nearby."""
        for k in range(12):
            projected = self._system(x).projected(q)
            if projected is None:
                return None
            q = projected
            system, pull, N, K, column, carried = self._derivatives(q, x)
            if np.linalg.norm(pull) <= _BALANCED * max(system.scale(q), 1e-300):
                return q, x, k
            across = dq / self._sizes**2
            rows = np.block([[K, column[:, None]], [(across @ N)[None, :], np.array([[across @ carried + dx]])]])
            change = np.linalg.lstsq(rows, np.append(-pull, 0.0), rcond=1e-14)[0]
            moved = N @ change[:-1] + carried * change[-1]
            if not max(np.abs(moved / self._sizes).max(initial=0.0), abs(change[-1])) < 1.0:
                return None
            q, x = self._eom.integrate(q, moved), x + float(change[-1])
        return None

    def _step(self, a: _Point, length: float) -> tuple[_Point, int] | None:
        """Go a length along the path."""
        guess = self._eom.integrate(a.q, length * a.dq)
        found = self._returned(guess, a.x + length * a.dx, a.dq, a.dx)
        return None if found is None else (self._point(found[0], found[1], a.dq, a.dx), found[2])

    def follow(self, q: Array) -> tuple[list[_Point], list[CriticalPoint], bool]:
        """Return the points, the critical ones, and whether the path reaches the end of the load."""
        points = [self._point(q, 0.0, np.zeros(self._eom.nv), 1.0)]
        critical: list[CriticalPoint] = []
        length = _FIRST
        while len(points) <= _MOST and -1.0 < points[-1].x < 1.0:
            a = points[-1]
            step = self._step(a, length)
            b, k = step or (a, 99)
            turned = float((a.dq / self._sizes) @ (b.dq / self._sizes) + a.dx * b.dx)
            crossed = a.negative != b.negative and a.dx * b.dx > 0.0  # a branch, or a sharp turn onto one
            if step is None or (turned < _STRAIGHT and length > _SHARP) or (crossed and length > _NEAR):
                length /= 2
                if length < _SHORTEST:
                    return points, critical, False
                continue
            critical += self._between(a, b, length)
            points.append((self._last(a, b, length) or b) if b.x >= 1.0 else b)
            if k <= 4:
                length = min(1.5 * length, _LONGEST)
        return points, critical, abs(points[-1].x - 1.0) < 1e-12

    def _last(self, a: _Point, b: _Point, length: float) -> _Point | None:
        """Equilibrium at the end of the load."""
        share = length * (1.0 - a.x) / (b.x - a.x)
        found = self._returned(self._eom.integrate(a.q, share * a.dq), 1.0, np.zeros(self._eom.nv), 1.0)
        return None if found is None else self._point(found[0], 1.0, a.dq, a.dx)

    def _between(self, a: _Point, b: _Point, length: float) -> list[CriticalPoint]:
        """Critical points between two points of the path, a length apart."""
        measures: list[tuple[str, Callable[[_Point], float]]] = []
        if a.dx * b.dx < 0.0:
            measures.append(("turning", lambda point: point.dx))
        else:
            changed = range(min(a.negative, b.negative), max(a.negative, b.negative))
            measures += [("branching", partial(_square, i)) for i in changed]
        found = [(kind, self._zero(a, b, length, measure)) for kind, measure in measures]
        return [CriticalPoint(kind, self.value(point.x), point.q) for kind, point in found if point.x <= 1.0]

    def _zero(self, a: _Point, b: _Point, length: float, measure: Callable[[_Point], float]) -> _Point:
        """Point between two others at which a measure changes its sign."""
        from scipy.optimize import brentq

        seen = {0.0: a, length: b}

        def at(s: float) -> float:
            if s not in seen:
                step = self._step(a, s)
                seen[s] = b if step is None else step[0]
            return measure(seen[s])

        if at(0.0) * at(length) > 0.0:  # counted as a change by rounding
            return b
        s = float(brentq(at, 0.0, length, xtol=1e-10, rtol=1e-12))
        at(s)
        return seen[s]


def _square(i: int, point: _Point) -> float:
    return float(point.squares[i])
