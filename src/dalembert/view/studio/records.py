"""Content of a session: the machines that were opened, their runs, and the state of the page; in memory and on disk."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from dalembert.core.errors import DalembertError, InputError, UnknownNameError
from dalembert.simulation.run import Run
from dalembert.view.studio.opened import Changes, Opened
from dalembert.view.studio.opening import open_stored, stored
from dalembert.view.studio.workspace import SessionStore

__all__ = ["KeptRun", "Records"]

_IN_MEMORY = 8  # runs
_ON_DISK = 40  # runs of a session
_ENTRIES = 60  # machines of a session
_PAGE = 200_000  # characters of the state of a page


@dataclass
class KeptRun:
    """A run of a session; None while it is only on disk."""

    number: int
    entry: int
    machine: str
    changes: Changes
    status: str
    notes: tuple[str, ...] = ()
    run: Run | None = None

    @property
    def label(self) -> str:
        """Its number, and the changes that it was made with."""
        return f"run {self.number}: {described(self.changes)}"


def described(changes: Changes) -> str:
    """Changes in a few words."""
    values = {**changes.p, **changes.q0, **changes.v0, **changes.gains, **changes.settings}
    words = [f"{name} = {x:.4g}" if isinstance(x, float) else f"{name} = {x}" for name, x in values.items()]
    return ", ".join(words[:4]) + (", ..." if len(words) > 4 else "") or "as it is"


class Records:
    """Machines, runs and page of a session.

    Parameters
    ----------
    store
        Files of the session; None: it is kept in memory only.
    """

    def __init__(self, store: SessionStore | None = None) -> None:
        self._lock = threading.RLock()
        self._store = store
        self._sources: dict[int, dict[str, Any]] = {}
        self._opened: dict[int, Opened] = {}
        self._runs: dict[int, KeptRun] = {}
        self._count = self._entries = 0
        self.current = 0
        self.page: dict[str, Any] = {}
        self.file: dict[str, str] = {}
        self.notes: list[str] = []
        if store is not None:
            self._restore(store.read())

    def _restore(self, data: dict[str, Any]) -> None:
        if not data:
            return
        self._sources = {int(number): source for number, source in data["entries"].items()}
        self._count, self.current = int(data["count"]), int(data["current"])
        self._entries = max(self._sources, default=0)
        self.page, self.file = dict(data["page"]), dict(data["file"])
        for row in data["runs"]:
            changes = Changes.read(row["changes"])
            kept = KeptRun(row["run"], row["entry"], row["machine"], changes, row["status"], tuple(row["notes"]))
            self._runs[kept.number] = kept
        if data.get("pending"):
            self.notes.append(f"{data['pending']} had not ended when the studio did: Run starts it again")

    def write(self, pending: str = "") -> None:
        """Store everything except the runs themselves."""
        if self._store is None:
            return
        with self._lock:
            runs = [
                {"run": kept.number, "entry": kept.entry, "machine": kept.machine, "changes": asdict(kept.changes),
                 "status": kept.status, "notes": list(kept.notes)}
                for kept in self._runs.values()
            ]  # fmt: skip
            data = {"entries": self._sources, "count": self._count, "current": self.current, "runs": runs}
            self._store.write(data | {"page": self.page, "file": self.file, "pending": pending})

    # -- machines ----------------------------------------------------------------

    def add(self, opened: Opened) -> int:
        """Add a machine that was opened, and make it the current one; the same one again is not a new entry."""
        with self._lock:
            source = stored(opened)
            known = self._sources.get(self.current)
            if opened.run is None and known is not None and "run" not in known and known == source:
                self._opened[self.current] = opened
                return self.current
            self._entries += 1
            self.current = number = self._entries
            self._sources[number], self._opened[number] = source, opened
            if opened.run is not None:
                run = self.next()
                source["run"] = run
                self.keep(KeptRun(run, number, opened.machine.name, Changes(), opened.run.status, (), opened.run))
            for old in sorted(self._sources)[:-_ENTRIES]:
                if old != self.current and not any(kept.entry == old for kept in self._runs.values()):
                    del self._sources[old]
                    self._opened.pop(old, None)
            self.write()
            return number

    def opened(self, number: object = None) -> Opened:
        """A machine that was opened; None: the current one."""
        with self._lock:
            chosen = self.current if number is None else number
            if not self._sources:
                raise InputError("no machine is open: choose one, or open a machine file")
            if not isinstance(chosen, int) or chosen not in self._sources:
                raise UnknownNameError("machine of this session", str(chosen), map(str, self._sources))
            if chosen not in self._opened:
                source = self._sources[chosen]
                run = self.run(source["run"]).run if "run" in source else None
                self._opened[chosen] = open_stored(source, run)
            return self._opened[chosen]

    def history(self) -> list[dict[str, Any]]:
        """All machines that were opened, the oldest first."""
        with self._lock:
            return [{"entry": number, "title": source["title"]} for number, source in sorted(self._sources.items())]

    def __bool__(self) -> bool:
        return bool(self._sources)

    # -- runs ----------------------------------------------------------------

    def next(self) -> int:
        """The number of the next run."""
        with self._lock:
            self._count += 1
            return self._count

    def keep(self, kept: KeptRun) -> None:
        """Keep a run; the oldest make room."""
        with self._lock:
            self._runs[kept.number] = kept
            if self._store is not None and kept.run is not None:
                try:
                    self._store.save_run(kept.number, kept.run)
                except DalembertError as error:
                    kept.notes = (*kept.notes, f"this run is not in the stored session: {error}")
            loaded = [number for number in sorted(self._runs) if self._runs[number].run is not None]
            for number in loaded[:-_IN_MEMORY]:
                if self._store is None:
                    del self._runs[number]
                else:
                    self._runs[number].run = None
            for number in sorted(self._runs)[:-_ON_DISK]:
                del self._runs[number]
                if self._store is not None:
                    self._store.remove_run(number)
            self.write()

    def runs(self, machine: str) -> Iterator[KeptRun]:
        """Runs of machines with this name."""
        with self._lock:
            return iter([kept for kept in self._runs.values() if kept.machine == machine])

    def run(self, number: object) -> KeptRun:
        """A run, from disk if needed."""
        with self._lock:
            if not self._runs:
                raise InputError("there is no run yet: press Run")
            if not isinstance(number, int) or number not in self._runs:
                raise UnknownNameError("run", str(number), [str(n) for n in self._runs])
            kept = self._runs[number]
            if kept.run is None and self._store is not None:
                kept.run = self._store.load_run(number)
            return kept

    # -- the page ----------------------------------------------------------------

    def remember(self, page: object) -> None:
        """Store the state of the page: sliders, camera, plots, compared runs."""
        if not isinstance(page, dict) or len(json.dumps(page)) > _PAGE:
            raise InputError("the state of a page must be a mapping of at most 200,000 characters")
        with self._lock:
            self.page = page
            self.write()
