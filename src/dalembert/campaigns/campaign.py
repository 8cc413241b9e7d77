"""Monte-Carlo campaigns: many members of a machine or of a function, and a table of what was measured."""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from dalembert.campaigns.distributions import as_spread
from dalembert.campaigns.result import Campaign
from dalembert.campaigns.runners import RUNNERS, Chunk, run_chunks
from dalembert.campaigns.sampling import sample
from dalembert.campaigns.store import Store, needs
from dalembert.campaigns.tasks import FunctionTask, RolloutTask, Task, machine_task
from dalembert.core.errors import InputError, SimulationError
from dalembert.core.types import Array
from dalembert.core.version import __version__
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.signals import Measure
from dalembert.model.machine import Machine

__all__ = ["campaign", "open_campaign"]

_CHUNK = {"rollout": 4096, "single": 16}


def campaign(
    what: Machine | EquationsOfMotion | Callable[..., Any],
    *,
    vary: Mapping[str, Any],
    n: int | None = None,
    seed: int = 0,
    sampling: str = "random",
    measure: Mapping[str, Measure] | None = None,
    store: str | os.PathLike[str] | None = None,
    runner: str = "local",
    workers: int = 0,
    address: str | None = None,
    chunk: int | None = None,
    keep: int | list[int] = 0,
    progress: bool | Callable[[int, int], object] | None = None,
    **settings: Any,
) -> Campaign:
    """Simulate many members and return a table of what was measured.

    A member depends on its values only: the same seed gives the same table, bit for bit, on processors of one kind,
    with any runner, any number of workers, and however often a campaign was interrupted and resumed.

    Parameters
    ----------
    what
        A machine, or a function of the values by name that returns a number or numbers by name. A function with an
        argument ``seed`` gets one of the member's own.
    vary
        What differs, by name: parameters of the machine, ``q0.NAME`` and ``v0.NAME``; arguments of the function. Each
        ``(low, high)``, a list of values, a frozen distribution of `scipy.stats`, or a mapping such as
        ``{"normal": [mean, deviation]}``.
    n
        Number of members (of base points for ``saltelli``, of trajectories for ``morris``; None for ``grid``).
    seed
        Of the random numbers.
    sampling
        ``"random"``, ``"latin"``, ``"sobol"``, ``"grid"``, ``"saltelli"``, ``"morris"``.
    measure
        What is measured of a machine's members, by name; see `dalembert.Measure`.
    store
        Folder in which rows are kept as they come. A campaign that is there already, with the same question, is
        resumed; with another question it is refused.
    runner
        ``"local"``: lanes and threads of this process; processes where members are simulated one by one. ``"dask"``:
        an embedded cluster of processes, or the one at ``address``. ``"cuda"``: GPUs.
    workers
        Number of processes; 0: one per core. Of GPUs, each with a process of its own; 0: all.
    address
        Of a Dask scheduler.
    chunk
        Members that are run, and committed to the store, together.
    keep
        Members whose trajectories are written to the store: a number of first ones, or a list.
    progress
        None: shown if stderr is a terminal; True or False; or a function of the members done and all of them.
    settings
        Of `dalembert.simulate`: duration, control, step and so on, for all members.

    Returns
    -------
    Campaign
        The table, and what can be learnt from it.

    Raises
    ------
    SimulationError
        If workers or the cluster are lost. What is done stays in the store.
    WriteError
        If the store cannot be written (a full disk, say). What is done stays.

    Examples
    --------
    >>> import dalembert as da
    >>> area = da.campaign(lambda x, y: x * y, vary={"x": (1.0, 2.0), "y": [3.0, 4.0]}, n=100, workers=1)
    >>> len(area.table), bool(area.table["result"].between(3.0, 8.0).all())
    (100, True)
    """
    if not isinstance(vary, Mapping):
        raise InputError(f"vary must map names to ranges, values or distributions, got {vary!r}")
    if runner not in RUNNERS:
        raise InputError(f"got runner {runner!r}, expected one of {', '.join(RUNNERS)}")
    needs("pandas", "a campaign")
    spreads = {str(name): as_spread(given, str(name)) for name, given in vary.items()}
    task = _task(what, tuple(spreads), measure, settings, runner)
    values = sample(spreads, n, seed, sampling)
    size = chunk or _CHUNK["rollout" if isinstance(task, RolloutTask) else "single"]
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise InputError(f"chunk must be a number of members >= 1, got {chunk!r}")
    kept = list(range(min(keep, len(values)))) if isinstance(keep, int) else list(keep)
    question = {
        "version": __version__,
        "what": getattr(what, "name", None) or getattr(what, "__qualname__", type(what).__name__),
        "quantities": list(spreads),
        "vary": {name: spread.description for name, spread in spreads.items()},
        "measures": list(measure or {}),
        "members": len(values),
        "n": n,
        "seed": int(seed),
        "sampling": sampling,
        "chunk": size,
        "digest": _digest(what, measure, settings, values),
    }
    folder = None if store is None else Store(store)
    result = Campaign(question, values, task, folder)
    if folder is None:
        if kept:
            raise InputError("keep writes trajectories to the store: give a folder as store")
        for number, columns in _run(task, values, size, set(), question, runner, workers, address, progress):
            result.add(number, columns)
        return result
    with folder.locked():
        if not folder.exists:
            folder.create(question, values)
        _same_question(folder, question)
        for number, columns in _run(
            task, values, size, set(folder.done()), question, runner, workers, address, progress
        ):
            folder.commit(number, _with_values(question, values, size, number, columns))
        for member in kept:
            if not (folder.folder / "kept" / f"{member:06d}.nc").exists():
                folder.keep(member, result.rerun(member))
    return result


def _task(
    what: Any, names: tuple[str, ...], measure: Mapping[str, Measure] | None, settings: Mapping[str, Any], runner: str
) -> Task:
    machine = what.machine if isinstance(what, EquationsOfMotion) else what
    if isinstance(machine, Machine):
        return machine_task(machine, names, measure or {}, settings, "cuda" if runner == "cuda" else "cpu")
    if not callable(what):
        raise InputError(f"a campaign is of a machine or of a function, got {what!r}")
    if runner == "cuda":
        raise InputError("the runner cuda takes machines, not functions")
    for name in ("measure", *settings):
        if name != "measure" or measure is not None:
            raise InputError(f"{name!r} belongs to campaigns of machines; a function returns its measures by name")
    return FunctionTask(what, names)


def _run(
    task: Task,
    values: Array,
    size: int,
    done: set[int],
    question: Mapping[str, Any],
    runner: str,
    workers: int,
    address: str | None,
    progress: Any,
) -> Any:
    chunks: list[Chunk] = [
        (k, first, values[first : first + size]) for k, first in enumerate(range(0, len(values), size)) if k not in done
    ]
    if not chunks:
        return
    todo = sum(len(part) for _, _, part in chunks)
    bar = _Bar(progress, len(values), len(values) - todo)
    try:
        for number, columns in run_chunks(
            task, chunks, question["seed"], runner=runner, workers=workers, address=address
        ):
            yield number, columns
            bar.advance(len(columns["status"]))
    finally:
        bar.close()


def _with_values(
    question: Mapping[str, Any], values: Array, size: int, number: int, columns: Mapping[str, Any]
) -> dict[str, Any]:
    part = values[number * size : (number + 1) * size]
    members = np.arange(number * size, number * size + len(part))
    own = {name: part[:, k] for k, name in enumerate(question["quantities"])}
    return {"member": members, **own, **columns}


def _same_question(store: Store, question: Mapping[str, Any]) -> None:
    """Refuse to resume a campaign with another question."""
    there = store.question
    for key in ("quantities", "vary", "measures", "members", "seed", "sampling", "chunk", "digest"):
        if there.get(key) != question[key]:
            was = (
                f"{there.get(key)!r} there, {question[key]!r} now"
                if key != "digest"
                else "machine, function or settings"
            )
            raise InputError(
                f"{store.folder}: the campaign in this folder asks something else ({key}: {was}); take another folder, "
                "or remove this one"
            )


def _digest(what: Any, measure: Any, settings: Mapping[str, Any], values: Array) -> str:
    """Digest of the question, as far as it can be told: code of functions, text of the machine, settings, values."""
    machine = what.machine if isinstance(what, EquationsOfMotion) else what
    text = machine.to_yaml() if isinstance(machine, Machine) else _told(machine)
    parts = [text, _told(measure), _told(dict(settings))]
    return hashlib.sha256("\0".join(parts).encode() + np.ascontiguousarray(values).tobytes()).hexdigest()


def _told(value: Any) -> str:
    code = getattr(value, "__code__", None)
    if isinstance(code, CodeType):
        return hashlib.sha256(marshal.dumps(_bare(code))).hexdigest()
    if isinstance(value, Mapping):
        return repr([(str(k), _told(v)) for k, v in value.items()])
    if isinstance(value, Measure):
        return repr((_told(value.of), value.by, value.since, value.until))
    if isinstance(value, np.ndarray):
        return hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    if isinstance(value, list | tuple):
        return repr([_told(item) for item in value])
    if value is None or isinstance(value, str | int | float | bool):
        return repr(value)
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None:
        return repr([type(value).__qualname__, *((name, _told(getattr(value, name))) for name in fields)])
    return type(value).__qualname__


def _bare(code: CodeType) -> CodeType:
    """Code without the places where it was written."""
    inner = tuple(_bare(c) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename="", co_firstlineno=1, co_linetable=b"", co_qualname="", co_consts=inner)


class _Bar:
    """Members done, rate and time left on stderr, once a campaign takes long."""

    def __init__(self, show: Any, members: int, done: int) -> None:
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
                    f"stopped by progress after {self._done} of {self._members} members; what is done is kept"
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
    """Open the campaign of a folder, finished or not: its table, and what can be learnt from it."""
    folder = Store(Path(store))
    return Campaign(folder.question, folder.values(), None, folder)
