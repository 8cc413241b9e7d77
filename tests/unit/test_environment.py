"""Harmonics of the Earth, eclipse and density: against point masses, closed forms and an independent integration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.model import (
    Drag,
    GravityModel,
    Orbit,
    SolarPressure,
    earth_zonals,
    in_orbit,
    read_gfc,
    shadow_edges,
    sidereal_angle,
    standard_density,
    sunlight,
)
from dalembert.model.orbit import EARTH_MU, EARTH_RADIUS
from dalembert.systems import space_robots


def _of_masses(places: np.ndarray, shares: np.ndarray, degree: int) -> GravityModel:
    """Coefficients of point masses (places in units of the radius): the integral definition, with SciPy's functions."""
    from math import factorial

    from scipy.special import lpmv

    C, S = np.zeros((degree + 1, degree + 1)), np.zeros((degree + 1, degree + 1))
    r = np.linalg.norm(places, axis=1)
    phi, lam = places[:, 2] / r, np.arctan2(places[:, 1], places[:, 0])
    for n in range(degree + 1):
        for m in range(n + 1):
            size = np.sqrt((2.0 - (m == 0)) * (2 * n + 1) * factorial(n - m) / factorial(n + m))
            P = (-1.0) ** m * size * lpmv(m, n, phi)  # SciPy has the phase of Condon and Shortley
            C[n, m] = np.sum(shares * r**n * P * np.cos(m * lam)) / (2 * n + 1)
            S[n, m] = np.sum(shares * r**n * P * np.sin(m * lam)) / (2 * n + 1)
    return GravityModel(C, S)


def test_harmonics_are_those_of_point_masses() -> None:
    rng = np.random.default_rng(1)
    places = 0.12 * rng.normal(size=(6, 3))
    shares = rng.uniform(0.5, 1.5, 6)
    shares /= shares.sum()
    places -= shares @ places  # about the centre of mass: no terms of degree one
    model = _of_masses(places, shares, 24)
    for x in (*(1.3 * EARTH_RADIUS * u / np.linalg.norm(u) for u in rng.normal(size=(5, 3))), np.array([0, 0, 8e6])):
        d = x - EARTH_RADIUS * places
        exact = -EARTH_MU * np.sum(shares[:, None] * d / np.linalg.norm(d, axis=1)[:, None] ** 3, axis=0)
        assert np.allclose(model.acceleration(x), exact, rtol=0, atol=1e-12 * np.linalg.norm(exact))
        potential = EARTH_MU * np.sum(shares / np.linalg.norm(d, axis=1))
        assert model.potential(x) == pytest.approx(potential, rel=1e-13)
    assert model.to_degree(4, 0).C[4, 1] == 0.0 and model.to_degree(4).degree == 4


@pytest.mark.parametrize("degree", [1, 7, 2.0, "4"])
def test_zonals_that_are_not_built_in_are_refused(degree: Any) -> None:
    with pytest.raises(da.InputError, match=r"degree 2 to 6 are built in, got .*read_gfc"):
        earth_zonals(degree)


def test_built_in_zonals_and_files(tmp_path: Path) -> None:
    earth = earth_zonals()
    J = -np.sqrt(2 * np.arange(2, 7) + 1.0) * earth.C[2:, 0]
    assert pytest.approx([1.08262668e-3, -2.53265649e-6, -1.61962159e-6, -2.27296083e-7, 5.40681239e-7], rel=2e-8) == J
    # degree two alone is the oblate Earth that machines have had
    x = ca.SX.sym("x", 3)
    k = (earth.mu / EARTH_MU) * (earth.radius / EARTH_RADIUS) ** 2
    field = da.model.OrbitalGravity("g", "hub", Orbit(7e5), 1.0, J2=float(J[0]) * k)
    old = ca.Function("a", [x], [field._oblateness(x)])
    at = np.array([5.1e6, -3.2e6, 4.4e6])
    new = ca.Function("b", [x], [earth.to_degree(2).attraction(x)])
    assert np.allclose(np.array(old(at)), np.array(new(at)), rtol=1e-12, atol=0)
    text = ["product_type gravity_field", "modelname TRY", "earth_gravity_constant 0.3986004415D+15",
            "radius 6378136.3", "max_degree 2", "norm fully_normalized", "end_of_head ====",
            "gfc 0 0 1.0 0.0", "gfc 2 0 -4.84165371736D-04 0.0 1e-12 0", "gfc 2 1 -1.86987635955e-10 1.19528012031e-09",
            "gfc 2 2 2.43914352398e-06 -1.40016683654e-06"]  # fmt: skip
    file = tmp_path / "try.gfc"
    file.write_text("\n".join(text))
    model = read_gfc(file)
    assert (model.name, model.degree, model.mu) == ("TRY", 2, 3.986004415e14)
    assert model.S[2, 2] == -1.40016683654e-06 and read_gfc(file, order=0).C[2, 2] == 0.0
    for change, message in (
        (lambda rows: rows[:-1], r"ends before degree 2: there is no coefficient \(2, 2\)"),
        (lambda rows: [*rows, "gfct 2 0 1 0 0 0 20050101"], "depend on time"),
        (lambda rows: rows[1:6], "no line 'end_of_head'"),
        (lambda rows: [r.replace("fully_", "un") for r in rows], "norm 'unnormalized'"),
        (lambda rows: [*rows, "gfc 2 x 1 0"], "expected 'gfc n m C S'"),
    ):
        file.write_text("\n".join(change(text)))
        with pytest.raises(da.InputError, match=message):
            read_gfc(file)


def _craft(**fields) -> da.Machine:
    look = da.Geometry(da.Box((1, 1, 1)))
    body = da.Body("hub", 100.0, inertia=(1e-9, 1e-9, 1e-9), geometry=(look,))
    free = da.Joint("hub", "free", "world", "hub")
    return da.Machine("craft", [body], [free], gravity=(0, 0, 0), **fields)


def test_a_day_in_the_field_of_the_earth_is_that_of_an_independent_integration() -> None:
    """Zonal and tesseral terms in axes that turn: of point masses, against SciPy with the masses themselves."""
    from scipy.integrate import solve_ivp

    places = 0.1 * np.array([[0.5, 0.1, 0.9], [-0.5, 0.2, -0.7], [0.1, -0.9, 0.3], [-0.1, 0.6, -0.5], [0.0, 0.0, 0.0]])
    shares = np.array([0.01, 0.01, 0.02, 0.02, 0.94])
    places = places - shares @ places
    model = _of_masses(places, shares, 11)
    orbit, epoch = Orbit(7e5, 0.01, inclination=1.2, node=0.4), 2461120.0
    machine = in_orbit(_craft(), orbit, harmonics=model, epoch=epoch)
    day = 86400.0
    eom = da.equations(machine, backend="vm")
    run = da.simulate(eom, duration=day, method="dop853", rtol=1e-12, atol=1e-9, record=day)
    place = run.array(["hub.x", "hub.y", "hub.z"])[-1] + orbit.motion(day)[0]

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        a = float(sidereal_angle(epoch, t))
        c, s = np.cos(a), np.sin(a)
        d = y[:3] - EARTH_RADIUS * places @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]])
        pull = -EARTH_MU * (shares / np.sqrt(np.sum(d * d, axis=1)) ** 3) @ d
        return np.concatenate([y[3:], pull])

    start = np.concatenate([orbit.motion(0.0)[0], orbit.motion(0.0)[1]])
    end = solve_ivp(rates, (0.0, day), start, method="DOP853", rtol=3e-13, atol=1e-6).y[:3, -1]
    assert np.linalg.norm(place - end) < 1e-9 * np.linalg.norm(end)
    assert np.linalg.norm(place - orbit.motion(day)[0]) > 1e4  # the effect of the harmonics in a day


def test_the_shadow_of_the_earth() -> None:
    """Light, penumbra and umbra by the overlap of two discs; half of the Sun where its centre is on the limb."""
    sun = np.array([1.496e11, 0.0, 0.0])
    behind = np.array([-7.0e6, 0.0, 0.0])
    assert sunlight(behind, sun) == 0.0 and sunlight(-behind, sun) == 1.0
    assert sunlight(np.array([-7.0e6, 7.0e6, 0.0]), sun) == 1.0
    limb = np.array([-2.0e6, EARTH_RADIUS * 1.00001, 0.0])
    # the shares along a line across the penumbra: from 0 to 1, rising, about a half where the limb hides the centre
    heights = np.linspace(0.99, 1.01, 101) * EARTH_RADIUS
    shares = np.array([float(sunlight(np.array([-2.0e6, h, 0.0]), sun)) for h in heights])
    assert shares[0] == 0.0 and shares[-1] == 1.0 and np.all(np.diff(shares) >= -1e-12)
    centre = sun - np.array([-2.0e6, EARTH_RADIUS, 0.0])
    assert 0.4 < float(sunlight(limb, sun)) < 0.6 and centre[0] > 0
    # the overlap of two discs against a count of points of the Sun
    x = np.array([-2.0e6, 0.9998 * EARTH_RADIUS, 0.0])
    rng = np.random.default_rng(0)
    rho, turn = np.sqrt(rng.uniform(size=200_000)) * 6.957e8, rng.uniform(0, 2 * np.pi, 200_000)
    points = sun + np.stack([np.zeros_like(rho), rho * np.cos(turn), rho * np.sin(turn)], axis=1)
    d = points - x
    d /= np.linalg.norm(d, axis=1)[:, None]
    nearest = np.linalg.norm(x - (d @ x)[:, None] * d, axis=1)
    lit = np.mean((nearest > EARTH_RADIUS) | (d @ x > 0))
    assert float(sunlight(x, sun)) == pytest.approx(lit, abs=5e-3)


def test_pressure_ends_in_the_shadow() -> None:
    low = Orbit(7e5)
    lit = SolarPressure("p", "hub", area=2.0, normal=(1, 0, 0), orbit=low, shadow=True)
    machine = _craft(fields=[lit])
    eom = da.equations(machine, backend="vm")
    assert eom.inverse_dynamics(eom.q_neutral, np.zeros(6), np.zeros(6)) is not None
    run = da.simulate(eom, duration=low.period, method="dopri5", rtol=1e-9, atol=1e-15, record=low.period / 400)
    force = 100.0 * np.gradient(run["hub.vx"], run.t)
    dark = np.abs(force) < 1e-9
    share = np.arcsin(EARTH_RADIUS / (EARTH_RADIUS + 7e5)) / np.pi  # of a cylinder, the penumbra is short
    assert dark.mean() == pytest.approx(share, abs=0.02)
    assert force.min() == pytest.approx(-2.0 * 4.56e-6, rel=1e-3)
    with pytest.raises(da.MachineError, match=r"shadow .* needs the orbit"):
        SolarPressure("p", "hub", shadow=True)


def test_a_day_of_drag_and_sunlight_is_that_of_an_independent_integration() -> None:
    """Plates that keep their attitude: drag on one side, pressure outside of the shadow, against SciPy between kinks.

    The kinks, where a plate turns its other side to the wind and at the edges of penumbra and umbra, are events here
    and ends of intervals there.
    """
    from scipy.integrate import solve_ivp

    orbit, day = Orbit(5e5, 0.002, inclination=0.9, node=0.3), 86400.0
    sun = np.array([0.8, 0.55, 0.24]) / np.linalg.norm([0.8, 0.55, 0.24])
    area, mass, rho, H = 3.0, 100.0, 5e-13, 6e4
    fields = [
        Drag("d", "hub", orbit, area=area, normal=(0, 1, 0), density=rho, scale_height=H),
        SolarPressure("p", "hub", area=area, normal=tuple(sun), sun=tuple(sun), orbit=orbit, shadow=True),
    ]
    far = 1.495978707e11 * sun
    events = [
        da.Event(name, lambda t, q, v, k=k: shadow_edges(orbit.motion(t)[0] + q[:3], ca.DM(far), orbit.radius)[k])
        for k, name in enumerate(("penumbra", "umbra"))
    ]
    machine = in_orbit(_craft(fields=fields), orbit)
    eom = da.equations(machine, backend="vm")
    run = da.simulate(eom, duration=day, method="dop853", rtol=1e-12, atol=1e-12, record=day, events=events)
    place = run.array(["hub.x", "hub.y", "hub.z"])[-1] + orbit.motion(day)[0]
    turn = 7.2921159e-5

    def kinks(t: float, y: np.ndarray) -> np.ndarray:
        wind = y[3:] - turn * np.array([-y[1], y[0], 0.0])
        d = far - y[:3]
        a, b = np.arcsin(6.957e8 / np.linalg.norm(d)), np.arcsin(orbit.radius / np.linalg.norm(y[:3]))
        cross = np.linalg.norm(np.cross(-y[:3], d))
        c = np.arctan2(cross, -y[:3] @ d)
        return np.array([wind[1], c - a - b, c - b + a])

    def rates(t: float, y: np.ndarray, signs: np.ndarray) -> np.ndarray:
        r = np.linalg.norm(y[:3])
        wind = y[3:] - turn * np.array([-y[1], y[0], 0.0])
        pull = -orbit.mu * y[:3] / r**3
        if signs[0] > 0.0:
            thick = rho * np.exp((orbit.radius + orbit.altitude - r) / H)
            pull = pull - 0.5 * thick * area * 2.2 * wind[1] * wind / mass
        if signs[2] > 0.0:
            lit = 1.0
            if signs[1] < 0.0:  # the part of the Sun's disc that two circular segments leave
                d = far - y[:3]
                a, b = np.arcsin(6.957e8 / np.linalg.norm(d)), np.arcsin(orbit.radius / r)
                c = np.arctan2(np.linalg.norm(np.cross(-y[:3], d)), -y[:3] @ d)
                halves = [(c * c + i * i - j * j) / (2.0 * c * i) for i, j in ((a, b), (b, a))]
                p, q = 2.0 * np.arccos(np.clip(halves, -1.0, 1.0))
                lit = 1.0 - (a * a * (p - np.sin(p)) + b * b * (q - np.sin(q))) / (2.0 * np.pi * a * a)
            pull = pull - lit * 4.56e-6 * area * sun / mass
        return np.concatenate([y[3:], pull])

    t, y, found = 0.0, np.concatenate(orbit.motion(0.0)), []
    signs = np.sign(kinks(t, y))
    while t < day:
        ends = [lambda t, y, k=k: kinks(t, y)[k] for k in range(3)]
        for end, sign in zip(ends, signs, strict=True):
            end.terminal, end.direction = True, -sign
        part = solve_ivp(
            lambda t, y, at=signs: rates(t, y, at), (t, day), y, method="DOP853", rtol=3e-14, atol=1e-9, events=ends
        )
        assert part.status >= 0, part.message
        t, y = float(part.t[-1]), part.y[:, -1]
        if part.status == 1:  # the state at an event is interpolated: this step is made again, up to the event
            last = (lambda t, y, at=signs: rates(t, y, at), (part.t[-2], t), part.y[:, -2])
            y = solve_ivp(*last, method="DOP853", rtol=3e-14, atol=1e-9).y[:, -1]
        for k in range(3):
            if len(part.t_events[k]):
                signs[k] = -signs[k]
                found += [] if k == 0 else [(("penumbra", "umbra")[k - 1], t)]
    free = orbit.motion(day)[0]
    assert np.linalg.norm(y[:3] - free) > 200.0
    assert np.linalg.norm(place - y[:3]) < 1e-6 * np.linalg.norm(y[:3] - free)
    mine = [(e.name, e.t) for e in run.events]
    assert [n for n, _ in mine] == [n for n, _ in found] and len(found) > 40
    assert np.allclose([x for _, x in mine], [x for _, x in found], atol=1e-3)


def test_density_of_the_standard_atmosphere() -> None:
    assert standard_density(4e5) == pytest.approx(3.725e-12) and standard_density(0.0) == pytest.approx(1.225)
    heights = np.linspace(1e5, 9e5, 500)
    rho = np.array([standard_density(h) for h in heights])
    assert np.all(np.diff(rho) < 0.0)
    assert standard_density(4.25e5) == pytest.approx(np.sqrt(3.725e-12 * 1.585e-12))  # exponential between the rows
    low = Orbit(4e5)
    standard = Drag("d", "hub", low, area=2.0, normal=(0, 1, 0), atmosphere="standard")
    plain = Drag("d", "hub", low, area=2.0, normal=(0, 1, 0), density=3.725e-12)
    pushes = []
    for field in (standard, plain):
        eom = da.equations(_craft(fields=[field]), backend="vm")
        run = da.simulate(eom, duration=1.0, step=0.1)
        pushes.append(run["hub.vy"][-1])
    assert pushes[0] == pytest.approx(pushes[1], rel=1e-3) and pushes[0] < 0.0
    with pytest.raises(da.MachineError, match=r"standard atmosphere .* takes no density"):
        Drag("d", "hub", low, density=2e-12, atmosphere="standard")


def test_power_of_an_array_falls_in_the_shadow() -> None:
    """Closed form of a plate that faces the Sun, tilted and not: zero in the umbra, the mean that of the lit part."""
    low, tilt = Orbit(7e5), 0.7
    light = SolarPressure(
        "wing", "hub", area=3.0, normal=(np.cos(tilt), np.sin(tilt), 0), orbit=low, shadow=True, pressure=4.5e-6
    )
    eom = da.equations(_craft(fields=[light]), backend="vm")
    run = da.simulate(eom, duration=low.period, method="dopri5", rtol=1e-9, atol=1e-12, record=low.period / 800)
    power = space_robots.array_power(run, "wing", 0.3)
    full = 0.3 * 4.5e-6 * 299792458.0 * 3.0 * np.cos(tilt)
    assert power.max() == pytest.approx(full, rel=1e-6) and power.min() == 0.0
    share = np.arcsin(EARTH_RADIUS / (EARTH_RADIUS + 7e5)) / np.pi  # of a cylinder, the penumbra is short
    assert np.mean(power) / full == pytest.approx(1.0 - share, abs=5e-3)
    for name, efficiency, match in (("wnig", 0.3, "did you mean .wing"), ("wing", -0.1, "efficiency of an array")):
        with pytest.raises(da.DalembertError, match=match):
            space_robots.array_power(run, name, efficiency)


def test_the_tide_is_the_difference_of_two_attractions() -> None:
    """By numbers of 60 digits, from a metre to the radius of the orbit."""
    from decimal import Decimal, localcontext

    orbit, rng = Orbit(5e5), np.random.default_rng(4)
    field = da.model.OrbitalGravity("g", "hub", orbit, 1.0)
    r, d = ca.SX.sym("r", 3), ca.SX.sym("d", 3)
    tide = ca.Function("tide", [r, d], [field._tide(r, d)])
    for size in (1.0, 1e3, 1e6, 7e6):
        at, off = 6.9e6 * np.array([0.6, -0.48, 0.64]), size * rng.normal(size=3)
        with localcontext() as context:
            context.prec = 60
            one, two = (
                [Decimal(float(x)) for x in at],
                [Decimal(float(x)) + Decimal(float(y)) for x, y in zip(at, off, strict=True)],
            )
            pulls = [[x / sum(y * y for y in place).sqrt() ** 3 for x in place] for place in (two, one)]
            exact = [float(-Decimal(orbit.mu) * (a - b)) for a, b in zip(*pulls, strict=True)]
        found = np.array(tide(at, off)).ravel()
        assert np.linalg.norm(found - exact) < 1e-14 * np.linalg.norm(exact)
