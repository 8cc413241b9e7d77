"""The verbs of dalembert."""

from __future__ import annotations

from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.mapped import CoordinateMap
from dalembert.model.machine import Machine

__all__ = ["equations"]


def equations(
    machine: Machine,
    by: str = "newton-euler",
    *,
    coordinates: CoordinateMap | None = None,
    backend: str = "auto",
) -> EquationsOfMotion:
    """Derive the equations of motion of a machine.

    Parameters
    ----------
    machine
        The machine.
    by
        The formulation: ``"newton-euler"`` (fast recursions) or ``"lagrange"`` (energies and automatic differentiation).
    coordinates
        Another choice of coordinates.
    backend
        ``"auto"``, ``"native"`` or ``"vm"``: how functions are compiled.

    Examples
    --------
    >>> import dalembert as da
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 2.0, com=(0, 0, -0.5))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
    ... )
    >>> da.equations(pendulum).mass_matrix([0.3])
    array([[0.5]])
    """
    return derive(machine, by, coordinates=coordinates, backend=backend)
