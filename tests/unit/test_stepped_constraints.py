"""Time-stepping with loops, gears, prescribed motion, cables and joints that stick: closed forms, events, lanes."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.gpu_on_processor import needs_gpp, stepped_on_a_gpu
from tests.support.hybrid_machines import closed, four_bar

import dalembert as da
from dalembert.core.errors import InputError
from dalembert.engine.problem.stepping import BlockLaw
from dalembert.engine.stepping.native import solve_blocks

G = 9.81
FAR = da.HalfSpace(point=(0.0, 0.0, -5.0))
STEPS: dict[str, Any] = {"contact": "time-stepping"}


def far_four_bar() -> da.Machine:
    """A four-bar high above a floor: nothing touches."""
    return four_bar(contacts=[da.Contact("floor", "coupler_tip", surface=FAR)])


SWING: dict[str, Any] = {"q0": closed(0.7), "v0": {"a_dot": 6.0}}


def orders(errors: list[float], ratio: float = 2.0) -> list[float]:
    return [float(np.log(a / b) / np.log(ratio)) for a, b in pairwise(errors)]


def assert_lanes_are_single_runs(machine: Any, start: dict[str, Any], rtol: float = 1e-12, **settings: Any) -> None:
    """Members are single runs in all states over 100 steps, forces and multipliers among them."""
    many = da.rollout(machine, threads=1, **start, **settings, **STEPS)
    assert many.ok.all()
    for i in range(len(many)):
        own = {side: {k: float(np.asarray(v)[i]) for k, v in values.items()} for side, values in start.items()}
        run = da.simulate(machine, **own, **({"limits": "ignore"} | settings), **STEPS)
        scale = 1.0 + np.abs(run.x).max(axis=0)
        np.testing.assert_allclose(many.x[i] / scale, run.x / scale, rtol=0, atol=rtol)


# -- laws of blocks ---------------------------------------------------------------------------------------------------


def test_blocks_of_all_laws_obey_them() -> None:
    """Contacts with and without friction and joints that stick, coupled at random: condition by condition."""
    rng, kinds = np.random.default_rng(0), set()
    for _ in range(100):
        laws = [BlockLaw(int(i)) for i in rng.integers(0, 3, size=int(rng.integers(1, 7)))]
        sizes = [3 if law is BlockLaw.COULOMB else 1 for law in laws]
        n = sum(sizes)
        J = rng.normal(size=(n, n + 4))
        W, u, numbers = J @ J.T, rng.normal(size=n), rng.uniform(0.05, 0.4, len(laws))
        given = [mu for law, mu in zip(laws, numbers, strict=True) for _ in range(law.given(1))]
        solution = solve_blocks(W, u, laws, given)
        w, close = W @ solution.impulses + u, 1e-9 * (1.0 + np.abs(solution.impulses).max())
        assert solution.residual < 1e-9
        for law, mu, start, size in zip(laws, numbers, np.cumsum([0, *sizes]), sizes, strict=False):
            x, v = solution.impulses[start : start + size], w[start : start + size]
            if law is BlockLaw.STICTION:
                assert abs(x[0]) <= mu + close
                slips = abs(v[0]) > close
                assert not slips or abs(x[0] + mu * np.sign(v[0])) < close
                kinds.add("slides" if slips else "stays")
                continue
            assert x[0] >= 0.0 and v[0] >= -close and abs(x[0] * v[0]) < close * (1.0 + abs(v[0]))
            if law is BlockLaw.COULOMB:
                slip = np.linalg.norm(v[1:])
                assert np.linalg.norm(x[1:]) <= mu * x[0] + close
                np.testing.assert_allclose(x[1:] * slip, -mu * x[0] * v[1:], atol=10 * close * (1.0 + slip))
                kinds.add("opens" if x[0] == 0.0 else "slips" if slip > close else "sticks")
    assert kinds == {"slides", "stays", "opens", "slips", "sticks"}


# -- loops ------------------------------------------------------------------------------------------------------------


def test_linkages_are_of_second_order_and_keep_their_energy() -> None:
    """Centrifugal forces, a loop and no contact: against the adaptive method. Positions are held to rounding."""
    machine, angles = far_four_bar(), ["a", "b", "c", "a_dot", "b_dot", "c_dot"]
    exact = da.simulate(machine, duration=0.6, record=0.6, method="dop853", rtol=1e-11, **SWING)
    runs = [da.simulate(machine, duration=0.6, record=0.1, step=h, **SWING, **STEPS) for h in (4e-3, 2e-3, 1e-3)]
    errors = [float(np.abs(run.array(angles)[-1] - exact.array(angles)[-1]).max()) for run in runs]
    assert min(orders(errors)) > 1.9, errors
    assert min(orders([run.energy.drift for run in runs])) > 1.9
    for run, h in zip(runs, (4e-3, 2e-3, 1e-3), strict=True):
        assert run["constraint.position"].max() < 1e-11
        assert run["constraint.velocity"].max() < 600.0 * h**2
    # multipliers are means over a step: those of its middle
    middle = da.simulate(machine, duration=0.6 - 5e-4, record=0.6 - 5e-4, method="dop853", rtol=1e-11, **SWING)
    for name in ("multiplier.loop[0]", "multiplier.loop[1]"):
        np.testing.assert_allclose(runs[-1][name][-1], middle[name][-1], rtol=0, atol=1e-3 * abs(middle[name][-1]))


def test_a_redundant_loop_is_the_planar_one() -> None:
    """The same linkage with its last link welded in space: six rows, of which three say nothing or the same."""
    y = (0.0, -1.0, 0.0)
    planar = far_four_bar()
    foot = da.Joint("d", "revolute", "rocker", "foot", origin=da.Transform((0.6, 0, 0)), axis=y)
    joints = [j for j in planar.joints if j.name != "c"]
    rocker = da.Joint("c", "revolute", "coupler", "rocker", origin=da.Transform((0.8, 0, 0)), axis=y)
    turned = da.rod("rocker", 1.5, 0.6, axis="x", com=(0.3, 0, 0))
    welded = da.Machine(
        "welded",
        bodies=[*(b for b in planar.bodies if b.name != "rocker"), turned, da.sphere("foot", 0.2, 0.05)],
        joints=[*joints, rocker, foot],
        frames=[da.Frame("coupler_tip", "coupler", da.Transform((0.8, 0, 0)))],
        constraints=[da.WeldConstraint("weld", "foot", "world", offset=da.Transform((0.9, 0.0, 0.0)))],
        contacts=planar.contacts,
    )
    q = closed(0.7)
    # the rocker now points from the coupler to the ground, and the foot keeps its angle in the world
    c = q["c"] + np.pi - (q["a"] + q["b"])
    start = {"a": q["a"], "b": q["b"], "c": c, "d": -(q["a"] + q["b"] + c)}
    settings: dict[str, Any] = {"duration": 0.4, "record": 0.4, "v0": SWING["v0"]}
    exact = da.simulate(planar, q0=q, method="dop853", rtol=1e-11, **settings)["a"][-1]
    runs = [da.simulate(welded, q0=start, step=h, **settings, **STEPS) for h in (2e-3, 1e-3)]
    errors = [abs(float(run["a"][-1] - exact)) for run in runs]
    assert orders(errors)[0] > 1.8 and errors[-1] < 1e-4, errors
    assert max(run["constraint.position"].max() for run in runs) < 1e-10
    assert_lanes_are_single_runs(welded, {"q0": {k: np.full(2, v) for k, v in start.items()}}, duration=0.1, step=1e-3)


def test_rows_that_stand_there_twice_count_once() -> None:
    """The same loop once more, and a rod beside the coupler: rows that depend on others but for rounding."""
    plain = far_four_bar()
    twice = plain.with_(
        constraints=[
            *plain.constraints,
            da.BallConstraint("again", "coupler_tip", "rocker_tip", components="xz"),
            da.DistanceConstraint("link", "rocker_tip", "coupler", length=0.8),
        ]
    )
    runs = [da.simulate(machine, duration=0.1, step=1e-3, **SWING, **STEPS) for machine in (plain, twice)]
    for name in ("a", "b", "c", "a_dot", "multiplier.loop[0]", "multiplier.loop[1]"):
        np.testing.assert_allclose(
            runs[1][name], runs[0][name], rtol=0, atol=1e-9 * (1.0 + np.abs(runs[0][name]).max())
        )
    assert np.abs(runs[1]["multiplier.again[0]"]).max() == 0.0


def slider_crank() -> da.Machine:
    """Crank 0.2, rod 0.5, slider of 2 kg whose way ends at a stop."""
    y = (0.0, -1.0, 0.0)
    return da.Machine(
        "slider-crank",
        bodies=[
            da.rod("crank", 1.0, 0.2, axis="x", com=(0.1, 0, 0)),
            da.rod("rod", 1.0, 0.5, axis="x", com=(0.25, 0, 0)),
            da.point_mass("slider", 2.0),
        ],
        joints=[
            da.Joint("a", "revolute", "world", "crank", axis=y),
            da.Joint("b", "revolute", "crank", "rod", origin=da.Transform((0.2, 0, 0)), axis=y),
            da.Joint("s", "prismatic", "world", "slider", axis="x", limits=da.Limits(-2.0, 0.66, restitution=0.5)),
        ],
        frames=[da.Frame("tip", "rod", da.Transform((0.5, 0, 0)))],
        constraints=[da.BallConstraint("pin", "tip", "slider", components="xz")],
        gravity=(0.0, 0.0, 0.0),
    )


def crank_at(a: float) -> dict[str, float]:
    b = -a - np.arcsin(0.2 * np.sin(a) / 0.5)
    return {"a": a, "b": float(b), "s": float(0.2 * np.cos(a) + 0.5 * np.cos(a + b))}


@pytest.mark.slow
def test_a_slider_crank_hits_its_stop() -> None:
    """Before the crank is stretched the slider strikes its stop and throws the crank back: as event by event."""
    machine, names = slider_crank(), ["a", "s", "a_dot", "s_dot"]
    start: dict[str, Any] = {"limits": "contact", "duration": 0.4, "record": 0.4}
    cases = [(crank_at(a), {"a_dot": -4.0}) for a in np.linspace(1.2, 1.4, 5)]
    exact = [da.simulate(machine, q0=q, v0=v, method="dop853", rtol=1e-10, **start) for q, v in cases]
    assert all(run.events for run in exact) and all(run["a_dot"][-1] > 0.5 for run in exact)
    errors, drifts = [], []
    for h in (4e-3, 1e-3, 2.5e-4):
        runs = [da.simulate(machine, q0=q, v0=v, step=h, **start, **STEPS) for q, v in cases]
        gaps = [np.abs(r.array(names)[-1] - e.array(names)[-1]).max() for r, e in zip(runs, exact, strict=True)]
        errors.append(float(np.mean(gaps)))
        drifts.append(float(np.mean([run.energy.drift for run in runs])))
    assert np.log(errors[0] / errors[-1]) / np.log(16.0) > 0.8, errors
    lost = [run["loss.s.upper"][-1] for run in runs]
    np.testing.assert_allclose(lost, [run["loss.s.upper"][-1] for run in exact], rtol=2e-2)
    assert orders(drifts, 4.0)[-1] > 0.8  # of the order of the step, in which links turn while they hit
    places = {k: np.array([crank_at(a)[k] for a in (1.2, 1.3, 1.35)]) for k in "abs"}
    members = {"q0": places, "v0": {"a_dot": -np.full(3, 4.0)}}
    assert_lanes_are_single_runs(machine, members, limits="contact", duration=0.2, step=2e-3)


def geared_carts(e: float) -> da.Machine:
    """Carts of 3 kg and 1 kg; the second goes twice as far as the first, and has a wall at 1 m."""
    return da.Machine(
        "carts",
        bodies=[da.point_mass("one", 3.0), da.point_mass("two", 1.0)],
        joints=[
            da.Joint("x", "prismatic", "world", "one", axis="x"),
            da.Joint("y", "prismatic", "world", "two", axis="x"),
        ],
        constraints=[da.GearConstraint("gear", {"x": 2.0, "y": -1.0})],
        contacts=[
            da.Contact("wall", "two", surface=da.HalfSpace((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)), restitution=e),
        ],
    )


@pytest.mark.parametrize("e", [0.0, 0.6])
def test_geared_carts_and_a_wall(e: float) -> None:
    """y goes to 1 m at 2 m/s and back at 2 e m/s, x half of it; the gear carries the impulse of the first cart."""
    h = 1.7e-3
    run = da.simulate(geared_carts(e), duration=1.0, v0={"y_dot": 2.0}, step=h, **STEPS)
    exact = np.where(run.t < 0.5, 2.0 * run.t, 1.0 - 2.0 * e * (run.t - 0.5))
    np.testing.assert_allclose(run["y"], exact, atol=2.0 * (1.0 + e) * h)
    np.testing.assert_allclose(2.0 * run["x"], run["y"], atol=1e-14)
    np.testing.assert_allclose(run["y_dot"][-1], -2.0 * e, atol=1e-12)
    energy = 0.5 * 3.0 * 1.0**2 + 0.5 * 1.0 * 2.0**2
    np.testing.assert_allclose(run["loss.wall"][-1], (1.0 - e**2) * energy, rtol=1e-12)
    assert run.energy.drift < 1e-12
    impulse = h * run["multiplier.gear"].sum()  # M dv + J^T (sum of h lambda) = 0: 3 (dv of the first) = -2 lambda
    np.testing.assert_allclose(impulse, 3.0 * (1.0 + e) / 2.0, rtol=1e-12)


def cup_on_a_parallelogram() -> da.Machine:
    """A parallelogram linkage carries a bowl, in which a ball rolls without friction."""
    y = (0.0, 1.0, 0.0)
    bowl = da.SphericalSurface(0.3, centre=(0.0, 0.0, 0.3), inside=True)
    return da.Machine(
        "cup",
        bodies=[
            da.rod("left", 1.0, 0.5, axis="z", com=(0, 0, 0.25)),
            da.rod("right", 1.0, 0.5, axis="z", com=(0, 0, 0.25)),
            da.rod("coupler", 2.0, 0.4, axis="x", com=(0.2, 0, 0)),
            da.point_mass("slide", 0.1),
            da.point_mass("ball", 0.5),
        ],
        joints=[
            da.Joint("l", "revolute", "world", "left", axis=y, stiffness=60.0),
            da.Joint("c", "revolute", "left", "coupler", da.Transform((0, 0, 0.5)), axis=y),
            da.Joint("r", "revolute", "world", "right", da.Transform((0.4, 0, 0)), axis=y),
            da.Joint("x", "prismatic", "world", "slide", axis="x"),
            da.Joint("z", "prismatic", "slide", "ball", axis="z"),
        ],
        frames=[
            da.Frame("end", "coupler", da.Transform((0.4, 0, 0))),
            da.Frame("top", "right", da.Transform((0, 0, 0.5))),
            da.Frame("cup", "coupler", da.Transform((0.2, 0, 0))),
        ],
        constraints=[da.BallConstraint("pin", "end", "top", components="xz")],
        contacts=[da.Contact("bowl", "ball", surface=bowl, on="cup")],
    )


@pytest.mark.slow
def test_a_ball_in_the_cup_of_a_linkage() -> None:
    """The ball stays in the bowl and swings with the linkage: as event by event, as the step falls."""
    machine, names = cup_on_a_parallelogram(), ["l", "x", "z", "l_dot"]
    tilt = 0.3
    q0 = {"l": tilt, "c": -tilt, "r": tilt, "x": 0.2 + 0.5 * np.sin(tilt), "z": 0.5 * np.cos(tilt)}
    start: dict[str, Any] = {"q0": q0, "duration": 0.5, "record": 0.5}
    exact = da.simulate(machine, method="dop853", rtol=1e-10, **start)
    assert exact["gap.bowl"][-1] < 1e-6
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        run = da.simulate(machine, step=h, **start, **STEPS)
        errors.append(float(np.abs(run.array(names)[-1] - exact.array(names)[-1]).max()))
        assert run["constraint.position"].max() < 1e-11 and abs(run["gap.bowl"][-1]) < 1e-4
    assert min(orders(errors)) > 0.8, errors
    assert run.energy.drift < 1e-5
    assert_lanes_are_single_runs(
        machine, {"q0": {k: np.array([v, v]) for k, v in q0.items()}, "v0": {"x_dot": np.array([0.0, 0.3])}},
        duration=0.2, step=2e-3,
    )  # fmt: skip


def ring(n: int) -> da.Machine:
    """A closed chain of n rods in the x-z plane, whose corners fall on the ground; it is cut between the last two."""
    length, upright = 0.2, da.Transform.rpy(roll=np.pi / 2)
    names = [f"link{i}" for i in range(n)]
    joints = [da.Joint("base", "planar", "world", names[0], origin=upright)]
    joints += [
        da.Joint(f"j{i}", "revolute", names[i - 1], names[i], da.Transform((length, 0, 0)), axis="z")
        for i in range(1, n)
    ]
    tips = [da.Frame(f"tip{i}", name, da.Transform((length, 0, 0))) for i, name in enumerate(names)]
    return da.Machine(
        "ring",
        bodies=[da.rod(name, 0.3, length, axis="x", com=(length / 2, 0, 0)) for name in names],
        joints=joints,
        frames=[*tips, da.Frame("begin", names[0])],
        constraints=[da.BallConstraint("close", f"tip{n - 1}", "begin", components="xz")],
        contacts=[da.Contact(f"floor{i}", f"tip{i}", friction=0.5) for i in range(n)],
    )


def ring_at(n: int, height: float) -> dict[str, float]:
    """A regular polygon."""
    return {"base.y": height, "base.angle": 0.2, **{f"j{i}": 2.0 * np.pi / n for i in range(1, n)}}


@pytest.mark.slow
def test_a_closed_chain_falls_on_the_ground() -> None:
    """It falls flat and comes to rest: the ground carries its weight, its loop is closed, the energy adds up."""
    machine = ring(5)
    damped = machine.with_(joints=[j if j.name == "base" else replace(j, damping=0.02) for j in machine.joints])
    run = da.simulate(damped, duration=4.0, record=0.05, q0=ring_at(5, 0.5), step=1e-3, **STEPS)
    assert run["constraint.position"].max() < 1e-9
    weight = sum(run[f"force.floor{i}.normal"][-1] for i in range(5))
    np.testing.assert_allclose(weight, 5 * 0.3 * G, rtol=1e-6)
    still = [name for name in run.state_names if name.endswith("_dot") or name.startswith("base.v")]
    assert len(still) >= 6 and np.abs(run.array(still)[-1]).max() < 1e-4
    assert run.energy.drift < 2e-3  # of the order of the step, in which links turn while they hit
    heights = np.array([0.3, 0.4, 0.5])
    start = {name: np.full(3, value) for name, value in ring_at(5, 0.5).items()} | {"base.y": heights}
    assert_lanes_are_single_runs(machine, {"q0": start}, rtol=1e-10, duration=0.3, step=2e-3)


# -- prescribed motion ------------------------------------------------------------------------------------------------

LIFT, OMEGA = 0.02, 30.0


def driven_table() -> da.Machine:
    """A table that is moved up and down by LIFT sin(OMEGA t), with a ball upon it."""
    return da.Machine(
        "table",
        bodies=[da.box("plate", 5.0, (1.0, 1.0, 0.1)), da.sphere("ball", 1.0, 0.05)],
        joints=[
            da.Joint("lift", "prismatic", "world", "plate", axis="z"),
            da.Joint("z", "prismatic", "world", "ball", axis="z"),
        ],
        constraints=[da.MotionConstraint("drive", joint="lift", value=LIFT * da.sin(OMEGA * da.TIME))],
        contacts=[da.Contact("rest", "ball", da.Sphere(0.05), surface=da.HalfSpace(point=(0, 0, 0.05)), on="plate")],
    )


def test_a_ball_leaves_an_oscillating_table_where_it_falls_faster() -> None:
    """It leaves at OMEGA^2 LIFT sin(OMEGA t) = g, flies freely, and the drive's work is all that the energy has."""
    leaves = np.arcsin(G / (LIFT * OMEGA**2)) / OMEGA
    z, v = 0.1 + LIFT * np.sin(OMEGA * leaves), LIFT * OMEGA * np.cos(OMEGA * leaves)
    errors = []
    for h in (2e-3, 1e-3, 5e-4):
        run = da.simulate(
            driven_table(), duration=0.07, q0={"z": 0.1}, v0={"z_dot": LIFT * OMEGA}, step=h, **STEPS
        )  # fmt: skip
        t = run.t
        flies = t > leaves + 2 * h
        exact = z + v * (t - leaves) - 0.5 * G * (t - leaves) ** 2
        errors.append(float(np.abs(run["z"] - exact)[flies].max()))
        assert (run["force.rest.normal"][(t > h) & (t < leaves)] > 0.0).all()
        assert np.abs(run["force.rest.normal"][flies]).max() == 0.0
        assert np.abs(run["lift"] - LIFT * np.sin(OMEGA * t)).max() < 1e-12
        assert np.abs(run["lift_dot"] - LIFT * OMEGA * np.cos(OMEGA * t)).max() < 0.25 * LIFT * OMEGA**3 * h**2
        assert run.energy.drift < 1e-12
        brought = run["energy.kinetic"] + run["energy.potential"]
        np.testing.assert_allclose(run["work.input"][-1] + run["work.loss"][-1], brought[-1] - brought[0], rtol=1e-10)
        np.testing.assert_allclose(run["work.input"][-1], brought[-1] - brought[0], atol=0.05 * abs(brought[0]))
    assert errors[0] < 1e-4 and errors[-1] < errors[0]


@pytest.mark.slow
def test_driven_members_are_single_runs() -> None:
    assert_lanes_are_single_runs(
        driven_table(), {"q0": {"z": np.array([0.1, 0.12, 0.15])}, "v0": {"z_dot": np.array([0.6, 0.0, -0.5])}},
        duration=0.2, step=2e-3,
    )  # fmt: skip


def test_what_is_driven_into_a_wall_is_reported() -> None:
    """No impulse can stop it: the step returns, and its residual says that it is no solution."""
    wall = da.HalfSpace((-1.0, 0.0, 0.0), (0.1, 0.0, 0.0))
    machine = da.Machine(
        "press",
        bodies=[da.point_mass("cart", 1.0)],
        joints=[da.Joint("x", "prismatic", "world", "cart", axis="x")],
        constraints=[da.MotionConstraint("drive", joint="x", value=0.5 * da.TIME)],
        contacts=[da.Contact("wall", "cart", surface=wall)],
    )
    run = da.simulate(machine, duration=0.4, step=1e-3, **STEPS)
    np.testing.assert_allclose(run["x"], 0.5 * run.t, atol=1e-12)
    inside = run["gap.wall"] < -1e-3
    assert inside.any() and (run["contact.residual"][inside] == 1.0).all()
    assert run["contact.residual"][run["gap.wall"] > 1e-3].max() == 0.0


# -- cables ----------------------------------------------------------------------------------------------------------


def bob(**cable: Any) -> da.Machine:
    """A bob on a rope of 1 m in the x-z plane, above a far floor."""
    return da.Machine(
        "bob",
        bodies=[da.point_mass("slide", 0.01), da.point_mass("bob", 2.0)],
        joints=[
            da.Joint("x", "prismatic", "world", "slide", axis="x"),
            da.Joint("z", "prismatic", "slide", "bob", axis="z"),
        ],
        cables=[da.Cable("rope", "bob", **({"length": 1.0} | cable))],
        contacts=[da.Contact("floor", "bob", surface=FAR)],
    )


def test_a_rope_slackens_and_catches() -> None:
    """Thrown up below its end the bob flies freely; the rope catches it and holds it."""
    run = da.simulate(bob(), duration=2.0, q0={"z": -0.6}, v0={"z_dot": 1.0}, step=1e-3, **STEPS)
    falls = (1.0 + np.sqrt(1.0 + 2.0 * G * 0.4)) / G  # until 0.4 m below
    free = run.t < falls - 2e-3
    np.testing.assert_allclose(run["z"][free], (-0.6 + run.t - 0.5 * G * run.t**2)[free], atol=1e-12)
    caught = run.t > falls + 2e-3
    np.testing.assert_allclose(run["z"][caught], -1.0, atol=1e-8)
    np.testing.assert_allclose(run["tension.rope"][caught], 2.0 * G, rtol=1e-9)
    assert run["tension.rope"][free].max() == 0.0 and run["constraint.position"].max() < 1.2e-2
    assert run.energy.drift < 1e-12


@pytest.mark.parametrize("bilateral", [False, True])
def test_a_bob_swings_on_its_rope_as_event_by_event(bilateral: bool) -> None:
    """A rope that only pulls is of first order, one that could push is a constraint, and of second order."""
    machine = bob(bilateral=bilateral)
    start: dict[str, Any] = {"q0": {"x": 0.6, "z": -0.8}, "duration": 1.0, "record": 1.0}
    exact = da.simulate(machine, method="dop853", rtol=1e-10, **start)
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        run = da.simulate(machine, step=h, **start, **STEPS)
        errors.append(float(np.abs(run.array(["x", "z"])[-1] - exact.array(["x", "z"])[-1]).max()))
    assert min(orders(errors)) > (1.9 if bilateral else 0.9), errors
    np.testing.assert_allclose(run["tension.rope"][-1], exact["tension.rope"][-1], rtol=2e-2)
    assert run["constraint.position"].max() < 1e-7


@pytest.mark.slow
def test_elastic_cables_pull_beside_contacts() -> None:
    machine = bob(stiffness=2e3, damping=5.0)
    start: dict[str, Any] = {"q0": {"x": 0.3, "z": -0.98}, "duration": 0.5, "record": 0.5}
    exact = da.simulate(machine, method="dop853", rtol=1e-10, **start)
    run = da.simulate(machine, step=2e-4, **start, **STEPS)
    np.testing.assert_allclose(run.array(["x", "z"])[-1], exact.array(["x", "z"])[-1], atol=1e-4)


# -- joints that stick ------------------------------------------------------------------------------------------------


def rotor(friction: float) -> da.Machine:
    return da.Machine(
        "rotor",
        bodies=[da.rod("rotor", 1.2, 1.0, axis="x")],
        joints=[da.Joint("phi", "revolute", "world", "rotor", axis="z", friction=friction, friction_law="stick")],
        motors=[da.Motor("phi", "phi")],
    )


def test_a_joint_sticks_below_its_friction() -> None:
    """5 N m against 7 N m move nothing in 10 s; 8 N m move it with what is left."""
    held = da.simulate(rotor(7.0), duration=10.0, control=[5.0], step=1e-2, **STEPS)
    assert np.abs(held["phi"]).max() == 0.0 and np.abs(held["phi_dot"]).max() == 0.0
    np.testing.assert_allclose(held["friction.phi"][1:], -5.0, rtol=1e-12)
    slips = da.simulate(rotor(7.0), duration=1.0, control=[8.0], step=1e-2, **STEPS)
    np.testing.assert_allclose(slips["phi"], 0.5 * (1.0 / 0.1) * slips.t**2, atol=1e-10)
    np.testing.assert_allclose(slips["friction.phi"][1:], -7.0, rtol=1e-12)
    assert slips.energy.drift < 1e-12


def test_a_rotor_brakes_to_rest() -> None:
    """phi' = w - (F / I) t until w I / F, and then it stands; its energy went into the friction."""
    w, inertia, h = 30.0, 0.1, 1e-3
    run = da.simulate(rotor(7.0), duration=1.0, v0={"phi_dot": w}, step=h, **STEPS)
    stops = w * inertia / 7.0
    t = np.minimum(run.t, stops)
    np.testing.assert_allclose(run["phi"], w * t - 0.5 * 7.0 / inertia * t**2, atol=7.0 / inertia * h**2)
    assert run["phi_dot"][-1] == 0.0 and run.energy.drift < 1e-12
    np.testing.assert_allclose(run["work.loss"][-1], -0.5 * inertia * w**2, rtol=1e-12)
    np.testing.assert_allclose(run["loss.phi"], -run["work.loss"], rtol=1e-12)
    assert_lanes_are_single_runs(rotor(7.0), {"v0": {"phi_dot": np.array([0.0, 10.0, -30.0])}}, duration=0.5, step=5e-3)


def test_a_linkage_that_sticks_stands_against_gravity() -> None:
    """Friction of one joint holds the whole four-bar, loop and all; with less it falls."""

    def machine(friction: float) -> da.Machine:
        base = four_bar()
        joints = [replace(j, friction=friction, friction_law="stick") if j.name == "a" else j for j in base.joints]
        return base.with_(joints=joints)

    held = da.simulate(machine(40.0), duration=1.0, q0=closed(0.7), step=1e-3, **STEPS)
    assert np.abs(held["a"] - 0.7).max() < 1e-12 and 1.0 < abs(held["friction.a"][-1]) < 40.0
    falls = da.simulate(machine(1.0), duration=0.3, q0=closed(0.7), step=1e-3, **STEPS)
    assert abs(falls["a"][-1] - 0.7) > 0.1 and abs(falls["friction.a"][-1]) == pytest.approx(1.0)


def test_sticking_joints_are_those_of_events() -> None:
    """An arm of two links with friction in both joints, swinging until it stands: as event by event, to first order."""
    y, elbow = (0.0, 1.0, 0.0), da.Transform((0, 0, -0.6))
    arm = da.Machine(
        "arm",
        bodies=[
            da.rod("upper", 2.0, 0.6, axis="z", com=(0, 0, -0.3)),
            da.rod("lower", 1.0, 0.5, axis="z", com=(0, 0, -0.25)),
        ],
        joints=[
            da.Joint("a", "revolute", "world", "upper", axis=y, friction=1.0, friction_law="stick"),
            da.Joint("b", "revolute", "upper", "lower", elbow, axis=y, friction=0.4, friction_law="stick"),
        ],
    )
    start: dict[str, Any] = {"q0": {"a": 1.2, "b": -0.4}, "duration": 3.0, "record": 3.0}
    exact = da.simulate(arm, method="dop853", rtol=1e-10, **start)
    runs = [da.simulate(arm, step=h, **start, **STEPS) for h in (4e-3, 1e-3, 2.5e-4)]
    errors = [float(np.abs(run.array(["a", "b"])[-1] - exact.array(["a", "b"])[-1]).max()) for run in runs]
    assert np.log(errors[0] / errors[-1]) / np.log(16.0) > 0.8, errors
    for name in ("friction.a", "friction.b"):
        np.testing.assert_allclose(runs[-1][name][-1], exact[name][-1], atol=1e-2)
    np.testing.assert_allclose(runs[-1]["loss.a"][-1], exact["loss.a"][-1], rtol=1e-2)


# -- everywhere -------------------------------------------------------------------------------------------------------


def test_lanes_keep_loops() -> None:
    start = {
        "q0": {k: np.array([closed(a)[k] for a in (0.5, 0.7, 0.9)]) for k in "abc"},
        "v0": {"a_dot": np.array([6.0, -3.0, 0.0])},
    }
    assert_lanes_are_single_runs(far_four_bar(), start, duration=0.1, step=1e-3)


@needs_gpp
def test_the_text_for_a_gpu_keeps_loops(tmp_path: Path) -> None:
    eom = da.equations(far_four_bar())
    many = da.rollout(eom, duration=0.1, step=1e-3, q0=closed(0.7), v0={"a_dot": np.array([6.0, -3.0])}, **STEPS)
    x, status = stepped_on_a_gpu(eom, "time-stepping", many.x[:, 0], 1e-3, 100, tmp_path)
    assert not status.any()
    np.testing.assert_allclose(x, many.final, rtol=1e-9, atol=1e-9)


def test_refusals() -> None:
    machine = four_bar(contacts=[da.Contact("floor", "coupler_tip", surface=FAR)])
    with pytest.raises(InputError, match="cannot switch constraints of machine 'four-bar'"):
        loop = da.BallConstraint("loop", "coupler_tip", "rocker_tip", components="xz", switchable=True)
        opens = da.Switch(at=0.05, off=("loop",))
        da.simulate(machine.with_(constraints=[loop]), duration=0.1, switches=opens, **SWING, **STEPS)
    with pytest.raises(InputError, match=r"do not allow a = 0.7, b = 2 together: 'loop"):
        da.simulate(machine, duration=0.1, q0={"a": 0.7, "b": 2.0}, **STEPS)
    with pytest.raises(InputError, match="keeps constraints by itself"):
        da.simulate(machine, duration=0.1, constraints="baumgarte", **SWING, **STEPS)
    with pytest.raises(InputError, match="has none"):
        da.simulate(four_bar(), duration=0.1, **SWING, **STEPS)
