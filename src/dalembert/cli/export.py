"""``dalembert export``: a machine as a file of another engine, or as a machine file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.machines import MachineArgument, find_machine
from dalembert.cli.targets import ForceOption, target

__all__ = ["export"]


def export(
    machine: MachineArgument,
    out: Annotated[Path, typer.Argument(metavar="FILE", help="A .urdf, an .xml (MJCF), or a machine file (.yaml).")],
    force: ForceOption = False,
) -> None:
    """Write a machine as URDF, as MJCF or as a machine file.

    Elements that the format cannot represent are listed. A machine file holds the machine alone, without its
    simulation.
    """
    from dalembert.io import machine_to_yaml, to_mjcf, to_urdf

    path = target(out, "export", (".urdf", ".xml", ".mjcf", ".yaml", ".yml"))
    loaded_machine = find_machine(machine)
    match path.suffix.lower():
        case ".urdf":
            to_urdf(loaded_machine, path)
        case ".xml" | ".mjcf":
            to_mjcf(loaded_machine, path)
        case _:
            machine_to_yaml(loaded_machine, path)
    print(f"written: {path}")
