"""Joints fixed at a position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import nominal
from dalembert.model.joint import Joint
from dalembert.model.parts import Coupling
from dalembert.model.transform import Transform

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["Position", "asked_positions", "lock_joints", "locked_joint", "locked_positions"]


Position = float | Sequence[float]
"""Where a joint is locked: a number, or one per coordinate."""

_NEUTRAL = object()


def lock_joints(machine: Machine, positions: Mapping[str, Position] | Iterable[str]) -> Machine:
    """Return ``machine`` with some joints fixed at the given positions (names only: the neutral ones)."""
    locked = locked_positions(machine.joints, machine.couplings, positions, f"machine '{machine.name}'")
    joints = tuple(locked_joint(j, locked[j.name]) if j.name in locked else j for j in machine.joints)
    return replace(
        machine,
        joints=joints,
        motors=tuple(m for m in machine.motors if m.joint not in locked),
        couplings=tuple(c for c in machine.couplings if c.joint not in locked and c.leader not in locked),
    )


def asked_positions(lock: Mapping[str, Position] | Iterable[str] | None) -> dict[str, Any]:
    """Positions by name from a mapping, or from names only (the neutral position)."""
    if lock is None:
        return {}
    if isinstance(lock, Mapping):
        return dict(lock)
    if isinstance(lock, str) or not isinstance(lock, Iterable):
        raise InputError(f"lock must map joint names to positions, or list joint names, got {lock!r}")
    return dict.fromkeys(lock, _NEUTRAL)


def locked_positions(
    joints: Sequence[Joint],
    couplings: Sequence[Coupling],
    lock: Mapping[str, Position] | Iterable[str] | None,
    where: str,
) -> dict[str, tuple[float, ...]]:
    """Coordinates of the joints to lock and of those that follow them."""
    movable = {j.name: j for j in joints if j.info.nv}
    locked: dict[str, tuple[float, ...]] = {}
    for name, position in asked_positions(lock).items():
        if name not in movable:
            raise UnknownNameError("moving joint", name, movable, where)
        locked[name] = _coordinates(movable[name], position)
    for coupling in couplings:
        if coupling.leader in locked:
            taken = nominal(coupling.ratio) * locked[coupling.leader][0] + nominal(coupling.offset)
            if locked.setdefault(coupling.joint, (taken,)) != (taken,):
                raise InputError(
                    f"joint '{coupling.joint}' cannot be locked at {locked[coupling.joint][0]:g}: it follows "
                    f"'{coupling.leader}', which takes it to {taken:g}"
                )
        elif coupling.joint in locked:
            raise InputError(
                f"joint '{coupling.joint}' follows '{coupling.leader}' and cannot be locked alone; lock the leader"
            )
    return locked


def _coordinates(joint: Joint, position: Position | None) -> tuple[float, ...]:
    """Coordinates of a joint at a requested position."""
    if position is _NEUTRAL:
        return joint.info.neutral
    n = joint.info.nq
    what = "a finite number" if n == 1 else f"{n} finite numbers ({', '.join(joint.q_names)})"
    try:
        q = np.atleast_1d(np.asarray(position, dtype=float))
    except (TypeError, ValueError):
        q = np.zeros(0)
    if q.shape != (n,) or not np.isfinite(q).all():
        raise InputError(f"the position of locked joint '{joint.name}' must be {what}, got {position!r}")
    if (start := joint.info.quaternion) is not None and abs(np.linalg.norm(q[start:]) - 1.0) > 1e-6:
        norm = np.linalg.norm(q[start:])
        raise InputError(f"the quaternion of locked joint '{joint.name}' must have unit norm, got norm {norm:g}")
    return tuple(float(x) for x in q)


def locked_joint(joint: Joint, position: tuple[float, ...]) -> Joint:
    """Return a fixed joint that holds ``joint`` at the coordinates ``position``."""
    mechanism, scale = joint.mechanism(), joint.pitch
    if scale is not None:
        # The slide is the pitch, which may be a parameter, times that of a unit pitch.
        mechanism = replace(mechanism, pitch=1.0)
    R, p, _ = mechanism.posed(position)
    slide = tuple(float(x) if scale is None else scale * float(x) for x in p)
    pose = Transform(slide, tuple(map(tuple, R.tolist())))  # type: ignore[arg-type]
    return Joint(joint.name, "fixed", joint.parent, joint.child, joint.origin @ pose)
