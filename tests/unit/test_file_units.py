"""Units in machine files: converted to SI, and refused where their dimension is not that of the key."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any, get_args

import pytest

import dalembert as da
from dalembert.core.parameter import nominal
from dalembert.core.scalar_text import parse_quantity
from dalembert.core.units import UNITS, Dimension, parse_unit, unit_table
from dalembert.io import check_machine
from dalembert.io.machine_schema import machine_file
from dalembert.io.schema_units import entries_of, keys_with_units
from dalembert.io.schema_values import Bound, Inertia, Limit, Number, Quantity

FILE = """
name: arm
parameters: {m: 2 kg, l: 500 mm}
bodies:
  link: {mass: m, com: [0, 0, -l/2], inertia: [0.1 kg m^2, 1e5 g mm^2, 0.1]}
  slide: {mass: 1.0}
  boom: {beam: {length: 200 cm, section: {outer: 50 mm, inner: 40 mm}, E: 70 GPa, density: 2.7 t/m^3, modes: {z: 1}}}
joints:
  turn: {kind: revolute, parent: world, child: link, axis: y, damping: 0.1 N m s/rad, stiffness: 3 Nm/deg,
         limits: {lower: -90 deg, upper: 1.5, velocity: 30 rpm}}
  push: {kind: prismatic, parent: link, child: slide, axis: z, stiffness: 2 kN/m, limits: {upper: 200 mm}}
  hold: {kind: fixed, parent: slide, child: boom}
motors: {turn: {effort: 20 Nm, rotor_inertia: 300 g cm^2}, push: {effort: 1 kN}}
wrenches: {load: {frame: slide, force: [1 N, 0, 9.81 m/s^2 * m], torque: [0, 2 kNm, 0]}}
sensors: {encoder: {of: turn, period: 1 ms, noise: 0.1 deg}}
simulation: {duration: 100 ms, step: 1 ms, q0: {turn: 30 deg, push: 10 mm}, v0: {turn_dot: 30 rpm}, p: {m: 3000 g},
             control: [2 Nm, 3 N]}
"""


def test_units_are_converted() -> None:
    experiment = da.load_experiment(FILE)
    machine = experiment.machine
    assert {p.name: p.value for p in machine.parameters} == {"m": 2.0, "l": 0.5}
    body = machine.body("link")
    assert [nominal(body.inertia[k][k]) for k in range(3)] == pytest.approx([0.1, 1e-4, 0.1], rel=1e-14)
    turn, push = machine.joint("turn"), machine.joint("push")
    assert nominal(turn.stiffness) == pytest.approx(3 * 180 / math.pi, rel=1e-14)
    assert (turn.limits.lower, turn.limits.velocity) == pytest.approx((-math.pi / 2, math.pi), rel=1e-14)
    assert (nominal(push.stiffness), push.limits.upper) == pytest.approx((2000.0, 0.2), rel=1e-14)
    assert [motor.effort for motor in machine.motors] == [20.0, 1000.0]
    assert nominal(machine.motors[0].rotor_inertia) == pytest.approx(3e-5, rel=1e-14)
    assert nominal(machine.wrenches[0].force[2]) == pytest.approx(19.62, rel=1e-14)
    beam: Any = machine.body("boom")
    assert (beam.length, nominal(beam.E), nominal(beam.density)) == pytest.approx((2.0, 70e9, 2700.0), rel=1e-14)
    assert machine.sensors[0].noise == pytest.approx(math.pi / 1800, rel=1e-14)
    assert experiment.duration == pytest.approx(0.1) and dict(experiment.p) == {"m": pytest.approx(3.0)}
    assert dict(experiment.start.q) == pytest.approx({"turn": math.pi / 6, "push": 0.01})
    assert dict(experiment.start.v) == pytest.approx({"turn_dot": math.pi})
    assert experiment.control == (2.0, 3.0) and not check_machine(FILE)


WRONG = {
    ("mass: m", "mass: 45 deg"): "mass of body 'link' must be a quantity in kg, got '45 deg' in rad",
    ("mass: m", "mass: 2 * 45 deg"): "mass",
    ("mass: m", "mass: l"): "mass of body 'link' must be a quantity in kg, got 'l' in m",
    ("mass: m", "mass: m + 3 mm"): "adds kg and m",
    ("mass: m", "mass: m * sin(2 kg)"): "sin of a quantity in kg",
    ("mass: m", "mass: 3 stone"): "no unit named 'stone'",
    ("m: 2 kg", "m: 2 deg"): "mass",
    ("0.1 kg m^2", "0.1 kg m"): "inertia",
    ("30 rpm}}", "30 Hz}}"): "velocity of joint 'turn' must be a quantity in rad/s",
    ("3 Nm/deg", "3 N/m"): "stiffness of joint 'turn'",
    ("2 kN/m", "2 Nm/rad"): "stiffness of joint 'push'",
    ("20 Nm", "20 kg"): "effort of motor 'turn'",
    ("1 N, 0", "1 Nm, 0"): r"force\[0\] of wrench 'load'",
    ("200 cm", "200 kg"): "length",
    ("outer: 50 mm", "outer: 50 N"): "outer",
    ("70 GPa", "70 kN"): "E of body 'boom'|beam E",
    ("noise: 0.1 deg", "noise: 0.1 mm"): "noise of sensor 'encoder'",
    ("duration: 100 ms", "duration: 100 mm"): "duration must be a quantity in s",
    ("turn: 30 deg", "turn: 30 mm"): "q0 turn must be a quantity in rad",
    ("push: 10 mm", "push: 10 deg"): "q0 push must be a quantity in m",
    ("turn_dot: 30 rpm", "turn_dot: 30 Hz"): "v0 turn_dot",
    ("m: 3000 g", "m: 3 mm"): "p m must be a quantity in kg",
    ("[2 Nm, 3 N]", "[2 Nm, 3 Nm]"): "control",
}


@pytest.mark.parametrize("change", WRONG)
def test_wrong_dimensions_are_refused(change: tuple[str, str]) -> None:
    """With the line, the key, what was got and what is expected, by loading and by checking."""
    assert change[0] in FILE
    text = FILE.replace(*change)
    with pytest.raises(da.DalembertError, match=f"<text>:\\d+: .*({WRONG[change]})"):
        da.load_experiment(text)
    assert check_machine(text)


LAW = """
name: gantry
parameters: {reach: 2 m, k: 30.0}
bodies: {cart: {mass: 2.0}, bob: {point_mass: {mass: 1.0, com: [0, 0, -1]}}}
joints:
  x: {kind: prismatic, parent: world, child: cart, axis: x}
  turn: {kind: revolute, parent: cart, child: bob, axis: y}
motors: {drive: {joint: x}, turn: {}}
simulation:
  duration: 1.0
  control:
    law: pd
    kp: 2 * 5
    kd: 3.0
    reference:
      start: [-5 cm, 0]
      end: [reach/2, 90 deg]
      duration: 3 * 500 ms
      delay: 1 - 0.5
"""


def test_references_of_files_are_expressions() -> None:
    with pytest.warns(da.DalembertWarning, match="occur in no number"):
        law: Any = da.load_experiment(LAW).control
    assert law.reference == da.Quintic([-0.05, 0.0], [1.0, math.pi / 2], duration=1.5, delay=0.5) and law.kp == 10
    sine = "{center: [0, 0], amplitude: [1 cm, 180 deg], frequency: 120 / 60 * 1 Hz, phase: 90 deg}"
    with pytest.warns(da.DalembertWarning, match="occur in no number"):
        law = da.load_experiment(LAW[: LAW.index("reference:\n")] + f"reference: {sine}\n").control
    assert law.reference == da.Sine([0, 0], [0.01, math.pi], 2.0, math.pi / 2)
    by_motor = "{turn: {start: 0, end: 90 deg, duration: 1}, drive: 30 mm}"
    with pytest.warns(da.DalembertWarning, match="occur in no number"):
        law = da.load_experiment(LAW[: LAW.index("reference:\n")] + f"reference: {by_motor}\n").control
    assert law.reference["drive"] == 0.03 and law.reference["turn"].end == (math.pi / 2,)


@pytest.mark.parametrize(
    ("right", "wrong", "line", "message"),
    [
        ("90 deg]", "90 mm]", 17, r"end\[1\] must be a quantity in rad"),
        ("reach/2", "90 deg", 17, r"end\[0\] must be a quantity in m"),
        ("reach/2", "rech/2", 17, "no parameter named 'rech'"),
        ("reach/2", "t", 17, "must not depend on time"),
        ("3 * 500 ms", "3 * 500 mm", 18, "duration must be a quantity in s"),
        ("3 * 500 ms", "-3 s", 18, "duration of a Quintic must be > 0"),
        ("delay: 1 - 0.5", "wait: 1", 19, "no setting named 'wait'"),
        ("delay: 1 - 0.5", "delay: 1 -", 19, "cannot read '1 -'"),
        ("kp: 2 * 5", "kp: k", 13, "kp uses the parameter 'k', .* list it under 'gains'"),
        ("kp: 2 * 5", "kp: [1, 2 *]", 13, "cannot read"),
        ("law: pd", "law: dp", 12, "no law named 'dp'"),
        ("      duration: 3 * 500 ms\n", "", 15, "the reference needs duration"),
    ],
)
def test_wrong_numbers_of_laws_have_their_line(right: str, wrong: str, line: int, message: str) -> None:
    """By loading and by checking alike."""
    assert right in LAW
    text = LAW.replace(right, wrong)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.DalembertWarning)
        with pytest.raises(da.FileFormatError, match=f"<text>:{line}: .*{message}"):
            da.load_experiment(text)
        assert [error for error in check_machine(text) if str(error).startswith(f"<text>:{line}: ")]


def test_bare_numbers_stay_si() -> None:
    plain = FILE
    for unit, number in (
        ("m: 2 kg", "m: 2"),
        ("500 mm", "0.5"),
        ("30 deg", "pi/6"),
        ("10 mm", "0.01"),
        ("1 kN}", "1e+3}"),
    ):
        assert unit in plain
        plain = plain.replace(unit, number)
    assert da.load_experiment(plain).machine == da.load_experiment(FILE).machine


@pytest.mark.parametrize(
    "text", ["45 deg", "2.5e-3 kg", "l / 2 + 30 mm", "2 m/s * t", "sqrt(4 m^2)", "3 m/l", "-90 deg"]
)
def test_expressions_with_units_are_read(text: str) -> None:
    length = da.Parameter("l", 2.0)
    parse_quantity(text, {"l": length}, {"l": parse_unit("m").dimension})


def test_pounds_are_masses_and_pound_forces_are_forces() -> None:
    """One slug falls with one foot per second squared under one pound-force: 32.17404855643 lb."""
    for text, value, unit in (("100 ft/min", 0.508, "m/s"), ("12 in", 0.3048, "m"), ("2 lb ft^2", 0.0842802, "kg m^2")):
        number, dimension = parse_quantity(text, {}, {})
        assert nominal(number) == pytest.approx(value, rel=1e-6), text
        assert dimension == parse_unit(unit).dimension
    slug = parse_unit("lbf").factor / parse_unit("ft/s^2").factor / parse_unit("lb").factor
    assert slug == pytest.approx(32.17404855643, rel=1e-12)
    assert parse_unit("lbf ft").factor == pytest.approx(1.3558179483314, rel=1e-13)
    with pytest.raises(da.FileFormatError, match="mass of body 'link' must be a quantity in kg, got '3 lbf'"):
        da.load_machine(FILE.replace("mass: m", "mass: 3 lbf"))


def test_pure_numbers_have_no_dimension() -> None:
    angle, number = parse_unit("rad").dimension, Dimension()
    assert str(number) == "1" and number * angle == angle and angle / angle == number
    assert number.is_number and number.admits(number) and not number.admits(angle) and angle.admits(number)


def test_angles_are_no_numbers_but_arcs_are_lengths() -> None:
    dimension = {name: parse_unit(name).dimension for name in ("1", "m", "rad", "rad/s", "Hz", "N m", "N m/rad")}
    assert not dimension["1"].admits(dimension["rad"]) and dimension["rad"].admits(dimension["1"])
    assert dimension["m"].admits(parse_unit("m deg").dimension) and not dimension["rad/s"].admits(dimension["Hz"])
    assert dimension["N m/rad"].admits(dimension["N m"]) and not dimension["N m"].admits(dimension["N m/rad"])


def test_every_number_of_the_schema_has_a_unit() -> None:
    """A key of numbers without a unit would take no units, and nobody would know its dimension."""
    numeric = {Number, Limit, Bound, Inertia, Quantity}
    pending, seen, without = [machine_file()], set(), []

    def holds_numbers(annotation: Any, metadata: Any) -> bool:
        marks = {id(x) for kind in numeric for x in kind.__metadata__}
        if any(id(x) in marks for x in (*metadata, *getattr(annotation, "__metadata__", ()))):
            return True
        return any(holds_numbers(one, ()) for one in get_args(annotation))

    while pending:
        entry: Any = pending.pop()
        if entry in seen:
            continue
        seen.add(entry)
        for key, field in entry.model_fields.items():
            if holds_numbers(field.annotation, field.metadata) and not entry.units.get(key):
                without.append(f"{entry.__name__}.{key}")
            pending += list(entries_of(field.annotation))
    # A gear relates coordinates of different units.
    assert set(without) == {"ConstraintEntry.terms"}
    for _, _, unit in keys_with_units():
        for one in unit.split("|"):
            parse_unit(one.replace("{q}", "m").replace("{l}", "m").replace("{f}", "N").replace("{i}", "kg")
                       if "{s}" not in one and "{x}" not in one else "1")  # fmt: skip


def test_page_lists_the_units() -> None:
    page = (Path(__file__).parents[2] / "docs" / "machine_files.md").read_text(encoding="utf-8")
    for kind, si, names in unit_table():
        assert f"| {kind} | {si} | {names} |" in page
    assert set(", ".join(names for _, _, names in unit_table()).split(", ")) == set(UNITS)


PICK = """
name: pick
bodies: {arm: {mass: 1.0, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}, slide: {mass: 1.0}}
joints:
  a: {kind: revolute, parent: world, child: arm, axis: z}
  s: {kind: prismatic, parent: arm, child: slide, axis: x}
motors: {a: {joint: a}, s: {joint: s}}
simulation: {duration: 10 ms, control: CONTROL}
"""


def law(control: str) -> Any:
    return da.load_experiment(PICK.replace("CONTROL", control)).control


def test_settings_of_laws_have_the_units_of_their_motors() -> None:
    """A motor that turns and one that slides: gains by order and by name, references of every kind, times."""
    pd = law("{law: pd, kp: [80 N m/deg, 2 N/mm], kd: [1, 2 N s/m], reference: [45 deg, 120 mm]}")
    assert pd.kp == pytest.approx((80 * 180 / math.pi, 2000.0)) and pd.kd == (1, 2.0)
    assert pd.reference == pytest.approx((math.pi / 4, 0.12))
    move = "{start: [0, 0], end: [90 deg, 30 cm], duration: 500 ms, delay: 0.1 min}"
    named = law(f"{{law: pd, kp: {{s: 2 kN/m, a: 80 N m/rad}}, kd: 3, reference: {move}}}")
    assert dict(named.kp) == {"s": 2000.0, "a": 80.0}
    assert (named.reference.duration, named.reference.delay) == pytest.approx((0.5, 6.0))
    assert named.reference.end == pytest.approx((math.pi / 2, 0.3))
    sine = "{center: [0, 0], amplitude: [10 deg, 1 mm], frequency: 2 kHz, phase: 90 deg}"
    pid = law(f"{{law: pid, kp: 1, ki: [1 N m/rad/s, 2], kd: 3, tracking_time: 200 ms, reference: {sine}}}")
    assert (pid.ki[0], pid.tracking_time, pid.reference.frequency) == pytest.approx((1.0, 0.2, 2000.0))
    torque = law("{law: computed-torque, kp: 100 s^-2, kd: 20 s^-1, reference: {a: 10 deg, s: 5 mm}}")
    assert (torque.kp, torque.kd) == (100.0, 20.0)
    assert dict(torque.reference) == pytest.approx({"a": math.pi / 18, "s": 0.005})


@pytest.mark.parametrize(
    ("control", "key"),
    [
        ("{law: pd, kp: [80 N/m, 2], kd: 3, reference: [0, 0]}", "kp"),
        ("{law: pd, kp: 80 N/m, kd: 3, reference: [0, 0]}", "kp"),  # one for a motor that turns and one that slides
        ("{law: pd, kp: {a: 80 N m/rad, s: 2 N m/rad}, kd: 3, reference: [0, 0]}", "kp"),
        ("{law: pd, kp: 1, kd: [3 N m/rad, 1], reference: [0, 0]}", "kd"),
        ("{law: pd, kp: 1, kd: 1, reference: [10 mm, 0]}", "reference"),
        ("{law: pd, kp: 1, kd: 1, reference: {a: 10 kg, s: 0}}", "reference"),
        ("{law: pd, kp: 1, kd: 1, reference: {start: [0, 0], end: [1, 1], duration: 2 m}}", "duration"),
        ("{law: pd, kp: 1, kd: 1, reference: {center: [0, 0], amplitude: [0, 0], frequency: 2 s}}", "frequency"),
        ("{law: pid, kp: 1, ki: 1, kd: 1, tracking_time: 2 Hz, reference: [0, 0]}", "tracking_time"),
        ("{law: computed-torque, kp: 100 N m/rad, kd: 1, reference: [0, 0]}", "kp"),
    ],
)
def test_settings_of_laws_with_other_units_are_refused(control: str, key: str) -> None:
    with pytest.raises(da.FileFormatError, match=rf"<text>:8: .*{key}"):
        law(control)
    assert any(key in str(fault) for fault in check_machine(PICK.replace("CONTROL", control)))
