"""Predictive controllers from the block ``control`` of a machine file.

::

    control:
      law: mpc
      horizon: 4.0
      intervals: 40
      cost: {states: {x: 1.0, swing: 10.0}, inputs: 1.0e-6, terminal: lqr}
      reference: {x: 6.0}
      limits:
        drive: [-1000, 1000]
        swing: {lower: -0.12, upper: 0.12, linear: 1000}    # soft
      keep: {above: position.load.z + 4.5}                  # or {expression: ..., linear: 1000}
      period: 0.05                                          # and the other settings of mpc
      fallback: {law: pd, kp: 0.0, kd: 100.0, reference: [0.0]}
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import Scalar, nominal
from dalembert.model.machine import Machine
from dalembert.optimal.cost import Cost
from dalembert.optimal.limits import QuantityBound, soft
from dalembert.optimal.predictive import PredictiveSettings, mpc

__all__ = ["PREDICTIVE", "make_predictive"]

PREDICTIVE = "mpc"
"""Name of the law in files."""

_OWN = ("horizon", "intervals", "cost", "reference", "limits", "keep", "fallback")
_TEXTS = ("integrator", "hessian", "terminal_set", "state", "known", "path", "name")
_SOFT = ("lower", "upper", "linear", "quadratic")

Number = Callable[[str, tuple[str | int, ...]], Scalar]
Place = Callable[[tuple[str | int, ...]], AbstractContextManager[None]]


def make_predictive(
    block: Mapping[str, Any],
    machine: Machine,
    fallback: Callable[[Mapping[str, Any]], Any],
    number: Number,
    place: Place,
) -> Any:
    """Return the predictive controller that a block describes.

    Parameters
    ----------
    block
        The block.
    machine
        The machine of the file, which is the model too.
    fallback
        Reads the block of the fallback law.
    number
        Reads the text of a number at a path of the block.
    place
        Context that gives errors of a path of the block the file and the line.
    """
    known = (*_OWN, *(field.name for field in dataclasses.fields(PredictiveSettings)))
    values = {key: value for key, value in block.items() if key != "law"}
    for key in values:
        if key not in known:
            with place((key,)):
                raise UnknownNameError("setting", str(key), known, "the law 'mpc'")
    for key in ("horizon", "intervals", "cost"):
        if key not in values:
            with place(("law",)):
                raise InputError(f"the law 'mpc' needs '{key}'")

    def plain(value: Any, path: tuple[str | int, ...]) -> Any:
        if isinstance(value, str) and path[0] not in _TEXTS:
            with place(path):
                return nominal(number(value, path))
        if isinstance(value, Mapping):
            return {str(name): plain(x, (*path, name)) for name, x in value.items()}
        return [plain(x, (*path, k)) for k, x in enumerate(value)] if isinstance(value, list) else value

    settings: dict[str, Any] = {}
    for key, value in values.items():
        with place((key,)):
            if key == "cost":
                settings[key] = _cost(value, plain)
            elif key == "limits":
                settings[key] = {n: _limit(v, n, plain) for n, v in _mapping(value, key).items()}
            elif key == "keep":
                settings[key] = {n: _kept(v, n, plain) for n, v in _mapping(value, key).items()}
            elif key == "reference":
                settings[key] = plain(_mapping(value, key), (key,))
            elif key == "fallback":
                settings[key] = fallback(_mapping(value, key))
            elif key == "terminal_set" and isinstance(value, Mapping):
                _only(value, _SOFT[2:], "terminal_set")
                settings[key] = ("lqr", soft(0.0, math.inf, **plain(dict(value), (key,))))
            else:
                settings[key] = plain(value, (key,))
    with place(("law",)):
        law = mpc(machine, **settings)
    return dataclasses.replace(law, block=dict(block))


def _mapping(value: Any, key: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"'{key}' of the law 'mpc' must be a mapping, got {value!r}")
    return value


def _only(value: Mapping[str, Any], keys: tuple[str, ...], what: str) -> None:
    for key in value:
        if key not in keys:
            raise UnknownNameError("key", str(key), keys, f"{what} of the law 'mpc'")


def _cost(value: Any, plain: Callable[..., Any]) -> Cost:
    fields = tuple(field.name for field in dataclasses.fields(Cost))
    _only(_mapping(value, "cost"), fields, "cost")
    return Cost(**{k: v if v == "lqr" else plain(v, ("cost", k)) for k, v in value.items()})


def _limit(value: Any, name: str, plain: Callable[..., Any]) -> Any:
    """Bounds as a pair, with null for a side without a bound, or soft as a mapping."""
    if not isinstance(value, Mapping):
        return plain(value, ("limits", name))
    _only(value, _SOFT, f"limits.{name}")
    return _bound(value, plain(dict(value), ("limits", name)))


def _bound(value: Mapping[str, Any], numbers: Mapping[str, Any]) -> QuantityBound | tuple[Any, Any]:
    sides = {"lower": -math.inf, "upper": math.inf} | {k: v for k, v in numbers.items() if k in _SOFT[:2]}
    if not {"linear", "quadratic"} & set(value):
        return (sides["lower"], sides["upper"])
    weights = {"linear": 0.0, "quadratic": 0.0} | {k: v for k, v in numbers.items() if k in _SOFT[2:]}
    return soft(sides["lower"], sides["upper"], **weights)


def _kept(value: Any, name: str, plain: Callable[..., Any]) -> Any:
    """A text that stays at zero or above; as a mapping with weights, softened."""
    if isinstance(value, str):
        return value
    _only(_mapping(value, f"keep.{name}"), ("expression", *_SOFT[2:]), f"keep.{name}")
    text = value.get("expression")
    if not isinstance(text, str):
        raise InputError(f"'keep.{name}' of the law 'mpc' needs an expression, got {value!r}")
    weights = {k: v for k, v in value.items() if k != "expression"}
    bound = _bound(weights, {"lower": 0.0, **plain(weights, ("keep", name))})
    return (text, bound) if isinstance(bound, QuantityBound) else text
