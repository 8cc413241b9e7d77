"""Check and time the kernels of a folder that `export.py` wrote, on an NVIDIA GPU. Needs Python, NumPy and CuPy only.

    python run_gpu.py FOLDER [--json FILE]

Prints JSON: device, agreement with the processor (relative to the largest number of each row), and throughput, each
for several bounds on the registers of a thread.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import sys
from functools import partial
from pathlib import Path
from typing import Any

import cupy
import numpy as np

BLOCK = 128
N_DYNAMICS = 1 << 22
N_LOOP = 1 << 18
LOOP_STEPS = 50


def load(folder: Path, item: dict[str, Any], *options: str) -> Any:
    """Compile a source of the folder and return its entry."""
    code = (folder / item["file"]).read_text()
    flags = ("--std=c++14", f"-DDA_BLOCK={BLOCK}", *options)
    return cupy.RawModule(code=code, options=flags).get_function(item["entry"])


def grid(n: int) -> tuple[tuple[int], tuple[int]]:
    """Return blocks and threads for n instances."""
    return ((n + BLOCK - 1) // BLOCK,), (BLOCK,)


def seconds(launch: Any, repeats: int = 7) -> float:
    """Return the median time of a launch, after one to warm up."""
    launch()
    times = []
    for _ in range(repeats):
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        launch()
        stop.record()
        stop.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, stop) * 1e-3)
    return float(np.median(times))


def largest_difference(got: np.ndarray, want: np.ndarray) -> float:
    """Return the largest difference relative to the largest number of its row."""
    return float(np.max(np.abs(got - want) / np.max(np.abs(want), axis=-1, keepdims=True)))


VARIANTS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("double", "float64", ()),
    ("float", "float32", ("-DDA_FLOAT",)),
    ("float fast-math", "float32", ("-DDA_FLOAT", "--use_fast_math")),
)
RESIDENT: tuple[tuple[str, ...], ...] = ((), ("-DDA_RESIDENT=1",), ("-DDA_RESIDENT=3",), ("-DDA_RESIDENT=4",))
"""Blocks that a multiprocessor shall hold; the default is two."""


def attributes(entry: Any) -> dict[str, int]:
    """Return registers and local memory of a thread."""
    return {"registers": int(entry.num_regs), "local_bytes": int(entry.local_size_bytes)}


def dynamics(folder: Path, item: dict[str, Any], name: str, data: Any) -> list[dict[str, Any]]:
    """Check and time the forward dynamics of one robot."""
    n_small, n = len(data[f"{name}.q"]), int(item["n"])
    rows = []
    for label, dtype, options in VARIANTS:
        small = [cupy.asarray(np.ascontiguousarray(data[f"{name}.{k}"].T), dtype=dtype) for k in ("q", "v", "tau")]
        tiles = -(-N_DYNAMICS // n_small)
        large = [cupy.tile(x, (1, tiles)) for x in small]
        a_small = cupy.empty((n, n_small), dtype=dtype)
        a_large = cupy.empty((n, n_small * tiles), dtype=dtype)

        def launch(entry: Any, inputs: list[Any], output: Any) -> None:
            count = output.shape[1]
            arguments: list[Any] = [np.int64(count)]
            for array in (*inputs, output):
                arguments += [array, np.int64(count), np.int64(1)]
            entry(*grid(count), tuple(arguments))

        for resident in RESIDENT:
            entry = load(folder, item, *options, *resident)
            launch(entry, small, a_small)
            difference = largest_difference(a_small.get().T.astype(float), data[f"{name}.a"])
            time = seconds(partial(launch, entry, large, a_large))
            rows.append(
                {
                    "robot": name,
                    "what": "forward dynamics",
                    "precision": label,
                    "resident": resident[0].rpartition("=")[2] if resident else "",
                    "difference": difference,
                    "per_second": a_large.shape[1] / time,
                    **attributes(entry),
                }
            )
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


def closed_loop(folder: Path, item: dict[str, Any], name: str, data: Any) -> list[dict[str, Any]]:
    """Check and time Runge-Kutta steps of a closed loop, or its steps through contacts."""
    h, n_states = float(item["step"]), int(item["n"])
    begins = item.get("timed_from", "x0")
    what = "closed-loop rk4 steps" if begins == "x0" else "steps through contacts"
    rows = []
    for label, dtype, options in VARIANTS:
        x0, begin = (np.ascontiguousarray(data[f"{name}.{key}"].T) for key in ("x0", begins))

        def run(entry: Any, state: Any, steps: int) -> Any:
            count = state.shape[1]
            nothing = cupy.zeros(1, dtype=state.dtype)
            status, failed = cupy.zeros(count, dtype=cupy.int32), cupy.zeros(count)
            entry(
                *grid(count),
                (
                    *(np.int64(count), state, *(nothing, np.int64(1), np.int64(0)) * 2, np.uintp(0)),
                    *(np.float64(0.0), np.float64(h), np.int64(0), np.int64(steps), np.float64(0.0)),
                    *(status, failed, np.uintp(0), np.uintp(0)),
                    *(np.uintp(0), np.uint64(0), np.uintp(0), np.uintp(0), np.uintp(0), np.uintp(0)),
                ),
            )
            return status

        def restart(entry: Any, state: Any) -> None:
            run(entry, state.copy(), LOOP_STEPS)

        tiles = -(-N_LOOP // x0.shape[1])
        large = cupy.tile(cupy.asarray(begin, dtype=dtype), (1, tiles))
        for resident in RESIDENT:
            entry = load(folder, item, *options, *resident)
            state = cupy.asarray(x0, dtype=dtype)
            status = run(entry, state, int(item["steps"]))
            work = slice(0, n_states - 2)  # the last two states are integrals of powers, with scales of their own
            want = data[f"{name}.x1"]
            difference = float(
                np.max(np.abs(state.get().T.astype(float) - want)[:, work]) / np.max(np.abs(want[:, work]))
            )
            time = seconds(partial(restart, entry, large), repeats=5)
            rows.append(
                {
                    "robot": name,
                    "what": what,
                    "precision": label,
                    "resident": resident[0].rpartition("=")[2] if resident else "",
                    "difference": difference,
                    "diverged": int((status != 0).sum()),
                    "per_second": large.shape[1] * LOOP_STEPS / time,
                    **attributes(entry),
                }
            )
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


def sampled(folder: Path, item: dict[str, Any], data: Any) -> list[dict[str, Any]]:
    """Check a loop with a noisy sensor, a sampled law and measures against the processor."""
    plan = {key.partition(".")[2]: data[key] for key in data.files if key.startswith("sampled.")}
    entry = load(folder, item)
    state = cupy.asarray(np.ascontiguousarray(plan["x0"].T))
    n = state.shape[1]
    held = cupy.asarray(np.vstack([np.repeat(plan["held"][:, None], n, axis=1), np.zeros((1, n))]))
    memory = cupy.asarray(np.ascontiguousarray(plan["memory"].T))
    nothing, none = np.uintp(0), cupy.zeros(1)
    status, failed = cupy.zeros(n, dtype=cupy.int32), cupy.zeros(n)
    numbers, instants = cupy.arange(n, dtype=cupy.int64), cupy.asarray(plan["instants"])
    for k in range(len(plan["h"])):
        sample = int(plan["sample"][k])
        entry(
            *grid(n),
            (
                *(np.int64(n), state, held, np.int64(n), np.int64(1), none, np.int64(1), np.int64(0), nothing),
                *(np.float64(plan["anchor"][k]), np.float64(plan["h"][k]), np.int64(plan["first"][k])),
                *(np.int64(plan["count"][k]), np.float64(plan["rest"][k]), status, failed, nothing, memory),
                *(instants[sample] if sample >= 0 else nothing, np.uint64(item["seed"]), numbers, *(nothing,) * 3),
            ),
        )
    rows = []
    got, want = state.get().T, plan["x1"]
    pairs = {"end states": (got[:, :-2], want[:, :-2])}
    values = memory.get()
    pairs |= {f"measure {name}": (values[k], plan[f"measure.{name}"]) for k, name in enumerate(item["measures"])}
    for what, (a, b) in pairs.items():
        off = float(np.max(np.abs(a - b)) / np.max(np.abs(b)))
        rows.append({"robot": "crane", "what": f"sampled loop: {what}", "precision": "double", "difference": off})
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def noise(folder: Path, item: dict[str, Any], data: Any) -> list[dict[str, Any]]:
    """Count the normal numbers that are not those of the processor to the bit."""
    want = data["noise"]
    rows = []
    for label, dtype, options in VARIANTS:
        out = cupy.empty(want.shape, dtype=dtype)
        words = np.uint64(item["seed"]), np.uint32(item["stream"]), np.uint64(item["instant"])
        load(folder, item, *options)(*grid(len(want)), (np.int64(len(want)), *words, out))
        others = int(np.count_nonzero(out.get() != want.astype(dtype)))
        rows.append({"what": "normal numbers", "precision": label, "numbers": want.size, "difference": others})
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def main() -> None:
    """Run all checks; exit status 1 if a result in double precision differs from the processor's."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path, help="also write the result to this file")
    options = parser.parse_args()
    manifest = json.loads((options.folder / "manifest.json").read_text())
    data = np.load(options.folder / "reference.npz")
    properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
    rows: list[dict[str, Any]] = []
    for name, item in manifest["forward_dynamics"].items():
        rows += dynamics(options.folder, item, name, data)
    for name, item in manifest["closed_loop"].items():
        rows += closed_loop(options.folder, item, name, data)
    if "sampled" in manifest:
        rows += sampled(options.folder, manifest["sampled"], data)
    if "noise" in manifest:
        rows += noise(options.folder, manifest["noise"], data)
    double = [row for row in rows if row["precision"] == "double"]
    ok = all(row["difference"] <= (1e-12 if row["what"] == "forward dynamics" else 1e-10) for row in double)
    result = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),  # noqa: UP017 -- Python 3.8 may be there
        "device": properties["name"].decode(),
        "command": "python benchmarks/gpu/run_gpu.py FOLDER",
        "cuda": cupy.cuda.runtime.runtimeGetVersion(),
        "cupy": cupy.__version__,
        "python": platform.python_version(),
        "version": manifest["version"],
        "agrees": ok,
        "rows": rows,
    }
    text = json.dumps(result, indent=2)
    print(text)
    if options.json:
        options.json.write_text(text + "\n")
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
