"""Explicit Runge-Kutta methods, with steps of one length and with steps chosen by tolerances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dalembert.engine.methods.tableaus import (
    BOGACKI_SHAMPINE,
    CLASSICAL,
    DORMAND_PRINCE_5,
    DORMAND_PRINCE_8,
    EULER,
    HEUN,
    Tableau,
)
from dalembert.simulation.methods.base import BoundedSteps, FixedStepMethod, register_method

__all__ = [
    "RK4",
    "BogackiShampine",
    "DormandPrince",
    "DormandPrince8",
    "Euler",
    "Heun",
]


@register_method
@dataclass(frozen=True)
class Euler(FixedStepMethod):
    """Explicit Euler method, order 1.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Euler(step=1e-4).name
    'euler'
    """

    name: ClassVar[str] = "euler"
    title: ClassVar[str] = "explicit Euler"
    tableau: ClassVar[Tableau | None] = EULER


@register_method
@dataclass(frozen=True)
class Heun(FixedStepMethod):
    """Heun's method, order 2.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Heun(step=1e-3).name
    'heun'
    """

    name: ClassVar[str] = "heun"
    title: ClassVar[str] = "Heun"
    tableau: ClassVar[Tableau | None] = HEUN


@register_method
@dataclass(frozen=True)
class RK4(FixedStepMethod):
    """The classical Runge-Kutta method, order 4: the default.

    Examples
    --------
    >>> import dalembert as da
    >>> da.RK4(step=2e-3)
    RK4(max_steps=10000000, step=0.002)
    """

    name: ClassVar[str] = "rk4"
    title: ClassVar[str] = "classical Runge-Kutta"
    tableau: ClassVar[Tableau | None] = CLASSICAL


@register_method
@dataclass(frozen=True)
class BogackiShampine(BoundedSteps):
    """Bogacki-Shampine pair of order 3(2): for low accuracy.

    Examples
    --------
    >>> import dalembert as da
    >>> str(da.BogackiShampine(rtol=1e-4))
    'bs32 (rtol 0.0001)'
    """

    name: ClassVar[str] = "bs32"
    title: ClassVar[str] = "Bogacki-Shampine 3(2)"
    tableau: ClassVar[Tableau | None] = BOGACKI_SHAMPINE
    adaptive: ClassVar[bool] = True


@register_method
@dataclass(frozen=True)
class DormandPrince(BoundedSteps):
    """Dormand-Prince pair of order 5(4): the adaptive method for most machines.

    Examples
    --------
    >>> import dalembert as da
    >>> str(da.DormandPrince(rtol=1e-9))
    'dopri5 (rtol 1e-09)'
    """

    name: ClassVar[str] = "dopri5"
    title: ClassVar[str] = "Dormand-Prince 5(4)"
    tableau: ClassVar[Tableau | None] = DORMAND_PRINCE_5
    adaptive: ClassVar[bool] = True


@register_method
@dataclass(frozen=True)
class DormandPrince8(BoundedSteps):
    """Dormand-Prince triple of order 8(5,3): for high accuracy.

    Examples
    --------
    >>> import dalembert as da
    >>> str(da.DormandPrince8(rtol=1e-11))
    'dop853 (rtol 1e-11)'
    """

    name: ClassVar[str] = "dop853"
    title: ClassVar[str] = "Dormand-Prince 8(5,3)"
    tableau: ClassVar[Tableau | None] = DORMAND_PRINCE_8
    adaptive: ClassVar[bool] = True
