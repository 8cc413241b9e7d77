"""Plots and animation of runs, modes and machines."""

from dalembert.view.animation import Skeleton, animate, draw_frames, skeleton
from dalembert.view.mode_shapes import animate_mode, plot_modes
from dalembert.view.plots import plot_run

__all__ = [
    "Skeleton",
    "animate",
    "animate_mode",
    "draw_frames",
    "plot_modes",
    "plot_run",
    "skeleton",
]
