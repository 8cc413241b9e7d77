"""Rotations against SciPy and against their own derivatives."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from dalembert.spatial.rotations import (
    cross_matrix,
    euler_accelerations,
    euler_rates,
    numpy,
    quaternion_difference,
    quaternion_exp,
    quaternion_from_matrix,
    quaternion_matrix,
    quaternion_of,
    quaternion_product,
    quaternion_rate,
    rotation_about,
    rotation_euler321,
    rpy_from_matrix,
)

angles = st.floats(-3.0, 3.0)
vectors = st.tuples(angles, angles, angles).map(np.array)
pitches = st.floats(-1.5, 1.5)


@st.composite
def quaternions(draw: st.DrawFn) -> np.ndarray:
    """Unit quaternions (w, x, y, z)."""
    Q = np.random.default_rng(draw(st.integers(0, 2**20))).normal(size=4)
    return Q / np.linalg.norm(Q)


def scipy_of(Q: Any) -> Rotation:
    return Rotation.from_quat([Q[1], Q[2], Q[3], Q[0]])


def near(x: Any, y: Any, tolerance: float = 1e-13) -> bool:
    return bool(np.abs(np.asarray(x) - np.asarray(y)).max() < tolerance)


@given(x=vectors, y=vectors)
def test_cross_matrix(x: Any, y: Any) -> None:
    assert near(numpy(cross_matrix(x) @ y), np.cross(x, y))


@given(axis=vectors, angle=angles)
def test_rotation_about_an_axis(axis: Any, angle: float) -> None:
    norm = np.linalg.norm(axis)
    axis = axis / norm if norm > 0.1 else np.array([0.0, 0.0, 1.0])
    assert near(numpy(rotation_about(axis, angle)), Rotation.from_rotvec(angle * axis).as_matrix())


@given(psi=vectors)
def test_euler_angles_are_yaw_pitch_roll(psi: Any) -> None:
    assert near(numpy(rotation_euler321(psi)), Rotation.from_euler("ZYX", psi[::-1]).as_matrix())


@pytest.mark.parametrize("body", [True, False])
@given(psi=vectors, rates=vectors)
def test_euler_rates_give_the_angular_velocity(body: bool, psi: Any, rates: Any) -> None:
    x = ca.SX.sym("psi", 3)
    R = rotation_euler321(x)
    dR = ca.reshape(ca.jtimes(ca.vec(R), x, ca.DM(rates)), 3, 3)
    values = ca.Function("f", [x], [R, dR])(psi)
    R, dR = (np.array(v.full()) for v in values)
    S = R.T @ dR if body else dR @ R.T
    w = np.array([S[2, 1], S[0, 2], S[1, 0]])
    assert near(numpy(euler_rates(psi, body=body) @ ca.DM(rates)), w, 1e-12)


@pytest.mark.parametrize("body", [True, False])
@given(psi=vectors, rates=vectors, accelerations=vectors)
def test_angular_acceleration_is_the_rate_of_the_angular_velocity(
    body: bool, psi: Any, rates: Any, accelerations: Any
) -> None:
    """SPACE A.2.3 against the derivative of the rotation matrix itself: ``w^ = R^T R'`` or ``R' R^T``, twice."""
    t = ca.SX.sym("t")
    R = rotation_euler321(ca.DM(psi) + t * ca.DM(rates) + t**2 / 2 * ca.DM(accelerations))
    change = ca.reshape(ca.jacobian(ca.vec(R), t), 3, 3)
    W = R.T @ change if body else change @ R.T
    w = ca.vertcat(W[2, 1], W[0, 2], W[1, 0])
    expected = np.array(ca.Function("a", [t], [ca.jacobian(w, t)])(0.0)).ravel()
    a = euler_rates(psi, body=body) @ ca.DM(accelerations) + euler_accelerations(psi, rates, body=body) @ ca.DM(rates)
    assert near(numpy(a), expected, 1e-11)


@given(Q=quaternions())
def test_quaternion_matrix(Q: Any) -> None:
    assert near(numpy(quaternion_matrix(Q)), scipy_of(Q).as_matrix())


@given(a=quaternions(), b=quaternions())
def test_quaternion_product_composes_rotations(a: Any, b: Any) -> None:
    product = numpy(quaternion_product(a, b))
    assert near(numpy(quaternion_matrix(product)), (scipy_of(a) * scipy_of(b)).as_matrix())


@given(Q=quaternions(), w=vectors)
def test_quaternion_rate_is_body_rate(Q: Any, w: Any) -> None:
    """R' = R w^ along Q' = Q (0, w) / 2."""
    x = ca.SX.sym("Q", 4)
    R = quaternion_matrix(x)
    dR = ca.reshape(ca.jtimes(ca.vec(R), x, quaternion_rate(x, ca.DM(w))), 3, 3)
    value = np.array(ca.Function("f", [x], [dR])(Q).full())
    assert near(value, scipy_of(Q).as_matrix() @ numpy(cross_matrix(w)), 1e-12)
    assert abs(Q @ numpy(quaternion_rate(Q, w))) < 1e-14  # stays on the unit sphere


@given(w=vectors, scale=st.sampled_from([1.0, 1e-3, 0.9e-4, 1.1e-4, 1e-8, 1e-160, 0.0]))
def test_quaternion_of_a_rotation_vector(w: Any, scale: float) -> None:
    Q = numpy(quaternion_exp(scale * w))
    assert abs(np.linalg.norm(Q) - 1.0) < 1e-15
    expected = Rotation.from_rotvec(scale * w).as_quat()
    assert near(Q, [expected[3], *expected[:3]], 1e-15)


@given(a=quaternions(), w=vectors, scale=st.sampled_from([1.0, 1e-4, 1e-9, 0.0]))
def test_quaternion_difference_undoes_the_exponential(a: Any, w: Any, scale: float) -> None:
    w = scale * w * min(1.0, 3.0 / max(np.linalg.norm(w), 1e-9))  # below half a turn
    b = numpy(quaternion_product(a, quaternion_exp(w)))
    for sign in (1.0, -1.0):  # a quaternion and its negative are one rotation
        assert near(numpy(quaternion_difference(a, sign * b)), w, 1e-13)


@given(Q=quaternions())
def test_quaternion_from_matrix(Q: Any) -> None:
    made = quaternion_from_matrix(scipy_of(Q).as_matrix())
    assert made[0] >= 0.0
    assert near(made, Q if Q[0] >= 0 else -Q)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0.8, 0), (-0.6, 0, 0.8)])
@pytest.mark.parametrize("angle", [np.pi, np.pi - 1e-9, np.pi - 1e-5, 1e-9, 0.0])
def test_quaternion_from_matrix_near_half_turns(axis: Any, angle: float) -> None:
    R = Rotation.from_rotvec(angle * np.array(axis)).as_matrix()
    Q = quaternion_from_matrix(R)
    assert abs(np.linalg.norm(Q) - 1.0) < 1e-14
    assert near(numpy(quaternion_matrix(Q)), R, 1e-14)


@given(roll=angles, pitch=pitches, yaw=angles)
def test_roll_pitch_yaw_of_a_matrix(roll: float, pitch: float, yaw: float) -> None:
    made = rpy_from_matrix(numpy(rotation_euler321([roll, pitch, yaw])))
    assert near(made, [roll, pitch, yaw], 1e-12)


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2])
def test_roll_pitch_yaw_at_the_singularity(pitch: float) -> None:
    R = Rotation.from_euler("ZYX", [0.3, pitch, 0.2]).as_matrix()
    made = rpy_from_matrix(R)
    assert made[0] == 0.0
    assert near(numpy(rotation_euler321(made)), R, 1e-12)


@given(Q=quaternions(), w=vectors)
def test_functions_work_on_symbols_too(Q: Any, w: Any) -> None:
    q, x = ca.SX.sym("Q", 4), ca.SX.sym("w", 3)
    f = ca.Function("f", [q, x], [quaternion_product(q, quaternion_exp(x)), quaternion_rate(q, x)])
    product, rate = (np.array(y.full())[:, 0] for y in f(Q, w))
    assert near(product, numpy(quaternion_product(Q, quaternion_exp(w))), 1e-15)
    assert near(rate, numpy(quaternion_rate(Q, w)), 1e-15)


@pytest.mark.parametrize("largest", range(4))
def test_quaternion_of_a_matrix_by_each_of_its_four_forms(largest: int) -> None:
    """Quaternions whose largest entry is each of the four: a small turn, and half turns about the axes, nearly."""
    rng = np.random.default_rng(largest)
    for _ in range(5):
        Q = 0.3 * rng.uniform(-1.0, 1.0, 4)
        Q[largest] = 1.0
        Q *= np.sign(Q[0]) / np.linalg.norm(Q)
        R = Rotation.from_quat(Q, scalar_first=True).as_matrix()
        np.testing.assert_allclose(np.array(ca.DM(ca.evalf(quaternion_of(ca.SX(ca.DM(R)))))).ravel(), Q, atol=1e-14)
