"""``dalembert demo``: a chaser catches tumbling debris; or a six-axis arm makes a move under computed torque."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert import api
from dalembert.cli.machines import find_experiment
from dalembert.cli.output import console, show, table
from dalembert.cli.targets import ForceOption, target
from dalembert.core.files import make_folder, write_file

if TYPE_CHECKING:
    from rich.table import Table

    from dalembert.formulations.equations import EquationsOfMotion
    from dalembert.model.machine import Machine
    from dalembert.simulation.run import Run

__all__ = ["demo"]


class Which(StrEnum):
    """Demonstration to run."""

    capture = "capture"
    arm = "arm"


def demo(
    which: Annotated[
        Which, typer.Argument(help="capture: a chaser catches tumbling debris; arm: an arm under computed torque.")
    ] = Which.capture,
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("dalembert-demo"),
    plot: Annotated[bool, typer.Option("--plot/--no-plot", help="Draw the run.")] = True,
    seed: Annotated[int, typer.Option(help="Case of the capture: tumbling, errors of the model, noise.")] = 0,
    speed: Annotated[float, typer.Option(help="Tumbling of the debris [degrees per second].")] = 4.0,
    hold_point: Annotated[
        float | None,
        typer.Option(help="Distance [m] at which the mission begins; without it at the side of the debris."),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Fly a capture of tumbling debris, and report on it.

    A chaser with a flexible arm and flexible solar arrays watches the debris, plans within its limits, approaches,
    goes with it, grips and brings the stack to rest, with errors in its model and noise in its sensors. With
    --hold-point 30 it begins 30 m away and flies around the debris to the side that the plan chose; without, it begins
    at that side and the flight there is not simulated.
    """
    make_folder(out)
    target(out / "run.nc", "run")
    if plot:
        target(out / "report.png", "plot")
    if which is Which.arm:
        _arm(out, plot)
    else:
        target(out / "report.html", "report")
        _capture(out, plot, seed, speed, hold_point)


def _capture(out: Path, plot: bool, seed: int, speed: float, hold_point: float | None) -> None:
    import time

    from dalembert.systems.space_robots import FAR_CAMERA, fly_capture, random_case
    from dalembert.view import capture_report, capture_rows, plot_capture

    screen = console()
    start = time.perf_counter()
    if hold_point is None:
        outcome = fly_capture(random_case(seed, speed), tell=screen.print)
    else:
        outcome = fly_capture(random_case(seed, speed), tell=screen.print, hold_point=hold_point, camera=FAR_CAMERA)
    wall = time.perf_counter() - start
    if outcome.approach is None:
        screen.print(f"not captured: {outcome.reason}")
        raise typer.Exit(1)
    rows = table("quantity", "value", "limit", "", title=f"{outcome.whole.t[-1]:.0f} s of a mission", right=("value",))
    for row in capture_rows(outcome):
        rows.add_row(*row)
    rows.add_row("time to derive, compile and simulate", f"{wall:.1f} s", "", "")
    show(rows, screen)
    far = "" if hold_point is None else f" --hold-point {hold_point:g}"
    command = f"dalembert demo --seed {seed} --speed {speed:g}{far}"
    written = [capture_report(outcome, out / "report.html", command=command), outcome.whole.save(out / "run.nc")]
    if plot:
        plot_capture(outcome, out / "report.png")
        written.append(out / "report.png")
    screen.print("written: " + ", ".join(map(str, written)))
    if not outcome.ok:
        raise typer.Exit(1)


def _arm(out: Path, plot: bool) -> None:
    """Derive, verify, compile and simulate a six-axis arm under a computed-torque law."""
    import time

    from dalembert.analysis.verify import verify

    screen = console()
    experiment = find_experiment("six-axis-arm")
    machine, law = experiment.machine, experiment.control
    target(out / "machine.yaml", "machine file", content=machine.to_yaml())
    screen.print(f"[bold]{machine}[/bold]")
    report = verify(machine, samples=5)
    screen.print(f"formulations agree to {report.worst.residual:.0e} at {report.samples} random states")
    start = time.perf_counter()
    eom = experiment.equations
    run = api.simulate(experiment)
    wall = time.perf_counter() - start
    show(_summary(machine, eom, run, law, wall), screen)
    written = [run.save(out / "run.nc"), write_file(out / "machine.yaml", machine.to_yaml())]
    if plot:
        run.plot(path=out / "report.png")
        written.append(out / "report.png")
    screen.print("written: " + ", ".join(map(str, written)))


def _summary(machine: Machine, eom: EquationsOfMotion, run: Run, law: Any, wall: float) -> Table:
    """Return the summary table."""
    import casadi as ca
    import numpy as np

    t = ca.SX.sym("t")
    reference = ca.Function("r", [t], [law.reference(t)])(run.t[None, :]).full().T
    q = run.array(machine.q_names)
    tool = eom.pose("tool", q)[:, :3, 3]
    path = float(np.linalg.norm(np.diff(tool, axis=0), axis=1).sum())
    efforts = {m.name: float(np.abs(run[f"u.{m.name}"]).max()) / m.effort for m in machine.limited_motors}
    busiest = max(efforts, key=lambda name: efforts[name])
    rows = table("quantity", "value", title=f"{run.t[-1]:g} s of motion", right=("value",))
    rows.add_row("status", run.status)
    rows.add_row("path of the tool", f"{path:.3f} m")
    rows.add_row("largest tracking error", f"{np.abs(q - reference).max():.1e} rad")
    rows.add_row("largest joint speed", f"{np.abs(run.array(machine.v_names)).max():.2f} rad/s")
    rows.add_row(f"hardest-working motor, {busiest}", f"{100 * efforts[busiest]:.0f} % of its limit")
    rows.add_row("work of the motors", f"{run.energy.work_input[-1]:.1f} J")
    rows.add_row("energy balance, relative", f"{run.energy.drift:.1e}")
    rows.add_row("time to derive, compile and simulate", f"{wall:.2f} s")
    rows.add_row("of which simulation", f"{1e3 * run.metadata.get('wall_time', float('nan')):.1f} ms")
    return rows
