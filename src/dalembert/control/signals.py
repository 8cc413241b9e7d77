"""Names of signals: as python-control allows them, and their places among others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dalembert.core.errors import UnknownNameError
from dalembert.core.types import Array

__all__ = ["gain_table", "label", "place"]


def label(name: str) -> str:
    """A name as python-control allows it."""
    return name.replace(".", "_")


def place(name: str, names: Sequence[str], kind: str, where: str = "") -> int:
    """Index of a name; refused by name if it is not there."""
    if name not in names:
        raise UnknownNameError(kind, name, names, where)
    return list(names).index(name)


def gain_table(table: Mapping[tuple[str, str], float], motors: Sequence[str], states: Sequence[str]) -> Array:
    """Matrix of gains (motors x states) from gains by (motor, state)."""
    K = np.zeros((len(motors), len(states)))
    for (motor, state), value in table.items():
        K[place(label(motor), motors, "motor"), place(label(state), states, "state")] += value
    return K
