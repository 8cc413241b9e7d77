"""Levels of friction and efficiencies of gears: the formulas of docs/joint_friction.md, with numbers of their own."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.support.laws import evaluated, law

import dalembert as da
from dalembert.model.friction import Friction


def disc(friction: Any, **parts: Any) -> da.Machine:
    body = da.Body("disc", 2.3, inertia=(0.21, 0.22, 0.37))
    joint = da.Joint("a", "revolute", "world", "disc", axis="z", friction=friction)
    return da.Machine("disc", [body], [joint], gravity=(0, 0, 0), **parts)


@law("Friction.coulomb", "Friction.static", "Friction.stribeck", "Friction.viscous", "Friction.velocity")
def test_smooth_friction_after_stribeck() -> None:
    friction = Friction(1.7, static=2.9, stribeck=0.31, viscous=0.23, law="smooth", velocity=0.047)
    level = 1.7 + 1.2 * math.exp(-((0.19 / 0.31) ** 2))
    expected = -level * math.tanh(0.19 / 0.047) - 0.23 * 0.19
    assert evaluated(disc(friction), "applied", v=[0.19]) == pytest.approx([expected], rel=1e-14)


@law("Friction.bristle_stiffness", "Friction.bristle_damping")
def test_bristles_at_the_start() -> None:
    """At ``z = 0`` they give ``sigma_1 v``, and bend at the rate ``v``."""
    friction = Friction(1.7, law="lugre", bristle_stiffness=410.0, bristle_damping=3.9)
    run = da.simulate(disc(friction), duration=1e-6, step=1e-6, v0={"a_dot": 0.8}, backend="vm")
    assert run["friction.a"][0] == pytest.approx(-3.9 * 0.8, rel=1e-12)
    assert run["bristle.a"][-1] == pytest.approx(0.8e-6, rel=1e-3)
    assert run["friction.a"][-1] == pytest.approx(-410.0 * 0.8e-6 - 3.9 * (0.8 - 410.0 * 0.8 * 0.8e-6 / 1.7), rel=1e-4)


@law("Motor.efficiency", "Motor.back_efficiency")
def test_a_gear_drives_and_is_driven() -> None:
    motor = da.Motor("m", "a", ratio=6.5, efficiency=0.83, back_efficiency=0.71)
    for speed, drive in ((2.0, 0.83), (-2.0, 1 / 0.71)):
        run = da.simulate(disc(0.0, motors=[motor]), duration=0.01, v0={"a_dot": speed}, control=[0.4], backend="vm")
        assert run["a_dot"][-1] == pytest.approx(speed + drive * 6.5 * 0.4 / 0.37 * 0.01, rel=1e-12)
