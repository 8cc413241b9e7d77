"""``dalembert simulate``: any machine, from a file or ready-made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert import api
from dalembert.cli.experiment_options import runs_experiment
from dalembert.cli.output import console
from dalembert.core.errors import SimulationError, WriteError
from dalembert.core.files import target_file
from dalembert.loop.experiment import Experiment
from dalembert.simulation.run import Run

__all__ = ["simulate"]


@runs_experiment
def simulate(
    experiment: Experiment,
    out: Annotated[Path | None, typer.Option(help="Write the run as a NetCDF file.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the run as comma-separated columns.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the run (.png, .pdf, .svg).")] = None,
) -> None:
    """Simulate a machine.

    What its file says about the simulation holds unless an option says otherwise.
    """
    _check_targets(out, csv, plot)
    if experiment.duration is None:
        experiment = experiment.replace(duration=10.0)
    run = api.simulate(experiment, check=False)
    console().print(str(run), markup=False)
    _write(run, out, csv, plot)
    if not run.ok:
        raise SimulationError(run.message, run)


def _check_targets(out: Path | None, csv: Path | None, plot: Path | None) -> None:
    """Refuse files that cannot be written before the work is done, not after it."""
    for path in (out, csv):
        if path is not None:
            target_file(path)
    if plot is not None:
        from dalembert.view.plots import picture_file

        picture_file(plot)


def _write(run: Run, out: Path | None, csv: Path | None, plot: Path | None) -> None:
    """Write all that was asked for; a file that cannot be written does not keep the others from it."""
    failures = []
    for path, write in ((out, run.save), (csv, run.to_csv), (plot, lambda path: run.plot(path=path))):
        if path is not None:
            try:
                write(path)
                print(f"written: {path}")
            except WriteError as error:
                failures.append(error)
    if failures:
        raise WriteError("; ".join(map(str, failures)))
