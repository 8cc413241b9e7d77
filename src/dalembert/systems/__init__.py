"""Ready-made machines: published ones with their source, and a few that every engine is tried on.

There is a room for each kind of machine, such as `dalembert.systems.cranes`.
"""

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dalembert.core.later import later

if TYPE_CHECKING:
    from dalembert.systems import (
        cable_robots,
        contacts,
        cranes,
        falling_chains,
        flexible_arms,
        hoists,
        legged,
        mechanisms,
        parallel_robots,
        scenes,
        space_robots,
        textbook,
    )
    from dalembert.systems.catalogue import SYSTEMS, SystemInfo, load_system

__all__ = [
    "SYSTEMS",
    "SystemInfo",
    "cable_robots",
    "contacts",
    "cranes",
    "falling_chains",
    "flexible_arms",
    "hoists",
    "legged",
    "load_system",
    "mechanisms",
    "parallel_robots",
    "scenes",
    "space_robots",
    "textbook",
]

_LATER = {
    "SYSTEMS": "dalembert.systems.catalogue",
    "SystemInfo": "dalembert.systems.catalogue",
    "load_system": "dalembert.systems.catalogue",
}

_ROOMS = (
    "cable_robots",
    "contacts",
    "cranes",
    "falling_chains",
    "flexible_arms",
    "hoists",
    "legged",
    "mechanisms",
    "parallel_robots",
    "scenes",
    "space_robots",
    "textbook",
)

_load = later(__name__, _LATER, _ROOMS)


def __getattr__(name: str) -> Any:
    if name not in __all__ and not name.startswith("_"):
        for room in _ROOMS:  # where the names of the rooms were before there were rooms
            module = import_module(f"{__name__}.{room}")
            if name in module.__all__:
                text = f"{__name__}.{name} is deprecated, use {__name__}.{room}.{name}"
                warnings.warn(text, DeprecationWarning, stacklevel=2)
                return getattr(module, name)
    return _load(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
