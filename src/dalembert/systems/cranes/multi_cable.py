"""A rigid payload on two or four cables from the trolley (CRANE 1.1 (d), 1.3 (3c), (3d)): it may tilt and turn."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import field_scalar, field_vector
from dalembert.model.body import Body, box, point_mass
from dalembert.model.cables import Cable
from dalembert.model.friction import Friction
from dalembert.model.geometry import Box, Geometry
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame, Motor
from dalembert.model.transform import Transform
from dalembert.systems.cranes.machines import LENGTHS

__all__ = ["multi_cable_crane"]


def multi_cable_crane(
    cables: int = 2,
    *,
    spatial: bool = False,
    lengths: str = "fixed",
    length: Scalar = 5.0,
    payload: Scalar = 500.0,
    size: Any = (2.0, 1.0, 0.5),
    spacing: Any = None,
    trolley_spacing: Any = None,
    stiffness: Scalar | None = None,
    damping: Scalar = 0.0,
    trolley: Scalar = 100.0,
    bridge: Scalar = 1000.0,
    drum: float = 0.2,
    drum_inertia: Scalar = 1.0,
    brake: Friction | None = None,
    force: float = math.inf,
    torque: float = math.inf,
    gravity: float = 9.81,
    name: str = "multi_cable_crane",
) -> Machine:
    """A trolley from which a box hangs on two or four cables.

    Coordinates: ``x`` (in 3-D ``y``, ``x``), then those of the joint ``load`` of the box relative to the trolley:
    planar in the x-z plane, or free. They are zero where the box hangs at rest. The cables ``cable1`` .. pull or are
    slack. Motors: ``F`` moves the trolley, ``Fy`` the bridge; where lengths vary, the drums ``winch`` or ``winch1``,
    .. have motors ``M`` or ``M1``, .. and positive angles lower. Frames: ``payload``, the centre of the box.

    For small motion under a trolley at rest, parallel cables of length ``l`` let the box sway with ``sqrt(g/l)``
    without a tilt, and turn about the vertical with ``(b/k) sqrt(g/l)``: ``b`` is the distance of the cables from the
    vertical through the centre, ``k`` the radius of gyration. With two cables in 3-D it can also tilt about the line
    through their anchors.

    Parameters
    ----------
    cables
        Two cables, in the plane of the rail, or four at the corners of a rectangle (3-D only: in the plane two and
        two of them are one).
    spatial
        In 3-D, with a bridge.
    lengths
        ``"fixed"``; ``"hoisted"``: one drum on the trolley coils all cables; ``"variable"``: each cable has its
        drum, so that the box can be tilted.
    length
        Natural length of the cables, at zero angles of the drums.
    payload, size
        Mass and edges (x, y, z) of the box, which is homogeneous.
    spacing
        Distances of the anchors on top of the box along x, and along y for four cables; default the box's own edges.
    trolley_spacing
        Those of the exits at the trolley; default as below: parallel cables.
    stiffness, damping
        Axial stiffness ``E A`` [N] and damping [N s] of each cable; None: inextensible. Four cables must be elastic:
        for rigid ones the hanging posture is singular, since they hold three motions there and four beside it.
    trolley, bridge
        Their masses.
    drum, drum_inertia, brake
        Radius of the drums, inertia of each with its rotor, and friction on it: a `Friction` holds the load.
    force, torque
        Largest force of the motors of trolley and bridge, and largest torque of those of the drums.
    gravity
        Acceleration of gravity.
    name
        Name of the machine.

    Examples
    --------
    >>> from dalembert.systems.cranes import multi_cable_crane
    >>> multi_cable_crane(2).q_names
    ('x', 'load.x', 'load.y', 'load.angle')
    >>> multi_cable_crane(2, lengths="variable").u_names
    ('F', 'M1', 'M2')
    """
    if isinstance(cables, bool) or not isinstance(cables, int) or cables not in (2, 4):
        raise MachineError(f"a multi-cable crane has 2 or 4 cables, got {cables!r}")
    if not isinstance(spatial, bool):
        raise MachineError(f"spatial of crane '{name}' must be true or false, got {spatial!r}")
    if cables == 4 and not spatial:
        raise MachineError("in 2-D four cables coincide in pairs: expected cables=2, or spatial=True, got cables=4")
    if cables == 4 and stiffness is None:
        raise MachineError(
            "four inextensible cables hold three motions of the hanging box and four beside it, so that its motion is "
            "not determined there: give them a stiffness"
        )
    if lengths not in LENGTHS:
        raise MachineError(f"lengths of crane '{name}' must be one of {', '.join(LENGTHS)}, got {lengths!r}")
    if lengths == "fixed" and (brake is not None or torque != math.inf or drum != 0.2 or drum_inertia != 1.0):
        raise MachineError(
            f"drum, drum_inertia, brake and torque of crane '{name}' need lengths that vary: expected "
            "lengths='hoisted' or 'variable'"
        )
    if isinstance(gravity, bool) or not isinstance(gravity, int | float) or not gravity >= 0:
        raise MachineError(f"gravity of crane '{name}' must be a number >= 0, got {gravity!r}")
    what = f"of crane '{name}'"
    l = field_scalar(length, f"the length {what}", lower=0.0, strict=True)
    mass = field_scalar(payload, f"the payload {what}", lower=0.0, strict=True)
    edges = field_vector(size, f"the size of the payload {what}")
    c = edges[2]
    below = _spacing(edges[:2] if spacing is None else spacing, cables, f"the spacing {what}")
    above = below if trolley_spacing is None else _spacing(trolley_spacing, cables, f"the trolley_spacing {what}")
    load = box("load", mass, edges)
    carriage = field_scalar(trolley, f"the mass of the trolley {what}", lower=0.0, strict=True)
    girder = field_scalar(bridge, f"the mass of the bridge {what}", lower=0.0, strict=True)
    if bridge != 1000.0 and not spatial:
        raise MachineError(f"the bridge {what} is that of a crane in 3-D: expected spatial=True, or no bridge")
    bodies, joints, motors = _rails(carriage, girder, force, nominal(l), spatial)
    if stiffness is not None:
        stiffness = field_scalar(stiffness, f"the stiffness {what}", lower=0.0, strict=True)
    share = mass * gravity / cables
    drop = -_drop(l, above, below, share, stiffness) - c / 2.0  # centre of the box below the exits
    kind: dict[str, Any] = {"kind": "free"} if spatial else {"kind": "planar", "axis": (0.0, -1.0, 0.0)}
    joints.append(Joint("load", parent="trolley", child="load", origin=Transform((0.0, 0.0, drop)), **kind))
    winches = {"fixed": [], "hoisted": ["winch"], "variable": [f"winch{k}" for k in range(1, cables + 1)]}[lengths]
    for winch in winches:
        body, joint, motor = _drum(winch, drum, drum_inertia, brake, torque, name)
        bodies, joints, motors = [*bodies, body], [*joints, joint], [*motors, motor]
    coiled: list[dict[str, Any]] = [
        {"winch": winches[k % len(winches)], "drum": drum} if winches else {} for k in range(cables)
    ]
    corners = [(-1, 0), (1, 0)] if cables == 2 else [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    lines = [
        Cable(
            f"cable{k}",
            "load",
            exit="trolley",
            anchor_at=(sx * below[0] / 2.0, sy * below[1] / 2.0, c / 2.0),
            exit_at=(sx * above[0] / 2.0, sy * above[1] / 2.0, 0.0),
            length=l,
            stiffness=stiffness,
            damping=damping,
            **coiled[k - 1],
        )
        for k, (sx, sy) in enumerate(corners, start=1)
    ]
    return Machine(
        name,
        bodies=(*bodies, load),
        joints=tuple(joints),
        frames=(Frame("payload", "load"),),
        motors=tuple(motors),
        cables=tuple(lines),
        gravity=(0.0, 0.0, -gravity),
    )


def _drum(
    winch: str, radius: float, inertia: Scalar, brake: Friction | None, torque: float, name: str
) -> tuple[Body, Joint, Motor]:
    """A drum on the trolley: body, joint and motor."""
    field_scalar(radius, f"the radius of the drums of crane '{name}'", lower=0.0, strict=True)
    joint = Joint(winch, "revolute", "trolley", winch, axis=(0.0, 1.0, 0.0))
    motor = Motor(winch.replace("winch", "M"), winch, rotor_inertia=inertia, effort=torque, friction=brake)
    return Body(winch), joint, motor


def _spacing(value: Any, cables: int, what: str) -> tuple[Scalar, Scalar]:
    """Distances along x and y; one number stands for x alone with two cables, and for both with four."""
    pair = list(value) if isinstance(value, list | tuple) else [value, value if cables == 4 else 0.0]
    if len(pair) != 2:
        raise MachineError(f"{what} must be one number, or two (along x and y), got {value!r}")
    x, y = (field_scalar(distance, what, lower=0.0) for distance in pair)
    if nominal(x) == 0.0 or (cables == 4 and nominal(y) == 0.0):
        raise MachineError(f"{what} must be > 0 for {cables} cables, got {value!r}")
    return x, y if cables == 4 else 0.0


def _drop(
    l: Scalar, above: tuple[Scalar, Scalar], below: tuple[Scalar, Scalar], weight: Scalar, stiffness: Scalar | None
) -> Scalar:
    """Height between exits and anchors when the box hangs straight; ``weight`` is the load of each cable."""
    if above == below:
        return l if stiffness is None else l + l * weight / stiffness
    gap = math.hypot(*((nominal(x) - nominal(y)) / 2 for x, y in zip(above, below, strict=True)))
    l, weight = nominal(l), nominal(weight)
    if gap >= l:
        raise MachineError(f"cables of {l:g} m do not reach over the {gap:g} m between exits and anchors")
    taut = math.sqrt(l**2 - gap**2)
    if stiffness is None or weight == 0.0:
        return taut
    from scipy.optimize import brentq

    EA = nominal(stiffness)

    def excess(h: float) -> float:  # of the vertical pull EA (L - l)/l h/L over the weight
        L = math.hypot(h, gap)
        return EA * (L - l) / l * h / L - weight

    return float(brentq(excess, taut, taut + l * (1.0 + 2.0 * weight / EA) * l / taut))


def _rails(
    trolley: Scalar, bridge: Scalar, force: float, length: float, spatial: bool
) -> tuple[list[Body], list[Joint], list[Motor]]:
    cube = Geometry(Box((0.16 * length, 0.1 * length, 0.05 * length)), colour="#4477aa", collision=False)
    beam = Geometry(Box((1.2 * length, 0.05 * length, 0.05 * length)), Transform((0.0, 0.0, 0.05 * length)), "#888888")
    cart = point_mass("trolley", trolley)
    along = Joint("x", "prismatic", "bridge" if spatial else WORLD, "trolley", axis=(1.0, 0.0, 0.0))
    drive = Motor("F", "x", effort=force)
    cart = replace(cart, geometry=(cube,))
    if not spatial:
        return [cart], [along], [drive]
    girder = replace(point_mass("bridge", bridge), geometry=(replace(beam, collision=False),))
    across = Joint("y", "prismatic", WORLD, "bridge", axis=(0.0, 1.0, 0.0))
    return [girder, cart], [across, along], [Motor("Fy", "y", effort=force), drive]
