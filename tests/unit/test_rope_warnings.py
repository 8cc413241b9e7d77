"""Warnings of steps that do not resolve elastic ropes, and of free ends that are too light for friction."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from tests.unit.test_elastic_linear_models import belt_drive
from tests.unit.test_sheave_bearings import atwood

import dalembert as da
from dalembert.analysis import machine_modes
from dalembert.core.errors import DalembertWarning
from dalembert.loop.rope_checks import rope_frequencies


def test_steps_that_do_not_resolve_a_belt_are_named() -> None:
    drive = belt_drive()
    eom = da.equations(drive, backend="vm")
    omega = rope_frequencies(eom, np.zeros(2), 0.0, np.zeros(0))["belt"]
    assert omega == pytest.approx(machine_modes(drive).omega[-1], rel=0.03)  # without the stretch that wheels carry
    start: dict[str, Any] = {"v0": {"a_dot": 12.0, "b_dot": 11.0}, "backend": "vm"}
    with pytest.warns(DalembertWarning, match=rf"do not resolve rope 'belt' .* {omega:.3g} rad/s: the energy"):
        da.simulate(drive, duration=100 / omega, step=1 / omega, **start)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        da.simulate(drive, duration=10 / omega, step=0.1 / omega, **start)
        da.simulate(drive, duration=10 / omega, method="dopri5", **start)
        da.simulate(drive, duration=10 / omega, step=1 / omega, contact="time-stepping", **start)


def test_the_frequency_of_a_cable_leaves_out_what_constraints_hold() -> None:
    bob = da.Machine(
        "bob",
        [da.point_mass("m", 2.0), da.point_mass("light", 1e-6)],
        [da.Joint("z", "prismatic", "world", "m", axis="-z"), da.Joint("top", "prismatic", "world", "light", axis="z")],
        constraints=[da.MotionConstraint("held", joint="top", value=0.0 * da.TIME)],
        cables=[da.Cable("c", "light", "m", length=0.5, stiffness=5e3)],
    )
    eom = da.equations(bob, backend="vm")
    q = np.array([0.6 if name == "z" else 0.0 for name in eom.q_names])
    assert rope_frequencies(eom, q, 0.0, np.zeros(0))["c"] == pytest.approx(math.sqrt(5e3 / 0.5 / 2.0), rel=1e-9)


def test_light_free_ends_of_ropes_with_friction_are_named() -> None:
    with pytest.warns(DalembertWarning, match=r"span 'r\[0\]' .* effective mass of 1e-09 kg, span 'r\[1\]' one of"):
        da.simulate(atwood(1e-9, 30.0, friction=0.8), duration=1e-3, backend="vm", check=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        da.simulate(atwood(1e-6, 30.0, friction=0.8), duration=1e-3, backend="vm", method="dopri5")
