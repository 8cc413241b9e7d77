"""Stages that are routines in C (predictive controllers, estimators) as updates of held values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from dalembert.compile.routine import Routine
from dalembert.control.cascade import Cascade
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.ports import NativeStage
from dalembert.engine.sampling import Update
from dalembert.loop.quantities import Quantities, Slots, measured_names
from dalembert.model.signals import Sensor, Signal

__all__ = ["check_native_start", "native_slots", "routine_update"]


def native_slots(stage: NativeStage, slots: Slots) -> None:
    """Add the values that a stage shows, and its memory."""
    for name, value in stage.shown.items():
        slots.add(name, float(value))
    for k, value in enumerate(stage.memory.tolist()):
        slots.add(f"{stage.name}~{k}", value, shown=False)


def check_native_start(control: object, values: Mapping[str, float]) -> None:
    """Let the stages of a control that are routines refuse a start, given by name."""
    for stage in (control.inner, *control.outer) if isinstance(control, Cascade) else (control,):
        if isinstance(stage, NativeStage):
            stage.check_start(values)


@dataclass(frozen=True, eq=False)
class _View:
    """A loop as its stages see it (``StageView`` of ``optimal/stage.py``)."""

    known: Quantities
    signals: Sequence[Signal]
    all_sensors: Sequence[Sensor]
    expressions: Callable[..., tuple[Any, Any]]

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.known.eom.u_names

    @property
    def time(self) -> Any:
        return self.known.eom.symbolic.t

    def quantity(self, text: str, owner: str) -> Any:
        return self.known.text(text, owner, seen=True)

    def command(self, name: str) -> Any:
        held = self.known.slots.by_name
        if f"command.{name}" in held:
            return held[f"command.{name}"]
        raise InputError(f"an estimator needs inputs that are held, from a sampled law; '{name}' has a continuous one")

    def bound(self, expression: Any, owner: str) -> Any:
        return self.known.bind(expression, owner)

    def law(self, law: Any, label: str) -> Any:
        eom = self.known.eom
        if law.state_names(eom):
            raise InputError(f"{label} has the states {', '.join(law.state_names(eom))}; give a law without states")
        u, _ = self.expressions(law, ca.SX(0, 1), label)
        if u.numel() != eom.nu:
            raise InputError(f"{label} must return {eom.nu} inputs ({', '.join(eom.u_names)}), got {u.numel()}")
        return u

    def sensor(self, name: str, owner: str) -> tuple[Any, tuple[str, ...]]:
        by_name = {sensor.name: sensor for sensor in self.all_sensors}
        if name not in by_name:
            raise UnknownNameError("sensor", name, by_name, owner)
        return by_name[name], measured_names(self.known.eom, self.signals, by_name[name])

    def reading(self, name: str) -> Any:
        return self.known.slots.by_name[name]


def routine_update(
    known: Quantities,
    stage: NativeStage,
    signals: Sequence[Signal],
    sensors: Sequence[Sensor],
    expressions: Callable[..., tuple[Any, Any]],
    arguments: Sequence[Any],
) -> Update:
    """Return a stage that is a routine as an update.

    Parameters
    ----------
    known
        Quantities by name.
    stage
        The stage.
    signals, sensors
        Those of the loop.
    expressions
        ``expressions(law, z, label)``: checked values and rates of an expression law.
    arguments
        Symbols (t, x, c, p).
    """
    eom, slots = known.eom, known.slots
    code = stage.compose(_View(known, signals, sensors, expressions))
    memory = [f"{stage.name}~{k}" for k in range(len(stage.memory))]
    commands = [f"command.{n}" for n in eom.u_names] if stage.commands else []
    rows = slots.rows([*commands, *stage.shown, *memory])
    place = rows[len(commands) + len(stage.shown)] if memory else 0
    inputs = [*arguments, ca.SX.sym("w", 0)]
    reads = ca.Function("read", inputs, [ca.cse(ca.densify(code.reads))], ["t", "x", "c", "p", "w"], ["out"])
    name = re.sub(r"\W", "_", stage.name, flags=re.ASCII)
    routine = Routine(
        f"stage_{name}", tuple(int(x.numel()) for x in inputs), len(rows), {"READ_TAPE": reads, **code.tapes},
        f"#define MEMORY_AT {place}\n{code.text}",
    )  # fmt: skip
    return Update(stage.name, stage.period, rows, routine)
