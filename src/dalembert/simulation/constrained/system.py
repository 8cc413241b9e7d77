"""Constrained problems: what is integrated, and the methods that keep the constraints."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields, replace
from typing import Any

import casadi
import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["CONSTRAINT_METHODS", "ConstrainedSystem", "ConstraintMethod", "constraint_method"]

CONSTRAINT_METHODS = (
    "projection",
    "baumgarte",
    "udwadia-kalaba",
    "penalty",
    "augmented-lagrangian",
    "generalized-alpha",
    "idas",
)


@dataclass(frozen=True)
class ConstraintMethod:
    """How a simulation keeps its constraints.

    Parameters
    ----------
    name
        ``"projection"``: index 1, projected onto position and velocity constraints after each step (the default).
        ``"baumgarte"``: index 1 with ``Phi'' + 2 alpha Phi' + beta^2 Phi = 0``, the multipliers from the Schur
        complement ``J M^-1 J^T``. ``"udwadia-kalaba"``: the same equations by the pseudo-inverse of ``J M^-1/2``,
        which gives the accelerations without multipliers; in exact arithmetic the two are equal. ``"penalty"``: CDPR
        (21). ``"augmented-lagrangian"``: penalty, repeated until the accelerations satisfy the constraints.
        ``"generalized-alpha"``: implicit, on index 3 (or 2). ``"idas"``: index 1 with Baumgarte's terms by SUNDIALS.
    alpha, beta
        Rates of Baumgarte's terms [1/s].
    penalty, damping, frequency
        ``alpha_p``, ``xi_p``, ``omega_p`` of CDPR (21).
    radius
        Spectral radius of generalized-alpha at infinite frequency: 1 keeps, 0 annihilates.
    index
        Index of the equations that generalized-alpha solves: 3 (positions) or 2 (velocities).
    position_tolerance
        Violation that the projection accepts.
    reach
        Violation from which on a state is not projected but refused.
    max_iterations
        Of the augmented Lagrangian and of Newton's method.
    """

    name: str = "projection"
    alpha: float = 100.0
    beta: float = 100.0
    penalty: float = 1e8
    damping: float = 1.0
    frequency: float = 100.0
    radius: float = 0.9
    index: int = 3
    position_tolerance: float = 1e-12
    reach: float = 1e-2
    max_iterations: int = 20

    def __post_init__(self) -> None:
        if self.name not in CONSTRAINT_METHODS:
            close = difflib.get_close_matches(str(self.name), CONSTRAINT_METHODS, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            raise InputError(f"unknown constraint method {self.name!r}{hint}; known: {', '.join(CONSTRAINT_METHODS)}")
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name != "name" and not (isinstance(value, int | float) and np.isfinite(value) and value >= 0):
                raise InputError(f"{field.name} of a constraint method must be a finite number >= 0, got {value!r}")
        if self.index not in (2, 3):
            raise InputError(f"index of generalized-alpha must be 2 or 3, got {self.index!r}")
        if self.radius > 1.0:
            raise InputError(f"radius of generalized-alpha must lie between 0 and 1, got {self.radius!r}")

    @property
    def projects(self) -> bool:
        """Whether states are projected after each step."""
        return self.name == "projection"

    @property
    def rates(self) -> tuple[float, float]:
        """Baumgarte's alpha and beta; zero where the method does without."""
        return (0.0, 0.0) if self.name in ("projection", "generalized-alpha") else (self.alpha, self.beta)


def constraint_method(value: str | ConstraintMethod, **options: Any) -> ConstraintMethod:
    """Return a method by name, with options."""
    if isinstance(value, ConstraintMethod):
        return replace(value, **options)
    if not isinstance(value, str):
        raise InputError(f"constraints must be the name of a method or a ConstraintMethod, got {value!r}")
    return ConstraintMethod(value, **options)


@dataclass(frozen=True, eq=False)
class ConstrainedSystem:
    """Constrained part of a problem: ``M a + J^T lambda = f``, ``J a = gamma`` as tapes.

    Parameters
    ----------
    nq, nv, m
        Numbers of coordinates, velocities and rows.
    tape
        (t, x, c, p) -> rates of x (zero for the velocities), f, J^T, Phi, Phi', gamma, Phi_t, M.
    geometry
        (t, x, c, p) -> J^T, Phi, Phi', M.
    move
        (x, d, p) -> q moved by the tangent displacement d.
    rate
        (t, x, c, p, a, lambda) -> derivatives of ``M a + J^T lambda - f`` by a displacement and by v.
    flags
        Index in x of each row's switch, -1 if it always acts.
    row_names
        Names of the rows.
    signal_names
        Names of the recorded multipliers.
    signal_rows
        Their rows.
    unilateral
        Rows whose multiplier must not become negative.
    work_input, work_loss
        Indices in x of the works.
    constant_mass
        Whether M never changes.
    """

    nq: int
    nv: int
    m: int
    tape: casadi.Function
    geometry: casadi.Function
    move: casadi.Function
    rate: casadi.Function
    flags: NDArray[np.int64]
    row_names: tuple[str, ...]
    signal_names: tuple[str, ...]
    signal_rows: tuple[int, ...]
    unilateral: tuple[int, ...]
    work_input: int
    work_loss: int
    constant_mass: bool

    @property
    def all_signal_names(self) -> tuple[str, ...]:
        """Names of the signals that a constrained run has more than others."""
        return (*self.signal_names, "constraint.position", "constraint.velocity")

    def active(self, x: Array) -> NDArray[np.bool_]:
        """Which rows act in a state."""
        return np.where(self.flags >= 0, x[np.maximum(self.flags, 0)] > 0.5, True)
