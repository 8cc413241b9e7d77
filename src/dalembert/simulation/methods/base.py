"""Base classes of integration methods: properties, settings, and the table of all methods."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.keywords import changed_fields
from dalembert.core.labels import as_numbers
from dalembert.core.validation import check_number
from dalembert.engine.kernels import ProblemKernels
from dalembert.engine.loop.native import NativeEngine
from dalembert.engine.methods.constraints import ConstraintMethod, GeneralizedAlpha
from dalembert.engine.methods.contacts import ContactMethod
from dalembert.engine.methods.tableaus import Tableau
from dalembert.engine.setup import Setup

__all__ = [
    "FINEST",
    "METHODS",
    "METHOD_SETTINGS",
    "OUTLETS",
    "TABLEAUS",
    "AdaptiveMethod",
    "BoundedSteps",
    "FixedStepMethod",
    "Method",
    "register_method",
]

OUTLETS: Mapping[str, str] = {
    "simulate": "a single run",
    "derivatives": "a run with derivatives",
    "rollout": "a rollout",
    "stepper": "a stepper",
    "cuda": "a rollout on a GPU",
    "program": "an FMU, a real-time loop or a page that simulates",
}
"""Outlets of methods, and their names in messages."""

METHOD_SETTINGS = ("step", "rtol", "atol", "max_step", "max_steps")
"""Settings that several methods have; the fields of a class are its settings."""

FINEST = 1e-14
"""Least relative tolerance: below this relative tolerance an error estimate measures rounding, not truncation."""


@dataclass(frozen=True)
class Method:
    """Integration method of a run: one of `METHODS`, or its name.

    Attributes
    ----------
    name
        Its name in arguments and files.
    title
        Its name in the literature.
    tableau
        Its coefficients, if it is an explicit Runge-Kutta method.
    adaptive
        Whether it chooses its steps by tolerances.
    brings, contact
        The constraint or contact method that it belongs to, if it runs with no other.
    records_steps
        Whether every step can be recorded; otherwise rows are at given instants only.
    implicit
        Whether its steps solve for the rates in their middle (`Problem.midpoint`).
    paced_by
        Tableau with the order of its error estimate, if it is adaptive and has no tableau.

    Parameters
    ----------
    max_steps
        Number of steps after which a run fails.

    Examples
    --------
    >>> import dalembert as da
    >>> issubclass(da.RK4, da.Method), da.DormandPrince().adaptive
    (True, True)
    """

    name: ClassVar[str]
    title: ClassVar[str]
    tableau: ClassVar[Tableau | None] = None
    adaptive: ClassVar[bool] = False
    brings: ClassVar[type[ConstraintMethod] | None] = None
    contact: ClassVar[type[ContactMethod] | None] = None
    records_steps: ClassVar[bool] = True
    implicit: ClassVar[bool] = False
    paced_by: ClassVar[Tableau | None] = None

    max_steps: int = field(default=10_000_000, kw_only=True)

    def __post_init__(self) -> None:
        if isinstance(self.max_steps, bool) or not isinstance(self.max_steps, int) or self.max_steps < 1:
            raise InputError(f"max_steps must be a whole number >= 1, got {self.max_steps!r}")

    @classmethod
    def settings(cls) -> tuple[str, ...]:
        """Names of the settings that it has."""
        names = {one.name for one in fields(cls)}
        own = (one.name for one in fields(cls) if one.name not in METHOD_SETTINGS)
        return (*(name for name in METHOD_SETTINGS if name in names), *own)

    @classmethod
    def outlets(cls) -> frozenset[str]:
        """Outlets that can run it (`OUTLETS`): those that support its tableau; without one, single runs."""
        if cls.contact is not None:
            return frozenset(OUTLETS)
        if cls.implicit:
            places = {"simulate", "rollout", "program"}
            return frozenset(places if cls.adaptive else places | {"stepper", "cuda"})
        if cls.tableau is None:
            return frozenset({"simulate", "program"} if cls.brings is GeneralizedAlpha else {"simulate"})
        places = {"simulate", "derivatives", "program"}
        if cls.tableau.in_lanes:
            places |= {"rollout", "cuda"} if cls.adaptive else {"rollout", "cuda", "stepper"}
        return frozenset(places)

    @classmethod
    def engine(cls, setup: Setup, kernels: ProblemKernels, further: tuple[str, ...]) -> NativeEngine | None:
        """Return the method's own time loop; None: the native loop takes its steps."""
        return None

    @property
    def options(self) -> dict[str, float]:
        """Settings that this method alone has."""
        return {name: getattr(self, name) for name in self.settings() if name not in METHOD_SETTINGS}

    @property
    def plain(self) -> dict[str, Any]:
        """Name, and the settings that differ from their defaults, as plain data."""
        return {"name": self.name, **changed_fields(self)}

    def __str__(self) -> str:
        settings = ", ".join(f"{key} {_shown(value)}" for key, value in self.plain.items() if key != "name")
        return f"{self.name} ({settings})" if settings else self.name


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else "per state"


@dataclass(frozen=True)
class FixedStepMethod(Method):
    """A method that takes steps of one length.

    Parameters
    ----------
    step
        Length of a step [s].

    Examples
    --------
    >>> from dalembert.simulation import RK4
    >>> isinstance(RK4(step=1e-3), FixedStepMethod)
    True
    """

    step: float = 1e-3

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "step", check_number("step", self.step, unit="s"))


@dataclass(frozen=True)
class AdaptiveMethod(Method):
    """A method that chooses its steps so that the estimated error of each stays below ``atol + rtol abs(x)``.

    Parameters
    ----------
    rtol, atol
        Relative and absolute tolerance; ``atol`` is one number, or one per state.

    Examples
    --------
    >>> from dalembert.simulation import DormandPrince
    >>> isinstance(DormandPrince(rtol=1e-9), AdaptiveMethod)
    True
    """

    rtol: float = 1e-8
    atol: float | tuple[float, ...] = 1e-10

    def __post_init__(self) -> None:
        super().__post_init__()
        relative = check_number("rtol", self.rtol)
        if not FINEST <= relative < 1.0:
            raise InputError(f"rtol must be between {FINEST:g} and 1, got {relative:g}")
        object.__setattr__(self, "rtol", relative)
        object.__setattr__(self, "atol", _tolerances(self.atol))


@dataclass(frozen=True)
class BoundedSteps(AdaptiveMethod):
    """An adaptive method whose longest step can be set.

    Parameters
    ----------
    max_step
        Longest step [s].
    """

    max_step: float = math.inf

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_step != math.inf:
            object.__setattr__(self, "max_step", check_number("max_step", self.max_step, unit="s"))


def _tolerances(atol: ArrayLike) -> float | tuple[float, ...]:
    if np.ndim(atol) == 0:
        return check_number("atol", atol)
    return tuple(float(value) for value in as_numbers(atol).ravel())


METHODS: dict[str, type[Method]] = {}
"""All methods by name."""

TABLEAUS: dict[str, Tableau] = {}
"""Coefficients of the explicit Runge-Kutta methods among them."""


def register_method(kind: type[Method]) -> type[Method]:
    """Add a method to the table, as a decorator of its class; returns the class.

    Raises
    ------
    InputError
        If there is a method of that name.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.simulation import register_method
    >>> register_method(da.RK4) is da.RK4  # already in the table; your own method needs a new name
    True
    """
    if kind.name in METHODS and METHODS[kind.name] is not kind:
        raise InputError(f"method {kind.name!r} exists already: {METHODS[kind.name].title}")
    METHODS[kind.name] = kind
    if kind.tableau is not None:
        TABLEAUS[kind.name] = kind.tableau
    return kind
