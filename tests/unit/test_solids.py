"""Stresses and geometric stiffening from the solids of a mesh: linear fields, CalculiX, beams that spin and carry."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.finite_element_models import brick_model, solid_of

import dalembert as da
from dalembert.analysis import geometric_stiffness, machine_modes, stress_matrix, von_mises
from dalembert.studies.flexible_bodies.frame import frame_model
from dalembert.view import plot_stress

E, RHO = 70e9, 2700.0
SIZE = (1.0, 0.02, 0.01)
ENDS = {"root": "ROOT", "tip": "TIP"}


@pytest.fixture(scope="module")
def bar() -> da.FiniteElements:
    """An aluminium bar without lateral contraction, which beam theory leaves out."""
    return brick_model((10, 1, 1), SIZE, E, 0.0, RHO)


@pytest.mark.parametrize("k", [4, 8, 10, 20])
def test_linear_displacements_have_the_stress_of_the_material(k: int) -> None:
    nodes, elements = solid_of(k)
    gradient = np.random.default_rng(k).normal(size=(3, 3))
    strain = (gradient + gradient.T) / 2
    expected = 2.0 * 0.3 / (1.3 * 0.4) * np.trace(strain) * np.eye(3) + 2.0 / 1.3 * strain
    sigma = (stress_matrix(nodes, [da.Solids(elements, 2.0, 0.3)]) @ (nodes @ gradient.T).ravel()).reshape(-1, 6)
    for column, (a, b) in enumerate([(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)]):
        np.testing.assert_allclose(sigma[:, column], expected[a, b], atol=1e-12)


@pytest.mark.parametrize("k", [4, 8, 10, 20])
def test_geometric_stiffness_is_the_work_of_the_stress(k: int) -> None:
    """For linear fields v under a constant stress: ``v^T K_g v = V sigma : grad v^T grad v``."""
    nodes, elements = solid_of(k, 3)
    solids = [da.Solids(elements, 2.0, 0.3)]
    rng = np.random.default_rng(k)
    gradient, other = rng.normal(size=(2, 3, 3))
    (K_g,) = geometric_stiffness(nodes, solids, (nodes @ gradient.T).reshape(-1, 1))
    s = (stress_matrix(nodes, solids) @ (nodes @ gradient.T).ravel()).reshape(-1, 6)[0]
    sigma = np.array([[s[0], s[3], s[5]], [s[3], s[1], s[4]], [s[5], s[4], s[2]]])
    v = (nodes @ other.T).ravel()
    corners = [nodes[element[:4]] for element in elements] if k in (4, 10) else []
    volume = sum(np.linalg.det(x[1:] - x[0]) / 6 for x in corners) if corners else _volume(nodes[elements[0][:8]])
    assert v @ (K_g @ v) == pytest.approx(volume * np.trace(other @ sigma @ other.T), rel=1e-10)


def _volume(corners: np.ndarray) -> float:
    """Volume of a brick with straight edges: the divergence theorem on bilinear faces."""
    faces = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    total = 0.0
    for a, b, c, d in (corners[list(face)] for face in faces):
        total += (np.dot(a, np.cross(b, c)) + np.dot(a, np.cross(c, d)) + np.dot(b, np.cross(c, d))) / 12
        total += np.dot(a, np.cross(b, d)) / 12
    return float(total)


def test_largest_stress_is_that_of_calculix() -> None:
    """The L-frame under 100 g along -y, and under (300, 0, 200) N at its rigid tip: static runs of CalculiX 2.20."""
    for settings, tolerance in (({"modes": 20}, 1e-2), ({"modes": 4, "relief": True}, 1e-4)):
        body = frame_model().body("frame", ENDS, stress=True, **settings)
        weight = np.array([0.0, -981.0, 0.0]) @ body.reduction.integrals.V
        force = np.array([300.0, 0.0, 200.0]) @ body.section_modes("tip")[:3]
        for load, largest, node in ((weight, 111936582.8, 5), (force, 30084168.5, 32)):
            sizes = von_mises(body.reduction.stress @ (load / body.omega**2))
            assert sizes.max() == pytest.approx(largest, rel=tolerance)
            assert sizes[node] == pytest.approx(sizes.max(), rel=tolerance)  # the mirrored node has the same


def rotating_beam(I: float, omega: float, *, in_plane: bool) -> float:
    """First frequency of a rotating Euler-Bernoulli beam by Ritz's method with ten Legendre polynomials."""
    from scipy.linalg import eigh

    L, A = SIZE[0], SIZE[1] * SIZE[2]
    s, weight = np.polynomial.legendre.leggauss(40)
    s, weight = (s + 1) / 2 * L, weight * L / 2
    square = np.polynomial.Polynomial([0, 0, 1])
    shapes = [
        square * np.polynomial.Legendre.basis(k, [0, L]).convert(kind=np.polynomial.Polynomial) for k in range(10)
    ]
    f, d, dd = (np.array([p.deriv(n)(s) if n else p(s) for p in shapes]) for n in range(3))
    pull = RHO * A * omega**2 * (L**2 - s**2) / 2
    K = E * I * (dd * weight) @ dd.T + (d * weight * pull) @ d.T
    M = RHO * A * (f * weight) @ f.T
    if in_plane:
        K = K - omega**2 * M
    return float(np.sqrt(eigh(K, M, eigvals_only=True)[0]))


def test_frequencies_under_spin_are_those_of_rotating_beams(bar: da.FiniteElements) -> None:
    """Out of the plane of the spin and in it; without stiffening the latter falls instead of rising."""
    body = bar.body("bar", ENDS, 2, stiffening=True)
    hub = da.Body("hub", 1.0, inertia=(1e9, 1e9, 1e9))
    joints = [da.Joint("spin", "revolute", "world", "hub", axis=(0, 0, 1)), da.Joint("root", "fixed", "hub", "bar")]
    machine = da.Machine("spinning bar", [hub, body], joints, gravity=(0, 0, 0))
    eom = da.equations(machine, backend="vm")
    n, step = body.n_modes, 1e-6
    for omega in (0.0, 50.0, 100.0):
        v = np.zeros(machine.nv)
        v[0] = omega
        rows = np.eye(machine.nq)[1:] * step
        K = (eom.bias(rows, np.tile(v, (n, 1))) - eom.bias(-rows, np.tile(v, (n, 1))))[:, 1:].T / (2 * step)
        D = (eom.bias(np.zeros((n, n + 1)), v + rows) - eom.bias(np.zeros((n, n + 1)), v - rows))[:, 1:].T / (2 * step)
        M = eom.mass_matrix(np.zeros(machine.nq))[1:, 1:]
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
        found = np.sort(np.abs(np.linalg.eigvals(A).imag))[::2][:2]
        flap = rotating_beam(SIZE[1] * SIZE[2] ** 3 / 12, omega, in_plane=False)
        lag = rotating_beam(SIZE[2] * SIZE[1] ** 3 / 12, omega, in_plane=True)
        both = np.array([found, np.sort([flap, lag])]) ** 2
        np.testing.assert_allclose(both[0], both[1], rtol=8e-3)  # ten bricks are stiffer by 0.4 %


def test_a_load_at_the_tip_softens_as_it_does_a_beam(bar: da.FiniteElements) -> None:
    """First frequency of the upright and of the hanging bar with a load, relative to that without gravity."""
    load = da.Body("load", 1.0, inertia=(1e-9, 1e-9, 1e-9))
    section = da.Section.rectangle(SIZE[1], SIZE[2])
    beam = da.Beam("bar", 1.0, section, E=E, G=E / 2, density=RHO, modes={"z": 3}, stiffening=True)
    joints = [da.Joint("root", "fixed", "world", "bar"), da.Joint("tip", "fixed", "bar.tip", "load")]
    shift: dict[str, Any] = {}
    for name, body in (("mesh", bar.body("bar", ENDS, 2, stiffening=True)), ("beam", beam)):
        square = [
            machine_modes(da.Machine("mast", [body, load], joints, gravity=(g, 0, 0))).omega[0] ** 2
            for g in (-9.81, 0.0, 9.81)
        ]
        shift[name] = np.diff(square)
    assert shift["beam"].min() > 10.0
    np.testing.assert_allclose(shift["mesh"], shift["beam"], rtol=3e-3)


def test_formulations_agree_with_stiffening(bar: da.FiniteElements) -> None:
    body = bar.body("bar", {"root": "ROOT"}, 2, stations={"tip": "TIP"}, stiffening=True)
    load = da.Body("load", 0.5, com=(0.05, 0.02, 0.01), inertia=(1e-3, 1e-3, 1e-3))
    joints = [
        da.Joint("root", "spherical", "world", "bar"),
        da.Joint("tip", "revolute", "bar.tip", "load", axis=(0, 1, 1)),
    ]
    report = da.verify(da.Machine("mixed", [body, load], joints), samples=4)
    assert report.ok, str(report)
    with pytest.warns(da.DalembertWarning, match="motions of second order of flexible body 'bar'"):
        far = {name: 40 * a for name, a in zip(body.q_names[:1], body.amplitudes, strict=False)}
        hung = da.Machine("far", [body], joints[:1])
        da.simulate(hung, duration=1e-3, q0=far, method=da.ImplicitMidpoint(step=5e-4))


DECK = """*NODE, NSET=ALL
{nodes}
*ELEMENT, TYPE=C3D8, ELSET=CUBE
7, 1, 2, 3, 4, 5, 6, 7, 8
*MATERIAL, NAME=STEEL
*ELASTIC{kind}
210e9, 0.3
{section}
"""


def written(
    folder: Path, section: str = "*SOLID SECTION, ELSET=CUBE, MATERIAL=STEEL", kind: str = ""
) -> da.FiniteElements:
    nodes, _ = solid_of(8)
    lines = "\n".join(f"{k}, {x}, {y}, {z}" for k, (x, y, z) in enumerate(nodes, 1))
    (folder / "cube.inp").write_text(DECK.format(nodes=lines, section=section, kind=kind), encoding="utf-8")
    for name, A in (("K", np.zeros((24, 24))), ("M", np.eye(24))):
        np.save(folder / f"{name}.npy", A)
    return da.read_finite_elements(stiffness=folder / "K.npy", mass=folder / "M.npy", nodes=str(folder / "cube.inp"))


def test_decks_have_solids_and_materials(tmp_path: Path) -> None:
    model = written(tmp_path)
    (solids,) = model.solids
    assert solids.elements.tolist() == [list(range(8))] and solids.E[0] == 210e9 and solids.nu[0] == 0.3
    again = da.read_finite_elements(model.save(tmp_path / "cube.npz"))
    assert np.array_equal(again.solids[0].elements, solids.elements) and again.solids[0].nu[0] == 0.3


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"section": ""}, r"element 7 has no \*SOLID SECTION with an isotropic \*ELASTIC material"),
        ({"kind": ", TYPE=ORTHO"}, "material 'STEEL' is elastic of type ORTHO, not isotropic"),
    ],
    ids=["section", "orthotropic"],
)
def test_decks_without_isotropic_solids_are_refused(tmp_path: Path, settings: dict[str, str], reason: str) -> None:
    model = written(tmp_path, **settings)
    with pytest.raises(da.InputError, match=f"stress of flexible body 'cube' needs the solids of its model: {reason}"):
        model.body("cube", {"root": [0, 1, 2]}, 1, stress=True)


def test_bad_solids_are_refused(bar: da.FiniteElements) -> None:
    nodes, elements = solid_of(8)
    with pytest.raises(da.MachineError, match=r"nu of solids must be between -1 and 0\.5"):
        da.Solids(elements, 1.0, 0.5)
    with pytest.raises(da.MachineError, match="solids must be node indices"):
        da.Solids(np.zeros((1, 6), dtype=int), 1.0, 0.3)
    with pytest.raises(da.MachineError, match="solid 0 is turned inside out"):
        stress_matrix(nodes, [da.Solids(elements[:, [4, 5, 6, 7, 0, 1, 2, 3]], 1.0, 0.3)])
    with pytest.raises(da.MachineError, match="solids have nodes 0 to 7; the mesh has 4 nodes"):
        stress_matrix(nodes[:4], [da.Solids(elements, 1.0, 0.3)])
    with pytest.raises(da.MachineError, match=r"stiffening must return 15 matrices of shape \(\d+, \d+\)"):
        bar.body("bar", ENDS, 1, stiffening=lambda u: [])
    with pytest.raises(da.InputError, match="it was made without solids"):
        replace(bar, solids=()).body("bar", ENDS, 1, stiffening=True)


def test_machine_files_have_stress_and_stiffening(bar: da.FiniteElements, tmp_path: Path) -> None:
    bar.save(tmp_path / "bar.npz")
    text = """
name: mast
bodies:
  bar:
    finite_elements: {file: bar.npz, interfaces: {root: ROOT, tip: TIP}, modes: 0, stress: true, stiffening: true}
joints:
  swing: {kind: revolute, parent: world, child: bar, axis: [0, 1, 0]}
"""
    (tmp_path / "mast.yaml").write_text(text, encoding="utf-8")
    machine = da.load_machine(tmp_path / "mast.yaml")
    (body,) = machine.bodies
    assert body.reduction.stiffening is not None and body.reduction.stress.shape[0] == len(bar.nodes)
    run = da.simulate(da.equations(machine, backend="vm"), duration=0.01, method=da.ImplicitMidpoint(step=1e-3))
    assert run["stress.bar"][-1] > 0.0 and run.energy.drift < 1e-6


def test_pictures_show_the_largest_stress(bar: da.FiniteElements, tmp_path: Path) -> None:
    """The colour scale of the picture ends at the largest stress; reports name its node."""
    body = bar.body("bar", {"root": "ROOT"}, 2, stress=True)
    machine = da.Machine("bar", [body], [da.Joint("swing", "revolute", "world", "bar", axis=(0, 1, 0))])
    run = da.simulate(da.equations(machine, backend="vm"), duration=0.01, method=da.ImplicitMidpoint(step=1e-3))
    mesh, _, _ = plot_stress(run, "bar").axes
    assert mesh.collections[0].get_clim()[1] == pytest.approx(run["stress.bar"].max() / 1e6)
    page = run.report(tmp_path / "bar.html").read_text(encoding="utf-8")
    point = int(run["stress_point.bar"][run["stress.bar"].argmax()])
    assert f"at point {point};" in page and "data:image/png;base64," in page
    bare = machine.with_(bodies=[bar.body("bar", {"root": "ROOT"}, 2, stress=np.zeros((6, 3 * len(bar.nodes))))])
    other = da.simulate(da.equations(bare, backend="vm"), duration=0.01, method=da.ImplicitMidpoint(step=1e-3))
    with pytest.raises(da.InputError, match=r"stresses at 1 points and \d+ nodes: make it with stress=True"):
        plot_stress(other, "bar")


FAKE = """#!{python}
import pathlib
text = pathlib.Path("model.inp").read_text()
assert text.endswith("*STEP\\n*FREQUENCY, SOLVER=MATRIXSTORAGE\\n*END STEP\\n") and text.count("*STEP") == 1
if "NOTHING" in text:
    print(" *ERROR reading *ELEMENT: no such element type")
else:
    assert "*BOUNDARY" not in text and "ROOT, 1, 3" not in text and "*SOLID SECTION" in text
    dofs = [f"{{n}}.{{d}}" for n in range(1, 9) for d in (1, 2, 3)]
    pathlib.Path("model.dof").write_text("\\n".join(dofs))
    for suffix, value in (("sti", 0.5), ("mas", 2.0)):
        pathlib.Path(f"model.{{suffix}}").write_text("".join(f"{{k}} {{k}} {{value}}\\n" for k in range(1, 25)))
"""


def test_ccx_assembles_a_deck_on_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a program in its place: it gets the free model and one step, and its matrices are read."""
    program = tmp_path / "bin" / "ccx"
    program.parent.mkdir()
    program.write_text(FAKE.format(python=sys.executable), encoding="utf-8")
    program.chmod(0o755)
    written(
        tmp_path, section="*SOLID SECTION, ELSET=CUBE, MATERIAL=STEEL\n*BOUNDARY\nROOT, 1, 3\n*STEP\n*STATIC\n*END STEP"
    )
    monkeypatch.setenv("PATH", str(program.parent))
    model = da.read_finite_elements(tmp_path / "cube.inp", run=True)
    assert model.K[5, 5] == 0.5 and model.M[23, 23] == 2.0 and len(model.solids) == 1
    written(tmp_path, section="*NSET, NSET=NOTHING\n1")
    with pytest.raises(da.InputError, match=r"ccx has stored no matrices of 'cube\.inp': \*ERROR reading \*ELEMENT"):
        da.read_finite_elements(tmp_path / "cube.inp", run=True)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(da.InputError, match="run=True needs the program ccx of CalculiX"):
        da.read_finite_elements(tmp_path / "cube.inp", run=True)
