"""Random scenes that are their own mirror image about the plane y = 0: they must stay so.

``python -m tests.support.symmetric_scenes docs/results/random/symmetric-scenes.json [NUMBER]`` runs the first NUMBER
scenes (1,000) and stores the result of each. It continues where an earlier call was interrupted. Every other scene runs
event by event (one body with declared contacts) with adaptive steps; the others have colliders and are time-stepped.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from tests.support.stored import run_missing

import dalembert as da
from dalembert.core.errors import DalembertError

__all__ = ["BOUND", "judged", "scene"]

SIZE, TRANSITIONS, BOUND = 0.1, 10, 1e-9
_TILT = 1e-9
"""Angular velocity [rad/s] that is added to see how an asymmetry grows."""
_FLIPS = {"y": -1, "qx": -1, "qz": -1, "vy": -1, "wx": -1, "wz": -1}
"""Signs of coordinates and velocities in the mirror."""


def scene(number: int, tilt: float = 0.0) -> da.Experiment:
    """Return the scene with a number, always the same one; ``tilt`` is added to a velocity that breaks the symmetry."""
    rng = np.random.default_rng([2029, number])
    experiment = _with_contacts(rng, number) if number % 2 else _with_colliders(rng, number)
    if tilt:
        v = dict(experiment.start.v)
        v["c0.wx"] += tilt
        experiment = replace(experiment, start=replace(experiment.start, v=v))
    return experiment


def _state(name: str, rng: np.random.Generator, place: tuple[float, float, float], centred: bool) -> dict[str, float]:
    """Random position, rotation and velocities; of a body in the plane of the mirror only those that stay there."""
    turn = rng.normal(size=4) * (1, 0 if centred else 1, 1, 0 if centred else 1)
    turn /= np.linalg.norm(turn)
    values = dict(zip(("x", "y", "z", "qw", "qx", "qy", "qz"), (*place, *turn), strict=True))
    for part in ("vx", "vy", "vz", "wx", "wy", "wz"):
        x = float(rng.normal() * (0.5 if part[0] == "v" else 4.0))
        values[part] = 0.0 if centred and part in _FLIPS else x
    return {f"{name}.{key}": float(x) for key, x in values.items()}


def _mirrored(values: dict[str, float], name: str) -> dict[str, float]:
    parts = {key.rpartition(".")[2]: x for key, x in values.items()}
    return {f"{name}.{key}": _FLIPS.get(key, 1) * x for key, x in parts.items()}


def _experiment(machine: da.Machine, values: dict[str, float], **settings: Any) -> da.Experiment:
    start = {name: x for name, x in values.items() if name in machine.q_names}
    rates = {name: x for name, x in values.items() if name in machine.v_names}
    return da.Experiment(machine, start=da.Start(q=start, v=rates), duration=0.8, **settings)


def _with_colliders(rng: np.random.Generator, number: int) -> da.Experiment:
    """One or two bodies in the plane of the mirror, and a pair beside it."""
    bodies, values = [], dict[str, float]()
    for k in range(int(rng.integers(1, 3))):
        mass, r, box = rng.uniform(0.3, 2.0), rng.uniform(0.03, 0.06), tuple(rng.uniform(0.05, 0.12, 3))
        bodies.append(da.sphere(f"c{k}", mass, r) if rng.random() < 0.3 else da.box(f"c{k}", mass, box))
        values |= _state(f"c{k}", rng, (rng.uniform(-0.03, 0.03), 0.0, 0.12 + 0.26 * k), True)
    if rng.random() < 0.7:
        mass, box, high = rng.uniform(0.3, 2.0), tuple(rng.uniform(0.05, 0.1, 3)), rng.uniform(0.1, 0.5)
        round_ = rng.random() < 0.4
        for name in ("left", "right"):
            bodies.append(da.sphere(name, mass, box[0] / 2) if round_ else da.box(name, mass, box))
        own = _state("left", rng, (rng.uniform(-0.05, 0.05), 0.17, high), False)
        own |= {"left.vy": -abs(own["left.vy"])}
        values |= own | _mirrored(own, "right")
    joints = [da.Joint(b.name, "free", "world", b.name) for b in bodies]
    tilt = rng.uniform(-0.3, 0.3)
    law = {"friction": rng.uniform(0.0, 1.0), "restitution": rng.uniform(0.0, 0.8)}
    colliders = [
        da.Collider("things", **law),
        da.Collider("ground", surface=da.HalfSpace((tilt, 0, 1), (0, 0, -0.05)), friction=0.6, restitution=0.8),
    ]
    if bodies[-1].name == "right":  # a corner that meets its image has no normal: the two ignore each other
        colliders += [da.Collider("left", ["left"], ignores=["right"], **law), da.Collider("right", ["right"], **law)]
    machine = da.Machine(f"mirror {number}", bodies, joints, colliders=colliders)
    way = da.TimeStepping(tolerance=1e-13, max_sweeps=5000)
    return _experiment(machine, values, contact=way)


def _with_contacts(rng: np.random.Generator, number: int) -> da.Experiment:
    """A body that touches the ground with the corners of a box, or with two to six points or balls in pairs."""
    mass, friction, bounce = rng.uniform(0.3, 2.0), rng.uniform(0.0, 1.0), rng.uniform(0.0, 0.8)
    law = {"friction": friction, "restitution": bounce}
    size = tuple(rng.uniform(0.05, 0.2, 3))
    body = da.box("c0", mass, size)
    if rng.random() < 0.5:
        contacts = [da.Contact("box", "c0", da.Box(size), **law)]
    else:
        contacts = []
        for k in range(int(rng.integers(1, 4))):
            x, y, z = rng.uniform(-0.1, 0.1), rng.uniform(0.02, 0.1), rng.uniform(-0.1, 0.0)
            ball = da.Sphere(rng.uniform(0.01, 0.03)) if rng.random() < 0.5 else None
            for side, at in (("left", y), ("right", -y)):
                contacts.append(da.Contact(f"{side}{k}", "c0", ball, origin=(x, at, z), **law))
    machine = da.Machine(f"mirror {number}", [body], [da.Joint("c0", "free", "world", "c0")], contacts=contacts)
    # Steps of 1 ms amplify rounding errors across slow slips, which friction turns at rates of friction g / speed.
    method = da.DormandPrince(rtol=1e-10, atol=1e-12)
    return _experiment(machine, _state("c0", rng, (0.0, 0.0, 0.25), True), method=method)


def asymmetry(machine: da.Machine, run: da.Run) -> np.ndarray:
    """Largest difference of each row from its mirror image [m, rad, m/s; rates by the size of a body]."""
    worst = np.zeros(len(run.t))
    pairs = {"left": "right", "right": "left"}
    for name in (*machine.q_names, *machine.v_names):
        body, _, part = name.rpartition(".")
        other = run[f"{pairs.get(body, body)}.{part}"]
        scale = SIZE if part.startswith("w") else 1.0
        worst = np.maximum(worst, scale * np.abs(run[name] - _FLIPS.get(part, 1) * other))
    return worst


def judged(number: int) -> dict[str, Any]:
    """Simulate a scene: status, number of transitions, and the asymmetry up to the tenth of them.

    Where that is above 1e-9, ``growth`` is how many times as large an asymmetry of the start becomes.
    """
    try:
        result, end = _followed(number)
        if result["asymmetry"] > BOUND:
            result["growth"] = _followed(number, _TILT, end)[0]["asymmetry"] / (SIZE * _TILT)
    except DalembertError as error:
        return {"status": type(error).__name__, "message": str(error)}
    return result


def _followed(number: int, tilt: float = 0.0, end: float = np.inf) -> tuple[dict[str, Any], float]:
    """Result of a scene, and the time of its tenth transition."""
    experiment = scene(number, tilt)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # restitution that is lowered
        run = da.simulate(experiment, backend="vm")
    if number % 2:
        times = [entry["t"] for entry in run.metadata.get("transitions") or ()]
    else:
        times = list(run.t[1:][np.diff(run["contact.count"]) != 0])
    end = min(end, times[TRANSITIONS - 1] if len(times) >= TRANSITIONS else np.inf)
    worst = float(asymmetry(experiment.machine, run)[run.t <= end + 1e-12].max())
    result = {"status": run.status, "transitions": min(len(times), TRANSITIONS), "asymmetry": worst}
    if not number % 2:
        result["residual"] = float(run["contact.residual"][run.t <= end + 1e-12].max())
    return result, end


if __name__ == "__main__":
    run_missing(judged, sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
