"""Campaigns in the studio: what a page gets while members are finished, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dalembert as da
from dalembert.cli.app import run as run_command
from dalembert.cli.studio import _campaign
from dalembert.view import Studio
from dalembert.view.studio.campaigns import FollowedCampaign
from dalembert.view.studio.session import Session


def halves(x: float) -> dict[str, float]:
    """A number, and one that is not finite for some members; it refuses others."""
    if x > 9.0:
        raise ValueError("too large")
    return {"half": x / 2, "log": float("nan") if x < 2.0 else x}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    da.campaign(halves, vary={"x": list(range(1, 11))}, sampling="grid", chunk=4, workers=1, store=tmp_path / "c")
    return tmp_path / "c"


def test_rows_are_sent_once_as_their_chunks_come(folder: Path) -> None:
    later = folder / "rows" / "000001.parquet"
    later.rename(folder / "later")
    followed = FollowedCampaign(da.open_campaign(folder))
    first = followed.rows(0)
    assert (first["done"], first["members"], first["failed"]) == (6, 10, 1)
    assert first["quantities"] == ["x"] and set(first["measures"]) == {"half", "log"}
    at = 1 + [*first["quantities"], *first["measures"]].index("log")
    assert {row[0]: row[at] for row in first["rows"]} == {0: None, 1: 2.0, 2: 3.0, 3: 4.0, 8: 9.0, 9: None}
    json.dumps(first, allow_nan=False)
    (folder / "later").rename(later)
    more = followed.rows(len(first["rows"]))
    assert more["done"] == 10 and [row[0] for row in more["rows"]] == [4, 5, 6, 7]
    assert followed.rows(10)["rows"] == [] and len(followed.rows(0)["rows"]) == 10


def test_a_campaign_that_is_in_memory_is_shown_too() -> None:
    members = da.campaign(halves, vary={"x": [1.0, 3.0]}, sampling="grid", workers=1)
    followed = FollowedCampaign(members)
    assert followed.rows(0)["done"] == followed.rows(0)["done"] == 2


def test_refusals(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    followed = FollowedCampaign(da.open_campaign(folder))
    for since in (-1, "0", True, None):
        with pytest.raises(da.InputError, match="since must be a number of rows"):
            followed.rows(since)
    with pytest.raises(da.InputError, match="follows no campaign"):
        Session().answer("campaign", {})
    with pytest.raises(da.InputError, match="a campaign needs its experiment"):
        Studio(campaign=da.open_campaign(folder))
    assert run_command(["studio", str(folder), "--no-browser"]) != 0
    assert "was not started from a file" in capsys.readouterr().err
    assert run_command(["studio", str(folder.parent), "--no-browser"]) != 0
    assert "there is no campaign in this folder" in capsys.readouterr().err


def test_the_folder_of_a_campaign_file_is_opened(tmp_path: Path) -> None:
    (tmp_path / "many.yaml").write_text(
        "machine: double-pendulum\nvary: {q0.q_1: {uniform: [0.1, 0.3]}}\nn: 2\n"
        "measure: {peak: {of: q_2, by: max abs}}\nsimulation: {duration: 0.1}\n"
    )
    assert run_command(["campaign", str(tmp_path / "many.yaml"), "--workers", "1"]) == 0
    experiment, members = _campaign(tmp_path / "many")
    assert experiment.duration == 0.1 and members.measures == ["peak"]
