"""The search for the least level that can be proven of an uncertain system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import thread_time

import numpy as np

from dalembert.control.mu.machine import at_level
from dalembert.control.mu.sweep import Known, Sweep, sweep
from dalembert.control.norms import Matrices
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.core.types import Array
from dalembert.core.validation import check_number

MARGINS = (1.3, 1.05)  # of levels above the obstacle, in the order in which they are tried
_NEAR = 1.03  # the same where one pass must do

__all__ = ["MARGINS", "Aim", "Search", "hardest", "looked_at"]


@dataclass(frozen=True)
class Aim:
    """Goal of a proof: one level, or the least one, and the level below which nothing is tried."""

    level: float | None
    enough: float | None

    def __post_init__(self) -> None:
        for name, value in (("level", self.level), ("enough", self.enough)):
            if value is not None:
                check_number(name, value)

    def passes(self, lower: float) -> list[tuple[float, float]]:
        """Levels at which proofs begin, and margins above the obstacle; a wide margin is proven fast."""
        if self.enough is not None:
            return [(max(self.enough, _NEAR * lower), _NEAR)]
        return [(max(1.0, m * lower), m) if k == 0 else (max(0.5, m * lower), m) for k, m in enumerate(MARGINS)]


class Search:
    """Proofs at one level after the other, which share their results: scalings, and where it is hard."""

    def __init__(
        self,
        system: Matrices,
        blocks: Sequence[DeltaBlock],
        first: list[float],
        deadline: float,
        progress: Callable[[float, float], object] | None,
    ) -> None:
        self.system, self.blocks, self.first, self.deadline, self.progress = system, blocks, first, deadline, progress
        self.known: Known = {}
        self.solves = 0
        self.obstacle = 0.0  # the largest among bounds that were fitted and did not suffice

    def at(self, level: float, stop_at_gap: bool = False) -> Sweep:
        """Prove a level as far as it can be."""
        swept = sweep(
            *at_level(self.system, self.blocks, level),
            level,
            known=self.known,
            first=self.first,
            seconds=max(self.deadline - thread_time(), 0.0),
            stop_at_gap=stop_at_gap,
            progress=self.progress,
        )
        self.solves += swept.solves
        return swept

    def least(self, passes: Sequence[tuple[float, float]]) -> Sweep:
        """The least level that is proven: in each pass it rises above whatever is met."""
        proven: Sweep | None = None
        for begin, margin in passes:
            level = max(begin, margin * self.obstacle)
            while proven is None or level < 0.99 * proven.level:
                swept = self.at(level, stop_at_gap=True)
                if swept.complete:
                    proven = swept
                    break
                w, best = hardest(swept)
                if np.isnan(best) or thread_time() > self.deadline:
                    return proven or swept
                self.first.insert(0, w)
                self.obstacle = max(self.obstacle, best)
                level = max(1.01 * level, margin * best)
        assert proven is not None
        return proven


def hardest(swept: Sweep) -> tuple[float, float]:
    """Frequency within the first gap, and the best bound there; not a number if time ran out."""
    low, high, best = swept.gaps[0]
    return (0.0 if low == 0.0 else high if np.isinf(high) else (low + high) / 2.0), best


def looked_at(system: Matrices) -> Array:
    """Frequencies that a search tries first for an uncertain system."""
    poles = np.abs(np.linalg.eigvals(system[0])) if system[0].size else np.ones(1)
    poles = poles[poles > 1e-12]
    poles = poles if poles.size else np.ones(1)
    return np.unique(np.concatenate([[0.0, np.inf], poles, np.geomspace(poles.min() / 10, poles.max() * 10, 12)]))
