"""``dalembert realtime``: a machine in step with the clock."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli.machines import MachineArgument, find_leaving
from dalembert.cli.output import show, table
from dalembert.core.doing import doing

__all__ = ["realtime"]


def realtime(
    machine: MachineArgument,
    period: Annotated[float, typer.Option(help="Seconds between two deadlines.")] = 1e-3,
    duration: Annotated[float | None, typer.Option(help="Seconds; until Ctrl-C by default.")] = None,
    port: Annotated[int | None, typer.Option(help="UDP port on 127.0.0.1; 0: a free one.")] = None,
    lockstep: Annotated[bool, typer.Option("--lockstep", help="Wait for an input before each period.")] = False,
    speed: Annotated[
        float, typer.Option(help="Of the model's time relative to the clock; 0: as fast as possible.")
    ] = 1.0,
    open_loop: Annotated[
        bool, typer.Option("--open", help="Leave out the law of the machine file: inputs come over UDP.")
    ] = False,
) -> None:
    """Run a machine in step with the clock."""
    from dalembert.io.realtime import realtime as start

    found, given = find_leaving(machine, "a loop in real time")
    if open_loop:
        given.pop("control", None)
    loop = start(found, period=period, duration=duration, port=port, lockstep=lockstep, speed=speed, **given)
    if loop.port is not None:
        print(f"127.0.0.1:{loop.port} takes {', '.join(loop.inputs) or '(no inputs)'}", flush=True)
    try:
        with doing(""):
            loop.wait()
    except KeyboardInterrupt:
        pass
    finally:
        loop.stop()
    timing = loop.timing
    rows = table(
        "quantity", "value", title=f"{found.machine.name}: {timing.periods} periods of {period:g} s", right=("value",)
    )
    rows.add_row("overruns", str(timing.overruns))
    rows.add_row("median lateness", f"{1e6 * timing.median:.0f} us")
    rows.add_row("worst lateness", f"{1e6 * timing.worst:.0f} us")
    rows.add_row("packets received, refused, sent", f"{timing.received}, {timing.refused}, {timing.sent}")
    show(rows)
    loop.check()
