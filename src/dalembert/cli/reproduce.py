"""``dalembert reproduce``: published numbers and ours."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["reproduce"]


def reproduce(
    name: Annotated[str | None, typer.Argument(help="Name of a study; all of them without one.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
    listing: Annotated[bool, typer.Option("--list", help="List the studies.")] = False,
) -> None:
    """Compare published results with ours.

    Exit status 1 if one is missed.
    """
    from rich.markup import escape

    from dalembert.studies import run_study, studies

    if listing:
        for known, what in studies().items():
            print(f"{known}: {what}")
        return
    rows = [row for study in ([name] if name else studies()) for row in run_study(study)]
    missed = [row for row in rows if not row.ok]
    if json:
        import json as json_module

        print(json_module.dumps([row.as_dict() for row in rows], indent=2))
    else:
        from dalembert.cli.output import console, number, table

        out = console()
        for study in dict.fromkeys(row.study for row in rows):
            shown = table("quantity", "source", "published", "ours", "tolerance", "", title=study, right=("tolerance",))
            for row in rows:
                if row.study == study:
                    mark = "[green]ok[/green]" if row.ok else "[bold red]MISSED[/bold red]"
                    tolerance = "identical" if row.tolerance == 0 else f"{row.tolerance:.1e}"
                    cells = map(escape, (row.quantity, row.source, number(row.published), number(row.obtained)))
                    shown.add_row(*cells, tolerance, mark)
            out.print(shown)
        out.print(f"{len(rows) - len(missed)} of {len(rows)} published results reproduced")
    if missed:
        raise typer.Exit(1)
