"""Make the picture of the page on ropes: ``python docs/figures/rope_figures.py``."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from style import BLUE, GREEN, GREY, PURPLE, RED, use_style

import dalembert as da
from dalembert.view import build_scene

FOLDER = Path(__file__).resolve().parent

use_style(grid_linewidth=0.5, figure_dpi=150)


def hoist() -> da.Machine:
    """The hoist of the page, from its first code block."""
    page = (FOLDER.parent / "ropes.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", page, re.S)[0]
    names: dict[str, object] = {}
    exec(code.partition("run = ")[0], names)
    machine = names["hoist"]
    assert isinstance(machine, da.Machine)
    return machine


def main() -> None:
    """Draw the way of the rope, and its tensions."""
    machine = hoist()
    run = da.simulate(machine, duration=4.0, q0={"winch": 0.0, "z": 0.0}, record=0.01)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.2, 3.6), width_ratios=(1, 1.8))
    scene = build_scene(machine)
    baked = scene.bake(np.array([[run[name][200] for name in machine.q_names]]), 2.0)
    way = baked.cables["fall"][0]
    left.plot(way[:, 0], way[:, 2], color=BLUE, lw=1.6)
    for pulley in scene.pulleys:
        centre = baked.poses[0, pulley.pose, :, 3]
        left.add_patch(plt.Circle((centre[0], centre[2]), pulley.radius, fill=False, color=GREY))
    block = baked.points[0, scene.index("block")]
    left.plot([0.2, 1.0], [block[2]] * 2, color=RED, lw=3)
    left.plot([0.6, 0.6], [block[2], block[2] - 0.4], color=RED, lw=3)
    left.annotate("1000 kg", (0.65, block[2] - 0.4), fontsize=8)
    left.annotate("drum", (-0.1, 0.2), fontsize=8)
    left.set_aspect("equal")
    left.set_xlabel("x [m]")
    left.set_ylabel("z [m]")
    for k, colour in enumerate((BLUE, RED, GREEN, PURPLE)):
        right.plot(run.t, run[f"tension.fall[{k}]"] / 1e3, color=colour, label=f"tension.fall[{k}]")
    right.set_xlabel("t [s]")
    right.set_ylabel("tension [kN]")
    right.legend(fontsize=8, loc="upper center", ncols=2)
    right.set_title("lifting until 2 s, then lowering", fontsize=9)
    figure.tight_layout()
    figure.savefig(FOLDER / "rope_hoist.png", bbox_inches="tight")


if __name__ == "__main__":
    main()
