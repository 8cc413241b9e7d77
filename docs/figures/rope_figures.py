"""Make the pictures of the pages on ropes: ``python docs/figures/rope_figures.py``."""

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


EXUDYN = {  # of tests/parity/test_exudyn_heavy.py, each 0.2 s
    "winch": (111.9, 113.9, 115.7, 116.9, 117.3, 75.6, 46.6, 45.7, 44.6, 43.6)
    + (42.6, 41.9, 41.4, 41.1, 41.1, 84.1, 105.1, 106.3, 107.9, 109.8),
    "anchor": (60.5, 62.1, 63.5, 64.4, 64.7, 64.7, 64.0, 62.5, 60.8, 59.1)
    + (57.5, 56.3, 55.3, 54.8, 54.6, 54.6, 55.1, 56.0, 57.3, 58.8),
}


def on_page(page: str, name: str, block: int) -> da.Machine:
    """A machine of a page, from one of its code blocks."""
    text = (FOLDER.parent / page).read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", text, re.S)[block]
    names: dict[str, object] = {}
    exec(code.partition("run = ")[0], names)
    machine = names[name]
    assert isinstance(machine, da.Machine)
    return machine


def heavy_pulley() -> None:
    """Draw the tensions of a heavy cable that rubs on its pulley, by time and in the loop that the winch makes."""
    run = da.simulate(on_page("rope_friction.md", "stay", -1), duration=4.0, record=0.01, backend="vm")
    times, colours = np.arange(0.2, 4.01, 0.2), {"winch": RED, "anchor": BLUE}
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.2, 3.2), width_ratios=(1.5, 1))
    for where, name in (("winch", "tension_winch.c"), ("anchor", "tension.c")):
        left.plot(run.t, run[name], color=colours[where], label=f"{name}")
        left.plot(times, EXUDYN[where], "o", color=colours[where], ms=3.5, mfc="none", label=f"Exudyn, {where}")
    right.plot(-1e3 * run["w"], run["tension_winch.c"], color=RED)
    right.plot(50 * np.sin(np.pi / 2 * times), EXUDYN["winch"], "o", color=RED, ms=3.5, mfc="none")
    left.set_xlabel("t [s]")
    left.set_ylabel("tension [N]")
    left.legend(fontsize=8, loc="upper center", ncols=2)
    left.set_ylim(30, 165)
    right.set_xlabel("cable that the winch has pulled in [mm]")
    right.set_ylabel("tension at the winch [N]")
    figure.tight_layout()
    figure.savefig(FOLDER / "heavy_pulley.png", bbox_inches="tight")


def main() -> None:
    """Draw the way of the rope, and its tensions."""
    machine = on_page("ropes.md", "hoist", 0)
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
    heavy_pulley()
