"""Static output feedback on problems of COMPleib: results of synthesis next to the floor of any controller."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from time import process_time
from typing import Any

import numpy as np

from dalembert.control.floor import hinf_floor
from dalembert.control.structured import Gain, Structure, TuneResult, gains, tune

__all__ = ["BEST", "OutputFeedback", "floor_of", "missed_by_default", "problem", "problems", "static_feedback", "tuned"]

# Least certified norms that any of our searches has reached, with bounded and with unbounded gains.
BEST = {
    "AC1": 4.6888e-19,
    "AC2": 0.111489,
    "AC3": 3.4102,
    "AC4": 0.935467,
    "AC6": 4.11396,
    "AC7": 0.0650907,
    "AC8": 2.005,
    "AC9": 1.00409,
    "AC12": 0.167289,
    "AC15": 15.1687,
    "AC16": 14.8561,
    "AC17": 6.6124,
    "HE1": 0.153821,
    "HE3": 0.820311,
    "HE4": 23.9192,
    "HE5": 8.89516,
    "REA1": 0.865607,
    "REA3": 74.251,
    "DIS1": 4.16083,
    "DIS2": 1.02295,
    "DIS3": 1.0902,
    "DIS4": 0.738055,
    "TG1": 12.846,
    "AGS": 8.1732,
    "WEC2": 4.2477,
    "WEC3": 4.47219,
    "BDT1": 0.26621,
    "MFP": 31.5899,
    "IH": 1.3257,
    "CSE1": 0.019881,
    "EB1": 3.1225,
    "EB2": 2.0201,
    "EB3": 2.0575,
    "EB4": 2.05639,
    "PSM": 0.92024,
    "NN2": 2.22158,
    "NN9": 28.6929,
    "NN11": 0.0925814,
    "NN16": 0.95556,
    "NN17": 11.218,
}


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
    """A problem with a full matrix of gains, without bounds."""
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
    return OutputFeedback(plant, w, z, gains({c: dict.fromkeys(y) for c in u}))


def tuned(name: str, **settings: Any) -> TuneResult:
    """Static output feedback of least H-infinity norm, by default settings of `tune` or by others."""
    p = problem(name)
    return tune(p.plant, p.structure, soft=[Gain(p.disturbances, p.judged)], **settings)


def static_feedback(name: str, **settings: Any) -> float:
    """Least H-infinity norm that static output feedback was found to reach, by default settings or by others."""
    result = tuned(name, **settings)
    return result.soft if result.certified else np.inf


def floor_of(name: str) -> float:
    """Least norm that any controller can reach."""
    p = problem(name)
    return hinf_floor(p.plant, controls=len(p.structure.controls), measurements=len(p.structure.measured))


def missed_by_default(names: Sequence[str]) -> list[str]:
    """Problems on which default settings do not come within one per cent of the best known norm, with a certificate."""
    return [name for name in names if not static_feedback(name) <= 1.01 * BEST[name]]


if __name__ == "__main__":  # the table of docs/robust_control.md, of some problems or of all
    print("| problem | floor | best known | default | ratio | time [s] |\n| --- | --- | --- | --- | --- | --- |")
    for key in sys.argv[1:] or problems():
        began = process_time()
        found = tuned(key)
        took = process_time() - began
        norm = found.soft if found.certified else np.inf
        row = f"{floor_of(key):.5g} | {BEST[key]:.5g} | {norm:.5g} | {norm / BEST[key]:.4f} | {took:.1f}"
        print(f"| {key} | {row} |", flush=True)
