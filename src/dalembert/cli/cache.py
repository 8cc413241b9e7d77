"""``dalembert cache``: the compiled kernels on the disk."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli.output import examples
from dalembert.compile import cache_content, cache_directory, clean_cache

__all__ = ["cache"]

cache = typer.Typer(
    name="cache",
    help="Show the compiled kernels on the disk, or remove them.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@cache.callback()
def _show(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        count, size = cache_content()
        print(f"{cache_directory()}: {count} kernels, {size / 2**20:.1f} MiB")


@cache.command("clean", epilog=examples("cache clean", "cache clean --unused 30"))
def _clean(
    unused: Annotated[float, typer.Option(metavar="DAYS", help="Only kernels not used for this many days.")] = 0.0,
) -> None:
    """Remove compiled kernels; dalembert rebuilds them when it needs them."""
    if not unused >= 0.0:
        raise typer.BadParameter(f"--unused must be a number of days >= 0, got {unused:g}")
    count, size = clean_cache(86400.0 * unused)
    print(f"{cache_directory()}: removed {count} kernels, {size / 2**20:.1f} MiB")
