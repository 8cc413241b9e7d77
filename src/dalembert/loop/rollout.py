"""Many simulations of one machine at once: other initial states, other parameters, the same law and the same steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.compile import compile_function
from dalembert.compile.backend import Backend
from dalembert.compile.batch import check_threads
from dalembert.compile.cuda import Precision
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.core.version import __version__
from dalembert.engine.constraints.runs import constraint_signals
from dalembert.engine.kernels import problem_kernels
from dalembert.engine.methods.constraints import ConstraintMethod
from dalembert.engine.problem.problem import Problem
from dalembert.engine.sampling import Schedule
from dalembert.engine.setup import Setup
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.closed_loop import ClosedLoop
from dalembert.loop.experiment import Runnable, Start
from dalembert.loop.experiment_keywords import ExperimentKeywords, experiment_verb
from dalembert.loop.members import (
    check_member_limits,
    held_inputs,
    initial_states,
    member_values,
    members_of,
    outside_of_lanes,
    processor_engine,
)
from dalembert.loop.outlets import ROLLOUT
from dalembert.loop.signals import Measure, make_measures
from dalembert.loop.simulate import compose, run_experiment
from dalembert.loop.stepping import check_gaps
from dalembert.loop.switches import check_switches
from dalembert.model.checks import refuse_stick
from dalembert.simulation.checks import check_setup
from dalembert.simulation.methods import METHODS, Method, agree, check_outlet
from dalembert.simulation.rollout.cuda import CudaRollout
from dalembert.simulation.rollout.measures import Measures
from dalembert.simulation.rollout.members import Members, RolloutEngine
from dalembert.simulation.rollout.plan import Plan, make_plan
from dalembert.simulation.rollout.result import Rollout
from dalembert.simulation.rollout.stops import STOPPED, Stops, chosen_events, terminal_events
from dalembert.simulation.run import EventRecord
from dalembert.simulation.watch import Progress, interrupts

__all__ = ["rollout"]

DEVICES = ("cpu", "cuda")
_ROOM = 1 << 22  # numbers of the rows that are looked through at a time for events to record


@experiment_verb
def rollout(
    machine: Runnable,
    *,
    vary: Mapping[str, ArrayLike] | None = None,
    measure: Mapping[str, Measure] | None = None,
    threads: int = 0,
    device: str = "cpu",
    precision: Precision = "double",
    fast_math: bool = False,
    progress: bool | Callable[[float], object] | None = None,
    **keywords: Unpack[ExperimentKeywords],
) -> Rollout:
    """Simulate many members in SIMD lanes and threads, or on a GPU.

    The motion of a member is bitwise independent of the other members, their number and order, and the number of
    threads. A member that diverges stops there; the others continue. Each member starts where `dalembert.simulate`
    starts it.

    Parameters
    ----------
    machine
        The machine or its equations, with the keywords of an experiment; or an `Experiment`.
    vary
        Varied quantities, by name: parameters, ``q0.NAME``, ``v0.NAME``, each a number for each member (N,).
    measure
        Quantities to measure of each member while it runs, by name (see `dalembert.Measure`): numbers instead of
        trajectories. Memory of a member is then that of its state, twice, and of its measures.
    threads
        Number of threads; 0: one per core.
    device
        ``"cpu"`` or ``"cuda"``.
    precision, fast_math
        Settings of a GPU, as in `dalembert.compile.compile_cuda`.
    progress
        As in `dalembert.simulate`.
    **keywords
        As in `dalembert.Experiment`. ``q0`` and ``v0`` may be of members, too: (N, n), or a mapping of names to numbers
        or (N,) arrays; ``p`` likewise. Laws must be expressions (a Python controller would have to be called for each
        member). ``record`` None: every step, or only the ends if there is something to measure or members have
        individual steps. Members stop at terminal events; events that are only recorded (limits by default, and events
        that are not terminal) are located when `Rollout.events` or `Rollout.member` is called. The noise of the first
        member is that of ``simulate(..., seed=seed, member=member)``, and so on.

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
    if device not in DEVICES:
        raise InputError(f"got device {device!r}, expected one of {', '.join(DEVICES)}")
    if device != "cuda" and (precision != "double" or fast_math):
        raise InputError(f"precision and fast_math belong to the device cuda, got {precision!r} and {fast_math!r}")
    threads = check_threads(threads)
    family = members_of(machine, keywords, vary, ROLLOUT)
    experiment = family.experiment
    eom, start, settings = experiment.equations, experiment.start, experiment.settings
    assert isinstance(start, Start)
    loop = compose(experiment)
    check_switches(experiment.switches, start.t, settings.duration)
    problem, held = loop.problem, held_inputs(loop)
    schedule = loop.controller if loop.constant is None else None
    parameters = member_values(family.p, eom.p_names, eom.machine.p_nominal, "p")
    eom.parameter_values(parameters)
    compiled = device == "cuda"  # where so many members run that the rest would wait for their starts
    x0, parameters = initial_states(eom, loop, family.q0, family.v0, parameters, start, threads, compiled=compiled)
    check_member_limits(experiment, x0, parameters)
    if problem.stepping is not None:
        stops = experiment.limits == "contact"
        check_gaps(eom, x0, parameters, limits=stops, stepping=problem.stepping)
    measures = make_measures(eom, problem, measure)
    integrator, way = agree(problem, experiment.integrator, experiment.constraints)
    adaptive = integrator.adaptive
    if loop.switching is not None:
        loop.switching.check_way(way)

    def go(which: NDArray[np.int64] | slice, record: float | None, measures: Measures | None) -> Rollout:
        """Simulate some of the members."""
        p_chosen = parameters[which] if parameters.ndim == 2 else parameters
        told = replace(settings, record=record)
        setup = check_setup(problem, x0[which][0], p_chosen[0] if p_chosen.ndim == 2 else p_chosen, told, period=0.0)
        plan = make_plan(setup, schedule)
        began = time.perf_counter()
        engine = _engine(eom, problem, integrator, device, precision, fast_math, measures, schedule, way)
        memory = None if measures is None else measures.start(len(x0[which]))
        members = Members.at_start(x0[which], held, p_chosen, len(plan.t), memory)
        if schedule is not None:
            members = members.sampled(schedule.initial, experiment.member + np.arange(len(x0))[which], experiment.seed)
        members = members.paced(setup) if adaptive else members
        every = measures is not None and bool(measures.every)
        members = outside_of_lanes(
            loop, setup, members, engine, backend=eom.backend, every=every, keeps=measures is None
        )
        _drive(engine, plan, setup, members, threads, progress)
        if members.outside is not None:
            members.outside.dismiss()
        result = _assemble(eom, problem, setup, plan, members, engine.backend, time.perf_counter() - began)
        good = np.asarray(result.ok | (result.status == "stopped"))
        numbers = {} if measures is None or memory is None else measures.finish(memory, good)
        return replace(
            result, happened=members.outside, measures=numbers, rerun=lambda chosen, record: go(chosen, record, None),
            experiment=experiment,
        )  # fmt: skip

    noted = _noted_events(loop)

    def recorded(chosen: NDArray[np.int64]) -> dict[int, tuple[EventRecord, ...]]:
        """Events of members that are only recorded: members that meet some are simulated again."""
        if noted is None:
            return {}
        interval = settings.duration / 1000.0 if adaptive else None
        rows = int(settings.duration / (interval or float(getattr(integrator, "step", 1e-3)))) + 2
        many = max(1, _ROOM // (rows * problem.n_states))
        met = [
            chosen[k : k + many][_meets(noted, go(chosen[k : k + many], interval, None), eom.backend)]
            for k in range(0, len(chosen), many)
        ]
        numbers = np.concatenate(met).tolist()
        return {i: run_experiment(family.member(i), progress=False, check=False).events for i in numbers}

    ends = experiment.record is None and (measures is not None or adaptive)
    result = go(slice(None), settings.duration if ends else experiment.record, measures)
    return replace(result, recorded=recorded)


def _noted_events(loop: ClosedLoop) -> Stops | None:
    """Return the events that a run only takes note of: nothing happens at them."""
    problem = loop.problem
    switched = {} if loop.switching is None else loop.switching.switches
    return chosen_events(
        problem, lambda spec: not (spec.terminal or spec.hidden or spec.switches or spec.name in switched)
    )


def _meets(noted: Stops, rows: Rollout, backend: Backend) -> NDArray[np.bool_]:
    """Which members change the sign of an event function between two rows, in its direction."""
    kernel = compile_function(noted.function, backend=backend, shapes={"t": ()})
    p = rows.p[:, None] if rows.p.ndim == 2 else rows.p
    reached = (np.arange(len(rows.t)) < rows.rows[:, None])[..., None]
    x = np.where(reached, rows.x, rows.x[:, :1])  # of rows that were not reached any finite state will do
    held = np.where(reached, rows.held, rows.held[:, :1]) if rows.held.ndim == 3 else rows.held[None, None]
    g = np.where(reached, np.asarray(kernel(rows.t[None], x, held, p, threads=0)), np.nan)
    signs = np.sign(g[:, :-1])
    return np.asarray(noted.crossed(signs, g[:, 1:]).any(axis=(1, 2)) | (g[:, 0] == 0.0).any(axis=1))


def _stopped_by(problem: Problem, members: Members) -> NDArray[np.str_]:
    """Names of the events at which members stopped, empty for the others."""
    stops = terminal_events(problem)
    names = np.array(["", *(() if stops is None else stops.names)])
    return np.asarray(names[np.where(members.status <= STOPPED, STOPPED + 1 - members.status, 0)])


def _engine(
    eom: EquationsOfMotion,
    problem: Problem,
    integrator: Method,
    device: str,
    precision: Precision,
    fast_math: bool,
    measures: Measures | None,
    schedule: Schedule | None,
    way: ConstraintMethod,
) -> RolloutEngine:
    """Return the time loop, which stays with its equations for the next rollout."""
    method, options = integrator.name, integrator.options if integrator.implicit else {}

    def beside() -> RolloutEngine:
        return processor_engine(problem, method, eom.backend, measures, schedule, way, options)

    def make() -> RolloutEngine:
        if device == "cuda":
            check_outlet(METHODS[method], "cuda")
            if problem.stepping is None:
                instead = "use device='cpu', contact='time-stepping' or friction_law='smooth'"
                refuse_stick(eom.machine, "a rollout on a GPU event by event", instead, bristles=False)
            return CudaRollout(problem, method, precision, fast_math, measures, schedule, way, beside, options)
        return beside()

    key = (problem, method, *options.values(), device, precision, fast_math, measures, schedule, way)
    return eom.kept.once("rollout", key, make, at_most=8)


def _drive(
    engine: RolloutEngine,
    plan: Plan,
    setup: Setup,
    members: Members,
    threads: int,
    progress: bool | Callable[[float], object] | None,
) -> None:
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

    multiplier_names = () if problem.constrained is None else problem.constrained.all_signal_names
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
        signal_names=(*problem.signal_names, *multiplier_names),
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
