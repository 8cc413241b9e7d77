"""Lower bounds of real blocks at one matrix: resultants of integer polynomials, closed forms, and jumps of mu."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from dalembert.control.mu import mu
from dalembert.control.mu.real import real_lower_bound
from dalembert.control.uncertain import DeltaBlock


def blocks(*sizes: int) -> list[DeltaBlock]:
    return [DeltaBlock(f"d{k}", size) for k, size in enumerate(sizes)]


def exact(M: np.ndarray, first: int) -> float:
    """mu of two repeated real blocks: real common roots of real and imaginary part of ``det(1 - M Delta)``."""
    a, b = sp.symbols("a b", real=True)
    n = len(M)
    matrix = sp.Matrix(n, n, lambda i, j: sp.Integer(int(M[i, j].real)) + sp.I * int(M[i, j].imag))
    delta = sp.diag(*[a] * first, *[b] * (n - first))
    p = sp.expand((sp.eye(n) - matrix * delta).det(method="berkowitz"))
    real, imaginary = sp.re(p), sp.im(p)
    best = 0.0
    for root in sp.Poly(sp.resultant(real, imaginary, b), a).nroots(n=30, maxsteps=200):
        x = sp.re(root)
        if abs(sp.im(root)) > 1e-12:
            continue
        for other in sp.Poly(real.subs(a, x), b).nroots(n=30, maxsteps=200):
            y = sp.re(other)
            if abs(sp.im(other)) < 1e-12 and abs(imaginary.subs({a: x, b: y})) < 1e-9:
                best = max(best, float(1 / max(abs(x), abs(y))))
    return best


@pytest.mark.parametrize(
    ("first", "second", "seed"), [(2, 2, 0), (2, 1, 1), (1, 2, 2), (2, 2, 3), (2, 1, 4), (1, 2, 5)]
)
def test_two_repeated_blocks_are_the_roots_of_their_resultant(first: int, second: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = first + second
    M = rng.integers(-5, 6, (n, n)) + 1j * rng.integers(-5, 6, (n, n))
    truth = exact(M, first)
    assert real_lower_bound(M, blocks(first, second)) == pytest.approx(truth, rel=1e-7)


def test_values_of_very_different_size_are_found() -> None:
    M = np.array([[-4 + 3j, -5, -4 - 3j], [4 - 4j, -5j, -1 - 5j], [-3 - 4j, 4 + 2j, 0]])
    assert real_lower_bound(M, blocks(2, 1)) == pytest.approx(exact(M, 2), rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_one_repeated_block_of_a_real_matrix_has_the_largest_real_eigenvalue(seed: int) -> None:
    M = np.random.default_rng(seed).normal(size=(5, 5))
    values = np.linalg.eigvals(M)
    truth = max((abs(v.real) for v in values if v.imag == 0.0), default=0.0)
    assert real_lower_bound(M, blocks(5)) == pytest.approx(truth, rel=1e-9)
    assert real_lower_bound(0.2108 * np.eye(3), blocks(3)) == 0.2108


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))])
def test_bounds_of_random_blocks_are_shown_by_a_singular_matrix_below_the_upper_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    M = rng.normal(size=(7, 7)) + 1j * rng.normal(size=(7, 7)) * (seed > 0)
    found = mu(M, blocks(3, 2, 2))
    assert 0.5 * found.upper < found.lower <= found.upper


def test_no_bound_exceeds_mu_where_it_jumps() -> None:
    small = 1e-10
    assert real_lower_bound(np.array([[1.0 + 1j * small]]), blocks(1)) == 0.0
    assert real_lower_bound(np.array([[1.0, small], [-small, 1.0]]), blocks(2)) == 0.0
    assert real_lower_bound(np.diag([1.0 + 1j * small, 0.5]), blocks(1, 1)) == 0.5
    # (1 - a)(1 - b/2) = 0 and a (1 - b/2) + a b / 10 = 0 have the solutions (1, 2.5) and (0, 2)
    M = np.array([[1.0 + 1j * small, 1j * small], [0.1, 0.5]])
    assert real_lower_bound(M, blocks(1, 1)) <= 0.5
    nearly = np.random.default_rng(0).normal(size=(2, 4, 4))
    assert real_lower_bound(nearly[0] + 1e-14j * nearly[1], blocks(2, 1, 1)) == 0.0
    assert real_lower_bound(nearly[0], blocks(2, 1, 1)) > 0.5
