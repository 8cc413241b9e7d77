"""``dalembert bench``: speed, side by side with the peers that are installed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["bench"]


def bench(
    json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write the figures to a JSON file.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few repetitions, one robot, no long builds.")] = False,
    robot: Annotated[list[str] | None, typer.Option(help="Robot to measure; may be given several times.")] = None,
) -> None:
    """Measure speed, side by side with the peers.

    Exit status 1 if the accelerations of one of them differ from ours.
    """
    from dalembert.benchmarks import main

    status = main(json="-" if json else str(out) if out else None, quick=quick, robots=robot)
    if status:
        raise typer.Exit(status)
