"""Transitions are the same whether a caller is asked at events or not, with any method and in any order."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from tests.support.thrown_box import thrown_box

import dalembert as da
from dalembert.systems.cable_robots import overturning_robot
from dalembert.systems.contacts import bouncing_ball
from dalembert.systems.falling_chains import chain_on_ground


def both(machine: object, **settings: object) -> tuple[da.Run, da.Run]:
    """A run, and one whose caller is asked at every event and leaves the state as it is."""
    return da.simulate(machine, **settings), da.simulate(machine, on_event=lambda t, x, names: None, **settings)


def assert_same(
    native: da.Run | SimpleNamespace, python: da.Run | SimpleNamespace, tolerance: float = 1e-9, *, rows: bool = True
) -> None:
    """Same events and transitions, and the same rows."""
    assert [e.name for e in native.events] == [e.name for e in python.events]
    np.testing.assert_allclose([e.t for e in native.events], [e.t for e in python.events], atol=tolerance)
    for one, two in zip(native.metadata["transitions"], python.metadata["transitions"], strict=True):
        assert one.keys() == two.keys()
        assert sorted(one["events"]) == sorted(two["events"])  # of one instant in any order
        assert (one["on"], one["off"]) == (two["on"], two["off"])
        # a difference dt of the time is one of m g v dt in what an impact takes
        assert one["energy_lost"] == pytest.approx(two["energy_lost"], abs=100.0 * tolerance)
        for name in one["impulse"].keys() & two["impulse"].keys():
            assert one["impulse"][name] == pytest.approx(two["impulse"][name], abs=100.0 * tolerance)
    if not rows:
        return
    np.testing.assert_allclose(native.t, python.t, atol=tolerance)
    coordinates = len(native.source.q_names)  # fast vibrations turn differences of time into some of velocity
    np.testing.assert_allclose(native.x[:, :coordinates], python.x[:, :coordinates], atol=100.0 * tolerance)


def without_relapses(run: da.Run) -> SimpleNamespace:
    """What a run tells, but for slips that end as soon as they begin and go on.

    The first steps of a slip have its direction to the tolerance alone: by rounding, one slip in five is taken for its
    end and settled once more. Nothing changes by that.
    """
    slips = [(e.t, e.name) for e in run.events if e.name.endswith(".slip")]
    again = {
        e.t
        for e in run.events
        if e.name.endswith(".stick")
        and any(name == e.name.replace(".stick", ".slip") and 0.0 < e.t - t < 1e-4 for t, name in slips)
    }
    rows = ~np.isin(run.t, list(again))
    return SimpleNamespace(
        events=[e for e in run.events if e.t not in again],
        metadata={"transitions": [entry for entry in run.metadata["transitions"] if entry["t"] not in again]},
        t=run.t[rows],
        x=run.x[rows],
        source=run.source,
    )


def ball_on_cables(rng: np.random.Generator, cables: int) -> da.Machine:
    exits = rng.uniform(-1.0, 1.0, (cables, 3)) + [0.0, 0.0, 1.0]
    lengths = np.linalg.norm(exits, axis=1) * rng.uniform(0.95, 1.2, cables)
    return da.Machine(
        "ball",
        [da.sphere("ball", 1.0, 0.1)],
        [da.Joint("ball", "free", "world", "ball")],
        cables=[da.Cable(f"c{i}", "ball", exit_at=tuple(exits[i]), length=float(lengths[i])) for i in range(cables)],
    )


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3, 4, 5, 7, 8, 9))])
def test_random_cable_robots(seed: int) -> None:
    """A ball falls into cables that only pull: taut, slack, several at once."""
    rng = np.random.default_rng(seed)
    machine = ball_on_cables(rng, 4)
    v0 = dict(zip(("ball.vx", "ball.vy", "ball.vz"), rng.normal(size=3), strict=True))
    native, python = both(machine, duration=0.8, v0=v0, step=2e-3, record=0.1)
    assert len(native.metadata["transitions"]) > 1
    assert_same(native, python)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
def test_boxes_tumble_as_in_python(seed: int) -> None:
    """Up to where many impacts within a step make what follows a matter of rounding."""
    machine, settings = thrown_box(seed)
    native, python = both(machine, duration=0.45, **settings)
    assert len(native.metadata["transitions"]) > 0
    assert_same(without_relapses(native), without_relapses(python), 1e-8)


def test_a_chain_with_poissons_law_and_a_foreign_event() -> None:
    """Events of the caller are handled in Python, those of contacts around them in native code.

    A step ends at an event of the caller only if the caller is asked about it, so that the rows differ.
    """
    chain = chain_on_ground(2, 1, restitution=0.5, friction=0.3)
    low = da.Event("low", lambda t, q, v: q[1] - 0.25)
    native, python = both(chain, duration=0.5, q0={"base.y": 0.5, "base.angle": 0.3}, method="dopri5", events=(low,))
    assert "low" in [e.name for e in native.events]
    assert len(native.metadata["transitions"]) > 2
    assert_same(native, python, 1e-8, rows=False)


def gripped_ball(constraint: da.WeldConstraint | da.BallConstraint) -> dict[str, object]:
    """A ball that flies against a wall and is held by something, such as a hand, when it strikes the floor."""
    return {
        "machine": da.Machine(
            "gripped",
            [da.sphere("ball", 1.0, 0.1), da.sphere("hand", 3.0, 0.2)],
            [da.Joint("base", "free", "world", "ball"), da.Joint("hand", "free", "world", "hand")],
            constraints=[constraint],
            contacts=[
                da.Contact(
                    "wall", "ball", da.Sphere(0.1), surface=da.HalfSpace((-1.0, 0, 0), (0.3, 0, 0)), restitution=0.7
                ),
                da.Contact("floor", "ball", da.Sphere(0.1), restitution=0.5, friction=0.3),
            ],
        ),
        "switches": [da.Switch(event="floor.impact", on="grip")],
        "q0": {"base.z": 0.5, "hand.z": 2.0},
        "v0": {"base.vx": 2.0, "base.wz": 1.0},
        "duration": 0.5,
        "method": "dopri5",
    }


@pytest.mark.slow
def test_switches_at_events_of_pairs() -> None:
    """A weld that holds what strikes the floor where it does, and a cable that is cut when another becomes taut."""
    grip = da.WeldConstraint("grip", "ball", "hand", switchable=True, active=False)
    cables = ball_on_cables(np.random.default_rng(8), 4)
    cut = [da.Switch(event="c3.taut", off="c0")]
    for given in (
        gripped_ball(grip),
        {"machine": cables, "switches": cut, "duration": 0.8, "step": 2e-3},
    ):
        python = da.simulate(on_event=lambda t, x, names: None, **given)
        native = da.simulate(**given)
        assert_same(native, python)
        (switch,) = given["switches"]
        assert {e.name for e in native.events} >= {switch.event}
        flags = [k for k, name in enumerate(native.state_names) if name.startswith("active.")]
        np.testing.assert_array_equal(native.x[:, flags], python.x[:, flags])
        assert all(native[f"active.{name}"][-1] == 1.0 for name in switch.on)
        assert all(native[f"active.{name}"][-1] == -1.0 for name in switch.off)  # cut: it stays so


def test_a_constraint_that_cannot_begin_to_act() -> None:
    """Native code says so as Python does: the name, the time and the gap."""
    given = gripped_ball(da.BallConstraint("grip", "ball", components="y", switchable=True, active=False))
    given["q0"] = {"base.y": 0.25, "base.z": 0.5, "hand.z": 2.0}
    said = []
    for on_event in (None, lambda t, x, names: None):
        with pytest.raises(da.SimulationError) as raised:
            da.simulate(on_event=on_event, **given)
        said.append(str(raised.value))
    assert said[0] == said[1]
    assert "constraint 'grip' cannot begin to act at t = 0.28" in said[0] and "gap is 0.25, more than 1e-06" in said[0]


def test_slips_that_would_turn_back_at_once_come_to_rest() -> None:
    """A box of which one corner comes to rest while it still moves the other way: its events once had no end."""
    machine, settings = thrown_box(18)
    run = da.simulate(machine, duration=3.0, **settings)
    assert run.status == "completed"
    assert np.abs(run.x[-1, 7:13]).max() < 1e-12
    assert run.energy.drift < 1e-7


def test_a_contact_whose_force_is_rounding_lets_go() -> None:
    """The end of a flexible chain leaves the ground under a force that nothing else could be compared with."""
    chain = chain_on_ground(4, 2, restitution=0.5, friction=0.3)
    run = da.simulate(
        chain, duration=0.5, q0={"base.y": 0.5, "base.angle": 0.3}, method="dopri5", rtol=1e-6, atol=1e-6, record=0.05
    )
    assert {e.name.rpartition(".")[2] for e in run.events} >= {"impact", "release"}
    assert run.energy.drift < 1e-5


@pytest.mark.slow
def test_all_transitions_of_the_overturning_robot() -> None:
    eom = da.equations(overturning_robot(bilateral=False), by="natural")
    pose = (0.4103720245171186, 1.0, 0.6015053021164266, 0.9999892917677689, 0.0, 0.004627780223404874, 0.0)
    native, python = both(eom, q0=pose, duration=14.0, step=1e-3, record=0.5, limits="ignore")
    assert len(native.metadata["transitions"]) > 60
    times = [[e["t"] for e in run.metadata["transitions"]] for run in (native, python)]
    np.testing.assert_allclose(*times, atol=1e-9)
    np.testing.assert_allclose(native.x[-1], python.x[-1], atol=1e-7)


def test_located_events_do_not_depend_on_the_method() -> None:
    """Long steps of order 8 and short ones of order 5, fixed and adaptive, through the same impacts and rests."""
    chain = da.equations(chain_on_ground(2, 1, restitution=0.5))
    start = {"duration": 0.55, "q0": {"base.y": 0.5, "base.angle": 0.3}, "record": 0.05}
    exact = da.simulate(chain, method="dopri5", rtol=1e-12, atol=1e-14, **start)
    names, times = [e.name for e in exact.events], [e.t for e in exact.events]
    assert len(names) > 20
    for settings in (
        {"method": "dop853", "rtol": 1e-9, "atol": 1e-11},
        {"method": "dopri5", "rtol": 1e-9, "atol": 1e-11},
        {"method": "rk4", "step": 2e-5},
    ):
        run = da.simulate(chain, **settings, **start)
        assert [e.name for e in run.events] == names
        np.testing.assert_allclose([e.t for e in run.events], times, atol=1e-7)
        assert run.energy.drift < 1e-7


def test_a_step_ends_where_a_bounce_is_expected() -> None:
    """Of a ball that falls freely this is when it bounces: no step is tried twice for it."""
    native, asked = both(bouncing_ball(0.8), q0={"z": 1.1}, duration=2.5, method="dopri5", record=0.1)
    assert_same(native, asked)
    bounces = [e.t for e in native.events]
    fall = np.sqrt(2.0 * (1.1 - 0.1) / 9.81)
    expected = fall + np.cumsum([0.0, *(2.0 * fall * 0.8**k for k in range(1, 4))])
    np.testing.assert_allclose(bounces, expected, rtol=1e-9)
