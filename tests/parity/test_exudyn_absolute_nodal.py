"""A soft pendulum by assumed modes against Exudyn's absolute nodal coordinates, live."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("exudyn", minversion="1.13")

import dalembert as da
from support.absolute_nodal import SoftPendulum

pytestmark = [pytest.mark.peer, pytest.mark.slow]


@pytest.mark.parametrize(("bending", "deflection"), [(0.22, 0.11), (0.5, 0.048)])
def test_tip_of_a_soft_pendulum(bending: float, deflection: float) -> None:
    pendulum, steps = SoftPendulum(bending), 2000
    coarse, _ = pendulum.absolute_nodal(8, 2.0 / steps, 1.0)
    fine, bent = pendulum.absolute_nodal(16, 1.0 / steps, 1.0)
    assert np.abs(bent).max() == pytest.approx(deflection, rel=0.05)
    path = np.linalg.norm(np.diff(fine, axis=0), axis=1).sum()
    assert np.abs(coarse[::100] - fine[::200]).max() < 1e-4 * path
    machine = pendulum.machine(4)
    eom = da.equations(machine)
    run = da.simulate(eom, duration=1.0, method="dopri5", rtol=1e-9, atol=1e-10, record=0.1)
    tip = eom.pose("beam.tip", np.column_stack([run[name] for name in machine.q_names]))[:, :2, 3]
    assert np.abs(tip - fine[::200]).max() < 0.01 * path
