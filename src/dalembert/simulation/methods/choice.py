"""Which method a run is integrated with: by name and settings, after a change, and beside its constraint method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dalembert.core.errors import InputError, did_you_mean
from dalembert.engine.methods.constraints import (
    ConstraintMethod,
    EnlargedProjection,
    Projection,
    constraint_method,
)
from dalembert.engine.problem.problem import Problem
from dalembert.simulation.methods.base import METHOD_SETTINGS, METHODS, OUTLETS, Method
from dalembert.simulation.methods.explicit import RK4

__all__ = [
    "agree",
    "check_method_setting",
    "check_outlet",
    "integration_method",
    "revised_method",
]


def _kind(name: str) -> type[Method]:
    if name not in METHODS:
        hint = did_you_mean(name, METHODS)
        raise InputError(f"unknown method {name!r}{hint}; known: {', '.join(METHODS)}")
    return METHODS[name]


def check_method_setting(name: str, value: Any) -> None:
    """Check the value of one of `METHOD_SETTINGS` by itself."""
    kind = next(kind for kind in METHODS.values() if name in kind.settings())
    kind(**{name: value})


def _check_settings(kind: type[Method], settings: Mapping[str, Any]) -> None:
    for name, value in settings.items():
        if name in METHOD_SETTINGS:
            check_method_setting(name, value)
        if name not in kind.settings():
            able = ", ".join(other.name for other in METHODS.values() if name in other.settings())
            raise InputError(f"{name} is for {able}; method {kind.name!r} has none")


def integration_method(
    method: str | Mapping[str, Any] | Method | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    default: str = "",
) -> Method:
    """Return a method: given as such, by name, or as a mapping with its ``name`` and settings.

    Parameters
    ----------
    method
        The method; None: the default.
    settings
        Settings beside it (`METHOD_SETTINGS`); None is a setting that is left at its default.
    default
        Name of the default; "" is `RK4`.

    Raises
    ------
    InputError
        If there is no such method, or it has no such setting.
    """
    beside = {name: value for name, value in (settings or {}).items() if value is not None}
    if isinstance(method, Method):
        _check_settings(type(method), beside)
        return replace(method, **beside) if beside else method
    if isinstance(method, Mapping):
        entry = dict(method)
        name = entry.pop("name", None)
        if not isinstance(name, str):
            raise InputError(f"a method as a mapping needs its 'name', got {dict(method)!r}")
        beside = entry | beside
    elif method is None or isinstance(method, str):
        name = (default or RK4.name) if method is None else method
    else:
        raise InputError(f"method must be a Method such as RK4(step=1e-3), or its name, got {method!r}")
    kind = _kind(name)
    _check_settings(kind, beside)
    return kind(**beside)


def revised_method(
    before: Method | None,
    method: str | Mapping[str, Any] | Method | None,
    settings: Mapping[str, Any],
    *,
    brought: str,
    brought_before: str,
) -> Method | None:
    """Return the method of an experiment in which something about it is changed.

    Settings that the next method has too are carried over from the one before; a method that belongs to a constraint or
    contact method goes with that.

    Parameters
    ----------
    before
        The method so far; None: the default.
    method, settings
        Its new method and settings; None: unchanged.
    brought, brought_before
        Name of the integrator that the constraint or contact method requires, now and before; "" if it requires none.
    """
    beside = {name: value for name, value in settings.items() if value is not None}
    if isinstance(method, Method | Mapping):
        return integration_method(method, beside)
    stale = before is not None and before.name == brought_before != brought
    name = brought or (before.name if before is not None and not stale else "")
    if method is not None:
        name = integration_method(method).name
    if before is not None and name != before.name:
        kind = _kind(name or RK4.name)
        kept = {key: value for key, value in before.plain.items() if key in kind.settings()}
        if method is None and not brought and not kept and not beside:
            return None
        return integration_method(kind.name, kept | beside)
    if before is not None:
        return integration_method(before, beside)
    return integration_method(name or None, beside) if name or beside else None


def check_outlet(method: Method | type[Method], outlet: str) -> None:
    """Refuse a method that an outlet (`OUTLETS`) cannot run, and name those that it can."""
    if outlet not in method.outlets():
        able = ", ".join(name for name, kind in METHODS.items() if outlet in kind.outlets() and kind.contact is None)
        raise InputError(f"{OUTLETS[outlet]} runs the methods {able}, not {method.name!r}")


def agree(
    problem: Problem,
    method: str | Mapping[str, Any] | Method | None,
    constraints: str | Mapping[str, Any] | ConstraintMethod | None,
) -> tuple[Method, ConstraintMethod]:
    """Return the method and the constraint method of a run, or refuse a combination that is not possible.

    Either may be None: it then follows from the other, or takes its default.
    """
    asked = integration_method(method)
    way = None if constraints is None else constraint_method(constraints)
    if problem.stepping is not None:
        stepping = problem.stepping.way
        if method is not None and asked.name != stepping.integrator:
            raise InputError(
                f"contact={stepping.name!r} steps by {stepping.integrator!r}, not by method {asked.name!r}: leave the "
                "method out"
            )
        if way is not None:
            raise InputError(
                f"contact={stepping.name!r} keeps constraints by itself: leave constraints={way.name!r} out"
            )
        return (integration_method(stepping.integrator) if method is None else asked), Projection()
    if asked.contact is not None:
        raise InputError(f"method {asked.name!r} comes with contact={asked.contact.name!r}: choose that")
    if problem.constrained is None:
        if asked.brings is not None and asked.brings.implicit:
            raise InputError(
                f"method {asked.name!r} keeps constraints, but machine {problem.name!r} has none; use another method"
            )
        return asked, Projection() if way is None else way
    if way is None:
        way = Projection() if asked.brings is None else asked.brings()
    explicit = ", ".join(name for name, kind in METHODS.items() if kind.tableau is not None)
    if way.integrator:
        if method is not None and asked.name != way.integrator:
            raise InputError(
                f"constraints={way.name!r} steps by {way.integrator!r}, not by method {asked.name!r}: leave the method "
                "out, or choose another constraint method"
            )
        return (integration_method(way.integrator) if method is None else asked), way
    if asked.implicit:
        if type(way) is not Projection:
            raise InputError(
                f"method {asked.name!r} keeps constraints by 'projection', not by {way.name!r}: leave constraints out"
            )
        return asked, EnlargedProjection(way.tolerance, way.drift)
    if asked.tableau is None:
        hint = f"leave constraints out, or use one of {explicit}" if asked.brings is not None else ""
        raise InputError(
            f"method {asked.name!r} cannot keep constraints by {way.name!r}; "
            + (hint or f"use one of {explicit}, or constraints='idas'")
        )
    return asked, way
