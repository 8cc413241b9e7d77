"""Digests of what a user said: of numbers, names, dataclasses and the code of functions."""

from __future__ import annotations

import dataclasses
import hashlib
import marshal
from collections.abc import Mapping
from types import CodeType, FunctionType, MethodType, ModuleType

import numpy as np

__all__ = ["description", "digest"]


def digest(*values: object) -> str:
    """Return a SHA-256 digest of values; equal values have equal digests in every process.

    A function counts by its code, its defaults, and what it refers to from outside (variables of enclosing functions,
    global names), not by where it is written. An object that is neither data nor a dataclass counts by its class alone.
    """
    return hashlib.sha256("\0".join(description(value) for value in values).encode()).hexdigest()


def description(value: object, within: tuple[FunctionType, ...] = ()) -> str:
    """Return a text that says what a value is, the same in every process.

    Parameters
    ----------
    value
        The value.
    within
        Functions that refer to it, the outermost first.
    """
    if value is None or isinstance(value, str | bool | bytes):
        return repr(value)
    if isinstance(value, int | float | np.number):
        return repr(float(value)) if isinstance(value, float | np.floating) else repr(int(value))
    if isinstance(value, np.ndarray):
        numbers = np.ascontiguousarray(value)
        return f"array {numbers.shape} {numbers.dtype.str} {hashlib.sha256(numbers.tobytes()).hexdigest()}"
    if isinstance(value, Mapping):
        items = ((description(key, within), description(item, within)) for key, item in value.items())
        return repr(sorted(items))
    if isinstance(value, list | tuple):
        return repr([description(item, within) for item in value])
    if isinstance(value, set | frozenset):
        return repr(sorted(description(item, within) for item in value))
    if isinstance(value, MethodType):
        return repr([description(value.__func__, within), description(value.__self__, within)])
    if isinstance(value, FunctionType):
        return _function(value, within)
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    if dataclasses.is_dataclass(value):
        fields = [
            (one.name, description(getattr(value, one.name), within))
            for one in dataclasses.fields(value)
            if one.compare
        ]
        return repr([name, fields])
    return name


def _function(function: FunctionType, within: tuple[FunctionType, ...]) -> str:
    code, cells = function.__code__, []
    code_digest = hashlib.sha256(marshal.dumps(_bare(code))).hexdigest()
    if function in within or (within and function.__module__ != within[0].__module__):
        return code_digest  # it calls itself, or belongs to a library
    within = (*within, function)
    for cell in function.__closure__ or ():
        try:
            cells.append(description(cell.cell_contents, within))
        except ValueError:  # a variable that has no value yet
            cells.append("")
    outside = {
        name: description(function.__globals__[name], within)
        for name in sorted(_names(code))
        if name in function.__globals__
    }
    defaults = [description(function.__defaults__, within), description(function.__kwdefaults__, within)]
    return repr([code_digest, cells, outside, defaults])


def _names(code: CodeType) -> set[str]:
    """Global names that code refers to, functions inside of it included."""
    return set(code.co_names).union(*(_names(c) for c in code.co_consts if isinstance(c, CodeType)))


def _bare(code: CodeType) -> CodeType:
    """Code without the places where it was written."""
    inner = tuple(_bare(c) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename="", co_firstlineno=1, co_linetable=b"", co_qualname="", co_consts=inner)
