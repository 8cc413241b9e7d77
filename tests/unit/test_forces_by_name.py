"""Forces and inputs of `forward_dynamics` where their numbers agree and their orders do not."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import space_robots


def test_inputs_are_not_taken_for_forces() -> None:
    """12 inputs (motors, then thrusters) and 12 velocities (base, then joints): the keyword tells them apart."""
    machine = space_robots.space_chaser("rigid", arrays=None)
    eom = da.equations(machine, backend="vm")
    assert eom.nu == eom.nv == 12 and eom.u_names[0] != eom.v_names[0]
    rng = np.random.default_rng(0)
    q, v, u = eom.random_configuration(rng), 0.1 * rng.normal(size=12), 0.1 * rng.normal(size=12)
    expected = eom.forward_dynamics(q, v, eom.applied(q, v, u))
    assert np.array_equal(eom.forward_dynamics(q, v, u=u), expected)
    assert np.abs(eom.forward_dynamics(q, v, u) - expected).max() > 1e-3  # the trap
    named = dict(zip(eom.u_names, u.tolist(), strict=True))
    assert np.array_equal(eom.forward_dynamics(q, v, u=named), expected)
    # a run of a moment has that acceleration
    h = 1e-6
    run = da.simulate(eom, duration=h, step=h, q0=q, v0=v, control=u)
    assert np.allclose((run.array(eom.v_names)[-1] - v) / h, expected, atol=1e-5)
    tau = {"theta2_dot": 3.0, "base.wz": -1.0}
    vector = np.zeros(12)
    for name, x in tau.items():
        vector[eom.v_names.index(name)] = x
    assert np.array_equal(eom.forward_dynamics(q, v, tau), eom.forward_dynamics(q, v, vector))
    both = eom.forward_dynamics(q, v, tau, u=u)
    assert np.array_equal(both, eom.forward_dynamics(q, v, vector + eom.applied(q, v, u)))


def test_names_of_the_other_kind_are_refused() -> None:
    eom = da.equations(space_robots.space_chaser("rigid", arrays=None), backend="vm")
    q, v = eom.q_neutral, np.zeros(12)
    with pytest.raises(da.InputError, match=r"'torque.x' is an input of machine .*: give it as u=\{'torque.x': ...\}"):
        eom.forward_dynamics(q, v, {"torque.x": 1.0})
    with pytest.raises(da.UnknownNameError, match=r"base\.wx"):
        eom.forward_dynamics(q, v, u={"base.wx": 1.0})
    with pytest.raises(da.InputError, match="needs forces 'tau'"):
        eom.forward_dynamics(q, v)
