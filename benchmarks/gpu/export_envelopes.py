"""Write what `run_envelopes.py` needs to attack proofs along motions by a million pairs of rollouts on a GPU.

    python benchmarks/gpu/export_envelopes.py FOLDER

The folder holds, for each case of `dalembert.studies.robust_control.envelopes`, the closed loop and the Lyapunov
function of its proof as CUDA sources, the numbers of its motions and starts, and 256 pairs with their ends and ratios
by the processor. Needs dalembert here and not there.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import casadi as ca
import numpy as np

from dalembert.compile.cuda import emit_cuda
from dalembert.core.version import __version__
from dalembert.loop.closed_loop import close_loop
from dalembert.loop.motion_pairs import EnvelopeCase
from dalembert.loop.rollout import rollout
from dalembert.simulation.rollout.cuda import rollout_source
from dalembert.studies.robust_control.envelopes import CASES

PAIRS = 256


def export_case(case: EnvelopeCase, folder: Path, arrays: dict[str, np.ndarray]) -> dict[str, object]:
    """Write one case."""
    eom, proof = case.eom, case.proof()
    assert proof.energy is not None
    problem = close_loop(eom, case.following, limits="ignore").problem
    source = rollout_source(problem, "rk4")
    (folder / f"{case.name}_loop.cu").write_text(source.text)
    q, v, q2, v2 = (ca.SX.sym(n, k) for n, k in (("q", eom.nq), ("v", eom.nv), ("q2", eom.nq), ("v2", eom.nv)))
    s = eom.symbolic
    M = ca.Function("M", [s.q, s.p], [s.mass_matrix])(q, ca.DM(np.asarray(eom.parameter_values(None))))
    d, w = eom.layout.difference(q, q2), v2 - v
    rest = ca.DM(case.stiffness + proof.energy.X)
    value = d.T @ rest @ d + 2 * d.T @ ca.DM(proof.energy.S) @ M @ w + w.T @ M @ w
    size = emit_cuda(ca.Function("size", [q, v, q2, v2], [value], ["q", "v", "q2", "v2"], ["value"]))
    (folder / f"{case.name}_size.cu").write_text(size.text)
    members = case.members(PAIRS, 0)
    result = rollout(
        eom, duration=case.duration, step=case.step, record=case.duration, control=case.following,
        limits="ignore", **members,
    )  # fmt: skip
    arrays[f"{case.name}.x0"], arrays[f"{case.name}.x1"] = result.x[:, 0], result.final
    arrays[f"{case.name}.p"] = np.asarray(result.p, dtype=float).reshape(2 * PAIRS, -1)
    arrays[f"{case.name}.ratio"] = case.size(proof, result.final, arrays[f"{case.name}.p"]) / case.size(
        proof, result.x[:, 0], arrays[f"{case.name}.p"]
    )
    places = {b.name: (b.q.start, b.v.start) for b in eom.layout.blocks}
    shift_q = [case.deviation.get(n.partition(".delta")[0] if ".delta" in n else n, 0.0) for n in eom.q_names]
    shift_v = [case.deviation.get(n, 0.0) for n in eom.v_names]
    return {
        "loop": [f"{case.name}_loop.cu", source.entry],
        "size": [f"{case.name}_size.cu", size.entry],
        "nq": eom.nq,
        "nv": eom.nv,
        "states": problem.n_states,
        "point": case.point.tolist(),
        "parameters": list(eom.p_names),
        "nominal": np.asarray(eom.parameter_values(None)).tolist(),
        "joints": {n: {"q": places[n][0], "v": places[n][1], "range": case.ranges[n], "motion": case.motion[n]}
                   for n in case.motion},
        "deviation": [shift_q, shift_v],
        "step": case.step,
        "steps": round(case.duration / case.step),
        "proof": proof.message,
        "motion": {n: list(x) for n, x in proof.motion.items()},
    }  # fmt: skip


def main() -> None:
    """Write the folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, np.ndarray] = {}
    manifest = {
        "version": __version__,
        "cases": {name: export_case(make(), folder, arrays) for name, make in CASES.items()},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    np.savez_compressed(folder / "reference.npz", **arrays)


if __name__ == "__main__":
    main()
