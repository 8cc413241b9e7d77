"""Spong's partition, partial feedback linearisation, energy laws, and what stands between a law and the machine."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.control.actuators import ActuatorLag, Backlash, DeadZone, NoisySensors
from dalembert.control.lqr import design_lqr
from dalembert.control.underactuated import (
    EnergyRegulation,
    PartialFeedbackLinearization,
    collocated_inertia,
    driven_response,
    partition,
)
from dalembert.plan.flat import SmoothStep
from dalembert.plan.shaping import SCurve
from dalembert.systems.cranes import (
    DesignedOn,
    hanging,
    hook_crane,
    planar_crane,
    spatial_crane,
    sway_angle,
    uniform_cable,
)


def crane(n: int, **options) -> da.Machine:
    return planar_crane(uniform_cable(n, 5.0, payload=500.0, mass=20.0), trolley=200.0, **options)


def test_response_of_the_driven_joints_is_the_schur_complement() -> None:
    """(176)-(178) against the O(n) response that the laws use."""
    import casadi as ca

    machine = crane(3, lengths="hoisted", rail_damping=7.0)
    eom = da.equations(machine, backend="vm")
    rng = np.random.default_rng(0)
    q, v = rng.uniform(-0.6, 0.6, size=(2, machine.nv))
    q[machine.q_names.index("l1")] = 1.7
    s = eom.symbolic
    b, G = (
        ca.Function("f", [s.q, s.v, s.t, s.p], [x])(q, v, 0.0, []).full()
        for x in driven_response(eom, s.t, s.q, s.v, s.p)
    )
    parts = partition(eom)
    assert parts.degree == machine.nv - 2
    M = eom.mass_matrix(q)
    M_bar = collocated_inertia(M, parts)
    assert np.allclose(np.linalg.inv(G), M_bar, rtol=1e-9)
    h = eom.bias(q, v) - eom.applied(q, v, np.zeros(2))
    a, u = list(parts.driven), list(parts.other)
    h_bar = h[a] - M[np.ix_(a, u)] @ np.linalg.solve(M[np.ix_(u, u)], h[u])
    assert np.allclose(b[:, 0], -np.linalg.solve(M_bar, h_bar), rtol=1e-9)


@pytest.mark.parametrize("make", [lambda: crane(4), lambda: crane(2, lengths="hoisted", rail_friction=30.0)])
def test_partial_feedback_linearisation_makes_the_driven_joints_follow(make) -> None:
    machine = make()
    start, end = ([0.0], [2.0]) if machine.nu == 1 else ([0.0, 2.5], [2.0, 1.5])
    law = PartialFeedbackLinearization(kp=4.0, kd=4.0, reference=SmoothStep(start, end, 3.0))
    offset = {"x": 0.1, "theta1": 0.2}
    run = da.simulate(machine, duration=5.0, q0=hanging(machine, **offset), control=law, step=1e-3)
    # e'' + 4 e' + 4 e = 0 from e(0) = 0.1: e = 0.1 (1 + 2 t) exp(-2 t), whatever the cable does
    t = run.t
    s = np.clip(t / 3.0, 0, 1)
    blend = s**5 * (126 + s * (-420 + s * (540 + s * (-315 + 70 * s))))
    assert np.allclose(run["x"] - 2.0 * blend, 0.1 * (1 + 2 * t) * np.exp(-2 * t), atol=1e-6)
    assert np.abs(run["theta1"]).max() > 0.05  # it did


def test_sway_feedback_damps_what_the_trolley_alone_does_not() -> None:
    machine = crane(1)
    eom = da.equations(machine)
    still = PartialFeedbackLinearization(kp=0.3, kd=0.66, reference=[0.0])
    damped = PartialFeedbackLinearization(kp=0.3, kd=0.66, reference=[0.0], sway_gain=1.07)
    late = []
    for law in (still, damped):
        run = da.simulate(machine, duration=20.0, q0={"theta1": 0.1}, control=law, step=5e-3)
        sway = sway_angle(eom, run.array(machine.q_names))
        late.append(sway[run.t > 15.0].max())
    assert late[0] > 0.095  # partial feedback linearisation hides the pendulum: it swings on (179)
    assert late[1] < 0.01


@pytest.mark.parametrize(
    "machine",
    [
        crane(1),
        hook_crane(lengths="fixed"),
        crane(4),
        hook_crane(),
        spatial_crane(uniform_cable(2, 5.0, payload=50.0, mass=2.0)),
    ],
    ids=["one link", "hook", "four links", "hook and winch", "spatial"],
)
@pytest.mark.parametrize("gains", [{}, {"ke": 1e-3}, {"kv": 20.0}], ids=["k1", "ke", "kv"])
def test_energy_laws_make_their_function_fall(machine: da.Machine, gains: dict) -> None:
    """W' = -v_a^T Kd v_a: the sum of W and of what Kd has eaten stays (no losses)."""
    nu = machine.nu
    start = hanging(machine, theta1=0.3, x=-0.5)
    rest = hanging(machine)
    target = np.array([rest[m.joint] for m in machine.motors])
    kp, kd = np.full(nu, 300.0), np.full(nu, 400.0)
    law = EnergyRegulation(kp=kp, kd=kd, reference=target, at=rest, **gains)
    run = da.simulate(machine, duration=4.0, q0=start, control=law, step=5e-4)
    eom = da.equations(machine)
    q, v = run.array(machine.q_names), run.array(machine.v_names)
    rows = list(partition(eom).driven)
    point = np.array([rest[name] for name in machine.q_names])
    hold = np.zeros(nu)
    if "F1" in machine.u_names:
        hold[machine.u_names.index("F1")] = eom.gravity(point)[machine.q_names.index("l1")]
    E = run["energy.kinetic"] + run["energy.potential"] - eom.energy(point, 0 * point).potential
    E = E - (q[:, rows] - point[rows]) @ hold
    assert E.min() > -1e-9
    k1, ke, kv = 1.0, gains.get("ke", 0.0), gains.get("kv", 0.0)
    e = q[:, rows] - target
    W = k1 * E + ke * E**2 / 2 + kv * np.sum(v[:, rows] ** 2, axis=1) / 2 + np.sum(kp * e**2, axis=1) / 2
    power = np.sum(kd * v[:, rows] ** 2, axis=1)
    eaten = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(run.t))])
    assert np.abs(W + eaten - W[0]).max() < 2e-4 * W[0]
    assert W[-1] < 0.9 * W[0]


def test_energy_law_needs_an_equilibrium_and_gains() -> None:
    machine = crane(1)
    with pytest.raises(da.InputError, match="does not rest"):
        da.simulate(machine, duration=0.1, control=EnergyRegulation(1.0, 1.0, [0.0], at={"theta1": 0.5}))
    with pytest.raises(da.InputError, match="k1 > 0 or kv > 0"):
        da.simulate(machine, duration=0.1, control=EnergyRegulation(1.0, 1.0, [0.0], k1=0.0))


def test_design_on_one_link_sees_the_line_to_the_payload() -> None:
    import casadi as ca

    from dalembert.systems.cranes.reduction import design_coordinates

    plant, design = da.equations(crane(4, lengths="hoisted"), backend="vm"), da.equations(crane(2, lengths="hoisted"))
    q = np.array([0.4, 0.1, 1.4, -0.2, 0.3, 0.1])
    s = plant.symbolic
    seen = ca.Function("f", [s.q], [design_coordinates(plant, design)])(q).full()[:, 0]
    points = [plant.pose(f, q)[:3, 3] for f in ("trolley", "node2", "node4")]
    chords = np.diff(points, axis=0)
    angles = np.arctan2(chords[:, 0], -chords[:, 2])
    assert np.allclose(seen, [0.4, angles[0], np.linalg.norm(chords[0]), angles[1] - angles[0]], atol=1e-12)


def test_design_on_fewer_links_of_the_same_number_is_the_law_itself() -> None:
    machine = crane(2)
    law = design_lqr(machine, Q={"x": 1.0, "theta1": 10.0, "x_dot": 1.0}, R=1e-6, reference=[1.0])
    runs = [da.simulate(machine, duration=3.0, control=c) for c in (law, DesignedOn(law, machine))]
    assert np.allclose(runs[0].x, runs[1].x, atol=1e-9)
    with pytest.raises(da.InputError, match="the design has 2 links, the crane only 1"):
        da.simulate(crane(1), duration=0.1, control=DesignedOn(law, machine))
    with pytest.raises(da.InputError, match="motors F"):
        da.simulate(crane(2, lengths="hoisted"), duration=0.1, control=DesignedOn(law, machine))


def test_actuator_lag_against_its_closed_form() -> None:
    machine = da.Machine(
        "mass",
        bodies=[da.point_mass("m", 2.0)],
        joints=[da.Joint("x", "prismatic", "world", "m", axis=(1, 0, 0))],
        motors=[da.Motor("F", "x")],
        gravity=(0.0, 0.0, 0.0),
    )
    constant = da.PD(kp=0.0, kd=0.0, reference=[0.0])

    class Push:
        def state_names(self, eom):
            return ()

        def initial_state(self, eom):
            return np.zeros(0)

        def expression(self, eom, t, q, v, z, p):
            import casadi as ca

            return ca.SX(3.0), ca.SX(0, 1)

    run = da.simulate(machine, duration=2.0, control=ActuatorLag(Push(), 0.4))
    t = run.t
    assert np.allclose(run["effort.F"], 3.0 * (1 - np.exp(-t / 0.4)), atol=1e-9)
    assert np.allclose(run["x_dot"], 1.5 * (t - 0.4 * (1 - np.exp(-t / 0.4))), atol=1e-9)
    dead = da.simulate(machine, duration=1.0, control=DeadZone(Push(), 1.0))
    assert np.allclose(dead["x"], 0.5 * dead.t**2, atol=1e-12)  # 3 N less 1 N on 2 kg
    assert np.abs(da.simulate(machine, duration=1.0, control=DeadZone(Push(), 5.0))["x"]).max() == 0.0
    assert constant.state_names(da.equations(machine)) == ()


def test_backlash_leaves_a_gap() -> None:
    machine = crane(1)
    law = da.PD(kp=800.0, kd=900.0, reference=SCurve.timed([0.0], [1.0], 3.0))
    gap = 0.02
    run = da.simulate(
        machine, duration=6.0, control=Backlash(law, gap, 2e5, 20.0, damping=500.0), step=2e-4, record=0.01
    )
    lead, force = run["motor.lead.F"], run["u.F"]
    assert np.abs(lead).max() > gap / 2  # it reaches both sides
    assert lead.min() < -gap / 2 < gap / 2 < lead.max()
    free = np.abs(lead) < gap / 2 * 0.999
    assert free.any()
    assert np.abs(force[free]).max() == 0.0
    assert (force * lead >= 0).all()  # contact pushes, it never pulls


def test_stiff_shaft_without_play_is_a_rotor() -> None:
    machine = crane(1)
    law = da.PD(kp=800.0, kd=900.0, reference=SCurve.timed([0.0], [1.0], 3.0))
    shaft = da.simulate(
        machine, duration=2.0, control=Backlash(law, 0.0, 1e6, 20.0, damping=2e3), step=1e-4, record=0.1
    )
    geared = machine.with_(motors=[da.Motor("F", "x", rotor_inertia=20.0)])
    rigid = da.simulate(geared, duration=2.0, control=law, step=1e-3, record=0.1)
    # The shaft winds up by force/stiffness, half a millimetre at most.
    assert np.abs(shaft["x"] - rigid["x"]).max() < 2 * np.abs(shaft["u.F"]).max() / 1e6
    assert np.abs(shaft["x"]).max() > 0.1


def test_noise_is_repeatable_and_of_the_given_size() -> None:
    machine = crane(1)
    eom = da.equations(machine)
    law = da.PD(kp=800.0, kd=900.0, reference=[0.5])
    runs = [
        da.simulate(machine, duration=2.0, control=NoisySensors(law, eom, 0.01, sigma, 0.0, seed=seed))
        for sigma, seed in ((0.01, 1), (0.01, 1), (0.01, 2), (0.0, 1))
    ]
    assert np.array_equal(runs[0].x, runs[1].x)
    assert not np.array_equal(runs[0].x, runs[2].x)
    samples = np.arange(0, 2.0, 0.01)
    command = np.interp(samples + 0.005, runs[0].t, runs[0]["command.F"])
    exact = 800.0 * (0.5 - np.interp(samples, runs[0].t, runs[0]["x"])) - 900.0 * np.interp(
        samples, runs[0].t, runs[0]["x_dot"]
    )
    assert np.std(command - exact) == pytest.approx(800.0 * 0.01, rel=0.2)
    assert np.abs(runs[3]["x"] - da.simulate(machine, duration=2.0, control=law)["x"]).max() < 0.02  # sampling alone


def test_noise_does_not_depend_on_an_earlier_run() -> None:
    machine = crane(1)
    law = da.PID(kp=800.0, ki=50.0, kd=900.0, reference=[0.5])
    sensors = NoisySensors(law, da.equations(machine), 0.02, 1e-3, 1e-3)
    runs = [da.simulate(machine, duration=1.0, control=sensors) for _ in range(2)]
    assert np.array_equal(runs[0].x, runs[1].x)


@pytest.mark.parametrize(
    ("wrap", "message"),
    [
        (lambda law: ActuatorLag(law, 0.0), "time_constant must be finite and > 0"),
        (lambda law: DeadZone(law, [1.0, 2.0]), "one number or 1"),
        (lambda law: Backlash(law, -0.1, 1.0, 1.0), "gap must be finite and not negative"),
        (lambda law: NoisySensors(law, da.equations(crane(1)), 0.0), "period"),
        (lambda law: NoisySensors(law, da.equations(crane(1)), 0.1, -1.0), "position_noise"),
    ],
)
def test_refusals(wrap, message: str) -> None:
    with pytest.raises(da.InputError, match=message):
        da.simulate(crane(1), duration=0.1, control=wrap(da.PD(1.0, 1.0, [0.0])))
