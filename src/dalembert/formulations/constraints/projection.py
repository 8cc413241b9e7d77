"""States that satisfy the constraints: projection of a given state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.constraint_algebra import correction
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["ConsistentState", "consistent_state", "kept_velocities"]


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
    eom: Any,
    q: ArrayLike,
    v: ArrayLike,
    *,
    t: float = 0.0,
    p: Any = None,
    latches: Array | None = None,
    reach: float = 0.1,
    tolerance: float = 1e-12,
    what: str = "the initial state",
) -> ConsistentState:
    """Nearest state on ``Phi = 0`` and ``Phi' = 0`` in the metric of the mass matrix, by Newton's method.

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
    tolerance
        Violation that counts as none.
    what
        The state, in messages.

    Raises
    ------
    InputError
        If the state is too far away, or no state near it satisfies the constraints.
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
                f"constraint '{wrong}' of machine '{eom.machine.name}' has no value in {what}; of a "
                "cable: is its pulley larger than the distance, or the distance zero?"
            )
        if k == 0 and not error <= reach:
            worst = int(np.argmax(np.abs(phi)))
            raise InputError(
                f"{what} violates constraint '{names[worst]}' of machine '{eom.machine.name}' by "
                f"{phi[worst]:.4g}, more than {reach:g}: give a state nearer to the constraints"
            )
        if error <= tolerance or (k > 3 and error > 0.5 * best and best < 1e-9):
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
            f"'{names[worst]}' stays off by {phi[worst]:.4g}"
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


def kept_velocities(
    eom: Any, q: Array, v: Array, wanted: Mapping[str, float], *, t: float = 0.0, p: Any = None, latches: Array
) -> Array | None:
    """Velocities that the constraints allow and that have the values which were asked for; None if there are none.

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
    names, asked = list(eom.machine.v_names), np.array(list(wanted.values()), dtype=float)
    by_name = np.eye(eom.nv)
    if not eom.formulation.machine_coordinates:
        by_name = np.array([eom.to_machine(q, one, p=p)[1] for one in np.eye(eom.nv)]).T
    rows = by_name[[names.index(name) for name in wanted]]

    def errors(velocities: Array) -> Array:
        rate = eom.constraint_velocity(q, velocities, t=t, p=p, latches=latches)[on]
        return np.concatenate([rate, rows @ velocities - asked])

    before = errors(v)
    J = np.vstack([eom.constraint_jacobian(q, t=t, p=p, latches=latches)[on], rows])
    new = v + correction(eom.mass_matrix(q, p=p), J, before)
    scale = 1.0 + np.abs(before).max(initial=0.0) + np.abs(asked).max(initial=0.0)
    return new if np.abs(errors(new)).max(initial=0.0) <= 1e-8 * scale else None


def _shift(eom: Any, q: Array, t: float, p: Any, latches: Array, on: NDArray[np.bool_], error: Array) -> Array:
    """Least displacement, or change of velocity, that takes an error of the acting rows away."""
    J = eom.constraint_jacobian(q, t=t, p=p, latches=latches)[on]
    return correction(eom.mass_matrix(q, p=p), J, error)
