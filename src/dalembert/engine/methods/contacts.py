"""The ways in which a run deals with contacts, each with its own settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from dalembert.core.errors import InputError
from dalembert.engine.methods.named import NamedMethod, method_of

__all__ = ["CONTACT_METHODS", "ContactMethod", "EventDriven", "TimeStepping", "contact_method"]

ENERGY_BOUND = 0.05
"""Part of the peak energy that a run with contacts may gain: the results of a run that gains more are wrong."""


@dataclass(frozen=True)
class ContactMethod(NamedMethod):
    """Contact method of a simulation: one of the classes below, or its name.

    Examples
    --------
    >>> import dalembert as da
    >>> isinstance(da.TimeStepping(), da.ContactMethod)
    True
    """

    energy_bound: float


@dataclass(frozen=True)
class EventDriven(ContactMethod):
    """Event by event, the default: impacts, releases, and beginnings and ends of slips are located.

    Parameters
    ----------
    energy_bound
        Energy that a run may gain against its balance, as a part of the peak: one that gains more has failed.

    Examples
    --------
    >>> import dalembert as da
    >>> da.EventDriven().name
    'event-driven'
    """

    name: ClassVar[str] = "event-driven"
    energy_bound: float = ENERGY_BOUND

    def __post_init__(self) -> None:
        _check_positive(self)


@dataclass(frozen=True)
class TimeStepping(ContactMethod):
    """Fixed steps after Moreau and Jean: impacts and sustained contact are impulses of the step in which they act.

    In every step the impulses of all closed contacts solve Coulomb's law and Newton's restitution together, by
    Gauss-Seidel over contacts from those of the step before, extrapolated where that is slow. No events are located;
    the error is of first order in the step.

    Parameters
    ----------
    tolerance
        Change of an impulse by a sweep over the contacts, by the largest impulse, at which the sweeps end.
    max_sweeps
        Number of sweeps after which a step accepts its impulses; its residual is in the record.
    theta
        Where in the step damping and stiffness are taken: 0.5 (the middle, which loses no energy) to 1 (the end, which
        damps fast vibrations). None: the middle, and 0.55 for machines with beams, whose fast modes would not stay
        bounded in the middle once impacts have excited them.
    margin
        Gap [m] up to which a contact is closed, and depth down to which it is left in peace.
    energy_bound
        Energy that a run may gain against its balance, as a part of the peak: one that gains more has failed.

    Examples
    --------
    >>> import dalembert as da
    >>> da.TimeStepping(tolerance=1e-6).plain
    {'name': 'time-stepping', 'tolerance': 1e-06}
    """

    name: ClassVar[str] = "time-stepping"
    integrator: ClassVar[str] = "moreau"
    tolerance: float = 1e-8
    max_sweeps: int = 500
    theta: float | None = None
    margin: float = 1e-8
    energy_bound: float = ENERGY_BOUND

    def __post_init__(self) -> None:
        _check_positive(self)
        if self.max_sweeps != int(self.max_sweeps):
            raise InputError(f"max_sweeps of TimeStepping must be a whole number, got {self.max_sweeps!r}")
        if not self.tolerance < 1.0:
            raise InputError(f"tolerance of TimeStepping must be below 1, got {self.tolerance:g}")
        if self.theta is not None and not 0.5 <= self.theta <= 1.0:
            raise InputError(f"theta of TimeStepping must be from 0.5 to 1, got {self.theta:g}")


def _check_positive(way: ContactMethod) -> None:
    for field in fields(way):
        value = getattr(way, field.name)
        if field.name == "theta" and value is None:
            continue
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not np.isfinite(value) or not value > 0:
            raise InputError(f"{field.name} of {type(way).__name__} must be a finite number > 0, got {value!r}")


CONTACT_METHODS: Mapping[str, type[ContactMethod]] = {way.name: way for way in (EventDriven, TimeStepping)}


def contact_method(contact: str | Mapping[str, Any] | ContactMethod) -> ContactMethod:
    """Return a contact method, given as an object, a name, or a mapping of its name and settings."""
    if isinstance(contact, ContactMethod):
        return contact
    options = {} if isinstance(contact, str) else dict(contact) if isinstance(contact, Mapping) else None
    name = contact if isinstance(contact, str) else None if options is None else options.pop("name", None)
    if not isinstance(name, str) or options is None:
        known = ", ".join(CONTACT_METHODS)
        raise InputError(f"contact must be one of {known}, with settings or without, got {contact!r}")
    return method_of(CONTACT_METHODS, name, options, "contact method")
