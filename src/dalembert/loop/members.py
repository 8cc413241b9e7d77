"""Members of one machine before they run: where they start, what they hold, and who takes their steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.compile.build import BrokenToolchainError
from dalembert.compile.kernel import Backend, usable_toolchain
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.states import as_numbers
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.closed_loop import ClosedLoop
from dalembert.simulation.constrained.methods import ConstraintMethod
from dalembert.simulation.engines.engine import Setup, normalise
from dalembert.simulation.problem import Problem
from dalembert.simulation.rollout.events import EventSteps, check_processor, goes_alone, watched_problem, watches
from dalembert.simulation.rollout.lanes import LaneRollout
from dalembert.simulation.rollout.measures import Measures
from dalembert.simulation.rollout.members import Members, RolloutEngine
from dalembert.simulation.rollout.stops import Stops
from dalembert.simulation.rollout.tapes import solves_on_tape
from dalembert.simulation.rollout.vm import VmRollout
from dalembert.simulation.sampling import Schedule

__all__ = [
    "check_starts",
    "held_inputs",
    "initial_states",
    "member_values",
    "outside_of_lanes",
    "processor_engine",
    "with_signs",
]

_ON_LIMIT = 1e-9  # part by which a coordinate may pass its limit and still be on it


def held_inputs(loop: ClosedLoop) -> Array:
    """Return the constant inputs of a loop; refuse what would have to be called for each member."""
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
    *,
    compiled: bool = False,
) -> tuple[Array, Array]:
    """Return the initial states (N, n) and the parameters (N, np), or (np,) if all members share them.

    Those of a machine with constraints are on them, and have the velocities that ``v0`` names; ``compiled``: by a
    kernel for it.
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
    if loop.switching is not None:
        each = np.broadcast_to(parameters, (n, parameters.shape[-1]))
        wanted = {name: np.broadcast_to(as_numbers(value), (n,)) for name, value in _named(v0).items()}
        x0 = loop.switching.prepare_all(x0, t0, reach, each, wanted, threads, compiled=compiled)
    return x0, parameters


def _named(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def outside_of_lanes(
    loop: ClosedLoop,
    setup: Setup,
    members: Members,
    engine: RolloutEngine,
    *,
    every: bool = False,
    keeps: bool = True,
    endless: bool = False,
) -> Members:
    """Members with who takes them over steps in which events happen; refuse where nobody can.

    Parameters
    ----------
    loop, setup
        The closed loop and the run of a member.
    members
        At their start.
    engine
        Their time loop.
    every, keeps, endless
        As of `EventSteps`.
    """
    problem, way = setup.problem, setup.constraint_method
    alone = goes_alone(problem, setup.method, solves_on_tape(way))
    if not alone and not watches(problem):
        return members
    check_processor(problem, engine.backend)
    switching, n = loop.switching, len(members.x)
    assert switching is not None
    table, coefficients = switching.member_table(np.broadcast_to(members.p, (n, members.p.shape[-1])))
    switches = None if table is None else switching.switch_table([spec.name for spec in problem.event_specs])
    return members.going_out(
        EventSteps(
            replace(setup, problem=watched_problem(problem)),
            table,
            switches,
            coefficients,
            None if table is None else lambda p: switching.for_run(p, None),
            members.p,
            members.pace,
            every or engine.backend == "cuda",  # whose threads take over again after each step
            keeps,
            endless,
        )
    )


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
