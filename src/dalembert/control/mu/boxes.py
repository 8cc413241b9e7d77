"""Ranges of uncertain quantities on which a closed loop is proven to be stable, or to keep a gain below a bound.

One bound shrinks all ranges alike: ``centre +- half-width / mu`` in the numbers of the blocks (SPACE 8.3.3).
Quantities added one by one share the loss unevenly (SPACE 8.3.4). Splitting the box into parts and proving each
gives the most, at the highest cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import thread_time
from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.mu.machine import sampled_error
from dalembert.control.mu.robustness import Robustness, performance_within, robust_stability
from dalembert.control.uncertain.lft import LFT
from dalembert.core.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from dalembert.control.norms import LinearSystem
    from dalembert.control.uncertain.machines import UncertainMachine

__all__ = ["Guarantee", "ProvenParts", "guaranteed_ranges", "iterative_ranges", "proven_parts"]


@dataclass(frozen=True)
class Guarantee:
    """Ranges on which the loop is proven to be stable, and to keep the gain below the required bound.

    Parameters
    ----------
    ranges
        Range of each quantity, angles in rad; empty if nothing could be proven.
    bounds
        The bounds that led to them, in order.
    complete
        Whether every bound is proven over all frequencies.
    """

    ranges: dict[str, tuple[float, float]]
    bounds: tuple[Robustness, ...]
    complete: bool

    @property
    def sampled_error(self) -> float | None:
        """Error of the model where it was only sampled: the ranges are then proven for the model alone."""
        return max((b.sampled_error for b in self.bounds if b.sampled_error is not None), default=None)

    @property
    def guaranteed(self) -> bool:
        """Whether the ranges are guaranteed for the machine."""
        return self.complete and self.sampled_error is None


@dataclass(frozen=True)
class _Performance:
    """The gain that is required besides stability; without outputs stability alone."""

    inputs: Sequence[str]
    outputs: Sequence[str]
    bound: float

    def shrink(self, loop: LFT, seconds: float) -> tuple[float, Robustness]:
        """Factor by which the blocks must shrink, at least one, and its proof; infinite if there is none."""
        if self.outputs:
            return performance_within(loop, self.inputs, self.outputs, self.bound, seconds=seconds)
        proof = robust_stability(loop, enough=1.0, seconds=seconds)
        return max(1.0, proof.upper), proof


def _closed(model: UncertainMachine, controller: LinearSystem | LFT) -> LFT:
    lft = model.lft
    if not isinstance(controller, LFT):
        return lft.feedback(controller, lft.outputs, lft.inputs)
    for name in controller.sizes:
        if name not in model.ranges:
            raise UnknownNameError("uncertain quantity", name, model.ranges, "the model")
    return controller


def _scaled(model: UncertainMachine, sizes: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """Ranges of blocks between plus and minus the given sizes."""
    low, high = model.values(**{n: -s for n, s in sizes.items()}), model.values(**dict(sizes))
    return {n: (low[n], high[n]) for n in sizes}


def guaranteed_ranges(
    model: UncertainMachine,
    controller: LinearSystem | LFT,
    *,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    bound: float = 1.0,
    seconds: float = 120.0,
) -> Guarantee:
    """Ranges that one bound guarantees: those of the model, shrunk about their middle by ``max(1, mu)``.

    Parameters
    ----------
    model
        The uncertain model; the controller sees all its outputs and drives all its inputs, ``u = -K y``.
    controller
        System of python-control, or constant gains; or the closed loop itself, an LFT in the blocks of the model.
    inputs, outputs, bound
        Signals of the loop whose gain must stay below the bound besides; without any, stability alone.
    seconds
        Limit [s of processor time].
    """
    factor, proof = _Performance(inputs, outputs, bound).shrink(_closed(model, controller), seconds)
    if not (proof.complete and np.isfinite(factor)):
        return Guarantee({}, (proof,), False)
    return Guarantee(_scaled(model, dict.fromkeys(model.ranges, 1.0 / factor)), (proof,), True)


def iterative_ranges(
    model: UncertainMachine,
    controller: LinearSystem | LFT,
    order: Sequence[str],
    *,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    bound: float = 1.0,
    seconds: float = 60.0,
) -> Guarantee:
    """Ranges found by adding one quantity at a time and shrinking all so far by ``max(1, mu)`` (SPACE 8.3.3, 8.3.4).

    Quantities that are not yet added stay in the middle of their range.

    Parameters
    ----------
    model, controller, inputs, outputs, bound
        As in `guaranteed_ranges`.
    order
        Names of all quantities, in the order in which they are added.
    seconds
        Time limit of each step.
    """
    loop, asked = _closed(model, controller), _Performance(inputs, outputs, bound)
    for name in order:
        if name not in model.ranges:
            raise UnknownNameError("uncertain quantity", name, model.ranges)
    if len(set(order)) != len(order):
        raise InputError(f"order names a quantity twice: {', '.join(order)}")
    sizes: dict[str, float] = {}
    bounds = []
    for name in order:
        sizes[name] = 1.0
        rest = {n: 0.0 for n in loop.sizes if n not in sizes}
        partial = loop.close(rest)
        if name in partial.sizes:
            partial = partial.normalised({n: (-s, s) for n, s in sizes.items() if n in partial.sizes})
            factor, proof = asked.shrink(partial, seconds)
            bounds.append(proof)
            if not (proof.complete and np.isfinite(factor)):
                return Guarantee({}, tuple(bounds), False)
            sizes = {n: s / factor for n, s in sizes.items()}
    return Guarantee(_scaled(model, sizes), tuple(bounds), True)


@dataclass(frozen=True)
class ProvenParts:
    """Parts of a box of blocks between -1 and 1.

    Parameters
    ----------
    proven
        Parts on which the loop is proven to be stable: (low, high) of each block.
    unstable
        Values of the blocks that destabilise, one for each smallest part in which some were found.
    unknown
        Smallest parts, and parts left when time ran out, that were not decided.
    seconds
        Cost.
    sampled_error
        As in `Robustness`.
    """

    proven: tuple[dict[str, tuple[float, float]], ...]
    unstable: tuple[dict[str, float], ...]
    unknown: tuple[dict[str, tuple[float, float]], ...]
    seconds: float
    sampled_error: float | None = None

    @property
    def complete(self) -> bool:
        """Whether the whole box is proven."""
        return not self.unknown and not self.unstable

    @property
    def share(self) -> float:
        """Proven part of the volume."""
        volumes = [float(np.prod([(hi - lo) / 2.0 for lo, hi in box.values()])) for box in self.proven]
        return float(sum(volumes))


def proven_parts(loop: LFT, *, seconds: float = 120.0, each: float = 20.0, smallest: float = 1 / 16) -> ProvenParts:
    """Branch and bound: halve the box of blocks between -1 and 1 until each part is proven, or shown to be unstable.

    Parameters
    ----------
    loop
        The closed loop, in blocks between -1 and 1.
    seconds, each
        Time limits: of all, and of one proof.
    smallest
        Least half-width of a part.

    Examples
    --------
    >>> import control
    >>> from dalembert.control.uncertain import constant, parameter, system_lft
    >>> gain = constant([[1.0]]) + constant([[0.5]]) @ parameter("k")  # 0.5 to 1.5
    >>> integrator = system_lft(control.ss(0.0, 1.0, 1.0, 0.0))
    >>> loop = integrator.feedback(gain, integrator.outputs, integrator.inputs)
    >>> parts = proven_parts(loop)
    >>> len(parts.proven), len(parts.unstable), len(parts.unknown)
    (1, 0, 0)
    """
    began = thread_time()
    todo: list[dict[str, tuple[float, float]]] = [dict.fromkeys(loop.sizes, (-1.0, 1.0))]
    proven, unstable, unknown = [], [], []
    while todo:
        box = todo.pop(0)
        if thread_time() - began > seconds:
            unknown.append(box)
            continue
        try:
            inside = loop.normalised(box)
        except InputError:
            inside = None
        proof = robust_stability(inside, level=0.999, seconds=each) if inside is not None else None
        if proof is not None and proof.complete and proof.upper <= 1.0:
            proven.append(box)
            continue
        widest = max(box, key=lambda n: (box[n][1] - box[n][0]) * _influence(inside, n))
        lo, hi = box[widest]
        if (hi - lo) / 2.0 <= smallest:
            broken = _unstable_at(proof)
            if broken is None:
                unknown.append(box)
            else:
                unstable.append({n: (a + b) / 2.0 + (b - a) / 2.0 * broken.get(n, 0.0) for n, (a, b) in box.items()})
            continue
        middle = (lo + hi) / 2.0
        todo += [{**box, widest: (lo, middle)}, {**box, widest: (middle, hi)}]
    return ProvenParts(
        tuple(proven), tuple(unstable), tuple(unknown), thread_time() - began, sampled_error(loop.blocks)
    )


def _unstable_at(proof: Robustness | None) -> dict[str, float] | None:
    """Values of the blocks within a part at which the loop is known to be unstable; None if none are known."""
    if proof is None:
        return None
    if np.isinf(proof.lower):
        return {}
    return proof.worst.values if proof.worst is not None and proof.worst.size <= 1.0 else None


def _influence(loop: LFT | None, name: str) -> float:
    """How much a block matters: the gain through it."""
    if loop is None:
        return 1.0
    start = 0
    rows: list[int] = []
    for b in loop.blocks:
        if b.name == name:
            rows += range(start, start + b.size)
        start += b.size
    return float(np.linalg.norm(loop.M11[rows]) * np.linalg.norm(loop.M11.T[rows])) + 1e-12
