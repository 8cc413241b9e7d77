"""Searches and checks of proofs along parameters that vary, one by one: limits, rates, samples, errors, boxes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import control as python_control
import numpy as np
import pytest
from numpy.typing import NDArray

import dalembert as da
from dalembert.control import linear_feedback
from dalembert.control.uncertain import constant, parameter, system_lft
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.uncertain.lft import LFT
from dalembert.control.varying import energy, fastest_variation, motion_loop, motion_search, proofs, worst_motion
from dalembert.control.varying.energy import LinearFamily
from dalembert.control.varying.inequalities import Certificate, Inequalities, _below
from dalembert.control.varying.intervals import bounds
from dalembert.control.varying.moving import MotionLoop
from dalembert.control.varying.parts import LoopPart, assembled, error_bound, independent_parts
from dalembert.control.varying.sampling import _older, _seen, sampled_loop
from dalembert.core.errors import InputError, UnknownNameError

Array = NDArray[Any]


@pytest.mark.parametrize("limit", [3e-5, 0.07, 0.9, 1.3, 60.0, 3e4])
def test_the_fastest_variation_is_the_limit_within_its_tolerance(limit: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a proof that holds up to a factor on the finite rates; the others keep theirs."""
    asked: list[dict[str, float]] = []

    def stability(loop: object, rates: dict[str, float], **settings: object) -> SimpleNamespace:
        assert settings["degree"] == 2 and settings["order"] == 3
        asked.append(rates)
        assert len(asked) < 200
        assert rates["c"] == 0.0 and rates["d"] == np.inf and rates["b"] == pytest.approx(4.0 * rates["a"])
        return SimpleNamespace(proven=rates["a"] <= 0.5 * limit)

    monkeypatch.setattr(proofs, "varying_stability", stability)
    given = {"a": 0.5, "b": 2.0, "c": 0.0, "d": np.inf}
    for tolerance in (0.1, 0.01):
        found = fastest_variation(cast(Any, None), given, tolerance=tolerance, degree=2, order=3)
        assert (1.0 - 1.01 * tolerance) * limit <= found <= limit


def test_variations_of_any_rate_and_of_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def proven(most: float) -> None:
        monkeypatch.setattr(
            proofs, "varying_stability", lambda loop, rates, **_: SimpleNamespace(proven=rates["a"] <= most)
        )

    proven(np.inf)
    assert fastest_variation(cast(Any, None), {"a": 1.0}) == np.inf
    proven(-1.0)
    assert fastest_variation(cast(Any, None), {"a": 1.0}) == 0.0
    proven(1e300)
    assert 1e8 < fastest_variation(cast(Any, None), {"a": 1.0}) <= 1e9
    for rates in ({}, {"a": 0.0}, {"a": np.inf}):
        with pytest.raises(InputError, match="at least one finite rate"):
            fastest_variation(cast(Any, None), rates)


def _problem(**rates: float) -> Any:
    return SimpleNamespace(rates=rates)


def test_degrees_and_pieces_of_functions() -> None:
    finite, jumps = _problem(a=0.3, b=np.inf), _problem(a=np.inf)
    assert proofs._degrees(None, finite) == (1, 2) and proofs._degrees(None, jumps) == (1,)
    assert [proofs._degrees(k, jumps) for k in (1, 2)] == [(1,), (2,)]
    for degree in (0, 3, True):
        with pytest.raises(InputError, match="must be 1 or 2"):
            proofs._degrees(cast(Any, degree), finite)
    for k in (None, 1, 2, 3, 4):
        proofs._check_pieces(finite, {"a": 1, "b": 5}, k)
    for k in (0, 5, True):
        with pytest.raises(InputError, match="must be 1 to 4"):
            proofs._check_pieces(finite, {"a": 3}, cast(Any, k))
    for count in (0, True, 2.0):
        with pytest.raises(InputError, match="whole number >= 1"):
            proofs._check_pieces(finite, {"a": cast(Any, count)}, 2)
    with pytest.raises(UnknownNameError, match="c"):
        proofs._check_pieces(finite, {"c": 2}, 2)
    with pytest.raises(UnknownNameError, match="finite rate"):
        proofs._check_pieces(finite, {"b": 2}, 2)


def test_rates_of_blocks_and_those_that_a_model_includes() -> None:
    blocks = [
        DeltaBlock("a", 2),
        DeltaBlock("z", 0),
        DeltaBlock("b", 1),
        DeltaBlock("f", 2, "full"),
        DeltaBlock("e", 1, "error", moving=(("a", 0.4),)),
    ]
    assert proofs.checked_rates(blocks, {"a": 0.3}) == {"a": 0.3, "b": np.inf}
    assert proofs.checked_rates(blocks, {"b": 0.0}) == {"a": np.inf, "b": 0.0}
    for rates, message in (({"f": 1.0}, "not a real"), ({"a": -0.1}, "must not be negative"), ({"x": 1.0}, "x")):
        with pytest.raises(da.DalembertError, match=message):
            proofs.checked_rates(blocks, rates)
    assert proofs._frozen(blocks, {"a": 0.4, "b": np.inf}) == []
    assert proofs._frozen(blocks, {"a": 0.41, "b": 0.1}) == ["a"]
    unknown = [DeltaBlock("a", 1), DeltaBlock("e", 1, "error")]
    assert proofs._frozen(unknown, {"a": 0.1}) == ["a"] and proofs._frozen(unknown, {"a": 0.0}) == []
    assert proofs._frozen(unknown[:1], {"a": 0.1}) == []


def test_multipliers_of_a_certificate_must_be_positive() -> None:
    """Of blocks and of parameters: a sign that differs proves nothing, however well the inequalities hold."""
    A = np.array([[-2.0, 0.3], [0.1, -1.0]])
    made = Inequalities((A, np.full((2, 1), 0.1), np.full((1, 2), 0.1), np.zeros((1, 1))), [DeltaBlock("d", 1)],
                        {"d": np.inf})  # fmt: skip
    P, G = {(): np.eye(2)}, (np.zeros((1, 1)),)
    margins = [made.checked(Certificate(P, (np.array([[q]]),), G, (), (), 0.0)).margin for q in (0.2, -0.2)]
    assert margins[0] > 0.0 and margins[1] == -np.inf
    kept = Certificate(P, (np.array([[0.2]]),), G, (np.diag([1.0, 0.5]),), (), 0.0)
    assert made.checked(kept).margin == pytest.approx(margins[0], rel=1e-9)
    matrix = np.array([[-3.0, 1.0], [1.0, -2.0]])
    largest = np.linalg.eigvalsh(matrix)[-1]
    assert _below(matrix, 0.25) == pytest.approx(-(largest + 0.25) / np.linalg.norm(matrix), rel=1e-12)


# -- searches ----------------------------------------------------------------------------------------------------------


def _slider(law: Any = None) -> MotionLoop:
    slider = da.Machine(
        "slider",
        bodies=[da.point_mass("cart", da.Parameter("m", 2.0))],
        joints=[da.Joint("x", "prismatic", "world", "cart", axis="x")],
        motors=[da.Motor("F", "x")],
    )
    law = linear_feedback(slider, [[8.0, 4.0]], measured=["x", "x_dot"], controls=["F"]) if law is None else law
    return motion_loop(slider, law, {"x": (0.2, 1.0), "m": (1.5, 2.5)}, {"x": (0.5, 1.3)})


def test_the_worst_motion_keeps_its_limits() -> None:
    loop = _slider()
    for seed in range(12):
        found = worst_motion(loop, evaluations=1 + 2 * (seed % 2), seed=seed)
        sine = found.motion["x"]
        assert sine.middle - sine.reach >= 0.2 - 1e-9 and sine.middle + sine.reach <= 1.0 + 1e-9
        assert sine.reach * sine.omega <= 0.5 + 1e-9 and sine.reach * sine.omega**2 <= 1.3 + 1e-9
        assert 1.5 - 1e-9 <= found.constants["m"] <= 2.5 + 1e-9 and not found.broken


def test_a_search_climbs_to_the_worst_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    """A growth with one maximum: random steps come much closer to it than the random motions did."""
    loop = _slider()
    seen: list[Array] = []
    size = motion_search._Search(loop).size
    target = np.linspace(-0.7, 0.8, size)

    def growth(self: Any, x: Array, steps: int = 0) -> float:
        seen.append(x.copy())
        self.count += 1
        return 0.2 - float(np.linalg.norm(x - target))

    monkeypatch.setattr(motion_search._Search, "growth", growth)
    told: list[str] = []
    found = worst_motion(loop, evaluations=400, progress=told.append)
    first = max(0.2 - np.linalg.norm(x - target) for x in seen[:200])
    assert first < 0.0 < found.growth and 0.2 - found.growth < 0.5 * (0.2 - first)
    assert found.broken and "diverge at" in found.message and told
    assert 380 < found.evaluations == len(seen) <= 401
    assert max(np.abs(x).max() for x in seen) <= 1.0
    monkeypatch.setattr(motion_search._Search, "growth", lambda self, x, steps=0: -0.3)
    still = worst_motion(loop, evaluations=10)
    assert not still.broken and still.growth == -0.3 and "slowest decay is 0.3" in still.message
    for evaluations in (0, -1, 2.5):
        with pytest.raises(InputError, match="whole number >= 1"):
            worst_motion(loop, evaluations=cast(Any, evaluations))


class _Losses:
    """A law whose losses are no polynomial of the rate, or are one of degree two."""

    def __init__(self, losses: Any) -> None:
        self.losses = losses

    def state_names(self, eom: object) -> tuple[str, ...]:
        return ()

    def initial_state(self, eom: object) -> Array:
        return np.zeros(0)

    def expression(self, eom: object, t: Any, q: Any, v: Any, z: Any, p: Any) -> tuple[Any, Any]:
        return -8.0 * (q[0] - 0.5) - self.losses(v[0]), z


def test_losses_that_are_no_polynomial_of_the_rate_are_refused() -> None:
    loop = _slider(_Losses(lambda v: 4.0 * v + 0.7 * v**3))  # its slope is of degree two
    slope = 4.0 + 2.1 * (0.5 * 0.6) ** 2
    found = np.tensordot([1.0, 0.6, 0.36, 0.2], loop.family.at([0.3, -0.4]), 1)
    assert found[2].item() == pytest.approx(slope, rel=1e-9) and found[0].item() == pytest.approx(2.0 - 0.2, rel=1e-9)
    with pytest.raises(InputError, match="not a polynomial of the motion"):
        _slider(_Losses(lambda v: 4.0 * ca.tanh(3.0 * v)))


def _damped(rng: np.random.Generator, n: int) -> Array:
    """Mass matrix, its rate, damping, stiffness, that at rest and its rate, of a stable machine."""
    root, change, soft = (rng.normal(size=(n, n)) for _ in range(3))
    M, K = root @ root.T / n + np.eye(n), np.diag(rng.uniform(3.0, 6.0, n))
    D = 1.5 * np.eye(n) + 0.1 * rng.normal(size=(n, n))
    return np.array([M, 0.05 * (change + change.T), D, K + 0.1 * soft, K, 0.05 * (soft + soft.T)])


def test_functions_of_energy_hold_by_the_margin_that_is_returned() -> None:
    """At all values function and fall are positive, scaled, and the least of their eigenvalues is the margin."""
    pytest.importorskip("cvxpy")
    rng = np.random.default_rng(7)
    values = [_damped(rng, 2) for _ in range(3)]
    scales = np.array([0.5, 0.4, 1.1, 0.9])
    found, margin = energy._inequalities(values, scales, 0.05)
    assert found is not None and margin > 0.0
    outer = np.outer(scales, scales)
    least = []
    for parts in values:
        M, change, D, K, rest, softer = parts
        V = np.block([[rest + found.X, found.S @ M], [(found.S @ M).T, M]])
        # 2 V' along M x'' = -D x' - K x, with the rates of M and of the stiffness at rest
        A = np.vstack([np.hstack([np.zeros((2, 2)), np.eye(2)]), -np.linalg.solve(M, np.hstack([K, D]))])
        rate = np.block([[softer, found.S @ change], [(found.S @ change).T, change]])
        W = -(V @ A + A.T @ V + rate) - 0.1 * V
        least += [np.linalg.eigvalsh(outer * W)[0], np.linalg.eigvalsh(outer * V)[0]]
        np.testing.assert_allclose(found.fall(parts, 0.05), W, atol=1e-9)
    assert min(least) == pytest.approx(margin, abs=1e-6)
    assert energy._inequalities([_damped(rng, 2) * [[[1]], [[1]], [[-1]], [[1]], [[1]], [[1]]]], scales, 0.05)[1] < 0.0
    coefficients = np.zeros((4, 3, 6, 2, 2))
    coefficients[0, 0] = values[0]
    family = LinearFamily(((-1.0, 1.0),), (False,), coefficients, 1)
    M, D = values[0][0], values[0][2]
    slowest = np.linalg.eigvals(np.linalg.solve(M, D + D.T)).real.min()
    np.testing.assert_allclose(energy._coupling(family, [0.0]), slowest * np.geomspace(0.02, 0.5, 8), rtol=1e-9)
    coefficients = coefficients.copy()
    coefficients[0, 0, 2] *= -1.0
    assert energy._coupling(LinearFamily(((-1.0, 1.0),), (False,), coefficients, 1), [0.0]).size == 0
    made = list(energy.energy_functions(family, 0.05))
    assert made and all(np.linalg.eigvalsh(one.fall(values[0], 0.05))[0] > 0.0 for one in made)


# -- samples -----------------------------------------------------------------------------------------------------------


def _plant(rng: np.random.Generator) -> LFT:
    """Three states, of which the outputs are combinations, and a real block between them."""
    blocks = (DeltaBlock("d", 2), DeltaBlock("1/s", 3, "state"))
    M11, M12, M21 = rng.normal(size=(5, 5)), rng.normal(size=(5, 2)), rng.normal(size=(3, 5))
    M21[:2, :2] = 0.0  # the last output depends on the block
    M22 = np.zeros((3, 2))
    M22[2] = 0.3
    return LFT(0.3 * M11, M12, M21, M22, blocks, ("u", "w"), ("y", "z", "force"))


def test_measurements_of_the_last_sample() -> None:
    """``y + s T y'`` at a number ``s`` of the block: with the rates of the states at random states and inputs."""
    rng = np.random.default_rng(1)
    plant, age, s, d = _plant(rng), 0.37, 0.8, -0.6
    seen = _seen(plant, ["z", "y"], age)
    assert seen.blocks[-1] == DeltaBlock("sampling", 2, "complex") and seen.outputs == plant.outputs
    x, u = rng.normal(size=3), rng.normal(size=2)
    inner = np.linalg.solve(np.eye(2) - d * plant.M11[:2, :2], plant.M11[:2, 2:] @ x + plant.M12[:2] @ u)
    w = np.concatenate([d * inner, x])
    rate, y = plant.M11[2:] @ w + plant.M12[2:] @ u, plant.M21 @ w + plant.M22 @ u
    old = np.linalg.solve(np.eye(2), s * (seen.M11[5:, :5] @ w + seen.M12[5:] @ u))
    assert not seen.M11[:, 5:].any()
    found = seen.M21 @ np.concatenate([w, old]) + seen.M22 @ u
    expected = y + s * age * np.append(plant.M21[:2, 2:] @ rate, 0.0)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(seen.M11[:5, :5] @ w + seen.M12[:5] @ u, plant.M11 @ w + plant.M12 @ u, rtol=1e-12)
    with pytest.raises(InputError, match="'force' is not a state"):
        _seen(plant, ["y", "force"], age)
    direct = LFT(plant.M11, plant.M12, plant.M21, np.full((3, 2), 0.1), plant.blocks, plant.inputs, plant.outputs)
    with pytest.raises(InputError, match="'y' is not a state"):
        _seen(direct, ["y"], age)


def test_gains_of_the_last_sample() -> None:
    """``K(d + c e)``: with the largest change of a rate over the age, at most two; constants stay."""
    rng = np.random.default_rng(2)
    blocks = (DeltaBlock("a", 2), DeltaBlock("b", 1), DeltaBlock("c", 1), DeltaBlock("s", 1))
    K = LFT(0.2 * rng.normal(size=(5, 5)), rng.normal(size=(5, 2)), rng.normal(size=(1, 5)), rng.normal(size=(1, 2)),
            blocks, ("y", "z"), ("u",))  # fmt: skip
    age = 0.4
    found = _older(K, age, {"a": 1.2, "b": 0.0, "c": 50.0})
    assert [(b.name, b.size) for b in found.blocks] == [
        ("a", 2), ("b", 1), ("c", 1), ("s", 1), ("a.sampled", 2), ("c.sampled", 1), ("s.sampled", 1)
    ]  # fmt: skip
    values = {"a": 0.3, "b": -0.4, "c": 0.9, "s": 0.1, "a.sampled": -0.7, "c.sampled": 0.2, "s.sampled": -0.3}
    old = {"a": 0.3 - 0.7 * 1.2 * age, "b": -0.4, "c": 0.9 + 0.2 * 2.0, "s": 0.1 - 0.3 * 2.0}
    np.testing.assert_allclose(np.asarray(found.at(**values)), np.asarray(K.at(**old)), rtol=1e-10)
    assert (found.inputs, found.outputs) == (K.inputs, K.outputs)
    gains = constant([[1.0]])
    assert _older(gains, age, {}) is gains
    with pytest.raises(InputError, match="not a real parameter"):
        _older(parameter("c", "complex"), age, {})
    plant = system_lft(python_control.ss(0.0, 1.0, 1.0, 0.0))
    loop = sampled_loop(plant, [[1.5]], plant.outputs, plant.inputs, period=0.3, delay=0.2)
    (A, B, C, D), _ = loop.part([], []).state_space()
    held = 0.2 + 0.6 / np.pi
    for s in (-0.9, 0.4):  # x' = -K (x + s T x')
        pole = A + s * B @ np.linalg.solve(np.eye(1) - s * D, C)
        assert pole.item() == pytest.approx(-1.5 / (1.0 + 1.5 * s * held), rel=1e-12)
    for period, delay in ((0.0, 0.1), (-1.0, 0.1), (0.3, -0.1)):
        with pytest.raises(InputError):
            sampled_loop(plant, [[1.5]], plant.outputs, plant.inputs, period=period, delay=delay)


# -- parts -------------------------------------------------------------------------------------------------------------


def test_a_bound_of_the_input_of_an_error() -> None:
    """Above ``|z_e| / |x|`` of every sample; of a balanced matrix by the triangle inequality, in any units."""
    rng = np.random.default_rng(3)
    blocks = [DeltaBlock("a", 1), DeltaBlock("f", 2, "full"), DeltaBlock("e", 2, "error"), DeltaBlock("b", 1)]
    D = rng.normal(size=(6, 6))
    D = 0.5 * (D + D.T) / np.linalg.norm(D + D.T, 2)
    C = rng.normal(size=(6, 3))
    rows = slice(3, 5)
    bound = error_bound((np.eye(3), np.zeros((3, 6)), C, D), blocks, rows)
    most = 0.0
    for _ in range(2000):
        delta = np.zeros((6, 6))
        delta[0, 0], delta[5, 5] = rng.choice([-1.0, 1.0], 2)
        for s in (slice(1, 3), rows):
            delta[s, s] = np.linalg.qr(rng.normal(size=(2, 2)))[0]
        into = np.linalg.solve(np.eye(6) - D @ delta, C)
        most = max(most, float(np.linalg.norm(into[rows], 2)))
    plain = np.linalg.norm(C[rows], 2) + np.linalg.norm(D[rows], 2) * np.linalg.norm(C, 2) / 0.5
    assert most <= bound == pytest.approx(plain, rel=1e-8)
    unit = np.array([8.0, 1.0, 1.0, 1.0, 1.0, 0.125])
    scaled = error_bound((np.eye(3), np.zeros((3, 6)), unit[:, None] * C, unit[:, None] * D / unit), blocks, rows)
    assert scaled == pytest.approx(bound, rel=1e-8)
    assert error_bound((np.eye(3), np.zeros((3, 6)), C, 4.0 * D), blocks, rows) == np.inf
    assert error_bound((np.eye(3), np.zeros((3, 6)), C, D), blocks, slice(3, 3)) == 0.0


def test_independent_parts_of_a_loop() -> None:
    """Two systems in series with their own blocks, mixed up: parts have their rows, in order, and shared parameters."""
    rng = np.random.default_rng(4)
    n, owner = 4, np.array([0, 1, 0, 1])  # of the states
    blocks = [DeltaBlock("a", 3), DeltaBlock("c", 2, "complex")]
    port = np.array([0, 1, 0, 1, 1])
    A, B, C, D = rng.normal(size=(n, n)), rng.normal(size=(n, 5)), rng.normal(size=(5, n)), rng.normal(size=(5, 5))
    A, B = A * (owner[:, None] == owner), B * (owner[:, None] == port)
    C, D = C * (port[:, None] == owner), D * (port[:, None] == port)
    parts = independent_parts((A, B, C, D), blocks)
    assert [p.states for p in parts] == [(0, 2), (1, 3)]
    assert [[(b.name, b.size) for b in p.blocks] for p in parts] == [[("a", 2)], [("a", 1), ("c", 2)]]
    for k, part in enumerate(parts):
        states, ports = owner == k, port == k
        expected = (A[np.ix_(states, states)], B[np.ix_(states, ports)], C[np.ix_(ports, states)],
                    D[np.ix_(ports, ports)])  # fmt: skip
        for found, matrix in zip(part.system, expected, strict=True):
            np.testing.assert_array_equal(found, matrix)
    D[3, 4] = D[4, 3] = 0.0  # the signals of one complex block belong together all the same
    B[:, 4], C[4] = 0.0, 0.0
    assert [p.states for p in independent_parts((A, B, C, D), blocks)] == [(0, 2), (1, 3)]
    D[0, 1] = 0.1
    (whole,) = independent_parts((A, B, C, D), blocks)
    assert whole.states == (0, 1, 2, 3) and whole.system[0] is A


def test_the_sum_of_functions_of_parts() -> None:
    rng = np.random.default_rng(5)
    parts = [LoopPart((0, 2), cast(Any, None), ()), LoopPart((1,), cast(Any, None), ())]
    P, Q = rng.normal(size=(3, 3)), rng.normal(size=(1, 1))
    R = rng.normal(size=(3, 3))
    whole = assembled([{"": P, "a": R}, {"": Q}], parts, 3, 2)
    x = rng.normal(size=3)
    every = np.array([x[i] * x[j] for i in range(3) for j in range(i, 3)])
    first = np.array([x[0] * x[0], x[0] * x[2], x[2] * x[2]])
    assert every @ whole[""] @ every == pytest.approx(first @ P @ first + Q.item() * x[1] ** 4, rel=1e-12)
    assert every @ whole["a"] @ every == pytest.approx(first @ R @ first, rel=1e-12)
    grid = assembled(
        [{f"a={i}, b={j}": (1 + i + 10 * j) * np.eye(2) for i in range(2) for j in range(3)}, {"b=0": Q, "b=1": 2 * Q,
         "b=2": 3 * Q}], parts, 3, 1,
    )  # fmt: skip
    assert len(grid) == 6
    for i, j in ((0, 2), (1, 1)):
        expected = np.diag([1 + i + 10 * j, (1 + j) * Q.item(), 1 + i + 10 * j])
        np.testing.assert_allclose(grid[f"a={i}, b={j}"], expected, rtol=1e-12)
    assert assembled([{"": P}], parts[:1], 3, 2) == {"": P}


@pytest.mark.parametrize("name", ["neg", "sq", "twice", "inv", "sqrt", "sin", "cos", "add", "sub", "mul", "div"])
def test_bounds_of_operations_are_their_extremes(name: str) -> None:
    """Each operation by itself, with intervals of all signs and of many turns: at ends, zeros, and turning points."""
    rng = np.random.default_rng(6)
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    makes: dict[str, Any] = {
        "neg": -x, "sq": x * x, "twice": 2 * x, "inv": 1 / x, "sqrt": ca.sqrt(x), "sin": ca.sin(x), "cos": ca.cos(x),
        "add": x + y, "sub": x - y, "mul": x * y, "div": x / y,
    }  # fmt: skip
    count = 80
    ends = np.sort(rng.uniform(-7.0, 7.0, (2, 2, count)) * rng.choice([1.0, 0.2], count), axis=0)
    if name in ("inv", "sqrt", "div"):
        ends = np.sort(rng.uniform(0.1, 5.0, (2, 2, count)), axis=0)
    if name in ("inv", "div"):
        ends = np.where(np.arange(count) % 2, ends, -ends[::-1])
    f = ca.Function("f", [x, y], [makes[name]])
    low, high = bounds(f, [(ends[0, :1], ends[1, :1]), (ends[0, 1:], ends[1, 1:])])[0]
    turning = {"sq": [0.0], "cos": np.pi * np.arange(-3, 4), "sin": np.pi * (np.arange(-3, 4) + 0.5)}.get(name, [])
    for k in range(count):
        (a, b), (c, d) = ends[:, 0, k], ends[:, 1, k]
        places = [a, b, *(z for z in turning if a < z < b)]
        values = np.array([float(f(X, Y)) for X in places for Y in (c, d)])
        inside = [float(f(X, Y)) for X, Y in zip(rng.uniform(a, b, 5), rng.uniform(c, d, 5), strict=True)]
        assert low[0, k] <= min(*values, *inside) and max(*values, *inside) <= high[0, k]
        assert (low[0, k], high[0, k]) == pytest.approx((values.min(), values.max()), rel=1e-12, abs=1e-12)
    if name in ("inv", "div", "sqrt"):
        with pytest.raises(InputError, match="may be"):
            bounds(f, [(np.array([[-0.1]]), np.array([[0.2]]))] * 2)
