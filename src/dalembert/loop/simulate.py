"""One run of a machine: its equations and what acts on them as one problem, from its initial state, over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.law_blocks import law_block
from dalembert.core.doing import doing
from dalembert.core.errors import InputError, SimulationError
from dalembert.core.states import named_vector
from dalembert.core.types import Array, StateLike
from dalembert.core.warn import warn
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.closed_loop import ClosedLoop, Event, close_loop
from dalembert.loop.stepping import check_gaps
from dalembert.loop.switches import Switch, check_switches
from dalembert.model.signals import Sensor, Signal
from dalembert.simulation.contact.methods import contact_method
from dalembert.simulation.engines.integrators import agree
from dalembert.simulation.integrate import integrate
from dalembert.simulation.run import EndState, Run
from dalembert.simulation.sampling import Schedule, Update
from dalembert.simulation.settings import Settings

__all__ = ["run_equations", "start_state"]

_ON_LIMIT = 1e-9  # part by which a coordinate may pass its limit and still be on it


def run_equations(
    eom: EquationsOfMotion,
    settings: Settings,
    *,
    q0: StateLike = None,
    v0: StateLike = None,
    p: Mapping[str, float] | ArrayLike | None = None,
    control: Any = None,
    start: Run | None = None,
    events: Sequence[Event] = (),
    switches: Sequence[Switch] = (),
    signals: Sequence[Signal] = (),
    sensors: Sequence[Sensor] = (),
    on_event: Callable[..., Any] | None = None,
    progress: bool | Callable[[float], object] | None = None,
    watch: Callable[[Run], object] | None = None,
    check: bool = True,
    marks: float | None = None,
    each_transition: bool = False,
) -> Run:
    """Simulate; what is given besides equations and settings is as of `dalembert.simulate`.

    Steps end at the multiples of ``marks`` too, as they do where rows are recorded; ``each_transition`` is as of
    `integrate`.
    """
    contact = None if settings.contact is None else contact_method(settings.contact)
    with doing(f"composing the loop of '{eom.machine.name}'"):
        loop = close_loop(
            eom,
            control,
            events=events,
            limits=settings.limits,
            switches=switches,
            contact=contact,
            signals=signals,
            sensors=sensors,
        )
    if start is not None and not isinstance(start, Run):
        raise InputError(f"start must be a run, got {start!r}")
    begin = settings.t0 if start is None else start.final.t
    check_switches(switches, begin, settings.duration, goes_on=start is not None)
    _check_contacts(loop, settings)
    report: dict[str, Any] = {}
    transition = on_event
    if loop.switching is not None:
        switching = loop.switching.for_run(eom.parameter_values(p), on_event, settings.rtol)
        report["transitions"] = switching.log
        transition = switching if switching.needed else on_event
    x0: EndState | Array
    if start is not None:
        if q0 is not None or v0 is not None:
            raise InputError("give either start (an earlier run) or q0 and v0, not both")
        if start.state_names != loop.problem.state_names:
            raise InputError(
                f"start must be a run with the states {', '.join(loop.problem.state_names)}, got {start!r}"
            )
        if settings.t0 not in (0.0, start.final.t):
            raise InputError(f"t0 = {settings.t0:g} contradicts the run to go on from, up to t = {start.final.t:g} s")
        x0 = start.final
        if settings.limits == "stop" or any(joint.limits.stop for joint in eom.machine.joints):
            q, _ = eom.to_machine(x0.x[: eom.nq], x0.x[eom.nq : eom.nq + eom.nv], p=p)
            _check_limits(eom, q, "stop" if settings.limits == "stop" else "ignore", "start")
    else:
        x0, started = start_state(eom, loop, settings, q0, v0, p)
        report |= started
    if control is not None:
        report["control"] = law_block(control)
    if eom.p_names:
        report["parameters"] = dict(zip(eom.p_names, eom.parameter_values(p).tolist(), strict=True))

    def known(run: Run) -> Run:
        """A run that knows its machine, and what it was started with."""
        so_far = {key: list(what) if isinstance(what, list) else what for key, what in report.items()}
        return replace(run, metadata={**run.metadata, **so_far}, source=eom.machine)

    failure: SimulationError | None = None
    try:
        run = integrate(
            loop.problem,
            x0,
            eom.parameter_values(p),
            settings,
            controller=loop.controller if marks is None else _marked(loop.controller, marks),
            progress=progress,
            watch=(lambda part: watch(known(part))) if callable(watch) else watch,
            on_event=transition,
            each_transition=each_transition,
            backend=eom.backend,
        )
    except SimulationError as error:
        if not isinstance(error.run, Run):
            raise
        failure, run = error, error.run
    run = known(run)
    if check and failure is not None:
        raise SimulationError(str(failure), run) from failure.__cause__
    if check and run.status in ("diverged", "failed"):
        raise SimulationError(run.message, run)
    return run


def start_state(
    eom: EquationsOfMotion,
    loop: ClosedLoop,
    settings: Settings,
    q0: StateLike,
    v0: StateLike,
    p: Mapping[str, float] | ArrayLike | None,
) -> tuple[Array, dict[str, Any]]:
    """Return the state from which a run starts, and what had to be done for it to be one."""
    own, report = eom.machine, dict[str, Any]()
    q = named_vector(q0, own.q_names, own.q_neutral, "q0")
    _check_limits(eom, q, settings.limits, "q0")
    asked = named_vector(v0, own.v_names, np.zeros(own.nv), "v0")
    q, v = eom.from_machine(q, asked, p=p)
    if loop.problem.stepping is not None:
        check_gaps(eom, q, p, limits=settings.limits == "contact")
    x0 = np.concatenate([q, v, loop.z0, [0.0, 0.0]])
    if loop.switching is not None:
        switching = loop.switching.for_run(eom.parameter_values(p), None, settings.rtol)
        wanted = {name: float(value) for name, value in v0.items()} if isinstance(v0, Mapping) else None
        x0, report["initial_projection"] = switching.prepare(x0, settings.t0, settings.reach, wanted)
        if switching.initial:
            report["initial_impact"] = switching.initial
        elif v0 is not None and wanted is None:
            _tell_changes(eom, x0, asked, p)
    return x0, report


def _marked(schedule: Schedule | None, interval: float) -> Schedule:
    """Return a schedule with instants at which nothing is set."""
    given = Schedule((), np.zeros(0)) if schedule is None else schedule
    return Schedule((Update("marks", interval, (), lambda t, x, c, p: []), *given.updates), given.initial)


def _check_contacts(loop: ClosedLoop, settings: Settings) -> None:
    """Refuse ways of keeping constraints that know nothing of contacts."""
    if loop.switching is None or not loop.switching.pairs.is_contact.any():
        return
    loop.switching.check_way(agree(loop.problem, settings.method, settings.constraints)[1])


def _tell_changes(eom: EquationsOfMotion, x: Array, asked: Array, p: Any) -> None:
    """Tell of velocities, all given at once, that the constraints turned into far others."""
    got = eom.to_machine(x[: eom.nq], x[eom.nq : eom.nq + eom.nv], p=p)[1]
    gaps, largest = np.abs(got - asked), np.abs(asked).max()
    worst = int(np.argmax(np.where(asked != 0.0, gaps, 0.0)))  # zeros may stand for what follows from the others
    if gaps[worst] > 1e-3 * largest:
        warn(
            f"v0: the constraints of machine '{eom.machine.name}' do not allow these velocities: "
            f"{eom.machine.v_names[worst]!r} starts at {got[worst]:.4g} instead of {asked[worst]:g}; "
            "velocities that are given by name are kept"
        )


def _check_limits(eom: EquationsOfMotion, q: Array, limits: str, where: str) -> None:
    """Refuse to start where a limit would have stopped the run, and tell of other limits that are passed."""
    names = eom.machine.q_names
    for joint in eom.machine.joints:
        if joint.name not in names or (limits == "ignore" and not joint.limits.stop):
            continue
        value, lower, upper = q[names.index(joint.name)], joint.limits.lower, joint.limits.upper
        if lower - _ON_LIMIT * (1.0 + abs(lower)) <= value <= upper + _ON_LIMIT * (1.0 + abs(upper)):
            continue
        text = (
            f"{where}: {joint.name!r} of machine '{eom.machine.name}' starts at {value:g}, outside of its range "
            f"{lower:g} to {upper:g}"
        )
        if limits == "stop" or joint.limits.stop:
            raise InputError(f"{text}, where a run must stop; give it a value within")
        warn(text)
