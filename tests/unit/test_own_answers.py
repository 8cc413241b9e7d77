"""Wrong inputs that once met the errors of other packages, hung, or were taken: each has an answer of our own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import control
import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import modal_reduction
from dalembert.campaigns import Store
from dalembert.compile import find_toolchain
from dalembert.control import Cascade
from dalembert.core import files
from dalembert.core.errors import DalembertError, InputError, MachineError, WriteError


def arm(name: str = "arm") -> da.Machine:
    return da.Machine(
        name,
        [da.box("link", 1.0, (0.5, 0.1, 0.1), com=(0, 0, -0.2))],
        [da.Joint("q", "revolute", "world", "link", axis="y", damping=0.1)],
        motors=[da.Motor("drive", "q", effort=5.0)],
    )


# Names


@pytest.mark.parametrize("name", ["arm v1.2", "a.b.c", ".", "Arm, Größe 2.0"])
def test_linear_models_of_machines_with_dots_in_their_names(name: str) -> None:
    """python-control takes no dots."""
    plant = da.linearize(arm(name), at={"q": 0.0})
    assert isinstance(plant, control.StateSpace)
    assert plant.name == name.replace(".", "_")
    np.testing.assert_allclose(plant.A, da.linearize(arm(), at={"q": 0.0}).A)
    assert modal_reduction(da.equations(arm(name), backend="vm"), 1).name == f"{plant.name} reduced"


def test_labels_that_dots_kept_apart() -> None:
    bodies = [da.point_mass(name, 1.0, com=(0, 0, -1)) for name in ("one", "two")]
    joints = [da.Joint(n, "revolute", "world", b.name, axis="y") for n, b in zip(("a.b", "a_b"), bodies, strict=True)]
    with pytest.raises(InputError, match=r"'a\.b' and 'a_b' are both 'a_b' in python-control"):
        da.linearize(da.Machine("two", bodies, joints, motors=[da.Motor("m", "a_b")]))


@pytest.mark.parametrize("name", ["a\0b", "\0", "a\nb", "a\x7f", "a\ud800"])
@pytest.mark.parametrize(
    "make",
    [
        arm,
        lambda name: da.point_mass(name, 1.0),
        lambda name: da.Joint(name, "revolute", "world", "link", axis="y"),
        lambda name: da.Motor(name, "q"),
        lambda name: da.Frame(name, "link"),
        lambda name: da.Parameter(name, 1.0),
        lambda name: da.Sensor(name, "q", 0.1),
        lambda name: da.Event(name, "q - 1"),
        lambda name: da.Wheel(name, "link"),
        lambda name: da.campaign(abs, vary={name: (0.0, 1.0)}, n=1),
        lambda name: da.campaign(
            arm(), vary={"q0.q": (0.0, 1.0)}, n=1, duration=0.1, measure={name: da.Measure("q")}
        ),
    ],
    ids=["machine", "body", "joint", "motor", "frame", "parameter", "sensor", "event", "wheel", "quantity", "measure"],
)  # fmt: skip
def test_control_characters_in_names(make: Callable[[str], Any], name: str) -> None:
    with pytest.raises(DalembertError):
        make(name)


def test_names_of_other_scripts_are_taken() -> None:
    for name in ("Größe", "機械 2", "bras_é", "a b"):
        assert arm(name).name == name


def test_null_in_paths() -> None:
    for call in (lambda: da.open_campaign("a\0b"), lambda: Store("a\0"), lambda: da.export_fmu(arm(), "a\0.fmu")):
        with pytest.raises(InputError, match="null character"):
            call()
    with pytest.raises(MachineError, match="file of a mesh"):
        da.Mesh("a\0.stl")


def test_measure_of_a_function_with_a_null() -> None:
    table = da.campaign(lambda x: {"a\0": x}, vary={"x": (0.0, 1.0)}, n=1, workers=1).table
    assert "control characters" in table["reason"][0]


# Settings


@pytest.mark.parametrize(
    "given", [da.PD, da.SampledController, Cascade, int], ids=["law", "controller", "cascade", "builtin"]
)
def test_class_as_a_law(given: type) -> None:
    message = f"control is the class {given.__name__}, expected an object of it"
    with pytest.raises(InputError, match=message):
        da.simulate(arm(), duration=0.1, control=given)
    with pytest.raises(InputError, match=message):
        da.rollout(arm(), duration=0.1, control=given)


def test_delay_of_a_sensor_is_bounded() -> None:
    """Each period of a delay is a held value of the loop: a thousand million of them have no end."""
    with pytest.raises(MachineError, match=r"delay of sensor 's' is 1e\+09 of its periods"):
        da.Sensor("s", "q", 1e-3, delay=1e6)
    with pytest.raises(MachineError, match="is inf of its periods"):
        da.Sensor("s", "q", 1e-300, delay=1e10)
    assert da.Sensor("s", "q", 1e-3, delay=20.0).delay == 20.0


# What is asked of results


@pytest.fixture(scope="module")
def squares() -> Any:
    return da.campaign(lambda x: {"square": x * x}, vary={"x": [1.0, 2.0, 3.0]}, sampling="grid", workers=1)


@pytest.mark.parametrize("p", [1.5, -0.1, float("nan"), "half", [0.5, 2.0], None, [[0.1], [0.2, 0.3]]])
def test_quantiles_that_there_are_not(squares: Any, p: Any) -> None:
    with pytest.raises(InputError, match="a probability must be a number from 0 to 1, got"):
        squares.quantile("square", p)


def test_questions_about_campaigns(squares: Any) -> None:
    assert squares.quantile("square", [0.0, 1.0]).tolist() == [1.0, 9.0]
    for count in (1.5, -1, "two", True):
        with pytest.raises(InputError, match="count must be"):
            squares.worst("square", count)
    for level in (0.0, 1.0, 95, "high", float("nan")):
        with pytest.raises(InputError, match="level must be a number between 0 and 1"):
            squares.summary(level)
        with pytest.raises(InputError, match="level must be a number between 0 and 1"):
            squares.probability("square > 2", level)
    failing = da.campaign(lambda x: {"a": 1 / 0}, vary={"x": [1.0]}, sampling="grid", workers=1)
    with pytest.raises(DalembertError):
        failing.quantile("a", 0.5)


@pytest.mark.parametrize("number", [1.5, "1", 2, -3, None, True, [0], float("nan")])
def test_members_that_there_are_not(number: Any) -> None:
    two = da.rollout(arm(), duration=0.01, step=0.01, q0=[[0.1], [0.2]])
    for ask in (two.member, two.message):
        with pytest.raises(InputError, match="member must be a number from 0 to 1, got"):
            ask(number)
    assert two.member(np.int64(1))["q"][0] == two.member(-1)["q"][0] == 0.2


def test_members_of_campaigns_that_there_are_not() -> None:
    options: dict[str, Any] = {"measure": {"end": da.Measure("q")}, "duration": 0.01, "step": 0.01}
    one = da.campaign(arm(), vary={"q0.q": [0.1, 0.2]}, sampling="grid", **options)
    for number in (1.5, "1", 2, -1, True):
        with pytest.raises(InputError, match="member must be a number from 0 to 1, got"):
            one.rerun(number)
    with pytest.raises(InputError, match=r"a member to keep must be a number from 0 to 1, got 1\.5"):
        da.campaign(arm(), vary={"q0.q": [0.1, 0.2]}, sampling="grid", keep=[1.5], store="unused", **options)


# A full disk

FULL = """
import resource, sys
import dalembert as da
bob = da.point_mass("bob", 1.0, com=(0, 0, -1))
arm = da.Machine("arm", [bob], [da.Joint("q", "revolute", "world", "bob", axis="y")])
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
try:
    da.export_fmu(arm, "arm.fmu", q0={"q": 0.3}, binary=sys.argv[1] == "binary")
except da.DalembertError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.skipif(sys.platform == "win32" or find_toolchain() is None, reason="needs POSIX and a C compiler")
@pytest.mark.parametrize(("what", "where"), [("binary", "temporary folder"), ("sources", "arm.fmu")])
def test_fmu_on_a_full_disk(what: str, where: str, tmp_path: Path) -> None:
    """No room to build it, or for the file itself: no file, and nothing else is left."""
    (tmp_path / "temporary").mkdir()
    # Python would write shortened bytecode of modules that nothing has imported before.
    environment = os.environ | {"TMPDIR": str(tmp_path / "temporary"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", textwrap.dedent(FULL), what]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("WriteError cannot write")
    assert where in done.stdout and "File too large" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["temporary"]
    assert list((tmp_path / "temporary").iterdir()) == []


def test_other_errors_in_temporary_folders_are_left_alone() -> None:
    with pytest.raises(FileNotFoundError), files.temporary_folder() as folder:
        (folder / "no" / "such").write_text("")
    with pytest.raises(WriteError, match="No space left"), files.temporary_folder() as folder:
        raise OSError(28, "No space left on device")
    assert not folder.exists()
