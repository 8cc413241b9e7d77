"""Make the pictures of joints and gears that stick: ``python docs/figures/stick_figures.py``."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

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


def worm_hoist() -> None:
    """Height of a load on a self-locking worm, torques at the worm, while its motor swings."""
    page = (FOLDER.parent / "joint_friction.md").read_text(encoding="utf-8")
    code = next(block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "worm hoist" in block)
    names: dict[str, Any] = {"math": math, "da": da}
    exec(code.partition("print(")[0], names)
    swing = 14.0 * da.sin(math.pi * da.TIME)
    machine = names["hoist"].with_(wrenches=[da.Wrench("motor", "worm", torque=(0, swing, 0))])
    run = da.simulate(machine, duration=2.9, method="dopri5", record=0.002)
    figure, axes = plt.subplots(1, 2, figsize=(8.2, 2.8))
    axes[0].plot(run.t, 1e3 * run["z"], color=BLUE, lw=1)
    axes[1].plot(run.t, [14.0 * math.sin(math.pi * t) for t in run.t], color=GREY, lw=1, label="motor")
    axes[1].plot(run.t, -run["multiplier.teeth"], color=BLUE, lw=1, label="teeth")
    axes[1].plot(run.t, run["friction.teeth"], color=RED, lw=1, label="friction")
    for event in run.events:
        axes[0].axvline(event.t, color=GREY, lw=0.5)
        axes[1].axvline(event.t, color=GREY, lw=0.5)
    axes[0].set(xlabel="time [s]", ylabel="height [mm]", title="load")
    axes[1].set(xlabel="time [s]", ylabel="torque [N m]", title="torques on the worm")
    axes[1].legend(loc="lower left")
    figure.tight_layout()
    figure.savefig(FOLDER / "worm_hoist.png", dpi=130)


if __name__ == "__main__":
    joint_stick()
    worm_hoist()
