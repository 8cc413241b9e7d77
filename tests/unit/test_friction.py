"""Friction with static, Stribeck and viscous parts, of joints and motors: closed forms, integrations, files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.analysis import linearize
from dalembert.control import PD
from dalembert.core.errors import FileFormatError, InputError, MachineError
from dalembert.systems.cranes import planar_crane, uniform_cable

FINE: dict[str, Any] = {"method": "dopri5", "rtol": 1e-11, "atol": 1e-13, "backend": "vm"}


def rotor(friction: Any, torque: Any, inertia: float = 0.5) -> da.Machine:
    return da.Machine(
        "rotor",
        bodies=[da.Body("disc", 1.0, inertia=(inertia, inertia, inertia))],
        joints=[da.Joint("a", "revolute", "world", "disc", axis="z", friction=friction)],
        wrenches=[da.Wrench("load", "disc", torque=(0, 0, torque))],
        gravity=(0, 0, 0),
    )


def first_stop(inertia: float, amplitude: float, friction: da.Friction) -> tuple[float, float, float]:
    """Break-away, stop and angle under ``amplitude sin(2 pi t)``, by SciPy."""
    F_c, F_s, v_s, b = (float(x) for x in (friction.coulomb, friction.static or 0, friction.stribeck, friction.viscous))  # type: ignore[arg-type]
    away = math.asin(F_s / amplitude) / (2 * math.pi)

    def rate(t: float, y: Any) -> list[float]:
        level = F_c + (F_s - F_c) * (math.exp(-((y[1] / v_s) ** 2)) if v_s else 0.0)
        return [y[1], (amplitude * math.sin(2 * math.pi * t) - level - b * y[1]) / inertia]

    def stops(t: float, y: Any) -> float:
        return float(y[1])

    stops.terminal, stops.direction = True, -1  # type: ignore[attr-defined]
    made = solve_ivp(rate, (away, 1.0), [0.0, 1e-14], "DOP853", events=stops, rtol=1e-12, atol=1e-15, max_step=1e-4)
    return away, float(made.t[-1]), float(made.y[0, -1])


@pytest.mark.parametrize(
    "friction",
    [
        da.Friction(5.0, static=7.0),
        da.Friction(5.0, static=7.0, stribeck=0.05),
        da.Friction(3.0, static=4.5, stribeck=0.2, viscous=0.8),
    ],
)
def test_breaks_away_and_stops(friction: da.Friction) -> None:
    machine = rotor(friction, 10.0 * da.sin(2 * math.pi * da.TIME))
    away, stop, angle = first_stop(0.5, 10.0, friction)
    run = da.simulate(machine, duration=stop + 1e-3, **FINE)
    assert [event.name for event in run.events][:2] == ["a.slip", "a.stick"]
    assert [event.t for event in run.events][:2] == pytest.approx([away, stop], abs=1e-10)
    assert run.events[1].x[0] == pytest.approx(angle, abs=1e-10)
    assert run.energy.drift < 1e-10
    held = run["stick.a"] == 1.0
    assert np.abs(run["friction.a"][held]).max() <= float(friction.static or 0.0) * (1 + 1e-9)  # type: ignore[arg-type]
    v = run["a_dot"][~held]
    level = friction.coulomb if not friction.stribeck else None
    if level is not None:
        np.testing.assert_allclose(np.abs(run["friction.a"][~held]), level, rtol=1e-12)
    assert (run["friction.a"][~held] * v).max() < 1e-8
    for h in (2e-3, 5e-4):  # it breaks away and stops within a step: first order
        stepped = da.simulate(machine, duration=stop, contact="time-stepping", step=h, backend="vm")
        assert abs(stepped["a"][-1] - angle) < 2.0 * h
        assert np.abs(stepped["a"][stepped.t < away - h]).max() < 1e-12


def test_stick_slip_on_a_belt() -> None:
    """Period and stretch by pieces: it sticks until the spring pulls with F_s, and slips for a part of a swing."""
    m, k, v, F_s, F_c = 2.0, 200.0, 0.1, 12.0, 8.0
    machine = da.Machine(
        "belt",
        bodies=[da.point_mass("mass", m), da.point_mass("belt", 1.0)],
        joints=[
            da.Joint("x", "prismatic", "world", "mass", axis="x", stiffness=k),
            da.Joint("s", "prismatic", "mass", "belt", axis="x", friction=da.Friction(F_c, static=F_s)),
        ],
        constraints=[da.MotionConstraint("drive", frame="belt", component="x", value=v * da.TIME)],
        gravity=(0, 0, 0),
    )
    run = da.simulate(machine, duration=2.0, q0={"x": 0.0}, v0={"x_dot": v}, **FINE)
    w, a = math.sqrt(k / m), (F_s - F_c) / k
    slip = 2 * (math.pi - math.atan(a * w / v)) / w
    period = slip + 2 * a / v
    t = [event.t for event in run.events]
    assert [event.name for event in run.events] == ["s.slip", "s.stick", "s.slip", "s.stick"]
    assert t[0] == pytest.approx(F_s / k / v, abs=1e-10)
    assert t[1] - t[0] == pytest.approx(slip, abs=1e-9)
    assert t[2] - t[0] == pytest.approx(period, abs=1e-9)
    fine = da.simulate(machine, duration=1.0, q0={"x": 0.0}, v0={"x_dot": v}, record=1e-4, **FINE)
    assert fine["x"].max() == pytest.approx(F_c / k + math.hypot(a, v / w), abs=1e-7)


def test_one_breaks_away_and_takes_the_other_along() -> None:
    """The forearm breaks away at 5 N m; its acceleration then loads the shoulder with more than that can hold."""
    held = [da.Friction(1.0, static=5.0), da.Friction(0.8, static=6.0)]
    machine = da.Machine(
        "arm",
        bodies=[
            da.Body("upper", 1.0, com=(0.5, 0, 0), inertia=(0.02, 0.02, 0.02)),
            da.Body("fore", 1.0, com=(0.5, 0, 0), inertia=(0.01, 0.01, 0.01)),
        ],
        joints=[
            da.Joint("a", "revolute", "world", "upper", axis="z", friction=held[1]),
            da.Joint("b", "revolute", "upper", "fore", axis="z", origin=(1, 0, 0), friction=held[0]),
        ],
        wrenches=[da.Wrench("load", "fore", torque=(0, 0, 4.0 + da.TIME))],
        gravity=(0, 0, 0),
    )
    run = da.simulate(machine, duration=1.002, record=1e-4, **FINE)
    away = next(event for event in run.events if event.name == "b.slip")
    assert away.t == pytest.approx(1.0, abs=1e-9)
    after = np.flatnonzero(run.t > 1.0)[0]
    sides = np.array([run["toward.a"][after], run["toward.b"][after]])
    assert sides.tolist() == [-1.0, 1.0]
    free = da.equations(
        machine.with_(joints=[da.Joint(j.name, j.kind, j.parent, j.child, j.origin) for j in machine.joints])
    )
    tau = np.array([-0.8, -1.0]) * sides + free.applied([0, 0], [0, 0], [], t=1.0)
    expected = free.forward_dynamics([0, 0], [0, 0], tau)
    k = int(np.searchsorted(run.t, 1.0005))
    rates = np.array([run["a_dot"][k], run["b_dot"][k]]) / (run.t[k] - 1.0)
    np.testing.assert_allclose(rates, expected, rtol=2e-3)
    assert run.energy.drift < 1e-10
    exact = da.simulate(machine, duration=1.05, **FINE)
    stepped = da.simulate(machine, duration=1.05, contact="time-stepping", step=5e-4, backend="vm")
    for name in "ab":
        assert stepped[name][-1] == pytest.approx(exact[name][-1], rel=1e-6)  # both break away in the same step


def test_trolley_under_half_of_its_friction_stands() -> None:
    rail = da.Friction(50.0, static=60.0)
    cable = uniform_cable(1, 6.0, payload=200.0)
    crane = planar_crane(cable, rail_friction=rail)
    run = da.simulate(crane, duration=60.0, control=[30.0], step=0.02, backend="vm")
    assert np.abs(run["x"]).max() < 1e-30
    stepped = da.simulate(crane, duration=60.0, control=[30.0], contact="time-stepping", step=0.02, backend="vm")
    assert np.abs(stepped["x"]).max() < 1e-12
    creeps = da.simulate(
        planar_crane(cable, rail_friction=60.0), duration=60.0, control=[30.0], step=0.02, backend="vm"
    )
    assert creeps["x"][-1] > 0.3


@pytest.mark.parametrize(("F_s", "reach"), [(60.0, 0.7), (90.0, 1.5)])
def test_positioning_error_of_a_pd_move(F_s: float, reach: float) -> None:
    """``x - r = -F/k - (reach - F/k) exp(-zeta pi / sqrt(1 - zeta^2))``, turned, where the first swing ends."""
    m, kp, kd, F = 100.0, 200.0, 120.0, 60.0
    machine = da.Machine(
        "trolley",
        bodies=[da.point_mass("trolley", m)],
        joints=[da.Joint("x", "prismatic", "world", "trolley", axis="x", friction=da.Friction(F, static=F_s))],
        motors=[da.Motor("F", "x")],
    )
    run = da.simulate(machine, duration=20.0, control=PD(kp, kd, [reach]), **FINE)
    zeta = kd / (2 * math.sqrt(kp * m))
    decay = math.exp(-math.pi * zeta / math.sqrt(1 - zeta**2))
    error, side = -reach, 1.0
    while kp * abs(error) > F_s:
        error = -side * F / kp - (error + side * F / kp) * decay
        side = math.copysign(1.0, -error)
    assert run["x"][-1] - reach == pytest.approx(error, abs=1e-9)
    assert abs(error) > 1e-2
    assert run["x_dot"][-1] == pytest.approx(0.0, abs=1e-9)


def test_friction_of_a_motor_acts_through_its_gear() -> None:
    """A brake of 0.1 N m behind a ratio of 50 holds 5 N m."""
    brake = da.Friction(0.08, static=0.1, stribeck=2.0)
    machine = rotor(0.0, 0.0).with_(motors=[da.Motor("m", "a", ratio=-50.0, friction=brake)])
    assert machine.sticking == ("a",)
    for torque, moves in ((4.9, False), (5.1, True)):
        loaded = machine.with_(wrenches=[da.Wrench("load", "disc", torque=(0, 0, torque))])
        run = da.simulate(loaded, duration=0.5, **FINE)
        assert (abs(run["a"][-1]) > 1e-3) == moves
        if moves:
            v = run["a_dot"][-1]
            level = 50.0 * (0.08 + 0.02 * math.exp(-((50.0 * v / 2.0) ** 2)))
            assert run["friction.a"][-1] == pytest.approx(-level, rel=1e-12)


def test_smooth_and_viscous_parts_are_functions_of_the_rate() -> None:
    friction = da.Friction(2.0, static=3.0, stribeck=0.1, viscous=0.4, law="smooth", velocity=0.02)
    machine = rotor(friction, 0.0)
    v = 0.07
    expected = -(2.0 + math.exp(-((v / 0.1) ** 2))) * math.tanh(v / 0.02) - 0.4 * v
    for by in ("newton-euler", "lagrange"):
        assert da.equations(machine, by=by).applied([0.0], [v], [])[0] == pytest.approx(expected, rel=1e-12)
    natural = da.verify(rotor(friction, 0.3))
    assert natural.ok


def test_bristles_follow_their_equations() -> None:
    sigma0, sigma1 = 1e3, 5.0
    lugre = da.Friction(
        5.0, static=7.0, stribeck=0.05, viscous=0.3, law="lugre", bristle_stiffness=sigma0, bristle_damping=sigma1
    )
    machine = rotor(lugre, 10.0 * da.sin(2 * math.pi * da.TIME))

    def rate(t: float, y: Any) -> list[float]:
        v, z = y[1], y[2]
        g = 5.0 + 2.0 * math.exp(-((v / 0.05) ** 2))
        dz = v - sigma0 * abs(v) / g * z
        return [v, (10.0 * math.sin(2 * math.pi * t) - sigma0 * z - sigma1 * dz - 0.3 * v) / 0.5, dz]

    made = solve_ivp(rate, (0.0, 0.3), [0.0, 0.0, 0.0], "Radau", rtol=1e-9, atol=1e-11)
    run = da.simulate(machine, duration=0.3, method="dopri5", rtol=1e-9, atol=1e-11, backend="vm")
    assert run["a"][-1] == pytest.approx(made.y[0, -1], abs=1e-7)
    assert run["bristle.a"][-1] == pytest.approx(made.y[2, -1], abs=1e-7)
    assert run.energy.drift < 1e-7
    with pytest.raises(InputError, match="linear model cannot have friction_law='lugre'"):
        linearize(machine)


def test_files_keep_it(tmp_path: Path) -> None:
    rail = da.Friction(5.0, static=da.Parameter("F_s", 7.0), stribeck=0.05, viscous=0.1)
    machine = rotor(rail, 0.0).with_(motors=[da.Motor("m", "a", friction=da.Friction(0.5, law="smooth", velocity=0.1))])
    path = tmp_path / "m.yaml"
    path.write_text(machine.to_yaml())
    again = da.load_machine(path)
    assert again.joint("a").friction == rail
    assert again.motors[0].friction == machine.motors[0].friction
    text = path.read_text().replace("coulomb: 5.0", "coulomb: 5 N m")
    path.write_text(text)
    assert da.load_machine(path).joint("a").friction == rail
    path.write_text(text.replace("coulomb: 5 N m", "coulomb: 5 N"))
    with pytest.raises(FileFormatError, match="N m"):
        da.load_machine(path)
    path.write_text(text.replace("stribeck: 0.05", "stribek: 0.05"))
    with pytest.raises(FileFormatError, match="stribek"):
        da.load_machine(path)
    path.write_text(text.replace("stribeck: 0.05", "load: 0.05"))
    with pytest.raises(FileFormatError, match=r"unknown key 'load' .*does not depend on its load.*of type loop"):
        da.load_machine(path)
    path.write_text(text.replace("F_s: 7.0", "F_s: 3.0"))
    with pytest.raises(FileFormatError, match="static friction must not be below"):
        da.load_machine(path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"coulomb": 5.0, "static": 4.0}, "static friction must not be below the coulomb friction 5, got 4"),
        ({"coulomb": 5.0, "stribeck": 0.1}, "needs its static level"),
        ({"coulomb": 5.0, "law": "stik"}, "law 'stik'"),
        ({"coulomb": 5.0, "velocity": 0.1}, "no smoothing velocity"),
        ({"coulomb": 5.0, "static": 6.0, "law": "smooth"}, "needs a stribeck speed"),
        ({"coulomb": 5.0, "law": "lugre"}, "needs bristle_stiffness"),
        ({"coulomb": 5.0, "bristle_stiffness": 1e4}, "has no bristles"),
        ({"coulomb": -1.0}, "coulomb of friction"),
    ],
)
def test_refusals(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(MachineError, match=message):
        da.Friction(**settings)


def test_refusals_of_joints_and_motors() -> None:
    with pytest.raises(MachineError, match="has its own law and velocity"):
        da.Joint("a", "revolute", "world", "b", friction=da.Friction(1.0), friction_law="stick")
    with pytest.raises(MachineError, match="joints with one velocity"):
        da.Joint("a", "spherical", "world", "b", friction=da.Friction(1.0))
    with pytest.raises(MachineError, match="must be a Friction"):
        da.Motor("m", "a", friction=1.0)  # type: ignore[arg-type]
    plain = da.Joint("a", "revolute", "world", "b", friction=da.Friction(1.0))
    assert plain == da.Joint("a", "revolute", "world", "b", friction=1.0, friction_law="stick")


def winch(weight: float = 981.0, ratio: float = 20.0, **motor: Any) -> da.Machine:
    return da.Machine(
        "winch",
        bodies=[da.point_mass("load", weight / 9.81)],
        joints=[da.Joint("z", "prismatic", "world", "load", axis="z")],
        motors=[da.Motor("M", "z", ratio=ratio, **motor)],
    )


@pytest.mark.parametrize(("forward", "back"), [(0.8, None), (0.7, 0.6), (0.9, 0.4)])
def test_gear_with_efficiency_both_ways(forward: float, back: float | None) -> None:
    """The load rises with ``eta n u``, falls with ``n u / eta_b``, and stands where ``eta_b W <= n u <= W / eta``."""
    machine, W, n, m = winch(efficiency=forward, back_efficiency=back), 981.0, 20.0, 100.0
    reverse = 2 - 1 / forward if back is None else back
    for pull, moves in (
        (W / forward * 1.05, 1),
        (W / forward * 0.999, 0),
        (W * reverse * 1.001, 0),
        (W * reverse * 0.9, -1),
    ):
        run = da.simulate(machine, duration=0.5, control=[pull / n], **FINE)
        drive = {1: forward, 0: W / pull, -1: 1 / reverse}[moves] * pull
        assert run["z_dot"][-1] == pytest.approx((drive - W) / m * 0.5, abs=1e-9)
        assert not moves or run.energy.drift < 1e-10
        assert run["work.input"][-1] == pytest.approx(pull * run["z"][-1], abs=1e-9)  # the motor's own work
        assert run["work.loss"][-1] <= 1e-12
        stepped = da.simulate(
            machine, duration=0.5, control=[pull / n], contact="time-stepping", step=0.01, backend="vm"
        )
        assert stepped["z_dot"][-1] == pytest.approx(run["z_dot"][-1], abs=1e-9)
    thrown = da.simulate(machine, duration=0.05, v0={"z_dot": 1.0}, control=[W / n], **FINE)  # it still rises: driven
    assert thrown["z_dot"][-1] == pytest.approx(1.0 - (1 - forward) * 9.81 * 0.05, abs=1e-9)


def test_gear_friction_adds_to_other_friction() -> None:
    machine = winch(efficiency=0.8, friction=da.Friction(1.0), ratio=-20.0)
    run = da.simulate(machine, duration=0.2, control=[-80.0], **FINE)
    assert run["z_dot"][-1] == pytest.approx((0.8 * 1600.0 - 981.0 - 20.0) / 100.0 * 0.2, abs=1e-9)
    law = PD([4e3], [4e3], [0.3])
    single = da.simulate(machine, duration=1.0, control=law, **FINE)
    many = da.rollout(machine, duration=1.0, q0={"z": np.zeros(2)}, control=law, step=1e-3)
    np.testing.assert_allclose(many["z"][:, -1], single["z"][-1], atol=1e-6)


def test_gear_in_all_formulations_and_files(tmp_path: Path) -> None:
    machine = winch(efficiency=da.Parameter("eta", 0.8), back_efficiency=0.7)
    for by in ("newton-euler", "lagrange", "natural"):
        run = da.simulate(machine, duration=0.2, control=[70.0], by=by, **FINE)
        assert run["z_dot"][-1] == pytest.approx((0.8 * 1400.0 - 981.0) / 100.0 * 0.2, abs=1e-9)
    other = da.simulate(machine, duration=0.2, control=[70.0], p={"eta": 0.9}, **FINE)
    assert other["z_dot"][-1] == pytest.approx((0.9 * 1400.0 - 981.0) / 100.0 * 0.2, abs=1e-9)
    path = tmp_path / "winch.yaml"
    path.write_text(machine.to_yaml())
    again = da.load_machine(path).motors[0]
    assert (again.efficiency, again.back_efficiency) == (machine.motors[0].efficiency, 0.7)
    with pytest.raises(MachineError, match="is self-locking"):
        winch(efficiency=0.4409)
    with pytest.raises(MachineError, match="must be at most 1"):
        winch(efficiency=1.2)
    with pytest.raises(MachineError, match="back efficiency of motor 'M' must be > 0"):
        winch(efficiency=0.44, back_efficiency=-0.25)
