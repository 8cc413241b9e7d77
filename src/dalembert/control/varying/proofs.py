"""Stability and gains of loops whose parameters vary in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations_with_replacement

import numpy as np

from dalembert.control.mu.machine import extent, sampled_error
from dalembert.control.norms import Matrices
from dalembert.control.signals import place
from dalembert.control.uncertain.blocks import DeltaBlock, slices
from dalembert.control.uncertain.lft import LFT
from dalembert.control.varying.inequalities import Certificate, Inequalities
from dalembert.control.varying.parts import LoopPart, assembled, error_bound, independent_parts
from dalembert.control.varying.refinements import lifted
from dalembert.control.varying.scaling import scaled
from dalembert.control.varying.splines import GridFunction, function_on_grid
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array
from dalembert.core.validation import check_number

__all__ = ["VaryingProof", "checked_rates", "fastest_variation", "varying_gain", "varying_stability"]

_MOST_ORDER = 8  # half the degree of a Lyapunov function in the states
_SLACK = 1e-4  # by which a proven gain is above the least one of the solver


@dataclass(frozen=True)
class VaryingProof:
    """Result of a proof about a loop whose parameters vary.

    Parameters
    ----------
    proven
        Whether the loop is proven: stable for all parameters in their ranges that change no faster than ``rates``, with
        the gain ``gain`` if it is not None.
    rates
        Largest rates of the blocks [1/s].
    gain
        Proven gain of the channel in the L2 norm; None: stability alone.
    lyapunov
        Matrices of the Lyapunov function ``x^T (P_0 + sum d_i P_i + sum d_i d_j P_ij) x``: ``""`` is ``P_0``, the
        others by block, ``"length"`` and ``"length*payload"``. Without products it is affine. In pieces it has
        Bernstein coefficients, ``"length=0.5"``. With an order above one, ``x`` are the products of states.
    margin
        By how much the inequalities hold, relative to their size, rounding taken off.
    message
        The result in words.
    sampled_error
        As in `dalembert.control.mu.Robustness`: the proof holds for the model alone.
    frozen
        Whether the loop has the model of a machine with parameters that vary, and the model is that of constant ones,
        without the forces that their motion adds (a rope that is hoisted turns the sway by ``-2 l' v / l``). The proof
        then holds for the model, and gives no guarantee for the machine. Models with the ``motion`` of coordinates
        include these forces.
    """

    proven: bool
    rates: dict[str, float]
    gain: float | None
    lyapunov: dict[str, Array] = field(repr=False)
    margin: float
    message: str
    sampled_error: float | None = None
    frozen: bool = False

    @property
    def guaranteed(self) -> bool:
        """Whether it is proven and, of a machine, includes the error of its model."""
        return self.proven and self.sampled_error is None and not self.frozen


def varying_stability(
    loop: LFT,
    rates: Mapping[str, float] | None = None,
    *,
    degree: int | None = None,
    order: int = 1,
    pieces: Mapping[str, int] | None = None,
) -> VaryingProof:
    """Prove that a loop is stable while its parameters vary between -1 and 1, no faster than given rates.

    Parameters
    ----------
    loop
        The closed loop, in blocks between -1 and 1 (see `LFT.feedback`, `LFT.normalised`). A controller that depends on
        a parameter is an LFT with the same block.
    rates
        Largest rates of its real blocks [1/s] (see `block_rates`): 0 is a constant. Blocks that are not named may jump.
    degree
        Degree of the Lyapunov function in the parameters of finite rate, 1 or 2; None: 2 where 1 proves nothing. On
        pieces 1 to 4; None: 2.
    order
        Half the degree of the Lyapunov function in the states. Higher orders prove more, and take more time: there are
        as many unknowns as pairs of products of ``order`` states.
    pieces
        Parameters and numbers of pieces of their ranges, such as ``{"length": 8, "length.rate": 4}``: the function is a
        polynomial on each piece, and continuous. The others have one piece.

    Notes
    -----
    The condition is sufficient: a loop that is not proven may be stable.

    Examples
    --------
    An oscillator whose stiffness varies by half: proven while it varies slowly, not if it may jump.

    >>> import control
    >>> from dalembert.control.uncertain import constant, parameter, system_lft
    >>> stiffness = constant([[0.0], [-0.5]]) @ parameter("k") @ constant([[1.0, 0.0]])
    >>> A = constant([[0.0, 1.0], [-1.0, -0.4]]) + stiffness
    >>> integrators = system_lft(control.ss(np.zeros((2, 2)), np.eye(2), np.eye(2), 0))
    >>> loop = integrators.feedback(-A, integrators.outputs, integrators.inputs)
    >>> varying_stability(loop, {"k": 1.0}).proven, varying_stability(loop).proven
    (True, False)
    """
    problem = _split(loop, (), (), rates)
    if pieces:
        _check_pieces(problem, pieces, degree)
    parts = independent_parts(problem.system, _sized(problem.every))
    solved = [_solved(problem.part(part), order, pieces, degree) for part in parts]
    if not all(x.margin > 0.0 for x in solved):
        return _stated(problem, None, min(x.margin for x in solved))
    solved = _matched(solved)
    proof = _stated(problem, None, min(x.margin for x in solved))
    if not proof.proven:
        return proof
    return replace(proof, lyapunov=assembled([x.lyapunov for x in solved], parts, len(problem.states), order))


def varying_gain(
    loop: LFT,
    inputs: Sequence[str],
    outputs: Sequence[str],
    rates: Mapping[str, float] | None = None,
    *,
    bound: float | None = None,
    degree: int | None = None,
) -> VaryingProof:
    """Prove a bound of the gain between signals, in the L2 norm, while parameters vary.

    Parameters
    ----------
    loop, rates
        As in `varying_stability`.
    inputs, outputs
        Names of the signals.
    bound
        The bound to prove; None: the least one.
    degree
        As in `varying_stability`; None: the degree of the smaller bound.

    Examples
    --------
    The gain of ``x' = -(2 + d) x + u`` from ``u`` to ``x`` is one where ``d`` stays at -1, and no motion of ``d`` makes
    it larger:

    >>> import control
    >>> from dalembert.control.uncertain import parameter, system_lft
    >>> integrator = system_lft(control.ss(0.0, 1.0, 1.0, 0.0))
    >>> loop = integrator.feedback(parameter("d") + 2.0, integrator.outputs, integrator.inputs)
    >>> round(varying_gain(loop, loop.inputs, loop.outputs).gain, 3)
    1.0
    """
    u = [place(name, loop.inputs, "input") for name in inputs]
    y = [place(name, loop.outputs, "output") for name in outputs]
    if not u or not y:
        raise InputError("a gain needs at least one input and one output")
    problem = _split(loop, u, y, rates)
    proofs = []
    for k in _degrees(degree, problem):
        if bound is None:
            squared = problem.inequalities(k).least_squared_gain()
            gain = (1.0 + _SLACK) * float(np.sqrt(max(squared, 0.0)))
        else:
            gain = check_number("bound", bound)
        if np.isfinite(gain):
            proofs.append(_proven(problem, k, max(gain, 1e-12)))
        if bound is not None and proofs[-1].proven:
            break
    found = [proof for proof in proofs if proof.gain is not None]
    if found:
        return min(found, key=lambda proof: proof.gain or np.inf)
    nothing = VaryingProof(False, problem.named_rates, None, {}, -np.inf, _reason(problem.system, "a gain"))
    return proofs[-1] if proofs else nothing


def fastest_variation(
    loop: LFT,
    rates: Mapping[str, float],
    *,
    tolerance: float = 0.01,
    degree: int | None = None,
    order: int = 1,
    pieces: Mapping[str, int] | None = None,
) -> float:
    """Largest factor on finite rates at which a loop is proven to be stable; infinite if its parameters may jump.

    Parameters
    ----------
    loop
        As in `varying_stability`.
    rates
        Rates [1/s] that are multiplied.
    tolerance
        Relative accuracy of the factor.
    degree, order, pieces
        As in `varying_stability`.

    Returns
    -------
    float
        0: it is not proven even for constant parameters.

    Examples
    --------
    A rate at which a stiffness that varies by half may vary [1/s], for the oscillator of `varying_stability`:

    >>> import control
    >>> from dalembert.control.uncertain import constant, parameter, system_lft
    >>> stiffness = constant([[0.0], [-0.5]]) @ parameter("k") @ constant([[1.0, 0.0]])
    >>> A = constant([[0.0, 1.0], [-1.0, -0.4]]) + stiffness
    >>> integrators = system_lft(control.ss(np.zeros((2, 2)), np.eye(2), np.eye(2), 0))
    >>> loop = integrators.feedback(-A, integrators.outputs, integrators.inputs)
    >>> 1.2 < fastest_variation(loop, {"k": 1.0}, tolerance=0.05, degree=1) < 1.3
    True
    """
    finite = {name: rate for name, rate in rates.items() if rate > 0.0 and np.isfinite(rate)}
    if not finite:
        raise InputError(f"a fastest variation needs at least one finite rate above zero, got {dict(rates)}")

    def holds(factor: float) -> bool:
        changed = {name: factor * rate if factor < np.inf else np.inf for name, rate in finite.items()}
        return varying_stability(loop, {**rates, **changed}, degree=degree, order=order, pieces=pieces).proven

    if varying_stability(loop, {**rates, **dict.fromkeys(finite, np.inf)}, degree=degree, order=order).proven:
        return np.inf
    if not holds(0.0):
        return 0.0
    low, high = 0.0, 1.0
    while holds(high):
        low, high = high, 4.0 * high
        if high > 1e9:
            return low
    while high - low > tolerance * high and high > 1e-9:
        middle = 0.5 * (low + high) if low > 0.0 else 0.25 * high
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


@dataclass(frozen=True)
class _Problem:
    """Scaled system of a loop and a channel, its blocks, rates and ties, and the scales of states and time.

    Blocks of no size are kept: the error of a model that was only sampled is one.
    """

    system: Matrices
    every: tuple[DeltaBlock, ...]
    rates: dict[str, float]
    ties: dict[str, tuple[str, float]]
    states: Array
    time: float

    def inequalities(self, degree: int) -> Inequalities:
        """The inequalities for a Lyapunov function of a degree in the parameters."""
        return Inequalities(self.system, _sized(self.every), self.rates, self.ties, degree)

    def part(self, part: LoopPart) -> _Problem:
        """The problem of a part of the loop."""
        names = {b.name for b in part.blocks}
        rates = {name: rate for name, rate in self.rates.items() if name in names}
        ties = {name: tie for name, tie in self.ties.items() if name in names and tie[0] in names}
        return _Problem(part.system, part.blocks, rates, ties, self.states[list(part.states)], self.time)

    @property
    def named_rates(self) -> dict[str, float]:
        """Rates of the blocks [1/s]."""
        return {name: rate * self.time for name, rate in self.rates.items()}


def _split(loop: LFT, u: Sequence[int], y: Sequence[int], rates: Mapping[str, float] | None) -> _Problem:
    """The problem of a loop and a channel."""
    system, every = loop.part(y, u).state_space()
    blocks = _sized(every)
    checked = checked_rates(every, rates)
    matrices, states, time = scaled(system, blocks)
    sized = {b.name for b in blocks}
    ties = {
        name: (other, factor / time)
        for b in every
        for name, other, factor in b.ties
        if name in sized and other in sized and factor * (1.0 - 1e-9) <= checked[name] < np.inf
    }
    return _Problem(matrices, tuple(every), {name: rate / time for name, rate in checked.items()}, ties, states, time)


def _lifted(problem: _Problem, order: int) -> _Problem:
    """The problem of products of states."""
    if isinstance(order, bool) or not isinstance(order, int) or not 1 <= order <= _MOST_ORDER:
        raise InputError(
            f"the order of a Lyapunov function must be a whole number from 1 to {_MOST_ORDER}, got {order!r}"
        )
    if order == 1:
        return problem
    system, sized = lifted(problem.system, _sized(problem.every), order)
    sizes = {b.name: b for b in sized}
    every = tuple(sizes.get(b.name, b) for b in problem.every)
    terms = combinations_with_replacement(problem.states.tolist(), order)
    return replace(problem, system=system, every=every, states=np.array([np.prod(t) for t in terms]))


@dataclass(frozen=True, eq=False)
class _Solved:
    """Inequalities of a part with their certificate."""

    problem: _Problem
    inequalities: Inequalities
    certificate: Certificate

    @property
    def margin(self) -> float:
        """By how much they hold."""
        return self.certificate.margin

    @property
    def errors(self) -> list[int]:
        """Places of errors of the model among the blocks."""
        return [i for i, b in enumerate(_sized(self.problem.every)) if b.kind == "error"]

    @property
    def multiplier(self) -> float:
        """Largest multiplier of an error of the model."""
        return max((float(self.certificate.Q[i][0, 0]) for i in self.errors), default=0.0)

    def matched(self, q: float) -> _Solved:
        """The certificate with another multiplier of the error, checked once more."""
        Q = tuple(q * np.eye(len(x)) if i in self.errors else x for i, x in enumerate(self.certificate.Q))
        return replace(self, certificate=self.inequalities.checked(replace(self.certificate, Q=Q)))

    @property
    def lyapunov(self) -> dict[str, Array]:
        """Matrices of the Lyapunov function."""
        return _unscaled(self.certificate, self.inequalities.varying, self.problem.states)


@dataclass(frozen=True, eq=False)
class _OnGrid:
    """The function of a part on a grid of parameters."""

    function: GridFunction
    states: Array

    @property
    def margin(self) -> float:
        """By how much its inequalities hold."""
        return self.function.margin

    @property
    def multiplier(self) -> float:
        """Multiplier of the error of the model."""
        return self.function.error_multiplier

    def matched(self, q: float) -> _OnGrid:
        """The function with another multiplier of the error."""
        return replace(self, function=self.function.with_multiplier(q))

    @property
    def lyapunov(self) -> dict[str, Array]:
        """Matrices of the Lyapunov function."""
        return self.function.matrices(self.states)


def _solved(problem: _Problem, order: int, pieces: Mapping[str, int] | None, degree: int | None) -> _Solved | _OnGrid:
    """Solve the inequalities of a part."""
    bigger = _lifted(problem, order)
    if pieces and any(name in problem.rates for name in pieces):
        blocks = _sized(problem.every)
        bounds = [error_bound(problem.system, blocks, rows) for b, rows in slices(blocks) if b.kind == "error"]
        known = {name: count for name, count in pieces.items() if name in problem.rates}
        settings = known, 2 if degree is None else degree, order, max(bounds, default=0.0)
        function = function_on_grid(problem.system, blocks, problem.rates, problem.ties, *settings)
        return _OnGrid(function, bigger.states)
    for k in _degrees(None if pieces else degree, problem):
        inequalities = bigger.inequalities(k)
        found = _Solved(bigger, inequalities, inequalities.certificate())
        if found.margin > 0.0:
            break
    return found


def _matched(solved: Sequence[_Solved | _OnGrid]) -> list[_Solved | _OnGrid]:
    """Certificates of parts with one multiplier of each error of the model, so that their sum is one."""
    if len(solved) == 1:
        return list(solved)
    most = max(part.multiplier for part in solved)
    return [part.matched(most) for part in solved]


def _check_pieces(problem: _Problem, pieces: Mapping[str, int], degree: int | None) -> None:
    for name, count in pieces.items():
        if name not in problem.rates:
            raise UnknownNameError("parameter", name, list(problem.rates))
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise InputError(f"the number of pieces of '{name}' must be a whole number >= 1, got {count!r}")
    if not any(np.isfinite(problem.rates[name]) for name in pieces):
        known = [n for n, rate in problem.rates.items() if np.isfinite(rate)]
        raise UnknownNameError("parameter of finite rate", next(iter(pieces)), known)
    if isinstance(degree, bool) or degree not in (None, 1, 2, 3, 4):
        raise InputError(f"the degree of a function on pieces must be 1 to 4, got {degree!r}")


def _degrees(degree: int | None, problem: _Problem) -> tuple[int, ...]:
    if degree is None:
        return (1, 2) if any(np.isfinite(rate) for rate in problem.rates.values()) else (1,)
    if isinstance(degree, bool) or degree not in (1, 2):
        raise InputError(f"the degree of a Lyapunov function must be 1 or 2, got {degree!r}")
    return (degree,)


def checked_rates(every: Sequence[DeltaBlock], rates: Mapping[str, float] | None) -> dict[str, float]:
    """Largest rates of the real blocks [1/s]; those that are not named may jump."""
    real = [b.name for b in every if b.kind == "real" and b.size]
    given = dict(rates or {})
    kinds = {b.name: b.kind for b in every}
    for name in given:
        if name not in kinds:
            raise UnknownNameError("block", name, real)
        if kinds[name] != "real":
            raise InputError(f"block '{name}' is not a real parameter: it has no rate")
    checked = {}
    for name in real:
        rate = given.get(name, np.inf)
        if rate != np.inf and not check_number(f"rate of block '{name}'", rate, positive=False) >= 0.0:
            raise InputError(f"rate of block '{name}' must not be negative, got {rate:g}")
        checked[name] = float(rate)
    return checked


def _sized(blocks: Sequence[DeltaBlock]) -> list[DeltaBlock]:
    return [b for b in blocks if b.size]


def _proven(problem: _Problem, degree: int, gain: float | None) -> VaryingProof:
    inequalities = problem.inequalities(degree)
    found = inequalities.certificate(None if gain is None else gain**2)
    proof = _stated(problem, gain, found.margin)
    if not proof.proven:
        return proof
    return replace(proof, lyapunov=_unscaled(found, inequalities.varying, problem.states))


def _stated(problem: _Problem, gain: float | None, margin: float) -> VaryingProof:
    """The result for a margin of the inequalities, without the Lyapunov function."""
    proven, rates = margin > 0.0, problem.named_rates
    frozen = _frozen(problem.every, rates)
    what = "stability" if gain is None else f"a gain of {gain:.6g}"
    subject = " for the model with frozen parameters" if frozen else extent(problem.every)
    return VaryingProof(
        proven,
        rates,
        gain if proven else None,
        {},
        margin,
        f"{what} is proven{subject}" if proven else _reason(problem.system, what),
        sampled_error(problem.every),
        bool(frozen),
    )


def _frozen(blocks: Sequence[DeltaBlock], rates: dict[str, float]) -> list[str]:
    """Blocks that vary, of models of machines that do not include their variation, or not one as fast."""
    errors = [b for b in blocks if b.kind == "error"]
    included = [(dict(b.moving), np.inf if b.moving else 0.0) for b in errors]  # blocks of others may vary
    return [
        name
        for name, rate in rates.items()
        if rate > 0.0 and any(not rate <= limits.get(name, other) * (1.0 + 1e-9) for limits, other in included)
    ]


def _reason(system: Matrices, what: str) -> str:
    real = float(np.linalg.eigvals(system[0]).real.max())
    if real >= 0.0:
        return "the loop is not stable in the middle of its ranges"
    return f"{what} is not proven: the condition is sufficient, not necessary"


def _unscaled(found: Certificate, varying: Sequence[str], states: Array) -> dict[str, Array]:
    outer = np.outer(1.0 / states, 1.0 / states)
    return {"*".join(varying[i] for i in term): P * outer for term, P in found.P.items()}
