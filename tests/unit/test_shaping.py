"""S-curves, input shapers and load references."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.plan.flat import LoadReference, SmoothStep
from dalembert.plan.shaping import SCurve, Shaper, ei, excitation, zv, zvd


def history(reference, t: np.ndarray) -> np.ndarray:
    """Position, velocity, acceleration and jerk over time, by differentiation of the expression."""
    s = ca.SX.sym("t")
    x = ca.SX(reference(s))
    columns = [x]
    for _ in range(3):
        columns.append(ca.jacobian(columns[-1], s))
    f = ca.Function("f", [s], [ca.densify(ca.vertcat(*columns))])
    return np.array(f.map(len(t))(t[None, :]).full()).T


def residual(reference, frequency: float, damping: float, end: float) -> float:
    """Vibration x'' + 2 zeta w x' + w^2 x = -r'' left at the end, by quadrature of its impulse response."""
    t = np.linspace(0.0, end, 60001)
    a = history(reference, t)[:, 2]
    wd = frequency * np.sqrt(1 - damping**2)
    kernel = np.exp(-damping * frequency * (end - t)) * np.exp(1j * wd * (end - t))
    return float(abs(np.trapezoid(a * kernel, t)))


def test_s_curve_of_given_duration() -> None:
    curve = SCurve.timed(1.0, 6.0, 4.0, cruise=0.25, smooth=0.5, delay=0.5)
    h = history(curve, np.linspace(0, 6, 4001))
    assert h[0, 0] == 1.0
    assert h[-1, 0] == pytest.approx(6.0, abs=1e-12)
    assert (np.diff(h[:, 0]) >= -1e-12).all()
    assert curve.duration == pytest.approx(4.0)
    for column, peak in zip((1, 2, 3), curve.peaks, strict=True):
        assert np.abs(h[:, column]).max() == pytest.approx(peak[0], rel=1e-3)
    assert np.trapezoid(h[:, 1], np.linspace(0, 6, 4001)) == pytest.approx(5.0, rel=1e-6)


@pytest.mark.parametrize("way", [0.01, 0.5, 10.0])
def test_s_curve_within_limits_is_as_fast_as_they_allow(way: float) -> None:
    limits = {"velocity": 1.0, "acceleration": 0.8, "jerk": 2.0}
    curve = SCurve.limited(0.0, way, **limits)
    ratios = [float(peak[0]) / limit for peak, limit in zip(curve.peaks, limits.values(), strict=True)]
    assert max(ratios) <= 1 + 1e-9
    assert ratios[2] == pytest.approx(1.0)  # jerk is used to the full, and so is what the way is long enough for
    assert (ratios[0] == pytest.approx(1.0)) == (way == 10.0)
    assert float(curve(curve.duration)) == pytest.approx(way)


@pytest.mark.parametrize("make", [zv, zvd])
@pytest.mark.parametrize("damping", [0.0, 0.05, 0.3])
def test_shapers_cancel_their_mode(make, damping: float) -> None:
    w = 1.7
    shaper = make(w, damping)
    assert sum(shaper.amplitudes) == pytest.approx(1.0)
    assert shaper.vibration(w, damping) < 1e-12
    curve = SCurve.timed(0.0, 1.0, 2.0)
    end = curve.duration + shaper.duration + 0.5
    assert residual(shaper(curve), w, damping, end) < 1e-4 * residual(curve, w, damping, end)


def test_robustness_to_the_frequency() -> None:
    w = 2.0
    off = 1.05 * w
    e = [float(s.vibration(off)) for s in (zv(w), zvd(w), ei(w, tolerance=0.05))]
    assert e[0] == pytest.approx(abs(np.cos(np.pi / 2 * 1.05)), rel=1e-12)
    assert e[1] == pytest.approx(e[0] ** 2, rel=1e-9)  # ZVD is ZV twice
    h = 1e-6
    slope = (float(zvd(w).vibration(w + h)) - float(zvd(w).vibration(w - h))) / (2 * h)
    assert abs(slope) < 1e-5


@pytest.mark.parametrize("damping", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("tolerance", [0.02, 0.05, 0.2])
def test_extra_insensitive_shaper(damping: float, tolerance: float) -> None:
    w = 3.0
    shaper = ei(w, damping, tolerance)
    grid = np.linspace(0.3 * w, 1.7 * w, 20001)
    V = shaper.vibration(grid, damping)
    assert float(shaper.vibration(w, damping)) == pytest.approx(tolerance, abs=1e-8)
    inside = grid[tolerance >= V - 1e-9]
    narrow = grid[zvd(w, damping).vibration(grid, damping) <= tolerance]
    assert np.ptp(inside) > 1.2 * np.ptp(narrow)  # wider than ZVD at equal duration
    lows = [i for i in range(1, len(V) - 1) if V[i] < V[i - 1] and V[i] < V[i + 1]]
    assert len(lows) == 2
    assert V[lows].max() < 1e-3  # a zero on either side
    assert shaper.duration == pytest.approx(zvd(w, damping).duration, rel=0.05)


@pytest.mark.parametrize(("damping", "tolerance"), [(0.3, 0.005), (0.3, 0.2), (0.6, 0.005), (0.6, 0.05), (0.8, 0.005)])
def test_extra_insensitive_shaper_with_strong_damping(damping: float, tolerance: float) -> None:
    """The tolerance is the maximum between two zeros, as with little damping."""
    w = 3.0
    shaper = ei(w, damping, tolerance)
    ratios = np.linspace(0.0, 4.0, 8001)
    V = shaper.vibration(w * ratios, damping)
    below, above = np.flatnonzero((V[1:-1] < V[:-2]) & (V[1:-1] < V[2:]))[:2] + 1
    assert max(V[below], V[above]) < 0.02 * tolerance  # zeros up to the steps of the grid
    assert below < 2000 < above and V[below:above].argmax() == 2000 - below
    assert V[2000] == pytest.approx(tolerance, rel=1e-7)


def test_extra_insensitive_shapers_that_do_not_exist_are_refused() -> None:
    """No other solution of their conditions is taken for one, as that of 0.2 and 0.5 with impulses out of order."""
    for damping, tolerance in ((0.1, 0.7), (0.2, 0.5), (0.6, 0.1), (0.8, 0.02)):
        with pytest.raises(da.InputError, match=f"no EI shaper was found for the damping ratio {damping:g}"):
            ei(3.0, damping, tolerance)


def test_excitation_is_what_rings_on() -> None:
    """Against quadrature of the impulse response; the shaped reference rings by the shaper's vibration."""
    w, shaper = 1.7, ei(1.6)
    curve = SCurve.timed(0.0, 1.0, 2.0, delay=0.3)
    end = 2.3
    assert excitation(curve, w, end) == pytest.approx(residual(curve, w, 0.0, end), rel=1e-6)
    shaped = excitation(shaper(curve), [w, 5.0], end + shaper.duration)
    assert np.allclose(shaped, shaper.vibration([w, 5.0]) * excitation(curve, [w, 5.0], end), atol=1e-6)


def test_tolerance_of_ei_from_what_may_stay() -> None:
    w, allowed = 1.4, 0.01
    curve = SCurve.timed(0.0, 5.0, 3.5)
    rings = float(excitation(curve, w, 3.5))
    shaper = ei(w, tolerance=allowed / rings)
    assert float(excitation(shaper(curve), w, 3.5 + shaper.duration)) == pytest.approx(allowed, abs=1e-6 * rings)


def test_product_of_shapers_cancels_both_modes() -> None:
    both = zv(1.0) * zv(3.7)
    assert both.vibration([1.0, 3.7]).max() < 1e-12
    assert len(both.times) == 4


def test_load_reference_brings_the_load_to_rest() -> None:
    w = 1.4
    reference = LoadReference(SmoothStep(0.0, 5.0, 8.0), w)
    t = np.linspace(0, 8, 801)
    assert np.abs(history(reference, np.array([0.0, 8.0]))[:, 1:3]).max() < 1e-9
    # y'' = w^2 (r - y)
    y = history(reference.load, t)
    assert np.allclose(y[:, 2], w**2 * (history(reference, t)[:, 0] - y[:, 0]), atol=1e-10)
    assert residual(reference, w, 0.0, 9.0) < 1e-6


def test_smooth_step_of_order_two_is_the_quintic() -> None:
    t = np.linspace(-1, 5, 13)
    a = history(SmoothStep(0.0, 2.0, 4.0, order=2), t)
    assert np.allclose(a, history(da.Quintic([0.0], [2.0], 4.0), t), atol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: zv(0.0), "frequency .* > 0"),
        (lambda: zvd(1.0, 1.0), "damping ratio"),
        (lambda: ei(1.0, 0.0, 1.5), "tolerance"),
        (lambda: Shaper((0.0, 1.0), (0.5, 0.4)), "add up to 1"),
        (lambda: Shaper((0.5, 1.0), (0.5, 0.5)), "ascending times from 0"),
        (lambda: SCurve(0.0, 1.0, 0.0), "jerk_time > 0"),
        (lambda: SCurve.timed(0.0, 1.0, -1.0), "duration > 0"),
        (lambda: SCurve.timed(0.0, 1.0, 0.0), "duration > 0"),
        (lambda: SCurve.timed(0.0, 1.0, 1.0, cruise=1.0), "cruise < 1"),
        (lambda: SCurve.timed(0.0, 1.0, 1.0, cruise=-0.1), "0 <= cruise"),
        (lambda: SCurve.timed(0.0, 1.0, 1.0, smooth=0.0), "0 < smooth"),
        (lambda: SCurve.timed(0.0, 1.0, 1.0, smooth=1.1), "smooth <= 1"),
        (lambda: zv(1.0, -0.1), "damping ratio"),
        (lambda: ei(1.0, 0.0, 0.0), "tolerance"),
        (lambda: ei(1.0, 0.0, 1.0), "tolerance"),
        (lambda: SCurve.limited(0.0, 1.0, velocity=1.0, acceleration=0.0, jerk=1.0), "limit of acceleration"),
        (lambda: SCurve.limited(1.0, 1.0, velocity=1.0, acceleration=1.0, jerk=1.0), "must differ"),
        (lambda: SmoothStep(0.0, 1.0, 0.0), "duration"),
        (lambda: SmoothStep(0.0, 1.0, 1.0, order=-1), "order"),
        (lambda: excitation(SCurve.timed(0.0, 1.0, 1.0), 0.0, 1.0), "frequencies of modes must be > 0"),
        (lambda: excitation(SCurve.timed(0.0, 1.0, 1.0), 1.0, float("nan")), "end of a reference .* got nan"),
        (lambda: excitation(SCurve.timed([0.0, 0.0], [1.0, 1.0], 1.0), 1.0, 1.0), "one component .* got 2"),
        (lambda: LoadReference(SmoothStep(0.0, 1.0, 1.0), 0.0), "omega"),
    ],
)
def test_refusals(make, message: str) -> None:
    with pytest.raises(da.InputError, match=message):
        make()
