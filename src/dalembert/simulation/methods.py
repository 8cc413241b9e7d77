"""How a run is integrated in time: methods as objects, each with its own settings, in one table.

`METHODS` is that table. The class of a method declares its properties: its Butcher tableau if it is an explicit
Runge-Kutta method, whether it chooses its steps, the constraint or contact method that comes with it, and the outlets
(`OUTLETS`) that can run it. All functions that run a machine use this table, so that a new method works wherever its
kind of method works, and is refused by name elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, did_you_mean
from dalembert.core.keywords import changed_fields
from dalembert.core.labels import as_numbers
from dalembert.core.validation import check_number
from dalembert.engine.constraints.native import NativeConstrained
from dalembert.engine.implicit.native import NativeMidpoint
from dalembert.engine.kernels import ProblemKernels
from dalembert.engine.loop.native import NativeEngine
from dalembert.engine.methods.constraints import (
    ConstraintMethod,
    EnlargedProjection,
    GeneralizedAlpha,
    Idas,
    Projection,
    constraint_method,
)
from dalembert.engine.methods.contacts import ContactMethod, TimeStepping
from dalembert.engine.methods.tableaus import (
    BOGACKI_SHAMPINE,
    CLASSICAL,
    DORMAND_PRINCE_5,
    DORMAND_PRINCE_8,
    EULER,
    HEUN,
    Tableau,
)
from dalembert.engine.problem.problem import Problem
from dalembert.engine.setup import Setup
from dalembert.simulation.engines.radau import RadauEngine
from dalembert.simulation.engines.sundials import SundialsEngine

__all__ = [
    "METHODS",
    "METHOD_SETTINGS",
    "OUTLETS",
    "RK4",
    "TABLEAUS",
    "AdaptiveMethod",
    "AdaptiveMidpoint",
    "AlphaSteps",
    "BogackiShampine",
    "Cvodes",
    "DormandPrince",
    "DormandPrince8",
    "Euler",
    "FixedStepMethod",
    "Heun",
    "IdasSteps",
    "ImplicitMidpoint",
    "Method",
    "MoreauSteps",
    "Radau",
    "agree",
    "check_method_setting",
    "check_outlet",
    "integration_method",
    "register_method",
    "revised_method",
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

_FINEST = 1e-14  # below this relative tolerance an error estimate measures rounding, not truncation


@dataclass(frozen=True)
class Method:
    """Integration method of a run: one of the classes below, or its name.

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
            return frozenset({"simulate", "rollout", "stepper", "cuda", "program"})
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
        if not _FINEST <= relative < 1.0:
            raise InputError(f"rtol must be between {_FINEST:g} and 1, got {relative:g}")
        object.__setattr__(self, "rtol", relative)
        object.__setattr__(self, "atol", _tolerances(self.atol))


@dataclass(frozen=True)
class _BoundedSteps(AdaptiveMethod):
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
class BogackiShampine(_BoundedSteps):
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
class DormandPrince(_BoundedSteps):
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
class DormandPrince8(_BoundedSteps):
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


@register_method
@dataclass(frozen=True)
class Cvodes(AdaptiveMethod):
    """Backward differentiation formulas of variable order by CVODES of SUNDIALS: for stiff machines.

    Examples
    --------
    >>> import dalembert as da
    >>> str(da.Cvodes(rtol=1e-6))
    'cvodes (rtol 1e-06)'
    """

    name: ClassVar[str] = "cvodes"
    title: ClassVar[str] = "BDF by SUNDIALS"
    adaptive: ClassVar[bool] = True
    records_steps: ClassVar[bool] = False

    @classmethod
    def engine(cls, setup: Setup, kernels: ProblemKernels, further: tuple[str, ...]) -> NativeEngine | None:
        """Return the loop of SUNDIALS."""
        return SundialsEngine(setup, kernels, further)


@register_method
@dataclass(frozen=True)
class Radau(_BoundedSteps):
    """Radau IIA, three stages, order 5, by SciPy with exact Jacobians: for stiff machines with events.

    Examples
    --------
    >>> import dalembert as da
    >>> str(da.Radau(rtol=1e-6))
    'radau (rtol 1e-06)'
    """

    name: ClassVar[str] = "radau"
    title: ClassVar[str] = "Radau IIA 5"
    adaptive: ClassVar[bool] = True

    @classmethod
    def engine(cls, setup: Setup, kernels: ProblemKernels, further: tuple[str, ...]) -> NativeEngine | None:
        """Return the loop of SciPy."""
        return RadauEngine(setup, kernels)


@register_method
@dataclass(frozen=True)
class IdasSteps(AdaptiveMethod):
    """BDF on differential-algebraic equations by IDAS of SUNDIALS; comes with ``constraints=Idas()``."""

    name: ClassVar[str] = "idas"
    title: ClassVar[str] = "BDF on a DAE by SUNDIALS"
    adaptive: ClassVar[bool] = True
    brings: ClassVar[type[ConstraintMethod] | None] = Idas
    records_steps: ClassVar[bool] = False

    @classmethod
    def engine(cls, setup: Setup, kernels: ProblemKernels, further: tuple[str, ...]) -> NativeEngine | None:
        """Return the loop of SUNDIALS."""
        return SundialsEngine(setup, kernels, further)


@register_method
@dataclass(frozen=True)
class AlphaSteps(FixedStepMethod):
    """Steps of the generalized-alpha method; comes with ``constraints=GeneralizedAlpha()``."""

    name: ClassVar[str] = "generalized-alpha"
    title: ClassVar[str] = "generalized-alpha"
    brings: ClassVar[type[ConstraintMethod] | None] = GeneralizedAlpha


@dataclass(frozen=True)
class _MidpointSteps(Method):
    """Settings and time loop of implicit midpoint steps."""

    implicit: ClassVar[bool] = True

    numerical_damping: float = field(default=0.0, kw_only=True)
    tolerance: float = field(default=1e-10, kw_only=True)
    max_iterations: int = field(default=50, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        damping = check_number("numerical_damping", self.numerical_damping, positive=False)
        if not 0.0 <= damping <= 1.0:
            raise InputError(f"numerical_damping must be between 0 and 1, got {damping:g}")
        object.__setattr__(self, "numerical_damping", damping)
        tolerance = check_number("tolerance", self.tolerance)
        if not _FINEST <= tolerance <= 1e-3:
            raise InputError(f"tolerance must be between {_FINEST:g} and 0.001, got {tolerance:g}")
        object.__setattr__(self, "tolerance", tolerance)
        if isinstance(self.max_iterations, bool) or not isinstance(self.max_iterations, int) or self.max_iterations < 2:
            raise InputError(f"max_iterations must be a whole number >= 2, got {self.max_iterations!r}")

    @classmethod
    def engine(cls, setup: Setup, kernels: ProblemKernels, further: tuple[str, ...]) -> NativeEngine | None:
        """Return the native loop with implicit steps."""
        problem = setup.problem
        if problem.midpoint is None:
            raise InputError(
                f"method {cls.name!r} needs the stiffness of the machine: problem {problem.name!r} has no tape for it"
            )
        constrained = problem.constrained is not None
        equations = None
        if constrained:
            codes = kernels.constrained_codes()
            equations = NativeConstrained(problem, codes, setup.constraint_method, further=further)
        steps = NativeMidpoint(
            problem, kernels.midpoint_code(problem), setup.options, equations=equations, adaptive=cls.adaptive
        )
        return NativeEngine(
            setup,
            None if constrained else kernels.ode_code(),
            None if constrained else kernels.events_code(),
            constrained=equations,
            steps=steps,
            tableau=cls.paced_by,
            adaptive=cls.adaptive,
            backend=kernels.backend,
        )


@register_method
@dataclass(frozen=True)
class ImplicitMidpoint(FixedStepMethod, _MidpointSteps):
    r"""Implicit midpoint rule, order 2, for machines with stiff modes: flexible bodies and springs.

    The mass matrix is enlarged by ``h^2 K/4 + h D/2`` of modes and springs in the same O(n) elimination, and the exact
    equations of motion are iterated with it. The step is limited by the motion that is to be resolved, not by the
    highest mode; without numerical damping the energy of linear vibrations is kept. Constraints, contacts and ropes are
    solved with the enlarged mass matrix, and each step ends with a projection in its metric.

    Parameters
    ----------
    step
        Length of a step [s].
    numerical_damping
        Damping ratio of modes far above ``2/step`` [-]; a mode ``w`` gets the part ``x^2/(1 + x^2)`` of it,
        ``x = w step/2``. The energy audit books its work as ``loss.numerical``.
    tolerance
        Change of a state by one more iteration, relative to ``1 + abs(x)``, at which the iteration ends.
    max_iterations
        Iterations after which a step fails: the step is then too long.

    Examples
    --------
    >>> import dalembert as da
    >>> str(da.ImplicitMidpoint(step=1e-4, numerical_damping=0.1))
    'midpoint (numerical_damping 0.1, step 0.0001)'
    """

    name: ClassVar[str] = "midpoint"
    title: ClassVar[str] = "implicit midpoint"


@register_method
@dataclass(frozen=True)
class AdaptiveMidpoint(_BoundedSteps, _MidpointSteps):
    r"""Implicit midpoint rule with steps chosen by tolerances, for machines with stiff modes.

    Each step is made as two of half its length, whose difference from a whole one estimates the error. Errors of
    velocities count by the distance that they lead to within a step, so that a stiff mode whose deflection is below the
    tolerance does not shorten it.

    Parameters
    ----------
    rtol, atol, max_step
        As in `AdaptiveMethod`; ``max_step`` is the longest step [s].
    numerical_damping, tolerance, max_iterations
        As in `ImplicitMidpoint`.

    Examples
    --------
    >>> import dalembert as da
    >>> str(da.AdaptiveMidpoint(rtol=1e-6, atol=1e-8))
    'adaptive-midpoint (rtol 1e-06, atol 1e-08)'
    """

    name: ClassVar[str] = "adaptive-midpoint"
    title: ClassVar[str] = "implicit midpoint, adaptive"
    adaptive: ClassVar[bool] = True
    paced_by: ClassVar[Tableau | None] = BOGACKI_SHAMPINE

    rtol: float = 1e-5
    atol: float | tuple[float, ...] = 1e-7


@register_method
@dataclass(frozen=True)
class MoreauSteps(FixedStepMethod):
    """Steps after Moreau and Jean; comes with ``contact=TimeStepping()``."""

    name: ClassVar[str] = "moreau"
    title: ClassVar[str] = "Moreau-Jean time-stepping"
    contact: ClassVar[type[ContactMethod] | None] = TimeStepping


def _kind(name: str) -> type[Method]:
    if name not in METHODS:
        hint = did_you_mean(name, METHODS)
        raise InputError(f"unknown method {name!r}{hint}; known: {', '.join(METHODS)}")
    return METHODS[name]


def check_method_setting(name: str, value: Any) -> None:
    """Check the value of one of `METHOD_SETTINGS` by itself."""
    kind = next(kind for kind in METHODS.values() if name in kind.settings())
    kind(**{name: value})


def _check_settings(kind: type[Method], settings: Mapping[str, Any]) -> None:
    for name, value in settings.items():
        if name in METHOD_SETTINGS:
            check_method_setting(name, value)
        if name not in kind.settings():
            able = ", ".join(other.name for other in METHODS.values() if name in other.settings())
            raise InputError(f"{name} is for {able}; method {kind.name!r} has none")


def integration_method(
    method: str | Mapping[str, Any] | Method | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    default: str = "",
) -> Method:
    """Return a method: given as such, by name, or as a mapping with its ``name`` and settings.

    Parameters
    ----------
    method
        The method; None: the default.
    settings
        Settings beside it (`METHOD_SETTINGS`); None is a setting that is left at its default.
    default
        Name of the default; "" is `RK4`.

    Raises
    ------
    InputError
        If there is no such method, or it has no such setting.
    """
    beside = {name: value for name, value in (settings or {}).items() if value is not None}
    if isinstance(method, Method):
        _check_settings(type(method), beside)
        return replace(method, **beside) if beside else method
    if isinstance(method, Mapping):
        entry = dict(method)
        name = entry.pop("name", None)
        if not isinstance(name, str):
            raise InputError(f"a method as a mapping needs its 'name', got {dict(method)!r}")
        beside = entry | beside
    elif method is None or isinstance(method, str):
        name = (default or RK4.name) if method is None else method
    else:
        raise InputError(f"method must be a Method such as RK4(step=1e-3), or its name, got {method!r}")
    kind = _kind(name)
    _check_settings(kind, beside)
    return kind(**beside)


def revised_method(
    before: Method | None,
    method: str | Mapping[str, Any] | Method | None,
    settings: Mapping[str, Any],
    *,
    brought: str,
    brought_before: str,
) -> Method | None:
    """Return the method of an experiment in which something about it is changed.

    Settings that the next method has too are carried over from the one before; a method that belongs to a constraint or
    contact method goes with that.

    Parameters
    ----------
    before
        The method so far; None: the default.
    method, settings
        Its new method and settings; None: unchanged.
    brought, brought_before
        Name of the integrator that the constraint or contact method requires, now and before; "" if it requires none.
    """
    beside = {name: value for name, value in settings.items() if value is not None}
    if isinstance(method, Method | Mapping):
        return integration_method(method, beside)
    stale = before is not None and before.name == brought_before != brought
    name = brought or (before.name if before is not None and not stale else "")
    if method is not None:
        name = integration_method(method).name
    if before is not None and name != before.name:
        kind = _kind(name or RK4.name)
        kept = {key: value for key, value in before.plain.items() if key in kind.settings()}
        if method is None and not brought and not kept and not beside:
            return None
        return integration_method(kind.name, kept | beside)
    if before is not None:
        return integration_method(before, beside)
    return integration_method(name or None, beside) if name or beside else None


def check_outlet(method: Method | type[Method], outlet: str) -> None:
    """Refuse a method that an outlet (`OUTLETS`) cannot run, and name those that it can."""
    if outlet not in method.outlets():
        able = ", ".join(name for name, kind in METHODS.items() if outlet in kind.outlets() and kind.contact is None)
        raise InputError(f"{OUTLETS[outlet]} runs the methods {able}, not {method.name!r}")


def agree(
    problem: Problem,
    method: str | Mapping[str, Any] | Method | None,
    constraints: str | Mapping[str, Any] | ConstraintMethod | None,
) -> tuple[Method, ConstraintMethod]:
    """Return the method and the constraint method of a run, or refuse a combination that is not possible.

    Either may be None: it then follows from the other, or takes its default.
    """
    asked = integration_method(method)
    way = None if constraints is None else constraint_method(constraints)
    if problem.stepping is not None:
        stepping = problem.stepping.way
        if method is not None and asked.name != stepping.integrator:
            raise InputError(
                f"contact={stepping.name!r} steps by {stepping.integrator!r}, not by method {asked.name!r}: leave the "
                "method out"
            )
        if way is not None:
            raise InputError(
                f"contact={stepping.name!r} keeps constraints by itself: leave constraints={way.name!r} out"
            )
        return (integration_method(stepping.integrator) if method is None else asked), Projection()
    if asked.contact is not None:
        raise InputError(f"method {asked.name!r} comes with contact={asked.contact.name!r}: choose that")
    if problem.constrained is None:
        if asked.brings is not None and asked.brings.implicit:
            raise InputError(
                f"method {asked.name!r} keeps constraints, but machine {problem.name!r} has none; use another method"
            )
        return asked, Projection() if way is None else way
    if way is None:
        way = Projection() if asked.brings is None else asked.brings()
    explicit = ", ".join(name for name, kind in METHODS.items() if kind.tableau is not None)
    if way.integrator:
        if method is not None and asked.name != way.integrator:
            raise InputError(
                f"constraints={way.name!r} steps by {way.integrator!r}, not by method {asked.name!r}: leave the method "
                "out, or choose another constraint method"
            )
        return (integration_method(way.integrator) if method is None else asked), way
    if asked.implicit:
        if type(way) is not Projection:
            raise InputError(
                f"method {asked.name!r} keeps constraints by 'projection', not by {way.name!r}: leave constraints out"
            )
        return asked, EnlargedProjection(way.tolerance, way.drift)
    if asked.tableau is None:
        hint = f"leave constraints out, or use one of {explicit}" if asked.brings is not None else ""
        raise InputError(
            f"method {asked.name!r} cannot keep constraints by {way.name!r}; "
            + (hint or f"use one of {explicit}, or constraints='idas'")
        )
    return asked, way
