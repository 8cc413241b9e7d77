"""A whole capture: watch the debris, plan, fly around, approach, go with it, grip, and bring the stack to rest.

With a hold point the chaser flies from there to the side that the plan has chosen, and retreats where a limit is near.
Without one it begins at that side; the way there is not simulated then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.cascade import Cascade, Guidance, Sampled
from dalembert.control.estimation import StereoCamera
from dalembert.core.errors import ConvergenceError, InputError, PlanError
from dalembert.core.keywords import field_defaults, flat_keywords, grouped
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.loop.experiment import Start, experiment_of
from dalembert.loop.experiment_keywords import ExperimentKeywords
from dalembert.loop.join import join
from dalembert.loop.simulate import run_experiment
from dalembert.model.machine import Machine
from dalembert.model.orbit import Orbit
from dalembert.plan.robot_capture import plan_robot_capture
from dalembert.plan.robot_limits import RobotLimits
from dalembert.plan.tip_task import meaning
from dalembert.plan.tumbling import TumblingBody
from dalembert.simulation.methods import RK4
from dalembert.simulation.run import Run
from dalembert.systems.space_robots.aborting import UNKNOWN, GuardedGuide, cut
from dalembert.systems.space_robots.cases import CaptureCase, default_case
from dalembert.systems.space_robots.debris_twin import debris_twin
from dalembert.systems.space_robots.detumbling import StackGuide, calm_after, chosen_braking, stack_feedback
from dalembert.systems.space_robots.far_flight import first_way, fly_way, retreated, way_to_side
from dalembert.systems.space_robots.feedback import CaptureFeedback, CaptureGains, held_names
from dalembert.systems.space_robots.flight_data import CapturePhases, Flight, feedback_of, rigid_stack, true_stack
from dalembert.systems.space_robots.gripper import Gripper, finger_parameters, locked_fingers, loose_fingers
from dalembert.systems.space_robots.gripping import fingers_closed, judged_grip, lock_impulse, opened
from dalembert.systems.space_robots.guidance import CaptureGuide
from dalembert.systems.space_robots.outcome import CaptureOutcome
from dalembert.systems.space_robots.requirements import MissionRequirement, judged, rested, tip_errors, turned
from dalembert.systems.space_robots.scene import grip_parameters
from dalembert.systems.space_robots.sensors import CaptureSensors, SensorNoise
from dalembert.systems.space_robots.settings import (
    derived_gains,
    derived_limits,
    stack_gains,
    stack_limits,
    stand_off,
)
from dalembert.systems.space_robots.start import CaptureStart
from dalembert.systems.space_robots.transport import stack_turn, transport_feedback
from dalembert.systems.space_robots.twins import chaser_twins, with_spins
from dalembert.systems.space_robots.uncertain import case_machines
from dalembert.systems.space_robots.watching import free_motion, later, moved, picture_times, placed, watched

__all__ = ["fly_capture"]

_OPEN = (0.02, float(np.radians(3.0)))  # the fingers of the grip close over this distance and angle


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
    gripper: Gripper | None
    rotors: Mapping[str, float]
    turn: ArrayLike
    spin: ArrayLike
    seed: int
    watch: float
    hold: float
    detumble: bool
    record: float
    step: float | None
    hold_point: float | None
    orbit: Orbit | None
    keep_out: float | None
    corridor: float
    least_pulse: float | None
    specific_impulse: float
    lever: float
    tank: str | None
    attitude: ArrayLike | None
    noise: SensorNoise | None
    camera: StereoCamera | None
    hand_camera: StereoCamera | None
    hand_error: ArrayLike


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
    bends, reaction wheels, control moment gyros, thrusters. Its rigid models, feedforward, gains and limits are made
    from the machine. Arms with more joints than their task needs disturb the base least and stay away from the ends of
    their ranges; arms with fewer than six joints serve a smaller task, which ``tell`` reports.

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
        Settings of the loops, such as `tune_capture` finds; None: from the machine.
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
    gripper = start.gripper
    locked = chaser if gripper is None else locked_fingers(chaser, gripper)
    twins = with_spins(chaser_twins(locked, start.tip, start.approach, start.task), start.rotors)
    target = debris_twin(debris, start.target)
    flight = Flight(
        start, twins, target, grouped(CapturePhases, phases, keywords), grouped(CaptureSensors, sensors, keywords),
        derived_gains(twins, start) if gains is None else gains, derived_limits(twins) if limits is None else limits,
        gains is None or gains.law is not None, (lambda text: None) if tell is None else tell,
        None if gripper is None else loose_fingers(chaser, twins.machine, gripper),
    )  # fmt: skip
    if twins.task != "pose" and case is start:
        flight.say(f"the arm has {len(twins.joints)} joints: its task is the {meaning(twins.task)}")
    return _fly(flight, case)


def _fly(flight: Flight, case: CaptureCase | CaptureStart) -> CaptureOutcome:
    """Watch, plan, fly to the chosen side where that is asked, and approach."""
    start, twins, debris, gains, limits = flight.start, flight.twins, flight.debris, flight.gains, flight.limits
    camera, noise, hold = flight.sensors.camera, flight.sensors.noise, flight.phases.hold
    rng = np.random.default_rng((start.seed, 7))
    away = stand_off(twins, debris) if start.distance is None else start.distance
    ahead_of_arm = away * twins.outward
    # in an orbit the debris is where its orbit is, the origin; else the base is there when the arm begins
    centre = ahead_of_arm if flight.phases.orbit is None else np.zeros(3)
    outcome = CaptureOutcome(case, twins=twins, debris=debris)
    try:
        first = first_way(flight, centre, away)
    except PlanError as error:
        return replace(outcome, reason=f"no way: {error}")
    ahead = 0.0 if first is None else first.duration  # the clock is zero when the arm begins
    watch = flight.phases.watch
    times = picture_times(watch, StereoCamera() if camera is None else camera)
    poses, q, v = free_motion(debris, (start.rate, start.quaternion, centre), start.parameters, times, watch)
    estimate = filter_ = None
    if camera is not None:
        eye = flight.mount.copy()
        eye[:3, 3] += np.zeros(3) if first is None else first.pose(0.0)[0]
        try:
            estimate, filter_ = watched(
                debris, poses, times - watch - ahead, (eye, noise), camera, rng, flight.phases.orbit
            )
        except (ConvergenceError, InputError) as error:
            return replace(outcome, reason=f"the debris stays unknown, the chaser stays at its hold point: {error}")
        flight.say(f"watched for {watch:g} s: position to {1e3 * estimate.deviation('position'):.1f} mm, attitude to "
            f"{np.degrees(estimate.deviation('attitude')):.2f} degrees")  # fmt: skip
    now = debris.tumbling(*moved(debris, q, v), start.parameters)
    guess = later(now, ahead) if estimate is None else estimate.body(debris.point)
    gripper = start.gripper
    held = hold + (0.0 if gripper is None else gripper.time)
    settings: dict[str, Any] = {
        "frame": twins.frame, "hold": held, "limits": limits, "geometry": debris.solids, "axis": start.axis,
        "task": twins.task,
    }  # fmt: skip
    posture = dict(zip(twins.joints, flight.posture.tolist(), strict=True))
    try:
        there = replace(guess, position=tuple(np.array(guess.position) - centre + ahead_of_arm))
        plan = plan_robot_capture(twins.rigid.eom, there, posture, **settings)
    except PlanError as error:
        return replace(outcome, reason=f"no plan: {error}", estimate=estimate)
    flight.say(f"planned: {plan}")
    rates = np.array(start.spin, dtype=float).tolist()
    v = {**v, **flight.spinning, **{f"{twins.base}.{n}": x for n, x in zip(("wx", "wy", "wz"), rates, strict=True)}}
    begin: tuple[Any, Any]
    if first is None:
        now = now.turned(plan.side)
        if estimate is not None:
            estimate = estimate.turned(plan.side, centre)
        begin = {**q, **placed(debris, now, 0.0)[0], **flight.base_start}, v
    else:
        try:
            way = way_to_side(flight, first, away, plan.side)
        except PlanError as error:
            return replace(outcome, reason=f"no way: {error}", estimate=estimate)
        flight.say(f"way planned: {way.path}")
        outcome = fly_way(flight, outcome, way, (q, v), (estimate, filter_), rng)
        run, estimate = outcome.flight, outcome.estimate
        assert run is not None
        if run.status != "completed":
            return replace(outcome, reason=f"the flight around {run.status}: {run.message}")
        begin, now = _arrived(flight, run)
        known = (
            "" if estimate is None else f", attitude known to {np.degrees(estimate.deviation('attitude')):.2f} degrees"
        )
        flight.say(f"flown around in {ahead:.0f} s from {way.far:.3g} m to {way.distance:.3g} m{known}")
        guess = now if estimate is None else estimate.body(debris.point)
        pose = way.motion(ahead)[0]
        at = {f"{twins.base}.{n}": float(x) for n, x in zip(("x", "y", "z", "qw", "qx", "qy", "qz"), pose, strict=True)}
        try:
            if estimate is not None and estimate.deviation("attitude") > UNKNOWN:
                raise PlanError(f"the attitude of the debris is known to {estimate.deviation('attitude'):.2g} rad only")
            plan = plan_robot_capture(twins.rigid.eom, guess, {**posture, **at}, sides=1, every=1.0, **settings)
        except PlanError as error:
            return retreated(flight, outcome, f"no plan from where it has flown to: {error}")
        flight.say(f"planned again: {plan}")
    approach_guide = CaptureGuide(
        plan, twins.law, estimate=estimate, watch=filter_, body=now, gains=gains,
        rng=rng if filter_ is not None else None, mount=flight.mount, scene=flight.scene, centre=debris.centre,
        hand_error=np.array(flight.sensors.hand_error), hand_camera=flight.sensors.hand_camera,
    )  # fmt: skip
    feedback = flight.jets(flight.unloaded(feedback_of(twins, gains, flight.tuned_at)))
    block = next(b for b in flight.scene.layout.blocks if b.name == twins.base)
    joints = np.array([flight.scene.q_names.index(n) for n in twins.joints])
    guarded = GuardedGuide(approach_guide, twins, (slice(block.q.start + 3, block.q.stop), joints))
    law = Cascade(Sampled(feedback, gains.period), [replace(approach_guide.stage(), function=guarded)])
    if outcome.used > flight.full_tank:
        return replace(outcome, reason=_empty(flight, outcome))
    approach = flight.run(law, Start(*begin), plan.duration + hold, outcome.used)
    if guarded.abort is not None:
        when, reason = guarded.abort
        outcome = replace(outcome, estimate=approach_guide.estimate, plan=plan, approach=cut(approach, when))
        return retreated(flight, outcome, f"{reason}, {when:.1f} s after the arm began")
    outcome = replace(outcome, estimate=estimate, plan=plan, approach=approach)
    if approach.status != "completed":
        return replace(outcome, reason=f"the approach {approach.status}: {approach.message}")
    outcome = replace(outcome, requirements=judged(approach, plan, limits, twins, flight.scene))
    flight.say(f"approached: {outcome}")
    if not flight.phases.detumble:
        return outcome
    if gripper is None:
        return _gripped(outcome, flight)
    run, closing = fingers_closed(flight, approach, approach_guide, outcome.used)
    figures, reason = judged_grip(run, gripper)
    outcome = replace(outcome, grip=run, requirements=(*outcome.requirements, *figures))
    if reason:
        back = opened(flight, run, approach_guide, closing, outcome.used)
        outcome = replace(outcome, opening=back)
        return retreated(flight, outcome, reason, finger_parameters(gripper, back.array(gripper.fingers)[-1]))
    flight.say(f"closed: force of the grip {figures[0].value:.3g} N, slip {figures[1].value:.2g} mm under the pull")
    return _gripped(outcome, flight)


def _arrived(flight: Flight, run: Run) -> tuple[tuple[Array, Array], TumblingBody]:
    """State at the end of the way, and the debris then."""
    scene = flight.scene
    names = scene.q_names, scene.v_names
    state = run.array(names[0])[-1], run.array(names[1])[-1]
    named = [dict(zip(n, x.tolist(), strict=True)) for n, x in zip(names, state, strict=True)]
    return state, flight.debris.tumbling(*moved(flight.debris, *named), flight.start.parameters)


def _grip_angle(task: str, grip: Array, R: Array) -> float:
    """Angle between the tip and the grip, as far as the task asks for it; ``R`` is the debris in axes of the tip."""
    if task == "position":
        return 0.0
    turned = R @ grip
    if task == "axis":
        return float(np.arccos(np.clip(turned[2, 2], -1.0, 1.0)))
    return float(np.arccos(np.clip(0.5 * (np.trace(turned) - 1.0), -1.0, 1.0)))


def _gripped(outcome: CaptureOutcome, flight: Flight) -> CaptureOutcome:
    """Close the grip, and bring the stack to rest."""
    plan, gains, twins, debris, gripper = outcome.plan, flight.gains, flight.twins, flight.debris, flight.start.gripper
    run = outcome.approach if outcome.grip is None else outcome.grip
    assert run is not None and plan is not None
    scene, noise = flight.scene if outcome.grip is None else derive(run.machine), flight.sensors.noise
    before = outcome.used - outcome.propellant["approach" if outcome.grip is None else "grip"]
    q, values = run.array(scene.q_names)[-1], scene.parameter_values(flight.truth(scene, before))
    if outcome.used > flight.full_tank:
        return replace(outcome, reason=_empty(flight, outcome))
    tip, body = (scene.pose(frame, q, p=values) for frame in (twins.frame, debris.body))
    far = float(tip_errors(run)[-1])
    angle = _grip_angle(twins.task, plan.grip, tip[:3, :3].T @ body[:3, :3])
    if gripper is None and (far > _OPEN[0] or angle > _OPEN[1]):
        return retreated(
            flight,
            outcome,
            f"the grip stays open: the tip is {1e3 * far:.1f} mm and {np.degrees(angle):.1f} degrees from the "
            f"target, the fingers close over {1e3 * _OPEN[0]:g} mm and {np.degrees(_OPEN[1]):g} degrees",
        )
    reach = float(np.linalg.norm(debris.point))
    nominal = rigid_stack(twins, debris)
    feedback = stack_feedback(nominal, twins, flight.tuned_at, reach)
    if flight.derived:
        gains = stack_gains(
            true_stack(twins, debris, noise, gains.period, flight.phases.orbit),
            twins,
            feedback,
            gains,
            (flight.tuned_at, reach),
        )
    true = true_stack(twins, debris, noise, gains.period, flight.phases.orbit)
    mount = grip_parameters(np.linalg.inv(tip) @ body)
    if gripper is not None:
        mount |= finger_parameters(gripper, run.array(gripper.fingers)[-1])
    handover = join(run, true, p=mount)
    flight.say(f"gripped: {handover.loss:.3g} J lost in the impact")
    if gripper is not None:
        frames = (twins.frame, debris.body)
        impulse = lock_impulse(run, true, true.parameter_values(mount), handover, frames, gripper.fingers)
        size = float(np.linalg.norm(impulse[:3]))
        outcome = replace(
            outcome,
            impulse=tuple(impulse.tolist()),
            requirements=(
                *outcome.requirements,
                MissionRequirement("impulse of the lock", size, gripper.impulse_limit, "N s"),
            ),
        )
    limits = stack_limits(true, twins, flight.limits)
    rates = handover.v[[true.v_names.index(f"{n}_dot") for n in twins.joints]]
    braking = chosen_braking(nominal, twins, flight.tuned_at, reach, rates, limits)
    gripped = handover.q[[true.q_names.index(n) for n in nominal.q_names]]
    braking = replace(braking, calm=calm_after(nominal, twins, gripped, mount, feedback))
    guide = StackGuide(true, nominal, mount, handover, braking, twins)
    stage = Guidance(guide, gains.period * gains.every, held_names(len(twins.joints)))
    p = {**flight.truth(true, outcome.used), **mount}
    begin = Start(handover.q, handover.v, handover.t)
    stack = _stack_run(flight, true, (feedback, gains, p), stage, begin, guide.duration)
    outcome = replace(outcome, handover=handover, stack=stack)
    if stack.status != "completed":
        return replace(outcome, reason=f"after the grip the run {stack.status}: {stack.message}")
    last = rested(stack, true, p, limits, twins, debris.body)
    outcome = replace(outcome, requirements=(*outcome.requirements, *last))
    flight.say(f"at rest: {outcome}")
    if flight.phases.attitude is None or not outcome.ok:
        return outcome
    return _transported(outcome, flight, (true, nominal), mount, (feedback, gains), limits)


def _stack_run(
    flight: Flight,
    true: EquationsOfMotion,
    law: tuple[CaptureFeedback, CaptureGains, dict[str, float]],
    stage: Guidance,
    start: Start,
    duration: float,
) -> Run:
    """Simulate the stack; the law is its feedback, settings and parameters."""
    feedback, gains, p = law
    experiment: ExperimentKeywords = {
        "start": start,
        "p": p,
        "control": Cascade(Sampled(flight.jets(feedback, gains.period), gains.period), [stage]),
        "method": RK4(flight.time_step(gains)),
        "duration": gains.period * np.ceil(duration / gains.period - 1e-9),  # a thrust that is metered is flown
        "record": flight.phases.record,
        "seed": flight.start.seed + 1,
    }
    return run_experiment(experiment_of(true, experiment), check=False)


def _transported(
    outcome: CaptureOutcome,
    flight: Flight,
    stacks: tuple[EquationsOfMotion, EquationsOfMotion],
    mount: dict[str, float],
    law: tuple[CaptureFeedback, CaptureGains],
    limits: RobotLimits,
) -> CaptureOutcome:
    """Turn the stack, the simulated one and the one that is computed with, into the wanted attitude."""
    (true, nominal), (feedback, gains), run, twins = stacks, law, outcome.stack, flight.twins
    assert run is not None
    if outcome.used > flight.full_tank:
        return replace(outcome, reason=_empty(flight, outcome))
    wanted, p = np.array(flight.phases.attitude), {**flight.truth(true, outcome.used), **mount}
    q, v = (run.array(names)[-1] for names in (true.q_names, true.v_names))
    rigid = q[[true.q_names.index(n) for n in nominal.q_names]]
    try:
        held = transport_feedback(true, true.parameter_values(mount), q, twins, feedback, gains.period)
        turn = stack_turn(nominal, mount, twins, (float(run.t[-1]), rigid), wanted, limits, held)
    except PlanError as error:
        return replace(outcome, reason=f"no turn: {error}")
    stage = Guidance(turn, gains.period * gains.every, held_names(len(twins.joints)))
    flown = _stack_run(flight, true, (held, gains, p), stage, Start(q, v, turn.begin), turn.whole)
    outcome = replace(outcome, transport=flown)
    if flown.status != "completed":
        return replace(outcome, reason=f"the turn of the stack {flown.status}: {flown.message}")
    judged_ = turned(flown, true, wanted, limits, twins)
    outcome = replace(outcome, requirements=(*outcome.requirements, *judged_))
    flight.say(f"turned by {np.degrees(np.linalg.norm(turn.axis)):.0f} degrees in {turn.duration:.0f} s: {outcome}")
    return outcome


def _empty(flight: Flight, outcome: CaptureOutcome) -> str:
    """Reason of a mission without propellant."""
    return f"the tank is empty: {outcome.used:.3g} kg were used, it held {flight.full_tank:.3g} kg"
