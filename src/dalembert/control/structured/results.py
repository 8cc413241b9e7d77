"""Results and settings of a tuning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.mu.robustness import Robustness
from dalembert.control.structured.certificate import Check
from dalembert.control.structured.structures import Structure
from dalembert.core.errors import InputError
from dalembert.core.renamed import renamed
from dalembert.core.types import Array

if TYPE_CHECKING:
    import control

    from dalembert.control.scheduled import ScheduledGains

__all__ = ["TuneResult", "TuneSettings"]


@dataclass(frozen=True, eq=False)
class TuneResult:
    """A tuned controller.

    Parameters
    ----------
    status
        ``"met"``: stable, all hard requirements met, all of it certified; ``"missed"``: some hard requirement is not
        met, or the certificate fails, which the message says; ``"unstable"``: no stabilising numbers were found.
    message
        The result, and the reason of a failure.
    values
        The numbers by name.
    at_bound
        Numbers that ended at a bound.
    requirements
        Value of each requirement by (name, plant), met where at most one; gains are proven upper bounds.
    checks
        The same, and the poles, computed another way.
    history
        Worst requirement after each start and each polish.
    structure
        The structure.
    seconds, evaluations
        Cost.
    hard, soft
        Worst hard and worst soft requirement.
    robustness
        For a robust tuning: the proof that the loop is stable over all ranges; None where there is none.
    joined
        For a robust tuning: the values that joined the models, in order.
    scheduled
        For a tuning with a schedule: the gains as polynomials of quantities.
    fixed
        For a tuning with a schedule: the best fixed gains for the same requirements.
    """

    status: str
    message: str
    values: dict[str, float]
    at_bound: tuple[str, ...]
    requirements: dict[tuple[str, str], float]
    checks: tuple[Check, ...]
    history: tuple[tuple[str, float], ...]
    structure: Structure
    seconds: float
    evaluations: int
    hard: float = np.nan
    soft: float = np.nan
    robustness: Robustness | None = None
    joined: tuple[dict[str, float], ...] = ()
    scheduled: ScheduledGains | None = None
    fixed: TuneResult | None = None

    @property
    def certified(self) -> bool:
        """Whether the loop is stable and the independent computation agrees everywhere."""
        return self.status != "unstable" and all(c.ok for c in self.checks)

    @property
    def matrices(self) -> tuple[Array, Array, Array, Array]:
        """``A, B, C, D`` of the controller, from errors to controls."""
        import casadi as ca

        x = ca.DM(list(self.values.values()))
        A, B, C, D = (np.array(ca.DM(ca.densify(ca.SX(m))).full()) for m in self.structure.matrices(x))
        return A, B, C, D

    @property
    def controller(self) -> control.StateSpace:
        """The controller as a python-control system, from errors to controls."""
        import control

        s = self.structure
        labels = {"inputs": [f"e_{n}" for n in s.measured], "outputs": list(s.controls)}
        return control.ss(*self.matrices, **labels, name="controller")

    def __str__(self) -> str:
        rows = [f"{self.status}: {self.message}"]
        rows += [f"  {name:<28} {value:.6g}" for name, value in self.values.items()]
        rows += [f"  {name} [{plant}]: {value:.6g}" for (name, plant), value in self.requirements.items()]
        return "\n".join(rows)


@renamed("rad/s", frequency="omega")
@dataclass(frozen=True)
class TuneSettings:
    """How long and how often `tune` searches.

    Parameters
    ----------
    starts
        Number of starts: the first from the structure's own values, the others from random ones, every second of them
        with gains of equal scale near the open loop, from the eleventh on with large ones, and from the fifteenth on
        along mixtures of gains that have no bounds. The message says where only one start has reached the least value:
        more starts, with more evaluations, may reach a lower one.
    seed
        Seed of the random starts.
    evaluations
        Evaluations of all requirements after which the best so far is returned; None: 2,000 per start, and 28,000 at
        least.
    time_limit
        Processor time after which it is returned [s]; None: no limit. With one the result depends on the computer.
    omega
        Typical angular frequency of the closed loop [rad/s], from which the size of gains is guessed; default from the
        requirements, else from the poles of the plants.
    fast_poles
        Largest magnitude of the poles of the closed loop, relative to the fastest pole of plant and weights: the
        search does not go beyond, since rounding spoils norms of much faster loops. The message says where it binds.
        Infinite: no limit.
    progress
        Called as ``progress(what, worst)`` after each start and polish.

    Examples
    --------
    >>> TuneSettings(starts=40, seed=2).limit
    80000
    """

    starts: int = 18
    seed: int = 0
    evaluations: int | None = None
    time_limit: float | None = None
    omega: float | None = None
    fast_poles: float = 1e6
    progress: Callable[[str, float], object] | None = None

    @property
    def limit(self) -> int:
        """Evaluations that may be spent."""
        return max(28_000, 2_000 * self.starts) if self.evaluations is None else self.evaluations

    def __post_init__(self) -> None:
        for name in ("starts", "evaluations"):
            value = getattr(self, name)
            if name == "evaluations" and value is None:
                continue
            if not (isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1):
                raise InputError(f"{name} must be a whole number >= 1, got {value!r}")
        for name, unit in (("time_limit", "seconds"), ("omega", "rad/s")):
            value = getattr(self, name)
            if value is not None and not (np.isfinite(value) and value > 0):
                raise InputError(f"{name} must be a positive number ({unit}), got {value!r}")
        if not (isinstance(self.fast_poles, int | float) and self.fast_poles > 1.0):
            raise InputError(f"fast_poles must be a ratio above 1, got {self.fast_poles!r}")
