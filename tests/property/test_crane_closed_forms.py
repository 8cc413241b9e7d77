"""The closed forms of CRANE against both formulations, N = 1 to 8, random data and states."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.systems.cranes import (
    LumpedCable,
    PlanarClosedForms,
    bending_stiffness_alpha,
    crane_coordinates,
    mass_matrix_two_links,
    one_link_forces,
    planar_crane,
    spatial_crane,
    uniform_cable,
)

TOLERANCE = 1e-12


def random_crane(n: int, seed: int, **options) -> da.Machine:
    rng = np.random.default_rng(seed)
    cable = LumpedCable(masses=rng.uniform(0.5, 3.0, n), lengths=rng.uniform(0.5, 2.0, n), **options)
    return planar_crane(cable, trolley=float(rng.uniform(2, 9)), lengths="variable")


def random_states(n: int, seed: int, count: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q, v, a = rng.normal(size=(3, count, 2 * n + 1))
    q[:, n + 1 :] = rng.uniform(0.3, 2.0, size=(count, n))
    return q, v, a


def assert_close(actual: np.ndarray, expected: np.ndarray) -> None:
    assert np.abs(actual - expected).max() <= TOLERANCE * np.abs(expected).max()


@pytest.mark.parametrize("by", ["newton-euler", "lagrange"])
@pytest.mark.parametrize("n", range(1, 9))
def test_closed_forms_equal_the_formulations(n: int, by: str) -> None:
    machine = random_crane(n, seed=n)
    form = PlanarClosedForms.of(machine)
    eom = da.equations(machine, by, coordinates=crane_coordinates(machine), backend="vm")
    assert eom.q_names == ("x", *(f"theta{i}" for i in range(1, n + 1)), *(f"l{i}" for i in range(1, n + 1)))
    q, v, a = random_states(n, seed=100 + n)
    assert_close(form.mass_matrix(q), eom.mass_matrix(q))
    assert_close(form.gravity_force(q), eom.gravity(q))
    assert_close(form.velocity_force(q, v), eom.bias(q, v) - eom.bias(q, np.zeros_like(v)))
    assert_close(form.forces(q, v, a), eom.inverse_dynamics(q, v, a))
    assert_close(form.potential_energy(q), eom.energy(q, v).potential)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_absolute_angles(n: int) -> None:
    machine = random_crane(n, seed=n)
    eom = da.equations(machine, coordinates=crane_coordinates(machine, "alpha"), backend="vm")
    q, _, _ = random_states(n, seed=n)
    assert_close(PlanarClosedForms.of(machine).mass_matrix_alpha(q), eom.mass_matrix(q))


def test_printed_two_links() -> None:
    form = PlanarClosedForms(7.0, np.array([1.3, 2.1]))
    q, _, _ = random_states(2, seed=3)
    assert_close(mass_matrix_two_links(q, 7.0, 1.3, 2.1), form.mass_matrix(q))


def test_printed_one_link() -> None:
    form = PlanarClosedForms(7.0, np.array([1.3]))
    q, v, a = random_states(1, seed=4)
    assert_close(one_link_forces(q, v, a, 7.0, 1.3), form.forces(q, v, a))


@pytest.mark.parametrize("angles", ["theta", "alpha"])
def test_bending_stiffness(angles: str) -> None:
    kappa = np.array([3.0, 5.0, 7.0, 11.0])
    machine = random_crane(4, seed=1, bending_stiffness=kappa)
    eom = da.equations(machine, coordinates=crane_coordinates(machine, angles), backend="vm")
    q, _, _ = random_states(4, seed=5)
    springs = eom.bias(q, np.zeros_like(q)) - eom.gravity(q)
    K = np.diag(kappa) if angles == "theta" else bending_stiffness_alpha(kappa)  # (87), (88)-(91)
    assert_close(springs[:, 1:5], q[:, 1:5] @ K)


def test_elastic_force() -> None:
    k, rest = np.array([30.0, 50.0]), np.array([1.0, 1.5])
    machine = planar_crane(LumpedCable(masses=[1.0, 2.0], lengths=rest, axial_stiffness=k), lengths="variable")
    eom = da.equations(machine, coordinates=crane_coordinates(machine), backend="vm")
    q, _, _ = random_states(2, seed=6)
    springs = eom.bias(q, np.zeros_like(q)) - eom.gravity(q)
    assert_close(springs[:, 3:], k * (q[:, 3:] - rest))  # (192)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_lemma_4_corrected(n: int) -> None:
    """With only l1 moving, the terms with l1' in the last row of the velocity forces."""
    form = PlanarClosedForms(5.0, np.arange(1.0, n + 1))
    q, v, _ = random_states(n, seed=7)
    v[:, n + 2 :] = 0.0
    still = v.copy()
    still[:, n + 1] = 0.0
    terms = (form.velocity_force(q, v) - form.velocity_force(q, still))[:, n]
    assert_close(form.hoisting_force(q, v), terms)


def test_absolute_angles_in_space_give_the_same_energy() -> None:
    machine = spatial_crane(uniform_cable(3, 3.0, payload=10.0, mass=1.0), lengths="variable")
    eom = da.equations(machine, backend="vm")
    absolute = da.equations(machine, coordinates=crane_coordinates(machine, "alpha"), backend="vm")
    rng = np.random.default_rng(0)
    q, v = rng.uniform(-0.5, 0.5, size=(2, machine.nq))
    y, w = absolute.from_machine(q, v)
    assert np.allclose(absolute.to_machine(y, w), [q, v], rtol=0, atol=1e-12)
    assert np.allclose(absolute.energy(y, w), eom.energy(q, v), rtol=1e-12)
    d = eom.pose("node2", q)[:3, 3] - eom.pose("node1", q)[:3, 3]
    i = absolute.q_names.index("alpha2")
    assert np.allclose([y[i], y[i + 1]], [np.arctan2(d[0], -d[2]), np.arcsin(d[1] / np.linalg.norm(d))])


def test_closed_form_refuses_another_number_of_links() -> None:
    with pytest.raises(da.InputError, match="expected states of 5 numbers"):
        PlanarClosedForms(1.0, np.ones(2)).mass_matrix(np.zeros(7))
