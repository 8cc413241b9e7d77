"""Rotations: elementary, about any axis, 3-2-1 Euler angles and quaternions, with their rates.

A rotation matrix ``R`` of a frame B in a frame A turns coordinates in B into coordinates in A. Quaternions are scalar
first
(w, x, y, z). All functions take CasADi or NumPy values and return CasADi matrices (`numpy` turns a numeric one into
an array).

Source: SPACE (4.2) and Appendix A.2.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from dalembert.core.types import Array, Expression, ExpressionLike

__all__ = [
    "cross_matrix",
    "euler_accelerations",
    "euler_rates",
    "numpy",
    "quaternion_difference",
    "quaternion_exp",
    "quaternion_from_matrix",
    "quaternion_matrix",
    "quaternion_of",
    "quaternion_product",
    "quaternion_rate",
    "rotation_about",
    "rotation_euler321",
    "rpy_from_matrix",
    "snap",
]


def numpy(x: ExpressionLike) -> Array:
    """Return a numeric CasADi matrix as a NumPy array (columns become vectors)."""
    array = np.array(ca.DM(x).full(), dtype=float)
    return array[:, 0] if array.shape[1] == 1 else array


def cross_matrix(x: ExpressionLike) -> Expression:
    """Skew-symmetric matrix ``x^`` with ``x^ y = x x y``.

    Examples
    --------
    >>> cross_matrix([1.0, 2.0, 3.0]).full().tolist()
    [[0.0, -3.0, 2.0], [3.0, 0.0, -1.0], [-2.0, 1.0, 0.0]]
    """
    return ca.skew(x)


def rotation_about(axis: ExpressionLike | Sequence[float], angle: ExpressionLike | float) -> Expression:
    """Rotation by ``angle`` about the unit vector ``axis`` (Rodrigues).

    Examples
    --------
    A quarter of a turn about z takes x to y:

    >>> (ca.DM(rotation_about([0, 0, 1], ca.pi / 2)) @ ca.DM([1, 0, 0])).full().ravel().round(12).tolist()
    [0.0, 1.0, 0.0]
    """
    a = ca.vertcat(*[axis[i] for i in range(3)])
    c, s = ca.cos(angle), ca.sin(angle)
    return c * ca.SX.eye(3) + s * ca.skew(a) + (1 - c) * (a @ a.T)


def rotation_euler321(psi: ExpressionLike | Sequence[float]) -> Expression:
    """Rotation ``Rot(psi_z, Z) Rot(psi_y, Y) Rot(psi_x, X)``, SPACE (4.2); URDF's roll, pitch, yaw are (x, y, z).

    Examples
    --------
    Yaw alone turns about z:

    >>> rotation_euler321([0.0, 0.0, ca.pi]).full().round(12) + 0.0
    array([[-1.,  0.,  0.],
           [ 0., -1.,  0.],
           [ 0.,  0.,  1.]])
    """
    cx, cy, cz = (ca.cos(psi[i]) for i in range(3))
    sx, sy, sz = (ca.sin(psi[i]) for i in range(3))
    return ca.vertcat(
        ca.horzcat(cy * cz, -cx * sz + sx * sy * cz, sx * sz + cx * sy * cz),
        ca.horzcat(cy * sz, cx * cz + sx * sy * sz, -sx * cz + cx * sy * sz),
        ca.horzcat(-sy, sx * cy, cx * cy),
    )


def euler_rates(psi: ExpressionLike, *, body: bool = True) -> Expression:
    """Matrix that maps rates of 3-2-1 angles to the angular velocity, (A.9) in body and (A.8) in inertial axes.

    Examples
    --------
    Without roll and pitch the rates are the angular velocity:

    >>> euler_rates([0.0, 0.0, 0.3]).full().round(12) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    cx, sx, cy, sy = ca.cos(psi[0]), ca.sin(psi[0]), ca.cos(psi[1]), ca.sin(psi[1])
    if body:
        return ca.vertcat(ca.horzcat(1, 0, -sy), ca.horzcat(0, cx, sx * cy), ca.horzcat(0, -sx, cx * cy))
    cz, sz = ca.cos(psi[2]), ca.sin(psi[2])
    return ca.vertcat(ca.horzcat(cz * cy, -sz, 0), ca.horzcat(sz * cy, cz, 0), ca.horzcat(-sy, 0, 1))


def euler_accelerations(psi: ExpressionLike, rates: ExpressionLike, *, body: bool = True) -> Expression:
    """Time derivative of `euler_rates`, SPACE (A.13) in body and (A.12) in inertial axes.

    The angular acceleration is ``R_psi psi'' + R_psi' psi'`` (A.2.3), with ``R_psi`` of `euler_rates` and this matrix
    ``R_psi'``.

    Parameters
    ----------
    psi, rates
        Angles (x, y, z) of ``Rot(psi_z, Z) Rot(psi_y, Y) Rot(psi_x, X)``, and their rates.
    body
        Whether the angular velocity is in axes of the body, else in inertial ones.

    Examples
    --------
    A roll at 2 rad/s turns the axis of the pitch in the body:

    >>> (euler_accelerations([0.0, 0.0, 0.0], [2.0, 0.0, 0.0]).full() + 0.0).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.0, -2.0, 0.0]]
    """
    x, y, z = (rates[i] for i in range(3))
    cx, sx, cy, sy = ca.cos(psi[0]), ca.sin(psi[0]), ca.cos(psi[1]), ca.sin(psi[1])
    if body:
        return ca.vertcat(
            ca.horzcat(0, 0, -y * cy),
            ca.horzcat(0, -x * sx, x * cx * cy - y * sx * sy),
            ca.horzcat(0, -x * cx, -x * sx * cy - y * cx * sy),
        )
    cz, sz = ca.cos(psi[2]), ca.sin(psi[2])
    return ca.vertcat(
        ca.horzcat(-y * cz * sy - z * sz * cy, -z * cz, 0),
        ca.horzcat(-y * sz * sy + z * cz * cy, -z * sz, 0),
        ca.horzcat(-y * cy, 0, 0),
    )


def quaternion_matrix(Q: ExpressionLike) -> Expression:
    """Rotation matrix of a unit quaternion, SPACE (A.5).

    Examples
    --------
    Half a turn about z:

    >>> quaternion_matrix([0.0, 0.0, 0.0, 1.0]).full().tolist()
    [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    u, x, y, z = (Q[i] for i in range(4))
    return ca.vertcat(
        ca.horzcat(1 - 2 * (y * y + z * z), 2 * (x * y - u * z), 2 * (x * z + u * y)),
        ca.horzcat(2 * (x * y + u * z), 1 - 2 * (x * x + z * z), 2 * (y * z - u * x)),
        ca.horzcat(2 * (x * z - u * y), 2 * (y * z + u * x), 1 - 2 * (x * x + y * y)),
    )


def quaternion_product(a: ExpressionLike, b: ExpressionLike) -> Expression:
    """Hamilton product of two quaternions.

    Examples
    --------
    The product of i and j is k:

    >>> quaternion_product([0, 1, 0, 0], [0, 0, 1, 0])
    DM([0, 0, 0, 1])
    """
    return ca.vertcat(
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def quaternion_rate(Q: ExpressionLike, w: ExpressionLike) -> Expression:
    """Rate of a quaternion for the angular velocity ``w`` in body axes, ``Q x (0, w) / 2`` (body form of A.10).

    Examples
    --------
    >>> quaternion_rate([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 2.0])
    DM([0, 0, 0, 1])
    """
    return quaternion_product(Q, ca.vertcat(0, w)) / 2


def quaternion_exp(w: ExpressionLike) -> Expression:
    """Quaternion of the rotation vector ``w``; exact to rounding at zero as well, with its derivatives.

    Examples
    --------
    Half a turn about z:

    >>> quaternion_exp([0.0, 0.0, ca.pi]).full().ravel().round(12).tolist()
    [0.0, 0.0, 0.0, 1.0]
    """
    square = ca.sumsqr(w)
    small = square < 1e-8
    angle = ca.sqrt(ca.if_else(small, 1.0, square))  # the root has no derivative at zero
    half = ca.if_else(small, 0.5 - square / 48, ca.sin(angle / 2) / angle)
    scalar = ca.if_else(small, 1 - square / 8 * (1 - square / 48), ca.cos(angle / 2))
    return ca.vertcat(scalar, half * w[0], half * w[1], half * w[2])


def quaternion_difference(a: ExpressionLike, b: ExpressionLike) -> Expression:
    """Rotation vector, in axes of ``a``, that turns ``a`` into ``b`` (the shorter way).

    Examples
    --------
    >>> turn = quaternion_exp([0.0, 0.0, 0.5])
    >>> quaternion_difference([1.0, 0.0, 0.0, 0.0], turn)
    DM([0, 0, 0.5])
    """
    d = quaternion_product(ca.vertcat(a[0], -a[1], -a[2], -a[3]), b)
    d = ca.if_else(d[0] < 0, -d, d)
    vector = d[1:4]
    square = ca.sumsqr(vector)
    small = square < 1e-16
    norm = ca.sqrt(ca.if_else(small, 1.0, square))  # the root has no derivative at zero
    factor = ca.if_else(small, 2 / d[0], 2 * ca.atan2(norm, d[0]) / norm)
    return factor * vector


def quaternion_from_matrix(R: Array) -> Array:
    """Unit quaternion (w, x, y, z), w >= 0, of a numeric rotation matrix; no loss of accuracy at any angle.

    Examples
    --------
    Half a turn about x:

    >>> quaternion_from_matrix(np.diag([1.0, -1.0, -1.0])).tolist()
    [0.0, 1.0, 0.0, 0.0]
    """
    R = np.asarray(R, dtype=float)
    K = np.array(
        [
            [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [0, R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [0, 0, R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
            [0, 0, 0, R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    values, vectors = np.linalg.eigh(K, UPLO="U")
    Q: Array = vectors[:, int(np.argmax(values))]
    return Q if Q[0] >= 0 else -Q


def quaternion_of(R: ExpressionLike) -> Expression:
    """Unit quaternion (w, x, y, z) of a rotation matrix on symbols: the best conditioned of four forms."""
    t = R[0, 0] + R[1, 1] + R[2, 2]
    forms = [
        (1 + t, (1 + t, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])),
        (1 + 2 * R[0, 0] - t, (R[2, 1] - R[1, 2], 1 + 2 * R[0, 0] - t, R[0, 1] + R[1, 0], R[0, 2] + R[2, 0])),
        (1 + 2 * R[1, 1] - t, (R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1 + 2 * R[1, 1] - t, R[1, 2] + R[2, 1])),
        (1 + 2 * R[2, 2] - t, (R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 + 2 * R[2, 2] - t)),
    ]
    best, Q = forms[0][0], ca.vertcat(*forms[0][1])
    for weight, entries in forms[1:]:
        better = weight > best
        best, Q = ca.if_else(better, weight, best), ca.if_else(better, ca.vertcat(*entries), Q)
    Q = ca.if_else(Q[0] < 0, -Q, Q)
    return Q / ca.norm_2(Q)


def rpy_from_matrix(R: Array) -> Array:
    """Roll, pitch, yaw (3-2-1 angles x, y, z) of a numeric rotation matrix; roll is zero at the singularity.

    Examples
    --------
    >>> R = rotation_euler321([0.1, -0.2, 0.3]).full()
    >>> rpy_from_matrix(R).round(9).tolist()
    [0.1, -0.2, 0.3]
    """
    R = np.asarray(R, dtype=float)
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    if np.hypot(R[0, 0], R[1, 0]) > 1e-12:
        return np.array([np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])])
    return np.array([0.0, pitch, np.arctan2(-R[0, 1], R[1, 1])])


def snap(x: float) -> float:
    """Round an entry of a rotation within 1e-15 of -1, 0 or 1, so that it vanishes from the tape."""
    nearest = float(round(x))
    return nearest + 0.0 if abs(x - nearest) < 1e-15 else x
