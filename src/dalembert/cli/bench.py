"""``dalembert bench``: speed, side by side with the peers that are installed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert.cli.targets import ForceOption, check_targets

__all__ = ["bench"]


def bench(
    topic: Annotated[
        str,
        typer.Argument(
            help="arms: published robots; chains: cost by links; crane; cable-robot; flexible-arm; rollouts; studio; "
            "contact; fmu; mpc; wasm."
        ),
    ] = "arms",
    json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write the figures to a JSON file.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few repetitions, small machines, no long builds.")] = False,
    robot: Annotated[list[str] | None, typer.Option(help="Robot to measure; may be given several times.")] = None,
    quantity: Annotated[
        str, typer.Option(help="Quantity to compute for robots: forward, inverse, mass-matrix, derivatives, all.")
    ] = "forward",
    plot: Annotated[
        Path | None, typer.Option(help="Write a plot of the topic chains to a file (png, svg, pdf).")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Measure speed, side by side with the peers.

    Exit status 1 if the results of one of them differ from ours.
    """
    from dalembert.benchmarks import main

    if json and out:
        raise typer.BadParameter("--json prints the figures, --out writes them: give one of them")
    check_targets((out, "benchmark"), (plot, "plot"))
    options: dict[str, Any] = {"json": "-" if json else str(out) if out else None, "quick": quick, "robots": robot}
    status = main(**options, topic=topic, quantity=quantity, plot=str(plot) if plot else None)
    if status:
        raise typer.Exit(status)
