"""Derivatives of the dynamics: closed form against automatic and numerical differentiation, and against Pinocchio."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest
from tests.support.comparison import difference
from tests.support.flexible_machines import random_flexible_machine
from tests.support.random_machines import random_machine, with_armatures

import dalembert as da
from dalembert.benchmarks.robots import robot_file, robot_machine, robot_pinocchio
from dalembert.compile import native
from dalembert.core.errors import InputError
from dalembert.formulations.derivatives import inverse_derivatives
from dalembert.formulations.tree.derivatives import is_plain
from dalembert.formulations.tree.newton_euler import NewtonEuler
from dalembert.io.conventions import to_pinocchio

PLAIN = ("revolute", "prismatic", "screw", "cylindrical", "spherical", "free", "fixed")


@pytest.mark.parametrize("seed", range(12))
def test_closed_form_equals_automatic_differentiation(seed: int) -> None:
    machine = with_armatures(random_machine(np.random.default_rng(seed), kinds=PLAIN))
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


MACHINES = {
    "tree": lambda: (random_machine(3, 5, kinds=PLAIN, base="spherical"), "newton-euler"),
    "floating tree": lambda: (random_machine(2, 4, kinds=("revolute", "spherical"), base="free"), "newton-euler"),
    "parameters": lambda: (random_machine(4, 3, kinds=PLAIN, parameters=True), "newton-euler"),
    "planar joints": lambda: (random_machine(5, 3, kinds=("revolute", "planar"), base="planar"), "newton-euler"),
    "universal joints": lambda: (random_machine(5, 3, kinds=("revolute", "universal")), "newton-euler"),
    "screws": lambda: (random_machine(7, 3, kinds=("screw", "cylindrical"), parameters=True), "newton-euler"),
    "coupled joints": lambda: (random_machine(6, 4, kinds=("revolute", "prismatic"), couplings=1), "newton-euler"),
    "beams": lambda: (random_flexible_machine(0, 2), "newton-euler"),
    "lagrange": lambda: (random_machine(2, 2, kinds=("revolute",)), "lagrange"),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name not in ("beams", "coupled joints"))) for name in MACHINES],
)
def test_native_derivatives_in_stages_equal_automatic_differentiation(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "STAGED", 0)  # also for small machines
    machine, by = MACHINES[name]()
    eom = da.equations(machine, by=by, backend="native")
    x, rates = eom.symbolic, ca.jacobian(eom.symbolic.coordinate_rate, eom.symbolic.v)

    def exact(value: Any, given: Any) -> ca.Function:
        by_each = [ca.jacobian(value, x.q) @ rates, *(ca.jacobian(value, y) for y in (x.v, given, x.p))]
        return ca.Function("f", [x.q, x.v, given, x.p], [ca.densify(y) for y in by_each])

    forward, inverse = exact(x.forward_dynamics, x.tau), exact(x.inverse_dynamics, x.a)
    rng = np.random.default_rng(7)
    q = np.array([eom.random_configuration(rng, 0.5) for _ in range(5)])
    v, given = rng.normal(size=(2, 5, eom.nv))
    for function, reference in (
        (eom.forward_dynamics_derivatives, forward),
        (eom.inverse_dynamics_derivatives, inverse),
    ):
        single = [function(*row) for row in zip(q, v, given, strict=True)]
        for row, mine in zip(zip(q, v, given, strict=True), single, strict=True):
            for ours, theirs in zip(mine, reference(*row, machine.p_nominal), strict=True):
                assert difference(ours, theirs.full()) < 1e-9
        if name != "floating tree":
            continue  # batches have code of their own, whose build takes long
        for batched, ones in zip(function(q, v, given), zip(*single, strict=True), strict=True):
            assert batched.shape == np.shape(ones)
            assert difference(batched, np.array(ones)) < 1e-11
    assert "row_steps" in eom.kernel("forward_dynamics_derivatives").source


@pytest.mark.peer
@pytest.mark.parametrize("name", ["ur5", "anymal", pytest.param("talos", marks=pytest.mark.slow)])
def test_derivatives_equal_those_of_pinocchio(name: str) -> None:
    pin = pytest.importorskip("pinocchio")
    try:
        robot_file(name)
    except InputError as error:
        pytest.skip(str(error))
    machine, model = robot_machine(name), robot_pinocchio(name)
    data = model.createData()
    eom = da.equations(machine)
    rng = np.random.default_rng(1)
    for _ in range(5):
        q = eom.random_configuration(rng)
        v, tau = rng.normal(size=(2, eom.nv))
        s = to_pinocchio(machine, q, v, tau=tau, continuous=True)
        theirs = [np.array(x) for x in pin.computeABADerivatives(model, data, s.q, s.v, s.tau)]
        theirs[2] = np.triu(theirs[2]) + np.triu(theirs[2], 1).T
        mine = eom.forward_dynamics_derivatives(q, v, tau)
        for x, y in zip(mine[:3], theirs, strict=True):
            assert difference(x, y) < 1e-9
        a = eom.forward_dynamics(q, v, tau)
        theirs = [np.array(x) for x in pin.computeRNEADerivatives(model, data, s.q, s.v, a)]
        theirs[2] = np.triu(theirs[2]) + np.triu(theirs[2], 1).T
        for x, y in zip(eom.inverse_dynamics_derivatives(q, v, a)[:3], theirs, strict=True):
            assert difference(x, y) < 1e-9
