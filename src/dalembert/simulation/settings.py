"""Settings of `integrate` besides the problem: duration, method, records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import InitVar, dataclass
from typing import Any, TypedDict

from numpy.typing import ArrayLike

from dalembert.compile.backend import Backend
from dalembert.core.validation import check_number, check_seed
from dalembert.engine.methods.constraints import ConstraintMethod, constraint_method
from dalembert.simulation.methods import METHOD_SETTINGS, Method, integration_method

__all__ = ["SETTINGS_DEFAULTS", "Settings", "SettingsKeywords"]


class SettingsKeywords(TypedDict, total=False):
    """The fields of `Settings`, as keywords of `integrate`."""

    duration: float
    t0: float
    method: str | Mapping[str, Any] | Method | None
    record: float | None
    constraints: str | Mapping[str, Any] | ConstraintMethod | None
    seed: int
    member: int
    each_transition: bool
    backend: Backend
    step: float | None
    rtol: float | None
    atol: ArrayLike | None
    max_step: float | None
    max_steps: int | None


SETTINGS_DEFAULTS: Mapping[str, object] = {
    **dict.fromkeys(SettingsKeywords.__annotations__),
    "t0": 0.0,
    "seed": 0,
    "member": 0,
    "each_transition": False,
    "backend": "auto",
}
"""Defaults of the keywords; a duration must be given."""


@dataclass(frozen=True, eq=False)
class Settings:
    """How a problem is integrated. Each value is checked by itself here, and against the problem where it is used.

    Parameters
    ----------
    duration
        Seconds to simulate.
    t0
        Initial time.
    method
        The integrator: a `Method`, its name, or a mapping of its name and settings; None: `RK4`, or the one that
        ``constraints`` requires.
    record
        Interval of the recorded rows; None: every step.
    constraints
        How constraints are kept: a `ConstraintMethod`, its name, or a mapping of its name and settings; None: the
        method's own way if it has one, else by projection.
    seed, member
        Noise of sensors: a seed, and the number of the member of a rollout that has it.
    each_transition
        Whether each transition has a row before and a row after it, also where one follows another at the same
        instant, or a sample.
    backend
        ``"auto"``, ``"native"`` or ``"vm"``, as in `dalembert.compile.compile_function`.
    step, rtol, atol, max_step, max_steps
        Settings of the method, beside it.
    """

    duration: float
    t0: float = 0.0
    method: str | Mapping[str, Any] | Method | None = None
    record: float | None = None
    constraints: str | Mapping[str, Any] | ConstraintMethod | None = None
    seed: int = 0
    member: int = 0
    each_transition: bool = False
    backend: Backend = "auto"
    step: InitVar[float | None] = None
    rtol: InitVar[float | None] = None
    atol: InitVar[ArrayLike | None] = None
    max_step: InitVar[float | None] = None
    max_steps: InitVar[int | None] = None

    def __post_init__(self, *stepping: ArrayLike | None) -> None:
        check_number("duration", self.duration, unit="s")
        check_number("t0", self.t0, positive=False)
        check_seed(self.seed)
        check_seed(self.member, "member")
        if self.record is not None:
            check_number("record", self.record, unit="s")
        brought = ""
        if self.constraints is not None:
            way = constraint_method(self.constraints)
            object.__setattr__(self, "constraints", way)
            brought = way.integrator
        beside = {name: value for name, value in zip(METHOD_SETTINGS, stepping, strict=True) if value is not None}
        if self.method is not None or beside:
            object.__setattr__(self, "method", integration_method(self.method, beside, default=brought))
