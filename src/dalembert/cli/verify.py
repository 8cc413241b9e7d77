"""``dalembert verify``: every formulation of a machine against every other."""

from __future__ import annotations

import json as json_module
from dataclasses import asdict
from typing import Annotated

import typer
from rich.markup import escape

from dalembert.cli.interruption import interruptible
from dalembert.cli.machines import MachineArgument, find_machine
from dalembert.cli.output import console, show, table

__all__ = ["verify"]


def verify(
    machine: MachineArgument,
    samples: Annotated[int, typer.Option(help="Number of random states.")] = 20,
    seed: Annotated[int, typer.Option(help="Seed of the random states.")] = 0,
    tolerance: Annotated[float, typer.Option(help="Largest relative difference that counts as agreement.")] = 1e-9,
    json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
) -> None:
    """Compare all formulations of a machine.

    Exit status 1 if they disagree.
    """
    from dalembert.analysis.verify import verify as compare

    loaded_machine = find_machine(machine)
    with interruptible():
        report = compare(loaded_machine, samples=samples, seed=seed, tolerance=tolerance)
    if json:
        print(json_module.dumps({**asdict(report), "ok": report.ok}, indent=2))
    else:
        verdict = "all formulations agree" if report.ok else f"{len(report.failures)} comparisons FAIL"
        title = f"{escape(loaded_machine.name)}: {verdict} ({samples} random states, tolerance {tolerance:g})"
        rows = table("quantity", "formulations", "residual", "", title=title, right=("residual",))
        for row in report.rows:
            mark = "[green]ok[/green]" if row.ok else "[bold red]FAIL[/bold red]"
            rows.add_row(escape(row.quantity), " | ".join(row.pair), f"{row.residual:.1e}", mark)
        show(rows)
        for name, reason in report.left_out:
            console().print(escape(f"left out: {name} ({reason})"))
    if not report.ok:
        raise typer.Exit(1)
