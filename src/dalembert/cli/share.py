"""``dalembert share``: a machine as one HTML file that simulates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.experiment_options import runs_experiment
from dalembert.cli.targets import ForceOption, target
from dalembert.loop.experiment import Experiment

__all__ = ["share"]


@runs_experiment
def share(
    experiment: Experiment,
    out: Annotated[Path | None, typer.Option(help="The file; NAME.html by default.")] = None,
    equations: Annotated[
        bool | None, typer.Option(help="Write the equations of motion; default: if the machine is small.")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write a machine as one HTML file that simulates, offline.

    The page has the machine and the engine as WebAssembly, with sliders for parameters, gains and the start, plots and
    the energy audit. Viewing it requires only a browser.
    """
    from dalembert.view.page.live import share as write_page

    place = target(out or Path(f"{experiment.machine.name}.html"), "report")
    written = write_page(experiment, place, equations=equations)
    print(f"written: {written} ({written.stat().st_size / 1e6:.2f} MB)")
