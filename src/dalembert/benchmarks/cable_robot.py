"""A platform on four cables: every constraint method, the paper's own method, and Exudyn on the same robot.

``dalembert bench cable-robot`` prints its tables.
"""

from __future__ import annotations

import importlib
import inspect
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dalembert.analysis.cables.kinematics import cable_lengths
from dalembert.api import simulate
from dalembert.benchmarks.measure import Record
from dalembert.benchmarks.rows import describe
from dalembert.core.parameter import nominal
from dalembert.core.states import named_vector
from dalembert.core.types import Array
from dalembert.engine.methods.constraints import CONSTRAINT_METHODS, Idas, UdwadiaKalaba
from dalembert.formulations.constraints.projection import consistent_state
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.systems.cable_robots import pulley_robot

__all__ = ["compare_methods", "compare_with_exudyn", "paper_speed", "pushed_velocities", "run_cable_robot"]

_PUSH = {"platform.vx": 0.08, "platform.vy": 0.16}  # of CDPR 4.3: 1.118 N s on 6.24 kg, free of its cables
_START = {"platform.y": 0.25, "platform.z": 0.37}
_POSITION = ("platform.x", "platform.y", "platform.z")


def pushed_velocities(machine: Machine) -> Array:
    """Velocities that a push leaves: the cables take their part of it in the same instant."""
    eom = derive(machine, backend="vm")
    q = named_vector(_START, machine.q_names, machine.q_neutral, "q0")
    v = named_vector(_PUSH, machine.v_names, np.zeros(machine.nv), "v0")
    system = eom.constraint_system
    p = eom.parameter_values()
    latches = system.latch_table.measured(system.latch_nominal, q, 0.0, p)  # cables as long as they are there
    return consistent_state(eom, q, v, latches=latches).v


def _timed(eom: EquationsOfMotion, repetitions: int, **settings: Any) -> tuple[float, Run]:
    """Least time of the loop over some repetitions, and the run."""
    best, run, v0 = np.inf, None, pushed_velocities(eom.machine)
    for _ in range(repetitions):
        run = simulate(eom, q0=_START, v0=v0, **settings)
        best = min(best, float(run.metadata["wall_time"]))
    assert run is not None
    return best, run


def _reference(eom: EquationsOfMotion, duration: float) -> Array:
    tight: dict[str, Any] = {"method": "dopri5", "rtol": 1e-12, "atol": 1e-13, "record": duration}
    run = simulate(eom, q0=_START, v0=pushed_velocities(eom.machine), duration=duration, **tight)
    return np.array([run[name][-1] for name in _POSITION])


def compare_methods(
    steps: Sequence[float] = (4e-3, 2e-3, 1e-3), *, duration: float = 5.0, by: str = "natural", repetitions: int = 3
) -> list[Record]:
    """Error, drift and cost of each method on Model 2 of CDPR 4.3.

    Returns
    -------
    list of dict
        Rows with ``method, step, error`` (position of the platform at the end [m], against a tight solution),
        ``position, velocity`` (largest violations), ``energy`` (drift), ``seconds, real_time`` (simulated seconds per
        second).
    """
    eom = derive(pulley_robot(2), by)
    exact = _reference(eom, duration)
    rows = []
    for name, way in CONSTRAINT_METHODS.items():
        for k, h in enumerate(steps):
            settings: dict[str, Any] = {"duration": duration, "constraints": way(), "record": 0.05}
            if way is Idas:
                settings["rtol"] = 1e-6 * 0.1 ** (2 * k)
            else:
                settings["step"] = h
            seconds, run = _timed(eom, 1 if way is Idas else repetitions, **settings)
            error = np.linalg.norm(np.array([run[n][-1] for n in _POSITION]) - exact)
            rows.append(
                {
                    "method": name,
                    "step": settings.get("step", settings.get("rtol")),
                    "error": float(error),
                    "position": float(run["constraint.position"].max()),
                    "velocity": float(run["constraint.velocity"].max()),
                    "energy": run.energy.drift,
                    "seconds": seconds,
                    "real_time": duration / seconds,
                }
            )
    return rows


def paper_speed(*, duration: float = 10.0, repetitions: int = 3) -> list[Record]:
    """The paper's method and step (Udwadia-Kalaba, Runge-Kutta with 1e-4 s), and the default one at equal accuracy."""
    rows = []
    paper = UdwadiaKalaba(alpha=1e3, beta=1e3)
    for model, printed in ((1, 11.9), (2, 9.1)):
        for by in ("natural", "newton-euler"):
            eom = derive(pulley_robot(model), by)
            exact = _reference(eom, duration)
            for title, settings in (
                ("paper", {"constraints": paper, "step": 1e-4}),
                ("default", {"constraints": "projection", "step": 2.5e-3}),
            ):
                seconds, run = _timed(eom, repetitions, duration=duration, record=0.05, **settings)
                error = float(np.linalg.norm(np.array([run[n][-1] for n in _POSITION]) - exact))
                rows.append(
                    {"model": model, "by": by, "method": title, "error": error, "seconds": seconds,
                     "real_time": duration / seconds, "printed_s": printed}
                )  # fmt: skip
    return rows


def _exudyn_run(duration: float, step: float) -> tuple[float, Array]:
    """The same robot (Model 1) in Exudyn: a rigid body on four distance constraints, generalized-alpha."""
    exu: Any = importlib.import_module("exudyn")
    rigid: Any = importlib.import_module("exudyn.rigidBodyUtilities")
    machine = pulley_robot(1)
    q = machine.q_neutral
    q[1], q[2] = 0.25, 0.37
    lengths, platform = cable_lengths(machine, q), machine.body("platform")
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    inertia = rigid.RigidBodyInertia(
        mass=nominal(platform.mass), inertiaTensor=np.array([[nominal(x) for x in row] for row in platform.inertia])
    )
    ground = mbs.CreateGround()
    body = mbs.CreateRigidBody(
        inertia=inertia,
        referencePosition=[0.0, 0.25, 0.37],
        initialVelocity=[0.08, 0.16, 0.0],
        gravity=[0.0, 0.0, -9.81],
    )
    known = inspect.signature(mbs.CreateDistanceConstraint).parameters
    items = "itemNumbers" if "itemNumbers" in known else "bodyNumbers"  # its name until 1.12
    for cable, length in zip(machine.cables, lengths, strict=True):
        ends = [[nominal(x) for x in cable.exit_at], [nominal(x) for x in cable.anchor_at]]
        mbs.CreateDistanceConstraint(
            **{items: [ground, body]}, localPosition0=ends[0], localPosition1=ends[1], distance=float(length)
        )
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(duration / step)
    settings.timeIntegration.endTime = duration
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.newton.useModifiedNewton = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        settings.solutionSettings.writeSolutionToFile = False
    settings.timeIntegration.verboseMode = 0
    began = time.perf_counter()
    mbs.SolveDynamic(settings)
    seconds = time.perf_counter() - began
    node = mbs.GetObject(body)["nodeNumber"]
    return seconds, np.array(mbs.GetNodeOutput(node, exu.OutputVariableType.Position))


def compare_with_exudyn(
    steps: Sequence[float] = (4e-3, 1e-3), *, duration: float = 10.0, repetitions: int = 3
) -> list[Record]:
    """Model 1 by the default method, by generalized-alpha, and by Exudyn if it is installed."""
    eom = derive(pulley_robot(1), "newton-euler")
    exact = _reference(eom, duration)
    rows: list[Record] = []
    for h in steps:
        for name in ("projection", "generalized-alpha"):
            seconds, run = _timed(eom, repetitions, duration=duration, step=h, constraints=name, record=0.05)
            error = float(np.linalg.norm(np.array([run[n][-1] for n in _POSITION]) - exact))
            rows.append({"engine": f"dalembert, {name}", "step": h, "error": error, "seconds": seconds})
        try:
            trials = [_exudyn_run(duration, h) for _ in range(repetitions)]
        except ImportError:
            rows.append({"engine": "Exudyn", "step": h, "reason": "not installed (pip install exudyn)"})
            continue
        error = float(np.linalg.norm(trials[-1][1] - exact))
        least = min(t for t, _ in trials)
        rows.append({"engine": "Exudyn, generalized-alpha", "step": h, "error": error, "seconds": least})
    return rows


def run_cable_robot(*, quick: bool = False, announce: Callable[[str], None] = lambda _: None) -> Record:
    """Measure the methods that keep constraints, Exudyn beside ours, and the method and step of the paper.

    A quick run takes one step and a short run, and leaves the paper out.
    """
    settings = {"quick": quick, "repetitions": 1 if quick else 3}
    about = describe("dalembert bench cable-robot" + (" --quick" if quick else ""), settings)
    announce("methods that keep the constraints ...")
    short: dict[str, Any] = {"steps": (4e-3,), "duration": 0.5, "repetitions": 1} if quick else {}
    methods = compare_methods(**short)
    announce("side by side with Exudyn ...")
    peers = compare_with_exudyn(**short)
    paper = []
    if not quick:
        announce("the method and step of the paper ...")
        paper = paper_speed()
    return {"topic": "cable-robot", **about, "results": [], "methods": methods, "peers": peers, "paper": paper}
