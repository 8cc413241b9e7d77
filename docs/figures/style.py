"""The look of all pictures of the documentation: colours and settings of matplotlib."""

from __future__ import annotations

import matplotlib.pyplot as plt

__all__ = ["BLUE", "GREEN", "GREY", "PURPLE", "RED", "SAND", "use_style"]

# Colour-blind safe (P. Tol, "bright").
BLUE, RED, GREEN, PURPLE, SAND, GREY = "#4477aa", "#ee6677", "#228833", "#aa3377", "#ccbb44", "#888888"


def use_style(**more: object) -> None:
    """Set matplotlib up; ``more`` are further settings, with underscores for dots."""
    plt.rcParams.update(
        {
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.alpha": 0.25,
            "axes.titlesize": 9,
            "axes.titlelocation": "left",
            "legend.frameon": False,
            "legend.fontsize": 8,
            **{key.replace("_", ".", 1): value for key, value in more.items()},
        }
    )
