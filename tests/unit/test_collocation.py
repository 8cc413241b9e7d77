"""Optimal motions by collocation: against closed forms, and flown again by the integrator."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert import plan
from dalembert.plan import OptimalMotion, optimal_motion
from dalembert.systems.space_robots import attitude_thrusters, three_joint_chaser


def cart(effort: float = np.inf) -> da.Machine:
    return da.Machine(
        "cart",
        [da.point_mass("m", 2.0)],
        [da.Joint("x", "prismatic", "world", "m", axis="x")],
        motors=[da.Motor("F", "x", effort=effort)],
        gravity=(0.0, 0.0, 0.0),
    )


def crane() -> da.Machine:
    return da.Machine(
        "crane",
        [da.point_mass("trolley", 5.0), da.point_mass("load", 10.0, com=(0, 0, -4.0))],
        [
            da.Joint("x", "prismatic", "world", "trolley", axis="x"),
            da.Joint("sway", "revolute", "trolley", "load", axis="y", damping=2.0),
        ],
        motors=[da.Motor("F", "x", effort=40.0)],
    )


class Fed:
    """The inputs of a motion, held over each period at the value of its middle: second order."""

    period, name = 2e-3, "fed"

    def __init__(self, motion: OptimalMotion) -> None:
        self.motion = motion

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self.motion.inputs(t + 1e-3)


def craft(inertia: object) -> da.Machine:
    return da.Machine(
        "craft",
        [da.Body("hub", 3.0, inertia=inertia)],
        [da.Joint("hub", "free", "world", "hub")],
        thrusters=attitude_thrusters("hub", np.inf, np.inf),
        gravity=(0, 0, 0),
    )


AXIS = np.array([1.0, 2.0, -1.0]) / np.sqrt(6.0)
TURNED = np.array([1.0, -0.5, 0.3, np.cos(1.0), *(np.sin(1.0) * AXIS)])  # by 2 rad


def test_least_effort_of_a_body_that_turns() -> None:
    """A sphere turns about one axis as a mass moves along a line: 12 (I^2 angle^2 + m^2 d^2) / T^3, to fourth order."""
    exact = 12.0 * (2.0**2 * 2.0**2 + 3.0**2 * (1.0 + 0.25 + 0.09)) / 3.0**3
    errors = []
    for n in (6, 12):
        motion = optimal_motion(craft((2, 2, 2)), {}, TURNED, duration=3.0, intervals=n)
        errors.append(motion.cost - exact)
        assert np.abs(np.linalg.norm(motion.q[:, 3:7], axis=1) - 1.0).max() < 1e-9
    assert errors[0] / errors[1] > 12.0  # 16 in the limit
    assert abs(errors[1]) < 1e-4 * exact
    other = optimal_motion(craft((2, 2, 2)), {}, [*TURNED[:3], *-TURNED[3:]], duration=3.0, intervals=12)
    assert other.cost == pytest.approx(motion.cost, rel=1e-9)  # -Q is the same attitude
    t = np.linspace(0.0, 3.0, 31)
    s = (t / 3.0) ** 2 * (3.0 - 2.0 * t / 3.0)
    expected = np.column_stack([np.cos(s), np.sin(s)[:, None] * AXIS])
    assert np.abs(motion.coordinates(t)[:, 3:] - expected).max() < 1e-4
    assert np.abs(np.linalg.norm(motion.coordinates(t)[:, 3:], axis=1) - 1.0).max() < 1e-12


def test_the_integrator_follows_a_tumbling_optimum() -> None:
    """A general inertia from one rate to another: what is left falls with the fourth power, to that of the hold."""
    machine, ends = craft(((2, 0.2, 0), (0.2, 5, 0.1), (0, 0.1, 4))), []
    for n in (8, 16):
        motion = optimal_motion(
            machine, {}, TURNED, duration=3.0, intervals=n, start_rate={"hub.wy": 0.5}, end_rate={"hub.wx": 0.3}
        )
        run = da.simulate(machine, duration=3.0, control=Fed(motion), step=1e-3, v0={"hub.wy": 0.5})
        ends.append(np.abs(run.x[-1, :13] - [*motion.q[-1], *motion.v[-1]]).max())
    assert ends[0] / ends[1] > 10.0
    assert ends[1] < 1e-5


def test_a_spherical_joint() -> None:
    torques = [da.Thruster(f"t{k}", "top", torque=e) for k, e in zip("xyz", np.eye(3).tolist(), strict=True)]
    top = da.Machine(
        "top",
        [da.cylinder("top", 2.0, 0.1, 1.0, com=(0, 0, 0.5))],
        [da.Joint("ball", "spherical", "world", "top")],
        thrusters=torques,
    )
    end = {"ball.qw": np.cos(0.6), "ball.qx": 0.8 * np.sin(0.6), "ball.qz": 0.6 * np.sin(0.6)}
    motion = optimal_motion(top, {}, end, duration=2.0, intervals=30)
    run = da.simulate(top, duration=2.0, control=Fed(motion), step=1e-3)
    assert np.abs(run.x[-1, :7] - [*motion.q[-1], *motion.v[-1]]).max() < 1e-3  # upright it is unstable


def test_an_arm_on_a_base_that_floats() -> None:
    """Motors alone: momentum stays zero, and the base may end where it does; or it is turned by the arm."""
    robot = three_joint_chaser().with_(thrusters=())
    eom, q0 = da.equations(robot), {"theta2": 0.4, "theta3": -1.2}
    end = {"theta1": 1.0, "theta2": -0.5, "theta3": 1.0}
    left = []
    for n in (10, 20):
        motion = optimal_motion(robot, q0, end, duration=10.0, intervals=n, free=("base",))
        left.append(max(np.abs(eom.momentum(q, v)).max() for q, v in zip(motion.q, motion.v, strict=True)))
    assert left[0] / left[1] > 8.0  # 16 in the limit
    run = da.simulate(robot, duration=10.0, q0=q0, control=Fed(motion), step=1e-3)
    assert np.abs(run.x[-1, : robot.nq + robot.nv] - [*motion.q[-1], *motion.v[-1]]).max() < 1e-3
    assert np.abs(motion.q[-1, 4:7]).max() > 0.05  # it has turned
    turn = {**q0, "base.qw": np.cos(0.01), "base.qz": np.sin(0.01)}
    arm = optimal_motion(
        robot, q0, turn, duration=30.0, free=("base.x", "base.y", "base.z", "theta1", "theta2", "theta3")
    )
    assert np.abs(arm.q[-1, 3:7] - [np.cos(0.01), 0, 0, np.sin(0.01)]).max() < 1e-9


def test_least_effort_of_a_mass() -> None:
    """From rest to rest: the force falls linearly from 6 m d / T^2, and costs 12 m^2 d^2 / T^3."""
    motion = optimal_motion(cart(), [0.0], [1.5], duration=2.0, intervals=8)
    assert motion.cost == pytest.approx(12.0 * 2.0**2 * 1.5**2 / 2.0**3, rel=1e-8)
    t = np.linspace(0.0, 2.0, 21)
    assert np.allclose(motion.inputs(t)[:, 0], 6.0 * 2.0 * 1.5 / 4.0 * (1.0 - t), atol=1e-6)
    assert np.allclose(motion.coordinates(t)[:, 0], 1.5 * (t / 2) ** 2 * (3.0 - t), atol=1e-7)


def test_an_input_with_the_name_of_its_coordinate() -> None:
    machine = cart().with_(motors=[da.Motor("x", "x")])
    free = optimal_motion(machine, [0.0], [1.0], duration=1.0)
    bound = optimal_motion(machine, [0.0], [1.0], duration=1.0, limits={"x": (-0.1, 1.1), "u.x": (-9.0, 9.0)})
    assert np.abs(free.u).max() == pytest.approx(12.0) and np.abs(bound.u).max() == pytest.approx(9.0, abs=1e-6)


def test_least_time_is_bang_bang() -> None:
    motion = optimal_motion(
        cart(4.0), [0.0], [1.0], duration=(0.3, 5.0), time_weight=1.0, effort_weight=1e-7, intervals=40
    )
    assert motion.duration == pytest.approx(2.0 * np.sqrt(2.0 / 4.0), rel=1e-4)
    assert np.abs(motion.u).max() <= 4.0 + 1e-6


def test_a_crane_brings_its_load_to_rest() -> None:
    """Within the limits of force and sway; the integrator, fed the inputs, comes to the same end."""
    machine = crane()
    motion = optimal_motion(machine, [0, 0], [5, 0], duration=6.0, limits={"sway": (-0.1, 0.1)}, intervals=24)
    assert np.abs(motion.q[:, 1]).max() <= 0.1 + 1e-6
    assert np.abs(motion.q[:, 1]).max() > 0.099  # the limit acts
    assert np.abs(motion.u).max() <= 40.0

    run = da.simulate(machine, duration=6.0, control=Fed(motion), step=1e-3)
    assert np.allclose(run.array(["x", "sway", "x_dot", "sway_dot"])[-1], [5, 0, 0, 0], atol=5e-3)


def test_the_error_falls_with_the_fourth_power_of_the_step() -> None:
    motions = [optimal_motion(crane(), [0, 0], [3, 0], duration=5.0, intervals=n) for n in (8, 16, 64)]
    costs = [m.cost for m in motions]
    assert motions[0].error / motions[1].error > 20.0  # of one interval: 32 in the limit
    first, second = abs(costs[0] - costs[2]), abs(costs[1] - costs[2])
    assert first / second > 10.0  # 16 in the limit


def test_what_must_be_kept_and_may_be_free() -> None:
    """Around a wall in the plane, and an end that may be anywhere along the crane's way."""
    gantry = da.Machine(
        "gantry",
        [da.Body("bridge"), da.point_mass("m", 1.0)],
        [
            da.Joint("x", "prismatic", "world", "bridge", axis="x"),
            da.Joint("y", "prismatic", "bridge", "m", axis="y"),
        ],
        motors=[da.Motor("Fx", "x"), da.Motor("Fy", "y")],
        gravity=(0, 0, 0),
    )

    def outside(t: ca.SX, q: ca.SX, v: ca.SX, u: ca.SX) -> ca.SX:
        return 0.3**2 - (q[0] - 0.5) ** 2 - (q[1] - 0.01) ** 2

    motion = optimal_motion(gantry, [0, 0], [1, 0], duration=2.0, keep=outside, intervals=24)
    assert np.hypot(motion.q[:, 0] - 0.5, motion.q[:, 1] - 0.01).min() > 0.3 - 1e-6
    anywhere = optimal_motion(gantry, [0, 0], [1, 0], duration=2.0, free=("y", "y_dot"), start_rate=[0, 0.5])
    assert np.abs(anywhere.u[:, 1]).max() < 1e-6  # nothing asks for a force along y


def test_bad_input_and_no_motion() -> None:
    with pytest.raises(plan.PlanError, match="no motion of machine 'cart' within the limits"):
        optimal_motion(cart(1.0), [0.0], [10.0], duration=1.0)
    with pytest.raises(da.InputError, match="without constraints; machine 'tied'"):
        weld = da.WeldConstraint("tie", "hub", "world")
        optimal_motion(craft((1, 1, 1)).with_(name="tied", constraints=(weld,)), {}, {}, duration=1)
    with pytest.raises(da.InputError, match="attitude of joint 'hub' is prescribed or free as a whole: free has only"):
        optimal_motion(craft((1, 1, 1)), {}, {}, duration=1, free=("hub.qx",))
    with pytest.raises(da.InputError, match="quaternion"):
        optimal_motion(craft((1, 1, 1)), {"hub.qw": 0.5}, {}, duration=1)
    for given in (3.0, (2.0, 1.0)):
        with pytest.raises(da.InputError, match=r"limits of 'x' must be a range"):
            optimal_motion(cart(), [0.0], [1.0], duration=1.0, limits={"x": given})
    with pytest.raises(da.InputError, match="max_iterations must be an integer"):
        optimal_motion(cart(), [0.0], [1.0], duration=1.0, max_iterations=0)
    with pytest.raises(da.InputError, match="some that are not finite"):
        optimal_motion(cart(), [0.0], [1.0], duration=1.0, guess=lambda t: np.full((len(t), 1), np.nan))
    with pytest.raises(da.DalembertError, match="no coordinate, velocity or joint named 'hubb'"):
        optimal_motion(craft((1, 1, 1)), {}, {}, duration=1, free=("hubb",))
    with pytest.raises(da.InputError, match="neither motors"):
        optimal_motion(cart().with_(motors=()), [0.0], [1.0], duration=1.0)
    with pytest.raises(da.DalembertError, match="no coordinate, velocity or input named 'z'"):
        optimal_motion(cart(), [0.0], [1.0], duration=1.0, limits={"z": (0, 1)})
    with pytest.raises(da.InputError, match="duration"):
        optimal_motion(cart(), [0.0], [1.0], duration=(2.0, 1.0))
    with pytest.raises(da.InputError, match="intervals"):
        optimal_motion(cart(), [0.0], [1.0], duration=1.0, intervals=1)
    with pytest.raises(da.InputError, match="guess"):
        optimal_motion(cart(), [0.0], [1.0], duration=1.0, guess=lambda t: np.zeros((3, 1)))
