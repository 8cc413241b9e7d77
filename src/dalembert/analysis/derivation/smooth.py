"""The part of a machine whose forces are functions of its state: without friction that sticks, and without contacts."""

from __future__ import annotations

from dataclasses import replace

from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Motor
from dalembert.model.ropes import Guide, PathElement, Rope, Sheave

__all__ = ["smooth_part"]


def smooth_part(machine: Machine) -> tuple[Machine, tuple[str, ...]]:
    """Return a machine without friction that sticks, losses of sheaves and contacts, and the names of these elements.

    A sheave that turns with a joint keeps its friction, which moves it.
    """
    held = {*machine.sticking, *machine.bristled}

    def joint(one: Joint) -> Joint:
        return replace(one, friction=0.0, friction_law="smooth") if one.name in held else one

    def motor(one: Motor) -> Motor:
        lost = one.joint in held
        return replace(one, friction=None, efficiency=1.0, back_efficiency=None) if lost else one

    def element(one: PathElement) -> PathElement:
        match one:
            case Sheave(joint=None) if one.rubs:
                return replace(one, friction=0.0, loss=None)
            case Sheave() if one.has_bearing:
                return replace(one, loss=None)
            case Guide() if one.rubs:
                return replace(one, friction=0.0)
        return one

    def rope(one: Rope) -> Rope:
        return replace(one, path=tuple(map(element, one.path))) if one.rubbing or one.bearings else one

    ropes = [rope(one) for one in machine.ropes]
    rubbing = [
        f"{old.name}.{part.label}"
        for old, new in zip(machine.ropes, ropes, strict=True)
        for part, other in zip(old.path, new.path, strict=True)
        if part.rubs and not other.rubs
    ] + [f"{one.name}.{part.label}" for one in machine.cables for part in one.rubbing]
    lost = (
        *(f"friction of joint {joint}" for joint in sorted(held)),
        *(f"friction of constraint {one.name}" for one in machine.rubbing),
        *(f"friction at {name}" for name in rubbing),
        *(f"friction of {name}" for name in machine.sheave_bearings),
        *(f"contact {contact.name}" for contact in machine.contacts),
    )
    if not lost:
        return machine, ()
    made = machine.with_(
        joints=[joint(one) for one in machine.joints],
        motors=[motor(one) for one in machine.motors],
        constraints=[one.without_friction() for one in machine.constraints],
        ropes=ropes,
        cables=[replace(one, friction=0.0) for one in machine.cables],
        contacts=(),
    )
    return made, lost
