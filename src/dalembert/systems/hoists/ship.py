"""A crane on the deck of a ship that heaves and rolls."""

from __future__ import annotations

import math

from dalembert.core.parameter import TIME, Scalar, nominal, sin, smoothstep
from dalembert.core.validation import VectorLike, field_vector
from dalembert.model.body import Body, rod
from dalembert.model.constraints import MotionConstraint
from dalembert.model.friction import Friction
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.ropes import Anchor, DrumLayers, Rope, Sheave, SheaveLoss
from dalembert.model.transform import Transform
from dalembert.systems.hoists.parts import GREY, Parts, add_drum, add_hook, number, picture

__all__ = ["ship_crane"]


def ship_crane(
    *,
    boom: float = 20.0,
    luff: float = 0.87,
    pedestal: float = 8.0,
    height: float = 12.0,
    heave: Scalar = 0.5,
    roll: Scalar = 0.05,
    period: Scalar = 8.0,
    boom_mass: Scalar = 3000.0,
    block: Scalar = 300.0,
    payload: Scalar = 5000.0,
    size: VectorLike = (2.5, 2.0, 1.5),
    sling: Scalar = 2.0,
    radius: float = 0.3,
    drum_radius: float = 0.4,
    drum_inertia: Scalar = 60.0,
    loss: SheaveLoss | None = None,
    layers: DrumLayers | None = None,
    brake: Friction | None = None,
    luff_brake: Friction | None = None,
    gravity: float = 9.81,
    name: str = "ship_crane",
) -> Machine:
    """A luffing crane on a deck with prescribed heave and roll, in the plane across the ship.

    A rope ``luff`` from the top of the pedestal holds the boom, a rope ``fall`` runs from the pedestal over the tip
    of the boom to the hook block, round its sheave and back to the tip: two parts. Brakes hold both drums by default.
    Coordinates: ``heave`` and ``roll`` of the deck, ``boom``, ``drum`` and ``luff_drum`` (positive: they pay out),
    ``block`` (planar, in the world), and ``swing`` of the payload. Motors: ``M`` and ``L`` at the drums. The
    constraints ``waves.heave`` and ``waves.roll`` move the deck; switch or replace them for other sea states.

    Parameters
    ----------
    boom, luff, pedestal
        Length of the boom, its angle above the deck, and the height of its hinge above the centre of roll.
    height
        Height of the tip above the sheave of the block.
    heave, roll, period
        Amplitudes and period of the deck's motion, which begins smoothly.
    boom_mass, block, payload, size, sling
        Masses, edges of the payload, and the length of the slings, which are rigid.
    radius, drum_radius, drum_inertia
        Radii of the sheaves and of the drums; inertia of each drum with its rotor.
    loss
        Losses of the sheaves.
    layers
        Layers of the rope ``fall`` on its drum; None: one.
    brake, luff_brake
        Friction at the drums; None: brakes that hold four times the load.
    gravity, name
        Acceleration of gravity and name of the machine.

    Examples
    --------
    >>> from dalembert.systems.hoists import ship_crane
    >>> ship_crane().sticking
    ('drum', 'luff_drum')
    """
    for what, value in (("boom", boom), ("pedestal", pedestal), ("height", height), ("period", period)):
        number(value, what, name)
    mast = 0.35 * boom  # of the top of the pedestal above the hinge
    tip = (boom * math.cos(luff), 0.0, boom * math.sin(luff))
    made = Parts()
    deck = picture((0.9 * boom, 6.0, 1.0), (0.0, 0.0, -0.5), GREY)
    post = picture((1.0, 1.0, pedestal + mast), (-1.5, 0.0, (pedestal + mast) / 2), GREY)
    made.bodies += [Body("hull"), Body("deck", geometry=(deck, post))]
    made.joints += [
        Joint("heave", "prismatic", WORLD, "hull", axis="z"),  # type: ignore[arg-type]
        Joint("roll", "revolute", "hull", "deck", axis="-y"),  # type: ignore[arg-type]
    ]
    spar = rod("boom", number(boom_mass, "mass of the boom", name), boom, axis="x", com=(boom / 2, 0.0, 0.0))
    made.bodies.append(Body("boom", spar.mass, spar.com, spar.inertia, (picture((boom, 0.6, 0.6), (boom / 2, 0, 0)),)))
    tilted = Transform.about((0.0, -1.0, 0.0), luff, (0.0, 0.0, pedestal))
    made.joints.append(Joint("boom", "revolute", "deck", "boom", tilted, axis="-y"))  # type: ignore[arg-type]
    R = float(drum_radius)
    weight = (nominal(block) + nominal(payload)) * gravity
    stay = (weight + 0.5 * nominal(boom_mass) * gravity) * boom / mast
    hold = brake or Friction(coulomb=4.0 * weight / 2.0 * R)
    luffing = luff_brake or Friction(coulomb=4.0 * stay * R)
    place = (-1.5, 0.0, pedestal + 0.6 * mast)
    drum = add_drum(made, "drum", "deck", place, R, drum_inertia, motor="M", friction=hold, layers=layers)
    hoisting = add_drum(
        made, "luff_drum", "deck", (-1.5, 0.0, pedestal + mast), R, drum_inertia, motor="L", friction=luffing
    )
    add_hook(
        made,
        WORLD,
        (tip[0] + 2.0 * radius, 0.0, pedestal + tip[2] - height),
        block=number(block, "mass of the block", name),
        payload=number(payload, "payload", name),
        size=field_vector(size, f"size of the payload of '{name}'"),
        sling=sling,
        radius=float(radius),
        spatial=False,
    )
    ropes = [
        Rope("luff", (hoisting, Anchor("boom", (boom, 0.0, 0.5)))),
        Rope(
            "fall",
            (
                drum,
                Sheave("boom", radius, "y", at=(boom, 0.0, 0.0), name="tip", loss=loss),
                Sheave("block", radius, "-y", name="H", loss=loss),
                Anchor("boom", (boom + 3.0 * radius * math.cos(luff), 0.0, -3.0 * radius * math.sin(luff))),
            ),
        ),
    ]
    omega = 2.0 * math.pi / period
    rise = smoothstep(TIME / period)
    waves = (
        MotionConstraint("waves.heave", joint="heave", value=heave * rise * sin(omega * TIME)),
        MotionConstraint("waves.roll", joint="roll", value=roll * rise * sin(0.8 * omega * TIME)),
    )
    return made.machine(name, ropes, gravity, constraints=waves)
