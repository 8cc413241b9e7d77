"""Painleve's rod slides into the paradox: friction takes the pivot of its normal force between other events."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.engine.unilateral.algebra import Cones, NoContactForcesError, solve_cones
from dalembert.systems.contacts import painleve_rod

G, MU, SPEED, ANGLE = 9.81, 1.5, -20.0, math.radians(50.0)


def pivot(angle: float) -> float:
    """``W_nn - mu W_nt`` of a slender rod of 1 kg and 1 m at its tip, the end sliding away from its middle."""
    return 1.0 + 3.0 * math.cos(angle) ** 2 - 3.0 * MU * math.sin(angle) * math.cos(angle)


def slide(rate: float) -> tuple[float, np.ndarray]:
    """When the pivot is lost, and angle, rate and velocity of the middle there: the rod's own equations, by SciPy."""
    integrate = pytest.importorskip("scipy.integrate")

    def slope(t: float, y: np.ndarray) -> list[float]:
        angle, omega, _ = y
        force = (G - 0.5 * math.sin(angle) * omega**2) / pivot(angle)
        return [omega, 6.0 * force * (MU * math.sin(angle) - math.cos(angle)), MU * force]

    def lost(t: float, y: np.ndarray) -> float:
        return pivot(y[0]) - 1e-7

    lost.terminal = True  # type: ignore[attr-defined]
    start = [ANGLE, rate, SPEED - 0.5 * math.sin(ANGLE) * rate]
    found = integrate.solve_ivp(slope, (0.0, 0.1), start, method="DOP853", rtol=1e-11, atol=1e-13, events=lost)
    return float(found.t_events[0][0]), found.y_events[0][0]


def run_rod(rate: float, **settings: object) -> da.Run:
    machine = painleve_rod(MU)
    eom = da.equations(machine, by=str(settings.pop("by", "newton-euler")))
    q0 = {"base.x": 0.0, "base.y": 0.5 * math.sin(ANGLE), "base.angle": ANGLE}
    v0 = {
        "base.x_dot": SPEED - 0.5 * math.sin(ANGLE) * rate,
        "base.y_dot": 0.5 * math.cos(ANGLE) * rate,
        "base.angle_dot": rate,
    }
    given = {"method": "dopri5", "rtol": 1e-10, "atol": 1e-12, "record": 1e-3} | settings
    return da.simulate(eom, duration=0.02, q0=q0, v0=v0, **given)


def assert_jams(run: da.Run, rate: float) -> None:
    t, (angle, omega, v) = slide(rate)
    # the last 1e-7 of the pivot goes by in 1e-8 s
    jam = run.events[0]
    assert jam.name == "tip.jam"
    assert jam.t == pytest.approx(t, abs=1e-8)
    assert jam.x[2] == pytest.approx(angle, abs=1e-7)
    # the critical friction of the angle
    assert (math.tan(jam.x[2]) + 4.0 / math.tan(jam.x[2])) / 3.0 == pytest.approx(MU, abs=1e-6)
    # an impulse of friction at its limit stops the end: it changes nothing across the ground, all of the slip along it
    change = run.metadata["transitions"][0]
    push, drag = change["impulse"]["tip"], change["impulse"]["tip.friction"]
    assert change["painleve"] == 1
    assert drag == pytest.approx(MU * push, rel=1e-6)
    slip = v + 0.5 * math.sin(angle) * omega
    s, c = math.sin(angle), math.cos(angle)
    along = 1.0 + 3.0 * s * s - 3.0 * s * c / MU  # slip per impulse of friction
    assert drag == pytest.approx(-slip / along, rel=1e-6)
    assert change["energy_lost"] == pytest.approx(-0.5 * drag * slip, rel=1e-6)


@pytest.mark.parametrize("rate", [0.0, 3.0])
def test_the_rod_slides_into_the_paradox(rate: float) -> None:
    run = run_rod(rate)
    assert_jams(run, rate)
    assert run.status == "completed"
    assert run.energy.drift < 1e-9


def test_the_same_in_python() -> None:
    """With a transition of the caller that is asked, and on the virtual machine of CasADi."""
    assert_jams(run_rod(0.0, on_event=lambda t, x, names: None), 0.0)
    assert_jams(run_rod(0.0, backend="vm"), 0.0)


def test_constraints_that_hold_take_part_in_the_pivot() -> None:
    """In natural coordinates the rod is rigid by constraints."""
    one, two = run_rod(0.0), run_rod(0.0, by="natural", record=None)
    assert two.events[0].name == "tip.jam"
    assert two.events[0].t == pytest.approx(one.events[0].t, abs=1e-8)
    assert two.metadata["transitions"][0]["energy_lost"] == pytest.approx(
        one.metadata["transitions"][0]["energy_lost"], rel=1e-6
    )


def test_a_jammed_pair_opens_or_has_no_forces() -> None:
    """Where a push would press what it should part, a force that balances is no solution."""
    W = np.array([[1.6, -1.2, 0.0], [-1.2, 3.4, 0.0], [0.0, 0.0, 0.0]])
    slip = np.array([[-1.0, 0.0]])
    for b, opens in ((np.array([3.0, 0.0, 0.0]), True), (np.array([-3.0, 0.0, 0.0]), False)):
        c = Cones.of(W, b, np.array([MU]), slip)
        if opens:
            assert np.abs(solve_cones(c).p).max() < 1e-12
        else:
            with pytest.raises(NoContactForcesError):
                solve_cones(c)
