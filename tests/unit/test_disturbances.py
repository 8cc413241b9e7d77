"""The disturbances and neglected dynamics of CRANE 1.3, stacked in the order of the machine, and all in one run."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.control.actuators import ActuatorLag, Backlash, DeadZone, NoisySensors
from dalembert.control.lqr import design_lqr
from dalembert.plan.flat import SmoothStep
from dalembert.plan.shaping import SCurve
from dalembert.systems.cranes import (
    DesignedOn,
    PayloadTransport,
    hanging,
    planar_crane,
    spatial_crane,
    sway_angle,
    uniform_cable,
)


def mass() -> da.Machine:
    return da.Machine(
        "mass",
        bodies=[da.point_mass("m", 2.0)],
        joints=[da.Joint("x", "prismatic", "world", "m", axis=(1, 0, 0))],
        motors=[da.Motor("F", "x")],
        gravity=(0.0, 0.0, 0.0),
    )


def test_lag_behind_a_sampled_controller() -> None:
    """Its commands are steps at the samples; the effort follows each of them exponentially."""
    steps = [3.0, -1.0, 2.0]
    controller = da.SampledController(lambda t, q, v: [steps[round(t / 0.5)]], period=0.5)
    T = 0.2
    run = da.simulate(mass(), duration=1.5, control=ActuatorLag(controller, T), step=1e-3)
    expected, effort = np.zeros_like(run.t), 0.0
    for k, command in enumerate(steps):
        now = (run.t >= 0.5 * k) & (run.t <= 0.5 * (k + 1) + 1e-12)
        expected[now] = command + (effort - command) * np.exp(-(run.t[now] - 0.5 * k) / T)
        effort = command + (effort - command) * np.exp(-0.5 / T)
    assert np.allclose(run["effort.F"], expected, atol=1e-9)
    assert np.allclose(run["u.F"], run["effort.F"])
    assert set(np.unique(run["command.F"])) == set(steps)


@pytest.mark.parametrize(
    "wrap",
    [
        pytest.param(lambda law: ActuatorLag(law, 0.05), marks=pytest.mark.slow),
        lambda law: DeadZone(law, 20.0),
        lambda law: Backlash(law, 0.01, 1e5, 20.0, damping=500.0),
        lambda law: Backlash(ActuatorLag(DeadZone(law, 20.0), 0.05), 0.01, 1e5, 20.0, damping=500.0),
    ],
    ids=["lag", "dead zone", "backlash", "all"],
)
def test_quick_and_quiet_sensors_are_no_disturbance(wrap) -> None:
    crane = planar_crane(uniform_cable(2, 5.0, payload=100.0, mass=5.0), trolley=50.0)
    law = da.PD(kp=400.0, kd=400.0, reference=SCurve.timed([0.0], [1.0], 3.0))
    eom = da.equations(crane)
    direct = da.simulate(eom, duration=3.0, control=wrap(law), step=5e-4, record=0.05)
    errors = []
    for period in (4e-3, 2e-3):
        sampled = da.simulate(eom, duration=3.0, control=wrap(NoisySensors(law, eom, period)), step=5e-4, record=0.05)
        assert sampled.state_names == direct.state_names
        errors.append(np.abs(sampled["x"] - direct["x"]).max())
    assert errors[1] < 0.7 * errors[0] < 0.01  # what is left is the sampling, of first order in the period


def test_all_disturbances_in_one_run() -> None:
    """Rail friction, backlash, actuator lag, dead zone, noise, uncertain length, and a payload that is set down."""
    load, length = da.Parameter("load", 500.0), da.Parameter("length", 5.0)
    cable = uniform_cable(5, length, payload=load, mass=20.0)
    crane = planar_crane(cable, trolley=200.0, rail_friction=60.0, rail_damping=20.0)
    one = planar_crane(uniform_cable(1, 5.0, payload=500.0), trolley=200.0)
    reference = PayloadTransport(one, SmoothStep([0.0], [5.0], 8.0))
    law = DesignedOn(design_lqr(one, Q={"x": 1.0, "theta1": 100.0, "x_dot": 1.0}, R=1e-6, reference=reference), one)
    eom = da.equations(crane)

    def disturbed(seed: int) -> Backlash:
        sensors = NoisySensors(law, eom, 0.01, [1e-3] + [1e-4] * 5, [5e-3] + [1e-3] * 5, seed=seed)
        return Backlash(ActuatorLag(DeadZone(sensors, 5.0), 0.05), 0.005, 2e5, 20.0, damping=500.0)

    truth = {"load": 400.0, "length": 5.3}
    options = {"step": 5e-4, "record": 0.02}
    smooth = planar_crane(uniform_cable(5, 5.0, payload=500.0, mass=20.0), trolley=200.0)
    clean = da.simulate(smooth, duration=10.0, control=law, **options)
    control = disturbed(seed=1)
    loaded = da.simulate(eom, duration=10.0, control=control, p=truth, **options)
    empty = da.simulate(eom, duration=6.0, control=control, start=loaded, p=truth | {"load": 80.0}, **options)
    assert loaded.status == empty.status == "completed"
    assert empty.t[-1] == pytest.approx(16.0)
    assert np.array_equal(empty.x[0], loaded.x[-1])
    for run, p in ((loaded, truth), (empty, truth | {"load": 80.0})):
        assert np.isfinite(run.x).all()
        assert run.energy.drift < 1e-7  # the audit closes: work of the motors, losses at the rail
        assert np.degrees(sway_angle(eom, run.array(crane.q_names), p=p)[-50:]).max() < 0.5
    assert loaded.energy.work_loss[-1] < -100.0
    assert abs(loaded["motor.lead.F"]).max() > 0.0025  # through the gap
    assert 0.01 < np.abs(loaded["x"][-1] - 5.0) < 0.3  # friction holds the trolley before its place
    assert np.abs(clean["x"][-1] - 5.0) < 0.01
    again = da.simulate(eom, duration=10.0, control=disturbed(seed=1), p=truth, **options)
    other = da.simulate(eom, duration=10.0, control=disturbed(seed=2), p=truth, **options)
    assert np.array_equal(again.x, loaded.x)
    assert not np.array_equal(other.x, loaded.x)


def test_disturbances_of_three_motors() -> None:
    """Bridge, trolley and winch; the winch's lag starts with the weight that it holds."""
    friction, dead = 4.0, 2.0
    cable = uniform_cable(2, 5.0, payload=50.0, mass=4.0)
    crane = spatial_crane(cable, trolley=60.0, bridge=200.0, lengths="hoisted", rail_friction=friction)
    rest = hanging(crane)
    Q = {"x": 1.0, "y": 1.0, "l1": 10.0, "theta1": 10.0, "phi1": 10.0, "x_dot": 1.0, "y_dot": 1.0}
    move = SmoothStep([0.0, 0.0, rest["l1"]], [1.0, 2.0, rest["l1"] - 0.3], 8.0)
    law = design_lqr(crane, rest, Q=Q, R=1e-5, reference=move)
    eom = da.equations(crane)
    weight = -9.81 * (50.0 + 4.0 * 0.75)
    sensors = NoisySensors(law, eom, 0.01, 1e-4, 1e-3)
    control = ActuatorLag(DeadZone(sensors, [dead, dead, 0.0]), 0.05, initial=[0.0, 0.0, weight])
    run = da.simulate(eom, duration=15.0, q0=rest, control=control, step=1e-3, record=0.02)
    assert run["u.F1"][0] == pytest.approx(weight)
    assert np.abs(run.array(["y", "x", "l1"])[-1] - [1.0, 2.0, rest["l1"] - 0.3]).max() < 0.1
    # Rails that stick do not damp: what the payload pulls at an angle below this stays within friction and dead zone.
    stuck = np.hypot(1, 1) * (friction + dead) / abs(weight)
    assert sway_angle(eom, run.array(crane.q_names))[-50:].max() < stuck
    assert run.energy.drift < 1e-7


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda law, eom: NoisySensors(ActuatorLag(law, 0.1), eom, 0.01), r"write ActuatorLag\(NoisySensors"),
        (lambda law, eom: NoisySensors([1.0], eom, 0.01), r"NoisySensors needs a law, got \[1.0\]"),
        (lambda law, eom: ActuatorLag([1.0], 0.1), r"ActuatorLag needs a law or a controller .* got \[1.0\]"),
        (lambda law, eom: DeadZone(lambda t, q, v: [0.0], 0.1), "DeadZone needs a law or a controller with a period"),
        (lambda law, eom: ActuatorLag(law, 0.1, initial=[1.0, 2.0]), r"initial must be one number or 1 .* got \[1"),
        (lambda law, eom: ActuatorLag(law, "slow"), "time_constant must be one number or 1 .* got 'slow'"),
        (lambda law, eom: Backlash(law, 0.1, 0.0, 1.0), "stiffness must be finite and > 0"),
    ],
)
def test_refusals(make, message: str) -> None:
    machine = mass()
    eom = da.equations(machine)
    with pytest.raises(da.InputError, match=message):
        da.simulate(machine, duration=0.1, control=make(da.PD(1.0, 1.0, [0.0]), eom))
