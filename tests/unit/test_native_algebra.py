"""The algebra of constraints and contacts in native code is that of its reference in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.core import constraint_algebra, contact_algebra
from dalembert.core.contact_algebra import Cones, NoContactForcesError
from dalembert.engine.unilateral import algebra

SEEDS = st.integers(0, 2**31)


def masses(rng: np.random.Generator, nv: int) -> np.ndarray:
    A = rng.normal(size=(nv, nv))
    return A @ A.T + np.eye(nv)


def rows(rng: np.random.Generator, m: int, nv: int, redundant: int) -> np.ndarray:
    """Rows of which some are sums of others."""
    J = rng.normal(size=(m, nv))
    for i in range(min(redundant, m - 1)):
        J[-1 - i] = J[: m - 1 - i].T @ rng.choice([0.0, 1.0, -0.5], size=m - 1 - i)
        if not J[-1 - i].any():
            J[-1 - i] = J[0]
    return J


def near(got: np.ndarray, want: np.ndarray, size: float | None = None) -> None:
    """Equal to 1e-12 of the largest number that there is."""
    size = np.abs(want).max(initial=1e-300) if size is None else size
    np.testing.assert_allclose(got, want, rtol=0.0, atol=1e-12 * max(size, 1.0))


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, nv=st.integers(1, 8), m=st.integers(0, 7), redundant=st.integers(0, 3))
def test_accelerations_under_rows_that_may_depend_on_each_other(seed: int, nv: int, m: int, redundant: int) -> None:
    rng = np.random.default_rng(seed)
    M, J, f = masses(rng, nv), rows(rng, m, nv, redundant), rng.normal(size=nv)
    gamma = J @ rng.normal(size=nv)
    want, got = constraint_algebra.minimum_norm(M, f, J, gamma), algebra.minimum_norm(M, f, J, gamma)
    worst = np.linalg.cond(J[: max(1, m - redundant)]) if m else 1.0
    near(got.acceleration, want.acceleration, worst * np.abs(want.acceleration).max())
    near(got.multipliers, want.multipliers, worst**2 * np.abs(want.multipliers).max(initial=1.0) * np.linalg.cond(M))


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, nv=st.integers(2, 7), m=st.integers(1, 9), redundant=st.integers(0, 4))
def test_least_constraint(seed: int, nv: int, m: int, redundant: int) -> None:
    """Accelerations are unique, however many rows depend on each other, where there are any."""
    rng = np.random.default_rng(seed)
    M, J, f = masses(rng, nv), rows(rng, m, nv, redundant), 5.0 * rng.normal(size=nv)
    pulls = rng.random(m) < 0.7
    gamma = J @ rng.normal(size=nv) + np.where(pulls, rng.uniform(0.0, 1.0, m), 0.0)
    want = constraint_algebra.least_constraint(M, f, J, gamma, pulls)
    got = algebra.least_constraint(M, f, J, gamma, pulls)
    assert want.feasible and got.feasible
    near(got.acceleration, want.acceleration, 1e2 * np.linalg.cond(M) * np.abs(want.acceleration).max())
    assert (got.multipliers[pulls] >= 0.0).all() and (got.opening[pulls] < 1e-9).all()
    np.testing.assert_allclose(M @ got.acceleration + J.T @ got.multipliers, f, atol=1e-8)


def pairs(rng: np.random.Generator, k: int, nv: int, frictionless: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """``W`` of pairs of a machine, some of them the same pair twice or without a second tangent; and friction."""
    A = rng.normal(size=(3 * k, nv))
    if k > 1 and rng.random() < 0.4:
        A[3:6] = A[:3]
    if rng.random() < 0.4:
        A[2::3] = 0.0
    M = masses(rng, nv)
    return A @ np.linalg.solve(M, A.T), np.where(rng.random(k) < frictionless, 0.0, rng.uniform(0.0, 0.6, k))


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, k=st.integers(1, 5), nv=st.integers(2, 12))
def test_forces_of_contacts(seed: int, k: int, nv: int) -> None:
    """The laws hold, or the same is said; where the relative velocities are unique they are the same."""
    rng = np.random.default_rng(seed)
    W, mu = pairs(rng, k, nv)
    c = Cones.of(W, W @ rng.normal(size=3 * k), mu)
    try:
        want = contact_algebra.solve_cones(c)
    except NoContactForcesError:
        return  # whether there are forces in Painleve's region is for the search to say
    got = algebra.solve_cones(c)
    scale = np.abs(c.b).max()
    assert lawful(c, got.p, got.u) < 1e-7 * scale + 1e-300
    if not mu.any():
        near(got.u, want.u, 10.0 * scale)


def lawful(c: Cones, p: np.ndarray, u: np.ndarray) -> float:
    """By how much forces break the laws of contact, as a relative velocity; from their statement."""
    length = np.diag(c.W)[::3]
    worst = [np.abs(np.minimum(p[:, 0] * length, u[:, 0])).max(), np.maximum(-u[:, 0], 0.0).max()]
    for i in range(len(p)):
        limit, slip, push = c.mu[i] * p[i, 0], np.hypot(*u[i, 1:]), np.hypot(*p[i, 1:])
        worst.append(length[i] * (push - limit) - 1e-12 * np.abs(p).max() * length[i])
        if c.mu[i] > 0.0 and slip > 0.0:
            worst.append(min(slip, length[i] * abs(u[i, 1:] @ p[i, 1:] / slip + limit)))
    return float(max(worst))


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, k=st.integers(1, 4))
def test_pairs_that_are_independent_move_as_in_the_reference(seed: int, k: int) -> None:
    """Weak friction and rows that do not depend on each other: forces, velocities and modes are unique."""
    rng = np.random.default_rng(seed)
    A = np.eye(3 * k) + 0.1 * rng.normal(size=(3 * k, 3 * k))
    W, mu = A @ A.T, rng.uniform(0.0, 0.3, k) * (rng.random(k) < 0.8)
    slip = np.full((k, 2), np.nan)
    for i in np.flatnonzero((rng.random(k) < 0.3) & (mu > 0.0)):
        angle = rng.uniform(0.0, 2.0 * np.pi)
        slip[i] = np.cos(angle), np.sin(angle)
    c = Cones.of(W, rng.normal(size=3 * k), mu, slip)
    want, got = contact_algebra.solve_cones(c), algebra.solve_cones(c)
    near(got.p, want.p, 10.0)
    near(got.u, want.u, 10.0)
    np.testing.assert_array_equal(got.modes, want.modes)


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, k=st.integers(1, 4))
def test_impacts(seed: int, k: int) -> None:
    """Newton's and Poisson's laws, and restitution that is lowered where it would add energy."""
    rng = np.random.default_rng(seed)
    A = np.eye(3 * k) + 0.15 * rng.normal(size=(3 * k, 3 * k))
    W, mu = A @ A.T, rng.uniform(0.0, 0.4, k) * (rng.random(k) < 0.8)
    u, e, poisson = rng.normal(size=(k, 3)), rng.uniform(0.0, 1.0, k), rng.random(k) < 0.4
    want, got = contact_algebra.strike(W, u, e, mu, poisson), algebra.strike(W, u, e, mu, poisson)
    lowered = 1e-12 if want.factor == 1.0 else 1e-10  # as far as the factor is searched for
    np.testing.assert_allclose(got.impulses, want.impulses, atol=10.0 * lowered)
    np.testing.assert_allclose(got.u, want.u, atol=10.0 * lowered)
    assert got.factor == pytest.approx(want.factor, abs=1e-9)
    assert got.energy_lost == pytest.approx(want.energy_lost, abs=1e-10)


def test_lowered_restitution_of_a_double_pendulum() -> None:
    """Kane's: Newton's law would raise its energy; the largest restitution that adds none is the same."""
    W = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 0.0]])
    u, e, mu, poisson = np.array([[-0.1, -0.3, 0.0]]), np.array([0.9]), np.array([0.8]), np.array([False])
    want, got = contact_algebra.strike(W, u, e, mu, poisson), algebra.strike(W, u, e, mu, poisson)
    assert got.factor == pytest.approx(want.factor, abs=1e-12)
    np.testing.assert_allclose(got.impulses, want.impulses, atol=1e-12)


def test_the_paradox_is_told_of_the_same_pair() -> None:
    """A pair that slides where friction pushes it harder into the surface."""
    W = np.array([[1.0, 2.0, 0.0], [2.0, 5.0, 0.0], [0.0, 0.0, 0.0]])
    c = Cones.of(W, np.array([-1.0, 0.0, 0.0]), np.array([0.8]), np.array([[1.0, 0.0]]))
    for solve in (contact_algebra.solve_cones, algebra.solve_cones):
        with pytest.raises(NoContactForcesError) as told:
            solve(c)
        assert told.value.pair == 0
