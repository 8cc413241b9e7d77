"""Tensions within bounds that balance a wrench, and the poses in which there are any."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.analysis.cables.kinematics import configuration, numbers, platform_velocities
from dalembert.analysis.cables.statics import structure_matrix
from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.formulations.equations import Parameters, derive
from dalembert.model.machine import Machine

__all__ = ["platform_load", "tension_distribution", "wrench_feasible"]


def platform_load(machine: Machine, q: ArrayLike, *, p: Parameters = None) -> Array:
    """Generalised force that the cables must exert for the platform to rest: gravity, springs, wrenches."""
    eom = derive(machine, backend="vm")
    zero = np.zeros(eom.nv)
    force = eom.bias(q, zero, p=p) - eom.applied(q, zero, np.zeros(eom.nu), p=p)
    return np.asarray(force[platform_velocities(machine)])


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
    low, high = _bounds(lower, upper, A.shape[1])
    if method == "qp":
        return _quadratic(A, w, low, high)
    if method == "closed-form":
        return _closed_form(A, w, low, high)
    raise InputError(f"method must be 'qp' or 'closed-form', got {method!r}")


def _bounds(lower: ArrayLike, upper: ArrayLike, n: int) -> tuple[Array, Array]:
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


def _infeasible(w: Array) -> InputError:
    return InputError(f"no tensions within the bounds balance the wrench {np.round(w, 6).tolist()}")


def _quadratic(A: Array, w: Array, low: Array, high: Array) -> Array:
    middle, scale = (low + high) / 2, max(1.0, float(np.max(np.abs(w))))
    # Only independent rows: the solver must not see a row twice.
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    keep = s > 1e-10 * s[0]
    rows, right = s[keep, None] * Vt[keep], U[:, keep].T @ w
    if np.linalg.norm(w - U[:, keep] @ right) > 1e-9 * scale:
        raise _infeasible(w)
    n = len(low)
    H, C = ca.DM.eye(n), ca.DM(rows)
    options = {"print_iter": False, "print_header": False, "print_info": False, "error_on_fail": False}
    solver = ca.conic("tensions", "qrqp", {"h": H.sparsity(), "a": C.sparsity()}, options)
    solution = solver(h=H, g=-middle, a=C, lba=right, uba=right, lbx=low, ubx=high)
    f = np.array(solution["x"].full())[:, 0]
    wrong = max(float(np.max(low - f)), float(np.max(f - high)), 0.0)
    if not solver.stats()["success"] or np.linalg.norm(A @ f - w) > 1e-6 * scale or wrong > 1e-6 * scale:
        raise _infeasible(w)
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
            raise _infeasible(w)
        excess = np.maximum(low - f, f - high)
        worst = int(np.argmax(np.where(free, excess, -np.inf)))
        if excess[worst] <= 1e-9 * max(1.0, float(np.max(np.abs(f)))):
            return np.clip(f, low, high)
        free[worst] = False
        fixed[worst] = low[worst] if f[worst] < low[worst] else high[worst]
        if not free.any():
            break
    raise _infeasible(w)


def wrench_feasible(
    machine: Machine,
    configurations: Iterable[ArrayLike],
    lower: ArrayLike,
    upper: ArrayLike,
    *,
    wrenches: ArrayLike | None = None,
    p: Parameters = None,
) -> NDArray[np.bool_]:
    """Whether tensions within the bounds hold the platform at rest against every one of some wrenches.

    Parameters
    ----------
    machine
        The robot.
    configurations
        Configurations to look at: the points of a workspace map.
    lower, upper
        Bounds of the tensions.
    wrenches
        Further generalised forces on the platform (n, nv of the platform), each to be balanced besides its own loads;
        the corners of a set of wrenches stand for all of it. None: its own loads only.
    p
        Parameter values.
    """
    from scipy.optimize import linprog

    low, high = _bounds(lower, upper, len(machine.cables))
    n, dof = len(machine.cables), len(platform_velocities(machine))
    further = [np.zeros(dof)] if wrenches is None else np.atleast_2d(as_numbers(wrenches))
    extra = [numbers(w, dof, "a wrench") for w in further]
    result = []
    for q in configurations:
        configuration(machine, q)
        try:
            A = structure_matrix(machine, q, p=p)
        except InputError:
            result.append(False)
            continue
        load = platform_load(machine, q, p=p)
        bounds = list(zip(low, high, strict=True))
        answers = (linprog(np.zeros(n), A_eq=A, b_eq=load - w, bounds=bounds, method="highs") for w in extra)
        result.append(all(a.status == 0 for a in answers))
    return np.array(result)
