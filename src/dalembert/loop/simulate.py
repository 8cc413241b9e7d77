"""One run of an experiment: its equations and all inputs as one problem, from its start, over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.control.law_blocks import law_block
from dalembert.core.doing import doing
from dalembert.core.errors import InputError, SimulationError
from dalembert.core.states import named_vector
from dalembert.core.types import Array
from dalembert.core.warn import warn
from dalembert.engine.methods.contacts import ContactMethod
from dalembert.engine.sampling import Schedule, Update
from dalembert.formulations.constraints.assembly import assembled_start
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.states import Parameters
from dalembert.loop.closed_loop import ClosedLoop, close_loop
from dalembert.loop.consistent_starts import consistent_start
from dalembert.loop.contact_checks import warn_of_contacts
from dalembert.loop.experiment import Experiment, Start
from dalembert.loop.flexible_checks import warn_of_angles, warn_of_stiff_modes
from dalembert.loop.heavy_checks import warn_of_heavy_cables
from dalembert.loop.rope_checks import warn_of_light_ends, warn_of_stiff_ropes
from dalembert.loop.routines import check_native_start
from dalembert.loop.scenes import is_free_scene, refuse_colliders, run_scene
from dalembert.loop.stepping import check_gaps
from dalembert.loop.stresses import with_stresses
from dalembert.loop.switches import check_switches
from dalembert.model.comparison import mechanics_apart
from dalembert.simulation.integrate import integrate
from dalembert.simulation.methods import AdaptiveMethod, AdaptiveMidpoint, ImplicitMidpoint, agree
from dalembert.simulation.run import EndState, Run

__all__ = ["check_limits", "compose", "run_experiment", "start_state"]

_ON_LIMIT = 1e-9  # part by which a coordinate may pass its limit and still be on it

_CLOSED = 1e-8
"""Gap [m] to which contacts are closed: what their forces do along it is no gain."""


def compose(experiment: Experiment, *, control: Any = None) -> ClosedLoop:
    """Return the closed loop of an experiment; ``control`` replaces a law of None."""
    refuse_colliders(experiment)
    eom = experiment.equations
    with doing(f"composing the loop of '{eom.machine.name}'"):
        loop = close_loop(
            eom,
            control if experiment.control is None else experiment.control,
            events=experiment.events,
            limits=experiment.limits,
            switches=experiment.switches,
            contact=_steps(experiment),
            signals=experiment.signals,
            sensors=experiment.sensors,
        )
    problem = loop.problem
    if experiment.constraints is not None and problem.constrained is None and problem.stepping is None:
        raise InputError(
            f"constraints={experiment.constraints.name!r} keeps constraints, but machine {problem.name!r} has none; "
            "leave it out"
        )
    return loop


def _steps(experiment: Experiment) -> ContactMethod | ImplicitMidpoint | AdaptiveMidpoint:
    """Return what decides on the states of a loop besides its control: contact method, or implicit steps."""
    method = experiment.integrator
    return method if isinstance(method, ImplicitMidpoint | AdaptiveMidpoint) else experiment.contact


def run_experiment(
    experiment: Experiment,
    *,
    progress: bool | Callable[[float], object] | None = None,
    watch: Callable[[Run], object] | None = None,
    check: bool = True,
    marks: float | None = None,
    each_transition: bool = False,
) -> Run:
    """Simulate; ``progress``, ``watch`` and ``check`` are as in `dalembert.simulate`.

    Steps end at the multiples of ``marks`` too, as they do where rows are recorded; ``each_transition`` is as of
    `integrate`.
    """
    if is_free_scene(experiment):
        return run_scene(experiment, progress=progress, watch=watch, check=check)
    settings, eom, p = experiment.settings, experiment.equations, experiment.p
    loop = compose(experiment)
    warn_of_stiff_modes(eom.machine, experiment.integrator)
    goes_on = isinstance(experiment.start, Run)
    begin = experiment.start.t if isinstance(experiment.start, Start) else experiment.start.final.t
    check_switches(experiment.switches, begin, settings.duration, goes_on=goes_on)
    _check_contacts(loop, experiment)
    report: dict[str, Any] = {}
    transition: Any = experiment.on_event
    if loop.switching is not None:
        switching = loop.switching.for_run(eom.parameter_values(p), experiment.on_event)
        report["transitions"] = switching.log
        transition = switching if switching.needed else experiment.on_event
    x0: EndState | Array
    if isinstance(experiment.start, Run):
        x0 = _continued(experiment, loop, experiment.start)
    else:
        x0, projection = start_state(experiment, loop)
        report |= projection
        warn_of_light_ends(eom, x0[: eom.nq], begin, eom.parameter_values(p))
    report |= {"settings": experiment.plain_settings()}
    if experiment.control is not None:
        report["control"] = law_block(experiment.control)
    if eom.p_names:
        report["parameters"] = dict(zip(eom.p_names, eom.parameter_values(p).tolist(), strict=True))

    def known(run: Run) -> Run:
        """A run with its experiment and its start."""
        so_far = {key: list(what) if isinstance(what, list) else what for key, what in report.items()}
        told = replace(run, metadata={**run.metadata, **so_far}, source=eom.machine, experiment=experiment)
        return with_stresses(eom.machine, told)

    failure: SimulationError | None = None
    try:
        run = integrate(
            loop.problem,
            x0,
            eom.parameter_values(p),
            settings,
            controller=loop.controller if marks is None else _marked(loop.controller, marks),
            progress=progress,
            watch=(lambda rows: watch(known(rows))) if callable(watch) else watch,
            on_event=transition,
            each_transition=each_transition,
            backend=eom.backend,
        )
    except SimulationError as error:
        if not isinstance(error.run, Run):
            raise
        failure, run = error, error.run
    run = known(run)
    if failure is None:
        run = _balanced(run, loop, experiment)
    warn_of_stiff_ropes(experiment, run)
    if check and failure is not None:
        raise SimulationError(str(failure), run) from failure.__cause__
    if check and run.status in ("diverged", "failed"):
        raise SimulationError(run.message, run)
    warn_of_angles(eom.machine, run)
    warn_of_heavy_cables(eom.machine, run)
    return run


def _balanced(run: Run, loop: ClosedLoop, experiment: Experiment) -> Run:
    """Return the run; as failed if its contacts have added energy. Warn of what their account shows."""
    problem, machine = loop.problem, experiment.equations.machine
    warn_of_contacts(machine.name, run)
    contacts = problem.stepping is not None or (problem.constrained is not None and problem.constrained.has_contacts)
    if not contacts or run.status not in ("completed", "stopped"):
        return run
    energy, switched = run.energy, bool(experiment.switches) or experiment.on_event is not None
    gained = energy.residual if switched else energy.residual + energy.transition
    worst, bound = int(np.argmax(gained)), experiment.contact.energy_bound
    pushes = [np.max(np.abs(run[name])) for name in run.names if name.startswith("force.") and name.endswith(".normal")]
    if not gained[worst] > max(bound * energy.peak, _CLOSED * sum(pushes), energy.rounding):
        return run
    message = (
        f"machine '{machine.name}' has gained {gained[worst]:.4g} J at a peak energy of {energy.peak:.4g} J "
        f"by t = {run.t[worst]:.6g} s that nothing supplied: take a shorter step or a smaller tolerance, or "
        f"raise energy_bound of the contact method ({bound:g})"
    )
    return replace(run, status="failed", message=message)


def _tolerance(experiment: Experiment) -> float | None:
    """Relative tolerance of an adaptive method; None of others."""
    return experiment.method.rtol if isinstance(experiment.method, AdaptiveMethod) else None


def _continued(experiment: Experiment, loop: ClosedLoop, run: Run) -> EndState:
    """Return the end of an earlier run, which this one continues."""
    eom = experiment.equations
    if run.state_names != loop.problem.state_names:
        raise InputError(f"start must be a run with the states {', '.join(loop.problem.state_names)}, got {run!r}")
    if run.machine is not None and (apart := mechanics_apart(run.machine, eom.machine)):
        raise InputError(
            f"start is a run of a machine with different {', '.join(apart)} than '{eom.machine.name}' has: it cannot "
            "continue as this machine; to start another machine there give the last state as q0, v0 and t0"
        )
    if experiment.limits == "stop" or any(joint.limits.stop for joint in eom.machine.joints):
        q, _ = eom.to_machine(run.final.x[: eom.nq], run.final.x[eom.nq : eom.nq + eom.nv], p=experiment.p)
        check_limits(eom, q[None], "stop" if experiment.limits == "stop" else "ignore", "start")
    return run.final


def start_state(experiment: Experiment, loop: ClosedLoop) -> tuple[Array, dict[str, Any]]:
    """Return the initial state of an experiment, and the corrections that made it consistent."""
    start, eom, p = experiment.start, experiment.equations, experiment.p
    if not isinstance(start, Start):
        raise InputError("a start is a Start here, not a run to continue")
    machine, report = eom.machine, dict[str, Any]()
    numbers = eom.parameter_values(p)
    q, moved = assembled_start(eom, start.q, t=start.t, p=numbers, branch=start.branch, reach=start.reach)
    check_limits(eom, q[None], experiment.limits, "q0")
    asked = named_vector(start.v, machine.v_names, np.zeros(machine.nv), "v0")
    names = (*machine.q_names, *machine.v_names)
    check_native_start(experiment.control, dict(zip(names, [*q.tolist(), *asked.tolist()], strict=True)))
    q, v = eom.from_machine(q, asked, p=p)
    x0 = np.concatenate([q, v, loop.z0, [0.0, 0.0]])
    wanted = {name: float(value) for name, value in start.v.items()} if isinstance(start.v, Mapping) else None
    if loop.stepped is not None:
        x0, report["initial_projection"] = loop.stepped.one(x0, start.t, numbers, wanted)
        if start.v is not None and wanted is None:
            _tell_changes(eom, x0, asked, p)
    if loop.problem.stepping is not None:
        check_gaps(eom, x0, p, limits=experiment.limits == "contact", stepping=loop.problem.stepping)
    if loop.switching is not None:
        switching = loop.switching.for_run(numbers, None)
        begun = consistent_start(switching, x0, start.t, wanted, rtol=_tolerance(experiment))
        x0, report["initial_projection"] = begun.x, begun.moved
        if begun.impact:
            report["initial_impact"] = begun.impact
        elif start.v is not None and wanted is None:
            _tell_changes(eom, x0, asked, p)
    if "initial_projection" in report:
        report["initial_projection"]["position"] = max(moved, report["initial_projection"]["position"])
    return x0, report


def _marked(schedule: Schedule | None, interval: float) -> Schedule:
    """Return a schedule with instants at which nothing is set."""
    base = Schedule((), np.zeros(0)) if schedule is None else schedule
    return Schedule((Update("marks", interval, (), lambda t, x, c, p: []), *base.updates), base.initial)


def _check_contacts(loop: ClosedLoop, experiment: Experiment) -> None:
    """Refuse constraint methods that do not support contacts and joints that stick."""
    if loop.switching is None or not loop.switching.settles:
        return
    loop.switching.check_way(agree(loop.problem, experiment.integrator, experiment.constraints)[1])


def _tell_changes(eom: EquationsOfMotion, x: Array, asked: Array, p: Parameters) -> None:
    """Tell of velocities, all given at once, that the constraints turned into far others."""
    got = eom.to_machine(x[: eom.nq], x[eom.nq : eom.nq + eom.nv], p=p)[1]
    gaps, largest = np.abs(got - asked), np.abs(asked).max()
    worst = int(np.argmax(np.where(asked != 0.0, gaps, 0.0)))  # zeros may be values that follow from the others
    if gaps[worst] > 1e-3 * largest:
        warn(
            f"v0: the constraints of machine '{eom.machine.name}' do not allow these velocities: "
            f"{eom.machine.v_names[worst]!r} starts at {got[worst]:.4g} instead of {asked[worst]:g}; "
            "velocities that are given by name are kept"
        )


def check_limits(eom: EquationsOfMotion, q: Array, limits: str, where: str) -> None:
    """Refuse to start where a limit would have stopped the run, and warn of other limits that the start exceeds.

    Parameters
    ----------
    eom
        The equations.
    q
        Coordinates of the machine, of each member (N, nq).
    limits
        Action at limits, as in `Experiment`.
    where
        Name of the coordinates in messages.
    """
    machine = eom.machine
    for joint in machine.joints:
        if joint.name not in machine.q_names or (limits == "ignore" and not joint.limits.stop):
            continue
        values, lower, upper = q[:, machine.q_names.index(joint.name)], joint.limits.lower, joint.limits.upper
        outside = (values < lower - _ON_LIMIT * (1.0 + abs(lower))) | (values > upper + _ON_LIMIT * (1.0 + abs(upper)))
        if not outside.any():
            continue
        first = int(np.argmax(outside))
        member = f" of member {first}" if len(q) > 1 else ""
        text = (
            f"{where}: {joint.name!r}{member} of machine '{machine.name}' starts at {values[first]:g}, outside of its "
            f"range {lower:g} to {upper:g}"
        )
        if limits == "stop" or joint.limits.stop:
            raise InputError(f"{text}, where a run stops; give a value within this range")
        warn(text)
