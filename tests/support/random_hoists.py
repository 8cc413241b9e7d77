"""Random machines with a rope: loads, blocks, trolleys and winches on sheaves of every law, some of which turn.

``python -m tests.support.random_hoists FILE [NUMBER]`` runs the first NUMBER machines
(3,000) and stores the result of each. It continues where an earlier call was interrupted, and prints a summary.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from tests.support.stored import run_missing

import dalembert as da
from dalembert.core.errors import DalembertError

__all__ = ["hoist", "holds", "judged", "summary"]

DURATION = 0.5
SPACING, TOP, BLOCK = 0.8, 6.0, 3.0


def hoist(number: int) -> da.Experiment:
    """Return the machine with a number, always the same one, with its start.

    The rope leads from a load over sheaves at the top, with sheaves on blocks that hang between them, to another load,
    to a fixed point or to a winch.
    """
    rng = np.random.default_rng([28, number])
    bodies: list[da.Body] = []
    joints: list[da.Joint] = []
    tops = int(rng.integers(1, 4))
    _load("left", -SPACING / 2, rng, bodies, joints)
    path: list[Any] = [da.Anchor("left")]
    for k in range(tops):
        x = k * SPACING * 2
        path.append(_sheave(f"T{k}", "-y", x, TOP, _top(k, x, rng, bodies, joints), rng, bodies, joints))
        if k < tops - 1:
            path.append(
                _sheave(f"B{k}", "y", x + SPACING, BLOCK, _block(k, x, rng, bodies, joints), rng, bodies, joints)
            )
    x = (tops - 1) * SPACING * 2 + SPACING / 2
    end = rng.random()
    drive = []
    if end < 0.5 or tops == 1:
        _load("right", x, rng, bodies, joints)
        path.append(da.Anchor("right"))
    elif end < 0.7:
        path.append(da.Anchor("world", (x, 0.0, 0.5)))
    else:
        bodies.append(da.Body("winch", 1.0, inertia=(0.5, 0.5, 0.5)))
        joints.append(da.Joint("winch", "revolute", "world", "winch", axis="y", origin=(x, 0, 1.0), damping=20.0))
        path.append(da.Drum("winch", 0.15, axis="y"))
        if rng.random() < 0.5:
            speed = float(rng.uniform(-4.0, 4.0))
            drive.append(da.MotionConstraint("drive", joint="winch", value=speed * da.TIME))
    machine = da.Machine(f"hoist {number}", bodies, joints, constraints=drive, ropes=[da.Rope("r", path)])
    speeds = {f"{joint.name}_dot": float(rng.normal() * 3.0) for joint in joints if joint.name.startswith("spin")}
    if drive:
        speeds["winch_dot"] = speed
    return da.Experiment(machine, start=da.Start(v=speeds), duration=DURATION)


def _load(name: str, x: float, rng: np.random.Generator, bodies: list[da.Body], joints: list[da.Joint]) -> None:
    """A mass that hangs at an end, in a guide or free to swing."""
    place = (x, 0.0, 2.0 + float(rng.uniform(-0.5, 0.5)))
    parent = "world"
    if rng.random() < 0.3:
        bodies.append(da.Body(f"{name}_slide"))
        joints.append(da.Joint(f"{name}_x", "prismatic", "world", f"{name}_slide", axis="x", origin=place))
        parent, place = f"{name}_slide", (0.0, 0.0, 0.0)
    bodies.append(da.point_mass(name, float(10 ** rng.uniform(-0.5, 2.0))))
    joints.append(da.Joint(f"{name}_z", "prismatic", parent, name, axis="z", origin=place))


def _top(k: int, x: float, rng: np.random.Generator, bodies: list[da.Body], joints: list[da.Joint]) -> str:
    """What carries a sheave at the top: the world, or a trolley on a spring."""
    if rng.random() < 0.7:
        return "world"
    bodies.append(da.point_mass(f"trolley{k}", float(10 ** rng.uniform(0.0, 1.5))))
    stiffness, axis = float(10 ** rng.uniform(3.0, 4.5)), "x" if rng.random() < 0.6 else "z"
    joints.append(
        da.Joint(
            f"trolley{k}",
            "prismatic",
            "world",
            f"trolley{k}",
            axis=axis,
            origin=(x, 0, TOP),
            stiffness=stiffness,
            damping=50.0,
        )
    )
    return f"trolley{k}"


def _block(k: int, x: float, rng: np.random.Generator, bodies: list[da.Body], joints: list[da.Joint]) -> str:
    """A block between two sheaves at the top, in a guide or free in the plane."""
    parent, place = "world", (x + SPACING, 0.0, BLOCK)
    if rng.random() < 0.5:
        bodies.append(da.Body(f"block{k}_slide"))
        joints.append(da.Joint(f"block{k}_x", "prismatic", "world", f"block{k}_slide", axis="x", origin=place))
        parent, place = f"block{k}_slide", (0.0, 0.0, 0.0)
    bodies.append(da.point_mass(f"block{k}", float(10 ** rng.uniform(0.0, 2.3))))
    joints.append(da.Joint(f"block{k}_z", "prismatic", parent, f"block{k}", axis="z", origin=place))
    return f"block{k}"


def _sheave(
    name: str,
    axis: str,
    x: float,
    z: float,
    on: str,
    rng: np.random.Generator,
    bodies: list[da.Body],
    joints: list[da.Joint],
) -> Any:
    """A sheave with a law: friction, a loss, both, none, or a wheel that turns."""
    radius, place = float(rng.uniform(0.1, 0.35)), (x, 0.0, z) if on == "world" else (0.0, 0.0, 0.0)
    loss = da.SheaveLoss(
        bearing=float(rng.uniform(0.02, 0.3)),
        pin=radius * float(rng.uniform(0.05, 0.4)),
        bending=float(rng.uniform(0, 0.05)),
    )
    friction = float(rng.uniform(0.02, 0.6))
    kind = rng.random()
    if kind < 0.25:
        inertia = float(10 ** rng.uniform(-3.0, 0.0))
        bodies.append(da.Body(f"wheel{name}", 0.5, inertia=(inertia,) * 3))
        joints.append(da.Joint(f"spin{name}", "revolute", on, f"wheel{name}", axis="y", origin=place))
        return da.Sheave(on, radius, axis, at=place, joint=f"spin{name}", friction=friction, name=name)
    laws: dict[str, Any] = {"loss": loss} if kind < 0.5 else {"friction": friction} if kind < 0.75 else {}
    if kind > 0.92:
        laws = {"loss": loss, "friction": friction}
    return da.Sheave(on, radius, axis, at=place, name=name, **laws)


def kappa(sheave: Any, wrap: np.ndarray) -> np.ndarray:
    """Largest ``|ln(T2/T1)|`` of a sheave, from its data and the recorded angle of wrap, in closed form."""
    laws = []
    if float(sheave.friction) > 0.0:
        laws.append(float(sheave.friction) * wrap)
    if sheave.loss is not None:
        c = float(sheave.loss.bearing) * float(sheave.loss.pin) / float(sheave.radius)
        half = (1.0 - c**2 * np.cos(wrap)) / (1.0 - c**2)  # k^2 - 2 half k + 1 = 0
        laws.append(np.log((half + np.sqrt(half**2 - 1.0)) * (1.0 + float(sheave.loss.bending))))
    if not laws:
        return np.zeros_like(wrap)
    return np.asarray(np.min(laws, axis=0))


def judged(number: int) -> dict[str, Any]:
    """Simulate a machine: status or error, violations of the law, and the energy that is lost or gained unexplained.

    Every third machine is integrated by time-stepping. There the law holds for the impulses of a step, with the wraps
    at its middle, here the mean of those at its ends, and energy is kept to the order of the step.
    """
    experiment = hoist(number)
    stepping = number % 3 == 2
    options: dict[str, Any] = {"method": da.DormandPrince(rtol=1e-9, atol=1e-11), "record": 5e-3}
    if stepping:
        options = {"contact": "time-stepping", "step": 1e-3}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = da.simulate(experiment, backend="vm", **options)
    except DalembertError as error:
        return {"status": type(error).__name__, "message": str(error)}
    rope = experiment.machine.ropes[0]
    sheaves = [e for e in rope.path if isinstance(e, da.Sheave)]
    rows = slice(1 if stepping else 0, None)  # time-stepping has no tensions before its first step
    T = np.array([run[f"tension.r[{k}]"] for k in range(len(rope.path) - 1)])[:, rows]
    size = np.maximum(T.max(axis=0), 1e-6 * max(T.max(), 1.0))  # where a rope goes slack, tensions are rounding
    beyond = wrong_way = 0.0
    slips = 0
    for k, sheave in enumerate(sheaves):
        limit = kappa(sheave, np.maximum(run[f"wrap.r.{sheave.name}"], 0.0))
        E = np.exp(0.5 * (limit[1:] + limit[:-1]) if stepping else limit)
        up, down = (T[k + 1] - E * T[k]) / size, (T[k] - E * T[k + 1]) / size
        beyond = max(beyond, float(np.max(up)), float(np.max(down)))
        if f"slip.r.{sheave.name}" in run.names:
            slip = run[f"slip.r.{sheave.name}"][rows]
            fast = np.abs(slip) > (1e-4 if stepping else 1e-6)  # time-stepping holds a sheave in the mean of a step
            if stepping:  # not in the step in which a slip begins or turns round
                fast &= (np.roll(slip, 1) * slip > 0.0) & (np.arange(len(slip)) > 0)
            slips += int(fast.any())
            at_limit = np.where(slip > 0.0, up, down)[fast]
            wrong_way = max(wrong_way, float(np.max(np.abs(at_limit), initial=0.0)))
    return {
        "status": run.status,
        "stepping": stepping,
        "push": float(np.max(-T / size)),
        "beyond": beyond,
        "wrong_way": wrong_way,
        "drift": float(run.energy.drift),
        "slips": slips,
        "slack": int((T.max(axis=0) < 1e-9).any()),
        "events": sorted({event.name.rpartition(".")[2] for event in run.events}),
        "length": float(run.t[-1] / DURATION),
    }


def holds(result: dict[str, Any]) -> bool:
    """Whether the law holds in every row of a run, or the run ends with an error that names a jam.

    In time-stepping the law holds for wraps in the middle of a step, which are the means of those at its ends to the
    second order of their change.
    """
    if result["status"] == "SimulationError":
        return "jams" in result["message"]
    if result["status"] not in {"completed", "stopped"}:
        return False
    if result["stepping"]:
        return bool(result["push"] <= 1e-9 and result["beyond"] <= 1e-3)
    return max(result["push"], result["beyond"], result["wrong_way"]) <= 1e-9 and bool(result["drift"] <= 1e-7)


def summary(results: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Counts and largest violations of many results, and those that do not hold by number."""
    kept = {k: r for k, r in results.items() if holds(r)}
    runs = [r for r in kept.values() if "message" not in r]
    located, stepped = ([r for r in runs if r["stepping"] is by_steps] for by_steps in (False, True))
    return {
        "machines": len(results),
        "completed": sum(r["status"] == "completed" for r in runs),
        "stopped at an event": sum(r["status"] == "stopped" for r in runs),
        "named jams": {k: r["message"] for k, r in kept.items() if "message" in r},
        "largest violation event by event": max(max(r["push"], r["beyond"], r["wrong_way"]) for r in located),
        "largest drift event by event": max(r["drift"] for r in located),
        "largest violation in steps": max(max(r["push"], r["beyond"]) for r in stepped),
        "others": {k: r for k, r in results.items() if k not in kept},
    }


if __name__ == "__main__":
    run_missing(judged, sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3000)
    print(json.dumps(summary(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))), indent=1))
