"""Sampled elements of a loop: stages of a cascade and controllers, as updates of held values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np

from dalembert.compile import compile_function
from dalembert.compile.kernel import Backend
from dalembert.control.cascade import Cascade, Sampled
from dalembert.core.errors import InputError, SimulationError
from dalembert.core.labels import as_numbers, by_name
from dalembert.core.ports import Law, NativeStage
from dalembert.core.types import Array
from dalembert.engine.sampling import Schedule, Update
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.quantities import Quantities, Slots, update_function
from dalembert.loop.routines import native_slots

__all__ = ["PythonStage", "Stages", "bound", "detached", "native_update", "python_update", "stage_slots"]


@dataclass(frozen=True)
class PythonStage:
    """Description of a Python stage or controller for the loop: all but the function itself, which may change."""

    name: str
    period: float
    holds: tuple[str, ...] | None  # None: the inputs
    reads: tuple[str, ...]
    index: int


@dataclass(frozen=True)
class Stages:
    """A control taken apart: stages from the outermost on, a sampled innermost one, a continuous law.

    Parameters
    ----------
    outer
        Stages.
    sampled
        The controller that commands the inputs at a period; None if there is none.
    law
        Expression law, possibly in front of sampled elements; None if there is none.
    """

    outer: tuple[Any, ...]
    sampled: Any
    law: Any


def detached(control: object) -> tuple[Stages, list[Any]]:
    """Take a control apart, and its Python functions out, so that its loop can be kept for other ones."""
    functions: list[Any] = []

    def stage(item: Any, *, inner: bool = False) -> Any:
        if isinstance(item, Sampled | NativeStage) or (not inner and hasattr(item, "expression")):
            if isinstance(item, NativeStage) and item.commands != inner:
                wrong = "sets the inputs, so that it is an inner law" if item.commands else "sets no inputs"
                raise InputError(f"'{item.name}' {wrong}")
            return item
        if not callable(getattr(item, "function", item)):
            raise InputError(f"a stage needs an expression or a function to call, got {item!r}")
        functions.append(item)
        name = str(getattr(item, "name", "") or type(item).__name__)
        holds = None if inner else tuple(item.holds)
        return PythonStage(name, item.period, holds, tuple(getattr(item, "reads", ())), len(functions) - 1)

    outer: list[Any] = []
    law = None
    if isinstance(control, Cascade):
        outer, control = list(control.outer), control.inner
    if isinstance(control, Law):
        law, control = control, getattr(control, "sampled", None)
        if isinstance(control, Cascade):
            if isinstance(control.inner, Law):
                raise InputError(
                    f"{type(law).__name__} stands between an inner law and the machine: write Cascade("
                    f"{type(law).__name__}(law, ...), outer)"
                )
            outer, control = [*outer, *control.outer], control.inner
    stages = tuple(stage(x) for x in outer)
    return Stages(stages, None if control is None else stage(control, inner=True), law), functions


def stage_slots(eom: EquationsOfMotion, stages: Stages, slots: Slots) -> None:
    """Add held values: inputs, values of the stages and their times, states of native ones."""
    if stages.sampled is not None:
        for name, symbol in zip(eom.u_names, ca.vertsplit(eom.symbolic.u), strict=True):
            slots.add(f"command.{name}", symbol=symbol)
        if isinstance(stages.sampled, NativeStage):
            native_slots(stages.sampled, slots)
        if isinstance(stages.sampled, Sampled):
            law = stages.sampled.law
            for name, value in zip(law.state_names(eom), law.initial_state(eom), strict=True):
                slots.add(name, float(value))
    for stage in stages.outer:
        if isinstance(stage, NativeStage):
            native_slots(stage, slots)
            continue
        for name in stage.holds:
            slots.add(name)
        slots.add(f"{stage.name}.t")
        if not isinstance(stage, PythonStage):
            for name, value in zip(stage.state_names(eom), stage.initial_state(eom), strict=True):
                slots.add(name, float(value))


def native_update(
    known: Quantities, stage: Any, expression: Callable[..., tuple[Any, Any]], arguments: Sequence[Any]
) -> Update:
    """Return a native stage, or a sampled law, as an update.

    Parameters
    ----------
    known
        Quantities by name.
    stage
        The stage.
    expression
        ``expression(law, z, label)``: checked values and rates or next states.
    arguments
        Symbols (t, x, c, p).
    """
    eom, slots = known.eom, known.slots
    inner = isinstance(stage, Sampled)
    law = stage.law if inner else stage
    label = f"the law {type(law).__name__}" if inner else f"guidance '{stage.name}'"
    names = law.state_names(eom)
    z = ca.vertcat(*[slots.by_name[name] for name in names]) if names else ca.SX(0, 1)
    values, after = expression(law, z, label)
    holds = [f"command.{n}" for n in eom.u_names] if inner else list(stage.holds)
    if values.numel() != len(holds):
        raise InputError(f"{label} must return {len(holds)} values ({', '.join(holds)}), got {values.numel()}")
    if after.numel() != len(names):
        raise InputError(f"{label} has {len(names)} states but returned {after.numel()} values for them")
    after = z + stage.period * after if inner else after
    rows = [*holds, *names]
    out = [values, after]
    if not inner:
        rows.append(f"{stage.name}.t")
        out.append(eom.symbolic.t)
    function = update_function(arguments, ca.SX.sym("w", 0), ca.vertcat(*out))
    return Update(stage.name, stage.period, slots.rows(rows), function)


@dataclass(frozen=True, eq=False)
class _Seen:
    """Inputs of a Python stage, as a function of (t, x, c, p): the state and its signals; None: the state itself."""

    stage: PythonStage
    n_q: int
    n_v: int
    names: tuple[str, ...]
    function: ca.Function | None

    def bound(self, law: Any, backend: Backend) -> Callable[[float, Array, Array, Array], Any]:
        """Return the function to call at an instant."""
        call = getattr(law, "function", law) if self.stage.holds is not None else law
        n_q, n_v, stage, names = self.n_q, self.n_v, self.stage, self.names
        kernel = None
        if self.function is not None:
            kernel = compile_function(self.function, backend=backend, shapes={"t": ()}, lanes=False)

        def see(t: float, x: Array, c: Array, p: Array) -> tuple[Array, Array, dict[str, float]]:
            if kernel is None:
                return x[:n_q].copy(), x[n_q : n_q + n_v].copy(), {}
            y = np.asarray(kernel(t, x, c, p))
            read = dict(zip(stage.reads, y[n_q + n_v :].tolist(), strict=True))
            return y[:n_q].copy(), y[n_q : n_q + n_v].copy(), read

        if stage.holds is None:
            return lambda t, x, c, p: call(t, *see(t, x, c, p)[:2])

        def guide(t: float, x: Array, c: Array, p: Array) -> Array:
            returned = call(t, *see(t, x, c, p))
            return np.append(_in_order(returned, names, stage.name, t), t)

        return guide


def _in_order(returned: object, names: Sequence[str], owner: str, t: float) -> Array:
    """Values of a stage in the order of its held names."""
    where = f"controller {owner!r} at t = {t:g} s"
    returned = by_name(returned, f"what {where} returns")
    if isinstance(returned, Mapping):
        unknown = [name for name in returned if name not in names]
        missing = [name for name in names if name not in returned]
        if unknown or missing:
            raise SimulationError(f"{where} must return {', '.join(names)}, got {', '.join(map(str, returned))}")
        returned = [returned[name] for name in names]
    try:
        values = as_numbers(returned)
    except (TypeError, ValueError):
        raise SimulationError(f"{where} must return {len(names)} numbers, got {returned!r}") from None
    if values.shape != (len(names),):
        raise SimulationError(
            f"{where} must return {len(names)} numbers ({', '.join(names)}), got shape {values.shape}"
        )
    return values


def python_update(known: Quantities, stage: PythonStage, arguments: Sequence[Any]) -> Update:
    """Return a Python stage as an update, without its function."""
    eom, s = known.eom, known.eom.symbolic
    function = None
    if stage.reads or known.q is not s.q:
        reads = [known.bind(ca.SX.sym(name), f"an input of '{stage.name}'") for name in stage.reads]
        seen = ca.vertcat(known.q, known.v, *reads)
        function = ca.Function("seen", list(arguments), [ca.cse(ca.densify(seen))], ["t", "x", "c", "p"], ["out"])
    held = stage.holds
    rows = known.slots.rows([f"command.{n}" for n in eom.u_names] if held is None else [*held, f"{stage.name}.t"])
    seen_by = _Seen(stage, eom.nq, eom.nv, held or (), function)
    return Update(stage.name, stage.period, rows, seen_by)  # type: ignore[arg-type]


def bound(schedule: Schedule, functions: Sequence[Any], backend: Backend) -> Schedule:
    """Return a schedule with its Python functions in place."""
    if not functions:
        return schedule
    updates = []
    for update in schedule.updates:
        seen = update.function
        if isinstance(seen, _Seen):
            update = replace(update, function=seen.bound(functions[seen.stage.index], backend))
        updates.append(update)
    return Schedule(tuple(updates), schedule.initial)
