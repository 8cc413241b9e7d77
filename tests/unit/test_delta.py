"""A Delta robot: closed-form kinematics, motion reduced by them, redundant constraints, torques that hold it."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.linearize import equilibrium
from dalembert.systems.parallel_robots import (
    DeltaGeometry,
    delta_angles,
    delta_configuration,
    delta_position,
    delta_robot,
)

GEOMETRY = DeltaGeometry()
PLACE = np.array([0.1, -0.15, -0.7])
ARMS = ["arm1", "arm2", "arm3"]


def vector(machine: da.Machine, position: np.ndarray) -> np.ndarray:
    q = machine.q_neutral
    for name, value in delta_configuration(GEOMETRY, position).items():
        q[machine.q_names.index(name)] = value
    return q


@pytest.mark.parametrize("seed", range(10))
def test_inverse_and_forward_kinematics_in_closed_form(seed) -> None:
    rng = np.random.default_rng(seed)
    p = np.array([*rng.uniform(-0.25, 0.25, 2), rng.uniform(-0.95, -0.55)])
    theta = delta_angles(GEOMETRY, p)
    assert np.allclose(delta_position(GEOMETRY, theta), p, atol=1e-13)
    # the elbows are a rod's length away from their seats, and farther out than these
    for k, t in enumerate(theta):
        f = 2 * np.pi * k / 3
        radial = np.array([np.cos(f), np.sin(f), 0.0])
        elbow = (GEOMETRY.base + GEOMETRY.arm * np.cos(t)) * radial - GEOMETRY.arm * np.sin(t) * np.array([0, 0, 1])
        seat = p + GEOMETRY.platform * radial
        assert np.linalg.norm(elbow - seat) == pytest.approx(GEOMETRY.rod)
        assert elbow @ radial > seat @ radial


@pytest.mark.parametrize(("platform", "rank"), [("free", 18), ("translating", 15)])
def test_the_closed_form_satisfies_the_constraints(platform, rank) -> None:
    machine = delta_robot(platform=platform)
    eom, q = da.equations(machine, backend="vm"), vector(machine, PLACE)
    assert np.abs(eom.constraints(q)).max() < 1e-14
    J = eom.constraint_jacobian(q)
    assert J.shape == (18, machine.nv)
    assert np.linalg.matrix_rank(J, tol=1e-8) == rank == machine.nv - 3


def rates(machine: da.Machine, p: np.ndarray, h: float = 1e-4) -> tuple[np.ndarray, list[np.ndarray]]:
    """Velocities of the machine by those of the platform, and their derivatives, from the closed form.

    Of a platform that does not turn body twist and rate of the position are the same.
    """
    keep = [i for i, name in enumerate(machine.q_names) if not name.startswith("platform.q")]
    turn = [machine.v_names.index(f"platform.w{c}") for c in "xyz"]

    def first(x: np.ndarray) -> np.ndarray:
        columns = []
        for e in np.eye(3):
            q = [vector(machine, x + s * h * e)[keep] for s in (-2, -1, 1, 2)]
            columns.append((q[0] - 8 * q[1] + 8 * q[2] - q[3]) / (12 * h))
        F = np.zeros((machine.nv, 3))
        F[[i for i in range(machine.nv) if i not in turn]] = np.column_stack(columns)
        return F

    slopes = [(first(p + 1e-3 * e) - first(p - 1e-3 * e)) / 2e-3 for e in np.eye(3)]
    return first(p), slopes


def test_motion_is_that_of_the_tree_reduced_by_the_closed_form() -> None:
    """F^T (M (F p'' + F' p') + h - tau) = 0: no constraint occurs, only the tree and the analytic kinematics."""
    machine = delta_robot()
    eom, q = da.equations(machine, backend="vm"), vector(machine, PLACE)
    speed = np.array([0.8, -1.1, 0.6])
    F, slopes = rates(machine, PLACE)
    v = F @ speed
    Fdot_v = sum(s * d @ speed for s, d in zip(speed, slopes, strict=True))
    tau = np.zeros(machine.nv)
    tau[[machine.v_names.index(f"{arm}_dot") for arm in ARMS]] = [3.0, -2.0, 1.0]
    assert np.abs(eom.constraint_jacobian(q) @ v).max() < 1e-9
    M, bias = eom.mass_matrix(q), eom.bias(q, v)
    expected = np.linalg.solve(F.T @ M @ F, F.T @ (tau - bias - M @ Fdot_v))
    a, _ = eom.constrained_dynamics(q, v, tau)
    assert np.abs(expected).max() > 5.0
    at = [machine.v_names.index(f"platform.v{c}") for c in "xyz"]
    assert np.allclose(a[at], expected, atol=1e-5 * np.abs(expected).max())
    assert np.abs(a[[machine.v_names.index(f"platform.w{c}") for c in "xyz"]]).max() < 1e-9


@pytest.mark.slow
def test_a_run_keeps_the_orientation_and_follows_the_forward_kinematics() -> None:
    runs = []
    for platform in ("free", "translating"):
        machine = delta_robot(platform=platform)
        q = vector(machine, PLACE)
        runs.append(da.simulate(machine, duration=0.3, q0=q, method="dopri5", rtol=1e-10, atol=1e-12, record=0.05))
        assert runs[-1].energy.drift < 1e-9
        assert runs[-1]["constraint.position"].max() < 1e-11
    names = ["platform.x", "platform.y", "platform.z"]
    free, translating = (run.array(names) for run in runs)
    assert np.abs(free - PLACE).max() > 0.01
    assert np.allclose(free, translating, atol=1e-9)  # three redundant rows change nothing
    assert np.abs(runs[0].array([f"platform.q{c}" for c in "xyz"])).max() < 1e-10
    for theta, p in zip(runs[0].array(ARMS), free, strict=True):
        assert np.allclose(delta_position(GEOMETRY, theta), p, atol=1e-9)


def test_inverse_kinematics_of_the_machine_keeps_its_loops_closed() -> None:
    machine = delta_robot()
    found = da.inverse_kinematics(machine, "platform", PLACE, q0=vector(machine, np.array([0.0, 0.0, -0.8])))
    assert found.converged
    arms = [found.q[machine.q_names.index(arm)] for arm in ARMS]
    assert np.allclose(arms, delta_angles(GEOMETRY, PLACE), atol=1e-8)
    assert np.abs(da.equations(machine, backend="vm").constraints(found.q)).max() < 1e-9
    far = da.inverse_kinematics(machine, "platform", [0.0, 0.0, -1.3], q0=vector(machine, PLACE), restarts=0)
    assert not far.converged and far.error > 0.1


def test_torques_that_hold_it_and_its_linear_model() -> None:
    """At rest tau = dV/dtheta on the forward kinematics; with these torques held the model is that of the reduction."""
    machine = delta_robot()
    eom, q = da.equations(machine, backend="vm"), vector(machine, PLACE)
    theta, h = delta_angles(GEOMETRY, PLACE), 1e-4

    def potential(x: np.ndarray) -> float:
        return float(eom.energy(vector(machine, delta_position(GEOMETRY, x)), np.zeros(machine.nv)).potential)

    slope = [(potential(theta + h * e) - potential(theta - h * e)) / (2 * h) for e in np.eye(3)]
    assert equilibrium(eom, q).u == pytest.approx(slope, rel=1e-6)
    curvature = np.array(
        [
            [
                (potential(theta + h * (a + b)) - potential(theta + h * (a - b))
                 - potential(theta + h * (b - a)) + potential(theta - h * (a + b))) / (4 * h**2)
                for a in np.eye(3)
            ]
            for b in np.eye(3)
        ]
    )  # fmt: skip
    plant = da.linearize(machine, q, independent=ARMS, outputs=[*ARMS, "platform.x", "platform.y", "platform.z"])
    inverse = plant.B[3:]  # of the reduced mass matrix
    assert np.allclose(-np.linalg.solve(inverse, plant.A[3:, :3]), curvature, atol=1e-4 * np.abs(curvature).max())
    moved = np.column_stack(
        [
            (delta_position(GEOMETRY, theta + h * e) - delta_position(GEOMETRY, theta - h * e)) / (2 * h)
            for e in np.eye(3)
        ]
    )
    assert np.allclose(plant.C[3:, :3], moved, atol=1e-6)
    redundant = delta_robot(platform="translating")
    other = da.linearize(redundant, vector(redundant, PLACE), independent=ARMS)
    assert np.allclose(other.A, plant.A, atol=1e-8 * np.abs(plant.A).max())


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: delta_angles(GEOMETRY, (0.0, 0.0, -1.2)), "does not reach"),
        (lambda: delta_angles(GEOMETRY, (0.9, 0.0, -0.7)), "arm 2 is too short"),
        (lambda: delta_angles(GEOMETRY, (0.0, 0.0)), "3 finite numbers"),
        (lambda: delta_position(GEOMETRY, (0.0, np.nan, 0.0)), "3 finite numbers"),
        (lambda: DeltaGeometry(arm=-0.3), "arm of a Delta robot"),
        (lambda: DeltaGeometry(rod=0.4), "longer than its arms"),
        (lambda: delta_robot(platform="fixed"), "'free' or 'translating'"),
        (lambda: delta_robot(rod_mass=-1.0), "mass"),
    ],
)
def test_refusals(make, match) -> None:
    with pytest.raises(da.DalembertError, match=match):
        make()
