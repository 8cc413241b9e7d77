"""Digests of user input: of numbers, names, dataclasses, objects, and functions with all that they refer to."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError

__all__ = ["description", "digest", "digests"]

_PACKAGE = __name__.partition(".")[0]
_NO_CODE = frozenset(
    """__dict__ __weakref__ __module__ __doc__ __annotations__ __firstlineno__ __static_attributes__ __slotnames__
    __dataclass_fields__ __dataclass_params__ __match_args__ __abstractmethods__ _abc_impl __annotate_func__
    __annotations_cache__ __annotate__""".split()
)


def digest(*values: object) -> str:
    """Return a SHA-256 digest of values; equal values have equal digests in every process.

    A function counts by its code, its defaults, and its external references (variables of enclosing functions, global
    names and the functions among them, attributes), not by where it is written. An object counts by its class and its
    attributes, or by the state that it gives to `pickle`; one without state counts by its class alone.
    """
    return _hash("\0".join(description(value) for value in values))


def description(value: object) -> str:
    """Return a text that identifies a value, the same in every process."""
    return repr(_Walk().leaves(value, ""))


def digests(value: object, name: str, *, strict: bool = True) -> dict[str, str]:
    """Return the digests of the parts of a value, by their location (``"run: global GAIN"``).

    Parameters
    ----------
    value
        The value.
    name
        Name in messages.
    strict
        Whether an unidentifiable object is refused; otherwise it counts by its class alone.

    Raises
    ------
    InputError
        If a part of it cannot be identified, and no function or object that refers to it has an attribute ``version``,
        a text or a whole number, which counts in its place.
    """
    parts: dict[str, str] = {}
    for place, text in _Walk(strict).leaves(value, name):
        parts[place] = _hash(parts.get(place, "") + text)[:16]
    return parts


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class _Walk:
    """Walks through a value and its references.

    Parameters
    ----------
    strict
        Whether objects that nothing is known of are refused.
    """

    def __init__(self, strict: bool = False) -> None:
        self._strict = strict
        self._met: dict[int, str] = {}  # functions and classes, which may refer to themselves and each other
        self._within: list[object] = []  # objects and containers that hold the current object

    def leaves(self, value: object, place: str) -> list[tuple[str, str]]:
        """Return all that counts, as texts, with its places."""
        return list(self._value(value, place))

    def _value(self, value: object, place: str) -> Iterator[tuple[str, str]]:
        if value is None or isinstance(value, str | bool | bytes | complex):
            yield place, repr(value)
        elif isinstance(value, int | float | np.number):
            yield place, repr(float(value)) if isinstance(value, float | np.floating) else repr(int(value))
        elif isinstance(value, ModuleType):
            yield place, value.__name__
        elif isinstance(value, FunctionType | type):
            if id(value) in self._met:
                yield place, f"as {self._met[id(value)]}"
                return
            self._met[id(value)] = place
            yield from self._class(value, place) if isinstance(value, type) else self._function(value, place)
        elif any(one is value for one in self._within):
            yield place, f"itself {[one is value for one in self._within].index(True)}"
        else:
            self._within.append(value)
            yield from self._compound(value, place)
            self._within.pop()

    def _compound(self, value: Any, place: str) -> Iterator[tuple[str, str]]:
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            numbers = np.ascontiguousarray(value)
            yield place, f"array {numbers.shape} {numbers.dtype.str} {hashlib.sha256(numbers.tobytes()).hexdigest()}"
        elif isinstance(value, ca.SX | ca.MX):
            expression: Any = value
            yield place, ca.Function("f", ca.symvar(expression), [expression]).serialize()
        elif isinstance(value, Mapping):
            yield from self._own_class(value, place)
            keys = sorted((description(key), k) for k, key in enumerate(value))
            yield place, repr([text for text, _ in keys])
            items = list(value.items())
            for key, item in (items[k] for _, k in keys):
                yield from self._value(item, f"{place}[{key!r}]")
        elif isinstance(value, list | tuple | np.ndarray):
            yield from self._own_class(value, place)
            yield place, f"{len(value)} items"
            for k, item in enumerate(value):
                yield from self._value(item, f"{place}[{k}]")
        elif isinstance(value, set | frozenset):
            yield place, repr(sorted(map(description, value)))
        elif isinstance(value, MethodType):
            yield from self._value(value.__func__, place)
            yield from self._value(value.__self__, f"{place}: object")
        elif isinstance(value, BuiltinFunctionType):
            yield place, f"{value.__module__}.{value.__qualname__}"
            if not isinstance(value.__self__, ModuleType | type | None):
                yield from self._value(value.__self__, f"{place}: object")
        elif isinstance(value, functools.partial):
            yield from self._value(value.func, f"{place}: {getattr(value.func, '__name__', 'function')}")
            for k, argument in enumerate(value.args):
                yield from self._value(argument, f"{place}: argument {k} of partial")
            for name, argument in sorted(value.keywords.items()):
                yield from self._value(argument, f"{place}: keyword {name} of partial")
        elif isinstance(getattr(value, "__wrapped__", None), FunctionType):  # such as of functools.cache
            yield from self._value(value.__wrapped__, place)
        else:
            yield from self._object(value, place)

    def _own_class(self, value: object, place: str) -> Iterator[tuple[str, str]]:
        if not _of_library(type(value).__module__):
            yield from self._value(type(value), f"{place}: class {type(value).__qualname__}")

    def _object(self, value: Any, place: str) -> Iterator[tuple[str, str]]:
        kind = type(value)
        own = kind.__module__.partition(".")[0] == _PACKAGE
        yield from self._value(kind, f"{place}: class {kind.__qualname__}")
        identity = getattr(value, "identity", None) if own else None
        if isinstance(identity, Mapping):  # a class that says what counts of it
            for name, item in identity.items():
                yield from self._value(item, f"{place}: {name}")
            return
        if dataclasses.is_dataclass(value):
            for one in dataclasses.fields(value):
                if one.compare:
                    yield from self._value(getattr(value, one.name), f"{place}: {one.name}")
            return
        try:
            reduced = value.__reduce_ex__(2)
        except Exception:
            if self._strict and not any(_version(one) for one in self._within):
                raise InputError(
                    f"{place} is a {kind.__qualname__}, which another process cannot identify: set an "
                    "attribute 'version' on the function or on the object that holds it, and change it with the code"
                ) from None
            yield place, _version(value)
            return
        if isinstance(reduced, str):
            yield place, reduced
            return
        arguments = [item for item in reduced[1] if item is not kind]
        state = reduced[2] if len(reduced) > 2 else None
        if arguments:
            yield from self._value(arguments, f"{place}: state")
        for part in state if isinstance(state, tuple) and len(state) == 2 else (state,):  # of __dict__ and __slots__
            if isinstance(part, dict):
                for name in sorted(part, key=str):
                    if not isinstance(getattr(kind, str(name), None), functools.cached_property):
                        yield from self._value(part[name], f"{place}: attribute {name}")
            elif part is not None:
                yield from self._value(part, f"{place}: state")
        for items in reduced[3:5]:
            if items is not None:
                yield from self._value(list(items), f"{place}: items")

    def _class(self, kind: type, place: str) -> Iterator[tuple[str, str]]:
        yield place, f"{kind.__module__}.{kind.__qualname__}"
        if _of_library(kind.__module__):
            return
        for base in kind.__bases__:
            yield from self._value(base, f"{place}: {base.__qualname__}")
        for name, item in sorted(vars(kind).items()):
            if name in _NO_CODE or type(item).__name__ in ("member_descriptor", "getset_descriptor"):
                continue
            if isinstance(item, staticmethod | classmethod):
                item = item.__func__
            if isinstance(item, functools.cached_property):
                item = item.func
            if isinstance(item, property):
                item = [item.fget, item.fset, item.fdel]
            yield from self._value(item, f"{place}: {name}")

    def _function(self, function: FunctionType, place: str) -> Iterator[tuple[str, str]]:
        yield from self._code(function.__code__, f"{place}: code")
        if not _of_library(function.__module__):
            self._within.append(function)
            yield from self._referred(function, place)
            self._within.pop()

    def _referred(self, function: FunctionType, place: str) -> Iterator[tuple[str, str]]:
        """Objects that a function refers to."""
        code = function.__code__
        positional = code.co_varnames[: code.co_argcount]
        defaults = function.__defaults__ or ()
        named = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=True))
        for name, item in (named | (function.__kwdefaults__ or {})).items():
            yield from self._value(item, f"{place}: default of {name}")
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            try:
                item = cell.cell_contents
            except ValueError:  # a variable that has no value yet
                continue
            yield from self._value(item, f"{place}: closure variable {name}")
        for name, item in sorted(vars(function).items()):
            yield from self._value(item, f"{place}: attribute {name}")
        names = _names(code)
        for name in sorted(names & function.__globals__.keys()):
            item = function.__globals__[name]
            if isinstance(item, ModuleType) and not _of_library(item.__name__):
                for part in sorted(names & vars(item).keys()):
                    yield from self._value(vars(item)[part], f"{place}: {name}.{part}")
            elif isinstance(item, FunctionType | type):
                yield from self._value(item, f"{place}: {name}")
            else:
                yield from self._value(item, f"{place}: global {name}")

    def _code(self, code: CodeType, place: str) -> Iterator[tuple[str, str]]:
        """Code without the places where it was written."""
        yield place, repr(
            (code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags,
             code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_exceptiontable)
        )  # fmt: skip
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from self._code(constant, place)
            else:
                yield place, description(constant)


def _version(value: object) -> str:
    """Version that an object or a function says it has; empty if it has none."""
    version = getattr(value, "version", None)
    return repr(version) if isinstance(version, str | int) else ""


def _names(code: CodeType) -> set[str]:
    """Global names and attributes that code refers to, functions inside of it included."""
    return set(code.co_names).union(*(_names(c) for c in code.co_consts if isinstance(c, CodeType)))


@functools.cache
def _of_library(module: str | None) -> bool:
    """Whether a module is installed or belongs to Python, not to the user."""
    root = (module or "").partition(".")[0]
    if root == "__main__":  # the runner
        return False
    if root == _PACKAGE or root in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(root), "__file__", None) or getattr(sys.modules.get(str(module)), "__file__", None)
    if file is None:
        return False
    places = {Path(sysconfig.get_path(key)).resolve() for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    return any(parent in places for parent in Path(file).resolve().parents)
