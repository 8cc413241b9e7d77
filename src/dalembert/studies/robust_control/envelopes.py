"""Proofs of a flexible arm and of the chaser with arrays along motions of joints, and rollouts that try to break them.

    python -m dalembert.studies.robust_control.envelopes results.json --machine arm --pairs 100000

The arm is that of SPACE D.1.1 with two flexible links, with a damping ratio of 2 % and rotors of 0.01 kg m2 besides;
both joints move. The chaser of SPACE D.2.1 has its six joints, a free base on thrusters and two flexible arrays; its
second and third joint move. `motion_stability` proves their loops over ranges, rates and accelerations.

A pair of rollouts are two runs of the machine itself along one random motion, one of which starts elsewhere. Where a
loop is stable, the two approach each other: the Lyapunov function of the proof, at their difference, falls. A pair
refutes stability if it does not. Results are written after every thousand pairs, and an interrupted run resumes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.analysis.linearize import state_space_names
from dalembert.control.feedback import LinearFeedback, linear_feedback
from dalembert.control.signals import label
from dalembert.formulations.equations import derive
from dalembert.loop.motion_pairs import EnvelopeCase, attack
from dalembert.model.beam import Beam
from dalembert.model.machine import Machine
from dalembert.systems.flexible_arms import planar_arm
from dalembert.systems.space_robots import space_chaser

__all__ = ["CASES", "arm_case", "chaser_case", "main"]

_BATCH = 1000


def _followed(machine: Machine, at: Mapping[str, float], omega: Mapping[str, float]) -> LinearFeedback:
    """Gains ``omega^2`` and ``1.4 omega`` of the inertia, at inputs of velocities by name."""
    eom = derive(machine)
    q = np.array(eom.q_neutral, dtype=float)
    for name, x in at.items():
        q[eom.q_names.index(name)] = x
    names = [label(n) for n in state_space_names(eom)]
    inertia = np.diag(eom.mass_matrix(q))
    rows = [i for i, n in enumerate(eom.v_names) if n in omega]
    w = np.array([omega[eom.v_names[i]] for i in rows])
    J = inertia[rows]
    axes = {"v": "force", "w": "torque"}
    controls = [
        f"{axes[n[-2]]}_{n[-1]}" if n.startswith("base.") else n.removesuffix("_dot")
        for n in (eom.v_names[i] for i in rows)
    ]
    K = np.hstack([np.diag(w**2 * J), np.diag(1.4 * w * J)])
    measured = [*(names[i] for i in rows), *(names[eom.nv + i] for i in rows)]
    return linear_feedback(machine, K, measured=measured, controls=controls, at=dict(at))


def arm_case() -> EnvelopeCase:
    """The planar arm with two flexible links: both joints move, over a full turn and 230 degrees."""
    arm = planar_arm()
    bodies = tuple(replace(b, damping=0.02) if isinstance(b, Beam) else b for b in arm.bodies)
    joints = tuple(replace(j, armature=0.01) if j.kind == "revolute" else j for j in arm.joints)
    arm = replace(arm, bodies=bodies, joints=joints)
    law = _followed(arm, {}, {"theta1_dot": 3.0, "theta2_dot": 6.0})
    return EnvelopeCase(
        "arm",
        arm,
        law,
        {},
        {"theta1": (-np.pi, np.pi), "theta2": (-2.0, 2.0)},
        {"theta1": (0.8, 0.8), "theta2": (0.8, 0.8)},
        8.0,
        2.5e-3,
        {"theta1": 0.2, "theta2": 0.2, "theta1_dot": 0.3, "theta2_dot": 0.3, "link1": 0.01, "link2": 0.01},
    )


def chaser_case() -> EnvelopeCase:
    """The chaser with flexible arrays: its second and third joint move, base and other joints are held."""
    chaser = space_chaser("rigid")
    free = tuple(replace(m, effort=np.inf) for m in chaser.motors)
    chaser = replace(chaser, motors=free, thrusters=tuple(replace(x, effort=np.inf) for x in chaser.thrusters))
    at = {"theta2": 1.0, "theta3": -1.0, "theta5": 0.8}
    omega = {f"base.{x}": 0.1 for x in ("vx", "vy", "vz", "wx", "wy", "wz")}
    law = _followed(chaser, at, omega | {f"theta{k}_dot": 0.5 for k in range(1, 7)})
    small = {f"theta{k}": 0.1 for k in range(1, 7)} | {"base.x": 0.1, "base.y": 0.1, "base.z": 0.1}
    small |= {f"{side}.mode{k}": 0.02 for side in ("left", "right") for k in (1, 2, 3)}
    small |= {f"base.{x}": 0.01 for x in ("wx", "wy", "wz")}
    return EnvelopeCase(
        "chaser",
        chaser,
        law,
        at,
        {"theta2": (0.2, 1.8), "theta3": (-1.8, -0.2)},
        {"theta2": (0.05, 0.01), "theta3": (0.05, 0.01)},
        60.0,
        0.01,
        small,
    )


CASES = {"arm": arm_case, "chaser": chaser_case}


def main(arguments: list[str] | None = None) -> int:
    """Attack proofs by rollouts, from where an earlier run ended; 1 if a pair refutes one."""
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="results, as JSON; continued if it is there")
    parser.add_argument("--machine", choices=CASES, default="arm")
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    settings = parser.parse_args(arguments)
    every: dict[str, Any] = json.loads(settings.path.read_text()) if settings.path.exists() else {}
    case = CASES[settings.machine]()
    proof = case.proof()
    done = every.setdefault(case.name, {"pairs": 0, "broken": 0, "worst": 0.0})
    done |= {"proof": proof.message, "margin": proof.margin, "nodes": proof.nodes}
    done |= {"motion": {n: list(x) for n, x in proof.motion.items()}, "duration": case.duration}
    while done["pairs"] < settings.pairs:
        count = min(_BATCH, settings.pairs - done["pairs"])
        ratios = attack(case, proof, count, done["pairs"] // _BATCH, settings.device)
        done["pairs"] += count
        done["broken"] += int((~(ratios < 1.0)).sum())
        done["worst"] = max(done["worst"], float(ratios.max()))
        settings.path.write_text(json.dumps(every, indent=1) + "\n")
        print(f"{case.name}: {done['pairs']} pairs, {done['broken']} broken, worst {done['worst']:.3g}", flush=True)
    return int(done["broken"] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
