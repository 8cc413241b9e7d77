"""Machines with constraints, events, cables, switches and contacts as FMUs: what they do is what they do here."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.fmu_files import build_sources
from tests.support.hybrid_machines import HYBRID, four_bar

import dalembert as da
from dalembert.cli.app import run
from dalembert.compile import find_toolchain
from dalembert.systems.contacts import bouncing_ball

fmpy = pytest.importorskip("fmpy")
pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="needs a C compiler")

RECORD = 0.01


def exported(name: str, folder: Path, **more: Any) -> Path:
    made = HYBRID[name]
    return da.export_fmu(made.make(), folder / "x.fmu", **{**made.settings, **more})


def outputs(path: Path) -> list[str]:
    return [v.name for v in fmpy.read_model_description(str(path)).modelVariables if v.causality == "output"]


def compare(there: Any, here: da.Run, names: list[str], tolerance: float) -> None:
    """At the instants of communication; of rows at one instant the last one is the state after its events."""
    rows = [int(np.flatnonzero(here.t <= t + 1e-12)[-1]) for t in there["time"]]
    np.testing.assert_allclose(here.t[rows], there["time"], atol=1e-9)
    scale = {name: max(1.0, float(np.abs(here[name]).max())) for name in names}
    for name in names:
        np.testing.assert_allclose(there[name], here[name][rows], atol=tolerance * scale[name], err_msg=name)


BRIEF = {
    "2.0": ("sampled", "cut", "box", "grip"),
    "3.0": ("cut",),
}
"""Machines that are tried in any case; the versions share all but their names."""
SAMPLE = ("sampled", "slack", "stepped-box")
"""Those of version 3.0 among the slow tests; the others are long."""


def when(name: str, version: str) -> list[pytest.MarkDecorator]:
    if name in BRIEF[version]:
        return []
    return [pytest.mark.slow] if version == "2.0" or name in SAMPLE else [pytest.mark.slow, pytest.mark.long]


@pytest.mark.parametrize(
    ("name", "version"),
    [pytest.param(name, version, marks=when(name, version)) for version in BRIEF for name in HYBRID],
)
def test_co_simulation_is_that_of_a_run(name: str, version: str, tmp_path: Path) -> None:
    """All states and signals, how many events there were, and when the last one was."""
    from fmpy.validation import validate_fmu

    made = HYBRID[name]
    path = exported(name, tmp_path, version=version)
    assert validate_fmu(str(path)) == []
    here = da.simulate(made.make(), duration=made.duration, record=RECORD, **made.settings)
    assert len(here.events) >= made.events
    names = outputs(path)
    there = fmpy.simulate_fmu(
        str(path), stop_time=made.duration, output_interval=RECORD, output=names, fmi_type="CoSimulation"
    )
    own = [n for n in names if not n.startswith("events.")]
    assert set(own) >= {*here.state_names, *here.signal_names}
    if "control" in made.settings:  # a law that is sampled at such an instant has its new values after it
        assert set(here.held_names) <= set(own)
        own = list(here.state_names)
    compare(there, here, own, 1e-8)
    if made.events:
        assert there["events.count"][-1] == len(here.events)
        assert there["events.time"][-1] == pytest.approx(here.events[-1].t, abs=1e-9)


def instance(path: Path, folder: Path, *, exchange: bool = False) -> Any:
    """An instance of FMI 2.0 before its initialisation."""
    description = fmpy.read_model_description(str(path))
    unzipped = fmpy.extract(str(path), unzipdir=str(folder / "unzipped"))
    kind = fmpy.fmi2.FMU2Model if exchange else fmpy.fmi2.FMU2Slave
    name = description.coSimulation.modelIdentifier
    model = kind(guid=description.guid, unzipDirectory=unzipped, modelIdentifier=name, instanceName="i")
    model.instantiate()
    model.setupExperiment(startTime=0.0)
    model.enterInitializationMode()
    model.references = {v.name: v.valueReference for v in description.modelVariables}
    return model


def read(model: Any, *names: str) -> list[float]:
    return list(model.getReal([model.references[name] for name in names]))


def test_derivatives_of_constrained_machines(tmp_path: Path) -> None:
    """Accelerations of model exchange are those of the equations, at any state and input."""
    machine = four_bar(motors=[da.Motor("drive", "a", effort=5.0)])
    path = da.export_fmu(machine, tmp_path / "x.fmu", q0=HYBRID["driven"].settings["q0"])
    model = instance(path, tmp_path, exchange=True)
    model.exitInitializationMode()
    eom, rng = da.equations(machine), np.random.default_rng(0)
    for _ in range(5):
        q, v, u = rng.normal(size=3), rng.normal(size=3), rng.normal(size=1)
        x, rate = (ctypes.c_double * 8)(*q, *v, 0.0, 0.0), (ctypes.c_double * 8)()
        model.setReal([model.references["command.drive"]], list(u))
        model.setContinuousStates(x, 8)
        model.getDerivatives(rate, 8)
        expected, multipliers = eom.constrained_dynamics(q, v, eom.applied(q, v, u))
        np.testing.assert_allclose(rate[:6], [*v, *expected], rtol=1e-12, atol=1e-12)
        got = read(model, "multiplier.loop[0]", "multiplier.loop[1]")
        np.testing.assert_allclose(got, multipliers, rtol=1e-12, atol=1e-11)
    model.freeInstance()


@pytest.mark.parametrize(
    ("name", "version", "duration"),
    [
        ("ball", "2.0", 2.0),
        ("ball", "3.0", 2.0),
        ("sampled-cable", "2.0", 1.5),
        ("grip", "2.0", 1.0),
        pytest.param("slack", "2.0", 1.5, marks=pytest.mark.slow),
        pytest.param("flap", "2.0", 0.4, marks=pytest.mark.slow),
    ],
)
def test_another_solver_goes_through_events(name: str, version: str, duration: float, tmp_path: Path) -> None:
    """FMPy's solver locates them by the indicators; what happens is inside."""
    made = HYBRID[name]
    path = exported(name, tmp_path, version=version)
    here = da.simulate(made.make(), duration=duration, record=RECORD, **made.settings)
    there = fmpy.simulate_fmu(
        str(path), stop_time=duration, output_interval=RECORD, fmi_type="ModelExchange", relative_tolerance=1e-10,
        output=[*made.make().q_names, "events.count", "events.time"], record_events=False,
    )  # fmt: skip
    assert there["events.count"][-1] >= len(here.events) >= made.events
    # a solver with this tolerance and RK4 with steps of a millisecond are that far from each other
    assert there["events.time"][-1] == pytest.approx(here.events[-1].t, abs=1e-6)
    compare(there, here, list(made.make().q_names), 1e-6)


def test_another_solver_does_not_leave_the_constraints(tmp_path: Path) -> None:
    made = HYBRID["four-bar"]
    path = exported("four-bar", tmp_path)
    there = fmpy.simulate_fmu(
        str(path), stop_time=10.0, output_interval=RECORD, fmi_type="ModelExchange", relative_tolerance=1e-6,
        output=["a", "constraint.position"], record_events=False,
    )  # fmt: skip
    assert there["constraint.position"].max() < 1e-4
    here = da.simulate(made.make(), duration=1.0, record=RECORD, **made.settings)
    np.testing.assert_allclose(there["a"][:100], here["a"][:100], atol=1e-3)


def test_states_are_saved_before_an_event_and_restored_after_it(tmp_path: Path) -> None:
    """Two instances, of which one goes back and does it again: the same impact, to the bit."""
    path = exported("ball", tmp_path)
    models = [instance(path, tmp_path / str(k)) for k in range(2)]
    for model in models:
        model.exitInitializationMode()
        for k in range(40):
            model.doStep(0.01 * k, 0.01)
    one, two = models
    kept = one.getFMUstate()
    bytes_kept = one.serializeFMUstate(kept)
    for model in models:
        for k in range(40, 60):
            model.doStep(0.01 * k, 0.01)
    names = ("z", "z_dot", "events.count", "events.time", "work.loss")
    expected = read(two, *names)
    assert expected[2] == 1.0
    assert read(one, *names) == expected
    for state in (kept, one.deSerializeFMUstate(bytes_kept)):
        one.setFMUstate(state)
        assert read(one, "events.count") == [0.0]
        for k in range(40, 60):
            one.doStep(0.01 * k, 0.01)
        assert read(one, *names) == expected
        one.freeFMUstate(state)
    for model in models:
        model.freeInstance()


def test_a_start_that_is_set_from_outside_is_made_consistent(tmp_path: Path) -> None:
    """Other coordinates, velocities and parameters than those of the export: as a run that starts with them."""
    path = exported("four-bar", tmp_path)
    q0, v0 = HYBRID["four-bar"].settings["q0"], {"a_dot": 2.0}
    other = {name: value + 2e-3 for name, value in q0.items()}  # not quite closed
    model = instance(path, tmp_path)
    values = {**other, "a_dot": 2.0, "b_dot": 0.0, "c_dot": 0.0, "parameter.crank_mass": 1.7}
    model.setReal([model.references[name] for name in values], list(values.values()))
    model.exitInitializationMode()
    assert max(read(model, "constraint.position", "constraint.velocity")) < 1e-12
    for k in range(20):
        model.doStep(0.01 * k, 0.01)
    there = read(model, "a", "b", "c", "a_dot")
    model.freeInstance()
    machine = four_bar()
    asked = [v0["a_dot"], 0.0, 0.0]
    with pytest.warns(da.DalembertWarning, match="do not allow"):
        here = da.simulate(machine, duration=0.2, q0=other, v0=asked, p={"crank_mass": 1.7}, record=0.01)
    np.testing.assert_allclose(there, [here[n][-1] for n in ("a", "b", "c", "a_dot")], atol=1e-9)


def test_friction_and_restitution_are_parameters(tmp_path: Path) -> None:
    machine = bouncing_ball(da.Parameter("e", 0.8))
    path = da.export_fmu(machine, tmp_path / "x.fmu", q0={"z": 1.1})
    here = da.simulate(machine, duration=1.0, q0={"z": 1.1}, p={"e": 0.5}, record=RECORD)
    there = fmpy.simulate_fmu(
        str(path), stop_time=1.0, output_interval=RECORD, output=["z", "force.floor.normal", "active.floor"],
        start_values={"parameter.e": 0.5}, fmi_type="CoSimulation",
    )  # fmt: skip
    compare(there, here, ["z", "active.floor"], 1e-10)


def test_it_ends_where_a_run_stops(tmp_path: Path) -> None:
    """At a hard stop of a joint, in co-simulation and in model exchange."""
    made = HYBRID["flap"]
    here = da.simulate(made.make(), duration=1.0, q0={"hinge": 0.0}, limits="stop")
    path = exported("flap", tmp_path, limits="stop")
    model = instance(path, tmp_path)
    model.exitInitializationMode()
    with pytest.raises(fmpy.fmi1.FMICallException, match="status 2"):  # discarded
        for k in range(100):
            model.doStep(0.01 * k, 0.01)
    assert read(model, "time")[0] == read(model, "events.time")[0] == pytest.approx(here.events[-1].t, abs=1e-10)
    assert model.getBooleanStatus(3)  # terminated
    model.freeInstance()
    there = fmpy.simulate_fmu(
        str(path), stop_time=1.0, output=["hinge"], fmi_type="ModelExchange", relative_tolerance=1e-9
    )
    assert there["time"][-1] == pytest.approx(here.events[-1].t, abs=1e-6)


def test_what_cannot_happen_is_told(tmp_path: Path) -> None:
    """A weld with a pose of its own cannot close over a gap."""
    machine = HYBRID["grip"].make()
    grip = da.WeldConstraint("grip", "two", "one", switchable=True, active=False, offset=da.Transform())
    path = da.export_fmu(
        machine.with_(constraints=(grip,)), tmp_path / "x.fmu", q0={"x2": 1.0}, switches=[da.Switch(at=0.02, on="grip")]
    )
    model = instance(path, tmp_path)
    model.exitInitializationMode()
    model.doStep(0.0, 0.01)
    with pytest.raises(fmpy.fmi1.FMICallException, match="status 3"):  # an error
        model.doStep(0.01, 0.02)
    model.freeInstance()


@pytest.mark.parametrize(
    "name", ["stepped", *(pytest.param(name, marks=pytest.mark.slow) for name in ("box", "sampled"))]
)
def test_sources_build_alone(name: str, tmp_path: Path) -> None:
    """With a C compiler, strict warnings and nothing else."""
    build_sources(exported(name, tmp_path, binary=False), tmp_path, "-O0")


def test_time_stepping_leaves_no_model_exchange(tmp_path: Path) -> None:
    path = exported("stepped", tmp_path, binary=False)
    description = fmpy.read_model_description(str(path))
    assert description.modelExchange is None and description.coSimulation is not None
    assert not any(v.name.startswith("der(") for v in description.modelVariables)


def test_readings_of_sensors_are_outputs_and_commands_are_inputs(tmp_path: Path) -> None:
    """Without a law the motor is an input, and what is sampled inside goes on."""
    machine = HYBRID["sampled"].make()
    path = da.export_fmu(machine, tmp_path / "x.fmu", **{k: HYBRID["sampled"].settings[k] for k in ("q0", "v0")})
    kinds = {v.name: v.causality for v in fmpy.read_model_description(str(path)).modelVariables}
    assert kinds["command.drive"] == "input"
    assert kinds["encoder.a"] == "output"
    model = instance(path, tmp_path)
    model.setReal([model.references["command.drive"]], [0.3])
    model.exitInitializationMode()
    before = read(model, "encoder.a", "a")
    assert before[0] == pytest.approx(before[1], abs=0.01)
    assert before[0] != before[1]
    for k in range(5):
        model.doStep(0.01 * k, 0.01)
    after = read(model, "encoder.a", "a")
    assert after[0] == pytest.approx(after[1], abs=0.1)  # it is late
    assert after[0] != before[0]
    with pytest.raises(fmpy.fmi1.FMICallException):
        model.setReal([model.references["encoder.a"]], [0.0])
    model.freeInstance()


@pytest.mark.parametrize("name", ["cut", "sampled", "stepped-box"])
def test_the_same_machine_gives_the_same_file(name: str, tmp_path: Path) -> None:
    one, two = (exported(name, tmp_path, binary=False).read_bytes() for _ in range(2))
    assert one == two


def test_another_solver_keeps_unit_quaternions(tmp_path: Path) -> None:
    """A body that tumbles for long, by a solver that is none too exact."""
    body = da.Machine(
        "body", [da.box("b", 1.0, (0.1, 0.2, 0.3))], [da.Joint("b", "free", "world", "b")], gravity=(0, 0, 0)
    )
    path = da.export_fmu(body, tmp_path / "x.fmu", v0={"b.wx": 0.3, "b.wy": 4.0, "b.wz": 0.2})
    names = ["b.qw", "b.qx", "b.qy", "b.qz"]
    there = fmpy.simulate_fmu(
        str(path), stop_time=60.0, output_interval=0.1, fmi_type="ModelExchange", relative_tolerance=1e-5,
        output=names, record_events=False,
    )  # fmt: skip
    assert np.abs(sum(there[n] ** 2 for n in names) - 1.0).max() < 1e-4
    assert np.ptp(there["b.qw"]) > 1.0


@pytest.mark.parametrize(
    ("name", "exchange"), [("bouncing-ball", True), pytest.param("quadruped", False, marks=pytest.mark.slow)]
)
def test_command(name: str, exchange: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of what a machine file says contacts and their way go along, besides the law: the quadruped is stepped."""
    target = tmp_path / "x.fmu"
    assert run(["fmu", name, "--out", str(target)]) == 0
    assert (fmpy.read_model_description(str(target)).modelExchange is not None) == exchange
    assert "written" in capsys.readouterr().out
