"""What members of a machine may differ in, by name: parameters, ``q0.NAME`` and ``v0.NAME``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["assigned", "place_of"]


def place_of(name: str) -> tuple[str, str]:
    """Return the argument of a simulation (q0, v0 or p) that a quantity belongs to, and its name there."""
    kind, _, rest = name.partition(".")
    return (kind, rest) if kind in ("q0", "v0") and rest else ("p", name)


def assigned(given: Mapping[str, Any], values: Iterable[tuple[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return q0, v0 and p by name: what is given, and over it the values of quantities."""
    result: dict[str, dict[str, Any]] = {k: dict(given.get(k) or {}) for k in ("q0", "v0", "p")}
    for name, value in values:
        target, key = place_of(name)
        result[target][key] = value
    return result
