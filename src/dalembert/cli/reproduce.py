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

    Exit status 1 if one is missed that the errata page does not explain.
    """
    from rich.markup import escape

    from dalembert.studies import run_study, studies

    if listing:
        for known, what in studies().items():
            print(f"{known}: {what}")
        return
    rows = [row for study in ([name] if name else studies()) for row in run_study(study)]
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
                    known = (
                        "[yellow]known difference[/yellow]" if row.known_difference else "[bold red]MISSED[/bold red]"
                    )
                    mark = "[green]ok[/green]" if row.ok else known
                    tolerance = "identical" if row.tolerance == 0 else f"{row.tolerance:.1e}"
                    cells = map(escape, (row.quantity, row.source, number(row.published), number(row.obtained)))
                    shown.add_row(*cells, tolerance, mark)
            out.print(shown)
            for row in rows:
                if row.study == study and row.known_difference:
                    out.print(
                        f"{escape(row.quantity)}: {escape(row.known_difference)}", style="yellow", highlight=False
                    )
        count = sum(bool(row.known_difference) for row in rows)
        explained = f"; {count} known differences, explained on the errata page" if count else ""
        out.print(f"{sum(row.ok for row in rows)} of {len(rows)} published results reproduced{explained}")
    if any(row.missed for row in rows):
        raise typer.Exit(1)
