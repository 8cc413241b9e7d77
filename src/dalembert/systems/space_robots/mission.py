"""A whole capture: watch the debris, plan, fly around, approach, go with it, grip, and bring the stack to rest.

With a hold point the chaser flies from there to the side that the plan has chosen. Without one it begins at that side;
the way there is not simulated then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.allocation import allocate
from dalembert.control.cascade import Cascade, Guidance, Sampled
from dalembert.control.estimation import StereoCamera
from dalembert.core.errors import ConvergenceError, InputError, PlanError
from dalembert.core.keywords import field_defaults, flat_keywords, grouped
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.loop.experiment import ExperimentKeywords, Start, experiment_of
from dalembert.loop.join import join
from dalembert.loop.simulate import run_experiment
from dalembert.model.machine import Machine
from dalembert.plan.robot_capture import RobotLimits, plan_robot_capture
from dalembert.plan.tip_task import meaning
from dalembert.simulation.methods import RK4
from dalembert.simulation.run import Run
from dalembert.systems.space_robots.cases import CaptureCase, default_case
from dalembert.systems.space_robots.debris_twin import DebrisTwin, debris_twin
from dalembert.systems.space_robots.detumbling import StackGuide, chosen_braking, stack_feedback
from dalembert.systems.space_robots.feedback import CaptureFeedback, CaptureGains, held_names
from dalembert.systems.space_robots.flying_around import FlightGuide, FlyAround, chosen_way, flight_loop
from dalembert.systems.space_robots.guidance import CaptureGuide
from dalembert.systems.space_robots.outcome import CaptureOutcome
from dalembert.systems.space_robots.requirements import judged, rested, tip_errors
from dalembert.systems.space_robots.scene import captured_stack, flying_scene, grip_parameters
from dalembert.systems.space_robots.sensors import CaptureSensors, SensorNoise
from dalembert.systems.space_robots.settings import (
    derived_gains,
    derived_limits,
    stack_gains,
    stack_limits,
    stand_off,
    time_step,
)
from dalembert.systems.space_robots.start import CaptureStart
from dalembert.systems.space_robots.twins import ChaserTwins, chaser_twins
from dalembert.systems.space_robots.uncertain import case_machines
from dalembert.systems.space_robots.watching import free_motion, later, moved, picture_times, placed, watched

__all__ = ["CapturePhases", "fly_capture"]

_TIMES = (90.0, 60.0)  # shortest times of the way around the debris and of the straight part [s]
_OPEN = (0.02, float(np.radians(3.0)))  # the fingers of the grip close over this distance and angle


@dataclass(frozen=True)
class CapturePhases:
    """The phases of a capture.

    Parameters
    ----------
    watch
        How long the debris is watched before the plan [s].
    hold
        How long the tip goes with the debris before the grip closes [s].
    detumble
        Whether the grip closes and the stack is brought to rest.
    record
        Interval of the recorded rows [s].
    hold_point
        Distance of the base from the centre of the debris at which the mission begins [m]: from there the chaser
        watches, flies around the debris to the side of the plan and straight on to it, by its thrusters. None: it
        begins at the side of the plan, at the distance of the arm, without flying there.

    Examples
    --------
    >>> from dalembert.systems.space_robots import CapturePhases
    >>> CapturePhases(watch=60.0, hold_point=30.0).detumble
    True
    """

    watch: float = 90.0
    hold: float = 10.0
    detumble: bool = True
    record: float = 0.05
    hold_point: float | None = None


class _Keywords(TypedDict, total=False):
    """Fields of `CaptureStart`, `CapturePhases` and `CaptureSensors` as keywords of a call."""

    rate: ArrayLike
    quaternion: ArrayLike
    joints: Mapping[str, float]
    tip: str
    approach: str
    target: str
    axis: ArrayLike | None
    task: str | None
    distance: float | None
    eye: str | None
    parameters: Mapping[str, float]
    tuned_at: Mapping[str, float] | None
    turn: ArrayLike
    spin: ArrayLike
    seed: int
    watch: float
    hold: float
    detumble: bool
    record: float
    hold_point: float | None
    noise: SensorNoise | None
    camera: StereoCamera | None


@dataclass(frozen=True)
class _Flight:
    """Data that all phases of one capture share."""

    start: CaptureStart
    twins: ChaserTwins
    debris: DebrisTwin
    phases: CapturePhases
    sensors: CaptureSensors
    gains: CaptureGains
    limits: RobotLimits
    derived: bool
    say: Callable[[str], object]

    @property
    def posture(self) -> Array:
        """Joints at the start."""
        return self.start.posture(self.twins.joints, f"machine '{self.twins.machine.name}'")

    @property
    def tuned_at(self) -> tuple[float, ...]:
        """Joints at which the gains are those of the settings."""
        named = self.start.joints if self.start.tuned_at is None else self.start.tuned_at
        return tuple(float(named.get(name, 0.0)) for name in self.twins.joints)

    @property
    def scene(self) -> EquationsOfMotion:
        """Equations before the grip."""
        return _scene(self.twins, self.debris, self.sensors.noise, self.gains.period, self.start.eye)


@lru_cache(maxsize=8)
def _scene(
    twins: ChaserTwins, debris: DebrisTwin, noise: SensorNoise | None, period: float, eye: str | None
) -> EquationsOfMotion:
    """The simulated machine; derived and compiled once."""
    return derive(flying_scene(twins, debris, noise, period, eye))


@lru_cache(maxsize=32)
def _feedback(twins: ChaserTwins, gains: CaptureGains, posture: tuple[float, ...]) -> CaptureFeedback:
    """The inner law."""
    return CaptureFeedback.tuned(twins.rigid, gains, np.array(posture))


@lru_cache(maxsize=8)
def _true_stack(twins: ChaserTwins, debris: DebrisTwin, noise: SensorNoise | None, period: float) -> EquationsOfMotion:
    """The stack that is simulated."""
    whole, other = twins.machine, debris.machine
    return derive(captured_stack(whole, None, other, noise=noise, period=period, frame=twins.frame, goal=debris.target))


@lru_cache(maxsize=8)
def _rigid_stack(twins: ChaserTwins, debris: DebrisTwin) -> EquationsOfMotion:
    """The nominal rigid stack that the chaser computes with."""
    whole, other = twins.rigid.eom.machine, debris.rigid.machine
    return derive(captured_stack(whole, None, other, frame=twins.frame, goal=debris.target))


@flat_keywords(_Keywords, defaults=field_defaults(CaptureStart, CapturePhases, CaptureSensors))
def fly_capture(
    chaser: Machine | CaptureCase | None = None,
    debris: Machine | None = None,
    *,
    start: CaptureStart | None = None,
    phases: CapturePhases | None = None,
    sensors: CaptureSensors | None = None,
    gains: CaptureGains | None = None,
    limits: RobotLimits | None = None,
    tell: Callable[[str], object] | None = None,
    **keywords: Unpack[_Keywords],
) -> CaptureOutcome:
    """Fly a capture of a debris by a chaser, and judge it.

    The chaser is any machine on a free base: arms with three or more driven joints of one coordinate, anything that
    bends, reaction wheels, thrusters. Its rigid models, feedforward, gains and limits are made from the machine. Arms
    with more joints than their task needs disturb the base least and stay away from the ends of their ranges; arms
    with fewer than six joints serve a smaller task, which ``tell`` reports.

    Parameters
    ----------
    chaser
        The chaser; or a case of the ready-made one, as `random_case` gives; None: that one, without model errors, and
        a debris of 4 degrees per second.
    debris
        The debris: a machine that floats on one free joint.
    start
        How it begins, and what grips what.
    phases
        How long they take, and whether the last one is flown.
    sensors
        Noise of the chaser's sensors, and the cameras.
    gains
        Settings of the loops; None: from the machine.
    limits
        Limits of the plan; None: from the machine.
    tell
        Called with a line of text at each phase.
    **keywords
        Fields of ``start``, ``phases`` and ``sensors``, as a short form: ``fly_capture(chaser, debris, rate=(0, 0.05,
        0), joints={"elbow": 1.2}, camera=None)``.

    Returns
    -------
    How it went; a plan that was not found, or a grip that stayed open, is its ``reason``.
    """
    if isinstance(chaser, Machine):
        if debris is None:
            raise InputError("fly_capture of a chaser needs the debris too: a machine that floats on one free joint")
        start = grouped(CaptureStart, start, keywords)
        case: CaptureCase | CaptureStart = start
    else:
        case = default_case() if chaser is None else chaser
        if not isinstance(case, CaptureCase):
            raise InputError(f"chaser must be a Machine, or a CaptureCase of the ready-made one, got {chaser!r}")
        named = sorted({f.name for f in fields(CaptureStart)} & set(keywords))
        if debris is not None or start is not None or named:
            raise InputError(
                "a case brings its debris and its start; give a chaser as a Machine to choose "
                f"{', '.join(named) or 'them'}"
            )
        chaser, debris = case_machines()
        start = case.start
        gains = CaptureGains() if gains is None else gains
        limits = RobotLimits() if limits is None else limits
    twins = chaser_twins(chaser, start.tip, start.approach, start.task)
    target = debris_twin(debris, start.target)
    flight = _Flight(
        start, twins, target, grouped(CapturePhases, phases, keywords), grouped(CaptureSensors, sensors, keywords),
        derived_gains(twins, start) if gains is None else gains, derived_limits(twins) if limits is None else limits,
        gains is None, (lambda text: None) if tell is None else tell,
    )  # fmt: skip
    if twins.task != "pose" and case is start:
        flight.say(f"the arm has {len(twins.joints)} joints: its task is the {meaning(twins.task)}")
    return _fly(flight, case)


def _fly(flight: _Flight, case: CaptureCase | CaptureStart) -> CaptureOutcome:
    """Watch, plan, fly to the chosen side where that is asked, and approach."""
    start, twins, debris, gains, limits = flight.start, flight.twins, flight.debris, flight.gains, flight.limits
    camera, noise, hold = flight.sensors.camera, flight.sensors.noise, flight.phases.hold
    rng = np.random.default_rng((start.seed, 7))
    away = stand_off(twins, debris) if start.distance is None else start.distance
    centre = away * twins.outward
    outcome = CaptureOutcome(case, twins=twins, debris=debris)
    try:
        way = _way(flight, centre, away)
    except PlanError as error:
        return replace(outcome, reason=f"no way: {error}")
    ahead = 0.0 if way is None else way.duration  # the clock is zero when the arm begins
    watch = flight.phases.watch
    times = picture_times(watch, StereoCamera() if camera is None else camera)
    poses, q, v = free_motion(debris, (start.rate, start.quaternion, centre), start.parameters, times, watch)
    estimate = filter_ = None
    scene = flight.scene
    mount = _mount(scene, twins, start.eye)
    if camera is not None:
        eye = mount.copy()
        eye[:3, 3] += np.zeros(3) if way is None else way.pose(0.0)[0]
        try:
            estimate, filter_ = watched(debris, poses, times - watch - ahead, (eye, noise), camera, rng)
        except (ConvergenceError, InputError) as error:
            return replace(outcome, reason=f"the debris stays unknown, the chaser stays at its hold point: {error}")
        flight.say(f"watched for {watch:g} s: position to {1e3 * estimate.deviation('position'):.1f} mm, attitude to "
            f"{np.degrees(estimate.deviation('attitude')):.2f} degrees")  # fmt: skip
    now = debris.tumbling(*moved(debris, q, v), start.parameters)
    guess = later(now, ahead) if estimate is None else estimate.body(debris.point)
    settings: dict[str, Any] = {
        "frame": twins.frame, "hold": hold, "limits": limits, "geometry": debris.solids, "axis": start.axis,
        "task": twins.task,
    }  # fmt: skip
    posture = dict(zip(twins.joints, flight.posture.tolist(), strict=True))
    try:
        plan = plan_robot_capture(twins.rigid.eom, guess, posture, **settings)
    except PlanError as error:
        return replace(outcome, reason=f"no plan: {error}", estimate=estimate)
    flight.say(f"planned: {plan}")
    rates = np.array(start.spin, dtype=float).tolist()
    v = {**v, **{f"{twins.base}.{n}": x for n, x in zip(("wx", "wy", "wz"), rates, strict=True)}}
    begin: tuple[Any, Any]
    if way is None:
        now = now.turned(plan.side)
        if estimate is not None:
            estimate = estimate.turned(plan.side, centre)
        begin = {**q, **placed(debris, now, 0.0)[0], **_base_start(flight)}, v
    else:
        way = replace(way, side=plan.side)
        place = {f"{twins.base}.{n}": float(x) for n, x in zip("xyz", way.pose(0.0)[0], strict=True)}
        guide = FlightGuide(
            way, twins, flight.posture, -ahead, estimate=estimate, watch=filter_, scene=scene, mount=mount,
            centre=debris.centre, rng=rng,
        )  # fmt: skip
        run = _run(flight, flight_loop(guide, gains), Start({**q, **place, **_base_start(flight)}, v, -ahead), ahead)
        outcome = replace(outcome, flight=run, way=way, estimate=guide.estimate)
        if run.status != "completed":
            return replace(outcome, reason=f"the flight around {run.status}: {run.message}")
        estimate = guide.estimate
        begin = run.array(scene.q_names)[-1], run.array(scene.v_names)[-1]
        ends = [
            dict(zip(n, x.tolist(), strict=True)) for n, x in zip((scene.q_names, scene.v_names), begin, strict=True)
        ]
        now = debris.tumbling(*moved(debris, *ends), start.parameters)
        known = (
            "" if estimate is None else f", attitude known to {np.degrees(estimate.deviation('attitude')):.2f} degrees"
        )
        flight.say(f"flown around in {ahead:.0f} s from {way.far:g} m to {way.distance:.3g} m{known}")
        guess = now if estimate is None else estimate.body(debris.point)
        pose = way.motion(ahead)[0]
        there = {
            f"{twins.base}.{n}": float(x) for n, x in zip(("x", "y", "z", "qw", "qx", "qy", "qz"), pose, strict=True)
        }
        try:
            plan = plan_robot_capture(twins.rigid.eom, guess, {**posture, **there}, sides=1, every=1.0, **settings)
        except PlanError as error:
            return replace(outcome, reason=f"no plan from where it has flown to: {error}")
        flight.say(f"planned again: {plan}")
    approach_guide = CaptureGuide(
        plan, twins.law, estimate=estimate, watch=filter_, body=now, gains=gains,
        rng=rng if filter_ is not None else None, mount=mount, scene=scene, centre=debris.centre,
    )  # fmt: skip
    law = Cascade(Sampled(_feedback(twins, gains, flight.tuned_at), gains.period), [approach_guide.stage()])
    approach = _run(flight, law, Start(*begin), plan.duration + hold)
    outcome = replace(outcome, estimate=estimate, plan=plan, approach=approach)
    if approach.status != "completed":
        return replace(outcome, reason=f"the approach {approach.status}: {approach.message}")
    outcome = replace(outcome, requirements=judged(approach, plan, limits, twins, scene))
    flight.say(f"approached: {outcome}")
    if not flight.phases.detumble:
        return outcome
    return _gripped(outcome, flight)


def _run(flight: _Flight, control: Cascade, start: Start, duration: float) -> Run:
    """Simulate the scene before the grip."""
    scene = flight.scene
    experiment: ExperimentKeywords = {
        "start": start,
        "p": {k: x for k, x in flight.start.parameters.items() if k in scene.p_names},
        "control": control,
        "method": RK4(time_step(flight.twins, flight.debris, flight.gains)),
        "duration": duration,
        "record": flight.phases.record,
        "seed": flight.start.seed,
    }
    return run_experiment(experiment_of(scene, experiment), check=False)


def _way(flight: _Flight, centre: Array, away: float) -> FlyAround | None:
    """The way from the hold point, long enough for every side; None: it is not flown."""
    far = flight.phases.hold_point
    if far is None:
        return None
    twins, outward = flight.twins, flight.twins.outward
    if far < 1.2 * away:
        raise PlanError(f"the hold point at {far:g} m is too near: the arm begins at {away:.3g} m")
    capacity = allocate(derive(twins.machine), twins.base).capacity
    across = np.eye(3)[int(np.argmin(np.abs(outward)))]
    opposite = 2.0 * np.outer(across, across) - np.eye(3)  # half a turn, the longest way
    first = FlyAround(centre, outward, opposite, far, max(1.5 * away, 0.5 * far), away, _TIMES)
    return chosen_way(twins, capacity, flight.posture, first)


def _mount(scene: EquationsOfMotion, twins: ChaserTwins, eye: str | None) -> Array:
    """Pose (4 x 4) of the camera in axes of the base."""
    q = scene.q_neutral
    return np.asarray(np.linalg.inv(scene.pose(twins.body, q)) @ scene.pose("eye" if eye is None else eye, q))


def _base_start(flight: _Flight) -> dict[str, float]:
    """Attitude of the base and posture of the joints at the start, by name."""
    half = 0.5 * np.array(flight.start.turn)
    Q = np.array([1.0, *half]) / np.sqrt(1.0 + half @ half)
    named = {f"{flight.twins.base}.{n}": float(x) for n, x in zip(("qw", "qx", "qy", "qz"), Q, strict=True)}
    return {**named, **dict(zip(flight.twins.joints, flight.posture.tolist(), strict=True))}


def _grip_angle(task: str, grip: Array, R: Array) -> float:
    """Angle between the tip and the grip, as far as the task asks for it; ``R`` is the debris in axes of the tip."""
    if task == "position":
        return 0.0
    turned = R @ grip
    if task == "axis":
        return float(np.arccos(np.clip(turned[2, 2], -1.0, 1.0)))
    return float(np.arccos(np.clip(0.5 * (np.trace(turned) - 1.0), -1.0, 1.0)))


def _gripped(outcome: CaptureOutcome, flight: _Flight) -> CaptureOutcome:
    """Close the grip, and bring the stack to rest."""
    run, plan, gains, twins, debris = outcome.approach, outcome.plan, flight.gains, flight.twins, flight.debris
    assert run is not None and plan is not None
    scene, noise = flight.scene, flight.sensors.noise
    p = {k: x for k, x in flight.start.parameters.items() if k in scene.p_names}
    q, values = run.array(scene.q_names)[-1], scene.parameter_values(p)
    tip, body = (scene.pose(frame, q, p=values) for frame in (twins.frame, debris.body))
    far = float(tip_errors(run)[-1])
    angle = _grip_angle(twins.task, plan.grip, tip[:3, :3].T @ body[:3, :3])
    if far > _OPEN[0] or angle > _OPEN[1]:
        return replace(
            outcome,
            reason=f"the grip stays open: the tip is {1e3 * far:.1f} mm and {np.degrees(angle):.1f} degrees from the "
            f"target, the fingers close over {1e3 * _OPEN[0]:g} mm and {np.degrees(_OPEN[1]):g} degrees",
        )
    reach = float(np.linalg.norm(debris.point))
    nominal = _rigid_stack(twins, debris)
    feedback = stack_feedback(nominal, twins, flight.tuned_at, reach)
    if flight.derived:
        gains = stack_gains(
            _true_stack(twins, debris, noise, gains.period), twins, feedback, gains, (flight.tuned_at, reach)
        )
    true = _true_stack(twins, debris, noise, gains.period)
    mount = grip_parameters(np.linalg.inv(tip) @ body)
    handover = join(run, true, p=mount)
    flight.say(f"gripped: {handover.loss:.3g} J lost in the impact")
    limits = stack_limits(true, twins, flight.limits)
    rates = handover.v[[true.v_names.index(f"{n}_dot") for n in twins.joints]]
    braking = chosen_braking(nominal, twins, flight.tuned_at, reach, rates, limits)
    guide = StackGuide(true, nominal, mount, handover, braking, twins)
    stage = Guidance(guide, gains.period * gains.every, held_names(len(twins.joints)))
    experiment: ExperimentKeywords = {
        "start": Start(handover.q, handover.v, handover.t),
        "p": {**p, **mount},
        "control": Cascade(Sampled(feedback, gains.period), [stage]),
        "method": RK4(time_step(twins, debris, gains)),
        "duration": guide.duration,
        "record": flight.phases.record,
        "seed": flight.start.seed + 1,
    }
    stack = run_experiment(experiment_of(true, experiment), check=False)
    outcome = replace(outcome, handover=handover, stack=stack)
    if stack.status != "completed":
        return replace(outcome, reason=f"after the grip the run {stack.status}: {stack.message}")
    last = rested(stack, true, {**p, **mount}, limits, twins, debris.body)
    outcome = replace(outcome, requirements=(*outcome.requirements, *last))
    flight.say(f"at rest: {outcome}")
    return outcome
