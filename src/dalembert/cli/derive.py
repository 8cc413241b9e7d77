"""``dalembert derive``: the derivation of the equations of a machine as a document."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.machines import MachineArgument, find_machine
from dalembert.cli.targets import ForceOption, target
from dalembert.core.doing import doing

__all__ = ["derive"]


def derive(
    machine: MachineArgument,
    out: Annotated[
        Path | None, typer.Option(help="The document: .html, .md, .tex, or .pdf (package typst); NAME.html by default.")
    ] = None,
    terms: Annotated[int, typer.Option(help="Terms of the longest expression that is printed.", min=1)] = 160,
    force: ForceOption = False,
) -> None:
    """Write the derivation of the equations of motion, step by step.

    By Lagrange and by recursion: placements, positions, velocities, energies, mass matrix, Christoffel symbols,
    gravity, equations. Each formula is compared with the compiled functions of the machine.
    """
    from dalembert.analysis import derivation
    from dalembert.view.derivation import ENDINGS, write_derivation

    with doing(f"deriving '{machine}'"):
        loaded = find_machine(machine)
        path = out or Path(f"{loaded.name}.html")
        place = target(path, "report" if path.suffix == ".html" else "derivation", ENDINGS)
        sheet = derivation(loaded, limit=terms)
        written = write_derivation(sheet, place)
        found = sheet.check()
    worst = f", largest difference {max(found.values()):.1e}" if found else ""
    print(f"written: {written} ({len(found)} formulas checked{worst})")
