"""``dalembert studio``: machines in the browser."""

from __future__ import annotations

import hashlib
import re
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.cli.completion import machine_or_run_names
from dalembert.cli.machines import no_machine
from dalembert.core.doing import doing
from dalembert.core.errors import InputError

if TYPE_CHECKING:
    from dalembert.campaigns import Campaign
    from dalembert.loop.experiment import Experiment
    from dalembert.view.studio.opened import Opened

__all__ = ["studio"]


def studio(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[MACHINE|RUN|CAMPAIGN]",
            help="A machine file (.yaml), a .urdf, an MJCF (.xml), a run file (.nc), the folder of a campaign, or the "
            "name of a ready-made machine.",
            show_default=False,
            autocompletion=machine_or_run_names,
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="Port on this computer; 0: any free port.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
    workspace: Annotated[
        Path | None,
        typer.Option(
            help="Folder of sessions and address; default DALEMBERT_STUDIO or ~/.local/state/dalembert/studio.",
            show_default=False,
        ),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(help="Name of the session to continue or begin; default: one per machine.", show_default=False),
    ] = None,
) -> None:
    """Look at machines in the browser, change and run them.

    Served only to this computer, without a network; Ctrl-C ends it. The session stays on disk: the next start continues
    it at the same address.
    """
    from dalembert.systems import SYSTEMS
    from dalembert.view.studio.opening import open_path, open_system
    from dalembert.view.studio.server import Studio
    from dalembert.view.studio.workspace import default_workspace

    first: Opened | Experiment | None = None
    members = None
    if what is not None:
        if what not in SYSTEMS and not Path(what).exists():
            raise no_machine(what, runs=True)
        if what not in SYSTEMS and Path(what).is_dir():
            first, members = _campaign(Path(what))
        else:
            first = open_system(what) if what in SYSTEMS else open_path(Path(what))
    folder = default_workspace() if workspace is None else workspace
    name = session or _session_name(what)
    server = Studio(first, port=port, workspace=folder, session=name, campaign=members)
    print(f"studio: {server.url}", flush=True)
    print("Ctrl-C ends it", flush=True)
    if browser:
        webbrowser.open(server.url)
    with doing(""), suppress(KeyboardInterrupt):  # the way to end it
        server.serve()


def _campaign(folder: Path) -> tuple[Experiment, Campaign]:
    """Open the campaign of a folder and its experiment."""
    from dalembert.campaigns import open_campaign
    from dalembert.campaigns.files import load_campaign

    members = open_campaign(folder)
    file = folder / "campaign.yaml"
    if not file.exists():
        raise InputError(
            f"{folder}: this campaign was not started from a file, so its machine is not there; in Python: "
            "Studio(experiment, campaign=da.open_campaign(folder)).serve()"
        )
    return load_campaign(file).experiment, members


def _session_name(what: str | None) -> str:
    """One session per machine or file, wherever the command is called from."""
    if what is None:
        return "main"
    path = Path(what)
    kept = re.sub(r"[^A-Za-z0-9]+", "-", path.stem).strip("-")[:40]
    place = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8] if path.exists() else ""
    return "-".join(word for word in (kept or "machine", place) if word)
