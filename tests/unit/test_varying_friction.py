"""Contacts whose coefficient of friction depends on the configuration: it is asked of the tape at each instant.

No machine says so yet; ropes over sheaves, whose friction is a function of their wraps, will.
"""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.formulations.contact.system import ContactSystem

FINE = {"method": "dopri5", "rtol": 1e-12, "atol": 1e-13}


@pytest.fixture(autouse=True)
def rises(monkeypatch: pytest.MonkeyPatch) -> None:
    """Friction of all contacts grows with the first coordinate: ``mu = 0.1 + 0.6 x``."""

    def friction(self: ContactSystem) -> ca.SX:
        return ca.repmat(0.1 + 0.6 * self.variables.q[0], self.k, 1)

    monkeypatch.setattr(ContactSystem, "friction", property(friction))


def slider(gravity: tuple[float, float, float]) -> da.Machine:
    return da.Machine(
        "slider",
        bodies=[da.Body("rail"), da.point_mass("mass", 2.0)],
        joints=[
            da.Joint("x", "prismatic", "world", "rail", axis="x"),
            da.Joint("z", "prismatic", "rail", "mass", axis="z"),
        ],
        contacts=[da.Contact("floor", "mass", friction=0.3)],
        gravity=gravity,
    )


def test_slide_into_rising_friction() -> None:
    """On an incline, ``x'' = A - B x``: half a period of an oscillator, then friction is more than the slope."""
    angle, g = 0.35, 9.81
    A, B = g * math.sin(angle) - 0.1 * g * math.cos(angle), 0.6 * g * math.cos(angle)
    run = da.simulate(slider((g * math.sin(angle), 0.0, -g * math.cos(angle))), duration=2.0, record=0.01, **FINE)
    stop = math.pi / math.sqrt(B)
    assert [event.name for event in run.events] == ["floor.stick"]
    assert run.events[0].t == pytest.approx(stop, abs=1e-8)
    moving = run.t < stop
    np.testing.assert_allclose(run["x"][moving], A / B * (1 - np.cos(math.sqrt(B) * run.t[moving])), atol=1e-8)
    assert run["x"][-1] == pytest.approx(2 * A / B, abs=1e-8)
    assert run["stick.floor"][-1] == 1.0
    assert run.energy.drift < 1e-8


@pytest.mark.parametrize("x", [0.2, 0.9])
def test_impact_has_the_friction_of_its_place(x: float) -> None:
    """A mass that falls obliquely loses ``mu`` of its normal impulse along the floor."""
    machine, height = slider((0.0, 0.0, -9.81)), 0.05
    fall = math.sqrt(2 * height / 9.81)
    run = da.simulate(machine, q0={"x": x - fall, "z": height}, v0={"x_dot": 1.0}, duration=1.1 * fall, **FINE)
    impact = next(event for event in run.events if event.name == "floor.impact")
    after = int(np.flatnonzero(run.t <= impact.t)[-1])
    assert run["x_dot"][after] == pytest.approx(1.0 - (0.1 + 0.6 * x) * 9.81 * fall, abs=1e-9)
