"""Costs and limits of optimal control say what is wrong with them, and find quantities by name."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.optimal import bounds_of, quantity

CRANE = da.Machine(
    "crane",
    [da.point_mass("trolley", 20.0), da.point_mass("load", 10.0, com=(0, 0, -2.0))],
    [
        da.Joint("x", "prismatic", "world", "trolley", axis="x"),
        da.Joint("swing", "revolute", "trolley", "load", axis="y"),
    ],
    motors=[da.Motor("drive", "x")],
    frames=[da.Frame("hook", "load", da.Transform(translation=(0, 0, -2.0)))],
    signals=[da.Signal("reach", "2 * x + position.hook.x"), da.Signal("twice", "2 * reach")],
)


def test_costs_and_limits_refuse_what_they_cannot_mean() -> None:
    assert da.Cost(inputs=2.0).weights("inputs", ("a", "b")) == {"a": 2.0, "b": 2.0}
    assert hash(da.Cost(states={"x": 1.0})) == hash(da.Cost(states={"x": 1}))
    for bad in ({"states": 1.0}, {"inputs": {"F": -1.0}}, {"time": math.nan}, {"terminal": "lqg"}):
        with pytest.raises(InputError):
            da.Cost(**bad)
    bounds = bounds_of({"drive": (-1, 2), "x": (None, 3.0), "swing": da.soft(-0.1, 0.1, linear=5.0)})
    assert [b.soft for b in bounds] == [False, False, True]
    assert bounds[1].lower == -math.inf and bounds[2].quantity == "swing"
    for limits in ({"x": (1, 1)}, {"x": 3}, {"x": (2.0, 1.0)}, [("x", 1)], {"x": (math.nan, 1)}):
        with pytest.raises(InputError):
            bounds_of(limits)
    with pytest.raises(InputError, match="costs nothing"):
        da.soft(0, 1, linear=0.0)


def test_quantities_are_found_by_name() -> None:
    eom = da.equations(CRANE)
    s = eom.symbolic
    kinds = {n: quantity(eom, n, "a limit").kind for n in ("x", "drive", "rate.drive", "twice", "sin(swing) + drive")}
    assert list(kinds.values()) == ["state", "input", "rate", "output", "output"]
    q = np.array([0.3, 0.2])
    value = ca.Function("f", [s.q], [quantity(eom, "twice", "a limit").expression])(q)
    assert float(value) == pytest.approx(2 * (2 * 0.3 + 0.3 - 2.0 * math.sin(0.2)), abs=1e-14)
    for name in ("y", "rate.motor", "x +"):
        with pytest.raises(da.DalembertError):
            quantity(eom, name, "a limit")
    with pytest.raises(UnknownNameError, match="swing"):
        quantity(eom, "swong", "a limit")


def test_an_input_with_the_name_of_a_coordinate_is_written_with_a_prefix() -> None:
    """Bounding the wrong one of them would be a wrong controller in silence."""
    same = da.equations(CRANE.with_(motors=(da.Motor("x", "x"),)))
    with pytest.raises(InputError, match=r"'x' is a coordinate and an input.*'u\.x'.*'q\.x'"):
        quantity(same, "x", "a limit")
    assert [quantity(same, name, "a limit").kind for name in ("u.x", "q.x", "rate.x")] == ["input", "state", "rate"]
    cost = da.Cost(states={"x": 1.0, "swing": 1.0}, inputs=1e-3)
    law = da.mpc(same, horizon=1.0, intervals=10, cost=cost, reference={"x": 2.0}, limits={"u.x": (-5.0, 5.0)})
    assert law.problem.goal[0] == 2.0 and abs(law.problem.goal[-1]) < 1e-9  # not the goal of the coordinate
    assert law.problem.macros["NB"] == 1
