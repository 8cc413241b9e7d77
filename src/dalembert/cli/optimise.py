"""``dalembert optimise``: the motion of least cost of a machine."""

from __future__ import annotations

import csv as tables
from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert import api
from dalembert.cli.experiment_options import assignments, runs_experiment, spans
from dalembert.cli.output import console
from dalembert.cli.targets import ForceOption, check_targets
from dalembert.core.errors import InputError, PlanError
from dalembert.core.warn import warn
from dalembert.loop.experiment import Experiment, Start
from dalembert.loop.optimise import optimise as plan_motion
from dalembert.optimal.cost import Cost
from dalembert.optimal.planned import OptimalPlan

__all__ = ["optimise"]


@runs_experiment
def optimise(
    experiment: Experiment,
    end: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Value of a coordinate, velocity or quantity at the end; repeatable."),
    ] = None,
    between: Annotated[
        str | None, typer.Option(metavar="SHORTEST:LONGEST", help="Range of the duration [s]; default: --duration.")
    ] = None,
    effort: Annotated[float, typer.Option(help="Weight of the squared inputs.")] = 1.0,
    time: Annotated[float, typer.Option(help="Weight of the duration; with --effort 0 it minimises the time.")] = 0.0,
    limit: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=LOW:HIGH", help="Range of a quantity, tension.ROPE or rate.INPUT; repeatable."),
    ] = None,
    free: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Coordinate or velocity that may end anywhere; repeatable.")
    ] = None,
    parameter: Annotated[
        list[str] | None, typer.Option(metavar="NAME=LOW:HIGH", help="Parameter that is free, with its range.")
    ] = None,
    intervals: Annotated[int, typer.Option(help="Intervals of the first grid.")] = 10,
    tolerance: Annotated[float, typer.Option(help="Largest error of the grid.")] = 1e-7,
    out: Annotated[
        Path | None, typer.Option(help="Simulate with the inputs of the plan; write the run (NetCDF).")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the plan as comma-separated columns.")] = None,
    force: ForceOption = False,
) -> None:
    """Plan the motion of least cost of a machine, within its limits.

    It starts as the machine file (or --q0, --v0) says and ends at rest where --end says.
    """
    check_targets((out, "run"), (csv, "table of a run"))
    if not isinstance(experiment.start, Start):
        raise InputError("optimise does not support --start: give --q0 and --v0")
    duration: Any = experiment.duration
    if between is not None:
        (duration,) = spans([f"duration={between}"], "between", "SHORTEST:LONGEST").values()
    plan = plan_motion(
        experiment, duration=duration, cost=Cost(effort=effort, time=time), end=assignments(end or [], "end"),
        limits=spans(limit or [], "limit"), free=tuple(free or ()), parameters=spans(parameter or [], "parameter"),
        intervals=intervals, tolerance=tolerance, check=False,
    )  # fmt: skip
    _show(plan)
    if csv is not None:
        names, rows = plan.table
        with csv.open("w", newline="", encoding="utf-8") as file:
            tables.writer(file).writerows([names, *rows.tolist()])
        print(f"written: {csv}")
    if plan.status == "inaccurate":
        warn(plan.message)
    elif plan.status != "optimal":
        raise PlanError(plan.message, plan)
    if out is not None:
        played = experiment.replace(duration=plan.duration, control=plan.feedforward, p=plan.parameters or None)
        run = api.simulate(played, check=False)
        run.save(out)
        print(f"written: {out}")


def _show(plan: OptimalPlan) -> None:
    lines = [f"{plan.status}: cost {plan.cost:.10g}, duration {plan.duration:.9g} s, {plan.iterations} iterations"]
    lines += [f"phase {name}: from {begin:.6g} s, {length:.6g} s" for name, begin, length in plan.phases[1:]]
    lines += [f"parameter {name}: {value:.9g}" for name, value in plan.parameters.items()]
    lines += [
        f"grid of {grid.intervals} intervals: cost {grid.cost:.10g}, error {grid.error:.1e}, limits passed by "
        f"{grid.violation:.1e}"
        for grid in plan.grids
    ]
    console().print("\n".join(lines), markup=False, highlight=False)
