"""The command ``dalembert``: one thin file per command."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line and leave with its exit status."""
    from dalembert.cli.app import run

    raise SystemExit(run())
