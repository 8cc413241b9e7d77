"""The robots of CDPR: statics, frequencies, overturning, joining, drift over a minute."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import analysis
from dalembert.studies.cable_robots.jacobians import errors
from dalembert.studies.cable_robots.joining import joining_run
from dalembert.studies.cable_robots.overturning import overturning_run, start_pose
from dalembert.studies.cable_robots.pulleys import start
from dalembert.systems import cable_robots as cr


def test_printed_jacobians_corrected_equal_automatic_differentiation() -> None:
    assert max(errors(n=20).values()) < 1e-10


@pytest.mark.parametrize(
    ("model", "length", "tension", "lowest"),
    [(1, 3.907608, 36.687, 1.36954), (2, 3.962870, 35.283, 1.3004), (3, 3.962870, 35.283, 1.3003)],
)
def test_rest_of_the_pulley_robot(model, length, tension, lowest) -> None:
    """Reference numbers of an independent derivation."""
    machine = cr.pulley_robot(model)
    q = start(machine)
    L = analysis.cable_lengths(machine, q)
    assert np.allclose(L, length, atol=1e-6)
    rest = analysis.static_equilibrium(machine, L, q)
    assert np.allclose(rest.tensions, tension, atol=1e-3)
    assert np.allclose(rest.q, q, atol=1e-9)
    assert analysis.natural_frequencies(machine, q)[0] == pytest.approx(lowest, abs=1e-4)


def test_frequency_is_that_of_the_simulation() -> None:
    """Small oscillations of Model 2 in its lowest mode: zero crossings at half periods."""
    machine = cr.pulley_robot(2)
    q = start(machine)
    run = da.simulate(machine, duration=3.0, q0=q, v0={"platform.vx": 1e-4}, method="dopri5", rtol=1e-10, atol=1e-14)
    x = run["platform.x"]
    k = np.flatnonzero((x[1:-1] < 0) & (x[2:] >= 0)) + 1
    crossing = run.t[k] - x[k] * (run.t[k + 1] - run.t[k]) / (x[k + 1] - x[k])
    modes = analysis.natural_frequencies(machine, q)
    measured = 1 / np.mean(np.diff(crossing))
    assert np.min(np.abs(modes / measured - 1)) < 1e-3


def test_overturning() -> None:
    pose = np.array(start_pose())
    assert np.allclose(pose[:3], [0.410372, 1.0, 0.601505], atol=1e-6)
    run = overturning_run()
    assert run.events[0].t == pytest.approx(7.606, abs=2e-3)
    assert run["constraint.position"].max() < 1e-10
    assert run["tension.cable1"].min() == pytest.approx(-63, abs=3)
    assert run.energy.drift < 1e-6
    # without pushing cables they go slack after the flip
    free = overturning_run(False)
    assert free.status == "completed"
    names = [e.name for e in free.events]
    assert {"cable1.slack", "cable1.taut"} <= set(names)
    assert min(free[f"tension.cable{k}"].min() for k in (1, 2, 3)) > -1e-6


def test_joining() -> None:
    run = joining_run()
    tension = run["tension.cable1"]
    assert tension[0] == pytest.approx(421.23, abs=0.01)
    before, after = np.flatnonzero(run.t == 11.0)[[0, -1]]
    assert tension[before] == pytest.approx(201.99, abs=0.02)
    assert tension[after] > tension[before]
    assert run["active.grip"][[before, after]].tolist() == [0.0, 1.0]
    assert run["payload.z"][-1] == pytest.approx(run["platform.z"][-1] - run["platform.z"][before], abs=1e-9)
    assert run.energy.drift < 1e-6


def test_constraints_hold_for_a_minute() -> None:
    machine = cr.pulley_robot(2)
    run = da.simulate(
        machine, by="natural", duration=60.0, q0=start(machine), v0={"platform.vx": 0.3}, step=5e-3,
        record=0.1,
    )  # fmt: skip
    assert run["constraint.position"].max() < 1e-10
    assert run["constraint.velocity"].max() < 1e-10
    assert np.ptp(run["platform.x"]) > 0.01
