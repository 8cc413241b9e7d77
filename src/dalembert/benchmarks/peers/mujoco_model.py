"""A machine as MuJoCo's XML, with nothing that plays no part in its equations: no shapes, no contacts, no actuators."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.parameter import Scalar, nominal
from dalembert.model.machine import Machine
from dalembert.model.mobility import carried_rotors, rotor_inertias
from dalembert.model.transform import IDENTITY, Transform
from dalembert.model.tree import Node, central_inertia
from dalembert.spatial.alignment import plane_axes
from dalembert.spatial.rotations import quaternion_from_matrix

__all__ = ["mujoco_xml"]


def mujoco_xml(machine: Machine) -> str:
    """Write a machine as MuJoCo's XML, at nominal parameters; joint springs, losses and motors' efforts are left out.

    Raises
    ------
    InputError
        If MuJoCo cannot represent the machine: couplings, rotors on moving links, a free joint that
        is not at the world's origin.
    """
    if machine.couplings:
        raise InputError(f"machine '{machine.name}' has coupled joints, which MuJoCo models by soft constraints")
    if rotors := carried_rotors(machine):
        raise InputError(f"MuJoCo has no rotors on moving links, as motor '{min(rotors)}' has: use armatures")
    root = ElementTree.Element("mujoco", model=machine.name)
    ElementTree.SubElement(root, "compiler", angle="radian", inertiafromgeom="false", autolimits="false")
    option = ElementTree.SubElement(root, "option", gravity=_text(machine.gravity))
    ElementTree.SubElement(option, "flag", contact="disable", constraint="disable", energy="disable")
    elements = [ElementTree.SubElement(root, "worldbody")]
    armature = rotor_inertias(machine)
    for i, node in enumerate(machine.tree.nodes):
        body = ElementTree.SubElement(elements[node.parent + 1], "body", _pose(node.placement), name=f"node{i}")
        elements.append(body)
        _add_joints(body, node, armature[node.joint.name])
        mass, c, I = central_inertia(node)
        if mass <= 0.0:
            raise InputError(f"body '{node.joint.child}' of machine '{machine.name}' has no mass, which MuJoCo rejects")
        entries = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        ElementTree.SubElement(body, "inertial", pos=_text(c), mass=repr(mass), fullinertia=_text(entries))
    return ElementTree.tostring(root, encoding="unicode")


def _add_joints(body: ElementTree.Element, node: Node, armature: float) -> None:
    joint = node.joint
    if joint.kind == "free":
        if node.parent >= 0 or node.placement != IDENTITY:
            raise InputError(f"joint '{joint.name}': MuJoCo's free joints are at the world's origin")
        ElementTree.SubElement(body, "freejoint", name=joint.name)
        return
    E = plane_axes([nominal(x) for x in joint.axis])
    known: dict[str, list[tuple[str, Any]]] = {
        "fixed": [],
        "revolute": [("hinge", joint.axis)],
        "prismatic": [("slide", joint.axis)],
        "cylindrical": [("hinge", joint.axis), ("slide", joint.axis)],
        "universal": [("hinge", joint.axis), ("hinge", joint.second_axis)],
        "spherical": [("ball", joint.axis)],
        "planar": [("slide", E[:, 0]), ("slide", E[:, 1]), ("hinge", E[:, 2])],
    }
    if joint.kind not in known:
        raise InputError(f"joint '{joint.name}': MuJoCo has no equivalent of a {joint.kind} joint")
    added = known[joint.kind]
    for k, (kind, axis) in enumerate(added):
        extra = {"armature": repr(armature)} | ({} if kind == "ball" else {"axis": _text(axis)})
        ElementTree.SubElement(body, "joint", extra, name=f"{joint.name}.{k}", type=kind)


def _pose(transform: Transform) -> dict[str, str]:
    R = np.array([[nominal(x) for x in row] for row in transform.rotation])
    return {"pos": _text(transform.translation), "quat": _text(quaternion_from_matrix(R))}


def _text(values: Iterable[Scalar]) -> str:
    return " ".join(repr(float(nominal(float(x) if isinstance(x, np.floating) else x))) for x in values)
