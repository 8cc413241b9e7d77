"""Proofs for parameters that vary: closed forms, certificates at random parameters, and what breaks them."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb

import control
import numpy as np
import pytest
from scipy.linalg import expm

import dalembert as da
from dalembert.control import hinf_norm
from dalembert.control.uncertain import LFT, constant, neglected_lag, parameter, system_lft, uncertain
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.varying import block_rates, fastest_variation, varying_gain, varying_stability
from dalembert.control.varying.parts import independent_parts
from dalembert.core.errors import DalembertError

RNG = np.random.default_rng(5)


def system(A: LFT) -> LFT:
    """``x' = A x + u``, ``y = x`` of a matrix with parameters."""
    n = A.shape[0]
    integrators = system_lft(control.ss(np.zeros((n, n)), np.eye(n), np.eye(n), 0))
    return integrators.feedback(-A, integrators.outputs, integrators.inputs)


def affine(*terms: np.ndarray) -> LFT:
    """``A_0 + d1 A_1 + d2 A_2 + ...``."""
    A = constant(terms[0])
    for k, term in enumerate(terms[1:], 1):
        U, s, Vt = np.linalg.svd(term)
        rank = int((s > 1e-12 * s[0]).sum())
        block = parameter(f"d{k}")
        for i in range(rank):
            A = A + constant(U[:, i : i + 1] * s[i]) @ block @ constant(Vt[i : i + 1])
    return A


def oscillator(change: float, damping: float) -> LFT:
    """``x'' + 2 z x' + (1 + e d) x = 0``."""
    A = np.array([[0.0, 1.0], [-1.0, -2.0 * damping]])
    return system(affine(A, np.array([[0.0, 0.0], [-change, 0.0]])))


@pytest.mark.parametrize("damping", [0.1, 0.37])
def test_jumps_of_a_stiffness_are_proven_up_to_the_circle_criterion(damping: float) -> None:
    """For one scalar block that may jump, one Lyapunov function exists up to ``1 / max |G|``, and not beyond."""
    limit = 2.0 * damping * np.sqrt(1.0 - damping**2)
    assert varying_stability(oscillator(0.998 * limit, damping)).proven
    assert not varying_stability(oscillator(1.002 * limit, damping)).proven


def test_constant_stiffnesses_are_proven_while_they_are_positive() -> None:
    assert varying_stability(oscillator(0.99, 0.1), {"d1": 0.0}).proven
    found = varying_stability(oscillator(1.01, 0.1), {"d1": 0.0})
    assert not found.proven
    assert found.lyapunov == {}


def growth(change: float, damping: float, omega: float) -> float:
    """Largest Floquet multiplier under ``d = sin(omega t)``, by products of matrix exponentials."""
    steps, period = 250, 2.0 * np.pi / omega
    over = np.eye(2)
    for k in range(steps):
        d = np.sin(omega * (k + 0.5) * period / steps)
        A = np.array([[0.0, 1.0], [-1.0 - change * d, -2.0 * damping]])
        over = expm(A * period / steps) @ over
    return float(np.abs(np.linalg.eigvals(over)).max())


def test_no_rate_is_proven_at_which_mathieu_s_equation_is_unstable() -> None:
    """``d = sin(2 t)`` has the rate 2: parametric resonance, unstable beyond about ``e = 4 z``."""
    damping = 0.1
    changes = [0.25, 0.45]
    rates = [fastest_variation(oscillator(change, damping), {"d1": 1.0}, tolerance=0.1, degree=1) for change in changes]
    assert rates == sorted(rates, reverse=True)
    for change, rate in zip(changes, rates, strict=True):
        assert rate > 0.1
        assert all(growth(change, damping, omega) < 1.0 for omega in (rate, 0.5 * rate))
    assert growth(0.45, damping, 2.0) > 1.0 > growth(0.25, damping, 2.0)
    assert rates[-1] < 2.0


def test_a_pair_with_a_common_lyapunov_function_may_be_switched() -> None:
    """Commuting stable matrices have a common quadratic Lyapunov function (Narendra and Balakrishnan 1994)."""
    A = np.array([[-1.0, 3.0], [-3.0, -1.0]])
    B = A @ A - 9.0 * np.eye(2)  # commutes with A
    B = B - (np.linalg.eigvals(B).real.max() + 0.5) * np.eye(2)
    assert varying_stability(system(affine((A + B) / 2.0, (A - B) / 2.0))).proven


def test_pairs_in_companion_form_are_proven_up_to_the_theorem_of_shorten_and_narendra() -> None:
    """They share a quadratic Lyapunov function if and only if ``A1 A2`` has no negative real eigenvalue (2003).

    For ``x'' + c x' + k x`` with two stiffnesses this is ``|sqrt(k2) - sqrt(k1)| < c``.
    """
    for c, k1 in ((0.3, 1.0), (1.1, 4.0), (0.05, 0.2)):
        for share, proven in ((0.99, True), (1.01, False)):
            k2 = (np.sqrt(k1) + share * c) ** 2
            A, B = (np.array([[0.0, 1.0], [-k, -c]]) for k in (k1, k2))
            values = np.linalg.eigvals(A @ B)
            assert not proven or not ((np.abs(values.imag) < 1e-9) & (values.real < 0.0)).any()
            assert varying_stability(system(affine((A + B) / 2.0, (A - B) / 2.0))).proven is proven


def test_quadratic_lyapunov_functions_prove_more_than_affine_ones() -> None:
    stiff = oscillator(0.8, 0.1)
    rates = [fastest_variation(stiff, {"d1": 1.0}, tolerance=0.01, degree=k) for k in (1, 2)]
    assert rates[1] > 1.03 * rates[0] > 0.1
    with pytest.raises(DalembertError, match="must be 1 or 2"):
        varying_stability(stiff, degree=3)


def test_a_pair_that_switching_destabilises_is_not_proven() -> None:
    """Two stable matrices (Branicky 1994) whose trajectories grow when they are switched."""
    A, B = np.array([[-1.0, 10.0], [-100.0, -1.0]]), np.array([[-1.0, 100.0], [-10.0, -1.0]])
    loop = system(affine((A + B) / 2.0, (A - B) / 2.0))
    assert not varying_stability(loop).proven


def test_certificates_fall_along_random_parameters_and_rates() -> None:
    """``V'`` from the matrices of the loop at random parameters, rates and states: independent of the inequalities."""
    proven = 0
    for _ in range(4):
        n = 3
        A = RNG.normal(size=(n, n))
        A -= (np.linalg.eigvals(A).real.max() + 0.6) * np.eye(n)
        loop = system(affine(A, 0.3 * RNG.normal(size=(n, n)), 0.2 * np.outer(RNG.normal(size=n), RNG.normal(size=n))))
        rates = {"d1": 0.3, "d2": np.inf}
        found = varying_stability(loop, rates)
        if not found.proven:
            continue
        proven += 1
        P0, P1 = found.lyapunov[""], found.lyapunov["d1"]
        for d1, d2, rate in RNG.uniform(-1.0, 1.0, (60, 3)):
            plant = loop.at(d1=d1, d2=d2)
            assert isinstance(plant, control.StateSpace)
            P = P0 + d1 * P1
            V = P @ plant.A + plant.A.T @ P + rate * rates["d1"] * P1
            assert np.linalg.eigvalsh(V)[-1] < 0.0
            assert np.linalg.eigvalsh(P)[0] > 0.0
    assert proven >= 2


def test_gains_of_constant_parameters_are_the_largest_h_infinity_norm() -> None:
    """``x' = -(2 + d) x + u``: 1 where d = -1."""
    integrator = system_lft(control.ss(0.0, 1.0, 3.0, 0.0))
    loop = integrator.feedback((parameter("d") + 2.0) * (1.0 / 3.0), integrator.outputs, integrator.inputs)
    found = varying_gain(loop, loop.inputs, loop.outputs, {"d": 0.0})
    assert found.proven
    assert found.gain == pytest.approx(3.0, rel=1e-3)
    assert found.gain >= 3.0
    assert not varying_gain(loop, loop.inputs, loop.outputs, {"d": 0.0}, bound=2.99).proven
    assert varying_gain(loop, loop.inputs, loop.outputs, {"d": 0.0}, bound=3.01).gain == 3.01


def test_a_gain_grows_with_the_rate() -> None:
    loop = oscillator(0.3, 0.2)
    gains = [varying_gain(loop, [loop.inputs[1]], [loop.outputs[0]], {"d1": r}).gain for r in (0.0, 0.5)]
    assert all(g is not None for g in gains)
    assert gains == sorted(gains)  # type: ignore[type-var]
    worst = max(
        hinf_norm(control.ss(p.A, p.B[:, 1:2], p.C[:1], np.zeros((1, 1)))).value
        for p in (loop.at(d1=d) for d in np.linspace(-1, 1, 9))
        if isinstance(p, control.StateSpace)
    )
    assert gains[0] is not None
    assert worst <= gains[0] * (1.0 + 1e-6)


def test_units_of_time_and_states_do_not_matter() -> None:
    """The same oscillator in milliseconds and with a state a million times as large."""
    scale = np.diag([1e6, 1.0])
    for change, proven in ((0.36, True), (0.42, False)):
        A = np.array([[0.0, 1.0], [-1.0, -0.4]])
        E = np.array([[0.0, 0.0], [-change, 0.0]])
        fast = [1e3 * scale @ X @ np.linalg.inv(scale) for X in (A, E)]
        assert varying_stability(system(affine(A, E))).proven is proven
        assert varying_stability(system(affine(*fast))).proven is proven


def crane() -> da.Machine:
    length = da.Parameter("length", 2.0)
    return da.Machine(
        "crane",
        bodies=[da.Body("trolley", 5.0, inertia=(1, 1, 1)), da.point_mass("load", 3.0, com=(0, 0, -length))],
        joints=[
            da.Joint("x", "prismatic", "world", "trolley", axis="x"),
            da.Joint("theta", "revolute", "trolley", "load", axis="y"),
        ],
        motors=[da.Motor("F", "x")],
    )


def test_models_of_machines_are_proven_and_labelled() -> None:
    """Constant lengths are guaranteed; of varying ones the model alone is proven, which has no forces of hoisting."""
    model = uncertain(crane(), {"length": (1.5, 2.5)})
    loop = model.lft.feedback([[31.6, -1.3, 26.9, -12.1]], model.lft.outputs, model.lft.inputs)
    constant_length = varying_stability(loop, block_rates(model, length=0.0))
    assert constant_length.proven
    assert constant_length.guaranteed
    slow = varying_stability(loop, block_rates(model, length=0.02))
    assert slow.proven
    assert not slow.guaranteed
    assert "frozen" in slow.message


def test_a_scheduled_gain_is_an_lft_with_the_block_of_the_plant() -> None:
    """``x' = d x + u`` with ``u = -(1 + d) x`` is ``x' = -x``: no rate matters."""
    plant = system(affine(np.zeros((1, 1)), np.ones((1, 1))))
    loop = plant.feedback(parameter("d1") + 1.0, plant.outputs, plant.inputs)
    assert varying_stability(loop).proven
    assert not varying_stability(plant.feedback([[0.9]], plant.outputs, plant.inputs)).proven


def test_rates_of_blocks_follow_their_maps() -> None:
    """An angle by the tangent of its half, against differences of the map."""
    arm = da.Machine(
        "arm",
        bodies=[da.Body(name, 1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)) for name in "ab"],
        joints=[
            da.Joint("q1", "revolute", "world", "a", axis="z"),
            da.Joint("q2", "revolute", "a", "b", axis="z", origin=(1, 0, 0)),
        ],
        motors=[da.Motor("m1", "q1"), da.Motor("m2", "q2")],
        gravity=(0, 0, 0),
    )
    model = uncertain(arm, {"q2": (-0.5, 1.2)})
    angles = np.linspace(-0.5, 1.2, 2001)
    numbers = np.array([model.normalised(q2=q)["q2"] for q in angles])
    largest = np.abs(np.diff(numbers) / np.diff(angles)).max()
    assert block_rates(model, q2=0.7)["q2"] == pytest.approx(0.7 * largest, rel=2e-3)
    assert block_rates(model, q2=0.7)["q2"] >= 0.7 * largest


@pytest.mark.parametrize(
    ("rates", "text"),
    [
        ({"k": 1.0}, "no block named 'k'"),
        ({"d1": -1.0}, "must not be negative"),
        ({"d1": "fast"}, "must be a finite number"),
    ],
)
def test_bad_rates_are_refused(rates: dict[str, float], text: str) -> None:
    with pytest.raises(DalembertError, match=text):
        varying_stability(oscillator(0.1, 0.2), rates)


def test_other_bad_input_is_refused() -> None:
    with pytest.raises(DalembertError, match="finite rate above zero"):
        fastest_variation(oscillator(0.1, 0.2), {"d1": np.inf})
    with pytest.raises(DalembertError, match="at least one input"):
        varying_gain(oscillator(0.1, 0.2), [], ["y[0]"])
    model = uncertain(crane(), {"length": (1.5, 2.5)})
    with pytest.raises(DalembertError, match="no uncertain quantity named 'payload'"):
        block_rates(model, payload=1.0)
    late = oscillator(0.1, 0.2).feedback(neglected_lag("valve", 0.1) * 0.1, ["y[0]"], ["u[1]"])
    with pytest.raises(DalembertError, match="'valve' is not a real parameter"):
        varying_stability(late, {"valve": 1.0})
    unstable = varying_stability(oscillator(0.1, -0.2))
    assert "middle of its ranges" in unstable.message


def test_products_of_states_follow_their_own_equations() -> None:
    """The lifted matrix is the derivative of products of states along the flow, at numbers of a block."""
    from math import factorial

    from dalembert.control.varying.refinements import lifted

    n, order, d = 3, 3, 0.37
    A, E = RNG.normal(size=(2, n, n))
    loop = system(affine(A, E))
    plain, every = loop.part([], []).state_space()
    blocks = [b for b in every if b.size]
    (A3, B3, C3, D3), more = lifted(plain, blocks, order)
    size = sum(b.size for b in more)
    closed = A3 + d * B3 @ np.linalg.solve(np.eye(size) - d * D3, C3)
    terms = list(combinations_with_replacement(range(n), order))
    weights = [np.sqrt(factorial(order) / np.prod([factorial(t.count(i)) for i in set(t)])) for t in terms]

    def products(x: np.ndarray) -> np.ndarray:
        return np.array([w * np.prod(x[list(t)]) for w, t in zip(weights, terms, strict=True)])

    x, h = RNG.normal(size=n), 1e-6
    rate = (A + d * E) @ x
    change = (products(x + h * rate) - products(x - h * rate)) / (2 * h)
    assert np.allclose(closed @ products(x), change, rtol=1e-7, atol=1e-7)
    assert np.isclose(np.linalg.norm(products(x)), np.linalg.norm(x) ** order)


def test_higher_orders_and_pieces_close_the_gap_of_mathieu_s_equation() -> None:
    """``z = 0.1``, ``e = 0.45``: quadratic functions prove 0.62 1/s; a trapezoid breaks it from 1.33 on."""
    from dalembert.control.varying import falsify

    loop = oscillator(0.45, 0.1)
    assert not varying_stability(loop, {"d1": 0.7}).proven
    proof = varying_stability(loop, {"d1": 0.94}, order=2, degree=1, pieces={"d1": 4})
    assert proof.proven and set(proof.lyapunov) == {"d1=-1", "d1=-0.5", "d1=0", "d1=0.5", "d1=1"}
    assert all(P.shape == (3, 3) and np.linalg.eigvalsh(P)[0] > 0.0 for P in proof.lyapunov.values())
    _falls(proof.lyapunov, 0.45, 0.1, 0.94, 1)
    close = varying_stability(loop, {"d1": 1.25}, order=4, degree=3, pieces={"d1": 8})
    assert close.proven
    _falls(close.lyapunov, 0.45, 0.1, 1.25, 3)
    assert falsify(loop, {"d1": 1.36}, evaluations=400).broken
    assert not varying_stability(loop, {"d1": 1.36}, order=4, pieces={"d1": 16}).proven


def _products(x: np.ndarray, order: int) -> np.ndarray:
    """Products of two states, orthonormal among the symmetric tensors."""
    return np.array([np.sqrt(comb(order, k)) * x[0] ** (order - k) * x[1] ** k for k in range(order + 1)])


def _bernstein(P: np.ndarray, places: list[float], degree: int) -> np.ndarray:
    """A polynomial in pieces at a place of each of its parameters, from its coefficients."""
    for d in places:
        count = (len(P) - 1) // degree
        cell = min(int((d + 1.0) / 2.0 * count), count - 1)
        share = (d + 1.0) / 2.0 * count - cell
        weights = [comb(degree, b) * share**b * (1.0 - share) ** (degree - b) for b in range(degree + 1)]
        P = np.tensordot(weights, P[cell * degree : cell * degree + degree + 1], 1)
    return P


def _falls(lyapunov: dict[str, np.ndarray], change: float, damping: float, rate: float, degree: int) -> None:
    """The function falls along the oscillator, by its own gradient."""
    P = np.array(list(lyapunov.values()))
    order = P.shape[-1] - 1

    def value(x: np.ndarray, d: float) -> float:
        y = _products(x, order)
        return float(y @ _bernstein(P, [d], degree) @ y)

    h = 1e-6
    for d in RNG.uniform(-0.99, 0.99, 40):
        angle = RNG.uniform(0.0, np.pi)
        x = np.array([np.cos(angle), np.sin(angle)])
        velocity = np.array([x[1], -(1.0 + change * d) * x[0] - 2.0 * damping * x[1]])
        for slope in (-rate, rate):
            assert value(x + h * velocity, d + h * slope) < value(x - h * velocity, d - h * slope)


def pendulum(rate: float) -> tuple[LFT, dict[str, float]]:
    """A damped pendulum whose rope varies between 1 and 3 m, four times as fast in acceleration as in rate."""
    hoist = da.Machine(
        "hoist",
        bodies=[da.Body("rope"), da.point_mass("load", 2.0)],
        joints=[
            da.Joint("sway", "revolute", "world", "rope", axis="y", damping=2.0),
            da.Joint("l", "prismatic", "rope", "load", axis="-z"),
        ],
        motors=[da.Motor("winch", "l")],
    )
    model = uncertain(hoist, {"l": (1.0, 3.0)}, at={"l": 2.0}, motion={"l": (rate, 4.0 * rate)})
    return model.lft.feedback([[0.0, 30.0, 0.0, 30.0]], model.lft.outputs, model.lft.inputs), block_rates(model)


def pumped(rate: float, hold: float, hoist: float) -> float:
    """Growth [1/s] of the pendulum below a rope that is lowered and hoisted in ramps, up to 3 m."""
    push = 4.0 * rate
    down = rate * hold + rate**2 / push
    times = np.cumsum([0.0, hold, (rate + hoist) / push, down / hoist - hoist / push, (rate + hoist) / push])
    t = np.linspace(0.0, times[-1], 801)
    v = np.interp(t, times, [rate, rate, -hoist, -hoist, rate])
    l = np.concatenate([[0.0], np.cumsum(0.5 * (v[1:] + v[:-1]) * t[1])])
    l, X, h = l - l.max() + 3.0, np.eye(2), 2.0 * t[1]
    assert l.min() > 1.0 and abs(l[-1] - l[0]) < 1e-3
    A = [np.array([[0.0, 1.0], [-9.81 / y, -(1.0 / y**2 + 2.0 * w / y)]]) for y, w in zip(l, v, strict=True)]
    for k in range(0, 800, 2):
        k1 = A[k] @ X
        k2 = A[k + 1] @ (X + h / 2 * k1)
        k3 = A[k + 1] @ (X + h / 2 * k2)
        X = X + h / 6 * (k1 + 2 * k2 + 2 * k3 + A[k + 2] @ (X + h * k3))
    return float(np.log(np.abs(np.linalg.eigvals(X)).max()) / t[-1])


def test_the_pendulum_of_varying_length_is_proven_to_within_5_percent_of_its_limit() -> None:
    """Pumping in ramps makes it grow at 0.43 m/s and not at 0.42; 0.41 m/s is proven, 0.43 m/s is not."""
    assert pumped(0.43, 0.349, 0.43) > 0.0 > pumped(0.42, 0.348, 0.42) > -1e-3
    settings = {"order": 2, "pieces": {"l": 12, "l.rate": 4}}
    loop, rates = pendulum(0.41)
    proof = varying_stability(loop, rates, **settings)
    assert proof.guaranteed, proof.message
    loop, rates = pendulum(0.43)
    assert not varying_stability(loop, rates, **settings).proven
    own = [k for k, n in enumerate(("sway", "l", "sway_dot", "l_dot")) if n.startswith("sway")]
    terms = list(combinations_with_replacement(range(4), 2))
    mine = [k for k, t in enumerate(terms) if set(t) <= set(own)]
    assert list(proof.lyapunov)[1] == "l.rate=-1, l=-0.916667"
    P = np.array([x[np.ix_(mine, mine)] for x in proof.lyapunov.values()]).reshape(9, 25, 3, 3)
    h = 1e-6

    def value(x: np.ndarray, l: float, v: float) -> float:
        y = _products(x, 2)
        return float(y @ _bernstein(P, [v / 0.41, l - 2.0], 2) @ y)

    for _ in range(60):
        x, l, v = RNG.normal(size=2), RNG.uniform(1.01, 2.99), RNG.uniform(-0.4, 0.4)
        rate = np.array([x[1], -9.81 / l * x[0] - (1.0 / l**2 + 2.0 * v / l) * x[1]])
        for push in (-1.64, 1.64):
            after, before = (value(x + s * h * rate, l + s * h * v, v + s * h * push) for s in (1.0, -1.0))
            assert 0.0 < after < before


def test_functions_on_a_grid_count_what_interpolation_and_errors_leave_out() -> None:
    """Two pieces of a rope of 1 to 3 m are too few, of a system that is more than affine in its length."""
    from dalembert.control.varying.splines import function_on_grid

    loop, rates = pendulum(0.1)
    assert not varying_stability(loop, rates, pieces={"l": 1}).proven
    fine = varying_stability(loop, rates, pieces={"l": 8, "l.rate": 2})
    assert fine.proven and fine.margin > varying_stability(loop, rates, pieces={"l": 4, "l.rate": 2}).margin
    # x' = (-1 + w) x with an error |w| <= rho: it falls while rho < 1
    A, B, C, D = -np.eye(1), np.array([[0.0, 1.0]]), np.array([[0.0], [1.0]]), np.zeros((2, 2))
    blocks = [DeltaBlock("d", 1), DeltaBlock("error", 1, "error")]
    for bound in (0.9, 1.1):
        found = function_on_grid((A, B, C, D), blocks, {"d": 1.0}, {}, {"d": 2}, 1, 1, bound)
        assert (found.margin > 0.0) is (bound < 1.0)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"order": 0}, "whole number from 1"),
        ({"pieces": {"k": 4}}, "no parameter named 'k'"),
        ({"pieces": {"d1": 0}}, "whole number >= 1"),
        ({"pieces": {"d1": 2}, "degree": 5}, "1 to 4"),
        ({"pieces": {"d1": 20000}}, "take fewer pieces"),
    ],
)
def test_bad_orders_and_pieces_are_refused(settings: dict, text: str) -> None:
    with pytest.raises(DalembertError, match=text):
        varying_stability(oscillator(0.1, 0.2), {"d1": 0.1}, **settings)


def test_parts_that_no_signal_connects_are_proven_apart_and_together() -> None:
    """Two oscillators that share a parameter: the sum of both functions falls for the whole, in states mixed up."""
    first = np.array([[0.0, 1.0], [-1.0, -0.4]]), np.array([[0.0, 0.0], [-0.4, 0.0]])
    other = np.array([[0.0, 1.0], [-4.0, -0.6]]), np.array([[0.0, 0.0], [0.9, 0.0]])
    order = [0, 2, 1, 3]  # states of the two, alternating
    A, change = (
        np.block([[x, np.zeros((2, 2))], [np.zeros((2, 2)), y]])[np.ix_(order, order)]
        for x, y in zip(first, other, strict=True)
    )
    loop = system(affine(A, change))
    for k in (1, 2):
        proof = varying_stability(loop, {"d1": 0.3}, degree=1, order=k)
        assert proof.proven and proof.lyapunov[""].shape == ((4, 4) if k == 1 else (10, 10))
        if k == 1:
            P = proof.lyapunov[""]
            assert not P[0, 1] and not P[0, 3] and P[0, 2]  # states 0, 2 and 1, 3 belong together
            for d, rate in ((-1.0, 0.3), (0.2, -0.3), (1.0, 0.3), (1.0, -0.3)):
                V, now = P + d * proof.lyapunov["d1"], A + d * change
                assert np.linalg.eigvalsh(V)[0] > 0.0
                assert np.linalg.eigvalsh(V @ now + now.T @ V + rate * proof.lyapunov["d1"])[-1] < 0.0
    unstable = np.array([[0.0, 1.0], [-1.0, 0.1]])
    A[np.ix_([1, 3], [1, 3])] = unstable
    assert not varying_stability(system(affine(A, change)), {"d1": 0.3}).proven


def test_the_error_of_a_model_acts_on_all_of_its_parts() -> None:
    """The input that a part's error gets bounds the whole error of the model at random values of its blocks."""
    machine = da.Machine(
        "hoist",
        bodies=[da.Body("rope"), da.point_mass("load", 2.0)],
        joints=[
            da.Joint("sway", "revolute", "world", "rope", axis="y", damping=2.0),
            da.Joint("l", "prismatic", "rope", "load", axis="-z"),
        ],
        motors=[da.Motor("F", "l")],
    )
    model = uncertain(machine, {"l": (1.0, 3.0)}, at={"l": 2.0}, motion={"l": (0.2, 0.8)})
    loop = model.lft.feedback([[0.0, 30.0, 0.0, 30.0]], model.lft.outputs, model.lft.inputs)
    (A, B, C, D), blocks = loop.part([], []).state_space()
    parts = independent_parts((A, B, C, D), blocks)
    assert [p.states for p in parts] == [(0, 2), (1, 3)]
    real = sum(b.size for b in blocks if b.kind == "real")
    given = parts[0].system[2][-parts[0].blocks[-1].size :][:2, :2]
    assert np.allclose(given, given[0, 0] * np.eye(2)) and given[0, 0] > 0.0
    rng = np.random.default_rng(8)
    for _ in range(200):
        delta = np.concatenate([np.full(b.size, rng.uniform(-1, 1)) for b in blocks if b.kind == "real"])
        x = rng.standard_normal(4)
        w = delta * np.linalg.solve(np.eye(real) - D[:real, :real] * delta, C[:real] @ x)
        z = C[real:] @ x + D[real:, :real] @ w
        assert 2.0 * np.linalg.norm(z) <= given[0, 0] * np.linalg.norm(x)
