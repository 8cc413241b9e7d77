"""Capture of a tumbling body by a robot on a free base, planned within its limits.

The closed form of SPACE chapter 7 knows neither the base's torque nor the arm. This planner scans final times, sides
from which to approach and attitudes of the grip; each candidate is the path of least jerk (7.46) onto the grip, made
into a motion of the whole robot that respects momentum, and is accepted if it keeps every limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, PlanError
from dalembert.core.keywords import field_defaults, flat_keywords, grouped
from dalembert.core.states import named_vector
from dalembert.core.types import Array, StateLike
from dalembert.core.validation import check_number
from dalembert.formulations.equations import MachineOrEquations
from dalembert.model.geometry import Geometry
from dalembert.model.machine import Machine
from dalembert.plan.clearance import ArmShape, Obstacle, arm_shape, boxes_of, least_clearance
from dalembert.plan.held_base import ArmMotion, HeldBase, held_base
from dalembert.plan.pose import PoseMotion, PosePath, gripped, meet_pose, resting_pose
from dalembert.plan.robot_limits import RobotLimits, Verdict, at_least, at_most
from dalembert.plan.tip_task import meaning
from dalembert.plan.tumbling import TumblingBody

__all__ = ["CaptureApproach", "RobotCapture", "plan_robot_capture"]

_COARSE, _CHUNK, _MOST = 48, 24, 480
_MISSED = 1e-3  # metres and radians: the tip does not reach its path


@dataclass(frozen=True)
class RobotCapture:
    """An accepted plan.

    Attributes
    ----------
    body
        The debris as the robot sees it from the side that was chosen.
    side
        Rotation from the axes in which the debris was given to those of the plan: where the chaser has gone.
    duration, hold
        Time at which the tip meets the grip, and for how long it then goes with it [s].
    grip
        Attitude of the tip in axes of the debris (3 x 3).
    path
        Motion of the tip, a function of time.
    centre, attitude
        Centre of mass of the robot, and attitude (w, x, y, z) that its base keeps.
    t, motion
        Times, and the motion of the joints with its efforts.
    q
        Coordinates of the whole robot at these times.
    verdicts
        Every limit with its use by the plan.
    tried
        Number of candidates that were evaluated.
    robot
        The robot that was planned for.
    frame, task
        Its tip, and what the tip does: ``"pose"``, ``"axis"`` or ``"position"``.
    """

    body: TumblingBody
    side: Array
    duration: float
    hold: float
    grip: Array
    path: PosePath
    centre: Array
    attitude: Array
    t: Array
    motion: ArmMotion
    q: Array
    verdicts: tuple[Verdict, ...]
    tried: int
    robot: Machine
    frame: str = "tip"
    task: str = "pose"

    def __str__(self) -> str:
        room = min(self.verdicts, key=lambda v: v.slack)
        return (
            f"capture after {self.duration:g} s, followed for {self.hold:g} s; nearest limit: {room.name} "
            f"{room.value:.3g} (limit {room.limit:.3g}) {room.unit}".rstrip()
        )

    def replan(self, t: float, motion: PoseMotion, body: TumblingBody, *, lead: float = 4.0) -> PosePath:
        """Path of the tip from its motion at a time ``t`` onto the grip of the debris as it is estimated now.

        Parameters
        ----------
        t
            Time since the start.
        motion
            Motion of the tip at that time.
        body
            The debris as estimated, with its time zero that of the plan.
        lead
            Least time to go; later than the planned end the path keeps this far ahead.
        """
        target = gripped(body, self.grip)
        return meet_pose(
            lambda s: target(np.asarray(s) + t), motion, max(self.duration - t, check_number("lead", lead))
        )


@dataclass(frozen=True)
class CaptureApproach:
    """When and from where a robot may meet the debris: the candidates of a plan.

    Parameters
    ----------
    durations, every
        First and last time to meet, and their spacing [s].
    hold
        How long the tip goes with the debris before the grip closes [s].
    sides
        Number of sides from which the chaser may come: as many attitudes of the debris in the robot's world, the given
        one first. 1: it stays where it is.
    axis
        Outward direction at the target point in axes of the debris; None: along the radius of the target point.
    task
        Task of the tip, as in `held_base`; None: the most that the number of its joints allows.

    Examples
    --------
    >>> CaptureApproach(durations=(20.0, 60.0), sides=12).hold
    10.0
    """

    durations: tuple[float, float] = (16.0, 112.0)
    every: float = 2.0
    hold: float = 10.0
    sides: int = 48
    axis: ArrayLike | None = None
    task: str | None = None

    def __post_init__(self) -> None:
        first, last, every, hold = _times(self.durations, self.every, self.hold)
        for name, value in (("durations", (first, last)), ("every", every), ("hold", hold)):
            object.__setattr__(self, name, value)
        if isinstance(self.sides, bool) or not isinstance(self.sides, int) or self.sides < 1:
            raise InputError(f"sides must be an integer >= 1, got {self.sides!r}")


class _Keywords(TypedDict, total=False):
    """Short forms of `CaptureApproach`."""

    durations: tuple[float, float]
    every: float
    hold: float
    sides: int
    axis: ArrayLike | None
    task: str | None


@flat_keywords(_Keywords, defaults=field_defaults(CaptureApproach))
def plan_robot_capture(
    robot: MachineOrEquations,
    body: TumblingBody,
    q0: ArrayLike | Mapping[str, float],
    *,
    frame: str = "tip",
    limits: RobotLimits | None = None,
    approach: CaptureApproach | None = None,
    geometry: Geometry | tuple[Geometry, ...] = (),
    radius: float = 0.08,
    **keywords: Unpack[_Keywords],
) -> RobotCapture:
    """Plan the capture of a tumbling body by a robot at rest, within limits.

    The base keeps its attitude and moves as linear momentum asks. The grip comes from outside along ``axis`` and is
    turned about it as little as possible from how the tip is now.

    Parameters
    ----------
    robot
        A rigid robot on a free base with joints of one coordinate each, three or more of them on the way to the tip, or
        its equations.
    body
        The debris, in the robot's world, its time zero now.
    q0
        Configuration of the robot, at rest.
    frame
        The tip; it grips along its z axis.
    limits
        Limits of the plan.
    approach
        Times and sides that are tried.
    geometry
        Boxes of the debris for clearance, in its axes.
    radius
        Radius of the arm as capsules [m].
    **keywords
        Fields of `CaptureApproach`: ``durations``, ``every``, ``hold``, ``sides``, ``axis``, ``task``.

    Raises
    ------
    PlanError
        If no candidate keeps every limit; the message says how many failed by which, and by how little.

    Examples
    --------
    >>> from dalembert.systems import space_robots
    >>> robot = space_robots.space_chaser("rigid", arrays="rigid")
    >>> home = {"theta2": -0.9, "theta3": 1.7, "theta4": -0.8}
    >>> body = space_robots.tumbling_debris((0.0, 0.05, 0.02), position=(7.4, 0.0, 0.0))
    >>> plan = plan_robot_capture(robot, body, home)
    >>> all(verdict.ok for verdict in plan.verdicts)
    True
    """
    if not isinstance(body, TumblingBody):
        raise InputError(f"body must be a TumblingBody, got {body!r}")
    limits = RobotLimits() if limits is None else limits
    if not isinstance(limits, RobotLimits):
        raise InputError(f"limits must be RobotLimits, got {limits!r}")
    approach = grouped(CaptureApproach, approach, keywords)
    (first, last), hold, sides = approach.durations, approach.hold, approach.sides
    held = held_base(robot, frame, task=approach.task)
    scene = _scene(held, body, q0, limits, (hold, approach.axis), (geometry, radius))
    candidates, seen = _screen(scene, np.arange(first, last + 1e-9, approach.every), _sides(sides))
    if not candidates:
        raise PlanError(
            f"the robot sees the target point of the debris at no time between {first:g} and {last:g} s from any of "
            f"{sides} sides: within {hold:g} s it comes no nearer to the arm's reach of {scene.reach:.3g} m than "
            f"{seen:.3g} m, or faces away{_hint(scene, seen)}"
        )
    return _first_accepted(scene, candidates, sides, (first, last))


def judge_motion(
    robot: MachineOrEquations,
    body: TumblingBody,
    q0: Array,
    t: Array,
    motion: ArmMotion,
    *,
    frame: str = "tip",
    limits: RobotLimits,
    geometry: Geometry | tuple[Geometry, ...] = (),
    radius: float = 0.08,
) -> tuple[Verdict, ...]:
    """Use of every limit by a motion of the joints; parameters as in `plan_robot_capture`."""
    scene = _scene(held_base(robot, frame), body, q0, limits, (0.0, None), (geometry, radius))
    least = scene.robot.least(motion.joints)
    return _verdicts(scene, body, t, motion, least, near=True)


@dataclass(frozen=True)
class _Scene:
    """Data common to all candidates; axes are those of the base at the centre of mass unless noted."""

    robot: HeldBase
    body: TumblingBody
    axis: Array
    limits: RobotLimits
    hold: float
    joints: Array
    centre: Array
    attitude: Array
    R: Array
    home: Array
    shoulder: Array
    reach: float
    shape: ArmShape
    obstacles: tuple[Obstacle, ...]


@dataclass(frozen=True)
class _Candidate:
    side: Array
    duration: float
    quality: float
    verdicts: tuple[Verdict, ...] = field(default=())


def _scene(
    held: HeldBase,
    body: TumblingBody,
    q0: StateLike,
    limits: RobotLimits,
    grip: tuple[float, ArrayLike | None],
    shapes: tuple[Geometry | tuple[Geometry, ...], float],
) -> _Scene:
    (hold, axis), (geometry, radius) = grip, shapes
    eom = held.eom
    for name, value, n in (
        ("base_torque", limits.base_torque, 3),
        ("joint_torque", limits.joint_torque, len(held.names)),
    ):
        if isinstance(value, tuple) and len(value) != n:
            raise InputError(f"{name} of the limits must be one number or {n}, got {len(value)}")
    q = named_vector(q0, eom.q_names, eom.q_neutral, "q0")
    eom.check_quaternions(q)
    out = np.array(body.point if axis is None else axis, dtype=float)
    if out.shape != (3,) or not np.isfinite(out).all() or not np.linalg.norm(out) > 0.0:
        raise InputError(
            f"axis must be 3 finite numbers, not all zero, got {out.tolist()}; without one it is the target point"
        )
    solids = (geometry,) if isinstance(geometry, Geometry) else tuple(geometry)
    start = next(b.q.start for b in eom.layout.blocks if b.name == held.base)
    Q = q[start + 3 : start + 7]
    R = eom.pose(eom.machine.joint(held.base).child, q)[:3, :3]
    joints = q[held.rows[2]]
    shape = arm_shape(held, check_number("radius", radius, unit="m"))
    points = held.points(shape.frames)(joints)
    reach = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    return _Scene(
        held, body, out / np.linalg.norm(out), limits, hold, joints, eom.center_of_mass(q), Q, R, held.tip(joints)[0],
        points[0], reach, shape, tuple(boxes_of("debris", solids)),
    )  # fmt: skip


def _times(durations: tuple[float, float], every: float, hold: float) -> tuple[float, float, float, float]:
    try:
        first, last = (float(x) for x in durations)
    except (TypeError, ValueError):
        first, last = np.nan, np.nan
    if not 0.0 < first <= last < np.inf:
        raise InputError(f"durations must be two times 0 < first <= last, got {durations!r}")
    return first, last, check_number("every", every, unit="s"), check_number("hold", hold, unit="s")


def _sides(n: int) -> Array:
    """Rotations spread evenly, the identity first (a super-Fibonacci spiral; Alexa 2022)."""
    s = np.arange(n) + 0.5
    phi, psi = np.sqrt(2.0), 1.533751168755204288118041
    r, R = np.sqrt(s / n), np.sqrt(1.0 - s / n)
    a, b = 2.0 * np.pi * s / phi, 2.0 * np.pi * s / psi
    Q = np.stack([r * np.sin(a), r * np.cos(a), R * np.sin(b), R * np.cos(b)], axis=-1)
    w, x, y, z = Q.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    G = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    return np.asarray(np.concatenate([np.eye(3)[None], G @ G[0].T])[:n])


def _screen(scene: _Scene, durations: Array, sides: Array) -> tuple[list[_Candidate], float]:
    """Candidates whose target point stays within reach and faces the arm while the tip goes with it, best first."""
    body, hold = scene.body, scene.hold
    samples = durations[:, None] + np.linspace(0.0, hold, 6)
    R = body.attitude(samples)
    out, point = R @ scene.axis, R @ np.array(body.point)
    drift = samples[..., None] * np.array(body.velocity)
    candidates: list[_Candidate] = []
    nearest = np.inf
    for G in sides:
        place = np.array(body.position) + (drift + point) @ G.T
        way = (place - scene.centre) @ scene.R - scene.shoulder
        distance = np.linalg.norm(way, axis=-1)
        nearest = min(nearest, float(distance.max(axis=-1).min()))
        facing = -np.sum((out @ G.T @ scene.R) * way, axis=-1) / distance
        near = (distance < 0.98 * scene.reach).all(axis=-1) & (facing > 0.3).all(axis=-1)
        for k in np.flatnonzero(near):
            # the middle of the reach is where the arm is most able
            centred = 1.0 - float(np.abs(distance[k] / scene.reach - 0.72).max()) / 0.3
            candidates.append(_Candidate(G, float(durations[k]), float(facing[k].min()) + 0.5 * centred))
    candidates.sort(key=lambda c: c.duration / 100.0 - c.quality)
    return candidates[:_MOST], nearest


def _grip(scene: _Scene, body: TumblingBody, middle: float) -> Array:
    """Attitude of the tip in axes of the body: against the outward axis, turned as little as possible from home."""
    A = body.attitude(middle)
    home = scene.R @ scene.home[:3, :3]
    return np.asarray(A.T @ _between(home[:, 2], -A @ scene.axis) @ home)


def _between(a: Array, b: Array) -> Array:
    """Least rotation that takes one unit vector to another."""
    v, c = np.cross(a, b), float(a @ b)
    if c < -1.0 + 1e-9:  # opposite: about any axis across
        u = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
        u = u / np.linalg.norm(u)
        return np.asarray(2.0 * np.outer(u, u) - np.eye(3))
    K = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.asarray(np.eye(3) + K + K @ K / (1.0 + c))


def _path(scene: _Scene, candidate: _Candidate) -> tuple[TumblingBody, Array, PosePath]:
    body = scene.body.turned(candidate.side)
    grip = _grip(scene, body, candidate.duration + scene.hold / 2)
    start = resting_pose(scene.centre + scene.R @ scene.home[:3, 3], scene.R @ scene.home[:3, :3])
    return body, grip, meet_pose(gripped(body, grip), start, candidate.duration)


def _local(scene: _Scene, motion: PoseMotion) -> PoseMotion:
    """Motion in axes of the base at the centre of mass."""
    x, v, a, A, w, change = motion
    R = scene.R
    return PoseMotion((x - scene.centre) @ R, v @ R, a @ R, R.T @ A, w @ R, change @ R)


def _evaluate(scene: _Scene, candidates: list[_Candidate]) -> list[_Candidate]:
    """Candidates with their verdicts, on a coarse grid of times, all at once."""
    times = np.array([np.linspace(0.0, c.duration + scene.hold, _COARSE) for c in candidates])
    planned = [_path(scene, c) for c in candidates]
    paths = [_local(scene, path(t)) for (_, _, path), t in zip(planned, times, strict=True)]
    whole = PoseMotion(*(np.stack(x) for x in zip(*paths, strict=True)))
    motion = scene.robot.follow(whole, times, scene.joints)
    least = scene.robot.least(motion.joints)
    result = []
    for k, candidate in enumerate(candidates):
        one = ArmMotion(*(getattr(motion, f.name)[k] for f in fields(motion)))
        result.append(replace(candidate, verdicts=_verdicts(scene, planned[k][0], times[k], one, least[k])))
    return result


def _verdicts(
    scene: _Scene, body: TumblingBody, t: Array, motion: ArmMotion, least: Array, *, near: bool = False
) -> tuple[Verdict, ...]:
    """Verdicts on a motion; those on distances, which cost more than all others, only on request."""
    limits, (base, rows, _) = scene.limits, scene.robot.rows
    miss = float(motion.miss.max())
    if not miss < _MISSED:
        return (Verdict("reach of the path", "m", miss, _MISSED, -1.0),)
    use = 1.0 - limits.reserve
    room = scene.robot.eom.machine
    ranges = [(j.limits.lower, j.limits.upper) for j in (room.joint(n) for n in scene.robot.names)]
    lower = np.maximum([x for x, _ in ranges], -limits.joint_range)
    upper = np.minimum([x for _, x in ranges], limits.joint_range)
    outside = float(np.maximum(lower - motion.joints, motion.joints - upper).max())
    verdicts = [
        _torque("base torque", motion.effort[:, base[3:]], use, limits.base_torque),
        _torque("joint torque", motion.effort[:, rows], use, limits.joint_torque),
        Verdict("room to the joint range", "rad", -outside, 0.0, -outside / limits.joint_range),
        at_least("distance from singularity", "", float(least.min()), limits.singularity),
    ]
    if scene.robot.task == "position":
        verdicts.append(at_most("approach angle", "rad", _approach(scene, body, t, motion), limits.approach_angle))
    if not near:
        return tuple(verdicts)
    X = np.zeros((len(t), 4, 4))
    drift = t[:, None] * np.array(body.velocity)
    X[:, :3, :3] = scene.R.T @ body.attitude(t)
    X[:, :3, 3], X[:, 3, 3] = (np.array(body.position) + drift - scene.centre) @ scene.R, 1.0
    for name, gap in least_clearance(scene.robot, scene.shape, motion.joints, X, scene.obstacles).items():
        verdicts.append(at_least(f"clearance of {name}", "m", gap, limits.clearance))
    return tuple(verdicts)


def _torque(name: str, efforts: Array, use: float, limit: float | tuple[float, ...]) -> Verdict:
    """Use of limits of torques: that of the component with the largest use."""
    largest, most = np.abs(efforts).max(axis=0), use * np.broadcast_to(np.array(limit), efforts.shape[1:])
    k = int(np.argmax(largest / most))
    return at_most(name, "N m", float(largest[k]), float(most[k]))


def _approach(scene: _Scene, body: TumblingBody, t: Array, motion: ArmMotion) -> float:
    """Largest angle between the approach axis of the tip and the debris' inward one while the tip goes with it."""
    after = t >= t[-1] - scene.hold - 1e-9
    z = scene.robot.tip(motion.joints[after])[0][..., :3, 2]
    inward = -(body.attitude(t[after]) @ scene.axis) @ scene.R
    return float(np.arccos(np.clip(np.sum(z * inward, axis=-1), -1.0, 1.0)).max())


def _first_accepted(scene: _Scene, candidates: list[_Candidate], sides: int, span: tuple[float, float]) -> RobotCapture:
    failed: list[_Candidate] = []
    for begin in range(0, len(candidates), _CHUNK):
        judged = _evaluate(scene, candidates[begin : begin + _CHUNK])
        good = [c for c in judged if all(v.ok for v in c.verdicts)]
        failed += [c for c in judged if not all(v.ok for v in c.verdicts)]
        for candidate in sorted(good, key=lambda c: -min(v.slack for v in c.verdicts)):
            plan = _finished(scene, candidate, begin + len(judged))
            if all(v.ok for v in plan.verdicts):
                return plan
            failed.append(replace(candidate, verdicts=plan.verdicts))
    raise PlanError(_reason(scene, failed, sides, span))


def _finished(scene: _Scene, candidate: _Candidate, tried: int) -> RobotCapture:
    """The whole plan on a fine grid of times."""
    body, grip, path = _path(scene, candidate)
    end = candidate.duration + scene.hold
    t = np.linspace(0.0, end, int(np.ceil(end / 0.25)) + 1)
    motion = scene.robot.follow(_local(scene, path(t)), t, scene.joints, steps=3)
    least = scene.robot.least(motion.joints)
    verdicts = _verdicts(scene, body, t, motion, least, near=True)
    q = scene.robot.configuration(motion.joints, scene.centre, scene.attitude)
    return RobotCapture(
        body, candidate.side, candidate.duration, scene.hold, grip, path, scene.centre, scene.attitude, t, motion, q,
        verdicts, tried, scene.robot.eom.machine, scene.robot.frame, scene.robot.task,
    )  # fmt: skip


def _hint(scene: _Scene, distance: float) -> str:
    """Where the debris should stand, if it is out of reach."""
    if distance < 0.98 * scene.reach:
        return ""
    target = float(np.linalg.norm(np.array(scene.body.point)))
    there = float(np.linalg.norm((np.array(scene.body.position) - scene.centre) @ scene.R - scene.shoulder))
    return (
        f"; the centre of the debris is {there:.3g} m from the first joint of the arm and its target point "
        f"{target:.3g} m from that centre: bring the chaser to about {0.72 * scene.reach + target:.3g} m"
    )


def _reason(scene: _Scene, failed: list[_Candidate], sides: int, span: tuple[float, float]) -> str:
    """How many candidates failed by which limit, and how near the nearest came."""
    worst = [min(c.verdicts, key=lambda v: v.slack) for c in failed]
    lines = []
    for name in sorted({v.name for v in worst}):
        of = [v for v in worst if v.name == name]
        near = max(of, key=lambda v: v.slack)
        lines.append(f"{name}: {len(of)} (nearest {near.value:.3g}, limit {near.limit:.3g} {near.unit}".rstrip() + ")")
    stuck = all(v.name == "reach of the path" for v in worst)
    hint = (
        f"; the arm reaches the target point but not with the required {meaning(scene.robot.task)}: another approach "
        "axis, another posture at the start, or a smaller task"
    )
    return (
        f"none of {len(failed)} candidates ({sides} sides, {span[0]:g} to {span[1]:g} s) keeps every limit; failed by "
        + "; ".join(lines)
        + (hint if stuck else "")
    )
