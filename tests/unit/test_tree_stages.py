"""Matrices and derivatives of large trees, in stages, on small ones: against the same terms as scalar operations."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from tests.support.random_machines import random_machine, with_armatures

import dalembert as da
from dalembert.formulations.derivatives import forward_derivatives, inverse_derivatives
from dalembert.formulations.matrices import coriolis_rows, mass_rows
from dalembert.formulations.tree import composite
from dalembert.formulations.tree.newton_euler import NewtonEuler

PLAIN = ("revolute", "prismatic", "screw", "cylindrical", "spherical", "free", "fixed")


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tree counts as a large one."""
    monkeypatch.setattr(composite, "LARGE", 1)


def _tree(seed: int, **options: object) -> da.Machine:
    """Several joints on most bodies, some trees with more than one root."""
    return with_armatures(random_machine(np.random.default_rng(seed), 8, springs=True, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(4))
def test_matrices_in_stages_are_derivatives_of_the_inverse_dynamics(seed: int) -> None:
    """``M = d tau/d a`` and ``C v = tau(v) - tau(0)``, where ``M' - 2 C`` is skew along any motion."""
    machine = _tree(seed, base="universal" if seed == 0 else None)
    formulation = NewtonEuler(machine)
    x, tau = formulation.variables, formulation.inverse_dynamics()
    mass, coriolis = mass_rows(formulation), coriolis_rows(formulation)
    assert mass is not None and coriolis is not None
    M, C = mass.expressions()[0], coriolis.expressions()[0]
    exact = ca.jacobian(tau, x.a)
    still = ca.substitute(tau, x.a, ca.DM.zeros(machine.nv))
    pulled = still - ca.substitute(still, x.v, ca.DM.zeros(machine.nv))
    turned = ca.jtimes(exact, x.q, formulation.model.coordinate_rates()) - 2.0 * C
    outputs = [ca.densify(y) for y in (M, exact, C @ x.v, pulled, turned)]
    f = ca.Function("f", [x.q, x.v, x.p], outputs)
    rng = np.random.default_rng(seed + 50)
    q = da.equations(machine, backend="vm").random_configuration(rng)
    M_, exact_, Cv, pulled_, turned_ = (np.array(y) for y in f(q, rng.normal(size=machine.nv), machine.p_nominal))
    np.testing.assert_allclose(M_, exact_, atol=1e-12 * np.abs(exact_).max())
    np.testing.assert_allclose(Cv, pulled_, atol=1e-12 * np.abs(pulled_).max())
    np.testing.assert_allclose(turned_, -turned_.T, atol=1e-12 * np.abs(turned_).max())


@pytest.mark.parametrize("seed", range(4))
def test_derivatives_of_a_large_tree(seed: int) -> None:
    """Solved by sweeps along the tree, against automatic differentiation and a dense solution."""
    machine = _tree(seed, kinds=PLAIN)
    formulation = NewtonEuler(machine)
    x, n = formulation.variables, machine.nv
    tau = formulation.inverse_dynamics()
    rates = ca.jacobian(formulation.model.coordinate_rates(), x.v)
    exact = [ca.jacobian(tau, x.q) @ rates, ca.jacobian(tau, x.v), ca.jacobian(tau, x.a)]
    forward = forward_derivatives(formulation).expressions()
    inverse = inverse_derivatives(formulation).expressions()[:3]
    f = ca.Function("f", [x.q, x.v, x.a, x.p], [ca.densify(y) for y in (*exact, *inverse, tau)])
    g = ca.Function("g", [x.q, x.v, x.tau, x.p], [ca.densify(y) for y in forward[:3]])
    rng = np.random.default_rng(seed + 100)
    q = da.equations(machine, backend="vm").random_configuration(rng)
    v, a = rng.normal(size=n), rng.normal(size=n)
    *values, load = (np.array(y) for y in f(q, v, a, machine.p_nominal))
    for got, expected in zip(values[3:], values[:3], strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-11 * np.abs(expected).max())
    by_q, by_v, M = values[:3]
    by_tau = np.linalg.inv(M)
    found = [np.array(y) for y in g(q, v, load, machine.p_nominal)]
    found[2] = np.triu(found[2]) + np.triu(found[2], 1).T  # its upper triangle counts for both
    for got, right in zip(found, (-by_tau @ by_q, -by_tau @ by_v, by_tau), strict=True):
        np.testing.assert_allclose(got, right, atol=1e-13 * np.linalg.cond(M) * np.abs(right).max())
