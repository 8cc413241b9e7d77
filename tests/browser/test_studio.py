"""Studio, reports and notebooks in a real browser: what one does with them works, and nobody else is asked."""

from __future__ import annotations

import importlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.browser.conftest import drawn

import dalembert as da
from dalembert.benchmarks.studio import measure_player
from dalembert.systems import load_system
from dalembert.view.studio.opening import open_path, open_system
from dalembert.view.studio.server import Studio

ROOT = Path(__file__).resolve().parents[2]
PENDULUM = "double-pendulum"


def picture(page: Any, selector: str) -> np.ndarray:
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(page.locator(selector).screenshot())).convert("RGB"), dtype=int)


def colours(pixels: np.ndarray) -> int:
    return len(np.unique(pixels.reshape(-1, 3), axis=0))


def test_studio_from_load_to_report(watched: Any, tmp_path: Path) -> None:
    page = watched.page
    with Studio(open_system(PENDULUM)) as studio:
        page.goto(studio.url)
        page.wait_for_selector(f"body[data-machine='{PENDULUM}']")
        assert colours(picture(page, "#player .da-view")) > 100

        # A parameter, and the machine follows at once.
        loaded = page.get_attribute("#player", "data-loaded")
        page.fill("#section-parameters input[data-name='l_1']", "1.8")
        page.press("#section-parameters input[data-name='l_1']", "Enter")
        page.wait_for_selector(f"#player:not([data-loaded='{loaded}'])")
        page.click("#run")
        page.wait_for_selector("body[data-run='1'][data-status='completed']")
        page.evaluate("() => studioPage.player.pause()")  # software WebGL leaves little of a processor
        points = np.array(page.evaluate("() => [...studioPage.player.film.show(0).points]")).reshape(-1, 3)
        elbow = 1.8 * np.array([np.sin(1.5), 0.0, np.cos(1.5)])
        assert np.linalg.norm(np.abs(points) - elbow, axis=1).min() < 1e-5

        # It plays: the picture and the clock change.
        page.evaluate("() => { studioPage.player.pause(); studioPage.player.seek(0.2); }")
        drawn(page)
        before = picture(page, "#player .da-view")
        page.click("#player .da-button >> nth=0")
        page.wait_for_function("() => studioPage.player.time > 0.25")
        page.click("#player .da-button >> nth=0")
        page.evaluate("() => studioPage.player.seek(0.5)")
        drawn(page)
        assert np.mean(np.abs(picture(page, "#player .da-view") - before)) > 0.01
        assert page.locator("#plots .plotbox").count() == 2

        # A second run beside the first one.
        page.fill("#section-q0 input[data-name='q_1']", "-0.4")
        page.press("#section-q0 input[data-name='q_1']", "Enter")
        page.click("#run")
        page.wait_for_selector("body[data-run='2'][data-status='completed']")
        page.evaluate("() => studioPage.player.pause()")
        page.select_option("#other", "1")
        page.wait_for_function("() => studioPage.player.ghost !== null && studioPage.other !== null")
        assert page.locator("#plots .u-series").count() > 6

        # Modes and poles.
        page.evaluate("() => document.querySelectorAll('aside details').forEach((d) => (d.open = true))")
        page.click("#section-q0 input[data-name='q_1']")
        for name in ("q_1", "q_2"):
            page.fill(f"#section-q0 input[data-name='{name}']", "0")
            page.press(f"#section-q0 input[data-name='{name}']", "Enter")
        page.click("#find-modes")
        page.wait_for_selector("#modes .mode >> nth=1")
        page.click("#find-poles")
        page.wait_for_selector("#poles path >> nth=3")
        assert page.inner_text("#error") == ""

        # While a mode is shown the plots have no cursor, and what is saved is the run that was chosen.
        page.click("#modes .mode >> nth=0")
        page.wait_for_function("() => studioPage.shownRun === null && studioPage.player.film.end === 1")
        with page.expect_download() as download:
            page.select_option("#save", "run")
        download.value.save_as(tmp_path / "second.nc")
        assert da.load_run(tmp_path / "second.nc")["q_1"][0] == pytest.approx(-0.4)

        # A method has a step or a tolerance.
        assert page.is_visible("#set-rtol") and not page.is_visible("#set-step")
        page.select_option("#set-method", "rk4")
        assert page.is_visible("#set-step") and not page.is_visible("#set-rtol")

        # What is saved is what was shown.
        with page.expect_download() as download:
            page.select_option("#runs", "1")
            page.wait_for_selector("body[data-run='1']")
            page.select_option("#save", "run")
        path = tmp_path / "run.nc"
        download.value.save_as(path)
        assert da.load_run(path).metadata["parameters"]["l_1"] == 1.8
        with page.expect_download() as download:
            page.select_option("#save", "machine")
        download.value.save_as(tmp_path / "machine.yaml")
        assert da.load_simulation(tmp_path / "machine.yaml")[1]["q0"]["q_1"] == 0.0
        own = studio.url.split("/?")[0]
    assert watched.errors == []
    assert all(url.startswith((own, "blob:", "data:")) for url in watched.requests)


def start_long(page: Any, studio: Studio, duration: int) -> None:
    """Open the pendulum, and start a run by equal steps."""
    page.goto(studio.url)
    page.wait_for_selector(f"body[data-machine='{PENDULUM}']")
    page.select_option("#set-method", "rk4")
    page.fill("#set-duration", str(duration))
    page.press("#set-duration", "Enter")
    page.click("#run")


def test_cancel_errors_and_two_pages(watched: Any, tmp_path: Path) -> None:
    page = watched.page
    with Studio(open_system(PENDULUM)) as studio:
        # A run that would take minutes is cancelled, and what there is of it is shown.
        start_long(page, studio, 500000)
        page.wait_for_selector("body[data-stage='running']")
        # Another page is not disturbed by it.
        other = watched.new()
        other.goto(f"{studio.url}&session=other")
        other.wait_for_selector(f"body[data-machine='{PENDULUM}']")
        other.click("#run")
        other.wait_for_selector("body[data-run='1'][data-status='completed']")
        other.evaluate("() => studioPage.player.pause()")
        page.click("#cancel")
        page.wait_for_selector("body[data-run='1'][data-status='interrupted']")
        assert "interrupted" in page.inner_text("#status")

        # A bad file shows its error with the line, and what was open stays.
        bad = tmp_path / "bad.yaml"
        bad.write_text("name: x\nbodies:\n  a: {mass: -1}\njoints:\n  j: {kind: hinge, parent: world, child: a}\n")
        other.set_input_files("#file", str(bad))
        other.wait_for_selector("#error:not(:empty)")
        assert "bad.yaml:3: mass" in other.inner_text("#error") and "bad.yaml:5: " in other.inner_text("#error")
        assert other.get_attribute("body", "data-machine") == PENDULUM
        assert colours(picture(other, "#player .da-view")) > 100
    # The only thing that a console may tell of is the refused file.
    assert all("400" in error for error in watched.errors)


def test_a_run_is_seen_while_it_goes_on(watched: Any, tmp_path: Path) -> None:
    page = watched.page
    rows = "() => studioPage.plots[0]?.plot.plot.data[0].length ?? 0"

    def grown(by: int) -> int:
        now = page.evaluate(rows)
        page.wait_for_function(f"() => ({rows})() >= {now + by}")
        assert page.get_attribute("body", "data-status") == "running"
        return int(page.evaluate(rows))

    with Studio(open_system(PENDULUM)) as studio:
        start_long(page, studio, 500000)  # minutes, so that it goes on under any load
        page.wait_for_selector("body[data-run='1'][data-status='running']")
        grown(3)
        # Curves grow towards the end of the run, and the machine is where the last row is.
        assert page.evaluate("() => studioPage.plots[0].plot.plot.scales.x.max") == 500000
        pictures = [picture(page, where) for where in ("#player .da-view", "#plots")]
        time = page.evaluate("() => studioPage.player.time")
        grown(5)
        page.wait_for_function(f"() => studioPage.player.time > {time}")  # drawn after the plots
        for before, where in zip(pictures, ("#player .da-view", "#plots"), strict=True):
            assert np.mean(np.abs(picture(page, where) - before)) > 0.01, where
        # Who looks back is left there; and at the start of another run, too, until that one has ended.
        page.evaluate("() => studioPage.player.seek(100)")
        grown(5)
        assert page.evaluate("() => studioPage.player.time") == 100
        # Also if that is in the middle of an update: between the arrival of frames and their place in the film.
        page.evaluate("() => studioPage.player.seek(Infinity)")
        page.evaluate(
            """() => { const film = Object.getPrototypeOf(studioPage.player.film); const { append } = film;
                 film.append = async function (packed) {
                   film.append = append; studioPage.player.seek(100);
                   await append.call(this, packed); studioPage.looked = true; }; }"""
        )
        page.wait_for_function("() => studioPage.looked")
        grown(3)
        assert page.evaluate("() => studioPage.player.time") == 100
        page.fill("#section-q0 input[data-name='q_1']", "0.3")
        page.press("#section-q0 input[data-name='q_1']", "Enter")
        page.wait_for_function("() => studioPage.shownRun === null && studioPage.player.film.n === 1")
        page.wait_for_timeout(500)
        assert page.evaluate("() => studioPage.player.film.n") == 1
        page.select_option("#runs", "1")
        page.wait_for_function("() => studioPage.shownRun === 1")
        grown(3)
        t, q = page.evaluate("() => [[...studioPage.signals.t], [...studioPage.signals.rows.get('q_1')]]")
        page.select_option("#save", "run")
        page.wait_for_selector("#error:not(:empty)")
        assert "is still running" in page.inner_text("#error")
        # The end of the run does not move the view either.
        page.evaluate("() => studioPage.player.seek(100)")
        page.click("#cancel")
        page.wait_for_selector("body[data-run='1'][data-status='interrupted']")
        assert page.evaluate("() => [studioPage.player.time, studioPage.player.playing]") == [100, False]
        with page.expect_download() as download:
            page.select_option("#save", "run")
        download.value.save_as(tmp_path / "run.nc")
    run = da.load_run(tmp_path / "run.nc")
    assert len(run.t) > len(t)
    at = np.searchsorted(run.t.astype(np.float32), np.array(t, dtype=np.float32))
    np.testing.assert_array_equal(run["q_1"][at].astype(np.float32), np.array(q, dtype=np.float32)[: len(at)])
    assert all("400" in error for error in watched.errors)  # what was refused


def test_ten_views_of_a_notebook_share_one_context(watched: Any, tmp_path: Path) -> None:
    run = da.simulate(load_system(PENDULUM), duration=1.0, q0={"q_1": 1.5}, record=0.01)
    views = "".join(f"<div style='width:240px'>{run.show(height=200)._repr_html_()}</div>" for _ in range(10))
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><meta charset='utf-8'><body style='display:flex;flex-wrap:wrap'>{views}</body>")
    page = watched.page
    page.goto(path.as_uri())
    page.wait_for_function("() => document.querySelectorAll('.da-player[data-loaded]').length === 10")
    for k in range(10):
        view = page.locator(".da-view").nth(k)
        view.scroll_into_view_if_needed()
        page.evaluate("(k) => document.querySelectorAll('.da-player')[k].player.seek(0.3)", k)
        drawn(page, f"document.querySelectorAll('.da-player')[{k}].player")
        from PIL import Image

        pixels = np.asarray(Image.open(io.BytesIO(view.screenshot())).convert("RGB"))
        assert colours(pixels) > 50, k
    assert watched.errors == []
    assert all(url.startswith(("file:", "blob:", "data:")) for url in watched.requests)


def test_report_plays_and_interpolates_as_python_does(watched: Any, tmp_path: Path) -> None:
    run = da.simulate(load_system("planar-flexible-arm"), duration=0.5, q0={"link1.delta1": 0.05}, record=0.01)
    page = watched.page
    page.goto(run.report(tmp_path / "run.html").as_uri())
    page.wait_for_selector("#player[data-loaded]")
    page.wait_for_selector("#plots .da-plot >> nth=2")
    tip, size = page.evaluate(
        """() => { const p = document.getElementById('player').player; p.pause();
             const k = 3 * p.scene.traces.find(([name]) => name === 'link2.tip')[1];
             return [[...p.film.show(0.1234, 1).points.slice(k, k + 3)], p.scene.size]; }"""
    )
    q = [np.interp(0.1234, run.t, run[name]) for name in run.machine.q_names]
    expected = da.equations(run.machine, backend="vm").pose("link2.tip", q)[:3, 3]
    assert np.linalg.norm(tip - expected) < 2e-3 * size  # two linear interpolations of a vibration
    assert watched.errors == [] and all(url.startswith(("file:", "blob:", "data:")) for url in watched.requests)


def test_parts_of_a_crane_are_seen(watched: Any, tmp_path: Path) -> None:
    page = watched.page
    run = da.simulate(load_system("spatial-crane"), duration=0.2, q0={"theta1": 0.2})
    page.goto(run.report(tmp_path / "run.html", equations=False).as_uri())
    page.wait_for_selector("#player[data-loaded]")
    page.evaluate("() => document.getElementById('player').player.pause()")
    drawn(page, "document.getElementById('player').player")
    red, green, blue = np.moveaxis(picture(page, "#player .da-view"), -1, 0)
    assert np.mean(red < 235) > 0.02  # more than background, grid and shadows
    assert np.sum((red > 140) & (green > 120) & (blue < 100)) > 100  # the load
    assert np.sum((blue > 120) & (red < 80)) > 100  # the trolley


def test_player_is_measured(browser: Any) -> None:
    t = np.linspace(0.0, 1.0, 31)
    row = measure_player(browser, load_system(PENDULUM), t, np.column_stack([t, -t]), 0.5)
    assert row["frames_per_second"] > 0 and row["script_ms_per_frame"] > 0 and row["coordinates"] == 2


def test_gains_have_sliders(watched: Any, tmp_path: Path) -> None:
    """Those that are parameters, and numbers of the law; what is moved is what runs."""
    page = watched.page
    file = tmp_path / "slider.yaml"
    file.write_text(
        "name: slider\nparameters: {m: 2.0, k: 30.0}\ngains: [k]\nbodies: {block: {mass: m}}\n"
        "joints: {x: {kind: prismatic, parent: world, child: block, axis: x}}\nmotors: {x: {}}\n"
        "simulation: {duration: 1.0, control: {law: pd, kp: k, kd: 5.0, reference: [0.5]}}\n"
    )
    with Studio(open_path(file)) as studio:
        page.goto(studio.url)
        page.wait_for_selector("body[data-machine='slider.yaml']")
        assert page.locator("#section-gains input[type=range]").count() == 2
        assert page.locator("#section-parameters input[type=range]").count() == 1
        for name, value in (("k", "90"), ("kd", "8")):
            page.fill(f"#section-gains input[data-name='{name}']", value)
            page.press(f"#section-gains input[data-name='{name}']", "Enter")
        page.click("#run")
        page.wait_for_selector("body[data-run='1'][data-status='completed']")
        with page.expect_download() as download:
            page.select_option("#save", "run")
        download.value.save_as(tmp_path / "run.nc")
    run, (machine, settings) = da.load_run(tmp_path / "run.nc"), da.load_simulation(file)
    law = da.PD(kp=90.0, kd=8.0, reference=[0.5])
    expected = da.simulate(machine, **settings | {"control": law})["x"][-1]
    assert run["x"][-1] == pytest.approx(expected, rel=1e-10)
    assert watched.errors == []


SCREENS = (
    *("studio_crane", "studio_tower_crane", "studio_spreader", "studio_cable_robot", "studio_flexible_arm"),
    *("studio_arm", "studio_delta_robot", "studio_chaser", "studio_quadruped", "studio_incline"),
    *("studio_phone", "studio_dark"),
)
FIRST = ("studio_crane", "studio_flexible_arm", "studio_quadruped", "studio_phone")
"""One of each kind of machine and window; the others are long."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name if name in FIRST else pytest.param(name, marks=pytest.mark.long) for name in SCREENS]
)
def test_screens_of_the_documentation(browser: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Taken as those of the documentation are: the page fills up, and the machine is where it is in the picture."""
    folder = ROOT / "docs" / "figures"
    monkeypatch.syspath_prepend(str(folder))
    figures = importlib.import_module("studio_figures")
    files = (figures.screen(browser, name, tmp_path), folder / f"{name}.png")
    taken, shown = (np.asarray(figures.Image.open(path).convert("RGB"), dtype=float) for path in files)
    width, height = figures.SCREENS[name].window
    assert taken.shape == shown.shape == (height, width, 3)
    view = np.s_[100:440, 0:930] if width > 900 else np.s_[180:480]  # without controls, whose state may differ
    assert colours(taken[view]) > 100
    # Fonts, drivers and the last digits of a run may differ; another machine or camera would change far more.
    assert np.mean(np.abs(taken[view] - shown[view])) < 12.0
