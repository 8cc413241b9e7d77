"""Machine files to begin with, all mistakes of a file at once, and the schema for editors."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli.app import app, run
from dalembert.core.errors import FileFormatError, UnknownNameError
from dalembert.engine import shipped
from dalembert.engine.sources import UNITS
from dalembert.io import STARTERS, check_machine, machine_json_schema, starter
from dalembert.systems import SYSTEMS

GANTRY = """\
name: gantry
parameters: {m: 12.0, l: 1.6}
bodies:
  bridge: {mass: 80.0}
  trolley: {mass: 20.0}
  load: {point_mass: {mass: m, com: [0, 0, -l]}}
joints:
  x: {kind: prismatic, parent: world, child: bridge, axis: [1, 0, 0], damping: 15.0}
  y: {kind: prismatic, parent: bridge, child: trolley, axis: [0, 1, 0]}
  swing: {kind: revolute, parent: trolley, child: load, axis: [1, 0, 0]}
frames:
  hook: {body: load}
motors:
  x: {effort: 8.0}
  y: {effort: 150.0}
wrenches:
  wind: {frame: hook, force: [0, 1, 0]}
simulation:
  duration: 12.0
  control: {law: pd, kp: 1.0, kd: 1.0, reference: [0, 0]}
"""


def lines(errors: list[FileFormatError]) -> list[int]:
    return [int(re.match(r"<text>:(\d+): ", str(error))[1]) for error in errors]  # type: ignore[index]


def test_a_good_file_has_no_mistakes() -> None:
    assert check_machine(GANTRY) == []


def test_ropes_are_routed_at_the_start() -> None:
    text = """\
name: ropes
bodies: {load: {mass: 100}}
joints: {z: {kind: prismatic, parent: world, child: load, axis: z, origin: {xyz: [0.3, 0, -3]}}}
ropes:
  crossed:
    path:
      - {anchor: world, at: [-0.3, 0, -2]}
      - {sheave: world, radius: 0.3, axis: -y, name: A}
      - {sheave: world, radius: 0.3, axis: y, at: [0.4, 0, 0], name: B}
      - {anchor: load}
  swallowed:
    path: [{anchor: load}, {sheave: world, radius: 0.3, axis: -y, name: C}, {anchor: world, at: [0.1, 0, 0.1]}]
    stiffness: 1e6
  lifted:
    path:
      - {anchor: world, at: [-2, 0, 1]}
      - {sheave: world, radius: 0.3, axis: y, name: D}
      - {anchor: world, at: [2, 0, 1]}
    stiffness: 1e6
  leaning:
    path: [{anchor: world, at: [-0.3, 0.7, -2]}, {sheave: world, radius: 0.3, axis: y, name: E}, {anchor: load}]
    stiffness: 1e6
simulation: {duration: 1.0, q0: {z: 0.5}}
"""
    with pytest.warns(da.DalembertWarning, match=r"sheave 'leaning\.E'.*fleet angle of 19\.3 degrees"):
        found = check_machine(text)
    assert lines(found) == [5, 11, 14]
    for error, words in zip(
        found,
        ("sheave 'A' and sheave 'B' of rope 'crossed' overlap", "is inside sheave 'C'", "leaves sheave 'D'"),
        strict=True,
    ):
        assert words in str(error)
    sound = text.replace("-y, name: A", "y, name: A").replace("[0.1, 0, 0.1]", "[-0.3, 0, -1]")
    assert check_machine(sound.replace("at: [2, 0, 1]", "at: [2, 0, -3]").replace("0.7, -2", "0, -2")) == []


def test_all_mistakes_at_once() -> None:
    text = GANTRY
    for right, wrong in (
        ("mass: 80.0", "mass: -80"),  # 4: impossible value
        ("damping: 15.0", "dampening: 15"),  # 8: unknown key
        ("parent: bridge, child: trolley", "parent: bridge"),  # 9: missing key
        ("child: load", "child: lod"),  # 10: unknown name
        ("effort: 8.0", "effort: lots"),  # 14: wrong type
        ("frame: hook", "frame: hok"),  # 17: unknown name
        ("law: pd", "law: pdd"),  # 20: unknown law
    ):
        assert right in text
        text = text.replace(right, wrong)
    errors = check_machine(text)
    assert lines(errors) == [4, 8, 9, 10, 14, 17, 20]
    assert "did you mean 'damping'" in str(errors[1])
    assert "did you mean 'load'" in str(errors[3])
    with pytest.raises(FileFormatError):
        da.load_machine(text)


def test_what_is_judged_of_itself_waits_for_nothing_else() -> None:
    """Settings, law, names of the state, inertias, what nothing holds: all in one go, whatever else is wrong."""
    text = GANTRY.replace("  bridge: {mass: 80.0}", "  bridge: {mass: 80.0, inertia: [1, 1, 5]}")  # 4
    text = text.replace("  trolley: {mass: 20.0}", "  trolley: {mass: 20.0}\n  lost: {mass: 1.0}")  # 8
    text = text.replace("  x: {effort: 8.0}", "  z: {effort: 8.0}")  # 15: drives the joint of its own name
    text = text[: text.index("simulation:")] + (
        "simulation:\n  duration: -1\n  method: rk5\n  step: fast\n  stop: 3\n"  # 20 to 23
        "  q0: {swin: 1}\n  v0: {x: 1}\n  control: {law: pdd}\n"  # 24 to 26
    )
    errors = check_machine(text)
    assert lines(errors) == [4, 6, 15, 20, 21, 22, 23, 24, 25, 26]
    said = "\n".join(map(str, errors))
    for what in (
        "inertia of body 'bridge' is impossible",
        "body 'lost' is not connected to the world",
        "joint of motor 'z': no joint named 'z'",
        "duration must be",
        "did you mean 'rk4'",
        "in the expression 'fast'",
        "unknown key 'stop' of simulation",
        "did you mean 'swing'",
        "no velocity named 'x'",
        "did you mean 'pd'",
    ):
        assert what in said, what


def test_a_body_held_by_two_joints_and_inertias_that_count_together() -> None:
    twice = GANTRY.replace("  swing:", "  other: {kind: free, parent: world, child: trolley}\n  swing:")
    (error,) = check_machine(twice)
    assert "body 'trolley' is the child of two joints, 'y' and 'other'" in str(error)
    assert lines([error]) == [10]
    fixed = GANTRY.replace(
        "  trolley: {mass: 20.0}", "  trolley: {mass: 20.0, inertia: [9, 9, 9]}\n  plate: {mass: 1, inertia: [1, 1, 3]}"
    )
    fixed = fixed.replace("  swing:", "  weld: {kind: fixed, parent: trolley, child: plate}\n  swing:")
    with pytest.warns(da.DalembertWarning, match="possible together with"):
        assert check_machine(fixed) == []


def test_attached_parts_that_do_not_fit_are_all_named() -> None:
    text = GANTRY.replace("kind: revolute", "kind: spherical")
    text = text.replace("point_mass: {mass: m, ", "sphere: {mass: m, radius: 0.2, ")
    text = text.replace("  y: {effort: 150.0}", "  y: {joint: swing}\n  z: {joint: swing}")
    errors = check_machine(text)
    assert [re.search(r"motor '(\w)'", str(e))[1] for e in errors] == ["y", "z"]  # type: ignore[index]


def test_a_fault_of_the_whole_machine_hides_no_other() -> None:
    """Bodies that nothing holds, a cycle, joints without inertia, names of two things, places that nothing has."""
    text = GANTRY.replace("  trolley: {mass: 20.0}", "  trolley: {mass: 20.0}\n  lost: {mass: 1.0}")  # 8
    text = text.replace("  swing:", "  a: {kind: revolute, parent: two, child: one}\n  swing:")  # 13: a cycle with b
    text = text.replace("  swing:", "  b: {kind: revolute, parent: one, child: two}\n  swing:")
    text = text.replace("  lost:", "  one: {mass: 1.0}\n  two: {mass: 1.0}\n  lost:")
    text = text.replace("  x: {effort: 8.0}", "  x: {effort: 8.0, joint: z}")  # 19
    text = text.replace("simulation:", "contacts:\n  foot: {frame: toe}\n  heel: {frame: hook, on: bridg}\nsimulation:")
    errors = check_machine(text)
    assert lines(errors) == [8, 13, 19, 24, 25]
    for what, error in zip(("'lost' is not connected", "cycle", "'z'", "'toe'", "'bridge'"), errors, strict=True):
        assert what in str(error)

    text = GANTRY.replace("{point_mass: {mass: m, com: [0, 0, -l]}}", "{mass: m, com: [0, 0, 0*l]}\n  hook: {mass: 0}")
    text = text.replace("  swing:", "  slide: {kind: prismatic, parent: trolley, child: hook}\n  swing:")
    text = text.replace("{effort: 150.0}", "{effort: 150.0}\n  t: {joint: z}")  # 17: nothing has this joint
    errors = check_machine(text)
    assert lines(errors) == [7, 18]  # a body and a frame of one name; without the motor inertias are not judged
    with pytest.warns(da.DalembertWarning, match="occur in no number"):
        errors = check_machine(text.replace("  t: {joint: z}\n", ""))
    assert lines(errors) == [7, 11, 12]  # two of one name, no mass to be moved, no inertia about the axis
    assert "'hook'" in str(errors[0]) and "'slide'" in str(errors[1]) and "'swing'" in str(errors[2])


def test_a_law_fits_the_motors() -> None:
    text = GANTRY.replace("kp: 1.0, kd: 1.0, reference: [0, 0]", "kp: [1, 2, 3], kd: {x: 1, z: 2}, reference: REF")
    errors = check_machine(text.replace("REF", "{start: [0], end: [1], duration: 2}"))
    assert [str(error).removeprefix("<text>:20: ") for error in errors] == [
        "kp must have one entry per motor (x, y), got 3",
        "no motor in kd named 'z'; known: x, y",
        "kd by name needs all motors; there is none for y",
        "reference.start must have one entry per motor (x, y), got 1",
    ]
    good = GANTRY.replace("kp: 1.0, kd: 1.0", "kp: [1, 2], kd: {x: 1, y: 2}")
    assert check_machine(good) == []


def test_keys_that_occur_twice_and_wrong_parameters_hide_no_other() -> None:
    text = GANTRY.replace("  y: {effort: 150.0}", "  y: {effort: 150.0}\n  x: {effort: 9.0}")  # 16
    for right, wrong in (("m: 12.0", "m: heavy"), ("damping: 15.0", "damping: -1"), ("frame: hook", "frame: h")):
        text = text.replace(right, wrong)
    errors = check_machine(text)
    assert lines(errors) == [2, 8, 16, 18]
    assert "parameter 'm' must be a number" in str(errors[0]) and "occurs twice, first at line 14" in str(errors[2])
    with pytest.raises(FileFormatError, match="occurs twice"):
        da.load_machine(text)


@pytest.mark.parametrize(
    "text", ["a: [", "- 1", "", "name: x", "{name: 1, bodies: {}, joints: {}}", "{parameters: {1: a}}"]
)
def test_what_is_no_machine_file(text: str) -> None:
    assert check_machine(text + "\n" if text else "\n")


def test_check_agrees_with_loading() -> None:
    """Whatever single line is left out: the check finds something exactly if loading or running the file fails."""
    rows = GANTRY.splitlines()
    for k in range(len(rows)):
        text = "\n".join(rows[:k] + rows[k + 1 :]) + "\n"
        try:
            machine, settings = da.load_simulation(text)
            da.simulate(machine, **settings | {"duration": 1e-3, "backend": "vm"})
            loads = True
        except da.DalembertError:
            loads = False
        assert (not check_machine(text)) == loads, rows[k]


@pytest.mark.parametrize("name", STARTERS)
def test_starters_run(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", name, "mine.yaml"]) == 0
    assert "dalembert simulate mine.yaml" in capsys.readouterr().out
    assert run(["check", "mine.yaml"]) == 0
    machine, settings = da.load_simulation(tmp_path / "mine.yaml")
    result = da.simulate(machine, **settings)
    assert result.ok
    assert result.energy.drift < 1e-5
    assert run(["new", name, "mine.yaml"]) == 2  # never over what somebody wrote
    assert run(["new", name, "mine.yaml", "--force"]) == 0


def test_help_names_the_starters() -> None:
    said = " ".join(CliRunner().invoke(app, ["new", "--help"]).output.replace("-\n", "-").split())
    assert all(name in said.replace("- ", "-") for name in STARTERS)


def test_unknown_starter() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'crane'"):
        starter("crone")


def test_check_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(GANTRY, encoding="utf-8")
    bad.write_text(GANTRY.replace("child: load", "child: lod").replace("frame: hook", "frame: h"), encoding="utf-8")
    assert run(["check", str(good), str(bad)]) == 1
    printed = capsys.readouterr()
    assert "3 degrees of freedom" in printed.out
    assert f"{bad}:10: child of joint 'swing'" in printed.err
    assert "2 mistakes" in printed.err


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(json.dumps(machine_json_schema(), allow_nan=False))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("name", [*SYSTEMS, *STARTERS])
def test_schema_takes_every_machine(name: str, validator: Any) -> None:
    text = starter(name) if name in STARTERS else SYSTEMS[name].to_yaml()
    assert not [error.message for error in validator.iter_errors(yaml.safe_load(text))]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("damping: 15.0", "dampening: 15"),
        ("effort: 8.0", "effort: lots"),
        ("[1, 0, 0]", "[1, 0]"),
        ("name: gantry", "gravity: 1"),
    ],
)
def test_schema_refuses(right: str, wrong: str, validator: Any) -> None:
    assert right in GANTRY
    assert list(validator.iter_errors(yaml.safe_load(GANTRY.replace(right, wrong))))


def test_schema_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "--out", str(tmp_path / "machine.schema.json")]) == 0
    assert json.loads((tmp_path / "machine.schema.json").read_text(encoding="utf-8")) == machine_json_schema()


def test_doctor(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--json"]) == 0
    findings = {f["what"]: f for f in json.loads(capsys.readouterr().out)}
    assert findings["kernel cache"]["state"] == "ok"
    assert {f["state"] for f in findings.values()} <= {"ok", "missing"}


def test_doctor_without_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DALEMBERT_CC", "no-such-compiler")
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    assert run(["doctor", "--json"]) == 0
    findings = {f["what"]: f for f in json.loads(capsys.readouterr().out)}
    assert findings["C compiler"]["state"] == "missing"
    assert "DALEMBERT_CC" in findings["C compiler"]["found"]
    assert findings["compiled engine"]["state"] == "missing"
    for unit in UNITS:
        shipped.shipped_path(unit).write_bytes(b"")
        shipped.shipped_path(unit).with_suffix(".sha256").write_text("of other sources")
    assert run(["doctor", "--json"]) == 1
    findings = {f["what"]: f for f in json.loads(capsys.readouterr().out)}
    assert findings["compiled engine"]["state"] == "broken" and "install" in findings["compiled engine"]["advice"]


def test_cache_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    assert run(["doctor"]) == 0  # builds a kernel where there is a compiler
    capsys.readouterr()
    assert run(["cache"]) == 0
    before = int(re.search(r": (\d+) kernels", capsys.readouterr().out)[1])  # type: ignore[index]
    assert run(["cache", "clean", "--unused", "1"]) == 0
    assert "removed 0 kernels" in capsys.readouterr().out
    assert run(["cache", "clean"]) == 0
    assert f"removed {before} kernels" in capsys.readouterr().out
    assert run(["cache"]) == 0
    assert ": 0 kernels" in capsys.readouterr().out
    assert run(["cache", "clean", "--unused", "-1"]) == 2


def test_every_command_shows_examples() -> None:
    runner = CliRunner()
    commands = list(typer.main.get_group(app).commands)
    assert len(commands) > 10
    for command in commands:
        result = runner.invoke(app, [str(command), "--help"])
        assert result.exit_code == 0
        assert f"Examples:\n    dalembert {command}" in result.output, command
