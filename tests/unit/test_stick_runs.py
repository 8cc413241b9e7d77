"""Runs of joints with Coulomb friction that sticks, against closed forms, time-stepping and each other."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from tests.support.hybrid_machines import HYBRID, closed, four_bar, sticking_arm
from tests.support.random_machines import random_machine, random_state
from tests.support.reference.coulomb_arm import arm_by_steps

import dalembert as da
from dalembert.campaigns import sensitivities
from dalembert.cli.app import run as command
from dalembert.core.errors import InputError, MachineError

FINE: dict[str, Any] = {"method": "dopri5", "rtol": 1e-12, "atol": 1e-13}
STICK: dict[str, Any] = {"friction_law": "stick"}


def rotor(torque: Any, F: Any = 5.0, inertia: float = 0.5, **joint: Any) -> da.Machine:
    return da.Machine(
        "rotor",
        bodies=[da.Body("disc", 1.0, inertia=(inertia, inertia, inertia))],
        joints=[da.Joint("a", "revolute", "world", "disc", axis="z", **{"friction": F, **STICK, **joint})],
        wrenches=[da.Wrench("load", "disc", torque=(0, 0, torque))],
        gravity=(0, 0, 0),
    )


def names(run: da.Run) -> list[str]:
    return [event.name for event in run.events]


def obeys(run: da.Run, joint: str, F: float, rate: str | None = None) -> None:
    """The law at every recorded instant: at most F, at rest while it sticks, F against the rate while it slips."""
    friction, stick, toward = run[f"friction.{joint}"], run[f"stick.{joint}"], run[f"toward.{joint}"]
    v = run[rate or f"{joint}_dot"]
    assert np.abs(friction).max() <= F * (1 + 1e-9)
    assert set(np.unique(stick)) <= {0.0, 1.0}
    assert (np.abs(toward) == 1.0 - stick).all()
    assert np.abs(v[stick == 1.0]).max(initial=0.0) < 1e-9
    np.testing.assert_allclose(friction[stick == 0.0], -F * toward[stick == 0.0], rtol=1e-12)
    assert (v * toward)[stick == 0.0].min(initial=0.0) > -2e-9


def test_less_than_the_limit_moves_nothing() -> None:
    run = da.simulate(rotor(5.0, 7.0), duration=10.0)
    assert np.abs(run["a"]).max() == 0.0
    assert np.abs(run["a_dot"]).max() == 0.0
    assert (run["friction.a"] == -5.0).all()
    assert not run.events
    creeps = da.simulate(rotor(5.0, 7.0, friction_law="smooth"), duration=10.0)
    assert creeps["a"][-1] > 8e-3


def walk(amplitude: float, F: float, inertia: float, end: float) -> list[tuple[str, float, float]]:
    """Events, times and angles of a rotor under ``amplitude sin(2 pi t)``, by antiderivatives and roots."""
    w = 2 * math.pi
    t, angle, side, events = 0.0, 0.0, 0, []
    while True:
        if side == 0:  # it sticks until the torque reaches the limit
            grid = np.linspace(t, t + 1.0, 2001)
            over = np.abs(amplitude * np.sin(w * grid)) - F
            k = int(np.flatnonzero((over[1:] > 0.0) & (over[:-1] <= 0.0))[0])
            t = brentq(lambda s: abs(amplitude * math.sin(w * s)) - F, grid[k], grid[k + 1], xtol=1e-15)
            side = 1 if math.sin(w * t) > 0.0 else -1
            name = "a.slip"
        else:  # inertia v' = amplitude sin - side F
            a, begun, at = side, t, angle

            def speed(s: float, a: int = a, begun: float = begun) -> float:
                return (amplitude / w * (math.cos(w * begun) - math.cos(w * s)) - a * F * (s - begun)) / inertia

            grid = np.linspace(begun, begun + 1.0, 4001)[1:]
            ahead = np.array([speed(s) for s in grid]) * a
            k = int(np.flatnonzero(ahead <= 0.0)[0])
            t = brentq(speed, grid[k - 1], grid[k], xtol=1e-15)
            angle = at + (
                amplitude / w * (math.cos(w * begun) * (t - begun) - (math.sin(w * t) - math.sin(w * begun)) / w)
                - a * F * (t - begun) ** 2 / 2
            ) / inertia  # fmt: skip
            load = amplitude * math.sin(w * t)
            side = 0 if abs(load) < F else (1 if load > 0.0 else -1)
            name = "a.stick"
        if t > end:
            return events
        events.append((name, t, angle))


@pytest.mark.parametrize("amplitude", [10.0, 6.0])
def test_break_away_stop_and_reversal(amplitude: float) -> None:
    """At 10 N m it turns round at once where it stops, at 6 N m it sticks in between."""
    expected = walk(amplitude, 5.0, 0.5, 2.4)
    run = da.simulate(rotor(amplitude * da.sin(2 * math.pi * da.TIME)), duration=2.4, **FINE)
    assert names(run) == [name for name, _, _ in expected]
    assert ("a.slip" in names(run)[1:]) == (amplitude == 6.0)
    for event, (_, t, angle) in zip(run.events, expected, strict=True):
        assert event.t == pytest.approx(t, abs=1e-9)
        assert event.x[0] == pytest.approx(angle, abs=1e-9)
    obeys(run, "a", 5.0)
    assert run.energy.drift < 1e-10
    assert run["loss.a"][-1] == pytest.approx(-run["work.loss"][-1], rel=1e-12)
    assert run["impulse.a"][-1] == pytest.approx(np.trapezoid(run["friction.a"], run.t), abs=1e-3)


def test_mass_on_a_moving_belt() -> None:
    """It slips until it goes with the belt, which carries it until the spring pulls it off."""
    m, k, speed, F = 2.0, 200.0, 0.1, 8.0
    machine = da.Machine(
        "belt",
        bodies=[da.point_mass("mass", m), da.point_mass("belt", 1.0)],
        joints=[
            da.Joint("x", "prismatic", "world", "mass", axis="x", stiffness=k),
            da.Joint("s", "prismatic", "mass", "belt", axis="x", friction=F, **STICK),
        ],
        constraints=[da.MotionConstraint("drive", frame="belt", component="x", value=speed * da.TIME)],
        gravity=(0, 0, 0),
    )
    run = da.simulate(machine, duration=0.9, v0={"x_dot": 0.0}, **FINE)
    w = math.sqrt(k / m)
    caught = math.asin(speed / (F / k * w)) / w
    off = caught + (F / k - F / k * (1 - math.cos(w * caught))) / speed
    assert names(run) == ["s.stick", "s.slip"]
    assert [event.t for event in run.events] == pytest.approx([caught, off], abs=1e-9)
    after = run.t > off
    np.testing.assert_allclose(run["x"][after], F / k + speed / w * np.sin(w * (run.t[after] - off)), atol=1e-9)
    obeys(run, "s", F)
    assert run.energy.drift < 1e-9


def test_spring_loses_the_same_amplitude_each_half_swing() -> None:
    m, k, F, x0 = 1.5, 60.0, 2.0, 0.52
    machine = da.Machine(
        "oscillator",
        bodies=[da.point_mass("mass", m)],
        joints=[da.Joint("x", "prismatic", "world", "mass", axis="x", stiffness=k, friction=F, **STICK)],
        gravity=(0, 0, 0),
    )
    run = da.simulate(machine, q0={"x": x0}, duration=8.0, **FINE)
    turns, x, half = [], x0, math.pi * math.sqrt(m / k)
    while k * abs(x) > F:
        x = -math.copysign(1.0, x) * (abs(x) - 2 * F / k)
        turns.append(x)
    assert len(turns) == 8
    assert [float(event.x[0]) for event in run.events] == pytest.approx(turns, abs=1e-9)
    assert [event.t for event in run.events] == pytest.approx([half * (i + 1) for i in range(8)], abs=1e-9)
    assert run["x"][-1] == pytest.approx(turns[-1], abs=1e-9)
    assert run["stick.x"][-1] == 1.0
    assert run["loss.x"][-1] == pytest.approx(k / 2 * (x0**2 - turns[-1] ** 2), rel=1e-9)


def test_pendulum_stands_off_the_vertical() -> None:
    m, l, F, start = 1.0, 0.5, 0.3, 1.0
    machine = da.Machine(
        "pendulum",
        bodies=[da.point_mass("bob", m, com=(0, 0, -l))],
        joints=[da.Joint("a", "revolute", "world", "bob", axis="y", friction=F, **STICK)],
    )
    run = da.simulate(machine, q0={"a": start}, duration=8.0, **FINE)
    weight = m * 9.81 * l  # weight (cos b - cos a) = -F |b - a| over each half swing
    angle, turns, steepest = start, [], math.asin(F / weight)
    while abs(angle) > steepest:
        side = math.copysign(1.0, angle)

        def left(b: float, a: float = angle) -> float:
            return weight * (math.cos(b) - math.cos(a)) - F * abs(b - a)

        angle = brentq(left, side * steepest, -angle, xtol=1e-15)  # fastest at the first of these
        turns.append(angle)
    reached = [float(event.x[0]) for event in run.events]
    assert reached == pytest.approx(turns, abs=1e-9)
    rest = run["a"][-1]
    assert 0.01 < abs(rest) < math.asin(F / weight)
    assert run["stick.a"][-1] == 1.0
    assert run["friction.a"][-1] == pytest.approx(weight * math.sin(rest), rel=1e-9)
    assert run["loss.a"][-1] == pytest.approx(weight * (math.cos(rest) - math.cos(start)), rel=1e-9)
    obeys(run, "a", F)


def planar_arm(m: Any, l: Any, F: Any, torque: Any) -> da.Machine:
    return da.Machine(
        "arm",
        bodies=[da.point_mass("one", m[0], com=(0, 0, -l[0])), da.point_mass("two", m[1], com=(0, 0, -l[1]))],
        joints=[
            da.Joint("a", "revolute", "world", "one", axis="-y", friction=F[0], **STICK),
            da.Joint("b", "revolute", "one", "two", origin=(0, 0, -l[0]), axis="-y", friction=F[1], **STICK),
        ],
        motors=[da.Motor("a", "a"), da.Motor("b", "b")],
    )


@pytest.mark.parametrize("seed", range(5))
def test_arm_under_gravity_is_that_of_time_stepping(seed: int) -> None:
    """Steps have an error of first order: that of the finer ones is what halving the step changed."""
    rng = np.random.default_rng(seed)
    m, l = tuple(rng.uniform(0.5, 2.0, 2)), tuple(rng.uniform(0.3, 0.8, 2))
    F = (rng.uniform(1.0, 5.0), rng.uniform(0.3, 2.0))
    q, amplitude, w = tuple(rng.uniform(-1.5, 1.5, 2)), rng.uniform(-3.0, 3.0, 2), rng.uniform(1.0, 6.0)

    def torque(t: float) -> tuple[float, float]:
        return amplitude[0] * math.sin(w * t), amplitude[1] * math.cos(w * t)

    class Drive:
        def state_names(self, eom: Any) -> tuple[str, ...]:
            return ()

        def initial_state(self, eom: Any) -> list[float]:
            return []

        def expression(self, eom: Any, t: Any, q: Any, v: Any, z: Any, p: Any) -> Any:
            import casadi as ca

            return ca.vertcat(amplitude[0] * ca.sin(w * t), amplitude[1] * ca.cos(w * t)), ca.SX(0, 1)

    settings = {"method": "dopri5", "rtol": 1e-9, "atol": 1e-11}
    start = {"a": q[0], "b": q[1]}
    run = da.simulate(planar_arm(m, l, F, torque), q0=start, duration=2.0, control=Drive(), **settings)
    coarse, fine = (arm_by_steps(m, l, F, torque, q, 2.0, h) for h in (1e-4, 5e-5))
    change = np.abs(coarse - fine).max()
    assert change < 2e-3
    np.testing.assert_allclose([run["a"][-1], run["b"][-1]], fine, atol=3 * change + 1e-6)
    assert run.events
    obeys(run, "a", F[0])
    obeys(run, "b", F[1])
    assert run.energy.drift < 1e-6
    assert run["loss.a"][-1] + run["loss.b"][-1] == pytest.approx(-run["work.loss"][-1], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2, 3))])
def test_random_machines_obey_the_law(seed: int) -> None:
    """And every formulation makes the same motion of it."""
    from dataclasses import replace

    machine = random_machine(seed, joints=4, kinds=("revolute", "prismatic", "screw"), losses=False, motors=False)
    rng = np.random.default_rng(seed)
    limits = {j.name: float(rng.uniform(0.5, 20.0)) for j in machine.joints}
    sticking = [replace(j, friction=limits[j.name], friction_velocity=1e-3, **STICK) for j in machine.joints]
    machine = machine.with_(joints=sticking)
    q, v = random_state(da.equations(machine), seed)[:2]
    settings = {"method": "dopri5", "rtol": 1e-9, "atol": 1e-11, "duration": 1.0, "limits": "ignore"}
    runs = [da.simulate(machine, q0=q, v0=0.3 * v, by=by, **settings) for by in ("newton-euler", "gibbs-appell")]
    for joint, F in limits.items():
        if joint in machine.q_names:
            obeys(runs[0], joint, F)
    assert runs[0].energy.drift < 1e-6
    assert names(runs[0]) == names(runs[1])
    for name in machine.q_names:
        assert runs[0][name][-1] == pytest.approx(runs[1][name][-1], abs=1e-6)


def test_natural_coordinates_make_the_same_motion() -> None:
    machine = da.Machine(
        "arm",
        bodies=[
            da.box("one", 2.0, (0.1, 0.12, 0.6), com=(0, 0.05, -0.3)),
            da.box("two", 1.0, (0.1, 0.1, 0.4), com=(0.02, 0, -0.2)),
        ],
        joints=[
            da.Joint("a", "revolute", "world", "one", axis="y", friction=1.0, **STICK),
            da.Joint("b", "revolute", "one", "two", origin=(0, 0, -0.6), axis=(1, 1, 0), friction=0.6, **STICK),
        ],
    )
    settings = {"method": "dopri5", "rtol": 1e-9, "atol": 1e-11, "duration": 5.0, "q0": {"a": 0.8, "b": 0.3}}
    tree, natural = (da.simulate(machine, by=by, **settings) for by in ("lagrange", "natural"))
    assert names(tree) == names(natural)
    assert {"b.slip", "a.stick", "b.stick"} <= set(names(tree))
    assert [e.t for e in tree.events] == pytest.approx([e.t for e in natural.events], abs=1e-6)
    assert natural["a"][-1] == pytest.approx(tree["a"][-1], abs=1e-7)
    assert natural["friction.a"][-1] == pytest.approx(tree["friction.a"][-1], abs=1e-6)


def test_finger_with_stiction_pushes_a_box() -> None:
    """Joint and contacts break away and stop together: what the finger gives beyond its own friction moves the box."""
    m_f, m_c, F, mu, g = 0.5, 1.0, 2.0, 0.4, 9.81
    machine = da.Machine(
        "finger",
        bodies=[da.box("finger", m_f, (0.1, 0.1, 0.1)), da.box("crate", m_c, (0.2, 0.2, 0.2))],
        joints=[
            da.Joint("s", "prismatic", "world", "finger", (-0.15, 0, 0.1), axis="x", friction=F, **STICK),
            da.Joint("p", "planar", "world", "crate", (0, 0, 0.1), axis="y"),
        ],
        frames=[
            da.Frame("tip", "finger", (0.05, 0, 0)),
            da.Frame("back", "crate", (-0.1, 0, -0.1)),
            da.Frame("front", "crate", (0.1, 0, -0.1)),
        ],
        contacts=[
            da.Contact("back", "back", friction=mu),
            da.Contact("front", "front", friction=mu),
            da.Contact("push", "tip", surface=da.HalfSpace((-1.0, 0, 0), (-0.1, 0, 0)), on="crate"),
        ],
        wrenches=[da.Wrench("drive", "finger", force=(4.0 * da.TIME, 0, 0))],
    )
    run = da.simulate(machine, duration=2.0, max_step=0.05, **FINE)
    both = (F + mu * m_c * g) / 4.0
    assert both < 2.0
    before = run.t < both - 1e-6
    assert np.abs(run["s"][before]).max() < 1e-9  # what the finger cannot hold the crate does
    slip = next(event.t for event in run.events if event.name == "s.slip")
    assert slip <= both + 1e-9
    after = run.t > both
    expected = 4.0 * (run.t[after] - both) ** 3 / 6 / (m_f + m_c)
    np.testing.assert_allclose(run["s"][after], expected, atol=1e-8)
    np.testing.assert_allclose(run["p.x"][after], expected, atol=1e-8)
    obeys(run, "s", F)
    assert run.energy.drift < 1e-8


def test_friction_takes_no_part_in_impacts() -> None:
    """A mass falls into its cable: the drum, which sticks, is turned at once, and its friction stops it after that."""
    m, inertia, r, F, slack, g = 2.0, 0.05, 0.1, 4.0, 0.2, 9.81
    drum, joint, motor = da.winch("drum", inertia, friction=F)
    from dataclasses import replace

    machine = da.Machine(
        "hoist",
        bodies=[drum, da.point_mass("load", m)],
        joints=[replace(joint, **STICK), da.Joint("z", "prismatic", "world", "load", axis="z")],
        motors=[motor],
        cables=[da.Cable("rope", "load", length=1.0, winch="drum", drum=r)],
    )
    run = da.simulate(machine, q0={"z": -1.0 + slack}, duration=1.5, **FINE)
    assert "drum.slip" not in names(run)
    taut = math.sqrt(2 * slack / g)
    event = next(e for e in run.events if e.name == "rope.taut")
    assert event.t == pytest.approx(taut, abs=1e-9)
    speed = m * g * taut / (m + inertia / r**2)  # both move on with this: the impulse is that of the cable alone
    after = int(np.flatnonzero(run.t <= event.t)[-1])
    assert run["z_dot"][after] == pytest.approx(-speed, rel=1e-9)
    slowed = (m * g - F / r) / (m + inertia / r**2)
    assert slowed < 0.0
    stop = next(e for e in run.events if e.name == "drum.stick")
    assert stop.t == pytest.approx(taut - speed / slowed, abs=1e-9)
    assert run["z"][-1] == pytest.approx(-1.0 + speed**2 / (2 * slowed), abs=1e-9)
    assert run["stick.drum"][-1] == 1.0
    assert abs(run["friction.drum"][-1]) == pytest.approx(m * g * r, rel=1e-9)
    assert run["loss.drum"][-1] == pytest.approx(F * speed**2 / (-2 * slowed) / r, rel=1e-9)
    assert run.energy.drift < 1e-9


def _sticking_four_bar(torque: Any, limits: tuple[float, float, float]) -> da.Machine:
    from dataclasses import replace

    bar = four_bar()
    joints = [replace(j, friction=F, **STICK) for j, F in zip(bar.joints, limits, strict=True)]
    return bar.with_(joints=joints, gravity=(0, 0, 0), wrenches=[da.Wrench("load", "crank", torque=(0, torque, 0))])


def test_closed_loop_moves_when_all_its_joints_are_at_their_limits() -> None:
    """Of three joints that stick two are redundant: each reaches its limit in turn, and stays there until all have."""
    limits = (1.0, 0.7, 1.3)
    machine = _sticking_four_bar(-da.TIME, limits)
    start = closed(0.7)
    run = da.simulate(machine, q0=start, duration=6.0, constraints="projection", **FINE)
    nearby = closed(0.7 + 1e-6), closed(0.7 - 1e-6)
    ratio = {n: (nearby[0][n] - nearby[1][n]) / 2e-6 for n in "abc"}
    moves = sum(F * abs(ratio[n]) for n, F in zip("abc", limits, strict=True))  # virtual power
    slips = {event.name: event.t for event in run.events if event.name.endswith(".slip")}
    assert set(slips) == {"a.slip", "b.slip", "c.slip"}
    assert max(slips.values()) == pytest.approx(moves, abs=1e-7)
    assert min(slips.values()) < 0.9 * moves
    rest = run.t < moves - 1e-6
    assert np.abs(run["a_dot"][rest]).max() < 1e-12
    assert run["a"][-1] != run["a"][0]
    held = sum(run[f"friction.{n}"] * ratio[n] for n in "abc")
    np.testing.assert_allclose(np.abs(held[rest]), run.t[rest], atol=1e-6)  # together they hold the torque
    for name in "abc":
        jumps = np.abs(np.diff(run[f"friction.{name}"][rest]))
        assert jumps.max() < 2 * np.diff(run.t[rest]).max()  # what is indeterminate goes on from what it was
    for name, F in zip("abc", limits, strict=True):
        obeys(run, name, F)
    assert run.energy.drift < 1e-7


def test_redundant_friction_keeps_what_it_was() -> None:
    """A torque that rises and falls again leaves the joints with the shares that they had got."""
    machine = _sticking_four_bar(-2.0 * da.sin(da.TIME), (1.0, 0.7, 1.3))
    run = da.simulate(machine, q0=closed(0.7), duration=3.0, constraints="projection", record=0.01, **FINE)
    up, down = (int(np.argmin(np.abs(run.t - t))) for t in (math.pi / 6, 5 * math.pi / 6))  # the same torque twice
    assert np.abs(run["a_dot"]).max() < 2e-10  # by which a joint at its limit may turn back
    assert names(run)
    apart = max(abs(run[f"friction.{n}"][up] - run[f"friction.{n}"][down]) for n in "abc")
    assert apart > 0.05


def test_run_goes_on_where_it_ended() -> None:
    made = HYBRID["sticks"]
    whole = da.simulate(sticking_arm(), duration=1.5, step=1e-3, **made.settings)
    first = da.simulate(sticking_arm(), duration=0.7, step=1e-3, **made.settings)
    rest = da.simulate(sticking_arm(), start=first, duration=0.8, step=1e-3)
    assert names(first) + names(rest) == names(whole)
    for name in whole.state_names:
        assert rest[name][-1] == pytest.approx(whole[name][-1], abs=1e-9), name
    assert rest.t[0] == first.t[-1]


def test_members_of_a_rollout_are_single_runs() -> None:
    made, limits = HYBRID["sticks"], [0.2, 1.2, 5.0]
    many = da.rollout(sticking_arm(), vary={"F": limits}, duration=1.5, step=1e-3, record=0.01, **made.settings)
    for k, F in enumerate(limits):
        one = da.simulate(sticking_arm(), p={"F": F}, duration=1.5, step=1e-3, record=0.01, **made.settings)
        assert [e.name for e in many.events[k]] == names(one)
        for name in ("a", "b", "stick.a", "loss.a"):
            assert many[name][k][-1] == pytest.approx(one[name][-1], abs=1e-11), name


def test_sampled_control_meets_friction() -> None:
    """A proportional controller stops short of its aim: its torque there is below the limit."""
    machine = rotor(0.0, 2.0).with_(motors=[da.Motor("drive", "a")])
    law = da.control.Sampled(da.PD(10.0, 4.0, [1.0]), 0.01)
    run = da.simulate(machine, duration=5.0, control=law, method="dopri5", rtol=1e-9, atol=1e-11)
    assert run["stick.a"][-1] == 1.0
    assert 0.8 < run["a"][-1] < 1.0
    assert abs(run["friction.a"][-1]) == pytest.approx(10.0 * (1.0 - run["a"][-1]), rel=1e-9)
    obeys(run, "a", 2.0)


def test_switches_change_what_sticks() -> None:
    """A weld takes the load over, at a time; after it is gone the joint holds, or slips."""
    machine = rotor(6.0, 5.0).with_(
        constraints=[da.MotionConstraint("brake", joint="a", value=0.0, switchable=True)],
    )
    run = da.simulate(machine, duration=1.0, switches=[da.Switch(at=0.5, off=["brake"])], **FINE)
    assert run["a"][-1] == pytest.approx(0.5 * (6.0 - 5.0) / 0.5 * 0.5**2, rel=1e-9)
    assert np.abs(run["a_dot"][run.t < 0.5]).max() < 1e-12
    obeys(run, "a", 5.0)


def test_stops_catch_a_joint_that_slips() -> None:
    machine = rotor(6.0, 5.0, limits=da.Limits(-1.0, 0.25))
    run = da.simulate(machine, duration=1.0, limits="contact", **FINE)
    assert "a.upper.impact" in names(run)
    assert run.events[0].t == pytest.approx(math.sqrt(2 * 0.25 * 0.5), abs=1e-9)
    assert run["a"][-1] == pytest.approx(0.25, abs=1e-9)
    assert run["a_dot"][-1] == 0.0


def test_start_with_an_impact() -> None:
    """A mass on a guide that rubs is thrown onto the floor it lies on: it bounces at once, and friction has no part."""
    machine = da.Machine(
        "guide",
        bodies=[da.point_mass("mass", 1.0)],
        joints=[da.Joint("z", "prismatic", "world", "mass", axis="z", friction=1.0, **STICK)],
        contacts=[da.Contact("floor", "mass", restitution=0.5)],
    )
    run = da.simulate(machine, v0={"z_dot": -1.0}, duration=1.0, max_step=0.05, **FINE)
    assert run["z_dot"][0] == pytest.approx(0.5, rel=1e-12)
    assert run.metadata["initial_impact"]["impulse"]["floor"] == pytest.approx(1.5, rel=1e-12)
    assert run.events[0].t == pytest.approx(0.5 / (9.81 + 1.0), abs=1e-9)  # it turns round
    assert run["z"][-1] == pytest.approx(0.0, abs=1e-9)
    assert run.energy.drift < 1e-7


def test_no_friction_is_none() -> None:
    """A limit of zero, as a parameter may have, changes nothing."""
    F = da.Parameter("F", 5.0)
    settings = {"duration": 1.0, "method": "dopri5", "rtol": 1e-9, "atol": 1e-11}
    load = 10 * da.sin(2 * math.pi * da.TIME)
    without = da.simulate(rotor(load, 0.0), **settings)
    zero = da.simulate(rotor(load, F), p={"F": 0.0}, **settings)
    assert zero["a"][-1] == pytest.approx(without["a"][-1], abs=1e-7)


FILE = """
name: press
bodies:
  slide: {mass: 2.0}
joints:
  x: {kind: prismatic, parent: world, child: slide, axis: x, friction: 3.0, friction_law: stick, stiffness: 100.0}
gravity: [0, 0, 0]
simulation:
  duration: 1.0
  q0: {x: 0.2}
"""


def test_machine_file_runs_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "press.yaml"
    path.write_text(FILE)
    assert not command(["simulate", str(path), "--csv", str(tmp_path / "run.csv")])
    assert "x.stick" in capsys.readouterr().out
    assert "friction.x" in (tmp_path / "run.csv").read_text().splitlines()[0]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"method": "radau"}, "cannot keep constraints"),
        ({"constraints": "baumgarte"}, "joints that stick of machine 'rotor' need constraints='projection'"),
    ],
)
def test_what_cannot_run_it_says_so(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        da.simulate(rotor(6.0), duration=0.1, **settings)


def test_derivatives_and_other_loops_refuse_it() -> None:
    machine = rotor(6.0, da.Parameter("F", 5.0)).with_(motors=[da.Motor("drive", "a")])
    with pytest.raises(InputError, match="a run with derivatives cannot have friction_law='stick'"):
        sensitivities(machine, of=["a"], wrt=["F"], duration=0.1)
    with pytest.raises(InputError, match="a rollout on a GPU event by event cannot have friction_law='stick'"):
        da.rollout(machine, q0={"a": [0.0, 1.0]}, duration=0.1, device="cuda")
    with pytest.raises(MachineError, match="2 of the constraint, cable, rope, contact or joint that sticks name 'a'"):
        machine.with_(contacts=[da.Contact("a", "disc")])


@pytest.mark.parametrize("backend", ["auto", "vm"])
def test_a_state_that_the_caller_has_changed_is_settled(backend: str) -> None:
    """A rotor that stands gets a rate at an event: it slips by closed form, and stands again."""

    def kick(t: float, x: np.ndarray, names: tuple[str, ...]) -> np.ndarray | None:
        return np.array([x[0], 2.0, *x[2:]]) if names == ("now",) else None

    now = da.Event("now", lambda t, q, v: t - 0.25)
    eom = da.equations(rotor(3.0), backend=backend)
    run = da.simulate(eom, duration=1.0, on_event=kick, events=(now,), **FINE)
    slows = (5.0 - 3.0) / 0.5
    assert names(run) == ["now", "a.stick"]
    assert run.events[1].t == pytest.approx(0.25 + 2.0 / slows, abs=1e-10)
    assert run["a"][-1] == pytest.approx(2.0**2 / (2.0 * slows), abs=1e-10)
    obeys(run, "a", 5.0)
