"""Lengths of cables for a pose, and the pose for lengths, pulleys included."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.model.machine import Machine

__all__ = ["cable_lengths", "cable_terms", "configuration", "forward_kinematics", "numbers", "platform_velocities"]
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
    for cable in machine.cables:
        if cable.heavy:
            raise InputError(
                f"cable '{cable.name}' of machine '{machine.name}' has weight: it is no straight line; use rest_pose"
            )
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
    values = derive(machine, backend="vm").parameter_values(p)
    L, J, tangents = (np.array(out.full()) for out in _function(machine)(x, t, values))
    for cable, square, length in zip(machine.cables, tangents[:, 0], L[:, 0], strict=True):
        if not square > 0.0 or not np.isfinite(length):
            raise InputError(
                f"the anchor of cable '{cable.name}' lies within its pulley of radius {nominal(cable.pulley):g} m: "
                "the radius is larger than the distance"
            )
    return L[:, 0], J


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


def forward_kinematics(
    machine: Machine | EquationsOfMotion,
    lengths: ArrayLike,
    guess: ArrayLike,
    *,
    p: Parameters = None,
    tolerance: float = 1e-3,
) -> Array:
    """Configuration in which the cables have the given lengths, by Gauss-Newton steps from a guess.

    For robots with at least as many cables as degrees of freedom; with fewer the pose also depends on the loads
    (`static_equilibrium`). With more, the lengths are met in the least-squares sense.

    Parameters
    ----------
    machine
        The robot, or its equations.
    lengths
        Lengths of the cables.
    guess
        Configuration to start from.
    p
        Parameter values.
    tolerance
        Largest error of a length [m]: that of lengths which were measured.

    Raises
    ------
    InputError
        If no pose near the guess has these lengths.

    Examples
    --------
    >>> from dalembert.systems.cable_robots import eight_cable_robot
    >>> robot = eight_cable_robot()
    >>> pose = [0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0] + 8 * [0.0]
    >>> guess = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0] + 8 * [0.0]
    >>> found = forward_kinematics(robot, cable_lengths(robot, pose), guess)
    >>> (found[:3].round(6) + 0.0).tolist()
    [0.1, 0.0, 0.0]
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine, backend="vm")
    q = configuration(eom.machine, guess)
    target = numbers(lengths, len(eom.machine.cables), "lengths, one per cable,")
    platform = platform_velocities(eom.machine)
    if len(target) < len(platform):
        raise InputError(
            f"{len(target)} cables do not determine {len(platform)} degrees of freedom: use static_equilibrium"
        )
    for _ in range(100):
        L, J = cable_terms(eom.machine, q, p=p)
        step = np.zeros(eom.nv)
        step[platform] = np.linalg.lstsq(J[:, platform], target - L, rcond=1e-10)[0]
        q = eom.integrate(q, step)
        if np.max(np.abs(step)) < 1e-13:
            break
    off = float(np.abs(target - L).max())
    if np.max(np.abs(step)) < 1e-9 and off <= tolerance:
        return q
    raise InputError(f"no pose near the guess has these lengths: they remain wrong by up to {off:.3g} m")
