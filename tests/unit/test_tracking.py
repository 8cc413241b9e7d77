"""Tracking of a path of the tip: efforts fed forward, the base held or let go on the way, flexible arms, limits."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import control, plan
from dalembert.systems import space_robots

POSTURE = {"base.qw": 1.0, "theta2": -0.9, "theta3": 1.7, "theta4": -0.8}
MOVE = 12.0


@pytest.fixture(scope="module")
def robot() -> da.EquationsOfMotion:
    return da.equations(space_robots.space_chaser("rigid", arrays=None))


def start(eom: da.EquationsOfMotion) -> np.ndarray:
    return np.array([POSTURE.get(n, 0.0) for n in eom.q_names])


def path(eom: da.EquationsOfMotion, by=(0.3, 0.3, 0.5)) -> plan.PosePath:
    X = eom.pose("tip", start(eom))
    goal = plan.resting_pose(X[:3, 3] + by, X[:3, :3])

    def target(t):
        return plan.PoseMotion(*(np.broadcast_to(x, (*np.shape(t), *x.shape)) for x in goal))

    return plan.meet_pose(target, plan.resting_pose(X[:3, 3], X[:3, :3]), MOVE)


def tracked(robot: da.EquationsOfMotion, machine: da.Machine, **settings) -> tuple[da.Run, np.ndarray]:
    """A run, and by how much the tip misses its path [m]."""
    way = path(robot)
    guidance = space_robots.PathGuidance(robot, way, start(robot), MOVE + 3.0, machine=machine, **settings)
    q0 = dict(zip(robot.q_names, start(robot).tolist(), strict=True))
    run = da.simulate(
        machine, duration=MOVE + 3.0, q0=q0, control=space_robots.tracking_loop(guidance), record=0.1, step=2e-3,
        signals=[da.Signal("tip", frame="tip")],
    )  # fmt: skip
    wanted = np.array([way(float(t)).position for t in run.t])
    return run, np.linalg.norm(run.array(["tip.x", "tip.y", "tip.z"]) - wanted, axis=1)


def turned(run: da.Run) -> float:
    """Largest angle of the base [deg]."""
    return float(np.degrees(2 * np.linalg.norm(run.array(["base.qx", "base.qy", "base.qz"]), axis=1).max()))


@pytest.mark.slow
def test_what_the_motion_takes_is_fed_forward(robot) -> None:
    """With it neither tip nor base has anything left to do but what sampling leaves; without, both are off by far."""
    run, miss = tracked(robot, robot.machine)
    assert miss.max() < 1e-3 and turned(run) < 0.02
    bare, off = tracked(robot, robot.machine, feedforward=False)
    assert off.max() > 30 * miss.max() and turned(bare) > 30 * turned(run)
    reference = space_robots.robot_reference(robot, path(robot), np.arange(0, MOVE, 1.0), start(robot))
    at = np.searchsorted(run.t, reference.t - 1e-9)
    torque = run.array(["command.torque.x", "command.torque.y", "command.torque.z"])[at]
    # the two are the same motion, but for what feedback adds
    assert np.abs(torque - reference.base_torque).max() < 0.05 * np.abs(reference.base_torque).max()
    assert np.abs(run.array(["command.force.x", "command.force.y", "command.force.z"])).max() < 1e-9


@pytest.mark.slow
def test_the_base_is_let_go_with_continuous_references(robot) -> None:
    """From flying to floating on the way: no jump, no effort on the base, momentum kept, the tip on its path."""
    run, miss = tracked(robot, robot.machine, float_from=6.0)
    joints = [f"theta{i}" for i in range(1, 7)]
    late = run.t > 6.05
    assert not np.abs(run.array(["u.torque.x", "u.torque.y", "u.torque.z", "u.force.x"])[late]).any()
    near = np.abs(run.t - 6.0) < 0.35
    positions = run.array([f"ref.{n}" for n in joints])[near]
    rates = run.array([f"ref.{n}_dot" for n in joints])[near]
    # second differences of what is held: as small across the switch as beside it
    for held in (positions, rates):
        bends = np.abs(np.diff(held, n=2, axis=0)).max(axis=1)
        assert bends.max() < 5.0 * np.median(bends) + 1e-6
    assert miss.max() < 2e-3
    n = robot.nq
    h = robot.momentum(run.x[late, :n], run.x[late, n : n + robot.nv])
    assert np.abs(h - h[0]).max() < 1e-8
    assert np.linalg.norm(h[0, 3:]) > 1.0 and turned(run) > 0.3


def test_limits_cut_what_is_commanded(robot) -> None:
    """Table 8.1: a move in too short a time asks for more than 5 N m of the base and gets 5."""
    q0 = start(robot)
    X = robot.pose("tip", q0)
    goal = plan.resting_pose(X[:3, 3] + [0.3, 0.3, 0.8], X[:3, :3])
    quick = plan.meet_pose(lambda t: goal, plan.resting_pose(X[:3, 3], X[:3, :3]), 6.0)
    loop = space_robots.tracking_loop(space_robots.PathGuidance(robot, quick, q0, 6.0))
    run = da.simulate(robot, duration=6.0, q0=q0, control=loop, record=0.1, step=2e-3)
    names = ("torque.x", "torque.y", "torque.z")
    assert np.abs(run.array([f"command.{n}" for n in names])).max() > 5.0
    assert np.abs(run.array([f"u.{n}" for n in names])).max() == 5.0


@pytest.mark.slow
def test_a_flexible_arm_and_arrays_follow_too(robot) -> None:
    rigid = da.equations(space_robots.space_chaser("rigid", arrays="rigid"))
    run, miss = tracked(rigid, space_robots.space_chaser())
    assert miss.max() < 5e-3 and turned(run) < 0.05


def test_momentum_and_energy_of_a_flexible_robot_that_floats() -> None:
    """Joints move, nothing else acts: momentum to 1e-9, and the energy audit closes."""
    machine = space_robots.space_chaser()
    eom = da.equations(machine)
    q0 = {**POSTURE}
    law = da.PD(200.0, 100.0, da.Quintic([0, -0.9, 1.7, -0.8, 0, 0], [0.2, -0.7, 1.5, -0.9, 0.1, 0.1], 2.0))
    run = da.simulate(machine, duration=2.0, q0=q0, control=law, method="dopri5", rtol=1e-11, atol=1e-13, record=0.1)
    x = run.x
    h = eom.momentum(x[:, : eom.nq], x[:, eom.nq : eom.nq + eom.nv])
    assert np.abs(h).max() < 1e-9
    assert run.energy.drift < 1e-9
    assert np.abs(x[:, eom.q_names.index("base.y")]).max() > 1e-4


def test_a_base_without_end_is_a_fixed_arm() -> None:
    """Mass and inertia of the base times 1e10: the joints accelerate as those of the arm on the ground."""
    robot = space_robots.space_chaser("rigid", arrays=None)
    base = robot.body("base")
    heavy = base.__class__(
        "base", 1e10 * base.mass, inertia=tuple(tuple(1e10 * x for x in row) for row in base.inertia)
    )
    robot = robot.with_(bodies=[heavy, *robot.bodies[1:]])
    fixed = robot.with_(thrusters=()).lock(["base"])
    rng = np.random.default_rng(0)
    theta, rate, tau = rng.normal(size=6), 0.1 * rng.normal(size=6), rng.normal(size=6)
    ground = da.equations(fixed, backend="vm").forward_dynamics(theta, rate, tau)
    eom = da.equations(robot, backend="vm")
    q = np.concatenate([[0, 0, 0, 1, 0, 0, 0], theta])
    floating = eom.forward_dynamics(q, np.concatenate([np.zeros(6), rate]), np.concatenate([np.zeros(6), tau]))
    assert np.allclose(floating[6:], ground, rtol=1e-7, atol=1e-9)


def test_refusals(robot) -> None:
    q0, way = start(robot), path(robot)
    with pytest.raises(plan.PlanError, match="the tip cannot follow its path at t = "):
        space_robots.PathGuidance(robot, path(robot, by=(9.0, 0.0, 0.0)), q0, MOVE)
    for arguments, message in (
        ({"q0": [1.0]}, "q0 of a PathGuidance must be 13 numbers"),
        ({"duration": 0.0}, "duration of a PathGuidance"),
        ({"machine": space_robots.three_joint_chaser()}, "machine 'three-joint-chaser' has no theta4"),
    ):
        with pytest.raises(da.InputError, match=message):
            space_robots.PathGuidance(robot, way, **{"q0": q0, "duration": 1.0, **arguments})
    guidance = space_robots.PathGuidance(robot, way, q0, 1.0)
    with pytest.raises(da.InputError, match="arm of a tracking_loop"):
        space_robots.tracking_loop(guidance, arm=(0.0, 1.0))
    assert isinstance(space_robots.tracking_loop(guidance), control.Cascade)
