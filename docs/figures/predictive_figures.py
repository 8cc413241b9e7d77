"""Make the pictures of predictive control and of estimators: ``python docs/figures/predictive_figures.py``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from style import BLUE, GREEN, GREY, RED, use_style

FOLDER = Path(__file__).resolve().parent

use_style(figure_dpi=150)


def _first_block(page: str) -> dict[str, Any]:
    """Names that the first code block of a page defines."""
    text, known = (FOLDER.parent / page).read_text(encoding="utf-8"), dict[str, Any]()
    exec(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)[0], known)
    return known


def predictive_crane() -> None:
    """Path of the load over the stack, swing, payload and its estimate: the run of the page itself."""
    known = _first_block("predictive_control.md")
    run, height = known["run"], known["height"]
    figure, (path, swing, mass) = plt.subplots(1, 3, figsize=(9.6, 2.9))
    x = np.linspace(-0.5, 6.5, 300)
    path.fill_between(x, height(x), -5.2, color=GREY, alpha=0.5, lw=0)
    path.plot(known["x"], known["z"], color=BLUE, lw=1.4)
    for k in range(0, len(run.t), 16):
        path.plot([run["x"][k], known["x"][k]], [0.0, known["z"][k]], color=BLUE, lw=0.4)
    path.set(xlabel="x [m]", ylabel="z [m]", title="load over the stack")
    swing.plot(run.t, run["swing"], color=BLUE, lw=1.2)
    swing.plot(run.t, run["mhe.swing"], color=RED, lw=0.7)
    for side in (-0.12, 0.12):
        swing.axhline(side, color=GREY, lw=0.8, ls="--")
    swing.set(xlabel="time [s]", title="swing [rad], its estimate and limits")
    mass.plot(run.t, run["mhe.payload"], color=RED, lw=1.2)
    mass.axhline(750.0, color=GREEN, lw=0.8)
    mass.set(xlabel="time [s]", title="estimated payload [kg]", xlim=(0, 4))
    figure.tight_layout()
    figure.savefig(FOLDER / "predictive_crane.png", dpi=130)


def estimators() -> None:
    """Swing, payload and their estimates from recorded readings: the run of the page itself."""
    known = _first_block("estimators.md")
    run, estimates = known["run"], known["estimates"]
    figure, (swing, mass) = plt.subplots(1, 2, figsize=(9.6, 2.9))
    swing.plot(run.t, run["theta1"], color=GREY, lw=2.5, label="true")
    mass.axhline(700.0, color=GREY, lw=2.5)
    for (name, one), colour in zip(estimates.items(), (RED, BLUE), strict=True):
        swing.plot(run.t, one["theta1"], color=colour, lw=1.0, label=name)
        mass.plot(run.t, one["payload"], color=colour, lw=1.0)
    swing.set(xlabel="time [s]", title="swing [rad] and its estimates", xlim=(0, 3))
    mass.set(xlabel="time [s]", title="payload [kg] and its estimates", xlim=(0, 3))
    swing.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(FOLDER / "estimators.png", dpi=130)


if __name__ == "__main__":
    predictive_crane()
    estimators()
