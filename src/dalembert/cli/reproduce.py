"""``dalembert reproduce``: published numbers, identities and requirements, and ours."""

from __future__ import annotations

import json as json_module
import sys
from typing import Annotated

import typer
from rich.markup import escape

from dalembert.cli.completion import study_names
from dalembert.cli.output import console, number, show, table
from dalembert.core.doing import doing

__all__ = ["reproduce"]


def reproduce(
    name: Annotated[
        str | None, typer.Argument(help="Name of a study; all of them without one.", autocompletion=study_names)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
    short: Annotated[bool, typer.Option("--short", help="Leave out the slow rows.")] = False,
    listing: Annotated[bool, typer.Option("--list", help="List the studies.")] = False,
) -> None:
    """Compare published numbers, identities and requirements with ours.

    Exit status 1 if one is missed that the errata page does not explain. Printed numbers, identities, requirements and
    measured numbers have separate totals.
    """
    from dalembert.studies import Row, run_study, studies, totals

    if listing:
        for known, what in studies().items():
            print(f"{known}: {what}")
        return
    rows: list[Row] = []
    for study in [name] if name else studies():
        results, count = run_study(study, full=not short), 0
        while True:
            with doing(f"study '{study}', {count} rows so far"):
                row = next(results, None)
            if row is None:
                break
            rows.append(row)
            count += 1
            verdict = "ok" if row.ok else "known difference" if row.known_difference else "MISSED"
            verdict += f", stored {row.stored}" if row.stored else ""
            print(f"{study} {count}: {row.quantity}: {number(row.obtained)} ({verdict})", file=sys.stderr, flush=True)
    if json:
        print(json_module.dumps([row.as_dict() for row in rows], indent=2))
        print(totals(rows), file=sys.stderr)
    else:
        out = console()
        for study in dict.fromkeys(row.study for row in rows):
            columns = ("quantity", "source", "kind", "expected", "ours", "tolerance", "")
            shown = table(*columns, title=study, right=("tolerance",))
            for row in rows:
                if row.study == study:
                    known = (
                        "[yellow]known difference[/yellow]" if row.known_difference else "[bold red]MISSED[/bold red]"
                    )
                    mark = "" if row.tolerance is None else "[green]ok[/green]" if row.ok else known
                    mark += f" stored {row.stored}" if row.stored else ""
                    values = (number(row.published), number(row.obtained))
                    cells = map(escape, (row.quantity, row.source, row.kind, *values, _tolerance(row.tolerance)))
                    shown.add_row(*cells, mark)
            show(shown, out)
            for row in rows:
                if row.study == study and row.known_difference:
                    out.print(
                        f"{escape(row.quantity)}: {escape(row.known_difference)}", style="yellow", highlight=False
                    )
        out.print(totals(rows), markup=False, soft_wrap=True)
    if any(row.missed for row in rows):
        raise typer.Exit(1)


def _tolerance(value: float | None) -> str:
    if value is None:
        return "not asserted"
    return "identical" if value == 0 else f"{value:.1e}"
