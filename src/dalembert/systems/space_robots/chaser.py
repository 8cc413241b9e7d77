"""Chasers: the satellite with the MDA arm and arrays (SPACE D.1.3, D.2.1), and the one of three joints (9.2.3)."""

from __future__ import annotations

import math
from dataclasses import replace

from dalembert.core.errors import InputError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import check_number
from dalembert.model.appendages import ModalAppendage, Wheel
from dalembert.model.beam import Beam
from dalembert.model.body import Body, box, cylinder
from dalembert.model.geometry import Box, Cylinder, Geometry
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame, Motor, Thruster
from dalembert.model.transform import Transform
from dalembert.systems.flexible_arms import mda_arm

__all__ = [
    "attitude_thrusters",
    "nozzle_cluster",
    "solar_array",
    "space_chaser",
    "three_joint_chaser",
    "two_arm_chaser",
    "wheel_cluster",
]

BASE_SIZE = (2.6, 1.7, 1.8)
_JOINT_TORQUE, _BASE_TORQUE, _THRUST = 200.0, 5.0, 20.0  # SPACE Table 8.1, and the 20 N of a nozzle in 8.2.1
_PARTICIPATION = ((0.0, 5.0, 0.0, 0.0, 0.0, 5.0), (0.0, 0.0, 2.0, 0.0, -2.0, 0.0), (0.0, 0.0, 0.0, 2.0, 0.0, 0.0))
_OMEGA = {"left": (8.0, 15.0, 20.0), "right": (8.8, 16.5, 22.0)}  # D.2.1; Table 8.3 for the right one


def attitude_thrusters(
    body: str = "base", torque: float = _BASE_TORQUE, force: float = _THRUST
) -> tuple[Thruster, ...]:
    """Six ideal inputs at a body, in its axes: ``force.x`` to ``force.z`` and ``torque.x`` to ``torque.z``.

    Parameters
    ----------
    body
        The body that they move.
    torque, force
        Their limits: 5 N m of SPACE Table 8.1, and the 20 N of a nozzle in 8.2.1.

    Examples
    --------
    >>> [thruster.name for thruster in attitude_thrusters("base")]
    ['force.x', 'force.y', 'force.z', 'torque.x', 'torque.y', 'torque.z']
    """
    unit = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
    return (
        *(Thruster(f"force.{k}", body, force=e, effort=force) for k, e in unit.items()),
        *(Thruster(f"torque.{k}", body, torque=e, effort=torque) for k, e in unit.items()),
    )


def nozzle_cluster(
    body: str = "base", size: tuple[float, float, float] = BASE_SIZE, thrust: float = 10.0
) -> tuple[tuple[Frame, ...], tuple[Thruster, ...]]:
    """24 nozzles that only push, two in each direction on opposite sides of a box: every force and every torque.

    Parameters
    ----------
    body
        The body that they move, with its frame in the middle of the box.
    size
        Sides of the box [m].
    thrust
        Thrust of a nozzle [N].

    Returns
    -------
    The frames at which the nozzles sit, ``jet1`` to ``jet24``, and the nozzles, with the same names.

    Examples
    --------
    >>> frames, jets = nozzle_cluster("base", (2.6, 1.7, 1.8), 10.0)
    >>> len(jets), jets[0].force, frames[0].origin.translation
    (24, (1.0, 0.0, 0.0), (0.0, 0.85, 0.0))
    """
    frames: list[Frame] = []
    jets: list[Thruster] = []
    for sign in (1.0, -1.0):
        for side in (0.5, -0.5):
            for along in range(3):
                for across in (k for k in range(3) if k != along):
                    name, place, force = f"jet{len(jets) + 1}", [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
                    place[across], force[along] = side * size[across], sign
                    frames.append(Frame(name, body, Transform((place[0], place[1], place[2]))))
                    jets.append(
                        Thruster(name, name, force=(force[0], force[1], force[2]), effort=thrust, one_sided=True)
                    )
    return tuple(frames), tuple(jets)


def wheel_cluster(
    body: str = "base", torque: float = 6.5, momentum: float = 60.0, inertia: float = 0.1
) -> tuple[Wheel, ...]:
    """Four reaction wheels along the diagonals of a cube: any three of them give every torque.

    Parameters
    ----------
    body
        The body that carries them; its mass includes theirs.
    torque, momentum
        Limits of a wheel [N m, N m s]. Together they give ``4 / sqrt(3)`` of them about one axis, and a third of that
        about all three at once: 5 N m, the limit of SPACE Table 8.1, by wheels of 6.5 N m.
    inertia
        Inertia of a wheel about its axis [kg m2].

    Examples
    --------
    >>> [wheel.name for wheel in wheel_cluster()]
    ['wheel1', 'wheel2', 'wheel3', 'wheel4']
    """
    s = 1.0 / math.sqrt(3.0)
    axes = ((s, s, s), (-s, s, s), (s, -s, s), (s, s, -s))
    return tuple(
        Wheel(f"wheel{k}", body, axis=axis, inertia=inertia, torque=torque, momentum=momentum)
        for k, axis in enumerate(axes, 1)
    )


def solar_array(side: str, parent: str = "base", *, damping: Scalar = 0.005, scale: Scalar = 1.0) -> ModalAppendage:
    """Solar array of SPACE D.2.1 on the left (+y) or right (-y) of the base.

    Its x axis points outboard, its normal is the base's z axis; the document does not say how it is mounted.

    Parameters
    ----------
    side
        ``"left"`` or ``"right"``.
    parent
        The base.
    damping, scale
        As in `ModalAppendage`.

    Examples
    --------
    >>> solar_array("left").omega
    (8.0, 15.0, 20.0)
    """
    if side not in _OMEGA:
        raise InputError(f"side of a solar array must be 'left' or 'right', got {side!r}")
    sign = 1.0 if side == "left" else -1.0
    mount = Transform((0.0, sign * BASE_SIZE[1] / 2, 0.0), ((0.0, 0.0, sign), (sign, 0.0, 0.0), (0.0, 1.0, 0.0)))
    panel = Geometry(Box((4.0, 0.05, 2.0)), Transform((2.0, 0.0, 0.0)), colour="#3b5b92")
    return ModalAppendage(
        side,
        parent,
        mass=200.0,
        com=(2.0, 0.0, 0.0),
        inertia=(66.7, 333.3, 266.7),  # type: ignore[arg-type]
        omega=_OMEGA[side],
        damping=damping,
        participation=_PARTICIPATION,
        origin=mount,
        scale=scale,
        geometry=(panel,),
    )


def space_chaser(
    arm: str = "flexible",
    *,
    arrays: str | None = "flexible",
    rotors: bool = True,
    damping: Scalar = 0.005,
    anchor: tuple[float, float, float] = (1.3, 0.0, 0.0),
) -> Machine:
    """Satellite of 786 kg with the MDA arm and two solar arrays, on thrusters, in weightlessness.

    SPACE D.1.3 and D.2.1 with the errata. The inputs are the torques of the six joints, then the force and torque of
    `attitude_thrusters`; their limits are those of Table 8.1. The document does not say where arm and arrays are
    mounted: here the arm is in the middle of the face at +x.

    Parameters
    ----------
    arm
        ``"flexible"``: two booms with six modes each; ``"rigid"``: the same arm with stiff booms; ``"printed"``: rigid,
        with the masses and inertias of Table D.3 (those of segments 1, 4 and 5 divided by 1000).
    arrays
        ``"flexible"``, ``"rigid"`` or None.
    rotors
        Whether the joints have the inertia of their rotors, ``450^2 x 5.51e-5`` kg m2, as armatures: how the rotors
        turn with the links that carry them is left out, as in the document.
    damping
        Damping ratio of the booms and arrays.
    anchor
        Where the arm begins.

    Examples
    --------
    >>> space_chaser("rigid", arrays=None).nv
    12
    """
    if arm not in ("flexible", "rigid", "printed"):
        raise InputError(f"arm of a chaser must be 'flexible', 'rigid' or 'printed', got {arm!r}")
    if arrays not in ("flexible", "rigid", None):
        raise InputError(f"arrays of a chaser must be 'flexible', 'rigid' or None, got {arrays!r}")
    whole = Machine(
        "space-chaser",
        (_base(), *_segments(arm, damping)),
        (Joint("base", "free", "world", "base"), *_arm_joints(arm, anchor, rotors)),
        frames=(
            Frame("tip", "segment6", Transform((0.0, 0.0, 0.5))),
            Frame("anchor", "base", Transform(anchor)),
        ),
        motors=_arm_motors(""),
        thrusters=attitude_thrusters(),
        gravity=(0.0, 0.0, 0.0),
    )
    if arrays is None:
        return whole
    whole = whole.with_parts(*(solar_array(side, damping=damping) for side in ("left", "right")))
    return whole if arrays == "flexible" else whole.lock([j.name for j in whole.joints if ".mode" in j.name])


def two_arm_chaser(arm: str = "rigid", *, rotors: bool = True, damping: Scalar = 0.005, apart: float = 1.2) -> Machine:
    """The base of `space_chaser` with two MDA arms side by side, without arrays.

    Bodies, joints and motors of the arms are named as there, with ``arm1.`` and ``arm2.`` before; their tips are
    ``tip1`` and ``tip2``, where they begin ``anchor1`` and ``anchor2``.

    Parameters
    ----------
    arm, rotors, damping
        As in `space_chaser`.
    apart
        Distance of the arms on the face at +x [m]; the document has one arm only.

    Examples
    --------
    >>> two_arm_chaser().q_names[7:9]
    ('arm1.theta1', 'arm1.theta2')
    """
    if arm not in ("flexible", "rigid", "printed"):
        raise InputError(f"arm of a chaser must be 'flexible', 'rigid' or 'printed', got {arm!r}")
    side = 0.5 * check_number("apart", apart, unit="m")
    anchors = {"arm1.": (1.3, side, 0.0), "arm2.": (1.3, -side, 0.0)}
    bodies = [replace(b, name=a + b.name) for a in anchors for b in _segments(arm, damping)]
    joints = [
        replace(j, name=a + j.name, parent=j.parent if j.parent == "base" else a + j.parent, child=a + j.child)
        for a, anchor in anchors.items()
        for j in _arm_joints(arm, anchor, rotors)
    ]
    return Machine(
        "two-arm-chaser",
        (_base(), *bodies),
        (Joint("base", "free", "world", "base"), *joints),
        frames=(
            *(Frame(f"tip{a[3]}", f"{a}segment6", Transform((0.0, 0.0, 0.5))) for a in anchors),
            *(Frame(f"anchor{a[3]}", "base", Transform(anchor)) for a, anchor in anchors.items()),
        ),
        motors=tuple(m for a in anchors for m in _arm_motors(a)),
        thrusters=attitude_thrusters(),
        gravity=(0.0, 0.0, 0.0),
    )


def _base() -> Body:
    """The satellite itself, SPACE D.2.1."""
    return replace(box("base", 786.0, BASE_SIZE), inertia=(401.5, 655.0, 632.1))  # type: ignore[arg-type]


def _arm_motors(prefix: str) -> tuple[Motor, ...]:
    names = [f"{prefix}theta{i}" for i in range(1, 7)]
    return tuple(Motor(n, n, effort=_JOINT_TORQUE) for n in names)


def _segments(arm: str, damping: Scalar) -> list[Body | Beam]:
    """Bodies of the MDA arm."""
    bodies: list[Body | Beam] = []
    for body in mda_arm().bodies:
        if isinstance(body, Beam):
            bodies.append(replace(body, damping=damping) if arm == "flexible" else _stiff(body, arm))
        elif isinstance(body, Body) and body.name == "segment6" and arm == "printed":
            bodies.append(replace(body, inertia=(0.04, 0.04, 0.01)))  # type: ignore[arg-type]
        else:
            assert isinstance(body, Body)
            bodies.append(body)
    return bodies


def _stiff(beam: Beam, arm: str) -> Body:
    """A boom as a rigid body: the tube that the beam is, or as Table D.3 prints it."""
    length, (_, _, height) = nominal(beam.length), beam.offset
    tube = beam.pieces[0][2]
    look = Geometry(Cylinder(0.055, length), Transform.rpy(pitch=math.pi / 2, translation=(length / 2, 0.0, height)))
    if arm == "printed":
        return Body(beam.name, 9.20, (length / 2, 0.0, height / 2), (0.03, 5.24, 5.24), (look,))  # type: ignore[arg-type]
    rho = nominal(beam.density)
    mass = rho * tube.area * length
    across = [rho * I * length + mass * length**2 / 12 for I in (tube.I_y, tube.I_z)]
    inertia = (rho * (tube.I_y + tube.I_z) * length, across[0], across[1])
    return Body(beam.name, mass, (length / 2, 0.0, height), inertia, (look,))  # type: ignore[arg-type]


def _arm_joints(arm: str, anchor: tuple[float, float, float], rotors: bool) -> list[Joint]:
    """Joints of the MDA arm, the first one on the base."""
    joints = []
    armature = 450.0**2 * 5.51e-5 if rotors else 0.0
    for joint in mda_arm().joints:
        if joint.parent == "world":
            joint = replace(joint, parent="base", origin=Transform(anchor) @ joint.origin)
        elif joint.parent.endswith(".tip") and arm != "flexible":
            joint = replace(joint, parent=joint.parent.removesuffix(".tip"), origin=Transform((2.61, 0.0, 0.1)))
        joints.append(replace(joint, armature=armature) if joint.info.nv else joint)
    return joints


def three_joint_chaser() -> Machine:
    """Satellite of 2 t with an arm of three joints, as in the experiment of SPACE 9.2.3 (Umetani and Yoshida's data).

    Printed: the mass of the base, its square side of 3.5 m, and the two segments of 2.5 m. Chosen here: a height of
    3.5 m, solid; segments of 50 kg and 10 cm diameter, thin tubes taken as solid cylinders; the arm in the middle of
    the face at +x, its joints yaw, pitch, pitch; limits as of the larger chaser.
    """
    segments = [cylinder(f"segment{i}", 50.0, 0.05, 2.5, com=(1.25, 0.0, 0.0)) for i in (1, 2)]
    turret = cylinder("turret", 10.0, 0.1, 0.2, axis="z")
    elbow = Transform((2.5, 0.0, 0.0))
    return Machine(
        "three-joint-chaser",
        (box("base", 2000.0, (3.5, 3.5, 3.5)), turret, *segments),
        (
            Joint("base", "free", "world", "base"),
            Joint("theta1", "revolute", "base", "turret", Transform((1.75, 0.0, 0.0))),
            Joint("theta2", "revolute", "turret", "segment1", axis="y"),  # type: ignore[arg-type]
            Joint("theta3", "revolute", "segment1", "segment2", elbow, axis="y"),  # type: ignore[arg-type]
        ),
        frames=(Frame("tip", "segment2", elbow), Frame("anchor", "base", Transform((1.75, 0.0, 0.0)))),
        motors=tuple(Motor(f"theta{i}", f"theta{i}", effort=_JOINT_TORQUE) for i in (1, 2, 3)),
        thrusters=attitude_thrusters(),
        gravity=(0.0, 0.0, 0.0),
    )
