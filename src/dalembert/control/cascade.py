"""Laws that are sampled, and guidance above them: each stage at its own period, joined by named values that it holds.

Any law, reference or signal may read a quantity by its name: `read` returns a CasADi symbol, which the loop replaces by
the quantity of that name: a coordinate, a velocity, a signal, a measurement, or a value that a stage holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import casadi as ca
import numpy as np

from dalembert.control.law_bases import machine_state
from dalembert.core.errors import InputError
from dalembert.core.ports import Controller, Law, NativeStage
from dalembert.core.types import Array, Expression
from dalembert.core.validation import check_names, check_number
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["Cascade", "Follow", "Guidance", "Known", "NativeGuidance", "Sampled", "read"]


def read(*names: str) -> Expression:
    """Quantities by name, as CasADi symbols for laws, references, native guidance and signals.

    Parameters
    ----------
    names
        Coordinates, velocities, signals, sensors (``SENSOR.SIGNAL``), values that guidance holds. Where a sensor
        measures a quantity with ``feedback``, laws and guidance read the measurement.

    Examples
    --------
    >>> read("tip.x", "tip.y").shape
    (2, 1)
    """
    return ca.vertcat(*[ca.SX.sym(name) for name in check_names(names, "quantities to read")])


class Known:
    """Quantities for expressions: the state by name, poses and Jacobians of frames, signals, held values.

    Parameters
    ----------
    eom
        The equations of the loop.
    t, q, v, p
        Symbols of time, state and parameters.
    states
        States of the guidance itself, by name.
    """

    def __init__(
        self,
        eom: EquationsOfMotion,
        t: Expression,
        q: Expression,
        v: Expression,
        p: Expression,
        states: Mapping[str, Expression] | None = None,
    ):
        self.eom, self.q, self.v = machine_state(eom, q, v, p)
        self.t, self.p = t, p
        self._states = dict(states or {})

    def __getitem__(self, name: str) -> Expression:
        """Quantity of that name."""
        if name in self._states:
            return self._states[name]
        for names, values in ((self.eom.q_names, self.q), (self.eom.v_names, self.v), (self.eom.p_names, self.p)):
            if name in names:
                return values[names.index(name)]
        return self.t if name == "t" else read(name)

    def vector(self, *names: str) -> Expression:
        """Quantities of these names, one below the other."""
        return ca.vertcat(*[self[name] for name in names])

    def _at(self, expression: Expression) -> Expression:
        s = self.eom.symbolic
        return ca.Function("at", [s.t, s.q, s.v, s.p], [ca.densify(expression)])(self.t, self.q, self.v, self.p)

    def pose(self, frame: str) -> Expression:
        """Homogeneous matrix (4 x 4) of a frame in the world."""
        return self._at(self.eom.symbolic.pose(frame))

    def jacobian(self, frame: str, axes: str = "world") -> Expression:
        """Jacobian of a frame's twist [v; w]."""
        return self._at(self.eom.symbolic.jacobian(frame, axes))


@dataclass(frozen=True)
class Follow:
    """A reference that an outer stage holds: positions, and where it gives them velocities and accelerations.

    Parameters
    ----------
    positions
        Names of the held positions, in the order of the motors.
    velocities, accelerations
        Names of the held velocities and accelerations; None: zero.
    since
        Name of the time at which they were set, such as ``"guidance.t"``: positions and velocities are then
        extrapolated, ``r + r' dt + r'' dt^2 / 2``, instead of held until the next sample.

    Examples
    --------
    >>> Follow(["r1", "r2"], ["w1", "w2"], since="guidance.t").positions
    ('r1', 'r2')
    """

    positions: Sequence[str]
    velocities: Sequence[str] | None = None
    accelerations: Sequence[str] | None = None
    since: str | None = None

    def __post_init__(self) -> None:
        for name in ("positions", "velocities", "accelerations"):
            held = getattr(self, name)
            if held is None and name != "positions":
                continue
            names = tuple(check_names(held, f"{name} of Follow"))
            if len(names) != len(self.positions):
                raise InputError(f"{name} of Follow must be {len(self.positions)}, one per position, got {len(names)}")
            object.__setattr__(self, name, names)

    def motion(self, t: Expression) -> tuple[Expression, Expression, Expression]:
        """Position, velocity and acceleration at a time."""
        zero = ca.SX.zeros(len(self.positions))
        r = read(*self.positions)
        rd, rdd = (zero if x is None else read(*x) for x in (self.velocities, self.accelerations))
        if self.since is None:
            return r, rd, rdd
        h = t - read(self.since)
        return r + h * (rd + h / 2 * rdd), rd + h * rdd, rdd


@dataclass(frozen=True)
class Sampled:
    """A law that computes at a period, on the measurements there, and whose inputs are held in between.

    States of the law advance by Euler's method, once per sample.

    Parameters
    ----------
    law
        An expression law, such as `PD`.
    period
        Seconds between samples.
    name
        Its name in messages.
    """

    law: Law
    period: float
    name: str = "law"

    def __post_init__(self) -> None:
        if not isinstance(self.law, Law):
            raise InputError(f"Sampled needs an expression law, got {self.law!r}")
        if getattr(self.law, "sampled", None) is not None:
            raise InputError("Sampled needs a continuous law, got one that contains a sampled controller")
        check_number("period of Sampled", self.period, unit="s")


def _names(owner: _Stage, field_name: str) -> tuple[str, ...]:
    names = tuple(check_names(getattr(owner, field_name), f"{field_name} of {type(owner).__name__} '{owner.name}'"))
    if len(set(names)) != len(names):
        raise InputError(f"{field_name} of {type(owner).__name__} '{owner.name}' must differ, got {', '.join(names)}")
    return names


class _Stage:
    """A stage of a cascade: the names of its held values."""

    name: str
    period: float
    holds: Sequence[str]

    def __post_init__(self) -> None:
        check_number(f"period of {type(self).__name__} '{self.name}'", self.period, unit="s")
        object.__setattr__(self, "holds", _names(self, "holds"))
        if not self.holds:
            raise InputError(f"{type(self).__name__} '{self.name}' must hold at least one named value")


@dataclass(frozen=True, eq=False)
class Guidance(_Stage):
    """An outer stage of a cascade as a Python function.

    Parameters
    ----------
    function
        ``function(t, q, v, s)`` with the coordinates and velocities (measured ones where there are such sensors) and
        the quantities ``reads`` by name; returns the values to hold, in order or by name.
    period
        Seconds between two calls.
    holds
        Names of the values that it holds.
    reads
        Names of the quantities that it wants to see besides the state.
    name
        Its name; ``NAME.t`` is the time of its last call.

    Examples
    --------
    >>> Guidance(lambda t, q, v, s: [0.1 * t], 0.02, ["wanted"]).holds
    ('wanted',)
    """

    function: Callable[[float, Array, Array, Mapping[str, float]], Any]
    period: float
    holds: Sequence[str]
    reads: Sequence[str] = ()
    name: str = "guidance"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.function):
            raise InputError(f"Guidance '{self.name}' needs a function (t, q, v, s), got {self.function!r}")
        object.__setattr__(self, "reads", _names(self, "reads"))


@dataclass(frozen=True, eq=False)
class NativeGuidance(_Stage):
    """An outer stage of a cascade as an expression, compiled: rollouts take it too.

    Parameters
    ----------
    function
        ``function(known) -> values`` to hold, or ``(values, next states)``, of `Known` on CasADi symbols.
    period
        Seconds between two evaluations.
    holds
        Names of the values that it holds.
    states
        Names of its states and their initial values; a state keeps the result of the last evaluation.
    name
        Its name; ``NAME.t`` is the time of its last evaluation.

    Examples
    --------
    >>> slow = NativeGuidance(lambda known: [0.1 * known.t], period=0.5, holds=["target"])
    >>> slow.name
    'guidance'
    """

    function: Callable[[Known], Any]
    period: float
    holds: Sequence[str]
    states: Mapping[str, float] = field(default_factory=dict)
    name: str = "guidance"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.function):
            raise InputError(
                f"NativeGuidance '{self.name}' needs a function of the known quantities, got {self.function!r}"
            )
        for state, value in dict(self.states).items():
            check_number(f"initial value of state '{state}' of NativeGuidance '{self.name}'", value, positive=False)

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """Names of its states."""
        return tuple(self.states)

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """Their initial values."""
        return np.array([float(x) for x in self.states.values()])

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Values to hold, and next states."""
        states = dict(zip(self.states, ca.vertsplit(ca.SX(z)) if self.states else [], strict=True))
        answer = self.function(Known(eom, t, q, v, p, states))
        both = isinstance(answer, tuple) and len(answer) == 2 and self.states
        values, after = answer if both else (answer, list(states.values()))
        return _column(values), _column(after)


def _column(values: object) -> Expression:
    return cast(Expression, ca.vertcat(*values) if isinstance(values, list | tuple) else values)


@dataclass(frozen=True, eq=False)
class Cascade:
    """An inner law, and outer stages whose held values it reads.

    Where instants coincide, sensors come first, then the stages in their order, then the inner law.

    Parameters
    ----------
    inner
        An expression law (continuous), a `Sampled` one, a predictive one, or a Python controller with a ``period``.
    outer
        Stages, the outermost first: `Guidance`, `NativeGuidance`, estimators, or objects with the same attributes.
    """

    inner: Law | Sampled | Controller | NativeStage
    outer: Sequence[Any]

    def __post_init__(self) -> None:
        stages = tuple(self.outer) if isinstance(self.outer, Sequence) else (self.outer,)
        object.__setattr__(self, "outer", stages)
        for stage in stages:
            if not isinstance(stage, NativeStage) and not all(hasattr(stage, x) for x in ("name", "period", "holds")):
                raise InputError(
                    f"a stage of a Cascade needs a name, a period and the names of its values, got {stage!r}"
                )
        if not isinstance(self.inner, Law | Sampled | Controller | NativeStage):
            raise InputError(f"the inner law of a Cascade must be a law or a controller, got {self.inner!r}")
