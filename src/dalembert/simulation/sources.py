"""The C sources of simulations: which files make a unit, and the headers that they share."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from dalembert.compile.forms import definitions, read_text
from dalembert.core.noise import quantile_macros

__all__ = ["HEADERS", "UNITS", "header_text", "unit_text"]

UNITS = {
    "engine": ("engines/stepper.c", "engines/events.c"),
    "equations": (
        "dense.c",
        "constrained/constrained.c",
        "constrained/constrained_alpha.c",
        "constrained/contact.c",
        "transitions/complementarity.c",
        "transitions/constraint_algebra.c",
        "transitions/cones.c",
        "transitions/cone_search.c",
        "transitions/contact_algebra.c",
        "transitions/pairs.c",
        "transitions/impacts.c",
        "transitions/settling.c",
        "transitions/unilateral.c",
        "transitions/algebra.c",
    ),
    "contacts": ("contact/cone.c", "contact/moreau.c"),
    "members": ("engines/stepper.c", "engines/events.c", "rollout/members.c"),
}
"""Translation units, each of the files that it consists of, in the order in which they need each other."""

HEADERS = {
    "kernel.h": "kernel.h",
    "engine.h": "engines/engine.h",
    "constrained.h": "constrained/constrained.h",
    "transitions.h": "transitions/transitions.h",
    "moreau.h": "contact/moreau.h",
}
"""Headers by the names by which they are included: structures and functions that units share with their callers."""

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

    def place(match: re.Match[str]) -> str:
        header = match.group(1)
        if header in seen:
            return ""
        seen.add(header)
        text = header_text(header) if header in HEADERS else read_text(header)
        numbers = definitions(quantile_macros()) if header == "noise.h" else ""
        return numbers + _INCLUDE.sub(place, text)

    return _INCLUDE.sub(place, "\n".join(map(_read, UNITS[name])))
