"""Parts of norms and of structured syntheses: responses, levels, weights, loops without their controller, descent."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import control
import numpy as np
import pytest
from numpy.typing import NDArray

from dalembert.control import detumbling, hinf, norms
from dalembert.control.lqr import LQR, lqr_gain
from dalembert.control.norms import Peak, gains, level_frequencies, modal, peak_gain, response
from dalembert.control.passivity import SlotineLi
from dalembert.control.scheduled import ScheduledGains, powers
from dalembert.control.spacecraft import pose_reference
from dalembert.control.structured import (
    ControllerGain,
    Gain,
    Poles,
    Variance,
    beside,
    certificate,
    fixed_controller,
    low_pass,
    nonsmooth,
    notch,
    pd_gains,
    pid_gains,
    positive_gains,
    scheduling,
    state_space,
)
from dalembert.control.structured import gains as gain_structure
from dalembert.control.structured.mixtures import _covariances, gain_mixture
from dalembert.control.structured.nonsmooth import Budget
from dalembert.control.structured.plants import _weight, controller_alone, loop_plant, named_plants
from dalembert.control.structured.ranges import _goals, inside, shifted
from dalembert.control.structured.scales import Range, _range, ranges, typical_frequencies
from dalembert.control.structured.structures import Tunable
from dalembert.control.structured.terms import Claim, GainTerm, PolesTerm, VarianceTerm, abscissa, terms_of
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.uncertain.lft import LFT
from dalembert.core.errors import InputError

Array = NDArray[Any]
Matrices = tuple[Array, Array, Array, Array]


def _system(rng: np.random.Generator, n: int, m: int, p: int, direct: float = 1.0) -> Matrices:
    A = rng.normal(size=(n, n))
    A -= (np.linalg.eigvals(A).real.max() + 0.3) * np.eye(n)
    return A, rng.normal(size=(n, m)), rng.normal(size=(p, n)), direct * rng.normal(size=(p, m))


def _at(system: Matrices, w: float) -> Array:
    A, B, C, D = system
    return np.asarray(D + C @ np.linalg.solve(1j * w * np.eye(len(A)) - A, B))


# -- gains -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "p"), [(1, 3), (2, 1), (2, 3), (3, 2)])
def test_gains_at_frequencies(m: int, p: int) -> None:
    """Singular values of the response; in modal coordinates, too; of the direct path at infinity."""
    system = _system(np.random.default_rng(m + 7 * p), 5, m, p)
    w = [0.0, 0.3, 2.7, np.inf]
    exact = [_at(system, x) if np.isfinite(x) else system[3] for x in w]
    np.testing.assert_allclose(response(system, w), exact, rtol=1e-9)
    sizes = [np.linalg.norm(G, 2) for G in exact]
    np.testing.assert_allclose(gains(system, w), sizes, rtol=1e-9)
    form = modal(system)
    np.testing.assert_allclose(form.gains(np.array(w)), sizes, rtol=1e-8)
    np.testing.assert_allclose(response(form.matrices, w), exact, rtol=1e-8, atol=1e-9)
    assert form.stable and form.residues is not None
    np.testing.assert_allclose(np.sort_complex(form.poles), np.sort_complex(np.linalg.eigvals(system[0])), rtol=1e-9)
    assert gains((system[0], system[1], system[2][:0], system[3][:0]), w).tolist() == [0.0] * 4


def test_gains_at_poles_on_the_axis() -> None:
    """Infinite there, and what they are elsewhere, however many frequencies are asked for."""
    system = (np.array([[0.0, 1.0], [-4.0, 0.0]]), np.array([[0.0], [1.0]]), np.array([[1.0, 0.0]]), np.zeros((1, 1)))
    for w in ([2.0], [2.0, 1.0], [0.0, 2.0, 5.0]):
        expected = [np.inf if x == 2.0 else abs(1.0 / (4.0 - x * x)) for x in w]
        np.testing.assert_allclose(gains(system, w), expected, rtol=1e-12)
    assert not modal(system).stable
    G = np.array([[[1.0, np.nan], [0.0, 1.0]], [[3.0, 0.0], [0.0, 4.0j]], [[1e200, 0.0], [0.0, 1.0]]])
    np.testing.assert_allclose(norms._largest_singular(G), [np.inf, 4.0, 1e200], rtol=1e-12)


@pytest.mark.parametrize("direct", [0.0, 0.2, 1.0])
def test_frequencies_at_which_a_gain_is_a_level(direct: float) -> None:
    """Every crossing of a dense grid is among them, of the Hamiltonian and of the pencil."""
    system = _system(np.random.default_rng(3), 6, 2, 3, direct)
    A, B, C, D = system
    w = np.linspace(0.0, 12.0, 4001)
    values = np.array([np.linalg.svd(_at(system, x), compute_uv=False) for x in w])
    for level in np.quantile(values[:, 0], [0.3, 0.8]):
        found = level_frequencies(system, float(level))
        scaled = np.abs(norms._pencil_eigenvalues(A, B / level, C, D / level))
        for k in range(2):
            for i in np.flatnonzero((values[:-1, k] - level) * (values[1:, k] - level) < 0.0):
                assert np.abs(found - w[i]).min() < 4e-3 and np.abs(scaled - w[i]).min() < 4e-3
    top = float(np.linalg.svd(D, compute_uv=False)[0]) if direct else 1.0
    assert np.isfinite(level_frequencies(system, top)).all()  # the Hamiltonian does not exist there


def test_bounds_of_gains_over_bands() -> None:
    """The default band is the whole axis; a level below the gain is not proven, however small both are."""
    for scale in (1e-6, 0.02, 1.0, 300.0):
        lag = (np.array([[-0.5]]), np.array([[1.0]]), np.array([[scale]]), np.zeros((1, 1)))  # 2 scale at rest
        form = modal(lag)
        found = hinf.gain_bounds(lag)
        assert found.peak.gain == pytest.approx(2.0 * scale, rel=1e-6) and found.peak.omega < 1e-3
        assert found.peak.gain <= found.upper <= 2.0 * scale * 1.001
        above = hinf.gain_bounds(lag, (1.0, np.inf))
        assert (
            above.peak.gain == pytest.approx(scale / np.hypot(1.0, 0.5), rel=1e-6) == pytest.approx(above.upper, 1e-3)
        )
        failed = hinf._fails(lag, form, 1.9 * scale, (0.0, np.inf), 3.0)
        assert failed is not None and scale / np.hypot(failed, 0.5) > 1.8 * scale
        assert hinf._fails(lag, form, 2.1 * scale, (0.0, np.inf), 0.0) is None
        assert hinf._fails(lag, form, 1.0 * scale, (1.0, 7.0), 2.0) is None  # outside the band it is larger
        assert hinf._fails(lag, form, 0.8 * scale, (1.0, 7.0), 2.0) is not None
    for B, C, D in ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, -3.0), (2.0, 0.0, 0.7)):
        still = (np.array([[-1.0]]), np.array([[B]]), np.array([[C]]), np.array([[D]]))
        bound = hinf.gain_bounds(still)
        assert bound.peak.gain == abs(D) == bound.upper == hinf.hinf_norm(control.ss(*still)).upper


def test_refined_gains_and_square_systems() -> None:
    system = _system(np.random.default_rng(5), 4, 3, 2)
    for w in (0.0, 0.8, np.inf):
        expected = np.linalg.norm(_at(system, w) if np.isfinite(w) else system[3], 2)
        assert hinf._gain(system, w) == pytest.approx(expected, rel=1e-12)
    A, B, C, D = square = hinf._square(system, 4)
    assert (B.shape, C.shape, D.shape) == ((4, 4), (4, 4), (4, 4))
    np.testing.assert_allclose(_at(square, 0.7)[:2, :3], _at(system, 0.7), rtol=1e-12)
    assert not _at(square, 0.7)[2:].any() and not _at(square, 0.7)[:, 3:].any() and A is system[0]
    sampled = (0.4 * system[0] / np.linalg.norm(system[0], 2), *system[1:])
    continuous = hinf._bilinear(*sampled)
    for angle in (0.1, 1.2, 3.0):
        z = np.exp(1j * angle)
        exact = sampled[3] + sampled[2] @ np.linalg.solve(z * np.eye(4) - sampled[0], sampled[1])
        np.testing.assert_allclose(
            np.linalg.svd(_at(continuous, np.tan(angle / 2.0)), compute_uv=False),
            np.linalg.svd(exact, compute_uv=False), rtol=1e-10,
        )  # fmt: skip


def test_norms_of_sampled_systems_over_bands() -> None:
    """``1 / (z - a)`` has its largest gain at the lower end of a band; frequencies are those of the samples."""
    a, h = 0.6, 0.05
    system = control.ss([[a]], [[1.0]], [[1.0]], [[0.0]], h)
    for band in ((3.0, 20.0), (10.0, 1e4), None):
        low = 0.0 if band is None else band[0]
        found = hinf.hinf_norm(system, band=band)
        assert found.value == pytest.approx(1.0 / abs(np.exp(1j * low * h) - a), rel=1e-7)
        assert found.omega == pytest.approx(low, rel=1e-5, abs=1e-6)
        plain = hinf.hinf_norm(system, band=band, proof=False)
        assert plain.value == pytest.approx(found.value, rel=1e-9) and plain.upper == np.inf
    for band in ((3.0,), (5.0, 2.0), (-1.0, 3.0), "ab", (100.0, 200.0)):
        with pytest.raises(InputError, match="band"):
            hinf.hinf_norm(system, band=cast(Any, band))
    assert peak_gain((np.array([[-1.0]]), np.zeros((1, 1)), np.ones((1, 1)), np.array([[-3.0]])), (2.0, 5.0)) == Peak(
        2.0, 3.0
    )


# -- loops with the controller cut out ---------------------------------------------------------------------------------


def _plant(rng: np.random.Generator, direct: float) -> control.StateSpace:
    A, B, C, D = _system(rng, 3, 3, 4, direct)
    return control.ss(A, B, C, D, inputs=["w", "u1", "u2"], outputs=["z", "y1", "y2", "x"])


@pytest.mark.parametrize("direct", [0.0, 0.3])
@pytest.mark.parametrize("order", [0, 2])
def test_channels_of_a_loop_with_weights(direct: float, order: int) -> None:
    """From the equations ``u = K (r - y) + d`` at a frequency, with weights of one port and of several."""
    rng = np.random.default_rng(10 + order)
    plant = _plant(rng, direct)
    structure = state_space(["u1", "u2"], ["y1", "y2"], order) if order else gain_structure(
        {"u1": {"y1": None, "y2": None}, "u2": {"y1": None, "y2": None}}
    )  # fmt: skip
    x = 0.3 * rng.normal(size=len(structure.tunables))
    AK, BK, CK, DK = (np.array(ca.DM(ca.densify(ca.SX(M))).full()) for M in structure.matrices(ca.DM(x)))
    s = 0.9j
    K = DK + CK @ np.linalg.solve(s * np.eye(order) - AK, BK) if order else DK
    G = _at((plant.A, plant.B, plant.C, plant.D), 0.9)
    F, y, u = np.eye(2), [1, 2], [1, 2]
    # y_all = G (v + S_u K e),  e = r - y
    v, r = np.eye(3, 5), np.eye(2, 5, 3)
    e = np.linalg.solve(F + G[np.ix_(y, u)] @ K, r - G[y] @ v)
    every = np.vstack([G @ v + G[:, u] @ K @ e, K @ e, e])
    loop = loop_plant(plant, structure, "p")
    assert loop.inputs == ("w", "u1", "u2", "r.y1", "r.y2")
    assert loop.outputs == ("z", "y1", "y2", "x", "u.u1", "u.u2", "e.y1", "e.y2")
    packed = np.array(ca.DM(ca.densify(structure.packed(ca.DM(x)))).full())
    np.testing.assert_allclose(_at(loop.closed(loop.effective(packed)[0]), 0.9), every, rtol=1e-9, atol=1e-12)
    rows, columns = ["e.y2", "z", "u.u1"], ["r.y1", "w"]
    places = np.ix_([7, 0, 4], [3, 0])
    channel = loop.channel(columns, rows)
    one, two = control.tf([2.0, 1.0], [1.0, 0.7]), control.ss(*_system(rng, 2, 3, 2))
    weigh = (s * 2.0 + 1.0) / (s + 0.7)
    heavy = _at((two.A, two.B, two.C, two.D), 0.9)
    for before, after, expected in (
        (None, None, every[places]),
        (one, None, every[places] * weigh),
        (one, one, weigh * every[places] * weigh),
        (None, two, heavy @ every[places]),
        (0.4, two, heavy @ every[places] * 0.4),
    ):
        made = channel.weighted(before, after)
        now = made.closed(made.effective(packed)[0])
        np.testing.assert_allclose(_at(now, 0.9), expected, rtol=1e-8, atol=1e-12)
    alone = controller_alone(structure)
    np.testing.assert_allclose(_at(alone.closed(alone.effective(packed)[0]), 0.9), K, rtol=1e-9)
    shape = packed.shape
    dK = rng.normal(size=shape)
    gain, left, right = loop.effective(packed)
    step = (loop.effective(packed + 1e-6 * dK)[0] - loop.effective(packed - 1e-6 * dK)[0]) / 2e-6
    np.testing.assert_allclose(left @ dK @ right, step, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(gain, packed @ np.linalg.inv(np.eye(shape[1]) - loop.D22 @ packed), rtol=1e-10)


def test_weights_of_several_signals() -> None:
    lag = control.tf([3.0], [1.0, 2.0])
    for count in (1, 2, 3):
        A, B, C, D = _weight(lag, count, "input", ["a"] * count)
        np.testing.assert_allclose(_at((A, B, C, D), 0.6), np.eye(count) * 3.0 / (0.6j + 2.0), rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(_weight(0.7, count, "output", ["a"] * count)[3], 0.7 * np.eye(count))
    wide = control.ss(*_system(np.random.default_rng(1), 2, 3, 2))  # three inputs, two outputs
    assert _weight(wide, 2, "input", ["a", "b"])[3].shape == (2, 3)
    assert _weight(wide, 3, "output", ["a", "b", "c"])[3].shape == (2, 3)
    for count, what in ((3, "input"), (2, "output"), (1, "input"), (1, "output")):
        with pytest.raises(InputError, match=f"must have 1 or {count} ports, got 2 x 3"):
            _weight(wide, count, what, ["a"] * count)
    with pytest.raises(InputError, match="not stable"):
        _weight(control.tf([1.0], [1.0, 0.0]), 2, "input", ["a", "b"])
    with pytest.raises(InputError, match="sampled"):
        _weight(control.tf([1.0], [1.0, 0.5], 0.1), 2, "input", ["a", "b"])
    assert list(named_plants([wide, wide])) == ["plant 1", "plant 2"] and list(named_plants(wide)) == ["plant"]


def test_values_of_requirements_on_a_loop() -> None:
    """Poles, gains over a band and variances, of a loop closed by numpy; at levels relative to their bounds."""
    rng = np.random.default_rng(20)
    plant = _plant(rng, 0.0)
    structure = gain_structure({"u1": {"y1": None}, "u2": {"y2": None}})
    loops = [loop_plant(plant, structure, "p")]
    K = np.diag([0.2, -0.1])
    A = plant.A - plant.B[:, 1:] @ K @ plant.C[1:3]
    poles = np.linalg.eigvals(A)
    assert poles.real.max() < 0.0
    assert abscissa(loops[0], K).value == pytest.approx(poles.real.max(), rel=1e-9)

    def value(requirement: Any) -> float:
        (term,) = terms_of(requirement, loops, structure)
        assert isinstance(term, GainTerm | PolesTerm | VarianceTerm)
        assert term.claim(K).value == pytest.approx(term.pieces(K)[0].value, rel=1e-3)
        return term.pieces(K)[0].value

    assert value(Poles(decay=0.3)) == pytest.approx((-0.3 / poles.real).max(), rel=1e-9)
    assert value(Poles(damping=0.4)) == pytest.approx((-0.4 * np.abs(poles) / poles.real).max(), rel=1e-9)
    assert value(Poles(omega=3.0)) == pytest.approx(np.abs(poles).max() / 3.0, rel=1e-9)
    closed = (A, plant.B[:, :1], plant.C[:1], np.zeros((1, 1)))
    grid = np.linspace(0.5, 2.0, 4001)
    largest = max(abs(_at(closed, w)[0, 0]) for w in grid)
    assert value(Gain("w", "z", bound=0.6, band=(0.5, 2.0))) == pytest.approx(largest / 0.6, rel=1e-5)
    moved = value(Gain("w", "z", bound=2.0, scale=1.7, offset=[[0.4]], band=(0.5, 2.0)))
    assert moved == pytest.approx(max(abs(1.7 * _at(closed, w)[0, 0] + 0.4) for w in grid) / 2.0, rel=1e-5)


@pytest.mark.parametrize("direct", [0.0, 0.3])
def test_certificates_by_all_equations_at_once(direct: float) -> None:
    """Responses, poles and values of requirements of a closed loop, which numpy closes by its matrices."""
    rng = np.random.default_rng(25)
    plant = _plant(rng, direct)
    structure = state_space(["u2", "u1"], ["y2", "x"], 2)
    x = 0.1 * rng.normal(size=len(structure.tunables))
    x[[0, 3]] = -1.5, -2.0  # A of the controller
    K: Any = tuple(np.array(ca.DM(ca.densify(ca.SX(M))).full()) for M in structure.matrices(ca.DM(x)))
    u, y = [2, 1], [2, 3]
    A, B, C, D = plant.A, plant.B, plant.C, plant.D
    AK, BK, CK, DK = K
    # u = v + CK xK + DK e, e = r - C x - D u: solved for (u, e)
    inner = np.block([[np.eye(2), -DK], [D[np.ix_(y, u)], np.eye(2)]])
    states = np.linalg.solve(inner, np.block([[np.zeros((2, 3)), CK], [-C[y], np.zeros((2, 2))]]))
    inputs = np.linalg.solve(inner, np.block([[np.zeros((2, 1)), np.zeros((2, 2))], [-D[y, :1], np.eye(2)]]))  # w, r
    F = np.block([[A, np.zeros((3, 2))], [np.zeros((2, 3)), AK]]) + np.vstack([B[:, u] @ states[:2], BK @ states[2:]])
    G = np.vstack([np.hstack([B[:, :1], np.zeros((3, 2))]) + B[:, u] @ inputs[:2], BK @ inputs[2:]])
    H = np.vstack([np.hstack([C[:1], np.zeros((1, 2))]) + D[:1, u] @ states[:2], states[:2], states[2:]])
    J = np.vstack([np.hstack([D[:1, :1], np.zeros((1, 2))]) + D[:1, u] @ inputs[:2], inputs[:2], inputs[2:]])
    poles = certificate._poles(plant, K, structure)
    np.testing.assert_allclose(np.sort_complex(poles), np.sort_complex(np.linalg.eigvals(F)), rtol=1e-8)
    loop = certificate._Loop(plant, K, structure, poles)
    names = ["z", "u.u2", "u.u1", "e.y2", "e.x"]
    w = np.array([0.3, 1.7])
    found = loop.transfer(["w", "r.y2", "r.x"], names, w)
    np.testing.assert_allclose(found, [_at((F, G, H, J), k) for k in w], rtol=1e-8, atol=1e-10)
    swapped = loop.transfer(["r.x", "u1"], ["e.x", "z"], w)
    np.testing.assert_allclose(swapped[:, :, 0], found[:, [4, 0], 2], rtol=1e-9)
    assert poles.real.max() < 0.0
    assert loop.value(Poles(decay=0.2), np.nan) == pytest.approx((-0.2 / poles.real).max(), rel=1e-8)
    assert loop.value(Poles(damping=0.3), np.nan) == pytest.approx((-0.3 * np.abs(poles) / poles.real).max(), rel=1e-8)
    assert loop.value(Poles(omega=7.0, decay=1e-6), np.nan) == pytest.approx(np.abs(poles).max() / 7.0, rel=1e-8)
    lag = control.tf([2.0], [1.0, 0.5])
    gain = Gain(
        ["w", "r.x"], ["z", "e.y2"], bound=0.7, before=3.0, after=lag, scale=-1.5, offset=[[0.1, 0.0], [0.2, 0.3]]
    )
    closed = (F, G[:, [0, 2]], H[[0, 3]], J[np.ix_([0, 3], [0, 2])])

    def norm(k: float) -> float:
        return float(
            np.linalg.norm(-1.5 * _at(closed, k) + [[0.1, 0.0], [0.2, 0.3]], 2) * 6.0 / abs(1j * k + 0.5) / 0.7
        )

    dense = np.geomspace(1e-4, 1e3, 6001)
    assert loop.value(gain, np.nan) == pytest.approx(max(map(norm, dense)), rel=1e-3)
    peak = float(dense[np.argmax([norm(k) for k in dense])])
    band = Gain(["w"], ["z"], bound=0.7, band=(0.5 * peak, 3.0 * peak))
    some = max(abs(_at(closed, k)[0, 0]) for k in np.linspace(0.5 * peak, 3.0 * peak, 5001)) / 0.7
    assert loop.value(band, np.nan) == pytest.approx(some, rel=1e-3)
    if not direct:
        noise = (F, G[:, :1], H[:1], np.zeros((1, 1)))
        deviation = norms.h2_norm(control.ss(*noise))
        assert loop.value(Variance("w", "z", bound=0.4), np.nan) == pytest.approx(deviation / 0.4, rel=1e-6)
    grid = certificate._grid(np.array([-0.1 + 4j, -0.1 - 4j, -30.0]), (0.7, 50.0), 6.28)
    assert grid[0] == 0.7 and grid[-1] == 50.0 and 6.28 in grid and (np.diff(grid) > 0.0).all()
    assert np.abs(grid - 4.0).min() < 0.02 and ((grid > 3.9) & (grid < 4.1)).sum() > 25


def test_checks_of_claims() -> None:
    """No gain of a grid may exceed a norm, and one comes within two per cent; other values agree to five digits."""
    gain, poles = Gain("w", "z", bound=1.0), Poles(decay=1.0)
    for requirement, value, agrees in (
        (gain, 3.0, True), (gain, 2.95, True), (gain, 2.93, False), (gain, 3.001, False),
        (gain, 3.0 * (1 + 5e-7), True),
        (poles, 3.0, True), (poles, 3.00002, True), (poles, 3.0001, False), (poles, 2.9999, False),
    ):  # fmt: skip
        made = certificate._check(requirement, "p", Claim(3.0, True, 1.0), value)
        assert made.ok is agrees and made.found == value
        unproven = certificate._check(requirement, "p", Claim(3.0, False, 1.0), value)
        assert not unproven.ok and not unproven.proven
    for value, agrees in ((0.0, True), (5e-13, True), (2e-12, False)):  # of a channel through which nothing passes
        assert certificate._check(gain, "p", Claim(0.0, True, 1.0), value).ok is agrees


def test_typical_frequencies_of_requirements_and_plants() -> None:
    lag = control.ss([[-2.0, 0.0], [0.0, -8.0]], np.eye(2), np.eye(2), 0, inputs=["w", "u"], outputs=["z", "y"])
    structure = gain_structure({"u": {"y": None}})
    loops = [loop_plant(lag, structure, "p")]
    assert typical_frequencies(loops, 0, []) == pytest.approx([4.0])
    asked = [Poles(decay=3.0, omega=12.0), Gain("w", "z", band=(0.0, 6.0))]
    assert typical_frequencies(loops, 0, asked) == pytest.approx([(3.0 * 12.0 * 6.0) ** (1 / 3), 4.0])
    weight = control.tf([5.0], [1.0, 3.0])  # passes one at 4
    assert typical_frequencies(loops, 0, [Gain("w", "z", after=weight)])[0] == pytest.approx(4.0, rel=1e-6)


def test_typical_sizes_of_gains() -> None:
    """A gain has the size at which its loop alone has a gain of one, at a real rate; the mean over plants."""
    rng = np.random.default_rng(24)
    structure = gain_structure({"u1": {"y1": None}, "u2": {"y1": None, "y2": (-3.0, 5.0)}})
    plants, logs = [], []
    for k in range(3):
        A, B, C, D = _system(rng, 4, 3, 3, 0.2)
        plants.append(
            loop_plant(control.ss(A, B, C, D, inputs=["w", "u1", "u2"], outputs=["z", "y1", "y2"]), structure, f"{k}")
        )
        s = 1.05 * 0.8
        logs.append(np.log(np.abs(D + C @ np.linalg.solve(s * np.eye(4) - A, B))[1:, 1:].T))
    G = np.exp(np.mean(logs, axis=0))  # of controls, measured
    found = ranges(structure, plants, 0.8)
    assert [r.scale for r in found[:2]] == pytest.approx([1.0 / G[0, 0], 1.0 / G[1, 0]], rel=1e-9)
    assert found[2].scale == pytest.approx(5.0 / 4.0) and (found[2].lower, found[2].upper) == (-3.0, 5.0)
    assert [r.start for r in found] == [0.0, 0.0, 0.0]  # the open loop
    for alike in (np.min, np.max):
        same = ranges(structure, plants, 0.8, alike=alike)
        assert [r.scale for r in same] == pytest.approx([alike([1.0 / G[0, 0], 1.0 / G[1, 0]])] * 2 + [5.0 / 4.0])
    given = gain_structure({"u1": {"y1": Tunable("a", start=40.0)}, "u2": {"y2": Tunable("b", scale=7.0)}})
    loops = [loop_plant(control.ss(A, B, C, D, inputs=["w", "u1", "u2"], outputs=["z", "y1", "y2"]), given, "p")]
    first, second = ranges(given, loops, 0.8)
    assert first.start == 40.0 and first.scale >= 4.0 and (second.scale, second.start) == (7.0, 0.0)


def test_first_values_of_numbers_lie_within_their_bounds() -> None:
    for lower, upper, begin, scale, start in (
        (None, None, 1.0, 3.0, 3.0),
        (None, None, -2.0, 3.0, -6.0),
        (0.0, 10.0, 1.0, 3.0, 3.0),
        (-1.0, 2.0, 1.0, 3.0, 0.5),
        (4.0, 10.0, 1.0, 3.0, 7.0),
        (4.0, 5.0, 1.0, 3.0, 4.5),
        (4.0, None, 1.0, 3.0, 7.0),
        (None, -4.0, 1.0, 3.0, -7.0),
        (0.0, 10.0, 0.0, 3.0, 3.0),
    ):
        made = _range(Tunable("a", lower=lower, upper=upper, begin=begin), scale)
        assert made.start == pytest.approx(start) and made.lower < made.start < made.upper and made.scale == scale
    assert _range(Tunable("a", start=2.0, lower=2.0, upper=3.0), 1.0).start == 2.0
    with pytest.raises(InputError, match="outside of its bounds"):
        _range(Tunable("a", start=1.9, lower=2.0, upper=3.0), 1.0)
    narrow, half = Range(0.5, 2.5, 1.0, 1.0), Range(-np.inf, 4.0, 10.0, 1.0)
    assert [narrow.ends_at_bound(x) for x in (0.501, 0.503, 2.497, 2.499)] == [True, False, False, True]
    assert [half.ends_at_bound(x) for x in (-1e9, 3.98, 3.995)] == [False, False, True]
    assert not Range(0.0, 2.0, 1.0, 1.0).ends_at_bound(0.0)  # zero is no bound of a number that may not be negative


def test_mixtures_are_for_numbers_without_bounds_starts_and_scales() -> None:
    rng = np.random.default_rng(21)
    A, B, C, _ = _system(rng, 3, 3, 3)
    plant = control.ss(A, B, C, 0, inputs=["w", "u1", "u2"], outputs=["z", "y1", "y2"])
    structure = gain_structure({u: {"y1": None, "y2": None} for u in ("u1", "u2")})
    loops = [loop_plant(plant, structure, "p")]
    terms = terms_of(Gain("w", "z"), loops, structure)

    def objective(bounded: bool = False, **given: float) -> Any:
        tunables = [Tunable("a", **given), Tunable("b"), Tunable("c"), Tunable("d")]
        limit = SimpleNamespace(lower=-1.0 if bounded else -np.inf, upper=np.inf)
        return SimpleNamespace(limits=[limit] * 4, structure=SimpleNamespace(tunables=tunables), soft=terms, hard=[],
                               slope=lambda y: np.eye(4), start=lambda: np.zeros(4))  # fmt: skip

    assert gain_mixture(objective(), 1.0) is not None
    for other in (objective(True), objective(start=1.0), objective(scale=1.0), objective(start=1.0, scale=2.0)):
        assert gain_mixture(other, 1.0) is None
    inputs, outputs = _covariances(loops[0], 0.8)
    shift = A - (max(np.linalg.eigvals(A).real.max(), 0.0) + 0.8) * np.eye(3)
    t = np.linspace(0.0, 25.0, 25001)
    ends, vectors = np.linalg.eig(shift)
    flow = np.real(np.einsum("ij,tj,jk->tik", vectors, np.exp(np.outer(t, ends)), np.linalg.inv(vectors)))
    B1, C1 = loops[0].B1, loops[0].C1
    noise = np.trapezoid(flow @ B1 @ B1.T @ flow.transpose(0, 2, 1), t, axis=0)
    seen = np.trapezoid(flow.transpose(0, 2, 1) @ C1.T @ C1 @ flow, t, axis=0)
    channel = terms[0].channel  # type: ignore[attr-defined]
    np.testing.assert_allclose(outputs, loops[0].C2 @ noise @ loops[0].C2.T + loops[0].D21 @ loops[0].D21.T, rtol=1e-4)
    np.testing.assert_allclose(inputs, loops[0].B2.T @ seen @ loops[0].B2 + loops[0].D12.T @ loops[0].D12, rtol=1e-4)
    assert channel.B1.shape == (3, 1)


def test_structures_in_series_in_parallel_and_side_by_side() -> None:
    """Responses of products and sums, with the numbers of each in order."""
    rng = np.random.default_rng(22)
    lag = fixed_controller(control.ss(*_system(rng, 2, 2, 2)), ["c", "d"], ["y1", "y2"])
    one = gain_structure({"a": {"c": None, "d": None}, "b": {"c": None, "d": None}}) * lag
    two = state_space(["u"], ["a", "b"], 1)
    fixed = fixed_controller(control.ss(*_system(rng, 2, 2, 1)), ["u"], ["y2", "y3"])

    def at(structure: Any, x: Array) -> Array:
        A, B, C, D = (np.array(ca.DM(ca.densify(ca.SX(M))).full()) for M in structure.matrices(ca.DM(x)))
        return np.asarray(D + C @ np.linalg.solve(0.4j * np.eye(len(A)) - A, B))

    x, y = rng.normal(size=len(one.tunables)), rng.normal(size=len(two.tunables))
    other = state_space(["u"], ["y1", "y2"], 1)
    np.testing.assert_allclose(at(other + fixed, y), np.hstack([at(other, y), [[0.0]]]) + np.hstack(
        [[[0.0]], at(fixed, np.zeros(0))]), rtol=1e-10)  # fmt: skip
    joined = beside(one, fixed)
    assert (joined.controls, joined.measured, joined.order) == (("a", "b", "u"), ("y1", "y2", "y3"), 4)
    expected = np.zeros((3, 3), dtype=complex)
    expected[:2, :2], expected[2:, 1:] = at(one, x), at(fixed, np.zeros(0))
    np.testing.assert_allclose(at(joined, x), expected, rtol=1e-10)
    series = two * one
    np.testing.assert_allclose(at(series, np.concatenate([x, y])), at(two, y) @ at(one, x), rtol=1e-10)
    assert (series.controls, series.measured, series.order) == (("u",), ("y1", "y2"), 3)
    assert len(state_space(["u"], ["y"], 3).tunables) == 7 + 3 + 3 + 1  # A is tridiagonal
    assert len(state_space(["u"], ["y"], 3, direct=False).tunables) == 7 + 3 + 3


def _of(structure: Any, x: Any, s: complex) -> Array:
    A, B, C, D = (np.array(ca.DM(ca.densify(ca.SX(M))).full()) for M in structure.matrices(ca.DM(x)))
    return np.asarray(D + C @ np.linalg.solve(s * np.eye(len(A)) - A, B))


def test_controllers_have_the_transfer_functions_of_their_names() -> None:
    rng = np.random.default_rng(26)
    s = 0.3 + 0.9j
    loops = {"u": ("p", "p_dot"), "v": ("q", "q_dot")}
    own = pd_gains(loops, kp=(0.0, 9.0), kd=Tunable("d", start=2.0))
    assert own.measured == ("p", "q", "p_dot", "q_dot") and own.controls == ("u", "v")
    assert [(t.name, t.lower, t.upper, t.start) for t in own.tunables] == [
        ("u<-p", 0.0, 9.0, None), ("v<-q", 0.0, 9.0, None), ("u<-p_dot", None, None, 2.0), ("v<-q_dot", None, None, 2.0)
    ]  # fmt: skip
    np.testing.assert_allclose(_of(own, [1.0, 2.0, 3.0, 4.0], s), [[1, 0, 3, 0], [0, 2, 0, 4]])
    whole, x = pd_gains(loops, centralised=True), rng.normal(size=8)
    np.testing.assert_allclose(_of(whole, x, s), np.hstack([x[:4].reshape(2, 2), x[4:].reshape(2, 2)]))
    assert [t.begin for t in whole.tunables] == [1.0, 0.0, 0.0, 1.0] * 2  # each drives its own joint first
    assert _of(pd_gains(loops, kp=5.0), [3.0, 4.0], s)[:, :2].tolist() == [[5, 0], [0, 5]]
    positive, x = positive_gains(loops, least=0.3), rng.normal(size=6)
    L, H = np.array([[x[0], 0.0], [x[1], x[2]]]), np.array([[x[3], 0.0], [x[4], x[5]]])
    expected = np.hstack([L @ L.T + 0.3 * np.eye(2), H @ H.T + 0.3 * np.eye(2)])
    np.testing.assert_allclose(_of(positive, x, s), expected, rtol=1e-12)
    assert [t.begin for t in positive.tunables] == [1.0, 0.0, 1.0] * 2
    T = 0.07
    for integral in (True, False):
        made = pid_gains({"u": "p", "v": "q"}, filter_time=T, integral=integral)
        x = rng.normal(size=len(made.tunables))
        parts = x.reshape(2, -1)
        single = [k[0] + (k[1] / s if integral else 0.0) + k[-1] * s / (T * s + 1.0) for k in parts]
        np.testing.assert_allclose(_of(made, x, s), np.diag(single), rtol=1e-10)
        assert made.order == (4 if integral else 2)
    corner = low_pass("u", "p")
    assert _of(corner, [4.0], s).item() == pytest.approx(4.0 / (s + 4.0)) and corner.order == 1
    for wrong in (0.0, -1.0, np.nan, "T"):
        with pytest.raises(InputError, match="filter_time"):
            pid_gains({"u": "p"}, filter_time=cast(Any, wrong))
    bounds = [(t.lower, t.upper) for t in notch("u", "p", omega=(2.0, 3.0)).tunables]
    assert bounds == [(2.0, 3.0), (0.01, 1.0), (0.05, 2.0)]
    damped = [t for t in low_pass("u", "p", order=2, omega=3.0).tunables if t.name == "u.damping"]
    assert [(t.lower, t.upper) for t in damped] == [(0.05, 2.0)]


def test_a_controller_of_any_order_contains_a_pd_with_filters() -> None:
    rng = np.random.default_rng(27)
    for count, order in ((1, 1), (1, 3), (2, 2), (2, 5)):
        controls, measured = [f"u{k}" for k in range(count)], [f"y{k}" for k in range(count)]
        structure = state_space(controls, measured, order)
        assert structure.contained is not None
        pd, embedded = structure.contained
        x = np.concatenate([rng.normal(size=2 * count), rng.uniform(1.0, 9.0, count)])
        for s in (0.4j, 1.0 + 3.0j):
            single = [kp + kd * s * w / (s + w) for kp, kd, w in x.reshape(3, count).T]
            np.testing.assert_allclose(_of(pd, x, s), np.diag(single), rtol=1e-10)
            np.testing.assert_allclose(_of(structure, embedded(x), s), np.diag(single), rtol=1e-9, atol=1e-12)
    assert state_space(["u"], ["y"], 0).contained is None and state_space(["u"], ["y", "z"], 4).contained is None
    assert state_space(["u"], ["y"], 2, direct=False).contained is None
    first = [t.begin for t in state_space(["u"], ["y"], 1).tunables]  # A, B, C, D: a lead
    assert first[0] < 0.0 and all(t.hold == (t.name[0] in "AB") for t in state_space(["u"], ["y"], 2).tunables)


def test_goals_of_a_proof_over_ranges() -> None:
    rng = np.random.default_rng(23)
    blocks = (DeltaBlock("d", 1), DeltaBlock("1/s", 2, "state"))
    M11, M12, M21, M22 = (rng.normal(size=(3, k)) for k in (3, 2, 3, 2))
    loop = LFT(M11, M12, M21, M22, blocks, ("w", "v"), ("x", "y", "z"))
    np.testing.assert_allclose(shifted(loop, 0.7).M11 - loop.M11, np.diag([0.0, 0.7, 0.7]), atol=1e-15)
    weight = control.tf([2.0], [1.0, 5.0])
    hard = [
        Gain(["v", "w"], ["z"], bound=0.5, scale=-2.0, offset=[[0.1, 0.2]], before=weight, after=3.0),
        Gain("w", "x", bound=4.0, band=(1.0, 2.0)),
        Poles(decay=0.6),
    ]
    stable, gain = _goals(loop, hard)
    np.testing.assert_allclose(np.diag(stable.loop.M11 - loop.M11), [0.0, 0.6, 0.6], rtol=2e-3)
    plain = loop.at(d=0.3)
    G = _at((plain.A, plain.B, plain.C, plain.D), 0.7)[2:, [1, 0]]
    made = gain.loop.at(d=0.3)
    weighted = 3.0 * (-2.0 * G + [[0.1, 0.2]]) * 2.0 / (5.0 + 0.7j)
    np.testing.assert_allclose(_at((made.A, made.B, made.C, made.D), 0.7), weighted, rtol=1e-9)
    assert gain.bound == pytest.approx(0.5, rel=2e-3) and gain.bound >= 0.5 and len(gain.inputs) == 2
    assert pytest.approx(loop.M11) == _goals(loop, [])[0].loop.M11
    for value, expected in ((-3.0, -1.0), (0.5, 0.5), (7.0, 2.0)):
        assert inside(Tunable("a", lower=-1.0, upper=2.0), value) == expected
    assert inside(Tunable("a"), -5.0) == -5.0


# -- descent -----------------------------------------------------------------------------------------------------------


def test_descents_end_at_the_minimum() -> None:
    """Of a quadratic function in badly scaled axes, of Rosenbrock's, and of a largest of several."""
    rng = np.random.default_rng(30)
    M = rng.normal(size=(4, 4))
    H, centre = M @ np.diag([1e-2, 1.0, 3.0, 40.0]) @ M.T, rng.normal(size=4)

    def quadratic(x: Array) -> tuple[float, Array]:
        return 2.0 + 0.5 * float((x - centre) @ H @ (x - centre)), H @ (x - centre)

    x, value = nonsmooth.bfgs(quadratic, np.zeros(4), Budget())
    np.testing.assert_allclose(x, centre, atol=1e-5 * np.abs(centre).max() + 1e-5)
    assert value == pytest.approx(2.0, rel=1e-9)

    def banana(x: Array) -> tuple[float, Array]:
        a, b = x
        slope = np.array([-400.0 * a * (b - a * a) - 2.0 * (1.0 - a), 200.0 * (b - a * a)])
        return float(100.0 * (b - a * a) ** 2 + (1.0 - a) ** 2), slope

    budget = Budget()
    x, value = nonsmooth.bfgs(banana, np.array([-1.2, 1.0]), budget)
    assert x == pytest.approx([1.0, 1.0], abs=1e-5) and value < 1e-10 and budget.evaluations < 120
    some, held = nonsmooth.bfgs_of(quadratic, np.zeros(4), np.array([True, False, True, False]), Budget(),
                                   max_iterations=100, stop=None)  # fmt: skip
    free = np.linalg.solve(H[np.ix_([0, 2], [0, 2])], (H @ centre)[[0, 2]])
    np.testing.assert_allclose(some, [free[0], 0.0, free[1], 0.0], rtol=1e-4, atol=1e-6)
    assert held == pytest.approx(quadratic(some)[0], rel=1e-12)
    stopped = nonsmooth.bfgs(quadratic, 30.0 * np.ones(4), Budget(), max_iterations=100, stop=lambda v: v < 50.0)[1]
    assert 2.0 < stopped < 50.0
    assert Budget(limit=3.0).part(10.0).limit == 3.0 and Budget(limit=30.0, evaluations=28).part(10.0).limit == 2.0

    slopes = rng.normal(size=(5, 3))
    slopes -= slopes.mean(axis=0)
    offsets = rng.uniform(size=5)

    def largest(x: Array) -> tuple[Array, Array]:
        values = offsets + slopes @ x + 0.5 * float(x @ x)
        return values, slopes + x

    def worst(x: Array) -> tuple[float, Array]:
        values, gradients = largest(x)
        k = int(values.argmax())
        return float(values[k]), gradients[k]

    start = np.array([1.0, -2.0, 0.5])
    x, value = nonsmooth.bundle(worst, largest, start, worst(start)[0], Budget())
    weights = _dual(slopes, offsets)
    assert value == pytest.approx(float(offsets @ weights - 0.5 * np.sum((slopes.T @ weights) ** 2)), rel=1e-6)
    np.testing.assert_allclose(x, -slopes.T @ weights, atol=1e-3)


def _dual(slopes: Array, offsets: Array) -> Array:
    """Weights of the largest of linear functions plus ``|x|^2 / 2`` at its minimum: a small quadratic programme."""
    from scipy.optimize import minimize

    solved: Any = minimize(
        lambda l: 0.5 * np.sum((slopes.T @ l) ** 2) - offsets @ l,
        np.full(len(offsets), 1.0 / len(offsets)),
        jac=lambda l: slopes @ (slopes.T @ l) - offsets,
        bounds=[(0.0, 1.0)] * len(offsets),
        constraints=[{"type": "eq", "fun": lambda l: l.sum() - 1.0}],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return np.asarray(solved.x)


def test_weights_on_a_simplex() -> None:
    rng = np.random.default_rng(31)
    for r in (0.3, 4.0):
        slopes, c = rng.normal(size=(4, 3)), rng.normal(size=4)
        weights = nonsmooth._simplex_dual(slopes @ slopes.T, c, r)
        assert weights.sum() == pytest.approx(1.0) and weights.min() >= 0.0
        expected = _dual(slopes / np.sqrt(r), c)
        np.testing.assert_allclose(weights, expected, atol=2e-4)
    assert nonsmooth._simplex_dual(np.ones((1, 1)), np.ones(1), 2.0).tolist() == [1.0]


def test_updates_of_an_inverse_hessian() -> None:
    """They satisfy the secant equation; with little curvature they stay positive."""
    rng = np.random.default_rng(32)
    M = rng.normal(size=(3, 3))
    H = M @ M.T + 0.1 * np.eye(3)
    y = rng.normal(size=3)
    s = H @ y + 0.1 * rng.normal(size=3)
    s *= 1.0 if s @ y > 0.2 * y @ H @ y else -1.0
    np.testing.assert_allclose(nonsmooth._updated(H, s, y) @ y, s, rtol=1e-9)
    new = nonsmooth._updated(H, -s, y)
    assert np.linalg.eigvalsh(new)[0] > 0.0 and y @ new @ y == pytest.approx(0.2 * y @ H @ y, rel=1e-9)
    np.testing.assert_allclose(new, new.T, rtol=1e-9)
    assert nonsmooth._updated(H, s, np.zeros(3)) is H


# -- laws --------------------------------------------------------------------------------------------------------------


def test_gains_of_powers_in_blocks() -> None:
    """``y -> (a y, a^2 y, b y, b^2 y, b^3 y)``, and gains that are such polynomials."""
    values = {"a": 0.7, "b": -0.4}
    made = powers({"a": 2, "b": 3}, 2)
    expected = np.vstack(
        [values["a"] ** k * np.eye(2) for k in (1, 2)] + [values["b"] ** k * np.eye(2) for k in (1, 2, 3)]
    )
    np.testing.assert_allclose(np.asarray(made.at(**values)), expected, rtol=1e-12)
    rng = np.random.default_rng(40)
    K = tuple(rng.normal(size=(2, 3)) for _ in range(6))
    law = ScheduledGains(("x", "y", "z"), ("u", "v"), {"a": 2, "b": 3}, K, cast(Any, None))
    total = K[0] + 0.7 * K[1] + 0.49 * K[2] - 0.4 * K[3] + 0.16 * K[4] - 0.064 * K[5]
    np.testing.assert_allclose(np.asarray(law.lft.at(**values)), total, rtol=1e-12)
    assert law.factors(values) == pytest.approx([1.0, 0.7, 0.49, -0.4, 0.16, -0.064])


def test_a_model_with_products_of_its_signals() -> None:
    """Further outputs ``a^k y``, and gains on them that are polynomials of the numbers, linear in what is tuned."""
    rng = np.random.default_rng(43)
    M11, M12, M21, M22 = (rng.normal(size=s) for s in ((3, 3), (3, 2), (4, 3), (4, 2)))
    plant = LFT(0.3 * M11, M12, M21, M22, (DeltaBlock("a", 2), DeltaBlock("b", 1)), ("u", "w"), ("x", "y", "z", "v"))
    values, names = {"a": 0.4, "b": -0.7}, ["y1", "v1", "y2", "v2", "y3", "v3"]
    made = scheduling._with_products(plant, ["y", "v"], {"a": 2, "b": 1}, names)
    assert made.outputs == ("x", "y", "z", "v", *names) and made.inputs == ("u", "w")
    y = np.asarray(plant.at(**values))
    more = np.vstack([f * y[[1, 3]] for f in (0.4, 0.16, -0.7)])
    np.testing.assert_allclose(np.asarray(made.at(**values)), np.vstack([y, more]), rtol=1e-10)
    structure = gain_structure({"u": {"y": None, "v": (-1.0, 2.0)}, "w": {"v": None}})
    products = ["y_times_a1", "v_times_a1", "y_times_a2", "v_times_a2"]
    wide = scheduling._polynomial(structure, [2.0, 3.0, 4.0], products)
    assert wide.measured == ("y", "v", *products) and wide.controls == ("u", "w") and wide.order == 0
    names_of = [t.name for t in structure.tunables]
    assert [t.name for t in wide.tunables] == [
        *names_of,
        *(f"{n}*a1" for n in names_of),
        *(f"{n}*a2" for n in names_of),
    ]
    assert [(t.start, t.scale) for t in wide.tunables[3:]] == [(0.0, w) for w in (2.0, 3.0, 4.0)] * 2
    x = rng.normal(size=9)
    D = np.array(ca.DM(ca.densify(ca.SX(wide.matrices(ca.DM(x))[3]))).full())
    own = [np.array(ca.DM(ca.densify(ca.SX(structure.matrices(ca.DM(x[k : k + 3]))[3]))).full()) for k in (0, 3, 6)]
    np.testing.assert_allclose(D, np.hstack(own), rtol=1e-12)
    for requirement, message in (
        (ControllerGain(2.0), "bounds the controller alone"),
        (Gain("w", "e.y"), "names 'e.y'"),
        (Gain("r.y", "x"), "names 'r.y'"),
    ):
        with pytest.raises(InputError, match=message):
            scheduling._check_requirements([Gain("w", "u.u"), requirement])
    scheduling._check_requirements([Gain("w", "u.u"), Poles(decay=1.0)])


def test_references_of_all_coordinates_of_a_regulator() -> None:
    def whole(size: int, nq: int, nu: int, quaternions: bool = False) -> bool:
        eom = SimpleNamespace(nq=nq, nu=nu, layout=SimpleNamespace(quaternions=["Q"] if quaternions else []))
        found = {LQR._is_whole(cast(Any, SimpleNamespace(reference=r)), cast(Any, eom)) for r in (
            np.zeros(size), lambda t: ca.SX.zeros(size), lambda t: np.zeros(size), ca.DM.zeros(size)
        )}  # fmt: skip
        assert len(found) == 1
        return found.pop()

    assert whole(4, 4, 2) and not whole(2, 4, 2) and not whole(3, 3, 3)
    assert not whole(2, 7, 2, quaternions=True) and not whole(7, 7, 7, quaternions=True)
    with pytest.raises(InputError, match="without quaternions"):
        whole(7, 7, 2, quaternions=True)


def test_a_regulator_solves_its_riccati_equation() -> None:
    rng = np.random.default_rng(41)
    A, B = rng.normal(size=(4, 4)), rng.normal(size=(4, 2))
    Q, R = np.diag([1.0, 30.0, 0.0, 2.0]), np.array([[2.0, 0.3], [0.3, 0.5]])
    K = lqr_gain(control.ss(A, B, np.eye(4), 0), Q, R)
    closed = A - B @ K
    assert np.linalg.eigvals(closed).real.max() < 0.0
    X = control.lyap(closed.T, Q + K.T @ R @ K)  # the cost of that law, of which it is the best one
    np.testing.assert_allclose(np.linalg.solve(R, B.T @ X), K, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("weakest", [0, 1, 2])
def test_the_torque_of_detumbling_is_limited_by_the_weakest_axis(weakest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forces do not count, however small they are."""
    capacity = np.array([0.1, 0.2, 0.3, 5.0, 6.0, 7.0])
    capacity[3 + weakest] = 1.5
    free = [SimpleNamespace(name="base", kind="free"), SimpleNamespace(name="arm", kind="revolute")]
    block = SimpleNamespace(name="base", q=slice(2, 9))
    eom = SimpleNamespace(machine=SimpleNamespace(name="sat", joints=free), layout=SimpleNamespace(blocks=[block]))
    jets = SimpleNamespace(capacity=capacity, expression=lambda wrench: wrench)
    q, v = ca.SX.sym("q", 9), ca.SX.sym("v", 7)
    monkeypatch.setattr(detumbling, "machine_state", lambda eom, q, v, p: (eom, q, v))
    monkeypatch.setattr(detumbling, "free_base", lambda eom, joint: "base")
    monkeypatch.setattr(detumbling, "allocate", lambda eom, base, need, wheels: jets)
    momentum = ca.DM([0.3, -2.0, 1.1])
    monkeypatch.setattr(detumbling, "momentum_about_centre", lambda eom, q, v, p: momentum)
    monkeypatch.setattr(detumbling, "rotor_momentum", lambda eom, base, q, v: ca.DM([0.1, 0.0, 0.2]))
    law = detumbling.Detumbling(1.5, settle=40.0)
    wrench = law.expression(cast(Any, eom), ca.SX(0), q, v, ca.SX(0, 1), ca.SX(0, 1))[0]
    turn = np.array([0.5, 0.5, 0.5, 0.5])  # x to y to z to x
    found = np.array(ca.DM(ca.substitute(wrench, q[5:], ca.DM(turn))).full()).ravel()
    h = np.array([-2.0 - 0.1, 1.1, 0.3 - 0.2])  # R^T (x, y, z) = (y, z, x)
    np.testing.assert_allclose(found, [0.0, 0.0, 0.0, *(-h / 40.0)], rtol=1e-9)
    with pytest.raises(InputError, match=r"give 1.5 N m about their weakest axis"):
        detumbling.Detumbling(1.51).expression(cast(Any, eom), ca.SX(0), q, v, ca.SX(0, 1), ca.SX(0, 1))


def test_poses_that_a_law_follows() -> None:
    t = ca.SX.sym("t")
    x, Q, v, w = pose_reference([1.0, 2.0, 3.0, 0.5, -0.5, 0.5, 0.5], t, "BasePD")
    assert np.array(ca.DM(x)).ravel().tolist() == [1, 2, 3] and np.array(ca.DM(Q)).ravel().tolist() == [
        0.5,
        -0.5,
        0.5,
        0.5,
    ]
    assert not np.array(ca.DM(v)).any() and not np.array(ca.DM(w)).any()
    rate = np.array([0.3, -0.4, 1.2])
    size = np.linalg.norm(rate)

    def turning(t: Any) -> Any:
        half = 0.5 * size * t
        return ca.vertcat(ca.sin(t), t**2, 4.0, 3.0 * ca.cos(half), 3.0 * ca.sin(half) * ca.DM(rate / size))

    found = ca.Function("f", [t], list(pose_reference(turning, t, "BasePD")))(0.7)
    x, Q, v, w = (np.array(y.full()).ravel() for y in found)
    np.testing.assert_allclose(v, [np.cos(0.7), 1.4, 0.0], rtol=1e-12)
    np.testing.assert_allclose(w, rate, rtol=1e-12)
    assert np.linalg.norm(Q) == pytest.approx(1.0, rel=1e-14) and Q[0] == pytest.approx(np.cos(0.35 * size))
    for wrong in (
        [1.0, 2.0],
        [0, 0, 0, 1.0, 0.001, 0, 0.01],
        [np.nan, 0, 0, 1, 0, 0, 0],
        "abc",
        [0, 0, 0, 2.0, 0, 0, 0],
    ):
        with pytest.raises(InputError, match="unit quaternion"):
            pose_reference(cast(Any, wrong), t, "BasePD")
    with pytest.raises(InputError, match="7 numbers, got 3"):
        pose_reference(lambda t: ca.vertcat(t, t, t), t, "BasePD")


def test_estimates_of_an_adaptive_law_begin_at_zero() -> None:
    law = SlotineLi(10.0, 2.0, [0.0])
    assert law.start == 0.0 and law.adaptation == 1.0 and law.losses is False
