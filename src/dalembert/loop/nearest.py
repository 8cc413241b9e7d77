"""Where bodies pass each other, and cables the axes of their pulleys: so that neither happens unseen within a step.

The event of an impact is a gap that changes its sign. A ball that is through another one at the end of a step has a
positive gap at both ends of it, and adaptive methods cross a flight in one step. In between there is a place at which
the two were nearest, where the rate of the gap changes its sign, which is an event too: what has come in before and is
gone after it is then found (see ``engines/events.c``). An approach without contact does not interrupt the run and is
not reported.

A pulley that swivels turns round while the anchor of its cable passes the axis: the nearer it passes, the shorter this
takes, and the cable would have to push meanwhile. The anchor's least distance from the axis is such a place, too. An
anchor that goes through the axis itself finds the pulley on the other side at once: the direction of its cable jumps.

A hook block that is pulled into the sheaves above it passes them: the free line between them vanishes for an instant.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from dalembert.core.types import Expression
from dalembert.engine.problem.pairs import KINK
from dalembert.engine.problem.problem import EventSpec
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.contacts import Contact

__all__ = ["axis_events", "line_events", "nearest_events", "window_events"]

_PARTS = 1e-6  # rate [m/s] from which on a gap grows: what rests has no rate but rounding
_SOON = 1.0  # time [s] within which the ends of a line may meet, at their present speed
_EARLIER = 0.01  # time [s] within which an anchor that leaves the axis may have come close to it
_BEYOND = 1e-5  # time [s] after which an anchor has left the axis for good
_JUMPS = 1e-3  # rate of a cable, by the speed at which its anchor leaves the axis, with which it is not kept any more


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
            g.append(ca.if_else(acts, -1.0, contacts.parting[k] - _PARTS))
            specs.append(EventSpec(f"{pair.name}.nearest", direction=1, hidden=True))
    return g, specs


def window_events(eom: EquationsOfMotion) -> tuple[list[Expression], list[EventSpec]]:
    """Events at which contacts that act leave the face or edge of a box: they let go there."""
    g: list[Any] = []
    specs: list[EventSpec] = []
    system = eom.constraint_system
    for i, k in enumerate(system.contacts.windowed):
        name = system.contacts.names[k]
        acts = system.latches[system.latch_index(f"active.{name}")] > 0.5
        g.append(ca.if_else(acts, system.contacts.leeway[i], 1.0))
        specs.append(EventSpec(f"{name}.leave", direction=-1, positive=True, switches=True))
    return g, specs


def _passes(eom: EquationsOfMotion, contact: Contact) -> bool:
    tree = eom.machine.tree
    nodes = [tree.nodes[i] for i in (tree.frames[frame][0] for frame in contact.frames) if i >= 0]
    bends = any(node.elastic is not None and node.elastic.n_modes for node in nodes)
    return not (contact.surface.convex_side and bends)


def line_events(eom: EquationsOfMotion) -> tuple[list[Expression], list[EventSpec]]:
    r"""Events at which free lines of ropes that would vanish within `_SOON` seconds begin to grow.

    The square c of a line's length is smooth where it vanishes. Its function :math:`\dot c/2 + c/\tau` is positive for
    lines that are long, at rest or grow, and passes zero where the ends of a line pass each other.
    """
    g: list[Any] = []
    specs: list[EventSpec] = []
    s = eom.symbolic
    for route in eom.constraint_system.routes.values():
        for condition in route.conditions:
            if not condition.passes:
                continue
            rate = ca.jtimes(condition.value, s.q, s.coordinate_rate) + ca.jtimes(condition.value, s.t, ca.SX(1))
            if not rate.is_zero():
                g.append(0.5 * rate + condition.value / _SOON)
                specs.append(EventSpec(f"{condition.name}.nearest", direction=1, hidden=True))
    return g, specs


def axis_events(eom: EquationsOfMotion, *, rigid: bool) -> tuple[list[Expression], list[EventSpec]]:
    """Events of cables over pulleys that swivel: of each the least distance from the axis, and going through it.

    The former counts within twice the radius of the pulley: farther away that turns slowly. The latter happens `KINK`
    seconds before, with a transition that takes the anchor to the other side: there a cable that can go slack does so,
    and one that cannot has an impact. Methods that cannot step so near to it, and do not project velocities, are found
    to have gone through by the rate of the cable. The force of an elastic cable turns.

    Parameters
    ----------
    eom
        The equations.
    rigid
        Whether cables that are not elastic are constraints with events.
    """
    g: list[Any] = []
    specs: list[EventSpec] = []
    s, system = eom.symbolic, eom.constraint_system
    for cable in eom.machine.cables:
        distance = system.paths[cable.name].from_axis
        if distance is None or not (cable.elastic or rigid):
            continue
        squared = distance * distance
        change = ca.jtimes(squared, s.q, s.coordinate_rate) + ca.jtimes(squared, s.t, ca.SX(1))
        leaves = 0.5 * change / ca.fmax(distance, 1e-150)
        closest = distance - _EARLIER * ca.fmax(leaves, 0.0)
        g.append(ca.if_else(closest < 2.0 * s.value(cable.pulley), leaves - _PARTS, -1.0))
        specs.append(EventSpec(f"{cable.name}.axis.nearest", direction=1, hidden=True, kinks=True))
        if cable.elastic:
            continue
        row = next(r for r in system.rows if r.kind == "cable" and r.name == cable.name)
        time = distance / ca.fmax(ca.fabs(leaves), 1e-150)
        beyond = ca.logic_and(leaves > 0.0, time < _BEYOND)
        jump = ca.if_else(beyond, _JUMPS * leaves - ca.fabs(system.velocity[row.start]), 1.0)
        acts = system.latches[row.flag] > 0.5 if row.flag >= 0 else ca.SX(1)
        g.append(ca.if_else(acts, ca.fmin(ca.fmin(time, 1.0) - KINK, jump), 1.0))
        specs.append(EventSpec(f"{cable.name}.axis", direction=-1, switches=True, kinks=True))
    return g, specs
