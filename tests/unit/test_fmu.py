"""Machines as FMUs: valid, the same numbers as here, built from their sources alone."""

from __future__ import annotations

import shutil
import zipfile
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.fmu_files import build_sources

import dalembert as da
from dalembert.cli.app import run
from dalembert.core.errors import DalembertWarning, InputError
from dalembert.systems import SYSTEMS, mechanisms

fmpy = pytest.importorskip("fmpy")

LOAD = da.Parameter("load", 0.5)
ARM = da.Machine(
    "arm",
    bodies=[
        da.rod("upper", mass=2.0, length=0.5, com=(0.25, 0, 0)),
        da.rod("lower", mass=1.0, length=0.4, com=(0.20, 0, 0)),
        da.point_mass("load", LOAD),
    ],
    joints=[
        da.Joint("q1", "revolute", "world", "upper", axis=(0, -1, 0), damping=0.2),
        da.Joint("q2", "revolute", "upper", "lower", da.Transform((0.5, 0, 0)), axis=(0, -1, 0), damping=0.1),
        da.Joint("grip", "fixed", "lower", "load", da.Transform((0.4, 0, 0))),
    ],
    motors=[da.Motor("u1", "q1", effort=40.0), da.Motor("u2", "q2", effort=15.0)],
)
LAW = da.ComputedTorque(kp=100.0, kd=20.0, reference=da.Quintic([-1.4, 0.3], [0.6, 1.2], duration=1.0))
START = {"q1": -1.4, "q2": 0.3}
FLOATING = SYSTEMS["floating-two-link"]


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_simulates_as_here(version: str, tmp_path: Path) -> None:
    path = da.export_fmu(ARM, tmp_path / "arm.fmu", control=LAW, q0=START, version=version)
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(path)) == []
    here = da.simulate(ARM, duration=1.0, q0=START, control=LAW, p={"load": 0.8}, record=0.01)
    names = ["q1", "q2_dot", "u.u1", "energy.kinetic"]
    there = fmpy.simulate_fmu(
        str(path),
        stop_time=1.0,
        output_interval=0.01,
        output=names,
        start_values={"parameter.load": 0.8},
        fmi_type="CoSimulation",
    )
    for name in names:
        np.testing.assert_allclose(there[name], here[name], atol=1e-10)
    smooth = fmpy.simulate_fmu(
        str(path), stop_time=1.0, output_interval=0.01, output=["q1"], start_values={"parameter.load": 0.8},
        fmi_type="ModelExchange", relative_tolerance=1e-9,
    )  # fmt: skip
    np.testing.assert_allclose(smooth["q1"], here["q1"], atol=1e-6)


def test_files_hold_nothing_of_casadi(tmp_path: Path) -> None:
    """As NOTICE says: CasADi is LGPL-3, and neither sources nor binaries have code of it or need it."""
    notice = (Path(__file__).parents[2] / "NOTICE").read_text(encoding="utf-8")
    assert "LGPL" in (metadata("casadi")["License"] or metadata("casadi")["License-Expression"])
    assert "LGPL-3.0-or-later" in notice and "FMUs" in notice
    with zipfile.ZipFile(da.export_fmu(ARM, tmp_path / "arm.fmu", control=LAW, q0=START)) as archive:
        sources = [name for name in archive.namelist() if name.startswith("sources/")]
        assert len(sources) > 5
        for name in archive.namelist():
            if not name.startswith("documentation/"):
                assert b"casadi" not in archive.read(name).lower(), name


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_derivatives_and_two_instances(version: str, tmp_path: Path) -> None:
    """Derivatives of model exchange are those of the equations; instances know nothing of each other."""
    path = da.export_fmu(ARM, tmp_path / "arm.fmu", q0=START, version=version)
    description = fmpy.read_model_description(str(path))
    folder = fmpy.extract(str(path))
    references = {v.name: v.valueReference for v in description.modelVariables}
    kind = fmpy.fmi2.FMU2Model if version == "2.0" else fmpy.fmi3.FMU3Model
    name = description.coSimulation.modelIdentifier
    models = [
        kind(guid=description.guid, unzipDirectory=folder, modelIdentifier=name, instanceName=f"i{k}") for k in range(2)
    ]
    eom, rng = da.equations(ARM), np.random.default_rng(0)
    inputs = [references["command.u1"], references["command.u2"]]
    rates = [references["der(q1_dot)"], references["der(q2_dot)"]]
    expected = []
    for model in models:
        model.instantiate()
        if version == "2.0":
            model.setupExperiment(startTime=0.0)
        model.enterInitializationMode()
        q, v, u = rng.normal(size=(3, 2))
        states = [references[n] for n in ("q1", "q2", "q1_dot", "q2_dot")]
        write = model.setReal if version == "2.0" else model.setFloat64
        write(states + inputs, [*q, *v, *u])
        model.exitInitializationMode()
        expected.append(eom.forward_dynamics(q, v, eom.applied(q, v, u)))
    for model, exact in zip(models, expected, strict=True):
        read = model.getReal if version == "2.0" else model.getFloat64
        np.testing.assert_allclose(read(rates), exact, rtol=1e-12)
        model.terminate()
    for model in models:
        model.freeInstance()
    shutil.rmtree(folder, ignore_errors=True)


def test_quaternions_stay_units(tmp_path: Path) -> None:
    machine = FLOATING.make()
    settings = FLOATING.settings()
    start = {k: settings[k] for k in ("q0", "v0") if k in settings}
    path = da.export_fmu(machine, tmp_path / "robot.fmu", **start)
    names = list(machine.q_names)
    here = da.simulate(machine, duration=2.0, record=0.01, **start)
    there = fmpy.simulate_fmu(str(path), stop_time=2.0, output_interval=0.01, output=names, fmi_type="CoSimulation")
    for name in names:
        np.testing.assert_allclose(there[name], here[name], atol=1e-9)


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_sources_build_alone(version: str, tmp_path: Path) -> None:
    """With a C compiler, strict warnings and nothing else."""
    path = da.export_fmu(ARM, tmp_path / "arm.fmu", control=LAW, version=version, binary=False)
    build_sources(path, tmp_path, "-O1")


def test_same_machine_same_file(tmp_path: Path) -> None:
    one, two = (da.export_fmu(ARM, tmp_path / f"{k}.fmu", q0=START, binary=False).read_bytes() for k in "ab")
    assert one == two
    other = da.export_fmu(ARM, tmp_path / "c.fmu", q0={"q1": 0.1}, binary=False)
    guids = {fmpy.read_model_description(str(p), validate=False).guid for p in (tmp_path / "a.fmu", other)}
    assert len(guids) == 2


def test_bad_values_are_refused_inside(tmp_path: Path) -> None:
    path = da.export_fmu(ARM, tmp_path / "arm.fmu")
    with pytest.raises(Exception, match=r"fmi2SetReal|status"):
        fmpy.simulate_fmu(str(path), stop_time=0.1, start_values={"solver.step": -1.0}, fmi_type="CoSimulation")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"control": da.SampledController(lambda t, q, v: [0.0, 0.0], 0.1)}, "'controller' is a Python controller"),
        ({"step": 0.0}, "step must be"),
        ({"version": "1.0"}, "FMI version"),
    ],
)
def test_refusals(options: dict[str, Any], reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=reason):
        da.export_fmu(ARM, tmp_path / "arm.fmu", **options)


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"must end in \.fmu"):
        da.export_fmu(ARM, tmp_path / "arm.zip")


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DALEMBERT_CC", "no-such-compiler")
    with pytest.warns(DalembertWarning, match="no binary"):
        path = da.export_fmu(ARM, tmp_path / "arm.fmu")
    assert not any("binaries" in name for name in zipfile.ZipFile(path).namelist())


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "arm.fmu"
    assert run(["fmu", "six-axis-arm", "--out", str(target), "--fmi", "3.0", "--open"]) == 0
    names = {v.name for v in fmpy.read_model_description(str(target)).modelVariables}
    assert any(name.startswith("command.") for name in names)
    assert run(["fmu", "six-axis-arm", "--out", str(target)]) == 0
    assert "written" in capsys.readouterr().out


@pytest.mark.parametrize(
    "settings",
    [
        {"method": "dopri5", "rtol": 1e-9, "max_step": 0.1},
        {"method": "dop853"},
        {"method": "heun", "step": 5e-4},
        {"seed": 3, "member": 1, "sensors": [da.Sensor("encoder", ["q1", "q2"], period=0.01, noise=1e-3)]},
    ],
    ids=["dopri5", "dop853", "heun", "noise"],
)
def test_the_solver_inside_is_that_of_the_experiment(settings: dict[str, Any], tmp_path: Path) -> None:
    """Fixed steps to rounding, adaptive ones within what they tolerate: another step in a hundred would show."""
    experiment = da.Experiment(ARM, duration=1.0, record=0.01, control=LAW).replace(q0=START, **settings)
    path = da.export_fmu(experiment, tmp_path / "arm.fmu")
    there = fmpy.simulate_fmu(
        str(path), stop_time=1.0, output_interval=0.01, output=["q1", "q2"], fmi_type="CoSimulation"
    )
    here = da.simulate(experiment)
    tolerance = 1e-12 if "rtol" not in settings and experiment.integrator.adaptive is False else 1e-7
    for name in ("q1", "q2"):
        np.testing.assert_allclose(there[name], here[name], rtol=0.0, atol=tolerance)
    if not experiment.sensors:
        coarse = da.simulate(experiment, method=da.Euler(step=1e-2))
        assert np.abs(coarse["q1"] - here["q1"]).max() > 1e-4
    default = fmpy.read_model_description(str(path)).defaultExperiment
    assert float(default.stopTime) == 1.0


@pytest.mark.slow
def test_constraint_methods_go_along(tmp_path: Path) -> None:
    """A four-bar kept by Baumgarte's terms drifts as it does in a simulation, and starts from as far away."""
    machine = SYSTEMS["five-bar"].make() if "five-bar" in SYSTEMS else mechanisms.four_bars(1)
    experiment = da.Experiment(machine, duration=0.5, record=0.01, constraints=da.Baumgarte(alpha=20.0, beta=20.0))
    path = da.export_fmu(experiment, tmp_path / "bars.fmu")
    names = list(machine.q_names)
    there = fmpy.simulate_fmu(str(path), stop_time=0.5, output_interval=0.01, output=names, fmi_type="CoSimulation")
    here = da.simulate(experiment)
    for name in names:
        np.testing.assert_allclose(there[name], here[name], rtol=0.0, atol=1e-11)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"method": "cvodes"}, "an FMU, .* page that simulates runs the methods euler, .*, not 'cvodes'"),
        ({"method": "radau"}, "not 'radau'"),
        ({"on_event": lambda t, x, names: None}, "an FMU does not support on_event=.*: it calls no Python"),
    ],
)
def test_what_an_fmu_cannot_honour_is_refused_by_name(settings: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=words):
        da.export_fmu(ARM, tmp_path / "arm.fmu", **settings)


def test_events_that_are_left_out_are_named(tmp_path: Path) -> None:
    """Nothing happens at an event that a run takes note of; one that ends it stays."""
    events = [
        da.Event("upright", lambda t, q, v: q[0]),
        da.Event("far", lambda t, q, v: q[0] - 3.0, terminal=True),
    ]
    with pytest.warns(DalembertWarning, match="an FMU leaves out 'upright': nothing happens"):
        path = da.export_fmu(ARM, tmp_path / "arm.fmu", events=events, binary=False)
    assert fmpy.read_model_description(str(path)).numberOfEventIndicators == 1
