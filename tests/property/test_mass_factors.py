"""The mass matrix of a tree, factorised along it: sweeps are triangular matrices, and solve for accelerations."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from support.flexible_machines import random_flexible_machine, random_flexible_state
from support.random_machines import random_machine


def swept(eom: da.EquationsOfMotion, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``L^-1``, ``L^-T`` and ``D^-1`` as matrices."""
    s, nv = eom.symbolic, eom.nv
    factors, b = eom.formulation.mass_factors(), ca.SX.sym("b", nv)
    outputs = [ca.densify(x) for x in (factors.lower(b), factors.upper(b), factors.inverse)]
    function = ca.Function("sweeps", [s.q, s.p, b], outputs)
    lower, upper, inverse = (np.array(x) for x in function(q, eom.parameter_values(None), np.eye(nv)))
    return lower, upper, np.diag(inverse[:, 0])


@pytest.mark.parametrize(("seed", "flexible"), [*((seed, False) for seed in range(4)), (0, True), (1, True), (4, True)])
def test_sweeps_are_the_factors_of_the_mass_matrix(seed: int, flexible: bool) -> None:
    machine = random_flexible_machine(seed, 3) if flexible else random_machine(seed)
    eom = da.equations(machine, backend="vm")
    if flexible:
        q = random_flexible_state(eom, seed)[0]
    else:
        q = eom.random_configuration(np.random.default_rng(seed), 0.5)
    lower, upper, inverse = swept(eom, q)
    M = eom.mass_matrix(q)
    assert_allclose(upper, lower.T, atol=1e-12 * np.abs(upper).max())
    assert np.diag(inverse).min() > 0.0
    # L^-1 M L^-T = D: as much as the condition of M leaves
    assert_allclose(lower @ M @ upper @ inverse, np.eye(eom.nv), atol=1e-15 * np.linalg.cond(M) + 1e-12)
