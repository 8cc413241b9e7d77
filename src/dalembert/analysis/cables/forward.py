"""The pose of a cable robot from the lengths of its cables."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.cables.kinematics import cable_terms, configuration, numbers, platform_velocities
from dalembert.analysis.cables.statics import static_equilibrium
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.model.machine import Machine

__all__ = ["forward_kinematics"]


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
    (`static_equilibrium`). With more, the lengths are met in the least-squares sense. Cables with weight sag, so that
    the pose always depends on the loads: it is that of `static_equilibrium`.

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
        Largest error of the length of a straight cable [m]: that of lengths which were measured.

    Raises
    ------
    InputError
        If no pose near the guess has these lengths.

    Examples
    --------
    >>> from dalembert.analysis import cable_lengths
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
    if any(cable.heavy for cable in eom.machine.cables):
        return static_equilibrium(eom.machine, target, q, p=p).q
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
