"""Free tumbling in closed form: against integration, conserved quantities and derivatives of the target point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.plan import TumblingBody
from dalembert.systems.space_robots import debris, tumbling_debris

START = (np.cos(0.5), 0.0, 0.0, -np.sin(0.5))
GENERAL = ((1440.0, -64.0, 24.0), (-64.0, 1120.0, 18.0), (24.0, 18.0, 2250.0))


@pytest.mark.parametrize(
    ("inertia", "rate"),
    [
        (GENERAL, (-0.15, 0.05, -0.08)),
        (GENERAL, (0.02, 0.9, 0.0)),  # around the axis of least inertia
        ((1.0, 2.0, 3.0), (1e-9, 0.7, 1e-9)),  # unstable spin, next to the separatrix
        ((1.0, 2.0, 3.0), (0.5, 1e-7, -1e-8)),  # next to steady spin
        ((1.0, 2.0, 3.0), (0.3, -0.4, 0.0)),
        ((2.0, 2.0, 3.0), (0.3, -0.4, 0.5)),  # a top
        ((1.0, 3.0, 3.0), (0.3, -0.4, 1e-12)),
        ((1.0, 3.0, 3.0), (1e-9, -0.4, 0.2)),
        ((2.0, 2.0, 2.0), (0.3, -0.4, 0.5)),  # a ball
        ((1.0, 2.0, 3.0), (0.0, 0.6, 0.0)),  # steady spin
        ((1.0, 2.0, 3.0), (0.0, 0.0, 0.0)),
    ],
)
def test_closed_form_is_what_integration_gives(inertia: Any, rate: tuple[float, float, float]) -> None:
    body = TumblingBody(inertia, rate, START)
    machine = debris().with_(bodies=[da.Body("debris", 1.0, inertia=inertia)])
    run = da.simulate(
        machine,
        duration=40.0,
        q0=[0, 0, 0, *START],
        v0=[0, 0, 0, *rate],
        method="dopri5",
        rtol=1e-12,
        atol=1e-14,
        record=2.0,
    )
    R = da.equations(machine).pose("debris", run.x[:, :7])[:, :3, :3]
    # the integration loses digits where neighbouring motions part: e^(0.4 t) for the unstable spin
    tolerance = 1e-6 if rate == (1e-9, 0.7, 1e-9) else 1e-10
    np.testing.assert_allclose(body.rates(run.t), run.x[:, 10:13], atol=tolerance)
    np.testing.assert_allclose(body.attitude(run.t), R, atol=tolerance)


def test_momentum_and_energy_stay_for_days() -> None:
    body = tumbling_debris((-0.15, 0.05, -0.08), quaternion=START)
    t = np.linspace(-1e5, 1e5, 1001)
    I, w, R = np.array(GENERAL), body.rates(t), body.attitude(t)
    h = np.einsum("tij,jk,tk->ti", R, I, w)
    np.testing.assert_allclose(h, np.tile(h[500], (1001, 1)), rtol=0, atol=1e-10 * np.linalg.norm(h[0]))
    T = np.einsum("ti,ij,tj->t", w, I, w)
    np.testing.assert_allclose(T, T[0], rtol=1e-12)
    np.testing.assert_allclose(R @ R.swapaxes(1, 2), np.tile(np.eye(3), (1001, 1, 1)), atol=1e-13)


@pytest.mark.parametrize("rate", [(-0.15, 0.05, -0.08), (0.0, 0.0, 0.1)])
def test_a_body_seen_from_another_side(rate: tuple[float, float, float]) -> None:
    """Turned, and made anew from the turned attitude: the same motion."""
    body = TumblingBody((1500.0, 1000.0, 2100.0), rate, (0.6, 0.0, 0.8, 0.0), (1, 2, 3), (0.1, 0, 0), (0.5, 0.2, 0.1))
    G = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    turned = body.turned(G)
    again = TumblingBody(body.inertia, rate, turned.quaternion, turned.position, turned.velocity, body.point)
    t = np.linspace(-50.0, 200.0, 9)
    assert np.allclose(turned.attitude(t), G @ body.attitude(t), atol=1e-13)
    for mine, other in zip(turned.target(t), again.target(t), strict=True):
        assert np.allclose(mine, other, atol=1e-12)
    whole = body.motion(t)
    assert np.allclose(whole.rate, body.rates(t), atol=1e-15) and np.allclose(whole.attitude, body.attitude(t), atol=0)
    h = 1e-4
    assert np.allclose(whole.rate_change, (body.rates(t + h) - body.rates(t - h)) / (2 * h), atol=1e-9)


def test_target_point_up_to_its_jerk() -> None:
    """Each derivative is that of the one before, by a stencil of eighth order; (7.6d) with (7.8)."""
    body = tumbling_debris((-0.15, 0.05, -0.08), quaternion=START, position=(1.0, 2.0, 3.0), velocity=(0.1, 0.0, -0.2))
    t, h = np.linspace(0.0, 50.0, 11), 0.05
    weights = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / h
    motion = body.target(t)
    around = body.target(t[:, None] + h * np.arange(-4, 5))
    for known, difference in zip(motion[1:], around[:-1], strict=True):
        np.testing.assert_allclose(known, np.einsum("k,tki->ti", weights, difference), atol=1e-11)
    np.testing.assert_allclose(body.target(0.0).position, motion.position[0], atol=1e-15)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"inertia": (1.0, 0.0, 1.0)}, "inertia of a tumbling body must be positive, got the principal moment 0"),
        ({"inertia": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}, "symmetric 3 x 3"),
        ({"rate": (0.1, 0.2)}, "rate of a tumbling body must be 3 finite numbers"),
        ({"quaternion": (1, 1, 0, 0)}, "unit norm, got norm 1.41421"),
        ({"point": ("a", 0, 0)}, "point of a tumbling body must be 3 finite numbers"),
    ],
)
def test_impossible_bodies_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(da.InputError, match=message):
        TumblingBody(**({"inertia": (1, 1, 1), "rate": (0, 0, 1)} | fields))
    with pytest.raises(da.InputError, match="t must be a time"):
        TumblingBody((1, 1, 1), (0, 0, 1)).rates("soon")
