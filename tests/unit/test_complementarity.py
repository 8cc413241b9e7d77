"""Linear complementarity problems, and contacts that depend on each other so nearly that pivots are needed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.core import contact_algebra
from dalembert.core.complementarity import complementary
from dalembert.core.cone_search import pivoted
from dalembert.core.cones import Cones, Solution, fault
from dalembert.engine.unilateral import algebra

SEEDS = st.integers(0, 2**31)


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, n=st.integers(1, 8))
def test_positive_definite_problems_have_the_solution(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    A, q = A @ A.T / n + 0.1 * np.eye(n), rng.normal(size=n)
    z = complementary(A, q)
    assert z is not None and (z >= 0.0).all()
    np.testing.assert_allclose(np.minimum(z, A @ z + q), 0.0, atol=1e-10)


def test_a_problem_without_a_solution_says_so() -> None:
    assert complementary(np.array([[-1.0]]), np.array([-1.0])) is None
    assert complementary(np.array([[-1.0]]), np.array([1.0])) == pytest.approx([0.0])


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, k=st.integers(1, 6), nv=st.integers(3, 12))
def test_impacts_with_friction_in_the_plane_by_pivots_alone(seed: int, k: int, nv: int) -> None:
    """Redundant or not: such impacts always have a solution, and pivots find it."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3 * k, nv))
    A[2::3] = 0.0
    W, b = A @ A.T, A @ rng.normal(size=nv)
    c = Cones.of(W, b, rng.uniform(0.0, 1.0, k))
    p = pivoted(c)
    assert p is not None
    made = Solution(p, (W @ p.ravel() + b).reshape(k, 3), np.zeros(k, dtype=np.int64))
    assert fault(c, made) <= 1e-9 * np.abs(b).max()


def flat_chain(seed: int, links: int = 9) -> Cones:
    """Ends of a chain of stiff links that lies on the ground nearly straight: they can hardly slip apart."""
    rng = np.random.default_rng(seed)
    nv = 2 * links + 2  # a motion along the chain, one of each end across it, and stretches that hardly count
    A = np.zeros((3 * (links + 1), nv))
    for i in range(links + 1):
        A[3 * i, 1 + i] = 2.5
        A[3 * i + 1, 0] = 0.3
        A[3 * i + 1, 1 : 2 + links] = 1e-3 * rng.normal(size=links + 1)
        A[3 * i + 1, 2 + links :] = 1e-5 * rng.normal(size=links)
    slip = np.full((links + 1, 2), np.nan)
    for i in np.flatnonzero(rng.random(links + 1) < 0.6):
        slip[i] = rng.choice([-1.0, 1.0]), 0.0
    b = A @ np.r_[rng.normal(), -20.0 * rng.random(links + 1), rng.normal(size=links)]
    return Cones.of(A @ A.T, b, np.full(links + 1, 0.3), slip)


@pytest.mark.parametrize("seed", range(12))
def test_ends_of_a_flat_chain_that_rubs(seed: int) -> None:
    """Conditions of 1e10: projections and Newton's method alone find no forces for some of these, where there are."""
    c = flat_chain(seed)
    want, got = contact_algebra.solve_cones(c), algebra.solve_cones(c)
    scale = np.abs(c.b).max()
    for made in (want, got):
        assert fault(c, made) <= 1e-9 * scale
    np.testing.assert_allclose(got.u, want.u, rtol=0.0, atol=1e-8 * scale)
