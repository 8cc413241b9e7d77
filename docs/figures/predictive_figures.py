"""Make the picture of the page on predictive control: ``python docs/figures/predictive_figures.py``."""

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


def predictive_crane() -> None:
    """Path of the load over the stack, swing, payload and its estimate: the run of the page itself."""
    page = (FOLDER.parent / "predictive_control.md").read_text(encoding="utf-8")
    known: dict[str, Any] = {}
    exec(re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)[0], known)
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


if __name__ == "__main__":
    predictive_crane()
