"""Rollouts of cables that go slack: what happens to a member is what happens in its simulation."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tests.support.swinging_ball import swing

import dalembert as da
from dalembert.control import Sampled
from dalembert.simulation.rollout.events import ThreadSteps
from dalembert.systems.cable_robots import overturning_robot

RNG = np.random.default_rng(3)


def transitions(run: da.Run) -> np.ndarray:
    """Times and losses."""
    return np.array([[entry["t"], entry["energy_lost"]] for entry in run.metadata["transitions"]]).reshape(-1, 2)


def assert_same(member: da.Run, run: da.Run) -> None:
    got, want = transitions(member), transitions(run)
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)
    times = np.append(want[:, 0], [record.t for record in run.events])
    for record in member.events:  # of cables that become taut in one instant rounding says which is seen
        assert np.abs(times - record.t).min() < 1e-9
    last = [np.flatnonzero(np.abs(run.t - t) < 1e-9)[-1] for t in member.t]  # an instant may have several rows
    np.testing.assert_allclose(member.x, run.x[last], rtol=1e-9, atol=1e-9)


@pytest.fixture(scope="module")
def balls() -> da.EquationsOfMotion:
    return da.equations(swing())


SETTINGS = {"q0": {"ball.z": -0.8}, "duration": 1.2, "step": 2e-3, "record": 0.1}
"""Both cables are longer than their way at the start: the ball falls into them."""


def thrown(n: int) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    speed = {"ball.vx": 0.5 * RNG.normal(size=n), "ball.vy": RNG.uniform(4.5, 6.5, n)}  # up, but not around
    return speed, {"side": RNG.uniform(0.3, 0.6, n)}


def test_what_happens_is_what_happens_in_simulations(balls: da.EquationsOfMotion) -> None:
    v0, p = thrown(5)
    result = da.rollout(balls, v0=v0, p=p, **SETTINGS)
    assert result.ok.all()
    seen: set[str] = set()
    for i in range(5):
        own = [{name: float(value[i]) for name, value in table.items()} for table in (v0, p)]
        run = da.simulate(balls, v0=own[0], p=own[1], limits="ignore", **SETTINGS)
        assert len(run.metadata["transitions"]) > 0
        member = result.member(i)
        assert_same(member, run)
        assert [e.name for e in member.events] == [e.name for e in run.events]
        np.testing.assert_allclose(member["tension.left"][-1], run["tension.left"][-1], atol=1e-7)
        seen |= {e.name for e in member.events}
    assert {"left.taut", "right.taut"} <= seen and any(name.endswith(".slack") for name in seen)


def test_members_do_not_depend_on_number_order_or_threads(balls: da.EquationsOfMotion) -> None:
    v0, p = thrown(11)
    whole = da.rollout(balls, v0=v0, p=p, threads=1, **SETTINGS)
    order = RNG.permutation(11)
    part = [{name: value[order] for name, value in table.items()} for table in (v0, p)]
    mixed = da.rollout(balls, v0=part[0], p=part[1], threads=3, **SETTINGS)
    np.testing.assert_array_equal(mixed.x, whole.x[order])
    for place, i in enumerate(order[:3]):
        assert [(e.name, e.t) for e in mixed.member(place).events] == [(e.name, e.t) for e in whole.member(i).events]


@pytest.mark.parametrize("method", ["dopri5", "bs32"])
def test_steps_of_their_own_are_those_of_simulations(balls: da.EquationsOfMotion, method: str) -> None:
    """Members go through the same native loop by themselves: nothing differs, to the bit."""
    v0, p = thrown(3)
    own = {"q0": {"ball.z": -0.8}, "duration": 1.2, "record": 0.1, "method": method, "rtol": 1e-6}
    result = da.rollout(balls, v0=v0, p=p, **own)
    for i in range(3):
        given = [{name: float(value[i]) for name, value in table.items()} for table in (v0, p)]
        run = da.simulate(balls, v0=given[0], p=given[1], limits="ignore", **own)
        member = result.member(i)
        assert len(transitions(run)) > 0
        np.testing.assert_array_equal(transitions(member), transitions(run))
        assert member.metadata["transitions"][0]["impulse"] == run.metadata["transitions"][0]["impulse"]
        last = [np.flatnonzero(run.t == t)[-1] for t in member.t]
        np.testing.assert_array_equal(member.x, run.x[last])
    most = da.rollout(balls, v0=v0, p=p, **own, measure={"low": da.Measure("ball.z", "min")})
    np.testing.assert_array_equal(most.final, result.final)
    assert (most.measures["low"] <= result["ball.z"].min(axis=1)).all()
    assert most.member(0).events == ()  # measures take the place of what happened


@pytest.mark.parametrize("way", ["baumgarte", "udwadia-kalaba"])
def test_other_ways_to_keep_constraints(balls: da.EquationsOfMotion, way: str) -> None:
    v0, p = thrown(2)
    result = da.rollout(balls, v0=v0, p=p, constraints=way, **SETTINGS)
    for i in range(2):
        given = [{name: float(value[i]) for name, value in table.items()} for table in (v0, p)]
        run = da.simulate(balls, v0=given[0], p=given[1], limits="ignore", constraints=way, **SETTINGS)
        assert_same(result.member(i), run)


def any_robot() -> da.Machine:
    """A ball on three cables that only pull; where they come from and how long they are is for its members to say."""
    cables = []
    for i in range(3):
        place = tuple(da.Parameter(f"{axis}{i}", 1.0) for axis in "xyz")
        cables.append(da.Cable(f"c{i}", "ball", exit_at=place, length=da.Parameter(f"length{i}", 3.0)))
    return da.Machine("any", [da.sphere("ball", 1.0, 0.1)], [da.Joint("ball", "free", "world", "ball")], cables=cables)


def random_robots(n: int) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    rng = np.random.default_rng(11)
    exits = rng.uniform(-1.0, 1.0, (n, 3, 3)) + [0.0, 0.0, 1.0]
    lengths = np.linalg.norm(exits, axis=2) * rng.uniform(1.01, 1.2, (n, 3))
    p = {f"{axis}{i}": exits[:, i, j] for i in range(3) for j, axis in enumerate("xyz")}
    v0 = {f"ball.v{axis}": rng.normal(size=n) for axis in "xyz"}
    return v0, p | {f"length{i}": lengths[:, i] for i in range(3)}


@pytest.mark.parametrize("n", [4, pytest.param(40, marks=pytest.mark.slow)])
def test_random_robots_are_those_of_the_reference_in_python(n: int) -> None:
    """Members are robots of their own; the reference makes its transitions in Python."""
    eom, (v0, p) = da.equations(any_robot()), random_robots(n)
    settings = {"duration": 0.8, "step": 2e-3, "record": 0.1}
    result = da.rollout(eom, v0=v0, p=p, **settings)
    count = 0
    for i in range(n):
        own = [{name: float(value[i]) for name, value in table.items()} for table in (v0, p)]
        run = da.simulate(eom, v0=own[0], p=own[1], limits="ignore", on_event=lambda t, x, names: None, **settings)
        assert_same(result.member(i), run)
        count += len(run.metadata["transitions"])
    assert count > 2 * n


def lift() -> da.Machine:
    """A ball on a rail under a cable that only pulls, with a motor and a range."""
    return da.Machine(
        "lift",
        bodies=[da.sphere("ball", 1.0, 0.1)],
        joints=[da.Joint("z", "prismatic", "world", "ball", axis=(0, 0, 1), limits=da.Limits(-2.0, 0.3))],
        cables=[da.Cable("rope", "ball", exit_at=(0.3, 0.0, 1.0), length=1.2)],
        motors=[da.Motor("push", "z", effort=80.0)],
    )


@pytest.fixture(scope="module")
def lifts() -> da.EquationsOfMotion:
    return da.equations(lift())


LAW = da.PD(kp=(40.0,), kd=(1.0,), reference=np.array([0.1]))
RULER = da.Sensor("ruler", ("z", "z_dot"), period=0.02, noise=(1e-3, 1e-2))


@pytest.mark.parametrize("method", [{"step": 2e-3}, {"method": "dopri5"}], ids=["lanes", "alone"])
@pytest.mark.parametrize("limits", ["ignore", "stop"])
def test_sampled_laws_and_stops(lifts: da.EquationsOfMotion, method: dict[str, float], limits: str) -> None:
    """What is sampled starts to pull before the cables are settled; at the top of the rail members stop."""
    settings = {"duration": 0.6, "record": 0.1, "control": Sampled(LAW, 0.01), "sensors": [RULER], "seed": 4}
    speeds = np.array([-1.0, 4.0, 0.5])
    result = da.rollout(lifts, v0={"z_dot": speeds}, limits=limits, **settings, **method)
    for i, speed in enumerate(speeds):
        run = da.simulate(lifts, v0={"z_dot": speed}, member=i, limits=limits, **settings, **method)
        member = result.member(i)
        assert (member.status, member.message) == (run.status, run.message)
        assert_same(member, run)
        assert [e.name for e in member.events] == [e.name for e in run.events]
        last = [np.flatnonzero(np.abs(run.t - t) < 1e-9)[-1] for t in member.t]
        np.testing.assert_allclose(member["command.push"], run["command.push"][last], atol=1e-9)
        np.testing.assert_allclose(result.final[i], run.x[-1], atol=1e-9)
    assert set(result.status) == ({"completed", "stopped"} if limits == "stop" else {"completed"})


def test_a_stepper_goes_slack_as_a_simulation_does(lifts: da.EquationsOfMotion) -> None:
    inputs = np.random.default_rng(2).uniform(-10.0, 16.0, (30, 4, 1))
    steps = da.stepper(lifts, period=0.02, members=4, step=2e-3, observe=["z", "z_dot"])
    seen = [steps.step(u) for u in inputs]
    for i in range(4):
        law = da.SampledController(partial(lambda own, t, *_: own[round(t / 0.02)], inputs[:, i]), 0.02)
        run = da.simulate(lifts, duration=0.6, step=2e-3, record=0.02, control=law, limits="ignore")
        assert len(transitions(run)) > 0
        last = [np.flatnonzero(np.abs(run.t - 0.02 * k) < 1e-9)[-1] for k in range(1, 31)]
        np.testing.assert_allclose(np.array(seen)[:, i, 0], run["z"][last], rtol=1e-9, atol=1e-9)
    steps.reset([1, 2])
    np.testing.assert_array_equal(steps.step(inputs[0])[1:3], seen[0][1:3])


def test_threads_of_a_stepper_keep_their_memory(lifts: da.EquationsOfMotion, monkeypatch: pytest.MonkeyPatch) -> None:
    """A period takes new threads, but no new loops; what members do does not depend on them."""
    made: list[int] = []
    initialise = ThreadSteps.__init__
    monkeypatch.setattr(ThreadSteps, "__init__", lambda *given: (made.append(1), initialise(*given))[1])
    inputs = np.random.default_rng(3).uniform(-10.0, 16.0, (20, 40, 1))
    one, two = (da.stepper(lifts, period=0.02, members=40, step=2e-3, threads=k) for k in (1, 2))
    for u in inputs:
        np.testing.assert_array_equal(one.step(u), two.step(u))
    assert len(made) <= 3


def test_virtual_machine_has_the_same_transitions(balls: da.EquationsOfMotion) -> None:
    v0, p = thrown(3)
    lanes, single = (da.rollout(eom, v0=v0, p=p, **SETTINGS) for eom in (balls, da.equations(swing(), backend="vm")))
    assert (lanes.metadata["backend"], single.metadata["backend"]) == ("lanes", "vm")
    for i in range(3):
        assert_same(single.member(i), lanes.member(i))


def test_what_cannot_be_done_is_refused() -> None:
    with pytest.raises(da.InputError, match="a stepper runs the methods euler, heun, rk4, midpoint, not 'dopri5'"):
        da.stepper(swing(), period=0.01, members=2, method="dopri5")


@pytest.mark.slow
def test_all_transitions_of_the_overturning_robot() -> None:
    """Ninety of them in 14 s, up to three cables at once."""
    eom = da.equations(overturning_robot(bilateral=False), by="natural")
    pose = (0.4103720245171186, 1.0, 0.6015053021164266, 0.9999892917677689, 0.0, 0.004627780223404874, 0.0)
    settings = {"q0": pose, "duration": 14.0, "step": 1e-3, "record": 0.5}
    run = da.simulate(eom, limits="ignore", **settings)
    assert len(run.metadata["transitions"]) > 60
    assert_same(da.rollout(eom, **settings).member(0), run)
