"""Whether a machine stays at rest at every value of uncertain quantities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.equilibrium import Equilibrium, check_rest, equilibrium
from dalembert.analysis.touching import refuse_touching
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.constraints.assembly import Branch
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["RestPoint", "keeps_moving", "moved_elsewhere", "stays_at_rest"]

_CORNERS, _SAMPLES = 64, 24
_TOLERANCE = 1e-6  # that of `linearize`
_SAME = 1e-9  # distance within which constraints hold a configuration where it is
_STEPS = 20  # of Newton's method to the equilibrium nearby


@dataclass(frozen=True)
class RestPoint:
    """The operating point of an uncertain model, besides its configuration.

    Parameters
    ----------
    u
        Inputs at rest, for all values of the ranges; default those that balance the loads of each value.
    locked
        Joints that do not move, such as winches with their brakes on.
    active
        Switchable constraints and cables, by name, that are to act or not.
    branch
        Which assembly of a closed mechanism, as in `dalembert.Start`.
    independent
        Displacements to take as states of a machine with constraints; default those that carry most of the inertia.
    p
        Values of the parameters that are not named.
    """

    u: ArrayLike | None = None
    locked: Sequence[str] = ()
    active: Mapping[str, bool] | None = None
    branch: Branch = None
    independent: Sequence[str] | None = None
    p: Mapping[str, float] | ArrayLike | None = None

    @property
    def tolerance(self) -> float:
        """Largest force that may be left unbalanced, relative to the largest one."""
        return _TOLERANCE

    @property
    def settings(self) -> dict[str, Any]:
        """The part of it that `equilibrium` takes."""
        return {"u": self.u, "locked": self.locked, "active": self.active, "branch": self.branch}


def stays_at_rest(
    eom: EquationsOfMotion,
    point: Equilibrium,
    p: Array,
    coordinates: Mapping[str, int],
    numbers: Mapping[str, int],
    ranges: Mapping[str, tuple[float, float]],
    rest: RestPoint | None = None,
) -> None:
    """Refuse ranges over which the machine does not rest in one configuration, with the distance that it moves.

    Motors and constraints hold the machine as far as they can, with inputs and reactions that may differ from value to
    value. Corners of the box and random values are checked, each as `linearize` would.

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
    rest
        The rest of the operating point.
    """
    rest = RestPoint() if rest is None else rest
    where = f"machine '{eom.machine.name}' does not rest in one configuration over these ranges"
    cure = (
        "an uncertain model is about one configuration: let motors hold it, or use several models with narrower ranges"
    )
    for values in _values(ranges):
        q, numbers_now = _with(point.q, coordinates, values), _with(p, numbers, values)
        told = ", ".join(f"{n} = {v:.6g}" for n, v in values.items())
        if eom.constrained:
            name, distance = _carried(eom, point, q, numbers_now)
            if name:
                raise InputError(f"{where}: at {told} {name} is off by {distance:.6g}; {cure}")
        here = equilibrium(eom, q, p=numbers_now, **rest.settings)
        refuse_touching(eom, here.q, numbers_now, "an uncertain linear model")
        if here.unbalanced(_TOLERANCE) is not None:
            name, distance = ("", 0.0) if len(point.J) else _moved(eom, q, numbers_now)
            if name:
                raise InputError(f"{where}: at {told} its equilibrium has moved by {distance:.6g} in '{name}'; {cure}")
        hint = f"this is at {told}"
        check_rest(eom, here, np.zeros(eom.nv), _TOLERANCE, t=0.0, p=numbers_now, hint=hint)
        if len(point.J) and not np.array_equal(here.latches, point.latches):
            raise InputError(f"{where}: other constraints or cables act at {told}; {cure}")


def keeps_moving(
    eom: EquationsOfMotion,
    point: Equilibrium,
    p: Array,
    coordinates: Mapping[str, int],
    numbers: Mapping[str, int],
    ranges: Mapping[str, tuple[float, float]],
    motion: Mapping[str, int],
) -> None:
    """Refuse a motion of coordinates that moves others, too: motors must hold these, or no force acts on them.

    Parameters
    ----------
    eom, point, p, coordinates, numbers, ranges
        As in `stays_at_rest`; the ranges include those of rates and accelerations.
    motion
        Coordinates that move, with their places among the velocities.
    """
    for values, left, scale in _left_over(eom, point, p, coordinates, numbers, ranges, motion):
        k = int(np.abs(left).argmax())
        if abs(left[k]) > _TOLERANCE * scale:
            told = ", ".join(f"{n} = {x:.6g}" for n, x in values.items())
            raise InputError(
                f"the motion of {', '.join(motion)} moves machine '{eom.machine.name}' elsewhere: at {told} a force of "
                f"{left[k]:.6g} at '{eom.v_names[k]}' is left unbalanced by the motors"
            )


def moved_elsewhere(
    eom: EquationsOfMotion,
    point: Equilibrium,
    p: Array,
    coordinates: Mapping[str, int],
    ranges: Mapping[str, tuple[float, float]],
    motion: Mapping[str, int],
    numbers: Mapping[str, int],
) -> dict[str, float]:
    """Velocities at which a motion leaves forces that motors do not balance, with the largest of each that was met.

    Parameters
    ----------
    eom, point, p, coordinates, ranges, motion, numbers
        As in `keeps_moving`.
    """
    most: dict[str, float] = {}
    for _, left, scale in _left_over(eom, point, p, coordinates, numbers, ranges, motion):
        for k in np.flatnonzero(np.abs(left) > _TOLERANCE * scale):
            name = eom.v_names[k]
            most[name] = max(most.get(name, 0.0), abs(float(left[k])))
    return most


def _left_over(
    eom: EquationsOfMotion,
    point: Equilibrium,
    p: Array,
    coordinates: Mapping[str, int],
    numbers: Mapping[str, int],
    ranges: Mapping[str, tuple[float, float]],
    motion: Mapping[str, int],
) -> Iterator[tuple[dict[str, float], Array, float]]:
    """Values of a motion, the forces that motors leave unbalanced there, and the size of all forces."""
    s = eom.symbolic
    load = s.inverse_dynamics - s.losses - s.wrenches
    at = ca.Function("moving", [s.q, s.v, s.a, s.u, s.t, s.p], [load, ca.jacobian(s.actuation, s.u)])
    for values in _values(ranges):
        q, now = _with(point.q, coordinates, values), _with(p, numbers, values)
        v, a = np.zeros(eom.nv), np.zeros(eom.nv)
        v[list(motion.values())] = [values[f"{n}.rate"] for n in motion]
        a[list(motion.values())] = [values.get(f"{n}.acceleration", 0.0) for n in motion]
        force, B = (np.array(ca.DM(x).full()) for x in at(q, v, a, point.u, 0.0, now))
        left = force[:, 0] - (B @ np.linalg.lstsq(B, force[:, 0], rcond=1e-10)[0] if eom.nu else 0.0)
        yield values, left, max(float(np.abs(force).max()), point.scale, 1e-12)


def _carried(eom: EquationsOfMotion, point: Equilibrium, q: Array, p: Array) -> tuple[str, float]:
    """The constraint that other values violate most in the configuration, and by how much; no name if none is."""
    system = eom.constraint_system
    latches = system.latch_table.measured(point.latches, q, 0.0, p)
    if not np.allclose(latches, point.latches, rtol=_SAME, atol=_SAME):
        return "the pose that a constraint holds", float(np.abs(latches - point.latches).max())
    phi = np.abs(eom.constraints(q, t=0.0, p=p, latches=point.latches)) * (system.activity(point.latches) != 0.0)
    if not phi.max(initial=0.0) > _SAME:
        return "", 0.0
    k = int(phi.argmax())
    return f"constraint '{system.row_names[k]}'", float(phi[k])


def _with(x: Array, places: Mapping[str, int], values: Mapping[str, float]) -> Array:
    """A copy with the values of these names in their places."""
    now = x.copy()
    now[list(places.values())] = [values[n] for n in places]
    return now


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
    if not np.isfinite(rest.residual).all() or rest.unbalanced(_TOLERANCE) is not None:
        return "", 0.0
    way = np.abs(now - start)
    k = int(way.argmax())
    return eom.q_names[k], float(way[k])
