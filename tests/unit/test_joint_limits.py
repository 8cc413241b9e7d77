"""Limits of joints: effort cuts what motors give, speed is an event."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import MachineError

I = 0.5


def wheel(limits: da.Limits, **motor: Any) -> da.Machine:
    return da.Machine(
        "wheel",
        bodies=[da.Body("disc", 1.0, inertia=(I, I, I))],
        joints=[da.Joint("turn", "revolute", "world", "disc", limits=limits)],
        motors=[da.Motor("drive", "turn", **motor)],
    )


@pytest.mark.parametrize("by", ["newton-euler", "lagrange", "natural"])
@pytest.mark.parametrize(("own", "expected"), [(math.inf, 6.0), (1.5, 6.0), (0.5, 2.0)])
def test_the_effort_limit_of_a_joint_saturates_its_motor(by: str, own: float, expected: float) -> None:
    """A motor with the gear 4 on a joint limited to 6 N m gives 1.5 N m at most, and its own limit if that is less."""
    machine = wheel(da.Limits(effort=6.0), ratio=-4.0, effort=own)
    eom = da.equations(machine, by=by, backend="vm")
    for u in (-100.0, -0.25, 0.25, 100.0):
        force = eom.applied([0.3], [0.0], [u])
        assert force == pytest.approx([-np.sign(u) * min(4.0 * abs(u), expected)])


def test_runs_and_laws_see_the_limit() -> None:
    machine = wheel(da.Limits(effort=6.0), ratio=4.0)
    eom = da.equations(machine, backend="vm")
    run = da.simulate(eom, duration=0.1, control=[9.0], method="rk4", step=1e-2)
    assert run["u.drive"] == pytest.approx(1.5)
    assert run["turn_dot"][-1] == pytest.approx(6.0 / I * 0.1, rel=1e-12)
    # the integrator of a PID does not wind up while the joint's limit holds the motor back
    pid = {"kp": 1.0, "ki": 50.0, "kd": 0.0, "reference": [10.0]}
    held, free = (
        da.simulate(eom, duration=0.2, control=da.PID(**pid, tracking_time=T), method="rk4", step=1e-2)
        for T in (0.01, None)
    )
    name = next(n for n in held.names if n.startswith("z") or "integral" in n)
    assert abs(held[name][-1]) < 0.5 * abs(free[name][-1])


def test_a_gear_that_is_a_parameter_needs_a_limit_of_the_motor() -> None:
    with pytest.raises(MachineError, match=r"joint 'turn' has an effort limit, but the gear ratio of motor 'drive' is"):
        wheel(da.Limits(effort=6.0), ratio=da.Parameter("n", 4.0))


@pytest.mark.parametrize("by", ["newton-euler", "natural"])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_speed_limit_is_an_event(by: str, sign: float) -> None:
    """With the torque tau the speed v is reached at v I / tau."""
    machine = wheel(da.Limits(velocity=2.0))
    eom = da.equations(machine, by=by, backend="vm")
    options: dict[str, Any] = {"duration": 1.0, "control": [2.0 * sign], "method": "rk4", "step": 0.03}
    run = da.simulate(eom, **options)
    assert [(e.name, e.t) for e in run.events] == [("turn.velocity", pytest.approx(0.5, abs=1e-9))]
    assert run.status == "completed"
    stopped = da.simulate(eom, limits="stop", **options)
    assert stopped.t[-1] == pytest.approx(0.5, abs=1e-9)
    assert not da.simulate(eom, limits="ignore", **options).events


@pytest.mark.parametrize("contact", ["events", "time-stepping"])
def test_a_hard_stop_does_not_bounce_if_nothing_is_said(contact: str) -> None:
    """The torque of 2 N m turns the disc by 0.5 rad in ``sqrt(2 * 0.5 I / 2)`` seconds and holds it there."""
    way: dict[str, Any] = {"method": "rk4"} if contact == "events" else {"contact": contact}
    machine = wheel(da.Limits(-1.0, 0.5))
    run = da.simulate(machine, duration=0.8, control=[2.0], limits="contact", step=1e-2, backend="vm", **way)
    after = run.t > 0.52
    assert after.any() and np.abs(run["turn"][after] - 0.5).max() < 1e-6 and np.abs(run["turn_dot"][after]).max() < 1e-6


def test_closed_forms_are_those_of_motors_that_do_not_saturate() -> None:
    limited, free = (da.closed_form(wheel(limits)).latex("applied") for limits in (da.Limits(effort=6.0), da.Limits()))
    assert limited == free
    assert "drive" in limited
