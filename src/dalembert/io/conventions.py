"""States in the conventions of other engines: Pinocchio (and ROS) and MuJoCo.

The coordinates agree joint by joint and in order; the differences are

================  ===========================  ================================  =============================
joint             dalembert                    Pinocchio                         MuJoCo
================  ===========================  ================================  =============================
free              position, quaternion w xyz;  position, quaternion xyz w;       position, quaternion w xyz;
                  velocities in body axes      velocities in body axes           linear in world, angular in
                                                                                 body axes
spherical         quaternion w xyz             quaternion xyz w                  quaternion w xyz
planar            x, y, angle; their rates     x, y, cos, sin; rates along the   two slides and a hinge: as here
                                               axes of the moving frame
continuous        angle                        cos, sin                          angle
================  ===========================  ================================  =============================

Velocities are related by an orthogonal matrix, ``v_peer = T(q) v``, forces by the same one (equal power), and
accelerations by ``a_peer = T a + T' v``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine

__all__ = ["PeerState", "from_mujoco", "from_pinocchio", "to_mujoco", "to_pinocchio"]

Rule = Callable[[Joint], "str | None"]


class PeerState(NamedTuple):
    """Configuration, velocity, acceleration and generalised force; missing ones are None."""

    q: Array
    v: Array | None = None
    a: Array | None = None
    tau: Array | None = None


def to_pinocchio(
    machine: Machine,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    continuous: bool | Iterable[str] = False,
) -> PeerState:
    """Convert a state of a machine to the order of Pinocchio.

    Parameters
    ----------
    machine
        The machine.
    q, v, a, tau
        Arrays with any leading batch axes; accelerations need the velocities.
    continuous
        Revolute joints that the other model stores as (cos, sin): their names, or True for all revolute joints without
        limits (Pinocchio's model of a URDF's continuous joints).

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.io import to_pinocchio
    >>> body = da.Machine("body", [da.sphere("ball", 1.0, 0.1)], [da.Joint("base", "free", "world", "ball")])
    >>> to_pinocchio(body, [1, 2, 3, 1, 0, 0, 0]).q
    array([1., 2., 3., 0., 0., 0., 1.])
    """
    return _convert(machine, _pinocchio_rule(machine, continuous), True, q, v, a, tau)


def from_pinocchio(
    machine: Machine,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    continuous: bool | Iterable[str] = False,
) -> PeerState:
    """Convert a state in the order of Pinocchio to the machine's own; the inverse of `to_pinocchio`.

    Examples
    --------
    >>> import dalembert as da
    >>> box = da.box("box", 1.0, (1, 1, 1))
    >>> free = da.Machine("box", bodies=[box], joints=[da.Joint("base", "free", "world", "box")])
    >>> from_pinocchio(free, [0, 0, 1, 0, 0, 0, 1]).q.tolist()
    [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    """
    return _convert(machine, _pinocchio_rule(machine, continuous), False, q, v, a, tau)


def to_mujoco(
    machine: Machine,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    tau: ArrayLike | None = None,
) -> PeerState:
    """Convert a state of a machine to MuJoCo's ``qpos``, ``qvel``, ``qacc`` and generalised force.

    Joints must be declared in MuJoCo in the machine's order; a planar joint is two slides and a hinge there.
    """
    return _convert(machine, _mujoco_rule, True, q, v, a, tau)


def from_mujoco(
    machine: Machine,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    tau: ArrayLike | None = None,
) -> PeerState:
    """Convert MuJoCo's ``qpos``, ``qvel``, ``qacc`` and force to the machine's own; the inverse of `to_mujoco`.

    Examples
    --------
    >>> import dalembert as da
    >>> box = da.box("box", 1.0, (1, 1, 1))
    >>> free = da.Machine("box", bodies=[box], joints=[da.Joint("base", "free", "world", "box")])
    >>> from_mujoco(free, [0, 0, 1, 0, 1, 0, 0]).q.tolist()
    [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]
    """
    return _convert(machine, _mujoco_rule, False, q, v, a, tau)


def _pinocchio_rule(machine: Machine, continuous: bool | Iterable[str]) -> Rule:
    revolute = {j.name: j for j in machine.coordinate_joints if j.kind == "revolute"}
    if isinstance(continuous, bool):
        unlimited = {n for n, j in revolute.items() if np.isinf(j.limits.lower) and np.isinf(j.limits.upper)}
        names = unlimited if continuous else set()
    else:
        names = {continuous} if isinstance(continuous, str) else set(continuous)
        for name in names:
            if name not in revolute:
                raise UnknownNameError("revolute joint", name, revolute, f"machine '{machine.name}'")

    def rule(joint: Joint) -> str | None:
        kinds = {"free": "scalar last", "spherical": "scalar last", "planar": "moving axes"}
        return "circle" if joint.name in names else kinds.get(joint.kind)

    return rule


def _mujoco_rule(joint: Joint) -> str | None:
    return "world velocity" if joint.kind == "free" else None


def _convert(
    machine: Machine,
    rule: Rule,
    there: bool,
    q: ArrayLike,
    v: ArrayLike | None,
    a: ArrayLike | None,
    tau: ArrayLike | None,
) -> PeerState:
    joints = machine.coordinate_joints
    rules = [rule(j) for j in joints]
    sizes = [j.info.nq + (r in ("circle", "moving axes")) for j, r in zip(joints, rules, strict=True)]
    mine = [j.info.nq for j in joints]
    in_q = _split(q, mine if there else sizes, "q", machine)
    blocks = [(_to_q if there else _from_q)(r, x) for r, x in zip(rules, in_q, strict=True)]
    machine_q = in_q if there else blocks
    n = [j.info.nv for j in joints]

    def turned(blocks: list[Array]) -> list[Array]:
        return [_turn(r, x, y, there) for r, x, y in zip(rules, machine_q, blocks, strict=True)]

    out_v, out_tau = (
        None if x is None else _join(turned(_split(x, n, what, machine))) for x, what in ((v, "v"), (tau, "tau"))
    )
    out_a = None
    if a is not None:
        if v is None or out_v is None:
            raise InputError("the acceleration of a state cannot be converted without its velocity v")
        rates = _split(v if there else out_v, n, "v", machine)
        drift = [_drift(r, x, y) for r, x, y in zip(rules, machine_q, rates, strict=True)]
        blocks_a = _split(a, n, "a", machine)
        if there:
            out_a = _join([x + d for x, d in zip(turned(blocks_a), drift, strict=True)])
        else:
            out_a = _join(turned([x - d for x, d in zip(blocks_a, drift, strict=True)]))
    return PeerState(_join(blocks), out_v, out_a, out_tau)


def _split(x: ArrayLike, sizes: list[int], what: str, machine: Machine) -> list[Array]:
    try:
        array = as_numbers(x)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be an array of numbers, got {x!r}") from None
    if array.shape[-1:] != (sum(sizes),):
        raise InputError(f"{what} of machine '{machine.name}' must have shape (..., {sum(sizes)}), got {array.shape}")
    return np.split(array, np.cumsum(sizes)[:-1], axis=-1)


def _join(blocks: list[Array]) -> Array:
    lead = np.broadcast_shapes(*(b.shape[:-1] for b in blocks))
    return np.concatenate([np.broadcast_to(b, lead + b.shape[-1:]) for b in blocks], axis=-1)


def _to_q(rule: str | None, q: Array) -> Array:
    match rule:
        case "circle":
            return np.concatenate([np.cos(q), np.sin(q)], axis=-1)
        case "moving axes":
            return np.concatenate([q[..., :2], np.cos(q[..., 2:]), np.sin(q[..., 2:])], axis=-1)
        case "scalar last":
            k = q.shape[-1] - 4
            return np.concatenate([q[..., :k], q[..., k + 1 :], q[..., k : k + 1]], axis=-1)
    return q.copy()


def _from_q(rule: str | None, q: Array) -> Array:
    match rule:
        case "circle":
            return np.arctan2(q[..., 1:], q[..., :1])
        case "moving axes":
            return np.concatenate([q[..., :2], np.arctan2(q[..., 3:], q[..., 2:3])], axis=-1)
        case "scalar last":
            k = q.shape[-1] - 4
            return np.concatenate([q[..., :k], q[..., k + 3 :], q[..., k : k + 3]], axis=-1)
    return q.copy()


def _axes(rule: str | None, q: Array) -> Array | None:
    """Matrix that turns linear velocities here into those of the peer, or None."""
    if rule == "moving axes":
        c, s = np.cos(q[..., 2]), np.sin(q[..., 2])
        return np.stack([np.stack([c, s], -1), np.stack([-s, c], -1)], -2)
    if rule == "world velocity":
        w, x, y, z = np.moveaxis(q[..., 3:], -1, 0)
        rows = (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
        return np.stack([np.stack(row, -1) for row in rows], -2)
    return None


def _turn(rule: str | None, q: Array, x: Array, there: bool) -> Array:
    """``T x`` or ``T^T x`` for one joint."""
    T = _axes(rule, q)
    if T is None:
        return x.copy()
    k = T.shape[-1]
    linear = np.einsum("...ij,...j->...i" if there else "...ji,...j->...i", T, x[..., :k])
    return np.concatenate([linear, np.broadcast_to(x[..., k:], linear.shape[:-1] + x[..., k:].shape[-1:])], axis=-1)


def _drift(rule: str | None, q: Array, v: Array) -> Array:
    """``T' v`` for one joint."""
    if rule == "moving axes":
        w = v[..., 2:]
        x = np.concatenate([w * v[..., 1:2], -w * v[..., :1], np.zeros_like(w)], axis=-1)
        return _turn(rule, q, x, True)
    if rule == "world velocity":
        x = np.concatenate([np.cross(v[..., 3:], v[..., :3]), np.zeros_like(v[..., 3:])], axis=-1)
        return _turn(rule, q, x, True)
    return np.zeros_like(v)
