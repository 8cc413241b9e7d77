"""``dalembert check``: everything that is wrong with machine files; ``dalembert new`` and ``schema``: to begin with."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.completion import starter_names
from dalembert.cli.output import show, table
from dalembert.cli.targets import ForceOption, target
from dalembert.core.doing import doing
from dalembert.core.errors import DalembertError, FileFormatError, InputError
from dalembert.core.files import write_file
from dalembert.loop.start import Start

__all__ = ["check", "new", "schema"]


def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Machine files (.yaml), .urdf, MJCF (.xml).")],
) -> None:
    """Say everything that is wrong with machine files.

    Every mistake comes with its file and line. Ropes must have a route at the start. For a valid machine with
    constraints it also prints the mobility at the start: degrees of freedom, redundant rows, singular configurations.

    Exit status 1 if something is.
    """
    wrong = 0
    for path in files:
        with doing(f"checking '{path}'"):
            errors = _faults(path)
        wrong += len(errors)
        for error in errors:
            print(error, file=sys.stderr)
    if wrong:
        print(f"{wrong} {'mistake' if wrong == 1 else 'mistakes'}", file=sys.stderr)
        raise typer.Exit(1)


def _faults(path: Path) -> list[FileFormatError]:
    from dalembert.io.machine_check import check_machine
    from dalembert.io.machine_files import load_machine
    from dalembert.io.robot_files import ROBOT_ENDINGS, load_robot

    if path.suffix.lower() in ROBOT_ENDINGS:
        try:
            print(f"{path}: {load_robot(path)[0]}")
        except DalembertError as error:
            return [FileFormatError(str(error))]
        return []

    errors = check_machine(path)
    if not errors:
        print(f"{path}: {load_machine(path)}")
        return _unassembled(path)
    return errors


def _unassembled(path: Path) -> list[FileFormatError]:
    """Print how the machine of a sound file can move where it starts; return why it cannot be assembled there."""
    from dalembert.analysis.assembly import mobility
    from dalembert.io.experiment_files import load_experiment

    experiment = load_experiment(path)
    machine, start = experiment.machine, experiment.start
    if not machine.constrained or not isinstance(start, Start):
        return []
    try:
        about = mobility(machine, start.q, branch=start.branch, reach=start.reach, t=start.t, p=experiment.p)
        print(f"  at its start: {about}")
    except InputError as error:
        return [FileFormatError(f"{path}: {error}")]
    return []


def new(
    kind: Annotated[
        str | None,
        typer.Argument(
            help="crane, arm, cable-robot, flexible-arm, chaser or falling-chain; without one, list them.",
            autocompletion=starter_names,
        ),
    ] = None,
    out: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="The file; KIND.yaml by default.")] = None,
    force: ForceOption = False,
) -> None:
    """Write a commented machine file to begin with."""
    from dalembert.io.starter_files import STARTERS, starter

    if kind is None:
        listing = table("kind", "what")
        for name, what in STARTERS.items():
            listing.add_row(name, what)
        show(listing)
        return
    text = starter(kind)
    path = target(out or Path(f"{kind}.yaml"), "starter", (".yaml", ".yml"))
    write_file(path, text.replace(f"{kind}.yaml", str(path)))
    print(f"written: {path}\nnext:    dalembert simulate {path} --plot {path.with_suffix('.png')}")


def schema(
    out: Annotated[Path | None, typer.Option(help="Write it to a file instead of printing it.")] = None,
    force: ForceOption = False,
) -> None:
    """Print the JSON Schema of machine files, for editors.

    Most editors take it from a first line such as: # yaml-language-server: $schema=machine.schema.json
    """
    from dalembert.io.json_schema import machine_json_schema

    text = json.dumps(machine_json_schema(), indent=2) + "\n"
    if out is None:
        print(text, end="")
        return
    place = target(out, "schema")
    print(f"written: {write_file(place, text)}")
