"""The grip by fingers: they close while the tip follows the debris softly, the arm pulls, and the fingers lock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

from dalembert.control.cascade import Cascade, Guidance, Sampled, read
from dalembert.control.impedance import tip_gains
from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.loop.events import Event
from dalembert.loop.experiment import Start, experiment_of
from dalembert.loop.experiment_keywords import ExperimentKeywords
from dalembert.loop.join import Handover
from dalembert.loop.simulate import run_experiment
from dalembert.model.machine import Machine
from dalembert.model.orbit import Orbit
from dalembert.model.orbiting import in_orbit
from dalembert.model.parts import Frame
from dalembert.model.transform import Transform
from dalembert.simulation.methods import RK4
from dalembert.simulation.run import Run
from dalembert.systems.space_robots.debris_twin import DebrisTwin
from dalembert.systems.space_robots.feedback import CaptureFeedback, held_names
from dalembert.systems.space_robots.flight_data import Flight
from dalembert.systems.space_robots.gripper import FingerDrive, Gripper
from dalembert.systems.space_robots.guidance import CaptureGuide
from dalembert.systems.space_robots.requirements import MissionRequirement
from dalembert.systems.space_robots.scene import flying_scene
from dalembert.systems.space_robots.sensors import SensorNoise
from dalembert.systems.space_robots.settings import GROWTH, growth
from dalembert.systems.space_robots.twins import ChaserTwins

__all__ = ["GripFeedback", "PadHistory", "fingers_closed", "grip_scene", "lock_impulse", "opened", "pad_history"]

_PULL, _CLOSE = "grip.pull", "grip.close"
_RECORD = 0.01  # longest interval of the recorded rows [s]
_SLIPPING = 5.0  # speed at which a pad slips, as a multiple of its creep
_SOFT, _STIFF = 0.5, 2.0  # largest products of the step with the frequencies and with the decay rates of contacts
_SOFTER = tuple(0.5**k for k in range(8))  # parts of the stiffness of the tip that are tried
_PRESSED = 1.25  # force of a pad for which the step is short enough, as a part of that of a finger


@dataclass(frozen=True)
class GripFeedback:
    """Inner law of a grip: the arm with its impedance, the pull of the test, and the fingers.

    Parameters
    ----------
    feedback
        Law of the arm and of the base.
    gripper
        The gripper.
    pull
        Torques of the joints (n) for a unit force that pulls the tip back.
    """

    feedback: CaptureFeedback
    gripper: Gripper
    pull: tuple[float, ...]

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """No internal states."""
        return ()

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """No internal states."""
        return np.zeros(0)

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs of all motors and thrusters."""
        u, rates = self.feedback.expression(eom, t, q, v, z, p)
        motors = {m.joint: m for m in eom.machine.motors}
        for joint, torque in zip(self.feedback.joints, self.pull, strict=True):
            k, ratio = eom.u_names.index(motors[joint].name), eom.symbolic.value(motors[joint].ratio)
            u[k] = u[k] + read(_PULL) * torque / ratio
        return u + FingerDrive(self.gripper, _CLOSE).expression(eom, t, q, v, z, p)[0], rates


@dataclass
class GripGuide:
    """Guidance of a grip: that of the approach continues, the arm pulls in the test, and the fingers close or open.

    Attributes
    ----------
    guide, rows
        Guidance of the approach, and the rows of its coordinates and velocities in those of the grip.
    test
        Begin and duration of the test [s]; the pull is one period of a sine.
    proof, direction
        Amplitude of the pull [N], and the force of the fingers as a part of that of the gripper.
    """

    guide: CaptureGuide
    rows: tuple[Array, Array]
    test: tuple[float, float]
    proof: float
    direction: float

    def __call__(self, t: float, q: Array, v: Array, s: Mapping[str, float]) -> Array:
        """Values to hold."""
        begin, time = self.test
        # pull and push alike, so that no relative motion is left
        pull = self.proof * np.sin(2.0 * np.pi * float(np.clip((t - begin) / time, 0.0, 1.0)))
        return np.concatenate([self.guide(t, q[self.rows[0]], v[self.rows[1]], s), [pull, self.direction]])


@lru_cache(maxsize=8)
def grip_scene(
    twins: ChaserTwins,
    loose: Machine,
    debris: DebrisTwin,
    gripper: Gripper,
    noise: SensorNoise | None,
    settings: tuple[float, tuple[tuple[float, ...], ...], Orbit | None],
) -> EquationsOfMotion:
    """Chaser with moving fingers, and debris; ``settings``: period, pose of the camera in the base, and orbit."""
    period, mount, orbit = settings
    X = np.array(mount)
    eye = Frame("eye", twins.body, Transform(X[:3, 3].tolist(), X[:3, :3].tolist()))
    machine = flying_scene(
        replace(twins, machine=loose.with_(frames=(*loose.frames, eye))), debris, noise, period, "eye"
    )
    machine = machine.with_(name="grip", fields=(*machine.fields, *gripper.pads))
    return derive(machine if orbit is None else in_orbit(machine, orbit))


@dataclass(frozen=True, eq=False)
class PadHistory:
    """Contacts of the pads at the rows of a run.

    Attributes
    ----------
    t
        The times (N,).
    normal, slip, gap
        Normal force [N], slip speed [m/s] and gap [m] of each pad (N, pads).
    force
        Sum of the forces on the fingers in world axes (N, 3).
    """

    t: Array
    normal: Array
    slip: Array
    gap: Array
    force: Array

    def slipped(self, since: float) -> Array:
        """Way of each pad along the surface from a time on, while it touches [m]."""
        k = self.t >= since - 1e-9
        speed = np.where(self.normal > 0.0, self.slip, 0.0)[k]
        return np.asarray(np.trapezoid(speed, self.t[k], axis=0))


def pad_history(run: Run, gripper: Gripper) -> PadHistory:
    """Contacts of the pads at the rows of a run of a grip."""
    eom = derive(run.machine)
    s = eom.symbolic
    found = [s.soft_contact(pad) for pad in gripper.pads]
    outputs = [
        ca.vertcat(*[x.normal for x in found]), ca.vertcat(*[x.slip for x in found]),
        ca.vertcat(*[x.gap for x in found]), sum((x.force for x in found[1:]), start=found[0].force),
    ]  # fmt: skip
    function = ca.Function("pads", [s.t, s.q, s.v, s.p], outputs)
    q, v = run.array(eom.q_names), run.array(eom.v_names)
    p = eom.parameter_values(dict(run.metadata.get("parameters") or {}))
    columns = function(run.t[None, :], q.T, v.T, np.tile(np.reshape(p, (-1, 1)), (1, len(run.t))))
    return PadHistory(run.t, *(np.array(x).T for x in columns))


def _events(eom: EquationsOfMotion, twins: ChaserTwins, debris: DebrisTwin, gripper: Gripper) -> list[Event]:
    """Touch, release and slip of each pad; too much force, and the loss of the debris, which end the run."""
    s = eom.symbolic
    found = {pad.name: s.soft_contact(pad) for pad in gripper.pads}
    events = []
    for pad in gripper.pads:
        x = found[pad.name]
        speed = ca.if_else(x.gap < 0.0, x.slip, 0.0) - _SLIPPING * s.value(pad.creep)
        for name, g, direction in (("touch", x.gap, -1), ("release", x.gap, 1), ("slip", speed, 1)):
            events.append(Event(f"{pad.name}.{name}", _constantly(g), direction=direction))
    force = sum((x.force for x in found.values()), start=ca.SX.zeros(3))
    away = (s.pose(twins.frame) - s.pose(debris.target))[:3, 3]
    limits = {"overload": ca.norm_2(force + 1e-12) - gripper.force_limit, "lost": ca.norm_2(away) - gripper.reach}
    return [*events, *(Event(name, _constantly(g), terminal=True, direction=1) for name, g in limits.items())]


def _constantly(g: Expression) -> Callable[[Any, Any, Any], Expression]:
    """An expression on the symbols of the equations as the function of an event."""
    return lambda t, q, v: g


def _step(eom: EquationsOfMotion, q: Array, p: Array, gripper: Gripper, period: float, longest: float) -> float:
    """Step of the integration: a part of the period that is short against the pads and the drives of the fingers."""
    minv = np.linalg.inv(eom.mass_matrix(q, p=p))
    rows, fastest = [], longest
    for pad in gripper.pads:
        J, other = (eom.jacobian(f, q, axes="world", p=p) for f in (pad.frame, pad.on))
        arm = (eom.pose(pad.frame, q, p=p) - eom.pose(pad.on, q, p=p))[:3, 3]
        rows.append(J[:3] - (other[:3] + np.cross(np.eye(3), arm).T @ other[3:]))
    A = np.vstack(rows)
    mobility = float(np.linalg.eigvalsh(A @ minv @ A.T)[-1])
    for pad in gripper.pads:
        k, c, mu, creep = (nominal(x) for x in (pad.stiffness, pad.damping, pad.friction, pad.creep))
        decay = _PRESSED * gripper.force * max(mu / creep, c) * mobility
        fastest = min(fastest, _SOFT / np.sqrt(k * mobility), _STIFF / max(decay, 1e-9))
    for name in gripper.fingers:
        k = eom.v_names.index(f"{name}_dot")
        fastest = min(fastest, _STIFF / (gripper.force / gripper.speed * minv[k, k]))
    return period / int(np.ceil(period / fastest - 1e-9))


def _impedance(flight: Flight, gripper: Gripper, posture: Array) -> tuple[CaptureFeedback, tuple[float, ...]]:
    """Law of the arm during a grip, and torques of a unit pull: from the bent twin of the chaser in its posture."""
    twins, gains = flight.twins, flight.gains
    eom = twins.bent.eom
    q = eom.q_neutral.copy()
    q[[eom.q_names.index(n) for n in twins.joints]] = posture
    usual = CaptureFeedback.tuned(twins.rigid, gains, posture)
    at = {"joints": twins.joints, "base": twins.base, "damping": gains.arm_damping}
    whole = derive(twins.machine)
    at_grip, p = whole.q_neutral.copy(), whole.parameter_values()
    at_grip[[whole.q_names.index(n) for n in twins.joints]] = posture
    allowed = max(GROWTH, growth(whole, at_grip, p, usual, gains.period))
    if gripper.tip_stiffness is not None:
        K = np.array(gripper.tip_stiffness, dtype=float)
    else:
        free = tip_gains(eom, twins.frame, q, np.zeros(6), **at)  # type: ignore[arg-type]
        mobility = np.diag(free.jacobian @ np.linalg.solve(free.inertia, free.jacobian.T))
        K = gains.arm**2 / np.maximum(mobility, 1e-9 * mobility.max())
    for part in _SOFTER if gripper.tip_stiffness is None else _SOFTER[:1]:
        tip = tip_gains(eom, twins.frame, q, part * K, **at)  # type: ignore[arg-type]
        kp, kd = (tuple(map(tuple, x.tolist())) for x in (tip.kp, tip.kd))
        law = replace(usual, kp=kp, kd=kd)
        if growth(whole, at_grip, p, law, gains.period) <= allowed:
            return law, tuple((-tip.jacobian[2]).tolist())
    raise InputError(
        f"the tip of machine '{twins.machine.name}' is unstable with the stiffness {np.round(K, 3).tolist()} of its "
        f"gripper and a law of {gains.period:g} s: take a smaller tip_stiffness"
    )


def _fly(
    flight: Flight,
    eom: EquationsOfMotion,
    guide: GripGuide,
    law: GripFeedback,
    start: Start,
    duration: float,
    used: float,
) -> Run:
    """Simulate a part of a grip."""
    gains, gripper = flight.gains, law.gripper
    p = flight.truth(eom, used)
    values = eom.parameter_values(p)
    stage = Guidance(
        guide, gains.period * gains.every, (*held_names(len(flight.twins.joints)), _PULL, _CLOSE),
        guide.guide.stage().reads,
    )  # fmt: skip
    step = _step(eom, np.asarray(start.q), values, gripper, gains.period, flight.time_step())
    experiment: ExperimentKeywords = {
        "start": start,
        "p": p,
        "control": Cascade(Sampled(flight.jets(law), gains.period), [stage]),
        "method": RK4(step),
        "duration": duration,
        "record": min(_RECORD, flight.phases.record),
        "seed": flight.start.seed + 2,
        "events": _events(eom, flight.twins, flight.debris, gripper),
    }
    return run_experiment(experiment_of(eom, experiment), check=False)


def fingers_closed(flight: Flight, approach: Run, guide: CaptureGuide, used: float) -> tuple[Run, GripFeedback]:
    """Close the fingers and test the grip, from where the approach has ended; the run, and its law."""
    gripper, twins, scene = flight.start.gripper, flight.twins, flight.scene
    assert gripper is not None and flight.loose is not None
    mount = tuple(map(tuple, flight.mount.tolist()))
    eom = grip_scene(
        twins, flight.loose, flight.debris, gripper, flight.sensors.noise,
        (flight.gains.period, mount, flight.phases.orbit),
    )  # fmt: skip
    q, v, t = eom.q_neutral.copy(), np.zeros(eom.nv), float(approach.t[-1])
    rows = _rows(eom, scene)
    q[rows[0]], v[rows[1]] = approach.array(scene.q_names)[-1], approach.array(scene.v_names)[-1]
    feedback, pull = _impedance(flight, gripper, q[[eom.q_names.index(n) for n in twins.joints]])
    law = GripFeedback(feedback, gripper, pull)
    ahead = GripGuide(guide, rows, (t + gripper.close, gripper.hold), gripper.proof, 1.0)
    return _fly(flight, eom, ahead, law, Start(q, v, t), gripper.time, used), law


def _rows(eom: EquationsOfMotion, scene: EquationsOfMotion) -> tuple[Array, Array]:
    """Rows of the coordinates and velocities of the scene with locked fingers among those of another one."""
    return tuple(  # type: ignore[return-value]
        np.array([names.index(n) for n in wanted])
        for names, wanted in ((eom.q_names, scene.q_names), (eom.v_names, scene.v_names))
    )


def opened(flight: Flight, run: Run, guide: CaptureGuide, law: GripFeedback, used: float) -> Run:
    """Open the fingers after a grip that failed; the run with the rows of both."""
    eom, gripper = derive(run.machine), law.gripper
    q, v, t = run.array(eom.q_names)[-1], run.array(eom.v_names)[-1], float(run.t[-1])
    far = max(float(np.max(run.array(list(gripper.fingers))[-1])), 1e-3)
    back = GripGuide(guide, _rows(eom, flight.scene), (np.inf, 1.0), 0.0, -1.0)
    return _fly(flight, eom, back, law, Start(q, v, t), far / gripper.speed, used)


def judged_grip(run: Run, gripper: Gripper) -> tuple[tuple[MissionRequirement, ...], str]:
    """Figures of a grip for its requirements, and why it failed; empty: it holds."""
    pads = pad_history(run, gripper)
    most = float(np.linalg.norm(pads.force, axis=1).max())
    slipped = pads.slipped(float(run.t[0]) + gripper.close)
    k = int(np.argmax(slipped))
    figures = (
        MissionRequirement("force of the grip", most, gripper.force_limit, "N"),
        MissionRequirement("slip in the test of the grip", 1e3 * float(slipped[k]), 1e3 * gripper.slip, "mm"),
    )
    names = [pad.name for pad in gripper.pads]
    if run.status == "failed":
        return figures, f"the run of the grip failed: {run.message}"
    ended = {e.name for e in run.events if e.t >= run.t[-1] - 1e-9}
    if "overload" in ended:
        return figures, f"the force between chaser and debris passes {gripper.force_limit:g} N"
    slips = [e for e in run.events if e.name.endswith(".slip") and e.t >= run.t[0] + gripper.close]
    if "lost" in ended:
        where = f"; '{slips[0].name}' was {run.t[-1] - slips[0].t:.2g} s before" if slips else ""
        return figures, f"the debris is lost: the tip is {1e3 * gripper.reach:g} mm from its target{where}"
    if slipped[k] > gripper.slip:
        return figures, (
            f"the debris slips in the fingers: '{names[k]}' by {1e3 * slipped[k]:.1f} mm under a pull of "
            f"{gripper.proof:g} N, allowed are {1e3 * gripper.slip:g} mm"
        )
    open_ = [name for name, n in zip(names, pads.normal[-1], strict=True) if n <= 0.0]
    if open_:
        return figures, f"the grip is open: {', '.join(open_)} of {', '.join(names)} do not touch"
    return figures, ""


def lock_impulse(
    run: Run,
    after: EquationsOfMotion,
    p: Array,
    handover: Handover,
    frames: tuple[str, str],
    fingers: Sequence[str],
) -> Array:
    """Impulse of the lock on the debris, linear and angular (6), at the tip in world axes.

    The impulse ``M (v_after - v_before) = A^T x`` acts on the relative twist of the debris and the tip, and on the
    fingers; ``frames`` are the tip and the body of the debris.
    """
    before = derive(run.machine)
    q, v = run.array(before.q_names)[-1], run.array(before.v_names)[-1]
    values = before.parameter_values(dict(run.metadata.get("parameters") or {}))
    kept = dict(zip(after.v_names, handover.v.tolist(), strict=True))
    new = np.array([kept.get(n, 0.0) for n in before.v_names])
    tip, body = frames
    block = next(b for b in before.layout.blocks if b.kind == "free" and before.machine.joint(b.name).child == body)
    new[block.v.start : block.v.stop] = after.jacobian(body, handover.q, p=p) @ handover.v
    J, other = (before.jacobian(f, q, axes="world", p=values) for f in (tip, body))
    arm = (before.pose(tip, q, p=values) - before.pose(body, q, p=values))[:3, 3]
    at_tip = np.vstack([other[:3] + np.cross(np.eye(3), arm).T @ other[3:], other[3:]])
    A = np.vstack([at_tip - J, *(np.eye(before.nv)[before.v_names.index(f"{n}_dot")] for n in fingers)])
    M = before.mass_matrix(q, p=values)
    x = np.linalg.lstsq(A.T, M @ (new - v), rcond=None)[0]
    return np.asarray(x[:6])
