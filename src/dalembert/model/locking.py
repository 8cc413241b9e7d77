"""Joints fixed at a position."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import nominal
from dalembert.model.joint import Joint
from dalembert.model.transform import Transform

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["lock_joints"]


def lock_joints(machine: Machine, positions: Mapping[str, float]) -> Machine:
    """Return ``machine`` with the named revolute and prismatic joints fixed at the given positions."""
    movable = {j.name: j for j in machine.joints if j.info.nv == 1}
    locked: dict[str, float] = {}
    for name, position in positions.items():
        if name not in movable:
            raise UnknownNameError("revolute or prismatic joint", name, movable, f"machine '{machine.name}'")
        value = float(position)
        if not math.isfinite(value):
            raise InputError(f"the position of locked joint '{name}' must be finite, got {position!r}")
        locked[name] = value
    for coupling in machine.couplings:
        if coupling.leader in locked:
            locked[coupling.joint] = nominal(coupling.ratio) * locked[coupling.leader] + nominal(coupling.offset)
    joints = tuple(_fixed(j, locked[j.name]) if j.name in locked else j for j in machine.joints)
    return replace(
        machine,
        joints=joints,
        motors=tuple(m for m in machine.motors if m.joint not in locked),
        couplings=tuple(c for c in machine.couplings if c.joint not in locked and c.leader not in locked),
    )


def _fixed(joint: Joint, position: float) -> Joint:
    if joint.kind == "revolute":
        motion = Transform.about(joint.axis, position)
    else:
        motion = Transform(tuple(position * nominal(a) for a in joint.axis))  # type: ignore[arg-type]
    return Joint(joint.name, "fixed", joint.parent, joint.child, joint.origin @ motion)
