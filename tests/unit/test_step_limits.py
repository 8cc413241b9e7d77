"""Runs that diverge because the step is too long for a mode: the mode and a step that works are in the message."""

from __future__ import annotations

import re

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.engine.methods.tableaus import CLASSICAL, EULER, HEUN
from dalembert.engine.problem.problem import Problem
from dalembert.simulation.step_limits import longest_step, too_long_for


def test_limits_are_those_of_the_textbook() -> None:
    # Hairer and Wanner II, IV.2: real axis 2 and 2.785293563, imaginary axis 2 sqrt(2) for the classical method
    assert longest_step(CLASSICAL, -1.0, 4.0) == pytest.approx(2.785293563, abs=2e-3)
    assert longest_step(CLASSICAL, 1j, 4.0) == pytest.approx(2.0 * np.sqrt(2.0), abs=2e-3)
    assert longest_step(EULER, -1.0, 4.0) == pytest.approx(2.0, abs=2e-3)
    assert longest_step(HEUN, -1.0, 4.0) == pytest.approx(2.0, abs=2e-3)
    assert longest_step(EULER, 1j, 4.0) <= 2e-3


def slider(stiffness: float, damping: float) -> da.Machine:
    soft = da.Joint("slow", "prismatic", "world", "a", axis="x", stiffness=10.0)
    stiff = da.Joint("fast", "prismatic", "a", "b", axis="x", stiffness=stiffness, damping=damping)
    return da.Machine("sliders", bodies=[da.point_mass("a", 1e3), da.point_mass("b", 1.0)], joints=[soft, stiff])


@pytest.mark.parametrize(("stiffness", "damping", "rate"), [(1e8, 0.0, 1e4), (1.0, 1e5, 1e5)])
def test_the_message_names_the_mode_and_a_step_that_works(stiffness: float, damping: float, rate: float) -> None:
    machine = slider(stiffness, damping)
    settings = {"q0": [0.0, 1e-3], "method": "rk4", "backend": "vm"}
    with pytest.raises(da.SimulationError) as failure:
        da.simulate(machine, duration=0.5, step=1e-3, **settings)
    found = re.search(r"the mode of (\S+) rad/s, largest in 'fast_dot'.*use step=(\S+),", str(failure.value))
    assert found, str(failure.value)
    assert float(found[1]) == pytest.approx(rate, rel=2e-3)
    run = da.simulate(machine, duration=0.05, step=float(found[2]), **settings)
    assert run.status == "completed" and np.abs(run["fast"]).max() <= 1.001e-3


def test_an_instability_of_the_problem_is_not_blamed_on_the_step() -> None:
    t, x, c, p = ca.SX.sym("t"), ca.SX.sym("x", 2), ca.SX(0, 1), ca.SX(0, 1)
    signals = ca.Function("y", [t, x, c, p], [ca.SX(0, 1)])
    none, start = np.zeros(0), np.ones(2)
    for rate, blamed in ((1e4, False), (-1e4, True)):
        ode = ca.Function("f", [t, x, c, p], [ca.vertcat(rate * x[0], -x[1])])
        problem = Problem(("fast", "slow"), ode, signals)
        assert ("'fast'" in too_long_for(problem, CLASSICAL, 0.0, start, none, none, 1e-3)) == blamed
