"""Surfaces that move on their bodies, and friction with a grain."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da

G = 9.81
BOTH = pytest.mark.parametrize(
    "settings", [{}, {"events": da.Event("far", "a.x - 9"), "backend": "vm"}], ids=["free", "tape"]
)


def machine(solid, conveyor=None, **ground):
    """A solid of 2 kg on the ground, or on a fixed body."""
    bodies, joints = [solid], [da.Joint("a", "free", "world", solid.name)]
    if conveyor is None:
        other = da.Collider("ground", surface=da.HalfSpace(), **ground)
    else:
        bodies.append(conveyor[0])
        joints.append(da.Joint("b", "fixed", "world", conveyor[0].name, origin=conveyor[1]))
        other = da.Collider("ground", bodies=[conveyor[0].name], **ground)
    return da.Machine("goods", bodies, joints, colliders=[da.Collider("goods", [solid.name], friction=0.4), other])


def stepped(of, duration, q0, **settings):
    return da.simulate(of, duration=duration, q0=q0, contact="time-stepping", **({"step": 1e-3} | settings))


@BOTH
def test_crate_comes_to_the_speed_of_a_belt(settings):
    """It slides for v/(mu g), then rides; the belt has done twice the work that the crate has, the rest is heat."""
    crate = machine(da.box("crate", 2.0, (0.2, 0.2, 0.1)), friction=0.4, belt=(0.6, -0.8, 0.0))
    run = stepped(crate, 0.4, {"a.z": 0.05}, record=0.1, **settings)
    way = 1.0 * (0.4 - 0.5 / (0.4 * G))
    np.testing.assert_allclose([run["a.x"][-1], run["a.y"][-1]], [0.6 * way, -0.8 * way], atol=1e-6)
    assert run["work.input"][-1] == pytest.approx(2.0, rel=1e-9)
    assert run["work.loss"][-1] == pytest.approx(-1.0, rel=1e-9)
    assert np.abs(run.energy.residual).max() < 1e-12


@BOTH
def test_ball_on_a_belt(settings):
    """A ball that a belt of speed v sets rolling moves with 2/7 of v, with its belt on a turned and tilted body."""
    slab = da.Geometry(da.Box((4.0, 4.0, 0.2)), origin=da.Transform.about("z", 0.7))
    tilt = da.Transform.about("x", np.pi, (0.0, 0.0, -0.1))
    rolls = machine(da.sphere("ball", 2.0, 0.1), (da.Body("slab", geometry=slab), tilt), friction=0.4, belt=(0.7, 0, 0))
    run = stepped(rolls, 0.6, {"a.z": 0.1}, record=0.1, **settings)
    turned = np.array(tilt.rotation) @ np.array(slab.origin.rotation) @ (0.7, 0.0, 0.0)
    np.testing.assert_allclose(run.x[-1, :2] - run.x[-2, :2], 0.1 * turned[:2] * 2 / 7, atol=1e-9)


def test_belt_that_starts_and_stops():
    """A belt whose velocity is a function of time, below what friction can follow, carries a crate exactly."""
    pulse = 0.5 * da.sin(5.0 * da.TIME) ** 2
    belt = (da.Parameter("k", 1.2) * pulse, 0.0, 0.0)
    crate = machine(da.box("crate", 2.0, (0.2, 0.2, 0.1)), friction=0.4, belt=belt)
    run = stepped(crate, 0.5, {"a.z": 0.05}, record=0.1)
    way = 0.3 * (0.5 - np.sin(10 * 0.5) / 10)
    assert run["a.x"][-1] == pytest.approx(way, abs=1e-6)
    assert stepped(crate, 0.5, {"a.z": 0.05}, record=0.1, p={"k": 0.6})["a.x"][-1] == pytest.approx(way / 2, abs=1e-6)


@BOTH
def test_grain(settings):
    """Friction is on an ellipse and dissipates the most: the way of a crate is that of its equations."""
    crate = machine(da.box("crate", 2.0, (0.2, 0.2, 0.02)), friction=0.4, grain=(3, 4, 0), across=0.1)
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    mu = np.array([0.4, 0.2])

    def slide(t, y):
        u = turn @ y[2:]
        return np.concatenate([y[2:], -G * turn.T @ (mu**2 * u / np.linalg.norm(mu * u))])

    start = {"a.vx": 1.5, "a.vy": 0.3}
    exact = solve_ivp(slide, (0.0, 0.3), [0.0, 0.0, *start.values()], rtol=1e-10, atol=1e-12).y[:, -1]
    run = stepped(crate, 0.3, {"a.z": 0.01}, v0=start, step=1e-4, record=0.1, **settings)
    np.testing.assert_allclose(run.x[-1, :2], exact[:2], atol=2e-5)
    slope = machine(da.box("crate", 2.0, (0.2, 0.2, 0.02)), friction=0.4, grain="x", across=0.0)
    skate = slope.with_(gravity=(0.39 * G, 0.5, -G))
    run = stepped(skate, 0.3, {"a.z": 0.01}, record=0.1, **settings)
    np.testing.assert_allclose(run.x[-1, :2], [0.0, 0.5 * 0.5 * 0.3**2], atol=1e-8)


def test_forces_of_a_grain():
    """Forces that runs list and sum up are true ones, not those of shortened tangents."""
    crate = machine(da.box("crate", 2.0, (0.2, 0.2, 0.02)), friction=0.4, grain="x", across=0.1)
    run = stepped(crate, 0.05, {"a.z": 0.01}, v0={"a.vy": 1.0}, record=0.05)
    listed = np.array([contact["force"] for contact in run.metadata["contacts"]]).sum(axis=0)
    np.testing.assert_allclose(np.abs(listed), [2 * G, 0.0, 0.2 * 2 * G], atol=1e-8)
    tape = stepped(crate, 0.05, {"a.z": 0.01}, v0={"a.vy": 1.0}, record=0.05, events=da.Event("far", "a.x - 9"))
    assert tape["force.crate.y"][-1] == pytest.approx(-0.2 * 2 * G, rel=1e-9)


def test_resistance_on_a_grain():
    """Moments against rolling do not know of the grain: a ball rolls out alike along and across it."""
    ways = []
    for axis, rolls in (("x", {"a.vx": 0.6, "a.wy": 6.0}), ("y", {"a.vy": 0.6, "a.wx": -6.0})):
        ball = machine(da.sphere("ball", 2.0, 0.1), friction=0.4, grain="x", across=0.2, rolling=0.005)
        ways.append(stepped(ball, 0.3, {"a.z": 0.1}, v0=rolls, record=0.1)[f"a.{axis}"][-1])
    slowing = 0.005 * G / 0.1 * 5 / 7
    np.testing.assert_allclose(ways, 0.18 - slowing * 0.045, rtol=1e-9)


def test_files_and_refusals(tmp_path):
    """Belts and grains are kept in files; half of a grain and two grains that meet are refused by name."""
    crate = machine(da.box("crate", 2.0, (0.2, 0.2, 0.1)), belt=(da.Parameter("v", 0.3), 0, 0), grain="y", across=0.2)
    crate.to_yaml(tmp_path / "goods.yaml")
    read = da.load_machine(tmp_path / "goods.yaml")
    assert repr(read.colliders) == repr(crate.colliders)
    with pytest.raises(da.MachineError, match="collider 'file' has a grain and no 'across'"):
        da.Collider("file", grain="x")
    with pytest.raises(da.MachineError, match="collider 'file' has friction across a grain and no 'grain'"):
        da.Collider("file", across=0.2)
    with pytest.raises(da.MachineError, match="grain of collider 'file' must not be zero"):
        da.Collider("file", grain=(0, 0, 0), across=0.2)
    rough = da.Collider("goods", ["crate"], grain="x", across=0.2)
    with pytest.raises(da.MachineError, match="colliders 'goods' and 'ground' may touch and both have a grain"):
        crate.with_(colliders=[rough, crate.colliders[1]])
