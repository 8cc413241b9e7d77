"""Elastic ropes on turning sheaves with losses, against equations by hand, closed forms and inextensible ropes."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.support.gpu_on_processor import cupy_of_tests, needs_gpp
from tests.unit.test_sheave_bearings import BEARING, EXACT, C, G, atwood

import dalembert as da
from dalembert.analysis import machine_modes
from dalembert.simulation.rollout import cuda

THROWN = {"x1_dot": -1.5, "x2_dot": 1.5, "wheel_dot": 15.0}


def elastic(m1: float, m2: float, EA: float, damping: float = 0.0, *, loss: Any = BEARING, **law: Any) -> da.Machine:
    """Two weights on an elastic rope over a turning sheave with losses."""
    machine = atwood(m1, m2, loss=loss, **law)
    rope = replace(machine.ropes[0], stiffness=EA, damping=damping, pretension=m2 * G)
    return machine.with_(ropes=[rope])


class Hand:
    """Rates of x1, x2, wheel, their rates and the rope before the sheave; the bearing turns, the rope sticks."""

    def __init__(self, m1: float, m2: float, EA: float, D: float) -> None:
        self.m, self.EA, self.D = np.array([m1, m2]), EA, D
        self.L = np.array([0.5, 0.5]) + math.pi * 0.05
        self.whole = self.L.sum() / (1 + m2 * G / EA)

    def tensions(self, y: np.ndarray) -> tuple[np.ndarray, float]:
        l = np.array([y[6], self.whole - y[6]])
        e = (self.L + y[:2]) / l - 1
        flow = 0.1 * y[5] / (1 + (e[0] if y[5] > 0 else e[1]))
        return self.EA * e + self.D * (y[3:5] - np.array([-flow, flow])) / l, flow

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        T, flow = self.tensions(y)
        alpha = 0.1 * (T[1] - T[0] - C * np.sign(y[5]) * T.sum()) / 0.02
        return np.array([*y[3:6], *(G - T / self.m), alpha, -flow])

    @property
    def start(self) -> np.ndarray:
        return np.array([0, 0, 0, -1.5, 1.5, 15.0, self.whole / 2])


@pytest.mark.parametrize("damping", [0.0, 30.0])
def test_runs_against_equations_by_hand(damping: float) -> None:
    """The weight rises against a bearing that turns, event by event and in steps."""
    hand = Hand(5.0, 3.0, 1e4, damping)
    end = solve_ivp(hand, (0, 0.2), hand.start, rtol=1e-11, atol=1e-13).y[:, -1]
    machine = elastic(5.0, 3.0, 1e4, damping, friction=0.8)
    run = da.simulate(machine, duration=0.2, v0=THROWN, **EXACT)
    np.testing.assert_allclose([run[n][-1] for n in ("x1", "x2", "wheel")], end[:3], atol=1e-9)
    np.testing.assert_allclose([run[f"tension.r[{i}]"][-1] for i in (0, 1)], hand.tensions(end)[0], rtol=1e-7)
    assert run["friction.r.S.bearing"][-1] == pytest.approx(-0.1 * C * hand.tensions(end)[0].sum(), rel=1e-7)
    assert run.energy.drift < 1e-9
    assert run["loss.r.S.bearing"][-1] > 5 * abs(run["loss.r.S"][-1])
    errors = [
        abs(
            da.simulate(machine, duration=0.2, v0=THROWN, backend="vm", contact="time-stepping", step=h)["x1"][-1]
            - end[0]
        )
        for h in (2e-3, 1e-3)
    ]
    assert errors[1] < 2e-6
    assert errors[1] < 0.6 * errors[0]


def test_a_rope_at_rest_starts_with_equal_tensions_in_steps() -> None:
    machine = elastic(5.0, 3.0, 1e5, 100.0, friction=0.8, loss=None)
    run = da.simulate(machine, duration=0.1, **EXACT)
    steps = da.simulate(machine, duration=0.1, backend="vm", contact="time-stepping", step=1e-3)
    assert steps["tension.r[0]"][0] == pytest.approx(steps["tension.r[1]"][0], rel=1e-9)
    assert steps["x1"][-1] == pytest.approx(run["x1"][-1], abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("law", [{"teeth": True}, {"friction": 0.8}])
def test_stiff_ropes_are_inextensible(law: dict[str, Any]) -> None:
    rigid = da.simulate(atwood(5.0, 3.0, **law), duration=0.5, v0=THROWN, **EXACT)
    loose = EXACT | {"rtol": 1e-9}
    run = da.simulate(elastic(5.0, 3.0, 1e7, 1e3, **law), duration=0.5, v0=THROWN, **loose)
    assert run["x1"][-1] == pytest.approx(rigid["x1"][-1], abs=1e-6)  # it creeps by 4e-7 m
    assert run.energy.drift < 1e-10
    free = da.simulate(
        elastic(5.0, 3.0, 1e7, 1e3, **law, loss=da.SheaveLoss(1e-7, 0.04)), duration=0.5, v0=THROWN, **loose
    )
    none = da.simulate(atwood(5.0, 3.0, **law, loss=None), duration=0.5, v0=THROWN, **EXACT)
    assert free["x1"][-1] == pytest.approx(none["x1"][-1], abs=1e-6)


@pytest.mark.slow
def test_a_bearing_holds_the_weights() -> None:
    """It comes to rest, holds while the rope swings out, and then bears the difference of the weights."""
    machine = elastic(3.6, 3.0, 1e4, 100.0, friction=0.8)
    start = {"x1_dot": 0.2, "x2_dot": -0.2, "wheel_dot": -2.0}
    run = da.simulate(machine, duration=2.0, v0=start, method="dopri5", rtol=1e-9, atol=1e-11, backend="vm")
    assert run.events[0].name == "r.S.bearing.stick"
    assert run["stick.r.S.bearing"][-1] == 1.0
    assert run["friction.r.S.bearing"][-1] == pytest.approx(0.1 * 0.6 * G, rel=1e-6)  # of 0.777 N m
    assert run.energy.drift < 1e-9


@pytest.mark.slow
def test_a_belt_drives_a_rotor_against_its_bearings() -> None:
    """At a steady speed: r (T1 - T0) = d w + c r (T0 + T1) at the driven wheel, and the motor bears both bearings."""
    loss = da.SheaveLoss(0.2, 0.02)
    c, r, d = 0.2 * 0.02 / 0.1, 0.1, 0.2
    wheels = [
        da.Sheave("world", r, "y", at=(x, 0, 0), joint=j, friction=0.5, name=j, loss=loss)
        for x, j in ((0.0, "motor"), (0.4, "fan"))
    ]
    drive = da.Machine(
        "drive",
        [da.Body("pulley", 1.0, inertia=(0.01,) * 3), da.Body("rotor", 1.0, inertia=(0.02,) * 3)],
        [
            da.Joint("motor", "revolute", "world", "pulley", axis="y"),
            da.Joint("fan", "revolute", "world", "rotor", axis="y", origin=(0.4, 0, 0), damping=d),
        ],
        constraints=[da.MotionConstraint("speed", joint="motor", value=12.0 * da.TIME)],
        ropes=[da.Rope("belt", wheels, closed=True, stiffness=8000.0, pretension=160.0)],
    )
    v0 = {"motor_dot": 12.0, "fan_dot": 12.0}
    run = da.simulate(drive, duration=1.5, v0=v0, method="dopri5", rtol=1e-10, atol=1e-12, backend="vm")
    T0, T1, w = (run[name][-1] for name in ("tension.belt[0]", "tension.belt[1]", "fan_dot"))
    assert r * (T1 - T0) == pytest.approx(d * w + c * r * (T0 + T1), rel=1e-4)
    assert 1 - w / 12.0 == pytest.approx((T1 - T0) / (8000 + T1), rel=1e-3)  # its creep
    assert abs(run["multiplier.speed"][-1]) == pytest.approx(r * (T1 - T0) + c * r * (T0 + T1), rel=1e-4)
    assert run.energy.drift < 1e-9
    tensions = {"belt[0]": T0, "belt[1]": T1}
    plant = da.linearize(
        drive, v=v0 | {"fan_dot": w}, tensions=tensions, require_equilibrium=False, outputs=["fan_dot", "fan"]
    )
    assert plant.state_labels == ["fan", "fan_dot", "material_belt_motor", "material_belt_fan"]
    assert max(pole.real for pole in plant.poles()) < 1e-6


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_linear_models_against_differences_of_equations_by_hand(way: float) -> None:
    hand = Hand(5.0, 3.0, 1e4, 30.0)
    x = hand.start * np.array([1, 1, 1, way, way, way, 0.999])
    T = hand.tensions(x)[0]
    plant = da.linearize(
        elastic(5.0, 3.0, 1e4, 30.0, friction=0.8),
        v={name: way * speed for name, speed in THROWN.items()},
        tensions={"r[0]": T[0], "r[1]": T[1]},
        require_equilibrium=False,
        outputs=["x1", "tension.r[0]", "tension.r[1]"],
    )
    order = [
        plant.state_labels.index(n) for n in ("x1", "x2", "wheel", "x1_dot", "x2_dot", "wheel_dot", "material_r_S")
    ]
    A = plant.A[np.ix_(order, order)]
    # the state counts what the rim has brought: its rate is that of the rope before the sheave and of the rim
    E = np.eye(7)
    E[6, 2] = -0.1
    slopes = np.column_stack([(hand(0, x + 1e-6 * e) - hand(0, x - 1e-6 * e)) / 2e-6 for e in E.T])
    slopes = np.linalg.solve(E, slopes)
    np.testing.assert_allclose(A, slopes, rtol=1e-5, atol=1e-6 * np.abs(slopes).max())
    pulls = np.column_stack([(hand.tensions(x + 1e-6 * e)[0] - hand.tensions(x - 1e-6 * e)[0]) / 2e-6 for e in E.T])
    np.testing.assert_allclose(plant.C[1:, order], pulls, rtol=1e-5, atol=1e-6 * np.abs(pulls).max())


def test_a_bearing_at_rest_separates_two_springs() -> None:
    machine = elastic(3.0, 3.0, 2e4, friction=0.8)
    l = (0.5 + math.pi * 0.05) / (1 + 3 * G / 2e4)
    assert machine_modes(machine).omega == pytest.approx([math.sqrt(2e4 / l / 3.0)] * 2, rel=1e-9)
    free = machine_modes(elastic(3.0, 3.0, 2e4, friction=0.8, loss=None)).omega
    assert len(free) == 3 and free[0] < 1e-5 * free[1]


@pytest.mark.slow
def test_a_drum_lifts_by_an_elastic_rope_with_losses() -> None:
    """A drum that coils stretched rope bears T + T^2/(2 EA): event by event, in steps, and as a rigid rope."""

    def lift(**rope: Any) -> da.Machine:
        law: dict[str, Any] = {"friction": 0.4, "loss": da.SheaveLoss(0.15, 0.03, 0.004)}
        return da.Machine(
            "lift",
            [
                da.Body("winch", 20.0, inertia=(1.0,) * 3),
                da.point_mass("block", 400.0),
                da.Body("wheel", 8.0, inertia=(0.25,) * 3),
            ],
            [
                da.Joint("winch", "revolute", "world", "winch", axis="-y", origin=(1.25, 0, 8.0)),
                da.Joint("z", "prismatic", "world", "block", axis="z", origin=(1.7, 0, 3.0)),
                da.Joint("hook", "revolute", "block", "wheel", axis="-y"),
            ],
            motors=[da.Motor("M", "winch")],
            ropes=[
                da.Rope(
                    "fall",
                    [
                        da.Drum("winch", 0.2, axis="y"),
                        da.Sheave("block", 0.25, "-y", joint="hook", name="H", **law),
                        da.Anchor("world", (1.95, 0, 8.0)),
                    ],
                    **rope,
                )
            ],
        )

    start: dict[str, Any] = {"duration": 0.2, "control": [440.0], "backend": "vm"}
    rigid = da.simulate(lift(), method="dopri5", rtol=1e-9, atol=1e-11, **start)["z"][-1]
    soft = lift(stiffness=5e6, damping=2e4, pretension=2000.0)
    run = da.simulate(soft, method="dopri5", rtol=1e-9, atol=1e-11, **start)
    assert run["z"][-1] == pytest.approx(rigid, rel=5e-3)  # it is stretched by 2 mm
    assert run.energy.drift < 1e-9
    steps = da.simulate(soft, contact="time-stepping", step=1e-3, **start)
    assert steps["z"][-1] == pytest.approx(run["z"][-1], abs=3e-6)


@needs_gpp
@pytest.mark.slow
def test_threads_of_a_gpu_are_lanes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of the kernel for a bearing that turns either way, slips on the rope or rests, on the processor."""
    eom = da.equations(elastic(5.0, 3.0, 1e4, 30.0, friction=0.8))
    speeds, spins = np.array([1.5, 1.5, -1.5, 0.0]), np.array([15.0, 60.0, -15.0, 0.0])
    start = {"x1_dot": -speeds, "x2_dot": speeds, "wheel_dot": spins}
    settings: dict[str, Any] = {"v0": start, "duration": 0.1, "step": 1e-3, "contact": "time-stepping"}
    lanes = da.rollout(eom, threads=1, **settings)
    made = cupy_of_tests(tmp_path)
    monkeypatch.setattr(cuda, "import_cupy", lambda: made)
    threads = da.rollout(eom, device="cuda", **settings)
    assert made.launches > 0 and lanes.ok.all() and threads.ok.all()
    np.testing.assert_allclose(threads.x, lanes.x, rtol=1e-12, atol=1e-12)
    assert np.ptp(lanes.final[:, eom.q_names.index("wheel")]) > 1.0
