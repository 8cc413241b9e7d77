"""Make the pictures of the core pages: ``python docs/figures/core_figures.py [NAME ...]``."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from numpy.typing import NDArray
from style import BLUE, GREEN, GREY, PURPLE, RED, SAND, use_style

import dalembert as da
from dalembert.systems import load_system

FOLDER = Path(__file__).resolve().parent
TIGHT = {"shrinkA": 0, "shrinkB": 0}
Array = NDArray[np.float64]

use_style(grid_linewidth=0.5, svg_hashsalt="dalembert")


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


def landing() -> None:
    """The crane of the landing page: its code runs, and its run is drawn."""
    page = (FOLDER.parent / "index.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "page"}
    code = re.search(r"^```python\n(.*?)^```", page, re.M | re.S)
    assert code is not None
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code[1], "index.md", "exec"), names)
    run = names["run"]

    figure = plt.figure(figsize=(10.6, 3.6))
    left = figure.add_axes((0.0, 0.0, 0.57, 1.0))
    left.set_axis_off()
    left.set_aspect("equal")
    left.plot([-1.0, 6.4], [0.16, 0.16], color="0.45", linewidth=2.5, solid_capstyle="butt")
    load_x = run["x"] + 6.0 * np.sin(run["sway"])
    load_z = -6.0 * np.cos(run["sway"])
    left.plot(load_x, load_z, color=RED, linewidth=1.0, alpha=0.8)
    times = (0.0, 2.6, 3.7, 4.8, 6.5, 16.0)
    for k, t in enumerate(times):
        row = int(np.argmin(np.abs(run.t - t)))
        alpha = 1.0 if k == len(times) - 1 else 0.22 + 0.09 * k
        x = run["x"][row]
        left.plot([x, load_x[row]], [0.0, load_z[row]], color="0.2", linewidth=1.1, alpha=alpha)
        left.add_patch(plt.Rectangle((x - 0.4, -0.1), 0.8, 0.2, color=BLUE, alpha=alpha, linewidth=0))
        left.add_patch(plt.Circle((load_x[row], load_z[row]), 0.22, color=RED, alpha=alpha, linewidth=0))
        if k in (0, len(times) - 1):
            left.text(x, 0.45, f"t = {t:g} s", ha="center", color="0.3")
    left.set_xlim(-1.0, 6.4)
    left.set_ylim(-6.5, 1.0)

    axes = figure.add_gridspec(3, 1, left=0.63, right=0.985, top=0.93, bottom=0.125, hspace=0.62).subplots(sharex=True)
    axes[0].plot(run.t, run["x"], color=BLUE)
    axes[0].set_title("trolley [m]")
    axes[1].plot(run.t, np.degrees(run["sway"]), color=RED)
    axes[1].set_title("sway [deg]")
    energy = run.energy
    axes[2].plot(run.t, energy.total - energy.total[0], color=GREEN, linewidth=3, alpha=0.4)
    axes[2].plot(run.t, energy.work_input, color="0.15", linewidth=1, linestyle="--")
    axes[2].set_title("energy gained (green), work of the drive (dashed) [J]")
    axes[2].set_xlabel("time [s]")
    axes[2].margins(x=0)
    save(figure, "landing", dpi=120)


def floating_robot() -> None:
    """The floating robot: poses, and what its energy audit says."""
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
        for link, colour in (("link1", BLUE), ("link2", RED)):
            parts.append((colour, cuboid((0, -0.05, -0.05), (1, 0.05, 0.05), poses[link])))
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
        above = dots[k] + np.array([0.0, -0.12, 0.62])
        space.text(*above, f"t = {times[k]:g} s", ha="center", color="0.3", zorder=30)

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
    axes[1].plot(run.t, energy.total - energy.total[0], color=GREEN, linewidth=3, alpha=0.4)
    axes[1].plot(run.t, energy.work_input, color="0.15", linewidth=1, linestyle="--")
    axes[1].set_title("energy [J]")
    axes[1].text(0.1, 0.27, "energy\ngained", va="center", color=GREEN, fontsize=8)
    axes[1].text(5.95, 0.27, "work of\nthe motors", color="0.15", ha="right", va="center", fontsize=8)
    momentum = eom.momentum(q, v)
    change = np.linalg.norm(momentum - momentum[0], axis=1) / np.linalg.norm(momentum[0])
    for gap, colour in ((np.abs(energy.audit), GREEN), (change, PURPLE)):
        axes[2].semilogy(run.t[1:], np.maximum(gap[1:], 1e-17), color=colour, linewidth=1)
    axes[2].set_ylim(1e-17, 1e-6)
    axes[2].set_yticks([1e-16, 1e-12, 1e-8])
    axes[2].set_title("what does not add up, relative")
    axes[2].text(5.95, 4e-11, "energy", color=GREEN, ha="right", fontsize=8)
    axes[2].text(5.95, 1e-14, "momentum", color=PURPLE, ha="right", fontsize=8)
    axes[2].set_xlabel("time [s]")
    axes[2].margins(x=0)
    save(figure, "floating_robot", dpi=120)


def machine_parts() -> None:
    """The cart with a pendulum of the page on machines, with the names of its parts."""
    figure = plt.figure(figsize=(7.4, 3.5))
    sheet = figure.add_axes((0, 0, 1, 1))
    sheet.set_axis_off()
    sheet.set_aspect("equal")
    sheet.set_xlim(-1.30, 1.55)
    sheet.set_ylim(-0.92, 0.43)
    angle, length = -0.55, 0.72
    tip = np.array([-length * np.sin(angle), -length * np.cos(angle)])

    def arrow(start: Any, end: Any, colour: str, width: float = 1.6) -> None:
        style = {"arrowstyle": "-|>", "color": colour, "linewidth": width, "mutation_scale": 11} | TIGHT
        sheet.annotate("", end, start, arrowprops=style)

    def axes_at(origin: Any, turn: float, size: float, name: str, place: Any) -> None:
        ex = np.array([np.cos(turn), np.sin(turn)])
        arrow(origin, origin + size * ex, RED, 1.3)
        arrow(origin, origin + size * np.array([-ex[1], ex[0]]), BLUE, 1.3)
        sheet.text(*(np.array(origin) + place), name, color="0.25", ha="center", va="center")

    def note(text: str, at: Any, place: Any, colour: str) -> None:
        style = {"arrowstyle": "-", "color": colour, "linewidth": 0.7, "shrinkA": 2, "shrinkB": 2}
        sheet.annotate(text, at, place, color=colour, arrowprops=style, ha="center", va="center", linespacing=1.35)

    sheet.plot([-0.62, 0.95], [-0.115, -0.115], color="0.55", linewidth=2.5, solid_capstyle="butt")
    for x in (-0.62, 0.95):
        sheet.plot([x, x], [-0.16, -0.03], color="0.4", linewidth=2.5)
    sheet.add_patch(plt.Rectangle((-0.2, -0.1), 0.4, 0.2, facecolor="#e9e2ae", edgecolor="0.25", linewidth=1.2))
    sheet.plot([0, tip[0]], [0, tip[1]], color="#9db6d3", linewidth=9, solid_capstyle="round", zorder=2)
    sheet.plot([0, tip[0]], [0, tip[1]], color="0.25", linewidth=0.6, linestyle=(0, (5, 4)), zorder=3)
    sheet.plot(*(tip / 2), marker="o", color="0.15", markersize=5, zorder=4)
    sheet.plot(0, 0, marker="o", markersize=9, markerfacecolor="white", markeredgecolor="0.15", zorder=5)
    axes_at((-0.95, 0.0), 0.0, 0.17, "world", (0.0, -0.09))
    axes_at(tip, -angle, 0.17, "", (0, 0))
    arrow((-1.05, -0.32), (-1.05, -0.58), GREEN, 1.8)
    sheet.text(-1.0, -0.45, "gravity", color=GREEN, va="center")
    arrow((0.2, 0.0), (0.46, 0.0), PURPLE, 2.2)
    arrow(tip - np.array([0.34, 0.0]), tip - np.array([0.03, 0.0]), PURPLE, 2.2)
    arc = np.linspace(-np.pi / 2, -np.pi / 2 - angle, 30)
    sheet.plot(0.45 * np.cos(arc), 0.45 * np.sin(arc), color="0.3", linewidth=0.9)
    sheet.plot([0, 0], [-0.08, -0.6], color="0.3", linewidth=0.6, linestyle=":")
    sheet.text(0.13, -0.52, r"$\theta$", color="0.2", ha="center")
    arrow((-0.95, 0.23), (0.0, 0.23), "0.3", 1.0)
    sheet.plot([0, 0], [0.1, 0.28], color="0.3", linewidth=0.6, linestyle=":")
    sheet.plot([-0.95, -0.95], [0.0, 0.28], color="0.3", linewidth=0.6, linestyle=":")
    sheet.text(-0.48, 0.27, "$x$", color="0.2", ha="center")
    note("body  cart\nbox, prismatic joint x on the rail", (0.16, 0.1), (0.62, 0.3), "#8a7a1d")
    note("motor  drive\npushes along x", (0.44, 0.0), (1.2, 0.08), PURPLE)
    note("joint  theta\nrevolute about -y", (-0.03, -0.03), (-0.45, -0.32), "0.2")
    middle = tip / 2 + np.array([0.02, 0.01])
    note("body  bar\nrod of mass m, length l,\ncentre of mass at -l/2", middle, (0.95, -0.27), BLUE)
    note("frame  tip", tip + np.array([0.05, -0.01]), (0.88, -0.74), "0.2")
    note("wrench  wind\nat the tip, world axes", tip - np.array([0.22, 0.0]), (-0.32, -0.72), PURPLE)
    save(figure, "machine_parts")


def two_link_arm(payload: float = 0.5) -> da.Machine:
    """The arm of the pages on equations and control."""
    return da.Machine(
        "arm",
        bodies=[
            da.rod("upper", mass=2.0, length=0.5, com=(0.25, 0, 0)),
            da.rod("lower", mass=1.0, length=0.4, com=(0.20, 0, 0)),
            da.point_mass("load", da.Parameter("payload", payload)),
        ],
        joints=[
            da.Joint("q1", "revolute", "world", "upper", axis=(0, -1, 0), damping=0.2),
            da.Joint("q2", "revolute", "upper", "lower", da.Transform((0.5, 0, 0)), axis=(0, -1, 0), damping=0.1),
            da.Joint("grip", "fixed", "lower", "load", da.Transform((0.4, 0, 0))),
        ],
        motors=[da.Motor("u1", "q1", effort=40.0), da.Motor("u2", "q2", effort=15.0)],
    )


def gravity_map() -> None:
    """Torque of gravity over all configurations of the arm, in one call."""
    eom = da.equations(two_link_arm())
    side = np.linspace(-np.pi, np.pi, 200)
    grid = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1)
    torque = eom.gravity(grid, p={"payload": np.array([0.0, 2.0])[:, None, None]})[..., 0]
    figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.3), layout="constrained", sharey=True)
    levels = np.linspace(-30, 30, 13)
    for panel, values, payload in zip(axes, torque, (0, 2), strict=True):
        shown = panel.contourf(side, side, values.T, levels, cmap="RdBu_r", extend="both")
        panel.contour(side, side, values.T, levels, colors="k", linewidths=0.3)
        panel.set_title(f"payload {payload} kg")
        panel.set_xlabel("shoulder [rad]")
        panel.set_aspect("equal")
        panel.grid(False)
    axes[0].set_ylabel("elbow [rad]")
    figure.colorbar(shown, ax=axes, label="torque of gravity at the shoulder [N m]", shrink=0.95)
    save(figure, "gravity_map", dpi=100)


def simulation() -> None:
    """Cost and accuracy of the methods; events."""
    pendulum = load_system("double-pendulum")
    start = {"q_1": 1.5, "q_2": 0.5}
    figure, (cost, bounces) = plt.subplots(1, 2, figsize=(8.6, 3.2), layout="constrained")
    fixed = {"euler": GREY, "heun": SAND, "rk4": BLUE}
    adaptive = {"bs32": PURPLE, "dopri5": RED, "cvodes": GREEN}
    for method, colour in (fixed | adaptive).items():
        settings: list[dict[str, float]] = [{"step": h} for h in np.geomspace(2e-2, 2e-4, 9)]
        if method in adaptive:
            settings = [{"rtol": r, "atol": r / 100} for r in np.geomspace(1e-4, 1e-12, 9)]
        runs = [da.simulate(pendulum, duration=5.0, q0=start, method=method, **one) for one in settings]
        calls = [run.metadata["function_calls"] for run in runs]
        cost.loglog(calls, [run.energy.drift for run in runs], "o-", color=colour, markersize=3, label=method)
    cost.set_xlabel("evaluations of the equations, 5 s of a double pendulum")
    cost.set_title("energy drift")
    cost.legend(ncols=2, loc="lower left", fontsize=7.5)

    ball = da.Machine(
        "ball", bodies=[da.sphere("ball", 1.0, 0.1)], joints=[da.Joint("z", "prismatic", "world", "ball")]
    )
    floor = da.Event("floor", lambda t, q, v: q[0] - 0.1, direction=-1)

    def bounce(t: float, x: Array, names: Sequence[str]) -> Array:
        return np.array([x[0], -0.8 * x[1], *x[2:]])

    run = da.simulate(ball, duration=3.0, q0={"z": 1.0}, events=[floor], on_event=bounce, record=0.005)
    bounces.plot(run.t, run["z"], color=BLUE, label="height of the ball [m]")
    times = [event.t for event in run.events]
    bounces.plot(times, 0.1 + 0.0 * np.array(times), "o", color=RED, markersize=4, label="located impacts")
    bounces.plot(run.t, 0.1 * run.energy.total, color=GREEN, linewidth=1, label="energy [10 J]")
    bounces.set_ylim(0, 1.05)
    bounces.set_xlabel("time [s]")
    bounces.set_title("an event with a transition")
    bounces.legend(loc="upper right", fontsize=7.5)
    save(figure, "simulation")


def control() -> None:
    """Tracking errors of the laws, and anti-windup."""
    arm = two_link_arm()
    start, end = [-1.4, 0.3], [0.6, 1.2]
    move = da.Quintic(start, end, duration=1.0)
    laws: dict[str, tuple[Any, str]] = {
        "PD": (da.PD(120.0, 15.0, move), GREY),
        "PID": (da.PID(120.0, 200.0, 15.0, move), SAND),
        "PD with gravity": (da.PD(120.0, 15.0, move, gravity=True), BLUE),
        "computed torque": (da.ComputedTorque(100.0, 20.0, move), RED),
    }
    figure, (errors, windup) = plt.subplots(1, 2, figsize=(8.6, 3.2), layout="constrained")
    for name, (law, colour) in laws.items():
        run = da.simulate(arm, duration=2.5, q0=start, control=law)
        s = np.clip(run.t, 0, 1)
        blend = s**3 * (10 - 15 * s + 6 * s**2)
        reference = np.array(start) + np.outer(blend, np.array(end) - np.array(start))
        gap = np.linalg.norm(run.array(["q1", "q2"]) - reference, axis=1)
        errors.semilogy(run.t, np.maximum(gap, 1e-16), color=colour, label=name, linewidth=1.2)
    errors.set_ylim(1e-13, 1)
    errors.set_xlabel("time [s]")
    errors.set_title("tracking error of a move of 1 s [rad]")
    errors.legend(loc="lower left", bbox_to_anchor=(0.02, 0.30), fontsize=7.5)

    wheel = da.Machine(
        "wheel",
        bodies=[da.cylinder("wheel", 10.0, 0.3, 0.05, axis="z")],
        joints=[da.Joint("angle", "revolute", "world", "wheel", damping=0.05)],
        motors=[da.Motor("drive", "angle", effort=1.0)],
    )
    for tracking, colour, label in ((None, GREY, "without anti-windup"), (0.3, RED, "tracking_time = 0.3 s")):
        law = da.PID(4.0, 3.0, 2.5, [2.0], tracking_time=tracking)
        run = da.simulate(wheel, duration=12.0, control=law)
        windup.plot(run.t, run["angle"], color=colour, label=label)
        windup.plot(run.t, run["u.drive"], color=colour, linewidth=0.8, linestyle=":")
    windup.axhline(2.0, color="k", linewidth=0.5)
    windup.set_xlabel("time [s]")
    windup.set_title("PID at its effort limit: angle [rad], dotted: effort [N m]")
    windup.legend(loc="lower right", fontsize=7.5)
    windup.margins(x=0)
    save(figure, "control")


def gantry() -> None:
    """The run that the machine file of the documentation describes."""
    page = (FOLDER.parent / "machine_files.md").read_text(encoding="utf-8")
    machine, settings = da.load_simulation(re.findall(r"^```yaml\n(.*?)^```", page, re.M | re.S)[0])
    run = da.simulate(machine, **settings)
    hook = da.equations(machine).pose("hook", run.array(machine.q_names))[:, 1, 3]
    figure, (places, efforts) = plt.subplots(1, 2, figsize=(8.6, 2.9), layout="constrained")
    places.plot(run.t, run["x"], color=BLUE, label="bridge x")
    places.plot(run.t, run["y"], color=GREEN, label="trolley y")
    places.plot(run.t, hook, color=RED, linewidth=1, label="hook, along y")
    places.set_title("positions [m]")
    efforts.plot(run.t, run["u.bridge_drive"] * 30, color=BLUE, label="bridge drive, at the joint")
    efforts.plot(run.t, run["u.y"], color=GREEN, label="trolley")
    efforts.set_title("forces of the motors [N]")
    for panel in (places, efforts):
        panel.set_xlabel("time [s]")
        panel.legend(loc="lower right", fontsize=7.5)
        panel.margins(x=0)
    save(figure, "gantry")


def quick_start() -> None:
    """The free arm of the quick start."""
    arm = two_link_arm()
    arm = arm.with_(joints=[dataclasses.replace(joint, damping=0.0) for joint in arm.joints])
    run = da.simulate(arm, duration=10.0, q0={"q1": 0.3, "q2": 0.4}, method="dopri5")
    first = da.simulate(arm, duration=1.15, q0={"q1": 0.3, "q2": 0.4}, method="dopri5", record=0.005)
    eom = da.equations(arm)
    q = first.array(["q1", "q2"])
    elbow, load = (eom.pose(name, q)[:, :3, 3][:, [0, 2]] for name in ("lower", "load"))
    figure = plt.figure(figsize=(8.8, 3.4), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.0, 1.35))
    poses = figure.add_subplot(grid[:, 0])
    rows = range(0, len(first.t), 10)
    for k in rows:
        alpha = 0.15 + 0.85 * k / rows[-1]
        for ends, colour in ((np.array([[0, 0], elbow[k]]), BLUE), (np.array([elbow[k], load[k]]), RED)):
            shade = alpha * np.array(matplotlib.colors.to_rgb(colour)) + 1 - alpha
            poses.plot(*ends.T, color=shade, linewidth=3, solid_capstyle="round", zorder=k)
    poses.plot(*load.T, color="0.3", linewidth=0.7, zorder=500)
    poses.plot(*load[-1], "o", color="0.2", markersize=7, zorder=501)
    poses.plot(0, 0, "o", markersize=7, markerfacecolor="white", markeredgecolor="0.2", zorder=502)
    poses.set_aspect("equal")
    poses.set_title(f"the first {first.t[-1]:g} s, every 50 ms [m]")
    angles = figure.add_subplot(grid[0, 1])
    angles.plot(run.t, run["q1"], color=BLUE, label="q1")
    angles.plot(run.t, run["q2"], color=RED, label="q2")
    angles.set_title("angles [rad]")
    angles.tick_params(labelbottom=False)
    energies = figure.add_subplot(grid[1, 1], sharex=angles)
    energies.plot(run.t, run.energy.kinetic, color=PURPLE, linewidth=1, label="kinetic")
    energies.plot(run.t, run.energy.potential, color=GREEN, linewidth=1, label="potential")
    energies.plot(run.t, run.energy.total, color="0.2", linewidth=1.5, label="total")
    energies.set_title(f"energy [J], drift {run.energy.drift:.0e}")
    energies.set_xlabel("time [s]")
    for panel in (angles, energies):
        panel.margins(x=0)
        panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=7.5)
    save(figure, "quick_start")


def learning() -> None:
    """Torques of the PR robot, learnt trial by trial."""
    from dalembert.studies.textbook.learning import PERIOD, learnt, missing, nominal_torques

    result, gaps, u = learnt(), missing(), nominal_torques()
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.0), layout="constrained")
    trials = np.arange(1, len(result.errors) + 1)
    left.semilogy(trials, result.errors[:, 0], "o-", color=BLUE, ms=3, lw=1, label="error of q1 [m]")
    left.semilogy(trials, result.errors[:, 1], "o-", color=GREEN, ms=3, lw=1, label="error of q2 [rad]")
    left.semilogy(trials, gaps[:-1].max(axis=1), "s-", color=RED, ms=3, lw=1, label="missing torque, relative")
    left.set(title="largest in each trial", xlabel="trial")
    left.legend()
    times = result.times + PERIOD / 2
    for k, alpha in ((1, 0.3), (3, 0.5), (8, 0.8)):
        right.plot(times, result.history[k][:, 1], color=RED, alpha=alpha, lw=1, label=f"trial {k + 1}")
    right.plot(times, result.torques[:, 1], color=RED, lw=2.2, label="after 40 trials")
    right.plot(times, u[:, 1], color="black", ls="--", lw=1, label="inverse dynamics")
    right.set(title="torque of joint 2 [N m]", xlabel="t [s]")
    right.legend()
    save(figure, "learning")


def experiments() -> None:
    """The crane of the page of experiments: one run, three loads, and a campaign."""
    page = (FOLDER.parent / "experiments.md").read_text(encoding="utf-8")
    text = page.split('da.load_experiment("""')[1].split('""")')[0]
    crane = da.load_experiment(text)
    run, sizes = da.simulate(crane), [100.0, 800.0, 2000.0]
    loads = da.rollout(crane, vary={"load": sizes})
    sway = {"sway": da.Measure("swing", "max abs")}
    table = da.campaign(crane, vary={"load": (100.0, 2000.0)}, n=200, measure=sway).table
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.0, 2.9), layout="constrained", width_ratios=(1.6, 1.0))
    left.plot(run.t, run["x"], color="black", lw=1.2, label="trolley [m], single run")
    left.axhline(crane.machine.joint("x").limits.upper, color=GREY, lw=0.8, ls=":")
    for name, marker in (("arrived", "o"), ("x.upper", "v")):
        times = [event.t for event in run.events if event.name == name]
        left.plot(times, np.interp(times, run.t, run["x"]), marker, color=RED, ms=5, label=f"event '{name}'")
    for k, (size, colour) in enumerate(zip(sizes, (GREEN, BLUE, PURPLE), strict=True)):
        swing = np.degrees(loads["swing"][k]) / 10.0
        left.plot(loads.t, swing, color=colour, lw=1, label=f"swing [10 degrees], {size:g} kg")
    left.set(title="one experiment: a single run and a rollout over the load", xlabel="t [s]")
    left.legend(ncols=2, fontsize=7, loc="lower right")
    left.set_ylim(-5.2, 4.6)
    right.plot(table["load"], np.degrees(table["sway"]), ".", color=BLUE, ms=4)
    right.set(title="its campaign: largest swing [degrees]", xlabel="load [kg]")
    save(figure, "experiments")


FIGURES: dict[str, Callable[[], None]] = {
    "experiments": experiments,
    "landing": landing,
    "floating_robot": floating_robot,
    "quick_start": quick_start,
    "machine_parts": machine_parts,
    "gravity_map": gravity_map,
    "simulation": simulation,
    "control": control,
    "gantry": gantry,
    "learning": learning,
}


def main(names: Sequence[str]) -> None:
    for name in names or FIGURES:
        FIGURES[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
