"""The page of a run: packed films that are the run's own poses, reports that need nothing else and can be repeated."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import threading
import xml.etree.ElementTree as ET
from html import escape, unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.finite_element_models import brick_model

import dalembert as da
from dalembert.cli.app import run as main
from dalembert.model.meshes import TriangleMesh
from dalembert.systems import SYSTEMS, load_system
from dalembert.view import (
    bake_run,
    build_scene,
    pack_machine,
    pack_mode,
    pack_motion,
    pack_run,
    pack_signals,
    player_html,
)
from dalembert.view.looks import body_colours
from dalembert.view.page.arrays import pack_array, unpack_array
from dalembert.view.page.assets import asset
from dalembert.view.page.mathml import mathml
from dalembert.view.page.packing import film_times
from dalembert.view.solids import cells_of, joined_cells

ROOT = Path(__file__).resolve().parents[2]
PENDULUM = "double-pendulum"


def rotation(q: np.ndarray) -> np.ndarray:
    """Rotation of a quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@pytest.fixture(scope="module")
def pendulum() -> da.Run:
    return da.simulate(load_system("double-pendulum"), duration=2.0, q0={"q_1": 1.5, "q_2": 0.5}, record=0.002)


# -- films ----------------------------------------------------------------


def test_arrays_come_back_to_the_bit() -> None:
    values = np.random.default_rng(0).normal(size=(7, 41)).astype(np.float32)
    assert np.array_equal(unpack_array(json.loads(json.dumps(pack_array(values)))), values)


def test_film_shows_the_poses_of_the_equations(pendulum: da.Run) -> None:
    machine = pendulum.machine
    eom, film = da.equations(machine, backend="vm"), pack_run(pendulum)
    t, points, poses = (unpack_array(film[name]) for name in ("t", "points", "poses"))
    traces = dict(film["scene"]["traces"])
    solids = [node for node in film["scene"]["nodes"] if "pose" in node and node.get("name") == "upper"]
    assert solids or "tip" in traces
    for k in (0, len(t) // 3, len(t) - 1):
        q = [np.interp(t[k], pendulum.t, pendulum[name]) for name in machine.q_names]
        tip = eom.pose("tip", q)[:3, 3]
        first = 3 * traces["tip"]
        assert np.allclose(points[first : first + 3, k], tip, atol=1e-6)  # single precision
        frame = next(node for node in film["scene"]["nodes"] if node["kind"] == "frame" and node["name"] == "tip")
        pose = poses[7 * frame["pose"] : 7 * frame["pose"] + 7, k]
        assert np.allclose(rotation(pose[3:]), eom.pose("tip", q)[:3, :3], atol=1e-6)


def test_quaternions_keep_their_sign_in_time() -> None:
    system = SYSTEMS["debris"]
    run = da.simulate(system.make(), **system.settings())
    poses = unpack_array(pack_run(run)["poses"]).reshape(-1, 7, len(unpack_array(pack_run(run)["t"])))
    steps = np.sum(poses[:, 3:, 1:] * poses[:, 3:, :-1], axis=1)
    assert np.allclose(np.linalg.norm(poses[:, 3:], axis=1), 1.0, atol=1e-6)
    assert steps.min() > 0.9  # a full turn takes 36 s: two frames of 1/30 s are near each other


def test_nothing_is_interpolated_across_a_jump() -> None:
    machine = da.Machine(
        "jumper",
        bodies=[da.sphere("ball", 1.0, 0.1)],
        joints=[da.Joint("x", "prismatic", "world", "ball", axis=(1, 0, 0))],
        gravity=(0, 0, 0),
    )
    run = da.simulate(
        machine,
        duration=1.0,
        v0={"x_dot": 1.0},
        events=[da.Event("half", lambda t, q, v: q[0] - 0.5)],
        on_event=lambda t, x, names: np.array([x[0] + 2.0, *x[1:]]),
    )
    t = film_times(run)
    (jump,) = np.flatnonzero(np.diff(t) == 0)
    film = pack_run(run)
    (ball,) = (node for node in film["scene"]["nodes"] if node["kind"] == "ball")
    x = unpack_array(film["poses"])[7 * ball["pose"]]
    assert np.isclose(x[jump], 0.5, atol=1e-5) and np.isclose(x[jump + 1], 2.5, atol=1e-5)
    # Before and after it moves at 1 m/s, and nowhere else is there a step.
    others = np.delete(np.diff(x), jump)
    assert np.allclose(others, np.delete(np.diff(t), jump), atol=1e-5)


def test_bending_can_be_exaggerated_up_to_a_cap() -> None:
    system = SYSTEMS["planar-flexible-arm"]
    film = pack_run(da.simulate(system.make(), **{**system.settings(), "duration": 0.5}))
    bent, straight = (unpack_array(film[name]) for name in ("points", "straight_points"))
    count = len(bent) // 3
    largest = np.linalg.norm((bent - straight).reshape(count, 3, -1), axis=1).max()
    assert film["scene"]["bending"] * largest == pytest.approx(0.25 * film["scene"]["size"], rel=1e-3)


def test_every_ready_made_machine_can_be_packed() -> None:
    kinds = set()
    for system in SYSTEMS.values():
        film = pack_machine(system.make())
        scene = film["scene"]
        kinds |= {node["kind"] for node in scene["nodes"]}
        points, poses = film["points"]["shape"][0] // 3, film["poses"]["shape"][0] // 7
        for node in scene["nodes"]:
            assert node.get("pose", 0) < max(poses, 1)
            assert node.get("first", 0) + node.get("count", 1) <= points
        assert np.isfinite(scene["cloud"]).all() and scene["size"] > 0, system.name
        json.dumps(film, allow_nan=False)
    assert kinds >= {"box", "cylinder", "capsule", "tube", "ball", "rail", "frame"}


def test_modes_swing_about_the_rest() -> None:
    arm = load_system("planar-flexible-arm")
    modes = da.analysis.machine_modes(da.equations(arm, backend="vm"))
    film = pack_mode(modes, int(modes.elastic[0]))
    points = unpack_array(film["points"])
    assert np.allclose(points[:, 0], points[:, -1], atol=1e-5)
    quarter = points.shape[1] // 4
    assert np.allclose(points[:, quarter] - points[:, 0], points[:, 0] - points[:, 3 * quarter], atol=1e-4)


def test_signals_keep_ends_and_balance(pendulum: da.Run) -> None:
    packed = pack_signals(pendulum, numbers=2000)
    t, values = unpack_array(packed["t"]), unpack_array(packed["values"])
    assert packed["stride"] > 1 and len(t) <= 202
    assert t[-1] == np.float32(pendulum.t[-1])
    for name, row in zip(packed["names"], values, strict=True):
        if name in pendulum:
            assert row[-1] == np.float32(pendulum[name][-1])
    assert packed["names"][-1] == "balance" and np.abs(values[-1]).max() <= pendulum.energy.drift * 1.0001


def arrow_sum(film: dict[str, Any], names: set[str], k: int) -> np.ndarray:
    """Sum of the vectors of arrows at a frame."""
    levels, scene = unpack_array(film["levels"]), film["scene"]
    arrows = [node for node in scene["nodes"] if node["kind"] == "arrow" and node["name"] in names]
    return np.asarray(np.sum([levels[node["vector"] : node["vector"] + 3, k] for node in arrows], axis=0))


def test_arrows_of_contacts_carry_the_weight() -> None:
    machine = da.Machine(
        "box", [da.box("box", 2.0, (0.4, 0.3, 0.2))], [da.Joint("base", "free", "world", "box")], gravity=(0, 0, -9.81)
    )
    contacts = da.geometry_contacts(machine, friction=0.4)
    machine = machine.with_(contacts=contacts)
    run = da.simulate(machine, duration=0.3, q0={"base.z": 0.1}, contact="time-stepping", step=1e-3)
    film = pack_run(run)
    total = arrow_sum(film, {pair for contact in contacts for pair in contact.pairs}, -1)
    assert np.allclose(total, [0.0, 0.0, 2.0 * 9.81], atol=1e-3)
    assert film["scene"]["floor"]["level"] == 0.0


@pytest.mark.parametrize("name", ["bouncing-ball", "rocking-block"])
def test_runs_that_locate_their_impacts_have_arrows_too(name: str) -> None:
    """Without friction there are no tangents, in the plane there is one."""
    system = SYSTEMS[name]
    run = da.simulate(system.make(), **{**system.settings(), "duration": 0.3})
    assert pack_run(run)


def test_arrows_of_wrenches_and_thrusters_are_their_forces() -> None:
    machine = da.Machine(
        "puck",
        [da.box("puck", 1.0, (0.2, 0.2, 0.1))],
        [da.Joint("base", "planar", "world", "puck")],
        gravity=(0, 0, 0),
        thrusters=[da.Thruster("jet", "puck", force=(1.0, 0.0, 0.0))],
        wrenches=[da.Wrench("wind", "puck", force=(0.0, 2.0 * da.TIME, 0.0))],
    )
    run = da.simulate(machine, duration=1.0, q0={"base.angle": np.pi / 2}, control=[3.0], record=0.01)
    film = pack_run(run)
    turned = run["base.angle"][-1]
    assert np.allclose(arrow_sum(film, {"wind"}, -1), [0.0, 2.0, 0.0], atol=1e-5)
    assert np.allclose(arrow_sum(film, {"jet"}, -1), 3.0 * np.array([np.cos(turned), np.sin(turned), 0.0]), atol=1e-5)


def test_meshes_are_packed_as_they_are(tmp_path: Path) -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    (tmp_path / "part.obj").write_text("\n".join(lines) + "\n")
    body = da.Body("part", 1.0, geometry=[da.Mesh(str(tmp_path / "part.obj"), scale=(2.0, 1.0, 1.0))])
    machine = da.Machine("meshed", [body], [da.Joint("x", "prismatic", "world", "part", axis=(1, 0, 0))])
    (node,) = (node for node in pack_machine(machine)["scene"]["nodes"] if node["kind"] == "mesh")
    packed = unpack_array(node["vertices"])[unpack_array(node["faces"]).astype(int)]
    assert np.array_equal(packed, (corners * [2, 1, 1])[faces])


def test_surfaces_of_flexible_bodies_are_packed_once_and_their_coordinates_per_frame() -> None:
    """Deformation and stress of a frame follow from these numbers; a surface with too many triangles is coarser."""
    model = brick_model((3, 1, 1), (0.6, 0.04, 0.03), E=2e8, nu=0.3, density=1100.0)
    boom = model.body("boom", {"root": "ROOT", "tip": "TIP"}, modes=2, stress=True)
    machine = da.Machine("boom", [boom], [da.Joint("hinge", "revolute", "world", "boom", axis="y")])
    run = da.simulate(machine, duration=0.05, v0={"hinge_dot": 3.0}, method=da.ImplicitMidpoint(step=1e-3))
    film = pack_run(run)
    (node,) = (node for node in film["scene"]["nodes"] if node["kind"] == "skin")
    n, levels = boom.n_modes, unpack_array(film["levels"])
    delta = levels[node["modal"] : node["modal"] + n, -1]
    np.testing.assert_allclose(delta, run.array(list(boom.q_names))[-1], rtol=1e-6)
    corners = np.unique(boom.reduction.faces)
    moved = (unpack_array(node["shapes"]).T @ delta).reshape(-1, 3)
    np.testing.assert_allclose(moved, boom.displacements(delta)[corners], atol=1e-5 * np.abs(moved).max())
    assert boom.reduction.stress is not None
    sigma = (unpack_array(node["stress"]).T @ delta).reshape(-1, 6) * film["scene"]["legend"]["stress"]
    expected = boom.reduction.stress[corners] @ delta
    np.testing.assert_allclose(sigma, expected, atol=1e-5 * np.abs(expected).max())
    assert not any(node["kind"] == "tube" and node.get("name") == "boom" for node in film["scene"]["nodes"])
    mesh = TriangleMesh(boom.reduction.positions, boom.reduction.faces)
    cell = cells_of(mesh, 20)
    assert cell is not None and 0 < len(joined_cells(mesh, cell).faces) <= 20 and cells_of(mesh, 1000) is None


def test_motions_that_are_given_are_packed() -> None:
    machine = load_system(PENDULUM)
    t = np.linspace(0.0, 1.0, 5)
    film = pack_motion(machine, t, np.column_stack([t, -t]))
    tip = 3 * dict(film["scene"]["traces"])["tip"]
    expected = da.equations(machine, backend="vm").pose("tip", [1.0, -1.0])[:3, 3]
    assert np.allclose(unpack_array(film["points"])[tip : tip + 3, -1], expected, atol=1e-6)
    with pytest.raises(da.InputError, match="row for each"):
        pack_motion(machine, t, np.zeros((3, 2)))
    with pytest.raises(da.InputError, match="do not decrease"):
        pack_motion(machine, t[::-1], np.zeros((5, 2)))


def test_runs_that_diverge_can_be_looked_at(tmp_path: Path) -> None:
    pushed = da.Machine(
        "pushed",
        [da.box("box", 1.0, (0.2, 0.2, 0.2))],
        [da.Joint("x", "prismatic", "world", "box", axis=(1, 0, 0))],
        motors=[da.Motor("F", "x")],
    )
    stiff = da.PD(kp=1e4, kd=0.0, reference=[0.0])  # far too stiff for the step
    run = da.simulate(pushed, duration=300.0, q0={"x": 0.1}, control=stiff, method="euler", step=0.1, check=False)
    assert run.status == "diverged"
    film = pack_run(run)
    json.dumps(film, allow_nan=False)
    assert all(np.isfinite(unpack_array(film[name])).all() for name in ("points", "poses"))
    assert len(unpack_array(film["t"])) > 1 and film["scene"]["size"] < 1e3
    text = run.report(tmp_path / "run.html").read_text(encoding="utf-8")
    assert escape(run.message) in text


# -- reports ----------------------------------------------------------------


def test_report_is_one_file_that_asks_nobody(pendulum: da.Run, tmp_path: Path) -> None:
    path = da.report(pendulum, tmp_path / "run.html")
    text = path.read_text(encoding="utf-8")
    assert path.stat().st_size < 1.3e6
    assert list(tmp_path.iterdir()) == [path]
    assert not re.findall(r"""(?:src|href|@import|url)\s*[=(]\s*["']?\s*(?:https?:)?//""", text)
    assert "default-src 'none'" in text
    for heading in ("Signals", "Energy audit", "Machine", "Equations of motion", "Simulation", "To repeat it"):
        assert f"<h2>{heading}</h2>" in text


def test_command_of_a_report_repeats_the_run(pendulum: da.Run, tmp_path: Path, monkeypatch: Any) -> None:
    text = pendulum.report(tmp_path / "run.html").read_text(encoding="utf-8")
    (command,) = re.findall(r"<pre>(dalembert simulate[^<]*)</pre>", text)
    words = shlex.split(command.replace("&#x27;", "'"))
    monkeypatch.chdir(tmp_path)
    Path(words[2]).write_text(pendulum.machine.to_yaml(), encoding="utf-8")
    assert main([*words[1:], "--out", "again.nc"]) == 0
    again = da.load_run("again.nc")
    assert np.array_equal(again.x[-1], pendulum.x[-1])


@pytest.fixture(scope="module")
def pushed() -> da.Machine:
    return da.Machine(
        "pushed",
        [da.box("box", 1.0, (0.2, 0.2, 0.2))],
        [da.Joint("x", "prismatic", "world", "box", axis=(1, 0, 0))],
        motors=[da.Motor("F", "x", effort=50.0)],
    )


def test_report_of_a_run_under_control_repeats_it_with_its_law(
    pushed: da.Machine, tmp_path: Path, monkeypatch: Any
) -> None:
    """The machine file of the page is enough: it holds the law."""
    law = da.PD(kp=30.0, kd={"F": 8.0}, reference={"F": da.Quintic(0.0, 0.7, duration=0.5, delay=0.1)})
    run = da.simulate(pushed, duration=1.0, q0={"x": 0.2}, control=law)
    text = run.report(tmp_path / "run.html", equations=False).read_text(encoding="utf-8")
    (file,) = re.findall(r"<summary>machine file</summary><pre>(.*?)</pre>", text, re.DOTALL)
    (command,) = re.findall(r"<pre>(dalembert simulate[^<]*)</pre><p>pushed.yaml is the machine file above.</p>", text)
    monkeypatch.chdir(tmp_path)
    Path("pushed.yaml").write_text(unescape(file), encoding="utf-8")
    assert main([*shlex.split(unescape(command))[1:], "--out", "again.nc"]) == 0
    assert np.array_equal(da.load_run("again.nc").x, run.x)


def test_report_says_that_a_law_in_python_is_not_in_its_command(pushed: da.Machine, tmp_path: Path) -> None:
    law = da.SampledController(lambda t, q, v: np.array([-q[0]]), 0.01)
    run = da.simulate(pushed, duration=0.1, q0={"x": 0.2}, control=law)
    text = run.report(tmp_path / "run.html", equations=False).read_text(encoding="utf-8")
    assert "The inputs came from a law in Python (SampledController), which the command does not support." in text
    plain = da.simulate(pushed, duration=0.1, q0={"x": 0.2})
    assert "law in Python" not in plain.report(tmp_path / "plain.html", equations=False).read_text(encoding="utf-8")


def test_report_tells_why_a_run_stopped(tmp_path: Path) -> None:
    machine = load_system("double-pendulum")
    over = da.Event("over", lambda t, q, v: q[0] - 1.0, terminal=True)
    run = da.simulate(machine, duration=5.0, q0={"q_1": 1.5}, events=[over], record=0.01)
    text = run.report(tmp_path / "run.html", equations=False).read_text(encoding="utf-8")
    assert run.status == "stopped" and escape(run.message) in text
    assert "<h2>Events</h2>" in text and "<h2>Equations" not in text


def test_names_are_text_in_a_report(tmp_path: Path) -> None:
    machine = da.Machine(
        "</script><b>&",
        bodies=[da.box("box", 1.0, (1, 1, 1))],
        joints=[da.Joint("x", "prismatic", "world", "box", axis=(1, 0, 0))],
    )
    run = da.simulate(machine, duration=0.1)
    text = run.report(tmp_path / "run.html").read_text(encoding="utf-8")
    assert "<h1>&lt;/script&gt;&lt;b&gt;&amp;</h1>" in text
    assert "</script><b>" not in text


def test_report_needs_a_run_and_a_machine(pendulum: da.Run, tmp_path: Path) -> None:
    with pytest.raises(da.InputError, match="needs a Run"):
        da.report("run.nc", tmp_path / "x.html")  # type: ignore[arg-type]
    with pytest.raises(da.InputError, match="html"):
        pendulum.report(tmp_path / "x.pdf")
    with pytest.raises(da.DalembertError, match="theta9"):
        pendulum.report(tmp_path / "x.html", signals=["theta9"])
    with pytest.raises(da.InputError, match="height"):
        player_html(pendulum, height=3)


def test_command_line_writes_reports(pendulum: da.Run, tmp_path: Path) -> None:
    pendulum.save(tmp_path / "run.nc")
    assert main(["report", str(tmp_path / "run.nc"), "q_*"]) == 0
    assert (tmp_path / "run.html").stat().st_size > 1e5
    assert main(["report", str(tmp_path / "none.nc")]) == 2


def test_equations_are_elements_with_brackets_that_grow(pendulum: da.Run, tmp_path: Path) -> None:
    form = da.closed_form(load_system(PENDULUM))
    matrix = ET.fromstring(mathml(form.latex("mass_matrix")))
    (table,) = [part for part in matrix.iter() if part.tag.endswith("mtable")]
    assert table.get("class") == "da-bracket"
    assert not [mo for mo in matrix.iter() if mo.tag.endswith("mo") and mo.text in ("[", "]")]
    # All the terms that there are, and none that vanishes.
    text = pendulum.report(tmp_path / "run.html").read_text(encoding="utf-8")
    equations = re.search(r'<div class="equations">(.*?)</div>', text, re.S)
    assert equations is not None
    lines = ET.fromstring(f"<div>{equations[1]}</div>")
    assert ["".join(line.itertext())[:2] for line in lines] == ["Mv", "M=", "c=", "g="]
    assert "".join(lines[0].itertext()).endswith("=0")


def test_notebook_fragment_is_well_formed(pendulum: da.Run) -> None:
    (host, script) = ET.fromstring(f"<div>{player_html(pendulum)}</div>")
    assert host.tag == "div" and host.get("id", "").startswith("dalembert-")
    assert script.tag == "script" and host.get("id", "") in (script.text or "")
    assert pendulum.show()._repr_html_().startswith("<div")


# -- the page in the package ----------------------------------------------------------------


def test_page_is_there_with_its_licences() -> None:
    assert 3e5 < len(asset("dalembert.js")) < 9e5
    assert "</script" not in asset("dalembert.js")
    wanted = json.loads((ROOT / "frontend" / "package.json").read_text())["devDependencies"]
    for name in ("three", "uplot"):
        assert f"{name} {wanted[name]}" in asset("LICENSES.txt")
    assert asset("LICENSES.txt").count("MIT") >= 2


def test_lockfile_names_no_registry() -> None:
    lock = (ROOT / "frontend" / "package-lock.json").read_text()
    assert '"resolved"' not in lock and '"integrity"' in lock


@pytest.mark.slow
def test_page_is_what_its_sources_give(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm")
    frontend = tmp_path / "frontend"
    shutil.copytree(ROOT / "frontend", frontend, ignore=shutil.ignore_patterns("node_modules"))
    assets = tmp_path / "src" / "dalembert" / "view" / "page" / "assets"
    shutil.copytree(ROOT / "src" / "dalembert" / "view" / "page" / "assets", assets)
    for command in (["ci", "--no-audit", "--no-fund"], ["run", "check"]):
        done = subprocess.run([npm, *command], cwd=frontend, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


# -- ending a run ----------------------------------------------------------------


def test_progress_that_returns_false_ends_a_run_in_any_thread() -> None:
    machine = load_system("double-pendulum")
    seen: list[float] = []
    result: list[da.Run] = []

    def progress(fraction: float) -> bool:
        seen.append(fraction)
        return len(seen) < 3

    def work() -> None:
        result.append(da.simulate(machine, duration=1e5, record=10.0, progress=progress, max_steps=10**9))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    (run,) = result
    assert run.status == "interrupted" and "stopped by the user" in run.message
    assert len(seen) == 3 and seen == sorted(seen)
    assert 0 < run.t[-1] < 1e5 and run.final.t == run.t[-1]


def test_round_surfaces_are_seen() -> None:
    """The circle around a falling chain, and a bowl, each once, whole in the picture."""
    film = pack_machine(load_system("chain-in-circle"))
    (ring,) = (node for node in film["scene"]["nodes"] if node["kind"] == "ring")
    assert ring["radius"] == pytest.approx(1.2) and np.allclose(np.abs(ring["normal"]), [0, 0, 1])
    cloud = np.reshape(film["scene"]["cloud"], (-1, 3))
    assert cloud[:, :2].min(axis=0) == pytest.approx([-1.2, -1.2], rel=1e-2)
    bowl = da.SphericalSurface(da.Parameter("R", 2.0), inside=True)
    ball = da.Machine(
        "ball",
        [da.sphere("ball", 1.0, 0.1)],
        [da.Joint("base", "free", "world", "ball")],
        contacts=[da.Contact(f"c{k}", "ball", da.Sphere(0.1), surface=bowl) for k in range(2)],
    )
    rings = [node for node in pack_machine(ball)["scene"]["nodes"] if node["kind"] == "ring"]
    assert [ring["radius"] for ring in rings] == [2.0] * 3
    assert np.allclose(np.array([ring["normal"] for ring in rings]), np.eye(3))


def test_each_span_of_a_rope_has_the_colour_of_its_tension() -> None:
    """Sheaves with losses: the tension falls along the rope of a load that rises."""
    given = SYSTEMS["reeved-hoist"].experiment().replace(duration=0.02)
    run = da.simulate(given, progress=False)
    film = pack_run(run)
    spans = [node for node in film["scene"]["nodes"] if node.get("tension", "").startswith("tension.fall")]
    names = [node["tension"] for node in spans]
    assert names == [f"tension.fall[{k}]" for k in range(4)]
    assert [node["last"] for node in spans] == [False, False, False, True]
    # They follow one another over all points of the rope, and meet on the sheaves.
    scene = build_scene(given.machine)
    way = bake_run(scene, run).cables["fall"]
    assert sum(node["count"] - 1 for node in spans) == way.shape[1] - 1
    assert all(b["first"] == a["first"] + a["count"] - 1 for a, b in pairwise(spans))
    levels = unpack_array(film["levels"])
    least, most = film["scene"]["legend"]["tension"]
    for node in spans:
        shown = least + (most - least) * levels[node["level"]][-1]
        assert shown == pytest.approx(run[node["tension"]][-1], rel=1e-4)


def test_ramps_stand_on_the_floor_and_the_camera_sees_them() -> None:
    scene = pack_machine(SYSTEMS["box-on-incline"].make(), {"base.z": 0.15})["scene"]
    (ramp,) = [node for node in scene["nodes"] if node["kind"] == "ramp"]
    top, foot, up = (np.array(values).reshape(-1, 3) for values in (ramp["top"], ramp["foot"], scene["up"]))
    np.testing.assert_allclose(top[:, 2], 0.0, atol=1e-9)  # the plane of the contact
    np.testing.assert_allclose(foot @ up[0], scene["floor"]["level"], atol=1e-6)
    slope = (top[0] - top[1]) @ up[0] / np.linalg.norm(top[0] - top[1])
    assert slope == pytest.approx(np.sin(np.radians(20.0)), rel=1e-5)
    cloud = np.array(scene["cloud"]).reshape(-1, 3)
    assert np.ptp(cloud, axis=0).max() > 2.0 * 0.3


def test_colours_mean_something() -> None:
    colours = list(body_colours(build_scene(SYSTEMS["six-axis-arm"].make())).values())
    assert colours[0] == "#4477aa" and colours[-1] == "#ccbb44"
    assert all(a != b for a, b in pairwise(colours))
    assert set(body_colours(build_scene(SYSTEMS["newtons-cradle"].make())).values()) == {"#4477aa"}


def test_progress_that_returns_nothing_lets_a_run_go_on() -> None:
    run = da.simulate(load_system("double-pendulum"), duration=0.5, progress=lambda fraction: None)
    assert run.status == "completed"


# -- pictures of the documentation ----------------------------------------------------------------


def test_gallery_shows_every_ready_made_machine() -> None:
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    for name in SYSTEMS:
        hint = f"python docs/figures/studio_figures.py {name}"
        assert f"(figures/systems/{name}.png)" in page, hint
        assert (ROOT / "docs" / "figures" / "systems" / f"{name}.png").stat().st_size > 3000, hint
