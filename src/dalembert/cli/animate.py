"""``dalembert animate``: an animation of a saved run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert import api, view
from dalembert.cli.completion import run_files
from dalembert.cli.machines import find_machine
from dalembert.cli.targets import ForceOption, target

__all__ = ["animate"]


def animate(
    run: Annotated[
        Path,
        typer.Argument(help="A run file (dalembert simulate --out RUN).", show_default=False, autocompletion=run_files),
    ],
    out: Annotated[
        Path | None, typer.Option(help="File to write: .gif, .html, .mp4; default: the run's name with .gif.")
    ] = None,
    exaggerate: Annotated[float, typer.Option(help="Factor on the bending of beams.")] = 1.0,
    trace: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Body, frame, joint or section whose path is drawn; may be repeated."),
    ] = None,
    frames: Annotated[
        list[str] | None, typer.Option("--frame", metavar="NAME", help="Frame whose axes are drawn; may be repeated.")
    ] = None,
    fps: Annotated[float, typer.Option(help="Pictures per second.")] = 25.0,
    speed: Annotated[float, typer.Option(help="Seconds of the run per second of the animation.")] = 1.0,
    plane: Annotated[str, typer.Option(help="Plane of the picture (xz, ..), space, or auto.")] = "auto",
    machine: Annotated[
        str | None, typer.Option(help="The machine, if the run file does not contain it: a file or a ready-made one.")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Draw a saved run as an animation."""
    place = target(run.with_suffix(".gif") if out is None else out, "animation")
    loaded_run = api.load_run(run)
    loaded_machine = None if machine is None else find_machine(machine)
    written = view.animate(
        loaded_run,
        place,
        machine=loaded_machine,
        fps=fps,
        speed=speed,
        exaggerate=exaggerate,
        trace=trace or (),
        frames=frames or (),
        plane=None if plane == "space" else plane,
    )
    print(f"written: {written}")
