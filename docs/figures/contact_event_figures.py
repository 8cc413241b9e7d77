"""Make the pictures of the page on contact: ``python docs/figures/contact_event_figures.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from style import BLUE, GREEN, GREY, RED, use_style

import dalembert as da
from dalembert import systems
from dalembert.systems import contacts

FOLDER = Path(__file__).resolve().parent

use_style(figure_dpi=150)


def contact() -> None:
    """A ball that bounces to rest, and a block that rocks, with the forces that hold them."""
    figure, axes = plt.subplots(2, 2, figsize=(8.2, 4.2), sharex="col")
    for e, colour in ((0.5, GREEN), (0.8, BLUE)):
        run = da.simulate(contacts.bouncing_ball(e), duration=5.0, q0={"z": 1.1}, method="dopri5", record=0.005)
        axes[0, 0].plot(run.t, run["z"] - 0.1, color=colour, lw=1, label=f"e = {e}")
        axes[1, 0].plot(run.t, run["force.floor.normal"], color=colour, lw=1)
    settings = systems.SYSTEMS["rocking-block"].settings()
    run = da.simulate(contacts.rocking_block(), **settings | {"record": 0.001})
    axes[0, 1].plot(run.t, run["base.angle"], color=BLUE, lw=1)
    for name, colour in (("left", RED), ("right", GREY)):
        axes[1, 1].plot(run.t, run[f"force.{name}.normal"], color=colour, lw=1, label=f"{name} corner")
    axes[0, 0].set(ylabel="height [m]", title="a ball")
    axes[0, 1].set(ylabel="angle [rad]", title="a block on its corners")
    for ax in axes[1]:
        ax.set(xlabel="time [s]", ylabel="normal force [N]")
    axes[0, 0].legend()
    axes[1, 1].legend()
    figure.tight_layout()
    figure.savefig(FOLDER / "contact.png", dpi=130)


if __name__ == "__main__":
    contact()
