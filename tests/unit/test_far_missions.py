"""Missions from a hold point in orbit: the stored campaign, and some of its members flown again."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert import control
from dalembert.studies.space_robot.far_missions import fly_mission, mission_chaser, mission_table, outcome_table
from dalembert.studies.space_robot.fast_debris import limit_table, plan_case

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "capture_mission.md").read_text()


def _stored(speed: str) -> list[dict[str, Any]]:
    stored = json.loads((ROOT / "docs" / "results" / "random" / f"missions-{speed}.json").read_text())
    assert stored["speed"] == float(speed)
    return list(stored["missions"])


ROWS = {speed: _stored(speed) for speed in ("4", "6", "8")}


def test_the_chaser_of_the_campaign_has_nozzles_and_wheels() -> None:
    """Nothing else moves or turns its base; its wheels give the 5 N m of the plan about all axes at once."""
    machine = mission_chaser()
    assert all(jet.one_sided and jet.effort == 10.0 and not any(jet.torque) for jet in machine.thrusters)
    shared = control.allocate(da.equations(machine, backend="vm"), wheels=True)
    assert shared.wheels == ("wheel1", "wheel2", "wheel3", "wheel4") and len(shared.jets) == 24
    assert np.allclose(shared.capacity, [20.0] * 3 + [6.5 * 4.0 / np.sqrt(3.0)] * 3)
    for signs in itertools.product((-5.0, 5.0), repeat=3):
        assert np.abs(shared(np.array([0.0, 0.0, 0.0, *signs]))).max() <= 6.5


@pytest.mark.parametrize("speed", ROWS)
def test_stored_missions_are_those_of_the_page(speed: str) -> None:
    """Each seed is there once, captured or with its reason; the page prints what is stored."""
    rows = ROWS[speed]
    seeds = [row["seed"] for row in rows]
    assert seeds == sorted(set(seeds)) and set(seeds) <= set(range(200))
    for row in rows:
        assert row["captured"] or row["reason"] or row["requirements"]
        assert row["wheels"] < 60.0 and (not row["times"] or row["propellant"]["way"] > 0.0)
    table = outcome_table(rows)
    assert sum(table.values()) == len(rows)
    figures = "; ".join(f"{name}: {n}" for name, n in table.items() if name != "captured") or "none"
    assert f"| {speed} | {len(rows)} | {table['captured']} | {figures} |" in PAGE


def test_the_table_of_figures_is_that_of_the_stored_missions() -> None:
    for lines in zip(*(mission_table(ROWS[speed]) for speed in ROWS), strict=True):
        cells = [f"{x:.3g}" for line in lines for x in line[1:]]
        assert f"| {lines[0][0]} | " + " | ".join(cells) + " |" in PAGE, lines[0][0]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 7))])
def test_members_of_the_campaign_fly_again(seed: int) -> None:
    row, stored = fly_mission(seed, 4.0), next(x for x in ROWS["4"] if x["seed"] == seed)
    assert row["captured"] == stored["captured"], row["reason"]
    assert row["times"]["way"] == pytest.approx(stored["times"]["way"], abs=0.1)
    assert sum(row["propellant"].values()) == pytest.approx(sum(stored["propellant"].values()), rel=0.05)


FAST = json.loads((ROOT / "docs" / "results" / "random" / "fast_debris.json").read_text())


def test_stored_plans_of_faster_debris_are_those_of_the_page() -> None:
    """200 cases each; every case without a plan names its limits, and the page prints how many each one stops."""
    for speed, rows in FAST.items():
        assert [row["seed"] for row in rows] == list(range(200))
        assert all(row["planned"] or all(n > 0 for n, _, _ in row["failed"].values()) for row in rows)
        table = limit_table(rows)
        assert sum(table.values()) == 200
        torque = sorted(row["failed"]["base torque"][1] for row in rows if not row["planned"])
        assert min(torque) > 3.75  # the limit
        figures = (table["planned"], table["base torque"], table.get("room to the joint range", 0))
        assert f"| {speed} | " + " | ".join(map(str, figures)) + f" | {torque[0]:.3g} | " in PAGE


@pytest.mark.slow
@pytest.mark.parametrize("speed", sorted(FAST))
def test_plans_of_faster_debris_are_found_again(speed: str) -> None:
    for seed in (0, 5):
        row, stored = plan_case(seed, float(speed)), FAST[speed][seed]
        assert row["planned"] == stored["planned"]
        if not row["planned"]:
            assert {k: list(x) for k, x in row["failed"].items()} == stored["failed"]
