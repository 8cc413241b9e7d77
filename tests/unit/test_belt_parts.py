"""Ropes with friction at sheaves: rates of functions of time, and linear models of wheels that have turned."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.formulations.constraints.elastic_sheaves import elastic_sheaves_of

EA = 2e4


def _hoist(damping: float, pretension: float | None = None) -> da.Machine:
    """Two masses on an elastic rope over a wheel; without pretension a length that grows with time."""
    bodies = [da.point_mass("m1", 4.0), da.point_mass("m2", 3.0), da.Body("wheel", 1.0, inertia=(0.03,) * 3)]
    joints = [
        da.Joint("x1", "prismatic", "world", "m1", axis="-z", origin=(-0.1, 0, -0.5)),
        da.Joint("x2", "prismatic", "world", "m2", axis="-z", origin=(0.1, 0, -1.0)),
        da.Joint("wheel", "revolute", "world", "wheel", axis="y"),
    ]
    over = da.Sheave("world", 0.1, "y", joint="wheel", friction=0.3, name="S")
    path = [da.Anchor("m1"), over, da.Anchor("m2")]
    rope = {"pretension": pretension} if pretension else {"length": 1.8 + 0.2 * da.sin(3.0 * da.TIME)}
    return da.Machine("hoist", bodies, joints, ropes=[da.Rope("r", path, stiffness=EA, damping=damping, **rope)])


@pytest.mark.parametrize("damping", [0.0, 30.0])
def test_a_model_does_not_depend_on_how_far_a_round_wheel_has_turned(damping: float) -> None:
    machine = _hoist(damping, 4.0 * 9.81)
    eom = da.equations(machine, backend="vm")
    s, (belt,) = eom.symbolic, elastic_sheaves_of(eom).belts
    numbers = ca.Function("L", [s.q, s.p], [belt.L, belt.terms.length])
    L, whole = (np.array(ca.DM(x).full()).ravel() for x in numbers(np.zeros(3), np.zeros(0)))
    T = 35.0  # in the second span; of the first one the rest of the rope
    first = float(EA * (L[0] / (whole[0] - L[1] / (1.0 + T / EA)) - 1.0))
    assert abs(math.log(T / first)) < 0.3 * math.pi
    settings = {"tensions": {"r[0]": first, "r[1]": T}, "require_equilibrium": False}
    v = {"x1_dot": 0.3, "x2_dot": -0.3, "wheel_dot": -3.0}
    still, turned = (da.linearize(machine, {"wheel": at}, v=v, **settings) for at in (0.0, 0.7))
    assert still.state_labels[-1] == "material_r_S"
    np.testing.assert_allclose(turned.A, still.A, rtol=1e-7, atol=1e-6 * np.abs(still.A).max())


def test_rates_of_functions_of_the_configuration_and_time() -> None:
    """Against differences along the motion, of any function and of the rope of each span."""
    eom = da.equations(_hoist(0.0), backend="vm")
    s, (belt,) = eom.symbolic, elastic_sheaves_of(eom).belts
    rng = np.random.default_rng(5)
    q, v, t, h = 0.1 * rng.normal(size=3), rng.normal(size=3), 0.3, 1e-6
    y = ca.vertcat(ca.sin(2.0 * s.t) * s.q[0], s.q[1] ** 2 * s.q[2] + s.t**3, belt.L, belt.terms.length)
    f = ca.Function("f", [s.q, s.v, s.t, s.p], [y, belt.rate(y), belt.stretch_rates(ca.DM([0.01, 0.02]))])
    found = [np.array(x.full())[:, 0] for x in f(q, v, t, [])]
    ends = [np.array(f(q + k * h * v, v, t + k * h, [])[0].full())[:, 0] for k in (1.0, -1.0)]
    rates = (ends[0] - ends[1]) / (2.0 * h)
    np.testing.assert_allclose(found[1], rates, rtol=1e-6, atol=1e-7)
    assert rates[-1] == pytest.approx(0.6 * math.cos(0.9))
    # a rim that carries stretched rope along: l_1' + l_2' is the growth of the whole rope
    np.testing.assert_allclose(rates[2:4].sum() - found[2].sum(), rates[-1], rtol=1e-6)
