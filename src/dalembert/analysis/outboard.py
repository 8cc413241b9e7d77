"""Loads that outboard bodies put on the tips of beams, in a nominal configuration (SPACE B.1.2).

Modes of a loaded beam stand for its motion in the machine far better than those of a free one. The load is everything
that hangs on the tip, rigid and undeformed: its mass, its inertia about the tip and its first moment along the beam.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array, StateLike
from dalembert.formulations.layout import Layout
from dalembert.formulations.mapped import tree_coordinates
from dalembert.formulations.tree.model import TreeModel
from dalembert.model.beam import Beam
from dalembert.model.machine import Machine
from dalembert.model.mobility import rotor_inertias
from dalembert.model.section import Load
from dalembert.model.tree import Node, nominal_inertia

__all__ = ["outboard_load", "with_outboard_loads"]


def outboard_load(
    machine: Machine,
    beam: str,
    configuration: StateLike = None,
    *,
    first_moment: bool = True,
    rotors: bool = False,
) -> Load:
    """Load that the bodies outboard of a beam put on its tip.

    Parameters
    ----------
    machine
        The machine.
    beam
        Name of the beam.
    configuration
        Nominal coordinates: numbers, or a mapping of names (the others are neutral); modal coordinates count as zero.
        Joints that follow others are where these take them.
    first_moment
        Keep the first moment along the beam; the source leaves it out.
    rotors
        Add the inertia ``n^2 I_m`` of the outboard motors about the axes of their joints.

    Examples
    --------
    >>> from dalembert.systems.flexible_arms import planar_arm
    >>> round(float(outboard_load(planar_arm(), "link1").mass), 3)
    1.2
    """
    nodes = machine.tree.nodes
    names = [n.elastic.name for n in nodes if n.is_root and isinstance(n.elastic, Beam)]
    if beam not in names:
        raise UnknownNameError("beam", beam, names, f"machine '{machine.name}'")
    tip = machine.tree.frames[f"{beam}.tip"][0]
    poses = _poses(machine, _configuration(machine, configuration))
    R_tip, p_tip = poses[tip]
    outboard = [i for i in range(len(nodes)) if tip in machine.tree.path(i)]
    mass, moment, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
    for i in outboard:
        m, c, I_o = _rigid_inertia(nodes[i])
        R, r = R_tip.T @ poses[i][0], R_tip.T @ (poses[i][1] - p_tip)
        mass += m
        moment += m * r + R @ c
        # About the tip: Steiner with the first moment about the node's origin.
        c_b = R @ c
        inertia += R @ I_o @ R.T + m * _square(r, r) + _square(r, c_b) + _square(c_b, r)
    if rotors:
        reflected = rotor_inertias(machine)
        for i in outboard:
            joint = nodes[i].joint
            for axis in joint.mechanism().posed(joint.info.neutral)[2][3:].T if joint.name in reflected else ():
                axis = R_tip.T @ poses[i][0] @ axis
                inertia += reflected[joint.name] * np.outer(axis, axis)
    J = tuple(float(inertia[k, k]) for k in range(3))
    return Load(mass, (J[0], J[1], J[2]), float(moment[0]) if first_moment else 0.0)


def with_outboard_loads(
    machine: Machine, configuration: StateLike = None, *, first_moment: bool = True, rotors: bool = False
) -> Machine:
    """Return the machine with the modes of all beams that carry something recomputed for their outboard loads.

    Parameters
    ----------
    machine, configuration, first_moment, rotors
        As in `outboard_load`.
    """
    bodies = []
    for body in machine.bodies:
        if isinstance(body, Beam):
            load = outboard_load(machine, body.name, configuration, first_moment=first_moment, rotors=rotors)
            if load.mass > 0.0:
                body = replace(body, load=load, boundary=None)
        bodies.append(body)
    return replace(machine, bodies=tuple(bodies))


def _configuration(machine: Machine, state: StateLike) -> Array:
    """Coordinates of the machine in the nominal configuration, the beams straight."""
    q = machine.q_neutral
    blocks = Layout.of_nodes(machine.coordinate_nodes).blocks
    if isinstance(state, Mapping):
        for name, value in state.items():
            if name not in machine.q_names:
                raise UnknownNameError("coordinate", name, machine.q_names, f"machine '{machine.name}'")
            q[machine.q_names.index(name)] = float(value)
    elif state is not None:
        joints = [i for b in blocks if b.kind != "modal" for i in range(b.q.start, b.q.stop)]
        values = as_numbers(state)
        if values.shape not in ((machine.nq,), (len(joints),)):
            raise InputError(
                f"the nominal configuration of machine '{machine.name}' must have {machine.nq} numbers "
                f"({', '.join(machine.q_names)}) or {len(joints)} (joints only), got shape {values.shape}"
            )
        if values.shape == (machine.nq,):
            q = values.copy()
        else:
            q[joints] = values
    if not np.isfinite(q).all():
        raise InputError(f"the nominal configuration must be finite, got {state!r}")
    for block in blocks:
        if block.kind == "modal":
            q[block.q] = 0.0
    return q


def _poses(machine: Machine, q: Array) -> list[tuple[Array, Array]]:
    model = TreeModel(machine)
    x = model.variables
    flat = [z for pose in model.world_poses for z in pose]
    at = [tree_coordinates(machine, q), ca.DM(machine.p_nominal)]
    values = ca.Function("poses", [x.q, x.p], flat).call(at)
    pairs = [np.array(ca.DM(v).full()) for v in values]
    return [(R, p[:, 0]) for R, p in zip(pairs[::2], pairs[1::2], strict=True)]


def _rigid_inertia(node: Node) -> tuple[float, Array, Array]:
    """Mass, first moment and inertia about the node's origin, a flexible body undeformed."""
    mass, moment, inertia = nominal_inertia(node)
    if node.is_root and node.elastic is not None:
        parts = node.elastic.undeformed()
        mass, moment, inertia = mass + parts.mass, moment + parts.first, inertia + parts.inertia
    return mass, moment, inertia


def _square(a: Array, b: Array) -> Array:
    return (a @ b) * np.eye(3) - np.outer(a, b)
