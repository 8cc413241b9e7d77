"""Control laws: error dynamics known in closed form, anti-windup, saturation, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da


def arm(effort: float = float("inf"), ratio: float = 3.0) -> da.Machine:
    return da.Machine(
        "arm",
        bodies=[
            da.cylinder("upper", 4.0, 0.05, 0.6, axis="x", com=(0.3, 0, 0)),
            da.cylinder("lower", 2.0, 0.04, 0.5, axis="x", com=(0.25, 0, 0)),
        ],
        joints=[
            da.Joint("shoulder", "revolute", "world", "upper", axis=(0, 1, 0), damping=0.4),
            da.Joint("elbow", "revolute", "upper", "lower", axis=(0, 1, 0), origin=da.Transform((0.6, 0, 0))),
        ],
        motors=[
            da.Motor("m1", "shoulder", ratio=ratio, rotor_inertia=2e-3, damping=1e-2, effort=effort),
            da.Motor("m2", "elbow", ratio=-2.0, effort=effort),
        ],
    )


def test_computed_torque_makes_the_error_linear() -> None:
    """The error obeys e'' + kd e' + kp e = 0, whatever the arm does (critically damped: closed form)."""
    reference = da.Quintic([0.2, -0.3], [1.2, 0.8], 1.0)
    law = da.ComputedTorque(25.0, 10.0, reference)
    run = da.simulate(arm(), duration=2.0, q0=[0.5, -0.3], control=law, method="dopri5", rtol=1e-11, atol=1e-12)
    s = np.clip(run.t / 1.0, 0, 1)
    r = 0.2 + (s**3 * (10 - 15 * s + 6 * s**2)) * 1.0
    e = r - run["shoulder"]
    assert np.abs(e - (-0.3) * (1 + 5 * run.t) * np.exp(-5 * run.t)).max() < 1e-8
    assert run.energy.drift < 1e-9


def test_pd_with_gravity_rests_at_its_reference_and_without_it_sags() -> None:
    settings = {"duration": 12.0, "q0": [0.3, 0.2], "record": 0.5}
    exact = da.simulate(arm(), control=da.PD([200, 120], [40, 25], [0.4, -0.6], gravity=True), **settings)  # type: ignore[arg-type]
    sag = da.simulate(arm(), control=da.PD([200, 120], [40, 25], [0.4, -0.6]), **settings)  # type: ignore[arg-type]
    assert np.abs(exact.array(["shoulder", "elbow"])[-1] - [0.4, -0.6]).max() < 1e-6
    q = sag.array(["shoulder", "elbow"])[-1]
    # At rest the springs kp (r - q) carry gravity.
    g = da.equations(arm()).gravity(q)
    assert np.allclose(np.array([200, 120]) * (np.array([0.4, -0.6]) - q), g, atol=1e-5)


def test_gravity_compensation_holds_any_configuration() -> None:
    run = da.simulate(arm(), duration=3.0, q0=[0.7, -1.1], control=da.GravityCompensation())
    assert np.abs(run.array(["shoulder", "elbow"]) - [0.7, -1.1]).max() < 1e-9


def test_pid_removes_the_sag() -> None:
    law = da.PID(200.0, 150.0, 40.0, [0.4, -0.6])
    run = da.simulate(arm(), duration=30.0, q0=[0.4, -0.6], control=law, step=2e-3, record=1.0)
    assert np.abs(run.array(["shoulder", "elbow"])[-1] - [0.4, -0.6]).max() < 1e-5
    assert set(law.state_names(da.equations(arm()))) <= set(run.names)


def test_anti_windup_shortens_the_overshoot() -> None:
    slider = da.Machine(
        "slider",
        bodies=[da.point_mass("mass", 1.0)],
        joints=[da.Joint("x", "prismatic", "world", "mass", axis=(1, 0, 0), damping=0.5)],
        motors=[da.Motor("drive", "x", effort=1.0)],
    )
    peak = {}
    for tracking in (0.1, None):
        law = da.PID(8.0, 6.0, 5.0, [3.0], tracking_time=tracking)
        run = da.simulate(slider, duration=30.0, control=law, step=5e-3)
        assert np.abs(run["u.drive"]).max() == 1.0
        peak[tracking] = run["x"].max() - 3.0
        if tracking:  # without anti-windup this loop never settles
            assert abs(run["x"][-1] - 3.0) < 1e-3
    assert peak[0.1] < 0.5 * peak[None]


def test_integrators_let_go_by_what_the_joint_lacks() -> None:
    """z' = e + (sat(u) - u) n / (ki Tt), term by term, with gears of 3 and -2 and a motor that saturates."""
    import casadi as ca

    machine = arm().with_(motors=[replace(m, effort=limit) for m, limit in zip(arm().motors, (4.0, 1.5), strict=True)])
    eom = da.equations(machine, backend="vm")
    n, limits = np.array([m.ratio for m in machine.motors], dtype=float), np.array([4.0, 1.5])
    assert n.tolist() == [3.0, -2.0]
    kp, ki, kd, T = np.array([40.0, 20.0]), np.array([7.0, 3.0]), np.array([2.0, 1.0]), 0.23
    law = da.PID(kp, ki, kd, [0.9, -0.7], tracking_time=T)
    q, v, z = np.array([0.1, 0.2]), np.array([0.3, -0.5]), np.array([0.4, -0.6])
    t = ca.SX.sym("t")
    outputs = law.expression(eom, t, ca.SX(q), ca.SX(v), ca.SX(z), ca.SX(0, 1))
    u, rates = (np.array(x).ravel() for x in ca.Function("law", [t], list(outputs))(0.0))
    e = np.array([0.9, -0.7]) - q
    wanted = (kp * e + ki * z - kd * v) / n
    assert (np.abs(wanted) > limits).all()
    np.testing.assert_allclose(u, wanted, rtol=1e-13)
    lack = np.clip(wanted, -limits, limits) - wanted
    np.testing.assert_allclose(rates, e + lack * n / (ki * T), rtol=1e-12)


def test_sampled_python_law_approaches_the_compiled_one() -> None:
    compiled = da.simulate(arm(), duration=1.0, q0=[0.1, 0.1], control=da.PD(50.0, 10.0, [0.5, 0.2]), record=0.1)
    errors = []
    for period in (4e-3, 1e-3):

        def law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
            return (50.0 * (np.array([0.5, 0.2]) - q) - 10.0 * v) / np.array([3.0, -2.0])

        run = da.simulate(arm(), duration=1.0, q0=[0.1, 0.1], control=da.SampledController(law, period), record=0.1)
        errors.append(np.abs(run.x[-1, :2] - compiled.x[-1, :2]).max())
    assert errors[1] < 0.4 * errors[0] < 0.02


def test_quintic_rests_at_both_ends() -> None:
    import casadi as ca

    t = ca.SX.sym("t")
    r = da.Quintic([1.0], [3.0], 2.0, delay=0.5)(t)
    f = ca.Function("f", [t], [r, ca.jacobian(r, t), ca.jacobian(ca.jacobian(r, t), t)])
    for when, expected in ((0.0, 1.0), (0.5, 1.0), (1.5, 2.0), (2.5, 3.0), (9.0, 3.0)):
        x, v, a = (float(y) for y in f(when))
        assert x == pytest.approx(expected, abs=1e-14)
        if when != 1.5:
            assert abs(v) < 1e-12 and abs(a) < 1e-12


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (da.PD([1, 2, 3], 1.0, [0, 0]), "kp must be one number or 2 numbers"),
        (da.PD(-1.0, 1.0, [0, 0]), "kp must be finite and not negative"),
        (da.PD(1.0, 1.0, [0, 0, 0]), "reference must have 2 components"),
        (da.PD(1.0, 1.0, "up"), "reference must be 2 numbers or a function of time"),
        (da.PID(1.0, 1.0, 1.0, [0, 0], tracking_time=-1.0), "tracking_time"),
        ([1.0], "constant inputs must be 2 finite numbers"),
        (lambda t, q, v: [0, 0], "needs a 'period'"),
        ("full speed", "control must be a law"),
    ],
)
def test_wrong_laws_are_refused(law: object, message: str) -> None:
    with pytest.raises(da.InputError, match=message):
        da.simulate(arm(), duration=0.1, control=law)


def test_computed_torque_needs_motors_everywhere() -> None:
    machine = arm().with_(motors=arm().motors[:1])
    with pytest.raises(da.InputError, match="there is none at elbow_dot"):
        da.simulate(machine, duration=0.1, control=da.ComputedTorque(1.0, 1.0, [0.0]))


def test_machine_without_motors_cannot_be_controlled() -> None:
    with pytest.raises(da.InputError, match="no motors"):
        da.simulate(arm().with_(motors=()), duration=0.1, control=[0.0])


def test_a_changed_array_is_seen_by_the_next_run() -> None:
    """Closed loops are kept between runs; what can change must not be."""
    machine, u, gains = arm(), np.zeros(2), np.array([50.0, 50.0])
    first = da.simulate(machine, duration=0.2, control=u)
    u[:] = 1.0
    second = da.simulate(machine, duration=0.2, control=u)
    assert np.abs(first.x[-1] - second.x[-1]).max() > 1e-3
    law = da.PD(gains, 1.0, [0.5, 0.5])
    before = da.simulate(machine, duration=0.2, control=law)
    gains[:] = 0.0
    assert np.array_equal(before.x, da.simulate(machine, duration=0.2, control=law).x)
    after = da.simulate(machine, duration=0.2, control=da.PD(gains, 1.0, [0.5, 0.5]))
    assert not np.allclose(before.x[-1], after.x[-1])


def test_gains_and_references_by_the_name_of_the_motor() -> None:
    machine = arm()
    first, second = machine.u_names
    reach = da.Quintic([0.0], [0.4], duration=0.3)
    by_name = da.PD({second: 30.0, first: 50.0}, {first: 2.0, second: 1.0}, {second: 0.2, first: reach})
    in_order = da.PD([50.0, 30.0], [2.0, 1.0], lambda t: [reach(t), 0.2])
    runs = [da.simulate(machine, duration=0.4, control=law) for law in (by_name, in_order)]
    assert np.array_equal(runs[0].x, runs[1].x)
    assert hash(by_name) == hash(
        da.PD({second: 30.0, first: 50.0}, {first: 2.0, second: 1.0}, {second: 0.2, first: reach})
    )


def test_names_of_motors_are_checked() -> None:
    machine = arm()
    first, second = machine.u_names
    with pytest.raises(da.UnknownNameError, match="elbwo"):
        da.simulate(machine, duration=0.1, control=da.PD({first: 1.0, second: 1.0, "elbwo": 1.0}, 1.0, [0.0, 0.0]))
    with pytest.raises(da.InputError, match=f"none for {second}"):
        da.simulate(machine, duration=0.1, control=da.PD(1.0, 1.0, {first: 0.0}))
