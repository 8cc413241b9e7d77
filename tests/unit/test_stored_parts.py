"""Long parts of the study `robust-control`: stored with their date, resumed, and named as stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dalembert.core.errors import UnknownNameError
from dalembert.studies import expected_values, run_study
from dalembert.studies.robust_control import stored, study


def test_an_interrupted_computation_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, calls = tmp_path / "stored.json", []

    def part(name: str) -> Iterator[tuple[str, float]]:
        calls.append(name)
        if name == "second" and len(calls) == 2:
            raise KeyboardInterrupt
        yield name, 1.0

    parts = {name: lambda name=name: part(name) for name in ("first", "second")}
    with pytest.raises(KeyboardInterrupt):
        stored.recompute(parts, path, tell=lambda line: None)
    stored.recompute(parts, path, tell=lambda line: None)
    assert calls == ["first", "second", "second"]
    kept = stored.read_parts(path)
    assert {n: p.values for n, p in kept.items()} == {"first": {"first": 1.0}, "second": {"second": 1.0}}
    assert {p.digest for p in kept.values()} == {stored.code_digest()}
    monkeypatch.setattr(stored, "code_digest", lambda: "other")  # of other code: computed again
    stored.recompute(parts, path, tell=lambda line: None)
    stored.recompute(parts, path, again=["first"], tell=lambda line: None)
    assert calls[3:] == ["first", "second", "first"]


def test_stored_rows_are_named_and_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = stored.read_parts()
    assert set(parts) <= set(study.LONG)
    long = {name for name, part in parts.items() if not part.takes_at_most(120.0)}
    assert {key for part in parts.values() for key in part.values} <= set(expected_values("robust-control").entries)
    monkeypatch.setattr(study, "results", lambda *, full: study._long_parts())
    monkeypatch.setattr(study, "_JOBS", tuple(job for job in study._JOBS if study._name(job) in long))
    rows = []
    with pytest.raises(UnknownNameError, match=r"spike\.lower"):  # rows of the parts that were left out
        for row in run_study("robust-control"):
            rows.append(row)
    assert len(rows) == sum(len(parts[name].values) for name in long)
    assert all(row.stored.startswith("20") and row.as_dict()["stored"] == row.stored for row in rows)
    assert not [row.quantity for row in rows if row.missed]
