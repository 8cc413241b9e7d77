"""The cases of the study ``ropes`` with other parameters: closed forms of each, for random numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import dalembert as da
from dalembert.studies.ropes.machines import atwood, belt, belt_mass, capstan, fixed_span, peg_pendulum, rotor, tackle

G = 9.81
TIGHT: dict[str, Any] = {"method": "dopri5", "rtol": 1e-11, "atol": 1e-12, "backend": "vm"}
SEEDS = pytest.mark.parametrize("seed", [1, 2])


def draw(seed: int, *bounds: tuple[float, float]) -> list[float]:
    rng = np.random.default_rng(seed)
    return [float(rng.uniform(*pair)) for pair in bounds]


@SEEDS
def test_rope_over_a_guide(seed: int) -> None:
    """Thrown up, it slows down with ``g (m1 - m2/E)/(m1 + m2/E)``; it then sticks or comes back, by the law alone."""
    m1, m2, mu, v = draw(seed, (2.0, 9.0), (1.0, 3.0), (0.05, 0.4), (0.5, 3.0))
    E = math.exp(mu * math.pi)
    start: Any = {"q0": {"x1": 4.0, "x2": 0.5}, "v0": {"x1_dot": -v, "x2_dot": v}}
    run = da.simulate(atwood(m1, m2, friction=mu), duration=1.0, **start, **TIGHT)
    slows, back = G * (m1 - m2 / E) / (m1 + m2 / E), G * (m1 - m2 * E) / (m1 + m2 * E)
    stop = v / slows
    assert run.events[0].t == pytest.approx(stop, rel=1e-10) or stop > 1.0
    sticks = m1 < E * m2
    assert run.events[0].name == f"r.S.{'stick' if sticks else 'slip'}"
    rest = 0.0 if sticks else 0.5 * back * (1.0 - stop) ** 2
    assert run["x1"][-1] == pytest.approx(4.0 - 0.5 * v * stop + rest, rel=1e-10)
    a = 0.0 if sticks else back
    assert run["tension.r[0]"][-1] == pytest.approx(m1 * (G - a), rel=1e-9)
    assert run["tension.r[1]"][-1] == pytest.approx(m2 * (G + a), rel=1e-9)


@SEEDS
def test_spun_sheave(seed: int) -> None:
    m1, m2, I, r, mu, spin = draw(seed, (4.0, 6.0), (2.0, 3.5), (0.01, 0.04), (0.08, 0.2), (0.2, 0.4), (20.0, 60.0))
    E = math.exp(mu * math.pi)
    T2 = 2 * G * m1 * m2 / (m1 + E * m2)  # T1 = E T2: the rim pulls the first mass upwards
    a, alpha = G - E * T2 / m1, (E - 1) * T2 * r / I
    stick = spin * r / (r * alpha - a)
    held = G * (m1 - m2) / (m1 + m2 + I / r**2)
    start: Any = {"q0": {"x1": 3.0, "x2": 3.0, "wheel": 0.0}, "v0": {"x1_dot": 0.0, "x2_dot": 0.0, "wheel_dot": spin}}
    run = da.simulate(atwood(m1, m2, radius=r, inertia=I, friction=mu), duration=1.0, **start, **TIGHT)
    assert run["tension.r[0]"][0] == pytest.approx(E * T2, rel=1e-10)
    assert [event.name for event in run.events] == ["r.S.stick"] and run.events[0].t == pytest.approx(stick, rel=1e-10)
    assert run["x1_dot"][-1] == pytest.approx(a * stick + held * (1.0 - stick), rel=1e-9)
    assert run["wheel_dot"][-1] == pytest.approx(-run["x1_dot"][-1] / r, rel=1e-9)


@pytest.mark.parametrize("parts", [3, 5, 8])
def test_tackles_that_accelerate(parts: int) -> None:
    """Tensions fall by ``k`` from the free end on; the load and the pull accelerate in the ratio of the parts."""
    load, mu, pin, bend = draw(parts, (300.0, 2000.0), (0.05, 0.2), (0.01, 0.03), (0.0, 0.02))
    c = mu * pin / 0.15
    k = (1 + c) / (1 - c) * (1 + bend)
    gain = (1 - k**-parts) / (k - 1)  # sum of the tensions of the parts, of that at the free end
    pull = 1.2 * load / gain
    a = G * (gain * pull - load) / (load + gain * parts * pull)
    loss = da.SheaveLoss(mu, pin, bend)
    run = da.simulate(tackle(parts, load, pull, loss=loss), duration=0.1, **TIGHT)
    assert run["z"][-1] == pytest.approx(0.5 * a * 0.01, rel=1e-9)
    assert run["tension.r[0]"][-1] == pytest.approx(pull * (G - parts * a), rel=1e-9)
    assert run[f"tension.r[{parts}]"][-1] == pytest.approx(pull * (G - parts * a) / k**parts, rel=1e-9)
    assert run.energy.drift < 1e-9


@SEEDS
def test_capstan(seed: int) -> None:
    load, hand, mu, speed = draw(seed, (50.0, 200.0), (5.0, 30.0), (0.25, 0.3), (0.2, 1.0))
    E = math.exp(mu * 6 * math.pi)
    a = E * hand / load - G
    rises = a > 0
    still: Any = {"q0": {"x": 0.0, "y": 0.0}, "v0": {"x_dot": 0.0, "y_dot": 0.0}}
    machine = capstan(hand, load=load, friction=mu, speed=speed)
    run = da.simulate(machine, duration=speed / a * 1.5 if rises else 0.1, **still, **TIGHT)
    assert run["tension.r[0]"][0] == pytest.approx(E * hand, rel=1e-8)
    assert [event.name for event in run.events] == ["r.C.stick"] * rises
    if rises:
        assert run.events[0].t == pytest.approx(speed / a, rel=1e-7)
        assert -run["x_dot"][-1] == pytest.approx(speed, rel=1e-9)


@pytest.mark.parametrize(("torque", "mu"), [(3.0, 0.4), (8.0, 0.7)])
def test_belt(torque: float, mu: float) -> None:
    """``1/s1 + 1/s2 = 2`` and ``8000 (s1 - s2) = M/r`` for the stretches of both spans; the ratio is ``s2/s1``."""
    r = 0.10495

    def of(s1: float) -> float:
        return 8000 * (s1 - 1 / (2 - 1 / s1)) - torque / r

    s1 = brentq(of, 0.9, 1.5, xtol=1e-15)
    ratio = 1 / (2 - 1 / s1) / s1
    machine = belt(torque - 0.4 * 12.0 * ratio, brake=0.4, friction=mu)
    run = da.simulate(machine, duration=2.5, v0={"a_dot": 12.0, "b_dot": 12.0}, **TIGHT)
    assert run["b_dot"][-1] / 12.0 == pytest.approx(ratio, abs=1e-9)
    assert run["tension.belt[1]"][-1] == pytest.approx(8000 * (s1 - 0.98), rel=1e-7)


@SEEDS
def test_memory_of_a_span(seed: int) -> None:
    kappa, up, weight = draw(seed, (0.2, 0.5), (0.3, 0.9), (50.0, 200.0))
    top = weight * (1 + up * (math.exp(2 * kappa) - 1))  # within what both guides hold together
    run = da.simulate(
        fixed_span((top - weight) * da.sin(math.pi / 2 * da.TIME), kappa=kappa, weight=weight),
        duration=2.0,
        step=0.01,
        backend="vm",
    )
    middle = max(weight, top * math.exp(-kappa))
    for t in (1.0, 2.0):
        assert run["tension.r[1]"][int(np.abs(run.t - t).argmin())] == pytest.approx(middle, rel=1e-9)


@SEEDS
def test_impact_over_a_sheave(seed: int) -> None:
    """The law of the rope for impulses: it slips where the ratio of sticking ones is above ``exp(mu pi)``."""
    m1, m2, I, r, mu, v = draw(seed, (4.0, 8.0), (1.0, 4.0), (0.005, 0.05), (0.08, 0.2), (0.05, 0.6), (1.0, 4.0))
    E, J = math.exp(mu * math.pi), I / r**2
    u = m1 * v / (m1 + m2 + J)
    P1, P2 = m1 * (v - u), m2 * u
    if P1 > E * P2:
        P2 = v / (1 / m2 + E / m1)
        P1 = E * P2
    machine = atwood(m1, m2, radius=r, inertia=I, friction=mu, length=2.0 + math.pi * r).with_(gravity=(0, 0, 0))
    start: Any = {"q0": {"x1": 0.4, "x2": 0.5, "wheel": 0.0}, "v0": {"x1_dot": v, "x2_dot": 0.0, "wheel_dot": 0.0}}
    run = da.simulate(machine, duration=0.15, **start, **TIGHT)
    taut = next(entry for entry in run.metadata["transitions"] if entry["impulse"])
    assert [taut["impulse"][f"r[{k}]"] for k in (0, 1)] == pytest.approx([P1, P2], rel=1e-9)
    wheel = (P1 - P2) * r / I
    after = 0.5 * m1 * (v - P1 / m1) ** 2 + 0.5 * m2 * (P2 / m2) ** 2 + 0.5 * I * wheel**2
    assert taut["energy_lost"] == pytest.approx(0.5 * m1 * v**2 - after, rel=1e-9)


@SEEDS
def test_stiction(seed: int) -> None:
    """The rotor breaks away where the torque reaches the static friction, and moves by integrals of the torque."""
    static, part = draw(seed, (6.0, 9.0), (0.5, 0.95))
    kinetic, omega = part * static, 2 * math.pi
    away = math.asin(static / 10.0) / omega

    def speed(t: float) -> float:
        return (10.0 * (math.cos(omega * away) - math.cos(omega * t)) / omega - kinetic * (t - away)) / 0.5

    stop = brentq(speed, 0.5 - away, 0.999, xtol=1e-15)
    run = da.simulate(rotor(da.Friction(kinetic, static=static)), duration=stop + 1e-3, **TIGHT)
    assert [event.t for event in run.events[:2]] == pytest.approx([away, stop], rel=1e-10)


def test_stick_slip_on_a_slower_belt() -> None:
    """It slips for ``(2 pi - 2 atan((Fs - Fc)/(v sqrt(k m))))/omega``, with a belt of half the speed."""
    drive = da.MotionConstraint("drive", frame="belt", component="x", value=0.05 * da.TIME)
    machine = belt_mass().with_(constraints=[drive])
    run = da.simulate(machine, duration=2.6, v0={"x_dot": 0.05}, **TIGHT)
    slip, stick, again = (event.t for event in run.events[:3])
    angle = math.atan(4.0 / (0.05 * math.sqrt(200.0 * 2.0)))
    assert stick - slip == pytest.approx((2 * math.pi - 2 * angle) / 10.0, rel=1e-8)
    assert again - stick == pytest.approx(2 * 4.0 / (200.0 * 0.05), rel=1e-8)


@pytest.mark.parametrize("start", [-0.5, -0.8])
def test_peg(start: float) -> None:
    """In the angle of the free part of the rope, whose length falls by the arc on the peg; the bob keeps its speed."""
    R, l, free = 0.15, 1.2, 0.7  # free: below the peg, which touches the vertical through the anchor

    def rates(_: float, y: Any, length: float, radius: float) -> list[float]:
        return [y[1], (radius * y[1] ** 2 - G * math.sin(y[0])) / (length - radius * y[0])]

    def bottom(_: float, y: Any, *how: float) -> float:
        return float(y[0])

    def turns(_: float, y: Any, *how: float) -> float:
        return float(y[1])

    bottom.terminal = turns.terminal = True  # type: ignore[attr-defined]
    bottom.direction, turns.direction = 1, -1  # type: ignore[attr-defined]
    tight: Any = {"rtol": 1e-12, "atol": 1e-13, "method": "DOP853"}
    down = solve_ivp(rates, [0, 3], [start, 0.0], events=[bottom], args=(l, 0.0), **tight)
    met = float(down.t[-1])
    up = solve_ivp(rates, [met, 3], [0.0, down.y[1, -1] * l / free], events=[turns], args=(free, R), **tight)
    q0 = {"x": l * math.sin(start), "z": l - l * math.cos(start)}
    run = da.simulate(peg_pendulum(), duration=float(up.t[-1]), q0=q0, **TIGHT)
    assert [(event.name, event.t) for event in run.events] == [("r.peg.meet", pytest.approx(met, rel=1e-9))]
    assert run["wrap.r.peg"][-1] == pytest.approx(up.y[0, -1], rel=1e-9)
    assert abs(run["x_dot"][-1]) < 1e-8
