"""Random falls of boxes, hinged boxes and a quadruped, with what must hold of all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import dalembert as da
from dalembert.systems.legged import quadruped_stance

__all__ = ["assert_laws", "dropped_quadruped", "hinged_boxes", "two_boxes"]

_SIZE = (0.3, 0.2, 0.1)


def _machine(name: str, masses: tuple[float, ...], joints: list[da.Joint]) -> da.Machine:
    """Boxes on the ground, their friction and restitution as parameters."""
    mu, e = da.Parameter("mu", 0.4), da.Parameter("e", 0.3)
    bodies = [da.box(f"b{i}", mass, _SIZE) for i, mass in enumerate(masses)]
    contacts = [da.Contact(f"g{b.name}", b.name, da.Box(_SIZE), friction=mu, restitution=e) for b in bodies]
    return da.Machine(name, bodies, joints, contacts=contacts)


def _start(rng: np.random.Generator) -> dict[str, float]:
    """Friction and restitution."""
    return {"mu": float(rng.uniform(0.1, 1.0)), "e": float(rng.uniform(0.0, 0.7))}


def _turn(rng: np.random.Generator) -> np.ndarray:
    turn = rng.normal(size=4)
    return np.asarray(turn / np.linalg.norm(turn))


def hinged_boxes(seed: int) -> tuple[da.Machine, dict[str, Any]]:
    """Return two or three boxes that hang together, and arguments of `dalembert.simulate` with a random start."""
    rng = np.random.default_rng(seed)
    p, n = _start(rng), int(rng.integers(2, 4))
    joints = [da.Joint("j0", "free", "world", "b0")]
    joints += [da.Joint("j1", "spherical", "b0", "b1", da.Transform((0.17, 0.0, 0.0)))]
    if n == 3:
        joints += [da.Joint("j2", "revolute", "b1", "b2", da.Transform((0.17, 0.0, 0.0)), axis="y")]
    machine = _machine("hinged", (1.0,) * n, joints)
    q0 = machine.q_neutral.copy()
    q0[2], q0[3:7] = 0.9, _turn(rng)
    return machine, {"p": p, "q0": q0, "v0": 0.7 * rng.normal(size=machine.nv), "method": "dopri5", "record": 0.02}


def two_boxes(seed: int) -> tuple[da.Machine, dict[str, Any]]:
    """Return two boxes that know nothing of each other, and arguments of `dalembert.simulate` with a random start."""
    rng = np.random.default_rng(seed)
    p = _start(rng)
    machine = _machine("boxes", (1.0, 2.0), [da.Joint(f"b{i}", "free", "world", f"b{i}") for i in range(2)])
    q0 = np.concatenate([[0.0, 0.0, 0.4], _turn(rng), [3.0, 0.0, 0.5], _turn(rng)])
    v0 = np.concatenate([scale * rng.normal(size=3) for _ in range(2) for scale in (1.0, 3.0)])
    return machine, {"p": p, "q0": q0, "v0": v0, "method": "dopri5", "record": 0.02}


def dropped_quadruped(seed: int) -> tuple[dict[str, Any], dict[str, float], float]:
    """Start of a fall on four feet, flat or tilted, at rest or sliding with 1 m/s; and its friction."""
    rng = np.random.default_rng(seed)
    q0 = quadruped_stance(float(rng.uniform(0.02, 0.1)))
    turn = 0.15 * rng.normal(size=3) if seed % 3 else np.zeros(3)
    angle = float(np.linalg.norm(turn))
    axis = turn / max(angle, 1e-12) * np.sin(angle / 2)
    q0 |= {"base.qw": np.cos(angle / 2), "base.qx": axis[0], "base.qy": axis[1], "base.qz": axis[2]}
    q0["base.z"] += 0.1 if seed % 3 else 0.0
    way = rng.uniform(0.0, 2.0 * np.pi)
    v0 = {"base.vx": float(np.cos(way)), "base.vy": float(np.sin(way))} if seed % 2 else {}
    return q0, v0, (0.2, 0.4, 0.5, 0.7, 1.0)[seed % 5]


def assert_laws(run: da.Run, mu: float) -> None:
    """Forces push within their cones, nothing penetrates, energy is kept and impacts take it.

    That is so of all rows but those at which an event was located and that its transition replaces: forces are seen to
    have passed their limits there.
    """
    names = [name.removeprefix("gap.") for name in run.names if name.startswith("gap.")]
    stays = np.append(np.diff(run.t) > 0.0, True)
    ways = ("normal", "tangent1", "tangent2")
    forces = np.array([[run[f"force.{name}.{way}"][stays] for way in ways] for name in names])
    rounding = 1e-7 * (1.0 + np.abs(forces).max())
    assert forces[:, 0].min() > -rounding
    assert (np.hypot(forces[:, 1], forces[:, 2]) - mu * forces[:, 0]).max() < rounding
    assert min(run[f"gap.{name}"].min() for name in names) > -2e-10
    assert run.energy.drift < 1e-7
    assert all(change["energy_lost"] > -1e-12 for change in run.metadata["transitions"])
