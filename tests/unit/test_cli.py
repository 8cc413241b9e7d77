"""The command line: what it prints, what it writes, and how it fails."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

import dalembert as da
from dalembert.cli.app import app, run
from dalembert.control.law_blocks import law_block
from dalembert.io.control_blocks import make_law
from dalembert.studies import Row
from dalembert.systems import SYSTEMS

PENDULUM = """
name: pendulum
parameters: {m: 1.0}
bodies:
  bob: {point_mass: {mass: m, com: [0, 0, -0.5]}}
joints:
  theta: {kind: revolute, parent: world, child: bob, axis: [0, 1, 0]}
motors:
  theta: {effort: 20.0}
simulation:
  duration: 0.5
  step: 0.01
  q0: {theta: 0.3}
"""

URDF = """
<robot name="one">
  <link name="base"/>
  <link name="arm">
    <inertial><origin xyz="0.2 0 0"/><mass value="1.5"/>
      <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="q" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own with a machine file and a URDF, as current folder."""
    (tmp_path / "pendulum.yaml").write_text(PENDULUM, encoding="utf-8")
    (tmp_path / "one.urdf").write_text(URDF, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(here: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    def do(*arguments: str) -> tuple[int, str, str]:
        status = run(arguments)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return do


# -- as a process -----------------------------------------------------------------------------------------------------


def process(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dalembert", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(da.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_process_leaves_with_the_status_and_no_traceback(here: Path) -> None:
    wrong = process("simulate", "nothing.yaml", cwd=here)
    assert wrong.returncode == 2
    assert wrong.stdout == ""
    assert wrong.stderr.splitlines() == [
        "dalembert: error: 'nothing.yaml' is neither a file nor a ready-made machine; "
        f"ready-made are: {', '.join(sorted(SYSTEMS))}"
    ]
    right = process("--version", cwd=here)
    assert (right.returncode, right.stdout, right.stderr) == (0, f"dalembert {da.__version__}\n", "")


def test_help_loads_nothing_heavy(here: Path) -> None:
    program = (
        "import sys; from dalembert.cli.app import run; status = run(['--help']);"
        "print({m.split('.')[0] for m in sys.modules} & {'matplotlib', 'scipy', 'sympy', 'xarray', 'yaml', 'control'})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(Path(da.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    for command in ("demo", "systems", "simulate", "verify", "reproduce", "bench"):
        assert re.search(rf"^  {command} ", done.stdout, re.M)
    assert done.stdout.splitlines()[-1] == "set()"


# -- systems ----------------------------------------------------------------------------------------------------------


def test_systems(call: Call) -> None:
    status, out, _ = call("systems")
    assert status == 0
    assert all(name in out for name in SYSTEMS)
    assert "ROBOTICS" in out
    status, out, _ = call("systems", "show", "pr-robot")
    assert status == 0
    assert "mass [kg]" in out
    assert "coordinates: q_1, q_2" in out


@pytest.mark.parametrize("name", ["pr-robot", "six-axis-arm"])
def test_a_system_can_be_written_and_simulated_from_its_file(call: Call, here: Path, name: str) -> None:
    status, out, _ = call("systems", "--yaml", name)
    assert status == 0
    Path("mine.yaml").write_text(out, encoding="utf-8")
    status, out, err = call("simulate", "mine.yaml", "--duration", "0.02")
    assert (status, err) == (0, "")
    assert f"Run of '{name}': completed" in out


# -- simulate ---------------------------------------------------------------------------------------------------------


def test_simulate_follows_the_file_and_writes_what_is_asked_for(call: Call, here: Path) -> None:
    files = ["--out", "run.nc", "--csv", "run.csv", "--plot", "run.png"]
    status, out, err = call("simulate", "pendulum.yaml", *files)
    assert (status, err) == (0, "")
    assert [line for line in out.splitlines() if line.startswith("written:")] == [
        "written: run.nc",
        "written: run.csv",
        "written: run.png",
    ]
    saved = da.load_run("run.nc")
    assert saved.t[-1] == 0.5
    assert saved["theta"][0] == 0.3
    assert len(saved.t) == 51
    assert Path("run.csv").read_text(encoding="utf-8").splitlines()[0].startswith("t,")
    assert Path("run.png").stat().st_size > 10_000


def test_options_win_over_the_file(call: Call, here: Path) -> None:
    options = ["--duration", "0.2", "--step", "0.05", "--q0", "theta=0.1", "--v0", "theta_dot=-1", "-p", "m=3"]
    status, _, _ = call("simulate", "pendulum.yaml", *options, "--out", "run.nc")
    saved = da.load_run("run.nc")
    assert status == 0
    assert (saved.t[-1], len(saved.t), saved["theta"][0], saved["theta_dot"][0]) == (0.2, 5, 0.1, -1.0)
    assert saved["energy.kinetic"][0] == pytest.approx(3 * 0.5**2 / 2)


def test_a_run_goes_on_from_its_file(call: Call, here: Path) -> None:
    for arguments in (["--out", "whole.nc", "--duration", "2"], ["--out", "half.nc", "--duration", "1"]):
        assert call("simulate", "pendulum.yaml", "--q0", "theta=1", *arguments)[0] == 0
    assert call("simulate", "pendulum.yaml", "--start", "half.nc", "--duration", "1", "--out", "rest.nc")[0] == 0
    whole, half, rest = (da.load_run(f"{name}.nc") for name in ("whole", "half", "rest"))
    assert np.array_equal(half.append(rest).x, whole.x)
    status, _, error = call("simulate", "pendulum.yaml", "--start", "half.nc", "--q0", "theta=1")
    assert status == 2 and "give either start (an earlier run) or q0 and v0" in error


def test_simulate_accepts_a_urdf(call: Call, here: Path) -> None:
    status, out, _ = call("simulate", "one.urdf", "--duration", "0.1", "--method", "dopri5")
    assert status == 0
    assert "Run of 'one': completed" in out


def test_control_of_the_file_is_used(call: Call, here: Path) -> None:
    text = PENDULUM + "  control: {law: pd, kp: 400, kd: 20, reference: [1.0], gravity: true}\n"
    Path("driven.yaml").write_text(text, encoding="utf-8")
    status, _, _ = call("simulate", "driven.yaml", "--duration", "3", "--out", "run.nc")
    assert status == 0
    assert da.load_run("run.nc")["theta"][-1] == pytest.approx(1.0, abs=1e-3)


def test_a_diverging_simulation_fails_but_keeps_what_is_good(call: Call, here: Path) -> None:
    stiff = PENDULUM.replace("axis: [0, 1, 0]", "axis: [0, 1, 0], stiffness: 1.0e+6")
    Path("stiff.yaml").write_text(stiff, encoding="utf-8")
    status, _, err = call("simulate", "stiff.yaml", "--step", "0.1", "--duration", "100", "--out", "run.nc")
    assert status == 2
    assert err.startswith("dalembert: error: ")
    assert len(err.splitlines()) == 1
    saved = da.load_run("run.nc")
    assert saved.status == "diverged"
    assert 0 < saved.t[-1] < 100


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["simulate", "pendulum.yaml", "--q0", "theta"], "--q0 must be NAME=VALUE with a number, got 'theta'"),
        (["simulate", "pendulum.yaml", "--q0", "theta=1", "--q0", "theta=2"], "--q0 names 'theta' more than once"),
        (["simulate", "pendulum.yaml", "--q0", "theta=x"], "--q0 must be NAME=VALUE with a number, got 'theta=x'"),
        (["simulate", "pendulum.yaml", "-p", "m"], "-p must be NAME=VALUE with a number, got 'm'"),
        (["simulate", "pendulum.yaml", "--q0", "phi=1"], "theta"),
        (["simulate", "pendulum.yaml", "-p", "m=-1"], "mass of body 'bob'"),
        (["simulate", "pendulum.yaml", "--method", "magic"], "magic"),
        (["simulate", "pendulum.yaml", "--duration", "-1"], "duration"),
        (["simulate", "pendulum.yaml", "--out", "no/such/run.nc"], "no such folder: no/such"),
        (["simulate", "pendulum.yaml", "--csv", "."], "cannot write .: it is a folder"),
        (["simulate", "pendulum.yaml", "--plot", "run.doc"], "cannot write run.doc: its name must end in"),
        (["simulate", "."], "'.' is a folder"),
        (["simulate", "notes.txt"], "notes.txt: expected a machine file (.yaml, .yml), a .urdf or an MJCF (.xml), got"),
        (["simulate", "broken.yaml"], "broken.yaml"),
        (["simulate", "law.yaml"], "no law named 'magic' in the control of the simulation; known: computed-torque"),
        (["verify", "broken.urdf"], "broken.urdf"),
        (["verify", "nothing"], "neither a file nor a ready-made machine"),
        (["simulate", "pendulm.yaml"], "nor a ready-made machine (did you mean 'pendulum.yaml'?); ready-made are"),
        (["studio", "spatial-crain"], "nor a ready-made machine (did you mean 'spatial-crane'?); ready-made are"),
        (["reproduce", "nothing"], "no study named 'nothing'; known:"),
        (["systems", "show", "nothing"], "no ready-made machine named 'nothing'; known: actuated-pendulum"),
        (["systems", "--yaml", "nothing"], "no ready-made machine named 'nothing'"),
        (["bench", "--robot", "nothing"], "no robot named 'nothing'"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(call: Call, here: Path, arguments: list[str], message: str) -> None:
    Path("notes.txt").write_text("hello", encoding="utf-8")
    Path("broken.yaml").write_text("name: x\nbodies: [", encoding="utf-8")
    Path("broken.urdf").write_text("<robot", encoding="utf-8")
    Path("law.yaml").write_text(PENDULUM + "  control: {law: magic}\n", encoding="utf-8")
    status, out, err = call(*arguments)
    assert status == 2
    assert out == ""
    assert err.startswith("dalembert: error: ")
    assert len(err.splitlines()) == 1
    assert message in err


@pytest.mark.parametrize(
    "arguments", [["simulate"], ["simulate", "a", "--what"], ["nonsense"], ["verify", "a", "--samples", "x"]]
)
def test_wrong_options_are_usage_errors(call: Call, arguments: list[str]) -> None:
    status, out, err = call(*arguments)
    assert (status, out) == (2, "")
    assert "Usage: dalembert" in err
    assert "Traceback" not in err


def test_warnings_are_one_line(call: Call, here: Path) -> None:
    Path("spare.yaml").write_text(PENDULUM.replace("{m: 1.0}", "{m: 1.0, spare: 2.0}"), encoding="utf-8")
    status, _, err = call("simulate", "spare.yaml", "--duration", "0.1")
    assert status == 0
    assert err.startswith("dalembert: warning: ")
    assert "spare" in err
    assert len(err.splitlines()) == 1


def test_letters_that_a_font_does_not_have_are_told_in_one_line(call: Call, here: Path) -> None:
    Path("chinese.yaml").write_text(PENDULUM.replace("name: pendulum", "name: 摆"), encoding="utf-8")
    status, out, err = call("simulate", "chinese.yaml", "--duration", "0.1", "--plot", "run.png")
    assert status == 0 and "written: run.png" in out
    assert all(line.startswith("dalembert: warning: Glyph") for line in err.splitlines())


# -- verify -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", ["pendulum.yaml", "one.urdf", "pr-robot"])
def test_verify(call: Call, machine: str) -> None:
    status, out, _ = call("verify", machine, "--samples", "3")
    assert status == 0
    assert "all formulations agree" in out
    assert "newton-euler | lagrange" in out


def test_verify_leaves_with_1_when_formulations_disagree(call: Call) -> None:
    """No residual of rounding is below a tolerance of 1e-300."""
    status, out, _ = call("verify", "double-pendulum", "--tolerance", "1e-300", "--samples", "3")
    assert status == 1
    assert "FAIL" in out
    status, out, _ = call("verify", "double-pendulum", "--tolerance", "1e-300", "--samples", "3", "--json")
    assert status == 1
    report = json.loads(out)
    assert report["ok"] is False
    assert {"quantity", "pair", "residual", "ok"} <= set(report["rows"][0])


# -- robust -----------------------------------------------------------------------------------------------------------

GAINS = ("--gain", "theta:theta=20", "--gain", "theta:theta_dot=4")


def test_robust_prints_margins_and_proves_ranges(call: Call, here: Path) -> None:
    status, out, _ = call("robust", "pendulum.yaml", *GAINS, "--range", "m=0.5:3", "--level", "1", "--out", "mu.png")
    assert status == 0 and "the loop is stable" in out and "proven at 1 over all frequencies" in out
    assert "0.5 to 3" in out and (here / "mu.png").exists()
    # m 0.25 a + 4 v + (m 9.81 0.5 - 20) is unstable from 20 / 4.905 = 4.08 kg on where gravity tips it over.
    upside = ("--at", "theta=3.141592653589793")
    status, out, _ = call("robust", "pendulum.yaml", *GAINS, *upside, "--range", "m=1:6", "--json", "--seconds", "10")
    answer = json.loads(out)
    assert status == 1 and answer["stable"] and not answer["proven"]
    assert answer["unstable at"]["m"] == pytest.approx(20 / (9.80665 * 0.5), rel=1e-3)
    assert answer["guaranteed"]["m"][1] < answer["unstable at"]["m"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "has no law"),
        (("--gain", "theta:theta"), "NAME=NUMBER"),
        (("--gain", "phi:theta=1"), "phi"),
        ((*GAINS, "--range", "m=1"), "NAME=LOW:HIGH"),
        ((*GAINS, "--range", "k=1:2"), "'k'"),
        ((*GAINS, "--out", "x.png"), "--range"),
    ],
)
def test_robust_refuses_by_name(call: Call, arguments: tuple[str, ...], words: str) -> None:
    status, _, err = call("robust", "pendulum.yaml", *arguments)
    assert status == 2 and words in err


def test_robust_takes_the_law_of_the_file(call: Call, here: Path) -> None:
    law = "  control: {law: pd, kp: 20.0, kd: 4.0, reference: [0.0]}\n"
    (here / "held.yaml").write_text(PENDULUM + law, encoding="utf-8")
    given = json.loads(call("robust", "pendulum.yaml", *GAINS, "--json")[1])
    held = json.loads(call("robust", "held.yaml", "--json")[1])
    assert held["slowest pole"] == pytest.approx(given["slowest pole"])


HOIST = """
name: hoist
bodies:
  rope: {}
  load: {point_mass: {mass: 2.0}}
joints:
  sway: {kind: revolute, parent: world, child: rope, axis: [0, 1, 0], damping: 0.6}
  l: {kind: prismatic, parent: rope, child: load, axis: [0, 0, -1], limits: {lower: 1.0, upper: 3.0}}
motors:
  M: {joint: sway}
  F: {joint: l}
"""
HOISTED = ("--gain", "M:sway_dot=20", "--gain", "F:l=30", "--gain", "F:l_dot=30")


@pytest.mark.slow
def test_robust_proves_rates_and_breaks_faster_ones(call: Call, here: Path) -> None:
    (here / "hoist.yaml").write_text(HOIST, encoding="utf-8")
    status, out, _ = call("robust", "hoist.yaml", *HOISTED, "--rate", "l=0.4", "--json")
    answer = json.loads(out)
    assert status == 0 and answer["proven"] and answer["ranges"] == {"l": [1.0, 3.0]}
    (row,) = answer["controllers"]
    assert row["proven"] and not row["broken"] and "none of" in row["falsification"]
    assert row["proven rates"]["l"] >= 0.4 and row["gain of"] == [["M", "F"], ["sway", "l"]]
    assert row["broken rates"] is None or row["broken rates"]["l"] > row["proven rates"]["l"]
    assert 0.0 < row["decay"] <= row["slowest decay found"] and set(row["margins"]) == {"M", "F"}
    arguments = ("--rate", "l=2", "--range", "l=1:3", "--out", "worst.html")
    status, out, _ = call("robust", "hoist.yaml", *HOISTED[2:], *arguments)
    assert status == 1 and "makes the loop diverge" in out  # little damping: fast hoisting pumps the sway
    page = (here / "worst.html").read_text(encoding="utf-8")
    assert "The worst variation found" in page and "dalembert.embed" in page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*HOISTED, "--rate", "sway=0.1"), "no range"),
        (("--schedule", "sway_dot", "--rate", "l=0.1"), "no measured coordinate or parameter named 'sway_dot'"),
        ((*HOISTED, "--rate", "l"), "NAME=RATE"),
        ((*HOISTED, "--rate", "l=1:2:3"), "NAME=RATE"),
        ((*HOISTED, "--rate", "l=0.4", "--level", "1"), "constant values"),
        ((*HOISTED, "--decay", "0.4"), "--schedule"),
        ((*HOISTED, "--rate", "l=0.4", "--decay", "0.4"), "--schedule"),
        ((*HOISTED, "--period", "0.1"), "--rate or a --schedule"),
        (("--rate", "l=0.4"), "has no law"),
        (("--schedule", "l=two"), "NAME=DEGREE"),
    ],
)
def test_robust_refuses_rates_by_name(call: Call, here: Path, arguments: tuple[str, ...], words: str) -> None:
    (here / "hoist.yaml").write_text(HOIST, encoding="utf-8")
    status, _, err = call("robust", "hoist.yaml", *arguments)
    assert status == 2 and words in err


@pytest.mark.slow
def test_robust_schedules_gains(call: Call, here: Path) -> None:
    (here / "hoist.yaml").write_text(HOIST, encoding="utf-8")
    status, out, _ = call("robust", "hoist.yaml", "--schedule", "l", "--rate", "l=0.2", "--decay", "0.3", "--json")
    answer = json.loads(out)
    assert [row["name"] for row in answer["controllers"]] == ["fixed", "scheduled"]
    assert [entry["at"] for entry in answer["gains"]] == [{"l": 1.0}, {"l": 3.0}]
    assert set(answer["controls"]) == {"M", "F"} and status == int(not answer["proven"])


# -- reproduce --------------------------------------------------------------------------------------------------------


def rows(ok: bool) -> list[Row]:
    return [Row("mine", "mass [x]", "BOOK (1)", 1.5, 1.5 if ok else 1.7, 0.05, "kg", ok, "printed")]


@pytest.mark.parametrize("ok", [True, False])
def test_reproduce(call: Call, monkeypatch: pytest.MonkeyPatch, ok: bool) -> None:
    monkeypatch.setattr("dalembert.studies.studies", lambda: {"mine": "a study"})
    monkeypatch.setattr("dalembert.studies.run_study", lambda name, full: iter(rows(ok)))
    status, out, _ = call("reproduce")
    assert status == (0 if ok else 1)
    assert ("MISSED" in out) is not ok
    assert "mass [x]" in out
    assert f"printed: {int(ok)} of 1 reproduced" in out
    status, out, err = call("reproduce", "mine", "--json")
    assert status == (0 if ok else 1) and err.endswith(f"printed: {int(ok)} of 1 reproduced\n")
    (row,) = json.loads(out)
    assert list(row) == ["study", "quantity", "source", "published", "obtained", "tolerance", "unit", "ok", "kind"]
    assert row["ok"] is ok


def test_reproduce_tells_known_differences(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    known = Row("mine", "length", "BOOK (2)", 1.5, 1.7, 0.05, "m", False, "printed", "a misprint")
    shown = Row("mine", "time", "BOOK (3)", 51.7, 80.0, None, "%", True, "measured")
    monkeypatch.setattr("dalembert.studies.studies", lambda: {"mine": "a study"})
    monkeypatch.setattr("dalembert.studies.run_study", lambda name, full: iter([*rows(True), known, shown]))
    status, out, _ = call("reproduce")
    assert status == 0
    assert "length: a misprint" in out and "MISSED" not in out
    assert "printed: 1 of 2 reproduced (1 known differences, explained on the errata page); measured: 1 of 1" in out
    assert "not asserted" in out
    _, out, _ = call("reproduce", "mine", "--json")
    assert [row.get("known_difference") for row in json.loads(out)] == [None, "a misprint", None]


def test_reproduce_the_textbook(call: Call) -> None:
    status, out, _ = call("reproduce", "textbook", "--json")
    assert status == 0
    assert all(row["ok"] for row in json.loads(out))
    status, out, _ = call("reproduce", "--list")
    assert "textbook: ROBOTICS" in out


# -- demo, bench ------------------------------------------------------------------------------------------------------


def test_demo_writes_a_report(call: Call, here: Path) -> None:
    status, out, err = call("demo", "arm")
    assert (status, err) == (0, "")
    assert "completed" in out
    folder = here / "dalembert-demo"
    assert {p.name for p in folder.iterdir()} == {"run.nc", "machine.yaml", "report.png"}
    saved = da.load_run(folder / "run.nc")
    end = saved.array([f"q{i}" for i in range(1, 7)])[-1]
    np.testing.assert_allclose(end, [0.9, 0.7, 1.1, 0.8, -0.6, 2.0], atol=1e-6)
    assert saved.energy.drift < 1e-9
    assert da.load_machine(folder / "machine.yaml").nv == 6


@pytest.mark.slow
def test_demo_without_a_picture(call: Call, here: Path) -> None:
    status, _, _ = call("demo", "arm", "--no-plot", "--out", "elsewhere")
    assert status == 0
    assert {p.name for p in (here / "elsewhere").iterdir()} == {"run.nc", "machine.yaml"}


@pytest.mark.slow
def test_demo_captures_debris(call: Call, here: Path) -> None:
    status, out, err = call("demo")
    assert (status, err) == (0, "")
    assert out.count("pass") == 7
    assert "FAIL" not in out
    folder = here / "dalembert-demo"
    assert {p.name for p in folder.iterdir()} == {"run.nc", "report.html", "report.png"}
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "every requirement is kept" in page
    assert "dalembert demo --seed 0 --speed 4" in page
    run = da.load_run(folder / "run.nc")  # the studio shows all of it, from the begin to rest
    assert run.t[-1] > 120.0 and {"base.x", "debris.x"} <= set(run.state_names)


def test_demo_says_why_there_is_no_capture(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    from dalembert.systems import space_robots

    def nothing(case: object, **_: object) -> object:
        return space_robots.CaptureOutcome(space_robots.random_case(0), "no plan: out of reach")

    monkeypatch.setattr(space_robots, "fly_capture", nothing)
    status, out, _ = call("demo", "--speed", "9")
    assert status == 1
    assert "not captured: no plan: out of reach" in out


@pytest.mark.parametrize("disagrees", [0, 1])
def test_bench_hands_its_options_on(call: Call, monkeypatch: pytest.MonkeyPatch, disagrees: int) -> None:
    seen = []

    def main(**options: object) -> int:
        seen.append(options)
        return disagrees

    monkeypatch.setattr("dalembert.benchmarks.main", main)
    assert call("bench", "--quick", "--robot", "ur5")[0] == disagrees
    assert call("bench", "--json")[0] == disagrees
    assert call("bench", "--out", "figures.json")[0] == disagrees
    assert call("bench", "chains", "--plot", "cost.png")[0] == disagrees
    assert call("bench", "--quantity", "inverse")[0] == disagrees
    usual = {"json": None, "quick": False, "robots": None, "topic": "arms", "quantity": "forward", "plot": None}
    assert seen == [
        {**usual, "quick": True, "robots": ["ur5"]},
        {**usual, "json": "-"},
        {**usual, "json": "figures.json"},
        {**usual, "topic": "chains", "plot": "cost.png"},
        {**usual, "quantity": "inverse"},
    ]


# -- control laws of a file -------------------------------------------------------------------------------------------


def test_laws() -> None:
    assert make_law(None) is None
    law = make_law({"law": "pid", "kp": 1, "ki": 2, "kd": 3, "reference": [0.5]})
    assert law == da.PID(1, 2, 3, [0.5])
    move = {"start": [0], "end": [1], "duration": 2.0}
    assert make_law({"law": "computed-torque", "kp": 1, "kd": 2, "reference": move}).reference == da.Quintic(
        [0], [1], 2.0
    )
    sway = {"center": [0], "amplitude": [1], "frequency": 2.0}
    assert make_law({"law": "pd", "kp": 1, "kd": 2, "reference": sway}).reference == da.Sine([0], [1], 2.0)


def test_blocks_of_laws_make_the_laws_again() -> None:
    k = da.Parameter("k", 3.0)
    for law in (
        da.PD(kp=1.0, kd=[2.0, 3.0], reference=[0.1, 0.2]),
        da.PD(kp=2 * k, kd=k, reference=da.Sine([0, 1], [0.1, 0.2], 2.0), gravity=True),
        da.PID(kp=1.0, ki=0.5, kd=0.1, reference=[0.0], tracking_time=None),
        da.ComputedTorque(kp={"a": 1.0}, kd={"a": 2.0}, reference={"a": da.Quintic(0.0, 1.0, duration=2.0)}),
        da.GravityCompensation(),
    ):
        block = law_block(law)
        assert isinstance(block, dict)
        again = make_law(json.loads(json.dumps(block)), {"k": k})
        assert type(again) is type(law) and law_block(again) == block
    assert law_block(lambda t, q, v: q) == "function"
    assert law_block(da.PD(1.0, 1.0, lambda t: t)) == "PD"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "no law named None"),
        ({"law": {"pd": 1}}, "no law named {'pd': 1}"),
        ({"law": "pd", "kp": 1}, "law 'pd' needs kd, reference"),
        ({"law": "pd", "kp": 1, "kd": 1, "reference": [0], "kx": 2}, "no setting named 'kx' in law 'pd'; known: "),
        ({"law": "pd", "kp": 1, "kd": 1, "reference": {"start": [0], "end": [1]}}, "the reference needs duration"),
        (
            {"law": "pd", "kp": 1, "kd": 1, "reference": {"start": 0, "end": 1, "duration": 1, "speed": 1}},
            "no setting named 'speed' in the reference",
        ),
    ],
)
def test_wrong_laws(settings: dict[str, object], message: str) -> None:
    with pytest.raises(da.DalembertError, match=re.escape(message)):
        make_law(settings)


# -- pictures of saved runs -------------------------------------------------------------------------------------------


def test_plot_and_animate_need_only_the_run_file(here: Path, call: Call) -> None:
    from PIL import Image

    assert call("simulate", "pendulum.yaml", "--out", "run.nc")[0] == 0
    (here / "pendulum.yaml").unlink()
    assert call("plot", "run.nc") == (0, "written: run.png\n", "")
    assert call("plot", "run.nc", "theta*", "u.theta", "--out", "some.svg")[0] == 0
    assert (here / "some.svg").read_text().count("[rad/s]") >= 1
    status, out, _ = call("animate", "run.nc", "--fps", "10", "--trace", "bob", "--exaggerate", "2")
    assert (status, out) == (0, "written: run.gif\n")
    with Image.open(here / "run.gif") as image:
        assert image.n_frames == 6
    assert call("animate", "run.nc", "--out", "run.html", "--fps", "4", "--plane", "space")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("plot", "none.nc"), "none.nc"),
        (("plot", "run.nc", "phi"), "no signal named 'phi'"),
        (("plot", "run.nc", "phi*"), "no signal matches 'phi*'"),
        (("plot", "run.nc", "--out", "run.doc"), "must end in"),
        (("animate", "pendulum.yaml"), "cannot be read as a run"),
        (("animate", "run.nc", "--trace", "hook"), "no point named 'hook'"),
        (("animate", "run.nc", "--frame", "hook"), "no frame 'hook' to draw"),
        (("animate", "run.nc", "--plane", "xyz"), "plane must be two of"),
        (("animate", "run.nc", "--exaggerate", "-1"), "exaggerate must be"),
        (("animate", "run.nc", "--machine", "double-pendulum"), "this run is not one of machine 'double-pendulum'"),
    ],
)
def test_pictures_refuse_by_name(here: Path, call: Call, arguments: tuple[str, ...], message: str) -> None:
    assert call("simulate", "pendulum.yaml", "--out", "run.nc", "--duration", "0.1")[0] == 0
    status, _, error = call(*arguments)
    assert status == 2
    assert message in error
    assert len(error.splitlines()) == 1


def test_lines_of_the_help_are_not_cut() -> None:
    """Each fits into eighty columns beside the name of its command."""
    shown: Any = typer.main.get_command(app)
    assert len(shown.commands) > 15
    whole, fitted = ({n: c.get_short_help_str(limit) for n, c in shown.commands.items()} for limit in (1000, 66))
    assert fitted == whole
    assert whole == {n: c.loaded.get_short_help_str(1000) for n, c in shown.commands.items()}
