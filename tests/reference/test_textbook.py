"""The machines of the study `textbook`, and that a study can fail; the studies themselves run in test_studies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.formulations.constraints.assembly import assembled_start
from dalembert.studies import Row, run_study, studies, totals
from dalembert.studies.expected import Expected, Formula, formula
from dalembert.systems import SYSTEMS, load_system
from dalembert.systems.textbook import actuated_pendulum, double_pendulum, floating_two_link, motor_side


def test_studies_are_found_by_name() -> None:
    assert "ROBOTICS" in studies()["textbook"]
    with pytest.raises(da.UnknownNameError, match=r"no study named 'nothing'; known: .*textbook"):
        list(run_study("nothing"))


ROWS = "document: BOOK\nrows:\n"


def write(folder: Path, text: str) -> Expected:
    path = folder / "expected.yaml"
    path.write_text(text, encoding="utf-8")
    return Expected("mine", path)


def test_a_wrong_formula_or_number_is_missed(tmp_path: Path) -> None:
    expected = write(
        tmp_path,
        "document: BOOK\nrows:\n"
        "  f: {quantity: a, source: b, kind: printed, published: m*sin(q)**2}\n"
        "  x: {quantity: a, source: b, kind: identity, published: 1.5, tolerance: 0.05, reason: printed digits}\n"
        "  v: {quantity: a, source: b, kind: printed, form: full, published: [m, 0]}\n",
    )
    m, q = sp.symbols("m q")
    assert expected.judge("f", Formula(m * (1 - sp.cos(q) ** 2), "")).ok
    assert not expected.judge("f", Formula(m * sp.sin(q), "")).ok
    assert expected.judge("x", 1.54).ok
    assert not expected.judge("x", 1.56).ok
    assert not expected.judge("x", float("nan")).ok
    assert expected.judge("v", Formula(sp.Matrix([m, 0]), "")).ok
    assert not expected.judge("v", Formula(sp.Matrix([m, 0, 0]), "")).ok
    assert not expected.judge("v", Formula(m, "")).ok
    with pytest.raises(da.UnknownNameError, match="expected value named 'y'"):
        expected.judge("y", 1.0)
    with pytest.raises(da.UnknownNameError, match="'v'"):
        expected.check_complete({"f": 0, "x": 0})
    expected.check_complete({"f": 0, "x": 0}, full=False)
    with pytest.raises(da.UnknownNameError, match="'x'"):
        expected.check_complete({"f": 0}, full=False)


def test_a_number_needs_the_reason_of_its_tolerance(tmp_path: Path) -> None:
    with pytest.raises(da.FileFormatError, match="'x' is a number and needs a tolerance with its reason"):
        write(tmp_path, f"{ROWS}  x: {{quantity: a, source: b, kind: printed, published: 1.5, tolerance: 0.1}}\n")


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ("published: m", "'x': expected kind: printed, identity, regression, requirement, measured; got None"),
        ("published: m, kind: published", "got 'published'"),
        ("published: m, kind: printed, form: long", "'x': expected form: short or full; got 'long'"),
        ("published: 1.5, kind: measured, tolerance: 0.1", "'x' is measured: nothing is asserted"),
    ],
)
def test_an_expected_value_says_what_it_is(tmp_path: Path, fields: str, complaint: str) -> None:
    with pytest.raises(da.FileFormatError, match=complaint):
        write(tmp_path, f"{ROWS}  x: {{quantity: a, source: b, {fields}}}\n")


def test_what_is_only_measured_cannot_be_missed(tmp_path: Path) -> None:
    expected = write(tmp_path, f"{ROWS}  x: {{quantity: a, source: b, kind: measured, published: 51.7, unit: '%'}}\n")
    row = expected.judge("x", 80.0)
    assert (row.ok, row.missed, row.tolerance, row.published, row.obtained) == (True, False, None, 51.7, 80.0)


def test_totals_are_given_apart() -> None:
    about = ("mine", "q", "BOOK (1)")
    rows = [
        Row(*about, 1.5, 1.5, 0.1, "m", True, "printed"),
        Row(*about, 1.5, 1.9, 0.1, "m", False, "printed", "a misprint"),
        Row(*about, 0.0, 1.0, 0.1, "m", False, "identity"),
        Row(*about, 51.7, 80.0, None, "%", True, "measured"),
    ]
    assert totals(rows) == (
        "printed: 1 of 2 reproduced (1 known differences, explained on the errata page); identity: 0 of 1 hold; "
        "measured: 1 of 1 shown"
    )


def test_names_of_formulas_are_symbols_even_if_sympy_knows_them() -> None:
    assert formula("I*beta") == sp.Symbol("I") * sp.Symbol("beta")


# -- the machines themselves ------------------------------------------------------------------------------------------


# Many coordinates: the planar arm and random trees (tests/property) are their short form.
SLOW = {
    "andrews-squeezer", "box-on-incline", "bricard-mechanism", "chain-on-ground", "container-spreader", "delta-robot",
    "flyball-governor", "mda-arm", "overhead-crane", "six-axis-arm", "three-joint-chaser", "tower-crane",
}  # fmt: skip
# the arm alone, the chaser with fewer joints, and random floating trees are shorter
LONG = {"canadarm", "quadruped", "space-chaser"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW | LONG) + [pytest.mark.long] * (name in LONG))
        for name in SYSTEMS
    ],
)
def test_systems_agree_in_all_formulations(name: str) -> None:
    report = da.verify(load_system(name), samples=5)
    assert report.ok, str(report)


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_survive_the_machine_file(name: str) -> None:
    machine = load_system(name)
    assert da.load_machine(machine.to_yaml()) == machine


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_start_where_their_settings_say(name: str) -> None:
    experiment = SYSTEMS[name].experiment().replace(backend="vm")
    if not experiment.machine.constrained:  # not asked when tests are collected: 2 s in every process
        return
    start, eom = experiment.start, experiment.equations
    q, moved = assembled_start(eom, start.q, p=eom.parameter_values(experiment.p), branch=start.branch)
    assert moved < 1e-9
    coordinates = dict(zip(eom.machine.q_names, q, strict=True))
    asked = SYSTEMS[name].settings().get("q0", {})
    assert {key: coordinates[key] for key in asked} == pytest.approx(asked, abs=1e-9)


def test_unknown_system() -> None:
    with pytest.raises(da.UnknownNameError, match=r"no system named 'crane99'.*; known: .*pr-robot"):
        load_system("crane99")


def test_motor_angle_and_joint_angle_are_one_motion() -> None:
    """The pendulum simulated in theta and in theta_m."""
    machine = actuated_pendulum(F_x=0.5)
    settings = {"duration": 2.0, "method": "dopri5", "rtol": 1e-11, "atol": 1e-12, "record": 0.1, "q0": {"theta": 0.7}}
    joint = da.simulate(machine, control=[0.02], **settings)
    motor = da.simulate(da.equations(machine, coordinates=motor_side()), control=[0.02], **settings)
    np.testing.assert_allclose(motor["theta_m"] / 50.0, joint["theta"], atol=1e-9)


def test_double_pendulum_keeps_its_energy_for_half_a_minute() -> None:
    run = da.simulate(
        double_pendulum(), duration=30.0, q0={"q_1": 1.5, "q_2": 0.5}, method="dopri5", rtol=1e-12, atol=1e-13
    )
    assert run.energy.drift < 1e-9


def test_floating_robot_keeps_energy_and_momentum_for_half_a_minute() -> None:
    machine = floating_two_link()
    v0 = {"base.vx": 0.1, "base.wx": 0.3, "base.wz": -0.2, "q1_dot": 1.0, "q2_dot": -0.7}
    run = da.simulate(machine, duration=30.0, v0=v0, method="dopri5", rtol=1e-12, atol=1e-13)
    assert run.energy.drift < 1e-9
    eom = da.equations(machine)
    q, v = run.array(machine.q_names), run.array(machine.v_names)
    momentum = eom.momentum(q, v)
    assert np.abs(momentum - momentum[0]).max() < 1e-8 * np.abs(momentum[0]).max()
