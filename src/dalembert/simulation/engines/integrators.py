"""The integrators by name, with what they can do written on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dalembert.core.errors import InputError, did_you_mean
from dalembert.simulation.constrained.methods import (
    CONSTRAINT_METHODS,
    ConstraintMethod,
    Projection,
    constraint_method,
)
from dalembert.simulation.contact.methods import CONTACT_METHODS, ContactMethod
from dalembert.simulation.engines.tableaus import TABLEAUS, Tableau
from dalembert.simulation.problem import Problem

__all__ = ["DEFAULT_INTEGRATOR", "INTEGRATORS", "METHODS", "Integrator", "agree", "check_integrator"]


@dataclass(frozen=True)
class Integrator:
    """A way to step through time.

    Parameters
    ----------
    name
        Its name, which is the ``method`` of a simulation.
    adaptive
        Whether it chooses its steps by tolerances; otherwise it takes the step that it is given.
    tableau
        Its coefficients, if it is an explicit Runge-Kutta method.
    brings
        The constraint method that comes with it, if there is one.
    contact
        The way to deal with contacts that comes with it, if there is one.
    """

    name: str
    adaptive: bool
    tableau: Tableau | None = None
    brings: type[ConstraintMethod] | None = None
    contact: type[ContactMethod] | None = None

    @property
    def settings(self) -> tuple[str, ...]:
        """What it can be told about its steps."""
        if not self.adaptive:
            return ("step",)
        return ("rtol", "atol", "max_step") if self.tableau is not None else ("rtol", "atol")


def _integrators() -> dict[str, Integrator]:
    brought = {way.integrator: way for way in CONSTRAINT_METHODS.values() if way.integrator}
    table = {name: Integrator(name, tableau.adaptive, tableau) for name, tableau in TABLEAUS.items()}
    for name in ("cvodes", "idas"):
        table[name] = Integrator(name, True, brings=brought.pop(name, None))
    table |= {name: Integrator(name, False, brings=way) for name, way in brought.items()}
    own = (way for way in CONTACT_METHODS.values() if way.integrator)
    return table | {way.integrator: Integrator(way.integrator, False, contact=way) for way in own}


INTEGRATORS: Mapping[str, Integrator] = _integrators()
METHODS = tuple(
    name for name, one in INTEGRATORS.items() if one.contact is None and (one.brings is None or not one.brings.implicit)
)
"""Integrators of any problem; the others step through constraints or contacts only."""

DEFAULT_INTEGRATOR = "rk4"


def check_integrator(method: str) -> Integrator:
    """Return an integrator by name."""
    if method not in INTEGRATORS:
        hint = did_you_mean(method, INTEGRATORS)
        raise InputError(f"unknown method {method!r}{hint}; known: {', '.join(INTEGRATORS)}")
    return INTEGRATORS[method]


def agree(
    problem: Problem, method: str | None, constraints: str | Mapping[str, Any] | ConstraintMethod | None
) -> tuple[Integrator, ConstraintMethod]:
    """Return the integrator and the constraint method of a run, or refuse what cannot be had together.

    Of the two either may be left open (None): the other then decides, or they are the default ones.
    """
    asked = INTEGRATORS[DEFAULT_INTEGRATOR] if method is None else check_integrator(method)
    way = None if constraints is None else constraint_method(constraints)
    if problem.stepping is not None:
        own = problem.stepping.way
        if method not in (None, own.integrator):
            raise InputError(
                f"contact={own.name!r} steps by {own.integrator!r}, not by method {method!r}: leave the method out"
            )
        return INTEGRATORS[own.integrator], Projection()
    if asked.contact is not None:
        raise InputError(f"method {asked.name!r} comes with contact={asked.contact.name!r}: ask for that")
    if problem.constrained is None:
        if asked.brings is not None and asked.brings.implicit:
            raise InputError(
                f"method {asked.name!r} keeps constraints, but machine {problem.name!r} has none; use another method"
            )
        return asked, Projection() if way is None else way
    if way is None:
        way = Projection() if asked.brings is None else asked.brings()
    if way.integrator:
        if method not in (None, way.integrator):
            raise InputError(
                f"constraints={way.name!r} steps by {way.integrator!r}, not by method {method!r}: leave the method "
                "out, or choose another way to keep the constraints"
            )
        return INTEGRATORS[way.integrator], way
    if asked.tableau is None:
        rest = f"leave constraints out, or use one of {', '.join(TABLEAUS)}" if asked.brings is not None else ""
        raise InputError(
            f"method {asked.name!r} cannot keep constraints by {way.name!r}; "
            + (rest or f"use one of {', '.join(TABLEAUS)}, or constraints='idas'")
        )
    return asked, way
