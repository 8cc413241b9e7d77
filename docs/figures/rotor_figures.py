"""Figure of the tutorial on a rotor, from the code of its page: it needs ccx and the deck that the page names."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from dalembert.analysis import stress_history
from dalembert.view.stress_picture import draw_mesh
from dalembert.view.strokes import Camera

HERE = Path(__file__).resolve().parent
ENLARGED = 300.0


def page_values() -> dict[str, Any]:
    """Run the code of the page in a folder of its own and return its values."""
    text = (HERE.parent / "tutorials" / "rotor.md").read_text(encoding="utf-8")
    values: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for block in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S):
            exec(block, values)
        os.chdir(HERE)
    return values


def main() -> None:
    """The rotor at its top speed, and its deflection while it runs up."""
    page = page_values()
    run, rotor = page["run"], page["rotor"]
    history = stress_history(run, "rotor")
    moved = rotor.reduction.positions + ENLARGED * page["shapes"][-1]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.6), width_ratios=(3, 2), layout="constrained")
    camera = Camera.looking(np.array([1.0, 0.0, 0.0]), azimuth=60.0, elevation=20.0)
    draw_mesh(figure, left, camera, moved, rotor.reduction.faces, history.von_mises[-1] / 1e6)
    left.set_title(f"4500 rad/s, displacements x {ENLARGED:.0f}", fontsize=9)
    speed = page["speed"]
    right.plot(speed, 1e6 * page["outwards"], color="#2f5d8a", lw=1.4, label="run")
    w = np.linspace(0.0, 4500.0, 100)
    k = int(np.abs(speed - 3000.0).argmin())
    one = page["outwards"][k] * (rotor.omega[0] ** 2 / speed[k] ** 2 - 1.0)
    right.plot(w, 1e6 * one * w**2 / (rotor.omega[0] ** 2 - w**2), "--", color="#b02020", lw=1.0, label="one mode")
    right.set(xlabel="speed [rad/s]", ylabel="deflection of the disc [um]")
    right.legend()
    figure.savefig(HERE / "tutorial_rotor.png", dpi=110)


if __name__ == "__main__":
    main()
