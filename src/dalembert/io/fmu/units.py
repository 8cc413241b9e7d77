"""Units of the variables of an FMU: definitions by base units, and the units that a tool displays."""

from __future__ import annotations

import math
from collections.abc import Iterable
from xml.etree import ElementTree as ET

__all__ = ["DISPLAYED", "define_units", "known", "rate_unit"]

_BASE: dict[str, dict[str, int]] = {
    "s": {"s": 1},
    "m": {"m": 1},
    "rad": {"rad": 1},
    "m/s": {"m": 1, "s": -1},
    "rad/s": {"rad": 1, "s": -1},
    "m/s2": {"m": 1, "s": -2},
    "rad/s2": {"rad": 1, "s": -2},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N m": {"kg": 1, "m": 2, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "kg": {"kg": 1},
}
DISPLAYED = {"rad": "deg", "rad/s": "deg/s", "rad/s2": "deg/s2"}
"""Units that a tool shows in place of others."""


def rate_unit(unit: str) -> str:
    """Unit of the time derivative; empty if it has no name here."""
    return {"m": "m/s", "rad": "rad/s", "m/s": "m/s2", "rad/s": "rad/s2"}.get(unit, "")


def known(unit: str | None) -> str:
    """The unit, if it is one that is defined here; else empty."""
    return unit if unit in _BASE else ""


def define_units(root: ET.Element, used: Iterable[str]) -> None:
    """Add the definitions of the used units to a model description."""
    names = sorted(set(used) & set(_BASE))
    if not names:
        return
    definitions = ET.SubElement(root, "UnitDefinitions")
    for name in names:
        unit = ET.SubElement(definitions, "Unit", name=name)
        ET.SubElement(unit, "BaseUnit", {base: str(power) for base, power in _BASE[name].items()})
        if name in DISPLAYED:
            ET.SubElement(unit, "DisplayUnit", name=DISPLAYED[name], factor=repr(180.0 / math.pi))
