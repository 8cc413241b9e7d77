"""The options of every command that runs a machine: the keywords of an experiment, once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert.cli.machines import MachineArgument, find_experiment
from dalembert.core.errors import InputError
from dalembert.engine.methods.constraints import CONSTRAINT_METHODS
from dalembert.engine.methods.contacts import CONTACT_METHODS
from dalembert.loop.experiment import Experiment
from dalembert.loop.postures import revised
from dalembert.simulation.methods import METHODS
from dalembert.simulation.run import Run

__all__ = ["assignments", "runs_experiment", "spans"]


def _values(what: str, *flags: str) -> Any:
    return Annotated[
        list[str] | None,
        typer.Option(*flags, metavar="NAME=VALUE", help=f"{what}; may be given several times."),
    ]


def _option(kind: Any, text: str, *flags: str) -> Any:
    return Annotated[kind | None, typer.Option(*flags, help=text)]


def _options() -> dict[str, Any]:
    """Options by keyword."""
    methods = ", ".join(name for name, kind in METHODS.items() if kind.contact is None and kind.brings is None)
    return {
        "duration": _option(float, "Seconds to simulate."),
        "t0": _option(float, "Initial time [s].", "--t0"),
        "method": _option(str, f"Integration method: {methods}."),
        "step": _option(float, "Step of fixed-step methods [s]."),
        "rtol": _option(float, "Relative tolerance of adaptive methods."),
        "atol": _option(float, "Absolute tolerance of adaptive methods."),
        "max_step": _option(float, "Longest step of adaptive methods [s]."),
        "max_steps": _option(int, "Number of steps after which a run fails."),
        "record": _option(float, "Interval of the recorded rows [s]."),
        "constraints": _option(str, f"Constraint method: {', '.join(CONSTRAINT_METHODS)}."),
        "reach": _option(
            float, "Largest correction of given coordinates onto the constraints, relative to their size."
        ),
        "branch": _option(str, "Assembly: its number, or NAME=VALUE of a coordinate near it."),
        "limits": _option(str, "At joint limits: record, stop, ignore, contact."),
        "contact": _option(str, f"Contact method: {', '.join(CONTACT_METHODS)}."),
        "seed": _option(int, "Seed of the noise of sensors."),
        "member": _option(int, "Rollout member whose noise is used."),
        "by": _option(str, "Formulation: newton-euler, lagrange, gibbs-appell, natural."),
        "backend": _option(str, "Backend of the equations: auto, native, vm."),
        "q0": _values("Initial coordinate", "--q0"),
        "v0": _values("Initial velocity", "--v0"),
        "p": _values("Value of a parameter", "-p"),
        "start": _option(Path, "Run file of this machine to continue."),
    }


def runs_experiment(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that takes an experiment first the argument MACHINE and the options of an experiment.

    Settings of the machine file apply unless an option overrides them.
    """
    options = _options()
    command_parameters = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    machine = inspect.Parameter("machine", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=MachineArgument)
    flat = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in options.items()
    ]

    @functools.wraps(command)
    def run(machine: str, **arguments: Any) -> None:
        values = {name: arguments.pop(name) for name in options}
        command(_with_options(find_experiment(machine), values), **arguments)

    parameters = [machine, *(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in command_parameters), *flat]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": None}
    del run.__wrapped__
    return run


def _with_options(experiment: Experiment, values: dict[str, Any]) -> Experiment:
    """Return the experiment of a file, changed by the options of the command line."""
    changes = {name: value for name, value in values.items() if value is not None and name not in _NAMED}
    changes |= {name: assignments(texts, name) for name in _NAMED if (texts := values[name])}
    if "branch" in changes:
        changes["branch"] = _branch(changes["branch"])
    if "start" in changes:
        changes["start"] = Run.load(changes["start"])
    return revised(experiment, **changes)


_NAMED = ("q0", "v0", "p")


def _branch(text: str) -> int | dict[str, float]:
    """Return the number of an assembly, or coordinates that it is near to, from an option."""
    return int(text) if text.strip().isdigit() else assignments(text.split(","), "branch")


def assignments(texts: list[str], what: str) -> dict[str, float]:
    """Return numbers by name from texts NAME=VALUE of an option."""
    values: dict[str, float] = {}
    option = f"-{what}" if what == "p" else f"--{what}"
    for text in texts:
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


def spans(texts: list[str], what: str, form: str = "NAME=LOW:HIGH") -> dict[str, tuple[float, float]]:
    """Return ranges by name from texts NAME=LOW:HIGH of an option."""
    values: dict[str, tuple[float, float]] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        low, colon, high = value.partition(":")
        try:
            if not (sign and name and colon):
                raise ValueError
            values[name.strip()] = (float(low), float(high))
        except ValueError:
            raise InputError(f"--{what} must be {form}, got '{text}'") from None
    return values
