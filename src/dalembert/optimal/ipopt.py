"""Programmes of elements solved by IPOPT, which receives assembled sparse derivatives."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.types import Array
from dalembert.optimal.elements import Programme

__all__ = ["IpoptSolution", "Iterate", "solve_programme"]

# Smallest pivot that the factorisation accepts, as a part of its column. Matrices of machines with vibrations have
# entries over many orders of magnitude. With IPOPT's default of 1e-6 their inertia is wrong, and IPOPT adds curvature
# that is not missing: hundreds of iterations for a flexible arm instead of five.
_PIVOT = 1e-2

_STATUS = {
    "Solve_Succeeded": "optimal",
    "Solved_To_Acceptable_Level": "optimal",
    "Infeasible_Problem_Detected": "infeasible",
    "User_Requested_Stop": "interrupted",
}


@dataclass(frozen=True)
class Iterate:
    """State of the solver after an iteration.

    Parameters
    ----------
    number
        Iterations so far.
    cost
        Objective.
    violation
        Largest violation of a row or bound.
    """

    number: int
    cost: float
    violation: float


@dataclass(frozen=True)
class IpoptSolution:
    """Outcome of a solve.

    Attributes
    ----------
    x
        Unknowns; of a solve that failed, those of the iterate that breaks the rows least.
    cost, violation
        Objective, and largest violation of a row or bound.
    multipliers, bound_multipliers
        Multipliers of rows and of bounds, to start another solve from.
    status
        ``"optimal"``, ``"infeasible"``, ``"not converged"`` or ``"interrupted"``.
    message
        Status of IPOPT in words.
    iterations, seconds
        Effort, and the part of the seconds that the derivatives took.
    derivative_seconds
        Seconds spent in derivatives.
    """

    x: Array
    cost: float
    violation: float
    multipliers: Array
    bound_multipliers: Array
    status: str
    message: str
    iterations: int
    seconds: float
    derivative_seconds: float


@dataclass
class _Record:
    """Observations during a solve."""

    seconds: float = 0.0
    iterations: int = 0
    best: tuple[float, Array] | None = None
    error: BaseException | None = None
    stop: bool = False
    lock: Any = field(default_factory=threading.Lock)


class _Function(ca.Callback):
    """A function of NumPy arrays as a CasADi function."""

    def __init__(
        self,
        name: str,
        inputs: dict[str, ca.Sparsity],
        outputs: dict[str, ca.Sparsity],
        evaluate: Callable[..., list[Any]],
        record: _Record,
    ) -> None:
        ca.Callback.__init__(self)
        self._inputs, self._outputs, self._evaluate, self._record = inputs, outputs, evaluate, record
        self.construct(name, {})

    def get_n_in(self) -> int:
        return len(self._inputs)

    def get_n_out(self) -> int:
        return len(self._outputs)

    def get_name_in(self, i: int) -> str:
        return list(self._inputs)[i]

    def get_name_out(self, i: int) -> str:
        return list(self._outputs)[i]

    def get_sparsity_in(self, i: int) -> ca.Sparsity:
        return list(self._inputs.values())[i]

    def get_sparsity_out(self, i: int) -> ca.Sparsity:
        return list(self._outputs.values())[i]

    def eval(self, arguments: Sequence[Any]) -> list[Any]:
        begin = time.perf_counter()
        try:
            return self._evaluate(*(np.array(a, dtype=float).ravel() for a in arguments))
        except BaseException as error:  # IPOPT swallows exceptions: it is raised again after the solve
            self._record.error = error
            raise
        finally:
            self._record.seconds += time.perf_counter() - begin


def _remembered(function: Callable[[Array], Any]) -> Callable[[Array], Any]:
    """Return the function with its last result kept: IPOPT evaluates the same point several times."""
    last: dict[str, Any] = {}

    def call(x: Array) -> Any:
        if "x" not in last or not np.array_equal(last["x"], x):
            last["x"], last["y"] = x.copy(), function(x)
        return last["y"]

    return call


def solve_programme(
    programme: Programme,
    x0: Array,
    bounds: tuple[Array, Array],
    *,
    tolerance: float,
    max_iterations: int,
    near: bool = False,
    watch: Callable[[Iterate], object] | None = None,
) -> IpoptSolution:
    """Solve a programme within the bounds of its unknowns.

    Parameters
    ----------
    programme
        The programme.
    x0
        Unknowns to start from.
    bounds
        Lower and upper bounds of the unknowns.
    tolerance
        Tolerance of IPOPT; bounds are not relaxed.
    max_iterations
        Largest number of iterations.
    near
        Whether ``x0`` is near to the solution.
    watch
        Called after each iteration; the solve stops if it returns False.
    """
    n, m, dense = programme.n, programme.m, ca.Sparsity.dense
    low, high = bounds
    record = _Record()
    x_in = {"x": dense(n, 1), "p": dense(0, 1)}

    evaluate, slopes = _remembered(programme.values), _remembered(programme.slopes)

    def values(x: Array, _: Array) -> list[Any]:
        cost, g = evaluate(x)
        return [cost, ca.DM(g)]

    def gradient(x: Array, _: Array) -> list[Any]:
        return [evaluate(x)[0], ca.DM(slopes(x)[0])]

    def jacobian(x: Array, _: Array) -> list[Any]:
        return [ca.DM(evaluate(x)[1]), ca.DM(programme.jacobian.sparsity, slopes(x)[1])]

    def hessian(x: Array, _: Array, sigma: Array, y: Array) -> list[Any]:
        return [ca.DM(programme.hessian.sparsity, programme.bends(x, float(sigma[0]), y))]

    one, rows = dense(1, 1), dense(m, 1)
    oracle = _Function("nlp", x_in, {"f": one, "g": rows}, values, record)
    functions = {
        "grad_f": _Function("nlp_grad_f", x_in, {"f": one, "grad_f_x": dense(n, 1)}, gradient, record),
        "jac_g": _Function("nlp_jac_g", x_in, {"g": rows, "jac_g_x": programme.jacobian.sparsity}, jacobian, record),
        "hess_lag": _Function(
            "nlp_hess_l", {**x_in, "lam_f": one, "lam_g": rows},
            {"triu_hess_gamma_x_x": programme.hessian.sparsity}, hessian, record,
        ),
    }  # fmt: skip

    def broken(x: Array, g: Array) -> float:
        parts = (programme.lower - g, g - programme.upper, low - x, x - high)
        return max(float(part.max(initial=0.0)) for part in parts)

    def step(x: Array, f: Array, g: Array, *_: Array) -> list[Any]:
        violation = broken(x, g)
        if record.best is None or violation <= max(record.best[0], tolerance):
            record.best = (violation, x.copy())
        record.stop |= watch is not None and watch(Iterate(record.iterations, float(f[0]), violation)) is False
        record.iterations += 1
        return [1.0 if record.stop else 0.0]

    monitor = _Function(
        "watch",
        {"x": dense(n, 1), "f": one, "g": rows, "lam_x": dense(n, 1), "lam_g": rows, "lam_p": dense(0, 1)},
        {"ret": one}, step, _Record(),
    )  # fmt: skip
    options: dict[str, Any] = {
        **functions,
        "iteration_callback": monitor,
        "print_time": False,
        "no_nlp_grad": True,
        "ipopt.print_level": 0,
        "ipopt.sb": "yes",
        "ipopt.max_iter": max_iterations,
        "ipopt.tol": tolerance,
        "ipopt.bound_relax_factor": 0.0,
        "ipopt.mumps_pivtol": _PIVOT,
    }
    arguments: dict[str, Any] = {
        "x0": np.clip(x0, low, high), "lbx": low, "ubx": high, "lbg": programme.lower, "ubg": programme.upper
    }  # fmt: skip
    if near:
        options |= {"ipopt.mu_init": 1e-5, "ipopt.bound_push": 1e-8, "ipopt.bound_frac": 1e-8,
                    "ipopt.slack_bound_push": 1e-8, "ipopt.slack_bound_frac": 1e-8}  # fmt: skip
    begin = time.perf_counter()
    solver = ca.nlpsol("plan", "ipopt", oracle, options)
    try:
        result = solver(**arguments)
    except RuntimeError:
        if record.error is not None:
            raise record.error from None
        raise
    if record.error is not None:
        raise record.error
    stats = solver.stats()
    seconds = time.perf_counter() - begin
    word = str(stats["return_status"])
    status = _STATUS.get(word, "not converged")
    x, g = np.array(result["x"]).ravel(), np.array(result["g"]).ravel()
    if status != "optimal" and record.best is not None and (not np.isfinite(x).all() or record.best[0] < broken(x, g)):
        x = record.best[1]
        g = programme.values(x)[1]
    return IpoptSolution(
        x, float(programme.values(x)[0]), broken(x, g), np.array(result["lam_g"]).ravel(),
        np.array(result["lam_x"]).ravel(), status, word.replace("_", " ").lower(), int(stats["iter_count"]), seconds,
        record.seconds,
    )  # fmt: skip
