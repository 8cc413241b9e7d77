"""Fuel that the thrusters of a run burn (SPACE 9.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.core.validation import check_names, check_number
from dalembert.model.parts import Thruster
from dalembert.simulation.run import Run

__all__ = ["fuel_mass"]

STANDARD_GRAVITY = 9.80665


def fuel_mass(
    run: Run,
    specific_impulse: float,
    *,
    names: str | Sequence[str] | None = None,
    arm: float | None = None,
    each: bool = False,
) -> float:
    """Mass of fuel, SPACE (9.1): ``1 / (g0 Isp)`` times the integral of ``|f + n / arm|``.

    The force ``f`` and torque ``n`` are those of all thrusters together, as the document takes them. With ``each``
    every thruster burns for itself, as separate nozzles do: the integral is that of the sum of ``|f_i|`` (or
    ``|n_i| / arm``). It is taken over the recorded efforts by the trapezoidal rule, so record often enough.

    Parameters
    ----------
    run
        A run of a machine with thrusters.
    specific_impulse
        ``Isp`` [s]; ``g0`` is 9.80665 m/s2.
    names
        The thrusters; default all of them.
    arm
        Lever arm [m] of the nozzles behind a torque.
    each
        Whether every thruster burns for itself.
    """
    isp = check_number("specific_impulse", specific_impulse, unit="s")
    known = {x.name: x for x in getattr(run.machine, "thrusters", ())}
    if not known:
        raise InputError("the run has no thrusters, so there is no fuel to count")
    chosen = list(known) if names is None else check_names(names, "names")
    for name in chosen:
        if name not in known:
            raise UnknownNameError("thruster", name, known, f"machine '{run.machine.name}'")
    thrusters = [known[name] for name in chosen]
    if not each and len({(x.frame, x.axes) for x in thrusters}) > 1:
        places = ", ".join(sorted({f"{x.frame} ({x.axes} axes)" for x in thrusters}))
        raise InputError(f"the thrusters act at different places: {places}; count them with each=True")
    efforts = run.array([f"u.{name}" for name in chosen])
    units = np.array([_thrust(x, arm, each) for x in thrusters])
    thrust = np.abs(efforts) @ np.linalg.norm(units, axis=1) if each else np.linalg.norm(efforts @ units, axis=1)
    return float(np.sum(0.5 * (thrust[1:] + thrust[:-1]) * np.diff(run.t))) / (STANDARD_GRAVITY * isp)


def _thrust(thruster: Thruster, arm: float | None, each: bool) -> Array:
    """Thrust of a unit input: its force, and the torque over the lever arm."""
    force, torque = (np.array([nominal(x) for x in vector]) for vector in (thruster.force, thruster.torque))
    if not torque.any() or (each and force.any()):
        return force
    if arm is None:
        raise InputError(f"thruster '{thruster.name}' gives a torque; give the lever arm of its nozzles as 'arm'")
    return np.asarray(force + torque / check_number("arm", arm, unit="m"))
