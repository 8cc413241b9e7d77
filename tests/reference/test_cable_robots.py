"""The robots of CDPR: statics, frequencies, overturning, joining, drift over a minute."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import analysis
from dalembert.studies.cable_robots.exits import exit_run
from dalembert.studies.cable_robots.jacobians import errors
from dalembert.studies.cable_robots.joining import joining_run
from dalembert.studies.cable_robots.overturning import euler_run, overturning_run, start_pose
from dalembert.studies.cable_robots.pulleys import ROPE, start
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


@pytest.mark.slow
def test_overturning() -> None:
    pose = np.array(start_pose())
    assert np.allclose(pose[:3], [0.410372, 1.0, 0.601505], atol=1e-6)
    run = overturning_run()
    assert run.events[0].t == pytest.approx(7.606, abs=2e-3)
    assert run["constraint.position"].max() < 1e-10
    assert len(run.events) == 7  # the paper names the first
    assert run["tension.cable1"].min() == pytest.approx(-63, abs=3)
    assert run.energy.drift < 1e-6
    # without pushing cables they go slack after the flip
    free = overturning_run(False)
    assert free.status == "completed"
    names = [e.name for e in free.events]
    assert {"cable1.slack", "cable1.taut"} <= set(names)
    assert min(free[f"tension.cable{k}"].min() for k in (1, 2, 3)) > -1e-6


@pytest.mark.slow
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


@pytest.mark.slow
def test_constraints_hold_for_a_minute() -> None:
    machine = cr.pulley_robot(2)
    run = da.simulate(
        machine, by="natural", duration=60.0, q0=start(machine), v0={"platform.vx": 0.3}, step=5e-3,
        record=0.1,
    )  # fmt: skip
    assert run["constraint.position"].max() < 1e-10
    assert run["constraint.velocity"].max() < 1e-10
    assert np.ptp(run["platform.x"]) > 0.01


def test_platform_in_euler_angles_stops_at_its_singularity_by_name() -> None:
    """CDPR 3.2: at the place that natural coordinates pass; adaptive steps end there of themselves."""
    run = euler_run()
    there = overturning_run().events[0].t
    assert (run.status, run.events[-1].name) == ("stopped", "platform.gimbal-lock")
    assert run.events[-1].t == pytest.approx(there, abs=1e-6)
    assert run["beta"][-1] == pytest.approx(-np.pi / 2, abs=1e-9)
    with pytest.raises(
        da.SimulationError, match=r"at t = 7\.60618.* s, where state '(alpha|gamma)_dot' changes fastest"
    ):
        # Exactly in its plane it may leap over the singularity.
        euler_run.__wrapped__(events=(), method="dopri5", rtol=1e-9, step=None, v0={"alpha_dot": 1e-9})
    with pytest.raises(da.InputError, match="no platform in Euler angles"):
        cr.gimbal_lock(cr.overturning_robot())


def test_euler_angles_and_quaternions_are_one_motion_before() -> None:
    free, angles = overturning_run(), euler_run()
    n = int(np.sum(angles.t < 7.0))
    for c in "xyz":
        np.testing.assert_allclose(angles[c][:n], free[f"platform.{c}"][:n], atol=1e-7)


@pytest.mark.slow
def test_exit_on_a_heavy_carriage_is_the_prescribed_exit() -> None:
    """CDPR 5.1 tends to 5.2 in proportion to the mass ratio; two seconds are enough to see it."""
    given = exit_run(duration=2.0)
    gaps = [
        max(np.abs(exit_run(ratio, duration=2.0)[f"platform.{c}"] - given[f"platform.{c}"]).max() for c in "xyz")
        for ratio in (1e-2, 1e-3)
    ]
    assert gaps[0] / gaps[1] == pytest.approx(10.0, rel=0.02)
    assert gaps[1] < 1e-4


def test_elastic_pulley_robot_rests_where_the_rigid_one_does() -> None:
    machine = cr.pulley_robot(3, **ROPE)
    q = start(machine)
    run = da.simulate(machine, duration=0.1, q0=q, step=2e-4)
    assert max(np.ptp(run[f"platform.{c}"]) for c in "xyz") < 1e-12
    rigid = cr.pulley_robot(3)
    stiff = cr.pulley_robot(3, stiffness=1e9)
    lowest = [analysis.natural_frequencies(m, start(m))[:6] for m in (rigid, stiff)]
    np.testing.assert_allclose(*lowest, rtol=1e-6)
    with pytest.raises(da.InputError, match="cable_damping"):
        cr.pulley_robot(2, cable_damping=1.0)
