"""Quantities of a machine in its loop, by name: for measures of rollouts and observations of steppers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.errors import DalembertError, InputError, UnknownNameError
from dalembert.core.types import Expression
from dalembert.engine.problem.constrained_tape import contact_multipliers_tape, multipliers_tape
from dalembert.engine.problem.problem import Problem
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.named import derived_quantity
from dalembert.model.signals import derived_names
from dalembert.simulation.rollout.measures import REDUCERS, Measures, looked_at

__all__ = ["Measure", "Signals", "make_measures", "make_observations"]

Quantity = str | Callable[["Signals"], Any]
"""A name, or a function of `Signals` on CasADi symbols."""


@dataclass(frozen=True)
class Measure:
    """A number of each member of a rollout: a quantity, reduced over time while the member runs.

    Parameters
    ----------
    of
        Name of a quantity, or a function of named quantities on CasADi symbols:
        ``lambda s: ca.hypot(s["position.tool.x"], s["position.tool.y"])``. Names are those of `Signals`.
    by
        ``"final"``, ``"max"``, ``"min"``, ``"max abs"``, ``"mean"``, ``"integral"``, ``"rms"``; ``"first"`` and
        ``"last"`` are the times when the quantity is positive (a comparison is 1 where it holds), NaN if it never is.
    since, until
        The time over which it is measured [s], in whole steps.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Measure("swing", "max abs", since=2.0).by
    'max abs'
    """

    of: Quantity
    by: str = "final"
    since: float = -np.inf
    until: float = np.inf

    def __post_init__(self) -> None:
        if not isinstance(self.of, str) and not callable(self.of):
            raise InputError(f"a Measure is of a name or of a function of signals, got {self.of!r}")
        if self.by not in REDUCERS:
            raise UnknownNameError("way to measure", self.by, REDUCERS)
        for side in ("since", "until"):
            value = getattr(self, side)
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or np.isnan(value):
                raise InputError(f"{side!r} of a Measure must be a time in seconds, got {value!r}")
        if not self.since < self.until:
            raise InputError(f"a Measure needs since < until, got {self.since!r} and {self.until!r}")


class Signals:
    """Expressions of a machine in its loop by name, on the symbols ``t``, ``x``, ``c`` and ``p`` of its problem.

    ======================================= =============================================================
    name                                    what
    ======================================= =============================================================
    ``t``                                   time
    a coordinate, velocity or state         as in `Run`
    ``u.MOTOR``, ``energy.kinetic``, ...    signals, as in `Run`
    ``tension.CABLE``, ``multiplier.ROW``   of constraints; of least norm where rows depend on each other
    ``position.FRAME.x`` (``y``, ``z``)     of a frame or body in the world
    ``velocity.FRAME.x`` (``y``, ``z``)     the same, velocity in world axes
    ``parameter.NAME``                      a parameter of the machine
    ======================================= =============================================================
    """

    def __init__(self, eom: EquationsOfMotion, problem: Problem) -> None:
        self._eom, self._problem = eom, problem
        sizes = [problem.ode.numel_in(k) for k in range(4)]
        self.t, self.x, self.c, self.p = (ca.SX.sym(n, k) for n, k in zip("txcp", sizes, strict=True))
        self._y: Any = None
        self._forces: Any = None

    @property
    def names(self) -> tuple[str, ...]:
        """All names."""
        problem, derived = self._problem, derived_names(self._eom.machine)
        forces = () if problem.constrained is None else problem.constrained.signal_names
        return ("t", *problem.state_names, *problem.signal_names, *problem.held_names, *forces, *derived)

    def __getitem__(self, name: str) -> Expression:
        eom, problem = self._eom, self._problem
        if name == "t":
            return self.t
        for names, values in ((problem.state_names, self.x), (problem.held_names, self.c)):
            if name in names:
                return values[names.index(name)]
        if name in problem.signal_names:
            if self._y is None:
                self._y = problem.signals(self.t, self.x, self.c, self.p)
            return self._y[problem.signal_names.index(name)]
        system = problem.constrained
        if system is not None and name in system.signal_names:
            if system.ropes and name.startswith("tension."):
                raise InputError(
                    f"'{name}' is not a function of the state of machine '{eom.machine.name}', which has rope "
                    "friction; take it from single runs, or use contact='time-stepping'"
                )
            return self._multipliers()[system.signal_rows[system.signal_names.index(name)]]
        quantity = derived_quantity(eom, name)
        if quantity is not None:
            s = eom.symbolic
            function = ca.Function("derived", [s.t, s.q, s.v, s.p], [quantity])
            return function(self.t, self.x[: eom.nq], self.x[eom.nq : eom.nq + eom.nv], self.p)
        raise UnknownNameError("signal", name, self.names, f"machine '{eom.machine.name}'")

    def _multipliers(self) -> Expression:
        """Multipliers of the constraints, solved on the tape; those of least norm where rows depend on each other."""
        system = self._problem.constrained
        assert system is not None
        if self._forces is None:
            if system.contact is None:
                tape = multipliers_tape(system.tape, system.flags)
            else:
                tape = contact_multipliers_tape(system.contact, system.flags, system.rubbing, system.shares)
            self._forces = tape(self.t, self.x, self.c, self.p)
        return self._forces

    def expression(self, quantity: Quantity, what: str) -> Expression:
        """Return one expression of a quantity; ``what`` names it in messages."""
        if isinstance(quantity, str):
            return self[quantity]
        try:
            value = ca.SX(quantity(self))
        except DalembertError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
            raise InputError(f"{what} fails on CasADi symbols: {reason}") from error
        if value.numel() != 1:
            raise InputError(f"{what} must be one expression, got {value.shape}")
        free = ca.Function("measure", [self.t, self.x, self.c, self.p], [value], {"allow_free": True}).free_sx()
        if free:
            raise InputError(f"{what} contains unknown symbols: {', '.join(map(str, free))}")
        return value

    def function(self, values: list[Expression]) -> ca.Function:
        """(t, x, c, p) -> values."""
        out = ca.cse(ca.densify(ca.vertcat(*values)))
        return ca.Function("measures", [self.t, self.x, self.c, self.p], [out], ["t", "x", "c", "p"], ["out"])


def make_measures(eom: EquationsOfMotion, problem: Problem, measure: Mapping[str, Measure] | None) -> Measures | None:
    """Compose the measures of a rollout; None if there are none."""
    if measure is None:
        return None
    if not isinstance(measure, Mapping):
        raise InputError(f"measure must map names to Measure objects, got {measure!r}")
    for name, one in measure.items():
        if not isinstance(name, str) or not name:
            raise InputError(f"the name of a measure must be a non-empty string, got {name!r}")
        if not isinstance(one, Measure):
            raise InputError(f"measure {name!r} must be a Measure, such as Measure('theta', 'max abs'), got {one!r}")
    if not measure:
        return None

    def make() -> Measures:
        signals, items = Signals(eom, problem), tuple(measure.items())
        expressions = [(signals.expression(one.of, f"measure {name!r}"), one.by) for name, one in items]
        values = [REDUCERS[by].prepare(value) for value, by in expressions]
        since, until = (np.array([float(getattr(one, side)) for _, one in items]) for side in ("since", "until"))
        names, by = tuple(measure), tuple(one.by for _, one in items)
        return Measures(signals.function(values), names, by, since, until)

    return eom.kept.once("measures", (problem, tuple(measure.items())), make, at_most=8)


def make_observations(
    eom: EquationsOfMotion, problem: Problem, observe: Mapping[str, Quantity] | tuple[str, ...]
) -> Measures:
    """Compose the observations after each step: names, or names with quantities."""
    named = dict(observe) if isinstance(observe, Mapping) else {name: name for name in observe}
    if not named:
        raise InputError("there is nothing to observe: give the names of signals")
    signals = Signals(eom, problem)
    values = [signals.expression(quantity, f"observation {name!r}") for name, quantity in named.items()]
    return looked_at(tuple(named), signals.function(values))
