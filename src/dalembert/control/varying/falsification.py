"""A search for variations of parameters that make a loop unstable: the counterpart of a proof.

Periodic variations within ranges and rates are tried, each judged by its Floquet multiplier: the largest eigenvalue of
the transition matrix of one period. Above one, the variation makes the loop diverge, which refutes stability. If none
is found, nothing is proven.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral

import numpy as np

from dalembert.control.mu.machine import without_errors
from dalembert.control.uncertain.blocks import DeltaBlock, slices
from dalembert.control.uncertain.lft import LFT
from dalembert.control.uncertain.model import UncertainMachine, steepest
from dalembert.control.varying.proofs import checked_rates
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["Falsification", "falsify"]

_STEPS = 64  # of a period in the search; a result is confirmed with four times as many
_BEST = 3  # starts of the local search


@dataclass(frozen=True, eq=False)
class Falsification:
    """Result of a search for a variation that makes a loop diverge.

    Parameters
    ----------
    broken
        Whether one was found.
    growth
        Growth rate [1/s] of the worst variation that was found: positive if the loop diverges.
    period
        Its period [s].
    t, numbers
        Times of one period, and the numbers of the blocks at them.
    evaluations
        Number of variations that were tried.
    message
        The result in words.
    """

    broken: bool
    growth: float
    period: float
    t: Array = field(repr=False)
    numbers: dict[str, Array] = field(repr=False)
    evaluations: int
    message: str


def falsify(
    loop: LFT,
    rates: Mapping[str, float] | None = None,
    *,
    model: UncertainMachine | None = None,
    evaluations: int = 2000,
    seed: int = 0,
    progress: Callable[[int, float], object] | None = None,
) -> Falsification:
    """Search for a variation of parameters, within ranges and rates, that makes a loop diverge.

    Blocks of finite rate follow trapezoids of their largest slope, blocks that may jump follow square waves, and blocks
    of rate zero are constants. Coordinates of the ``motion`` of a model follow sines, and their rates and accelerations
    follow from them.

    Parameters
    ----------
    loop, rates
        As in `varying_stability`.
    model
        The model of the machine in the loop, if it has a ``motion``.
    evaluations
        Number of variations to try.
    seed
        Seed of the random ones; the best of them are improved by a local search.
    progress
        Called as ``progress(evaluations, growth)`` now and then.

    Examples
    --------
    A stiffness that varies by half makes a lightly damped oscillator diverge:

    >>> import control
    >>> from dalembert.control.uncertain import constant, parameter, system_lft
    >>> stiffness = constant([[0.0], [-0.5]]) @ parameter("k") @ constant([[1.0, 0.0]])
    >>> A = constant([[0.0, 1.0], [-1.0, -0.1]]) + stiffness
    >>> integrators = system_lft(control.ss(np.zeros((2, 2)), np.eye(2), np.eye(2), 0))
    >>> loop = integrators.feedback(-A, integrators.outputs, integrators.inputs)
    >>> falsify(loop, {"k": 2.0}, evaluations=200).broken, falsify(loop, {"k": 0.0}, evaluations=200).broken
    (True, False)
    """
    if not (isinstance(evaluations, Integral) and int(evaluations) >= 1):
        raise InputError(f"evaluations must be a whole number >= 1, got {evaluations!r}")
    search = _Search(loop, rates, model)
    rng = np.random.default_rng(seed)
    tried: list[tuple[float, Array]] = []
    local = evaluations // 2 if evaluations >= 20 else 0
    for k in range(evaluations - local):
        x = rng.uniform(-1.0, 1.0, search.size)
        tried.append((search.growth(x), x))
        if progress is not None and k % 50 == 0:
            progress(k, max(g for g, _ in tried))
    tried.sort(key=lambda item: -item[0])
    if local and search.size:
        from scipy.optimize import minimize

        for _, x in tried[:_BEST]:
            limit = {"maxfev": max(local // _BEST, 1), "xatol": 1e-4, "fatol": 1e-9}
            found = minimize(lambda y: -search.growth(y), x, method="Nelder-Mead", options=limit)
            tried.append((-float(found.fun), np.asarray(found.x)))
            if progress is not None:
                progress(search.count, max(g for g, _ in tried))
    _, x = max(tried, key=lambda item: item[0])
    growth = search.growth(x, 4 * _STEPS)
    period, t, numbers = search.variation(x, 4 * _STEPS)
    broken = growth > 1e-9 * search.fastest
    if broken:
        message = f"a variation with a period of {period:.4g} s makes the loop diverge at {growth:.4g} 1/s"
    else:
        message = f"none of {search.count} variations makes the loop diverge: the slowest decay is {-growth:.4g} 1/s"
    return Falsification(broken, growth, period, t, numbers, search.count, message)


class _Search:
    """Variations by numbers between -1 and 1, and their growth."""

    def __init__(self, loop: LFT, rates: Mapping[str, float] | None, model: UncertainMachine | None) -> None:
        system, every = loop.state_space()
        (self.A, self.B, self.C, self.D), blocks = without_errors(system, every)
        self.blocks: list[DeltaBlock] = [b for b in blocks if b.size]
        odd = [b.name for b in self.blocks if b.kind != "real"]
        if odd:
            raise InputError(f"falsify varies real parameters only, and block '{odd[0]}' is none: close it first")
        n = sum(b.size for b in self.blocks)
        self.B, self.C, self.D = self.B[:, :n], self.C[:n], self.D[:n, :n]
        self.rates = checked_rates(every, rates)
        self.model = model
        motion = {} if model is None else model.motion
        self.tied = {f"{m}.{what}": m for m in motion for what in ("rate", "acceleration")}
        self.free = sorted({b.name for b in self.blocks} | set(motion) if motion else {b.name for b in self.blocks})
        self.free = [name for name in self.free if name not in self.tied]
        self.size = 1 + 3 * len(self.free)
        poles = np.abs(np.linalg.eigvals(self.A)) if self.A.size else np.ones(1)
        self.fastest = float(poles.max()) or 1.0
        slow = float(poles[poles > 1e-9 * self.fastest].min(initial=self.fastest))
        self.periods = (0.3 * 2.0 * np.pi / self.fastest, 10.0 * 2.0 * np.pi / slow)
        self.count = 0

    def variation(self, x: Array, steps: int) -> tuple[float, Array, dict[str, Array]]:
        """Period, times in the middle of its steps, and numbers of the blocks at them."""
        x = np.clip(x, -1.0, 1.0)
        low, high = np.log(self.periods)
        period = float(np.exp(low + (high - low) * 0.5 * (1.0 + x[0])))
        s = (np.arange(steps) + 0.5) / steps
        numbers: dict[str, Array] = {}
        for k, name in enumerate(self.free):
            middle, share, phase = x[1 + 3 * k : 4 + 3 * k]
            if self.model is not None and name in self.model.motion:
                numbers |= self._sine(name, float(middle), 0.5 * (1.0 + share), s + 0.5 * phase, period)
                continue
            rate = self.rates.get(name, 0.0)
            reach = 0.5 * (1.0 + share) * (1.0 - abs(middle))
            triangle = 1.0 - 4.0 * np.abs((s + 0.5 * phase) % 1.0 - 0.5)
            if rate == np.inf:
                wave = reach * np.sign(triangle)
            else:
                wave = np.clip(0.25 * rate * period * triangle, -reach, reach)
            numbers[name] = np.asarray(middle + wave if rate > 0.0 else np.full(steps, middle))
        return period, s * period, numbers

    def _sine(self, name: str, middle: float, share: float, s: Array, period: float) -> dict[str, Array]:
        """A coordinate on a sine within its range, rate and acceleration, and the numbers of all three."""
        model = self.model
        assert model is not None
        lo, hi = model.ranges[name]
        rate, acceleration = model.motion[name]
        rate = min(rate, self.rates.get(name, np.inf) / steepest(model, name))
        centre, omega = 0.5 * (lo + hi) + 0.5 * (hi - lo) * middle, 2.0 * np.pi / period
        most = [hi - centre, centre - lo, rate / omega]
        if acceleration > 0.0:
            most.append(acceleration / omega**2)
        size = share * min(most)
        values = {
            name: centre + size * np.sin(2.0 * np.pi * s),
            f"{name}.rate": size * omega * np.cos(2.0 * np.pi * s),
            f"{name}.acceleration": -size * omega**2 * np.sin(2.0 * np.pi * s),
        }
        known = {n: v for n, v in values.items() if n in model.ranges}
        return {n: np.array([model.normalised(**{n: float(a)})[n] for a in v]) for n, v in known.items()}

    def growth(self, x: Array, steps: int = _STEPS) -> float:
        """Growth rate [1/s] of the worst solution under a variation."""
        from scipy.linalg import expm

        self.count += 1
        period, _, numbers = self.variation(x, steps)
        n = self.D.shape[0]
        delta = np.zeros((steps, n))
        for b, rows in slices(self.blocks):
            delta[:, rows] = numbers[b.name][:, None]
        inner = np.eye(n) - self.D * delta[:, None, :]
        A = self.A + (self.B * delta[:, None, :]) @ np.linalg.solve(
            inner, np.broadcast_to(self.C, (steps, *self.C.shape))
        )
        transitions = expm(A * (period / steps))
        whole, log = np.eye(len(self.A)), 0.0
        for step in transitions:
            whole = step @ whole
            size = float(np.abs(whole).max())
            whole, log = whole / size, log + np.log(size)
        largest = float(np.abs(np.linalg.eigvals(whole)).max())
        return float((np.log(max(largest, 1e-300)) + log) / period)
