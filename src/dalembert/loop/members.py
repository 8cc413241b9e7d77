"""Members of one machine before they run: their start, their held values, and the code that takes their steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile.build import BrokenToolchainError
from dalembert.compile.kernel import Backend, usable_toolchain
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers, by_name
from dalembert.core.states import names_given, place_of
from dalembert.core.types import Array
from dalembert.engine.methods.constraints import ConstraintMethod
from dalembert.engine.problem.pairs import TransitionMaker
from dalembert.engine.problem.problem import Problem
from dalembert.engine.sampling import Schedule
from dalembert.engine.setup import Setup, normalise
from dalembert.formulations.constraints.assembly import assembled_members
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.closed_loop import ClosedLoop
from dalembert.loop.consistent_starts import consistent_starts
from dalembert.loop.experiment import Experiment, Runnable, Start, experiment_of
from dalembert.loop.experiment_keywords import ExperimentKeywords
from dalembert.loop.outlets import Outlet
from dalembert.loop.routines import check_native_start
from dalembert.loop.simulate import check_limits
from dalembert.loop.switching import Switching
from dalembert.simulation.methods import METHODS
from dalembert.simulation.rollout.events import EventSteps, goes_alone, watched_problem, watches
from dalembert.simulation.rollout.lanes import LaneRollout
from dalembert.simulation.rollout.measures import Measures
from dalembert.simulation.rollout.members import Members, RolloutEngine
from dalembert.simulation.rollout.singles import SingleRollout
from dalembert.simulation.rollout.stops import terminal_events
from dalembert.simulation.rollout.tapes import solves_on_tape

__all__ = [
    "MemberValues",
    "MembersOf",
    "check_member_limits",
    "held_inputs",
    "initial_states",
    "member_values",
    "members_of",
    "outside_of_lanes",
    "processor_engine",
]


def held_inputs(loop: ClosedLoop) -> Array:
    """Return the constant inputs of a loop; refuse laws that would have to be called for each member."""
    if loop.controller is None:
        return np.zeros(0)
    if loop.constant is not None:
        return loop.constant
    if loop.controller.native:
        return loop.controller.initial
    names = ", ".join(repr(update.name) for update in loop.controller.updates if not update.native)
    raise InputError(
        "rollouts take constant inputs and expressions (laws, Sampled, NativeGuidance), not Python "
        f"controllers, got {names}"
    )


MemberValues = ArrayLike | Mapping[str, ArrayLike] | None
"""Coordinates, velocities or parameters of members: (N, n), (n,) for all, or numbers or (N,) arrays by name."""


@dataclass(frozen=True, eq=False)
class MembersOf:
    """An experiment, and the varied quantities of its members.

    Parameters
    ----------
    experiment
        Settings for all members.
    q0, v0, p
        Coordinates, velocities and parameters of the members.
    """

    experiment: Experiment
    q0: MemberValues
    v0: MemberValues
    p: MemberValues

    def member(self, number: int) -> Experiment:
        """Return the experiment of one member."""
        machine = self.experiment.machine
        nominal = (machine.q_neutral, np.zeros(machine.nv), machine.p_nominal)
        names = (machine.q_names, machine.v_names, tuple(parameter.name for parameter in machine.parameters))
        changes: dict[str, Any] = {}
        for key, default, known in zip(("q0", "v0", "p"), nominal, names, strict=True):
            values = getattr(self, key)
            if isinstance(values, Mapping):
                columns = {name: np.asarray(column) for name, column in values.items()}
                changes[key] = {n: float(column[number] if column.ndim else column) for n, column in columns.items()}
            elif values is not None:
                table = member_values(values, known, default, key)
                changes[key] = table[number] if table.ndim == 2 else table
        return self.experiment.replace(**changes, member=self.experiment.member + number)


def members_of(
    what: Runnable, keywords: ExperimentKeywords, vary: Mapping[str, ArrayLike] | None, outlet: Outlet
) -> MembersOf:
    """Return the experiment that a call describes, and the varied quantities of its members.

    Parameters
    ----------
    what, keywords
        As in `experiment_of`; ``q0``, ``v0`` and ``p`` may be those of members.
    vary
        Values of the members by name: parameters, ``q0.NAME``, ``v0.NAME``.
    outlet
        The caller that runs them.
    """
    shared: dict[str, Any] = dict(keywords)
    shared |= {key: by_name(shared[key], key) for key in ("q0", "v0", "p") if key in shared}
    vary = by_name(vary, "vary")
    values = {key: shared.pop(key) for key in ("q0", "v0", "p") if _is_of_members(shared.get(key))}
    experiment = outlet.check(experiment_of(what, cast(ExperimentKeywords, shared)))
    start, machine = experiment.start, experiment.machine
    assert isinstance(start, Start)
    base: dict[str, Any] = {"q0": start.q, "v0": start.v, "p": experiment.p}
    for key, more in values.items():
        both = isinstance(more, Mapping) and isinstance(base[key], Mapping)
        base[key] = {**cast(Mapping[str, Any], base[key]), **more} if both else more
    if vary is not None and not isinstance(vary, Mapping):
        raise InputError(f"vary must map names (parameters, q0.NAME, v0.NAME) to values of members, got {vary!r}")
    names = {
        "q0": machine.q_names, "v0": machine.v_names, "p": tuple(parameter.name for parameter in machine.parameters)
    }  # fmt: skip
    for name, column in (vary or {}).items():
        key, rest = place_of(name)
        if rest not in names[key]:
            known = [*names["p"], *(f"{kind}.{n}" for kind in ("q0", "v0") for n in names[kind])]
            raise UnknownNameError("parameter or initial value", name, known, f"machine '{machine.name}'")
        if np.ndim(column) != 1:
            raise InputError(f"vary[{name!r}] must be a number for each member, got shape {np.shape(column)}")
        before = base[key]
        if before is not None and not isinstance(before, Mapping):
            table = as_numbers(before)
            before = {n: table[..., k] for k, n in enumerate(names[key])}
        base[key] = {**(before or {}), rest: column}
    return MembersOf(experiment, **base)


def check_member_limits(experiment: Experiment, x: Array, p: Array) -> None:
    """Refuse members that start where a limit would have stopped them, and warn of other limits that they exceed."""
    eom = experiment.equations
    q, v = eom.to_machine(x[:, : eom.nq], x[:, eom.nq : eom.nq + eom.nv], p=p)
    check_limits(eom, q, experiment.limits, "q0")
    names, states = (*eom.machine.q_names, *eom.machine.v_names), np.hstack([q, v])
    for extreme in (states.min(axis=0), states.max(axis=0)) if len(states) else ():
        check_native_start(experiment.control, dict(zip(names, extreme.tolist(), strict=True)))


def _is_of_members(value: MemberValues) -> bool:
    """Whether values are of several members."""
    if isinstance(value, Mapping):
        return any(np.ndim(item) > 0 for item in value.values())
    return value is not None and not isinstance(value, str) and np.ndim(value) > 1


def member_values(value: MemberValues, names: tuple[str, ...], default: Array, what: str) -> Array:
    """Return (n,) or (N, n) numbers from an array or a mapping."""
    if value is None:
        return default.copy()
    value = by_name(value, what)
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
    q0: MemberValues,
    v0: MemberValues,
    parameters: Array,
    start: Start,
    threads: int = 1,
    *,
    compiled: bool = False,
) -> tuple[Array, Array]:
    """Return the initial states (N, n) and the parameters (N, np), or (np,) if all members share them.

    Those of a machine with constraints are assembled as that of a single run (`start` says when, and on which branch),
    with the coordinates and velocities that ``q0`` and ``v0`` name; ``compiled``: by a kernel for it.
    """
    machine, q0, v0 = eom.machine, by_name(q0, "q0"), by_name(v0, "v0")
    q = member_values(q0, machine.q_names, machine.q_neutral, "q0")
    v = member_values(v0, machine.v_names, np.zeros(machine.nv), "v0")
    counts = {a.shape[0] for a in (q, v, parameters) if a.ndim == 2}
    if len(counts) > 1:
        raise InputError(
            f"q0, v0 and p must have the same number of members, got q0 {q.shape}, v0 {v.shape}, p {parameters.shape}"
        )
    n = counts.pop() if counts else 1
    if n == 0:
        raise InputError("a rollout needs at least one member, got 0")
    q, v = np.broadcast_to(q, (n, machine.nq)), np.broadcast_to(v, (n, machine.nv))
    each = np.broadcast_to(parameters, (n, parameters.shape[-1]))
    given = names_given(q0, machine.q_names, "q0")
    q = assembled_members(eom, q, given, t=start.t, p=each, branch=start.branch, reach=start.reach).q
    if not eom.formulation.machine_coordinates:
        q, v = eom.from_machine(q, v, p=parameters)
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
    wanted = {name: np.broadcast_to(as_numbers(value), (n,)) for name, value in _named(v0).items()}
    if loop.stepped is not None:
        x0 = loop.stepped.many(x0, start.t, each, wanted, threads)
    if loop.switching is not None:
        x0 = consistent_starts(loop.switching, x0, start.t, each, wanted, threads, compiled=compiled)
    return x0, parameters


def _named(value: MemberValues) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def outside_of_lanes(
    loop: ClosedLoop,
    setup: Setup,
    members: Members,
    engine: RolloutEngine,
    *,
    backend: Backend,
    every: bool = False,
    keeps: bool = True,
    endless: bool = False,
) -> Members:
    """Members with who takes them over steps in which events happen, or over all of them.

    Parameters
    ----------
    loop, setup
        The closed loop and the run of a member.
    members
        At their start.
    engine
        Their time loop.
    backend
        How functions are compiled.
    every, keeps, endless
        As in `EventSteps`.
    """
    problem, way = setup.problem, setup.constraint_method
    told = goes_alone(problem, setup.method, solves_on_tape(way)) or watches(problem)
    if not told and not isinstance(engine, SingleRollout) and terminal_events(problem) is None:
        return members
    switching, n = loop.switching, len(members.x)
    table, coefficients, switches = None, np.zeros((n, 0)), None
    if told:
        assert switching is not None
        table, coefficients = switching.member_table(np.broadcast_to(members.p, (n, members.p.shape[-1])))
        switches = None if table is None else switching.switch_table([spec.name for spec in problem.event_specs])
    return members.going_out(
        EventSteps(
            replace(setup, problem=watched_problem(problem)),
            table,
            switches,
            coefficients,
            None if table is None or switching is None else partial(_maker, switching),
            members.p,
            members.pace,
            every or engine.backend == "cuda",  # whose threads take over again after each step
            keeps and told,
            endless,
            "native" if usable_toolchain(backend) is not None and engine.backend != "vm" else "vm",
        )
    )


def _maker(switching: Switching, p: Array) -> TransitionMaker:
    return switching.for_run(p, None)


def processor_engine(
    problem: Problem,
    method: str,
    backend: Backend,
    measures: Measures | None = None,
    schedule: Schedule | None = None,
    way: ConstraintMethod | None = None,
    options: Mapping[str, float] | None = None,
) -> RolloutEngine:
    """Return the time loop of many members on the processor.

    In lanes; one by one without a compiler, with contacts that are found in every step, and with implicit steps that
    are adaptive or keep constraints. ``options`` are settings that an implicit method alone has.
    """
    toolchain = usable_toolchain(backend)
    kind = METHODS[method]
    alone = kind.implicit and (kind.adaptive or problem.constrained is not None)
    found = problem.stepping is not None and problem.stepping.colliders is not None
    if toolchain is not None and (alone or found):
        return SingleRollout(problem, method, measures, schedule, backend="native")
    if toolchain is not None:
        try:
            return LaneRollout(problem, method, toolchain, measures, schedule, way, options)
        except BrokenToolchainError:
            if backend == "native":
                raise
    return SingleRollout(problem, method, measures, schedule)
