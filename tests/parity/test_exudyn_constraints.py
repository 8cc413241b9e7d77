"""A platform on four rods against Exudyn: the same index-3 method at the same step gives the same motion."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("exudyn")

import dalembert as da
from dalembert.benchmarks.cable_robot import _exudyn_run, pushed_velocities
from dalembert.systems.cable_robots import pulley_robot

pytestmark = [pytest.mark.peer, pytest.mark.exudyn]


def test_platform_on_four_rods() -> None:
    """Both by generalized-alpha with 1 ms; its error against a tight solution is an order above their difference."""
    _, theirs = _exudyn_run(1.0, 1e-3)
    settings = {"duration": 1.0, "q0": {"platform.y": 0.25, "platform.z": 0.37}}
    machine = pulley_robot(1)
    settings |= {"v0": pushed_velocities(machine), "record": 1.0}
    way = da.GeneralizedAlpha(radius=0.9)
    ours = da.simulate(machine, constraints=way, step=1e-3, **settings)
    exact = da.simulate(machine, method="dopri5", rtol=1e-11, atol=1e-12, **settings)
    position = np.array([[run[f"platform.{c}"][-1] for c in "xyz"] for run in (ours, exact)])
    assert np.linalg.norm(position[1] - [0.0, 0.25, 0.37]) > 5e-3  # it has moved
    assert np.linalg.norm(theirs - position[1]) < 5e-6
    assert np.linalg.norm(theirs - position[0]) < 2e-6
