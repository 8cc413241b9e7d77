"""Make the pictures of the core pages: ``python docs/figures/core_figures.py [NAME ...]``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from numpy.typing import NDArray

import dalembert as da
from dalembert.systems import load_system

FOLDER = Path(__file__).resolve().parent
# Colour-blind safe (P. Tol, "bright").
BLUE, RED, GREEN, PURPLE, SAND, GREY = "#4477aa", "#ee6677", "#228833", "#aa3377", "#ccbb44", "#888888"
Array = NDArray[np.float64]

plt.rcParams.update(
    {
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.alpha": 0.25,
        "grid.linewidth": 0.5,
        "axes.titlesize": 9,
        "axes.titlelocation": "left",
        "legend.frameon": False,
        "legend.fontsize": 8,
        "svg.hashsalt": "dalembert",
    }
)


def save(figure: Any, name: str, dpi: int = 110) -> None:
    path = FOLDER / f"{name}.png"
    figure.savefig(path, dpi=dpi, metadata={"Software": None})
    plt.close(figure)
    print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB")


def cuboid(low: Sequence[float], high: Sequence[float], pose: Array) -> list[Array]:
    """Faces of a box given by two corners in a frame, in world coordinates."""
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    corners = corners @ pose[:3, :3].T + pose[:3, 3]
    sides = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
    return [corners[list(side)] for side in sides]


def shaded(colour: str, faces: list[Array], alpha: float) -> list[Any]:
    """The colour of each face under a lamp, mixed with white instead of made transparent."""
    base = np.array(matplotlib.colors.to_rgb(colour))
    lamp = np.array([0.4, -0.5, 0.77])
    made = []
    for face in faces:
        normal = np.cross(face[1] - face[0], face[2] - face[0])
        light = 0.62 + 0.38 * abs(normal @ lamp) / np.linalg.norm(normal)
        made.append(alpha * base * light + (1 - alpha))
    return made


def readme() -> None:
    """The floating robot of the README: poses, and what its energy audit says."""
    robot = load_system("floating-two-link")
    eom = da.equations(robot)
    reach = da.Quintic([0.0, 0.0], [2.2, -1.3], duration=5.0)
    law = da.PD(kp=60, kd=30, reference=reach)
    run = da.simulate(robot, duration=6.0, v0={"base.vy": 0.8}, control=law, method="dopri5")
    q = run.array(robot.q_names)
    v = run.array(robot.v_names)

    figure = plt.figure(figsize=(10.6, 4.3))
    space = figure.add_axes((-0.046, -0.54, 0.80, 1.94), projection="3d", computed_zorder=False)
    space.set_axis_off()
    space.set_proj_type("ortho")
    times = np.linspace(0.0, run.t[-1], 6)
    for k, t in enumerate(times):
        row = int(np.argmin(np.abs(run.t - t)))
        alpha = 0.30 + 0.70 * (k / (len(times) - 1)) ** 1.6
        poses = {name: eom.pose(name, q[row]) for name in ("base", "link1", "link2")}
        half = np.array([0.3, 0.25, 0.2])
        parts = [(SAND, cuboid(-half, half, poses["base"]))]
        parts += [(c, cuboid((0, -0.05, -0.05), (1, 0.05, 0.05), poses[n])) for n, c in (("link1", BLUE), ("link2", RED))]
        faces = [f for _, part in parts for f in part]
        colours = [c for colour, part in parts for c in shaded(colour, part, alpha)]
        edge = np.full(3, 1.0) * (1 - 0.75 * alpha)
        space.add_collection3d(Poly3DCollection(faces, facecolors=colours, edgecolors=edge, linewidths=0.5, zorder=k))
    com = eom.center_of_mass(q)
    space.plot(*com.T, color="0.35", linewidth=1.0, linestyle=(0, (4, 3)), zorder=20)
    dots = com[[int(np.argmin(np.abs(run.t - t))) for t in times]]
    space.plot(*dots.T, "o", color="0.2", markersize=3.5, zorder=21)
    tip = eom.pose("tip", q)[:, :3, 3]
    space.plot(*tip.T, color=RED, linewidth=1.0, zorder=19, alpha=0.8)
    space.set_xlim(-0.6, 2.4)
    space.set_ylim(-0.3, 5.3)
    space.set_zlim(-1.5, 1.5)
    space.set_box_aspect((3.0, 5.6, 3.0), zoom=1.04)
    space.view_init(elev=28, azim=-16)
    for k in (0, -1):
        space.text(*(dots[k] + np.array([0.0, -0.12, 0.62])), f"t = {times[k]:g} s", ha="center", color="0.3", zorder=30)

    right = figure.add_gridspec(3, 1, left=0.735, right=0.985, top=0.93, bottom=0.105, hspace=0.62)
    axes = right.subplots(sharex=True)
    turn = 2 * np.degrees(np.arctan2(np.linalg.norm(q[:, 4:7], axis=1), q[:, 3]))
    lines = (("joint 1", np.degrees(run["q1"]), BLUE), ("base", turn, SAND), ("joint 2", np.degrees(run["q2"]), RED))
    for label, angle, colour in lines:
        axes[0].plot(run.t, angle, color=colour)
        axes[0].text(5.95, angle[-1] + (8 if label != "base" else -32), label, color=colour, ha="right", fontsize=8)
    axes[0].set_ylim(-90, 165)
    axes[0].set_title("the arm moves, the base turns [deg]")
    energy = run.energy
    axes[1].plot(run.t, energy.total - energy.total[0], color=GREEN, linewidth=3, alpha=0.4, label="energy gained")
    axes[1].plot(run.t, energy.work_input, color="0.15", linewidth=1, linestyle="--", label="work of the motors")
    axes[1].set_title("energy [J]")
    axes[1].text(0.1, 0.27, "energy\ngained", va="center", color=GREEN, fontsize=8)
    axes[1].text(5.95, 0.27, "work of\nthe motors", color="0.15", ha="right", va="center", fontsize=8)
    momentum = eom.momentum(q, v)
    change = np.linalg.norm(momentum - momentum[0], axis=1) / np.linalg.norm(momentum[0])
    axes[2].semilogy(run.t[1:], np.maximum(np.abs(energy.audit[1:]), 1e-17), color=GREEN, linewidth=1, label="energy balance")
    axes[2].semilogy(run.t[1:], np.maximum(change[1:], 1e-17), color=PURPLE, linewidth=1, label="momentum")
    axes[2].set_ylim(1e-17, 1e-6)
    axes[2].set_yticks([1e-16, 1e-12, 1e-8])
    axes[2].set_title("what does not add up, relative")
    axes[2].text(5.95, 4e-11, "energy", color=GREEN, ha="right", fontsize=8)
    axes[2].text(5.95, 1e-14, "momentum", color=PURPLE, ha="right", fontsize=8)
    axes[2].set_xlabel("time [s]")
    axes[2].margins(x=0)
    save(figure, "floating_robot", dpi=120)


FIGURES: dict[str, Callable[[], None]] = {"floating_robot": readme}


def main(names: Sequence[str]) -> None:
    for name in names or FIGURES:
        FIGURES[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
