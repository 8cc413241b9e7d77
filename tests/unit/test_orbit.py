"""Orbits and what acts in them: Kepler elements both ways, the tide in the loop, J2, gradient, drag, sunlight."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.model import (
    Drag,
    MagneticTorque,
    Orbit,
    OrbitalGravity,
    SolarPressure,
    ThirdBody,
    clohessy_wiltshire,
    in_orbit,
    magnetic_field,
    moon_position,
    sidereal_angle,
    sun_position,
)
from dalembert.systems.space_robots import space_chaser

MU = 3.986004418e14
LOW = Orbit(altitude=700e3, eccentricity=0.05, inclination=1.1, node=0.4, perigee=-0.7, anomaly=2.0)
FINE: dict[str, Any] = {"method": "dopri5", "rtol": 1e-12, "atol": 1e-12}


def craft(**fields: Any) -> da.Machine:
    body = da.Body("body", 50.0, inertia=((8.0, 0.5, 0.0), (0.5, 20.0, -0.3), (0.0, -0.3, 15.0)))
    return da.Machine("craft", [body], [da.Joint("body", "free", "world", "body")], gravity=(0, 0, 0), **fields)


def forces(field: Any, q: Any = (0, 0, 0, 1, 0, 0, 0), v: Any = (0.0,) * 6) -> np.ndarray:
    """Force and torque of one field on the body, in its axes."""
    eom = da.equations(craft(fields=[field]), backend="vm")
    return eom.applied(np.array(q, float), np.array(v, float), [])


@pytest.mark.parametrize("e", [0.0, 1e-3, 0.3, 0.89])
@pytest.mark.parametrize("inclination", [0.0, 0.6, 3.0])
def test_elements_and_states_both_ways(e: float, inclination: float) -> None:
    rng = np.random.default_rng(5)
    orbit = Orbit(500e3, e, inclination, *rng.uniform(-3, 3, 3))
    t = np.linspace(0.0, 2.3 * orbit.period, 60)
    r, v = orbit.motion(t)
    energy = 0.5 * np.sum(v**2, -1) - MU / np.linalg.norm(r, axis=-1)
    np.testing.assert_allclose(energy, -MU / (2 * orbit.semi_major_axis), rtol=1e-12)
    h = np.cross(r, v)
    np.testing.assert_allclose(h, np.tile(h[0], (60, 1)), atol=1e-11 * np.linalg.norm(h[0]))
    np.testing.assert_allclose(orbit.motion(orbit.period)[0], r[0], atol=1e-11 * orbit.semi_major_axis)
    assert np.linalg.norm(orbit.motion(np.linspace(0, orbit.period, 2000))[0], axis=-1).min() == pytest.approx(
        orbit.radius + 500e3, rel=1e-3
    )
    h = 1e-2
    difference = (orbit.motion(t + h)[0] - orbit.motion(t - h)[0]) / (2 * h)
    np.testing.assert_allclose(v, difference, atol=1e-2)
    for k in (0, 17, 44):
        again = Orbit.through(r[k], v[k])
        later = np.array([0.0, 1234.0])
        x, wanted = again.motion(later)[0], orbit.motion(t[k] + later)[0]
        np.testing.assert_allclose(x, wanted, atol=1e-7 * orbit.semi_major_axis)
        assert again.eccentricity == pytest.approx(e, abs=1e-9)
        assert again.altitude == pytest.approx(500e3, abs=1e-8 * orbit.semi_major_axis)


def test_relative_motion_is_the_difference_of_two_orbits() -> None:
    """The tide in the native loop against Kepler's equation for both orbits, an elliptic one and its neighbour."""
    r, v = (x[0] for x in LOW.motion(np.zeros(1)))
    x0, v0 = np.array([300.0, -200.0, 100.0]), np.array([0.2, 0.1, -0.3])
    machine = craft(fields=[OrbitalGravity("tide", "body", LOW, mass=50.0)])
    duration = 0.5 * LOW.period
    run = da.simulate(machine, duration=duration, q0=[*x0, 1, 0, 0, 0], v0=[*v0, 0, 0, 0], record=duration / 8, **FINE)
    other = Orbit.through(r + x0, v + v0)
    np.testing.assert_allclose(run.x[:, :3], other.motion(run.t)[0] - LOW.motion(run.t)[0], atol=1e-4)
    assert np.abs(run.x[-1, :3]).max() > 500.0


def test_clohessy_wiltshire_near_a_circle() -> None:
    """Closed form against its differential equation, and against the tide: the rest is of second order."""
    circle = Orbit(600e3, inclination=0.9)
    n = circle.mean_motion
    A = np.zeros((6, 6))
    A[:3, 3:] = np.eye(3)
    A[3, 0], A[3, 4], A[4, 3], A[5, 2] = 3 * n**2, 2 * n, -2 * n, -(n**2)
    t, h = 1000.0, 1.0
    rate = (clohessy_wiltshire(n, t + h) - clohessy_wiltshire(n, t - h)) / (2 * h)
    np.testing.assert_allclose(rate, A @ clohessy_wiltshire(n, t), atol=1e-6)
    errors = []
    for size in (1.0, 10.0):
        state = size * np.array([5.0, -3.0, 2.0, 0.002, -0.004, 0.003])
        R = circle.axes  # radial, along, normal at time zero
        spin = np.array([0, 0, n])
        machine = craft(fields=[OrbitalGravity("tide", "body", circle, mass=50.0)])
        v0 = R @ (state[3:] + np.cross(spin, state[:3]))
        run = da.simulate(machine, duration=1500.0, q0=[*(R @ state[:3]), 1, 0, 0, 0], v0=[*v0, 0, 0, 0], **FINE)
        a = n * 1500.0
        turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
        wanted = R @ turn @ (clohessy_wiltshire(n, 1500.0) @ state)[:3]
        errors.append(np.linalg.norm(run.x[-1, :3] - wanted))
    assert errors[0] < 1e-4
    assert errors[1] / errors[0] == pytest.approx(100.0, rel=0.1)


def test_the_oblate_earth_against_another_integrator() -> None:
    from scipy.integrate import solve_ivp

    J2, radius = 1.08262668e-3, 6378137.0

    def potential(x: np.ndarray) -> float:
        r = np.linalg.norm(x)
        return -MU / r * (1 - J2 * (radius / r) ** 2 * (3 * (x[2] / r) ** 2 - 1) / 2)

    def acceleration(x: np.ndarray) -> np.ndarray:
        h = 2000.0  # the potential by differences of fourth order
        steps = [(-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12)]
        return -np.array([sum(w * potential(x + k * h * e) for k, w in steps) / h for e in np.eye(3)])

    r, v = (x[0] for x in LOW.motion(np.zeros(1)))
    other = solve_ivp(lambda t, y: [*y[3:], *acceleration(y[:3])], (0, 1500.0), [*r, *v], rtol=1e-10, atol=1e-6)
    machine = craft(fields=[OrbitalGravity("earth", "body", LOW, mass=50.0, J2=J2)])
    run = da.simulate(machine, duration=1500.0, **FINE)
    moved = other.y[:3, -1] - LOW.motion(1500.0)[0]
    assert np.linalg.norm(moved) > 5e3
    np.testing.assert_allclose(run.x[-1, :3], moved, rtol=1e-4, atol=1.0)


def test_gravity_gradient_is_that_of_many_points() -> None:
    """Six points with the inertia of the body, each attracted for itself."""
    inertia = np.diag([8.0, 20.0, 15.0])
    spread = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    q = np.array([0.9, 0.1, -0.3, 0.3])
    q = q / np.linalg.norm(q)
    field = OrbitalGravity("gradient", "body", LOW, 50.0, (8.0, 20.0, 15.0))
    torque = forces(field, [0, 0, 0, *q])[3:]
    R = da.equations(craft()).pose("body", [0, 0, 0, *q])[:3, :3]
    r = LOW.motion(np.zeros(1))[0][0]
    total = np.zeros(3)
    for k in range(3):
        for sign in (1, -1):
            arm = np.sqrt(spread[k, k] / 2 / 5.0) * 100 * sign * np.eye(3)[k]  # 100 times as far: digits
            x = r + R @ arm
            total += np.cross(arm, R.T @ (-MU * 5.0 * x / np.linalg.norm(x) ** 3)) / 1e4
    np.testing.assert_allclose(torque, total, rtol=1e-3)
    assert np.abs(torque).max() > 1e-6


def degrees(x: np.ndarray) -> tuple[float, float, float]:
    """Right ascension, declination and distance."""
    r = float(np.linalg.norm(x))
    return float(np.degrees(np.arctan2(x[1], x[0]))) % 360.0, float(np.degrees(np.arcsin(x[2] / r))), r


def test_sun_and_moon_are_where_they_were() -> None:
    """Examples 25.a and 47.a of Meeus, Astronomical Algorithms, within what the almanac promises; 12.a for the Earth.

    And to the digits of the same formulas as worked in Vallado, Fundamentals of Astrodynamics, examples 5-1 and 5-3.
    """
    a, d, r = degrees(sun_position(2448908.5))  # 13 October 1992
    assert (a, d) == pytest.approx((198.38083, -7.78507), abs=0.01)
    assert r == pytest.approx(0.99766 * 149597870700.0, rel=2e-4)
    a, d, r = degrees(moon_position(2448724.5))  # 12 April 1992
    assert a == pytest.approx(134.688470, abs=0.3)
    assert d == pytest.approx(13.768368, abs=0.2)
    assert r == pytest.approx(368409.7e3, abs=0.2 * 6378137.0)
    np.testing.assert_allclose(sun_position(2453827.5), np.array([146186212, 28788976, 12481064]) * 1e3, atol=2e6)
    np.testing.assert_allclose(moon_position(2449470.5) / 1e3, [-134240.626, -311571.590, -126693.785], atol=2.0)
    assert np.degrees(sidereal_angle(2446895.5)) % 360.0 == pytest.approx(197.693195, abs=1e-4)  # 10 April 1987
    late = moon_position(2449470.0, 43200.0)
    np.testing.assert_allclose(late, moon_position(2449470.5), rtol=1e-9)
    assert moon_position(2449470.0 + np.zeros((2, 3))).shape == (2, 3, 3)


@pytest.mark.parametrize(
    ("name", "mu", "position"), [("moon", 4.9028e12, moon_position), ("sun", 1.32712440018e20, sun_position)]
)
def test_moon_and_sun_against_three_bodies_in_inertial_axes(name: str, mu: float, position: Any) -> None:
    """Newton's law for Earth and craft beside the third body, which moves as it is seen from the Earth."""
    from scipy.integrate import solve_ivp

    epoch, duration = 2461000.0, 2000.0
    r, v = (x[0] for x in LOW.motion(np.zeros(1)))

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        earth, x = y[:3], y[3:6]
        third = earth + position(epoch, t)
        apart, way, back = x - earth, third - x, third - earth
        pull = mu * way / np.linalg.norm(way) ** 3
        return np.concatenate(
            [y[6:], mu * back / np.linalg.norm(back) ** 3, pull - MU * apart / np.linalg.norm(apart) ** 3]
        )

    y = solve_ivp(rate, (0, duration), [*np.zeros(3), *r, *np.zeros(3), *v], rtol=1e-12, atol=1e-7, method="DOP853").y[
        :, -1
    ]
    moved = y[3:6] - y[:3] - LOW.motion(duration)[0]
    machine = craft(
        fields=[OrbitalGravity("earth", "body", LOW, 50.0), ThirdBody("far", "body", LOW, name, 50.0, epoch)]
    )
    run = da.simulate(machine, duration=duration, **FINE)
    assert np.linalg.norm(moved) > 0.3
    np.testing.assert_allclose(run.x[-1, :3], moved, atol=1e-3 * float(np.linalg.norm(moved)))


def test_magnetic_field_and_its_torque() -> None:
    """The gradient of the potential of first order; vertical at the pole; a torque across dipole and field."""
    g11, h11, g10, a = -1450.9e-9, 4652.5e-9, -29404.8e-9, 6378137.0

    def potential(x: np.ndarray, turn: float) -> float:
        r = float(np.linalg.norm(x))
        polar, longitude = np.arccos(x[2] / r), np.arctan2(x[1], x[0]) - turn
        waves = g10 * np.cos(polar) + (g11 * np.cos(longitude) + h11 * np.sin(longitude)) * np.sin(polar)
        return float(a * (a / r) ** 2 * waves)

    x, turn, h = np.array([4e6, -5e6, 3e6]), 0.8, 100.0
    slope = [(potential(x + h * e, turn) - potential(x - h * e, turn)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(magnetic_field(x, turn), -np.array(slope), rtol=1e-6)
    latitude, longitude = np.radians([80.65, -72.68])  # geomagnetic pole of 2020
    up = np.array([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)])
    B = magnetic_field(a * up)
    assert B @ up == pytest.approx(-np.linalg.norm(B), rel=1e-6)  # down
    field = MagneticTorque("torquer", "body", LOW, (3.0, -2.0, da.Parameter("m", 5.0)), 2461000.25)
    q = np.array([100.0, 0.0, -50.0, *np.array([0.9, 0.1, -0.3, 0.3])])
    R = da.equations(craft()).pose("body", q)[:3, :3]
    B = magnetic_field(LOW.motion(0.0)[0] + q[:3], sidereal_angle(2461000.25))
    wrench = forces(field, q)
    np.testing.assert_allclose(wrench[3:], np.cross([3.0, -2.0, 5.0], R.T @ B), rtol=1e-9)
    assert not wrench[:3].any() and np.abs(wrench[3:]).max() > 1e-5


def test_drag_and_sunlight_of_a_plate() -> None:
    circle = Orbit(400e3, inclination=0.3)
    r, v = (x[0] for x in circle.motion(np.zeros(1)))
    wind = v - np.cross([0, 0, 7.2921159e-5], r)
    u = wind / np.linalg.norm(wind)
    for normal in (u, -u, np.array([0.6, 0.8, 0.0])):
        f = forces(Drag("drag", "body", circle, area=3.0, normal=tuple(normal), density=3e-12, coefficient=2.5))
        wanted = -0.5 * 3e-12 * 3.0 * 2.5 * (wind @ wind) * max(normal @ u, 0.0) * u
        np.testing.assert_allclose(f[:3], wanted, atol=1e-15)
    plate = Drag("drag", "body", circle, normal=tuple(u), scale_height=50e3)
    higher = forces(plate, [*(50e3 * r / np.linalg.norm(r)), 1, 0, 0, 0])
    here = forces(Drag("drag", "body", circle, normal=tuple(u)))
    assert np.linalg.norm(higher[:3]) == pytest.approx(np.linalg.norm(here[:3]) / np.e, rel=0.02)
    n, s, P = np.array([0.6, 0.0, 0.8]), np.array([1.0, 0.0, 0.0]), 4.56e-6
    for kinds in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.5, 0.2, 0.3)):
        a, d, c = kinds
        f = forces(SolarPressure("sun", "body", 2.0, tuple(n), tuple(s), a, d, c))
        # absorbed light pushes along it; what is sent back pushes back: specular to the mirrored side, diffuse normal
        cosine = n @ s
        mirrored = 2 * cosine * n - s
        wanted = -P * 2.0 * cosine * ((a + d + c) * s + c * mirrored + 2 / 3 * d * n)
        np.testing.assert_allclose(f[:3], wanted, rtol=1e-12, atol=1e-20)
    assert not forces(SolarPressure("sun", "body", normal=(-1, 0, 0), sun=(1, 0, 0))).any()


def test_in_orbit_every_formulation_and_the_machine_file(tmp_path: Any) -> None:
    chaser = in_orbit(space_chaser("rigid", arrays=None), LOW, oblate=True)
    q, v = np.array(chaser.q_neutral), np.zeros(chaser.nv)
    q[7:], v[6:] = 0.3, 0.1
    a, b = (da.equations(chaser, by=by, backend="vm") for by in ("newton-euler", "lagrange"))
    np.testing.assert_allclose(a.applied(q, v, np.zeros(12)), b.applied(q, v, np.zeros(12)), rtol=1e-9, atol=1e-12)
    chaser.to_yaml(tmp_path / "chaser.yaml")
    assert da.load_machine(tmp_path / "chaser.yaml") == chaser
    flexible = in_orbit(space_chaser(), LOW)
    assert sum(float(f.mass) for f in flexible.fields) == pytest.approx(sum(float(b.mass) for b in flexible.bodies))
    panel = craft(
        fields=[
            Drag("drag", "body", LOW),
            SolarPressure("sun", "body", absorbed=0.7, specular=0.3),
            ThirdBody("far", "body", LOW, "sun", da.Parameter("m", 50.0), 2461000.0),
            MagneticTorque("torquer", "body", LOW, (0.0, da.Parameter("dipole", 3.0), 1.0)),
        ]
    )
    assert da.load_machine(panel.to_yaml()) == panel


@pytest.mark.parametrize("by", ["lagrange", "gibbs-appell", "natural"])
def test_fields_are_the_same_in_every_formulation(by: str) -> None:
    fields = [
        OrbitalGravity("tide", "body", LOW, 50.0, (8.0, 20.0, 15.0), 1e-3),
        Drag("drag", "body", LOW, normal=(0.2, -0.5, 0.7), density=1e-9),
        SolarPressure("sun", "body", normal=(0.1, 0.9, 0.2), sun=(0, 1, 0.3), absorbed=0.2, diffuse=0.3, specular=0.5),
        ThirdBody("far", "body", LOW, "moon", 5e3),
        MagneticTorque("torquer", "body", LOW, (3.0, -2.0, 5.0)),
    ]
    own, other = (da.equations(craft(fields=fields), by=x, backend="vm") for x in ("newton-euler", by))
    q = own.random_configuration(np.random.default_rng(1))
    v = np.array([0.3, -0.2, 0.5, 0.1, 0.2, -0.4])
    force = own.applied(q, v, [])
    assert np.abs(force).min() > 1e-9
    np.testing.assert_allclose(other.in_machine_coordinates().applied(q, v, []), force, rtol=1e-8, atol=1e-12)


def test_what_weightlessness_leaves_out_of_a_capture() -> None:
    """A chaser that drifts for a minute at 10 m from the reference: millimetres, of the size n^2 x t^2."""
    circle = Orbit(700e3)
    body = in_orbit(craft(), circle)
    x0 = 10.0 * circle.axes[:, 0]
    run = da.simulate(body, duration=60.0, q0=[*x0, 1, 0, 0, 0], **FINE)
    moved = np.linalg.norm(run.x[-1, :3] - x0)
    assert moved == pytest.approx(circle.mean_motion**2 * 10.0 * 60.0**2, rel=0.02)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Orbit(500e3, 1.2), "eccentricity of an orbit must be 0 to 0.9, got 1.2"),
        (lambda: Orbit(-7e6), "a perigee outside of the centre"),
        (lambda: Orbit(float("nan")), "altitude of an orbit must be a finite number"),
        (lambda: Orbit.through([7e6, 0, 0], [0, 12e3, 0]), "exceeds the escape speed: the orbit is not an ellipse"),
        (lambda: Orbit.through([7e6, 0, 0], [1e3, 0, 0]), "passes through the centre"),
        (lambda: clohessy_wiltshire(0.0, 1.0), "rate of an orbit must be > 0"),
        (lambda: SolarPressure("sun", "body", absorbed=0.5), "must add to 1"),
        (lambda: Drag("drag", "body", LOW, normal=(0, 0, 0)), "normal of force field 'drag' must not be zero"),
        (lambda: OrbitalGravity("g", "body", 700e3), "orbit of force field 'g' must be an Orbit"),
        (lambda: craft(fields=[OrbitalGravity("g", "boddy", LOW)]), "force field 'g': no frame named 'boddy'"),
        (
            lambda: ThirdBody("far", "body", LOW, "mars"),
            "body of force field 'far' must be 'moon' or 'sun', got 'mars'",
        ),
        (lambda: ThirdBody("far", "body", LOW, "moon", -1.0), "mass of force field 'far' must be"),
        (lambda: MagneticTorque("torquer", "body", LOW, (1.0, 2.0)), "dipole of force field 'torquer'"),
        (lambda: sun_position("noon"), "must be a finite Julian date, got 'noon'"),
        (lambda: magnetic_field([1.0, 2.0]), "position must be three numbers"),
        (lambda: magnetic_field([0.0, 0.0, 0.0]), "position must be three numbers from the centre"),
        (lambda: magnetic_field("north"), "position must be three numbers"),
        (lambda: magnetic_field([7e6, 0.0, 0.0], "x"), "angle must be a finite number"),
        (lambda: in_orbit(craft().with_(gravity=(0, 0, -9.81)), LOW), "in orbit it is weightless"),
    ],
)
def test_bad_input_is_refused(make: Any, message: str) -> None:
    with pytest.raises(da.DalembertError, match=message):
        make()
