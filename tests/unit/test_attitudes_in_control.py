"""Predictive control of machines with quaternions: the same plans as in angles, the regulator at rest, either sign."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are
from scipy.optimize import least_squares

import dalembert as da
from dalembert import control
from dalembert.core.errors import InputError
from dalembert.spatial.rotations import numpy, quaternion_from_matrix, rotation_about

INERTIA = np.diag([4.0, 6.0, 9.0])
FRAMES = [da.Frame("nose", "hull", (1.0, 0.2, 0.0)), da.Frame("mast", "hull", (0.0, 0.1, 1.0))]
TORQUES = [da.Thruster(f"t{a}", "hull", torque=axis) for a, axis in zip("xyz", np.eye(3), strict=True)]


def satellite() -> da.Machine:
    """Turns about its centre of mass."""
    return da.Machine(
        "satellite",
        [da.Body("hull", mass=20.0, inertia=INERTIA)],
        [da.Joint("base", "spherical", "world", "hull")],
        frames=FRAMES,
        thrusters=TORQUES,
    )


def gimballed() -> da.Machine:
    """The same hull on three gimbals without mass: angles about z, y and x."""
    return da.Machine(
        "gimballed",
        [da.Body("outer"), da.Body("inner"), da.Body("hull", mass=20.0, inertia=INERTIA)],
        [
            da.Joint("yaw", "revolute", "world", "outer", axis="z"),
            da.Joint("pitch", "revolute", "outer", "inner", axis="y"),
            da.Joint("roll", "revolute", "inner", "hull", axis="x"),
        ],
        frames=FRAMES,
        thrusters=TORQUES,
    )


UNCERTAINTY = {f"base.q{a}": 0.1 for a in "wxyz"} | {f"base.w{a}": 0.05 for a in "xyz"}


def observed() -> da.Machine:
    """With a star tracker, which is slower than its gyroscope."""
    sensors = [
        da.Sensor("stars", tuple(f"base.q{a}" for a in "wxyz"), period=0.1, noise=2e-3, feedback=False),
        da.Sensor("gyro", tuple(f"base.w{a}" for a in "xyz"), period=0.05, noise=1e-3, feedback=False),
    ]
    return satellite().with_(sensors=sensors)


def first_inputs(machine: da.Machine, law: Any, **start: Any) -> np.ndarray:
    run = da.simulate(machine, duration=0.1, step=0.05, control=law, **start)
    assert run["mpc.status"][0] == 0
    return np.array([run[f"u.t{a}"][0] for a in "xyz"])


@pytest.mark.slow
def test_plans_are_those_in_angles() -> None:
    points = {"position.nose.y": 5.0, "position.nose.z": 7.0, "position.mast.x": 6.0, "position.mast.y": 3.0}
    cost = da.Cost(inputs=1e-2, outputs=points)
    limits = {f"t{a}": (-1.5, 1.5) for a in "xyz"}
    settings: dict[str, Any] = {"horizon": 3.0, "intervals": 15, "cost": cost, "limits": limits, "rounds": 30}
    settings |= {"tolerance": 1e-9, "steps": 4}
    yaw, pitch, roll, rates = 0.5, -0.3, 0.7, np.array([0.1, -0.2, 0.15])
    turns = zip(np.eye(3)[::-1], (yaw, pitch, roll), strict=True)
    Q = quaternion_from_matrix(np.linalg.multi_dot([numpy(rotation_about(axis, angle)) for axis, angle in turns]))
    machine, other = satellite(), gimballed()
    law = da.mpc(machine, **settings)
    q = dict(zip(machine.q_names, Q, strict=True))
    v = dict(zip(machine.v_names, rates, strict=True))
    mine = first_inputs(machine, law, q0=q, v0=v)
    # Rates of the angles that give the same angular velocity in the axes of the hull.
    J = da.equations(other).jacobian("hull", [yaw, pitch, roll])[3:]
    speeds = np.linalg.solve(J, rates)
    theirs = first_inputs(
        other,
        da.mpc(other, **settings),
        q0={"yaw": yaw, "pitch": pitch, "roll": roll},
        v0=dict(zip(other.v_names, speeds, strict=True)),
    )
    assert np.abs(mine).max() > 0.1
    np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(first_inputs(machine, law, q0={k: -x for k, x in q.items()}, v0=v), mine)


@pytest.mark.slow
def test_without_limits_it_is_the_regulator_in_the_tangent_space() -> None:
    machine, h, w_q, w_v, w_u = satellite(), 0.2, 8.0, 3.0, 0.1
    names = machine.q_names[1:]
    cost = da.Cost(states=dict.fromkeys(names, w_q) | dict.fromkeys(machine.v_names, w_v), inputs=w_u, terminal="lqr")
    axis = np.array([1.0, 2.0, -1.0]) / np.sqrt(6.0)
    goal = np.array([np.cos(0.4), *(np.sin(0.4) * axis)])
    law = da.mpc(machine, horizon=1.0, intervals=5, cost=cost, reference=dict(zip(machine.q_names, goal, strict=True)))
    # A displacement d in the axes of the hull moves the vector part by (w d + r x d) / 2.
    r = goal[1:]
    cross = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    N = (goal[0] * np.eye(3) + cross) / 2
    A = np.block([[np.eye(3), h * np.eye(3)], [np.zeros((3, 3)), np.eye(3)]])
    B = np.vstack([h * h / 2 * np.linalg.inv(INERTIA), h * np.linalg.inv(INERTIA)])
    Q = np.zeros((6, 6))
    Q[:3, :3], Q[3:, 3:] = w_q * N.T @ N, w_v * np.eye(3)
    P = solve_discrete_are(A, B, h * Q, h * w_u * np.eye(3))
    K = np.linalg.solve(h * w_u * np.eye(3) + B.T @ P @ B, B.T @ P @ A)
    d, v = 1e-5 * np.array([1.0, -2.0, 0.5]), 1e-5 * np.array([0.3, 0.7, -1.1])
    full = np.vstack([-r, goal[0] * np.eye(3) + cross]) / 2
    q = goal + full @ d
    u = first_inputs(
        machine,
        law,
        q0=dict(zip(machine.q_names, q / np.linalg.norm(q), strict=True)),
        v0=dict(zip(machine.v_names, v, strict=True)),
    )
    np.testing.assert_allclose(u, -K @ np.concatenate([d, v]), rtol=1e-3, atol=1e-10)


@pytest.mark.slow
def test_a_drone_carries_a_load_on_a_sling() -> None:
    """Velocities follow the reference of a free base in its own axes, inputs hold it, and the sling swings out."""
    arms = [(0.25, 0, 0), (0, 0.25, 0), (-0.25, 0, 0), (0, -0.25, 0)]
    drone = da.Machine(
        "drone",
        [
            da.Body("frame", mass=1.2, inertia=np.diag([0.012, 0.012, 0.02])),
            da.point_mass("load", 0.3, com=(0, 0, -0.8)),
        ],
        [
            da.Joint("base", "free", "world", "frame"),
            da.Joint("sling", "universal", "frame", "load", axis="x", second_axis="y", damping=0.02),
        ],
        frames=[da.Frame(f"r{k}", "frame", arm) for k, arm in enumerate(arms)],
        thrusters=[da.Thruster(f"r{k}", f"r{k}", force=(0, 0, 1), torque=(0, 0, 0.02 * (-1) ** k)) for k in range(4)],
    )
    weights = (
        {f"base.{a}": 10.0 for a in "xyz"} | {f"base.v{a}": 1.0 for a in "xyz"} | {f"base.w{a}": 0.1 for a in "xyz"}
    )
    law = da.mpc(
        drone,
        horizon=1.5,
        intervals=20,
        cost=da.Cost(states=weights | {"base.qz": 1.0}, inputs=0.01, terminal="lqr"),
        reference={"base.x": 1.0, "base.y": -0.5, "base.z": 0.5},
        limits={f"r{k}": (0, 8) for k in range(4)},
    )
    run = da.simulate(drone, duration=5.0, step=0.01, control=law, q0={"sling.angle1": 0.3})
    assert run.status == "completed" and (run["mpc.status"] == 0).all()
    assert [run[f"base.{a}"][-1] for a in "xyz"] == pytest.approx([1.0, -0.5, 0.5], abs=0.02)
    assert all(run[f"u.r{k}"].min() >= 0.0 and run[f"u.r{k}"].max() <= 8.0 for k in range(4))


def stepped(x: np.ndarray, h: float) -> np.ndarray:
    """Attitude and rates after a Runge-Kutta step of Euler's equations."""

    def rate(x: np.ndarray) -> np.ndarray:
        q, v = x[:4], x[4:]
        turn = 0.5 * np.array([-q[1:] @ v, *(q[0] * v + np.cross(q[1:], v))])
        return np.concatenate([turn, np.linalg.solve(INERTIA, -np.cross(v, INERTIA @ v))])

    a = rate(x)
    b = rate(x + h / 2 * a)
    c = rate(x + h / 2 * b)
    return np.asarray(x + h / 6 * (a + 2 * b + 2 * c + rate(x + h * c)))


def multiplicative_filter(run: da.Run, density: float, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Attitudes and their deviations by a filter whose error is a rotation vector in the axes of the hull.

    Lefferts, Markley, Shuster: Kalman filtering for spacecraft attitude estimation (1982), with Euler's equations.
    """
    h, Q, w = 0.05, start.copy(), np.zeros(3)
    P = np.diag([4 * 0.1**2] * 3 + [0.05**2] * 3)

    def cross(v: np.ndarray) -> np.ndarray:
        return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])

    found, deviations = [], []
    for k in range(round(run.t[-1] / h) + 1):
        row = int(np.argmin(np.abs(run.t - k * h)))
        if k:
            spin = np.linalg.solve(INERTIA, cross(INERTIA @ w) - cross(w) @ INERTIA)
            A = np.block([[-cross(w), np.eye(3)], [np.zeros((3, 3)), spin]])
            F = np.eye(6) + h * A + h * h / 2 * A @ A + h**3 / 6 * A @ A @ A
            P = F @ P @ F.T + np.diag([0, 0, 0, *[h * density**2] * 3])
            x = stepped(np.concatenate([Q, w]), h)
            Q, w = x[:4] / np.linalg.norm(x[:4]), x[4:]
        N = 0.5 * np.vstack([-Q[1:], Q[0] * np.eye(3) + cross(Q[1:])])
        H, e = [np.hstack([np.zeros((3, 3)), np.eye(3)])], [[run[f"gyro.base.w{a}"][row] for a in "xyz"] - w]
        R = [1e-6] * 3
        if k % 2 == 0:
            seen = np.array([run[f"stars.base.q{a}"][row] for a in "wxyz"])
            H, e, R = [np.hstack([N, np.zeros((4, 3))]), *H], [seen * np.sign(seen @ Q) - Q, *e], [4e-6] * 4 + R
        J, y = np.vstack(H), np.concatenate(e)
        K = P @ J.T @ np.linalg.inv(J @ P @ J.T + np.diag(R))
        d, P = K @ y, (np.eye(6) - K @ J) @ P
        Q, w = Q + N @ d[:3], w + d[3:]
        Q /= np.linalg.norm(Q)
        N = 0.5 * np.vstack([-Q[1:], Q[0] * np.eye(3) + cross(Q[1:])])
        found.append(Q)
        deviations.append(np.sqrt(np.diag(N @ P[:3, :3] @ N.T)))
    return np.array(found), np.array(deviations)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_attitudes_are_those_of_a_multiplicative_filter(sign: float) -> None:
    machine, start = observed(), np.array([np.cos(0.04), 0.0, np.sin(0.04), 0.0])
    seen = da.ekf(
        machine,
        period=0.05,
        noise={f"base.w{a}": 5e-3 for a in "xyz"},
        uncertainty=UNCERTAINTY,
        start=dict(zip(machine.q_names, start, strict=True)),
    )
    still = control.Sampled(control.Feedforward(dict.fromkeys(("tx", "ty", "tz"), 0.0)), 0.05)
    q0 = dict(zip(machine.q_names, sign * np.array([1.0, 0.0, 0.0, 0.0]), strict=True))
    v0 = {"base.wx": 0.2, "base.wy": -0.3, "base.wz": 0.1}
    run = da.simulate(
        machine, duration=4.02, step=0.01, record=0.05, control=control.Cascade(still, [seen]), q0=q0, v0=v0, seed=3
    )
    rows = [int(np.argmin(np.abs(run.t - 0.05 * k))) for k in range(81)]
    mine = np.array([[run[f"ekf.base.q{a}"][r] for a in "wxyz"] for r in rows])
    spread = np.array([[run[f"ekf.deviation.base.q{a}"][r] for a in "wxyz"] for r in rows])
    other, deviations = multiplicative_filter(run, 5e-3, start)
    np.testing.assert_allclose(np.linalg.norm(mine, axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(mine[4:], other[4:], atol=5e-5)
    np.testing.assert_allclose(spread[4:], deviations[4:], rtol=0.02, atol=1e-6)
    truth = np.array([[run[f"base.q{a}"][r] for a in "wxyz"] for r in rows])
    assert np.abs(mine[20:] - sign * truth[20:]).max() < 3e-3


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_moving_horizon_of_attitudes_is_the_least_squares_solution(sign: float) -> None:
    """Of all readings since the start, in rotation vectors and with Euler's equations, by SciPy."""
    machine, start, h, n = observed(), np.array([np.cos(0.1), 0.0, np.sin(0.1), 0.0]), 0.05, 8
    seen = da.mhe(
        machine,
        horizon=n * h,
        period=h,
        noise={f"base.w{a}": 5e-2 for a in "xyz"},
        uncertainty=UNCERTAINTY,
        start=dict(zip(machine.q_names, start, strict=True)),
        rounds=6,
    )
    still = control.Sampled(control.Feedforward(dict.fromkeys(("tx", "ty", "tz"), 0.0)), h)
    q0 = dict(zip(machine.q_names, sign * np.array([1.0, 0.0, 0.0, 0.0]), strict=True))
    v0 = {"base.wx": 0.8, "base.wy": -0.5, "base.wz": 0.3}
    run = da.simulate(
        machine, duration=4.02, step=0.01, record=h, control=control.Cascade(still, [seen]), q0=q0, v0=v0, seed=3
    )
    rows = [int(np.argmin(np.abs(run.t - h * k))) for k in range(81)]
    mine = np.array([[run[f"mhe.base.{a}"][r] for a in ("qw", "qx", "qy", "qz", "wx", "wy", "wz")] for r in rows])
    stars = np.array([[run[f"stars.base.q{a}"][r] for a in "wxyz"] for r in rows])
    gyro = np.array([[run[f"gyro.base.w{a}"][r] for a in "xyz"] for r in rows])

    def unpacked(z: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        Q = start + 0.5 * np.array([-start[1:] @ z[:3], *(start[0] * z[:3] + np.cross(start[1:], z[:3]))])
        x = np.concatenate([Q / np.linalg.norm(Q), z[3:6]])
        states = [x]
        for w in z[6:].reshape(n, 3):
            x = stepped(x, h)
            x[4:] += w
            states.append(x)
        return z[6:], states

    def residuals(z: np.ndarray) -> np.ndarray:
        noise, states = unpacked(z)
        d = states[0] - np.concatenate([start, np.zeros(3)])
        along = start @ d[:4]
        first = [(d[:4] - along * start) / 0.1, [along], d[4:] / 0.05]
        tracked = [(np.sign(stars[k] @ states[k][:4]) * stars[k] - states[k][:4]) / 2e-3 for k in range(0, n + 1, 2)]
        turned = [(gyro[k] - states[k][4:]) / 1e-3 for k in range(n + 1)]
        return np.concatenate([*first, noise / (5e-2 * np.sqrt(h)), *tracked, *turned])

    best = least_squares(residuals, np.zeros(6 + 3 * n), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    np.testing.assert_allclose(mine[n], unpacked(best.x)[1][-1], atol=2e-6)
    np.testing.assert_allclose(np.linalg.norm(mine[:, :4], axis=1), 1.0, atol=1e-12)
    assert (run["mhe.status"] == 0).all()
    truth = np.array([[run[f"base.q{a}"][r] for a in "wxyz"] for r in rows])
    assert np.abs(mine[20:, :4] - sign * truth[20:]).max() < 5e-3


def test_what_has_no_quaternions_refuses_them_by_name() -> None:
    machine, cost = satellite(), da.Cost(inputs=1.0)
    with pytest.raises(InputError, match=r"midpoint.*quaternions \(base\)"):
        da.mpc(machine, horizon=1.0, intervals=5, cost=cost, integrator="midpoint")
    with pytest.raises(InputError, match=r"terminal sets.*quaternions \(base\)"):
        da.mpc(machine, horizon=1.0, intervals=5, cost=da.Cost(inputs=1.0, terminal="lqr"), terminal_set="lqr")
    with pytest.raises(InputError, match=r"attitude has four components, and 'base' lacks base\.qw"):
        da.mpc(machine, horizon=1.0, intervals=5, cost=cost, reference={f"base.q{a}": 0.0 for a in "xyz"})
