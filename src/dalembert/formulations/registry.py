"""The formulations by name. A new one is a module that fulfils ``Formulation`` (``core/ports.py``), and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.ports import Formulation
from dalembert.formulations.natural.formulation import Natural
from dalembert.formulations.tree.gibbs_appell.formulation import GibbsAppell
from dalembert.formulations.tree.lagrange import Lagrange
from dalembert.formulations.tree.newton_euler import NewtonEuler
from dalembert.model.machine import Machine

__all__ = ["FORMULATIONS", "formulate", "kind_of"]

FORMULATIONS: dict[str, type[Formulation]] = {
    NewtonEuler.name: NewtonEuler,
    Lagrange.name: Lagrange,
    GibbsAppell.name: GibbsAppell,
    Natural.name: Natural,
}


def kind_of(by: str, options: Mapping[str, str] | None = None) -> type[Formulation]:
    """Return the formulation of a name; refuse options that it does not have."""
    if by not in FORMULATIONS:
        raise UnknownNameError("formulation", by, FORMULATIONS)
    kind = FORMULATIONS[by]
    for name, value in (options or {}).items():
        if name not in kind.options:
            owners = [other for other, its in FORMULATIONS.items() if name in its.options]
            if not owners:
                raise UnknownNameError("option", name, kind.options, f"formulation '{by}'")
            raise InputError(f"the option {name}={value!r} belongs to {', '.join(owners)}, got by={by!r}")
        if value not in kind.options[name]:
            raise UnknownNameError(name, value, kind.options[name])
    return kind


def formulate(machine: Machine, by: str, options: Mapping[str, str]) -> Formulation:
    """Formulate a machine's equations; refuse options and machines that the formulation does not take."""
    kind = kind_of(by, options)
    reason = kind.refusal(machine)
    if reason is not None:
        raise InputError(reason)
    construct: Callable[..., Formulation] = kind
    return construct(machine, **options)
