"""A machine as a model of Pinocchio."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.mobility import carried_rotors, rotor_inertias
from dalembert.model.tree import central_inertia, place
from dalembert.spatial.rotations import numpy

__all__ = ["pinocchio_model"]


def pinocchio_model(machine: Machine) -> Any:
    """Model of Pinocchio of a tree of rigid bodies with revolute and prismatic joints, at nominal parameters.

    Axes along x, y or z become the aligned joints of Pinocchio, which are its fastest.

    Raises
    ------
    InputError
        If the machine has other joints, beams, couplings or rotors on moving links.
    """
    import pinocchio as pin

    if machine.couplings or any(node.elastic is not None for node in machine.tree.nodes):
        raise InputError(f"machine '{machine.name}' is not a plain tree of rigid bodies")
    if rotors := carried_rotors(machine):
        raise InputError(f"Pinocchio has no rotors on moving links, as motor '{min(rotors)}' has: use armatures")
    model = pin.Model()
    model.gravity.linear = np.array([nominal(x) for x in machine.gravity])
    ids = [0]
    for node in machine.tree.nodes:
        R, p = (numpy(x) for x in place(node.placement, nominal))
        placement = pin.SE3(np.reshape(R, (3, 3)), np.ravel(p))
        joint = model.addJoint(ids[node.parent + 1], _joint(pin, node.joint), placement, node.joint.name)
        ids.append(joint)
        model.appendBodyToJoint(joint, pin.Inertia(*central_inertia(node)), pin.SE3.Identity())
    armature = rotor_inertias(machine)
    model.armature = np.array([armature[node.joint.name] for node in machine.tree.nodes])
    return model


def _joint(pin: ModuleType, joint: Joint) -> Any:
    kinds = {"revolute": ("R", "RevoluteUnaligned"), "prismatic": ("P", "PrismaticUnaligned")}
    if joint.kind not in kinds:
        raise InputError(f"joint '{joint.name}': expected a revolute or prismatic joint, got {joint.kind}")
    short, general = kinds[joint.kind]
    axis = np.array([nominal(x) for x in joint.axis])
    for letter, unit in zip("XYZ", np.eye(3), strict=True):
        if np.array_equal(axis, unit):
            return getattr(pin, f"JointModel{short}{letter}")()
    return getattr(pin, f"JointModel{general}")(axis)
