"""Checks of what is passed to `integrate`: each names the argument, what was got and what is expected."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.simulation.engines.engine import Setup, normalise
from dalembert.simulation.engines.integrators import INTEGRATORS, Integrator
from dalembert.simulation.problem import Problem
from dalembert.simulation.run import EndState

__all__ = ["check_number", "check_setup"]

_FINEST = 1e-14  # below this relative tolerance an error estimate measures rounding, not truncation


def check_number(name: str, value: Any, *, positive: bool = True, unit: str = "") -> float:
    """Return a finite (and positive) number."""
    expected = f"a finite number{' > 0' if positive else ''}{' ' + unit if unit else ''}"
    try:
        if isinstance(value, str | bytes | bool):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be {expected}, got {value!r}") from None
    if not math.isfinite(number) or (positive and number <= 0.0):
        raise InputError(f"{name} must be {expected}, got {number:g}")
    return number


def _vector(name: str, value: ArrayLike, n: int, what: str) -> Array:
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be {n} numbers ({what}), got {value!r}") from None
    if array.shape != (n,):
        raise InputError(f"{name} must have shape ({n},) ({what}), got {array.shape}")
    if not np.isfinite(array).all():
        k = int(np.argmax(~np.isfinite(array)))
        raise InputError(f"{name}[{k}] must be finite, got {array[k]}")
    return array


def _initial_state(problem: Problem, x0: ArrayLike | EndState) -> Array:
    names = problem.state_names
    listed = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    x = _vector("x0", x0.x if isinstance(x0, EndState) else x0, len(names), listed)
    for offset in problem.quaternions:
        length = float(np.linalg.norm(x[offset : offset + 4]))
        if abs(length - 1.0) > 1e-6:
            raise InputError(
                f"x0[{offset}:{offset + 4}] ({', '.join(names[offset : offset + 4])}) must be a unit "
                f"quaternion, got length {length:g}"
            )
    if not isinstance(x0, EndState):  # the end of a run is on the sphere but for rounding; two halves are the whole
        normalise(x, problem.quaternions)
    return x


def _tolerances(problem: Problem, rtol: Any, atol: Any) -> tuple[float, Array]:
    relative = check_number("rtol", rtol)
    if not _FINEST <= relative < 1.0:
        raise InputError(f"rtol must be between {_FINEST:g} and 1, got {relative:g}")
    n = problem.n_states
    if np.ndim(atol) == 0:
        return relative, np.full(n, check_number("atol", atol))
    absolute = _vector("atol", atol, n, "one per state")
    if not (absolute > 0.0).all():
        raise InputError(f"atol must be > 0 for every state, got {absolute.min():g}")
    return relative, absolute


def check_setup(
    problem: Problem,
    x0: ArrayLike | EndState,
    p: ArrayLike | None,
    *,
    duration: float,
    t0: float,
    integrator: Integrator,
    step: float,
    max_step: float | None,
    rtol: float,
    atol: ArrayLike,
    record: float | None,
    max_steps: int,
    period: float,
) -> Setup:
    """Check all settings and return them in one piece."""
    if not isinstance(problem, Problem):
        raise InputError(f"problem must be a Problem, got {type(problem).__name__}")
    span = check_number("duration", duration, unit="s")
    start = check_number("t0", t0, positive=False)
    first_step = None
    x = _initial_state(problem, x0)
    if isinstance(x0, EndState):
        if start not in (0.0, x0.t):
            raise InputError(f"t0 = {start:g} contradicts the end state to continue from, at t = {x0.t:g}")
        start, first_step = x0.t, x0.step or None
    parameters = _vector("p", () if p is None else p, problem.n_parameters, "run-time parameters")
    relative, absolute = _tolerances(problem, rtol, atol)
    h = check_number("step", step, unit="s")
    longest = math.inf if max_step is None else check_number("max_step", max_step, unit="s")
    if max_step is not None and "max_step" not in integrator.settings:
        able = ", ".join(name for name, other in INTEGRATORS.items() if "max_step" in other.settings)
        raise InputError(f"max_step is for {able}; method {integrator.name!r} has none")
    if isinstance(max_steps, bool) or not isinstance(max_steps, int) or max_steps < 1:
        raise InputError(f"max_steps must be a whole number >= 1, got {max_steps!r}")
    fixed = not integrator.adaptive
    if fixed:
        _check_fixed_step(h, start, span, max_steps)
    interval = 0.0
    if record is not None:
        interval = check_number("record", record, unit="s")
        if interval > span * (1.0 + 1e-9):
            raise InputError(f"record = {interval:g} s is longer than the duration of {span:g} s")
        if fixed and interval < h * (1.0 - 1e-9):
            raise InputError(f"record = {interval:g} s is shorter than the step of {h:g} s; record at multiples of it")
    elif integrator.adaptive and integrator.tableau is None:
        interval = min(period or span, span / 500.0)
    return Setup(
        problem=problem,
        method=integrator.name,
        x0=x,
        t0=start,
        t_end=start + span,
        p=parameters,
        step=h,
        max_step=longest,
        rtol=relative,
        atol=absolute,
        record=interval,
        max_steps=max_steps,
        first_step=first_step,
    )


def _check_fixed_step(h: float, t0: float, span: float, max_steps: int) -> None:
    if h > span * (1.0 + 1e-9):
        raise InputError(f"step = {h:g} s is longer than the duration of {span:g} s")
    latest = max(abs(t0), abs(t0 + span))
    if h < 1e4 * sys.float_info.epsilon * latest:
        raise InputError(f"step = {h:g} s cannot be resolved at t = {latest:g} s")
    if span / h > max_steps:
        raise InputError(
            f"duration {span:g} s with step {h:g} s takes {span / h:.3g} steps, more than max_steps = {max_steps}"
        )
