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
from dalembert.compile.kernel import usable_toolchain
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.core.validation import check_seed
from dalembert.core.version import __version__
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, derive
from dalembert.loop.closed_loop import close_loop
from dalembert.loop.members import (
    check_starts,
    held_inputs,
    initial_states,
    member_values,
    outside_of_lanes,
    processor_engine,
    with_signs,
)
from dalembert.loop.signals import Measure, make_measures
from dalembert.loop.stepping import check_gaps
from dalembert.loop.switches import Switch, check_switches
from dalembert.model.signals import Sensor, Signal
from dalembert.simulation.checks import check_setup
from dalembert.simulation.constrained.methods import ConstraintMethod
from dalembert.simulation.constrained.runs import constraint_signals
from dalembert.simulation.contact.methods import ContactMethod, contact_method
from dalembert.simulation.engines.engine import Setup
from dalembert.simulation.engines.integrators import agree
from dalembert.simulation.kernels import problem_kernels
from dalembert.simulation.problem import Problem
from dalembert.simulation.rollout.cuda import CudaRollout
from dalembert.simulation.rollout.events import check_processor, leaves_threads
from dalembert.simulation.rollout.measures import Measures
from dalembert.simulation.rollout.members import Members, RolloutEngine
from dalembert.simulation.rollout.plan import Plan, make_plan, rollout_macros
from dalembert.simulation.rollout.result import Rollout
from dalembert.simulation.rollout.stops import STOPPED, terminal_events
from dalembert.simulation.rollout.tapes import check_way
from dalembert.simulation.sampling import Schedule
from dalembert.simulation.settings import Settings
from dalembert.simulation.watch import Progress, interrupts

__all__ = ["rollout"]

DEVICES = ("cpu", "cuda")
LIMITS = ("ignore", "stop", "contact")


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
    switches: Sequence[Switch] = (),
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
        How contacts are dealt with, where there are any: None, event by event; ``"time-stepping"``, or `TimeStepping`
        with its settings.
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
        ranges of joints for ``"contact"``: hard stops. Members stop at those with ``Limits(stop=True)`` in any case.
    switches
        Constraints that are added and removed, by members that reach their instants or events.
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
    touching = None if contact is None else contact_method(contact)
    loop = close_loop(
        eom, control, limits=limits, switches=switches, contact=touching, signals=signals, sensors=sensors
    )
    check_switches(switches, t0, duration)
    problem, held = loop.problem, held_inputs(loop)
    schedule = loop.controller if loop.constant is None else None
    parameters = member_values(p, eom.p_names, eom.machine.p_nominal, "p")
    eom.parameter_values(parameters)
    compiled = device == "cuda"  # where so many members run that the rest would wait for their starts
    x0, parameters = initial_states(eom, loop, q0, v0, parameters, t0, reach, threads, compiled=compiled)
    check_starts(eom, q0, limits)
    if touching is not None:
        check_gaps(eom, x0[:, : eom.nq], parameters, limits=limits == "contact")
    stops = terminal_events(problem)
    measures = make_measures(eom, problem, measure)
    integrator, way = agree(problem, method, constraints)
    method, adaptive = integrator.name, integrator.adaptive
    check_way(problem, way)
    rollout_macros(problem, method)
    if loop.switching is not None:
        loop.switching.check_way(way)

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
        if schedule is not None:
            members = members.sampled(schedule.initial, np.arange(len(x0))[which], seed)
        members = with_signs(members.paced(setup) if adaptive else members, stops)
        every = measures is not None and bool(measures.every)
        members = outside_of_lanes(loop, setup, members, engine, every=every, keeps=measures is None)
        _drive(engine, plan, setup, members, threads, progress)
        if members.outside is not None:
            members.outside.dismiss()
        result = _assemble(eom, problem, setup, plan, members, engine.backend, time.perf_counter() - began)
        good = np.asarray(result.ok | (result.status == "stopped"))
        numbers = {} if measures is None or memory is None else measures.finish(memory, good)
        result = replace(result, happened=members.outside)
        return replace(result, measures=numbers, rerun=lambda chosen, record: go(chosen, record, None))

    ends = record is None and (measures is not None or adaptive)
    return go(slice(None), duration if ends else record, measures)


def _stopped_by(problem: Problem, members: Members) -> NDArray[np.str_]:
    """Names of the events at which members stopped, empty for the others."""
    stops = terminal_events(problem)
    names = np.array(["", *(() if stops is None else stops.names)])
    return np.asarray(names[np.where(members.status <= STOPPED, STOPPED + 1 - members.status, 0)])


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
            if leaves_threads(problem, method) and usable_toolchain(eom.backend) is None:
                check_processor(problem, "vm")
            return CudaRollout(problem, method, precision, fast_math, measures, schedule, way, beside)
        return beside()

    key = (problem, method, device, precision, fast_math, measures, schedule, way)
    return eom.kept.once("rollout", key, make, at_most=8)


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
