"""Compiled batches: as single calls, and the same to the bit whatever their size and order."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from support.comparison import difference
from support.random_machines import random_machine

MACHINES = {
    "chain": lambda: random_machine(11, 4, kinds=("revolute", "prismatic"), parameters=True),
    "floating": lambda: random_machine(12, 4, base="free", kinds=("revolute",)),
    "mixed": lambda: random_machine(13, 4, max_nv=10),
}


@pytest.mark.parametrize("name", MACHINES)
def test_a_batch_is_what_single_calls_are(name: str) -> None:
    eom = da.equations(MACHINES[name](), backend="native")
    rng = np.random.default_rng(0)
    n = 37
    q = np.array([eom.random_configuration(rng) for _ in range(n)])
    v, tau = rng.normal(size=(2, n, eom.nv))
    a = eom.forward_dynamics(q, v, tau)
    single = np.array([eom.forward_dynamics(*row) for row in zip(q, v, tau, strict=True)])
    for x, y in zip(a, single, strict=True):
        assert difference(x, y) < 1e-12
    order = rng.permutation(n)
    np.testing.assert_array_equal(eom.forward_dynamics(q[order], v[order], tau[order]), a[order])
    for size in (1, 2, 3, 7, 8, 9, 16, 36):
        np.testing.assert_array_equal(eom.forward_dynamics(q[:size], v[:size], tau[:size]), a[:size])
        np.testing.assert_array_equal(eom.forward_dynamics(q[-size:], v[-size:], tau[-size:]), a[-size:])
    folded = eom.forward_dynamics(*(x[:36].reshape(2, 3, 6, -1) for x in (q, v, tau)))
    np.testing.assert_array_equal(folded.reshape(36, -1), a[:36])
    shared = eom.forward_dynamics(q[0], v, tau[:1])
    repeated = eom.forward_dynamics(np.tile(q[0], (n, 1)), v, np.tile(tau[0], (n, 1)))
    np.testing.assert_array_equal(shared, repeated)


def test_parameters_broadcast_like_coordinates() -> None:
    eom = da.equations(MACHINES["chain"](), backend="native")
    rng = np.random.default_rng(1)
    q = rng.normal(size=(5, eom.nq))
    p = eom.machine.p_nominal * rng.uniform(1.0, 1.001, size=(4, 1, len(eom.p_names)))
    M = eom.mass_matrix(q, p=p)
    assert M.shape == (4, 5, eom.nv, eom.nv)
    for i in range(4):
        for j in range(5):
            assert difference(M[i, j], eom.mass_matrix(q[j], p=p[i, 0])) < 1e-12
