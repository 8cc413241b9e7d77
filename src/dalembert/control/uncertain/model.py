"""Uncertain linear models of machines: the model in blocks, and the quantities that its numbers stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.uncertain.lft import LFT
from dalembert.control.uncertain.relation import ModelError
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array

if TYPE_CHECKING:
    import control

__all__ = ["UncertainMachine", "steepest"]


@dataclass(frozen=True, eq=False)
class UncertainMachine:
    """Linear model of a machine over ranges of angles and parameters.

    Parameters
    ----------
    lft
        The model in blocks between -1 and 1: inputs to outputs, states as integrators.
    inertia
        Accelerations to forces, in the same blocks: the mass matrix.
    ranges
        Range of each angle [rad] or parameter.
    tangents
        For each angle the fraction of it whose tangent is the block's number, before it is normalised.
    roots
        Parameters whose square root is the block's number: moduli of elasticity, which enter damping by their root.
    error
        How far the model may be from the linearised machine; it is a block of ``lft`` too.
    motion
        Coordinates that move, with their largest rates and accelerations, infinite if none was given. The model then
        includes the forces of their motion, in further uncertain quantities ``NAME.rate`` and ``NAME.acceleration``.
    """

    lft: LFT
    inertia: LFT
    ranges: dict[str, tuple[float, float]]
    tangents: dict[str, float] = field(default_factory=dict)
    roots: frozenset[str] = frozenset()
    error: ModelError = field(default_factory=lambda: ModelError(None, np.nan, "not a model of a machine"))
    motion: dict[str, tuple[float, float]] = field(default_factory=dict)

    def normalised(self, **values: float) -> dict[str, float]:
        """Numbers between -1 and 1 of the blocks, for angles [rad] and parameters."""
        blocks = {}
        for name, value in values.items():
            if name not in self.ranges:
                raise UnknownNameError("uncertain quantity", name, self.ranges)
            lo, hi = (self.raw(name, x) for x in self.ranges[name])
            blocks[name] = (self.raw(name, value) - (lo + hi) / 2.0) / ((hi - lo) / 2.0)
        return blocks

    def values(self, **blocks: float) -> dict[str, float]:
        """Angles [rad] and parameters of numbers between -1 and 1: the inverse of `normalised`."""
        numbers = {}
        for name, d in blocks.items():
            lo, hi = (self.raw(name, x) for x in self.ranges[name])
            raw = (lo + hi) / 2.0 + (hi - lo) / 2.0 * d
            f = self.tangents.get(name)
            number = raw**2 if name in self.roots else raw
            numbers[name] = number if f is None else float(np.arctan(raw)) / f
        return numbers

    def raw(self, name: str, value: float) -> float:
        """The number of a quantity before it is scaled to -1 .. 1: itself, a tangent or a root."""
        f = self.tangents.get(name)
        number = float(np.sqrt(value)) if name in self.roots else value
        return number if f is None else float(np.tan(f * value))

    def at(self, **values: float) -> control.StateSpace:
        """The linear model (a python-control system) at values of all uncertain quantities."""
        return self.lft.at(**self._needed(self.lft, values))

    def sample(self, count: int, *, seed: int = 0) -> list[dict[str, float]]:
        """Random angles [rad] and parameters, even in their ranges: values for `at` and `mass_matrix`."""
        rng = np.random.default_rng(seed)
        return [{n: float(rng.uniform(lo, hi)) for n, (lo, hi) in self.ranges.items()} for _ in range(count)]

    def mass_matrix(self, **values: float) -> Array:
        """The mass matrix at values of all uncertain quantities."""
        return np.asarray(self.inertia.at(**self._needed(self.inertia, values)))

    def _needed(self, lft: LFT, values: Mapping[str, float]) -> dict[str, float]:
        """Normalised numbers of the blocks that a map has; a quantity may have dropped out of it."""
        blocks = self.normalised(**values)
        missing = [n for n in lft.sizes if n not in blocks]
        if missing:
            raise InputError(f"values of all uncertain quantities are needed, missing: {', '.join(missing)}")
        return {n: blocks[n] for n in lft.sizes}


def steepest(model: UncertainMachine, name: str) -> float:
    """Largest slope ``|dd/dx|`` of the number ``d`` of a block over the range of its quantity ``x``."""
    lo, hi = model.ranges[name]
    part = model.tangents.get(name)
    if part is not None:
        ends = np.tan(part * lo), np.tan(part * hi)
        slope = part * (1.0 + max(ends[0] ** 2, ends[1] ** 2))  # of the tangent, largest at an end
    elif name in model.roots:
        ends, slope = (np.sqrt(lo), np.sqrt(hi)), 0.5 / np.sqrt(lo)
    else:
        ends, slope = (lo, hi), 1.0
    return float(slope * 2.0 / (ends[1] - ends[0]))
