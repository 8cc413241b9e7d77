"""Control moment gyros: their momentum, the closed form of a small turn, and a slew through singular gimbal angles."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm
from tests.support.chasers import FLIGHTS, RATE, hulk, seven_joints

import dalembert as da
from dalembert import control
from dalembert.control.gyro_steering import gyro_capacity, gyro_torques
from dalembert.systems import space_robots

INERTIA, SPIN, MOMENTUM = (100.0, 120.0, 90.0), 0.1, 20.0
STARTED = {f"g{k}.rotor_dot": MOMENTUM / SPIN for k in range(4)}


@pytest.fixture(scope="module")
def pyramid() -> da.EquationsOfMotion:
    """Four gyros in a pyramid with faces of 54.74 degrees."""
    hub = da.Body("hub", 300.0, inertia=INERTIA)
    craft = da.Machine("craft", [hub], [da.Joint("hub", "free", "world", "hub")], gravity=(0, 0, 0))
    c, s = np.cos(np.radians(54.74)), np.sin(np.radians(54.74))
    axes = ((s, 0, c), (0, s, c), (-s, 0, c), (0, -s, c))
    spins = ((0, 1, 0), (-1, 0, 0), (0, -1, 0), (1, 0, 0))
    gyros = [
        da.ControlMomentGyro(f"g{k}", "hub", axes[k], spins[k], SPIN, MOMENTUM, gimbal_inertia=0.2) for k in range(4)
    ]
    return da.equations(craft.with_parts(*gyros), backend="vm")


def test_momentum_and_its_jacobian(pyramid: da.EquationsOfMotion) -> None:
    """Momentum of the machine with spinning rotors and a base at rest, and its differences by the gimbal angles."""
    assert control.base_gyros(pyramid.machine, "hub") == ("g0", "g1", "g2", "g3")
    rng, s = np.random.default_rng(4), pyramid.symbolic
    f = ca.Function("f", [s.q, s.v], list(control.gyro_momentum(pyramid, s.q, s.v)))
    q, v = pyramid.q_neutral.copy(), np.zeros(pyramid.nv)
    at = [pyramid.q_names.index(f"g{k}.gimbal") for k in range(4)]
    q[at] = rng.uniform(-3.0, 3.0, 4)
    v[[pyramid.v_names.index(f"g{k}.rotor_dot") for k in range(4)]] = rng.uniform(100.0, 300.0, 4)
    h, A = (np.array(x) for x in f(q, v))
    assert np.allclose(h[:, 0], pyramid.momentum(q, v)[3:], atol=1e-12)
    for k in range(4):
        high, low = (pyramid.momentum(q + d * np.eye(len(q))[at[k]], v)[3:] for d in (1e-5, -1e-5))
        assert np.allclose(A[:, k], (high - low) / 2e-5, atol=1e-7)


def test_a_small_turn_is_the_closed_form(pyramid: da.EquationsOfMotion) -> None:
    """With fast gimbals a small turn about each axis is that of the PD on its inertia, I e'' + kd e' + kp e = 0."""
    a, kp, kd = 0.02, 30.0, 100.0
    turn = np.array([0.5, -0.6, 0.4]) * a
    reference = [0.0, 0.0, 0.0, np.cos(0.5 * np.linalg.norm(turn))]
    reference += list(np.sin(0.5 * np.linalg.norm(turn)) * turn / np.linalg.norm(turn))
    law = control.GyroPD([kp] * 3, [kd] * 3, reference, follow=200.0)
    run = da.simulate(pyramid, duration=4.0, v0=STARTED, control=law, step=2e-3, record=1.0)
    # rotors and gimbals turn with the base: inertia about an axis of the base by its mass matrix
    M = pyramid.mass_matrix(pyramid.q_neutral)[3:6, 3:6]
    for k, x in enumerate("xyz"):
        A = np.array([[0.0, 1.0], [-kp / M[k, k], -kd / M[k, k]]])
        expected = [turn[k] * (1.0 - (expm(t * A) @ [1.0, 0.0])[0]) for t in run.t]
        assert np.allclose(2.0 * run[f"hub.q{x}"], expected, atol=0.02 * a)


def test_steering_leads_around_singular_angles(pyramid: da.EquationsOfMotion) -> None:
    """A turn about x needs more momentum than the inner singular surface has, 1.15 h: it is passed, momentum is kept.

    The pseudo-inverse runs into the singular angles (-90, 0, 90, 0 degrees), where it gives no torque about x.
    """

    def reference(t: ca.SX) -> ca.SX:
        s = ca.fmin(t / 16.0, 1.0)
        half = 1.5 * s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
        return ca.vertcat(0, 0, 0, ca.cos(half), ca.sin(half), 0, 0)

    worst = {}
    for avoid in (0.01, 0.0):
        law = control.GyroPD([60.0] * 3, [200.0] * 3, reference, rate=2.0, avoid=avoid)
        run = da.simulate(pyramid, duration=26.0, v0=STARTED, control=law, step=5e-3, record=0.25)
        wanted = np.array([ca.DM(reference(t)).full()[3:, 0] for t in run.t])
        Q = run.array(["hub.qw", "hub.qx", "hub.qy", "hub.qz"])
        error = 2.0 * np.arccos(np.clip(np.abs(np.sum(wanted * Q, axis=1)), 0.0, 1.0))
        worst[avoid] = error.max()
        if avoid:
            assert error[-1] < 0.01 and np.abs(run["hub.wx"]).max() > 1.5 * MOMENTUM / INERTIA[0]
            assert np.abs(run.array([f"g{k}.gimbal_dot" for k in range(4)])).max() < 2.2
            h = pyramid.momentum(run.array(pyramid.q_names), run.array(pyramid.v_names))
            assert np.abs(h - h[0]).max() < 1e-6
    assert worst[0.01] < 0.3 and worst[0.0] > 0.5


def test_a_base_with_gyros_is_that_of_their_law(pyramid: da.EquationsOfMotion) -> None:
    """`BasePD` turns by gyros as `GyroPD` does; the torque that they give is what the base feels."""
    kp, kd, reference = [30.0] * 3, [100.0] * 3, [0.0, 0.0, 0.0, 0.8, 0.0, 0.6, 0.0]
    shared = control.allocate(pyramid, need=("torque",))
    assert shared.gyros == ("g0", "g1", "g2", "g3") and np.isinf(shared.capacity[3:]).all()
    rng, s = np.random.default_rng(5), pyramid.symbolic
    laws = (control.GyroPD(kp, kd, reference), control.BasePD([0.0] * 3 + kp, [0.0] * 3 + kd, reference))
    none = ca.SX(0, 1)
    inputs = [law.expression(pyramid, s.t, s.q, s.v, none, s.p)[0] for law in laws]
    f = ca.Function("f", [s.t, s.q, s.v], inputs)
    q, v = pyramid.q_neutral.copy(), rng.normal(0.0, 0.1, pyramid.nv)
    q[[pyramid.q_names.index(f"g{k}.gimbal") for k in range(4)]] = rng.uniform(-0.5, 0.5, 4)
    v[[pyramid.v_names.index(n) for n in STARTED]] += list(STARTED.values())
    one, other = (np.array(x)[:, 0] for x in f(0.3, q, v))
    assert np.abs(one).max() > 1.0 and np.allclose(one, other, atol=1e-12)
    # momentum of the whole is kept: that of the hub changes by the torque of the gyros, as steady gimbals have no other
    (torque,) = gyro_torques(pyramid, "hub", q[None], v[None])
    w, h = v[3:6], np.zeros(3)
    step = 1e-6
    for sign in (1.0, -1.0):
        turned = q.copy()
        for k in range(4):
            turned[pyramid.q_names.index(f"g{k}.gimbal")] += sign * step * v[pyramid.v_names.index(f"g{k}.gimbal_dot")]
        still = np.where([n.endswith("rotor_dot") for n in pyramid.v_names], v, 0.0)
        h += sign * pyramid.momentum(turned, still)[3:] / (2.0 * step)
    spin = pyramid.momentum(q, np.where([n.endswith("rotor_dot") for n in pyramid.v_names], v, 0.0))[3:]
    assert np.allclose(torque, -(h + np.cross(w, spin)), atol=1e-6)


def test_what_gyros_can_give(pyramid: da.EquationsOfMotion) -> None:
    """Rates of 1 rad/s about the axes of a pyramid: half of 2 h cos b along x, y and 4 h sin b along z."""
    torque, momentum = gyro_capacity(pyramid, "hub", STARTED)
    c, s = np.cos(np.radians(54.74)), np.sin(np.radians(54.74))
    # g x s of the four gyros is (-c, 0, s), (0, -c, s), (c, 0, s), (0, c, s)
    assert np.allclose(torque, 0.5 * MOMENTUM * np.array([2 * c, 2 * c, 4 * s])) and momentum == pytest.approx(MOMENTUM)


def test_thrusters_unload_gyros() -> None:
    """Gyros that hold a momentum at the start: the whole loses the integral of 0.2 h of theirs, the attitude stays."""
    hub = da.Body("hub", 300.0, inertia=INERTIA)
    jets = [da.Thruster(f"t{x}", "hub", torque=np.eye(3)[k].tolist(), effort=5.0) for k, x in enumerate("xyz")]
    craft = da.Machine("craft", [hub], [da.Joint("hub", "free", "world", "hub")], thrusters=jets, gravity=(0, 0, 0))
    axes = np.eye(3)
    gyros = [
        da.ControlMomentGyro(f"g{k}{n}", "hub", axes[k], sign * axes[(k + 1) % 3], SPIN, MOMENTUM, gimbal_inertia=0.2)
        for k in range(3)
        for n, sign in (("a", 1.0), ("b", -1.0))
    ]
    eom = da.equations(craft.with_parts(*gyros), backend="vm")
    law = control.Together(
        [control.BasePD([0.0] * 3 + [60.0] * 3, [0.0] * 3 + [200.0] * 3, [0, 0, 0, 1, 0, 0, 0]), control.Unloading(0.2)]
    )
    spinning = {k: x for g in gyros for k, x in g.v0.items()}
    tilted = {"g0a.gimbal": 0.2, "g0b.gimbal": -0.2, "g1a.gimbal": -0.1, "g1b.gimbal": 0.1}
    run = da.simulate(eom, duration=6.0, q0=tilted, v0=spinning, control=law, step=5e-3, record=0.05)
    q, v = run.array(eom.q_names), run.array(eom.v_names)
    h = eom.momentum(q, v)[:, 3:]
    held = eom.momentum(q, np.where([n.endswith("rotor_dot") for n in eom.v_names], v, 0.0))[:, 3:]
    assert np.linalg.norm(h[0]) > 8.0 and np.linalg.norm(held[-1]) < 0.33 * np.linalg.norm(h[0])
    assert np.allclose(h[-1] - h[0], -0.2 * np.trapezoid(held, run.t, axis=0), atol=0.02)
    assert np.abs(run.array(["hub.qx", "hub.qy", "hub.qz"])).max() < 0.01  # below 0.1 h / kp


def test_refusals(pyramid: da.EquationsOfMotion) -> None:
    for settings, match in (
        ({"kp": [1.0, 2.0]}, "kp of a GyroPD must be 3 numbers"),
        ({"kd": -1.0}, "kd of a GyroPD must be 3 numbers >= 0"),
        ({"avoid": -0.1}, "avoid of a GyroPD"),
        ({"rate": 0.0}, "rate of a GyroPD"),
    ):
        with pytest.raises(da.InputError, match=match):
            control.GyroPD(**{"kp": 1.0, "kd": 1.0, "reference": [0, 0, 0, 1, 0, 0, 0], **settings})
    bare = pyramid.machine.with_(motors=pyramid.machine.motors[:2])
    law = control.GyroPD(1.0, 1.0, [0, 0, 0, 1, 0, 0, 0])
    with pytest.raises(da.InputError, match=r"needs three control moment gyros or more.*there are g0, g1"):
        da.simulate(da.equations(bare, backend="vm"), duration=0.1, control=law)


@pytest.mark.slow
def test_a_chaser_turns_by_small_gyros_that_thrusters_unload() -> None:
    """Gyros of 1.5 N m s come near their singular angles in the approach: unloaded, captured, brought to rest."""
    c, s = np.cos(np.radians(54.74)), np.sin(np.radians(54.74))
    axes = ((s, 0, c), (0, s, c), (-s, 0, c), (0, -s, c))
    spins = ((0, 1, 0), (-1, 0, 0), (0, -1, 0), (1, 0, 0))
    gyros = [da.ControlMomentGyro(f"g{k}", "bus", axes[k], spins[k], 0.005, 1.5, gimbal_inertia=0.02) for k in range(4)]
    chaser, settings = seven_joints().with_parts(*gyros), {"rate": RATE, "approach": "x", **FLIGHTS["seven"][1]}
    with pytest.raises(da.InputError, match=r"must spin: give rotors=\{'g0\.rotor_dot'"):
        space_robots.fly_capture(chaser, hulk(), **settings)
    with pytest.raises(da.UnknownNameError, match="bus_dot"):
        space_robots.fly_capture(chaser, hulk(), rotors={"bus_dot": 1.0}, **settings)
    spinning = {k: x for g in gyros for k, x in g.v0.items()}
    outcome = space_robots.fly_capture(chaser, hulk(), rotors=spinning, **settings)
    assert outcome.ok, str(outcome)
    assert outcome.approach is not None and outcome.stack is not None
    angles = outcome.approach.array([f"g{k}.gimbal" for k in range(4)])
    assert np.abs(angles).max() > 0.5 and outcome.propellant["approach"] > 1e-4  # thrusters unload, gyros turn
    named = {r.name: r for r in outcome.requirements}
    assert 0.1 < named["torque of the base"].value < 0.3
    assert named["torque of the base"].limit == pytest.approx(1.5 * c)  # half of 2 h cos b at 1 rad/s
    assert np.allclose(outcome.approach["g0.rotor_dot"][-1], 300.0, atol=1e-3)
