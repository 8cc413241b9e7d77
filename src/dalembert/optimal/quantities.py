"""Quantities of costs and limits: states, inputs, rates of inputs, and everything else that has a name."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import casadi as ca

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Expression
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.named import derived_quantity, text_expression
from dalembert.spatial.rotations import quaternion_of

__all__ = ["INPUT", "STATE", "NamedQuantity", "quantity"]

RATE, INPUT, STATE = "rate.", "u.", "q."


@dataclass(frozen=True, eq=False)
class NamedQuantity:
    """A quantity that a cost or a limit names.

    Parameters
    ----------
    name
        Its name or text.
    kind
        ``"state"``, ``"input"``, ``"rate"`` (of an input) or ``"output"``.
    index
        Its place among the states (q, v) or the inputs; -1 for outputs.
    expression
        Its expression of the symbols t, q, v, u, p of the equations; of a rate that of its input.
    """

    name: str
    kind: str
    index: int
    expression: Any


def quantity(eom: EquationsOfMotion, name: str, owner: str) -> NamedQuantity:
    """Return the quantity of a name.

    Parameters
    ----------
    eom
        The equations.
    name
        A coordinate, a velocity, an input, ``rate.INPUT``; ``u.INPUT`` and ``q.STATE`` where an input has the name of a
        coordinate; or a text of these, of parameters, ``t``,
        ``position.FRAME.x``, ``velocity.FRAME.x``, signals of the machine, ``length.ROPE`` and ``tension.ROPE``.
    owner
        Whose it is, in messages.
    """
    s, states = eom.symbolic, (*eom.q_names, *eom.v_names)
    plain = name.removeprefix(INPUT).removeprefix(STATE)
    if name in states and name in eom.u_names:
        raise InputError(
            f"{owner}: '{name}' is a coordinate and an input of machine '{eom.machine.name}'; write '{INPUT}{name}' "
            f"for the input and '{STATE}{name}' for the coordinate"
        )
    if name in states or (name.startswith(STATE) and plain in states):
        k = states.index(plain)
        return NamedQuantity(name, "state", k, ca.vertcat(s.q, s.v)[k])
    if name in eom.u_names or (name.startswith(INPUT) and plain in eom.u_names):
        k = eom.u_names.index(plain)
        return NamedQuantity(name, "input", k, s.u[k])
    if name.startswith(RATE):
        motor = name.removeprefix(RATE)
        if motor not in eom.u_names:
            raise UnknownNameError("input", motor, eom.u_names, owner)
        k = eom.u_names.index(motor)
        return NamedQuantity(name, "rate", k, s.u[k])
    return NamedQuantity(name, "output", -1, text_expression(name, owner, lambda part: _value(eom, part, owner)))


def _value(eom: EquationsOfMotion, name: str, owner: str) -> Expression:
    known = _ropes(eom)

    def value(part: str) -> Expression:
        expression = known.get(part)
        expression = _plain(eom, part) if expression is None else expression
        if expression is None:
            names = (eom.q_names, eom.v_names, eom.u_names, eom.p_names, known)
            raise UnknownNameError("quantity", part, sorted({"t", "position.FRAME.x", *chain(*names)}), owner)
        return expression

    s = eom.symbolic
    for signal in eom.machine.signals:
        if signal.frame is not None:
            X = s.pose(signal.frame)
            twist = s.jacobian(signal.frame, "world") @ s.v
            values = ca.vertsplit(ca.densify(ca.vertcat(X[:3, 3], quaternion_of(X[:3, :3]), twist)))
            known |= dict(zip(signal.components, values, strict=True))
        elif isinstance(signal.expression, str):
            known[signal.name] = text_expression(signal.expression, f"signal '{signal.name}'", value)
    return value(name)


def _plain(eom: EquationsOfMotion, name: str) -> Expression | None:
    """A symbol of the equations, or what is derived from them."""
    s = eom.symbolic
    for names, symbols in ((eom.q_names, s.q), (eom.v_names, s.v), (eom.u_names, s.u), (eom.p_names, s.p)):
        if name in names:
            return symbols[names.index(name)]
    return s.t if name == "t" else derived_quantity(eom, name)


def _ropes(eom: EquationsOfMotion) -> dict[str, Any]:
    """Lengths of ropes, and tensions of elastic ones."""
    if not eom.machine.all_ropes:
        return {}
    known: dict[str, Any] = {}
    for rope in eom.machine.all_ropes:
        known[f"length.{rope.name}"] = eom.constraint_system.routes[rope.name].length
    for terms in eom.formulation.elastic_ropes():
        for k in terms.spans:
            known[f"tension.{terms.rope.tension_names[k]}"] = terms.tension
    return known
