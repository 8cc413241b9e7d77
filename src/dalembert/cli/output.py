"""How the commands print."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["console", "examples", "number", "show", "table"]

_NARROW = 72  # columns: below, long words are not folded within the columns of a table


def console() -> Console:
    """Return the console of the standard output; wide where it is no terminal, so that tables are not broken."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 160, highlight=False)


def table(*columns: str, title: str | None = None, right: tuple[str, ...] = ()) -> Table:
    """Return an empty table; columns named in ``right`` are right-aligned."""
    from rich.markup import escape
    from rich.table import Table

    new_table = Table(title=title, title_justify="left", show_lines=False)
    for column in columns:
        new_table.add_column(escape(column), justify="right" if column in right else "left", overflow="fold")
    return new_table


def show(listing: Table, screen: Console | None = None) -> None:
    """Print a table; where its words do not fit beside each other, its rows one below the other."""
    from rich.measure import Measurement
    from rich.padding import Padding
    from rich.text import Text

    out = screen or console()
    least = Measurement.get(out, out.options.update(width=1000), listing).minimum
    if out.width >= _NARROW or least <= out.width:
        out.print(listing)
        return
    if listing.title:
        out.print(listing.title, style="bold")
    columns = [(column.header, list(column.cells)) for column in listing.columns]
    for row in range(listing.row_count):
        first, *rest = ((head, cells[row]) for head, cells in columns)
        out.print(first[1], style="bold")
        for head, cell in rest:
            if plain := (Text.from_markup(cell) if isinstance(cell, str) else cell):
                name = Text(f"{Text.from_markup(str(head))}: " if str(head) else "")
                out.print(Padding(name + plain if isinstance(plain, Text) else plain, (0, 0, 0, 2)))


def examples(*lines: str) -> str:
    """Return the end of a help text; the mark keeps its lines."""
    return "\b\nExamples:\n" + "\n".join(f"  dalembert {line}" for line in lines)


def number(x: object) -> str:
    """Write a number with six digits, text as it is."""
    return f"{x:.6g}" if isinstance(x, int | float) and not isinstance(x, bool) else str(x)
