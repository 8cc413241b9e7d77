"""Stages of a loop that are routines: C beside tapes, which keep what they know in held values of the loop."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile.routine import Routine, load_routine
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array

__all__ = ["StageCode", "StageView", "columns", "run_stage", "stage_routine"]


class StageView(Protocol):
    """The loop as a stage sees it when it is composed."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs of the machine."""

    @property
    def time(self) -> Any:
        """Symbol of time."""

    def quantity(self, text: str, owner: str) -> Any:
        """Return the quantity of a name or text as laws see it: measured where a sensor measures it."""

    def command(self, name: str) -> Any:
        """Return the effort of an input that is held now."""

    def bound(self, expression: Any, owner: str) -> Any:
        """Return an expression with the quantities that it reads by name in their place."""

    def law(self, law: Any, label: str) -> Any:
        """Return the inputs of an expression law without states."""

    def sensor(self, name: str, owner: str) -> tuple[Any, tuple[str, ...]]:
        """Return a sensor of the loop, and the quantities that it measures."""

    def reading(self, name: str) -> Any:
        """Return the reading ``SENSOR.QUANTITY``."""


@dataclass(frozen=True, eq=False)
class StageCode:
    """A stage, composed.

    Parameters
    ----------
    reads
        Expressions that it reads from the loop at each instant.
    tapes
        Functions by macro; ``READ_TAPE`` is added.
    text
        C99 with ``OWN_WORK`` and ``routine``; see ``engine/horizon``. ``MEMORY_AT`` is the place of its memory.
    """

    reads: Any
    tapes: Mapping[str, ca.Function]
    text: str


def columns(values: Mapping[str, ArrayLike], names: Sequence[str], count: int | None, owner: str) -> Array:
    """Return recorded series as the columns of a matrix.

    Parameters
    ----------
    values
        Series by name.
    names
        Names of the columns; a series must exist for each, and none besides.
    count
        Number of rows; None: that of the first series.
    owner
        For messages.
    """
    for name in values:
        if name not in names:
            raise UnknownNameError("series", name, names, owner)
    missing = [name for name in names if name not in values]
    if missing:
        raise InputError(f"{owner}: there is none for {', '.join(missing)}")
    series = [np.asarray(values[name], dtype=float) for name in names]
    count = len(np.atleast_1d(series[0])) if count is None and series else count or 0
    for name, one in zip(names, series, strict=True):
        if one.shape != (count,) or not np.isfinite(one).all():
            raise InputError(f"{owner}: '{name}' must be {count} finite numbers, got shape {one.shape}")
    return np.stack(series, axis=1) if series else np.zeros((count, 0))


def stage_routine(
    name: str, tapes: Mapping[str, ca.Function], text: str, n_shown: int, n_memory: int, n_reads: int
) -> Routine:
    """Return the code of a stage that reads a row of numbers instead of a loop.

    Parameters
    ----------
    name, tapes, text
        Name and code of the stage.
    n_shown, n_memory, n_reads
        Number of values that it records, of its memory and of the row.
    """
    row, c = ca.SX.sym("x", n_reads), ca.SX.sym("c", n_memory)
    inputs = [ca.SX.sym("t"), row, c, ca.SX.sym("p", 0), ca.SX.sym("w", 0)]
    read = ca.Function("read", inputs, [row], ["t", "x", "c", "p", "w"], ["out"])
    return Routine(
        f"stage_{re.sub(r'[^0-9A-Za-z_]', '_', name)}", tuple(int(x.numel()) for x in inputs),
        n_shown + n_memory, {"READ_TAPE": read, **tapes}, f"#define MEMORY_AT 0\n{text}",
    )  # fmt: skip


def run_stage(
    name: str,
    tapes: Mapping[str, ca.Function],
    text: str,
    n_shown: int,
    memory: Array,
    reads: Array,
    period: float,
    t0: float,
) -> Array:
    """Return the recorded values of a stage that reads rows of numbers instead of a loop.

    Parameters
    ----------
    name, tapes, text
        Name and code of the stage.
    n_shown
        Number of values that it records.
    memory
        Its memory at the start.
    reads
        Rows that it reads, one per period.
    period, t0
        Seconds between the rows, and time of the first one.
    """
    routine = stage_routine(name, tapes, text, n_shown, len(memory), reads.shape[1])
    code, values, nothing = load_routine(routine), np.zeros((len(reads), n_shown)), np.zeros(0)
    for k, one in enumerate(reads):
        out = code(t0 + k * period, one, memory, nothing, nothing)
        values[k], memory = out[:n_shown], out[n_shown:]
    return values
