"""Parts of proofs along parameters and motions that vary: polynomials, bounds, members of pairs, one by one."""

from __future__ import annotations

import sys
from itertools import product
from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import control as python_control
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.linalg import eigh, expm
from scipy.special import comb

import dalembert as da
from dalembert.control import linear_feedback
from dalembert.control.uncertain import constant, parameter, system_lft
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.varying import motion_loop
from dalembert.control.varying.energy import EnergyFunction, LinearFamily, monomials
from dalembert.control.varying.falsification import _Search as VariationSearch
from dalembert.control.varying.falsification import exponentials
from dalembert.control.varying.inequalities import Certificate, Inequalities, _semidefinite, _terms
from dalembert.control.varying.motion_search import JointSine
from dalembert.control.varying.motion_search import _Search as MotionSearch
from dalembert.control.varying.motions import _SHARE, proven_motion, verified
from dalembert.control.varying.moving import AGREEMENT, MotionLoop, Varied, loop_equations
from dalembert.control.varying.regions import (
    _Equations,
    _fastest,
    _frame,
    _largest,
    _largest_value,
    _lighter,
    _norm,
    _Terms,
    motion_region,
)
from dalembert.control.varying.scaling import scaled
from dalembert.control.varying.sectors import saturation, saturation_region
from dalembert.control.varying.splines import GridFunction, _Grid
from dalembert.loop.motion_pairs import EnvelopeCase, attack, contraction

RNG = np.random.default_rng(5)
START = RNG.bit_generator.state


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Whichever tests ran before."""
    RNG.bit_generator.state = START


def _bernstein(P: NDArray[Any], u: list[float]) -> NDArray[Any]:
    """A polynomial with these Bernstein coefficients, by axes, at numbers between 0 and 1."""
    for x in u:
        n = P.shape[0] - 1
        P = np.tensordot([comb(n, k) * x**k * (1.0 - x) ** (n - k) for k in range(n + 1)], P, axes=(0, 0))
    return P


def _system(curved: bool) -> tuple[tuple[NDArray[Any], ...], list[DeltaBlock]]:
    """A(d), affine in b, and of degree two in a if that is asked: ``D`` is nilpotent."""
    A, B, C, D = RNG.normal(size=(2, 2)), RNG.normal(size=(2, 3)), RNG.normal(size=(3, 2)), np.zeros((3, 3))
    D[0, 1] = 0.7 if curved else 0.0
    return (A, B, C, D), [DeltaBlock("a", 2), DeltaBlock("b", 1)]


@pytest.mark.parametrize("curved", [False, True])
@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("tied", [False, True])
def test_coefficients_of_the_derivative_are_those_of_a_polynomial(curved: bool, degree: int, tied: bool) -> None:
    """``V' = P' + A^T P + P A`` at random parameters and the corners of their rates, on every cell."""
    (A, B, C, D), blocks = _system(curved)
    ties = {"a": ("b", 0.6)} if tied else {}
    rates, pieces = {"a": 0.8, "b": 1.7}, {"a": 2, "b": 3}
    grid = _Grid((A, B, C, D), blocks, rates, ties, pieces, degree, 1)
    assert [axis.q for axis in grid.axes] == [2 if curved else 1, 1]
    total = int(np.prod([axis.count for axis in grid.axes]))
    x = RNG.normal(size=(total, 3))
    seen = set()
    for cell, places, operators in grid.each():
        seen.update(places.tolist())
        widths = [axis.knots[c + 1] - axis.knots[c] for axis, c in zip(grid.axes, cell, strict=True)]
        P = grid.matrices(x[places]).reshape(degree + 1, degree + 1, 2, 2)
        u = RNG.uniform(size=2).tolist()
        d = [axis.knots[c] + w * y for axis, c, w, y in zip(grid.axes, cell, widths, u, strict=True)]
        delta = np.array([d[0], d[0], d[1]])
        now = A + B @ np.linalg.solve(np.eye(3) - delta[:, None] * D, delta[:, None] * C)
        np.testing.assert_allclose(grid.at(d), now, rtol=1e-12)
        h = 1e-6
        slopes = [
            (_bernstein(P, [y + h * (k == i) for i, y in enumerate(u)])
             - _bernstein(P, [y - h * (k == i) for i, y in enumerate(u)])) / (2.0 * h * widths[k])
            for k in range(2)
        ]  # fmt: skip
        value = _bernstein(P, u)
        assert len(operators) == (2 if tied else 4)
        for M, corner in zip(operators, grid.corners, strict=True):
            moves = [0.6 * d[1] if tied else 0.8 * corner["a"], 1.7 * corner["b"]]
            expected = now.T @ value + value @ now + moves[0] * slopes[0] + moves[1] * slopes[1]
            sizes = [degree + axis.q + 1 for axis in grid.axes]
            found = grid.matrices((M @ x[places].ravel()).reshape(-1, 3)).reshape(*sizes, 2, 2)
            np.testing.assert_allclose(_bernstein(found, u), expected, atol=1e-7 * np.abs(x).max())
    assert seen == set(range(total))


def test_functions_do_not_depend_on_parameters_that_jump() -> None:
    system, blocks = _system(False)
    grid = _Grid(system, blocks, {"a": np.inf, "b": 1.0}, {}, {}, 2, 1)
    assert [(axis.p, axis.count) for axis in grid.axes] == [(0, 1), (2, 3)] and len(grid.corners) == 2
    for _, places, operators in grid.each():
        assert len(places) == 3 and all(M.shape == (2 * 4 * 3, 9) for M in operators)


@pytest.mark.parametrize("curved", [0.0, 0.3])
def test_what_interpolation_leaves_out(curved: float) -> None:
    """``A = a + b d c / (1 - d D)`` on a cell that ends at 1, where the next derivative is largest."""
    a, b, c = -1.0, 2.0, 0.7
    D = np.array([[curved]])
    grid = _Grid(
        (np.array([[a]]), np.array([[b]]), np.array([[c]]), D), [DeltaBlock("d", 1)], {"d": 1.0}, {}, {"d": 4}, 1, 1
    )
    rest, into = grid.left_out((3,))
    width, q = 0.5, 2 if curved else 1
    derivative = b * c * (6.0 * curved**2 / (1.0 - curved) ** 4 if curved else 0.0)
    bound = derivative * width**3 / (72.0 * np.sqrt(3.0)) * 1.25
    assert grid.axes[0].q == q and into == 0.0
    assert rest == pytest.approx(bound, rel=1e-6, abs=1e-12)
    if curved:
        d = np.linspace(0.5, 1.0, 401)
        exact = np.array([grid.at([x]).item() for x in d])
        nodes = [0.5, 0.75, 1.0]
        through = np.polyval(np.polyfit(nodes, [grid.at([x]).item() for x in nodes], 2), d)
        assert 0.3 * bound < np.abs(exact - through).max() < bound
    beyond = _Grid((np.array([[a]]), np.array([[b]]), np.array([[c]]), np.array([[1.5]])), [DeltaBlock("d", 1)],
                   {"d": 1.0}, {}, {"d": 2}, 1, 1)  # fmt: skip
    assert beyond.left_out((1,)) == (np.inf, np.inf)  # there is a pole in the cell


def test_an_error_of_the_model_enters_through_all_of_it() -> None:
    (A, B, C, D), _ = _system(False)
    D[2, 1] = 0.5
    blocks = [DeltaBlock("d", 2), DeltaBlock("error", 1, "error")]
    B2, D2 = B.copy(), np.zeros((3, 3))
    D2[0, 2] = 0.4  # the error drives the first channel
    grid = _Grid((A, B2, C, D2), blocks, {"d": 1.0}, {}, {}, 1, 1)
    into = np.abs(B2[:, [2]]) + np.abs(B2[:, :2]) @ np.abs(D2[:2, [2]])
    assert grid.left_out((0,))[1] == pytest.approx(np.linalg.norm(into, 2), rel=1e-8)


def test_margins_of_functions_on_a_grid() -> None:
    """``V' + q b^2 + e^2/q`` on each cell over its size; the best multiplier is ``e/b`` of the worst error."""
    falls, sizes, errors = np.array([-4.0, -6.0]), np.array([2.0, 2.5]), np.array([0.5, 1.0])
    P = np.arange(8.0).reshape(2, 2, 2)
    made = GridFunction(("a",), (np.array([-1.0, 1.0]),), P, falls, sizes, errors, 0.8, 3.0)
    assert made.error_multiplier == pytest.approx(1.0 / 0.8)
    for q in (0.0, 0.9):
        x = q or 1.25
        expected = min((4.0 - x * 0.64 - 0.25 / x) / 2.0, (6.0 - x * 0.64 - 1.0 / x) / 2.5)
        assert made.with_multiplier(q).margin == pytest.approx(expected)
    assert GridFunction(("a",), made.knots, P, falls, sizes, errors, 0.8, 0.1).margin == 0.1
    assert GridFunction((), (), P, np.zeros(0), sizes, errors, 0.8, 0.1).margin == -np.inf
    plain = GridFunction(("a",), made.knots, P, falls, sizes, np.zeros(2), 0.0, 9.0)
    assert plain.margin == 2.0 and plain.error_multiplier == 0.0
    told = made.matrices(np.array([2.0, 4.0]))
    np.testing.assert_allclose(told["a=-1"], P[0] / [[4.0, 8.0], [8.0, 16.0]])
    np.testing.assert_allclose(told["a=1"], P[1] / [[4.0, 8.0], [8.0, 16.0]])


def _constant(n: int) -> tuple[LinearFamily, NDArray[Any]]:
    """A family that depends on nothing: a stable damped system."""
    parts = np.zeros((6, n, n))
    A = RNG.normal(size=(n, n))
    parts[0], parts[2] = A @ A.T / n + np.eye(n), 3.0 * np.eye(n)
    parts[3] = parts[4] = np.diag(RNG.uniform(2.0, 3.0, n))
    coefficients = np.zeros((4, 5, 6, n, n))
    coefficients[0, 0] = parts
    return LinearFamily(((-1.0, 2.0),), (True,), coefficients, 1), parts


def test_rounding_is_taken_off_a_margin() -> None:
    """Of equations that depend on nothing the margin is the least eigenvalue, less twice the agreement of its norm."""
    family, parts = _constant(3)
    energy = EnergyFunction(0.2 * np.eye(3), np.zeros((3, 3)), np.ones(6))
    frame = np.diag(RNG.uniform(0.5, 1.0, 6))
    margins, nodes = verified(family, energy, frame, 0.1)
    matrices = [frame.T @ x @ frame for x in (energy.fall(parts, 0.1), energy.value(parts))]
    least = np.array([np.linalg.eigvalsh(x)[0] for x in matrices])
    assert nodes == 2 and (least > 0.0).all()
    rounding = [2.0 * AGREEMENT * np.linalg.norm(x, 2) for x in matrices]
    np.testing.assert_allclose(least - margins, rounding, rtol=1e-5)


def test_nodes_are_so_dense_that_a_margin_loses_its_share() -> None:
    """A stiffness of ``30 + 50 x + 120 x^2``: margins are below the least eigenvalues, by a share of the rough ones."""
    coefficients = np.zeros((1, 3, 6, 1, 1))
    coefficients[0, 0, :, 0, 0], coefficients[0, 1:, 3:5, 0, 0] = [1.0, 0.0, 1.0, 30.0, 30.0, 0.0], [[50.0], [120.0]]
    family = LinearFamily(((-1.0, 1.0),), (False,), coefficients, 0)
    energy, frame = EnergyFunction(0.4 * np.eye(1), np.zeros((1, 1)), np.ones(2)), np.diag([0.07, 1.0])

    def least(places: NDArray[Any]) -> NDArray[Any]:
        parts = [family.at([x])[0] for x in places]
        forms = [[frame.T @ y @ frame for y in (energy.fall(x, 0.1), energy.value(x))] for x in parts]
        return np.asarray(np.linalg.eigvalsh(np.array(forms))[..., 0].min(axis=0))

    margins, nodes = verified(family, energy, frame, 0.1)
    exact, rough = least(np.linspace(-1.0, 1.0, 801)), least(np.array([-1.0, 0.0, 1.0]))
    assert nodes > 3 and (exact - _SHARE * rough <= margins).all() and (margins <= exact).all()


def test_vertices_contain_all_motions() -> None:
    """Monomials of any rates and accelerations are combinations of the vertices: no linear form is larger."""
    family = LinearFamily(((0.0, 1.0),) * 2, (False, False), np.zeros((8, 3, 3, 6, 1, 1)), 2)
    vertices = np.array(family.vertices)
    for _ in range(40):
        form = RNG.normal(size=8)
        rates, pushes = RNG.uniform(-1.0, 1.0, 2), RNG.uniform(-1.0, 1.0, 2)
        assert form @ monomials(rates, pushes) <= (vertices @ form).max() + 1e-12
    assert monomials(np.array([2.0, 3.0]), np.array([5.0, 7.0])).tolist() == [1, 2, 3, 4, 9, 6, 5, 7]
    assert np.abs(vertices).max() == 1.0 and len(vertices) == 64


# -- inequalities and searches ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("tied", [False, True])
def test_the_form_of_the_signals_is_the_rate_of_the_function(degree: int, tied: bool) -> None:
    """``V'`` plus ``(1 - d^2) z^T Q z`` of each block plus what the gain counts, for signals that the loop can have."""
    n = 2
    A, B, C = RNG.normal(size=(n, n)), RNG.normal(size=(n, 5)), RNG.normal(size=(5, n))
    D = 0.3 * RNG.normal(size=(5, 5))
    blocks = [DeltaBlock("a", 2), DeltaBlock("b", 1)]
    ties = {"a": ("b", 0.6)} if tied else {}
    made = Inequalities((A, B, C, D), blocks, {"a": 0.8, "b": 1.7}, ties, degree)
    assert made.varying == ("a", "b") and made.size == n
    P = {term: RNG.normal(size=(n, n)) for term in made.terms}
    P = {term: p + p.T for term, p in P.items()}
    assert len(P) == (3 if degree == 1 else 6)
    d = {"a": 0.4, "b": -0.7}
    delta = np.diag([d["a"], d["a"], d["b"]])
    x, u = RNG.normal(size=n), RNG.normal(size=2)
    z = np.linalg.solve(np.eye(3) - D[:3, :3] @ delta, C[:3] @ x + D[:3, 3:] @ u)
    w = delta @ z
    dx, y = A @ x + B @ np.append(w, u), C[3:] @ x + D[3:] @ np.append(w, u)
    behind = [d[name] * v for name in ("a", "b") for v in ((x, dx) if degree == 2 else (x,))]
    signals = np.concatenate([x, w, *behind, u])
    values = [d["a"], d["b"]]
    whole = P[()] + sum(v * P[i,] for i, v in enumerate(values))
    if degree == 2:
        whole = whole + sum(values[i] * values[j] * P[i, j] for i in range(2) for j in range(i, 2))
    own = {"a": 2, "b": 1}
    Q, G, counted = [], [], 0.0
    for name, (low, high) in zip(("a", "b"), ((0, 2), (2, 3)), strict=True):
        k = own[name] + n * degree
        q, g = RNG.normal(size=(k, k)), RNG.normal(size=(k, k))
        Q, G = [*Q, q @ q.T], [*G, g - g.T]
        out = np.concatenate([z[low:high], x, dx][: 2 + (degree == 2)])
        counted += (1.0 - d[name] ** 2) * float(out @ Q[-1] @ out)
    corners = [(a, b) for a in ((0.0,) if tied else (-0.8, 0.8)) for b in (-1.7, 1.7)]
    assert len(made._maps.changes) == len(corners)
    for (a, b), changes in zip(corners, made._maps.changes, strict=True):
        moves = [0.6 * d["b"] if tied else a, b]
        slope = sum(move * P[i,] for i, move in enumerate(moves))
        if degree == 2:
            slope = slope + sum(
                (moves[i] * values[j] + values[i] * moves[j]) * P[i, j] for i in range(2) for j in range(i, 2)
            )
        rate = 2.0 * x @ whole @ dx + x @ slope @ x
        half = sum(_terms(made._maps, P, Q, G, changes, None))
        assert signals @ (half + half.T) @ signals == pytest.approx(rate + counted, rel=1e-9)
        half = sum(_terms(made._maps, P, Q, G, changes, 2.5))
        assert signals @ (half + half.T) @ signals == pytest.approx(rate + counted + y @ y - 2.5 * u @ u, rel=1e-9)
    R, S = [np.eye(n), 2.0 * np.eye(n)], [RNG.normal(size=(n, n)) for _ in range(2)]
    S = [m - m.T for m in S]
    forms = made._positive(P, R, S, np.block)
    if degree == 1:
        expected = [P[()] + i * P[0,] + j * P[1,] for i in (-1.0, 1.0) for j in (-1.0, 1.0)]
        for form, matrix in zip(forms, expected, strict=True):
            np.testing.assert_allclose(form, matrix)
    else:
        stack = np.concatenate([x, d["a"] * x, d["b"] * x])
        less = sum((1.0 - v**2) * float(x @ r @ x) for v, r in zip(values, R, strict=True))
        assert stack @ forms[0] @ stack == pytest.approx(x @ whole @ x - less, rel=1e-9)


def test_certificates_that_hold() -> None:
    """Margins are relative, less rounding; multipliers that are not definite prove nothing."""
    A = np.array([[-1.0, 0.4], [0.0, -2.0]])
    made = Inequalities((A, np.zeros((2, 0)), np.zeros((0, 2)), np.zeros((0, 0))), [], {})
    P = np.diag([1.0, 0.5])
    W = -(A.T @ P + P @ A)
    found = made.checked(Certificate({(): P}, (), (), (), (), -np.inf))
    margins = [np.linalg.eigvalsh(M)[0] / np.linalg.norm(M) for M in (W, P)]
    assert found.margin == pytest.approx(min(margins), rel=1e-9) and found.margin < min(margins)
    assert made.checked(Certificate({(): -P}, (), (), (), (), 0.0)).margin < 0.0
    assert made.checked(Certificate({(): P}, (), (), (np.diag([1.0, -1e-3]),), (), 0.0)).margin == -np.inf
    Q = _semidefinite(np.diag([1.0, -1e-9]))
    assert np.linalg.eigvalsh(Q)[0] > 0.0 and np.abs(Q - np.diag([1.0, 0.0])).max() < 5e-9


def test_exponentials_of_many_matrices() -> None:
    A = RNG.normal(size=(5, 4, 4)) * np.array([1e-3, 0.1, 1.0, 5.0, 20.0])[:, None, None]
    for matrix, found in zip(A, exponentials(A), strict=True):
        np.testing.assert_allclose(found, expm(matrix), rtol=1e-9, atol=1e-9 * np.abs(expm(matrix)).max())


def _hoist_loop() -> MotionLoop:
    case = _case()
    return motion_loop(da.equations(case.machine, backend="vm"), case.law, case.ranges, case.motion, at=case.at)


def test_motions_of_a_search_are_within_their_limits_and_grow_as_integrated() -> None:
    """The largest multiplier over a period, by SciPy's integration of the same linear equations."""
    loop = _hoist_loop()
    search = MotionSearch(loop)
    A = search._matrices(np.array([search._middle()]))[0]
    M, D, K = loop.family.at(loop.middle)[0][[0, 2, 3]]
    lower = -np.linalg.solve(M, np.hstack([K, D]))
    np.testing.assert_allclose(A, np.vstack([np.hstack([np.zeros((2, 2)), np.eye(2)]), lower]), atol=1e-12)
    poles = np.abs(np.linalg.eigvals(A))
    assert search.periods == pytest.approx((2.0 * np.pi / poles.max(), 8.0 * np.pi / poles.min()))
    rng = np.random.default_rng(2)
    for k in range(6):
        x = search.resonant(rng) if k % 2 else rng.uniform(-1.0, 1.0, search.size)
        period, motion, constants = search.motion(x)
        assert search.periods[0] <= period * (1 + 1e-12) and period <= search.periods[1] * (1 + 1e-12)
        sine = motion["l"]
        turns = sine.omega * period / (2.0 * np.pi)
        assert turns == pytest.approx(2.0 if x[4] > 0.5 else 1.0)
        assert sine.middle - sine.reach >= 1.0 - 1e-9 and sine.middle + sine.reach <= 3.0 + 1e-9
        assert sine.reach * sine.omega <= 0.4 + 1e-9 and sine.reach * sine.omega**2 <= 1.0 + 1e-9
        assert constants["m"] == pytest.approx(2.0 + 0.5 * x[5])
        if k % 2:
            limits = sine.reach, sine.reach * sine.omega / 0.4, sine.reach * sine.omega**2
            assert max(limits) == pytest.approx(1.0)  # of the largest size
            omega = np.abs(np.linalg.eigvals(A).imag)
            part = 2.0 * np.pi / period / omega[omega > 1e-6]
            assert np.min([np.abs(part / n - 1.0).min() for n in (1.0, 2.0)]) <= 0.11 or abs(x[0]) == 1.0

        def rate(t: float, y: Any, sine: Any = sine, m: float = constants["m"]) -> Any:
            q, v, a = (float(z) for z in sine.at(np.array(t)))
            parts = np.tensordot(
                monomials(np.array([v / 0.4]), np.array([a / 1.0])), loop.family.at([q - 2.0, (m - 2.0) / 0.5]), 1
            )
            Y = y.reshape(4, 4)
            return np.vstack([Y[2:], -np.linalg.solve(parts[0], parts[3] @ Y[:2] + parts[2] @ Y[2:])]).ravel()

        if k < 3:
            end = solve_ivp(rate, [0.0, period], np.eye(4).ravel(), rtol=1e-8, atol=1e-10).y[:, -1].reshape(4, 4)
            exact = np.log(np.abs(np.linalg.eigvals(end)).max()) / period
            assert search.growth(x, 512) == pytest.approx(exact, rel=1e-3, abs=1e-4)


def _lag_loop() -> Any:
    A0, A1 = np.array([[0.0, 1.0], [-1.0, -0.3]]), np.array([[0.0, 0.0], [-0.5, 0.0]])
    A = constant(A0) + constant(A1[:, :1]) @ parameter("k") @ constant([[1.0, 0.0]])
    A = A + constant(np.array([[0.0], [-0.2]])) @ parameter("d") @ constant([[0.0, 1.0]])
    A = A + constant(np.array([[0.0], [-0.1]])) @ parameter("s") @ constant([[1.0, 0.0]])
    integrators = system_lft(python_control.ss(np.zeros((2, 2)), np.eye(2), np.eye(2), 0))
    return integrators.feedback(-A, integrators.outputs, integrators.inputs)


def test_variations_keep_ranges_and_rates() -> None:
    """Trapezoids of the largest slope, square waves where parameters may jump, and constants."""
    search = VariationSearch(_lag_loop(), {"k": 0.7, "d": np.inf, "s": 0.0}, None)
    rng = np.random.default_rng(3)
    steep = []
    for _ in range(30):
        x = rng.uniform(-1.0, 1.0, search.size)
        period, t, numbers = search.variation(x, 400)
        assert search.periods[0] <= period <= search.periods[1]
        np.testing.assert_allclose(t, (np.arange(400) + 0.5) / 400 * period)
        assert set(numbers) == {"k", "d", "s"} and all(np.abs(y).max() <= 1.0 + 1e-12 for y in numbers.values())
        assert np.ptp(numbers["s"]) == 0.0 and len(set(np.round(numbers["d"], 12))) <= 3
        cyclic = np.append(numbers["k"], numbers["k"][0])
        slopes = np.abs(np.diff(cyclic)) / (period / 400)
        assert slopes.max() <= 0.7 * (1.0 + 1e-9)
        steep.append(slopes.max())
        place = search.places["d"]
        middle, share = x[place][:2]
        size = 0.5 * (1.0 + share) * (1.0 - abs(middle))
        assert np.abs(numbers["d"] - middle).max() <= size + 1e-12
    assert max(steep) == pytest.approx(0.7)


def test_growth_under_a_variation_is_that_of_its_matrices() -> None:
    """A product of exponentials of the loop closed by hand; a loop that does not vary grows as its slowest pole."""
    search = VariationSearch(_lag_loop(), {"k": 0.7, "d": np.inf, "s": 0.0}, None)
    x = np.random.default_rng(4).uniform(-1.0, 1.0, search.size)
    period, _, numbers = search.variation(x, 64)
    whole = np.eye(2)
    for k, d, s in zip(numbers["k"], numbers["d"], numbers["s"], strict=True):
        A = np.array([[0.0, 1.0], [-1.0 - 0.5 * k - 0.1 * s, -0.3 - 0.2 * d]])
        whole = expm(A * period / 64) @ whole
    exact = np.log(np.abs(np.linalg.eigvals(whole)).max()) / period
    assert search.growth(x, 64) == pytest.approx(exact, rel=1e-9)
    still = np.zeros(search.size)
    for place in search.places.values():
        still[place.start + 1] = -1.0  # no share of the range
    assert search.growth(still) == pytest.approx(-0.15, rel=1e-9)
    resonant = search.resonant(np.random.default_rng(5))
    assert resonant[search.places["d"].start + 1] == 1.0


def test_periods_of_searches_end_with_their_ranges() -> None:
    """Poles that nearly meet on the real axis turn more slowly than the slowest motion that is searched."""
    z = 1.0 - 1e-4
    coefficients = np.zeros((4, 3, 6, 1, 1))
    coefficients[0, 0, :, 0, 0] = [1.0, 0.0, 2.0 * z, 1.0, 1.0, 0.0]
    family = LinearFamily(((-1.0, 1.0),), (False,), coefficients, 1)
    joint = SimpleNamespace(name="l", turning=False, span=(-1.0, 1.0), rate=1.0, acceleration=1.0)
    loop: Any = SimpleNamespace(family=family, joints=[joint], constants=[], varied=[joint], middle=[0.0])
    A = constant([[0.0, 1.0], [-1.0, -2.0 * z]]) + constant([[0.0], [-1e-6]]) @ parameter("k") @ constant([[1.0, 0.0]])
    integrators = system_lft(python_control.ss(np.zeros((2, 2)), np.eye(2), np.eye(2), 0))
    lag = integrators.feedback(-A, integrators.outputs, integrators.inputs)
    for search in (MotionSearch(loop), VariationSearch(lag, {"k": 0.7}, None)):
        rng = np.random.default_rng(1)
        assert {search.resonant(rng)[0] for _ in range(5)} == {1.0}


# -- regions ----------------------------------------------------------------------------------------------------------


def _rotary() -> MotionLoop:
    """A rod that hangs from an arm that a motor turns; the mass of the rod has a range."""
    mass = da.Parameter("m", 0.12)
    machine = da.Machine(
        "rotary",
        [da.Body("arm", 0.25, com=(0.1, 0, 0), inertia=(1e-4, 9e-4, 9e-4)),
         da.Body("rod", mass, com=(0, 0, -0.15), inertia=(9e-4, 9e-4, 1e-5))],
        [da.Joint("turn", "revolute", "world", "arm", axis="z"),
         da.Joint("swing", "revolute", "arm", "rod", origin=(0.2, 0, 0), axis="x", damping=0.005)],
        motors=[da.Motor("drive", "turn")],
    )  # fmt: skip
    law = linear_feedback(machine, [[0.3, 0.1]], measured=["turn", "turn_dot"], controls=["drive"])
    eom = da.equations(machine, backend="vm")
    return motion_loop(eom, law, {"turn": (-2.0, 2.0), "m": (0.1, 0.14)}, {"turn": (0.05, 0.02)})


@pytest.fixture(scope="module")
def rotary() -> MotionLoop:
    return _rotary()


def test_the_largest_norm_of_a_combination() -> None:
    """Two directions and one matrix each: by a search over all combinations."""
    A = RNG.normal(size=(1, 2, 3, 3))
    A = A + A.transpose(0, 1, 3, 2)
    into, T = RNG.normal(size=(2, 3)), RNG.normal(size=(3, 3))
    found = _norm(A, into, T)[0]
    best = 0.0
    for _ in range(4000):
        z = RNG.normal(size=3)
        y = into @ (z / np.linalg.norm(z))
        best = max(best, float(np.linalg.norm(T.T @ np.tensordot(y, A[0], 1) @ T, 2)))
    assert best <= found * (1.0 + 1e-12) and found < 2.0 * best
    one = _norm(A[:, :1], np.array([[0.0, 2.0, 0.0]]), T)[0]  # of one matrix it is exact
    assert one == pytest.approx(2.0 * np.linalg.norm(T.T @ A[0, 0] @ T, 2), rel=1e-12)


def test_frames_and_bounds_of_functions(rotary: MotionLoop) -> None:
    energy = EnergyFunction(0.05 * np.eye(2), np.zeros((2, 2)), np.ones(4))
    frame, light = _frame(rotary, energy), _lighter(rotary)
    middle = rotary.family.at(rotary.middle)[0]
    np.testing.assert_allclose(frame.T @ energy.value(middle) @ frame, np.eye(4), atol=1e-9)
    np.testing.assert_allclose(light @ middle[0] @ light.T, np.eye(2), atol=1e-9)
    most = _largest_value(rotary, energy, frame)
    values = []
    for x in product(np.linspace(-2.0, 2.0, 9), np.linspace(-1.0, 1.0, 5)):
        place = rotary.family.at(x)[0]
        values.append(np.linalg.norm(frame.T @ energy.value(place) @ frame, 2))
    assert max(values) <= most < 3.0 * max(values)


def test_boxes_that_cover_motions_and_deviations(rotary: MotionLoop) -> None:
    """Every motion of the joint within its range, rate and acceleration, with any deviation, is in one of them."""
    equations = _Equations(rotary)
    box = np.array([0.1, 0.2, 0.3, 0.4])
    cells = equations.cells(rotary, box)
    assert equations.seen <= {"turn", "m"}
    count = cells[0][0].shape[1]
    for _ in range(50):
        turn, m = RNG.uniform(-2.0, 2.0), RNG.uniform(0.1, 0.14)
        e = box * RNG.uniform(-1.0, 1.0, 4)
        q, v = np.array([turn + e[0], e[1]]), np.array([RNG.uniform(-0.05, 0.05) + e[2], e[3]])
        a, p = np.array([RNG.uniform(-0.02, 0.02), 0.0]), np.array([m])
        inside = np.ones(count, dtype=bool)
        for x, (low, high) in zip((q, v, a, p), cells, strict=True):
            inside &= ((low <= x[:, None] + 1e-12) & (x[:, None] <= high + 1e-12)).all(axis=0)
        assert inside.any()
    span = [(low.min(axis=1), high.max(axis=1)) for low, high in cells]
    np.testing.assert_allclose(
        np.concatenate([x for x, _ in span]), [-2.1, -0.2, -0.35, -0.4, -0.02, 0.0, 0.1], atol=1e-12
    )
    np.testing.assert_allclose(np.concatenate([x for _, x in span]), [2.1, 0.2, 0.35, 0.4, 0.02, 0.0, 0.14], atol=1e-12)


def test_forces_that_motors_leave(rotary: MotionLoop) -> None:
    """Bounds are above what random motions leave on the swing, and not far above the largest."""
    equations = _Equations(rotary)
    energy = EnergyFunction(0.05 * np.eye(2), np.zeros((2, 2)), np.ones(4))
    frame, light = _frame(rotary, energy), _lighter(rotary)
    still, moving, heave = equations.forces(rotary, energy, frame)
    into = frame.T @ np.vstack([energy.S, np.eye(2)])
    left, lifted = [], []
    load = rotary.eom
    for _ in range(300):
        q, v, a = np.array([RNG.uniform(-2.0, 2.0), 0.0]), np.zeros(2), np.zeros(2)
        v[0], a[0] = RNG.choice([-0.05, 0.05]), RNG.choice([-0.02, 0.02])
        p = {"m": RNG.choice([0.1, 0.14])}
        f = np.array([0.0, 1.0]) * load.inverse_dynamics(q, v, a, p=p)
        left.append(np.linalg.norm(into @ f))
        lifted.append(np.linalg.norm(light @ f))
    assert still < 1e-12 and max(left) <= moving < 1.5 * max(left) and max(lifted) <= heave < 1.5 * max(lifted)


def test_terms_of_a_region_bound_those_of_its_runs(rotary: MotionLoop) -> None:
    """Changes of the inequality, of the function and by accelerations, against differences at random deviations."""
    equations = _Equations(rotary)
    energy = EnergyFunction(0.05 * np.eye(2), np.zeros((2, 2)), np.ones(4))
    frame, light, size = _frame(rotary, energy), _lighter(rotary), 1e-3
    terms = equations.terms(rotary, energy, frame, size, 0.3)
    f = loop_equations(rotary.eom, rotary.law, rotary.point.u)

    def parts(q: Any, v: Any, a: Any, p: Any) -> NDArray[Any]:
        return np.array([np.array(x.full()) for x in f(q, v, a, 0.0, p)])

    changed, values, shoves, swings = [], [], [], []
    for _ in range(150):
        q, v, a = np.array([RNG.uniform(-2.0, 2.0), 0.0]), np.array([0.05 * RNG.choice([-1.0, 1.0]), 0.0]), np.zeros(2)
        a[0] = 0.02 * RNG.choice([-1.0, 1.0])
        p = [RNG.choice([0.1, 0.14])]
        z = RNG.normal(size=4)
        e = size * frame @ (z / np.linalg.norm(z))
        here, there = parts(q, v, a, p), parts(q + e[:2], v + e[2:], a, p)
        for x in (here, there):
            x[4:] = 0.0  # the stiffness at rest is that of the motion
        W = frame.T @ (energy.fall(there, first=False) - energy.fall(here, first=False)) @ frame
        P = frame.T @ (energy.value(there, first=False) - energy.value(here, first=False)) @ frame
        changed.append(np.linalg.norm(W, 2) / size)
        values.append(np.linalg.norm(P, 2) / size)
        y = RNG.normal(size=2)
        push = light.T @ (y / np.linalg.norm(y))
        turned = parts(q + e[:2], v + e[2:], a + push, p)
        turned[4:] = 0.0
        shoves.append(
            np.linalg.norm(frame.T @ (energy.fall(turned, first=False) - energy.fall(here, first=False)) @ frame, 2)
        )
        swings.append(np.linalg.norm(light @ np.hstack([here[3], here[2]]) @ frame, 2))
    # intervals over whole cells are wider, by less than a power of ten or two
    assert max(changed) <= terms.pair < 30.0 * max(changed) and max(values) <= terms.lower < 10.0 * max(values)
    assert 0.5 * terms.pair < terms.bend <= terms.pair + 0.6 * terms.lower
    assert 0.0 < max(shoves) <= terms.shove
    assert max(swings) <= terms.swing < 2.0 * max(swings)


def test_the_largest_region_uses_all_of_the_margin(rotary: MotionLoop) -> None:
    """What the inequality loses in it is just below what it has, up to the steps of the search."""
    equations = _Equations(rotary)
    energy = EnergyFunction(0.05 * np.eye(2), np.zeros((2, 2)), np.ones(4))
    frame = _frame(rotary, energy)
    for margin in (0.02, 0.3):
        found = equations.region(rotary, energy, frame, 0.3, np.array([margin, 1.0]))
        assert found is not None
        size, terms = found
        assert margin / 1.15 < terms.bend * size <= margin
        assert terms.bend == pytest.approx(equations.terms(rotary, energy, frame, size, 0.3).bend)
    with pytest.MonkeyPatch.context() as patch:  # bounds that grow without end leave no region
        patch.setattr(equations, "terms", lambda *arguments, **settings: SimpleNamespace(bend=np.inf))
        assert equations.region(rotary, energy, frame, 0.3, np.array([0.1, 1.0])) is None


def test_the_fastest_decay_of_a_loop() -> None:
    """At most that of its slowest pole; a loop that is not stable has none."""
    family, parts = _constant(1)
    loop = cast(Any, SimpleNamespace(family=family, middle=[0.5]))
    told: list[str] = []
    fastest, functions = _fastest(loop, told.append)
    m, d, k = (float(parts[i].item()) for i in (0, 2, 3))
    slowest = -max(np.roots([m, d, k]).real)
    assert 0.5 * slowest < fastest <= slowest and len(functions) == 1 and len(told) == 4
    family.coefficients[0, 0, 3] *= -1.0
    assert _fastest(loop, told.append) == (0.0, [])


def test_runs_of_a_region_approach_each_other_at_least_as_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """``x'' + x' + k x = 0`` for k from 100 to 300, without further terms: no rate is above that of any of its runs."""
    coefficients = np.zeros((4, 3, 6, 1, 1))
    coefficients[0, 0, :, 0, 0], coefficients[0, 1, 3:5, 0, 0] = [1.0, 0.0, 1.0, 200.0, 200.0, 0.0], 100.0
    family = LinearFamily(((-1.0, 1.0),), (False,), coefficients, 1)
    energy, size, names = EnergyFunction(0.8 * np.eye(1), np.zeros((1, 1)), np.ones(2)), 0.1, SimpleNamespace()
    names.q_names, names.v_names = ["x"], ["x_dot"]
    loop = cast(Any, SimpleNamespace(family=family, middle=[0.0], joints=[], eom=names))
    terms = _Terms(0.0, lower=0.0, pair=0.0, shove=0.0, swing=0.0)
    equations = SimpleNamespace(forces=lambda *_: (0.0, 0.0, 0.0), region=lambda *_: (size, terms))
    monkeypatch.setattr("dalembert.control.varying.regions._fastest", lambda *_: (0.05, [energy]))
    found = _largest(cast(Any, equations), loop, 1.0, lambda text: None)
    assert found is not None and found.converging is not None
    rates = []
    for k in np.linspace(-1.0, 1.0, 21):
        parts = family.at([k])[0]
        rates.append(0.5 * eigh(energy.fall(parts), energy.value(parts), eigvals_only=True)[0])
    assert 0.3 * min(rates) < found.converging <= min(rates)


def test_a_region_that_runs_do_not_leave() -> None:
    """At its edge the function falls in spite of the force of the motion, and two runs in it approach each other."""
    mass = da.Body("rod", 0.12, com=(0, 0, -0.15), inertia=(9e-4, 9e-4, 1e-5))
    machine = _rotary().eom.machine
    machine = machine.with_(bodies=[machine.bodies[0], mass])
    law = linear_feedback(machine, [[0.3, 0.1]], measured=["turn", "turn_dot"], controls=["drive"])
    loop = motion_loop(da.equations(machine, backend="vm"), law, {"turn": (-2.0, 2.0)}, {"turn": (0.5, 0.5)})
    told: list[str] = []
    region = motion_region(loop, told.append)
    assert 0.2 < region.factor < 1.0 and region.energy is not None and region.converging is not None and told
    rate, push = region.motion["turn"]
    assert rate == pytest.approx(0.5 * region.factor) and push == pytest.approx(0.5 * region.factor**2)
    frame, energy = _frame(loop, region.energy), region.energy
    sizes = [region.deviations[n] for n in ("turn", "swing", "turn_dot", "swing_dot")] / np.linalg.norm(frame, axis=1)
    np.testing.assert_allclose(sizes, sizes[0])
    size, k = sizes[0], region.level / sizes[0] ** 2
    assert 0.5 < k <= 1.0
    f = loop_equations(loop.eom, law, loop.point.u)
    falls, meets, pushes = [], [], []
    rng = np.random.default_rng(6)
    into = frame.T @ np.vstack([energy.S, np.eye(2)])
    for _ in range(200):
        q, v, a = np.array([rng.uniform(-2.0, 2.0), 0.0]), np.array([rate * rng.choice([-1.0, 1.0]), 0.0]), np.zeros(2)
        a[0] = push * rng.choice([-1.0, 1.0])
        z = rng.normal(size=4)
        e = frame @ (size * z / np.linalg.norm(z))
        force = np.array([0.0, 1.0]) * loop.eom.inverse_dynamics(q, v, a)
        pushes.append(np.linalg.norm(into @ force))
        here = np.array([np.array(x.full()) for x in f(q, v, a, 0.0, [])])
        there = np.array([np.array(x.full()) for x in f(q + e[:2], v + e[2:], a, 0.0, [])])
        P, there[4:] = frame.T @ energy.value(there) @ frame, here[4:]
        W = frame.T @ energy.fall(there) @ frame
        falls.append(np.linalg.eigvalsh(W - 2.0 * region.decay * frame.T @ energy.value(there) @ frame)[0])
        meets.append(0.5 * eigh(W, P, eigvals_only=True)[0])
        assert np.linalg.eigvalsh(P)[0] >= k
    assert min(falls) >= 0.0 and min(meets) >= region.converging
    assert 0.3 * region.decay * k * size < max(pushes) <= region.decay * k * size


# -- pairs of runs ----------------------------------------------------------------------------------------------------


def _case() -> EnvelopeCase:
    mass = da.Parameter("m", 2.0)
    machine = da.Machine(
        "hoist",
        [da.Body("rope"), da.point_mass("load", mass)],
        [da.Joint("sway", "revolute", "world", "rope", axis="y", damping=8.0),
         da.Joint("l", "prismatic", "rope", "load", axis="-z")],
        motors=[da.Motor("F", "l")],
    )  # fmt: skip
    law = linear_feedback(machine, [[30.0, 30.0]], measured=["l", "l_dot"], controls=["F"], at={"l": 2.0})
    deviation = {"sway": 0.1, "l_dot": 0.05}
    return EnvelopeCase(
        "hoist", machine, law, {"l": 2.0}, {"l": (1.0, 3.0), "m": (1.5, 2.5)}, {"l": (0.4, 1.0)}, 1.0, 1e-2, deviation
    )


def test_members_of_pairs_begin_on_their_motion() -> None:
    """The first of each is on it, the second beside; motions are within ranges, rates and accelerations."""
    case, pairs = _case(), 400
    given = case.members(pairs, 3)
    q, v, p = given["q0"], given["v0"], given["p"]
    eom = case.eom
    sway, l = (eom.q_names.index(n) for n in ("sway", "l"))
    assert q.shape == (2 * pairs, 2) and v.shape == (2 * pairs, 2) and all(len(x) == 2 * pairs for x in p.values())
    assert all((x[::2] == x[1::2]).all() for x in p.values())
    middle, reach, omega, phase = (p[f"l_{n}"][::2] for n in ("middle", "reach", "omega", "phase"))
    np.testing.assert_allclose(q[::2, l], middle + reach * np.sin(phase), rtol=1e-14)
    np.testing.assert_allclose(v[::2, l], reach * omega * np.cos(phase), rtol=1e-12, atol=1e-14)
    assert not q[::2, sway].any() and not v[::2, sway].any()
    ends = middle - reach, middle + reach
    assert ends[0].min() >= 1.0 - 1e-12 and ends[1].max() <= 3.0 + 1e-12
    rates, pushes = reach * omega / 0.4, reach * omega**2
    assert rates.max() <= 1.0 + 1e-12 and pushes.max() <= 1.0 + 1e-12
    bound = np.maximum.reduce([rates, pushes, reach])  # most use all of one limit
    assert 0.6 < np.mean(bound > 1.0 - 1e-9) < 0.85
    assert omega.min() >= 0.4 * 10**-0.5 and omega.max() <= 0.4 * 10**1.5 and np.ptp(np.log10(omega)) > 1.8
    assert phase.min() < -3.0 and phase.max() > 3.0
    apart = [q[1::2] - q[::2], v[1::2] - v[::2]]
    assert not apart[0][:, l].any() and not apart[1][:, eom.v_names.index("sway_dot")].any()
    assert 0.09 < np.abs(apart[0][:, sway]).max() <= 0.1
    assert 0.045 < np.abs(apart[1][:, eom.v_names.index("l_dot")]).max() <= 0.05
    assert 1.5 <= p["m"].min() < 1.6 and 2.4 < p["m"].max() <= 2.5


def test_starts_on_a_motion_of_the_search() -> None:
    case = _case()
    sine = JointSine(2.0, 0.3, 1.1, 0.4)
    given = case.member({"l": sine}, {"m": 1.7})
    l = case.eom.q_names.index("l")
    h = 1e-6
    (x, rate, push), (late, faster, _) = (sine.at(np.array(t)) for t in (0.0, h))
    assert given["q0"][l] == pytest.approx(float(x)) and given["v0"][l] == pytest.approx(float(late - x) / h, rel=1e-5)
    assert float(push) == pytest.approx(float(faster - rate) / h, rel=1e-4)
    assert given["p"] == {"m": 1.7, "l_middle": 2.0, "l_reach": 0.3, "l_omega": 1.1, "l_phase": 0.4}
    assert np.delete(given["q0"], l).tolist() == [0.0] and np.delete(given["v0"], l).tolist() == [0.0]


def test_the_size_of_a_difference() -> None:
    """The Lyapunov function at the difference of each pair, with the matrices where the first of them is."""
    case = _case()
    eom, n = case.eom, 2
    S, X = RNG.normal(size=(n, n)), np.diag([0.3, 0.7])
    energy = EnergyFunction(S, X, np.ones(2 * n))
    proof = SimpleNamespace(energy=energy)
    x = RNG.normal(size=(4, eom.nq + eom.nv + 3))
    x[:, eom.q_names.index("l")] += 3.0
    p = np.tile(eom.parameter_values({"m": 1.9}), (4, 1))
    p[2:] = eom.parameter_values({"m": 2.3})
    p[1::2] = np.nan  # those of the second count for nothing
    found = case.size(cast(Any, proof), x, p)
    f = loop_equations(eom, case.law, np.zeros(eom.nu))
    for k in range(2):
        one, other = x[2 * k], x[2 * k + 1]
        d, w = other[:n] - one[:n], other[n : 2 * n] - one[n : 2 * n]
        M = eom.mass_matrix(one[:n], p=p[2 * k])
        rest = np.array(f(one[:n], np.zeros(n), np.zeros(n), 0.0, p[2 * k])[4]) + X
        assert found[k] == pytest.approx(d @ rest @ d + 2.0 * d @ S @ M @ w + w @ M @ w, rel=1e-12)
    at = np.array(f(case.point, np.zeros(n), np.zeros(n), 0.0, eom.parameter_values(None))[4])
    np.testing.assert_allclose(case.stiffness, at, rtol=1e-12)
    with pytest.raises(da.InputError, match="is not proven"):
        case.size(cast(Any, SimpleNamespace(energy=None)), x, p)


def _rolled(case: EnvelopeCase, count: int, rows: int) -> Any:
    """What a rollout of the case returns, with states near its motions."""
    rng, eom = np.random.default_rng(7), case.eom
    x = 0.2 * rng.normal(size=(count, rows, eom.nq + eom.nv + 2))
    x[..., eom.q_names.index("l")] += 2.0
    values = eom.parameter_values(None)
    p = np.tile(values, (count, 1)) * rng.uniform(0.9, 1.1, (count, len(values)))
    p[1::2] = p[::2]
    ok = np.ones(count, dtype=bool)
    ok[3] = False
    return SimpleNamespace(x=x, final=x[:, -1], t=np.linspace(0.0, 1.0, rows), p=p, ok=ok)


def test_ratios_of_the_function_along_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the end over at the start; a pair of which one run fails counts as diverged."""
    case = _case()
    energy = EnergyFunction(0.05 * np.eye(2), np.diag([0.3, 0.7]), np.ones(4))
    proof = cast(Any, SimpleNamespace(energy=energy))
    made, asked = _rolled(case, 6, 4), dict[str, Any]()
    monkeypatch.setattr(sys.modules[attack.__module__], "rollout", lambda eom, **given: asked.update(given) or made)
    ratios = attack(case, proof, 3, 1)
    exact = case.size(proof, made.final, made.p) / case.size(proof, made.x[:, 0], made.p)
    np.testing.assert_allclose(ratios, [exact[0], np.inf, exact[2]])
    assert len(asked["q0"]) == 6 and (asked["duration"], asked["step"], asked["record"]) == (1.0, 1e-2, 1.0)


def test_the_inequality_at_states_of_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its least eigenvalue, in scaled states, with the accelerations that the machine has under the law there."""
    case = _case()
    eom, scales = case.eom, np.array([1.0, 0.5, 2.0, 1.5])
    energy = EnergyFunction(0.05 * np.eye(2), np.diag([0.3, 0.7]), scales)
    proof = cast(Any, SimpleNamespace(energy=energy, bent={"sway_dot": 1.0}, decay=0.2))
    made = _rolled(case, 4, 3)
    made.x[2, 1, 0] = np.nan
    asked: dict[str, Any] = {}
    monkeypatch.setattr(sys.modules[attack.__module__], "rollout", lambda eom, **given: asked.update(given) or made)
    found = contraction(case, proof, 3, count=2)
    assert len(asked["q0"]) == 4 and asked["record"] == 0.5
    s = eom.symbolic
    u, _ = case.following.expression(eom, s.t, s.q, s.v, ca.SX(0, 1), s.p)
    law = ca.Function("u", [s.t, s.q, s.v, s.p], [u])
    f = loop_equations(eom, case.law, np.zeros(eom.nu))
    least, states, sways = np.inf, 0, []
    for i in range(4):
        for k, t in enumerate(made.t):
            q, v = made.x[i, k, :2], made.x[i, k, 2:4]
            if not np.isfinite(made.x[i, k]).all():
                continue
            force = eom.applied(q, v, np.array(law(t, q, v, made.p[i])).ravel(), p=made.p[i])
            a = eom.forward_dynamics(q, v, force, p=made.p[i])
            W = energy.fall(np.array([np.array(y.full()) for y in f(q, v, a, t, made.p[i])]), 0.2)
            W = scales[:, None] * W * scales
            least, states = min(least, float(np.linalg.eigvalsh((W + W.T) / 2.0)[0])), states + 1
            sways.append(abs(q[eom.q_names.index("sway")]))
    assert found.states == states == 11 and found.least == pytest.approx(least, rel=1e-9)
    assert found.deflections == {"sway": pytest.approx(max(sways))}
    with pytest.raises(da.InputError, match="is not proven"):
        contraction(case, cast(Any, SimpleNamespace(energy=None)), 3)


def test_a_varied_parameter_is_scaled() -> None:
    """Positions of parameters are between -1 and 1, those of angles are the angles."""
    mass = Varied("m", False, 0, None, (1.0, 5.0))
    assert [mass.position(x) for x in (-1.0, 0.0, 0.5, 1.0)] == [1.0, 3.0, 4.0, 5.0] and mass.positions == (-1.0, 1.0)
    turn = Varied("t", True, 0, 0, (-2.0, 5.0))
    assert turn.position(0.3) == 0.3 and turn.positions == (-2.0, 5.0)


def test_a_proof_needs_the_inequality_everywhere() -> None:
    """A constant loop decays as its slowest pole at most, and its proof says so."""
    family, parts = _constant(1)
    loop = cast(Any, SimpleNamespace(family=family, middle=[0.5], joints=(), bent=dict))
    m, d, k = (float(parts[i].item()) for i in (0, 2, 3))
    slowest = -max(np.roots([m, d, k]).real)
    assert proven_motion(loop, 0.5 * slowest).proven and proven_motion(loop, 0.5 * slowest).guaranteed
    assert not proven_motion(loop, 1.05 * slowest).proven
    bent = proven_motion(loop, 0.5 * slowest, bent={"x": 1.0})
    assert bent.proven and not bent.guaranteed and "'x'" in bent.message


def test_a_law_that_follows_a_motion() -> None:
    """On the motion it is what the driven joint needs; beside it the gains act on the deviation."""
    case = _case()
    eom, sine = case.eom, JointSine(2.1, 0.3, 1.1, 0.4)
    s = eom.symbolic
    u, _ = case.following.expression(eom, s.t, s.q, s.v, ca.SX(0, 1), s.p)
    law = ca.Function("u", [s.t, s.q, s.v, s.p], [u])
    given = {"l_middle": 2.1, "l_reach": 0.3, "l_omega": 1.1, "l_phase": 0.4, "m": 1.8}
    p, t = eom.parameter_values(given), 0.7
    l, sway = eom.q_names.index("l"), eom.q_names.index("sway")
    where, rate, push = (float(x) for x in sine.at(np.array(t)))
    q, v, a = np.zeros(2), np.zeros(2), np.zeros(2)
    q[l], v[l], a[l] = where, rate, push
    force = 1.8 * push - 1.8 * 9.81  # along the rope, downwards
    assert float(law(t, q, v, p)) == pytest.approx(force)
    np.testing.assert_allclose(eom.inverse_dynamics(q, v, a, p=p)[l], force)
    q[l] += 0.05
    v[l] -= 0.02
    q[sway], v[sway] = 0.3, -0.2
    assert float(law(t, q, v, p)) == pytest.approx(force - 30.0 * 0.05 + 30.0 * 0.02)


def test_systems_in_scaled_time_and_units() -> None:
    """Scales are powers of two; states, signals of blocks and time are changed alike everywhere."""
    rng = np.random.default_rng(8)
    A = rng.normal(size=(3, 3)) * np.array([[1.0, 1e4, 1e-3]]) * np.array([[30.0], [3e-3], [3e4]])
    B, C, D = 1e3 * rng.normal(size=(3, 4)), 1e-2 * rng.normal(size=(4, 3)), rng.normal(size=(4, 4))
    C[3], B[:, 3] = 0.0, 1.0  # nothing goes into the last channel
    blocks = [DeltaBlock("a", 2), DeltaBlock("b", 1, "error"), DeltaBlock("c", 1)]
    (a, b, c, d), states, time = scaled((A, B, C, D), blocks)
    T = np.diag(states)
    for x in (*states, time):
        assert np.log2(x) == np.round(np.log2(x))
    np.testing.assert_array_equal(a, np.linalg.inv(T) @ A @ T / time)
    assert 0.5 <= np.linalg.norm(a, 2) <= 1.5 and np.linalg.norm(A, 2) > 1e3
    unit = b * time * states[:, None] / B
    size = unit[0]
    np.testing.assert_allclose(unit, np.tile(size, (3, 1)))
    assert size[3] == 1.0
    np.testing.assert_allclose(c, C * states[None, :] / size[:, None])
    np.testing.assert_allclose(d, D * size[None, :] / size[:, None])
    for k in range(3):  # what goes in and what comes out are of one size
        assert 0.5 <= np.linalg.norm(c[k]) / np.linalg.norm(b[:, k]) <= 2.0


def test_regions_of_saturated_loops() -> None:
    """The largest ellipsoid in which no command is beyond its sector, and how far it reaches along each state."""
    P = np.array([[2.0, 0.3], [0.3, 1.0]])
    proof = cast(Any, SimpleNamespace(proven=True, lyapunov={"": P}))
    K, limit, least = np.array([[1.5, -0.5], [0.2, 0.9]]), np.array([2.0, 3.0]), np.array([0.5, 0.25])
    region = saturation_region(proof, K, limit, least)
    most = limit / least
    level = min(m**2 / (k @ np.linalg.solve(P, k)) for k, m in zip(K, most, strict=True))
    assert region.level == pytest.approx(level, rel=1e-6)
    np.testing.assert_allclose(region.reach, np.sqrt(level / np.diag(P)), rtol=1e-6)
    edge = np.array([region.reach[0], 0.0])
    assert region.contains(0.999 * edge) and not region.contains(1.001 * edge)
    for bad in ({"proven": False, "lyapunov": {"": P}}, {"proven": True, "lyapunov": {"": P, "a*b": P}}):
        with pytest.raises(da.InputError):
            saturation_region(cast(Any, SimpleNamespace(**bad)), K, limit, least)
    sat = saturation("s", 0.3)
    assert [float(sat.at(s=x)[0, 0]) for x in (-1.0, 0.0, 1.0)] == pytest.approx([0.3, 0.65, 1.0])
