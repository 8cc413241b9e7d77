"""Electrical power of solar arrays along a run, with the shadow of the Earth."""

from __future__ import annotations

import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import nominal, parameters_of
from dalembert.core.types import Array
from dalembert.core.validation import check_number
from dalembert.formulations.equations import derive
from dalembert.model.fields import SolarPressure
from dalembert.model.surroundings import sunlight
from dalembert.simulation.run import Run

__all__ = ["array_power"]

_LIGHT = 299792458.0  # speed of light [m/s]: the flux of sunlight is its pressure times this
_SUN = 149597870700.0  # distance of the Sun [m]


def array_power(run: Run, name: str, efficiency: float = 0.3) -> Array:
    """Power of a surface at the rows of a run [W]: ``efficiency P c S (n . s)`` times the part of the Sun that is seen.

    Parameters
    ----------
    run
        A run of a machine with a `dalembert.model.SolarPressure` on the surface; with its ``shadow`` the power falls in
        the penumbra and is zero in the umbra of the Earth.
    name
        That force field, which has area, normal and direction of the Sun.
    efficiency
        Part of the light that becomes electrical power.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.model import SolarPressure
    >>> light = SolarPressure("light", "hub", area=2.0, normal=(1, 0, 0))
    >>> craft = da.Machine(
    ...     "craft", [da.box("hub", 50.0, (1, 1, 1))], [da.Joint("hub", "free", "world", "hub")], fields=[light]
    ... )
    >>> run = da.simulate(da.equations(craft, backend="vm"), duration=1.0, record=1.0)
    >>> round(float(array_power(run, "light", 0.25)[0]), 1)
    683.5
    """
    check_number("efficiency of an array", efficiency)
    known = {f.name: f for f in run.machine.fields if isinstance(f, SolarPressure)}
    if name not in known:
        raise UnknownNameError("solar pressure", name, known, f"machine '{run.machine.name}'")
    field = known[name]
    if any(parameters_of(x) for x in field.scalars):
        raise InputError(f"area and pressure of force field '{name}' must be numbers for its power, not parameters")
    eom = derive(run.machine, backend="vm")  # some rows: not worth a compiler
    p = eom.parameter_values(dict(run.metadata.get("parameters") or {}) or None)
    X = eom.pose(field.frame, run.array(eom.q_names), p=p)
    s, n = (np.array([nominal(c) for c in v]) for v in (field.sun, field.normal))
    facing = np.maximum(X[:, :3, :3] @ n @ s, 0.0)
    lit = np.ones(len(run.t))
    if field.orbit is not None:
        places = [np.asarray(field.orbit.motion(float(t))[0]) + x for t, x in zip(run.t, X[:, :3, 3], strict=True)]
        lit = np.array([sunlight(x, _SUN * s, field.orbit.radius) for x in places])
    return np.asarray(efficiency * _LIGHT * nominal(field.pressure) * nominal(field.area) * facing * lit)
