"""Missions from a hold point in orbit: the stored campaign, and some of its members flown again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dalembert.studies.space_robot.far_missions import fly_mission, mission_table
from dalembert.studies.space_robot.fast_debris import limit_table, plan_case

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
@pytest.mark.parametrize("seed", sorted(ROWS)[1:7])
def test_members_of_the_campaign_fly_again(seed: int) -> None:
    row = fly_mission(seed, STORED["speed"])
    stored = ROWS[seed]
    assert row["captured"] == stored["captured"], row["reason"]
    assert row["times"]["way"] == pytest.approx(stored["times"]["way"], abs=0.1)
    assert sum(row["propellant"].values()) == pytest.approx(sum(stored["propellant"].values()), rel=0.05)


FAST = json.loads((ROOT / "docs" / "results" / "random" / "fast_debris.json").read_text())


def test_stored_plans_of_faster_debris_are_those_of_the_page() -> None:
    """200 cases each; every case without a plan names its limits, and the page prints how many each one stops."""
    page = (ROOT / "docs" / "capture_mission.md").read_text()
    for speed, rows in FAST.items():
        assert [row["seed"] for row in rows] == list(range(200))
        assert all(row["planned"] or all(n > 0 for n, _, _ in row["failed"].values()) for row in rows)
        table = limit_table(rows)
        assert sum(table.values()) == 200
        torque = sorted(row["failed"]["base torque"][1] for row in rows if not row["planned"])
        assert min(torque) > 3.75  # the limit
        figures = (table["planned"], table["base torque"], table.get("room to the joint range", 0))
        assert f"| {speed} | " + " | ".join(map(str, figures)) + f" | {torque[0]:.3g} | " in page


@pytest.mark.slow
@pytest.mark.parametrize("speed", sorted(FAST))
def test_plans_of_faster_debris_are_found_again(speed: str) -> None:
    for seed in (0, 5):
        row, stored = plan_case(seed, float(speed)), FAST[speed][seed]
        assert row["planned"] == stored["planned"]
        if not row["planned"]:
            assert {k: list(x) for k, x in row["failed"].items()} == stored["failed"]
