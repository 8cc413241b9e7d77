"""Quantities of a machine by name, and texts of them, as expressions of the symbols of its equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca

from dalembert.core.types import Expression
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.signals import read_text

__all__ = ["derived_quantity", "text_expression"]

_CALLS: dict[str, Callable[..., Any]] = {
    "abs": ca.fabs, "acos": ca.acos, "asin": ca.asin, "atan": ca.atan, "atan2": ca.atan2, "cos": ca.cos,
    "exp": ca.exp, "hypot": lambda a, b: ca.sqrt(a * a + b * b), "log": ca.log, "max": ca.fmax, "min": ca.fmin,
    "sin": ca.sin, "sqrt": ca.sqrt, "tan": ca.tan, "tanh": ca.tanh,
}  # fmt: skip


def derived_quantity(eom: EquationsOfMotion, name: str) -> Expression | None:
    """Return one of `derived_names` as an expression of the symbols of the equations (t, q, v, p), or None.

    All lookups of names use this function: laws and signals, measures and observations, derivatives, measures of single
    runs, costs and limits.

    Parameters
    ----------
    eom
        The equations.
    name
        ``position.FRAME.x``, ``velocity.FRAME.x`` (of a frame or body in world axes), ``parameter.NAME``.
    """
    s = eom.symbolic
    kind, _, rest = str(name).partition(".")
    if kind == "parameter" and rest in eom.p_names:
        return s.p[eom.p_names.index(rest)]
    frame, _, axis = rest.rpartition(".")
    if kind not in ("position", "velocity") or frame not in eom.machine.tree.frames or axis not in ("x", "y", "z"):
        return None
    k = "xyz".index(axis)
    if kind == "position":
        return ca.densify(ca.SX(s.pose(frame)[k, 3]))
    return ca.densify(ca.SX(s.jacobian(frame, "world")[k, :] @ s.v))


def text_expression(text: str, owner: str, value: Callable[[str], Expression]) -> Expression:
    """Return the expression that a text of quantities stands for.

    Parameters
    ----------
    text
        As in `dalembert.Signal`.
    owner
        Whose it is, in messages.
    value
        Returns the expression of a name, or raises an error.
    """
    return ca.SX(read_text(text, owner, value, lambda name, x: _CALLS[name](*x)))
