"""Make the pictures of the page on Gibbs-Appell's equations: ``python docs/figures/impact_figures.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter
from style import BLUE, GREEN, GREY, PURPLE, RED, SAND, use_style

from dalembert.studies.falling_links.link import EXACT, fall
from dalembert.studies.falling_links.link import falling_link as falling_link_machine
from dalembert.studies.operation_counts.counts import chain_count
from dalembert.studies.operation_counts.printed import printed_counts

FOLDER = Path(__file__).resolve().parent

use_style(figure_dpi=150)

CURVES = {
    "3x3, as written": (PURPLE, "terms of the document, each matrix where it stands"),
    "3x3, matrices kept": (SAND, "terms of the document, each matrix once"),
    "4x4": (RED, "4x4 transforms"),
    "gibbs-appell": (BLUE, "gibbs-appell"),
    "newton-euler": (GREEN, "newton-euler, matrix and right side"),
    "forward dynamics": (GREY, "newton-euler, forward dynamics"),
}


def operation_counts() -> None:
    """Additions and multiplications over the number of links and of modes."""
    links, modes = (1, 2, 3, 4, 5, 6, 8, 10), (1, 2, 3, 4)
    panels = [
        ([(n, 2) for n in links], links, "links n, two modes each"),
        ([(6, m) for m in modes], modes, "modes m of six links each"),
    ]
    figure, axes = plt.subplots(1, 2, figsize=(8.2, 3.6), sharey=True)
    for ax, (cases, x, label) in zip(axes, panels, strict=True):
        for method, style, name in (("4x4", "--", "Table 2, 4x4"), ("3x3", ":", "Table 2, 3x3")):
            ax.plot(x, [sum(printed_counts(method, *c)) for c in cases], "k" + style, lw=1.2, label=name)
        for method, (colour, name) in CURVES.items():
            counts = [chain_count(method, *c).written for c in cases]
            ax.plot(x, [c.additions + c.multiplications for c in counts], ".-", color=colour, lw=1, ms=4, label=name)
        ax.set(xscale="log", yscale="log", xlabel=label)
        ax.xaxis.set_major_locator(FixedLocator(x))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(ScalarFormatter())
    axes[0].set(ylabel="additions and multiplications")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="center left", bbox_to_anchor=(1.0, 0.55))
    figure.tight_layout()
    figure.savefig(FOLDER / "operation_counts.png", dpi=130, bbox_inches="tight")


def falling_link() -> None:
    """Height of the ends and deflection in the middle, of the flexible link and of a rigid one."""
    soft, rigid = (fall(link, 2.0).run for link in (falling_link_machine(EXACT), falling_link_machine(None)))
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(6.4, 4.2), sharex=True, height_ratios=(2, 1))
    top.plot(rigid.t, rigid["base.y"], color=GREY, lw=1, ls="--", label="rigid")
    top.plot(soft.t, soft["base.y"], color=BLUE, lw=1, label="flexible")
    top.set(ylabel="height of the ends [m]")
    top.legend(loc="lower left")
    middle = float(falling_link_machine(EXACT).bodies[0].basis[0].shape(0.5))
    bottom.plot(soft.t, 1e3 * middle * soft["link1.delta1"], color=RED, lw=0.8)
    bottom.set(xlabel="time [s]", ylabel="deflection in\nthe middle [mm]")
    figure.tight_layout()
    figure.savefig(FOLDER / "falling_link.png", dpi=130)


if __name__ == "__main__":
    falling_link()
    operation_counts()
