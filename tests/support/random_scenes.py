"""Random scenes with colliders: bodies of all shapes, some of them hinged, fall on the ground and a table.

``python -m tests.support.random_scenes docs/results/random/collider-scenes.json [NUMBER]`` runs the first NUMBER scenes
(10,000) and stores the result of each. It continues where an earlier call was interrupted.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from tests.support.stored import run_missing

import dalembert as da
from dalembert.core.errors import DalembertError

__all__ = ["JOINTED", "judged", "scene"]

STEP, DURATION, SIZE = 1e-3, 0.6, 0.12
JOINTED = 10
"""Every so many scenes one has hinges."""


def _body(name: str, rng: np.random.Generator) -> da.Body:
    """A body whose shape is inside a ball of radius ``SIZE``, with the inertia of that shape or a similar one."""
    mass, r, h = rng.uniform(0.2, 3.0), rng.uniform(0.03, 0.07), rng.uniform(0.04, 0.12)
    match int(rng.integers(4)):
        case 0:
            return da.sphere(name, mass, r)
        case 1:
            return da.box(name, mass, tuple(rng.uniform(0.04, 0.12, 3)))
        case 2:
            return da.cylinder(name, mass, r, h, axis="z")
    across, along = mass * (3 * r**2 + (h + r) ** 2) / 12, mass * r**2 / 2
    return da.Body(name, mass, inertia=(across, across, along), geometry=da.Capsule(0.6 * r, h))


def scene(number: int) -> da.Experiment:
    """Return the scene with a number, always the same one."""
    rng = np.random.default_rng([29, number])
    n, hinged = int(rng.integers(2, 9)), number % JOINTED == JOINTED - 1
    n = 3 if hinged else n
    bodies, joints, q, v = [], [], {}, {}
    for k in range(n):
        name = f"b{k}"
        bodies.append(_body(name, rng))
        if hinged and k == n - 1:
            place = da.Transform((SIZE, 0.0, 0.0))
            joints.append(da.Joint("hinge", "revolute", "b0", name, axis=(0, 1, 0), origin=place, damping=0.01))
            continue
        joints.append(da.Joint(name, "free", "world", name))
        turn, place = rng.normal(size=4), np.array([k % 2, k // 2 % 2, k // 4]) * 2.4 * SIZE
        for axis, x in zip(("qw", "qx", "qy", "qz"), turn / np.linalg.norm(turn), strict=True):
            q[f"{name}.{axis}"] = float(x)
        for axis, x, up in zip("xyz", place + rng.uniform(-0.02, 0.02, 3), (-0.15, -0.15, 0.35), strict=True):
            q[f"{name}.{axis}"] = float(x + up)
        for part in ("vx", "vy", "vz", "wx", "wy", "wz"):
            v[f"{name}.{part}"] = float(rng.normal() * (1.0 if part[0] == "v" else 4.0))
    bodies.append(da.Body("table", geometry=da.Box((0.5, 0.5, 0.05))))
    joints.append(da.Joint("table", "fixed", "world", "table", origin=da.Transform.about("y", rng.uniform(-0.4, 0.4))))
    rolls = {"rolling": rng.uniform(0.0, 0.004), "spinning": rng.uniform(0.0, 0.004)} if number % 3 == 0 else {}
    things = da.Collider("things", friction=rng.uniform(0.0, 1.2), restitution=rng.uniform(0.0, 0.95), **rolls)
    ground = da.HalfSpace(point=(0.0, 0.0, -0.1))
    colliders = [things, da.Collider("ground", surface=ground, friction=rng.uniform(0.0, 1.2), restitution=0.95)]
    machine = da.Machine(f"scene {number}", bodies, joints, colliders=colliders)
    return da.Experiment(machine, start=da.Start(q=q, v=v), contact="time-stepping", duration=DURATION)


def judged(number: int) -> dict[str, Any]:
    """Simulate a scene: status or error, gain of energy by contacts by the kinetic one, depth by speed and step."""
    experiment = scene(number)
    keywords = {"backend": "vm"} if number % JOINTED == JOINTED - 1 else {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # restitution that is lowered
            run = da.simulate(experiment, **keywords)
    except DalembertError as error:
        return {"status": type(error).__name__, "message": str(error)}
    machine = experiment.machine
    speed = np.abs(run.x[:, machine.nq : machine.nq + machine.nv]).max(axis=1)
    weight = 9.81 * sum(float(body.mass) for body in machine.bodies)
    depth = -run["contact.deepest"][1:]
    # A displacement that closes gaps lifts at most all bodies: by the depth in the middle of the step, and by the
    # change of gaps in it of second order.
    lift = 2.0 * depth + STEP**2 * (9.81 + SIZE * speed[1:] ** 2)
    gain = np.diff(run["work.loss"]) - weight * lift
    return {
        "status": run.status,
        "gain": float(gain.max() / run["energy.kinetic"].max()),
        "depth": float(np.max(depth / (STEP * np.maximum(speed[:-1], 0.1)))),
        "residual": float(run["contact.residual"].max()),
        "contacts": int(run["contact.count"].max()),
    }


if __name__ == "__main__":
    run_missing(judged, sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000)
