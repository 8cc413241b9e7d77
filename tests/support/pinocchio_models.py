"""The same machine in Pinocchio, built from its parts by code that shares nothing with the library's own tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

import dalembert as da
from dalembert.core.parameter import nominal


def pinocchio_model(machine: da.Machine) -> Any:
    """Pinocchio's model of a machine without couplings, at nominal parameters; springs are not in it."""
    model = pin.Model()
    model.name = machine.name
    model.gravity.linear = np.array([nominal(x) for x in machine.gravity])
    bodies = {b.name: b for b in machine.bodies}
    places: dict[str, tuple[int, Any]] = {"world": (0, pin.SE3.Identity())}

    def grow(parent: str) -> None:
        joint_id, pose = places[parent]
        for joint in sorted((j for j in machine.joints if j.parent == parent), key=lambda j: j.name):
            placement = pose * se3(joint.origin)
            E = pin.SE3(plane(joint.axis), np.zeros(3)) if joint.kind == "planar" else pin.SE3.Identity()
            if joint.kind == "fixed":
                places[joint.child] = (joint_id, placement)
            else:
                new = model.addJoint(joint_id, joint_model(joint), placement * E, joint.name)
                # A planar joint of Pinocchio moves in its xy plane: body frames keep their axes.
                places[joint.child] = (new, E.inverse())
            body = bodies[joint.child]
            I = np.array([[nominal(x) for x in row] for row in body.inertia])
            com = np.array([nominal(x) for x in body.com])
            here, at = places[joint.child]
            if here > 0:
                model.appendBodyToJoint(here, pin.Inertia(nominal(body.mass), com, I), at)
            grow(joint.child)

    grow("world")
    for name, (joint_id, pose) in places.items():
        model.addFrame(pin.Frame(f"body:{name}", joint_id, pose, pin.FrameType.OP_FRAME))
    for frame in machine.frames:
        joint_id, pose = places[frame.body]
        model.addFrame(pin.Frame(f"frame:{frame.name}", joint_id, pose * se3(frame.origin), pin.FrameType.OP_FRAME))
    armature = np.zeros(model.nv)
    for joint in machine.joints:
        if joint.info.nv:
            start = model.joints[model.getJointId(joint.name)].idx_v
            armature[start : start + joint.info.nv] = nominal(joint.armature)
    for motor in machine.motors:
        armature[model.joints[model.getJointId(motor.joint)].idx_v] += nominal(motor.ratio) ** 2 * nominal(
            motor.rotor_inertia
        )
    model.armature = armature
    return model


def joint_model(joint: da.Joint) -> Any:
    """Pinocchio's joint of the same kind."""
    axis = np.array([nominal(x) for x in joint.axis])
    return {
        "revolute": lambda: pin.JointModelRevoluteUnaligned(axis),
        "prismatic": lambda: pin.JointModelPrismaticUnaligned(axis),
        "screw": lambda: pin.JointModelHelicalUnaligned(axis, nominal(joint.pitch)),
        "cylindrical": lambda: composite(pin.JointModelRevoluteUnaligned(axis), pin.JointModelPrismaticUnaligned(axis)),
        "universal": lambda: pin.JointModelUniversal(axis, np.array([nominal(x) for x in joint.second_axis])),
        "spherical": pin.JointModelSpherical,
        "planar": pin.JointModelPlanar,
        "free": pin.JointModelFreeFlyer,
    }[joint.kind]()


def composite(*joints: Any) -> Any:
    """Joints one after the other, as one."""
    whole = pin.JointModelComposite()
    for joint in joints:
        whole.addJoint(joint)
    return whole


def se3(transform: da.Transform) -> Any:
    """A transform as Pinocchio's SE3."""
    R = np.array([[nominal(x) for x in row] for row in transform.rotation])
    return pin.SE3(R, np.array([nominal(x) for x in transform.translation]))


def plane(normal: Any) -> NDArray[np.float64]:
    """Axes of a planar joint: the least rotation that takes z into the normal."""
    n = np.array([nominal(x) for x in normal])
    axis = np.cross([0.0, 0.0, 1.0], n)
    s = np.linalg.norm(axis)
    if s < 1e-12:
        return np.eye(3) if n[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return np.asarray(pin.exp3(axis / s * np.arctan2(s, n[2])))


def spring_force(machine: da.Machine, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gradient of the joint springs' energy, from the machine's fields."""
    names = {j.name: j for j in machine.joints}
    force = np.zeros(machine.nv)
    for i, name in enumerate(machine.v_names):
        joint = names.get(name.removesuffix("_dot"))
        if joint is not None and joint.info.nv == 1:
            force[i] = nominal(joint.stiffness) * (q[machine.q_names.index(joint.name)] - nominal(joint.rest))
    return force
