"""Monte-Carlo campaigns: many members of a machine or of a function, and a table of measures."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Unpack, cast

import numpy as np

from dalembert.campaigns.distributions import as_spread
from dalembert.campaigns.result import Campaign
from dalembert.campaigns.runners import RUNNERS, Chunk, run_chunks
from dalembert.campaigns.sampling import sample
from dalembert.campaigns.store import Store, needs
from dalembert.campaigns.tasks import (
    Columns,
    FunctionTask,
    RolloutTask,
    SimulationTask,
    Task,
    check_columns,
    machine_task,
)
from dalembert.core.digest import digest, digests
from dalembert.core.errors import InputError, SimulationError
from dalembert.core.keywords import flat_keywords, grouped
from dalembert.core.types import Array
from dalembert.core.validation import check_index, check_name, check_seed
from dalembert.core.version import __version__
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.experiment import Experiment, Runnable, experiment_of
from dalembert.loop.experiment_keywords import KEYWORD_DEFAULTS, ExperimentKeywords
from dalembert.loop.signals import Measure
from dalembert.model.machine import Machine

__all__ = ["Runner", "campaign", "open_campaign"]


_CHUNK = {"rollout": 4096, "single": 16}


@dataclass(frozen=True)
class Runner:
    """The resources that run the members of a campaign.

    Parameters
    ----------
    name
        ``"local"``: lanes and threads of this process; processes where members are simulated one by one. ``"dask"``:
        an embedded cluster of processes, or the one at ``address``. ``"cuda"``: GPUs.
    workers
        Number of processes; 0: one per core; 1: this process itself, which a member can then kill. Number of GPUs, each
        with its own process; 0: all.
    address
        Address of a Dask scheduler.
    chunk
        Members that are run, and committed to the store, together.
    progress
        None: shown if stderr is a terminal; True or False; or a function of the members done and all of them.

    Examples
    --------
    >>> Runner("dask", workers=4, chunk=100)
    Runner(name='dask', workers=4, address=None, chunk=100, progress=None)
    """

    name: str = "local"
    workers: int = 0
    address: str | None = None
    chunk: int | None = None
    progress: bool | Callable[[int, int], object] | None = None

    def __post_init__(self) -> None:
        if self.name not in RUNNERS:
            raise InputError(f"got runner {self.name!r}, expected one of {', '.join(RUNNERS)}")


class CampaignKeywords(ExperimentKeywords, total=False):
    """Keywords of a campaign: those of an experiment, and of the `Runner`."""

    workers: int
    address: str | None
    chunk: int | None
    progress: bool | Callable[[int, int], object] | None


_OF_RUNNER = ("workers", "address", "chunk", "progress")


@flat_keywords(CampaignKeywords, defaults={**KEYWORD_DEFAULTS, **{name: getattr(Runner, name) for name in _OF_RUNNER}})
def campaign(
    what: Runnable | Callable[..., Any],
    *,
    vary: Mapping[str, Any],
    n: int | None = None,
    sampling: str = "random",
    measure: Mapping[str, Measure] | None = None,
    store: str | os.PathLike[str] | None = None,
    runner: str | Runner = "local",
    keep: int | list[int] = 0,
    **keywords: Unpack[CampaignKeywords],
) -> Campaign:
    """Simulate many members and return a table of measures.

    A member depends on its values only: the same seed gives the same table, bit for bit, on processors of one kind,
    with any runner, any number of workers, and however often a campaign was interrupted and resumed.

    Parameters
    ----------
    what
        The experiment; or a machine or its equations, with the keywords of one; or a function of the values by name
        that returns a number or numbers by name. A function with an argument ``seed`` gets the seed of its member.
    vary
        Varied quantities, by name: parameters of the machine, ``q0.NAME`` and ``v0.NAME``; arguments of the function.
        Each ``(low, high)``, a list of values, a frozen distribution of `scipy.stats`, or a mapping such as
        ``{"normal": [mean, deviation]}``.
    n
        Number of members (of base points for ``saltelli``, of trajectories for ``morris``; None for ``grid``).
    sampling
        ``"random"``, ``"latin"``, ``"sobol"``, ``"grid"``, ``"saltelli"``, ``"morris"``.
    measure
        Measures of a machine's members, by name; see `dalembert.Measure`. Names of quantities and measures are
        columns of one table, beside ``member``, ``status`` and ``reason``: no name may occur twice.
    store
        Folder in which rows are kept as they come. An existing campaign with the same question is resumed; one with
        another question is refused, with the names of the changes. A function counts by its code, defaults, closure,
        attributes, and the globals and functions that it uses; objects that cannot be compared (a lock, an open file)
        need an attribute ``version`` of the function.
    runner
        The runner of the members: a `Runner`, or its name, with ``workers``, ``address``, ``chunk`` and ``progress`` as
        further arguments.
    keep
        Members whose trajectories are written to the store: a number of first ones, or a list.
    **keywords
        As in `dalembert.Experiment`, for all members. ``seed`` is that of all random numbers: of the values, and of the
        individual noise of each member's sensors.

    Returns
    -------
    Campaign
        The table, and its evaluation.

    Raises
    ------
    SimulationError
        If workers or the cluster are lost. Finished rows stay in the store.
    WriteError
        If the store cannot be written (a full disk, say). Finished rows stay.

    Examples
    --------
    >>> import dalembert as da
    >>> area = da.campaign(lambda x, y: x * y, vary={"x": (1.0, 2.0), "y": [3.0, 4.0]}, n=100, workers=1)
    >>> len(area.table), bool(area.table["result"].between(3.0, 8.0).all())
    (100, True)
    """
    if not isinstance(vary, Mapping):
        raise InputError(f"vary must map names to ranges, values or distributions, got {vary!r}")
    about: dict[str, Any] = dict(keywords)
    team = grouped(Runner, Runner(runner) if isinstance(runner, str) else runner, about)
    about = {name: value for name, value in about.items() if name not in _OF_RUNNER}
    needs("pandas", "a campaign")
    for name in vary:
        check_name(name, "varied quantity")
    for name in measure if isinstance(measure, Mapping) else ():
        check_name(name, "measure")
    spreads = {str(name): as_spread(spread, str(name)) for name, spread in vary.items()}
    check_columns(spreads, measure if isinstance(measure, Mapping) else ())
    seed = check_seed(about.get("seed", getattr(what, "seed", 0)))
    task = _task(what, tuple(spreads), measure, about, team.name)
    values = sample(spreads, n, seed, sampling)
    size = team.chunk or _CHUNK["rollout" if isinstance(task, RolloutTask) else "single"]
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise InputError(f"chunk must be a number of members >= 1, got {team.chunk!r}")
    kept = (
        list(range(min(keep, len(values))))
        if isinstance(keep, int)
        else [check_index(member, len(values), "a member to keep") for member in keep]
    )
    parts = _parts(task, measure, strict=store is not None)
    question = {
        "version": __version__,
        "what": _name(what),
        "quantities": list(spreads),
        "vary": {name: spread.description for name, spread in spreads.items()},
        "measures": list(measure or {}),
        "members": len(values),
        "n": n,
        "seed": int(seed),
        "sampling": sampling,
        "chunk": size,
        "experiment": task.experiment.digest if isinstance(task, RolloutTask | SimulationTask) else None,
        "parts": parts,
        "digest": digest(parts, values),
    }
    folder = None if store is None else Store(store)
    result = Campaign(question, values, task, folder)
    if folder is None:
        if kept:
            raise InputError("keep writes trajectories to the store: give a folder as store")
        for number, columns in _run(task, values, size, set(), question, team):
            result.add(number, columns)
        return result
    with folder.locked():
        if not folder.exists:
            folder.create(question, values)
        _same_question(folder, question)
        for number, columns in _run(task, values, size, set(folder.done()), question, team):
            folder.commit(number, _with_values(question, values, size, number, columns))
        for member in kept:
            if not (folder.folder / "kept" / f"{member:06d}.nc").exists():
                folder.keep(member, result.rerun(member))
    return result


def _task(
    what: object, names: tuple[str, ...], measure: Mapping[str, Measure] | None, keywords: dict[str, Any], runner: str
) -> Task:
    if isinstance(what, Experiment | Machine | EquationsOfMotion):
        experiment = experiment_of(what, cast(ExperimentKeywords, keywords))
        return machine_task(experiment, names, measure or {}, "cuda" if runner == "cuda" else "cpu")
    if not callable(what):
        raise InputError(f"a campaign needs a machine or a function, got {what!r}")
    if runner == "cuda":
        raise InputError("the runner cuda takes machines, not functions")
    for name in ("measure", *keywords):
        if name != "seed" and (name != "measure" or measure is not None):
            raise InputError(f"{name!r} belongs to campaigns of machines; a function returns its measures by name")
    return FunctionTask(what, names)


def _run(
    task: Task,
    values: Array,
    size: int,
    done: set[int],
    question: Mapping[str, Any],
    team: Runner,
) -> Iterator[tuple[int, Columns]]:
    chunks: list[Chunk] = [
        (k, first, values[first : first + size]) for k, first in enumerate(range(0, len(values), size)) if k not in done
    ]
    if not chunks:
        return
    todo = sum(len(rows) for _, _, rows in chunks)
    bar = _Bar(team.progress, len(values), len(values) - todo)
    try:
        for number, columns in run_chunks(
            task, chunks, question["seed"], runner=team.name, workers=team.workers, address=team.address
        ):
            yield number, columns
            bar.advance(len(columns["status"]))
    finally:
        bar.close()


def _with_values(
    question: Mapping[str, Any], values: Array, size: int, number: int, columns: Mapping[str, Any]
) -> dict[str, Any]:
    rows = values[number * size : (number + 1) * size]
    members = np.arange(number * size, number * size + len(rows))
    quantities = {name: rows[:, k] for k, name in enumerate(question["quantities"])}
    return {"member": members, **quantities, **columns}


def _same_question(store: Store, question: Mapping[str, Any]) -> None:
    """Refuse to resume a campaign with another question, and name the differences."""
    there = store.question
    for key in ("quantities", "vary", "measures", "members", "seed", "sampling", "chunk", "parts", "digest"):
        if there.get(key) != question[key]:
            if key == "parts":
                was = f"{_changed(there.get(key) or {}, question[key])} changed"
            elif key == "digest":
                was = "values: those of its members changed"
            else:
                was = f"{key}: {there.get(key)!r} there, {question[key]!r} now"
            raise InputError(
                f"{store.folder}: this folder contains a different campaign ({was}); use another folder, "
                "or remove this one"
            )


def _changed(there: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Parts of a question that differ, the first few of them by name."""
    names = [name for name in {**there, **now} if there.get(name) != now.get(name)]
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _parts(task: Task, measure: Mapping[str, Measure] | None, *, strict: bool) -> dict[str, str]:
    """Digests of the parts of a task, by their location."""
    if isinstance(task, RolloutTask | SimulationTask):
        return digests(task.experiment, "experiment", strict=strict) | digests(measure or {}, "measure", strict=strict)
    function = getattr(task, "function", task)
    return digests(function, _name(function), strict=strict)


def _name(what: object) -> str:
    machine = what.machine if isinstance(what, Experiment | EquationsOfMotion) else what
    return str(getattr(machine, "name", None) or getattr(machine, "__qualname__", type(machine).__name__))


class _Bar:
    """Members done, rate and time left on stderr, once a campaign takes long."""

    def __init__(self, show: bool | Callable[[int, int], object] | None, members: int, done: int) -> None:
        self._callback = show if callable(show) else None
        self._wanted = sys.stderr is not None and sys.stderr.isatty() if show is None else bool(show)
        self._members, self._done, self._before = members, done, done
        self._began = self._shown = time.monotonic()
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._open = False

    def advance(self, members: int) -> None:
        self._done += members
        if self._callback:
            if self._callback(self._done, self._members) is False:
                raise SimulationError(
                    f"stopped by progress after {self._done} of {self._members} members; finished rows are kept"
                )
            return
        now = time.monotonic()
        if not self._wanted or now - self._began < 1.5 or now - self._shown < (0.2 if self._terminal else 10.0):
            return
        self._shown = now
        rate = (self._done - self._before) / (now - self._began)
        left = (self._members - self._done) / rate
        pace = f"{rate:,.0f} per second" if rate >= 10.0 else f"{60.0 * rate:.3g} per minute"
        text = f"{self._done:,} of {self._members:,} members, {pace}, {left:,.0f} s left"
        print(
            f"\r{text}\x1b[K" if self._terminal else text,
            end="" if self._terminal else "\n",
            file=sys.stderr,
            flush=True,
        )
        self._open = True

    def close(self) -> None:
        if self._open and self._terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def open_campaign(store: str | os.PathLike[str]) -> Campaign:
    """Open the campaign of a folder, finished or not, with its table and statistics.

    Examples
    --------
    >>> import dalembert as da
    >>> import tempfile
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 2.0, com=(0, 0, -0.5))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis="y")],
    ... )
    >>> folder = tempfile.mkdtemp() + "/store"
    >>> vary, measure = {"q0.theta": (0.1, 0.3)}, {"end": da.Measure("theta")}
    >>> done = da.campaign(pendulum, duration=0.5, vary=vary, n=4, measure=measure, store=folder)
    >>> len(da.open_campaign(folder).table)
    4
    """
    folder = Store(store)
    return Campaign(folder.question, folder.values(), None, folder)
