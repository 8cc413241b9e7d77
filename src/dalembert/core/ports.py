"""The ports between rooms: what a formulation, a kernel and a controller look like from outside."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from dalembert.core.types import Array

__all__ = ["Controller", "Formulation", "Law"]


class Formulation(Protocol):
    """Delivers the expressions of the contract on CasADi symbols; every method returns a new or cached expression."""

    name: str
    variables: Any
    model: Any

    def mass_matrix(self) -> Any: ...  # noqa: D102
    def coriolis_matrix(self) -> Any: ...  # noqa: D102
    def gravity(self) -> Any: ...  # noqa: D102
    def bias(self) -> Any: ...  # noqa: D102
    def inverse_dynamics(self) -> Any: ...  # noqa: D102
    def forward_dynamics(self) -> Any: ...  # noqa: D102
    def kinetic_energy(self) -> Any: ...  # noqa: D102
    def potential_energy(self) -> Any: ...  # noqa: D102
    def momentum(self) -> Any: ...  # noqa: D102
    def center_of_mass(self) -> Any: ...  # noqa: D102
    def jacobian(self, frame: str) -> Any: ...  # noqa: D102


@runtime_checkable
class Controller(Protocol):
    """A Python controller, called exactly once per sample."""

    period: float

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """Return the inputs to hold until the next sample."""
        ...


@runtime_checkable
class Law(Protocol):
    """A control law written as an expression; it is compiled into the time loop."""

    def state_names(self, eom: Any) -> tuple[str, ...]:
        """Names of the law's internal states ``z`` for these equations of motion (empty if it has none)."""
        ...

    def initial_state(self, eom: Any) -> Array:
        """Initial values of the internal states."""
        ...

    def expression(self, eom: Any, t: Any, q: Any, v: Any, z: Any, p: Any) -> tuple[Any, Any]:
        """Inputs ``u`` and rates ``z'`` as CasADi expressions of the given symbols."""
        ...
