"""Comparison of the mechanics of two machines."""

from __future__ import annotations

from dataclasses import fields, replace

from dalembert.model.body import Body
from dalembert.model.machine import Machine

__all__ = ["mechanics_apart"]

_WITHOUT_EFFECT = ("name", "frames", "signals", "sensors", "gains")


def mechanics_apart(one: Machine, other: Machine) -> tuple[str, ...]:
    """Name the fields in which the mechanics of two machines differ.

    Differences in names, drawing and measurement do not count: names of machines, frames, geometry, signals and
    sensors.
    """

    def part(machine: Machine, name: str) -> object:
        if name == "bodies":
            return tuple(replace(b, geometry=()) if isinstance(b, Body) else b for b in machine.bodies)
        return getattr(machine, name)

    names = [field.name for field in fields(Machine) if field.name not in _WITHOUT_EFFECT]
    return tuple(name for name in names if part(one, name) != part(other, name))
