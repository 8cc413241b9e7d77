"""From equations of motion and a control law to the problem that a simulation integrates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, is_dataclass, replace
from functools import partial
from typing import Any

import casadi as ca

from dalembert.core.errors import InputError
from dalembert.core.ports import NativeStage
from dalembert.core.types import Array, ExpressionLike
from dalembert.core.validation import check_objects
from dalembert.engine.implicit.native import NUMERICAL_LOSS
from dalembert.engine.methods.contacts import ContactMethod, TimeStepping
from dalembert.engine.problem.problem import Problem
from dalembert.engine.sampling import Schedule
from dalembert.formulations.actuation import actuator_efforts
from dalembert.formulations.constraints.elastic_sheaves import ElasticSheaves, elastic_sheaves_of
from dalembert.formulations.constraints.elastic_slips import ElasticSlips, elastic_slips_of
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.bristles import bristles_of
from dalembert.loop.constraints import (
    constrained_part,
    rope_events,
    rope_signals,
    sheave_signals,
    switch_events,
    tension_specs,
)
from dalembert.loop.events import Event, loop_events
from dalembert.loop.implicit import middle_tape, midpoint_tape
from dalembert.loop.internal_states import InternalStates
from dalembert.loop.laws import ConstantInputs, law_terms, sampling_schedule, taken_apart
from dalembert.loop.nearest import axis_events, line_events, nearest_events, window_events
from dalembert.loop.quantities import Quantities, Slots, sensor_readings
from dalembert.loop.rope_memory import RopeMemory
from dalembert.loop.sampled import Stages, bound, stage_slots
from dalembert.loop.stepping import (
    SteppedStart,
    check_stepping,
    contact_signals,
    held_signals,
    kept_latches,
    loss_names,
    same_tensions,
    stepping_names,
    stepping_part,
)
from dalembert.loop.switches import Switch, check_switched
from dalembert.loop.switching import Switching
from dalembert.model.signals import Sensor, Signal
from dalembert.simulation.methods import AdaptiveMidpoint, ImplicitMidpoint

__all__ = ["ClosedLoop", "close_loop"]


@dataclass(frozen=True)
class ClosedLoop:
    """A problem with the initial internal states, the sampled controller and the switches that belong to it."""

    problem: Problem
    z0: Array
    controller: Schedule | None
    switching: Switching | None = None
    constant: Array | None = None  # inputs that nothing but themselves is behind
    stepped: SteppedStart | None = None  # of runs by time-stepping


def close_loop(
    eom: EquationsOfMotion,
    control: Any = None,
    *,
    events: Sequence[Event] = (),
    limits: str = "record",
    switches: Sequence[Switch] = (),
    contact: ContactMethod | ImplicitMidpoint | AdaptiveMidpoint | None = None,
    signals: Sequence[Signal] = (),
    sensors: Sequence[Sensor] = (),
) -> ClosedLoop:
    """Compose equations of motion, control and events.

    The state is ``x = (q, v, z, work.input, work.loss)``: the law's internal states ``z`` and the work done by inputs
    and wrenches and by losses, which the energy audit needs. Recorded besides it: the efforts of motors and
    thrusters after saturation (``u.NAME``), the energies, and the signals. Held values are the commands of sampled
    controllers, the held values of the stages of a cascade, and the readings of sensors.

    Parameters
    ----------
    eom
        The equations.
    control
        None (inputs are zero), constant inputs, an expression law, a sampled law or controller, or a cascade of them.
    events
        User-defined events.
    limits
        Action at a joint limit: ``"record"`` an event, ``"stop"`` there, ``"ignore"`` it, or let it be a hard stop
        (``"contact"``).
    switches
        Constraints that are added and removed during the run.
    contact
        How contacts are dealt with; or the implicit method of a machine without contacts: the work of its numerical
        damping has an account, the state ``loss.numerical``.
    signals, sensors
        Signals and sensors besides those of the machine.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.systems.textbook import double_pendulum
    >>> close_loop(da.equations(double_pendulum())).problem.n_states
    6
    """
    events, switches = check_objects(events, Event, "events"), check_objects(switches, Switch, "switches")
    eom = eom.with_stops() if limits == "contact" else eom
    signals = (*eom.machine.signals, *check_objects(signals, Signal, "signals"))
    sensors = (*eom.machine.sensors, *check_objects(sensors, Sensor, "sensors"))
    stages, functions = taken_apart(eom, control)
    numerical_loss = isinstance(contact, ImplicitMidpoint | AdaptiveMidpoint) and contact.numerical_damping > 0.0
    contact = contact if isinstance(contact, TimeStepping) else None
    key = (stages, events, limits, switches, contact, signals, sensors, numerical_loss)
    if not _is_value(key):
        loop = _compose(eom, *key)
    else:
        loop = eom.kept.once("loop", key, lambda: _compose(eom, *key), at_most=8)
    if loop.controller is None or not functions:
        return loop
    constant = (
        functions[0].u if isinstance(functions[0], ConstantInputs) and len(loop.controller.updates) == 1 else None
    )
    return replace(loop, controller=bound(loop.controller, functions, eom.backend), constant=constant)


def _is_value(key: tuple[Any, ...]) -> bool:
    """Whether a loop is made of immutable things, so that it may be kept for the next run."""
    stages = key[0]
    parts = (stages.law, stages.sampled, getattr(stages.sampled, "law", None), *stages.outer)
    for item in parts:
        if item is not None and not (is_dataclass(item) and getattr(type(item), "__dataclass_params__").frozen):  # noqa: B009
            return False
    try:
        hash(key)
    except TypeError:
        return False
    return True


def _compose(
    eom: EquationsOfMotion,
    stages: Stages,
    events: Sequence[Event],
    limits: str,
    switches: Sequence[Switch],
    contact: ContactMethod | None,
    signals: Sequence[Signal],
    sensors: Sequence[Sensor],
    numerical_loss: bool,
) -> ClosedLoop:
    s = eom.symbolic
    slots = Slots()
    stage_slots(eom, stages, slots)
    sensor_readings(eom, signals, sensors, slots)
    estimates = {name: value for x in stages.outer if isinstance(x, NativeStage) for name, value in x.feedback.items()}
    known = Quantities(eom, signals, sensors, slots, estimates)
    states = InternalStates()
    u = law_terms(known, stages, states)
    bristles = bristles_of(eom)
    states.add(bristles.names, bristles.states, bristles.rates)
    by_steps, law_rates = isinstance(contact, TimeStepping), states.rates
    elastic = elastic_sheaves_of(eom) if by_steps else ElasticSheaves(eom, ())
    slips = ElasticSlips(eom, (), ca.SX(0, 1)) if by_steps else elastic_slips_of(eom)
    states.add(elastic.names, elastic.states)
    states.add(slips.names, slips.states, slips.rates)
    memory = RopeMemory(eom)
    if by_steps:
        states.add(memory.names, memory.states)
    by_events = eom.has_rows and contact is None
    if by_events:
        system = eom.constraint_system
        rubbing = (*system.sheaves, *system.sticking)
        # Friction is the only quantity that changes at rest: its integral lets adaptive steps follow it.
        states.add([f"impulse.{name}" for name in rubbing])
    first = eom.nq + eom.nv
    n_before = first + len(states)
    if by_events:
        states.add(system.latch_names, system.latches, initial=system.latch_nominal)
        states.add([*loss_names(system.contacts), *(f"loss.{name}" for name in rubbing)])
    account = None
    if numerical_loss:
        account = first + len(states)
        states.add((NUMERICAL_LOSS,))
    contacts = stepped = None
    if isinstance(contact, TimeStepping):
        contacts = eom.contact_system(limits=eom.stops)
        check_stepping(eom, contacts, elastic)
        states.add(stepping_names(eom, contacts))
        stepped = _stepped_states(eom, states, memory, n_before)
    ropes = slips.forces
    forces = (s.actuation + s.wrenches + ropes[0], s.losses + bristles.force + ropes[1])
    applied = [ca.substitute(ca.densify(f), s.u, u) for f in forces]
    if by_events or eom.constrained:
        acceleration = ca.SX(ca.DM.nan(eom.nv, 1))  # an engine that forgets the constraints gets nowhere
    else:
        acceleration = ca.substitute(s.forward_dynamics, s.tau, applied[0] + applied[1])
    power = [ca.dot(s.v, applied[0]), ca.dot(s.v, applied[1] - ropes[1]) - slips.loss]
    work = ca.SX.sym("work", 2)
    x = ca.vertcat(s.q, s.v, states.symbols, work)
    arguments = [s.t, x, slots.symbols, s.p]
    xdot = ca.vertcat(s.coordinate_rate, acceleration, states.rates, *power)
    efforts = actuator_efforts(eom.machine, u, s.value, s.joint_rate)
    effort = ca.vertcat(*efforts) if efforts else ca.SX(0, 1)
    y = ca.vertcat(effort, s.kinetic_energy, s.potential_energy + slips.energy)
    y_names = [*(f"u.{n}" for n in eom.u_names), "energy.kinetic", "energy.potential"]
    for name, expression in (
        *(rope_signals(eom, elastic.ropes | slips.ropes) if eom.machine.all_ropes else ()),
        *elastic.signals,
        *slips.signals,
        *contact_signals(eom.contact_system(limits=eom.stops)),
        *(sheave_signals(eom) if eom.has_rows else ()),
        *(() if contacts is None else held_signals(eom)),
        *(
            ()
            if contacts is None
            else ((name, x[first + states.names.index(same)]) for name, same in same_tensions(eom))
        ),
        *bristles.signals,
        *known.recorded,
    ):
        y, y_names = ca.vertcat(y, expression), [*y_names, name]
    if not eom.formulation.machine_coordinates:
        native = zip((*eom.machine.q_names, *eom.machine.v_names), ca.vertsplit(ca.vertcat(*s.to_machine)), strict=True)
        extra = [(n, e) for n, e in native if n not in (*eom.q_names, *eom.v_names)]
        y = ca.vertcat(y, *(e for _, e in extra))
        y_names += [n for n, _ in extra]
    g, specs = loop_events(known, events, limits)
    nearest = nearest_events(eom) if by_events else ((), ())
    windows = window_events(eom) if by_events else ((), ())
    for more in (
        rope_events(eom, located=by_events, but=slips.ropes),
        slips.events,
        switch_events(eom, switches),
        nearest,
        windows,
        axis_events(eom, rigid=by_events),
        line_events(eom),
    ):
        g, specs = ca.vertcat(g, *more[0]), (*specs, *more[1])
    event_function = _function("events", arguments, ca.substitute(g, s.u, u)) if specs else None
    constrained = None
    if by_events:
        rates = ca.vertcat(s.coordinate_rate, ca.SX.zeros(eom.nv), states.rates, *power)
        constrained = constrained_part(eom, arguments, rates, applied[0] + applied[1], n_before, u, slips.pulls)
        at = {switch.event for switch in switches}
        specs = tuple(replace(x, switches=True) if x.name in at else x for x in (*specs, *tension_specs(eom)))
    stepping = None
    if contacts is not None and isinstance(contact, TimeStepping):
        stepping = stepping_part(eom, contacts, contact, arguments, law_rates, applied, n_before, u, elastic, memory)
    midpoint = None
    if by_events:
        midpoint = partial(middle_tape, eom, arguments, applied[1])
    elif contacts is None and not eom.constrained:
        midpoint = partial(midpoint_tape, eom, arguments, applied[0], applied[1], states.rates, account)
    problem = Problem(
        state_names=(*eom.q_names, *eom.v_names, *states.names, "work.input", "work.loss"),
        ode=_function("ode", arguments, xdot),
        signals=_function("signals", arguments, y),
        signal_names=tuple(y_names),
        held_names=slots.names,
        unrecorded=slots.unrecorded,
        quaternions=tuple(start for _, start in eom.layout.quaternions),
        events=event_function,
        event_specs=specs,
        name=eom.machine.name,
        constrained=constrained,
        stepping=stepping,
        n_counted=n_before,
        midpoint=midpoint,
        velocities=(eom.nq, eom.nq + eom.nv),
    )
    schedule = sampling_schedule(known, stages, signals, sensors, arguments) if slots.names else None
    return ClosedLoop(problem, states.initial, schedule, _switching(eom, problem, n_before, switches), stepped=stepped)


def _stepped_states(
    eom: EquationsOfMotion, states: InternalStates, memory: RopeMemory, n_before: int
) -> SteppedStart | None:
    """Add the latches of constraints that time-stepping keeps, and return the correction of its starts."""
    if not eom.constrained:
        return None
    system, chosen, first = eom.constraint_system, kept_latches(eom), eom.nq + eom.nv + len(states)
    symbols = ca.vertcat(ca.SX(0, 1), *(system.latches[i] for i in chosen))
    states.add([system.latch_names[i] for i in chosen], symbols, initial=system.latch_nominal[chosen])
    places = [*range(first, first + len(chosen)), *range(n_before - len(memory.latches), n_before)]
    return SteppedStart(eom, [*chosen, *memory.latches], places)


def _switching(eom: EquationsOfMotion, problem: Problem, n_before: int, switches: Sequence[Switch]) -> Switching | None:
    if problem.constrained is None:
        if switches and problem.stepping is not None:
            raise InputError(
                f"contact='time-stepping' cannot switch constraints of machine '{eom.machine.name}' during a run: "
                "leave out switches, or use contact='event-driven'"
            )
        if switches:
            raise InputError(f"machine '{eom.machine.name}' has no constraints to switch")
        return None
    check_switched(eom, switches, [spec.name for spec in problem.event_specs])
    timed = [switch for switch in switches if switch.at is not None]
    named = {f"switch{k}": switch for k, switch in enumerate(timed)}
    named |= {str(switch.event): switch for switch in switches if switch.event is not None}
    return Switching(eom, problem, slice(n_before, n_before + len(eom.constraint_system.latch_names)), named)


def _function(name: str, arguments: list[Any], expression: ExpressionLike) -> ca.Function:
    dense = ca.cse(ca.densify(ca.SX(expression)))
    return ca.Function(name, arguments, [dense], ["t", "x", "c", "p"], ["out"])
