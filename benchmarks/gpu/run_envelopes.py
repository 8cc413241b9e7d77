"""Attack proofs along motions by pairs of rollouts on an NVIDIA GPU. Needs Python, NumPy and CuPy only.

    python run_envelopes.py FOLDER [--pairs 1000000] [--seconds 240] [--json FILE]

`export_envelopes.py` wrote the folder. The two members of a pair follow one random motion of the joints from different
starts. Stability is refuted by a pair whose Lyapunov function, at the difference of its members, does not fall. First
the pairs of the processor are repeated and compared. Prints JSON: pairs, how many broke the proof, the largest ratio of
the function at the end and at the start, and pair-steps per second.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import cupy
import numpy as np

BLOCK = 128
BATCH = 1 << 17


def load(folder: Path, file: str, entry: str) -> Any:
    """Compile a source of the folder and return its entry."""
    code = (folder / file).read_text()
    return cupy.RawModule(code=code, options=("--std=c++14", f"-DDA_BLOCK={BLOCK}")).get_function(entry)


def grid(n: int) -> tuple[tuple[int], tuple[int]]:
    """Return blocks and threads for n instances."""
    return ((n + BLOCK - 1) // BLOCK,), (BLOCK,)


def run(entry: Any, state: Any, p: Any, step: float, steps: int) -> Any:
    """Take all members over the steps; return their states of failure."""
    n, nothing, null = state.shape[1], cupy.zeros(1), np.uintp(0)
    status, failed = cupy.zeros(n, dtype=cupy.int32), cupy.zeros(n)
    for first in range(0, steps, 500):
        count = min(500, steps - first)
        entry(
            *grid(n),
            (
                *(np.int64(n), state, nothing, np.int64(1), np.int64(0), p, np.int64(n), np.int64(1), null),
                *(np.float64(0.0), np.float64(step), np.int64(first), np.int64(count), np.float64(0.0)),
                *(status, failed, null, null, null, np.uint64(0), null, null, null),
            ),
        )
    return status


def sizes(entry: Any, state: Any, nq: int, nv: int) -> Any:
    """The Lyapunov function at the difference of the members 2 k and 2 k + 1."""
    n = state.shape[1] // 2
    parts = []
    for k in (0, 1):
        parts += [cupy.ascontiguousarray(state[:nq, k::2]), cupy.ascontiguousarray(state[nq : nq + nv, k::2])]
    out = cupy.empty((1, n))
    arguments: list[Any] = [np.int64(n)]
    for array in (*parts, out):
        arguments += [array, np.int64(n), np.int64(1)]
    entry(*grid(n), tuple(arguments))
    return out[0]


def members(case: dict[str, Any], pairs: int, rng: Any) -> tuple[Any, Any]:
    """Starts and parameters of pairs of members, as `EnvelopeCase.members` draws them."""
    nq = case["nq"]
    x = cupy.zeros((case["states"], pairs))
    x[:nq] = cupy.asarray(case["point"])[:, None]
    names = case["parameters"]
    p = cupy.tile(cupy.asarray(case["nominal"])[:, None], (1, pairs))
    for name, joint in case["joints"].items():
        (lo, hi), (rate, push) = joint["range"], joint["motion"]
        omega = 2.0 * rate / (hi - lo) * 10.0 ** rng.uniform(-0.5, 1.5, pairs)
        reach = cupy.minimum(cupy.minimum(rate / omega, push / omega**2), 0.5 * (hi - lo))
        reach = reach * cupy.where(rng.uniform(0.0, 1.0, pairs) < 0.7, 1.0, rng.uniform(0.0, 1.0, pairs))
        middle = lo + reach + (hi - lo - 2.0 * reach) * rng.uniform(0.0, 1.0, pairs)
        phase = rng.uniform(-np.pi, np.pi, pairs)
        x[joint["q"]], x[nq + joint["v"]] = middle + reach * cupy.sin(phase), reach * omega * cupy.cos(phase)
        for what, value in zip(("middle", "reach", "omega", "phase"), (middle, reach, omega, phase)):  # noqa: B905
            p[names.index(f"{name}_{what}")] = value
    other = x.copy()
    for first, shifts in ((0, case["deviation"][0]), (nq, case["deviation"][1])):
        for i, size in enumerate(shifts):
            other[first + i] += size * rng.uniform(-1.0, 1.0, pairs)
    both = cupy.stack([x, other], axis=2).reshape(len(x), 2 * pairs)
    return cupy.ascontiguousarray(both), cupy.ascontiguousarray(cupy.repeat(p, 2, axis=1))


def main() -> None:
    """Run all cases; exit status 1 if the GPU differs from the processor, or a pair breaks a proof."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=240.0, help="time limit of each case")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    manifest = json.loads((options.folder / "manifest.json").read_text())
    data = np.load(options.folder / "reference.npz")
    properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
    result: dict[str, Any] = {"device": properties["name"].decode(), "version": manifest["version"], "cases": {}}
    for name, case in manifest["cases"].items():
        loop, size = (load(options.folder, *case[key]) for key in ("loop", "size"))
        nq, nv = case["nq"], case["nv"]
        state = cupy.asarray(np.ascontiguousarray(data[f"{name}.x0"].T))
        before = sizes(size, state, nq, nv)
        run(loop, state, cupy.asarray(np.ascontiguousarray(data[f"{name}.p"].T)), case["step"], case["steps"])
        want = data[f"{name}.x1"][:, : nq + nv]
        difference = float(np.abs(state.get().T[:, : nq + nv] - want).max() / np.abs(want).max())
        ratios = (sizes(size, state, nq, nv) / before).get()
        off = float(np.abs(ratios / data[f"{name}.ratio"] - 1.0).max())
        rng, done, broken, worst, begin = cupy.random.RandomState(33), 0, 0, 0.0, time.time()
        while done < options.pairs and time.time() - begin < options.seconds:
            count = min(BATCH, options.pairs - done)
            state, p = members(case, count, rng)
            before = sizes(size, state, nq, nv)
            status = run(loop, state, p, case["step"], case["steps"])
            ratio = cupy.where((status.reshape(-1, 2) == 0).all(axis=1), sizes(size, state, nq, nv) / before, np.inf)
            done, broken = done + count, broken + int((~(ratio < 1.0)).sum())
            worst = max(worst, float(ratio.max()))
        spent = time.time() - begin
        result["cases"][name] = {
            "difference": difference, "difference of ratios": off, "pairs": done, "broken": broken, "worst": worst,
            "steps": case["steps"], "member steps per second": 2.0 * done * case["steps"] / spent, "seconds": spent,
            "motion": case["motion"], "proof": case["proof"],
        }  # fmt: skip
        print(name, result["cases"][name], file=sys.stderr, flush=True)
    text = json.dumps(result, indent=1)
    print(text)
    if options.json:
        options.json.write_text(text + "\n")
    sys.exit(int(any(c["broken"] or c["difference"] > 1e-8 for c in result["cases"].values())))


if __name__ == "__main__":
    main()
