"""The command ``dalembert``: one thin file per command."""

from __future__ import annotations

from dalembert.cli.app import run

__all__ = ["main"]


def main() -> None:
    """Run the command line and leave with its exit status."""
    raise SystemExit(run())
