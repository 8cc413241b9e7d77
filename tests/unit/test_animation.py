"""Animation: points, planes, files, refusals."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.systems.cranes import crane_coordinates, planar_crane, spatial_crane, uniform_cable
from dalembert.view.animation import animate, draw_frames, skeleton

CRANE = planar_crane(uniform_cable(2, 4.0, payload=5.0, mass=1.0))
RUN = da.simulate(CRANE, duration=0.5, q0={"theta1": 0.3}, step=5e-3, backend="vm")


def test_points_are_those_of_the_machine() -> None:
    shape = skeleton(RUN, CRANE)
    eom = da.equations(CRANE, backend="vm")
    expected = eom.pose("payload", RUN.array(CRANE.q_names))[:, :3, 3]
    assert np.allclose(shape.points[:, shape.names.index("node2")], expected, atol=1e-12)
    assert shape.plane == ("x", "z")
    masses = dict(zip(shape.names, shape.masses, strict=True))
    assert (masses["node1"], masses["node2"], masses["theta1"]) == (0.5, 5.25, 0.0)


def test_run_in_other_coordinates_looks_the_same() -> None:
    eom = da.equations(CRANE, coordinates=crane_coordinates(CRANE, "alpha"), backend="vm")
    run = da.simulate(eom, duration=0.5, q0={"theta1": 0.3}, step=5e-3)
    assert np.allclose(skeleton(run, CRANE).points, skeleton(RUN, CRANE).points, atol=1e-9)


def test_motion_in_space_has_no_plane() -> None:
    crane = spatial_crane(uniform_cable(1, 4.0, payload=5.0))
    run = da.simulate(crane, duration=0.2, q0={"theta1": 0.3, "phi1": 0.2}, backend="vm")
    shape = skeleton(run, crane)
    assert shape.plane is None
    figure, update = draw_frames(shape, trace=["node1"])
    assert len(figure.axes) == 1
    update(3)


def test_pictures_differ_as_the_machine_moves() -> None:
    figure, update = draw_frames(skeleton(RUN, CRANE), title="crane")
    images = []
    for k in (0, 0, 60):
        update(k)
        figure.canvas.draw()
        images.append(np.asarray(figure.canvas.buffer_rgba()).copy())
    assert np.array_equal(images[0], images[1])
    assert not np.array_equal(images[0], images[2])


def test_gif(tmp_path: Path) -> None:
    from PIL import Image

    path = animate(RUN, CRANE, tmp_path / "crane.gif", fps=20, trace=["node2"])
    with Image.open(path) as image:
        assert image.n_frames == 11  # half a second at 20 per second, both ends
        assert image.size == (480, 360)


def test_html(tmp_path: Path) -> None:
    path = animate(RUN, CRANE, tmp_path / "crane.html", fps=6)
    text = path.read_text()
    assert text.count("data:image/png;base64") == 4
    assert "<script" in text


def test_mp4_needs_ffmpeg(tmp_path: Path) -> None:
    if shutil.which("ffmpeg"):
        assert animate(RUN, CRANE, tmp_path / "crane.mp4", fps=6).stat().st_size > 0
    else:
        with pytest.raises(da.InputError, match="ffmpeg"):
            animate(RUN, CRANE, tmp_path / "crane.mp4")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": "crane.avi"}, r"must end in \.gif, \.html, \.mp4"),
        ({"path": "nowhere/crane.gif"}, "no folder"),
        ({"fps": 0.0}, "fps and speed"),
        ({"trace": ["hook"]}, "no point 'hook'.*node2"),
    ],
)
def test_refusals(tmp_path: Path, options: dict, message: str) -> None:
    settings = {"path": "crane.gif"} | options
    path = tmp_path / settings.pop("path")
    with pytest.raises(da.InputError, match=message):
        animate(RUN, CRANE, path, **settings)


def test_run_of_another_machine_is_refused() -> None:
    other = planar_crane(uniform_cable(3, 4.0, payload=5.0, mass=1.0))
    with pytest.raises(da.InputError, match="no signal 'theta3'"):
        skeleton(RUN, other)
