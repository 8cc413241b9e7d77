"""The formulations by name.

A new one is a module that fulfils ``Formulation`` (``core/ports.py``), and a line here. Other packages add theirs when
they are imported, by `register_formulation`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.ports import Formulation
from dalembert.formulations.natural.formulation import Natural
from dalembert.formulations.tree.gibbs_appell.formulation import GibbsAppell
from dalembert.formulations.tree.lagrange import Lagrange
from dalembert.formulations.tree.newton_euler import NewtonEuler
from dalembert.model.machine import Machine

__all__ = ["FORMULATIONS", "formulate", "kind_of", "register_formulation"]

FORMULATIONS: dict[str, type[Formulation]] = {
    NewtonEuler.name: NewtonEuler,
    Lagrange.name: Lagrange,
    GibbsAppell.name: GibbsAppell,
    Natural.name: Natural,
}

_METHODS = tuple(
    name
    for name, member in vars(Formulation).items()
    if isinstance(member, FunctionType | classmethod) and not name.startswith("_")
)
"""Members that the contract requires of every formulation."""


def register_formulation(kind: type[Formulation]) -> type[Formulation]:
    """Make a formulation known by its name, so that ``equations(machine, by=name)`` and `verify` take it.

    Parameters
    ----------
    kind
        A class that fulfils the contract, such as one that inherits `TreeFormulation`. It is returned, so that this
        function is a decorator, too.

    Raises
    ------
    InputError
        If the class has no name, the name is taken by another one, or parts of the contract are missing.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.formulations import register_formulation
    >>> from dalembert.systems import load_system
    >>> kind = type(da.equations(load_system("double-pendulum"), by="lagrange", backend="vm").formulation)
    >>> register_formulation(kind) is kind  # already in the table; your own formulation needs a new name
    True
    """
    if not isinstance(kind, type):
        raise InputError(f"a formulation is a class, got {kind!r}")
    name = getattr(kind, "name", None)
    if not isinstance(name, str) or not name:
        raise InputError(f"formulation {kind.__name__} needs a name for by=, got {name!r}")
    if FORMULATIONS.get(name, kind) is not kind:
        raise InputError(f"the name '{name}' belongs to formulation {FORMULATIONS[name].__name__}, got {kind.__name__}")
    missing = [method for method in _METHODS if not callable(getattr(kind, method, None))]
    if missing:
        raise InputError(f"formulation '{name}' lacks {', '.join(missing)}")
    FORMULATIONS[name] = kind
    return kind


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
