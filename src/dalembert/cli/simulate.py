"""``dalembert simulate``: any machine, from a file or ready-made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert import api
from dalembert.cli.experiment_options import runs_experiment
from dalembert.cli.output import console
from dalembert.cli.targets import ForceOption, check_targets
from dalembert.core.errors import SimulationError, WriteError
from dalembert.loop.experiment import Experiment
from dalembert.simulation.run import Run

__all__ = ["simulate"]


@runs_experiment
def simulate(
    experiment: Experiment,
    out: Annotated[Path | None, typer.Option(help="Write the run as a NetCDF file.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the run as comma-separated columns.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the run (.png, .pdf, .svg).")] = None,
    force: ForceOption = False,
) -> None:
    """Simulate a machine.

    Simulation settings of the machine file apply unless an option overrides them.
    """
    if plot is not None:
        from dalembert.view.plots import picture_file

        picture_file(plot)
    check_targets((out, "run"), (csv, "table of a run"), (plot, "plot"))
    if experiment.duration is None:
        experiment = experiment.replace(duration=10.0)
    run = api.simulate(experiment, check=False)
    console().print(str(run), markup=False)
    _write(run, out, csv, plot)
    if not run.ok:
        raise SimulationError(run.message, run)


def _write(run: Run, out: Path | None, csv: Path | None, plot: Path | None) -> None:
    """Write all requested files; a file that cannot be written does not prevent the others."""
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
