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

__all__ = ["simulate"]


def _values(what: str) -> Any:
    return typer.Option(metavar="NAME=VALUE", help=f"{what}; may be given several times.")


def simulate(
    machine: MachineArgument,
    duration: Annotated[float | None, typer.Option(help="Seconds to simulate.")] = None,
    method: Annotated[
        str | None, typer.Option(help="euler, heun, rk4; bs32, dopri5 (adaptive); cvodes, idas (stiff).")
    ] = None,
    constraints: Annotated[
        str | None,
        typer.Option(
            help="How constraints are kept: projection, baumgarte, udwadia-kalaba, penalty, augmented-lagrangian, "
            "generalized-alpha, idas."
        ),
    ] = None,
    by: Annotated[str | None, typer.Option(help="Formulation: newton-euler, lagrange, natural.")] = None,
    step: Annotated[float | None, typer.Option(help="Step of fixed-step methods [s].")] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance of adaptive methods.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance of adaptive methods.")] = None,
    record: Annotated[float | None, typer.Option(help="Interval of the recorded rows [s].")] = None,
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
    options = {"duration": duration, "method": method, "step": step, "rtol": rtol, "atol": atol, "record": record}
    options |= {"constraints": constraints, "by": by}
    settings |= {name: value for name, value in options.items() if value is not None}
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
    values = {}
    for text in given:
        name, equals, number = text.partition("=")
        try:
            if not equals:
                raise ValueError
            values[name.strip()] = float(number)
        except ValueError:
            option = f"-{what}" if what == "p" else f"--{what}"
            raise InputError(f"{option} must be NAME=VALUE with a number, got '{text}'") from None
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
