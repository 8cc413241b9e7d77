"""Grippers: fingers of a chaser with compliant pads, a handle of the debris, and machines with locked fingers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.cascade import read
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import Parameter
from dalembert.core.types import Array, Expression
from dalembert.core.validation import check_names, check_number
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.body import Body, box
from dalembert.model.contacts import CylindricalSurface
from dalembert.model.geometry import Cylinder, Geometry
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame, Motor
from dalembert.model.soft_contact import SoftContact
from dalembert.model.transform import Transform
from dalembert.systems.space_robots.debris_twin import debris_twin

__all__ = ["FingerDrive", "Gripper", "finger_parameters", "locked_fingers", "loose_fingers", "with_gripper"]

_PAD = {"radius": 0.012, "stiffness": 2e4, "damping": 20.0, "creep": 1e-3}
_OPEN, _LENGTH, _ARMATURE = 0.03, 0.06, 2.0  # way of a finger to the handle, its length [m], inertia of its drive [kg]
_STANDING = 0.12  # distance of the handle's frame from the target point [m]


@dataclass(frozen=True)
class Gripper:
    """Fingers of a chaser that close on the debris, and the limits of the grip.

    The fingers are bodies of the chaser on prismatic or revolute joints, which are open at zero and close towards
    larger coordinates. Each is pressed with the same ``force`` and moves at the ``speed`` while it meets nothing. A
    spring of the ``stiffness`` holds each finger to the mean of all, so that the hand centres itself. The pads are
    compliant contacts between frames of the fingers and a surface of the debris.

    A capture with a gripper closes the fingers for ``close`` seconds while the tip follows the debris with an
    impedance. It then pulls and pushes with the force ``proof`` for ``hold`` seconds. If no pad slips farther than
    ``slip``, the fingers lock: chaser and debris become one machine.

    Parameters
    ----------
    fingers
        Joints of the fingers, on the body that carries the tip.
    pads
        Their contacts with the debris: `dalembert.model.SoftContact` of a frame of the chaser on one of the debris.
    force, speed
        Force that presses a finger, and its speed [N, m/s; N m, rad/s].
    stiffness
        Stiffness of the spring between a finger and the mean of all [N/m, N m/rad].
    tip_stiffness
        Stiffness of the tip during the grip, 6 numbers along and about its axes [N/m, N m/rad]; None: that at which the
        tip is as fast as the joints.
    close, hold
        Time in which the fingers must be closed, and how long they are tested then [s].
    proof
        Force of the arm at the tip in the test, one period of a sine along the approach axis [N].
    slip
        Way of a pad along the surface in the test that counts as slipping [m].
    force_limit
        Largest force between chaser and debris [N]; the capture is aborted above it.
    reach
        Distance of the tip from its target at which the debris is lost [m].
    impulse_limit
        Largest linear impulse of the lock [N s].

    Examples
    --------
    >>> from dalembert.model import CylindricalSurface, SoftContact
    >>> from dalembert.systems.space_robots import Gripper
    >>> bar = CylindricalSurface(0.02)
    >>> pads = [SoftContact(f"pad{k}", f"finger{k}", radius=0.01, surface=bar, on="bar", friction=0.4) for k in (1, 2)]
    >>> Gripper(["finger1", "finger2"], pads, force=40.0).hold
    2.0
    """

    fingers: tuple[str, ...]
    pads: tuple[SoftContact, ...]
    force: float = 20.0
    speed: float = 0.02
    stiffness: float = 2000.0
    tip_stiffness: ArrayLike | None = None
    close: float = 4.0
    hold: float = 2.0
    proof: float = 5.0
    slip: float = 2e-3
    force_limit: float = 100.0
    reach: float = 0.06
    impulse_limit: float = 5.0

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "fingers", tuple(check_names(self.fingers, "fingers of a Gripper")))
        pads = tuple(self.pads) if isinstance(self.pads, list | tuple) else (self.pads,)
        for pad in pads:
            if not isinstance(pad, SoftContact):
                raise InputError(f"pads of a Gripper must be SoftContact, got {pad!r}")
        if not self.fingers or not pads:
            raise InputError(f"a Gripper needs fingers and pads, got {len(self.fingers)} and {len(pads)}")
        set_(self, "pads", pads)
        for name in ("force", "speed", "close", "hold", "slip", "force_limit", "reach", "impulse_limit"):
            set_(self, name, check_number(f"{name} of a Gripper", getattr(self, name)))
        for name in ("stiffness", "proof"):
            value = check_number(f"{name} of a Gripper", getattr(self, name), positive=False)
            if value < 0.0:
                raise InputError(f"{name} of a Gripper must be >= 0, got {value:g}")
            set_(self, name, value)
        if self.tip_stiffness is not None:
            K = np.asarray(self.tip_stiffness, dtype=float)
            if K.shape != (6,) or not (np.isfinite(K).all() and (K >= 0.0).all()):
                raise InputError(f"tip_stiffness of a Gripper must be 6 numbers >= 0, got {self.tip_stiffness!r}")
            set_(self, "tip_stiffness", tuple(K.tolist()))

    @property
    def time(self) -> float:
        """Time of the grip [s]."""
        return self.close + self.hold

    def joints(self, chaser: Machine) -> tuple[Joint, ...]:
        """Joints of the fingers."""
        known = {j.name: j for j in chaser.joints if j.kind in ("prismatic", "revolute")}
        for name in self.fingers:
            if name not in known:
                raise UnknownNameError(
                    "prismatic or revolute joint of a finger", name, list(known), f"machine '{chaser.name}'"
                )
        return tuple(known[name] for name in self.fingers)


@dataclass(frozen=True)
class FingerDrive:
    """Law of the fingers of a gripper: each is pressed, and held to the mean of all by a spring; other inputs are zero.

    Parameters
    ----------
    gripper
        The gripper.
    closing
        Force of all fingers as a part of that of the gripper, -1 opens them; or the name of a held value.

    Examples
    --------
    >>> from dalembert.systems import space_robots
    >>> *_, gripper = space_robots.with_gripper(space_robots.space_chaser(), space_robots.debris())
    >>> space_robots.FingerDrive(gripper).closing
    1.0
    """

    gripper: Gripper
    closing: float | str = 1.0

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """No internal states."""
        return ()

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """No internal states."""
        return np.zeros(0)

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs of the motors of the fingers."""
        gripper, motors = self.gripper, {m.joint: m for m in eom.machine.motors}
        rows = {b.name: b.q.start for b in eom.layout.blocks}
        for name in gripper.fingers:
            if name not in motors:
                raise InputError(f"finger '{name}' of machine '{eom.machine.name}' has no motor to close it")
        fingers = ca.vertcat(*[q[rows[name]] for name in gripper.fingers])
        part = read(self.closing) if isinstance(self.closing, str) else self.closing
        efforts = part * gripper.force - gripper.stiffness * (fingers - ca.sum1(fingers) / len(gripper.fingers))
        u = ca.SX.zeros(eom.nu)
        for k, name in enumerate(gripper.fingers):
            u[eom.u_names.index(motors[name].name)] = efforts[k] / eom.symbolic.value(motors[name].ratio)
        return u, ca.SX(0, 1)


def finger_parameters(gripper: Gripper, positions: ArrayLike) -> dict[str, float]:
    """Parameters of machines with `locked_fingers`, for positions of the fingers."""
    values = np.asarray(positions, dtype=float).tolist()
    return {f"{name}_locked": x for name, x in zip(gripper.fingers, values, strict=True)}


def locked_fingers(chaser: Machine, gripper: Gripper) -> Machine:
    """The chaser with its fingers fixed, their positions as parameters, which are zero: open."""

    def locked(joint: Joint) -> Joint:
        at = Parameter(f"{joint.name}_locked", 0.0)
        if joint.kind == "prismatic":
            pose = Transform(tuple(at * x for x in joint.axis))  # type: ignore[arg-type]
        else:
            pose = Transform.about(joint.axis, at)
        return Joint(joint.name, "fixed", joint.parent, joint.child, joint.origin @ pose)

    fingers = {j.name for j in gripper.joints(chaser)}
    return chaser.with_(
        joints=tuple(locked(j) if j.name in fingers else j for j in chaser.joints),
        motors=tuple(m for m in chaser.motors if m.joint not in fingers),
    )


def loose_fingers(chaser: Machine, locked: Machine, gripper: Gripper) -> Machine:
    """The locked chaser with its fingers moving again: each has a motor, and the damping at which it has its speed."""
    joints = {j.name: replace(j, damping=gripper.force / gripper.speed) for j in gripper.joints(chaser)}
    own = {m.joint: m for m in chaser.motors if m.joint in joints}
    motors = tuple(own.get(name, Motor(name, name)) for name in joints)
    return locked.with_(joints=tuple(joints.get(j.name, j) for j in locked.joints), motors=(*locked.motors, *motors))


def with_gripper(
    chaser: Machine,
    debris: Machine,
    *,
    tip: str = "tip",
    approach: str = "z",
    target: str = "target",
    radius: float = 0.03,
    friction: float = 0.5,
) -> tuple[Machine, Machine, Gripper]:
    """A chaser with three fingers around its tip, a debris with a bar for them, and their gripper.

    The fingers of 0.3 kg stand 120 degrees apart around the approach axis and close towards it. The bar points outward
    from the target point, along the radius from the centre of mass; its frame ``handle`` is the new target. `Gripper`
    describes any other hand.

    Parameters
    ----------
    chaser, debris
        The machines.
    tip, approach, target
        As in `CaptureStart`.
    radius
        Radius of the bar [m].
    friction
        Coefficient between pads and bar.

    Examples
    --------
    >>> from dalembert.systems import space_robots
    >>> chaser, debris, gripper = space_robots.with_gripper(space_robots.space_chaser(), space_robots.debris())
    >>> gripper.fingers, debris.frames[-1].name
    (('finger1', 'finger2', 'finger3'), 'handle')
    """
    if approach not in ("x", "y", "z"):
        raise InputError(f"approach must be 'x', 'y' or 'z', the axis of frame '{tip}', got {approach!r}")
    if tip not in chaser.tree.frames or tip == "world":
        known = [n for n in chaser.tree.frames if n != "world"]
        raise UnknownNameError("frame", tip, known, f"machine '{chaser.name}'")
    twin = debris_twin(debris, target)
    hand = next((f for f in chaser.frames if f.name == tip), Frame(tip, tip))
    along, side = (np.eye(3)[("xyz".index(approach) + k) % 3] for k in (0, 1))
    away = check_number("radius", radius, unit="m") + _PAD["radius"] + _OPEN
    fingers: list[Body] = []
    joints: list[Joint] = []
    for k in range(3):
        R = _columns(side, along)
        place = (
            hand.origin
            @ Transform.about(along.tolist(), 2.0 * np.pi * k / 3)
            @ Transform((away * R[:, 0]).tolist(), R.tolist())
        )
        name, inward = f"finger{k + 1}", (-1.0, 0.0, 0.0)
        fingers.append(box(name, 0.3, (0.02, 0.03, _LENGTH)))
        joints.append(Joint(name, "prismatic", hand.body, name, place, axis=inward, armature=_ARMATURE))
    whole = chaser.with_(bodies=(*chaser.bodies, *fingers), joints=(*chaser.joints, *joints))
    out = twin.point / float(np.linalg.norm(twin.point))
    R = _columns(np.eye(3)[int(np.argmin(np.abs(out)))], out)
    corner = twin.point + twin.centre
    bar = Geometry(
        Cylinder(radius, 2.0 * _STANDING),
        Transform((corner + _STANDING * out).tolist(), R.tolist()),
        colour="#bbbbbb",
    )
    bodies = tuple(
        replace(b, geometry=(*b.geometry, bar)) if isinstance(b, Body) and b.name == twin.body else b
        for b in debris.bodies
    )
    frame = Frame("handle", twin.body, Transform((corner + _STANDING * out).tolist(), R.tolist()))
    round_, names = CylindricalSurface(radius), tuple(j.name for j in joints)
    pads = tuple(
        SoftContact(f"pad{k}", name, surface=round_, on="handle", friction=friction, **_PAD)
        for k, name in enumerate(names, start=1)
    )
    return whole, debris.with_(bodies=bodies, frames=(*debris.frames, frame)), Gripper(names, pads)


def _columns(side: Array, along: Array) -> Array:
    """Rotation whose z axis is one direction, its x axis near another."""
    x = side - (side @ along) * along
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(along, x), along])
