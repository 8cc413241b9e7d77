"""The closed loop of SPACE 9.2.3 in simulation: three joints follow a point on a spinning cylinder by a late camera.

Printed are the chaser of three joints, a cylinder of 50 kg with a radius of 0.75 m that spins at 11 degrees per second
with the target on its rim, perfect actuators and inertial sensors, the camera of 9.2.2, a security offset of 2 m, the
delay of 80 ms of the robot's loop, and a controller slow enough for it. Table 9.2 has the measurements of the camera
from 40 s on, less the offset: its two lateral variances are equal, and their ratio to the mean errors that of a
sinusoid, so the target goes around the line of approach. A measurement in the middle of the picture includes its noise.

Chosen here: a cylinder of 1 m along the line of approach, 7.25 m in front; pictures every 0.1 s with noise of 0.2
pixels (`dalembert.control.StereoCamera`); a path of least jerk onto the offset in 30 s, known beforehand; guidance
(8.5) every 20 ms on the camera's estimate of the way to the target, with half of the gain at which the linearised
sampled loop becomes unstable; joints at 3 rad/s and base at 0.3 rad/s, damping 1, every 4 ms; 120 s. Ours: the motion
of the target fed forward, a picture compared with the reference at the time when it was taken, and a fifth of the gain
in depth, where a picture is 30 times less accurate than across. Last, the gain and the noise that explain Table 9.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert import Body, EquationsOfMotion, Frame, Joint, Machine, Sensor, Signal, Transform, equations, simulate
from dalembert.control import PD, BasePD, Cascade, Follow, Known, NativeGuidance, Sampled, StereoCamera, Together
from dalembert.core.types import Array, Expression
from dalembert.loop import sampled_poles
from dalembert.plan import PointMotion, plan_capture
from dalembert.systems.space_robots import capture_scene, three_joint_chaser

__all__ = ["FITTED", "bench_limit", "bench_results", "bench_scene", "followed"]

_MASS, _RADIUS, _HEIGHT, _SPIN, _DELAY = 50.0, 0.75, 1.0, np.radians(11.0), 0.08
_OFFSET, _PLACE, _MEET, _SINCE, _END = 2.0, 7.25, 30.0, 40.0, 120.0
_POSTURE = {"theta1": 0.3, "theta2": 0.8, "theta3": -1.2}
_START = {**_POSTURE, "debris.x": _PLACE}
_JOINTS = tuple(_POSTURE)
FITTED = (4.55, 0.125)
"""Gain of the guidance [1/s] and noise of a pixel that explain Table 9.2, by `unprinted_gains`."""
_AWAY = tuple(f"away.{k}" for k in "xyz")


def bench_results() -> Iterator[tuple[str, float]]:
    """Yield the key of each expected value and our value."""
    (eom, way), limit = bench_scene(), bench_limit()
    yield "bench.limit", limit
    for case, knows in (("", False), (".ours", True)):
        for name, value in followed(eom, way, 0.5 * limit, knows=knows).items():
            yield f"bench{case}.{name}", value
    gain, noise = FITTED
    fitted = followed(eom, way, gain, camera=replace(StereoCamera(), noise=noise))
    for name in ("norm", *"xyz"):
        yield f"bench.fitted.{name}", fitted[name]


def bench_scene() -> tuple[EquationsOfMotion, Callable[[Expression], Expression]]:
    """Equations of chaser and cylinder, and the desired way to the target."""
    eom = equations(_scene())
    return eom, _wanted(eom)


def followed(
    eom: EquationsOfMotion,
    way: Callable[[Expression], Expression],
    gain: float,
    *,
    knows: bool = False,
    camera: StereoCamera | None = None,
) -> dict[str, float]:
    """Mean errors that the camera measures from 40 s on [mm]: norm and components; the norm of the true ones."""
    run = simulate(
        eom, duration=_END, q0=_START, v0={"debris.wx": _SPIN}, control=_loop(eom, gain, way, knows=knows),
        record=0.1, step=2e-3, signals=_signals(), sensors=[_camera(camera=camera)],
    )  # fmt: skip
    late = run.t >= _SINCE
    offset = [_OFFSET, 0.0, 0.0]
    seen, true = (1e3 * (run.array(n)[late] - offset) for n in ([f"camera.{k}" for k in _AWAY], list(_AWAY)))
    values = {"norm": float(np.linalg.norm(seen, axis=1).mean())}
    values |= dict(zip("xyz", np.abs(seen).mean(axis=0).tolist(), strict=True))
    return {**values, "true": float(np.linalg.norm(true, axis=1).mean())}


def _scene() -> Machine:
    """Chaser, with actuators without limits, and the cylinder, whose axis is the line of approach."""
    across = _MASS * (3 * _RADIUS**2 + _HEIGHT**2) / 12
    body = Body("debris", _MASS, inertia=(_MASS * _RADIUS**2 / 2, across, across))  # type: ignore[arg-type]
    cylinder = Machine(
        "cylinder",
        (body,),
        (Joint("debris", "free", "world", "debris"),),
        frames=(Frame("target", "debris", Transform((0.0, _RADIUS, 0.0))),),
        gravity=(0.0, 0.0, 0.0),
    )
    return capture_scene(_unlimited(three_joint_chaser()), cylinder)


def _unlimited(chaser: Machine) -> Machine:
    return chaser.with_(
        motors=[replace(m, effort=np.inf) for m in chaser.motors],
        thrusters=[replace(x, effort=np.inf) for x in chaser.thrusters],
    )


def _signals() -> list[Signal]:
    return [Signal(f"away.{k}", f"target.{k} - hand.{k}") for k in "xyz"]


def _camera(*, noise: bool = True, camera: StereoCamera | None = None) -> Sensor:
    """The way to the target, late, with the noise that pixels have at 2 m: depth along x."""
    camera = StereoCamera() if camera is None else camera
    across = _OFFSET / camera.gain * camera.noise / np.sqrt(2.0)
    depth = _OFFSET**2 / (camera.gain * camera.baseline) * camera.noise * np.sqrt(2.0)
    deviation = (depth, across, across) if noise else 0.0
    return Sensor("camera", _AWAY, camera.period, noise=deviation, delay=_DELAY, feedback=False)


def _configuration(eom: EquationsOfMotion) -> Array:
    """Coordinates at the start."""
    return np.array([_START.get(n, 1.0 if n.endswith(".qw") else 0.0) for n in eom.q_names])


def _target(t: ArrayLike) -> PointMotion:
    """The rim of the cylinder, from position to jerk."""
    t = np.asarray(t, dtype=float)
    parts = []
    for k in range(4):
        angle = _SPIN * t + 0.5 * np.pi * k
        waves = [np.full_like(t, _PLACE if k == 0 else 0.0), _RADIUS * np.cos(angle), _RADIUS * np.sin(angle)]
        parts.append(_SPIN**k * np.stack(waves, axis=-1))
    return PointMotion(*parts)


def _wanted(eom: EquationsOfMotion) -> Callable[[Expression], Expression]:
    """Desired way to the target, as an expression of time: of the path of least jerk, then the offset."""
    tip = eom.pose("tip", _configuration(eom))[:3, 3]
    offset = np.array([_OFFSET, 0.0, 0.0])

    def meet(t: ArrayLike) -> PointMotion:
        there = _target(t)
        return there._replace(position=there.position - offset)

    path = plan_capture(meet, tip, match="acceleration", duration=_MEET)
    times = np.linspace(0.0, _MEET, 6)
    powers = np.linalg.solve(np.vander(times / _MEET, 6), path(times).position)  # a quintic, by six of its points

    def way(t: Expression) -> Expression:
        s = t / _MEET
        path = ca.DM(powers.T) @ ca.vertcat(*[s**k for k in range(5, -1, -1)])
        return ca.if_else(t < _MEET, _rim(t) - path, ca.DM(offset))

    return way


def _rim(t: Expression) -> Expression:
    """The target as an expression of time."""
    return ca.vertcat(_PLACE, _RADIUS * ca.cos(_SPIN * t), _RADIUS * ca.sin(_SPIN * t))


def _loop(
    eom: EquationsOfMotion, gain: float, way: Callable[[Expression], Expression | ca.DM], *, knows: bool = False
) -> Cascade:
    """Joints and base under guidance by the camera.

    Parameters
    ----------
    eom
        Equations of chaser and cylinder.
    gain
        ``G_m`` of (8.5).
    way
        Desired way to the target, a function of time.
    knows
        Whether the reference is taken from the time of the picture, depth trusted less, and the motion fed forward.
    """
    h, late = 0.02, _DELAY + 0.5 * StereoCamera().period
    trust = ca.DM([0.2 if knows else 1.0, 1.0, 1.0])

    def guide(known: Known) -> tuple[Expression, Expression]:
        seen = known.vector(*(f"camera.{a}" for a in _AWAY))
        speed = known["gain"] * (trust * (seen - way(known.t - late if knows else known.t)))
        if knows:
            t = ca.SX.sym("t")
            speed = speed + ca.substitute(ca.jacobian(_rim(t) - way(t), t), t, known.t)
        J = known.jacobian("tip")[:3, [eom.v_names.index(f"{n}_dot") for n in _JOINTS]]
        rates = ca.solve(J, speed)
        refs = known.vector(*(f"kept.{n}" for n in _JOINTS)) + h * rates
        return ca.vertcat(refs, rates), ca.vertcat(refs, known["gain"])

    refs, rates = ([f"{kind}.{n}" for n in _JOINTS] for kind in ("ref", "rate"))
    states = {**{f"kept.{n}": x for n, x in _POSTURE.items()}, "gain": gain}
    stage = NativeGuidance(guide, h, [*refs, *rates], states)
    D = np.diag(eom.mass_matrix(_configuration(eom)))
    arm = np.array([D[eom.v_names.index(f"{n}_dot")] for n in _JOINTS])
    base = np.array([D[eom.v_names.index(f"base.{k}")] for k in ("vx", "vy", "vz", "wx", "wy", "wz")])
    law = Together(
        [
            PD(9.0 * arm, 6.0 * arm, Follow(refs, rates, since="guidance.t")),
            BasePD(0.09 * base, 0.6 * base, [0, 0, 0, 1, 0, 0, 0], joint="base"),
        ]
    )
    return Cascade(Sampled(law, 0.004), [stage])


def bench_limit() -> float:
    """Gain at which the linearised sampled loop about a target at rest becomes unstable, by bisection."""
    chaser = _unlimited(three_joint_chaser())
    eom = equations(chaser)
    place = eom.pose("tip", _configuration(eom))[:3, 3] + [_OFFSET, 0.0, 0.0]
    signals = [Signal("hand", frame="tip")]
    signals += [Signal(f"away.{k}", f"{float(x)!r} - hand.{k}") for k, x in zip("xyz", place, strict=True)]
    cascade = _loop(eom, 1.0, lambda t: ca.DM([_OFFSET, 0.0, 0.0]))
    low, high = 0.1, 20.0
    for _ in range(12):
        gain = np.sqrt(low * high)
        poles = sampled_poles(
            eom, cascade, _POSTURE, held={"gain": float(gain)}, signals=signals, sensors=[_camera(noise=False)]
        )
        low, high = (gain, high) if poles.stable else (low, gain)
    return float(low)
