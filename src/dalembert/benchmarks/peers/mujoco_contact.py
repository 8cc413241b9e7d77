"""Machines with contacts in MuJoCo: spheres of bodies against planes and each other, sprung and damped joints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree

import numpy as np

from dalembert.benchmarks.peers.mujoco_model import mujoco_xml
from dalembert.core.errors import InputError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.states import named_vector
from dalembert.core.types import Array
from dalembert.io.conventions import from_mujoco, to_mujoco
from dalembert.model.contacts import Contact, HalfSpace, SphericalSurface
from dalembert.model.geometry import Box, Sphere
from dalembert.model.joint import WORLD
from dalembert.model.machine import Machine

__all__ = ["MujocoContact", "contact_xml"]


class MujocoContact:
    """A machine in MuJoCo, stepped by ``mj_step``, many steps in a call.

    Contacts are elliptic cones, solved by Newton's method; joints are integrated with implicit damping
    (``implicitfast``). MuJoCo solves a softened problem without restitution: the other numbers are its defaults.

    Parameters
    ----------
    machine
        With spheres that touch half-spaces of the world and each other, all with one coefficient of friction.
    step
        Length of a step.
    tolerance
        Tolerance of the solver.
    impratio
        Ratio of the hardness of friction to that of the normals; MuJoCo's default is 1.
    """

    def __init__(self, machine: Machine, step: float, *, tolerance: float = 1e-6, impratio: float = 1.0) -> None:
        import mujoco

        self._mujoco, self.machine, self.step = mujoco, machine, step
        self.model = mujoco.MjModel.from_xml_string(contact_xml(machine, step, tolerance, impratio))
        self.data = mujoco.MjData(self.model)

    def start(self, q0: dict[str, float], v0: dict[str, float]) -> None:
        """Begin with a state."""
        machine = self.machine
        q = named_vector(q0, machine.q_names, machine.q_neutral, "q0")
        v = named_vector(v0, machine.v_names, np.zeros(machine.nv), "v0")
        state = to_mujoco(machine, q, v)
        self._mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = state.q, state.v

    def advance(self, steps: int) -> None:
        """Make some steps."""
        self._mujoco.mj_step(self.model, self.data, nstep=steps)

    @property
    def q(self) -> Array:
        """Coordinates of the machine."""
        return np.asarray(from_mujoco(self.machine, np.array(self.data.qpos), np.array(self.data.qvel)).q)

    @property
    def penetration(self) -> float:
        """Depth of the deepest contact [m]."""
        return max((-float(self.data.contact.dist[k]) for k in range(self.data.ncon)), default=0.0)


def contact_xml(machine: Machine, step: float, tolerance: float = 1e-6, impratio: float = 1.0) -> str:
    """MuJoCo's XML of a machine with its contacts; parameters as in `MujocoContact`."""
    root = ElementTree.fromstring(mujoco_xml(machine))
    option = root.find("option")
    assert option is not None
    for flag in option.findall("flag"):
        option.remove(flag)
    settings = {"timestep": step, "tolerance": tolerance, "impratio": impratio}
    for name, value in settings.items():
        option.set(name, repr(float(value)))
    option.set("cone", "elliptic")
    option.set("integrator", "implicitfast")
    frictions = {float(nominal(contact.friction)) for contact in machine.contacts}
    frictions |= {float(nominal(collider.friction)) for collider in machine.colliders}
    if len(frictions) != 1:
        raise InputError(
            f"machine '{machine.name}' has contacts with {len(frictions)} coefficients of friction, not one"
        )
    (mu,) = frictions
    common: dict[str, Any] = {"condim": "3", "friction": f"{mu} 0 0"}
    world = root.find("worldbody")
    assert world is not None
    # Balls that may touch balls have bit 2 of both masks, planes bit 1.
    planes: set[HalfSpace] = set()
    balls: dict[tuple[str, int], bool] = {}
    for contact in machine.contacts:
        if not isinstance(contact.solid, Sphere):
            raise InputError(f"contact '{contact.name}': only spheres are compared with MuJoCo")
        among = isinstance(contact.surface, SphericalSurface)
        if isinstance(contact.surface, HalfSpace) and contact.on == WORLD:
            planes.add(contact.surface)
        elif not among:
            raise InputError(f"contact '{contact.name}': only planes of the world are compared with MuJoCo")
        node, origin = _placed(machine, contact)
        key = contact.frame, node
        if key not in balls:
            body = next(b for b in root.iter("body") if b.get("name") == f"node{node}")
            radius = repr(float(nominal(contact.solid.radius)))
            place = " ".join(repr(float(x)) for x in origin)
            ElementTree.SubElement(
                body, "geom", common, type="sphere", size=radius, pos=place, name=contact.frame, mass="0"
            )
        balls[key] = balls.get(key, False) or among
    for (frame, _), among in balls.items():
        geom = next(g for g in root.iter("geom") if g.get("name") == frame)
        geom.set("contype", "3" if among else "1")
        geom.set("conaffinity", "2" if among else "0")
    for plane in planes:
        normal = " ".join(repr(float(nominal(x))) for x in plane.normal)
        point = " ".join(repr(float(nominal(x))) for x in plane.point)
        ElementTree.SubElement(
            world, "geom", common, type="plane", size="5 5 1", zaxis=normal, pos=point, contype="0", conaffinity="1"
        )
    if machine.colliders:
        _add_colliders(machine, root, world, common)
    for joint in machine.joints:
        element = next((j for j in root.iter("joint") if j.get("name") == f"{joint.name}.0"), None)
        if element is not None:
            element.set("stiffness", repr(float(nominal(joint.stiffness))))
            element.set("springref", repr(float(nominal(joint.rest))))
            element.set("damping", repr(float(nominal(joint.damping))))
    return ElementTree.tostring(root, encoding="unicode")


def _placed(machine: Machine, contact: Contact) -> tuple[int, Array]:
    """Node of the tree that carries the solid of a contact, and the place of the solid in its frame."""
    node, placement = machine.tree.frames[contact.frame][:2]
    R = np.array([[nominal(x) for x in row] for row in placement.rotation])
    return node, R @ np.array([nominal(x) for x in contact.origin.translation]) + np.array(
        [nominal(x) for x in placement.translation]
    )


def _add_colliders(machine: Machine, root: Any, world: Any, common: dict[str, Any]) -> None:
    """Add the solids of bodies of colliders, which all touch each other, and the planes of colliders."""
    named = [collider.bodies for collider in machine.colliders if collider.surface is None]
    for node, moving in enumerate(machine.tree.nodes):
        parent = next(b for b in root.iter("body") if b.get("name") == f"node{node}")
        for body, placed in moving.bodies:
            if not any(bodies is None or body.name in bodies for bodies in named):
                continue
            for k, g in enumerate(body.geometry):
                match g.solid:
                    case Sphere(radius=radius):
                        kind, size = "sphere", [radius]
                    case Box(size=sides):
                        kind, size = "box", [side / 2 for side in sides]
                    case _:
                        raise InputError(f"body '{body.name}': only spheres and boxes are compared with MuJoCo")
                at = placed @ g.origin
                if kind == "box" and not np.allclose([[nominal(x) for x in row] for row in at.rotation], np.eye(3)):
                    raise InputError(f"body '{body.name}': only boxes along the axes of their joint are compared")
                sizes, place = _numbers(size), _numbers(at.translation)
                ElementTree.SubElement(
                    parent, "geom", common, type=kind, size=sizes, pos=place, name=f"{body.name}.{k}", mass="0"
                )
    for collider in machine.colliders:
        if collider.surface is not None:
            normal, point = _numbers(collider.surface.normal), _numbers(collider.surface.point)
            ElementTree.SubElement(world, "geom", common, type="plane", size="50 50 1", zaxis=normal, pos=point)


def _numbers(values: Iterable[Scalar]) -> str:
    return " ".join(repr(float(nominal(x))) for x in values)
