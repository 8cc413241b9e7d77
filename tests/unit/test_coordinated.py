"""Coordinated guidance of SPACE 8.1.2, and the poles of sampled cascades."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import dalembert as da
from dalembert import control
from dalembert.loop import sampled_poles
from dalembert.spatial.rotations import quaternion_from_matrix
from dalembert.systems import space_robots

POSTURE = {"base.qw": 1.0, "theta2": -0.9, "theta3": 1.7, "theta4": -0.8}


def cart(**parts) -> da.Machine:
    return da.Machine(
        "cart",
        bodies=[da.point_mass("m", 2.0)],
        joints=[da.Joint("x", "prismatic", "world", "m", axis=(1, 0, 0), damping=0.5)],
        motors=[da.Motor("F", "x")],
        gravity=(0.0, 0.0, 0.0),
        **parts,
    )


def test_poles_of_a_sampled_law_are_those_of_the_book() -> None:
    """Zero-order hold of a damped mass: the matrix exponential of plant and held force."""
    A = np.array([[0.0, 1.0, 0.0], [0.0, -0.25, 0.5], [0.0, 0.0, 0.0]])
    h, K = 0.2, np.array([3.0, 2.0])
    E = expm(A * h)
    expected = np.linalg.eigvals(E[:2, :2] - np.outer(E[:2, 2], K))
    found = sampled_poles(cart(), control.Sampled(da.PD(*K, [0.0]), h))
    moving = found.poles[np.abs(found.poles) > 1e-6]
    assert np.allclose(np.sort_complex(moving), np.sort_complex(expected), atol=1e-8)
    assert found.stable and found.period == h


@pytest.mark.parametrize(("kd", "stable"), [(19.0, True), (21.0, False)])
def test_a_sampled_damper_is_limited_by_its_inertia(kd: float, stable: bool) -> None:
    """``Kd Ts < 2 J``: a mass of 2 kg at 0.2 s (its own losses shift the limit by a part of a hundredth)."""
    free = cart().with_(joints=[da.Joint("x", "prismatic", "world", "m", axis=(1, 0, 0))])
    found = sampled_poles(free, control.Sampled(da.PD(0.01, kd, [0.0]), 0.2))
    assert found.stable is stable


def test_delays_and_two_periods_against_simulation() -> None:
    """The decay of a run with two periods and a delayed sensor is that of its largest pole."""
    sensor = da.Sensor("ruler", ("x", "x_dot"), 0.05, delay=0.07)
    guide = control.NativeGuidance(lambda k: [k["goal"] + 0.1 * (0.3 - k["x"])], 0.1, ["goal"], name="guide")
    loop = control.Cascade(control.Sampled(da.PD(4.0, 3.0, control.Follow(["goal"])), 0.05), [guide])
    poles = sampled_poles(cart(), loop, [0.3], held={"goal": 0.3}, sensors=[sensor])
    run = da.simulate(cart(), duration=40.0, q0=[0.31], control=loop, sensors=[sensor], record=0.1)
    late = run.t > 15.0
    y = np.abs(run["x"] - 0.3)
    peaks = [k for k in range(1, len(y) - 1) if late[k] and y[k - 1] < y[k] >= y[k + 1]]
    rate = np.polyfit(run.t[peaks], np.log(y[peaks]), 1)[0] if len(peaks) > 3 else None
    if rate is None:
        rate = np.polyfit(run.t[late], np.log(y[late]), 1)[0]
    assert poles.stable and poles.slowest == pytest.approx(rate, rel=0.05)


def robot() -> tuple[da.Machine, da.EquationsOfMotion, np.ndarray]:
    machine = space_robots.space_chaser("rigid", arrays=None)
    eom = da.equations(machine)
    return machine, eom, np.array([POSTURE.get(n, 0.0) for n in eom.q_names])


def loop(eom: da.EquationsOfMotion, q0: np.ndarray, target, **settings) -> control.Cascade:
    """Gains for 1 rad/s of the joints and 0.3 rad/s of the base, of the diagonal of the mass matrix."""
    D = np.diag(eom.mass_matrix(q0))
    base = 0.09 * D[:6], 0.6 * D[:6]
    joints = D[6:], 1.6 * D[6:]
    guidance = space_robots.CoordinatedGuidance(eom, target, **settings)
    return space_robots.coordinated_loop(guidance, base=base, joints=joints)


def test_the_base_keeps_the_target_in_reach_and_the_tip_goes_there() -> None:
    """At the end the tip is at its target, the target 4.5 m from the anchor, the base upright."""
    machine, eom, q0 = robot()
    X = eom.pose("tip", q0)
    goal = [*(X[:3, 3] + [0.8, 0.3, -0.2]), *quaternion_from_matrix(X[:3, :3])]
    signals = [da.Signal("tip", frame="tip"), da.Signal("anchor", frame="anchor")]
    run = da.simulate(
        machine, duration=120.0, q0=q0, control=loop(eom, q0, goal), signals=signals, record=1.0, step=4e-3
    )
    tip, anchor = (run.array([f"{n}.{k}" for k in "xyz"])[-1] for n in ("tip", "anchor"))
    assert np.linalg.norm(tip - goal[:3]) < 2e-3
    assert np.linalg.norm(np.array(goal[:3]) - anchor) == pytest.approx(4.5, abs=5e-3)
    assert 2 * np.linalg.norm(run.array(["base.qx", "base.qy", "base.qz"])[-1]) < 2e-3
    assert np.allclose(run["ref.theta1"][0], q0[7])


def test_a_target_that_moves_is_followed_with_its_velocity() -> None:
    """With the twist of the target the tip lags by what the loops leave; without, by speed over gain."""
    machine, eom, q0 = robot()
    X = eom.pose("tip", q0)
    Q = quaternion_from_matrix(X[:3, :3])
    speed = 0.02

    def target(t):
        return [X[0, 3], X[1, 3] + speed * t, X[2, 3], *Q]

    ends = {}
    for consistent in (True, False):
        control_ = loop(eom, q0, target, consistent=consistent, arm_gain=0.5, distance=4.1457)
        run = da.simulate(
            machine,
            duration=20.0,
            q0=q0,
            control=control_,
            signals=[da.Signal("tip", frame="tip")],
            record=0.5,
            step=4e-3,
        )
        ends[consistent] = abs(run["tip.y"][-1] - X[1, 3] - speed * 20.0)
    assert ends[False] == pytest.approx(speed / 0.5, rel=0.2)
    assert ends[True] < 0.2 * ends[False]


def test_gains_are_tuned_on_the_linear_cascade() -> None:
    """The chosen pair is the fastest of the grid; two directions of the base around the target may rest anywhere."""
    _, eom, q0 = robot()
    X = eom.pose("tip", q0)
    goal = [*X[:3, 3], *quaternion_from_matrix(X[:3, :3])]
    distance = float(np.linalg.norm(X[:3, 3] - [1.3, 0.0, 0.0]))
    cascade = loop(eom, q0, goal, distance=distance)
    grids = {"base_gains": (0.02, 0.1), "arm_gains": (0.1, 0.5, 200.0)}
    _, _, poles = space_robots.tune_coordinated(eom, cascade, POSTURE, **grids)
    assert poles.stable and poles.neutral == 2
    for b in grids["base_gains"]:
        for m in grids["arm_gains"]:
            other = sampled_poles(eom, cascade, POSTURE, held={"guidance.base_gain": b, "guidance.arm_gain": m})
            assert poles.slowest <= other.slowest
            if m == 200.0:
                assert not other.stable
    with pytest.raises(da.InputError, match="no pair of gains is stable: the best one grows"):
        space_robots.tune_coordinated(eom, cascade, POSTURE, base_gains=[0.1], arm_gains=[200.0])


def test_refusals() -> None:
    machine, _, _ = robot()
    goal = [5.0, 0, 0, 1, 0, 0, 0]
    for make, message in (
        (
            lambda: space_robots.CoordinatedGuidance(machine, goal, base_gain=-1.0),
            "base_gain .* must not be negative",
        ),
        (
            lambda: space_robots.CoordinatedGuidance(machine, goal, distance=0.0),
            "distance of a CoordinatedGuidance",
        ),
        (
            lambda: space_robots.CoordinatedGuidance(machine, goal, attitude=(1, 1, 0, 0)),
            "must be a unit quaternion",
        ),
        (lambda: space_robots.CoordinatedGuidance(machine, goal, tip="hand"), "no frame named 'hand'"),
        (lambda: sampled_poles(cart(), da.PD(1.0, 1.0, [0.0])), "one of them sampled"),
        (lambda: sampled_poles(cart(), da.SampledController(lambda t, q, v: [0.0], 0.1)), "that are expressions"),
        (lambda: sampled_poles(cart(), control.Sampled(da.PD(1.0, 1.0, [0.5]), 0.1)), "does not hold this posture"),
        (lambda: sampled_poles(cart(), control.Sampled(da.PD(1.0, 1.0, [0.0]), 0.1), held={"y": 1}), "no controller"),
    ):
        with pytest.raises(da.DalembertError, match=message):
            make()
