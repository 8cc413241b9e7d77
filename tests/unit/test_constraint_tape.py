"""Constraints on the tape: exact to the last digits, honest about rows that depend on each other."""

from __future__ import annotations

from fractions import Fraction

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.core.constraint_algebra import minimum_norm
from dalembert.core.constraint_tape import SHARE, TapeFactors, acting, tape_cost
from dalembert.formulations.constraints.projection import consistent_state
from dalembert.systems.cable_robots import joining_robot, overturning_robot, pulley_robot
from dalembert.systems.mechanisms import four_bars


def exact_solution(M, f, J, gamma):
    """Accelerations and multipliers of the same doubles in rational arithmetic, by Gauss and Jordan."""
    nv, m = len(M), len(J)
    K = np.block([[M, J.T], [J, np.zeros((m, m))]])
    A = [[Fraction(float(x)) for x in row] + [Fraction(float(r))] for row, r in zip(K, [*f, *gamma], strict=True)]
    for k in range(nv + m):
        pivot = next(i for i in range(k, nv + m) if A[i][k] != 0)
        A[k], A[pivot] = A[pivot], A[k]
        A[k] = [x / A[k][k] for x in A[k]]
        for i in range(nv + m):
            if i != k and A[i][k] != 0:
                A[i] = [x - A[i][k] * y for x, y in zip(A[i], A[k], strict=True)]
    x = np.array([float(row[-1]) for row in A])
    return x[:nv], x[nv:]


def moving_state(eom, q0, seed=0):
    """A consistent state of equations near one of the machine, and its latches."""
    rng, own, s = np.random.default_rng(seed), eom.machine, eom.constraint_system
    q = own.q_neutral
    for name, value in q0.items():
        q[own.q_names.index(name)] = value
    q, v = eom.from_machine(q, 0.3 * rng.normal(size=own.nv))
    latches = s.latch_table.measured(s.latch_nominal, q, 0.0, eom.parameter_values(None))
    found = consistent_state(eom, q, v, latches=latches)
    return found.q, found.v, latches


PLATFORM = {"platform.y": 0.25, "platform.z": 0.37}


@pytest.mark.parametrize(
    ("machine", "by", "q0"),
    [
        (pulley_robot(2), "natural", PLATFORM),
        (pulley_robot(2), "newton-euler", PLATFORM),
        (overturning_robot(), "natural", {"platform.x": 0.4103720245, "platform.y": 1.0, "platform.z": 0.6015053}),
        (four_bars(2), "newton-euler", {}),
    ],
    ids=["pulleys-natural", "pulleys", "overturning-natural", "four-bars"],
)
def test_constrained_dynamics_are_exact(machine, by, q0) -> None:
    """Against rational arithmetic on the same matrices; a solution by Cholesky and SVD alone is off by 1e-12 here."""
    eom = da.equations(machine, by=by)
    q, v, latches = moving_state(eom, q0)
    tau = np.random.default_rng(1).normal(size=eom.nv)
    M, bias = eom.mass_matrix(q), eom.bias(q, v)
    J, gamma = eom.constraint_jacobian(q, latches=latches), eom.constraint_rhs(q, v, latches=latches)
    a, multipliers = exact_solution(M, tau - bias, J, gamma)
    for got in (eom.constrained_dynamics(q, v, tau, latches=latches), minimum_norm(M, tau - bias, J, gamma)):
        assert np.abs(got.acceleration - a).max() < 1e-13 * np.abs(a).max()
        assert np.abs(got.multipliers - multipliers).max() < 1e-13 * np.abs(multipliers).max()


def tape_solution(M, J, f, gamma, on=None):
    """One evaluation of the tape: accelerations, multipliers, share."""
    nv, m = len(M), len(J)
    symbols = [
        ca.SX.sym("M", nv, nv),
        ca.SX.sym("Jt", nv, m),
        ca.SX.sym("f", nv),
        ca.SX.sym("g", m),
        ca.SX.sym("on", m),
    ]
    M_, Jt_, f_, gamma_, on_ = symbols
    factors = TapeFactors(M_, Jt_, acting([None if on is None else on_[i] for i in range(m)]))
    function = ca.Function("tape", symbols, [*factors.dynamics(f_, gamma_), factors.share, factors.correction(gamma_)])
    return [np.array(x)[:, 0] for x in function(M, J.T, f, gamma, np.ones(m) if on is None else on)]


def random_system(seed, nv=6, m=4):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(nv, nv))
    return A @ A.T + np.eye(nv), rng.normal(size=(m, nv)), rng.normal(size=nv), rng.normal(size=m)


@pytest.mark.parametrize("seed", range(3))
def test_tape_solves_the_equations(seed) -> None:
    M, J, f, gamma = random_system(seed)
    a, multipliers, share, change = tape_solution(M, J, f, gamma)
    np.testing.assert_allclose(M @ a + J.T @ multipliers, f, atol=1e-12)
    np.testing.assert_allclose(J @ a, gamma, atol=1e-12)
    np.testing.assert_allclose(J @ change, -gamma, atol=1e-12)
    N = np.linalg.svd(J)[2][len(J) :]
    np.testing.assert_allclose(N @ M @ change, 0.0, atol=1e-11)  # least in the metric of the mass matrix
    assert SHARE < share[0] < 1.0


def test_rows_that_do_not_act_are_not_there() -> None:
    """Not even if they are not finite."""
    M, J, f, gamma = random_system(5)
    part = np.array([True, False, True, False])
    a, multipliers, _, _ = tape_solution(M, J[part], f, gamma[part])
    J[1], gamma[1] = np.nan, np.inf
    masked = tape_solution(M, J, f, gamma, on=part.astype(float))
    np.testing.assert_allclose(masked[0], a, atol=1e-13)
    np.testing.assert_allclose(masked[1][part], multipliers, atol=1e-13)
    np.testing.assert_array_equal(masked[1][~part], 0.0)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 5e-4])
def test_share_tells_of_rows_that_depend_on_each_other(angle) -> None:
    """Two rows at an angle: the second pivot keeps sin^2 of it, below 1e-6 for less than 1e-3."""
    J = np.array([[1.0, 0.0, 0.0], [np.cos(angle), np.sin(angle), 0.0]])
    assert not tape_solution(np.eye(3), J, np.zeros(3), np.zeros(2))[2][0] >= SHARE
    J[1] = [np.cos(3e-3), np.sin(3e-3), 0.0]
    assert tape_solution(np.eye(3), J, np.zeros(3), np.zeros(2))[2][0] >= SHARE


def test_share_tells_of_empty_rows_and_of_masses_that_are_not_positive() -> None:
    J = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert not tape_solution(np.eye(3), J, np.zeros(3), np.zeros(2))[2][0] >= SHARE
    assert not tape_solution(np.diag([1.0, -1.0, 2.0]), J[:1], np.zeros(3), np.zeros(1))[2][0] >= SHARE


def test_redundant_constraints_are_solved_again(seed=2) -> None:
    """Doubled rods share their load, in a batch of which some members are regular."""
    a, b = (da.sphere(name, 1.0, 0.1) for name in "ab")
    rods = [da.DistanceConstraint(f"rod{k}", "a", "b", length=1.0, switchable=k == 1) for k in range(2)]
    machine = da.Machine(
        "pair", bodies=[a, b], joints=[da.Joint(n, "free", "world", n) for n in "ab"], constraints=rods
    )
    eom = da.equations(machine)
    q = machine.q_neutral
    q[7:10] = (1.0, 0.0, 0.0)
    rng = np.random.default_rng(seed)
    v, tau = rng.normal(size=(3, 12)), rng.normal(size=(3, 12))
    latches = np.array([[1.0], [0.0], [1.0]])
    both = eom.constrained_dynamics(q, v, tau, latches=latches)
    one = eom.constrained_dynamics(q, v, tau, active={"rod1": False})
    np.testing.assert_allclose(both.acceleration, one.acceleration, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(both.multipliers[[0, 2], 0], both.multipliers[[0, 2], 1], rtol=1e-12)
    np.testing.assert_allclose(both.multipliers.sum(axis=1), one.multipliers[:, 0], rtol=1e-12)


def test_cost_follows_the_zeros() -> None:
    """A row of linkages is a band: twice as many cost twice as much."""
    costs = []
    for n in (8, 16):
        eom = da.equations(four_bars(n), backend="vm")
        Jt = ca.densify(eom.constraint_system.jacobian.T)
        costs.append(tape_cost(ca.densify(ca.SX(eom.symbolic.mass_matrix)), Jt))
    assert costs[1] < 2.3 * costs[0]


@pytest.mark.slow
def test_many_rows_of_the_joining_robot() -> None:
    """Welds, cables and six coordinates too many for each body: 28 rows, some of them redundant when all act."""
    eom = da.equations(joining_robot(), by="natural")
    q, v, latches = moving_state(eom, {"platform.z": 1.0})
    tau = np.random.default_rng(3).normal(size=eom.nv)
    got = eom.constrained_dynamics(q, v, tau, latches=latches)
    J, on = eom.constraint_jacobian(q, latches=latches), eom.constraint_system.activity(latches) > 0.0
    left = eom.mass_matrix(q) @ got.acceleration + eom.bias(q, v) + J.T @ got.multipliers - tau
    assert np.abs(left).max() < 1e-11
    gamma = eom.constraint_rhs(q, v, latches=latches)
    assert np.abs((J @ got.acceleration - gamma)[on]).max() < 1e-9


def test_runs_with_redundant_rows_go_on_beside_the_tape() -> None:
    """A rod and its double, on and off: every evaluation, and every projection, is solved again."""
    rods = [da.DistanceConstraint(f"rod{k}", "bob", "world", length=1.0, switchable=k == 1) for k in range(2)]
    machine = da.Machine(
        "pendulum",
        bodies=[da.sphere("bob", 1.0, 0.1)],
        joints=[da.Joint("bob", "free", "world", "bob")],
        constraints=rods,
    )
    settings = {"q0": {"bob.x": 1.0}, "v0": {"bob.vy": 0.7}, "duration": 1.0, "step": 1e-3, "record": 0.1}
    for way in ("projection", "baumgarte"):
        double = da.simulate(machine, constraints=way, **settings)
        single = da.simulate(machine.with_(constraints=rods[:1]), constraints=way, **settings)
        for name in machine.q_names:
            np.testing.assert_allclose(double[name], single[name], atol=1e-11)
        np.testing.assert_allclose(2.0 * double["multiplier.rod1"], single["multiplier.rod0"], rtol=1e-9)
        assert double["constraint.position"].max() < (1e-11 if way == "projection" else 1e-4)
