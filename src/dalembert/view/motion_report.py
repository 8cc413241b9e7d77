"""The envelope of a robot's loop: motions of joints that are proven, motions that break it, and runs of the machine.

Loops whose joints turn, and that bend, have proofs along motions (`dalembert.control.varying.motion_stability`). Beside
them stand a search for motions that break the loop, pairs of runs of the machine itself, and the film of the worst
motion.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from dalembert import api
from dalembert.analysis.linearize import state_space_names
from dalembert.control.feedback import linear_feedback
from dalembert.control.margins import disk_margins
from dalembert.control.signals import gain_table, label
from dalembert.control.varying.motion_search import WorstMotion, worst_motion
from dalembert.control.varying.motions import MotionProof, proven_motion
from dalembert.control.varying.moving import MotionLoop, loop_equations, motion_loop
from dalembert.control.varying.regions import motion_region
from dalembert.core.errors import InputError
from dalembert.core.files import target_file, write_file
from dalembert.core.ports import Law
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.loop.motion_pairs import EnvelopeCase, attack, contraction
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.view.envelope_page import figures_page
from dalembert.view.envelope_report import Rates, spans_of

__all__ = ["MotionEnvelope", "along_motions", "motion_page", "motion_report"]

_MOST = 16.0  # largest multiple of rates and accelerations
_CLOSE = 1.3  # ratio of the multiples between which a search ends
_TURN, _SLIDE = 0.1, 0.05  # deviations at the start: rad, and parts of a range
_STEPS = 3000  # of a run at most
_LONGEST = 60.0  # seconds of a run
_SECONDS = 1.0  # in which a joint reaches its largest rate, where no acceleration is given
_LARGE = 10  # coordinates, beyond which linear matrix inequalities take minutes
_STATES = 200  # at which the inequality of a proof is evaluated with all terms


@dataclass(frozen=True, eq=False)
class MotionEnvelope:
    """A loop about motions, its proof, its worst motion, and the settings of its runs."""

    loop: MotionLoop
    case: EnvelopeCase
    proof: MotionProof
    worst: WorstMotion
    answer: dict[str, Any]


def along_motions(machine: Machine, rates: Mapping[str, object]) -> bool:
    """Whether rates are those of joints that turn: their loops have proofs along motions.

    Parameters
    ----------
    machine
        The machine.
    rates
        Rates by name.
    """
    turning = {j.name for j in machine.joints if j.kind in ("revolute", "continuous")}
    return any(name in turning for name in rates)


def motion_report(
    machine: Machine,
    law: Law | None,
    *,
    ranges: Mapping[str, tuple[float, float]],
    rates: Rates,
    table: Mapping[tuple[str, str], float] | None = None,
    at: Mapping[str, float] | None = None,
    pairs: int = 200,
    evaluations: int = 200,
    progress: Callable[[str], object] = lambda text: None,
) -> MotionEnvelope:
    """Proofs of a loop along motions of joints, motions that break it, and pairs of runs.

    Parameters
    ----------
    machine, law
        The machine, and a law without internal states; not needed with gains.
    ranges
        Ranges of joints and parameters; a joint without one has that of its limits.
    rates
        Largest rates of joints, or pairs of rate and acceleration. A joint without an acceleration reaches its rate in
        one second.
    table
        Gains by (motor, state), ``u = -K x``, in the place of the law.
    at
        Configuration; a joint with a range is in its middle if it is not named.
    pairs
        Pairs of runs of the machine.
    evaluations
        Motions that the search tries at each multiple of the rates.
    progress
        Called with a text now and then.
    """
    eom = derive(machine)
    spans = spans_of(eom, ranges, list(rates))
    point = {n: (lo + hi) / 2.0 for n, (lo, hi) in spans.items() if n in eom.q_names} | dict(at or {})
    answer: dict[str, Any] = {"ranges": {n: list(span) for n, span in spans.items()}}
    motion = {}
    for name, rate in rates.items():
        motion[name] = rate if isinstance(rate, tuple) else (rate, rate / _SECONDS)
        if not isinstance(rate, tuple):
            answer.setdefault("assumed", []).append(
                f"'{name}' reaches its largest rate in {_SECONDS:g} s: an acceleration of {rate / _SECONDS:g} at most"
            )
    progress("equations along the motion")
    loop = motion_loop(eom, _law(eom, law, table, point), spans, motion, at=point)
    progress("search for motions that break the loop")
    worst = worst_motion(loop, evaluations=evaluations, progress=progress)
    row: dict[str, Any] = {"name": "law", "broken": worst.broken, "falsification": worst.message}
    row["slowest decay found"] = -worst.growth
    proof = proven_motion(loop, progress=progress)
    row |= {"proven": proof.guaranteed, "proof": proof.message, "margin": proof.margin}
    if proof.proven and proof.bent:
        row["extent"] = "to first order in the deflections"
    case = _case(loop, point, worst)
    if proof.proven:
        row["decay"] = _decay(loop, proof, -worst.growth, progress)
        row["runs of the machine"] = _runs(case, proof, pairs, progress) | _region(loop, proof, progress)
    row["margins"] = _margins(loop)
    low, high, worst = _multiples(loop, proof, worst, evaluations, progress)
    largest = {j.name: j.rate for j in loop.joints}
    row["proven rates"] = {n: low * r for n, r in largest.items()} if low else None
    row["broken rates"] = {n: high * r for n, r in largest.items()} if high else None
    row["ratio"] = high / low if low and high else None
    row["tried rates"] = {n: _MOST * r for n, r in largest.items()}
    answer |= {"controllers": [row], "proven": row["proven"]}
    return MotionEnvelope(loop, case, proof, worst, answer)


def _law(
    eom: EquationsOfMotion,
    law: Law | None,
    table: Mapping[tuple[str, str], float] | None,
    at: Mapping[str, float],
) -> Law:
    """The law, or that of gains in its place."""
    if not table:
        if law is None:
            raise InputError(f"machine '{eom.machine.name}' has no law: give gains as --gain MOTOR:STATE=NUMBER")
        return law
    states = [label(n) for n in state_space_names(eom)]
    motors = [label(n) for n in eom.u_names]
    return linear_feedback(eom, gain_table(table, motors, states), measured=states, controls=motors, at=dict(at))


def motion_page(envelope: MotionEnvelope, path: str | os.PathLike[str]) -> Path:
    """Write an envelope of motions as one HTML file: proof, margins, the worst motion found, and its film.

    Parameters
    ----------
    envelope
        The envelope.
    path
        The file (.html).
    """
    target = target_file(path, (".html", ".htm"))
    worst, run = envelope.worst, worst_motion_run(envelope)
    told = [f"{n}: {s.middle:.4g} + {s.reach:.4g} sin({s.omega:.4g} t {s.phase:+.4g})" for n, s in worst.motion.items()]
    told += [f"{n} = {x:.6g}" for n, x in worst.constants.items()]
    end = "diverges at" if worst.broken else "decays at"
    found = worst.message[0].upper() + worst.message[1:]
    film = (
        f"{found}. The film shows the machine along this motion ({'; '.join(told)}), with the law of the proof "
        f"and the forces of the motion fed forward, from a small deviation. Its loop, linear about the motion, {end} "
        f"{abs(worst.growth):.4g} 1/s."
    )
    return write_file(target, figures_page(run, envelope.case.eom.machine, envelope.answer, film))


def worst_motion_run(envelope: MotionEnvelope) -> Run:
    """Simulate the machine along the worst motion, from a small deviation."""
    case, worst = envelope.case, envelope.worst
    start = case.member(worst.motion, worst.constants)
    for i, name in enumerate(case.eom.q_names):
        start["q0"][i] += 0.5 * case.deviation.get(name, 0.0)
    duration = min(max(3.0 * worst.period, 4.0 / max(abs(worst.growth), 1e-3)), _LONGEST)
    settings: dict[str, Any] = {"control": case.following, "limits": "ignore", "check": False}
    return api.simulate(case.eom.machine, duration=duration, **start, **settings)


def _case(loop: MotionLoop, at: Mapping[str, float], worst: WorstMotion) -> EnvelopeCase:
    """Settings of runs: steps of the fastest pole, deviations of all joints with motors and of a free base."""
    eom = loop.eom
    driven = {m.joint for m in eom.machine.motors}
    ranges = {x.name: x.span for x in loop.varied}
    deviation: dict[str, float] = {}
    for block in eom.layout.blocks:
        names = eom.q_names[block.q]
        if block.name in driven and block.kind in ("revolute", "continuous"):
            deviation[names[0]] = _TURN
        elif block.name in driven and block.kind == "prismatic":
            lo, hi = ranges.get(block.name, (-0.5, 0.5))
            deviation[names[0]] = _SLIDE * (hi - lo)
        elif block.kind == "free":
            deviation |= dict.fromkeys(names[:3], _SLIDE)
    for j in loop.joints:
        assert j.v is not None
        deviation[eom.v_names[j.v]] = 0.1 * j.rate
    parts = loop.family.at(loop.middle)[0]
    M, D, K = parts[0], parts[2], parts[3]
    n = len(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    step = 0.5 / max(float(np.abs(np.linalg.eigvals(A)).max()), 1.0)
    duration = min(max(4.0 / max(-worst.growth, 1e-3), worst.period), _STEPS * step, _LONGEST)
    motion = {j.name: (j.rate, j.acceleration) for j in loop.joints}
    count = max(int(np.ceil(duration / step)), 1)
    return EnvelopeCase(
        eom.machine.name, eom.machine, loop.law, dict(at), ranges, motion, duration, duration / count, deviation
    )


def _runs(case: EnvelopeCase, proof: MotionProof, pairs: int, progress: Callable[[str], object]) -> dict[str, str]:
    """Pairs of runs of the machine, and the inequality of the proof at their states."""
    progress(f"{pairs} pairs of runs of the machine")
    ratios = attack(case, proof, pairs, 0)
    broken = int((~(ratios < 1.0)).sum())
    found = {
        f"pairs of runs of the machine over {case.duration:.4g} s that move apart": f"{broken} of {pairs}",
        "largest ratio of the Lyapunov function, end to start": f"{float(ratios.max()):.4g}",
    }
    if proof.bent:
        progress("inequality of the proof with all terms")
        check = contraction(case, proof, 10, count=_STATES // 10)
        most = max(check.deflections.items(), key=lambda item: item[1], default=("none", 0.0))
        found["terms left out: least eigenvalue of the inequality with all of them"] = (
            f"{check.least:.4g} at {check.states} states of runs (proven without them: {proof.margin:.4g})"
        )
        found["largest deflection of these runs"] = f"{most[0]}: {most[1]:.4g}"
    return found


def _region(loop: MotionLoop, proof: MotionProof, progress: Callable[[str], object]) -> dict[str, str]:
    """Rates and accelerations up to which the machine is proven, and deflections that it does not exceed."""
    if not proof.bent:
        return {}
    title = "proven for the machine, all terms included, at rates and accelerations up to"
    try:
        region = motion_region(loop, progress)
    except InputError as error:
        return {title: f"none: {error}"}
    if not region.factor:
        return {title: "none"}
    speed = ", ".join(f"{n}: {r:.3g}, {a:.3g}" for n, (r, a) in region.motion.items())
    bent = ", ".join(f"{n}: {region.deviations[n]:.3g}" for n in (x.removesuffix("_dot") for x in proof.bent))
    return {title: speed, "deflections that it then does not exceed": bent}


def _again(loop: MotionLoop, proof: MotionProof, decay: float = 0.0) -> bool:
    """Whether a loop is proven once more; large machines by functions of the energy only, which take seconds."""
    return proven_motion(loop, decay, bent=proof.bent, simple=loop.family.size > _LARGE).proven


def _decay(loop: MotionLoop, proof: MotionProof, most: float, progress: Callable[[str], object]) -> float:
    """Rate of decay [1/s] that is proven, to a sixteenth of the slowest that was found."""
    low, high = 0.0, max(most, 0.0)
    for _ in range(4):
        middle = 0.5 * (low + high)
        progress(f"decay of {middle:.4g} 1/s")
        low, high = (middle, high) if _again(loop, proof, middle) else (low, middle)
    return low


def _multiples(
    loop: MotionLoop, proof: MotionProof, worst: WorstMotion, evaluations: int, progress: Callable[[str], object]
) -> tuple[float, float, WorstMotion]:
    """Largest multiple of rates and accelerations that is proven, least one that is refuted (0: none), worst motion."""

    def holds(factor: float) -> bool:
        progress(f"proof at {factor:.3g} times the rates")
        return _again(loop.faster(factor), proof)

    low = 0.0
    if proof.proven:
        low, high = 1.0, 2.0
        while low < _MOST and holds(2.0 * low):
            low *= 2.0
        high = 2.0 * low
        while low < _MOST and high / low > _CLOSE:
            middle = float(np.sqrt(low * high))
            low, high = (middle, high) if holds(middle) else (low, middle)
    if worst.broken:
        return low, 1.0, worst
    safe = 1.0
    while safe < _MOST:
        progress(f"search at {2.0 * safe:g} times the rates")
        found = worst_motion(loop.faster(2.0 * safe), evaluations=evaluations)
        if found.broken:
            break
        safe *= 2.0
    else:
        return low, 0.0, worst
    broken, worst = 2.0 * safe, found
    while broken / safe > _CLOSE:
        middle = float(np.sqrt(safe * broken))
        progress(f"search at {middle:.3g} times the rates")
        found = worst_motion(loop.faster(middle), evaluations=evaluations)
        safe, broken, worst = (safe, middle, found) if found.broken else (middle, broken, worst)
    return low, broken, worst


def _margins(loop: MotionLoop) -> dict[str, dict[str, Any]]:
    """Least disk margin at each motor, over the corners and the middle of the ranges, at rest."""
    import control

    eom, s = loop.eom, loop.eom.symbolic
    zero, u0 = np.zeros(eom.nv), loop.point.u
    u, _ = loop.law.expression(eom, s.t, s.q, s.v, ca.SX(0, 1), s.p)
    chart = ca.jacobian(s.coordinate_rate, s.v)
    gains = ca.Function(
        "gains",
        [s.q, s.v, s.t, s.p],
        [ca.jacobian(u, s.q) @ chart, ca.jacobian(u, s.v), ca.substitute(ca.jacobian(s.actuation, s.u), s.u, u0)],
    )
    closed = loop_equations(eom, loop.law, u0)
    found: dict[str, dict[str, Any]] = {}
    for signs in [(0.0,) * len(loop.varied), *product((-1.0, 1.0), repeat=len(loop.varied))]:
        q, p, values = loop.point.q.copy(), loop.p.copy(), {}
        for x, sign in zip(loop.varied, signs, strict=True):
            lo, hi = x.span
            values[x.name] = 0.5 * (lo + hi) + 0.5 * (hi - lo) * sign
            if x.v is None:
                p[x.place] = values[x.name]
            else:
                q[x.place] = values[x.name]
        M, _, D, K = (np.array(y.full()) for y in closed(q, zero, zero, 0.0, p)[:4])
        Kq, Kv, B = (np.array(ca.DM(y).full()) for y in gains(q, zero, 0.0, p))
        n = eom.nv
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
        if np.linalg.eigvals(A).real.max() >= 0.0:
            return {}
        inputs, C = np.vstack([np.zeros((n, eom.nu)), np.linalg.solve(M, B)]), -np.hstack([Kq, Kv])
        margins = disk_margins(control.ss(A + inputs @ C, inputs, C, np.zeros((eom.nu, eom.nu))))
        for name, m in zip(eom.u_names, margins, strict=True):
            if label(name) not in found or m.alpha < found[label(name)]["alpha"]:
                phase = float(np.degrees(m.phase))
                found[label(name)] = {"alpha": m.alpha, "gain": list(m.gain), "phase": phase, "at": values}
    return found
