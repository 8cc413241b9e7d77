"""``dalembert fmu``: a machine for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.machines import MachineArgument, find_leaving

__all__ = ["fmu"]


def fmu(
    machine: MachineArgument,
    out: Annotated[Path | None, typer.Option(help="The file; NAME.fmu by default.")] = None,
    fmi: Annotated[str, typer.Option(help="Version of FMI: 2.0 or 3.0.")] = "2.0",
    step: Annotated[float | None, typer.Option(help="Longest step of the solver inside [s].")] = None,
    open_loop: Annotated[
        bool, typer.Option("--open", help="Leave out the law of the machine file: motors are inputs.")
    ] = False,
) -> None:
    """Write a machine as an FMU: co-simulation, model exchange.

    What its file says about law, initial state, parameters, limits, contacts and switches is inside.
    """
    from dalembert.io.fmu.export import export_fmu

    found, given = find_leaving(machine, "an FMU")
    if open_loop:
        given.pop("control", None)
    if step is not None:
        given["step"] = step
    print(f"written: {export_fmu(found, out or Path(f'{found.machine.name}.fmu'), version=fmi, **given)}")
