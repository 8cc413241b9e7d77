"""Rotations, quaternions, inertia, Denavit-Hartenberg tables: the algebra, on numbers and CasADi symbols alike."""

from dalembert.spatial.dh import CONVENTIONS, DHRow, DHTable
from dalembert.spatial.inertia import Inertia
from dalembert.spatial.rotations import (
    cross_matrix,
    euler_accelerations,
    euler_rates,
    quaternion_difference,
    quaternion_exp,
    quaternion_from_matrix,
    quaternion_matrix,
    quaternion_product,
    quaternion_rate,
    rotation_about,
    rotation_euler321,
    rpy_from_matrix,
)

__all__ = [
    "CONVENTIONS",
    "DHRow",
    "DHTable",
    "Inertia",
    "cross_matrix",
    "euler_accelerations",
    "euler_rates",
    "quaternion_difference",
    "quaternion_exp",
    "quaternion_from_matrix",
    "quaternion_matrix",
    "quaternion_product",
    "quaternion_rate",
    "rotation_about",
    "rotation_euler321",
    "rpy_from_matrix",
]
