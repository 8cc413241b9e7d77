"""Flexible bodies from finite elements: reference numbers, agreement of formulations, beams as a special case."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from dalembert.control.uncertain.machines import uncertain
from dalembert.model.beam_integrals import BeamIntegrals
from dalembert.model.elastic.mesh_checks import MeshModel
from dalembert.model.elastic.reduction import _gram, _integrals
from dalembert.studies.flexible_bodies.frame import frame_pendulum
from dalembert.studies.registry import run_study
from support.finite_element_models import beam_elements, truss

FACES = {"root": "ROOT", "tip": "TIP"}


@pytest.fixture(scope="module")
def pendulum() -> da.Machine:
    return frame_pendulum()


def test_study() -> None:
    """Frequencies and drop of the L-frame; accelerations, elastica, rope and stretch of rods."""
    rows = list(run_study("flexible-bodies", full=False))
    assert len(rows) == 31 and all(row.ok for row in rows)


def _mixed(body: da.FlexibleBody) -> da.Machine:
    boom = da.Beam("boom", 0.8, da.Section.tube(0.02, 0.01), E=7e9, density=2700.0, modes={"z": 1})
    joints = [
        da.Joint("base", "revolute", "world", "truss", axis=(0.6, 0, 0.8)),
        da.Joint("elbow", "spherical", "truss.tip", "boom"),
    ]
    return da.Machine("mixed", [body, boom], joints)


@pytest.mark.parametrize("method", ["craig-bampton", "free"])
def test_formulations_agree_on_machines_with_beams(method: str) -> None:
    """Recursions with the integrals, energies of moving points by differentiation, and Gibbs-Appell."""
    body = truss().body("truss", FACES, modes=1 if method == "craig-bampton" else 2, method=method)
    machine = _mixed(body)
    rng = np.random.default_rng(3)
    names = ["newton-euler", "gibbs-appell", *(["lagrange"] if method == "free" else [])]
    eoms = [da.equations(machine, by=by, backend="vm") for by in names]
    q, v = eoms[0].random_configuration(rng), rng.normal(size=machine.nv)
    a = [eom.forward_dynamics(q, v, np.zeros(machine.nv)) for eom in eoms]
    M, bias = [eom.mass_matrix(q) for eom in eoms], [eom.bias(q, v) for eom in eoms]
    for k in range(1, len(eoms)):
        assert_allclose(M[k], M[0], atol=1e-12 * np.abs(M[0]).max())
        assert_allclose(bias[k], bias[0], atol=1e-11 * np.abs(bias[0]).max())
        assert_allclose(a[k], a[0], atol=1e-10 * np.abs(a[0]).max())
    C = eoms[0].coriolis_matrix(q, v)
    assert_allclose(C @ v + eoms[0].bias(q, np.zeros(machine.nv)), bias[0], atol=1e-10 * np.abs(bias[0]).max())


def test_a_beam_as_points_has_its_integrals() -> None:
    """The formulas of finite elements on the points and directors of a beam."""
    modes = {"x": 1, "y": 2, "z": 2, "torsion": 1}
    beam = da.Beam(
        "b", 1.3, da.Section.tube(0.05, 0.04), E=7e10, G=3e10, density=2700.0, modes=modes, offset=(0.1, 0.2, 0)
    )
    fields = list(beam.material_fields())
    points = [f for f in fields if f.share]
    n = beam.n_modes
    x0, X = np.array([f.x_left for f in points]), np.array([f.X_left for f in points])
    masses = np.array([f.weight for f in points])
    import scipy.sparse as sp

    model = MeshModel(None, sp.kron(sp.diags(masses), sp.identity(3)).tocsc(), x0, 3, np.zeros((0, 3), dtype=np.int64))
    gram, lost = _gram(model, x0, X, None)
    for f in fields:
        if not f.share:
            left, right = (
                np.concatenate([[0.0], x, Y.ravel()]) for x, Y in ((f.x_left, f.X_left), (f.x_right, f.X_right))
            )
            gram = gram + f.weight * (np.outer(left, right) + np.outer(right, left)) / 2
    ours, theirs = _integrals(gram, n), BeamIntegrals.of(beam)
    assert lost == 0.0
    for name in ("volume", "first", "second", "V", "n", "B"):
        value = np.asarray(getattr(theirs, name))
        assert_allclose(getattr(ours, name), value, atol=1e-15 * max(1.0, np.abs(value).max()), err_msg=name)


def test_elements_with_rotations_are_a_beam() -> None:
    """A cantilever of beam elements against `Beam`: frequencies, participation, and the mass that lumping loses."""
    section = da.Section.tube(0.02, 0.01)
    data = {"E": 7e10, "G": 2.6e10, "density": 2700.0}
    fe = beam_elements(1.0, section, **data, count=40).body("arm", {"root": "ROOT"}, modes=6)
    beam = da.Beam("arm", 1.0, section, **data, modes={"y": 2, "z": 2})
    assert_allclose(np.sort(beam.omega)[:4], fe.omega[:4], rtol=2e-4)
    assert 0.0 < fe.lost_mass < 2e-2
    assert fe.mass == pytest.approx(beam.mass, rel=1e-9)
    machines = [
        da.Machine("m", [b], [da.Joint("hinge", "revolute", "world", "arm", axis=(0, 0, 1), stiffness=50.0)])
        for b in (fe, beam)
    ]
    w = [da.analysis.machine_modes(m).omega[:3] for m in machines]
    assert_allclose(w[0], w[1], rtol=2e-3)


def test_relief_shapes_carry_the_static_deflection() -> None:
    """Twelve static shapes make the response to gravity and spin exact, which fixed-interface modes approach slowly."""
    model = truss(cells=4)
    x, K, M = model.nodes, model.K, model.M
    inner = np.setdiff1d(np.arange(len(x)), model.sets["ROOT"])
    rows = (3 * inner[:, None] + np.arange(3)).ravel()
    origin = x[model.sets["ROOT"]].mean(axis=0)
    pull = M @ np.concatenate([[0.3, -9.0, 2.0] + np.cross([1, 2, 3], np.cross([1, 2, 3], p - origin)) for p in x])
    u = np.zeros(3 * len(x))
    u[rows] = np.linalg.solve(K[np.ix_(rows, rows)], pull[rows])
    error = {}
    for relief in (False, True):
        body = model.body("t", {"root": "ROOT"}, modes=2, relief=relief)
        shapes = body.reduction.shapes.reshape(3 * len(x), -1)
        delta = (shapes.T @ pull) / body.omega**2
        error[relief] = np.abs(shapes @ delta - u).max() / np.abs(u).max()
    assert error[True] < 1e-9 < 1e-3 < error[False]


def test_implicit_explicit_and_rollout_in_lanes(pendulum: da.Machine) -> None:
    short = {"duration": 2e-3, "record": 1e-3}
    exact = da.simulate(pendulum, method=da.DormandPrince8(rtol=1e-9), **short)
    assert exact.energy.drift < 1e-9
    single = da.simulate(pendulum, method=da.RK4(step=1e-5), **short)
    lanes = da.rollout(pendulum, q0={"hinge": [0.0, 0.2]}, method=da.RK4(step=1e-5), **short)
    assert_allclose(lanes["hinge"][0], single["hinge"], atol=1e-12)
    assert_allclose(single["hinge"], exact["hinge"], atol=1e-7)


def test_bodies_hang_on_interfaces_and_stations(tmp_path: Path) -> None:
    model = truss()
    middle = np.flatnonzero(np.abs(model.nodes[:, 0] - 0.4) < 0.1)
    body = model.body("truss", FACES, modes=2, stations={"camera": middle}, damping=da.Parameter("zeta", 0.01))
    joints = [
        da.Joint("hinge", "revolute", "world", "truss", axis=(0, 0, 1)),
        da.Joint("g", "fixed", "truss.camera", "cam"),
    ]
    machine = da.Machine("m", [body, da.Body("cam", 0.2, inertia=(1e-3, 1e-3, 1e-3))], joints)
    eom = da.equations(machine, backend="vm")
    q, v = np.zeros(machine.nq), np.zeros(machine.nv)
    delta = 0.1 * body.amplitudes
    q[1:] = delta
    moved = body.displacements(delta)[middle].mean(axis=0) + body.reduction.positions[middle].mean(axis=0)
    assert_allclose(eom.pose("truss.camera", q)[:3, 3], moved, atol=1e-12)
    v[1:] = 1.0
    lost = eom.applied(q, v, np.zeros(0), p={"zeta": 0.02})
    assert_allclose(lost[1:], -2 * 0.02 * body.omega, rtol=1e-12)
    with pytest.raises(da.MachineError, match="fixed to the root frame of flexible body 'truss' at its node"):
        at = da.Transform(tuple(body.reduction.positions[model.sets["TIP"][0]]))
        da.Machine("m", [body, da.Body("b", 1.0)], [joints[0], da.Joint("j", "fixed", "truss", "b", origin=at)])


def test_the_scene_shows_the_edges_of_the_mesh(pendulum: da.Machine) -> None:
    from dalembert.view.scene_builder import build_scene

    scene = build_scene(pendulum, backend="vm")
    assert 8 <= len(scene.beams) <= 40
    assert sum(len(part.points) for part in scene.beams) > 60


def _broken(**changes: object) -> dict[str, object]:
    model = truss()
    return {"K": model.K, "M": model.M, "nodes": model.nodes, "interfaces": dict(model.sets), "modes": 2} | changes


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (lambda m: {"K": m.K + np.triu(m.K, 1)}, "K of flexible body 't' is not symmetric"),
        (lambda m: {"M": m.M * [1.0] * 3 + np.tri(36) * 1e-3}, "M of flexible body 't' is not symmetric"),
        (lambda m: {"K": m.K + np.eye(36)}, "resists the rigid translation along"),
        (lambda m: {"nodes": m.nodes[::-1]}, "resists the rigid rotation about"),
        (lambda m: {"K": -m.K}, "negative eigenvalue|singular"),
        (lambda m: {"M": m.M * np.tile([1.0, 1.0, 2.0], 12)[:, None]}, "another mass along each axis|not symmetric"),
        (lambda m: {"M": m.M @ np.diag(np.tile([1.0, 1.0, 0.0], 12))}, "mass|not symmetric"),
        (lambda m: {"K": m.K[:-3, :-3]}, "expected 36 freedoms"),
        (lambda m: {"interfaces": {"root": []}}, "interface 'root' of flexible body 't' is empty"),
        (lambda m: {"interfaces": {"root": [0, 1, 99]}}, "names the node 99; nodes are 0 to 11"),
        (lambda m: {"interfaces": {"a": [0, 1, 2], "b": [2, 3, 4]}}, "'a' and 'b' overlap: both have the node 2"),
        (lambda m: {"interfaces": {"a": [0, 1]}}, "2 nodes on a line: its rotation is undefined"),
        (lambda m: {"modes": 500}, "inner freedoms: modes must be fewer, got 500"),
        (lambda m: {"modes": -1}, "whole number >= 0, got -1"),
        (lambda m: {"method": "guyan"}, "guyan"),
        (lambda m: {"interfaces": {"root": [0, 1, 2, 3]}, "modes": 0}, "would be rigid"),
        (lambda m: {"nodes": m.nodes[:, :2]}, "must be finite positions"),
        (lambda m: {"K": m.K * np.nan}, "not finite"),
    ],
)  # fmt: skip
def test_bad_models_are_refused_by_name(changes: object, words: str) -> None:
    model = truss()
    with pytest.raises((da.MachineError, da.UnknownNameError), match=words):
        da.FlexibleBody.from_matrices("t", **_broken(**changes(model)))  # type: ignore[operator, arg-type]


def test_collinear_nodes_of_any_number_are_refused() -> None:
    data = _broken(nodes=np.vstack([truss().nodes]))
    x = np.array(data["nodes"])
    line = x[0] + np.outer([0.0, 0.5, 1.0], x[1] - x[0])
    model = MeshModel(None, None, line, 3, np.zeros((0, 3), dtype=np.int64))
    from dalembert.model.elastic.mesh_checks import check_spread

    with pytest.raises(da.MachineError, match="3 nodes on a line"):
        check_spread(model, "interface 'a'", np.arange(3))


def test_machine_files(tmp_path: Path) -> None:
    truss().save(tmp_path / "truss.npz")
    (tmp_path / "arm.yaml").write_text(
        "name: arm\nparameters: {zeta: 0.01}\nbodies:\n  truss:\n    finite_elements: {file: truss.npz, interfaces: "
        "{root: ROOT, tip: [8, 9, 10, 11]}, modes: 2, damping: 2*zeta}\njoints:\n  hinge: {kind: revolute, parent: "
        "world, child: truss}\n"
    )
    machine = da.load_machine(tmp_path / "arm.yaml")
    assert machine.nv == 1 + 6 + 2
    again = tmp_path / "again.yaml"
    again.write_text(machine.to_yaml())
    assert da.load_machine(again) == machine
    made = da.Machine("m", [truss().body("truss", FACES, modes=1)], machine.joints)
    with pytest.raises(da.InputError, match=r"flexible body 'truss' was made from arrays: write its model by"):
        made.to_yaml()
    assert made != machine and made.bodies[0] != machine.bodies[0]
    (tmp_path / "bad.yaml").write_text((tmp_path / "arm.yaml").read_text().replace("ROOT", "FOOT"))
    with pytest.raises(da.DalembertError, match=r"bad\.yaml:5: .*no set of nodes named 'FOOT'.* known: ROOT, TIP"):
        da.load_machine(tmp_path / "bad.yaml")


def test_experiments_identify_bodies_from_arrays() -> None:
    """By their matrices: an experiment, a report and a campaign tell two of them apart."""
    model = truss()

    def digest(**settings: object) -> str:
        body = model.body("truss", FACES, modes=1, **settings)
        hinge = da.Joint("hinge", "revolute", "world", "truss", axis="z")
        return da.Experiment(da.Machine("one", [body], [hinge]), duration=1.0).digest

    stress = np.ones((6, model.K.shape[0]))
    digests = [digest(), digest(relief=True), digest(stress=stress), digest(stress=2.0 * stress), digest(damping=0.1)]
    assert len(set(digests)) == len(digests) and digest(stress=stress) == digests[2]


def test_stiff_modes_and_large_angles_are_warned_of() -> None:
    """Soft enough to turn by 0.2 rad; and modes a thousand times apart under explicit steps only."""
    body = truss(stiffness=40.0).body("truss", FACES, modes=1)
    hinge = da.Joint("hinge", "revolute", "world", "truss", axis=(0, 0, 1))
    machine = da.Machine("soft", [body], [hinge])
    with pytest.warns(
        da.DalembertWarning, match=r"section 'truss\.tip' has turned by .* rad; flexible body 'truss' has"
    ):
        da.simulate(
            machine, duration=0.01, q0={"truss.delta1": 30 * body.amplitudes[0]}, method="midpoint", check=False
        )
    wide = replace(body.reduction, omega=np.where(np.arange(body.n_modes) == 0, 1.0, 2000.0))
    stiff = machine.with_(bodies=[replace(body, reduction=wide)])
    with pytest.warns(da.DalembertWarning, match=r"flexible body 'truss' has 2e\+03 rad/s, the lowest 1"):
        da.simulate(stiff, duration=0.001, method=da.RK4(step=1e-4))
    with pytest.warns(da.DalembertWarning, match=r"steps of 0\.003 s by 'rk4' may not stay bounded.*allows 0\.0014 s"):
        da.simulate(stiff, duration=0.003, method=da.RK4(step=3e-3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        da.simulate(stiff, duration=0.001, method=da.ImplicitMidpoint(step=1e-4))


def test_uncertain_models_have_flexible_bodies() -> None:
    """A linear fractional model with an uncertain load is the linearisation at every load."""
    body = truss().body("truss", {"root": "ROOT", "tip": "TIP"}, modes=1, damping=0.02)
    load = da.Body("load", da.Parameter("mass", 1.0), inertia=(0.01, 0.01, 0.01))
    hinge = da.Joint("hinge", "revolute", "world", "truss", stiffness=10.0, damping=1.0)
    joints = [hinge, da.Joint("grip", "fixed", "truss.tip", "load")]
    machine = da.Machine("m", [body, load], joints, motors=[da.Motor("motor", "hinge")], gravity=(0, 0, 0))
    model = uncertain(machine, {"mass": (0.5, 1.5)})
    for mass in (0.6, 1.4):
        lft, plant = model.at(mass=mass), da.linearize(machine, p={"mass": mass})
        for s in (1j, 20j):
            assert_allclose(lft(s), plant(s), atol=1e-11 * np.abs(plant(s)).max())
