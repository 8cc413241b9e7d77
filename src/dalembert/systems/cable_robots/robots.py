"""The three robots of CDPR, and a redundant one with eight cables.

Numbers that CDPR does not print are chosen here, and marked as such.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.analysis.cables.kinematics import cable_lengths
from dalembert.analysis.cables.statics import static_equilibrium
from dalembert.core.errors import InputError
from dalembert.core.parameter import TIME, Parameter, Scalar, smoothstep
from dalembert.core.validation import Vector
from dalembert.model.body import Body, box, point_mass
from dalembert.model.cables import Cable, winch
from dalembert.model.constraints import WeldConstraint
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame, Motor, Wrench
from dalembert.model.transform import Transform
from dalembert.systems.cable_robots.builder import cable_robot, platform_on

__all__ = ["eight_cable_robot", "joining_robot", "overturning_robot", "pulley_robot"]

# CDPR, Table 1 (a4 is printed without a blank: [1 -1 2])
_JOIN_EXITS = ((-1.0, -1.0, 2.0), (-1.0, 1.0, 2.0), (1.0, 1.0, 2.0), (1.0, -1.0, 2.0))
_JOIN_ANCHORS = ((-0.1, -0.1, 0.0), (-0.1, 0.1, 0.0), (0.1, 0.1, 0.0), (0.1, -0.1, 0.0))
# CDPR, Table 2
_PULLEYS = ((-3.0, -2.0, 2.0), (-3.0, 2.5, 2.0), (3.0, 2.5, 2.0), (3.0, -2.0, 2.0))
_PULLEY_ANCHORS = ((-0.1, -0.2, 0.0), (-0.1, 0.2, 0.0), (0.1, 0.2, 0.0), (0.1, -0.2, 0.0))
_PULLEY_REST = (0.0, 0.25, 0.37, 1.0, 0.0, 0.0, 0.0)


def joining_robot(*, bilateral: bool = False) -> Machine:
    """Platform on four cables that picks a payload, CDPR 3.3.5.

    Printed: masses, Table 1, and the joining points, the platform's centre and the frame ``corner`` of the payload at
    (0.1, 0.2, 0) m. Chosen: steel cuboids with these masses (7850 kg/m3: a cube of 0.2 m and a plate of
    0.2 x 0.4 x 0.01 m), drum radius and rotor inertia of CDPR 5.3. Constraints: ``floor`` holds the payload, ``grip``
    joins its corner to the platform in the pose that it has then.

    Examples
    --------
    >>> [cable.name for cable in joining_robot().cables]
    ['cable1', 'cable2', 'cable3', 'cable4']
    """
    payload = box("payload", 6.28, (0.2, 0.4, 0.01))
    return cable_robot(
        "joining-robot",
        box("platform", 62.8, (0.2, 0.2, 0.2)),
        _JOIN_EXITS,
        _JOIN_ANCHORS,
        drum=0.03,
        rotor_inertia=8.5e-5,
        bilateral=bilateral,
        bodies=(payload,),
        joints=(Joint("payload", "free", WORLD, "payload"),),
        frames=(Frame("corner", "payload", Transform((0.1, 0.2, 0.0))),),
        constraints=(
            WeldConstraint("floor", "payload", WORLD, switchable=True),
            WeldConstraint("grip", "corner", "platform", switchable=True, active=False),
        ),
    )


def pulley_robot(
    model: int = 2,
    *,
    pulley: float = 0.05,
    swivel_inertia: float = 5e-3,
    stiffness: float | None = None,
    cable_damping: float = 0.0,
) -> Machine:
    """Platform of 0.2 x 0.4 x 0.01 m on four cables, CDPR 4.3. Their lengths are fixed: the printed q has no motors.

    Model 1: exits are the points D. Model 2: massless swivelling pulleys. Model 3: pulleys with swivel inertia. The
    parameter ``push`` (0 or 1) applies the force [50, 100, 0] N at the centre of mass. The equilibrium is at
    p = [0, +0.25, 0.37] m (printed with -0.25, which is none).

    Parameters
    ----------
    model
        Model of the pulleys, 1 to 3.
    pulley, swivel_inertia
        Radius of the pulleys, and inertia of each about its swivel axis.
    stiffness, cable_damping
        Axial stiffness EA and damping of elastic cables, as the paper's reference in ADAMS has (with values that are
        not printed). Their unstretched lengths are such that the platform rests at the same place. None: rigid.
    """
    if model not in (1, 2, 3):
        raise InputError(f"model of the pulley robot must be 1, 2 or 3, got {model!r}")
    elastic: dict[str, Any] = {}
    if stiffness is not None:
        rigid = pulley_robot(1 if model == 1 else 2, pulley=pulley)
        way = cable_lengths(rigid, _PULLEY_REST)
        rest = static_equilibrium(rigid, way, _PULLEY_REST)
        lengths = [float(x) for x in way / (1.0 + rest.tensions / stiffness)]
        elastic = {"stiffness": stiffness, "cable_damping": cable_damping, "lengths": lengths}
    elif cable_damping != 0.0:
        raise InputError(f"the cables of the pulley robot are rigid: cable_damping = {cable_damping!r} has no effect")
    push = Parameter("push", 0.0)
    return cable_robot(
        f"pulley-robot-{model}",
        box("platform", 6.24, (0.2, 0.4, 0.01)),
        _PULLEYS,
        _PULLEY_ANCHORS,
        winches=False,
        pulley=0.0 if model == 1 else pulley,
        swivel_inertia=swivel_inertia if model == 3 else None,
        bilateral=True,
        wrenches=(Wrench("push", "platform", force=(50.0 * push, 100.0 * push, 0.0)),),
        **elastic,
    )


def overturning_robot(
    *, bilateral: bool = True, mount: str = "free", winches: bool = False, carriage: float | None = None
) -> Machine:
    """Triangular platform on two cables and a moving exit point, CDPR 5.3.

    Printed: mass, Table 5, l3 = 0.6 m, quintic of 10 s, drums and motors. Chosen: constant lengths
    l1 = l2 = 1.666913 m, centre of mass at r_i, a plate of 20 mm with J = diag(0.007945, 0.007957, 0.015762) kg m2.

    Parameters
    ----------
    bilateral
        Whether the cables could also push, as the printed run needs.
    mount
        Coordinates of the platform: ``"free"``, or ``"euler"`` for x, y, z and Z-Y-X angles (CDPR 3.2).
    winches
        Whether cables 1 and 2 are coiled on motor-driven drums ``winch1``, ``winch2``, CDPR (27).
    carriage
        Mass of a carriage that carries the exit of cable 3 (CDPR 5.1), driven along x and z by the motors ``drive_x``
        and ``drive_z``. None: the exit moves as prescribed (CDPR 5.2).
    """
    if mount not in ("free", "euler"):
        raise InputError(f"mount of the overturning robot must be 'free' or 'euler', got {mount!r}")
    platform = Body("platform", 2.1, inertia=(0.007945, 0.007957, 0.015762))  # type: ignore[arg-type]
    bodies, joints = platform_on(platform, mount)
    motors: list[Motor] = []
    coils: list[dict[str, Any]] = [{}, {}, {}]
    for coil, name in zip(coils[:2], ("winch1", "winch2"), strict=True):
        if winches:
            drum, axle, motor = winch(name, 8.5e-5)
            bodies.append(drum)
            joints.append(axle)
            motors.append(motor)
            coil |= {"winch": name, "drum": 0.03}
    exits: list[dict[str, Any]] = [{"exit_at": (0.0, 0.0, 2.0)}, {"exit_at": (0.0, 2.0, 2.0)}]
    if carriage is None:
        exits.append({"exit_at": overturning_exit(TIME)})
    else:
        start = overturning_exit(0.0)
        bodies += [Body("rail"), point_mass("carriage", carriage)]
        joints.append(Joint("drive_x", "prismatic", WORLD, "rail", origin=Transform(start), axis=(1.0, 0.0, 0.0)))
        joints.append(Joint("drive_z", "prismatic", "rail", "carriage", axis=(0.0, 0.0, 1.0)))
        motors += [Motor("drive_x", "drive_x"), Motor("drive_z", "drive_z")]
        exits.append({"exit": "carriage"})
    anchors = ((-0.09, -0.15, 0.0), (-0.09, 0.15, 0.0), (0.17, 0.0, 0.0))
    lengths = (1.666913, 1.666913, 0.6)
    cables = tuple(
        Cable(f"cable{k + 1}", "platform", anchor_at=b, length=l, bilateral=bilateral, **out, **coil)
        for k, (out, b, l, coil) in enumerate(zip(exits, anchors, lengths, coils, strict=True))
    )
    parts = {"bodies": tuple(bodies), "joints": tuple(joints), "motors": tuple(motors), "cables": cables}
    return Machine("overturning-robot", **parts)  # type: ignore[arg-type]


def overturning_exit(t: Scalar) -> Vector:
    """Exit point of cable 3 at a time: the quintic of 10 s between the two points of CDPR, Table 5."""
    s = smoothstep(t / 10.0)
    start, end = (0.82, 1.0, 1.15), (-0.68, 1.0, 1.3)
    x, y, z = (a + (b - a) * s if a != b else a for a, b in zip(start, end, strict=True))
    return x, y, z


def eight_cable_robot(*, pulley: float = 0.04, stiffness: float | None = None, winches: bool = True) -> Machine:
    """Redundant robot: a box of 30 kg on eight cables in a frame of 6 x 4 x 3 m, cables crossed (own data)."""
    x, y, z = 3.0, 2.0, 3.0
    signs = [(-1, -1), (-1, 1), (1, 1), (1, -1)]
    exits = [(sx * x, sy * y, z) for sx, sy in signs] + [(sx * x, sy * y, 0.0) for sx, sy in signs]
    anchors = [(0.25 * sx, 0.2 * sy, -0.15) for sx, sy in signs] + [(0.25 * sx, 0.2 * sy, 0.15) for sx, sy in signs]
    platform = box("platform", 30.0, (0.5, 0.4, 0.3))
    lengths = None
    if stiffness is not None:
        ways = np.array(exits) - np.array([0.0, 0.0, 1.5]) - np.array(anchors)
        lengths = [0.995 * float(np.linalg.norm(way)) for way in ways]
        pulley = 0.0
    return cable_robot(
        "eight-cable-robot",
        platform,
        exits,
        anchors,
        winches=winches,
        drum=0.05,
        rotor_inertia=2e-3,
        damping=0.02,
        pulley=pulley,
        stiffness=stiffness,
        cable_damping=0.0 if stiffness is None else 1e-3 * stiffness,
        lengths=lengths,
    )
