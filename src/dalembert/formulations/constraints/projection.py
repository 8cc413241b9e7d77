"""States that satisfy the constraints: projection of a given state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.constraint_algebra import correction, corrections
from dalembert.core.errors import InputError
from dalembert.core.types import Array

if TYPE_CHECKING:
    from dalembert.formulations.equations import EquationsOfMotion
    from dalembert.formulations.states import Parameters

__all__ = ["REACH", "ConsistentState", "consistent_state", "consistent_states", "kept_velocities"]

REACH = 0.1
"""Violation from which on a state counts as too far from the constraints to be projected onto them."""
_NONE = 1e-12
"""Violation that counts as none."""


@dataclass(frozen=True, eq=False)
class ConsistentState:
    """A state on the constraints.

    Parameters
    ----------
    q, v
        Coordinates and velocities.
    position_correction, velocity_correction
        Largest change of a coordinate (tangent displacement) and of a velocity.
    violation
        Largest violation that is left.
    """

    q: Array
    v: Array
    position_correction: float
    velocity_correction: float
    violation: float


def consistent_state(
    eom: EquationsOfMotion,
    q: ArrayLike,
    v: ArrayLike,
    *,
    t: float = 0.0,
    p: Parameters = None,
    latches: Array | None = None,
    reach: float = REACH,
    what: str = "the initial state",
) -> ConsistentState:
    """Nearest state on ``Phi = 0`` and ``Phi' = 0`` in the metric of the mass matrix, by Newton's method.

    No state is near if one of its steps is longer than 10 m or rad.

    Parameters
    ----------
    eom
        The equations.
    q, v
        The state.
    t, p, latches
        Time, parameter values, latches.
    reach
        Violation from which on a state counts as too far away and is refused.
    what
        The state, in messages.

    Raises
    ------
    InputError
        If the state is too far away, or no state near it satisfies the constraints.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.systems.mechanisms import four_bars
    >>> eom = da.equations(four_bars(1))
    >>> near = consistent_state(eom, [0.01, 0.0, 0.0], [0.0, 0.0, 0.0])
    >>> bool(abs(eom.constraints(near.q)).max() < 1e-10)
    True
    """
    system = eom.constraint_system
    state = system.latch_nominal if latches is None else latches
    x, w = np.array(q, dtype=float), np.array(v, dtype=float)
    on = system.activity(state) != 0.0
    names = [n for n, a in zip(system.row_names, on, strict=True) if a]
    total, best = np.zeros(eom.nv), np.inf
    for k in range(60):
        phi = eom.constraints(x, t=t, p=p, latches=state)[on]
        error = float(np.max(np.abs(phi), initial=0.0))
        if k == 0 and not np.isfinite(phi).all():
            wrong = names[int(np.argmax(~np.isfinite(phi)))]
            raise InputError(
                f"constraint '{wrong}' of machine '{eom.machine.name}' has no value in {what}; for a "
                "cable: is its pulley larger than the distance, or the distance zero?"
            )
        if k == 0 and not error <= reach:
            worst = int(np.argmax(np.abs(phi)))
            raise InputError(
                f"{what} violates constraint '{names[worst]}' of machine '{eom.machine.name}' by "
                f"{phi[worst]:.4g}, more than {reach:g}: give a state nearer to the constraints"
            )
        if error <= _NONE or (k > 3 and error > 0.5 * best and best < 1e-9):
            break
        best = min(best, error)
        step = _shift(eom, x, t, p, state, on, phi)
        length = float(np.max(np.abs(step)))
        if not np.isfinite(length) or length > 10.0:
            break
        x = eom.integrate(x, step)
        total = total + step
    if not error <= 1e-9:
        phi = eom.constraints(x, t=t, p=p, latches=state)[on]
        worst = int(np.argmax(np.abs(phi)))
        raise InputError(
            f"no state near {what} satisfies the constraints of machine '{eom.machine.name}': "
            f"'{names[worst]}' remains violated by {phi[worst]:.4g}"
        )
    rate = eom.constraint_velocity(x, w, t=t, p=p, latches=state)[on]
    change = _shift(eom, x, t, p, state, on, rate)
    left = eom.constraint_velocity(x, w + change, t=t, p=p, latches=state)[on]
    slack = float(np.max(np.abs(left), initial=0.0))
    if slack > 1e-8 * (1.0 + float(np.max(np.abs(rate), initial=0.0))):
        worst = int(np.argmax(np.abs(left)))
        raise InputError(
            f"no velocity satisfies the constraints of machine '{eom.machine.name}': the rate of '{names[worst]}' "
            f"stays at {left[worst]:.4g}"
        )
    return ConsistentState(
        x, w + change, float(np.max(np.abs(total))), float(np.max(np.abs(change))), max(error, slack)
    )


def consistent_states(
    eom: EquationsOfMotion,
    q: Array,
    v: Array,
    *,
    t: float,
    p: Array,
    latches: Array,
    wanted: Mapping[str, Array],
) -> tuple[Array, Array]:
    """Coordinates and velocities of many states on their constraints, as `consistent_state` and `kept_velocities` do.

    Parameters
    ----------
    eom
        The equations.
    q, v
        The states (N, nq), (N, nv).
    t, p, latches
        Time, parameter values (N, np), latches (N, n).
    wanted
        Velocities of the machine that are kept, by name, (N,) each.

    Raises
    ------
    InputError
        Naming the first member that has no such state.
    """
    on = eom.constraint_system.activity(latches) != 0.0
    q, v0 = np.array(q, dtype=float), np.array(v, dtype=float)

    def refuse(members: NDArray[np.int64]) -> None:
        for i in members:
            what = f"the initial state of member {i}"
            consistent_state(eom, q[i], v0[i], t=t, p=p[i], latches=latches[i], what=what)

    def values(function: Callable[..., Array], which: NDArray[np.int64], *arrays: Array) -> Array:
        residual = function(*(a[which] for a in arrays), t=t, p=p[which], latches=latches[which])
        return np.where(on[which], residual, 0.0)

    def shift(which: NDArray[np.int64], error: Array, rows: Array | None = None) -> Array:
        J = np.where(
            on[which][..., None], eom.constraint_jacobian(q[which], t=t, p=p[which], latches=latches[which]), 0.0
        )
        if rows is not None:
            J = np.concatenate([J, np.broadcast_to(rows, (len(J), *rows.shape[-2:]))], axis=-2)
        return corrections(eom.mass_matrix(q[which], p=p[which]), J, error)

    open_, best, error = np.arange(len(q)), np.full(len(q), np.inf), np.full(len(q), np.inf)
    start = q.copy()
    for k in range(60):
        phi = values(eom.constraints, open_, q)
        error[open_] = np.max(np.abs(phi), axis=-1, initial=0.0)
        if k == 0:
            refuse(np.flatnonzero(~(error <= REACH)))
        more = ~((error[open_] <= _NONE) | ((k > 3) & (error[open_] > 0.5 * best[open_]) & (best[open_] < 1e-9)))
        best = np.minimum(best, error)
        open_, phi = open_[more], phi[more]
        step = shift(open_, phi)
        near = np.abs(step).max(axis=-1, initial=0.0) <= 10.0
        open_, step = open_[near], step[near]
        if not len(open_):
            break
        q[open_] = eom.integrate(q[open_], step)
    q[~(error <= 1e-9)] = start[~(error <= 1e-9)]
    refuse(np.flatnonzero(~(error <= 1e-9)))
    everyone = np.arange(len(q))
    if not wanted:
        rate = values(eom.constraint_velocity, everyone, q, v0)
        projected = v0 + shift(everyone, rate)
        left = np.abs(values(eom.constraint_velocity, everyone, q, projected)).max(axis=-1, initial=0.0)
        refuse(np.flatnonzero(left > 1e-8 * (1.0 + np.abs(rate).max(axis=-1, initial=0.0))))
        return q, projected
    asked = np.stack([np.broadcast_to(value, len(q)) for value in wanted.values()], axis=-1)
    by_name = [
        _by_name(eom, q[i], p[i], wanted) for i in (everyone if not eom.formulation.machine_coordinates else [0])
    ]
    rows = np.array(by_name)

    def errors(velocities: Array) -> Array:
        held = values(eom.constraint_velocity, everyone, q, velocities)
        return np.concatenate([held, (rows @ velocities[..., None])[..., 0] - asked], axis=-1)

    before = errors(v0)
    projected = v0 + shift(everyone, before, rows)
    scale = 1.0 + np.abs(before).max(axis=-1) + np.abs(asked).max(axis=-1)
    lost = np.flatnonzero(~(np.abs(errors(projected)).max(axis=-1) <= 1e-8 * scale))
    refuse(lost)  # no velocity at all may be allowed
    if len(lost):
        raise InputError(
            f"v0: the constraints of machine '{eom.machine.name}' do not allow the velocities {', '.join(wanted)} of "
            f"member {lost[0]} together; name fewer of them, the others follow from the constraints"
        )
    return q, projected


def _by_name(eom: EquationsOfMotion, q: Array, p: Parameters, wanted: Iterable[str]) -> Array:
    """Rows that give velocities of the machine by name from those of the equations."""
    names = list(eom.machine.v_names)
    by_name = np.eye(eom.nv)
    if not eom.formulation.machine_coordinates:
        by_name = np.array([eom.to_machine(q, one, p=p)[1] for one in np.eye(eom.nv)]).T
    return by_name[[names.index(name) for name in wanted]]


def kept_velocities(
    eom: EquationsOfMotion,
    q: Array,
    v: Array,
    wanted: Mapping[str, float],
    *,
    t: float = 0.0,
    p: Parameters = None,
    latches: Array,
) -> Array | None:
    """Velocities that the constraints allow and that have the requested values; None if there are none.

    Parameters
    ----------
    eom
        The equations.
    q
        Coordinates on the constraints.
    v
        Velocities; the others change as little as they can, in the metric of the mass matrix.
    wanted
        Velocities of the machine by name.
    t, p, latches
        Time, parameter values, latches.
    """
    on = eom.constraint_system.activity(latches) != 0.0
    asked, rows = np.array(list(wanted.values()), dtype=float), _by_name(eom, q, p, wanted)

    def errors(velocities: Array) -> Array:
        rate = eom.constraint_velocity(q, velocities, t=t, p=p, latches=latches)[on]
        return np.concatenate([rate, rows @ velocities - asked])

    before = errors(v)
    J = np.vstack([eom.constraint_jacobian(q, t=t, p=p, latches=latches)[on], rows])
    new = v + correction(eom.mass_matrix(q, p=p), J, before)
    scale = 1.0 + np.abs(before).max(initial=0.0) + np.abs(asked).max(initial=0.0)
    return new if np.abs(errors(new)).max(initial=0.0) <= 1e-8 * scale else None


def _shift(
    eom: EquationsOfMotion, q: Array, t: float, p: Parameters, latches: Array, on: NDArray[np.bool_], error: Array
) -> Array:
    """Least displacement, or change of velocity, that takes an error of the acting rows away."""
    J = eom.constraint_jacobian(q, t=t, p=p, latches=latches)[on]
    if not np.isfinite(J).all():
        names = [n for n, a in zip(eom.constraint_system.row_names, on, strict=True) if a]
        wrong = names[int(np.argmax(~np.isfinite(J).all(axis=-1)))]
        raise InputError(
            f"'{wrong}' of machine '{eom.machine.name}' has no defined direction in this state: the anchor of a cable "
            "is on the axis of its swivelling pulley, or at its exit; give a state away from it"
        )
    return correction(eom.mass_matrix(q, p=p), J, error)
