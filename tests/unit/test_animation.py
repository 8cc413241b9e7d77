"""Animations and pictures: planes, files, what can be seen, refusals."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.model import SoftContact
from dalembert.systems import load_system
from dalembert.systems.cranes import planar_crane, spatial_crane, uniform_cable
from dalembert.systems.falling_chains import chain_on_ground
from dalembert.view import pack_machine
from dalembert.view.animation import animate, draw_machine
from dalembert.view.drawing import compose_picture, draw_scene, plane_of
from dalembert.view.scene import bake_run
from dalembert.view.scene_builder import build_scene
from dalembert.view.touching import contact_arrows

CRANE = planar_crane(uniform_cable(2, 4.0, payload=5.0, mass=1.0))
RUN = da.simulate(CRANE, duration=0.5, q0={"theta1": 0.3}, step=5e-3, backend="vm")


def pixels(figure: Any, dpi: int = 60) -> np.ndarray:
    from PIL import Image

    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=dpi)
    return np.asarray(Image.open(content).convert("RGB")).astype(int)


def near(image: np.ndarray, colour: str, within: int = 60) -> int:
    """Number of pixels of about that colour."""
    wanted = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    return int(np.count_nonzero(np.abs(image - wanted).max(axis=-1) <= within))


def test_planes() -> None:
    scene = build_scene(CRANE)
    assert plane_of(bake_run(scene, RUN).points) == ("x", "z")
    crane = spatial_crane(uniform_cable(1, 4.0, payload=5.0))
    q = np.array([[0.1, 0.2, 0.3, 0.2], [0, 0, 0, 0]])
    assert plane_of(build_scene(crane).bake(q).points) is None
    assert plane_of(np.array([[1.0, 2.0, 3.0], [2.0, 5.0, 3.0]])) == ("x", "y")


def test_axes_of_a_plane_have_units_and_space_has_a_grid() -> None:
    figure = draw_machine(CRANE)
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("x [m]", "z [m]")
    space = draw_machine(spatial_crane(uniform_cable(1, 4.0, payload=5.0)))
    texts = [text.get_text() for axes in space.axes for text in axes.texts]
    assert any(text.startswith("grid ") and text.endswith(" m") for text in texts)
    assert {"x", "y", "z"} <= set(texts)


def test_solids_beams_and_cables_are_seen() -> None:
    """Each colour disappears from the picture together with its part."""
    sand = "#ccbb44"
    body = da.Body("box", 1.0, inertia=(1, 1, 1), geometry=[da.Geometry(da.Box((1, 1, 1)), colour=sand)])
    joints = [da.Joint("q", "free", "world", "box")]
    cable = da.Cable("rope", "box", exit_at=(0, 0, 3), length=2.5)
    whole = da.Machine("m", bodies=[body], joints=joints, cables=[cable])
    bare = whole.with_(bodies=[da.Body("box", 1.0, inertia=(1, 1, 1))])
    loose = whole.with_(cables=())
    images = [pixels(draw_machine(machine, plane=None)) for machine in (whole, bare, loose)]
    assert near(images[0], sand) > 1000
    assert near(images[1], sand, 30) == 0
    assert near(images[0], "#333333", 90) > near(images[2], "#333333", 90) + 50
    arm = load_system("planar-flexible-arm")
    straight, bent = (pixels(draw_machine(arm, {"link2.delta1": bend})) for bend in (0.0, 0.3))
    assert near(bent, "#4477aa") > 500
    assert np.count_nonzero((straight != bent).any(axis=-1)) > 500


def test_nearer_solid_hides_the_farther_one() -> None:
    red, blue = "#cc0000", "#0000cc"
    size = da.Box((1.0, 1.0, 1.0))
    bodies = [
        da.Body(name, 1.0, inertia=(1, 1, 1), geometry=[da.Geometry(size, colour=colour)])
        for name, colour in (("a", red), ("b", blue))
    ]
    joints = [da.Joint(f"q{b.name}", "free", "world", b.name) for b in bodies]
    machine = da.Machine("m", bodies=bodies, joints=joints, gravity=(0, 0, 0))
    for y, first, second in ((-2.0, blue, red), (2.0, red, blue)):  # who looks at the x-z plane stands at negative y
        image = pixels(draw_machine(machine, {"qb.y": y}, plane="xz"))
        assert near(image, first, 90) > 1000
        assert near(image, second, 40) < 50


def test_pictures_differ_as_the_machine_moves() -> None:
    scene = build_scene(CRANE)
    figure, update = draw_scene(scene, bake_run(scene, RUN), title="crane", trace=["payload"], frames=["payload"])
    images = []
    for k in (0, 0, 60):
        update(k)
        images.append(pixels(figure))
    assert np.array_equal(images[0], images[1])
    assert np.count_nonzero((images[0] != images[2]).any(axis=-1)) > 200


def test_gif(tmp_path: Path) -> None:
    from PIL import Image

    path = RUN.animate(tmp_path / "crane.gif", fps=20, trace=["payload"])
    with Image.open(path) as image:
        assert image.n_frames == 11  # half a second at 20 per second, both ends
        assert image.size == (480, 360)


def test_html_from_a_run_file(tmp_path: Path) -> None:
    run = da.load_run(RUN.save(tmp_path / "run.nc"))
    text = animate(run, tmp_path / "crane.html", fps=6).read_text()
    assert text.count("data:image/png;base64") == 4
    assert "<script" in text


def test_mp4_needs_ffmpeg(tmp_path: Path) -> None:
    if shutil.which("ffmpeg"):
        assert animate(RUN, tmp_path / "crane.mp4", fps=6).stat().st_size > 0
    else:
        with pytest.raises(da.InputError, match="ffmpeg"):
            animate(RUN, tmp_path / "crane.mp4")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": "crane.avi"}, r"must end in \.gif, \.html, \.mp4"),
        ({"path": "nowhere/crane.gif"}, "no such folder"),
        ({"fps": 0.0}, "fps and speed"),
        ({"speed": "fast"}, "fps and speed"),
        ({"trace": ["hook"]}, "no point named 'hook'.*node2"),
        ({"trace": [3]}, "trace must be names"),
        ({"frames": ["hook"]}, "no frame 'hook' to draw; known: payload"),
        ({"plane": "xx"}, "plane must be two of x, y, z"),
        ({"machine": "crane"}, "machine of an animation must be a Machine, got str"),
        ({"exaggerate": -1}, "exaggerate must be"),
    ],
)
def test_refusals(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    settings = {"path": "crane.gif"} | options
    path = tmp_path / settings.pop("path")
    with pytest.raises(da.DalembertError, match=message):
        animate(RUN, path, **settings)
    assert not path.exists()


def test_arguments_in_the_wrong_order() -> None:
    with pytest.raises(da.InputError, match="an animation needs a Run first, got Machine"):
        animate(CRANE, RUN)  # type: ignore[arg-type]


def test_run_without_machine() -> None:
    from dataclasses import replace

    with pytest.raises(da.InputError, match="does not contain its machine; pass it as machine="):
        animate(replace(RUN, source=None), "crane.gif")


def lying_ball(surface: Any) -> da.Machine:
    contact = da.Contact("floor", "ball", da.Sphere(0.1), surface=surface, restitution=0.5, friction=0.3)
    joint = da.Joint("base", "planar", "world", "ball", axis="-y")
    return da.Machine("ball", [da.sphere("ball", 2.0, 0.1)], [joint], contacts=[contact])


@pytest.mark.parametrize("contact", [None, "time-stepping"])
def test_arrows_are_the_forces_of_contacts(contact: str | None) -> None:
    """With a picture for every step, they add up to what the momentum needs, impacts included."""
    machine = lying_ball(da.HalfSpace())
    run = da.simulate(machine, duration=1.0, q0={"base.y": 0.2}, v0={"base.x_dot": 0.5}, contact=contact, step=1e-3)
    times = np.linspace(0.0, 1.0, 1001)
    arrows = contact_arrows(run, machine, times)
    assert arrows is not None
    assert arrows.vectors[:, 0].sum(axis=0)[2] * 1e-3 == pytest.approx(2.0 * 9.81, rel=2e-3)
    rolls = 2.0 * (run["base.x_dot"][-1] - 0.5)
    assert arrows.vectors[:, 0].sum(axis=0)[0] * 1e-3 == pytest.approx(rolls, rel=5e-3)
    np.testing.assert_allclose(arrows.vectors[-1, 0], [0.0, 0.0, 2.0 * 9.81], atol=1e-6)
    np.testing.assert_allclose(arrows.points[-1, 0], [run["base.x"][-1], 0.0, 0.0], atol=1e-6)


def test_arrows_follow_what_is_exaggerated() -> None:
    """At the tip of a beam that is bent, whose picture bends ten times as far."""
    chain = chain_on_ground(1, 1, restitution=1.0)
    run = da.simulate(chain, duration=0.4, q0={"base.y": 0.5}, method="dopri5")
    times = np.linspace(0.0, 0.4, 9)
    arrows = contact_arrows(run, chain, times, exaggerate=10.0)
    scene = build_scene(chain)
    baked = bake_run(scene, run, times, exaggerate=10.0)
    assert arrows is not None
    np.testing.assert_allclose(arrows.points[:, 1], baked.points[:, scene.index("link1.tip")], atol=1e-9)


@pytest.mark.parametrize(
    "surface",
    [
        da.HalfSpace((0.2, 0.0, 1.0), (0.0, 0.0, -0.1)),
        da.SphericalSurface(0.3, (0.0, 0.0, -0.4)),
        da.CylindricalSurface(0.3, (0.0, 1.0, 0.0), (0.0, 0.0, -0.4)),
        da.CylindricalSurface(0.3, (1.0, 0.0, 0.0), (0.0, 0.0, -0.4)),
    ],
)
def test_what_is_touched_is_seen(surface: Any) -> None:
    machine = lying_ball(surface)
    ground = "#e8e4dc"
    for plane in ("xz", None):
        seen = pixels(draw_machine(machine, plane=plane))
        bare = pixels(draw_machine(machine.with_(contacts=()), plane=plane))
        assert near(seen, ground, 6) > near(bare, ground, 6) + 100


def test_surfaces_of_colliders_and_soft_contacts_look_like_those_of_contacts() -> None:
    surface = da.HalfSpace((0.2, 0.0, 1.0), (0.0, 0.0, -0.1))
    declared = lying_ball(surface)
    bare = declared.with_(contacts=())
    others = (
        bare.with_(colliders=[da.Collider("ball"), da.Collider("slope", surface=surface)]),
        bare.with_(fields=[SoftContact("slope", "ball", radius=0.1, surface=surface)]),
    )
    pictures = [pixels(draw_machine(m, plane=None)) for m in (declared, *others)]
    scenes = [pack_machine(m)["scene"] for m in (declared, *others)]
    for picture, scene in zip(pictures[1:], scenes[1:], strict=True):
        np.testing.assert_array_equal(picture, pictures[0])
        assert scene["floor"] == scenes[0]["floor"] and scene["nodes"] == scenes[0]["nodes"]
    assert any(node["kind"] == "ramp" for node in scenes[0]["nodes"])


def test_the_grid_lies_on_the_ground_that_is_touched() -> None:
    ball = lying_ball(da.HalfSpace((0.0, 0.0, 1.0), (0.0, 0.0, -0.4)))
    scene = build_scene(ball)
    picture = compose_picture(scene, scene.bake(np.zeros(3)), plane=None)
    assert picture.painter.floor == pytest.approx(-0.4)
