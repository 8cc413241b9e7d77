"""Make the pictures of the pages on cranes and animation: ``python docs/figures/crane_figures.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from style import BLUE, GREEN, GREY, PURPLE, RED, SAND, use_style

import dalembert as da
from dalembert.plan.shaping import SCurve, ei, excitation, zv, zvd
from dalembert.studies.crane.cables import ritz_errors
from dalembert.studies.crane.robustness import compare_robustness
from dalembert.studies.crane.simplified import simplified_errors
from dalembert.studies.crane.transport import TASK, Performance, compare_transport, ei_excitation, laws, transport_crane
from dalembert.studies.crane.winch import winch_run
from dalembert.systems.cranes import (
    cable_sway_omega,
    multi_cable_crane,
    planar_crane,
    sway_omega,
    uniform_cable,
)
from dalembert.view import animate, bake_run, build_scene

FOLDER = Path(__file__).resolve().parent

use_style(grid_linewidth=0.5)


def save(figure: plt.Figure, name: str) -> None:
    path = FOLDER / f"{name}.png"
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
    print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB")


def signed_sway(performance: Performance, plant: da.Machine) -> np.ndarray:
    """Angle of the line from trolley to payload, positive ahead of the trolley [degrees]."""
    eom = da.equations(plant)
    q = performance.run.array(plant.q_names)
    line = eom.pose("payload", q)[:, :3, 3] - eom.pose("trolley", q)[:, :3, 3]
    return np.degrees(np.arctan2(line[:, 0], -line[:, 2]))


def transport() -> None:
    plant = transport_crane(10)
    colours = {"PFL, S-curve": GREY, "PFL, ZV-shaped S-curve": BLUE, "LQR of one link": GREEN, "energy, set point": RED}
    chosen = {name: law for name, law in laws(plant).items() if name in colours}
    performances = compare_transport(plant, chosen)
    figure, axes = plt.subplots(3, 1, figsize=(7.6, 8.0), layout="constrained", height_ratios=[1.5, 1.2, 1.0])
    shown = next(p for p in performances if p.law == "LQR of one link")
    times = np.array([0.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0])
    scene = build_scene(plant)
    points = bake_run(scene, shown.run, times).points
    chain = [scene.index(name) for name in ("trolley", *(f"node{i}" for i in range(1, 11)))]
    for k, t in enumerate(times):
        x, z = points[k, chain, 0], points[k, chain, 2]
        axes[0].plot(x, z, color=GREEN, alpha=0.35 + 0.09 * k, linewidth=1.2)
        axes[0].plot(x[0], z[0], "s", color="#444444", markersize=6)
        axes[0].plot(x[-1], z[-1], "o", color=PURPLE, markersize=8)
        axes[0].annotate(f"{t:.0f} s", (x[0], z[0]), (0, 7), textcoords="offset points", ha="center", fontsize=7)
    axes[0].axhline(0.0, color="#444444", linewidth=0.8, zorder=0)
    axes[0].set(
        title="ten links carry 500 kg over 5 m in 8 s (regulator of one link)", ylabel="z [m]", ylim=(-5.4, 0.8)
    )
    axes[0].set_xlabel("x [m]")
    for p in performances:
        axes[1].plot(p.run.t, signed_sway(p, plant), color=colours[p.law], linewidth=1.3, label=p.law)
        axes[2].plot(p.run.t, p.run["u.F"] / 1e3, color=colours[p.law], linewidth=1.3)
    for panel in axes[1:]:
        panel.axvline(TASK.time, color="#999999", linewidth=0.8, linestyle=":")
        panel.margins(x=0.0)
    axes[1].set(title="sway: without control of it (grey) and with", ylabel="sway [degrees]", ylim=(-11.5, 13.5))
    axes[1].legend(loc="upper right", ncols=2)
    axes[2].set(title="force on the trolley", ylabel="F [kN]", xlabel="time [s]", ylim=(-1.3, 1.3))
    axes[2].annotate("2.1 kN at the start", (0.45, 1.1), fontsize=7, color=RED)
    save(figure, "crane_transport")


def shapers() -> None:
    """Residual sway of four shapers on cranes of other lengths: linear theory, and ten links simulated."""
    nominal = transport_crane(10)
    w = float(sway_omega(nominal)[0])
    admitted = float(np.radians(TASK.sway) / ei_excitation(nominal))
    cases = {
        "PFL, ZV-shaped S-curve": ("ZV", zv(w), BLUE),
        "PFL, ZVD-shaped S-curve": ("ZVD", zvd(w), GREEN),
        "PFL, EI-shaped S-curve (5 %)": ("EI, 5 % admitted", ei(w), RED),
        "PFL, EI-shaped S-curve (0.25°)": ("EI, 0.25° admitted", ei(w, tolerance=admitted), PURPLE),
    }
    ratios = np.linspace(0.7, 1.3, 121)
    some = (0.75, 0.9, 1.0, 1.1, 1.25)
    found = compare_robustness(10, {str(r): {"length": 5.0 * r} for r in some}, names=cases)
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    for name, (label, shaper, colour) in cases.items():
        curve = shaper(SCurve.timed([0.0], [TASK.distance], TASK.time - shaper.duration))
        # Payload and frequency of one link: w^2 ~ 1/length, and the sway is w |int r'' exp(-i w t) dt|/g
        frequency = w / np.sqrt(ratios)
        theory = np.degrees(frequency * excitation(curve, frequency, TASK.time) / 9.81)
        axes.plot(100 * (ratios - 1), theory, color=colour, linewidth=1.3, label=label)
        simulated = [found[name][str(r)].residual_sway for r in some]
        axes.plot([100 * (r - 1) for r in some], simulated, "o", color=colour, markersize=4)
    axes.axhline(0.5, color="#999999", linewidth=0.8, linestyle=":")
    axes.annotate("required", (-29.5, 0.56), fontsize=7, color="#777777")
    axes.set(xlabel="error of the length [%]", ylabel="residual sway [degrees]", ylim=(0.0, 3.5))
    axes.set_title("what four shapers leave of 5 m in 8 s")
    axes.margins(x=0.0)
    axes.legend(loc="upper center", ncols=2)
    save(figure, "crane_shapers")


def convergence() -> None:
    length, mass = 5.0, 4.0
    counts = np.array([5, 10, 20, 40, 80])
    figure, axes = plt.subplots(figsize=(5.2, 3.2), layout="constrained")
    cases = (
        (0.0, "trapezoid", BLUE, "no payload, half of a link at each end"),
        (100.0, "trapezoid", GREEN, "payload 25 times the cable"),
        (0.0, "nodes", RED, "no payload, all of a link at its lower end"),
    )
    for payload, lumping, colour, label in cases:
        exact = cable_sway_omega(1, length=length, mass=mass, payload=payload)[0]
        cables = [uniform_cable(int(n), length, payload=payload, mass=mass, lumping=lumping) for n in counts]
        errors = [abs(sway_omega(planar_crane(cable))[0] / exact - 1) for cable in cables]
        axes.loglog(counts, errors, "o-", color=colour, label=label)
    axes.set(xlabel="links", ylabel="relative error", title="first frequency against the continuous cable (Bessel)")
    axes.set_xticks(counts, [str(n) for n in counts])
    axes.set_xticks([], minor=True)
    axes.legend(loc="lower left")
    save(figure, "crane_frequencies")


def swing() -> None:
    crane = planar_crane(uniform_cable(12, 5.0, payload=8.0, mass=6.0, bending_damping=0.01), trolley=15.0)
    run = da.simulate(crane, duration=4.0, q0={"theta1": 1.2}, step=1e-3, record=0.02)
    path = animate(run, FOLDER / "crane_swing.gif", fps=12, trace=["payload"], size=(4.2, 3.4), dpi=70)
    print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB")


def cables() -> None:
    """A box on two cables: swaying in the plane without a tilt, turning in space as a bifilar pendulum."""
    plane, start = multi_cable_crane(2, length=5.0), 0.5
    q0 = {"load.x": 5.0 * np.sin(start), "load.y": 5.0 * (1 - np.cos(start))}
    run = da.simulate(plane, duration=3.0, q0=q0, method="dopri5", record=0.05)
    figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.4), layout="constrained", width_ratios=[1.2, 1.0])
    corner = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1], [-1, 1]]) * [1.0, 0.25]
    for t, alpha in ((0.0, 1.0), (0.6, 0.7), (1.0, 0.45)):
        k = int(np.argmin(np.abs(run.t - t)))
        x, a = run["x"][k], run["load.angle"][k]
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        box = corner @ turn.T + [x + run["load.x"][k], -5.25 + run["load.y"][k]]
        axes[0].fill(*box.T, color=SAND, alpha=alpha, edgecolor="#444444")
        for end, side in ((0, -1.0), (1, 1.0)):
            axes[0].plot([x + side, box[end, 0]], [0.0, box[end, 1]], color=BLUE, linewidth=1.0, alpha=alpha)
        axes[0].plot([x - 1.0, x + 1.0], [0.0, 0.0], color="#444444", linewidth=4.0, alpha=alpha)
        axes[0].annotate(f"{t:.1f} s", (x, 0.0), (0, 7), textcoords="offset points", ha="center", fontsize=7)
    axes[0].set(title="two cables and the box are a parallelogram", xlabel="x [m]", ylabel="z [m]", ylim=(-5.8, 0.7))
    axes[0].set_aspect("equal")
    space = multi_cable_crane(2, spatial=True, length=5.0)
    run = da.simulate(space, duration=12.0, v0={"load.wz": 0.2}, method="dopri5", record=0.05)
    yaw = np.degrees(2 * np.arctan2(run["load.qz"], run["load.qw"]))
    w = 1.0 / np.sqrt(5.0 / 12) * np.sqrt(9.81 / 5.0)
    axes[1].plot(run.t, np.degrees(0.2 / w * np.sin(w * run.t)), color=GREY, linewidth=3.0, alpha=0.5)
    axes[1].plot(run.t, yaw, color=RED, linewidth=1.2)
    axes[1].set(title=r"turning: $(b/k)\sqrt{g/l}$ (grey) and simulated", xlabel="time [s]", ylabel="yaw [degrees]")
    axes[1].margins(x=0.0)
    save(figure, "crane_cables")


def winch() -> None:
    """Sway damped by the winch alone."""
    figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.2), layout="constrained")
    for links, colour in ((1, BLUE), (3, GREEN), (10, RED)):
        run, energy = winch_run(links)
        axes[0].semilogy(run.t, energy / energy[0], color=colour, linewidth=1.3, label=f"N = {links}")
        if links == 3:
            shown = run.t <= 14.0
            axes[1].plot(run.t[shown], np.degrees(run["theta1"][shown]), color=GREY, linewidth=1.2)
            right = axes[1].twinx()
            right.plot(run.t[shown], run["l1"][shown], color=GREEN, linewidth=1.3)
            right.set_ylabel("length of the first link [m]", color=GREEN)
            right.grid(False)
    best = np.exp(-2 * 0.75 * 0.02 * np.sqrt(9.81 / 5.0) * run.t)
    axes[0].semilogy(run.t, best, color=GREY, linestyle=":", label="3/4 eps w")
    axes[0].set(title="energy of the sway never grows", xlabel="time [s]", ylabel="energy over its start")
    axes[1].set(title="N = 3: the winch works twice per period", xlabel="time [s]", ylabel="first angle [degrees]")
    axes[0].legend()
    for panel in axes:
        panel.margins(x=0.0)
    save(figure, "crane_winch")


def models() -> None:
    """Rayleigh-Ritz against lumped masses, and simplified models against the full one."""
    figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.2), layout="constrained")
    n = np.arange(1, 11)
    smooth, lumped = ritz_errors(4.0)
    sines, _ = ritz_errors(4.0, "sine")
    for errors, colour, label in (
        (lumped, GREY, "lumped masses"),
        (sines, RED, "sines"),
        (smooth, BLUE, "polynomials"),
    ):
        for k, style in enumerate(("o-", "s--", "^:")):
            axes[0].semilogy(n, np.maximum(errors[:, k], 1e-15), style, color=colour, markersize=3, linewidth=1.0)
        axes[0].plot([], [], color=colour, label=label)
    axes[0].set(title="error of frequencies 1, 2 (squares), 3", xlabel="functions or masses")
    axes[0].set_ylabel("relative error")
    axes[0].legend(loc="lower left")
    for angles, colour in (("first", BLUE), ("zeroth", RED)):
        for sway, style in ((0.04, "-"), (0.02, "--"), (0.01, ":")):
            t, error = simplified_errors(angles, sway)
            axes[1].semilogy(t[1:], np.abs(error[1:]) / sway, style, color=colour, linewidth=1.2)
        axes[1].plot([], [], color=colour, label=f"{angles} order")
    axes[1].set(title="sway of 0.04, 0.02 (dashed), 0.01 rad", xlabel="time [s]")
    axes[1].set_ylabel("error of the first angle over the sway")
    axes[1].legend(loc="lower right")
    axes[1].set_ylim(1e-7, 1.0)
    save(figure, "crane_models")


if __name__ == "__main__":
    transport()
    shapers()
    convergence()
    swing()
    cables()
    winch()
    models()
