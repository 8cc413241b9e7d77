"""Forces that are not unique: those of equal, small compliance of all contacts, in both ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.engine.stepping.native import solve_cone
from dalembert.engine.unilateral.algebra import Cones, solve_cones
from dalembert.systems.contacts import gripper

WAYS: dict[str, dict[str, Any]] = {
    "time-stepping": {"step": 1e-3},
    "event-driven": {"method": "dopri5", "rtol": 1e-9, "atol": 1e-11},
}
HOLDS = 0.5 * 9.81 / (2 * 0.4)  # the least force of the fingers


def body_rows(points: np.ndarray, ways: np.ndarray) -> np.ndarray:
    """Rows (normal and two tangents of each point) of a free body of 1 kg and 1 kg m^2 about each axis."""
    return np.array([np.concatenate([way, np.cross(r, way)]) for r, w in zip(points, ways, strict=True) for way in w])


FLAT = np.eye(3)[[2, 0, 1]]


# -- the rule --------------------------------------------------------------------------------------------------------


def springs(J: np.ndarray, load: np.ndarray, mu: float, stiffness: float = 1e3) -> np.ndarray:
    """Forces of a body that comes to rest on springs: each contact has the same one along its normal and its tangents.

    Those along the tangents slide at Coulomb's limit. Explicit steps of the damped motion from the unstressed state.
    """
    x, v, k = np.zeros(6), np.zeros(6), len(J) // 3
    anchor, h, force = np.zeros((k, 2)), 2e-3, np.zeros((k, 3))
    for step in range(4000):
        u = (J @ x).reshape(k, 3)
        normal = np.maximum(0.0, -stiffness * u[:, 0])
        push = -stiffness * (u[:, 1:] - anchor)
        size = np.linalg.norm(push, axis=1)
        part = np.minimum(1.0, mu * normal / np.maximum(size, 1e-300))[:, None]
        anchor = u[:, 1:] + part * push / stiffness
        force = np.column_stack([normal, part * push])
        v += h * (min(1.0, step / 2500) * load + J.T @ force.ravel() - 60.0 * v)
        x += h * v
    return force


@pytest.mark.parametrize("seed", range(3))
def test_the_rule_is_the_limit_of_equal_springs(seed: int) -> None:
    """Five corners carry a body that is pressed down and pushed aside; some are at the limit of friction, none slip."""
    rng = np.random.default_rng(seed)
    points = np.column_stack([rng.uniform(-1.0, 1.0, (5, 2)), np.full(5, -0.3)])
    points[:4, :2] = [[1, 1], [-1, 1], [-1, -1], [1, -1]]
    J, mu = body_rows(points, np.array([FLAT] * 5)), 0.45
    load = np.array([rng.uniform(-3, 3), rng.uniform(-1, 1), -10.0, 0.3, -0.4, rng.uniform(-0.6, 0.6)])
    expected = springs(J, load, mu)
    W, b = J @ J.T, J @ load
    for forces in (solve_cone(W, b, np.full(5, mu)).impulses, solve_cones(Cones.of(W, b, np.full(5, mu))).p):
        assert forces == pytest.approx(expected, abs=2e-3 * expected.max())
    assert solve_cone(W, b, np.full(5, mu)).undetermined == 9


def test_least_norm_where_all_stick() -> None:
    rng = np.random.default_rng(7)
    points = np.column_stack([rng.uniform(-1.0, 1.0, (6, 2)), np.zeros(6)])
    J = body_rows(points, np.array([FLAT] * 6))
    load = np.array([0.2, 0.1, -10.0, 0.0, 0.0, 0.05])
    load[3:] += np.cross(points.mean(axis=0), load[:3])
    expected = np.linalg.lstsq(J.T, -load, rcond=None)[0].reshape(6, 3)
    W, b = J @ J.T, J @ load
    assert solve_cone(W, b, np.full(6, 0.5)).impulses == pytest.approx(expected, abs=1e-8)
    assert solve_cones(Cones.of(W, b, np.full(6, 0.5))).p == pytest.approx(expected, abs=1e-8)


def test_forces_do_not_depend_on_the_order_nor_on_the_start() -> None:
    """Random supports with slips and openings: both solvers, permuted and from other starts, find the same forces."""
    rng, apart = np.random.default_rng(3), []
    for _ in range(30):
        k = int(rng.integers(3, 7))
        points = np.column_stack([rng.uniform(-1.0, 1.0, (k, 2)), np.full(k, -0.5)])
        J, mu = body_rows(points, np.array([FLAT] * k)), np.full(k, float(rng.uniform(0.1, 0.8)))
        W, b = J @ J.T, J @ np.append(rng.normal(size=2) * 4, [-10.0, *rng.normal(size=3)])
        one = solve_cone(W, b, mu).impulses
        order = rng.permutation(k)
        rows = (3 * order[:, None] + np.arange(3)).ravel()
        guess = np.abs(rng.normal(size=3 * k))
        other = solve_cone(W[np.ix_(rows, rows)], b[rows], mu, guess=guess).impulses
        assert other == pytest.approx(one[order], abs=1e-7 * one.max())
        apart.append(np.abs(solve_cones(Cones.of(W, b, mu)).p - one).max() / one.max())
    assert max(apart) < 1e-3  # where its Newton method finds nothing at small compliance
    assert np.median(apart) < 1e-9


def test_mirrored_problems_have_mirrored_forces() -> None:
    """Random scenes that a plane maps onto themselves: forces of the images are images to 1e-9."""
    rng = np.random.default_rng(11)
    for _ in range(60):
        half = int(rng.integers(2, 4))
        right = np.column_stack([rng.uniform(-1, 1, half), rng.uniform(0.2, 1, half), np.full(half, -0.5)])
        points = np.concatenate([right, right * [1, -1, 1]])
        J, mu = body_rows(points, np.array([FLAT] * 2 * half)), np.full(2 * half, float(rng.uniform(0.05, 0.9)))
        load = np.array([rng.normal() * 5, 0.0, -10.0, 0.0, rng.normal(), 0.0])
        W, b = J @ J.T, J @ load
        for p in (solve_cone(W, b, mu).impulses, solve_cones(Cones.of(W, b, mu)).p):
            assert p[half:] == pytest.approx(p[:half] * [1, 1, -1], abs=1e-9 * p.max())


# -- machines --------------------------------------------------------------------------------------------------------


def turned(run: da.Run) -> float:
    return float(np.degrees(2.0 * np.arccos(np.clip(abs(run["base.qw"][-1]), 0.0, 1.0))))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("part", [0.6, 0.7, 0.8, 0.9, 1.02, 1.05])
def test_a_gripper_lets_a_cube_fall_straight_or_holds_it(way: str, part: float) -> None:
    """Eight corners, of which each carries an eighth: z = -g t^2 (1 - part) / 2, no turning; from 1 on it is held."""
    run = da.simulate(gripper(), duration=0.3, p={"F": part * HOLDS}, contact=way, record=0.1, **WAYS[way])
    expected = -0.5 * 9.81 * max(0.0, 1.0 - part) * 0.3**2
    assert run["base.z"][-1] == pytest.approx(expected, abs=1e-9)
    assert turned(run) < 1e-6
    for k in range(8):
        assert run[f"force.corner{k}.normal"][-1] == pytest.approx(part * HOLDS / 4, rel=1e-6)
    assert run["contact.undetermined"][-1] > 0
    assert "not unique" in repr(run)


def test_the_table_of_the_gripper() -> None:
    run = da.simulate(gripper(), duration=0.3, p={"F": 0.6 * HOLDS}, contact="time-stepping", step=1e-3)
    assert run["base.z"][-1] == pytest.approx(-0.1766, abs=5e-5)
    assert run["contact.residual"].max() < 1e-8


@pytest.mark.parametrize("angle", [pytest.param(10.0, marks=pytest.mark.slow), 45.0])
def test_a_ball_in_a_groove_is_the_same_in_both_ways(angle: float) -> None:
    a, r = np.radians(angle), 0.1
    sides = [
        da.Contact(name, "ball", da.Sphere(r), surface=da.HalfSpace((0, way * np.cos(a), np.sin(a))), friction=0.3)
        for name, way in (("one", 1), ("two", -1))
    ]
    groove = da.Machine(
        "groove", [da.sphere("ball", 1.0, r)], [da.Joint("base", "free", "world", "ball")], contacts=sides
    )
    # both rub at their limit: compliance along the tangents takes more than friction can give
    normal = 9.81 / (2.0 * (np.sin(a) + 0.3 * np.cos(a)))
    for way, settings in WAYS.items():
        run = da.simulate(groove, duration=0.1, q0={"base.z": r / np.sin(a)}, contact=way, record=0.05, **settings)
        for name in ("one", "two"):
            assert run[f"force.{name}.normal"][-1] == pytest.approx(normal, rel=1e-8)
        assert run["contact.undetermined"][-1] == 1


def test_lanes_follow_the_rule() -> None:
    """Members that need it leave their lane for a step: the same states as a single run."""
    settings: dict[str, Any] = {"duration": 0.1, "contact": "time-stepping", "step": 1e-3}
    forces = np.array([0.6, 0.9, 1.05]) * HOLDS
    many = da.rollout(gripper(), vary={"F": forces}, **settings)
    for k, force in enumerate(forces):
        alone = da.simulate(gripper(), p={"F": force}, record=0.1, **settings)
        assert many.final[k] == pytest.approx(alone.x[-1], abs=1e-10)


def test_supports_that_are_determined_are_not_flagged() -> None:
    """Three legs without friction carry a table in one way only."""
    legs = [da.Contact(f"leg{k}", "top", origin=(x, y, 0.0)) for k, (x, y) in enumerate([(1, 0), (-1, 1), (-1, -1)])]
    table = da.Machine(
        "table", [da.box("top", 3.0, (2, 2, 0.1))], [da.Joint("base", "free", "world", "top")], contacts=legs
    )
    for way, settings in WAYS.items():
        run = da.simulate(table, duration=0.05, contact=way, record=0.05, **settings)
        assert run["contact.undetermined"].max() == 0
        assert run["force.leg0.normal"][-1] == pytest.approx(3.0 * 9.81 / 2, rel=1e-9)
