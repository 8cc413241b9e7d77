"""The machine that an argument names: a ready-made one, a machine file, a URDF or an MJCF."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert.cli.completion import machine_names
from dalembert.core.doing import doing
from dalembert.core.errors import FileFormatError, InputError
from dalembert.model.machine import Machine

__all__ = ["CARRIED", "MachineArgument", "find_machine"]

MachineArgument = Annotated[
    str,
    typer.Argument(
        help="A machine file (.yaml), a .urdf, an MJCF (.xml), or the name of a ready-made machine.",
        autocompletion=machine_names,
    ),
]

CARRIED = ("q0", "v0", "p", "limits", "contact", "switches")
"""What a program that leaves the library takes from the settings of a simulation, besides the law."""


def find_machine(name: str) -> tuple[Machine, dict[str, Any]]:
    """Return a machine and how it is simulated by default."""
    with doing(f"reading '{name}'"):
        return _found(name)


def _found(name: str) -> tuple[Machine, dict[str, Any]]:
    from dalembert.systems import SYSTEMS

    if name in SYSTEMS:
        return SYSTEMS[name].make(), SYSTEMS[name].settings()
    path = Path(name)
    if not path.exists():
        known = ", ".join(sorted(SYSTEMS))
        raise InputError(f"'{name}' is neither a file nor a ready-made machine; ready-made are: {known}")
    if path.is_dir():
        raise InputError(f"'{name}' is a folder; expected a machine file (.yaml), a .urdf or an MJCF (.xml)")
    from dalembert.io.machine_files import load_simulation
    from dalembert.io.robot_files import ROBOT_ENDINGS, load_robot

    if path.suffix.lower() in ROBOT_ENDINGS:
        return load_robot(path)
    if path.suffix.lower() not in (".yaml", ".yml"):
        raise FileFormatError(
            f"{path}: expected a machine file (.yaml, .yml), a .urdf or an MJCF (.xml), got '{path.suffix}'"
        )

    return load_simulation(path)
