"""Scalars of a machine: plain numbers, parameters that stay run-time inputs, and expressions of them.

Any physical number of a machine may be a `Parameter`. Arithmetic on parameters builds an `Expression`, so that a rod of
length ``l`` can have the inertia ``m * l**2 / 12`` and both stay inputs of every kernel. An expression is data: it
can be compared, written to a machine file and read back, and evaluated with numbers, NumPy arrays or CasADi symbols.
"""

from __future__ import annotations

import keyword
import math
import operator
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError

__all__ = [
    "CONSTANTS",
    "FUNCTIONS",
    "TIME",
    "Expression",
    "Operation",
    "Parameter",
    "Scalar",
    "Time",
    "cos",
    "deg",
    "depends_on_time",
    "evaluate",
    "finite_number",
    "nominal",
    "operation",
    "parameters_of",
    "scalar",
    "sin",
    "smoothstep",
    "sqrt",
    "to_text",
]


class Expression:
    """Something that has a value once its parameters (and time) have one."""

    __slots__ = ()

    def __add__(self, other: Scalar) -> Scalar:
        return operation("+", self, other)

    def __radd__(self, other: Scalar) -> Scalar:
        return operation("+", other, self)

    def __sub__(self, other: Scalar) -> Scalar:
        return operation("-", self, other)

    def __rsub__(self, other: Scalar) -> Scalar:
        return operation("-", other, self)

    def __mul__(self, other: Scalar) -> Scalar:
        return operation("*", self, other)

    def __rmul__(self, other: Scalar) -> Scalar:
        return operation("*", other, self)

    def __truediv__(self, other: Scalar) -> Scalar:
        return operation("/", self, other)

    def __rtruediv__(self, other: Scalar) -> Scalar:
        return operation("/", other, self)

    def __pow__(self, other: Scalar) -> Scalar:
        return operation("**", self, other)

    def __rpow__(self, other: Scalar) -> Scalar:
        return operation("**", other, self)

    def __neg__(self) -> Scalar:
        return operation("neg", self)

    def __pos__(self) -> Scalar:
        return self  # type: ignore[return-value]

    def __float__(self) -> float:
        raise InputError(
            f"the expression {self} has no value yet; its functions are those of dalembert (sin, cos, sqrt), "
            "not of math"
        )

    def __bool__(self) -> bool:
        raise InputError(f"the truth value of the expression {self} depends on its parameters")

    def __str__(self) -> str:
        return to_text(self)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Parameter(Expression):
    """A named number that stays an input of every kernel.

    Parameters
    ----------
    name
        Its name: letters, digits and underscores, and not a keyword of Python.
    value
        Its nominal value, used where a call does not override it.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Parameter("m", 2.0)
    >>> str(m * 9.81), m.value
    ('m * 9.81', 2.0)
    """

    name: str
    value: float

    def __post_init__(self) -> None:
        if not _is_parameter_name(self.name):
            raise InputError(
                f"a parameter's name must be an identifier, but neither a Python "
                f"keyword nor one of {sorted(_RESERVED)}, got {self.name!r}"
            )
        object.__setattr__(self, "value", finite_number(self.value, f"the value of parameter '{self.name}'"))

    __str__ = Expression.__str__


@dataclass(frozen=True, slots=True)
class Time(Expression):
    """The time ``t`` of a simulation, for loads that depend on it."""

    __str__ = Expression.__str__


@dataclass(frozen=True, slots=True)
class Operation(Expression):
    """An arithmetic operation on scalars."""

    op: str
    args: tuple[Scalar, ...]

    __str__ = Expression.__str__


Scalar = float | Parameter | Time | Operation
TIME = Time()

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
}
FUNCTIONS = ("sin", "cos", "sqrt", "tan", "exp", "tanh", "smoothstep")
"""Functions that an expression may have."""

CONSTANTS = {"pi": math.pi, "deg": math.pi / 180}
"""Constants in the text of an expression."""

_RESERVED = frozenset({"t", *FUNCTIONS, *CONSTANTS})


def _is_parameter_name(name: object) -> bool:
    """Whether `parse_scalar` reads ``name`` back as this very name."""
    return (
        isinstance(name, str)
        and name.isidentifier()
        and not keyword.iskeyword(name)
        and name not in _RESERVED
        and unicodedata.normalize("NFKC", name) == name
    )


def finite_number(value: object, what: str) -> float:
    """Return ``value`` as a finite float, or raise an error."""
    if isinstance(value, bool | str | bytes | complex) or value is None:
        raise InputError(f"{what} must be a number, got {value!r}")
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, RuntimeError):
        raise InputError(f"{what} must be a number, got {value!r}") from None
    except OverflowError:
        raise InputError(f"{what} must be finite, got an integer beyond the range of a double") from None
    if not math.isfinite(number):
        raise InputError(f"{what} must be finite, got {number}")
    return number


def scalar(value: object, what: str = "the number") -> Scalar:
    """Return ``value`` as a scalar: an expression as it is, anything else as a finite float."""
    if isinstance(value, Parameter | Time | Operation):
        return value
    return finite_number(value, what)


def operation(op: str, *args: object) -> Scalar:
    """Build an operation, folding plain numbers and the neutral elements 0 and 1."""
    operands = tuple(scalar(a, f"an operand of '{op}'") for a in args)
    if all(isinstance(a, float) for a in operands):
        return _number(_apply(op, operands), f"the result of '{op}' on {', '.join(map(repr, operands))}")
    first = operands[0]
    second = operands[1] if len(operands) > 1 else None
    match op:
        case "+" if first == 0.0 and second is not None:
            return second
        case "+" | "-" if second == 0.0:
            return first
        case "*" if 0.0 in (first, second):
            return 0.0
        case "*" if first == 1.0 and second is not None:
            return second
        case "*" | "/" | "**" if second == 1.0:
            return first
        case "/" if first == 0.0:
            return 0.0
    return Operation(op, operands)


def _number(value: complex, what: str) -> float:
    """Return ``value`` as a float; refuse values that are not real and finite."""
    if isinstance(value, complex) or not math.isfinite(value):
        raise InputError(f"{what} must be a real, finite number, got {value}")
    return float(value)


def _apply(op: str, args: tuple[Any, ...]) -> Any:
    if op in _BINARY:
        return _BINARY[op](*args)
    if op == "neg":
        return -args[0]
    (argument,) = args
    if op == "smoothstep":
        module: Any = ca if isinstance(argument, ca.SX | ca.MX | ca.DM) else np
        s = module.fmin(module.fmax(argument, 0.0), 1.0)
        return s**3 * (10.0 + s * (-15.0 + 6.0 * s))
    if isinstance(argument, ca.SX | ca.MX | ca.DM):
        return getattr(ca, op)(argument)
    with np.errstate(all="ignore"):  # outside the domain the value is NaN, which is refused with the field's name
        return getattr(np, op)(argument)


def sin(x: Scalar) -> Scalar:
    """Sine of a scalar.

    Examples
    --------
    >>> import dalembert as da
    >>> str(da.sin(2.0 * da.TIME))
    'sin(2.0 * t)'
    """
    return operation("sin", x)


def cos(x: Scalar) -> Scalar:
    """Cosine of a scalar.

    Examples
    --------
    >>> import dalembert as da
    >>> str(da.cos(da.Parameter("a", 0.3)))
    'cos(a)'
    """
    return operation("cos", x)


def deg(x: Scalar) -> Scalar:
    """Angle of ``x`` degrees in radians.

    Examples
    --------
    >>> deg(180)
    3.141592653589793
    """
    return operation("*", scalar(x, "an angle in degrees"), CONSTANTS["deg"])


def sqrt(x: Scalar) -> Scalar:
    """Square root of a scalar.

    Examples
    --------
    >>> import dalembert as da
    >>> str(da.sqrt(9.81 / da.Parameter("l", 2.0)))
    'sqrt(9.81 / l)'
    """
    return operation("sqrt", x)


def smoothstep(x: Scalar) -> Scalar:
    """Fifth-order blend from 0 (for x <= 0) to 1 (for x >= 1), at rest at both ends: ``10 x^3 - 15 x^4 + 6 x^5``.

    Examples
    --------
    >>> lift = 0.2 + 0.5 * smoothstep((TIME - 1.0) / 4.0)  # from 0.2 to 0.7 between 1 s and 5 s
    """
    return operation("smoothstep", x)


def evaluate(x: Scalar, values: Mapping[str, Any], time: Any = 0.0) -> Any:
    """Evaluate a scalar with the given parameter values (numbers, arrays or CasADi symbols)."""
    if isinstance(x, Parameter):
        return values[x.name]
    if isinstance(x, Operation):
        return _apply(x.op, tuple(evaluate(a, values, time) for a in x.args))
    if isinstance(x, Time):
        return time
    return x


def nominal(x: Scalar) -> float:
    """Value of a scalar at the nominal parameter values, at time zero."""
    if isinstance(x, float):
        return x
    try:
        value = evaluate(x, {p.name: p.value for p in parameters_of(x)})
    except (ZeroDivisionError, OverflowError) as error:
        raise InputError(f"'{x}' has no value at the nominal parameters: {error}") from None
    return _number(value, f"the value of '{x}' at the nominal parameters")


def parameters_of(x: Scalar) -> tuple[Parameter, ...]:
    """Return the parameters that occur in a scalar, in order of appearance."""
    if isinstance(x, Parameter):
        return (x,)
    if isinstance(x, Operation):
        return tuple(dict.fromkeys(p for a in x.args for p in parameters_of(a)))
    return ()


def depends_on_time(x: Scalar) -> bool:
    """Whether the time occurs in a scalar."""
    return isinstance(x, Time) or (isinstance(x, Operation) and any(map(depends_on_time, x.args)))


_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "**": 4}


def to_text(x: Scalar) -> str:
    """Write a scalar as text that `parse_scalar` reads back to an equal scalar."""
    if isinstance(x, Parameter):
        return x.name
    if isinstance(x, Time):
        return "t"
    if not isinstance(x, Operation):
        return repr(float(x))
    if x.op not in _PRECEDENCE:
        return f"{x.op}({to_text(x.args[0])})"
    level = _PRECEDENCE[x.op]

    def operand(a: Scalar, tight: bool) -> str:
        text = to_text(a)
        inner = _PRECEDENCE.get(a.op, 9) if isinstance(a, Operation) else 9
        if isinstance(a, float) and math.copysign(1.0, a) < 0:
            inner = 0
        return f"({text})" if inner < level or (tight and inner == level) else text

    if x.op == "neg":
        return f"-{operand(x.args[0], True)}"
    left_tight = x.op == "**"
    return f"{operand(x.args[0], left_tight)} {x.op} {operand(x.args[1], x.op != '**')}"
