"""Make the pictures of the page on contact: ``python docs/figures/contact_figures.py``."""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import NullFormatter
from style import BLUE, GREEN, GREY, PURPLE, RED, SAND, use_style

import dalembert as da
from dalembert.benchmarks.contact_cases import FEET, quadruped, standing
from dalembert.campaigns import sensitivities

FOLDER = Path(__file__).resolve().parent

use_style(figure_dpi=150)


def quadruped_drop() -> None:
    """A quadruped that is dropped with 1 m/s: forces and slip of its feet; and what the step does to its landing."""
    machine = quadruped(0.4)
    eom, q0, v0 = da.equations(machine), standing(machine, 0.1), {"root_joint.vx": 1.0}
    run = da.simulate(eom, duration=1.0, q0=q0, v0=v0, contact="time-stepping", step=1e-3)
    figure, axes = plt.subplots(1, 3, figsize=(9.4, 2.8))
    for foot, colour in zip(FEET, (BLUE, RED, GREEN, PURPLE), strict=True):
        axes[0].plot(run.t, run[f"force.{foot}.normal"], color=colour, lw=1, label=foot.removesuffix("_FOOT"))
        axes[1].plot(run.t, run[f"slip.{foot}"], color=colour, lw=1)
    axes[0].axhline(30.475 * 9.81 / 4, color=GREY, lw=0.8, ls=":")
    axes[0].set(title="normal force of each foot [N]", xlabel="time [s]", ylim=(0, 600))
    axes[0].legend(ncols=2)
    axes[1].set(title="speed of slip [m/s]", xlabel="time [s]")
    steps = np.array([4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4])
    place = [f"root_joint.{axis}" for axis in "xyz"]

    def end(step: float, height: float) -> np.ndarray:
        way = da.TimeStepping(tolerance=1e-9)
        start = standing(machine, height)
        found = da.simulate(eom, duration=0.4, q0=start, v0=v0, contact=way, step=step, record=0.4)
        return found.array(place)[-1]

    heights = np.linspace(0.02, 0.1, 6)
    exact = {height: end(2e-5, height) for height in heights}
    errors = [np.mean([np.linalg.norm(end(h, y) - exact[y]) for y in heights]) for h in steps]
    axes[2].loglog(steps, errors, "o-", color=BLUE, lw=1, ms=4)
    axes[2].loglog(steps, errors[2] * steps / steps[2], ":", color=SAND, lw=1.2, label="first order")
    axes[2].set(title="error at 0.4 s, mean of six drops [m]", xlabel="step [s]")
    axes[2].xaxis.set_minor_formatter(NullFormatter())
    axes[2].legend()
    figure.tight_layout()
    figure.savefig(FOLDER / "contact_quadruped.png", dpi=130)


def slide_derivatives() -> None:
    """Four pushes of a tray that Newton's method tries, and the derivatives of its stop by the push."""
    feet = [
        da.Contact(f"foot{k}", "tray", origin=(0.2 * x, 0.1 * y, -0.02), friction=0.3 if y > 0 else 0.2)
        for k, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)])
    ]
    base = da.Joint("base", "free", "world", "tray")
    tray = da.equations(da.Machine("tray", [da.box("tray", 2.0, (0.4, 0.2, 0.04))], [base], contacts=feet))
    given = {"q0": {"base.z": 0.02}, "duration": 1.2, "step": 4e-3, "contact": "time-stepping"}
    place, wrt = ["base.x", "base.y"], ["v0.base.vx", "v0.base.vy"]
    push, target = np.array([1.5, 0.0]), np.array([0.6, 0.1])
    figure, axes = plt.subplots(1, 2, figsize=(9.4, 3.2), width_ratios=(1.25, 1.0))
    corners = np.array([(0.2, 0.1), (0.2, -0.1), (-0.2, -0.1), (-0.2, 0.1), (0.2, 0.1)])
    for number, colour in enumerate((SAND, GREEN, PURPLE, BLUE)):
        v0 = {"base.vx": push[0], "base.vy": push[1]}
        run = da.simulate(tray, v0=v0, **given)
        axes[0].plot(run["base.x"], run["base.y"], color=colour, lw=1.2, label=f"push {number + 1}")
        angle = 2.0 * np.arctan2(run["base.qz"][-1], run["base.qw"][-1])
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        outline = corners @ turn.T + run.array(place)[-1]
        axes[0].plot(outline[:, 0], outline[:, 1], color=colour, lw=0.8, alpha=0.7)
        slide = sensitivities(tray, of=place, wrt=wrt, v0=v0, record=1.2, **given)
        push = push + np.linalg.solve(slide.derivatives[-1], target - slide.values[-1])
    axes[0].plot(*target, "+", color=RED, ms=10, mew=2, label="target")
    axes[0].set(title="the tray where it stops, pushed from the origin [m]", aspect="equal")
    axes[0].legend(loc="upper left", fontsize=7)
    speeds = np.linspace(0.6, 2.0, 29)

    def stop(speed: float) -> np.ndarray:
        v0 = {"base.vx": speed, "base.vy": push[1]}
        return da.simulate(tray, v0=v0, record=1.2, **given).array(place)[-1]

    slopes = []
    for speed in speeds:
        v0 = {"base.vx": speed, "base.vy": push[1]}
        slopes.append(sensitivities(tray, of=place, wrt=wrt[:1], v0=v0, record=1.2, **given).derivatives[-1, :, 0])
    some = speeds[::4]
    between = [(stop(v + 1e-6) - stop(v - 1e-6)) / 2e-6 for v in some]
    for k, (name, colour) in enumerate(zip("xy", (BLUE, RED), strict=True)):
        axes[1].plot(speeds, np.array(slopes)[:, k], color=colour, lw=1.2, label=f"{name}, derivative")
        axes[1].plot(some, np.array(between)[:, k], "o", color=colour, ms=4, mfc="none", label=f"{name}, difference")
    axes[1].set(title="stop by speed of the push [s]", xlabel="speed along x [m/s]")
    axes[1].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(FOLDER / "slide_derivatives.png", dpi=130)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    quadruped_drop()
    slide_derivatives()
