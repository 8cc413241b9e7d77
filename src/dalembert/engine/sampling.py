"""Values that are set at instants and held in between: controllers, sensors, guidance, each with its own period."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from zlib import crc32

import casadi
import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.compile import Kernel, compile_function
from dalembert.compile.kernel import Backend
from dalembert.compile.routine import Routine, RoutineCode, load_routine
from dalembert.core.errors import InputError, SimulationError
from dalembert.core.labels import as_numbers, by_name
from dalembert.core.noise import normals
from dalembert.core.types import Array
from dalembert.engine.codes import code_of

__all__ = ["SampledLaw", "Sampler", "Schedule", "Update"]

_SAME = 1e-9  # part of a period within which two instants are one


class SampledLaw(Protocol):
    """Interface of a controller for `integrate`."""

    period: float

    def __call__(self, t: float, x: Array) -> ArrayLike:
        """Return the values to hold until the next sample."""


@dataclass(frozen=True, eq=False)
class Update:
    """Some of the held values, set anew at each of t0 + offset + k period.

    Parameters
    ----------
    name
        Name of their source, in messages; it also chooses the stream of random numbers.
    period
        Seconds between two instants.
    rows
        Which entries of the held values ``c`` it sets.
    function
        ``(t, x, c, p, w) -> values`` on CasADi symbols, compiled; a routine in C; or the same without ``w`` in Python.
    noise
        Number of independent standard normal numbers ``w``, which depend on the seed, the member, the name and the
        number of the instant alone (``core/noise.py``).
    offset
        Delay of the first instant, less than a period.
    """

    name: str
    period: float
    rows: tuple[int, ...]
    function: casadi.Function | Routine | Callable[[float, Array, Array, Array], ArrayLike]
    noise: int = 0
    offset: float = 0.0

    def __post_init__(self) -> None:
        try:
            period = float(self.period)
        except (TypeError, ValueError):
            raise InputError(f"controller {self.name!r} needs a period in seconds, got {self.period!r}") from None
        if not (math.isfinite(period) and period > 0.0):
            raise InputError(f"period of controller {self.name!r} must be > 0 s, got {period:g}")
        object.__setattr__(self, "period", period)

    @property
    def native(self) -> bool:
        """Whether it is an expression or a routine."""
        return isinstance(self.function, casadi.Function | Routine)

    @property
    def stream(self) -> int:
        """Which random numbers are its own."""
        return crc32(self.name.encode())

    def drawn(self, seed: int, k: int, member: int = 0) -> Array:
        """Random numbers of the instant ``k``."""
        return normals(seed, member, self.stream, k, self.noise) if self.noise else np.zeros(0)


@dataclass(frozen=True, eq=False)
class Schedule:
    """Updates of the held values, in the order in which they happen where their instants coincide.

    Parameters
    ----------
    updates
        The updates.
    initial
        Values held before the first instant.
    """

    updates: tuple[Update, ...]
    initial: Array

    @property
    def native(self) -> bool:
        """Whether all of it is expressions and routines, so that no Python is called."""
        return all(update.native for update in self.updates)

    @property
    def routines(self) -> str:
        """Names of the updates that are routines: these have no derivatives and run on processors only."""
        return ", ".join(repr(update.name) for update in self.updates if isinstance(update.function, Routine))

    @staticmethod
    def of(controller: SampledLaw | Schedule | None, names: tuple[str, ...]) -> Schedule:
        """Return what is sampled as a schedule."""
        if controller is None:
            if names:
                raise InputError(f"the problem holds values ({', '.join(names)}) that a controller must set; got none")
            return Schedule((), np.zeros(0))
        if isinstance(controller, Schedule):
            return controller
        label = str(getattr(controller, "name", "") or type(controller).__name__)
        if not names:
            raise InputError(f"controller {label!r} was given, but the problem has no held values to set")
        if not hasattr(controller, "period"):
            raise InputError(f"controller {label!r} needs a period in seconds, got \"no attribute 'period'\"")
        whole = tuple(range(len(names)))
        update = Update(label, controller.period, whole, lambda t, x, c, p: controller(t, x))
        return Schedule((update,), np.zeros(len(names)))


class Sampler:
    """The sampling grids, and the values held since the last instants of them.

    A native engine takes over what is native (`NativeEngine.take_over`): it then writes `held` and `counts`, and comes
    back only at the instants of Python updates.

    Parameters
    ----------
    schedule
        Sampled elements.
    names
        Names of the held values.
    origin
        Where the grids begin.
    p
        Parameters.
    seed, member
        Seed and member number of the random numbers.
    backend
        How expressions are compiled.
    start, held
        Where a run continues, and the values held there; None: at the origin.

    Attributes
    ----------
    held, counts
        Values that are held, and how many instants each update has had.
    codes
        Code of each update; None where it is Python.
    update
        Sets what a native update sets, by its number; returns whether it did. None: it is called from here.
    """

    update: Callable[[int], bool] | None = None

    def __init__(
        self,
        schedule: Schedule,
        names: tuple[str, ...],
        origin: float,
        p: Array,
        *,
        seed: int = 0,
        member: int = 0,
        backend: Backend = "auto",
        start: float | None = None,
        held: Array | None = None,
    ) -> None:
        self.names, self.origin, self.updates, self._p = names, origin, schedule.updates, p
        self.seed, self.member = seed, member
        self.held = np.array(schedule.initial if held is None else held, dtype=float)
        self.period = min((u.period for u in self.updates), default=0.0)
        self.label = self.updates[-1].name if self.updates else ""
        t = origin if start is None else start
        first = [max(0, math.ceil((t - origin - u.offset) / u.period - _SAME)) for u in self.updates]
        self.counts = np.array(first, dtype=np.int64)
        kernels = [_kernel(u, backend) for u in self.updates]
        self.codes = [k if k is None or isinstance(k, RoutineCode) else code_of(k) for k in kernels]
        self._calls = [_call(u, kernel) for u, kernel in zip(self.updates, kernels, strict=True)]
        self._rows = [np.array(u.rows, dtype=np.intp) for u in self.updates]
        self.doing = self.label

    def _instant(self, i: int) -> float:
        update = self.updates[i]
        return self.origin + update.offset + int(self.counts[i]) * update.period

    def next_stop(self, t_end: float) -> float:
        """Time of the next instant, or the end of the run if that comes first."""
        stop = t_end
        for i, update in enumerate(self.updates):
            instant = self._instant(i)
            if instant <= t_end - _SAME * update.period:
                stop = min(stop, instant)
        return stop

    def sample(self, t: float, x: Array) -> None:
        """Set anew what is due at t."""
        for i, update in enumerate(self.updates):
            if self._instant(i) > t + _SAME * update.period:
                continue
            self.doing = update.name
            if self.update is not None and self.codes[i] is not None and self.update(i):
                continue
            drawn = update.drawn(self.seed, int(self.counts[i]), self.member)
            values = self._calls[i](t, x, self.held.copy(), self._p, drawn)
            self.held[self._rows[i]] = self._checked(t, update, values)
            self.counts[i] += 1

    def _checked(self, t: float, update: Update, values: ArrayLike) -> Array:
        where = f"controller {update.name!r} at t = {t:g} s"
        n, names = len(update.rows), [self.names[k] for k in update.rows]
        try:
            given = by_name(values, "what it returns")
            if isinstance(given, Mapping):
                short = [name.partition(".")[2] or name for name in names]  # push for u.push
                inputs = names if set(given) == set(names) else short
                if set(given) != set(inputs):
                    raise InputError(f"expected {', '.join(inputs)}")
                given = [given[name] for name in inputs]
            c = as_numbers(given).copy()
        except (TypeError, ValueError) as error:
            raise SimulationError(f"{where} must return {n} numbers, got {values!r}: {error}") from None
        if c.shape != (n,):
            raise SimulationError(f"{where} must return {n} numbers ({', '.join(names)}), got shape {c.shape}")
        wrong = ~np.isfinite(c)
        if wrong.any():
            k = int(np.argmax(wrong))
            raise SimulationError(f"{where} returned {c[k]} for {names[k]!r}, expected a finite number")
        return c

    def is_instant(self, t: Array) -> NDArray[np.bool_]:
        """Which of these times are instants of a sample."""
        sampled = np.zeros(len(t), dtype=bool)
        for update in self.updates:
            passed = (t - self.origin - update.offset) / update.period
            sampled |= (np.abs(passed - np.round(passed)) <= _SAME) & (passed > -0.5)
        return sampled


def _kernel(update: Update, backend: Backend) -> Kernel | RoutineCode | None:
    function = update.function
    if isinstance(function, Routine):
        return load_routine(function, backend)
    if not isinstance(function, casadi.Function):
        return None
    return compile_function(function, backend=backend, shapes={function.name_in(0): ()}, lanes=False)


def _call(update: Update, kernel: Kernel | RoutineCode | None) -> Callable[[float, Array, Array, Array, Array], Any]:
    """Return what is called at an instant."""
    if kernel is not None:
        return kernel
    function: Any = update.function
    return lambda t, x, c, p, w: function(t, x, c, p)
