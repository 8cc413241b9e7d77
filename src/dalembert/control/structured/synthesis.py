"""Structured synthesis: the numbers of a controller that meet hard requirements and minimise soft ones.

The method is that of non-smooth H-infinity synthesis (Apkarian and Noll, IEEE TAC 2006; HIFOO, Burke and others
2006): the spectral abscissa is brought below zero, then the worst requirement is minimised by BFGS from several starts,
then a bundle over all nearly active peaks polishes the best one. Hard requirements are weighted more and more
until they are met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.control.structured.certificate import Check, certify
from dalembert.control.structured.mixtures import gain_mixture
from dalembert.control.structured.nonsmooth import Budget, Function, bfgs, bfgs_of, bundle
from dalembert.control.structured.objective import Objective
from dalembert.control.structured.plants import LoopPlant, loop_plant
from dalembert.control.structured.requirements import Requirement
from dalembert.control.structured.results import TuneResult, TuneSettings
from dalembert.control.structured.scales import ranges, typical_frequencies
from dalembert.control.structured.structures import Structure
from dalembert.control.structured.terms import GainTerm, Term, terms_of
from dalembert.core.types import Array

if TYPE_CHECKING:
    import control

__all__ = ["tune_models"]

_NEAR = 10  # starts about typical sizes of gains, before those with larger ones
_MIXED = 14  # starts before those along mixtures of gains
_SHAKES = 24  # descents from nearby gains at most, where only one start has reached the least value
_SIZES = (0.03, 0.01, 0.1, 0.003)  # of shakes, relative
_SHAKE = 500  # evaluations of a shake
_GAIN = 1e-4  # relative gain of a shake that counts
_ALIKE = 0.01  # relative difference up to which two starts have reached the same value
_SHARES = 8  # least number of shares of the budget, of which each start has one
_LEAST_POLISH = 2000  # evaluations that polishing may take at least
_MET = 1e-3  # hard requirements count as met up to here above one


Place = tuple[Objective, Array]  # variables, and the function of them with its scales


@dataclass
class _Search:
    """State of the search."""

    place: Place | None = None
    value: float = np.inf
    weight: float = 1.0  # of hard requirements beside soft ones
    history: list[tuple[str, float]] = field(default_factory=list)
    offered: list[tuple[float, Place]] = field(default_factory=list)
    omega: float = 1.0  # typical frequency [rad/s]
    alone: bool = False  # whether only one of several starts has reached the least value

    def offer(self, label: str, objective: Objective, y: Array, value: float) -> None:
        place = (objective, y)
        self.history.append((label, float(value)))
        self.offered.append((float(value), place))
        if value < self.value:
            self.place, self.value = place, value

    def worst(self, objective: Objective) -> Function:
        """The minimised function: the worst requirement, hard ones with their weight."""
        return lambda y: objective.worst(y, self.weight)

    def enough(self, objective: Objective) -> Callable[[float], bool] | None:
        """Where the search may end: hard requirements alone are met."""
        return None if objective.soft else lambda f: f <= 1.0

    def compare(self, best: Place, value: float) -> None:
        """Note whether another start has come near to the value of the best one, with the same weight."""
        rest = [v for v, place in self.offered if place is not best]
        self.alone = bool(rest) and min(rest) > (1.0 + _ALIKE) * value

    def others(self, count: int) -> list[tuple[float, Place]]:
        """The next best starts that ended elsewhere, and not far above."""
        starts: list[tuple[float, Place]] = []
        last = self.value
        for value, place in sorted(self.offered, key=lambda item: item[0]):
            if last * (1.0 + 1e-4) < value < 1.3 * self.value and len(starts) < count:
                starts.append((value, place))
                last = value
        return starts


def tune_models(
    plants: Mapping[str, control.StateSpace],
    structure: Structure,
    hard: Sequence[Requirement],
    soft: Sequence[Requirement],
    settings: TuneSettings,
) -> TuneResult:
    """Tune a structured controller on plants by name (see `tune`)."""
    began = perf_counter()
    loops = [loop_plant(system, structure, name) for name, system in plants.items()]
    terms: dict[str, list[Term]] = {
        kind: [t for r in asked for t in terms_of(r, loops, structure, settings.fast_poles)]
        for kind, asked in (("hard", hard), ("soft", soft))
    }
    asked = [*hard, *soft]
    middles = typical_frequencies(loops, structure.order, asked)
    frequencies = [settings.omega] if settings.omega is not None else middles
    limits = ranges(structure, loops, frequencies[0])
    objective = Objective(structure, loops, terms["hard"], terms["soft"], limits)
    budget = Budget(settings.limit, np.inf if settings.time_limit is None else settings.time_limit)
    search = _Search(omega=frequencies[0])
    starts = _starts(objective, loops, frequencies, settings)
    simpler = _contained(plants, structure, hard, soft, settings)
    if simpler is not None:
        inner, x = simpler
        budget.evaluations += inner.evaluations
        starts = chain([(objective, objective.variables(x.tolist()))], starts)
    least = _from_starts(search, budget, starts, 1e-3 * frequencies[0], settings)
    place = _finish(search, budget, settings.progress)
    cost: dict[str, Any] = {"seconds": perf_counter() - began, "evaluations": budget.evaluations}
    if place is None:
        start = objective.numbers(objective.start())
        reason = f"no start could be stabilised; the least spectral abscissa found is {least:.4g} 1/s"
        if budget.spent:
            reason += f" ({budget.reason})"
        names = [t.name for t in structure.tunables]
        nothing = dict(zip(names, start.tolist(), strict=True))
        return TuneResult("unstable", reason, nothing, (), {}, (), tuple(search.history), structure, **cost)
    best = _certified_result(place, loops, plants, search, hard, soft, budget, cost)
    if simpler is not None and inner.status == "met" and (best.status != "met" or best.soft > inner.soft):
        same = _result(objective, loops, plants, x, search, hard, soft, budget, cost)
        return same if same.status == "met" else best
    return best


def _contained(
    plants: Mapping[str, control.StateSpace],
    structure: Structure,
    hard: Sequence[Requirement],
    soft: Sequence[Requirement],
    settings: TuneSettings,
) -> tuple[TuneResult, Array] | None:
    """The result of the simpler structure that a structure contains, and its numbers as those of this one."""
    if structure.contained is None or any(t.start is not None for t in structure.tunables):
        return None
    simpler, embedded = structure.contained
    few = replace(settings, starts=min(settings.starts, 6), evaluations=max(settings.limit // 4, 1))
    result = tune_models(plants, simpler, hard, soft, few)
    return None if result.status == "unstable" else (result, embedded(np.array(list(result.values.values()))))


def _starts(
    objective: Objective, plants: Sequence[LoopPlant], frequencies: Sequence[float], settings: TuneSettings
) -> Iterator[Place]:
    """Starts: the structure's own values, then random ones.

    Every second one has gains of equal scale and begins near the open loop, with variables of size 1, 0.3 and 3 in
    turn. The others are about the gains of half a decade above the typical frequencies, below them, a decade above, and
    at them, by 3, 0.1 and 1. After the first ten, gains have one scale about and above the mean of their sizes: gains
    that cancel each other are reached from there. From the fifteenth on they move along mixtures (`gain_mixture`).
    """
    rng = np.random.default_rng(settings.seed)
    yield objective, objective.start()
    for k in range(1, settings.starts):
        step = k // 2
        w = frequencies[step % len(frequencies)]
        noise = rng.normal(size=len(objective.limits))
        if k >= _MIXED:
            mixture = gain_mixture(objective, w * 10.0 ** rng.uniform(-0.5, 0.5))
            if mixture is not None:
                yield objective.mixed(10.0 ** rng.uniform(0.0, 1.5) * mixture), noise
                continue
        if k >= _NEAR:
            size = partial(_mean, times=(100.0, 10.0, 1.0)[k % 3])
            yield objective.scaled(ranges(objective.structure, plants, w, alike=size)), noise
            continue
        if k % 2:
            alike = objective.scaled(ranges(objective.structure, plants, w, alike=np.min))
            yield alike, alike.start() + (1.0, 0.3, 3.0)[step % 3] * noise
            continue
        w *= 10.0 ** ((0, 1, -1, 2)[(step // len(frequencies)) % 4] / 2.0)
        y = objective.variables([r.start for r in ranges(objective.structure, plants, w)])
        yield objective, y + (1.0, 3.0, 0.1)[step % 3] * noise


def _mean(sizes: Array, times: float) -> float:
    """A multiple of the geometric mean."""
    return times * float(np.exp(np.log(sizes).mean()))


def _from_starts(
    search: _Search, budget: Budget, starts: Iterator[Place], decay: float, settings: TuneSettings
) -> float:
    """Descend from each start until hard requirements alone are met; the least spectral abscissa.

    A start that is not stable is first brought to a rate of ``decay`` [1/s].
    """
    tell = settings.progress or (lambda what, value: None)
    least = np.inf
    share = 0.6 * settings.limit / max(settings.starts, _SHARES)
    for k, (objective, start) in enumerate(starts):
        free = np.array([not t.hold for t in objective.structure.tunables])
        enough = search.enough(objective)
        if budget.spent or (enough is not None and enough(search.value)):
            break
        y, a, own = start, objective.abscissa(start)[0], budget.part(share)
        for some in (free, np.ones(len(y), dtype=bool)):
            if a >= 0.0 and some.any():
                y, a = bfgs_of(objective.abscissa, y, some, own, max_iterations=300, stop=lambda f: f < -decay)
        least = min(least, a)
        label = f"start {k + 1}" if a < 0.0 else f"start {k + 1}: not stabilised"
        if a < 0.0:
            if search.place is None:
                search.weight = _first_weight(objective, y)
            f = search.worst(objective)(y)[0]
            for some in ([free] if not free.all() and free.any() else []) + [np.ones(len(y), dtype=bool)]:
                y, f = bfgs_of(search.worst(objective), y, some, own, max_iterations=400, stop=enough)
            search.offer(label, objective, y, f)
        else:
            f = a
            search.history.append((label, float(a)))
        budget.evaluations += own.evaluations
        tell(label, float(f))
    return least


def _first_weight(objective: Objective, y: Array) -> float:
    """Weight of hard requirements with which they begin near the soft ones, whatever the units of these are."""
    if not (objective.hard and objective.soft):
        return 1.0
    h, soft = _split(objective, y)
    return float(np.sqrt(soft / h)) if 0.0 < h < np.inf and 0.0 < soft < np.inf else 1.0


def _finish(search: _Search, budget: Budget, progress: Callable[[str, float], object] | None) -> Place | None:
    """Polish the best starts; with hard and soft requirements, try up to 16 weights until the hard are just met."""
    if search.place is None:
        return None
    tell = progress or (lambda what, value: None)
    whole, budget = budget, budget.part(max(_LEAST_POLISH, 2 * budget.evaluations))  # a factor of what starts cost
    best = _polished(search, budget, tell)
    whole.evaluations += budget.evaluations
    return best


def _polished(search: _Search, budget: Budget, tell: Callable[[str, float], object]) -> Place:
    assert search.place is not None
    for f, (objective, y) in search.others(2):  # a start that ended early may lead lower than the best one
        if not budget.spent:
            search.offer("polish of another start", objective, *_polish(objective, search, y, f, budget))
    leader = search.place
    objective, y = leader
    enough = search.enough(objective)
    best, best_soft = y, np.inf
    low: tuple[float, float] | None = None  # weight that is too small, and the worst hard requirement with it
    high: tuple[float, float] | None = None  # weight that is large enough
    for step in range(16):
        y, f = _polish(objective, search, y, search.value, budget)
        if step == 0:
            search.compare(leader, f)
        search.place, search.value = (objective, y), f
        search.history.append((f"polish {step + 1}, weight {search.weight:.3g}", f))
        tell(f"polish {step + 1}", f)
        if enough is not None or not objective.hard:
            return _shaken(search, budget, tell) if search.alone else search.place
        h, s = _split(objective, y)
        if h <= 1.0 + _MET:
            if s < best_soft:
                best, best_soft = y, s
            high = (search.weight, h)
        else:
            low = (search.weight, h)
            if not np.isfinite(best_soft):
                best = y
        if budget.spent or 0.99 <= h <= 1.0 + _MET or (low and high and high[0] < 1.01 * low[0]):
            break
        search.weight = _next_weight(search.weight, h, low, high)
        search.value = search.worst(objective)(y)[0]
    return objective, best


def _shaken(search: _Search, budget: Budget, tell: Callable[[str, float], object]) -> Place:
    """Leave the kinks at which a polish has stalled: descend again from nearby gains along a mixture.

    It ends after as many shakes without a gain as there are sizes.
    """
    assert search.place is not None
    rng, idle = np.random.default_rng(0), 0
    for k in range(_SHAKES):
        objective, y = search.place
        x, size = objective.numbers(y), _SIZES[k % len(_SIZES)]
        plain = objective.mixed(None)
        mixture = gain_mixture(plain, search.omega)
        if mixture is None or budget.spent or idle > len(_SIZES):
            break
        mixed = plain.mixed(mixture)
        y = mixed.variables(x.tolist())
        y = y + size * float(np.linalg.norm(y)) / np.sqrt(len(y)) * rng.normal(size=len(y))
        own = budget.part(_SHAKE)
        if mixed.abscissa(y)[0] < 0.0:
            y, f = bfgs(search.worst(mixed), y, own, max_iterations=300)
            budget.evaluations += own.evaluations
            idle = 0 if f < (1.0 - _GAIN) * search.value else idle + 1
            if f < search.value:
                search.place, search.value = (mixed, y), f
        search.history.append((f"shake {k + 1}", search.value))
        tell(f"shake {k + 1}", search.value)
    return search.place


def _next_weight(weight: float, h: float, low: tuple[float, float] | None, high: tuple[float, float] | None) -> float:
    """The weight with which the worst hard requirement should be one."""
    if low is None or high is None:
        # Where both are active the soft ones stand at weight times h: with that as weight the hard ones are near one.
        return weight * float(np.clip(0.98 * h, 1e-3, 0.5) if h <= 1.0 else np.clip(1.02 * h, 2.0, 1e3))
    (w0, h0), (w1, h1) = low, high
    fraction = np.log(h0) / max(np.log(h0) - np.log(max(h1, 1e-12)), 1e-12)
    return float(w0 * (w1 / w0) ** np.clip(fraction, 0.1, 0.9))


def _split(objective: Objective, y: Array) -> tuple[float, float]:
    """Worst hard and worst soft requirement."""
    K = objective.gain(objective.numbers(y))
    worst = [max((t.pieces(K, 1.0)[0].value for t in terms), default=0.0) for terms in (objective.hard, objective.soft)]
    return worst[0], worst[1]


def _polish(objective: Objective, search: _Search, y: Array, f: float, budget: Budget) -> tuple[Array, float]:
    value, enough = search.worst(objective), search.enough(objective)
    for _ in range(6):
        before = f
        if budget.spent or (enough is not None and enough(f)):
            break
        y, f = bundle(value, lambda x: objective.pieces(x, search.weight), y, f, budget)
        again, g = bfgs(value, y, budget, max_iterations=200, stop=enough)
        if g < f:
            y, f = again, g
        if before - f < 1e-6 * abs(before):
            break
    return y, f


def _certified_result(
    place: Place,
    plants: list[LoopPlant],
    models: Mapping[str, control.StateSpace],
    search: _Search,
    hard: Sequence[Requirement],
    soft: Sequence[Requirement],
    budget: Budget,
    cost: dict[str, Any],
) -> TuneResult:
    """The result of the best numbers.

    Without hard requirements gains may grow until rounding spoils the norm. The next best start with a certificate is
    then polished and returned.
    """
    objective, y = place

    def result(objective: Objective, y: Array) -> TuneResult:
        return _result(objective, plants, models, objective.numbers(y), search, hard, soft, budget, cost)

    best = result(objective, y)
    if best.certified or hard:
        return best
    for value, (other, z) in sorted(search.offered, key=lambda item: item[0]):
        start = result(other, z)
        if start.certified:
            polished = result(other, _polish(other, search, z, value, Budget(_LEAST_POLISH))[0])
            next_best = polished if polished.certified and polished.soft < start.soft else start
            return replace(next_best, message=f"{next_best.message}; {best.soft:.6g} has no certificate")
    return best


def _feasible(asked: Requirement, value: float) -> str:
    """Numbers of a requirement that the gains reach, in words, for a value relative to it."""
    if not np.isfinite(value) or value <= 0.0:
        return ""
    factors = {"decay": 1.0 / value, "damping": 1.0 / value, "omega": value, "bound": value}
    bounds = {key: getattr(asked, key, None) for key in factors}
    reached = [f"{key} {bound * factors[key]:.4g}" for key, bound in bounds.items() if isinstance(bound, int | float)]
    return f": {', '.join(reached)} is feasible" if reached else ""


def _result(
    objective: Objective,
    plants: list[LoopPlant],
    models: Mapping[str, control.StateSpace],
    x: Array,
    search: _Search,
    hard: Sequence[Requirement],
    soft: Sequence[Requirement],
    budget: Budget,
    cost: dict[str, Any],
) -> TuneResult:
    structure = objective.structure
    names = [t.name for t in structure.tunables]
    claims = objective.claims(x)
    values = {key: claim.value for key, claim in claims.items()}
    worst_hard = max((values[t.name, t.plant] for t in objective.hard), default=np.nan)
    worst_soft = max((values[t.name, t.plant] for t in objective.soft), default=np.nan)
    met = not objective.hard or worst_hard <= 1.0 + _MET
    parts = []
    if objective.hard:
        parts.append(f"hard requirements at {worst_hard:.6g}")
    if objective.soft:
        parts.append(f"soft ones at {worst_soft:.6g}")
    message = ", ".join(parts)
    if not met:
        name, plant = max(((t.name, t.plant) for t in objective.hard), key=lambda key: values[key])
        where = f" on '{plant}'" if plant and len(plants) > 1 else ""
        message += f"; '{name}'{where} could not be met with this structure and these bounds"
        asked = next(r for r in hard if r.name == name)
        message += _feasible(asked, max(v for (key, _), v in values.items() if key == name))
    if budget.spent:
        message += f" ({budget.reason})"
    at_bound = tuple(n for n, r, v in zip(names, objective.limits, x, strict=True) if r.ends_at_bound(float(v)))
    if at_bound:
        message += f"; at a bound: {', '.join(at_bound)}"
    if objective.soft and search.alone:
        message += "; only one start reached this value: more starts may reach a lower one"
    fast = _limited(objective, x)
    if fast:
        message += f"; the limit on fast poles binds ({', '.join(fast)}): see fast_poles"
    checks = certify(models, structure, x, [*hard, *soft], claims)
    message += "".join(f"; not certified: {failure}" for failure in _failures(checks))
    met = met and all(c.ok for c in checks)
    return TuneResult(
        "met" if met else "missed",
        message,
        dict(zip(names, x.tolist(), strict=True)),
        at_bound,
        values,
        checks,
        tuple(search.history),
        structure,
        hard=worst_hard,
        soft=worst_soft,
        **cost,
    )


def _limited(objective: Objective, x: Array) -> list[str]:
    """Requirements whose loops have poles as fast as the search allows."""
    K = objective.gain(x)
    terms = [t for t in (*objective.hard, *objective.soft) if isinstance(t, GainTerm)]
    return [f"'{t.name}'" + (f" on '{t.plant}'" if t.plant else "") for t in terms if t.at_limit(K)]


def _failures(checks: Sequence[Check]) -> list[str]:
    """Claims that a certificate does not confirm."""
    reasons = []
    for c in checks:
        if c.ok:
            continue
        where = f"'{c.requirement}'" + (f" on '{c.plant}'" if c.plant else "")
        if not c.proven:
            reasons.append(f"{where} reaches {c.claimed:.6g}, and no bound above that could be proven")
        elif np.isnan(c.claimed):
            reasons.append(f"{where}: a pole computed another way lies at {c.computed:.4g} 1/s")
        else:
            reasons.append(f"{where} is {c.claimed:.6g}, computed another way {c.computed:.6g}")
    return reasons
