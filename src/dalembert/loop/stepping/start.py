"""Checks of what time-stepping supports, and starts of its runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dalembert.collide import refuse_overlaps
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.engine.problem.stepping import SteppingSystem
from dalembert.engine.stepping.native import MOST_ROWS
from dalembert.formulations.constraints.elastic_sheaves import ElasticSheaves
from dalembert.formulations.constraints.projection import consistent_state, consistent_states, kept_velocities
from dalembert.formulations.constraints.system import sticking_names
from dalembert.formulations.contact.system import ContactSystem
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.states import Parameters
from dalembert.loop.stepping.blocks import rows_of

__all__ = ["SteppedStart", "check_gaps", "check_stepping"]

_DEEP = 1e-6
"""Penetration [m] that an initial state may have: the rounding of a typed position."""


def check_stepping(eom: EquationsOfMotion, system: ContactSystem, elastic: ElasticSheaves) -> None:
    """Raise an error that names a setting that time-stepping does not support."""
    machine = eom.machine
    if not eom.formulation.machine_coordinates:
        raise InputError(
            f"contact='time-stepping' steps in the coordinates of the machine; leave out the other coordinates of "
            f"machine '{machine.name}' (by={eom.by!r})"
        )
    for cable in machine.cables:
        if cable.rubbing:
            raise InputError(
                f"cable '{cable.name}' of machine '{machine.name}' has weight and friction on its pulley, which "
                "contact='time-stepping' does not support: run it event by event, or leave out its friction"
            )
    if not (system.pairs or machine.colliders or rows_of(eom)[0] or sticking_names(eom.machine) or elastic.belts):
        raise InputError(
            "contact='time-stepping' is for machines with contacts, colliders, inextensible cables or ropes, elastic "
            f"ropes with friction, or joints that stick; machine '{machine.name}' has none: declare them, or leave "
            "it out"
        )
    for section in eom.constraint_system.sections if eom.constrained else ():
        if len(section.sheaves) >= MOST_ROWS:
            raise InputError(
                f"rope '{section.name}' of machine '{machine.name}' has {len(section.sheaves)} sheaves with friction; "
                f"contact='time-stepping' takes at most {MOST_ROWS - 1}"
            )
    for k in system.windowed:
        raise InputError(
            f"contact '{system.names[k]}' of machine '{machine.name}' is with a face or edge of a box, which is "
            "located event by event; contact='time-stepping' takes such bodies as colliders"
        )
    for pair in system.pairs:
        if pair.poisson:
            raise InputError(
                f"contact '{pair.name}' of machine '{machine.name}' has Poisson's restitution; contact='time-stepping' "
                "supports only Newton's: law='newton'"
            )


def check_gaps(
    eom: EquationsOfMotion, x: Array, p: Parameters, *, limits: bool = False, stepping: SteppingSystem | None = None
) -> None:
    """Refuse to start in penetration, and beyond the limits of joints if these are stops.

    States (..., n) and parameters may be those of many members; the energy that compliant contacts store is written
    into them. ``stepping`` has the colliders, if there are any.
    """
    q = x[..., : eom.nq]
    if stepping is not None and stepping.colliders is not None:
        stored = refuse_overlaps(stepping.colliders, eom, q, p)
        if stepping.colliders.stored >= 0:
            x[..., stepping.colliders.stored] = stored if x.ndim > 1 else stored[0]
    system = eom.contact_system(limits=limits)
    if not system.pairs:
        return
    gaps = np.atleast_2d(eom.contact_gaps(q, p=p, limits=limits))
    member, worst = np.unravel_index(np.argmin(gaps), gaps.shape)
    if gaps[member, worst] < -_DEEP:
        pair, whose = system.pairs[int(worst)], f" of member {member}" if q.ndim > 1 else ""
        raise InputError(
            f"q0{whose}: contact '{pair.name}' of machine '{eom.machine.name}' ({pair.between}) starts "
            f"{-gaps[member, worst]:.6g} m deep in the surface; move it out"
        )


@dataclass(frozen=True, eq=False)
class SteppedStart:
    """Puts the starts of runs by time-stepping on their constraints.

    Parameters
    ----------
    eom
        The equations.
    chosen
        Which latches are states.
    places
        Their indices in x.
    """

    eom: EquationsOfMotion
    chosen: list[int]
    places: list[int]

    def one(self, x: Array, t: float, p: Array, wanted: Mapping[str, float] | None) -> tuple[Array, dict[str, float]]:
        """Return a state on the constraints, with the requested velocities, and how far it was moved."""
        eom, x = self.eom, x.copy()
        q, v = x[: eom.nq], x[eom.nq : eom.nq + eom.nv]
        latches = self._latches(q[None], t, p[None])[0]
        state = consistent_state(eom, q, v, t=t, p=p, latches=latches)
        new = state.v
        if wanted:
            kept = kept_velocities(eom, state.q, v, wanted, t=t, p=p, latches=latches)
            if kept is None:
                raise InputError(
                    f"v0: the constraints of machine '{eom.machine.name}' do not allow the velocities "
                    f"{', '.join(wanted)} together; name fewer of them, the others follow from the constraints"
                )
            new = kept
        moved = float(np.max(np.abs(new - v)))
        x[: eom.nq], x[eom.nq : eom.nq + eom.nv] = state.q, new
        x[self.places] = latches[self.chosen]
        return x, {"position": state.position_correction, "velocity": moved}

    def many(self, x: Array, t: float, p: Array, wanted: Mapping[str, Array], threads: int) -> Array:
        """Return the states (N, n) of members with parameters (N, np) on the constraints."""
        eom, x = self.eom, x.copy()
        q, v = x[:, : eom.nq].copy(), x[:, eom.nq : eom.nq + eom.nv].copy()
        latches = self._latches(q, t, p, threads)
        x[:, : eom.nq], x[:, eom.nq : eom.nq + eom.nv] = consistent_states(
            eom, q, v, t=t, p=p, latches=latches, wanted=wanted
        )
        x[:, self.places] = latches[:, self.chosen]
        return x

    def _latches(self, q: Array, t: float, p: Array, threads: int = 1) -> Array:
        """All latches (N, n), with measurements; cables that are longer than their way, and contacts, are off."""
        eom, system = self.eom, self.eom.constraint_system
        nominal = np.array(np.broadcast_to(system.latch_nominal, (len(q), len(system.latch_names))))
        latches = eom.measured_latches(q, t=t, p=p, latches=nominal, threads=threads)
        phi = eom.constraints(q, t=t, p=p, latches=latches)
        for r in system.rows:
            if r.unilateral:
                latches[:, r.flag] = np.where(phi[:, r.start] < -1e-9, 0.0, latches[:, r.flag])
        return latches
