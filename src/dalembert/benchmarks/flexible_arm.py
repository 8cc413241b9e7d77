"""Arms with flexible links against Exudyn's floating frames with the same modes: cost of a call, and of a run.

The comparison is between our accelerations in minimal coordinates (one native call; four of them make a step of
Runge-Kutta), and the same arm in Exudyn, with redundant coordinates, joints as constraints and an implicit integrator,
its method for such arms. For Exudyn, a *call* is one evaluation per iteration of its solver (mass matrix, forces, joint
equations and their Jacobian), without the solution of the linear system; a *step* is all of it. ``dalembert bench
flexible-arm`` prints two tables.
"""

from __future__ import annotations

import contextlib
import importlib
import statistics
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from dalembert.api import simulate
from dalembert.benchmarks.cases import Case, Contender
from dalembert.benchmarks.contenders import native_contenders
from dalembert.benchmarks.measure import Record, interleave
from dalembert.benchmarks.peers.exudyn_arm import ExudynArm, exudyn_arm
from dalembert.benchmarks.rows import AGREEMENT, SETTINGS, describe
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.machine import Machine
from dalembert.simulation.methods import RK4, Method
from dalembert.simulation.run import Run
from dalembert.systems.flexible_arms import canadarm, planar_arm

__all__ = ["ARMS", "FlexibleArm", "compare_calls", "compare_runs", "projected_terms", "run_flexible_arm"]

MISSING = "not installed in version 1.13 or later (pip install exudyn)"


@dataclass(frozen=True)
class FlexibleArm:
    """An arm, its start (undeformed, so that both engines agree on it), and the body whose motion is compared.

    ``method`` makes our method from the length of a step.
    """

    name: str
    title: str
    machine: Callable[[], Machine]
    q0: dict[str, float]
    v0: dict[str, float]
    end: str
    method: Callable[[float], Method] = RK4


ARMS = (
    FlexibleArm("planar", "Planar arm, 2 x 2 modes", planar_arm, {}, {"link2.delta1_dot": 0.5}, "payload"),
    FlexibleArm(
        "canadarm",
        "Canadarm, 2 x 10 modes",
        canadarm,
        {"theta1": 0.3, "theta2": -0.6, "theta3": 1.2, "theta4": 0.4, "theta5": 0.5, "theta6": 0.2},
        {"segment2.delta2_dot": 0.2, "segment3.delta6_dot": 0.2, "theta1_dot": 0.05, "theta3_dot": -0.05},
        "segment6",
    ),
)


def _state(arm: FlexibleArm, eom: EquationsOfMotion) -> tuple[Array, Array]:
    q = np.array([arm.q0.get(name, 0.0) for name in eom.q_names])
    return q, np.array([arm.v0.get(name, 0.0) for name in eom.v_names])


# -- calls ------------------------------------------------------------------------------------------------------------


def _settings(exu: ModuleType, duration: float, step: float) -> Any:
    settings = exu.SimulationSettings()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        settings.timeIntegration.numberOfSteps = round(duration / step)
        settings.timeIntegration.endTime = duration
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
        settings.timeIntegration.newton.useModifiedNewton = True
        settings.timeIntegration.verboseMode = 0
        settings.solutionSettings.writeSolutionToFile = False
        # The fastest of its solvers for these arms (dense ones take about as long or longer).
        settings.linearSolverType = exu.LinearSolverType.EigenSparse
    return settings


class _Terms:
    """Terms that Exudyn's solver evaluates for the accelerations of an arm in a state."""

    def __init__(self, arm: ExudynArm) -> None:
        exu: ModuleType = importlib.import_module("exudyn")
        self.arm, self.system = arm, arm.system
        self.solver = exu.MainSolverImplicitSecondOrder()
        settings = _settings(exu, 1e-3, 1e-3)
        settings.linearSolverType = exu.LinearSolverType.EXUdense  # so that the matrices can be read
        self.solver.InitializeSolver(self.system, settings)
        self.n, self.m = int(self.solver.GetODE2size()), int(self.solver.GetAEsize())

    def run(self) -> None:
        """One evaluation of all terms."""
        self.solver.ComputeMassMatrix(self.system)
        self.solver.ComputeODE2RHS(self.system)
        self.solver.ComputeAlgebraicEquations(self.system)
        self.solver.ComputeJacobianAE(self.system)

    def mass_and_force(self) -> tuple[Array, Array]:
        """Mass matrix and forces in Exudyn's coordinates."""
        self.solver.ComputeMassMatrix(self.system)
        self.solver.ComputeODE2RHS(self.system)
        return np.array(self.solver.GetSystemMassMatrix()), np.array(self.solver.GetSystemResidual())[: self.n]

    def constraint_jacobian(self) -> Array:
        """Jacobian of the joints' equations."""
        self.solver.SetSystemJacobian(np.zeros((self.n + self.m, self.n + self.m)))  # it adds to the existing entries
        self.solver.ComputeJacobianAE(self.system)
        return np.array(self.solver.GetSystemJacobian())[self.n :, : self.n]


def projected_terms(machine: Machine, q: Array, v: Array, *, step: float = 1e-5) -> tuple[Array, Array, Array]:
    """Exudyn's mass matrix and forces in our coordinates, and its joint equations along our velocities.

    With ``y' = J(q) v``, its velocities by ours: ``J^T M J`` is our mass matrix, ``J^T (M J' v - f)`` our bias, and the
    Jacobian ``G`` of its joints has ``G J = 0``.

    Parameters
    ----------
    machine, q, v
        The machine and its state.
    step
        Step of the differences for ``J'``.
    """
    exu: ModuleType = importlib.import_module("exudyn")

    def rates(at: Array) -> Array:
        columns = [exudyn_arm(machine, at, e) for e in np.eye(machine.nv)]
        initial = exu.ConfigurationType.Initial
        return np.column_stack([arm.system.systemData.GetODE2Coordinates_t(initial) for arm in columns])

    J = rates(q)
    J_dot = (rates(q + step * v) - rates(q - step * v)) / (2 * step)
    terms = _Terms(exudyn_arm(machine, q, v))
    M, f = terms.mass_and_force()
    return J.T @ M @ J, J.T @ (M @ (J_dot @ v) - f), terms.constraint_jacobian() @ J


def _relative(values: Array, reference: Array) -> float:
    return float(np.abs(values - reference).max() / np.abs(reference).max())


def compare_calls(arm: FlexibleArm, *, quick: bool = False) -> Iterator[Record]:
    """Cost of one evaluation of an arm by both engines; the first row is one native call.

    Yields
    ------
    dict
        Rows with ``machine, title, contender, name, unknowns`` (coordinates and multipliers), ``operations`` (ours),
        ``median_ns, least_ns, ratio, difference, agrees``; or ``reason`` instead of the figures.
    """
    eom = derive(arm.machine())
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(2, 64, eom.nv))
    modal = np.array(["delta" in name for name in eom.q_names])
    scale = np.where(modal, 0.01, 0.5)
    case = Case(arm.name, arm.title, eom, scale * q, scale * v, np.zeros_like(q), lambda: None)
    about = {"machine": arm.name, "title": arm.title}
    native = next(native_contenders(case))
    runs: dict[str, tuple[Callable[[], object], int]] = {}
    if isinstance(native, Contender):
        runs["native-call"] = (native.run, case.states)
    terms: _Terms | None = None
    with contextlib.suppress(ImportError):
        terms = _Terms(exudyn_arm(eom.machine, *_state(arm, eom)))
        runs["exudyn-terms"] = (terms.run, 1)
    repetitions = SETTINGS[quick]["repetitions"]
    times = interleave(runs, repetitions=repetitions, duration=SETTINGS[quick]["duration_s"])
    base = times.get("native-call")

    def figures(key: str, difference: float) -> Record:
        t = times[key]
        return {
            "median_ns": 1e9 * t.median,
            "least_ns": 1e9 * t.least,
            "ratio": t.relative_to(base) if base else None,
            "difference": difference,
            "agrees": difference < AGREEMENT,
        }

    name = "dalembert, accelerations"
    row = {**about, "contender": "native-call", "name": name, "unknowns": eom.nv}
    if isinstance(native, Contender):
        gap = _relative(native.values(), case.reference())
        yield {**row, "operations": case.kernel.function.n_instructions(), **figures("native-call", gap)}
    else:
        yield {**row, "reason": native.reason}
    row = {**about, "contender": "exudyn-terms", "name": "Exudyn, its terms, not solved"}
    if terms is None:
        yield {**row, "reason": MISSING}
        return
    M, h, _ = projected_terms(eom.machine, case.q[0], case.v[0])
    gap = max(_relative(M, eom.mass_matrix(case.q[0])), _relative(h, eom.bias(case.q[0], case.v[0])))
    yield {**row, "unknowns": terms.n + terms.m, **figures("exudyn-terms", gap)}


# -- runs -------------------------------------------------------------------------------------------------------------


def compare_runs(
    arm: FlexibleArm, steps: Sequence[float] = (1e-3, 5e-4), *, duration: float = 0.5, repetitions: int = 7
) -> list[Record]:
    """A free run from given rates of joints and modes, by Runge-Kutta and by Exudyn's generalized-alpha method.

    Returns
    -------
    list of dict
        Rows with ``machine, engine, step, step_us`` (time of one step), ``real_time`` (simulated seconds per second),
        ``ratio`` (to our step of the same length), ``error`` (position of the last body at the end [m], against a tight
        solution of ours).
    """
    eom = derive(arm.machine())
    q, v = _state(arm, eom)
    same: dict[str, Any] = {"duration": duration, "q0": q, "v0": v, "record": duration}

    def end(run: Run) -> Array:
        last = np.array([run[name][-1] for name in eom.q_names])
        return np.asarray(eom.pose(arm.end, last)[:3, 3])

    exact = end(simulate(eom, method="dopri5", rtol=1e-10, atol=1e-12, **same))
    rows: list[Record] = []
    for h in steps:
        times: dict[str, list[float]] = {"ours": [], "exudyn": []}
        ends: dict[str, Array] = {}
        for _ in range(repetitions):
            run = simulate(eom, method=arm.method(h), **same)
            times["ours"].append(float(run.metadata["wall_time"]))
            ends["ours"] = end(run)
            try:
                seconds, ends["exudyn"] = _exudyn_run(arm, eom, duration, h)
            except ImportError:
                continue
            times["exudyn"].append(seconds)
        own = "Runge-Kutta 4" if arm.method is RK4 else arm.method(h).title
        for key, engine in (("ours", f"dalembert, {own}"), ("exudyn", "Exudyn, generalized-alpha")):
            row: Record = {"machine": arm.name, "title": arm.title, "engine": engine, "step": h}
            if not times[key]:
                rows.append({**row, "reason": MISSING})
                continue
            median = statistics.median(times[key])
            pairs = zip(times[key], times["ours"], strict=True)
            row |= {"step_us": 1e6 * median * h / duration, "real_time": duration / median}
            row |= {"ratio": statistics.median(a / b for a, b in pairs)}
            rows.append(row | {"error": float(np.linalg.norm(ends[key] - exact))})
    return rows


def _exudyn_run(arm: FlexibleArm, eom: EquationsOfMotion, duration: float, step: float) -> tuple[float, Array]:
    built = exudyn_arm(eom.machine, *_state(arm, eom))
    settings = _settings(importlib.import_module("exudyn"), duration, step)
    began = time.perf_counter()
    built.system.SolveDynamic(settings)
    return time.perf_counter() - began, built.position(arm.end)


def run_flexible_arm(*, quick: bool = False, announce: Callable[[str], None] = lambda _: None) -> Record:
    """Measure calls (``results``, see `compare_calls`) and runs (``runs``, see `compare_runs`) of both arms.

    A quick run takes few repetitions and a short run.
    """
    settings = {**SETTINGS[quick], "states": 64}
    about = describe("dalembert bench flexible-arm" + (" --quick" if quick else ""), settings)
    calls: list[Record] = []
    runs: list[Record] = []
    short: dict[str, Any] = {"steps": (1e-3,), "duration": 0.05, "repetitions": 1} if quick else {}
    for arm in ARMS:
        announce(f"{arm.title} ...")
        calls += compare_calls(arm, quick=quick)
        runs += compare_runs(arm, **short)
    return {
        "topic": "flexible-arm",
        **about,
        "results": [row for row in calls if "reason" not in row],
        "skipped": [row for row in calls if "reason" in row],
        "runs": runs,
    }
