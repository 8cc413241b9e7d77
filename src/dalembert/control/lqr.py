"""Linear-quadratic regulators of machines, designed on their linear model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, Unpack, cast

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.linearize import equilibrium, linearize, reduction, state_space_names
from dalembert.control.law_bases import Reference, _driven, _Named, _reference, _Stateless, _thrusters_off
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.keywords import field_defaults, flat_keywords, grouped
from dalembert.core.labels import as_numbers, by_name
from dalembert.core.types import Array, Expression, StateLike
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.machine import Machine

if TYPE_CHECKING:
    import control

__all__ = ["LQR", "Holding", "design_lqr", "lqr_gain", "weight_matrix"]

Weights = ArrayLike | Mapping[str, float]


def lqr_gain(plant: control.StateSpace, Q: ArrayLike, R: ArrayLike) -> Array:
    """Gain ``K`` of ``u = -K x`` that minimises the integral of ``x^T Q x + u^T R u``.

    Raises
    ------
    InputError
        If the plant cannot be stabilised, or a weight leaves an unstable mode unseen.

    Examples
    --------
    >>> import control
    >>> import numpy as np
    >>> plant = control.ss([[0.0, 1.0], [0.0, 0.0]], [[0.0], [1.0]], np.eye(2), 0)
    >>> lqr_gain(plant, np.diag([1.0, 0.0]), [[1.0]]).round(6).tolist()
    [[1.0, 1.414214]]
    """
    from scipy.linalg import LinAlgError, solve_continuous_are

    A, B = np.asarray(plant.A, dtype=float), np.asarray(plant.B, dtype=float)
    Q, R = as_numbers(Q), as_numbers(R)
    # Balance the states: angles and forces of a crane differ by many powers of ten.
    s = 1.0 / np.sqrt(np.maximum(np.diag(Q), 1e-6 * np.diag(Q).max()))
    r = 1.0 / np.sqrt(np.diag(R))
    try:
        X = solve_continuous_are(A * s / s[:, None], B / s[:, None] * r, Q * np.outer(s, s), R * np.outer(r, r))
    except (LinAlgError, ValueError) as error:
        raise InputError(
            f"no stabilising regulator exists for '{plant.name}' with these weights ({error}): "
            "a mode is not controllable, or an undamped mode has no weight"
        ) from None
    K = np.linalg.solve(R, B.T @ (X / np.outer(s, s)))
    poles = np.linalg.eigvals(A - B @ K)
    if poles.real.max() >= 0:
        raise InputError(f"the regulator of '{plant.name}' leaves a pole at {poles[poles.real.argmax()]:.3g}")
    return np.asarray(K, dtype=float)


@dataclass(frozen=True)
class LQR(_Stateless):
    """State feedback ``u = u0 - K [q - r; v - r'] + M_a r''`` (made by `design_lqr`).

    Parameters
    ----------
    gain
        ``K`` (nu x 2 nv), on tangent displacements and velocities.
    q0, u0
        The equilibrium that it was designed at.
    reference
        Positions of the driven joints (one per motor) or of all coordinates: numbers or a function of time; None:
        those of ``q0``.
    feedforward
        Rows ``M_a`` of the mass matrix at ``q0`` (nu x nv); zeros switch the feedforward off.
    """

    gain: ArrayLike
    q0: ArrayLike
    u0: ArrayLike
    reference: Reference | None
    feedforward: ArrayLike

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs as expressions."""
        K, M_a = np.asarray(self.gain), np.asarray(self.feedforward)
        if K.shape != (eom.nu, 2 * eom.nv):
            raise InputError(
                f"this LQR was designed for {K.shape[1] // 2} velocities and {K.shape[0]} motors; "
                f"machine '{eom.machine.name}' has {eom.nv} and {eom.nu}"
            )
        rows_q, rows_v, n = _driven(eom, "LQR", thrusters=True)
        target, rate = ca.SX(ca.DM(np.asarray(self.q0))), ca.SX(eom.nv, 1)
        forward = ca.SX(eom.nu, 1)
        if self.reference is not None:
            whole = self._is_whole(eom)
            r, rd, rdd = _reference(self.reference, t, eom.nq if whole else eom.u_names, "LQR")
            if whole:
                target, rate = r, rd
            else:
                target[rows_q], rate[rows_v] = r, rd
            forward = _thrusters_off(eom, ca.DM(M_a if whole else M_a[:, rows_v]) @ rdd / n)
        error = ca.vertcat(eom.layout.difference(target, q), v - rate)
        return ca.DM(np.asarray(self.u0)) - ca.DM(K) @ error + forward, ca.SX(0, 1)

    def _is_whole(self, eom: EquationsOfMotion) -> bool:
        """Whether the reference is one of all coordinates."""
        if isinstance(self.reference, _Named):
            return False
        sample = self.reference(ca.SX.sym("t")) if callable(self.reference) else self.reference
        size = sample.numel() if isinstance(sample, ca.SX | ca.DM) else np.size(cast(ArrayLike, sample))
        if size == eom.nq != eom.nu and eom.layout.quaternions:
            raise InputError("LQR: a reference of all coordinates needs a machine without quaternions")
        return bool(size == eom.nq != eom.nu)


@dataclass(frozen=True)
class Holding:
    """Loads that hold a machine at the equilibrium of a regulator's design, as in `dalembert.analysis.linearize`.

    Parameters
    ----------
    u
        Inputs that hold the machine; None: those that balance its loads.
    independent
        For a machine with constraints: displacements that are fed back. A reference of the driven joints needs these
        among them. None: those that carry most of the inertia.
    locked
        Joints that do not move.
    active
        Switchable constraints and cables, by name, that are to act or not; None: as in the machine.

    Examples
    --------
    >>> Holding(locked=["winch"]).locked
    ['winch']
    """

    u: ArrayLike | None = None
    independent: Sequence[str] | None = None
    locked: Sequence[str] = ()
    active: Mapping[str, bool] | None = None


class _Keywords(TypedDict, total=False):
    """Short forms of `Holding`."""

    u: ArrayLike | None
    independent: Sequence[str] | None
    locked: Sequence[str]
    active: Mapping[str, bool] | None


@flat_keywords(_Keywords, defaults=field_defaults(Holding))
def design_lqr(
    machine: Machine | EquationsOfMotion,
    at: StateLike = None,
    *,
    Q: Weights = 1.0,
    R: Weights = 1.0,
    reference: Reference | None = None,
    feedforward: bool = True,
    holding: Holding | None = None,
    p: Mapping[str, float] | ArrayLike | None = None,
    **keywords: Unpack[_Keywords],
) -> LQR:
    """Design a regulator on the linear model of a machine.

    Parameters
    ----------
    machine
        The machine, or its equations.
    at
        Equilibrium; see `linearize`.
    Q, R
        Weights of states and inputs: one number, a diagonal, a matrix, or a mapping of names to numbers (states that
        are not named have weight zero).
    reference
        Positions of the driven joints or of all coordinates, as numbers or a function of time.
    feedforward
        Whether to add the force that moves the machine's inertia along the reference; machines with constraints have
        none.
    holding
        Inputs, locked joints and constraints that hold the machine, and which displacements are fed back.
    p
        Parameter values.
    **keywords
        Fields of `Holding`: ``u``, ``independent``, ``locked``, ``active``.
    """
    holding = grouped(Holding, holding, keywords)
    u, independent, locked, active = holding.u, holding.independent, holding.locked, holding.active
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    point = equilibrium(eom, at, u=u, locked=locked, active=active, p=p)
    plant = linearize(eom, at, u=u, independent=independent, locked=locked, active=active, p=p)
    states = reduction(eom, at, independent=independent, locked=locked, active=active, p=p)
    names = [state_space_names(eom)[i + k] for k in (0, eom.nv) for i in states.independent]
    gain = lqr_gain(plant, weight_matrix(Q, names, "Q"), weight_matrix(R, eom.u_names, "R", strict=True))
    pick = states.selection
    gain = np.hstack([gain[:, : len(pick)] @ pick, gain[:, len(pick) :] @ pick])
    _, rows, _ = _driven(eom, "LQR", thrusters=True)
    held = len(pick) < eom.nv
    if held and reference is not None and not set(rows) <= set(states.independent):
        driven = ", ".join(m.joint for m in eom.machine.motors)
        raise InputError(
            f"LQR: a reference of the driven joints ({driven}) of machine '{eom.machine.name}', which has constraints, "
            "needs them as 'independent' displacements"
        )
    M = eom.mass_matrix(point.q, p=p)[rows, :]
    return LQR(gain, point.q, point.u, reference, M if feedforward and not held else np.zeros_like(M))


def weight_matrix(value: Weights, names: Sequence[str], what: str, *, strict: bool = False) -> Array:
    """Return a symmetric weight matrix.

    Parameters
    ----------
    value
        One number, a diagonal, a matrix, or a mapping of names to numbers (those that are not named have weight zero).
    names
        Names of its rows.
    what
        The matrix in messages.
    strict
        Whether it must be positive definite.
    """
    n = len(names)
    value = by_name(value, what)
    if isinstance(value, Mapping):
        for name in value:
            if name not in names:
                raise UnknownNameError("weight", name, names, what)
        W = np.diag(_floats([value.get(name, 0.0) for name in names], what))
    else:
        array = _floats(value, what)
        if array.shape not in ((), (n,), (n, n)):
            raise InputError(f"{what} must be one number, {n} numbers or {n} x {n}, got shape {array.shape}")
        W = array if array.ndim == 2 else np.diag(np.broadcast_to(array, (n,)))
    if not np.isfinite(W).all():
        raise InputError(f"{what} must be finite, got {value!r}")
    if np.abs(W - W.T).max(initial=0.0) > 1e-9 * np.abs(W).max(initial=0.0):
        raise InputError(f"{what} must be symmetric, got {value!r}")
    least = np.linalg.eigvalsh((W + W.T) / 2).min() if n else 1.0
    if least < -1e-12 * np.abs(W).max() or (strict and least <= 0):
        raise InputError(f"{what} must be positive {'definite' if strict else 'semidefinite'}, got {value!r}")
    return (W + W.T) / 2


def _floats(value: object, what: str) -> Array:
    try:
        return as_numbers(cast(ArrayLike, value))
    except (TypeError, ValueError):
        raise InputError(f"{what} must be numbers, got {value!r}") from None
