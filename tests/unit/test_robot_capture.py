"""The planner of captures within limits, and the distances that it keeps."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import plan
from dalembert.model.geometry import Box, Geometry
from dalembert.plan import (
    RobotLimits,
    box_distance,
    held_base,
    plan_robot_capture,
    segment_box_distance,
    segment_distance,
)
from dalembert.systems import space_robots

HOME = {"theta2": -0.9, "theta3": 1.7, "theta4": -0.8}
DEBRIS = Geometry(Box((1.5, 3.77, 1.5)))


@pytest.fixture(scope="module")
def robot() -> da.EquationsOfMotion:
    return da.equations(space_robots.space_chaser("rigid", arrays="rigid"))


def tumbling(seed: int, speed: float = 4.0) -> plan.TumblingBody:
    rng = np.random.default_rng(seed)
    Q, w = rng.normal(size=4), rng.normal(size=3)
    return space_robots.tumbling_debris(
        w * np.radians(speed) / np.linalg.norm(w), quaternion=Q / np.linalg.norm(Q), position=(7.4, 0.0, 0.0)
    )


def random_pose(rng: np.random.Generator) -> np.ndarray:
    X = np.eye(4)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    X[:3, :3], X[:3, 3] = R * np.sign(np.linalg.det(R)), 2.0 * rng.normal(size=3)
    return X


def test_distances_are_those_of_dense_samples() -> None:
    rng = np.random.default_rng(1)
    s = np.linspace(0.0, 1.0, 401)[:, None]
    for _ in range(30):
        a, b, c, d = rng.normal(size=(4, 3))
        first, second = a + s * (b - a), c + s * (d - c)
        near = np.linalg.norm(first[:, None] - second[None], axis=-1).min()
        found = segment_distance(a, b, c, d)
        assert near - 0.01 <= found <= near + 1e-12  # samples are 1/400 of a segment apart
        X, size = random_pose(rng), rng.uniform(0.2, 2.0, 3)
        local = (first - X[:3, 3]) @ X[:3, :3]
        near = np.linalg.norm(np.maximum(np.abs(local) - size / 2, 0.0), axis=-1).min()
        assert near - 0.01 <= segment_box_distance(a, b, X, size) <= near + 1e-9


def test_distances_of_parallel_and_short_segments() -> None:
    assert segment_distance([0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 1, 0]) == pytest.approx(np.sqrt(2.0))
    assert segment_distance([0, 0, 0], [1, 0, 0], [0.5, 2, 0], [0.7, 2, 0]) == pytest.approx(2.0)
    assert segment_distance([0, 0, 0], [0, 0, 0], [3, 4, 0], [3, 4, 0]) == pytest.approx(5.0)
    assert segment_box_distance([2, 0, 0], [3, 0, 0], np.eye(4), [2, 2, 2]) == pytest.approx(1.0)
    assert segment_box_distance([-3, 0, 0], [3, 0, 0], np.eye(4), [2, 2, 2]) == 0.0


@pytest.mark.peer
def test_distances_are_those_of_coal() -> None:
    coal = pytest.importorskip("coal")
    rng = np.random.default_rng(2)
    request = coal.DistanceRequest()
    for _ in range(60):
        X, Y = random_pose(rng), random_pose(rng)
        size, extent = rng.uniform(0.2, 1.5, (2, 3))
        length = rng.uniform(0.3, 2.0)

        def gap(first: object, A: np.ndarray, second: object, B: np.ndarray) -> float:
            result = coal.DistanceResult()
            places = (coal.Transform3s(x[:3, :3].copy(), x[:3, 3].copy()) for x in (A, B))
            one, two = places
            coal.distance(first, one, second, two, request, result)
            return float(result.min_distance)

        boxes = gap(coal.Box(*size), X, coal.Box(*extent), Y)
        mine = float(box_distance(X, size, Y, extent))
        assert max(boxes, 0.0) == pytest.approx(mine, abs=1e-5)
        rod = gap(coal.Capsule(0.1, length), X, coal.Box(*extent), Y)
        ends = [X[:3, 3] + sign * length / 2 * X[:3, 2] for sign in (-1, 1)]
        if rod > 0.0:
            assert float(segment_box_distance(*ends, Y, extent)) - 0.1 == pytest.approx(rod, abs=1e-5)


@pytest.mark.slow
def test_a_held_base_moves_as_the_whole_robot_does(robot: da.EquationsOfMotion) -> None:
    """The functions of the joints alone against the equations of the robot with its base."""
    held = held_base(robot)
    theta = np.array([0.3, -0.9, 1.7, -0.8, 0.4, 0.2])
    q = held.configuration(theta, np.array([0.5, -0.2, 0.1]), np.array([0.6, 0.0, 0.8, 0.0]))
    assert np.allclose(robot.center_of_mass(q), [0.5, -0.2, 0.1], atol=1e-12)
    start = robot.pose("tip", q)
    goal = plan.resting_pose(start[:3, 3] + [0.3, 0.2, 0.5], start[:3, :3])
    path = plan.meet_pose(lambda t: goal, plan.resting_pose(start[:3, 3], start[:3, :3]), 12.0)
    t = np.linspace(0.0, 12.0, 7)
    reference = space_robots.robot_reference(robot, path, t, q)
    R = robot.pose("base", q)[:3, :3]
    x, v, a, A, w, change = path(t)
    local = plan.PoseMotion((x - [0.5, -0.2, 0.1]) @ R, v @ R, a @ R, R.T @ A, w @ R, change @ R)
    motion = held.follow(local, t, theta, steps=6)
    assert motion.miss.max() < 1e-12
    assert np.allclose(motion.effort, reference.effort, atol=1e-9)
    again = held.configuration(motion.joints, np.array([0.5, -0.2, 0.1]), np.array([0.6, 0.0, 0.8, 0.0]))
    assert np.allclose(robot.pose("tip", again), robot.pose("tip", reference.q), atol=1e-9)


def test_paths_of_many_times_are_those_of_each() -> None:
    body = tumbling(3)
    R = np.eye(3)
    path = plan.meet_pose(plan.gripped(body), plan.resting_pose((4.0, 0.0, 0.0), R), 9.0)
    t = np.linspace(0.0, 12.0, 9)
    for k, whole in enumerate(path(t)):
        assert np.allclose(whole, [path(float(s))[k] for s in t], atol=1e-12)


def test_the_way_is_the_optimal_one_of_the_closed_form() -> None:
    """Position along a path is that of least jerk that `plan_capture` finds for the same time."""
    target = plan.gripped(tumbling(3))
    start = plan.PoseMotion(
        *np.array([[4.0, 0.5, 0.1], [0.1, -0.2, 0.05], [0.02, 0.0, -0.01]]), np.eye(3), *np.zeros((2, 3))
    )
    path = plan.meet_pose(target, start, 9.0)
    best = plan.plan_capture(tumbling(3).target, np.array(start[:3]), duration=9.0)
    t = np.linspace(0.0, 9.0, 7)
    for mine, other in zip(path(t)[:3], best(t)[:3], strict=True):
        assert np.allclose(mine, other, atol=1e-10)
    with pytest.raises(da.InputError, match="finite motions"):
        plan.meet_pose(target, start._replace(velocity=np.array([0.0, np.nan, 0.0])), 9.0)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_accepted_plans_keep_their_limits(robot: da.EquationsOfMotion, seed: int) -> None:
    """Judged again by other means: the tip from the whole robot's pose, torques from its inverse dynamics."""
    body, limits = tumbling(seed), RobotLimits()
    found = plan_robot_capture(robot, body, HOME, geometry=DEBRIS, limits=limits)
    assert all(verdict.ok for verdict in found.verdicts)
    # the debris is the given one, seen from another side
    t = np.array([0.0, 20.0, 50.0])
    assert np.allclose(found.body.attitude(t), found.side @ body.attitude(t), atol=1e-9)
    tip = robot.pose("tip", found.q)
    after = found.t >= found.duration
    target = found.body.target(found.t[after]).position
    assert np.abs(tip[after, :3, 3] - target).max() < 1e-6
    # the grip comes from outside
    outward = found.body.attitude(found.t[after]) @ np.array(body.point) / np.linalg.norm(body.point)
    assert np.allclose(np.sum(tip[after, :3, 2] * outward, axis=-1).max(), -np.cos(0.0), atol=0.35)
    v = np.diff(found.t)[:, None]
    rates = np.diff(found.motion.joints, axis=0) / v
    assert np.abs(rates - 0.5 * (found.motion.rates[1:] + found.motion.rates[:-1])).max() < 5e-3
    torque = next(x for x in found.verdicts if x.name == "base torque")
    assert torque.value <= (1.0 - limits.reserve) * limits.base_torque
    times = found.t[:: len(found.t) // 5]
    reference = space_robots.robot_reference(robot, found.path, times, found.q[0])
    assert np.abs(reference.base_torque).max() <= torque.value + 1e-3


def test_replanning_goes_on_smoothly(robot: da.EquationsOfMotion) -> None:
    found = plan_robot_capture(robot, tumbling(0), HOME)
    now = found.path(10.0)
    other = space_robots.tumbling_debris(
        np.array(found.body.rate) * 1.02, quaternion=found.body.quaternion, position=(7.41, 0.0, 0.0)
    )
    path = found.replan(10.0, now, other)
    for a, b in zip(path(0.0), now, strict=True):
        assert np.allclose(a, b, atol=1e-9)
    end = path(path.duration)
    assert np.allclose(end.position, other.target(found.duration).position, atol=1e-9)


class Fed:
    """Inputs of a motion, held over each period at the value of its middle."""

    period, name = 4e-3, "fed"

    def __init__(self, motion: plan.OptimalMotion) -> None:
        self.motion = motion

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self.motion.inputs(t + 2e-3)


@pytest.mark.slow
def test_a_refined_plan_takes_less_effort_and_is_flown_blind(robot: da.EquationsOfMotion) -> None:
    """Every limit of the solver and of the judges is kept; the integrator, without feedback, ends at the grip."""
    capture = plan_robot_capture(robot, tumbling(3), HOME, geometry=DEBRIS)
    refined = plan.refine_capture(robot, capture, geometry=DEBRIS)
    motion = refined.motion
    assert refined.effort[1] < refined.effort[0]
    assert all(v.slack > -1e-6 for v in refined.verdicts)
    assert {v.name for v in refined.verdicts} == {v.name for v in capture.verdicts}
    assert np.degrees(2.0 * np.linalg.norm(motion.q[:, 4:7], axis=1).max()) < 0.1
    assert np.abs(motion.u[:, 9:]).max() < 0.75 * 5.0
    start = dict(zip(robot.q_names, capture.q[0], strict=True))
    run = da.simulate(robot, duration=capture.duration, q0=start, control=Fed(motion), step=4e-3, record=1.0)
    X, grip = robot.pose("tip", run.x[-1, :13]), capture.path(capture.duration)
    assert np.linalg.norm(X[:3, 3] - grip.position) < 0.01
    with pytest.raises(plan.PlanError, match="a grid of 6 intervals is too coarse"):
        plan.refine_capture(robot, capture, geometry=DEBRIS, intervals=6)


def test_refining_says_what_it_cannot_do(robot: da.EquationsOfMotion) -> None:
    with pytest.raises(da.InputError, match="capture must be a RobotCapture"):
        plan.refine_capture(robot, plan)  # type: ignore[arg-type]
    capture = plan_robot_capture(robot, tumbling(3), HOME)
    adrift = da.equations(robot.machine.with_(thrusters=()), backend="vm")
    with pytest.raises(da.InputError, match="no thrusters that turn its base"):
        plan.refine_capture(adrift, capture)


def test_reasons_when_there_is_no_plan(robot: da.EquationsOfMotion) -> None:
    body = tumbling(0)
    far = space_robots.tumbling_debris(body.rate, quaternion=body.quaternion, position=(20.0, 0.0, 0.0))
    with pytest.raises(plan.PlanError, match="reach"):
        plan_robot_capture(robot, far, HOME, sides=8)
    with pytest.raises(plan.PlanError, match=r"base torque: \d+ \(nearest .* limit 0.0075 N m"):
        plan_robot_capture(robot, body, HOME, sides=8, limits=RobotLimits(base_torque=0.01))
    with pytest.raises(da.DalembertError, match="axis"):
        plan_robot_capture(robot, space_robots.tumbling_debris((0, 0, 0.1), point=(0, 0, 0)), HOME)
    with pytest.raises(da.DalembertError, match="reserve"):
        RobotLimits(reserve=1.0)
    with pytest.raises(da.DalembertError, match="no free base"):
        pendulum = da.Machine(
            "p", [da.point_mass("bob", 1.0, com=(1, 0, 0))], [da.Joint("a", "revolute", "world", "bob")]
        )
        plan_robot_capture(pendulum, body, {}, frame="bob")
    with pytest.raises(da.DalembertError, match=r"the task 'axis' .* needs 5 joints between base and tip, .* has 3"):
        plan_robot_capture(space_robots.three_joint_chaser(), body, {}, task="axis")
    with pytest.raises(da.DalembertError, match="positive"):
        plan.TumblingBody(np.zeros((3, 3)), rate=(0, 0, 0.1))
    with pytest.raises(da.DalembertError, match="durations"):
        plan_robot_capture(robot, body, HOME, durations=(5.0, 2.0))
