"""``dalembert plot``: signals of a saved run over time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert import api
from dalembert.cli.completion import run_files
from dalembert.cli.targets import ForceOption, target

__all__ = ["plot"]


def plot(
    run: Annotated[
        Path,
        typer.Argument(help="A run file (dalembert simulate --out RUN).", show_default=False, autocompletion=run_files),
    ],
    signals: Annotated[
        list[str] | None,
        typer.Argument(help="Signals, or patterns such as 'theta*'; default: all and the energy audit."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="File to write: .png, .pdf, .svg; default: the run's name with .png.")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Draw signals of a saved run, one panel per unit."""
    place = target(run.with_suffix(".png") if out is None else out, "plot")
    loaded_run = api.load_run(run)
    loaded_run.plot(*(signals or ()), path=place)
    print(f"written: {place}")
