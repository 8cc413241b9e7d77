"""The scene of a machine: one kernel whose points and poses are those of the equations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.core.parameter import evaluate, nominal
from dalembert.systems import load_system
from dalembert.systems.cranes import crane_coordinates, planar_crane, uniform_cable
from dalembert.view.baked import exaggerated, interpolated, sagging
from dalembert.view.scene import bake_run
from dalembert.view.scene_builder import build_scene
from dalembert.view.solids import coarse, faces_of
from support.flexible_machines import random_flexible_machine, random_flexible_state
from support.random_machines import random_machine

CUBE = da.Box((0.2, 0.3, 0.4))


def length_of(way: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.diff(way, axis=-2), axis=-1).sum(axis=-1)


# -- poses ----------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_points_and_poses_are_those_of_the_equations(seed: int) -> None:
    machine = random_machine(seed, joints=6, parameters=True, couplings=1)
    bodies = [da.Body(b.name, b.mass, b.com, b.inertia, geometry=[CUBE]) for b in machine.bodies]
    frame = da.Frame("eye", bodies[-1].name, da.Transform.rpy(0.3, -0.2, 1.0, (0.1, 0.2, 0.3)))
    machine = machine.with_(bodies=bodies, frames=[frame])
    eom, scene = da.equations(machine, backend="vm"), build_scene(machine)
    rng = np.random.default_rng(seed)
    q = np.array([eom.random_configuration(rng) for _ in range(3)])
    values = {x.name: x.value * 1.1 for x in machine.parameters}
    for p in (None, values):
        baked = scene.bake(q, p=p)
        for part in scene.solids:
            assert np.allclose(baked.poses[:, part.pose], eom.pose(part.body, q, p=p)[:, :3], atol=1e-12)
        for body in machine.bodies:
            com = [evaluate(x, p or {y.name: y.value for y in machine.parameters}) for x in body.com]
            expected = eom.pose(body.name, q, p=p) @ np.array([*com, 1.0])
            assert np.allclose(baked.points[:, scene.index(body.name)], expected[:, :3], atol=1e-12)
        assert np.allclose(baked.poses[:, scene.frames[0].pose], eom.pose("eye", q, p=p)[:, :3], atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_beams_end_at_their_tips(seed: int) -> None:
    machine = random_flexible_machine(seed)
    eom, scene = da.equations(machine, backend="vm"), build_scene(machine)
    q = np.array([random_flexible_state(eom, k)[0] for k in range(3)])
    baked = scene.bake(q)
    assert scene.beams
    for part in scene.beams:
        drawn = baked.points[:, list(part.points)]
        assert np.allclose(drawn[:, -1], eom.pose(f"{part.name}.tip", q)[:, :3, 3], atol=1e-12)
        assert np.allclose(drawn[:, 0], eom.pose(part.name, q)[:, :3, 3], atol=1e-12)
        station = baked.points[:, scene.index(f"{part.name}.middle")]
        assert np.allclose(station, eom.pose(f"{part.name}.middle", q)[:, :3, 3], atol=1e-12)


def test_exaggeration_scales_the_elastic_displacement_and_nothing_else() -> None:
    machine = load_system("planar-flexible-arm")
    scene, eom = build_scene(machine), da.equations(machine, backend="vm")
    q = np.array([[0.4, 0.01, 0.002, -0.7, 0.02, -0.001]])
    rigid = q * [1, 0, 0, 1, 0, 0]
    at = {k: scene.bake(q, exaggerate=k) for k in (0.0, 1.0, 5.0)}
    undeformed = eom.pose("payload", rigid)[:, :3, 3]
    tip = scene.index("payload")
    assert np.allclose(at[0.0].points[:, tip], undeformed, atol=1e-14)
    assert np.allclose(at[1.0].points[:, tip], eom.pose("payload", q)[:, :3, 3], atol=1e-14)
    assert np.allclose(at[5.0].points - at[0.0].points, 5 * (at[1.0].points - at[0.0].points), atol=1e-13)
    for wrong in (-1.0, float("nan"), "much"):
        with pytest.raises(da.InputError, match="exaggerate must be a finite number >= 0"):
            scene.bake(q, exaggerate=wrong)  # type: ignore[arg-type]


def test_exaggerated_rotations_turn_as_many_times_as_far() -> None:
    small, large = (np.array(da.Transform.about((1, 2, -2), a).rotation, dtype=float) for a in (0.1, 0.7))
    start = np.array(da.Transform.rpy(0.3, 0.5, -1.0).rotation, dtype=float)
    poses = [np.concatenate([R, np.zeros((3, 1))], axis=1)[None, None] for R in (small @ start, start)]
    points = np.zeros((1, 1, 3))
    _, turned = exaggerated((points, poses[0]), (points, poses[1]), 7.0)
    assert np.allclose(turned[0, 0, :, :3], large @ start, atol=1e-13)


def test_every_formulation_moves_the_same_scene() -> None:
    joint, size = da.Joint("turn", "spherical", "world", "top"), (0.2, 0.3, 0.1)
    top = da.Machine("top", bodies=[da.box("top", 1.0, size, com=(0, 0, 0.4))], joints=[joint])
    start = {"v0": {"turn.wx": 3.0, "turn.wz": 8.0}, "duration": 0.2, "backend": "vm", "step": 2e-3}
    scene = build_scene(top)
    runs = [da.simulate(top, by=by, **start) for by in ("newton-euler", "lagrange", "natural")]
    first, *others = (bake_run(scene, run, np.linspace(0.0, 0.2, 9)) for run in runs)
    for other in others:
        assert np.allclose(other.poses, first.poses, atol=1e-5)  # linear between rows of 2 ms at 8 rad/s
    crane = planar_crane(uniform_cable(2, 4.0, payload=5.0, mass=1.0))
    eom = da.equations(crane, coordinates=crane_coordinates(crane, "alpha"), backend="vm")
    runs = [da.simulate(machine, duration=0.5, q0={"theta1": 0.3}, step=5e-3) for machine in (eom, crane)]
    points = [bake_run(build_scene(crane), run).points for run in runs]
    assert np.allclose(points[0], points[1], atol=1e-9)


def test_attitudes_between_rows_do_not_care_about_signs() -> None:
    half = np.array([0.1, 0.2, 0.3])
    Q = np.column_stack([np.cos(half), np.sin(half), 0 * half, 0 * half])
    rows, t = np.arange(3.0), np.array([0.5, 1.5])
    plain = interpolated(t, rows, Q, [0])
    flipped = interpolated(t, rows, Q * [[1], [-1], [1]], [0])
    assert np.allclose(plain, flipped, atol=1e-15)
    assert np.allclose(np.linalg.norm(plain, axis=1), 1.0, atol=1e-15)


# -- cables ----------------------------------------------------------------


def test_cable_over_a_pulley_is_as_long_as_its_signal() -> None:
    robot = load_system("pulley-robot")
    q0, v0 = {"platform.y": 0.25, "platform.z": 0.37}, {"platform.vx": 0.08, "platform.vy": 0.16}
    run = da.simulate(robot, duration=0.05, q0=q0, v0=v0, step=5e-3, backend="vm")
    scene = build_scene(robot)
    baked = bake_run(scene, run)
    for part, wheel in zip(scene.cables, scene.pulleys, strict=True):
        way = baked.cables[part.name]
        n = len(part.points) - 2
        chords = length_of(way[:, : n + 1])
        arc = wheel.radius * 2 * n * np.arcsin(chords / (2 * n * wheel.radius))
        assert arc + length_of(way[:, n:]) == pytest.approx(run[f"length.{part.name}"], rel=1e-12)
        centre = baked.poses[:, wheel.pose, :, 3]
        distance = np.linalg.norm(way[:, : n + 1] - centre[:, None], axis=-1)
        assert np.allclose(distance, wheel.radius, atol=1e-12)
        leaves = np.einsum("ni,ni->n", way[:, n] - centre, way[:, -1] - way[:, n])
        assert np.allclose(leaves, 0.0, atol=1e-12)  # along the tangent


def test_slack_cable_hangs_as_long_as_it_is() -> None:
    bodies = [da.point_mass("bob", 1.0)]
    joints = [da.Joint("z", "prismatic", "world", "bob", axis=(0, 0, 1))]
    cable = da.Cable("rope", "bob", exit_at=(0.5, 0, 1.0), length=2.0)
    machine = da.Machine("m", bodies=bodies, joints=joints, cables=[cable])
    baked = build_scene(machine).bake([[0.5], [0.0], [1.0 - np.sqrt(3.75)]])
    assert length_of(baked.cables["rope"]) == pytest.approx([2.0, 2.0, 2.0], rel=1e-9)
    lowest = baked.cables["rope"][:, :, 2].min(axis=1)
    assert lowest[0] < 0.2
    assert lowest[2] == pytest.approx(1.0 - np.sqrt(3.75))  # taut: the bob


def test_run_tells_how_long_a_cable_is() -> None:
    robot = load_system("joining-robot")
    run = da.simulate(robot, duration=0.05, q0={"platform.z": 1.5}, step=5e-3, backend="vm")
    scene = build_scene(robot)
    baked = bake_run(scene, run)
    for name, way in baked.cables.items():
        paid_out = run[f"length0.{name}"] + 0.03 * run[f"winch{name[-1]}"]
        assert length_of(way) == pytest.approx(np.maximum(paid_out, run[f"length.{name}"]), rel=1e-9)


def test_moving_exit_of_a_cable_follows_the_time() -> None:
    robot = load_system("overturning-robot")
    q = np.array([robot.q_neutral, robot.q_neutral])
    way = build_scene(robot).bake(q, [0.0, 10.0]).cables["cable3"]
    assert np.allclose(way[:, 0], [[0.82, 1.0, 1.15], [-0.68, 1.0, 1.3]], atol=1e-12)


def test_sag_without_gravity_and_between_points_above_each_other() -> None:
    ends = np.array([[[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]])
    for gravity in (np.zeros(3), np.array([0.0, 0.0, -9.81])):
        way = sagging(ends, np.array([0.5, 0.2]), gravity, (0,))
        assert length_of(way) == pytest.approx([1.5, 1.2], rel=1e-12)
        assert np.allclose(way[:, [0, -1]], ends)


# -- solids ----------------------------------------------------------------


def inertia_of(vertices: np.ndarray, faces: np.ndarray) -> tuple[float, np.ndarray]:
    """Volume and inertia (density 1) about the origin of what the faces enclose, by tetrahedra from the origin."""
    fans = [faces[:, [0, k, k + 1]] for k in range(1, faces.shape[1] - 1)]
    corners = vertices[np.concatenate(fans)]
    volumes = np.linalg.det(corners) / 6
    total = corners.sum(axis=1)
    second = np.einsum("n,nki,nkj->ij", volumes, corners, corners) + np.einsum("n,ni,nj->ij", volumes, total, total)
    return float(volumes.sum()), (np.trace(second) * np.eye(3) - second) / 20


@pytest.mark.parametrize(
    ("body", "tolerance"),
    [
        (da.box("b", 2.0, (0.3, 0.5, 0.7)), 1e-12),
        (da.cylinder("b", 2.0, 0.3, 0.7, axis="x"), 1e-3),  # a polygon of 200 corners is smaller than its circle
        (da.cylinder("b", 2.0, 0.3, 0.7, axis="y"), 1e-3),
        (da.sphere("b", 2.0, 0.3), 1e-3),
    ],
)
def test_what_is_drawn_has_the_inertia_of_the_body(body: da.Body, tolerance: float) -> None:
    (part,) = body.geometry
    vertices, faces = faces_of(part.solid, corners=200)
    R = np.array([[nominal(x) for x in row] for row in part.origin.rotation])
    volume, inertia = inertia_of(vertices @ R.T, faces)
    expected = np.array([[nominal(x) for x in row] for row in body.inertia])
    assert volume > 0  # the faces look outwards
    assert np.allclose(inertia * 2.0 / volume, expected, rtol=tolerance, atol=tolerance * expected.max())


def test_capsule_is_a_cylinder_with_half_spheres() -> None:
    volume, _ = inertia_of(*faces_of(da.Capsule(0.2, 0.5), corners=200))
    assert volume == pytest.approx(np.pi * 0.2**2 * 0.5 + 4 / 3 * np.pi * 0.2**3, rel=1e-3)
    vertices, faces = faces_of(da.Capsule(0.0, 0.5))
    assert vertices.tolist() == [[0, 0, -0.25], [0, 0, 0.25]]
    assert len(faces) == 0


def test_coarse_mesh_keeps_its_shape() -> None:
    from dalembert.model.meshes import TriangleMesh

    vertices, faces = faces_of(da.Sphere(1.0), corners=60)
    triangles = np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])
    small = coarse(TriangleMesh(vertices, triangles), 400)
    assert len(small.faces) <= 400
    assert np.all(np.abs(np.linalg.norm(small.vertices, axis=1) - 1) < 0.1)
    assert coarse(small, 400) is small


# -- what is drawn of a body ----------------------------------------------------------------


def test_links_reach_what_they_carry() -> None:
    """A body without geometry ends where its child joint and its frame are, not at its centre of mass."""
    bodies = [da.Body("a", 1.0, (0.1, 0, 0), (0, 1, 1)), da.Body("b", 1.0, (0.2, 0.1, 0), (1, 1, 1))]
    joints = [
        da.Joint("q1", "revolute", "world", "a"),
        da.Joint("q2", "revolute", "a", "b", da.Transform((1.0, 0, 0))),
    ]
    machine = da.Machine("m", bodies=bodies, joints=joints, frames=[da.Frame("tool", "b", da.Transform((0.5, 0, 0)))])
    scene = build_scene(machine)
    points = scene.bake(np.zeros((1, 2))).points[0]
    ends = {(link.name, *points[link.ends[1]].round(12)) for link in scene.links}
    assert ends == {("a", 1.0, 0.0, 0.0), ("b", 1.5, 0.0, 0.0), ("b", 1.2, 0.1, 0.0)}
    assert {ball.body for ball in scene.balls} == {"a", "b"}
    assert {joint.name: joint.grounded for joint in scene.joints} == {"q1": True, "q2": False}


def test_carriage_has_a_rail_and_a_hoist_has_none() -> None:
    crane = planar_crane(uniform_cable(1, 4.0, payload=5.0), lengths="hoisted")
    scene = build_scene(crane)
    assert [rail.joint for rail in scene.rails] == ["x"]
    assert [link.name for link in scene.links if link.kind == "slide"] == ["l1"]


def test_missing_mesh_is_replaced_by_what_there_is(tmp_path: Path) -> None:
    def scene(*geometry: Any) -> Any:
        body = da.Body("part", 1.0, inertia=(1, 1, 1), geometry=geometry)
        return build_scene(da.Machine("m", bodies=[body], joints=[da.Joint("q", "free", "world", "part")]))

    mesh = da.Geometry(da.Mesh(str(tmp_path / "none.stl")), collision=False)
    touched = da.Geometry(da.Sphere(0.2), visual=False)
    assert [part.solid for part in scene(mesh, touched).solids] == [da.Sphere(0.2)]
    with pytest.warns(da.DalembertWarning, match=r"body 'part' is drawn without its mesh: .*none\.stl: no such file"):
        alone = scene(mesh)
    assert alone.solids == ()
    assert len(alone.balls) == 1


def test_refusals() -> None:
    with pytest.raises(da.InputError, match="a scene needs a Machine, got str"):
        build_scene("crane")  # type: ignore[arg-type]
    crane = planar_crane(uniform_cable(2, 4.0, payload=5.0, mass=1.0))
    other = planar_crane(uniform_cable(3, 4.0, payload=5.0, mass=1.0))
    run = da.simulate(crane, duration=0.01, backend="vm")
    with pytest.raises(da.InputError, match="no signal 'theta3'"):
        bake_run(build_scene(other), run)
    with pytest.raises(da.InputError, match=r"must have the shape \(n, 3\)"):
        build_scene(crane).bake(np.zeros(4))
    with pytest.raises(da.UnknownNameError, match="no point named 'hook'"):
        build_scene(crane).index("hook")
