"""Predictive controllers: times of a sample, of an iteration of the interior point method beside HPIPM, and of IPOPT.

``dalembert bench mpc`` prints its table. HPIPM is that of CasADi's wheel, a build for generic processors, called
through ``casadi.conic``; its time includes the conversion of the matrices. IPOPT solves the whole nonlinear programme
once, with functions on CasADi's virtual machine. Times to build are of the processor, compilers included: they do not
depend on the load.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from dalembert.benchmarks.measure import Record
from dalembert.benchmarks.robots import robot_machine
from dalembert.benchmarks.rows import describe
from dalembert.benchmarks.udp_controller import run_over_udp
from dalembert.compile.routine import Routine, load_routine
from dalembert.core.types import Array
from dalembert.engine.horizon.programme import HorizonProgramme
from dalembert.formulations.equations import derive
from dalembert.loop.closed_loop import close_loop
from dalembert.model.machine import Machine
from dalembert.model.parts import Motor
from dalembert.optimal.cost import Cost
from dalembert.optimal.limits import soft
from dalembert.optimal.predictive import PredictiveLaw, mpc
from dalembert.systems.cranes import spatial_crane, uniform_cable
from dalembert.systems.flexible_arms import canadarm, planar_arm

__all__ = ["predictive_cases", "run_predictive"]

_WEIGHT = 500.0 * 9.81
_AGREE = 1e-5  # of inputs, relative to their range


@dataclass(frozen=True, eq=False)
class PredictiveCase:
    """A controller to measure.

    Parameters
    ----------
    title
        Description.
    machine
        Makes the machine.
    settings
        Keywords of `mpc`.
    start
        Coordinates at the start, by name.
    target
        Time to reach [us], on a processor with AVX-512.
    """

    title: str
    machine: Callable[[], Machine]
    settings: Callable[[Machine], Mapping[str, Any]]
    start: Mapping[str, float]
    target: float


def _crane() -> Machine:
    return spatial_crane(uniform_cable(1, 5.0, payload=500.0), trolley=100.0, bridge=1000.0, lengths="hoisted")


def _crane_settings(machine: Machine) -> Mapping[str, Any]:
    q, v, u = machine.q_names, machine.v_names, [m.name for m in machine.motors]
    limits: dict[str, Any] = dict.fromkeys((f"u.{n}" for n in u[:2]), (-1200.0, 1200.0))
    limits |= {f"u.{u[2]}": (-1.3 * _WEIGHT, 0.0)} | {f"q.{n}": soft(-0.1, 0.1, linear=1e3) for n in q[2:4]}
    return {
        "horizon": 4.0, "intervals": 40, "limits": limits,
        "cost": Cost(states={**dict.fromkeys(q, 10.0), **dict.fromkeys(v, 1.0)}, inputs=1e-5, terminal="lqr"),
        "reference": {q[0]: 4.0, q[1]: 3.0, q[4]: 5.0},
    }  # fmt: skip


def _ur5() -> Machine:
    machine = robot_machine("ur5")
    joints = [joint.name for joint in machine.joints if joint.info.nv == 1]
    return machine if machine.motors else machine.with_(motors=tuple(Motor(f"m{k}", n) for k, n in enumerate(joints)))


def _arm_settings(
    efforts: tuple[float, ...], goal: tuple[float, ...], horizon: float, n: int, speed: float, **more: Any
) -> Callable[[Machine], Mapping[str, Any]]:
    def settings(machine: Machine) -> Mapping[str, Any]:
        driven = [motor.joint for motor in machine.motors]
        q, v = machine.q_names, machine.v_names
        rates = [v[q.index(name)] for name in driven]
        states = dict.fromkeys(q, 1.0) | dict.fromkeys(v, 1e-2) | dict.fromkeys(driven, 100.0)
        end = {name: weight * horizon / n * 10.0 for name, weight in states.items()}
        limits: dict[str, Any] = {f"u.{m.name}": (-e, e) for m, e in zip(machine.motors, efforts, strict=True)}
        limits |= {name: soft(-speed, speed, linear=1e3) for name in rates}
        return {
            "horizon": horizon, "intervals": n, "limits": limits, "reference": dict(zip(driven, goal, strict=True)),
            "cost": Cost(
                states=states, terminal=end,
                inputs={m.name: 1.0 / e**2 for m, e in zip(machine.motors, efforts, strict=True)},
            ),
        } | more  # fmt: skip

    return settings


def predictive_cases(*, quick: bool = False) -> dict[str, PredictiveCase]:
    """Return the measured controllers, by name."""
    reach = (0.2, -0.3, 0.4, 0.1, -0.2, 0.3)
    cases = {
        "crane": PredictiveCase("crane, 3-D, hoisting", _crane, _crane_settings, {"length": 5.0}, 100.0),
        "ur5": PredictiveCase(
            "UR5", _ur5, _arm_settings((60.0, 60.0, 60.0, 11.0, 11.0, 11.0), reach, 1.0, 50, 1.5), {}, 250.0
        ),
        "planar-arm": PredictiveCase(
            "planar arm, flexible", planar_arm,
            _arm_settings((30.0, 10.0), (0.5, -0.4), 0.6, 30, 2.0, integrator="midpoint"), {}, 100.0,
        ),
        "canadarm": PredictiveCase(
            "Canadarm, flexible", canadarm,
            _arm_settings((400.0,) * 3 + (100.0,) * 3, reach, 6.0, 30, 0.2, integrator="midpoint"), {}, 2000.0,
        ),
    }  # fmt: skip
    return {name: cases[name] for name in (("crane", "planar-arm") if quick else cases)}


class ControllerSamples:
    """A controller outside of its loop: samples along its own prediction, with a small disturbance."""

    def __init__(self, law: PredictiveLaw, machine: Machine, start: Mapping[str, float]) -> None:
        eom = derive(machine)
        loop = close_loop(eom, law, limits="ignore")
        assert loop.controller is not None
        (update,) = loop.controller.updates
        assert isinstance(update.function, Routine)
        self.law, self._code = law, load_routine(update.function)
        self._rows, self._c = list(update.rows), loop.controller.initial.copy()
        self.x = np.concatenate([machine.q_neutral, np.zeros(machine.nv), loop.z0, np.zeros(2)])
        for name, value in start.items():
            if name in machine.q_names:
                self.x[machine.q_names.index(name)] = value
        self._n, self._nu, self._t = 2 * machine.nv, eom.nu, 0.0
        self._p, self._out = eom.parameter_values(None), np.zeros(len(self._rows))
        self._work = self._code.work()
        self._call = ctypes.CFUNCTYPE(ctypes.c_int)(self._code.address)
        self._rng = np.random.default_rng(0)

    def sample(self) -> tuple[float, int, int]:
        """Compute a sample; return its seconds, iterations and status."""
        t = np.array([self._t])
        inputs = [t, self.x, self._c, self._p, np.zeros(1)]
        pointers = (ctypes.c_void_p * 5)(*(a.ctypes.data for a in inputs))
        results, work = (ctypes.c_void_p * 1)(self._out.ctypes.data), ctypes.c_void_p(self._work.ctypes.data)
        began = time.perf_counter()
        self._call(pointers, results, work)
        seconds = time.perf_counter() - began
        self._c[self._rows] = self._out
        answer = self.shown
        planned, _ = self.law.plan(self.memory)
        self.x[: self._n] = planned[1] + 1e-6 * self._rng.normal(size=self._n) * (np.abs(planned[1]) > 1e-12)
        self._t += self.law.period
        return seconds, int(answer[1]), int(answer[0])

    def follow(self, other: ControllerSamples) -> None:
        """Continue from the plan of another controller of the same problem."""
        self._c, self._t = other._c.copy(), other._t
        self.x = other.x.copy()

    @property
    def shown(self) -> Array:
        """Recorded values of the last sample, in the order of ``law.shown``."""
        return self._out[self._nu : self._nu + len(self.law.shown)]

    @property
    def memory(self) -> Array:
        """Memory of the controller after the last sample."""
        return self._out[self._nu + len(self.law.shown) :]


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


def by_hpipm(size: HorizonProgramme, d: Mapping[str, Any]) -> tuple[Callable[[], Any], Callable[[], Array]]:
    """Return a function that solves a programme by HPIPM through CasADi, and one for the inputs that it found."""
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
    dense_H, dense_A = ca.sparsify(ca.DM(H)), ca.sparsify(ca.DM(A))
    solver = ca.conic("peer", "hpipm", {"h": dense_H.sparsity(), "a": dense_A.sparsity()}, options)
    b = -d["c"].ravel()
    arguments = {"h": dense_H, "g": g, "a": dense_A, "lba": b, "uba": b, "lbx": low, "ubx": high}
    arguments = {key: ca.DM(value) for key, value in arguments.items()}
    answers: dict[str, Any] = {}

    def solve() -> None:
        answers.update(solver(**arguments))

    return solve, lambda: np.append(np.array(answers["x"]).ravel(), np.zeros(nu)).reshape(n + 1, nz)[:n, nx:]


def by_ipopt(law: PredictiveLaw, x0: Array) -> float:
    """Return the seconds in which IPOPT solves the nonlinear programme of a sample, with bounds of inputs alone."""
    problem = law.problem
    nx, nu, n = problem.nx, problem.nu, int(str(problem.macros["NN"]))
    X, U = ca.MX.sym("X", nx, n + 1), ca.MX.sym("U", nu, n)
    weight, end = (_table(problem.tables, name) for name in ("stage_weight", "end_weight"))
    goal, step = ca.DM(problem.goal), problem.tapes["STEP_TAPE"]
    cost: Any = 0
    g = [X[:, 0] - ca.DM(x0)]
    for k in range(n):
        e = ca.vertcat(X[:, k], U[:, k]) - goal
        cost += ca.dot(ca.DM(weight) * e, e) / 2
        g.append(step(X[:, k], U[:, k], ca.DM(0, 1), 0.0)[0] - X[:, k + 1])
    e = X[:, n] - goal[:nx]
    cost += ca.dot(e, ca.DM(end.reshape(nx, nx)) @ e) / 2
    options: Any = {"ipopt": {"print_level": 0, "bound_relax_factor": 0.0, "sb": "yes"}, "print_time": False}
    nlp: Any = {"x": ca.vertcat(ca.vec(X), ca.vec(U)), "f": cost, "g": ca.vertcat(*g)}
    solver = ca.nlpsol("peer", "ipopt", nlp, options)
    low, high = (np.r_[np.full((n + 1) * nx, s), np.tile(_table(problem.tables, t), n)]
                 for s, t in ((-np.inf, "input_low"), (np.inf, "input_high")))  # fmt: skip
    first = np.r_[np.tile(x0, n + 1), np.tile(problem.goal[nx:], n)]
    began = time.perf_counter()
    solver(x0=first, lbx=low, ubx=high, lbg=0.0, ubg=0.0)
    return time.perf_counter() - began


def run_predictive(*, quick: bool = False, announce: Callable[[str], None] | None = None) -> Record:
    """Measure predictive controllers.

    Parameters
    ----------
    quick
        The crane and the planar arm, few samples, no IPOPT.
    announce
        Called with the case being measured.
    """
    rows, count = [], 200 if quick else 2000
    for name, case in predictive_cases(quick=quick).items():
        if announce is not None:
            announce(f"{case.title} ...")
        began, before = time.perf_counter(), _processor_time()
        machine = case.machine()
        law = mpc(machine, **case.settings(machine))
        samples = ControllerSamples(law, machine, _start(machine, case))
        built, worked = time.perf_counter() - began, _processor_time() - before
        first = samples.sample()
        taken = [samples.sample() for _ in range(count)]
        seconds = np.array([s for s, _, _ in taken])
        row: Record = {
            "name": name, "title": case.title, "nx": law.problem.nx, "nu": law.problem.nu,
            "intervals": int(str(law.problem.macros["NN"])), "median_us": 1e6 * float(np.median(seconds)),
            "least_us": 1e6 * float(seconds.min()), "quantile_us": 1e6 * float(np.quantile(seconds, 0.999)),
            "first_us": 1e6 * first[0], "iterations": float(np.mean([i for _, i, _ in taken])),
            "most_iterations": max(i for _, i, _ in taken), "unsolved": sum(s > 0 for _, _, s in taken),
            "build_s": built, "build_processor_s": worked, "target_us": case.target, "agrees": True,
        }  # fmt: skip
        if law.settings.integrator == "rk4":
            row |= _peers(law, samples, quick=quick)
        rows.append(row)
    if announce is not None:
        announce("exported controller over UDP ...")
    over_udp = run_over_udp(1.0 if quick else 20.0)
    return {**describe("dalembert bench mpc", {"quick": quick, "samples": count}), "results": rows, "udp": over_udp}


def _processor_time() -> float:
    """Processor time of this process and of the compilers that it has run [s]."""
    return float(sum(os.times()[:4]))


def _start(machine: Machine, case: PredictiveCase) -> Mapping[str, float]:
    names = machine.q_names
    if case.start:
        return {names[4]: case.start["length"]}
    return {}


def _peers(law: PredictiveLaw, samples: ControllerSamples, *, quick: bool) -> Record:
    """Times of one iteration beside HPIPM's, and of IPOPT."""
    size, data = programme_of(law, samples.memory)
    repeats = 10 if quick else 50
    hpipm, found = by_hpipm(size, data)
    ours, theirs = [], []
    for _ in range(repeats):
        began = time.perf_counter()
        mine = size.solve(**data, tolerance=1e-7)
        ours.append(time.perf_counter() - began)
        began = time.perf_counter()
        hpipm()
        theirs.append(time.perf_counter() - began)
    low, high = (_table(law.problem.tables, name) for name in ("input_low", "input_high"))
    apart = float((np.abs(found() - mine.u) / (high - low)).max())
    row: Record = {
        "programme_us": 1e6 * float(np.median(ours)), "programme_iterations": mine.iterations,
        "hpipm_us": 1e6 * float(np.median(theirs)), "difference": apart, "agrees": apart < _AGREE,
    }  # fmt: skip
    if not quick:
        row["ipopt_ms"] = 1e3 * by_ipopt(law, law.plan(samples.memory)[0][0])
    return row
