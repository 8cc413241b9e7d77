"""Tasks for the members of a campaign: a block of values in, a table of measures out."""

from __future__ import annotations

import inspect
import numbers
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dalembert.campaigns.run_measures import measure_run
from dalembert.core.errors import DalembertError, InputError, UnknownNameError
from dalembert.core.states import assigned, place_of
from dalembert.core.types import Array
from dalembert.core.validation import check_name
from dalembert.loop.experiment import Experiment, values_by_name
from dalembert.loop.rollout import rollout
from dalembert.loop.signals import Measure
from dalembert.loop.simulate import run_experiment
from dalembert.simulation.run import Run

DEFAULT_STEP = 1e-3

__all__ = [
    "FunctionTask",
    "RolloutTask",
    "SimulationTask",
    "Task",
    "check_columns",
    "failed_row",
    "joined",
    "machine_task",
    "member_seed",
]

Columns = dict[str, Any]

_OF_EVERY = ("member", "status", "reason")


def check_columns(quantities: Iterable[str], measures: Iterable[str] = ()) -> None:
    """Refuse names of which the table of a campaign would have two columns."""
    taken = dict.fromkeys(_OF_EVERY, "a column that every campaign has")
    for what, names in (("quantity", quantities), ("measure", measures)):
        for name in names:
            if name in taken:
                raise InputError(f"the {what} {name!r} needs another name: {name!r} is {taken[name]}")
        taken |= dict.fromkeys(names, "a quantity that is varied")


class Task(Protocol):
    """A task for members; tasks are pickled to reach other processes."""

    def run(self, values: Array, first: int, seed: int) -> Columns:
        """Return the measures of members, with ``status`` and ``reason``, as columns.

        Parameters
        ----------
        values
            Values of the members (members, quantities).
        first
            Number of the first of them.
        seed
            Seed of the campaign.
        """


def member_seed(seed: int, member: int) -> int:
    """Seed of one member: it depends on no other."""
    return int(np.random.SeedSequence((seed, member)).generate_state(1, np.uint64)[0])


@dataclass(frozen=True)
class FunctionTask:
    """A function of the values by name, which returns a number or numbers by name.

    Parameters
    ----------
    function
        The function; where it has an argument ``seed``, it gets one of the member's own.
    quantities
        Names of the values.
    """

    function: Callable[..., Any]
    quantities: tuple[str, ...]

    def run(self, values: Array, first: int, seed: int) -> Columns:
        """Call the function for each member; an exception becomes the reason of that member."""
        wants_seed = "seed" in _arguments(self.function) and "seed" not in self.quantities
        rows: list[Mapping[str, float]] = []
        status, reason = [], []
        for k, one in enumerate(values.tolist()):
            arguments = dict(zip(self.quantities, one, strict=True))
            if wants_seed:
                arguments["seed"] = member_seed(seed, first + k)
            try:
                rows.append(_as_numbers(self.function(**arguments)))
                status.append("completed")
                reason.append("")
            except (Exception, SystemExit) as error:
                rows.append({})
                status.append("failed")
                reason.append(f"{type(error).__name__}: {error}".strip().rstrip(":"))
            check_columns(self.quantities, rows[-1])
        return _columns(rows, status, reason)


def _arguments(function: Callable[..., Any]) -> Mapping[str, Any]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):  # some functions in C
        return {}


def _as_numbers(result: object) -> Mapping[str, float]:
    named: Mapping[str, Any] = result if isinstance(result, Mapping) else {"result": result}
    for name, value in named.items():
        check_name(name, "measure")
        if not isinstance(value, numbers.Real | np.bool_):
            raise InputError(f"measure {name!r} must be a number, got {value!r}")
    return {str(name): float(value) for name, value in named.items()}


def _columns(
    rows: list[Mapping[str, float]], status: list[str], reason: list[str], first: tuple[str, ...] = ()
) -> Columns:
    names = dict.fromkeys([*first, *(name for row in rows for name in row)])
    columns: Columns = {name: np.array([row.get(name, np.nan) for row in rows]) for name in names}
    return {**columns, "status": status, "reason": reason}


def failed_row(reason: str, measures: Iterable[str] = ()) -> Columns:
    """Return the row of a member that has no result."""
    return _columns([{}], ["failed"], [reason], tuple(measures))


def joined(parts: Sequence[Columns]) -> Columns:
    """Put rows one below the other; where some lack a measure, it is NaN."""
    names = dict.fromkeys(name for part in parts for name in part if name not in ("status", "reason"))
    sizes = [len(part["status"]) for part in parts]
    columns: Columns = {
        name: np.concatenate([part.get(name, np.full(n, np.nan)) for part, n in zip(parts, sizes, strict=True)])
        for name in names
    }
    for name in ("status", "reason"):
        columns[name] = [text for part in parts for text in part[name]]
    return columns


@dataclass(frozen=True)
class _MachineTask:
    """Members of an experiment that differ in parameters and initial states.

    Parameters
    ----------
    experiment
        Settings for all members.
    quantities
        Names of parameters, or ``q0.NAME`` and ``v0.NAME``.
    measure
        Measured quantities.
    """

    experiment: Experiment
    quantities: tuple[str, ...]
    measure: Mapping[str, Measure]

    def nominal(self) -> Experiment:
        """Return the experiment over one of its steps."""
        longest = getattr(self.experiment.integrator, "step", DEFAULT_STEP)
        return self.experiment.replace(duration=min(self.experiment.duration or longest, longest), record=None)


@dataclass(frozen=True)
class RolloutTask(_MachineTask):
    """Members in lanes and threads, or on a GPU; measures are reduced where a member runs."""

    device: str = "cpu"
    threads: int = 0

    def taken(self) -> bool:
        """Whether a rollout takes this experiment: one step of the nominal member."""
        try:
            with warnings.catch_warnings():  # what comes after this one step is no mistake
                warnings.simplefilter("ignore")
                rollout(self.nominal(), measure=dict(self.measure))
        except (InputError, TypeError):
            return False
        return True

    def _alike(self, members: int) -> dict[str, Array]:
        """Members that differ in nothing but their noise."""
        first = self.experiment.machine.v_names[0]
        return {f"v0.{first}": np.full(members, values_by_name(self.experiment)["v0"].get(first, 0.0))}

    def run(self, values: Array, first: int, seed: int) -> Columns:
        """Simulate the members; one that is refused (an impossible parameter) does not keep the others from running."""
        try:
            vary = {name: values[:, k] for k, name in enumerate(self.quantities)} or self._alike(len(values))
            result = rollout(
                self.experiment, vary=vary, member=first, measure=dict(self.measure), device=self.device,
                threads=self.threads, progress=False,
            )  # fmt: skip
        except DalembertError as error:
            if len(values) == 1:
                return failed_row(str(error), self.measure)
            half = len(values) // 2
            return joined([self.run(values[:half], first, seed), self.run(values[half:], first + half, seed)])
        status = result.status.tolist()
        if "interrupted" in status:
            raise KeyboardInterrupt
        reason = [result.message(k) if word != "completed" else "" for k, word in enumerate(status)]
        return {**{name: result.measures[name] for name in self.measure}, "status": status, "reason": reason}


@dataclass(frozen=True)
class SimulationTask(_MachineTask):
    """Members one by one, each as `dalembert.simulate` runs it: for what rollouts do not take, such as a Python law."""

    def run(self, values: Array, first: int, seed: int) -> Columns:
        """Simulate the members one after the other."""
        rows: list[Mapping[str, float]] = []
        status, reason = [], []
        for k, one in enumerate(values):
            try:
                run = self.simulated(one, first + k)
                if run.status == "interrupted":
                    raise KeyboardInterrupt
                rows.append(measure_run(self.experiment.equations, run, self.measure) if run.ok else {})
                status.append(run.status)
                reason.append("" if run.ok else run.message)
            except DalembertError as error:
                rows.append({})
                status.append("failed")
                reason.append(str(error))
        return _columns(rows, status, reason, tuple(self.measure))

    def simulated(self, values: Array | None = None, member: int = 0) -> Run:
        """Return the run of one member; without values one step of the nominal one."""
        if values is None:
            return run_experiment(self.nominal(), progress=False, check=False)
        chosen = assigned({}, zip(self.quantities, values.tolist(), strict=True))
        return run_experiment(self.experiment.replace(**chosen, member=member), progress=False, check=False)


def machine_task(
    experiment: Experiment, quantities: tuple[str, ...], measure: Mapping[str, Measure], device: str
) -> RolloutTask | SimulationTask:
    """Return how the members of an experiment are simulated: as a rollout if it takes them, else one by one."""
    machine = experiment.machine
    known = {"p": [p.name for p in machine.parameters], "q0": machine.q_names, "v0": machine.v_names}
    for name in quantities:
        kind, rest = place_of(name)
        if rest in known[kind]:
            continue
        if kind == "p":
            names = [*known["p"], *(f"{kind}.{n}" for kind in ("q0", "v0") for n in known[kind])]
            raise UnknownNameError("parameter or initial value", name, names, f"machine '{machine.name}'")
        what = "coordinate" if kind == "q0" else "velocity"
        raise UnknownNameError(what, rest, known[kind], f"machine '{machine.name}'")
    if not isinstance(measure, Mapping) or not measure:
        raise InputError(f"a campaign of a machine needs measure={{name: Measure(...)}}, got {measure!r}")
    for name, one in measure.items():
        if not isinstance(one, Measure):
            raise InputError(f"measure {name!r} must be a Measure, such as Measure('theta', 'max abs'), got {one!r}")
    if experiment.duration is None:
        raise InputError("a campaign of a machine needs a duration, as in dalembert.simulate")
    lanes = RolloutTask(experiment, quantities, measure, device)
    if device == "cuda" or lanes.taken():
        return lanes
    single = SimulationTask(experiment, quantities, measure)
    single.simulated()  # errors that do not depend on the values are raised at once, not by every member
    return single
