"""How a loop starts: the first step of adaptive methods, and the arming of events."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array
from dalembert.engine.methods.tableaus import Tableau
from dalembert.engine.setup import Engine, Setup

__all__ = ["arm", "first_step"]

Mask = NDArray[np.bool_]

# Part of a step after which the sign of an event function counts: a run that starts on g = 0, give or take
# rounding, must not meet its own start.
_PROBE = 1e-6
_TOUCHING = 1e-3  # part of an event function below which it has only just left zero


def first_step(derivative: Callable[[float, Array], Array], setup: Setup, method: Tableau) -> float:
    """Choose the first step so that an explicit Euler step changes x and xdot little.

    After Hairer, Norsett, Wanner I, section II.4, "Starting step size".
    """
    t, x = setup.t0, setup.x0
    counted = setup.problem.counted
    scale = setup.atol + setup.rtol * np.abs(x)
    longest = min(setup.max_step, setup.t_end - t)

    def norm(v: Array) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.sqrt(np.mean((v / scale)[counted] ** 2)))

    f0 = derivative(t, x)
    d0, d1 = norm(x), norm(f0)
    h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h0 = min(h0, longest)
    d2 = norm(derivative(t + h0, x + h0 * f0) - f0) / h0
    steepest = max(d1, d2)
    h1 = max(1e-6, 1e-3 * h0) if steepest <= 1e-15 else (0.01 / steepest) ** (1.0 / method.order)
    h = min(100.0 * h0, h1, longest)
    return h if np.isfinite(h) and h > 0.0 else min(1e-6, longest)


def arm(engine: Engine, t_end: float, which: Mask | None = None, positive: Mask | None = None) -> float:
    """Set the signs that the events (of the mask ``which``, or all) have just after t; return how far after.

    An event function that is zero at t is armed with the sign that it takes on leaving; one that stays zero
    is not armed until it is found different from zero at the end of a step. One that must not be negative (of the mask
    ``positive``), is clearly positive at t and passes zero before that, has still to be located.
    """
    s = _PROBE * min(engine.h_used, t_end - engine.t)
    if s <= 0.0 or not len(engine.signs):
        return 0.0
    g = engine.partial(s)[1]
    mask = np.ones(len(g), dtype=bool) if which is None else which
    if positive is not None and (mask & positive & (g < 0.0)).any():
        mask = mask & ~(positive & (g < 0.0) & (engine.partial(0.0)[1] > -_TOUCHING * g))
    engine.signs[mask] = np.sign(np.nan_to_num(g[mask]))
    return s
