"""Implicit midpoint steps: closed forms of linear vibrations, order, energy and its accounts, and where they run."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da

H = 1e-3


def mass_on_spring(omega: float, damping: float = 0.0) -> da.Machine:
    joint = da.Joint("x", "prismatic", "world", "m", axis=(1, 0, 0), stiffness=omega**2, damping=damping)
    return da.Machine("spring", [da.Body("m", 1.0)], [joint], gravity=(0, 0, 0))


@pytest.fixture(scope="module")
def arm() -> da.Machine:
    """A boom with modes from 100 to 8000 rad/s, a damped ball joint and a load."""
    section = da.Section.tube(0.02, 0.01)
    modes = {"x": 1, "y": 2, "z": 2, "torsion": 1}
    boom = da.Beam("boom", 1.0, section, E=7e10, G=3e10, density=2700.0, modes=modes)
    load = da.Body("load", 2.0, inertia=(0.01, 0.02, 0.015), com=(0.1, 0, 0))
    joints = [
        da.Joint("swing", "revolute", "world", "boom", axis=(0, 1, 0)),
        da.Joint("wrist", "spherical", "boom.tip", "load", damping=0.1),
    ]
    return da.Machine("arm", [boom, load], joints, motors=[da.Motor("motor", "swing")])


START = {"duration": 0.1, "v0": {"swing_dot": 2.0}}


@pytest.mark.parametrize("omega", [10.0, 3e4])
def test_a_linear_vibration_is_the_closed_form(omega: float) -> None:
    """A step turns the state by ``2 atan(h w / 2)`` and keeps its energy, however long it is."""
    run = da.simulate(mass_on_spring(omega), duration=0.2, q0={"x": 0.01}, method=da.ImplicitMidpoint(step=H))
    turn = 2 * np.arctan(H * omega / 2) * np.arange(len(run.t))
    np.testing.assert_allclose(run["x"], 0.01 * np.cos(turn), atol=1e-10)
    np.testing.assert_allclose(run["x_dot"], -0.01 * omega * np.sin(turn), atol=1e-10 * omega)
    assert run.energy.drift < 1e-10
    assert run.metadata["function_calls"] <= 3 * run.metadata["steps"]  # the enlarged mass matrix is the exact Jacobian


def test_damping_is_part_of_the_enlarged_matrix() -> None:
    """An overdamped joint (time constant 1e-6 s) is at rest after a step of 1 ms, without more iterations."""
    run = da.simulate(mass_on_spring(10.0, 1e6), duration=0.05, q0={"x": 0.01}, method=da.ImplicitMidpoint(step=H))
    assert run["x"][-1] == pytest.approx(0.01 * np.exp(-0.05 * 1e-4), abs=1e-9)
    assert run.metadata["function_calls"] <= 3 * run.metadata["steps"]


def test_errors_and_energy_fall_with_the_square_of_the_step() -> None:
    """Of a machine whose modes the steps resolve."""
    section = da.Section.tube(0.02, 0.01)
    boom = da.Beam("boom", 1.0, section, E=1e8, density=2700.0, modes={"z": 1})
    load = da.Body("load", 0.5, inertia=(0.01, 0.02, 0.015), com=(0.1, 0.02, 0))
    joints = [
        da.Joint("swing", "revolute", "world", "boom", axis=(0, 1, 0)),
        da.Joint("wrist", "spherical", "boom.tip", "load"),
    ]
    soft = da.Machine("soft arm", [boom, load], joints)
    start = {"duration": 0.2, "v0": {"swing_dot": 1.0, "wrist.wx": 3.0}}
    exact = da.simulate(soft, method=da.DormandPrince8(rtol=1e-12, atol=1e-13), **start)
    runs = [da.simulate(soft, method=da.ImplicitMidpoint(step=h, tolerance=1e-13), **start) for h in (2e-3, 1e-3)]
    error = [np.abs(run.x[-1, : soft.nq] - exact.x[-1, : soft.nq]).max() for run in runs]
    assert np.log2(error[0] / error[1]) == pytest.approx(2.0, abs=0.2)
    assert np.log2(runs[0].energy.drift / runs[1].energy.drift) == pytest.approx(2.0, abs=0.4)


def test_formulations_take_the_same_steps(arm: da.Machine) -> None:
    """The O(n) elimination with enlarged pivots, and the dense matrix of Lagrange's equations."""
    method = da.ImplicitMidpoint(step=H, tolerance=1e-13)
    small = arm.with_(
        bodies=[da.Beam("boom", 1.0, da.Section.tube(0.02, 0.01), E=7e10, density=2700.0, modes={"z": 2})]
        + list(arm.bodies[1:])
    )
    runs = [
        da.simulate(da.equations(small, by=by, backend="vm"), duration=0.01, v0={"swing_dot": 2.0}, method=method)
        for by in ("newton-euler", "lagrange")
    ]
    np.testing.assert_allclose(runs[0].x, runs[1].x, atol=1e-11)


def test_numerical_damping_has_an_account(arm: da.Machine) -> None:
    """It takes energy of modes that the step does not resolve, and what it takes is booked."""
    kicked = {"duration": 0.05, "v0": {"swing_dot": 2.0, "boom.delta1_dot": 0.5}}  # traction, 8000 rad/s
    plain = da.simulate(arm, method=da.ImplicitMidpoint(step=H), **kicked)
    damped = da.simulate(arm, method=da.ImplicitMidpoint(step=H, numerical_damping=0.3), **kicked)
    lost = damped["loss.numerical"]
    assert lost[-1] > 0.1 and np.all(np.diff(lost) >= 0.0)
    assert damped.energy.drift < 1e-6
    joint = damped["work.loss"] + lost  # what remains are the losses of the wrist
    assert joint[-1] <= 0.0
    late = slice(-10, None)
    assert np.abs(damped["boom.delta1_dot"][late]).max() < 0.1 * np.abs(plain["boom.delta1_dot"][late]).max()
    assert "loss.numerical" not in plain.names


def test_events_and_sampled_laws(arm: da.Machine) -> None:
    law = da.SampledController(lambda t, q, v: [-5.0 * q[0]], period=0.01)
    event = da.Event("there", "swing - 0.05", terminal=True)
    run = da.simulate(arm, method=da.ImplicitMidpoint(step=H), control=law, events=[event], **START)
    assert run.status == "stopped" and abs(run["swing"][-1] - 0.05) < 1e-9
    assert run.energy.drift < 1e-5


def test_what_is_not_supported_is_refused_by_name(arm: da.Machine) -> None:
    method = da.ImplicitMidpoint(step=H)
    with pytest.raises(da.InputError, match=r"a stepper runs the methods .*, midpoint.*, not 'adaptive-midpoint'"):
        da.stepper(arm, method=da.AdaptiveMidpoint(), period=0.01)
    pinned = arm.with_(constraints=[da.BallConstraint("pin", "load", "world")])
    with pytest.raises(da.InputError, match="'midpoint' keeps constraints by 'projection', not by 'baumgarte'"):
        da.simulate(pinned, duration=0.01, method=method, control=[0.0], constraints="baumgarte")
    with pytest.raises(da.InputError, match="numerical_damping must be between 0 and 1, got 2"):
        da.ImplicitMidpoint(numerical_damping=2.0)
    with pytest.raises(
        da.InputError, match="numerical_damping is for midpoint, adaptive-midpoint; method 'rk4' has none"
    ):
        da.simulate(arm, duration=0.01, method={"name": "rk4", "numerical_damping": 0.1}, control=[0.0])


def test_a_step_that_does_not_converge_fails() -> None:
    """Stiff forces that are neither modes nor springs limit the step."""
    machine = mass_on_spring(1.0).with_(motors=[da.Motor("motor", "x")])
    law = da.PD(1e9, 0.0, [0.0])
    with pytest.raises(da.SimulationError, match=r"iteration of the step of 0\.001 s from t = 0 s did not converge"):
        da.simulate(machine, duration=0.01, q0={"x": 0.1}, method=da.ImplicitMidpoint(step=H), control=law)
    members = da.rollout(machine, duration=0.01, q0={"x": [0.1, 0.0]}, method=da.ImplicitMidpoint(step=H), control=law)
    assert members.status.tolist() == ["diverged", "completed"]
    assert "the iteration of the step from t = 0 s did not converge" in members.message(0)
