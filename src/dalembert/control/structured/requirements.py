"""Requirements of a closed loop, by the names of its signals.

Each requirement has a value that is at most one where it is met. Signals are those of the loop (module ``plants``): the
plant's inputs and outputs by name, ``r.NAME`` references, ``e.NAME`` errors, ``u.NAME`` controls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.renamed import renamed, renamed_keywords

if TYPE_CHECKING:
    from dalembert.control.norms import LinearSystem

__all__ = [
    "ControllerGain",
    "Gain",
    "Poles",
    "Requirement",
    "Variance",
    "margin",
    "roll_off",
    "tracking",
]


def _positive(value: float, what: str, *, zero: bool = False) -> None:
    ok = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(value)
    if not (ok and (value >= 0 if zero else value > 0)):
        raise InputError(f"{what} must be a {'number >= 0' if zero else 'positive number'}, got {value!r}")


def _names(value: str | Sequence[str], what: str) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(value)
    if not names or not all(isinstance(n, str) for n in names):
        raise InputError(f"{what} of a requirement must be names of signals, got {value!r}")
    return names


class Requirement:
    """Base of all requirements.

    Examples
    --------
    >>> from dalembert.control.structured import Gain, Poles, Requirement
    >>> all(isinstance(r, Requirement) for r in (Gain("r.x", "u.F", bound=120.0), Poles(decay=0.2)))
    True
    """

    name: str


@dataclass(frozen=True)
class Gain(Requirement):
    """Weighted gain between signals: ``|| after T before || <= bound`` in the H-infinity norm, over a band if given.

    Parameters
    ----------
    inputs, outputs
        Names of signals.
    bound
        Largest gain.
    before, after
        Weights of python-control (one for all signals, or one with as many ports), or numbers.
    band
        Frequencies [rad/s] between which it counts.
    name
        Its name in tables.
    plants
        Names of the plants for which it is asked; None: all.
    offset
        Constant matrix that is added to the transfer between outputs and inputs before it is weighted.
    scale
        Factor of the transfer before the offset is added.
    """

    inputs: str | Sequence[str]
    outputs: str | Sequence[str]
    bound: float = 1.0
    before: LinearSystem | None = None
    after: LinearSystem | None = None
    band: tuple[float, float] | None = None
    name: str = ""
    plants: tuple[str, ...] | None = None
    offset: ArrayLike | None = None
    scale: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", _names(self.inputs, "inputs"))
        object.__setattr__(self, "outputs", _names(self.outputs, "outputs"))
        _positive(self.bound, "bound of a gain")
        if not self.name:
            object.__setattr__(self, "name", f"gain {', '.join(self.inputs)} -> {', '.join(self.outputs)}")


@dataclass(frozen=True)
class Variance(Requirement):
    """H2 norm between signals: standard deviation of the outputs under white noise at the inputs.

    Parameters
    ----------
    inputs, outputs
        Names of signals.
    bound
        Largest norm.
    before, after
        Weights, as in `Gain`.
    name
        Its name in tables.
    plants
        Names of the plants for which it is asked; None: all.

    Examples
    --------
    >>> Variance("noise", "effort", bound=2.0).bound
    2.0
    """

    inputs: str | Sequence[str]
    outputs: str | Sequence[str]
    bound: float = 1.0
    before: LinearSystem | None = None
    after: LinearSystem | None = None
    name: str = ""
    plants: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", _names(self.inputs, "inputs"))
        object.__setattr__(self, "outputs", _names(self.outputs, "outputs"))
        _positive(self.bound, "bound of a variance")
        if not self.name:
            object.__setattr__(self, "name", f"variance {', '.join(self.inputs)} -> {', '.join(self.outputs)}")


@renamed("rad/s", frequency="omega")
@dataclass(frozen=True)
class Poles(Requirement):
    """Region of the closed loop's poles.

    Parameters
    ----------
    decay
        Least rate of decay [1/s].
    damping
        Least damping ratio.
    omega
        Largest magnitude [rad/s].
    name
        Its name in tables.
    plants
        Names of the plants for which it is asked; None: all.
    """

    decay: float | None = None
    damping: float | None = None
    omega: float | None = None
    name: str = ""
    plants: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        bounds = {k: getattr(self, k) for k in ("decay", "damping", "omega") if getattr(self, k) is not None}
        if not bounds:
            raise InputError("Poles needs a decay, a damping or an omega")
        for key, value in bounds.items():
            _positive(value, f"{key} of poles")
        if self.damping is not None and self.damping > 1.0:
            raise InputError(f"damping of poles must be at most 1, got {self.damping!r}")
        if not self.name:
            object.__setattr__(self, "name", "poles: " + ", ".join(f"{k} {v:g}" for k, v in bounds.items()))


@dataclass(frozen=True)
class ControllerGain(Requirement):
    """Gain of the controller itself, over a band if given: a limit on noise and actuator effort.

    Parameters
    ----------
    bound
        Largest gain from errors to controls.
    before, after
        Weights, as in `Gain`.
    band
        Frequencies [rad/s] between which it counts.
    name
        Its name in tables.
    """

    bound: float = 1.0
    before: LinearSystem | None = None
    after: LinearSystem | None = None
    band: tuple[float, float] | None = None
    name: str = "controller gain"

    def __post_init__(self) -> None:
        _positive(self.bound, "bound of the controller's gain")


def tracking(
    reference: str, *, response_time: float, steady_error: float = 1e-3, peak_error: float = 1.5, name: str = ""
) -> Gain:
    """Requirement that a measured signal follows its reference: a bound on the error that falls below the bandwidth.

    The error at rest stays below ``steady_error``, the bandwidth is about ``2 / response_time``, and the error is
    amplified by no more than ``peak_error`` at any frequency.

    Examples
    --------
    >>> tracking("q1", response_time=0.5).bound
    1.0
    """
    import control

    _positive(response_time, "response_time")
    _positive(steady_error, "steady_error")
    _positive(peak_error, "peak_error")
    if not steady_error < 1.0 < peak_error:
        raise InputError(f"expected steady_error < 1 < peak_error, got {steady_error!r} and {peak_error!r}")
    w = 2.0 / response_time
    # |1 / weight| rises from steady_error through 1 at w to peak_error.
    fast = w * np.sqrt((peak_error**2 - 1.0) / (1.0 - steady_error**2))
    slow = fast * steady_error / peak_error
    weight = control.tf([1.0 / peak_error, fast / peak_error], [1.0, slow])
    return Gain(f"r.{reference}", f"e.{reference}", after=weight, name=name or f"tracking of {reference}")


@renamed_keywords("rad/s", frequency="omega")
def roll_off(reference: str, control_signal: str, *, omega: float, slope: int = 1, bound: float = 1.0) -> Gain:
    """Requirement that the gain from measurement noise to a control falls beyond ``omega`` [rad/s], slope 1 or 2.

    Examples
    --------
    >>> roll_off("q1", "tau1", omega=200.0, slope=2).bound
    1.0
    """
    import control

    _positive(omega, "omega of the roll-off")
    if slope not in (1, 2):
        raise InputError(f"slope of a roll-off must be 1 or 2, got {slope!r}")
    one = control.tf([1.0 / omega, 1.0], [1.0 / (1e3 * omega), 1.0])
    weight = one if slope == 1 else one * one
    return Gain(f"r.{reference}", f"u.{control_signal}", bound, after=weight, name=f"roll-off of {control_signal}")


def margin(signals: str | Sequence[str], *, gain: float | None = None, phase: float | None = None) -> Gain:
    """Requirement of a disk margin at measured signals, all loops at once.

    Parameters
    ----------
    signals
        Measured signals at which gain and phase may change.
    gain
        Factor by which the gain may rise or fall.
    phase
        Phase that may be lost [rad].
    """
    names = _names(signals, "signals")
    if (gain is None) == (phase is None):
        raise InputError("margin needs either a gain or a phase")
    if gain is not None:
        if not (np.isfinite(gain) and gain > 1.0):
            raise InputError(f"gain of a margin must be a factor above 1, got {gain!r}")
        alpha = 2.0 * (gain - 1.0) / (gain + 1.0)
    else:
        assert phase is not None
        if not 0.0 < phase < np.pi / 2:
            raise InputError(f"phase of a margin must lie between 0 and pi/2, got {phase!r}")
        alpha = 2.0 * np.tan(phase / 2.0)
    # S - T = 2 S - 1; its norm is 2 / alpha for the balanced disk.
    return Gain(
        [f"r.{n}" for n in names],
        [f"e.{n}" for n in names],
        2.0 / alpha,
        name=f"margin at {', '.join(names)}",
        offset=-np.eye(len(names)),
        scale=2.0,
    )
