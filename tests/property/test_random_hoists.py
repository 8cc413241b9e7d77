"""Random machines with ropes: every solution obeys the law of its sheaves, energy closes, and every jam is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.random_hoists import hoist, holds, judged

import dalembert as da

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "random" / "hoists.json"


# 1: a span that cannot change its length follows the limit of its sheave while others slip; 8, 11: by time-stepping
# 43, 178: rows that vanish have no pivot; 778: two sheaves come to touch; 1648, 2925: two sheaves begin to slip at once
@pytest.mark.parametrize("number", [*range(12), 24, 39, 43, 84, 178, 778, 1648, 1877, 2925])
def test_hoist(number: int) -> None:
    result = judged(number)
    assert holds(result), result


@pytest.mark.slow
@pytest.mark.parametrize("hundred", [0, *(pytest.param(k, marks=pytest.mark.long) for k in (1, 2))])
def test_many_hoists(hundred: int) -> None:
    wrong = {k: r for k in range(100 * hundred + 12, 100 * hundred + 100) if not holds(r := judged(k))}
    assert not wrong, wrong


@pytest.mark.slow
def test_energy_closes_with_tighter_tolerances() -> None:
    """All machines whose energy drifts by more than 1e-9 at rtol 1e-9: the drift is an error of integration."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))
    worst = stored["drifts above 1e-9 at rtol 1e-9, and at rtol 1e-10"]
    for number in map(int, worst):
        run = da.simulate(hoist(number), backend="vm", method=da.DormandPrince(rtol=1e-10, atol=1e-12), record=5e-3)
        assert run.energy.drift < 1e-9, number


def test_hoists_are_the_same_again() -> None:
    assert hoist(3).machine == hoist(3).machine
    assert hoist(3).machine != hoist(4).machine


def test_stored_results() -> None:
    """The summary of all machines: every solution obeys the law, every jam is named, and none is silent."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert stored["machines"] == stored["completed"] + stored["stopped at an event"] + len(stored["named jams"])
    assert stored["machines"] == 3000 and not stored["others"]
    assert stored["largest violation event by event"] <= 1e-9 and stored["largest drift event by event"] <= 1e-7
    assert stored["largest violation in steps"] <= 1e-3
