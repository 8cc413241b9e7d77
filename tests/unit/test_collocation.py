"""Optimal motions by collocation: against closed forms, and flown again by the integrator."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert import plan
from dalembert.plan import optimal_motion


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


def test_least_effort_of_a_mass() -> None:
    """From rest to rest: the force falls linearly from 6 m d / T^2, and costs 12 m^2 d^2 / T^3."""
    motion = optimal_motion(cart(), [0.0], [1.5], duration=2.0, intervals=8)
    assert motion.cost == pytest.approx(12.0 * 2.0**2 * 1.5**2 / 2.0**3, rel=1e-8)
    t = np.linspace(0.0, 2.0, 21)
    assert np.allclose(motion.inputs(t)[:, 0], 6.0 * 2.0 * 1.5 / 4.0 * (1.0 - t), atol=1e-6)
    assert np.allclose(motion.coordinates(t)[:, 0], 1.5 * (t / 2) ** 2 * (3.0 - t), atol=1e-7)


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

    class Fed:
        period, name = 2e-3, "fed"

        def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
            return motion.inputs(t + 1e-3)  # of the middle of the hold: second order

    run = da.simulate(machine, duration=6.0, control=Fed(), step=1e-3)
    assert np.allclose(run.array(["x", "sway", "x_dot", "sway_dot"])[-1], [5, 0, 0, 0], atol=5e-3)


def test_the_error_falls_with_the_fourth_power_of_the_step() -> None:
    costs = [optimal_motion(crane(), [0, 0], [3, 0], duration=5.0, intervals=n).cost for n in (8, 16, 64)]
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
    with pytest.raises(da.InputError, match="quaternions"):
        optimal_motion(
            da.Machine("b", [da.box("b", 1, (1, 1, 1))], [da.Joint("b", "free", "world", "b")]), {}, {}, duration=1
        )
    with pytest.raises(da.InputError, match="neither motors"):
        optimal_motion(cart().with_(motors=()), [0.0], [1.0], duration=1.0)
    with pytest.raises(da.InputError, match="'z'"):
        optimal_motion(cart(), [0.0], [1.0], duration=1.0, limits={"z": (0, 1)})
    with pytest.raises(da.InputError, match="duration"):
        optimal_motion(cart(), [0.0], [1.0], duration=(2.0, 1.0))
    with pytest.raises(da.InputError, match="intervals"):
        optimal_motion(cart(), [0.0], [1.0], duration=1.0, intervals=1)
    with pytest.raises(da.InputError, match="guess"):
        optimal_motion(cart(), [0.0], [1.0], duration=1.0, guess=lambda t: np.zeros((3, 1)))
