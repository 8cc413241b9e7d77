"""The robot of CDPR 4.3 on ropes that rub on its pulleys, and on cables with weight."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import natural_frequencies
from dalembert.studies.cable_robots.pulleys import ROPE, heavy_robot, roped_robot, start
from dalembert.systems.cable_robots import pulley_robot


def test_ropes_over_sheaves_without_losses_are_the_elastic_cables() -> None:
    """The same accelerations, one model being a cable with an exit, the other a rope over a sheave in space."""
    cables, ropes = (da.equations(m, backend="vm") for m in (pulley_robot(3, **ROPE), roped_robot()))
    q = start(cables.machine)
    rng = np.random.default_rng(0)
    for _ in range(3):
        v = 0.1 * rng.normal(size=cables.nv)
        q[:3] += [*(1e-3 * rng.normal(size=2)), -0.01]  # all of them are taut: the cables could push, ropes not
        one, other = (e.forward_dynamics(q, v, e.applied(q, v, np.zeros(e.nu))) for e in (cables, ropes))
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-7)


def test_losses_dissipate() -> None:
    """Sheaves that lose 1 % of the tension damp the platform; the run keeps the law and its audit."""
    loss = da.SheaveLoss(bearing=0.1, pin=0.005, bending=0.005)
    machine = roped_robot(loss)
    q = start(machine)
    q[2] -= 2e-5
    run = da.simulate(machine, duration=0.1, q0=q, step=5e-4, contact="time-stepping", backend="vm")
    for k in range(1, 5):
        ratio = run[f"tension.rope{k}[0]"][1:] / run[f"tension.rope{k}[1]"][1:]
        assert np.abs(np.log(ratio)).max() < np.log(1.0 + 0.1 * 0.1 * 2 + 0.005) + 1e-3
        assert run[f"loss.rope{k}.S"][-1] > 0.0


def test_weight_of_cables_shifts_the_first_frequency() -> None:
    """Cables of 10 g/m make the robot stiffer by their tension: 1.3683 to 1.3769 Hz; they follow at 7.7 Hz."""
    frequencies = {}
    for weight in (1e-4, 0.1):
        machine, q = heavy_robot(weight)
        frequencies[weight] = np.sort(natural_frequencies(machine, q))[0]
    assert frequencies[1e-4] == pytest.approx(1.3683, abs=1e-4)
    assert frequencies[0.1] == pytest.approx(1.3769, abs=1e-4)
