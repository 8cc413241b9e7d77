"""Natural coordinates: mass matrix, forces, retrieval, and motions equal to those in minimal coordinates."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.formulations.natural import body as nb
from dalembert.spatial.rotations import numpy, quaternion_matrix, rpy_from_matrix
from support.random_machines import random_machine

RNG = np.random.default_rng(5)
SKEW = nb.NaturalBasis((0.1, 0.2, -0.1), (0.1, 0.5, 0.3), (0.6, 0.8, 0.0), (0.0, 0.0, 1.0))


def random_pose() -> tuple[np.ndarray, np.ndarray]:
    Q = RNG.normal(size=4)
    return numpy(quaternion_matrix(Q / np.linalg.norm(Q))), RNG.normal(size=3)


@pytest.mark.parametrize("basis", [nb.ORTHONORMAL, SKEW])
def test_one_body(basis) -> None:
    """(9)-(16) with any basis: energy, points, rotation, angular velocity and rigidity of a moving body."""
    m, com, J = 3.0, np.array([0.1, -0.2, 0.3]), np.array([[0.5, 0.01, 0.02], [0.01, 0.6, -0.03], [0.02, -0.03, 0.4]])
    R, p = random_pose()
    w, v = RNG.normal(size=3), RNG.normal(size=3)  # world axes; v of the body frame's origin
    q = numpy(nb.coordinates_of(R, p, basis))
    S = numpy(ca.skew(w))
    qdot = numpy(nb.coordinates_of(S @ R, v, basis))
    M = numpy(nb.mass_matrix(m, com, J, basis))
    vc = v + np.cross(w, R @ com)
    assert 0.5 * qdot @ M @ qdot == pytest.approx(0.5 * m * vc @ vc + 0.5 * w @ R @ J @ R.T @ w)
    assert np.linalg.eigvalsh(M)[0] > 0
    x = RNG.normal(size=3)
    assert np.allclose(numpy(nb.point_matrix(x, basis)) @ q, p + R @ x)
    assert np.allclose(numpy(nb.vector_matrix(x, basis)) @ q, R @ x)
    assert np.allclose(numpy(nb.rotation(q, basis)), R)
    assert np.allclose(numpy(nb.angular_velocity(q, qdot, basis)), w)
    assert np.allclose(numpy(nb.rigid_constraints(q, basis)), 0, atol=1e-14)
    bent = q.copy()
    bent[4] += 0.1
    assert np.abs(numpy(nb.rigid_constraints(bent, basis))).max() > 1e-3
    alpha, beta, gamma = numpy(nb.euler_zyx(R))
    assert np.allclose([gamma, beta, alpha], rpy_from_matrix(R))


@pytest.mark.parametrize("basis", [nb.ORTHONORMAL, SKEW])
def test_torques_do_the_work_of_torques(basis) -> None:
    """Both corrected forms of (17): f . qdot = w . omega for every rigid motion."""
    R, p = random_pose()
    torque = RNG.normal(size=3)
    q = numpy(nb.coordinates_of(R, p, basis))
    for force in (nb.torque_force(q, torque), nb.torque_force_pair(q, torque, basis)):
        for _ in range(5):
            w, v = RNG.normal(size=3), RNG.normal(size=3)
            qdot = numpy(nb.coordinates_of(numpy(ca.skew(w)) @ R, v, basis))
            assert numpy(force) @ qdot == pytest.approx(torque @ w)


def test_bases_that_span_nothing_are_refused() -> None:
    with pytest.raises(da.InputError, match="plane"):
        nb.NaturalBasis(v_j=(0.0, 1.0, 0.0))
    with pytest.raises(da.InputError, match="unit"):
        nb.NaturalBasis(v_j=(0.0, 0.0, 2.0))


def accelerations(machine: da.Machine, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations of the natural coordinates: from the tree's by kinematics, and by the natural equations."""
    rng = np.random.default_rng(seed)
    tree, natural = (da.equations(machine, by, backend="vm") for by in ("newton-euler", "natural"))
    q, v = tree.random_configuration(rng), rng.normal(size=tree.nv)
    u = rng.normal(size=tree.nu)
    a = tree.forward_dynamics(q, v, tree.applied(q, v, u))
    f = natural.formulation.from_machine
    s = [ca.SX.sym("q", machine.nq), ca.SX.sym("v", machine.nv), ca.SX.sym("p", len(machine.parameters))]
    rate = ca.Function("rate", [tree.symbolic.q, tree.symbolic.v, tree.symbolic.p], [tree.symbolic.coordinate_rate])
    _, w = f(*s)
    b = ca.SX.sym("a", machine.nv)
    total = ca.jtimes(w, s[0], rate(*s)) + ca.jtimes(w, s[1], b)
    expected = ca.Function("expected", [*s, b], [total])(q, v, machine.p_nominal, a)
    qn, vn = natural.from_machine(q, v)
    assert np.allclose(natural.constraints(qn), 0, atol=1e-10)
    assert np.allclose(natural.constraint_velocity(qn, vn), 0, atol=1e-9)
    back = natural.to_machine(qn, vn)
    assert np.allclose(back[1], v, atol=1e-9)
    found, _ = natural.constrained_dynamics(qn, vn, natural.applied(qn, vn, u))
    return np.array(expected.full())[:, 0], found


@pytest.mark.parametrize("seed", range(8))
def test_random_trees_accelerate_as_in_minimal_coordinates(seed) -> None:
    machine = random_machine(seed, joints=4, losses=False, motors=False, massless=False, parameters=seed % 2 == 1)
    expected, found = accelerations(machine, seed)
    assert np.allclose(found, expected, rtol=1e-7, atol=1e-7 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("seed", [0, 1])
def test_many_states_are_those_of_each(seed: int) -> None:
    """Starts of a rollout are taken to natural coordinates together, with parameters of their own."""
    machine = random_machine(seed, joints=3, losses=False, motors=False, massless=False, parameters=seed % 2 == 1)
    natural, rng = da.equations(machine, "natural", backend="vm"), np.random.default_rng(seed)
    tree = da.equations(machine, "newton-euler", backend="vm")
    q, v = np.array([tree.random_configuration(rng) for _ in range(3)]), rng.normal(size=(3, machine.nv))
    p = machine.p_nominal * rng.uniform(0.9, 1.1, (3, len(machine.parameters)))
    for given in (p, machine.p_nominal):
        together = natural.from_machine(q, v, p=given)
        each = [
            natural.from_machine(*one[:2], p=one[2]) for one in zip(q, v, np.broadcast_to(given, p.shape), strict=True)
        ]
        for k in range(2):
            np.testing.assert_array_equal(together[k], [one[k] for one in each])


def driven_arm() -> da.Machine:
    """Two thick links with motor, spring and losses; the second follows a prismatic joint."""
    return da.Machine(
        "arm",
        bodies=[
            da.box("one", 2.0, (0.6, 0.1, 0.1), com=(0.3, 0, 0)),
            da.box("two", 1.0, (0.4, 0.1, 0.1), com=(0.2, 0, 0)),
        ],
        joints=[
            da.Joint("q1", "revolute", "world", "one", axis=(0, 1, 0), damping=0.1),
            da.Joint(
                "q2", "revolute", "one", "two", da.Transform((0.6, 0, 0)), axis=(0, 1, 1), stiffness=3.0, rest=0.2,
                friction=0.05, friction_velocity=0.1,
            ),
        ],
        motors=[da.Motor("m2", "q2", ratio=2.0)],
    )  # fmt: skip


def test_motor_spring_and_losses_between_bodies() -> None:
    expected, found = accelerations(driven_arm(), 3)
    assert np.allclose(found, expected, atol=1e-9)


def test_motion_of_an_arm() -> None:
    kw = {"duration": 1.0, "q0": {"q1": 0.3, "q2": -0.4}, "v0": {"q1_dot": 1.0}, "control": [0.5]}
    kw |= {"method": "dopri5", "rtol": 1e-10, "atol": 1e-12, "record": 0.1}
    minimal, natural = (da.simulate(driven_arm(), by=by, **kw) for by in ("newton-euler", "natural"))
    for name in ("q1", "q2", "q1_dot", "q2_dot", "energy.kinetic", "energy.potential", "work.input", "work.loss"):
        assert np.allclose(natural[name], minimal[name], atol=1e-8), name
    assert natural.energy.drift < 1e-8


def test_free_body_tumbles_alike_for_ten_seconds() -> None:
    """Torque-free tumbling about the middle axis: the hardest to follow."""
    machine = da.Machine(
        "racket", bodies=[da.Body("b", 1.0, (0.1, 0, 0), (0.1, 0.2, 0.28))],
        joints=[da.Joint("f", "free", "world", "b")],
    )  # fmt: skip
    kw = {"duration": 10.0, "v0": {"f.wx": 0.01, "f.wy": 3.0, "f.vz": 40.0}, "method": "dopri5", "record": 0.5}
    kw |= {"rtol": 1e-12, "atol": 1e-13}
    minimal, natural = (da.simulate(machine, by=by, **kw) for by in ("newton-euler", "natural"))
    for name in machine.q_names:
        assert np.allclose(natural[name], minimal[name], atol=1e-8), name
    assert np.ptp(natural["f.wx"]) > 1.0


def test_refusals() -> None:
    hung = da.Machine(
        "hung", bodies=[da.rod("b", 1.0, 1.0, axis="z", com=(0, 0, -0.5)), da.box("c", 1.0, (0.1, 0.1, 0.1))],
        joints=[
            da.Joint("t", "revolute", "world", "b", axis=(0, 1, 0)),
            da.Joint("u", "revolute", "b", "c", da.Transform((0, 0, -1)), axis=(0, 1, 0)),
        ],
    )  # fmt: skip
    with pytest.raises(da.InputError, match="body 'b' has no extent"):
        da.equations(hung, by="natural")
    arm = driven_arm()
    with pytest.raises(da.InputError, match="constrained_dynamics"):
        da.equations(arm, by="natural", backend="vm").forward_dynamics(np.zeros(26), np.zeros(24), np.zeros(24))
    with pytest.raises(da.UnknownNameError, match="natural"):
        da.equations(arm, by="naturel")


def test_verify_compares_natural_coordinates() -> None:
    arm = driven_arm()
    report = da.verify(arm, samples=5)
    rows = [row for row in report.rows if "natural" in row.pair]
    assert {"mass matrix", "bias", "acceleration", "acceleration under constraints"} <= {row.quantity for row in rows}
    assert report.ok
    assert max(row.residual for row in rows) < 1e-10


def test_limits_of_joints_between_bodies_are_events_too() -> None:
    arm = driven_arm()
    joints = [arm.joints[0], replace(arm.joints[1], limits=da.Limits(-0.05, 0.05))]
    runs = [
        da.simulate(arm.with_(joints=joints), by=by, duration=0.5, v0={"q2_dot": 2.0}, method="dopri5", rtol=1e-9)
        for by in ("newton-euler", "natural")
    ]
    times = [[(e.name, round(e.t, 6)) for e in run.events] for run in runs]
    assert times[0] and times[0] == times[1]


def test_two_motors_on_one_joint_lose_what_both_lose() -> None:
    machine = da.Machine(
        "geared pendulum",
        bodies=[da.box("link", 1.0, (0.1, 0.2, 1.0), com=(0, 0, -0.5))],
        joints=[da.Joint("theta", "revolute", "world", "link", axis=(0, 1, 0))],
        motors=[da.Motor("m1", "theta", ratio=3.0, damping=0.02), da.Motor("m2", "theta", ratio=2.0, damping=0.05)],
    )
    options = {"duration": 1.0, "q0": [1.0], "method": "rk4", "step": 1e-3}
    tree = da.simulate(machine, **options)  # type: ignore[arg-type]
    natural = da.simulate(machine, by="natural", **options)  # type: ignore[arg-type]
    assert tree["work.loss"][-1] < -0.1
    assert natural["work.loss"][-1] == pytest.approx(tree["work.loss"][-1], rel=1e-6)
    assert natural["theta"][-1] == pytest.approx(tree["theta"][-1], abs=1e-7)
