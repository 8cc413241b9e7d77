"""Phases of a plan: what acts during each, and what happens at its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.frozen import FrozenMapping
from dalembert.core.types import Expression
from dalembert.core.validation import check_number

__all__ = ["Condition", "Jump", "Phase", "duration_range"]

Condition = Callable[..., Expression | Sequence[Expression]]
"""Conditions of a motion: ``f(t, q, v, u)`` or ``f(t, q, v, u, p)`` on CasADi symbols."""

Jump = Callable[[Expression, Expression], Expression]
"""Velocities after the end of a phase: ``f(q, v)`` on CasADi symbols."""


@dataclass(frozen=True)
class Phase:
    """A part of a plan with its own conditions; phases follow each other in time.

    Coordinates are continuous from phase to phase. Velocities are continuous too, except for an ``impact``, a ``jump``,
    or constraints that begin to act (they remove the velocities that break them, as a plastic impact does).

    Parameters
    ----------
    name
        Its name, for messages and results.
    duration
        Seconds, or the range within which the plan chooses them.
    end
        Conditions at its end: numbers of coordinates, velocities and other quantities, by name or text.
    limits
        Ranges of quantities by name during this phase, besides those of the plan.
    keep, equal
        Functions of ``(t, q, v, u)`` on CasADi symbols whose results must not be positive, or must vanish.
    active
        Constraints, inextensible ropes and contacts by name that act (True) or not (False) in this phase; ``"stick"``:
        a contact that neither leaves nor slips, within its cone of friction. The others are as in the machine, contacts
        open.
    p
        Values of parameters in this phase, by name: a load that is picked, a grip that closes.
    impact
        Contact of the machine that is hit at the end of this phase, with its restitution and without friction.
    jump
        ``jump(q, v)`` returns the velocities after the end of this phase, on CasADi symbols.
    intervals
        Intervals of the first grid; None: those of the plan.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Phase("swing up", duration=(0.5, 2.0), end={"theta": 3.14}).duration
    (0.5, 2.0)
    """

    name: str = ""
    duration: float | tuple[float, float] = (0.01, 100.0)
    end: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, Any] | None = None
    keep: Condition | None = None
    equal: Condition | None = None
    active: Mapping[str, bool | str] = field(default_factory=dict)
    p: Mapping[str, float] = field(default_factory=dict)
    impact: str | None = None
    jump: Jump | None = None
    intervals: int | None = None

    def __post_init__(self) -> None:
        where = f"phase '{self.name}'"
        if not isinstance(self.name, str):
            raise InputError(f"the name of a phase must be a string, got {self.name!r}")
        low, high = duration_range(self.duration, f"duration of {where}")
        object.__setattr__(self, "duration", low if low == high else (low, high))
        for name in ("end", "active", "p"):
            value = getattr(self, name)
            if not isinstance(value, Mapping):
                raise InputError(f"{name} of {where} must map names to values, got {value!r}")
            object.__setattr__(self, name, FrozenMapping(dict(value)))
        for name, value in self.active.items():
            if value not in (True, False, "stick"):
                raise InputError(f"active of {where}: '{name}' must be True, False or 'stick', got {value!r}")
        for name in ("keep", "equal", "jump"):
            if getattr(self, name) is not None and not callable(getattr(self, name)):
                raise InputError(f"{name} of {where} must be a function, got {getattr(self, name)!r}")
        if self.impact is not None and self.jump is not None:
            raise InputError(f"{where} has both an impact and a jump at its end: give one of them")
        check_count(self.intervals, f"intervals of {where}", optional=True)


def check_count(value: object, what: str, least: int = 1, *, optional: bool = False) -> None:
    """Check a whole number."""
    if optional and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{what} must be an integer >= {least}, got {value!r}")


def duration_range(duration: object, what: str = "duration") -> tuple[float, float]:
    """Return the shortest and the longest duration."""
    if isinstance(duration, tuple | list):
        if len(duration) != 2 or not 0.0 < duration[0] < duration[1] < np.inf:
            raise InputError(f"{what} must be a time or a range 0 < shortest < longest, got {duration!r}")
        return float(duration[0]), float(duration[1])
    value = check_number(what, duration, unit="s")
    return value, value
