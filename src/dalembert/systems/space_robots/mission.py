"""A whole capture: watch the debris, plan, approach, go with it, grip, and bring the stack to rest.

Between watching and approach the chaser goes to the side that the plan has chosen; that way is not simulated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TypedDict, Unpack

import numpy as np

from dalembert.control.cascade import Cascade, Guidance, Sampled
from dalembert.control.estimation import StereoCamera
from dalembert.core.errors import InputError, PlanError
from dalembert.core.keywords import field_defaults, flat_keywords, grouped
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.loop.experiment import ExperimentKeywords, Start, experiment_of
from dalembert.loop.join import join
from dalembert.loop.simulate import run_experiment
from dalembert.model.geometry import Box, Geometry
from dalembert.plan.robot_capture import RobotLimits, plan_robot_capture
from dalembert.plan.tumbling import TumblingBody
from dalembert.simulation.methods import RK4
from dalembert.systems.space_robots.cases import JOINTS, CaptureCase
from dalembert.systems.space_robots.chaser import space_chaser
from dalembert.systems.space_robots.debris import CORNER, SIZE
from dalembert.systems.space_robots.detumbling import Braking, StackGuide, stack_feedback
from dalembert.systems.space_robots.feedback import HELD, CaptureFeedback, CaptureGains
from dalembert.systems.space_robots.guidance import CaptureGuide
from dalembert.systems.space_robots.guide_law import GuideLaw, chaser_law
from dalembert.systems.space_robots.outcome import CaptureOutcome
from dalembert.systems.space_robots.requirements import judged, rested, tip_errors
from dalembert.systems.space_robots.scene import capture_scene, captured_stack, grip_parameters
from dalembert.systems.space_robots.sensors import CaptureSensors, SensorNoise
from dalembert.systems.space_robots.watching import STAND_OFF, watched

__all__ = ["CapturePhases", "fly_capture"]

_OPEN = (0.02, float(np.radians(3.0)))  # the fingers of the grip close over this distance and angle
_STEP = 1e-3


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
    """

    watch: float = 90.0
    hold: float = 10.0
    detumble: bool = True


class _Keywords(TypedDict, total=False):
    """Fields of `CapturePhases` and `CaptureSensors` as keywords of a call."""

    watch: float
    hold: float
    detumble: bool
    noise: SensorNoise | None
    camera: StereoCamera | None


@dataclass(frozen=True)
class _Settings:
    noise: SensorNoise | None
    gains: CaptureGains
    limits: RobotLimits
    record: float
    say: Callable[[str], object]


@dataclass(frozen=True)
class _Models:
    rigid: EquationsOfMotion
    law: GuideLaw
    scene: EquationsOfMotion
    feedback: CaptureFeedback


@cache
def _models(noise: SensorNoise | None, gains: CaptureGains) -> _Models:
    """Model for the computations of the chaser, and the simulated machine; derived and compiled once."""
    law, scene = chaser_law(), derive(capture_scene(uncertain=True, noise=noise, period=gains.period))
    return _Models(law.robot.eom, law, scene, CaptureFeedback.tuned(law.robot, gains))


@cache
def _stacks(noise: SensorNoise | None, gains: CaptureGains) -> tuple[EquationsOfMotion, EquationsOfMotion]:
    """The stack that is simulated, and the nominal rigid one that the chaser computes with."""
    true = derive(captured_stack(uncertain=True, noise=noise, period=gains.period))
    return true, derive(captured_stack(space_chaser("rigid", arrays="rigid")))


@flat_keywords(_Keywords, defaults=field_defaults(CapturePhases, CaptureSensors))
def fly_capture(
    case: CaptureCase | None = None,
    *,
    phases: CapturePhases | None = None,
    sensors: CaptureSensors | None = None,
    gains: CaptureGains | None = None,
    limits: RobotLimits | None = None,
    record: float = 0.05,
    tell: Callable[[str], object] | None = None,
    **keywords: Unpack[_Keywords],
) -> CaptureOutcome:
    """Fly a capture with the flexible chaser, and judge it.

    Parameters
    ----------
    case
        Its start; None: a debris of 4 degrees per second, without model errors.
    phases
        How long they take, and whether the last one is flown.
    sensors
        Noise of the chaser's sensors, and the cameras.
    gains
        Settings of the loops.
    limits
        Limits of the plan.
    record
        Interval of the recorded rows [s].
    tell
        Called with a line of text at each phase.
    **keywords
        Fields of ``phases`` and ``sensors``, as a short form: ``fly_capture(case, detumble=False, camera=None)``.

    Returns
    -------
    How it went; a plan that was not found, or a grip that stayed open, is its ``reason``.
    """
    case = CaptureCase(rate=tuple(np.radians([2.4, -2.8, 1.6]).tolist())) if case is None else case
    if not isinstance(case, CaptureCase):
        raise InputError(f"case must be a CaptureCase, got {case!r}")
    phases, sensors = grouped(CapturePhases, phases, keywords), grouped(CaptureSensors, sensors, keywords)
    noise, hold = sensors.noise, phases.hold
    gains = CaptureGains() if gains is None else gains
    limits = RobotLimits() if limits is None else limits
    say = (lambda text: None) if tell is None else tell
    settings = _Settings(noise, gains, limits, record, say)
    models = _models(noise, gains)
    rng = np.random.default_rng((case.seed, 7))
    body, estimate, filter_ = watched(case, phases.watch, noise, sensors.camera, rng)
    if estimate is not None:
        say(f"watched for {phases.watch:g} s: position to {1e3 * estimate.deviation('position'):.1f} mm, attitude to "
            f"{np.degrees(estimate.deviation('attitude')):.2f} degrees")  # fmt: skip
    guess = body if estimate is None else estimate.body(CORNER)
    joints = dict(zip(JOINTS, case.joints, strict=True))
    try:
        plan = plan_robot_capture(models.rigid, guess, joints, hold=hold, limits=limits, geometry=Geometry(Box(SIZE)))
    except PlanError as error:
        return CaptureOutcome(case, f"no plan: {error}", estimate)
    say(f"planned: {plan}")
    body = body.turned(plan.side)
    if estimate is not None:
        estimate = estimate.turned(plan.side, STAND_OFF)
    guide = CaptureGuide(
        plan, models.law, estimate=estimate, watch=filter_, body=body, gains=gains,
        rng=rng if filter_ is not None else None,
    )  # fmt: skip
    flight: ExperimentKeywords = {
        "start": Start(_start(case, body, joints), _speeds(case, body)),
        "p": dict(case.factors),
        "control": Cascade(Sampled(models.feedback, gains.period), [guide.stage()]),
        "method": RK4(_STEP),
        "duration": plan.duration + hold,
        "record": record,
        "seed": case.seed,
    }
    approach = run_experiment(experiment_of(models.scene, flight), check=False)
    outcome = CaptureOutcome(case, "", estimate, plan, approach)
    if approach.status != "completed":
        return replace(outcome, reason=f"the approach {approach.status}: {approach.message}")
    outcome = replace(outcome, requirements=judged(approach, plan, limits))
    say(f"approached: {outcome}")
    if not phases.detumble:
        return outcome
    return _gripped(outcome, models.scene, settings)


def _start(case: CaptureCase, body: TumblingBody, joints: dict[str, float]) -> dict[str, float]:
    half = 0.5 * np.array(case.turn)
    Q = np.array([1.0, *half]) / np.sqrt(1.0 + half @ half)
    named = {f"base.{n}": float(x) for n, x in zip(("qw", "qx", "qy", "qz"), Q, strict=True)}
    named.update({f"debris.{n}": float(x) for n, x in zip("xyz", np.array(body.position), strict=True)})
    attitude = np.array(body.quaternion)
    named.update({f"debris.{n}": float(x) for n, x in zip(("qw", "qx", "qy", "qz"), attitude, strict=True)})
    return {**named, **joints}


def _speeds(case: CaptureCase, body: TumblingBody) -> dict[str, float]:
    rates = np.array(body.rate)
    return {
        **{f"base.{n}": float(x) for n, x in zip(("wx", "wy", "wz"), case.spin, strict=True)},
        **{f"debris.{n}": float(x) for n, x in zip(("wx", "wy", "wz"), rates, strict=True)},
    }


def _gripped(outcome: CaptureOutcome, scene: EquationsOfMotion, settings: _Settings) -> CaptureOutcome:
    """Close the grip, and bring the stack to rest."""
    run, plan, gains = outcome.approach, outcome.plan, settings.gains
    assert run is not None and plan is not None
    q, p = run.array(scene.q_names)[-1], dict(outcome.case.factors)
    values = scene.parameter_values(p)
    tip, debris = (scene.pose(frame, q, p=values) for frame in ("tip", "debris"))
    far = float(tip_errors(run)[-1])
    R = plan.grip @ tip[:3, :3].T @ debris[:3, :3]
    angle = float(np.arccos(np.clip(0.5 * (np.trace(R) - 1.0), -1.0, 1.0)))
    if far > _OPEN[0] or angle > _OPEN[1]:
        return replace(
            outcome,
            reason=f"the grip stays open: the tip is {1e3 * far:.1f} mm and {np.degrees(angle):.1f} degrees from the "
            f"target, the fingers close over {1e3 * _OPEN[0]:g} mm and {np.degrees(_OPEN[1]):g} degrees",
        )
    true, nominal = _stacks(settings.noise, gains)
    mount = grip_parameters(np.linalg.inv(tip) @ debris)
    handover = join(run, true, p=mount)
    settings.say(f"gripped: {handover.loss:.3g} J lost in the impact")
    guide = StackGuide(true, nominal, mount, handover, Braking())
    flight: ExperimentKeywords = {
        "start": Start(handover.q, handover.v, handover.t),
        "p": {**p, **mount},
        "control": Cascade(
            Sampled(stack_feedback(nominal), gains.period), [Guidance(guide, gains.period * gains.every, HELD)]
        ),
        "method": RK4(_STEP),
        "duration": guide.duration,
        "record": settings.record,
        "seed": outcome.case.seed + 1,
    }
    stack = run_experiment(experiment_of(true, flight), check=False)
    outcome = replace(outcome, handover=handover, stack=stack)
    if stack.status != "completed":
        return replace(outcome, reason=f"after the grip the run {stack.status}: {stack.message}")
    last = rested(stack, true, {**p, **mount}, settings.limits)
    outcome = replace(outcome, requirements=(*outcome.requirements, *last))
    settings.say(f"at rest: {outcome}")
    return outcome
