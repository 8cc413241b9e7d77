"""Pages that simulate, in a real browser: their runs against native ones, what sliders change, what is refused."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import dalembert as da
from dalembert.benchmarks.report import print_wasm
from dalembert.benchmarks.wasm import measure_page
from dalembert.compile import find_zig
from dalembert.control import Sampled
from dalembert.core.types import Array
from dalembert.engine.problem.pairs import TransitionMaker
from dalembert.loop.experiment import Experiment
from dalembert.loop.simulate import compose, run_experiment, start_state
from dalembert.simulation.integrate import integrate
from dalembert.simulation.run import Run
from dalembert.systems.catalogue import SYSTEMS
from dalembert.view import bake_run, build_scene
from dalembert.view.page.live import live_experiment, share_page
from dalembert.view.studio.opening import open_system
from dalembert.view.studio.server import Studio

pytestmark = pytest.mark.skipif(find_zig() is None, reason="the ziglang wheel is not installed")

PENDULUM = SYSTEMS["double-pendulum"].experiment().replace(duration=2.0)


def opened(watched: Any, tmp_path: Path, page: str) -> Any:
    file = tmp_path / "machine.html"
    file.write_text(page, encoding="utf-8")
    watched.page.goto(file.as_uri())
    return watched.page


def run_of(page: Any, number: int) -> dict[str, Any]:
    """Rows of a run of the page; software WebGL leaves little of a processor, so that nothing plays meanwhile."""
    page.wait_for_selector(f"body[data-run='{number}']")
    page.evaluate("() => document.body.live.player.pause()")
    run: dict[str, Any] = page.evaluate(
        "() => { const run = document.body.live.run; return {t: [...run.t], x: run.x.map((row) => [...row]), "
        "y: run.y.map((row) => [...row]), events: run.events, status: document.body.dataset.status}; }"
    )
    return run | {name: np.array(run[name]) for name in ("t", "x", "y")}


def native(experiment: Experiment) -> Run:
    return run_experiment(experiment, check=False, progress=False, each_transition=True)


def spread(experiment: Experiment, run: Run) -> Array:
    """How far one unit in the last place of the start moves the last coordinates."""
    eom, loop = experiment.equations, compose(experiment)
    p, (x0, _) = eom.parameter_values(experiment.p), start_state(experiment, loop)
    switching = None if loop.switching is None else loop.switching.for_run(p, None)
    maker: TransitionMaker | None = switching if switching is not None and switching.needed else None
    ends = []
    for way in (-np.inf, np.inf):
        x = x0.copy()
        x[: eom.nq] = np.nextafter(x0[: eom.nq], way)
        moved = integrate(
            loop.problem, x, p, experiment.settings, controller=loop.controller, on_event=maker, progress=False,
            each_transition=True,
        )  # fmt: skip
        ends.append(np.abs(moved.x[-1, : eom.nq] - run.x[-1, : eom.nq]))
    return np.asarray(np.max(ends, axis=0))


def check_against_native(experiment: Experiment, rows: dict[str, Any]) -> None:
    """The last state is that of a native run, to ten times what one unit in the last place of the start does."""
    run, eom = native(experiment), experiment.equations
    rounding = 1e-15 * len(run.t) * (1 + np.abs(run.x[:, : eom.nq]).max())  # of as many steps as there are rows
    apart = np.abs(rows["x"][-1, : eom.nq] - run.x[-1, : eom.nq])
    assert rows["t"][-1] == pytest.approx(run.t[-1], abs=1e-12)
    assert np.all(apart <= np.maximum(10 * spread(experiment, run).max(), rounding)), apart
    assert rows["status"] == run.status


def test_a_page_simulates_offline(watched: Any, tmp_path: Path) -> None:
    """Numbers of native runs, the picture of native runs, sliders; and nobody is asked for anything."""
    page = opened(watched, tmp_path, share_page(PENDULUM))
    experiment = live_experiment(PENDULUM)
    rows, run = run_of(page, 1), native(experiment)
    check_against_native(experiment, rows)
    film = page.evaluate("() => [...document.body.live.player.film.show(1.0).points]")
    scene = build_scene(experiment.machine)
    points = bake_run(scene, run, np.array([1.0])).points[0]
    np.testing.assert_allclose(np.array(film).reshape(-1, 3)[: len(points)], points, atol=1e-3)  # between two frames
    drift = float(page.inner_text(".energy tr:last-child td:last-child"))
    assert drift == pytest.approx(run.energy.drift, rel=0.02)
    assert "m_1" in page.inner_html(".sections .equations") or page.locator(".equations math").count() >= 3

    page.fill("#live-parameters input[data-name='l_1']", "1.8")
    page.press("#live-parameters input[data-name='l_1']", "Enter")
    page.wait_for_selector("body[data-run='2']")
    page.fill("#live-q0 input[data-name='q_1']", "0.25")
    page.press("#live-q0 input[data-name='q_1']", "Enter")
    check_against_native(experiment.replace(p={"l_1": 1.8}, q0={"q_1": 0.25}), run_of(page, 3))
    page.click(".reset")
    np.testing.assert_array_equal(run_of(page, 4)["x"], rows["x"])
    assert [url for url in watched.requests if not url.startswith(("file:", "blob:"))] == []
    assert watched.errors == []


def test_phone_and_damage(watched: Any, tmp_path: Path) -> None:
    text = share_page(PENDULUM)
    watched.page.set_viewport_size({"width": 390, "height": 844})
    page = opened(watched, tmp_path, text)
    page.wait_for_selector("body[data-run='1']")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert page.locator(".player .da-canvas").bounding_box()["width"] > 300
    at = text.index('id="payload">') + 5000
    other = "A" if text[at] != "A" else "B"
    for damaged in (text[:at] + other + text[at + 1 :], text[:at]):
        page = opened(watched, tmp_path, damaged)
        page.wait_for_selector("#damaged")
        assert "This page is damaged" in page.inner_text("#damaged")
        assert page.locator(".player").count() == 0


CASES = {
    "slack cables": ("pulley-robot", {"duration": 2.0}),
    "contacts event by event": ("bouncing-ball", {}),
    "impacts, simultaneous": ("newtons-cradle", {}),
    "contacts by time-stepping": ("quadruped", {"duration": 1.0}),
    "loop with a law": ("delta-robot", {"duration": 0.3}),
    "flexible": ("planar-flexible-arm", {"duration": 1.0}),
    "stopped by nothing, free body": ("debris", {}),
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "settings"), CASES.values(), ids=list(CASES))
def test_ready_made_machines(watched: Any, tmp_path: Path, name: str, settings: dict[str, Any]) -> None:
    given = SYSTEMS[name].experiment().replace(**settings)
    text = share_page(given)
    assert len(text) < 1.5e6
    rows = run_of(opened(watched, tmp_path, text), 1)
    experiment = live_experiment(given)
    check_against_native(experiment, rows)
    assert [event["name"] for event in rows["events"]] == [event.name for event in native(experiment).events]
    assert watched.errors == []


@pytest.mark.slow
def test_firefox_computes_the_same(node_modules: Path, tmp_path: Path) -> None:
    """Shared pages in Firefox, by puppeteer-core, against native runs."""
    programs = [shutil.which(name) for name in ("node", "firefox-esr")]
    if None in programs:
        pytest.skip("needs node and firefox-esr (Debian: apt install nodejs firefox-esr)")
    names = ("double-pendulum", "bouncing-ball", "pulley-robot", "quadruped")
    experiments = [SYSTEMS[name].experiment() for name in names]
    experiments = [given.replace(duration=min(given.duration or 1.0, 1.0)) for given in experiments]
    files = [tmp_path / f"{name}.html" for name in names]
    for given, file in zip(experiments, files, strict=True):
        file.write_text(share_page(given), encoding="utf-8")
    command = [programs[0], str(Path(__file__).with_name("firefox.mjs")), programs[1], str(node_modules), *files]
    answer = subprocess.run(command, check=True, timeout=300, capture_output=True, text=True)
    for given, rows in zip(experiments, json.loads(answer.stdout), strict=True):
        assert "Firefox/" in rows["agent"]
        check_against_native(live_experiment(given), rows | {"x": np.array(rows["x"])})


@pytest.mark.slow
def test_a_sampled_law_with_a_noisy_sensor(watched: Any, tmp_path: Path) -> None:
    arm = da.Machine(
        "arm",
        [da.rod("arm", 1.0, 0.6, axis="x", com=(0.3, 0, 0))],
        [da.Joint("theta", "revolute", "world", "arm", axis=(0, 1, 0), damping=0.1)],
        motors=[da.Motor("motor", "theta")],
    )
    encoder = da.Sensor("encoder", ("theta", "theta_dot"), period=0.01, noise=(1e-3, 1e-2), delay=0.01)
    law = Sampled(da.PD(kp=30.0, kd=4.0, reference=[0.4]), 0.02)
    given = da.Experiment(arm, control=law, sensors=[encoder], seed=7, duration=2.0)
    rows = run_of(opened(watched, tmp_path, share_page(given)), 1)
    check_against_native(live_experiment(given), rows)
    assert watched.errors == []


@pytest.mark.slow
def test_predicted_paths_of_a_controller(watched: Any, tmp_path: Path) -> None:
    """The page plans as native code does, and draws the path that is held at each frame."""
    cart = da.Machine(
        "cart",
        [da.point_mass("cart", 2.0), da.point_mass("load", 0.5, com=(0, 0, -0.4))],
        [
            da.Joint("x", "prismatic", "world", "cart", axis="x"),
            da.Joint("swing", "revolute", "cart", "load", axis="y"),
        ],
        motors=[da.Motor("push", "x")],
        frames=[da.Frame("hook", "load", (0, 0, -0.4))],
    )
    law = da.mpc(
        cart, horizon=1.0, intervals=12, reference={"x": 0.5}, limits={"push": (-2, 2)}, path="hook",
        cost=da.Cost(states={"x": 1.0, "swing": 1.0, "x_dot": 0.1}, inputs=1e-2, terminal="lqr"),
    )  # fmt: skip
    given = da.Experiment(cart, control=law, duration=1.0, method=da.RK4(step=0.01))
    page = opened(watched, tmp_path, share_page(given))
    run_of(page, 1)
    drawn = page.evaluate(
        "() => { const live = document.body.live, film = live.filmer.film(live.run, true);"
        " const node = film.scene.nodes.find((one) => one.name === 'mpc.path');"
        " return {t: [...film.t.values], first: node.first, count: node.count, points: [...film.points.values]}; }"
    )
    t, count = np.array(drawn["t"]), drawn["count"]
    points = np.array(drawn["points"]).reshape(-1, len(t))[3 * drawn["first"] :][: 3 * count]
    run = native(live_experiment(given))
    expected = np.array([run[f"mpc.path.{k}.{axis}"] for k in range(count) for axis in "xyz"])
    rows = np.clip(np.searchsorted(run.t, t + 1e-6, side="right") - 1, 0, len(run.t) - 1)
    np.testing.assert_allclose(points, expected[:, rows], atol=1e-5)  # single precision, and rows between two frames
    assert count == 13 and np.ptp(points[0]) > 0.1
    assert watched.errors == []


@pytest.mark.slow
def test_a_start_in_the_floor_is_refused_by_name(watched: Any, tmp_path: Path) -> None:
    ball = da.Machine(
        "ball",
        [da.sphere("ball", 2.0, 0.1)],
        [da.Joint("base", "planar", "world", "ball", axis="-y")],
        contacts=[da.Contact("floor", "ball", da.Sphere(0.1), restitution=0.5, friction=0.3)],
    )
    page = opened(watched, tmp_path, share_page(da.Experiment(ball, start=da.Start(q={"base.y": 0.4}), duration=1.0)))
    run_of(page, 1)
    page.fill("#live-q0 input[data-name='base.y']", "0.05")
    page.press("#live-q0 input[data-name='base.y']", "Enter")
    page.wait_for_selector("body[data-run='2'][data-status='refused']")
    assert "contact 'floor' starts 0.05 m deep" in page.inner_text(".status")


@pytest.mark.slow
def test_a_start_is_moved_onto_its_constraints_and_the_page_says_so(watched: Any, tmp_path: Path) -> None:
    given = SYSTEMS["bricard-mechanism"].experiment().replace(duration=1.0)
    page = opened(watched, tmp_path, share_page(given))
    first = run_of(page, 1)
    row = page.locator("#live-q0 input[type='number'] >> nth=0")
    name = row.get_attribute("data-name")
    row.fill(str(float(row.input_value()) + 0.1))
    row.press("Enter")
    page.wait_for_selector("body[data-run='2']")
    assert "The start was moved onto the constraints" in page.inner_text(".status")
    rows, eom = run_of(page, 2), live_experiment(given).equations
    assert np.abs(eom.constraints(rows["x"][0, : eom.nq])).max() < 1e-8
    k = eom.q_names.index(name)
    assert abs(rows["x"][0, k] - first["x"][0, k]) > 1e-3


@pytest.mark.slow
def test_live_reports_and_notebooks(watched: Any, tmp_path: Path) -> None:
    run = da.simulate(PENDULUM)
    report = run.report(tmp_path / "report.html", live=True).read_text(encoding="utf-8")
    cell = f"<!doctype html><html><body>{run.show(live=True)._repr_html_()}</body></html>"
    for text, host in ((report, "#live"), (cell, "[id^='dalembert-']")):
        page = opened(watched, tmp_path, text)
        page.wait_for_selector(f"{host}[data-run='1']")
        last = page.evaluate("(host) => [...document.querySelector(host).live.run.x.at(-1)]", host)
        np.testing.assert_allclose(last[:2], run.x[-1, :2], atol=1e-8)
    assert watched.errors == []
    with pytest.raises(da.InputError, match="live=True needs a run that contains its experiment"):
        da.load_run(run.save(tmp_path / "run.nc")).show(live=True)


@pytest.mark.slow
def test_the_studio_shares_a_machine_with_its_changes(watched: Any, tmp_path: Path) -> None:
    page = watched.page
    with Studio(open_system("double-pendulum")) as studio:
        page.goto(studio.url)
        page.wait_for_selector("body[data-machine='double-pendulum']")
        page.fill("#section-parameters input[data-name='l_1']", "1.8")
        page.press("#section-parameters input[data-name='l_1']", "Enter")
        with page.expect_download(timeout=120_000) as download:
            page.click("#share")
        text = Path(download.value.path()).read_text(encoding="utf-8")
        assert download.value.suggested_filename == "double-pendulum.html"
    shared = watched.new()
    file = tmp_path / "shared.html"
    file.write_text(text, encoding="utf-8")
    shared.goto(file.as_uri())
    asked = live_experiment(SYSTEMS["double-pendulum"].experiment().replace(p={"l_1": 1.8}))
    check_against_native(asked, run_of(shared, 1))


@pytest.mark.slow
def test_bench_of_pages(browser: Any) -> None:
    row = measure_page(browser, "double-pendulum", 1)
    assert row["difference"] < 1e-8
    assert row["page_steps_per_second"] > 0.0
    screen = io.StringIO()
    print_wasm(Console(file=screen, width=120), {"results": [row]})
    assert "double-pendulum" in screen.getvalue()
