"""Assembly: coordinates with which the constraints of a machine hold and every value that is given is kept.

From the values that are given and the others where the machine has them by nature, in this order:

1. Newton's method, if it ends nearby: the nearest state in the metric of the mass matrix.
2. Where more values are given than the machine has freedoms, the nearest state all the same, if it moves none of them
   by more than ``reach``: numbers as they are typed contradict each other in the last digit.
3. Continuation: from the assembled nominal posture the given values are led to their targets, and the machine follows,
as a mechanism on the bench would. So a sweep of one coordinate stays on one branch.
4. A search from many postures, always the same ones, by the method of Levenberg and Marquardt (J. J. More, "The
   Levenberg-Marquardt algorithm: implementation and theory", Lecture Notes in Mathematics 630, 1978). It takes the
   solution nearest to the posture of 1.

Conditions that cannot be met are refused, with the nearest state that was found and the number of starts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalembert.core.constraint_algebra import allowed_motions
from dalembert.core.errors import InputError
from dalembert.core.labels import by_name
from dalembert.core.states import named_vector, names_given
from dalembert.core.types import Array, StateLike
from dalembert.core.validation import check_number
from dalembert.core.warn import warn
from dalembert.formulations.constraints.assembly_search import NEAR, STARTS, Solutions, followed, solutions
from dalembert.formulations.constraints.conditions import Conditions, given_sizes, settle
from dalembert.formulations.constraints.route_checks import route_fault, route_warnings
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.machine import Machine

__all__ = [
    "Assembled",
    "Branch",
    "assemble",
    "assembled_members",
    "assembled_start",
    "conditions_of",
    "described",
    "every_assembly",
    "freedoms_left",
]

_REACH = 0.1  # how far given values that contradict each other may be moved, in sizes
_TOLD = 1e-6  # part of its size that a given value may be moved by without a warning: the rounding of printed digits
_SLACK = 1e-9  # by how much a cable is longer than its way if it is slack
_BESIDE = 1e-2  # how far beside a posture it is judged whether it is special, in sizes

Branch = int | Mapping[str, float] | None
"""Which assembly: its number in the list of `dalembert.assemblies`, coordinates that it is near to, or None."""


@dataclass(frozen=True, eq=False)
class Assembled:
    """Assembled coordinates of members.

    Parameters
    ----------
    q
        Coordinates of the machine (N, nq).
    moved
        How far each given value had to be moved (N, k), in radians or metres; zeros where all are kept.
    """

    q: Array
    moved: Array


def conditions_of(
    eom: EquationsOfMotion,
    given: Sequence[int],
    values: Array,
    *,
    t: float,
    p: Array,
    latches: Array,
    q: Array,
) -> Conditions:
    """Return the conditions for members (N, nq).

    Rows that act are those of constraints and of cables that are taut; not those of contacts, and not those of
    constraints that hold the machine as it is when they begin to act.
    """
    system = eom.constraint_system
    latches = latches.copy()
    measuring = system.latch_table.measuring
    kinds = [rows.kind in ("constraint", "cable", "internal") and rows.name not in measuring for rows in system.rows]
    counts = (
        np.repeat(kinds, [rows.stop - rows.start for rows in system.rows]) if system.rows else np.zeros(0, dtype=bool)
    )
    phi = eom.constraints(q, t=t, p=p, latches=latches)
    for rows in system.rows:
        if rows.unilateral and rows.kind == "cable":
            latches[:, rows.flag] = np.where(phi[:, rows.start] < -_SLACK, 0.0, latches[:, rows.flag])
    acting = (system.activity(latches) != 0.0) & counts
    return Conditions(eom, tuple(given), values, t, p, latches, acting)


def _tightened(c: Conditions, nominal: Array, q: Array) -> Conditions:
    """Return conditions with the cables taut that are too short at a state without them."""
    latches, phi = c.latches.copy(), c.eom.constraints(q, t=c.t, p=c.p, latches=c.latches)
    acting = c.acting.copy()
    for rows in c.eom.constraint_system.rows:
        if rows.unilateral and rows.kind == "cable" and rows.name not in c.eom.constraint_system.latch_table.measuring:
            short = (phi[:, rows.start] > _SLACK) & (nominal[:, rows.flag] > 0.5) & ~acting[:, rows.start]
            latches[short, rows.flag] = 1.0
            acting[short, rows.start] = True
    return replace(c, latches=latches, acting=acting)


def assemble(
    eom: EquationsOfMotion,
    q: Array,
    given: Sequence[int],
    *,
    t: float = 0.0,
    p: Array,
    latches: Array | None = None,
    branch: Branch = None,
    reach: float | None = None,
    what: str = "q0",
) -> Assembled:
    """Assemble members of a machine.

    Parameters
    ----------
    eom
        Equations in the machine's own coordinates.
    q
        Coordinates (N, nq): the given ones, and the nominal values of the others.
    given
        Places in ``q`` of the coordinates that are kept.
    t, p
        Time, and parameters (N, np).
    latches
        Latches of the constraints (N, n) or (n,); None: nominal.
    branch
        Which assembly, where there are several.
    reach
        How far given values may be moved (parts of a radian, or of the machine's size); None: not at all, or by 0.1 if
        there are more of them than the machine has freedoms.
    what
        The coordinates, in messages.

    Raises
    ------
    InputError
        If a member has no such state.
    """
    n, system = len(q), eom.constraint_system
    nominal = np.array(
        np.broadcast_to(system.latch_nominal if latches is None else latches, (n, len(system.latch_names)))
    )
    _check_quaternions(eom, q, what)
    q = _with_guess(eom, q, given, branch, what)
    values = q[:, list(given)].copy()
    c = conditions_of(eom, given, values, t=t, p=p, latches=nominal, q=q)
    moved, result = np.zeros((n, len(given))), q.copy()
    members = np.arange(n)
    for _ in range(len(system.rows) + 1):
        found, moved[members] = _members(c, q[members], branch, reach, what, members if n > 1 else None)
        result[members] = found
        tight = _tightened(c, nominal[members], found)
        again = (tight.acting != c.acting).any(axis=-1)
        members, c = members[again], tight.of(np.flatnonzero(again))
        if not len(members):
            break
    return Assembled(result, moved)


def _members(
    c: Conditions, q: Array, branch: Branch, reach: float | None, what: str, members: NDArray[np.int64] | None
) -> tuple[Array, Array]:
    """Assembled coordinates of members, and how far given values were moved."""
    result, moved = q.copy(), np.zeros((len(q), len(c.given)))
    closed = np.max(np.abs(c.phi(q)), axis=-1, initial=0.0)
    with np.errstate(invalid="ignore"):
        left = np.flatnonzero(~(closed <= 1e-13)) if not isinstance(branch, int) else np.arange(len(q))
    if len(left) and not isinstance(branch, int) and len(c.given) < c.eom.nq:
        landing = settle(c.of(left), q[left], by_mass=True)
        near = landing.solved & (landing.travel <= NEAR)
        result[left[near]] = landing.q[near]
        left = left[~near]
    if len(left) and c.given:
        landing = settle(c.without().of(left), q[left], by_mass=True)
        for k in np.flatnonzero(landing.solved):
            one = c.of([left[k]])
            if _may_be_moved(one, landing.q[k], reach):
                result[left[k]] = landing.q[k]
                moved[left[k]] = np.abs(landing.q[k, list(c.given)] - one.values[0])
        left = left[~(moved[left] > 0.0).any(axis=-1)]
    if len(left) and branch is None and len(c.given) < c.eom.nq:
        landing = followed(c.of(left), q[left])
        result[left[landing.solved]] = landing.q[landing.solved]
        left = left[~landing.solved]
    for i in map(int, left):
        found = solutions(c.of([i]), q[i])
        result[i] = _chosen(c.of([i]), q[i], found, branch, reach, what, None if members is None else int(members[i]))
        moved[i] = np.abs(result[i, list(c.given)] - c.values[i])
    return result, moved


def _may_be_moved(c: Conditions, q: Array, reach: float | None) -> bool:
    """Whether the given values of a member may be moved to those of a state: by ``reach``.

    Without it, values that contradict each other may be moved by a little: so many digits were typed.
    """
    within = c.moved(q[None]).max() <= (_REACH if reach is None else reach)
    return bool(within) and (reach is not None or _contradict(c, q))


def _contradict(c: Conditions, q: Array) -> bool:
    """Whether the constraints determine some of the given coordinates, or combinations of them, all by themselves.

    At the end of a range they seem to, and do not beside it: that is where it is judged.
    """
    free, one = c.without(), np.eye(c.eom.nv)
    N = allowed_motions(one, free.rows(q[None])[0])
    aside = N @ np.random.default_rng(2).normal(size=N.shape[1])
    aside *= _BESIDE / max(float(np.abs(aside).max(initial=0.0)), 1e-300)
    beside = settle(free, c.eom.integrate(q[None], aside[None] * c.sizes.v))
    x = beside.q if beside.solved[0] else q[None]
    freedoms = allowed_motions(one, free.rows(x)[0]).shape[1]
    left = allowed_motions(one, c.rows(x)[0]).shape[1]
    named = int(np.linalg.matrix_rank(c.rows(x)[0, c.acting.shape[1] :]))
    return freedoms - left < named


def _check_quaternions(eom: EquationsOfMotion, q: Array, what: str) -> None:
    """Refuse quaternions that are no rotations; a component of one is given with the others."""
    for name, start in eom.layout.quaternions:
        length = np.linalg.norm(q[:, start : start + 4], axis=1)
        worst = int(np.argmax(np.abs(length - 1.0)))
        if abs(length[worst] - 1.0) > 1e-6:
            raise InputError(
                f"{what}: the quaternion of joint '{name}' must have unit norm, got norm {length[worst]:g}; give all "
                "four of its components"
            )


def _with_guess(eom: EquationsOfMotion, q: Array, given: Sequence[int], branch: Branch, what: str) -> Array:
    """Coordinates with those of a branch, which some of them identify."""
    if not isinstance(branch, Mapping):
        return q
    q, names = q.copy(), list(eom.machine.q_names)
    for name, value in branch.items():
        if names.index(name) in given:
            raise InputError(f"branch: {name!r} is fixed by {what}; identify a branch by other coordinates")
        q[:, names.index(name)] = value
    for _, start in eom.layout.quaternions:
        q[:, start : start + 4] /= np.linalg.norm(q[:, start : start + 4], axis=1, keepdims=True)
    return q


def _chosen(
    c: Conditions, q: Array, found: Solutions, branch: Branch, reach: float | None, what: str, member: int | None
) -> Array:
    """The requested solution; refused if there is none."""
    machine = c.eom.machine
    whose = f"machine '{machine.name}'" + ("" if member is None else f" (member {member})")
    if len(found.q):
        number = branch if isinstance(branch, int) else 0
        if not 0 <= number < len(found.q):
            raise InputError(
                f"branch: {whose} has {len(found.q)} {'assembly' if len(found.q) == 1 else 'assemblies'} for the "
                f"given {what}, numbered from 0, got {number}; see dalembert.assemblies"
            )
        return np.asarray(found.q[number])
    if found.nearest is not None and c.given:
        if _may_be_moved(c, found.nearest, reach):
            return found.nearest
        names = machine.q_names
        asked = ", ".join(f"{names[i]} = {x:.6g}" for i, x in zip(c.given, c.values[0], strict=True))
        together = " together" if len(c.given) > 1 else ""
        fewer = "; name fewer of them, the others follow from the constraints" if _contradict(c, found.nearest) else ""
        kept = found.nearest.copy()
        kept[list(c.given)] = c.values[0]
        row, off = _furthest(c, kept)
        raise InputError(
            f"{what}: the constraints of {whose} do not allow {_short(asked)}{together}: '{row}' would be off "
            f"by {off:.4g}; {found.starts} starts were tried; the nearest state that was found is "
            f"{described(machine.q_names, found.nearest)}{fewer}"
        )
    if not np.isfinite(c.phi(q[None])).all():
        _check_routes(c.eom, q[None], c.t, c.p[:1], what)
        row = c.eom.constraint_system.row_names[int(np.argmax(~np.isfinite(c.phi(q[None])[0])))]
        raise InputError(
            f"constraint '{row}' of {whose} has no value at {what}; for a cable: is its pulley larger than the "
            "distance, or the distance zero?"
        )
    row, _ = _furthest(c, settle(c.without(), q[None]).q[0])
    raise InputError(
        f"{what}: no state satisfies the constraints of {whose}: {found.starts} starts were tried, and all violate "
        f"'{row}'"
    )


def _furthest(c: Conditions, q: Array) -> tuple[str, float]:
    """Row that is off by most in a posture, and by how much."""
    phi = np.abs(c.phi(q[None]) * c.sizes.rows)[0]
    phi = np.where(np.isfinite(phi), phi, np.inf)
    return c.eom.constraint_system.row_names[int(np.argmax(phi))], float(phi.max())


def _short(text: str) -> str:
    return text if len(text) <= 300 else text[:297] + "..."


def described(names: Sequence[str], q: Array) -> str:
    """Coordinates by name, as a message has them."""
    return _short(", ".join(f"{name} = {x:.6g}" for name, x in zip(names, q, strict=True)))


def assembled_start(
    eom: EquationsOfMotion,
    q0: StateLike,
    *,
    t: float = 0.0,
    p: Array,
    latches: Array | None = None,
    branch: Branch = None,
    reach: float | None = None,
    what: str = "q0",
) -> tuple[Array, float]:
    """Return the coordinates of the machine at a start, and how far the farthest of those that are given was moved.

    It is reported where that is more than rounding.

    Parameters
    ----------
    eom
        The equations, in any coordinates.
    q0
        Coordinates of the machine: by name, and the others follow; all of them; or None.
    t, p
        Time and parameter values.
    latches, branch, reach, what
        As in `assemble`.
    """
    names = eom.machine.q_names
    q, given = named_vector(q0, names, eom.machine.q_neutral, what)[None], names_given(q0, names, what)
    result = assembled_members(eom, q, given, t=t, p=p[None], latches=latches, branch=branch, reach=reach, what=what)
    return result.q[0], float(result.moved.max(initial=0.0))


def every_assembly(
    eom: EquationsOfMotion, q0: StateLike, *, t: float, p: Array, starts: int = STARTS, what: str = "q0"
) -> Solutions:
    """Return all assemblies of one machine that a search finds; refused if there is none.

    Parameters
    ----------
    eom
        The equations, in any coordinates.
    q0
        Coordinates of the machine that are given.
    t, p
        Time and parameter values.
    starts, what
        As in `solutions` and `assemble`.
    """
    own, names = eom.in_machine_coordinates(), eom.machine.q_names
    q = named_vector(q0, names, eom.machine.q_neutral, what)
    _check_quaternions(own, q[None], what)
    c = _nominal_conditions(own, _given_places(own, names_given(q0, names, what)), q, t, p)
    found = solutions(c, q, starts)
    if not len(found.q):
        _chosen(c, q, found, None, None, what, None)
    return found


def assembled_members(
    eom: EquationsOfMotion,
    q: Array,
    given: Sequence[str],
    *,
    t: float,
    p: Array,
    latches: Array | None = None,
    branch: Branch = None,
    reach: float | None = None,
    what: str = "q0",
) -> Assembled:
    """Assemble members as `assemble` does, from equations in any coordinates; report given values that were moved.

    Parameters
    ----------
    eom
        The equations.
    q
        Coordinates of the machine (N, nq).
    given
        Names of those that are given.
    t, p, latches, branch, reach, what
        As in `assemble`; parameters (N, np).
    """
    machine = eom.machine
    branch = _checked_branch(machine, branch)
    reach = None if reach is None else check_number("reach", reach)
    if not machine.constrained:
        if branch is not None:
            raise InputError(f"branch: machine '{machine.name}' has no constraints, so it has exactly one assembly")
        if machine.ropes:
            _check_routes(eom.in_machine_coordinates(), q, t, p, what)
        return Assembled(q, np.zeros((len(q), len(given))))
    own = eom.in_machine_coordinates()
    if latches is not None and own is not eom:
        latches = _latches_of(own, eom, np.asarray(latches))
    places = _given_places(own, given)
    result = assemble(own, q, places, t=t, p=p, latches=latches, branch=branch, reach=reach, what=what)
    _check_routes(own, result.q, t, p, what)
    _tell_moved(own, places, q, result, what)
    return result


def _check_routes(own: EquationsOfMotion, q: Array, t: float, p: Array, what: str) -> None:
    """Refuse postures in which a rope has no route."""
    fault = route_fault(own.constraint_system, q, t, p)
    if fault is not None:
        member, message = fault
        whose = f" of member {member}" if len(q) > 1 else ""
        raise InputError(f"{what}{whose}: {message}")
    for doubt in route_warnings(own.constraint_system, q, t, p):
        warn(doubt)


def freedoms_left(eom: EquationsOfMotion, q: Array, given: Sequence[str], *, t: float, p: Array) -> int | None:
    """Return how many freedoms are left at a state (nq,) if some coordinates are kept.

    None if the constraints do not leave these coordinates free, or one of them belongs to a quaternion.
    """
    own = eom.in_machine_coordinates()
    places = _given_places(own, given)
    if any(start <= i < start + 4 for i in places for _, start in own.layout.quaternions):
        return None
    c = _nominal_conditions(own, places, q, t, p)
    freedoms = allowed_motions(np.eye(own.nv), c.without().rows(q[None])[0]).shape[1]
    left = allowed_motions(np.eye(own.nv), c.rows(q[None])[0]).shape[1]
    return left if freedoms - left == len(places) else None


def _nominal_conditions(eom: EquationsOfMotion, places: tuple[int, ...], q: Array, t: float, p: Array) -> Conditions:
    """Conditions for one state (nq,) with nominal latches, if its coordinates at some places are kept."""
    nominal = eom.constraint_system.latch_nominal[None]
    return conditions_of(eom, places, q[None, list(places)], t=t, p=p[None], latches=nominal, q=q[None])


def _latches_of(own: EquationsOfMotion, eom: EquationsOfMotion, latches: Array) -> Array:
    """Latches of equations in the machine's coordinates, from those of others, by name."""
    there, here = own.constraint_system, eom.constraint_system
    shared = [name for name in there.latch_names if name in here.latch_names]
    result = np.array(np.broadcast_to(there.latch_nominal, (*latches.shape[:-1], len(there.latch_names))))
    result[..., [there.latch_index(n) for n in shared]] = latches[..., [here.latch_index(n) for n in shared]]
    return result


def _given_places(eom: EquationsOfMotion, given: Sequence[str]) -> tuple[int, ...]:
    """Places of coordinates by name; of a quaternion all four are given, or none."""
    places = {eom.machine.q_names.index(name) for name in given}
    for _, start in eom.layout.quaternions:
        whole = set(range(start, start + 4))
        places |= whole if places & whole else set()
    return tuple(sorted(places))


def _checked_branch(machine: Machine, branch: object) -> Branch:
    branch = by_name(branch, "branch")
    if branch is None or (isinstance(branch, int | np.integer) and not isinstance(branch, bool)):
        if branch is not None and branch < 0:
            raise InputError(f"branch must be a whole number >= 0, or coordinates by name, got {branch!r}")
        return None if branch is None else int(branch)
    if not isinstance(branch, Mapping):
        raise InputError(f"branch must be a whole number >= 0, or coordinates by name, got {branch!r}")
    q = named_vector(branch, machine.q_names, machine.q_neutral, "branch")
    return {str(name): float(q[machine.q_names.index(name)]) for name in branch}


def _tell_moved(eom: EquationsOfMotion, places: tuple[int, ...], asked: Array, result: Assembled, what: str) -> None:
    """Tell of the given value that was moved farthest, if that is more than rounding."""
    if not places or not result.moved.any():
        return
    sizes = given_sizes(eom, places)
    member, k = (int(x) for x in np.unravel_index(int(np.argmax(result.moved / sizes)), result.moved.shape))
    if result.moved[member, k] <= _TOLD * sizes[k]:
        return
    name, i = eom.machine.q_names[places[k]], places[k]
    whose = f" of member {member}" if len(asked) > 1 else ""
    warn(
        f"{what}: the coordinates{whose} contradict the constraints of machine '{eom.machine.name}' and were moved by "
        f"up to {result.moved[member, k]:.3g}: {name!r} starts at {result.q[member, i]:.6g} instead of "
        f"{asked[member, i]:g}"
    )
