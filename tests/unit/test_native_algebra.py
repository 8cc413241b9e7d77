"""The algebra of what acts one way only, against other methods and the statements of the laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.reference import unilateral as by_other_means

from dalembert.engine.unilateral import algebra
from dalembert.engine.unilateral.algebra import Cones, NoContactForcesError

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
@given(seed=SEEDS, nv=st.integers(2, 7), m=st.integers(1, 9), redundant=st.integers(0, 4))
def test_least_constraint(seed: int, nv: int, m: int, redundant: int) -> None:
    """Accelerations are unique, however many rows depend on each other, where there are any."""
    rng = np.random.default_rng(seed)
    M, J, f = masses(rng, nv), rows(rng, m, nv, redundant), 5.0 * rng.normal(size=nv)
    pulls = rng.random(m) < 0.7
    gamma = J @ rng.normal(size=nv) + np.where(pulls, rng.uniform(0.0, 1.0, m), 0.0)
    want, got = by_other_means.least_constraint(M, f, J, gamma, pulls), algebra.least_constraint(M, f, J, gamma, pulls)
    assert got.feasible
    assert np.abs(got.multipliers * got.opening)[pulls].max(initial=0.0) < 1e-8
    near(got.acceleration, want, 1e4 * np.linalg.cond(M) * np.abs(want).max())
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
    """The laws hold, or it is said that there are no forces: without friction there always are."""
    rng = np.random.default_rng(seed)
    W, mu = pairs(rng, k, nv)
    c = Cones.of(W, W @ rng.normal(size=3 * k), mu)
    try:
        got = algebra.solve_cones(c)
    except NoContactForcesError:
        assert mu.any()  # Painleve's region
        return
    scale = np.abs(c.b).max()
    assert by_other_means.fault(c, got.p, got.u) < 1e-7 * scale + 1e-300
    np.testing.assert_allclose(got.u, (W @ got.p.ravel() + c.b).reshape(k, 3), atol=1e-9 * scale)


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, k=st.integers(1, 4))
def test_pairs_that_are_independent_have_one_solution(seed: int, k: int) -> None:
    """Weak friction and rows that do not depend on each other: forces, velocities and modes are unique."""
    rng = np.random.default_rng(seed)
    A = np.eye(3 * k) + 0.05 * rng.normal(size=(3 * k, 3 * k))
    W, mu = A @ A.T, rng.uniform(0.0, 0.3, k) * (rng.random(k) < 0.8)
    slip = np.full((k, 2), np.nan)
    for i in np.flatnonzero((rng.random(k) < 0.3) & (mu > 0.0)):
        angle = rng.uniform(0.0, 2.0 * np.pi)
        slip[i] = np.cos(angle), np.sin(angle)
    c = Cones.of(W, rng.normal(size=3 * k), mu, slip)
    want, got = by_other_means.solve_cones(c), algebra.solve_cones(c)
    near(got.p, want, 10.0)
    near(got.u, (W @ want.ravel() + c.b).reshape(k, 3), 10.0)
    closed = got.modes != algebra.Touch.OPEN
    assert (got.u[closed, 0] < 1e-9).all() and (got.p[~closed] == 0.0).all()
    slides = got.modes == algebra.Touch.SLIP
    np.testing.assert_allclose(np.hypot(*got.p[slides, 1:].T), mu[slides] * got.p[slides, 0], atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, k=st.integers(1, 3))
def test_impacts(seed: int, k: int) -> None:
    """Newton's and Poisson's laws, and restitution that is lowered where it would add energy."""
    rng = np.random.default_rng(seed)
    A = np.eye(3 * k) + 0.1 * rng.normal(size=(3 * k, 3 * k))
    W, mu = A @ A.T, rng.uniform(0.0, 0.4, k) * (rng.random(k) < 0.8)
    u, e, poisson = rng.normal(size=(k, 3)), rng.uniform(0.0, 1.0, k), rng.random(k) < 0.4
    got = algebra.strike(W, u, e, mu, poisson)
    impulses, factor, lost = by_other_means.strike(W, u, e, mu, poisson)
    searched = 1e-11 if factor == 1.0 else 1e-9  # as far as the factor is searched for
    np.testing.assert_allclose(got.impulses, impulses, atol=searched)
    np.testing.assert_allclose(got.u, (W @ impulses.ravel()).reshape(k, 3) + u, atol=10.0 * searched)
    assert got.factor == pytest.approx(factor, abs=1e-9)
    assert got.energy_lost == pytest.approx(lost, abs=1e-9)


def test_lowered_restitution_of_a_double_pendulum() -> None:
    """Kane's: Newton's law would raise its energy; restitution is the largest that adds none."""
    W = np.array([[1.0, 2.0, 0.0], [2.0, 4.2, 0.0], [0.0, 0.0, 0.0]])
    u, e, mu, poisson = np.array([[-0.6, -0.4, 0.0]]), np.array([0.9]), np.array([0.8]), np.array([False])
    got = algebra.strike(W, u, e, mu, poisson)
    assert 0.0 < got.factor < 1.0
    x, least = got.impulses.ravel(), algebra.strike(W, u, 0.0 * e, mu, poisson)
    assert got.energy_lost == pytest.approx(-(x @ u.ravel() + 0.5 * x @ W @ x), abs=1e-14)
    assert abs(got.energy_lost) < 1e-11 < least.energy_lost
    assert got.u[0, 0] == pytest.approx(-got.factor * e[0] * u[0, 0], abs=1e-12)


def test_the_paradox_is_told_of_its_pair() -> None:
    """A pair that slides where friction pushes it harder into the surface."""
    W = np.array([[1.0, 2.0, 0.0], [2.0, 5.0, 0.0], [0.0, 0.0, 0.0]])
    c = Cones.of(W, np.array([-1.0, 0.0, 0.0]), np.array([0.8]), np.array([[1.0, 0.0]]))
    with pytest.raises(NoContactForcesError) as told:
        algebra.solve_cones(c)
    assert told.value.pair == 0


@pytest.mark.parametrize("angle", [0.0, 0.7, 1.5707963267948966, 4.0])
def test_the_paradox_does_not_know_the_axes_of_the_tangents(angle: float) -> None:
    """The same pair with its tangents turned: W_nn - mu W_nt d is what decides, along both of them."""
    c, s = np.cos(angle), np.sin(angle)
    T = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    for lever, jams in ((2.0, True), (1.2, False), (-2.0, False)):
        W = T @ np.array([[1.0, lever, 0.0], [lever, 5.0, 0.0], [0.0, 0.0, 3.0]]) @ T.T
        cones = Cones.of(W, np.array([-1.0, 0.0, 0.0]), np.array([0.8]), np.array([[c, s]]))
        if jams:
            with pytest.raises(NoContactForcesError):
                algebra.solve_cones(cones)
            continue
        got = algebra.solve_cones(cones)
        n = 1.0 / (1.0 - 0.8 * lever)
        np.testing.assert_allclose(got.p, [[n, -0.8 * n * c, -0.8 * n * s]], rtol=1e-9)


def test_a_tangent_that_parts_a_pair_undoes_the_jam_of_the_other() -> None:
    """W_nt = (2, -1.5) and d = (0.8, 0.6): along the first tangent alone 0.8 * 1.6 > 1 would jam, both have 0.56."""
    W = np.array([[1.0, 2.0, -1.5], [2.0, 6.0, -3.0], [-1.5, -3.0, 4.0]])
    assert np.linalg.eigvalsh(W)[0] > 0.0
    slip = np.array([[0.8, 0.6]])
    got = algebra.solve_cones(Cones.of(W, np.array([-1.0, 0.0, 0.0]), np.array([0.8]), slip))
    n = 1.0 / (1.0 - 0.8 * (2.0 * 0.8 - 1.5 * 0.6))
    np.testing.assert_allclose(got.p, [[n, -0.8 * n * 0.8, -0.8 * n * 0.6]], rtol=1e-9)
    with pytest.raises(NoContactForcesError):
        algebra.solve_cones(Cones.of(W, np.array([-1.0, 0.0, 0.0]), np.array([0.8]), slip * [1.0, -1.0]))


def test_friction_of_normal_forces_that_are_given_acts_against_the_slip() -> None:
    """p_t = -mu (p_n + given) d: at the restitution of Poisson's law, the friction of its compression goes on."""
    W, d = np.diag([2.0, 1.5, 1.5]), np.array([0.6, -0.8])
    c = Cones.of(W, np.array([-1.0, 0.3, 0.4]), np.array([0.3]), d[None], preload=np.array([0.9]))
    got = algebra.solve_cones(c)
    np.testing.assert_allclose(got.p[0], [0.5, *(-0.3 * (0.5 + 0.9) * d)], rtol=1e-12)
    # an impact without friction in its compression is all there is to compare with: both impulses rub
    u, mu, e = np.array([[-2.0, 3.0, -4.0]]), 0.2, 0.5
    struck = algebra.strike(np.diag([2.0, 1.0, 1.0]), u, np.array([e]), np.array([mu]), np.array([True]))
    np.testing.assert_allclose(struck.impulses, [[1.5, -mu * 1.5 * 0.6, mu * 1.5 * 0.8]], rtol=1e-9)


def test_whole_numbers_are_numbers_like_others() -> None:
    """Triangular systems leave out what is zero, and nothing else: a solution that passes through ones."""
    L = np.array([[1.0, 0.0, 0.0], [2.0, 1.0, 0.0], [3.0, -1.0, 1.0]])
    M, J = L @ L.T, np.array([[0.0, 0.0, 1.0]])
    f = L @ np.array([1.0, 1.0, 1.0])
    got = algebra.least_constraint(M, f, J, np.array([0.4]), np.array([False]))
    K = np.block([[M, J.T], [J, np.zeros((1, 1))]])
    np.testing.assert_allclose([*got.acceleration, *got.multipliers], np.linalg.solve(K, [*f, 0.4]), rtol=1e-10)
