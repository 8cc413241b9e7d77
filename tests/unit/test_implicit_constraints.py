"""Implicit midpoint steps with loops, prescribed motion, welds, impacts and cables, against explicit runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.finite_element_models import brick_model

import dalembert as da

H = 1e-3
EXACT = da.DormandPrince8(rtol=1e-10, atol=1e-12)


def beam(**modes: int) -> da.Beam:
    section = da.Section.tube(0.02, 0.01)
    return da.Beam("boom", 1.0, section, E=7e10, G=3e10, density=2700.0, modes=modes, damping=0.02)


def shifted(name: str, body: str, x: float) -> da.Frame:
    return da.Frame(name, body, da.Transform((x, 0.0, 0.0)))


@pytest.fixture(scope="module")
def four_bar() -> da.Machine:
    """A crank of 0.2 m, a flexible coupler with modes of 200 and 8000 rad/s, and a rocker that closes the loop."""
    bodies = [da.Body("crank", 1.0, com=(0.1, 0, 0), inertia=(1e-2, 1e-2, 1e-2)), beam(x=1, z=1)]
    bodies.append(da.Body("rocker", 1.0, com=(0.25, 0, 0), inertia=(1e-2, 1e-2, 1e-2)))
    joints = [
        da.Joint("a", "revolute", "world", "crank", axis=(0, 1, 0)),
        da.Joint("b", "revolute", "crank", "boom", axis=(0, 1, 0), origin=da.Transform((0.2, 0, 0))),
        da.Joint("c", "revolute", "boom.tip", "rocker", axis=(0, 1, 0)),
    ]
    frames = [shifted("end", "rocker", 0.5), shifted("ground", "world", 0.9)]
    return da.Machine(
        "four-bar", bodies, joints, frames=frames, constraints=[da.BallConstraint("pin", "end", "ground", "xz")]
    )


STRAIGHT = {"boom.delta1": 0.0, "boom.delta2": 0.0}
START: dict[str, Any] = {
    "q0": {"a": 0.3, **STRAIGHT},
    "v0": {"a_dot": 5.0, **{f"{name}_dot": 0.0 for name in STRAIGHT}},
}


@pytest.fixture(scope="module")
def arm() -> da.Machine:
    """A boom on a hinge with a load at its tip."""
    joints = [
        da.Joint("swing", "revolute", "world", "boom", axis=(0, 1, 0)),
        da.Joint("grip", "fixed", "boom.tip", "load"),
    ]
    return da.Machine("arm", [beam(x=1, z=1), da.Body("load", 2.0, inertia=(0.01, 0.02, 0.015))], joints)


def test_a_loop_converges_with_the_square_of_the_step(four_bar: da.Machine) -> None:
    exact = da.simulate(four_bar, duration=0.1, method=EXACT, **START)
    runs = [da.simulate(four_bar, duration=0.1, method=da.ImplicitMidpoint(step=h), **START) for h in (4e-3, 2e-3)]
    error = [np.abs(run["a"][-1] - exact["a"][-1]) for run in runs]
    assert 2.5 < error[0] / error[1] < 6.0 and error[1] < 5e-5
    assert 2.5 < runs[0].energy.drift / runs[1].energy.drift < 6.0 and runs[1].energy.drift < 1e-5
    for run in runs:
        assert run["constraint.position"].max() < 1e-12 and run["constraint.velocity"].max() < 1e-12
        assert 20 * run.metadata["function_calls"] < exact.metadata["function_calls"]


def test_adaptive_steps_follow_the_tolerance(four_bar: da.Machine) -> None:
    """Errors fall with it, stiff modes do not shorten steps, and the audit books the damping of steps of any length."""
    exact = da.simulate(four_bar, duration=0.1, method=EXACT, **START)
    error, calls = [], []
    for rtol in (1e-3, 1e-5):
        method = da.AdaptiveMidpoint(rtol=rtol, atol=1e-2 * rtol, numerical_damping=0.3)
        run = da.simulate(four_bar, duration=0.1, method=method, **START)
        error.append(np.abs(run["a"][-1] - exact["a"][-1]))
        calls.append(run.metadata["function_calls"])
        assert run["constraint.position"].max() < 1e-11 and run.energy.drift < 1e-3 and run["loss.numerical"][-1] > 0.0
        assert np.diff(run.t).max() > 2 * np.diff(run.t).min()
    assert error[1] < 0.2 * error[0] and error[0] < 1e-2 and error[1] < 1e-4
    assert calls[0] < calls[1] < exact.metadata["function_calls"] / 10
    members = da.rollout(four_bar, duration=0.1, method=method, vary={"v0.a_dot": [4.0, 5.0]}, **START)
    np.testing.assert_allclose(members.final[1], run.x[-1], rtol=1e-9, atol=1e-10)  # starts are assembled to rounding


def test_a_slider_crank_of_finite_elements_keeps_energy_and_gap() -> None:
    """Explicit steps keep them to rounding, implicit ones to second order with a thirtieth of the evaluations."""
    model = brick_model((2, 1, 1), (0.3, 0.02, 0.015), E=3e9, nu=0.3, density=1200.0)
    coupler = model.body("coupler", {"root": "ROOT", "tip": "TIP"}, modes=2)
    crank = da.Body("crank", 0.3, com=(0.05, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
    joints = [
        da.Joint("a", "revolute", "world", "crank", axis="y"),
        da.Joint("b", "revolute", "crank", "coupler", axis="y", origin=da.Transform((0.1, 0, 0))),
        da.Joint("c", "prismatic", "world", "slider", axis="x"),
    ]
    pin = da.BallConstraint("pin", "coupler.tip", "slider", "xz")
    bodies = [crank, coupler, da.Body("slider", 0.2)]
    machine = da.Machine("slider-crank", bodies, joints, constraints=[pin], gravity=(0, 0, 0))
    start: dict[str, Any] = {"q0": {"a": 0.4}, "v0": {"a_dot": 10.0}, "duration": 0.02}
    start["q0"] |= dict.fromkeys(coupler.q_names, 0.0)
    start["v0"] |= dict.fromkeys(coupler.v_names, 0.0)
    exact = da.simulate(machine, method=da.DormandPrince8(rtol=1e-9, atol=1e-11), **start)
    assert exact.energy.drift < 1e-9 and exact["constraint.position"].max() < 1e-12
    runs = [da.simulate(machine, method=da.ImplicitMidpoint(step=h), **start) for h in (1e-3, 5e-4)]
    assert 2.5 < runs[0].energy.drift / runs[1].energy.drift < 8.0 and runs[1].energy.drift < 1e-5
    for run in runs:
        assert run["constraint.position"].max() < 1e-12 and abs(run["a"][-1] - exact["a"][-1]) < 1e-5
        assert 30 * run.metadata["function_calls"] < exact.metadata["function_calls"]


def test_numerical_damping_of_a_loop_is_booked(four_bar: da.Machine) -> None:
    """Rates of modes far above 2/h die out; the account has exactly the work that the audit misses without it."""
    kicked = {**START, "v0": {"a_dot": 5.0, "boom.delta1_dot": 0.05, "boom.delta2_dot": 0.0}}
    plain, damped = (
        da.simulate(four_bar, duration=0.05, method=da.ImplicitMidpoint(step=H, numerical_damping=beta), **kicked)
        for beta in (0.0, 0.3)
    )
    assert damped["loss.numerical"][-1] > 0.0 and damped.energy.drift < 1e-4
    late = slice(-10, None)
    assert np.abs(damped["boom.delta1_dot"][late]).max() < 0.2 * np.abs(plain["boom.delta1_dot"][late]).max()


def test_members_and_the_virtual_machine_take_the_same_steps(four_bar: da.Machine) -> None:
    settings = {"method": da.ImplicitMidpoint(step=H), "duration": 0.02}
    single = da.simulate(four_bar, **START, **settings)
    members = da.rollout(four_bar, q0=START["q0"], v0=START["v0"] | {"a_dot": [4.0, 5.0]}, record=H, **settings)
    np.testing.assert_allclose(members["a"][1], single["a"], atol=1e-12)
    slow = da.simulate(da.equations(four_bar, backend="vm"), **START, **settings)
    np.testing.assert_allclose(slow["a"], single["a"], atol=1e-12)


@pytest.mark.slow
def test_fmus_take_the_same_steps(four_bar: da.Machine, tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy")
    settings = {"method": da.ImplicitMidpoint(step=H), "duration": 0.02}
    single = da.simulate(four_bar, **START, **settings)
    path = da.export_fmu(four_bar, tmp_path / "bar.fmu", method=settings["method"], **START)
    table = fmpy.simulate_fmu(str(path), stop_time=0.02, output_interval=H)
    np.testing.assert_allclose(table["a"], single["a"], atol=1e-12)


def test_formulations_take_the_same_steps_with_constraints(four_bar: da.Machine) -> None:
    method = da.ImplicitMidpoint(step=H, tolerance=1e-13)
    runs = [
        da.simulate(da.equations(four_bar, by=by, backend="vm"), duration=5e-3, method=method, **START)
        for by in ("newton-euler", "lagrange")
    ]
    np.testing.assert_allclose(runs[0].x[:, : four_bar.nq], runs[1].x[:, : four_bar.nq], atol=1e-10)


def test_prescribed_motion_does_its_work(arm: da.Machine) -> None:
    """The drive's work is in the audit, which falls with the square of the step; the boom follows the explicit run."""
    shaken = arm.with_(constraints=[da.MotionConstraint("drive", joint="swing", value=0.5 * da.sin(4.0 * da.TIME))])
    exact = da.simulate(shaken, duration=0.1, method=EXACT)
    runs = [da.simulate(shaken, duration=0.1, method=da.ImplicitMidpoint(step=h)) for h in (2e-3, 1e-3)]
    error = [np.abs(run["boom.delta2"][-1] - exact["boom.delta2"][-1]) for run in runs]
    assert 2.5 < error[0] / error[1] < 6.0
    work = [np.abs(run["work.input"][-1] - exact["work.input"][-1]) for run in runs]
    assert 2.5 < work[0] / work[1] < 6.0 and work[1] < 3e-3 * np.abs(exact["work.input"]).max()
    assert runs[1]["swing"][-1] == pytest.approx(0.5 * np.sin(0.4), abs=1e-12)
    assert 2.5 < runs[0].energy.drift / runs[1].energy.drift < 6.0


def test_welds_impacts_and_cables_by_events(arm: da.Machine) -> None:
    """What acts from an event on is located and settled as in explicit runs."""
    floor = da.Contact("floor", "load", da.Sphere(0.1), surface=da.HalfSpace((0, 0, 1), (0, 0, -0.2)), restitution=0.5)
    cable = da.Cable("cable", "load", length=0.85, exit_at=(0.5, 0.0, 0.5))
    weld = da.WeldConstraint("grip", "load", "puck", switchable=True, active=False)
    puck = da.Body("puck", 1.0, inertia=(0.01, 0.01, 0.01))
    free = da.Joint("free", "free", "world", "puck")
    grab = arm.with_(bodies=[*arm.bodies, puck], joints=[*arm.joints, free], constraints=[weld])
    cases: list[tuple[da.Machine, str, dict[str, Any]]] = [
        (arm.with_(contacts=[floor]), "floor.impact", {"duration": 0.14}),
        (arm.with_(cables=[cable]), "cable.taut", {"duration": 0.2}),
        (grab, "switch0", {"duration": 0.06, "v0": {"swing_dot": 1.0}, "switches": [da.Switch(at=0.02, on="grip")]}),
    ]
    for machine, event, settings in cases:
        exact = da.simulate(machine, method=EXACT, **settings)
        runs = [da.simulate(machine, method=da.ImplicitMidpoint(step=h), **settings) for h in (2e-4, 5e-5)]
        assert all(run.events[0].name == event and len(run.events) == len(exact.events) for run in runs)
        assert runs[0].events[0].t == pytest.approx(exact.events[0].t, abs=1e-8)
        error = [np.abs(run["swing"][-1] - exact["swing"][-1]) for run in runs]
        assert error[0] > 8 * error[1] and error[0] < 3e-4
        assert runs[0].energy.drift > 8 * runs[1].energy.drift and runs[0].energy.drift < 3e-4
