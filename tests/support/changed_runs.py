"""Arguments of runs with one quantity changed, for differences of runs."""

from __future__ import annotations

from typing import Any

import dalembert as da

__all__ = ["changed"]


def changed(machine: Any, name: str, change: float, given: dict[str, Any]) -> dict[str, Any]:
    """Arguments of a simulation with one quantity changed."""
    kind, _, rest = name.partition(".")
    target, key = (kind, rest) if kind in ("q0", "v0") else ("p", name)
    own = machine.machine if isinstance(machine, da.EquationsOfMotion) else machine
    nominal = {q.name: q.value for q in own.parameters} | dict(zip(own.q_names, own.q_neutral, strict=True))
    at = dict(given.get(target) or {})
    return {**given, target: {**at, key: at.get(key, nominal.get(key, 0.0)) + change}}
