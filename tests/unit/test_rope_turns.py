"""Ropes that wind up: turns about posts and drums that runs count, and drums with layers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import InputError, MachineError
from dalembert.io import load_machine, machine_to_yaml
from dalembert.studies.ropes.machines import peg_pendulum

R, LONG = 0.1, 3.0


def tether(post: da.RopeObstacle, **rope: float) -> da.Machine:
    """A ball on a rope that winds up about a post, without gravity; the rope touches the post from the start."""
    joints = [
        da.Joint("x", "prismatic", "world", "rail", axis="x"),
        da.Joint("y", "prismatic", "rail", "ball", axis="y"),
    ]
    path = [da.Anchor("world", (0, -R - 0.01, 0)), post, da.Anchor("ball")]
    bodies = [da.Body("rail"), da.point_mass("ball", 1.0)]
    return da.Machine("tether", bodies, joints, ropes=[da.Rope("r", path, **rope)], gravity=(0, 0, 0))


START: dict[str, Any] = {"q0": {"x": LONG, "y": -R + 1e-3}, "v0": {"y_dot": 2.0}}


@pytest.mark.parametrize("contact", [None, "time-stepping"])
def test_a_tether_winds_up_as_an_involute(contact: str | None) -> None:
    """The ball keeps its speed v, and the free rope l obeys l l' = -r v: the wrap passes a turn."""
    machine = tether(da.RopeObstacle("world", R, "z", name="post"))
    run = da.simulate(machine, duration=10.0, step=5e-3, record=0.5, contact=contact, backend="vm", **START)
    wrap = run["wrap.r.post"]
    free = run["length.r"] - R * wrap - math.sqrt((R + 0.01) ** 2 - R**2)  # less the span before the post
    begin = int(np.argmax(wrap > 0.0))
    speed = np.hypot(run["x_dot"], run["y_dot"])[begin]
    exact = free[begin] ** 2 - 2 * R * speed * (run.t - run.t[begin])
    near = 1e-9 if contact is None else 2e-5
    np.testing.assert_allclose(free[begin:] ** 2, exact[begin:], rtol=0, atol=near)
    assert wrap[-1] > 2 * math.pi and np.all(np.diff(wrap) >= 0.0)
    assert run["halves.r.post"][-1] >= 2.0 and run.energy.drift < 1e-10
    assert [e.name for e in run.events] == ([] if contact else ["r.post.meet"])  # turns are counted in silence


def test_turns_unwind_as_they_were_wound() -> None:
    """A sweep turns a ball that is pushed outwards about a post, by one and a half turns and back."""
    path = [da.Anchor("world", (R, -1.0, 0)), da.Guide("world", R, "z", name="post"), da.Anchor("ball")]
    turned = math.pi + 1.5 * math.pi * (1 - da.cos(math.pi * da.TIME))
    machine = da.Machine(
        "sweep",
        [da.Body("arm", 1.0, inertia=(1, 1, 1)), da.point_mass("ball", 1.0)],
        [da.Joint("arm", "revolute", "world", "arm", axis="z"), da.Joint("out", "prismatic", "arm", "ball", axis="x")],
        ropes=[da.Rope("r", path)],
        constraints=[da.MotionConstraint("turn", joint="arm", value=turned)],
        wrenches=[da.Wrench("push", "ball", force=(500.0, 0, 0), axes="frame")],
        gravity=(0, 0, 0),
    )
    run = da.simulate(machine, duration=2.0, step=2e-3, record=0.05, backend="vm", q0={"arm": math.pi, "out": 3.0})
    free = np.sqrt(run["out"] ** 2 - R**2)
    wrap = run["arm"] - np.arccos(R / run["out"])  # from the right of the post to where the rope leaves it
    np.testing.assert_allclose(free + R * wrap, free[0] + R * wrap[0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(run["wrap.r.post"], wrap, rtol=0, atol=1e-9)
    assert wrap.max() > 3.4 * math.pi and run["halves.r.post"].max() >= 2.0 and run["halves.r.post"][-1] <= 0.0
    assert run["out"][-1] == pytest.approx(3.0, abs=1e-9)


@pytest.mark.parametrize(("turns", "speed", "wrap"), [(0, -3.0, 270.0), (1, 3.0, 270.0)])
@pytest.mark.parametrize("how", [{"method": "dopri5"}, {"contact": "time-stepping", "step": 2e-3}])
def test_an_elastic_rope_ends_a_run_before_it_leaves_its_turn(
    how: dict[str, Any], turns: int, speed: float, wrap: float
) -> None:
    """Its turns are not counted: the angle would jump by one, and the length with it."""
    guide = da.Guide("world", 0.2, "y", friction=0.1, turns=turns, name="G")
    joints = [
        da.Joint("x", "prismatic", "world", "rail", axis="x", origin=(1.0, 0, 0)),
        da.Joint("z", "prismatic", "rail", "ball", axis="z", origin=(0, 0, -0.5)),
    ]
    rope = da.Rope("r", [da.Anchor("world", (-3, 0, 0.2)), guide, da.Anchor("ball")], stiffness=2e3, pretension=20.0)
    bodies = [da.Body("rail"), da.point_mass("ball", 1.0)]
    machine = da.Machine("tether", bodies, joints, ropes=[rope], gravity=(0, 0, 0))
    run = da.simulate(machine, duration=8.0, v0={"z_dot": speed}, record=0.05, backend="vm", **how)
    assert run.events[-1].name == "r.G.turn" and run.status == "stopped"
    assert abs(math.degrees(run["wrap.r.G"][-1]) - wrap) == pytest.approx(math.degrees(0.05), abs=0.5)
    assert np.abs(np.diff(run["wrap.r.G"])).max() < 1.0


def slewing(drum: da.Drum) -> da.Machine:
    """A mass that circles about a drum in its plane, on a rope of the drum."""
    joints = [
        da.Joint("winch", "revolute", "world", "drum", axis="z"),
        da.Joint("x", "prismatic", "world", "rail", axis="x"),
        da.Joint("y", "prismatic", "rail", "ball", axis="y"),
    ]
    bodies = [da.Body("drum", 1.0, inertia=(1, 1, 1)), da.Body("rail"), da.point_mass("ball", 1.0)]
    rope = da.Rope("r", [drum, da.Anchor("ball")])
    hold = da.MotionConstraint("hold", joint="winch", value=0.0)
    return da.Machine("slew", bodies, joints, ropes=[rope], constraints=[hold], gravity=(0, 0, 0))


def test_a_rope_winds_up_on_a_drum_that_stands() -> None:
    """A ball circles about a drum: each turn costs it 2 pi r of rope, and the run goes on."""
    machine = slewing(da.Drum("winch", R, "-z", zero=(0, 1, 0)))
    start = {"q0": {"winch": 0.0, "x": LONG, "y": R}, "v0": {"y_dot": -2.0, "winch_dot": 0.0}}
    run = da.simulate(machine, duration=12.0, step=4e-3, record=0.25, backend="vm", **start)
    assert run.status == "completed"
    angle = np.unwrap(np.arctan2(run["y"], run["x"]))
    far = np.hypot(run["x"], run["y"])
    touch = angle + np.arccos(R / far)  # of the rope, which leaves the drum where it turns clockwise
    free = np.sqrt(far**2 - R**2)
    np.testing.assert_allclose(free - R * (touch - touch[0]), free[0], rtol=0, atol=1e-9)
    assert angle[0] - angle[-1] > 2 * math.pi and run.energy.drift < 1e-10


# -- layers ------------------------------------------------------------------------------------------------------------

LAYERS = da.DrumLayers(turns=20, rope=0.02, wound=50)


def test_rope_on_a_drum_is_the_sum_of_its_layers() -> None:
    sharp = da.DrumLayers(turns=20, rope=0.02, wound=0, ramp=1e-9)
    assert sharp.coiled(0.31, 20) == pytest.approx(38.9557489045, rel=1e-11)
    assert sharp.coiled(0.31, 50) == pytest.approx(101.742490735, rel=1e-11)
    assert LAYERS.coiled(0.31, 50) == pytest.approx(101.742490735, rel=1e-11)  # what a ramp takes it gives back
    assert LAYERS.coiled(0.31, 20) < sharp.coiled(0.31, 20) + 2 * math.pi * 0.02
    whole = da.DrumLayers(turns=20, rope=0.02, wound=0, nested=False)
    assert whole.coiled(0.31, 40.5 + 9.5) == pytest.approx(2 * math.pi * (20 * 0.31 + 20 * 0.33 + 10 * 0.35), rel=1e-12)
    turns, d = np.linspace(0.3, 59.7, 100), 1e-4
    rates = [(LAYERS.coiled(0.31, n + d) - LAYERS.coiled(0.31, n - d)) / (2 * d) for n in turns]
    radii = [float(LAYERS.radius_at(0.31, n, float)) for n in turns]
    np.testing.assert_allclose(np.array(rates) / (2 * math.pi), radii, rtol=1e-6)


def winch(layers: da.DrumLayers, first: bool = True, **rope: float) -> da.Machine:
    """A drum in the middle of a square well that lowers a mass on a rail below its rim."""
    drum = da.Drum("winch", 0.3, "y", layers=layers, zero=(1, 0, 0) if first else (-1, 0, 0))
    ends = [drum, da.Anchor("load")]
    side = 0.3 if first else -0.3
    joints = [
        da.Joint("winch", "revolute", "world", "drum", axis="y"),
        da.Joint("z", "prismatic", "world", "load", axis="-z", origin=(side, 0, 0)),
    ]
    bodies = [da.Body("drum", 10.0, inertia=(1, 1, 1)), da.point_mass("load", 20.0)]
    ropes = [da.Rope("r", ends if first else ends[::-1], **rope)]
    return da.Machine("winch", bodies, joints, ropes=ropes, motors=[da.Motor("M", "winch")])


@pytest.mark.parametrize("contact", [None, "time-stepping"])
def test_a_drum_with_layers_lowers_by_the_rope_of_its_turns(contact: str | None) -> None:
    """From 5.3 to 3.7 turns over the change from the second layer of 4 turns; lines, arcs and coils add up."""
    layers = da.DrumLayers(turns=4, rope=0.05, wound=5.3, count=3, ramp=0.5)
    settings: dict[str, Any] = {"duration": 1.0, "step": 1e-3, "record": 0.02, "contact": contact, "backend": "vm"}
    run = da.simulate(winch(layers), q0={"winch": 0.0, "z": 2.0}, control=[20.0], **settings)
    turns = 5.3 - run["winch"] / (2 * math.pi)
    assert turns[-1] < 3.7
    radius = np.array([float(layers.radius_at(0.3, n, float)) for n in turns])
    wound = np.array([layers.coiled(0.3, n) for n in turns])
    far = np.hypot(0.3, run["z"])
    touch = np.arctan2(run["z"], 0.3) - np.arccos(radius / far)  # below the horizontal
    total = np.sqrt(far**2 - radius**2) + radius * touch + wound
    np.testing.assert_allclose(total, total[0], rtol=0, atol=1e-9 if contact is None else 1e-5)
    assert run.energy.drift < 1e-9
    if contact is None:
        assert [e.name for e in run.events] == ["r.winch.layer"]
        assert np.interp(run.events[0].t, run.t, turns) == pytest.approx(4.0, abs=1e-3)


def test_a_drum_at_the_end_of_a_path_coils_alike() -> None:
    layers = da.DrumLayers(turns=4, rope=0.05, wound=5.3, count=3, ramp=0.5)
    ends = []
    for first, torque in ((True, 20.0), (False, -20.0)):
        start = {"winch": 0.0, "z": 2.0}
        run = da.simulate(winch(layers, first), duration=1.0, q0=start, control=[torque], step=2e-3, backend="vm")
        ends.append([run["z"][-1], abs(run["winch"][-1]), run["tension.r[0]"][-1]])
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-12)


def test_drums_that_are_empty_or_full_end_the_run_by_name() -> None:
    layers = da.DrumLayers(turns=4, rope=0.05, wound=0.5, count=1)
    run = da.simulate(winch(layers), duration=3.0, q0={"winch": 0.0, "z": 2.0}, step=2e-3, backend="vm")
    assert run.events[-1].name == "r.winch.empty" and run.status != "completed"
    full = da.DrumLayers(turns=4, rope=0.05, wound=3.9, count=1)
    pulled = da.simulate(
        winch(full), duration=3.0, q0={"winch": 0.0, "z": 2.0}, control=[-200.0], step=2e-3, backend="vm"
    )
    assert pulled.events[-1].name == "r.winch.full"
    with pytest.raises(InputError, match="is empty"):
        da.simulate(winch(full), duration=1.0, q0={"winch": 30.0, "z": 8.0}, backend="vm")


def test_layers_that_cannot_be_are_refused_by_name() -> None:
    for wrong, message in (
        ({"turns": 0}, "'turns' of layers"),
        ({"ramp": 0}, "'ramp' of layers"),
        ({"ramp": 21}, "the ramp of 21 turns"),
        ({"count": 0}, "'count' of layers"),
        ({"wound": 500}, "500 turns are wound"),
    ):
        with pytest.raises(MachineError, match=message):
            da.DrumLayers(**({"turns": 20, "rope": 0.02, "wound": 50} | wrong))  # type: ignore[arg-type]
    with pytest.raises(MachineError, match="layers of drum 'winch' must be DrumLayers"):
        da.Drum("winch", 0.3, layers=3)  # type: ignore[arg-type]
    with pytest.raises(MachineError, match="obstacle 'ball' of rope 'r' is a sphere"):
        da.Rope("r", [da.Anchor("a"), da.RopeObstacle("ball", 0.3, friction=0.2), da.Anchor("b")])


def test_layers_and_obstacles_with_friction_are_written_and_read(tmp_path: Path) -> None:
    layers = da.DrumLayers(turns=4, rope=0.05, wound=da.Parameter("wound", 5.3), count=3, nested=False)
    machine = winch(layers)
    path = machine.ropes[0].path
    post = da.RopeObstacle("world", 0.1, "y", at=(0.3, 0, -1.0), friction=0.2, name="post")
    machine = machine.with_(ropes=[da.Rope("r", [path[0], post, path[1]])])
    (tmp_path / "winch.yaml").write_text(machine_to_yaml(machine))
    again = load_machine(tmp_path / "winch.yaml")
    assert again.ropes[0].path == machine.ropes[0].path


def test_members_of_a_rollout_start_on_the_obstacles_that_they_touch() -> None:
    """A rope of a given length that lies on a peg at the start, as in a single run."""
    machine, start = peg_pendulum(), {"x": 0.5856422270944427, "z": 0.3861155342227106}
    run = da.simulate(machine, duration=0.3, q0=start, step=2e-3)
    rolled = da.rollout(machine, duration=0.3, q0=start, step=2e-3, vary={"v0.x_dot": [0.0, 0.0]})
    assert run["on.r.peg"][0] == 1.0 and rolled["on.r.peg"][1, 0] == 1.0
    assert rolled["x"][1, -1] == pytest.approx(run["x"][-1], abs=1e-12)


@pytest.mark.parametrize(
    "how",
    [{"step": 2e-3}, {"method": "dopri5"}, {"contact": "time-stepping", "step": 0.02}],
    ids=["rk4", "dopri5", "steps"],
)
@pytest.mark.parametrize("upper", [0.2, 0.15], ids=["equal", "smaller"])
def test_a_block_that_is_pulled_into_its_sheave_ends_the_run(how: dict[str, Any], upper: float) -> None:
    """A free line that vanishes within a step is located: the ends of a vertical line pass each other in an instant."""
    speed, high, lower = 2.0, 0.8, 0.2
    block = da.Machine(
        "block",
        bodies=[da.Body("drum", 5.0, inertia=(0.1, 0.1, 0.1)), da.point_mass("block", 20.0)],
        joints=[
            da.Joint("drum", "revolute", "world", "drum", axis="y", origin=(1.5, 0, 1.0)),
            da.Joint("z", "prismatic", "world", "block", axis="z", origin=(lower - upper, 0, -high)),
        ],
        constraints=[da.MotionConstraint("drive", joint="drum", value=-speed / 0.1 * da.TIME)],
        ropes=[
            da.Rope(
                "r",
                [
                    da.Drum("drum", 0.1, axis="y"),
                    da.Sheave("world", upper, "-y", name="T"),
                    da.Sheave("block", lower, "-y", name="B"),
                    da.Anchor("world", (2 * lower - upper, 0, 3.0)),
                ],
            )
        ],
    )
    run = da.simulate(block, duration=2.0, v0={"drum_dot": -speed / 0.1}, record=0.1, **how)
    assert (run.status, run.events[-1].name) == ("stopped", "r.T.overlap")
    length = 1e-3 * (upper + lower)
    assert high - run["z"][-1] == pytest.approx(length, rel=0.1)
    assert run.energy.drift < 1e-6
