"""Loops of machines about motions of their joints: equations as polynomials of positions, rates and accelerations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import casadi as ca
import numpy as np

from dalembert.analysis.equilibrium import Equilibrium, equilibrium
from dalembert.control.uncertain.rest import moved_elsewhere
from dalembert.control.varying.energy import LinearFamily, basis, monomials
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.ports import Law
from dalembert.core.types import Array, StateLike
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.model.machine import Machine

__all__ = ["AGREEMENT", "MotionLoop", "Varied", "loop_equations", "motion_loop"]

AGREEMENT = 1e-9
"""Relative difference of the equations from their polynomials beyond which they are refused."""

_MOST = 3  # joints that move, and parameters with a range


@dataclass(frozen=True)
class Varied:
    """A joint that moves, or a parameter that is constant within a range.

    Parameters
    ----------
    name
        Its name.
    turning
        Whether it is an angle.
    place, v
        Its place among the coordinates, or the parameters, and its place among the velocities; None for a parameter.
    span
        Its range.
    rate, acceleration
        Largest rate and acceleration; zero for a parameter.
    """

    name: str
    turning: bool
    place: int
    v: int | None
    span: tuple[float, float]
    rate: float = 0.0
    acceleration: float = 0.0

    def position(self, x: float) -> float:
        """The coordinate at a position of the polynomials: an angle, or a number between -1 and 1."""
        lo, hi = self.span
        return x if self.turning else 0.5 * (lo + hi) + 0.5 * (hi - lo) * x

    @property
    def positions(self) -> tuple[float, float]:
        """The range of the polynomials."""
        return self.span if self.turning else (-1.0, 1.0)


@dataclass(frozen=True, eq=False)
class MotionLoop:
    """The loop of a machine with a law, linear about motions of joints, for values of parameters.

    Parameters
    ----------
    eom, law
        The machine's equations, and its law.
    varied
        Joints that move, then parameters with a range.
    point, p
        Configuration of the other coordinates, and parameter values.
    family
        The equations along the motions.
    """

    eom: EquationsOfMotion
    law: Law
    varied: tuple[Varied, ...]
    point: Equilibrium
    p: Array
    family: LinearFamily

    @property
    def joints(self) -> tuple[Varied, ...]:
        """Joints that move."""
        return tuple(x for x in self.varied if x.v is not None)

    @property
    def constants(self) -> tuple[Varied, ...]:
        """Parameters with a range."""
        return tuple(x for x in self.varied if x.v is None)

    @property
    def middle(self) -> list[float]:
        """Positions in the middle of all ranges."""
        return [0.5 * sum(x.positions) for x in self.varied]

    def faster(self, factor: float, push: float | None = None) -> MotionLoop:
        """The loop about motions whose rates are multiplied, and accelerations by ``push`` or as much."""
        push = factor if push is None else push
        varied = (replace(x, rate=factor * x.rate, acceleration=push * x.acceleration) for x in self.varied)
        return replace(self, varied=tuple(varied), family=self.family.faster(factor, push))

    def bent(self) -> dict[str, float]:
        """Velocities at which the motion leaves a force that no motor balances, with the largest force met."""
        spans = {x.name: x.span for x in self.varied}
        spans |= {f"{j.name}.rate": (-j.rate, j.rate) for j in self.joints}
        spans |= {f"{j.name}.acceleration": (-j.acceleration, j.acceleration) for j in self.joints}
        places = {j.name: j.place for j in self.joints}
        motion = {j.name: j.v for j in self.joints if j.v is not None}
        numbers = {x.name: x.place for x in self.constants}
        return moved_elsewhere(self.eom, self.point, self.p, places, spans, motion, numbers)


def motion_loop(
    machine: Machine | EquationsOfMotion,
    law: Law,
    ranges: Mapping[str, tuple[float, float]],
    motion: Mapping[str, tuple[float, float]],
    *,
    at: StateLike = None,
    p: Parameters = None,
) -> MotionLoop:
    """Loop of a machine about motions of joints.

    Parameters
    ----------
    machine, law, ranges, motion, at, p
        As in `motion_stability`.

    Examples
    --------
    The mass matrix of a slider has no terms of its motion:

    >>> import dalembert as da
    >>> from dalembert.control import linear_feedback
    >>> slider = da.Machine(
    ...     "slider",
    ...     bodies=[da.point_mass("block", 2.0)],
    ...     joints=[da.Joint("x", "prismatic", "world", "block", axis="x")],
    ...     motors=[da.Motor("F", "x")],
    ... )
    >>> law = linear_feedback(slider, [[8.0, 4.0]], measured=["x", "x_dot"], controls=["F"])
    >>> loop = motion_loop(slider, law, {"x": (0.0, 1.0)}, {"x": (0.5, 1.0)})
    >>> loop.family.at([0.0])[0, 0]
    array([[2.]])
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    varied = _checked(eom, law, ranges, motion)
    values = np.asarray(eom.parameter_values(p), dtype=float)
    point = equilibrium(eom, at, p=values)
    return MotionLoop(eom, law, varied, point, values, _family(eom, law, varied, point, values))


def _checked(
    eom: EquationsOfMotion,
    law: Law,
    ranges: Mapping[str, tuple[float, float]],
    motion: Mapping[str, tuple[float, float]],
) -> tuple[Varied, ...]:
    """The joints that move, then the parameters with a range."""
    where = f"machine '{eom.machine.name}'"
    if not isinstance(law, Law) or law.state_names(eom):
        raise InputError(f"a proof along motions needs an expression law without states, got {type(law).__name__}")
    if not eom.formulation.minimal or eom.constrained or eom.machine.contacts:
        raise InputError(
            f"a proof along motions needs a machine without constraints and contacts, and {where} has some"
        )
    blocks = {b.name: b for b in eom.layout.blocks if b.kind in ("revolute", "continuous", "prismatic")}
    if not motion:
        raise InputError(
            "a proof along motions needs the motion of at least one joint: {'theta': (rate, acceleration)}"
        )
    if len({*motion, *ranges}) > _MOST:
        names = ", ".join(dict.fromkeys([*motion, *ranges]))
        raise InputError(f"at most {_MOST} joints may move or parameters have a range, got {names}")
    constants = [name for name in ranges if name not in motion]
    for name in constants:
        if name in blocks:
            raise InputError(f"'{name}' has a range but no motion: give its largest rate and acceleration")
        if name not in eom.p_names:
            raise UnknownNameError("joint or parameter", name, [*blocks, *eom.p_names], where)
    varied = []
    for name, pair in motion.items():
        if name not in blocks:
            raise UnknownNameError("revolute or prismatic joint", name, blocks, where)
        if name not in ranges:
            raise InputError(f"'{name}' has a motion but no range: give ranges={{'{name}': (low, high)}}")
        try:
            rate, acceleration = (check_number(f"motion of '{name}'", x) for x in pair)
        except (TypeError, ValueError):
            raise InputError(f"the motion of '{name}' must be a rate and an acceleration, got {pair!r}") from None
        b = blocks[name]
        span = _span(name, ranges[name])
        varied.append(Varied(name, b.kind != "prismatic", b.q.start, b.v.start, span, rate, acceleration))
    varied += [Varied(name, False, eom.p_names.index(name), None, _span(name, ranges[name])) for name in constants]
    return tuple(varied)


def _span(name: str, span: Sequence[float]) -> tuple[float, float]:
    try:
        lo, hi = (check_number(f"range of '{name}'", x, positive=False) for x in span)
    except (TypeError, ValueError):
        raise InputError(f"the range of '{name}' must be two numbers, got {span!r}") from None
    if not lo < hi:
        raise InputError(f"the range of '{name}' must be two increasing numbers, got {span!r}")
    return lo, hi


def loop_equations(eom: EquationsOfMotion, law: Law, u0: Array) -> ca.Function:
    """Mass matrix, its rate, damping, stiffness, that at rest and its rate, as functions of the motion."""
    s = eom.symbolic
    where = f"machine '{eom.machine.name}'"
    load = s.inverse_dynamics - s.losses - s.wrenches - s.actuation
    B = ca.densify(ca.jacobian(s.actuation, s.u))
    if eom.nu and ca.depends_on(ca.substitute(B, s.u, ca.DM(u0)), ca.vertcat(s.q, s.v)):
        raise InputError(f"the directions of motors of {where} depend on its configuration: this is not supported")
    u, _ = law.expression(eom, s.t, s.q, s.v, ca.SX(0, 1), s.p)
    chart = ca.jacobian(s.coordinate_rate, s.v)
    M = ca.jacobian(load, s.a)
    D = ca.jacobian(load, s.v) - B @ ca.jacobian(u, s.v)
    K = (ca.jacobian(load, s.q) - B @ ca.jacobian(u, s.q)) @ chart
    zero = ca.DM.zeros(eom.nv)
    rest = ca.substitute(ca.substitute(ca.substitute(K, s.a, zero), s.v, zero), s.u, ca.DM(u0))
    rest = (rest + rest.T) / 2
    change, softer = (
        ca.reshape(ca.jtimes(ca.vec(ca.densify(x)), s.q, s.coordinate_rate), eom.nv, eom.nv) for x in (M, rest)
    )
    parts = [ca.densify(ca.substitute(x, s.u, ca.DM(u0))) for x in (M, change, D, K, rest, softer)]
    return ca.Function("motion", [s.q, s.v, s.a, s.t, s.p], parts)


def _family(eom: EquationsOfMotion, law: Law, varied: Sequence[Varied], point: Equilibrium, p: Array) -> LinearFamily:
    """The equations along the motions, as polynomials."""
    f = loop_equations(eom, law, point.u)
    count = sum(x.v is not None for x in varied)

    def at(positions: Sequence[float], rates: Array, accelerations: Array) -> Array:
        q, v, a, now = point.q.copy(), np.zeros(eom.nv), np.zeros(eom.nv), p.copy()
        for j, x, r, push in zip(varied, positions, [*rates, 0.0, 0.0], [*accelerations, 0.0, 0.0], strict=False):
            if j.v is None:
                now[j.place] = j.position(x)
            else:
                q[j.place], v[j.v], a[j.v] = j.position(x), r * j.rate, push * j.acceleration
        return np.array([np.array(x.full()) for x in f(q, v, a, 0.0, now)])

    zero, unit = np.zeros(count), np.eye(count)

    def terms(positions: Sequence[float]) -> Array:
        """Coefficients of the monomials of rates and accelerations, from values of the equations."""
        first = at(positions, zero, zero)
        plus = [at(positions, e, zero) for e in unit]
        minus = [at(positions, -e, zero) for e in unit]
        products = [
            at(positions, unit[i] + unit[j], zero) - plus[i] - plus[j] + first for i, j in combinations(range(count), 2)
        ]
        return np.array(
            [
                first,
                *((x - y) / 2.0 for x, y in zip(plus, minus, strict=True)),
                *((x + y) / 2.0 - first for x, y in zip(plus, minus, strict=True)),
                *products,
                *(at(positions, zero, e) - first for e in unit),
            ]
        )

    nodes = [2.0 * np.pi * np.arange(5) / 5.0 if x.turning else np.array([-1.0, 0.0, 1.0]) for x in varied]
    shape = tuple(len(x) for x in nodes)
    values = np.array([terms(x) for x in product(*nodes)])
    values = np.moveaxis(values.reshape(*shape, *values.shape[1:]), len(varied), 0)
    for i, (j, x) in enumerate(zip(varied, nodes, strict=True)):
        inverse = np.linalg.inv([basis(float(y), j.turning) for y in x])
        values = np.moveaxis(np.tensordot(inverse, values, axes=(1, 1 + i)), 0, 1 + i)
    family = LinearFamily(tuple(x.positions for x in varied), tuple(x.turning for x in varied), values, count)
    sizes = np.abs(values).sum(axis=tuple(range(len(varied) + 1))).max(axis=(1, 2))
    sizes[1:3], sizes[3:] = sizes[1:3].max(), sizes[3:].max()  # a rate may be zero, and differ by rounding
    rng = np.random.default_rng(0)
    for _ in range(8):
        where = [float(rng.uniform(*x.positions)) for x in varied]
        rates, pushes = rng.uniform(-1.0, 1.0, count), rng.uniform(-1.0, 1.0, count)
        got, exact = np.tensordot(monomials(rates, pushes), family.at(where), 1), at(where, rates, pushes)
        if (np.abs(got - exact).max(axis=(1, 2)) > AGREEMENT * np.maximum(sizes, 1e-300)).any():
            raise InputError(
                f"the loop of machine '{eom.machine.name}' is not a polynomial of the motion of "
                f"{', '.join(x.name for x in varied)}, of degree two: its law must have fixed gains, no spring or loss "
                "of these joints may be nonlinear, and parameters must enter as masses do"
            )
    return family
