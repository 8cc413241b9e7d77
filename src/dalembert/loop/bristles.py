"""Friction after LuGre in a closed loop: the deflection of the bristles of each joint is a state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

from dalembert.core.types import Expression
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["Bristles", "bristles_of"]


@dataclass(frozen=True, eq=False)
class Bristles:
    """States of bristles.

    Parameters
    ----------
    names, states, rates
        Names of the deflections, their symbols and rates.
    force
        Generalised force of the friction on the machine.
    signals
        Friction of each joint, by name.
    """

    names: tuple[str, ...]
    states: Expression
    rates: Expression
    force: Expression
    signals: tuple[tuple[str, Expression], ...]


def bristles_of(eom: EquationsOfMotion) -> Bristles:
    """Return the bristles of the joints and motors with the law ``"lugre"``."""
    s = eom.symbolic
    names: list[str] = []
    states: list[Any] = []
    rates: list[Any] = []
    signals: list[tuple[str, Any]] = []
    force = ca.SX(eom.nv, 1)
    for joint in eom.machine.bristled:
        parts = eom.machine.friction_of(joint).bristles
        rate = ca.SX(eom.formulation.joint_rate(joint))
        total = ca.SX(0)
        for k, (ratio, friction) in enumerate(parts):
            names.append(f"bristle.{joint}" + (f"[{k}]" if len(parts) > 1 else ""))
            states.append(ca.SX.sym(names[-1]))
            n = s.value(ratio)
            change, push = friction.bristle(states[-1], n * rate, s.value)
            rates.append(change)
            total += n * push
        signals.append((f"friction.{joint}", -total))
        force -= ca.jacobian(rate, s.v).T * total
    return Bristles(
        tuple(names),
        ca.vertcat(ca.SX(0, 1), *states),
        ca.vertcat(ca.SX(0, 1), *rates),
        ca.densify(force),
        tuple(signals),
    )
