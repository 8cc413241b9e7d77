"""Sampled laws that lift bodies and slacken cables: rows and measures of rollouts are those of simulations."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.control import Sampled

PERIOD = 0.02
MEASURES = {
    "least": da.Measure("force.floor.normal", "min"),
    "most": da.Measure("force.floor.normal", "max"),
    "slackest": da.Measure("tension.rope", "min"),
    "tightest": da.Measure("tension.rope", "max"),
}


def hopper(friction: float) -> da.Machine:
    """A ball that slides along a floor and is pushed up and down, on a rope that it can lift it to the end of."""
    return da.Machine(
        "hopper",
        [da.Body("slide"), da.sphere("ball", 1.0, 0.1)],
        [
            da.Joint("x", "prismatic", "world", "slide", axis=(1, 0, 0)),
            da.Joint("z", "prismatic", "slide", "ball", axis=(0, 0, 1)),
        ],
        motors=[da.Motor("push", "z")],
        contacts=[da.Contact("floor", "ball", da.Sphere(0.1), surface=da.HalfSpace(), friction=friction)],
        cables=[da.Cable("rope", "ball", exit_at=(0.0, 0.0, -0.6), length=1.0)],
    )


def law() -> Sampled:
    return Sampled(da.PD(kp=150.0, kd=6.0, reference=lambda t: [0.2 + 0.5 * ca.sin(20.0 * t)]), PERIOD)


@pytest.mark.parametrize("backend", [pytest.param("auto", marks=pytest.mark.slow), "vm"])
@pytest.mark.parametrize("friction", [pytest.param(0.0, marks=pytest.mark.slow), 0.3])
@pytest.mark.parametrize("settings", [{"method": "rk4", "step": 1e-3}, {"method": "dopri5"}], ids=["rk4", "dopri5"])
def test_rows_and_measures_are_those_of_a_simulation(settings: dict, friction: float, backend: str) -> None:
    equations = da.equations(hopper(friction), backend=backend)
    speeds = np.array([0.3, -0.2, 0.0, 0.5, 0.1])
    common = {"q0": {"z": 0.1}, "duration": 0.6, "control": law(), **settings}
    result = da.rollout(equations, v0={"x_dot": speeds}, record=PERIOD, **common)
    measures = da.rollout(equations, v0={"x_dot": speeds}, measure=MEASURES, **common).measures
    for i in (0, 1, 4):
        run = da.simulate(equations, v0={"x_dot": float(speeds[i])}, **common)
        names = {e.name for e in run.events}
        assert {"floor.release", "floor.impact", "rope.taut", "rope.slack"} <= names
        member = result.member(i)
        assert [e.name for e in member.events] == [e.name for e in run.events]
        last = [np.flatnonzero(np.abs(run.t - t) < 1e-9)[-1] for t in member.t]  # after what happens at an instant
        np.testing.assert_allclose(member.x, run.x[last], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(member.y, run.y[last], rtol=1e-6, atol=1e-7)
        for signal in ("force.floor.normal", "tension.rope"):
            assert member[signal].min() > -1e-9
        after = np.append(np.diff(run.t) > 0.0, True)
        if "step" in settings:  # measures look at whole steps, not at events within them
            after &= np.abs(run.t - settings["step"] * np.rint(run.t / settings["step"])) < 1e-9
        for signal, least, most in (("force.floor.normal", "least", "most"), ("tension.rope", "slackest", "tightest")):
            seen = run[signal][after]
            assert seen.min() - 1e-9 <= measures[least][i] <= 1e-9
            assert measures[most][i] == pytest.approx(seen.max(), rel=1e-6)


def test_a_sample_that_changes_nothing_leaves_members_as_they_are() -> None:
    """Looking at a member at its samples does not change where it goes, nor what it tells."""
    equations = da.equations(hopper(0.0))
    common = {"q0": {"z": 0.1}, "v0": {"x_dot": np.array([0.3, -0.2])}, "duration": 0.6, "control": law()}
    for settings in ({"method": "rk4", "step": 1e-3}, {"method": "dopri5"}):
        looked = da.rollout(equations, record=PERIOD, **common, **settings)
        ignored = da.rollout(equations, record=0.3, **common, **settings)
        np.testing.assert_allclose(looked.final, ignored.final, rtol=1e-12, atol=1e-12)
        for a, b in zip(looked.member(0).events, ignored.member(0).events, strict=True):
            assert a.name == b.name and a.t == pytest.approx(b.t, abs=1e-12)
