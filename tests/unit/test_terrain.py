"""Height fields and cones: closed forms, the same scenes on planes, distances by sampled points, files and pictures."""

import numpy as np
import pytest

import dalembert as da
from dalembert.collide.scenes import scene_of
from dalembert.core.parameter import nominal
from dalembert.engine.collide.native import NativeScene
from dalembert.engine.methods.contacts import TimeStepping
from dalembert.view.solids import triangles_of

G = 9.81
SOLIDS = {
    "ball": da.sphere("s", 1.0, 0.2),
    "box": da.box("s", 1.0, (0.5, 0.4, 0.3)),
    "can": da.cylinder("s", 1.0, 0.2, 0.3, axis="z"),
    "cone": da.Body("s", 1.0, inertia=np.diag([0.02, 0.02, 0.02]), geometry=da.Cone(0.2, 0.4)),
}


def yard(solid, terrain, **coefficients):
    """A solid on terrain; None: on a plane."""
    bodies, joints = [solid], [da.Joint("a", "free", "world", "s")]
    colliders = [da.Collider("all", **({"friction": 0.5} | coefficients))]
    if terrain is None:
        colliders.append(da.Collider("ground", surface=da.HalfSpace(), friction=0.5))
    else:
        bodies.append(da.Body("hills", geometry=terrain))
        joints.append(da.Joint("hills", "fixed", "world", "hills"))
    return da.Machine("yard", bodies, joints, colliders=colliders)


def stepped(machine, duration, q0, **settings):
    return da.simulate(machine, duration=duration, q0=q0, contact="time-stepping", **({"step": 1e-3} | settings))


def profile(height):
    """A field whose height depends on x."""
    return da.HeightField(np.repeat(height(np.linspace(-2.0, 2.0, 9))[:, None], 9, axis=1), (4.0, 4.0))


@pytest.mark.parametrize("name", SOLIDS)
def test_flat_field_is_a_plane(name):
    """Solids that slide over the edges of its triangles do as on a plane, with as many points."""
    rest = {"ball": 0.2, "box": 0.15, "can": 0.15, "cone": 0.2}[name]
    start = {"q0": {"a.z": rest, "a.x": -0.9, "a.y": 0.07}, "v0": {"a.vx": 3.0, "a.vy": 0.3}, "record": 0.1}
    flat, plane = (stepped(yard(SOLIDS[name], t), 0.5, **start) for t in (profile(lambda x: 0.0 * x), None))
    np.testing.assert_allclose(flat.x[-1, :13], plane.x[-1, :13], atol=1e-10)
    assert flat["contact.count"][-1] == plane["contact.count"][-1]


def test_ball_rolls_down_a_slope():
    """With 5/7 g sin, across seven edges; on one contact."""
    n = np.array([0.3, 0.0, 1.0]) / np.hypot(0.3, 1.0)
    start = {"a.x": -1.5 + 0.2 * n[0], "a.y": 0.07, "a.z": 0.45 + 0.2 * n[2]}
    run = stepped(yard(SOLIDS["ball"], profile(lambda x: -0.3 * x)), 1.0, start, record=0.1)
    assert run["a.x"][-1] - start["a.x"] == pytest.approx(5 / 14 * G * n[0] * n[2], rel=1e-12)
    assert set(run["contact.count"]) == {1}


def test_valley_and_ridge():
    """A ball lies on both sides of a valley, a box on the line of a ridge, whose normal is that of the box."""
    high = 0.2 * np.sqrt(1.25)
    valley = yard(SOLIDS["ball"], profile(lambda x: 0.5 * np.abs(x)), friction=0.0)
    ball = stepped(valley, 0.1, {"a.z": high, "a.y": 0.07}, record=0.1)
    assert ball["a.z"][-1] == pytest.approx(high, abs=1e-12)
    forces = sorted((c["normal"][0], c["force"][0]) for c in ball.metadata["contacts"])
    side = 1.0 / np.sqrt(5.0)
    np.testing.assert_allclose(forces, [[-side, G / (2 * np.sqrt(0.8))], [side, G / (2 * np.sqrt(0.8))]], rtol=1e-9)
    box = stepped(yard(SOLIDS["box"], profile(lambda x: -0.5 * np.abs(x))), 0.1, {"a.z": 0.15}, record=0.1)
    normals = np.array([c["normal"] for c in box.metadata["contacts"]])
    np.testing.assert_allclose(normals, np.tile([0, 0, 1.0], (len(normals), 1)), atol=1e-9)
    assert box["a.z"][-1] == pytest.approx(0.15, abs=1e-12)


def heights_at(field, x, y):
    """Heights of its triangles."""
    H, (dx, dy) = np.array(field.heights), field.spacing
    u, v = (x + field.size[0] / 2) / dx, (y + field.size[1] / 2) / dy
    i, j = (np.clip(w.astype(int), 0, n - 2) for w, n in zip((u, v), H.shape, strict=True))
    a, b = u - i, v - j
    low = H[i, j] + (H[i + 1, j] - H[i, j]) * a + (H[i + 1, j + 1] - H[i + 1, j]) * b
    high = H[i, j] + (H[i + 1, j + 1] - H[i, j + 1]) * a + (H[i, j + 1] - H[i, j]) * b
    return np.where(a >= b, low, high)


def surface_points(name, rng, n=60_000):
    """Points of a solid, many of them on its edges."""
    if name == "box":
        points = rng.uniform(-1.0, 1.0, (n, 3))
        for k in (rng.integers(0, 3, n), rng.integers(0, 3, n)):  # on a face, or on an edge
            points[np.arange(n), k] = np.sign(points[np.arange(n), k])
        return np.concatenate([points, np.sign(points[:99])]) * [0.25, 0.2, 0.15]
    angle, z, r = rng.uniform(0.0, 2 * np.pi, n), rng.uniform(-1.0, 1.0, n), np.ones(n)
    end, rim = rng.random(n) < 0.3, rng.random(n) < 0.3
    r[end], z[end | rim] = np.sqrt(rng.random(end.sum())), np.sign(z[end | rim])
    half = 0.15
    if name == "cone":
        z[end | rim], half = -1.0, 0.2
        r *= (1.0 - z) / 2
    return np.column_stack([0.2 * r * np.cos(angle), 0.2 * r * np.sin(angle), half * z])


@pytest.mark.parametrize("name", ["box", "can", "cone"])
def test_gaps_on_random_hills(name):
    """Solids in random poses, lifted until points of them just touch: nothing is missed, and nothing is too deep."""
    rng = np.random.default_rng(11)
    points = surface_points(name, rng)
    field = da.HeightField(0.15 * rng.random((21, 21)), (4.0, 4.0))
    scene = scene_of(yard(SOLIDS[name], field), nominal)
    native = NativeScene(scene.table, TimeStepping())
    for _ in range(20):
        q, at = rng.normal(size=4), rng.uniform(-1.0, 1.0, 2)
        q /= np.linalg.norm(q)
        placed = points @ np.array(da.Transform.quaternion(q).rotation).T + (*at, 0.0)
        touch = np.max(heights_at(field, placed[:, 0], placed[:, 1]) - placed[:, 2])
        for lift in (0.003, -0.0015):
            x = np.zeros(native.n_states)
            x[:13] = scene.to_native(np.array([*at, touch + lift, *q]), np.zeros(6))
            found = native.touching(x, 0.02)
            assert min(0.0, lift) - 3e-3 < found.gaps.min() < lift + 1e-3
            assert found.normals[:, 2].min() > 0.2


def test_falls_on_hills():
    """A box tumbles down random hills: it sinks in by no more than it moves in a step, and gains nothing."""
    field = da.HeightField(0.15 * np.random.default_rng(3).random((21, 21)), (4.0, 4.0))
    run = stepped(
        yard(SOLIDS["box"], field, restitution=0.2), 1.0, {"a.z": 0.8}, v0={"a.vx": 0.6, "a.wy": 3.0, "a.wx": 1.0}
    )
    assert run.status == "completed" and run["contact.count"].max() > 1
    assert run["contact.deepest"].min() > -4e-3
    assert run.energy.residual.max() < 1e-4 * run.energy.peak


def test_cone_lies_on_its_line():
    """It rests on two points; of a solid cone the one at the base carries 3/4 h cos / slant of the weight."""
    r, h, m = 0.2, 0.4, 1.0
    half_angle, slant = np.arctan2(r, h), np.hypot(r, h)
    inertia = m * np.array([0.0375 * (4 * r**2 + h**2), 0.0375 * (4 * r**2 + h**2), 0.3 * r**2])
    cone = da.Body("s", m, com=(0.0, 0.0, -h / 4), inertia=np.diag(inertia), geometry=da.Cone(r, h))
    machine = yard(cone, None, friction=0.9)
    turn = (np.pi / 2 + half_angle) / 2  # the tip is along x
    start = {"a.z": 0.5 * h * np.sin(half_angle)} | dict(
        zip(machine.q_names[3:7], (np.cos(turn), 0.0, np.sin(turn), 0.0), strict=True)
    )
    run = stepped(machine, 0.3, start, record=0.1)
    assert np.abs(run.x[-1, :3] - run.x[0, :3]).max() < 1e-9
    forces = sorted(c["force"][0] for c in run.metadata["contacts"])
    assert len(forces) == 2
    assert forces[1] == pytest.approx(m * G * 0.75 * h * np.cos(half_angle) / slant, rel=1e-6)
    assert sum(forces) == pytest.approx(m * G, rel=1e-9)


def test_files_refusals_and_pictures(tmp_path):
    """Both are kept in files; terrain that moves, ragged heights and contacts of tapes are refused by name."""
    machine = yard(SOLIDS["cone"], da.HeightField([[0.0, 0.1, 0.2], [0.0, 0.3, 0.1]], (2.0, 3.0)))
    machine.to_yaml(tmp_path / "yard.yaml")
    assert da.load_machine(tmp_path / "yard.yaml") == machine
    with pytest.raises(da.MachineError, match="rows of numbers, all of one length"):
        da.HeightField([[0.0, 0.1], [0.2]], (1.0, 1.0))
    with pytest.raises(da.MachineError, match="at least two rows and columns"):
        da.HeightField([[0.0, 0.1]], (1.0, 1.0))
    with pytest.raises(da.MachineError, match="size of a height field must be two positive lengths"):
        da.HeightField([[0.0, 0.1], [0.2, 0.3]], (1.0, 0.0))
    loose = machine.with_(
        bodies=[SOLIDS["cone"], da.Body("hills", 1.0, inertia=np.eye(3), geometry=machine.bodies[1].geometry)],
        joints=[machine.joints[0], da.Joint("hills", "free", "world", "hills")],
    )
    with pytest.raises(da.MachineError, match="'hills' of machine 'yard' has a height field and moves"):
        stepped(loose, 0.1, {"a.z": 3.0})
    with pytest.raises(da.MachineError, match="has a cone for collision: contacts support"):
        da.geometry_contacts(machine, "s")
    mesh = triangles_of(machine.bodies[1].geometry[0].solid)
    corners = mesh.vertices[mesh.faces]
    assert (np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] > 0.0).all()
    with pytest.warns(da.DalembertWarning, match="a height field"):
        da.to_mjcf(machine)
