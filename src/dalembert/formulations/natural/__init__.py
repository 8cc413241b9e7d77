"""Natural coordinates: points and vectors of the bodies; formulas of one body for any choice of them (CDPR 9 to 17)."""

from dalembert.formulations.natural.body import (
    ORTHONORMAL,
    NaturalBasis,
    angular_velocity,
    coordinates_of,
    euler_zyx,
    mass_matrix,
    point_matrix,
    rigid_constraints,
    rotation,
    torque_force,
    torque_force_pair,
    vector_matrix,
)

__all__ = [
    "ORTHONORMAL",
    "NaturalBasis",
    "angular_velocity",
    "coordinates_of",
    "euler_zyx",
    "mass_matrix",
    "point_matrix",
    "rigid_constraints",
    "rotation",
    "torque_force",
    "torque_force_pair",
    "vector_matrix",
]
