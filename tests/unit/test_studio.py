"""The studio without a browser: whom it answers, what it refuses, and that what it runs is what the library runs."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.app import run as run_command
from dalembert.loop.postures import posture
from dalembert.systems import SYSTEMS, load_system
from dalembert.view.page.arrays import unpack_array
from dalembert.view.studio.opened import Changes
from dalembert.view.studio.opening import open_path, open_system, open_text
from dalembert.view.studio.server import Studio
from dalembert.view.studio.session import Download, Session

PENDULUM = "double-pendulum"
MESH = """
name: with-mesh
bodies:
  a: {mass: 1.0, geometry: [{mesh: {file: /etc/passwd}}]}
joints:
  j: {kind: prismatic, parent: world, child: a}
"""


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    with Studio(open_system(PENDULUM)) as made:
        yield made


def ask(studio: Studio, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, bytes, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=30)
    sent = {"Host": f"127.0.0.1:{studio.port}", **{k.replace("_", "-"): v for k, v in headers.items()}}
    connection.request(method, path, None if body is None else json.dumps(body), sent)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content, answer.headers


def finished(session: Session) -> dict[str, Any]:
    for _ in range(600):
        state: Any = session.answer("state", {})
        if state["stage"] in ("done", "failed"):
            return dict(state)
        time.sleep(0.05)
    raise AssertionError("the run does not end")


# -- who is answered ----------------------------------------------------------------


def test_only_its_own_page_is_answered(studio: Studio) -> None:
    body, token = {"session": "abc"}, {"X_Dalembert_Token": studio.token}
    assert ask(studio, "POST", "/api/systems", body, **token)[0] == 200
    own = f"http://127.0.0.1:{studio.port}"
    assert ask(studio, "POST", "/api/systems", body, **token, Origin=own, Sec_Fetch_Site="same-origin")[0] == 200
    refused = [
        {},
        {"X_Dalembert_Token": "x" * len(studio.token)},
        {**token, "Origin": "http://example.org"},
        {**token, "Origin": "null"},
        {**token, "Origin": f"http://127.0.0.1:{studio.port + 1}"},
        {**token, "Host": f"example.org:{studio.port}"},
        {**token, "Host": "127.0.0.1"},
        {**token, "Sec_Fetch_Site": "cross-site"},
    ]
    for headers in refused:
        assert ask(studio, "POST", "/api/systems", body, **headers)[0] == 403, headers


def test_page_needs_the_token_and_is_the_only_path(studio: Studio) -> None:
    status, content, headers = ask(studio, "GET", f"/?token={studio.token}")
    assert status == 200 and b"dalembert.studio" in content
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "connect-src 'self'" in policy and "unsafe-eval" not in policy
    assert ask(studio, "GET", "/")[0] == 403
    assert ask(studio, "GET", "/?token=")[0] == 403
    for path in ("/../../etc/passwd", "/etc/passwd", "//etc/passwd", "/%2e%2e/etc/passwd", "/assets/dalembert.js"):
        assert ask(studio, "GET", f"{path}?token={studio.token}")[0] == 404
    assert ask(studio, "PUT", "/api/open", {})[0] == 501
    assert studio.url.startswith("http://127.0.0.1:")


def test_nonsense_is_answered_with_an_error(studio: Studio) -> None:
    token = {"X_Dalembert_Token": studio.token}
    for verb, body in (
        ("systems", []),
        ("systems", {"session": "../x"}),
        ("nonsense", {"session": "abc"}),
        ("open", {"session": "abc", "system": "no-such"}),
        ("film", {"session": "abc", "run": 77}),
        ("run", {"session": "abc", "changes": {"p": {"l_1": "long"}}}),
        ("run", {"session": "abc", "changes": {"settings": {"method": "magic"}}}),
        ("save", {"session": "abc", "what": "everything", "run": 1}),
    ):
        status, content, _ = ask(studio, "POST", f"/api/{verb}", body, **token)
        assert status == 400 and json.loads(content)["error"], verb
    assert ask(studio, "POST", "/api/systems", {"session": "abc"}, **token, Content_Length="99999999999")[0] == 413


def test_pages_do_not_read_files(tmp_path: Path) -> None:
    with pytest.raises(da.FileFormatError, match="a page may not read files"):
        open_text(MESH)
    # A text is a text, also if it looks like a path.
    (tmp_path / "machine.yaml").write_text(load_system(PENDULUM).to_yaml())
    with pytest.raises(da.DalembertError, match="must be a mapping"):
        open_text(str(tmp_path / "machine.yaml"))


def test_meshes_that_are_open_may_stay(tmp_path: Path) -> None:
    """A machine file with meshes can be edited on the page; other files stay closed to it."""
    triangle = "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
    (tmp_path / "plate.stl").write_text(f"{triangle}endsolid\n")
    (tmp_path / "other.stl").write_text(f"{triangle}endsolid\n")
    text = MESH.replace("/etc/passwd", "plate.stl")
    (tmp_path / "machine.yaml").write_text(text)
    opened = open_path(tmp_path / "machine.yaml")
    edited = open_text(text.replace("mass: 1.0", "mass: 2.0"), "edited", opened)
    assert edited.machine.bodies[0].geometry[0].solid == opened.machine.bodies[0].geometry[0].solid
    again = open_text(text.replace("mass: 1.0", "mass: 3.0"), "again", edited)
    assert again.machine.body("a").mass == 3.0
    for file in ("other.stl", "../plate.stl", "/etc/passwd", str(tmp_path / "other.stl")):
        with pytest.raises(da.FileFormatError, match="a page may not read files"):
            open_text(MESH.replace("/etc/passwd", file), "bad", again)


def test_everything_that_is_wrong_with_a_file_is_said_with_its_name() -> None:
    session = Session()
    text = MESH.replace("mass: 1.0", "mass: -1").replace("kind: prismatic", "kind: sliding")
    with pytest.raises(da.FileFormatError) as error:
        session.answer("open", {"text": text, "title": "plate.yaml"})
    assert [line.partition(": ")[0] for line in str(error.value).splitlines()] == ["plate.yaml:4", "plate.yaml:6"]
    for digits, why in (("00", "broken.nc: cannot be read"), ("xy", "broken.nc: was not received")):
        with pytest.raises(da.DalembertError, match=why):
            session.answer("open", {"file": digits, "title": "broken.nc"})
    with pytest.raises(da.InputError, match="press Run"):
        session.answer("save", {"what": "run", "run": None})


def test_what_a_file_warns_of_is_shown(tmp_path: Path) -> None:
    (tmp_path / "machine.yaml").write_text(MESH.replace("/etc/passwd", "gone.stl"))
    answer: Any = Session(open_path(tmp_path / "machine.yaml")).answer("open", {})
    assert any("drawn without its mesh" in note["text"] for note in answer["notes"])


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_command_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dalembert", "studio", PENDULUM, "--no-browser", "--workspace", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().removeprefix("studio: ").strip()
        place, path = address.removeprefix("http://").split("/", 1)
        connection = http.client.HTTPConnection(place, timeout=30)
        connection.request("GET", f"/{path}")
        assert connection.getresponse().status == 200
        connection.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


def test_command_refuses_what_is_no_machine(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DALEMBERT_STUDIO", str(tmp_path))
    assert run_command(["studio", "no-such-machine"]) == 2
    assert "neither a file nor a ready-made machine" in capsys.readouterr().err
    with Studio() as taken:
        assert run_command(["studio", "--no-browser", "--port", str(taken.port)]) == 2
    assert "cannot be used" in capsys.readouterr().err


# -- what it does ----------------------------------------------------------------


def test_run_is_the_one_of_the_library() -> None:
    session = Session(open_system(PENDULUM))
    changes = {"p": {"l_1": 1.5}, "q0": {"q_2": -0.3}, "v0": {"q_1_dot": 0.5}, "settings": {"duration": 1.0}}
    session.answer("run", {"changes": changes})
    number = finished(session)["run"]
    answer: Any = session.answer("film", {"run": number})
    settings = SYSTEMS[PENDULUM].settings()
    start = {**settings, "q0": {**settings["q0"], "q_2": -0.3}, "v0": {"q_1_dot": 0.5}, "duration": 1.0}
    run = da.simulate(load_system(PENDULUM), **start, p={"l_1": 1.5})
    signals = answer["signals"]
    values = dict(zip(signals["names"], unpack_array(signals["values"]), strict=True))
    assert np.array_equal(values["q_2"][[0, -1]], run["q_2"][[0, -1]].astype(np.float32))
    # Saved, and run again, it is the same.
    saved: Any = session.answer("save", {"what": "machine", "changes": changes})
    machine, again = da.load_simulation(saved.content.decode())
    assert np.array_equal(da.simulate(machine, **again).x[-1], run.x[-1])
    report: Any = session.answer("save", {"what": "report", "run": number})
    assert isinstance(report, Download) and report.name.endswith(".html") and b"Energy audit" in report.content


GAINS = """
name: two-carts
parameters: {m: 2.0, k: 30.0}
gains: [k]
bodies: {a: {mass: m}, b: {mass: 1.0}}
joints:
  x: {kind: prismatic, parent: world, child: a, axis: x}
  y: {kind: prismatic, parent: world, child: b, axis: y}
motors: {x: {}, y: {}}
simulation:
  duration: 1.0
  control: {law: pd, kp: k, kd: {x: 2 * sqrt(k), y: 5.0}, reference: [0.5, 0.2]}
"""


def test_gains_that_are_parameters_have_sliders_of_their_own() -> None:
    """And moving one of the others leaves them parameters."""
    opened = open_text(GAINS)
    card = opened.card()
    assert [row["name"] for row in card["parameters"]] == ["m"]
    assert [(row["name"], row["value"]) for row in card["gain_parameters"]] == [("k", 30.0)]
    assert card["gains"] == {"kd": [5.0]} and card["gain_labels"] == {"kd": ["y"]}
    changes = Changes.read({"p": {"k": 120.0}, "gains": {"kd": [9.0]}})
    run = da.simulate(opened.simulation(changes))
    changed = da.load_experiment(GAINS.replace("y: 5.0", "y: 9.0"))
    expected = da.simulate(opened.simulation(Changes()), control=changed.control, p={"k": 120.0})
    np.testing.assert_array_equal(run.x, expected.x)
    again, block = da.load_simulation(opened.file(changes))
    np.testing.assert_array_equal(da.simulate(again, **block, record=run.t[1]).x, run.x)


def test_a_saved_file_keeps_its_comments() -> None:
    for tail in ("", "# the end\n", "frames:\n  f: {body: a}  # a place\n"):
        text = f"# two carts\n{GAINS}{tail}"
        opened = open_text(text)
        assert opened.file(Changes()) == opened.text
        saved = opened.file(Changes(settings={"duration": 3.0}))
        assert saved.startswith("# two carts\n") and ("# a place" in saved) == ("# a place" in text)
        machine, settings = da.load_simulation(saved)
        assert machine == opened.machine and settings["duration"] == 3.0 and settings["control"] is not None
    bare = GAINS[: GAINS.index("simulation:")]
    assert da.load_simulation(open_text(bare).file(Changes(q0={"x": 0.25})))[1]["q0"] == {"x": 0.25}


def test_attitudes_are_set_by_roll_pitch_and_yaw() -> None:
    opened = open_system("floating-two-link")
    rows = {row["name"]: row for row in opened.card()["q0"]}
    assert [name for name in rows if name.startswith("base.")] == [
        *("base.x", "base.y", "base.z", "base.roll", "base.pitch", "base.yaw")
    ]
    changes = Changes.read({"q0": {"base.roll": 0.3, "base.yaw": -0.8, "q1": 0.5}})
    start = opened.simulation(changes).start.q
    R = da.Transform.rpy(0.3, 0.0, -0.8).rotation
    pose = da.equations(opened.machine, backend="vm").pose("base", _filled(opened.machine, start))
    np.testing.assert_allclose(pose[:3, :3], np.array(R, dtype=float), atol=1e-12)
    assert start["q1"] == 0.5 and not any(name.endswith(("roll", "yaw")) for name in start)
    assert da.load_simulation(opened.file(changes))[1]["q0"] == pytest.approx(start)
    # One angle of a start that is turned already.
    turned = replace(opened, experiment=opened.experiment.replace(q0=start))
    assert {row["name"]: row["value"] for row in turned.card()["q0"]}["base.yaw"] == pytest.approx(-0.8)
    again = turned.simulation(Changes.read({"q0": {"base.roll": 0.3}})).start.q
    assert again == pytest.approx(start)


def _filled(machine: da.Machine, start: dict[str, float]) -> list[float]:
    neutral = dict(zip(machine.q_names, machine.q_neutral.tolist(), strict=True))
    return [start.get(name, neutral[name]) for name in machine.q_names]


def test_contact_says_which_method_runs() -> None:
    card = open_system("quadruped").card()
    assert card["methods"] == ["moreau"] and card["settings"]["method"] == "moreau"
    assert "rk4" in open_system(PENDULUM).card()["methods"]


def test_gains_reach_the_law() -> None:
    system = SYSTEMS["six-axis-arm"]
    opened = open_system("six-axis-arm")
    gains = opened.gains()
    assert gains and opened.card()["gains"] == gains
    name, value = next(iter(gains.items()))
    other = [2.0 * v for v in value] if isinstance(value, list) else 2.0 * value
    law = opened.simulation(Changes(gains={name: other})).control
    assert np.allclose(getattr(law, name), other) and type(law) is type(system.settings()["control"])
    with pytest.raises(da.UnknownNameError):
        opened.law({"no_gain": 1.0})


def test_cancelled_run_keeps_its_part() -> None:
    session = Session(open_system(PENDULUM))
    session.answer("run", {"changes": {"settings": {"duration": 1e6, "method": "rk4"}}})
    for _ in range(600):
        state: Any = session.answer("state", {})
        if state["stage"] == "running" and state["fraction"] > 0:
            break
        time.sleep(0.05)
    # While it runs, the page can look at something else, but not start another.
    assert "film" in session.answer("pose", {"changes": {"q0": {"q_1": 0.2}}})
    with pytest.raises(da.InputError, match="in progress"):
        session.answer("run", {})
    # It is a run among others: looked at, and asked for what is new.
    number = state["run"]
    assert state["runs"] == [{"run": number, "status": "running", "label": state["runs"][0]["label"]}]
    part: Any = session.answer("film", {"run": number})
    have = len(unpack_array(part["signals"]["t"]))
    assert have > 0 and part["facts"]["status"] == "running" and part["span"] == [0.0, 1e6]
    for _ in range(600):
        part = session.answer("film", {"run": number, "since": have})
        if part["signals"]:
            break
        time.sleep(0.05)
    assert part["since"] == have and len(unpack_array(part["signals"]["t"])) < 900
    with pytest.raises(da.InputError, match="since must be a number of rows"):
        session.answer("film", {"run": number, "since": "all"})
    with pytest.raises(da.InputError, match=f"run {number} is still running"):
        session.answer("save", {"what": "run", "run": number})
    session.answer("cancel", {})
    state = finished(session)
    assert state["runs"][0]["status"] == "interrupted" and state["run"] == number
    facts: Any = session.answer("film", {"run": state["run"]})
    assert "stopped by the user" in facts["facts"]["message"]


def test_bad_start_is_told() -> None:
    session = Session(open_system(PENDULUM))
    session.answer("run", {"changes": {"q0": {"no_such": 1.0}}})
    state = finished(session)
    assert state["stage"] == "failed" and "no_such" in state["error"]


def test_a_mechanism_assembled_by_hand_runs_whatever_branch_its_file_names() -> None:
    """A drag gives all coordinates: none of them selects the branch any longer, in runs and in the saved file."""
    text = """
name: toggle
bodies:
  a: {rod: {mass: 1.0, length: 0.3, com: [0.15, 0, 0], axis: x}}
  b: {rod: {mass: 1.0, length: 0.4, com: [0.2, 0, 0], axis: x}}
joints:
  one: {kind: revolute, parent: world, child: a, axis: z}
  two: {kind: revolute, parent: world, child: b, axis: z, origin: {xyz: [0.5, 0, 0]}}
frames:
  end_a: {body: a, origin: {xyz: [0.3, 0, 0]}}
  end_b: {body: b, origin: {xyz: [0.4, 0, 0]}}
constraints:
  rod: {type: distance, frame: end_a, other: end_b, length: 0.35}
simulation: {duration: 0.01, q0: {one: 1.0}, branch: {two: 1.2}}
"""
    made = open_text(text, "toggle.yaml")
    posed = Changes(q0={name: round(value, 5) for name, value in posture(made.experiment).items()})
    one, both = made.simulation(Changes(q0={"one": 0.9})), made.simulation(posed)
    assert one.start.branch == {"two": 1.2} and both.start.branch is None
    assert posture(both)["two"] == pytest.approx(posed.q0["two"], abs=1e-4)
    again = da.load_experiment(made.file(posed))
    assert again.start.branch is None and posture(again) == pytest.approx(posture(both))


def test_modes_and_poles_are_those_of_the_machine() -> None:
    session = Session(open_system(PENDULUM))
    rest = {"q0": {"q_1": 0.0, "q_2": 0.0}}
    found: Any = session.answer("modes", {"changes": rest})
    frequencies = [mode["omega"] for mode in found["modes"]]
    linear: Any = session.answer("linear", {"changes": rest})
    imaginary = sorted(pole["im"] for pole in linear["poles"] if pole["im"] > 0)
    assert np.allclose(frequencies, imaginary, rtol=1e-8)
    assert found["note"] == "" and {mode["mostly"] for mode in found["modes"]} <= {"q_1", "q_2"}
    tilted: Any = session.answer("modes", {"changes": {"q0": {"q_1": 0.3, "q_2": 0.0}}})
    assert "is not in equilibrium there" in tilted["note"]
    session.answer("modes", {"changes": rest})
    mode: Any = session.answer("mode", {"mode": 1})
    assert unpack_array(mode["film"]["t"])[-1] == 1.0


def test_poles_about_a_start_that_is_no_equilibrium_come_with_a_note() -> None:
    """The start of most machines is none; a page cannot be told to give another argument to a function."""
    session = Session(open_system(PENDULUM))
    start = {"q_1": 0.3, "q_2": -0.2}
    linear: Any = session.answer("linear", {"changes": {"q0": start}})
    assert "is not in equilibrium there" in linear["note"] and "require_equilibrium" not in linear["note"]
    plant = da.linearize(load_system(PENDULUM), start, require_equilibrium=False)
    found = np.sort_complex([complex(pole["re"], pole["im"]) for pole in linear["poles"]])
    np.testing.assert_allclose(found, np.sort_complex(plant.poles()), rtol=1e-9, atol=1e-9)
    rest: Any = session.answer("linear", {"changes": {"q0": {"q_1": 0.0, "q_2": 0.0}}})
    assert rest["note"] == ""


def test_run_files_open_with_their_machine(tmp_path: Path) -> None:
    run = da.simulate(load_system(PENDULUM), duration=0.5, q0={"q_1": 0.7}, record=0.01)
    path = run.save(tmp_path / "run.nc")
    opened = open_path(path)
    assert opened.run is not None and opened.experiment.start.q["q_1"] == 0.7
    session = Session()
    card: Any = session.answer("open", {"file": path.read_bytes().hex(), "title": "run.nc"})
    assert card["runs"][0]["run"] == 1 and card["card"]["name"] == PENDULUM
    with pytest.raises(da.FileFormatError, match="expected a machine file"):
        open_path(tmp_path / "picture.png")


def test_a_run_file_is_run_again_with_its_law(tmp_path: Path) -> None:
    """What the studio runs, and what it saves, is the loop of the file and not the machine without its law."""
    machine, settings = SYSTEMS["six-axis-arm"].make(), SYSTEMS["six-axis-arm"].settings()
    run = da.simulate(machine, **settings | {"duration": 0.1, "record": 0.01})
    opened = open_path(run.save(tmp_path / "run.nc"))
    again = da.simulate(opened.simulation(Changes()))
    assert np.array_equal(again.x[-1], run.x[-1])
    assert opened.gains()
    machine, settings = da.load_simulation(opened.file(Changes()))
    assert np.array_equal(da.simulate(machine, **settings).x[-1], run.x[-1])


@pytest.mark.parametrize("name", sorted(SYSTEMS))
def test_every_ready_made_machine_opens(name: str) -> None:
    opened = open_system(name)
    card = opened.card()
    json.dumps(card, allow_nan=False)
    machine, settings = da.load_simulation(opened.file(Changes(settings={"duration": 0.25})))
    assert settings["duration"] == 0.25 and machine.q_names == opened.machine.q_names
    for row in card["q0"]:
        assert row["lower"] <= row["value"] <= row["upper"]
