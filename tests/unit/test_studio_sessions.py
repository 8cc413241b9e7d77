"""Sessions of the studio on disk, its editor, and what it warns of; without a browser."""

from __future__ import annotations

import json
import os
import socket
import stat
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.compile.build import find_toolchain
from dalembert.core.parameter import nominal
from dalembert.view.page.arrays import unpack_array
from dalembert.view.studio.opened import Changes
from dalembert.view.studio.opening import open_path, open_system, open_text
from dalembert.view.studio.server import Studio
from dalembert.view.studio.session import Session
from dalembert.view.studio.workspace import SessionStore, Workspace

PENDULUM = "double-pendulum"
ARM = """# an arm
name: arm
bodies:
  link: {rod: {mass: 2.0, length: 0.8}}  # slender
joints:
  theta: {kind: revolute, parent: world, child: link, axis: [0, 1, 0], limits: {lower: -0.5, upper: 4.5}}
motors: {theta: {}}
"""


def finished(session: Session) -> dict[str, Any]:
    for _ in range(2400):
        state: Any = session.answer("state", {})
        if state["stage"] in ("done", "failed"):
            return dict(state)
        time.sleep(0.05)
    raise AssertionError("the run does not end")


def rows(session: Session, run: int) -> np.ndarray:
    answer: Any = session.answer("film", {"run": run})
    return np.asarray(unpack_array(answer["signals"]["values"]))


# -- nothing is lost ----------------------------------------------------------------


def test_a_session_continues_from_its_files(tmp_path: Path) -> None:
    store = SessionStore(tmp_path / "s")
    session = Session(open_system(PENDULUM), store)
    session.answer("run", {"changes": {"settings": {"duration": 0.3}, "q0": {"q_1": 0.4}}})
    number = finished(session)["run"]
    edited: Any = session.answer("open", {"text": ARM, "title": "arm.yaml"})
    page = {"entry": edited["entry"], "plots": [["theta"]], "changes": {"2": {"q0": {"theta": 0.1}}}}
    session.answer("remember", {"page": page})
    before = rows(session, number)

    again = Session(open_system(PENDULUM), store)
    begun: Any = again.answer("systems", {})
    assert begun["opened"] and begun["page"] == page
    opened: Any = again.answer("open", {"entry": page["entry"]})
    assert opened["card"]["title"] == "arm.yaml" and opened["card"]["text"] == ARM and opened["notes"] == []
    assert [row["title"] for row in opened["history"]] == [PENDULUM, "arm.yaml"]
    first: Any = again.answer("open", {"entry": 1})
    assert [row["run"] for row in first["runs"]] == [number] and "q_1 = 0.4" in first["runs"][0]["label"]
    np.testing.assert_array_equal(rows(again, number), before)
    # Numbers go on, and nothing is stored twice.
    again.answer("run", {"entry": 1, "changes": {"settings": {"duration": 0.1}}})
    assert finished(again)["run"] == number + 1
    assert sorted(path.name for path in (tmp_path / "s" / "runs").iterdir()) == ["1.nc", "2.nc"]


def test_a_changed_file_opens_anew_and_the_old_one_stays(tmp_path: Path) -> None:
    file, store = tmp_path / "arm.yaml", SessionStore(tmp_path / "s")
    file.write_text(ARM)
    Session(open_path(file), store).answer("open", {"text": ARM.replace("2.0", "3.0"), "title": "arm.yaml (changed)"})
    same: Any = Session(open_path(file), store).answer("open", {})
    assert same["card"]["title"] == "arm.yaml (changed)"  # edits of the last time
    file.write_text(ARM.replace("2.0", "4.0"))
    new: Any = Session(open_path(file), store).answer("open", {})
    assert "4.0" in new["card"]["text"] and "has changed since the last time" in new["notes"][0]["text"]
    assert [row["title"] for row in new["history"]] == ["arm.yaml", "arm.yaml (changed)", "arm.yaml"]


def test_a_killed_studio_reports_the_run_that_it_was_making(tmp_path: Path) -> None:
    store = SessionStore(tmp_path / "s")
    session = Session(open_system(PENDULUM), store)
    session.answer("run", {"changes": {"settings": {"duration": 1e6, "method": "rk4"}}})
    left = store.read()  # as it is on disk while the process dies
    while session.answer("state", {})["stage"] == "building":  # type: ignore[index]
        time.sleep(0.02)
    session.close()
    assert finished(session)["runs"][0]["status"] == "interrupted"  # a studio that is ended keeps the rows
    store.write({key: value for key, value in left.items() if key != "format"})
    notes: Any = Session(open_system(PENDULUM), store).answer("open", {})["notes"]
    assert "had not ended when the studio did" in notes[0]["text"]


def test_a_damaged_session_is_put_aside(tmp_path: Path) -> None:
    store = SessionStore(tmp_path / "s")
    Session(open_system(PENDULUM), store)
    (tmp_path / "s" / "session.json").write_text("{")
    answer: Any = Session(open_system(PENDULUM), store).answer("open", {})
    assert answer["card"]["name"] == PENDULUM and "session starts empty" in answer["notes"][0]["text"]
    assert (tmp_path / "s" / "session.damaged.json").read_text() == "{"


def test_the_address_is_stable_and_private(tmp_path: Path) -> None:
    with Studio(workspace=tmp_path) as studio:
        url = studio.url
        with Studio(workspace=tmp_path) as second:  # at the same time: a place of its own
            assert second.port != studio.port and second.token != studio.token
    with Studio(workspace=tmp_path) as studio:
        assert studio.url == url
    if sys.platform != "win32":
        for path in (tmp_path / "address.json", tmp_path / "2" / "address.json"):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "2").stat().st_mode) == 0o700
        os.chmod(tmp_path / "address.json", 0o644)
        with pytest.warns(da.DalembertWarning, match="could be read by other users"):
            space = Workspace(tmp_path)
        assert space.token not in url
        space.close()


def test_a_port_that_another_program_has_is_replaced(tmp_path: Path) -> None:
    with Studio(workspace=tmp_path) as studio:
        port, token = studio.port, studio.token
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        with Studio(workspace=tmp_path) as studio:
            assert studio.port != port and studio.token == token
    with pytest.raises(da.InputError, match="letters, digits and hyphens"):
        Studio(session="../x")


# -- the editor ----------------------------------------------------------------


def test_mistakes_come_with_their_lines() -> None:
    session = Session()
    bad = ARM.replace("mass: 2.0", "mass: -2.0").replace("kind: revolute", "kind: hinge")
    faults: Any = session.answer("check", {"text": bad})["faults"]
    assert [fault["line"] for fault in faults] == [4, 6]
    assert "mass" in faults[0]["message"] and "<text>" not in faults[0]["message"]
    assert session.answer("check", {"text": ARM})["faults"] == []
    assert session.answer("check", {"text": "  "})["faults"][0]["line"] == 1
    assert session.answer("check", {"text": "a: [1\nb: 2\n"})["faults"][0]["line"] in (1, 2, 3)


def test_forms_write_blocks_that_run() -> None:
    session = Session(open_text(ARM))
    about: Any = session.answer("forms", {})
    assert about["motors"] == ["theta"] and {"key": "kp", "optional": False} in about["laws"]["pd"]
    text = ARM
    law = {"law": "pd", "kp": 50.0, "kd": 5.0, "reference": [0.3]}
    for what, value in (
        ("control", law),
        ("reference", {"start": [0.0], "end": [0.4], "duration": 0.5}),
        ("events", {"name": "passed", "expression": "theta - 0.2"}),
        ("events", {"name": "back", "expression": "theta", "direction": -1}),
    ):
        text = session.answer("add", {"text": text, "what": what, "value": value})["text"]  # type: ignore[index]
        assert session.answer("check", {"text": text})["faults"] == []
    assert text.startswith("# an arm\n") and "# slender" in text
    experiment = da.load_experiment(text)
    assert [event.name for event in experiment.events] == ["passed", "back"]
    run = da.simulate(experiment, duration=2.0)
    assert any(event.name == "passed" for event in run.events)
    with pytest.raises(da.InputError, match="needs a law"):
        session.answer("add", {"text": ARM, "what": "reference", "value": [0.1]})
    with pytest.raises(da.UnknownNameError):
        session.answer("add", {"text": ARM, "what": "bodies", "value": {}})


def test_the_schema_of_the_editor_is_json() -> None:
    answer: Any = Session().answer("schema", {})
    schema = json.loads(json.dumps(answer, allow_nan=False))["schema"]
    assert "revolute" in schema["$defs"]["JointEntry"]["properties"]["kind"]["enum"]
    assert "[kg]" in schema["$defs"]["BodyEntry"]["properties"]["mass"]["description"]


# -- opening ----------------------------------------------------------------

URDF = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<origin xyz="0 0 0.2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>{shape}</link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="2" effort="10" velocity="3"/></joint></robot>"""
MESH = '<visual><geometry><mesh filename="/etc/passwd"/></geometry></visual>'


def test_robot_files_open_without_reading_others(tmp_path: Path) -> None:
    session = Session(store=SessionStore(tmp_path))
    answer: Any = session.answer("open", {"file": URDF.format(shape="").encode().hex(), "title": "r.urdf"})
    assert answer["card"]["name"] == "r" and answer["card"]["q0"][0]["upper"] == 2.0
    answer = session.answer("open", {"file": URDF.format(shape=MESH).encode().hex(), "title": "r.urdf"})
    assert "1 meshes are left out" in answer["notes"][0]["text"]
    mjcf = '<mujoco><include file="/etc/passwd"/><worldbody/></mujoco>'
    with pytest.raises(da.FileFormatError, match=r"m\.xml: <include> names the file"):
        session.answer("open", {"file": mjcf.encode().hex(), "title": "m.xml"})
    with pytest.raises(da.FileFormatError, match=r"r\.urdf: is not XML"):
        session.answer("open", {"file": b"<robot".hex(), "title": "r.urdf"})
    # A stored robot comes back as it was.
    again: Any = Session(store=SessionStore(tmp_path)).answer("open", {})
    assert again["card"]["q0"] == answer["card"]["q0"]


# -- warnings and sliders ----------------------------------------------------------------


def test_a_start_outside_of_limits_is_a_warning_with_its_joint() -> None:
    session = Session(open_text(ARM))
    session.answer("run", {"changes": {"q0": {"theta": -0.8}, "settings": {"duration": 0.05}}})
    state = finished(session)
    [note] = state["notes"]
    assert note["element"] == "theta" and "outside of its range -0.5 to 4.5" in note["text"]
    film: Any = session.answer("film", {"run": state["run"]})
    assert film["facts"]["notes"] == [note]


def test_how_far_a_start_was_moved_is_told() -> None:
    text = FOUR_BAR.replace("LENGTH", "0.6").replace("q0: {a: -0.7}", "q0: {a: -0.7}, backend: vm")
    session = Session(open_text(text))
    session.answer("run", {"changes": {"settings": {"duration": 0.01}}})
    film: Any = session.answer("film", {"run": finished(session)["run"]})
    run = da.simulate(open_text(text).simulation(Changes.read({"settings": {"duration": 0.01}})))
    assert film["facts"]["moved"] == run.metadata["initial_projection"]


def test_sliders_range_over_the_limits_of_joints() -> None:
    [row] = open_text(ARM).card()["q0"]
    assert (row["lower"], row["upper"]) == (-0.5, 4.5)
    free = open_text(ARM.replace("lower: -0.5, upper: 4.5", "lower: 1.0")).card()["q0"][0]
    assert free["lower"] == min(1.0, free["value"]) and free["upper"] > 1.0 + 2 * np.pi - 1e-9
    tall = da.Machine(
        "hoist",
        bodies=[da.point_mass("load", 1.0)],
        joints=[da.Joint("z", "prismatic", "world", "load", limits=da.Limits(lower=0.0, upper=24.0))],
    )
    assert [open_text(tall.to_yaml()).card()["q0"][0][key] for key in ("lower", "upper")] == [0.0, 24.0]


def test_elements_have_facts() -> None:
    facts = open_text(ARM).card()["elements"]
    assert facts["link"] == {"element": "body", "mass [kg]": 2.0, "joint": "theta"}
    assert facts["theta"] == {"element": "revolute joint", "between": "world and link"}


# -- assembly by hand ----------------------------------------------------------------

FOUR_BAR = """
name: four-bar
bodies:
  crank: {rod: {mass: 1.0, length: 0.3, com: [0.15, 0, 0], axis: x}}
  rocker: {rod: {mass: 1.0, length: 0.6, com: [0.3, 0, 0], axis: x}}
joints:
  a: {kind: revolute, parent: world, child: crank, axis: y}
  b: {kind: revolute, parent: world, child: rocker, axis: y, origin: {xyz: [0.7, 0, 0]}}
frames:
  pin: {body: crank, origin: {xyz: [0.3, 0, 0]}}
  tip: {body: rocker, origin: {xyz: [0.6, 0, 0]}}
constraints: {coupler: {type: distance, frame: pin, other: tip, length: LENGTH}}
simulation: {duration: 0.1, q0: {a: -0.7}}
"""


def test_a_slider_keeps_loops_closed_and_open_ones_are_told() -> None:
    session = Session(open_text(FOUR_BAR.replace("LENGTH", "0.6")))
    eom = da.equations(open_text(FOUR_BAR.replace("LENGTH", "0.6")).machine, backend="vm")
    for a in (-0.7, -1.1):
        pose: Any = session.answer("pose", {"changes": {"q0": {"a": a}}})
        q = [pose["q"]["a"], pose["q"]["b"]]
        apart = np.linalg.norm(eom.pose("pin", q)[:3, 3] - eom.pose("tip", q)[:3, 3])
        assert q[0] == a and pose["gaps"] == [] and apart == pytest.approx(0.6, abs=1e-8)
    short = Session(open_text(FOUR_BAR.replace("LENGTH", "0.02")))  # the ends never come so near
    broken: Any = short.answer("pose", {"changes": {"q0": {"a": 2.5}}})
    [gap] = broken["gaps"]
    ends = np.linalg.norm(np.subtract(gap["to"], gap["from"]))
    assert gap["name"] == "coupler" and gap["gap"] == pytest.approx(abs(ends - 0.02))


def test_a_dragged_body_goes_where_its_joints_allow() -> None:
    session = Session(open_system(PENDULUM))
    machine = open_system(PENDULUM).machine
    eom, body = da.equations(machine, backend="vm"), machine.bodies[1]
    goal = [0.3, -0.9]
    com = np.array([*map(nominal, body.com), 1.0])
    target = (eom.pose(body.name, goal) @ com)[:3]
    pull: Any = session.answer(
        "drag", {"changes": {"q0": {"q_1": 0.1, "q_2": -0.5}}, "body": body.name, "target": target.tolist()}
    )
    reached = (eom.pose(body.name, [pull["q"][name] for name in machine.q_names]) @ com)[:3]
    np.testing.assert_allclose(reached, target, atol=1e-4)
    linkage = Session(open_text(FOUR_BAR.replace("LENGTH", "0.6")))
    pull = linkage.answer("drag", {"body": "crank", "target": [0.0, 0.0, 0.15]})
    assert pull["gaps"] == [] and pull["q"]["a"] < -1.2  # nearly upright, and still closed
    bent = Session(open_system("planar-flexible-arm"))
    before: Any = bent.answer("pose", {})
    pull = bent.answer(
        "drag", {"body": open_system("planar-flexible-arm").machine.bodies[-1].name, "target": [0.3, 0.4, 0]}
    )
    moved = {name for name, value in pull["q"].items() if abs(value - before["q"][name]) > 1e-9}
    assert moved and not any(".delta" in name for name in moved)
    for body_name, place in (("no-such", [0, 0, 0]), ("crank", [0, 0]), ("crank", "here")):
        with pytest.raises(da.DalembertError):
            linkage.answer("drag", {"body": body_name, "target": place})


def test_a_loop_in_real_time_is_followed() -> None:
    arm = da.load_experiment(ARM)
    if find_toolchain() is None:
        pytest.skip("needs a C compiler")
    with da.realtime(arm, period=2e-3, duration=0.6, q0={"theta": 0.3}) as loop, Studio(loop) as studio:
        session = studio.session("main")
        state: Any = session.answer("state", {})
        assert state["stage"] in ("running", "done")
        state = finished(session)
        rows = loop.read()
    film: Any = session.answer("film", {"run": state["run"]})
    names, values = film["signals"]["names"], unpack_array(film["signals"]["values"])
    theta = values[names.index("theta")]
    assert state["runs"][0]["status"] == "completed"
    np.testing.assert_array_equal(theta, rows["theta"].astype(np.float32))
