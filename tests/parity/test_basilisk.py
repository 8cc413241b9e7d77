"""Wheels with friction and jets beside stored results of Basilisk."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dalembert.benchmarks.basilisk import SCENARIOS, compare, fly_jets

ROOT = Path(__file__).parents[2]
STORED = json.loads((ROOT / "docs" / "results" / "peers" / "basilisk.json").read_text())


def test_wheels_and_jets_move_as_those_of_basilisk() -> None:
    """Rounding until a wheel passes zero; jets differ by a sixth of Basilisk's step, which falls with it."""
    assert STORED["steps"] == [1e-2, 1e-3]
    found = compare(STORED)
    assert max(found["wheels"]["before"]) < 1e-13
    assert max(found["wheels"]["speeds"]) < 1e-3 and max(found["wheels"]["rate"]) < 1e-7
    thrust, mass = SCENARIOS["jets"]["thrust"], SCENARIOS["jets"]["mass"]
    for step, miss in zip(STORED["steps"], found["jets"]["velocity"], strict=True):
        assert miss == pytest.approx(thrust / mass * step / 6.0, rel=0.1)
    page = (ROOT / "docs" / "space_robots.md").read_text()
    for name in ("rate", "velocity"):
        assert " and ".join(f"{x:.1e}" for x in found["jets"][name]) in page, found["jets"]


def test_the_propellant_of_the_jets_is_their_impulse() -> None:
    data = SCENARIOS["jets"]
    used = fly_jets(data)["propellant"][-1]
    impulse = data["thrust"] * sum(x["open"] for x in data["jets"])
    assert np.isclose(used, impulse / (9.80665 * data["specific_impulse"]), rtol=1e-12)
