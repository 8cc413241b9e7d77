"""Contacts that depend on each other so nearly that pivots (Lemke) are needed to find their forces."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.reference.unilateral import fault

from dalembert.engine.unilateral import algebra
from dalembert.engine.unilateral.algebra import Cones

SEEDS = st.integers(0, 2**31)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, k=st.integers(1, 6), nv=st.integers(3, 12))
def test_impacts_with_friction_in_the_plane(seed: int, k: int, nv: int) -> None:
    """Redundant or not: such impacts always have a solution, and it is found."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3 * k, nv))
    A[2::3] = 0.0
    W, b = A @ A.T, A @ rng.normal(size=nv)
    c = Cones.of(W, b, rng.uniform(0.0, 1.0, k))
    made = algebra.solve_cones(c)
    np.testing.assert_allclose(made.u, (W @ made.p.ravel() + b).reshape(k, 3), atol=1e-9 * np.abs(b).max())
    assert fault(c, made.p, made.u) <= 1e-8 * np.abs(b).max()


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
    got = algebra.solve_cones(c)
    assert fault(c, got.p, got.u) <= 1e-9 * np.abs(c.b).max()
