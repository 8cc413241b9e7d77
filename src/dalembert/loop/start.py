"""Where a run starts, and values of a call as an experiment keeps them: frozen, and by name over earlier ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.frozen import FrozenMapping
from dalembert.core.labels import as_numbers, by_name
from dalembert.core.types import StateLike
from dalembert.core.validation import check_number

__all__ = ["Start", "frozen_values", "merged_values"]


@dataclass(frozen=True)
class Start:
    """Initial state of a run.

    Parameters
    ----------
    q, v
        Initial coordinates and velocities in the machine's own coordinates: numbers, or a mapping of names to numbers
        (the others are neutral and zero). With constraints, values given by name are kept, and the others follow.
    t
        Initial time [s].
    reach
        How far coordinates that are given may be moved so that the constraints hold: part of a radian, or of the
        machine's size. None: not at all; but where more are given than the machine has freedoms, by 0.1.
    branch
        Which assembly of a closed mechanism, where the given values leave several: its number in the list of
        `dalembert.assemblies`, or other coordinates by name that are close to it. None: the one reached from the
        nominal posture.

    Examples
    --------
    >>> Start(q={"theta": 0.3}).q["theta"]
    0.3
    """

    q: StateLike = None
    v: StateLike = None
    t: float = 0.0
    reach: float | None = None
    branch: int | Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", frozen_values(self.q, "q0"))
        object.__setattr__(self, "v", frozen_values(self.v, "v0"))
        object.__setattr__(self, "t", check_number("t0", self.t, positive=False))
        if self.reach is not None:
            object.__setattr__(self, "reach", check_number("reach", self.reach))
        object.__setattr__(self, "branch", _checked_branch(self.branch))


def _checked_branch(branch: object) -> Any:
    """Return the branch of a start: a number, or numbers by name."""
    if isinstance(branch, int | np.integer) and not isinstance(branch, bool) and branch >= 0:
        return int(branch)
    values = frozen_values(branch, "branch")
    if values is not None and not isinstance(values, Mapping):
        raise InputError(f"branch must be a whole number >= 0, or coordinates by name, got {branch!r}")
    return values


def frozen_values(values: Any, what: str) -> Any:
    """Return numbers as a tuple, numbers by name as a frozen mapping, and other values unchanged (checked later)."""
    values = by_name(values, what)
    if isinstance(values, Mapping):
        return FrozenMapping({name: _number(value) for name, value in values.items()}) if values else None
    if values is None or isinstance(values, str | bytes | np.ma.MaskedArray):
        return values
    if isinstance(values, np.ndarray):
        try:
            values = as_numbers(values)
        except InputError as error:
            raise InputError(f"{what} must be numbers or a mapping of names to numbers: {error}") from None
    try:
        numbers = np.asarray(values)
    except ValueError:
        return values
    return tuple(map(float, numbers)) if numbers.ndim == 1 and numbers.dtype.kind in "if" else values


def _number(value: Any) -> Any:
    """Return a number of any kind as a plain number, and other values unchanged (checked later)."""
    if isinstance(value, np.ndarray) and not value.ndim and value.dtype.kind in "fiu":
        value = value[()]
    is_number = isinstance(value, int | float | np.floating | np.integer) and not isinstance(value, bool)
    return float(value) if is_number else value


def merged_values(earlier: Any, values: Any, names: Sequence[str]) -> Any:
    """Return values of a call over earlier ones: those by name are put over them, whole vectors take their place."""
    if values is None:
        return earlier
    if not isinstance(values, Mapping) or earlier is None:
        return values
    before = earlier if isinstance(earlier, Mapping) else dict(zip(names, earlier, strict=False))
    return {**before, **values}
