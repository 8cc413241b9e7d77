"""Parts of bounds of structured singular values, one by one: loops, vectors, edges, intervals and boxes."""

from __future__ import annotations

from itertools import pairwise, product
from time import thread_time
from typing import Any, cast

import control as python_control
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

from dalembert.control.mu import lower, mixed, real, search, sweep
from dalembert.control.mu.boxes import ProvenParts, _influence, _unstable_at, proven_parts
from dalembert.control.mu.lower import WorstCase, complex_direction
from dalembert.control.mu.robustness import Robustness, worst_gain
from dalembert.control.mu.sweep import ExpandedResponse, Interval, uncovered
from dalembert.control.uncertain import constant, parameter, system_lft
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.uncertain.lft import LFT
from dalembert.core.errors import InputError

Array = NDArray[Any]


def _random(rng: np.random.Generator, *shape: int) -> Array:
    return np.asarray(rng.normal(size=shape) + 1j * rng.normal(size=shape))


def _polynomial(coefficients: list[float]) -> tuple[Array, Array, Array, Array]:
    """A system of one state whose pole is ``c_0 + c_1 d + c_2 d^2 + ...`` of one repeated block."""
    c, n = np.array(coefficients), len(coefficients) - 1
    return c[:1].reshape(1, 1), c[None, 1:], np.eye(n, 1), np.eye(n, k=-1)


def test_growth_of_a_loop_and_its_gradient() -> None:
    """Against the closed matrix, of blocks of different size with feedback among them."""
    rng = np.random.default_rng(2)
    blocks = [DeltaBlock("a", 2), DeltaBlock("b", 1), DeltaBlock("c", 3)]
    A, B, C, D = rng.normal(size=(4, 4)), rng.normal(size=(4, 7)), rng.normal(size=(8, 4)), rng.normal(size=(8, 7))
    loop = lower._Loop((A, B, C, 0.2 * D), blocks)

    def poles(d: Array) -> Array:
        delta = np.diag(np.repeat(d, [2, 1, 3]))
        inner = delta @ np.linalg.inv(np.eye(6) - 0.2 * D[:6, :6] @ delta)
        return np.linalg.eigvals(A + B[:, :6] @ inner @ C[:6])

    for _ in range(5):
        d = rng.uniform(-0.7, 0.7, 3)
        value, slope, omega = loop.abscissa(d)
        first = poles(d)[poles(d).real.argmax()]
        assert value == pytest.approx(first.real, rel=1e-9) and omega == pytest.approx(abs(first.imag), rel=1e-9)
        h = 1e-6
        steps = [(poles(d + h * e).real.max() - poles(d - h * e).real.max()) / (2.0 * h) for e in np.eye(3)]
        np.testing.assert_allclose(slope, steps, rtol=1e-5, atol=1e-6)
    closed = lower._Loop((A, B, C, np.eye(8, 7) / 0.4), blocks)
    assert closed.abscissa(np.array([0.1, 0.4, 0.2]))[0] == np.inf  # 1 - d D is singular


def test_stability_is_lost_first_at_the_first_crossing() -> None:
    """A pole ``(d - 1) (d - 2) (d - 3)``: unstable between 1 and 2, and beyond 3."""
    loop = lower._Loop(_polynomial([-6.0, 11.0, -6.0, 1.0]), [DeltaBlock("d", 3)])
    for end in (1.7, 3.7, 37.0):
        brink, omega = lower._brink(loop, np.array([end]))
        assert brink[0] == pytest.approx(1.0, rel=1e-9) and omega == 0.0


def test_vectors_are_aligned_as_the_structure_allows() -> None:
    """Of all unitary matrices of the structure the one whose product with ``x`` is the closest to ``y``."""
    rng = np.random.default_rng(3)
    blocks = [DeltaBlock("a", 2, "complex"), DeltaBlock("b", 3, "full"), DeltaBlock("c", 2, "full")]
    parts = [slice(0, 2), slice(2, 5), slice(5, 7)]
    x = _random(rng, 7)
    y: Array = 3.0 * _random(rng, 7)
    z = lower._align(x, y, blocks)
    assert np.linalg.norm(z) == pytest.approx(1.0, rel=1e-14)
    sizes = [np.linalg.norm(z[s]) / np.linalg.norm(x[s]) for s in parts]
    np.testing.assert_allclose(sizes, 1.0 / np.linalg.norm(x), rtol=1e-13)
    reached = [np.vdot(z[s], y[s]).real * np.linalg.norm(x) for s in parts]
    for _ in range(200):
        turned = np.exp(1j * rng.uniform(0.0, 2.0 * np.pi)) * x[:2]
        assert np.vdot(turned, y[:2]).real <= reached[0] * (1.0 + 1e-12)
        for k, s in enumerate(parts[1:], 1):
            U = np.linalg.qr(_random(rng, s.stop - s.start, s.stop - s.start))[0]
            assert np.vdot(U @ x[s], y[s]).real <= reached[k] * (1.0 + 1e-12)
    assert reached[0] == pytest.approx(abs(np.vdot(x[:2], y[:2])), rel=1e-12)
    y[2:5] = 0.0
    y[:2] = [x[1].conj(), -x[0].conj()]  # orthogonal: no phase is better than another
    z = lower._align(x, y, blocks)
    kept = np.concatenate([x[:2], np.zeros(3), y[5:] * np.linalg.norm(x[5:]) / np.linalg.norm(y[5:])])
    np.testing.assert_allclose(z, kept / np.linalg.norm(kept), rtol=1e-12)
    np.testing.assert_array_equal(lower._align(np.zeros(7, dtype=complex), y, blocks[:1]), y)


def test_a_matrix_of_the_structure_turns_one_vector_to_the_other() -> None:
    rng = np.random.default_rng(4)
    blocks = [DeltaBlock("a", 3, "full"), DeltaBlock("b", 2, "complex")]
    a, b = _random(rng, 5), _random(rng, 5)
    Q = lower._turning(a, b, blocks)
    np.testing.assert_allclose(Q[:3, :3] @ a[:3] / np.linalg.norm(a[:3]), b[:3] / np.linalg.norm(b[:3]), rtol=1e-12)
    assert np.linalg.norm(Q[:3, :3], 2) == pytest.approx(1.0, rel=1e-12)
    assert np.linalg.matrix_rank(Q[:3, :3]) == 1 and not Q[:3, 3:].any() and not Q[3:, :3].any()
    phase = Q[3, 3]
    np.testing.assert_allclose(Q[3:, 3:], phase * np.eye(2), atol=0.0)
    assert abs(phase) == pytest.approx(1.0) and np.vdot(phase * a[3:], b[3:]).imag == pytest.approx(0.0, abs=1e-12)
    assert np.vdot(phase * a[3:], b[3:]).real > 0.0
    b[:3], b[3:] = 0.0, [a[4].conj(), -a[3].conj()]
    np.testing.assert_allclose(lower._turning(a, b, blocks), np.diag([0, 0, 0, 1, 1]), atol=1e-15)


@pytest.mark.parametrize(
    "blocks",
    [
        [DeltaBlock("a", 4, "full")],
        [DeltaBlock("a", 4, "complex")],
        [DeltaBlock("a", 1, "complex"), DeltaBlock("b", 3, "full")],
        [DeltaBlock("a", 2, "complex"), DeltaBlock("b", 1, "complex"), DeltaBlock("c", 1, "full")],
    ],
)
def test_a_bound_of_complex_blocks_changes_along_its_direction(blocks: list[DeltaBlock]) -> None:
    rng = np.random.default_rng(5)
    M, dM = _random(rng, 4, 4), _random(rng, 4, 4)
    options = {"iterations": 400, "starts": 4}
    bound, row, column = complex_direction(M, blocks, **options)
    h = 1e-6
    steps = [complex_direction(M + x * dM, blocks, **options)[0] for x in (h, -h)]
    assert np.real(row @ dM @ column) == pytest.approx((steps[0] - steps[1]) / (2.0 * h), rel=1e-5)
    assert np.real(row @ M @ column) == pytest.approx(bound, rel=1e-10)  # it is of degree one
    radius, norm = np.abs(np.linalg.eigvals(M)).max(), np.linalg.norm(M, 2)
    assert radius * (1.0 - 1e-12) <= bound <= norm * (1.0 + 1e-12)
    if len(blocks) == 1:
        assert bound == pytest.approx(norm if blocks[0].kind == "full" else radius, rel=1e-12)


def test_edges_of_a_box() -> None:
    """All edges but those of opposite sign once; a sample of many has no edge twice and all kinds of them."""
    rng = np.random.default_rng(6)
    for count in (2, 3, 5):
        found = [tuple(signs) for _, signs in real._edges(count, 1000, rng)]
        each = {e for e in product([-1.0, 0.0, 1.0], repeat=count) if e.count(0.0) == 1}
        assert len(set(found)) == len(found) == len(each) / 2
        assert set(found) | {tuple(-x for x in e) for e in found} == each
        assert all(signs[free] == 0.0 for free, signs in real._edges(count, 1000, rng))
    some = [tuple(signs) for _, signs in real._edges(12, 3000, rng)]
    assert len(set(some)) == len(some) == 3000
    signs = np.array(some)
    assert (np.abs((signs[:, :10] == 1.0).mean(axis=0) - 11 / 24) < 0.05).all()  # the last sign is fixed
    assert ((signs == 0.0).mean(axis=0) > 0.05).all() and len({e[:6] for e in some}) > 200


@pytest.mark.parametrize("imaginary", [False, True])
def test_values_that_make_a_matrix_of_rank_one_singular(imaginary: bool) -> None:
    """``det(1 - u v^T Delta) = 1 - sum u_k v_k d_k``: the least largest value is that of one linear program."""
    rng = np.random.default_rng(7)
    u, v = rng.normal(size=5), rng.normal(size=5) + 1j * imaginary * rng.normal(size=5)
    owners = np.array([0, 1, 1, 2, 3])
    weights = np.zeros(4, dtype=complex)
    np.add.at(weights, owners, u * v)
    rows = np.vstack([weights.real, weights.imag]) if imaginary else weights.real[None, :]
    limits = np.vstack([np.hstack([s * np.eye(4), -np.ones((4, 1))]) for s in (1.0, -1.0)])
    free: list[tuple[float | None, float | None]] = [(None, None)] * 5
    right = np.eye(len(rows))[0]
    least: Any = linprog(
        [0.0] * 4 + [1.0], limits, np.zeros(8), np.hstack([rows, np.zeros((len(rows), 1))]), right, free
    )
    M = np.outer(u, v) if imaginary else np.outer(u, v.real)
    part = real._Part(M, owners, 4)
    start = np.linalg.lstsq(rows, right, rcond=None)[0] * np.array([1.2, 0.9, 1.1, 0.8])
    assert part._descend(start, 30) == pytest.approx(1.0 / least.fun, rel=1e-9)
    assert part.bound(6, 30, 1) == pytest.approx(1.0 / least.fun, rel=1e-9)
    blocks = [DeltaBlock("a", 1), DeltaBlock("b", 2), DeltaBlock("c", 1), DeltaBlock("d", 1)]
    assert real.real_lower_bound(M, blocks) == pytest.approx(1.0 / least.fun, rel=1e-9)
    if not imaginary:
        assert least.fun == pytest.approx(1.0 / np.abs(weights).sum(), rel=1e-12)


def test_crossings_of_edges_are_as_near_as_the_square_of_their_grid() -> None:
    """Two values have two edges, each with 401 points: between neighbours eigenvalues are nearly straight."""
    found = 0
    for seed in (1, 3, 5, 6):
        rng = np.random.default_rng(seed)
        part = real._Part(_random(rng, 3, 3), np.array([0, 1, 1]), 2)
        errors = [float(np.abs(np.linalg.eigvals(part.M * d[part.owners]) - 1.0).min()) for d in part._crossings(rng)]
        near = [e for e in errors if e < 0.05]  # eigenvalues that were taken for their neighbours are far off
        assert max(near, default=0.0) < 1e-3
        found += len(near)
    assert found > 6


@pytest.mark.parametrize("imaginary", [False, True])
def test_the_eigenvalue_next_to_one_and_its_derivatives(imaginary: bool) -> None:
    rng = np.random.default_rng(8)
    M = rng.normal(size=(4, 4)) + 1j * imaginary * rng.normal(size=(4, 4))
    M = M if imaginary else M.real
    owners = np.array([0, 1, 0, 2])
    part, d = real._Part(M, owners, 3), np.array([0.7, -0.4, 1.3])

    def near(d: Array) -> complex:
        return complex(min(np.linalg.eigvals(M * d[owners]), key=lambda x: abs(x - 1.0)))

    e = part._eigenvalue(d)
    assert e is not None and e.value == pytest.approx(near(d), rel=1e-12)
    steps = [(near(d + 1e-6 * x) - near(d - 1e-6 * x)) / 2e-6 for x in np.eye(3)]
    np.testing.assert_allclose(e.slope, steps, rtol=1e-6, atol=1e-7)
    rows, missing = real._equations(e)
    both = np.vstack([np.real(steps), np.imag(steps)])
    left = np.array([(1.0 - e.value).real, (1.0 - e.value).imag])
    assert e.real == (not imaginary and e.value.imag == 0.0)
    np.testing.assert_allclose(rows, both[: len(rows)], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(missing, left[: len(rows)], rtol=1e-12)
    others = sorted(abs(x - e.value) for x in np.linalg.eigvals(M * d[owners]))
    assert 0.0 < e.gap <= others[1] and len(rows) == (1 if e.real else 2)
    solution = part._solution(d)
    if solution is not None:
        bound, at = solution
        assert abs(np.linalg.det(np.eye(4) - M * at[owners])) < 1e-9
        assert bound == pytest.approx(1.0 / np.abs(at).max(), rel=1e-9)


@pytest.mark.parametrize("defective", [False, True])
def test_the_response_about_a_frequency(defective: bool) -> None:
    """``here + C (u - F)^-1 B`` with ``u = 1 / (w - w0)``, or ``u = w`` about infinity, is the response elsewhere."""
    rng = np.random.default_rng(9)
    A = (
        np.diag([-0.03, -0.03, -4.0]) + np.diag([0.5, 0.2], 1)
        if defective
        else rng.normal(size=(3, 3)) - 3.0 * np.eye(3)
    )
    B, C, D = rng.normal(size=(3, 4)), rng.normal(size=(4, 3)), rng.normal(size=(4, 4))
    response = ExpandedResponse((A, B, C, D), 2)

    def exact(w: float) -> Array:
        return np.asarray(C[:2] @ np.linalg.solve(1j * w * np.eye(3) - A, B[:, :2]) + D[:2, :2])

    for w0, w in ((0.0, 0.7), (1.3, 0.2), (2.1, 5.0), (np.inf, 0.9), (np.inf, 60.0)):
        x = response.about(w0)
        u = w if np.isinf(w0) else 1.0 / (w - w0)
        np.testing.assert_allclose(x.here + x.C @ np.linalg.solve(u * np.eye(3) - x.F, x.B), exact(w), rtol=1e-9)
    np.testing.assert_allclose(response.at(1.7), exact(1.7), rtol=1e-9)
    np.testing.assert_allclose(response.at(np.inf), D[:2, :2], rtol=1e-12)
    poles = np.abs(np.linalg.eigvals(A))
    assert (response.slowest, response.fastest) == pytest.approx((poles.min(), poles.max()), rel=1e-6)


def test_slow_and_fast_poles_without_those_at_zero() -> None:
    A, B = np.diag([0.0, -0.2, -0.05, -7.0]), np.ones((4, 1))
    response = ExpandedResponse((A, B, B.T, np.zeros((1, 1))), 1)
    assert (response.slowest, response.fastest) == (0.05, 7.0)
    still = ExpandedResponse((np.zeros((4, 4)), B, B.T, np.zeros((1, 1))), 1)
    assert (still.slowest, still.fastest) == (1.0, 1.0)  # rad/s, where no pole gives a size


def test_frequencies_that_intervals_leave() -> None:
    """Against the membership of points, of random intervals and gaps."""
    rng = np.random.default_rng(10)
    for attempt in range(60):
        ends = np.sort(rng.choice(np.arange(0.0, 20.0, 0.5), size=(rng.integers(1, 6), 2)), axis=1)
        ends[0, 0] *= attempt % 2
        if attempt % 3 == 0:
            ends[-1, 1] = np.inf
        intervals = [Interval(a, b, 0.3) for a, b in ends]
        split = attempt % (len(intervals) + 1)
        left = uncovered(intervals[split:], [(i.low, i.high, 2.0) for i in intervals[:split]])
        trimmed = sweep._trimmed(intervals)
        assert left == sorted(left) and all(low < high for low, high in left)
        assert all(a.high <= b.low for a, b in pairwise(trimmed))
        for w in np.arange(0.25, 25.0, 0.5):
            inside = any(i.low <= w <= i.high for i in intervals)
            assert any(low <= w <= high for low, high in left) == (not inside)
            assert any(i.low <= w <= i.high and i.bound == 0.3 for i in trimmed) == inside
    assert uncovered([], []) == [(0.0, np.inf)] and uncovered([Interval(0.0, np.inf, 1.0)], []) == []
    assert uncovered([Interval(0.5, np.inf, 1.0)], []) == [(0.0, 0.5)]


def test_distances_of_frequencies_are_those_of_their_logarithms() -> None:
    assert sweep._distance(0.3, 6.0) == pytest.approx(np.log(20.0)) == sweep._distance(6.0, 0.3)
    assert sweep._distance(0.0, 2.0) == pytest.approx(np.log(2e12))
    assert sweep._distance(np.inf, 2.0) == pytest.approx(np.log(5e11))


def test_closed_real_blocks_and_their_gradient() -> None:
    """The matrix that a full block sees, with the real ones before and behind it, and its derivative."""
    rng = np.random.default_rng(11)
    blocks = [DeltaBlock("a", 2), DeltaBlock("f", 3, "full"), DeltaBlock("b", 1)]
    M: Array = 0.6 * _random(rng, 6, 6)
    partial = mixed._Partial(M, blocks)
    inside, outside = [0, 1, 5], [2, 3, 4]

    def closed(d: Array) -> float:
        delta = np.diag([d[0], d[0], d[1]])
        upper = np.linalg.solve(np.eye(3) - M[np.ix_(inside, inside)] @ delta, M[np.ix_(inside, outside)])
        return float(np.linalg.norm(M[np.ix_(outside, outside)] + M[np.ix_(outside, inside)] @ delta @ upper, 2))

    for d in rng.uniform(-0.8, 0.8, (4, 2)):
        value, slope = partial.value(d)
        assert value == pytest.approx(closed(d), rel=1e-10)
        steps = [(closed(d + 1e-6 * e) - closed(d - 1e-6 * e)) / 2e-6 for e in np.eye(2)]
        np.testing.assert_allclose(slope, steps, rtol=1e-5, atol=1e-6)
    M[np.ix_(inside, inside)] = np.diag([4.0, 0.3, 0.2])
    value, slope = mixed._Partial(M, blocks).value(np.array([0.25, 0.7]))
    assert value == np.inf and not slope.any()


def test_bounds_of_a_matrix_that_depends_linearly_on_its_real_blocks() -> None:
    """A gain ``g + c_1 a + c_2 b``: its maximum in the box, and ``t`` with ``1 / t = |g| + t sum |c|``."""
    g, c = -0.7, np.array([0.4, -1.3])
    M = np.block([[np.zeros((2, 2)), np.ones((2, 1))], [c[None, :], np.array([[g]])]])
    blocks = [DeltaBlock("a", 1), DeltaBlock("b", 1), DeltaBlock("f", 1, "full")]
    total = np.abs(c).sum()
    assert mixed.mixed_in_box(M, blocks) == pytest.approx(abs(g) + total, rel=1e-6)
    bound, at = mixed.mixed_lower_bound(M, blocks)
    t = (-abs(g) + np.sqrt(g * g + 4.0 * total)) / (2.0 * total)
    assert bound == pytest.approx(1.0 / t, rel=1e-4)
    assert abs(g + c @ at) >= bound * (1.0 - 1e-9) and np.abs(at).max() <= 1.0 / bound * (1.0 + 1e-9)
    np.testing.assert_array_equal(np.sign(at), np.sign(g * c))


def test_the_point_of_a_ray_where_size_and_value_meet() -> None:
    ray = np.array([0.5, -4.0])

    def value(d: Array) -> tuple[float, Array]:
        return float(0.3 + 0.2 * np.abs(d).max()), np.zeros(2)

    t = (-0.3 + np.sqrt(0.09 + 0.8)) / 0.4  # 1 / t = 0.3 + 0.2 t
    level, at = mixed._on_ray(value, ray)
    assert level == pytest.approx(1.0 / t, rel=1e-8)
    np.testing.assert_allclose(at, t / 4.0 * ray, rtol=1e-8)
    level, at = mixed._on_ray(value, ray / 4.0)
    assert level == pytest.approx(0.5) and at is not ray
    assert mixed._on_ray(value, 0.0 * ray)[0] == 0.3


def _vibration(rng: np.random.Generator) -> tuple[Array, Array, Array, Array]:
    """A damped system of four states, with three ports of blocks and two of signals."""
    A = rng.normal(size=(4, 4))
    A -= (np.linalg.eigvals(A).real.max() + 1.2) * np.eye(4)
    return A, rng.normal(size=(4, 5)), rng.normal(size=(5, 4)), 0.15 * rng.normal(size=(5, 5))


def test_the_gain_of_a_closed_loop_and_its_gradient() -> None:
    rng = np.random.default_rng(12)
    A, B, C, D = _vibration(rng)
    blocks = [DeltaBlock("a", 2), DeltaBlock("b", 1)]
    closed = mixed._ClosedGain((A, B, C, D), blocks)

    def at(d: Array, w: float) -> float:
        delta = np.diag([d[0], d[0], d[1]])
        G = C @ np.linalg.solve(1j * w * np.eye(4) - A, B) + D
        return float(np.linalg.norm(
            G[3:, 3:] + G[3:, :3] @ delta @ np.linalg.solve(np.eye(3) - G[:3, :3] @ delta, G[:3, 3:]), 2
        ))  # fmt: skip

    for d in rng.uniform(-0.15, 0.15, (3, 2)):
        gain, slope = closed.value(d)
        assert gain == pytest.approx(at(d, closed.omega), rel=1e-6)
        w = closed.omega
        assert gain >= max(at(d, x) for x in np.geomspace(1e-2, 1e2, 300)) * (1.0 - 1e-6)
        steps = [(at(d + 1e-6 * e, w) - at(d - 1e-6 * e, w)) / 2e-6 for e in np.eye(2)]
        np.testing.assert_allclose(slope, steps, rtol=1e-4, atol=1e-5)
    loose = mixed._ClosedGain(tuple(_polynomial([-2.0, 1.0])), [DeltaBlock("a", 1)])  # type: ignore[arg-type]
    assert loose.value(np.array([2.0]))[0] == np.inf == loose.value(np.array([3.0]))[0]


def test_the_largest_gain_in_a_box_is_at_its_corner() -> None:
    """Two lags in parallel, ``3 / (s + 2 + a) + 1 / (s + 4 + b)``: at rest and at the least damping.

    As a structured value with a full block: where the size of the blocks times that gain is one.
    """
    A, B = np.diag([-2.0, -4.0]), np.array([[-1.0, 0.0, 3.0], [0.0, -1.0, 1.0]])
    C = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    blocks = [DeltaBlock("a", 1), DeltaBlock("b", 1)]
    found = mixed.worst_gain_in_box((A, B, C, np.zeros((3, 3))), blocks)
    assert found.gain == pytest.approx(3.0 + 1.0 / 3.0, rel=1e-6) and found.omega == pytest.approx(0.0, abs=1e-6)
    assert found.values == pytest.approx({"a": -1.0, "b": -1.0})
    full = [*blocks, DeltaBlock("f", 1, "full")]
    worst = mixed.worst_mixed((A, B, C, np.zeros((3, 3))), full, np.array([0.0, 1.0]))
    assert worst is not None
    size = worst.size
    assert size * (3.0 / (2.0 - size) + 1.0 / (4.0 - size)) == pytest.approx(1.0, rel=1e-4)
    assert worst.values == pytest.approx({"a": -size, "b": -size}, rel=1e-3)


@pytest.mark.parametrize("mu", [0.3, 0.97, 2.37, 40.0])
def test_the_least_level_that_is_proven(mu: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a loop with a known value: a proof at any level above it, an obstacle below; the margin of the last pass."""
    levels: list[float] = []

    def swept(system: object, blocks: object, level: float, **settings: Any) -> sweep.Sweep:
        levels.append(level)
        assert settings["seconds"] > 0.0 and settings["stop_at_gap"]
        gaps = [] if level > mu else [(3.0, 5.0, mu)]
        return sweep.Sweep(level, [Interval(0.0, np.inf, mu)], gaps, solves=2)

    monkeypatch.setattr(search, "sweep", swept)
    monkeypatch.setattr(search, "at_level", lambda system, blocks, level: (system, blocks))
    for aim, most in ((search.Aim(None, None), 1.05), (search.Aim(None, 0.6), 1.03)):
        levels.clear()
        first = [7.0]
        made = search.Search(cast(Any, None), [], first, thread_time() + 60.0, None)
        proven = made.least(aim.passes(0.9 * mu))
        floor = 0.5 if aim.enough is None else 0.6
        assert proven.complete and mu < proven.level <= max(most * 1.01 * mu, floor * (1.0 + 1e-12), mu / 0.99)
        assert made.solves == 2 * len(levels) < 40
        if mu > floor and levels[0] <= mu:
            assert first[0] == 4.0 and made.obstacle == mu
    assert search.hardest(sweep.Sweep(1.0, [], [(0.0, 2.0, 1.5)])) == (0.0, 1.5)
    assert search.hardest(sweep.Sweep(1.0, [], [(3.0, np.inf, 2.5), (0.0, 1.0, 9.0)])) == (np.inf, 2.5)
    late = search.Search(cast(Any, None), [], [], thread_time() - 1.0, None)
    monkeypatch.setattr(
        search, "sweep", lambda *_, **settings: sweep.Sweep(2.0, [], [(0.0, np.inf, settings["seconds"])])
    )
    assert late.least([(2.0, 1.3)]).gaps == [(0.0, np.inf, 0.0)]


def test_goals_of_searches_and_their_first_frequencies() -> None:
    assert search.Aim(None, None).passes(0.2) == [(1.0, 1.3), (0.5, 1.05)]
    assert search.Aim(None, None).passes(2.0) == [(1.3 * 2.0, 1.3), (1.05 * 2.0, 1.05)]
    assert search.Aim(None, 0.9).passes(0.2) == [(0.9, 1.03)]
    assert search.Aim(None, 0.9).passes(2.0) == [(1.03 * 2.0, 1.03)]
    for wrong in ({"level": 0.0, "enough": None}, {"level": None, "enough": -1.0}):
        with pytest.raises(InputError):
            search.Aim(**cast(Any, wrong))
    A = np.diag([-0.3, 0.0, -50.0])
    w = search.looked_at(cast(Any, (A, None, None, None)))
    assert w[0] == 0.0 and w[-1] == np.inf and (np.diff(w) > 0.0).all()
    assert {0.3, 50.0} <= set(w.tolist()) and w[1] == pytest.approx(0.03) and w[-2] == pytest.approx(500.0)
    assert np.diff(np.log(w[1:-1])).max() < 1.0
    still = search.looked_at(cast(Any, (np.zeros((0, 0)), None, None, None)))
    assert still[0] == 0.0 and 1.0 in still and still[-1] == np.inf


def test_worst_gains_are_of_real_blocks_only() -> None:
    """Wherever the other one is."""
    gain = constant([[1.0]]) + constant([[0.5]]) @ parameter("k")
    plant = system_lft(python_control.ss(-1.0, 1.0, 1.0, 0.0))
    loop = plant.feedback(gain, plant.outputs, plant.inputs)
    n = sum(b.size for b in loop.blocks)
    assert n == 2 and worst_gain(loop, loop.inputs, loop.outputs).upper > 0.0
    for place in (1, 2):
        blocks = [b for b in loop.blocks if b.kind == "state"]
        others = [DeltaBlock("k", 1), DeltaBlock("c", 1, "complex")]
        blocks += others if place == 2 else others[::-1]
        M = np.random.default_rng(1).normal(size=(4, 4)) * 0.1
        M[0, 0] = -2.0
        mixture = LFT(M[:3, :3], M[:3, 3:], M[3:, :3], M[3:, 3:], tuple(blocks), ("u",), ("y",))
        with pytest.raises(InputError, match="real blocks only"):
            worst_gain(mixture, ["u"], ["y"])


def test_parts_of_a_box_that_are_stable() -> None:
    """A pole at ``a + 0.6 b - 0.3``: parts are proven below a line, and values above it destabilise."""
    total = constant([[1.0]]) @ parameter("a") + constant([[0.6]]) @ parameter("b") + constant([[-0.3]])
    integrator = system_lft(python_control.ss(0.0, 1.0, 1.0, 0.0))
    loop = integrator.feedback(constant([[-1.0]]) @ total, integrator.outputs, integrator.inputs)
    parts = proven_parts(loop, smallest=1 / 4)

    def pole(a: float, b: float) -> float:
        return a + 0.6 * b - 0.3

    assert parts.proven and parts.unstable and not parts.complete and parts.sampled_error is None
    for box in parts.proven:
        assert pole(box["a"][1], box["b"][1]) < 0.0
    for values in parts.unstable:
        assert pole(values["a"], values["b"]) >= -1e-6 and max(map(abs, values.values())) <= 1.0
    for box in parts.unknown:
        assert pole(box["a"][1], box["b"][1]) >= -1e-3
    inside = np.mean([pole(a, b) < 0.0 for a, b in product(np.linspace(-0.995, 0.995, 200), repeat=2)])
    assert inside - 0.25 < parts.share < inside
    halves = sum(len(x) for x in (parts.proven, parts.unstable, parts.unknown))
    cells = [(hi - lo) / 2.0 for box in (*parts.proven, *parts.unknown) for lo, hi in box.values()]
    assert halves > 4 and min(cells) >= 0.125 and all(np.log2(x) == round(np.log2(x)) for x in cells)
    assert proven_parts(loop, seconds=-1.0).unknown == ({"a": (-1.0, 1.0), "b": (-1.0, 1.0)},)
    share = ProvenParts(({"a": (-1.0, 0.5), "b": (0.0, 0.25)}, {"a": (0.5, 1.0), "b": (0.5, 1.0)}), (), (), 0.0)
    assert share.share == pytest.approx(0.75 * 0.125 + 0.25 * 0.25) and share.complete


def test_values_that_are_known_to_destabilise_a_part() -> None:
    def proof(lower: float, worst: WorstCase | None) -> Robustness:
        return Robustness(2.0, lower, worst, (), False, "", 0.0, 0)

    assert _unstable_at(None) is None and _unstable_at(proof(0.0, None)) is None
    assert _unstable_at(proof(np.inf, None)) == {}
    assert _unstable_at(proof(1.0, WorstCase({"a": -1.0}, 1.0, 2.0))) == {"a": -1.0}
    assert _unstable_at(proof(0.9, WorstCase({"a": 1.1}, 1.1, 2.0))) is None


def test_the_influence_of_a_block_is_the_gain_through_it() -> None:
    rng = np.random.default_rng(13)
    M = rng.normal(size=(8, 8))
    blocks = (DeltaBlock("a", 2), DeltaBlock("b", 3), DeltaBlock("c", 1))
    loop = LFT(M[:6, :6], M[:6, 6:], M[6:, :6], M[6:, 6:], blocks)
    for name, s in (("a", slice(0, 2)), ("b", slice(2, 5)), ("c", slice(5, 6))):
        through = np.linalg.norm(M[s, :6]) * np.linalg.norm(M[:6, s])
        assert _influence(loop, name) == pytest.approx(through, rel=1e-10)
    assert _influence(None, "a") == 1.0
