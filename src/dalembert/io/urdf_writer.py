"""Machines as URDF files."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from dalembert.core.parameter import nominal
from dalembert.io.exported import (
    Exported,
    check_exportable,
    finish,
    numbers,
    parts_without_counterpart,
    rotation_of,
    simple_joints,
)
from dalembert.model.body import Body
from dalembert.model.geometry import Box, Capsule, Cone, Cylinder, Geometry, HeightField, Mesh, Solid, Sphere
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import STANDARD_GRAVITY, Machine
from dalembert.model.mobility import rotor_inertias
from dalembert.model.parts import Coupling
from dalembert.model.transform import IDENTITY, Transform
from dalembert.spatial.rotations import rpy_from_matrix

__all__ = ["to_urdf"]

Element = ElementTree.Element
LARGEST = 1.7976931348623157e308
"""Number for no limit: readers do not agree on a word for infinity."""
_WITHOUT = (
    "thrusters",
    "wrenches",
    "constraints",
    "cables",
    "ropes",
    "fields",
    "contacts",
    "colliders",
    "signals",
    "sensors",
)


def to_urdf(machine: Machine, path: str | Path | None = None) -> Exported:
    """Write a machine as URDF, at the nominal values of its parameters.

    Bodies become links, joints keep their names; a cylindrical, universal or planar joint becomes several with the
    names of its coordinates, frames become links without inertia. Elements that URDF does not have, such as springs,
    motors' gears, rotors and constraints, are left out with a warning that lists them.

    Parameters
    ----------
    machine
        The machine.
    path
        File to write; None: the text alone.

    Raises
    ------
    InputError
        If URDF has no coordinates like those of the machine: beams, screws, spherical joints.

    Examples
    --------
    >>> import dalembert as da
    >>> link, hinge = da.box("link", 1.0, (0.5, 0.1, 0.1)), da.Joint("q", "revolute", "world", "link", axis="y")
    >>> arm = da.Machine("arm", [link], [hinge])
    >>> da.load_urdf(str(da.to_urdf(arm)), motors=False) == arm
    True
    """
    check_exportable(machine, "URDF")
    left_out = parts_without_counterpart(machine, _WITHOUT)
    root = ElementTree.Element("robot", name=machine.name)
    ElementTree.SubElement(root, "link", name=WORLD)
    for body in machine.bodies:
        assert isinstance(body, Body)
        _link(root, body)
    mimics = {c.joint: c for c in machine.couplings}
    for joint in machine.joints:
        _joint(root, joint, mimics.get(joint.name))
    for frame in machine.frames:
        ElementTree.SubElement(root, "link", name=frame.name)
        element = ElementTree.SubElement(root, "joint", name=f"{frame.name}.fixed", type="fixed")
        _ends(element, frame.body, frame.name, frame.origin)
    left_out += _lacking(machine)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode", xml_declaration=False) + "\n"
    return finish(machine, "URDF", text, left_out, path)


def _lacking(machine: Machine) -> list[str]:
    """Properties of joints, motors and the world that URDF does not have."""
    lines = []
    springs = [f"'{j.name}'" for j in machine.joints if j.stiffness != 0.0]
    if springs:
        lines.append(f"springs of the joints {', '.join(springs)}")
    rotors = [f"'{name}'" for name, inertia in rotor_inertias(machine).items() if inertia]
    if rotors:
        lines.append(f"rotors and armatures of the joints {', '.join(rotors)}")
    geared = [
        f"'{m.name}'" for m in machine.motors if nominal(m.ratio) != 1.0 or nominal(m.damping) or m.name != m.joint
    ]
    if geared:
        lines.append(f"gear, loss or name of the motors {', '.join(geared)}")
    thin = [f"'{b.name}'" for b in machine.bodies if isinstance(b, Body) and any(not _plain(g) for g in b.geometry)]
    if thin:
        lines.append(f"shapes without thickness of the bodies {', '.join(thin)}")
    if any(nominal(a) != b for a, b in zip(machine.gravity, STANDARD_GRAVITY, strict=True)):
        lines.append(f"gravity ({numbers(machine.gravity)})")
    return lines


def _link(root: Element, body: Body) -> None:
    link = ElementTree.SubElement(root, "link", name=body.name)
    if body.mass != 0.0 or any(nominal(x) for row in body.inertia for x in row):
        inertial = ElementTree.SubElement(link, "inertial")
        ElementTree.SubElement(inertial, "origin", xyz=numbers(body.com), rpy="0 0 0")
        ElementTree.SubElement(inertial, "mass", value=numbers(body.mass))
        names = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
        ElementTree.SubElement(inertial, "inertia", {k: numbers(body.inertia[i][j]) for k, (i, j) in names.items()})
    for geometry in body.geometry:
        for tag in [tag for tag, on in (("visual", geometry.visual), ("collision", geometry.collision)) if on]:
            for place, solid in _plain(geometry):
                shape = ElementTree.SubElement(link, tag)
                _origin(shape, place)
                _solid(ElementTree.SubElement(shape, "geometry"), solid)
                if tag == "visual" and geometry.colour is not None:
                    levels = [int(geometry.colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
                    material = ElementTree.SubElement(shape, "material", name=geometry.colour)
                    ElementTree.SubElement(material, "color", rgba=numbers([*levels, 1.0]))


def _plain(geometry: Geometry) -> list[tuple[Transform, Solid]]:
    """A capsule, which few readers of URDF know, as a cylinder and two spheres; empty for shapes that URDF lacks."""
    solid = geometry.solid
    if isinstance(solid, Cone | HeightField):
        return []
    if not isinstance(solid, Capsule):
        return [(geometry.origin, solid)]
    ends = [Transform((0.0, 0.0, side * nominal(solid.length) / 2)) for side in (-1.0, 1.0)]
    parts: list[tuple[Transform, Solid]] = []
    if nominal(solid.radius) > 0.0:
        parts = [(geometry.origin, Cylinder(solid.radius, solid.length))]
        parts += [(geometry.origin @ end, Sphere(solid.radius)) for end in ends]
    return parts


def _solid(geometry: Element, solid: Solid) -> None:
    match solid:
        case Box(size=size):
            ElementTree.SubElement(geometry, "box", size=numbers(size))
        case Cylinder(radius=radius, length=length):
            ElementTree.SubElement(geometry, "cylinder", radius=numbers(radius), length=numbers(length))
        case Sphere(radius=radius):
            ElementTree.SubElement(geometry, "sphere", radius=numbers(radius))
        case Mesh(file=file, scale=scale):
            ElementTree.SubElement(geometry, "mesh", filename=file, scale=numbers(scale))


def _joint(root: Element, joint: Joint, mimic: Coupling | None) -> None:
    if joint.kind == "fixed":
        element = ElementTree.SubElement(root, "joint", name=joint.name, type="fixed")
        _ends(element, joint.parent, joint.child, joint.origin)
        return
    simple = simple_joints(joint, "URDF", without=("spherical",))
    parent, origin = joint.parent, joint.origin
    for k, single in enumerate(simple):
        child = joint.child if k == len(simple) - 1 else f"{single.name}.link"
        if child != joint.child:
            ElementTree.SubElement(root, "link", name=child)
        limits = joint.limits
        bounded = math.isfinite(limits.lower) or math.isfinite(limits.upper) or single.kind == "prismatic"
        kinds = {"free": "floating", "prismatic": "prismatic", "revolute": "revolute" if bounded else "continuous"}
        element = ElementTree.SubElement(root, "joint", name=single.name, type=kinds[single.kind])
        _ends(element, parent, child, origin)
        parent, origin = child, IDENTITY
        if single.kind != "free":
            ElementTree.SubElement(element, "axis", xyz=numbers(single.axis))
            attributes = {"effort": limits.effort, "velocity": limits.velocity}
            if bounded:
                attributes = {"lower": limits.lower, "upper": limits.upper} | attributes
            finite = {key: numbers(min(max(value, -LARGEST), LARGEST)) for key, value in attributes.items()}
            ElementTree.SubElement(element, "limit", finite)
        coulomb = joint.friction_model.coulomb
        if joint.damping != 0.0 or coulomb != 0.0:
            losses = {"damping": numbers(joint.damping), "friction": numbers(coulomb)}
            ElementTree.SubElement(element, "dynamics", losses)
        if mimic is not None:
            ElementTree.SubElement(
                element, "mimic", joint=mimic.leader, multiplier=numbers(mimic.ratio), offset=numbers(mimic.offset)
            )


def _ends(element: Element, parent: str, child: str, origin: Transform) -> None:
    ElementTree.SubElement(element, "parent", link=parent)
    ElementTree.SubElement(element, "child", link=child)
    _origin(element, origin)


def _origin(element: Element, place: Transform) -> None:
    if place != IDENTITY:
        angles = rpy_from_matrix(rotation_of(place))
        ElementTree.SubElement(element, "origin", xyz=numbers(place.translation), rpy=numbers(np.asarray(angles)))
