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


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    quadruped_drop()
