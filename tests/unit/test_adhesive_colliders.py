"""Adhesion of colliders: pull-off forces, friction with it, energy, curved surfaces, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.core.errors import DalembertError, MachineError

G, MASS = 9.81, 2.0
STEP: dict[str, Any] = {"contact": "time-stepping", "step": 1e-3, "backend": "vm"}
CEILING = da.HalfSpace((0.0, 0.0, -1.0))
LATER = da.Event("never", "base.z + 100.0")  # free bodies with events run by tapes


def body(solid: Any) -> da.Body:
    return da.Body("b", MASS, inertia=(0.02, 0.02, 0.02), geometry=solid)


def hung(solid: Any, adhesion: Any, surface: da.HalfSpace = CEILING, **more: Any) -> da.Machine:
    """A body that touches a surface; it adheres."""
    colliders = [da.Collider("body", adhesion=adhesion, **more), da.Collider("surface", surface=surface, **more)]
    return da.Machine("hung", [body(solid)], [da.Joint("base", "free", "world", "b")], colliders=colliders)


@pytest.mark.parametrize("events", [(), LATER])
@pytest.mark.parametrize(
    ("solid", "points"), [(da.Box((0.2, 0.3, 0.2)), 4), (da.Sphere(0.1), 1), (da.Cylinder(0.1, 0.2), 8)]
)
def test_hangs_up_to_its_adhesion(solid: Any, points: int, events: Any) -> None:
    """Under a ceiling: the weight is held up to the adhesion, whatever the number of points, and falls beyond it."""
    adhesion = da.Parameter("A", MASS * G)
    machine = hung(solid, adhesion, friction=0.5)
    for part, falls in ((1.0001, False), (0.9999, True)):
        p = {"A": part * MASS * G}
        run = da.simulate(machine, duration=0.1, q0={"base.z": -0.1}, p=p, events=events, **STEP)
        assert run.status == "completed"
        if falls:  # the first steps are those of the difference, over a gap of 1e-8 m
            assert run["base.z"][-1] + 0.1 < -0.4 * G * 0.1**2 and run["contact.count"][-1] == 0
            np.testing.assert_allclose(np.diff(run["base.vz"][20:]) / 1e-3, -G, rtol=1e-9)
        else:
            assert run["base.z"][-1] == pytest.approx(-0.1, abs=1e-9)
            assert run["contact.count"][-1] == points
            if events:
                assert run["force.b.z"][-1] == pytest.approx(MASS * G, rel=1e-8)
            else:
                force = sum(c["force"][0] for c in run.metadata["contacts"])
                assert force == pytest.approx(-MASS * G, rel=1e-8)
        assert run["work.loss"][-1] <= 1e-12
        assert run.energy.drift < 1e-6


@pytest.mark.parametrize("events", [(), LATER])
@pytest.mark.parametrize(("part", "slides"), [(1.01, False), (0.8, True)])
def test_slides_on_a_wall(part: float, slides: bool, events: Any) -> None:
    """Friction carries mu A on a wall that nothing presses on: the rest accelerates."""
    mu = 0.4
    machine = hung(da.Box((0.2, 0.2, 0.2)), part * MASS * G / mu, da.HalfSpace((1.0, 0.0, 0.0)), friction=mu)
    run = da.simulate(machine, duration=0.2, q0={"base.x": 0.1}, events=events, **STEP)
    assert run["base.vz"][-1] == pytest.approx(-(1.0 - part) * G * 0.2 if slides else 0.0, abs=1e-6)
    assert run["base.x"][-1] == pytest.approx(0.1, abs=1e-8)
    taken = part * MASS * G * 0.5 * (1.0 - part) * G * 0.2**2 if slides else 0.0
    assert run["work.loss"][-1] == pytest.approx(-taken, abs=1e-3 * MASS)
    assert run.energy.drift < 1e-8


@pytest.mark.parametrize(("part", "lifts"), [(0.999, False), (1.001, True)])
def test_motor_pulls_a_crate_off(part: float, lifts: bool) -> None:
    """A crate that adheres to the ground lifts off at the force of its weight and its adhesion."""
    crate = da.box("crate", MASS, (0.3, 0.2, 0.2))
    slide = da.Joint("slide", "prismatic", "world", "crate", axis=(0, 0, 1), origin=da.Transform((0.0, 0.0, 0.1)))
    colliders = [da.Collider("crate"), da.Collider("ground", surface=da.HalfSpace(), adhesion=7.0)]
    machine = da.Machine("pull", [crate], [slide], motors=[da.Motor("f", "slide", effort=99.0)], colliders=colliders)
    force = part * (MASS * G + 7.0)
    run = da.simulate(machine, duration=0.2, control=[force], record=0.01, **STEP)
    if lifts:
        assert run["slide"][-1] > 0.01 and run["contact.count"][-1] == 0
        assert np.diff(run["slide_dot"])[-1] / 0.01 == pytest.approx(force / MASS - G, rel=1e-9)
    else:
        assert abs(run["slide"][-1]) < 1e-9
        assert run["force.crate.z"][-1] == pytest.approx(MASS * G - force, rel=1e-9)
    assert run.energy.drift < 1e-6


def test_crate_hangs_under_a_sled() -> None:
    """A sled in a guide with friction carries a crate below it by adhesion: the guide has the weight of both."""
    sled, crate = da.box("sled", 3.0, (0.4, 0.2, 0.1)), da.box("crate", MASS, (0.2, 0.2, 0.2))
    joints = [da.Joint("sled", "free", "world", "sled"), da.Joint("crate", "free", "world", "crate")]
    guide = da.LoopConstraint("guide", "sled", kind="prismatic", axis="x", friction=0.3)
    colliders = [da.Collider("all", friction=0.8, adhesion=40.0)]
    machine = da.Machine("sled", [sled, crate], joints, constraints=[guide], colliders=colliders)
    start, speed = {"crate.z": -0.15}, {"sled.vx": 4.0, "crate.vx": 4.0}
    run = da.simulate(machine, duration=0.2, q0=start, v0=speed, record=0.1, **STEP)
    assert run["sled.vx"][-1] == pytest.approx(4.0 - 0.3 * G * 0.2, abs=1e-3)  # also without adhesion: the first steps
    assert run["crate.vx"][-1] == pytest.approx(run["sled.vx"][-1], rel=1e-7)
    assert run["force.crate.z"][-1] == pytest.approx(MASS * G, rel=1e-7)
    lost = 0.5 * 5.0 * (16.0 - run["sled.vx"][-1] ** 2)
    assert run["loss.guide"][-1] == pytest.approx(lost, rel=1e-9)
    assert run.energy.drift < 1e-8


def test_ball_rolls_under_a_sphere() -> None:
    """It is a pendulum of 7/5 of its inertia while it is held, and drops where it needs more than its adhesion."""
    R, r, m, angle = 0.5, 0.1, 1.0, 0.6
    ball, fixed = da.sphere("ball", m, r), da.Body("big", geometry=da.Sphere(R))
    joints = [da.Joint("base", "free", "world", "ball"), da.Joint("big", "fixed", "world", "big")]
    q0 = {"base.x": (R + r) * np.sin(angle), "base.z": -(R + r) * np.cos(angle)}
    most = m * G * (1.0 + 10.0 / 7.0 * (1.0 - np.cos(angle)))  # weight and m v^2/(R + r) at the bottom
    exact = solve_ivp(lambda _, y: [y[1], -5 / 7 * G / (R + r) * np.sin(y[0])], (0, 1), [angle, 0.0], rtol=1e-10)
    for part, holds in ((1.02, True), (0.97, False)):
        collider = da.Collider("all", friction=2.0, adhesion=part * most)
        machine = da.Machine("under", [ball, fixed], joints, colliders=[collider])
        run = da.simulate(machine, duration=1.0, q0=q0, **STEP)
        distance = np.hypot(run["base.x"], run["base.z"])
        if holds:
            np.testing.assert_allclose(distance, R + r, atol=1e-6)
            assert np.arctan2(run["base.x"][-1], -run["base.z"][-1]) == pytest.approx(exact.y[0, -1], abs=3e-3)
            assert run.energy.drift < 1e-4
        else:
            assert distance[-1] > R + r + 0.5


@pytest.mark.parametrize("seed", range(4))
def test_adhesion_gives_no_energy(seed: int) -> None:
    """Sticky bodies that collide in space: momentum stays, and contacts take energy in every step."""
    rng = np.random.default_rng(seed)
    solids = [da.Sphere(0.1), da.Box((0.2, 0.15, 0.1)), da.Capsule(0.06, 0.2), da.Cylinder(0.08, 0.15), da.Sphere(0.08)]
    bodies = [da.Body(f"b{k}", 1.0, inertia=(5e-3, 6e-3, 7e-3), geometry=s) for k, s in enumerate(solids)]
    joints = [da.Joint(f"b{k}", "free", "world", f"b{k}") for k in range(len(solids))]
    collider = da.Collider("all", friction=0.4, restitution=0.3, adhesion=20.0, rolling=1e-3 * (seed % 2))
    machine = da.Machine("swarm", bodies, joints, gravity=(0, 0, 0), colliders=[collider])
    places = 0.5 * np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (-1, 0, 0.2), (0, -1, 0.1)], dtype=float)
    q0, v0 = {}, {}
    for k, place in enumerate(places):
        inward = -2.0 * place + 0.2 * rng.normal(size=3)
        q0 |= {f"b{k}.{axis}": x for axis, x in zip("xyz", place, strict=True)}
        v0 |= {f"b{k}.v{axis}": x for axis, x in zip("xyz", inward, strict=True)}
        v0 |= {f"b{k}.w{axis}": x for axis, x in zip("xyz", rng.normal(size=3), strict=True)}
    run = da.simulate(machine, duration=0.6, q0=q0, v0=v0, **STEP)
    eom = da.equations(machine, backend="vm")
    momentum = eom.momentum(run.array(machine.q_names), run.array(machine.v_names))
    np.testing.assert_allclose(momentum[-1, :3], momentum[0, :3], atol=1e-12)
    np.testing.assert_allclose(
        momentum[-1, 3:], momentum[0, 3:], atol=1e-4
    )  # gaps are closed by displacements, as without it
    assert np.diff(run["work.loss"]).max() < 1e-9 and run["contact.count"].max() > 0
    total = run["energy.kinetic"]
    assert np.all(np.diff(total) < 1e-4 * total[0])  # smooth motion of bodies that turn is of second order
    pulls = [c["force"][0] for c in run.metadata["contacts"]]
    assert all(f >= -20.0 - 1e-9 for f in pulls)


def test_files_and_members() -> None:
    machine = hung(da.Sphere(0.1), da.Parameter("A", 3.0))
    assert da.load_machine(machine.to_yaml()) == machine
    both = da.rollout(machine, q0={"base.z": [-0.1, -0.1]}, p={"A": [30.0, 10.0]}, duration=0.1, **STEP)
    assert both["base.z"][0, -1] == pytest.approx(-0.1, abs=1e-9) and both["base.z"][1, -1] < -0.11


def test_refused() -> None:
    with pytest.raises(MachineError, match="the adhesion of collider 'body' must be >= 0"):
        hung(da.Sphere(0.1), -1.0)
    with pytest.raises(MachineError, match="'body' among themselves may touch, with adhesion and stiffness"):
        hung(da.Sphere(0.1), 1.0, stiffness=1e4)
    with pytest.raises(DalembertError, match="collider 'body' has adhesion: no linear model has it"):
        da.linearize(hung(da.Sphere(0.1), 30.0), at={"base.z": -0.1})
