"""Rotors on a free base: its reaction wheels and control moment gyros, recognised by their joints and inertias."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.body import Body
from dalembert.model.machine import Machine

__all__ = ["Gyro", "base_gyros", "base_wheels", "fixed_to", "gyro_cluster"]


def fixed_to(machine: Machine, body: str) -> set[str]:
    """Bodies that move with a body: itself, and those on fixed joints."""
    fixed = {body}
    for _ in machine.joints:
        fixed |= {j.child for j in machine.joints if j.parent in fixed and j.kind == "fixed"}
    return fixed


def base_wheels(machine: Machine, base: str) -> tuple[str, ...]:
    """Motors of reaction wheels: rotors on the body of a free joint whose turning moves no mass.

    A rotor is a body without others on it, on a driven revolute joint, with its centre of mass on the axis and equal
    moments of inertia across it.
    """
    root = machine.joint(base).child
    carriers = {j.parent.partition(".")[0] for j in machine.joints} | {j.parent for j in machine.joints}
    fixed = fixed_to(machine, root)
    bodies = {b.name: b for b in machine.bodies}
    names = []
    for motor in machine.motors:
        joint = machine.joint(motor.joint)
        body = bodies.get(joint.child)
        if joint.kind != "revolute" or joint.parent not in fixed or joint.child in carriers:
            continue
        if isinstance(body, Body) and _spins(body, np.array([nominal(x) for x in joint.axis])):
            names.append(motor.name)
    return tuple(names)


def _spins(body: Body, axis: Array) -> bool:
    """Whether a body looks the same from all sides around an axis."""
    c = np.array([nominal(x) for x in body.com])
    I = np.array([[nominal(x) for x in row] for row in body.inertia])
    across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    across /= np.linalg.norm(across)
    Q = np.column_stack([across, np.cross(axis, across), axis])
    J = Q.T @ I @ Q
    size = max(float(np.abs(I).max()), 1e-12)
    alike = abs(J[0, 0] - J[1, 1]) + abs(J[0, 1]) + abs(J[0, 2]) + abs(J[1, 2]) <= 1e-6 * size
    return bool(alike and np.linalg.norm(np.cross(axis, c)) <= 1e-9 and size > 1e-12)


@dataclass(frozen=True)
class Gyro:
    """A gyro: motor, joints of gimbal and rotor, their axes in axes of the base, and two inertias about their axes."""

    motor: str
    gimbal: str
    rotor: str
    axis: Array
    spin: Array
    inertia: float
    gimbal_inertia: float


def base_gyros(machine: Machine, base: str) -> tuple[str, ...]:
    """Motors of control moment gyros: gimbals on the body of a free joint with a rotor that no motor drives.

    Parameters
    ----------
    machine, base
        The machine, and its free joint.

    Examples
    --------
    >>> import dalembert as da
    >>> hub, joint = da.box("hub", 100.0, (1, 1, 1)), da.Joint("hub", "free", "world", "hub")
    >>> craft = da.Machine("craft", [hub], [joint], gravity=(0, 0, 0))
    >>> gyro = da.ControlMomentGyro("cmg", "hub", "z", "x", inertia=0.1, momentum=30.0)
    >>> base_gyros(craft.with_parts(gyro), "hub")
    ('cmg',)
    """
    return tuple(motor for motor, *_ in _pairs(machine, base))


def _pairs(machine: Machine, base: str) -> list[tuple[str, str, str]]:
    """Motor, joint of the gimbal and joint of the rotor of the gyros."""
    fixed, driven = fixed_to(machine, machine.joint(base).child), {m.joint for m in machine.motors}
    found = []
    for motor in machine.motors:
        gimbal = machine.joint(motor.joint)
        rotors = [j for j in machine.joints if j.parent == gimbal.child]
        if gimbal.kind != "revolute" or gimbal.parent not in fixed or len(rotors) != 1:
            continue
        (rotor,) = rotors
        s, g = (np.array([nominal(x) for x in j.axis]) for j in (rotor, gimbal))
        if rotor.kind == "revolute" and rotor.name not in driven and abs(s @ g) < 1e-9:
            found.append((motor.name, gimbal.name, rotor.name))
    return found


def gyro_cluster(eom: EquationsOfMotion, base: str) -> list[Gyro]:
    """Control moment gyros on the body of a free joint, in the order of their motors."""
    machine = eom.machine
    bodies = {b.name: b for b in machine.bodies}
    root = np.linalg.inv(eom.pose(machine.joint(base).child, eom.q_neutral))
    gyros = []
    for motor, gimbal, rotor in _pairs(machine, base):
        axes, inertias = [], []
        for name in (gimbal, rotor):
            joint = machine.joint(name)
            own = np.array([nominal(x) for x in joint.axis])
            axes.append((root @ eom.pose(joint.child, eom.q_neutral))[:3, :3] @ own)
            body = bodies[joint.child]
            assert isinstance(body, Body)
            I = np.array([[nominal(x) for x in row] for row in body.inertia])
            inertias.append((I, own))
        wheel, disc = inertias[1][0], inertias[0][0]
        spin = float(inertias[1][1] @ wheel @ inertias[1][1])
        turning = float(inertias[0][1] @ (disc + wheel) @ inertias[0][1])
        gyros.append(Gyro(motor, gimbal, rotor, axes[0], axes[1], spin, turning))
    return gyros
