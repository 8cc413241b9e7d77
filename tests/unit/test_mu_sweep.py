"""Proofs over all frequencies: intervals against brute force, whatever the scale of time, matrix and uncertainty."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.control.mu import robust_performance, robust_stability, worst_gain
from dalembert.control.mu.scalings import largest, upper_bound
from dalembert.control.mu.sweep import ExpandedResponse, proven_ends, sweep
from dalembert.control.uncertain import LFT, DeltaBlock
from dalembert.core.errors import InputError

Parts = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def random_parts(rng: np.random.Generator, slow: float = 0.0) -> tuple[Parts, tuple[DeltaBlock, ...]]:
    """A stable system and blocks; its slowest pole decays with ``10^slow`` to 1 per second."""
    n, count = int(rng.integers(1, 8)), int(rng.integers(1, 4))
    kinds = rng.choice(["real", "real", "complex", "full"], size=count)
    blocks = tuple(DeltaBlock(f"b{k}", int(rng.integers(1, 4)), str(kind)) for k, kind in enumerate(kinds))
    m = sum(b.size for b in blocks)
    A = rng.normal(size=(n, n))
    A -= (np.linalg.eigvals(A).real.max() + 10.0 ** rng.uniform(slow, 0.0)) * np.eye(n)
    direct = rng.normal(size=(m, m)) * rng.choice([0.0, 0.1, 0.5])
    return (A, rng.normal(size=(n, m)), rng.normal(size=(m, n)), direct), blocks


def as_loop(parts: Parts, blocks: tuple[DeltaBlock, ...]) -> LFT:
    A, B, C, D = parts
    n, m = B.shape
    states = DeltaBlock("1/s", n, "state")
    return LFT(
        np.block([[A, B], [C, D]]), np.zeros((n + m, 1)), np.zeros((1, n + m)), np.zeros((1, 1)), (states, *blocks)
    )


def random_delta(rng: np.random.Generator, blocks: tuple[DeltaBlock, ...]) -> np.ndarray:
    """An uncertainty of size one."""
    m = sum(b.size for b in blocks)
    delta, at = np.zeros((m, m), dtype=complex), 0
    for b in blocks:
        if b.kind == "real":
            value = rng.choice([-1.0, 1.0, rng.uniform(-1, 1)]) * np.eye(b.size)
        elif b.kind == "complex":
            value = np.exp(2j * np.pi * rng.uniform()) * np.eye(b.size)
        else:
            U, _, V = np.linalg.svd(rng.normal(size=(b.size, b.size)) + 1j * rng.normal(size=(b.size, b.size)))
            value = U @ V
        delta[at : at + b.size, at : at + b.size] = value
        at += b.size
    return delta


@pytest.mark.parametrize("seed", range(12))
def test_an_interval_ends_where_its_scalings_end(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts, blocks = random_parts(rng)
    response = ExpandedResponse(parts, sum(b.size for b in blocks))
    w0 = float(rng.choice([0.0, 0.3, 2.0]))
    size = float(np.linalg.norm(response.at(w0), 2))
    s = upper_bound(response.at(w0), blocks, target=0.6 * size, rounds=2)
    level = 1.1 * max(s.bound, 0.1 * size)
    ends = proven_ends(response.about(w0), s, level)
    assert ends is not None

    def form(w: float) -> float:
        return largest(s.T @ response.at(w) @ s.inverse, s.G) / level**2

    for u, side in zip(ends, (1.0, -1.0), strict=True):
        reach = 1.0 / u
        inside = np.concatenate([np.linspace(0.0, 1.0, 400), 1.0 - np.geomspace(1e-6, 1.0, 100)]) * (1.0 - 1e-6) * reach
        assert max(form(w0 + side * d) for d in inside) < 1.0
        if reach < 1e3:  # not without an end: there the form passes one
            assert max(form(w0 + side * (1.0 + d) * reach) for d in np.geomspace(1e-7, 1e-3, 20)) > 1.0 - 1e-4


def spike(rate: float) -> LFT:
    """``x'' + rate (0.2 + 0.5 d) x' + rate^2 x = 0``: mu is 2.5 at the frequency ``rate`` and zero at all others."""
    M11 = np.array([[0.0, 1.0, 0.0], [-(rate**2), -0.2 * rate, -0.5 * rate], [0.0, 1.0, 0.0]])
    blocks = (DeltaBlock("1/s", 2, "state"), DeltaBlock("d", 1))
    return LFT(M11, np.zeros((3, 1)), np.zeros((1, 3)), np.zeros((1, 1)), blocks)


@pytest.mark.parametrize("rate", [1e-6, 1e-3, 1.0, 1e6])
def test_a_spike_is_seen_whatever_the_scale_of_time(rate: float) -> None:
    (A, B, C, D), blocks = spike(rate).state_space()
    system = (A, B[:, :1], C[:1], D[:1, :1])
    below = sweep(system, blocks, 2.49, seconds=20.0)  # without the help of values that destabilise
    assert not below.complete
    assert not any(i.low <= rate <= i.high for i in below.intervals)
    above = sweep(system, blocks, 2.51, seconds=20.0)
    assert above.complete and len(above.intervals) < 100


@pytest.mark.parametrize(
    "seed",
    [*range(8), *(pytest.param(k, marks=[pytest.mark.slow, pytest.mark.long][: 1 + (k > 24)]) for k in range(8, 80))],
)
def test_random_loops_keep_what_is_proven(seed: int) -> None:
    """Slowest poles down to 1e-6 1/s, so that bounds are up to 1e6 and matrices nearly of rank one."""
    rng = np.random.default_rng(seed)
    parts, blocks = random_parts(rng, slow=-6.0)
    found = robust_stability(as_loop(parts, blocks), seconds=40.0)
    assert found.complete, found.message
    assert found.lower <= found.upper * (1.0 + 1e-9)
    if {b.kind for b in blocks} != {"real"}:
        assert found.upper <= 3.0 * found.lower
    A, B, C, D = parts
    for _ in range(100):
        delta = random_delta(rng, blocks) * (1.0 - 1e-6) / found.upper
        closed = A + B @ delta @ np.linalg.solve(np.eye(len(delta)) - D @ delta, C.astype(complex))
        assert np.linalg.eigvals(closed).real.max() < 1e-12 * np.abs(A).max()


@pytest.mark.parametrize("seed", range(6))
def test_bounds_of_nearly_singular_matrices_are_below_their_norm(seed: int) -> None:
    # Balancing such a matrix has no limit: it must not be followed to where numbers overflow.
    rng = np.random.default_rng(seed)
    column, row, rest = rng.normal(size=(3, 6, 2)) @ [1.0, 1j]
    M = 1e5 * np.outer(column, row) + np.diag(rest)
    blocks = [DeltaBlock("a", 3, "complex"), DeltaBlock("b", 2), DeltaBlock("c", 1)]
    bound = upper_bound(M, blocks).bound
    assert np.abs(np.linalg.eigvals(M[:3, :3])).max() * (1.0 - 1e-9) <= bound <= np.linalg.norm(M, 2)


def test_bounds_do_not_depend_on_the_unit_of_the_uncertainty() -> None:
    rng = np.random.default_rng(3)
    M = rng.normal(size=(5, 5)) + 1j * rng.normal(size=(5, 5))
    blocks = [DeltaBlock("a", 2), DeltaBlock("b", 3)]
    here = upper_bound(M, blocks).bound
    for unit in (1e-6, 1e6):
        assert upper_bound(unit * M, blocks).bound == pytest.approx(unit * here, rel=1e-3)


def test_scalings_of_one_sweep_serve_the_next() -> None:
    rng = np.random.default_rng(2)
    parts, blocks = random_parts(rng)
    known: dict = {}
    level = 1.3 * robust_stability(as_loop(parts, blocks), seconds=10.0).upper
    first = sweep(parts, blocks, level, known=known)
    again = sweep(parts, blocks, 1.1 * level, known=known)
    assert first.complete and again.complete and first.solves > 0 and again.solves == 0


def test_no_time_is_an_answer_too() -> None:
    parts, blocks = random_parts(np.random.default_rng(4))
    loop = as_loop(parts, blocks)
    found = robust_stability(loop, level=1e6, seconds=0.0)
    assert not found.complete and np.isinf(found.upper) and "time limit" in found.message
    M11 = np.array([[-1.0, 1.0], [1.0, 0.0]])
    ends = np.array([[1.0], [0.0]]), np.array([[1.0, 0.0]])
    blocks = (DeltaBlock("1/s", 1, "state"), DeltaBlock("d", 1))
    gain = LFT(M11, *ends, np.zeros((1, 1)), blocks, ("w",), ("z",))
    assert not robust_performance(gain, ["w"], ["z"], seconds=0.0).complete
    assert not worst_gain(gain.normalised({"d": (-0.5, 0.5)}), ["w"], ["z"], seconds=0.0).complete


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_levels_and_bounds_are_positive_numbers(value: float) -> None:
    loop = spike(1.0)
    with pytest.raises(InputError, match="level"):
        robust_stability(loop, level=value)
    with pytest.raises(InputError, match="enough"):
        robust_stability(loop, enough=value)
    gain = LFT(loop.M11, np.ones((3, 1)), np.ones((1, 3)), np.zeros((1, 1)), loop.blocks, ("w",), ("z",))
    for prove in (robust_performance, worst_gain):
        with pytest.raises(InputError, match="bound"):
            prove(gain, ["w"], ["z"], bound=value)
