"""``dalembert report``: a saved run as one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert import api, view
from dalembert.cli.completion import run_files
from dalembert.cli.machines import find_machine
from dalembert.cli.targets import ForceOption, target

__all__ = ["report"]


def report(
    run: Annotated[
        Path,
        typer.Argument(help="A run file (dalembert simulate --out RUN).", show_default=False, autocompletion=run_files),
    ],
    signals: Annotated[
        list[str] | None,
        typer.Argument(help="Signals to plot, or patterns such as 'theta*'; default: all, with the energies."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to write; default: the run's name with .html.")] = None,
    equations: Annotated[
        bool | None, typer.Option(help="Write the equations of motion; default: if the machine is small.")
    ] = None,
    machine: Annotated[
        str | None, typer.Option(help="The machine, if the run file does not contain it: a file or a ready-made one.")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write a report of a saved run.

    One HTML file with the machine in motion, plots, energy audit and events.
    """
    place = target(run.with_suffix(".html") if out is None else out, "report")
    loaded_run = api.load_run(run)
    loaded_machine = None if machine is None else find_machine(machine)
    written = view.report(loaded_run, place, machine=loaded_machine, signals=signals or None, equations=equations)
    print(f"written: {written}")
