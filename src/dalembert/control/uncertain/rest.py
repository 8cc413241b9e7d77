"""Whether a machine stays at rest at every value of uncertain quantities."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice, product

import casadi as ca
import numpy as np

from dalembert.analysis.equilibrium import Equilibrium, check_rest, equilibrium
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["stays_at_rest"]

_CORNERS, _SAMPLES = 64, 24
_TOLERANCE = 1e-6  # that of `linearize`
_STEPS = 20  # of Newton's method to the equilibrium nearby


def stays_at_rest(
    eom: EquationsOfMotion,
    point: Equilibrium,
    p: Array,
    coordinates: Mapping[str, int],
    numbers: Mapping[str, int],
    ranges: Mapping[str, tuple[float, float]],
) -> None:
    """Refuse ranges over which the machine does not rest in one configuration, with the distance that it moves.

    Motors hold the machine as far as they can, with inputs that may differ from value to value as long as the model
    does not depend on them. Corners of the box and random values are checked, each as `linearize` would.

    Parameters
    ----------
    eom
        The equations.
    point
        Configuration and inputs in the middle of things.
    p
        Values of all parameters.
    coordinates, numbers
        Uncertain coordinates and parameters, with their places in ``q`` and ``p``.
    ranges
        Their ranges.
    """
    s = eom.symbolic
    stiff = ca.jacobian(ca.jtimes(s.actuation, s.q, ca.SX.ones(eom.nq)), s.u) if eom.nu else ca.SX(0, 0)
    held_by_inputs = stiff.nnz() > 0
    for values in _values(ranges):
        q, numbers_now = point.q.copy(), p.copy()
        for name, k in coordinates.items():
            q[k] = values[name]
        for name, k in numbers.items():
            numbers_now[k] = values[name]
        here = equilibrium(eom, q, p=numbers_now)
        told = ", ".join(f"{n} = {v:.6g}" for n, v in values.items())
        left = np.abs(here.residual)
        if left.max(initial=0.0) > _TOLERANCE * max(here.scale, 1e-12):
            name, distance = _moved(eom, q, numbers_now)
            where = f"machine '{eom.machine.name}' does not rest in one configuration over these ranges"
            if name:
                raise InputError(
                    f"{where}: at {told} its equilibrium has moved by {distance:.6g} in '{name}'; an uncertain model "
                    "is about one configuration: let motors hold it, or use several models with narrower ranges"
                )
            check_rest(eom, here, np.zeros(eom.nv), _TOLERANCE, t=0.0, p=numbers_now, hint=f"this is at {told}")
        change = np.abs(here.u - point.u)
        if held_by_inputs and change.max(initial=0.0) > 1e-9 * np.abs([*here.u, *point.u]).max(initial=1e-300):
            k = int(change.argmax())
            raise InputError(
                f"input '{eom.u_names[k]}' of machine '{eom.machine.name}' holds it at {here.u[k]:.6g} at {told} and "
                f"with {point.u[k]:.6g} at the given values, and its stiffness depends on that: such a model over "
                "ranges is not supported"
            )


def _values(ranges: Mapping[str, tuple[float, float]]) -> list[dict[str, float]]:
    """Corners of a box, the first of them, and random values inside."""
    rng = np.random.default_rng(0)
    corners = [dict(zip(ranges, corner, strict=True)) for corner in islice(product(*ranges.values()), _CORNERS)]
    return corners + [{n: float(rng.uniform(*span)) for n, span in ranges.items()} for _ in range(_SAMPLES)]


def _moved(eom: EquationsOfMotion, q: Array, p: Array) -> tuple[str, float]:
    """The coordinate that moves most on the way to the equilibrium nearby, and how far; no name if there is none."""
    s = eom.symbolic
    load = s.bias - s.losses - s.wrenches - s.actuation
    d = ca.SX.sym("d", eom.nv)
    rate = ca.Function("rate", [s.q, s.v, s.p], [s.coordinate_rate])
    K = ca.jacobian(ca.jtimes(load, s.q, rate(s.q, d, s.p)), d)
    f = ca.Function("rest", [s.q, s.v, s.u, s.t, s.p], [load, K, ca.jacobian(load, s.u)])
    zero, u, start, now = np.zeros(eom.nv), np.zeros(eom.nu), q.copy(), q.copy()
    for _ in range(_STEPS):
        r, stiffness, B = (np.array(ca.DM(x).full()) for x in f(now, zero, u, 0.0, p))
        step = np.linalg.lstsq(np.hstack([stiffness, B]), -r[:, 0], rcond=1e-12)[0]
        if not np.isfinite(step).all():
            return "", 0.0
        now = now + np.array(rate(now, step[: eom.nv], p).full())[:, 0]
        u = u + step[eom.nv :]
    rest = equilibrium(eom, now, p=p)
    if not np.abs(rest.residual).max(initial=0.0) <= _TOLERANCE * max(rest.scale, 1e-12):
        return "", 0.0
    way = np.abs(now - start)
    k = int(way.argmax())
    return eom.q_names[k], float(way[k])
