"""Functions of plans, one by one, against numpy, scipy and their definitions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest
from scipy import interpolate
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.plan import rendezvous, robot_capture
from dalembert.plan.clearance import ArmShape, Obstacle, least_clearance
from dalembert.plan.flat import LoadReference, SmoothStep
from dalembert.plan.held_base import held_base
from dalembert.plan.pose import grip_rotation, gripped, meet_pose, resting_pose
from dalembert.plan.references import Quintic, Sine, Spline, Table
from dalembert.plan.rendezvous import Rendezvous, RendezvousLimits, plan_rendezvous
from dalembert.plan.robot_limits import RobotLimits, at_least, at_most
from dalembert.plan.shaping import SCurve, Shaper, ei, excitation, zv, zvd
from dalembert.plan.tip_task import Redundancy, chosen_task, linear_solver, rotation_vector, task_error, task_rows
from dalembert.plan.tumbling import TumblingBody


def _evaluated(*expressions: Any) -> list[Any]:
    return [np.array(x) for x in ca.Function("f", [], [ca.densify(ca.SX(x)) for x in expressions])().values()]


def _rotation(rng: np.random.Generator) -> Any:
    return Rotation.from_quat(rng.normal(size=4)).as_matrix()


# -- poses ------------------------------------------------------------------------------------------------------------


def test_a_path_meets_the_motion_of_a_grip() -> None:
    """Ends as given; between them the place and the rotation vector from the start are of degree five, rates exact."""
    rng = np.random.default_rng(1)
    body = TumblingBody(
        (2.0, 3.0, 4.5),
        rate=(0.3, -0.2, 0.4),
        point=(0.7, -0.4, 0.5),
        position=(1.0, 2.0, 3.0),
        velocity=(0.1, -0.2, 0.05),
    )
    grip, tf = _rotation(rng), 3.7
    target = gripped(body, grip)
    R0 = _rotation(rng)
    start = resting_pose(rng.normal(size=3), R0)._replace(
        velocity=rng.normal(size=3),
        acceleration=rng.normal(size=3),
        rate=0.3 * rng.normal(size=3),
        rate_change=0.2 * rng.normal(size=3),
    )
    path = meet_pose(target, start, tf)
    for got, expected in zip(path(0.0), start, strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-12)
    for got, expected in zip(path(tf * (1.0 - 1e-12)), target(tf), strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-8)
    t = np.array([[0.0, 0.6, 1.9], [3.1, 3.7, 5.2]])
    together = path(t)
    for i in np.ndindex(2, 3):
        for whole, one in zip(together, path(t[i]), strict=True):
            np.testing.assert_allclose(whole[i], one, atol=1e-12)
    for late in (3.7, 5.2):
        for got, expected in zip(path(late), target(late), strict=True):
            np.testing.assert_allclose(got, expected, atol=1e-12)
    h = 1e-4
    for s in (0.6, 1.9, 3.1):
        low, here, high = path(s - h), path(s), path(s + h)
        np.testing.assert_allclose((high.position - low.position) / (2 * h), here.velocity, atol=1e-6)
        np.testing.assert_allclose((high.velocity - low.velocity) / (2 * h), here.acceleration, atol=1e-6)
        spin = (high.rotation - low.rotation) / (2 * h) @ here.rotation.T
        np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], here.rate, atol=1e-6)
        np.testing.assert_allclose((high.rate - low.rate) / (2 * h), here.rate_change, atol=1e-6)
    times = np.linspace(0.0, tf, 30, endpoint=False)
    motion = path(times)
    turned = Rotation.from_matrix(R0.T @ motion.rotation).as_rotvec()
    for values in (motion.position, turned):
        fit = np.polynomial.polynomial.polyfit(times, values, 5)
        np.testing.assert_allclose(np.polynomial.polynomial.polyval(times, fit).T, values, atol=1e-9)


@pytest.mark.parametrize("angle", [0.0, 1e-5, 0.05, 0.3, 2.0, np.pi - 1e-6])
def test_a_path_over_any_angle(angle: float) -> None:
    rng = np.random.default_rng(2)
    for axis in (*np.eye(3), *-np.eye(3), rng.normal(size=3)):
        R0 = _rotation(rng)
        R1 = R0 @ Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
        end = resting_pose([1.0, 2.0, 3.0], R1)
        path = meet_pose(lambda t, end=end: end, resting_pose([0.0, 0.0, 0.0], R0), 2.0)
        half = Rotation.from_matrix(R0.T @ path(1.0).rotation)
        np.testing.assert_allclose(half.as_rotvec(), 0.5 * angle * axis / np.linalg.norm(axis), atol=1e-8)
        np.testing.assert_allclose(path(2.0 - 1e-13).rotation, R1, atol=1e-9)


def test_grips_are_attitudes_or_poses() -> None:
    rng = np.random.default_rng(3)
    R, X = _rotation(rng), np.eye(4)
    X[:3, :3], X[:3, 3] = R.T, rng.normal(size=3)
    np.testing.assert_array_equal(grip_rotation(None), np.eye(3))
    np.testing.assert_array_equal(grip_rotation(R), R)
    np.testing.assert_array_equal(grip_rotation(X), R)
    for bad in (1.1 * R, np.eye(2), "upright", R + 1e-5):
        with pytest.raises(InputError, match="a grip is the attitude of the tip"):
            grip_rotation(cast(Any, bad))
    with pytest.raises(InputError, match="a pose is a position"):
        resting_pose([0.0, 0.0], R)
    with pytest.raises(InputError, match="a pose is a position"):
        resting_pose([0.0, 0.0, 0.0], 1.001 * R)


# -- tasks of a tip ---------------------------------------------------------------------------------------------------


def test_errors_of_tasks_are_rotation_vectors() -> None:
    rng = np.random.default_rng(4)
    for angle in (0.0, 1e-4, 0.8, 3.0):
        R = _rotation(rng)
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        turn = Rotation.from_rotvec(angle * axis)
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = R, rng.normal(size=3)
        goal, place = turn.as_matrix() @ R, rng.normal(size=3)
        away = place - X[:3, 3]
        pose, position, pointing, vector = (
            x.ravel()
            for x in _evaluated(
                *(task_error(name, ca.SX(X), ca.SX(place), ca.SX(goal)) for name in ("pose", "position", "axis")),
                rotation_vector(ca.SX(turn.as_matrix())),
            )
        )
        np.testing.assert_allclose(pose, [*away, *(angle * axis)], atol=1e-9)
        np.testing.assert_allclose(position, away, atol=1e-14)
        np.testing.assert_allclose(vector, angle * axis, atol=1e-9)
        z, d = R[:, 2], goal[:, 2]
        across = np.cross(z, d)
        least = np.arctan2(np.linalg.norm(across), z @ d) * across / max(np.linalg.norm(across), 1e-300)
        np.testing.assert_allclose(pointing, [*away, *(R[:, :2].T @ least)], atol=1e-9)
        rows = dict(
            zip(
                ("pose", "axis", "position"),
                _evaluated(*(task_rows(n, ca.SX(X)) for n in ("pose", "axis", "position"))),
                strict=True,
            )
        )
        np.testing.assert_array_equal(rows["pose"], np.eye(6))
        np.testing.assert_array_equal(rows["position"], np.eye(6)[:3])
        twist = rng.normal(size=6)
        np.testing.assert_allclose(rows["axis"] @ twist, [*twist[:3], *(R[:, :2].T @ twist[3:])], atol=1e-14)
    A, b = rng.normal(size=(4, 4)), rng.normal(size=(4, 2))
    np.testing.assert_allclose(_evaluated(linear_solver(ca.SX(A))(ca.SX(b)))[0], np.linalg.solve(A, b), rtol=1e-11)


def test_tasks_by_the_number_of_joints() -> None:
    expected = {3: "position", 4: "position", 5: "axis", 6: "pose", 9: "pose"}
    assert {n: chosen_task(None, n, "arm") for n in expected} == expected
    for task, least in (("position", 3), ("axis", 5), ("pose", 6)):
        assert chosen_task(task, least, "arm") == task
        with pytest.raises(InputError, match=f"needs {least} joints between base and tip, arm has {least - 1}"):
            chosen_task(task, least - 1, "arm")
    with pytest.raises(InputError, match="at least 3 joints"):
        chosen_task(None, 2, "arm")
    with pytest.raises(UnknownNameError):
        chosen_task("plane", 9, "arm")


@pytest.mark.parametrize("speed", [None, 0.05])
def test_rates_of_redundant_joints_are_least(speed: float | None) -> None:
    """The conditions of the minimum with multipliers, solved as one system."""
    rng = np.random.default_rng(5)
    n, k, m, mu, gain = 7, 3, 1.7, 20.0, 0.08
    middle, half, theta = rng.normal(size=n), rng.uniform(0.5, 2.0, n), rng.normal(size=n)
    J, H, B = rng.normal(size=(k, n)), rng.normal(size=(3, n)), rng.normal(size=(3, 3))
    inertia = B @ B.T + np.eye(3)
    t = rng.normal(size=k)
    made = Redundancy(m, mu, middle, half, gain)
    square = None if speed is None else ca.SX(speed**2)
    rates = _evaluated(made.solver(ca.SX(J), ca.SX(H), ca.SX(inertia), ca.SX(theta), square)(ca.SX(t)))[0].ravel()
    z = np.zeros(n)
    if speed is not None:
        z = -gain * half * ((theta - middle) / half) ** 3 * speed**2 / (speed**2 + 0.02**2)
    W = m * np.eye(n) + mu * H.T @ np.linalg.solve(inertia, H)
    K = np.block([[W, J.T], [J, np.zeros((k, k))]])
    np.testing.assert_allclose(rates, np.linalg.solve(K, [*(m * z), *t])[:n], rtol=1e-10)


def test_ranges_of_the_joints_of_a_robot() -> None:
    """Middle and half of each range, half a turn to either side without limits; the mean inertia of the joints."""
    bodies = [da.box(name, 2.0 + k, (0.3, 0.2, 0.4)) for k, name in enumerate(("hull", "upper", "fore", "hand"))]
    joints = [
        da.Joint("base", "free", "world", "hull"),
        da.Joint("j1", "revolute", "hull", "upper", axis="z", origin=(0.3, 0.1, 0.2), limits=da.Limits(-0.5, 2.0)),
        da.Joint("j2", "revolute", "upper", "fore", axis="y", origin=(0.5, 0.1, 0.0)),
        da.Joint("j3", "revolute", "fore", "hand", axis="x", origin=(0.4, 0.0, 0.3), limits=da.Limits(upper=1.0)),
    ]
    eom = da.equations(da.Machine("robot", bodies, joints, gravity=(0.0, 0.0, 0.0)), backend="vm")
    robot = held_base(eom, "hand", task="position")
    found = robot._redundancy
    np.testing.assert_allclose(found.middle, [0.75, 0.0, (1.0 - np.pi) / 2.0])
    np.testing.assert_allclose(found.half, [1.25, np.pi, (1.0 + np.pi) / 2.0])
    M = eom.mass_matrix(eom.q_neutral)
    assert found.inertia == pytest.approx(np.diag(M)[6:].mean(), rel=1e-12) and robot.names == ("j1", "j2", "j3")


def test_the_reaction_of_a_held_base() -> None:
    """Momentum of all bodies by the rates of the joints, the centre of mass at rest; and by that of the base."""
    bodies = [
        da.Body(name, 2.0 + k, com=(0.1 * k, -0.2, 0.15), inertia=(0.3, 0.4 + 0.1 * k, 0.5))
        for k, name in enumerate(("hull", "upper", "fore", "hand"))
    ]
    joints = [
        da.Joint("base", "free", "world", "hull"),
        da.Joint("j1", "revolute", "hull", "upper", axis=(0.6, 0, 0.8), origin=(0.3, 0.1, 0.2)),
        da.Joint("j2", "revolute", "upper", "fore", axis="y", origin=(0.5, 0.1, 0.0)),
        da.Joint("j3", "revolute", "fore", "hand", axis=(0.28, 0.96, 0.0), origin=(0.4, -0.1, 0.3)),
    ]
    eom = da.equations(da.Machine("robot", bodies, joints, gravity=(0.0, 0.0, 0.0)), backend="vm")
    robot = held_base(eom, "hand", task="position")
    theta, symbols = np.array([0.7, -1.1, 0.4]), robot._symbols
    H, inertia, place = (
        np.array(x)
        for x in ca.Function("f", [symbols[0]], [ca.densify(x) for x in (*robot._reaction, symbols[2])])(theta)
    )
    q = eom.q_neutral.copy()
    q[[eom.q_names.index(n) for n in ("j1", "j2", "j3")]] = theta
    q[:3] = place[:, 0]
    np.testing.assert_allclose(eom.center_of_mass(q), 0.0, atol=1e-12)

    def momentum(v: Any) -> tuple[Any, Any]:
        linear, angular = np.zeros(3), np.zeros(3)
        for body in bodies:
            X, twist = eom.pose(body.name, q), eom.jacobian(body.name, q, axes="world") @ v
            R = X[:3, :3]
            r = R @ np.array(body.com, dtype=float)
            p = float(body.mass) * (twist[:3] + np.cross(twist[3:], r))
            linear += p
            angular += R @ np.array(body.inertia, dtype=float) @ R.T @ twist[3:] + np.cross(X[:3, 3] + r, p)
        return linear, angular

    total = sum(float(b.mass) for b in bodies)
    for k in range(3):
        v = np.zeros(eom.nv)
        v[6 + k] = 1.0
        v[:3] = -momentum(v)[0] / total  # the base is not turned: its axes are those of the world
        np.testing.assert_allclose(momentum(v)[1], H[:, k], atol=1e-12)
    for k in range(3):
        about = np.array([momentum(np.eye(eom.nv)[3 + k])[i] for i in (0, 1)])
        moment = about[1] - np.cross(place[:, 0], about[0])  # about the origin of the base
        np.testing.assert_allclose(moment, inertia[:, k], atol=1e-12)


# -- clearances and limits --------------------------------------------------------------------------------------------


def _apart(a: Any, b: Any, other: Any) -> float:
    """Distance of a segment from another one or a box, by dense samples and a search around the best of them."""
    from scipy.optimize import minimize

    if len(other) == 2 and np.shape(other[0]) == (3,):
        c, d = other
        found = [
            minimize(
                lambda s: np.linalg.norm(a + s[0] * (b - a) - c - s[1] * (d - c)), x, bounds=[(0, 1)] * 2, tol=1e-14
            ).fun
            for x in ([0.5, 0.5], [0.0, 1.0], [1.0, 0.0])
        ]
        return float(min(found))
    X, size = other
    s = np.linspace(0.0, 1.0, 20001)[:, None]
    local = (a + s * (b - a) - X[:3, 3]) @ X[:3, :3]
    return float(np.linalg.norm(np.maximum(np.abs(local) - 0.5 * size, 0.0), axis=1).min())


def test_least_distances_of_a_scene() -> None:
    """Each pair of parts that counts, at each time; links that follow each other and the grip are left out."""
    rng = np.random.default_rng(6)
    steps, radius = 3, 0.04
    first = np.cumsum(
        np.concatenate([np.zeros((steps, 1, 3)), rng.uniform(0.4, 0.9, (steps, 5, 3)) * [1, 0.5, -0.8]], axis=1), axis=1
    )
    second = np.cumsum(
        np.concatenate([np.full((steps, 1, 3), -0.6), rng.uniform(-0.7, -0.2, (steps, 3, 3))], axis=1), axis=1
    )
    frames, chain = tuple("abcdef"), tuple("wxyz")
    chains = {frames: first, chain: second}
    place = rng.normal(size=(steps, 3)) * 0.02

    def pose(at: Any) -> Any:
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = _rotation(rng), at
        return X

    robot = SimpleNamespace(points=lambda names: lambda joints: chains[names], place=lambda joints: place)
    boxes = (
        Obstacle("hull", pose([-0.2, -0.1, 0.6]), np.array([0.3, 0.2, 0.5])),
        Obstacle("panel", pose([0.3, 1.9, 0.9]), np.array([0.9, 0.1, 0.4])),
    )
    shape = ArmShape(frames, radius, boxes, (chain,))
    debris = np.stack([pose([3.5, 2.0, -2.5]) for _ in range(steps)])
    parts = (
        Obstacle("bus", pose([0.1, 0.2, -0.3]), np.array([0.8, 0.6, 0.4])),
        Obstacle("bus", pose([-0.9, 0.0, 0.2]), np.array([0.2, 1.5, 0.3])),
    )
    found = least_clearance(cast(Any, robot), shape, np.zeros((steps, 5)), debris, parts)
    expected: dict[str, float] = {}

    def note(name: str, value: float) -> None:
        expected[name] = min(value, expected.get(name, np.inf))

    for k in range(steps):
        moved = np.eye(4)
        moved[:3, 3] = place[k]
        own = [(o.name, moved @ o.pose, o.size) for o in boxes]
        others = [(o.name, debris[k] @ o.pose, o.size) for o in parts]
        links = [(first[k, i], first[k, i + 1]) for i in range(5)]
        arms = [(second[k, i], second[k, i + 1]) for i in range(3)]
        for i, (a, b) in enumerate(links):
            for name, X, size in own:
                if name == "panel" or i > 0:
                    begin = a + 0.2 * (b - a) if name == "hull" and i == 1 else a
                    note(f"arm from {name}", _apart(begin, b, (X, size)) - radius)
            if i < 4:
                for name, X, size in others:
                    note(f"arm from {name}", _apart(a, b, (X, size)) - radius)
            for j in range(i + 2, 5):
                note("arm from itself", _apart(a, b, links[j]) - 2 * radius)
            for c, d in arms:
                note("arm from other arm", _apart(a, b, (c, d)) - 2 * radius)
        for i, (a, b) in enumerate(arms):
            for name, X, size in others:
                note(f"other arm from {name}", _apart(a, b, (X, size)) - radius)
            for name, X, size in own:
                if name == "panel" or i > 1:
                    note(f"other arm from {name}", _apart(a, b, (X, size)) - radius)
    for name, value in expected.items():
        assert found.pop(name) == pytest.approx(value, abs=1e-4), name
    assert set(found) == {"hull from bus", "panel from bus"}
    for mine in boxes:
        nearest = np.inf
        for k in range(steps):
            moved = np.eye(4)
            moved[:3, 3] = place[k]
            X = np.linalg.inv(moved @ mine.pose) @ debris[k]
            for other in parts:
                Y = X @ other.pose
                grid = np.stack(np.meshgrid(*[np.linspace(-0.5, 0.5, 41)] * 3), -1).reshape(-1, 3) * other.size
                local = grid @ Y[:3, :3].T + Y[:3, 3]
                nearest = min(nearest, np.linalg.norm(np.maximum(np.abs(local) - 0.5 * mine.size, 0.0), axis=1).min())
        assert found[f"{mine.name} from bus"] == pytest.approx(nearest, abs=0.03)


def test_room_below_and_above_limits() -> None:
    assert (
        at_most("a", "m", 3.0, 4.0).slack == 0.25
        and not at_most("a", "m", 4.1, 4.0).ok
        and at_most("a", "m", 4.0, 4.0).ok
    )
    assert at_most("a", "m", 3.0, np.inf).slack == 1.0
    assert (
        at_least("a", "m", 5.0, 4.0).slack == 0.25
        and not at_least("a", "m", 3.9, 4.0).ok
        and at_least("a", "m", 4.0, 4.0).ok
    )
    assert at_least("a", "m", 0.002, 0.0).slack == pytest.approx(2.0)
    verdict = at_most("torque", "N m", 3.0, 4.0)
    assert (verdict.name, verdict.unit, verdict.value, verdict.limit) == ("torque", "N m", 3.0, 4.0)
    kept = RobotLimits()
    assert (kept.base_torque, kept.joint_torque) == (5.0, 200.0)  # SPACE table 8.1
    assert RobotLimits(joint_torque=[1.0, np.inf]).joint_torque == (1.0, np.inf) and RobotLimits(base_torque=np.inf)
    assert RobotLimits(reserve=0.0, clearance=0.0, singularity=0.0).reserve == 0.0
    for fields, words in (
        ({"reserve": 1.0}, "reserve must be within 0 and 1, got 1"),
        ({"reserve": -0.1}, "reserve must be within 0 and 1"),
        ({"clearance": -0.1}, "clearance must be >= 0"),
        ({"singularity": -0.1}, "singularity must be >= 0"),
        ({"joint_range": 0.0}, "joint_range"),
        ({"base_torque": (1.0, 0.0)}, "base_torque must be numbers > 0"),
        ({"joint_torque": []}, "joint_torque must be numbers > 0"),
        ({"joint_torque": -1.0}, "joint_torque"),
    ):
        with pytest.raises(InputError, match=words):
            RobotLimits(**cast(Any, fields))


def test_the_least_rotation_between_directions() -> None:
    rng = np.random.default_rng(7)
    for _ in range(5):
        a, b = rng.normal(size=(2, 3))
        a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
        for end in (b, -a, a, *(x * np.sign(x @ b) for x in np.eye(3))):
            R = robot_capture._between(a, end)
            np.testing.assert_allclose(R @ a, end, atol=1e-8)
            np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-8)
            assert np.linalg.det(R) > 0.0
            angle = np.arccos(np.clip(a @ end, -1.0, 1.0))
            assert np.linalg.norm(Rotation.from_matrix(R).as_rotvec()) == pytest.approx(angle, abs=1e-4)


def test_the_largest_use_of_torques() -> None:
    efforts = np.array([[1.0, -6.0, 2.0], [-2.0, 3.0, -2.5]])
    verdict = robot_capture._torque("t", efforts, 0.75, (4.0, 20.0, 4.0))
    assert (verdict.value, verdict.limit) == (2.5, 3.0) and verdict.slack == pytest.approx(0.5 / 3.0)
    verdict = robot_capture._torque("t", efforts, 0.5, 10.0)
    assert (verdict.value, verdict.limit) == (6.0, 5.0) and not verdict.ok


def test_candidates_are_within_reach_and_face_the_arm() -> None:
    """Places and directions of the grip while the tip goes with it, from each side, one by one."""
    rng = np.random.default_rng(8)
    body = TumblingBody(
        (2.0, 3.0, 4.5),
        rate=(0.02, -0.03, 0.04),
        point=(0.7, -0.4, 0.5),
        position=(2.6, 0.4, 0.3),
        velocity=(0.004, -0.003, 0.002),
    )
    axis = np.array([0.6, -0.48, 0.64])
    scene: Any = SimpleNamespace(
        body=body,
        hold=12.0,
        axis=axis,
        centre=np.array([0.1, -0.2, 0.05]),
        R=_rotation(rng),
        shoulder=np.array([0.2, 0.1, 0.3]),
        reach=2.4,
    )
    durations, sides = np.arange(20.0, 200.0, 7.0), robot_capture._sides(15)
    found, nearest = robot_capture._screen(scene, durations, sides)
    expected, closest = [], np.inf
    for G in sides:
        for tf in durations:
            t = np.linspace(tf, tf + 12.0, 6)
            far, facing = [], []
            for time in t:
                A = G @ body.attitude(time)
                place = np.array(body.position) + G @ (time * np.array(body.velocity)) + A @ body.point
                way = scene.R.T @ (place - scene.centre) - scene.shoulder
                far.append(np.linalg.norm(way))
                facing.append(-(scene.R.T @ A @ axis) @ way / far[-1])
            closest = min(closest, max(far))
            if max(far) < 0.98 * 2.4 and min(facing) > 0.3:
                worst = max(abs(x / 2.4 - 0.72) for x in far)
                expected.append(
                    (tf / 100.0 - min(facing) - 0.5 * (1.0 - worst / 0.3), tf, min(facing) + 0.5 * (1.0 - worst / 0.3))
                )
    expected.sort()
    assert len(found) == len(expected) > 3 and nearest == pytest.approx(closest)
    np.testing.assert_allclose([(c.duration, c.quality) for c in found], [x[1:] for x in expected], rtol=1e-9)


def test_the_grip_is_reached_when_it_faces_the_arm_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """The grip is chosen for the middle of the hold; from home the tip turns as little as possible onto it."""
    rng = np.random.default_rng(13)
    body = TumblingBody((2.0, 3.0, 4.5), rate=(0.02, -0.03, 0.04), point=(0.7, -0.4, 0.5), position=(2.6, 0.4, 0.3))
    home = np.eye(4)
    home[:3, :3], home[:3, 3] = _rotation(rng), rng.normal(size=3)
    axis = np.array([0.6, -0.48, 0.64])
    scene: Any = SimpleNamespace(
        body=body, hold=12.0, axis=axis, centre=rng.normal(size=3), R=_rotation(rng), home=home
    )
    G = _rotation(rng)
    candidate = robot_capture._Candidate(G, 31.0, 0.0)
    seen, grip, path = robot_capture._path(scene, candidate)
    there = seen.attitude(31.0 + 6.0) @ grip  # in the middle of the hold
    np.testing.assert_allclose(there[:, 2], -seen.attitude(37.0) @ axis, atol=1e-10)
    least = np.arccos(np.clip(there[:, 2] @ (scene.R @ home[:3, :3])[:, 2], -1.0, 1.0))
    turn = Rotation.from_matrix(there @ (scene.R @ home[:3, :3]).T)
    assert np.linalg.norm(turn.as_rotvec()) == pytest.approx(least, abs=1e-9)
    np.testing.assert_allclose(path(0.0).position, scene.centre + scene.R @ home[:3, 3], atol=1e-12)
    np.testing.assert_allclose(path(0.0).rotation, scene.R @ home[:3, :3], atol=1e-12)
    np.testing.assert_allclose(path(31.0).rotation, seen.attitude(31.0) @ grip, atol=1e-12)
    local = robot_capture._local(scene, path(20.0))
    x = path(20.0)
    for got, expected in zip(
        local,
        (
            scene.R.T @ (x[0] - scene.centre),
            scene.R.T @ x[1],
            scene.R.T @ x[2],
            scene.R.T @ x[3],
            scene.R.T @ x[4],
            scene.R.T @ x[5],
        ),
        strict=True,
    ):
        np.testing.assert_allclose(got, expected, atol=1e-12)


# -- rendezvous -------------------------------------------------------------------------------------------------------


def test_use_of_the_limits_of_a_rendezvous() -> None:
    """Of a path that is known: cubic curves between states, straight lines between accelerations."""
    rng = np.random.default_rng(9)
    t = np.array([1.0, 3.0, 4.5, 7.0, 9.0, 10.0])
    x = np.column_stack(
        [
            np.linspace(9.0, 2.0, 6),
            np.linspace(-6.0, 0.5, 6) ** 2 / 9.0,
            rng.normal(size=6),
            0.3 * rng.normal(size=(6, 3)),
        ]
    )
    a = 0.1 * rng.normal(size=(6, 3))
    limits = RendezvousLimits(keep_out=4.0, corridor=0.4, acceleration=0.3, plume=(5.0, 0.02), speed=1.1)
    axes = np.stack([_rotation(rng) for _ in t])
    path = Rendezvous(t, x, a, 4.5, limits)
    verdicts = {v.name: v for v in rendezvous._judged(path, axes)}
    fine = np.concatenate(
        [
            np.linspace(p, q, 200, endpoint=False)
            for p, q in zip(np.linspace(1.0, 10.0, 21)[:-1], np.linspace(1.0, 10.0, 21)[1:], strict=True)
        ]
    )[::200]
    fine = np.append(fine, 10.0)
    curves = [interpolate.BPoly.from_derivatives(t, np.stack([x[:, k], x[:, 3 + k]], axis=1)) for k in range(3)]
    place = np.stack([c(fine) for c in curves], axis=1)
    speed = np.stack([c.derivative()(fine) for c in curves], axis=1)
    thrust = np.stack([np.interp(fine, t, a[:, k]) for k in range(3)], axis=1)
    distance, late = np.linalg.norm(place, axis=1), fine >= 4.5
    angle = np.degrees(np.arccos(place[late] @ place[-1] / distance[-1] / distance[late])).max()
    near = distance < 5.0
    used = {
        "keep-out distance": (distance[~late].min(), 4.0),
        "corridor": (angle, np.degrees(0.4)),
        "acceleration": (max(np.abs(R.T @ b).max() for R, b in zip(axes, a, strict=True)), 0.3),
        "plume": (max((thrust * place).sum(axis=1)[near] / distance[near]), 0.02),
        "closing speed": (np.linalg.norm(speed[late], axis=1).max(), 1.1),
    }
    assert list(verdicts) == list(used)
    for name, (value, limit) in used.items():
        verdict = verdicts[name]
        assert (verdict.value, verdict.limit) == pytest.approx((value, limit), rel=1e-9), name
        slack = value / limit - 1.0 if name == "keep-out distance" else 1.0 - value / limit
        assert verdict.slack == pytest.approx(slack, abs=2e-6), name
    assert not {"plume", "closing speed"} & {
        v.name for v in rendezvous._judged(Rendezvous(t, x, a, 4.5, RendezvousLimits(keep_out=4.0)), axes)
    }
    assert rendezvous._below("x", "m", 0.5, 0.0).slack == -0.5
    assert path.duration == 9.0
    size = [np.linalg.norm([np.interp(s, t, a[:, k]) for k in range(3)]) for s in np.linspace(1.0, 10.0, 40001)]
    assert path.impulse == pytest.approx(np.trapezoid(size, dx=9.0 / 40000), rel=2e-3)
    np.testing.assert_allclose(path.thrust([[2.0], [8.0]])[1, 0], a[3] + 0.5 * (a[4] - a[3]), rtol=1e-12)


def test_limits_of_a_rendezvous_at_their_bounds() -> None:
    """The cone of the corridor is narrower than a half-space; defaults are those of the manual."""
    kept = RendezvousLimits(keep_out=4.0)
    assert (kept.acceleration, kept.ramp, kept.plume, kept.speed) == (0.01, 20.0, (0.0, np.inf), np.inf)
    assert np.degrees(kept.corridor) == pytest.approx(15.0)
    assert RendezvousLimits(keep_out=4.0, corridor=1.57, plume=(0.0, 0.0)).corridor == 1.57
    for fields, words in (
        ({"corridor": np.pi / 2}, "corridor of RendezvousLimits must be below pi / 2"),
        ({"corridor": 0.0}, "corridor of RendezvousLimits"),
        ({"keep_out": 0.0}, "keep_out of RendezvousLimits"),
        ({"ramp": 0.0}, "ramp of RendezvousLimits"),
        ({"plume": (-1.0, 1.0)}, "plume of RendezvousLimits must be"),
        ({"plume": (1.0, -1.0)}, "plume of RendezvousLimits must be"),
        ({"plume": (1.0,)}, "plume of RendezvousLimits must be"),
        ({"speed": 0.0}, "speed must be > 0"),
    ):
        with pytest.raises(InputError, match=words):
            RendezvousLimits(**cast(Any, {"keep_out": 4.0, **fields}))
    start, end = [-30.0, 0, 0, 0, 0, 0], [0, 5.0, 0, 0, 0, 0]
    for path, times, words in (
        ((start, end), (0.0, 100.0, 100.0), "must increase"),
        ((start, end), (0.0, 0.0, 100.0), "must increase"),
        (([-3.0, 0, 0, 0, 0, 0], end), (0.0, 50.0, 100.0), "begins outside of its keep-out zone of 4 m, got 3 m"),
        ((start, 6 * [0.0]), (0.0, 50.0, 100.0), "must not be at the target"),
        ((start[:5], end), (0.0, 50.0, 100.0), "start of a rendezvous must be a position and a velocity"),
    ):
        with pytest.raises(InputError, match=words):
            plan_rendezvous(*path, kept, times=times)


def test_a_path_in_free_space_between_its_nodes() -> None:
    rng = np.random.default_rng(10)
    t, a = np.array([2.0, 5.0, 6.0, 10.0]), rng.normal(size=(4, 3))
    states, x = [rng.normal(size=6)], None
    for k in range(3):
        h = t[k + 1] - t[k]
        slope = (a[k + 1] - a[k]) / h
        p, v = states[-1][:3], states[-1][3:]
        states.append(np.concatenate([p + h * v + h**2 / 2 * a[k] + h**3 / 6 * slope, v + h * a[k] + h**2 / 2 * slope]))
    x = np.array(states)
    path = Rendezvous(t, x, a, 5.0, RendezvousLimits(keep_out=4.0))
    for s in (1.0, 2.0, 3.3, 5.0, 5.9, 7.7, 10.0, 12.0):
        at = min(max(s, 2.0), 10.0)
        k = min(int(np.searchsorted(t, at, side="right")) - 1, 2)
        h, slope = at - t[k], (a[k + 1] - a[k]) / (t[k + 1] - t[k])
        p, v = x[k, :3], x[k, 3:]
        expected = [*(p + h * v + h**2 / 2 * a[k] + h**3 / 6 * slope), *(v + h * a[k] + h**2 / 2 * slope)]
        np.testing.assert_allclose(path.state(s), expected, atol=1e-10)


def test_a_first_path_goes_around_and_straight_in() -> None:
    x0, x1 = np.array([-18.0, 6.0, 9.0, 1, 2, 3]), np.array([0.8, 2.4, -0.6, 1, 2, 3])
    t = np.linspace(3.0, 23.0, 21)
    limits = RendezvousLimits(keep_out=6.0)
    path = rendezvous._first_path(x0, x1, t, 15.0, limits)
    np.testing.assert_allclose(path[[0, -1]], [x0[:3], x1[:3]], atol=1e-12)
    a, b = (x[:3] / np.linalg.norm(x[:3]) for x in (x0, x1))
    far = np.linalg.norm(path, axis=1)
    gate = 6.0 / rendezvous._WITHIN
    blend = lambda s: 10 * s**3 - 15 * s**4 + 6 * s**5  # noqa: E731
    for k, time in enumerate(t):
        s, w = blend(min((time - 3.0) / 12.0, 1.0)), blend(max((time - 15.0) / 8.0, 0.0))
        size = (1 - s) * 21.0 + s * gate if time <= 15.0 else (1 - w) * gate + w * np.linalg.norm(x1[:3])
        assert far[k] == pytest.approx(size)
        assert np.arccos(np.clip(path[k] @ a / far[k], -1, 1)) == pytest.approx(s * np.arccos(a @ b), abs=1e-7)
        assert abs(np.cross(a, b) @ path[k]) < 1e-12
    opposite = rendezvous._first_path(x0, -0.1 * x0, t, 15.0, limits)
    assert np.linalg.norm(opposite, axis=1).min() > 2.0
    inside = rendezvous._first_path(x0, 0.5 * x0, t, 15.0, limits)
    np.testing.assert_allclose(np.cross(inside, a), 0.0, atol=1e-5)
    for axis in (a, b, np.array([0.0, 0.0, 1.0])):
        sides, same = rendezvous._cone(axis)
        np.testing.assert_allclose(sides @ axis, 0.0, atol=1e-12)
        gram = sides @ sides.T
        n = len(sides)
        np.testing.assert_allclose(gram, np.cos(2 * np.pi * (np.arange(n)[:, None] - np.arange(n)) / n), atol=1e-12)
        assert same is axis


@pytest.mark.parametrize(("entry", "first"), [(0.5, 2), (99.5, -3), (60.0, None)])
def test_the_entry_is_a_node(entry: float, first: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two steps or more before it and after it, else as many as its part of the time."""
    seen: list[Any] = []

    def program(x0: Any, x1: Any, t: Any, *others: Any) -> Any:
        seen.append(t)
        raise InputError("seen")

    monkeypatch.setattr(rendezvous, "_program", program)
    with pytest.raises(InputError, match="seen"):
        plan_rendezvous(
            [-30.0, 0, 0, 0, 0, 0], [0, 5.0, 0, 0, 0, 0], RendezvousLimits(keep_out=8.0), times=(0.0, entry, 100.0)
        )
    (t,) = seen
    n = len(t) - 1
    k = int(np.flatnonzero(t == entry)[0])
    assert k == (round(0.6 * n) if first is None else first % (n + 1))
    np.testing.assert_allclose(np.diff(t[: k + 1]), entry / k)
    np.testing.assert_allclose(np.diff(t[k:]), (100.0 - entry) / (n - k))


# -- references -------------------------------------------------------------------------------------------------------


def test_references_are_their_formulas() -> None:
    rng = np.random.default_rng(11)
    times, values = np.array([0.5, 1.1, 2.0, 3.7]), rng.normal(size=(4, 2))
    grid = np.concatenate([[-1.0, 0.5, 3.7, 9.0], rng.uniform(0.4, 3.9, 30), times])
    table, spline = Table(times, values), Spline(times, values)
    cubic = interpolate.CubicSpline(times, values, bc_type="clamped")
    a, b = rng.normal(size=(2, 2))
    sine, phase = Sine(a, b, 0.37, [0.4, -1.2]), np.array([0.4, -1.2])
    move = Quintic(a, b, 1.7, 0.6)
    for t in grid:
        inside = np.clip(t, 0.5, 3.7)
        np.testing.assert_allclose(
            np.array(table(t)).ravel(), [np.interp(t, times, values[:, k]) for k in range(2)], atol=1e-12
        )
        np.testing.assert_allclose(np.array(spline(t)).ravel(), cubic(inside), atol=1e-12)
        np.testing.assert_allclose(np.array(sine(t)).ravel(), a + b * np.sin(2 * np.pi * 0.37 * t + phase), atol=1e-12)
        s = np.clip((t - 0.6) / 1.7, 0.0, 1.0)
        np.testing.assert_allclose(
            np.array(move(t)).ravel(), a + (b - a) * (10 * s**3 - 15 * s**4 + 6 * s**5), atol=1e-12
        )
        for order in (0, 1, 3, 4, 10):
            step = SmoothStep(a, b, 1.7, order=order, delay=0.6)
            from scipy.special import betainc

            np.testing.assert_allclose(
                np.array(step(t)).ravel(), a + (b - a) * betainc(order + 1, order + 1, s), atol=1e-9
            )
    load = LoadReference(SmoothStep(0.3, 1.9, 2.0), omega=1.7)
    smooth, h = SmoothStep(0.3, 1.9, 2.0), 1e-4
    for t in (0.4, 1.3):
        second = (float(smooth(t + h)) - 2.0 * float(smooth(t)) + float(smooth(t - h))) / h**2
        assert float(load.acceleration(t)) == pytest.approx(second, abs=1e-5)
        assert float(load(t)) == pytest.approx(float(smooth(t)) + second / 1.7**2, abs=1e-5)
    assert load.duration == 2.0
    assert SmoothStep(0.0, 1.0, 1.0).order == 4
    for make, words in (
        (lambda: SmoothStep(0.0, 1.0, 1.0, order=11), "order of a SmoothStep"),
        (lambda: SmoothStep(0.0, 1.0, 1.0, order=-1), "order of a SmoothStep"),
        (lambda: LoadReference(smooth, omega=0.0), "omega of a LoadReference must be > 0"),
        (lambda: Quintic(0.0, 1.0, 0.0), "duration of a Quintic must be > 0"),
        (lambda: Quintic(0.0, 1.0, 1.0, -0.1), "delay of a Quintic"),
        (lambda: Quintic([0.0, 1.0], 1.0, 1.0), "equal lengths, got 2 and 1"),
        (lambda: Sine([0.0, 1.0], [1.0, 2.0, 3.0], 1.0), "must be one number or 3 numbers, got 2"),
        (lambda: Sine(0.0, 1.0, np.inf), "frequency of a Sine"),
        (lambda: Table([0.0], [1.0]), "needs 2 times or more"),
        (lambda: Table([0.0, 1.0, 1.0], [1.0, 2.0, 3.0]), "must increase, got 1 before 1"),
        (lambda: Table([0.0, 1.0], [1.0, np.nan]), "must be finite"),
        (lambda: excitation(move, 1.0, 0.0), "the end of a reference must be a time > 0 s, got 0.0"),
        (lambda: excitation(move, 0.0, 1.0), "must be > 0 rad/s"),
    ):
        with pytest.raises(InputError, match=words):
            make()
    assert Quintic(0.0, 1.0, 1.0, 0.0).delay == 0.0 and Table([0.0, 1.0], [1.0, 2.0])


def test_shapers_are_those_of_their_papers() -> None:
    """Singer and Seering for ZV and ZVD; EI leaves its tolerance, 5 % unless given, at the modelled frequency."""
    w, z = 2.3, 0.12
    K, half = np.exp(-z * np.pi / np.sqrt(1 - z**2)), np.pi / w / np.sqrt(1 - z**2)
    for made, amplitudes in ((zv(w, z), [1, K]), (zvd(w, z), [1, 2 * K, K**2])):
        np.testing.assert_allclose(made.amplitudes, np.array(amplitudes) / sum(amplitudes), rtol=1e-12)
        np.testing.assert_allclose(made.times, half * np.arange(len(amplitudes)), rtol=1e-12)
    assert float(ei(w).vibration(w)) == pytest.approx(0.05, rel=1e-9)
    assert float(ei(w, z).vibration(w, z)) == pytest.approx(0.05, rel=1e-6)
    rng = np.random.default_rng(12)
    t, A = np.array([0.0, 0.4, 1.3]), np.array([0.5, 0.2, 0.3])
    shaper, omega = Shaper(tuple(t), tuple(A)), rng.uniform(0.5, 4.0, 3)
    decay, turn = z * omega[:, None], omega[:, None] * np.sqrt(1 - z**2)
    late = A * np.exp(-decay * (t[-1] - t))  # of each impulse what is left when the last one comes
    expected = np.hypot((late * np.cos(turn * t)).sum(axis=1), (late * np.sin(turn * t)).sum(axis=1))
    np.testing.assert_allclose(shaper.vibration(omega, z), expected, rtol=1e-12)
    both = shaper * zv(w)
    np.testing.assert_allclose(both.vibration(omega), shaper.vibration(omega) * zv(w).vibration(omega), rtol=1e-10)
    assert both.duration == pytest.approx(1.3 + np.pi / w) and shaper.duration == 1.3
    shaped = shaper(Quintic(0.2, 1.1, 2.0))
    assert shaped.duration == 3.3
    move = Quintic(0.2, 1.1, 2.0)
    assert float(shaped(1.9)) == pytest.approx(sum(b * float(move(1.9 - s)) for s, b in zip(t, A, strict=True)))
    for bad in (
        ([0.1, 0.2], [0.5, 0.5]),
        ([0.0, 0.2], [0.5, 0.6]),
        ([0.0, 0.3, 0.2], [0.5, 0.3, 0.2]),
        ([0.0], [0.5, 0.5]),
    ):
        with pytest.raises(InputError):
            Shaper(*cast(Any, bad))


def test_phases_of_an_s_curve() -> None:
    """Integrated jerk by jerk; the fastest one within limits meets one of them in each phase that it has."""
    curve = SCurve(0.4, -1.7, 0.3, 0.5, 0.7, delay=0.2)
    n = 60000
    t = np.linspace(0.0, 3.5, n + 1)
    edges = 0.2 + np.cumsum([0.3, 0.5, 0.3, 0.7, 0.3, 0.5, 0.3])
    jerk = np.select([t < 0.2, *[t < e for e in edges]], [0.0, 1.0, 0.0, -1.0, 0.0, -1.0, 0.0, 1.0], 0.0)
    h = t[1]
    moved = np.cumsum(np.cumsum(np.cumsum(jerk))) * h**3
    for k in range(0, n, 3000):
        assert float(curve(t[k])) == pytest.approx(0.4 - 2.1 * moved[k] / moved[-1], abs=2e-3)
    assert curve.duration == pytest.approx(2.9)
    acceleration = np.cumsum(jerk) * h
    peaks = [np.abs(x).max() * 2.1 / moved[-1] for x in (np.cumsum(acceleration) * h, acceleration, jerk)]
    np.testing.assert_allclose(np.array(curve.peaks).ravel(), peaks, rtol=2e-3)
    for way, limits, met in (
        (9.0, (1.3, 0.9, 2.0), (True, True, True)),
        (9.0, (1.3, 5.0, 2.0), (True, False, True)),
        (1.5, (3.0, 0.9, 2.0), (False, True, True)),
        (0.2, (3.0, 0.9, 1.0), (False, False, True)),
    ):
        fast = SCurve.limited(0.5, 0.5 - way, velocity=limits[0], acceleration=limits[1], jerk=limits[2], delay=0.4)
        found = np.array(fast.peaks).ravel() / limits
        assert (found < 1.0 + 1e-9).all() and ((found > 1.0 - 1e-9) == met).all() and fast.delay == 0.4
        assert (fast.cruise_time > 0.0) == met[0] and (fast.acceleration_time > 0.0) == met[1]
    timed = SCurve.timed(0.0, 1.0, 6.0, cruise=0.25, smooth=0.4, delay=0.3)
    assert (timed.duration, timed.cruise_time, timed.delay) == pytest.approx((6.0, 1.5, 0.3))
    ramp = (timed.jerk_time, timed.acceleration_time)
    assert ramp == pytest.approx((0.4 * 2.25 / 2, 0.6 * 2.25))
    plain = SCurve.timed(0.0, 1.0, 6.0)
    assert (plain.cruise_time, plain.acceleration_time, plain.jerk_time) == pytest.approx((2.0, 0.0, 1.0))
