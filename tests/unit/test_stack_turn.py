"""The turn of a captured stack: its efforts against Euler's equations, its time against limits, its law."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.support.chasers import hulk, seven_joints

import dalembert as da
from dalembert import plan
from dalembert.spatial.rotations import quaternion_from_matrix
from dalembert.systems import space_robots
from dalembert.systems.space_robots.detumbling import stack_feedback
from dalembert.systems.space_robots.flying_around import turned_by
from dalembert.systems.space_robots.transport import _efforts, stack_turn, transport_feedback
from dalembert.systems.space_robots.twins import ChaserTwins, chaser_twins

GRIP = {"grip_x": 0.1, "grip_y": -0.2, "grip_z": 0.9, "grip_roll": 0.3, "grip_pitch": 0.4, "grip_yaw": -0.2}


@pytest.fixture(scope="module")
def stack() -> tuple[ChaserTwins, da.EquationsOfMotion, np.ndarray]:
    """The chaser, its rigid stack, and a configuration."""
    twins = chaser_twins(space_robots.rigid_twin(seven_joints(), "hand"), "hand", "x")
    machine = space_robots.captured_stack(twins.machine, None, hulk(), frame=twins.frame)
    eom = da.equations(machine, backend="vm")
    q = eom.q_neutral.copy()
    at = eom.q_names.index("bus.x")
    q[at : at + 7] = [0.3, -0.2, 0.5, *quaternion_from_matrix(turned_by(np.array([0.3, -0.5, 0.2]))).ravel()]
    q[[eom.q_names.index(n) for n in twins.joints]] = np.linspace(-0.8, 0.9, 7)
    return twins, eom, q


def test_efforts_turn_the_stack_about_its_centre_of_mass(stack) -> None:
    """Torques of Euler's equations with the inertia of all bodies about their centre of mass; joints only carry."""
    twins, eom, q = stack
    p, axis, time = eom.parameter_values(GRIP), np.array([0.7, -0.4, 0.9]), 80.0
    table = _efforts(eom, p, twins, q, axis, time)
    M = eom.mass_matrix(q, p=p)[:6, :6]
    I = M[3:, 3:] - M[3:, :3] @ np.linalg.solve(M[:3, :3], M[:3, 3:])
    for x, row in zip(np.linspace(0.0, 1.0, len(table)), table, strict=True):
        w = 30.0 * x**2 * (1.0 - x) ** 2 / time * axis
        dw = 60.0 * x * (1.0 - 3.0 * x + 2.0 * x * x) / time**2 * axis
        assert np.allclose(row[:3], I @ dw + np.cross(w, I @ w), atol=1e-10)
    # driven by them alone, and with its joints held by them, the stack turns as planned
    k = 20
    x = np.linspace(0.0, 1.0, len(table))[k]
    w = 30.0 * x**2 * (1.0 - x) ** 2 / time * axis
    X = eom.pose("bus", q, p=p)
    c = X[:3, :3].T @ (eom.center_of_mass(q, p=p) - X[:3, 3])
    v, tau = np.zeros(eom.nv), np.zeros(eom.nv)
    v[:6] = np.concatenate([-np.cross(w, c), w])
    tau[3:6] = table[k, :3]
    tau[[eom.v_names.index(f"{n}_dot") for n in twins.joints]] = table[k, 3:]
    a = eom.forward_dynamics(q, v, tau, p=p)
    assert np.allclose(a[3:6], 60.0 * x * (1.0 - 3.0 * x + 2.0 * x * x) / time**2 * axis, atol=1e-12)
    assert np.abs(a[6:]).max() < 1e-12


def test_a_turn_takes_the_time_that_its_torques_need(stack) -> None:
    twins, eom, q = stack
    law = stack_feedback(eom, twins, tuple(np.linspace(-0.8, 0.9, 7).tolist()), 0.9)
    held = transport_feedback(eom, eom.parameter_values(GRIP), q, twins, law, 0.004)
    assert min(held.base_kp) > 0.0 and held.kp == law.kp
    light = replace(law, kd=tuple(500.0 * x for x in law.kd))
    with pytest.raises(plan.PlanError, match=r"no loop of 0\.0125 rad/s or faster holds the attitude"):
        transport_feedback(eom, eom.parameter_values(GRIP), q, twins, light, 0.004)
    wanted = quaternion_from_matrix(turned_by(np.array([-0.4, 1.2, 0.3]))).ravel()
    limits = plan.RobotLimits(base_torque=(3.0, 3.0, 3.0), joint_torque=40.0)
    turn = stack_turn(eom, GRIP, twins, (5.0, q), wanted, limits, held)
    assert np.abs(turn.table[:, :3]).max() <= 1.5 and np.abs(turn.table[:, :3]).max() > 1.2
    n = len(twins.joints)
    first, last = turn(5.0, q, q, {}), turn(5.0 + turn.duration, q, q, {})
    assert np.allclose(first[:n], turn.posture) and abs(last[-4:] @ wanted) == pytest.approx(1.0, abs=1e-12)
    # in the middle the damping of the law works on the error alone: guidance adds that of the wanted rate
    middle = turn(5.0 + 0.5 * turn.duration, q, q, {})
    row = 0.5 * (turn.table[31] + turn.table[32])
    rate = 1.875 / turn.duration * turn.axis
    assert np.allclose(middle[-7:-4], row[:3] + np.array(held.base_kd) * rate, atol=1e-9)
    weak = plan.RobotLimits(base_torque=(3e-4,) * 3, joint_torque=40.0)
    with pytest.raises(plan.PlanError, match=r"a turn of the stack by \d+ degrees takes longer than 1800 s"):
        stack_turn(eom, GRIP, twins, (5.0, q), wanted, weak, held)
