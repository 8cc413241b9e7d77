"""Write what `run_gpu.py` needs on a machine with a GPU: CUDA sources and reference numbers, into a folder.

    python benchmarks/gpu/export.py FOLDER

The folder holds the forward dynamics of two arms and of a chain, whose code has loops, closed loops of arms, cranes, a
quadruped on its feet and balls that bounce, one of a crane with a noisy sensor, a sampled law and measures, random
numbers (`*.cu`), random states with what the processor computes from them (`reference.npz`), and a description
(`manifest.json`).
Needs dalembert and example-robot-data here, and neither of them there.
"""

from __future__ import annotations

import argparse
import json
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

import dalembert as da
from dalembert.benchmarks.machines import chain
from dalembert.benchmarks.robots import ROBOTS, robot_file
from dalembert.benchmarks.rollouts import ROLLOUTS
from dalembert.compile.cuda import emit_cuda
from dalembert.compile.forms import definitions, read_text
from dalembert.control import Sampled
from dalembert.core.noise import normals
from dalembert.core.quantile import quantile_macros
from dalembert.loop.closed_loop import close_loop
from dalembert.loop.rollout import rollout
from dalembert.loop.signals import make_measures
from dalembert.simulation.checks import check_setup
from dalembert.simulation.rollout.cuda import rollout_source
from dalembert.simulation.rollout.plan import make_plan
from dalembert.simulation.settings import Settings

N_REFERENCE = 4096
LOOP = {"members": 256, "step": 1e-3, "steps": 500}
LOOPS = ("panda", "ur5", "crane", "canadarm", "pulleys", "quadruped", "balls", "hoist-steps", "hoist-elastic")
SHORTER = {"balls": 150}
"""Steps to compare, where collisions carry rounding on: from one to the next of balls about tenfold."""


def load_robot(name: str) -> da.Machine:
    """Return a robot with its motors."""
    return da.load_urdf(robot_file(name), lock=dict.fromkeys(ROBOTS[name].lock, 0.0) or None)


def export_dynamics(name: str, machine: da.Machine, folder: Path, arrays: dict[str, np.ndarray]) -> dict[str, object]:
    """Write the forward dynamics of a machine with random states and their accelerations."""
    eom = da.equations(machine)
    kernel = eom.kernel("forward_dynamics")
    source = emit_cuda(kernel.function)
    (folder / f"{name}_forward_dynamics.cu").write_text(source.text)
    rng = np.random.default_rng(1)
    inputs = [rng.normal(size=(N_REFERENCE, eom.nv)) for _ in range(3)]
    for key, value in zip(("q", "v", "tau", "a"), [*inputs, kernel(*inputs)], strict=True):
        arrays[f"{name}.{key}"] = value
    return {"file": f"{name}_forward_dynamics.cu", "entry": source.entry, "n": eom.nv}


def export_loop(name: str, folder: Path, arrays: dict[str, np.ndarray]) -> dict[str, object]:
    """Write a closed loop of ``dalembert bench rollouts``, with initial states and where they arrive.

    Loops with contacts are timed from where they arrive: in flight nothing is to be solved.
    """
    case = ROLLOUTS[name]()
    eom = case.equations()
    watched = close_loop(eom, case.control, limits="ignore", contact=case.contact).problem
    problem = replace(watched, events=None, event_specs=())  # nothing ends these runs
    source = rollout_source(problem, "rk4" if case.contact is None else case.contact.integrator)
    (folder / f"{name}_loop.cu").write_text(source.text)
    settings = {**LOOP, "steps": SHORTER.get(name, LOOP["steps"])}
    duration = settings["step"] * settings["steps"]
    states = case.states(eom, int(LOOP["members"]), seed=2)
    common = {"control": case.control, "contact": case.contact, "step": LOOP["step"]}
    result = rollout(eom, duration=duration, record=duration, **common, **states)
    arrays[f"{name}.x0"], arrays[f"{name}.x1"] = result.x[:, 0], result.x[:, -1]
    begin = "x0" if case.contact is None else "x1"
    item = {"file": f"{name}_loop.cu", "entry": source.entry, "n": problem.n_states, "title": case.title}
    return {**item, **settings, "timed_from": begin}


def export_sampled(folder: Path, arrays: dict[str, np.ndarray]) -> dict[str, object]:
    """Write a crane with a noisy sensor, a sampled law and measures: its plan, its start, and what the lanes found."""
    case = ROLLOUTS["crane"]()
    eom = case.equations()
    sensor = da.Sensor("ruler", ("x", "x_dot"), 0.02, noise=(1e-3, 1e-2), delay=0.02)
    law = Sampled(case.control, 0.01)
    measure = {
        "end": da.Measure("x"),
        "swing": da.Measure("theta1", "max abs"),
        "work": da.Measure(lambda s: s["u.F"] * s["x_dot"], "integral"),
    }
    loop = close_loop(eom, law, limits="ignore", sensors=[sensor])
    schedule, measures = loop.controller, make_measures(eom, loop.problem, measure)
    assert schedule is not None and measures is not None
    source = rollout_source(loop.problem, "rk4", measures, schedule)
    (folder / "crane_sampled.cu").write_text(source.text)
    members, duration = int(LOOP["members"]), LOOP["step"] * LOOP["steps"]
    settings = {"duration": duration, "step": LOOP["step"], "seed": 11, "control": law, "sensors": [sensor]}
    result = rollout(eom, measure=measure, **case.states(eom, members, seed=3), **settings)
    setup = check_setup(
        loop.problem,
        result.x[0, 0],
        result.p,
        Settings(duration, step=LOOP["step"], record=duration),
        period=0.0,
    )
    plan = make_plan(setup, schedule)
    for key in plan.segments.dtype.names or ():
        arrays[f"sampled.{key}"] = plan.segments[key]
    arrays |= {
        "sampled.instants": plan.instants,
        "sampled.x0": result.x[:, 0],
        "sampled.x1": result.final,
        "sampled.held": schedule.initial,
        "sampled.memory": measures.start(members).reshape(members, -1),
    }
    arrays |= {f"sampled.measure.{k}": values for k, values in result.measures.items()}
    return {"file": "crane_sampled.cu", "entry": source.entry, "seed": 11, "measures": list(measure)}


def export_noise(folder: Path, arrays: dict[str, np.ndarray]) -> dict[str, object]:
    """Write the generator of random numbers, with normal numbers that have to be the same to the bit."""
    entry = """
extern "C" __global__ void draw_numbers(long long n, uint64_t seed, uint32_t stream, uint64_t instant_, real *out) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) draw(seed, (word)i, stream, instant_, 8, out + 8 * i);
}
"""
    text = [read_text("cuda.h"), definitions(quantile_macros()), read_text("noise.h"), entry]
    (folder / "noise.cu").write_text("\n".join(text))
    members, seed, stream, instant = 1 << 18, 2**40 + 3, 77, 5
    arrays["noise"] = normals(seed, np.arange(members), stream, instant, 8)
    return {"file": "noise.cu", "entry": "draw_numbers", "seed": seed, "stream": stream, "instant": instant}


def main() -> None:
    """Write the folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    arrays: dict[str, np.ndarray] = {}
    machines = {**{name: load_robot(name) for name in ("ur5", "panda")}, "chain-40": chain(40)}
    manifest = {
        "version": da.__version__,
        "forward_dynamics": {
            name: export_dynamics(name, machine, folder, arrays) for name, machine in machines.items()
        },
        "closed_loop": {name: export_loop(name, folder, arrays) for name in LOOPS},
        "sampled": export_sampled(folder, arrays),
        "noise": export_noise(folder, arrays),
    }
    np.savez_compressed(folder / "reference.npz", **arrays)
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
    print(f"wrote {', '.join(sorted(path.name for path in folder.iterdir()))} to {folder}")


if __name__ == "__main__":
    main()
