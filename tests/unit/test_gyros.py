"""Control moment gyros: their momentum, the closed form of a small turn, and a slew through singular gimbal angles."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm

import dalembert as da
from dalembert import control

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
