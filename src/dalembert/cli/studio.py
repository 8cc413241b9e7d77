"""``dalembert studio``: machines in the browser."""

from __future__ import annotations

import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.completion import machine_or_run_names
from dalembert.cli.machines import no_machine
from dalembert.core.doing import doing

__all__ = ["studio"]


def studio(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[MACHINE|RUN]",
            help="A machine file (.yaml), a .urdf, an MJCF (.xml), a run file (.nc), or the name of a ready-made "
            "machine.",
            show_default=False,
            autocompletion=machine_or_run_names,
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="Port on this computer; 0: any free port.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
) -> None:
    """Look at machines in the browser, change and run them.

    Served to this computer alone, without a network; Ctrl-C ends it.
    """
    from dalembert.systems import SYSTEMS
    from dalembert.view.studio.opened import open_path, open_system
    from dalembert.view.studio.server import Studio

    first = None
    if what is not None:
        if what not in SYSTEMS and not Path(what).exists():
            raise no_machine(what, runs=True)
        first = open_system(what) if what in SYSTEMS else open_path(Path(what))
    server = Studio(first, port=port)
    print(f"studio: {server.url}", flush=True)
    print("Ctrl-C ends it", flush=True)
    if browser:
        webbrowser.open(server.url)
    with doing(""), suppress(KeyboardInterrupt):  # the way to end it
        server.serve()
