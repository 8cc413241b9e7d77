"""Make the pictures of the page on colliders: ``python docs/figures/collider_figures.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle, Polygon
from style import BLUE, GREY, RED, SAND, use_style

import dalembert as da
from dalembert.systems.scenes import brick_wall, domino_row
from dalembert.view import draw_machine

FOLDER = Path(__file__).resolve().parent

use_style(figure_dpi=150)


def draw(axes: plt.Axes, run: da.Run, row: int, colour: str) -> None:
    """Draw boxes and spheres seen along y."""
    for body in run.machine.bodies:
        solid = body.geometry[0].solid
        x, z, w, turn = (float(run[f"{body.name}.{name}"][row]) for name in ("x", "z", "qw", "qy"))
        if isinstance(solid, da.Sphere):
            axes.add_patch(Circle((x, z), solid.radius, facecolor=RED, edgecolor="white", lw=0.5))
            continue
        angle, (a, _, c) = 2 * np.arctan2(turn, w), solid.size
        corners = np.array([(-a, -c), (a, -c), (a, c), (-a, c)]) / 2
        R = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        axes.add_patch(Polygon(corners @ R.T + (x, z), facecolor=colour, edgecolor="white", lw=0.5))
    axes.axhline(0.0, color=GREY, lw=1)
    axes.set_aspect("equal")
    axes.axis("off")


def main() -> None:
    """A wall that stands, the wall after a ball has hit it, and dominoes."""
    wall = brick_wall(8, 6)
    standing = da.simulate(wall, duration=0.5, step=1e-3, record=0.5)
    machine, start = wall.machine, dict(wall.start.q)
    machine = machine.with_(
        bodies=(*machine.bodies, da.sphere("ball", 20.0, 0.1)),
        joints=(*machine.joints, da.Joint("ball", "free", "world", "ball")),
    )
    start |= {"ball.x": -0.5, "ball.z": 0.36}
    hit = da.simulate(
        machine, duration=0.35, q0=start, v0={"ball.vx": 8.0}, step=5e-4, record=0.05,
        contact=da.TimeStepping(tolerance=1e-5, max_sweeps=100),
    )  # fmt: skip
    row = da.simulate(domino_row(24), duration=0.7, step=1e-3, record=0.05)
    figure, axes = plt.subplots(1, 3, figsize=(9.4, 2.4), gridspec_kw={"width_ratios": [1.2, 2.0, 2.2]})
    for ax, (run, colour, limits) in zip(
        axes,
        ((standing, BLUE, (-0.15, 1.2, 0.75)), (hit, BLUE, (-0.3, 2.2, 1.0)), (row, SAND, (-0.05, 1.05, 0.14))),
        strict=True,
    ):
        draw(ax, run, -1, colour)
        ax.set(xlim=limits[:2], ylim=(-0.02, limits[2]))
    figure.tight_layout()
    figure.savefig(FOLDER / "colliders.png", dpi=130)
    terrain()


def terrain() -> None:
    """Three solids on hills."""
    x = np.linspace(-2.0, 2.0, 25)
    rough = 0.08 * np.random.default_rng(5).random((25, 25))
    heights = 0.25 * np.sin(1.6 * x)[:, None] * np.cos(1.3 * x) + rough - 0.15 * x[:, None]
    bodies = [
        da.Body("hills", geometry=da.Geometry(da.HeightField(heights, (4.0, 4.0)), colour="#9b8b6b")),
        da.sphere("ball", 2.0, 0.18),
        da.box("crate", 2.0, (0.4, 0.3, 0.25)),
        da.Body("cone", 1.0, inertia=np.diag([0.02, 0.02, 0.02]), geometry=da.Cone(0.2, 0.4)),
    ]
    joints = [da.Joint(b.name, "free" if b.mass else "fixed", "world", b.name) for b in bodies]
    machine = da.Machine("hills", bodies, joints, colliders=[da.Collider("all", friction=0.6, restitution=0.1)])
    places = {"ball": (-1.2, -0.6, 1.0), "crate": (-0.9, 0.6, 1.0), "cone": (-0.2, 0.0, 1.0)}
    start = {f"{name}.{axis}": v for name, place in places.items() for axis, v in zip("xyz", place, strict=True)}
    run = da.simulate(machine, duration=0.8, q0=start, contact="time-stepping", step=1e-3, record=0.1)
    draw_machine(machine, run.x[-1, : len(machine.q_names)]).savefig(FOLDER / "terrain.png", dpi=130)


if __name__ == "__main__":
    main()
