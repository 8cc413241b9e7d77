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
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from dalembert.analysis.linearize import state_space_names
from dalembert.control.feedback import LinearFeedback, linear_feedback
from dalembert.control.law_bases import Stateless
from dalembert.control.signals import label
from dalembert.control.varying.motions import MotionProof, loop_equations, motion_stability
from dalembert.core.errors import InputError
from dalembert.core.parameter import Parameter
from dalembert.core.ports import Law
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.loop.rollout import rollout
from dalembert.model.beam import Beam
from dalembert.model.machine import Machine
from dalembert.systems.flexible_arms import planar_arm
from dalembert.systems.space_robots import space_chaser

__all__ = ["CASES", "EnvelopeCase", "Following", "arm_case", "attack", "chaser_case", "main"]

_NUMBERS = ("middle", "reach", "omega", "phase")  # of a motion: middle + reach sin(omega t + phase)
_BATCH = 1000


@dataclass(frozen=True, eq=False)
class Following(Stateless):
    """A law about joints that move, with the forces of that motion fed forward.

    Parameters
    ----------
    law
        The law that is proven.
    joints
        Joints that move, each with the parameters ``JOINT_middle``, ``reach``, ``omega`` and ``phase`` of its motion.
    at
        Configuration about which the law is written.
    """

    law: Law
    joints: tuple[str, ...]
    at: Array

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs; there are no states."""
        s = eom.symbolic
        where, rate, push = ca.SX(ca.DM(self.at)), ca.SX(eom.nv, 1), ca.SX(eom.nv, 1)
        moved_q, moved_v = ca.SX(q), ca.SX(v)
        for name in self.joints:
            block = next(b for b in eom.layout.blocks if b.name == name)
            middle, reach, omega, phase = (p[eom.p_names.index(f"{name}_{x}")] for x in _NUMBERS)
            angle = omega * t + phase
            i, j = block.q.start, block.v.start
            where[i] = middle + reach * ca.sin(angle)
            rate[j] = reach * omega * ca.cos(angle)
            push[j] = -reach * omega**2 * ca.sin(angle)
            moved_q[i] = q[i] - where[i] + float(self.at[i])
            moved_v[j] = v[j] - rate[j]
        load = s.inverse_dynamics - s.losses - s.wrenches
        force = ca.Function("load", [s.q, s.v, s.a, s.t, s.p], [load])(where, rate, push, t, p)
        B = ca.Function("inputs", [s.q, s.v, s.u, s.t, s.p], [ca.jacobian(s.actuation, s.u)])
        numbers = np.array(
            ca.DM(B(self.at, np.zeros(eom.nv), np.zeros(eom.nu), 0.0, eom.parameter_values(None))).full()
        )
        u, _ = self.law.expression(eom, t, moved_q, moved_v, z, p)
        return u + ca.DM(np.linalg.pinv(numbers)) @ force, ca.SX(0, 1)


@dataclass(frozen=True, eq=False)
class EnvelopeCase:
    """A machine with its law, the motions of its joints, and the settings of rollouts.

    Parameters
    ----------
    name
        Name of the case.
    machine, law, at
        The machine, its law, and the configuration about which it is written.
    ranges, motion
        Ranges, rates and accelerations of the joints that move.
    duration, step
        Seconds of a rollout, and of its steps.
    deviation
        Largest deviation at the start of a displacement, as a part of the fastest one over its frequency.
    """

    name: str
    machine: Machine
    law: LinearFeedback
    at: dict[str, float]
    ranges: dict[str, tuple[float, float]]
    motion: dict[str, tuple[float, float]]
    duration: float
    step: float
    deviation: dict[str, float]

    @cached_property
    def eom(self) -> EquationsOfMotion:
        """Equations of the machine with the parameters of the motions."""
        numbers = [Parameter(f"{j}_{x}", 1.0) for j in self.motion for x in _NUMBERS]
        return derive(self.machine.with_(gains=(*self.machine.gains, *numbers)))

    @cached_property
    def point(self) -> Array:
        """The configuration."""
        q = np.array(self.eom.q_neutral, dtype=float)
        for name, x in self.at.items():
            q[self.eom.q_names.index(name)] = x
        return q

    @property
    def following(self) -> Following:
        """The law about the moving joints."""
        return Following(self.law, tuple(self.motion), self.point)

    def proof(self, factor: float = 1.0, decay: float = 0.0) -> MotionProof:
        """The proof at a multiple of the rates and accelerations."""
        motion = {n: (factor * r, factor * a) for n, (r, a) in self.motion.items()}
        return motion_stability(self.machine, self.law, self.ranges, motion, at=self.at, decay=decay)

    def members(self, pairs: int, seed: int) -> dict[str, Any]:
        """Starts and parameters of pairs of members, the second of each pair elsewhere."""
        rng = np.random.default_rng([33, seed])
        eom = self.eom
        q, v = np.tile(self.point, (pairs, 1)), np.zeros((pairs, eom.nv))
        p: dict[str, Array] = {}
        for name, (rate, push) in self.motion.items():
            lo, hi = self.ranges[name]
            slow = 2.0 * rate / (hi - lo)
            omega = slow * 10.0 ** rng.uniform(-0.5, 1.5, pairs)
            reach = np.minimum(np.minimum(rate / omega, push / omega**2), 0.5 * (hi - lo))
            reach = reach * np.where(rng.uniform(size=pairs) < 0.7, 1.0, rng.uniform(0.0, 1.0, pairs))
            middle = rng.uniform(lo + reach, hi - reach)
            phase = rng.uniform(-np.pi, np.pi, pairs)
            block = next(b for b in eom.layout.blocks if b.name == name)
            q[:, block.q.start] = middle + reach * np.sin(phase)
            v[:, block.v.start] = reach * omega * np.cos(phase)
            p |= {f"{name}_{x}": y for x, y in zip(_NUMBERS, (middle, reach, omega, phase), strict=True)}
        start = q.copy(), v.copy()
        for i, name in enumerate(eom.q_names):
            size = self.deviation.get(name.partition(".delta")[0] if ".delta" in name else name, 0.0)
            start[0][:, i] += size * rng.uniform(-1.0, 1.0, pairs)
        for i, name in enumerate(eom.v_names):
            start[1][:, i] += self.deviation.get(name, 0.0) * rng.uniform(-1.0, 1.0, pairs)
        return {
            "q0": np.stack([q, start[0]], axis=1).reshape(2 * pairs, -1),
            "v0": np.stack([v, start[1]], axis=1).reshape(2 * pairs, -1),
            "p": {n: np.repeat(x, 2) for n, x in p.items()},
        }

    def size(self, proof: MotionProof, x: Array) -> Array:
        """The Lyapunov function at the difference of the two members of each pair, from their states."""
        eom, energy = self.eom, proof.energy
        if energy is None:
            raise InputError(f"the case '{self.name}' is not proven: there is no function to compare by")
        pairs = x.reshape(-1, 2, x.shape[-1])
        q, v = pairs[..., : eom.nq], pairs[..., eom.nq : eom.nq + eom.nv]
        difference = _differences(eom, q[:, 0], q[:, 1])
        d = np.hstack([difference, v[:, 1] - v[:, 0]])
        M = eom.mass_matrix(q[:, 0])
        n = eom.nv
        lever = np.einsum("ij,kjl->kil", energy.S, M)
        rest = self.stiffness + energy.X
        value = np.einsum("ki,ij,kj->k", d[:, :n], rest, d[:, :n])
        value = value + 2.0 * np.einsum("ki,kij,kj->k", d[:, :n], lever, d[:, n:])
        return np.asarray(value + np.einsum("ki,kij,kj->k", d[:, n:], M, d[:, n:]))

    @cached_property
    def stiffness(self) -> Array:
        """Stiffness of the loop at rest, which no position changes: the machines are weightless."""
        eom = derive(self.machine)
        f = loop_equations(eom, self.law, np.zeros(eom.nu))
        zero = np.zeros(eom.nv)
        return np.array(f(self.point, zero, zero, 0.0, eom.parameter_values(None))[4].full())


def _differences(eom: EquationsOfMotion, q0: Array, q1: Array) -> Array:
    """Differences of configurations, row by row."""
    a, b = ca.SX.sym("a", eom.nq), ca.SX.sym("b", eom.nq)
    f = ca.Function("difference", [a, b], [eom.layout.difference(a, b)])
    return np.array(f.map(len(q0))(q0.T, q1.T).full()).T


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


def attack(case: EnvelopeCase, proof: MotionProof, pairs: int, seed: int, device: str = "cpu") -> Array:
    """Ratios of the Lyapunov function at the end and at the start of pairs of rollouts; not finite: one diverged."""
    members = case.members(pairs, seed)
    result = rollout(
        case.eom, duration=case.duration, step=case.step, record=case.duration, control=case.following,
        device=device, limits="ignore", **members,
    )  # fmt: skip
    x0, x1 = result.x[:, 0], result.final
    ratio = case.size(proof, x1) / case.size(proof, x0)
    ok = np.asarray(result.ok).reshape(-1, 2).all(axis=1)
    return np.where(ok, ratio, np.inf)


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
