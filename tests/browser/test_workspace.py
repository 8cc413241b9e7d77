"""The studio as a workspace, in a browser: nothing is lost, the editor, any window, keyboard, selection, pictures."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.browser.conftest import drawn

import dalembert as da
from dalembert.view.studio.opening import open_text
from dalembert.view.studio.server import Studio

ARM = """name: arm
bodies:
  link: {rod: {mass: 2.0, length: 0.8, com: [0.4, 0, 0], axis: x}}
joints:
  theta: {kind: revolute, parent: world, child: link, axis: [0, 1, 0], limits: {lower: -1.0, upper: 2.0}}
motors: {theta: {}}
simulation: {duration: 0.5, q0: {theta: 0.4}}
"""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with Studio(open_text(ARM, "arm.yaml"), workspace=tmp_path_factory.mktemp("workspace")) as made:
        yield made


def begin(page: Any, url: str, machine: str = "arm.yaml") -> None:
    page.goto(url)
    page.wait_for_selector(f"body[data-machine='{machine}']")


def ran(page: Any, number: int) -> None:
    page.wait_for_selector(f"body[data-run='{number}'][data-status='completed']")
    page.evaluate("() => studioPage.player.pause()")


def stored(page: Any) -> None:
    """Wait until the state of the page is with the session."""
    page.evaluate("async () => { studioPage.player.pause(); await studioPage.memory.store(true); }")


def serve(folder: Path, machine: Path) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "dalembert", "studio", str(machine), "--no-browser", "--workspace", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().removeprefix("studio: ").strip()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_reload_back_kill_and_second_page(watched: Any, tmp_path: Path) -> None:
    page, file = watched.page, tmp_path / "arm.yaml"
    file.write_text(ARM)
    process, url = serve(tmp_path / "w", file)
    try:
        begin(page, url)
        page.fill("#section-q0 input[data-name='theta']", "0.9")
        page.press("#section-q0 input[data-name='theta']", "Enter")
        page.click("#run")
        ran(page, 1)
        page.evaluate("() => { studioPage.player.from('top'); studioPage.player.seek(0.25); }")
        camera = page.evaluate("() => studioPage.player.stage.placement()")
        page.select_option("#signal", label="theta_dot")
        assert page.locator("#plots .plotbox").count() == 3
        stored(page)
        # Reload.
        page.reload()
        page.wait_for_selector("body[data-run='1']")
        page.wait_for_function("() => !studioPage.busy")
        assert page.input_value("#section-q0 input[data-name='theta']") == "0.9"
        assert page.locator("#plots .plotbox").count() == 3
        again = page.evaluate("() => [studioPage.player.stage.placement(), studioPage.player.time]")
        np.testing.assert_allclose(again[0]["position"], camera["position"], rtol=1e-6, atol=1e-9)
        assert again[1] == pytest.approx(0.25)
        # Back leads to the machine before.
        page.select_option("#machine", "double-pendulum")
        page.wait_for_selector("body[data-machine='double-pendulum']")
        page.go_back()
        page.wait_for_selector("body[data-machine='arm.yaml']")
        assert page.input_value("#section-q0 input[data-name='theta']") == "0.9"
        page.wait_for_function("() => !studioPage.busy")
        stored(page)
        # The server is killed; the page tells it, and continues with the next one.
        process.send_signal(signal.SIGKILL)
        process.wait(30)
        page.wait_for_selector("body[data-connected='no']")
        assert "does not answer" in page.inner_text("#status")
        process, other = serve(tmp_path / "w", file)
        assert other == url
        page.wait_for_selector("body[data-connected='yes']")
        page.click("#run")
        ran(page, 2)
        # A second page of the same address shows the same session.
        second = watched.new()
        begin(second, url)
        second.wait_for_selector("#runs option >> nth=1", state="attached")
        assert second.input_value("#section-q0 input[data-name='theta']") == "0.9"
    finally:
        process.kill()
        process.wait(30)
    assert all("ERR_CONNECTION" in error or "Failed to load" in error for error in watched.errors), watched.errors


def test_editor_marks_mistakes_completes_explains_and_runs(watched: Any, studio: Studio) -> None:
    page = watched.page
    begin(page, f"{studio.url}&session=editor", "spatial-crane")
    page.evaluate("(text) => studioPage.open({ text, title: 'arm.yaml' })", ARM)
    page.wait_for_selector("body[data-machine='arm.yaml']")
    page.click("#edit")
    page.wait_for_selector("#editor .cm-lineNumbers")
    # Mistakes are marked at their line while one types.
    page.evaluate("(text) => (studioPage.editor.text = text)", ARM.replace("mass: 2.0", "mass: -2.0"))
    page.wait_for_selector("body[data-faults='1']")
    page.wait_for_selector("#editor .cm-lintRange-error")
    assert "line 3" in page.inner_text("#editor .faults")
    assert "mass: -2.0" in page.inner_text("#editor .cm-line:has(.cm-lintRange-error)")
    page.click("#editor .faults")
    # A key is completed from the schema, with its unit, and explained under the pointer.
    page.evaluate("(text) => (studioPage.editor.text = text)", ARM)
    page.wait_for_selector("body[data-faults='0']")
    page.evaluate(
        """() => { const { view, text } = studioPage.editor; view.focus();
             view.dispatch({ selection: { anchor: text.length - 2 } }); }"""
    )
    page.keyboard.type(", rec")
    page.wait_for_selector(".cm-tooltip-autocomplete li:has-text('record')")
    assert "[s]" in page.inner_text(".cm-completionInfo") or "s" in page.inner_text(".cm-completionDetail")
    page.wait_for_timeout(150)
    page.keyboard.press("Enter")
    page.keyboard.type("0.01")
    page.wait_for_selector("body[data-faults='0']")
    assert "record: 0.01}" in page.evaluate("() => studioPage.editor.text")
    page.hover("#editor .cm-line >> nth=2 >> text=mass")
    page.wait_for_selector(".da-hover")
    assert "[kg]" in page.inner_text(".da-hover")
    # An event needs a name and an expression.
    page.select_option("#add", "events")
    page.click(".form button[type=submit]")
    assert page.locator(".form input:invalid").count() == 2
    assert "events" not in page.evaluate("() => studioPage.editor.text")
    # A form writes a law, one key applies the text and runs it.
    page.select_option("#add", "control")
    page.fill(".form input[aria-label='positions']", "0.7")
    page.click(".form button[type=submit]")
    page.wait_for_function("() => studioPage.editor.text.includes('law: pd')")
    page.wait_for_selector("body[data-faults='0'][data-edited='yes']")
    page.click("#editor .cm-content")
    page.keyboard.press("Control+Enter")
    ran(page, 1)
    assert page.get_attribute("body", "data-machine") == "arm.yaml (changed)"
    end = page.evaluate("() => studioPage.signals.rows.get('theta').at(-1)")
    experiment = da.load_experiment(page.evaluate("() => studioPage.card.text"))
    assert end == pytest.approx(da.simulate(experiment)["theta"][-1], rel=1e-6)
    # Text that is not applied survives a reload.
    page.evaluate("() => (studioPage.editor.text = studioPage.editor.text + '# unfinished\\n')")
    stored(page)
    page.reload()
    page.wait_for_selector("body[data-edited='yes']")
    assert page.evaluate("() => studioPage.editor.text").endswith("# unfinished\n")
    assert watched.errors == []


def test_warnings_selection_and_pictures(watched: Any, studio: Studio) -> None:
    page = watched.page
    begin(page, f"{studio.url}&session=pictures", "spatial-crane")
    page.evaluate("(text) => studioPage.open({ text, title: 'arm.yaml' })", ARM.replace("theta: 0.4", "theta: 2.5"))
    page.wait_for_selector("body[data-machine='arm.yaml']")
    page.click("#run")
    ran(page, 1)
    page.click(".warning:has-text('outside of its range')")
    page.wait_for_selector("body[data-selected='theta']")
    assert "revolute joint" in page.inner_text("#section-selected")
    page.click("#section-selected button:has-text('Show in the file')")
    page.wait_for_selector("#editor .cm-activeLine:has-text('theta')")
    page.click("#edit")
    # The body under the middle of its picture is found by a click, and its numbers follow the clock.
    page.evaluate("() => { studioPage.player.choose(''); studioPage.player.from('front'); studioPage.player.seek(0); }")
    drawn(page)
    at = page.evaluate(
        """() => { const { player } = studioPage; const { stage } = player;
             const k = 3 * player.scene.traces.find(([name]) => name === 'link')[1];
             const { points } = player.film.show(0, 1);
             const p = stage.camera.position.clone().fromArray(points, k).project(stage.camera);
             const box = stage.canvas.getBoundingClientRect();
             return [box.left + (p.x + 1) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height]; }"""
    )
    page.mouse.move(*at)
    page.wait_for_selector(".da-tip:not([hidden])")
    assert page.inner_text(".da-tip") == "link"
    page.mouse.click(*at)
    page.wait_for_selector("body[data-selected='link']")
    before = page.inner_text("#section-selected table")
    page.evaluate("() => studioPage.player.seek(0.3)")
    page.wait_for_function("(old) => document.querySelector('#section-selected table').innerText !== old", arg=before)
    assert "grid" in page.inner_text(".da-legend")
    # A picture and a film are files of their kinds.
    for what, start in (("png", b"\x89PNG"), ("webm", b"\x1a\x45\xdf\xa3")):
        if what == "webm":
            page.evaluate("() => studioPage.player.setSpeed(1)")
        with page.expect_download() as download:
            page.select_option(".da-keep", what)
        content = Path(download.value.path()).read_bytes()
        assert content.startswith(start) and len(content) > 2000, what
        assert download.value.suggested_filename == f"arm.{what}"
    assert watched.errors == []


def test_any_window_and_the_keyboard(watched: Any, studio: Studio, tmp_path: Path) -> None:
    page = watched.page
    begin(page, studio.url)
    for width, height in ((390, 780), (700, 900), (1280, 800), (2560, 1300)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("(width) => innerWidth === width", arg=width)
        wide = page.evaluate("() => document.documentElement.scrollWidth")
        panes = page.evaluate("() => ['main', 'aside'].map((s) => document.querySelector(s).offsetWidth)")
        assert wide <= width and (min(panes) > 0) == (width > 900), (width, panes)
        if width <= 900:
            page.click(".panes [data-pane=settings]")
            assert page.is_visible("#set-duration") and not page.is_visible("#player")
            page.click(".panes [data-pane=editor]")
            page.wait_for_selector("#editor .cm-content")
            page.click(".panes [data-pane=view]")
    page.set_viewport_size({"width": 1000, "height": 640})
    page.evaluate("() => studioPage.edit(false)")
    # Everything that can be done has a name and a place in the order of the tabulator.
    names = page.evaluate(
        """() => [...document.querySelectorAll('button, select, input, [tabindex]')].filter((e) => e.offsetParent)
             .filter((e) => !(e.ariaLabel || e.title || e.textContent.trim() || e.labels?.length))
             .map((e) => e.outerHTML.slice(0, 90))"""
    )
    assert names == []
    page.focus("#machine")
    reached = []
    for _ in range(14):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("() => document.activeElement.id || document.activeElement.className"))
    assert {"open", "run", "edit", "share", "save", "da-canvas"} <= set(reached), reached
    page.focus(".da-canvas")
    camera = page.evaluate("() => studioPage.player.stage.placement().position")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("+")
    moved = page.evaluate("() => studioPage.player.stage.placement().position")
    assert np.linalg.norm(np.subtract(moved, camera)) > 0.01
    page.keyboard.press("Control+Enter")
    ran(page, 1)
    assert page.get_attribute("#status", "role") == "status" and page.inner_text("#status") == "completed"
    assert watched.errors == []


def test_a_campaign_is_followed_and_a_member_run(watched: Any, tmp_path: Path) -> None:
    """Members appear as their chunks do; one of them becomes the start, and its run has the measure of the table."""
    page, folder = watched.page, tmp_path / "swings"
    experiment = da.load_experiment(ARM)
    members = da.campaign(
        experiment, vary={"q0.theta": (0.1, 0.8)}, n=8, chunk=4, workers=1, store=folder,
        measure={"end": da.Measure("theta"), "peak": da.Measure("theta", "max abs")},
    )  # fmt: skip
    later = folder / "rows" / "000001.parquet"
    later.rename(tmp_path / "later")
    with Studio(experiment, campaign=da.open_campaign(folder)) as studio:
        begin(page, studio.url, "arm")
        page.wait_for_selector("body[data-members='4']")
        assert page.inner_text("#members") == "4 of 8 members done"
        (tmp_path / "later").rename(later)
        page.wait_for_selector("body[data-members='8']")
        page.select_option("#measure", "peak")
        page.click("#section-campaign button:has-text('largest')")
        number = int(page.input_value("#member"))
        assert number == int(members.table["peak"].idxmax())
        page.click("#take")
        start = members.table["q0.theta"][number]
        page.wait_for_function("() => studioPage.shownRun === null && studioPage.changes.q0.theta > 0")
        assert page.evaluate("() => studioPage.changes.q0.theta") == pytest.approx(start)
        page.click("#run")
        ran(page, 1)
        end = page.evaluate("() => studioPage.signals.rows.get('theta').at(-1)")
        assert end == pytest.approx(members.table["end"][number], rel=1e-6)
    assert watched.errors == []


@pytest.mark.slow
def test_no_serious_findings_of_an_accessibility_scan(browser: Any, studio: Studio, node_modules: Path) -> None:
    script = node_modules / "axe-core" / "axe.min.js"
    for scheme in ("light", "dark"):
        context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=scheme, bypass_csp=True)
        page = context.new_page()
        begin(page, f"{studio.url}&session=axe{scheme}", "spatial-crane")
        page.evaluate("() => document.querySelectorAll('details').forEach((d) => (d.open = true))")
        page.click("#edit")
        page.click("#run")
        page.wait_for_selector("body[data-status='completed']")
        page.evaluate("() => { studioPage.player.pause(); studioPage.player.choose('payload'); }")
        page.wait_for_selector("body[data-faults]")
        page.add_script_tag(path=str(script))
        found = page.evaluate(
            """async () => (await axe.run()).violations
                 .map((v) => [v.impact, v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160))])"""
        )
        assert [row for row in found if row[0] in ("serious", "critical")] == [], scheme
        context.close()


@pytest.mark.slow
def test_many_bodies_need_few_draw_calls(browser: Any) -> None:
    from dalembert.benchmarks.studio import boxes, measure_player, swinging

    row = measure_player(browser, *swinging(boxes(200), 0.1, 0.03), 1.0)
    assert row["bodies"] == 200 and 0 < row["draw_calls"] <= 20
