"""``dalembert fmu``: a machine for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.experiment_options import runs_experiment
from dalembert.cli.targets import ForceOption, target
from dalembert.loop.experiment import Experiment

__all__ = ["fmu"]


@runs_experiment
def fmu(
    experiment: Experiment,
    out: Annotated[Path | None, typer.Option(help="The file; NAME.fmu by default.")] = None,
    fmi: Annotated[str, typer.Option(help="Version of FMI: 2.0 or 3.0.")] = "2.0",
    open_loop: Annotated[
        bool, typer.Option("--open", help="Leave out the law of the machine file: motors are inputs.")
    ] = False,
    force: ForceOption = False,
) -> None:
    """Write a machine as an FMU: co-simulation, model exchange.

    It contains the law, initial state, parameters, limits, contacts, constraints, switches and method of the machine
    file.
    """
    from dalembert.io.fmu.export import export_fmu

    if open_loop:
        experiment = experiment.replace(control=None)
    place = target(out or Path(f"{experiment.machine.name}.fmu"), "FMU")
    print(f"written: {export_fmu(experiment, place, version=fmi)}")
