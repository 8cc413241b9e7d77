"""The time-varying regulator along a plan: against python-control, the matrix exponential, and on perturbed starts."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.optimal import follow
from dalembert.optimal.following import deviation_matrices, riccati_along
from dalembert.systems.space_robots import attitude_thrusters


def springs() -> da.Machine:
    """Two masses with springs and dampers: linear."""
    return da.Machine(
        "springs",
        [da.point_mass("a", 2.0), da.point_mass("b", 1.0)],
        [
            da.Joint("x", "prismatic", "world", "a", axis="x", stiffness=3.0, damping=0.2),
            da.Joint("y", "prismatic", "a", "b", axis="x", stiffness=5.0, damping=0.1),
        ],
        motors=[da.Motor("F", "x")],
        gravity=(0, 0, 0),
    )


def test_the_riccati_equation_of_a_linear_machine() -> None:
    """Along any plan: the stationary solution of python-control stays, and a transient equals the Hamiltonian's."""
    import control
    from scipy.linalg import expm, solve_continuous_are

    machine = springs()
    plan = da.optimise(machine, end={"x": 0.3, "y": 0.0}, duration=2.0, intervals=4)
    plant = da.linearize(machine)
    A, B, Q, R = plant.A, plant.B, np.diag([1.0, 2.0, 0.5, 0.1]), np.array([[0.3]])
    t = np.linspace(0.0, 2.0, 7)
    assert np.abs(deviation_matrices(plan, t)[0] - A).max() < 1e-12
    P = solve_continuous_are(A, B, Q, R)
    assert np.abs(riccati_along(plan, Q, R, P, t) - P).max() < 1e-10 * np.abs(P).max()
    law = follow(plan, Q=Q, R=R, F=P)
    K, _, _ = control.lqr(plant, Q, R)
    assert max(np.abs(law.gain(x) - K).max() for x in t) < 1e-9
    F = np.diag([4.0, 1.0, 0.0, 2.0])
    H = np.block([[A, -B @ np.linalg.inv(R) @ B.T], [-Q, -A.T]])
    for x, found in zip(t, riccati_along(plan, Q, R, F, t), strict=True):
        E = expm(H * (x - 2.0)) @ np.vstack([np.eye(4), F])
        exact = E[4:] @ np.linalg.inv(E[:4])
        assert np.abs(found - exact).max() < 1e-10 * np.abs(exact).max()


def test_deviations_of_a_turning_body() -> None:
    """Matrices along a tumbling motion against differences of two simulated motions, in the tangent space."""
    craft = da.Machine(
        "craft",
        [da.Body("hub", 3.0, inertia=((2, 0.2, 0), (0.2, 5, 0.1), (0, 0.1, 4)))],
        [da.Joint("hub", "free", "world", "hub")],
        thrusters=attitude_thrusters("hub", np.inf, np.inf),
        gravity=(0, 0, 0),
    )
    end = {"hub.qw": np.cos(0.5), "hub.qy": np.sin(0.5), "hub.x": 1.0}
    plan = da.optimise(craft, end=end, duration=2.0, intervals=6, refinements=0)
    eom, rng, t = da.equations(craft), np.random.default_rng(2), 0.83
    q, v, u = (f(t) for f in (plan.coordinates, plan.velocities, plan.inputs))
    d = rng.normal(size=12)
    (A,), _ = deviation_matrices(plan, t)

    def moved(q: np.ndarray, v: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
        a = eom.forward_dynamics(q, v, eom.applied(q, v, u))
        return eom.integrate(q, dt * (v + 0.5 * dt * a)), v + dt * a

    dt, eps = 1e-4, 1e-5
    other = (eom.integrate(q, eps * d[:6]), v + eps * d[6:])
    changes = []
    for step in (-dt, dt):
        (q0, v0), (q1, v1) = moved(q, v, step), moved(*other, step)
        changes.append(np.concatenate([eom.difference(q0, q1), v1 - v0]))
    rate = (changes[1] - changes[0]) / (2 * dt * eps)
    assert np.abs(rate - A @ d).max() < 2e-4 * np.abs(rate).max()


def test_feedback_brings_a_crane_back_to_its_plan() -> None:
    """Kicked at the start, the crane ends where the plan ends; with the inputs alone it does not."""
    crane = da.Machine(
        "crane",
        [da.point_mass("trolley", 5.0), da.point_mass("load", 10.0, com=(0, 0, -4.0))],
        [
            da.Joint("x", "prismatic", "world", "trolley", axis="x"),
            da.Joint("sway", "revolute", "trolley", "load", axis="y"),
        ],
        motors=[da.Motor("F", "x")],
    )
    plan = da.optimise(crane, end={"x": 5.0, "sway": 0.0}, duration=6.0)
    law = follow(plan, Q={"x": 10.0, "sway": 100.0, "x_dot": 1.0, "sway_dot": 10.0}, R=1e-3)
    ends = []
    for control in (law, plan.feedforward):
        run = da.simulate(crane, duration=6.0, v0={"sway_dot": 0.1}, control=control, step=2e-3)
        ends.append(np.abs(run.array(["x", "sway", "x_dot", "sway_dot"])[-1] - [5, 0, 0, 0]).max())
    assert ends[0] < 0.02 < 0.2 < ends[1]


def test_plans_that_cannot_be_followed() -> None:
    ball = springs().with_(contacts=[da.Contact("wall", "a", surface=da.HalfSpace((-1, 0, 0), (0.4, 0, 0)))])
    phases = [da.Phase("there", (0.2, 2.0), impact="wall"), da.Phase("back", (0.2, 2.0))]
    plan = da.optimise(ball, end={"x": 0.0}, phases=phases, refinements=0)
    with pytest.raises(da.InputError, match="velocities jump, as after phase 'there'"):
        follow(plan)
    stopped = da.optimise(springs(), end={"x": 1.0}, duration=1.0, limits={"F": (-1, 1)}, check=False)
    with pytest.raises(da.InputError, match="only an optimal plan"):
        follow(stopped)
