"""The linear algebra of constraints: its equations hold, on random mass matrices and rows that depend on each other."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.core.constraint_algebra import (
    allowed_motions,
    correction,
    corrections,
    factorise,
    independent_rows,
    minimum_norm,
)


def system(seed, nv=7, rank=3, extra=2, batch=()):
    """A mass matrix, rows of which ``extra`` depend on the others, and a right side that they can meet."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(*batch, nv, nv))
    M = A @ np.swapaxes(A, -1, -2) + np.eye(nv)
    own = rng.normal(size=(*batch, rank, nv))
    J = np.concatenate([own, rng.normal(size=(*batch, extra, rank)) @ own], axis=-2)
    J = J * 10.0 ** rng.uniform(-4, 4, size=(*batch, rank + extra, 1))  # rows in units of their own
    gamma = (J @ rng.normal(size=(*batch, nv, 1)))[..., 0]
    return M, J, gamma, rng.normal(size=(*batch, nv))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("extra", [0, 2])
def test_accelerations_and_multipliers_satisfy_their_equations(seed, extra) -> None:
    """``M a + J^T lambda = f`` and ``J a = gamma``; of all multipliers those without a part that does nothing."""
    M, J, gamma, f = system(seed, extra=extra)
    a, multipliers = minimum_norm(M, f, J, gamma)
    size = np.linalg.norm(J, axis=1) * np.linalg.norm(a)
    assert np.abs((J @ a - gamma) / size).max() < 1e-9
    assert np.abs(M @ a + J.T @ multipliers - f).max() < 1e-9 * np.abs(M).max() * np.abs(a).max()
    idle = np.linalg.svd(J / np.linalg.norm(J, axis=1)[:, None])[0][:, 3:] / np.linalg.norm(J, axis=1)[:, None]
    for k in idle.T:  # J^T k = 0
        assert abs(k @ multipliers) < 1e-7 * np.linalg.norm(k) * np.linalg.norm(multipliers)


def test_batches_are_the_single_systems() -> None:
    """Leading axes are so many systems."""
    M, J, gamma, f = system(3, batch=(4,))
    a, multipliers = minimum_norm(M, f, J, gamma)
    for k in range(4):
        one = minimum_norm(M[k], f[k], J[k], gamma[k])
        np.testing.assert_allclose(a[k], one.acceleration, rtol=1e-9, atol=1e-12 * np.abs(a).max())
        np.testing.assert_allclose(multipliers[k], one.multipliers, rtol=1e-9, atol=1e-9 * np.abs(multipliers[k]).max())


def test_short_rows_count_as_long_ones_do() -> None:
    """Whether a row is independent does not depend on its unit: one of a length of 1e-9 holds like the others."""
    J = np.array([[1.0, 0.0, 0.0], [0.0, 1e-9, 0.0]])
    assert independent_rows(J) == 2
    a, multipliers = minimum_norm(np.eye(3), np.array([1.0, 2.0, 3.0]), J, np.zeros(2))
    np.testing.assert_allclose(a, [0.0, 0.0, 3.0], atol=1e-12)
    np.testing.assert_allclose(multipliers, [1.0, 2e9], rtol=1e-9)
    assert allowed_motions(np.eye(3), J).shape == (3, 1)


@pytest.mark.parametrize("rows", [0, 5])
def test_allowed_motions_are_complete_and_orthonormal(rows) -> None:
    """``J N = 0``, ``N^T M N = 1``, as many as there are degrees of freedom; a correction has no part of them."""
    M, J, gamma, _ = system(1)
    J, gamma = J[:rows], gamma[:rows]
    N = allowed_motions(M, J)
    assert N.shape == (7, 7 - min(rows, 3))
    np.testing.assert_allclose(N.T @ M @ N, np.eye(N.shape[1]), atol=1e-12)
    lengths = np.linalg.norm(J, axis=1)[:, None]
    assert np.abs(J @ N / lengths).max(initial=0.0) < 1e-9
    d = correction(M, J, gamma)
    assert np.abs((J @ d + gamma) / lengths[:, 0]).max(initial=0.0) < 1e-9
    assert np.abs(N.T @ M @ d).max() < 1e-9 * max(1.0, np.linalg.norm(d))


@pytest.mark.parametrize("extra", [0, 2])
def test_corrections_of_many_are_those_of_each(extra) -> None:
    """Also where rows do not act, depend on others, or do so nearly; to the bit no one's depends on the others."""
    M, J, gamma, _ = system(6, extra=extra, batch=(9,))
    J[2, 1], gamma[2, 1] = 0.0, 0.0
    J[4, 2] = J[4, 1] + 9e-4 * J[4, 0] * np.linalg.norm(J[4, 1]) / np.linalg.norm(J[4, 0])
    gamma[4] = J[4] @ np.arange(7.0)
    J[5, 2], gamma[5, 2] = 3.0 * J[5, 0], 3.0 * gamma[5, 0]
    J[7], gamma[7] = 0.0, 0.0
    many = corrections(M, J, gamma)
    for k in range(9):
        np.testing.assert_allclose(many[k], correction(M[k], J[k], gamma[k]), rtol=0, atol=1e-9 * np.abs(many[k]).max())
    np.testing.assert_array_equal(corrections(M[3:6], J[3:6], gamma[3:6]), many[3:6])
    assert not corrections(M, J[:, :0], gamma[:, :0]).any()


def test_factors_are_factors() -> None:
    """``L L^T = M`` and ``L Y = J^T``; the reactions have the rank of the rows."""
    M, J, _, _ = system(4)
    F = factorise(M, J)
    np.testing.assert_allclose(F.L @ F.L.T, M, atol=1e-12 * np.abs(M).max())
    np.testing.assert_allclose(F.L @ F.Y, J.T, atol=1e-12 * np.abs(J).max())
    assert np.linalg.matrix_rank(F.reactions) == 3
