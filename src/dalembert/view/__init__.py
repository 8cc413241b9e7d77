"""Plots, pictures and animation of runs, modes and machines."""

from dalembert.view.animation import animate, draw_machine
from dalembert.view.baked import Baked
from dalembert.view.drawing import draw_scene
from dalembert.view.mode_shapes import animate_mode, plot_modes
from dalembert.view.plots import plot_run
from dalembert.view.scene import Scene, bake_run
from dalembert.view.scene_builder import build_scene

__all__ = [
    "Baked",
    "Scene",
    "animate",
    "animate_mode",
    "bake_run",
    "build_scene",
    "draw_machine",
    "draw_scene",
    "plot_modes",
    "plot_run",
]
