"""Derivatives of the dynamics: closed form against automatic and numerical differentiation, and against Pinocchio."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from tests.support.random_machines import random_machine

import dalembert as da
from dalembert.benchmarks.robots import robot_file
from dalembert.formulations.derivatives import inverse_derivatives
from dalembert.formulations.derivatives_tree import is_plain
from dalembert.formulations.newton_euler import NewtonEuler


@pytest.mark.parametrize("seed", range(12))
def test_closed_form_equals_automatic_differentiation(seed: int) -> None:
    machine = random_machine(np.random.default_rng(seed))
    if any(n.joint.kind == "planar" for n in machine.tree.nodes):
        machine = machine.with_(
            joints=tuple(
                da.Joint(j.name, "spherical", j.parent, j.child, j.origin) if j.kind == "planar" else j
                for j in machine.joints
            )
        )
    formulation = NewtonEuler(machine)
    x, model = formulation.variables, formulation.model
    tau = formulation.inverse_dynamics()
    rates = ca.jacobian(model.coordinate_rates(), x.v)
    exact = [ca.jacobian(tau, x.q) @ rates, ca.jacobian(tau, x.v), ca.jacobian(tau, x.a)]
    assert is_plain(model)
    closed = inverse_derivatives(formulation).expressions()[:3]
    f = ca.Function("f", [x.q, x.v, x.a, x.p], [ca.densify(e) for e in (*closed, *exact)])
    rng = np.random.default_rng(seed + 100)
    q = da.equations(machine, backend="vm").random_configuration(rng)
    values = [np.array(v) for v in f(q, rng.normal(size=machine.nv), rng.normal(size=machine.nv), machine.p_nominal)]
    scale = max(np.abs(v).max() for v in values[3:])
    for mine, theirs in zip(values[:3], values[3:], strict=True):
        assert np.abs(mine - theirs).max() < 1e-11 * scale


@pytest.mark.parametrize("seed", range(6))
def test_derivatives_equal_differences_in_the_tangent_space(seed: int) -> None:
    machine = random_machine(np.random.default_rng(seed))
    eom = da.equations(machine, backend="vm")
    rng = np.random.default_rng(seed)
    q, v, tau = eom.random_configuration(rng), rng.normal(size=eom.nv), rng.normal(size=eom.nv)
    d = eom.forward_dynamics_derivatives(q, v, tau)
    h = 1e-6
    steps = h * np.eye(eom.nv)

    def slope(plus: np.ndarray, minus: np.ndarray) -> np.ndarray:
        return (plus - minus).T / (2 * h)

    numeric_q = slope(
        eom.forward_dynamics(eom.integrate(q, steps), v, tau), eom.forward_dynamics(eom.integrate(q, -steps), v, tau)
    )
    numeric_v = slope(eom.forward_dynamics(q, v + steps, tau), eom.forward_dynamics(q, v - steps, tau))
    size = max(1.0, float(np.abs(numeric_q).max()))
    assert np.abs(d.q - numeric_q).max() < 1e-6 * size
    assert np.abs(d.v - numeric_v).max() < 1e-6 * size
    assert np.allclose(d.input @ eom.mass_matrix(q), np.eye(eom.nv), atol=1e-8)
    a = eom.forward_dynamics(q, v, tau)
    i = eom.inverse_dynamics_derivatives(q, v, a)
    assert np.abs(i.input @ d.q + i.q).max() < 1e-8 * max(1.0, np.abs(i.q).max())


def test_derivatives_by_parameters() -> None:
    length, mass = da.Parameter("l", 0.7), da.Parameter("m", 1.3)
    pendulum = da.Machine(
        "pendulum",
        bodies=[da.point_mass("bob", mass, com=(0.0, 0.0, -length))],
        joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
    )
    d = da.equations(pendulum).forward_dynamics_derivatives([0.4], [0.2], [0.5])
    # a = tau / (m l^2) - g sin(theta) / l
    by_m, by_l = -0.5 / (1.3**2 * 0.7**2), -2 * 0.5 / (1.3 * 0.7**3) + 9.81 * np.sin(0.4) / 0.7**2
    assert d.p == pytest.approx(np.array([[by_m, by_l]]), rel=1e-12)
    assert d.q == pytest.approx(np.array([[-9.81 * np.cos(0.4) / 0.7]]), rel=1e-12)


def test_derivatives_equal_those_of_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio")
    path = robot_file("ur5")
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    eom = da.equations(da.load_urdf(path))
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, v, tau = rng.normal(size=(3, model.nv))
        theirs = pin.computeABADerivatives(model, data, q, v, tau)
        mine = eom.forward_dynamics_derivatives(q, v, tau)
        for x, y in zip((mine.q, mine.v, mine.input), theirs, strict=True):
            assert np.abs(x - y).max() < 1e-9 * max(1.0, np.abs(y).max())
