"""Norms and margins of linear systems: against closed forms, dense grids and slycot where it is installed."""

from __future__ import annotations

from functools import cache

import casadi as ca
import control
import numpy as np
import pytest

from dalembert.analysis import linearize
from dalembert.control.hinf import hinf_norm
from dalembert.control.margins import disk_margins
from dalembert.control.norms import Peak, gain_peaks, gains, h2_norm, matrices_of, response
from dalembert.control.structured import pid_gains, tracking
from dalembert.control.structured.plants import loop_plant
from dalembert.control.structured.terms import terms_of
from dalembert.core.errors import InputError
from dalembert.studies.robust_control import norms as comparison
from dalembert.systems.flexible_arms import planar_arm


def random_system(seed: int, size: int = 24) -> control.StateSpace:
    rng = np.random.default_rng(seed)
    n, m, p = int(rng.integers(1, size)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    A = rng.normal(size=(n, n))
    A -= (np.linalg.eigvals(A).real.max() + 10 ** rng.uniform(-3, 0)) * np.eye(n)
    gain = 10 ** rng.uniform(-6, 6)
    return control.ss(
        A, rng.normal(size=(n, m)), gain * rng.normal(size=(p, n)), gain * rng.normal(size=(p, m)) * (seed % 2)
    )


def test_all_peaks_above_a_level_are_found() -> None:
    """Oscillators side by side: the largest singular value is the largest of their gains, each with its closed form."""
    tops, damping = {1.0: 1.0, 3.0: 0.95, 10.0: 0.5}, 0.01
    height, place = 2 * damping * np.sqrt(1 - damping**2), np.sqrt(1 - 2 * damping**2)
    parts = [
        control.ss([[0.0, 1.0], [-(w**2), -2 * damping * w]], [[0.0], [1.0]], [[top * height * w**2, 0.0]], 0.0)
        for w, top in tops.items()
    ]
    system = matrices_of(control.append(*parts))[0]
    for fraction, count in ((0.97, 1), (0.9, 2), (0.4, 3)):
        peaks = gain_peaks(system, Peak(place, 1.0), fraction=fraction)
        np.testing.assert_allclose([p.gain for p in peaks], list(tops.values())[:count], rtol=1e-9)
        np.testing.assert_allclose([p.omega for p in peaks], place * np.array(list(tops))[:count], rtol=1e-5)


def test_a_sharp_peak_on_the_slope_of_a_broad_one() -> None:
    """Both have their closed forms; the broad gain is larger beside the sharp peak than at its foot."""
    tops, w, z = np.array([1.0, 0.6]), np.array([0.9, 1.0]), np.array([0.03, 0.005])
    broad, sharp = 2 * z * np.sqrt(1 - z**2) * tops  # sizes of inputs
    parts = [
        control.ss([[0.0, 1.0], [-(w[0] ** 2), -2 * z[0] * w[0]]], [[0.0], [1.0]], [[broad * w[0] ** 2, 0.0]], 0.0),
        control.ss([[0.0, 1.0], [-1.0, -2 * z[1]]], [[0.0], [1.0]], [[-sharp, -2 * z[1] * sharp]], sharp),
    ]  # the place of a mass on a spring, and the acceleration of another one
    places = w * np.sqrt(1 - 2 * z**2) ** np.array([1.0, -1.0])
    peaks = gain_peaks(matrices_of(control.append(*parts))[0], Peak(places[0], 1.0), fraction=0.5)
    np.testing.assert_allclose([p.gain for p in peaks], tops, rtol=1e-9)
    np.testing.assert_allclose([p.omega for p in peaks], places, rtol=1e-5)


@pytest.mark.parametrize("damping", [1e-4, 0.01, 0.3])
def test_oscillator_has_the_peak_of_the_closed_form(damping: float) -> None:
    norm = hinf_norm(control.tf([1], [1, 2 * damping, 1]))
    assert norm.value == pytest.approx(1 / (2 * damping * np.sqrt(1 - damping**2)), rel=1e-9)
    assert norm.omega == pytest.approx(np.sqrt(1 - 2 * damping**2), rel=1e-5)


@pytest.mark.parametrize("seed", range(30))
def test_no_frequency_exceeds_the_norm_and_one_reaches_it(seed: int) -> None:
    system = random_system(seed)
    norm = hinf_norm(system)
    parts, _ = matrices_of(system)
    grid = gains(parts, np.concatenate([[0.0, np.inf], np.geomspace(1e-4, 1e4, 3000)]))
    assert grid.max() <= norm.value * (1 + 1e-8)
    assert gains(parts, [norm.omega])[0] == pytest.approx(norm.value, rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_norm_equals_that_of_slycot(seed: int) -> None:
    pytest.importorskip("slycot")
    system = random_system(seed + 100, 60)
    assert hinf_norm(system).value == pytest.approx(control.linfnorm(system, tol=1e-10)[0], rel=1e-6)


def resonant_system(n: int, gain: float) -> control.StateSpace:
    """Lightly damped oscillators over four decades, mixed by a random rotation."""
    rng, k = np.random.default_rng(3), n // 2
    A = np.zeros((n, n))
    for i, (w, z) in enumerate(zip(np.geomspace(0.1, 1e3, k), 10 ** rng.uniform(-4, -1, k), strict=True)):
        A[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[0.0, w], [-w, -2 * z * w]]
    T = np.linalg.qr(rng.normal(size=(n, n)))[0]
    return control.ss(T @ A @ T.T, T @ rng.normal(size=(n, 3)), gain * rng.normal(size=(3, n)) @ T.T, np.zeros((3, 3)))


@pytest.mark.parametrize(("n", "gain"), [(40, 1e-12), (40, 1e12), (200, 1.0), (200, 1e12)])
def test_large_systems_and_huge_gains_equal_slycot(n: int, gain: float) -> None:
    pytest.importorskip("slycot")
    system = resonant_system(n, gain)
    norm = hinf_norm(system, proof=False)
    value, frequency = control.linfnorm(system, tol=1e-10)
    assert norm.value == pytest.approx(value, rel=1e-6)
    assert norm.omega == pytest.approx(frequency, rel=1e-6)


def test_two_equal_peaks_are_both_found() -> None:
    low, high = control.tf([1], [1, 0.02, 1]), control.tf([25.0], [1, 0.1, 25.0])
    both = control.append(control.ss(low), control.ss(high))
    norm = hinf_norm(both)
    assert sorted(round(p.omega, 2) for p in norm.peaks) == [1.0, 5.0]


def test_band_ends_count() -> None:
    system = control.tf([1], [1, 1])
    assert hinf_norm(system, band=(1.0, 10.0)).value == pytest.approx(np.sqrt(0.5), rel=1e-9)
    assert hinf_norm(control.tf([1, 0], [1, 1]), band=(0.0, 1.0)).value == pytest.approx(np.sqrt(0.5), rel=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_sampled_system_has_the_norm_of_its_grid(seed: int) -> None:
    sampled = control.c2d(random_system(2 * seed, 8), 0.05)
    norm = hinf_norm(sampled)
    w = np.linspace(0.0, np.pi / 0.05, 4000)
    (A, B, C, D), _ = matrices_of(sampled)
    z = np.exp(1j * w * 0.05)[:, None, None] * np.eye(len(A)) - A
    grid = np.linalg.svd(
        C @ np.linalg.solve(z, np.broadcast_to(B.astype(complex), (len(w), *B.shape))) + D, compute_uv=False
    )
    assert grid.max() <= norm.value * (1 + 1e-8)
    assert grid.max() >= norm.value * 0.99


def test_unstable_systems_have_no_norm() -> None:
    assert hinf_norm(control.tf([1], [1, -1])).value == np.inf
    assert hinf_norm(control.tf([1], [1, 0])).value == np.inf
    assert h2_norm(control.tf([1], [1, -1])) == np.inf
    assert h2_norm(control.tf([1, 2], [1, 1])) == np.inf


@pytest.mark.parametrize("seed", range(6))
def test_h2_norm_is_the_integral_over_frequency(seed: int) -> None:
    system = random_system(2 * seed, 6)
    parts, _ = matrices_of(system)
    angle = (np.arange(20000) + 0.5) * np.pi / 40000
    G = response(parts, np.tan(angle))
    integral = ((np.abs(G) ** 2).sum(axis=(1, 2)) / np.cos(angle) ** 2).sum() / 40000
    assert h2_norm(system) == pytest.approx(np.sqrt(integral), rel=1e-6)


def test_disk_margin_of_a_published_loop() -> None:
    # 25 / (s^3 + 10 s^2 + 10 s + 10), the example of the documentation of MATLAB's diskmargin.
    (margin,) = disk_margins(control.tf([25], [1, 10, 10, 10]))
    assert margin.gain == pytest.approx((0.6273, 1.5942), abs=1e-4)
    assert np.degrees(margin.phase) == pytest.approx(25.8017, abs=1e-4)
    assert margin.omega == pytest.approx(1.9550, abs=1e-4)


@pytest.mark.parametrize("skew", [-1.0, 0.0, 0.5, 1.0])
def test_factors_inside_the_disk_keep_the_loop_stable_and_its_edge_does_not(skew: float) -> None:
    loop = control.tf([25], [1, 10, 10, 10])
    (margin,) = disk_margins(loop, skew=skew)
    for factor in margin.gain:
        if np.isfinite(factor) and factor > 0:
            inside = 1 + 0.999 * (factor - 1)
            assert control.feedback(inside * loop).poles().real.max() < 0
    # A complex factor on the edge makes 1 + f L vanish at the critical frequency.
    S = 1 / (1 + loop(1j * margin.omega))
    d = 1 / (S + (skew - 1) / 2)
    f = (1 + (1 - skew) / 2 * d) / (1 - (1 + skew) / 2 * d)
    assert abs(d) == pytest.approx(margin.alpha, rel=1e-6)
    assert abs(1 + f * loop(1j * margin.omega)) < 1e-6


def test_wrong_input_is_named() -> None:
    with pytest.raises(InputError, match="band"):
        hinf_norm(control.tf([1], [1, 1]), band=(2.0, 1.0))
    with pytest.raises(InputError, match="python-control"):
        hinf_norm("x")
    with pytest.raises(InputError, match="outputs"):
        disk_margins(control.ss([[-1.0]], [[1.0]], [[1.0], [2.0]], 0))


def tracking_loop(seed: int) -> tuple[np.ndarray, ...]:
    """Weighted sensitivity of a two-link flexible arm under filtered PID: poles from 1e-4 to 1e4 rad/s."""
    rng = np.random.default_rng(seed)
    structure = pid_gains({"theta1": "theta1", "theta2": "theta2"}, filter_time=1e-3)
    w, numbers = 10 ** rng.uniform(-1, 1.5), []
    for size in 10 ** rng.uniform(-2, 2, 2):
        numbers += [
            size * w**2,
            size * w**3 * 10 ** rng.uniform(-4, -1),
            2 * size * w * 10 ** rng.uniform(-0.5, 0.5),
        ]
    loop = loop_plant(flexible_arm_plant(), structure, "arm")
    requirement = tracking("theta1", response_time=10 ** rng.uniform(-1, 1))
    (term,) = terms_of(requirement, [loop], structure)
    K = np.array(ca.DM(structure.packed(ca.DM(numbers))).full())
    return term.channel.closed(term.channel.effective(K)[0])


@cache
def flexible_arm_plant() -> control.StateSpace:
    return linearize(planar_arm())


def test_weighted_sensitivities_of_a_flexible_arm_are_bounded_from_both_sides() -> None:
    compared = 0
    for seed in range(40):
        parts = tracking_loop(seed)
        if np.linalg.eigvals(parts[0]).real.max() >= 0.0:
            continue
        compared += 1
        norm = hinf_norm(control.ss(*parts))
        grid = gains(parts, np.concatenate([[np.inf], np.geomspace(1e-5, 1e5, 4000)]))
        assert grid.max() <= norm.upper
        assert norm.value <= norm.upper <= norm.value * (1 + 1e-5)
    assert compared > 15


def test_peak_behind_a_larger_direct_path_is_found() -> None:
    # At infinity the gain is 2/3; AB13DD stops there, the peak is 1.3 per cent above.
    parts = (np.array([[-0.02, 1.0], [-1.0, -0.02]]), np.array([[0.0], [0.3]]), np.array([[0.0, 0.03]]), [[2.0 / 3.0]])
    norm = hinf_norm(control.ss(*parts))
    grid = np.abs(2 / 3 + 0.009 * (1j * (w := np.linspace(0.9, 1.1, 20001)) + 0.02) / ((1j * w + 0.02) ** 2 + 1)).max()
    assert norm.value == pytest.approx(grid, rel=1e-7) and norm.upper >= grid


@pytest.mark.parametrize("kind", comparison.KINDS)
def test_badly_scaled_norms_are_right_where_forty_digits_judge(kind: str) -> None:
    pytest.importorskip("mpmath")
    systems = (comparison.random_system(kind, k) for k in range(50))
    system = next(s for s in systems if np.linalg.eigvals(s[0]).real.max() < 0)
    norm = hinf_norm(control.ss(*system))
    assert norm.value == pytest.approx(comparison.true_peak(system, [norm.omega]), rel=1e-6)
    assert norm.upper >= norm.value


@pytest.mark.slow
@pytest.mark.parametrize("kind", comparison.KINDS)
def test_norms_are_never_worse_than_those_of_slicot(kind: str) -> None:
    pytest.importorskip("slycot")
    tally = comparison.compare(kind, range(100))
    assert tally.bound_broken == 0
    assert tally.ours_wrong <= tally.slicot_wrong and tally.ours_worst <= max(tally.slicot_worst, 1e-6)


def test_transfer_functions_of_any_size_and_improper_ones() -> None:
    many = control.tf([[[1.0], [2.0, 1.0]], [[3.0], [1.0]]], [[[1.0, 1.0], [1.0, 2.0, 5.0]], [[1.0], [1.0, 4.0]]])
    (A, B, C, D), _ = matrices_of(many)
    for s in (0.3j, 2.0 + 1j):
        assert np.allclose(C @ np.linalg.solve(s * np.eye(len(A)) - A, B) + D, many(s))
    with pytest.raises(InputError, match="degree 2 over 1"):
        hinf_norm(control.tf([1, 0, 0], [1, 1]))


def test_h2_norm_of_a_sampled_system_with_a_direct_path() -> None:
    """d + b c / (z - a) answers an impulse by d, bc, bca, bca^2 ..: d^2 + (bc)^2 / (1 - a^2)."""
    a, b, c, d = -0.6, 1.4, 0.9, 0.75
    system = control.ss([[a]], [[b]], [[c]], [[d]], 0.1)
    assert h2_norm(system) ** 2 == pytest.approx(d**2 + (b * c) ** 2 / (1 - a**2), rel=1e-12)
