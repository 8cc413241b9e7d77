"""Debris with flexible arrays, and two arms on one debris: motion of the target, the grip, the loop, its forces."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert import analysis, plan
from dalembert.systems import space_robots

SWING = {"wing1.mode2": 0.1, "wing2.mode1": 0.05, "wing1.mode3": 0.1}
RATE = (-0.15, 0.05, -0.08)
SPIN = dict(zip(("debris.wx", "debris.wy", "debris.wz"), RATE, strict=True))


def test_a_rigid_target_is_that_of_the_closed_form() -> None:
    """Position to jerk, and the motion of a grip, against elliptic functions."""
    motion, body = (
        space_robots.FloatingTarget(space_robots.debris(), None, SPIN, 20.0),
        space_robots.tumbling_debris(RATE),
    )
    t = np.linspace(0.0, 20.0, 333)
    # rounding of a position, 1e-14 m, divided by the third power of the step
    for found, wanted, digits in zip(motion.target(t), body.target(t), (1e-12, 1e-11, 1e-9, 1e-7), strict=True):
        np.testing.assert_allclose(found, wanted, atol=digits)
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    for found, wanted in zip(motion.grip(turn)(t), plan.gripped(body, turn)(t), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-9)
    ours, other = (plan.plan_capture(x.target, [5.0, 2.0, -1.0], horizon=(1.0, 19.0)) for x in (motion, body))
    assert ours.duration == pytest.approx(other.duration, abs=1e-7)


def test_flexible_debris_keeps_momentum_and_energy() -> None:
    """And its target is what a simulation has, its derivatives those of each other."""
    machine = space_robots.flexible_debris(damping=0.0)
    run = da.simulate(
        machine, duration=30.0, q0=SWING, v0=SPIN, method="dopri5", rtol=1e-12, atol=1e-13, record=0.1,
        signals=[da.Signal("spot", frame="target")],
    )  # fmt: skip
    eom = da.equations(machine, backend="vm")
    H = eom.momentum(run.array(machine.q_names), run.array(machine.v_names))
    assert np.abs(H - H[0]).max() < 1e-9 * np.abs(H[0]).max()
    assert run.energy.drift < 1e-9
    motion = space_robots.FloatingTarget(machine, SWING, SPIN, 30.0)
    place = run.array(["spot.x", "spot.y", "spot.z"])
    np.testing.assert_allclose(motion.target(run.t).position, place, atol=1e-9)
    assert np.abs(place - space_robots.tumbling_debris(RATE).target(run.t).position).max() > 0.1  # the arrays move it
    t, h = np.linspace(1.0, 29.0, 57), 1e-3
    for k in range(3):
        a, b, c, d = (motion.target(t + s * h)[k] for s in (-2, -1, 1, 2))
        np.testing.assert_allclose((a - 8 * b + 8 * c - d) / (12 * h), motion.target(t)[k + 1], atol=1e-6)
    w, A = motion.grip()(t).rate, motion.grip()(t).rotation
    np.testing.assert_allclose(A @ np.swapaxes(A, -1, -2), np.broadcast_to(np.eye(3), A.shape), atol=1e-12)
    step = (motion.grip()(t + h).rotation - motion.grip()(t - h).rotation) / (2 * h) @ np.swapaxes(A, -1, -2)
    np.testing.assert_allclose(np.stack([step[:, 2, 1], step[:, 0, 2], step[:, 1, 0]], axis=-1), w, atol=1e-6)


def test_the_grip_of_a_flexible_debris_keeps_momentum() -> None:
    """Its modes go on as coordinates of the stack; what changes is inside."""
    chaser, target = space_robots.three_joint_chaser(), space_robots.flexible_debris()
    grip = np.eye(4)
    grip[:3, 3] = [2.0, -0.3, 0.4]
    scene = da.equations(space_robots.capture_scene(chaser, target), backend="vm")
    rng = np.random.default_rng(4)
    posture = {"base.qw": 1.0, "debris.qw": 1.0, "theta2": 0.4, "theta3": -0.9, **SWING}
    q = np.array([posture.get(n, 0.0) for n in scene.q_names])
    X = scene.pose("tip", q) @ grip
    place = dict(zip(("x", "y", "z", "qw", "qx", "qy", "qz"), [*X[:3, 3], *_quaternion(X)], strict=True))
    q0 = {**posture, **{f"debris.{k}": float(x) for k, x in place.items()}}
    v0 = dict(zip(scene.v_names, 0.05 * rng.normal(size=scene.nv), strict=True))
    run = da.simulate(scene, duration=1e-6, step=1e-6, q0=q0, v0=v0)
    end = run.array(scene.q_names)[-1]
    held = np.linalg.solve(scene.pose("tip", end), scene.pose("debris", end))
    stack = da.equations(space_robots.captured_stack(chaser, held, target), backend="vm")
    after = da.join(run, stack, gap=1e-9, turn=1e-7)
    before = scene.momentum(end, run.array(scene.v_names)[-1])
    np.testing.assert_allclose(stack.momentum(after.q, after.v), before, atol=1e-9 * np.abs(before).max())
    assert after.loss > 0.0
    assert after.q[stack.q_names.index("wing1.mode2")] == pytest.approx(0.1, abs=1e-5)
    rest = da.simulate(stack, duration=0.1, q0=after.q, v0=after.v, step=5e-3)
    ends = stack.momentum(rest.array(stack.q_names)[-1], rest.array(stack.v_names)[-1])
    np.testing.assert_allclose(ends, before, atol=1e-8 * np.abs(before).max())


def _quaternion(X: np.ndarray) -> np.ndarray:
    return np.array(da.spatial.quaternion_from_matrix(X[:3, :3])).ravel()


POSTURE = {"base.qw": 1.0} | {
    f"arm{k}.theta{i}": x
    for k, side in ((1, 1.0), (2, -1.0))
    for i, x in zip(range(1, 6), (0.25 * side, -0.9, 1.7, -0.8, 0.2 * side), strict=True)
}


@cache
def two_arms() -> tuple[da.Machine, np.ndarray, np.ndarray]:
    """The chaser, and the pose of a debris between its hands in those of the first and the second."""
    chaser = space_robots.two_arm_chaser("printed")
    eom = da.equations(chaser, backend="vm")
    q = np.array([POSTURE.get(n, 0.0) for n in chaser.q_names])
    tips = [eom.pose(f"tip{k}", q) for k in (1, 2)]
    X = np.eye(4)
    X[:3, 3] = 0.5 * (tips[0] + tips[1])[:3, 3] + [1.2, 0.0, 0.0]
    first, second = (np.linalg.solve(tip, X) for tip in tips)
    return chaser, first, second


def welded(second: np.ndarray, name: str = "grip2", tip: str = "tip2") -> da.WeldConstraint:
    back = np.linalg.inv(second)
    rows: Any = tuple(map(tuple, back[:3, :3].tolist()))
    return da.WeldConstraint(name, tip, "debris", da.Transform(tuple(back[:3, 3].tolist()), rows))


def test_the_second_hand_closes_a_loop_and_momentum_stays() -> None:
    chaser, first, _ = two_arms()
    stack = space_robots.captured_stack(chaser, first, frame="tip1", second="tip2")
    eom = da.equations(stack, backend="vm")
    q0 = [POSTURE.get(n, 0.0) for n in stack.q_names]
    v0 = 0.02 * np.random.default_rng(0).normal(size=stack.nv)
    run = da.simulate(eom, duration=0.08, q0=q0, v0=v0, step=4e-3, switches=[da.Switch(at=0.04, on="grip2")])
    q, v = run.array(stack.q_names), run.array(stack.v_names)
    H = eom.momentum(q, v)
    assert np.abs(H - H[0]).max() < 1e-9 * np.abs(H[0]).max()
    (closed,) = run.metadata["transitions"]
    assert closed["energy_lost"] > 0.1
    assert run.energy.drift < 1e-9
    on = run.t > 0.04
    held = np.linalg.solve(eom.pose("tip2", q[on]), eom.pose("debris", q[on]))
    assert np.abs(held - held[0]).max() < 1e-12
    wrench = analysis.weld_wrench(eom, "grip2", q[on], run.array([f"multiplier.grip2[{k}]" for k in range(6)])[on])
    assert wrench.shape == (on.sum(), 6) and np.abs(wrench[:, :3]).max() > 0.0


def test_forces_within_the_loop() -> None:
    """Torques that squeeze move nothing and are felt as they are; any motion has the same forces however it is cut."""
    chaser, first, second = two_arms()
    tree = space_robots.captured_stack(chaser, first, frame="tip1").with_(constraints=(welded(second),))
    eom = da.equations(tree, backend="vm")
    q = np.array([POSTURE.get(n, 0.0) for n in tree.q_names])
    squeeze = np.array([3.0, -20.0, 5.0, 1.0, -2.0, 4.0])
    J, other = (eom.jacobian(frame, q, axes="world") for frame in ("tip2", "debris"))
    arm = eom.pose("tip2", q)[:3, 3] - eom.pose("debris", q)[:3, 3]
    K = np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
    other[:3] -= K @ other[3:]
    tau = -(J - other).T @ squeeze
    a, force = eom.constrained_dynamics(q, np.zeros(tree.nv), tau)
    assert np.abs(a).max() < 1e-10 and np.abs(tau[:6]).max() < 1e-10  # of the base nothing is asked
    np.testing.assert_allclose(analysis.weld_wrench(eom, "grip2", q, force), squeeze, atol=1e-8)

    free = space_robots.capture_scene(chaser, frame="tip1").with_(
        constraints=(welded(first, "grip1", "tip1"), welded(second))
    )
    cut = da.equations(free, backend="vm")
    X = eom.pose("debris", q)
    place = dict(zip(("x", "y", "z", "qw", "qx", "qy", "qz"), [*X[:3, 3], *_quaternion(X)], strict=True))
    at = {**POSTURE, **{f"debris.{k}": float(x) for k, x in place.items()}}
    p = np.array([at.get(n, 0.0) for n in free.q_names])
    push = dict(zip(tree.v_names, np.random.default_rng(1).normal(size=tree.nv), strict=True))
    a, force = eom.constrained_dynamics(q, np.zeros(tree.nv), np.array(list(push.values())))
    b, forces = cut.constrained_dynamics(p, np.zeros(free.nv), np.array([push.get(n, 0.0) for n in free.v_names]))
    shared = [free.v_names.index(n) for n in tree.v_names]
    np.testing.assert_allclose(b[shared], a, atol=1e-8)
    one, two = (analysis.weld_wrench(cut, n, p, forces[s]) for n, s in (("grip1", slice(6)), ("grip2", slice(6, 12))))
    np.testing.assert_allclose(two, analysis.weld_wrench(eom, "grip2", q, force), atol=1e-7)
    block = [free.v_names.index(f"debris.{k}") for k in ("vx", "vy", "vz")]
    np.testing.assert_allclose(1060.0 * X[:3, :3] @ b[block], -(one + two)[:3], atol=1e-7)  # Newton, of the debris


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: space_robots.FloatingTarget(space_robots.debris(), None, SPIN, 1.0, frame="hook"),
            "no frame named 'hook'",
        ),
        (
            lambda: space_robots.FloatingTarget(space_robots.debris(), None, SPIN, 1.0).target(3.0),
            "known from 0 to 1 s",
        ),
        (
            lambda: space_robots.FloatingTarget(space_robots.debris(), None, SPIN, 1.0).grip(np.ones((3, 3))),
            "a rotation matrix",
        ),
        (
            lambda: space_robots.captured_stack(space_robots.three_joint_chaser(), np.eye(4), second="tip9"),
            "no frame 'tip9'",
        ),
        (
            lambda: space_robots.capture_scene(target=space_robots.three_joint_chaser()),
            "no frame named 'target' in machine 'three-joint-chaser'",
        ),
        (lambda: space_robots.capture_scene(target="debris"), "a debris must be a Machine, got 'debris'"),
        (
            lambda: space_robots.FloatingTarget(space_robots.debris(), None, SPIN, 1.0).target("noon"),
            "known from 0 to 1 s",
        ),
        (lambda: space_robots.two_arm_chaser(apart=-1.0), "apart must be a finite number > 0 m"),
        (lambda: space_robots.two_arm_chaser("soft"), "must be 'flexible', 'rigid' or 'printed', got 'soft'"),
        (
            lambda: analysis.weld_wrench(space_robots.debris(), "grip", np.zeros(7), np.zeros(6)),
            "no weld named 'grip'",
        ),
    ],
)
def test_bad_input_is_refused(make: Any, message: str) -> None:
    with pytest.raises(da.DalembertError, match=message):
        make()
