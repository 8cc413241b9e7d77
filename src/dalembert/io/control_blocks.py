"""Control laws from the block ``control`` of a machine file.

::

    control:
      law: computed-torque            # or pd, pid, gravity-compensation
      kp: 100.0                       # the law's own settings
      kd: 20.0
      reference: [0.5, 1.0]           # positions per motor, or
      # reference: {start: [0, 0], end: [0.5, 1.0], duration: 2.0, delay: 0.5}
      # reference: {center: [0, 0], amplitude: [0.1, 0.1], frequency: 1.0 Hz}
      # kp: {shoulder: 100.0, elbow: 50.0}                   # by motor, and so may be the reference:
      # kp: k1                                               # a parameter of the machine, named among its gains
      # reference: {shoulder: 0.5, elbow: {start: 0, end: 1.0, duration: 2.0}}
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from dalembert.control.law_blocks import LAWS
from dalembert.core.errors import DalembertError, InputError, UnknownNameError
from dalembert.core.parameter import Parameter, Scalar, depends_on_time, nominal
from dalembert.core.scalar_text import parse_quantity
from dalembert.io.predictive_blocks import PREDICTIVE
from dalembert.io.schema_values import unit_fault
from dalembert.io.yaml_nodes import Path
from dalembert.plan.references import Quintic, Sine

__all__ = ["REFERENCE_KEYS", "law_faults", "make_law"]

Number = Callable[[str, Path], Scalar]
"""Reads the text of a number at a path of the block."""

Place = Callable[[Path], AbstractContextManager[None]]
"""Gives errors of a path of the block the file and the line."""

REFERENCE_KEYS = tuple(dict.fromkeys(f.name for kind in (Quintic, Sine) for f in dataclasses.fields(kind)))
"""Keys of a reference: they tell one reference for all motors from references by motor."""

_OWN = set(REFERENCE_KEYS)


def make_law(
    settings: Mapping[str, Any] | None,
    parameters: Mapping[str, Parameter] | None = None,
    *,
    number: Number | None = None,
    place: Place | None = None,
) -> Any:
    """Return the control law that the settings describe; None without settings.

    Parameters
    ----------
    settings
        The block.
    parameters
        Parameters of the machine by name. Gains may be expressions of them; references take their nominal values.
    number
        Reads the text of a number at a path of the block; None: without a check of units of references.
    place
        Context that gives errors of a path of the block the file and the line; None: they have none.

    Examples
    --------
    >>> make_law({"law": "pd", "kp": 40.0, "kd": 8.0, "reference": [0.0]}).kp
    40.0
    """
    if settings is None:
        return None
    place = place or (lambda path: nullcontext())
    number = number or _plain_reader(parameters or {})
    values = dict(settings)
    name = values.pop("law", None)
    if not isinstance(name, str) or name not in LAWS:
        with place(("law",)):
            raise UnknownNameError("law", name, (*LAWS, PREDICTIVE), "the control of the simulation")
    for key, value in values.items():
        values[key] = _reference(value, number, place) if key == "reference" else _scalars(value, (key,), number, place)
    return _build(LAWS[name], values, f"law '{name}'", (), place)


def _plain_reader(parameters: Mapping[str, Parameter]) -> Number:
    """Return a reader for blocks outside of files; it does not check the units of references."""

    def number(text: str, path: Path) -> Scalar:
        value, dimension = parse_quantity(text, parameters, {})
        if path[0] != "reference" and (fault := unit_fault(text, dimension, "")):
            raise InputError(f"'{path[0]}' of the law {fault}")
        return value

    return number


def law_faults(settings: Mapping[str, Any], motors: Sequence[str]) -> Iterator[tuple[str, DalembertError]]:
    """Return the entries of a block that do not fit these motors, with their keys: numbers and names of entries."""
    if settings.get("law") == PREDICTIVE:  # its names are those of states and quantities, which `mpc` checks
        return
    for key, value in settings.items():
        if isinstance(value, Mapping) and not (key == "reference" and _OWN & set(value)):
            for name in set(value) - set(motors):
                yield key, UnknownNameError(f"motor in {key}", str(name), motors)
            missing = [name for name in motors if name not in value]
            if missing:
                yield key, InputError(f"{key} by name needs all motors; there is none for {', '.join(missing)}")
        else:
            for field, listed in value.items() if isinstance(value, Mapping) else [("", value)]:
                if isinstance(listed, list) and len(listed) != len(motors):
                    what = f"{key}.{field}" if field else key
                    expected = f"one entry per motor ({', '.join(motors)})"
                    yield key, InputError(f"{what} must have {expected}, got {len(listed)}")
                    break


def _scalars(value: Any, path: Path, number: Number, place: Place) -> Any:
    """Numbers of a setting, text read as expressions of parameters."""
    if isinstance(value, str):
        with place(path):
            return number(value, path)
    if isinstance(value, list):
        return [_scalars(x, (*path, i), number, place) for i, x in enumerate(value)]
    if isinstance(value, Mapping):
        return {name: _scalars(x, (*path, name), number, place) for name, x in value.items()}
    return value


def _reference(reference: Any, number: Number, place: Place) -> Any:
    """Positions, one reference for all motors, or one per motor by name."""

    def nominals(text: str, path: Path) -> float:
        value = number(text, path)
        if depends_on_time(value):
            raise InputError(f"'{path[-1]}' of a reference must not depend on time, got {text!r}")
        return nominal(value)

    values, path = _scalars(reference, ("reference",), nominals, place), ("reference",)
    if not isinstance(values, Mapping):
        return values
    if _OWN & set(values):
        return _motion(values, path, place)
    return {name: _motion(x, (*path, name), place) if isinstance(x, Mapping) else x for name, x in values.items()}


def _motion(settings: Mapping[str, Any], path: Path, place: Place) -> Any:
    kind = Quintic if "start" in settings or "end" in settings else Sine
    return _build(kind, settings, "the reference", path, place)


def _build(kind: type[Any], settings: Mapping[str, Any], what: str, path: Path, place: Place) -> Any:
    fields = dataclasses.fields(kind)
    names = [f.name for f in fields]
    for name in settings:
        if name not in names:
            with place((*path, name)):
                raise UnknownNameError("setting", name, names, what)
    needed = [f.name for f in fields if f.default is dataclasses.MISSING and f.name not in settings]
    with place(path):
        if needed:
            raise InputError(f"{what} needs {', '.join(needed)}")
    try:
        return kind(**settings)
    except DalembertError as error:
        named = (key for key in settings if re.search(rf"\b{re.escape(key)}\b", str(error)))
        with place((*path, *(key for key in (next(named, None),) if key))):
            raise
