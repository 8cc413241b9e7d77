"""Settings of estimators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from dalembert.core.errors import InputError
from dalembert.core.frozen import FrozenMapping
from dalembert.core.validation import check_names

__all__ = ["EstimatorKeywords", "EstimatorSettings"]


@dataclass(frozen=True)
class EstimatorSettings:
    """Assumptions of an estimator, and its numerical settings.

    Parameters
    ----------
    start
        First estimates by name; the others are those of the neutral machine at rest, and nominal parameters.
    limits
        ``{name: (lower, upper)}`` of states and parameters.
    deviation
        Standard deviations of readings by sensor, where its ``noise`` is not it.
    valid
        Quantities of the loop by sensor: its readings count while they are above one half.
    known
        Parameters that are known: no warning of them.
    steps
        Steps of RK4 per period.
    rounds, iterations
        Gauss-Newton steps per sample, and most iterations of each quadratic programme (moving horizon).
    name
        Its name: the loop records ``NAME.STATE``.
    """

    start: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    deviation: Mapping[str, Any] = field(default_factory=dict)
    valid: Mapping[str, str] = field(default_factory=dict)
    known: Sequence[str] = ()
    steps: int = 1
    rounds: int = 2
    iterations: int = 30
    name: str | None = None

    def __post_init__(self) -> None:
        for name in ("start", "limits", "deviation", "valid"):
            value = getattr(self, name)
            if not isinstance(value, Mapping):
                raise InputError(f"{name} of an estimator must map names to values, got {value!r}")
            object.__setattr__(self, name, FrozenMapping({str(k): v for k, v in value.items()}))
        for name in ("steps", "rounds", "iterations"):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int) or number < 1:
                raise InputError(f"{name} of an estimator must be a whole number >= 1, got {number!r}")
        object.__setattr__(self, "known", tuple(check_names(self.known, "known of an estimator")))


class EstimatorKeywords(TypedDict, total=False):
    """Keywords of `ekf` and `mhe` besides their own: the fields of `EstimatorSettings`."""

    start: Mapping[str, float]
    limits: Mapping[str, Any]
    deviation: Mapping[str, Any]
    valid: Mapping[str, str]
    known: Sequence[str]
    steps: int
    rounds: int
    iterations: int
    name: str | None
