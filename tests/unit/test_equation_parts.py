"""Parts of the equations of trees by themselves, against products of matrices of random bodies and twists."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from dalembert.core.types import Array
from dalembert.formulations.tree import composite, coriolis


def _cross(x: Array) -> Array:
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def _body(rng: np.random.Generator) -> tuple[Array, Array]:
    """Ten numbers of a body of points, and its mass matrix for twists [v; w]."""
    m, x = rng.uniform(0.5, 2.0, 5), rng.normal(size=(5, 3))
    D = sum(k * (p @ p * np.eye(3) - np.outer(p, p)) for k, p in zip(m, x, strict=True))
    E = [np.hstack([np.eye(3), -_cross(p)]) for p in x]
    M = sum(k * e.T @ e for k, e in zip(m, E, strict=True))
    return np.r_[m.sum(), m @ x, D[0], D[1, 1:], D[2, 2]], np.asarray(M)


def _numbers(x: Any) -> Array:
    value = np.array(ca.evalf(ca.densify(ca.SX(x))))
    return value.ravel() if value.shape[1] == 1 else value


def _motion(t: Array) -> Array:
    """``t x`` of twists [v; w]."""
    return np.block([[_cross(t[3:]), _cross(t[:3])], [np.zeros((3, 3)), _cross(t[3:])]])


@pytest.mark.parametrize("seed", range(3))
def test_products_of_twists_and_inertias(seed: int) -> None:
    """Numbers of an inertia and its matrix, products with twists, and inertias in other axes."""
    rng = np.random.default_rng(seed)
    (numbers, M), t, s = _body(rng), rng.normal(size=6), rng.normal(size=6)
    I, T, S = (ca.SX(ca.DM(x)) for x in (numbers, t, s))
    np.testing.assert_allclose(_numbers(composite.full_matrix(I[4:])), M[3:, 3:], rtol=1e-13)
    np.testing.assert_allclose(_numbers(composite.six_numbers(ca.SX(ca.DM(M[3:, 3:])))), numbers[4:], rtol=1e-13)
    np.testing.assert_allclose(_numbers(composite.inertia_times(I, T)), M @ t, atol=1e-12)
    np.testing.assert_allclose(_numbers(composite.motion_cross(T, S)), _motion(t) @ s, atol=1e-13)
    np.testing.assert_allclose(_numbers(composite.force_cross(T, S)), -_motion(t).T @ s, atol=1e-13)
    np.testing.assert_allclose(_numbers(coriolis._ad(T)), _motion(t), atol=1e-13)
    np.testing.assert_allclose(_numbers(coriolis._ad_bar(T)) @ s, -_motion(s).T @ t, atol=1e-13)
    R, p = Rotation.random(random_state=seed).as_matrix(), rng.normal(size=3)
    X = np.block([[R, _cross(p) @ R], [np.zeros((3, 3)), R]])
    np.testing.assert_allclose(_numbers(coriolis._motion_to_world(ca.SX(R), ca.SX(p))), X, atol=1e-13)
    Y = np.linalg.inv(X)
    np.testing.assert_allclose(_numbers(coriolis._motion_from_world(ca.SX(R), ca.SX(p))), Y, atol=1e-13)
    moved = _numbers(composite.moved_inertia(ca.SX(R), ca.SX(p), I))
    N = Y.T @ M @ Y
    np.testing.assert_allclose(_numbers(composite.full_matrix(ca.SX(moved[4:]))), N[3:, 3:], atol=1e-11)
    np.testing.assert_allclose(moved[0], M[0, 0], rtol=1e-13)
    np.testing.assert_allclose(_cross(moved[1:4]), N[3:, :3], atol=1e-12)
    other = rng.normal(size=3)
    pose = ca.SX(np.r_[R.T.ravel(), p + other, other])
    np.testing.assert_allclose(_numbers(composite._in_world(pose, S)), X @ s, atol=1e-12)
    axis, same = composite._about_point(pose, ca.vertcat(S, I))
    np.testing.assert_allclose(_numbers(axis), X @ s, atol=1e-12)
    np.testing.assert_allclose(_numbers(same), moved, atol=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_matrices_of_momenta(seed: int) -> None:
    """``B t = t x* M t`` and ``B + B^T = M'``, for one body and for the sums that a joint carries."""
    rng = np.random.default_rng(10 + seed)
    (numbers, M), t, s = _body(rng), rng.normal(size=6), rng.normal(size=6)
    I, T, S = (ca.SX(ca.DM(x)) for x in (numbers, t, s))
    h, E = (_numbers(x) for x in composite.momentum_matrix(I, T))
    np.testing.assert_allclose(h, M @ t, atol=1e-12)
    B = np.block([[np.zeros((3, 3)), -_cross(h[:3])], [np.zeros((3, 3)), E]])
    np.testing.assert_allclose(B @ t, -_motion(t).T @ M @ t, atol=1e-11)
    h_step = 1e-5
    Y = [expm(-_motion(t) * k * h_step) for k in (1, -1)]  # the body a little later and earlier
    rate = (Y[0].T @ M @ Y[0] - Y[1].T @ M @ Y[1]) / (2 * h_step)
    np.testing.assert_allclose(B + B.T, rate, atol=1e-6)
    P, R, p = rng.normal(size=6), Rotation.random(random_state=seed).as_matrix(), rng.normal(size=3)
    other = rng.normal(size=3)
    pose = ca.SX(np.r_[R.T.ravel(), p + other, other])
    X = np.block([[R, _cross(p) @ R], [np.zeros((3, 3)), R]])
    for turning, added in ((ca.SX(0, 1), np.zeros(6)), (ca.SX(ca.DM(P)), X @ P)):
        S_rate, both = composite._moving(pose, turning, S, I, T)
        np.testing.assert_allclose(_numbers(S_rate), _motion(t) @ s + added, atol=1e-12)
        np.testing.assert_allclose(_numbers(both), np.r_[h[:3], E.T.ravel()], atol=1e-12)
    r = rng.normal(size=6)
    found = composite._axis_products(S, ca.SX(ca.DM(r)), ca.vertcat(I, ca.SX(np.r_[h[:3], E.T.ravel()])))
    IS, row, F = (_numbers(x) for x in found)
    np.testing.assert_allclose(IS, M @ s, atol=1e-12)
    np.testing.assert_allclose(np.r_[np.zeros(3), row], s @ B, atol=1e-12)
    np.testing.assert_allclose(F, B @ s + M @ r, atol=1e-11)


def test_cells_of_a_row_beside_another() -> None:
    """Columns move to the right; places of starts and of factors are counted from there."""
    cells: Any = {2: (None, ((4, 70), (9, 81))), 5: (33, ((1, 52),))}
    assert composite.beside(cells, 7) == {9: (None, ((4, 63), (9, 74))), 12: (26, ((1, 45),))}
