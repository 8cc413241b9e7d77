"""Regions in which the machine itself is proven along motions of its joints, all terms of its equations included.

Let ``x = (e, e')`` be the deviation of a run from a motion ``(q, v, a)`` of the joints, and ``G(q, v, a)`` the forces
of the machine less those of its law. The motors balance ``G`` along the motion, except for a force ``f`` on coordinates
that no motor drives. Since ``M (a + e'') + ...`` is linear in the accelerations, the run satisfies

    M(q + e) e'' = -f - Kbar e - Dbar e'

exactly, with means of the derivatives of ``G`` between motion and run, at the accelerations of the motion. With

    2 V = e'^T M(q + e) e' + 2 e^T S M(q + e) e' + e^T (K_0(q) + X) e = x^T P x

``-2 V' = x^T W x + 2 (e' + S^T e)^T f``, where ``W`` is that of the linear proof at the motion plus ``sum_k x_k A_k``.
Interval arithmetic bounds the ``A_k`` over the workspace and the region. In coordinates ``x = T z``, ``|z| <= r``,

    T^T P T >= k,   T^T (W - 2 s P) T >= m - b r >= 0,   (sqrt(2 V))' <= -s sqrt(2 V) + p / sqrt(k)

with ``p = sup |T^T (S f, f)|``. If ``p <= s k r``, runs that start with ``2 V <= k r^2`` stay in that set for ever: no
assumption is left. Two such runs have the same equations about each other, with the accelerations of one of them in
place of those of the motion and without ``f``, and approach each other while ``W`` is positive in the whole region.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import casadi as ca
import numpy as np

from dalembert.control.varying.energy import EnergyFunction, energy_functions
from dalembert.control.varying.intervals import bounds
from dalembert.control.varying.motions import verified
from dalembert.control.varying.moving import MotionLoop, loop_equations
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["MotionRegion", "motion_region"]

_CELLS = {1: 600, 2: 24, 3: 8}  # of the range of each joint or parameter in the equations, by their number
_SPLITS = (0.4, 0.6)  # parts of the fastest decay that are tried
_ROUNDS = 3  # of slower or faster motions
_DECAYS = 4  # bisections of the fastest decay
_FASTEST = 0.2  # of the given speed, at which the search begins
_SLOWEST = 1e-4


@dataclass(frozen=True, eq=False)
class MotionRegion:
    """A region of deviations that runs of the machine do not leave.

    Parameters
    ----------
    factor
        How fast the motions may be run: rates are multiplied by it, accelerations by its square; 0: no region found.
    motion
        These rates and accelerations of the joints.
    level
        Runs that start with ``2 V`` up to this level, or on the motion, stay in the region.
    decay
        Rate [1/s] at which deviations of the machine fall to those that the forces of the motion cause.
    converging
        Rate [1/s] at which two runs in the region approach each other; None if that is not proven.
    deviations
        Largest deviations in the region, of displacements and velocities by name.
    energy
        The function ``V``; None if there is none.
    message
        The result in words.
    """

    factor: float
    motion: dict[str, tuple[float, float]]
    level: float
    decay: float
    converging: float | None
    deviations: dict[str, float]
    energy: EnergyFunction | None
    message: str


@dataclass(frozen=True, eq=False)
class _Terms:
    """Bounds over a region of size one, relative to its size.

    ``bend`` is the change of ``W - 2 s P``, ``lower`` that of ``P``, ``pair`` that of ``W`` about another run of the
    region, ``shove`` that of ``W`` by an acceleration of size one, and ``swing`` the forces on a run over its mass.
    """

    bend: float
    lower: float = np.inf
    pair: float = np.inf
    shove: float = np.inf
    swing: float = np.inf


def motion_region(loop: MotionLoop, progress: Callable[[str], object] = lambda text: None) -> MotionRegion:
    """Find how fast motions may be run so that the machine is proven to stay near them, and the region that it keeps.

    Parameters
    ----------
    loop
        The loop about motions. Its law is linear in the states, and its coordinates are those of joints and beams.
    progress
        Called with a text now and then.

    Examples
    --------
    A rod that hangs from an arm, which a motor turns: no motor balances the swing that a motion causes.

    >>> import dalembert as da
    >>> from dalembert.control import linear_feedback
    >>> from dalembert.control.varying import motion_loop
    >>> rotary = da.Machine(
    ...     "rotary",
    ...     bodies=[
    ...         da.Body("arm", 0.25, com=(0.1, 0, 0), inertia=(1e-4, 9e-4, 9e-4)),
    ...         da.Body("rod", 0.12, com=(0, 0, -0.15), inertia=(9e-4, 9e-4, 1e-5)),
    ...     ],
    ...     joints=[
    ...         da.Joint("turn", "revolute", "world", "arm", axis="z"),
    ...         da.Joint("swing", "revolute", "arm", "rod", origin=(0.2, 0, 0), axis="x", damping=0.005),
    ...     ],
    ...     motors=[da.Motor("drive", "turn")],
    ... )
    >>> law = linear_feedback(rotary, [[0.3, 0.1]], measured=["turn", "turn_dot"], controls=["drive"])
    >>> loop = motion_loop(rotary, law, {"turn": (-2.0, 2.0)}, {"turn": (0.5, 0.5)})
    >>> region = motion_region(loop)
    >>> 0.0 < region.factor < 1.0 and region.deviations["swing"] < 0.5
    True
    """
    equations = _Equations(loop)
    best: MotionRegion | None = None
    factor = _FASTEST
    for count in range(_ROUNDS):
        slow = loop.faster(factor, factor**2)
        progress(f"region, round {count + 1}: motions at {factor:.3g} of their speed")
        found = _largest(equations, slow, factor, progress)
        if found is None:
            factor *= 0.1
            continue
        if best is None or found.factor > best.factor:
            best = found
        if found.factor < 0.8 * factor:
            factor = max(min(3.0 * found.factor, 0.5 * factor), _SLOWEST)
        elif factor < 1.0:
            factor = min(1.0, 3.0 * factor)
        else:
            break
    if best is None:
        told = {j.name: (0.0, 0.0) for j in loop.joints}
        return MotionRegion(0.0, told, 0.0, 0.0, None, {}, None, "no region of the machine is proven")
    return best


def _largest(
    equations: _Equations, loop: MotionLoop, factor: float, progress: Callable[[str], object]
) -> MotionRegion | None:
    """The best region of one loop; its factor is at most the given one."""
    fastest, functions = _fastest(loop, progress)
    best: MotionRegion | None = None
    for energy in functions:
        frame = _frame(loop, energy)
        still, moving, heave = equations.forces(loop, energy, frame)
        for share in _SPLITS:
            decay = share * fastest
            margins, _ = verified(loop.family, energy, frame, decay)
            found = equations.region(loop, energy, frame, decay, margins) if (margins > 0.0).all() else None
            if found is None:
                continue
            size, terms = found
            progress(f"region of {size:.3g} at a decay of {decay:.3g} 1/s")
            k = float(margins[1]) - terms.lower * size
            room = (decay * k * size - still) / max(moving, 1e-300)
            if k <= 0.0 or room <= 0.0:
                continue
            slower = min(1.0, float(np.sqrt(room)))  # forces of a motion are quadratic in its speed
            if best is not None and slower * factor <= best.factor:
                continue
            calm, _ = verified(loop.family, energy, frame, 0.0)
            accelerations = (terms.swing * size + heave) / k
            left = float(calm[0]) - terms.pair * size - terms.shove * accelerations
            together = 0.5 * left / (_largest_value(loop, energy, frame) + terms.lower * size)
            told = {j.name: (slower * j.rate, slower**2 * j.acceleration) for j in loop.joints}
            speed = ", ".join(f"{n} at {r:.3g} and {a:.3g}" for n, (r, a) in told.items())
            reach = size * np.linalg.norm(frame, axis=1)
            best = MotionRegion(
                slower * factor,
                told,
                k * size**2,
                decay,
                together if together > 0.0 else None,
                dict(zip([*loop.eom.q_names, *loop.eom.v_names], reach.tolist(), strict=True)),
                energy,
                f"the machine is proven along motions of rates and accelerations up to {speed}",
            )
    return best


def _fastest(loop: MotionLoop, progress: Callable[[str], object]) -> tuple[float, list[EnergyFunction]]:
    """The fastest decay for which functions are found, and functions for parts of it."""
    from scipy.linalg import eigvals

    parts = loop.family.at(loop.middle)[0]
    M, D, K = parts[0], parts[2], parts[3]
    n = len(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    low, high, kept = 0.0, -float(eigvals(A).real.max()), []
    if high <= 0.0:
        return 0.0, []
    for _ in range(_DECAYS):
        middle = 0.5 * (low + high)
        progress(f"functions that decay at {middle:.3g} 1/s")
        found = list(energy_functions(loop.family, middle))
        low, high = (middle, high) if found else (low, middle)
        kept += found
    return low, kept[-1:]


def _frame(loop: MotionLoop, energy: EnergyFunction) -> Array:
    """Coordinates in which the function is the square of the distance in the middle of the ranges."""
    value = energy.value(loop.family.at(loop.middle)[0])
    return np.asarray(np.linalg.inv(np.linalg.cholesky((value + value.T) / 2.0)).T)


def _largest_value(loop: MotionLoop, energy: EnergyFunction, frame: Array) -> float:
    """A bound of the function over the ranges, in the coordinates of a frame."""
    d, total = len(loop.family.spans), 0.0
    for index in np.ndindex(*loop.family.coefficients.shape[1 : 1 + d]):
        part = energy.value(loop.family.coefficients[(0, *index)], first=not any(index))
        total += float(np.linalg.norm(frame.T @ part @ frame, 2))
    return total


class _Equations:
    """Derivatives of the equations of a loop, and their bounds over workspace and regions."""

    def __init__(self, loop: MotionLoop) -> None:
        eom, s = loop.eom, loop.eom.symbolic
        where = f"machine '{eom.machine.name}'"
        self.n = n = eom.nv
        if eom.nq != n or not ca.is_equal(s.coordinate_rate, s.v, 4):
            raise InputError(f"a region of {where} needs coordinates of joints and beams, without a free base or balls")
        u, _ = loop.law.expression(eom, s.t, s.q, s.v, ca.SX(0, 1), s.p)
        if ca.depends_on(ca.jacobian(u, ca.vertcat(s.q, s.v)), ca.vertcat(s.q, s.v, s.t)):
            raise InputError(f"a region of {where} needs a law that is linear in its states")
        M, change, D, K, _, _ = loop_equations(eom, loop.law, loop.point.u)(s.q, s.v, s.a, 0.0, s.p)
        outputs = [_slopes(x, s.q) for x in (M, change, D, K)] + [_slopes(x, s.v) for x in (change, D, K)]
        outputs += [_slopes(K, s.a), ca.densify(K), ca.densify(D)]
        self.slopes = ca.Function("slopes", [s.q, s.v, s.a, s.p], outputs)
        load = ca.substitute(s.inverse_dynamics - s.losses - s.wrenches, s.t, 0.0)
        B = ca.substitute(ca.densify(ca.jacobian(s.actuation, s.u)), s.u, ca.DM(loop.point.u))
        numbers = np.array(ca.evalf(ca.substitute(B, s.p, ca.DM(loop.p))).full()) if eom.nu else np.zeros((n, 0))
        force = ca.mtimes(ca.DM(np.eye(n) - numbers @ np.linalg.pinv(numbers)), load)
        zero, moved = ca.DM.zeros(n), [j.v for j in loop.joints if j.v is not None]
        rest = ca.substitute(ca.substitute(force, s.v, zero), s.a, zero)
        columns = [rest, ca.jacobian(force, s.a)[:, moved], ca.jacobian(force, s.v)[:, moved]]
        self.push = ca.Function("push", [s.q, s.v, s.a, s.p], [ca.densify(ca.horzcat(*columns))])
        every = ca.vertcat(*(ca.vec(x) for x in outputs), ca.vec(ca.horzcat(*columns)))
        self.seen = {x.name for x in loop.varied if ca.depends_on(every, (s.q if x.v is not None else s.p)[x.place])}

    def forces(self, loop: MotionLoop, energy: EnergyFunction, frame: Array) -> tuple[float, float, float]:
        """Bounds of the force that motors leave: at rest and by the motion on ``V``, and of all over the mass."""
        n, joints = self.n, loop.joints
        ((low, high),) = bounds(self.push, self.cells(loop, np.zeros(2 * n)))
        middle, half = (
            x.T.reshape(-1, n, 1 + 2 * len(joints), order="F") for x in (0.5 * (low + high), 0.5 * (high - low))
        )
        sizes = np.array([1.0, *(j.acceleration for j in joints), *(j.rate for j in joints)])
        found = []
        for into in (frame.T @ np.vstack([energy.S, np.eye(n)]), _lighter(loop)):
            each = np.linalg.norm(into @ middle, axis=1) + np.linalg.norm(np.abs(into) @ half, axis=1)
            found.append(each * sizes * (1.0 + 1e-9))
        still, moving = float(found[0][:, 0].max()), float(found[0][:, 1:].sum(axis=1).max())
        return still, moving, float(found[1].sum(axis=1).max())

    def region(
        self, loop: MotionLoop, energy: EnergyFunction, frame: Array, decay: float, margins: Array
    ) -> tuple[float, _Terms] | None:
        """The largest region in which the inequality holds, with the bounds over it."""
        size = 1e-3 * float(margins[0])
        for _ in range(12):
            terms = self.terms(loop, energy, frame, size, decay, whole=False)
            ratio = float(margins[0]) / max(terms.bend * size, 1e-300)
            if 1.0 <= ratio < 1.15:
                return size, self.terms(loop, energy, frame, size, decay)
            size *= float(np.clip((0.97 * ratio) ** 0.6, 1e-3, 1e3))  # the bound grows with the region
        return None

    def terms(
        self, loop: MotionLoop, energy: EnergyFunction, frame: Array, size: float, decay: float, whole: bool = True
    ) -> _Terms:
        """Bounds over the workspace for deviations in a region; without ``whole``, the first of them."""
        n, box, mass = self.n, size * np.linalg.norm(frame, axis=1), _lighter(loop)
        over = bounds(self.slopes, self.cells(loop, box))
        found: list[Array] = []
        for exact in (True, False):  # the middles of the bounds, and their half widths
            T, R, S = (frame, mass, energy.S) if exact else (np.abs(frame), np.abs(mass), np.abs(energy.S))
            numbers = [0.5 * (high + low if exact else high - low).T for low, high in over]
            dM, dC, dD, dK, vC, vD, vK, aK = (
                x.reshape(-1, n, n, n).transpose(0, 1, 3, 2) for x in numbers[:8]
            )  # by cell, direction, row and column
            K, D = (x.reshape(-1, n, n).transpose(0, 2, 1) for x in numbers[8:])
            none = np.zeros_like(dM)

            def norm(
                parts: Sequence[Array], into: Array, loss: float, S: Array = S, T: Array = T, exact: bool = exact
            ) -> Array:
                return _norm(_inequality(S, parts, loss, exact), into, T)

            both = [np.concatenate(x, axis=1) for x in ((dM, none), (dC, vC), (dD, 0.5 * vD), (0.5 * dK, none))]
            rows = [norm(both, T, decay)]
            if whole:
                alone = [np.concatenate(x, axis=1) for x in ((dM, none), (dC, vC), (dD, vD), (dK, vK))]
                zero = np.zeros_like(both[0])
                single = [norm([x if i == k else zero for i in range(4)], T, 0.0) for k, x in enumerate(alone)]
                rows += [_norm(_value(S, dM), T[:n], T), np.sum(single, axis=0), norm([none, none, none, aK], R.T, 0.0)]
                rows.append(np.linalg.norm(R @ np.concatenate([K, D], axis=2) @ T, 2, axis=(1, 2)))
            found.append(np.array(rows))
        total = (found[0] + found[1]).max(axis=1) * (1.0 + 1e-9)
        return _Terms(*total.tolist())

    def cells(self, loop: MotionLoop, box: Array) -> list[tuple[Array, Array]]:
        """Boxes of coordinates, velocities, accelerations and parameters that cover all motions and deviations."""
        n = self.n
        count = [(_CELLS if x.name in self.seen else {}).get(len(self.seen), 1) for x in loop.varied]
        edges = [np.linspace(*x.span, k + 1) for x, k in zip(loop.varied, count, strict=True)]
        cells = list(product(*(range(k) for k in count)))
        middles = (loop.point.q, np.zeros(n), np.zeros(n), loop.p)
        halves = (box[:n], box[n:], np.zeros(n), np.zeros(len(loop.p)))
        low, high = (
            [np.tile((x + sign * h)[:, None], (1, len(cells))) for x, h in zip(middles, halves, strict=True)]
            for sign in (-1.0, 1.0)
        )
        for i, x in enumerate(loop.varied):
            for ends, end, sign in ((low, 0, -1.0), (high, 1, 1.0)):
                at = np.array([edges[i][c[i] + end] for c in cells])
                if x.v is None:
                    ends[3][x.place] = at
                else:
                    ends[0][x.place] = at + sign * box[x.place]
                    ends[1][x.v] += sign * x.rate
                    ends[2][x.v] += sign * x.acceleration
        return list(zip(low, high, strict=True))


def _slopes(x: ca.SX, by: ca.SX) -> ca.SX:
    return ca.densify(ca.jacobian(ca.vec(ca.densify(x)), by))


def _lighter(loop: MotionLoop) -> Array:
    """The inverse of the triangular factor of the mass matrix in the middle of the ranges."""
    M = loop.family.at(loop.middle)[0][0]
    return np.asarray(np.linalg.inv(np.linalg.cholesky((M + M.T) / 2.0)))


def _norm(A: Array, into: Array, T: Array) -> Array:
    """Largest norm of ``sum_k y_k T^T A_k T`` with ``y = into z`` over all ``|z| = 1``, cell by cell."""
    turned = np.einsum("ka,ib,ckij,jd->cabd", into, T, A, T, optimize=True)
    return np.sqrt(np.linalg.eigvalsh(np.einsum("cabd,caed->cbe", turned, turned, optimize=True))[:, -1].clip(0.0))


def _value(S: Array, M: Array) -> Array:
    """Changes of ``P`` by changes of the mass matrix."""
    lever = S @ M
    top = np.concatenate([np.zeros_like(M), lever], axis=-1)
    return np.concatenate([top, np.concatenate([np.swapaxes(lever, -1, -2), M], axis=-1)], axis=-2)


def _inequality(S: Array, parts: Sequence[Array], decay: float, exact: bool) -> Array:
    """Changes of ``W - 2 decay P`` by changes of mass matrix, its rate, damping and stiffness; or of their magnitudes.

    It is `EnergyFunction.fall`, of many matrices at once; magnitudes add up.
    """
    M, change, D, K = parts
    sign = -1.0 if exact else 1.0
    corner = np.swapaxes(D + sign * change, -1, -2) @ S.T + K
    upper, lower = S @ K, D + sign * (S @ M)
    top = np.concatenate([upper + np.swapaxes(upper, -1, -2), np.swapaxes(corner, -1, -2)], axis=-1)
    bottom = np.concatenate([corner, lower + np.swapaxes(lower, -1, -2) + sign * change], axis=-1)
    return np.asarray(np.concatenate([top, bottom], axis=-2) + sign * 2.0 * decay * _value(S, M))
