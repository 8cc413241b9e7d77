"""Bodies, joints and sites of a compiled model as bodies, joints and frames of a machine.

A body of MuJoCo with the joints 1 .. n turns and slides about anchors ``p_k`` and along axes ``a_k`` that are given in
its own frame, one after the other: its pose in its parent is

    X_body  A(p_1) J_1(q_1 - r_1) A(-p_1)  A(p_2) J_2(q_2 - r_2) A(-p_2) ..,        A(p): shift by p,

with the references ``r_k``. Here the frame of a body is that of its joint, so that there is a body without mass between
two joints, frames stand at the anchors ``p_k``, and ``J_k(-r_k)`` belongs to the placement of joint ``k``: coordinates
are the numbers of ``qpos``. Quantities that MuJoCo gives in the frame of the body are shifted by ``-p_n``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dalembert.core.types import Array
from dalembert.io.mjcf.compiled import Compiled, pose, unique
from dalembert.model.body import Body
from dalembert.model.joint import WORLD, Joint, Limits
from dalembert.model.parts import Frame
from dalembert.model.transform import Transform

__all__ = ["Placed", "read_tree"]

_KINDS = ("free", "spherical", "prismatic", "revolute")  # in the order of mjtJoint


@dataclass
class Placed:
    """The tree of a model.

    Parameters
    ----------
    names, shifts
        By number of MuJoCo's body: name of the body here, and the place of its frame in MuJoCo's.
    bodies, joints, frames
        The parts.
    joint_names, sites
        By number of MuJoCo's joint: its name here; by number of its site: that of the frame.
    """

    names: list[str]
    shifts: list[Array]
    joint_names: list[str]
    sites: list[str] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)

    def placement(self, body: int, inner: Transform) -> Transform:
        """Placement in a body's frame here, of one in MuJoCo's."""
        return replace(inner, translation=_numbers(np.array(inner.translation) - self.shifts[body]))


def read_tree(source: Compiled) -> Placed:
    """Read bodies, joints and sites."""
    m = source.model
    names = [WORLD, *unique([source.name("body", i) for i in range(1, m.nbody)], {WORLD})]
    joints = unique([source.name("joint", j) for j in range(m.njnt)])
    tree = Placed(names, [np.zeros(3) for _ in range(m.nbody)], joints)
    taken = set(names)
    for i in range(1, m.nbody):
        _read_body(source, tree, i, taken)
    tree.sites = unique([source.name("site", k) for k in range(m.nsite)], taken | {f.name for f in tree.frames})
    for k, name in enumerate(tree.sites):
        body = int(m.site_bodyid[k])
        tree.frames.append(Frame(name, names[body], tree.placement(body, pose(m.site_pos[k], m.site_quat[k]))))
    return tree


def _read_body(source: Compiled, tree: Placed, i: int, taken: set[str]) -> None:
    m, name = source.model, tree.names[i]
    above = int(m.body_parentid[i])
    first, count = int(m.body_jntadr[i]), int(m.body_jntnum[i])
    place = tree.placement(above, pose(m.body_pos[i], m.body_quat[i]))
    parent = tree.names[above]
    if count == 0:
        fixed = unique([f"{name}.fixed"], set(tree.joint_names))[0]
        tree.joints.append(Joint(fixed, "fixed", parent, name, place))
        if int(m.body_mocapid[i]) >= 0:
            source.leave_out(f"motion capture of body '{name}': it stays where the file puts it")
    anchor = np.zeros(3)
    for j in range(first, first + count):
        last = j == first + count - 1
        child = name if last else unique([f"{name}.{tree.joint_names[j]}"], taken)[0]
        if not last:
            taken.add(child)
            tree.bodies.append(Body(child))
        joint = _joint(source, tree, j, parent, child)
        # A slide goes the same way wherever its anchor is: it keeps the frame.
        here = np.array(m.jnt_pos[j]) if joint.kind in ("revolute", "spherical") else anchor
        shift = Transform(_numbers(here - anchor))
        tree.joints.append(replace(joint, origin=_origin(source, j, joint, place @ shift)))
        anchor, parent, place = here, child, Transform()
    tree.shifts[i] = anchor
    tree.bodies.append(_body(source, tree, i))
    if np.any(anchor != 0.0):
        origin = unique([f"{name}.origin"], taken)[0]
        taken.add(origin)
        tree.frames.append(Frame(origin, name, Transform(_numbers(-anchor))))


def _origin(source: Compiled, j: int, joint: Joint, place: Transform) -> Transform:
    """Placement of a joint, turned or shifted back by its reference."""
    m = source.model
    if joint.kind == "free":
        return Transform()  # qpos is the pose in the world
    reference = float(m.qpos0[m.jnt_qposadr[j]])
    if joint.kind == "prismatic" and reference:
        return place @ Transform(_numbers(-reference * np.array(joint.axis)))
    if joint.kind == "revolute" and reference:
        return place @ Transform.about(joint.axis, -reference)
    return place


def _joint(source: Compiled, tree: Placed, j: int, parent: str, child: str) -> Joint:
    m, name = source.model, tree.joint_names[j]
    kind = _KINDS[int(m.jnt_type[j])]
    dof = int(m.jnt_dofadr[j])
    one = kind in ("prismatic", "revolute")
    properties: dict[str, Any] = {"damping": 0.0 if source.disabled("DAMPER") else float(m.dof_damping[dof])}
    stiffness = 0.0 if source.disabled("SPRING") else float(m.jnt_stiffness[j])
    friction = 0.0 if source.disabled("FRICTIONLOSS") else float(m.dof_frictionloss[dof])
    armature = float(m.dof_armature[dof])
    if one:
        properties |= {
            "axis": tuple(float(x) for x in m.jnt_axis[j]),
            "limits": _limits(source, j, name),
            "stiffness": stiffness,
            "rest": float(m.qpos_spring[m.jnt_qposadr[j]]) if stiffness else 0.0,
            "friction": friction,
        }
    else:
        for what, value in (("spring", stiffness), ("Coulomb friction", friction), ("range", m.jnt_limited[j])):
            if value:
                source.leave_out(f"{what} of {'ball' if kind == 'spherical' else 'free'} joint '{name}'")
    if armature and kind == "free":
        source.leave_out(f"armature of free joint '{name}' (its mass matrix differs from MuJoCo's)")
    elif armature:
        properties["armature"] = armature
    for what, names in _MORE.items():
        index = dof if names.startswith("dof") else j
        if np.any(source.array(names, max(m.nv, m.njnt))[index] != 0.0):
            source.leave_out(f"{what} of joint '{name}'")
    return Joint(name, kind, parent, child, **properties)


_MORE = {
    "stiffness that is not linear": "jnt_stiffnesspoly",
    "damping that is not linear": "dof_dampingpoly",
    "compensation of gravity by the motor": "jnt_actgravcomp",
}


def _limits(source: Compiled, j: int, name: str) -> Limits:
    m = source.model
    limits: dict[str, Any] = {}
    if m.jnt_limited[j] and not source.disabled("LIMIT"):
        limits = {"lower": float(m.jnt_range[j, 0]), "upper": float(m.jnt_range[j, 1])}
    if m.jnt_actfrclimited[j]:
        low, high = (float(x) for x in m.jnt_actfrcrange[j])
        limits["effort"] = max(-low, high)
        if low != -high:
            source.leave_out(f"effort limits [{low:g}, {high:g}] of joint '{name}': both are {limits['effort']:g} here")
    return Limits(**limits)


def _body(source: Compiled, tree: Placed, i: int) -> Body:
    m, name = source.model, tree.names[i]
    if source.array("body_gravcomp", m.nbody)[i]:
        source.leave_out(f"compensation of gravity of body '{name}'")
    mass, moments = float(m.body_mass[i]), np.array(m.body_inertia[i])
    if not math.isfinite(mass) or (mass == 0.0 and not moments.any()):
        return Body(name)
    R = np.array(pose(np.zeros(3), m.body_iquat[i]).rotation)
    I = R @ np.diag(moments) @ R.T
    inertia = tuple(float(I[a, b]) for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    return Body(name, mass, _numbers(np.array(m.body_ipos[i]) - tree.shifts[i]), inertia)  # type: ignore[arg-type]


def _numbers(x: Array) -> Any:
    return tuple(float(v) for v in x)
