"""The machine that an argument names: a ready-made one, a machine file, a URDF or an MJCF."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert.cli.completion import machine_names
from dalembert.core.doing import doing
from dalembert.core.errors import FileFormatError, InputError, did_you_mean
from dalembert.core.warn import warn
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.machine import Machine

__all__ = ["MachineArgument", "find_leaving", "find_machine", "no_machine"]

MachineArgument = Annotated[
    str,
    typer.Argument(
        help="A machine file (.yaml), a .urdf, an MJCF (.xml), or the name of a ready-made machine.",
        autocompletion=machine_names,
    ),
]

_CARRIED = ("q0", "v0", "p", "limits", "contact", "switches", "step", "control")


def find_machine(name: str) -> tuple[Machine, dict[str, Any]]:
    """Return a machine and how it is simulated by default."""
    with doing(f"reading '{name}'"):
        return _found(name)


def find_leaving(name: str, what: str) -> tuple[EquationsOfMotion, dict[str, Any]]:
    """Return the equations of a machine and what goes along when it leaves the library.

    A warning names the settings of its simulation that have no effect in ``what`` it becomes.
    """
    from dalembert.io.fmu.program import without_effect

    machine, settings = find_machine(name)
    lost = without_effect(settings)
    if lost:
        one = "has" if len(lost) == 1 else "have"
        warn(
            f"{', '.join(map(repr, lost))} of the simulation of '{machine.name}' {one} no effect in {what}: its solver "
            "takes fixed steps, by RK4 with projection onto constraints, or by time-stepping"
        )
    eom = derive(machine, **{k: settings[k] for k in ("by",) if k in settings})
    return eom, {k: settings[k] for k in _CARRIED if k in settings}


def no_machine(name: str, *, runs: bool = False) -> InputError:
    """What to say about a name that is neither a file nor a machine, with the nearest that is one (or a run)."""
    from dalembert.systems import SYSTEMS

    endings = (".yaml", ".yml", ".urdf", ".xml", *((".nc",) if runs else ()))
    here = [str(path) for ending in endings for path in Path().glob(f"*{ending}")]
    hint = did_you_mean(name, [*here, *SYSTEMS])
    known = ", ".join(sorted(SYSTEMS))
    return InputError(f"'{name}' is neither a file nor a ready-made machine{hint}; ready-made are: {known}")


def _found(name: str) -> tuple[Machine, dict[str, Any]]:
    from dalembert.systems import SYSTEMS

    if name in SYSTEMS:
        return SYSTEMS[name].make(), SYSTEMS[name].settings()
    path = Path(name)
    if not path.exists():
        raise no_machine(name)
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
