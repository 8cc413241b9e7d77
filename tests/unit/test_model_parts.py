"""Tables and formulas of models, one by one, against their sources and other ways to compute them."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest
import scipy.sparse as sp
from scipy import interpolate
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.core.errors import InputError, MachineError
from dalembert.model import celestial
from dalembert.model.celestial import magnetic_field, moon_position, sidereal_angle, sun_position
from dalembert.model.elastic.mesh_checks import MeshModel, rigid_motions
from dalembert.model.elastic.mesh_lines import feature_lines, surface_of_solids
from dalembert.model.elastic.reduction import _fields, _free_modes
from dalembert.model.elastic.shortening import Shortening
from dalembert.model.joints import JOINT_KINDS
from dalembert.model.mobility import _straight_mass_matrix, random_coordinates
from dalembert.model.ropes.catenary import cut, pull, reach
from dalembert.model.ropes.tangents import Circle, angle_between, line_between
from dalembert.model.shapes import Shape, gauss_points
from dalembert.model.surroundings import shadow_edges, standard_density, sunlight

ARGUMENTS = {
    "D": (297.8501921, 445267.1114034),
    "M": (357.5291092, 35999.0502909),
    "N": (134.9633964, 477198.8675055),
    "F": (93.2720950, 483202.0175233),
}
"""Elongation, anomalies of the Sun (M) and the Moon (N) and argument of latitude (J. Meeus, Astronomical Algorithms,
chapter 47): at J2000 and per century [deg]."""


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (
            celestial._LONGITUDE,
            [
                (6.288774, "N"),
                (1.274027, "2D-N"),
                (0.658314, "2D"),
                (0.213618, "2N"),
                (-0.185116, "M"),
                (-0.114332, "2F"),
            ],
        ),
        (celestial._LATITUDE, [(5.128122, "F"), (0.280602, "F+N"), (0.277693, "N-F"), (0.173237, "2D-F")]),
        (celestial._PARALLAX, [(0.051818, "N"), (0.009531, "2D-N"), (0.007843, "2D"), (0.002824, "2N")]),
    ],
    ids=["longitude", "latitude", "parallax"],
)
def test_waves_of_the_moon(table: Any, expected: list[tuple[float, str]]) -> None:
    """Largest terms of the theory of the Moon, by Meeus; each is the sine or cosine of a sum of four arguments."""
    digits = 1e-4 if table is celestial._PARALLAX else 0.006
    assert len(table) == len(expected)
    for (amplitude, phase, rate), (size, text) in zip(table, expected, strict=True):
        sums = np.zeros(2)
        for sign, part in zip(
            [-1.0 if c == "-" else 1.0 for c in "+" + text if c in "+-"], text.replace("-", "+").split("+"), strict=True
        ):
            sums += sign * float(part[:-1] or 1.0) * np.array(ARGUMENTS[part[-1]])
        sign = np.sign(rate * sums[1])  # a wave of sines is written with either sign
        turned = sign * sums
        assert amplitude == pytest.approx(size if table is celestial._PARALLAX else sign * size, abs=digits)
        assert rate == pytest.approx(turned[1], abs=0.04)
        assert (phase - turned[0] + 180.0) % 360.0 - 180.0 == pytest.approx(0.0, abs=0.08)


def test_the_sun_on_its_ellipse() -> None:
    """Kepler's equation with the elements of J. Meeus, chapter 25: 0.01 degrees, and the digits of the distance."""
    dates = celestial.J2000 + np.random.default_rng(1).uniform(-18000.0, 18000.0, 200)
    T = (dates - 2451545.0) / 36525.0
    e = 0.016708634 - 0.000042037 * T
    mean = np.radians(357.52911 + 35999.05029 * T)
    u = mean + e * np.sin(mean)
    for _ in range(5):
        u -= (u - e * np.sin(u) - mean) / (1.0 - e * np.cos(u))
    true = 2.0 * np.arctan(np.sqrt((1.0 + e) / (1.0 - e)) * np.tan(u / 2.0))
    longitude = np.radians(280.46646 + 36000.76983 * T) + true - mean
    tilt = np.radians(23.4392911 - 0.0130042 * T)
    x = sun_position(dates) / 149597870700.0
    assert np.abs(np.linalg.norm(x, axis=1) - (1.0 - e * np.cos(u))).max() < 8e-5
    ecliptic = x[:, 0], x[:, 1] * np.cos(tilt) + x[:, 2] * np.sin(tilt), x[:, 2] * np.cos(tilt) - x[:, 1] * np.sin(tilt)
    turned = np.degrees(np.arctan2(ecliptic[1], ecliptic[0]) - longitude)
    assert np.abs((turned + 180.0) % 360.0 - 180.0).max() < 0.01
    assert np.abs(ecliptic[2]).max() < np.radians(1.2e-3)  # the tilt has six decimals a day


def test_the_moon_in_the_axes_of_the_equator() -> None:
    """Longitude, latitude and parallax from its own waves, turned by the tilt of the ecliptic."""
    days, seconds = np.array([-5000.5, 123.25, 8000.0]), np.array([86400.0, 3600.0, -7e5])
    T = (days + seconds / 86400.0) / 36525.0
    sums = [
        sum(a * f(np.radians(phase + rate * T)) for a, phase, rate in table)
        for table, f in ((celestial._LONGITUDE, np.sin), (celestial._LATITUDE, np.sin), (celestial._PARALLAX, np.cos))
    ]
    for k in range(3):
        along = Rotation.from_euler("ZY", [218.32 + 481267.883 * T[k] + sums[0][k], -sums[1][k]], degrees=True)
        x = Rotation.from_euler("X", 23.439 - 0.01461 * T[k], degrees=True).apply(along.apply([1.0, 0.0, 0.0]))
        r = 6378137.0 / np.sin(np.radians(0.9508 + sums[2][k]))
        np.testing.assert_allclose(moon_position(2451545.0 + days, seconds)[k], r * x, atol=1e-5 * r)
        symbol = ca.SX.sym("t")
        f = ca.Function("f", [symbol], [moon_position(2451545.0 + days[k], symbol)])
        np.testing.assert_allclose(
            np.array(f(seconds[k])).ravel(), moon_position(2451545.0 + days[k], seconds[k]), rtol=1e-12
        )


def test_a_sidereal_day_is_shorter() -> None:
    """23 h 56 min 4.0905 s, and the angle at noon of J2000 (18 h 41 min 50.54841 s)."""
    day = 86164.0905
    turned = sidereal_angle(2451545.0, 100.0 + 40.0 * day) - sidereal_angle(2451545.0, 100.0)
    assert turned == pytest.approx(80.0 * np.pi, abs=3e-6)
    assert sidereal_angle(2451545.0) == pytest.approx((18.0 + 41.0 / 60.0 + 50.54841 / 3600.0) * np.pi / 12.0, abs=1e-9)


def test_the_dipole_is_the_gradient_of_its_potential() -> None:
    """``V = a (a/r)^2 (g10 cos(theta) + (g11 cos(phi) + h11 sin(phi)) sin(theta))``, ``B = -dV/dx``: IGRF-13, 2020."""
    a, x = 6378137.0, ca.SX.sym("x", 3)
    angle = 0.7
    r = ca.norm_2(x)
    phi, cosine = ca.atan2(x[1], x[0]) - angle, x[2] / r
    sine = ca.sqrt(1.0 - cosine**2)
    V = a**3 / r**2 * (-29404.8 * cosine + (-1450.9 * ca.cos(phi) + 4652.5 * ca.sin(phi)) * sine) * 1e-9
    B = ca.Function("B", [x], [-ca.gradient(V, x)])
    for place in ([6.9e6, 1.2e6, -2.3e6], [-4.0e6, 3.0e6, 6.0e6]):
        np.testing.assert_allclose(magnetic_field(place, angle), np.array(B(place)).ravel(), rtol=1e-12)


ATMOSPHERE = (
    (0, 1.225, 7.249),
    (25, 3.899e-2, 6.349),
    (30, 1.774e-2, 6.682),
    (40, 3.972e-3, 7.554),
    (50, 1.057e-3, 8.382),
    (60, 3.206e-4, 7.714),
    (70, 8.770e-5, 6.549),
    (80, 1.905e-5, 5.799),
    (90, 3.396e-6, 5.382),
    (100, 5.297e-7, 5.877),
    (110, 9.661e-8, 7.263),
    (120, 2.438e-8, 9.473),
    (130, 8.484e-9, 12.636),
    (140, 3.845e-9, 16.149),
    (150, 2.070e-9, 22.523),
    (180, 5.464e-10, 29.740),
    (200, 2.789e-10, 37.105),
    (250, 7.248e-11, 45.546),
    (300, 2.418e-11, 53.628),
    (350, 9.518e-12, 53.298),
    (400, 3.725e-12, 58.515),
    (450, 1.585e-12, 60.828),
    (500, 6.967e-13, 63.822),
    (600, 1.454e-13, 71.835),
    (700, 3.614e-14, 88.667),
    (800, 1.170e-14, 124.64),
    (900, 5.245e-15, 181.05),
    (1000, 3.019e-15, 268.00),
)
"""Altitude [km], density [kg/m3] and scale height [km]: D. Vallado, table 8-4."""


def test_density_between_the_rows_of_its_table() -> None:
    """The table prints scale heights too: each row says what is above it, to the digits of the next one."""
    symbol = ca.SX.sym("h")
    made = ca.Function("rho", [symbol], [standard_density(symbol)])
    for (low, rho, scale), high in zip(ATMOSPHERE, [*(row[0] for row in ATMOSPHERE[1:]), 1500], strict=True):
        for part in (0.0, 0.02, 0.4, 0.98):
            h = low + part * (high - low)
            assert standard_density(1e3 * h) == pytest.approx(rho * np.exp((low - h) / scale), rel=3e-3, abs=0.0)
            assert float(made(1e3 * h)) == pytest.approx(standard_density(1e3 * h), rel=1e-11, abs=0.0)
        assert standard_density(1e3 * low) == pytest.approx(rho, rel=1e-12, abs=0.0)


@pytest.mark.parametrize("radius", [6378137.0, 2.0e4])
def test_the_share_of_the_disc_that_is_seen(radius: float) -> None:
    """Points of the Sun's disc that the Earth's disc does not cover, counted; a small Earth leaves a ring."""
    sun, high = np.array([1.2e11, -0.7e11, 0.3e11]), 7.3e6
    away = -sun / np.linalg.norm(sun)
    across = np.cross(away, [0.3, -0.5, 0.8])
    across /= np.linalg.norm(across)
    n = 1201
    u, v = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n))
    disc = u**2 + v**2 <= 1.0
    half = np.arcsin(radius / high)
    seen = []
    for offset in half + np.linspace(-1.1, 1.4, 9) * 4.65e-3 if radius > 1e6 else np.linspace(0.0, 9e-3, 7):
        place = high * (np.cos(offset) * away + np.sin(offset) * across)
        d = sun - place
        own = np.arcsin(6.957e8 / np.linalg.norm(d))
        apart = np.arccos(np.clip(-place @ d / high / np.linalg.norm(d), -1.0, 1.0))
        free = disc & (np.hypot(own * u - apart, own * v) > half)
        share = sunlight(place, sun, radius)
        assert share == pytest.approx(free.sum() / disc.sum(), abs=2e-3)
        outer, inner = shadow_edges(place, sun, radius)
        assert outer == pytest.approx(apart - own - half, abs=1e-8)
        assert inner == pytest.approx(apart - half + own, abs=1e-8)
        seen.append(share)
    assert max(seen) > 0.99 and min(seen) < (0.01 if radius > 1e6 else 0.8)


def test_surfaces_of_solids() -> None:
    """Triangles that close: their volume is that of the solids, and their areas as vectors add up to none."""
    rng = np.random.default_rng(2)
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
    A = rng.normal(size=(3, 3))
    A *= np.sign(np.linalg.det(A))
    cells = corners[None] + np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])[:, None]
    nodes, index = np.unique(cells.reshape(-1, 3), axis=0, return_inverse=True)
    hexahedra = index.reshape(-1, 8)
    five = [(0, 1, 3, 4), (1, 2, 3, 6), (1, 5, 6, 4), (3, 6, 7, 4), (1, 3, 4, 6)]
    cube = corners @ A.T + rng.normal(size=3)
    tetrahedra = np.array(five)
    for points, elements, volume, triangles in (
        (nodes @ A.T + rng.normal(size=3), hexahedra, 3.0, 28),
        (cube, tetrahedra, 1.0, 12),
        (cube, tetrahedra[4:], 1.0 / 3.0, 4),
        (cube, np.hstack([tetrahedra[4:], [[8, 9, 10, 11, 12, 13]]]), 1.0 / 3.0, 4),
    ):
        faces = surface_of_solids(elements)
        assert len(faces) == triangles
        x = points[faces]
        vectors = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]) / 2.0
        np.testing.assert_allclose(vectors.sum(axis=0), 0.0, atol=1e-12)
        found = np.sum(x.mean(axis=1) * vectors) / 3.0
        assert found == pytest.approx(volume * np.linalg.det(A), rel=1e-12)
    lines = feature_lines(corners * [1.0, 2.0, 3.0], surface_of_solids(np.arange(8)[None]))
    edges = {tuple(sorted(pair)) for line in lines for pair in pairwise(line)}
    assert edges == {
        (a, b) for a in range(8) for b in range(a + 1, 8) if np.abs(corners[a] - corners[b]).sum() == 1
    }  # not the diagonals of its sides


def test_edges_count_from_forty_degrees() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [0.4, 1, 0], [0, 0, 0]], dtype=float)
    faces = np.array([[0, 1, 2], [1, 0, 3]])
    for bent, count in ((38.0, 4), (42.0, 5), (-38.0, 4), (-42.0, 5)):
        points[3] = [0.7, -np.cos(np.radians(bent)), np.sin(np.radians(bent))]
        lines = feature_lines(points, faces)
        assert sum(len(line) - 1 for line in lines) == count
    assert feature_lines(points, faces[:0]) == []


def test_shapes_are_piecewise_polynomials() -> None:
    rng = np.random.default_rng(3)
    s, w, slopes = np.array([0.0, 0.3, 1.1, 1.7]), rng.normal(size=4), rng.normal(size=4)
    x = np.sort(rng.uniform(0.0, 1.7, 40))
    cubic, linear = Shape.nodal(s, w, slopes), Shape.nodal(s, w)
    spline = interpolate.CubicHermiteSpline(s, w, slopes)
    c = rng.normal(size=5)
    whole = Shape.polynomial(1.7, list(c))
    polynomial = np.polynomial.Polynomial(c / 1.7 ** np.arange(5))
    for k in range(4):
        np.testing.assert_allclose(cubic(x, k), spline(x, k), rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(whole(x, k), polynomial.deriv(k)(x), rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(cubic.scaled(-2.3)(x, k), -2.3 * spline(x, k), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(linear(x), np.interp(x, s, w), rtol=1e-13)
    left = (np.diff(w) / np.diff(s))[0]
    assert linear(0.3, 1) == pytest.approx(left) and cubic(0.0) == pytest.approx(w[0])
    assert (cubic.length, cubic.degree, linear.degree, whole.degree) == (1.7, 3, 1, 4)
    for degree in range(6):
        points, weights = gauss_points([1.1, 0.0, 1.7, 0.3, 0.3], degree)
        assert len(points) == 3 * (degree // 2 + 1)
        for k in range(degree + 1):
            assert weights @ points**k == pytest.approx(1.7 ** (k + 1) / (k + 1), rel=1e-13)
    for bad, words in (
        (([0.1, 1.0], [1.0, 2.0]), "must increase from 0"),
        (([0.0, 1.0, 1.0], [1.0, 2.0, 3.0]), "must increase from 0"),
        (([0.0], [1.0]), "must increase from 0"),
        (([0.0, 1.0], [1.0]), "with 2 nodes needs 2 values, got 1"),
        (([0.0, 1.0], [1.0, 2.0], [1.0]), "with 2 nodes needs 2 slopes, got 1"),
        (([0.0, 1.0], [1.0, np.inf]), "finite numbers in a row"),
    ):
        with pytest.raises(InputError, match=words):
            Shape.nodal(*bad)


def test_integrals_of_a_shortened_axis() -> None:
    """Sums over points of mass on the axis ``x_0 + X delta - e_x delta.H delta / 2``, with derivatives by CasADi."""
    rng, n, m = np.random.default_rng(4), 3, 5
    mass, s, p = rng.uniform(0.5, 2.0, m), rng.uniform(0.1, 1.0, m), rng.normal(size=3)
    X, G = rng.normal(size=(3, n, m)), rng.normal(size=(m, n, n))
    H = G + G.transpose(0, 2, 1)
    integrals = SimpleNamespace(
        H_c=np.einsum("m,mij->ij", mass, H),
        H_w=np.einsum("m,m,mij->ij", mass, s, H),
        P=np.einsum("m,bim,mjk->bijk", mass, X, H),
        Q=np.einsum("m,mij,mkl->ijkl", mass, H, H),
    )
    delta, rate = ca.SX.sym("d", n), ca.SX.sym("r", n)
    made = Shortening(cast(Any, integrals), cast(Any, tuple(p)), delta, lambda A: ca.DM(A))

    def straight(k: int) -> ca.SX:
        return ca.DM(p + [s[k], 0.0, 0.0]) + ca.DM(X[:, :, k]) @ delta

    def bent(k: int) -> ca.SX:
        return straight(k) - ca.DM([1.0, 0.0, 0.0]) * (delta.T @ ca.DM(H[k]) @ delta) / 2

    def total(of: Any) -> Any:
        """What the shortening adds to a sum over points of their places and derivatives."""
        return sum(mass[k] * (of(bent(k)) - of(straight(k))) for k in range(m))

    def modes(x: ca.SX) -> ca.SX:
        return ca.jacobian(x, delta)

    def turn(x: ca.SX, w: ca.SX) -> ca.SX:
        return modes(x).T @ ca.skew(w) @ modes(x)

    w = ca.SX.sym("w", 3)
    zero = ca.SX(3, 1)
    pairs = [(b, c) for b in range(3) for c in range(3)]
    checks = [
        (made.moved(zero), total(lambda x: x)),
        (made.coupled(ca.SX(3, n)), total(modes)),
        *((made.N(b, c), total(lambda x, b=b, c=c: x[b] * modes(x)[c, :].T)) for b, c in pairs),
        *((made.second(b, c), total(lambda x, b=b, c=c: x[b] * x[c])) for b, c in pairs),
        (made.modal_mass, total(lambda x: modes(x).T @ modes(x))),
        (made.turning(w), total(lambda x: turn(x, w))),
    ]
    for k, (b, c) in enumerate(((1, 2), (2, 0), (0, 1))):
        expected = total(
            lambda x, b=b, c=c: (modes(x) @ rate)[b] * modes(x)[c, :].T - (modes(x) @ rate)[c] * modes(x)[b, :].T
        )
        checks.append((made.swing(rate)[k], expected))

    def late(k: int) -> ca.SX:
        """Acceleration of a point with a constant rate, and the change of its modes."""
        return -ca.DM([1.0, 0.0, 0.0]) * (rate.T @ ca.DM(H[k]) @ rate)

    force, moment, modal = made.convective(rate)
    checks += [
        (force, sum(mass[k] * late(k) for k in range(m))),
        (modal, sum(mass[k] * modes(bent(k)).T @ late(k) for k in range(m))),
    ]
    # the moment of the plain fields: that of the shortened axis itself is along x, as the force
    checks.append((moment, sum(mass[k] * ca.cross(bent(k), late(k)) for k in range(m))))
    slopes = [-ca.DM([[1.0], [0.0], [0.0]]) @ (ca.DM(H[k]) @ rate).T for k in range(m)]
    blocks = made.convective_blocks(rate)
    checks += [
        (blocks[0], sum(mass[k] * slopes[k] for k in range(m))),
        (blocks[1], sum(mass[k] * ca.skew(bent(k)) @ slopes[k] for k in range(m))),
        (blocks[2], sum(mass[k] * modes(bent(k)).T @ slopes[k] for k in range(m))),
    ]
    at = ca.Function("at", [delta, rate, w], [ca.densify(ca.SX(x)) for pair in checks for x in pair])
    values = at(*(rng.normal(size=k) for k in (n, n, 3)))
    for k, (got, expected) in enumerate(zip(values[::2], values[1::2], strict=True)):
        np.testing.assert_allclose(got.full(), expected.full(), rtol=1e-10, atol=1e-9, err_msg=str(k))


def _unit(rng: np.random.Generator) -> Any:
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


@pytest.mark.parametrize("kind", ["skew", "parallel", "opposite", "to a point", "from a point"])
def test_lines_between_wheels(kind: str) -> None:
    """They touch both rims, in the direction in which the rope runs; of parallel wheels all lengths in the plane."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        n_1 = _unit(rng)
        n_2 = {"parallel": n_1, "opposite": -n_1}.get(kind, _unit(rng))
        c_1, r_1, r_2 = rng.normal(size=3), *rng.uniform(0.2, 0.6, 2)
        across = np.cross(n_1, _unit(rng))
        c_2 = c_1 + 3.0 * across / np.linalg.norm(across) + rng.uniform(-0.4, 0.4, 3)
        known = {} if kind == "skew" else {"carrier": 2}
        wheels: list[Circle] = []
        for c, r, n, point in ((c_1, r_1, n_1, "from a point"), (c_2, r_2, n_2, "to a point")):
            fields = {} if kind == point else {"radius": ca.SX(r), "axis": ca.SX(n), "direction": tuple(n), **known}
            wheels.append(Circle(ca.SX(c), **cast(Any, fields)))
        line = line_between(*wheels)
        start, end = (np.array(ca.evalf(x)).ravel() for x in (line.start, line.end))
        flat = []
        for wheel, rho, place, c, r, n in (
            (wheels[0], line.out, start, c_1, r_1, n_1),
            (wheels[1], line.into, end, c_2, r_2, n_2),
        ):
            assert (wheel.axis is None) == (rho is None)
            if rho is None:
                np.testing.assert_allclose(place, c, atol=1e-13)
                continue
            x = np.array(ca.evalf(rho)).ravel()
            assert np.linalg.norm(x) == pytest.approx(1.0, abs=1e-12) and abs(x @ n) < 1e-12
            np.testing.assert_allclose(place, c + r * x, atol=1e-12)
            assert abs(x @ (end - start)) < 1e-11
            assert np.cross(n, x) @ (end - start) > 0.0
            middle = (c_2 - c_1) - n * (n @ (c_2 - c_1))
            other = 0.0 if kind in ("skew", "to a point", "from a point") else (r_2 if kind == "parallel" else -r_2)
            flat.append(middle @ middle - ((r_1 - other) ** 2 if other else r**2))
        assert float(line.length) == pytest.approx(np.linalg.norm(end - start), rel=1e-12)
        assert float(line.clear) == pytest.approx(min(flat), rel=1e-12)
        assert (line.error is not None) == (kind == "skew")
        if line.error is not None:
            assert float(ca.evalf(line.error)) < 1e-11


def test_lines_that_no_rope_takes() -> None:
    """Wheels that overlap have no common tangent; two points have a line of any length."""
    x, z = ca.SX([1.0, 0.0, 0.0]), ca.SX([0.0, 0.0, 1.0])
    one = Circle(ca.SX(3, 1), ca.SX(0.5), z, 0, (0.0, 0.0, 1.0))
    for direction, clear in (((0.0, 0.0, 1.0), 0.36 - 0.04), ((0.0, 0.0, -1.0), 0.36 - 0.64)):
        other = Circle(0.6 * x, ca.SX(0.3), float(direction[2]) * z, 0, direction)
        assert float(line_between(one, other).clear) == pytest.approx(clear)
    assert one.sense_along(Circle(x, ca.SX(0.3), z, 0, (0.6, 0.0, 0.8))) == 0
    assert one.sense_along(Circle(x, ca.SX(0.3), z, 1, (0.0, 0.0, 1.0))) == 0
    points = line_between(Circle(x), Circle(3.0 * x + 4.0 * z))
    assert float(points.length) == pytest.approx(np.sqrt(4.0 + 16.0)) and float(points.clear) > 0.0


@pytest.mark.parametrize("centre", [0.4, -2.0, np.pi / 2.0, np.pi])
def test_angles_within_half_a_turn(centre: float) -> None:
    rng = np.random.default_rng(6)
    axis = _unit(rng)
    start = np.cross(axis, _unit(rng))
    start /= np.linalg.norm(start)
    halves = ca.SX.sym("halves")
    end = ca.SX.sym("end", 3)
    f = ca.Function("f", [end, halves], [angle_between(ca.SX(axis), ca.SX(start), end, centre, halves)])
    for count in range(-4, 5):
        for beyond in (-3.0, -1.2, 0.1, 1.7, 3.0):
            angle = centre + np.pi * count + beyond
            turned = Rotation.from_rotvec(angle * axis).apply(start)
            assert float(f(turned, count)) == pytest.approx(angle, abs=1e-12)


@pytest.mark.parametrize(("H", "V", "EA"), [(40.0, 90.0, 3e3), (300.0, 20.0, 800.0), (5.0, 35.0, 60.0)])
def test_catenaries_converge_twice_as_fast_in_each_step(H: float, V: float, EA: float) -> None:
    """Newton's method leaves the square of an error: that is so of exact derivatives only."""
    L, w, c = 12.0, 5.0, 3.5
    l, h = (ca.SX(float(x)) for x in reach(H, V, L, w, EA))
    T = np.hypot(H, V - w * L)
    total, weight, stiff = ca.SX(L + c / (1.0 + T / EA)), ca.SX(w), ca.SX(EA)
    solution = np.array([L, H, V])

    def solved(*near: float) -> Any:
        close = cast(Any, tuple(map(ca.SX, near)) if near else None)
        return np.array([float(ca.evalf(x)) for x in pull(l, h, total, weight, stiff, close, ca.SX(c))]).ravel()

    np.testing.assert_allclose(solved(), [*solution, 0.0], rtol=1e-9, atol=1e-11)
    e = 2e-3
    rng = np.random.default_rng(7)
    for _ in range(4):
        off = rng.choice([-1.0, 1.0], 3) * rng.uniform(0.5, 1.0, 3)
        errors = [np.abs(solved(*(solution * (1.0 + s * off)))[:3] / solution - 1.0).max() for s in (e, e / 4.0)]
        assert errors[0] < 1e-4 and errors[1] < max(errors[0] / 4.0**3, 1e-13)  # order four after two steps
        near = [ca.SX([V * (1.0 + s * off[0]), L * (1.0 + s * off[1])]) for s in (e, e / 4.0)]
        made = [np.array([float(ca.evalf(x)) for x in cut(l, h, ca.SX(H), weight, stiff, x)[:2]]) for x in near]
        errors = [np.abs(x / [V, L] - 1.0).max() for x in made]
        assert errors[0] < 1e-2 and errors[1] < errors[0] / 4.0**1.5


def test_neutral_coordinates_are_no_motion() -> None:
    rng = np.random.default_rng(8)
    for name, kind in JOINT_KINDS.items():
        made = kind(
            _unit(rng), _unit(rng) if "second_axis" in kind.needs else None, 0.3 if "pitch" in kind.needs else None
        )
        R, p = made.motion(ca.DM(kind.neutral))
        np.testing.assert_allclose(np.array(ca.DM(R)), np.eye(3), atol=1e-15, err_msg=name)
        np.testing.assert_allclose(np.array(ca.DM(p)).ravel(), np.zeros(3), atol=1e-15, err_msg=name)
        joint = {"axis": (1.0, 0.0, 0.0)} if "axis" in kind.needs else {}
        joint |= {"second_axis": (0.0, 1.0, 0.0)} if "second_axis" in kind.needs else {}
        joint |= {"pitch": 0.3} if "pitch" in kind.needs else {}
        if kind.nv:
            one = da.Machine(
                "m", [da.box("b", 2.0, (0.1, 0.2, 0.3))], [da.Joint("j", name, "world", "b", **cast(Any, joint))]
            )
            assert tuple(one.q_neutral) == kind.neutral


def test_limits_may_be_one_value() -> None:
    assert da.Limits(0.3, 0.3).upper == 0.3
    with pytest.raises(MachineError, match=r"lower limit 0.4 must not exceed the upper limit 0.3"):
        da.Limits(0.4, 0.3)


def _chain(beam: bool) -> da.Machine:
    rng = np.random.default_rng(9)
    bodies: list[Any] = [
        da.Body(
            f"b{k}",
            float(rng.uniform(1.0, 3.0)),
            com=tuple(rng.normal(size=3)),
            inertia=tuple(rng.uniform(0.5, 0.7, 3)),
        )
        for k in range(4)
    ]
    joints = [
        da.Joint("j0", "revolute", "world", "b0", axis=(0.6, 0.0, 0.8), origin=(0.3, -0.2, 0.1), armature=0.23),
        da.Joint("j1", "prismatic", "b0", "b1", axis=(0.48, 0.6, 0.64), origin=(-0.4, 0.7, 0.2)),
        da.Joint("j2", "revolute", "b1", "b2", axis=(0.0, -0.28, 0.96), origin=(0.1, 0.5, -0.6)),
        da.Joint("j3", "spherical", "b0", "b3", origin=(0.9, 0.1, 0.4)),
    ]
    if beam:
        bodies.append(
            da.Beam(
                "arm",
                0.8,
                da.Section.tube(0.03, 0.01),
                E=7e8,
                G=3e8,
                density=2700.0,
                modes={"y": 2, "z": 1, "torsion": 1},
            )
        )
        joints.append(da.Joint("j4", "revolute", "b3", "arm", axis=(0.8, 0.0, -0.6), origin=(0.2, -0.3, 0.5)))
        bodies.append(da.Body("load", 0.7, com=(0.1, 0.2, -0.3), inertia=(0.04, 0.05, 0.06)))
        joints.append(da.Joint("j5", "revolute", "arm.tip", "load", axis=(0.36, 0.48, 0.8)))
    motors = [
        da.Motor("m0", "j0", ratio=3.0, rotor_inertia=0.011),
        da.Motor("m2", "j2", ratio=-7.0, rotor_inertia=0.013),
    ]
    return da.Machine("chain", bodies, joints, motors=motors, gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("beam", [False, True])
def test_mass_matrix_of_straight_beams_somewhere(beam: bool) -> None:
    """That of the equations in the same configuration; and what a diagonal has at most, by bodies and their places."""
    machine = _chain(beam)
    M, scale = _straight_mass_matrix(machine, np.random.default_rng(3))
    eom = da.equations(machine, backend="vm")
    rng, q = np.random.default_rng(3), machine.q_neutral.copy()
    for node in machine.tree.nodes:
        values = random_coordinates(node.joint, rng)
        for name, value in zip(node.joint.q_names, values, strict=True):
            q[machine.q_names.index(name)] = value
    own, _ = eom.from_machine(q, np.zeros(machine.nv))
    np.testing.assert_allclose(M, eom.mass_matrix(own), rtol=1e-11, atol=1e-11)
    if beam:
        return
    outboard = {"j0": "b0 b1 b2 b3", "j1": "b1 b2", "j2": "b2", "j3": "b3"}
    for joint, names in outboard.items():
        frame = eom.pose({"j0": "b0", "j1": "b1", "j2": "b2", "j3": "b3"}[joint], own)
        total = moment = 0.0
        for name in names.split():
            body, X = machine.body(name), eom.pose(name, own)
            r = X[:3, :3] @ np.array(body.com, dtype=float) + X[:3, 3] - frame[:3, 3]
            moment += np.trace(np.array(body.inertia, dtype=float)) + 2.0 * float(body.mass) * (r @ r)
            total += float(body.mass)
        for k in [i for i, v in enumerate(eom.v_names) if v.split("_dot")[0].split(".")[0] == joint]:
            most = total if joint == "j1" else moment
            assert scale[k] == pytest.approx(max(most, M[k, k]), rel=1e-12)


def test_sections_of_tubes_rectangles_and_rods() -> None:
    """Integrals over the area, Saint-Venant's series, and radii that are linear along a tapered rod."""
    a, b = 0.043, 0.029
    tube = da.Section.tube(a, b)
    r = np.linspace(b, a, 20001)
    assert tube.area == pytest.approx(2.0 * np.pi * np.trapezoid(r, r), rel=1e-8)
    assert tube.I_y == tube.I_z == pytest.approx(np.pi * np.trapezoid(r**3, r), rel=1e-7)
    assert tube.torsion == tube.I_p == pytest.approx(2.0 * tube.I_y) and tube.outer_radius == pytest.approx(a)
    for width, height in ((0.07, 0.03), (0.03, 0.07), (0.05, 0.05), (0.2, 0.01)):
        section = da.Section.rectangle(width, height)
        y, z = (np.linspace(-x / 2, x / 2, 4001) for x in (width, height))
        assert section.area == pytest.approx(width * height)
        assert section.I_y == pytest.approx(width * np.trapezoid(z**2, z), rel=1e-6)
        assert section.I_z == pytest.approx(height * np.trapezoid(y**2, y), rel=1e-6, abs=0.0)
        long, short = max(width, height), min(width, height)
        n = np.arange(1, 200, 2)
        series = (
            long
            * short**3
            / 3.0
            * (1.0 - 192.0 * short / np.pi**5 / long * np.sum(np.tanh(n * np.pi * long / 2.0 / short) / n**5))
        )
        assert section.torsion == pytest.approx(series, rel=5e-3)
    assert da.Section(1e-3, 1e-9, 2e-9).outer_radius is None
    assert da.Section(np.pi, 1.0, 1.0, I_p=2.001).I_p == 2.0
    with pytest.raises(MachineError, match=r"I_p of a section must be I_y \+ I_z = 2"):
        da.Section(np.pi, 1.0, 1.0, I_p=2.02)
    assert da.Section(1.0, 2.0, 8.0, I_yz=-4.0).I_yz == -4.0
    with pytest.raises(MachineError, match="must not exceed"):
        da.Section(1.0, 2.0, 8.0, I_yz=4.001)
    with pytest.raises(MachineError, match="must be less than the outer one"):
        da.Section.tube(0.02, 0.02)
    fields: dict[str, Any] = {"E": 7e10, "G": 3e10, "density": 2700.0, "strains": {"bending_y": 2}}
    thin, thick = da.Section.tube(0.01, 0.006), da.Section.tube(0.03, 0.018)
    rod = da.Rod("r", 1.7, thick, tip_section=thin, **fields)
    for part in (0.0, 0.2, 0.75, 1.0):
        found, expected = rod.section_at(part * 1.7), da.Section.tube(0.03 - 0.02 * part, 0.6 * (0.03 - 0.02 * part))
        for name in ("area", "I_y", "I_z", "torsion"):
            assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-12)
    stepped = da.Rod("r", 1.7, [(0.4, thick), (1.1, thin), (0.2, tube)], **fields)
    for s, section in ((0.0, thick), (0.39, thick), (0.41, thin), (1.49, thin), (1.51, tube), (1.7, tube)):
        assert stepped.section_at(s) is section
    assert stepped.jumps == pytest.approx([0.4, 1.5])


def test_ropes_have_their_ends_at_their_ends() -> None:
    ends, wheel = [da.Anchor("b", (0.1, 0.2, 0.3)), da.Anchor("c")], da.Guide("world", 0.2, "y")
    for path, words in (
        ([ends[0], wheel, ends[1], da.Anchor("d")], "at its ends only, got anchor"),
        ([ends[0], da.Anchor("d"), ends[1]], "at its ends only, got anchor"),
        ([wheel, ends[1]], "must begin and end at an anchor or drum"),
        ([ends[0], wheel], "must begin and end at an anchor or drum"),
        ([ends[0]], "two elements or more, got 1"),
        ([], "two elements or more, got 0"),
    ):
        with pytest.raises(MachineError, match=words):
            da.Rope("r", path)
    with pytest.raises(MachineError, match="has no ends, got anchor"):
        da.Rope("r", [ends[0], wheel], closed=True)
    assert len(da.Rope("r", [ends[0], wheel, ends[1]]).path) == 3


@pytest.mark.parametrize("width", [3, 6])
def test_modes_of_a_free_mesh(width: int) -> None:
    """Eigenvectors but for a rigid motion, by which the nodes of the root rest on average."""
    rng = np.random.default_rng(10)
    nodes, k = rng.normal(size=(7, 3)), 4
    rigid = rigid_motions(nodes, nodes[0], width)
    for c in range(6):  # finite rotations by a small angle move points so
        turn = Rotation.from_rotvec(1e-7 * np.eye(3)[c - 3]).as_matrix() if c > 2 else np.eye(3)
        moved = (nodes - nodes[0]) @ turn.T - (nodes - nodes[0])
        expected = np.zeros((7, width))
        expected[:, :3] = moved / 1e-7 if c > 2 else np.eye(3)[c]
        if width == 6 and c > 2:
            expected[:, 3:] = np.eye(3)[c - 3]
        np.testing.assert_allclose(rigid[:, c].reshape(7, width), expected, atol=1e-6)
    n = width * 7
    out = np.eye(n) - rigid @ np.linalg.pinv(rigid)
    A, B = rng.normal(size=(2, n, n))
    K, M = out @ A @ A.T @ out + 0.0, B @ B.T + n * np.eye(n)
    model = MeshModel(sp.csc_matrix(K), sp.csc_matrix(M), nodes, width, np.zeros((0, 3), dtype=np.int64))
    root = np.array([1, 3, 4])
    made = _free_modes(model, root, nodes[root].mean(axis=0), k)
    exact = eigh(K, M)[1][:, 6 : 6 + k]
    part = np.linalg.lstsq(np.hstack([exact, rigid]), made, rcond=None)[0]
    np.testing.assert_allclose(np.hstack([exact, rigid]) @ part, made, atol=1e-7)
    np.testing.assert_allclose(np.abs(part[:k]), np.eye(k), atol=1e-6)
    rows = [width * i + j for i in root for j in range(width)]
    np.testing.assert_allclose(rigid[rows].T @ made[rows], 0.0, atol=1e-8)
    with pytest.raises(MachineError, match=f"modes must be < {n - 6}, got {n - 6}"):
        _free_modes(model, root, nodes[0], n - 6)


def test_a_gram_matrix_as_vectors() -> None:
    """As many as its rank, with positive weights where it is positive: their products are its entries."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(6, 3)) * 10.0 ** rng.uniform(-3, 3, 6)[:, None]
    gram = X @ X.T
    weights, fields = _fields(gram)
    size = np.sqrt(np.outer(np.diag(gram), np.diag(gram)))
    np.testing.assert_allclose((fields.T * weights) @ fields / size, gram / size, atol=1e-13)
    assert weights.max() > 0.1 and len(weights) == fields.shape[0] <= 6
    gram[2] = gram[:, 2] = 0.0
    weights, fields = _fields(gram)
    assert np.isfinite(fields).all() and np.abs(fields[:, 2]).max() < 1e-14
