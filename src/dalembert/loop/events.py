"""Events of a loop: the user's, limits of joints and singular positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.types import Expression
from dalembert.core.validation import check_name
from dalembert.engine.problem.problem import EventSpec
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.quantities import Quantities
from dalembert.model.signals import read_text

__all__ = ["LIMITS", "Event", "loop_events"]

LIMITS = ("record", "stop", "ignore", "contact")
"""Actions at the limits of joints."""

_TRUTHS = (ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_NOT, ca.OP_AND, ca.OP_OR)


@dataclass(frozen=True)
class Event:
    """A user-defined event: a sign change of an expression.

    Parameters
    ----------
    name
        Its name.
    expression
        Text such as ``"theta - 0.3"`` of coordinates, velocities, parameters, signals and ``t``, as in `Signal`; or a
        function ``expression(t, q, v) -> g`` on CasADi symbols.
    terminal
        Whether the run stops there.
    direction
        ``+1`` rising, ``-1`` falling, ``0`` both.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Event("arrived", "x - 2.9", terminal=True).direction
    0
    """

    name: str
    expression: str | Callable[[Any, Any, Any], Any]
    terminal: bool = False
    direction: int = 0

    def __post_init__(self) -> None:
        check_name(self.name, "event")
        if isinstance(self.expression, str):
            read_text(self.expression, f"event '{self.name}'", None)
        elif not callable(self.expression):
            raise InputError(f"event '{self.name}' needs a function (t, q, v) -> g, got {self.expression!r}")
        if not isinstance(self.terminal, bool):
            raise InputError(f"'terminal' of event '{self.name}' must be true or false, got {self.terminal!r}")

    def function(self, known: Quantities) -> Expression:
        """Return the expression on the symbols of a loop."""
        owner, s = f"event '{self.name}'", known.eom.symbolic
        if isinstance(self.expression, str):
            g = known.text(self.expression, owner)
            if not ca.symvar(g):
                raise InputError(f"{owner} never happens: its expression {self.expression!r} is constant")
            return g
        try:
            g = ca.SX(self.expression(s.t, s.q, s.v))
        except Exception as error:
            reason = str(error).strip().splitlines()[-1:] or [""]
            raise InputError(
                f"the expression of event '{self.name}' fails on CasADi symbols: {type(error).__name__}: {reason[0]}"
            ) from error
        if g.numel() != 1:
            raise InputError(f"event '{self.name}' must return one expression, got {g.numel()}")
        if any(g.is_op(op) for op in _TRUTHS):
            raise InputError(
                f"event '{self.name}' must return a number that changes its sign, got a comparison: write the "
                "difference of its two sides"
            )
        if not ca.symvar(g):
            raise InputError(f"event '{self.name}' never happens: its expression {g} depends on neither t, q nor v")
        return known.bind(g, owner, seen=False)


def loop_events(known: Quantities, events: Sequence[Event], limits: str) -> tuple[Any, tuple[EventSpec, ...]]:
    """Functions that change sign at the events of joint limits, singular positions and the user, and their settings."""
    eom = known.eom
    if limits not in LIMITS:
        raise InputError(f"limits must be one of {', '.join(LIMITS)}, got {limits!r}")
    _check_limits_asked(eom, limits)
    s = eom.symbolic
    g: list[Any] = []
    specs: list[EventSpec] = []
    joints = {j.name: j for j in eom.machine.joints}
    if limits != "ignore" or any(j.limits.stop for j in joints.values()):
        for node in eom.machine.tree.nodes:
            joint = node.joint
            if joint.info.nv != 1 or (limits == "ignore" and not joint.limits.stop):
                continue
            x = s.joint_coordinate(joint.name)
            # where limits are contacts, the contacts define the events
            sides = (("upper", joint.limits.upper, -1.0), ("lower", joint.limits.lower, 1.0))
            for side, bound, sign in sides if limits != "contact" or joint.limits.stop else ():
                if np.isfinite(bound):
                    g.append(sign * (x - bound))
                    terminal = limits == "stop" or joint.limits.stop
                    specs.append(EventSpec(f"{joint.name}.{side}", terminal=terminal, direction=-1))
            if limits != "ignore" and np.isfinite(joint.limits.velocity):
                g.append(1.0 - (s.joint_rate(joint.name) / joint.limits.velocity) ** 2)
                specs.append(EventSpec(f"{joint.name}.velocity", terminal=limits == "stop", direction=-1))
    for name, away in eom.formulation.singularities():
        g.append(away)
        specs.append(EventSpec(name, terminal=True, direction=-1))
    for event in events:
        g.append(event.function(known))
        specs.append(EventSpec(event.name, event.terminal, event.direction))
    return ca.vertcat(*g) if g else ca.SX(0, 1), tuple(specs)


def _check_limits_asked(eom: EquationsOfMotion, limits: str) -> None:
    """Refuse to stop at limits, or to touch them, where joints have none."""
    all_limits = [joint.limits for joint in eom.machine.joints]
    ranges = any(np.isfinite(x.lower) or np.isfinite(x.upper) for x in all_limits)
    if limits == "contact" and not ranges:
        raise InputError(
            f"limits='contact' turns joint ranges into stops, but no joint of machine '{eom.machine.name}' has a "
            "range; leave it out, or give a joint limits"
        )
    if limits == "stop" and not ranges and not any(np.isfinite(x.velocity) for x in all_limits):
        raise InputError(
            f"limits='stop' ends a run at the limits of joints, but no joint of machine '{eom.machine.name}' has "
            "any; leave it out, or give a joint limits"
        )
