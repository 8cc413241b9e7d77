"""Static output feedback on problems of COMPleib: results of synthesis next to the floor of any controller."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from dalembert.control.floor import hinf_floor
from dalembert.control.structured import Gain, Structure, Tunable, gains, tune

__all__ = ["Comparison", "OutputFeedback", "compare", "floor_of", "problem", "problems", "static_feedback"]


@dataclass(frozen=True, eq=False)
class OutputFeedback:
    """A plant with disturbances, controls, signals to judge and measurements, by name."""

    plant: Any
    disturbances: tuple[str, ...]
    judged: tuple[str, ...]
    structure: Structure


@cache
def _data() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("compleib.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)["problems"]
    return data


def problems() -> tuple[str, ...]:
    """Names of the problems."""
    return tuple(_data())


def problem(name: str) -> OutputFeedback:
    """A problem with a full matrix of gains, each between -1e4 and 1e4."""
    import control

    m = {key: np.atleast_2d(np.array(value, dtype=float)) for key, value in _data()[name].items()}
    w = tuple(f"w{k}" for k in range(m["B1"].shape[1]))
    u = tuple(f"u{k}" for k in range(m["B"].shape[1]))
    z = tuple(f"z{k}" for k in range(m["C1"].shape[0]))
    y = tuple(f"y{k}" for k in range(m["C"].shape[0]))
    plant = control.ss(
        m["A"],
        np.hstack([m["B1"], m["B"]]),
        np.vstack([m["C1"], m["C"]]),
        np.block([[m["D11"], m["D12"]], [m["D21"], np.zeros((len(y), len(u)))]]),
        inputs=[*w, *u],
        outputs=[*z, *y],
    )
    table = {c: {s: Tunable(f"{c}<-{s}", lower=-1e4, upper=1e4, scale=1.0) for s in y} for c in u}
    return OutputFeedback(plant, w, z, gains(table))


def static_feedback(name: str, starts: int = 10, time_limit: float = 60.0) -> float:
    """Least H-infinity norm that static output feedback was found to reach."""
    p = problem(name)
    result = tune(p.plant, p.structure, soft=[Gain(p.disturbances, p.judged)], starts=starts, time_limit=time_limit)
    return result.soft if result.certified else np.inf


def floor_of(name: str) -> float:
    """Least norm that any controller can reach."""
    p = problem(name)
    return hinf_floor(p.plant, controls=len(p.structure.controls), measurements=len(p.structure.measured))


@dataclass(frozen=True)
class Comparison:
    """Results of ten and forty starts next to the floor; the median of all starts over the best one is the spread."""

    floor: float
    ten: float
    forty: float
    spread: float


def compare(name: str, time_limit: float = 20.0) -> Comparison:
    """Ten starts, and thirty others."""
    p = problem(name)
    soft = [Gain(p.disturbances, p.judged)]
    few, more = (
        tune(p.plant, p.structure, soft=soft, starts=starts, seed=seed, time_limit=time_limit)
        for starts, seed in ((10, 0), (30, 1))
    )
    reached = [value for r in (few, more) for what, value in r.history if what.startswith("start") and ":" not in what]
    return Comparison(floor_of(name), few.soft, min(few.soft, more.soft), float(np.median(reached)) / min(reached))


if __name__ == "__main__":  # the table of docs/robust_control.md
    print("| problem | floor | ten starts | forty | median |\n| --- | --- | --- | --- | --- |")
    for key in problems():
        c = compare(key)
        print(f"| {key} | {c.floor:.5g} | {c.ten:.5g} | {c.forty:.5g} | {c.spread:.3g} |", flush=True)
