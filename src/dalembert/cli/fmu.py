"""``dalembert fmu``: a machine for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert.cli.machines import CARRIED, MachineArgument, find_machine

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

    found, settings = find_machine(machine)
    given: dict[str, Any] = {k: settings[k] for k in (*CARRIED, "control") if k in settings}
    if open_loop:
        given.pop("control", None)
    longest = step if step is not None else settings.get("step")
    if longest is not None:
        given["step"] = longest
    print(f"written: {export_fmu(found, out or Path(f'{found.name}.fmu'), version=fmi, **given)}")
