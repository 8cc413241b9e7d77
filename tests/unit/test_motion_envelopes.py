"""Envelopes of robots: searches for motions, boxes of deflections, pairs of runs, and the report of the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.control import linear_feedback
from dalembert.control.varying.deflections import proven_deflections
from dalembert.control.varying.intervals import largest_magnitudes
from dalembert.control.varying.motion_search import worst_motion
from dalembert.control.varying.motions import motion_stability, proven_motion
from dalembert.control.varying.moving import loop_equations, motion_loop
from dalembert.core.errors import DalembertError
from dalembert.systems.flexible_arms import planar_arm

ARM = """
name: loader
parameters: {payload: 2.0}
bodies:
  upper: {mass: 8.0, com: [0.35, 0, 0], inertia: [0.02, 0.33, 0.33]}
  lower: {mass: 5.0, com: [0.3, 0, 0], inertia: [0.01, 0.15, 0.15]}
  load: {point_mass: {mass: payload}}
joints:
  shoulder: {kind: revolute, parent: world, child: upper, axis: [0, 0, 1], limits: {lower: -3.0, upper: 3.0}}
  elbow: {kind: revolute, parent: upper, child: lower, origin: {xyz: [0.7, 0, 0]}, axis: [0, 0, 1]}
  grip: {kind: fixed, parent: lower, child: load, origin: {xyz: [0.6, 0, 0]}}
motors:
  shoulder: {}
  elbow: {}
gravity: [0, 0, 0]
"""
RANGES = {"shoulder": (-3.0, 3.0), "elbow": (-2.0, 2.0), "payload": (0.5, 6.0)}
MOTION = {"shoulder": (0.6, 0.8), "elbow": (0.6, 0.8)}
MEASURED = ["shoulder", "elbow", "shoulder_dot", "elbow_dot"]


@pytest.fixture(scope="module")
def loader(tmp_path_factory: pytest.TempPathFactory) -> da.Machine:
    path = tmp_path_factory.mktemp("loader") / "loader.yaml"
    path.write_text(ARM, encoding="utf-8")
    return da.load_machine(path)


def held(machine: da.Machine, damping: float = 1.0):
    gains = [[90.0, 0.0, damping * 45.0, 0.0], [0.0, 45.0, 0.0, damping * 16.0]]
    return linear_feedback(machine, gains, measured=MEASURED, controls=["shoulder", "elbow"])


def test_payloads_within_a_range_are_part_of_the_proof(loader: da.Machine) -> None:
    """Along random motions and payloads the function falls, with equations that `linearize` does not make."""
    proof = motion_stability(loader, held(loader), RANGES, MOTION)
    assert proof.guaranteed and proof.margin > 0.0, proof.message
    loop = motion_loop(loader, held(loader), RANGES, MOTION)
    equations = loop_equations(loop.eom, loop.law, loop.point.u)
    rng, scale = np.random.default_rng(3), proof.energy.scales
    for _ in range(6):
        q, v, a = (rng.uniform(-1.0, 1.0, 2) * s for s in ((3.0, 2.0), 0.6, 0.8))
        p = [rng.uniform(0.5, 6.0)]
        parts = np.array([np.array(x.full()) for x in equations(q, v, a, 0.0, p)])
        for matrix in (proof.energy.fall(parts), proof.energy.value(parts)):
            assert np.linalg.eigvalsh(scale[:, None] * matrix * scale)[0] >= proof.margin
    with pytest.raises(DalembertError, match="no joint or parameter named 'mass'"):
        motion_stability(loader, held(loader), {"shoulder": (-1.0, 1.0), "mass": (0.0, 1.0)}, {"shoulder": (0.6, 0.8)})
    with pytest.raises(DalembertError, match="at most 3"):
        motion_stability(loader, held(loader), RANGES | {"a": (0.0, 1.0)}, MOTION)


def test_the_growth_of_a_motion_is_that_of_its_equations(loader: da.Machine) -> None:
    """Floquet's multiplier, by SciPy with the accelerations of the machine itself about the motion."""
    loop = motion_loop(loader, held(loader, 0.1), RANGES, MOTION).faster(4.0)
    worst = worst_motion(loop, evaluations=20, seed=1)
    eom = loop.eom
    equations = loop_equations(eom, loop.law, loop.point.u)
    for name, (rate, push) in MOTION.items():
        sine = worst.motion[name]
        lo, hi = RANGES[name]
        assert lo - 1e-9 <= sine.middle - sine.reach and sine.middle + sine.reach <= hi + 1e-9
        assert sine.reach * sine.omega <= 4.0 * rate * (1 + 1e-9)
        assert sine.reach * sine.omega**2 <= 4.0 * push * (1 + 1e-9)

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        q, v, a = np.array([worst.motion[n].at(np.array(t)) for n in MOTION]).T
        M, _, D, K = (np.array(y.full()) for y in equations(q, v, a, 0.0, [worst.constants["payload"]])[:4])
        X = x.reshape(4, 4)
        return np.vstack([X[2:], -np.linalg.solve(M, K @ X[:2] + D @ X[2:])]).ravel()

    whole = solve_ivp(rate, (0.0, worst.period), np.eye(4).ravel(), rtol=1e-8, atol=1e-12).y[:, -1].reshape(4, 4)
    growth = np.log(np.abs(np.linalg.eigvals(whole)).max()) / worst.period
    assert worst.growth == pytest.approx(growth, abs=2e-3 * abs(growth) + 1e-4)
    assert not (worst.broken and proven_motion(loop).proven)


def test_bounds_over_boxes_contain_every_value() -> None:
    x = ca.SX.sym("x", 3)
    y = [
        x[0] * ca.sin(x[1]) - x[2] / (3.0 + ca.cos(x[0])),
        ca.sqrt(2.0 + x[0] * x[1]) * (x[2] - x[0]) ** 2,
        -2.0 * x[1] + 1.0 / (4.0 + x[2]),
    ]
    f = ca.Function("f", [x], [ca.vertcat(*y)])
    rng = np.random.default_rng(4)
    low = rng.uniform(-1.0, 0.8, (3, 50))
    high = low + rng.uniform(0.0, 0.3, low.shape)
    bound = largest_magnitudes(f, [(low, high)])[0]
    inside = low[:, :, None] + (high - low)[:, :, None] * rng.uniform(0.0, 1.0, (3, 50, 40))
    values = np.abs(f.map(2000)(inside.reshape(3, -1)).full()).max(axis=1)
    assert (values <= bound).all() and (bound <= 1.6 * values).all()
    turns = ca.Function("g", [x], [ca.cos(x)])
    wide = largest_magnitudes(turns, [(np.array([[1.0], [3.0], [-4.0]]), np.array([[2.0], [3.3], [-3.5]]))])[0]
    assert wide == pytest.approx([np.cos(1.0), 1.0, abs(np.cos(-3.5))], rel=1e-12)
    with pytest.raises(DalembertError, match="may be zero"):
        largest_magnitudes(ca.Function("h", [x], [1.0 / x[0]]), [(-np.ones((3, 1)), np.ones((3, 1)))])


@pytest.fixture(scope="module")
def flexible():
    """One flexible link that turns: a soft beam whose deflections the motion causes."""
    arm = planar_arm()
    bodies = tuple(replace(b, damping=0.05, E=40.0, G=40.0) if isinstance(b, da.Beam) else b for b in arm.bodies)
    arm = arm.with_(bodies=bodies, joints=tuple(replace(j, armature=0.01) for j in arm.joints if j.kind == "revolute")
                    + tuple(j for j in arm.joints if j.kind != "revolute"))  # fmt: skip
    gains = [[5.6, 0.0, 2.6, 0.0], [0.0, 5.2, 0.0, 1.2]]
    measured = ["theta1", "theta2", "theta1_dot", "theta2_dot"]
    law = linear_feedback(arm, gains, measured=measured, controls=["theta1", "theta2"])
    loop = motion_loop(arm, law, {"theta2": (-1.0, 1.0)}, {"theta2": (0.4, 0.4)})
    return loop, proven_motion(loop)


@pytest.mark.slow
def test_the_inequality_holds_in_the_box_of_deflections_with_all_terms(flexible) -> None:
    loop, proof = flexible
    assert proof.proven and proof.bent and not proof.guaranteed
    box = proven_deflections(loop, proof)
    assert 1e-4 < box.share < 1.0 and set(box.deflections) == {n.removesuffix("_dot") for n in proof.bent}
    eom, scale = loop.eom, proof.energy.scales
    equations = loop_equations(eom, loop.law, loop.point.u)
    rng = np.random.default_rng(6)

    def least(factor: float) -> float:
        lowest = np.inf
        for _ in range(40):
            q, v, a = loop.point.q.copy(), np.zeros(eom.nv), np.zeros(eom.nv)
            (joint,) = loop.joints
            q[joint.place], v[joint.v], a[joint.v] = rng.uniform(-1, 1), *rng.choice([-0.4, 0.4], 2)
            for n in box.deflections:
                i, k = eom.q_names.index(n), eom.v_names.index(f"{n}_dot")
                signs = factor * rng.choice([-1.0, 1.0], 3)
                q[i], v[k] = signs[0] * box.deflections[n], signs[1] * box.rates[n]
                a[k] = signs[2] * box.accelerations[n]
            parts = np.array([np.array(x.full()) for x in equations(q, v, a, 0.0, loop.p)])
            for matrix in (proof.energy.fall(parts), proof.energy.value(parts)):
                lowest = min(lowest, float(np.linalg.eigvalsh(scale[:, None] * matrix * scale)[0]))
        return lowest

    assert least(1.0) > 0.0
    assert least(1000.0) < 0.0


@pytest.mark.slow
def test_the_command_writes_proof_margins_worst_case_and_film(tmp_path: Path, monkeypatch, capsys) -> None:
    from dalembert.cli.app import run

    (tmp_path / "loader.yaml").write_text(ARM, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    gains = ["shoulder:shoulder=90", "shoulder:shoulder_dot=45", "elbow:elbow=45", "elbow:elbow_dot=16"]
    arguments = ["robust", "loader.yaml", "--rate", "shoulder=0.6", "--rate", "elbow=0.6:0.8"]
    arguments += ["--range", "elbow=-2:2", "--range", "payload=0.5:6", "--out", "loader.html", "--json"]
    for gain in gains:
        arguments += ["--gain", gain]
    status = run(arguments)
    answer = json.loads(capsys.readouterr().out)
    (row,) = answer["controllers"]
    assert status == 0 and answer["proven"] and not row["broken"] and "extent" not in row
    assert answer["ranges"] == {"shoulder": [-3.0, 3.0], "elbow": [-2.0, 2.0], "payload": [0.5, 6.0]}
    assert "reaches its largest rate" in answer["assumed"][0] and set(row["margins"]) == {"shoulder", "elbow"}
    assert 0.0 < row["decay"] <= row["slowest decay found"] and row["proven rates"]["elbow"] >= 0.6
    assert any(text.startswith("0 of 200") for text in row["runs of the machine"].values())
    page = (tmp_path / "loader.html").read_text(encoding="utf-8")
    assert "The worst variation found" in page and "least disk margin at elbow" in page and "dalembert.embed" in page
