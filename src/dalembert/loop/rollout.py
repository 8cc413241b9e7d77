"""Many simulations of one machine at once: other initial states, other parameters, the same law and the same steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.compile import compile_function
from dalembert.compile.batch import check_threads
from dalembert.compile.build import BrokenToolchainError
from dalembert.compile.kernel import Backend, usable_toolchain
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.states import as_numbers
from dalembert.core.types import Array
from dalembert.core.validation import check_seed
from dalembert.core.version import __version__
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, derive
from dalembert.loop.closed_loop import ClosedLoop, close_loop
from dalembert.loop.signals import Measure, make_measures
from dalembert.loop.stepping import check_gaps
from dalembert.model.signals import Sensor, Signal
from dalembert.simulation.checks import check_setup
from dalembert.simulation.constrained.methods import ConstraintMethod
from dalembert.simulation.constrained.runs import constraint_signals
from dalembert.simulation.contact.methods import ContactMethod, contact_method
from dalembert.simulation.engines.engine import Setup, normalise
from dalembert.simulation.engines.integrators import DEFAULT_INTEGRATOR, agree
from dalembert.simulation.kernels import problem_kernels
from dalembert.simulation.problem import Problem
from dalembert.simulation.rollout.cuda import CudaRollout
from dalembert.simulation.rollout.events import EventSteps
from dalembert.simulation.rollout.lanes import LaneRollout
from dalembert.simulation.rollout.measures import Measures
from dalembert.simulation.rollout.members import Members, RolloutEngine
from dalembert.simulation.rollout.plan import Plan, make_plan, rollout_macros
from dalembert.simulation.rollout.result import Rollout
from dalembert.simulation.rollout.stops import STOPPED, Stops, terminal_events
from dalembert.simulation.rollout.tapes import check_way
from dalembert.simulation.rollout.vm import VmRollout
from dalembert.simulation.sampling import Schedule
from dalembert.simulation.settings import Settings
from dalembert.simulation.watch import Progress, interrupts

__all__ = [
    "check_starts",
    "contact_way",
    "held_inputs",
    "initial_states",
    "member_values",
    "processor_engine",
    "rollout",
    "with_signs",
]

DEVICES = ("cpu", "cuda")
LIMITS = ("ignore", "stop", "contact")
_ON_LIMIT = 1e-9  # part by which a coordinate may pass its limit and still be on it


def rollout(
    machine: MachineOrEquations,
    *,
    duration: float,
    q0: ArrayLike | Mapping[str, ArrayLike] | None = None,
    v0: ArrayLike | Mapping[str, ArrayLike] | None = None,
    p: ArrayLike | Mapping[str, ArrayLike] | None = None,
    control: Any = None,
    method: str | None = None,
    constraints: str | Mapping[str, Any] | ConstraintMethod | None = None,
    contact: str | Mapping[str, Any] | ContactMethod | None = None,
    reach: float = 0.1,
    step: float | None = None,
    rtol: float | None = None,
    atol: ArrayLike | None = None,
    max_step: float | None = None,
    record: float | None = None,
    measure: Mapping[str, Measure] | None = None,
    limits: str = "ignore",
    signals: Sequence[Signal] = (),
    sensors: Sequence[Sensor] = (),
    seed: int = 0,
    t0: float = 0.0,
    threads: int = 0,
    device: str = "cpu",
    precision: Any = "double",
    fast_math: bool = False,
    progress: bool | Callable[[float], object] | None = None,
    max_steps: int = 10_000_000,
) -> Rollout:
    """Simulate many members in SIMD lanes and threads, or on a GPU.

    What a member does, to the bit, depends neither on the other members nor on their number, their order and the
    number of threads. A member that diverges stops there; the others go on. Initial
    states of machines with constraints are projected onto them, as `dalembert.simulate` does.

    Parameters
    ----------
    machine
        The machine or its equations of motion.
    duration
        Seconds to simulate.
    q0, v0
        Initial coordinates and velocities in the machine's own coordinates: (N, n), (n,) for all members, or a mapping
        of names to numbers or (N,) arrays (the others are neutral and zero).
    p
        Parameters: (N, np), (np,), or a mapping of names to numbers or (N,) arrays.
    control
        None, constant inputs, an expression law, a sampled one (`dalembert.control.Sampled`) or a cascade of such laws.
        (A Python controller would have to be called for each member.)
    method
        ``"rk4"`` (the default), ``"heun"``, ``"euler"``; or ``"dopri5"``, ``"bs32"``, whose steps each member chooses.
    constraints
        How constraints are kept: ``"projection"`` (the default) or ``"baumgarte"``, or such a method with its settings.
    contact
        How contacts are dealt with, where there are any: ``"time-stepping"``, or `TimeStepping` with its settings.
    reach
        As of `dalembert.simulate`.
    step
        Length of a step; None: 1e-3 s.
    rtol, atol, max_step
        Of adaptive methods, as of `dalembert.simulate`.
    record
        Interval of the recorded rows; None: every step, or only the ends if there is something to measure or members
        have steps of their own.
    measure
        What to measure of each member while it runs, by name (see `dalembert.Measure`): numbers instead of
        trajectories. Memory of a member is then that of its state, twice, and of its measures.
    limits
        What to do at limits of joints and their velocities: ``"ignore"`` them, ``"stop"`` the member there, or take the
        ranges of joints for ``"contact"``: hard stops, through which time-stepping goes. Members stop at those with
        ``Limits(stop=True)`` in any case.
    signals, sensors
        Signals and sensors besides those of the machine.
    seed
        Of the noise of sensors, which is another one for each member: member ``i`` has that of
        ``simulate(..., seed=seed, member=i)``.
    t0
        Initial time.
    threads
        Number of threads; 0: one per core.
    device
        ``"cpu"`` or ``"cuda"``.
    precision, fast_math
        Of a GPU, as of `dalembert.compile.compile_cuda`.
    progress
        As of `dalembert.simulation.integrate`.
    max_steps
        Largest number of steps of a member.

    Returns
    -------
    Rollout
        Histories and the status of each member.

    Examples
    --------
    >>> import dalembert as da
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 1.0, com=(0, 0, -1.0))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
    ... )
    >>> da.rollout(pendulum, duration=0.1, q0=[[0.1], [0.2], [0.3]], record=0.1)["theta"].shape
    (3, 2)
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    if device not in DEVICES:
        raise InputError(f"got device {device!r}, expected one of {', '.join(DEVICES)}")
    if device != "cuda" and (precision != "double" or fast_math):
        raise InputError(f"precision and fast_math belong to the device cuda, got {precision!r} and {fast_math!r}")
    threads = check_threads(threads)
    check_seed(seed)
    if limits not in LIMITS:
        raise InputError(f"limits of a rollout must be one of {', '.join(LIMITS)}, got {limits!r}")
    touching = contact_way(eom, contact, limits)
    loop = close_loop(eom, control, limits=limits, contact=touching, signals=signals, sensors=sensors)
    problem, held = loop.problem, held_inputs(loop, slack=True)
    schedule = loop.controller if loop.constant is None else None
    parameters = member_values(p, eom.p_names, eom.machine.p_nominal, "p")
    eom.parameter_values(parameters)
    x0, parameters = initial_states(eom, loop, q0, v0, parameters, t0, reach, threads)
    check_starts(eom, q0, limits)
    if touching is not None:
        check_gaps(eom, x0[:, : eom.nq], parameters, limits=limits == "contact")
    stops = terminal_events(problem)
    measures = make_measures(eom, problem, measure)
    if touching is None:
        method = DEFAULT_INTEGRATOR if method is None else method
        rollout_macros(problem, method)
    integrator, way = agree(problem, method, constraints)
    method, adaptive = integrator.name, integrator.adaptive
    check_way(problem, way)

    def go(which: NDArray[np.int64] | slice, record: float | None, measures: Measures | None) -> Rollout:
        """Simulate some of the members."""
        settings = Settings(
            duration,
            t0,
            method,
            step=step,
            rtol=rtol,
            atol=atol,
            max_step=max_step,
            record=record,
            max_steps=max_steps,
            constraints=constraints,
            reach=reach,
        )
        own = parameters[which] if parameters.ndim == 2 else parameters
        setup = check_setup(problem, x0[which][0], own[0] if own.ndim == 2 else own, settings, period=0.0)
        plan = make_plan(setup, schedule)
        began = time.perf_counter()
        engine = _engine(eom, problem, method, device, precision, fast_math, measures, schedule, way)
        memory = None if measures is None else measures.start(len(x0[which]))
        members = Members.at_start(x0[which], held, own, len(plan.t), memory)
        if _goes_slack(problem):
            members = _watched(loop, setup, members, engine)
        if schedule is not None:
            members = members.sampled(schedule.initial, np.arange(len(x0))[which], seed)
        members = with_signs(members.paced(setup) if adaptive else members, stops)
        _drive(engine, plan, setup, members, threads, progress)
        result = _assemble(eom, problem, setup, plan, members, engine.backend, time.perf_counter() - began)
        good = np.asarray(result.ok | (result.status == "stopped"))
        numbers = {} if measures is None or memory is None else measures.finish(memory, good)
        result = replace(result, happened=members.outside)
        return replace(result, measures=numbers, rerun=lambda chosen, record: go(chosen, record, None))

    ends = record is None and (measures is not None or adaptive)
    return go(slice(None), duration if ends else record, measures)


def held_inputs(loop: ClosedLoop, *, slack: bool = False) -> Array:
    """Return the constant inputs of a loop; refuse what cannot be done, with or without cables that go ``slack``."""
    if _goes_slack(loop.problem) and (not slack or (loop.controller is not None and loop.constant is None)):
        raise InputError(
            f"machine {loop.problem.name!r} has cables that go slack, which steppers and what is sampled in rollouts "
            "do not take yet; use simulate"
        )
    if loop.controller is None:
        return np.zeros(0)
    if loop.constant is not None:
        return loop.constant
    if loop.controller.native:
        return loop.controller.initial
    names = ", ".join(repr(update.name) for update in loop.controller.updates if not update.native)
    raise InputError(
        "rollouts take constant inputs and what is written as expressions (laws, Sampled, NativeGuidance), not Python "
        f"controllers, got {names}"
    )


def contact_way(eom: EquationsOfMotion, contact: Any, limits: str) -> ContactMethod | None:
    """Return how many members go through contacts; refuse to go through them event by event."""
    if contact is not None:
        return contact_method(contact)
    names = [contact.name for contact in eom.machine.contacts]
    if names:
        raise InputError(
            f"machine '{eom.machine.name}' has contacts ({', '.join(names)}), which rollouts and steppers go through "
            "by time-stepping alone: contact='time-stepping'; for events use simulate, or leave the contacts out "
            "(machine.with_(contacts=()))"
        )
    if limits == "contact":
        raise InputError("limits='contact' of rollouts and steppers needs contact='time-stepping'")
    return None


def with_signs(members: Members, stops: Stops | None) -> Members:
    """Return members that have not left their start, as the events at which they stop see it."""
    return members if stops is None else replace(members, signs=np.full((len(members.x), len(stops)), np.nan))


def check_starts(eom: EquationsOfMotion, q0: Any, limits: str) -> None:
    """Refuse members that start where a limit would have stopped them."""
    own = eom.machine
    q = np.atleast_2d(member_values(q0, own.q_names, own.q_neutral, "q0"))
    for joint in own.joints:
        if joint.name not in own.q_names or (limits == "ignore" and not joint.limits.stop):
            continue
        values, lower, upper = q[:, own.q_names.index(joint.name)], joint.limits.lower, joint.limits.upper
        outside = (values < lower - _ON_LIMIT * (1.0 + abs(lower))) | (values > upper + _ON_LIMIT * (1.0 + abs(upper)))
        if outside.any():
            i = int(np.argmax(outside))
            raise InputError(
                f"q0: {joint.name!r} of member {i} starts at {values[i]:g}, outside of its range {lower:g} to "
                f"{upper:g}, where it must stop; give it a value within"
            )


def _stopped_by(problem: Problem, members: Members) -> NDArray[np.str_]:
    """Names of the events at which members stopped, empty for the others."""
    stops = terminal_events(problem)
    names = np.array(["", *(() if stops is None else stops.names)])
    return np.asarray(names[np.where(members.status <= STOPPED, STOPPED + 1 - members.status, 0)])


def _goes_slack(problem: Problem) -> bool:
    return problem.constrained is not None and bool(problem.constrained.unilateral)


def member_values(value: Any, names: tuple[str, ...], default: Array, what: str) -> Array:
    """Return (n,) or (N, n) numbers from an array or a mapping."""
    if value is None:
        return default.copy()
    try:
        if isinstance(value, Mapping):
            for name in value:
                if name not in names:
                    raise UnknownNameError(f"component of {what}", name, names)
            columns = [as_numbers(value.get(n, d)) for n, d in zip(names, default, strict=True)]
            array = np.stack(np.broadcast_arrays(*columns), axis=-1) if columns else np.zeros(0)
        else:
            array = as_numbers(value)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{what} must be numbers of {len(names)} components, for each member or for all: {error}"
        ) from None
    if array.ndim not in (1, 2) or array.shape[-1] != len(names):
        raise InputError(
            f"{what} must have shape (members, {len(names)}) or ({len(names)},) for {', '.join(names) or 'nothing'}, "
            f"got {array.shape}"
        )
    if not np.isfinite(array).all():
        place = np.argwhere(~np.isfinite(array))[0]
        raise InputError(f"{what}[{', '.join(map(str, place))}] must be finite, got {array[tuple(place)]}")
    return np.ascontiguousarray(array)


def initial_states(
    eom: EquationsOfMotion,
    loop: ClosedLoop,
    q0: Any,
    v0: Any,
    parameters: Array,
    t0: float = 0.0,
    reach: float = 0.1,
    threads: int = 1,
) -> tuple[Array, Array]:
    """Return the initial states (N, n) and the parameters (N, np), or (np,) if all members share them.

    Those of a machine with constraints are on them, and have the velocities that ``v0`` names.
    """
    own = eom.machine
    q = member_values(q0, own.q_names, own.q_neutral, "q0")
    v = member_values(v0, own.v_names, np.zeros(own.nv), "v0")
    counts = {a.shape[0] for a in (q, v, parameters) if a.ndim == 2}
    if len(counts) > 1:
        raise InputError(
            f"q0, v0 and p must have the same number of members, got q0 {q.shape}, v0 {v.shape}, p {parameters.shape}"
        )
    n = counts.pop() if counts else 1
    if n == 0:
        raise InputError("a rollout needs at least one member, got 0")
    q, v = np.broadcast_to(q, (n, own.nq)), np.broadcast_to(v, (n, own.nv))
    if not eom.formulation.machine_coordinates:
        each = np.broadcast_to(parameters, (n, parameters.shape[-1]))
        pairs = [eom.from_machine(a, b, p=c) for a, b, c in zip(q, v, each, strict=True)]
        q, v = np.array([a for a, _ in pairs]), np.array([b for _, b in pairs])
    x0 = np.zeros((n, loop.problem.n_states))
    x0[:, : eom.nq], x0[:, eom.nq : eom.nq + eom.nv] = q, v
    x0[:, eom.nq + eom.nv : eom.nq + eom.nv + len(loop.z0)] = loop.z0
    for offset in loop.problem.quaternions:
        length = np.linalg.norm(x0[:, offset : offset + 4], axis=1)
        worst = int(np.argmax(np.abs(length - 1.0)))
        if abs(length[worst] - 1.0) > 1e-6:
            names = ", ".join(loop.problem.state_names[offset : offset + 4])
            raise InputError(f"q0 of member {worst} ({names}) must be a unit quaternion, got length {length[worst]:g}")
    normalise(x0, loop.problem.quaternions)
    if loop.switching is not None:
        each = np.broadcast_to(parameters, (n, parameters.shape[-1]))
        wanted = {name: np.broadcast_to(as_numbers(value), (n,)) for name, value in _named(v0).items()}
        x0 = loop.switching.prepare_all(x0, t0, reach, each, wanted, threads)
    return x0, parameters


def _named(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _watched(loop: ClosedLoop, setup: Setup, members: Members, engine: RolloutEngine) -> Members:
    """Members with what can happen to them, settled at their start; refuse where nobody can take them out of a lane."""
    if engine.backend != "lanes":
        raise InputError(
            f"machine {loop.problem.name!r} has cables that go slack: rollouts take it on the processor with a C "
            f"compiler, not with the backend {engine.backend!r}; use simulate"
        )
    switching = loop.switching
    assert switching is not None
    outside = EventSteps(setup, lambda p: switching.for_run(p, None))
    signs = np.zeros((len(members.x), len(loop.problem.event_specs)))
    for i, x in enumerate(members.x):
        own = members.p[i] if members.p.ndim == 2 else members.p
        members.x[i], signs[i] = outside.start(i, x, members.held, own)
    members.rows[:, 0] = members.x
    return replace(members, watched=signs, outside=outside)


def _engine(
    eom: EquationsOfMotion,
    problem: Problem,
    method: str,
    device: str,
    precision: Any,
    fast_math: bool,
    measures: Measures | None,
    schedule: Schedule | None,
    way: ConstraintMethod,
) -> RolloutEngine:
    """Return the time loop, which stays with its equations for the next rollout."""

    def beside() -> RolloutEngine:
        return processor_engine(problem, method, eom.backend, measures, schedule, way)

    def make() -> RolloutEngine:
        if device == "cuda":
            return CudaRollout(problem, method, precision, fast_math, measures, schedule, way, beside)
        return beside()

    key = (problem, method, device, precision, fast_math, measures, schedule, way)
    return eom.kept.once("rollout", key, make, at_most=8)


def processor_engine(
    problem: Problem,
    method: str,
    backend: Backend,
    measures: Measures | None = None,
    schedule: Schedule | None = None,
    way: ConstraintMethod | None = None,
) -> RolloutEngine:
    """Return the time loop of many members on the processor: in lanes, or where there is no compiler in NumPy."""
    toolchain = usable_toolchain(backend)
    if toolchain is None and problem.stepping is not None:
        raise InputError(
            f"contact={problem.stepping.way.name!r} needs a C compiler: install gcc, clang or the ziglang wheel, and "
            "do not ask for backend='vm'"
        )
    if toolchain is None:
        return VmRollout(problem, method, measures, schedule, way)
    try:
        return LaneRollout(problem, method, toolchain, measures, schedule, way)
    except BrokenToolchainError:
        if backend == "native" or problem.stepping is not None:
            raise
        return VmRollout(problem, method, measures, schedule, way)


def _drive(engine: RolloutEngine, plan: Plan, setup: Setup, members: Members, threads: int, progress: Any) -> None:
    bar = Progress(progress, setup.t0, setup.t_end)
    try:
        with interrupts() as interrupt:

            def proceed(fraction: float) -> bool:
                return bar.update(setup.t0 + fraction * (setup.t_end - setup.t0)) and not interrupt.pressed

            engine.run(plan, members, threads=threads, proceed=proceed)
    finally:
        bar.close()


def _assemble(
    eom: EquationsOfMotion, problem: Problem, setup: Setup, plan: Plan, members: Members, backend: str, wall_time: float
) -> Rollout:
    def evaluate_signals(t: Array, x: Array, c: Array, p: Array) -> Array:
        y = np.zeros((len(t), 0))
        if problem.signal_names:
            kernel = compile_function(problem.signals, backend=eom.backend, shapes={"t": ()})
            y = np.asarray(kernel(t, x, c, p, threads=0))
        if problem.constrained is None:
            return y
        kernels = problem_kernels(problem, eom.backend, tapes=setup.constraint_method.tapes)
        return np.hstack([y, constraint_signals(problem, setup.constraint_method, kernels, t, x, c, p)])

    own = () if problem.constrained is None else problem.constrained.all_signal_names
    return Rollout(
        t=plan.t,
        x=members.rows,
        state_names=problem.state_names,
        p=members.p,
        parameter_names=eom.p_names,
        held=members.held if members.held_rows is None else members.held_rows,
        held_names=problem.held_names[: len(problem.held_names) - problem.unrecorded],
        status=members.words,
        failed_at=np.where(members.status > 0, members.failed_at, np.nan),
        failed_state=np.where(members.status > 0, members.status - 1, -1),
        stopped_at=np.where(members.status <= STOPPED, members.failed_at, np.nan),
        stopped_by=_stopped_by(problem, members),
        rows=members.good_rows(plan.t),
        final=members.x,
        signal_names=(*problem.signal_names, *own),
        evaluate_signals=evaluate_signals,
        metadata={
            "method": setup.method,
            "backend": backend,
            **({} if problem.stepping is None else {"contact": problem.stepping.way.name}),
            **({"step": setup.step} if members.pace is None else {"rtol": setup.rtol, "atol": float(setup.atol[0])}),
            "record": setup.record,
            "steps": plan.steps if members.pace is None else int(members.pace[:, 3].max()),
            "wall_time": wall_time,
            "version": __version__,
            "machine": problem.name,
        },
        source=eom.machine,
    )
