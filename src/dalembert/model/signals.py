"""Quantities that a run records besides its state: user-defined signals, poses of frames, and readings of sensors."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dalembert.core.errors import MachineError, UnknownNameError
from dalembert.core.parameter import Scalar
from dalembert.core.validation import check_name

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["POSE", "Sensor", "Signal", "check_meaning", "check_signals", "derived_names", "read_text", "signal_groups"]

POSE = ("x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")
"""Components of the signal of a frame: position, quaternion, velocity and rate, all in world axes."""

_MOST_DELAYED = 20_000
"""Samples that a sensor may keep for its delay: each is a held value of the loop."""

_VECTORS = {
    "position": ("x", "y", "z"),
    "attitude": ("qw", "qx", "qy", "qz"),
    "velocity": ("vx", "vy", "vz"),
    "rate": ("wx", "wy", "wz"),
}

FUNCTIONS = {
    "abs": 1, "acos": 1, "asin": 1, "atan": 1, "atan2": 2, "cos": 1, "exp": 1, "hypot": 2, "log": 1, "max": 2,
    "min": 2, "sin": 1, "sqrt": 1, "tan": 1, "tanh": 1,
}  # fmt: skip
"""Functions in the text of a signal, and how many arguments they take."""

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}


@dataclass(frozen=True)
class Signal:
    """A named quantity that runs record and laws can read.

    Parameters
    ----------
    name
        Unique name.
    expression
        Text such as ``"2 * theta1 + hypot(tip.x, tip.y)"`` of coordinates, velocities, parameters, ``t``, ``pi``,
        ``position.FRAME.x``, ``velocity.FRAME.x`` and signals that come before; or, in `dalembert.simulate`, a function
        of a `dalembert.control.Known` that returns a CasADi expression.
    frame
        Instead of an expression: a frame, whose motion in world axes becomes the signals ``NAME.x`` to ``NAME.z``,
        ``NAME.qw`` to ``NAME.qz``, ``NAME.vx`` to ``NAME.vz`` and ``NAME.wx`` to ``NAME.wz``.

    Examples
    --------
    >>> Signal("reach", "hypot(tip.x, tip.y)").names
    ('tip.x', 'tip.y')
    """

    name: str
    expression: str | Callable[..., Any] | None = None
    frame: str | None = None

    def __post_init__(self) -> None:
        name = check_name(self.name, "signal")
        if (self.expression is None) == (self.frame is None):
            raise MachineError(f"signal '{name}' needs either an expression or a frame")
        if self.frame is not None:
            check_name(self.frame, f"frame of signal '{name}'")
        elif isinstance(self.expression, str):
            read_text(self.expression, f"signal '{name}'", None)
        elif not callable(self.expression):
            raise MachineError(f"expression of signal '{name}' must be a string or a function, got {self.expression!r}")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names that its text refers to."""
        read: dict[str, None] = {}
        if isinstance(self.expression, str):
            read_text(self.expression, f"signal '{self.name}'", lambda name: read.setdefault(name) or 1.0)
        return tuple(read)

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the scalars that it stands for."""
        return (self.name,) if self.frame is None else tuple(f"{self.name}.{x}" for x in POSE)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """None: a signal changes nothing."""
        return ()


@dataclass(frozen=True)
class Sensor:
    """Measurements of signals: sampled, delayed, with bias and noise, rounded; recorded as ``NAME.SIGNAL``.

    A reading is ``round((x + bias + noise w) / quantum) quantum`` with normal random numbers ``w`` that are independent
    from sample to sample and from sensor to sensor. Noise and bias turn an attitude by rotation vectors in its own axes
    [rad]. The reading may be used from ``delay`` seconds later on; before the first one, laws use the reading of the
    start.

    Parameters
    ----------
    name
        Unique name.
    of
        Measured quantities: coordinates, velocities and signals by name, or groups of them: the name of a joint (all
        its coordinates), ``JOINT.position``, ``.attitude``, ``.velocity``, ``.rate`` of a free joint (a spherical one
        has the second and the last), and the same of a signal of a frame.
    period
        Seconds between samples.
    noise, bias, quantum
        Standard deviation, constant error and step of rounding: one number, or one per measured value (three for an
        attitude, which is not rounded).
    delay
        Seconds from the sample to its use.
    feedback
        Whether laws see the measurement in place of the true value. Otherwise they read it by its own name.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Sensor("encoder", "theta", period=1e-3, noise=1e-3).feedback
    True
    """

    name: str
    of: Sequence[str] | str
    period: float
    noise: float | tuple[float, ...] = 0.0
    bias: float | tuple[float, ...] = 0.0
    quantum: float | tuple[float, ...] = 0.0
    delay: float = 0.0
    feedback: bool = True

    def __post_init__(self) -> None:
        name = check_name(self.name, "sensor")
        of = (self.of,) if isinstance(self.of, str) else tuple(self.of)
        if not of or not all(isinstance(x, str) and x for x in of):
            raise MachineError(f"sensor '{name}' must measure signals by name, got {self.of!r}")
        object.__setattr__(self, "of", of)
        for field, zero in (("period", False), ("delay", True)):
            value = _numbers(getattr(self, field), f"{field} of sensor '{name}'")
            if len(value) != 1 or not (value[0] >= 0.0 if zero else value[0] > 0.0):
                sign = ">=" if zero else ">"
                raise MachineError(f"{field} of sensor '{name}' must be {sign} 0 s, got {getattr(self, field)!r}")
            object.__setattr__(self, field, value[0])
        if self.delay / self.period > _MOST_DELAYED:
            raise MachineError(
                f"the delay of sensor '{name}' is {self.delay / self.period:.6g} of its periods, with one stored "
                "sample "
                f"per period; expected at most {_MOST_DELAYED}, got delay = {self.delay:g} s, period = "
                f"{self.period:g} s"
            )
        for field in ("noise", "bias", "quantum"):
            values = _numbers(getattr(self, field), f"{field} of sensor '{name}'")
            if field != "bias" and any(x < 0.0 for x in values):
                raise MachineError(f"{field} of sensor '{name}' must not be negative, got {getattr(self, field)!r}")
            object.__setattr__(self, field, values[0] if len(values) == 1 else values)
        if not isinstance(self.feedback, bool):
            raise MachineError(f"'feedback' of sensor '{name}' must be true or false, got {self.feedback!r}")

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """None: a sensor changes nothing."""
        return ()

    def per_value(self, field: str, n: int) -> tuple[float, ...]:
        """Return a setting for each of ``n`` measured values."""
        setting = getattr(self, field)
        values = setting if isinstance(setting, tuple) else n * (setting,)
        if len(values) != n:
            raise MachineError(
                f"{field} of sensor '{self.name}' must be one number or {n}, one per measured value (three per "
                f"attitude), got {len(values)}"
            )
        return values


def _numbers(value: float | Sequence[float], what: str) -> tuple[float, ...]:
    try:
        if isinstance(value, bool | str):
            raise TypeError
        values = tuple(float(x) for x in value) if hasattr(value, "__len__") else (float(value),)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        raise MachineError(f"{what} must be numbers, got {value!r}") from None
    if not values or not all(map(math.isfinite, values)):
        raise MachineError(f"{what} must be finite, got {value!r}")
    return values


def read_text(
    text: str, owner: str, lookup: Callable[[str], Any] | None, call: Callable[[str, list[Any]], Any] | None = None
) -> Any:
    """Read the text of a signal: its value, names looked up and functions called as told; nothing is executed.

    Parameters
    ----------
    text
        The text.
    owner
        Whose it is, in messages.
    lookup
        Returns the value of a name; None: only check the text.
    call
        ``call(name, arguments)`` returns a function's value; None: any number will do.
    """

    def walk(n: ast.expr) -> Any:
        match n:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return float(value)
            case ast.Name(id="pi"):
                return math.pi
            case ast.Name() | ast.Attribute() if (name := _dotted(n)) is not None:
                return 1.0 if lookup is None else lookup(name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                a, b = walk(left), walk(right)
                return _OPERATORS[type(op)](a, b) if call is not None else 1.0
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -walk(inner)
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return walk(inner)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if FUNCTIONS.get(name) == len(arguments):
                values = [walk(x) for x in arguments]
                return 1.0 if call is None else call(name, values)
        raise MachineError(
            f"{owner}: cannot use {ast.unparse(n)!r} in {text!r}; allowed are numbers, names of coordinates, "
            f"velocities, parameters and signals, t, pi, + - * / **, and the functions {', '.join(FUNCTIONS)}"
        )

    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise MachineError(f"{owner}: cannot read {text[:60]!r} as an expression") from None
    try:
        return walk(tree)
    except RecursionError:
        raise MachineError(f"{owner}: the expression {text[:60]!r} is nested too deeply") from None


def _dotted(n: ast.expr) -> str | None:
    """Name with dots in it."""
    if isinstance(n, ast.Name):
        return n.id
    if isinstance(n, ast.Attribute):
        owner = _dotted(n.value)
        return None if owner is None else f"{owner}.{n.attr}"
    return None


def derived_names(machine: Machine) -> tuple[str, ...]:
    """Predefined names of every machine: motion of its frames in world axes, and its parameters."""
    frames = [name for name in machine.tree.frames if name != "world"]
    moving = [f"{what}.{name}.{axis}" for what in ("position", "velocity") for name in frames for axis in "xyz"]
    return (*moving, *(f"parameter.{p.name}" for p in machine.parameters))


def check_meaning(machine: Machine, name: str, owner: str) -> None:
    """Refuse a name in the text of a signal or an event that a parameter shares with a coordinate or a velocity."""
    if name in {p.name for p in machine.parameters} and name in {"t", *machine.q_names, *machine.v_names}:
        kind = "the time" if name == "t" else "a coordinate" if name in machine.q_names else "a velocity"
        raise MachineError(
            f"{owner}: '{name}' is {kind} and a parameter of machine '{machine.name}'; rename one of them, or write "
            f"'parameter.{name}' for the parameter"
        )


def signal_groups(machine: Machine, signals: Sequence[Signal]) -> dict[str, tuple[str, ...]]:
    """Return the quantities behind names: coordinates, velocities and signals themselves, and groups of them.

    Parameters
    ----------
    machine
        The machine.
    signals
        Its signals, and more of them.
    """
    groups: dict[str, tuple[str, ...]] = {}
    quantities = [(node.joint.name, (*node.joint.q_names, *node.joint.v_names)) for node in machine.coordinate_nodes]
    for node in machine.coordinate_nodes:
        groups[node.joint.name] = tuple(node.joint.q_names)
    for signal in signals:
        quantities.append((signal.name, signal.components))
    for owner, names in quantities:
        for vector, ends in _VECTORS.items():
            members = tuple(f"{owner}.{end}" for end in ends)
            if all(member in names for member in members):
                groups[f"{owner}.{vector}"] = members
    for name in (*machine.q_names, *machine.v_names, *(c for s in signals for c in s.components)):
        groups[name] = (name,)
    return {name: members for name, members in groups.items() if members}


def check_signals(
    machine: Machine, signals: Sequence[Signal], sensors: Sequence[Sensor], more: Iterable[str] = ()
) -> None:
    """Refuse signals and sensors of unknown quantities, and names that occur twice.

    Parameters
    ----------
    machine, signals, sensors
        The machine, its signals and sensors.
    more
        Other names that a text may hold.
    """
    where = f"machine '{machine.name}'"
    known = {"t", *machine.q_names, *machine.v_names, *(p.name for p in machine.parameters), *more}
    known |= set(derived_names(machine))
    for signal in signals:
        if signal.frame is not None and signal.frame not in machine.tree.frames:
            error = UnknownNameError("frame", signal.frame, machine.tree.frames, where)
            raise MachineError(f"signal '{signal.name}': {error}")
        for name in signal.names:
            if name not in known:
                raise MachineError(f"signal '{signal.name}': {UnknownNameError('quantity', name, known, where)}")
            check_meaning(machine, name, f"signal '{signal.name}'")
        known |= set(signal.components)
    groups: Mapping[str, tuple[str, ...]] = signal_groups(machine, signals)
    for sensor in sensors:
        for name in sensor.of:
            if name not in groups:
                raise MachineError(f"sensor '{sensor.name}': {UnknownNameError('signal', name, groups, where)}")
    named = [*machine.q_names, *machine.v_names, *(c for s in signals for c in s.components)]
    named += [sensor.name for sensor in sensors]
    for name, count in Counter(named).items():
        if count > 1:
            raise MachineError(f"{where} has {count} signals or sensors named '{name}'; names are unique")
