"""The envelope of a machine's loop: rates that are proven, rates that break it, and gains scheduled for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from dalembert.analysis.linearize import law_gain
from dalembert.control.margins import disk_margins
from dalembert.control.scheduled import ScheduledGains
from dalembert.control.signals import gain_table, label
from dalembert.control.structured import Poles, Structure, gains, tune
from dalembert.control.structured.ranges import shifted
from dalembert.control.uncertain import LFT, UncertainMachine, uncertain
from dalembert.control.uncertain.machines import acceleration_matters
from dalembert.control.varying import (
    Falsification,
    block_rates,
    falsify,
    sampled_loop,
    varying_gain,
    varying_stability,
)
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.ports import Law
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.machine import Machine

__all__ = ["Envelope", "Loop", "Rates", "envelope_report", "spans_of"]

_DECAY = 0.1  # of the median frequency of the machine: the decay to tune for, where none is given
_FASTEST = 100.0  # largest magnitude of poles that a tuning may use, relative to the decay
_MOST = 64.0  # largest multiple of the rates
_CLOSE = 1.3  # ratio of the multiples between which a search ends
_SECONDS = 1.0  # in which a coordinate reaches its largest rate, where no acceleration is given
Rates = Mapping[str, float | tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Loop:
    """A controller, and its closed loop with a model."""

    name: str
    measured: tuple[str, ...]
    controls: tuple[str, ...]
    gains: Array | ScheduledGains
    period: float | None = None

    def at(self, model: UncertainMachine) -> LFT:
        """The closed loop with the model, as it runs: sampled if it has a period."""
        K = replace(self.gains, model=model).lft if isinstance(self.gains, ScheduledGains) else self.gains
        if self.period is None:
            return model.lft.feedback(K, self.measured, self.controls)
        rates = block_rates(model)
        return sampled_loop(model.lft, K, self.measured, self.controls, period=self.period, rates=rates)

    def scheduled(self, model: UncertainMachine) -> ScheduledGains:
        """The gains as scheduled ones, fixed ones with terms of zero."""
        if isinstance(self.gains, ScheduledGains):
            return self.gains
        return ScheduledGains(
            self.measured, self.controls, {next(iter(model.ranges)): 1}, (self.gains, 0.0 * self.gains), model
        )


@dataclass(frozen=True, eq=False)
class Envelope:
    """The model of an envelope, its loops, and the worst variation of the last of them."""

    eom: EquationsOfMotion
    model: UncertainMachine
    at: dict[str, float]
    loops: tuple[Loop, ...]
    worst: Falsification | None
    answer: dict[str, Any]


@dataclass(eq=False)
class _Study:
    """Models at multiples of the rates, which are kept."""

    eom: EquationsOfMotion
    spans: dict[str, tuple[float, float]]
    at: dict[str, float]
    rates: dict[str, float | tuple[float, float]]
    evaluations: int
    models: dict[float, UncertainMachine] = field(default_factory=dict)

    def model(self, factor: float) -> UncertainMachine:
        """The model at a multiple of the rates."""
        if factor not in self.models:
            motion = {n: _times(x, factor) for n, x in self.rates.items()}
            self.models[factor] = uncertain(self.eom, self.spans, at=self.at, motion=motion)
        return self.models[factor]

    @cached_property
    def shown(self) -> list[str]:
        """Coordinates of joints that no motor drives; of all joints if there are none."""
        driven = {m.joint for m in self.eom.machine.motors}
        outputs = self.model(1.0).lft.outputs
        every = [(b.name in driven, label(n)) for b in self.eom.layout.blocks for n in self.eom.q_names[b.q]]
        free = [n for known, n in every if not known and n in outputs]
        return free or [n for _, n in every if n in outputs]

    def limits(self, loop: LFT, model: UncertainMachine) -> dict[str, float]:
        """Rates of the blocks of a loop: parameters are constants."""
        constants = {n: 0.0 for n in loop.sizes if n in self.spans and n not in self.rates}
        return {n: r for n, r in (block_rates(model) | constants).items() if n in loop.sizes}

    def proven(self, loop: Loop, factor: float, degree: int, decay: float = 0.0) -> bool:
        """Whether the loop is guaranteed to decay at a multiple of the rates."""
        model = self.model(factor)
        closed = loop.at(model)
        limits = self.limits(closed, model)
        return varying_stability(shifted(closed, decay) if decay else closed, limits, degree=degree).guaranteed

    def attack(self, loop: Loop, factor: float) -> Falsification:
        """The worst variation that is found at a multiple of the rates; sampling is left to simulations."""
        model = self.model(factor)
        closed = replace(loop, period=None).at(model)
        return falsify(closed, self.limits(closed, model), model=model, evaluations=self.evaluations)


def envelope_report(
    machine: Machine,
    law: Law | None,
    *,
    ranges: Mapping[str, tuple[float, float]],
    rates: Rates,
    schedule: Mapping[str, int] | None = None,
    decay: float | None = None,
    table: Mapping[tuple[str, str], float] | None = None,
    at: Mapping[str, float] | None = None,
    period: float | None = None,
    evaluations: int = 400,
    progress: Callable[[str], object] = lambda text: None,
) -> Envelope:
    """Proofs of a loop over ranges and rates, the rates at which a search breaks it, and gains if they are scheduled.

    Parameters
    ----------
    machine, law
        The machine, and a law without internal states; not needed with gains or a schedule.
    ranges
        Ranges of coordinates and parameters; a coordinate without one has that of its limits.
    rates
        Largest rates of coordinates that move, or pairs of rate and acceleration. If the acceleration has an effect and
        none is given, the coordinate reaches its rate in one second.
    schedule
        Quantities and degrees of scheduled gains, which are tuned, as are fixed gains for the same requirements.
    decay
        Rate of decay [1/s] to tune for at least; default a tenth of the median frequency of the machine.
    table
        Gains by (motor, state), ``u = -K x``, in the place of the law.
    at
        Configuration; a coordinate with a range is in its middle if it is not named.
    period
        Seconds between samples of the law; None: it is continuous.
    evaluations
        Variations that the search tries at each rate.
    progress
        Called with a text now and then.
    """
    eom = derive(machine)
    spans = spans_of(eom, ranges, [*rates, *(schedule or {})])
    point = {n: (lo + hi) / 2.0 for n, (lo, hi) in spans.items() if n in eom.q_names} | dict(at or {})
    answer: dict[str, Any] = {"ranges": {n: list(s) for n, s in spans.items()}}
    study = _Study(eom, spans, point, _with_accelerations(eom, rates, spans, answer), evaluations)
    progress("model")
    model = study.model(1.0)
    answer["error of the model"] = model.error.bound
    if schedule:
        progress("tuning")
        loops = _tuned(eom, model, schedule, decay, period, answer)
    else:
        K = _gains(eom, law, table, model.lft, point)
        loops = [Loop("law", model.lft.outputs, model.lft.inputs, K, period)]
    answer["controllers"], worst = [], None
    for loop in loops:
        row, worst = _judged(study, loop, progress)
        answer["controllers"].append(row)
    if not answer.get("tuning", "met").startswith("met"):
        best = max((row.get("decay") or 0.0 for row in answer["controllers"]), default=0.0)
        answer["feasible"] = (
            f"a decay of {answer['decay']:.4g} 1/s is not met; --decay {0.9 * best:.2g} would be: {best:.4g} is proven"
            if best > 0.0
            else f"a decay of {answer['decay']:.4g} 1/s is not met and nothing is proven: narrow ranges or rates"
        )
    answer["proven"] = bool(answer["controllers"]) and answer["controllers"][-1]["proven"]
    return Envelope(eom, model, point, tuple(loops), worst, answer)


def _judged(study: _Study, loop: Loop, progress: Callable[[str], object]) -> tuple[dict[str, Any], Falsification]:
    """Proven and refuted rates and decays, the gain and the margins of a loop, and its worst variation."""

    def told(text: str) -> None:
        progress(f"{loop.name} gains: {text}")

    model, rates = study.model(1.0), study.rates
    closed = loop.at(model)
    limits = study.limits(closed, model)
    told("proof")
    proof = varying_stability(closed, limits)
    degree = 0 if not proof.guaranteed else 2 if any("*" in name for name in proof.lyapunov) else 1
    row: dict[str, Any] = {"name": loop.name, "proven": proof.guaranteed, "proof": proof.message}
    told("search for variations that break it")
    attack = study.attack(loop, 1.0)
    row |= {"broken": attack.broken, "falsification": attack.message, "slowest decay found": -attack.growth}
    row["margins"] = _margins(loop, model)
    if proof.guaranteed:
        told("decay")
        if loop.period is None:  # the norm of a sampler is that of signals without a weight
            row["decay"] = _decay(study, loop, degree, -attack.growth)
        told("gain in the L2 norm")
        gain = varying_gain(closed, loop.controls, study.shown, limits, degree=degree)
        row["gain"] = gain.gain if gain.guaranteed else None
        row["gain of"] = [list(loop.controls), study.shown]
    if rates:
        largest = {n: x[0] if isinstance(x, tuple) else x for n, x in rates.items()}
        low, high, worst = _rates(study, loop, degree, attack, told)
        row["proven rates"] = {n: low * r for n, r in largest.items()} if low else None
        row["broken rates"] = {n: high * r for n, r in largest.items()} if high else None
        row["ratio"] = high / low if low and high else None
        row["tried rates"] = {n: _MOST * r for n, r in largest.items()}
        attack = worst
    return row, attack


def _rates(
    study: _Study, loop: Loop, degree: int, attack: Falsification, progress: Callable[[str], object]
) -> tuple[float, float, Falsification]:
    """Largest multiple of the rates that is proven, least one that is refuted (0: none), and the worst variation.

    A degree of zero: nothing is proven at the rates themselves.
    """
    low, high = (1.0 if degree else 0.0), _MOST
    if degree:
        while low < _MOST and study.proven(loop, 2.0 * low, degree):
            low *= 2.0
            progress(f"proven at {low:g} times the rates")
        high = min(2.0 * low, _MOST)
        while high / low > _CLOSE:
            middle = float(np.sqrt(low * high))
            low, high = (middle, high) if study.proven(loop, middle, degree) else (low, middle)
            progress(f"proven at {low:.3g} times the rates")
    if attack.broken:
        return low, 1.0, attack
    safe, broken, worst = 1.0, 1.0, attack
    while broken < _MOST:
        broken = min(2.0 * broken, _MOST)
        progress(f"search at {broken:g} times the rates")
        found = study.attack(loop, broken)
        if found.broken:
            worst = found
            break
        safe = broken
    else:
        return low, 0.0, worst
    while broken / safe > _CLOSE:
        middle = float(np.sqrt(safe * broken))
        found = study.attack(loop, middle)
        safe, broken, worst = (safe, middle, found) if found.broken else (middle, broken, worst)
    return low, broken, worst


def _decay(study: _Study, loop: Loop, degree: int, most: float) -> float:
    """Rate of decay [1/s] that is proven at the rates themselves, to a tenth."""
    low, high = 0.0, max(most, 0.0)
    while high - low > 0.1 * high and high > 0.0:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if study.proven(loop, 1.0, degree, middle) else (low, middle)
    return low


def _margins(loop: Loop, model: UncertainMachine) -> dict[str, dict[str, Any]]:
    """Least disk margin at each motor, over the corners and the middle of the constant values."""
    import control

    scheduled = loop.scheduled(model)
    found: dict[str, dict[str, Any]] = {}
    for signs in [(0.0,) * len(model.ranges), *product((-1.0, 1.0), repeat=len(model.ranges))]:
        numbers = dict(zip(model.ranges, signs, strict=True))
        values = model.values(**numbers)
        plant = model.at(**values)
        K = scheduled.at(**{n: values[n] for n in scheduled.degrees})
        rows = [list(plant.output_labels).index(n) for n in loop.measured]
        columns = [list(plant.input_labels).index(n) for n in loop.controls]
        C = K @ np.asarray(plant.C)[rows]
        B = np.asarray(plant.B)[:, columns]
        if np.linalg.eigvals(np.asarray(plant.A) - B @ C).real.max() >= 0.0:
            return {}
        margins = disk_margins(control.ss(plant.A, B, C, np.zeros((len(columns), len(columns)))))
        for name, m in zip(loop.controls, margins, strict=True):
            if name not in found or m.alpha < found[name]["alpha"]:
                phase = float(np.degrees(m.phase))
                found[name] = {"alpha": m.alpha, "gain": list(m.gain), "phase": phase, "at": values}
    return found


def _times(motion: float | tuple[float, float], factor: float) -> float | tuple[float, float]:
    return (factor * motion[0], factor * motion[1]) if isinstance(motion, tuple) else factor * motion


def _with_accelerations(
    eom: EquationsOfMotion, rates: Rates, spans: Mapping[str, object], answer: dict[str, Any]
) -> dict[str, float | tuple[float, float]]:
    """Rates with the accelerations that matter; those that were not given are noted."""
    known: dict[str, float | tuple[float, float]] = {}
    for name, rate in rates.items():
        known[name] = rate
        moves = name in eom.q_names and name in spans
        if moves and not isinstance(rate, tuple) and acceleration_matters(eom, name):
            known[name] = (rate, rate / _SECONDS)
            answer.setdefault("assumed", []).append(
                f"'{name}' reaches its largest rate in {_SECONDS:g} s: an acceleration of {rate / _SECONDS:g} at most"
            )
    return known


def spans_of(
    eom: EquationsOfMotion, ranges: Mapping[str, tuple[float, float]], names: list[str]
) -> dict[str, tuple[float, float]]:
    """Ranges, and those of the limits of joints that are named without one."""
    spans = dict(ranges)
    limits = {j.name: j.limits for j in eom.machine.joints}
    for name in names:
        if name in spans:
            continue
        if name not in eom.q_names and name not in eom.p_names:
            known = [*(n for n in limits if n in eom.q_names), *eom.p_names]
            raise UnknownNameError("measured coordinate or parameter", name, known, f"machine '{eom.machine.name}'")
        if name not in limits or not np.isfinite([limits[name].lower, limits[name].upper]).all():
            raise InputError(f"'{name}' has a rate or a schedule but no range: give --range {name}=LOW:HIGH")
        spans[name] = (limits[name].lower, limits[name].upper)
    return spans


def _gains(
    eom: EquationsOfMotion,
    law: Law | None,
    table: Mapping[tuple[str, str], float] | None,
    lft: LFT,
    at: Mapping[str, float],
) -> Array:
    if table:
        return gain_table(table, lft.inputs, lft.outputs)
    if law is None:
        raise InputError(f"machine '{eom.machine.name}' has no law: give gains as --gain MOTOR:STATE=NUMBER")
    return -law_gain(eom, law, dict(at))


def _structure(eom: EquationsOfMotion, model: UncertainMachine) -> Structure:
    """Each motor sees the states of its joint, and those of joints that no motor drives but that it moves."""
    lft = model.lft
    joint_of = {label(m.name): m.joint for m in eom.machine.motors}
    states: dict[str, list[str]] = {}
    for block in eom.layout.blocks:
        names = [label(n) for n in (*eom.q_names[block.q], *eom.v_names[block.v])]
        states[block.name] = [n for n in names if n in lft.outputs]
    plant = model.at(**model.values(**dict.fromkeys(model.ranges, 0.5)))
    A, B, C = (np.asarray(getattr(plant, x)) for x in "ABC")
    reached = np.abs(C) @ np.linalg.matrix_power(np.eye(len(A)) + (np.abs(A) > 1e-12), len(A)) @ (np.abs(B) > 0.0)
    free = [n for joint, names in states.items() if joint not in joint_of.values() for n in names]

    def seen(u: str) -> list[str]:
        moved = reached[:, lft.inputs.index(u)]
        return [*states.get(joint_of.get(u, ""), []), *(n for n in free if moved[lft.outputs.index(n)])]

    return gains({u: dict.fromkeys(seen(u)) for u in lft.inputs})


def _tuned(
    eom: EquationsOfMotion,
    model: UncertainMachine,
    schedule: Mapping[str, int],
    decay: float | None,
    period: float | None,
    answer: dict[str, Any],
) -> list[Loop]:
    """Fixed and scheduled gains that decay as fast as they can over the whole box, and fast enough."""
    if decay is None:
        middle = model.values(**dict.fromkeys(model.ranges, 0.0))
        sizes = np.abs(np.linalg.eigvals(model.at(**middle).A))
        some = sizes[sizes > 1e-6 * max(float(sizes.max()), 1e-12)]
        decay = _DECAY * float(np.median(some)) if some.size else _DECAY
    structure = _structure(eom, model)
    hard = [Poles(decay=decay, omega=_FASTEST * decay)]
    soft = [Poles(decay=decay, name="fast decay")]
    settings: dict[str, Any] = {"starts": 2, "evaluations": 3000}
    result = tune(model, structure, hard=hard, soft=soft, robust=True, schedule=dict(schedule), **settings)
    answer |= {"decay": decay, "tuning": f"{result.status}: {result.message}"}
    loops = []
    if (fixed := result.fixed) is not None and fixed.status != "unstable":
        K = np.asarray(fixed.matrices[3])
        loops.append(Loop("fixed", structure.measured, structure.controls, K, period))
    if (found := result.scheduled) is not None:
        loops.append(Loop("scheduled", found.measured, found.controls, found, period))
        ends = [{n: model.ranges[n][k] for n in found.degrees} for k in (0, 1)]
        answer["gains"] = [{"at": values, "K": found.at(**values).tolist()} for values in ends]
        answer |= {"measured": list(found.measured), "controls": list(found.controls)}
    return loops
