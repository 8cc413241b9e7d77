"""Tensions of straight cables within bounds that balance a wrench."""

from __future__ import annotations

from typing import cast

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.cables.kinematics import configuration, numbers
from dalembert.analysis.cables.pulls import CablePulls
from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.formulations.equations import Parameters
from dalembert.model.machine import Machine

__all__ = ["infeasible", "nearest_tensions", "platform_load", "tension_bounds", "tension_distribution"]


def platform_load(machine: Machine, q: ArrayLike, *, p: Parameters = None) -> Array:
    """Generalised force that the cables must exert for the platform to rest: gravity, springs, wrenches.

    The pull that elastic cables have by their own lengths is not part of it.
    """
    return CablePulls(machine, p=p).load(configuration(machine, q))


def tension_distribution(
    A: ArrayLike, wrench: ArrayLike, lower: ArrayLike, upper: ArrayLike, *, method: str = "qp"
) -> Array:
    """Tensions ``f`` with ``A f = wrench`` and ``lower <= f <= upper``.

    Parameters
    ----------
    A
        Structure matrix.
    wrench
        Generalised force that the cables exert.
    lower, upper
        Bounds.
    method
        ``"qp"``: the feasible tensions nearest to the middle of their bounds. ``"closed-form"``: ``f = f_m +
        A^+ (w - A f_m)``; where a bound is violated that cable stays at it and the rest is solved again (A. Pott, "An
        improved force distribution algorithm for over-constrained cable-driven parallel robots", 2014). It is fast,
        and may miss solutions near the border of the workspace.

    Raises
    ------
    InputError
        If no tensions within the bounds balance the wrench.
    """
    A = as_numbers(A)
    if A.ndim != 2 or not A.size or not np.isfinite(A).all():
        raise InputError(f"the structure matrix must be a matrix of finite numbers, got shape {A.shape}")
    w = numbers(wrench, A.shape[0], "the wrench")
    low, high = tension_bounds(lower, upper, A.shape[1])
    if method == "qp":
        return nearest_tensions(A, w, low, high)
    if method == "closed-form":
        return _closed_form(A, w, low, high)
    raise InputError(f"method must be 'qp' or 'closed-form', got {method!r}")


def tension_bounds(lower: ArrayLike, upper: ArrayLike, n: int) -> tuple[Array, Array]:
    """Bounds of so many tensions, given once for all or one by one."""
    low, high = (
        numbers(cast(ArrayLike, [x] * n if np.ndim(x) == 0 else x), n, f"{name} bounds of tensions")
        for x, name in ((lower, "lower"), (upper, "upper"))
    )
    if not (low <= high).all():
        raise InputError(
            f"lower bounds of tensions must not exceed the upper ones, got {low.tolist()} and {high.tolist()}"
        )
    return low, high


def infeasible(w: Array) -> InputError:
    """Return the error that no tensions balance a wrench."""
    return InputError(f"no tensions within the bounds balance the wrench {np.round(w, 6).tolist()}")


def nearest_tensions(A: Array, w: Array, low: Array, high: Array) -> Array:
    """Tensions within bounds that balance a wrench, nearest to the middle of the bounds: a quadratic programme."""
    middle, scale = (low + high) / 2, max(1.0, float(np.max(np.abs(w))))
    # Only independent rows: the solver must not see a row twice.
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    keep = s > 1e-10 * s[0]
    rows, right = s[keep, None] * Vt[keep], U[:, keep].T @ w
    if np.linalg.norm(w - U[:, keep] @ right) > 1e-9 * scale:
        raise infeasible(w)
    n = len(low)
    H, C = ca.DM.eye(n), ca.DM(rows)
    options = {"print_iter": False, "print_header": False, "print_info": False, "error_on_fail": False}
    solver = ca.conic("tensions", "qrqp", {"h": H.sparsity(), "a": C.sparsity()}, options)
    solution = solver(h=H, g=-middle, a=C, lba=right, uba=right, lbx=low, ubx=high)
    f = np.array(solution["x"].full())[:, 0]
    wrong = max(float(np.max(low - f)), float(np.max(f - high)), 0.0)
    if not solver.stats()["success"] or np.linalg.norm(A @ f - w) > 1e-6 * scale or wrong > 1e-6 * scale:
        raise infeasible(w)
    return np.clip(f, low, high)


def _closed_form(A: Array, w: Array, low: Array, high: Array) -> Array:
    f, free = (low + high) / 2, np.ones(len(low), dtype=bool)
    fixed = np.zeros(len(low))
    for _ in range(len(low) + 1):
        rest = w - A[:, ~free] @ fixed[~free]
        middle = (low + high)[free] / 2
        f = fixed.copy()
        f[free] = middle + np.linalg.pinv(A[:, free]) @ (rest - A[:, free] @ middle)
        if np.linalg.norm(A @ f - w) > 1e-8 * max(1.0, float(np.linalg.norm(w))):
            raise infeasible(w)
        excess = np.maximum(low - f, f - high)
        worst = int(np.argmax(np.where(free, excess, -np.inf)))
        if excess[worst] <= 1e-9 * max(1.0, float(np.max(np.abs(f)))):
            return np.clip(f, low, high)
        free[worst] = False
        fixed[worst] = low[worst] if f[worst] < low[worst] else high[worst]
        if not free.any():
            break
    raise infeasible(w)
