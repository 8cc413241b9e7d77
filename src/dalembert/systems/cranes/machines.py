"""Overhead cranes as machines: N-link cables under a trolley (2-D) or under a bridge and a trolley (3-D).

World axes: x along the rail, z up (CRANE calls it y), y along the runway of the bridge. A link hangs along its own
``-z`` axis and turns about ``-y``, so that

    OA_i = (x + sum l_k sin(theta_1 + .. + theta_k),  -sum l_k cos(theta_1 + .. + theta_k))        (CRANE 6, 7)

In 3-D each joint turns by ``theta_i`` about ``-y`` and then by ``phi_i`` about ``x``: the link points along
``(sin(theta) cos(phi), sin(phi), -cos(theta) cos(phi))`` of the link above it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import field_scalar
from dalembert.model.body import Body, point_mass, rod
from dalembert.model.friction import Friction
from dalembert.model.geometry import Box, Geometry
from dalembert.model.joint import WORLD, Joint, Limits
from dalembert.model.machine import Machine
from dalembert.model.parts import Coupling, Frame, Motor
from dalembert.model.transform import Transform
from dalembert.systems.cranes.cable import LumpedCable

__all__ = ["LENGTHS", "hook_crane", "planar_crane", "spatial_crane"]

LENGTHS = ("fixed", "hoisted", "variable")


@dataclass
class _Parts:
    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    motors: list[Motor] = field(default_factory=list)
    couplings: list[Coupling] = field(default_factory=list)


def planar_crane(
    cable: LumpedCable,
    *,
    trolley: Scalar = 100.0,
    lengths: str = "fixed",
    winches: int = 1,
    rail_friction: Scalar | Friction = 0.0,
    rail_damping: Scalar = 0.0,
    friction_velocity: Scalar = 1e-2,
    winch_damping: Scalar = 0.0,
    winch_friction: Scalar | Friction = 0.0,
    force: float = math.inf,
    winch_force: float = math.inf,
    max_payload: float = math.inf,
    minimum_length: float | None = None,
    travel: tuple[float, float] = (-math.inf, math.inf),
    gravity: float = 9.81,
    name: str = "crane",
) -> Machine:
    """A trolley on a rail with a cable below it (CRANE, figures 1 and 2).

    Coordinates: ``x``, and link by link ``theta_i`` and (where they vary) ``l_i``. Motors: ``F`` moves the trolley,
    ``F1`` the first link. Frames: ``payload``, and ``node_i`` for each mass.

    Parameters
    ----------
    cable
        Link data.
    trolley
        Mass of the trolley ``m``.
    lengths
        ``"fixed"``; ``"hoisted"``: the winch varies ``l1`` (CRANE 6.2.2); ``"variable"``: all vary. Elastic links vary.
        Links with masses are then telescoping rods, which keep their mass and stretch evenly (remark 2).
    winches
        Number of links, from the top, with a motor on their length.
    rail_friction, friction_velocity, rail_damping
        Friction of the rail (CRANE 1.3 (1a)) and viscous loss. A number is smooth Coulomb friction with the smoothing
        speed ``friction_velocity``, under which a trolley creeps; a `Friction` holds it.
    winch_damping, winch_friction
        Viscous loss and friction at the first link.
    force, winch_force
        Largest efforts; a winch that cannot hold its load is refused.
    max_payload
        Heaviest mass allowed at the last node when the crane is built (of a Parameter: its nominal value).
    minimum_length
        Lower limit of lengths that vary; default a hundredth of the length. A simulation stops there.
    travel
        Range of the trolley.
    gravity
        Acceleration of gravity.
    name
        Name of the machine.

    Examples
    --------
    >>> from dalembert.systems.cranes import planar_crane, uniform_cable
    >>> crane = planar_crane(uniform_cable(2, 6.0, payload=500.0, mass=20.0), lengths="hoisted")
    >>> crane.q_names, crane.u_names
    (('x', 'theta1', 'l1', 'theta2'), ('F', 'F1'))
    """
    _check(cable, lengths, winches, winch_force, (winch_damping, winch_friction), minimum_length, max_payload, gravity)
    parts = _Parts()
    rail = _rail(rail_friction, friction_velocity, rail_damping)
    trolley = _mass(trolley, "trolley")
    parts.bodies.append(_carriage(point_mass("trolley", cable.top_mass + trolley), cable))
    parts.joints.append(Joint("x", "prismatic", WORLD, "trolley", axis=(1.0, 0.0, 0.0), limits=_travel(travel), **rail))
    parts.motors.append(Motor("F", "x", effort=force))
    _hang(parts, cable, lengths, winches, (winch_damping, winch_friction), winch_force, minimum_length, spatial=False)
    return _machine(name, parts, cable, gravity)


def spatial_crane(
    cable: LumpedCable,
    *,
    trolley: Scalar = 100.0,
    bridge: Scalar = 1000.0,
    lengths: str = "fixed",
    winches: int = 1,
    rail_friction: Scalar | Friction = 0.0,
    rail_damping: Scalar = 0.0,
    friction_velocity: Scalar = 1e-2,
    winch_damping: Scalar = 0.0,
    winch_friction: Scalar | Friction = 0.0,
    force: float = math.inf,
    winch_force: float = math.inf,
    max_payload: float = math.inf,
    minimum_length: float | None = None,
    gravity: float = 9.81,
    name: str = "crane",
) -> Machine:
    """A bridge that travels along y, a trolley that travels along x on it, and a cable below (CRANE 8.2).

    Coordinates: ``y``, ``x``, and link by link ``theta_i``, ``phi_i`` and (where they vary) ``l_i``. Motors: ``Fy`` on
    the bridge, ``F`` on the trolley, ``F1`` at the winch. The parameters are those of `planar_crane`; ``bridge`` is the
    mass of the bridge, and the rail data and ``force`` are those of either rail.
    """
    _check(cable, lengths, winches, winch_force, (winch_damping, winch_friction), minimum_length, max_payload, gravity)
    parts = _Parts()
    rail = _rail(rail_friction, friction_velocity, rail_damping)
    trolley = _mass(trolley, "trolley")
    parts.bodies += [
        _carriage(point_mass("bridge", bridge), cable, long=True),
        _carriage(point_mass("trolley", cable.top_mass + trolley), cable),
    ]
    parts.joints += [
        Joint("y", "prismatic", WORLD, "bridge", axis=(0.0, 1.0, 0.0), **rail),
        Joint("x", "prismatic", "bridge", "trolley", axis=(1.0, 0.0, 0.0), **rail),
    ]
    parts.motors += [Motor("Fy", "y", effort=force), Motor("F", "x", effort=force)]
    _hang(parts, cable, lengths, winches, (winch_damping, winch_friction), winch_force, minimum_length, spatial=True)
    return _machine(name, parts, cable, gravity)


def hook_crane(
    *,
    trolley: Scalar = 100.0,
    hook: Scalar = 20.0,
    payload: Scalar = 200.0,
    cable_length: Scalar = 6.0,
    sling_length: Scalar = 1.5,
    lengths: str = "hoisted",
    gravity: float = 9.81,
    name: str = "hook_crane",
) -> Machine:
    """Two cables joined by a hook: the double pendulum, N = 2 (CRANE section 5).

    Examples
    --------
    >>> hook_crane(lengths="fixed").q_names
    ('x', 'theta1', 'theta2')
    """
    cable = LumpedCable(masses=[hook, payload], lengths=[cable_length, sling_length])
    machine = planar_crane(cable, trolley=trolley, lengths=lengths, gravity=gravity, name=name)
    return machine.with_(frames=(*machine.frames, Frame("hook", "node1")))


def _check(
    cable: LumpedCable,
    lengths: str,
    winches: int,
    winch_force: float,
    winch_losses: tuple[Scalar, Scalar | Friction],
    minimum_length: float | None,
    max_payload: float,
    gravity: float,
) -> None:
    if not isinstance(cable, LumpedCable):
        raise MachineError(f"a crane needs a LumpedCable (see uniform_cable), got {cable!r}")
    if lengths not in LENGTHS:
        raise MachineError(f"lengths of a crane must be one of {', '.join(LENGTHS)}, got {lengths!r}")
    if cable.is_elastic and lengths != "variable":
        raise MachineError(
            f"the links of this cable are elastic, so their lengths vary: expected lengths='variable', got {lengths!r}"
        )
    varies = _varies(cable, lengths)
    stiff = [i for i, c in enumerate(cable.axial_damping, start=1) if nominal(c) > 0 and i > varies]
    if stiff:
        raise MachineError(
            f"the axial damping of link {stiff[0]} has no effect: its length is fixed with lengths={lengths!r}; "
            "expected lengths='variable', or no damping"
        )
    most = max(varies, 1)  # the default of one winch stands for none where no length varies
    if isinstance(winches, bool) or not isinstance(winches, int) or not 0 <= winches <= most:
        raise MachineError(f"winches must be an integer from 0 to {most} with lengths={lengths!r}, got {winches!r}")
    for value, what in ((winch_force, "winch_force"), (max_payload, "max_payload")):
        if not _is_number(value) or not value > 0:
            raise MachineError(f"{what} of a crane must be a number > 0 or infinite, got {value!r}")
    if varies == 0 and (minimum_length is not None or winch_force != math.inf or any(map(_given, winch_losses))):
        raise MachineError(
            "minimum_length, winch_force, winch_damping and winch_friction need lengths that vary; this "
            "crane has lengths='fixed', expected 'hoisted' or 'variable'"
        )
    if not _is_number(gravity) or not gravity >= 0:
        raise MachineError(f"gravity of a crane must be a number >= 0, got {gravity!r}")
    load = nominal(cable.masses[-1])
    if not load <= max_payload:
        raise MachineError(f"the payload of {load:g} kg is heavier than the limit max_payload = {max_payload:g} kg")
    weight = gravity * sum(map(nominal, (*cable.masses, *cable.link_masses, -cable.link_masses[0] / 2)))
    if varies and winches and not weight <= winch_force:
        raise MachineError(
            f"the winch cannot hold the hanging weight: {weight:g} N against the limit winch_force = {winch_force:g} N"
        )


def _varies(cable: LumpedCable, lengths: str) -> int:
    """Number of links, from the top, whose lengths vary."""
    return {"fixed": 0, "hoisted": 1, "variable": cable.n}[lengths]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _given(value: Scalar | Friction) -> bool:
    return not (_is_number(value) and value == 0)


def _mass(value: Scalar, name: str) -> Scalar:
    return field_scalar(value, f"mass of the {name}", lower=0.0, strict=True)


def _rail(friction: Scalar | Friction, velocity: Scalar, damping: Scalar) -> dict[str, Any]:
    """Losses of a rail, as fields of its joint."""
    smoothing = {} if isinstance(friction, Friction) else {"friction_velocity": velocity}
    return {"friction": friction, "damping": damping, **smoothing}


def _travel(travel: tuple[float, float]) -> Limits:
    pair = isinstance(travel, Sequence) and not isinstance(travel, str) and len(travel) == 2
    if not pair or not all(map(_is_number, travel)) or not travel[0] < travel[1]:
        raise MachineError(f"travel of the trolley must be two numbers, the lower and the upper one, got {travel!r}")
    return Limits(*travel)


def _hang(
    parts: _Parts,
    cable: LumpedCable,
    lengths: str,
    winches: int,
    winch_losses: tuple[Scalar, Scalar | Friction],
    winch_force: float,
    minimum_length: float | None,
    *,
    spatial: bool,
) -> None:
    """Hang the cable on the trolley, link by link."""
    parent = "trolley"
    varies = _varies(cable, lengths)
    for i in range(1, cable.n + 1):
        length, bend = cable.lengths[i - 1], cable.bending_stiffness[i - 1]
        turn = {"stiffness": bend, "damping": cable.bending_damping[i - 1]}
        link = f"link{i}"
        parts.bodies.append(_link_body(link, cable, i, telescoping=i <= varies))
        if spatial:
            parts.bodies.append(point_mass(f"knuckle{i}", 0.0))
            parts.joints += [
                Joint(f"theta{i}", "revolute", parent, f"knuckle{i}", axis=(0.0, -1.0, 0.0), **turn),
                Joint(f"phi{i}", "revolute", f"knuckle{i}", link, axis=(1.0, 0.0, 0.0), **turn),
            ]
        else:
            parts.joints.append(Joint(f"theta{i}", "revolute", parent, link, axis=(0.0, -1.0, 0.0), **turn))
        node = f"node{i}"
        parts.bodies.append(point_mass(node, cable.masses[i - 1]))
        if i == cable.n:
            parts.bodies[-1] = _payload(parts.bodies[-1], cable)
        if i > varies:
            parts.joints.append(Joint(f"l{i}", "fixed", link, node, Transform((0.0, 0.0, -length))))
        else:
            shortest = nominal(length) / 100.0 if minimum_length is None else minimum_length
            if not _is_number(shortest) or not 0.0 < shortest < nominal(length):
                raise MachineError(
                    f"minimum_length must lie between 0 and the length of link {i}, {nominal(length):g}, "
                    f"got {shortest!r}"
                )
            damping, friction = winch_losses if i == 1 else (0.0, 0.0)
            parts.joints.append(
                Joint(
                    f"l{i}",
                    "prismatic",
                    link,
                    node,
                    axis=(0.0, 0.0, -1.0),
                    limits=Limits(lower=shortest, stop=True),
                    stiffness=cable.axial_stiffness[i - 1],
                    rest=length,
                    damping=cable.axial_damping[i - 1] + damping,
                    friction=friction,
                )
            )
            if i <= winches:
                parts.motors.append(Motor(f"F{i}", f"l{i}", effort=winch_force))
            if nominal(cable.link_masses[i - 1]) > 0:
                _telescope(parts, i, cable.link_masses[i - 1])
        parent = node


def _telescope(parts: _Parts, i: int, mass: Scalar) -> None:
    """Middle and foot of a rod that stretches evenly; the head is the link's own body.

    Points of the rod move with a mix of its ends' velocities, so Simpson's rule, ``m/6, 2 m/3, m/6``, is exact for its
    energies: ``J(l) = m l^2/3`` about its joint, and CRANE's remark 2 with ``J' l' theta'`` follows.
    """
    parts.bodies += [point_mass(f"middle{i}", 2.0 * mass / 3.0), point_mass(f"foot{i}", mass / 6.0)]
    parts.joints += [
        Joint(f"middle{i}", "prismatic", f"link{i}", f"middle{i}", axis=(0.0, 0.0, -1.0)),
        Joint(f"foot{i}", "fixed", f"node{i}", f"foot{i}"),
    ]
    parts.couplings.append(Coupling(f"middle{i}", f"l{i}", 0.5))


def _payload(body: Body, cable: LumpedCable) -> Body:
    """The last node with the picture of a crate, as heavy as water, that hangs on it."""
    length = _height(cable)
    side = min(max((nominal(body.mass) / 1000.0) ** (1 / 3), 0.04 * length), 0.14 * length)
    return replace(body, geometry=(_picture((side, side, side), -side / 2, "#ccbb44"),))


def _carriage(body: Body, cable: LumpedCable, *, long: bool = False) -> Body:
    """A trolley or bridge with the picture of a box."""
    length = _height(cable)
    size = (1.2 * length, 0.05 * length, 0.05 * length) if long else (0.16 * length, 0.1 * length, 0.05 * length)
    return replace(body, geometry=(_picture(size, 0.05 * length if long else 0.0, "#888888" if long else "#4477aa"),))


def _height(cable: LumpedCable) -> float:
    return sum(map(nominal, cable.lengths))


def _picture(size: tuple[float, float, float], z: float, colour: str) -> Geometry:
    return Geometry(Box(size), Transform((0.0, 0.0, z)), colour, collision=False)


def _link_body(name: str, cable: LumpedCable, i: int, *, telescoping: bool) -> Body:
    mass, length = cable.link_masses[i - 1], cable.lengths[i - 1]
    if nominal(mass) == 0.0:
        return point_mass(name, 0.0)
    if telescoping:
        return point_mass(name, mass / 6.0)
    return rod(name, mass, length, axis="z", com=(0.0, 0.0, -length / 2))


def _machine(name: str, parts: _Parts, cable: LumpedCable, gravity: float) -> Machine:
    return Machine(
        name,
        bodies=tuple(parts.bodies),
        joints=tuple(parts.joints),
        frames=(Frame("payload", f"node{cable.n}"),),
        motors=tuple(parts.motors),
        couplings=tuple(parts.couplings),
        gravity=(0.0, 0.0, -gravity),
    )
