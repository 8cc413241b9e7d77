"""``dalembert simulate``: any machine, from a file or ready-made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert import api
from dalembert.cli.machines import MachineArgument, find_machine
from dalembert.cli.output import console
from dalembert.core.errors import InputError, SimulationError, WriteError
from dalembert.core.files import target_file
from dalembert.simulation.settings import overridden

__all__ = ["simulate"]


def _values(what: str) -> Any:
    return typer.Option(metavar="NAME=VALUE", help=f"{what}; may be given several times.")


def simulate(
    machine: MachineArgument,
    duration: Annotated[float | None, typer.Option(help="Seconds to simulate.")] = None,
    t0: Annotated[float | None, typer.Option("--t0", help="Initial time [s].")] = None,
    method: Annotated[
        str | None, typer.Option(help="euler, heun, rk4; bs32, dopri5, dop853 (adaptive); cvodes, idas (stiff).")
    ] = None,
    step: Annotated[float | None, typer.Option(help="Step of fixed-step methods [s].")] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance of adaptive methods.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance of adaptive methods.")] = None,
    max_step: Annotated[float | None, typer.Option(help="Longest step of adaptive methods [s].")] = None,
    max_steps: Annotated[int | None, typer.Option(help="Number of steps after which the run fails.")] = None,
    record: Annotated[float | None, typer.Option(help="Interval of the recorded rows [s].")] = None,
    constraints: Annotated[
        str | None,
        typer.Option(
            help="How constraints are kept: projection, baumgarte, udwadia-kalaba, penalty, augmented-lagrangian, "
            "generalized-alpha, idas."
        ),
    ] = None,
    reach: Annotated[
        float | None, typer.Option(help="Violation of a constraint from which the start is still corrected.")
    ] = None,
    limits: Annotated[str | None, typer.Option(help="At joint limits: record, stop, ignore, contact.")] = None,
    contact: Annotated[str | None, typer.Option(help="Way through contacts: event-driven, time-stepping.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the noise of sensors.")] = None,
    member: Annotated[int | None, typer.Option(help="Member of a rollout whose noise it is.")] = None,
    by: Annotated[str | None, typer.Option(help="Formulation: newton-euler, lagrange, gibbs-appell, natural.")] = None,
    backend: Annotated[str | None, typer.Option(help="How equations are evaluated: auto, native, vm.")] = None,
    q0: Annotated[list[str] | None, _values("Initial coordinate")] = None,
    v0: Annotated[list[str] | None, _values("Initial velocity")] = None,
    p: Annotated[
        list[str] | None,
        typer.Option("-p", metavar="NAME=VALUE", help="Value of a parameter; may be given several times."),
    ] = None,
    start: Annotated[Path | None, typer.Option(help="Run file of this machine to go on from.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the run as a NetCDF file.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the run as comma-separated columns.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the run (.png, .pdf, .svg).")] = None,
) -> None:
    """Simulate a machine.

    What its file says about the simulation holds unless an option says otherwise.
    """
    _check_targets(out, csv, plot)
    found, settings = find_machine(machine)
    options = {
        "duration": duration, "t0": t0, "method": method, "step": step, "rtol": rtol, "atol": atol,
        "max_step": max_step, "max_steps": max_steps, "record": record, "constraints": constraints,
        "reach": reach, "limits": limits, "contact": contact, "seed": seed, "member": member,
        "by": by, "backend": backend,
    }  # fmt: skip
    settings = overridden(settings, {name: value for name, value in options.items() if value is not None})
    if start is not None:
        settings = {k: v for k, v in settings.items() if k not in ("q0", "v0")} | {"start": api.load_run(start)}
    for name, given in (("q0", q0), ("v0", v0), ("p", p)):
        if given:
            settings[name] = {**settings.get(name, {}), **_assignments(given, name)}
    settings.setdefault("duration", 10.0)
    run = api.simulate(found, check=False, **settings)
    console().print(str(run), markup=False)
    _write(run, out, csv, plot)
    if not run.ok:
        raise SimulationError(run.message, run)


def _check_targets(out: Path | None, csv: Path | None, plot: Path | None) -> None:
    """Refuse files that cannot be written before the work is done, not after it."""
    for path in (out, csv):
        if path is not None:
            target_file(path)
    if plot is not None:
        from dalembert.view.plots import picture_file

        picture_file(plot)


def _assignments(given: list[str], what: str) -> dict[str, float]:
    values: dict[str, float] = {}
    option = f"-{what}" if what == "p" else f"--{what}"
    for text in given:
        name, equals, number = text.partition("=")
        try:
            if not equals:
                raise ValueError
            value = float(number)
        except ValueError:
            raise InputError(f"{option} must be NAME=VALUE with a number, got '{text}'") from None
        if name.strip() in values:
            raise InputError(f"{option} names '{name.strip()}' more than once")
        values[name.strip()] = value
    return values


def _write(run: Any, out: Path | None, csv: Path | None, plot: Path | None) -> None:
    """Write all that was asked for; a file that cannot be written does not keep the others from it."""
    failures = []
    for path, write in ((out, run.save), (csv, run.to_csv), (plot, lambda path: run.plot(path=path))):
        if path is not None:
            try:
                write(path)
                print(f"written: {path}")
            except WriteError as error:
                failures.append(error)
    if failures:
        raise WriteError("; ".join(map(str, failures)))
