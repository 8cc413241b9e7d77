"""Runs of all kinds, for a process with a compiler and one without: what the engine does with tapes of either sort.

As a script it hides all compilers, takes the engine from a folder and writes the runs to a file:
``python without_compiler.py FOLDER FILE``.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from dalembert.control import Sampled


def four_bar() -> da.Machine:
    """Crank, coupler and rocker, closed by a ball."""
    y = (0.0, -1.0, 0.0)
    return da.Machine(
        "four-bar",
        bodies=[
            da.rod("crank", 1.0, 0.3, axis="x", com=(0.15, 0, 0)),
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
    )


def ball() -> da.Machine:
    """A ball that is thrown along the floor, in a plane."""
    return da.Machine(
        "ball",
        bodies=[da.Body("along", 0.1), da.Body("up", 0.1), da.sphere("ball", 1.0, 0.1)],
        joints=[
            da.Joint("x", "prismatic", "world", "along", axis=(1, 0, 0)),
            da.Joint("z", "prismatic", "along", "up", axis=(0, 0, 1)),
            da.Joint("roll", "revolute", "up", "ball", axis=(0, 1, 0)),
        ],
        contacts=[da.Contact("floor", "ball", da.Sphere(0.1), restitution=0.5, friction=0.3)],
    )


def catcher() -> da.Machine:
    """Two bodies on a rail; the second can be caught by the first, in the pose in which it is then."""
    return da.Machine(
        "catcher",
        bodies=[da.Body("one", 2.0), da.Body("two", 1.0)],
        joints=[
            da.Joint("x1", "prismatic", "world", "one", axis=(1, 0, 0)),
            da.Joint("x2", "prismatic", "world", "two", axis=(1, 0, 0)),
        ],
        constraints=[da.WeldConstraint("grip", "two", "one", switchable=True, active=False)],
    )


def swing() -> da.Machine:
    """A double pendulum with a motor and a hard stop."""
    return da.Machine(
        "swing",
        bodies=[da.point_mass("a", 1.0, com=(0, 0, -0.5)), da.point_mass("b", 0.5, com=(0, 0, -0.4))],
        joints=[
            da.Joint(
                "theta1", "revolute", "world", "a", axis=(0, 1, 0), limits=da.Limits(lower=-0.8, upper=0.6, stop=True)
            ),
            da.Joint("theta2", "revolute", "a", "b", origin=da.Transform((0, 0, -0.5)), axis=(0, 1, 0)),
        ],
        motors=[da.Motor("drive", "theta1")],
    )


def atwood() -> da.Machine:
    """Two masses on a rope over a sheave that turns, on which the rope sticks or slips."""
    sheave = da.Sheave("world", 0.1, "y", joint="wheel", friction=0.25, name="sheave")
    return da.Machine(
        "atwood",
        bodies=[da.point_mass("m1", 5.0), da.point_mass("m2", 3.0), da.Body("wheel", 1.0, inertia=(0.02, 0.02, 0.02))],
        joints=[
            da.Joint("x1", "prismatic", "world", "m1", axis="-z", origin=(-0.1, 0, -0.5)),
            da.Joint("x2", "prismatic", "world", "m2", axis="-z", origin=(0.1, 0, -0.5)),
            da.Joint("wheel", "revolute", "world", "wheel", axis="y"),
        ],
        ropes=[da.Rope("rope", [da.Anchor("m1"), sheave, da.Anchor("m2")])],
    )


SPUN = {"q0": {"x1": 2.0, "x2": 2.0}, "v0": {"wheel_dot": 60.0}}
THROW = {"q0": {"z": 0.2}, "v0": {"x_dot": 1.0}}
THROWS = {"q0": {"z": [0.15, 0.2]}, "v0": {"x_dot": [1.0, 0.5]}}
CATCH = {"duration": 0.1, "step": 1e-3, "switches": [da.Switch(at=0.04, on="grip"), da.Switch(at=0.08, off="grip")]}
SENSOR = da.Sensor("ruler", ("theta1", "theta1_dot"), 0.01, noise=(0.01, 0.1))
Q0 = np.array([[0.1, 0.0], [0.5, 1.0], [-0.7, -1.5], [0.0, 0.0]])
V0 = np.array([[0.0, 0.0], [2.0, 0.0], [-1.0, 1.0], [3.0, -9.0]])
MEASURES = {
    "far": da.Measure("theta1", "max"),
    "path": da.Measure("theta2", "integral"),
    "late": da.Measure("theta2", "mean", since=0.05),
    "end": da.Measure("t"),
}


def closed(theta: float) -> list[float]:
    """Angles of the four-bar at an angle of its crank, by the triangle over the diagonal."""
    px, pz = 0.3 * np.cos(theta), 0.3 * np.sin(theta)
    e = np.hypot(0.9 - px, -pz)
    coupler = np.arctan2(-pz, 0.9 - px) + np.arccos((0.8**2 + e**2 - 0.6**2) / (2 * 0.8 * e))
    rocker = np.arctan2(pz + 0.8 * np.sin(coupler), px + 0.8 * np.cos(coupler) - 0.9)
    return [theta, coupler - theta, rocker]


def _noisy(backend: str) -> da.Run:
    law = Sampled(da.PD(20.0, 2.0, [0.3]), 0.005)
    settings = {"duration": 0.1, "step": 1e-3, "seed": 3, "sensors": [SENSOR]}
    return da.simulate(swing(), q0=Q0[0], control=law, backend=backend, **settings)


CASES: dict[str, Callable[[str], Any]] = {
    "smooth": lambda b: da.simulate(swing(), duration=0.1, step=1e-3, q0=Q0[1], backend=b),
    "adaptive method with events": lambda b: da.simulate(
        swing(),
        duration=1.0,
        method="dopri5",
        record=0.05,
        q0=Q0[1],
        backend=b,
        events=[da.Event("level", lambda t, q, v: q[0] + q[1], direction=-1)],
    ),
    "constraints": lambda b: da.simulate(four_bar(), duration=0.1, step=1e-3, q0=closed(0.7), backend=b),
    "generalized-alpha": lambda b: da.simulate(
        four_bar(), duration=0.1, step=1e-3, q0=closed(0.7), constraints="generalized-alpha", backend=b
    ),
    "contacts event by event": lambda b: da.simulate(
        ball(), duration=0.6, method="dopri5", record=0.05, backend=b, **THROW
    ),
    "rope over a sheave": lambda b: da.simulate(atwood(), duration=0.5, step=1e-2, backend=b, **SPUN),
    "rope over a sheave by time-stepping": lambda b: da.simulate(
        atwood(), duration=0.5, step=1e-2, contact="time-stepping", backend=b, **SPUN
    ),
    "time-stepping": lambda b: da.simulate(
        ball(), duration=0.4, step=4e-3, contact="time-stepping", backend=b, **THROW
    ),
    "colliders": lambda b: da.simulate(
        ball().with_(contacts=(), colliders=[da.Collider("all"), da.Collider("ground", surface=da.HalfSpace())]),
        duration=0.4,
        step=4e-3,
        contact="time-stepping",
        backend=b,
        **THROW,
    ),
    "sampled law with noise": _noisy,
    "switched constraint that measures its pose": lambda b: da.simulate(
        catcher(), v0={"x1_dot": 3.0}, backend=b, **CATCH
    ),
    "rollout with switches": lambda b: da.rollout(
        da.equations(catcher(), backend=b), v0={"x1_dot": [3.0, 1.0]}, **CATCH
    ),
    "rollout": lambda b: da.rollout(
        da.equations(swing(), backend=b), duration=0.1, step=1e-3, q0=Q0, v0=V0, measure=MEASURES, record=0.01
    ),
    "adaptive rollout": lambda b: da.rollout(
        da.equations(swing(), backend=b), duration=0.3, method="dopri5", q0=Q0, v0=V0, measure=MEASURES
    ),
    "rollout with noise": lambda b: da.rollout(
        da.equations(swing(), backend=b), duration=0.1, step=1e-3, q0=Q0, seed=5, sensors=[SENSOR], record=0.01
    ),
    "rollout under constraints": lambda b: da.rollout(
        da.equations(four_bar(), backend=b), duration=0.1, step=1e-3, q0=[closed(theta) for theta in (0.5, 0.7, 0.9)]
    ),
    "rollout with contacts event by event": lambda b: da.rollout(
        da.equations(ball(), backend=b),
        duration=0.4,
        step=1e-3,
        **THROWS,
    ),
    "rollout by time-stepping": lambda b: da.rollout(
        da.equations(ball(), backend=b),
        duration=0.4,
        step=4e-3,
        contact="time-stepping",
        **THROWS,
    ),
}
"""What is run, by name: takes the backend."""


def numbers(result: Any) -> dict[str, np.ndarray]:
    """What a run or a rollout gives, as arrays."""
    if isinstance(result, da.Run):
        return {
            "t": result.t,
            "x": result.x,
            "y": result.y,
            "held": result.held,
            "events": np.array([event.name for event in result.events], dtype=str),
            "event_t": np.array([event.t for event in result.events]),
            "status": np.array([result.status]),
        }
    events = [event for member in result.events for event in member]
    return {
        "t": result.t,
        "x": result.x,
        "y": result.signals,
        "held": np.asarray(result.held),
        "final": result.final,
        "status": result.status,
        "stopped_by": result.stopped_by,
        "stopped_at": result.stopped_at,
        "events": np.array([event.name for event in events], dtype=str),
        "event_t": np.array([event.t for event in events]),
        **{f"measure.{name}": values for name, values in result.measures.items()},
    }


def main(folder: str, file: str) -> None:
    """Run all cases without a compiler."""
    sys.modules["ziglang"] = None  # type: ignore[assignment]
    from dalembert.compile import find_toolchain
    from dalembert.engine import shipped

    shipped.FOLDER = Path(folder)
    assert find_toolchain() is None
    warnings.simplefilter("ignore", da.NoCompilerWarning)
    results = {f"{case}|{key}": value for case, run in CASES.items() for key, value in numbers(run("auto")).items()}
    np.savez(file, **results)  # type: ignore[arg-type]


if __name__ == "__main__":
    main(*sys.argv[1:])
