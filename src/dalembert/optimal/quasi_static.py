"""Coordinates that follow their loads in a plan: fast deflections without inertia.

A deflection ``s`` whose own frequency is far above that of the motion is nearly the one that its load would cause at
rest. A grid that resolved its vibration would need as many intervals as periods. Its equation of motion is therefore
taken at ``s' = s'' = 0``,

    K_s s + (forces of the other coordinates on s) = 0,

and ``s`` is an unknown of each point instead of a state (the slow manifold to lowest order; Kokotovic, Khalil,
O'Reilly: Singular Perturbation Methods in Control, 1.2). It has no condition at the ends. The errors of a plan are
those of the whole machine, with the inertia of all coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array
from dalembert.core.validation import check_names, check_number
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.elastic.contract import Elastic
from dalembert.optimal.phase_model import PhaseModel

__all__ = ["StaticCoordinates", "fastest_coordinate", "static_coordinates", "vibrations"]


@dataclass(frozen=True, eq=False)
class StaticCoordinates:
    """Coordinates that follow their loads.

    Parameters
    ----------
    q, v
        Their places in coordinates and velocities.
    start
        Their values at the start of the machine.
    """

    q: tuple[int, ...] = ()
    v: tuple[int, ...] = ()
    start: tuple[float, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.q)

    def states(self, nq: int) -> set[int]:
        """Their places, and those of their velocities, in ``(q, v)``."""
        return {*self.q, *(nq + k for k in self.v)}


def _elastic(eom: EquationsOfMotion) -> list[tuple[int, int]]:
    """Places in coordinates and velocities of the deflections of flexible bodies."""
    bodies = tuple(f"{b.name}." for b in eom.machine.bodies if isinstance(b, Elastic))
    pairs = []
    for k, name in enumerate(eom.q_names):
        if bodies and name.startswith(bodies) and f"{name}_dot" in eom.v_names:
            pairs.append((k, eom.v_names.index(f"{name}_dot")))
    return pairs


def _linear_parts(model: PhaseModel, t: float, q: Array, p: Array) -> tuple[Array, Array]:
    """Mass matrix and stiffness: derivatives of the balance of forces by accelerations and by coordinates, at rest."""
    s = model.eom.symbolic
    f = ca.Function(
        "parts", [s.t, s.q, s.v, s.a, s.u, s.p, model.multipliers],
        [ca.densify(ca.jacobian(model.balance, x)) for x in (s.a, s.q)],
    )  # fmt: skip
    e = model.eom
    M, K = f(t, q, np.zeros(e.nv), np.zeros(e.nv), np.zeros(e.nu), p, np.zeros(model.m))
    return np.array(M), np.array(K)


def vibrations(model: PhaseModel, t: float, q: Array, p: Array, static: StaticCoordinates) -> tuple[Array, Array]:
    """Angular frequencies [rad/s] and shapes (columns) of the coordinates with inertia, without losses, at rest.

    With ``d`` for these and ``s`` for those that follow their loads, ``s = -K_ss^-1 (M_sd d'' + K_sd d)`` in

        M_dd d'' + K_dd d + K_ds s = 0.
    """
    M, K = _linear_parts(model, t, q, p)
    e = model.eom
    rates = ca.Function("B", [e.symbolic.q], [ca.densify(ca.jacobian(e.symbolic.coordinate_rate, e.symbolic.v))])
    K, s = K @ np.array(rates(q)), list(static.v)
    d = [k for k in range(e.nv) if k not in s]
    mass, stiffness = M[np.ix_(d, d)], K[np.ix_(d, d)]
    if s:
        follow = np.linalg.solve(K[np.ix_(s, s)], np.hstack([M[np.ix_(s, d)], K[np.ix_(s, d)]]))
        mass, stiffness = (
            x - K[np.ix_(d, s)] @ y for x, y in zip((mass, stiffness), np.split(follow, 2, 1), strict=True)
        )
    squares, shapes = np.linalg.eig(np.linalg.solve(mass, stiffness))
    return np.sqrt(np.maximum(squares.real, 0.0)), np.asarray(shapes.real)


def fastest_coordinate(model: PhaseModel, t: float, q: Array, p: Array, static: StaticCoordinates) -> str:
    """Name of the coordinate in which most of the fastest vibration's potential energy is."""
    omegas, shapes = vibrations(model, t, q, p, static)
    _, K = _linear_parts(model, t, q, p)
    nq, nv = model.eom.nq, model.eom.nv
    stiffness = np.diag(K) if nq == nv else np.abs(K).max(axis=1)
    d = [k for k in range(nv) if k not in static.v]
    energy = stiffness[d] * shapes[:, int(np.argmax(omegas))] ** 2
    return model.eom.v_names[d[int(np.argmax(energy))]].removesuffix("_dot")


def static_coordinates(
    model: PhaseModel, choice: float | Sequence[str] | None, t: float, q: Array, p: Array
) -> StaticCoordinates:
    """Return the chosen coordinates.

    Parameters
    ----------
    model
        The machine of a phase.
    choice
        Names of coordinates; or the angular frequency [rad/s] above which deflections of flexible bodies follow their
        loads, ``sqrt(K_ii / M_ii)`` of the coordinate alone; None: no coordinate does.
    t, q, p
        Time, coordinates and parameters at the start.
    """
    eom = model.eom
    where = f"machine '{eom.machine.name}'"
    if choice is None:
        return StaticCoordinates()
    M, K = _linear_parts(model, t, q, p)
    if isinstance(choice, int | float):
        least = check_number("static", choice)
        pairs = [(i, j) for i, j in _elastic(eom) if K[j, i] > least**2 * M[j, j]]
        if not pairs:
            own = [float(np.sqrt(max(K[j, i] / M[j, j], 0.0))) for i, j in _elastic(eom)]
            fastest = f"the fastest has {max(own):.3g} rad/s" if own else "it has no flexible bodies"
            raise InputError(f"static = {least:g} rad/s: no deflection of {where} is faster, {fastest}")
    else:
        pairs = []
        for name in check_names(choice, "static"):
            if name not in eom.q_names:
                raise UnknownNameError("coordinate", name, eom.q_names, f"static, {where}")
            if f"{name}_dot" not in eom.v_names:
                raise InputError(f"static: '{name}' of {where} is one of several coordinates of its joint")
            pairs.append((eom.q_names.index(name), eom.v_names.index(f"{name}_dot")))
    _check_loads(model, pairs, K, t, q, p)
    places, rates = ([pair[k] for pair in pairs] for k in (0, 1))
    return StaticCoordinates(tuple(places), tuple(rates), tuple(q[places].tolist()))


def _check_loads(model: PhaseModel, pairs: Sequence[tuple[int, int]], K: Array, t: float, q: Array, p: Array) -> None:
    """Refuse coordinates that no load determines, and those that constraints move."""
    eom = model.eom
    names = [eom.q_names[i] for i, _ in pairs]
    S = K[np.ix_([j for _, j in pairs], [i for i, _ in pairs])]
    size = np.sqrt(np.abs(np.diag(S)))
    for name, x in zip(names, np.diag(S), strict=True):
        if not x > 0.0:
            raise InputError(f"static: '{name}' has no stiffness at the start (got {x:.3g}): no load determines it")
    if np.linalg.cond(S / np.outer(size, size)) > 1e10:
        raise InputError(f"static: the stiffness of {', '.join(names)} is singular at the start")
    if not model.m:
        return
    s = eom.symbolic
    J = ca.Function("J", [s.t, s.q, s.p], [ca.densify(model.jacobian)])
    moved = np.abs(np.array(J(t, q, p)))[:, [j for _, j in pairs]]
    for row, values in zip(model.row_names, moved, strict=True):
        for name, x in zip(names, values, strict=True):
            if x > 0.0:
                raise InputError(f"static: '{name}' is moved by constraint '{row}': it cannot follow its load alone")
