"""The contacts of a closed loop for time-stepping: tapes of the half-factored mass matrix, rows, gaps and works."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.types import Array, Expression
from dalembert.engine.methods.contacts import TimeStepping
from dalembert.engine.problem.stepping import PairRows, SteppingSystem
from dalembert.formulations.contact.system import ContactPair, ContactSystem
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.factorization import UnitFactors, half_solve, unit_factors
from dalembert.formulations.states import Parameters
from dalembert.model.beam import Beam
from dalembert.model.checks import refuse_stick
from dalembert.model.contacts import HalfSpace, SphericalSurface
from dalembert.model.geometry import Box, Capsule, Sphere

__all__ = ["check_gaps", "check_stepping", "contact_signals", "loss_names", "stepping_names", "stepping_part"]

_DEEP = 1e-6
"""Penetration [m] that an initial state may have: what rounding of a position that someone has typed explains."""

_TOGETHER = 32
"""Contacts up to which the rows of all are one tape; of more, each is evaluated only where it is near."""

_FLEXIBLE = 0.55
"""Where in the step machines with beams are taken, if nothing is said."""

_AXES = ("normal", "tangent1", "tangent2")


def check_stepping(eom: EquationsOfMotion, system: ContactSystem) -> None:
    """Refuse what time-stepping cannot do, by name."""
    machine = eom.machine
    refuse_stick(machine, "contact='time-stepping'", "leave it out for event-driven runs, or use friction_law='smooth'")
    if not system.pairs:
        raise InputError(
            f"contact='time-stepping' is for machines with contacts; machine '{machine.name}' has none: declare them "
            "(Contact), or leave it out"
        )
    if eom.constrained:
        parts = [*(c.name for c in machine.constraints), *(c.name for c in machine.cables)]
        what = f"constraints ({', '.join(parts)})" if parts else f"coordinates with constraints (by={eom.by!r})"
        raise InputError(
            f"contact='time-stepping' cannot keep constraints yet, and machine '{machine.name}' has {what}"
        )
    if not eom.formulation.machine_coordinates:
        raise InputError(
            f"contact='time-stepping' steps in the coordinates of the machine; leave out the other coordinates of "
            f"machine '{machine.name}'"
        )
    for pair in system.pairs:
        if pair.poisson:
            raise InputError(
                f"contact '{pair.name}' of machine '{machine.name}' has Poisson's restitution; contact='time-stepping' "
                "knows Newton's: law='newton'"
            )


def check_gaps(eom: EquationsOfMotion, q: Array, p: Parameters, *, limits: bool = False) -> None:
    """Refuse to start inside of what is touched, and beyond the limits of joints if these are stops.

    Coordinates (..., nq) and parameters may be those of many members.
    """
    gaps, system = np.atleast_2d(eom.contact_gaps(q, p=p, limits=limits)), eom.contact_system(limits=limits)
    member, worst = np.unravel_index(np.argmin(gaps), gaps.shape)
    if gaps[member, worst] < -_DEEP:
        pair, whose = system.pairs[int(worst)], f" of member {member}" if q.ndim > 1 else ""
        raise InputError(
            f"q0{whose}: contact '{pair.name}' of machine '{eom.machine.name}' ({pair.between}) starts "
            f"{-gaps[member, worst]:.6g} m deep; lift it"
        )


def stepping_names(system: ContactSystem) -> tuple[str, ...]:
    """Names of the states that time-stepping adds."""
    forces = [f"force.{name}.{axis}" for name in system.names for axis in _AXES]
    return (*forces, *loss_names(system), "contact.residual", "contact.sweeps")


def loss_names(system: ContactSystem) -> tuple[str, ...]:
    """Names of the energies that contacts have taken."""
    return tuple(f"loss.{name}" for name in system.names)


def contact_signals(system: ContactSystem) -> list[tuple[str, Any]]:
    """Gaps, and the speeds with which contacts slip."""
    u = ca.densify(system.velocity)
    signals = []
    for k, name in enumerate(system.names):
        signals.append((f"gap.{name}", system.gaps[k]))
        if system.pairs[k].rubs:
            signals.append((f"slip.{name}", ca.norm_2(u[3 * k + 1 : 3 * k + 3])))
    return signals


def stepping_part(
    eom: EquationsOfMotion,
    system: ContactSystem,
    way: TimeStepping,
    arguments: list[Expression],
    zdot: Expression,
    applied: list[Expression],
    n_before: int,
) -> SteppingSystem:
    """Tapes of a step.

    Parameters
    ----------
    eom, system, way
        The equations, their contacts and the settings.
    arguments
        Symbols t, x, c, p; x = (q, v, z, states of time-stepping, work).
    zdot
        Rates of z.
    applied
        Generalised forces of inputs and of losses.
    n_before
        Number of states before those of time-stepping.
    """
    s, nv, k = eom.symbolic, eom.nv, system.k
    t, x, _, p = arguments
    h, dv, d = ca.SX.sym("h"), ca.SX.sym("dv", nv), ca.SX.sym("d", nv)
    theta, names = _theta(eom, way), ["t", "x", "c", "p"]
    M = ca.SX(s.mass_matrix)
    B = ca.jacobian(s.coordinate_rate, s.v)
    D_in, K_in = (_positive_diagonal(-ca.jacobian(applied[0], y) @ b) for y, b in ((s.v, ca.SX.eye(nv)), (s.q, B)))
    D_loss = _within(M, -ca.jacobian(applied[1], s.v))
    K = K_in + _within(M, _stiffness(eom, B))
    implicit = M + (h * theta) * (D_in + D_loss) + (h * theta) ** 2 * K
    # Velocities in axes that turn with a body are carried along by the step: what that explains is no force.
    bias = ca.densify(ca.substitute(ca.SX(s.inverse_dynamics), s.a, ca.densify(eom.layout.coasting(s.v))))
    force = applied[0] + applied[1] - bias
    if theta != 0.5:
        force -= (2.0 * theta - 1.0) * h * (K @ s.v)
    factors = unit_factors(implicit)
    scale = [ca.sqrt(i) for i in factors.inverse]
    s0 = _scaled(half_solve(factors, ca.vertsplit(ca.densify(h * force))), scale)

    # How fast a pair is that may pass the other one by its side, its normal alone does not say.
    around = np.array([pair.contact is not None and not pair.contact.surface.convex_side for pair in system.pairs])
    sizes = np.where(system.rubs | around.astype(bool), 3, 1).astype(np.int64)
    columns = [sorted(row) for row in factors.rows]
    L = ca.vertcat(*[factors.rows[i][j] for i in range(nv) for j in columns[i]]) if any(columns) else ca.SX(0, 1)
    outputs = [L, ca.vertcat(*scale), ca.vertcat(*[0.0 if e is None else e for e in s0])]
    outputs += [system.gaps, system.restitution, system.friction, bias]
    labels = ["L", "d", "s0", "g", "e", "mu", "b"]
    pairs = None
    if k > _TOGETHER:
        symbols = _FactorSymbols(columns)
        rows = [_rows(system, a, int(sizes[a]), symbols.factors, symbols.scale) for a in range(k)]
        pairs = _pair_rows(rows, ca.vertcat(t, x, p, symbols.L, symbols.d))
        outputs.append(_paces(system))
        labels.append("pace")
    else:
        rows = [_rows(system, a, int(sizes[a]), factors, scale) for a in range(k)]
        outputs += [ca.vertcat(*[row.Y for row in rows]), ca.vertcat(*[row.u for row in rows])]
        labels += ["Y", "u0"]
    dense = ca.cse([ca.densify(ca.SX(y)) for y in outputs])
    middle = s.v + dv / 2
    pull = applied[0] - theta * (D_in @ dv) - h * (theta**2 * (K_in @ dv) + (2.0 * theta - 1.0) * (K_in @ s.v))
    works = ca.vertcat(h * ca.dot(middle, pull), h * ca.dot(middle, applied[1] - theta * (D_loss @ dv)))
    rates = ca.substitute(ca.densify(zdot), s.v, middle) if zdot.numel() else ca.SX(0, 1)
    raised = ca.dot(ca.substitute(ca.densify(s.bias), s.v, ca.SX.zeros(nv)), d)
    moved = [ca.densify(eom.formulation.moved(d)), ca.densify(eom.layout.transported(s.v, d))]
    return SteppingSystem(
        way=way,
        theta=theta,
        nq=eom.nq,
        nv=nv,
        nz=n_before - eom.nq - nv,
        terms=ca.Function("contact_step", [*arguments, h], dense, [*names, "h"], labels),
        bias=ca.Function("bias", arguments, [bias], names, ["b"]),
        gaps=ca.Function("gaps", arguments, [ca.densify(system.gaps)], names, ["g"]),
        move=ca.Function("move", [x, d, p], ca.cse(moved), ["x", "d", "p"], ["q", "v"]),
        finish=ca.Function(
            "finish", [*arguments, h, dv], ca.cse([rates, ca.densify(works)]), [*names, "h", "dv"], ["zdot", "work"]
        ),
        lift=ca.Function("lift", [t, x, d, p], [ca.densify(raised)], ["t", "x", "d", "p"], ["work"]),
        pairs=pairs,
        n_parameters=int(p.shape[0]),
        factor=tuple(map(tuple, columns)),
        supports=tuple(row.support for row in rows),
        sizes=sizes,
        features=_features(system.pairs),
        names=system.names,
        forces=n_before,
        losses=n_before + 3 * k,
        residual=n_before + 4 * k,
        sweeps=n_before + 4 * k + 1,
        work_input=n_before + 4 * k + 2,
        work_loss=n_before + 4 * k + 3,
    )


def _theta(eom: EquationsOfMotion, way: TimeStepping) -> float:
    if way.theta is not None:
        return float(way.theta)
    return _FLEXIBLE if any(isinstance(body, Beam) for body in eom.machine.bodies) else 0.5


def _stiffness(eom: EquationsOfMotion, B: Expression) -> Expression:
    """Stiffness of joints and of beams: second derivatives of what is left of the potential energy without gravity."""
    s, machine = eom.symbolic, eom.machine
    free = derive(machine.with_(gravity=(0.0, 0.0, 0.0)), eom.by, backend=eom.backend).symbolic
    V = ca.substitute([ca.SX(free.potential_energy)], [free.q, free.p, free.t], [s.q, s.p, s.t])[0]
    return B.T @ ca.hessian(V, s.q)[0] @ B


def _within(M: Expression, A: Expression) -> Expression:
    """Symmetric part of a matrix, where the mass matrix is not zero; what is outside stays explicit."""
    return ca.project((A + A.T) / 2, (M + M.T).sparsity())


def _positive_diagonal(A: Expression) -> Expression:
    """Diagonal of a matrix where it is positive: feedback of a joint upon itself that damps or holds it."""
    entries = [ca.fmax(A[i, i], 0.0) if A.has_nz(i, i) else ca.SX(1, 1) for i in range(A.shape[0])]
    return ca.diagcat(*entries)


class _Rows(NamedTuple):
    """Rows ``J L^-T D^-1/2`` of a contact at its support, velocities ``J v``, and the support."""

    Y: Any
    u: Any
    support: tuple[int, ...]


def _rows(system: ContactSystem, a: int, size: int, factors: UnitFactors, scale: list[Any]) -> _Rows:
    J = ca.SX(system.jacobian[3 * a : 3 * a + size, :])
    rows = [_scaled(half_solve(factors, _entries(J[i, :])), scale) for i in range(size)]
    support = tuple(j for j in range(J.shape[1]) if any(row[j] is not None for row in rows))
    Y = [0.0 if row[j] is None else row[j] for row in rows for j in support]
    u = ca.densify(system.velocity[3 * a : 3 * a + size])
    return _Rows(ca.vertcat(*Y) if Y else ca.SX(0, 1), u, support)


class _FactorSymbols:
    """Symbols in the place of the factors of the mass matrix, for functions that are given them."""

    def __init__(self, columns: list[list[int]]) -> None:
        self.L, self.d = ca.SX.sym("L", sum(map(len, columns))), ca.SX.sym("d", len(columns))
        entries = iter(ca.vertsplit(self.L) if self.L.numel() else ())
        rows = [{j: next(entries) for j in row} for row in columns]
        self.scale = ca.vertsplit(self.d)
        self.factors = UnitFactors(rows, [e**2 for e in self.scale])


def _pair_rows(rows: list[_Rows], values: Expression) -> tuple[PairRows, ...]:
    """Functions of single contacts; those that differ only in what they read are one."""
    places = {e.element_hash(): i for i, e in enumerate(ca.vertsplit(values))}
    known: dict[str, str] = {}
    functions = []
    for row in rows:
        outputs = [ca.densify(ca.SX(e)) for e in (row.Y, row.u)]
        used = sorted(ca.symvar(ca.vertcat(*outputs)), key=lambda e: places[e.element_hash()])
        inputs = ca.SX.sym("values", len(used))
        if used:
            outputs = ca.substitute(outputs, [ca.vertcat(*used)], [inputs])
        function = ca.Function("pair", [inputs], ca.cse(outputs), ["values"], ["Y", "u0"])
        key = known.setdefault(function.serialize(), f"pair{len(known)}")
        functions.append(PairRows(key, function, tuple(places[e.element_hash()] for e in used)))
    return tuple(functions)


def _paces(system: ContactSystem) -> Expression:
    """Bounds of the speeds with which the two sides of contacts move: of their frames, and of arms that turn."""
    f, v, value = system.formulation, system.variables.v, system.variables.value

    def pace(frame: str, arm: Expression) -> Expression | float:
        if system.machine.tree.frames[frame][0] < 0:
            return 0.0
        twist = ca.densify(ca.SX(f.jacobian(frame)) @ v)
        return ca.norm_2(twist[:3]) + ca.norm_2(twist[3:]) * arm

    def length(vector: Iterable[Scalar]) -> Expression:
        return ca.norm_2(ca.vertcat(*[ca.SX(value(x)) for x in vector]))

    paces = []
    for k, pair in enumerate(system.pairs):
        contact = pair.contact
        if contact is None:
            paces.append(ca.fabs(system.velocity[3 * k]))
            continue
        arm = length(contact.origin.translation)
        match contact.solid:
            case Sphere(radius=radius):
                arm += value(radius)
            case Capsule(radius=radius, length=straight):
                arm += value(radius) + value(straight) / 2
            case Box(size=size):
                arm += length(size) / 2
        if isinstance(contact.surface, SphericalSurface):
            other = length(contact.surface.centre) + value(contact.surface.radius)
        else:
            p_a, p_o = (ca.SX(f.frame_pose(frame)[1]) for frame in contact.frames)
            other = ca.norm_2(p_a - p_o) + arm
        paces.append(ca.SX(pace(contact.frame, arm) + pace(contact.on, other + ca.fabs(system.gaps[k]))))
    return ca.vertcat(*paces)


def _entries(row: Expression) -> list[Expression | None]:
    return [row[0, j] if row.has_nz(0, j) else None for j in range(row.shape[1])]


def _scaled(x: list[Any], scale: list[Any]) -> list[Any]:
    return [None if e is None else e * f for e, f in zip(x, scale, strict=True)]


def _features(pairs: tuple[ContactPair, ...]) -> Array:
    """Length below which nothing passes unseen: a half-space has no other side, but a ball has a size of its own."""
    sizes = []
    for pair in pairs:
        contact = pair.contact
        size = math.inf
        if contact is not None:
            solid = contact.solid
            size = float(nominal(solid.radius)) if isinstance(solid, Sphere | Capsule) else 0.0
            if not isinstance(contact.surface, HalfSpace) and not contact.surface.inside:
                size += float(nominal(contact.surface.radius))
        sizes.append(size if size > 0.0 else math.inf)
    return np.array(sizes)
