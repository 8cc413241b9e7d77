"""Runs of machines with colliders: many free rigid bodies, whose pairs are found in every step."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.collide import BodyScene, is_scene, scene_of
from dalembert.core.errors import InputError, SimulationError
from dalembert.core.parameter import Scalar, evaluate
from dalembert.core.states import named_vector
from dalembert.core.types import Array
from dalembert.core.version import __version__
from dalembert.core.warn import warn
from dalembert.engine.collide.native import NativeScene, rigid_gaps
from dalembert.engine.methods.contacts import TimeStepping
from dalembert.loop.contact_checks import warn_of_contacts
from dalembert.loop.experiment import Experiment, Start
from dalembert.simulation.methods import FixedStepMethod
from dalembert.simulation.run import EndState, Run
from dalembert.simulation.watch import Progress, interrupts

__all__ = ["is_free_scene", "refuse_colliders", "run_scene"]

_DEEP = 1e-6
"""Depth [m] in which bodies may start: the rounding of typed positions."""

_PATIENCE = 0.05
"""Time [s] after which native code returns, so that progress shows and Ctrl-C works."""

_WATCHED = 0.1
"""Time [s] between calls of a `watch` function."""

_SIGNALS = ("energy.kinetic", "energy.potential", "contact.count", "contact.deepest")

_MORE = ("control", "sensors", "signals", "events", "switches", "on_event", "constraints")
"""Settings of an experiment with which the machine is stepped by its tapes."""


def refuse_colliders(experiment: Experiment) -> None:
    """Raise an error if the machine has colliders and is not time-stepped: no event of theirs can be located."""
    if experiment.machine.colliders and not isinstance(experiment.contact, TimeStepping):
        raise InputError(
            f"machine '{experiment.machine.name}' with colliders needs contact='time-stepping', got "
            f"contact={experiment.contact.name!r}"
        )


def is_free_scene(experiment: Experiment) -> bool:
    """Whether an experiment is one of free bodies with colliders alone, for which nothing is compiled."""
    machine, way = experiment.machine, experiment.contact
    if not (machine.colliders and isinstance(way, TimeStepping) and is_scene(machine)):
        return False
    usual = all(getattr(experiment, name) in (None, ()) for name in _MORE) and way.theta in (None, 0.5)
    return usual and experiment.limits != "contact" and experiment._variant[1] is None


def run_scene(
    experiment: Experiment,
    *,
    progress: bool | Callable[[float], object] | None = None,
    watch: Callable[[Run], object] | None = None,
    check: bool = True,
) -> Run:
    """Simulate a machine with colliders; arguments are as in `dalembert.simulate`.

    Its states are the coordinates and velocities of the machine and the account of the solver; ``contact.count`` and
    ``contact.deepest`` are the number of contacts and the smallest gap [m] in the middle of the last step.
    ``metadata["contacts"]`` lists the contacts of the last step that push.
    """
    way, method = _steps(experiment)
    machine, settings = experiment.machine, experiment.settings
    values = dict(zip((p.name for p in machine.parameters), _parameters(experiment), strict=True))

    def number(x: Scalar) -> float:
        return float(evaluate(x, values))

    scene = scene_of(machine, number)
    native = NativeScene(scene.table, way)
    began, t0, x = time.perf_counter(), _begin(experiment), np.zeros(native.n_states)
    x[:] = _start(experiment, scene)
    _refuse_overlaps(scene, native, x)
    if isinstance(experiment.start, Start) and scene.table.shapes.yields:
        x[-1] = native.stored(x)
        native.forget()
    rows = _Rows(scene, native, experiment, began)
    rows.add(t0, x)
    status, message, steps = "completed", "", 0
    bar, told = Progress(progress, t0, t0 + settings.duration), time.monotonic() + _WATCHED
    fastest = (0.0, 0)
    try:
        with interrupts() as interrupt:
            patience = 1
            for first, h, count, recorded in _segments(t0, settings.duration, method.step, settings.record):
                done = 0
                while done < count:
                    now, clock = min(patience, count - done), time.perf_counter()
                    failed = native.advance(x, first + done * h, h, now)
                    done, steps = done + (failed or now), steps + (failed or now)
                    struct = native.scene.struct
                    fastest = max(fastest, (float(struct.fastest), int(struct.fastest_shape)))
                    if failed:
                        status, message = _failure(scene, native, first + done * h)
                        break
                    took = time.perf_counter() - clock
                    patience = max(1, min(4 * now, int(now * _PATIENCE / max(took, 1e-6))))
                    if not bar.update(first + done * h) or interrupt.pressed:
                        status, message = "interrupted", f"interrupted at t = {first + done * h:.6g} s"
                        break
                if status == "failed":
                    break
                if recorded or status == "interrupted":
                    rows.add(first + done * h, x)
                if watch is not None and time.monotonic() > told:
                    watch(rows.new())
                    told = time.monotonic() + _WATCHED
                if status == "interrupted":
                    break
    finally:
        bar.close()
    run = rows.run(status, message, steps, _pushing(scene, native))
    run = _judged(run, scene, experiment, fastest, method.step, way.margin)
    if check and run.status == "failed":
        raise SimulationError(run.message, run)
    return run


def _steps(experiment: Experiment) -> tuple[TimeStepping, FixedStepMethod]:
    """Return contact method and steps."""
    way, method = experiment.contact, experiment.integrator
    assert isinstance(way, TimeStepping)
    if not isinstance(method, FixedStepMethod) or method.name != way.integrator:
        raise InputError(
            f"machine '{experiment.machine.name}' with colliders needs the method of contact='time-stepping', got "
            f"{method.name!r}; leave it out"
        )
    return way, method


def _parameters(experiment: Experiment) -> Array:
    """Values of the parameters of the machine."""
    p = experiment.p
    if p is None or isinstance(p, Mapping):
        return experiment.machine.parameter_vector(p)
    values = np.asarray(p, dtype=float)
    names = [q.name for q in experiment.machine.parameters]
    if values.shape != (len(names),):
        raise InputError(f"p must have the {len(names)} values of {', '.join(names)}, got {len(values)}")
    return values


def _begin(experiment: Experiment) -> float:
    start = experiment.start
    return float(start.t if isinstance(start, Start) else start.final.t)


def _start(experiment: Experiment, scene: BodyScene) -> Array:
    """Return the first state, in principal frames, with the account of the solver."""
    start, machine = experiment.start, experiment.machine
    account = np.zeros(len(scene.account))
    if isinstance(start, Start):
        q = named_vector(start.q, machine.q_names, machine.q_neutral, "q0")
        v = named_vector(start.v, machine.v_names, np.zeros(machine.nv), "v0")
    else:
        names = (*machine.q_names, *machine.v_names, *scene.account)
        if start.state_names != names:
            raise InputError(f"start must be a run of machine '{machine.name}' with these colliders, got {start!r}")
        q, v, account = np.split(start.final.x, [machine.nq, machine.nq + machine.nv])
    q = q.reshape(-1, 7).copy()
    size = np.linalg.norm(q[:, 3:], axis=1)
    if not (size > 0.0).all():
        name = scene.names[int(np.argmin(size))]
        raise InputError(f"q0: the quaternion of body '{name}' of machine '{machine.name}' must not be zero")
    q[:, 3:] /= size[:, None]
    return np.concatenate([scene.to_native(q.ravel(), v), account])


def _refuse_overlaps(scene: BodyScene, native: NativeScene, x: Array) -> None:
    """Raise an error that names bodies that overlap at the start, and their depth."""
    touching = native.touching(x, 0.0)
    native.forget()
    gaps = rigid_gaps(scene.table.shapes.compliance, touching)
    if gaps.min(initial=0.0) < -_DEEP:
        worst = int(np.argmin(gaps))
        one, two = (scene.owners[i] for i in touching.shapes[worst])
        raise InputError(
            f"q0: '{one}' and '{two}' of machine '{scene.machine.name}' overlap by {-touching.gaps[worst]:.6g} m; move "
            "them apart, or let their colliders ignore each other"
        )


def _segments(
    t0: float, duration: float, step: float, record: float | None
) -> Iterator[tuple[float, float, int, bool]]:
    """Start, step, number of steps, and whether a row follows: between rows that are recorded, and to the end."""
    interval = step if record is None else min(record, duration)
    rows = math.ceil(duration / interval * (1.0 - 1e-12))
    for k in range(rows):
        begin, end = k * interval, duration if k == rows - 1 else (k + 1) * interval
        whole = int((end - begin) / step + 1e-9)
        rest = end - begin - whole * step
        short = rest > 1e-9 * step
        if whole:
            yield t0 + begin, step, whole, not short
        if short:
            yield t0 + begin + whole * step, rest, 1, True


def _failure(scene: BodyScene, native: NativeScene, t: float) -> tuple[str, str]:
    name = scene.machine.name
    if native.full:
        room = native.scene.struct.most_contacts
        return (
            "failed",
            f"machine '{name}' has more than {room} contacts at t = {t:.6g} s: bodies have sunk into each other",
        )
    return "failed", f"machine '{name}' has a state that is not finite at t = {t:.6g} s: take a shorter step"


class _Rows:
    """Rows of a run so far."""

    def __init__(self, scene: BodyScene, native: NativeScene, experiment: Experiment, began: float) -> None:
        self._scene, self._native, self._experiment, self._began = scene, native, experiment, began
        self._t: list[float] = []
        self._x: list[Array] = []
        self._counts: list[tuple[float, float]] = []
        self._passed_on = 0

    def add(self, t: float, x: Array) -> None:
        """Record a row."""
        struct = self._native.scene.struct
        self._t.append(t)
        self._x.append(x.copy())
        self._counts.append((float(struct.n_contacts), float(struct.deepest)))

    def new(self) -> Run:
        """Return the rows since the last call, as a run that has not ended."""
        first, self._passed_on = self._passed_on, len(self._t)
        return self._made(first, "running", "", {})

    def run(self, status: str, message: str, steps: int, contacts: list[dict[str, Any]]) -> Run:
        """Return the whole run."""
        method = self._experiment.integrator
        metadata = {
            "method": method.name,
            "step": getattr(method, "step", None),
            "record": self._experiment.record,
            "steps": steps,
            "wall_time": time.perf_counter() - self._began,
            "version": __version__,
            "contact": self._experiment.contact.name,
            "settings": self._experiment.plain_settings(),
            "contacts": contacts,
            "contact_faults": self._native.faults._asdict(),
        }
        return self._made(0, status, message, metadata)

    def _made(self, first: int, status: str, message: str, metadata: dict[str, Any]) -> Run:
        scene, machine = self._scene, self._scene.machine
        x = np.array(self._x[first:])
        y = np.column_stack([*scene.energies(x), np.array(self._counts[first:])])
        states = np.hstack([scene.from_native(x), x[:, 13 * len(scene.names) :]])
        return Run(
            t=np.array(self._t[first:]), x=states, y=y, held=np.zeros((len(x), 0)),
            state_names=(*machine.q_names, *machine.v_names, *scene.account), signal_names=_SIGNALS, held_names=(),
            events=(),
            status=status, message=message, final=EndState(self._t[-1], states[-1]),
            metadata={"machine": machine.name, **metadata}, source=machine, experiment=self._experiment,
        )  # fmt: skip


def _pushing(scene: BodyScene, native: NativeScene) -> list[dict[str, Any]]:
    """Contacts of the last step that push: owners, point, normal, gap, and force along the normal and both tangents."""
    touching, forces, entries = native.touching(), native.forces(), []
    for k in np.flatnonzero(forces[:, 0]):
        one, two = (scene.owners[i] for i in touching.shapes[k])
        where = {"point": touching.points[k].tolist(), "normal": touching.normals[k].tolist()}
        entries.append({"between": [one, two], **where, "gap": float(touching.gaps[k]), "force": forces[k].tolist()})
    return entries


def _judged(
    run: Run, scene: BodyScene, experiment: Experiment, fastest: tuple[float, int], step: float, margin: float
) -> Run:
    """Return the run; as failed if its contacts have added energy, more than weights do along the margin of gaps.

    Warn of what the account of contacts shows, and of steps in which a body may pass another one.
    """
    name = scene.machine.name
    warn_of_contacts(name, run)
    if fastest[0] > 1.0:
        warn(
            f"machine '{name}': '{scene.owners[fastest[1]]}' moves by {fastest[0]:.3g} times its own size in half a "
            f"step of {step:g} s: it may pass through others; take a shorter step"
        )
    if run.status != "completed":
        return run
    gained, bound = run.energy.residual, experiment.contact.energy_bound
    worst, weight = int(np.argmax(gained)), float(scene.table.mass.sum() * np.linalg.norm(scene.table.gravity))
    if not gained[worst] > max(bound * run.energy.peak, margin * weight, run.energy.rounding):
        return run
    message = (
        f"machine '{name}' has gained {gained[worst]:.4g} J at a peak energy of {run.energy.peak:.4g} J by "
        f"t = {run.t[worst]:.6g} s that nothing supplied: take a shorter step or a smaller tolerance, or raise "
        f"energy_bound of the contact method ({bound:g})"
    )
    return replace(run, status="failed", message=message)
