"""Machines with colliders: closed forms, the same machines with declared contacts, conservation, and refusals."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import dalembert as da
from dalembert.core.errors import DalembertError
from dalembert.systems.scenes import brick_wall, domino_row, heap

G = 9.81
GROUND = da.Collider("ground", surface=da.HalfSpace())


def scene(bodies, *, friction=0.5, restitution=0.0, normal=(0, 0, 1), fixed=(), gravity=(0, 0, -G), ground=True):
    """Machine of free bodies over a half-space."""
    joints = [da.Joint(b.name, "fixed" if b.name in fixed else "free", "world", b.name) for b in bodies]
    coefficients = {"friction": friction, "restitution": restitution}
    colliders = [da.Collider("bodies", **coefficients)]
    if ground:
        colliders.append(da.Collider("ground", surface=da.HalfSpace(normal=normal), **coefficients))
    return da.Machine("scene", bodies=bodies, joints=joints, colliders=colliders, gravity=gravity)


def stepped(machine, duration, q, v=None, **keywords):
    return da.simulate(machine, duration=duration, q0=q, v0=v, contact="time-stepping", **keywords)


def body(name, solid, inertia=(0.01, 0.01, 0.01), mass=1.0):
    return da.Body(name, mass, inertia=inertia, geometry=solid)


def test_ball_falls_and_rests():
    run = stepped(scene([da.sphere("a", 2.0, 0.1)]), 0.5, {"a.z": 0.3}, step=1e-3)
    t = run.t[run.t < 0.2]
    np.testing.assert_allclose(run["a.z"][: len(t)], 0.3 - 0.5 * G * t**2, atol=1e-12)
    assert run["a.z"][-1] == pytest.approx(0.1, abs=1e-8)
    (contact,) = run.metadata["contacts"]
    assert contact["between"] == ["a", "ground"]
    np.testing.assert_allclose(contact["force"], [2.0 * G, 0.0, 0.0], rtol=1e-9, atol=1e-9)
    assert run.energy.drift < 1e-9


def test_ball_rebounds():
    run = stepped(scene([da.sphere("a", 1.0, 0.1)], restitution=0.8), 0.6, {"a.z": 0.6}, step=1e-4, record=1e-3)
    speed = np.sqrt(2 * G * 0.5)
    top = (0.8 * speed) ** 2 / (2 * G) + 0.1
    assert run["a.z"][run.t > 0.33].max() == pytest.approx(top, abs=2 * speed * 1e-4)


@pytest.mark.parametrize("friction", [0.1, 0.4])
def test_ball_slides_until_it_rolls(friction):
    """It rolls with 5/7 of its speed, whatever the friction."""
    machine = scene([da.sphere("a", 1.0, 0.1)], friction=friction)
    run = stepped(machine, 1.2, {"a.z": 0.1}, {"a.vx": 2.0}, step=1e-3)
    assert run["a.vx"][0] == 2.0
    world = np.hypot(run["a.vx"][-1], run["a.vz"][-1])
    assert world == pytest.approx(10 / 7, rel=1e-9)


def test_box_slides_to_rest():
    machine = scene([da.box("a", 3.0, (0.4, 0.4, 0.1))], friction=0.3)
    run = stepped(machine, 1.0, {"a.z": 0.05}, {"a.vx": 1.0}, step=5e-4)
    assert run["a.x"][-1] == pytest.approx(1.0 / (2 * 0.3 * G), abs=5e-4)
    assert abs(run["a.vx"][-1]) < 1e-12
    assert run["work.loss"][-1] == pytest.approx(-1.5, rel=1e-9)


@pytest.mark.parametrize(
    ("solid", "inertia", "part"),
    [
        (da.Sphere(0.1), (0.004, 0.004, 0.004), 5 / 7),
        (da.Cylinder(0.1, 0.3), (0.01, 0.01, 0.005), 2 / 3),
        (da.Capsule(0.1, 0.3), (0.01, 0.01, 0.005), 2 / 3),
    ],
)
def test_round_bodies_roll_down(solid, inertia, part):
    slope = np.radians(20.0)
    normal = (np.sin(slope), 0.0, np.cos(slope))
    machine = scene([body("a", solid, inertia)], friction=0.6, normal=normal)
    along_y = {"a.qw": np.sqrt(0.5), "a.qx": -np.sqrt(0.5)}
    start = {"a.x": 0.1 * normal[0], "a.z": 0.1 * normal[2], **along_y}
    run = stepped(machine, 0.5, start, step=1e-3)
    way = np.hypot(run["a.x"][-1] - run["a.x"][0], run["a.z"][-1] - run["a.z"][0])
    assert way == pytest.approx(0.5 * part * G * np.sin(slope) * 0.25, rel=2e-5)


@pytest.mark.parametrize(("friction", "slides"), [(0.40, False), (0.32, True)])
def test_box_on_a_slope(friction, slides):
    slope = np.radians(20.0)  # tan = 0.364
    normal = (np.sin(slope), 0.0, np.cos(slope))
    machine = scene([da.box("a", 1.0, (0.2, 0.2, 0.1))], friction=friction, normal=normal)
    turn = {"a.qw": np.cos(slope / 2), "a.qy": np.sin(slope / 2)}
    run = stepped(machine, 0.4, {"a.x": 0.05 * normal[0], "a.z": 0.05 * normal[2], **turn}, step=1e-3)
    way = np.hypot(run["a.x"][-1] - run["a.x"][0], run["a.z"][-1] - run["a.z"][0])
    expected = 0.5 * G * (np.sin(slope) - friction * np.cos(slope)) * 0.16 if slides else 0.0
    assert way == pytest.approx(expected, abs=1e-8)


def test_stack_stands_with_equal_forces():
    """Ten boxes: each corner has a quarter of the weight above it, by the rule of equal compliance."""
    names = [f"b{k}" for k in range(10)]
    machine = scene([da.box(name, 1.0 + 0.1 * k, (0.1, 0.1, 0.1)) for k, name in enumerate(names)])
    start = {f"{name}.z": 0.05 + 0.1 * k for k, name in enumerate(names)}
    run = stepped(machine, 0.05, start, step=1e-3, record=0.05)
    above = np.cumsum([1.0 + 0.1 * k for k in reversed(range(10))])[::-1]
    for contact in run.metadata["contacts"]:
        upper = max(names.index(name) for name in contact["between"] if name in names)
        assert contact["force"][0] == pytest.approx(above[upper] * G / 4, rel=1e-7)
    assert len(run.metadata["contacts"]) == 40
    assert run["contact.undetermined"][-1] > 0
    np.testing.assert_allclose(run.x[-1, :70], run.x[0, :70], atol=1e-12)


@pytest.mark.parametrize("duration", [0.5, pytest.param(100.0, marks=[pytest.mark.slow, pytest.mark.long])])
def test_stack_of_ten_boxes_does_not_creep(duration):
    """It stays where it is, to the rounding of 100,000 steps."""
    names = [f"b{k}" for k in range(10)]
    machine = scene([da.box(name, 1.0 + 0.1 * k, (0.1, 0.1, 0.1)) for k, name in enumerate(names)])
    start = {f"{name}.z": 0.05 + 0.1 * k for k, name in enumerate(names)}
    run = stepped(machine, duration, start, step=1e-3, record=duration / 10)
    assert run.status == "completed"
    assert np.abs(run.x[:, :70] - run.x[0, :70]).max() < 1e-11


def test_blow_passes_through_a_long_row():
    """Twenty boxes side by side, the first of which moves: without rebound all get its momentum and slide together.

    Ten sweeps carry the blow over half of the row only.
    """
    n, speed, friction, step = 20, 2.0, 0.3, 1e-3
    names = [f"b{k:02d}" for k in range(n)]
    machine = scene([da.box(name, 1.0, (0.1, 0.1, 0.1)) for name in names], friction=friction)
    start = {f"{name}.z": 0.05 for name in names} | {f"{name}.x": 0.1 * k for k, name in enumerate(names)}
    for tolerance in (1e-6, 1e-8):
        way = da.TimeStepping(tolerance=tolerance, max_sweeps=10)
        run = da.simulate(machine, duration=0.01, q0=start, v0={"b00.vx": speed}, contact=way, step=step)
        assert run["contact.residual"].max() < 10 * tolerance
        expected = speed / n - friction * G * run.t[1:]
        for name in names:
            np.testing.assert_allclose(run[f"{name}.vx"][1:], expected, atol=n * tolerance * speed)
    assert run["contact.count"].max() == 4 * n + 4 * (n - 1)


def test_cylinder_stands():
    machine = scene([body("a", da.Cylinder(0.05, 0.4))])
    run = stepped(machine, 0.2, {"a.z": 0.2}, step=1e-3, record=0.1)
    assert run["a.z"][-1] == pytest.approx(0.2, abs=1e-9)
    assert sum(contact["force"][0] for contact in run.metadata["contacts"]) == pytest.approx(G, rel=1e-8)
    assert len(run.metadata["contacts"]) == 8


def test_finite_table():
    """A ball above a table lands on it; one beside it misses."""
    table = body("table", da.Box((1.0, 1.0, 0.1)))
    machine = scene([da.sphere("a", 1.0, 0.1), da.sphere("b", 1.0, 0.1), table], fixed=("table",), ground=False)
    run = stepped(machine, 0.6, {"a.z": 0.5, "b.z": 0.5, "b.x": 3.0}, step=1e-3, record=0.1)
    assert run["a.z"][-1] == pytest.approx(0.15, abs=1e-8)
    assert run["b.z"][-1] == pytest.approx(0.5 - 0.5 * G * 0.36, abs=1e-9)


def test_same_as_declared_contacts():
    """The same steps from tapes of the machine: a box that tumbles over the ground."""
    box = da.box("a", 2.0, (0.4, 0.3, 0.2))
    machine = scene([box], friction=0.4, restitution=0.3)
    other = da.Machine("declared", bodies=[box], joints=[da.Joint("a", "free", "world", "a")])
    other = other.with_(contacts=da.geometry_contacts(other, friction=0.4, restitution=0.3))
    start = {"a.z": 0.6, "a.qw": 0.9, "a.qx": 0.3, "a.qy": -0.2, "a.qz": np.sqrt(1 - 0.94)}
    twist = {"a.vx": 1.0, "a.wx": 3.0, "a.wz": -2.0}
    a, b = (stepped(m, 0.5, start, twist, step=1e-3) for m in (machine, other))
    names = ("a.x", "a.y", "a.z", "a.qw", "a.qx", "a.qy", "a.qz")
    for name in names:
        np.testing.assert_allclose(a[name], b[name], atol=2e-6, err_msg=name)
    assert a["contact.count"].max() > 0
    assert a["work.loss"][-1] == pytest.approx(b["work.loss"][-1], rel=1e-5)


def test_compound_bodies_fly_as_equations_say():
    """Bodies on fixed joints, off-centre and with products of inertia, without a contact."""
    core = da.Body("a", 1.5, com=(0.02, -0.01, 0.03), inertia=(0.03, 0.02, 0.025, 0.004, -0.002, 0.003),
                   geometry=da.Sphere(0.05))  # fmt: skip
    arm = da.box("arm", 0.7, (0.3, 0.05, 0.05))
    joints = [
        da.Joint("a", "free", "world", "a"),
        da.Joint("weld", "fixed", "a", "arm", origin=da.Transform.about("y", 0.7, (0.2, 0.1, 0.0))),
    ]
    free = da.Machine("free", bodies=[core, arm], joints=joints)
    start, twist = {"a.z": 1.0, "a.qw": 0.8, "a.qy": 0.6}, {"a.vx": 0.5, "a.wx": 2.0, "a.wy": -3.0, "a.wz": 1.0}
    exact = da.simulate(free, duration=0.3, q0=start, v0=twist, step=1e-3)
    run = stepped(free.with_(colliders=[da.Collider("all"), GROUND]), 0.3, start, twist, step=2e-4, record=1e-3)
    for name in free.q_names:
        np.testing.assert_allclose(run[name], exact[name], atol=2e-7, err_msg=name)
    for name in ("energy.kinetic", "energy.potential"):
        np.testing.assert_allclose(run[name] - run[name][0], exact[name] - exact[name][0], atol=3e-6)


@pytest.mark.parametrize("restitution", [0.0, 0.9])
def test_momentum_and_energy_of_a_swarm(restitution):
    """Shapes of all kinds collide in space: momentum stays, and energy does not rise."""
    rng = np.random.default_rng(3)
    kinds = (da.Sphere(0.06), da.Box((0.1, 0.12, 0.08)), da.Cylinder(0.05, 0.12), da.Capsule(0.04, 0.1))
    inertias = ((0.002, 0.002, 0.002), (0.0017, 0.0014, 0.002), (0.002, 0.002, 0.00125), (0.002, 0.002, 0.001))
    bodies = [body(f"b{k:02d}", kinds[k % 4], inertias[k % 4]) for k in range(16)]
    machine = scene(bodies, friction=0.6, restitution=restitution, gravity=(0, 0, 0), ground=False)
    places = np.array([(x, y, z) for x in range(4) for y in range(2) for z in range(2)]) * 0.2 - (0.3, 0.1, 0.1)
    turns = rng.normal(size=(16, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    q = np.hstack([places, turns]).ravel()
    v = np.hstack([np.zeros((16, 3)), rng.normal(size=(16, 3))])
    R = _rotations(turns)
    v[:, :3] = np.einsum("nji,nj->ni", R, -2.0 * places + 0.3 * rng.normal(size=(16, 3)))
    with np.errstate(all="raise"):
        run = stepped(machine, 0.3, q, v.ravel(), step=1e-3)
    momenta = np.array([_momenta(run, row, np.array(inertias * 4)) for row in range(len(run.t))])
    assert run["contact.count"].max() > 3
    np.testing.assert_allclose(momenta[:, :3], momenta[[0], :3].repeat(len(momenta), 0), atol=1e-12)
    np.testing.assert_allclose(momenta[:, 3:], momenta[[0], 3:].repeat(len(momenta), 0), atol=2e-3)
    # Rows that turn while bodies push each other give and take energy of third order in each step.
    assert np.diff(run["work.loss"]).max() <= 1e-6 * run["energy.kinetic"][0]
    assert np.diff(run["energy.kinetic"]).max() < 1e-6 * run["energy.kinetic"][0]  # gyroscopic terms: second order


def _rotations(q):
    w, x, y, z = q.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def _momenta(run, row, inertias):
    n = len(inertias)
    q, v = run.x[row, : 7 * n].reshape(n, 7), run.x[row, 7 * n : 13 * n].reshape(n, 6)
    R = _rotations(q[:, 3:])
    p = np.einsum("nij,nj->ni", R, v[:, :3])
    spin = np.einsum("nij,nj->ni", R, inertias * v[:, 3:])
    return np.concatenate([p.sum(0), (np.cross(q[:, :3], p) + spin).sum(0)])


def test_groups_ignore_each_other():
    bodies = [da.sphere("a", 1.0, 0.1), da.sphere("b", 1.0, 0.1)]
    joints = [da.Joint(b.name, "free", "world", b.name) for b in bodies]
    ghost = da.Collider("ghost", bodies=["a"], ignores=["ground", "rest"])
    machine = da.Machine("two", bodies=bodies, joints=joints, colliders=[ghost, da.Collider("rest"), GROUND])
    run = stepped(machine, 0.5, {"a.z": 0.6, "b.z": 0.1}, record=0.1)
    assert run["a.z"][-1] == pytest.approx(0.6 - 0.5 * G * 0.25, abs=1e-9)
    assert run["b.z"][-1] == pytest.approx(0.1, abs=1e-9)


def test_parameters_are_inputs_of_a_run():
    mu = da.Parameter("mu", 0.5)
    box = da.box("a", 1.0, (0.2, 0.2, 0.1))
    colliders = [da.Collider("box", friction=mu), da.Collider("ground", surface=da.HalfSpace(), friction=mu)]
    machine = da.Machine("p", [box], [da.Joint("a", "free", "world", "a")], colliders=colliders)
    runs = [stepped(machine, 0.05, {"a.z": 0.05}, {"a.vx": 1.0}, p=p) for p in (None, {"mu": 0.2})]
    for run, friction in zip(runs, (0.5, 0.2), strict=True):
        assert run["a.vx"][-1] == pytest.approx(1.0 - friction * G * 0.05, rel=1e-9)


def test_files_and_continued_runs(tmp_path):
    machine = scene([da.sphere("a", 1.0, 0.1), da.box("b", 1.0, (0.2, 0.2, 0.2))], friction=0.3, restitution=0.1)
    resists = [da.Collider("bodies", rolling=0.002, spinning=da.Parameter("s", 0.001)), machine.colliders[1]]
    for m in (machine, machine.with_(colliders=resists)):
        assert da.load_machine(m.to_yaml()) == m
    start = {"a.z": 0.5, "b.z": 0.1}
    whole = stepped(machine, 0.4, start, record=0.1)
    half = stepped(machine, 0.2, start, record=0.1)
    rest = da.simulate(machine, duration=0.2, start=half, contact="time-stepping", record=0.1)
    np.testing.assert_allclose(rest.x[-1, :26], whole.x[-1, :26], atol=1e-9)
    assert rest.t[-1] == pytest.approx(0.4)
    whole.save(tmp_path / "run.nc")
    loaded = da.load_run(tmp_path / "run.nc")
    assert loaded.machine == machine
    assert len(loaded.metadata["contacts"]) == len(whole.metadata["contacts"])


def test_record_and_last_step():
    machine = scene([da.sphere("a", 1.0, 0.1)])
    run = stepped(machine, 0.0105, {"a.z": 0.5}, step=1e-3, record=4e-3)
    np.testing.assert_allclose(run.t, [0.0, 0.004, 0.008, 0.0105], atol=1e-15)
    assert run["a.z"][-1] == pytest.approx(0.5 - 0.5 * G * 0.0105**2, abs=1e-12)


def resisting(normal=(0, 0, 1), **resistance):
    """A ball of 1 kg and 0.1 m that resists rotation, on a plane."""
    plane = da.Collider("ground", surface=da.HalfSpace(normal=normal))
    balls = da.Collider("balls", **resistance)
    return da.Machine(
        "ball", [da.sphere("a", 1.0, 0.1)], [da.Joint("a", "free", "world", "a")], colliders=[balls, plane]
    )


@pytest.mark.parametrize(
    "settings", [{}, {"events": da.Event("far", "a.x - 9"), "backend": "vm"}], ids=["free", "tape"]
)
def test_resistance_against_rotation(settings):
    """Moments of rolling and spinning slow a ball as they do in closed form, by both kinds of rows."""
    common = {"contact": "time-stepping", "step": 1e-3, "record": 0.1, **settings}
    slowing = 0.005 * G / 0.1 * 5 / 7  # m a = -F, I a/r = F r - rolling m g
    run = da.simulate(
        resisting(rolling=0.005), duration=0.5, q0={"a.z": 0.1},
        v0={"a.vx": 0.6, "a.vy": 0.8, "a.wx": -8.0, "a.wy": 6.0},
        **common,
    )  # fmt: skip
    assert np.hypot(run["a.x"][-1], run["a.y"][-1]) == pytest.approx(0.5 - slowing / 8, rel=1e-9)
    assert run["a.y"][-1] / run["a.x"][-1] == pytest.approx(4 / 3, rel=1e-9)
    assert run["work.loss"][-1] == pytest.approx(0.7 * ((1 - slowing / 2) ** 2 - 1), rel=1e-9)
    spun = da.simulate(resisting(spinning=0.01), duration=0.2, q0={"a.z": 0.1}, v0={"a.wz": -9.0}, **common)
    assert spun["a.wz"][-1] == pytest.approx(-9.0 + 0.01 * G * 0.2 / 0.004, rel=1e-9)
    assert np.abs(spun.x[-1, :3] - (0, 0, 0.1)).max() < 1e-12


@pytest.mark.parametrize(("rolling", "stays"), [(0.0105, True), (0.0095, False)])
def test_ball_rests_on_a_slope(rolling, stays):
    """With tan = 0.1 a ball of 0.1 m rests if it resists rolling by more than 0.01 m."""
    slope = np.arctan(0.1)
    normal = (np.sin(slope), 0.0, np.cos(slope))
    start = {"a.x": 0.1 * normal[0], "a.z": 0.1 * normal[2]}
    run = stepped(resisting(normal=normal, rolling=rolling), 0.4, start, step=1e-3, record=0.1)
    way = np.hypot(run["a.x"][-1] - run["a.x"][0], run["a.z"][-1] - run["a.z"][0])
    expected = 0.0 if stays else 0.08 * 5 / 7 * G * (np.sin(slope) - rolling / 0.1 * np.cos(slope))
    assert way == pytest.approx(expected, abs=1e-9)


def test_resistance_takes_energy():
    """Boxes and balls that resist rotation fall into a heap: contacts give no energy."""
    bodies = [da.box(f"b{k}", 1.0, (0.1, 0.1, 0.1)) if k % 2 else da.sphere(f"b{k}", 1.0, 0.05) for k in range(6)]
    machine = scene(bodies, friction=0.6, restitution=0.3)
    start = {
        f"b{k}.{axis}": x
        for k in range(6)
        for axis, x in zip("xyz", (0.03 * (k % 3), 0.02 * k, 0.1 + 0.13 * k), strict=True)
    }
    resists = [
        da.Collider("bodies", friction=0.6, restitution=0.3, rolling=0.004, spinning=0.003),
        machine.colliders[1],
    ]
    run = stepped(machine.with_(colliders=resists), 0.5, start, record=0.01)
    assert np.diff(run["work.loss"]).max() <= 1e-9 * run.energy.peak
    assert run["contact.residual"].max() < 1e-4
    assert {len(contact["force"]) for contact in run.metadata["contacts"]} == {6}


BALL = [da.sphere("a", 1.0, 0.1)]
FREE = [da.Joint("a", "free", "world", "a")]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: da.Collider("c", friction=-0.1), "friction of collider 'c'"),
        (lambda: da.Collider("c", friction=np.inf), "friction of collider 'c'"),
        (lambda: da.Collider("c", rolling=-0.1), "rolling resistance of collider 'c'"),
        (lambda: da.Collider("c", restitution=1.5), "restitution of collider 'c' must be from 0 to 1"),
        (lambda: da.Collider("c", bodies="a"), "must be a list of names"),
        (lambda: da.Collider("c", surface=da.SphericalSurface(1.0)), "must be a HalfSpace"),
        (lambda: da.Collider("c", bodies=["a"], surface=da.HalfSpace()), "has bodies and a surface"),
        (lambda: da.Machine("m", BALL, FREE, colliders=[da.Collider("c", bodies=["z"])]), "no body named 'z'"),
        (lambda: da.Machine("m", BALL, FREE, colliders=[da.Collider("c", ignores=["z"])]), "no collider named 'z'"),
        (lambda: da.Machine("m", BALL, FREE, colliders=[da.Collider("c"), da.Collider("d")]), "both have all other"),
        (
            lambda: da.Machine("m", BALL, FREE, colliders=[da.Collider(n, bodies=["a"]) for n in "cd"]),
            "in two colliders",
        ),
        (
            lambda: da.Machine("m", [da.Body("a", 1.0)], FREE, colliders=[da.Collider("c", bodies=["a"])]),
            "no geometry for collision",
        ),
        (lambda: da.Machine("m", [da.Body("a", 1.0)], FREE, colliders=[da.Collider("c")]), "has no bodies"),
    ],
)
def test_bad_colliders(make, words):
    with pytest.raises(DalembertError, match=words):
        make()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"contact": None}, "needs contact='time-stepping'"),
        ({"method": "rk4"}, "rk4"),
        ({"q0": {"a.z": 0.05}}, "'a' and 'ground' of machine 'scene' overlap by 0.05 m"),
        ({"q0": {"a.z": 1.0, "a.qw": 0.0}}, "quaternion of body 'a'"),
    ],
)
def test_refused_settings(change, words):
    settings = {"duration": 0.1, "q0": {"a.z": 0.5}, "contact": "time-stepping"} | change
    with pytest.raises(DalembertError, match=words):
        da.simulate(scene([da.sphere("a", 1.0, 0.1)]), **settings)


def test_fast_body_is_warned_of():
    machine = scene([da.sphere("a", 1.0, 0.01)])
    with pytest.warns(UserWarning, match="'a' moves by"):
        stepped(machine, 0.01, {"a.z": 5.0}, {"a.vx": 60.0}, step=1e-3)


CORNERS = np.array(list(itertools.product((-1, 1), repeat=3))) * (0.1, 0.15, 0.05)
TOP = [1, 5, 7, 3]  # anticlockwise seen from above


def triangles(dent=None):
    """Triangles of a box, anticlockwise seen from outside; the top is a pyramid to a corner ``dent``."""
    hull = ConvexHull(CORNERS)
    faces = []
    for simplex, (*normal, _) in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = CORNERS[simplex]
        turned = simplex if np.cross(b - a, c - a) @ normal > 0 else simplex[::-1]
        if dent is None or not set(simplex) <= set(TOP):
            faces.append(turned)
    return faces if dent is None else [*faces, *([TOP[k], TOP[(k + 1) % 4], dent] for k in range(4))]


def written(path, corners, faces):
    lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in corners]
    lines += ["f " + " ".join(str(int(i) + 1) for i in face) for face in faces]
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def test_convex_mesh_is_as_its_box(tmp_path):
    """A mesh with the corners of a box, mirrored and in millimetres, beside the box: both tumble alike."""
    inertia, colliders = (0.0083, 0.0042, 0.0108), [da.Collider("all"), GROUND]
    mesh = da.Mesh(written(tmp_path / "box.obj", 1e3 * CORNERS, triangles()), scale=(-1e-3, 1e-3, 1e-3))
    runs = []
    for solid in (mesh, da.Box((0.2, 0.3, 0.1))):
        machine = da.Machine("m", [body("a", solid, inertia)], FREE, colliders=colliders)
        start = {"a.z": 0.3, "a.qw": 0.9, "a.qx": 0.3, "a.qy": 0.3}
        runs.append(stepped(machine, 0.6, start, {"a.wz": 1.0}, record=0.05))
    np.testing.assert_allclose(runs[0].x[:, :7], runs[1].x[:, :7], atol=1e-8)
    assert runs[0]["contact.count"].max() > 0


@pytest.mark.parametrize(
    ("corners", "faces", "words"),
    [
        (CORNERS, triangles()[1:], "is open: 3 of its edges"),
        (CORNERS, [face[::-1] for face in triangles()], "is inside out"),
        (np.vstack([CORNERS, np.zeros(3)]), triangles(8), "is not convex: it fills 83.3 % of its hull"),
        (CORNERS * (1, 1, 0), triangles(), "is flat"),
    ],
    ids=["open", "inside out", "dented", "flat"],
)
def test_bad_meshes(tmp_path, corners, faces, words):
    mesh = da.Mesh(written(tmp_path / "bad.obj", corners, faces))
    machine = da.Machine("m", [body("a", mesh)], FREE, colliders=[da.Collider("all"), GROUND])
    with pytest.raises(DalembertError, match=words):
        stepped(machine, 0.1, {"a.z": 1.0})


def test_fallen_dominoes_rest():
    """Contacts of bodies that fall alike stay closed while others hold one of them: else single dominoes fall freely
    for a step, which is 0.2 rad/s."""
    row = da.simulate(domino_row(20), duration=1.2, step=1e-3, record=1e-3)
    late = row.t > 1.1
    assert max(np.abs(row[f"domino_{k:03d}.w{axis}"][late]).max() for k in range(20) for axis in "xyz") < 1e-3


@pytest.mark.slow
def test_dominoes_fall_and_walls_stand():
    row = da.simulate(domino_row(20), contact="time-stepping", duration=1.5, step=1e-3, record=0.1)
    assert all(row[f"domino_{k:03d}.z"][-1] < 0.045 for k in range(20))
    # the gap is that in the middle of a step, and two tips of 0.1 m that fall meet with 2 sqrt(3 g l) at most
    assert row["contact.deepest"].min() > -0.5e-3 * 2 * np.sqrt(3 * G * 0.1)
    wall = da.simulate(brick_wall(8, 6), duration=0.3, step=1e-3, record=0.1)
    n = len(wall.machine.bodies)
    places = wall.x[:, : 7 * n].reshape(-1, n, 7)
    assert np.abs(places[-1] - places[0]).max() < 1e-6
    for experiment in (heap(50), heap(50, solid="sphere", restitution=0.5)):
        run = da.simulate(experiment, duration=0.6, step=1e-3, record=0.05)
        assert run.status == "completed"
        assert np.diff(run["work.loss"]).max() <= 1e-9 * run.energy.peak
        assert np.diff(run.energy.total).max() <= 1e-6 * run.energy.peak


def test_impulses_that_violate_the_laws_are_reported():
    """One sweep does not solve a stack of balls that lands: the run says in how many steps, and by how much at most.

    It does not matter which of them are recorded. Islands with resistance against rolling are solved by sweeps.
    """
    joints = [da.Joint(f"j{k}", "free", "world", f"b{k}") for k in range(4)]
    colliders = [da.Collider("balls", friction=0.5, rolling=1e-3), da.Collider("ground", surface=da.HalfSpace())]
    bodies = [da.sphere(f"b{k}", 1.0 + k, 0.05) for k in range(4)]
    stack = da.Machine("stack", bodies, joints, colliders=colliders)
    start = {f"j{k}.z": 0.06 + 0.101 * k for k in range(4)}
    settings = {"duration": 0.08, "q0": start, "step": 1e-3}
    with pytest.warns(da.DalembertWarning, match=r"'stack': impulses violate the laws of contact in \d+ of the steps"):
        run = da.simulate(stack, contact=da.TimeStepping(max_sweeps=1), **settings)
    residual = run["contact.residual"]
    worst = int(np.argmax(residual))
    faults = run.metadata["contact_faults"]
    assert residual[worst] > 1e-3 and faults["unsolved"] == np.count_nonzero(residual > 1e-3)
    assert faults["most_residual"] == residual[worst] and faults["residual_t"] == pytest.approx(run.t[worst])
    with pytest.warns(da.DalembertWarning, match="impulses violate the laws of contact"):
        coarse = da.simulate(stack, contact=da.TimeStepping(max_sweeps=1), record=0.08, **settings)
    assert len(coarse.t) == 2 and coarse.metadata["contact_faults"] == faults
    assert f"residual up to {residual[worst]:.1e}" in repr(coarse)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert da.simulate(stack, contact="time-stepping", **settings)["contact.residual"].max() < 1e-3
