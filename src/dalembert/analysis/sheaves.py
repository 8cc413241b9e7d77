"""Ropes over sheaves with friction at one state: which sheaves stick, which slip, and the tensions of their spans.

Sheaves past which the rope runs slip that way. For the others, and for ropes at rest, the law of the sheaves decides,
``u' = W T + b`` with ``W = A P A^T`` for the rows A of the spans and the mobility P that the other constraints leave.
A sheave that sticks is a row of the constraints. One that slips has none, but its multiplier, the change of the
tension, is ``lambda_k = T_k - T_{k+1} = (e^(-kappa d) - 1) T_{k+1}``: forces act along other rows than those that
constrain.

The bearing of a turning sheave with a loss has friction of at most ``c (T_k + T_{k+1})`` against the rate of its joint.
One that turns has this friction, one at rest holds its joint where the law allows. The limits come from the tensions,
and these from the limits: both are repeated until they agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.analysis.contact_forces import sliding_multipliers
from dalembert.analysis.equilibrium import Equilibrium
from dalembert.core.constraint_algebra import minimum_norm
from dalembert.core.errors import InputError
from dalembert.core.types import Array, Expression
from dalembert.engine.unilateral.algebra import (
    BlockForces,
    Blocks,
    NoContactForcesError,
    Reeve,
    Touch,
    UnilateralLaw,
    delassus,
    solve_blocks,
)
from dalembert.formulations.constraints.elastic_sheaves import span_tensions
from dalembert.formulations.constraints.ropes import RopeSection
from dalembert.formulations.constraints.system import ConstraintSystem
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["all_multipliers", "constrained_accelerations", "tension_rows", "with_sheaves"]

_STILL = 1e-9  # speed [m/s] of rope past a sheave, or rate [rad/s] of a bearing, from which on it slips
_ROUNDS, _AGREE = 200, 1e-13  # how often limits of bearings follow from tensions at most, and change that is rounding


def with_sheaves(eom: EquationsOfMotion, point: Equilibrium, v: Array, *, t: float, p: Array) -> Equilibrium:
    """Return a point with the sheaves of its taut ropes as they are at velocities ``v``: they stick, or they slip.

    Parameters
    ----------
    eom, point
        The equations, and the point; rows of ``J`` beyond those of the constraints belong to locked joints.
    v
        Velocities on the constraints.
    t, p
        Time and parameter values.
    """
    system = eom.constraint_system
    bearings = _Bearings.of(system)
    sections = [s for s in system.sections if (s.sheaves or bearings.are_on(s)) and _is_taut(system, s, point.latches)]
    if not (sections or bearings.rows):
        return point
    closed = [c.name for c in system.contacts.pairs if point.latches[system.latch_index(f"active.{c.name}")] > 0.5]
    if closed:
        raise InputError(
            f"machine '{eom.machine.name}' has sheaves with friction and closed contacts ('{closed[0]}'): which of "
            "them stick is not determined together; leave the contacts out, or give the sheaves no friction"
        )
    q, latches = point.q, point.latches.copy()
    J, gamma, rate = (
        eom.constraint_jacobian(q, t=t, p=p, latches=latches),
        eom.constraint_rhs(q, v, t=t, p=p, latches=latches),
        eom.constraint_velocity(q, v, t=t, p=p, latches=latches),
    )
    rows = [_rows(system, section) for section in sections]
    rubbing = [*(row for some in rows for row in some), *bearings.rows]
    on = system.activity(latches) != 0.0
    others = [i for i in np.flatnonzero(on) if i not in rubbing]
    locks = point.J[int(on.sum()) :]
    held = np.vstack([J[others], locks])
    given = np.concatenate([gamma[others], np.zeros(len(locks))])
    M = eom.mass_matrix(q, p=p)
    force = eom.applied(q, v, point.u, t=t, p=p) - eom.bias(q, v, p=p)
    free = minimum_norm(M, force, held, given).acceleration
    pulls = np.vstack([*(_spans(J[some]) for some in rows), J[bearings.rows]])
    moving = np.concatenate(
        [*(_spans(J[some] @ free - gamma[some]) for some in rows), J[bearings.rows] @ free - gamma[bearings.rows]]
    )
    W, _ = delassus(M, pulls, held)
    kappa, lengths = _laws(eom, sections, q, t, p, latches)
    slips = np.concatenate([*(np.append(np.nan, _ways(rate[some[:-1]])) for some in rows), _ways(rate[bearings.rows])])
    sizes, turning = [*(len(some) for some in rows), *(1 for _ in bearings.rows)], len(bearings.rows)
    laws = [UnilateralLaw.ROPE] * len(rows) + [UnilateralLaw.LIMIT] * turning
    none = np.zeros(turning)
    blocks = Blocks(
        W, -moving, laws, sizes, np.append(kappa, none), slips, np.zeros(len(slips)), np.append(lengths, none + 1.0)
    )
    solution = bearings.settled(eom, blocks, sections, point, v, t=t, p=p)
    first = 0
    for section, size in zip(sections, sizes, strict=False):
        _set(eom, section, solution, first, latches)
        first += size
    bearings.set(solution, first, latches)
    on = system.activity(latches) != 0.0
    J_on = np.vstack([J[on], locks])
    a = free - minimum_norm(M, pulls.T @ solution.p, held, np.zeros(len(held))).acceleration
    multipliers = np.zeros(system.m)
    left = force - M @ a - pulls.T @ solution.p
    multipliers[others] = minimum_norm(M, left, held, np.zeros(len(held))).multipliers[: len(others)]
    multipliers[bearings.rows] = solution.p[first:]
    first = 0
    for some in rows:
        T = solution.p[first : first + len(some)]
        multipliers[some] = np.append(T[:-1] - T[1:], T[-1])
        first += len(some)
    return replace(point, residual=-M @ a, multipliers=multipliers, latches=latches, J=J_on)


@dataclass(frozen=True, eq=False)
class _Bearings:
    """Bearings of turning sheaves with losses.

    Parameters
    ----------
    system
        The constraints.
    names
        Their names.
    rows
        Their rows: the negative rates of their joints.
    levers
        Largest friction of each of them, by the sum of its tensions.
    tensions
        Names of these tensions.
    """

    system: ConstraintSystem
    names: tuple[str, ...]
    rows: list[int]
    levers: Expression
    tensions: tuple[tuple[str, ...], ...]

    @staticmethod
    def of(system: ConstraintSystem) -> _Bearings:
        """Those of a machine."""
        starts = {r.name: r.start for r in system.rows if r.kind == "stick"}
        names = system.machine.sheave_bearings
        laws = system.rubbing[len(system.rubbing) - len(names) :] if names else ()
        levers = ca.densify(ca.vertcat(ca.SX(0, 1), *(law.coefficient for law in laws)))
        return _Bearings(system, names, [starts[name] for name in names], levers, tuple(x.tensions for x in laws))

    def are_on(self, section: RopeSection) -> bool:
        """Whether tensions of a section load any of them."""
        loads = {name for one in self.tensions for name in one}
        return any(name in loads for name, _ in section.tensions)

    def settled(
        self,
        eom: EquationsOfMotion,
        blocks: Blocks,
        sections: list[RopeSection],
        point: Equilibrium,
        v: Array,
        *,
        t: float,
        p: Array,
    ) -> BlockForces:
        """Forces of ropes and bearings whose limits are in proportion to the tensions."""
        if not self.rows:
            return _solved(eom, blocks, sections, self.names)
        s, places, first = eom.symbolic, dict[str, int](), 0
        elastic = span_tensions(eom)
        for section in sections:
            places |= {name: first + span for name, span in section.tensions}
            first += len(section.sheaves) + 1
        known = [sum((ca.fmax(elastic[x], 0) for x in some if x in elastic), ca.SX(0)) for some in self.tensions]
        arguments, both = [s.q, s.v, s.t, s.p, self.system.latches], [self.levers, ca.vertcat(*known)]
        made = ca.Function("levers", arguments, [ca.densify(ca.SX(x)) for x in both])
        levers, always = (np.array(ca.DM(x).full())[:, 0] for x in made(point.q, v, t, p, point.latches))
        limits = levers * always
        for _ in range(_ROUNDS):
            solution = _solved(eom, replace(blocks, mu=np.append(blocks.mu[:first], limits)), sections, self.names)
            loads = [sum(max(solution.p[places[x]], 0.0) for x in some if x in places) for some in self.tensions]
            old, limits = limits, levers * (np.array(loads) + always)
            if np.abs(limits - old).max() <= _AGREE * limits.max(initial=0.0):
                return solution
        worst = self.names[int(np.abs(limits - old).argmax())]
        raise InputError(
            f"no friction of bearing '{worst}' of machine '{eom.machine.name}' obeys its law there: it jams; give a "
            "state in which it sticks, or leave out the loss"
        )

    def set(self, solution: BlockForces, first: int, latches: NDArray[np.float64]) -> None:
        """Write what they do into the latches."""
        for k, name in enumerate(self.names, first):
            sticks = solution.modes[k] == Touch.STICK
            side = 0.0 if sticks else -np.sign(solution.p[k])
            latches[self.system.latch_index(f"stick.{name}")] = float(sticks)
            latches[self.system.latch_index(f"toward.{name}")] = side


def all_multipliers(system: ConstraintSystem, multipliers: Expression, elastic: Mapping[str, Expression]) -> Expression:
    """Multipliers of all rows, with those of sheaves that slip and contacts that slide from the forces behind them.

    Parameters
    ----------
    system, multipliers
        The constraints, and their multipliers.
    elastic
        Tensions of elastic ropes by the names of spans, which load bearings of sheaves.
    """
    result, latches = sliding_multipliers(system, multipliers), system.latches
    for section in system.sections:
        if not section.sheaves:
            continue
        rows = _rows(system, section)
        behind = result[rows[-1]]
        for k, (sheave, row) in reversed(list(enumerate(zip(section.sheave_names, rows, strict=False)))):
            side = latches[system.latch_index(f"toward.{sheave}")]
            tension = ca.if_else(side * side > 0.5, behind * ca.exp(-section.kappa[k] * side), behind + result[row])
            result[row] = tension - behind
            behind = tension
    bearings, rows_of = _Bearings.of(system), tension_rows(system)
    for k, (name, row) in enumerate(zip(bearings.names, bearings.rows, strict=True)):
        side = latches[system.latch_index(f"toward.{name}")]
        load = ca.SX(0)
        for one in bearings.tensions[k]:
            load += ca.fmax(elastic[one], 0) if one in elastic else ca.sum1(result[list(rows_of[one])])
        result[row] = ca.if_else(side * side > 0.5, -side * bearings.levers[k] * load, result[row])
    return result


def tension_rows(system: ConstraintSystem) -> dict[str, tuple[int, ...]]:
    """Rows whose multipliers add up to the tension of each span of inextensible ropes.

    The tension of a span is that of the last one of its rope, and all that sheaves with friction between them change.
    """
    names: dict[str, tuple[int, ...]] = {}
    for section in system.sections:
        *changes, whole = _rows(system, section)
        names |= {name: (whole, *changes[span:]) for name, span in section.tensions}
    return names


def constrained_accelerations(M: Array, force: Array, J: Array, pull: Array, gamma: Array) -> tuple[Array, Array]:
    """Solve ``M a + pull lambda = force``, ``J a = gamma`` for right sides with leading batch axes.

    Friction of sheaves that slip makes ``pull`` differ from ``J^T``; without it this is `minimum_norm`.
    """
    if np.array_equal(pull, J.T):
        return minimum_norm(M, force, J, gamma)
    a, X = np.linalg.solve(M, force.T).T, np.linalg.solve(M, pull)
    S = J @ X
    scale = np.sqrt(np.abs(np.einsum("ij,ji->i", J, np.linalg.solve(M, J.T)))) + 1e-300
    right = ((a @ J.T - gamma) / scale).T
    multipliers = (np.linalg.lstsq(S / scale[:, None] / scale, right, rcond=1e-10)[0].T) / scale
    return a - multipliers @ X.T, multipliers


def _rows(system: ConstraintSystem, section: RopeSection) -> list[int]:
    """Rows of the sheaves of a section in order, then that of the whole."""
    starts = {(r.kind, r.name): r.start for r in system.rows}
    return [*(starts["sheave", name] for name in section.sheave_names), starts["rope", section.name]]


def _is_taut(system: ConstraintSystem, section: RopeSection, latches: Array) -> bool:
    return bool(latches[system.latch_index(f"active.{section.name}")] > 0.5)


def _spans(sums: Array) -> Array:
    """Rows of the single spans, from their sums."""
    return np.diff(sums, axis=0, prepend=np.zeros((1, *sums.shape[1:])))


def _ways(rates: Array) -> Array:
    """Which way the rope slips past sheaves, NaN where it does not."""
    return np.where(np.abs(rates) > _STILL, -np.sign(rates), np.nan)


def _laws(
    eom: EquationsOfMotion, sections: list[RopeSection], q: Array, t: float, p: Array, latches: Array
) -> tuple[Array, Array]:
    """Largest logarithms of ratios, each at the row of the span behind its sheave, and lengths of spans."""
    s, system = eom.symbolic, eom.constraint_system
    kappa = ca.vertcat(*(ca.vertcat(0, section.kappa) for section in sections))
    lengths = ca.vertcat(*(section.lengths for section in sections))
    made = ca.Function("laws", [s.q, s.t, s.p, system.latches], [ca.densify(kappa), ca.densify(lengths)])
    first, second = made(q, t, p, latches)
    return np.array(ca.DM(first).full())[:, 0], np.array(ca.DM(second).full())[:, 0]


def _solved(
    eom: EquationsOfMotion, blocks: Blocks, sections: list[RopeSection], bearings: tuple[str, ...]
) -> BlockForces:
    try:
        return solve_blocks(blocks)
    except NoContactForcesError as error:
        if error.pair >= len(sections):
            raise InputError(
                f"no friction of bearing '{bearings[error.pair - len(sections)]}' of machine '{eom.machine.name}' "
                "obeys its law there"
            ) from None
        section = sections[error.pair]
        at = section.sheave_names[max((error.sheave or 1) - 1, 0)]
        raise InputError(
            f"rope '{section.name}' of machine '{eom.machine.name}' is jammed at '{at}': no tensions let it slip there "
            "as it does in this state; give a state in which it sticks"
        ) from None


def _set(
    eom: EquationsOfMotion, section: RopeSection, solution: BlockForces, first: int, latches: NDArray[np.float64]
) -> None:
    """Write what the sheaves of a section do into the latches."""
    system = eom.constraint_system
    if solution.modes[first] == Reeve.SLACK:
        raise InputError(
            f"rope '{section.name}' of machine '{eom.machine.name}' does not stay taut there: give inputs u with which "
            f"it pulls, or active={{'{section.name}': False}}"
        )
    for k, sheave in enumerate(section.sheave_names):
        mode = solution.modes[first + k + 1]
        side = {Reeve.SLIP: 1.0, Reeve.BACK: -1.0}.get(Reeve(int(mode)), 0.0)
        latches[system.latch_index(f"toward.{sheave}")] = side
        latches[system.latch_index(f"stick.{sheave}")] = float(mode == Reeve.STICK)
