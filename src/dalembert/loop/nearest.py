"""Where bodies pass each other: so that none goes through another one within a step.

The event of an impact is a gap that changes its sign. A ball that is through another one at the end of a step has a
positive gap at both ends of it, and adaptive methods cross a flight in one step. In between there is a place at which
the two were nearest, where the rate of the gap changes its sign, which is an event too: it reveals a contact that came
in before it and is gone after it (see ``engines/events.c``). An event that only touches its surface does not interrupt
the run and is not reported.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from dalembert.core.types import Expression
from dalembert.engine.problem.problem import EventSpec
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.contacts import Contact

__all__ = ["nearest_events"]

_PARTS = 1e-6  # rate [m/s] from which on a gap grows: at rest the rate is only rounding


def nearest_events(eom: EquationsOfMotion) -> tuple[list[Expression], list[EventSpec]]:
    """Events at which open contacts begin to part: of all that go around a surface, and of rigid bodies.

    Sections of beams that touch from one side only are left out: vibrations are well within the steps that follow them.
    """
    g: list[Any] = []
    specs: list[EventSpec] = []
    system = eom.constraint_system
    contacts = system.contacts
    for k, pair in enumerate(contacts.pairs):
        if pair.contact is not None and _passes(eom, pair.contact):
            acts = system.latches[system.latch_index(f"active.{pair.name}")] > 0.5
            g.append(ca.if_else(acts, -1.0, contacts.velocity[3 * k] - _PARTS))
            specs.append(EventSpec(f"{pair.name}.nearest", direction=1, hidden=True))
    return g, specs


def _passes(eom: EquationsOfMotion, contact: Contact) -> bool:
    tree = eom.machine.tree
    nodes = [tree.nodes[i] for i in (tree.frames[frame][0] for frame in contact.frames) if i >= 0]
    bends = any(node.beam is not None and node.beam.n_modes for node in nodes)
    return not (contact.surface.convex_side and bends)
