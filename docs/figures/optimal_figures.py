"""Make the pictures of the pages on optimal control: ``python docs/figures/optimal_figures.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import casadi as ca
import matplotlib.pyplot as plt
import numpy as np
from style import BLUE, GREY, RED, SAND, use_style

import dalembert as da

FOLDER = Path(__file__).resolve().parent
WEIGHT = 98.1

use_style(grid_linewidth=0.5, figure_dpi=150)


def hoisting_crane() -> da.Machine:
    """The crane of the page."""
    return da.Machine(
        "hoisting crane",
        bodies=[da.point_mass("trolley", 20.0), da.Body("rope"), da.point_mass("load", 10.0)],
        joints=[
            da.Joint("x", "prismatic", "world", "trolley", axis="x"),
            da.Joint("swing", "revolute", "trolley", "rope", axis="y"),
            da.Joint("length", "prismatic", "rope", "load", axis=(0, 0, -1), limits=da.Limits(0.5, 6.0)),
        ],
        motors=[da.Motor("drive", "x"), da.Motor("winch", "length")],
    )


def stack(x):
    """Height of the stack over the trolley's rail."""
    return -5.0 + 3.5 * np.exp(-(((x - 3.0) / 0.8) ** 4))


def crane_over_stack() -> None:
    """Paths of the load and inputs, at least effort and in least time."""
    crane = hoisting_crane()
    s = da.equations(crane).symbolic
    load = ca.Function("load", [s.q], [s.pose("load")[:3, 3]])

    def above(t, q, v, u):
        x, _, z = ca.vertsplit(load(q))
        return -5.0 + 3.5 * ca.exp(-(((x - 3.0) / 0.8) ** 4)) - z

    task = {
        "start": {"x": 0.0, "length": 4.5},
        "end": {"x": 6.0, "swing": 0.0, "length": 4.5},
        "limits": {"drive": (-100, 100), "winch": (-2 * WEIGHT, 0.0), "swing": (-0.3, 0.3)},
        "keep": above,
    }
    plans = {
        "least effort, 6 s": (da.optimise(crane, duration=6.0, tolerance=1e-2, **task), BLUE),
        "least time": (
            da.optimise(
                crane, duration=(2.0, 8.0), cost=da.Cost(time=1.0, effort=1e-7), intervals=15, refinements=1,
                tolerance=1e-3, **task,
            ),
            RED,
        ),
    }  # fmt: skip
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), gridspec_kw={"width_ratios": [1.5, 1, 1]})
    ground = np.linspace(-0.7, 6.7, 300)
    axes[0].fill_between(ground, -5.2, stack(ground), color=SAND, label="stack")
    axes[0].plot([-0.7, 6.7], [0, 0], color=GREY)
    for name, (plan, colour) in plans.items():
        t = np.linspace(0.0, plan.duration, 400)
        q, u = plan.coordinates(t), plan.inputs(t)
        path = np.array([load(x).full().ravel() for x in q])
        label = name if "6 s" in name else f"{name}, {plan.duration:.2f} s"
        axes[0].plot(path[:, 0], path[:, 2], color=colour, label=label)
        for k in np.linspace(0, 399, 7).astype(int):
            axes[0].plot([q[k, 0], path[k, 0]], [0, path[k, 2]], color=colour, linewidth=0.5, alpha=0.6)
        axes[1].plot(t, u[:, 0], color=colour)
        axes[2].plot(t, u[:, 1], color=colour)
        print(name, plan)
    axes[0].set(xlabel="x [m]", ylabel="z [m]", xlim=(-0.7, 6.7), ylim=(-5.2, 0.3))
    axes[0].legend(fontsize=7, loc="lower right")
    axes[1].set(xlabel="time [s]", ylabel="drive [N]")
    axes[2].set(xlabel="time [s]", ylabel="winch [N]")
    figure.tight_layout()
    figure.savefig(FOLDER / "optimal_crane.png", bbox_inches="tight")
    plt.close(figure)


if __name__ == "__main__":
    crane_over_stack()
