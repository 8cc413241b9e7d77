"""Checks of the arguments of `integrate` against the problem: each error has the value and the expected values."""

from __future__ import annotations

import math
import sys

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.engine.problem.problem import Problem
from dalembert.engine.setup import Setup, normalise
from dalembert.simulation.methods import AdaptiveMethod, FixedStepMethod, agree
from dalembert.simulation.run import EndState
from dalembert.simulation.settings import Settings

__all__ = ["check_setup"]


def _vector(name: str, value: ArrayLike, n: int, what: str) -> Array:
    try:
        array = as_numbers(value).copy()
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
    if not isinstance(x0, EndState):  # the end of a run is on the sphere up to rounding; two halves are the whole
        normalise(x, problem.quaternions)
    return x


def _absolute(problem: Problem, atol: ArrayLike) -> Array:
    n = problem.n_states
    if np.ndim(atol) == 0:
        return np.full(n, float(np.asarray(atol)))
    absolute = _vector("atol", atol, n, "one per state")
    if not (absolute > 0.0).all():
        raise InputError(f"atol must be > 0 for every state, got {absolute.min():g}")
    return absolute


def check_setup(
    problem: Problem, x0: ArrayLike | EndState, p: ArrayLike | None, settings: Settings, *, period: float
) -> Setup:
    """Check settings against a problem and return the complete setup of a time loop.

    Parameters
    ----------
    problem, x0, p
        Functions and sizes, initial state, run-time parameters.
    settings
        The settings.
    period
        Period of the sampled controller, 0 without one.
    """
    if not isinstance(problem, Problem):
        raise InputError(f"problem must be a Problem, got {type(problem).__name__}")
    method, way = agree(problem, settings.method, settings.constraints)
    span, start = float(settings.duration), float(settings.t0)
    first_step = None
    x = _initial_state(problem, x0)
    if isinstance(x0, EndState):
        if start not in (0.0, x0.t):
            raise InputError(f"t0 = {start:g} contradicts the end state to continue from, at t = {x0.t:g}")
        start, first_step = x0.t, x0.step or None
    parameters = _vector("p", () if p is None else p, problem.n_parameters, "run-time parameters")
    steps = method if isinstance(method, FixedStepMethod) else FixedStepMethod()
    tolerances = method if isinstance(method, AdaptiveMethod) else AdaptiveMethod()
    h, fixed = steps.step, not method.adaptive
    if fixed:
        _check_fixed_step(h, start, span, method.max_steps)
    interval = 0.0
    if settings.record is not None:
        interval = float(settings.record)
        if interval > span * (1.0 + 1e-9):
            raise InputError(f"record = {interval:g} s is longer than the duration of {span:g} s")
        if fixed and interval < h * (1.0 - 1e-9):
            raise InputError(f"record = {interval:g} s is shorter than the step of {h:g} s; record at multiples of it")
    elif not method.records_steps:
        interval = min(period or span, span / 500.0)
    return Setup(
        problem=problem,
        method=method.name,
        x0=x,
        t0=start,
        t_end=start + span,
        p=parameters,
        step=h,
        max_step=getattr(method, "max_step", math.inf),
        rtol=tolerances.rtol,
        atol=_absolute(problem, tolerances.atol),
        record=interval,
        max_steps=method.max_steps,
        first_step=first_step,
        constraint_method=way,
        tableau=method.tableau,
        options=method.options,
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
