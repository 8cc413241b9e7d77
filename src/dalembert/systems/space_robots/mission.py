"""A whole capture: watch the debris, plan, approach, go with it, grip, and bring the stack to rest.

Between watching and approach the chaser goes to the side that the plan has chosen; that way is not simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

import numpy as np

from dalembert.control.cascade import Cascade, Guidance, Sampled
from dalembert.control.estimation import StereoCamera, TumblingEstimate, TumblingFilter
from dalembert.core.errors import InputError, PlanError
from dalembert.core.types import Array
from dalembert.core.validation import check_number, check_seed
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.loop.join import Handover, join
from dalembert.loop.simulate import run_equations
from dalembert.model.geometry import Box, Geometry
from dalembert.plan.held_base import HeldBase, held_base
from dalembert.plan.robot_capture import RobotCapture, RobotLimits, plan_robot_capture
from dalembert.plan.tumbling import TumblingBody
from dalembert.simulation.run import EndState, Run
from dalembert.simulation.settings import Settings
from dalembert.spatial.rotations import quaternion_from_matrix
from dalembert.systems.space_robots.chaser import space_chaser
from dalembert.systems.space_robots.debris import CORNER, INERTIA, SIZE
from dalembert.systems.space_robots.guidance import (
    HELD,
    BentArm,
    CaptureFeedback,
    CaptureGains,
    CaptureGuide,
    SensorNoise,
    base_camera,
)
from dalembert.systems.space_robots.scene import capture_scene, captured_stack, grip_parameters

__all__ = ["CASE_DISTRIBUTIONS", "CaptureCase", "CaptureOutcome", "MissionRequirement", "fly_capture", "random_case"]

HOME = (0.0, -0.9, 1.7, -0.8, 0.0, 0.0)
STAND_OFF = (7.4, 0.0, 0.0)
JOINTS = tuple(f"theta{i}" for i in range(1, 7))
_FACTORS = ("base_mass", "hub_mass", "wrist_mass", "tool_mass", "boom_mass", "boom_stiffness", "array_mass",
            "array_stiffness")  # fmt: skip
_NOISE, _CAMERA = SensorNoise(), StereoCamera()
_OPEN = (0.02, float(np.radians(3.0)))  # the fingers of the grip close over this distance and angle


@dataclass(frozen=True)
class CaptureCase:
    """What a capture starts from; all of it unknown to the chaser but the joints.

    Attributes
    ----------
    seed
        Of the noise of sensors and pictures.
    rate, quaternion
        Of the debris when the chaser begins to watch it: rate in its axes [rad/s], attitude.
    joints
        Posture of the arm [rad].
    factors
        True masses, inertias and stiffnesses as parts of the nominal ones; the inertia of the debris is ``S I S`` with
        ``debris_x`` to ``debris_z`` on the diagonal of ``S``.
    turn, spin
        Attitude [rad] and rate [rad/s] of the base at the begin of the approach, which should be zero.
    """

    seed: int = 0
    rate: tuple[float, ...] = (0.0, 0.05, 0.02)
    quaternion: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    joints: tuple[float, ...] = HOME
    factors: Mapping[str, float] = field(default_factory=dict)
    turn: tuple[float, ...] = (0.0, 0.0, 0.0)
    spin: tuple[float, ...] = (0.0, 0.0, 0.0)

    @property
    def inertia(self) -> Array:
        """True inertia of the debris."""
        s = np.array([self.factors.get(f"debris_{axis}", 1.0) for axis in "xyz"])
        return np.asarray(np.array(INERTIA) * np.outer(s, s))


CASE_DISTRIBUTIONS = (
    ("attitude of the debris", "uniform over all rotations"),
    ("spin axis of the debris", "uniform over all directions"),
    ("posture of the arm", "uniform, 2 degrees to either side of home"),
    ("masses, inertias, stiffnesses of the chaser", "uniform, 10 % to either side, 8 factors"),
    ("inertia of the debris", "uniform, 10 % to either side, 3 factors; impossible ones drawn again"),
    ("attitude, rate of the base", "uniform, 0.02 degrees and 0.002 degrees per second to either side"),
    ("star tracker, gyro", "normal, 0.003 degrees, 0.001 degrees per second"),
    ("position, velocity of the base", "normal, 1 mm, 0.2 mm/s"),
    ("joints", "19 bits; rates normal, 5e-5 rad/s"),
    ("pictures", "normal, 0.2 pixels; every 0.1 s, 80 ms late"),
)
"""What `random_case` draws, and the noise of `SensorNoise` and `StereoCamera`."""


def random_case(seed: int, speed: float = 4.0, *, error: float = 0.1) -> CaptureCase:
    """A case drawn at random, see `CASE_DISTRIBUTIONS`.

    Parameters
    ----------
    seed
        Seed of the case.
    speed
        Of the tumbling [degrees per second].
    error
        Largest relative error of each mass, inertia and stiffness.
    """
    rng = np.random.default_rng((check_seed(seed), 2024))
    Q, axis = rng.normal(size=4), rng.normal(size=3)
    rate = axis / np.linalg.norm(axis) * np.radians(check_number("speed", speed))

    def uniform(half: float, n: int) -> Array:
        return np.asarray(half * rng.uniform(-1.0, 1.0, n))

    factors = dict(zip(_FACTORS, (1.0 + uniform(error, len(_FACTORS))).tolist(), strict=True))
    own = np.sqrt(1.0 + uniform(error, 3))
    while not _possible(np.array(INERTIA) * np.outer(own, own)):
        own = np.sqrt(1.0 + uniform(error, 3))
    factors.update({f"debris_{a}": float(x) for a, x in zip("xyz", own, strict=True)})
    return CaptureCase(
        seed,
        tuple(rate.tolist()),
        tuple((Q / np.linalg.norm(Q)).tolist()),
        tuple((np.array(HOME) + uniform(float(np.radians(2.0)), 6)).tolist()),
        factors,
        tuple(uniform(float(np.radians(0.02)), 3).tolist()),
        tuple(uniform(float(np.radians(0.002)), 3).tolist()),
    )


def _possible(inertia: Array) -> bool:
    """Whether a body can have this inertia: no principal moment is larger than the sum of the others."""
    moments = np.linalg.eigvalsh(inertia)
    return bool(moments[2] <= moments[0] + moments[1])


@dataclass(frozen=True)
class MissionRequirement:
    """What a capture must keep, and what it has."""

    name: str
    value: float
    limit: float
    unit: str

    @property
    def ok(self) -> bool:
        """Whether it is kept."""
        return bool(self.value <= self.limit)


@dataclass(frozen=True)
class CaptureOutcome:
    """How a capture went.

    Attributes
    ----------
    case
        What it started from.
    reason
        Why it ended before its end; empty if it did not.
    estimate
        The debris as it was known when the approach began.
    plan
        The plan.
    approach, stack
        Runs before and after the grip.
    handover
        The grip: what it moved and what energy it took.
    requirements
        What is asked of it, with what it has.
    """

    case: CaptureCase
    reason: str = ""
    estimate: TumblingEstimate | None = None
    plan: RobotCapture | None = None
    approach: Run | None = None
    stack: Run | None = None
    handover: Handover | None = None
    requirements: tuple[MissionRequirement, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it went to its end and kept every requirement."""
        return not self.reason and bool(self.requirements) and all(r.ok for r in self.requirements)

    @cached_property
    def whole(self) -> Run:
        """Both runs as one of the machine before the grip, in which the debris goes on as a body of its own.

        Of the signals it has those that both runs have.
        """
        if self.approach is None:
            raise InputError(f"there is no run: {self.reason}")
        first, second = self.approach, self.stack
        if second is None:
            return first
        machine = first.machine
        states = (*machine.q_names, *machine.v_names)
        signals = tuple(n for n in first.names if n in second and n not in states)
        eom = derive(second.machine)
        q, v = second.array(eom.q_names), second.array(eom.v_names)
        p = eom.parameter_values(dict(second.metadata["parameters"]))
        X = eom.pose("debris", q, p=p)
        twist = np.einsum("kij,kj->ki", eom.jacobian("debris", q, p=p), v)
        last = first.array([f"debris.{n}" for n in ("qw", "qx", "qy", "qz")])[-1]
        Q = np.array([last, *(quaternion_from_matrix(R).ravel() for R in X[:, :3, :3])])
        # either sign is the same attitude: the one that goes on without a jump
        signs = np.cumprod(np.where(np.sum(Q[1:] * Q[:-1], axis=1) < 0.0, -1.0, 1.0))
        Q = signs[:, None] * Q[1:]
        own = [n for n in states if n.startswith("debris.")]
        added = dict(zip(own, np.hstack([X[:, :3, 3], Q, twist]).T, strict=True))
        after = np.column_stack([added[n] if n in added else second[n] for n in states])
        x = np.vstack([first.array(states), after])
        y = np.vstack([first.array(signals), second.array(signals)])
        return replace(
            first,
            t=np.concatenate([first.t, second.t]),
            x=x,
            y=y,
            held=np.zeros((len(x), 0)),
            state_names=states,
            signal_names=signals,
            held_names=(),
            events=(*first.events, *second.events),
            final=EndState(float(second.t[-1]), x[-1]),
        )

    def __str__(self) -> str:
        if self.reason:
            return f"not captured: {self.reason}"
        listed = ", ".join(f"{r.name} {r.value:.3g} of {r.limit:g} {r.unit}" for r in self.requirements)
        return f"{'captured' if self.ok else 'requirements missed'}: {listed}"


@dataclass(frozen=True)
class _Models:
    rigid: EquationsOfMotion
    held: HeldBase
    arm: BentArm
    scene: EquationsOfMotion
    feedback: CaptureFeedback


@cache
def _models(noise: SensorNoise | None, gains: CaptureGains) -> _Models:
    """What the chaser computes with, and the machine that is simulated; derived and compiled once."""
    rigid = derive(space_chaser("rigid", arrays="rigid"))
    held = held_base(rigid)
    posture = held.configuration(np.array(HOME), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
    scene = derive(capture_scene(uncertain=True, noise=noise, period=gains.period))
    arm = BentArm(derive(space_chaser("flexible", arrays="rigid")))
    return _Models(rigid, held, arm, scene, CaptureFeedback.tuned(held, posture, gains))


@cache
def _stacks(noise: SensorNoise | None, gains: CaptureGains) -> tuple[EquationsOfMotion, EquationsOfMotion]:
    """The stack that is simulated, and the nominal rigid one that the chaser computes with."""
    true = derive(captured_stack(uncertain=True, noise=noise, period=gains.period))
    return true, derive(captured_stack(space_chaser("rigid", arrays="rigid")))


def fly_capture(
    case: CaptureCase | None = None,
    *,
    detumble: bool = True,
    hold: float = 10.0,
    watch: float = 90.0,
    noise: SensorNoise | None = _NOISE,
    camera: StereoCamera | None = _CAMERA,
    gains: CaptureGains | None = None,
    limits: RobotLimits | None = None,
    record: float = 0.05,
    tell: Callable[[str], object] | None = None,
) -> CaptureOutcome:
    """Fly a capture with the flexible chaser, and judge it.

    Parameters
    ----------
    case
        What it starts from; None: a debris of 4 degrees per second, nothing known wrong.
    detumble
        Whether the grip closes and the stack is brought to rest.
    hold
        How long the tip goes with the debris before the grip closes [s].
    watch
        How long the debris is watched before the plan [s].
    noise, camera
        Of the chaser's sensors, and the cameras; None: the chaser knows its state, and the debris.
    gains
        Settings of the loops.
    limits
        Of the plan.
    record
        Interval of the recorded rows [s].
    tell
        Called with a line of text at each phase.

    Returns
    -------
    How it went; a plan that was not found, or a grip that stayed open, is its ``reason``.
    """
    case = CaptureCase(rate=tuple(np.radians([2.4, -2.8, 1.6]).tolist())) if case is None else case
    if not isinstance(case, CaptureCase):
        raise InputError(f"case must be a CaptureCase, got {case!r}")
    gains = CaptureGains() if gains is None else gains
    limits = RobotLimits() if limits is None else limits
    say = (lambda text: None) if tell is None else tell
    models = _models(noise, gains)
    rng = np.random.default_rng((case.seed, 7))
    body, estimate, filter_ = _watched(case, watch, noise, camera, rng)
    if estimate is not None:
        say(f"watched for {watch:g} s: position to {1e3 * estimate.deviation('position'):.1f} mm, attitude to "
            f"{np.degrees(estimate.deviation('attitude')):.2f} degrees")  # fmt: skip
    guess = body if estimate is None else estimate.body(CORNER)
    joints = dict(zip(JOINTS, case.joints, strict=True))
    try:
        plan = plan_robot_capture(models.rigid, guess, joints, hold=hold, limits=limits, geometry=Geometry(Box(SIZE)))
    except PlanError as error:
        return CaptureOutcome(case, f"no plan: {error}", estimate)
    say(f"planned: {plan}")
    body = _seen_from(body, plan.side)
    if estimate is not None:
        estimate = estimate.turned(plan.side, STAND_OFF)
    guide = CaptureGuide(
        plan, models.held, models.arm, estimate=estimate, watch=filter_, body=body, gains=gains,
        rng=rng if filter_ is not None else None,
    )  # fmt: skip
    approach = run_equations(
        models.scene,
        Settings(duration=plan.duration + hold, step=1e-3, record=record, seed=case.seed),
        q0=_start(case, body, joints),
        v0=_speeds(case, body),
        p=dict(case.factors),
        control=Cascade(Sampled(models.feedback, gains.period), [guide.stage()]),
        check=False,
    )
    outcome = CaptureOutcome(case, "", estimate, plan, approach)
    if approach.status != "completed":
        return replace(outcome, reason=f"the approach {approach.status}: {approach.message}")
    outcome = replace(outcome, requirements=_judged(approach, plan, limits))
    say(f"approached: {outcome}")
    if not detumble:
        return outcome
    return _gripped(outcome, models, noise, gains, limits, record, say)


def _watched(
    case: CaptureCase, watch: float, noise: SensorNoise | None, camera: StereoCamera | None, rng: np.random.Generator
) -> tuple[TumblingBody, TumblingEstimate | None, TumblingFilter | None]:
    """The true debris when the approach begins, and what the chaser knows of it then."""
    first = TumblingBody(case.inertia, case.rate, case.quaternion, STAND_OFF, (0.0, 0.0, 0.0), CORNER)
    end = check_number("watch", watch, unit="s")
    Q = quaternion_from_matrix(first.attitude(end)).ravel()
    body = TumblingBody(case.inertia, first.rates(end), Q, STAND_OFF, (0.0, 0.0, 0.0), CORNER)
    if camera is None:
        return body, None, None
    half = np.array(SIZE) / 2
    corners = [half * [x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    filter_ = TumblingFilter(camera, np.array(corners))
    times = np.arange(0.0, end + 1e-9, 5.0 * camera.period)
    pictures, mount = [], base_camera()
    for t, R in zip(times, first.attitude(times), strict=True):
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = R, STAND_OFF
        believed = mount.copy()
        if noise is not None:
            w = noise.attitude * rng.normal(size=3)
            turn = np.eye(3) + np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
            believed[:3, :3], believed[:3, 3] = turn @ mount[:3, :3], mount[:3, 3] + noise.position * rng.normal(size=3)
        pictures.append((float(t) - end, *filter_.picture(X, mount, rng), believed))
    return body, filter_.observe(pictures, INERTIA), filter_


def _seen_from(body: TumblingBody, side: Array) -> TumblingBody:
    return replace(body, quaternion=tuple(quaternion_from_matrix(side @ body.attitude(0.0)).ravel().tolist()))


def _start(case: CaptureCase, body: TumblingBody, joints: dict[str, float]) -> dict[str, float]:
    half = 0.5 * np.array(case.turn)
    Q = np.array([1.0, *half]) / np.sqrt(1.0 + half @ half)
    named = {f"base.{n}": float(x) for n, x in zip(("qw", "qx", "qy", "qz"), Q, strict=True)}
    named.update({f"debris.{n}": float(x) for n, x in zip("xyz", np.array(body.position), strict=True)})
    own = np.array(body.quaternion)
    named.update({f"debris.{n}": float(x) for n, x in zip(("qw", "qx", "qy", "qz"), own, strict=True)})
    return {**named, **joints}


def _speeds(case: CaptureCase, body: TumblingBody) -> dict[str, float]:
    rates = np.array(body.rate)
    return {
        **{f"base.{n}": float(x) for n, x in zip(("wx", "wy", "wz"), case.spin, strict=True)},
        **{f"debris.{n}": float(x) for n, x in zip(("wx", "wy", "wz"), rates, strict=True)},
    }


def tip_errors(run: Run) -> Array:
    """Distance between hand and target point at the rows of a run of the capture scene [m]."""
    hand, target = (run.array([f"{n}.{x}" for x in "xyz"]) for n in ("hand", "target"))
    return np.asarray(np.linalg.norm(hand - target, axis=1))


def base_turns(run: Run) -> Array:
    """Angle of the base from where it should be at the rows of a run [rad]."""
    return np.asarray(2.0 * np.arcsin(np.clip(np.linalg.norm(run.array([f"base.q{x}" for x in "xyz"]), axis=1), 0, 1)))


def _torques(run: Run) -> tuple[float, float]:
    """Largest torque that the base and a joint are asked for."""
    kind = "command" if f"command.{JOINTS[0]}" in run else "u"
    base = run.array([f"{kind}.torque.{x}" for x in "xyz"])
    joints = run.array([f"{kind}.{name}" for name in JOINTS])
    return float(np.abs(base).max()), float(np.abs(joints).max())


def _judged(run: Run, plan: RobotCapture, limits: RobotLimits) -> tuple[MissionRequirement, ...]:
    after = run.t >= plan.duration - 1e-9
    base, joints = _torques(run)
    return (
        MissionRequirement("tip error from synchronisation on", 1e3 * float(tip_errors(run)[after].max()), 10.0, "mm"),
        MissionRequirement("attitude of the base", float(np.degrees(base_turns(run).max())), 0.1, "degrees"),
        MissionRequirement("torque of the base", base, limits.base_torque, "N m"),
        MissionRequirement("torque of a joint", joints, limits.joint_torque, "N m"),
    )


# -- after the grip -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rest:
    """Guidance of the stack: the arm brakes, and the base takes the momentum out against its own direction.

    Attributes
    ----------
    true, nominal, p
        Equations of the stack that is simulated, of the rigid one that is computed with, and its grip.
    t, joints, rates
        When the grip closed, and the motion of the joints then.
    brake, torque, settle
        Time in which the joints come to rest [s], largest torque of the base [N m], and the time constant with which
        the last of the momentum goes [s].
    """

    true: EquationsOfMotion
    nominal: EquationsOfMotion
    p: dict[str, float]
    t: float
    joints: Array
    rates: Array
    brake: float = 12.0
    torque: float = 3.6
    settle: float = 8.0
    _seen: list[Array] = field(default_factory=list, repr=False)

    @cached_property
    def _rows(self) -> tuple[list[int], list[int]]:
        q, v = self.true.q_names, self.true.v_names
        return [q.index(n) for n in self.nominal.q_names], [v.index(n) for n in self.nominal.v_names]

    def __call__(self, t: float, q: Array, v: Array, s: Mapping[str, float]) -> Array:
        """Values to hold."""
        x = min((t - self.t) / self.brake, 1.0)
        left = 1.0 - x**3 * (10.0 - 15.0 * x + 6.0 * x * x)
        way = self.brake * (x - x**4 * (2.5 - 3.0 * x + x * x))
        rows_q, rows_v = self._rows
        mine, speeds = q[rows_q], v[rows_v]
        mine[3:7] /= np.linalg.norm(mine[3:7])
        h = self.nominal.momentum(mine, speeds, p=self.p)
        about = h[3:] - np.cross(self.nominal.center_of_mass(mine, p=self.p), h[:3])
        # a second's mean of it: the rates of the joints are noisy, and the debris is heavy
        self._seen.append(about)
        about = np.mean(self._seen[-50:], axis=0)
        begin = min((t - self.t) / 4.0, 1.0)
        size = float(np.linalg.norm(about))
        torque = -begin * min(1.0 / self.settle, self.torque / max(size, 1e-9)) * about
        R = self.nominal.pose("base", mine, p=self.p)[:3, :3]
        goal, speed = self.joints + way * self.rates, left * self.rates
        return np.concatenate([goal, speed, np.zeros(6), R.T @ torque, mine[3:7]])


def _gripped(
    outcome: CaptureOutcome, models: _Models, noise: SensorNoise | None, gains: CaptureGains, limits: RobotLimits,
    record: float, say: Callable[[str], object],
) -> CaptureOutcome:  # fmt: skip
    """Close the grip, and bring the stack to rest."""
    run, plan = outcome.approach, outcome.plan
    assert run is not None and plan is not None
    q = run.array(models.scene.q_names)[-1]
    p = dict(outcome.case.factors)
    tip, debris_ = (models.scene.pose(f, q, p=models.scene.parameter_values(p)) for f in ("tip", "debris"))
    grip = np.linalg.inv(tip) @ debris_
    far = float(tip_errors(run)[-1])
    R = plan.grip @ tip[:3, :3].T @ debris_[:3, :3]
    angle = float(np.arccos(np.clip(0.5 * (np.trace(R) - 1.0), -1.0, 1.0)))
    if far > _OPEN[0] or angle > _OPEN[1]:
        return replace(
            outcome,
            reason=f"the grip stays open: the tip is {1e3 * far:.1f} mm and {np.degrees(angle):.1f} degrees from the "
            f"target, the fingers close over {1e3 * _OPEN[0]:g} mm and {np.degrees(_OPEN[1]):g} degrees",
        )
    true, nominal = _stacks(noise, gains)
    mount = grip_parameters(grip)
    handover = join(run, true, p=mount)
    say(f"gripped: {handover.loss:.3g} J lost in the impact")
    joints = handover.q[[true.q_names.index(n) for n in JOINTS]]
    rates = handover.v[[true.v_names.index(f"{n}_dot") for n in JOINTS]]
    rest = _Rest(true, nominal, mount, handover.t, joints, rates)
    about = _momentum(nominal, true, handover, mount)
    duration = rest.brake + about / rest.torque + 5.0 * rest.settle
    stack = run_equations(
        true,
        Settings(duration=duration, t0=handover.t, step=1e-3, record=record, seed=outcome.case.seed + 1),
        q0=handover.q,
        v0=handover.v,
        p={**p, **mount},
        control=Cascade(
            Sampled(_stack_feedback(nominal), gains.period),
            [Guidance(rest, gains.period * gains.every, HELD)],
        ),
        check=False,
    )
    outcome = replace(outcome, handover=handover, stack=stack)
    if stack.status != "completed":
        return replace(outcome, reason=f"after the grip the run {stack.status}: {stack.message}")
    outcome = replace(outcome, requirements=(*outcome.requirements, *_rested(stack, true, {**p, **mount}, limits)))
    say(f"at rest: {outcome}")
    return outcome


def _momentum(
    nominal: EquationsOfMotion, true: EquationsOfMotion, handover: Handover, mount: dict[str, float]
) -> float:
    """Size of the angular momentum of the stack about its centre of mass."""
    q = handover.q[[true.q_names.index(n) for n in nominal.q_names]]
    v = handover.v[[true.v_names.index(n) for n in nominal.v_names]]
    h = nominal.momentum(q, v, p=mount)
    return float(np.linalg.norm(h[3:] - np.cross(nominal.center_of_mass(q, p=mount), h[:3])))


@cache
def _stack_feedback(nominal: EquationsOfMotion) -> CaptureFeedback:
    """Joints at half a radian per second on what they carry; the base follows its momentum alone.

    The gains are those of the arm at home with the debris held along the axis of the hand, the same for every grip, so
    that its code is compiled once.
    """
    reach = float(np.linalg.norm(CORNER))
    q = np.array([dict(zip(JOINTS, HOME, strict=True)).get(n, 0.0) for n in nominal.q_names])
    q[nominal.q_names.index("base.qw")] = 1.0
    M = nominal.mass_matrix(q, p={"grip_z": reach})
    # what a joint moves if the base is free to move as well
    base = [nominal.v_names.index(f"base.{n}") for n in ("vx", "vy", "vz", "wx", "wy", "wz")]
    rows = [nominal.v_names.index(f"{n}_dot") for n in JOINTS]
    D = np.diag(M)[rows] - np.array([M[k, base] @ np.linalg.solve(M[np.ix_(base, base)], M[base, k]) for k in rows])
    kp, kd = 0.25 * D, 2.0 * 0.8 * 0.5 * D
    zero = (0.0, 0.0, 0.0)
    return CaptureFeedback(tuple(kp.tolist()), tuple(kd.tolist()), zero, zero)


def _rested(
    run: Run, eom: EquationsOfMotion, p: dict[str, float], limits: RobotLimits
) -> tuple[MissionRequirement, ...]:
    last = run.t >= run.t[-1] - 10.0
    q, v = run.array(eom.q_names)[last], run.array(eom.v_names)[last]
    J = eom.jacobian("debris", q, p=eom.parameter_values(p))
    debris_rate = np.linalg.norm(np.einsum("kij,kj->ki", J, v)[:, 3:], axis=1)
    base_rate = np.linalg.norm(run.array(["base.wx", "base.wy", "base.wz"])[last], axis=1)
    base, joints = _torques(run)
    fastest = float(np.degrees(max(debris_rate.max(), base_rate.max())))
    return (
        MissionRequirement("rate of the stack at rest", fastest, 0.05, "degrees/s"),
        MissionRequirement("torque of the base after the grip", base, limits.base_torque, "N m"),
        MissionRequirement("torque of a joint after the grip", joints, limits.joint_torque, "N m"),
    )
