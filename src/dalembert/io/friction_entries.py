"""Friction of joints and motors in machine files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from dalembert.io.schema_values import FileEntry, Number, Units

__all__ = ["FrictionEntry", "MotorFrictionEntry"]

_LOADED = (
    "Friction of a joint does not depend on its load. A bearing or guide that rubs by its load is a constraint of type "
    "loop with friction (and radius), a gear has the efficiency of its motor or of a constraint of type gear, and the "
    "bearing of a sheave its loss"
)


class FrictionEntry(FileEntry):
    """Levels of friction of a joint, and its law."""

    hints: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("load", "mu", "coefficient", "normal", "radius", "bearing", "pin", "efficiency"), _LOADED
    )

    units: ClassVar[Units] = {
        "coulomb": "{f}",
        "static": "{f}",
        "stribeck": "{q}/s",
        "viscous": "{f} s/{q}",
        "velocity": "{q}/s",
        "bristle_stiffness": "{f}/{q}",
        "bristle_damping": "{f} s/{q}",
    }

    coulomb: Number = 0.0
    static: Number | None = None
    stribeck: Number = 0.0
    viscous: Number = 0.0
    law: Literal["stick", "smooth", "lugre"] = "stick"
    velocity: Number = 1e-3
    bristle_stiffness: Number | None = None
    bristle_damping: Number = 0.0


class MotorFrictionEntry(FrictionEntry):
    """Levels of friction on the motor side."""

    units: ClassVar[Units] = {
        "coulomb": "N m|{f}",
        "static": "N m|{f}",
        "stribeck": "rad/s|{q}/s",
        "viscous": "N m s/rad|{f} s/{q}",
        "velocity": "rad/s|{q}/s",
        "bristle_stiffness": "N m/rad|{f}/{q}",
        "bristle_damping": "N m s/rad|{f} s/{q}",
    }
