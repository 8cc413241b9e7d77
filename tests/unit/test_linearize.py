"""Linear models: against hand derivations, finite differences and simulation."""

from __future__ import annotations

from dataclasses import replace

import control
import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.linearize import equilibrium, linearize
from dalembert.control.lqr import design_lqr, lqr_gain
from dalembert.core.errors import InputError
from dalembert.systems.cranes import hanging, planar_crane, uniform_cable


def cart_pendulum(**options) -> da.Machine:
    return planar_crane(uniform_cable(1, 2.0, payload=3.0), trolley=5.0, **options)


def satellite() -> da.Machine:
    return da.Machine(
        "satellite",
        bodies=[da.box("base", 10.0, (1.0, 2.0, 3.0)), da.rod("arm", 1.0, 1.0, axis="x", com=(0.5, 0.0, 0.0))],
        joints=[
            da.Joint("base", "free", "world", "base"),
            da.Joint("hinge", "revolute", "base", "arm", axis=(0, 0, 1), damping=0.1),
        ],
        motors=[da.Motor("torque", "hinge")],
        gravity=(0.0, 0.0, 0.0),
    )


def test_cart_with_pendulum_by_hand() -> None:
    m, M, l, g = 3.0, 5.0, 2.0, 9.81
    plant = linearize(cart_pendulum())
    assert plant.state_labels == ["x", "theta1", "x_dot", "theta1_dot"]
    assert plant.input_labels == ["F"]
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2, 1], A[3, 1] = m * g / M, -(M + m) * g / (M * l)
    assert np.allclose(plant.A, A, atol=1e-12)
    assert np.allclose(plant.B, np.array([[0, 0, 1 / M, -1 / (M * l)]]).T, atol=1e-14)
    assert np.array_equal(plant.C, np.eye(4))


def test_upside_down_is_an_equilibrium_too_and_unstable() -> None:
    plant = linearize(cart_pendulum(), {"theta1": np.pi})
    assert np.linalg.eigvals(plant.A).real.max() > 1.0


def test_outputs_and_inputs_by_name() -> None:
    load = da.Parameter("load", 3.0)
    crane = planar_crane(uniform_cable(1, 2.0, payload=load), trolley=5.0, lengths="hoisted")
    plant = linearize(
        crane, hanging(crane), inputs=["F1", "load"], outputs=["x", "theta1_dot", "payload.x", "payload.z"]
    )
    assert plant.output_labels == ["x", "theta1_dot", "payload_x", "payload_z"]
    assert np.allclose(plant.C[2], [1.0, 2.0, 0.0, 0.0, 0.0, 0.0])  # x + l theta
    assert np.allclose(plant.C[3], [0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
    assert np.allclose(plant.B[:, 0], [0, 0, 0, 0, 0, 1 / 3.0])
    assert np.allclose(plant.B[:, 1], [0, 0, 0, 0, 0, 9.81 / 3.0])  # a heavier load pulls the cable out


def test_equilibrium_finds_the_holding_force() -> None:
    crane = cart_pendulum(lengths="hoisted")
    point = equilibrium(da.equations(crane), hanging(crane))
    assert np.allclose(point.u, [0.0, -3.0 * 9.81])
    assert np.abs(point.residual).max() < 1e-12


def finite_difference(eom: da.EquationsOfMotion, q0: np.ndarray, v0: np.ndarray, h: float = 1e-6) -> np.ndarray:
    """Derivative of (d', v') in the exponential chart around q0, by central differences."""
    nv = eom.nv

    def field(x: np.ndarray) -> np.ndarray:
        q, v = eom.integrate(q0, x[:nv]), x[nv:]
        a = eom.forward_dynamics(q, v, eom.applied(q, v, np.zeros(eom.nu)))
        k = 1e-6
        rate = eom.coordinate_rate(q, v)
        moved = [eom.difference(q0, _unit(eom, q + s * k * rate)) for s in (1, -1)]
        return np.concatenate([(moved[0] - moved[1]) / (2 * k), a])

    x0 = np.concatenate([np.zeros(nv), v0])
    columns = [(field(x0 + h * e) - field(x0 - h * e)) / (2 * h) for e in np.eye(2 * nv)]
    return np.column_stack(columns)


def _unit(eom: da.EquationsOfMotion, q: np.ndarray) -> np.ndarray:
    q = q.copy()
    for _, start in eom.layout.quaternions:
        q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
    return q


@pytest.mark.parametrize("moving", [False, True])
def test_free_flyer_in_the_tangent_space(moving: bool) -> None:
    machine = satellite()
    eom = da.equations(machine, backend="vm")
    rng = np.random.default_rng(1)
    q0 = eom.random_configuration(rng)
    v0 = rng.normal(size=eom.nv) if moving else np.zeros(eom.nv)
    plant = linearize(eom, q0, v=v0, require_equilibrium=not moving)
    assert plant.nstates == 2 * eom.nv == 14
    assert plant.state_labels[0] == "base_vx_int"
    assert np.allclose(plant.A, finite_difference(eom, q0, v0), atol=2e-4)


def test_every_formulation_and_choice_of_coordinates() -> None:
    from dalembert.systems.cranes import crane_coordinates

    crane = planar_crane(uniform_cable(3, 5.0, payload=20.0, mass=3.0))
    plants = [linearize(crane), linearize(crane, by="lagrange")]
    plants.append(linearize(da.equations(crane, coordinates=crane_coordinates(crane, "alpha"))))
    poles = [np.sort(np.abs(np.linalg.eigvals(p.A).imag)) for p in plants]
    # The trolley's double pole at zero is what rounding moves most.
    assert np.allclose(poles[0], poles[1], atol=1e-5)
    assert np.allclose(poles[0], poles[2], atol=1e-5)


def test_linear_model_predicts_a_small_motion() -> None:
    """What the linear model misses is of third order, by symmetry: a tenth of the motion, a thousandth of the error."""
    from scipy.linalg import expm

    crane = planar_crane(uniform_cable(3, 5.0, payload=20.0, mass=3.0), rail_damping=4.0)
    A = np.asarray(linearize(crane).A)
    errors = []
    for size in (1e-3, 1e-4):
        x0 = size * np.array([0.0, 1.0, -2.0, 1.0, 0.0, 0.0, 0.0, 0.0])
        run = da.simulate(crane, duration=2.0, q0=x0[:4], record=0.5, step=2e-4)
        x = run.array((*crane.q_names, *crane.v_names))
        errors.append(max(np.abs(expm(A * t) @ x0 - row).max() for t, row in zip(run.t, x, strict=True)))
    assert errors[0] < 1e-4
    assert errors[0] / errors[1] == pytest.approx(1000.0, rel=0.1)


def test_states_that_do_not_stay_are_refused() -> None:
    with pytest.raises(da.InputError, match=r"not in equilibrium.*'theta1_dot'"):
        linearize(cart_pendulum(), {"theta1": 0.3})
    with pytest.raises(da.InputError, match="not at rest"):
        linearize(cart_pendulum(), v={"x_dot": 1.0})
    assert linearize(cart_pendulum(), {"theta1": 0.3}, require_equilibrium=False).nstates == 4


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"outputs": ["hook.x"]}, da.UnknownNameError, "payload.x"),
        ({"inputs": ["G"]}, da.UnknownNameError, "known: F"),
        ({"at": {"phi": 0.0}}, da.UnknownNameError, "theta1"),
        ({"at": [0.0]}, da.InputError, "at must have 2 components"),
        ({"u": [1.0, 2.0]}, da.InputError, "1 finite numbers"),
    ],
)
def test_refusals(options: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        linearize(cart_pendulum(), **options)


def test_lqr_solves_the_riccati_equation() -> None:
    plant = linearize(cart_pendulum())
    Q, R = np.diag([3.0, 2.0, 1.0, 0.5]), np.array([[0.1]])
    K = lqr_gain(plant, Q, R)
    from scipy.linalg import solve_continuous_are

    X = solve_continuous_are(np.asarray(plant.A), np.asarray(plant.B), Q, R)
    assert np.allclose(K, np.linalg.solve(R, np.asarray(plant.B).T @ X), rtol=1e-9)


def test_lqr_brings_a_satellite_arm_to_rest_and_refuses_what_it_cannot_reach() -> None:
    with pytest.raises(da.InputError, match="no stabilising regulator"):
        design_lqr(satellite(), R=1.0)  # momentum is conserved
    law = design_lqr(cart_pendulum(), Q={"x": 1.0, "theta1": 5.0}, R=1e-3)
    run = da.simulate(cart_pendulum(), duration=20.0, q0={"x": 0.5, "theta1": 0.4}, control=law)
    assert np.abs(run.x[-1, :4]).max() < 1e-3


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ({"Q": {"y": 1.0}}, da.UnknownNameError, "theta1_dot"),
        ({"Q": [1.0, 2.0]}, da.InputError, "4 numbers or 4 x 4"),
        ({"R": 0.0}, da.InputError, "positive definite"),
        ({"Q": -1.0}, da.InputError, "positive semidefinite"),
    ],
)
def test_lqr_weights(weights: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        design_lqr(cart_pendulum(), **weights)


def test_sampled_model_is_that_of_inputs_that_are_held() -> None:
    machine = _sampled_pendulum()
    plant, sampled = da.linearize(machine), da.linearize(machine, period=0.05)
    assert sampled.dt == 0.05 and sampled.state_labels == plant.state_labels
    exact = control.c2d(plant, 0.05, method="zoh")
    assert np.allclose(sampled.A, exact.A, atol=1e-14) and np.allclose(sampled.B, exact.B, atol=1e-14)
    with pytest.raises(InputError, match="period"):
        da.linearize(machine, period=-1.0)


def _sampled_pendulum() -> da.Machine:
    return da.Machine(
        "pendulum",
        bodies=[da.point_mass("bob", 1.0, com=(0, 0, -2.0)), da.Body("wheel", mass=1.0, inertia=(1, 1, 1))],
        joints=[
            da.Joint("theta", "revolute", "world", "bob", axis="y"),
            da.Joint("spin", "revolute", "world", "wheel", axis="z"),
        ],
        motors=[da.Motor("torque", "theta")],
    )


@pytest.mark.parametrize("unit", [1.0, 1e6, 1e-6])
def test_minimal_model_keeps_what_inputs_move_and_outputs_show(unit: float) -> None:
    machine = _sampled_pendulum()
    bodies = [replace(b, mass=b.mass * unit, inertia=np.asarray(b.inertia) * unit) for b in machine.bodies]
    machine = replace(machine, bodies=bodies)
    full, least = da.linearize(machine), da.linearize(machine, minimal=True)
    assert full.nstates == 4 and least.nstates == 2  # no motor turns the wheel
    for s in (0.1 + 1j, 3j):
        assert np.allclose(full(s), least(s), rtol=1e-9, atol=1e-14 * np.abs(full(s)).max())
    own = da.linearize(machine, outputs=["theta"], inputs=["torque"], minimal=True)
    assert own.nstates == 2
    machine = replace(machine, motors=(*machine.motors, da.Motor("turn", "spin")))
    for outputs, states in ((["theta"], 2), (["theta", "spin_dot"], 3)):  # motors move what is not shown
        full, least = (da.linearize(machine, outputs=outputs, minimal=minimal) for minimal in (False, True))
        assert least.nstates == states
        for s in (0.1 + 1j, 3j):
            assert np.allclose(full(s), least(s), rtol=1e-9, atol=1e-14 * np.abs(full(s)).max())
