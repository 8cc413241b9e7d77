"""``dalembert realtime``: a machine in step with the clock."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.cli.experiment_options import runs_experiment
from dalembert.cli.output import show, table
from dalembert.cli.targets import ForceOption, target
from dalembert.core.doing import doing
from dalembert.core.errors import SimulationError
from dalembert.core.files import write_file
from dalembert.loop.experiment import Experiment

if TYPE_CHECKING:
    from dalembert.io.realtime import Realtime
    from dalembert.view.studio.server import Studio

__all__ = ["realtime"]


@runs_experiment
def realtime(
    experiment: Experiment,
    period: Annotated[float, typer.Option(help="Seconds between two deadlines.")] = 1e-3,
    port: Annotated[int | None, typer.Option(help="UDP port on 127.0.0.1; 0: any free port.")] = None,
    lockstep: Annotated[bool, typer.Option("--lockstep", help="Wait for an input before each period.")] = False,
    speed: Annotated[float, typer.Option(help="Model time relative to the clock; 0: as fast as possible.")] = 1.0,
    open_loop: Annotated[
        bool, typer.Option("--open", help="Leave out the law of the machine file: inputs come over UDP.")
    ] = False,
    studio: Annotated[bool, typer.Option("--studio", help="Follow the machine in the browser.")] = False,
    header: Annotated[Path | None, typer.Option(help="Write a C header of the UDP packets.")] = None,
    force: ForceOption = False,
) -> None:
    """Run a machine in step with the clock.

    It ends after the duration of its file or of the option, or with Ctrl-C.
    """
    from dalembert.io.realtime import realtime as start

    place = None if header is None else target(header, "header", (".h",))
    if open_loop:
        experiment = experiment.replace(control=None)
    loop = start(experiment, period=period, port=port, lockstep=lockstep, speed=speed)
    if loop.port is not None:
        print(f"127.0.0.1:{loop.port} takes {', '.join(loop.inputs) or '(no inputs)'}", flush=True)
        print(f"and sends {', '.join(loop.outputs)}", flush=True)
    if place is not None:
        print(f"written: {write_file(place, loop.header)}", flush=True)
    page = _studio(loop) if studio else None
    try:
        with doing(""):
            loop.wait()
    except (KeyboardInterrupt, SimulationError):  # the error is printed below the figures
        pass
    finally:
        loop.stop()
        if page is not None:
            page.close()
    timing = loop.timing
    title = f"{experiment.machine.name}: {timing.periods} periods of {period:g} s"
    rows = table("quantity", "value", title=title, right=("value",))
    rows.add_row("overruns", str(timing.overruns))
    rows.add_row("median lateness", f"{1e6 * timing.median:.0f} us")
    rows.add_row("worst lateness", f"{1e6 * timing.worst:.0f} us")
    if timing.late:
        rows.add_row("late samples of controllers", str(timing.late))
    rows.add_row("packets received, refused, sent", f"{timing.received}, {timing.refused}, {timing.sent}")
    show(rows)
    loop.check()


def _studio(loop: Realtime) -> Studio:
    """Serve the studio, which follows the loop."""
    import webbrowser

    from dalembert.view.studio.server import Studio

    page = Studio(loop).start()
    print(f"studio: {page.url}", flush=True)
    webbrowser.open(page.url)
    return page
