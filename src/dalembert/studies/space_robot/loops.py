"""Closed loops of SPACE 8.1 and 9.1: the printed gains on the rigid and the flexible robot, and ours beside them.

Printed are proportional gains alone (Table 9.1). Chosen here: damping ratios of one, 0.7 for the settling time;
guidance with G_b = 0.05 and G_m = 2 per second at 20 ms; a capture of 25 s onto a debris of 4 degrees per second, a tip
that follows it for 20 s more; actuators without limits, as the commands in the document pass theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert import EquationsOfMotion, Signal, equations, simulate
from dalembert.control import PD, BasePD, Cascade, Follow, FollowPose, Guidance, Sampled, Together
from dalembert.core.types import Array
from dalembert.loop import sampled_poles
from dalembert.plan import PosePath
from dalembert.simulation import Run
from dalembert.spatial.rotations import quaternion_from_matrix
from dalembert.systems.space_robots import (
    CoordinatedGuidance,
    PathGuidance,
    coordinated_loop,
    fuel_mass,
    space_chaser,
    tracking_loop,
)

__all__ = ["loop_results", "rigid_capture", "rigid_robot"]

_POSTURE = {"base.qw": 1.0, "theta2": -0.9, "theta3": 1.7, "theta4": -0.8}
_GAINS = {  # Table 9.1: base (x, y, z, phi, theta, psi) and joints
    "decentralised": ((58.0, 286.0, 469.0, 23.0, 1539.0, 1668.0), (157.0, 471.0, 198.0, 84.0, 76.0, 0.002)),
    "centralised": ((18.0, 19.0, 170.0, 35.0, 243.0, 135.0), (46.0, 518.0, 158.0, 642.0, 7.0, 0.003)),
}
_MEET, _QUICK, _AFTER = 25.0, 6.4, 20.0
_NAMES = [f"target.{k}" for k in ("x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")]
_TIP = Signal("tip", frame="tip")


def loop_results(path: Callable[[EquationsOfMotion, Array, float], PosePath]) -> Iterator[tuple[str, float]]:
    """Yield the closed loops; ``path(eom, q0, duration)`` is the way of the tip onto the debris."""
    yield from _inner_loop()
    yield from _outer_loop()
    yield from _captures(path)
    yield from _tracking(path)


def _inner_loop() -> Iterator[tuple[str, float]]:
    """Poles of the PD laws alone on the flexible robot: settling (Fig. 9.6), and what sampling does without rotors."""
    flexible = equations(space_chaser(rotors=False))
    rigid = equations(space_chaser("rigid", arrays="rigid", rotors=False))
    q0 = np.array([_POSTURE.get(n, 0.0) for n in rigid.q_names])
    D = np.diag(rigid.mass_matrix(q0))
    base, joints = (np.array(x) for x in _GAINS["decentralised"])
    law = Together(
        [
            BasePD(base, 1.4 * np.sqrt(base * D[:6]), [0, 0, 0, 1, 0, 0, 0]),
            PD(joints, 1.4 * np.sqrt(joints * D[6:]), q0[7:]),
        ]
    )
    quick, slow = (sampled_poles(flexible, Sampled(law, h), _POSTURE) for h in (2e-4, 4e-3))
    yield "loop.settling", -3.0 / quick.slowest
    yield "loop.rotorless", slow.slowest


def _outer_loop() -> Iterator[tuple[str, float]]:
    """Poles of the cascade on the flexible robot that sees its tip: joints get rates with their references or not.

    The posture is at the distance that the base keeps; the inner law is quick enough for joints without rotors.
    """
    flexible = equations(space_chaser(rotors=False), backend="vm")
    rigid = equations(space_chaser("rigid", arrays="rigid", rotors=False), backend="vm")
    q0 = np.array([_POSTURE.get(n, 0.0) for n in rigid.q_names])
    D = np.diag(rigid.mass_matrix(q0))
    base, joints = (np.array(x) for x in _GAINS["decentralised"])
    X, anchor = rigid.pose("tip", q0), rigid.pose("anchor", q0)[:3, 3]
    guidance = CoordinatedGuidance(
        rigid, [*X[:3, 3], *quaternion_from_matrix(X[:3, :3])], base_gain=0.05, arm_gain=2.0, sight="tip",
        distance=float(np.linalg.norm(X[:3, 3] - anchor)), consistent=False,
    )  # fmt: skip
    positions, rates = ([f"ref.{n}" for n in names] for names in (rigid.q_names[7:], rigid.v_names[6:]))
    for key, moving in (("positions", False), ("rates", True)):
        follow = Follow(positions, rates, since="guidance.t") if moving else Follow(positions)
        law = Together(
            [
                BasePD(base, 1.4 * np.sqrt(base * D[:6]), FollowPose("ref.base", moving=moving)),
                PD(joints, 1.4 * np.sqrt(joints * D[6:]), follow),
            ]
        )
        poles = sampled_poles(flexible, Cascade(Sampled(law, 2e-4), [guidance]), _POSTURE, signals=[_TIP])
        yield f"loop.outer.{key}", poles.slowest


def rigid_robot() -> tuple[EquationsOfMotion, Array]:
    """The rigid robot of 9.1, with actuators without limits, and its posture at the start."""
    robot = space_chaser("printed", arrays=None, rotors=False)
    eom = equations(
        robot.with_(
            motors=[replace(m, effort=np.inf) for m in robot.motors],
            thrusters=[replace(x, effort=np.inf) for x in robot.thrusters],
        )
    )
    return eom, np.array([_POSTURE.get(n, 0.0) for n in eom.q_names])


def rigid_capture(
    eom: EquationsOfMotion,
    q0: Array,
    way: PosePath,
    kind: str,
    meet: float,
    ratios: tuple[float, float],
    guidance: tuple[float, float] = (0.05, 2.0),
) -> dict[str, float]:
    """Figures of a capture under a law of Table 9.1: tip from 10 s after the meeting on [mm], drift [deg], fuel."""
    run = _captured(eom, q0, way, kind, meet, ratios, guidance)
    miss = _miss(run, way)
    tip = 1e3 * float(miss[run.t >= meet + _AFTER / 2].max()) if run.status == "completed" else np.inf
    return {"tip": tip, "drift": _turned(run), "torque": _base_torque(run), "fuel": fuel_mass(run, 220.0, arm=1.0)}


def _captures(path: Callable[[EquationsOfMotion, Array, float], PosePath]) -> Iterator[tuple[str, float]]:
    """Rigid captures of 9.1 with the gains of Table 9.1; then what less damping and less time do to drift and fuel."""
    eom, q0 = rigid_robot()
    for case, meet, ratio in (("rigid", _MEET, 1.0), ("rigid.light", _MEET, 0.5), ("rigid.quick", _QUICK, 1.0)):
        way, fuel = path(eom, q0, meet), {}
        for kind in _GAINS:
            figures = rigid_capture(eom, q0, way, kind, meet, (ratio, ratio))
            for name in ("tip", "torque", "drift") if case == "rigid" else ("drift",):
                yield f"{case}.{kind}.{name}", figures[name]
            fuel[kind] = figures["fuel"]
        yield f"{case}.fuel", fuel["centralised"] / fuel["decentralised"]


def _captured(
    eom: EquationsOfMotion,
    q0: Array,
    way: PosePath,
    kind: str,
    meet: float,
    ratios: tuple[float, float],
    outer: tuple[float, float],
) -> Run:
    """A capture under one of the laws of Table 9.1, with damping ratios of base and arm, and gains of guidance."""
    D = np.diag(eom.mass_matrix(q0))

    def planner(t: float, q: Array, v: Array, s: object) -> list[float]:
        m = way(t)
        R = m.rotation
        return [*m.position, *quaternion_from_matrix(R), *(R.T @ m.velocity), *(R.T @ m.rate)]

    base, joints = (np.array(x) for x in _GAINS[kind])
    centralised = kind == "centralised"
    k = joints / D[6:] if centralised else joints
    damped = 2 * ratios[1] * np.sqrt(k if centralised else k * D[6:])
    guidance = CoordinatedGuidance(eom, FollowPose("target"), base_gain=outer[0], arm_gain=outer[1])
    inner = coordinated_loop(
        guidance,
        base=(base, 2 * ratios[0] * np.sqrt(base * D[:6])),
        joints=(k, damped),
        at=_POSTURE,
        centralized=centralised,
    )
    loop = Cascade(inner.inner, [Guidance(planner, 0.02, _NAMES, name="planner"), guidance])
    return simulate(eom, duration=meet + _AFTER, q0=q0, control=loop, record=0.1, signals=[_TIP])


def _tracking(path: Callable[[EquationsOfMotion, Array, float], PosePath]) -> Iterator[tuple[str, float]]:
    """Ours: the flexible robot within all limits, with efforts fed forward, without, and let go before the end."""
    rigid, flexible = equations(space_chaser("rigid", arrays="rigid")), equations(space_chaser())
    q0 = np.array([_POSTURE.get(n, 0.0) for n in rigid.q_names])
    start = dict(zip(rigid.q_names, q0.tolist(), strict=True))
    way = path(rigid, q0, 52.0)
    cases: dict[str, dict[str, Any]] = {"": {}, ".bare": {"feedforward": False}, ".floating": {"float_from": 50.0}}
    for case, settings in cases.items():
        guidance = PathGuidance(rigid, way, q0, 62.0, machine=flexible.machine, **settings)
        run = simulate(flexible, duration=62.0, q0=start, control=tracking_loop(guidance), record=0.1, signals=[_TIP])
        yield f"tracking{case}.tip", 1e3 * float(_miss(run, way)[run.t >= 52.0].max())
        yield f"tracking{case}.attitude", _turned(run)
        if not case:
            yield "tracking.torque", _base_torque(run)


def _miss(run: Run, way: PosePath) -> Array:
    wanted = np.array([way(float(t)).position for t in run.t])
    return np.asarray(np.linalg.norm(run.array(["tip.x", "tip.y", "tip.z"]) - wanted, axis=1))


def _turned(run: Run) -> float:
    return float(np.degrees(2 * np.linalg.norm(run.array(["base.qx", "base.qy", "base.qz"]), axis=1).max()))


def _base_torque(run: Run) -> float:
    return float(np.abs(run.array([f"command.torque.{k}" for k in "xyz"])).max())
