"""The programmes of predictive controllers, solved by HPIPM and IPOPT.

HPIPM is that of CasADi's wheel, a build for generic processors, called through ``casadi.conic``; its time includes the
conversion of the matrices. IPOPT solves the whole nonlinear programme once, with exact derivatives: compiled tapes, and
for comparison functions on CasADi's virtual machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca
import numpy as np

from dalembert.benchmarks.measure import Record
from dalembert.core.types import Array
from dalembert.engine.horizon.programme import HorizonProgramme
from dalembert.optimal.elements import ElementGroup, Programme, ProgrammeElement
from dalembert.optimal.ipopt import IpoptSolution, solve_programme
from dalembert.optimal.predictive import PredictiveLaw

__all__ = ["bounds_of_inputs", "by_hpipm", "by_ipopt", "programme_of"]


def bounds_of_inputs(law: PredictiveLaw) -> tuple[Array, Array]:
    """Return the least and largest inputs of a controller."""
    low, high = (_table(law.problem.tables, name) for name in ("input_low", "input_high"))
    return low, high


def programme_of(law: PredictiveLaw, memory: Array) -> tuple[HorizonProgramme, dict[str, Any]]:
    """Return the quadratic programme of a controller at its plan, without soft rows: bounds of inputs alone.

    Parameters
    ----------
    law
        A controller with explicit steps and a diagonal cost.
    memory
        Its memory.
    """
    problem = law.problem
    nx, nu, n = problem.nx, problem.nu, int(str(problem.macros["NN"]))
    x, u = law.plan(memory)
    step = problem.tapes["STEP_TAPE"]
    F, BA = zip(*(step(x[k], u[k], np.zeros(0), 0.0) for k in range(n)), strict=True)
    BA_ = np.array([np.array(b)[:, : nx + nu] for b in BA])
    z, goal = np.c_[x, np.r_[u, u[-1:]]], problem.goal
    weight, end = (_table(problem.tables, name) for name in ("stage_weight", "end_weight"))
    H = np.tile(np.diag(weight), (n + 1, 1, 1))
    H[n] = 0.0
    H[n, :nx, :nx] = end.reshape(nx, nx)
    low, high = (np.tile(_table(problem.tables, name), (n + 1, 1)) for name in ("input_low", "input_high"))
    low, high = low - z[:, nx:], high - z[:, nx:]
    low[n], high[n] = -np.inf, np.inf
    return HorizonProgramme(nx, nu, n, tuple(range(nx, nx + nu)), dense=False), {
        "A": BA_[:, :, :nx], "B": BA_[:, :, nx:], "c": np.array(F)[:, :, 0] - x[1:], "H": H,
        "g": np.einsum("kij,kj->ki", H, z - goal), "x0": 1e-3 * np.ones(nx), "low": low, "high": high,
    }  # fmt: skip


def _table(tables: tuple[str, ...], name: str) -> Array:
    text = next(t for t in tables if f" {name}[]" in t)
    numbers = text[text.index("{") + 1 : text.index("}")].replace("HUGE_VAL", "inf").split(",")
    return np.array([float(x) for x in numbers])


def by_hpipm(
    size: HorizonProgramme, d: Mapping[str, Any], tolerance: float | None = None
) -> tuple[Callable[[], Any], Callable[[], Array]]:
    """Return a function that solves a programme by HPIPM through CasADi, and one for the inputs that it found.

    Parameters
    ----------
    size, d
        The programme (`programme_of`).
    tolerance
        Residuals of its solution; None: HPIPM's own.
    """
    nx, nu, n = size.nx, size.nu, size.intervals
    nz, nv = nx + nu, (n + 1) * (nx + nu) - nu
    H, A = np.zeros((nv, nv)), np.zeros((n * nx, nv))
    g, low, high = np.zeros(nv), np.full(nv, -np.inf), np.full(nv, np.inf)
    for k in range(n + 1):
        m, at = (nz if k < n else nx), k * nz
        H[at : at + m, at : at + m], g[at : at + m] = d["H"][k][:m, :m], d["g"][k][:m]
        if k < n:
            A[k * nx : (k + 1) * nx, at : at + nz] = np.c_[d["A"][k], d["B"][k]]
            A[k * nx : (k + 1) * nx, at + nz : at + nz + nx] = -np.eye(nx)
            low[at + nx : at + nz], high[at + nx : at + nz] = d["low"][k], d["high"][k]
    low[:nx] = high[:nx] = d["x0"]
    options: Any = {
        "N": n, "nx": [nx] * (n + 1), "nu": [nu] * n + [0], "ng": [0] * (n + 1), "hpipm": {"iter_max": 60},
    }  # fmt: skip
    if tolerance is not None:
        options["hpipm"] |= dict.fromkeys(("res_g_max", "res_b_max", "res_d_max", "res_m_max"), tolerance)
        options["error_on_fail"] = False  # it ends where it can reduce its residuals no more
    dense_H, dense_A = ca.sparsify(ca.DM(H)), ca.sparsify(ca.DM(A))
    solver = ca.conic("peer", "hpipm", {"h": dense_H.sparsity(), "a": dense_A.sparsity()}, options)
    b = -d["c"].ravel()
    arguments = {"h": dense_H, "g": g, "a": dense_A, "lba": b, "uba": b, "lbx": low, "ubx": high}
    arguments = {key: ca.DM(value) for key, value in arguments.items()}
    answers: dict[str, Any] = {}

    def solve() -> None:
        answers.update(solver(**arguments))

    return solve, lambda: np.append(np.array(answers["x"]).ravel(), np.zeros(nu)).reshape(n + 1, nz)[:n, nx:]


def by_ipopt(law: PredictiveLaw, x0: Array) -> Record:
    """Solve the nonlinear programme of a sample by IPOPT, with bounds of inputs alone, compiled and interpreted.

    Returns
    -------
    Record
        ``ipopt_ms`` with compiled tapes, ``ipopt_vm_ms`` on CasADi's virtual machine, the iterations, and the part of
        the time in derivatives of both; without the time to build them.
    """
    native, interpreted = (_solved(law, x0, backend) for backend in ("native", "vm"))
    return {
        "ipopt_ms": 1e3 * native.seconds, "ipopt_iterations": native.iterations,
        "ipopt_derivatives": native.derivative_seconds / native.seconds, "ipopt_vm_ms": 1e3 * interpreted.seconds,
        "ipopt_vm_derivatives": interpreted.derivative_seconds / interpreted.seconds,
    }  # fmt: skip


def _solved(law: PredictiveLaw, x0: Array, backend: Any) -> IpoptSolution:
    problem = law.problem
    nx, nu, n = problem.nx, problem.nu, int(str(problem.macros["NN"]))
    weight, end = (_table(problem.tables, name) for name in ("stage_weight", "end_weight"))
    goal, step = ca.DM(problem.goal), problem.tapes["STEP_TAPE"]
    z, after, none = ca.SX.sym("z", nx + nu), ca.SX.sym("after", nx), ca.SX.sym("none", 0)
    e = z - goal
    following = step(z[:nx], z[nx:], ca.SX(0, 1), 0.0)[0]
    stage = ProgrammeElement(
        "stage", ca.vertcat(z, after), none, ca.dot(ca.DM(weight) * e, e) / 2, following - after, backend
    )
    last = after - goal[:nx]
    final = ProgrammeElement("final", after, none, ca.dot(last, ca.DM(end.reshape(nx, nx)) @ last) / 2, ca.SX(0, 1))
    nz = nx + nu
    places = np.arange(n)[:, None] * nz + np.arange(nz + nx)
    groups = [_group(stage, places), _group(final, places[-1:, nz:])]
    count = n * nz + nx
    low, high = np.full(count, -np.inf), np.full(count, np.inf)
    low[:nx] = high[:nx] = x0
    inputs = places[:, nx:nz]
    low[inputs], high[inputs] = bounds_of_inputs(law)
    first = np.append(np.tile(np.r_[x0, problem.goal[nx:]], n), x0)
    programme = Programme(count, groups)
    programme.values(first), programme.slopes(first), programme.bends(first, 1.0, np.zeros(programme.m))  # built
    return solve_programme(programme, first, (low, high), tolerance=1e-8, max_iterations=200)


def _group(element: ProgrammeElement, places: Any) -> ElementGroup:
    count, zeros = len(places), np.zeros((len(places), element.m))
    return ElementGroup(element, places, np.zeros((count, 0)), zeros, zeros, np.ones((count, element.m), dtype=bool))
