"""Friction problems in the format of Siconos: reading, residuals, and solutions by the solver of the steps."""

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.benchmarks.friction_problems import compare, read_problem, residual


def _written(path: Path, W: np.ndarray, q: np.ndarray, mu: np.ndarray, *, sparse: bool) -> Path:
    """Write a problem as Siconos does: the whole matrix by rows, or the blocks that are not zero by columns."""
    k, n = len(mu), len(q)
    d = n // k
    lines = [d, k, int(sparse), n, n]
    if not sparse:
        lines += [f"{n}\t{n}", *(" ".join(map(repr, row.tolist())) for row in W)]
    else:
        blocks = W.reshape(k, d, k, d).swapaxes(1, 2)
        used = [[j for j in range(k) if blocks[i, j].any()] for i in range(k)]
        ends = " ".join(str(d * (i + 1)) for i in range(k))
        first = np.cumsum([0, *map(len, used)])
        lines += [first[-1], k, k, ends, ends, k + 1, first[-1], " ".join(map(str, first))]
        lines.append(" ".join(str(j) for row in used for j in row))
        number = 0
        for i, row in enumerate(used):
            for j in row:
                lines += [number, *(repr(float(x)) for x in blocks[i, j].T.ravel())]
                number += 1
    lines += [" ".join(map(repr, q.tolist())), " ".join(map(repr, mu.tolist())), 1]
    path.write_text("\n".join(map(str, lines)) + "\n")
    return path


def _problem(rng: np.random.Generator, dimension: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Contacts of a chain of bodies: blocks beside the diagonal are full, all others zero."""
    k = 5
    A = np.zeros((dimension * k, dimension * (k + 1)))
    for i in range(k):
        A[dimension * i : dimension * (i + 1), dimension * i : dimension * (i + 2)] = rng.normal(
            size=(dimension, 2 * dimension)
        )
    return A @ A.T, rng.normal(size=dimension * k), rng.uniform(0.1, 0.9, k)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("dimension", [2, 3])
def test_problems_are_read_and_solved(tmp_path: Path, dimension: int, sparse: bool) -> None:
    W, q, mu = _problem(np.random.default_rng(29), dimension)
    problem = read_problem(_written(tmp_path / "chain.dat", W, q, mu, sparse=sparse))
    rows = (3 * np.arange(5)[:, None] + np.arange(dimension)).ravel()
    np.testing.assert_allclose(problem.W[np.ix_(rows, rows)], W, rtol=1e-15)
    np.testing.assert_array_equal(problem.q[rows], q)
    (row,) = compare(tmp_path)["results"]
    assert row["contacts"] == 5 and row["dalembert"]["residual"] < 1e-7
    assert 0.0 < residual(problem, np.ones(15)) < np.inf


def test_the_residual_is_zero_for_forces_that_obey_the_law(tmp_path: Path) -> None:
    """A contact that slides: ``u_n = 0`` and friction opposite to the slip; and one that opens."""
    mu, W = np.array([0.5, 0.5]), np.eye(6)
    q = np.array([-2.0, 3.0, 0.0, 1.0, 0.0, 0.0])
    problem = read_problem(_written(tmp_path / "two.dat", W, q, mu, sparse=False))
    r = np.array([2.0, -1.0, 0.0, 0.0, 0.0, 0.0])
    assert residual(problem, r) == 0.0
    for wrong in ([2.0, 1.0, 0.0], [1.0, -0.5, 0.0], [2.0, -0.5, 0.0]):
        assert residual(problem, np.append(wrong, np.zeros(3))) > 0.1


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(da.InputError, match=r"no friction problems \(\*\.dat\) in"):
        compare(tmp_path)
    (tmp_path / "bad.dat").write_text("3 4 0 12 12 12 12 1.0")
    with pytest.raises(da.InputError, match="is not a friction problem of Siconos"):
        compare(tmp_path)
    (tmp_path / "bad.dat").write_text("3 1 5 3 3")
    with pytest.raises(da.InputError, match="stores its matrix as kind 5"):
        compare(tmp_path)
