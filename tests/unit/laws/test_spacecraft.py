"""Wheels, gyros and forces in orbit against formulas of textbooks, with numbers of their own."""

from __future__ import annotations

import math
from typing import Any

import casadi as ca
import numpy as np
import pytest
from tests.support.laws import evaluated, law

import dalembert as da
from dalembert import model
from dalembert.model.fields import FrameMotion

CRAFT = da.Machine(
    "craft",
    [da.Body("hub", 80.0, inertia=(20.0, 25.0, 30.0))],
    [da.Joint("hub", "free", "world", "hub")],
    gravity=(0, 0, 0),
)
REST = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]


@law("Wheel.inertia", "Wheel.transverse", "Wheel.mass", "Wheel.torque", "Wheel.momentum")
def test_a_wheel_turns_its_body_back() -> None:
    wheel = da.Wheel(
        "w", "hub", (0.0, 1.0, 0.0), 0.23, 0.14, 3.5, torque=0.6, momentum=4.6, origin=da.Transform((0.4, 0.0, 0.0))
    )
    machine = CRAFT.with_parts(wheel)
    M = evaluated(machine, "mass_matrix", q=[*REST, 0.0])
    assert (M[6, 6], M[4, 6]) == pytest.approx((0.23, 0.23), rel=1e-14)
    assert np.diag(M)[3:6] == pytest.approx([20.14, 25.23 + 3.5 * 0.16, 30.14 + 3.5 * 0.16], rel=1e-14)
    for u, felt in ((0.25, 0.25), (-9.0, -0.6)):
        np.testing.assert_allclose(evaluated(machine, "applied", q=[*REST, 0.0], u=[u]), [0] * 6 + [felt], atol=1e-15)
    # it is not driven beyond its momentum, and tells of it where the motor begins to cease
    (motor,), (joint,) = wheel.motors, wheel.joints
    assert (motor.speed, joint.limits.velocity) == pytest.approx((4.6 / 0.23, 0.99 * 4.6 / 0.23), rel=1e-14)


@law(
    "ControlMomentGyro.inertia", "ControlMomentGyro.momentum", "ControlMomentGyro.transverse",
    "ControlMomentGyro.gimbal_inertia",
    "ControlMomentGyro.mass", "ControlMomentGyro.torque", "ControlMomentGyro.rate",
)  # fmt: skip
def test_a_gyro_gives_the_rate_of_its_momentum() -> None:
    """Holding the body takes w x h, with the gimbal rate w about x and h along z."""
    gyro = da.ControlMomentGyro(
        "g",
        "hub",
        (1.0, 0.0, 0.0),
        (0.0, 0.0, 1.0),
        0.31,
        12.4,
        0.19,
        0.07,
        2.2,
        torque=1.4,
        rate=0.9,
        origin=da.Transform((0, 0.5, 0)),
    )
    machine = CRAFT.with_parts(gyro)
    spin = gyro.v0["g.rotor_dot"]
    assert spin == pytest.approx(12.4 / 0.31, rel=1e-14)
    q = [*REST, 0.0, 0.0]
    tau = evaluated(machine, "inverse_dynamics", q=q, v=[0.0] * 6 + [0.8, spin])
    np.testing.assert_allclose(tau[:6], [0, 0, 0, *np.cross([0.8, 0, 0], [0, 0, 12.4])], atol=1e-12)
    M = evaluated(machine, "mass_matrix", q=q)
    assert (M[6, 6], M[7, 7]) == pytest.approx((0.07 + 0.19, 0.31), rel=1e-14)
    assert M[0, 0] == pytest.approx(82.2, rel=1e-14)
    assert M[3, 3] == pytest.approx(20.0 + 0.26 + 2.2 * 0.25, rel=1e-14)
    applied = evaluated(machine, "applied", q=q, u=[5.0])
    assert applied[6] == pytest.approx(1.4, rel=1e-14)
    assert gyro.joints[0].limits.velocity == 0.9


# -- forces of the surroundings ---------------------------------------------------------------------------------------

ORBIT = da.model.Orbit(
    620e3, eccentricity=0.03, inclination=0.9, node=1.3, perigee=0.4, anomaly=2.2, mu=3.9e14, radius=6.4e6
)


def acting(
    field: Any, x: Any = (0.0, 0.0, 0.0), R: Any = None, v: Any = (0.0, 0.0, 0.0), t: float = 0.0
) -> tuple[Any, Any]:
    """Force and torque of a field at a frame's motion."""
    R = np.eye(3) if R is None else R
    time = ca.SX.sym("t")
    motion = FrameMotion(ca.SX(ca.DM(x)), ca.SX(ca.DM(R)), ca.SX(ca.DM(v)), ca.SX.zeros(3), time, float)
    f, n = ca.Function("wrench", [time], list(field.wrench(motion)))(t)
    return np.array(f).ravel(), np.array(n).ravel()


@law(
    "Orbit.altitude", "Orbit.eccentricity", "Orbit.inclination", "Orbit.node", "Orbit.perigee", "Orbit.anomaly",
    "Orbit.mu",
    "Orbit.radius",
)  # fmt: skip
def test_an_orbit_is_its_ellipse() -> None:
    """Distance by the conic, speed by vis-viva, the plane by its node and inclination; the period of Kepler."""
    a = (6.4e6 + 620e3) / (1 - 0.03)
    r, v = (np.array(x).ravel() for x in ORBIT.motion(0.0))
    assert np.linalg.norm(r) == pytest.approx(a * (1 - 0.03**2) / (1 + 0.03 * math.cos(2.2)), rel=1e-12)
    assert v @ v == pytest.approx(3.9e14 * (2 / np.linalg.norm(r) - 1 / a), rel=1e-12)
    pole = np.cross(r, v) / np.linalg.norm(np.cross(r, v))
    np.testing.assert_allclose(
        pole, [math.sin(1.3) * math.sin(0.9), -math.cos(1.3) * math.sin(0.9), math.cos(0.9)], atol=1e-12
    )
    assert r[2] / np.linalg.norm(r) == pytest.approx(math.sin(0.9) * math.sin(0.4 + 2.2), rel=1e-12)
    assert ORBIT.period == pytest.approx(2 * math.pi * math.sqrt(a**3 / 3.9e14), rel=1e-12)
    again = np.array(ORBIT.motion(ORBIT.period)[0]).ravel()
    np.testing.assert_allclose(again, r, rtol=0, atol=1e-3)


@law("OrbitalGravity.mass", "OrbitalGravity.inertia", "OrbitalGravity.J2")
def test_gravity_in_orbit_is_that_of_its_potential_and_of_point_masses() -> None:
    """The force is the gradient of -mu/r (1 - J2 (R/r)^2 (3 s^2 - 1)/2); the torque that of four masses on two rods."""
    r = np.array(ORBIT.motion(0.0)[0]).ravel()
    x, J2, m = np.array([900.0, -700.0, 400.0]), 2.7e-3, 4.2

    def potential(y: np.ndarray, J2: float) -> float:
        d = float(np.linalg.norm(y))
        return -3.9e14 / d * (1 - J2 * (6.4e6 / d) ** 2 * (3 * (y[2] / d) ** 2 - 1) / 2)

    def slope(y: np.ndarray, J2: float) -> np.ndarray:
        h = 400.0
        return np.array([(potential(y + e, J2) - potential(y - e, J2)) / (2 * h) for e in h * np.eye(3)])

    f, _ = acting(model.OrbitalGravity("g", "hub", ORBIT, m, J2=J2), x)
    np.testing.assert_allclose(f, -m * (slope(r + x, J2) - slope(r, 0.0)), atol=2e-6 * m * 8)
    near, _ = acting(model.OrbitalGravity("g", "hub", ORBIT, m), x)
    d = np.linalg.norm(r)
    tide = m * 3.9e14 / d**3 * (3 * (x @ r) * r / d**2 - x)  # to first order in x / r
    np.testing.assert_allclose(near, tide, rtol=3e-3)
    points = [(1.5, np.array([0.0, 3.0, 1.0])), (0.8, np.array([2.0, -1.0, 0.5]))]
    inertia = sum(2 * k * (p @ p * np.eye(3) - np.outer(p, p)) for k, p in points)
    torque = np.zeros(3)
    for k, p in points:
        for s in (1.0, -1.0):
            torque += np.cross(s * p, -k * slope(r + s * p, 0.0))
    _, n = acting(model.OrbitalGravity("g", "hub", ORBIT, 4.6, tuple(map(tuple, inertia))))
    scale = 3 * 3.9e14 / d**3 * np.abs(inertia).max()
    u = r / d
    np.testing.assert_allclose(n, 3 * 3.9e14 / d**3 * np.cross(u, inertia @ u), atol=1e-12 * scale)
    np.testing.assert_allclose(n, torque, atol=0.02 * scale)


@law("Drag.area", "Drag.normal", "Drag.density", "Drag.scale_height", "Drag.coefficient")
def test_drag_of_a_plate() -> None:
    """1/2 rho S C_D v^2 against air that turns with the Earth, as far as the plate faces it; the lee side has none."""
    field = model.Drag("d", "hub", ORBIT, 2.4, (0.0, 3.0, 4.0), 3.3e-12, 55e3, 2.05)
    x, v = np.array([500.0, -2000.0, 800.0]), np.array([1.0, -2.0, 0.7])
    r0, v0 = (np.array(part).ravel() for part in ORBIT.motion(0.0))
    r = r0 + x
    wind = v0 + v - np.cross([0.0, 0.0, 7.2921159e-5], r)
    rho = 3.3e-12 * math.exp(-(np.linalg.norm(r) - 6.4e6 - 620e3) / 55e3)
    facing = np.array([0.0, 0.6, 0.8]) @ wind / np.linalg.norm(wind)
    sides = []
    for R, turned in ((np.eye(3), facing), (np.diag([1.0, -1.0, -1.0]), -facing)):
        f, n = acting(field, x, R, v)
        np.testing.assert_allclose(
            f, -0.5 * rho * 2.4 * 2.05 * np.linalg.norm(wind) * max(turned, 0.0) * wind, rtol=1e-12
        )
        assert not n.any()
        sides.append(bool(f.any()))
    assert sorted(sides) == [False, True]


@law(
    "SolarPressure.area", "SolarPressure.normal", "SolarPressure.sun", "SolarPressure.absorbed",
    "SolarPressure.diffuse",
    "SolarPressure.specular", "SolarPressure.pressure",
)  # fmt: skip
def test_light_presses_by_how_it_is_reflected() -> None:
    """Black: P S cos along the ray. Mirror: 2 P S cos^2 along the normal. White: the ray, and 2/3 of it inward."""
    s, n = np.array([0.6, 0.0, 0.8]), np.array([0.0, 0.0, 1.0])
    full = 5.1e-6 * 1.9 * 0.8
    for parts, expected in (
        ((1.0, 0.0, 0.0), -full * s),
        ((0.0, 0.0, 1.0), -2 * full * 0.8 * n),
        ((0.0, 1.0, 0.0), -full * (s + 2 / 3 * n)),
        ((0.5, 0.3, 0.2), -full * (0.8 * s + (0.2 + 0.32) * n)),
    ):
        field = model.SolarPressure("s", "hub", 1.9, (0, 0, 2.0), (3.0, 0.0, 4.0), *parts, pressure=5.1e-6)
        np.testing.assert_allclose(acting(field)[0], expected, atol=1e-20)
        assert not acting(field, R=np.diag([1.0, -1.0, -1.0]))[0].any()
    shade, light = (model.SolarPressure("s", "hub", 1.0, sun=(0, 0, z)) for z in (-1.0, 1.0))
    assert not acting(shade)[0].any() and acting(light)[0][2] == pytest.approx(-1361.0 / 299792458.0, rel=6e-3)


@law("ThirdBody.mass")
@pytest.mark.parametrize(
    ("body", "mu", "low", "high"), [("moon", 4.9048e12, 3.56e8, 4.07e8), ("sun", 1.32712e20, 1.47e11, 1.521e11)]
)
def test_moon_and_sun_pull_by_their_tides(body: str, mu: float, low: float, high: float) -> None:
    """To first order in r / s the force is m mu / s^3 (3 (r . u) u - r); the next order is 4 r / s of it."""
    place = np.asarray(
        da.model.moon_position(2460000.5) if body == "moon" else da.model.sun_position(2460000.5)
    ).ravel()
    s = float(np.linalg.norm(place))
    assert low < s < high
    r, u = np.array(ORBIT.motion(0.0)[0]).ravel(), place / s
    f, n = acting(model.ThirdBody("b", "hub", ORBIT, body, 7.3, 2460000.5))
    tide = 7.3 * mu / s**3 * (3 * (r @ u) * u - r)
    assert np.linalg.norm(f - tide) < (6 * np.linalg.norm(r) / s + 1e-3) * np.linalg.norm(tide)
    assert not n.any()


@law("MagneticTorque.dipole")
def test_a_dipole_turns_to_the_field_of_the_earth() -> None:
    """m x B; the field of a dipole is 2 B0 (a/r)^3 cos at colatitude 0 along its axis, and -1/2 of that across."""
    r = np.array(ORBIT.motion(0.0)[0]).ravel()
    angle = float(np.asarray(da.model.sidereal_angle(2460000.25)))
    g = np.array([-1450.9e-9, 4652.5e-9, -29404.8e-9])  # IGRF-13, 2020
    turn = np.array(
        [[math.cos(angle), -math.sin(angle), 0.0], [math.sin(angle), math.cos(angle), 0.0], [0.0, 0.0, 1.0]]
    )
    d, u = turn @ g, r / np.linalg.norm(r)
    B = (6378137.0 / np.linalg.norm(r)) ** 3 * (2 * (d @ u) * u - (d - (d @ u) * u))
    R = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    f, n = acting(model.MagneticTorque("m", "hub", ORBIT, (1.2, -0.4, 0.9), 2460000.25), R=R)
    np.testing.assert_allclose(n, np.cross(R @ [1.2, -0.4, 0.9], B), rtol=1e-10)
    assert not f.any()


@law("Wheel.damping", "Wheel.friction")
def test_the_bearing_of_a_wheel_brakes_it() -> None:
    """Viscous friction in proportion to the rate relative to the body, dry friction against it."""
    wheel = da.Wheel("w", "hub", (0.0, 1.0, 0.0), 0.23, damping=0.013, friction=0.07)
    machine = CRAFT.with_parts(wheel)
    felt = evaluated(machine, "applied", q=[*REST, 0.0], v=[0.0] * 6 + [31.0], u=[0.0])
    np.testing.assert_allclose(felt, [0.0] * 6 + [-0.013 * 31.0 - 0.07], rtol=1e-12)


@law("GravityModel.C", "GravityModel.S", "GravityModel.mu", "GravityModel.radius")
def test_terms_of_degree_two_are_those_of_the_tensor_of_inertia() -> None:
    """MacCullagh's formula ``mu/r + (tr I - 3 u I u) G/(2 r^3)`` of a body with three moments and a product."""
    mu, radius = 4.1e5, 930.0
    second = np.array([[3.0, 0.7, -0.4], [0.7, 4.4, 0.2], [-0.4, 0.2, 5.1]]) * 1e-3 * radius**2  # int x x^T dm / m
    C, S = np.zeros((3, 3)), np.zeros((3, 3))
    xx, yy, zz = np.diag(second) / radius**2
    xy, xz, yz = second[0, 1] / radius**2, second[0, 2] / radius**2, second[1, 2] / radius**2
    C[2] = [(zz - (xx + yy) / 2) / math.sqrt(5), math.sqrt(3 / 5) * xz, math.sqrt(3 / 5) * (xx - yy) / 2]
    S[2] = [0.0, math.sqrt(3 / 5) * yz, math.sqrt(3 / 5) * xy]
    inertia = np.trace(second) * np.eye(3) - second
    gravity = model.GravityModel(C, S, mu, radius)
    for x in ([1500.0, -700.0, 400.0], [0.0, 0.0, 2000.0], [-900.0, 1100.0, -1300.0]):
        r = float(np.linalg.norm(x))
        u = np.array(x) / r
        exact = mu / r + mu * (np.trace(inertia) - 3 * u @ inertia @ u) / (2 * r**3)
        assert gravity.potential(x) == pytest.approx(exact, rel=1e-13)
