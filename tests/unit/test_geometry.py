"""Geometry of bodies: shapes, machine files, URDF, meshes, refusals."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.core.parameter import nominal
from dalembert.model.meshes import load_mesh

R = da.Parameter("r", 0.1)
TETRAHEDRON = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def machine(*bodies: da.Body) -> da.Machine:
    joints = [da.Joint(f"q{k}", "free", "world", body.name) for k, body in enumerate(bodies)]
    return da.Machine("things", bodies=bodies, joints=joints)


EVERY_KIND = machine(
    da.Body(
        "thing",
        1.0,
        inertia=(1.0, 1.0, 1.0),
        geometry=(
            da.Geometry(da.Box((1.0, R, 0.1)), da.Transform.rpy(0.1, 0.2, 0.3, (1, 2, R)), "#4477aa"),
            da.Geometry(da.Cylinder(R, 2 * R), visual=False),
            da.Geometry(da.Capsule(0.0, 1.0), collision=False),
            da.Sphere(0.3),
            da.Mesh("/somewhere/part.stl", (0.001, 0.001, -0.001)),
            da.Mesh("package://maker/part.obj"),
        ),
    ),
    da.box("brick", 1.0, (0.1, 0.2, 0.3), com=(0, 0, 1)),
)


def write_stl(path: Path, vertices: Any = TETRAHEDRON, faces: Any = FACES) -> Path:
    records = b"".join(struct.pack("<12fH", 0, 0, 0, *vertices[face].ravel(), 0) for face in faces)
    path.write_bytes(b"binary".ljust(80) + struct.pack("<I", len(faces)) + records)
    return path


def area_and_volume(vertices: Any, faces: Any) -> tuple[float, float]:
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2), float(np.sum(a * np.cross(b, c)) / 6)


def test_shapes_fill_the_geometry() -> None:
    l = da.Parameter("l", 2.0)
    for body, solid in (
        (da.box("b", 1.0, (1.0, l, 3.0), com=(l, 0, 0)), da.Box((1.0, l, 3.0))),
        (da.cylinder("b", 1.0, 0.5, l, axis="y", com=(l, 0, 0)), da.Cylinder(0.5, l)),
        (da.hollow_cylinder("b", 1.0, 0.5, 0.4, l, com=(l, 0, 0)), da.Cylinder(0.5, l)),
        (da.rod("b", 1.0, l, axis="z", com=(l, 0, 0)), da.Capsule(0.0, l)),
        (da.sphere("b", 1.0, l, com=(l, 0, 0)), da.Sphere(l)),
    ):
        (part,) = body.geometry
        assert part.solid == solid
        assert part.origin.translation == (l, 0.0, 0.0)
    assert da.point_mass("b", 1.0).geometry == ()


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_round_shapes_lie_along_their_axis(axis: str) -> None:
    (part,) = da.cylinder("b", 1.0, 0.1, 1.0, axis=axis).geometry
    z = [nominal(row[2]) for row in part.origin.rotation]
    assert z == [float(axis == letter) for letter in "xyz"]
    # The slender axis is the one of least inertia.
    body = da.cylinder("b", 1.0, 0.1, 1.0, axis=axis)
    assert int(np.argmin([nominal(body.inertia[k][k]) for k in range(3)])) == "xyz".index(axis)


def test_machine_file_and_back() -> None:
    assert da.load_machine(EVERY_KIND.to_yaml()) == EVERY_KIND


def test_parameters_of_geometry_come_last() -> None:
    m, r = da.Parameter("m", 1.0), da.Parameter("r", 0.1)
    first = da.Body("a", 1.0, inertia=(1, 1, 1), geometry=[da.Sphere(r)])
    second = da.Body("b", m, inertia=(1, 1, 1))
    assert [p.name for p in machine(first, second).parameters] == ["m", "r"]
    with pytest.raises(da.InputError, match=r"the radius of the sphere of body 'a' must be > 0.*parameter 'r'"):
        da.equations(machine(first, second), backend="vm").mass_matrix(machine(first, second).q_neutral, p={"r": -1.0})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: da.Box((1, 0, 1)), "the width of a box must be > 0, got 0"),
        (lambda: da.Cylinder(1, -1), "the length of a cylinder must be > 0"),
        (lambda: da.Capsule(-1, 1), "the radius of a capsule must be >= 0"),
        (lambda: da.Sphere(float("nan")), "the radius of a sphere must be finite"),
        (lambda: da.Mesh(""), "must be a path"),
        (lambda: da.Mesh("a.stl", (1, 0, 1)), "scale of mesh 'a.stl' must not be zero"),
        (lambda: da.Geometry("box"), "needs a Box, Cylinder, Capsule, Cone, Sphere, Mesh or HeightField, got 'box'"),
        (lambda: da.Geometry(da.Sphere(1), "above"), "the origin of a geometry must be a Transform"),
        (lambda: da.Geometry(da.Sphere(1), colour="blue"), "such as '#4477aa', got 'blue'"),
        (lambda: da.Geometry(da.Sphere(1), visual=1), "'visual' of a geometry must be true or false, got 1"),
        (lambda: da.Geometry(da.Sphere(1), visual=False, collision=False), "has no effect"),
        (lambda: da.Body("b", geometry=3), "geometry of body 'b' must be a list of Geometry, got 3"),
        (lambda: da.Body("b", geometry=["box"]), "got the element 'box'"),
    ],
)
def test_refusals(make: Any, message: str) -> None:
    with pytest.raises(da.MachineError, match=message):
        make()


HEAD = "name: m\njoints:\n  q: {kind: free, parent: world, child: b}\nbodies:\n  b:\n"


@pytest.mark.parametrize(
    ("geometry", "message"),
    [
        ("[{box: {size: [1, 1, 1]}, sphere: {radius: 1}}]", ":9: body 'b': a .* takes one of .* got box and sphere"),
        ("[{colour: '#000000'}]", ":9: body 'b': a geometry takes one of box, .* got none"),
        ("[{box: {size: [1, -1, 1]}}]", ":9: body 'b': the width of a box must be > 0, got -1"),
        ("[{cone: {}}]", "cone"),
        ("[{sphere: {radius: r}}]", "no parameter named 'r'"),
    ],
)
def test_refusals_in_machine_files(geometry: str, message: str) -> None:
    with pytest.raises(da.FileFormatError, match=message):
        da.load_machine(f"{HEAD}    mass: 1\n    inertia: [1, 1, 1]\n    geometry:\n      {geometry}\n")


def test_shape_of_a_file_keeps_or_replaces_its_geometry(tmp_path: Path) -> None:
    text = f"{HEAD}    sphere: {{mass: 1, radius: 2}}\n"
    assert da.load_machine(text).body("b").geometry == (da.Geometry(da.Sphere(2.0)),)
    file = tmp_path / "m.yaml"
    file.write_text(text + "    geometry: [{mesh: {file: parts/b.stl}}]\n")
    (part,) = da.load_machine(file).body("b").geometry
    assert part.solid == da.Mesh(str(tmp_path / "parts" / "b.stl"))
    with pytest.raises(da.FileFormatError, match="takes no geometry"):
        beam = "{length: 1, section: {outer: 0.1}, E: 1.0, density: 1.0}"
        da.load_machine(text.replace("sphere: {mass: 1, radius: 2}", f"beam: {beam}") + "    geometry: []\n")


ROBOT = """<robot name="r">
  <material name="steel"><color rgba="0.2 0.4 1 1"/></material>
  <link name="base">
    <visual><geometry><box size="1 2 3"/></geometry></visual>
    <collision><geometry><box size="1 2 3"/></geometry></collision>
  </link>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><origin xyz="0 0 0.5" rpy="0 1.5 0"/><geometry><mesh filename="{file}" scale="2 2 2"/></geometry>
      <material name="steel"/></visual>
    <visual><geometry><sphere radius="0"/></geometry></visual>
    <collision><geometry><cylinder radius="0.1" length="1"/></geometry></collision>
    <collision><geometry><cone/></geometry></collision>
  </link>
  <joint name="q" type="continuous"><parent link="base"/><child link="arm"/></joint>
</robot>"""


def test_urdf(tmp_path: Path) -> None:
    folder = tmp_path / "maker" / "urdf"
    folder.mkdir(parents=True)
    part = write_stl(tmp_path / "maker" / "part.stl")
    named = {"package://maker/part.stl": part, "../part.stl": part, "package://other/part.stl": None}
    for name, expected in named.items():
        (folder / "r.urdf").write_text(ROBOT.format(file=name))
        with pytest.warns(da.DalembertWarning) as found:
            robot = da.load_urdf(folder / "r.urdf")
        said = [str(w.message) for w in found]
        assert ["radius of a sphere" in said[0], "<cone>" in said[1], len(said)] == [True, True, 2]
        assert all("the shape is left out" in text for text in said)
        assert robot.body("base").geometry == (da.Geometry(da.Box((1.0, 2.0, 3.0))),)
        seen, touched = robot.body("arm").geometry
        assert seen.solid == da.Mesh(name if expected is None else str(expected), (2.0, 2.0, 2.0))
        assert (seen.colour, seen.visual, seen.collision) == ("#3366ff", True, False)
        assert seen.origin == da.Transform.rpy(0, 1.5, 0, (0, 0, 0.5))
        assert (touched.solid, touched.visual, touched.collision) == (da.Cylinder(0.1, 1.0), False, True)
        assert da.load_machine(robot.to_yaml()) == robot
    with pytest.warns(da.DalembertWarning):
        robot = da.load_urdf(folder / "r.urdf", packages={"other": tmp_path / "maker"})
    assert robot.body("arm").geometry[0].solid.file == str(part)
    assert da.load_urdf(folder / "r.urdf", geometry=False).body("arm").geometry == ()
    with pytest.raises(da.InputError, match="packages must map"):
        da.load_urdf(folder / "r.urdf", packages=["other"])


def test_meshes(tmp_path: Path) -> None:
    corners = [" ".join(map(str, v)) for v in TETRAHEDRON]
    facets = "".join(
        "facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {corners[k]}\n" for k in face) + "endloop\nendfacet\n"
        for face in FACES
    )
    (tmp_path / "text.stl").write_text(f"solid a\n{facets}endsolid\n")
    lines = [*(f"v {c}" for c in corners), *(f"f {' '.join(f'{k + 1}//1' for k in face)}" for face in FACES)]
    (tmp_path / "part.obj").write_text("\n".join(["# a comment", *lines]))
    write_stl(tmp_path / "part.STL")
    for name in ("text.stl", "part.obj", "part.STL"):
        mesh = load_mesh(tmp_path / name)
        assert mesh.vertices.shape == (4, 3)
        area, volume = area_and_volume(mesh.vertices, mesh.faces)
        assert volume == pytest.approx(1 / 6, rel=1e-12)
        assert area == pytest.approx(1.5 + np.sqrt(3) / 2, rel=1e-12)


def test_square_of_an_obj_file_becomes_two_triangles(tmp_path: Path) -> None:
    (tmp_path / "square.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4 -3 -2 -1\n")
    mesh = load_mesh(tmp_path / "square.obj")
    assert area_and_volume(mesh.vertices, mesh.faces)[0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.stl", None, "no such file"),
        ("cut.stl", b"\0" * 90, "is not a mesh of the format .stl"),
        ("empty.stl", b"solid a\nendsolid a\n", "holds no triangles"),
        ("bad.obj", b"v 0 0 0\nf 1 2 3\n", "a face refers to a corner that does not exist"),
        ("word.obj", b"v 0 zero 0\n", "is not a mesh of the format .obj"),
        ("nan.obj", b"v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n", "no triangles with finite corners"),
        ("part.dae", b"<COLLADA/>", "trimesh"),
    ],
)
def test_files_that_are_no_meshes(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(da.FileFormatError, match=message):
        load_mesh(tmp_path / name)
    with pytest.raises(da.FileFormatError, match="the package of this mesh was not found"):
        load_mesh("package://maker/part.stl")
