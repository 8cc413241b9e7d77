"""Integrals of beams, friction of joints, solids, meshes, drums and gears, one by one: sums and closed forms."""

from __future__ import annotations

import re
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest
import scipy.sparse as sp

import dalembert as da
from dalembert.core.errors import FileFormatError, InputError, MachineError
from dalembert.model.axis_segments import axis_segments
from dalembert.model.beam_integrals import BeamIntegrals, mode_matrices, quadrature, stretched_integrals
from dalembert.model.elastic import solids
from dalembert.model.elastic.mesh_checks import check_model, rigid_motions
from dalembert.model.elastic.stiffening import SecondOrder, StiffeningIntegrals
from dalembert.model.friction import JointFriction
from dalembert.model.meshes import load_mesh
from dalembert.model.orbit import Orbit
from dalembert.model.signals import FUNCTIONS, read_text


def _beam(**fields: Any) -> da.Beam:
    steps = ((0.5, da.Section(2e-3, 2e-6, 3e-6, I_yz=0.7e-6, torsion=4e-6)), (0.4, da.Section(1e-3, 1e-6, 1.4e-6)))
    given: dict[str, Any] = {
        "E": 3e6, "G": 1e6, "density": 1100.0, "modes": {"x": 1, "y": 2, "z": 1, "torsion": 1},
        "offset": (0.1, -0.2, 0.3), "damping": 0.03, "load": da.Load(2.0, (0.1, 0.4, 0.5), 0.3),
    }  # fmt: skip
    return da.Beam("b", 0.9, steps, **(given | fields))


def _summed(beam: da.Beam, h: float = 1.0) -> dict[str, Any]:
    """Sums over four points of mass in each section, which have its area and second moments; ``h`` times as long."""
    k = beam.n_modes
    total: dict[str, Any] = {
        "volume": 0.0, "first": np.zeros(3), "second": np.zeros((3, 3)), "V": np.zeros((3, k)),
        "n": np.zeros((3, 3, k)), "B": np.zeros((3, 3, k, k)), "K_E": np.zeros((k, k)), "K_G": np.zeros((k, k)),
    }  # fmt: skip
    for s, weight in zip(*quadrature(beam), strict=True):
        w = h * weight
        section = next(x for _, end, x in beam.pieces if s <= end)
        Phi, Delta = mode_matrices(beam, s)
        slope, curve = mode_matrices(beam, s, 1)
        root = np.linalg.cholesky([[section.I_z, section.I_yz], [section.I_yz, section.I_y]] / np.float64(section.area))
        for y, z in np.sqrt(2.0) * np.hstack([root, -root]).T:
            m = w * section.area / 4.0
            r = np.array([0.0, y, z]) * bool(beam.rotary_inertia)
            X = h * Phi + (np.cross(Delta, r, axisa=0).T if beam.sections_turn else 0.0)
            x = np.array(beam.offset) + [h * s, 0.0, 0.0] + r
            total["volume"] += m
            total["first"] += m * x
            total["second"] += m * np.outer(x, x)
            total["V"] += m * X
            total["n"] += m * np.einsum("b,cj->bcj", x, X)
            total["B"] += m * np.einsum("bi,cj->bcij", X, X)
            strain = slope[0] - y * curve[2] / h + z * curve[1] / h  # Delta is (.., -w', v')
            total["K_E"] += m * np.outer(strain, strain)
        total["K_G"] += w / h**2 * (section.torsion or 0.0) * np.outer(curve[0], curve[0])
    return total


@pytest.mark.parametrize("rotary", [True, False])
def test_integrals_of_a_beam_are_sums_over_its_points(rotary: bool) -> None:
    modes: dict[str, Any] = {"modes": {"x": 1, "y": 2, "z": 1}} if not rotary else {}
    beam = _beam(rotary_inertia=rotary, **modes)
    found, expected = BeamIntegrals.of(beam), _summed(beam)
    values = {"first": found.first, "second": found.second, "V": found.V, "n": found.n, "B": found.B,
              "K_E": found.K_E, "K_G": found.K_G}  # fmt: skip
    for name, value in values.items():
        scale = np.abs(expected[name]).max()
        np.testing.assert_allclose(value, expected[name], atol=1e-12 * max(scale, 1e-9), rtol=1e-9, err_msg=name)
    K = 3e6 * np.diag(found.K_E) + 1e6 * np.diag(found.K_G)
    np.testing.assert_allclose(found.damping, 2.0 * K / beam.omega, rtol=1e-9)
    points, weights = quadrature(beam)
    for j, mode in enumerate(beam.basis):
        area = np.array(
            [
                next((x.I_p or 0.0) if mode.direction == "torsion" else x.area for _, end, x in beam.pieces if s <= end)
                for s in points
            ]
        )
        assert found.modal_mass[j] == pytest.approx(weights @ (area * mode.shape(points) ** 2), rel=1e-12)
        u, turn = float(mode.shape(0.9)), float(mode.shape(0.9, 1))
        load = {"x": 2.0 * u**2, "torsion": 0.1 * u**2, "y": 2.0 * u**2 + 0.6 * u * turn + 0.5 * turn**2,
                "z": 2.0 * u**2 + 0.6 * u * turn + 0.4 * turn**2}  # fmt: skip
        assert found.carried[j] == pytest.approx(load[mode.direction], rel=1e-9)
        rigidity = 1100.0 * found.modal_mass[j] + found.carried[j]
        assert K[j] + found.held[j] == pytest.approx(beam.omega[j] ** 2 * rigidity, rel=1e-6), mode.direction


def test_integrals_of_given_shapes() -> None:
    """Shapes without a frequency are damped by their Rayleigh quotient on the beam alone."""
    shapes = (da.Shape.polynomial(0.9, [0, 0, 1.0, -0.3]), da.Shape.polynomial(0.9, [0, 0, 0, 1.0]))
    beam = _beam(modes={"y": shapes})
    found = BeamIntegrals.of(beam)
    mass = np.einsum("bbii->i", found.B)
    np.testing.assert_allclose(found.modal_mass, mass, rtol=1e-12)
    K = 3e6 * np.diag(found.K_E)
    np.testing.assert_allclose(found.damping, 2.0 * K / np.sqrt(K / (1100.0 * mass)), rtol=1e-10)
    assert not found.carried.any() and not found.held.any()


@pytest.mark.parametrize("h", [1.0, 1.3, 0.6])
def test_integrals_of_a_beam_that_is_pulled_out(h: float) -> None:
    """Parts by powers of the length add up to the sums over a beam that is ``h`` times as long."""
    beam = _beam(load=None)
    parts, expected = stretched_integrals(beam), _summed(beam, h)
    assert list(parts) == sorted(parts)
    for name in ("first", "second", "V", "n", "B", "K_E", "K_G"):
        total = sum(h**power * getattr(part, name) for power, part in parts.items())
        scale = np.abs(expected[name]).max()
        np.testing.assert_allclose(total, expected[name], atol=1e-11 * scale, rtol=1e-9, err_msg=name)


def test_friction_of_a_joint_and_its_motors() -> None:
    """Each part acts with its own ratio: ``n f(n v)``, and holds ``|n| F_s``."""
    one = da.Friction(coulomb=3.0, static=4.0, stribeck=0.2, viscous=0.7, law="stick")
    two = da.Friction(coulomb=0.4, static=0.9, stribeck=1.5, law="stick")
    three = da.Friction(coulomb=0.3, static=0.5, stribeck=0.8, viscous=0.2, velocity=0.05, law="smooth")
    joint = JointFriction(((1.0, one), (-5.0, two), (2.5, three)))
    for v in (0.13, -0.4):
        rate = ca.DM(v)

        def level(F: Any, x: float) -> float:
            return float(F.coulomb + (F.static - F.coulomb) * np.exp(-((x / F.stribeck) ** 2)))

        assert float(ca.DM(joint.kinetic(rate, float))) == pytest.approx(level(one, v) + 5.0 * level(two, -5.0 * v))
        smooth = 0.7 * v + 2.5 * (0.2 * 2.5 * v + level(three, 2.5 * v) * np.tanh(2.5 * v / 0.05))
        assert float(ca.DM(cast(Any, joint.smooth(rate, float)))) == pytest.approx(smooth)
    assert float(ca.DM(joint.holding(float))) == pytest.approx(4.0 + 5.0 * 0.9)
    assert joint.sticks and not joint.bristles and JointFriction(((2.0, two),)).smooth(ca.DM(0.1), float) is None
    assert not JointFriction(((1.0, three),)).sticks and JointFriction((), geared=True).sticks
    flat = da.Friction(coulomb=2.0, law="stick")
    assert float(flat.holding(float)) == 2.0 and float(flat.kinetic(ca.SX(0.3), float)) == 2.0


def test_inertias_are_symmetric() -> None:
    J = np.array([[2.0, 0.3, -0.2], [0.3, 2.5, 0.1], [-0.2, 0.1, 3.0]])
    assert da.Body("b", 1.0, inertia=J * (1.0 + 1e-14 * np.tri(3, k=-1))).inertia == tuple(map(tuple, J))
    for i, j in ((0, 1), (0, 2), (1, 2)):
        for at in ((i, j), (j, i)):
            bad = J.copy()
            bad[at] *= 1.0 + 1e-9
            with pytest.raises(MachineError, match=re.escape(f"at ({i}, {j}) and {J[j, i]:g} at ({j}, {i})")):
                da.Body("b", 1.0, inertia=bad)


def test_gears_that_lose_effort() -> None:
    """Middle and half width of ``eta`` and ``1 / eta_b``; by default the same power is lost both ways."""
    for forward, back in ((0.8, 0.6), (0.9, None), (0.7, 1.0)):
        middle, half = da.Motor("m", "j", efficiency=forward, back_efficiency=back).gear
        other = 2.0 - 1.0 / forward if back is None else back
        assert float(cast(Any, middle)) == pytest.approx(0.5 * (forward + 1.0 / other))
        assert float(cast(Any, half)) == pytest.approx(0.5 * (1.0 / other - forward))
    assert da.Motor("m", "j").gear == (1.0, 0.0) and not da.Motor("m", "j").lossy
    assert da.Motor("m", "j", efficiency=0.9).lossy and da.Motor("m", "j", back_efficiency=0.9).lossy
    assert not da.Motor("m", "j", back_efficiency=1.0).lossy
    with pytest.raises(MachineError):
        da.Motor("m", "j", efficiency=0.5)
    assert da.Motor("m", "j", efficiency=0.51).lossy and da.Motor("m", "j", efficiency=0.5, back_efficiency=0.1).lossy
    for fields, words in (
        ({"efficiency": 1.01}, "must be at most 1, got 1.01"),
        ({"efficiency": 0.0}, "must be > 0"),
        ({"ratio": 0.0}, "must not be zero"),
        ({"speed": 0.0}, "must be > 0"),
        ({"rotor_inertia": -1.0}, "must be >= 0"),
    ):
        with pytest.raises(MachineError, match=words):
            da.Motor("m", "j", **cast(Any, fields))


def test_middles_of_the_edges_of_solids() -> None:
    """In the order of Abaqus and VTK: around the base, to the top or around it."""
    assert solids._EDGES[4] == ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
    base = [(k, (k + 1) % 4) for k in range(4)]
    assert list(solids._EDGES[8]) == base + [(a + 4, b + 4) for a, b in base] + [(k, k + 4) for k in range(4)]
    for k, degree in ((4, 1), (8, 1), (10, 2), (20, 2)):
        places, powers, shapes = solids._places(k), solids._powers(k), solids._shapes(k)
        assert places.shape == (k, 3) and powers.shape == (k, 3)
        rng = np.random.default_rng(k)
        at = rng.uniform(0.1, 0.3, (5, 3))
        values = np.prod(at[:, None] ** powers, axis=2) @ shapes
        np.testing.assert_allclose(values.sum(axis=1), 1.0, atol=1e-12)
        found, expected = ((0.3 + x @ [1.0, -2.0, 0.5]) ** degree for x in (places, at))
        np.testing.assert_allclose(values @ found, expected, atol=1e-12)


def _mesh(width: int = 3) -> tuple[Any, Any, Any]:
    """Matrices of random springs between random nodes, and masses at these."""
    rng = np.random.default_rng(1)
    nodes = rng.normal(size=(5, 3))
    R = rigid_motions(nodes, nodes.mean(axis=0), width)
    out = np.eye(5 * width) - R @ np.linalg.pinv(R)
    A = rng.normal(size=(5 * width, 5 * width))
    m = np.diag(rng.uniform(1.0, 2.0, 5))
    return out @ A @ A.T @ out, np.kron(m, np.eye(width)), nodes


@pytest.mark.parametrize("width", [3, 6])
def test_meshes_at_the_edge_of_what_is_accepted(width: int) -> None:
    K, M, nodes = _mesh(width)
    made = check_model("m", K, M, nodes, None)
    assert made.per_node == width and made.size == 5 * width and made.faces.shape == (0, 3)
    assert (made.scalar_mass is not None) == (width == 3)
    masses, moments = made.lumped
    np.testing.assert_allclose(masses, np.diag(M)[::width])
    assert moments.shape == (5, 3, 3)
    if width == 3:
        np.testing.assert_allclose(made.scalar_mass.toarray(), M[::3, ::3])
        apart = M.copy()
        apart[0, 0] *= 1.0 + 1e-7
        assert check_model("m", K, apart, nodes, None).scalar_mass is None
    for c in range(3):
        heavy = M.copy()
        heavy[c::width, c::width] *= 1.0 + 1e-5
        with pytest.raises(MachineError, match="has another mass along each axis"):
            check_model("m", K, heavy, nodes, None)
        heavy = M.copy()
        heavy[c::width, c::width] *= 1.0 + 1e-7
        check_model("m", K, heavy, nodes, None)
    negative = M.copy()
    negative[:3, :3] = -np.eye(3)
    held = K.copy()
    held[4, 4] += 1e-3 * np.abs(K).max()
    skew = K.copy()
    skew[0, 1] *= 1.001
    for change, words in (
        ((held, M), "resists the rigid"),
        ((skew, M), "is not symmetric"),
        ((K, negative), "negative diagonal entry"),
        ((K, -M), "expected a positive one"),
        ((0.0 * K, M), "K of flexible body 'm' is zero"),
        ((K[1:, 1:], M), "has shape"),
        ((K * np.where(np.eye(len(K)) > 0, np.nan, 1.0), M), "not finite"),
    ):
        with pytest.raises(MachineError, match=words):
            check_model("m", *cast(Any, change), nodes, None)
    np.testing.assert_array_equal(check_model("m", sp.csc_matrix(K), M, nodes, [[0, 1, 4]]).faces, [[0, 1, 4]])
    for faces in ([[0, 1, 5]], [[-1, 1, 2]]):
        with pytest.raises(MachineError, match="nodes are 0 to 4"):
            check_model("m", K, M, nodes, faces)


@pytest.mark.parametrize("at_start", [True, False])
@pytest.mark.parametrize("axis", ["y", "-y"])
def test_drums_with_layers_at_either_end(at_start: bool, axis: str) -> None:
    """The rope moves by the radius of the layer on which it lies, which grows as it coils up."""
    layers = da.DrumLayers(turns=5, rope=0.04, wound=7.2, ramp=0.7)
    drum, hook = da.Drum("theta", 0.21, axis=axis, layers=layers), da.Anchor("bob")
    machine = da.Machine(
        "hoist",
        bodies=[da.Body("drum", 1.0, inertia=(0.05, 0.09, 0.05)), da.point_mass("bob", 2.7)],
        joints=[
            da.Joint("theta", "revolute", "world", "drum", axis="y"),
            da.Joint("z", "prismatic", "world", "bob", axis="z", origin=(0.25, 0, -3.0)),
        ],
        ropes=[da.Rope("r", [drum, hook] if at_start else [hook, drum])],
    )
    eom = da.equations(machine, backend="vm")
    sense = (1 if at_start else -1) * (1 if axis == "y" else -1)  # a positive turn pays out at the start of the path
    for theta, layer in (
        (0.0, 1),
        (-sense * 2.0 * np.pi * 2.1, 1),
        (sense * 2.0 * np.pi * 3.9, 0),
        (-sense * 2.0 * np.pi * 4.9, 2),
    ):
        J = eom.constraint_jacobian([theta, 0.0])[0]
        phi = [float(eom.constraints([theta + e, 0.0])[0]) for e in (1e-6, -1e-6)]
        assert (phi[0] - phi[1]) / 2e-6 == pytest.approx(J[0], rel=1e-6)
        r = 0.21 + layer * np.sqrt(3.0) / 2.0 * 0.04
        assert abs(J[0]) == pytest.approx(r, rel=0.02), theta
    pulls = [np.sign(eom.constraint_jacobian([0.0, 0.0])[0] @ d) for d in ([sense, 0.0], [0.0, -1.0])]
    assert pulls[0] == -pulls[1]  # what one pays out the other takes


def test_paths_and_texts() -> None:
    context: Any = SimpleNamespace(value=float)
    assert float(da.Anchor("b").kappa(ca.SX(2.0), context)) == 0.0
    assert float(da.Guide("b", 0.1, "y", friction=0.3).kappa(ca.SX(2.0), context)) == pytest.approx(0.6)
    rng = np.random.default_rng(2)
    values = dict(zip("abc", rng.uniform(0.2, 0.8, 3), strict=True))
    assert {n for n, k in FUNCTIONS.items() if k == 2} == {"atan2", "hypot", "max", "min"}

    def call(name: str, x: list[float]) -> float:
        return float(getattr(np, {"acos": "arccos", "asin": "arcsin", "atan": "arctan", "atan2": "arctan2",
                                  "max": "maximum", "min": "minimum"}.get(name, name))(*x))  # fmt: skip

    for text, expected in (
        ("a - b * -c / (2 + a)", values["a"] + values["b"] * values["c"] / (2 + values["a"])),
        ("+a ** 2 * pi", values["a"] ** 2 * np.pi),
        (
            "atan2(a, b) + max(a, c) - min(b, c)",
            np.arctan2(values["a"], values["b"]) + max(values["a"], values["c"]) - min(values["b"], values["c"]),
        ),
        (
            "hypot(a, b) * sqrt(c) + abs(a - 1)",
            np.hypot(values["a"], values["b"]) * np.sqrt(values["c"]) + abs(values["a"] - 1),
        ),
    ):
        assert read_text(text, "signal 's'", values.__getitem__, call) == pytest.approx(expected, rel=1e-14)
    for text in ("sin(a, b)", "max(a)", "f(a)", "a[0]", "a if b else c", "sin(x=a)", "a // b"):
        with pytest.raises(MachineError, match="signal 's': cannot use"):
            read_text(text, "signal 's'", values.__getitem__, call)


def test_capsules_along_a_tapered_axis() -> None:
    """Their rounded ends reach as far as the axis does; each has the radius in its middle."""
    thick, thin = da.Section.tube(0.04), da.Section.tube(0.02)
    rod = da.Rod("r", 1.7, thick, tip_section=thin, E=7e10, G=3e10, density=2700.0, strains={"bending_y": 2})
    for given, count in ((da.Collider("r"), 8), (da.Collider("r", segments=3), 3), (da.Collider("r", radius=0.3), 8)):
        made = axis_segments(rod, given, "machine 'm'")
        radius = (lambda s: 0.04 - 0.02 * s / 1.7) if given.radius is None else (lambda s: 0.3)
        assert len(made) == count and {one.body.name for one in made} == {"r"}
        ends = np.linspace(radius(0.0), 1.7 - radius(1.7), count + 1)
        np.testing.assert_allclose([(x.start, x.end) for x in made], np.column_stack([ends[:-1], ends[1:]]), rtol=1e-12)
        np.testing.assert_allclose(
            [x.radius for x in made], [radius((a + b) / 2) for a, b in pairwise(ends)], rtol=1e-9
        )
    with pytest.raises(MachineError, match="a radius of less than a quarter of the length"):
        axis_segments(rod, da.Collider("r", radius=0.425), "machine 'm'")
    assert len(axis_segments(rod, da.Collider("r", radius=0.424), "machine 'm'")) == 8


def test_meshes_of_files(tmp_path: Any) -> None:
    """The same pyramid from text and numbers of STL, and from OBJ with polygons, negative indices and textures."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 0.75]])
    faces = [(0, 2, 1), (0, 3, 2), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]
    text = ["solid pyramid"]
    for face in faces:
        text += [
            "facet normal 0 0 0",
            "outer loop",
            *("vertex " + " ".join(map(str, corners[k])) for k in face),
            "endloop",
            "endfacet",
        ]
    (tmp_path / "a.stl").write_text("\n".join([*text, "endsolid"]))
    record = np.zeros(len(faces), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    record["corners"] = corners[np.array(faces)]
    (tmp_path / "b.stl").write_bytes(b"solid but binary".ljust(80) + np.uint32(len(faces)).tobytes() + record.tobytes())
    lines = ["# pyramid", *("v " + " ".join(map(str, c)) for c in corners), "vn 0 0 1", "f 1 4 3 2", "f 1/1 2/2/1 5//1"]
    (tmp_path / "c.obj").write_text("\n".join([*lines, "f -4 -3 -1", "f 3 4 5", "f 4 1 5"]))
    for name in ("a.stl", "b.stl", "c.obj"):
        mesh = load_mesh(tmp_path / name)
        assert mesh.vertices.shape == (5, 3) and mesh.faces.shape == (6, 3)
        x = mesh.vertices[mesh.faces]
        assert np.sum(x[:, 0] * np.cross(x[:, 1], x[:, 2])) / 6.0 == pytest.approx(0.25)
        found = sorted(
            tuple(map(tuple, t))
            for t in (np.roll(t, -min(range(3), key=lambda k: tuple(t[k])), axis=0).tolist() for t in x)
        )
        assert sorted({c for t in found for c in t}) == sorted(map(tuple, corners.tolist()))
    for name, content, words in (
        ("d.obj", "v 0 0 0\nf 1 2 3", "refers to a corner that does not exist"),
        ("e.obj", "v 0 0 0", "holds no triangles"),
        ("f.stl", "hollow", "neither binary of the right size"),
        ("g.obj", "v 0 0 inf\nv 1 0 0\nv 0 1 0\nf 1 2 3", "finite corners"),
    ):
        (tmp_path / name).write_text(content)
        with pytest.raises(FileFormatError, match=words):
            load_mesh(tmp_path / name)
    with pytest.raises(FileFormatError, match="the package of this mesh was not found"):
        load_mesh("package://x/y.stl")


def test_orbits_from_states() -> None:
    """Elements, the state of an orbit at time zero, and back; Kepler's laws along it."""
    rng = np.random.default_rng(3)
    for e in (0.0, 0.2, 0.7):
        orbit = Orbit(altitude=5e5, eccentricity=e, inclination=1.1, node=-0.7, perigee=0.4, anomaly=2.2)
        r, v = (np.asarray(x) for x in orbit.motion(0.0))
        back = Orbit.through(r, v)
        for name in ("altitude", "eccentricity", "inclination", "node"):
            assert getattr(back, name) == pytest.approx(getattr(orbit, name), rel=1e-8, abs=1e-10)
        turned = back.perigee + back.anomaly - orbit.perigee - orbit.anomaly
        assert np.cos(turned) == pytest.approx(1.0) and np.sin(turned) == pytest.approx(0.0, abs=1e-7)
        a, mu = orbit.semi_major_axis, 3.986004418e14
        assert orbit.mu == pytest.approx(mu, rel=1e-6) and orbit.period == pytest.approx(
            2 * np.pi * np.sqrt(a**3 / orbit.mu)
        )
        assert a * (1.0 - e) == pytest.approx(6378137.0 + 5e5, rel=1e-6)
        for t in rng.uniform(-1.0, 2.0, 4) * orbit.period:
            r1, v1 = (np.asarray(x) for x in orbit.motion(t))
            np.testing.assert_allclose(np.cross(r1, v1), np.cross(r, v), rtol=1e-9, atol=1e-3)
            assert v1 @ v1 / 2 - orbit.mu / np.linalg.norm(r1) == pytest.approx(-orbit.mu / 2 / a, rel=1e-9)
            h = 1e-2
            rate = (np.asarray(orbit.motion(t + h)[0]) - np.asarray(orbit.motion(t - h)[0])) / (2 * h)
            np.testing.assert_allclose(rate, v1, rtol=1e-6, atol=1e-3)
            cosine = orbit.axes[:, 0] @ r1 / np.linalg.norm(r1)
            assert np.linalg.norm(r1) == pytest.approx(a * (1 - e**2) / (1 + e * cosine), rel=1e-9)
    assert np.degrees(np.arccos(orbit.axes[2, 2])) == pytest.approx(np.degrees(1.1))
    for make, words in (
        (lambda: Orbit.through([7e6, 0, 0], [1.0, 0, 0]), "passes through the centre"),
        (lambda: Orbit.through([7e6, 0, 0], [0, 2e4, 0]), "exceeds the escape speed"),
        (lambda: Orbit(altitude=-7e6), "a perigee outside of the centre"),
        (lambda: Orbit(5e5, eccentricity=1.0), "eccentricity of an orbit"),
        (lambda: Orbit(5e5, mu=0.0), "needs mu > 0"),
    ):
        with pytest.raises((InputError, MachineError), match=words):
            cast(Any, make)()


def test_integrals_of_a_motion_of_second_order() -> None:
    """Sums over points at ``x_0 + X delta + sum f_a delta.C_a delta / 2`` less those without the last term."""
    rng, n, m = np.random.default_rng(7), 3, 6
    mass, places = rng.uniform(0.5, 2.0, m), rng.normal(size=(m, 3))
    f, X, C = np.column_stack([np.ones(m), places]), rng.normal(size=(m, 3, n)), rng.normal(size=(4, 3, n, n))
    C = C + C.transpose(0, 1, 3, 2)
    A = np.einsum("k,ka,kb->ab", mass, f, f)
    integrals = StiffeningIntegrals(A, np.einsum("k,ka,kci->aci", mass, f, X), C, {})
    delta, rate, w = ca.SX.sym("d", n), ca.SX.sym("r", n), ca.SX.sym("w", 3)
    made = SecondOrder(integrals, delta, lambda x: ca.DM(x))

    def bent(k: int, x: ca.SX, y: ca.SX) -> ca.SX:
        """``sum f_a x.C_a y``, by components."""
        H = np.einsum("a,acij->cij", f[k], C)
        return ca.vertcat(*[x.T @ ca.DM(H[c]) @ y for c in range(3)])

    def straight(k: int) -> ca.SX:
        return ca.DM(places[k]) + ca.DM(X[k]) @ delta

    def whole(k: int) -> ca.SX:
        return straight(k) + bent(k, delta, delta) / 2

    def total(of: Any) -> Any:
        return sum(mass[k] * (of(whole(k)) - of(straight(k))) for k in range(m))

    def modes(x: ca.SX) -> ca.SX:
        return ca.jacobian(x, delta)

    def moving(x: ca.SX, b: int, c: int) -> ca.SX:
        return (modes(x) @ rate)[b] * modes(x)[c, :].T - (modes(x) @ rate)[c] * modes(x)[b, :].T

    pairs = [(b, c) for b in range(3) for c in range(3)]
    checks = [
        (made.moved(ca.SX(3, 1)), total(lambda x: x)),
        (made.coupled(ca.SX(3, n)), total(modes)),
        *((made.N(b, c), total(lambda x, b=b, c=c: x[b] * modes(x)[c, :].T)) for b, c in pairs),
        *((made.second(b, c), total(lambda x, b=b, c=c: x[b] * x[c])) for b, c in pairs),
        (made.modal_mass, total(lambda x: modes(x).T @ modes(x))),
        (made.turning(w), total(lambda x: modes(x).T @ ca.skew(w) @ modes(x))),
        *(
            (made.swing(rate)[k], total(lambda x, b=b, c=c: moving(x, b, c)))
            for k, (b, c) in enumerate(((1, 2), (2, 0), (0, 1)))
        ),
    ]
    late = [bent(k, rate, rate) for k in range(m)]
    slopes = [ca.jacobian(bent(k, rate, rate), rate) / 2 for k in range(m)]
    force, moment, modal = made.convective(rate)
    blocks = made.convective_blocks(rate)
    checks += [
        (force, sum(mass[k] * late[k] for k in range(m))),
        (moment, sum(mass[k] * ca.cross(whole(k), late[k]) for k in range(m))),
        (modal, sum(mass[k] * modes(whole(k)).T @ late[k] for k in range(m))),
        (blocks[0], sum(mass[k] * slopes[k] for k in range(m))),
        (blocks[1], sum(mass[k] * ca.skew(whole(k)) @ slopes[k] for k in range(m))),
        (blocks[2], sum(mass[k] * modes(whole(k)).T @ slopes[k] for k in range(m))),
    ]
    at = ca.Function("at", [delta, rate, w], [ca.densify(ca.SX(x)) for pair in checks for x in pair])
    numbers = [rng.normal(size=k) for k in (n, n, 3)]
    values = at(*numbers)
    for k, (got, expected) in enumerate(zip(values[::2], values[1::2], strict=True)):
        np.testing.assert_allclose(got.full(), expected.full(), rtol=1e-10, atol=1e-9, err_msg=str(k))
    shares, d = rng.normal(size=4), numbers[0]
    field = np.einsum("a,acij,i,j->c", shares, C, d, d) / 2
    np.testing.assert_allclose(
        integrals.products(shares) @ [d[j] * d[k] for j, k in integrals.pairs], field, rtol=1e-12
    )
    u = np.einsum("acij,j->aci", C, d)
    assert integrals.size(d[None]) == pytest.approx(np.sqrt(np.einsum("ab,aci,bci->i", A, u, u).max()))


def test_names_and_directions_of_pairs() -> None:
    """Contacts of several solids are numbered; constraints and surfaces are along z unless given, orthogonal x to z."""
    ball, crate = da.Sphere(0.1), da.Box((0.2, 0.3, 0.4))
    for one, two, names in (
        ((ball,), (crate,), ["a-b"]),
        ((ball, ball), (crate,), ["a.0-b.0", "a.1-b.0"]),
        ((ball,), (crate, ball), ["a.0-b.0", "a.0-b.1"]),
    ):
        bodies = [da.Body(n, 1.0, inertia=(1, 1, 1), geometry=g) for n, g in (("a", one), ("b", two))]
        joints = [da.Joint(b.name, "free", "world", b.name) for b in bodies]
        assert [c.name for c in da.body_contacts(da.Machine("m", bodies, joints), "a", "b")] == names
    x, z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    parallel, orthogonal = da.ParallelConstraint("p", "a", "b"), da.OrthogonalConstraint("o", "a", "b")
    assert (parallel.axis, parallel.other_axis, orthogonal.axis, orthogonal.other_axis) == (z, z, x, z)
    assert da.model.contacts.CylindricalSurface(0.3).axis == z
    wheels = [da.Guide(n, 0.1, "y") for n in ("g", "h")]
    assert da.Rope("r", wheels, closed=True).section_names == ("r",)
    assert da.Rope("r", [da.Anchor("a"), wheels[0], da.Anchor("b")]).section_names == ("r",)


@pytest.mark.parametrize(("eta", "back"), [(0.9, 0.8), (0.7, None), (0.6, 0.2)])
def test_friction_of_the_teeth_of_a_gear(eta: float, back: float | None) -> None:
    """While it slips either wheel drives with its efficiency, by the forces on both that the rate implies."""
    gear = da.GearConstraint("g", {"one": 2.0, "two": -3.0}, efficiency=eta, back_efficiency=back)
    other = 2.0 - 1.0 / eta if back is None else back
    rates = {"one": ca.SX.sym("one"), "two": ca.SX.sym("two")}
    context: Any = SimpleNamespace(value=float)
    relative: Any = SimpleNamespace(of_joint=rates.__getitem__)
    made = gear.rubbing(context, relative)
    assert made is not None
    shares = np.array(ca.DM(ca.jacobian(made.rate, ca.vertcat(*rates.values())))).ravel()
    k = float(ca.DM(made.coefficient))
    for sign in (1.0, -1.0):  # forces of the constraint and of its friction on both wheels, for a multiplier of one
        one, two = 2.0 + sign * k * shares[0], -3.0 + sign * k * shares[1]
        drives = -(two / 3.0) / (one / 2.0)  # power out by power in at rates in the ratio of the gear
        assert drives == pytest.approx(eta) or 1.0 / drives == pytest.approx(other)
    assert gear.self_locking == (other <= 0.0) and gear.rubs and not gear.without_friction().rubs


def test_gravity_models_up_to_a_degree_and_an_order() -> None:
    rng = np.random.default_rng(8)
    C, S = rng.normal(size=(2, 6, 6))
    model = da.model.GravityModel(C, S, name="m")
    for degree, order in ((5, 5), (4, 2), (3, 0), (2, 1)):
        made = model.to_degree(degree, order)
        for found, whole in ((made.C, C), (made.S, S)):
            expected = whole[: degree + 1, : degree + 1].copy()
            expected[:, [m for m in range(degree + 1) if m > order]] = 0.0
            np.testing.assert_array_equal(found, expected)
    assert model.to_degree(3).degree == 3 and model.to_degree(3).C[3, 3] == C[3, 3]
    for degree, order in ((6, 0), (1, 0), (4, 5), (4, -1)):
        with pytest.raises(InputError, match="degree must be 2 to 5"):
            model.to_degree(degree, order)
