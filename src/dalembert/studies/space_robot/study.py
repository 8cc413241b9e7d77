"""SPACE chapters 6 to 8 about the chaser, the debris and its capture, by the library."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from dalembert import EquationsOfMotion, equations, simulate
from dalembert.analysis import manipulability
from dalembert.core.types import Array
from dalembert.plan import CapturePlan, PoseMotion, PosePath, gripped, meet_pose, plan_capture, resting_pose
from dalembert.studies.space_robot.bench import bench_results
from dalembert.studies.space_robot.environment import environment_results
from dalembert.studies.space_robot.loops import loop_results
from dalembert.studies.space_robot.missions import mission_results
from dalembert.studies.space_robot.soft_target import soft_target_results
from dalembert.systems.space_robots import debris, robot_reference, space_chaser, tumbling_debris

__all__ = ["onto_debris", "results"]

_QUATERNION = (np.cos(0.5), 0.0, 0.0, -np.sin(0.5))  # (7.25)
_RATE = (-0.15, 0.05, -0.08)  # (7.26), in body axes
_HAND = (5.0, 2.0, -1.0)  # (7.27), from rest
_TURNED = (-0.37502587116084657, 0.2694843937723747, -0.7653955870747672, -0.44822243669818246)  # drawn at random
_SLOW = (0.0020259754909170103, -0.06976901095629942, 0.0014350087377127502)  # 4 degrees per second
_MEET = 52.0  # when the target is where the tip goes to, whatever time it takes
_CASES = (("position", 0.0), ("velocity", 1.0), ("acceleration", 1.0), ("velocity", 0.0), ("acceleration", 0.0))


def results(*, full: bool = True) -> Iterator[tuple[str, float]]:
    """Yield the key of each expected value and our value; the short form has no missions."""
    yield from _mass_matrix()
    yield from _tumbling()
    yield from _captures()
    yield from _dexterity()
    yield from _budget(full=full)
    yield from environment_results()
    if full:
        yield from mission_results()
        yield from loop_results(onto_debris)
        yield from soft_target_results()
        yield from bench_results()


def _mass_matrix() -> Iterator[tuple[str, float]]:
    eom = equations(space_chaser("printed", arrays=None, rotors=False), backend="vm")
    D = np.diag(eom.mass_matrix(eom.q_neutral))
    names = ("mass", "roll", "pitch", "yaw", *(f"joint{i}" for i in range(1, 7)))
    for name, value in zip(names, D[2:], strict=True):
        yield f"chaser.{name}", float(value)


def _tumbling() -> Iterator[tuple[str, float]]:
    """The closed form against integration over ten minutes."""
    body, machine = tumbling_debris(_RATE, quaternion=_QUATERNION), debris()
    q0, v0 = [0, 0, 0, *_QUATERNION], [0, 0, 0, *_RATE]
    run = simulate(machine, duration=600.0, method="dopri5", rtol=1e-12, atol=1e-13, record=10.0, q0=q0, v0=v0)
    R = equations(machine).pose("debris", run.x[:, :7])[:, :3, :3]
    yield "tumbling.speed", float(np.degrees(np.linalg.norm(_RATE)))
    yield "tumbling.rate", float(np.abs(body.rates(run.t) - run.x[:, 10:13]).max())
    yield "tumbling.attitude", float(np.abs(body.attitude(run.t) - R).max())


def _captures() -> Iterator[tuple[str, float]]:
    target = tumbling_debris(_RATE, quaternion=_QUATERNION).target
    for match, extra in _CASES:
        plan = plan_capture(target, _HAND, match=match, extra=extra)
        key = f"capture.{match}{'' if extra or match == 'position' else '.plain'}"
        yield f"{key}.time", plan.duration
        yield f"{key}.cost", plan.cost
        yield f"{key}.direct", _direct_shift(plan)
        if not key.endswith("plain"):
            jumps = [
                float(np.linalg.norm(a - b)) for a, b in zip(plan(plan.duration), target(plan.duration), strict=True)
            ]
            for name, jump in zip(("position", "speed", "acceleration"), jumps[:3], strict=True):
                yield f"{key}.jump.{name}", jump


def _direct_shift(best: CapturePlan) -> float:
    """How far from the root of dJ/dt_f the cost is least, by costs alone: quadratures at seven times around it."""
    target = tumbling_debris(_RATE, quaternion=_QUATERNION).target
    nodes, weights = np.polynomial.legendre.leggauss(80)
    steps, costs = 1e-3 * np.arange(-3, 4), []
    for step in steps:
        duration = best.duration + float(step)
        plan = plan_capture(target, _HAND, match=best.match, extra=best.extra, duration=duration)
        t = duration * (nodes + 1) / 2
        u, x = (np.sum(plan.derivative(t, k) ** 2, axis=-1) for k in (plan.order, plan.order - 1))
        costs.append(duration / 2 * float(weights @ (1 + u + best.extra * x)))
    roots = np.polynomial.Polynomial.fit(steps, np.array(costs) - best.cost, 6).deriv().roots()
    return float(np.min(np.abs(roots)))


def _dexterity() -> Iterator[tuple[str, float]]:
    """Distances from the anchor at which the manipulability (4.35) is largest, in the plane of joints 2 and 3."""
    eom = equations(space_chaser("printed", arrays=None, rotors=False), backend="vm")
    second, third = (
        x.ravel() for x in np.meshgrid(np.radians(np.arange(-180, 180, 4)), np.radians(np.arange(0, 180, 2)))
    )
    q = np.zeros((len(second), eom.nq))
    q[:, 3], q[:, eom.q_names.index("theta2")], q[:, eom.q_names.index("theta3")] = 1.0, second, third
    J = eom.jacobian("tip", q)
    yield "dexterity.arm", _distance(eom.pose("tip", q), J[:, :, 6:])
    yield "dexterity.robot", _distance(eom.pose("tip", q), J)
    yield "dexterity.robot.wrist", _distance(eom.pose("segment4", q), J)


def _budget(*, full: bool) -> Iterator[tuple[str, float]]:
    """Torque that holds the base while the tip moves 1.7 m onto the grip of a debris, and goes with it for 10 s."""
    eom = equations(space_chaser("rigid", arrays="rigid"), backend="vm")
    posture = {"base.qw": 1.0, "theta2": -0.9, "theta3": 1.7, "theta4": -0.8}
    q0 = np.array([posture.get(name, 0.0) for name in eom.q_names])
    X = eom.pose("tip", q0)
    body = tumbling_debris(_SLOW, quaternion=_TURNED, position=(7.4, 0.0, 0.0))
    for duration in (6.4, 20.0, 30.0, 52.0) if full else (6.4, 20.0):
        path = onto_debris(eom, q0, duration)
        reference = robot_reference(eom, path, np.arange(0.0, duration + 10.0, 0.2), q0)
        yield f"budget.{duration:g}", float(np.abs(reference.base_torque).max())
        if duration == 20.0:
            yield "budget.force", float(np.abs(reference.base_force).max())
            yield "budget.move", float(np.linalg.norm(body.target(_MEET).position - X[:3, 3]))


def onto_debris(eom: EquationsOfMotion, q0: Array, duration: float) -> PosePath:
    """Way of the tip onto the grip of a debris of 4 degrees per second, always in the same place."""
    X = eom.pose("tip", q0)
    body = tumbling_debris(_SLOW, quaternion=_TURNED, position=(7.4, 0.0, 0.0))
    # the grip comes from outside, along the radius of the target point, turned as little as possible
    R = body.attitude(_MEET + 5.0)
    axis = -R @ np.array(body.point) / np.linalg.norm(body.point)
    grip = R.T @ _between(X[:3, 2], axis) @ X[:3, :3]
    start = resting_pose(X[:3, 3], X[:3, :3])
    return meet_pose(_shifted(gripped(body, grip), _MEET - duration), start, duration)


def _shifted(motion: Callable[[ArrayLike], PoseMotion], by: float) -> Callable[[ArrayLike], PoseMotion]:
    return lambda t: motion(np.asarray(t) + by)


def _between(a: Array, b: Array) -> Array:
    """Least rotation that takes one unit vector to another."""
    v, c = np.cross(a, b), float(a @ b)
    K = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.asarray(np.eye(3) + K + K @ K / (1.0 + c))


def _distance(pose: Array, J: Array) -> float:
    best = int(np.argmax(manipulability(J).volume))
    return float(np.linalg.norm(pose[best, :3, 3] - [1.3, 0.0, 0.0]))
