"""Rest of a machine on springs, elastic ropes and heavy cables: pose, tensions and stiffness."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.analysis.resting import RestingPlace, find_equilibrium
from dalembert.core.errors import InputError
from dalembert.core.types import Array, StateLike
from dalembert.formulations.constraints.elastic_sheaves import span_tensions
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.model.machine import Machine

__all__ = ["RestPose", "rest_pose"]


@dataclass(frozen=True, eq=False)
class RestPose:
    """A machine at rest on elastic ropes.

    Parameters
    ----------
    place
        The equilibrium that was found.
    tensions
        Tensions of the elastic ropes and cables by name [N]; of a heavy one at the end of its path.
    stiffness
        Derivative of the forces that hold the machine there with respect to tangent displacements (nv x nv), exact and
        symmetric.
    """

    place: RestingPlace
    tensions: dict[str, float]
    stiffness: Array

    @property
    def q(self) -> Array:
        """Its coordinates."""
        return self.place.q

    @property
    def stable(self) -> bool:
        """Whether every small displacement takes work."""
        return self.place.stable


def rest_pose(
    machine: Machine | EquationsOfMotion, guess: StateLike = None, *, t: float = 0.0, p: Parameters = None
) -> RestPose:
    """Return the configuration in which weight, springs, elastic ropes and heavy cables balance, without motors.

    Parameters
    ----------
    machine
        The machine, without constraints and inextensible ropes, or its equations.
    guess
        Where to begin: numbers, or coordinates by name (the others are neutral).
    t, p
        Time of wrenches and lengths, and parameter values.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.analysis import rest_pose
    >>> joint = da.Joint("z", "prismatic", "world", "bob", axis="z", stiffness=100.0)
    >>> bob = da.Machine("bob", [da.point_mass("bob", 1.0)], [joint])
    >>> round(float(rest_pose(bob).q[0]), 6)
    -0.0981
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine, backend="vm")
    if eom.constrained:
        raise InputError(
            f"rest_pose takes machines without constraints and inextensible ropes, got '{eom.machine.name}'; give "
            "ropes a stiffness, or use find_equilibrium"
        )
    values = eom.parameter_values(p)
    place = find_equilibrium(eom, guess, u=np.zeros(eom.nu), t=t, p=values)
    if not place.converged:
        raise InputError(f"no rest of machine '{eom.machine.name}' was found from this guess; give another guess")
    s, none = eom.symbolic, np.zeros(eom.nv)
    d = ca.SX.sym("d", eom.nv)
    rates = ca.Function("rates", [s.q, s.v, s.p], [s.coordinate_rate])
    pull = ca.Function("pull", [s.q, s.v, s.t, s.p], [s.bias - s.wrenches])
    beside = pull(ca.DM(place.q) + rates(ca.DM(place.q), d, s.p), ca.DM.zeros(eom.nv), s.t, s.p)
    K = np.array(ca.DM(ca.Function("K", [d, s.t, s.p], [ca.jacobian(beside, d)])(none, t, values)).full())
    named = span_tensions(eom)
    pulled = ca.Function("T", [s.q, s.v, s.t, s.p], [ca.vertcat(ca.SX(0, 1), *named.values())])
    T = np.array(ca.DM(pulled(place.q, none, t, values)).full()).ravel()
    return RestPose(place, dict(zip(named, map(float, T), strict=True)), (K + K.T) / 2)
