"""Operations of one session of the studio: open, run, cancel, look at, compare, edit, save; independent of sockets.

Equations are derived and scenes built under one lock because CasADi is not thread-safe; the integration itself holds no
lock, so that a page can show results, and the part of the run so far, during the integration.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dalembert import api
from dalembert.analysis.modal import MachineModes
from dalembert.core.errors import DalembertError, DalembertWarning, InputError, UnknownNameError
from dalembert.io.realtime import Realtime
from dalembert.loop.experiment import Experiment
from dalembert.model.machine import Machine
from dalembert.systems.catalogue import SYSTEMS
from dalembert.view.page.curves import pack_signals
from dalembert.view.page.live import share_page
from dalembert.view.page.packing import pack_mode, pack_run
from dalembert.view.page.report import report_page
from dalembert.view.studio.analyses import linear_model, vibration_modes
from dalembert.view.studio.assembling import dragged, posed
from dalembert.view.studio.campaigns import FollowedCampaign
from dalembert.view.studio.editing import check_text, editor_schema, forms, with_entry
from dalembert.view.studio.following import follow_loop
from dalembert.view.studio.growing import Growing
from dalembert.view.studio.opened import Changes, Opened
from dalembert.view.studio.opening import open_system, open_text, open_upload, stored
from dalembert.view.studio.records import KeptRun, Records, described
from dalembert.view.studio.workspace import SessionStore

__all__ = ["Download", "Session"]

_BUILDING = threading.RLock()
_WATCHED = 600.0  # seconds of a loop without end that the page shows
_PATIENCE = 5.0  # seconds that an ending studio waits for the rows of a run
_QUOTED = re.compile(r"'([^']+)'")


@dataclass(frozen=True)
class Download:
    """A file for the browser to save."""

    name: str
    content: bytes
    kind: str


@dataclass
class _Job:
    """A simulation in a separate thread: the future run ``number``, and its machine."""

    entry: int = 0
    machine: str = ""
    number: int = 0
    label: str = ""
    growing: Growing = field(default_factory=Growing)
    stage: str = "idle"
    fraction: float = 0.0
    error: str = ""
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cancelled = threading.Event()
        self.thread: threading.Thread | None = None

    @property
    def alive(self) -> bool:
        """Whether it is being computed."""
        return self.thread is not None and self.thread.is_alive()


class Session:
    """One session of the studio, shown by any number of pages.

    Parameters
    ----------
    first
        Initial content; None: nothing. A stored session that already holds it continues as it was left.
    store
        Files of the session; None: it ends with this process.
    loop
        A loop in real time to follow, of the initial content; None: none.
    campaign
        A campaign of the initial content to follow; None: none.
    """

    def __init__(
        self,
        first: Opened | None = None,
        store: SessionStore | None = None,
        loop: Realtime | None = None,
        campaign: FollowedCampaign | None = None,
    ) -> None:
        self._lock = threading.RLock()
        self._campaign = campaign
        with _BUILDING, _collected() as said:
            self._records = Records(store)
            if first is not None and (not self._records or self._records.file != _digest(first)):
                again = bool(self._records)
                self._records.file = _digest(first)
                self._records.add(first)
                if again:
                    said.append(f"'{first.title}' has changed since the last time; the editor lists the old one")
        self._said = [*self._records.notes, *said]  # for the next page
        self._modes: MachineModes | None = None
        self._job = _Job()
        if loop is not None and first is not None:
            self._begin_following(loop, first)

    def _begin_following(self, loop: Realtime, opened: Opened) -> None:
        number, experiment = self._records.next(), loop.experiment
        growing = Growing(getattr(experiment.start, "t", 0.0), experiment.duration or _WATCHED)
        name = opened.machine.name
        job = self._job = _Job(self._records.current, name, number, f"run {number}: in real time", growing, "running")

        def work() -> None:
            try:
                run = follow_loop(loop, growing.add, lambda: not job.cancelled.is_set())
                self._records.keep(KeptRun(number, job.entry, name, Changes(), run.status, (), run))
                job.fraction, job.stage = 1.0, "done"
            except DalembertError as error:
                job.error, job.stage = str(error), "failed"

        job.thread = threading.Thread(target=work, daemon=True)
        job.thread.start()

    def answer(self, verb: str, data: dict[str, Any]) -> dict[str, Any] | Download:
        """Do the request of a page.

        Parameters
        ----------
        verb
            ``systems``, ``open``, ``pose``, ``drag``, ``run``, ``state``, ``cancel``, ``film``, ``modes``, ``mode``,
            ``linear``, ``check``, ``schema``, ``forms``, ``add``, ``campaign``, ``remember`` or ``save``.
        data
            Data of the message.
        """
        verbs: dict[str, Callable[[dict[str, Any]], dict[str, Any] | Download]] = {
            "systems": self._systems,
            "open": self._open,
            "pose": self._pose,
            "drag": self._drag,
            "run": self._run,
            "state": self._state,
            "cancel": self._cancel,
            "film": self._film,
            "modes": self._find_modes,
            "mode": self._mode,
            "linear": self._linear,
            "check": lambda data: {"faults": check_text(data.get("text"))},
            "schema": lambda data: editor_schema(),
            "forms": lambda data: forms(self._records.opened(data.get("entry")).machine),
            "add": lambda data: {"text": with_entry(data.get("text"), data.get("what"), data.get("value"))},
            "campaign": self._members,
            "remember": self._remember,
            "save": self._save,
        }
        if verb not in verbs:
            raise UnknownNameError("verb", verb, verbs)
        return verbs[verb](data)

    def close(self) -> None:
        """End the running simulation; its rows so far are kept."""
        self._job.cancelled.set()
        if self._job.thread is not None:
            self._job.thread.join(_PATIENCE)

    # -- opening ----------------------------------------------------------------

    def _systems(self, data: dict[str, Any]) -> dict[str, Any]:
        listed = [{"name": s.name, "about": s.description, "source": s.source} for s in SYSTEMS.values()]
        page = {"opened": bool(self._records), "page": self._records.page, "campaign": self._campaign is not None}
        return {"systems": listed, **page}

    def _members(self, data: dict[str, Any]) -> dict[str, Any]:
        if self._campaign is None:
            raise InputError("this studio follows no campaign: dalembert studio FOLDER")
        return self._campaign.rows(data.get("since", 0))

    def _remember(self, data: dict[str, Any]) -> dict[str, Any]:
        self._records.remember(data.get("page"))
        return {}

    def _open(self, data: dict[str, Any]) -> dict[str, Any]:
        with _BUILDING, _collected() as said:
            opened, entry = self._found(data)
            pose = posed(opened.experiment)
        with self._lock:
            notes, self._said = [*self._said, *said], []
        return {
            "card": opened.card(),
            **pose,
            "entry": entry,
            "history": self._records.history(),
            "runs": self._listed(opened.machine.name),
            "notes": _pointed(notes, opened.machine),
        }

    def _found(self, data: dict[str, Any]) -> tuple[Opened, int]:
        records = self._records
        if "system" in data:
            opened = open_system(str(data["system"]))
        elif "text" in data:
            before = records.opened(data.get("entry")) if records else None
            opened = open_text(data["text"], str(data.get("title") or "machine file"), before)
        elif "file" in data:
            opened = open_upload(str(data["file"]), str(data.get("title") or "run file"))
        else:
            number = data.get("entry")
            opened = records.opened(number)
            if isinstance(number, int) and number != records.current:
                records.current = number
                records.write()
            return opened, records.current
        return opened, records.add(opened)

    def _current(self, data: dict[str, Any]) -> tuple[Opened, Changes]:
        return self._records.opened(data.get("entry")), Changes.read(data.get("changes", {}))

    def _pose(self, data: dict[str, Any]) -> dict[str, Any]:
        opened, changes = self._current(data)
        with _BUILDING, _collected() as said:
            pose = posed(opened.simulation(changes))
        return pose | {"notes": _pointed(said, opened.machine)}

    def _drag(self, data: dict[str, Any]) -> dict[str, Any]:
        opened, changes = self._current(data)
        with _BUILDING, _collected() as said:
            pose = dragged(opened.simulation(changes), data.get("body"), data.get("target"))
        return pose | {"notes": _pointed(said, opened.machine)}

    # -- running ----------------------------------------------------------------

    def _run(self, data: dict[str, Any]) -> dict[str, Any]:
        opened, changes = self._current(data)
        experiment = opened.simulation(changes)
        with self._lock:
            if self._job.alive:
                raise InputError("a run is in progress; cancel it first")
            growing = Growing(getattr(experiment.start, "t", 0.0), experiment.duration or 0.0)
            number, entry = self._records.next(), int(data.get("entry") or self._records.current)
            label = f"run {number}: {described(changes)}"
            job = self._job = _Job(entry, opened.machine.name, number, label, growing, "building")
            self._records.write(pending=label)
            job.thread = threading.Thread(target=self._work, args=(job, changes, experiment), daemon=True)
            job.thread.start()
        return {"run": number}

    def _work(self, job: _Job, changes: Changes, experiment: Experiment) -> None:
        try:
            with _released(job.notes) as release:

                def progress(fraction: float) -> bool:
                    release()
                    job.stage, job.fraction = "running", fraction
                    return not job.cancelled.is_set()

                with self._lock:
                    experiment.equations  # noqa: B018 -- derived once, and kept with the machine
                if job.cancelled.is_set():
                    raise InputError("cancelled before it began")
                run = api.simulate(experiment, progress=progress, watch=job.growing.add, check=False)
            notes = tuple(job.notes)
            self._records.keep(KeptRun(job.number, job.entry, job.machine, changes, run.status, notes, run))
            job.fraction, job.stage = 1.0, "done"
        except DalembertError as error:
            job.error, job.stage = str(error), "failed"
            self._records.write()
        except Exception as error:
            job.error, job.stage = f"{type(error).__name__}: {error}", "failed"
            self._records.write()

    def _state(self, data: dict[str, Any]) -> dict[str, Any]:
        machine = self._records.opened(data.get("entry")).machine if self._records else None
        with self._lock:
            job = self._job
            listed = self._listed(machine.name) if machine is not None else []
            seen = any(row["run"] == job.number for row in listed)
            now = {"stage": job.stage, "fraction": job.fraction, "run": job.number if seen else None}
            notes = _pointed(job.notes, machine) if machine is not None else []
            return now | {"error": job.error, "runs": listed, "notes": notes}

    def _growing(self, number: object) -> Growing | None:
        """The run of this number, if it is running and has rows to show."""
        job = self._job
        goes_on = job.stage == "running" and job.number == number
        return job.growing if goes_on and job.growing else None

    def _cancel(self, data: dict[str, Any]) -> dict[str, Any]:
        self._job.cancelled.set()
        return {}

    def _listed(self, machine: str) -> list[dict[str, Any]]:
        with self._lock:
            job = self._job
            known = [(kept.number, kept.status, kept.label) for kept in self._records.runs(machine)]
            if job.machine == machine and self._growing(job.number) is not None:
                known.append((job.number, "running", job.label))
            return [{"run": number, "status": status, "label": label} for number, status, label in known]

    # -- looking ----------------------------------------------------------------

    def _chosen(self, data: dict[str, Any]) -> tuple[KeptRun, Any, Opened]:
        number = data.get("run")
        with self._lock:
            if self._growing(number) is not None:
                raise InputError(f"run {number} is still running: wait for its end, or cancel it")
        kept = self._records.run(number)
        return kept, kept.run, self._records.opened(kept.entry)

    def _film(self, data: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            growing = self._growing(data.get("run"))
        if growing is not None:
            return self._part(growing, data.get("since", 0))
        kept, run, opened = self._chosen(data)
        with _BUILDING:
            film = pack_run(run, opened.machine)
        long = ("states", "signals", "held")  # the page lists them by itself
        summary = [line.strip() for line in repr(run).splitlines()[1:] if not line.strip().startswith(long)]
        facts = {
            "status": run.status,
            "message": run.message,
            "summary": "\n".join(summary),
            "moved": run.metadata.get("initial_projection"),
            "notes": _pointed(kept.notes, opened.machine),
            "events": [{"name": event.name, "t": event.t} for event in run.events[:200]],
        }
        return {"film": film, "signals": pack_signals(run, numbers=400_000, every=True), "facts": facts}

    def _part(self, growing: Growing, since: object) -> dict[str, Any]:
        if not isinstance(since, int) or since < 0:
            raise InputError(f"since must be a number of rows, got {since!r}")
        with _BUILDING:
            packed = growing.pack(since)
        return packed | {"facts": {"status": "running", "message": "", "summary": "", "events": [], "notes": []}}

    def _find_modes(self, data: dict[str, Any]) -> dict[str, Any]:
        opened, changes = self._current(data)
        with _BUILDING:
            self._modes, listed = vibration_modes(opened.simulation(changes))
        return listed

    def _mode(self, data: dict[str, Any]) -> dict[str, Any]:
        modes, number = self._modes, data.get("mode")
        if modes is None:
            raise InputError("compute the modes first")
        if not isinstance(number, int) or not 0 <= number < len(modes.omega):
            raise InputError(f"mode must be 0 to {len(modes.omega) - 1}, got {number!r}")
        with _BUILDING:
            return {"film": pack_mode(modes, number)}

    def _linear(self, data: dict[str, Any]) -> dict[str, Any]:
        opened, changes = self._current(data)
        with _BUILDING:
            return linear_model(opened.simulation(changes))

    # -- saving ----------------------------------------------------------------

    def _save(self, data: dict[str, Any]) -> Download:
        what = data.get("what")
        if what == "machine":
            opened, changes = self._current(data)
            text = opened.file(changes)
            return Download(f"{_file_name(opened.machine.name)}.yaml", text.encode("utf-8"), "application/yaml")
        if what == "page":
            opened, changes = self._current(data)
            with _BUILDING:
                page = share_page(opened.simulation(changes))
            return Download(f"{_file_name(opened.machine.name)}.html", page.encode("utf-8"), "text/html; charset=utf-8")
        _, run, opened = self._chosen(data)
        name = _file_name(opened.machine.name)
        if what == "run":
            with tempfile.TemporaryDirectory(prefix="dalembert-studio-") as folder:
                return Download(f"{name}.nc", run.save(Path(folder) / "run.nc").read_bytes(), "application/x-netcdf")
        if what == "report":
            with _BUILDING:
                page = report_page(run, opened.machine)
            return Download(f"{name}.html", page.encode("utf-8"), "text/html; charset=utf-8")
        raise UnknownNameError("file", str(what), ("machine", "page", "run", "report"))


@contextmanager
def _collected() -> Iterator[list[str]]:
    """Warnings of the library; only under the lock of builds, since recording them is global."""
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DalembertWarning)
        try:
            yield said
        finally:
            said += [str(one.message) for one in caught if isinstance(one.message, DalembertWarning)]


@contextmanager
def _released(notes: list[str]) -> Iterator[Callable[[], None]]:
    """The lock of builds, and a function that gives it back early: when a run begins to move.

    Warnings up to then are added to the notes.
    """
    _BUILDING.acquire()
    recording = _collected()
    held = [recording.__enter__()]

    def release() -> None:
        if held:
            said = held.pop()
            recording.__exit__(None, None, None)
            notes.extend(said)
            _BUILDING.release()

    try:
        yield release
    finally:
        release()


def _pointed(notes: Iterator[str] | list[str] | tuple[str, ...], machine: Machine) -> list[dict[str, str]]:
    """Notes, each with the element of the machine that it quotes first."""
    known = {joint.name for joint in machine.joints} | {body.name for body in machine.bodies}
    known |= {frame.name for frame in machine.frames} | {rope.name for rope in machine.all_ropes}
    known |= {constraint.name for constraint in machine.constraints}

    def element(note: str) -> str:
        quoted = _QUOTED.findall(note)
        return next((name for name in quoted if name in known), "")

    return [{"text": note, "element": element(note)} for note in dict.fromkeys(notes)]


def _digest(opened: Opened) -> dict[str, str]:
    """Digest of the content that the command line names."""
    source = stored(opened)
    run = "" if opened.run is None else repr(opened.run.x[[0, -1]].tolist())
    text = "\0".join([opened.title, str(source.get("text", "")), str(source.get("system", "")), run])
    return {"title": opened.title, "digest": hashlib.sha256(text.encode()).hexdigest()}


def _file_name(name: str) -> str:
    kept = "".join(c if c.isalnum() or c in "-_" else "-" for c in name).strip("-")
    return kept[:60] or "machine"
