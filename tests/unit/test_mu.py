"""Structured singular values: closed forms, slycot, a linear program, and boxes that no random sample breaks."""

from __future__ import annotations

from itertools import pairwise

import control
import numpy as np
import pytest
from tests.support.uncertain_crane import uncertain_crane
from tests.unit.test_uncertain import floating_arm

from dalembert.control.mu import (
    guaranteed_ranges,
    iterative_ranges,
    mu,
    proven_parts,
    robust_performance,
    robust_stability,
    skew_mu,
    worst_gain,
)
from dalembert.control.mu.mixed import mixed_lower_bound
from dalembert.control.mu.scalings import _Problem, upper_bound
from dalembert.control.uncertain import (
    LFT,
    DeltaBlock,
    UncertainMachine,
    neglected_delay,
    parameter,
    system_lft,
    uncertain,
)
from dalembert.core.errors import InputError

LONG = [pytest.mark.slow, pytest.mark.long]
MIXED = (
    DeltaBlock("a", 2, "real"),
    DeltaBlock("b", 2, "complex"),
    DeltaBlock("c", 2, "full"),
    DeltaBlock("d", 1, "real"),
)


def random_matrix(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n))


def test_gradient_of_the_soft_bound() -> None:
    M = random_matrix(7, 0)
    problem = _Problem(M, MIXED, np.zeros_like(M))
    x = 0.3 * np.random.default_rng(1).normal(size=problem.size)
    _, g = problem.soft(x, 0.5)
    h = 1e-6
    d = [(problem.soft(x + h * e, 0.5)[0] - problem.soft(x - h * e, 0.5)[0]) / (2 * h) for e in np.eye(len(x))]
    assert np.allclose(d, g, rtol=1e-6, atol=1e-6 * np.abs(g).max())


@pytest.mark.parametrize("seed", range(4))
def test_scalings_prove_the_bound_of_random_blocks(seed: int) -> None:
    M = random_matrix(7, seed)
    s = upper_bound(M, MIXED)
    N = s.T @ M @ s.inverse
    X = N.conj().T @ N + 1j * (s.G @ N - N.conj().T @ s.G)
    assert np.linalg.eigvalsh(X)[-1] <= s.bound**2 * (1 + 1e-9)
    rng = np.random.default_rng(seed)
    for _ in range(200):  # no block of size 1/bound makes 1 - M Delta singular: its determinant keeps away from zero
        D = np.zeros((7, 7), dtype=complex)
        D[:2, :2] = rng.uniform(-1, 1) * np.eye(2)
        D[2:4, 2:4] = np.exp(2j * np.pi * rng.random()) * np.eye(2)
        full = rng.normal(size=(2, 2)) + 1j * rng.normal(size=(2, 2))
        D[4:6, 4:6] = full / np.linalg.norm(full, 2)
        D[6, 6] = rng.uniform(-1, 1)
        t = np.linspace(0, 0.999 / s.bound, 30)
        assert np.abs([np.linalg.det(np.eye(7) - x * M @ D) for x in t]).min() > 1e-9


def test_closed_forms_of_single_blocks() -> None:
    M = random_matrix(5, 3)
    assert mu(M, [DeltaBlock("f", 5, "full")]).upper == pytest.approx(np.linalg.norm(M, 2), rel=1e-9)
    radius = np.abs(np.linalg.eigvals(M)).max()
    one = mu(M, [DeltaBlock("c", 5, "complex")])
    assert one.upper == pytest.approx(radius, rel=1e-6) and one.lower == pytest.approx(radius, rel=1e-6)
    R = np.random.default_rng(0).normal(size=(5, 5))
    eigenvalues = np.linalg.eigvals(R)
    largest = np.abs(eigenvalues[np.abs(eigenvalues.imag) < 1e-12]).max()
    assert mu(R, [DeltaBlock("r", 5, "real")]).upper == pytest.approx(largest, rel=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_complex_scalars_equal_slycot_to_six_digits(seed: int) -> None:
    slycot = pytest.importorskip("slycot")
    M = random_matrix(6, seed)
    bounds = mu(M, [DeltaBlock(f"x{k}", 1, "complex") for k in range(6)])
    reference = slycot.ab13md(M.copy(order="F"), np.ones(6, dtype=int), 2 * np.ones(6, dtype=int))[0]
    assert bounds.upper == pytest.approx(reference, rel=2e-6)
    assert bounds.lower <= bounds.upper


def spike() -> LFT:
    """``x'' + (0.2 + 0.5 d) x' + x = 0``: unstable from ``d = -0.4``, seen at one frequency only."""
    M11 = np.array([[0.0, 1.0, 0.0], [-1.0, -0.2, -0.5], [0.0, 1.0, 0.0]])
    return LFT(
        M11, np.zeros((3, 1)), np.zeros((1, 3)), np.zeros((1, 1)), (DeltaBlock("1/s", 2, "state"), DeltaBlock("d", 1))
    )


def test_spike_is_rejected_below_and_accepted_above() -> None:
    below = robust_stability(spike(), level=2.49, seconds=20.0)
    assert not below.guaranteed and below.lower == pytest.approx(2.5, rel=1e-6)
    assert below.worst is not None and below.worst.values["d"] == pytest.approx(-0.4, rel=1e-6)
    assert below.worst.omega == pytest.approx(1.0, rel=1e-5)
    above = robust_stability(spike(), level=2.51, seconds=20.0)
    assert above.complete and above.upper == 2.51
    covered = sorted((i.low, i.high) for i in above.intervals)
    assert covered[0][0] == 0.0 and np.isinf(covered[-1][1])
    assert all(b[0] <= a[1] for a, b in pairwise(covered))


def test_distillation_column_of_skogestad() -> None:
    # Skogestad, Morari, Doyle (IEEE TAC 1988): with the inverse-based controller 0.7/s G^-1 of the column the loop at
    # its inputs is 0.7/(s + 0.7) in every direction, and the uncertainty of the inputs is 0.2 (5 s + 1)/(0.5 s + 1).
    s = control.tf("s")
    W = (5 * s + 1) / (s / 2 + 1) * 0.2
    T = 0.7 / (s + 0.7)
    loop = control.ss(control.minreal(-W * T, verbose=False))
    blocks = (DeltaBlock("u1", 1, "complex"), DeltaBlock("u2", 1, "complex"))
    parts = [np.kron(np.eye(2), np.array(getattr(loop, k))) for k in "ABCD"]
    n = parts[0].shape[0]
    M11 = np.block([[parts[0], parts[1]], [parts[2], parts[3]]])
    system = LFT(
        M11, np.zeros((n + 2, 1)), np.zeros((1, n + 2)), np.zeros((1, 1)), (DeltaBlock("1/s", n, "state"), *blocks)
    )
    found = robust_stability(system, seconds=20.0)
    assert found.complete
    assert found.upper == pytest.approx(0.53, abs=0.04)  # robust stability, printed 0.53
    assert found.lower <= found.upper


@pytest.mark.parametrize("count", [1000, pytest.param(5000, marks=pytest.mark.slow), pytest.param(100_000, marks=LONG)])
def test_random_samples_never_break_a_guaranteed_box(count: int) -> None:
    machine = floating_arm()
    ranges = {"theta1": (-0.8, 0.8)}
    model = uncertain(machine, ranges, inputs=machine.v_names)
    inertia = np.diag(model.mass_matrix(**model.values(theta1=0.0)))
    K = np.hstack([np.diag(0.3**2 * inertia), np.diag(2 * 0.7 * 0.3 * inertia)])
    found = guaranteed_ranges(model, K, seconds=15.0)
    assert found.complete, found.bounds[0].message
    rng = np.random.default_rng(0)
    closed = model.lft.feedback(K, model.lft.outputs, model.lft.inputs)
    for _ in range(count // 1000):
        angles = [{n: rng.uniform(*r) for n, r in found.ranges.items()} for _ in range(1000)]
        poles = np.linalg.eigvals([closed.close(model.normalised(**values)).without_error().M11 for values in angles])
        assert poles.real.max() < 0.0


CRANE_GAINS = [[31.6, -1.3, 26.9, -12.1]]


@pytest.mark.parametrize("count", [1000, pytest.param(5000, marks=pytest.mark.slow), pytest.param(100_000, marks=LONG)])
def test_no_sample_breaks_a_box_beyond_which_the_loop_is_unstable(count: int) -> None:
    model = uncertain_crane()
    found = guaranteed_ranges(model, CRANE_GAINS, seconds=20.0)
    assert found.complete and found.bounds[0].upper <= 1.15 * found.bounds[0].lower
    closed, rng = model.lft.feedback(CRANE_GAINS, model.lft.outputs, model.lft.inputs), np.random.default_rng(1)

    def slowest(size: float) -> float:
        edge = rng.choice([-1.0, 1.0, np.nan], size=(count, 2))  # corners and edges break first
        values = size * np.where(np.isnan(edge), rng.uniform(-1, 1, size=(count, 2)), edge)
        poles = [
            np.linalg.eigvals(closed.close(dict(zip(model.ranges, v, strict=True))).without_error().M11) for v in values
        ]
        return float(np.real(poles).max())

    assert slowest(1.0 / found.bounds[0].upper) < 0.0
    assert slowest(1.05 / found.bounds[0].lower) > 0.0
    low, high = (model.normalised(**{n: r[k] for n, r in found.ranges.items()}) for k in (0, 1))
    assert all(
        -x == pytest.approx(y) == pytest.approx(1.0 / found.bounds[0].upper)
        for x, y in zip(low.values(), high.values(), strict=True)
    )


def test_quantities_added_one_by_one_keep_what_the_first_leave() -> None:
    model = uncertain_crane()
    found = iterative_ranges(model, CRANE_GAINS, ["length", "payload"], seconds=20.0)
    assert found.complete and len(found.bounds) == 2
    factors = [max(1.0, b.upper) for b in found.bounds]
    high = model.normalised(**{n: r[1] for n, r in found.ranges.items()})
    assert high["length"] == pytest.approx(1.0 / np.prod(factors))
    assert high["payload"] == pytest.approx(1.0 / factors[1])
    inside = {n: tuple(model.normalised(**{n: x})[n] for x in r) for n, r in found.ranges.items()}
    closed = model.lft.feedback(CRANE_GAINS, model.lft.outputs, model.lft.inputs)
    assert robust_stability(closed.normalised(inside), level=1.001, seconds=20.0).complete
    with pytest.raises(InputError, match="twice"):
        iterative_ranges(model, CRANE_GAINS, ["payload", "payload"])
    with pytest.raises(LookupError, match="mass"):
        iterative_ranges(model, CRANE_GAINS, ["mass"])


def oscillator() -> LFT:
    """``x'' + (0.4 + 0.3 a + 0.1 b) x' + x = w``."""
    M11 = np.array([[0.0, 1.0, 0.0, 0.0], [-1.0, -0.4, -0.3, -0.1], [0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    M12, M21 = np.array([[0.0], [1.0], [0.0], [0.0]]), np.array([[1.0, 0.0, 0.0, 0.0]])
    blocks = (DeltaBlock("1/s", 2, "state"), DeltaBlock("a", 1), DeltaBlock("b", 1))
    return LFT(M11, M12, M21, np.zeros((1, 1)), blocks, ("w",), ("x",))


def test_ranges_of_performance_are_those_of_the_closed_form() -> None:
    # The gain 1 / (c sqrt(1 - c^2 / 4)) is 4 at c = 0.2520: 0.3 |a| + 0.1 |b| may be 0.1480.
    def left(gain: float) -> float:
        return 0.4 - float(np.sqrt(2.0 - np.sqrt(4.0 - 4.0 / gain**2)))

    loop = oscillator()
    model = UncertainMachine(loop, loop, {"a": (-1.0, 1.0), "b": (-1.0, 1.0)})
    asked = {"inputs": ["w"], "outputs": ["x"], "bound": 4.0, "seconds": 20.0}
    # What is tried is below 0.94 to 0.95 of one at some frequencies, and factors have steps of four or eight per cent.
    least = 0.94 * left(0.94 * 4.0) / 1.08
    once = guaranteed_ranges(model, loop, **asked)
    size = once.ranges["a"][1]
    assert once.complete and size == once.ranges["b"][1]
    assert least <= 0.4 * size <= left(4.0)
    steps = iterative_ranges(model, loop, ["b", "a"], **asked)
    a, b = steps.ranges["a"][1], steps.ranges["b"][1]
    assert steps.complete and steps.bounds[0].guaranteed  # b alone may take its whole range
    assert least <= 0.3 * a + 0.1 * b <= left(4.0)
    refused = guaranteed_ranges(model, loop, inputs=["w"], outputs=["x"], bound=2.0)
    assert not refused.complete and not refused.ranges and "middle of the ranges is 2.55" in refused.bounds[0].message
    other = UncertainMachine(loop, loop, {"a": (-1.0, 1.0)})
    with pytest.raises(LookupError, match="'b'"):
        guaranteed_ranges(other, loop)


def test_parts_are_proven_where_one_bound_is_not_enough() -> None:
    # x'' + (0.2 + 0.5 d) x' + x: half of the box is unstable, the rest can be proven part by part.
    found = proven_parts(spike(), seconds=40.0, each=5.0, smallest=1 / 4)
    assert 0.5 <= found.share <= 0.7
    assert found.unstable and all(u["d"] < -0.39 for u in found.unstable)


def test_performance_of_a_certain_loop_is_its_norm() -> None:
    system = system_lft(control.ss(control.tf([1], [1, 0.4, 1]), inputs=["w"], outputs=["z"]))
    found = robust_performance(system, ["w"], ["z"], seconds=20.0)
    peak = 1 / (0.4 * np.sqrt(1 - 0.04))
    assert found.complete and peak <= found.upper <= 1.1 * peak


def test_nothing_uncertain_and_unstable_middles() -> None:
    assert robust_stability(system_lft(control.tf([1], [1, 1]))).upper == 0.0
    found = robust_stability(system_lft(control.tf([1], [1, -1])) @ parameter("d"))
    assert np.isinf(found.upper) and "not stable" in found.message
    with pytest.raises(InputError, match="2 x 2"):
        mu(np.eye(3), [DeltaBlock("a", 2)])


def feasible(M: np.ndarray, blocks: list[DeltaBlock], bound: float) -> bool:
    """Whether ``M^H D M + j (G M - M^H G) <= bound^2 D`` has a solution, by an interior-point method."""
    cvxpy = pytest.importorskip("cvxpy")

    def diagonal(parts: list) -> object:
        rows = [[x if i == j else np.zeros((a.size, b.size)) for j, b in enumerate(blocks)] for i, (a, x) in parts]
        return cvxpy.bmat(rows)

    def hermitian(k: int) -> object:
        return cvxpy.Variable((k, k), hermitian=True) if k > 1 else cvxpy.Variable((1, 1))

    D = diagonal(list(enumerate((b, hermitian(b.size)) for b in blocks)))
    G = diagonal(
        list(enumerate((b, hermitian(b.size) if b.kind == "real" else np.zeros((b.size, b.size))) for b in blocks))
    )
    form = M.conj().T @ D @ M + 1j * (G @ M - M.conj().T @ G) - bound**2 * D
    problem = cvxpy.Problem(cvxpy.Minimize(0), [D >> np.eye(len(M)), (form + form.H) / 2 << 0])
    problem.solve(solver="CLARABEL")
    return problem.status == "optimal"


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)])
def test_scalings_are_the_best_of_linear_matrix_inequalities(seed: int) -> None:
    blocks = [DeltaBlock("r", 2), DeltaBlock("c", 1, "complex"), DeltaBlock("s", 1)]
    M = random_matrix(4, seed)
    bound = mu(M, blocks).upper
    assert feasible(M, blocks, 1.003 * bound) and not feasible(M, blocks, 0.997 * bound)


@pytest.mark.parametrize("seed", range(3))
def test_rank_one_is_exact(seed: int) -> None:
    # det(1 - u v^H Delta) = 1 - sum c_i d_i, c = conj(v) u: the least max |d| is a linear program.
    from scipy.optimize import linprog

    rng, n = np.random.default_rng(seed), 4
    u, v = rng.normal(size=(2, n)) + 1j * rng.normal(size=(2, n))
    c = v.conj() * u
    A = np.hstack([np.vstack([np.eye(n), -np.eye(n)]), -np.ones((2 * n, 1))])
    equal = np.array([[*c.real, 0.0], [*c.imag, 0.0]])
    program = linprog([0.0] * n + [1.0], A, np.zeros(2 * n), equal, [1.0, 0.0], bounds=[(None, None)] * (n + 1))
    bounds = mu(np.outer(u, v.conj()), [DeltaBlock(f"d{k}", 1) for k in range(n)])
    assert bounds.lower == pytest.approx(1.0 / program.fun, rel=1e-9)
    assert bounds.lower <= bounds.upper <= 1.005 * bounds.lower


@pytest.mark.parametrize("seed", [1, pytest.param(0, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)])
def test_lower_bound_of_mixed_blocks_is_shown_by_an_uncertainty(seed: int) -> None:
    blocks = [DeltaBlock("r", 2), DeltaBlock("s", 1), DeltaBlock("c", 1, "complex"), DeltaBlock("f", 2, "full")]
    M = random_matrix(6, seed)
    bounds = mu(M, blocks)
    assert 0.8 * bounds.upper < bounds.lower <= bounds.upper
    lower, delta = mixed_lower_bound(M, blocks)
    assert lower == pytest.approx(bounds.lower, rel=1e-9) and np.abs(delta).max() <= (1.0 + 1e-9) / lower
    real = np.repeat(delta, [2, 1])
    inner = M[3:, 3:] + M[3:, :3] @ np.diag(real) @ np.linalg.solve(np.eye(3) - M[:3, :3] @ np.diag(real), M[:3, 3:])
    rest = mu(inner, blocks[2:])  # with the real blocks there, the others need no more than 1 / lower
    assert rest.upper >= lower * (1.0 - 1e-6)


def test_skewed_value_scales_one_block_only() -> None:
    # M = [0 a; b 0] with scalars d (fixed) and f: d f a b = 1, so that |f| = 1 / |a b| whatever the size of both.
    M = np.array([[0.0, 3.0], [0.5, 0.0]])
    blocks = [DeltaBlock("d", 1), DeltaBlock("f", 1, "full")]
    found = skew_mu(M, blocks, ["d"])
    assert found.upper == pytest.approx(1.5, rel=1e-3) and found.lower == pytest.approx(1.5, rel=1e-3)
    assert mu(M, blocks).upper == pytest.approx(np.sqrt(1.5), rel=1e-4)
    assert np.isinf(skew_mu(np.diag([2.0, 1.0]), blocks, ["d"]).upper)
    with pytest.raises(InputError, match="not fixed"):
        skew_mu(M, blocks, ["d", "f"])


def test_worst_gain_over_a_box_is_that_of_the_worst_damping() -> None:
    # x'' + (0.4 + 0.2 d) x' + x = w: the gain is largest at d = -1, 1 / (0.2 sqrt(1 - 0.01)).
    M11 = np.array([[0.0, 1.0, 0.0], [-1.0, -0.4, -0.2], [0.0, 1.0, 0.0]])
    M12, M21 = np.array([[0.0], [1.0], [0.0]]), np.array([[1.0, 0.0, 0.0]])
    blocks = (DeltaBlock("1/s", 2, "state"), DeltaBlock("d", 1))
    loop = LFT(M11, M12, M21, np.zeros((1, 1)), blocks, ("w",), ("x",))
    peak = 1.0 / (0.2 * np.sqrt(1.0 - 0.01))
    found = worst_gain(loop, ["w"], ["x"], bound=1.2 * peak, seconds=20.0)
    assert found.lower == pytest.approx(peak, rel=1e-6) and found.values["d"] == pytest.approx(-1.0)
    assert found.complete and found.upper == 1.2 * peak
    assert not np.isfinite(worst_gain(loop, ["w"], ["x"], bound=5.0, seconds=20.0).upper)
    # robust_performance: min(1 / |d|, gain) where both are equal.
    performance = robust_performance(loop, ["w"], ["x"], level=4.0, seconds=20.0)
    d = 1.0 / performance.lower
    closed = 1.0 / ((0.4 - 0.2 * d) * np.sqrt(1.0 - (0.2 - 0.1 * d) ** 2))
    assert performance.lower == pytest.approx(closed, rel=1e-5) and performance.complete


def test_a_delay_of_known_length_is_tolerated_and_no_longer_one() -> None:
    # The loop 1 / s has a phase margin of 90 degrees at 1 rad/s: the longest delay is pi / 2 s.
    plant = system_lft(control.ss(control.tf([1], [1, 0]), inputs=["u"], outputs=["y"]))
    for longest, stable in ((0.5, True), (np.pi / 2 + 0.05, False)):
        late = plant @ neglected_delay("delay", longest)
        assert late.inputs == ("u",)
        found = robust_stability(late.feedback([[1.0]], ["y"], ["u"]), seconds=20.0)
        assert (found.complete and found.upper <= 1.0) == stable
        if not stable:
            assert found.lower > 1.0


def test_empty_still_and_badly_scaled_problems_end_with_an_answer() -> None:
    with pytest.raises(InputError, match="at least one block"):
        mu(np.zeros((0, 0)), [])
    blocks = [DeltaBlock("a", 1), DeltaBlock("b", 1, "complex")]
    assert mu(np.zeros((2, 2)), blocks).upper == 0.0
    assert mu(1e200 * np.eye(2), blocks).upper == pytest.approx(1e200)
    assert mu([[1.0, 1e10], [1e-10, 1.0]], blocks).upper == pytest.approx(2.0, rel=1e-6)
    still = LFT(np.diag([0.5, 0.2]), np.zeros((2, 1)), np.zeros((1, 2)), np.zeros((1, 1)), (DeltaBlock("d", 2),))
    found = robust_stability(still, seconds=5.0)
    assert found.complete and found.upper == pytest.approx(0.5, rel=1e-6) and found.lower == pytest.approx(0.5)
    # x' = -1e-9 x + d x: mu is 1e9 at rest, and falls below one at 1 rad/s.
    slow = LFT(
        np.array([[-1e-9, 1.0], [1.0, 0.0]]),
        np.zeros((2, 1)),
        np.zeros((1, 2)),
        np.zeros((1, 1)),
        (DeltaBlock("1/s", 1, "state"), DeltaBlock("d", 1)),
    )
    found = robust_stability(slow, seconds=10.0)
    assert found.complete and 1e9 <= found.upper <= 1.2e9
