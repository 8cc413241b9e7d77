"""The elastic catenary against published numbers, equilibrium of its pieces and differences."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
import pytest

from dalembert.analysis import Catenary, catenary
from dalembert.core.errors import InputError
from dalembert.model.ropes.catenary import pull

A = {"length": 106.0, "weight": 20.601, "stiffness": 2.8e7}


def example(end: tuple[float, float, float] = (100.0, 0.0, 30.0), **changes: float) -> Catenary:
    return catenary((0.0, 0.0, 0.0), end, **{**A, **changes})


def test_reference_cables() -> None:
    cable = example()
    assert (cable.horizontal, cable.vertical) == pytest.approx((3252.32209147, 2099.94442675), rel=1e-11)
    assert cable.tensions[0] == pytest.approx(3253.400527, rel=1e-9)
    K = cable.stiffness_matrix
    assert (K[0, 0], K[0, 2], K[2, 2]) == pytest.approx((1007.921393, 283.0287604, 115.7287697), rel=1e-9)
    taut = example(length=104.2)
    assert (taut.horizontal, taut.vertical) == pytest.approx((53763.7893297, 17204.4104818), rel=1e-9)
    rigid = example(stiffness=math.inf)
    assert (rigid.horizontal, rigid.vertical) == pytest.approx((3265.94887487, 2103.91107163), rel=1e-11)
    assert cable.frequency == pytest.approx(0.19, abs=0.01)


def test_pieces_are_in_equilibrium() -> None:
    """Elements between its points pull with EA times their strain; at each point they carry the weight."""
    rng = np.random.default_rng(4)
    for _ in range(10):
        start, end = rng.uniform(-20, 20, 3), rng.uniform(-20, 20, 3)
        chord = float(np.linalg.norm(end - start))
        L, w, EA = chord * rng.uniform(1.001, 1.3), 10 ** rng.uniform(0.5, 2), 10 ** rng.uniform(4.5, 5.5)
        cable = catenary(start, end, L, w, stiffness=EA)
        n = 1001
        points = cable.points(n)
        np.testing.assert_allclose(points[[0, -1]], [start, end], atol=1e-7)
        pieces = np.diff(points, axis=0)
        size, rest = np.linalg.norm(pieces, axis=1), L / (n - 1)
        tension = (EA * (size / rest - 1.0) / size)[:, None] * pieces
        load = np.diff(tension, axis=0)
        np.testing.assert_allclose(load[:, 2], w * rest, rtol=2e-2)
        at_start, at_end = cable.forces
        np.testing.assert_allclose(at_start + at_end, [0.0, 0.0, -w * L], atol=1e-6 * w * L)
        np.testing.assert_allclose(tension[0], at_start, atol=2e-3 * np.linalg.norm(at_end))
        assert cable.sag > 0.0


def test_stiffness_is_the_derivative_of_the_pull() -> None:
    end, step = np.array([60.0, -25.0, 12.0]), 1e-4
    cable = catenary((1.0, 2.0, 3.0), end, 70.0, 15.0, stiffness=1e6)
    for axis in range(3):
        sides = []
        for sign in (1.0, -1.0):
            moved = end + sign * step * np.eye(3)[axis]
            sides.append(-catenary((1.0, 2.0, 3.0), moved, 70.0, 15.0, stiffness=1e6).forces[1])
        np.testing.assert_allclose(
            (sides[0] - sides[1]) / (2 * step), cable.stiffness_matrix[:, axis], rtol=1e-5, atol=1e-4
        )


def test_random_cables_are_found() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        l, h = 10 ** rng.uniform(-1, 3), rng.uniform(-2, 2) * 10 ** rng.uniform(-1, 2.5)
        L = math.hypot(l, h) * rng.choice([rng.uniform(0.98, 1.0), rng.uniform(1.0001, 1.01), rng.uniform(1.01, 3)])
        cable = catenary((0, 0, 0), (l, 0, h), L, 10 ** rng.uniform(-1, 2), stiffness=10 ** rng.uniform(5, 8))
        np.testing.assert_allclose(cable.points(3)[-1], (l, 0, h), atol=2e-9 * max(L, l))


def test_light_cables_that_are_taut_are_straight() -> None:
    """Their weight is 1e-8 of their tension and less: differences of nearly equal numbers must not be seen."""
    l, h, L, w, EA = (ca.SX.sym(name) for name in ("l", "h", "L", "w", "EA"))
    solved = ca.Function("solved", [l, h, L, w, EA], list(pull(l, h, L, w, EA)))
    rng = np.random.default_rng(3)
    for _ in range(200):
        x, z = 10 ** rng.uniform(-2, 1), rng.uniform(-1, 1) * 10 ** rng.uniform(-2, 1)
        chord, stiffness = math.hypot(x, z), 10 ** rng.uniform(6, 9)
        length, weight = chord / (1 + rng.uniform(0.001, 0.02)), 10 ** rng.uniform(-3, -1)
        tension = stiffness * (chord / length - 1)
        cable = catenary((0, 0, 0), (x, 0, z), length, weight, stiffness=stiffness)
        assert cable.tensions[1] == pytest.approx(tension, rel=1e-8, abs=2 * weight * length)
        _, H, V, missed = (float(value) for value in solved(x, z, length, weight, stiffness))
        assert missed < 1e-12 and math.hypot(H, V) == pytest.approx(tension, rel=1e-8, abs=2 * weight * length)


def test_refusals() -> None:
    with pytest.raises(InputError, match="must not lie on a vertical line"):
        example(end=(0.0, 0.0, 30.0))
    with pytest.raises(InputError, match="is too short for a distance"):
        example(length=100.0, stiffness=math.inf)
    with pytest.raises(InputError, match="weight of a catenary must be > 0"):
        example(weight=0.0)
    with pytest.raises(InputError, match="three finite numbers"):
        catenary((0, 0), (1, 0, 0), 2.0, 1.0)
