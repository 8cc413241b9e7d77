"""Expressions of signals as text, for campaign files: ``hypot(position.tip.x - 1, position.tip.y)``."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import casadi as ca

from dalembert.core.errors import InputError, UnknownNameError

__all__ = ["SignalExpression"]

_FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "abs": ca.fabs, "sqrt": ca.sqrt, "exp": ca.exp, "log": ca.log, "sin": ca.sin, "cos": ca.cos, "tan": ca.tan,
        "atan2": ca.atan2, "hypot": ca.hypot, "min": ca.fmin, "max": ca.fmax,
    }
)  # fmt: skip
_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = MappingProxyType(
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
        ast.Pow: operator.pow,
    }
)
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = MappingProxyType(
    {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
)


@dataclass(frozen=True)
class SignalExpression:
    """An expression of named signals; it is data, and nothing in it runs.

    Parameters
    ----------
    text
        Numbers, names of signals (``q1``, ``u.drive``, ``position.FRAME.x``), ``+ - * / **``, one comparison, and the
        functions abs, sqrt, exp, log, sin, cos, tan, atan2, hypot, min, max.
    """

    text: str

    def __post_init__(self) -> None:
        if len(self.text) > 2000:
            raise InputError("an expression of signals must be shorter than 2000 characters")
        try:
            tree = ast.parse(self.text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise InputError(f"{self.text!r} is not an expression of signals") from None
        object.__setattr__(self, "_tree", tree)

    def __call__(self, signals: Any) -> Any:
        """Return the value on named signals."""
        return self._value(self._tree, signals)  # type: ignore[attr-defined]

    def __getstate__(self) -> dict[str, str]:
        return {"text": self.text}

    def __setstate__(self, state: dict[str, str]) -> None:
        object.__setattr__(self, "text", state["text"])
        self.__post_init__()

    def _value(self, node: ast.expr, signals: Any) -> Any:
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return float(number)
            case ast.Name() | ast.Attribute():
                return signals[self._name(node)]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._value(operand, signals)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return _BINARY[type(op)](self._value(left, signals), self._value(right, signals))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
                return _COMPARE[type(op)](self._value(left, signals), self._value(right, signals))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                if name not in _FUNCTIONS:
                    raise UnknownNameError("function", name, _FUNCTIONS, f"the expression {self.text!r}")
                try:
                    return _FUNCTIONS[name](*(self._value(a, signals) for a in arguments))
                except (TypeError, NotImplementedError):
                    raise InputError(f"{name} in {self.text!r} does not take {len(arguments)} arguments") from None
        raise InputError(f"the expression {self.text!r} must not contain {ast.unparse(node)!r}")

    def _name(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Attribute):
            return f"{self._name(node.value)}.{node.attr}"
        raise InputError(f"{ast.unparse(node)!r} in {self.text!r} is not the name of a signal")
