"""Rollouts through contacts event by event: impacts, sticking, slipping and hard stops are those of simulations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.hybrid_machines import HYBRID
from tests.support.thrown_box import thrown_box

import dalembert as da
from dalembert.control import Sampled
from dalembert.engine.setup import Outcome
from dalembert.systems.falling_chains import chain_on_ground


def ball(friction: float) -> da.Machine:
    floor = da.Contact("floor", "ball", da.Sphere(0.1), restitution=da.Parameter("e", 0.6), friction=friction)
    joint = da.Joint("base", "free", "world", "ball")
    return da.Machine("ball", bodies=[da.sphere("ball", 1.0, 0.1)], joints=[joint], contacts=[floor])


def assert_same(result: da.Rollout, i: int, run: da.Run, tolerance: float) -> None:
    """The transitions, with all that they did, and the rows."""
    member = result.member(i)
    assert member.status == run.status
    assert [e.name for e in member.events] == [e.name for e in run.events]
    for one, two in zip(member.metadata["transitions"], run.metadata["transitions"], strict=True):
        assert (one["events"], one["on"], one["off"]) == (two["events"], two["on"], two["off"])
        assert one["t"] == pytest.approx(two["t"], abs=tolerance)
        assert one["energy_lost"] == pytest.approx(two["energy_lost"], abs=tolerance)
        assert one["impulse"] == pytest.approx(two["impulse"], abs=tolerance)
    last = [np.flatnonzero(np.abs(run.t - t) < 1e-9)[-1] for t in member.t]
    np.testing.assert_allclose(member.x, run.x[last], rtol=tolerance, atol=tolerance)


MEMBERS: dict[str, Any] = {
    "q0": {"base.z": np.linspace(0.2, 1.2, 4)},
    "v0": {"base.vx": 2.0},
    "p": {"e": np.array([0.2, 0.8, 0.5, 0.6])},
}


@pytest.mark.parametrize(
    ("friction", "method"),
    [(0.3, {"step": 2e-3}), pytest.param(0.0, {"step": 2e-3}, marks=pytest.mark.slow), (0.3, {"method": "dopri5"})],
    ids=["friction", "smooth", "adaptive"],
)
def test_bouncing_balls(friction: float, method: dict[str, Any]) -> None:
    """Without friction in lanes, with it or with steps of their own outside; restitution is another one for each."""
    eom = da.equations(ball(friction))
    result = da.rollout(eom, duration=0.8, record=0.1, **MEMBERS, **method)
    for i in range(4):
        start = {"q0": {"base.z": float(MEMBERS["q0"]["base.z"][i])}, "v0": MEMBERS["v0"]}
        e = {"e": float(MEMBERS["p"]["e"][i])}
        run = da.simulate(eom, duration=0.8, record=0.1, p=e, **start, **method)
        assert_same(result, i, run, 1e-10)
        assert len(run.events) > 0


@pytest.mark.parametrize("friction", [0.3, 0.0])
def test_members_do_not_depend_on_the_others(friction: float) -> None:
    eom = da.equations(ball(friction))
    rng = np.random.default_rng(5)
    n, settings = 19, {"duration": 0.6, "record": 0.2, "step": 2e-3}
    q0, v0 = {"base.z": rng.uniform(0.1, 0.8, n)}, {"base.vx": rng.normal(size=n), "base.vz": rng.normal(size=n)}
    p = {"e": rng.uniform(0.0, 0.9, n)}
    whole = da.rollout(eom, q0=q0, v0=v0, p=p, threads=1, **settings)
    order = rng.permutation(n)[:11]
    part = [{name: value[order] for name, value in table.items()} for table in (q0, v0, p)]
    mixed = da.rollout(eom, q0=part[0], v0=part[1], p=part[2], threads=3, **settings)
    np.testing.assert_array_equal(mixed.x, whole.x[order])
    for place, i in enumerate(order):
        assert [(e.name, e.t) for e in mixed.member(place).events] == [(e.name, e.t) for e in whole.member(i).events]
    again = whole.again([int(order[0])], record=0.2)
    np.testing.assert_array_equal(again.x[0], whole.x[order[0]])


def test_measures_and_a_start_on_the_ground() -> None:
    """A ball that is put on the floor with some speed down strikes it at once; measures see every step."""
    eom = da.equations(ball(0.3))
    settings: dict[str, Any] = {"duration": 0.3, "step": 2e-3, "q0": {"base.z": 0.1}, "v0": {"base.vz": [-1.0, 0.0]}}
    result = da.rollout(eom, **settings, measure={"top": da.Measure("base.z", "max")})
    rows = da.rollout(eom, **settings)
    assert rows["base.vz"][0, 0] == pytest.approx(0.6, rel=1e-12)  # as it leaves
    np.testing.assert_allclose(result.measures["top"], rows["base.z"].max(axis=1), rtol=1e-12)
    np.testing.assert_array_equal(result.final, rows.final)


@pytest.mark.parametrize("sampled", [pytest.param(False, marks=pytest.mark.slow), True])
def test_hard_stops_event_by_event(sampled: bool) -> None:
    cart = da.Machine(
        "cart",
        bodies=[da.point_mass("cart", 2.0), da.point_mass("bob", 0.8, com=(0, 0, -0.6))],
        joints=[
            da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0), limits=da.Limits(-1.0, 1.0)),
            da.Joint("theta", "revolute", "cart", "bob", axis=(0, 1, 0)),
        ],
        motors=[da.Motor("drive", "x", effort=30.0)],
    )
    law = da.PD(kp=(8.0,), kd=(0.3,), reference=np.zeros(1))
    eom = da.equations(cart)
    control = Sampled(law, 0.01) if sampled else law
    settings: dict[str, Any] = {"duration": 0.8, "step": 2e-3, "record": 0.1, "limits": "contact", "control": control}
    speeds = np.array([1.0, 4.0, -6.0])
    result = da.rollout(eom, v0={"x_dot": speeds}, **settings)
    for i, speed in enumerate(speeds):
        assert_same(result, i, da.simulate(eom, v0={"x_dot": speed}, **settings), 1e-10)


@pytest.mark.slow
def test_a_sample_sets_the_second_of_two_blocks_in_motion() -> None:
    """Forces are held between samples, so that what sticks begins to slip at a sample, without an event before it."""
    names = ("left", "right")
    blocks = da.Machine(
        "blocks",
        bodies=[body for n in names for body in (da.point_mass(f"{n}.slide", 0.1), da.point_mass(n, 1.0))],
        joints=[
            joint
            for n in names
            for joint in (
                da.Joint(f"{n}.x", "prismatic", "world", f"{n}.slide", axis=(1, 0, 0)),
                da.Joint(f"{n}.z", "prismatic", f"{n}.slide", n, axis=(0, 0, 1)),
            )
        ],
        motors=[da.Motor("drive", "right.x", effort=30.0)],
        contacts=[da.Contact(n, n, da.Sphere(0.1), friction=0.4) for n in names],
    )
    eom = da.equations(blocks)
    control = Sampled(da.PID(kp=(2.0,), ki=(40.0,), kd=(0.0,), reference=np.array([0.3])), 0.05)
    settings: dict[str, Any] = {"duration": 1.0, "step": 5e-3, "record": 0.05, "control": control}
    settings["q0"] = {"left.z": 0.1, "right.z": 0.1}
    result = da.rollout(eom, v0={"left.x_dot": np.array([0.5, 1.0])}, **settings)
    run = da.simulate(eom, v0={"left.x_dot": 1.0}, **settings)
    member = result.member(1)
    assert [e.name for e in member.events] == [e.name for e in run.events]
    for name in ("left.x", "right.x", "right.x_dot", "right.z"):
        np.testing.assert_allclose(np.interp(member.t, run.t, run[name]), member[name], rtol=1e-10, atol=1e-10)
    assert run["right.x"][-1] > 0.01


def test_a_stepper_bounces() -> None:
    eom = da.equations(ball(0.3))
    steps = da.stepper(eom, period=0.01, members=3, q0={"base.z": [0.2, 0.3, 0.4]}, step=2e-3, observe=["base.z"])
    seen = np.array([steps.step() for _ in range(40)])[:, :, 0]
    result = da.rollout(eom, duration=0.4, step=2e-3, record=0.01, q0={"base.z": [0.2, 0.3, 0.4]})
    np.testing.assert_allclose(seen.T, result["base.z"][:, 1:], rtol=1e-10, atol=1e-10)


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("natural", "cables", "ball")]


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
@pytest.mark.parametrize("name", ["grip", "cut", "flap", "sticks", *SLOW])
def test_machines_with_switches_and_events(name: str, method: str) -> None:
    """Constraints that are added, measure themselves and are removed; cables that are cut; stops and impacts."""
    case = HYBRID[name]
    made = case.make()
    eom = made if isinstance(made, da.EquationsOfMotion) else da.equations(made)
    settings = {"limits": "ignore", "method": method, "duration": case.duration, "record": 0.1, **case.settings}
    run = da.simulate(eom, **settings)
    assert len(run.metadata["transitions"]) >= case.events
    assert_same(da.rollout(eom, **settings), 0, run, 1e-9)


@pytest.mark.slow
def test_switches_at_events_and_gaps_that_are_open() -> None:
    """A cable is cut when another goes slack; a constraint cannot begin to act where its gap is open."""
    case = HYBRID["slack"]
    eom = da.equations(case.make())
    cut = [da.Switch(event="two.slack", off="one")]
    settings: dict[str, Any] = {"duration": case.duration, "record": 0.1, **case.settings, "switches": cut}
    run = da.simulate(eom, limits="ignore", **settings)
    assert run["active.one"][-1] == -1.0
    assert_same(da.rollout(eom, **settings), 0, run, 1e-8)
    slide = da.Machine(
        "slide",
        bodies=[da.Body("one", 2.0)],
        joints=[da.Joint("x", "prismatic", "world", "one", axis=(1, 0, 0))],
        constraints=[da.BallConstraint("pin", "one", "world", components="x", switchable=True, active=False)],
    )
    pins = da.rollout(slide, duration=0.2, q0={"x": [0.0, 0.5]}, switches=[da.Switch(at=0.1, on="pin")])
    assert list(pins.status) == ["completed", "diverged"]
    assert "cannot begin to act at t = 0.1 s: its gap is not closed" in pins.message(1)
    with pytest.raises(da.InputError, match="comes before the run"):
        da.rollout(slide, duration=0.2, switches=[da.Switch(at=-0.1, on="pin")])


def test_a_member_whose_constraint_cannot_begin_has_no_later_rows() -> None:
    """It stays where its gap is open, at the instant of the switch; a member beside it is stopped there."""
    slide = da.Machine(
        "slide",
        bodies=[da.Body("one", 2.0)],
        joints=[da.Joint("x", "prismatic", "world", "one", axis=(1, 0, 0))],
        constraints=[da.BallConstraint("pin", "one", "world", components="x", switchable=True, active=False)],
    )
    start, speed = np.array([-0.03, 0.5, 0.2]), np.array([0.3, 0.4, -0.1])
    rows = da.rollout(
        slide, duration=0.3, record=0.05, step=0.01, method="rk4", q0={"x": start}, v0={"x_dot": speed},
        switches=[da.Switch(at=0.1, on="pin")],
    )  # fmt: skip
    assert list(rows.status) == ["completed", "diverged", "diverged"]
    x, t = rows["x"], rows.t
    np.testing.assert_allclose(x[0], np.minimum(start[0] + speed[0] * t, 0.0), atol=1e-9)
    for i in (1, 2):
        np.testing.assert_allclose(x[i, t < 0.1 - 1e-9], start[i] + speed[i] * t[t < 0.1 - 1e-9], rtol=1e-12)
        assert np.isnan(x[i, t > 0.1 + 1e-9]).all() and np.isnan(rows["x_dot"][i, t > 0.1 + 1e-9]).all()
        assert rows.failed_at[i] == pytest.approx(0.1, abs=1e-9)


def test_what_ends_a_member_is_said_in_words() -> None:
    happened = da.rollout(da.equations(ball(0.3)), duration=0.01, q0={"base.z": 0.5}).happened
    assert happened is not None and not happened.message(0, 0.1)
    impact = [spec.name for spec in happened.setup.problem.event_specs].index("floor.impact")
    for outcome, culprit, words in (
        (Outcome.ACCUMULATED, impact, "events accumulate at t = 0.1 s: 500 of them up to 'floor.impact'"),
        (Outcome.ILL_POSED, 0, "no forces obey the law of friction at contact 'floor' of machine 'ball'"),
        (Outcome.NOT_FINITE, -1, "the transition at t = 0.1 s has no finite state"),
    ):
        happened.carried[0, 2:5] = outcome, culprit, 1
        assert words in happened.message(0, 0.1)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 4))])
def test_boxes_tumble(seed: int) -> None:
    """Corners strike, stick, slip and let go, with steps that they choose: to the bit."""
    machine, settings = thrown_box(seed)
    eom = da.equations(machine)
    run = da.simulate(eom, duration=0.45, **settings)
    assert len(run.events) > 0
    assert_same(da.rollout(eom, duration=0.45, **settings), 0, run, 1e-14)


@pytest.mark.parametrize("method", [{"step": 2e-3}, {"method": "dopri5"}], ids=["fixed", "adaptive"])
def test_boxes_have_their_own_friction(method: dict[str, Any]) -> None:
    """Several pairs, several members: friction and restitution of each are parameters."""
    mu, e = da.Parameter("mu", 0.4), da.Parameter("e", 0.5)
    contact = da.Contact("g", "box", da.Box((0.3, 0.2, 0.1)), friction=mu, restitution=e)
    box, joint = da.box("box", 2.0, (0.3, 0.2, 0.1)), da.Joint("b", "free", "world", "box")
    eom = da.equations(da.Machine("box", [box], [joint], contacts=[contact]))
    start = {"q0": [0.0, 0.0, 0.3, np.cos(0.3), 0.6 * np.sin(0.3), 0.8 * np.sin(0.3), 0.0], "v0": {"b.vx": 1.0}}
    p = {"mu": np.array([0.1, 0.4, 0.7]), "e": np.array([0.6, 0.0, 0.3])}
    result = da.rollout(eom, duration=0.4, record=0.1, p=p, **start, **method)
    for i in range(3):
        own = {name: float(values[i]) for name, values in p.items()}
        run = da.simulate(eom, duration=0.4, record=0.1, p=own, **start, **method)
        assert_same(result, i, run, 1e-12)
        assert len(run.events) > 0


@pytest.mark.slow
def test_a_chain() -> None:
    chain = da.equations(chain_on_ground(2, 1, restitution=0.5, friction=0.3))
    given: dict[str, Any] = {"duration": 0.5, "q0": {"base.y": 0.5, "base.angle": 0.3}, "method": "dopri5"}
    assert_same(da.rollout(chain, record=0.05, **given), 0, da.simulate(chain, record=0.05, **given), 1e-14)
