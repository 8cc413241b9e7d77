"""A machine as the text of a URDF file, with nothing that plays no part in its equations: no shapes, no limits."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.model.machine import Machine
from dalembert.model.mobility import rotor_inertias
from dalembert.model.transform import IDENTITY
from dalembert.model.tree import central_inertia, place
from dalembert.spatial.rotations import numpy

__all__ = ["urdf_text"]

BASE = "base_of_all"


def urdf_text(machine: Machine) -> str:
    """Write a machine as URDF, at nominal parameters; joint springs, losses and motors are left out.

    A free joint at the world's origin is not written: the body that it carries is the root, which the reader lets move.

    Raises
    ------
    InputError
        If the machine is not a tree of rigid bodies with revolute and prismatic joints, or its base is free elsewhere.
    """
    moving_alone = machine.motors or any(rotor_inertias(machine).values())
    if machine.couplings or moving_alone or any(node.elastic is not None for node in machine.tree.nodes):
        raise InputError(f"machine '{machine.name}' is not a plain tree of rigid bodies")
    root = ElementTree.Element("robot", name=machine.name)
    names: list[str] = []
    floating = machine.tree.nodes[0].joint.kind == "free"
    if not floating:
        _add_link(root, BASE, 1.0, np.zeros(3), np.eye(3))  # it rests, but some readers insist on a mass
    for i, node in enumerate(machine.tree.nodes):
        names.append(f"link{i}")
        _add_link(root, names[-1], *central_inertia(node))
        if i == 0 and floating:
            if node.placement != IDENTITY:
                raise InputError(f"joint '{node.joint.name}': a free joint must be at the world's origin")
            continue
        if node.joint.kind not in ("revolute", "prismatic"):
            raise InputError(f"joint '{node.joint.name}': expected revolute or prismatic, got {node.joint.kind}")
        kind = "continuous" if node.joint.kind == "revolute" else "prismatic"
        joint = ElementTree.SubElement(root, "joint", name=node.joint.name, type=kind)
        R, p = (numpy(x) for x in place(node.placement, nominal))
        ElementTree.SubElement(
            joint, "origin", xyz=_text(np.ravel(p)), rpy=_text(_roll_pitch_yaw(np.reshape(R, (3, 3))))
        )
        ElementTree.SubElement(joint, "parent", link=names[node.parent] if node.parent >= 0 else BASE)
        ElementTree.SubElement(joint, "child", link=names[-1])
        ElementTree.SubElement(joint, "axis", xyz=_text([nominal(x) for x in node.joint.axis]))
        ElementTree.SubElement(joint, "limit", lower="-1e9", upper="1e9", effort="1e9", velocity="1e9")
    return ElementTree.tostring(root, encoding="unicode")


def _add_link(root: ElementTree.Element, name: str, mass: float, c: Array, I: Array) -> None:
    inertial = ElementTree.SubElement(ElementTree.SubElement(root, "link", name=name), "inertial")
    ElementTree.SubElement(inertial, "origin", xyz=_text(c), rpy="0 0 0")
    ElementTree.SubElement(inertial, "mass", value=repr(mass))
    entries = {f"i{'xyz'[i]}{'xyz'[j]}": repr(float(I[i, j])) for i in range(3) for j in range(i, 3)}
    ElementTree.SubElement(inertial, "inertia", entries)


def _roll_pitch_yaw(R: Array) -> tuple[float, float, float]:
    """Fixed-axis angles of R = Rz(yaw) Ry(pitch) Rx(roll)."""
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    if np.hypot(R[0, 0], R[1, 0]) < 1e-12:  # only the sum or the difference of roll and yaw counts
        return float(np.arctan2(-R[1, 2], R[1, 1])), float(pitch), 0.0
    return float(np.arctan2(R[2, 1], R[2, 2])), float(pitch), float(np.arctan2(R[1, 0], R[0, 0]))


def _text(values: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in values)
