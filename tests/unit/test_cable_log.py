"""Events of cables: every change is logged once, whatever caused it, by every method, and says what the latches say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import dalembert as da

STEP = {"step": 1e-3}
METHODS: dict[str, dict[str, Any]] = {
    "rk4": {"method": "rk4", **STEP},
    "heun": {"method": "heun", **STEP},
    "bs32": {"method": "bs32"},
    "dopri5": {"method": "dopri5"},
    "dop853": {"method": "dop853"},
    "generalized-alpha": {"constraints": "generalized-alpha", **STEP},
    "baumgarte": {"constraints": "baumgarte", **STEP},
    "udwadia-kalaba": {"constraints": "udwadia-kalaba", **STEP},
    "penalty": {"constraints": "penalty", **STEP},
    "augmented-lagrangian": {"constraints": "augmented-lagrangian", **STEP},
    "idas": {"constraints": "idas"},
}
G, SPEED, AT = 9.81, 0.8, 0.2


def changes(run: da.Run, cable: str) -> list[da.EventRecord]:
    """Return what happened to a cable."""
    return [event for event in run.events if event.name in (f"{cable}.slack", f"{cable}.taut")]


def assert_log_is_what_the_latches_say(run: da.Run, cables: Sequence[str]) -> None:
    """Each cable goes slack and taut by turns, at every instant as its latch says, and transitions tell the same."""
    last = np.append(np.diff(run.t) > 0.0, True)  # an instant has a row before its transition and one after
    told = [name for entry in run.metadata["transitions"] for name in entry["events"]]
    for cable in cables:
        taut, events = run[f"active.{cable}"] > 0.5, changes(run, cable)
        names = [event.name for event in events]
        assert names == [name for name in told if name in (f"{cable}.slack", f"{cable}.taut")]
        turns = [f"{cable}.slack", f"{cable}.taut"] * len(names)
        assert names == turns[int(not taut[0]) :][: len(names)]
        so_far = np.searchsorted([event.t for event in events], run.t[last], side="right")
        np.testing.assert_array_equal(taut[last], taut[0] ^ (so_far % 2 == 1))


def hoist(**parts: Any) -> da.Machine:
    """A hook that two cables let down at a steady speed, above a load that it can grip."""

    def length(side: float) -> Any:
        return ((1.0 + SPEED * da.TIME) ** 2 + side**2) ** 0.5

    sides = {"left": -0.6, "right": 0.6}
    return da.Machine(
        "hoist",
        bodies=[da.Body("trolley"), da.point_mass("hook", 2.0), da.Body("cart"), da.point_mass("load", 1.0)],
        joints=[
            da.Joint("x", "prismatic", "world", "trolley", axis=(1, 0, 0)),
            da.Joint("z", "prismatic", "trolley", "hook", axis=(0, 0, 1)),
            da.Joint("u", "prismatic", "world", "cart", axis=(1, 0, 0)),
            da.Joint("w", "prismatic", "cart", "load", axis=(0, 0, 1)),
        ],
        constraints=[da.BallConstraint("grip", "load", "hook", components="xz", switchable=True, active=False)],
        cables=[da.Cable(name, "hook", exit_at=(x, 0.0, 0.0), length=length(x)) for name, x in sides.items()],
        **parts,
    )


def pick(rise: float) -> dict[str, Any]:
    """Return a load thrown up so that it meets the hook when it is gripped, where it still rises with some speed."""
    v = rise + G * AT
    place = -1.0 - SPEED * AT - v * AT + 0.5 * G * AT**2
    return {
        "q0": {"z": -1.0, "w": place},
        "v0": {"z_dot": -SPEED, "w_dot": v},
        "duration": 0.4,
        "switches": [da.Switch(at=AT, on="grip")],
    }


@pytest.fixture(scope="module")
def hoisted() -> da.EquationsOfMotion:
    return da.equations(hoist())


@pytest.mark.parametrize("name", METHODS)
def test_a_pick_while_going_down(hoisted: da.EquationsOfMotion, name: str) -> None:
    """A load that does not go down as fast slackens the cables at once; they catch both after a free fall."""
    rise = 0.04
    run = da.simulate(hoisted, **pick(rise), **METHODS[name])
    assert [e.name for e in run.events] == ["switch0", "left.slack", "right.slack", "left.taut", "right.taut"]
    slower = SPEED - (2.0 * SPEED - rise) / 3.0  # after the grip, than the cables
    assert run.events[1].t == run.events[0].t == pytest.approx(AT, abs=1e-12)
    assert run.events[3].t == pytest.approx(AT + 2.0 * slower / G, abs=1e-8)
    first, second = run.metadata["transitions"]
    assert (first["on"], first["off"]) == (["grip"], ["left", "right"])
    assert (second["on"], second["off"]) == (["left", "right"], [])
    assert_log_is_what_the_latches_say(run, ["left", "right"])


@pytest.mark.slow
def test_members_tell_the_same(hoisted: da.EquationsOfMotion) -> None:
    settings = pick(0.04) | METHODS["rk4"]
    single = da.simulate(hoisted, **settings)
    starts = {name: np.full(5, value) for name, value in settings.pop("v0").items()}
    for equations in (hoisted, da.equations(hoist(), backend="vm")):
        result = da.rollout(equations, v0=starts, record=0.05, **settings)
        for i in (0, 4):
            member = result.member(i)
            assert [e.name for e in member.events] == [e.name for e in single.events]
            np.testing.assert_allclose([e.t for e in member.events], [e.t for e in single.events], atol=1e-10)
            for got, want in zip(member.metadata["transitions"], single.metadata["transitions"], strict=True):
                assert [got[key] for key in ("events", "on", "off")] == [want[key] for key in ("events", "on", "off")]


def falling(seed: int) -> tuple[da.Machine, list[str], dict[str, Any]]:
    """Return a ball that falls into two to four cables and grips a second one for a while; its cables; its run."""
    rng = np.random.default_rng(seed)
    exits = rng.uniform(-1.0, 1.0, (int(rng.integers(2, 5)), 3)) * [1.0, 1.0, 0.3] + [0.0, 0.0, 1.2]
    names = [f"c{i}" for i in range(len(exits))]
    longer = rng.uniform(0.0, 0.1, len(exits))
    machine = da.Machine(
        "falling",
        [da.sphere("ball", 1.0, 0.1), da.sphere("load", float(rng.uniform(0.5, 3.0)), 0.1)],
        [da.Joint("ball", "free", "world", "ball"), da.Joint("load", "free", "world", "load")],
        constraints=[da.WeldConstraint("grip", "load", "ball", switchable=True, active=False)],
        cables=[
            da.Cable(name, "ball", exit_at=tuple(map(float, exit_at)), length=float(np.linalg.norm(exit_at) + more))
            for name, exit_at, more in zip(names, exits, longer, strict=True)
        ],
    )
    speeds = {f"{body}.{v}": float(rng.normal()) for body in ("ball", "load") for v in ("vx", "vy", "vz")}
    switches = [da.Switch(at=float(rng.uniform(0.2, 0.4)), on="grip"), da.Switch(at=0.6, off="grip")]
    return machine, names, {"v0": speeds, "q0": {"load.z": -0.5}, "switches": switches, "duration": 0.8}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_balls_that_fall_into_cables(seed: int) -> None:
    """Impacts of one cable slacken others; all methods tell the same story."""
    machine, cables, settings = falling(seed)
    equations, stories = da.equations(machine), []
    for name in ("rk4", "dopri5", "generalized-alpha", "udwadia-kalaba", "idas"):
        run = da.simulate(equations, **settings, **METHODS[name])
        assert sum(e.name.endswith(".slack") for e in run.events) > 1
        assert_log_is_what_the_latches_say(run, cables)
        stories.append([(e.name, pytest.approx(e.t, abs=1e-4)) for e in run.events])
        assert [(e.name, e.t) for e in run.events] == stories[0]


def ball_on_a_string(cable: da.Cable, **parts: Any) -> da.Machine:
    return da.Machine(
        "ball",
        [da.point_mass("ball", 2.0)],
        [da.Joint("z", "prismatic", "world", "ball", axis=(0, 0, 1))],
        cables=[cable],
        **parts,
    )


@pytest.mark.parametrize("name", ["rk4", "dopri5", "generalized-alpha", "idas"])
def test_a_jerk_is_a_change_there_and_back(name: str) -> None:
    """Thrown up on a string from the ground: it stops at the end of the string, and falls."""
    machine = ball_on_a_string(da.Cable("string", "ball", length=1.0))
    run = da.simulate(machine, duration=0.4, v0={"z_dot": 6.0}, **METHODS[name])
    assert [e.name for e in run.events] == ["string.taut", "string.slack"]
    assert run.events[0].t == run.events[1].t == pytest.approx((6.0 - np.sqrt(36.0 - 2.0 * G)) / G, abs=1e-7)
    assert len(run.metadata["transitions"]) == 1
    assert run.metadata["transitions"][0]["impulse"]["string"] == pytest.approx(2.0 * np.sqrt(36.0 - 2.0 * G), rel=1e-6)


def test_what_an_impulse_slackens_leads_to_its_switch(hoisted: da.EquationsOfMotion) -> None:
    """A hook that lets go when its left cable is slack lets go at once, in a transition of its own."""
    settings = pick(0.04)
    settings["switches"] = [*settings["switches"], da.Switch(event="left.slack", off="grip")]
    run = da.simulate(hoisted, **settings, **METHODS["rk4"])
    told = [(entry["events"], entry["on"], entry["off"]) for entry in run.metadata["transitions"]]
    assert told[:2] == [(["switch0", "right.slack"], ["grip"], ["right"]), (["left.slack"], [], ["grip", "left"])]
    assert run.metadata["transitions"][1]["t"] == run.metadata["transitions"][0]["t"]
    assert run["active.grip"][run.t > AT].max() == 0.0
    assert_log_is_what_the_latches_say(run, ["left", "right"])


def test_an_impulse_slackens_a_damped_elastic_cable() -> None:
    """A ball on its cable grips a load that rises fast: the damper would push, so that the cable is slack."""
    machine = da.Machine(
        "elastic",
        bodies=[da.point_mass("ball", 2.0), da.point_mass("load", 2.0)],
        joints=[
            da.Joint("z", "prismatic", "world", "ball", axis=(0, 0, 1)),
            da.Joint("w", "prismatic", "world", "load", axis=(0, 0, 1)),
        ],
        constraints=[da.BallConstraint("grip", "load", "ball", components="z", switchable=True, active=False)],
        cables=[da.Cable("rope", "ball", length=1.0, stiffness=1e4, damping=500.0)],
    )
    rest, v = -1.0 - 2.0 * G / 1e4, 8.0 + G * 0.1
    run = da.simulate(
        machine,
        duration=0.11,
        q0={"z": rest, "w": rest - v * 0.1 + 0.5 * G * 0.01},
        v0={"w_dot": v},
        switches=[da.Switch(at=0.1, on="grip")],
        step=1e-4,
    )
    assert [(e.name, e.t) for e in run.events][:2] == [("switch0", run.events[0].t), ("rope.slack", run.events[0].t)]
    assert run["tension.rope"][np.searchsorted(run.t, 0.1, side="right")] == 0.0


@pytest.mark.parametrize("floor", [True, False])
@pytest.mark.parametrize("edit", ["velocity", "place"])
def test_a_cable_slackens_in_a_state_of_the_callers_own(edit: str, floor: bool) -> None:
    """Thrown up with 1 m/s, or lifted by 0.2 m, at 0.1 s: it is taut again after 2 v/g, or the fall through 0.2 m."""
    ground = da.HalfSpace(point=(0.0, 0.0, -3.0))
    machine = da.Machine(
        "bob",
        [da.Body("slide"), da.point_mass("b", 2.0)],
        [da.Joint("x", "prismatic", "world", "slide", axis="x"), da.Joint("z", "prismatic", "slide", "b", axis="z")],
        cables=[da.Cable("one", "b", length=1.0)],
        contacts=[da.Contact("floor", "b", da.Sphere(0.05), surface=ground)] if floor else [],
    )

    def lift(t: float, x: np.ndarray, names: tuple[str, ...]) -> np.ndarray | None:
        if "tick" not in names:
            return None
        state = x.copy()
        if edit == "velocity":
            state[3] = 1.0
        else:
            state[1] += 0.2
        return state

    tick = da.Event("tick", lambda t, q, v: t - 0.1)
    given = {"q0": {"z": -1.0}, "duration": 0.4, "step": 1e-3, "backend": "vm"}
    run = da.simulate(machine, events=[tick], on_event=lift, **given)
    assert [event.name for event in changes(run, "one")] == ["one.slack", "one.taut"]
    assert_log_is_what_the_latches_say(run, ["one"])
    flight = 2.0 / G if edit == "velocity" else (2 * 0.2 / G) ** 0.5
    slack, taut = (event.t for event in changes(run, "one"))
    assert slack == pytest.approx(0.1, abs=1e-9) and taut - slack == pytest.approx(flight, abs=1e-9)
