"""Capture of a debris whose solar arrays swing: the tip follows its target point, grips, and holds the stack.

Chosen here: the debris of `dalembert.systems.space_robots.flexible_debris` at 4 degrees per second, its arrays
deflected by 5 cm at the start, a meeting after 52 s, 3 s of following, then the grip and 20 s of holding the posture
with the base let go.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dalembert import Signal, equations, join, simulate
from dalembert.control import PD
from dalembert.core.types import Array
from dalembert.plan import gripped, meet_pose, resting_pose
from dalembert.systems.space_robots import (
    FloatingTarget,
    PathGuidance,
    capture_scene,
    captured_stack,
    flexible_debris,
    space_chaser,
    tracking_loop,
    tumbling_debris,
)

__all__ = ["soft_target_results"]

_POSTURE = {"base.qw": 1.0, "theta2": -0.9, "theta3": 1.7, "theta4": -0.8}
_TURNED = (-0.37502587116084657, 0.2694843937723747, -0.7653955870747672, -0.44822243669818246)
_SLOW = (0.0020259754909170103, -0.06976901095629942, 0.0014350087377127502)
_SWING = {"wing1.mode1": 0.05, "wing2.mode2": 0.05}
_MEET, _GRIP, _HOLD = 52.0, 55.0, 20.0


def soft_target_results(arm: str = "flexible") -> Iterator[tuple[str, float]]:
    """Yield the key of each expected value and our value.

    Parameters
    ----------
    arm
        Arm of the chaser and its arrays.
    """
    rigid, target = equations(space_chaser("rigid", arrays="rigid")), flexible_debris()
    q0 = np.array([_POSTURE.get(n, 0.0) for n in rigid.q_names])
    place = dict(zip(("x", "y", "z", "qw", "qx", "qy", "qz"), (7.4, 0.0, 0.0, *_TURNED), strict=True))
    q_debris = {f"debris.{k}": float(x) for k, x in place.items()} | _SWING
    v_debris = {f"debris.w{k}": w for k, w in zip("xyz", _SLOW, strict=True)}
    motion = FloatingTarget(target, q_debris, v_debris, _GRIP + 1.0)
    X, there = rigid.pose("tip", q0), motion.grip()(_GRIP)
    # the grip comes from outside, along the radius of the target point, turned as little as possible
    R, point = there.rotation, np.array(next(f for f in target.frames if f.name == "target").origin.translation)
    grip = R.T @ _least_turn(X[:3, 2], -R @ point / np.linalg.norm(point)) @ X[:3, :3]
    way = meet_pose(motion.grip(grip), resting_pose(X[:3, 3], X[:3, :3]), _MEET)
    chaser = space_chaser(arm, arrays=arm)
    scene = equations(capture_scene(chaser, target))
    guidance = PathGuidance(rigid, way, q0, _GRIP, machine=scene.machine)
    start = {**dict(zip(rigid.q_names, q0.tolist(), strict=True)), **q_debris}
    run = simulate(
        scene, duration=_GRIP, q0=start, v0=v_debris, control=tracking_loop(guidance), record=0.1,
        signals=[Signal("tip", frame="tip")],
    )  # fmt: skip
    tip, goal = (run.array([f"{n}.{k}" for k in "xyz"]) for n in ("tip", "target"))
    yield "soft.tip", 1e3 * float(np.linalg.norm(tip - goal, axis=1)[run.t >= _MEET].max())
    # the plan of a rigid debris with the same start, to see the effect of the arrays
    stiff = gripped(tumbling_debris(_SLOW, quaternion=_TURNED, position=(7.4, 0.0, 0.0)), grip)(_GRIP)
    yield "soft.stiff", 1e3 * float(np.linalg.norm(stiff.position - goal[-1]))
    q, v = (run.array(names)[-1] for names in (scene.machine.q_names, scene.machine.v_names))
    held = np.linalg.solve(scene.pose("tip", q), scene.pose("debris", q))
    stack = equations(captured_stack(chaser, held, target))
    after = join(run, stack, gap=1e-6, turn=1e-6)
    before = scene.momentum(q, v)
    size = np.array([np.linalg.norm(before[:3])] * 3 + [np.linalg.norm(before[3:])] * 3)
    yield "soft.momentum", float(np.abs((stack.momentum(after.q, after.v) - before) / size).max())
    joints = [n for n in stack.q_names if n.startswith("theta")]
    posture = [float(after.q[stack.q_names.index(n)]) for n in joints]
    brake = PD(60.0, 120.0, posture)
    rest = simulate(
        stack, duration=_HOLD, q0=after.q, v0=after.v, t0=after.t, control=brake, record=0.5, method="dopri5",
        rtol=1e-9, atol=1e-11,
    )  # fmt: skip
    ends = stack.momentum(rest.array(stack.machine.q_names), rest.array(stack.machine.v_names))
    yield "soft.holding", float(np.abs((ends - before) / size).max())


def _least_turn(a: Array, b: Array) -> Array:
    """Least rotation that takes one unit vector to another."""
    v, c = np.cross(a, b), float(a @ b)
    K = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.asarray(np.eye(3) + K + K @ K / (1.0 + c))
