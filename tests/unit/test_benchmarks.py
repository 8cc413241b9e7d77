"""The benchmark runs from end to end; what it measures is judged by people, not by a test."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from dalembert import benchmarks
from dalembert.benchmarks import measure
from dalembert.benchmarks.contenders import Contender, contenders, make_case
from dalembert.benchmarks.pinocchio_cpp import load_loop
from dalembert.benchmarks.robots import ROBOTS, robot_file, robot_machine
from dalembert.core.errors import BuildError, InputError, UnknownNameError

ROW = {
    "robot": str,
    "title": str,
    "nv": int,
    "operations": int,
    "contender": str,
    "name": str,
    "median_ns": float,
    "least_ns": float,
    "ratio": float,
    "difference": float,
    "agrees": bool,
}


@pytest.fixture(autouse=True)
def _robots() -> None:
    try:
        robot_file("ur5")
    except InputError as error:
        pytest.skip(str(error))


def test_quick_benchmark_writes_all_fields(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bench.json"
    assert benchmarks.main(json=str(path), quick=True) == 0
    assert "UR5: 6 degrees of freedom" in capsys.readouterr().out
    figures = json.loads(path.read_text())
    assert set(figures) == {"date", "command", "machine", "versions", "settings", "results", "skipped"}
    assert figures["date"].endswith("+00:00")
    assert figures["versions"]["casadi"] and figures["machine"]["cores"] >= 1
    assert figures["settings"]["quick"] is True
    keys = {row["contender"] for row in figures["results"]} | {row["contender"] for row in figures["skipped"]}
    assert {"native-call", "native-batch", "native-python", "casadi-vm", "pinocchio-cpp", "mujoco-c"} <= keys
    for row in figures["results"]:
        assert {k: type(v) for k, v in row.items()} == ROW, row
        assert row["agrees"] and 0.0 < row["least_ns"] <= row["median_ns"] < math.inf
    reference = next(row for row in figures["results"] if row["contender"] == "native-call")
    assert reference["ratio"] == 1.0
    assert all(row["reason"] for row in figures["skipped"])


def test_json_to_the_standard_output_is_only_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert benchmarks.main(json="-", quick=True) == 0
    assert json.loads(capsys.readouterr().out)["results"]


def test_without_a_compiler_the_others_still_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DALEMBERT_BACKEND", "vm")
    figures = benchmarks.run_bench(quick=True)
    measured = {row["contender"] for row in figures["results"]}
    assert "casadi-vm" in measured and "native-call" not in measured
    assert all(row["ratio"] is None for row in figures["results"])
    assert "no C compiler" in {s["reason"] for s in figures["skipped"]}


def test_missing_peers_are_skipped_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pinocchio", "mujoco"):
        monkeypatch.setitem(sys.modules, name, None)
    figures = benchmarks.run_bench(quick=True)
    reasons = {s["contender"]: s["reason"] for s in figures["skipped"]}
    assert reasons["pinocchio-python"] == "not installed (pip install pin)"
    assert reasons["mujoco-python"] == "not installed (pip install mujoco)"
    assert {row["contender"] for row in figures["results"]} >= {"native-call", "casadi-vm"}


def test_a_wrong_contender_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    case = make_case("ur5", 4)
    wrong = Contender("wrong", "wrong", lambda: None, lambda: np.zeros((64, case.eom.nv)))
    monkeypatch.setattr("dalembert.benchmarks.bench.contenders", lambda *a, **k: iter([wrong]))
    assert benchmarks.main(quick=True) == 1


def test_contenders_agree_on_a_floating_robot() -> None:
    case = make_case("anymal", 3)
    reference = case.eom.forward_dynamics(case.q, case.v, case.tau)
    seen = []
    for contender in contenders(case, build=False, announce=lambda _: None):
        if isinstance(contender, Contender):
            contender.run()
            np.testing.assert_allclose(contender.accelerations(), reference, rtol=1e-8, atol=1e-8)
            seen.append(contender.key)
    assert "native-call" in seen


@pytest.mark.slow
@pytest.mark.peer
def test_pinocchio_in_cpp_agrees() -> None:
    case = make_case("panda", 3)
    reference = case.eom.forward_dynamics(case.q, case.v, case.tau)
    found = {c.key: c for c in contenders(case, build=True, announce=lambda _: None)}
    for key in ("pinocchio-cpp", "pinocchio-cpp-world"):
        contender = found[key]
        if not isinstance(contender, Contender):
            pytest.skip(contender.reason)
        contender.run()
        np.testing.assert_allclose(contender.accelerations(), reference, rtol=1e-9)


def test_the_long_build_waits_for_leave(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("dalembert.benchmarks.pinocchio_cpp.cache_directory", lambda: tmp_path)
    with pytest.raises(BuildError, match=r"not built yet|no headers of|no C\+\+ compiler"):
        load_loop(build=False, announce=pytest.fail)


def test_no_compiler_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(BuildError, match=r"no C\+\+ compiler"):
        load_loop()


def test_turns_are_interleaved_and_counted() -> None:
    calls: list[str] = []
    runs = {name: (lambda name=name: calls.append(name), 10) for name in "ab"}
    timings = measure.interleave(runs, repetitions=3, duration=1e-12)
    assert calls == [*"aabb", *"ababab"]  # warmed up and calibrated first
    assert all(0.0 < t.least <= t.median for t in timings.values())


def test_every_robot_is_there() -> None:
    assert [robot_machine(name).nv for name in ROBOTS] == [6, 7, 18, 38]


def test_wrong_names_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"no robot named 'r2d2'.*anymal, panda, talos, ur5"):
        benchmarks.main(robots=["r2d2"])
    with pytest.raises(UnknownNameError, match="no robot named 'r2d2'"):
        robot_file("r2d2")
    with pytest.raises(InputError, match=r"folder .* does not exist"):
        benchmarks.main(json=str(tmp_path / "nowhere" / "x.json"), quick=True)
