"""Pairs of runs of a machine along one motion of its joints: where its loop is stable, the two approach each other.

The Lyapunov function of a proof, at the difference of the two, falls. A pair refutes stability if it does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from dalembert.control.varying.following import MOTION_NUMBERS, Following
from dalembert.control.varying.motion_search import JointSine
from dalembert.control.varying.motions import MotionProof, motion_stability
from dalembert.control.varying.moving import loop_equations
from dalembert.core.errors import InputError
from dalembert.core.parameter import Parameter
from dalembert.core.ports import Law
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.loop.rollout import rollout
from dalembert.model.machine import Machine

__all__ = ["Contraction", "EnvelopeCase", "attack", "contraction"]


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
        Ranges of the joints that move and of parameters, rates and accelerations of the joints.
    duration, step
        Seconds of a rollout, and of its steps.
    deviation
        Largest deviation at the start of a displacement, as a part of the fastest one over its frequency.
    """

    name: str
    machine: Machine
    law: Law
    at: dict[str, float]
    ranges: dict[str, tuple[float, float]]
    motion: dict[str, tuple[float, float]]
    duration: float
    step: float
    deviation: dict[str, float]

    @cached_property
    def eom(self) -> EquationsOfMotion:
        """Equations of the machine with the parameters of the motions."""
        numbers = [Parameter(f"{j}_{x}", 1.0) for j in self.motion for x in MOTION_NUMBERS]
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
            p |= {f"{name}_{x}": y for x, y in zip(MOTION_NUMBERS, (middle, reach, omega, phase), strict=True)}
        for name in [n for n in self.ranges if n not in self.motion]:
            p[name] = rng.uniform(*self.ranges[name], pairs)
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

    def member(self, motion: Mapping[str, JointSine], constants: Mapping[str, float]) -> dict[str, Any]:
        """Start and parameters of a run along one motion, on it."""
        eom, q, v = self.eom, self.point.copy(), np.zeros(self.eom.nv)
        p = dict(constants)
        for name, sine in motion.items():
            block = next(b for b in eom.layout.blocks if b.name == name)
            where, rate, _ = sine.at(np.zeros(()))
            q[block.q.start], v[block.v.start] = float(where), float(rate)
            p |= {f"{name}_{x}": float(getattr(sine, x)) for x in MOTION_NUMBERS}
        return {"q0": q, "v0": v, "p": p}

    def size(self, proof: MotionProof, x: Array, p: Array) -> Array:
        """The Lyapunov function at the difference of the two members of each pair, from states and parameters."""
        eom, energy = self.eom, proof.energy
        if energy is None:
            raise InputError(f"the case '{self.name}' is not proven: there is no function to compare by")
        pairs = x.reshape(-1, 2, x.shape[-1])
        q, v = pairs[..., : eom.nq], pairs[..., eom.nq : eom.nq + eom.nv]
        difference = _differences(eom, q[:, 0], q[:, 1])
        d = np.hstack([difference, v[:, 1] - v[:, 0]])
        p = np.asarray(p, dtype=float).reshape(-1, 2, len(eom.p_names))[:, 0]
        M = eom.mass_matrix(q[:, 0], p=p)
        n = eom.nv
        lever = np.einsum("ij,kjl->kil", energy.S, M)
        rest = self._stiffness.map(len(d))(q[:, 0].T, p.T).full().reshape(n, len(d), n).transpose(1, 0, 2) + energy.X
        value = np.einsum("ki,kij,kj->k", d[:, :n], rest, d[:, :n])
        value = value + 2.0 * np.einsum("ki,kij,kj->k", d[:, :n], lever, d[:, n:])
        return np.asarray(value + np.einsum("ki,kij,kj->k", d[:, n:], M, d[:, n:]))

    @cached_property
    def _stiffness(self) -> ca.Function:
        """Stiffness of the loop at rest, as a function of configuration and parameters."""
        s, zero = self.eom.symbolic, ca.DM.zeros(self.eom.nv)
        f = loop_equations(self.eom, self.law, np.zeros(self.eom.nu))
        return ca.Function("stiffness", [s.q, s.p], [ca.densify(f(s.q, zero, zero, 0.0, s.p)[4])])

    @property
    def stiffness(self) -> Array:
        """Stiffness of the loop at rest, at the configuration."""
        return np.array(self._stiffness(self.point, self.eom.parameter_values(None)).full())


def _differences(eom: EquationsOfMotion, q0: Array, q1: Array) -> Array:
    """Differences of configurations, row by row."""
    a, b = ca.SX.sym("a", eom.nq), ca.SX.sym("b", eom.nq)
    f = ca.Function("difference", [a, b], [eom.layout.difference(a, b)])
    return np.array(f.map(len(q0))(q0.T, q1.T).full()).T


def attack(case: EnvelopeCase, proof: MotionProof, pairs: int, seed: int, device: str = "cpu") -> Array:
    """Ratios of the Lyapunov function at the end and at the start of pairs of rollouts; not finite: one diverged."""
    members = case.members(pairs, seed)
    result = rollout(
        case.eom, duration=case.duration, step=case.step, record=case.duration, control=case.following,
        device=device, limits="ignore", **members,
    )  # fmt: skip
    x0, x1 = result.x[:, 0], result.final
    p = np.broadcast_to(np.asarray(result.p, dtype=float), (2 * pairs, len(case.eom.p_names)))
    ratio = case.size(proof, x1, p) / case.size(proof, x0, p)
    ok = np.asarray(result.ok).reshape(-1, 2).all(axis=1)
    return np.where(ok, ratio, np.inf)


@dataclass(frozen=True, eq=False)
class Contraction:
    """The inequality of a proof at states that a machine visits, deflections included.

    Parameters
    ----------
    least
        Least eigenvalue of the scaled inequality at these states: neighbours of a state approach it where it is
        positive.
    states
        Number of states.
    deflections
        Largest magnitudes of the coordinates that the motion bends.
    """

    least: float
    states: int
    deflections: dict[str, float] = field(default_factory=dict)


def contraction(case: EnvelopeCase, proof: MotionProof, runs: int, seed: int = 0, count: int = 20) -> Contraction:
    """Evaluate the inequality of a proof at states of runs of the machine, with all terms of its equations.

    A proof along motions that bend the machine leaves out terms of second order in the deflections. Here the equations
    are linear about the states that the runs visit, not about the motion: nothing is left out. It is a check by
    samples.

    Parameters
    ----------
    case, proof
        The machine with its law, and the proof.
    runs, seed
        Number of runs, every other one off its motion, and the seed of their motions.
    count
        States of each run.
    """
    if proof.energy is None:
        raise InputError(f"the case '{case.name}' is not proven: there is no inequality to evaluate")
    eom, energy = case.eom, proof.energy
    members = case.members((runs + 1) // 2, seed)
    result = rollout(
        eom, duration=case.duration, step=case.step, record=case.duration / count, control=case.following,
        limits="ignore", **members,
    )  # fmt: skip
    s = eom.symbolic
    u, _ = case.following.expression(eom, s.t, s.q, s.v, ca.SX(0, 1), s.p)
    load = ca.substitute(s.inverse_dynamics - s.losses - s.wrenches - s.actuation, s.u, u)
    push = -ca.solve(ca.jacobian(load, s.a), ca.substitute(load, s.a, ca.DM.zeros(eom.nv)))
    accelerations = ca.Function("accelerations", [s.q, s.v, s.t, s.p], [push])
    f = loop_equations(eom, case.law, np.zeros(eom.nu))
    states, times, n = result.x, result.t, eom.nv
    values = np.broadcast_to(np.asarray(result.p, dtype=float), (len(states), len(eom.p_names)))
    least, total = np.inf, 0
    bent = [i for i, name in enumerate(eom.v_names) if name in proof.bent]
    most = np.zeros(len(bent))
    for k, t in enumerate(times):
        q, v = states[:, k, : eom.nq], states[:, k, eom.nq : eom.nq + n]
        good = np.isfinite(states[:, k]).all(axis=1)
        for i in np.flatnonzero(good):
            a = accelerations(q[i], v[i], float(t), values[i])
            parts = np.array([np.array(x.full()) for x in f(q[i], v[i], a, float(t), values[i])])
            W = energy.scales[:, None] * energy.fall(parts, proof.decay) * energy.scales
            least = min(least, float(np.linalg.eigvalsh((W + W.T) / 2.0)[0]))
            total += 1
        deflection = _differences(eom, np.tile(case.point, (len(q), 1)), q)[good]
        most = np.maximum(most, np.abs(deflection[:, bent]).max(axis=0, initial=0.0))
    names = [eom.v_names[i].removesuffix("_dot") for i in bent]
    return Contraction(least, total, dict(zip(names, most.tolist(), strict=True)))
