"""Plots, pictures and animation of runs, modes and machines."""

from dalembert.view.animation import animate, draw_machine
from dalembert.view.baked import Baked
from dalembert.view.captures import capture_report, capture_rows, plot_capture
from dalembert.view.derivation import write_derivation
from dalembert.view.drawing import Look, draw_scene
from dalembert.view.live import LivePicture
from dalembert.view.mode_shapes import animate_mode, plot_modes
from dalembert.view.page.curves import pack_signals
from dalembert.view.page.embed import player_html
from dalembert.view.page.live import share
from dalembert.view.page.packing import pack_machine, pack_mode, pack_motion, pack_run
from dalembert.view.page.report import report
from dalembert.view.plots import plot_run
from dalembert.view.robust import plot_mu, plot_poles, plot_ranges, plot_singular_values
from dalembert.view.scene import Scene, bake_run
from dalembert.view.scene_builder import build_scene
from dalembert.view.stress_picture import plot_stress
from dalembert.view.studio.server import Studio

__all__ = [
    "Baked",
    "LivePicture",
    "Look",
    "Scene",
    "Studio",
    "animate",
    "animate_mode",
    "bake_run",
    "build_scene",
    "capture_report",
    "capture_rows",
    "draw_machine",
    "draw_scene",
    "pack_machine",
    "pack_mode",
    "pack_motion",
    "pack_run",
    "pack_signals",
    "player_html",
    "plot_capture",
    "plot_modes",
    "plot_mu",
    "plot_poles",
    "plot_ranges",
    "plot_run",
    "plot_singular_values",
    "plot_stress",
    "report",
    "share",
    "write_derivation",
]
