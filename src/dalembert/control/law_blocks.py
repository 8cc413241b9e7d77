"""Laws that machine files have, by name, and the block ``control`` that stands for a law."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from dalembert.control.laws import PD, PID, ComputedTorque, GravityCompensation
from dalembert.control.passivity import PassivityBased, SlotineLi
from dalembert.core.errors import InputError
from dalembert.core.parameter import Operation, Parameter, to_text
from dalembert.plan.references import Quintic, Sine

__all__ = ["LAWS", "law_block", "register_law"]

LAWS: dict[str, type[Any]] = {
    "pd": PD,
    "pid": PID,
    "computed-torque": ComputedTorque,
    "gravity-compensation": GravityCompensation,
    "passivity-based": PassivityBased,
    "slotine-li": SlotineLi,
}


def register_law(name: str, kind: type[Any]) -> type[Any]:
    """Let machine files name a law: ``control: {law: NAME, ...}`` with its fields as settings; returns the class.

    Parameters
    ----------
    name
        Its name in files.
    kind
        The law: a frozen dataclass with the methods of the protocol ``Law`` (``core/ports.py``).

    Raises
    ------
    InputError
        If it is no dataclass, lacks a method of a law, or the name is taken.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.control import register_law
    >>> register_law("pd", da.PD) is da.PD  # already in the table; your own law needs a new name
    True
    """
    missing = [method for method in ("state_names", "initial_state", "expression") if not hasattr(kind, method)]
    if not dataclasses.is_dataclass(kind) or missing:
        lacks = f"; it lacks {', '.join(missing)}" if missing else ""
        raise InputError(f"a law must be a dataclass with the methods of a Law, got {kind.__name__}{lacks}")
    if LAWS.get(name, kind) is not kind:
        raise InputError(f"there is a law {name!r} already: {LAWS[name].__name__}")
    LAWS[name] = kind
    return kind


def law_block(law: object) -> dict[str, Any] | str:
    """Return the block ``control`` of a machine file that stands for a law, or the name of its type if none does.

    Parameters
    ----------
    law
        Control law of a simulation.

    Examples
    --------
    >>> import dalembert as da
    >>> law_block(da.PD(kp=100.0, kd=[20.0, 5.0], reference=da.Sine([0, 0], [0.1, 0.1], 1.0)))["kd"]
    [20.0, 5.0]
    """
    block = getattr(law, "block", None)  # of a predictive controller that comes from a file
    if isinstance(block, Mapping):
        return dict(block)
    name = next((name for name, kind in LAWS.items() if type(law) is kind), None)
    try:
        return type(law).__name__ if name is None else {"law": name, **_fields(law)}
    except TypeError:
        return type(law).__name__


def _fields(thing: object) -> dict[str, Any]:
    """Fields of a law or reference that differ from their defaults, as data."""
    pairs = ((field, getattr(thing, field.name)) for field in dataclasses.fields(cast(Any, thing)))
    return {
        field.name: _plain(value)
        for field, value in pairs
        if field.default is dataclasses.MISSING or value is not field.default
    }


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float | np.number):
        return float(value)
    if isinstance(value, Parameter | Operation):
        return to_text(value)
    if isinstance(value, Quintic | Sine):
        return _fields(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(x) for key, x in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(x) for x in value]
    raise TypeError(f"data cannot represent {type(value).__name__}")
