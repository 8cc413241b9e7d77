"""Rollouts of cables that go slack: what happens to a member is what happens in its simulation."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import overturning_robot

RNG = np.random.default_rng(3)


def swing() -> da.Machine:
    """A ball on two cables that only pull, from points of which one can be moved."""
    side = da.Parameter("side", 0.5)
    return da.Machine(
        "swing",
        bodies=[da.sphere("ball", 1.0, 0.1)],
        joints=[da.Joint("ball", "free", "world", "ball")],
        cables=[
            da.Cable("left", "ball", exit_at=(-0.5, 0.0, 0.0), length=1.0),
            da.Cable("right", "ball", exit_at=(side, 0.0, 0.0), length=1.2),
        ],
    )


def transitions(run: da.Run) -> np.ndarray:
    """Times and losses."""
    return np.array([[entry["t"], entry["energy_lost"]] for entry in run.metadata["transitions"]])


def assert_same(member: da.Run, run: da.Run) -> None:
    got, want = transitions(member), transitions(run)
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)
    for record in member.events:  # of cables that become taut in one instant rounding says which is seen
        assert np.abs(want[:, 0] - record.t).min() < 1e-9
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


def test_what_cannot_be_done_is_refused() -> None:
    with pytest.raises(da.InputError, match="'swing' has cables that go slack: rollouts take it on the processor"):
        da.rollout(da.equations(swing(), backend="vm"), duration=0.1)
    with pytest.raises(da.InputError, match="machines with constraints take fixed steps, not those of method 'dopri5'"):
        da.rollout(swing(), duration=0.1, method="dopri5")
    rail = da.Joint("ball", "prismatic", "world", "ball", axis=(0, 0, 1), limits=da.Limits(-2.0, 2.0))
    with pytest.raises(da.InputError, match="without limits, friction and other events"):
        da.rollout(swing().with_(joints=[rail]), duration=0.1, q0={"ball": -0.5}, limits="stop")
    with pytest.raises(da.InputError, match="'swing' has cables that go slack, which steppers"):
        da.stepper(swing(), period=0.01, members=2)


@pytest.mark.slow
def test_all_transitions_of_the_overturning_robot() -> None:
    """Ninety of them in 14 s, up to three cables at once."""
    eom = da.equations(overturning_robot(bilateral=False), by="natural")
    pose = (0.4103720245171186, 1.0, 0.6015053021164266, 0.9999892917677689, 0.0, 0.004627780223404874, 0.0)
    settings = {"q0": pose, "duration": 14.0, "step": 1e-3, "record": 0.5}
    run = da.simulate(eom, limits="ignore", **settings)
    assert len(run.metadata["transitions"]) > 60
    assert_same(da.rollout(eom, **settings).member(0), run)
