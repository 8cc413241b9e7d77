"""The benchmark runs from end to end; what it measures is judged by people, not by a test."""

from __future__ import annotations

import inspect
import io
import json
import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import dalembert as da
from dalembert import benchmarks
from dalembert.benchmarks import flexible_arm, measure, report
from dalembert.benchmarks.cases import QUANTITIES, Case, Contender, make_case
from dalembert.benchmarks.chains import chain_case, fitted_exponent
from dalembert.benchmarks.contenders import contenders
from dalembert.benchmarks.page import read_results, speed_pages
from dalembert.benchmarks.peers.pinocchio_cpp import load_loop
from dalembert.benchmarks.peers.urdf_model import urdf_text
from dalembert.benchmarks.robots import ROBOTS, robot_file, robot_machine
from dalembert.benchmarks.rows import AGREEMENT, difference, tolerance
from dalembert.core.errors import BuildError, FileFormatError, InputError, UnknownNameError
from dalembert.formulations.equations import derive
from dalembert.io.urdf import load_urdf

ROOT = Path(__file__).resolve().parents[2]

ROW = {
    "robot": str,
    "quantity": str,
    "title": str,
    "nv": int,
    "operations": int,
    "contender": str,
    "name": str,
    "rows": int,
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
    assert set(figures) == {"topic", "date", "command", "machine", "versions", "settings", "results", "skipped"}
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
    wrong = Contender("wrong", "wrong", lambda: None, lambda: np.zeros((64, 1, case.eom.nv)))
    monkeypatch.setattr("dalembert.benchmarks.arms.contenders", lambda *a, **k: iter([wrong]))
    assert benchmarks.main(quick=True) == 1


@pytest.mark.parametrize(
    "quantity", ["forward", *(pytest.param(q, marks=pytest.mark.slow) for q in ("inverse", "mass-matrix"))]
)
def test_contenders_agree_on_a_floating_robot(quantity: str) -> None:
    case = make_case("anymal", 3, quantity)
    assert "native-call" in agreeing(case)


@pytest.mark.slow
@pytest.mark.peer
def test_mujoco_takes_part_in_every_quantity() -> None:
    pytest.importorskip("mujoco")
    for quantity in QUANTITIES:
        found = agreeing(chain_case(3, 2, quantity))
        assert "mujoco-python" in found and ("mujoco-c" in found) == (quantity != "derivatives")
    for quantity in ("forward", "inverse", "mass-matrix"):
        assert {"mujoco-c", "mujoco-python"} <= agreeing(make_case("anymal", 2, quantity))
    skipped = {c.key: c for c in contenders(make_case("anymal", 2, "derivatives"), build=False, announce=print)}
    assert "quaternions" in skipped["mujoco-python"].reason


@pytest.mark.peer
@pytest.mark.parametrize("name", ["two-link", "anymal"])
def test_jax_peers_agree(name: str) -> None:
    pytest.importorskip("frax")
    for quantity in QUANTITIES if name == "two-link" else ("forward", "inverse", "mass-matrix"):
        case = make_case(name, 2, quantity)
        assert {"frax-jax", "frax-jax-call"} <= agreeing(case, build=name == "two-link")


@pytest.mark.parametrize("name", ["two-link", *(pytest.param(n, marks=pytest.mark.slow) for n in ("panda", "anymal"))])
def test_urdf_of_a_machine_has_its_equations(name: str) -> None:
    """What the peers read that need a file."""
    case = make_case(name, 3, "inverse")
    again = derive(load_urdf(urdf_text(case.eom.machine), floating_base=name == "anymal", motors=False))
    np.testing.assert_allclose(again.inverse_dynamics(*case.inputs), case.reference()[:, 0], rtol=1e-11, atol=1e-9)


def test_urdf_is_refused_where_it_cannot_say_the_machine() -> None:
    ball = da.Machine("ball", [da.sphere("ball", 1.0, 0.1)], [da.Joint("turn", "spherical", "world", "ball")])
    with pytest.raises(InputError, match="'turn': expected revolute or prismatic, got spherical"):
        urdf_text(ball)


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_contenders_agree_on_a_chain(quantity: str) -> None:
    pytest.importorskip("pinocchio")
    assert {"native-call", "native-batch-threads", "casadi-vm", "pinocchio-python"} <= agreeing(
        chain_case(3, 5, quantity)
    )


def agreeing(case: Case, *, build: bool = False) -> set[str]:
    """Contenders of a case, after their results were compared with ours."""
    reference = case.reference()
    seen = set()
    for contender in contenders(case, build=build, announce=lambda _: None):
        if isinstance(contender, Contender):
            contender.run()
            assert difference(contender.values(), reference) < max(1e-9, contender.accuracy), contender.key
            seen.add(contender.key)
    return seen


def test_our_results_are_those_of_the_definitions() -> None:
    """What the contenders are compared with: M a + bias = tau, and finite differences of the accelerations."""
    forward, derivatives = (chain_case(3, 2, key) for key in ("forward", "derivatives"))
    eom, (q, v, tau) = forward.eom, forward.inputs
    a = forward.reference()[:, 0]
    M = chain_case(3, 2, "mass-matrix").reference().reshape(2, 3, 3)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", M, a) + eom.bias(q, v), tau, rtol=1e-9, atol=1e-9)
    by_q, by_v, by_tau = derivatives.reference().reshape(2, 3, 3, 3).swapaxes(0, 1)
    h = 1e-6
    for i, e in enumerate(h * np.eye(3)):
        for found, plus, minus in (
            (by_q, eom.forward_dynamics(q + e, v, tau), eom.forward_dynamics(q - e, v, tau)),
            (by_v, eom.forward_dynamics(q, v + e, tau), eom.forward_dynamics(q, v - e, tau)),
            (by_tau, eom.forward_dynamics(q, v, tau + e), eom.forward_dynamics(q, v, tau - e)),
        ):
            np.testing.assert_allclose(found[:, :, i], (plus - minus) / (2 * h), rtol=1e-5, atol=1e-5)


def test_difference_is_relative_to_each_part() -> None:
    reference = np.array([[[1e6, 0.0], [1.0, 2.0]]])
    found = reference + np.array([[[0.0, 1.0], [0.0, 1e-3]]])
    assert difference(found, reference) == pytest.approx(5e-4)
    assert difference(found[:, :1], reference) == math.inf


def test_rounding_is_forgiven_only_where_the_mass_matrix_is_ill_conditioned() -> None:
    assert tolerance(make_case("ur5", 2)) == AGREEMENT
    assert tolerance(chain_case(2, 2, "inverse")) == AGREEMENT
    long = chain_case(60, 1)
    M = derive(long.eom.machine, backend="vm").mass_matrix(long.q[0])
    eigenvalues = np.linalg.eigvalsh(M)
    expected = max(AGREEMENT, 60 * 2.0**-52 * eigenvalues[-1] / eigenvalues[0])
    assert tolerance(long) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_symbolic_formulas_take_part_for_a_small_machine(quantity: str) -> None:
    assert "sympy-lambdify" in agreeing(make_case("two-link", 3, quantity))


@pytest.mark.peer
def test_exudyn_makes_as_many_steps_as_are_counted() -> None:
    pytest.importorskip("exudyn")
    case = chain_case(4, 3)
    found = {c.key: c for c in contenders(case, build=False, announce=lambda _: None)}["exudyn"]
    assert isinstance(found, Contender)
    found.run()  # raises where a step is missing
    assert difference(found.values(), case.reference()) < 1e-9


@pytest.mark.slow
@pytest.mark.peer
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_pinocchio_in_cpp_agrees(quantity: str) -> None:
    case = make_case("panda", 3, quantity)
    found = {c.key: c for c in contenders(case, build=True, announce=lambda _: None)}
    for key in found.keys() & {"pinocchio-cpp", "pinocchio-cpp-world"}:
        contender = found[key]
        if not isinstance(contender, Contender):
            pytest.skip(contender.reason)
        assert difference(contender.values(), case.reference()) < 1e-9


def test_quick_chains_write_figures_and_a_plot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, picture = tmp_path / "chains.json", tmp_path / "chains.png"
    assert benchmarks.main(json=str(path), quick=True, topic="chains", plot=str(picture)) == 0
    assert "Forward dynamics of chains" in capsys.readouterr().out
    figures = json.loads(path.read_text())
    assert {row["nv"] for row in figures["results"]} == {4, 8}
    assert set(figures["exponents"]) == {row["contender"] for row in figures["results"]}
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("width", [20, 40, 200])
def test_sentences_below_a_table_are_left_whole(width: int) -> None:
    """Where they break is the terminal's business: the name of the processor before them may have any length."""
    screen = io.StringIO()
    figures = {
        "results": [],
        "skipped": [{"name": "a peer", "reason": "not installed (pip install peer)"}],
        "machine": {"processor": "Processor of a rather long name @ 2.10GHz", "cores": 2, "load": 0.5},
        "settings": {"repetitions": 5, "states": 16},
    }
    report.print_rows(Console(file=screen, width=width), figures)
    assert "a peer: skipped, not installed (pip install peer)\n" in screen.getvalue()
    assert "times relative to one native call; difference from ours\n" in screen.getvalue()


def test_the_exponent_of_a_power_is_found() -> None:
    links = (10, 20, 50, 100, 200)
    assert fitted_exponent(links, [3.0 * n**1.25 for n in links]) == pytest.approx(1.25, abs=1e-12)


def test_quick_cranes(capsys: pytest.CaptureFixture[str]) -> None:
    assert benchmarks.main(json="-", quick=True, topic="crane") == 0
    figures = json.loads(capsys.readouterr().out)
    assert [row["links"] for row in figures["scaling"]] == [5, 10]
    assert {row["robot"] for row in figures["results"]} == {"crane-10"}


@pytest.mark.slow
def test_quick_fmu(capsys: pytest.CaptureFixture[str]) -> None:
    """The FMU ends where the simulation does, with vectors and without; the page of speed shows its times."""
    assert benchmarks.main(json="-", quick=True, topic="fmu") == 0
    figures = json.loads(capsys.readouterr().out)
    assert [row["contender"] for row in figures["results"]] == ["native", "fmu", "fmu-plain"]
    assert all(row["agrees"] and 0.0 < row["least_ms"] <= row["median_ms"] for row in figures["results"])
    assert figures["results"][0]["ratio"] == 1.0
    page = speed_pages([{**figures, "file": "fmu.json"}])["speed_runs"]
    assert f"| four-bar linkage | {figures['results'][0]['median_ms']:.2f} ms (1.00) a |" in page
    screen = io.StringIO()
    report.print_fmu(Console(file=screen, width=110), figures)
    assert "FMU, plain instructions" in screen.getvalue()


def test_help_names_the_topics() -> None:
    from dalembert.cli.bench import bench

    text = inspect.signature(bench, eval_str=True).parameters["topic"].annotation.__metadata__[0].help
    assert all(re.search(rf"\b{topic}\b", text) for topic in benchmarks.TOPICS)


def test_options_belong_to_their_topic() -> None:
    with pytest.raises(UnknownNameError, match="no topic named 'boats'"):
        benchmarks.main(topic="boats")
    with pytest.raises(UnknownNameError, match="no quantity named 'speed'"):
        benchmarks.main(quantity="speed")
    with pytest.raises(InputError, match="belong to the topic arms"):
        benchmarks.main(topic="chains", robots=["ur5"])
    with pytest.raises(InputError, match="belongs to the topic chains"):
        benchmarks.main(plot="x.png")


def test_the_long_build_waits_for_leave(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("dalembert.benchmarks.peers.pinocchio_cpp.cache_directory", lambda: tmp_path)
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
    assert calls == [*"aabb", *"aabb" * 3]  # warmed up and calibrated first; one call of each turn is not timed
    assert all(0.0 < t.least <= t.median for t in timings.values())


def test_every_robot_is_there() -> None:
    assert [robot_machine(name).nv for name in ROBOTS] == [6, 7, 18, 38]


def test_wrong_names_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"no robot named 'r2d2'.*anymal, panda, talos, two-link, ur5"):
        benchmarks.main(robots=["r2d2"])
    with pytest.raises(UnknownNameError, match="no robot named 'r2d2'"):
        robot_file("r2d2")
    with pytest.raises(InputError, match="no such folder"):
        benchmarks.main(json=str(tmp_path / "nowhere" / "x.json"), quick=True)


def test_flexible_arm_without_exudyn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "exudyn", None)
    ours, theirs = flexible_arm.compare_calls(flexible_arm.ARMS[0], quick=True)
    assert ours["agrees"] and ours["unknowns"] == 6
    assert "pip install exudyn" in theirs["reason"] and "median_ns" not in theirs
    ours, theirs = flexible_arm.compare_runs(flexible_arm.ARMS[0], (1e-3,), duration=0.02, repetitions=1)
    assert ours["error"] < 1e-9 and ours["ratio"] == 1.0
    assert "pip install exudyn" in theirs["reason"]


def test_single_runs_are_counted_in_steps() -> None:
    row = benchmarks.measure_single_runs(["crane"], repetitions=1)["results"][0]
    assert (row["case"], row["steps"]) == ("crane", 10_000)
    assert row["steps_per_second"] > 0.0
    with pytest.raises(UnknownNameError, match="no machine named 'craned'"):
        benchmarks.measure_single_runs(["craned"])


def test_rollouts_are_compared_before_they_are_timed(capsys: pytest.CaptureFixture[str]) -> None:
    """End states of single runs, lanes, threads and MuJoCo are the same."""
    figures = benchmarks.run_rollouts(quick=True, names=["ur5"])
    found = {row["contender"]: row for row in figures["results"]}
    assert {"single", "lanes", "threads"} <= set(found)
    assert "mujoco" in found or any(row["contender"] == "mujoco" for row in figures["skipped"])
    for row in found.values():
        assert row["agrees"] and row["steps_per_second"] > 0.0 and row["speed"] > 0.0
    report.print_rollouts(Console(width=110), figures)
    assert "UR5 under PD" in capsys.readouterr().out
    with pytest.raises(UnknownNameError, match="no machine named 'ur6'"):
        benchmarks.run_rollouts(names=["ur6"])


@pytest.mark.slow
def test_rollouts_through_contacts_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    """A quadruped lands on its feet: lanes as single runs do, MuJoCo near by, on contacts that give for 20 ms."""
    figures = benchmarks.run_rollouts(quick=True, names=["quadruped", "balls"])
    for row in figures["results"]:
        assert row["steps_per_second"] > 0.0
        assert row["agrees"] or row["contender"] in ("mujoco", "mujoco-threads", "mjx")
        assert row["difference"] < (5e-2 if row["agrees"] is None else 1e-9)
    report.print_rollouts(Console(width=110), figures)
    assert "ANYmal dropped on its feet" in capsys.readouterr().out


def test_members_of_a_rollout_start_alike_whatever_their_number() -> None:
    """A GPU runs more members than a thread, and is compared in the first ones."""
    case = benchmarks.ROLLOUTS["crane"]()
    eom = case.equations()
    few, many = case.states(eom, 2), case.states(eom, 7)
    for name, values in few["q0"].items():
        assert len(many["q0"][name]) == 7
        np.testing.assert_array_equal(many["q0"][name][:2], values)


def test_speed_pages_are_those_of_the_results() -> None:
    for name, text in speed_pages(read_results(ROOT / "benchmarks" / "results")).items():
        page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        assert text == page, "run: python -m dalembert.benchmarks.page"


def test_speed_page_shows_the_newest_of_each_figure(tmp_path: Path) -> None:
    """A newer run replaces what it measured, and nothing else."""
    path = ROOT / "benchmarks" / "results" / "2026-11-15-cpu.json"
    old = json.loads(path.read_text(encoding="utf-8"))["arms"][0]
    new = {**old, "date": "2099-01-01T00:00:00+00:00", "command": "dalembert bench --robot ur5"}
    rows = [row for row in old["results"] if (row["robot"], row["contender"]) == ("ur5", "native-call")]
    new["results"] = [{**rows[0], "median_ns": 7.0}]
    (tmp_path / "a.json").write_text(json.dumps(new))
    (tmp_path / "b.json").write_text(json.dumps({"arms": [old]}))
    page = speed_pages(read_results(tmp_path))["speed"]
    line = next(line for line in page.splitlines() if line.startswith("| dalembert, one native call"))
    cells = line.split(" | ")
    assert cells[2] == "7 ns (1.00) b" and cells[1].endswith(" a") and cells[3].endswith(" a")
    assert "`dalembert bench --robot ur5`" in page
    (tmp_path / "c.json").write_text("{")
    with pytest.raises(FileFormatError, match=r"c\.json: is not JSON"):
        read_results(tmp_path)


@pytest.mark.slow
@pytest.mark.peer
def test_exudyn_has_the_same_balls() -> None:
    """A ball falls freely until it lands, and then lies on springs: it sinks by its weight over their stiffness."""
    pytest.importorskip("exudyn")
    from dalembert.benchmarks.contact_cases import bouncing_balls
    from dalembert.benchmarks.peers.exudyn_balls import ExudynBalls

    machine = bouncing_balls(1, 0.0)
    peer = ExudynBalls(machine, 1e-4, 1e5)
    q0 = {"ball00.x": 0.1, "ball00.z": 0.25}
    peer.start(q0)
    peer.advance(1000)
    np.testing.assert_allclose(peer.positions[0], [0.1, 0.0, 0.25 - 0.5 * 9.81 * 0.1**2], atol=1e-4)
    peer.start(q0)
    peer.advance(20_000)
    np.testing.assert_allclose(peer.penetration, 0.5 * 9.81 / 5e4, rtol=1e-3)  # two springs in series
    np.testing.assert_allclose(peer.positions[0], [0.1, 0.0, 0.05 - 0.5 * 9.81 / 5e4], atol=1e-3)
