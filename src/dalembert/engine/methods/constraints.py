"""The methods that keep constraints, each with its own settings and its capabilities.

A method says how it solves ``M a + J^T lambda = f``, ``J a = gamma`` (`routine` and `settings` for constrained.c),
whether it projects, and whether it works under every explicit integrator or brings its own. No other code depends on
its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.renamed import renamed
from dalembert.engine.methods.named import NamedMethod, method_of

__all__ = [
    "CONSTRAINT_METHODS",
    "AugmentedLagrangian",
    "Baumgarte",
    "ConstraintMethod",
    "EnlargedProjection",
    "GeneralizedAlpha",
    "Idas",
    "Penalty",
    "Projection",
    "UdwadiaKalaba",
    "constraint_method",
]

_INDEX_1, _UDWADIA_KALABA, _PENALTY, _AUGMENTED = range(4)  # the routines of constrained.c


@dataclass(frozen=True)
class ConstraintMethod(NamedMethod):
    """Constraint method of a simulation: one of the classes below, or its name.

    Attributes
    ----------
    routine
        Routine of constrained.c that solves for accelerations and multipliers.
    projects
        Whether each accepted step is projected onto the constraints.
    implicit
        Whether that integrator is the one-step method of constrained_alpha.c, which needs derivatives.
    tapes
        Functions of `ConstrainedSystem` that it needs in native code.

    Examples
    --------
    >>> import dalembert as da
    >>> isinstance(da.Projection(), da.ConstraintMethod)
    True
    """

    routine: ClassVar[int] = _INDEX_1
    projects: ClassVar[bool] = False
    implicit: ClassVar[bool] = False
    tapes: ClassVar[tuple[str, ...]] = ("tape", "free")

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not np.isfinite(value) or value < 0:
                raise InputError(f"{field.name} of {type(self).__name__} must be a finite number >= 0, got {value!r}")
            if field.type == "int" and value != int(value):
                raise InputError(f"{field.name} of {type(self).__name__} must be a whole number, got {value!r}")

    @property
    def settings(self) -> dict[str, float]:
        """Members of ``struct constrained`` that the method sets."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class Projection(ConstraintMethod):
    """Index 1; each accepted step is projected onto ``Phi = 0`` and ``Phi' = 0`` in the metric of the mass matrix.

    Parameters
    ----------
    tolerance
        Violation of a position constraint that is accepted.
    drift
        Violation after a step from which on the step fails instead of being projected.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Projection(tolerance=1e-10)
    Projection(tolerance=1e-10, drift=0.01)
    """

    name: ClassVar[str] = "projection"
    projects: ClassVar[bool] = True
    tapes: ClassVar[tuple[str, ...]] = (
        "accelerations",
        "projection",
        "move",
        "free",
        "gaps",
        "motion",
        "shift",
        "balance",
    )
    tolerance: float = 1e-12
    drift: float = 1e-2


@dataclass(frozen=True)
class EnlargedProjection(Projection):
    """`Projection` of implicit steps, whose tapes leave the solution to native code: it enlarges the mass matrix."""

    tapes: ClassVar[tuple[str, ...]] = ("plain", "geometry", "move", "free", "gaps", "balance")


@dataclass(frozen=True)
class Baumgarte(ConstraintMethod):
    """Index 1 with ``Phi'' + 2 alpha Phi' + beta^2 Phi = 0``, multipliers from the Schur complement ``J M^-1 J^T``.

    Parameters
    ----------
    alpha, beta
        Rates of the terms [1/s].

    Examples
    --------
    >>> import dalembert as da
    >>> da.Baumgarte(alpha=20.0, beta=20.0)
    Baumgarte(alpha=20.0, beta=20.0)
    """

    name: ClassVar[str] = "baumgarte"
    tapes: ClassVar[tuple[str, ...]] = ("dynamics", "free")
    alpha: float = 100.0
    beta: float = 100.0


@dataclass(frozen=True)
class UdwadiaKalaba(ConstraintMethod):
    """Baumgarte's equations by the pseudo-inverse of ``J M^-1/2``, which gives accelerations without multipliers.

    In exact arithmetic the two are equal; this one does not square the condition of the constraints.

    Parameters
    ----------
    alpha, beta
        Rates of Baumgarte's terms [1/s].

    Examples
    --------
    >>> import dalembert as da
    >>> da.UdwadiaKalaba(alpha=20.0, beta=20.0).name
    'udwadia-kalaba'
    """

    name: ClassVar[str] = "udwadia-kalaba"
    routine: ClassVar[int] = _UDWADIA_KALABA
    alpha: float = 100.0
    beta: float = 100.0


@renamed("rad/s", frequency="omega")
@dataclass(frozen=True)
class Penalty(ConstraintMethod):
    """CDPR (21): ``lambda = alpha_p (Phi'' + 2 xi_p omega_p Phi' + omega_p^2 Phi)``; any rank.

    Parameters
    ----------
    penalty
        Penalty factor ``alpha_p``.
    damping
        Damping ratio ``xi_p`` of the constraint violation.
    omega
        Natural angular frequency ``omega_p`` of the constraint violation [rad/s].

    Examples
    --------
    >>> import dalembert as da
    >>> da.Penalty(penalty=1e7, omega=200.0)
    Penalty(penalty=10000000.0, damping=1.0, omega=200.0)
    """

    name: ClassVar[str] = "penalty"
    routine: ClassVar[int] = _PENALTY
    penalty: float = 1e8
    damping: float = 1.0
    omega: float = 100.0


@renamed("rad/s", frequency="omega")
@dataclass(frozen=True)
class AugmentedLagrangian(ConstraintMethod):
    """Penalty, repeated until the accelerations satisfy the constraints.

    Parameters
    ----------
    penalty
        Penalty factor ``alpha_p`` of CDPR (21).
    damping
        Damping ratio ``xi_p`` of the constraint violation.
    omega
        Natural angular frequency ``omega_p`` of the constraint violation [rad/s].
    max_iterations
        Largest number of repetitions.

    Examples
    --------
    >>> import dalembert as da
    >>> da.AugmentedLagrangian(max_iterations=5).name
    'augmented-lagrangian'
    """

    name: ClassVar[str] = "augmented-lagrangian"
    routine: ClassVar[int] = _AUGMENTED
    penalty: float = 1e8
    damping: float = 1.0
    omega: float = 100.0
    max_iterations: int = 20


@dataclass(frozen=True)
class GeneralizedAlpha(ConstraintMethod):
    """Generalized-alpha on index 3 or 2: implicit, fixed steps, second order (M. Arnold, O. Bruls, 2007).

    Parameters
    ----------
    radius
        Spectral radius at infinite frequency: 1 keeps, 0 annihilates.
    index
        Index of the equations: 3 (positions) or 2 (velocities).
    max_iterations
        Largest number of Newton iterations of a step.

    Examples
    --------
    >>> import dalembert as da
    >>> da.GeneralizedAlpha(radius=0.8).integrator
    'generalized-alpha'
    """

    name: ClassVar[str] = "generalized-alpha"
    integrator: ClassVar[str] = "generalized-alpha"
    implicit: ClassVar[bool] = True
    tapes: ClassVar[tuple[str, ...]] = ("tape", "move", "rate")
    radius: float = 0.9
    index: int = 3
    max_iterations: int = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.index not in (2, 3):
            raise InputError(f"index of GeneralizedAlpha must be 2 or 3, got {self.index!r}")
        if self.radius > 1.0:
            raise InputError(f"radius of GeneralizedAlpha must lie between 0 and 1, got {self.radius!r}")

    @property
    def settings(self) -> dict[str, float]:
        """Coefficients of the method of that spectral radius."""
        rho = self.radius
        alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        gamma = 0.5 + alpha_f - alpha_m
        coefficients = {"alpha_m": alpha_m, "alpha_f": alpha_f, "gamma_n": gamma, "beta_n": 0.25 * (gamma + 0.5) ** 2}
        return {**coefficients, "index": self.index, "max_iterations": self.max_iterations}


@dataclass(frozen=True)
class Idas(ConstraintMethod):
    """Index 1 with Baumgarte's terms as a differential-algebraic system, by IDAS of SUNDIALS.

    Parameters
    ----------
    alpha, beta
        Rates of Baumgarte's terms [1/s].

    Examples
    --------
    >>> import dalembert as da
    >>> da.Idas().integrator
    'idas'
    """

    name: ClassVar[str] = "idas"
    integrator: ClassVar[str] = "idas"
    alpha: float = 100.0
    beta: float = 100.0


CONSTRAINT_METHODS: Mapping[str, type[ConstraintMethod]] = {
    way.name: way
    for way in (Projection, Baumgarte, UdwadiaKalaba, Penalty, AugmentedLagrangian, GeneralizedAlpha, Idas)
}
"""All methods by name; the first is the default."""


def constraint_method(value: str | Mapping[str, Any] | ConstraintMethod) -> ConstraintMethod:
    """Return a method, given as such, by name, or as a mapping with its ``name`` and settings."""
    if isinstance(value, ConstraintMethod):
        return value
    settings = dict(value) if isinstance(value, Mapping) else {}
    name = settings.pop("name", None) if isinstance(value, Mapping) else value
    if not isinstance(name, str):
        raise InputError(f"constraints must be a ConstraintMethod such as Projection(), or its name, got {value!r}")
    return method_of(CONSTRAINT_METHODS, name, settings, "constraint method")
