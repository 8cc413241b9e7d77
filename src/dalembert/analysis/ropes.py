"""Tensions and efficiencies of ropes over sheaves that run slowly, one way or the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.states import named_vector
from dalembert.core.types import Array, StateLike
from dalembert.formulations.constraints.ropes import RopeSection
from dalembert.formulations.constraints.route_checks import route_fault
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.machine import Machine
from dalembert.model.ropes import Drum, Rope

__all__ = ["RopeEfficiency", "RopeTensions", "rope_efficiency", "rope_tensions"]


@dataclass(frozen=True, eq=False)
class RopeTensions:
    """Tensions of the spans of a rope [N], in the order of its path.

    Parameters
    ----------
    rope
        Name of the rope.
    ideal
        Tensions without friction and losses.
    coiling, paying_out
        Tensions while the rope runs slowly towards its drum (a hoist lifts), and away from it (a hoist lowers). A
        rope without a drum runs towards the start of its path, and away from it.
    """

    rope: str
    ideal: Array
    coiling: Array
    paying_out: Array


@dataclass(frozen=True)
class RopeEfficiency:
    """Efficiency of a hoist.

    Parameters
    ----------
    lifting
        Ideal tension at the drum over the one that lifts.
    lowering
        Tension at the drum that lowers, over the ideal one. The rope brakes by itself where it is negative.
    band
        Least and largest tension [N] at the drum between which the load stands.
    """

    lifting: float
    lowering: float
    band: tuple[float, float]


def rope_tensions(
    machine: Machine,
    q: StateLike = None,
    *,
    held: Iterable[str] = (),
    p: Mapping[str, Any] | None = None,
    t: float = 0.0,
) -> dict[str, RopeTensions]:
    """Return the tensions with which loads hang on inextensible ropes, while these stand or run slowly.

    Drums and joints with motors are held. For each rope, ``T_0 = 1^T b / (1^T W B)`` keeps its length at rest, with
    ``W = A M^-1 A^T``, ``b = A M^-1 f`` for the rows A of its spans, and the tensions ``T = B T_0`` in the ratios of
    sheaves that slip one way or the other. The rope turns sheaves that have joints, and slips on those that would need
    more than its friction. Their bearings rub. Constraints hold, and other ropes are taut without friction.

    Parameters
    ----------
    machine
        The machine.
    q
        Configuration, by names or numbers; None: the neutral one. The load must hang at rest there.
    held
        Further joints that are held.
    p, t
        Parameters, and the time of prescribed motion.

    Examples
    --------
    >>> from dalembert.analysis import rope_tensions
    >>> from dalembert.systems.hoists import reeved_hoist
    >>> [float(T) for T in rope_tensions(reeved_hoist(2))["fall"].ideal.round(6)]
    [5395.5, 5395.5]
    """
    return {name: _tensions(machine, name, q, list(held), p, t) for name in _named(machine, None)}


def rope_efficiency(
    machine: Machine,
    rope: str,
    q: StateLike = None,
    *,
    held: Iterable[str] = (),
    p: Mapping[str, Any] | None = None,
    t: float = 0.0,
) -> RopeEfficiency:
    """Return the efficiency of a hoist with an inextensible rope, from the tensions at its drum.

    Parameters
    ----------
    machine, rope
        The machine and the name of its rope.
    q, held, p, t
        As in `rope_tensions`.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.analysis import rope_efficiency
    >>> from dalembert.systems.hoists import reeved_hoist
    >>> loss = da.SheaveLoss(bearing=0.1, pin=0.03, bending=0.005)
    >>> round(rope_efficiency(reeved_hoist(4, loss=loss), "fall").lifting, 4)
    0.958
    """
    (name,) = _named(machine, rope)
    first, *_, last = _rope(machine, name).path
    if isinstance(first, Drum) and isinstance(last, Drum) and first.joint == last.joint:
        raise InputError(
            f"rope '{name}' of machine '{machine.name}' has both drums on the joint '{first.joint}', one of which pays "
            "out while the other coils: its efficiency is that of their moments, from the radii and `rope_tensions`"
        )
    made = _tensions(machine, name, q, list(held), p, t)
    end = 0 if _first(machine, name) else -1
    ideal, up, down = (float(x[end]) for x in (made.ideal, made.coiling, made.paying_out))
    return RopeEfficiency(ideal / up, down / ideal, (down, up))


def _named(machine: Machine, rope: str | None) -> list[str]:
    """Names of the ropes, or of one of them, which are inextensible."""
    names = [one.name for one in machine.ropes]
    if rope is not None and rope not in names:
        raise UnknownNameError("rope", rope, names, f"machine '{machine.name}'")
    if not names:
        raise InputError(f"machine '{machine.name}' has no ropes; declare them (Rope)")
    chosen = [one for one in machine.ropes if rope is None or one.name == rope]
    elastic = [one.name for one in chosen if one.elastic]
    if elastic and rope is not None:
        raise InputError(
            f"rope '{elastic[0]}' of machine '{machine.name}' is elastic: its tension follows from its stretch; leave "
            "out its stiffness"
        )
    chosen = [one for one in chosen if not one.elastic]
    if not chosen:
        raise InputError(f"all ropes of machine '{machine.name}' are elastic: their tensions follow from their stretch")
    return [one.name for one in chosen]


def _rope(machine: Machine, name: str) -> Rope:
    return next(one for one in machine.ropes if one.name == name)


def _first(machine: Machine, name: str) -> bool:
    """Whether a rope runs towards the start of its path where it is coiled."""
    path = _rope(machine, name).path
    return isinstance(path[0], Drum) or not isinstance(path[-1], Drum)


def _tensions(machine: Machine, name: str, q: Any, held_joints: list[str], p: Any, t: float) -> RopeTensions:
    eom = derive(machine)
    place = np.asarray(named_vector(q, machine.q_names, machine.q_neutral, "q"), dtype=float)
    x = eom.from_machine(place, np.zeros(machine.nv))[0] if not eom.formulation.machine_coordinates else place
    values = machine.parameter_vector(p)
    system = eom.constraint_system
    fault = route_fault(system, x[None], t, values)
    if fault is not None:
        raise InputError(f"q: {fault[1]}")
    free = _free(eom, name, held_joints)
    zero = np.zeros(eom.nv)
    force = eom.applied(x, zero, np.zeros(eom.nu), t=t, p=p) - eom.bias(x, zero, t=t, p=p)
    M = eom.mass_matrix(x, t=t, p=p)[np.ix_(free, free)]
    rows = {section.name: _numbers(eom, section, x, t, values) for section in system.sections}
    bearings = _bearings(eom, free, x, t, values)
    held = _held(eom, x, t, values)[:, free]
    way = -1.0 if _first(machine, name) else 1.0
    found = [_solve(eom, name, sign * way, rows, bearings, held, M, force[free], free) for sign in (0.0, 1.0, -1.0)]
    return RopeTensions(name, *found)


def _free(eom: EquationsOfMotion, name: str, held: list[str]) -> list[int]:
    """Velocities that are not those of drums, motors and other joints that are held."""
    machine = eom.machine
    for joint in held:
        machine.joint(joint)  # names that exist
    drums = {e.joint for rope in machine.ropes for e in rope.path if isinstance(e, Drum)}
    fixed = drums | {motor.joint for motor in machine.motors} | set(held)
    names = {v for joint in machine.joints if joint.name in fixed for v in joint.v_names}
    free = [k for k, v in enumerate(eom.v_names) if v not in names]
    if not free:
        raise InputError(f"rope '{name}' of machine '{machine.name}' carries no load that is free to move")
    return free


def _numbers(eom: EquationsOfMotion, section: RopeSection, x: Array, t: float, p: Array) -> tuple[Array, Array]:
    """Rows of the spans of a section and its largest logarithms of ratios, at a configuration."""
    s = eom.symbolic
    system = eom.constraint_system
    made = ca.Function("spans", [s.q, s.v, s.t, s.p, system.latches], [ca.jacobian(section.rates, s.v), section.kappa])
    A, kappa = made(x, np.zeros(eom.nv), t, p, system.latch_nominal)
    return np.array(ca.DM(A).full()), np.array(ca.DM(kappa).full())[:, 0]


def _held(eom: EquationsOfMotion, x: Array, t: float, p: Array) -> Array:
    """Rows of constraints that always hold."""
    system, s = eom.constraint_system, eom.symbolic
    which = [i for r in system.rows if r.kind in ("constraint", "internal") for i in range(r.start, r.stop)]
    if not which:
        return np.zeros((0, eom.nv))
    made = ca.Function("rows", [s.q, s.t, s.p, system.latches], [system.jacobian[which, :]])
    return np.array(ca.DM(made(x, t, p, system.latch_nominal)).full())


def _bearings(eom: EquationsOfMotion, free: list[int], x: Array, t: float, p: Array) -> dict[str, Array]:
    """Moments of friction of turning sheaves, by the names of tensions: generalised forces by a unit of each of them.

    They are those while the rope runs along its path. Sheaves whose joints are held have none.
    """
    system, s, found = eom.constraint_system, eom.symbolic, dict[str, Array]()
    for rope in eom.machine.ropes:
        for bearing in () if rope.elastic else system.routes[rope.name].bearings:
            row = bearing.lever * bearing.sense * ca.jacobian(eom.formulation.joint_rate(bearing.joint), s.v)
            made = ca.Function("moment", [s.q, s.t, s.p, system.latches], [row])
            numbers = np.array(ca.DM(made(x, t, p, system.latch_nominal)).full())[0, free]
            for k in bearing.spans:
                name = rope.tension_names[k]
                found[name] = found.get(name, np.zeros(len(free))) + numbers
    return found


def _turning(eom: EquationsOfMotion, section: RopeSection, free: list[int]) -> list[bool]:
    """Whether the sheaves of a section turn with joints that are free to move."""
    machine = eom.machine
    joints = {e.label: e.joints for e in _rope(machine, section.rope).path}
    moving = {eom.v_names[k] for k in free}
    return [any(v in moving for j in joints[sheave] for v in machine.joint(j).v_names) for sheave in section.sheaves]


def _solve(
    eom: EquationsOfMotion,
    rope: str,
    way: float,
    rows: dict[str, tuple[Array, Array]],
    bearings: dict[str, Array],
    held: Array,
    M: Array,
    f: Array,
    free: list[int],
) -> Array:
    """Tensions of the spans of a rope that runs along its path (1), back (-1), or without friction (0)."""
    sections = eom.constraint_system.sections
    sticks = {section.name: _turning(eom, section, free) for section in sections}
    while True:
        pulls, sums, shares = list[Array](), list[Array](), list[tuple[str, Array]]()
        for section in sections:
            A, kappa = rows[section.name]
            runs = way if section.rope == rope else 0.0
            ends = [0, *(k + 1 for k, stuck in enumerate(sticks[section.name]) if stuck), len(kappa) + 1]
            for first, last in pairwise(ends):
                B = np.zeros(len(kappa) + 1)
                B[first:last] = np.exp(np.concatenate([[0.0], np.cumsum(kappa[first : last - 1])]) * runs)
                rubbed = sum(
                    (B[k] * bearings[name] for name, k in section.tensions if name in bearings), np.zeros(len(free))
                )
                pulls.append(A[:, free].T @ B + runs * rubbed)
                sums.append(A[first:last, free].sum(axis=0))
                shares.append((section.name, B))
        K, J = np.column_stack([*pulls, *held]), np.vstack([*sums, *held])
        S = J @ np.linalg.solve(M, K)
        tau = np.linalg.lstsq(S, J @ np.linalg.solve(M, f), rcond=1e-10)[0]
        tensions = {section.name: np.zeros(len(rows[section.name][1]) + 1) for section in sections}
        for (name, B), pull in zip(shares, tau, strict=False):
            tensions[name] += pull * B
        if way and not all((tensions[s.name] > 0.0).all() for s in sections if s.rope == rope):
            raise InputError(
                f"rope '{rope}' of machine '{eom.machine.name}' is not pulled taut by its load in this configuration"
            )
        slipping = next(
            (
                (s.name, k)
                for s in sections
                for k, stuck in enumerate(sticks[s.name])
                if stuck and way and s.rope == rope and _passes(tensions[s.name][k : k + 2], rows[s.name][1][k])
            ),
            None,
        )
        if slipping is None:
            spans = [tensions[s.name][group] for s in sections if s.rope == rope for _, group in s.tensions]
            return np.array(spans, dtype=float)
        sticks[slipping[0]][slipping[1]] = False


def _passes(tensions: Array, kappa: float) -> bool:
    """Whether the ratio of two tensions is beyond the friction of the sheave between them."""
    return bool(abs(np.log(tensions[1] / tensions[0])) > kappa * (1 + 1e-9))
