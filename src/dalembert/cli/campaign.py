"""``dalembert campaign``: many members of a machine, kept in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.cli.output import number, show, table
from dalembert.cli.targets import ForceOption, target
from dalembert.core.errors import InputError
from dalembert.core.files import make_folder, write_file

if TYPE_CHECKING:
    from dalembert.campaigns import Campaign

__all__ = ["campaign"]

_ACTIONS = ("status", "resume", "export", "report")


def campaign(
    what: Annotated[
        str, typer.Argument(metavar="FILE|ACTION", help="A campaign file; or status, resume, export, report.")
    ],
    folder: Annotated[
        Path | None, typer.Argument(help="Folder of the campaign, or of results; default: FILE without its ending.")
    ] = None,
    runner: Annotated[str | None, typer.Option(help="local, dask, cuda; overrides the file.")] = None,
    workers: Annotated[int, typer.Option(help="Processes, or GPUs; 0: one per core, or all.")] = 0,
    address: Annotated[str | None, typer.Option(help="Address of an existing Dask scheduler.")] = None,
    out: Annotated[Path | None, typer.Option(help="File of export (.csv, .parquet) or report (.html).")] = None,
    force: ForceOption = False,
) -> None:
    """Simulate many members of a machine, and sum them up.

    Rows are saved as they arrive: an interrupted or killed campaign resumes where it stopped.
    """
    if what in _ACTIONS:
        if folder is None:
            raise InputError(f"dalembert campaign {what} needs the folder of a campaign")
        if what == "resume":
            _run(folder / "campaign.yaml", folder, runner, workers, address)
        else:
            _look(what, folder, out)
        return
    file = Path(what)
    _run(file, folder or file.with_suffix(""), runner, workers, address)


def _run(file: Path, folder: Path, runner: str | None, workers: int, address: str | None) -> None:
    from dalembert.campaigns import campaign as start
    from dalembert.campaigns.files import load_campaign

    asked = load_campaign(file)
    make_folder(folder)
    for name, text in asked.texts.items():
        if not (folder / name).exists():
            write_file(folder / name, text)
    options: dict[str, Any] = {**asked.options, "workers": workers, "address": address}
    if runner is not None:
        options["runner"] = runner
    elif address is not None:
        options["runner"] = "dask"
    result = start(asked.experiment, store=folder, **options)
    _show(result, asked.success)
    print(f"rows are in {folder}; dalembert campaign report {folder}")


def _look(what: str, folder: Path, out: Path | None) -> None:
    from dalembert.campaigns import open_campaign
    from dalembert.campaigns.files import load_campaign

    result = open_campaign(folder)
    if what == "status":
        file = folder / "campaign.yaml"
        _show(result, load_campaign(file).success if file.exists() else None)
    elif what == "export":
        place = target(out or folder.with_suffix(".csv"), "table of a campaign")
        print(f"written: {result.export(place)}")
    else:
        place = target(out or folder.with_suffix(".html"), "report")
        print(f"written: {result.report(place)}")


def _show(result: Campaign, success: str | None) -> None:
    done = len(result.table)
    print(f"{result.question['what']}: {done} of {len(result.values)} members done")
    if not done:
        return
    for status, count in result.table["status"].value_counts().items():
        print(f"  {count} {status}")
    summary = result.summary()
    rows = table("measure", *summary.columns, right=tuple(summary.columns))
    for name, row in summary.iterrows():
        rows.add_row(str(name), *(number(float(x)) for x in row))
    show(rows)
    if success is not None:
        p = result.probability(success)
        interval = f"95 % between {p.low:.4f} and {p.high:.4f}"
        print(f"success ({success}): {p.successes} of {p.members}, {p.estimate:.4f} ({interval})")
    failures = result.failures()
    for reason, count in failures["reason"].value_counts().head(5).items():
        print(f"  {count} failed: {reason}")
