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

__all__ = ["Falsification", "exponentials", "falsify"]

_STEPS = 64  # of a period in the search; a result is confirmed with four times as many
_BEST = 4  # starts of the search by gradients
_HARMONICS = (1, 2, 3)  # of the motion of a coordinate
_OVERTONES = 0.1  # of the second and third one in motions that begin at a resonance
_TAYLOR = 10  # terms of the exponential of a scaled matrix: 0.5^11 / 11! is below 2e-11


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

    Blocks of finite rate follow trapezoids of their largest slope, which rest longer at one end than at the other,
    blocks that may jump follow square waves, and blocks of rate zero are constants. Coordinates of the ``motion`` of a
    model follow three harmonics, and their rates and accelerations follow from them. Random variations come first; the
    gradient of the growth improves the worst of them.

    Parameters
    ----------
    loop, rates
        As in `varying_stability`.
    model
        The model of the machine in the loop, if it has a ``motion``.
    evaluations
        Number of variations to try.
    seed
        Seed of the random ones.
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
        x = search.resonant(rng) if k % 2 else rng.uniform(-1.0, 1.0, search.size)
        tried.append((search.growth(x), x))
        if progress is not None and k % 50 == 0:
            progress(k, max(g for g, _ in tried))
    tried.sort(key=lambda item: -item[0])
    if local and search.size:
        from scipy.optimize import minimize

        for _, x in tried[:_BEST]:
            limit = {"maxfun": max(local // _BEST, 1), "maxiter": local}
            box = [(-1.0, 1.0)] * search.size
            found = minimize(search.descent, x, jac=True, method="L-BFGS-B", bounds=box, options=limit)
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
        counts = [2 * len(_HARMONICS) + 1 if name in motion else 4 for name in self.free]
        starts = np.cumsum([1, *counts])
        self.places = {n: slice(a, b) for n, a, b in zip(self.free, starts[:-1], starts[1:], strict=True)}
        self.size = int(starts[-1])
        poles = np.abs(np.linalg.eigvals(self.A)) if self.A.size else np.ones(1)
        self.fastest = float(poles.max()) or 1.0
        slow = float(poles[poles > 1e-9 * self.fastest].min(initial=self.fastest))
        self.periods = (0.3 * 2.0 * np.pi / self.fastest, 10.0 * 2.0 * np.pi / slow)
        self.count = 0

    def resonant(self, rng: np.random.Generator) -> Array:
        """A random variation of the largest size, at one or two times a frequency of the loop at its middle."""
        x = rng.uniform(-1.0, 1.0, self.size)
        low, high = np.log(self.periods)
        middle = np.zeros((1, self.D.shape[0]))
        for b, rows in slices(self.blocks):
            if b.name in self.places:
                middle[:, rows] = x[self.places[b.name].start]
        omega = np.abs(np.linalg.eigvals(self._system(middle)[0][0]).imag)
        omega = omega[omega > 1e-9 * self.fastest]
        if omega.size:
            period = 2.0 * np.pi / (rng.choice(omega) * rng.choice((1.0, 2.0)) * rng.uniform(0.9, 1.1))
            x[0] = np.clip(2.0 * (np.log(period) - low) / (high - low) - 1.0, -1.0, 1.0)
        motion = {} if self.model is None else self.model.motion
        for name, place in self.places.items():
            x[place.start + 1] = 1.0
            if name in motion:
                x[place.start + 3 : place.stop : 2] *= _OVERTONES
        return x

    def variation(self, x: Array, steps: int) -> tuple[float, Array, dict[str, Array]]:
        """Period, times in the middle of its steps, and numbers of the blocks at them."""
        x = np.clip(x, -1.0, 1.0)
        low, high = np.log(self.periods)
        period = float(np.exp(low + (high - low) * 0.5 * (1.0 + x[0])))
        s = (np.arange(steps) + 0.5) / steps
        numbers: dict[str, Array] = {}
        for name, place in self.places.items():
            if self.model is not None and name in self.model.motion:
                numbers |= self._motion(name, x[place], s, period)
                continue
            middle, share, phase, lean = x[place]
            rate = self.rates.get(name, 0.0)
            reach = 0.5 * (1.0 + share) * (1.0 - abs(middle))
            triangle = lean + 1.0 - 4.0 * np.abs((s + 0.5 * phase) % 1.0 - 0.5)
            if rate == np.inf:
                wave = reach * np.sign(triangle)
            else:
                wave = np.clip(0.25 * rate * period * triangle, -reach, reach)
            numbers[name] = np.asarray(middle + wave if rate > 0.0 else np.full(steps, middle))
        return period, s * period, numbers

    def _motion(self, name: str, x: Array, s: Array, period: float) -> dict[str, Array]:
        """A coordinate on harmonics within its range, rate and acceleration, and the numbers of all three."""
        model = self.model
        assert model is not None
        middle, share, shape = float(x[0]), 0.5 * (1.0 + float(x[1])), np.array([1.0, *x[3::2]])
        phase = np.pi * np.array([float(x[2]), *x[4::2]])
        k = 2.0 * np.pi * np.array(_HARMONICS)
        lo, hi = model.ranges[name]
        rate, acceleration = model.motion[name]
        rate = min(rate, self.rates.get(name, np.inf) / steepest(model, name))
        centre = 0.5 * (lo + hi) + 0.5 * (hi - lo) * middle

        def motion(at: Array) -> list[Array]:
            angle = np.multiply.outer(at, k) + phase
            sine, cosine = np.sin(angle), np.cos(angle)
            return [sine @ shape, cosine @ (k * shape) / period, -sine @ (k**2 * shape) / period**2]

        # maxima between the points of this grid are larger by at most (3 h)^2 / 8 = 7e-4, relative
        tops = [1.001 * float(np.abs(y).max()) for y in motion(np.arange(256) / 256.0)]
        most = [min(hi - centre, centre - lo) / tops[0], rate / tops[1]]
        if acceleration > 0.0:
            most.append(acceleration / tops[2])
        size = share * min(most)
        places, rates, accelerations = (size * y for y in motion(s))
        values = {name: centre + places, f"{name}.rate": rates, f"{name}.acceleration": accelerations}
        return {n: _numbers(model, n, v) for n, v in values.items() if n in model.ranges}

    def growth(self, x: Array, steps: int = _STEPS) -> float:
        """Growth rate [1/s] of the worst solution under a variation."""
        self.count += 1
        period, delta = self._delta(x, steps)
        transitions = exponentials(self._system(delta)[0] * (period / steps))
        whole, log = np.eye(len(self.A)), 0.0
        for step in transitions:
            whole = step @ whole
            size = float(np.abs(whole).max())
            whole, log = whole / size, log + np.log(size)
        largest = float(np.abs(np.linalg.eigvals(whole)).max())
        return float((np.log(max(largest, 1e-300)) + log) / period)

    def descent(self, x: Array) -> tuple[float, Array]:
        """Growth with its sign changed, and its gradient.

        The multiplier ``l`` of ``E_n ... E_1`` with eigenvectors ``a``, ``b`` changes by ``a^H E_n ... dE_k ... E_1 b``
        over ``a^H b``, with ``dE_k = h (E_k dA_k + dA_k E_k) / 2`` to the second order of the step ``h``.
        """
        from scipy.linalg import eig

        self.count += 1
        period, delta = self._delta(x, _STEPS)
        h = period / _STEPS
        A, left, right = self._system(delta)
        E = exponentials(A * h)
        before, logs = [np.eye(len(self.A))], [0.0]
        for step in E:
            whole = step @ before[-1]
            size = float(np.abs(whole).max())
            before.append(whole / size)
            logs.append(logs[-1] + np.log(size))
        values, lefts, rights = (np.asarray(x) for x in eig(before[-1], left=True, right=True))
        k = int(np.abs(values).argmax())
        value, a, b = values[k], lefts[:, k].conj(), rights[:, k]
        growth = float((np.log(max(abs(value), 1e-300)) + logs[-1]) / period)
        rows, scales = [a], [0.0]  # a^H E_n ... E_{k+1}, scaled
        for step in E[:0:-1]:
            row = rows[-1] @ step
            size = float(np.abs(row).max()) or 1.0
            rows.append(row / size)
            scales.append(scales[-1] + np.log(size))
        row, column = np.array(rows[::-1]), np.array([P @ b for P in before[:-1]])
        weight = h * np.exp(np.array(scales[::-1]) + logs[:-1] - logs[-1]) / (value * (a @ b))
        row_E, E_column = np.einsum("ki,kij->kj", row, E), np.einsum("kij,kj->ki", E, column)

        def sides(x: Array, y: Array) -> Array:
            return np.asarray(np.einsum("ki,kij->kj", x, left) * np.einsum("kij,kj->ki", right, y))

        change = (0.5 * weight[:, None] * (sides(row_E, column) + sides(row, E_column))).real / period
        gradient = np.zeros(self.size)
        for j in range(self.size):
            ends = np.clip([x[j] - 1e-5, x[j] + 1e-5], -1.0, 1.0)
            low, high = (self._delta(np.array([*x[:j], end, *x[j + 1 :]]), _STEPS)[1] for end in ends)
            gradient[j] = float((change * (high - low)).sum() / (ends[1] - ends[0]))
        stretch = np.einsum("ki,kij,kj,k->", row_E, A, column, weight).real / period  # a period stretches all steps
        gradient[0] += 0.5 * float(np.log(self.periods[1] / self.periods[0])) * (stretch - growth)
        return -growth, -gradient

    def _delta(self, x: Array, steps: int) -> tuple[float, Array]:
        """Period, and the numbers of all rows of the blocks at its steps."""
        period, _, numbers = self.variation(x, steps)
        delta = np.zeros((steps, self.D.shape[0]))
        for b, rows in slices(self.blocks):
            delta[:, rows] = numbers[b.name][:, None]
        return period, delta

    def _system(self, delta: Array) -> tuple[Array, Array, Array]:
        """``A`` at the numbers, and its derivative with respect to each of them, ``left[:, i] right[i]``."""
        n = self.D.shape[0]
        inner = np.eye(n) - self.D * delta[:, None, :]
        right = np.linalg.solve(inner, np.broadcast_to(self.C, (len(delta), *self.C.shape)))
        A = self.A + (self.B * delta[:, None, :]) @ right
        inner = np.eye(n) - np.swapaxes(delta[:, :, None] * self.D, 1, 2)
        left = np.linalg.solve(inner, np.broadcast_to(self.B.T, (len(delta), *self.B.T.shape)))
        return A, np.asarray(np.swapaxes(left, 1, 2)), np.asarray(right)


def _numbers(model: UncertainMachine, name: str, values: Array) -> Array:
    """Numbers of a block at values of its quantity, as of `UncertainMachine.normalised`."""
    lo, hi = (model.raw(name, x) for x in model.ranges[name])
    part = model.tangents.get(name)
    raw = np.sqrt(values) if name in model.roots else values if part is None else np.tan(part * values)
    return np.asarray((raw - (lo + hi) / 2.0) / ((hi - lo) / 2.0))


def exponentials(matrices: Array) -> Array:
    """Exponentials of small matrices, all at once: Taylor's series of scaled ones, squared."""
    most = float(np.abs(matrices).sum(axis=2).max(initial=0.0))
    squarings = max(0, int(np.ceil(np.log2(max(most, 1e-300) / 0.5))))
    X = matrices / 2.0**squarings
    E = one = np.broadcast_to(np.eye(matrices.shape[1]), matrices.shape)
    for k in range(_TAYLOR, 0, -1):
        E = one + X @ E / k
    for _ in range(squarings):
        E = E @ E
    return E
