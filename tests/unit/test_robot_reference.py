"""Paths in position and attitude, and references of a whole robot that respect momentum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert import plan
from dalembert.systems.space_robots import robot_reference, space_chaser, three_joint_chaser, tumbling_debris

BODY = tumbling_debris((0.05, -0.07, 0.03), quaternion=(0.5, 0.5, -0.5, 0.5), position=(7.4, 0.3, 0.2))
GRIP = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
WEIGHTS = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12.0


@pytest.fixture(scope="module")
def robot() -> da.EquationsOfMotion:
    return da.equations(space_chaser("rigid", arrays="rigid"), backend="vm")


def home(eom: da.EquationsOfMotion) -> np.ndarray:
    posture = {"base.qw": 1.0, "theta1": 0.1, "theta2": -0.9, "theta3": 1.7, "theta4": -0.8, "theta5": 0.4}
    return np.array([posture.get(name, 0.0) for name in eom.q_names])


def vee(K: np.ndarray) -> np.ndarray:
    return np.array([K[2, 1] - K[1, 2], K[0, 2] - K[2, 0], K[1, 0] - K[0, 1]]) / 2


@pytest.mark.parametrize("start", ["rest", "moving", "half a turn"])
def test_a_path_in_pose_is_consistent_and_meets_its_target(start: str) -> None:
    target = plan.gripped(BODY, GRIP)
    begin = plan.resting_pose([5.0, 0.0, 0.5], np.eye(3))
    if start == "moving":
        begin = begin._replace(velocity=np.array([0.1, 0.0, -0.2]), rate=np.array([0.02, -0.03, 0.05]))
        begin = begin._replace(acceleration=np.array([0.01, 0.0, 0.0]), rate_change=np.array([0.0, 0.01, -0.02]))
    elif start == "half a turn":
        R = target(9.0).rotation
        begin = begin._replace(rotation=R @ np.diag([1.0, -1.0, -1.0]))
    path = plan.meet_pose(target, begin, 9.0)
    h = 1e-2
    for t in (0.5, 4.0, 8.5, 12.0):
        around = [path(t + k * h) for k in (-2, -1, 0, 1, 2)]
        here = around[2]
        for value, derivative in (("position", "velocity"), ("velocity", "acceleration"), ("rate", "rate_change")):
            difference = WEIGHTS @ np.array([getattr(x, value) for x in around]) / h
            np.testing.assert_allclose(getattr(here, derivative), difference, atol=1e-7)
        turning = np.tensordot(WEIGHTS, np.array([x.rotation for x in around]), 1) / h
        np.testing.assert_allclose(here.rate, vee(turning @ here.rotation.T), atol=1e-7)
        np.testing.assert_allclose(here.rotation @ here.rotation.T, np.eye(3), atol=1e-13)
    for given, kept in zip(begin, path(0.0), strict=True):
        np.testing.assert_allclose(kept, given, atol=1e-12)
    for wanted, got in zip(target(9.0), path(9.0 - 1e-12), strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-9)


@pytest.mark.parametrize("hold", ["attitude", "pose"])
def test_references_follow_the_path_and_keep_momentum(robot: da.EquationsOfMotion, hold: str) -> None:
    q0 = home(robot)
    X = robot.pose("tip", q0)
    goal = plan.resting_pose(X[:3, 3] + [0.4, 0.3, 0.8], X[:3, :3] @ GRIP)
    path = plan.meet_pose(lambda t: goal, plan.resting_pose(X[:3, 3], X[:3, :3]), 10.0)
    times = np.linspace(0.0, 10.0, 201)
    found = robot_reference(robot, path, times, q0, hold=hold)
    tips = robot.pose("tip", found.q)
    for k in (0, 77, 140, 200):
        np.testing.assert_allclose(tips[k, :3, 3], path(times[k]).position, atol=1e-9)
        np.testing.assert_allclose(tips[k, :3, :3], path(times[k]).rotation, atol=1e-9)
    np.testing.assert_allclose(found.q[:, 3:7], np.tile(q0[3:7], (201, 1)), atol=1e-9)
    if hold == "attitude":
        np.testing.assert_allclose(robot.momentum(found.q, found.v)[:, :3], 0.0, atol=1e-10)
        np.testing.assert_allclose(found.base_force, 0.0, atol=1e-10)
        np.testing.assert_allclose(
            robot.center_of_mass(found.q), np.tile(robot.center_of_mass(q0), (201, 1)), atol=1e-9
        )
    else:
        np.testing.assert_allclose(found.v[:, :6], 0.0)
        assert np.abs(found.base_force).max() > 0.1
    # velocities and accelerations are derivatives, and the efforts give them
    h = times[1]
    k = np.arange(10, 190, 17)
    steps = [np.array([robot.difference(found.q[i], found.q[i + s]) for i in k]) for s in (-2, -1, 0, 1, 2)]
    np.testing.assert_allclose(found.v[k], np.tensordot(WEIGHTS, np.array(steps), 1) / h, atol=1e-5)
    rates = np.array([found.v[k + s] for s in (-2, -1, 0, 1, 2)])
    np.testing.assert_allclose(found.a[k], np.tensordot(WEIGHTS, rates, 1) / h, atol=1e-5)
    np.testing.assert_allclose(robot.forward_dynamics(found.q[k], found.v[k], found.effort[k]), found.a[k], atol=1e-10)


def test_what_cannot_be_followed_is_told(robot: da.EquationsOfMotion) -> None:
    q0 = home(robot)
    X = robot.pose("tip", q0)
    far = plan.resting_pose(X[:3, 3] + [9.0, 0.0, 0.0], X[:3, :3])
    path = plan.meet_pose(lambda t: far, plan.resting_pose(X[:3, 3], X[:3, :3]), 10.0)
    with pytest.raises(plan.PlanError, match=r"cannot follow its path at t = .* out of reach"):
        robot_reference(robot, path, np.linspace(0, 10, 11), q0)
    with pytest.raises(da.InputError, match="hold must be 'attitude' or 'pose', got 'none'"):
        robot_reference(robot, path, [0.0], q0, hold="none")
    small = three_joint_chaser()
    with pytest.raises(plan.PlanError, match=r"cannot follow its path at t = 0 s"):
        robot_reference(small, path, [0.0], small.q_neutral)
    wrong: Any = [[1.0, 0.0, 0.0]] * 3
    with pytest.raises(da.InputError, match="a pose is a position"):
        plan.resting_pose([0, 0, 0], wrong)
