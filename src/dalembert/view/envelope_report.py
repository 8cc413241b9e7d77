"""The envelope of a machine's loop: rates that are proven, rates that break it, and gains scheduled for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.analysis.linearize import law_gain
from dalembert.control.scheduled import ScheduledGains
from dalembert.control.signals import label, place
from dalembert.control.structured import Poles, Structure, gains, tune
from dalembert.control.uncertain import LFT, UncertainMachine, uncertain
from dalembert.control.varying import block_rates, falsify, varying_stability
from dalembert.core.errors import InputError
from dalembert.core.ports import Law
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.machine import Machine

__all__ = ["FACTORS", "envelope_report"]

FACTORS = (1.0, 1.5, 2.0, 3.0, 5.0, 8.0)
"""Multiples of the given rates that are proven, or refuted, one after the other."""

_DECAY = 0.1  # of the median frequency of the machine: the decay to tune for, where none is given
_FASTEST = 100.0  # largest magnitude of poles that a tuning may use, relative to the decay
Rates = Mapping[str, float | tuple[float, float]]


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
    evaluations: int = 400,
    progress: Callable[[str], object] = lambda text: None,
) -> dict[str, Any]:
    """Proofs of a loop over ranges and rates, the rates at which a search breaks it, and gains if they are scheduled.

    Parameters
    ----------
    machine, law
        The machine, and a law without internal states; not needed with gains or a schedule.
    ranges
        Ranges of coordinates and parameters; a coordinate without one has that of its limits.
    rates
        Largest rates of coordinates that move, or pairs of rate and acceleration.
    schedule
        Quantities and degrees of scheduled gains, which are tuned.
    decay
        Rate of decay [1/s] to tune for; default a tenth of the median frequency of the machine.
    table
        Gains by (motor, state), ``u = -K x``, in the place of the law.
    at
        Configuration; a coordinate with a range is in its middle if it is not named.
    evaluations
        Variations that the search tries at each rate.
    progress
        Called with a text now and then.
    """
    eom = derive(machine)
    spans = _spans(eom, ranges, [*rates, *(schedule or {})])
    point = {n: (lo + hi) / 2.0 for n, (lo, hi) in spans.items() if n in eom.q_names} | dict(at or {})

    def model_at(factor: float) -> UncertainMachine:
        return uncertain(eom, spans, at=point, motion={n: _times(x, factor) for n, x in rates.items()})

    progress("model")
    model = model_at(1.0)
    answer: dict[str, Any] = {"ranges": {n: list(s) for n, s in spans.items()}, "error of the model": model.error.bound}
    scheduled: ScheduledGains | None = None
    K = np.zeros((0, 0))
    if schedule:
        progress("tuning")
        scheduled = _tuned(eom, model, schedule, decay, answer)
        if scheduled is None:
            return answer | {"proven": False, "envelope": []}
    else:
        K = _gains(eom, law, table, model.lft, point)

    def loop_of(m: UncertainMachine) -> LFT:
        if scheduled is not None:
            return replace(scheduled, model=m).loop()
        return m.lft.feedback(K, m.lft.outputs, m.lft.inputs)

    rows = []
    proven, broken = True, False
    for factor in FACTORS if rates else (1.0,):
        progress(f"{factor:g} times the rates")
        m = model if factor == 1.0 else model_at(factor)
        loop, limits = loop_of(m), block_rates(m)
        limits |= {name: 0.0 for name in loop.sizes if name in spans and name not in rates}
        proof = varying_stability(loop, limits) if proven else None
        proven = proof is not None and proof.guaranteed
        attack = None if proven else falsify(loop, limits, model=m, evaluations=evaluations)
        broken = attack is not None and attack.broken
        row: dict[str, Any] = {"rates": {n: x[0] for n, x in m.motion.items()}, "proven": proven, "broken": broken}
        row["message"] = proof.message if proof is not None and proven else attack.message if attack is not None else ""
        rows.append(row)
        if broken:
            break
    if rows[0]["proven"]:
        progress("falsification")
        loop, limits = loop_of(model), block_rates(model)
        limits |= {name: 0.0 for name in loop.sizes if name in spans and name not in rates}
        attack = falsify(loop, limits, model=model, evaluations=evaluations)
        answer["falsification"] = attack.message
        rows[0]["broken"] = attack.broken
    answer |= {"proven": rows[0]["proven"], "envelope": rows}
    return answer


def _times(motion: float | tuple[float, float], factor: float) -> float | tuple[float, float]:
    return (factor * motion[0], factor * motion[1]) if isinstance(motion, tuple) else factor * motion


def _spans(
    eom: EquationsOfMotion, ranges: Mapping[str, tuple[float, float]], names: list[str]
) -> dict[str, tuple[float, float]]:
    """Ranges, and those of the limits of joints that are named without one."""
    spans = dict(ranges)
    limits = {j.name: j.limits for j in eom.machine.joints}
    for name in names:
        if name in spans:
            continue
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
        K = np.zeros((len(lft.inputs), len(lft.outputs)))
        for (motor, state), value in table.items():
            K[place(label(motor), lft.inputs, "motor"), place(label(state), lft.outputs, "state")] += value
        return K
    if law is None:
        raise InputError(f"machine '{eom.machine.name}' has no law: give gains as --gain MOTOR:STATE=NUMBER")
    return -law_gain(eom, law, dict(at))


def _structure(eom: EquationsOfMotion, lft: LFT) -> Structure:
    """Each motor sees the states of its joint, and those of all joints that no motor drives."""
    joint_of = {label(m.name): m.joint for m in eom.machine.motors}
    states: dict[str, list[str]] = {}
    for block in eom.layout.blocks:
        names = [label(n) for n in (*eom.q_names[block.q], *eom.v_names[block.v])]
        states[block.name] = [n for n in names if n in lft.outputs]
    free = [n for joint, names in states.items() if joint not in joint_of.values() for n in names]
    return gains({u: dict.fromkeys([*states.get(joint_of.get(u, ""), []), *free]) for u in lft.inputs})


def _tuned(
    eom: EquationsOfMotion,
    model: UncertainMachine,
    schedule: Mapping[str, int],
    decay: float | None,
    answer: dict[str, Any],
) -> ScheduledGains | None:
    """Scheduled gains that decay fast enough over the whole box."""
    if decay is None:
        middle = model.values(**dict.fromkeys(model.ranges, 0.0))
        sizes = np.abs(np.linalg.eigvals(model.at(**middle).A))
        some = sizes[sizes > 1e-6 * max(float(sizes.max()), 1e-12)]
        decay = _DECAY * float(np.median(some)) if some.size else _DECAY
    structure = _structure(eom, model.lft)
    hard = [Poles(decay=decay, omega=_FASTEST * decay)]
    result = tune(model, structure, hard=hard, robust=True, schedule=dict(schedule), starts=3, evaluations=6000)
    answer |= {"decay": decay, "tuning": f"{result.status}: {result.message}"}
    found = result.scheduled
    if found is None:
        return None
    ends = [{n: model.ranges[n][k] for n in found.degrees} for k in (0, 1)]
    answer["gains"] = [{"at": values, "K": found.at(**values).tolist()} for values in ends]
    answer |= {"measured": list(found.measured), "controls": list(found.controls)}
    return found
