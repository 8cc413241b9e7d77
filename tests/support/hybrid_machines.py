"""Small machines with constraints, events, cables, switches and contacts, for what leaves the library as C."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from tests.support.thrown_box import thrown_box
from tests.support.without_compiler import SPUN, atwood

import dalembert as da
from dalembert.control import Sampled
from dalembert.systems.contacts import bouncing_ball

__all__ = ["HYBRID", "Hybrid", "four_bar"]


class Hybrid(NamedTuple):
    """A machine or its equations, settings of `dalembert.simulate`, and how many events a run of it has at least."""

    make: Callable[[], Any]
    duration: float
    settings: Mapping[str, Any] = {}
    events: int = 0


def four_bar(**parts: Any) -> da.Machine:
    """Crank 0.3, coupler 0.8, rocker 0.6, ground 0.9 in the x-z plane; cut at the tip of the rocker."""
    y = (0.0, -1.0, 0.0)
    return da.Machine(
        "four-bar",
        bodies=[
            da.rod("crank", da.Parameter("crank_mass", 1.0), 0.3, axis="x", com=(0.15, 0, 0)),
            da.rod("coupler", 2.0, 0.8, axis="x", com=(0.4, 0, 0)),
            da.rod("rocker", 1.5, 0.6, axis="x", com=(0.3, 0, 0)),
        ],
        joints=[
            da.Joint("a", "revolute", "world", "crank", axis=y),
            da.Joint("b", "revolute", "crank", "coupler", origin=da.Transform((0.3, 0, 0)), axis=y),
            da.Joint("c", "revolute", "world", "rocker", origin=da.Transform((0.9, 0, 0)), axis=y),
        ],
        frames=[
            da.Frame("coupler_tip", "coupler", da.Transform((0.8, 0, 0))),
            da.Frame("rocker_tip", "rocker", da.Transform((0.6, 0, 0))),
        ],
        constraints=[da.BallConstraint("loop", "coupler_tip", "rocker_tip", components="xz")],
        **parts,
    )


def closed(a: float) -> dict[str, float]:
    """Coordinates of the four-bar at an angle of its crank, by the triangle over its diagonal."""
    px, pz = 0.3 * np.cos(a), 0.3 * np.sin(a)
    diagonal = np.hypot(0.9 - px, pz)
    coupler = np.arctan2(-pz, 0.9 - px) + np.arccos((0.8**2 + diagonal**2 - 0.6**2) / (2 * 0.8 * diagonal))
    tip = px + 0.8 * np.cos(coupler), pz + 0.8 * np.sin(coupler)
    return {"a": a, "b": float(coupler - a), "c": float(np.arctan2(tip[1], tip[0] - 0.9))}


def stepped_four_bar() -> da.Machine:
    """The four-bar above a far floor."""
    floor = da.HalfSpace(point=(0.0, 0.0, -5.0))
    return four_bar(contacts=[da.Contact("floor", "coupler_tip", surface=floor)])


FOUR_BAR = {"q0": closed(0.7), "v0": {"a_dot": 6.0}}
DRIVE = [da.Motor("drive", "a", effort=5.0)]


def bob() -> da.Machine:
    """A point mass in a vertical plane on two equal cables."""
    return da.Machine(
        "bob",
        bodies=[da.Body("slide"), da.point_mass("b", 2.0)],
        joints=[
            da.Joint("x", "prismatic", "world", "slide", axis=(1, 0, 0)),
            da.Joint("z", "prismatic", "slide", "b", axis=(0, 0, 1)),
        ],
        motors=[da.Motor("wind", "x", effort=3.0)],
        cables=[da.Cable("one", "b", length=1.0), da.Cable("two", "b", length=1.0)],
    )


def ball_on_cables() -> da.Machine:
    """A ball that falls into four cables: taut, slack, several at once."""
    rng = np.random.default_rng(1)
    exits = rng.uniform(-1.0, 1.0, (4, 3)) + [0.0, 0.0, 1.0]
    lengths = np.linalg.norm(exits, axis=1) * rng.uniform(0.95, 1.2, 4)
    return da.Machine(
        "ball",
        [da.sphere("ball", 1.0, 0.1)],
        [da.Joint("ball", "free", "world", "ball")],
        cables=[da.Cable(f"c{i}", "ball", exit_at=tuple(exits[i]), length=float(lengths[i])) for i in range(4)],
    )


def rail() -> da.Machine:
    """Two bodies on a rail; the second can be caught by the first, where it is."""
    return da.Machine(
        "rail",
        bodies=[da.Body("one", 2.0), da.Body("two", 1.0)],
        joints=[
            da.Joint("x1", "prismatic", "world", "one", axis=(1, 0, 0)),
            da.Joint("x2", "prismatic", "world", "two", axis=(1, 0, 0)),
        ],
        constraints=[da.WeldConstraint("grip", "two", "one", switchable=True, active=False)],
    )


def measured_four_bar() -> da.Machine:
    """The four-bar with a motor, and a noisy and late encoder on its crank that laws see."""
    encoder = da.Sensor("encoder", ["a", "a_dot"], 0.008, noise=1e-3, delay=0.004)
    return four_bar(motors=DRIVE, sensors=[encoder])


def flap() -> da.Machine:
    """A flap that falls on its stop and bounces there."""
    stop = da.Limits(-1.0, 0.3, restitution=0.4)
    return da.Machine(
        "flap",
        [da.rod("flap", 1.0, 1.0, axis="x", com=(0.5, 0, 0))],
        [da.Joint("hinge", "revolute", "world", "flap", axis="y", limits=stop)],
    )


def box_on_ground() -> tuple[da.Machine, dict[str, Any]]:
    machine, settings = thrown_box(0)
    return machine, {name: settings[name] for name in ("q0", "v0")}


SWITCHES = [da.Switch(at=0.4005, on="grip"), da.Switch(at=0.8, off="grip")]
THROWN = {"v0": {"ball.vx": 1.2, "ball.vy": -0.7, "ball.vz": 0.3}}
CUT = [da.Switch(at=0.1, off="one")]


def sticking_arm(**parts: Any) -> da.Machine:
    """Two links that hang and swing, with dry friction at both joints; that of the shoulder is a parameter."""
    F = da.Parameter("F", 1.2)
    return da.Machine(
        "sticking arm",
        bodies=[
            da.rod("upper", 1.0, 0.5, axis="z", com=(0, 0, -0.25)),
            da.rod("lower", 0.6, 0.4, axis="z", com=(0, 0, -0.2)),
        ],
        joints=[
            da.Joint("a", "revolute", "world", "upper", axis="y", friction=F, friction_law="stick"),
            da.Joint("b", "revolute", "upper", "lower", (0, 0, -0.5), axis="y", friction=0.3, friction_law="stick"),
        ],
        **parts,
    )


HYBRID: Mapping[str, Hybrid] = {
    "four-bar": Hybrid(four_bar, 1.0, FOUR_BAR),
    "driven": Hybrid(
        lambda: four_bar(motors=DRIVE), 1.0, {**FOUR_BAR, "control": da.PD(kp=3.0, kd=0.4, reference=[0.2])}
    ),
    "natural": Hybrid(lambda: da.equations(ball_on_cables(), by="natural"), 0.8, THROWN, 2),
    "sampled": Hybrid(
        measured_four_bar, 0.5, {**FOUR_BAR, "control": Sampled(da.PD(kp=3.0, kd=0.4, reference=[0.2]), 0.02)}
    ),
    "sampled-cable": Hybrid(
        bob, 1.5, {"q0": {"z": -1.0}, "v0": {"x_dot": 5.8}, "control": Sampled(da.PD(0.5, 0.1, [0.1]), 0.03)}, 2
    ),
    "taut": Hybrid(bob, 1.0, {"q0": {"z": -1.0}, "v0": {"x_dot": 1.0}}),
    "slack": Hybrid(bob, 1.5, {"q0": {"z": -1.0}, "v0": {"x_dot": 5.8}}, 2),
    "cut": Hybrid(bob, 1.5, {"q0": {"z": -1.0}, "v0": {"x_dot": 5.8}, "switches": CUT}, 3),
    "cables": Hybrid(ball_on_cables, 0.8, THROWN, 2),
    "ball": Hybrid(bouncing_ball, 2.0, {"q0": {"z": 1.1}}, 3),
    "box": Hybrid(lambda: box_on_ground()[0], 0.45, box_on_ground()[1], 1),
    "flap": Hybrid(flap, 1.0, {"q0": {"hinge": 0.0}, "limits": "contact"}, 2),
    "sticks": Hybrid(sticking_arm, 1.5, {"q0": {"a": 1.0, "b": -0.4}}, 4),
    "sampled-sticks": Hybrid(
        lambda: sticking_arm(motors=[da.Motor("a", "a", effort=20.0)]),
        1.5,
        {"q0": {"a": 1.0, "b": -0.4}, "control": Sampled(da.PD(8.0, 0.5, [0.3]), 0.02)},
        2,
    ),
    "rope": Hybrid(atwood, 0.5, SPUN, 1),
    "grip": Hybrid(rail, 1.0, {"v0": {"x1_dot": 3.0}, "switches": SWITCHES}, 2),
    "stepped-linkage": Hybrid(stepped_four_bar, 0.3, {**FOUR_BAR, "contact": "time-stepping"}),
    "stepped": Hybrid(bouncing_ball, 1.0, {"q0": {"z": 1.1}, "contact": "time-stepping"}),
    "stepped-box": Hybrid(
        lambda: box_on_ground()[0], 0.45, {**box_on_ground()[1], "contact": da.TimeStepping(tolerance=1e-12)}
    ),
}
