"""Handing a state over to a machine in which bodies are joined: momentum stays, and open grips are refused."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import dalembert as da
from dalembert import plan
from dalembert.systems import space_robots

POSTURE = {"theta1": 0.2, "theta2": -0.9, "theta3": 1.7, "theta4": -0.8, "theta5": 0.3}


@cache
def chaser() -> da.Machine:
    return space_robots.space_chaser("rigid", arrays="rigid")


@cache
def scene_of() -> da.Machine:
    return space_robots.capture_scene(chaser())


@cache
def stack_of() -> da.Machine:
    return space_robots.captured_stack(chaser(), grip_of())


def grip_of() -> np.ndarray:
    X, rng = np.eye(4), np.random.default_rng(9)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    X[:3, :3], X[:3, 3] = R * np.sign(np.linalg.det(R)), [0.3, -0.2, 2.0]
    return X


def before(grip: np.ndarray, rng: np.random.Generator, shift: float = 0.0) -> tuple[da.Machine, da.Run]:
    """Both in motion, the debris where the grip will have it, or next to it."""
    scene = scene_of()
    eom = da.equations(scene)
    q = np.array([{**POSTURE, "base.qw": 1.0, "debris.qw": 1.0}.get(n, 0.0) for n in scene.q_names])
    X = eom.pose("tip", q) @ grip
    place = {f"debris.{n}": x for n, x in zip("xyz", X[:3, 3] + [shift, 0, 0], strict=True)}
    Q = np.array(da.spatial.quaternion_from_matrix(X[:3, :3])).ravel()
    place.update({f"debris.{n}": x for n, x in zip(("qw", "qx", "qy", "qz"), Q, strict=True)})
    q0 = {**POSTURE, **{k: float(x) for k, x in place.items()}}
    v0 = dict(zip(scene.v_names, 0.05 * rng.normal(size=scene.nv), strict=True))
    return scene, da.simulate(scene, duration=1e-6, step=1e-6, q0=q0, v0=v0)


def test_momentum_stays_and_energy_falls() -> None:
    rng = np.random.default_rng(0)
    grip = grip_of()
    scene, run = before(grip, rng)
    stack = stack_of()
    after = da.join(run, stack, gap=1e-5, turn=1e-5)
    one, two = da.equations(scene), da.equations(stack)
    q, v = run.array(scene.q_names)[-1], run.array(scene.v_names)[-1]
    h = one.momentum(q, v)
    assert np.allclose(two.momentum(after.q, after.v), h, atol=1e-5 * np.abs(h).max())  # it moved for a microsecond
    lost = one.energy(q, v).kinetic - two.energy(after.q, after.v).kinetic
    assert after.loss == pytest.approx(lost, rel=1e-5)
    assert after.loss > 0.0


@pytest.mark.slow
def test_a_weld_that_closes_gives_the_same_velocities() -> None:
    """Impact of the switched constraint against the projection onto the new tree."""
    rng = np.random.default_rng(1)
    grip = grip_of()
    scene, run = before(grip, rng)
    hook = da.Frame("hook", "segment6", da.Transform((0, 0, 0.5)) @ da.Transform(grip[:3, 3], grip[:3, :3]))
    welded = scene.with_(
        frames=(*scene.frames, hook),
        constraints=[da.WeldConstraint("grip", "hook", "debris", switchable=True, active=False)],
    )
    q0, v0 = (dict(zip(names, run.array(names)[0], strict=True)) for names in (scene.q_names, scene.v_names))
    closed = da.simulate(welded, duration=2e-6, step=1e-6, q0=q0, v0=v0, switches=[da.Switch(at=1e-6, on="grip")])
    after = da.join(run, stack_of(), gap=1e-5, turn=1e-5)
    names = da.equations(stack_of()).v_names
    assert np.allclose(closed.array(names)[-1], after.v, atol=1e-5)


def test_parameters_of_the_grip_are_its_pose() -> None:
    grip = grip_of()
    fixed, free = da.equations(stack_of()), da.equations(space_robots.captured_stack(chaser()))
    q = np.array([{**POSTURE, "base.qw": 1.0}.get(n, 0.0) for n in fixed.q_names])
    p = space_robots.grip_parameters(grip)
    assert np.allclose(fixed.pose("debris", q), free.pose("debris", q, p=p), atol=1e-12)
    assert np.allclose(fixed.mass_matrix(q), free.mass_matrix(q, p=p), rtol=1e-12)


def test_a_grip_may_be_an_attitude_of_the_tip() -> None:
    """The attitude of a plan (3 x 3) and the pose of the debris (4 x 4) are one grip: the tip is at the target."""
    target = space_robots.debris((0.4, -0.3, 0.2))
    attitude = grip_of()[:3, :3].T
    stack = da.equations(space_robots.captured_stack(chaser(), attitude, target), backend="vm")
    q = stack.q_neutral
    tip, body = stack.pose("tip", q), stack.pose("debris", q)
    assert np.allclose(body[:3, :3].T @ tip[:3, :3], attitude, atol=1e-12)
    assert np.allclose(tip[:3, 3], stack.pose("target", q)[:3, 3], atol=1e-12)
    pose = np.linalg.inv(tip) @ body
    by_pose, by_attitude = (space_robots.grip_parameters(x, target) for x in (pose, attitude))
    assert by_pose == pytest.approx(by_attitude, abs=1e-12)
    assert np.allclose(plan.grip_rotation(pose), attitude, atol=1e-12)


def test_an_open_grip_and_other_machines_are_refused() -> None:
    rng = np.random.default_rng(3)
    grip = grip_of()
    _, run = before(grip, rng, shift=0.03)
    with pytest.raises(da.InputError, match=r"the grip is open: body 'debris' is 0.03 m"):
        da.join(run, stack_of())
    with pytest.raises(da.InputError, match="coordinates that the run"):
        da.join(run, space_robots.space_chaser())
    with pytest.raises(da.InputError, match="no body 'debris'"):
        da.join(run, chaser())
    light = stack_of()
    light = light.with_(
        bodies=[da.Body("debris", 10.0, inertia=(9, 9, 9)) if b.name == "debris" else b for b in light.bodies]
    )
    with pytest.raises(da.InputError, match="mass distribution"):
        da.join(before(grip, rng)[1], light, gap=1e-5, turn=1e-5)
    with pytest.raises(da.InputError, match="a grip is the attitude"):
        space_robots.captured_stack(chaser(), np.zeros((4, 4)))
