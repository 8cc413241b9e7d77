"""The C sources of the engine: which files make a unit, and the headers that they share.

The standard library is all that this module needs: an installation compiles the units with it (`shipped`).
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from dalembert.core.quantile import quantile_macros
from dalembert.engine.layout import structure_fields
from dalembert.engine.structs import struct_checks

__all__ = ["GENERIC", "HEADERS", "UNITS", "checked_text", "header_text", "unit_text"]

GENERIC = ("laws.h", "ropes.h", "blocks.h", "sweeps.h", "bilateral.h", "step.h")
"""Texts of time-stepping that are generic over the number of members at a time (`one.c`, `rollout/contacts.h`)."""

UNITS = {
    "loop": ("loop/loop.c", "loop/events.c"),
    "equations": (
        "dense.c",
        "constraints/constrained.c",
        "constraints/generalized_alpha.c",
        "constraints/reeving.c",
        "constraints/sliding.c",
        "unilateral/complementarity.c",
        "unilateral/constraint_algebra.c",
        "unilateral/laws.c",
        "unilateral/ropes.c",
        "unilateral/modes.c",
        "unilateral/searches.c",
        "unilateral/forces.c",
        "unilateral/pairs.c",
        "unilateral/impacts.c",
        "unilateral/settling.c",
        "unilateral/unilateral.c",
        "unilateral/algebra.c",
    ),
    "stepping": tuple(
        f"stepping/{name}"
        for name in (
            "one.c",
            *GENERIC[:2],
            "resistance.c",
            "compliance.c",
            GENERIC[2],
            "history.c",
            GENERIC[3],
            "adhesion.c",
            "factors.c",
            "cones.c",
            "gaps.c",
            "newton.c",
            "unique.c",
            "restrain.c",
            *GENERIC[4:],
            "moreau.c",
        )
    ),
    "collide": tuple(
        f"collide/{name}.c"
        for name in ("shapes", "convex", "manifolds", "field", "turning", "pairs", "scene", "articulated")
    ),
    "members": ("loop/loop.c", "loop/events.c", "rollout/members.c", "rollout/singles.c"),
    "implicit": ("implicit/midpoint.c",),
    "vm": ("vm.c",),
}
"""Translation units, each of the files that it consists of, in the order in which they need each other."""

HEADERS = {
    "kernel.h": "kernel.h",
    "elimination.h": "elimination.h",
    "noise.h": "rollout/noise.h",
    "measures.h": "rollout/measures.h",
    "loop.h": "loop/loop.h",
    "runge_kutta.h": "loop/runge_kutta.h",
    "constrained.h": "constraints/constrained.h",
    "projection.h": "constraints/projection.h",
    "transitions.h": "unilateral/transitions.h",
    "moreau.h": "stepping/moreau.h",
    "scene.h": "collide/scene.h",
    "midpoint.h": "implicit/midpoint.h",
}
"""Headers by the names by which they are included: structures and functions that units share with their callers."""

_STRUCTURES = {
    "loop": ("loop", "update", "watch"),
    "equations": ("constrained", "transitions"),
    "stepping": ("moreau",),
    "collide": ("scene", "articulated"),
    "members": ("members", "desk", "singles"),
    "implicit": ("midpoint",),
    "vm": ("virtual_tape",),
}
"""Structures that each unit shares with Python."""

_INCLUDE = re.compile(r'^#include "(\w+\.h)"\n', re.MULTILINE)


def _read(path: str) -> str:
    return resources.files(__package__).joinpath(*path.split("/")).read_text(encoding="utf-8")


def header_text(name: str) -> str:
    """Return a header."""
    return _read(HEADERS[name])


@cache
def unit_text(name: str) -> str:
    """Return a translation unit that stands alone: what it includes is put in its place, the first time."""
    seen: set[str] = set()
    macros = quantile_macros()

    def place(match: re.Match[str]) -> str:
        header = match.group(1)
        if header in seen:
            return ""
        seen.add(header)
        text = header_text(header)
        numbers = "".join(f"#define {name} {value}\n" for name, value in macros.items()) if header == "noise.h" else ""
        return numbers + _INCLUDE.sub(place, text)

    return _INCLUDE.sub(place, "\n".join(map(_read, UNITS[name])))


def checked_text(name: str) -> str:
    """Return a translation unit that compiles only if shared structures have the same memory layout in C and Python."""
    return unit_text(name) + "".join(struct_checks(shared, structure_fields(shared)) for shared in _STRUCTURES[name])
