"""Parts of the planner of captures by robots: candidates, their order, grips, and reasons of failures."""

from __future__ import annotations

from dataclasses import fields
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.core.errors import InputError, PlanError
from dalembert.plan import robot_capture
from dalembert.plan.clearance import arm_shape, boxes_of
from dalembert.plan.held_base import ArmMotion, held_base
from dalembert.plan.pose import PoseMotion
from dalembert.plan.robot_capture import _between, _Candidate, _grip, _hint, _reason, _screen, _sides, _times
from dalembert.plan.robot_limits import RobotLimits, Verdict, at_least, at_most

Array = np.ndarray
AXIS = np.array([0.6, 0.0, 0.8])
POINT = np.array([0.5, -0.2, 0.7])


def _attitude(t: Any) -> Array:
    t = np.asarray(t, dtype=float)
    return Rotation.from_rotvec(t.reshape(-1, 1) * [0.02, -0.05, 0.03]).as_matrix().reshape(*t.shape, 3, 3)


def _body(position: Any = (1.9, 0.4, 0.3)) -> Any:
    return SimpleNamespace(attitude=_attitude, point=tuple(POINT), velocity=(0.01, -0.02, 0.005), position=position)


def _scene(**changes: Any) -> Any:
    home = np.eye(4)
    home[:3, :3] = Rotation.random(random_state=5).as_matrix()
    scene = SimpleNamespace(
        body=_body(), axis=AXIS, hold=4.0, centre=np.array([0.1, -0.1, 0.2]), home=home, reach=3.1,
        R=Rotation.random(random_state=4).as_matrix(), shoulder=np.array([0.3, 0.1, -0.2]),
        robot=SimpleNamespace(task="pose"),
    )  # fmt: skip
    return cast(Any, SimpleNamespace(**(vars(scene) | changes)))


def test_the_least_rotation_between_two_directions() -> None:
    rng = np.random.default_rng(1)
    for k in range(8):
        a, b = (x / np.linalg.norm(x) for x in rng.normal(size=(2, 3)))
        for to in (b, -a, a, np.eye(3)[k % 3]):
            R = _between(a, to)
            np.testing.assert_allclose(R @ a, to, atol=1e-12)
            np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)
            assert np.linalg.det(R) == pytest.approx(1.0)
            assert (np.trace(R) - 1.0) / 2.0 == pytest.approx(a @ to, abs=1e-12)  # no further than needed


def test_sides_are_rotations_of_one_spiral() -> None:
    """Unit quaternions of M. Alexa's super-Fibonacci spiral, relative to the first one, which is the given attitude."""
    n = 17
    s = np.arange(n) + 0.5
    a, b = 2.0 * np.pi * s / np.sqrt(2.0), 2.0 * np.pi * s / 1.533751168755204288118041
    r, R = np.sqrt(s / n), np.sqrt(1.0 - s / n)
    found = _sides(n)
    w, x, y, z = r * np.sin(a), r * np.cos(a), R * np.sin(b), R * np.cos(b)
    spiral = Rotation.from_quat(np.stack([x, y, z, w], axis=-1))
    assert found.shape == (n, 3, 3)
    np.testing.assert_allclose(found[0], np.eye(3))
    np.testing.assert_allclose(found[1:], (spiral * spiral[0].inv()).as_matrix()[: n - 1], atol=1e-12)
    assert len(_sides(1)) == 1


def test_a_grip_faces_the_debris_and_turns_least_from_home() -> None:
    scene, t = _scene(), 7.0
    G = _attitude(t) @ _grip(scene, scene.body, t)  # in the world
    home = scene.R @ scene.home[:3, :3]
    np.testing.assert_allclose(G[:, 2], -_attitude(t) @ AXIS, atol=1e-12)
    np.testing.assert_allclose(G.T @ G, np.eye(3), atol=1e-12)
    assert (np.trace(G @ home.T) - 1.0) / 2.0 == pytest.approx(G[:, 2] @ home[:, 2])


def test_candidates_stay_within_reach_and_face_the_arm() -> None:
    """Each side and time by itself: the target point at six instants of the hold."""
    scene, durations, sides = _scene(), np.array([6.0, 11.0, 19.0, 40.0]), _sides(40)
    found, nearest = _screen(scene, durations, sides)
    expected, distances = [], []
    for G in sides:
        for duration in durations:
            far, facing = [], []
            for t in duration + np.linspace(0.0, 4.0, 6):
                at = np.array(scene.body.position) + G @ (np.array(scene.body.velocity) * t + _attitude(t) @ POINT)
                way = scene.R.T @ (at - scene.centre) - scene.shoulder
                far.append(float(np.linalg.norm(way)))
                facing.append(float(-(scene.R.T @ G @ _attitude(t) @ AXIS) @ way / far[-1]))
            distances.append(max(far))
            if max(far) < 0.98 * 3.1 and min(facing) > 0.3:
                centred = 1.0 - max(abs(d / 3.1 - 0.72) for d in far) / 0.3
                expected.append((duration, min(facing) + 0.5 * centred, G))
    expected.sort(key=lambda x: x[0] / 100.0 - x[1])
    assert 4 < len(expected) < 0.8 * len(distances) and nearest == pytest.approx(min(distances))
    assert [c.duration for c in found] == [x[0] for x in expected]
    np.testing.assert_allclose([c.quality for c in found], [x[1] for x in expected], rtol=1e-12)
    np.testing.assert_allclose([c.side for c in found], [x[2] for x in expected])


def test_hints_and_reasons_of_failures() -> None:
    scene = _scene()
    assert _hint(scene, 3.03) == "" and _hint(scene, 3.04) != ""
    there = np.linalg.norm(scene.R.T @ (np.array([1.9, 0.4, 0.3]) - scene.centre) - scene.shoulder)
    target = float(np.linalg.norm(POINT))
    for text in (f"is {there:.3g} m from", f"target point {target:.3g} m", f"about {0.72 * 3.1 + target:.3g} m"):
        assert text in _hint(scene, 3.2)

    def failed(*verdicts: Verdict) -> Any:
        return _Candidate(np.eye(3), 5.0, 0.3, verdicts)

    torque, reach = at_most("base torque", "N m", 3.0, 2.0), Verdict("reach of the path", "m", 0.4, 1e-3, -1.0)
    near, less = (
        at_least("distance from singularity", "", 0.19, 0.2),
        at_least("distance from singularity", "", 0.05, 0.2),
    )
    some = [failed(torque, near), failed(at_most("base torque", "N m", 2.5, 2.0)), failed(less), failed(reach)]
    text = _reason(scene, some, 7, (4.0, 9.5))
    assert text.startswith("none of 4 candidates (7 sides, 4 to 9.5 s) keeps every limit; failed by ")
    assert "base torque: 2 (nearest 2.5, limit 2 N m)" in text and "reach of the path: 1 (" in text
    assert "distance from singularity: 1 (nearest 0.05, limit 0.2)" in text and "another posture" not in text
    assert "another posture at the start" in _reason(scene, [failed(reach)] * 2, 1, (4.0, 9.5))


def test_the_candidate_with_the_most_room_is_finished_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within each share; one that fails on the fine grid is followed by the next, and the others are counted."""

    def slack(value: float) -> tuple[Verdict, ...]:
        return (Verdict("a", "m", 1.0, 2.0, 0.5), Verdict("b", "m", 1.0, 2.0, value))

    slacks = {1.0: -0.1, 2.0: 0.2, 3.0: 0.4, 4.0: 0.1, 5.0: 0.3}
    evaluated: list[list[float]] = []

    def evaluate(scene: Any, some: list[_Candidate]) -> list[_Candidate]:
        evaluated.append([c.duration for c in some])
        return [_Candidate(c.side, c.duration, c.quality, slack(slacks[c.duration])) for c in some]

    finished: list[tuple[float, int]] = []

    def finish(scene: Any, candidate: _Candidate, tried: int) -> Any:
        finished.append((candidate.duration, tried))
        return SimpleNamespace(verdicts=slack(0.1 if candidate.duration == good else -0.2), duration=candidate.duration)

    monkeypatch.setattr(robot_capture, "_CHUNK", 3)
    monkeypatch.setattr(robot_capture, "_evaluate", evaluate)
    monkeypatch.setattr(robot_capture, "_finished", finish)
    candidates = [_Candidate(np.eye(3), d, 0.0, ()) for d in slacks]
    good = 4.0
    plan = robot_capture._first_accepted(_scene(), candidates, 3, (1.0, 5.0))
    assert plan.duration == 4.0 and evaluated == [[1.0, 2.0, 3.0], [4.0, 5.0]]
    assert finished == [(3.0, 3), (2.0, 3), (5.0, 5), (4.0, 5)]
    good = 0.0
    with pytest.raises(PlanError, match="none of 5 candidates"):
        robot_capture._first_accepted(_scene(), candidates, 3, (1.0, 5.0))


def test_times_and_limits_of_a_search() -> None:
    assert _times((3, 5.5), 0.5, 2) == (3.0, 5.5, 0.5, 2.0) and _times((3.0, 3.0), 1.0, 1.0)[:2] == (3.0, 3.0)
    for wrong in ((0.0, 1.0), (2.0, 1.0), (1.0, np.inf), (np.nan, 1.0), (1.0,), (1.0, 2.0, 3.0), "ab", 4.0):
        with pytest.raises(InputError, match="durations must be two times"):
            _times(cast(Any, wrong), 1.0, 1.0)
    for every, hold, name in ((0.0, 1.0, "every"), (1.0, -1.0, "hold")):
        with pytest.raises(InputError, match=name):
            _times((1.0, 2.0), every, hold)
    limits = RobotLimits()
    assert (limits.singularity, limits.clearance, limits.reserve) == (0.2, 0.05, 0.25)
    assert limits.approach_angle == pytest.approx(np.radians(60.0))
    for field, value in (("reserve", 1.0), ("reserve", -0.1), ("clearance", -0.1), ("joint_torque", [1.0, 0.0]),
                         ("base_torque", []), ("joint_range", 0.0), ("base_torque", -1.0)):  # fmt: skip
        with pytest.raises(InputError, match=field):
            RobotLimits(**{field: cast(Any, value)})
    assert RobotLimits(reserve=0.0).reserve == 0.0 and RobotLimits(base_torque=np.inf).base_torque == np.inf
    assert at_most("x", "", 3.0, 4.0).slack == 0.25 and at_most("x", "", 3.0, np.inf).slack == 1.0
    assert at_least("x", "", 5.0, 4.0).slack == 0.25 and at_least("x", "", 2e-3, 0.0).slack == pytest.approx(2.0)
    assert at_most("x", "", 4.0, 4.0).ok and not at_most("x", "", 4.1, 4.0).ok


def _two_arms() -> da.Machine:
    """Two arms on a hub, the first with a bracket, a tool, a sensor and a finger, the second of two links; a flap."""
    names = ("hub", "a", "bracket", "b", "tool", "sensor", "finger", "c", "d", "flap", "mast")
    joints = [
        ("hub", "free", "world"), ("a", "revolute", "hub"), ("bracket", "fixed", "a"), ("b", "revolute", "bracket"),
        ("tool", "fixed", "b"), ("sensor", "fixed", "a"), ("finger", "revolute", "b"), ("c", "revolute", "hub"),
        ("d", "prismatic", "c"), ("flap", "revolute", "mast"), ("mast", "fixed", "hub"),
    ]  # fmt: skip
    return da.Machine(
        "two arms",
        [da.box(name, 1.0, (0.1, 0.2, 0.3)) for name in names],
        [da.Joint(f"j{name}", kind, parent, name) for name, kind, parent in joints],
        frames=[da.Frame("tip", "tool"), da.Frame("hand", "d")],
    )


def test_shape_of_an_arm_and_of_others_that_share_no_link_with_it() -> None:
    eom = da.equations(_two_arms(), backend="vm")
    robot = SimpleNamespace(eom=eom, frame="tip", base="jhub")
    shape = arm_shape(cast(Any, robot), 0.03)
    assert shape.frames == ("a", "b", "tip") and shape.radius == 0.03
    assert set(shape.others) == {("c", "d", "hand"), ("flap", "flap")}
    assert {o.name for o in shape.boxes} == {"hub", "mast"}
    assert arm_shape(cast(Any, robot)).radius == 0.08
    other = arm_shape(cast(Any, SimpleNamespace(eom=eom, frame="hand", base="jhub")))
    assert other.frames == ("c", "d", "hand")
    assert set(other.others) == {("a", "b", "tip"), ("a", "b", "finger", "finger"), ("a", "sensor"), ("flap", "flap")}
    with pytest.raises(InputError, match="frame 'mast' of machine 'two arms' is not at the end of an arm"):
        arm_shape(cast(Any, SimpleNamespace(eom=eom, frame="mast", base="jhub")))


def test_boxes_for_collision() -> None:
    place = da.Transform.rpy(0.3, 0.2, -0.6, (0.1, 0.2, 0.3))
    solids = (
        da.Geometry(da.Box((1.0, 2.0, 3.0)), place), da.Geometry(da.Sphere(0.3)),
        da.Geometry(da.Box((1.0, 2.0, 3.0)), collision=False),
    )  # fmt: skip
    (found,) = boxes_of("bus", solids)
    assert found.name == "bus" and found.size.tolist() == [1.0, 2.0, 3.0]
    np.testing.assert_allclose(found.pose[:3, :3], Rotation.from_euler("xyz", [0.3, 0.2, -0.6]).as_matrix(), atol=1e-12)
    np.testing.assert_allclose(found.pose[:, 3], [0.1, 0.2, 0.3, 1.0])
    assert found.pose[3].tolist() == [0.0, 0.0, 0.0, 1.0]


def test_scene_of_a_search() -> None:
    """Numbers of the robot where it is: attitude, centre of mass, joints, pose of the tip, length of its arm."""
    lengths = (0.7, 0.5, 0.9)
    links = [da.box(f"l{k}", 1.0 + k, (0.1, 0.2, 0.3), com=(0.1, 0.02 * k, 0.0)) for k in range(3)]
    at = [(0.3, 0.2, 0.1), (0.7, 0.0, 0.0), (0.0, 0.5, 0.0)]
    joints = [
        da.Joint(f"q{k}", "revolute", "hub" if k == 0 else f"l{k - 1}", f"l{k}", origin=at[k], axis="zyx"[k])
        for k in range(3)
    ]
    machine = da.Machine(
        "robot",
        [da.box("hub", 20.0, (1.0, 1.1, 1.2)), *links],
        [da.Joint("hub", "free", "world", "hub"), *joints],
        frames=[da.Frame("tip", "l2", (0.0, 0.0, 0.9))],
        gravity=(0.0, 0.0, 0.0),
    )
    held = held_base(machine, frame="tip")
    eom, q = held.eom, np.random.default_rng(2).normal(size=10)
    q[3:7] /= np.linalg.norm(q[3:7])
    body, limits = cast(Any, SimpleNamespace(point=(0.5, -0.2, 0.7))), RobotLimits(base_torque=(1.0, 2.0, 3.0))
    crate = da.Geometry(da.Box((1.0, 2.0, 3.0)))
    scene = robot_capture._scene(held, body, q, limits, (4.0, None), (crate, 0.05))
    R = Rotation.from_quat(q[[4, 5, 6, 3]]).as_matrix()
    np.testing.assert_allclose(scene.attitude, q[3:7])
    np.testing.assert_allclose(scene.R, R, atol=1e-12)
    np.testing.assert_allclose(scene.joints, q[7:])
    np.testing.assert_allclose(scene.centre, eom.center_of_mass(q))
    np.testing.assert_allclose(scene.axis, np.array([0.5, -0.2, 0.7]) / np.sqrt(0.78))
    tip, first = eom.pose("tip", q), eom.pose("l0", q)
    np.testing.assert_allclose(scene.centre + R @ scene.home[:3, 3], tip[:3, 3], atol=1e-12)
    np.testing.assert_allclose(R @ scene.home[:3, :3], tip[:3, :3], atol=1e-12)
    np.testing.assert_allclose(scene.centre + R @ scene.shoulder, first[:3, 3], atol=1e-12)
    assert scene.reach == pytest.approx(sum(lengths)) and scene.hold == 4.0 and scene.shape.radius == 0.05
    assert [o.name for o in scene.obstacles] == ["debris"] and scene.limits is limits
    other = robot_capture._scene(held, body, q, limits, (4.0, (0.0, 3.0, 4.0)), ((crate, crate), 0.05))
    assert other.axis.tolist() == [0.0, 0.6, 0.8] and len(other.obstacles) == 2
    for axis in ((0.0, 0.0, 0.0), (1.0, 2.0), (np.nan, 1.0, 0.0), (np.inf, 1.0, 0.0)):
        with pytest.raises(InputError, match="axis must be 3 finite numbers"):
            robot_capture._scene(held, body, q, limits, (4.0, axis), ((), 0.05))
    for name, value, count in (("base_torque", (1.0, 2.0), 3), ("joint_torque", (1.0, 2.0, 3.0, 4.0), 3)):
        with pytest.raises(InputError, match=f"{name} of the limits must be one number or {count}, got {len(value)}"):
            robot_capture._scene(held, body, q, RobotLimits(**{name: cast(Any, value)}), (4.0, None), ((), 0.05))
    with pytest.raises(InputError, match="radius"):
        robot_capture._scene(held, body, q, limits, (4.0, None), ((), 0.0))


def test_candidates_are_evaluated_until_the_hold_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each on its own times, path and part of the motion, in axes of the base at the centre of mass."""
    scene, asked = _scene(), []

    def path(k: float) -> Any:
        def at(t: Array) -> PoseMotion:
            way = np.outer(t, [k, 2.0, 3.0])
            turn = _attitude(k * t)
            return PoseMotion(way, 2.0 * way, 3.0 * way, turn, 4.0 * way, 5.0 * way)

        return at

    def follow(whole: PoseMotion, times: Array, joints: Array) -> ArmMotion:
        asked.append((whole, times))
        return ArmMotion(*(np.arange(2.0) + 10.0 * i for i, _ in enumerate(fields(ArmMotion))))

    scene.robot = SimpleNamespace(follow=follow, least=lambda joints: np.array([0.7, 0.8]))
    scene.joints = np.zeros(3)
    monkeypatch.setattr(robot_capture, "_path", lambda scene, c: (f"body {c.duration:g}", None, path(c.duration)))
    monkeypatch.setattr(robot_capture, "_verdicts", lambda *given: given[1:])
    found = robot_capture._evaluate(scene, [_Candidate(np.eye(3), d, 0.1, ()) for d in (6.0, 9.0)])
    ((whole, times),) = asked
    np.testing.assert_allclose(times[:, [0, -1]], [[0.0, 10.0], [0.0, 13.0]])
    assert times.shape == (2, 48) and np.ptp(np.diff(times, axis=1), axis=1).max() < 1e-12
    R = scene.R
    for k, d in enumerate((6.0, 9.0)):
        way = np.outer(times[k], [d, 2.0, 3.0])
        made = PoseMotion(*(x[k] for x in whole))
        np.testing.assert_allclose(made[0], (way - scene.centre) @ R)
        for i, factor in ((1, 2.0), (2, 3.0), (4, 4.0), (5, 5.0)):
            np.testing.assert_allclose(made[i], factor * way @ R)
        np.testing.assert_allclose(made[3], R.T @ _attitude(d * times[k]), atol=1e-12)
        body, t, one, least = cast(Any, found[k].verdicts)
        assert body == f"body {d:g}" and (t == times[k]).all() and least == (0.7, 0.8)[k]
        assert [getattr(one, f.name) for f in fields(ArmMotion)] == [
            k + 10.0 * i for i in range(len(fields(ArmMotion)))
        ]
