"""The machine that an argument names: a ready-made one, a machine file, a URDF or an MJCF."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.completion import machine_names
from dalembert.core.doing import doing
from dalembert.core.errors import FileFormatError, InputError, did_you_mean
from dalembert.loop.experiment import Experiment
from dalembert.model.machine import Machine

__all__ = ["MachineArgument", "find_experiment", "find_machine", "no_machine"]

MachineArgument = Annotated[
    str,
    typer.Argument(
        help="A machine file (.yaml), a .urdf, an MJCF (.xml), or the name of a ready-made machine.",
        autocompletion=machine_names,
    ),
]


def find_machine(name: str) -> Machine:
    """Return a machine."""
    return find_experiment(name).machine


def find_experiment(name: str) -> Experiment:
    """Return a machine with how it is simulated by default."""
    with doing(f"reading '{name}'"):
        return _read(name)


def no_machine(name: str, *, runs: bool = False) -> InputError:
    """Message for a name that is neither a file nor a machine, with the nearest machine (or run)."""
    from dalembert.systems import SYSTEMS

    endings = (".yaml", ".yml", ".urdf", ".xml", *((".nc",) if runs else ()))
    here = [str(path) for ending in endings for path in Path().glob(f"*{ending}")]
    hint = did_you_mean(name, [*here, *SYSTEMS])
    known = ", ".join(sorted(SYSTEMS))
    return InputError(f"'{name}' is neither a file nor a ready-made machine{hint}; ready-made are: {known}")


def _read(name: str) -> Experiment:
    from dalembert.systems import SYSTEMS

    if name in SYSTEMS:
        return SYSTEMS[name].experiment()
    path = Path(name)
    if not path.exists():
        raise no_machine(name)
    if path.is_dir():
        raise InputError(f"'{name}' is a folder; expected a machine file (.yaml), a .urdf or an MJCF (.xml)")
    from dalembert.io.experiment_files import load_experiment
    from dalembert.io.robot_files import ROBOT_ENDINGS, load_robot

    if path.suffix.lower() in ROBOT_ENDINGS:
        machine, settings = load_robot(path)
        return Experiment(machine).replace(**settings)
    if path.suffix.lower() not in (".yaml", ".yml"):
        raise FileFormatError(
            f"{path}: expected a machine file (.yaml, .yml), a .urdf or an MJCF (.xml), got '{path.suffix}'"
        )
    return load_experiment(path)
