"""Friction of sheaves and joints from recorded runs."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da


def spun() -> tuple[da.Machine, dict[str, dict[str, float]]]:
    """Two masses over a wheel that was spun, and the start of the run."""
    over = da.Sheave("world", 0.1, "y", joint="wheel", friction=da.Parameter("mu", 0.1), name="S")
    machine = da.Machine(
        "atwood",
        [da.point_mass("m1", 6.0), da.point_mass("m2", 4.0), da.Body("wheel", 1.0, inertia=(0.02, 0.02, 0.02))],
        [
            da.Joint("x1", "prismatic", "world", "m1", axis="-z", origin=(-0.1, 0, -1.5)),
            da.Joint("x2", "prismatic", "world", "m2", axis="-z", origin=(0.1, 0, -1.5)),
            da.Joint("wheel", "revolute", "world", "wheel", axis="y"),
        ],
        ropes=[da.Rope("r", [da.Anchor("m1"), over, da.Anchor("m2")])],
    )
    speeds = {"wheel_dot": 40.0, "x1_dot": 0.0, "x2_dot": 0.0}
    return machine, {"q0": {"x1": 0.0, "x2": 0.0, "wheel": 0.0}, "v0": speeds}


def test_friction_of_a_sheave() -> None:
    """From a record with a change from slip to stick in it: exactly, and within its interval with noise."""
    machine, start = spun()
    run = da.simulate(machine, p={"mu": 0.23}, duration=0.5, record=0.02, backend="vm", **start)
    assert [event.name for event in run.events] == ["r.S.stick"]
    options = {"unknown": {"mu": (0.02, 0.6)}, "measured": ["x1"], "backend": "vm", **start}
    assert da.identify(machine, run, **options).values["mu"] == pytest.approx(0.23, abs=1e-8)
    noisy = {"t": run.t, "x1": run["x1"] + 1e-4 * np.random.default_rng(1).normal(size=len(run.t))}
    found = da.identify(machine, noisy, noise={"x1": 1e-4}, **options)
    low, high = found.intervals(0.999)["mu"]
    assert low < 0.23 < high and high - low < 0.01


def test_losses_of_bearing_and_bending_are_one_number_at_a_constant_wrap() -> None:
    """Tensions on both sides of a block determine the ratio k, not its two causes."""
    bearing, bending = da.Parameter("bearing", 0.05), da.Parameter("bending", 0.005)
    loss = da.SheaveLoss(bearing=bearing, pin=0.02, bending=bending)
    path = [
        da.Drum("winch", 0.15, axis="y"),
        da.Sheave("block", 0.15, "-y", at=(0.3, 0, 0), name="B", loss=loss),
        da.Anchor("world", (0.45, 0, 0)),
    ]
    hoist = da.Machine(
        "hoist",
        [da.Body("drum", 20.0, inertia=(0.3, 0.3, 0.3)), da.point_mass("block", 500.0)],
        [
            da.Joint("winch", "revolute", "world", "drum", axis="y"),
            da.Joint("z", "prismatic", "world", "block", axis="z", origin=(0, 0, -3)),
        ],
        constraints=[da.MotionConstraint("drive", joint="winch", value=-0.5 * da.TIME)],
        ropes=[da.Rope("fall", path)],
    )
    true = {"bearing": 0.12, "bending": 0.012}
    start = {"q0": {"winch": 0.0, "z": 0.0}, "v0": {"winch_dot": -0.5}, "backend": "vm"}
    run = da.simulate(hoist, p=true, duration=0.2, record=0.02, **start)
    measured = ["tension.fall[0]", "tension.fall[1]"]
    both = da.identify(hoist, run, unknown={"bearing": (0.01, 0.4), "bending": (0.0, 0.05)}, measured=measured, **start)
    assert [set(one) for one in both.blind] == [{"bearing", "bending"}]
    one = da.identify(hoist, run, unknown={"bearing": (0.01, 0.4)}, measured=measured, p={"bending": 0.012}, **start)
    assert one.values["bearing"] == pytest.approx(0.12, rel=1e-6) and not one.blind


def test_friction_of_a_joint_that_sticks() -> None:
    """A trolley coasts to a stop: Coulomb's force from its way."""
    friction = da.Friction(coulomb=da.Parameter("force", 20.0), law="stick")
    trolley = da.Machine(
        "trolley",
        [da.point_mass("m", 100.0)],
        [da.Joint("x", "prismatic", "world", "m", axis="x", friction=friction)],
    )
    run = da.simulate(trolley, p={"force": 60.0}, duration=3.0, v0={"x_dot": 1.0}, record=0.1, backend="vm")
    assert run["x"][-1] == pytest.approx(1.0 / (2 * 0.6), rel=1e-9)
    found = da.identify(trolley, run, unknown={"force": (5.0, 200.0)}, measured=["x"], v0={"x_dot": 1.0}, backend="vm")
    assert found.values["force"] == pytest.approx(60.0, rel=1e-7)
