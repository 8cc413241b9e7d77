"""A machine in its loop as C that stands alone: tapes, the native code of simulations, and what an instance keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

import casadi as ca
import numpy as np

from dalembert.compile.routine import Routine
from dalembert.control.cascade import Cascade, Sampled
from dalembert.core.errors import InputError
from dalembert.core.ports import Law, NativeStage
from dalembert.core.types import Array
from dalembert.core.warn import warn
from dalembert.engine.collide.articulated import native_steps
from dalembert.engine.constraints.native import NativeConstrained
from dalembert.engine.implicit.native import NativeMidpoint
from dalembert.engine.loop.native import loop_memory, update_memory
from dalembert.engine.loop.watch import connect, event_kinds, watch_memory
from dalembert.engine.memory import NativeMemory
from dalembert.engine.methods.tableaus import EULER
from dalembert.engine.problem.problem import Problem
from dalembert.engine.sampling import Schedule
from dalembert.engine.setup import Setup
from dalembert.engine.sources import header_text, unit_text
from dalembert.engine.unilateral.native import transitions_memory
from dalembert.formulations.constraints.projection import REACH
from dalembert.io.fmu.image import Image, Symbols
from dalembert.io.fmu.routines import write_routine
from dalembert.io.fmu.tapes import tape_sources, write_tape
from dalembert.loop.closed_loop import ClosedLoop
from dalembert.loop.experiment import Experiment, Start
from dalembert.loop.outlets import Outlet
from dalembert.loop.simulate import compose, start_state
from dalembert.simulation.checks import check_setup
from dalembert.simulation.methods import METHODS, agree

__all__ = ["ACCOUNT", "Standalone", "standalone"]

ACCOUNT = ("events.count", "events.time")
"""Outputs of machines with events: how many there were, and when the last one was."""

_CHANGES = 8  # transitions that are logged before the log is emptied
_ROWS = 8  # rows that the time loop may record, but that are not read
_READ = 64  # rows that it records before they are read, and transitions
_NEVER = 1e300  # seconds between two rows
_FIRST_STEP = 1e-4  # seconds, of adaptive methods, which then choose
_LONGEST = 1e3  # seconds of a step that nothing else bounds: descriptions of FMUs have no infinity


@dataclass(frozen=True, eq=False)
class Standalone:
    """A machine in its loop as C that stands alone.

    Parameters
    ----------
    texts
        Sources by name: ``core.h``, ``config.h`` without the identifier, headers, and translation units (``.c``).
    problem
        Its integration problem.
    x0, c0, p0
        Initial states, held values and parameters.
    inputs, held
        Names of the held values that come from outside, and of all that are shown; the former come first.
    latches
        Range in x of the latches.
    outputs
        Names of the outputs besides the states.
    indicators
        Names of the events at which something happens.
    experiment
        Its experiment.
    step
        Longest step of its solver [s].
    """

    texts: Mapping[str, str]
    problem: Problem
    x0: Array
    c0: Array
    p0: Array
    inputs: tuple[str, ...]
    held: tuple[str, ...]
    latches: range
    outputs: tuple[str, ...]
    indicators: tuple[str, ...]
    experiment: Experiment
    step: float = 1e-3

    @property
    def exchange(self) -> bool:
        """Whether another solver can integrate it: time-stepping has no derivatives."""
        return self.problem.stepping is None


def standalone(
    experiment: Experiment,
    outlet: Outlet,
    *,
    records: bool = False,
    tapes: Mapping[str, ca.Function] | None = None,
) -> Standalone:
    """Write an experiment as C that stands alone.

    Parameters
    ----------
    experiment
        Its experiment.
    outlet
        Its purpose.
    records
        Whether it records rows and events, as a run does; it then has a duration, and no inputs from outside.
    tapes
        Further functions to include, by name: ``model_NAME`` with the work array ``NAME_work`` of the image.
    """
    outlet.check(experiment)
    eom, what, control = experiment.equations, outlet.name, experiment.control
    law = isinstance(control, Law | Sampled | Cascade | NativeStage) or callable(control)
    if control is None and eom.nu and not records:
        control = np.zeros(eom.nu)
    loop = compose(experiment, control=control)
    schedule = Schedule((), np.zeros(0)) if loop.controller is None else loop.controller
    foreign = [update.name for update in schedule.updates if not update.native]
    if foreign and (law or records):
        raise InputError(
            f"{what} cannot call Python, but {', '.join(map(repr, foreign))} is a Python controller: write it as an "
            "expression, or leave it out"
        )
    inputs = np.zeros(0) if law or control is None or records else np.asarray(control, dtype=float)
    native = replace(schedule, updates=tuple(update for update in schedule.updates if update.native))
    problem = loop.problem if records else _without_notes(loop)
    left = {spec.name for spec in problem.event_specs}
    lost = [event.name for event in experiment.events if event.name not in left]
    if lost:
        warn(f"{what} leaves out {', '.join(map(repr, lost))}: nothing happens at these events")
    loop = replace(loop, problem=problem, controller=native)
    x0, _ = start_state(experiment, loop)
    method, way = agree(problem, experiment.integrator, experiment.constraints)
    if loop.switching is not None:
        loop.switching.check_way(way)
    p = eom.parameter_values(experiment.p)
    if records:
        period = min((update.period for update in native.updates), default=0.0)
        setup = check_setup(loop.problem, x0, p, experiment.settings, period=period)
    else:
        settings = experiment.settings_over(1000.0 * float(getattr(method, "step", 1.0)))
        setup = check_setup(loop.problem, x0, p, settings, period=0.0)
        setup = replace(setup, record=_NEVER, patience=float("inf"), max_step=min(setup.max_step, _LONGEST))
    program = _written(loop, setup, experiment, inputs, records, tapes or {})
    return replace(program, step=setup.max_step if method.adaptive else setup.step)


def _without_notes(loop: ClosedLoop) -> Problem:
    """Return the problem without events that a run only takes note of."""
    problem = loop.problem
    names = {} if loop.switching is None else loop.switching.switches
    n_plain = len(problem.event_specs) - problem.n_constraint_events
    keep = [
        k
        for k, spec in enumerate(problem.event_specs[:n_plain])
        if spec.terminal or spec.hidden or spec.switches or spec.name in names
    ]
    function = None
    if keep and problem.events is not None:
        arguments = [ca.SX.sym(name, problem.events.size1_in(k)) for k, name in enumerate("txcp")]
        g = ca.cse(problem.events(*arguments)[keep])
        function = ca.Function("events", arguments, [g], list("txcp"), ["out"])
    specs = (*(problem.event_specs[k] for k in keep), *problem.event_specs[n_plain:])
    return replace(problem, events=function, event_specs=specs)


@dataclass(frozen=True)
class _Code:
    """Placeholder of the code of a tape while structures are filled."""

    address: int
    n_work: int

    def work(self) -> Array:
        return np.zeros(self.n_work)


class _Writer:
    """Collects the tapes of a program."""

    def __init__(self) -> None:
        self.symbols, self.texts, self.prototypes = Symbols(), dict[str, str](), list[str]()

    def kernel(self, name: str, function: ca.Function | Routine) -> _Code:
        symbol = f"model_{name}"
        if isinstance(function, Routine):
            written, further = write_routine(symbol, function)
            self.texts |= further
        else:
            written = write_tape(symbol, function)
        self.texts[f"{symbol}.c"] = written.text
        self.prototypes.append(written.prototype)
        return _Code(self.symbols(symbol), written.n_work)


def _written(
    loop: ClosedLoop,
    setup: Setup,
    experiment: Experiment,
    inputs: Array,
    records: bool,
    tapes: Mapping[str, ca.Function],
) -> Standalone:
    problem, writer, schedule = setup.problem, _Writer(), loop.controller
    assert schedule is not None and isinstance(experiment.start, Start)
    system, stepping = problem.constrained, problem.stepping
    events = None if problem.events is None else writer.kernel("events", problem.events)
    structures: dict[str, NativeMemory] = {}
    arrays: dict[str, Any] = {}
    smooth = system is None and stepping is None
    kind = METHODS[setup.method]
    adaptive = kind.adaptive
    memory = loop_memory(
        setup,
        setup.tableau or kind.paced_by or EULER,  # a method that steps by itself never looks at the tableau
        adaptive=adaptive,
        capacity=_READ if records else _ROWS,
        ode=writer.kernel("ode", problem.ode) if smooth else None,
        events=None if system is not None else events,
    )
    structures["loop"] = memory
    if adaptive and not records:
        memory.struct.h = _FIRST_STEP
    memory.struct.seed, memory.struct.member = experiment.seed, experiment.member
    memory.arrays["c"][:] = schedule.initial
    memory.arrays["c"][: len(inputs)] = inputs
    for k, update in enumerate(schedule.updates):
        assert isinstance(update.function, ca.Function | Routine)
        structures[f"updates[{k}]"] = update_memory(update, writer.kernel(f"update{k}", update.function))
    if schedule.updates:
        memory.struct.updates, memory.struct.n_updates = structures["updates[0]"].address, len(schedule.updates)
        memory.array("instants", np.zeros(len(schedule.updates), dtype=np.int64))
    headers, units = ["loop.h"], ["loop"]
    multipliers: tuple[str, ...] = ()
    config: dict[str, object] = {"HAS_ODE": int(stepping is None), "REACH": repr(REACH), "HORIZON": "10.0"}
    transitions = False
    if system is not None:
        headers, units = [*headers, "constrained.h"], [*units, "equations"]
        way = setup.constraint_method
        own = {name: getattr(system, name) for name in way.tapes}
        kernels = {name: writer.kernel(name, tape) for name, tape in own.items() if tape is not None}
        constrained = NativeConstrained(problem, {**kernels, "events": events}, way, writer.symbols)
        constrained.attach(memory.struct)
        structures["constrained"] = constrained.memory
        multipliers = system.all_signal_names
        rows = list(system.all_signal_rows)
        prefix = "contact" if system.rubbing else "constrained"
        config |= {"N_ROWS": system.m, "MULTIPLIERS": _listed(rows), "CONSTRAINT_SIGNALS": f"{prefix}_signals"}
        transitions = loop.switching is not None and bool(loop.switching.needed or loop.switching.measuring)
    if stepping is not None:
        headers, units = [*headers, "moreau.h"], [*units, "stepping"]
        kernels = {name: writer.kernel(name, function) for name, function in stepping.functions.items()}
        kernels |= {pair.key: writer.kernel(pair.key, pair.function) for pair in _kinds(stepping.pairs or ())}
        steps = native_steps(stepping, problem.n_states, kernels, writer.symbols)
        steps.attach(memory.struct)
        structures |= steps.structures
        if stepping.colliders is not None:
            headers, units = [*headers, "scene.h"], [*units, "collide"]
    if kind.implicit:
        headers, units = [*dict.fromkeys([*headers, "constrained.h", "midpoint.h"])], [*units, "implicit"]
        if problem.midpoint is None:
            raise InputError(f"method {setup.method!r} has no steps of problem {problem.name!r}")
        code, equations = writer.kernel("midpoint", problem.midpoint()), None if system is None else constrained
        implicit = NativeMidpoint(problem, code, setup.options, writer.symbols, equations, adaptive=adaptive)
        implicit.attach(memory.struct)
        structures["midpoint"] = implicit.memory
    changes = _READ if records else _CHANGES
    needed = loop.switching is not None and loop.switching.needed
    passes = records and not needed
    if problem.event_specs:
        structures["watch"] = _watch(setup, memory.address, changes, passes=passes)
    if transitions:
        assert loop.switching is not None
        headers.append("transitions.h")
        watch = structures.get("watch") or _watch(setup, memory.address, changes)
        switching = replace(loop.switching, problem=problem).for_run(setup.p, None)
        switches = switching.switch_table([spec.name for spec in problem.event_specs])
        measure = None if switches.measure is None else writer.kernel("measure", switches.measure)
        structures["transitions"] = pair_memory = transitions_memory(
            problem,
            constrained,
            switching.pair_table(),
            rtol=setup.rtol,
            changes=changes,
            switches=switches,
            measure=measure,
        )
        connect(watch, pair_memory.address, writer.symbols)
        if switching.pairs.is_contact.any():
            coefficients = writer.kernel("coefficients", switching.pairs.coefficients_tape)
            arrays |= {"restitution": pair_memory.arrays["e"], "friction": pair_memory.arrays["mu"]}
            arrays["coefficients_work"] = coefficients.work()
    signals = writer.kernel("signals", problem.signals)
    arrays |= {"parameters": memory.arrays["p"], "signals_work": signals.work()}
    arrays |= {f"{name}_work": writer.kernel(name, tape).work() for name, tape in tapes.items()}
    account = ACCOUNT if problem.event_specs else ()
    first = int(np.count_nonzero(problem.counted))
    config |= {
        "N_STATES": problem.n_states, "N_LATCHES": problem.n_states - 2 - first, "FIRST_LATCH": first,
        "N_INPUTS": len(inputs), "N_HELD": len(problem.held_names), "N_PARAMETERS": problem.n_parameters,
        "N_SIGNALS": len(problem.signal_names), "N_MULTIPLIERS": len(multipliers), "N_ACCOUNT": len(account),
        "N_EVENTS": len(problem.event_specs), "HAS_CONSTRAINTS": int(system is not None),
        "HAS_TRANSITIONS": int(transitions), "HAS_COEFFICIENTS": int("restitution" in arrays),
        "LANDS_FIRST": int(loop.switching is not None and loop.switching.lands_first),
        "HAS_PAIRS": int(transitions and needed), "FLAGS": _listed(loop.switching.flags if loop.switching else ()),
    }  # fmt: skip
    image = Image(writer.symbols, structures, arrays)
    texts = {
        "core.h": resources.files(__package__).joinpath("core.h").read_text(encoding="utf-8"),
        "config.h": "".join(f"#define {key} {value}\n" for key, value in sorted(config.items())),
        "kernel.h": header_text("kernel.h"),
        **{name: header_text(name) for name in headers},
        **{f"{name}.c": unit_text(name) for name in units},
        **image.texts(tuple(headers), "".join(writer.prototypes)),
        **tape_sources(),
        **writer.texts,
    }
    return Standalone(
        texts,
        problem,
        setup.x0,
        memory.arrays["c"].copy(),
        setup.p,
        problem.held_names[: len(inputs)],
        problem.held_names[: len(problem.held_names) - problem.unrecorded],
        range(first, problem.n_states - 2),
        (*problem.signal_names, *multipliers, *account),
        tuple(spec.name for spec in problem.event_specs),
        experiment,
    )


def _kinds(pairs: Sequence[Any]) -> list[Any]:
    """One contact of each kind."""
    return list({pair.key: pair for pair in pairs}.values())


def _listed(values: Sequence[int]) -> str:
    return ", ".join(map(str, values))


def _watch(setup: Setup, loop: int, changes: int, *, passes: bool = False) -> NativeMemory:
    """Memory of the events of a model; with ``passes`` those at which nothing happens leave steps as they are."""
    kinds = event_kinds(setup.problem.event_specs, setup.problem.n_constraint_events, passes=passes)
    return watch_memory(setup, loop, kinds, changes=changes)
