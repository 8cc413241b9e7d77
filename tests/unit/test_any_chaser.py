"""Captures by chasers that the library does not ship: their models, gains, limits and flights."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.support.chasers import FLIGHTS, RATE, four_joints, hulk, seven_joints, six_joints, two_arms

import dalembert as da
from dalembert import control, plan
from dalembert.analysis.linear_at_rest import linear_matrices
from dalembert.control.allocation import allocate
from dalembert.control.rotors import base_wheels
from dalembert.model import Orbit, yamanaka_ankersen
from dalembert.plan.tip_task import TASKS
from dalembert.spatial.rotations import numpy, rotation_euler321
from dalembert.systems import space_robots
from dalembert.systems.space_robots import settings
from dalembert.systems.space_robots.aborting import GuardedGuide, cut
from dalembert.systems.space_robots.debris_twin import debris_twin
from dalembert.systems.space_robots.flight_data import Flight, feedback_of
from dalembert.systems.space_robots.flying_around import FlyAround, chosen_way
from dalembert.systems.space_robots.robust_gains import capture_plant
from dalembert.systems.space_robots.twins import chaser_twins

ROOM = Path(space_robots.__file__).parent


def _robot(machine: da.Machine, tip: str, task: str | None = None, reaction: float = 20.0) -> plan.HeldBase:
    twin = space_robots.rigid_twin(machine, tip)
    return plan.held_base(da.equations(twin, backend="vm"), tip, task=task, reaction=reaction)


def _path(robot: plan.HeldBase, joints: np.ndarray, seed: int = 0) -> plan.PosePath:
    rng = np.random.default_rng(seed)
    X = robot.tip(joints)[0]
    turn = numpy(rotation_euler321(0.2 * rng.normal(size=3)))
    goal = plan.resting_pose(X[:3, 3] + 0.25 * rng.normal(size=3), X[:3, :3] @ turn)
    return plan.meet_pose(lambda t: goal, plan.resting_pose(X[:3, 3], X[:3, :3]), 10.0)


@pytest.mark.parametrize(
    ("machine", "tip", "task", "bent"),
    [
        (four_joints, "hand", "position", {"j2": -0.9, "j3": 1.6, "j4": -0.7}),
        (seven_joints, "hand", "pose", {"j2": -0.9, "j4": 1.6, "j6": -0.7}),
        (seven_joints, "hand", "axis", {"j2": -0.9, "j4": 1.6, "j6": -0.7}),
    ],
)
def test_joints_serve_the_task_of_the_tip(machine, tip, task, bent) -> None:
    """Rates and accelerations are the derivatives of the joints, and the tip keeps the rows of its task."""
    robot = _robot(machine(), tip, task)
    joints = np.array([bent.get(n, 0.1) for n in robot.names])
    path, t = _path(robot, joints), np.linspace(0.0, 10.0, 2001)
    motion = robot.follow(path(t), t, joints, steps=3)
    assert motion.miss.max() < 1e-8
    X, wanted = robot.tip(motion.joints)[0], path(t)
    assert np.abs(X[:, :3, 3] - wanted.position).max() < 1e-8
    if task == "pose":
        assert np.abs(X[:, :3, :3] - wanted.rotation).max() < 1e-8
    elif task == "axis":
        assert np.abs(X[:, :3, 2] - wanted.rotation[:, :, 2]).max() < 1e-8
        assert np.abs(X[:, :3, 0] - wanted.rotation[:, :, 0]).max() > 1e-3  # the turn about it is free
    h = t[1]
    middle = slice(200, -200)
    rate = (motion.joints[2:] - motion.joints[:-2]) / (2 * h)
    assert np.allclose(rate[middle], motion.rates[1:-1][middle], atol=2e-5)
    second = (motion.rates[2:] - motion.rates[:-2]) / (2 * h)
    assert np.allclose(second[middle], motion.accelerations[1:-1][middle], atol=2e-5)


def test_redundant_joints_disturb_the_base_least() -> None:
    """The rates are those of least energy of joints and base: against a solution by Lagrange's multipliers."""
    calm, careless = (_robot(seven_joints(), "hand", reaction=x) for x in (20.0, 0.0))
    joints = np.array([{"j2": -0.9, "j4": 1.6, "j6": -0.7}.get(n, 0.1) for n in calm.names])
    path, t = _path(calm, joints), np.linspace(0.0, 10.0, 101)
    torques = [np.abs(r.follow(path(t), t, joints).effort[:, r.rows[0][3:]]).max() for r in (calm, careless)]
    assert torques[0] < 0.9 * torques[1]
    eom, (base, rows, _) = calm.eom, calm.rows
    q = calm.configuration(joints, np.zeros(3), np.array([1.0, 0, 0, 0]))
    M, J = eom.mass_matrix(q), calm.tip(joints)[1]
    still = -np.linalg.solve(M[np.ix_(base[:3], base[:3])], M[np.ix_(base[:3], rows)])
    H = M[np.ix_(base[3:], rows)] + M[np.ix_(base[3:], base[:3])] @ still
    W = np.diag(eom.mass_matrix(eom.q_neutral))[rows].mean() * np.eye(7)
    W = W + 20.0 * H.T @ np.linalg.solve(M[np.ix_(base[3:], base[3:])], H)
    twist = np.array([1e-9, 0.0, 0.0, 0.01, -0.02, 0.03])  # so slow that the ranges of the joints do not matter
    A = np.block([[W, J.T], [J, np.zeros((6, 6))]])
    wanted = np.linalg.solve(A, np.concatenate([np.zeros(7), twist]))[:7]
    assert np.allclose(calm.rates(joints, twist), wanted, atol=1e-10)
    # far out in its range a joint comes back while the tip moves
    fast = np.concatenate([[0.1, 0.0, 0.0], np.zeros(3)])
    out = joints.copy()
    out[0] = 3.0
    assert calm.rates(out, fast)[0] < calm.rates(out, np.array([1e-9, 0, 0, 0, 0, 0]))[0] - 1e-3


def test_two_arms_can_leave_the_base_alone() -> None:
    """With six joints to spare the reaction null space holds every motion of the tip: the base needs no torque."""
    start = FLIGHTS["two"][1]["joints"]
    torques = []
    for weight in (0.0, 20.0, 1e6):
        robot = _robot(two_arms(), "left.hand", reaction=weight)
        joints = np.array([start.get(n, 0.1) for n in robot.names])
        path, t = _path(robot, joints, 1), np.linspace(0.0, 10.0, 61)
        motion = robot.follow(path(t), t, joints)
        assert motion.miss.max() < 1e-5
        torques.append(np.abs(motion.effort[:, robot.rows[0][3:]]).max())
    assert torques[1] < 0.8 * torques[0] and torques[2] < 0.01 * torques[0], torques


def test_a_smaller_task_is_chosen_by_the_number_of_joints() -> None:
    assert [chaser_twins(m, t).task for m, t in ((four_joints(), "hand"), (seven_joints(), "hand"))] == [
        "position",
        "pose",
    ]
    assert list(TASKS) == ["pose", "axis", "position"]
    with pytest.raises(
        da.InputError, match=r"task 'pose' .* needs 6 joints between base and tip, .* has 4: choose 'position'"
    ):
        chaser_twins(four_joints(), "hand", "z", "pose")
    with pytest.raises(da.UnknownNameError, match="no frame named 'arm'"):
        chaser_twins(four_joints(), "arm")
    with pytest.raises(da.InputError, match="approach must be 'x', 'y' or 'z'"):
        chaser_twins(four_joints(), "hand", "-x")
    with pytest.raises(da.InputError, match="no driven joint is between the base"):
        chaser_twins(four_joints(), "bus")


def test_models_gains_and_limits_come_from_the_machine() -> None:
    twins = chaser_twins(six_joints(), "grapple", "x")
    assert twins.joints == tuple(f"j{k}" for k in range(1, 7)) and twins.wheels == ("w0", "w1", "w2", "w3")
    assert twins.rigid.eom.nv == 12 and twins.bent.eom.nv == 12 + 4  # two booms of two modes; arrays and wheels held
    start = space_robots.CaptureStart(joints={"j2": -0.9, "j3": 1.6, "j5": -0.7})
    gains = settings.derived_gains(twins, start)
    omega = [w for w in settings._bending(twins.machine, False) if w > 1e-6]
    assert omega[0] == pytest.approx(4.0, rel=0.35)  # the softest mode of the arrays, the hub held
    assert gains.base == pytest.approx(min(0.3, omega[0] / 13.0))
    eom, posture = da.equations(twins.machine, backend="vm"), start.posture(twins.joints, "")
    law = space_robots.CaptureFeedback.tuned(twins.rigid, gains, posture)
    q = eom.q_neutral.copy()
    q[[eom.q_names.index(n) for n in twins.joints]] = posture
    steps = [settings.growth(eom, q, eom.parameter_values(), law, h) for h in (gains.period, 0.1)]
    assert steps[0] < 1e-3 < steps[1]  # a period that is too long shakes the light joints
    base, joints = twins.torque_limits
    # four wheels along the diagonals of a cube: a torque about x takes sqrt(3)/4 of it from each
    assert base == pytest.approx([4.0 / np.sqrt(3.0) * 1.5] * 3) and joints == (50.0,) * 6
    soft = chaser_twins(four_joints(), "hand", "x")
    frame = soft.machine.frames[-1]
    assert frame.name == "hand.grip" and np.allclose(np.array(frame.origin.rotation, dtype=float)[:, 2], [1, 0, 0])
    assert settings.time_step(soft, debris_twin(hulk()), gains) <= 1e-3
    # the mass of the machine enters the gains: three times the mass is three times the gain
    heavy = four_joints().with_(bodies=[da.box("bus", 1500.0, (1.4, 1.4, 1.4)), *four_joints().bodies[1:]])
    laws = [
        space_robots.CaptureFeedback.tuned(chaser_twins(m, "hand").rigid, gains, np.zeros(4))
        for m in (four_joints(), heavy)
    ]
    ratio = np.array(laws[1].base_kp) / np.array(laws[0].base_kp)
    assert ratio.min() > 1.3 and ratio.max() < 3.0


def test_nozzles_that_only_push_give_any_wrench() -> None:
    eom = da.equations(four_joints(), backend="vm")
    shared = allocate(eom)
    assert not shared.missing and not shared.linear
    rng = np.random.default_rng(3)
    for w in rng.normal(size=(20, 6)):
        u = shared(w)
        assert u.min() >= 0.0
        assert np.allclose(shared.effect @ u, w, atol=1e-9)
    # a force of 2 N along x is that of two nozzles, or more, with the same sum; a couple has the lever of 1.4 m
    assert shared(np.array([2.0, 0, 0, 0, 0, 0])).sum() == pytest.approx(2.0)
    assert shared(np.array([0, 0, 0, 0, 0, 1.4])).sum() == pytest.approx(2.0)
    some = four_joints().thrusters[:3]
    with pytest.raises(da.InputError, match=r"cannot produce .*torque about x"):
        allocate(da.equations(four_joints().with_(thrusters=some), backend="vm"), need=("torque",))


def test_wheels_turn_the_base_and_thrusters_move_it() -> None:
    machine = six_joints()
    assert base_wheels(machine, "hub") == ("w0", "w1", "w2", "w3")
    shared = allocate(da.equations(machine, backend="vm"))
    u = shared(np.array([0.0, 0.0, 0.0, 0.1, -0.2, 0.5]))
    used = {n for n, x in zip(machine.u_names, u, strict=True) if abs(x) > 1e-12}
    assert used == {"w0", "w1", "w2", "w3"}
    assert np.allclose(shared.effect @ u, [0, 0, 0, 0.1, -0.2, 0.5], atol=1e-12)
    u = shared(np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
    assert all(n.startswith("jet") for n, x in zip(machine.u_names, u, strict=True) if abs(x) > 1e-12)


def test_wheels_of_a_mission_are_unloaded_near_their_limit() -> None:
    """The least momentum about an axis: for wheels along diagonals of a cube that of 4 / sqrt(3) wheels."""
    twins = chaser_twins(six_joints(), "grapple", "x")
    assert twins.wheel_momentum == pytest.approx(0.99 * 60.0 * 4.0 / np.sqrt(3.0), rel=1e-9)
    assert np.isinf(chaser_twins(seven_joints(), "hand", "x").wheel_momentum)
    phases, sensors = space_robots.CapturePhases(), space_robots.CaptureSensors()
    start, target = space_robots.CaptureStart(tip="grapple", approach="x"), debris_twin(hulk(), "target")
    gains, limits = space_robots.CaptureGains(), plan.RobotLimits()
    flight = Flight(start, twins, target, phases, sensors, gains, limits, False, print)
    law = control.Feedforward({"m1": 1.0})
    (inner, unloading) = flight.unloaded(law).laws
    assert inner == law and unloading.keep == pytest.approx(0.6 * twins.wheel_momentum)
    other = replace(flight, twins=chaser_twins(seven_joints(), "hand", "x"))
    assert other.unloaded(law) is law


def test_what_is_missing_is_told() -> None:
    with pytest.raises(da.InputError, match="needs the debris too"):
        space_robots.fly_capture(four_joints())
    with pytest.raises(da.InputError, match="a case brings its debris and its start"):
        space_robots.fly_capture(space_robots.random_case(0), rate=(0, 0, 0.1))
    with pytest.raises(da.UnknownNameError, match="no driven joint named 'elbow'"):
        space_robots.fly_capture(four_joints(), hulk(), tip="hand", joints={"elbow": 1.0}, camera=None)
    with pytest.raises(da.InputError, match=r"'four-joints' is not a debris|must float on one free joint"):
        wall = da.Machine("wall", [da.box("slab", 1.0, (1, 1, 1))], [da.Joint("slab", "revolute", "world", "slab")])
        space_robots.fly_capture(four_joints(), wall, tip="hand")
    bare = hulk().with_(bodies=[da.Body("hulk", 250.0, inertia=(60.0, 45.0, 70.0))])
    with pytest.raises(da.InputError, match="no box whose corners a camera could recognise"):
        _ = debris_twin(bare).features


def test_an_arm_out_of_reach_is_told_where_to_go() -> None:
    body = debris_twin(hulk()).tumbling(RATE, (1.0, 0.0, 0.0, 0.0), (9.0, 0.0, 0.0))
    robot = space_robots.rigid_twin(seven_joints(), "hand")
    with pytest.raises(plan.PlanError, match=r"from the first joint of the arm .* bring the chaser to about 3\.\d+ m"):
        plan.plan_robot_capture(da.equations(robot, backend="vm"), body, {"j4": 1.6}, frame="hand", sides=4)


def test_nothing_under_a_capture_names_a_joint_a_mass_or_a_gain() -> None:
    """Modules that fly a machine of the user hold no name and no mass of the ready-made one."""
    general = (
        "mission", "twins", "debris_twin", "feedback", "guidance", "guide_law", "detumbling", "requirements",
        "settings", "start", "watching", "outcome", "sensors", "bent_arm", "flying_around", "flight_data", "far_flight",
        "rendezvous_way", "robust_gains", "gripping", "transport", "aborting",
    )  # fmt: skip
    for module in general:
        tree = ast.parse((ROOM / f"{module}.py").read_text())
        docs = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or id(node) in docs:
                continue
            if isinstance(node.value, str):
                named = [
                    w
                    for w in ("theta1", "segment", "boom", "base.", "debris.", "torque.x", "force.x")
                    if w in node.value
                ]
                assert not named, f"{module}.py names {named} in {node.value!r}"
            elif isinstance(node.value, float):
                assert abs(node.value) <= 90.0 or node.value == 1e3, (
                    f"{module}.py holds the number {node.value}"
                )  # a watch of 90 s
        imports = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module}
        assert not {m for m in imports if m.endswith((".chaser", ".debris"))}, module


def test_the_plant_of_robust_gains_is_the_chaser_with_all_its_coordinates() -> None:
    """Responses at a frequency from the full matrices, with the base that moves: torques and accelerations to z."""
    twins = chaser_twins(seven_joints(), "hand", "x")
    eom = da.equations(twins.machine, backend="vm")
    posture, n = np.random.default_rng(3).uniform(-1.0, 1.0, 7), 10
    omega, damping = np.linspace(0.5, 1.5, n), np.linspace(0.6, 1.0, n)
    plant = capture_plant(eom, twins, posture, omega, damping, eom.parameter_values())
    q = eom.q_neutral.copy()
    q[[eom.q_names.index(x) for x in twins.joints]] = posture
    M, C, K = linear_matrices(eom, q, eom.parameter_values())
    held = [eom.v_names.index(f"{x}_dot") for x in twins.joints] + [3, 4, 5]
    s = 0.7j
    B = np.eye(eom.nv)[:, held]
    x = np.linalg.solve(s**2 * M + s * C + K, B)[held]  # per unit torque
    # accelerations of joints, base and beam alone, momentum kept: the force behind them leaves the place of the base
    place = [0, 1, 2]
    others = [k for k in range(eom.nv) if k not in place]
    whole = np.linalg.inv(np.linalg.inv(M)[np.ix_(others, others)])
    F = np.zeros((eom.nv, n))
    F[others] = whole[:, [others.index(k) for k in held]]
    y = np.linalg.solve(s**2 * M + s * C + K, F)[held]
    weight = (s**2 + 2 * damping * omega * s + omega**2)[:, None]
    expected = np.block([[weight * y, weight * x], [y, x], [s * y, s * x]])
    got = plant(s)
    assert np.allclose(got, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
    other = space_robots.CaptureGains(law=space_robots.CaptureFeedback((1.0,), (1.0,), (1,) * 3, (1,) * 3, ("a",), "b"))
    with pytest.raises(da.InputError, match="for the joints a on 'b', but machine 'seven-joints' has j1, j2"):
        feedback_of(twins, other, tuple(posture.tolist()))
    with pytest.raises(da.InputError, match="most of tune_capture must be above 1"):
        space_robots.tune_capture(seven_joints(), space_robots.CaptureStart(), most=1.0)


@pytest.mark.slow
def test_gains_tuned_for_a_chaser_of_the_user_are_flown() -> None:
    """In one call, for three postures together: the worst weighted acceleration falls, and the mission keeps limits."""
    make, start = FLIGHTS["seven"]
    start = {"rate": RATE, "approach": "x", **start}
    tuned = space_robots.tune_capture(make(), space_robots.CaptureStart(**start), evaluations=150)
    assert tuned.result.certified and tuned.worst < 0.5 * tuned.usual, (tuned.worst, tuned.usual)
    outcome = space_robots.fly_capture(make(), hulk(), gains=tuned.gains, **start)
    assert outcome.ok, str(outcome)
    assert {r.name: r.value for r in outcome.requirements}["attitude of the base"] < 0.01


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name if name == "two" else pytest.param(name, marks=pytest.mark.long) for name in FLIGHTS]
)
def test_chasers_nobody_here_built_capture_and_come_to_rest(name: str) -> None:
    make, start = FLIGHTS[name]
    outcome = space_robots.fly_capture(make(), hulk(), rate=RATE, approach="x", **start)
    assert outcome.ok, str(outcome)
    assert outcome.approach is not None and outcome.stack is not None
    assert np.allclose(outcome.approach.array(make().q_names)[-1], outcome.stack.array(make().q_names)[0], atol=1e-9)


def _around(angle: float, axis: tuple[float, float, float]) -> FlyAround:
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    side = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
    centre, outward = np.array([3.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0])
    return FlyAround(centre, outward, side, 20.0, 8.0, 3.0, (100.0, 50.0))


def test_the_way_around_the_debris() -> None:
    """Rest at both ends; the base faces the debris, outside of the sphere until the straight part; true derivatives."""
    way = _around(2.0, (0.0, 0.6, 0.8))
    times = np.linspace(0.0, way.duration, 301)
    for t in times:
        x, R = way.pose(t)
        away = way.centre - x
        far = np.linalg.norm(away)
        assert np.allclose(R @ way.outward, away / far, atol=1e-12)  # in the middle of the picture
        assert far > 8.0 - 1e-9 or t > 100.0
        if t >= 100.0:
            assert np.allclose(R, way.side.T, atol=1e-9)
    x, R = way.pose(way.duration)
    # as in a world that is turned by the side about the debris, with the base in its origin
    assert np.allclose(way.side @ (x - way.centre) + way.centre, 0.0, atol=1e-12) and np.allclose(R, way.side.T)
    for t in (0.0, way.duration):
        _, twist, change = way.motion(t)
        assert np.abs(twist).max() < 1e-5 and np.abs(change).max() < 1e-3
    h = 1e-3
    for t in (20.0, 63.0, 120.0):
        _, twist, change = way.motion(t)
        R = way.pose(t)[1]
        before, after = (way.motion(t + k * h) for k in (-1, 1))
        assert np.allclose(R @ twist[:3], (after[0][:3] - before[0][:3]) / (2 * h), atol=1e-6)
        assert np.allclose(change, (after[1] - before[1]) / (2 * h), atol=1e-6)


@pytest.mark.slow
def test_the_way_takes_the_time_that_the_thrusters_need() -> None:
    twins = chaser_twins(seven_joints(), "hand", "x")
    posture = np.array([{"j2": -0.9, "j4": 1.6, "j6": -0.7}.get(n, 0.0) for n in twins.joints])
    first = _around(np.pi, (0.0, 0.0, 1.0))
    capacity = np.array([10.0, 10.0, 10.0, 3.0, 3.0, 3.0])
    weak = chosen_way(twins, capacity, posture, first)
    weaker = chosen_way(twins, capacity / 4, posture, first)
    assert weak.duration < weaker.duration
    with pytest.raises(plan.PlanError, match=r"takes longer than 1800 s"):
        chosen_way(twins, capacity / 4000, posture, first)


@pytest.mark.slow
def test_a_mission_from_a_hold_point_in_orbit_has_no_jump() -> None:
    """30 m away, pictures all the way: flown around, approached, gripped, at rest; each run begins where one ended."""
    orbit = Orbit(altitude=700e3, inclination=1.7)
    far = space_robots.FAR_CAMERA
    outcome = space_robots.fly_capture(space_robots.random_case(0), hold_point=30.0, camera=far, orbit=orbit)
    assert outcome.ok, str(outcome)
    assert outcome.flight is not None and outcome.approach is not None and outcome.way is not None
    scene = outcome.flight.machine
    for names in (scene.q_names, scene.v_names):
        ends = outcome.flight.array(names)[-1], outcome.approach.array(names)[0]
        assert np.allclose(*ends, rtol=0.0, atol=1e-14)  # quaternions are normalised
    q = outcome.flight.array(scene.q_names)[::10]
    chaser, debris = (q[:, [scene.q_names.index(f"{n}.{x}") for x in "xyz"]] for n in ("base", "debris"))
    t, apart = outcome.flight.t[::10], np.linalg.norm(chaser - debris, axis=1)
    path = outcome.way.path
    assert apart[0] == pytest.approx(30.0) and apart[-1] == pytest.approx(outcome.way.distance, abs=0.02)
    assert apart[t < path.entry].min() > path.limits.keep_out
    # flown as planned, in the tide, which moves the chaser by metres
    planned = np.array([path.state(x)[:3] for x in t])
    assert np.abs(chaser - planned).max() < 0.05
    free = np.array([path.state(-path.duration)[:3] + 0.0 * x for x in t[:1]])
    assert np.abs(yamanaka_ankersen(orbit, t[0], 0.0, axes="world")[:3, :3] @ free[0] - free[0]).max() > 1.0
    assert all(v.ok for v in path.verdicts) and {v.name for v in path.verdicts} >= {"plume", "camera view"}
    assert set(outcome.times) == set(outcome.propellant) == {"way", "approach", "rest"}
    # the thrusters give at least the impulse of the plan
    mass = da.equations(space_robots.space_chaser("rigid", arrays="rigid"), backend="vm")
    kilograms = float(mass.mass_matrix(mass.q_neutral)[0, 0])
    assert outcome.propellant["way"] > 0.9 * kilograms * path.impulse / (9.80665 * 220.0)
    assert outcome.whole.t[0] == outcome.flight.t[0]


@pytest.mark.slow
def test_a_grip_that_stays_open_ends_in_a_retreat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fingers that never close: the chaser leaves the debris from where it is, and the outcome has the reason."""
    monkeypatch.setattr("dalembert.systems.space_robots.mission._OPEN", (0.0, 0.0))
    make, start = FLIGHTS["seven"]
    outcome = space_robots.fly_capture(make(), hulk(), rate=RATE, approach="x", camera=None, noise=None, **start)
    assert not outcome.ok and outcome.stack is None
    assert outcome.reason.startswith("aborted: the grip stays open") and "the chaser retreated from" in outcome.reason
    assert outcome.approach is not None and outcome.retreat is not None
    names = outcome.approach.machine.q_names
    assert np.allclose(outcome.approach.array(names)[-1], outcome.retreat.array(names)[0], rtol=0.0, atol=1e-12)
    base, other = (outcome.retreat.array([f"{n}.{x}" for x in "xyz"]) for n in ("bus", "hulk"))
    apart = np.linalg.norm(base - other, axis=1)
    assert apart[-1] > 1.9 * apart[0] and np.diff(apart).min() > -1e-3
    hand, target = (outcome.retreat.array([f"{n}.{x}" for x in "xyz"]) for n in ("hand", "target"))
    assert np.linalg.norm(hand - target, axis=1)[-1] > 2.0
    assert outcome.whole.t[-1] == outcome.retreat.t[-1] and outcome.propellant["retreat"] > 0.0


def test_a_limit_near_ends_the_approach_before_its_end() -> None:
    """A guide that counts: the first limit that is near is kept with its time, in the order of the checks."""

    class Still:
        plan = SimpleNamespace(attitude=(1.0, 0.0, 0.0, 0.0))
        estimate = None

        def __call__(self, t, q, v, s):
            return np.zeros(1)

    machine = seven_joints()
    limited = [replace(j, limits=da.Limits(lower=-1.0, upper=1.0)) if j.name == "j3" else j for j in machine.joints]
    twins = chaser_twins(machine.with_(joints=limited), "hand", "x")
    guard = GuardedGuide(Still(), twins, (slice(3, 7), np.arange(7, 14)))
    q = np.concatenate([np.zeros(3), [1.0, 0.0, 0.0, 0.0], np.zeros(7)])
    guard(1.0, q, np.zeros(13), {})
    assert guard.abort is None
    bent = q.copy()
    bent[7 + twins.joints.index("j3")] = 0.99
    guard(2.0, bent, np.zeros(13), {})
    assert guard.abort == (2.0, "joint 'j3' is at 0.99, near the end of its range")
    turned = q.copy()
    turned[3:7] = -np.cos(0.005), 0.0, -np.sin(0.005), 0.0
    assert guard.near(turned) == "the base is 0.57 degrees from its attitude"
    guard(3.0, turned, np.zeros(13), {})
    assert guard.abort[0] == 2.0
    guard.guide.estimate = SimpleNamespace(deviation=lambda what: 0.2)
    assert guard.near(q) == "the attitude of the debris is known to 0.2 rad only"
    run = da.simulate(da.equations(hulk(), backend="vm"), duration=1.0, step=0.1, record=0.1, v0={"hulk.vx": 1.0})
    part = cut(run, 0.42)
    assert part.t[-1] == pytest.approx(0.5) and part["hulk.x"][-1] == pytest.approx(0.5) and part.final.t == part.t[-1]


@pytest.mark.slow
def test_the_stack_turns_into_a_wanted_attitude_with_the_mass_that_is_left() -> None:
    """After rest a turn of 69 degrees; phases begin without a jump, with the propellant that those before left."""
    make, start = FLIGHTS["seven"]
    whole = make()
    tank = da.Body("tank", da.Parameter("fuel", 20.0), inertia=(0.1, 0.1, 0.1))
    mount = da.Joint("tank", "fixed", "bus", "tank", (-0.2, 0.0, 0.0))
    chaser = whole.with_(bodies=[*whole.bodies, tank], joints=[*whole.joints, mount])
    wanted = np.array([np.cos(0.6), 0.0, 0.6 * np.sin(0.6), 0.8 * np.sin(0.6)])
    flown = space_robots.fly_capture(
        chaser, hulk(), rate=RATE, approach="x", camera=None, noise=None, tank="fuel", attitude=wanted, **start
    )
    assert flown.ok, str(flown)
    assert flown.stack is not None and flown.transport is not None
    Q = flown.transport.array([f"bus.q{x}" for x in "wxyz"])[-1]
    assert 2.0 * np.arccos(min(abs(Q @ wanted), 1.0)) < np.radians(0.5)
    for names in (flown.stack.machine.q_names, flown.stack.machine.v_names):
        ends = flown.stack.array(names)[-1], flown.transport.array(names)[0]
        assert np.allclose(*ends, rtol=0.0, atol=1e-14)  # quaternions are normalised
    left = 20.0
    for name, run in (("approach", flown.approach), ("rest", flown.stack), ("transport", flown.transport)):
        assert run.metadata["parameters"]["fuel"] == pytest.approx(left, abs=1e-12)
        left -= flown.propellant[name]
    assert left == pytest.approx(20.0 - flown.used, abs=1e-12) and flown.used > 0.01
    eom = da.equations(flown.stack.machine, backend="vm")
    first, last = (
        eom.mass_matrix(run.array(eom.q_names)[0], p=run.metadata["parameters"])[0, 0]
        for run in (flown.stack, flown.transport)
    )
    assert first - last == pytest.approx(flown.propellant["rest"], rel=1e-6)
    assert flown.whole.t[-1] == flown.transport.t[-1]


@pytest.mark.slow
def test_an_abort_while_the_arm_moves() -> None:
    """A base that turns too fast when the arm begins: the joints brake, and the chaser leaves from where it is."""
    make, start = FLIGHTS["seven"]
    spin = {"spin": (0.0, 0.009, 0.0), "camera": None, "noise": None}
    outcome = space_robots.fly_capture(make(), hulk(), rate=RATE, approach="x", **spin, **start)
    assert outcome.reason.startswith("aborted: the base is 0.5"), outcome.reason
    assert outcome.approach is not None and outcome.retreat is not None and outcome.stack is None
    names = outcome.approach.machine.q_names
    assert np.allclose(outcome.approach.array(names)[-1], outcome.retreat.array(names)[0], rtol=0.0, atol=1e-12)
    rates = outcome.retreat.array([f"{n}_dot" for n in outcome.twins.joints])
    assert np.abs(rates[0]).max() > 5e-4 and np.abs(rates[-1]).max() < 1e-4
    hand, other = (outcome.retreat.array([f"{n}.{x}" for x in "xyz"]) for n in ("hand", "hulk"))
    apart = np.linalg.norm(hand - other, axis=1)
    assert apart.min() > 0.9 * apart[0] and apart[-1] > apart[0] + 2.0


def test_phases_that_cannot_be_are_refused() -> None:
    with pytest.raises(da.InputError, match="a mission in an orbit begins at a hold point"):
        space_robots.CapturePhases(orbit=Orbit(altitude=700e3))
    with pytest.raises(da.InputError, match="orbit of CapturePhases must be an Orbit"):
        space_robots.CapturePhases(hold_point=30.0, orbit="low")  # type: ignore[arg-type]
    with pytest.raises(da.InputError, match="keep_out of CapturePhases"):
        space_robots.CapturePhases(hold_point=30.0, keep_out=-1.0)
    with pytest.raises(da.InputError, match="attitude of CapturePhases must be a unit quaternion"):
        space_robots.CapturePhases(attitude=(1.0, 1.0, 0.0, 0.0))
    with pytest.raises(da.UnknownNameError, match="fuel"):
        space_robots.fly_capture(seven_joints(), hulk(), tip="hand", approach="x", tank="fuel", camera=None)
    near = space_robots.fly_capture(seven_joints(), hulk(), tip="hand", approach="x", hold_point=3.0, camera=None)
    assert near.reason.startswith("no way: the hold point at 3 m is too near") and not near.times


@pytest.mark.slow
@pytest.mark.long  # test_far_missions.py flies nozzles too
def test_nozzles_that_are_on_or_off_capture_as_well() -> None:
    """Pulses of 4 ms or more from 24 nozzles of 10 N: captured and at rest, every nozzle fully open or closed.

    Momentum and propellant are those of the pulses, to rounding and the errors of short steps.
    """
    make, start = FLIGHTS["four"]
    short = {"least_pulse": 0.004, "record": 0.002, "step": 2.5e-4}
    outcome = space_robots.fly_capture(make(), hulk(), rate=RATE, approach="x", **short, **start)
    assert outcome.ok, str(outcome)
    assert outcome.approach is not None and outcome.stack is not None
    for run in (outcome.approach, outcome.stack):
        jets = run.array([f"u.{x.name}" for x in make().thrusters])
        assert set(np.unique(jets)) == {0.0, 10.0}  # each fires fully or not at all, and some do
    assert 0.0 < sum(outcome.propellant.values()) < 0.05
    for row in space_robots.mission_balance(outcome):
        assert row.linear < 1e-9 and row.angular < 1e-9 and abs(row.propellant) < 1e-12, row
