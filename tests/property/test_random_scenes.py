"""Random scenes with colliders: contacts give no energy, nothing sinks in, and every run completes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.random_scenes import judged, scene

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "random" / "collider-scenes.json"


def holds(result: dict[str, Any]) -> bool:
    """Whether a scene completed within the bounds of energy and depth."""
    return result["status"] == "completed" and result["gain"] <= 1e-9 and result["depth"] <= 1.0


@pytest.mark.parametrize("number", [*range(8), 9, 18, 40])
def test_scene(number: int) -> None:
    result = judged(number)
    assert holds(result), result


def test_scenes_touch_and_are_the_same_again() -> None:
    assert scene(3).machine == scene(3).machine
    assert scene(3).machine != scene(4).machine


def test_stored_results() -> None:
    """At least 99 of 100 scenes hold; the others end with a named error."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))
    held = np.array([holds(result) for result in stored.values()])
    assert len(held) >= 200
    assert held.mean() >= 0.99
    assert sum(result.get("contacts", 0) for result in stored.values()) > 3 * len(stored)
    broken = [result for result, good in zip(stored.values(), held, strict=True) if not good]
    assert all(result["status"] != "completed" and result["message"] for result in broken), broken
