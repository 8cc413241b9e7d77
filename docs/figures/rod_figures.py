"""Figure of the page on rods: rods at rest, a path of equilibria, and how fast their series converge."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ellipk, ellipkinc

import dalembert as da
from dalembert.analysis import equilibrium_path, find_equilibrium
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.studies.flexible_bodies.rods import catenary_rod
from dalembert.view.scene_builder import build_scene

HERE = Path(__file__).parent


def _line(eom: EquationsOfMotion, q: Array) -> Array:
    """Points of the axis, as pictures of the machine have them."""
    scene = build_scene(eom.machine, backend="vm")
    return np.asarray(scene.bake(q[None, :]).points[0][list(scene.beams[0].points)])


def rods() -> None:
    """A strip over the edge of a shelf, a rope between nails, an arch that snaps, and the error of the elastica."""
    figure, (left, middle, snap, right) = plt.subplots(1, 4, figsize=(14, 3.6))
    for length in (0.2, 0.35, 0.5, 0.65):
        section = da.Section.rectangle(0.02, 0.001)
        rod = da.Rod("rod", length, section, E=2e9, density=1200.0, strains={"bending_z": 8})
        machine = da.Machine("shelf", [rod], [da.Joint("wall", "fixed", "world", "rod")])
        eom = da.equations(machine, backend="vm")
        line = _line(eom, find_equilibrium(eom).q)
        left.plot(line[:, 0], line[:, 2])
        left.annotate(f"{length:g} m", line[-1, [0, 2]], textcoords="offset points", xytext=(5, -3), fontsize=8)
    left.set(aspect="equal", xlabel="x [m]", ylabel="z [m]", title="strips of plastic, 1 mm thick")
    left.set(xlim=(-0.02, 0.52))
    for E, label in ((1e-10, "rope"), (0.1, "EI = 0.1 N m$^2$"), (1.0, "EI = 1 N m$^2$")):
        eom, guess = catenary_rod(1.0, 0.6, 1.66, terms=6, stiffness=E)
        q = find_equilibrium(eom, guess).q
        line = _line(eom, q)
        middle.plot(line[:, 0], line[:, 1], label=label)
    middle.plot([0, 0.6], [0, 0], "k.", markersize=8)
    middle.set(aspect="equal", xlabel="x [m]", title="1 kg/m between nails")
    middle.legend(fontsize=8)
    _snap(snap)
    load = da.Wrench("load", "rod.tip", force=(0, da.Parameter("P", 1.0), 0))
    terms = list(range(2, 13))
    errors: dict[float, list[float]] = {1.0: [], 5.0: [], 10.0: []}
    for n in terms:
        section, strains = da.Section(1.0, 0.0, 1.0), {"bending_y": n}
        rod = da.Rod("rod", 1.0, section, E=1.0, density=1.0, strains=strains, rotary_inertia=False)
        joints = [da.Joint("wall", "fixed", "world", "rod")]
        eom = da.equations(da.Machine("m", [rod], joints, gravity=(0, 0, 0), wrenches=[load]), backend="vm")
        for P, found in errors.items():
            pose = eom.pose("rod.tip", find_equilibrium(eom, p={"P": P}).q)
            angle = np.arctan2(pose[1, 0], pose[0, 0])
            found.append(abs(_length(float(angle)) / np.sqrt(P) - 1.0))
    for P, found in errors.items():
        right.semilogy(terms, np.maximum(found, 1e-15), "o-", markersize=3, label=f"$PL^2/EI$ = {P:g}")
    right.set(xlabel="terms of the series", title="error of the elastica")
    right.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(HERE / "rods.png", dpi=110)


def _snap(axes: plt.Axes) -> None:
    """Load over the way of the crown of half an arch."""
    section, strains = da.Section(2000.0, 0.0, 1.0), {"bending_y": 4, "axial": 1}
    half = da.Rod(
        "half", 0.5, section, E=1.0, density=5e-4, strains=strains, curvature=(0, 0, -0.8), rotary_inertia=False
    )
    x, y, _ = half.section_pose("tip")[1]
    joints = [
        da.Joint("guide", "prismatic", "world", "crown", axis=(0, 1, 0)),
        da.Joint("seam", "fixed", "crown", "half"),
    ]
    bridge = da.Machine(
        "bridge", [da.Body("crown", 0.1), half], joints, gravity=(0, 0, 0),
        frames=[da.Frame("abutment", "world", da.Transform((float(x), float(y), 0)))],
        constraints=[da.BallConstraint("hinge", "half.tip", "abutment", "xy")],
        wrenches=[da.Wrench("load", "crown", force=(0, -da.Parameter("P", 0.0), 0))],
    )  # fmt: skip
    path = equilibrium_path(bridge, "P", (0.0, 10.0))
    down = -path.q[:, 0]
    axes.plot(down, path.loads, "--", color="tab:red", label="unstable")
    axes.plot(down, np.where(path.stable, path.loads, np.nan), color="tab:blue", label="stable")
    axes.plot([-c.q[0] for c in path.turning], [c.load for c in path.turning], "k.", markersize=8, label="turning")
    axes.set(xlabel="way of the crown [m]", ylabel="load [N]", title="arch that is pushed through")
    axes.legend(fontsize=8)


def _length(angle: float) -> float:
    """``sqrt(P L^2 / EI)`` of an elastica whose tip has turned by an angle: elliptic integrals."""
    m = (1 + np.sin(angle)) / 2
    return float(ellipk(m) - ellipkinc(np.arcsin(1 / np.sqrt(2 * m)), m))


if __name__ == "__main__":
    rods()
