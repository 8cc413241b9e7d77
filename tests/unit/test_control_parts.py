"""Parts of syntheses and proofs that their searches would repair: bounds, forms and gradients, one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product
from time import thread_time
from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import control
import numpy as np
import pytest
from numpy.typing import NDArray

from dalembert.control.mu.lower import _climb
from dalembert.control.mu.robustness import performance_channel, robust_stability, skew_mu, worst_gain
from dalembert.control.mu.scalings import Scaling, _hermitian, largest
from dalembert.control.mu.sweep import ExpandedResponse, proven_ends
from dalembert.control.mu.worst import worst_values
from dalembert.control.norms import response
from dalembert.control.structured.certificate import _weigh
from dalembert.control.structured.controllers import low_pass, notch
from dalembert.control.structured.nonsmooth import Budget
from dalembert.control.structured.ranges import _goals
from dalembert.control.structured.requirements import Poles, margin
from dalembert.control.structured.scales import Range
from dalembert.control.structured.synthesis import _next_weight
from dalembert.control.uncertain import constant, parameter, system_lft
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.uncertain.enclosures import Enclosure
from dalembert.control.uncertain.error import moved_by
from dalembert.control.uncertain.lft import LFT, rotation
from dalembert.control.uncertain.model import UncertainMachine
from dalembert.control.uncertain.reduction import singular
from dalembert.control.varying.energy import EnergyFunction, LinearFamily, basis, curvature
from dalembert.control.varying.falsification import _Search
from dalembert.control.varying.moving import MotionLoop, Varied
from dalembert.control.varying.refinements import lifted_matrix
from dalembert.core.errors import InputError


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


def test_the_peak_of_a_filter_that_is_searched() -> None:
    """At the least damping of a search the peak of a low-pass is tenfold; one with the largest damping has none."""
    structure, w = low_pass("u", "y", order=2, omega=3.0), 3.0
    (damping,) = structure.tunables
    assert damping.lower is not None and damping.upper is not None
    sizes = {z: [abs(_response(structure, [z], 1j * w * x)) for x in np.linspace(0.0, 1.5, 301)]
             for z in (damping.lower, damping.upper)}  # fmt: skip
    assert max(sizes[damping.lower]) == pytest.approx(10.0, rel=2e-3)  # 1 / (2 z), up to z^2 / 2
    assert max(sizes[damping.upper]) == 1.0


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


def test_gradient_of_the_growth_at_the_ends_of_ranges() -> None:
    """There is nothing beyond an end: the gradient is that of differences to the inside."""
    A = constant([[0.0, 1.0], [-1.0, -0.2]]) + constant([[0.0], [-0.6]]) @ parameter("d1") @ constant([[0.7, 0.5]])
    integrators = system_lft(control.ss(np.zeros((2, 2)), np.eye(2), np.eye(2), 0))
    search = _Search(integrators.feedback(-A, integrators.outputs, integrators.inputs), {"d1": 0.7}, None)
    inside, e = np.random.default_rng(3).uniform(-0.6, 0.6, search.size), 1e-6
    for j, end in product(range(search.size), (-1.0, 1.0)):
        x = np.array([*inside[:j], end, *inside[j + 1 :]])
        into = -e * end * np.eye(search.size)[j]
        numeric = (search.growth(x) - search.growth(x + into)) / into[j]
        gradient = search.descent(x)[1]
        assert gradient[j] == pytest.approx(numeric, rel=2e-2, abs=2e-3 * np.abs(gradient).max())


def test_skewed_singular_value_of_two_numbers() -> None:
    """``1 - x y a b = 0`` with ``|a| <= 1`` needs ``|b| = 1 / |x y|``."""
    blocks = [DeltaBlock("a", 1, "complex"), DeltaBlock("b", 1, "full")]
    x, y = 2.5, 2.0 + 1.0j
    bounds = skew_mu(np.array([[0.0, x], [y, 0.0]]), blocks, ["a"], tolerance=1e-2)
    assert abs(x * y) <= bounds.upper <= 1.01 * abs(x * y) and 0.9 * abs(x * y) <= bounds.lower <= bounds.upper


@pytest.mark.parametrize("size", [1e-3, 0.5, 200.0])
def test_skewed_singular_values_of_any_size(size: float) -> None:
    """``1 - size d = 0`` has the one solution ``d = 1 / size``: both bounds find it, whatever its size."""
    bounds = skew_mu([[size]], [DeltaBlock("d", 1, "real")], [], tolerance=1e-3)
    assert size <= bounds.upper <= 1.002 * size and 0.98 * size <= bounds.lower <= size * (1.0 + 1e-9)


def test_a_climb_follows_the_gradient() -> None:
    """Its first step goes half of the box along the gradient, and is unstable here already."""
    slopes = np.array([4.0, -1.0, 0.5])

    def abscissa(d: NDArray[Any]) -> tuple[float, NDArray[Any], float]:
        return float(slopes @ d - 1.0), slopes, 0.0

    found = _climb(cast(Any, SimpleNamespace(abscissa=abscissa)), np.zeros(3), 2.0, thread_time(), 10.0)
    assert found is not None
    np.testing.assert_allclose(found, slopes / 4.0)


def _lag(*terms: tuple[float, float]) -> LFT:
    """Lags ``x' = -(a + b d) x + u``, each with its own number ``d``."""
    n = len(terms)
    A = constant(np.diag([-a for a, _ in terms]))
    for k, (_, b) in enumerate(terms):
        one = np.eye(n)[:, k : k + 1]
        A = A + constant(-b * one) @ parameter(f"d{k}") @ constant(one.T)
    integrators = system_lft(control.ss(np.zeros((n, n)), np.eye(n), np.eye(n), 0))
    return integrators.feedback(-A, integrators.outputs, integrators.inputs)


def test_a_decay_over_ranges_is_proven_as_it_is_tuned() -> None:
    """A requirement counts as met up to a thousandth: a loop that decays so much slower has a stable goal."""
    for decay, met in ((2.0, True), (2.0 * (1.0 - 5e-4), True), (2.0 * (1.0 - 2e-3), False)):
        (goal,) = _goals(_lag((decay, 0.0)), [Poles(decay=2.0)])
        loop: Any = goal.loop.at(d0=0.0)
        (pole,) = np.linalg.eigvals(loop.A)
        assert bool(pole < 0.0) == met and goal.name == "a decay of 2 1/s"


def test_worst_gain_of_a_lag() -> None:
    """``1 / (1 + d / 2)`` is 2 at ``d = -1``; what the other number is does not matter, and it is said as zero."""
    loop = _lag((1.0, 0.5), (1.0, 0.3))
    inputs, outputs = loop.inputs[:1], loop.outputs[:1]
    found = worst_gain(loop, inputs, outputs, seconds=10.0)
    assert found.lower == pytest.approx(2.0, rel=1e-6) and 2.0 <= found.upper < 2.2 and found.complete
    broken = worst_values(loop, inputs, outputs, bound=1.5)
    assert broken is not None and broken.value == pytest.approx(2.0, rel=1e-6)
    assert broken.values == {"d0": pytest.approx(-1.0), "d1": 0.0}
    assert worst_values(loop, inputs, outputs, bound=2.5) is None


def test_robustness_where_nothing_moves() -> None:
    """``1 / (1 - 2 d)``: no solution from ``d = 1/2`` on."""
    found = robust_stability((constant([[1.0]]) - 2.0 * parameter("d")).inverse())
    assert found.upper == pytest.approx(2.0, rel=1e-6) and found.lower == pytest.approx(2.0, rel=1e-6)
    assert found.complete


def test_bounds_above_one_prove_nothing_of_machines_with_errors() -> None:
    """Where nothing moves ``1 - 3/2 d`` has no solution from ``d = 2/3`` on; errors of models keep their size."""
    for size, kind, complete in ((1.5, "error", False), (0.8, "error", True), (1.5, "real", True)):
        blocks = DeltaBlock("d", 1), DeltaBlock("e", 1, kind)
        nothing = np.zeros((2, 1)), np.zeros((1, 2)), np.zeros((1, 1))
        found = robust_stability(LFT(np.diag([size, 0.2]), *nothing, blocks, ("u",), ("y",)))
        assert found.upper == pytest.approx(size, rel=1e-6) and found.complete == complete
        assert found.guaranteed == (complete and size < 1.0)


def test_weights_of_transfers_of_several_signals() -> None:
    """One of a single signal multiplies all entries; others are before or behind the transfer, of their own sizes."""
    rng, w = np.random.default_rng(8), np.array([0.3, 2.0])
    T = rng.normal(size=(2, 3, 2)) + 1j * rng.normal(size=(2, 3, 2))
    lag, s = control.tf([2.0], [1.0, 1.0]), 1j * w
    before, after = rng.normal(size=(2, 4)), rng.normal(size=(2, 3))
    np.testing.assert_allclose(_weigh(T, lag, None, w), (2.0 / (s + 1.0))[:, None, None] * T, rtol=1e-12)
    np.testing.assert_allclose(_weigh(T, None, lag, w), (2.0 / (s + 1.0))[:, None, None] * T, rtol=1e-12)
    whole = _weigh(T, control.ss([], [], [], before), control.ss([], [], [], after), w)
    np.testing.assert_allclose(whole, after @ T @ before, rtol=1e-12)


def test_a_channel_over_its_bound() -> None:
    loop = system_lft(control.ss(-1.0, 2.0, 3.0, 0.5, inputs=["u"], outputs=["y"]))
    (A, B, C, D), blocks = performance_channel(loop, ["u"], ["y"], 4.0)
    assert (A.item(), B.item(), C.item(), D.item()) == (-1.0, 2.0, 0.75, 0.125)
    assert [(b.name, b.kind) for b in blocks] == [("performance", "full")]
    loop = _lag((1.0, 0.5), (2.0, 0.3))
    for rows, columns in ((loop.outputs, loop.inputs[:1]), (loop.outputs[:1], loop.inputs)):  # the block is square
        (A, B, C, D), blocks = performance_channel(loop, columns, rows, 4.0)
        gain = response((A, B, C, D), [0.7])[0]
        n = len(gain) - 2
        assert gain.shape == (n + 2, n + 2) and (blocks[-1].name, blocks[-1].size) == ("performance", 2)
        expected = np.diag([1.0 / (0.7j + 1.0), 1.0 / (0.7j + 2.0)]) / 4.0
        expected[len(rows) :], expected[:, len(columns) :] = 0.0, 0.0
        np.testing.assert_allclose(gain[n:, n:], expected, rtol=1e-12)


def test_scalings_that_are_nearly_singular_are_not_searched_from() -> None:
    """Sizes of the scaling and its inverse count together: units of all signals do not matter."""

    def sound(*sizes: float, G: float = 0.0) -> bool:
        T = np.diag(sizes).astype(complex)
        return Scaling(T, np.linalg.inv(T), (G * np.eye(len(sizes))).astype(complex), 1.0).sound

    assert sound(1.0, 1e9) and sound(1e9, 1e9) and sound(1e-9, 1e-9) and sound(1e-5, 1e5, G=1e7)
    assert not sound(1e-7, 1e7) and not sound(1.0, 1e13) and not sound(1.0, 1.0, G=1e9)


def test_frequencies_around_one_that_a_scaling_proves() -> None:
    """Up to the ends the scaled form is below the level, and just beyond them it is not."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(4, 4)) - 3.0 * np.eye(4)
        system = (A, rng.normal(size=(4, 3)), rng.normal(size=(3, 4)), 0.3 * rng.normal(size=(3, 3)))
        curve = ExpandedResponse(system, 3)
        w, T = 1.3, np.diag(rng.uniform(0.5, 2.0, 3)).astype(complex)
        scaling = Scaling(T, np.linalg.inv(T), np.diag([0.3, -0.2, 0.0]).astype(complex), np.nan)
        level = 1.2 * float(np.sqrt(largest(T @ curve.at(w) @ scaling.inverse, scaling.G)))
        ends = proven_ends(curve.about(w), scaling, level)
        assert ends is not None

        def form(v: float, curve: Any = curve, scaling: Any = scaling, w: float = w) -> float:
            return largest(scaling.T @ curve.at(w + v) @ scaling.inverse, scaling.G)

        for end, sign in zip(ends, (1.0, -1.0), strict=True):
            reach = 1.0 / end if end > 1e-3 else 100.0
            assert max(form(sign * part * reach) for part in (0.0, 0.3, 0.7, 0.99)) <= level**2
            if end > 1e-3:
                assert form(1.02 * sign * reach) > level**2 * (1.0 - 1e-9)


def test_budgets_end_after_their_seconds() -> None:
    now = thread_time()
    assert not Budget(seconds=now + 5.0, began=now - 1.0).spent
    assert Budget(seconds=0.5, began=now - 1.0).spent and not Budget(seconds=1.5, began=now - 1.0).spent


@pytest.mark.parametrize(
    ("lower", "upper"), [(-2.0, 5.0), (0.0, 3.0), (1.0, np.inf), (-np.inf, -1.0), (-np.inf, np.inf)]
)
def test_variables_of_numbers_between_bounds(lower: float, upper: float) -> None:
    numbers = Range(lower, upper, 0.7, 1.0)
    for x in (-40.0, -1.9, -1.2, 0.3, 1.1, 2.9, 4.9, 40.0):
        if lower < x < upper:
            y = numbers.variable(x)
            made, slope = numbers.value(y)
            assert made == pytest.approx(x, rel=1e-9)
            e = 1e-6 * max(1.0, abs(y))
            assert (numbers.value(y + e)[0] - numbers.value(y - e)[0]) / (2.0 * e) == pytest.approx(slope, rel=1e-5)


def test_numbers_of_uncertain_quantities() -> None:
    """Tangents of a part of an angle, roots of moduli, and others as they are."""
    ranges = {"angle": (-1.2, 0.8), "modulus": (4.0, 9.0), "mass": (1.0, 3.0)}
    lft = constant([[1.0]])
    model = UncertainMachine(lft, lft, ranges, {"angle": 0.25}, frozenset({"modulus"}))
    assert model.raw("angle", 0.8) == pytest.approx(np.tan(0.2)) and model.raw("modulus", 9.0) == 3.0
    for d in (-1.0, 0.3, 1.0):
        values = model.values(angle=d, modulus=d, mass=d)
        assert model.normalised(**values) == {name: pytest.approx(d) for name in ranges}
    assert model.values(modulus=0.0, mass=0.5) == {"modulus": 6.25, "mass": 2.5}


def test_products_of_enclosed_numbers() -> None:
    """Exact where a factor is 0, 1, 2 or a half of either sign; a product that is too small for a double is not."""
    for x, y in ((1.0, 1.0), (2.0, 0.5), (-1.0, 0.1), (0.0, 0.3)):
        found = Enclosure(x).times(Enclosure(y))
        assert (found.m, found.r) == (x * y, 0.0)
    least = float(np.nextafter(0.0, 1.0))
    lost = Enclosure(0.5).times(Enclosure(least))
    assert lost.m == 0.0 and lost.r > 0.0
    rng = np.random.default_rng(9)
    for x, y in rng.normal(size=(20, 2)):
        found = Enclosure(x).times(Enclosure(y))
        assert 0.0 < found.r < 1e-15 * abs(found.m) and abs(Fraction(x) * Fraction(y) - Fraction(found.m)) <= found.r


def test_relations_that_can_be_solved() -> None:
    gain = (constant([[2.0]]) + 0.5 * parameter("d")).inverse()
    d = 0.4
    value = gain.M22 + gain.M21 @ np.linalg.solve(np.eye(1) - d * gain.M11, d * gain.M12)
    assert value.item() == pytest.approx(1.0 / (2.0 + 0.5 * d))
    with pytest.raises(InputError, match="cannot be solved"):
        constant([[1.0, 2.0]]).solved([0], [0, 1])
    with pytest.raises(InputError, match="cannot be solved"):
        parameter("d").inverse()


def test_motions_that_are_faster() -> None:
    varied = (Varied("a", True, 0, 0, (0.0, 1.0), 2.0, 3.0),)
    family = LinearFamily(((0.0, 1.0),), (True,), np.ones((4, 5, 6, 1, 1)), 1)
    loop = MotionLoop(cast(Any, None), cast(Any, None), varied, cast(Any, None), np.zeros(0), family)
    for push, expected in ((None, 15.0), (0.5, 1.5)):
        fast = loop.faster(5.0, push)
        assert (fast.varied[0].rate, fast.varied[0].acceleration) == (10.0, expected)
        factors = fast.family.coefficients[:, 0, 0, 0, 0].tolist()  # one, rate, its square, acceleration
        assert factors == [1.0, 5.0, 25.0, expected / 3.0]
