"""Physical checks of a machine: possible inertias, movable joints, parameter values of a call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from dalembert.core.errors import InputError, MachineError
from dalembert.core.parameter import Scalar, evaluate, nominal, parameters_of
from dalembert.core.types import Array
from dalembert.core.warn import warn
from dalembert.model.body import Body
from dalembert.model.elastic.contract import Elastic
from dalembert.model.mobility import (
    carried_rotors,
    joint_without_inertia,
    motion_without_inertia,
    random_coordinates,
    rotor_inertias,
)
from dalembert.model.tree import Node, central_inertia, nominal_inertia

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["body_fault", "check_parameter_values", "check_physics", "inertia_fault", "refuse_stick"]

_TOLERANCE = 1e-9
_PRINTED = 1e-3  # a thin plate given with three digits (0.0833, 0.0833, 0.167) exceeds the triangle by its rounding


def inertia_fault(inertia: Array, noise: float | Array = 0.0) -> str | None:
    """Return the fault of an inertia about the centre of mass (the first one of a batch), or None.

    The principal moments of a body must not be negative, and none may exceed the sum of the other two.

    Parameters
    ----------
    inertia
        Inertia about the centre of mass, shape (..., 3, 3).
    noise
        Moment that counts as rounding, shape (...), added to 1e-9 of the largest moment (1e-3 for the sum of two
        moments, which printed data round).
    """
    if not np.isfinite(inertia).all():
        return "it is not finite"
    I = 0.5 * (inertia + np.swapaxes(inertia, -1, -2))
    moments = np.linalg.eigvalsh(I)
    a, b, c = np.moveaxis(moments, -1, 0)
    largest = np.maximum(np.abs(a), np.abs(c))
    negative = a < -(_TOLERANCE * largest + noise)
    wrong = np.argwhere(negative | (c > a + b + _PRINTED * largest + noise))
    if not len(wrong):
        return None
    first = tuple(wrong[0])
    rule = "none may be negative"
    if not negative[first]:
        rule = "the largest must not exceed the sum of the others (triangle inequality)"
    return f"principal moments {', '.join(f'{x:g}' for x in moments[first])}: {rule}"


def _noise(mass: float | Array, com: Array) -> float | Array:
    """Moment that is rounding: a radius of gyration of 30 nm, or the last digits of Steiner's term."""
    return mass * (1e-15 + 1e-14 * np.sum(com * com, axis=-1))


def body_fault(
    body: Body, values: Mapping[str, float] | Mapping[str, Array], batch: tuple[int, ...] = ()
) -> str | None:
    """Return the fault of the inertia of a body with these parameter values, or None."""

    def field(x: Scalar) -> Array:
        return np.broadcast_to(np.asarray(evaluate(x, values), dtype=float), batch)

    I = np.stack([np.stack([field(x) for x in row], axis=-1) for row in body.inertia], axis=-2)
    com = np.stack([field(x) for x in body.com], axis=-1)
    return inertia_fault(I, _noise(field(body.mass), com))


def check_physics(machine: Machine) -> None:
    """Refuse impossible inertias (judged after fixed joints are merged) and joints that move no inertia.

    A body with an impossible inertia that is rigidly joined to others whose sum is possible gives a warning: such links
    are common in robot description files and do no harm.
    """
    values = {p.name: p.value for p in machine.parameters}
    harmless: list[str] = []
    for node in machine.tree.nodes:
        faults = [(b.name, f) for b, _ in node.bodies if (f := body_fault(b, values))]
        if not faults:
            continue
        merged = _merged_fault(node)
        name, fault = faults[0]
        if merged is not None:
            joined = f" (with the bodies fixed to it: {merged})" if len(node.bodies) > 1 else ""
            raise MachineError(f"inertia of body '{name}' is impossible: {fault}{joined}")
        harmless.extend(f"'{name}' ({fault})" for name, fault in faults)
    if harmless:
        warn(
            f"machine '{machine.name}' has bodies with an impossible inertia, which is possible together with "
            f"the bodies fixed to them: {'; '.join(harmless)}"
        )
    _check_movable(machine)
    _check_roots(machine)


def _check_roots(machine: Machine) -> None:
    """Refuse contacts of the frame of a beam whose root moves away from it: the beam is not there."""
    tree = machine.tree
    for contact in machine.contacts:
        for frame in contact.frames:
            at = tree.frames[frame][0]
            beam = tree.nodes[at].elastic if at >= 0 and tree.nodes[at].is_root else None
            if beam is not None and beam.root_moves:
                raise MachineError(
                    f"contact '{contact.name}' is on '{frame}', the frame of beam '{beam.name}', whose root moves with "
                    f"its modes: add a section there (stations={{'start': 0.0}}), and attach the "
                    f"contact to '{beam.name}.start'"
                )


def _merged_fault(node: Node) -> str | None:
    m, c, I = central_inertia(node)
    return inertia_fault(I, _noise(m, c)) if m > 0 else inertia_fault(I)


def _check_movable(machine: Machine) -> None:
    """Refuse joints whose coordinates would have no inertia: their mass matrix is singular in every configuration."""
    tree = machine.tree
    rotors = set(carried_rotors(machine).values())
    carried = [
        i in rotors or n.is_root or any(nominal(b.mass) > 0 or any(map(nominal, b.scalars[4:])) for b, _ in n.bodies)
        for i, n in enumerate(tree.nodes)
    ]
    for i in range(len(tree.nodes) - 1, -1, -1):
        if tree.nodes[i].parent >= 0:
            carried[tree.nodes[i].parent] |= carried[i]
    moved = {n.joint.name for n, c in zip(tree.nodes, carried, strict=True) if c}
    turned = {name for name, inertia in rotor_inertias(machine).items() if inertia > 0}
    moved |= turned
    moved |= {c.leader for c in machine.couplings if c.joint in moved} | {c.joint for c in machine.couplings}
    idle = [f"'{n.joint.name}'" for n in tree.nodes if n.joint.name not in moved and n.joint.info.nv]
    if idle:
        subject = f"joint {idle[0]} moves" if len(idle) == 1 else f"joints {', '.join(idle)} move"
        raise MachineError(
            f"{subject} nothing: the bodies outboard have neither mass nor inertia; give them some, or lock the "
            f"joints that do not matter"
        )
    shared = turned | {name for c in machine.couplings for name in (c.joint, c.leader)}
    parents = {n.parent for n in tree.nodes}
    for i, node in enumerate(tree.nodes):
        leaf = i not in parents and node.elastic is None and node.joint.name not in shared
        if leaf and (lack := _leaf_lack(node)):
            raise MachineError(f"joint '{node.joint.name}' ({node.joint.kind}): body '{node.joint.child}' {lack}")
    if machine.constrained:
        return
    if any(n.elastic for n in tree.nodes):
        _check_elastic(machine)
    elif not machine.couplings and (joint := joint_without_inertia(machine)):
        raise MachineError(
            f"joint '{joint.name}' ({joint.kind}) moves no inertia that the joints outboard of it do not move in the "
            f"same way: the mass matrix is singular in every configuration; give body '{joint.child}' mass and "
            f"inertia, or lock the joints that do not matter"
        )


def _check_elastic(machine: Machine) -> None:
    """Refuse joints and modes of machines with flexible bodies that move no inertia by themselves."""
    idle = motion_without_inertia(machine)
    if isinstance(idle, Elastic):
        raise MachineError(
            f"the modes of {idle.kind} '{idle.name}' are not independent: some of their motions move no inertia, and "
            "the mass matrix is singular; leave out shapes that are sums of others or of motions of the joints outboard"
        )
    if idle is not None:
        lacking = [b.name for b in machine.bodies if isinstance(b, Elastic) and b.lacks_rotary_inertia]
        cure = f" (rotary_inertia=True, for beam '{lacking[0]}')" if lacking else ""
        raise MachineError(
            f"joint '{idle.name}' ({idle.kind}) moves no inertia that the joints and modes outboard of it do not move "
            f"in the same way: the mass matrix of the straight beams is singular; give the bodies that it moves "
            f"inertia about its axis{cure}, or lock the joints that do not matter"
        )


def _leaf_lack(node: Node) -> str | None:
    """Say which inertia is missing for the last joint of a branch to have an equation of motion."""
    if not node.joint.info.nv:
        return None
    mass, moment, I_o = nominal_inertia(node)
    q = random_coordinates(node.joint, np.random.default_rng(0))
    S = node.joint.mechanism().posed(q)[2]
    # Motions without rotation first, then the others, with the inertia that the first leave.
    _, singular, basis = np.linalg.svd(S[3:])
    rank = int((singular > 1e-9).sum())
    slides, turns = S[:3] @ basis[rank:].T, S @ basis[:rank].T
    if mass == 0.0 and slides.shape[1]:
        return "has no mass"
    if not rank:
        return None
    C = np.array([[0.0, -moment[2], moment[1]], [moment[2], 0.0, -moment[0]], [-moment[1], moment[0], 0.0]])
    I = np.block([[mass * np.eye(3), -C], [C, I_o]])
    left = turns.T @ I @ turns
    if slides.shape[1]:
        coupled = np.vstack([slides, np.zeros_like(slides)]).T @ I @ turns
        left = left - coupled.T @ np.linalg.solve(mass * slides.T @ slides, coupled)
    if np.linalg.eigvalsh(left)[0] <= 1e-14 * np.trace(I_o):
        about = "its axis" if rank == 1 else "one of the axes it turns about"
        return f"has no inertia about {about}; give it some, or another kind of joint"
    return None


def check_parameter_values(machine: Machine, p: Array) -> None:
    """Refuse parameter values that a field of the machine does not admit.

    Parameters
    ----------
    machine
        The machine.
    p
        Values, shape (..., np).
    """
    values = {q.name: p[..., i] for i, q in enumerate(machine.parameters)}
    for name, value in values.items():
        if not np.isfinite(value).all():
            raise InputError(f"parameter '{name}' must be finite, got {value[~np.isfinite(value)].flat[0]}")
    for bound in machine.bounds:
        if not parameters_of(bound.value):
            continue
        numbers = np.asarray(evaluate(bound.value, values))
        good = np.asarray(bound.holds(numbers))
        if not good.all():
            names = ", ".join(f"'{q.name}'" for q in parameters_of(bound.value))
            raise InputError(f"{bound.violation(float(numbers[~good].flat[0]))} (parameter {names})")
    for body in machine.bodies:
        if not isinstance(body, Body) or not any(parameters_of(x) for row in body.inertia for x in row):
            continue
        if fault := body_fault(body, values, p.shape[:-1]):
            raise InputError(f"inertia of body '{body.name}' is impossible with these parameters: {fault}")


def refuse_stick(
    machine: Machine,
    what: str,
    instead: str,
    held: Iterable[str] = (),
    *,
    bristles: bool = True,
    sheaves: bool = True,
) -> None:
    """Refuse joints with friction that sticks, except held ones, and ropes that rub on sheaves, by name.

    Parameters
    ----------
    machine
        The machine.
    what
        The function or method that does not support them.
    instead
        The alternative.
    held
        Joints that do not move.
    bristles
        Whether to refuse friction after LuGre, too.
    sheaves
        Whether to refuse ropes that rub on sheaves, and bearings of these, too.
    """
    for law, all_names in (("stick", machine.sticking), ("lugre", machine.bristled if bristles else ())):
        names = [name for name in all_names if name not in set(held)]
        if names:
            joints = f"joint{'s' * (len(names) > 1)} {', '.join(map(repr, names))}"
            raise InputError(
                f"{what} cannot have friction_law={law!r} ({joints} of machine '{machine.name}'): {instead}"
            )
    for constraint in machine.rubbing:
        raise InputError(
            f"{what} cannot have friction in proportion to a load (constraint '{constraint.name}' of machine "
            f"'{machine.name}'): leave out its efficiency or friction there"
        )
    for bearing in machine.sheave_bearings if sheaves else ():
        raise InputError(
            f"{what} cannot have losses of turning sheaves (bearing '{bearing}' of machine '{machine.name}'): leave "
            "them out there"
        )
    for rope in machine.all_ropes:
        if rope.rubbing and sheaves:
            raise InputError(
                f"{what} cannot have friction or losses at sheaves ({rope.rubbing[0].what} of rope '{rope.name}' of "
                f"machine '{machine.name}'): leave them out there"
            )
