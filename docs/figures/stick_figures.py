"""Make the picture of joints that stick: ``python docs/figures/stick_figures.py``."""

from __future__ import annotations

import math
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from style import BLUE, GREY, RED, use_style

import dalembert as da

FOLDER = Path(__file__).resolve().parent

use_style(figure_dpi=150)


def rotor(law: str, velocity: float = 1e-3) -> da.Machine:
    """A disc under a torque that swings by 6 N m, with friction of 5 N m."""
    load = da.Wrench("load", "disc", torque=(0, 0, 6.0 * da.sin(2 * math.pi * da.TIME)))
    joint = da.Joint(
        "a", "revolute", "world", "disc", axis="z", friction=5.0, friction_law=law, friction_velocity=velocity
    )
    disc = da.Body("disc", 1.0, inertia=(0.5, 0.5, 0.5))
    return da.Machine("rotor", bodies=[disc], joints=[joint], wrenches=[load], gravity=(0, 0, 0))


def joint_stick() -> None:
    """Angle and friction, with the law that sticks and the smooth one."""
    figure, axes = plt.subplots(1, 2, figsize=(8.2, 2.8))
    run = da.simulate(rotor("stick"), duration=2.0, method="dopri5", record=0.002)
    smooth = da.simulate(rotor("smooth", 0.05), duration=2.0, method="dopri5", record=0.002)
    axes[0].plot(smooth.t, 1e3 * smooth["a"], color=RED, lw=1, label="smooth, 0.05 rad/s")
    axes[0].plot(run.t, 1e3 * run["a"], color=BLUE, lw=1, label="stick")
    axes[1].plot(run.t, run["friction.a"], color=BLUE, lw=1)
    axes[1].plot(smooth.t, [-5.0 * math.tanh(v / 0.05) for v in smooth["a_dot"]], color=RED, lw=1)
    for event in run.events:
        axes[0].axvline(event.t, color=GREY, lw=0.5)
        axes[1].axvline(event.t, color=GREY, lw=0.5)
    axes[0].set(xlabel="time [s]", ylabel="angle [mrad]", title="angle")
    axes[1].set(xlabel="time [s]", ylabel="torque [N m]", title="friction")
    axes[0].legend(loc="upper center", ncols=2)
    axes[0].set_ylim(top=95.0)
    figure.tight_layout()
    figure.savefig(FOLDER / "joint_stick.png", dpi=130)


if __name__ == "__main__":
    joint_stick()
