"""Values of real blocks within their box that break the requirement: candidates for the models of a synthesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dalembert.control.mu.lower import destabilising, most_unstable
from dalembert.control.mu.mixed import worst_gain_in_box
from dalembert.control.mu.robustness import performance_channel
from dalembert.control.uncertain.lft import LFT

__all__ = ["Broken", "values_text", "worst_values"]


@dataclass(frozen=True)
class Broken:
    """Values of the blocks, their effect, and a sentence that states it."""

    values: dict[str, float]
    value: float
    message: str


def values_text(values: dict[str, float]) -> str:
    """Values of blocks, for messages."""
    return ", ".join(f"{n} = {v:.4g}" for n, v in values.items())


def worst_values(
    loop: LFT, inputs: Sequence[str] = (), outputs: Sequence[str] = (), bound: float = np.inf, *, seconds: float = 10.0
) -> Broken | None:
    """Values within the box at which the loop is unstable or a gain exceeds its bound; None if none are found."""
    loop = loop.without_error()
    names = list(loop.sizes)
    if outputs:
        system, blocks = performance_channel(loop, inputs, outputs, 1.0)
        largest = worst_gain_in_box(system, blocks, seconds=seconds)
        if not largest.gain > bound:
            return None
        values = {**dict.fromkeys(names, 0.0), **largest.values}
        text = f"values of the blocks give a gain of {largest.gain:.4g} above {bound:.4g}: {values_text(values)}"
        return Broken(values, largest.gain, text)
    system, blocks = loop.state_space()
    worst = destabilising(system, blocks, seconds=seconds)
    if worst is None or worst.size > 1.0:
        return None
    values = {**dict.fromkeys(names, 0.0), **most_unstable(system, blocks, worst.values)}
    text = f"values of the blocks break stability or the required decay: {values_text(values)}"
    return Broken(values, worst.size, text)
