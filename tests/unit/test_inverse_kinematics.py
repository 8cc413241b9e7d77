"""Inverse kinematics: reached poses, limits, floating bases, targets out of reach, wrong input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.inverse_kinematics import IKResult, inverse_kinematics
from dalembert.core.errors import InputError, UnknownNameError
from support.random_machines import random_machine


def planar_arm(limits: da.Limits | None = None, lengths: tuple[float, ...] = (1.0, 1.0)) -> da.Machine:
    bodies, joints, parent, at = [], [], "world", 0.0
    for i, length in enumerate(lengths):
        bodies.append(da.rod(f"link{i}", 1.0, length, axis="x", com=(length / 2, 0, 0)))
        joints.append(
            da.Joint(f"q{i}", "revolute", parent, f"link{i}", da.Transform((at, 0, 0)), limits=limits or da.Limits())
        )
        parent, at = f"link{i}", length
    return da.Machine("arm", bodies, joints, [da.Frame("tip", parent, da.Transform((at, 0, 0)))])


def arm6() -> da.EquationsOfMotion:
    """A 6R arm with a spherical wrist."""
    axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)]
    steps = [(0, 0, 0.3), (0, 0, 0.1), (0.5, 0, 0), (0.4, 0, 0), (0, 0, 0), (0, 0, 0)]
    bodies = [da.box(f"b{i}", 1.0, (0.2, 0.1, 0.1)) for i in range(6)]
    joints = [
        da.Joint(
            f"j{i}",
            "revolute",
            "world" if i == 0 else f"b{i - 1}",
            f"b{i}",
            da.Transform(steps[i]),
            axes[i],
            da.Limits(-2.9, 2.9),
        )
        for i in range(6)
    ]
    tool = da.Frame("tool", "b5", da.Transform((0.1, 0, 0)))
    return da.equations(da.Machine("arm6", bodies, joints, [tool]), backend="vm")


def test_closed_form_of_the_two_link_arm() -> None:
    """Position (1, 1) of two unit links: the elbow is at a right angle."""
    result = inverse_kinematics(planar_arm(), "tip", (1.0, 1.0, 0.0), q0=(0.2, 1.0))
    assert isinstance(result, IKResult) and result.converged
    np.testing.assert_allclose(result.q, [0.0, np.pi / 2], atol=1e-9)
    other = inverse_kinematics(planar_arm(), "tip", (1.0, 1.0, 0.0), q0=(1.2, -1.0))
    np.testing.assert_allclose(other.q, [np.pi / 2, -np.pi / 2], atol=1e-9)


def test_poses_of_a_six_joint_arm_are_reached() -> None:
    eom = arm6()
    rng = np.random.default_rng(1)
    for _ in range(20):
        goal = rng.uniform(-2.5, 2.5, size=6)
        X = eom.pose("tool", goal)
        result = eom.inverse_kinematics("tool", X, restarts=10)
        assert result.converged, result
        np.testing.assert_allclose(eom.pose("tool", result.q), X, atol=1e-9)
        assert np.abs(result.q).max() <= 2.9


def test_it_converges_fast_near_the_solution() -> None:
    eom = arm6()
    goal = np.array([0.3, -0.4, 0.8, 0.2, 0.7, -0.5])
    result = eom.inverse_kinematics("tool", eom.pose("tool", goal), q0=goal + 0.05, restarts=0)
    assert result.converged and result.iterations <= 10
    np.testing.assert_allclose(result.q, goal, atol=1e-8)


def test_transform_is_a_pose() -> None:
    eom = arm6()
    target = da.Transform.rpy(0.1, 0.2, 0.3, (0.6, 0.1, 0.5))
    result = eom.inverse_kinematics("tool", target)
    assert result.converged
    X = eom.pose("tool", result.q)
    np.testing.assert_allclose(X[:3, :3], np.array(target.rotation), atol=1e-9)
    np.testing.assert_allclose(X[:3, 3], target.translation, atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_random_machines_with_every_joint_reach_their_own_positions(seed: int) -> None:
    machine = random_machine(seed, 5, base=("free", "spherical", "planar", "revolute")[seed % 4], max_nv=14)
    eom = da.equations(machine, backend="vm")
    rng = np.random.default_rng(seed)
    target = eom.pose("frame 0", eom.random_configuration(rng))
    result = eom.inverse_kinematics("frame 0", target, q0=eom.random_configuration(rng), restarts=20)
    assert result.converged, result
    np.testing.assert_allclose(eom.pose("frame 0", result.q), target, atol=1e-8)
    for _, start in eom.layout.quaternions:
        assert abs(np.linalg.norm(result.q[start : start + 4]) - 1.0) < 1e-12


def test_floating_base_goes_anywhere() -> None:
    machine = da.Machine("ball", [da.sphere("ball", 1.0, 0.1)], [da.Joint("base", "free", "world", "ball")])
    X = np.eye(4)
    X[:3, :3] = np.diag([-1.0, -1.0, 1.0])
    X[:3, 3] = (100.0, -50.0, 3.0)
    result = inverse_kinematics(machine, "ball", X)
    assert result.converged
    np.testing.assert_allclose(result.q[:3], X[:3, 3], atol=1e-8)
    np.testing.assert_allclose(np.abs(result.q[3:]), [0, 0, 0, 1], atol=1e-9)


def test_limits_are_respected_and_cost_the_target() -> None:
    machine = planar_arm(da.Limits(-0.5, 0.5))
    free = inverse_kinematics(machine, "tip", (0.0, 2.0, 0.0), limits=False)
    assert free.converged
    np.testing.assert_allclose(free.q[0] % (2 * np.pi), np.pi / 2, atol=1e-4)
    held = inverse_kinematics(machine, "tip", (0.0, 2.0, 0.0))
    assert not held.converged
    np.testing.assert_allclose(held.q, [0.5, 0.5], atol=1e-9)  # both joints as far as they go
    reachable = da.equations(machine, backend="vm").pose("tip", [0.5, -0.2])[:3, 3]
    assert inverse_kinematics(machine, "tip", reachable).converged


def test_a_start_outside_the_limits_is_brought_inside() -> None:
    result = inverse_kinematics(planar_arm(da.Limits(-0.5, 0.5)), "tip", (1.9, 0.3, 0.0), q0=(3.0, -3.0))
    assert np.abs(result.q).max() <= 0.5


def test_out_of_reach_is_no_exception_and_the_nearest_is_found() -> None:
    result = inverse_kinematics(planar_arm(), "tip", (3.0, 4.0, 0.0))
    assert not result.converged
    assert "out of reach" in result.message or "stopped after" in result.message
    assert result.error == pytest.approx(3.0, abs=1e-6)  # 5 m away, 2 m long
    tip = da.equations(planar_arm(), backend="vm").pose("tip", result.q)[:3, 3]
    np.testing.assert_allclose(tip, [1.2, 1.6, 0.0], atol=1e-5)


def test_a_stretched_arm_can_fold() -> None:
    """At q = 0 the error points along the arm: the gradient is zero, but the target is within reach."""
    result = inverse_kinematics(planar_arm(), "tip", (1.0, 0.0, 0.0), restarts=0)
    assert result.converged
    assert abs(np.cos(result.q[1]) + 0.5) < 1e-8  # law of cosines


def test_only_chosen_joints_move() -> None:
    machine = planar_arm(lengths=(1.0, 1.0, 1.0))
    result = inverse_kinematics(machine, "tip", (1.5, 1.0, 0.0), q0=(0.4, 0.3, 0.2), joints=["q1", "q2"])
    assert result.converged
    assert result.q[0] == 0.4 and result.q[1] != 0.3


def test_limits_of_followers_narrow_their_leader() -> None:
    base = planar_arm()
    elbow = da.Joint("q1", "revolute", "link0", "link1", da.Transform((1, 0, 0)), limits=da.Limits(-0.4, 1))
    machine = base.with_(joints=(base.joints[0], elbow), couplings=[da.Coupling("q1", "q0", ratio=-2.0)])
    result = inverse_kinematics(machine, "tip", (0.0, 2.0, 0.0))
    assert result.q.shape == (1,)
    assert -0.5 <= result.q[0] <= 0.2 + 1e-12


def test_parameters_are_inputs() -> None:
    length = da.Parameter("l", 1.0)
    machine = da.Machine(
        "arm",
        [da.rod("link", 1.0, 1.0, com=(0.5, 0, 0))],
        [da.Joint("q0", "revolute", "world", "link")],
        [da.Frame("tip", "link", da.Transform((length, 0, 0)))],
    )
    assert inverse_kinematics(machine, "tip", (0.0, 2.0, 0.0), p={"l": 2.0}).converged
    assert not inverse_kinematics(machine, "tip", (0.0, 2.0, 0.0)).converged


def test_same_seed_same_result() -> None:
    eom = arm6()
    X = eom.pose("tool", [2.0, -1.0, 2.0, 1.0, -2.0, 1.0])
    one, two = (eom.inverse_kinematics("tool", X, restarts=5, seed=3) for _ in range(2))
    np.testing.assert_array_equal(one.q, two.q)


def test_other_coordinates() -> None:
    """Absolute angles: the second one is measured from the horizontal."""
    coordinates = da.CoordinateMap(("a", "b"), lambda y, p: [y[0], y[1] - y[0]])
    eom = da.equations(planar_arm(), coordinates=coordinates, backend="vm")
    result = eom.inverse_kinematics("tip", (1.0, 1.0, 0.0), q0=(0.2, 1.2))
    np.testing.assert_allclose(result.q, [0.0, np.pi / 2], atol=1e-9)
    limited = da.equations(planar_arm(da.Limits(-1, 1)), coordinates=coordinates, backend="vm")
    with pytest.raises(InputError, match="limits=False"):
        limited.inverse_kinematics("tip", (1.0, 1.0, 0.0))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"target": (1.0, 2.0)}, InputError, "target must be a position"),
        ({"target": (1.0, np.nan, 0.0)}, InputError, "target must be a position"),
        ({"target": "here"}, InputError, "target must be numbers, got 'here'"),
        ({"target": np.zeros((4, 4))}, InputError, "right-handed rotation"),
        ({"target": np.diag([1.0, 1.0, -1.0, 1.0])}, InputError, "right-handed rotation"),
        ({"frame": "nose"}, UnknownNameError, "no frame named 'nose'.*tip"),
        ({"q0": (1.0,)}, InputError, r"q0 must be 2 finite numbers \(q0, q1\)"),
        ({"q0": (1.0, np.inf)}, InputError, "q0 must be 2 finite numbers"),
        ({"joints": ["elbow"]}, UnknownNameError, "no joint named 'elbow'.*q0, q1"),
        ({"damping": 0.0}, InputError, "damping must be a positive number, got 0.0"),
        ({"tolerance": -1.0}, InputError, "tolerance must be a positive number"),
        ({"max_iterations": 0}, InputError, "max_iterations must be an integer >= 1, got 0"),
        ({"restarts": -1}, InputError, "restarts must be an integer >= 0, got -1"),
        ({"eom": 3}, InputError, "needs a Machine or its equations, got int"),
    ],
)
def test_wrong_input_is_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    given = {"eom": planar_arm(), "frame": "tip", "target": (1.0, 0.5, 0.0)} | arguments
    with pytest.raises(error, match=message):
        inverse_kinematics(given.pop("eom"), given.pop("frame"), given.pop("target"), **given)


def test_a_quaternion_of_the_start_must_be_unit() -> None:
    machine = da.Machine("ball", [da.sphere("ball", 1.0, 0.1)], [da.Joint("base", "free", "world", "ball")])
    with pytest.raises(InputError, match="joint 'base' in q0 must have unit norm, got norm 2"):
        inverse_kinematics(machine, "ball", (0, 0, 1), q0=(0, 0, 0, 2, 0, 0, 0))
