"""Friction of elastic ropes and belts event by event: independent integrations, creep, energy, slack."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.studies.ropes.machines import CRANE_START, belt, tackle, tower_crane

G = 9.81
EXACT: dict[str, Any] = {"method": "dopri5", "rtol": 1e-10, "atol": 1e-12}
RADIUS, MU, EA = 0.1, 0.2, 2e4
TOTAL = (5.0 + math.pi * RADIUS) / (1 + 25 / EA)
M1, M2 = 3.0, 2.5


def hung(damping: float = 0.0, friction: float = MU) -> da.Machine:
    """Two masses on an elastic rope over a rubbing guide."""
    guide = da.Guide("world", RADIUS, "y", friction=friction, name="G")
    return da.Machine(
        "hung",
        [da.point_mass("m1", M1), da.point_mass("m2", M2)],
        [
            da.Joint("x1", "prismatic", "world", "m1", axis="-z", origin=(-RADIUS, 0, -0.5)),
            da.Joint("x2", "prismatic", "world", "m2", axis="-z", origin=(RADIUS, 0, -0.5)),
        ],
        ropes=[da.Rope("r", [da.Anchor("m1"), guide, da.Anchor("m2")], stiffness=EA, length=TOTAL, damping=damping)],
    )


def spans(y: Any) -> tuple[float, float, float, float]:
    """Lengths and tensions of the two spans."""
    arc = math.pi * RADIUS / 2
    first, second = 0.5 + y[0] + arc, 0.5 + y[1] + arc
    return first, second, EA * (first / y[4] - 1), EA * (second / (TOTAL - y[4]) - 1)


def rates(_: float, y: Any, side: int) -> list[float]:
    """Positions, velocities and the rope before the guide; ``side``: where it slips to."""
    first, second, T1, T2 = spans(y)
    c1, c2, E = EA * first / y[4] ** 2, EA * second / (TOTAL - y[4]) ** 2, math.exp(MU * math.pi)
    a1, a2 = EA * y[2] / y[4], EA * y[3] / (TOTAL - y[4])
    slip = 0.0 if not side else (a2 - E * a1) / (c2 + E * c1) if side > 0 else (E * a2 - a1) / (c1 + E * c2)
    return [y[2], y[3], G - T1 / M1, G - T2 / M2, -slip]


def test_an_independent_integration_with_events() -> None:
    """Slip, stick, slip the same way, stick: times and positions; the energy with losses closes."""
    run = da.simulate(hung(), duration=1.0, q0=[2.0, 2.0], v0=[-2.0, 2.0], **EXACT)
    E = math.exp(MU * math.pi)
    t, side, y, times = 0.0, 0, np.array([2.0, 2.0, -2.0, 2.0, TOTAL / 2]), []

    def up(_: float, y: Any, side: int) -> float:
        return 1.0 if side else E * spans(y)[2] - spans(y)[3]

    def down(_: float, y: Any, side: int) -> float:
        return 1.0 if side else E * spans(y)[3] - spans(y)[2]

    def stick(t: float, y: Any, side: int) -> float:
        return -side * rates(t, y, side)[4] if side else 1.0

    events: list[Any] = [up, down, stick]
    for event in events:
        event.terminal, event.direction = True, -1
    for _ in range(10):
        part = solve_ivp(rates, [t, 1.0], y, args=(side,), events=events, rtol=1e-11, atol=1e-12, max_step=0.01)
        t, y = part.t[-1], part.y[:, -1]
        if t >= 1.0:
            break
        times.append(t)
        side = 0 if side else 1 if part.t_events[0].size else -1
        y, t = y + 1e-10 * np.array(rates(t, y, side)), t + 1e-10
    assert [event.name for event in run.events] == ["r.G.slip", "r.G.stick"] * 2
    assert [event.t for event in run.events] == pytest.approx(times, abs=2e-8)
    assert run["x1"][-1] == pytest.approx(y[0], abs=1e-8)
    assert run.energy.drift < 1e-9
    assert -run["work.loss"][-1] == pytest.approx(run["loss.r.G"][-1], rel=1e-12)
    ratio = np.abs(np.log(run["tension.r[1]"] / run["tension.r[0]"]))
    assert ratio.max() < MU * math.pi + 1e-8 and np.all((ratio > MU * math.pi - 1e-7) | (run["stick.r.G"] > 0.5))


def test_slack_and_taut() -> None:
    """Fixed steps and adaptive ones agree through ten changes, and so do members of a rollout."""
    start: Any = {"q0": {"x1": 2.0, "x2": 2.0}, "v0": {"x1_dot": -1.0, "x2_dot": 2.0}}
    exact = da.simulate(hung(), duration=0.9, **start, **EXACT)
    fixed = da.simulate(hung(), duration=0.9, step=1e-4, **start)
    names = [event.name for event in exact.events]
    assert names[:5] == ["r.G.slip", "r.slack", "r.taut", "r.slack", "r.taut"] and names.count("r.taut") >= 4
    assert [event.name for event in fixed.events] == names
    assert fixed["x1"][-1] == pytest.approx(exact["x1"][-1], abs=1e-8)
    assert exact.energy.drift < 1e-9 and fixed.energy.drift < 1e-9
    slack = exact["length.r"] < TOTAL - 1e-9
    assert slack.any() and not exact["tension.r[0]"][slack].any()


@pytest.mark.parametrize("damping", [0.0, pytest.param(500.0, marks=pytest.mark.slow)])
def test_a_slack_rope_over_several_sheaves_becomes_taut(damping: float) -> None:
    """Which sheaves slip follows from all rates at once; steps, which know no events, converge to the same."""
    loss = da.SheaveLoss(bearing=0.2, pin=0.02, bending=0.01)
    rope: dict[str, Any] = {"stiffness": 2e6, "length": 15.0, "damping": damping}  # slack by 0.115 m
    machine = tackle(4, 800.0, 230.0, loss=loss, **rope)
    start: dict[str, Any] = {"q0": {"z": 0.0, "h": 0.0}, "v0": {"z_dot": -0.4, "h_dot": 1.0}, "backend": "vm"}
    run = da.simulate(machine, duration=0.4, record=0.01, method="dopri5", rtol=1e-10, atol=1e-12, **start)
    names = [event.name for event in run.events]
    assert names.count("r.taut") >= 1 and run.status == "completed" and run.energy.drift < 1e-9
    T = np.array([run[f"tension.r[{i}]"] for i in range(5)])
    pulls = T.max(axis=0) > 1.0
    k = math.log((1 + 0.2 * 0.02 / 0.15) / (1 - 0.2 * 0.02 / 0.15) * 1.01)
    assert pulls.any() and np.abs(np.diff(np.log(T[:, pulls]), axis=0)).max() < k + 1e-6
    errors = []
    for h in (1e-3, 2.5e-4):
        steps = da.simulate(machine, duration=0.4, record=0.2, step=h, contact="time-stepping", **start)
        errors.append(abs(steps["z"][-1] - run["z"][-1]))
    assert errors[1] < min(2e-5, 0.5 * errors[0])


D = 40.0


def damped_rates(_: float, y: Any) -> list[float]:
    """As `rates`, with the slip at which the tensions, of which damping is a part, obey the law of the guide."""
    _, _, T1, T2 = spans(y)
    l1, l2, E = y[4], TOTAL - y[4], math.exp(MU * math.pi)
    T1, T2, c1, c2 = T1 + D * y[2] / l1, T2 + D * y[3] / l2, D / l1, D / l2
    slip = max(0.0, (T2 - E * T1) / (c2 + E * c1)) + min(0.0, (E * T2 - T1) / (c1 + E * c2))
    return [y[2], y[3], G - (T1 + c1 * slip) / M1, G - (T2 - c2 * slip) / M2, -slip]


def test_damping_against_an_independent_integration() -> None:
    """The law with damping has continuous slips: SciPy needs no events. Slip, stick, slip, stick; the energy closes."""
    start: Any = {"q0": [2.0, 2.0], "v0": [-2.0, 2.0]}
    run = da.simulate(hung(D), duration=1.0, **start, **EXACT)
    begin = [2.0, 2.0, -2.0, 2.0, TOTAL / 2]
    other = solve_ivp(damped_rates, [0.0, 1.0], begin, rtol=1e-11, atol=1e-13, max_step=1e-3, method="DOP853")
    assert [event.name for event in run.events] == ["r.G.slip", "r.G.stick"] * 2
    assert run["x1"][-1] == pytest.approx(other.y[0, -1], abs=1e-8)
    assert run["x2_dot"][-1] == pytest.approx(other.y[3, -1], abs=1e-7)
    assert run.energy.drift < 1e-9
    _, _, T1, T2 = spans(other.y[:, -1])
    T = [T1 + D * other.y[2, -1] / other.y[4, -1], T2 + D * other.y[3, -1] / (TOTAL - other.y[4, -1])]  # it sticks
    assert [run["tension.r[0]"][-1], run["tension.r[1]"][-1]] == pytest.approx(T, abs=1e-5)
    ratio = np.abs(np.log(run["tension.r[1]"] / run["tension.r[0]"]))
    assert ratio.max() < MU * math.pi + 1e-12
    steps = [da.simulate(hung(D), duration=0.3, step=h, contact="time-stepping", **start) for h in (1e-3, 5e-4)]
    exact = da.simulate(hung(D), duration=0.3, **start, **EXACT)
    errors = [abs(one["x1"][-1] - exact["x1"][-1]) for one in steps]
    assert errors[0] < 5e-4 and errors[1] < 0.6 * errors[0]
    assert steps[1]["tension.r[1]"][-1] == pytest.approx(exact["tension.r[1]"][-1], rel=1e-3)


def test_damping_of_spans_that_stick() -> None:
    """Each mass is a damped oscillator on its own span: x'' + 2 a x' + w^2 x = 0 about its rest."""
    run = da.simulate(hung(D, friction=5.0), duration=0.4, q0=[2.0, 2.0], v0=[0.1, 0.0], **EXACT)
    l = TOTAL / 2
    k, a = EA / (l * M1), D / (2 * l * M1)
    rest = l * (1 + M1 * G / EA) - 0.5 - math.pi * RADIUS / 2
    w = math.sqrt(k - a**2)
    x0 = 2.0 - rest
    t = run.t
    exact = rest + np.exp(-a * t) * (x0 * np.cos(w * t) + (0.1 + a * x0) / w * np.sin(w * t))
    np.testing.assert_allclose(run["x1"], exact, rtol=0, atol=1e-9)
    assert not run.events and run.energy.drift < 1e-8  # its peak is 17 mJ


def test_slack_with_damping() -> None:
    """A rope that shortens fast pulls no more though it is stretched; its strain energy is lost."""
    run = da.simulate(hung(20.0), duration=0.6, q0=[2.0, 2.0], v0=[-1.0, 2.0], **EXACT)
    names = [event.name for event in run.events]
    assert names[:5] == ["r.G.slip", "r.slack", "r.taut", "r.slack", "r.taut"] and names.count("r.taut") >= 4
    slack = next(event for event in run.events if event.name == "r.slack")
    assert 1e-4 < slack.x[0] + slack.x[1] + 1.0 + math.pi * RADIUS - TOTAL < 1e-2  # it is stretched there
    assert run.energy.drift < 1e-9
    T = np.array([run["tension.r[0]"], run["tension.r[1]"]])
    pulls = T.max(axis=0) > 0.0
    assert (~pulls).any() and np.abs(np.log(T[1, pulls] / T[0, pulls])).max() < MU * math.pi + 1e-9


@pytest.mark.parametrize(("torque", "ratio"), [(5.0, 0.994062515376), (10.0, 0.988160493158)])
def test_creep_of_a_belt(torque: float, ratio: float) -> None:
    machine, moving = belt(torque - 0.4 * 12.0 * ratio, brake=0.4), {"a_dot": 12.0, "b_dot": 12.0}
    run = da.simulate(machine, duration=3.0, v0=moving, **EXACT)
    assert run["b_dot"][-1] / 12.0 == pytest.approx(ratio, abs=1e-9)
    assert run.energy.drift < 1e-9
    if torque == 5.0:  # damping does not change the steady motion
        damped = replace(machine, ropes=[replace(machine.ropes[0], damping=30.0)])
        run = da.simulate(damped, duration=3.0, v0=moving, **EXACT)
        assert run["b_dot"][-1] / 12.0 == pytest.approx(ratio, abs=1e-9)
        assert run.energy.drift < 1e-9


def test_gross_slip_of_a_belt() -> None:
    """Both wheels reach their limits at once; one of them slips, and the ratio stays at its limit."""
    run = da.simulate(belt(20.0, brake=0.4), duration=0.5, v0={"a_dot": 12.0, "b_dot": 12.0}, **EXACT)
    assert {event.name for event in run.events} == {"belt.A.slip", "belt.B.slip"}
    assert run["tension.belt[1]"][-1] / run["tension.belt[0]"][-1] == pytest.approx(math.exp(0.5 * math.pi), rel=1e-8)
    assert run.energy.drift < 1e-9


@pytest.mark.slow
def test_an_elastic_tower_crane() -> None:
    """A drum, three sheaves with losses: the energy closes, every ratio obeys its law."""
    loss = da.SheaveLoss(0.15, 0.02, 0.005)
    crane = tower_crane((loss, loss, loss), stiffness=1.2e7, length=70.45)
    start: Any = CRANE_START
    run = da.simulate(crane, duration=4.0, method="dopri5", rtol=1e-9, atol=1e-10, **start)
    assert run.energy.drift < 1e-9 and len(run.events) > 4
    T = np.array([run[f"tension.hoist[{k}]"] for k in range(4)])
    assert np.abs(np.log(T[1:] / T[:-1])).max() < 0.06


@pytest.mark.slow
def test_a_damped_elastic_tower_crane() -> None:
    """Events and time-stepping agree once damping has taken the vibrations of their different starts."""
    trolley, hook = (da.SheaveLoss(c * r / 0.02, 0.02, 0.005) for c, r in ((0.015, 0.2), (0.012, 0.25)))
    crane = tower_crane((trolley, hook, trolley), stiffness=1.2e7, length=70.457, damping=1e6)
    start: Any = CRANE_START
    run = da.simulate(crane, duration=6.0, method="dopri5", rtol=1e-9, atol=1e-10, **start)
    steps = da.simulate(crane, duration=6.0, step=1e-3, contact="time-stepping", record=1.0, **start)
    assert run.energy.drift < 1e-9
    for k in range(4):
        assert steps[f"tension.hoist[{k}]"][-1] == pytest.approx(run[f"tension.hoist[{k}]"][-1], rel=2e-5)
    assert steps["hook_z"][-1] == pytest.approx(run["hook_z"][-1], abs=2e-5)
