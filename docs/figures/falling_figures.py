"""Make the pictures of the page on falling links: ``python docs/figures/falling_figures.py``."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from style import BLUE, GREEN, GREY, RED, SAND, use_style

import dalembert as da
from dalembert.analysis import energy_split
from dalembert.studies.falling_links.contact import free_impacts, on_ground, second_impact, stepped_impact
from dalembert.studies.falling_links.link import EXACT, HEIGHT, PRINTED, falling_link
from dalembert.systems import SYSTEMS
from dalembert.systems.falling_chains import chain_on_ground

FOLDER = Path(__file__).resolve().parent
TIGHT = {"method": "dopri5", "rtol": 1e-11, "atol": 1e-13}

use_style(figure_dpi=130)


def curves() -> None:
    """Figs. 13 to 20: angle, mode, position of the first end, and their rates."""
    kinds = {"rigid": (None, GREY, "--"), "printed digits": (PRINTED, RED, "-"), "exact mode": (EXACT, BLUE, "-")}
    runs = {}
    for name, (mode, _, _) in kinds.items():
        machine = on_ground(falling_link(mode))
        runs[name] = da.simulate(machine, duration=1.0, q0={"base.y": HEIGHT}, record=5e-4, check=False, **TIGHT)
    panels = [
        ("base.angle", "angle [rad]", 13),
        ("base.angle_dot", "its rate [rad/s]", 14),
        ("link1.delta1", "modal coordinate [m]", 15),
        ("link1.delta1_dot", "its rate [m/s]", 16),
        ("base.x", "first end, $X_1$ [m]", 17),
        ("base.x_dot", "its rate [m/s]", 18),
        ("base.y", "first end, $X_2$ [m]", 19),
        ("base.y_dot", "its rate [m/s]", 20),
    ]
    figure, axes = plt.subplots(4, 2, figsize=(8.2, 8.6), sharex=True)
    for ax, (name, label, number) in zip(axes.flat, panels, strict=True):
        for kind, (_, colour, line) in kinds.items():
            if name in runs[kind]:
                ax.plot(runs[kind].t, runs[kind][name], line, color=colour, lw=0.9, label=kind)
        ax.set(ylabel=label)
        ax.set_title(f"Fig. {number}", loc="right", fontsize=8)
    for ax in axes[-1]:
        ax.set(xlabel="time [s]")
    axes[-1, 0].legend(loc="lower left")
    figure.tight_layout()
    figure.savefig(FOLDER / "falling_curves.png", dpi=130)


def steps() -> None:
    """When the link hits the ground again, over the step, and by the tolerance."""
    machine, exact = on_ground(falling_link(EXACT)), second_impact(on_ground(falling_link(EXACT)))
    sizes = np.geomspace(5e-5, 1.6e-3, 25)
    figure, axes = plt.subplots(1, 2, figsize=(8.2, 3.2), sharey=False)
    left, right = axes
    left.axhline(exact, color=GREY, lw=1, label="converged")
    left.plot(
        sizes, [second_impact(machine, method="rk4", step=h) for h in sizes], ".-", color=BLUE, label="RK4, events"
    )
    left.plot(sizes, [stepped_impact(machine, h) for h in sizes], ".", color=SAND, label="time-stepping")
    left.set(xscale="log", xlabel="step [s]", ylabel="impact after the flight [s]", ylim=(0.85, 0.98))
    left.legend(loc="lower left")
    tolerances = np.geomspace(1e-10, 1e-3, 8)
    for method, colour in (("dopri5", GREEN), ("bs32", RED)):
        off = [abs(second_impact(machine, method=method, rtol=r, atol=1e-3 * r) - exact) for r in tolerances]
        right.plot(tolerances, off, ".-", color=colour, label=method)
    right.set(xscale="log", yscale="log", xlabel="relative tolerance", ylabel="error of that time [s]")
    right.legend(loc="upper left")
    figure.tight_layout()
    figure.savefig(FOLDER / "falling_steps.png", dpi=130)


def energy() -> None:
    """Energy of the motion and of the vibration, of the link and of a chain that falls."""
    figure, axes = plt.subplots(1, 2, figsize=(8.2, 3.2))
    link = on_ground(falling_link(EXACT))
    cases = [
        (link, {"duration": 2.0, "q0": {"base.y": HEIGHT}, "record": 1e-3, **TIGHT}, "one link, $e = 1$"),
        (
            da.systems.falling_chains.chain_on_ground(4, 2),
            {
                "duration": 1.2,
                "q0": {"base.y": 0.6, "base.angle": 0.15},
                "record": 2e-3,
                "method": "dopri5",
                "rtol": 1e-8,
            },
            "four links, $e = 0.5$",
        ),
    ]
    for ax, (machine, settings, title) in zip(axes, cases, strict=True):
        eom = da.equations(machine)
        run = da.simulate(eom, **settings)
        split = energy_split(eom, run.array(eom.q_names), run.array(eom.v_names))
        parts = [split.potential, split.motion, split.vibration + split.strain]
        ax.stackplot(run.t, *parts, colors=(SAND, BLUE, RED), labels=("weight", "motion", "vibration"), lw=0)
        ax.set(xlabel="time [s]", ylabel="energy [J]", title=title)
    axes[1].legend(loc="upper right")
    figure.tight_layout()
    figure.savefig(FOLDER / "falling_energy.png", dpi=130)


def modes() -> None:
    """Free ends: how many impacts and when the link comes back, over the number of modes."""
    counts = (1, 3, 5, 7, 9)  # the others are antisymmetric, and do not move
    found = [free_impacts(m) for m in counts]
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.2, 2.8))
    left.plot(counts, [first for first, _ in found], "o", color=BLUE)
    left.set(xlabel="modes of a free beam", xticks=counts, ylabel="impacts before the flight")
    right.plot(counts, [again for _, again in found], "o", color=RED)
    right.set(xlabel="modes of a free beam", xticks=counts, ylabel="impact after the flight [s]")
    figure.tight_layout()
    figure.savefig(FOLDER / "falling_modes.png", dpi=130)


def pictures() -> None:
    """Some pictures of two animations: with the ground, and with the forces of the contacts."""
    ten = chain_on_ground(10, 2, friction=0.3)
    start = {"base.y": 1.0, "base.angle": 0.05}
    fall = da.simulate(ten, duration=1.2, q0=start, contact="time-stepping", step=5e-4, record=1e-2)
    circle = SYSTEMS["chain-in-circle"]
    turn = da.simulate(circle.make(), **circle.settings())
    shots = []
    with TemporaryDirectory() as folder:
        for run, chosen in ((fall, (6, 8)), (turn, (9, 11))):
            film = Image.open(run.animate(Path(folder) / "film.gif", fps=10 if run is fall else 6))
            for k in chosen:
                film.seek(k)
                shots.append(film.convert("RGB"))
    width, height = shots[0].size
    sheet = Image.new("RGB", (2 * width, 2 * height))
    for k, shot in enumerate(shots):
        sheet.paste(shot, (k % 2 * width, k // 2 * height))
    sheet.save(FOLDER / "falling_animation.png", optimize=True)


if __name__ == "__main__":
    curves()
    steps()
    energy()
    modes()
    pictures()
