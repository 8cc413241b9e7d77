"""The surface of a flexible body in the studio and in a page that simulates: deformed and coloured as Python does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.finite_element_models import brick_model

import dalembert as da
from dalembert.compile import find_zig
from dalembert.core.types import Array
from dalembert.view.page.live import share_page
from dalembert.view.skins import skin_of
from dalembert.view.studio.opening import open_object
from dalembert.view.studio.server import Studio

SURFACE = (
    "(player) => { const mesh = player.shapes.meshes.find((one) => one.userData.owner === 'boom'); "
    "const { position, color } = mesh.geometry.attributes; return { position: [...position.array], "
    "color: [...color.array], legend: player.scene.legend.stress, text: player.legend.textContent, "
    "time: player.time, exaggerate: player.exaggerate }; }"
)


@pytest.fixture(scope="module")
def pendulum() -> da.Experiment:
    """A soft boom of two bricks that falls about a hinge."""
    model = brick_model((2, 1, 1), (0.5, 0.04, 0.03), E=2e7, nu=0.3, density=1100.0)
    boom = model.body("boom", {"root": "ROOT", "tip": "TIP"}, modes=2, stress=True)
    machine = da.Machine("boom", [boom], [da.Joint("hinge", "revolute", "world", "boom", axis="y")])
    return da.Experiment(
        machine, duration=0.2, start=da.Start(v={"hinge_dot": 5.0}), method=da.ImplicitMidpoint(step=1e-3)
    )


def expected(run: da.Run, time: float) -> tuple[Array, Array]:
    """Corners of the surface at a time, and the equivalent stress there."""
    boom = run.machine.body("boom")
    skin = skin_of(boom, 0, ())
    assert skin is not None and skin.stress is not None
    delta = run.array(list(boom.q_names))
    now = np.array([np.interp(time, run.t, column) for column in delta.T])
    return skin.mesh.vertices + skin.shapes @ now, da.analysis.von_mises(skin.stress @ now)


def check(page: Any, player: str, experiment: da.Experiment) -> None:
    """At the frame in the middle of the film."""
    page.evaluate(f"() => {{ const p = {player}; p.pause(); p.seek(p.film.t[p.film.n >> 1]); }}")
    page.wait_for_function(f"() => !{player}.stage.dirty")
    shown = page.evaluate(f"() => ({SURFACE})({player})")
    run = da.simulate(experiment)
    corners, stress = expected(run, shown["time"])
    moved = np.abs(corners - expected(run, 0.0)[0]).max()
    assert moved > 1e-4
    np.testing.assert_allclose(np.reshape(shown["position"], (-1, 3)), corners, rtol=0.0, atol=2e-3 * moved)
    green = np.reshape(shown["color"], (-1, 3))[:, 1]  # grows along the whole scale
    assert np.all(np.diff(green[np.argsort(stress)]) > -0.01) and np.ptp(green) > 0.05
    assert stress.max() <= 1.001 * shown["legend"]
    assert f"{shown['legend'] / 1e6:.3g} MPa" in shown["text"]


def test_the_studio_deforms_and_colours_it(watched: Any, pendulum: da.Experiment) -> None:
    page = watched.page
    with Studio(open_object(pendulum)) as studio:
        page.goto(studio.url)
        page.wait_for_selector("body[data-machine='boom']")
        page.click("#run")
        page.wait_for_selector("body[data-run='1'][data-status='completed']")
        check(page, "studioPage.player", pendulum)
    assert watched.errors == []


@pytest.mark.skipif(find_zig() is None, reason="the ziglang wheel is not installed")
def test_a_page_that_simulates_does_so_too(watched: Any, pendulum: da.Experiment, tmp_path: Path) -> None:
    """Its own run, with implicit steps in WebAssembly."""
    file = tmp_path / "boom.html"
    file.write_text(share_page(pendulum), encoding="utf-8")
    page = watched.page
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-run='1']")
    check(page, "document.body.live.player", pendulum)
    assert watched.errors == []
