"""Implicit methods: those of SUNDIALS and SciPy, generalized-alpha, the midpoint rule, time-stepping of contacts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from dalembert.core.errors import InputError
from dalembert.core.validation import check_number
from dalembert.engine.constraints.native import NativeConstrained
from dalembert.engine.implicit.native import NativeMidpoint
from dalembert.engine.kernels import ProblemKernels
from dalembert.engine.loop.native import NativeEngine
from dalembert.engine.methods.constraints import ConstraintMethod, GeneralizedAlpha, Idas
from dalembert.engine.methods.contacts import ContactMethod, TimeStepping
from dalembert.engine.methods.tableaus import BOGACKI_SHAMPINE, Tableau
from dalembert.engine.setup import Setup
from dalembert.simulation.engines.radau import RadauEngine
from dalembert.simulation.engines.sundials import SundialsEngine
from dalembert.simulation.methods.base import (
    FINEST,
    AdaptiveMethod,
    BoundedSteps,
    FixedStepMethod,
    Method,
    register_method,
)

__all__ = [
    "AdaptiveMidpoint",
    "AlphaSteps",
    "Cvodes",
    "IdasSteps",
    "ImplicitMidpoint",
    "MoreauSteps",
    "Radau",
]


@dataclass(frozen=True)
class _SundialsSteps(AdaptiveMethod):
    """Time loop of SUNDIALS."""

    adaptive: ClassVar[bool] = True
    records_steps: ClassVar[bool] = False

    @classmethod
    def engine(cls, setup: Setup, kernels: ProblemKernels, further: tuple[str, ...]) -> NativeEngine | None:
        """Return the loop of SUNDIALS."""
        return SundialsEngine(setup, kernels, further)


@register_method
@dataclass(frozen=True)
class Cvodes(_SundialsSteps):
    """Backward differentiation formulas of variable order by CVODES of SUNDIALS: for stiff machines.

    Examples
    --------
    >>> import dalembert as da
    >>> str(da.Cvodes(rtol=1e-6))
    'cvodes (rtol 1e-06)'
    """

    name: ClassVar[str] = "cvodes"
    title: ClassVar[str] = "BDF by SUNDIALS"


@register_method
@dataclass(frozen=True)
class Radau(BoundedSteps):
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
class IdasSteps(_SundialsSteps):
    """BDF on differential-algebraic equations by IDAS of SUNDIALS; comes with ``constraints=Idas()``."""

    name: ClassVar[str] = "idas"
    title: ClassVar[str] = "BDF on a DAE by SUNDIALS"
    brings: ClassVar[type[ConstraintMethod] | None] = Idas


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
        if not FINEST <= tolerance <= 1e-3:
            raise InputError(f"tolerance must be between {FINEST:g} and 0.001, got {tolerance:g}")
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
class AdaptiveMidpoint(BoundedSteps, _MidpointSteps):
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
