"""Actuator limits as sectors: regions that are proven, beside the true ones and simulations."""

from __future__ import annotations

import control
import numpy as np
import pytest

import dalembert as da
from dalembert.control.uncertain import system_lft
from dalembert.control.varying import saturation, saturation_region, varying_stability


def test_an_unstable_pole_is_proven_almost_up_to_its_limit() -> None:
    """``x' = a x + sat(u)`` converges below ``limit / a`` and diverges above it, whatever the gain is."""
    a, k, limit = 1.0, 4.0, 2.0
    for share in (1.05, 1.5, 3.0):
        least = share * a / k
        plant = system_lft(control.ss(a, 1.0, 1.0, 0.0)) @ saturation("sat", least)
        proof = varying_stability(plant.feedback([[k]], plant.outputs, plant.inputs))
        reach = saturation_region(proof, [[k]], [limit], [least]).reach[0]
        assert reach == pytest.approx(limit / (k * least), rel=1e-6) and reach < limit / a
        if share == 1.05:
            assert reach > 0.95 * limit / a
    plant = system_lft(control.ss(a, 1.0, 1.0, 0.0)) @ saturation("sat", 0.99 * a / k)
    assert not varying_stability(plant.feedback([[k]], plant.outputs, plant.inputs)).proven


def test_loops_that_start_in_the_region_converge() -> None:
    """An inverted pendulum: points on the boundary of the region converge under the saturated law."""
    from scipy.integrate import solve_ivp

    A, B, K, limit, least = np.array([[0.0, 1.0], [4.0, 0.0]]), np.array([0.0, 1.0]), np.array([12.0, 5.0]), 3.0, 0.45
    plant = system_lft(control.ss(A, B[:, None], np.eye(2), 0)) @ saturation("sat", least)
    proof = varying_stability(plant.feedback([K], plant.outputs, plant.inputs))
    region = saturation_region(proof, [K], [limit], [least])
    L = np.linalg.cholesky(np.linalg.inv(proof.lyapunov[""]))
    for angle in np.linspace(0.0, 2 * np.pi, 9)[:-1]:
        x0 = 0.999 * np.sqrt(region.level) * L @ [np.cos(angle), np.sin(angle)]
        assert region.contains(x0) and not region.contains(1.01 * x0)
        assert abs(K @ x0) <= limit / least
        end = solve_ivp(lambda t, x: A @ x + B * np.clip(-K @ x, -limit, limit), (0, 20), x0, rtol=1e-8).y[:, -1]
        assert np.linalg.norm(end) < 1e-3
    far = [1.5 * limit / 4.0, 0.0]  # beyond limit / 4 the actuator cannot hold it
    assert not region.contains(far)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: saturation("sat", 1.0), "between 0 and 1"),
        (lambda p: saturation("sat", -0.1), "least"),
        (lambda p: saturation_region(p, [[1.0, 2.0]], [1.0], [0.5]), "one row of 1 numbers"),
        (lambda p: saturation_region(p, [[1.0]], [-1.0], [0.5]), "positive"),
    ],
)
def test_refusals(make, message) -> None:
    plant = system_lft(control.ss(-1.0, 1.0, 1.0, 0.0)) @ saturation("sat", 0.5)
    proof = varying_stability(plant.feedback([[1.0]], plant.outputs, plant.inputs))
    with pytest.raises(da.DalembertError, match=message):
        make(proof)
