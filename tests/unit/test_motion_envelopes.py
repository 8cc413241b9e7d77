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
from dalembert.control.varying.energy import EnergyFunction
from dalembert.control.varying.intervals import bounds
from dalembert.control.varying.motion_search import worst_motion
from dalembert.control.varying.motions import motion_stability, proven_motion
from dalembert.control.varying.moving import loop_equations, motion_loop
from dalembert.control.varying.regions import motion_region
from dalembert.core.errors import DalembertError

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
    least, most = bounds(f, [(low, high)])[0]
    inside = low[:, :, None] + (high - low)[:, :, None] * rng.uniform(0.0, 1.0, (3, 50, 40))
    values = f.map(2000)(inside.reshape(3, -1)).full().reshape(3, 50, 40)
    assert (least[:, :, None] <= values).all() and (values <= most[:, :, None]).all()
    size = np.maximum(np.abs(least), np.abs(most)).max(axis=1)
    assert (size <= 1.6 * np.abs(values).max(axis=(1, 2))).all()
    turns = ca.Function("g", [x], [ca.cos(x)])
    wide = bounds(turns, [(np.array([[1.0], [3.0], [-4.0]]), np.array([[2.0], [3.3], [-3.5]]))])[0]
    assert wide[0][:, 0] == pytest.approx([np.cos(2.0), -1.0, np.cos(-3.5)], rel=1e-12)
    assert wide[1][:, 0] == pytest.approx([np.cos(1.0), np.cos(3.3), np.cos(-4.0)], rel=1e-12)
    with pytest.raises(DalembertError, match="may be zero"):
        bounds(ca.Function("h", [x], [1.0 / x[0]]), [(-np.ones((3, 1)), np.ones((3, 1)))])


@pytest.fixture(scope="module")
def rotary():
    """A rod that hangs from an arm: no motor balances the swing that a motion causes."""
    machine = da.Machine(
        "rotary",
        bodies=[
            da.Body("arm", 0.25, com=(0.1, 0, 0), inertia=(1e-4, 9e-4, 9e-4)),
            da.Body("rod", 0.12, com=(0, 0, -0.15), inertia=(9e-4, 9e-4, 1e-5)),
        ],
        joints=[
            da.Joint("turn", "revolute", "world", "arm", axis="z"),
            da.Joint("swing", "revolute", "arm", "rod", origin=(0.2, 0, 0), axis="x", damping=0.005),
        ],
        motors=[da.Motor("drive", "turn")],
    )
    law = linear_feedback(machine, [[0.3, 0.1]], measured=["turn", "turn_dot"], controls=["drive"])
    loop = motion_loop(machine, law, {"turn": (-2.0, 2.0)}, {"turn": (0.5, 0.5)})
    return loop, motion_region(loop)


def rate_of_size(loop, region, x: np.ndarray, motion: tuple[float, float, float]) -> tuple[float, float]:
    """``2 V`` and its rate, by differences of the machine's own functions along the run and the motion."""
    eom, n = loop.eom, loop.eom.nv
    (joint,), (where, speed, push) = loop.joints, motion
    K = np.array([[0.3, 0.0, 0.1, 0.0]])
    e1 = np.eye(n)[joint.v]
    q, v, a = where * e1, speed * e1, push * e1
    B = np.column_stack([eom.applied(q, v, u) - eom.applied(q, v, 0 * u) for u in np.eye(eom.nu)])
    load = eom.inverse_dynamics(q, v, a) - eom.applied(q, v, np.zeros(eom.nu))
    u = np.linalg.pinv(B) @ load - K @ x
    run = eom.forward_dynamics(q + x[:n], v + x[n:], eom.applied(q + x[:n], v + x[n:], u))

    def size(h: float) -> float:
        now, there = x + h * np.concatenate([x[n:], run - a]), q + h * v
        M, zero = eom.mass_matrix(there + now[:n]), np.zeros(n)
        rest = [(eom.bias(there + d, zero) - eom.bias(there - d, zero)) / 2e-5 for d in 1e-5 * np.eye(n)]
        rest = np.column_stack(rest) + B @ K[:, :n]
        P = np.block([[(rest + rest.T) / 2 + region.energy.X, region.energy.S @ M], [(region.energy.S @ M).T, M]])
        return float(now @ P @ now)

    return size(0.0), (size(1e-5) - size(-1e-5)) / 2e-5


def test_runs_of_the_machine_do_not_leave_a_region(rotary) -> None:
    """On the border of the region ``V`` falls, with all terms, for motions at and within the bounds."""
    loop, region = rotary
    rate, push = region.motion["turn"]
    assert 0.01 < region.factor < 1.0 and region.converging is not None and region.converging > 0.0
    assert rate == pytest.approx(0.5 * region.factor) and push == pytest.approx(0.5 * region.factor**2)
    rng, reach = np.random.default_rng(8), np.array(list(region.deviations.values()))

    def border(times: float, speed: float) -> list[float]:
        found = []
        for _ in range(60):
            x = rng.normal(size=4) * reach
            motion = (rng.uniform(-2.0, 2.0), *(speed * rng.choice([-1.0, 1.0], 2) * (rate, speed * push)))
            now, _ = rate_of_size(loop, region, x, motion)
            x *= times * np.sqrt(region.level / now)
            assert times > 1.0 or (np.abs(x) <= reach).all()
            level, change = rate_of_size(loop, region, x, motion)
            found.append(change / level)
        return found

    assert max(border(1.0, 1.0)) < 0.0
    assert max(border(1e-3, 1e-6)) < -2.0 * region.decay  # without forces, at least the decay of the proof
    assert max(border(1.0, 12.0)) > 0.0  # forces of much faster motions drive runs out


def test_the_change_of_the_inequality_is_that_of_the_function_itself(rotary) -> None:
    """Many matrices at once, against the function of one; and derivatives, against differences of the equations."""
    from dalembert.control.varying.regions import _Equations, _inequality

    loop, region = rotary
    rng, n = np.random.default_rng(9), 2
    parts = rng.normal(size=(4, 3, n, n))
    parts[0], parts[1] = parts[0] + parts[0].swapaxes(1, 2), parts[1] + parts[1].swapaxes(1, 2)
    energy = EnergyFunction(rng.normal(size=(n, n)), np.zeros((n, n)), np.ones(2 * n))
    changes = _inequality(energy.S, list(parts), 0.3, True)
    for k in range(3):
        one = np.array([*parts[:, k], np.zeros((n, n)), np.zeros((n, n))])
        assert np.allclose(changes[k], energy.fall(one, 0.3, first=False))
        assert (np.abs(changes[k]) <= _inequality(np.abs(energy.S), list(np.abs(parts)), 0.3, False)[k] + 1e-12).all()
    equations = _Equations(loop)
    assert equations.seen == set()  # nothing depends on the angle of the arm
    frame = np.diag([1.0, 2.0, 1.5, 0.5])
    small, large = (equations.terms(loop, region.energy, frame, size, 0.1) for size in (1e-4, 0.1))
    f = loop_equations(loop.eom, loop.law, loop.point.u)

    def inequality(x: np.ndarray) -> np.ndarray:
        M, change = f(x[:2], x[2:], [0.0, 0.0], 0.0, loop.p)[:2]
        D, K = (f(x[:2], [0.0, 0.0], [0.0, 0.0], 0.0, loop.p)[i] for i in (2, 3))
        D = 0.5 * (D + f(x[:2], x[2:], [0.0, 0.0], 0.0, loop.p)[2])  # the mean between motion and run
        K = 0.5 * (K + f([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 0.0, loop.p)[3])
        rest = [np.array(y.full()) for y in (M, change, D, K)]
        zero = np.zeros((2, 2))
        return frame.T @ region.energy.fall(np.array([*rest, zero, zero]), 0.1, first=False) @ frame

    for _ in range(20):
        z = rng.normal(size=4)
        z *= 1e-4 / np.linalg.norm(z)
        change = np.linalg.norm(inequality(frame @ z) - inequality(np.zeros(4)), 2)
        assert change <= small.bend * 1e-4 * (1.0 + 1e-6)
    assert 2.0 * small.bend < large.bend and 2.0 * small.pair < large.pair


def test_regions_refuse_laws_that_are_not_linear(rotary) -> None:
    class Cubic:
        def state_names(self, eom):
            return ()

        def initial_state(self, eom):
            return np.zeros(0)

        def expression(self, eom, t, q, v, z, p):
            return -0.3 * q[0] ** 3 - 0.1 * v[0], z

    with pytest.raises(DalembertError, match="linear in its states"):
        motion_region(replace(rotary[0], law=Cubic()))


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
