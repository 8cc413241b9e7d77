"""Joints fixed at a position."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import nominal
from dalembert.model.joint import Joint
from dalembert.model.parts import Coupling
from dalembert.model.transform import Transform

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["asked_positions", "lock_joints", "locked_joint", "locked_positions"]


def lock_joints(machine: Machine, positions: Mapping[str, float] | Iterable[str]) -> Machine:
    """Return ``machine`` with some revolute and prismatic joints fixed at the given positions (names only: zero)."""
    locked = locked_positions(machine.joints, machine.couplings, positions, f"machine '{machine.name}'")
    joints = tuple(locked_joint(j, locked[j.name]) if j.name in locked else j for j in machine.joints)
    return replace(
        machine,
        joints=joints,
        motors=tuple(m for m in machine.motors if m.joint not in locked),
        couplings=tuple(c for c in machine.couplings if c.joint not in locked and c.leader not in locked),
    )


def asked_positions(lock: Mapping[str, float] | Iterable[str] | None) -> dict[str, float]:
    """Positions by name from a mapping, or from names only (position zero)."""
    if lock is None:
        return {}
    if isinstance(lock, Mapping):
        return dict(lock)
    if isinstance(lock, str) or not isinstance(lock, Iterable):
        raise InputError(f"lock must map joint names to positions, or list joint names, got {lock!r}")
    return dict.fromkeys(lock, 0.0)


def locked_positions(
    joints: Sequence[Joint], couplings: Sequence[Coupling], lock: Mapping[str, float] | Iterable[str] | None, where: str
) -> dict[str, float]:
    """Positions of the joints to lock and of those that follow them."""
    movable = {j.name: j for j in joints if j.info.nv == 1}
    locked: dict[str, float] = {}
    for name, position in asked_positions(lock).items():
        if name not in movable:
            raise UnknownNameError("revolute or prismatic joint", name, movable, where)
        try:
            value = float(position)
        except (TypeError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise InputError(f"the position of locked joint '{name}' must be a finite number, got {position!r}")
        locked[name] = value
    for coupling in couplings:
        if coupling.leader in locked:
            taken = nominal(coupling.ratio) * locked[coupling.leader] + nominal(coupling.offset)
            if locked.setdefault(coupling.joint, taken) != taken:
                raise InputError(
                    f"joint '{coupling.joint}' cannot be locked at {locked[coupling.joint]:g}: it follows "
                    f"'{coupling.leader}', which takes it to {taken:g}"
                )
        elif coupling.joint in locked:
            raise InputError(
                f"joint '{coupling.joint}' follows '{coupling.leader}' and cannot be locked alone; lock the leader"
            )
    return locked


def locked_joint(joint: Joint, position: float) -> Joint:
    """Return a fixed joint that holds ``joint`` at ``position``."""
    if joint.kind == "revolute":
        motion = Transform.about(joint.axis, position)
    else:
        motion = Transform(tuple(position * nominal(a) for a in joint.axis))  # type: ignore[arg-type]
    return Joint(joint.name, "fixed", joint.parent, joint.child, joint.origin @ motion)
