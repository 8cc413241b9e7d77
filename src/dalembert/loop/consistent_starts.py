"""Starts on the constraints of a machine: coordinates, velocities, and the active cables and contacts there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalembert.compile.batch import in_parts
from dalembert.core.errors import InputError, SimulationError
from dalembert.core.types import Array
from dalembert.core.warn import warn
from dalembert.engine.unilateral.native import LANDED, TransitionDesk
from dalembert.formulations.constraints.projection import consistent_state, consistent_states, kept_velocities
from dalembert.loop.starts import place_starts
from dalembert.loop.switching import Switching

__all__ = ["ConsistentStart", "consistent_start", "consistent_starts"]

_CLOSE = 1e-3  # part of the velocities that may change without a warning, as printed digits do
_PENETRATES = 1e-6  # overlap [m] that a run may start with: the rounding of a position that someone has typed
_WORTH = 4096  # members of a thread of NumPy: with fewer, threads wait for each other longer than they work


class ConsistentStart(NamedTuple):
    """A state on the constraints, how far coordinates and velocities were moved, and the impact that it begins with."""

    x: Array
    moved: dict[str, float]
    impact: dict[str, Any]


def consistent_start(
    switching: Switching,
    x: Array,
    t: float,
    wanted: Mapping[str, float] | None = None,
    *,
    rtol: float | None = None,
) -> ConsistentStart:
    """Return the initial state on the constraints, with the requested velocities.

    Cables that are longer than their way start slack; so do cables that would have to push. Contacts that touch may
    start with an impact; contacts that overlap are refused.
    """
    eom, system, p = switching.eom, switching.eom.constraint_system, switching.p
    x, where = x.copy(), switching.latches
    q, v = x[: eom.nq], x[eom.nq : eom.nq + eom.nv]
    latches = system.latch_table.measured(x[where], q, t, p)
    phi = eom.constraints(q, t=t, p=p, latches=latches)
    for rows in system.rows:
        if rows.unilateral and phi[rows.start] < -1e-9:
            latches[rows.flag] = 0.0
    _check_overlap(switching, phi)
    state = consistent_state(eom, q, v, t=t, p=p, latches=latches)
    new = state.v
    if wanted:
        kept = kept_velocities(eom, state.q, v, wanted, t=t, p=p, latches=latches)
        new = state.v if kept is None else kept
        if kept is None:
            _check_wanted(switching, state.q, new, wanted, latches)
    moved = {"position": state.position_correction, "velocity": float(np.max(np.abs(new - v)))}
    x[: eom.nq], x[eom.nq : eom.nq + eom.nv], x[where] = state.q, new, latches
    impact: dict[str, Any] = {}
    known = not switching.problem.held_names  # else it is when the run begins
    if known and (switching.pairs.names or switching.sticks):
        desk = TransitionDesk(switching.problem, switching.pair_table(), rtol=rtol, backend=eom.backend)
        outcome, x = desk.begin(t, x, np.zeros(0), p)
        if outcome >= 0:
            raise switching.ill_posed(t, *desk.pair)
        if outcome != LANDED:
            raise SimulationError(f"the equations of machine '{eom.machine.name}' have no finite value at the start")
        if switching.has_contacts:
            impact = switching.described(desk.last(("start",)))
    return ConsistentStart(x, moved, impact if impact.get("impulse") else {})


def consistent_starts(
    switching: Switching,
    x: Array,
    t: float,
    p: Array,
    wanted: Mapping[str, Array],
    threads: int = 1,
    *,
    compiled: bool = False,
) -> Array:
    """Return the initial states of many members (N, n), each with its parameters (N, np), as `consistent_start` does.

    But their time loop determines which cables and contacts are active there. With ``compiled`` there is a kernel for
    it (`place_starts`), whose result is the same up to rounding.
    """
    eom, pairs, start, x = switching.eom, switching.pairs, x, x.copy()
    q, v = x[:, : eom.nq].copy(), x[:, eom.nq : eom.nq + eom.nv].copy()
    latches = eom.measured_latches(q, t=t, p=p, latches=x[:, switching.latches], threads=threads)
    if pairs.names:
        phi = eom.constraints(q, t=t, p=p, latches=latches)
        latches[:, pairs.flags] = np.where(phi[:, pairs.rows] < -1e-9, 0.0, latches[:, pairs.flags])
        for i in np.flatnonzero((phi[:, pairs.rows[pairs.is_contact]] > _PENETRATES).any(axis=1))[:1]:
            _check_overlap(switching, phi[i])
    x[:, switching.latches] = latches

    def place(which: NDArray[np.int64] | slice) -> None:
        named = {name: values[which] for name, values in wanted.items()}
        x[which, : eom.nq], x[which, eom.nq : eom.nq + eom.nv] = consistent_states(
            eom, q[which], v[which], t=t, p=p[which], latches=latches[which], wanted=named
        )

    problem = switching.problem
    constrained = problem.constrained
    try:
        if compiled and eom.formulation.machine_coordinates and constrained is not None and constrained.solves:
            placed = place_starts(eom, problem, x, t=t, p=p, wanted=wanted, threads=threads)
            left = np.flatnonzero(~placed)
            if len(left):
                in_parts(lambda rows: place(left[rows]), len(left), threads, least=_WORTH)
        else:
            in_parts(place, len(x), threads, least=_WORTH)
    except InputError:
        if pairs.names:  # a member whose velocities its cables do not allow is reported, and starts with others
            for i, p_i in enumerate(p):
                named = {name: float(values[i]) for name, values in wanted.items()} or None
                x[i] = consistent_start(switching.for_run(p_i, None), start[i], t, named).x
            return x
        place(slice(None))  # once more, so that the first member which cannot start is the one that is named
    return x


def _check_overlap(switching: Switching, phi: Array) -> None:
    """Refuse a start at which a contact overlaps."""
    machine, contacts, pairs = switching.eom.machine, switching.eom.constraint_system.contacts, switching.pairs
    deep = {
        name: float(phi[row])
        for name, row, contact in zip(pairs.names, pairs.rows, pairs.is_contact, strict=True)
        if contact and phi[row] > _PENETRATES
    }
    if not deep:
        return
    name = max(deep, key=lambda key: deep[key])
    pair = contacts.pairs[contacts.names.index(name)]
    more = f" (and {len(deep) - 1} more overlap)" if len(deep) > 1 else ""
    where = f"machine '{machine.name}'"
    if pair.contact is None:
        raise InputError(f"{pair.between} of {where} starts {deep[name]:.4g} beyond its stop '{name}'{more}")
    raise InputError(
        f"contact '{name}' of {where}: {pair.between} overlap by {deep[name]:.4g} m at the start{more}; move them apart"
    )


def _check_wanted(switching: Switching, q: Array, v: Array, wanted: Mapping[str, float], latches: Array) -> None:
    """Refuse velocities that contradict each other; if a cable is among the active constraints, name it."""
    eom, names = switching.eom, switching.eom.machine.v_names
    got = eom.to_machine(q, v, p=switching.p)[1]
    gaps = {name: abs(got[names.index(name)] - value) for name, value in wanted.items()}
    name = max(gaps, key=lambda key: gaps[key])
    if gaps[name] <= _CLOSE * max(abs(value) for value in wanted.values()):
        return
    text = (
        f"v0: the constraints of machine '{eom.machine.name}' do not allow the velocities {', '.join(wanted)} "
        f"together: {name!r} of {wanted[name]:g} would become {got[names.index(name)]:.4g}"
    )
    if any(rows.unilateral and latches[rows.flag] > 0.5 for rows in eom.constraint_system.rows):
        warn(f"{text}; the run starts with that value")
    else:
        raise InputError(f"{text}; name fewer of them, the others follow from the constraints")
