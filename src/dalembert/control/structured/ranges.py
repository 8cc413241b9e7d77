"""Tuning over ranges: the worst values that are found join the models, until none are left and a proof succeeds.

This is the iteration that SPACE 8.3.3 proposes: the worst configuration of an analysis becomes a model of the next
synthesis. It ends with a proof over all values and all frequencies, or with the reason why there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import thread_time

import numpy as np

from dalembert.control.mu.robustness import Robustness, robust_stability, worst_gain
from dalembert.control.mu.worst import worst_values
from dalembert.control.structured.requirements import Gain, Poles, Requirement
from dalembert.control.structured.results import TuneResult, TuneSettings
from dalembert.control.structured.structures import Structure, Tunable
from dalembert.control.structured.synthesis import tune_models
from dalembert.control.uncertain.lft import LFT, append, constant, system_lft
from dalembert.control.uncertain.machines import UncertainMachine
from dalembert.core.errors import InputError

__all__ = ["inside", "shifted", "tune_over_ranges"]

_ROUNDS = 12
_SECONDS = 300.0  # of all proofs together, where no time limit is set
_MET = 1e-3  # as of hard requirements on models


def tune_over_ranges(
    model: UncertainMachine | LFT,
    structure: Structure,
    hard: Sequence[Requirement],
    soft: Sequence[Requirement],
    settings: TuneSettings,
    *,
    first: Sequence[dict[str, float]] = (),
) -> TuneResult:
    """Tune until the loop is proven over all ranges (see `tune`), in 12 rounds at most.

    Models at numbers ``first`` are among the first.
    """
    began = thread_time()
    lft = model.lft if isinstance(model, UncertainMachine) else model
    if not lft.sizes:
        raise InputError("nothing is uncertain: tune the plant itself")
    middle = dict.fromkeys(lft.sizes, 0.0)
    models = {"middle": lft.at(**middle)}
    models |= {f"first {k + 1}": lft.at(**{**middle, **numbers}) for k, numbers in enumerate(first)}
    joined: list[dict[str, float]] = []
    evaluations = 0

    def left() -> float:
        return (_SECONDS if settings.time_limit is None else settings.time_limit) - (thread_time() - began)

    def answer(result: TuneResult, proof: Robustness | None, message: str, *, met: bool) -> TuneResult:
        named = tuple(model.values(**v) if isinstance(model, UncertainMachine) else v for v in joined)
        status = result.status if met or result.status == "unstable" else "missed"
        seconds = thread_time() - began
        text = f"{result.message}; {message}" if result.message else message
        return replace(
            result,
            status=status,
            message=text,
            robustness=proof,
            joined=named,
            seconds=seconds,
            evaluations=evaluations,
        )

    for round_ in range(_ROUNDS):
        share = settings if settings.time_limit is None else replace(settings, time_limit=max(0.4 * left(), 0.5))
        result = tune_models(models, structure, hard, soft, share)
        evaluations += result.evaluations
        if result.status != "met":
            where = "the middle of the ranges" if not joined else f"the middle and {len(joined)} worst values"
            return answer(result, None, f"tuned at {where} alone", met=False)
        loop = lft.loop(result.controller, structure.measured, structure.controls)
        goals = _goals(loop, hard)
        worst = None
        for goal in goals:
            worst = worst or worst_values(goal.loop, goal.inputs, goal.outputs, goal.bound, seconds=0.1 * left())
        if settings.progress is not None:
            settings.progress(f"round {round_ + 1}", np.nan if worst is None else worst.value)
        if worst is None:
            return _proven(result, goals, left, answer, len(joined))
        if left() < 1.0:
            return answer(result, None, f"time limit reached, and {worst.message}", met=False)
        if any(max(abs(v[n] - worst.values[n]) for n in v) < 1e-4 for v in joined):
            return answer(result, None, f"{worst.message}, which is a model already", met=False)
        joined.append(worst.values)
        models[f"worst {len(joined)}"] = lft.at(**worst.values)
        tunables = tuple(replace(t, start=inside(t, result.values[t.name])) for t in structure.tunables)
        structure = replace(structure, tunables=tunables)
    return answer(result, None, f"after {_ROUNDS} rounds {worst.message if worst else ''}", met=False)


def inside(t: Tunable, value: float) -> float:
    """A number within the bounds of a tunable."""
    low = -np.inf if t.lower is None else t.lower
    high = np.inf if t.upper is None else t.upper
    return float(np.clip(value, low, high))


@dataclass(frozen=True)
class _Goal:
    """Conditions for all values: stability of a (shifted) loop, or a gain below a bound."""

    loop: LFT
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    bound: float = np.inf
    name: str = "stability"


def _goals(loop: LFT, hard: Sequence[Requirement]) -> list[_Goal]:
    decay = max((r.decay for r in hard if isinstance(r, Poles) and r.decay is not None), default=0.0)
    goals = [_Goal(shifted(loop, decay * (1.0 - _MET)), name=f"a decay of {decay:g} 1/s" if decay else "stability")]
    for r in hard:
        if isinstance(r, Gain) and r.band is None:
            channel = _channel(loop, r)
            goals.append(_Goal(channel, channel.inputs, channel.outputs, r.bound * (1.0 + _MET), r.name))
    return goals


def shifted(loop: LFT, decay: float) -> LFT:
    """The loop with its poles moved to the right: stable where all poles decay faster."""
    moved = [decay if b.kind == "state" else 0.0 for b in loop.blocks for _ in range(b.size)]
    return replace(loop, M11=loop.M11 + np.diag(moved))


def _channel(loop: LFT, r: Gain) -> LFT:
    """The weighted transfer of a requirement."""
    rows = [loop.outputs.index(n) for n in r.outputs]
    columns = [loop.inputs.index(n) for n in r.inputs]
    T = loop.part(rows, columns)
    if r.scale != 1.0:
        T = r.scale * T
    if r.offset is not None:
        T = T + constant(r.offset)
    for weight, first in ((r.before, True), (r.after, False)):
        if weight is None:
            continue
        W = system_lft(weight)
        count = T.shape[1] if first else T.shape[0]
        W = append(*[W] * count) if W.shape == (1, 1) and count > 1 else W
        T = T @ W if first else W @ T
    inputs, outputs = (tuple(f"{s}{k}" for k in range(n)) for s, n in (("in", T.shape[1]), ("out", T.shape[0])))
    return replace(T, inputs=inputs, outputs=outputs)


def _proven(
    result: TuneResult,
    goals: Sequence[_Goal],
    left: Callable[[], float],
    answer: Callable[..., TuneResult],
    joined: int,
) -> TuneResult:
    """Prove each goal in the time that is left."""
    proof: Robustness | None = None
    for k, goal in enumerate(goals):
        seconds = max(left() / (len(goals) - k), 1.0)
        if not goal.outputs:
            proof = robust_stability(goal.loop, level=1.0, seconds=seconds)
            ok, why = proof.guaranteed, proof.message
        else:
            gain = worst_gain(goal.loop, goal.inputs, goal.outputs, bound=goal.bound, seconds=seconds)
            ok, why = gain.complete and np.isfinite(gain.upper), gain.message
        if not ok:
            return answer(result, proof, f"no values break '{goal.name}', but it is not proven: {why}", met=False)
    models = "the middle of the ranges" if not joined else f"the middle and {joined} worst values"
    what = ", ".join(goal.name for goal in goals)
    return answer(result, proof, f"tuned on {models}, proven over all ranges: {what}", met=True)
