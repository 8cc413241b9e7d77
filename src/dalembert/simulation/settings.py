"""The settings of a simulation, once, for the verbs, the integrators, machine files, the command line and runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.validation import check_number, check_seed
from dalembert.simulation.constrained.methods import ConstraintMethod, constraint_method
from dalembert.simulation.contact.methods import ContactMethod, contact_method
from dalembert.simulation.engines.integrators import INTEGRATORS, Integrator, check_integrator

__all__ = ["ATOL", "LIMITS", "RTOL", "STEP", "Settings", "overridden"]

STEP, RTOL, ATOL = 1e-3, 1e-8, 1e-10
"""What is taken where a method needs a step or tolerances and none are given."""

LIMITS = ("record", "stop", "ignore", "contact")

_FINEST = 1e-14  # below this relative tolerance an error estimate measures rounding, not truncation
_STEPPING = ("step", "rtol", "atol", "max_step")


@dataclass(frozen=True, eq=False)
class Settings:
    """How a simulation is done. Each value is checked by itself here, and against the problem where it is used.

    Parameters
    ----------
    duration
        Seconds to simulate.
    t0
        Initial time.
    method
        Name of the integrator; None: ``"rk4"``, or the one that ``constraints`` brings along.
    step
        Step of fixed-step methods; None: 1e-3 s.
    rtol, atol
        Tolerances of adaptive methods, ``atol`` also one per state; None: 1e-8 and 1e-10.
    max_step
        Longest step of adaptive Runge-Kutta methods; None: any.
    max_steps
        Number of steps after which a run fails.
    record
        Interval of the recorded rows; None: every step.
    constraints
        How constraints are kept: a `ConstraintMethod`, its name, or a mapping of its name and settings; None: as the
        method does if it has a way of its own, else by projection.
    reach
        Largest violation of a constraint from which the initial state is still projected.
    limits
        What to do at joint limits: ``"record"`` them as events, ``"stop"`` there, ``"ignore"`` them, or take them for
        ``"contact"``: hard stops with the restitution of the `Limits`.
    contact
        How contacts are dealt with: a `ContactMethod`, its name, or a mapping of its name and settings; None: event by
        event.
    seed, member
        Of the noise of sensors: a seed, and the number of the member of a rollout that has it.
    """

    duration: float
    t0: float = 0.0
    method: str | None = None
    step: float | None = None
    rtol: float | None = None
    atol: ArrayLike | None = None
    max_step: float | None = None
    max_steps: int = 10_000_000
    record: float | None = None
    constraints: str | Mapping[str, Any] | ConstraintMethod | None = None
    reach: float = 0.1
    limits: str = "record"
    contact: str | Mapping[str, Any] | ContactMethod | None = None
    seed: int = 0
    member: int = 0

    def __post_init__(self) -> None:
        check_number("duration", self.duration, unit="s")
        check_number("t0", self.t0, positive=False)
        check_number("reach", self.reach)
        check_seed(self.seed)
        check_seed(self.member, "member")
        if self.method is not None:
            check_integrator(self.method)
        for name in ("step", "max_step", "record"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), unit="s")
        if self.rtol is not None and not _FINEST <= (relative := check_number("rtol", self.rtol)) < 1.0:
            raise InputError(f"rtol must be between {_FINEST:g} and 1, got {relative:g}")
        if self.atol is not None and np.ndim(self.atol) == 0:
            check_number("atol", self.atol)
        if isinstance(self.max_steps, bool) or not isinstance(self.max_steps, int) or self.max_steps < 1:
            raise InputError(f"max_steps must be a whole number >= 1, got {self.max_steps!r}")
        if self.constraints is not None:
            constraint_method(self.constraints)
        if self.contact is not None:
            contact_method(self.contact)
        if self.limits not in LIMITS:
            raise InputError(f"limits must be one of {', '.join(LIMITS)}, got {self.limits!r}")

    def check_used(self, integrator: Integrator) -> None:
        """Refuse settings that an integrator does not use."""
        for name in _STEPPING:
            if getattr(self, name) is not None and name not in integrator.settings:
                able = ", ".join(other.name for other in INTEGRATORS.values() if name in other.settings)
                raise InputError(f"{name} is for {able}; method {integrator.name!r} has none")

    @property
    def given(self) -> dict[str, Any]:
        """The settings that are not the default ones, as plain data: ``simulate(machine, **given)`` does it again."""
        plain: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, ConstraintMethod):
                value = {"name": value.name, **asdict(value)}
            elif isinstance(value, ContactMethod):
                value = value.plain
            elif field.name == "atol" and value is not None and np.ndim(value):
                value = np.asarray(value).tolist()
            if field.default is MISSING or value != field.default:
                plain[field.name] = value
        return plain


def overridden(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of a simulation with changes; what another method has no use for is left behind."""
    kept = dict(settings)
    way, contact = changes.get("constraints"), changes.get("contact")
    brought = constraint_method(way).integrator if way is not None else ""
    if contact is not None:
        brought = contact_method(contact).integrator or brought
    if brought and kept.get("method") != brought:
        kept.pop("method", None)
    method = changes.get("method") or (brought if brought else None)
    if method is not None:
        used = check_integrator(method).settings
        kept = {name: value for name, value in kept.items() if name not in _STEPPING or name in used}
    return kept | dict(changes)
