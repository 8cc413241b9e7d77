"""The colliders of a machine with joints: one tape of all bodies that have shapes, whatever the number of pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import casadi as ca
import numpy as np

from dalembert.collide.frames import FrameMotions, half_lengths, shape_frames
from dalembert.collide.placed import (
    Number,
    PlacedShape,
    collider_groups,
    placed_planes,
    placed_segment,
    placed_shapes,
    shape_table,
)
from dalembert.compile import compile_function
from dalembert.core.errors import InputError, MachineError
from dalembert.core.parameter import Expression as Formula
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.types import Array, Expression
from dalembert.engine.collide.articulated import ShapesAtRest
from dalembert.engine.collide.native import rigid_gaps, stored_energy
from dalembert.engine.problem.shapes import ColliderSystem
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.states import Parameters
from dalembert.model.body import Body
from dalembert.model.elastic.contract import Elastic
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.transform import Transform

__all__ = ["body_names", "collider_system", "joined_bodies", "machine_shapes", "machine_yields", "refuse_overlaps"]

_DEEP = 1e-6
"""Depth [m] in which bodies may start: the rounding of typed positions."""


def body_names(machine: Machine) -> tuple[str, ...]:
    """Names of the bodies in colliders that move."""
    return tuple(dict.fromkeys(frame.owner for frame in shape_frames(machine)))


def machine_yields(machine: Machine) -> bool:
    """Whether contacts of its colliders may be compliant."""
    return any(c.stiffness is not None for c in machine.colliders)


def machine_shapes(machine: Machine, number: Number) -> list[PlacedShape]:
    """Shapes of all colliders: on the frames of `shape_frames` by their number, or in the world."""
    bodies: dict[str, Body] = {b.name: b for b in machine.bodies if isinstance(b, Body)}
    still = [b for name, b in bodies.items() if machine.tree.frames[name][0] < 0]
    frames, groups = shape_frames(machine), collider_groups(machine)
    on_bodies = [(k, bodies[f.owner], Transform()) for k, f in enumerate(frames) if f.segment is None]
    on_bodies += [(-1, body, machine.tree.frames[body.name][1]) for body in still]
    parts = Counter(f.owner for f in frames)
    fixed = {j.child for j in machine.joints if j.kind == "fixed" and machine.tree.frames[j.parent][0] < 0}
    fixed = {name for name in fixed if parts[name] > 1}
    flexible = [(k, f.segment) for k, f in enumerate(frames) if f.segment is not None]
    starts = {s.body.name: s.start for _, s in reversed(flexible)}
    segments = [
        placed_segment(k, s, groups[s.body.name], half, s.body.name in fixed and s.start == starts[s.body.name])
        for (k, s), half in zip(flexible, half_lengths([s for _, s in flexible]), strict=True)
    ]
    return placed_shapes(machine, on_bodies, number) + segments + placed_planes(machine, number)


def collider_system(
    eom: EquationsOfMotion,
    arguments: Sequence[Expression],
    theta: float,
    factor: Sequence[Sequence[int]],
    groups: Sequence[frozenset[int]],
    first: int,
) -> ColliderSystem:
    """Tape and tables of the colliders of a machine.

    Parameters
    ----------
    eom
        Its equations.
    arguments
        Symbols t, x, c, p, h: of the middle of a step, and its length.
    theta
        Part of it that follows.
    factor
        Columns before the diagonal of each row of L that are not zero, of ``M = L^T D L``.
    groups
        Velocities that rows which always hold couple.
    first
        Where its states begin in x: number of contacts, smallest gap, force on each body, energy of compliant contacts.
    """
    machine = eom.machine
    names, value = body_names(machine), eom.formulation.variables.value

    def number(x: Scalar) -> float:
        if isinstance(x, Formula):
            raise MachineError(
                f"machine '{machine.name}': '{x}' is a size or a place of a collider that depends on parameters; "
                "machines with joints need a number there (coefficients may be parameters)"
            )
        return float(x)

    shapes = machine_shapes(machine, number)
    columns, supports = list[tuple[int, ...]](), list[tuple[int, ...]]()
    poses, jacobians, halves, stretches, twists, drifts, longer, growth = (list[Expression]() for _ in range(8))
    coasting = eom.layout.coasting(eom.symbolic.v)
    frames, motions = shape_frames(machine), FrameMotions(eom)
    for frame in frames:
        motion = motions.of(frame)
        moved = [
            j for j in range(eom.nv) if any(motion.J.has_nz(i, j) for i in range(6)) or motion.stretch.has_nz(0, j)
        ]
        poses += [motion.p, *(motion.R[i, :].T for i in range(3))]
        jacobians += [motion.J[:, j] for j in moved]
        halves.append(motion.half)
        twists.append(motion.J @ eom.symbolic.v)
        drifts.append(motion.J @ coasting)
        longer.append(motion.stretch @ eom.symbolic.v)
        growth.append(motion.stretch @ coasting)
        stretches += [motion.stretch[j] for j in moved]
        entries = _closed(moved, factor)
        columns.append(tuple(moved))
        supports.append(tuple(sorted(entries.union(*(g for g in groups if g & entries)))))
    empty = ca.SX(0, 1)
    coefficients = [
        ca.vertcat(empty, *(ca.SX(value(getattr(s.collider, what))) for s in shapes))
        for what in ("friction", "restitution", "spinning", "rolling")
    ]
    coefficients += [
        ca.vertcat(empty, *(ca.SX(value(getattr(s, what))) for s in shapes)) for what in ("across", "compliance")
    ]
    coefficients += [
        ca.vertcat(empty, *(ca.SX(value(getattr(s.collider, what))) for s in shapes))
        for what in ("damping", "adhesion")
    ]
    belts = ca.vertcat(empty, *(ca.SX(value(x)) for s in shapes for x in s.belt))
    t, h = arguments[0], arguments[-1]
    coefficients.append(ca.substitute(belts, t, t + theta * h))  # impulses lead to the velocities at the end
    flexible = any(frame.segment is not None for frame in frames)
    outputs = [ca.vertcat(empty, *poses), ca.vertcat(empty, *jacobians), *coefficients]
    outputs += [ca.vertcat(empty, *(values if flexible else ())) for values in (halves, stretches)]
    s = eom.symbolic
    for rates, coast in ((twists, drifts), (longer if flexible else (), growth if flexible else ())):
        now = ca.vertcat(empty, *rates)
        outputs.append(ca.jtimes(now, s.q, s.coordinate_rate) + ca.jacobian(now, s.t) + ca.vertcat(empty, *coast))
    return ColliderSystem(
        shapes=shape_table(shapes, nominal, joined_bodies(machine)),
        names=names,
        carriers=tuple(names.index(frame.owner) for frame in frames),
        owners=tuple(s.owner for s in shapes),
        poses=ca.Function(
            "poses", list(arguments), ca.cse([ca.densify(e) for e in outputs]), ["t", "x", "c", "p", "h"],
            [
                "pose", "jacobian", "friction", "restitution", "spinning", "rolling", "across", "compliance", "damping",
                "adhesion", "belt", "half", "stretch", "drift", "growth",
            ],
        ),
        columns=tuple(columns),
        supports=tuple(supports),
        flexible=flexible,
        count=first,
        deepest=first + 1,
        forces=first + 2,
        stored=first + 2 + 3 * len(names) if machine_yields(machine) else -1,
    )  # fmt: skip


def _closed(moved: Sequence[int], factor: Sequence[Sequence[int]]) -> frozenset[int]:
    """Velocities that rows with entries at ``moved`` have once the factors of the mass matrix are applied."""
    entries = set(moved)
    for k in range(len(factor) - 1, -1, -1):
        if k in entries:
            entries.update(factor[k])
    return frozenset(entries)


def joined_bodies(machine: Machine) -> list[tuple[str, str]]:
    """Pairs of bodies that do not touch: welded to each other, or connected by a joint.

    Bodies on fixed joints belong to the body that they are fixed to, except the world. A fixed joint connects
    a flexible body with others as any joint does.
    """
    holder = {joint.child: joint for joint in machine.joints}
    flexible = {body.name for body in machine.bodies if isinstance(body, Elastic)}

    def is_weld(joint: Joint) -> bool:
        return joint.kind == "fixed" and not flexible & {joint.child, joint.parent.partition(".")[0]}

    def body_of(name: str) -> str:
        """Body that carries a body: itself, or the last one on the way to the root along fixed joints."""
        while name in holder and is_weld(holder[name]) and holder[name].parent != WORLD:
            name = holder[name].parent
        return name

    carried: dict[str, list[str]] = {}
    for body in machine.bodies:
        carried.setdefault(body_of(body.name), []).append(body.name)
    pairs = [(a, b) for members in carried.values() for a in members for b in members if a < b]
    for joint in machine.joints:
        if is_weld(joint) or joint.kind == "free" or joint.parent == WORLD:
            continue
        one, two = (body_of(end.partition(".")[0]) for end in (joint.parent, joint.child))
        pairs += [(a, b) for a in carried.get(one, ()) for b in carried.get(two, ())]
    return pairs


_MANY, _TOGETHER = 64, 1024
"""Members from which on compiled code places their bodies, and as many at a time."""


def refuse_overlaps(system: ColliderSystem, eom: EquationsOfMotion, q: Array, p: Parameters) -> Array:
    """Raise an error that names rigid bodies that overlap at q (..., nq), and their depth.

    Returns the energy that compliant contacts store there, of each member.
    """
    still = ShapesAtRest(system.shapes, len(system.carriers))
    states, values = np.atleast_2d(q), np.atleast_2d(eom.parameter_values(p))
    stored = np.zeros(len(states))
    for member, (pose, half, compliance) in enumerate(_placed_members(system, eom, states, values)):
        touching = still.touching(pose, half)
        if not len(touching.gaps):
            continue
        stored[member] = stored_energy(compliance, touching)
        gaps = rigid_gaps(compliance, touching)
        if gaps.min() < -_DEEP:
            worst, whose = int(np.argmin(gaps)), f" of member {member}" if q.ndim > 1 else ""
            one, two = (system.owners[i] for i in touching.shapes[worst])
            raise InputError(
                f"q0{whose}: '{one}' and '{two}' of machine '{eom.machine.name}' overlap by "
                f"{-touching.gaps[worst]:.6g} m; move them apart, or let their colliders ignore each other"
            )
    return stored


def _placed_members(
    system: ColliderSystem, eom: EquationsOfMotion, states: Array, values: Array
) -> Iterator[tuple[Array, ...]]:
    """Poses and lengths of the frames and compliances of the shapes, of each member; of many by compiled code."""
    poses, at = system.poses, [system.poses.index_out(name) for name in ("pose", "half", "compliance")]
    n, held = poses.size1_in(1), np.zeros(poses.size1_in(2))
    evaluate: Any = poses
    if len(states) >= _MANY:
        evaluate = compile_function(poses, backend=eom.backend, shapes={"t": (), "h": ()}, lanes=False)
    for first in range(0, len(states), _TOGETHER):
        rows = states[first : first + _TOGETHER]
        x = np.zeros((len(rows), n))
        x[:, : eom.nq] = rows
        p = values[first : first + _TOGETHER] if len(values) > 1 else np.repeat(values, len(rows), axis=0)
        if evaluate is poses:
            for row, own in zip(x, p, strict=True):
                outputs = poses(0.0, row, held, own, 0.0)
                yield tuple(np.asarray(outputs[k]).ravel() for k in at)
        else:
            outputs = evaluate(0.0, x, held, p, 0.0, threads=0)
            yield from zip(*(np.asarray(outputs[k]).reshape(len(rows), -1) for k in at), strict=True)
