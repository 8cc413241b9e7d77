"""Optimal capture: optimal times and costs against direct minimisation, optimality of the path, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.plan import CapturePlan, PlanError, plan_capture
from dalembert.systems.space_robots import tumbling_debris

DEBRIS = tumbling_debris((-0.15, 0.05, -0.08), quaternion=(np.cos(0.5), 0, 0, -np.sin(0.5)))
HAND = [[5.0, 2.0, -1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
MOVING = [[5.0, 2.0, -1.0], [0.2, -0.1, 0.3], [0.05, 0.0, -0.1]]


def cost(plan: CapturePlan, bump: Any = None) -> float:
    """The criterion by quadrature, of the path and a change ``bump(t, k)`` of its derivative ``k``."""
    x, w = np.polynomial.legendre.leggauss(120)
    t, w = plan.duration * (x + 1) / 2, w * plan.duration / 2
    u, less = (plan.derivative(t, k) + (0.0 if bump is None else bump(t, k)) for k in (plan.order, plan.order - 1))
    return float(w @ (1 + plan.weight * np.sum(u**2, -1) + plan.extra * np.sum(less**2, -1)))


@pytest.mark.parametrize(
    ("match", "extra", "duration", "value"),
    [
        ("position", 0.0, 3.276670, 7.366194),
        ("velocity", 1.0, 5.048616, 9.779156),
        ("acceleration", 1.0, 6.401715, 8.031188),
        ("velocity", 0.0, 4.601380, 6.095659),
        ("acceleration", 0.0, 5.960843, 7.167721),
    ],
)
def test_reference_times_and_costs(match: str, extra: float, duration: float, value: float) -> None:
    plan = plan_capture(DEBRIS.target, HAND, match=match, extra=extra)
    assert plan.duration == pytest.approx(duration, abs=5e-7)
    assert plan.cost == pytest.approx(value, abs=5e-7)


@pytest.mark.parametrize("start", [HAND, MOVING], ids=["from rest", "moving"])
@pytest.mark.parametrize(
    ("match", "extra", "weight"),
    [("position", 0.0, 2.0), ("velocity", 0.0, 0.5), ("velocity", 3.0, 0.5), ("acceleration", 0.7, 1.5)],
)
def test_the_time_is_that_of_direct_minimisation(start: Any, match: str, extra: float, weight: float) -> None:
    """The root of dJ/dt against a search that sees only costs, by quadrature."""
    options = {"match": match, "extra": extra, "weight": weight}
    best = plan_capture(DEBRIS.target, start, **options)
    h = 1e-3  # five costs around it: the minimum of the interpolating polynomial, free of the root of rounding
    t = best.duration + h * np.arange(-3, 4)
    costs = [cost(plan_capture(DEBRIS.target, start, duration=float(x), **options)) for x in t]
    fit = np.polynomial.Polynomial.fit(t - best.duration, np.array(costs) - best.cost, 6)
    roots = fit.deriv().roots()
    root = roots[np.argmin(np.abs(roots))]
    assert abs(root) < 1e-8
    assert fit.deriv(2)(0.0) > 0
    assert cost(best) == pytest.approx(best.cost, rel=1e-12)
    scan = np.linspace(0.2, 60, 40)
    assert min(plan_capture(DEBRIS.target, start, duration=float(x), **options).cost for x in scan) >= best.cost


@pytest.mark.parametrize(
    ("match", "extra"),
    [("position", 0.0), ("velocity", 0.0), ("velocity", 1.0), ("acceleration", 0.0), ("acceleration", 9.0)],
)
def test_no_other_path_is_cheaper(match: str, extra: float) -> None:
    """Changes that leave the ends alone cost more, to second order only; and the ends are met."""
    plan = plan_capture(DEBRIS.target, MOVING, match=match, extra=extra)
    n, tf = plan.order, plan.duration
    for power in (0, 1, 2):
        bump = np.polynomial.Polynomial.fromroots([0.0] * n + [tf] * n) * np.polynomial.Polynomial([0.3, 1.0]) ** power

        def change(t: Any, k: int, shape: Any = bump, size: float = 1.0) -> Any:
            return size * shape.deriv(k)(t)[:, None] * np.array([1.0, -0.5, 0.3])

        first = cost(plan, change) - cost(plan, lambda t, k, c=change: -c(t, k))
        second = cost(plan, change) + cost(plan, lambda t, k, c=change: -c(t, k)) - 2 * plan.cost
        assert second > 0
        assert abs(first) < 1e-9 * max(second, plan.cost)
    begin, end, target = plan(0.0), plan(tf), DEBRIS.target(tf)
    for k in range(n):
        np.testing.assert_allclose(begin[k], MOVING[k], atol=1e-12)
        np.testing.assert_allclose(end[k], target[k], atol=1e-12)


def test_a_small_extra_weight_is_next_to_none() -> None:
    """Exponentials and their series meet, and both go over into polynomials."""
    for match in ("velocity", "acceleration"):
        none = plan_capture(DEBRIS.target, MOVING, match=match)
        more = [
            plan_capture(DEBRIS.target, MOVING, match=match, extra=extra).cost - none.cost
            for extra in (1e-12, 1e-9, 1e-6)
        ]
        assert more[1] == pytest.approx(1e-3 * more[2], rel=1e-3)
        assert more[0] == pytest.approx(1e-3 * more[1], abs=100 * np.finfo(float).eps * none.cost)
        sides = [4.0 / none.duration**2 * (1 + e) for e in (-1e-9, 1e-9)]  # sigma t_f = 2 on either side
        a, b = (plan_capture(DEBRIS.target, MOVING, match=match, extra=x, duration=none.duration) for x in sides)
        t = np.linspace(0, none.duration, 5)
        np.testing.assert_allclose(a(t), b(t), atol=1e-8)


def test_replanning_on_the_way_gives_the_rest_of_the_plan() -> None:
    """Bellman's principle: from any state of an optimal path the optimal path is what is left of it."""
    plan = plan_capture(DEBRIS.target, HAND, extra=0.5)
    later = 2.0
    again = plan_capture(lambda t: DEBRIS.target(np.asarray(t) + later), np.array(plan(later)[:3]), extra=0.5)
    assert again.duration == pytest.approx(plan.duration - later, abs=1e-9)
    t = np.linspace(0, again.duration, 7)
    np.testing.assert_allclose(again(t), plan(np.minimum(t + later, plan.duration)), atol=1e-8)


def test_no_minimum_within_the_horizon_is_said() -> None:
    with pytest.raises(PlanError, match=r"no minimum between 0.1 and 2 s: it falls to the end .* a later end"):
        plan_capture(DEBRIS.target, HAND, horizon=(0.1, 2.0))
    with pytest.raises(PlanError, match=r"it rises to the end of the horizon; give an earlier begin"):
        plan_capture(DEBRIS.target, HAND, horizon=(8.0, 9.0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"match": "speed"}, "match must be one of 'position', 'velocity', 'acceleration', got 'speed'"),
        ({"weight": 0.0}, "weight must be a finite number > 0"),
        ({"extra": -1.0}, "extra must be >= 0, got -1"),
        ({"extra": 1.0, "match": "position"}, "extra has no effect where only the position is matched"),
        ({"horizon": (5.0, 1.0)}, "horizon must be two times 0 < begin < end"),
        ({"samples": 1}, "samples must be an integer >= 2"),
        ({"duration": -1.0}, "duration must be a finite number > 0"),
        ({"start": [1.0, 2.0]}, "start must be a position of 3 finite numbers"),
        ({"target": 3.0}, "target must be a function of time"),
        ({"target": lambda t: t}, "target must return position, velocity, acceleration and jerk"),
    ],
)
def test_bad_input_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(da.InputError, match=message):
        plan_capture(**({"target": DEBRIS.target, "start": HAND} | options))
    with pytest.raises(da.InputError, match="a plan is defined from t = 0 to"):
        plan_capture(DEBRIS.target, HAND).derivative(99.0)
