"""A machine on legs: how it stands, how it goes, and what it does when it is pushed over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.compile import find_toolchain
from dalembert.io import make_law
from dalembert.systems import SYSTEMS
from dalembert.systems.legged import quadruped, quadruped_stance, trot

LEGS = ("LF", "LH", "RF", "RH")

needs_compiler = pytest.mark.skipif(find_toolchain() is None, reason="time-stepping needs a C compiler")


def test_feet_of_the_stance_touch_the_ground() -> None:
    robot = quadruped()
    eom = da.equations(robot, backend="vm")
    stance = {**quadruped_stance(0.02), "base.qw": 1.0}
    q = np.array([stance.get(name, 0.0) for name in robot.q_names])
    for leg in LEGS:
        assert eom.pose(f"{leg}_foot", q)[2, 3] == pytest.approx(0.02 + 0.025, abs=1e-12)
    mass = sum(float(body.mass) for body in robot.bodies)
    np.testing.assert_allclose(eom.gravity(q)[:3], (0.0, 0.0, 9.81 * mass), atol=1e-9)


@needs_compiler
@pytest.mark.slow
def test_it_trots_forward() -> None:
    run = da.simulate(quadruped(), **SYSTEMS["quadruped"].settings() | {"duration": 2.0})
    tilt = 2 * np.arcsin(np.hypot(run["base.qx"], run["base.qy"]))
    assert run["base.x"][-1] > 0.4
    assert np.degrees(tilt).max() < 10.0 and run["base.z"].min() > 0.4


@needs_compiler
@pytest.mark.slow
def test_it_stands_on_its_weight_and_its_mirror_image_trots_backwards() -> None:
    robot = da.equations(quadruped())
    options: Any = {"q0": quadruped_stance(), "contact": "time-stepping", "step": 1e-3, "record": 0.05}
    rest = da.simulate(robot, duration=3.0, control=make_law(trot(lift=0.0, stride=0.0)), **options)
    mass = sum(float(body.mass) for body in robot.machine.bodies)
    assert sum(rest[f"force.{leg}.normal"][-1] for leg in LEGS) == pytest.approx(9.81 * mass, rel=1e-4)
    assert np.abs(rest.array(list(robot.machine.v_names))[-1]).max() < 1e-3
    ways = [
        da.simulate(robot, duration=1.0, control=make_law(trot(stride=stride)), **options)["base.x"][-1]
        for stride in (0.14, -0.14)
    ]
    assert ways[0] == pytest.approx(-ways[1], abs=1e-3)


@needs_compiler
@pytest.mark.slow
def test_who_falls_lies_on_the_ground() -> None:
    settings = SYSTEMS["quadruped"].settings() | {"duration": 1.5, "control": None, "v0": {"base.wx": 6.0}}
    run = da.simulate(quadruped(), **settings)
    assert run["base.z"][-1] > 0.06  # half the height of the trunk, which does not sink in
    assert run["base.z"][-1] < 0.3
