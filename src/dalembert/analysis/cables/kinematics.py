"""Lengths of straight cables for a pose, pulleys included."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.formulations.equations import Parameters, derive
from dalembert.model.machine import Machine

__all__ = ["cable_lengths", "cable_terms", "check_tangents", "configuration", "numbers", "platform_velocities"]
__all__ += ["winch_angles"]


def numbers(value: ArrayLike, count: int, what: str) -> Array:
    """Return so many finite numbers, or raise an error."""
    try:
        array = as_numbers(value)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be {count} numbers, got {value!r}") from None
    if array.shape != (count,) or not np.isfinite(array).all():
        raise InputError(f"{what} must be {count} finite numbers, got {np.round(array, 6).tolist()}")
    return array


def configuration(machine: Machine, q: ArrayLike) -> Array:
    """Return a configuration of a robot with cables, checked."""
    if not isinstance(machine, Machine):
        raise InputError(f"a cable robot is a Machine, got {type(machine).__name__}")
    if not machine.cables:
        raise InputError(f"machine '{machine.name}' has no cables")
    eom = derive(machine, backend="vm")
    checked = numbers(q, eom.nq, f"the configuration of machine '{machine.name}' ({', '.join(eom.q_names)})")
    eom.check_quaternions(checked)
    return checked


def platform_velocities(machine: Machine) -> list[int]:
    """Indices of the velocities that do not belong to winches."""
    coils = {c.winch for c in machine.cables if c.winch is not None}
    eom = derive(machine, backend="vm")
    return [i for b in eom.layout.blocks if b.name not in coils for i in range(b.v.start, b.v.stop)]


@lru_cache(maxsize=32)
def _function(machine: Machine) -> ca.Function:
    eom = derive(machine, backend="vm")
    s, system = eom.symbolic, eom.constraint_system
    paths = [system.paths[c.name] for c in machine.cables]
    L = ca.vertcat(*[path.length for path in paths])
    B = ca.jacobian(s.coordinate_rate, s.v)
    tangents = ca.vertcat(*[ca.SX(1) if path.tangent is None else path.tangent for path in paths])
    outputs = [L, ca.jacobian(L, s.q) @ B, tangents]
    return ca.Function("lengths", [s.q, s.t, s.p], [ca.densify(x) for x in outputs])


def cable_terms(machine: Machine, q: ArrayLike, *, t: float = 0.0, p: Parameters = None) -> tuple[Array, Array]:
    """Lengths of the cables, and their derivatives by the machine's velocities (n x nv)."""
    x = configuration(machine, q)
    for cable in machine.cables:
        if cable.heavy:
            raise InputError(
                f"cable '{cable.name}' of machine '{machine.name}' has weight: it is no straight line, and its length "
                "depends on its tension; use hold_pose, static_equilibrium or rest_pose"
            )
    values = derive(machine, backend="vm").parameter_values(p)
    L, J, tangents = (np.array(out.full()) for out in _function(machine)(x, t, values))
    check_tangents(machine, tangents[:, 0], L[:, 0])
    return L[:, 0], J


def check_tangents(machine: Machine, tangents: Array, lengths: Array) -> None:
    """Raise an error for anchors within their pulleys, from which no tangent leads to the pulley."""
    for cable, square, length in zip(machine.cables, tangents, lengths, strict=True):
        if not square > 0.0 or not np.isfinite(length):
            raise InputError(
                f"the anchor of cable '{cable.name}' lies within its pulley of radius {nominal(cable.pulley):g} m: "
                "the radius is larger than the distance"
            )


def cable_lengths(machine: Machine, q: ArrayLike, *, t: float = 0.0, p: Parameters = None) -> Array:
    """Lengths of the cables from exit to anchor, wrapped arcs included, in a configuration: inverse kinematics."""
    return cable_terms(machine, q, t=t, p=p)[0]


def winch_angles(machine: Machine, q: ArrayLike, *, p: Parameters = None) -> dict[str, float]:
    """Angles of the winches that make the cables as long as a configuration needs: ``theta = (L - l_0)/r``, CDPR (3).

    Cables whose length is measured at the start count from there: their angle is zero in the configuration itself.

    Examples
    --------
    >>> from dalembert.systems.cable_robots import eight_cable_robot
    >>> robot = eight_cable_robot()
    >>> angles = winch_angles(robot, [0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0] + 8 * [0.0])
    >>> len(angles)
    8
    """
    angles = {}
    for cable, L in zip(machine.cables, cable_lengths(machine, q, p=p), strict=True):
        if cable.winch is not None:
            l_0 = L if cable.length is None else nominal(cable.length)
            angles[cable.winch] = float((L - l_0) / nominal(cable.drum))
    return angles
