"""Friction in proportion to a load: efficiencies of gears both ways, bearings and guides, against statics by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.support.laws import law

import dalembert as da

EXACT = {"method": "dopri5", "rtol": 1e-10, "atol": 1e-13, "backend": "vm"}


def shafts(names: str, **parts: Any) -> da.Machine:
    """Wheels on their own axes, with the inertias 0.01, 0.02, ... kg m^2."""
    inertias = [0.01 * (k + 1) for k in range(len(names))]
    return da.Machine(
        "shafts",
        [da.Body(f"body_{n}", 1.0, inertia=(i, i, i)) for n, i in zip(names, inertias, strict=True)],
        [da.Joint(n, "revolute", "world", f"body_{n}", axis="z") for n in names],
        motors=[da.Motor(f"M{n}", n) for n in names],
        gravity=(0, 0, 0),
        **parts,
    )


@law("GearConstraint.efficiency", "GearConstraint.back_efficiency")
@pytest.mark.parametrize("start", [3.0, -3.0])
@pytest.mark.parametrize("torque", [2.0, -2.0])
def test_power_that_a_gear_transmits(start: float, torque: float) -> None:
    """A motor that holds its speed needs ``T/(n eta)`` to drive a load ``T``, and ``eta_b T/n`` to brake it."""
    n, eta, back = 7.0, 0.72, 0.31
    gear = da.GearConstraint("g", {"a": 2.0, "b": -2.0 * n}, efficiency=eta, back_efficiency=back)
    hold = da.MotionConstraint("hold", joint="a", value=start * da.TIME)
    machine = shafts("ab", constraints=[gear, hold])
    run = da.simulate(machine, duration=0.2, q0=[0, 0], v0=[start, start / n], control=[0.0, -torque], **EXACT)
    drives = torque * start > 0
    motor = torque / n * (1 / eta if drives else back)  # its torque on the first shaft
    assert -run["multiplier.hold"][-1] == pytest.approx(motor, rel=1e-9)
    assert run["loss.g"][-1] == pytest.approx((motor - torque / n) * start * 0.2, rel=1e-9)


def test_planetary_efficiencies() -> None:
    """With the ring at rest: ``(1 + i eta)/(1 + i)`` from sun to carrier, ``(1 + i)/(1 + i/eta)`` back."""
    i, eta = 3.0, 0.9
    gear = da.GearConstraint("g", {"s": 1.0, "r": i, "c": -1.0 - i}, efficiency=eta, back_efficiency=eta, carrier="c")
    for start, expected in ((1.0, (1 + i * eta) / (1 + i)), (-1.0, (1 + i / eta) / (1 + i))):
        rows = [
            da.MotionConstraint("ring", joint="r", value=0.0),
            da.MotionConstraint("sun", joint="s", value=start * da.TIME),
        ]
        machine = shafts("src", constraints=[gear, *rows])
        v0 = {"s_dot": start, "r_dot": 0.0, "c_dot": start / (1 + i)}
        run = da.simulate(machine, duration=0.1, q0=[0, 0, 0], v0=v0, control=[0.0, 0.0, -5.0], **EXACT)
        assert 5.0 / ((1 + i) * -run["multiplier.sun"][-1]) == pytest.approx(expected, rel=1e-9)


def test_torque_of_a_bearing_and_force_of_a_guide() -> None:
    """``mu r F`` and ``mu F``, with the weight ``F`` on them."""
    weight = 3.0 * 9.81
    pin = da.LoopConstraint("pin", "wheel", kind="revolute", axis="y", friction=0.3, radius=0.04)
    wheel = da.Machine(
        "wheel",
        [da.Body("wheel", 3.0, inertia=(0.2, 0.2, 0.2))],
        [da.Joint("f", "free", "world", "wheel")],
        constraints=[pin],
    )
    run = da.simulate(wheel, duration=0.5, v0={"f.wy": 4.0}, **EXACT)
    assert run["f.wy"][-1] == pytest.approx(4.0 - 0.3 * 0.04 * weight / 0.2 * 0.5, rel=1e-9)
    guide = da.LoopConstraint("guide", "sled", kind="prismatic", axis="x", friction=0.3)
    sled = da.Machine(
        "sled",
        [da.Body("sled", 3.0, inertia=(0.2, 0.2, 0.2))],
        [da.Joint("f", "free", "world", "sled")],
        constraints=[guide],
    )
    run = da.simulate(sled, duration=0.5, v0={"f.vx": 4.0}, **EXACT)
    assert run["f.vx"][-1] == pytest.approx(4.0 - 0.3 * 9.81 * 0.5, rel=1e-9)
    assert run["loss.guide"][-1] == pytest.approx(0.5 * 3.0 * (16.0 - (4.0 - 0.3 * 9.81 * 0.5) ** 2), rel=1e-9)


def test_lead_angle_of_a_worm() -> None:
    """The formulas of the docstring: ``rho > la`` locks."""
    for slope, mu in ((0.08, 0.1), (0.3, 0.1)):
        la, rho = math.atan(slope), math.atan(mu)
        worm = da.GearConstraint(
            "w", {"a": 1.0, "b": -9.0}, efficiency=math.tan(la) / math.tan(la + rho),
            back_efficiency=math.tan(la - rho) / math.tan(la),
        )  # fmt: skip
        assert worm.self_locking is (rho > la)
