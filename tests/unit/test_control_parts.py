"""Parts of syntheses and proofs that their searches would repair: bounds, forms and gradients, one by one."""

from __future__ import annotations

from itertools import combinations_with_replacement
from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import control
import numpy as np
import pytest
from numpy.typing import NDArray

from dalembert.control.mu.scalings import _hermitian
from dalembert.control.structured.controllers import low_pass, notch
from dalembert.control.structured.requirements import margin
from dalembert.control.structured.synthesis import _next_weight
from dalembert.control.uncertain import constant, parameter, system_lft
from dalembert.control.uncertain.error import moved_by
from dalembert.control.uncertain.lft import rotation
from dalembert.control.uncertain.reduction import singular
from dalembert.control.varying.energy import EnergyFunction, basis, curvature
from dalembert.control.varying.falsification import _Search
from dalembert.control.varying.refinements import lifted_matrix


def test_hermitian_matrices_have_as_many_numbers() -> None:
    x = np.random.default_rng(1).normal(size=(4, 4))
    H = _hermitian(x)
    upper = np.triu_indices(4, 1)
    assert np.abs(H - H.conj().T).max() < 1e-15 and (np.diag(H) == np.diag(x)).all()
    assert np.abs(H[upper] - (x[upper] - 1j * x.T[upper])).max() < 1e-15


def _response(structure: Any, x: list[float], s: complex) -> complex:
    A, B, C, D = (np.array(ca.DM(ca.densify(ca.SX(m))).full()) for m in structure.matrices(ca.DM(x)))
    return complex((C @ np.linalg.solve(s * np.eye(len(A)) - A, B) + D)[0, 0])


def test_filters_have_their_transfer_functions() -> None:
    s, w, d, z = 0.3 + 2.1j, 3.0, 0.2, 0.4
    values = {"u.omega": w, "u.depth": d, "u.width": z, "u.damping": z}
    for structure, expected in (
        (notch("u", "y", omega=(1.0, 9.0)), (s * s + 2 * d * z * w * s + w * w) / (s * s + 2 * z * w * s + w * w)),
        (notch("u", "y", omega=w), (s * s + 2 * d * z * w * s + w * w) / (s * s + 2 * z * w * s + w * w)),
        (low_pass("u", "y", order=1, omega=(1.0, 9.0)), w / (s + w)),
        (low_pass("u", "y", order=2, omega=(1.0, 9.0)), w * w / (s * s + 2 * z * w * s + w * w)),
    ):
        x = [values[t.name] for t in structure.tunables]
        assert _response(structure, x, s) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("phase", [0.2, 0.7, 1.2])
def test_a_margin_of_phase_is_met_with_equality_by_a_loop_that_has_it(phase: float) -> None:
    """``L = -exp(j phase)`` loses ``phase`` to instability: there ``|S - T|`` is the bound."""
    L = -np.exp(1j * phase)
    assert margin("y", phase=phase).bound == pytest.approx(abs((1.0 - L) / (1.0 + L)), rel=1e-12)
    gain = float(np.tan(np.pi / 4 + phase / 4))
    assert margin("y", gain=gain).bound == pytest.approx(abs((1.0 + 1.0 / gain) / (1.0 - 1.0 / gain)), rel=1e-12)


def test_weights_of_hard_requirements() -> None:
    """Larger where a hard requirement is missed, smaller where it is met, and in between once both are known."""
    assert _next_weight(1.0, 1.0, None, None) < 1.0 < _next_weight(1.0, 1.001, None, None)
    assert 2.0 < _next_weight(3.0, 1.2, (2.0, 1.2), (4.0, 0.9)) < 4.0


def test_bases_of_positions() -> None:
    for x in (-1.3, 0.4, 2.0):
        one, c, s, c2, s2 = basis(x, True)
        assert (one, c) == (1.0, np.cos(x)) and c2 == pytest.approx(c * c - s * s) and s2 == pytest.approx(2 * s * c)
        assert basis(x, False).tolist() == [1.0, x, x * x]
    for turning in (True, False):
        h, places = 1e-4, np.linspace(-3.0, 3.0, 61)
        second = [(basis(x + h, turning) - 2.0 * basis(x, turning) + basis(x - h, turning)) / h**2 for x in places]
        np.testing.assert_allclose(np.abs(second).max(axis=0), curvature(turning), atol=1e-2)


def test_fall_of_an_energy_function_along_motions() -> None:
    """``2 V = x (rest + X) x + 2 x S M v + v M v`` along ``M v' = -D v - K x``, differentiated by hand."""
    rng = np.random.default_rng(2)
    n, decay = 3, 0.3

    def symmetric() -> NDArray[Any]:
        A = rng.normal(size=(n, n))
        return np.asarray(A + A.T)

    M, change, rest, softer, X = (symmetric() for _ in range(5))
    M = M @ M + np.eye(n)
    D, K, S = (rng.normal(size=(n, n)) for _ in range(3))
    energy, parts = EnergyFunction(S, X, np.ones(2 * n)), np.array([M, change, D, K, rest, softer])
    W = energy.fall(parts, decay)
    assert np.abs(W - W.T).max() < 1e-13
    for _ in range(5):
        x, v = rng.normal(size=n), rng.normal(size=n)
        a = np.linalg.solve(M, -D @ v - K @ x)
        twice = x @ (rest + X) @ x + 2 * x @ S @ M @ v + v @ M @ v
        rate = 2 * x @ (rest + X) @ v + x @ softer @ x + 2 * v @ S @ M @ v
        rate += 2 * x @ S @ (change @ v + M @ a) + v @ change @ v + 2 * v @ M @ a
        y = np.concatenate([x, v])
        assert y @ W @ y == pytest.approx(-rate - 2.0 * decay * twice, rel=1e-12)


def test_products_of_states_decay_as_sums_of_poles() -> None:
    A = np.random.default_rng(3).normal(size=(3, 3))
    poles = np.linalg.eigvals(A)
    for order in (1, 2, 3):
        sums = [sum(x) for x in combinations_with_replacement(poles, order)]
        lifted = np.linalg.eigvals(lifted_matrix(A, order))
        assert len(lifted) == len(sums)
        assert max(np.abs(lifted - s).min() for s in sums) < 1e-9


def test_rotations_by_tangents() -> None:
    for tangent, part, size in (("half", 2.0, 2), ("quarter", 4.0, 4)):
        turn = rotation("a", tangent)
        assert turn.M11.shape == (size, size)
        for angle in (-1.1, 0.3, 2.0):
            t = np.tan(angle / part)
            made = turn.M22 + turn.M21 @ (t * np.linalg.inv(np.eye(size) - t * turn.M11)) @ turn.M12
            expected = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
            np.testing.assert_allclose(made, expected, atol=1e-12)


def test_equations_that_have_no_solution_in_any_units() -> None:
    assert not singular(np.diag([1e-20, 1e20])) and not singular(np.zeros((0, 0)))
    assert singular(np.ones((2, 2))) and singular(np.array([[1.0, 1.0], [1.0, 1.0 + 2e-15]]))


def test_bound_of_what_a_change_of_matrices_moves() -> None:
    """The bound holds for every change within it, and the largest one of positive matrices reaches it."""
    rng = np.random.default_rng(4)
    A, B, C, D = rng.uniform(0.0, 0.2, (3, 3)), rng.uniform(size=(3, 2)), rng.uniform(size=(2, 3)), np.zeros((2, 2))
    change = tuple(0.02 * rng.uniform(size=M.shape) for M in (A, B, C, D))
    raw = cast(Any, SimpleNamespace(matrices=(A, B, C, D), radii=tuple(np.zeros_like(M) for M in (A, B, C, D))))
    S = np.linalg.inv(np.eye(3) - A)
    bound = moved_by(raw, S, cast(Any, change))

    def whole(signs: float) -> NDArray[Any]:
        a, b, c, d = (M + signs * E for M, E in zip((A, B, C, D), change, strict=True))
        return np.asarray(c @ np.linalg.solve(np.eye(3) - a, b) + d)

    np.testing.assert_allclose(whole(1.0) - whole(0.0), bound, rtol=1e-5)
    assert (np.abs(whole(-1.0) - whole(0.0)) <= bound).all()


def test_gradient_of_the_growth_under_a_variation() -> None:
    """By differences of the growth itself; the derivative of an exponential is of second order in the step."""
    A0, A1 = np.array([[0.0, 1.0], [-1.0, -0.2]]), np.array([[0.0], [-0.6]])
    A = constant(A0) + constant(A1) @ parameter("d1") @ constant(np.array([[0.7, 0.5]]))
    integrators = system_lft(control.ss(np.zeros((2, 2)), np.eye(2), np.eye(2), 0))
    search = _Search(integrators.feedback(-A, integrators.outputs, integrators.inputs), {"d1": 0.7}, None)
    poles = np.abs(np.linalg.eigvals(A0))
    assert search.periods == pytest.approx((0.6 * np.pi / poles.max(), 20.0 * np.pi / poles.min()))
    for seed in range(3):
        x = np.random.default_rng(seed).uniform(-0.8, 0.8, search.size)
        value, gradient = search.descent(x)
        assert value == pytest.approx(-search.growth(x), rel=1e-9)
        e = 1e-6
        numeric = [-(search.growth(x + e * d) - search.growth(x - e * d)) / (2.0 * e) for d in np.eye(search.size)]
        np.testing.assert_allclose(gradient, numeric, rtol=2e-2, atol=2e-3 * np.abs(numeric).max())
