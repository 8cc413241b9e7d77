"""Stability of machines along motions of their joints, by Lyapunov functions that contain the mass matrix.

About a motion of some joints the loop of a machine with a law is ``M x'' + D x' + K x = 0``, with matrices that depend
on the positions, rates and accelerations of these joints. The Lyapunov function

    V = x'^T M x' / 2 + x^T S M x' + x^T (K_0 + X) x / 2

with the stiffness ``K_0`` at rest is the energy with a coupling ``S`` of displacements and momenta (S. Arimoto,
*Control Theory of Non-linear Mechanical Systems*, 1996). Its derivative contains ``M x''``, for which the equations
give ``-D x' - K x``. No mass matrix is inverted, so that ``-2 V' = x^T W x`` has entries that are as simple as those
of the equations: in each angle a trigonometric polynomial of degree two, in each sliding coordinate a polynomial of
degree two, quadratic in the rates and linear in the accelerations.

``S`` and ``X`` follow from linear matrix inequalities at some values. The proof is an evaluation of ``W`` and ``V``
on a grid: between its nodes a function differs from its multilinear interpolation by at most
``sum_i h_i^2 max |d2W/dx_i2| / 8``, with a bound of the second derivatives from the coefficients of the polynomials.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

import casadi as ca
import numpy as np

from dalembert.analysis.equilibrium import Equilibrium, equilibrium
from dalembert.control.uncertain.rest import moved_elsewhere
from dalembert.control.varying.energy import (
    EnergyFunction,
    LinearFamily,
    basis,
    curvature,
    energy_functions,
    monomials,
)
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.ports import Law
from dalembert.core.types import Array, StateLike
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.model.machine import Machine

__all__ = ["MotionProof", "loop_equations", "motion_stability"]

_AGREE = 1e-9  # relative difference of the equations from their polynomials beyond which they are refused
_NODES = 4096  # of the grid at most
_SHARE = 0.5  # of the margin that the distance of the nodes may use
_MOST = 3  # joints that move


@dataclass(frozen=True, eq=False)
class MotionProof:
    """Result of a proof along motions of joints.

    Parameters
    ----------
    proven
        Whether the loop is proven to be stable for every motion within ranges, rates and accelerations.
    motion
        Largest rates and accelerations of the joints.
    decay
        Rate of decay [1/s] that is proven.
    margin
        By how much the inequalities hold, relative, with the distance of the nodes and rounding taken off.
    nodes
        Number of values of positions at which they were evaluated.
    bent
        Coordinates that the motion itself bends, with the largest force that is left to them. The equations are
        linear about the straight machine there: the force acts as a disturbance, and terms of the second order in
        these coordinates are left out.
    energy
        Matrices of the Lyapunov function; None if nothing was found.
    message
        The result in words.
    """

    proven: bool
    motion: dict[str, tuple[float, float]]
    decay: float
    margin: float
    nodes: int
    bent: dict[str, float]
    energy: EnergyFunction | None = field(repr=False)
    message: str

    @property
    def guaranteed(self) -> bool:
        """Whether it is proven, of motions that bend nothing."""
        return self.proven and not self.bent


def motion_stability(
    machine: Machine | EquationsOfMotion,
    law: Law,
    ranges: Mapping[str, tuple[float, float]],
    motion: Mapping[str, tuple[float, float]],
    *,
    at: StateLike = None,
    decay: float = 0.0,
    p: Parameters = None,
    progress: Callable[[str], object] = lambda text: None,
) -> MotionProof:
    """Prove that the loop of a machine is stable while joints move within ranges, rates and accelerations.

    The joints follow any motion, and the law sees deviations from it: deviations decay exponentially. The law has
    fixed gains and no states. Machines have no constraints and no contacts.

    Parameters
    ----------
    machine
        The machine.
    law
        The law that runs, about a reference that moves.
    ranges
        Ranges of the joints that move [rad, m]; full turns are allowed.
    motion
        Their largest rates and accelerations.
    at
        Configuration of the other coordinates.
    decay
        Rate of decay [1/s] to prove.
    p
        Parameter values.
    progress
        Called with a text now and then.

    Examples
    --------
    A pendulum on a rope of 1 to 3 m that is hoisted, with a damped pivot:

    >>> import dalembert as da
    >>> from dalembert.control import linear_feedback
    >>> hoist = da.Machine(
    ...     "hoist",
    ...     bodies=[da.Body("rope"), da.point_mass("load", 2.0)],
    ...     joints=[
    ...         da.Joint("sway", "revolute", "world", "rope", axis="y", damping=20.0),
    ...         da.Joint("l", "prismatic", "rope", "load", axis="-z"),
    ...     ],
    ...     motors=[da.Motor("F", "l")],
    ... )
    >>> law = linear_feedback(hoist, [[30.0, 30.0]], measured=["l", "l_dot"], controls=["F"], at={"l": 2.0})
    >>> slow, fast = ({"l": (rate, 1.0)} for rate in (0.3, 30.0))
    >>> [motion_stability(hoist, law, {"l": (1.0, 3.0)}, m, at={"l": 2.0}).proven for m in (slow, fast)]
    [True, False]
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    sigma = check_number("decay", decay, positive=False)
    joints = _checked(eom, law, ranges, motion)
    values = np.asarray(eom.parameter_values(p), dtype=float)
    point = equilibrium(eom, at, p=values)
    progress("equations along the motion")
    family = _family(eom, law, joints, point, values)
    spans = {j.name: j.span for j in joints}
    spans |= {f"{j.name}.rate": (-j.rate, j.rate) for j in joints}
    spans |= {f"{j.name}.acceleration": (-j.acceleration, j.acceleration) for j in joints}
    bent = moved_elsewhere(eom, point, values, {j.name: j.q for j in joints}, spans, {j.name: j.v for j in joints})
    told = {j.name: (j.rate, j.acceleration) for j in joints}
    what = "stability" if not sigma else f"a decay of {sigma:.4g} 1/s"
    proof = MotionProof(
        False, told, sigma, -np.inf, 0, bent, None, f"{what} is not proven: no Lyapunov function of this form was found"
    )
    for energy in energy_functions(family, sigma, progress):
        margin, nodes = _verified(family, energy, sigma, progress)
        if margin > 0.0:
            extent = "for the machine along every such motion"
            if bent:
                most = max(bent, key=lambda n: bent[n])
                extent = f"to the first order in coordinates that the motion bends, such as '{most}'"
            return MotionProof(True, told, sigma, margin, nodes, bent, energy, f"{what} is proven {extent}")
        message = f"{what} is not proven: the inequalities do not hold between {nodes} nodes"
        proof = MotionProof(False, told, sigma, margin, nodes, bent, None, message)
    return proof


@dataclass(frozen=True)
class _Moving:
    """A joint that moves: its places among coordinates and velocities, its range, rate and acceleration."""

    name: str
    turning: bool
    q: int
    v: int
    span: tuple[float, float]
    rate: float
    acceleration: float

    def position(self, x: float) -> float:
        """The coordinate at a position of the polynomials: an angle, or a number between -1 and 1."""
        lo, hi = self.span
        return x if self.turning else 0.5 * (lo + hi) + 0.5 * (hi - lo) * x

    @property
    def positions(self) -> tuple[float, float]:
        """The range of the polynomials."""
        return self.span if self.turning else (-1.0, 1.0)


def _checked(
    eom: EquationsOfMotion,
    law: Law,
    ranges: Mapping[str, tuple[float, float]],
    motion: Mapping[str, tuple[float, float]],
) -> list[_Moving]:
    """The joints that move."""
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
    if len(motion) > _MOST:
        raise InputError(f"at most {_MOST} joints may move, got {len(motion)}: {', '.join(motion)}")
    for name in ranges:
        if name not in motion:
            raise InputError(f"'{name}' has a range but no motion: give its largest rate and acceleration")
    joints = []
    for name, pair in motion.items():
        if name not in blocks:
            raise UnknownNameError("revolute or prismatic joint", name, blocks, where)
        if name not in ranges:
            raise InputError(f"'{name}' has a motion but no range: give ranges={{'{name}': (low, high)}}")
        try:
            rate, acceleration = (check_number(f"motion of '{name}'", x) for x in pair)
            lo, hi = (check_number(f"range of '{name}'", x, positive=False) for x in ranges[name])
        except (TypeError, ValueError):
            raise InputError(
                f"the motion of '{name}' must be a rate and an acceleration, and its range two numbers, got {pair!r} "
                f"and {ranges[name]!r}"
            ) from None
        if not lo < hi:
            raise InputError(f"the range of '{name}' must be two increasing numbers, got {ranges[name]!r}")
        b = blocks[name]
        joints.append(_Moving(name, b.kind != "prismatic", b.q.start, b.v.start, (lo, hi), rate, acceleration))
    return joints


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


def _family(eom: EquationsOfMotion, law: Law, joints: Sequence[_Moving], point: Equilibrium, p: Array) -> LinearFamily:
    """The equations along the motions, as polynomials."""
    f = loop_equations(eom, law, point.u)
    d = len(joints)

    def at(positions: Sequence[float], rates: Array, accelerations: Array) -> Array:
        q, v, a = point.q.copy(), np.zeros(eom.nv), np.zeros(eom.nv)
        for j, x, r, push in zip(joints, positions, rates, accelerations, strict=True):
            q[j.q], v[j.v], a[j.v] = j.position(x), r * j.rate, push * j.acceleration
        return np.array([np.array(x.full()) for x in f(q, v, a, 0.0, p)])

    zero, unit = np.zeros(d), np.eye(d)

    def terms(positions: Sequence[float]) -> Array:
        """Coefficients of the monomials of rates and accelerations, from values of the equations."""
        first = at(positions, zero, zero)
        plus = [at(positions, e, zero) for e in unit]
        minus = [at(positions, -e, zero) for e in unit]
        products = [
            at(positions, unit[i] + unit[j], zero) - plus[i] - plus[j] + first for i, j in combinations(range(d), 2)
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

    nodes = [2.0 * np.pi * np.arange(5) / 5.0 if j.turning else np.array([-1.0, 0.0, 1.0]) for j in joints]
    shape = tuple(len(x) for x in nodes)
    values = np.array([terms(x) for x in product(*nodes)])
    values = np.moveaxis(values.reshape(*shape, *values.shape[1:]), d, 0)
    for i, (j, x) in enumerate(zip(joints, nodes, strict=True)):
        inverse = np.linalg.inv([basis(float(y), j.turning) for y in x])
        values = np.moveaxis(np.tensordot(inverse, values, axes=(1, 1 + i)), 0, 1 + i)
    family = LinearFamily(tuple(j.positions for j in joints), tuple(j.turning for j in joints), values)
    sizes = np.abs(values).sum(axis=tuple(range(d + 1))).max(axis=(1, 2))
    sizes[1:3], sizes[3:] = sizes[1:3].max(), sizes[3:].max()  # a rate may be zero, and differ by rounding
    rng = np.random.default_rng(0)
    for _ in range(8):
        where = [float(rng.uniform(*j.positions)) for j in joints]
        rates, pushes = rng.uniform(-1.0, 1.0, d), rng.uniform(-1.0, 1.0, d)
        got, exact = np.tensordot(monomials(rates, pushes), family.at(where), 1), at(where, rates, pushes)
        if (np.abs(got - exact).max(axis=(1, 2)) > _AGREE * np.maximum(sizes, 1e-300)).any():
            raise InputError(
                f"the loop of machine '{eom.machine.name}' is not a polynomial of the motion of "
                f"{', '.join(j.name for j in joints)}: its law must have fixed gains, and no spring or loss of these "
                "joints may be nonlinear"
            )
    return family


def _verified(
    family: LinearFamily, energy: EnergyFunction, decay: float, progress: Callable[[str], object]
) -> tuple[float, int]:
    """By how much the inequalities hold between all nodes, and the number of nodes; not positive: they do not."""
    scale = energy.scales
    d = len(family.spans)

    def scaled(x: Array) -> Array:
        return np.asarray(scale[:, None] * x * scale)

    def falls(parts: Array) -> Array:
        """The matrices of all monomials."""
        return np.array([scaled(energy.fall(x, decay, first=k == 0)) for k, x in enumerate(parts)])

    curved, total = np.zeros((2, d)), np.zeros(2)
    for index in np.ndindex(*family.coefficients.shape[1 : 1 + d]):
        parts = family.coefficients[(slice(None), *index)]
        first = not any(index)
        sizes = [
            sum(np.linalg.norm(scaled(energy.fall(x, decay, first=first and k == 0)), 2) for k, x in enumerate(parts)),
            np.linalg.norm(scaled(energy.value(parts[0], first)), 2),
        ]
        bends = [curvature(turns)[i] for i, turns in zip(index, family.turning, strict=True)]
        curved += np.outer(np.array(sizes, dtype=float), bends)
        total += np.array(sizes, dtype=float)
    vertices = np.array(family.vertices)
    rounding = 2.0 * _AGREE * total

    def least(counts: Sequence[int]) -> Array:
        """Least eigenvalues of both inequalities at the nodes of a grid."""
        lowest = np.full(2, np.inf)
        grid = list(product(*(np.linspace(*span, n) for span, n in zip(family.spans, counts, strict=True))))
        for k, x in enumerate(grid):
            parts = family.at(x)
            W = np.tensordot(vertices, falls(parts), 1)
            found = np.array([np.linalg.eigvalsh(W)[:, 0].min(), np.linalg.eigvalsh(scaled(energy.value(parts[0])))[0]])
            lowest = np.minimum(lowest, found)
            if k % 50 == 49:
                progress(f"node {k + 1} of {len(grid)}")
            if (lowest <= 0.0).any():
                break
        return lowest

    rough = least([3] * d)
    if (rough <= 0.0).any():
        return float(rough.min()), 3**d
    widths = np.array([hi - lo for lo, hi in family.spans])
    with np.errstate(divide="ignore"):
        steps = np.sqrt(8.0 * _SHARE * (rough[:, None] / d) / curved).min(axis=0)
    counts = [int(np.ceil(w / h)) + 1 if np.isfinite(h) else 2 for w, h in zip(widths, steps, strict=True)]
    counts = [max(n, 2) for n in counts]
    if np.prod(counts, dtype=float) > _NODES:
        return -np.inf, int(np.prod(counts))
    between = (np.square(widths / (np.array(counts) - 1.0)) / 8.0 * curved).sum(axis=1)
    return float((least(counts) - between - rounding).min()), int(np.prod(counts))
