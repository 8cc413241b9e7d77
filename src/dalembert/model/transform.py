"""Rigid placement of a frame in another one, with scalars that may be parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, cos, nominal, parameters_of, sin
from dalembert.core.validation import (
    Matrix,
    Vector,
    VectorLike,
    check_angle,
    field_axis,
    field_matrix,
    field_scalar,
    field_vector,
)
from dalembert.spatial.rotations import snap

__all__ = ["IDENTITY", "Transform", "as_transform"]

_EYE: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def _snap(x: Scalar) -> Scalar:
    return snap(x) if isinstance(x, float) else x


@dataclass(frozen=True)
class Transform:
    """Pose of a frame: position of its origin and rotation matrix, both in the reference frame.

    Parameters
    ----------
    translation
        Position of the origin.
    rotation
        3x3 rotation matrix; see `rpy`, `about` and `quaternion` for other ways to give it.

    Examples
    --------
    >>> import dalembert as da
    >>> place = da.Transform((1, 0, 0)) @ da.Transform((0, 2, 0))
    >>> place.translation
    (1.0, 2.0, 0.0)
    """

    translation: Vector = (0.0, 0.0, 0.0)
    rotation: Matrix = _EYE

    def __post_init__(self) -> None:
        p = field_vector(self.translation, "the translation of a transform")
        R = field_matrix(self.rotation, "the rotation of a transform")
        X = np.array([[nominal(x) for x in row] for row in R])
        if np.abs(X @ X.T - np.eye(3)).max() > 1e-9 or np.linalg.det(X) < 0:
            raise MachineError(f"the rotation of a transform must be a right-handed rotation matrix, got {X.tolist()}")
        object.__setattr__(self, "translation", p)
        object.__setattr__(self, "rotation", tuple(tuple(_snap(x) for x in row) for row in R))

    @staticmethod
    def rpy(
        roll: Scalar = 0.0, pitch: Scalar = 0.0, yaw: Scalar = 0.0, translation: VectorLike = (0.0, 0.0, 0.0)
    ) -> Transform:
        """Rotation ``Rz(yaw) Ry(pitch) Rx(roll)`` and translation, as in URDF."""
        parts = [("roll", roll), ("pitch", pitch), ("yaw", yaw)]
        x, y, z = (field_scalar(a, f"the {n} angle of a transform") for n, a in parts)
        for (n, _), a in zip(parts, (x, y, z), strict=True):
            check_angle(a, f"the {n} angle of a transform")
        cx, cy, cz, sx, sy, sz = cos(x), cos(y), cos(z), sin(x), sin(y), sin(z)
        R = (
            (cy * cz, sx * sy * cz - cx * sz, sx * sz + cx * sy * cz),
            (cy * sz, cx * cz + sx * sy * sz, cx * sy * sz - sx * cz),
            (-sy, sx * cy, cx * cy),
        )
        return Transform(cast(Vector, translation), R)

    @staticmethod
    def about(axis: VectorLike | str, angle: Scalar, translation: VectorLike = (0.0, 0.0, 0.0)) -> Transform:
        """Rotation by ``angle`` about ``axis`` (normalised) and translation."""
        a = [nominal(x) for x in field_axis(axis, "the axis of a rotation")]
        norm = float(np.linalg.norm(a))
        if norm == 0.0:
            raise MachineError("the axis of a rotation must not be zero")
        x, y, z = (v / norm for v in a)
        q = field_scalar(angle, "the angle of a rotation")
        check_angle(q, "the angle of a rotation")
        c, s = cos(q), sin(q)
        k = 1.0 - c
        R = (
            (c + k * (x * x), k * (x * y) - s * z, k * (x * z) + s * y),
            (k * (x * y) + s * z, c + k * (y * y), k * (y * z) - s * x),
            (k * (x * z) - s * y, k * (y * z) + s * x, c + k * (z * z)),
        )
        return Transform(cast(Vector, translation), R)

    @staticmethod
    def quaternion(Q: Iterable[float], translation: VectorLike = (0.0, 0.0, 0.0)) -> Transform:
        """Rotation of the quaternion ``Q = (w, x, y, z)`` (normalised) and translation."""
        try:
            values = np.asarray(list(Q), dtype=float)
        except (TypeError, ValueError):
            values = np.zeros(0)
        if values.shape != (4,) or not np.isfinite(values).all() or np.linalg.norm(values) == 0:
            raise MachineError(f"a quaternion must be 4 finite numbers (w, x, y, z), not all zero, got {Q!r}")
        w, x, y, z = (float(v) for v in values / np.linalg.norm(values))
        R = (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
        return Transform(cast(Vector, translation), R)

    def __matmul__(self, other: Transform) -> Transform:
        """Pose of ``other``, given in this frame, in this frame's reference."""
        if not isinstance(other, Transform):
            return NotImplemented
        R, S = self.rotation, other.rotation
        product = tuple(tuple(_dot(row, [S[k][j] for k in range(3)]) for j in range(3)) for row in R)
        moved = tuple(a + b for a, b in zip(self.translation, (_dot(row, other.translation) for row in R), strict=True))
        return Transform(moved, product)  # type: ignore[arg-type]

    def inverse(self) -> Transform:
        """The reference frame as seen from this frame."""
        R = self.rotation
        Rt = tuple(tuple(R[j][i] for j in range(3)) for i in range(3))
        return Transform(tuple(-_dot(row, self.translation) for row in Rt), Rt)  # type: ignore[arg-type]

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars, translation first."""
        return (*self.translation, *(x for row in self.rotation for x in row))

    @property
    def is_constant(self) -> bool:
        """Whether no parameter occurs."""
        return not any(parameters_of(x) for x in self.scalars)


def as_transform(value: object, what: str) -> Transform:
    """Return a placement; three numbers stand for a translation."""
    if isinstance(value, Transform):
        return value
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes) and len(value) == 3:
        return Transform(field_vector(value, what))
    raise MachineError(f"{what} must be a Transform, or a translation of 3 numbers, got {value!r}")


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    x: Scalar = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return x


IDENTITY = Transform()
