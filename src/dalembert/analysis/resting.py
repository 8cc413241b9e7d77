"""Where a machine on springs, elastic ropes and heavy cables comes to rest, with its tensions and its stiffness."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.states import named_vector
from dalembert.core.types import Array, StateLike
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.model.machine import Machine

__all__ = ["RestPose", "rest_pose"]

_STEPS = 200
_BALANCED = 1e-10  # force left, as a part of the largest weight or pull


@dataclass(frozen=True, eq=False)
class RestPose:
    """A machine at rest.

    Parameters
    ----------
    q
        Its coordinates.
    tensions
        Tensions of the elastic ropes and cables by name [N]; of a heavy one at the end of its path.
    stiffness
        Derivative of the forces that hold the machine there with respect to tangent displacements (nv x nv), exact and
        symmetric.
    residual
        Largest generalised force that is left.
    """

    q: Array
    tensions: dict[str, float]
    stiffness: Array
    residual: float

    @property
    def stable(self) -> bool:
        """Whether every small displacement takes work."""
        return bool(np.linalg.eigvalsh(self.stiffness).min() > 0.0)


def rest_pose(
    machine: Machine | EquationsOfMotion, guess: StateLike = None, *, t: float = 0.0, p: Parameters = None
) -> RestPose:
    """Return the configuration in which weight, springs, elastic ropes and heavy cables balance, without motors.

    Newton's method on the generalised forces, in the tangent space of the configuration; steps that raise the energy
    are shortened, and where the stiffness is not positive the step follows the forces instead.

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
            "ropes a stiffness, or use equilibrium"
        )
    values = eom.parameter_values(p)
    s = eom.symbolic
    d = ca.SX.sym("d", eom.nv)
    rates = ca.Function("rates", [s.q, s.v, s.p], [s.coordinate_rate])
    pull = ca.Function("pull", [s.q, s.v, s.t, s.p], [s.bias - s.wrenches])
    beside = pull(s.q + rates(s.q, d, s.p), ca.SX.zeros(eom.nv), s.t, s.p)
    slope = ca.Function(
        "slope", [s.q, s.t, s.p], [ca.substitute(x, d, ca.SX.zeros(eom.nv)) for x in (beside, ca.jacobian(beside, d))]
    )
    weight = ca.Function("weight", [s.q, s.p], [s.gravity])
    q = named_vector(guess, eom.q_names, eom.q_neutral, "guess")
    fault = eom.constraint_system.route_fault(q[None], t, values) if eom.machine.all_ropes else None
    if fault is not None:
        raise InputError(f"guess: {fault[1]}")
    M = eom.mass_matrix(q, p=values)

    def forces(at: Array) -> tuple[Array, Array]:
        f, K = slope(at, t, values)
        return np.array(ca.DM(f).full())[:, 0], np.array(ca.DM(K).full())

    f, K = forces(q)
    size = float(np.abs(np.array(ca.DM(weight(q, values)).full())).max(initial=0.0))
    for _ in range(_STEPS):
        scale = max(size, float(np.abs(f).max(initial=0.0)) * 1e-6, 1e-9)
        if not np.isfinite(f).all() or np.abs(f).max(initial=0.0) <= _BALANCED * scale:
            break
        symmetric = (K + K.T) / 2
        least = float(np.linalg.eigvalsh(symmetric).min())
        shift = 0.0 if least > 0.0 else 1e-3 * float(np.abs(symmetric).max()) - least
        step = -np.linalg.solve(symmetric + shift * M / np.trace(M) * len(M) if shift else K, f)
        part, done = 1.0, False
        while part > 1e-6 and not done:
            new = eom.integrate(q, part * step)
            f_new, K_new = forces(new)
            done = bool(np.isfinite(f_new).all() and np.linalg.norm(f_new) < np.linalg.norm(f))
            part /= 2.0
        if not done:
            break
        q, f, K = new, f_new, K_new
    left = float(np.abs(f).max(initial=0.0))
    if not left <= 1e-7 * max(size, 1e-9):
        raise InputError(
            f"no rest of machine '{eom.machine.name}' was found from this guess: a force of {left:.4g} is left; give "
            "another guess"
        )
    terms = eom.formulation.elastic_ropes()
    named = {f"{c.rope.tension_names[k]}": c.tension for c in terms for k in c.spans}
    pulled = ca.Function("T", [s.q, s.v, s.t, s.p], [ca.vertcat(ca.SX(0, 1), *named.values())])
    T = np.array(ca.DM(pulled(q, np.zeros(eom.nv), t, values)).full())[:, 0] if named else np.zeros(0)
    return RestPose(q, dict(zip(named, map(float, T), strict=True)), (K + K.T) / 2, left)
