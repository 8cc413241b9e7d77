"""Operations of one page of the studio: open, run, cancel, look at, compare, save. It is independent of sockets.

Equations are derived and scenes built under one lock because CasADi is not thread-safe; the integration itself holds no
lock, so that a page can show results, and the part of the run so far, during the integration.
"""

from __future__ import annotations

import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from dalembert import api
from dalembert.analysis.linearize import HINT, equilibrium, linearize
from dalembert.analysis.modal import MachineModes, machine_modes
from dalembert.core.errors import DalembertError, DalembertWarning, FileFormatError, InputError, UnknownNameError
from dalembert.core.types import StateLike
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.states import Parameters
from dalembert.loop.experiment import Experiment, values_by_name
from dalembert.loop.postures import posture
from dalembert.simulation.run import Run
from dalembert.systems.catalogue import SYSTEMS
from dalembert.view.page.live import share_page
from dalembert.view.page.packing import pack_machine, pack_mode, pack_run, pack_signals
from dalembert.view.page.report import report_page
from dalembert.view.studio.growing import Growing
from dalembert.view.studio.opened import Changes, Opened, open_run, open_system, open_text, with_known_meshes

__all__ = ["Download", "Session"]

_RUNS = 8  # runs that a page keeps
_BUILDING = threading.RLock()


@dataclass(frozen=True)
class Download:
    """A file for the browser to save."""

    name: str
    content: bytes
    kind: str


@dataclass
class _Job:
    """A simulation in a separate thread: the future run ``number``, and its machine."""

    opened: Opened | None = None
    number: int = 0
    label: str = ""
    growing: Growing = field(default_factory=Growing)
    stage: str = "building"
    fraction: float = 0.0
    error: str = ""

    def __post_init__(self) -> None:
        self.cancelled = threading.Event()
        self.thread: threading.Thread | None = None


class Session:
    """One page of the studio.

    Parameters
    ----------
    first
        Initial content; None: nothing.
    """

    def __init__(self, first: Opened | None = None) -> None:
        self._lock = threading.RLock()
        self._opened = first
        self._modes: MachineModes | None = None
        self._runs: dict[int, tuple[Run, Opened, Changes]] = {}
        self._count = 0
        self._job = _Job(stage="idle")
        if first is not None and first.run is not None:
            self._keep(self._next(), first.run, first, Changes())

    def answer(self, verb: str, data: dict[str, Any]) -> dict[str, Any] | Download:
        """Do the request of a page.

        Parameters
        ----------
        verb
            ``systems``, ``open``, ``pose``, ``run``, ``state``, ``cancel``, ``film``, ``modes``, ``mode``, ``linear``
            or ``save``.
        data
            Data of the message.
        """
        verbs: dict[str, Callable[[dict[str, Any]], dict[str, Any] | Download]] = {
            "systems": self._systems,
            "open": self._open,
            "pose": self._pose,
            "run": self._run,
            "state": self._state,
            "cancel": self._cancel,
            "film": self._film,
            "modes": self._find_modes,
            "mode": self._mode,
            "linear": self._linear,
            "save": self._save,
        }
        if verb not in verbs:
            raise UnknownNameError("verb", verb, verbs)
        return verbs[verb](data)

    def close(self) -> None:
        """End the running simulation."""
        self._job.cancelled.set()

    # -- opening ----------------------------------------------------------------

    def _systems(self, data: dict[str, Any]) -> dict[str, Any]:
        listed = [{"name": s.name, "about": s.description, "source": s.source} for s in SYSTEMS.values()]
        return {"systems": listed, "opened": self._opened is not None}

    def _open(self, data: dict[str, Any]) -> dict[str, Any]:
        with _BUILDING, warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", DalembertWarning)
            opened = self._found(data)
            film = _film_of(opened.experiment)
        notes = [str(one.message) for one in said if isinstance(one.message, DalembertWarning)]
        with self._lock:
            self._job.cancelled.set()
            if opened is not self._opened:
                self._opened, self._modes, self._runs = opened, None, {}
                if opened.run is not None:
                    self._keep(self._next(), opened.run, opened, Changes())
            return {"card": opened.card(), "film": film, "runs": self._listed(), "notes": notes}

    def _found(self, data: dict[str, Any]) -> Opened:
        if "system" in data:
            return open_system(str(data["system"]))
        if "text" in data:
            return open_text(data["text"], str(data.get("title") or "machine file"), self._opened)
        if "run" in data:
            return _uploaded(str(data["run"]), str(data.get("title") or "run file"))
        return self._current()

    def _current(self) -> Opened:
        if self._opened is None:
            raise InputError("no machine is open: choose one, or open a machine file")
        return self._opened

    def _pose(self, data: dict[str, Any]) -> dict[str, Any]:
        opened, changes = self._current(), Changes.read(data.get("changes", {}))
        with _BUILDING:
            return {"film": _film_of(opened.simulation(changes))}

    # -- running ----------------------------------------------------------------

    def _run(self, data: dict[str, Any]) -> dict[str, Any]:
        opened, changes = self._current(), Changes.read(data.get("changes", {}))
        experiment = opened.simulation(changes)
        with self._lock:
            if self._job.thread is not None and self._job.thread.is_alive():
                raise InputError("a run is in progress; cancel it first")
            growing = Growing(getattr(experiment.start, "t", 0.0), experiment.duration or 0.0)
            job = self._job = _Job(opened, self._next(), _label(changes), growing)
            job.thread = threading.Thread(target=self._work, args=(job, opened, changes, experiment), daemon=True)
            job.thread.start()
        return {}

    def _work(self, job: _Job, opened: Opened, changes: Changes, experiment: Experiment) -> None:
        try:
            with _released() as release:

                def progress(fraction: float) -> bool:
                    release()
                    job.stage, job.fraction = "running", fraction
                    return not job.cancelled.is_set()

                with self._lock:
                    experiment.equations  # noqa: B018 -- derived once, and kept with the machine
                if job.cancelled.is_set():
                    raise InputError("cancelled before it began")
                run = api.simulate(experiment, progress=progress, watch=job.growing.add, check=False)
            with self._lock:
                if opened is self._opened:
                    self._keep(job.number, run, opened, changes)
                job.fraction, job.stage = 1.0, "done"
        except DalembertError as error:
            job.error, job.stage = str(error), "failed"
        except Exception as error:
            job.error, job.stage = f"{type(error).__name__}: {error}", "failed"

    def _next(self) -> int:
        """Return the number of the next run."""
        self._count += 1
        return self._count

    def _keep(self, number: int, run: Run, opened: Opened, changes: Changes) -> None:
        self._runs[number] = (run, opened, changes)
        while len(self._runs) > _RUNS:
            del self._runs[min(self._runs)]

    def _state(self, data: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            job = self._job
            seen = job.number in self._runs or self._growing(job.number) is not None
            now = {"stage": job.stage, "fraction": job.fraction, "run": job.number if seen else None}
            return now | {"error": job.error, "runs": self._listed()}

    def _growing(self, number: object) -> Growing | None:
        """The run of this number, if it is running and has rows to show."""
        job = self._job
        goes_on = job.stage == "running" and job.number == number and job.opened is self._opened
        return job.growing if goes_on and job.growing else None

    def _cancel(self, data: dict[str, Any]) -> dict[str, Any]:
        self._job.cancelled.set()
        return {}

    def _listed(self) -> list[dict[str, Any]]:
        with self._lock:
            job = self._job
            known = [(number, run.status, _label(changes)) for number, (run, _, changes) in self._runs.items()]
            if self._growing(job.number) is not None:
                known.append((job.number, "running", job.label))
            return [{"run": n, "status": status, "label": f"run {n}: {label}"} for n, status, label in known]

    # -- looking ----------------------------------------------------------------

    def _chosen(self, data: dict[str, Any]) -> tuple[Run, Opened, Changes]:
        number = data.get("run")
        with self._lock:
            if self._growing(number) is not None:
                raise InputError(f"run {number} is still running: wait for its end, or cancel it")
            if not self._runs:
                raise InputError("there is no run yet: press Run")
            if number not in self._runs:
                raise UnknownNameError("run", str(number), [str(n) for n in self._runs])
            return self._runs[number]

    def _film(self, data: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            growing = self._growing(data.get("run"))
        if growing is not None:
            return self._part(growing, data.get("since", 0))
        run, opened, _ = self._chosen(data)
        with _BUILDING:
            film = pack_run(run, opened.machine)
        long = ("states", "signals", "held")  # the page lists them by itself
        summary = [line.strip() for line in repr(run).splitlines()[1:] if not line.strip().startswith(long)]
        facts = {
            "status": run.status,
            "message": run.message,
            "summary": "\n".join(summary),
            "events": [{"name": event.name, "t": event.t} for event in run.events[:200]],
        }
        return {"film": film, "signals": pack_signals(run, numbers=400_000, every=True), "facts": facts}

    def _part(self, growing: Growing, since: object) -> dict[str, Any]:
        if not isinstance(since, int) or since < 0:
            raise InputError(f"since must be a number of rows, got {since!r}")
        with _BUILDING:
            packed = growing.pack(since)
        return packed | {"facts": {"status": "running", "message": "", "summary": "", "events": []}}

    def _at(self, data: dict[str, Any]) -> tuple[EquationsOfMotion, Any, Any, Any]:
        opened, changes = self._current(), Changes.read(data.get("changes", {}))
        experiment = opened.simulation(changes)
        values = values_by_name(experiment)
        # A handful of evaluations is not worth a compiler.
        branch = getattr(experiment.start, "branch", None)
        return experiment.replace(backend="vm").equations, values["q0"], branch, values["p"]

    def _find_modes(self, data: dict[str, Any]) -> dict[str, Any]:
        with _BUILDING:
            equations, q0, branch, p = self._at(data)
            at = _without_modal(equations, q0)
            modes = self._modes = machine_modes(
                equations, equilibrium(equations, at, p=p, branch=branch).q, p=p, allow_singular=True
            )
            note = _unbalanced(equations, modes.q, p)
        share = modes.participation()
        most = [_coordinate(equations, int(k)) for k in np.argmax(np.abs(share), axis=0)]
        rows = zip(modes.omega.tolist(), modes.damping.tolist(), most, strict=True)
        listed = [
            {"mode": k, "frequency": w, "damping": d if np.isfinite(d) else None, "mostly": name}
            for k, (w, d, name) in enumerate(rows)
        ]
        return {"modes": listed, "note": note}

    def _mode(self, data: dict[str, Any]) -> dict[str, Any]:
        modes, number = self._modes, data.get("mode")
        if modes is None:
            raise InputError("ask for the modes first")
        if not isinstance(number, int) or not 0 <= number < len(modes.omega):
            raise InputError(f"mode must be 0 to {len(modes.omega) - 1}, got {number!r}")
        with _BUILDING:
            return {"film": pack_mode(modes, number)}

    def _linear(self, data: dict[str, Any]) -> dict[str, Any]:
        with _BUILDING:
            equations, q0, branch, p = self._at(data)
            at = _without_modal(equations, q0)
            # Most starts are no equilibrium: the residual is shown next to the poles.
            plant = linearize(equations, at, p=p, branch=branch, allow_singular=True, require_equilibrium=False)
            note = _unbalanced(equations, at, p, branch)
        poles = np.asarray(plant.poles())
        order = np.lexsort((poles.imag, -poles.real))
        listed = [{"re": float(z.real), "im": float(z.imag)} for z in poles[order]]
        return {
            "poles": listed,
            "states": list(plant.state_labels),
            "inputs": list(plant.input_labels),
            "note": note,
            "A": plant.A.round(12).tolist() if len(poles) <= 40 else None,
        }

    # -- saving ----------------------------------------------------------------

    def _save(self, data: dict[str, Any]) -> Download:
        what = data.get("what")
        if what == "machine":
            opened = self._current()
            text = opened.file(Changes.read(data.get("changes", {})))
            return Download(f"{_file_name(opened.machine.name)}.yaml", text.encode("utf-8"), "application/yaml")
        if what == "page":
            opened = self._current()
            with _BUILDING:
                page = share_page(opened.simulation(Changes.read(data.get("changes", {}))))
            return Download(f"{_file_name(opened.machine.name)}.html", page.encode("utf-8"), "text/html; charset=utf-8")
        run, opened, _ = self._chosen(data)
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
def _released() -> Iterator[Callable[[], None]]:
    """The lock of builds, and a function that gives it back early: when a run begins to move."""
    held = [True]
    _BUILDING.acquire()

    def release() -> None:
        if held:
            held.clear()
            _BUILDING.release()

    try:
        yield release
    finally:
        release()


def _without_modal(equations: EquationsOfMotion, q0: StateLike) -> StateLike:
    """A configuration at rest: beams unbent."""
    if not isinstance(q0, dict):
        return q0
    coordinates = {name for joint in equations.machine.coordinate_joints for name in joint.q_names}
    return {name: value for name, value in q0.items() if name in coordinates}


def _unbalanced(equations: EquationsOfMotion, at: StateLike, p: Parameters, branch: Any = None) -> str:
    """Say why a configuration is no equilibrium; nothing if it is one."""
    try:
        linearize(equations, at, p=p, branch=branch, allow_singular=True)
    except InputError as error:
        return str(error).removesuffix(HINT).rstrip("; ")
    return ""


def _coordinate(equations: EquationsOfMotion, row: int) -> str:
    """The coordinate whose rate a velocity is, where that has a name."""
    name = equations.v_names[row]
    rate = name.removesuffix("_dot")
    return rate if rate in equations.q_names else name


def _film_of(experiment: Experiment) -> dict[str, Any]:
    """The machine at the start of an experiment, as the page draws it."""
    values = values_by_name(experiment)
    return pack_machine(experiment.machine, posture(experiment) or None, values["p"] or None)


def _label(changes: Changes) -> str:
    values = {**changes.p, **changes.q0, **changes.v0, **changes.gains, **changes.settings}
    words = [f"{name} = {x:.4g}" if isinstance(x, float) else f"{name} = {x}" for name, x in values.items()]
    return ", ".join(words[:4]) + (", ..." if len(words) > 4 else "") or "as it is"


def _file_name(name: str) -> str:
    kept = "".join(c if c.isalnum() or c in "-_" else "-" for c in name).strip("-")
    return kept[:60] or "machine"


def _uploaded(digits: str, title: str) -> Opened:
    """A run file that a page has sent, two hexadecimal digits per byte."""
    try:
        content = bytes.fromhex(digits)
    except ValueError:
        raise InputError(f"{title}: did not arrive whole") from None
    with tempfile.TemporaryDirectory(prefix="dalembert-studio-") as folder:
        path = Path(folder) / "uploaded.nc"
        path.write_bytes(content)
        try:
            opened = open_run(Run.load(path), title)
        except DalembertError as error:
            raise FileFormatError(str(error).replace(str(path), title)) from None
    known = with_known_meshes(opened.machine, title)
    return replace(opened, experiment=opened.experiment.replace(machine=known))
