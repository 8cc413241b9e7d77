"""Structured synthesis: the numbers of a controller that meet hard requirements and minimise soft ones.

The method is that of non-smooth H-infinity synthesis (Apkarian and Noll, IEEE TAC 2006; HIFOO, Burke and others
2006): the spectral abscissa is brought below zero, then the worst requirement is minimised by BFGS from several starts,
then a bundle over all nearly active peaks polishes the best one. Hard requirements are weighted more and more
until they are met.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.control.structured.certificate import Check, certify
from dalembert.control.structured.nonsmooth import Budget, bfgs, bundle
from dalembert.control.structured.objective import Objective, ranges
from dalembert.control.structured.plants import LoopPlant, loop_plant, named_plants
from dalembert.control.structured.requirements import Requirement
from dalembert.control.structured.structures import Structure
from dalembert.control.structured.terms import Term, terms_of
from dalembert.core.errors import InputError
from dalembert.core.types import Array

if TYPE_CHECKING:
    import control

__all__ = ["TuneResult", "tune"]

_MET = 1e-3  # hard requirements count as met up to here above one


@dataclass(frozen=True, eq=False)
class TuneResult:
    """A tuned controller.

    Parameters
    ----------
    status
        ``"met"``: stable, all hard requirements met; ``"missed"``: stable, some hard requirement not met;
        ``"unstable"``: no stabilising numbers were found.
    message
        What was reached, and the reason where it was not.
    values
        The numbers by name.
    at_bound
        Numbers that ended at a bound.
    requirements
        Value of each requirement by (name, plant), met where at most one.
    checks
        The same, and the poles, computed another way.
    history
        Worst requirement after each start and each polish.
    structure
        The structure.
    seconds, evaluations
        Cost.
    """

    status: str
    message: str
    values: dict[str, float]
    at_bound: tuple[str, ...]
    requirements: dict[tuple[str, str], float]
    checks: tuple[Check, ...]
    history: tuple[tuple[str, float], ...]
    structure: Structure
    seconds: float
    evaluations: int
    hard: float = np.nan
    soft: float = np.nan

    @property
    def certified(self) -> bool:
        """Whether the loop is stable and the independent computation agrees everywhere."""
        return self.status != "unstable" and all(c.ok for c in self.checks)

    @property
    def matrices(self) -> tuple[Array, Array, Array, Array]:
        """``A, B, C, D`` of the controller, from errors to controls."""
        import casadi as ca

        x = ca.DM(list(self.values.values()))
        parts = [np.array(ca.DM(ca.densify(ca.SX(m))).full()) for m in self.structure.matrices(x)]
        return parts[0], parts[1], parts[2], parts[3]

    @property
    def controller(self) -> control.StateSpace:
        """The controller as a python-control system, from errors to controls."""
        import control

        s = self.structure
        labels = {"inputs": [f"e_{n}" for n in s.measured], "outputs": list(s.controls)}
        return control.ss(*self.matrices, **labels, name="controller")

    def __str__(self) -> str:
        rows = [f"{self.status}: {self.message}"]
        rows += [f"  {name:<28} {value:.6g}" for name, value in self.values.items()]
        rows += [f"  {name} [{plant}]: {value:.6g}" for (name, plant), value in self.requirements.items()]
        return "\n".join(rows)


@dataclass
class _Search:
    """What is known so far."""

    y: Array | None = None
    value: float = np.inf
    history: list[tuple[str, float]] = field(default_factory=list)

    def offer(self, label: str, y: Array, value: float) -> None:
        self.history.append((label, float(value)))
        if value < self.value:
            self.y, self.value = y, value


def tune(
    plant: control.StateSpace | Sequence[control.StateSpace] | Mapping[str, control.StateSpace],
    structure: Structure,
    *,
    hard: Sequence[Requirement] = (),
    soft: Sequence[Requirement] = (),
    starts: int = 5,
    seed: int = 0,
    time_limit: float = 60.0,
    frequency: float | None = None,
    progress: Callable[[str, float], object] | None = None,
) -> TuneResult:
    """Tune a structured controller on one or several plants.

    Parameters
    ----------
    plant
        Continuous plant with named inputs and outputs (as `dalembert.linearize` returns it), or several of them, which
        one controller must serve.
    structure
        The controller's structure.
    hard
        Requirements that must be met.
    soft
        Requirements of which the largest is minimised. Without any, tuning ends where the hard ones are met.
    starts
        Number of starts: the first from the structure's own values, the others from random ones.
    seed
        Seed of the random starts.
    time_limit
        Seconds after which the best so far is returned.
    frequency
        Typical frequency of the closed loop [rad/s], from which the size of gains is guessed; default from the poles.
    progress
        Called as ``progress(what, worst)`` after each start and polish.

    Returns
    -------
    TuneResult
        Never fails for lack of a solution: its status and message say what was reached.

    Examples
    --------
    >>> import control
    >>> mass = control.ss([[0, 1], [0, 0]], [[0], [1]], [[1, 0], [0, 1]], 0, inputs=["f"], outputs=["x", "v"])
    >>> from dalembert.control.structured import ControllerGain, Gain, pd_gains
    >>> stiff = [Gain("f", "x")]
    >>> result = tune(mass, pd_gains({"f": ("x", "v")}), soft=stiff, hard=[ControllerGain(10.0)], starts=1)
    >>> result.status, round(max(result.requirements.values()), 3) <= 1.001
    ('met', True)
    """
    began = perf_counter()
    named = named_plants(plant)
    plants = [loop_plant(system, structure, name) for name, system in named.items()]
    if not (hard or soft):
        raise InputError("tune needs at least one requirement, hard or soft")
    if not structure.tunables:
        raise InputError("the structure has nothing to tune")
    if not (isinstance(starts, int) and starts >= 1):
        raise InputError(f"starts must be a whole number >= 1, got {starts!r}")
    if not (np.isfinite(time_limit) and time_limit > 0):
        raise InputError(f"time_limit must be a positive number of seconds, got {time_limit!r}")
    terms: dict[str, list[Term]] = {
        kind: [t for r in asked for t in terms_of(r, plants, structure)]
        for kind, asked in (("hard", hard), ("soft", soft))
    }
    limits = ranges(structure, plants, frequency)
    objective = Objective(structure, plants, terms["hard"], terms["soft"], limits)
    budget = Budget(time_limit)
    y, search, least = _solve(objective, budget, starts, np.random.default_rng(seed), progress)
    cost: dict[str, Any] = {"seconds": perf_counter() - began, "evaluations": budget.evaluations}
    if y is None:
        start = objective.numbers(objective.start())
        reason = f"no start could be stabilised; the least spectral abscissa found is {least:.4g} 1/s"
        if budget.spent:
            reason += f" (time limit of {time_limit:g} s reached)"
        names = [t.name for t in structure.tunables]
        nothing = dict(zip(names, start.tolist(), strict=True))
        return TuneResult("unstable", reason, nothing, (), {}, (), tuple(search.history), structure, **cost)
    x = objective.numbers(y)
    return _result(objective, plants, named, x, search, hard, soft, budget, time_limit, cost)


def _solve(
    objective: Objective,
    budget: Budget,
    starts: int,
    rng: np.random.Generator,
    progress: Callable[[str, float], object] | None,
) -> tuple[Array | None, _Search, float]:
    """Best variables; raises the weight of the hard requirements until they are met."""
    tell = progress or (lambda what, value: None)
    search, least = _Search(), np.inf
    weight = 1.0

    def value(y: Array) -> tuple[float, Array]:
        return objective.worst(y, weight)

    only_hard = not objective.soft
    enough = (lambda f: f <= 1.0) if only_hard else None
    first = objective.start()
    for k in range(starts):
        if budget.spent or (only_hard and search.value <= 1.0):
            break
        size = 1.0 if k % 3 else 0.1 if k % 2 else 10.0
        y = first if k == 0 else first + size * rng.normal(size=len(first))
        a, _ = objective.abscissa(y)
        if a >= 0.0:
            y, a = bfgs(objective.abscissa, y, budget, max_iterations=300, stop=lambda f: f < -1e-3)
        least = min(least, a)
        if a >= 0.0:
            search.history.append((f"start {k + 1}: not stabilised", float(a)))
            tell(f"start {k + 1}: not stabilised", float(a))
            continue
        share = Budget(max(0.1, 0.6 * budget.seconds / starts), began=perf_counter())
        y, f = bfgs(value, y, share, max_iterations=400, stop=enough)
        budget.evaluations += share.evaluations
        search.offer(f"start {k + 1}", y, f)
        tell(f"start {k + 1}", f)
    if search.y is None:
        return None, search, least
    best, best_soft = search.y, np.inf
    low, high = 0.0, np.inf  # weights known to be too small, and large enough
    for step in range(12):
        y, f = _polish(objective, value, search.y, search.value, weight, budget, enough)
        search.y, search.value = y, f
        search.history.append((f"polish {step + 1}, weight {weight:.3g}", f))
        tell(f"polish {step + 1}", f)
        if only_hard or not objective.hard:
            return y, search, least
        h, s = _split(objective, y)
        if h <= 1.0 + _MET:
            if s < best_soft:
                best, best_soft = y, s
            high = weight
            if h >= 0.98 or weight <= 1e-6:
                break
        else:
            low = weight
            if not np.isfinite(best_soft):
                best = y
        if budget.spent:
            break
        following = np.sqrt(low * high) if low > 0 and np.isfinite(high) else weight * (0.1 if h <= 1.0 else 10.0)
        if np.isfinite(high) and low > 0 and high / low < 1.02:
            break
        weight = float(following)
        search.value = value(search.y)[0]
    return best, search, least


def _split(objective: Objective, y: Array) -> tuple[float, float]:
    """Worst hard and worst soft requirement."""
    K = objective.gain(objective.numbers(y))
    worst = [max((t.pieces(K, 1.0)[0].value for t in terms), default=0.0) for terms in (objective.hard, objective.soft)]
    return worst[0], worst[1]


def _polish(
    objective: Objective, value: Any, y: Array, f: float, weight: float, budget: Budget, enough: Any
) -> tuple[Array, float]:
    for _ in range(6):
        before = f
        if budget.spent or (enough is not None and enough(f)):
            break
        y, f = bundle(value, lambda x: objective.pieces(x, weight), y, f, budget)
        again, g = bfgs(value, y, budget, max_iterations=200, stop=enough)
        if g < f:
            y, f = again, g
        if before - f < 1e-6 * abs(before):
            break
    return y, f


def _result(
    objective: Objective,
    plants: list[LoopPlant],
    given: Mapping[str, control.StateSpace],
    x: Array,
    search: _Search,
    hard: Sequence[Requirement],
    soft: Sequence[Requirement],
    budget: Budget,
    time_limit: float,
    cost: dict[str, Any],
) -> TuneResult:
    structure = objective.structure
    names = [t.name for t in structure.tunables]
    values = objective.values(x)
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
    if budget.spent:
        message += f" (time limit of {time_limit:g} s reached)"
    at_bound = tuple(n for n, r, v in zip(names, objective.limits, x, strict=True) if r.ends_at_bound(float(v)))
    if at_bound:
        message += f"; at a bound: {', '.join(at_bound)}"
    checks = certify(given, structure, x, [*hard, *soft], values)
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
