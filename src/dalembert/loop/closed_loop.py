"""From equations of motion and a control law to the problem that a simulation integrates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, is_dataclass, replace
from functools import partial
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.cascade import Cascade, Sampled
from dalembert.core.errors import DalembertError, InputError
from dalembert.core.labels import as_numbers
from dalembert.core.ports import Law, NativeStage
from dalembert.core.types import Array, Expression, ExpressionLike
from dalembert.core.validation import check_name
from dalembert.engine.implicit.native import NUMERICAL_LOSS
from dalembert.engine.methods.contacts import ContactMethod, TimeStepping
from dalembert.engine.problem.problem import EventSpec, Problem
from dalembert.engine.sampling import Schedule
from dalembert.formulations.actuation import actuator_efforts
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
from dalembert.loop.elastic_sheaves import ElasticSheaves, elastic_sheaves_of
from dalembert.loop.elastic_slips import ElasticSlips, elastic_slips_of
from dalembert.loop.implicit import middle_tape, midpoint_tape
from dalembert.loop.nearest import axis_events, nearest_events
from dalembert.loop.quantities import Quantities, Slots, sensor_readings, sensor_updates
from dalembert.loop.rope_memory import RopeMemory
from dalembert.loop.routines import routine_update
from dalembert.loop.sampled import (
    PythonStage,
    Stages,
    bound,
    detached,
    native_update,
    python_update,
    stage_slots,
)
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
from dalembert.model.signals import Sensor, Signal, read_text
from dalembert.simulation.methods import AdaptiveMidpoint, ImplicitMidpoint

__all__ = ["LIMITS", "ClosedLoop", "Event", "SampledController", "close_loop"]

LIMITS = ("record", "stop", "ignore", "contact")
"""Actions at the limits of joints."""

_TRUTHS = (ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_NOT, ca.OP_AND, ca.OP_OR)


@dataclass(frozen=True)
class SampledController:
    """A Python function as a controller that is called at a period.

    Parameters
    ----------
    function
        ``function(t, q, v) -> u``.
    period
        Seconds between two calls.
    name
        Its name in messages.

    Examples
    --------
    >>> import dalembert as da
    >>> da.SampledController(lambda t, q, v: [0.0], period=0.01).period
    0.01
    """

    function: Callable[[float, Array, Array], ArrayLike]
    period: float
    name: str = "controller"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"{self.name} needs a function (t, q, v) -> u, got {self.function!r}")

    def __call__(self, t: float, q: Array, v: Array) -> ArrayLike:
        """Return the inputs to hold until the next sample."""
        return self.function(t, q, v)


@dataclass(frozen=True)
class Event:
    """A user-defined event: a sign change of an expression.

    Parameters
    ----------
    name
        Its name.
    expression
        Text such as ``"theta - 0.3"`` of coordinates, velocities, parameters, signals and ``t``, as in `Signal`; or a
        function ``expression(t, q, v) -> g`` on CasADi symbols.
    terminal
        Whether the run stops there.
    direction
        ``+1`` rising, ``-1`` falling, ``0`` both.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Event("arrived", "x - 2.9", terminal=True).direction
    0
    """

    name: str
    expression: str | Callable[[Any, Any, Any], Any]
    terminal: bool = False
    direction: int = 0

    def __post_init__(self) -> None:
        check_name(self.name, "event")
        if isinstance(self.expression, str):
            read_text(self.expression, f"event '{self.name}'", None)
        elif not callable(self.expression):
            raise InputError(f"event '{self.name}' needs a function (t, q, v) -> g, got {self.expression!r}")
        if not isinstance(self.terminal, bool):
            raise InputError(f"'terminal' of event '{self.name}' must be true or false, got {self.terminal!r}")

    def function(self, known: Quantities) -> Expression:
        """Return the expression on the symbols of a loop."""
        owner, s = f"event '{self.name}'", known.eom.symbolic
        if isinstance(self.expression, str):
            g = known.text(self.expression, owner)
            if not ca.symvar(g):
                raise InputError(f"{owner} never happens: its expression {self.expression!r} is constant")
            return g
        try:
            g = ca.SX(self.expression(s.t, s.q, s.v))
        except Exception as error:
            reason = str(error).strip().splitlines()[-1:] or [""]
            raise InputError(
                f"the expression of event '{self.name}' fails on CasADi symbols: {type(error).__name__}: {reason[0]}"
            ) from error
        if g.numel() != 1:
            raise InputError(f"event '{self.name}' must return one expression, got {g.numel()}")
        if any(g.is_op(op) for op in _TRUTHS):
            raise InputError(
                f"event '{self.name}' must return a number that changes its sign, got a comparison: write the "
                "difference of its two sides"
            )
        if not ca.symvar(g):
            raise InputError(f"event '{self.name}' never happens: its expression {g} depends on neither t, q nor v")
        return known.bind(g, owner, seen=False)


@dataclass(frozen=True, eq=False)
class _Constant:
    """Inputs that stay as they are."""

    u: Array
    name: str = "constant input"
    period: float = 1e9

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """Return them."""
        return self.u


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
    events, switches = _listed(events, Event, "events"), _listed(switches, Switch, "switches")
    eom = eom.with_stops() if limits == "contact" else eom
    signals = (*eom.machine.signals, *_listed(signals, Signal, "signals"))
    sensors = (*eom.machine.sensors, *_listed(sensors, Sensor, "sensors"))
    stages, functions = _taken_apart(eom, control)
    numerical_loss = isinstance(contact, ImplicitMidpoint | AdaptiveMidpoint) and contact.numerical_damping > 0.0
    contact = contact if isinstance(contact, TimeStepping) else None
    key = (stages, events, limits, switches, contact, signals, sensors, numerical_loss)
    if not _is_value(key):
        loop = _compose(eom, *key)
    else:
        loop = eom.kept.once("loop", key, lambda: _compose(eom, *key), at_most=8)
    if loop.controller is None or not functions:
        return loop
    constant = functions[0].u if isinstance(functions[0], _Constant) and len(loop.controller.updates) == 1 else None
    return replace(loop, controller=bound(loop.controller, functions, eom.backend), constant=constant)


def _taken_apart(eom: EquationsOfMotion, control: object) -> tuple[Stages, list[Any]]:
    """Return the stages of a control, and their Python functions."""
    if control is None:
        return Stages((), None, None), []
    if eom.nu == 0:
        raise InputError(f"machine '{eom.machine.name}' has no motors or thrusters, so there is nothing to control")
    if isinstance(control, type):
        raise InputError(f"control is the class {control.__name__}, expected an object of it: {control.__name__}(...)")
    if isinstance(control, Law | Sampled | Cascade | NativeStage):
        return detached(control)
    if callable(control):
        if not hasattr(control, "period"):
            raise InputError(
                "a Python controller needs a 'period' in seconds; wrap a function as "
                "SampledController(function, period)"
            )
        return detached(control)
    try:
        u0 = as_numbers(control)
    except (TypeError, ValueError):
        raise InputError(
            f"control must be a law, a controller with a period, or {eom.nu} numbers, got {control!r}"
        ) from None
    if u0.shape != (eom.nu,) or not np.isfinite(u0).all():
        raise InputError(f"constant inputs must be {eom.nu} finite numbers ({', '.join(eom.u_names)}), got {control!r}")
    return detached(_Constant(u0))


def _listed(items: object, kind: type[Any], what: str) -> tuple[Any, ...]:
    """Return a list of events or switches as a tuple; a single one is accepted."""
    listed = (items,) if isinstance(items, kind) else tuple(items) if isinstance(items, Iterable) else (items,)
    for item in listed:
        if not isinstance(item, kind):
            raise InputError(f"{what} must be {kind.__name__} objects, got {item!r}")
    return listed


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
    z_names, z0, z, zdot, u = _control(known, stages)
    bristles = bristles_of(eom)
    z, zdot = ca.vertcat(z, bristles.states), ca.vertcat(zdot, bristles.rates)
    z_names, z0 = (*z_names, *bristles.names), np.concatenate([z0, np.zeros(len(bristles.names))])
    by_steps, law_rates = isinstance(contact, TimeStepping), zdot
    elastic = elastic_sheaves_of(eom) if by_steps else ElasticSheaves(eom, ())
    slips = ElasticSlips(eom, (), ca.SX(0, 1)) if by_steps else elastic_slips_of(eom)
    z, zdot = (
        ca.vertcat(z, elastic.states, slips.states),
        ca.vertcat(zdot, ca.SX.zeros(len(elastic.names)), slips.rates),
    )
    z_names = (*z_names, *elastic.names, *slips.names)
    z0 = np.concatenate([z0, np.zeros(len(elastic.names) + len(slips.names))])
    memory = RopeMemory(eom)
    if isinstance(contact, TimeStepping) and memory.latches:
        z, zdot = ca.vertcat(z, memory.states), ca.vertcat(zdot, ca.SX.zeros(len(memory.latches)))
        z_names, z0 = (*z_names, *memory.names), np.concatenate([z0, np.zeros(len(memory.latches))])
    n_before = eom.nq + eom.nv + len(z_names)
    by_events = eom.has_rows and contact is None
    if by_events:
        system = eom.constraint_system
        rubbing = (*system.sheaves, *system.sticking)
        taken = (*loss_names(system.contacts), *(f"loss.{name}" for name in rubbing))
        # Friction is the only quantity that changes at rest: its integral lets adaptive steps follow it.
        pushed = tuple(f"impulse.{name}" for name in rubbing)
        n_before += len(pushed)
        z = ca.vertcat(z, ca.SX.sym("impulse", len(pushed)), system.latches, ca.SX.sym("loss", len(taken)))
        zdot = ca.vertcat(zdot, ca.SX.zeros(len(pushed) + system.latches.shape[0] + len(taken)))
        z_names = (*z_names, *pushed, *system.latch_names, *taken)
        z0 = np.concatenate([z0, np.zeros(len(pushed)), system.latch_nominal, np.zeros(len(taken))])
    account = None
    if numerical_loss:
        account = eom.nq + eom.nv + len(z_names)
        z, zdot = ca.vertcat(z, ca.SX.sym("numerical")), ca.vertcat(zdot, 0.0)
        z_names, z0 = (*z_names, NUMERICAL_LOSS), np.append(z0, 0.0)
    contacts = stepped = None
    if isinstance(contact, TimeStepping):
        contacts = eom.contact_system(limits=eom.stops)
        check_stepping(eom, contacts, elastic)
        more_names, chosen = stepping_names(eom, contacts), kept_latches(eom)
        z = ca.vertcat(z, ca.SX.sym("contact", len(more_names)), *(eom.constraint_system.latches[i] for i in chosen))
        zdot = ca.vertcat(zdot, ca.SX.zeros(len(more_names) + len(chosen)))
        z0 = np.concatenate(
            [z0, np.zeros(len(more_names)), *(eom.constraint_system.latch_nominal[[i]] for i in chosen)]
        )
        z_names = (*z_names, *more_names, *(eom.constraint_system.latch_names[i] for i in chosen))
        if eom.constrained:
            first = n_before + len(more_names)
            places = [*range(first, first + len(chosen)), *range(n_before - len(memory.latches), n_before)]
            stepped = SteppedStart(eom, [*chosen, *memory.latches], places)
    ropes = slips.forces
    forces = (s.actuation + s.wrenches + ropes[0], s.losses + bristles.force + ropes[1])
    applied = [ca.substitute(ca.densify(f), s.u, u) for f in forces]
    if by_events or eom.constrained:
        acceleration = ca.SX(ca.DM.nan(eom.nv, 1))  # an engine that forgets the constraints gets nowhere
    else:
        acceleration = ca.substitute(s.forward_dynamics, s.tau, applied[0] + applied[1])
    power = [ca.dot(s.v, applied[0]), ca.dot(s.v, applied[1] - ropes[1]) - slips.loss]
    work = ca.SX.sym("work", 2)
    x = ca.vertcat(s.q, s.v, z, work)
    arguments = [s.t, x, slots.symbols, s.p]
    xdot = ca.vertcat(s.coordinate_rate, acceleration, zdot, *power)
    efforts = actuator_efforts(eom.machine, u, s.value, s.joint_rate)
    effort = ca.vertcat(*efforts) if efforts else ca.SX(0, 1)
    y = ca.vertcat(effort, s.kinetic_energy, s.potential_energy + slips.energy)
    y_names = [*(f"u.{n}" for n in eom.u_names), "energy.kinetic", "energy.potential"]
    first = eom.nq + eom.nv
    for name, expression in (
        *(rope_signals(eom, elastic.ropes | slips.ropes) if eom.machine.all_ropes else ()),
        *elastic.signals,
        *slips.signals,
        *contact_signals(eom.contact_system(limits=eom.stops)),
        *(sheave_signals(eom) if eom.has_rows else ()),
        *(() if contacts is None else held_signals(eom)),
        *(() if contacts is None else ((name, x[first + z_names.index(same)]) for name, same in same_tensions(eom))),
        *bristles.signals,
        *known.recorded,
    ):
        y, y_names = ca.vertcat(y, expression), [*y_names, name]
    if not eom.formulation.machine_coordinates:
        states = zip((*eom.machine.q_names, *eom.machine.v_names), ca.vertsplit(ca.vertcat(*s.to_machine)), strict=True)
        extra = [(n, e) for n, e in states if n not in (*eom.q_names, *eom.v_names)]
        y = ca.vertcat(y, *(e for _, e in extra))
        y_names += [n for n, _ in extra]
    g, specs = _events(known, events, limits)
    nearest = nearest_events(eom) if by_events else ((), ())
    for more in (
        rope_events(eom, located=by_events, but=slips.ropes),
        slips.events,
        switch_events(eom, switches),
        nearest,
        axis_events(eom, rigid=by_events),
    ):
        g, specs = ca.vertcat(g, *more[0]), (*specs, *more[1])
    event_function = _function("events", arguments, ca.substitute(g, s.u, u)) if specs else None
    constrained = None
    if by_events:
        rates = ca.vertcat(s.coordinate_rate, ca.SX.zeros(eom.nv), zdot, *power)
        constrained = constrained_part(eom, arguments, rates, applied[0] + applied[1], n_before, u)
        at = {switch.event for switch in switches}
        specs = tuple(replace(x, switches=True) if x.name in at else x for x in (*specs, *tension_specs(eom)))
    stepping = None
    if contacts is not None and isinstance(contact, TimeStepping):
        stepping = stepping_part(eom, contacts, contact, arguments, law_rates, applied, n_before, u, elastic, memory)
    midpoint = None
    if by_events:
        midpoint = partial(middle_tape, eom, arguments, applied[1])
    elif contacts is None and not eom.constrained:
        midpoint = partial(midpoint_tape, eom, arguments, applied[0], applied[1], zdot, account)
    problem = Problem(
        state_names=(*eom.q_names, *eom.v_names, *z_names, "work.input", "work.loss"),
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
    schedule = _schedule(known, stages, signals, sensors, arguments) if slots.names else None
    return ClosedLoop(problem, z0, schedule, _switching(eom, problem, n_before, switches), stepped=stepped)


def _schedule(
    known: Quantities, stages: Stages, signals: Sequence[Signal], sensors: Sequence[Sensor], arguments: list[Any]
) -> Schedule:
    """Sampled elements: sensors, then stages from the outermost on."""
    updates = [update for sensor in sensors for update in sensor_updates(known, signals, sensor, arguments)]
    for stage in (*stages.outer, *(() if stages.sampled is None else (stages.sampled,))):
        if isinstance(stage, NativeStage):
            updates.append(routine_update(known, stage, signals, sensors, partial(_expressions, known), arguments))
        elif isinstance(stage, PythonStage):
            updates.append(python_update(known, stage, arguments))
        else:
            updates.append(native_update(known, stage, partial(_expressions, known), arguments))
    return Schedule(tuple(updates), known.slots.initial)


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


def _control(known: Quantities, stages: Stages) -> tuple[tuple[str, ...], Array, Expression, Expression, Expression]:
    """Names, initial values, symbols and rates of the internal states of a continuous law; inputs."""
    eom, nothing = known.eom, ca.SX(0, 1)
    law = stages.law
    if law is None:
        u = ca.SX.zeros(eom.nu) if stages.sampled is None else eom.symbolic.u
        return (), np.zeros(0), nothing, nothing, u
    label = f"the law {type(law).__name__}"
    names = _state_names(eom, law, label)
    z = ca.SX.sym("z", len(names))
    u, zdot = _expressions(known, law, z, label)
    if u.shape != (eom.nu, 1):
        raise InputError(f"{label} must return {eom.nu} inputs ({', '.join(eom.u_names)}), got {u.shape[0]}")
    if zdot.numel() != len(names):
        raise InputError(f"{label} has {len(names)} states but returned {zdot.numel()} rates")
    return names, _initial(eom, law, len(names), label), z, zdot, u


def _state_names(eom: EquationsOfMotion, law: Law, label: str) -> tuple[str, ...]:
    names = law.state_names(eom)
    if isinstance(names, str) or not isinstance(names, Iterable) or not all(isinstance(n, str) for n in names):
        raise InputError(f"state_names of {label} must return names, got {names!r}")
    return tuple(names)


def _initial(eom: EquationsOfMotion, law: Law, n: int, label: str) -> Array:
    initial = law.initial_state(eom)
    try:
        z0 = as_numbers(initial)
    except (TypeError, ValueError):
        z0 = np.full(1, np.nan)
    if z0.shape != (n,) or not np.isfinite(z0).all():
        raise InputError(f"initial_state of {label} must return {n} finite numbers, got {initial!r}")
    return z0


def _expressions(known: Quantities, law: Any, z: Expression, label: str) -> tuple[Expression, Expression]:
    """Values and rates of a law, made of the symbols that it was given and of quantities that it reads by name."""
    eom, s = known.eom, known.eom.symbolic
    measured = known.q is not s.q
    q, v = (ca.SX.sym("q_seen", eom.nq), ca.SX.sym("v_seen", eom.nv)) if measured else (s.q, s.v)
    try:
        outputs = law.expression(eom, s.t, q, v, z, s.p)
        if not isinstance(outputs, tuple | list) or len(outputs) != 2:
            raise InputError(f"{label} must return inputs and rates of its states, two results, got {outputs!r}")
        u, zdot = ca.SX(outputs[0]), ca.SX(outputs[1])
    except DalembertError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
        raise InputError(f"{label} fails on CasADi symbols: {reason}") from error
    both = ca.densify(ca.vertcat(ca.vec(u), ca.vec(zdot)))
    for x in ca.vertsplit(both):
        if x.is_constant() and not np.isfinite(float(x)):
            raise InputError(f"{label} returns {x}; it computes on CasADi symbols (casadi.sin, not math.sin)")
    both = known.bind(both, label, symbols=[z, q, v])
    if measured:
        both = ca.substitute(both, ca.vertcat(q, v), ca.vertcat(known.q, known.v))
    n = u.numel()
    return ca.reshape(both[:n, 0], *u.shape), both[n:, 0]


def _check_limits_asked(eom: EquationsOfMotion, limits: str) -> None:
    """Refuse to stop at limits, or to touch them, where joints have none."""
    all_limits = [joint.limits for joint in eom.machine.joints]
    ranges = any(np.isfinite(x.lower) or np.isfinite(x.upper) for x in all_limits)
    if limits == "contact" and not ranges:
        raise InputError(
            f"limits='contact' turns joint ranges into stops, but no joint of machine '{eom.machine.name}' has a "
            "range; leave it out, or give a joint limits"
        )
    if limits == "stop" and not ranges and not any(np.isfinite(x.velocity) for x in all_limits):
        raise InputError(
            f"limits='stop' ends a run at the limits of joints, but no joint of machine '{eom.machine.name}' has "
            "any; leave it out, or give a joint limits"
        )


def _events(known: Quantities, events: Sequence[Event], limits: str) -> tuple[Any, tuple[EventSpec, ...]]:
    eom = known.eom
    if limits not in LIMITS:
        raise InputError(f"limits must be one of {', '.join(LIMITS)}, got {limits!r}")
    _check_limits_asked(eom, limits)
    s = eom.symbolic
    g: list[Any] = []
    specs: list[EventSpec] = []
    joints = {j.name: j for j in eom.machine.joints}
    if limits != "ignore" or any(j.limits.stop for j in joints.values()):
        for node in eom.machine.tree.nodes:
            joint = node.joint
            if joint.info.nv != 1 or (limits == "ignore" and not joint.limits.stop):
                continue
            x = s.joint_coordinate(joint.name)
            # where limits are contacts, the contacts define the events
            sides = (("upper", joint.limits.upper, -1.0), ("lower", joint.limits.lower, 1.0))
            for side, bound, sign in sides if limits != "contact" or joint.limits.stop else ():
                if np.isfinite(bound):
                    g.append(sign * (x - bound))
                    terminal = limits == "stop" or joint.limits.stop
                    specs.append(EventSpec(f"{joint.name}.{side}", terminal=terminal, direction=-1))
            if limits != "ignore" and np.isfinite(joint.limits.velocity):
                g.append(1.0 - (s.joint_rate(joint.name) / joint.limits.velocity) ** 2)
                specs.append(EventSpec(f"{joint.name}.velocity", terminal=limits == "stop", direction=-1))
    for name, away in eom.formulation.singularities():
        g.append(away)
        specs.append(EventSpec(name, terminal=True, direction=-1))
    for event in events:
        g.append(event.function(known))
        specs.append(EventSpec(event.name, event.terminal, event.direction))
    return ca.vertcat(*g) if g else ca.SX(0, 1), tuple(specs)
