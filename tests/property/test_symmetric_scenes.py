"""Random scenes that are their own mirror image stay so, event by event and by time-stepping."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.support.symmetric_scenes import BOUND, judged, scene

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "random" / "symmetric-scenes.json"


@pytest.mark.parametrize("number", [1, 2, 4, 5, 7, 8, 54, 126, 144, 514])
def test_scene(number: int) -> None:
    result = judged(number)
    assert result["status"] == "completed" and result["asymmetry"] <= BOUND, result
    assert result["transitions"] == 10


@pytest.mark.slow
def test_more_scenes() -> None:
    """Those whose steps were once not solved, whose slips need adaptive steps, and whose edges meet."""
    for number in (*range(9, 36), 69, 139, 166, 176, 277, 284, 412, 544, 552, 723, 910):
        result = judged(number)
        assert result["status"] == "completed" and result["asymmetry"] <= BOUND, (number, result)


def test_scenes_are_the_same_again() -> None:
    assert scene(2).machine == scene(2).machine
    assert scene(2).machine != scene(4).machine


def test_stored_results() -> None:
    """All scenes complete; two differ by more than the bound, by the speed at which a slip ends."""
    stored = list(json.loads(RESULTS.read_text(encoding="utf-8")).values())
    assert len(stored) == 1000
    assert all(result["status"] == "completed" for result in stored)
    asymmetry = np.array([result["asymmetry"] for result in stored])
    assert np.sum(asymmetry > BOUND) <= 2 and asymmetry.max() < 1e-8
    assert np.median(asymmetry) < 1e-13
