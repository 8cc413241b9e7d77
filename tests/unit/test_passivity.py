"""Passivity-based and adaptive laws: regressors against inverse dynamics, and their Lyapunov functions along runs."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import cumulative_simpson

import dalembert as da
from dalembert.analysis import base_parameters
from dalembert.core.errors import InputError
from dalembert.io.control_blocks import make_law


def random_arm(seed: int, joints: int = 3, **settings: float) -> da.Machine:
    """An arm of revolute and prismatic joints about skew axes, with a motor at each."""
    rng = np.random.default_rng(seed)
    bodies, links, motors, parent = [], [], [], "world"
    for k in range(joints):
        A = rng.normal(size=(3, 3))
        second = 0.05 * A @ A.T + 0.02 * np.eye(3)
        inertia = np.trace(second) * np.eye(3) - second
        body = da.Body(f"b{k}", mass=rng.uniform(0.5, 3.0), com=tuple(0.2 * rng.normal(size=3)), inertia=inertia)
        bodies.append(body)
        kind = "prismatic" if k == 1 else "revolute"
        axis, place = tuple(rng.normal(size=3)), da.Transform(tuple(0.4 * rng.normal(size=3)))
        links.append(da.Joint(f"q{k}", kind, parent, f"b{k}", place, axis=axis, **settings))
        motors.append(da.Motor(f"m{k}", f"q{k}", ratio=1.0 + k))
        parent = f"b{k}"
    return da.Machine("arm", bodies=bodies, joints=links, motors=motors)


@pytest.mark.parametrize("seed", range(6))
def test_regressor_is_inverse_dynamics_and_its_tracking_form_has_the_matrices_of_lagrange(seed: int) -> None:
    losses = seed % 2 == 1
    arm = random_arm(seed, joints=2 + seed % 3, damping=0.3, stiffness=2.0)
    base, eom = base_parameters(arm, losses=losses), da.equations(arm, by="lagrange", backend="vm")
    rng = np.random.default_rng(seed)
    q, v, w, a = rng.normal(size=(4, arm.nv))
    symbols = [ca.SX.sym(n, arm.nv) for n in ("q", "v", "w", "a")]
    f = ca.Function("Y", symbols, [*base.tracking_regressor(*symbols, ca.SX.sym("t"))])
    potential = eom.bias(q, 0 * v)
    for velocity in (v, w):
        Y, known = (x.full() for x in f(q, v, velocity, a))
        forces = eom.mass_matrix(q) @ a + eom.coriolis_matrix(q, v) @ velocity + potential + 0.3 * v
        assert np.allclose(Y @ base.values + known[:, 0], forces, rtol=1e-9, atol=1e-9 * np.abs(forces).max())
    assert np.allclose(forces - eom.coriolis_matrix(q, v) @ (w - v) - 0.3 * v, eom.inverse_dynamics(q, v, a))


RATE, KD = np.array([6.0, 5.0, 4.0]), np.array([4.0, 30.0, 2.0])
REFERENCE = da.Sine([0.2, 0.0, -0.1], [0.5, 0.1, 0.7], 0.7)


def lyapunov(arm: da.Machine, run: da.Run, adaptation: float, estimates: np.ndarray, true: np.ndarray) -> tuple:
    """V along a run, and the integral of the rate that the theory gives."""
    phase = 2 * np.pi * 0.7 * run.t[:, None]
    center, amplitude = np.array([0.2, 0.0, -0.1]), np.array([0.5, 0.1, 0.7])
    q = np.stack([run[f"q{k}"] for k in range(3)], axis=1)
    v = np.stack([run[f"q{k}_dot"] for k in range(3)], axis=1)
    e = q - center - amplitude * np.sin(phase)
    ed = v - 2 * np.pi * 0.7 * amplitude * np.cos(phase)
    s = ed + RATE * e
    M = da.equations(arm, backend="vm").mass_matrix(q)
    V = 0.5 * np.einsum("ti,tij,tj->t", s, M, s) + (RATE * KD * e**2).sum(axis=1)
    V += 0.5 * ((estimates - true) ** 2).sum(axis=1) / adaptation
    rate = -(KD * ed**2).sum(axis=1) - (RATE**2 * KD * e**2).sum(axis=1)
    return V, cumulative_simpson(rate, x=run.t, initial=0.0)


@pytest.mark.parametrize("law", ["known", "adapted"])
def test_the_lyapunov_function_falls_at_the_rate_of_the_theory(law: str) -> None:
    arm = random_arm(3)
    base = base_parameters(arm)
    start, adaptation = 0.5 * base.values, 0.7
    if law == "known":
        control = da.PassivityBased(RATE, KD, REFERENCE)
    else:
        control = da.SlotineLi(RATE, KD, REFERENCE, adaptation=adaptation, start=start)
    run = da.simulate(
        arm, duration=1.5, q0=[0.3, 0.1, -0.4], v0=[1.0, 0.0, -1.0], control=control, method="rk4", step=1e-3,
        backend="vm",
    )  # fmt: skip
    names = [f"estimate.{base.names[k]}" for k in base.independent]
    estimates = np.stack([run[n] for n in names], axis=1) if law == "adapted" else np.tile(base.values, (len(run.t), 1))
    V, fallen = lyapunov(arm, run, adaptation, estimates, base.values)
    assert np.abs(V - V[0] - fallen).max() < 2e-6 * V[0]  # the error of the quadrature at a step of 1 ms
    assert (np.diff(V) <= 1e-12 * V[0]).all() and V[-1] < 0.9 * V[0]


def test_an_unknown_arm_follows_its_reference_and_files_name_the_laws() -> None:
    arm = random_arm(5)
    law = da.SlotineLi(RATE, KD, REFERENCE, adaptation=5.0)
    run = da.simulate(arm, duration=6.0, control=law, method="rk4", step=4e-3, backend="vm")
    late = run.t > 5.0
    error = np.abs(run["q0"] - (0.2 + 0.5 * np.sin(2 * np.pi * 0.7 * run.t)))
    assert error[late].max() < 0.1 * error.max()
    assert make_law({"law": "passivity-based", "rate": 1, "kd": 2, "reference": [0.0]}) == da.PassivityBased(
        1, 2, [0.0]
    )
    assert isinstance(make_law({"law": "slotine-li", "rate": 1, "kd": 2, "reference": [0.0]}), da.SlotineLi)


def test_velocities_without_a_motor_and_bad_adaptations_are_refused() -> None:
    arm = random_arm(0)
    free = arm.with_(motors=arm.motors[:2])
    with pytest.raises(InputError, match=r"PassivityBased needs a motor at every velocity.*q2_dot"):
        da.simulate(free, duration=0.1, control=da.PassivityBased(1.0, 1.0, [0.0, 0.0]), backend="vm")
    with pytest.raises(InputError, match="adaptation of SlotineLi must be positive"):
        da.simulate(arm, duration=0.1, control=da.SlotineLi(1.0, 1.0, [0, 0, 0], adaptation=-1.0), backend="vm")
    with pytest.raises(InputError, match="start of SlotineLi must be one number or"):
        da.simulate(arm, duration=0.1, control=da.SlotineLi(1.0, 1.0, [0, 0, 0], start=[1.0, 2.0]), backend="vm")
