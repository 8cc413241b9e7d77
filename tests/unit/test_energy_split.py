"""Energy of motion and of vibration: exact, never negative, and what impacts along modes leave alone."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import energy_split
from dalembert.systems.falling_chains import falling_chain
from dalembert.systems.flexible_arms import canadarm

RNG = np.random.default_rng(3)


def states(eom: da.EquationsOfMotion, n: int = 20) -> tuple[np.ndarray, np.ndarray]:
    return 0.3 * RNG.normal(size=(n, eom.nq)), RNG.normal(size=(n, eom.nv))


@pytest.mark.parametrize(
    "machine", [falling_chain(1, 2), falling_chain(3, 2), pytest.param(canadarm(), marks=pytest.mark.slow)]
)
def test_parts_sum_up_and_are_not_negative(machine: da.Machine) -> None:
    eom = da.equations(machine)
    q, v = states(eom)
    split, whole = energy_split(eom, q, v), eom.energy(q, v)
    np.testing.assert_allclose(split.total, whole.kinetic + whole.potential, rtol=1e-12, atol=1e-12)
    assert (split.motion >= 0.0).all() and (split.vibration >= 0.0).all() and (split.strain >= 0.0).all()


def test_impulses_along_modes_leave_the_motion_alone() -> None:
    eom = da.equations(falling_chain(2, 2))
    q, v = states(eom, 1)
    modal = [name.partition(".")[2].startswith("delta") for name in eom.q_names]
    impulse = np.where(modal, RNG.normal(size=eom.nv), 0.0)
    after = v[0] + np.linalg.solve(eom.mass_matrix(q[0]), impulse)
    a, b = (energy_split(eom, q[0], w) for w in (v[0], after))
    assert b.motion == pytest.approx(a.motion, rel=1e-12)
    assert abs(b.vibration - a.vibration) > 1e-3


def test_a_free_link_splits_as_its_momentum_says() -> None:
    """Of one free beam the motion is that of the centre of mass, and the rotation with its momentum."""
    eom = da.equations(falling_chain(1, 2))
    q, v = states(eom, 1)
    q[:, 3:] = 0.0
    P = eom.momentum(q[0], v[0])
    mass, split = 1.0, energy_split(eom, q[0], v[0])
    rigid = da.equations(falling_chain(1, 0))
    centre = rigid.center_of_mass(q[0, :3])
    inertia = rigid.mass_matrix(q[0, :3])[2, 2] - mass * float(np.sum((centre[:2] - q[0, :2]) ** 2))
    about = P[5] - float(np.cross(centre, P[:3])[2])
    expected = float(P[:3] @ P[:3]) / (2 * mass) + about**2 / (2 * inertia)
    assert split.motion == pytest.approx(expected, rel=1e-10)
    assert split.strain == 0.0


def test_strain_is_what_the_stiffness_stores() -> None:
    eom = da.equations(falling_chain(1, 1))
    frequency = da.equations(falling_chain(1, 1)).machine.bodies[0].omega
    q = np.array([0.1, 2.0, 0.4, 0.02])
    split = energy_split(eom, q, np.zeros(4))
    K = frequency[0] ** 2 * eom.mass_matrix(np.zeros(4))[3, 3]
    assert split.strain == pytest.approx(K * 0.02**2 / 2, rel=1e-3)


def test_machines_without_modes_are_refused() -> None:
    rigid = da.equations(falling_chain(2, 0))
    with pytest.raises(da.InputError, match="has no beams with modes"):
        energy_split(rigid, np.zeros(rigid.nq), np.zeros(rigid.nv))
