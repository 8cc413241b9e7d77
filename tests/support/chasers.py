"""Chasers that the library does not ship, each with its own arms, flexible parts and actuators; and a debris."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import dalembert as da
from dalembert.systems import space_robots

RATE = np.radians([1.5, -1.2, 1.0])


def _arm(
    prefix: str, base: str, at: tuple[float, ...], links: Sequence[float], axes: str, effort: float, soft: Sequence[int]
):
    """Links along x, one per joint; those in ``soft`` are beams."""
    bodies, joints, motors, parent, origin = [], [], [], base, at
    for i, (length, axis) in enumerate(zip(links, axes, strict=True)):
        name = f"{prefix}link{i + 1}"
        if i in soft:
            tube = da.Section.tube(0.06, 0.055)
            bodies.append(
                da.Beam(name, length, tube, E=70e9, G=26e9, density=2700.0, modes={"y": 1, "z": 1}, damping=0.01)
            )
        else:
            bodies.append(
                da.cylinder(name, 8.0 * max(length, 0.15), 0.05, max(length, 0.15), axis="x", com=(length / 2, 0, 0))
            )
        joints.append(da.Joint(f"{prefix}j{i + 1}", "revolute", parent, name, origin, axis=axis, armature=0.5))
        motors.append(da.Motor(f"{prefix}m{i + 1}", f"{prefix}j{i + 1}", effort=effort))
        parent, origin = (f"{name}.tip", (0, 0, 0)) if i in soft else (name, (length, 0, 0))
    return bodies, joints, motors, (parent, origin)


def hulk() -> da.Machine:
    """A debris of 250 kg."""
    look = da.Geometry(da.Box((1.0, 1.4, 0.8)))
    body = da.Body("hulk", 250.0, inertia=(60.0, 45.0, 70.0), geometry=(look,))
    target = da.Frame("target", "hulk", (0.5, 0.7, 0.4))
    return da.Machine(
        "old-satellite", [body], [da.Joint("hulk", "free", "world", "hulk")], frames=[target], gravity=(0, 0, 0)
    )


def _whole(name: str, base: da.Body, arms, hands, thrusters, frames=()) -> da.Machine:
    return da.Machine(
        name,
        [base, *(x for arm in arms for x in arm[0])],
        [da.Joint(base.name, "free", "world", base.name), *(x for arm in arms for x in arm[1])],
        frames=[*(da.Frame(hand, *arm[3]) for hand, arm in zip(hands, arms, strict=True)), *frames],
        motors=[x for arm in arms for x in arm[2]],
        thrusters=thrusters,
        gravity=(0, 0, 0),
    )


def four_joints() -> da.Machine:
    """A cube with nozzles that only push, and an arm of four joints with a flexible boom."""
    frames, jets = space_robots.nozzle_cluster("bus", (1.4, 1.4, 1.4), 10.0)
    arm = _arm("", "bus", (0.7, 0, 0), (0.15, 1.6, 1.4, 0.3), "zyyy", 60.0, (1,))
    return _whole("four-joints", da.box("bus", 500.0, (1.4, 1.4, 1.4)), [arm], ["hand"], jets, frames)


def six_joints() -> da.Machine:
    """A round base with four wheels, nozzles, two flexible arrays, and an arm with two flexible booms."""
    frames, jets = space_robots.nozzle_cluster("hub", (1.6, 1.6, 1.6), 8.0)
    arm = _arm("", "hub", (0.8, 0, 0), (0.2, 1.7, 1.5, 0.2, 0.2, 0.25), "zyyxyx", 50.0, (1, 2))
    s = 1.0 / np.sqrt(3.0)
    axes = ((s, s, s), (-s, s, s), (s, -s, s), (s, s, -s))
    wheels = [da.Wheel(f"w{k}", "hub", axis=a, inertia=0.1, torque=1.5, momentum=60.0) for k, a in enumerate(axes)]
    arrays = [
        da.ModalAppendage(
            f"wing{k}", "hub", mass=20.0, com=(1.5, 0, 0), inertia=(4.0, 20.0, 20.0), omega=[4.0, 9.0], damping=0.005,
            origin=da.Transform((0, sign * 0.8, 0), ((0, 0, sign), (sign, 0, 0), (0, 1, 0))),
            participation=[[0, 0, 3.0, 0, -4.0, 0], [0, 3.0, 0, 0, 0, 4.0]],
        )
        for k, sign in ((1, 1.0), (2, -1.0))
    ]  # fmt: skip
    base = da.cylinder("hub", 600.0, 0.8, 1.6, axis="x")
    return _whole("six-joints", base, [arm], ["grapple"], jets, frames).with_parts(*wheels, *arrays)


def seven_joints() -> da.Machine:
    """A box with ideal thrusters, and a redundant arm with a flexible boom."""
    arm = _arm("", "bus", (0.6, 0, 0), (0.15, 0.15, 1.5, 1.3, 0.15, 0.15, 0.25), "zyxyxyx", 40.0, (3,))
    jets = space_robots.attitude_thrusters("bus", torque=3.0, force=10.0)
    return _whole("seven-joints", da.box("bus", 400.0, (1.2, 1.6, 1.0)), [arm], ["hand"], jets)


def two_arms() -> da.Machine:
    """A box with ideal thrusters and two arms of six joints."""
    arms = [
        _arm(f"{side}.", "bus", (0.7, y, 0), (0.2, 1.5, 1.4, 0.2, 0.2, 0.25), "zyyxyx", 50.0, ())
        for side, y in (("left", 0.6), ("right", -0.6))
    ]
    jets = space_robots.attitude_thrusters("bus", torque=4.0, force=10.0)
    return _whole("two-arms", da.box("bus", 700.0, (1.4, 2.0, 1.2)), arms, ["left.hand", "right.hand"], jets)


BENT = {"j2": -0.9, "j3": 1.6, "j4": -0.7}
FLIGHTS = {
    "four": (four_joints, {"tip": "hand", "joints": BENT}),
    "six": (six_joints, {"tip": "grapple", "joints": {"j2": -0.9, "j3": 1.6, "j5": -0.7}}),
    "seven": (seven_joints, {"tip": "hand", "joints": {"j2": -0.9, "j4": 1.6, "j6": -0.7}}),
    "two": (
        two_arms,
        {
            "tip": "left.hand",
            "joints": {f"{s}.{n}": x for s in ("left", "right") for n, x in (("j2", -0.9), ("j3", 1.6), ("j5", -0.7))},
        },
    ),
}
"""Chasers, and how they begin; all of them grip along the x axis of the hand."""
