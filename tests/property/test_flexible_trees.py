"""Random flexible trees: recursions against energies, and the identities of mechanics."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from support.comparison import difference
from support.flexible_machines import random_flexible_machine, random_flexible_state

TOLERANCE = 1e-9
BASES = list(enumerate(["free", "revolute", "fixed", "spherical", "planar"]))
CASES = [pytest.param(*case, marks=[pytest.mark.slow] * (case[0] != 4)) for case in BASES]


@pytest.mark.parametrize(("seed", "base"), CASES)
def test_formulations_agree(seed: int, base: str | None) -> None:
    machine = random_flexible_machine(seed, 3 if seed < 2 else 2, base)
    fast, slow = (da.equations(machine, by=by, backend="vm") for by in ("newton-euler", "lagrange"))
    q, v, a, tau = random_flexible_state(fast, seed)
    assert difference(fast.mass_matrix(q), slow.mass_matrix(q)) < TOLERANCE
    assert difference(fast.bias(q, v), slow.bias(q, v)) < TOLERANCE
    assert difference(fast.gravity(q), slow.gravity(q)) < TOLERANCE
    assert difference(fast.inverse_dynamics(q, v, a), slow.inverse_dynamics(q, v, a)) < TOLERANCE
    assert difference(fast.energy(q, v), slow.energy(q, v)) < TOLERANCE
    assert difference(fast.momentum(q, v), slow.momentum(q, v)) < TOLERANCE
    assert difference(fast.center_of_mass(q), slow.center_of_mass(q)) < TOLERANCE
    # Accelerations carry the condition of M: compared by the forces that they need.
    acceleration = fast.forward_dynamics(q, v, tau)
    assert difference(slow.inverse_dynamics(q, v, acceleration), tau, slow.bias(q, v)) < TOLERANCE
    for frame in ("beam0.tip", "beam1.middle", "payload1"):
        assert_allclose(fast.pose(frame, q), slow.pose(frame, q), atol=1e-12)
        assert difference(fast.jacobian(frame, q), slow.jacobian(frame, q)) < TOLERANCE


@pytest.mark.parametrize("seed", [1, 4, 5])
def test_identities(seed: int) -> None:
    machine = random_flexible_machine(seed, 3)
    eom = da.equations(machine, backend="vm")
    q, v, a, _ = random_flexible_state(eom, seed)
    M, C = eom.mass_matrix(q), eom.coriolis_matrix(q, v)
    s = eom.symbolic
    assert difference(M, M.T) < 1e-14
    assert np.linalg.eigvalsh(M)[0] > 0
    rate = ca.jtimes(ca.densify(ca.vec(s.mass_matrix)), s.q, s.coordinate_rate)
    M_dot = np.array(ca.Function("rate", [s.q, s.v], [ca.reshape(rate, eom.nv, eom.nv)])(q, v))
    N = M_dot - 2 * C
    assert difference(N, -N.T) < TOLERANCE
    assert difference(C @ v, eom.bias(q, v) - eom.bias(q, 0 * v), eom.bias(q, v)) < TOLERANCE
    assert_allclose(v @ M @ v / 2, eom.energy(q, v).kinetic, rtol=1e-11)
    assert difference(eom.inverse_dynamics(q, v, a), M @ a + eom.bias(q, v)) < TOLERANCE
    assert difference(eom.inverse_dynamics(q, v, eom.forward_dynamics(q, v, a)), a, eom.bias(q, v)) < TOLERANCE
    step = 1e-6
    power = [eom.energy(eom.integrate(q, x * v), 0 * v).potential for x in (step, -step)]
    assert_allclose(v @ eom.bias(q, 0 * v), (power[0] - power[1]) / (2 * step), rtol=1e-5)


def test_verify_covers_flexible_machines() -> None:
    report = da.verify(random_flexible_machine(7, 1, "revolute"), samples=2, backend="vm")
    assert report.ok, str(report)


def test_floating_base_conserves_momentum() -> None:
    machine = random_flexible_machine(11, 3, "free", damping=0.1).with_(gravity=(0.0, 0.0, 0.0))
    eom = da.equations(machine)
    q, v, _, _ = random_flexible_state(eom, 2, bend=0.02)
    run = da.simulate(eom, duration=0.2, q0=q, v0=v, method="dopri5", rtol=1e-11, atol=1e-12)
    q1 = np.array([run[n][-1] for n in machine.q_names])
    v1 = np.array([run[n][-1] for n in machine.v_names])
    before, after = eom.momentum(q, v), eom.momentum(q1, v1)
    assert difference(after, before) < 1e-8
    assert run.energy.drift < 1e-8  # audit: energy change less the loss of the structural damping


@pytest.mark.parametrize("seed", [0, 3])
def test_stiffened_floating_machines_keep_momentum_and_energy(seed: int) -> None:
    """Rates along the motion: momentum not at all without gravity, energy by the power of the forces."""
    machine = random_flexible_machine(seed, 3, "free", stiffening=True).with_(gravity=(0.0, 0.0, 0.0))
    eom = da.equations(machine, backend="vm")
    q, v, _, tau = random_flexible_state(eom, seed)  # far beyond small deflections: the identities do not mind
    s = eom.symbolic
    a = ca.SX.sym("a", eom.nv)
    P, E = ca.SX(s.momentum), ca.SX(s.energy[0]) + ca.SX(s.energy[1])
    rates = [ca.jtimes(x, s.q, s.coordinate_rate) + ca.jtimes(x, s.v, a) for x in (P, E)]
    rate = ca.Function("rate", [s.q, s.v, a], rates)
    drift, _ = rate(q, v, eom.forward_dynamics(q, v, 0 * tau))
    terms = np.abs(eom.mass_matrix(q) @ eom.forward_dynamics(q, v, 0 * tau)).max() + np.abs(eom.bias(q, v)).max()
    assert np.abs(np.array(drift)).max() < TOLERANCE * terms
    forced = eom.forward_dynamics(q, v, tau)
    _, power = rate(q, v, forced)
    assert_allclose(float(power), v @ tau, atol=TOLERANCE * np.abs(v * (eom.mass_matrix(q) @ forced)).sum())
    assert np.linalg.eigvalsh(eom.mass_matrix(q))[0] > 0
