"""Machines as MJCF files.

Bodies that are fixed to each other are one there. Several joints in a row between bodies without mass, which MuJoCo
refuses, are joints of one body: with the placements ``X_1 .. X_n`` of the joints and their motions ``J_k(q_k)``

    X_1 J_1 X_2 J_2 .. X_n J_n = X  (Y_1 J_1 Y_1^-1) (Y_2 J_2 Y_2^-1) .. J_n,
    X = X_1 .. X_n,   Y_k = (X_(k+1) .. X_n)^-1,

so that joint ``k`` stands at ``Y_k`` in the frame of the last body, as the format requires.
"""

from __future__ import annotations

import math
from functools import reduce
from operator import matmul
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.parameter import depends_on_time, nominal
from dalembert.core.types import Array
from dalembert.core.validation import Vector
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
from dalembert.model.constraints import BallConstraint, GearConstraint, LoopConstraint, WeldConstraint
from dalembert.model.contacts import Contact, HalfSpace, SphericalSurface
from dalembert.model.geometry import Box, Capsule, Cone, Cylinder, HeightField, Mesh, Solid, Sphere
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.mobility import carried_rotors, rotor_inertias
from dalembert.model.transform import IDENTITY, Transform
from dalembert.model.tree import Node, central_inertia
from dalembert.spatial.rotations import quaternion_from_matrix

__all__ = ["to_mjcf"]

Element = ElementTree.Element
LEAST = 1e-14
"""Mass and moments that stand for none: MuJoCo refuses moving bodies with less than 1e-15."""
_KINDS = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball"}


def to_mjcf(machine: Machine, path: str | Path | None = None) -> Exported:
    """Write a machine as MJCF, the format of MuJoCo, at the nominal values of its parameters.

    Joints keep their names (those of several coordinates become several, with the names of these) and their order, so
    that ``qpos`` and ``qvel`` are as `dalembert.io.to_mujoco` says. Constraints and contacts are soft in MuJoCo; a
    warning lists these and the elements that are left out.

    Parameters
    ----------
    machine
        The machine.
    path
        File to write; None: the text alone.

    Raises
    ------
    InputError
        If MuJoCo has no coordinates like those of the machine: beams, screws, free joints on moving bodies.

    Examples
    --------
    >>> import dalembert as da
    >>> arm = da.Machine(
    ...     "arm",
    ...     [da.box("link", 1.0, (0.5, 0.1, 0.1))],
    ...     [da.Joint("q", "revolute", "world", "link", axis="y", armature=0.1)],
    ... )
    >>> print(next(line.strip() for line in da.to_mjcf(arm).text.splitlines() if "<joint" in line))
    <joint name="q" type="hinge" axis="0.0 1.0 0.0" armature="0.1" />
    """
    check_exportable(machine, "MJCF")
    return _Writer(machine).written(path)


class _Writer:
    """The document of a machine as it grows."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.nodes = machine, machine.tree.nodes
        self.left_out: list[str] = parts_without_counterpart(
            machine, ("wrenches", "fields", "colliders", "signals", "sensors")
        )
        self.root = ElementTree.Element("mujoco", model=machine.name)
        compiler = {"angle": "radian", "inertiafromgeom": "false", "autolimits": "false"}
        ElementTree.SubElement(self.root, "compiler", compiler)
        ElementTree.SubElement(self.root, "option", gravity=numbers(machine.gravity))
        self.assets = ElementTree.SubElement(self.root, "asset")
        self.world = ElementTree.SubElement(self.root, "worldbody")
        self.elements: dict[int, Element] = {-1: self.world}
        self.geoms = 0
        self.slight: list[str] = []

    def written(self, path: str | Path | None) -> Exported:
        """Fill the document and write it."""
        rotors, losses = rotor_inertias(self.machine), self._losses()
        if carried := carried_rotors(self.machine):
            names = ", ".join(repr(m.name) for m in self.machine.motors if m.name in carried)
            self.left_out.append(
                f"motion of the rotors of {names} with the links that carry them: MuJoCo's armature is ratio^2 I on "
                "the diagonal of the mass matrix"
            )
        done: set[int] = set()
        for i in range(len(self.nodes)):
            if i not in done:
                done |= set(self._body(self._chain(i), rotors, losses))
        self._shapes()
        self._frames()
        self._contacts()
        self._tendons()
        self._equalities()
        self._actuators()
        if self.slight:
            names = ", ".join(map(repr, self.slight))
            self.left_out.append(
                f"points, rods and bodies without mass have moments (and masses) of {LEAST:g}: {names}"
            )
        if not len(self.assets):
            self.root.remove(self.assets)
        ElementTree.indent(self.root)
        text = ElementTree.tostring(self.root, encoding="unicode") + "\n"
        return finish(self.machine, "MJCF", text, self.left_out, path)

    def _losses(self) -> dict[str, float]:
        """Viscous losses of each joint, those of its motors among them."""
        losses = {j.name: nominal(j.damping) for j in self.machine.joints}
        for motor in self.machine.motors:
            losses[motor.joint] += nominal(motor.ratio) ** 2 * nominal(motor.damping)
        return losses

    # -- bodies -----------------------------------------------------------------------------------------------------

    def _chain(self, i: int) -> list[int]:
        """Nodes that become one body: those without mass that carry one other, and the first one that has mass."""
        chain, tree = [i], self.machine.tree
        while True:
            mass, _, inertia = central_inertia(self.nodes[chain[-1]])
            children = tree.children(chain[-1])
            free = any(self.nodes[k].joint.kind == "free" for k in (chain[-1], *children))
            if mass > 0.0 or inertia.any() or len(children) != 1 or free:
                return chain
            chain.append(children[0])

    def _body(self, chain: list[int], rotors: dict[str, float], losses: dict[str, float]) -> list[int]:
        nodes = [self.nodes[i] for i in chain]
        last = nodes[-1]
        places = [node.placement for node in nodes]
        parent = self.elements[nodes[0].parent]
        body = ElementTree.SubElement(parent, "body", _pose(reduce(matmul, places)), name=last.joint.child)
        for k, node in enumerate(nodes):
            seen = reduce(matmul, places[k + 1 :], IDENTITY).inverse()
            self._joints(body, node, seen, rotors[node.joint.name], losses[node.joint.name])
            if k < len(nodes) - 1:
                shown = [b.name for b, _ in node.bodies if b.geometry]
                shown += [f.name for f in self.machine.frames if self.machine.tree.frames[f.name][0] == chain[k]]
                if shown:
                    self.left_out.append(f"shapes and frames of bodies without mass: {', '.join(map(repr, shown))}")
        self._inertia(body, last)
        self.elements[chain[-1]] = body
        return chain

    def _joints(self, body: Element, node: Node, seen: Transform, rotor: float, loss: float) -> None:
        joint = node.joint
        if joint.kind == "free":
            if node.parent >= 0:
                raise InputError(f"joint '{joint.name}': MuJoCo's free joints are between a body and the world")
            if node.placement != IDENTITY:
                self.left_out.append(f"placement of free joint '{joint.name}': coordinates begin at the world's origin")
            lossy = {"damping": numbers(loss)} if loss else {}
            ElementTree.SubElement(body, "joint", lossy, name=joint.name, type="free")
            return
        R, place = rotation_of(seen), {"pos": numbers(seen.translation)}
        for single in simple_joints(joint, "MJCF"):
            attributes = {"name": single.name, "type": _KINDS[single.kind]}
            if any(nominal(x) != 0.0 for x in seen.translation):
                attributes |= place
            if single.kind != "spherical":
                attributes["axis"] = numbers(R @ single.axis)
            for key, value in (
                ("armature", rotor),
                ("damping", loss),
                ("frictionloss", nominal(joint.friction_model.coulomb)),
            ):
                if value:
                    attributes[key] = numbers(value)
            ElementTree.SubElement(body, "joint", attributes | self._one_coordinate(joint))

    def _one_coordinate(self, joint: Joint) -> dict[str, str]:
        """Spring and limits of a joint."""
        attributes: dict[str, str] = {}
        if joint.stiffness != 0.0:
            attributes |= {"stiffness": numbers(joint.stiffness), "springref": numbers(joint.rest)}
        lower, upper = joint.limits.lower, joint.limits.upper
        if math.isfinite(lower) or math.isfinite(upper):
            attributes |= {"limited": "true", "range": numbers([max(lower, -1e10), min(upper, 1e10)])}
        if math.isfinite(effort := joint.limits.effort) and sum(m.joint == joint.name for m in self.machine.motors) > 1:
            attributes |= {"actuatorfrclimited": "true", "actuatorfrcrange": numbers([-effort, effort])}
        if math.isfinite(joint.limits.velocity):
            self.left_out.append(f"velocity limit of joint '{joint.name}'")
        return attributes

    def _inertia(self, body: Element, node: Node) -> None:
        mass, c, I = central_inertia(node)
        if not np.isfinite(I).all() or np.abs(I).max() > 1e150:
            raise InputError(f"the inertia of body '{node.joint.child}' is too large to be written")
        moments, R = np.linalg.eigh(I)
        if np.linalg.det(R) < 0.0:
            R[:, 0] = -R[:, 0]
        if mass < LEAST or moments[0] < LEAST:
            self.slight.append(node.joint.child)
        mass, moments = max(mass, LEAST), np.maximum(moments, LEAST)
        # MuJoCo refuses a disc whose largest moment exceeds the sum of the others, be it by rounding.
        most = moments[0] + moments[1]
        if moments[2] > most * (1.0 + 1e-9):
            beyond = f"{moments[2]:.6g} kg m2 exceeds the sum of the others"
            self.left_out.append(f"part of the largest moment of body '{node.joint.child}': {beyond}, {most:.6g}")
        moments[2] = min(moments[2], most)
        place = {"pos": numbers(c), "quat": numbers(quaternion_from_matrix(R))}
        ElementTree.SubElement(body, "inertial", place, mass=numbers(mass), diaginertia=numbers(moments))

    # -- shapes, frames, contacts -----------------------------------------------------------------------------------

    def _at(self, frame: str) -> tuple[Element | None, Transform]:
        """Element that carries a frame, and the frame's place in it."""
        if frame == WORLD:
            return self.world, IDENTITY
        node, place = self.machine.tree.frames[frame]
        return self.elements.get(node), place

    def _geom(self, parent: Element, solid: Solid | None, place: Transform, **attributes: str) -> str | None:
        """Add a geom and return its name; None where there is none like it."""
        size: Any
        match solid:
            case None:
                kind, size = "sphere", [1e-6]
            case Sphere(radius=radius):
                kind, size = "sphere", [radius]
            case Capsule(radius=radius, length=length):
                kind, size = "capsule", [max(nominal(radius), 1e-6), nominal(length) / 2]
            case Cylinder(radius=radius, length=length):
                kind, size = "cylinder", [radius, nominal(length) / 2]
            case Box(size=sides):
                kind, size = "box", [nominal(x) / 2 for x in sides]
            case Mesh(file=file, scale=scale):
                return self._mesh(parent, file, scale, place, attributes)
            case Cone() | HeightField():
                self.left_out.append("a cone" if isinstance(solid, Cone) else "a height field")
                return None
        attributes = _pose(place) | attributes
        return self._add(parent, {"type": kind, "size": numbers(size)} | attributes)

    def _mesh(
        self, parent: Element, file: str, scale: Vector, place: Transform, attributes: dict[str, str]
    ) -> str | None:
        if Path(file).suffix.lower() not in (".stl", ".obj") or not Path(file).is_file():
            self.left_out.append(f"mesh '{file}' (expected an existing .stl or .obj)")
            return None
        name = f"mesh{len(self.assets)}"
        numbered = {"file": str(Path(file).resolve()), "scale": numbers(scale), "inertia": "shell"}
        ElementTree.SubElement(self.assets, "mesh", numbered, name=name)
        return self._add(parent, {"type": "mesh", "mesh": name} | _pose(place) | attributes)

    def _add(self, parent: Element, attributes: dict[str, str]) -> str:
        name = f"geom{self.geoms}"
        self.geoms += 1
        ElementTree.SubElement(
            parent, "geom", attributes | {"name": name, "contype": "0", "conaffinity": "0", "mass": "0"}
        )
        return name

    def _shapes(self) -> None:
        for body in self.machine.bodies:
            assert isinstance(body, Body)
            parent, place = self._at(body.name)
            for geometry in body.geometry if parent is not None else ():
                colour = {}
                if geometry.colour is not None:
                    levels = [int(geometry.colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
                    colour = {"rgba": numbers([*levels, 1.0])}
                assert parent is not None
                self._geom(parent, geometry.solid, place @ geometry.origin, **colour)

    def _frames(self) -> None:
        for frame in self.machine.frames:
            parent, place = self._at(frame.name)
            if parent is not None:
                ElementTree.SubElement(parent, "site", _pose(place), name=frame.name)

    def _site(self, name: str, frame: str, place: Transform = IDENTITY) -> bool:
        """Add a site at a place in a frame; False where nothing carries the frame."""
        parent, at = self._at(frame)
        if parent is None:
            return False
        ElementTree.SubElement(parent, "site", _pose(at @ place), name=name)
        return True

    def _contacts(self) -> None:
        if not self.machine.contacts:
            return
        self.left_out.append("contacts are soft there, without restitution")
        pairs = ElementTree.SubElement(self.root, "contact")
        for contact in self.machine.contacts:
            ends = self._touching(contact)
            if ends is None:
                self.left_out.append(f"contact '{contact.name}'")
                continue
            friction = nominal(contact.friction)
            cone = {"condim": "3", "friction": numbers([friction, friction, 0.005, 1e-4, 1e-4])}
            rubbing = cone if contact.rubs else {"condim": "1"}
            ElementTree.SubElement(pairs, "pair", rubbing, name=contact.name, geom1=ends[0], geom2=ends[1])

    def _touching(self, contact: Contact) -> tuple[str, str] | None:
        """Geoms of a contact; a plane must rest in MuJoCo."""
        (carrier, place), (other, at) = self._at(contact.frame), self._at(contact.on)
        if carrier is None or other is None:
            return None
        match contact.surface:
            case HalfSpace(normal=normal, point=point) if other is self.world:
                plane = {"type": "plane", "size": "0 0 1", "pos": numbers(_moved(at, point))}
                plane["zaxis"] = numbers(rotation_of(at) @ np.array([nominal(x) for x in normal]))
                surface: str | None = self._add(other, plane)
            case SphericalSurface(radius=radius, centre=centre, inside=False):
                surface = self._geom(other, Sphere(radius), at @ Transform(centre))
            case _:
                return None
        solid = self._geom(carrier, contact.solid, place @ contact.origin)
        return None if solid is None or surface is None else (solid, surface)

    def _tendons(self) -> None:
        """Cables between two points: springs of ``EA / L``, or ranges that MuJoCo keeps softly."""
        tendons = ElementTree.Element("tendon")
        taut, damped = [], []
        self.left_out += [f"rope '{rope.name}'" for rope in self.machine.ropes]
        for cable in self.machine.cables:
            ends = [f"{cable.name}.anchor", f"{cable.name}.exit"]
            places = [(cable.anchor, cable.anchor_at), (cable.exit, cable.exit_at)]
            rod = cable.bilateral and not cable.elastic
            plain = not (cable.winch or cable.has_pulley or cable.rheonomous or cable.length is None or rod)
            if not plain or any(self._at(frame)[0] is None for frame, _ in places):
                self.left_out.append(f"cable '{cable.name}'")
                continue
            for end, (frame, at) in zip(ends, places, strict=True):
                self._site(end, frame, Transform(at))
            L = nominal(cable.length)  # type: ignore[arg-type]
            attributes = {"name": cable.name}
            if cable.stiffness is None:
                attributes |= {"limited": "true", "range": numbers([0.0, L])}
                taut.append(cable.name)
            else:
                attributes["stiffness"] = numbers(nominal(cable.stiffness) / L)
                attributes["springlength"] = numbers([L if cable.bilateral else 0.0, L])
                if cable.damping != 0.0:
                    attributes["damping"] = numbers(nominal(cable.damping) / L)
                    damped += [] if cable.bilateral else [cable.name]
            element = ElementTree.SubElement(tendons, "spatial", attributes)
            for end in ends:
                ElementTree.SubElement(element, "site", site=end)
        if len(tendons):
            self.root.append(tendons)
        if taut:
            self.left_out.append(f"the lengths of the cables {', '.join(map(repr, taut))} are kept softly there")
        if damped:
            names = ", ".join(map(repr, damped))
            self.left_out.append(f"damping of the cables {names} acts there when they are slack, too")

    # -- constraints and actuators ----------------------------------------------------------------------------------

    def _equalities(self) -> None:
        machine = self.machine
        equalities = ElementTree.Element("equality")
        for c in machine.couplings:
            attributes = {
                "joint1": c.joint,
                "joint2": c.leader,
                "polycoef": numbers([c.offset, c.ratio, 0.0, 0.0, 0.0]),
            }
            ElementTree.SubElement(equalities, "joint", attributes, name=f"{c.joint}.coupling")
        for constraint in machine.constraints:
            element: Element | None = None
            one, other = f"{constraint.name}.0", f"{constraint.name}.1"
            match constraint:
                case BallConstraint(components=components) if set(components) == set("xyz"):
                    if self._site(one, constraint.frame) and self._site(other, constraint.other):
                        element = ElementTree.SubElement(equalities, "connect", site1=one, site2=other)
                case LoopConstraint(kind="ball" | "fixed" as kind):
                    if self._site(one, constraint.frame) and self._site(other, constraint.other):
                        tag = "connect" if kind == "ball" else "weld"
                        element = ElementTree.SubElement(equalities, tag, site1=one, site2=other)
                case WeldConstraint(offset=offset) if offset is not None:
                    if self._site(one, constraint.frame) and self._site(other, constraint.other, offset):
                        element = ElementTree.SubElement(equalities, "weld", site1=one, site2=other)
                case GearConstraint():
                    element = self._gear(equalities, constraint)
            if element is None:
                self.left_out.append(f"constraint '{constraint.name}'")
                continue
            element.set("name", constraint.name)
            if not constraint.active:
                element.set("active", "false")
        if len(equalities):
            self.root.append(equalities)
            self.left_out.append("couplings and constraints are soft there")

    def _gear(self, equalities: Element, gear: GearConstraint) -> Element | None:
        """``c_1 q_1 + c_2 q_2 = b`` as ``q_1 = b / c_1 - (c_2 / c_1) q_2``."""
        terms = [(joint, nominal(c)) for joint, c in dict(gear.terms).items()]
        if len(terms) > 2 or depends_on_time(gear.value) or terms[0][1] == 0.0:
            return None
        (first, scale), rest = terms[0], terms[1:]
        ratio = -rest[0][1] / scale if rest else 0.0
        attributes = {"joint1": first, "polycoef": numbers([nominal(gear.value) / scale, ratio, 0.0, 0.0, 0.0])}
        return ElementTree.SubElement(equalities, "joint", attributes | ({"joint2": rest[0][0]} if rest else {}))

    def _actuators(self) -> None:
        machine, actuators = self.machine, ElementTree.Element("actuator")
        for motor in machine.limited_motors:
            attributes = {"name": motor.name, "joint": motor.joint, "gear": numbers(motor.ratio)}
            ElementTree.SubElement(actuators, "motor", attributes | _range(-motor.effort, motor.effort))
            if math.isfinite(motor.speed):
                self.left_out.append(f"speed limit of motor '{motor.name}'")
        for thruster in machine.thrusters:
            site = f"{thruster.name}.site"
            if thruster.axes != "frame" or not self._site(site, thruster.frame):
                self.left_out.append(f"thruster '{thruster.name}'")
                continue
            attributes = {"name": thruster.name, "site": site, "gear": numbers([*thruster.force, *thruster.torque])}
            ElementTree.SubElement(actuators, "motor", attributes | _range(*thruster.range))
        if len(actuators):
            self.root.append(actuators)


def _range(low: float, high: float) -> dict[str, str]:
    """Limits of an input."""
    if math.isinf(low) and math.isinf(high):
        return {}
    return {"ctrllimited": "true", "ctrlrange": numbers([max(low, -1e10), min(high, 1e10)])}


def _moved(place: Transform, point: Vector) -> Array:
    x = rotation_of(place) @ np.array([nominal(v) for v in point])
    return np.asarray(x + np.array([nominal(v) for v in place.translation]))


def _pose(place: Transform) -> dict[str, str]:
    """Placement, as far as it is not the identity."""
    attributes = {}
    if any(nominal(x) != 0.0 for x in place.translation):
        attributes["pos"] = numbers(place.translation)
    R = rotation_of(place)
    if not np.array_equal(R, np.eye(3)):
        attributes["quat"] = numbers(quaternion_from_matrix(R))
    return attributes
