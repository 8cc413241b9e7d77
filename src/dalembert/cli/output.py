"""How the commands print."""

from __future__ import annotations

import sys
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

__all__ = ["console", "number", "table"]


def console() -> Console:
    """Return the console of the standard output; wide where it is no terminal, so that tables are not broken."""
    return Console(width=None if sys.stdout.isatty() else 160, highlight=False)


def table(*columns: str, title: str | None = None, right: tuple[str, ...] = ()) -> Table:
    """Return an empty table; columns named in ``right`` are right-aligned."""
    made = Table(title=title, title_justify="left", show_lines=False)
    for column in columns:
        made.add_column(escape(column), justify="right" if column in right else "left", overflow="fold")
    return made


def number(x: Any) -> str:
    """Write a number with six digits, text as it is."""
    return f"{x:.6g}" if isinstance(x, int | float) and not isinstance(x, bool) else str(x)
