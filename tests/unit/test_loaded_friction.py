"""Gears, bearings and guides whose friction is proportional to their load: runs, events, jams, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.core.errors import InputError, MachineError

EXACT: dict[str, Any] = {"method": "dopri5", "rtol": 1e-10, "atol": 1e-12}
LEAD, RUB = math.atan(0.08), math.atan(0.1)
ETA, BACK = math.tan(LEAD) / math.tan(LEAD + RUB), math.tan(LEAD - RUB) / math.tan(LEAD)
N, RADIUS, MASS = 40.0, 0.2, 100.0
HOLD = MASS * 9.81 * RADIUS / N  # torque of the load at the worm, without friction


def worm_hoist(I1: float = 0.01, I2: float = 2.0, torque: Any = 0.0) -> da.Machine:
    """A worm that drives a drum with a load."""
    drive = da.Parameter("drive", 0.0)
    return da.Machine(
        "hoist",
        [da.Body("a", 1.0, inertia=(I1,) * 3), da.Body("b", 1.0, inertia=(I2,) * 3), da.point_mass("load", MASS)],
        [
            da.Joint("m", "revolute", "world", "a", axis="y"),
            da.Joint("d", "revolute", "world", "b", axis="y"),
            da.Joint("z", "prismatic", "world", "load", axis="z"),
        ],
        constraints=[
            da.GearConstraint("worm", {"m": 1.0, "d": -N}, efficiency=ETA, back_efficiency=BACK),
            da.GearConstraint("drum", {"d": RADIUS, "z": -1.0}),
        ],
        wrenches=[da.Wrench("drive", "a", torque=(0, drive + torque, 0))],
    )


SWINGING = worm_hoist(torque=14.0 * da.sin(math.pi * da.TIME))


def by_hand(torque: float, side: float, I1: float = 0.01, I2: float = 2.0) -> float:
    """Acceleration of the worm that slips to one side, from Newton's law of both shafts, with the flank that fits."""
    mean = 1 - ETA * BACK
    a, b = (1 - 2 * BACK + ETA * BACK) / mean, (1 - 2 * ETA + ETA * BACK) / mean
    I2 = (I2 + MASS * RADIUS**2) / N**2
    for flank in (1.0, -1.0):
        A = [[I1, 1 + a * flank * side], [I2, -(1 - b * flank * side)]]
        acceleration, force = np.linalg.solve(A, [torque, -HOLD])
        if force * flank > 0:
            return float(acceleration)
    raise AssertionError("it jams")


@pytest.mark.parametrize(
    ("torque", "moves"),
    [(0.0, 0), (0.999 * HOLD / ETA, 0), (1.001 * HOLD / ETA, 1), (0.999 * HOLD * BACK, 0), (1.001 * HOLD * BACK, -1)],
)
def test_a_worm_locks_itself(torque: float, moves: int) -> None:
    """It stands without a motor, and lowers its load only where the motor pushes by ``-eta_b``."""
    run = da.simulate(worm_hoist(), duration=0.5, p={"drive": torque}, **EXACT)
    stepped = da.simulate(worm_hoist(), duration=0.5, p={"drive": torque}, contact="time-stepping", step=0.01)
    expected = 0.5 * by_hand(torque, moves) if moves else 0.0
    assert run["m_dot"][-1] == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert stepped["m_dot"][-1] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_runs_agree() -> None:
    """Lift, stand, lower, catch: events, other coordinates, energy, and steps of ever smaller length."""
    run = da.simulate(SWINGING, duration=4.0, **EXACT)
    names = [event.name for event in run.events]
    assert names == ["worm.slip", "worm.stick", "worm.slip", "worm.stick", "worm.stick", "worm.slip"]
    assert run.events[0].t == pytest.approx(math.asin(HOLD / ETA / 14.0) / math.pi, abs=1e-9)
    assert run.energy.drift < 1e-9
    assert -run["work.loss"][-1] == pytest.approx(run["loss.worm"][-1], rel=1e-12)
    other = da.simulate(SWINGING, duration=4.0, by="lagrange", **EXACT)
    assert other["m"][-1] == pytest.approx(run["m"][-1], rel=1e-9)
    errors = []
    for h in (4e-3, 1e-3):
        stepped = da.simulate(SWINGING, duration=4.0, contact="time-stepping", step=h)
        errors.append(abs(stepped["m"][-1] / run["m"][-1] - 1.0))
    assert errors[1] < 1e-6 and errors[1] < errors[0] / 4


@pytest.mark.slow
def test_rollouts_agree() -> None:
    """Lanes of time-stepping, and members event by event, equal single runs."""
    vary = {"v0.m_dot": [0.0, 1.0]}
    stepped = da.simulate(SWINGING, duration=4.0, contact="time-stepping", step=1e-3)
    rolled = da.rollout(SWINGING, duration=4.0, contact="time-stepping", step=1e-3, vary=vary)
    assert rolled["m"][0, -1] == pytest.approx(stepped["m"][-1], rel=1e-12)
    run = da.simulate(SWINGING, duration=4.0, **EXACT)
    members = da.rollout(SWINGING, duration=4.0, step=1e-3, vary=vary)
    assert members["m"][0, -1] == pytest.approx(run["m"][-1], rel=1e-7)


def test_a_jam_stops_at_once() -> None:
    """Where a heavy wheel drives a light worm that locks itself, no finite force lets it slip."""
    machine = worm_hoist(I1=1e-4, I2=50.0)
    run = da.simulate(machine, duration=0.2, v0={"m_dot": -5.0}, **EXACT)
    inertia = 1e-4 + (50.0 + MASS * RADIUS**2) / N**2
    assert np.abs(run["m_dot"]).max() < 1e-12
    assert run["loss.worm"][-1] == pytest.approx(0.5 * inertia * 25.0, rel=1e-12)
    stepped = da.simulate(machine, duration=0.2, v0={"m_dot": -5.0}, contact="time-stepping", step=0.01)
    assert abs(stepped["m_dot"][1]) < 1e-11
    driven = worm_hoist(I1=1e-4, I2=50.0, torque=-8.0 * da.TIME)
    exact = da.simulate(driven, duration=1.0, **EXACT)
    stepped = da.simulate(driven, duration=1.0, contact="time-stepping", step=1e-3)
    assert exact.events[0].t == pytest.approx(-BACK * HOLD / 8.0, rel=1e-9)
    assert stepped["m"][-1] == pytest.approx(exact["m"][-1], rel=1e-3)


def test_a_pendulum_in_a_plain_bearing() -> None:
    """Against an integration in its angle, with the reaction found by iteration: the load has two components."""
    mu, r, m, length, inertia, g = 0.2, 0.05, 2.0, 0.7, 0.3, 9.81
    pin = da.LoopConstraint("pin", "b", kind="revolute", axis="y", friction=mu, radius=r)
    body = da.Body("b", m, inertia=(inertia,) * 3, com=(0, 0, -length))
    machine = da.Machine("pendulum", [body], [da.Joint("f", "free", "world", "b")], constraints=[pin])
    q0 = [0, 0, 0, math.cos(0.25), 0, math.sin(0.25), 0]
    run = da.simulate(machine, duration=3.0, q0=q0, **EXACT)

    def rates(_: float, y: Any, side: float) -> list[float]:
        a = 0.0
        for _ in range(60):
            across, along = m * (g * math.sin(y[0]) + length * a), m * (g * math.cos(y[0]) + length * y[1] ** 2)
            a = (-m * g * length * math.sin(y[0]) - side * mu * r * math.hypot(across, along)) / (
                inertia + m * length**2
            )
        return [y[1], a]

    def stops(_: float, y: Any, side: float) -> float:
        return float(y[1])

    stops.terminal = True  # type: ignore[attr-defined]
    t, y, side, times = 0.0, [0.5, 0.0], -1.0, []
    for _ in range(3):
        stops.direction = -side  # type: ignore[attr-defined]
        found = solve_ivp(rates, [t, 3.0], y, args=(side,), events=stops, rtol=1e-12, atol=1e-13)
        t, y, side = found.t[-1], [found.y[0, -1], 0.0], -side
        times.append(t)
    assert [event.t for event in run.events] == pytest.approx(times[:3], abs=1e-8)
    assert run.energy.drift < 1e-9
    slides = [da.Joint(axis, "prismatic", on, axis, axis=axis) for axis, on in (("x", "world"), ("y", "x"), ("z", "y"))]
    tree = da.Machine(
        "tree",
        [body, *(da.Body(axis) for axis in "xyz")],
        [*slides, da.Joint("hinge", "revolute", "z", "b", axis="y")],  # a joint of the tree keeps its coordinate
        constraints=[pin],
    )
    hinged = da.simulate(tree, duration=3.0, q0={"hinge": 0.5}, **EXACT)
    assert [event.t for event in hinged.events] == pytest.approx(times[:3], abs=1e-8)
    assert hinged.energy.drift < 1e-8
    rest = da.simulate(machine, duration=1.0, q0=[0, 0, 0, math.cos(0.007), 0, math.sin(0.007), 0], **EXACT)
    assert math.asin(mu * r / length) > 0.014 and not rest.events and np.abs(rest["f.wy"]).max() < 1e-12


@pytest.mark.parametrize(("place", "speed"), [(0.3, 0.0), (0.3, 0.8)])
def test_a_bead_on_a_turning_rod(place: float, speed: float) -> None:
    """The guide moves: ``r'' = w^2 r - mu |(g, 2 w r')|`` in a plane; at rest friction holds ``m w^2 r``."""
    mu, w, m, g = 0.4, 3.0, 0.5, 9.81
    bead = da.Body("bead", m, inertia=(1e-3,) * 3)
    rod = da.Body("rod", 2.0, inertia=(0.5,) * 3)
    machine = da.Machine(
        "bead",
        [rod, bead],
        [da.Joint("turn", "revolute", "world", "rod", axis="z"), da.Joint("f", "free", "world", "bead")],
        constraints=[
            da.MotionConstraint("drive", joint="turn", value=w * da.TIME),
            da.LoopConstraint("guide", "bead", "rod", kind="prismatic", axis="x", friction=mu),
        ],
    )
    start = {"turn": 0.0, "f.x": place}
    v0 = {"turn_dot": w, "f.vx": speed, "f.vy": w * place, "f.wz": w}
    run = da.simulate(machine, duration=0.2, q0=start, v0=v0, backend="vm", **EXACT)
    distance = np.hypot(run["f.x"], run["f.y"])
    if not speed:
        assert not run.events and np.abs(distance - place).max() < 1e-10
        assert run["friction.guide"] == pytest.approx(-m * w**2 * place, rel=1e-9)
        return
    found = solve_ivp(
        lambda _, y: [y[1], w**2 * y[0] - mu * math.hypot(g, 2 * w * y[1])],
        [0, 0.2],
        [place, speed],
        rtol=1e-11,
        atol=1e-12,
    )
    assert distance[-1] == pytest.approx(found.y[0, -1], abs=1e-9)


def test_what_is_refused() -> None:
    terms = {"a": 1.0, "b": -2.0}
    for fault, settings in (
        ("above 0 and below 1", {"efficiency": 1.2}),
        ("back efficiency .* below 1", {"efficiency": 0.8, "back_efficiency": 1.0}),
        ("no efficiency", {"back_efficiency": 0.5}),
        ("cannot be switchable", {"efficiency": 0.8, "switchable": True}),
        ("then of its carrier 'c'", {"efficiency": 0.8, "carrier": "c"}),
        ("must have two terms", {"efficiency": 0.8, "terms": {"a": 1.0, "b": 1.0, "c": -2.0}}),
        ("add up to zero", {"efficiency": 0.8, "carrier": "c", "terms": {"a": 1.0, "b": 1.0, "c": -1.0}}),
    ):
        with pytest.raises(MachineError, match=fault):
            da.GearConstraint("g", **({"terms": terms} | settings))
    for fault, settings in (
        ("radius of its pin", {"friction": 0.1}),
        ("is a guide", {"kind": "prismatic", "friction": 0.1, "radius": 0.1}),
        ("kind='ball'", {"kind": "ball", "friction": 0.1}),
        ("no friction", {"radius": 0.1}),
        ("must be above 0", {"friction": -0.1, "radius": 0.1}),
    ):
        with pytest.raises(MachineError, match=fault):
            da.LoopConstraint("l", "x", **settings)
    with pytest.raises(InputError, match="constraint 'worm' of machine 'hoist'"):
        da.linearize(worm_hoist())
