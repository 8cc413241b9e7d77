"""Missions from a hold point in orbit: the stored campaign, and some of its members flown again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dalembert.studies.space_robot.far_missions import fly_mission, mission_table

ROOT = Path(__file__).parents[2]
STORED = json.loads((ROOT / "docs" / "results" / "random" / "missions.json").read_text())
ROWS = {row["seed"]: row for row in STORED["missions"]}


def test_stored_missions_are_the_table_of_the_page() -> None:
    """Every seed from zero on is there, captured or with its reason; the page prints what is stored."""
    assert STORED["speed"] == 4.0 and sorted(ROWS) == list(range(len(ROWS))) and len(ROWS) >= 3
    for row in ROWS.values():
        assert row["captured"] or row["reason"] or row["requirements"]
    page = (ROOT / "docs" / "capture_mission.md").read_text()
    captured = sum(row["captured"] for row in ROWS.values())
    assert f"{captured} of {len(ROWS)} missions end captured and at rest" in page
    for name, *values in mission_table(STORED["missions"]):
        assert f"| {name} | " + " | ".join(f"{x:.3g}" for x in values) + " |" in page, name


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, *(pytest.param(k, marks=pytest.mark.long) for k in sorted(ROWS)[2:7])])
def test_members_of_the_campaign_fly_again(seed: int) -> None:
    row = fly_mission(seed, STORED["speed"])
    stored = ROWS[seed]
    assert row["captured"] == stored["captured"], row["reason"]
    assert row["times"]["way"] == pytest.approx(stored["times"]["way"], abs=0.1)
    assert sum(row["propellant"].values()) == pytest.approx(sum(stored["propellant"].values()), rel=0.05)
