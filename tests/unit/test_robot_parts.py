"""Parts of plans and laws of robots one by one: shapes, verdicts, rotors, appendages and rows of points."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.control.rotors import _spins, base_gyros, base_wheels, fixed_to, gyro_cluster
from dalembert.model.appendages import _mass_on_spring
from dalembert.model.transform import Transform
from dalembert.plan.clearance import _boxes
from dalembert.plan.robot_capture import _verdicts
from dalembert.plan.robot_limits import RobotLimits
from dalembert.systems.flexible_arms import planar_arm

MOUNT = Transform.rpy(0.3, -0.5, 1.1, (0.2, 0.9, -0.1))
PANEL = Transform.rpy(-0.7, 0.4, 0.2, (0.1, -0.3, 0.6))


def _robot() -> da.Machine:
    """A hub with a mast and a box on that, an arm of two links that carries a tool, a sensor on the arm, and wheels."""
    box = da.box("box", 2.0, (0.3, 0.5, 0.7))
    boxes = {name: da.box(name, 3.0, size) for name, size in (("hub", (1.0, 1.2, 1.4)), ("one", (0.2, 0.3, 0.9)))}
    wheel = da.Body("wheel", 1.0, inertia=(0.2, 0.1, 0.1))
    uneven = da.Body("uneven", 1.0, inertia=(0.2, 0.1, 0.15))
    beside = da.Body("beside", 1.0, com=(0.0, 0.01, 0.0), inertia=(0.2, 0.1, 0.1))
    far = da.Body("far", 1.0, inertia=(0.2, 0.1, 0.1))
    return da.Machine(
        "robot",
        [boxes["hub"], da.Body("mast", 1.0, inertia=(0.1, 0.2, 0.25)), box, boxes["one"], far, wheel, uneven, beside],
        [
            da.Joint("hub", "free", "world", "hub"),
            da.Joint("one", "revolute", "hub", "one", axis="y", origin=(0.0, 0.0, 0.7)),
            da.Joint("box", "fixed", "mast", "box", PANEL),
            da.Joint("mast", "fixed", "hub", "mast", MOUNT),
            da.Joint("far", "revolute", "one", "far", axis="x"),
            da.Joint("wheel", "revolute", "box", "wheel", axis="x", origin=(0.4, 0.1, 0.2)),
            da.Joint("uneven", "revolute", "hub", "uneven", axis="x"),
            da.Joint("beside", "revolute", "hub", "beside", axis="x"),
        ],
        motors=[da.Motor(f"{n}.motor", n) for n in ("one", "far", "wheel", "uneven", "beside")],
        gravity=(0.0, 0.0, 0.0),
    )


def _matrix(transform: Transform) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = np.array(transform.rotation, float), np.array(transform.translation, float)
    return X


def test_boxes_of_a_base_are_those_that_do_not_move_on_it() -> None:
    eom = da.equations(_robot(), backend="vm")
    found = {o.name: o for o in _boxes(eom, "hub")}
    assert sorted(found) == ["box", "hub"]
    np.testing.assert_allclose(found["hub"].pose, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(found["box"].pose, _matrix(MOUNT) @ _matrix(PANEL), atol=1e-12)
    np.testing.assert_allclose(found["box"].size, (0.3, 0.5, 0.7))


def test_wheels_of_a_base_turn_no_mass_and_are_carried_by_it() -> None:
    machine = _robot()
    assert fixed_to(machine, "hub") == {"hub", "mast", "box"}
    assert fixed_to(machine, "one") == {"one"} and fixed_to(machine, "mast") == {"mast", "box"}
    assert base_wheels(machine, "hub") == ("wheel.motor",)


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "screw"])
def test_a_mode_is_a_body_whose_motion_has_its_participation(kind: str) -> None:
    """Momentum and moment of momentum about the root at unit speed, per root of the generalised inertia."""
    rng = np.random.default_rng(4)
    A = rng.normal(size=(3, 3))
    for _ in range(5):
        row = rng.normal(size=6)
        if kind == "revolute":
            row[:3] = 0.0
        elif kind == "prismatic":
            row[3:] = np.cross(rng.normal(size=3), row[:3])
        mode = _mass_on_spring(row, A @ A.T)
        e, place = np.array(mode.axis), np.array(mode.place)
        speed = {"revolute": 0.0, "prismatic": 1.0, "screw": mode.pitch}[kind]
        turn = 0.0 if kind == "prismatic" else 1.0
        p = mode.mass * cast(float, speed) * e
        inertia = np.array([[float(x) for x in line] for line in mode.inertia])
        h = np.cross(place, p) + inertia @ e * turn
        assert mode.kind == kind and np.linalg.norm(e) == pytest.approx(1.0)
        found = np.concatenate([p, h]) / np.sqrt(mode.modal)
        np.testing.assert_allclose(found, row * np.sign(found @ row), atol=1e-12)
        assert mode.modal == pytest.approx(p @ e * cast(float, speed) + e @ inertia @ e * turn)
        assert (mode.pitch is None) == (kind != "screw")
        assert place @ e == pytest.approx(0.0, abs=1e-12)
        if kind == "revolute":
            assert mode.place == (0.0, 0.0, 0.0)


def test_a_rest_without_mass_is_at_the_root() -> None:
    """The inertia of the rest is that of the appendage, less those of the bodies that move at their places."""
    m = 9.0
    slosh = da.ModalAppendage(
        "tank", "hub", mass=m, com=(0.2, 0.3, -0.1), inertia=(2.0, 2.5, 3.0), omega=[2.0],
        participation=[[3.0, 0.0, 0.0, 0.0, -0.3, -0.9]],
    )  # fmt: skip
    rest, moving = slosh.bodies
    assert isinstance(rest, da.Body) and isinstance(moving, da.Body)
    assert rest.mass == 0.0 and tuple(rest.com) == (0.0, 0.0, 0.0) and moving.mass == pytest.approx(m)
    c, place = np.array([0.2, 0.3, -0.1]), np.array(slosh.joints[1].origin.translation, float)
    inertia = [np.array([[float(x) for x in row] for row in b.inertia]) for b in (rest, moving)]

    def about(x: np.ndarray) -> np.ndarray:
        return np.asarray(m * ((x @ x) * np.eye(3) - np.outer(x, x)))

    expected = np.diag([2.0, 2.5, 3.0]) + about(c)
    np.testing.assert_allclose(inertia[0] + inertia[1] + about(place), expected, atol=1e-12)


class _Wanted:
    """What the verdicts read of a robot: its rows, its joints with limits, and the pose of its tip."""

    def __init__(self, task: str, tips: np.ndarray) -> None:
        self.rows = np.arange(6), np.array([6, 7]), np.array([7, 8])
        self.names, self.task, self._tips = ("a", "b"), task, tips
        limits = {"a": da.Limits(-0.4, 1.1), "b": da.Limits(-5.0, 6.0)}
        self.eom = SimpleNamespace(machine=SimpleNamespace(joint=lambda name: SimpleNamespace(limits=limits[name])))

    def tip(self, joints: np.ndarray) -> tuple[np.ndarray]:
        return (self._tips[-len(joints) :],)


@pytest.mark.parametrize("task", ["position", "pose"])
def test_verdicts_on_a_motion(task: str) -> None:
    rng = np.random.default_rng(8)
    t, n = np.linspace(0.0, 12.0, 13), 13
    X = np.zeros((n, 4, 4))
    X[:, :3, :3] = Rotation.random(n, rng).as_matrix()
    body = SimpleNamespace(
        attitude=lambda t: Rotation.from_rotvec(np.outer(t, [0.1, -0.2, 0.05])).as_matrix(), velocity=(0.1, 0.0, 0.2)
    )
    limits = RobotLimits(
        base_torque=(2.0, 3.0, 4.0), joint_torque=5.0, joint_range=2.5, singularity=0.3, reserve=0.2, approach_angle=1.0
    )
    R, axis, hold = Rotation.random(random_state=3).as_matrix(), np.array([0.6, 0.0, 0.8]), 3.0
    scene = SimpleNamespace(robot=_Wanted(task, X), limits=limits, hold=hold, axis=axis, R=R)
    joints, effort = rng.uniform(-0.2, 0.9, (n, 2)), rng.normal(size=(n, 8))
    motion = SimpleNamespace(miss=np.full(n, 2e-4), joints=joints, effort=effort)
    least = rng.uniform(0.2, 1.0, n)
    for low in (0.0, 2.0):  # within the ranges, and beyond: the first by its own limits, the other by the general one
        joints[4, 0], joints[7, 1] = -0.3 - low, 2.3 + 0.05 * low
        made = _verdicts(cast(Any, scene), cast(Any, body), t, cast(Any, motion), least)
        found = {v.name: v for v in made}
        room = min(
            joints[:, 0].min() + 0.4, 1.1 - joints[:, 0].max(), joints[:, 1].min() + 2.5, 2.5 - joints[:, 1].max()
        )
        verdict = found["room to the joint range"]
        assert (verdict.value, verdict.slack) == pytest.approx((room, room / 2.5)) and verdict.ok == (low == 0.0)
        assert verdict.limit == 0.0
        used = np.abs(effort[:, 3:6]).max(axis=0) / (0.8 * np.array([2.0, 3.0, 4.0]))
        k = int(used.argmax())
        base, joint = found["base torque"], found["joint torque"]
        assert base.limit == pytest.approx(0.8 * (2.0, 3.0, 4.0)[k]) and base.slack == pytest.approx(1.0 - used[k])
        assert base.value == np.abs(effort[:, 3 + k]).max()
        assert joint.value == np.abs(effort[:, 6:]).max() and joint.limit == pytest.approx(4.0)
        singular = found["distance from singularity"]
        assert singular.value == least.min() and singular.slack == pytest.approx((least.min() - 0.3) / 0.3)
        assert ("approach angle" in found) == (task == "position")
        if task == "position":
            angles = [
                np.arccos(X[i, :3, 2] @ (R.T @ -(body.attitude(t[i : i + 1])[0] @ axis))) for i in range(n) if t[i] >= 9
            ]
            assert found["approach angle"].value == pytest.approx(max(angles)) and len(angles) == 4
            assert found["approach angle"].slack == pytest.approx(1.0 - max(angles))
    motion.miss[5] = 1e-3
    (lost,) = _verdicts(cast(Any, scene), cast(Any, body), t, cast(Any, motion), least)
    assert lost.name == "reach of the path" and lost.value == 1e-3 and not lost.ok


def test_rows_of_a_point_by_differences() -> None:
    """``f^T J_v + m^T J_w`` of points of a link, of the base and of the world, and their rates."""
    rng = np.random.default_rng(12)
    machine = da.Machine(
        "arm",
        [da.Body(n, 2.0, com=(0.1, 0.2, -0.3), inertia=(0.2, 0.3, 0.25)) for n in ("base", "one", "two")],
        [
            da.Joint("base", "free", "world", "base"),
            da.Joint("one", "revolute", "base", "one", MOUNT, axis="y"),
            da.Joint("two", "prismatic", "one", "two", PANEL, axis="x"),
        ],
    )
    eom = da.equations(machine, backend="vm")
    s, x, nv = eom.symbolic, np.array([0.3, -0.2, 0.5]), eom.nv
    F, M = rng.normal(size=(2, 3, 2))
    q, v = eom.random_configuration(rng), rng.normal(size=nv)

    def twist(frame: str, q: np.ndarray, dq: np.ndarray, h: float = 1e-6) -> np.ndarray:
        """Velocity of the point and angular velocity, in world axes."""
        after, before = (eom.pose(frame, eom.integrate(q, side * h * dq)) for side in (1.0, -1.0))
        turn = (after[:3, :3] - before[:3, :3]) @ eom.pose(frame, q)[:3, :3].T / (2.0 * h)
        speed = (after - before)[:3] @ np.append(x, 1.0) / (2.0 * h)
        return np.concatenate([speed, [turn[2, 1], turn[0, 2], turn[1, 0]]])

    for frame in ("two", "one", "base", "world"):
        found = eom.formulation.point_rows(frame, ca.SX(x), ca.SX(F), ca.SX(M))
        assert found is not None
        assert [y.shape for y in found] == [(2, nv), (2, 1), (2, 1)]
        f = ca.Function("f", [s.q, s.v, s.p], [ca.densify(ca.SX(y)) for y in found])
        rows, rates, further = (np.array(y.full()) for y in f(q, v, np.zeros(0)))
        J = np.column_stack([twist(frame, q, e) for e in np.eye(nv)]) if frame != "world" else np.zeros((6, nv))
        wrench = np.vstack([F, M])
        np.testing.assert_allclose(rows, wrench.T @ J, atol=1e-8)
        np.testing.assert_allclose(rates[:, 0], wrench.T @ J @ v, atol=1e-8)
        h = 1e-6
        ends = [np.array(f(eom.integrate(q, side * h * v), v, np.zeros(0))[1].full()) for side in (1.0, -1.0)]
        np.testing.assert_allclose(further, (ends[0] - ends[1]) / (2.0 * h), atol=1e-7)


def test_a_rotor_has_equal_moments_of_inertia_across_its_axis() -> None:
    """Whatever axis it has: any product of inertia, difference of moments or lever makes it no rotor."""
    for seed in range(6):
        Q = Rotation.random(random_state=seed).as_matrix()

        def turned(J: list[list[float]], c: list[float], Q: np.ndarray = Q) -> bool:
            body = da.Body("b", 1.0, com=tuple(Q @ np.array(c)), inertia=Q @ np.array(J) @ Q.T)
            return _spins(body, Q[:, 2])

        round_ = [[0.4, 0.0, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.7]]
        assert turned(round_, [0.0, 0.0, 0.3]) and not turned(round_, [1e-6, 0.0, 0.3])
        for i, j in ((0, 1), (0, 2), (1, 2)):
            for sign in (1.0, -1.0):
                skew = [list(row) for row in round_]
                skew[i][j] = skew[j][i] = sign * 1e-3
                assert not turned(skew, [0.0, 0.0, 0.0])
        for sign in (1.0, -1.0):
            assert not turned([[0.4 + sign * 1e-3, 0.0, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.7]], [0.0, 0.0, 0.0])
        assert turned([[0.4 + 1e-8, 0.0, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.7]], [0.0, 0.0, 1e-10])


def test_gyros_are_gimbals_with_one_rotor_that_turns_freely() -> None:
    """Their axes in those of the base, and inertias about them; others are left out."""
    disc, wheel = da.Body("disc", 1.0, inertia=(0.3, 0.5, 0.6)), da.Body("spun", 1.0, inertia=(0.07, 0.08, 0.11))
    across = np.array(PANEL.rotation, float)[:, 0]  # of the rotor, in axes of the disc
    g = np.cross(across, [0.3, -0.5, 0.8])
    g = g / np.linalg.norm(g)

    def craft(parent: str = "mast", axis: np.ndarray = g, driven: bool = False, **changes: Any) -> da.Machine:
        rotor = da.Joint(
            "rotor", changes.get("kind", "revolute"), "disc", "spun", axis=tuple(changes.get("spin", across))
        )
        gimbal = da.Joint("gimbal", changes.get("gimbal", "revolute"), parent, "disc", PANEL, axis=tuple(axis))
        more = [da.Body("other", 1.0, inertia=(0.1, 0.1, 0.1))] if changes.get("two") else []
        return da.Machine(
            "craft",
            [da.box("hub", 5.0, (1.0, 1.0, 1.0)), da.Body("mast", 1.0, inertia=(0.1, 0.1, 0.1)), disc, wheel, *more],
            [
                da.Joint("hub", "free", "world", "hub"),
                da.Joint("mast", changes.get("mast", "fixed"), "hub", "mast", MOUNT),
                gimbal,
                rotor,
                *(da.Joint(b.name, "revolute", "disc", b.name, axis="x") for b in more),
            ],
            motors=[da.Motor("turn", "gimbal"), *([da.Motor("spin", "rotor")] if driven else [])],
            gravity=(0.0, 0.0, 0.0),
        )

    machine = craft()
    assert base_gyros(machine, "hub") == ("turn",)
    (found,) = gyro_cluster(da.equations(machine, backend="vm"), "hub")
    assert (found.motor, found.gimbal, found.rotor) == ("turn", "gimbal", "rotor")
    R = _matrix(MOUNT)[:3, :3] @ _matrix(PANEL)[:3, :3]
    np.testing.assert_allclose(found.axis, R @ g, atol=1e-12)
    np.testing.assert_allclose(found.spin, R @ across, atol=1e-12)
    J, D = np.diag([0.07, 0.08, 0.11]), np.diag([0.3, 0.5, 0.6])
    assert found.inertia == pytest.approx(across @ J @ across)
    assert found.gimbal_inertia == pytest.approx(g @ (D + J) @ g)
    leaning = g + 0.1 * across
    for other in (
        craft(driven=True), craft(kind="prismatic"), craft(gimbal="prismatic"), craft(two=True),
        craft(spin=leaning / np.linalg.norm(leaning)), craft(mast="revolute"),
    ):  # fmt: skip
        assert base_gyros(other, "hub") == ()


@pytest.mark.parametrize("model", ["flex-M", "flex-MA", "flex-MR"])
def test_coriolis_matrices_of_approximate_beams_are_half_of_a_derivative(model: str) -> None:
    """``C v`` is the part of the bias that is quadratic in the velocities, and ``C`` half its derivative."""
    eom = da.equations(planar_arm(), approximation=model, backend="vm")
    rng = np.random.default_rng(2)
    q, v = eom.random_configuration(rng, 0.2), rng.normal(size=eom.nv)

    def quadratic(v: np.ndarray) -> np.ndarray:
        return np.asarray((eom.bias(q, v) + eom.bias(q, -v)) / 2.0 - eom.bias(q, 0.0 * v))

    C = eom.coriolis_matrix(q, v)
    assert np.abs(quadratic(v)).max() > 1e-3
    np.testing.assert_allclose(C @ v, quadratic(v), rtol=1e-8, atol=1e-9)
    slopes = np.column_stack([(quadratic(v + e) - quadratic(v - e)) / 4.0 for e in np.eye(eom.nv)])
    np.testing.assert_allclose(C, slopes, rtol=1e-7, atol=1e-8)
