"""Falls that end on more corners and feet than are needed, creeping: transitions and equations of motion agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.random_falls import assert_laws, dropped_quadruped, hinged_boxes, two_boxes

import dalembert as da
from dalembert.compile import find_toolchain
from dalembert.engine.unilateral.algebra import Cones, solve_cones
from dalembert.systems.legged import quadruped

SLOW = pytest.mark.slow
LONG = [SLOW, pytest.mark.long]
needs_compiler = pytest.mark.skipif(find_toolchain() is None, reason="a quadruped needs a C compiler")


def corners(points: np.ndarray) -> np.ndarray:
    """``W`` of corners of a free body of 1 kg and 1 kg m^2 about each axis."""
    rows = []
    for r in points:
        for way in np.eye(3)[[2, 0, 1]]:
            rows.append(np.concatenate([way, np.cross(r, way)]))
    A = np.array(rows)
    return np.asarray(A @ A.T)


def test_what_is_at_rest_shares_its_forces_whatever_else_opens() -> None:
    """Four corners carry the weight in equal parts, and so does friction, although a fifth pair is pulled away."""
    points = np.array([[1, 1, -1], [-1, 1, -1], [-1, -1, -1], [1, -1, -1], [0, 0, 1]], dtype=float)
    W, mu = corners(points), np.full(5, 0.5)
    b = np.tile([-9.81, 2.0, 0.0], 5)
    b[12:] = [3.0, 0.0, 0.0]
    found = solve_cones(Cones.of(W, b, mu))
    assert found.p[4] == pytest.approx(np.zeros(3), abs=1e-12)
    normal, tangent = found.p[:4, 0], found.p[:4, 1]
    assert normal.sum() == pytest.approx(9.81)
    # a push of 2 N at the ground tips the body: two corners carry more; all are equally compliant, and rub alike
    assert normal[0] == pytest.approx(normal[3])
    assert normal[1] == pytest.approx(normal[2])
    assert tangent == pytest.approx(np.full(4, tangent.mean()))


def test_a_pair_that_jams_may_be_carried_by_another() -> None:
    """By itself it has no forces; the push of another one parts it."""
    W = np.zeros((6, 6))
    W[:3, :3] = [[1.6, -1.2, 0.0], [-1.2, 3.4, 0.0], [0.0, 0.0, 1.0]]
    W[3, 3], W[0, 3], W[3, 0] = 2.0, 1.0, 1.0
    slip = np.array([[-1.0, 0.0], [np.nan, np.nan]])
    b = np.array([-1.0, 0.0, 0.0, -10.0, 0.0, 0.0])
    found = solve_cones(Cones.of(W, b, np.array([1.5, 0.0]), slip))
    assert found.p[0] == pytest.approx(np.zeros(3), abs=1e-12)
    assert found.p[1, 0] == pytest.approx(5.0)
    assert found.u[0, 0] == pytest.approx(4.0)


@pytest.mark.parametrize(
    "seed", [84, *(pytest.param(seed, marks=SLOW if seed < 25 else LONG) for seed in range(100) if seed != 84)]
)
def test_two_boxes(seed: int) -> None:
    machine, settings = two_boxes(seed)
    run = da.simulate(machine, duration=2.0, **settings)
    assert_laws(run, settings["p"]["mu"])


@pytest.mark.parametrize(
    ("seed", "duration"),
    [
        (23, 1.4),
        (73, 0.6),
        *(pytest.param(k, 2.0, marks=SLOW if k < 18 else LONG) for k in (*range(60), 73, 79, 89) if k not in (27, 46)),
        pytest.param(46, 0.65, marks=SLOW),
    ],
)
def test_hinged_boxes(seed: int, duration: float) -> None:
    """Seed 27 is left out: four of its corners are a few nanometres from lying on a plane, and events accumulate.

    Seed 46 has gaps of 3e-11 m where its twelve corners begin to act. Closing them adds more energy than its slips, at
    1e-6 m/s, have.
    """
    machine, settings = hinged_boxes(seed)
    run = da.simulate(machine, duration=duration, **settings)
    assert_laws(run, settings["p"]["mu"])


@needs_compiler
@pytest.mark.slow
def test_a_trunk_lifts_on_all_corners_at_once() -> None:
    """Limp legs that slide out press it up again: none of the four corners is left with a force that is rounding."""
    q0, _, mu = dropped_quadruped(12)
    machine = quadruped(friction=da.Parameter("mu", 0.7))
    run = da.simulate(machine, q0=q0, p={"mu": mu}, duration=0.36, record=0.02, method="dopri5")
    released = {event.name: event.t for event in run.events if event.name.endswith(".release")}
    corners = [f"trunk[{i}].release" for i in range(4)]
    assert np.ptp([released[name] for name in corners]) == 0.0
    assert max(sum(event.name == name for event in run.events) for name in corners) <= 2
    assert_laws(run, mu)


@needs_compiler
@SLOW
@pytest.mark.parametrize(("seed", "duration"), [(8, 0.33), (4, 0.46)])
def test_limp_legs_beyond_a_jam_are_what_time_steps_converge_to(seed: int, duration: float) -> None:
    """Events were refused at 0.321752 s and 0.451823 s."""
    q0, v0, mu = dropped_quadruped(seed)
    machine = quadruped(friction=da.Parameter("mu", 0.7))
    settings: dict[str, Any] = {"q0": q0, "v0": v0, "p": {"mu": mu}, "duration": duration, "record": duration}
    exact = da.simulate(machine, method="dopri5", **settings).x[-1, :3]
    steps = (2e-4, 1e-4, 5e-5, 2.5e-5)
    runs = [da.simulate(machine, contact="time-stepping", step=step, **settings) for step in steps]
    errors = [np.linalg.norm(run.x[-1, :3] - exact) for run in runs]
    assert errors[-1] < 1e-4
    assert errors[-1] < 0.3 * errors[0]  # order 1: an eighth, on average over where impacts lie in a step


@needs_compiler
@pytest.mark.parametrize("seed", [9, *(pytest.param(seed, marks=SLOW) for seed in range(9))])
def test_a_quadruped_with_limp_legs(seed: int) -> None:
    q0, v0, mu = dropped_quadruped(seed)
    machine = quadruped(friction=da.Parameter("mu", 0.7))
    settings = {"q0": q0, "v0": v0, "p": {"mu": mu}, "method": "dopri5", "rtol": 1e-9, "record": 0.02}
    run = da.simulate(machine, duration=0.35 if seed == 9 else 1.0, **settings)
    assert_laws(run, mu)
