"""Natural coordinates count turns: whatever depends on an angle goes on past half a turn as in minimal coordinates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dalembert as da

BY = ("newton-euler", "natural")


def carrier(a: dict[str, Any] | None = None, wheels: int = 1, **parts: Any) -> da.Machine:
    """One or two wheels on a carrier that turns itself: every angle is one between moving bodies."""
    joints = [
        da.Joint("turn", "revolute", "world", "carrier", axis=(0, 0, 1)),
        da.Joint("a", "revolute", "carrier", "wheel", da.Transform((0.5, 0, 0)), axis=(0, 0.6, 0.8), **(a or {})),
        da.Joint("b", "revolute", "carrier", "other", da.Transform((-0.5, 0, 0)), axis=(0, 0, 1)),
    ]
    bodies = [
        da.box("carrier", 2.0, (1.2, 0.2, 0.1)),
        da.cylinder("wheel", 1.0, radius=0.2, length=0.1, com=(0.02, 0, 0)),
        da.cylinder("other", 0.5, radius=0.2, length=0.05),
    ]
    given: dict[str, Any] = {"bodies": bodies[: wheels + 1], "joints": joints[: wheels + 1], "gravity": (0, 0, 0)}
    return da.Machine("carrier", **(given | parts))


def hoist() -> da.Machine:
    """A winch on a trolley that lets a load down over many turns."""
    return da.Machine(
        "hoist",
        bodies=[
            da.box("trolley", 5.0, (0.4, 0.3, 0.2)),
            da.cylinder("drum", 20.0, radius=0.05, length=0.2),
            da.box("load", 3.0, (0.2, 0.2, 0.2)),
        ],
        joints=[
            da.Joint("x", "prismatic", "world", "trolley", axis=(1, 0, 0), stiffness=50.0),
            da.Joint("winch", "revolute", "trolley", "drum", axis=(0, 1, 0), damping=0.02),
            da.Joint("y", "prismatic", "trolley", "load", axis=(0, 0, -1)),
        ],
        cables=[da.Cable("rope", "load", exit="trolley", exit_at=(0, 0, 0.5), length=0.475, winch="winch", drum=0.05)],
    )


TORQUE = {"motors": [da.Motor("m", "a")]}
CASES: dict[str, tuple[da.Machine, dict[str, Any]]] = {
    "spring": (carrier({"stiffness": 0.05, "rest": 0.5}), {"q0": {"a": 11.0}, "v0": {"turn_dot": 1.0}}),
    "gear": (
        carrier(wheels=2, constraints=[da.GearConstraint("gear", terms={"a": 1.0, "b": 2.0}, value=0.4)], **TORQUE),
        {"q0": {"a": 9.0, "b": -4.3}, "control": [0.5]},
    ),
    "coupling": (
        carrier(wheels=2, couplings=[da.Coupling("b", "a", -0.5, 0.3)], **TORQUE),
        {"q0": {"a": 9.0}, "control": [0.5]},
    ),
    "motion": (
        carrier(constraints=[da.MotionConstraint("drive", joint="a", value=2.0 + 6.0 * da.TIME)]),
        {"q0": {"a": 2.0}, "v0": {"a_dot": 6.0}},
    ),
    "winch": (hoist(), {"q0": {"y": 0.1, "winch": 2.5}}),
    "limit": (carrier({"limits": da.Limits(-1.0, 10.5)}), {"q0": {"a": 9.0}, "v0": {"a_dot": 5.0, "turn_dot": 1.0}}),
    "rotor": (
        carrier({"stiffness": 0.2}, motors=[da.Motor("m", "a", ratio=5.0, rotor_inertia=1e-3)]),
        {"q0": {"a": 12.0}, "v0": {"turn_dot": 2.0}},
    ),
    "PD": (
        carrier(motors=[da.Motor("m", "a", ratio=2.0, rotor_inertia=1e-3)]),
        {"q0": {"a": 9.0}, "control": da.PD(kp=0.4, kd=0.05, reference=[12.0])},
    ),
    "computed torque": (
        carrier({"damping": 0.1}, motors=[da.Motor("m", "a", rotor_inertia=1e-3), da.Motor("n", "turn")]),
        {"q0": {"a": 9.0}, "control": da.ComputedTorque(kp=16.0, kd=8.0, reference=lambda t: [11.0 + t, 0.3])},
    ),
}


def runs(machine: da.Machine, **options: Any) -> list[da.Run]:
    settings = {"duration": 0.5, "method": "rk4", "step": 0.01, "backend": "vm"} if "method" not in options else {}
    return [da.simulate(machine, by=by, **(settings | options)) for by in BY]


@pytest.mark.parametrize("case", CASES)
def test_what_depends_on_an_angle_goes_on_past_half_a_turn(case: str) -> None:
    """A step of 10 ms leaves an error of 1e-4 rad at these rates; a lost turn is 6.28 rad."""
    machine, options = CASES[case]
    minimal, natural = runs(machine, **options)
    angles = [minimal[j.name] for j in machine.coordinate_joints if j.kind == "revolute"]
    assert any(np.ptp(np.round(x / (2 * np.pi))) > 0 for x in angles)
    for name in (*machine.q_names, *machine.v_names):
        assert np.allclose(natural[name], minimal[name], rtol=1e-4, atol=5e-4), name
    for name in ("energy.kinetic", "energy.potential"):
        assert np.allclose(natural[name], minimal[name], rtol=1e-3, atol=1e-3), name
    assert [e.name for e in natural.events] == [e.name for e in minimal.events]
    assert np.allclose([e.t for e in natural.events], [e.t for e in minimal.events], rtol=0, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("case", [pytest.param(c, marks=[pytest.mark.long] * (k % 3 > 0)) for k, c in enumerate(CASES)])
def test_many_turns_at_tight_tolerances(case: str) -> None:
    machine, options = CASES[case]
    settings = {"duration": 2.0, "method": "dopri5", "rtol": 1e-10, "atol": 1e-12, "record": 0.05, "backend": "auto"}
    minimal, natural = runs(machine, **(options | settings))
    for name in (*machine.q_names, *machine.v_names, "energy.kinetic", "energy.potential"):
        assert np.allclose(natural[name], minimal[name], rtol=1e-7, atol=1e-7), name


def test_a_limit_beyond_half_a_turn_is_an_event() -> None:
    machine, options = CASES["limit"]
    assert [e.name for e in runs(machine, **options)[1].events] == ["a.upper"]


def test_a_spring_that_is_wound_up_has_all_of_its_energy() -> None:
    machine = carrier({"stiffness": 2.0}, wheels=2)
    natural = da.equations(machine, "natural", backend="vm")
    for angle in (2.28, 4.0, -30.0):
        q = [0.3, angle, 0.0]
        state = natural.from_machine(q, np.zeros(3))
        assert natural.energy(*state).potential == pytest.approx(angle**2)
        assert np.allclose(natural.to_machine(*state)[0], q)


@pytest.mark.parametrize("constraints", ["baumgarte", pytest.param("generalized-alpha", marks=pytest.mark.slow)])
def test_every_method_of_solution_counts_turns(constraints: str) -> None:
    """Implicit methods move from state to state without integrating rates."""
    machine, options = CASES["spring"]
    backend = "native" if constraints == "generalized-alpha" else "vm"
    step = 1e-3 if constraints == "generalized-alpha" else 1e-2
    run = da.simulate(
        machine, by="natural", duration=0.5, step=step, constraints=constraints, backend=backend, **options
    )
    exact = da.simulate(machine, duration=0.5, backend="vm", **options)
    assert np.ptp(np.round(exact["a"] / (2 * np.pi))) > 0
    assert run["a"][-1] == pytest.approx(exact["a"][-1], abs=1e-2)  # of second order, and of fourth at longer steps
    assert np.allclose(run["turned.a"], run["a"], rtol=0, atol=1e-3)


def test_turns_are_kept_when_a_run_goes_on() -> None:
    machine, options = CASES["spring"]
    settings = {"by": "natural", "method": "rk4", "step": 1e-2, "backend": "vm"}
    whole = da.simulate(machine, duration=0.5, **settings, **options)
    first = da.simulate(machine, duration=0.25, **settings, **options)
    second = da.simulate(machine, duration=0.25, start=first, **settings)
    assert np.allclose(second["a"][-1], whole["a"][-1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", ["free", "spherical"])
def test_quaternions_go_on_from_the_sign_of_the_start(kind: str) -> None:
    machine = da.Machine(
        "racket", bodies=[da.Body("b", 1.0, inertia=(0.1, 0.2, 0.28))], joints=[da.Joint("f", kind, "world", "b")]
    )
    sign = {"f.qw": -np.sqrt(0.5), "f.qx": np.sqrt(0.5), "f.qy": 0.0, "f.qz": 0.0}
    minimal, natural = runs(machine, q0=sign, v0={"f.wx": 4.0, "f.wy": 1.0})
    assert min(minimal["f.qw"]) < -0.9 and min(minimal["f.qx"]) < -0.1 < 0.5 < max(minimal["f.qx"])
    for name in machine.q_names:
        assert np.allclose(natural[name], minimal[name], rtol=0, atol=1e-4), name


def test_losses_of_joints_with_several_velocities() -> None:
    joint = da.Joint("j", "spherical", "carrier", "wheel", da.Transform((0.5, 0, 0)), damping=0.02, friction=0.01)
    machine = carrier()
    machine = machine.with_(joints=[machine.joints[0], replace(joint, friction_velocity=0.5)])
    minimal, natural = runs(machine, v0={"j.wx": 2.0, "j.wz": -1.0})
    assert minimal["work.loss"][-1] < -0.01
    assert natural["work.loss"][-1] == pytest.approx(minimal["work.loss"][-1], rel=1e-4)


@pytest.mark.parametrize("kind", ["planar", "universal", "cylindrical", "screw"])
def test_angles_of_every_kind_of_joint_count_turns(kind: str) -> None:
    more = {"universal": {"second_axis": (1, 0, 0)}, "screw": {"pitch": 0.02}}.get(kind, {})
    joint = da.Joint("j", kind, "carrier", "wheel", da.Transform((0.5, 0, 0)), axis=(0, 0, 1), **more)
    machine = carrier()
    machine = machine.with_(joints=[machine.joints[0], joint])
    v0 = {name: 7.0 for name in joint.v_names if "angle" in name or name == "j_dot"}
    minimal, natural = runs(machine, v0=v0)
    assert max(np.ptp(minimal[name]) for name in joint.q_names) > np.pi
    for name in joint.q_names:
        assert np.allclose(natural[name], minimal[name], rtol=0, atol=5e-4), name


def test_verify_takes_natural_coordinates_for_what_they_are() -> None:
    machine = carrier({"stiffness": 2.0}, motors=[da.Motor("m", "a", ratio=5.0, rotor_inertia=1e-2)])
    report = da.verify(machine, samples=4)
    assert report.ok, str(report)
    compared = {row.quantity for row in report.rows if row.pair == ("newton-euler", "natural")}
    assert {"mass matrix", "Coriolis force C v", "bias", "acceleration", "potential energy"} <= compared
    assert any(row.quantity == "acceleration under constraints" for row in report.rows)
    thin = machine.with_(
        bodies=[replace(b, inertia=(0.0, 0.1, 0.1)) if b.name == "wheel" else b for b in machine.bodies]
    )
    told = da.verify(thin, samples=2)
    assert told.ok and told.left_out[0][0] == "natural"
    assert "left out: natural (body 'wheel' has no extent" in str(told)
