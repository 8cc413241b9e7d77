"""Exact rods: their equilibria, vibrations about bent states, and accelerations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import dalembert as da
from dalembert.analysis import find_equilibrium
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive

__all__ = ["catenary_rod", "quick_rods", "slow_rods"]


def _equations(rod: da.Rod, joint: str, gravity: tuple[float, float, float], **parts: object) -> EquationsOfMotion:
    hinge = da.Joint("root", joint, "world", rod.name, axis=(0, 0, 1))
    return derive(da.Machine(rod.name, [rod], [hinge], gravity=gravity, **parts), backend="vm")  # type: ignore[arg-type]


def _planar(terms: int, *, stiffness: float = 1.0, density: float = 1.0, length: float = 1.0) -> da.Rod:
    section, strains = da.Section(1.0, 0.0, 1.0), {"bending_y": terms}
    return da.Rod("rod", length, section, stiffness, density=density, strains=strains, rotary_inertia=False)  # type: ignore[arg-type]


def _tip(eom: EquationsOfMotion, q: Array) -> Array:
    return np.asarray(eom.pose("rod.tip", q)[:3, 3])


def quick_rods() -> Iterator[tuple[str, float]]:
    """Yield accelerations, the elastica, a hanging rope and a spinning arm."""
    rod = replace(_planar(3, stiffness=0.01, density=0.1), points=16)
    eom = _equations(rod, "revolute", (0.0, -9.81, 0.0))
    a = eom.forward_dynamics([0.3, 1.0, -0.5, 0.25], [1.0, 0.5, -0.2, 0.1], np.zeros(4))
    yield from ((f"rod.a{k + 1}", float(x)) for k, x in enumerate(a))

    load = da.Wrench("load", "rod.tip", force=(0, da.Parameter("P", 1.0), 0))
    eom = _equations(_planar(12), "fixed", (0.0, 0.0, 0.0), wrenches=[load])
    for P in (1, 2, 5, 10):
        q = find_equilibrium(eom, p={"P": float(P)}).q
        pose = eom.pose("rod.tip", q)
        angle = np.arctan2(pose[1, 0], pose[0, 0])
        yield from zip((f"elastica{P}.{x}" for x in ("x", "y", "angle")), (*pose[:2, 3], angle), strict=True)

    eom = _equations(_planar(10, stiffness=1e-12, length=1.3), "revolute", (9.81, 0.0, 0.0))
    squares = find_equilibrium(eom).squares
    yield from ((f"rope.omega{k + 1}", float(np.sqrt(x))) for k, x in enumerate(squares[:4]))

    arm = da.Rod("rod", 10.0, da.Section(1.0), 2.8e7, density=1.2, strains={"axial": 4}, rotary_inertia=False)  # type: ignore[arg-type]
    eom = _equations(arm, "revolute", (0.0, 0.0, 0.0))
    spin = np.eye(5)[0] * 6.0
    delta = np.zeros(4)
    for _ in range(3):  # the force is linear in the strains
        f = [eom.bias(np.r_[0.0, delta + step], spin)[1:] for step in np.vstack([np.zeros(4), np.eye(4)])]
        delta = delta - np.linalg.solve((np.array(f[1:]) - f[0]).T, f[0])
    yield "arm.stretch", float(_tip(eom, np.r_[0.0, delta])[0] - 10.0)


def slow_rods() -> Iterator[tuple[str, float]]:
    """Yield vibrations about bent states, the 45-degree bend and a catenary."""
    for g in (10, 5):
        eom = _equations(_planar(12), "fixed", (0.0, -float(g), 0.0))
        rest = find_equilibrium(eom)
        yield from zip((f"bent{g}.x", f"bent{g}.y"), _tip(eom, rest.q)[:2], strict=True)
        yield from ((f"bent{g}.omega{k + 1}", float(np.sqrt(x))) for k, x in enumerate(rest.squares[:3]))

    strains = {"bending": 8, "torsion": 8, "axial": 4, "shear": 5}
    bend = da.Rod(
        "rod", 25 * np.pi, da.Section(1.0, 1 / 12, 1 / 12), 1e7, 5e6, 1.0, strains=strains,  # type: ignore[arg-type]
        curvature=(0.0, 0.0, -0.01), shear_factor=1.0, points=14,
    )  # fmt: skip
    load = da.Wrench("load", "rod.tip", force=(0, 0, da.Parameter("P", 300.0)))
    eom = _equations(bend, "fixed", (0.0, 0.0, 0.0), wrenches=[load])
    for P in (300, 600):
        tip = _tip(eom, find_equilibrium(eom, p={"P": float(P)}).q)
        yield from zip((f"bend{P}.{x}" for x in "xyz"), tip, strict=True)

    eom, guess = catenary_rod(1.0, 0.6, 1.66, terms=8)
    rest = find_equilibrium(eom, guess)
    yield "catenary.sag", float(-eom.pose("rod.middle", rest.q)[1, 3])
    yield "catenary.a", float(np.abs(rest.point.multipliers[0]) / 9.81)


def catenary_rod(
    length: float, span: float, half_angle: float, *, terms: int, stiffness: float = 1e-10
) -> tuple[EquationsOfMotion, dict[str, float]]:
    """Return a rope of four pieces between two nails at one height, and an arc of a circle as a guess."""
    rod = da.Rod(
        "rod", length, da.Section(1.0, 0.0, 1.0), stiffness, density=1.0, strains={"bending_y": terms}, pieces=4,  # type: ignore[arg-type]
        rotary_inertia=False, stations={"middle": length / 2},  # type: ignore[arg-type]
    )  # fmt: skip
    nail = da.Frame("nail", "world", da.Transform((span, 0, 0)))
    pin = da.BallConstraint("pin", "rod.tip", "nail")
    eom = _equations(rod, "revolute", (0.0, -9.81, 0.0), frames=[nail], constraints=[pin])
    return eom, {"root": -half_angle} | {names[0]: half_angle / 2 for _, _, names in rod.series()}
