"""Write what `run_gpu.py` needs on a machine with a GPU: CUDA sources and reference numbers, into a folder.

    python benchmarks/gpu/export.py FOLDER

The folder holds the forward dynamics of two arms and of a chain, whose code has loops, and the closed loop of one arm
(`*.cu`), random states with what the processor computes from them (`reference.npz`), and a description
(`manifest.json`). Needs dalembert and
example-robot-data here, and neither of them there.
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path

import numpy as np

import dalembert as da
from dalembert.benchmarks.machines import chain
from dalembert.benchmarks.robots import ROBOTS, robot_file
from dalembert.compile.cuda import emit_cuda
from dalembert.control.laws import PD
from dalembert.loop.closed_loop import close_loop
from dalembert.loop.rollout import rollout
from dalembert.simulation.rollout.cuda import rollout_source

N_REFERENCE = 4096
LOOP = {"members": 256, "step": 1e-3, "steps": 500}
GAINS = {"kp": (120, 120, 120, 120, 20, 10, 2), "kd": (8, 8, 8, 8, 1, 0.5, 0.05)}


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
    """Write a robot under proportional-derivative control, with initial states and where they arrive."""
    eom = da.equations(load_robot(name))
    law = PD(kp=GAINS["kp"], kd=GAINS["kd"], reference=np.zeros(eom.nv))
    problem = close_loop(eom, law, limits="ignore").problem
    source = rollout_source(problem, "rk4")
    (folder / f"{name}_loop.cu").write_text(source.text)
    rng = np.random.default_rng(2)
    members, duration = int(LOOP["members"]), LOOP["step"] * LOOP["steps"]
    q0, v0 = 0.3 * rng.normal(size=(members, eom.nv)), 0.1 * rng.normal(size=(members, eom.nv))
    result = rollout(eom, duration=duration, q0=q0, v0=v0, control=law, step=LOOP["step"], record=duration)
    arrays[f"{name}.x0"], arrays[f"{name}.x1"] = result.x[:, 0], result.x[:, -1]
    return {"file": f"{name}_loop.cu", "entry": source.entry, "n": problem.n_states, **LOOP}


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
        "closed_loop": {"panda": export_loop("panda", folder, arrays)},
    }
    np.savez_compressed(folder / "reference.npz", **arrays)
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
    print(f"wrote {', '.join(sorted(path.name for path in folder.iterdir()))} to {folder}")


if __name__ == "__main__":
    main()
