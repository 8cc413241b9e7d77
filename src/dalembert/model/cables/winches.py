"""A winch: body, joint and motor."""

from __future__ import annotations

from typing import Any

from dalembert.model.body import Body
from dalembert.model.joint import WORLD, Joint
from dalembert.model.parts import Motor

__all__ = ["winch"]


def winch(
    name: str, inertia: Any, *, damping: Any = 0.0, friction: Any = 0.0, effort: float = float("inf")
) -> tuple[Body, Joint, Motor]:
    """Body, joint and motor of a winch, all of the same name: its coordinate is the angle of the drum.

    Parameters
    ----------
    name
        Name of body, joint and motor.
    inertia
        Inertia of rotor, shaft and drum, CDPR 4 and (18).
    damping, friction
        Viscous and Coulomb friction at the drum.
    effort
        Largest torque.

    Examples
    --------
    >>> import dalembert as da
    >>> drum, joint, motor = da.winch("drum", 0.2, effort=50.0)
    >>> joint.kind, motor.effort
    ('revolute', 50.0)
    """
    drum = Body(name)
    joint = Joint(name, "revolute", WORLD, name, damping=damping, friction=friction)
    return drum, joint, Motor(name, name, rotor_inertia=inertia, effort=effort)
