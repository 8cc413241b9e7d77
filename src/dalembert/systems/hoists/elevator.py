"""An elevator: car and counterweight on one set of ropes over a traction sheave."""

from __future__ import annotations

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar
from dalembert.model.body import Body
from dalembert.model.friction import Friction
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Motor
from dalembert.model.ropes import Anchor, PathElement, Rope, Sheave, SheaveLoss
from dalembert.model.transform import Transform
from dalembert.systems.hoists.parts import BLUE, GREY, YELLOW, Parts, number, picture, wheel

__all__ = ["elevator"]


def elevator(
    roping: int = 1,
    *,
    car: Scalar = 900.0,
    load: Scalar = 300.0,
    rated: Scalar = 630.0,
    balance: Scalar = 0.5,
    rise: float = 30.0,
    radius: float = 0.3,
    sheave_inertia: Scalar = 20.0,
    friction: Scalar = 0.25,
    guide_friction: Scalar | Friction = 0.0,
    brake: Friction | None = None,
    loss: SheaveLoss | None = None,
    gravity: float = 9.81,
    name: str = "elevator",
) -> Machine:
    """A traction elevator: ropes that run from the car over a driven sheave to the counterweight.

    The sheave drives the ropes by friction. It slips where the ratio of tensions passes ``e^(mu phi)`` (L. Euler, J.
    A. Eytelwein): with an overloaded car, or where the counterweight rests on its buffer. Coordinates: ``car`` and
    ``counterweight``, upwards from the middle of the shaft, and ``sheave``, positive where the car rises. The motor
    is ``M``, the rope ``ropes``. The event ``ropes.traction.slip`` reports lost traction.

    Parameters
    ----------
    roping
        1: the ropes end at the car and the counterweight; 2: they run round sheaves on both and back to the top, so
        that the car moves at half the rope speed.
    car, load, rated, balance
        Mass of the empty car, its load, the rated load, and the part of it that the counterweight balances: its mass
        is ``car + balance rated``.
    rise
        Height of the shaft.
    radius, sheave_inertia
        Radius of the traction sheave, and its inertia with motor and brake disc.
    friction
        Coefficient of friction in the grooves, reduced to a flat rim.
    guide_friction, brake
        Friction of the guide rails of car and counterweight, and on the sheave: a `Friction` holds.
    loss
        Losses of the other sheaves with ``roping=2``.
    gravity, name
        Acceleration of gravity and name of the machine.

    Examples
    --------
    >>> from dalembert.systems.hoists import elevator
    >>> elevator().q_names
    ('car', 'counterweight', 'sheave')
    """
    if isinstance(roping, bool) or roping not in (1, 2):
        raise MachineError(f"roping of elevator '{name}' must be 1 or 2, got {roping!r}")
    number(friction, "friction", name)
    if roping == 1 and loss is not None:
        raise MachineError(f"elevator '{name}' has no sheaves with losses: expected roping=2, or no loss")
    r, top = float(radius), 0.5 * rise + 4.0 * float(radius)
    for what, value in (("rise", rise), ("radius", radius), ("car", car)):
        number(value, what, name)
    made = Parts()
    masses = {
        "car": number(car, "mass of the car", name) + number(load, "load", name, least=0.0),
        "counterweight": car + number(balance, "balance", name, least=0.0) * number(rated, "rated load", name),
    }
    apart = r if roping == 1 else 2.0 * r
    sizes = {"car": ((1.6 * r, 4.0 * r, 7.0 * r), YELLOW), "counterweight": ((0.8 * r, 4.0 * r, 7.0 * r), BLUE)}
    for (body, mass), side in zip(masses.items(), (-1.0, 1.0), strict=True):
        size, colour = sizes[body]
        below = -size[2] / 2 - (0.0 if roping == 1 else 1.5 * r)
        made.bodies.append(Body(body, mass, geometry=(picture(size, (0.0, 0.0, below), colour),)))
        rail = {"axis": "z", "friction": guide_friction}
        made.joints.append(Joint(body, "prismatic", WORLD, body, Transform((side * apart, 0.0, 0.0)), **rail))  # type: ignore[arg-type]
    made.bodies.append(Body("sheave", geometry=(wheel(radius, r, colour=GREY),)))
    made.joints.append(Joint("sheave", "revolute", WORLD, "sheave", Transform((0.0, 0.0, top)), axis="y"))  # type: ignore[arg-type]
    made.motors.append(Motor("M", "sheave", rotor_inertia=sheave_inertia, friction=brake))
    over = Sheave(WORLD, radius, "y", at=(0.0, 0.0, top), joint="sheave", friction=friction, name="traction")
    path: tuple[PathElement, ...]
    if roping == 1:
        path = (Anchor("car"), over, Anchor("counterweight"))
    else:
        path = (
            Anchor(WORLD, (-3.0 * r, 0.0, top)),
            Sheave("car", radius, "-y", name="car", loss=loss),
            over,
            Sheave("counterweight", radius, "-y", name="counterweight", loss=loss),
            Anchor(WORLD, (3.0 * r, 0.0, top)),
        )
    return made.machine(name, [Rope("ropes", path)], gravity)
