"""Predictive controllers: times of a sample, beside HPIPM and IPOPT (`predictive_peers`), and by vector units.

``dalembert bench mpc`` prints its tables. Times to build are of the processor, compilers included: they do not depend
on the load.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.benchmarks.measure import Record
from dalembert.benchmarks.predictive_peers import bounds_of_inputs, by_hpipm, by_ipopt, programme_of
from dalembert.benchmarks.robots import robot_machine
from dalembert.benchmarks.rows import describe
from dalembert.benchmarks.udp_controller import run_over_udp
from dalembert.benchmarks.vector_units import by_vector_unit
from dalembert.compile.routine import Routine, load_routine
from dalembert.core.types import Array
from dalembert.formulations.equations import derive
from dalembert.loop.closed_loop import close_loop
from dalembert.model.body import Body, box
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame, Motor, Thruster
from dalembert.model.transform import Transform
from dalembert.optimal.cost import Cost
from dalembert.optimal.limits import soft
from dalembert.optimal.predictive import PredictiveLaw, mpc
from dalembert.systems.cranes import spatial_crane, uniform_cable
from dalembert.systems.flexible_arms import canadarm, planar_arm

__all__ = ["predictive_cases", "run_predictive"]

_WEIGHT = 500.0 * 9.81
_AGREE = 1e-5  # of inputs, relative to their range
_EXACT = 1e-12  # tolerance of the programme that is compared with HPIPM's
_UNITS = ("crane", "cable-robot")  # also measured with other vector units


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


_CORNERS = tuple((x, y, z) for z in (3.0, 0.0) for x in (-2.0, 2.0) for y in (-2.0, 2.0))


def _cable_robot() -> Machine:
    """A platform of 20 kg on eight cables; their tensions are the inputs."""
    x_axis, y_axis, z_axis = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    axes = {"x": x_axis, "y": y_axis, "z": z_axis, "yaw": z_axis, "pitch": y_axis, "roll": x_axis}
    bodies = [*(f"carrier{k}" for k in range(5)), "platform"]
    joints = tuple(
        Joint(name, "prismatic" if k < 3 else "revolute", bodies[k - 1] if k else "world", bodies[k], axis=axis)
        for k, (name, axis) in enumerate(axes.items())
    )
    frames, cables = [], []
    for k, (x, y, z) in enumerate(_CORNERS):
        side = -1.0 if z > 1.0 else 1.0  # lower cables end above the centre, and cross: they hold the attitude too
        frames.append(Frame(f"eye{k}", "platform", Transform((0.075 * x, 0.075 * side * y, 0.1 * side))))
        cables.append(Thruster(f"cable{k}", f"eye{k}", toward=(x, y, z)))
    return Machine(
        "cable robot", (*map(Body, bodies[:-1]), box("platform", 20.0, (0.3, 0.3, 0.2))), joints,
        frames=tuple(frames), thrusters=tuple(cables),
    )  # fmt: skip


def _cable_settings(machine: Machine) -> Mapping[str, Any]:
    q, v = machine.q_names, machine.v_names
    limits: dict[str, Any] = {f"u.cable{k}": (20.0, 500.0) for k in range(8)}
    limits |= dict.fromkeys(q[3:], soft(-0.5, 0.5, linear=1e3)) | dict.fromkeys(v[:3], soft(-1.0, 1.0, linear=1e3))
    return {
        "horizon": 0.9, "intervals": 30, "limits": limits, "reference": {"x": 0.6, "y": 0.4, "z": 1.9},
        "cost": Cost(states={**dict.fromkeys(q, 100.0), **dict.fromkeys(v, 1.0)}, inputs=1e-5, terminal="lqr"),
    }  # fmt: skip


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
        "cable-robot": PredictiveCase(
            "cable robot, 8 tensions", _cable_robot, _cable_settings, {"z": 1.5}, 150.0
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
        self.replayed: list[tuple[float, Array]] = []

    def sample(self) -> tuple[float, int, int]:
        """Compute a sample; return its seconds, iterations and status."""
        t = np.array([self._t])
        self.replayed.append((self._t, self.x[: self._n].copy()))
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


def run_predictive(*, quick: bool = False, announce: Callable[[str], None] | None = None) -> Record:
    """Measure predictive controllers.

    Parameters
    ----------
    quick
        The crane and the planar arm, few samples, no IPOPT, no other vector units.
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
        units = name in _UNITS and not quick
        row["processors"] = by_vector_unit(law, samples.replayed, name.replace("-", "_")) if units else {}
        rows.append(row)
    if announce is not None:
        announce("exported controller over UDP ...")
    over_udp = run_over_udp(1.0 if quick else 20.0)
    return {**describe("dalembert bench mpc", {"quick": quick, "samples": count}), "results": rows, "udp": over_udp}


def _processor_time() -> float:
    """Processor time of this process and of the compilers that it has run [s]."""
    return float(sum(os.times()[:4]))


def _start(machine: Machine, case: PredictiveCase) -> Mapping[str, float]:
    """Coordinates at the start; the crane names its rope by itself."""
    return {machine.q_names[4] if name == "length" else name: x for name, x in case.start.items()}


def _peers(law: PredictiveLaw, samples: ControllerSamples, *, quick: bool) -> Record:
    """Times of one iteration beside HPIPM's, and of IPOPT."""
    size, data = programme_of(law, samples.memory)
    repeats = 10 if quick else 50
    hpipm, _ = by_hpipm(size, data)
    ours, theirs = [], []
    for _ in range(repeats):
        began = time.perf_counter()
        mine = size.solve(**data, tolerance=1e-7)
        ours.append(time.perf_counter() - began)
        began = time.perf_counter()
        hpipm()
        theirs.append(time.perf_counter() - began)
    iterations = mine.iterations
    mine, (low, high) = size.solve(**data, tolerance=_EXACT), bounds_of_inputs(law)
    exactly, found = by_hpipm(size, data, _EXACT)  # optima that are flat, such as shares of tensions, need more digits
    exactly()
    apart = float((np.abs(found() - mine.u) / (high - low)).max())
    row: Record = {
        "programme_us": 1e6 * float(np.median(ours)), "programme_iterations": iterations,
        "hpipm_us": 1e6 * float(np.median(theirs)), "difference": apart, "agrees": apart < _AGREE,
    }  # fmt: skip
    if not quick:
        row |= by_ipopt(law, law.plan(samples.memory)[0][0])
    return row
