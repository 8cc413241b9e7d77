"""DeNOC factors against Jacobians, the mass matrix of Lagrange's equations, and their own structure."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.support.random_machines import random_machine, random_state, with_armatures

import dalembert as da
from dalembert import analysis
from dalembert.systems import space_robots


def tree(seed: int, base: str | None = None) -> da.Machine:
    return with_armatures(random_machine(seed, 5, base=base))


MACHINES = {
    "tree 1": lambda: tree(1),
    "tree 5": lambda: tree(5),
    "floating tree": lambda: tree(3, "free"),
    "flexible booms and arrays": lambda: space_robots.space_chaser("flexible"),
}


@pytest.mark.parametrize("build", MACHINES.values(), ids=MACHINES)
def test_factors_are_jacobians_and_give_the_mass_matrix(build: Callable[[], da.Machine]) -> None:
    machine = build()
    eom = da.equations(machine, by="lagrange", backend="vm")
    q = random_state(eom, 2)[0]
    factors = analysis.denoc(machine, q)
    M = eom.mass_matrix(q)
    assert np.allclose(factors.mass_matrix, M, atol=1e-10 * np.abs(M).max())
    for name in factors.segments:
        if name in machine.tree.frames:
            assert np.allclose(factors.jacobian(name)[:6], eom.jacobian(name, q), atol=1e-11)
    # decoupled: the first factor is unit lower triangular, the second one block diagonal
    assert np.allclose(np.diag(factors.N_l), 1.0) and np.allclose(np.triu(factors.N_l, 1), 0.0)
    for k, (a, b) in enumerate(zip(factors.rows, factors.rows[1:], strict=False)):
        columns = np.flatnonzero(np.abs(factors.N_d[a:b]).max(axis=0))
        others = np.delete(factors.N_d, np.s_[a:b], axis=0)
        assert not np.abs(others[:, columns]).any(), factors.segments[k]


def test_what_has_no_factors_is_refused() -> None:
    machine = space_robots.three_joint_chaser()
    with pytest.raises(da.InputError, match=r"no segment named 'wing'; there are"):
        analysis.denoc(machine, machine.q_neutral).jacobian("wing")
    with pytest.raises(da.InputError, match="q must have"):
        analysis.denoc(machine, [0.0])
    geared = [da.Motor(m.name, m.joint, ratio=50.0, rotor_inertia=1e-4) for m in machine.motors]
    with pytest.raises(da.InputError, match="geared rotors on moving segments"):
        analysis.denoc(machine.with_(motors=geared), machine.q_neutral)
