"""The nonlinear programme of a predictive controller, written anew for IPOPT from the tables of the controller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from dalembert.optimal.predictive import PredictiveLaw


@dataclass(frozen=True)
class Optimum:
    """Cost, states (N + 1, nx) and inputs (N, nu) of an optimum, and whether IPOPT found it."""

    cost: float
    x: Any
    u: Any
    success: bool


def table(law: PredictiveLaw, name: str) -> Any:
    """Return the numbers of a table of the C text."""
    text = next(t for t in law.problem.tables if f" {name}[]" in t)
    numbers = text[text.index("{") + 1 : text.index("}")].replace("HUGE_VAL", "inf").split(",")
    return np.array([float(x) for x in numbers])


def sizes(law: PredictiveLaw) -> tuple[int, int, int, int, int]:
    """Return nx, nu, N, and the numbers of boxes and general rows."""
    m = law.problem.macros
    return (law.problem.nx, law.problem.nu, *(int(str(m[k])) for k in ("NN", "NB", "NG")))  # type: ignore[return-value]


def plan_cost(law: PredictiveLaw, x: Any, u: Any, t: float = 0.0) -> float:
    """Return the cost of a plan with the slacks that it needs."""
    nx, _, n, boxes, _ = sizes(law)
    problem, h = law.problem, float(str(law.problem.macros["INTERVAL"]))
    par = np.zeros(int(str(problem.macros["N_PAR"])))
    goal, end = problem.goal, table(law, "end_weight").reshape(nx, nx)
    total = float((x[n] - goal[:nx]) @ end @ (x[n] - goal[:nx])) / 2
    for k in range(n):
        if "COST_TAPE" in problem.tapes:
            r = np.array(problem.tapes["COST_TAPE"](x[k], u[k], par, t + k * h)[0]).ravel()
            total += float(r @ r) / 2
        else:
            e = np.r_[x[k], u[k]] - goal
            total += float(table(law, "stage_weight") @ (e * e)) / 2
    low, high, soft, linear, square = (table(law, f"row_{s}") for s in ("low", "high", "soft", "linear", "square"))
    first, last, entry = table(law, "row_from"), table(law, "row_to"), table(law, "box_entry").astype(int)
    for k in range(n + 1):
        z = np.r_[x[k], u[min(k, n - 1)]]
        rows = z[entry[:boxes]]
        if "ROWS_TAPE" in problem.tapes:
            rows = np.r_[rows, np.array(problem.tapes["ROWS_TAPE"](x[k], u[min(k, n - 1)], par, t + k * h)[0]).ravel()]
        for r, value in enumerate(rows):
            if first[r] <= k <= last[r] and soft[r]:
                for beyond in (max(0.0, low[r] - value), max(0.0, value - high[r])):
                    total += linear[r] * beyond + square[r] * beyond**2 / 2
    return total


def by_ipopt(law: PredictiveLaw, x0: Any, t: float = 0.0) -> Optimum:
    """Solve the programme of a sample by IPOPT, without relaxed bounds.

    Parameters
    ----------
    law
        A controller without free parameters.
    x0
        State of the model at the sample.
    t
        Time of the sample.
    """
    nx, nu, n, boxes, _ = sizes(law)
    problem, h = law.problem, float(str(law.problem.macros["INTERVAL"]))
    midpoint, nv, m = bool(problem.macros["MIDPOINT"]), problem.model.eom.nv, problem.model.nx
    par = ca.DM(int(str(problem.macros["N_PAR"])), 1)
    X, U, A = ca.MX.sym("X", nx, n + 1), ca.MX.sym("U", nu, n), ca.MX.sym("A", nv if midpoint else 0, n)
    xs, us, as_ = ca.SX.sym("x", nx), ca.SX.sym("u", nu), ca.SX.sym("a", nv)
    time, tapes = ca.SX.sym("t"), problem.tapes
    if midpoint:
        residual = tapes["STEP_TAPE"](xs, us, as_, par, time)[:, -1]
        v = xs[nv : 2 * nv] + h * as_
        after = ca.vertcat(xs[:nv] + h / 2 * (xs[nv : 2 * nv] + v), v, us[: nx - m])
    else:
        residual, after = ca.SX(0, 1), tapes["STEP_TAPE"](xs, us, par, time)[0]
    step = ca.Function("step", [xs, us, as_, time], [after, residual])
    rows = (
        ca.Function("rows", [xs, us, time], [tapes["ROWS_TAPE"](xs, us, par, time)[0]])
        if "ROWS_TAPE" in tapes
        else None
    )
    r = tapes["COST_TAPE"](xs, us, par, time)[0] if "COST_TAPE" in tapes else ca.SX(0, 1)
    stage = ca.Function("stage", [xs, us, time], [ca.dot(r, r) / 2])
    low, high, soft, linear, square = (table(law, f"row_{s}") for s in ("low", "high", "soft", "linear", "square"))
    first, last, entry = table(law, "row_from"), table(law, "row_to"), table(law, "box_entry").astype(int)
    goal, weight, cost = ca.DM(problem.goal), ca.DM(table(law, "stage_weight")), ca.MX(0)
    g, lower, upper, slacks = [X[:, 0] - ca.DM(x0)], [0.0] * nx, [0.0] * nx, []
    for k in range(n + 1):
        u, at = U[:, min(k, n - 1)], t + k * h
        if k < n:
            e = ca.vertcat(X[:, k], u) - goal
            cost += stage(X[:, k], u, at) if r.numel() else ca.dot(weight * e, e) / 2
            following, rest = step(X[:, k], u, A[:, k] if midpoint else ca.DM(nv, 1), at)
            g += [following - X[:, k + 1], rest]
            lower += [0.0] * (nx + (nv if midpoint else 0))
            upper += [0.0] * (nx + (nv if midpoint else 0))
        z = ca.vertcat(X[:, k], u)
        values = [z[int(j)] for j in entry[:boxes]] + (ca.vertsplit(rows(X[:, k], u, at)) if rows is not None else [])
        for j, value in enumerate(values):
            if not first[j] <= k <= last[j]:
                continue
            sides = ((1.0, low[j]), (-1.0, -high[j]))
            if not soft[j]:
                g.append(value)
                lower.append(low[j])
                upper.append(high[j])
                continue
            for sign, side in sides:
                if np.isfinite(side):
                    s = ca.MX.sym("s")
                    slacks.append(s)
                    cost += linear[j] * s + square[j] * s * s / 2
                    g.append(sign * value + s)
                    lower.append(side)
                    upper.append(np.inf)
    e = X[:, n] - goal[:nx]
    cost += ca.dot(e, ca.DM(table(law, "end_weight").reshape(nx, nx)) @ e) / 2
    options: Any = {
        "ipopt": {"bound_relax_factor": 0.0, "tol": 1e-11, "print_level": 0, "sb": "yes", "max_iter": 500},
        "print_time": False,
    }
    variables = ca.vertcat(ca.vec(X), ca.vec(U), ca.vec(A), *slacks)
    solver = ca.nlpsol("peer", "ipopt", {"x": variables, "f": cost, "g": ca.vertcat(*g)}, options)
    free = variables.numel() - len(slacks)
    least = np.r_[np.full(free, -np.inf), np.zeros(len(slacks))]
    begin = np.r_[np.tile(x0, n + 1), np.tile(problem.goal[nx:], n), np.zeros(A.numel() + len(slacks))]
    answer = solver(x0=begin, lbx=least, lbg=lower, ubg=upper)
    found = np.array(answer["x"]).ravel()
    return Optimum(
        float(answer["f"]), found[: nx * (n + 1)].reshape(n + 1, nx),
        found[nx * (n + 1) :][: nu * n].reshape(n, nu), bool(solver.stats()["success"]),
    )  # fmt: skip
