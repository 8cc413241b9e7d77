"""Scalars read from the text of machine files: numbers with units, parameters and expressions of them."""

from __future__ import annotations

import ast
import reprlib
from collections.abc import Mapping

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import CONSTANTS, FUNCTIONS, TIME, Parameter, Scalar, finite_number, operation
from dalembert.core.units import UNITS, Dimension, Unit, with_units

__all__ = ["parse_quantity", "parse_scalar"]


def parse_scalar(text: str, parameters: Mapping[str, Parameter]) -> Scalar:
    """Read a scalar from text such as ``"m * l**2 / 12"``; nothing is executed.

    Parameters
    ----------
    text
        Numbers, parameter names, ``t``, ``pi``, ``+ - * / **``, parentheses and sin, cos, tan, sqrt, exp, tanh,
        smoothstep. A number may have a unit: ``45 deg``, ``30 mm``.
    parameters
        The parameters that may occur, by name.

    Examples
    --------
    >>> m = Parameter("m", 2.0)
    >>> str(parse_scalar("m * 3**2 / 12", {"m": m}))
    'm * 9.0 / 12.0'
    """
    return parse_quantity(text, parameters, {})[0]


def parse_quantity(
    text: str, parameters: Mapping[str, Parameter], dimensions: Mapping[str, Dimension]
) -> tuple[Scalar, Dimension | None]:
    """Read a scalar as `parse_scalar` does, and its dimension; None if nothing in it tells.

    A number without a unit next to a unit is a factor; elsewhere it has the dimension of the other terms of its sum.
    The dimension of a parameter that is not given may be any, and so is that of products with it.

    Parameters
    ----------
    text, parameters
        As in `parse_scalar`.
    dimensions
        Those of parameters that have one.

    Examples
    --------
    >>> l = Parameter("l", 2.0)
    >>> value, dimension = parse_quantity("l / 2 + 30 mm", {"l": l}, {"l": UNITS["m"].dimension})
    >>> str(value), str(dimension)
    ('l / 2.0 + 0.03', 'm')
    """
    plain, units = with_units(text.strip())
    try:
        tree = ast.parse(plain, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InputError(f"cannot read {reprlib.repr(text)} as a number or an expression of parameters") from None
    try:
        value, dimension = _from_ast(tree, text, parameters, dimensions, units)
    except RecursionError:
        raise InputError(f"the expression '{text[:60]}...' is nested too deeply") from None
    return value, dimension if isinstance(dimension, Dimension) else None


_AST_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
}
_FACTOR = "a number without a unit"
_ANY = "a parameter whose dimension is not known"
_Quantity = tuple[Scalar, Dimension | str]
"""A scalar, with its dimension or the reason why it has none."""


def _from_ast(
    node: ast.expr,
    text: str,
    parameters: Mapping[str, Parameter],
    dimensions: Mapping[str, Dimension],
    units: Mapping[str, Unit],
) -> _Quantity:
    def walk(n: ast.expr) -> _Quantity:
        match n:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return finite_number(value, f"a number in {text!r}"), _FACTOR
            case ast.Name(id="t"):
                return TIME, _ANY
            case ast.Name(id=name) if name in units:
                return units[name].factor, units[name].dimension
            case ast.Name(id="deg"):
                return CONSTANTS["deg"], UNITS["deg"].dimension
            case ast.Name(id=name) if name in CONSTANTS:
                return CONSTANTS[name], _FACTOR
            case ast.Name(id=name):
                if name not in parameters:
                    raise UnknownNameError("parameter", name, parameters, f"the expression {text!r}")
                return parameters[name], dimensions.get(name, _ANY)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _AST_BINARY:
                sign, (x, of_x), (y, of_y) = _AST_BINARY[type(op)], walk(left), walk(right)
                return operation(sign, x, y), _combined(sign, of_x, of_y, y, text)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                inside, dimension = walk(inner)
                return operation("neg", inside), dimension
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return walk(inner)
            case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
                inside, dimension = walk(argument)
                return operation(name, inside), _of_function(name, dimension, text)
        raise InputError(
            f"cannot use {ast.unparse(n)!r} in {text!r}; allowed are numbers, parameter names, t, pi, deg, + - * / **, "
            f"and the functions {', '.join(FUNCTIONS)}"
        )

    try:
        return walk(node)
    except (ZeroDivisionError, OverflowError) as error:
        raise InputError(f"{text!r} has no value: {error}") from None


def _combined(sign: str, x: Dimension | str, y: Dimension | str, right: Scalar, text: str) -> Dimension | str:
    """Dimension of ``x SIGN y``."""
    if sign in "+-":
        if isinstance(x, Dimension) and isinstance(y, Dimension) and not (x.admits(y) or y.admits(x)):
            raise InputError(f"{text!r} adds {x} and {y}, which are different quantities")
        return next((one for one in (x, y) if isinstance(one, Dimension)), _ANY if _ANY in (x, y) else _FACTOR)
    if sign == "**":
        if isinstance(y, Dimension) and not y.is_number:
            raise InputError(f"{text!r} has an exponent in {y}, expected a number")
        return x**right if isinstance(x, Dimension) and isinstance(right, float) else _ANY if x != _FACTOR else x
    if _ANY in (x, y):
        return _ANY
    if not isinstance(y, Dimension):
        return x
    below = y**-1.0 if sign == "/" else y
    return x * below if isinstance(x, Dimension) else below


def _of_function(name: str, x: Dimension | str, text: str) -> Dimension | str:
    """Dimension of a function of x."""
    if not isinstance(x, Dimension):
        return x
    if name == "sqrt":
        return x**0.5
    if not x.is_number:
        expected = "an angle" if name in ("sin", "cos", "tan") else "a number"
        raise InputError(f"{text!r} takes {name} of a quantity in {x}, expected {expected}")
    return _FACTOR
