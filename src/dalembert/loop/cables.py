"""Which cables pull: impacts of cables that become taut, and the tensions with which motion goes on.

A cable can pull if it touches: it acts, or its gap has closed. All cables that touch are looked at together, by the
principle of least constraint (see ``core/constraint_algebra.py``), so that any number may become taut
or slack at once, redundant or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.core.constraint_algebra import Impact, impact, least_constraint, minimum_norm
from dalembert.core.types import Array

__all__ = ["CableState", "close_gaps", "hit", "settle"]

Mask = NDArray[np.bool_]
# Impacts of several cables may follow each other ever faster and ever weaker. Below these they are taken to rest;
# what a cable does within the gap of its event (1e-11 m) lies well below.
TOUCHES = 1e-8  # gap [m] up to which a slack cable touches
_STILL = 1e-4  # rate [m/s] up to which a touching cable stays as long as it is
_PULLS = 1e-9  # part of the largest multiplier that counts as tension


@dataclass(frozen=True, eq=False)
class CableState:
    """A state of a machine at an event.

    Parameters
    ----------
    t, q, v, latches, p
        Time, coordinates, velocities, latches and parameter values.
    loose
        Cables that have just gone slack.
    """

    t: float
    q: Array
    v: Array
    latches: Array
    p: Array
    loose: frozenset[str] = frozenset()


def _rows(system: Any, latches: Array, phi: Array, loose: frozenset[str]) -> tuple[Mask, Mask]:
    """Rows that take part in an instant, and which of all rows only pull."""
    part = system.activity(latches) != 0.0
    pulls = np.zeros(len(part), dtype=bool)
    for r in system.rows:
        if r.unilateral:
            pulls[r.start] = True
            slack = -0.5 < latches[r.flag] < 0.5 and phi[r.start] > -TOUCHES
            part[r.start] = (part[r.start] or slack) and r.name not in loose
    return part, pulls


def close_gaps(eom: Any, s: CableState) -> Array:
    """Coordinates moved onto the constraints and taut cables, so that no touching cable is longer than it may be.

    Cables are seen to be taut when they are longer by 1e-11 m, and taken to be when they are shorter by `TOUCHES`;
    methods that do not project violate constraints by more than either.
    """
    q, acts = s.q.copy(), eom.constraint_system.activity(s.latches) != 0.0
    for _ in range(4):
        phi = eom.constraints(q, t=s.t, p=s.p, latches=s.latches)
        part, pulls = _rows(eom.constraint_system, s.latches, phi, s.loose)
        pulls &= ~acts
        if np.max(np.where(pulls[part], phi[part], np.abs(phi[part])), initial=0.0) <= 1e-12:
            break
        J = eom.constraint_jacobian(q, t=s.t, p=s.p, latches=s.latches)[part]
        M = eom.mass_matrix(q, p=s.p)
        q = eom.integrate(q, least_constraint(M, np.zeros(eom.nv), J, -phi[part], pulls[part]).acceleration)
    return q


def hit(eom: Any, s: CableState, *, settled: bool = False) -> Impact:
    """Velocities after the impact of all constraints that act and all cables that touch.

    Of cables that only just act nothing is known but that they pull; once it is ``settled`` which are taut, these keep
    their length.
    """
    phi = eom.constraints(s.q, t=s.t, p=s.p, latches=s.latches)
    part, pulls = _rows(eom.constraint_system, s.latches, phi, s.loose)
    if settled:
        pulls &= eom.constraint_system.activity(s.latches) == 0.0
    J = eom.constraint_jacobian(s.q, t=s.t, p=s.p, latches=s.latches)[part]
    rate = eom.constraint_velocity(s.q, s.v, t=s.t, p=s.p, latches=s.latches)[part]
    struck = impact(eom.mass_matrix(s.q, p=s.p), J, rate, s.v, pulls[part])
    impulses = np.zeros(len(part))
    impulses[part] = struck.impulses
    return Impact(struck.v, impulses, struck.energy_lost)


def settle(
    system: Any,
    latches: Array,
    M: Array,
    f: Array,
    J: Array,
    gamma: Array,
    phi: Array,
    phidot: Array,
    loose: frozenset[str],
) -> Array:
    """Latches with which the motion goes on: cables that touch and pull are taut, all others are slack.

    Where rows are redundant the tensions are shared, those of least norm, among the cables that keep their length; a
    cable that would have no tension, or push, is left out of the sharing.

    Parameters
    ----------
    system
        The constraints.
    latches
        Their latches.
    M, f, J, gamma, phi, phidot
        Terms of the constrained equations.
    loose
        Cables that have just gone slack.
    """
    part, pulls = _rows(system, latches, phi, loose)
    part &= ~pulls | (phidot > -_STILL)
    found = least_constraint(M, f, J[part], gamma[part], pulls[part])
    tension, opening = np.zeros(len(part)), np.full(len(part), -np.inf)
    tension[part], opening[part] = found.multipliers, found.opening
    least = _PULLS * np.max(np.abs(tension), initial=1e-6)
    sizes = np.linalg.norm(J, axis=1) * np.max(np.abs(found.acceleration), initial=0.0)
    needed = ~pulls & part | (pulls & (tension > least))
    taut = needed | (pulls & part & (opening >= -1e-9 * (1.0 + sizes)))
    while (taut & ~needed).any():
        shared = np.zeros(len(part))
        shared[taut] = minimum_norm(M, f, J[taut], gamma[taut])[1]
        spare = taut & ~needed & (shared <= least)
        if spare.any():
            taut[int(np.argmin(np.where(spare, shared, np.inf)))] = False
        elif (pulls & taut & (shared <= least)).any():
            taut = needed
        else:
            break
    result = latches.copy()
    for r in system.rows:
        if r.unilateral and latches[r.flag] > -0.5:
            result[r.flag] = float(taut[r.start])
    return result
