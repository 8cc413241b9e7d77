"""Parts that hoists share: reeving, drum, hook block with a payload, pictures."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import VectorLike, field_scalar
from dalembert.model.body import Body, box, point_mass
from dalembert.model.friction import Friction
from dalembert.model.geometry import Box, Cylinder, Geometry
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame, Motor
from dalembert.model.ropes import Anchor, Drum, PathElement, Rope, Sheave, SheaveLoss
from dalembert.model.transform import Transform

__all__ = ["BLUE", "DARK", "GREY", "YELLOW", "Parts", "add_drum", "add_hook", "number", "picture", "reeving", "wheel"]

BLUE, DARK, GREY, YELLOW = "#4477aa", "#4a5460", "#888888", "#ccbb44"
_ALONG_Y = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))  # turns the axis z of a cylinder to y


@dataclass
class Parts:
    """Lists of the parts of a machine."""

    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    motors: list[Motor] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)

    def machine(self, name: str, ropes: list[Rope], gravity: float, **more: Any) -> Machine:
        """Return the machine."""
        number(gravity, "gravity", name, least=0.0)
        return Machine(
            name,
            tuple(self.bodies),
            tuple(self.joints),
            frames=tuple(self.frames),
            motors=tuple(self.motors),
            ropes=tuple(ropes),
            gravity=(0.0, 0.0, -gravity),
            **more,
        )


def number(value: Scalar, what: str, machine: str, *, least: float | None = None) -> Scalar:
    """Return a number of a machine that is above 0, or not below ``least``."""
    lower = 0.0 if least is None else least
    return field_scalar(value, f"{what} of '{machine}'", lower=lower, strict=least is None)


def picture(size: VectorLike, at: VectorLike = (0.0, 0.0, 0.0), colour: str = BLUE) -> Geometry:
    """A box that is drawn only."""
    x, y, z = (float(nominal(s)) for s in size)
    return Geometry(Box((x, y, z)), Transform(at), colour, collision=False)  # type: ignore[arg-type]


def wheel(radius: Scalar, width: float, at: VectorLike = (0.0, 0.0, 0.0), colour: str = GREY) -> Geometry:
    """A drum or sheave about the axis y that is drawn only."""
    place = Transform(at, _ALONG_Y)  # type: ignore[arg-type]
    return Geometry(Cylinder(0.97 * float(nominal(radius)), width), place, colour, collision=False)


def reeving(
    parts: int,
    upper: str,
    lower: str,
    radius: Scalar,
    *,
    at: VectorLike = (0.0, 0.0, 0.0),
    loss: SheaveLoss | None = None,
) -> list[PathElement]:
    """Path of a rope with an even number of parts between an upper frame and a block below it.

    The falls hang at ``x = -radius`` and ``x = radius``, turn by turn: down on the left, round a sheave ``H1``,
    ``H2``, .. of the block, up on the right, and over a sheave ``T1``, .. of the upper frame. The last fall ends at
    the upper frame. Sheaves of a block turn side by side on one pin; their distances along the pin are left out.

    Parameters
    ----------
    parts
        Number of falls that carry the block: 2, 4, 6, 8, ...
    upper, lower
        Frames above and of the block, whose origin is the middle of the pin.
    radius
        Radius of the sheaves.
    at
        Middle of the pin in the upper frame.
    loss
        Losses of each sheave.

    Examples
    --------
    >>> from dalembert.systems.hoists import reeving
    >>> [element.label for element in reeving(4, "trolley", "block", 0.2)]
    ['H1', 'T1', 'H2', 'trolley']
    """
    if isinstance(parts, bool) or not isinstance(parts, int) or parts < 2 or parts % 2:
        raise MachineError(f"a reeving has an even number of parts (2, 4, 6, ...), got {parts!r}")
    x, y, z = at
    path: list[PathElement] = []
    for k in range(1, parts // 2 + 1):
        path.append(Sheave(lower, radius, "-y", name=f"H{k}", loss=loss))
        if k < parts // 2:
            path.append(Sheave(upper, radius, "-y", at=at, name=f"T{k}", loss=loss))
    return [*path, Anchor(upper, (x + radius, y, z))]


def add_drum(
    parts: Parts,
    joint: str,
    parent: str,
    at: VectorLike,
    radius: Scalar,
    inertia: Scalar,
    *,
    motor: str,
    friction: Friction | None = None,
    effort: float = math.inf,
    **ends: Any,
) -> Drum:
    """Add a drum about the axis y with its motor, and return it as the end of a rope."""
    body = Body(joint, geometry=(wheel(radius, 1.5 * float(nominal(radius))),))
    parts.bodies.append(body)
    parts.joints.append(Joint(joint, "revolute", parent, joint, Transform(at), axis="y"))  # type: ignore[arg-type]
    parts.motors.append(Motor(motor, joint, rotor_inertia=inertia, effort=effort, friction=friction))
    return Drum(joint, radius, **{"axis": "y", **ends})


def add_hook(
    parts: Parts,
    parent: str,
    at: VectorLike,
    *,
    block: Scalar,
    payload: Scalar,
    size: VectorLike,
    sling: Scalar,
    radius: float,
    spatial: bool,
    swivel: Scalar | Friction = 0.0,
) -> None:
    """Hang a hook block (body and joint ``block``) below a place of a parent, and a rigid payload on slings below it.

    The origin of the block is the pin of its sheaves, its centre of mass and its hook are below. The payload swings
    about the hook (joint ``swing``) and in space turns about the slings (joint ``turn``).
    """
    drop, width = 2.0 * radius, 1.2 * radius
    half = block * (drop**2 + width**2) / 12.0
    across, low = 2.0 * radius, -0.75 * drop
    parts.bodies.append(
        Body(
            "block",
            block,
            com=(0.0, 0.0, -drop / 2.0),
            inertia=((half, 0.0, 0.0), (0.0, half, 0.0), (0.0, 0.0, half)),
            geometry=(picture((across, width, drop / 2), (0.0, 0.0, low)), wheel(radius, width)),
        )
    )
    plane: dict[str, Any] = {"kind": "free"} if spatial else {"kind": "planar", "axis": (0.0, -1.0, 0.0)}
    parts.joints.append(Joint("block", parent=parent, child="block", origin=Transform(at), **plane))  # type: ignore[arg-type]
    hook = Transform((0.0, 0.0, -drop))
    load = box("payload", payload, size)
    centre = -sling - size[2] / 2.0
    rope = picture((0.02 * nominal(sling), 0.02 * nominal(sling), sling), (0.0, 0.0, -sling / 2.0), GREY)
    shown = (picture(size, (0.0, 0.0, centre), YELLOW), rope)
    parts.bodies.append(Body("payload", load.mass, com=(0.0, 0.0, centre), inertia=load.inertia, geometry=shown))
    if spatial:
        parts.bodies.append(point_mass("shackle", 0.0))
        cross: dict[str, Any] = {"axis": (0.0, -1.0, 0.0), "second_axis": (1.0, 0.0, 0.0)}
        parts.joints.append(Joint("swing", "universal", "block", "shackle", hook, **cross))
        parts.joints.append(Joint("turn", "revolute", "shackle", "payload", friction=swivel))
    else:
        parts.joints.append(Joint("swing", "revolute", "block", "payload", hook, axis=(0.0, -1.0, 0.0)))
    parts.frames += [Frame("hook", "block", hook), Frame("load", "payload", Transform((0.0, 0.0, centre)))]
