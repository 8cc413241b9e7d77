"""Pages that simulate, in a real browser: their runs against native ones, what sliders change, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.compile import find_zig
from dalembert.core.types import Array
from dalembert.engine.problem.pairs import TransitionMaker
from dalembert.loop.experiment import Experiment
from dalembert.loop.simulate import compose, run_experiment, start_state
from dalembert.simulation.integrate import integrate
from dalembert.simulation.run import Run
from dalembert.systems.catalogue import SYSTEMS
from dalembert.view import bake_run, build_scene
from dalembert.view.page.live import live_experiment, share_page

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
def test_sensors_samples_and_a_start_in_the_floor(watched: Any, tmp_path: Path) -> None:
    from dalembert.control import Sampled

    ball = da.Machine(
        "ball",
        [da.sphere("ball", 2.0, 0.1)],
        [da.Joint("base", "planar", "world", "ball", axis="-y")],
        contacts=[da.Contact("floor", "ball", da.Sphere(0.1), restitution=0.5, friction=0.3)],
        motors=[da.Motor("push", "base.x")] if False else [],
        sensors=[],
    )
    page = opened(watched, tmp_path, share_page(da.Experiment(ball, start=da.Start(q={"base.y": 0.4}), duration=1.0)))
    run_of(page, 1)
    page.fill("#live-q0 input[data-name='base.y']", "0.05")
    page.press("#live-q0 input[data-name='base.y']", "Enter")
    page.wait_for_selector("body[data-run='2'][data-status='refused']")
    assert "contact 'floor' starts 0.05 m deep" in page.inner_text(".status")
    _ = Sampled
