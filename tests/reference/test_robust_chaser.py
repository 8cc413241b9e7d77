"""The chaser of the study `robust-control`: its uncertain loops against the equations of motion."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.control.mu import iterative_ranges
from dalembert.studies.robust_control.chaser import (
    DAMPING,
    LIMITS,
    PRINTED_RANGES,
    RATE,
    as_complex,
    closed_loop,
    one_by_one,
    performance_loop,
    printed_gains,
    printed_inside,
    ranges_at,
)
from dalembert.studies.robust_control.chaser import model as chaser_model
from dalembert.studies.robust_control.peaks import printed_system
from dalembert.studies.robust_control.synthesis import mass_matrix, plant


@pytest.mark.parametrize("tangent", ["half", "quarter"])
def test_performance_loop_is_the_weighted_sensitivity(tangent: str) -> None:
    """``z = (s^2 + 2 xi w s + w^2) (s^2 + M^-1 (Kd s + Kp))^-1 w``, SPACE (8.11), at random configurations."""
    u, loop = chaser_model(tangent), performance_loop(tangent)
    Kp, Kd = np.hsplit(printed_gains(tangent), 2)
    w = RATE * np.array([1.0] * 6 + [10.0] * 6)
    rng = np.random.default_rng(0)
    for s in (0.02j, 0.7j, 5j):
        angles = {n: float(rng.uniform(*span)) for n, span in u.ranges.items()}
        M = mass_matrix([*angles.values(), 0.0], "printed")
        inner = s**2 * np.eye(12) + np.linalg.solve(M, Kd * s + Kp)
        expected = np.diag(s**2 + 2 * DAMPING * w * s + w**2) @ np.linalg.inv(inner)
        found = loop.at(**u.normalised(**angles))(s)
        assert np.abs(found - expected).max() <= 1e-8 * np.abs(expected).max()


def test_plant_of_the_synthesis_is_that_of_the_linear_equations() -> None:
    P, M = plant("q2", "rigid"), mass_matrix((2.21, 0.81, 1.27, 1.64, 2.83, 1.25), "rigid")
    s = 0.3j
    rows = [P.output_labels.index(f"x{k}") for k in range(12)]
    columns = [P.input_labels.index(f"f{k}") for k in range(12)]
    assert np.allclose(P(s)[np.ix_(rows, columns)], np.linalg.inv(M) / s**2, rtol=1e-9)


def test_complex_blocks_and_printed_ranges() -> None:
    loop = as_complex(closed_loop("half"))
    assert {b.kind for b in loop.blocks} == {"state", "complex", "error"}
    assert (
        printed_inside(ranges_at(1.39), PRINTED_RANGES["half", "at once"]) == 5
    )  # the rule of the errata, to the printed degree
    assert printed_inside(ranges_at(2.0), PRINTED_RANGES["half", "at once"]) < 5
    assert printed_inside({n: tuple(np.radians(r)) for n, r in LIMITS.items()}, PRINTED_RANGES["half", "1 to 5"]) == 5


@pytest.mark.slow
def test_the_fifth_joint_keeps_its_whole_range_in_the_quarter_tangent() -> None:
    """The first step of SPACE 8.3.3 from the fifth joint: sixteen repetitions of one angle."""
    u = chaser_model("quarter")
    found = iterative_ranges(u, printed_gains("quarter"), ["theta5"], seconds=60.0)
    assert found.complete and found.ranges["theta5"] == pytest.approx(u.ranges["theta5"])
    assert len(found.bounds[0].intervals) < 100  # thousands where an interval is cut before its scalings end


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("order", ["1 to 5", "5 to 1"])
def test_random_samples_stay_stable_within_ranges_of_the_quarter_tangent(order: str) -> None:
    found = one_by_one(order, "quarter")
    assert found.complete and len(found.bounds) == 5
    assert printed_inside(found.ranges, PRINTED_RANGES["quarter", order]) == 5
    u, loop, rng = chaser_model("quarter"), closed_loop("quarter"), np.random.default_rng(0)
    for _ in range(1000):
        angles = {n: rng.choice([*span, rng.uniform(*span)]) for n, span in found.ranges.items()}
        assert np.linalg.eigvals(loop.close(u.normalised(**angles)).without_error().M11).real.max() < 0.0


def test_system_of_all_accelerations_is_weighted_as_the_document_says() -> None:
    A, B, C, D = printed_system(np.array([0.3, 1.0, 0.7, -0.4, 0.2, 0.0]))
    n = len(A) // 2
    assert n == 24 and np.linalg.eigvals(A).real.max() < 0.0
    # z = a + 2 xi w v + w^2 x with a = w + A [x; v]: the response at a frequency from the definition.
    s = 2.0j
    x = np.linalg.solve(s * np.eye(2 * n) - A, B.astype(complex))
    a = s * x[n:]
    rows = [0, 5, 6]
    weights = RATE * np.array([1.0, 1.0, 10.0])
    z = a[rows] + 2 * DAMPING * weights[:, None] * x[n:][rows] + weights[:, None] ** 2 * x[:n][rows]
    assert np.allclose((C @ x + D)[rows], z, rtol=1e-9, atol=1e-9)
