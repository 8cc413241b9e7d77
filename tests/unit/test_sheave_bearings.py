"""Turning sheaves with losses: runs, steps, lanes, statics and files against closed forms; refusals."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import rope_efficiency
from dalembert.core.errors import InputError, MachineError

EXACT: dict[str, Any] = {"method": "dopri5", "rtol": 1e-11, "atol": 1e-12, "backend": "vm"}
STEPS: dict[str, Any] = {"contact": "time-stepping", "step": 1e-3}
G = 9.81
BEARING = da.SheaveLoss(bearing=0.3, pin=0.04)
C = 0.3 * 0.04 / 0.1  # of a sheave of radius 0.1 m, with a wrap of half a turn


def atwood(
    m1: float, m2: float, inertia: float = 0.02, *, loss: Any = BEARING, radius: float = 0.1, **law: Any
) -> da.Machine:
    """Two masses on a rope over a turning sheave with losses."""
    over = da.Sheave("world", radius, "y", joint="wheel", name="S", loss=loss, **(law or {"teeth": True}))
    return da.Machine(
        "atwood",
        [da.point_mass("m1", m1), da.point_mass("m2", m2), da.Body("wheel", 1.0, inertia=(inertia,) * 3)],
        [
            da.Joint("x1", "prismatic", "world", "m1", axis="-z", origin=(-radius, 0, -0.5)),
            da.Joint("x2", "prismatic", "world", "m2", axis="-z", origin=(radius, 0, -0.5)),
            da.Joint("wheel", "revolute", "world", "wheel", axis="y"),
        ],
        ropes=[da.Rope("r", [da.Anchor("m1"), over, da.Anchor("m2")])],
    )


def falls(m1: float, m2: float, side: float, inertia: float = 0.02) -> float:
    """Acceleration of m1 while it moves down (1) or up (-1): T1 (1 - side c) = T2 (1 + side c) + I a / r^2."""
    one, two = m1 * (1 - side * C), m2 * (1 + side * C)
    return G * (one - two) / (one + two + inertia / 0.01)


@pytest.mark.parametrize("law", [{"teeth": True}, {"friction": 0.8}])
@pytest.mark.parametrize("m1", [5.0, 3.3])
def test_a_rope_thrown_over_a_sheave_reverses_or_holds(law: dict[str, Any], m1: float) -> None:
    up, down = falls(m1, 3.0, -1.0), max(falls(m1, 3.0, 1.0), 0.0)
    stop, left = 1.5 / up, 1.5 - 1.5 / up
    q0, v0 = {"x1": 2.0, "x2": 2.0}, {"x1_dot": -1.5, "x2_dot": 1.5, "wheel_dot": 15.0}
    start: dict[str, Any] = {"q0": q0, "v0": v0}
    reached = 2.0 - (1.5**2) / (2 * up) + down * left**2 / 2
    machine = atwood(m1, 3.0, **law)
    run = da.simulate(machine, duration=1.5, **start, **EXACT)
    assert [event.name for event in run.events] == ["r.S.bearing.stick"]
    assert run.events[0].t == pytest.approx(stop, abs=1e-12)
    assert run["x1"][-1] == pytest.approx(reached, abs=1e-12)
    assert run["stick.r.S.bearing"][-1] == float(down == 0.0)
    assert run.energy.drift < 1e-12
    assert run["loss.r.S.bearing"][-1] == pytest.approx(-run["work.loss"][-1], rel=1e-12)
    stepped = da.simulate(machine, duration=1.5, backend="vm", **start, **STEPS)
    assert stepped["x1"][-1] == pytest.approx(reached, abs=1e-4)  # first order where it reverses within a step
    assert abs(stepped["x1_dot"][-1] - down * left) < 1e-4
    if "friction" in law and m1 == 5.0:
        starts = {f"q0.{k}": [x] * 3 for k, x in q0.items()} | {f"v0.{k}": [x] * 3 for k, x in v0.items()}
        lanes = da.rollout(machine, duration=1.5, vary=starts, **STEPS)
        assert np.abs(lanes["x1"][:, -1] - stepped["x1"][-1]).max() < 1e-12


def test_rope_and_bearing_slip_together() -> None:
    m1, m2, mu = 5.0, 3.0, 0.015
    E = math.exp(mu * math.pi)
    a = G * (m1 - E * m2) / (m1 + E * m2)
    T2, c = m2 * (G + a), 0.01 * 0.04 / 0.1
    alpha = 0.1 * (E - 1 - c * (E + 1)) * T2 / 0.02
    run = da.simulate(atwood(m1, m2, friction=mu, loss=da.SheaveLoss(0.01, 0.04)), duration=0.2, **EXACT)
    assert run["x1_dot"][-1] == pytest.approx(0.2 * a, abs=1e-12)
    assert run["wheel_dot"][-1] == pytest.approx(-0.2 * alpha, abs=1e-11)
    assert run["friction.r.S.bearing"][-1] == pytest.approx(c * 0.1 * (E + 1) * T2, rel=1e-10)
    assert 0.0 < run["loss.r.S.bearing"][-1] < run["loss.r.S"][-1]


def test_without_inertia_it_is_the_law_of_a_sheave_without_mass() -> None:
    """A wrap of a quarter turn, with bending: the ratio of the tensions is that of `SheaveLoss`."""
    loss = da.SheaveLoss(0.2, 0.05, 0.02)

    def hoist(**law: Any) -> da.Machine:
        over = da.Sheave("world", 0.1, "y", name="S", loss=loss, **law)
        joints = [
            da.Joint("x", "prismatic", "world", "cart", axis="x", origin=(-1.0, 0, 0.1)),
            da.Joint("z", "prismatic", "world", "load", axis="-z", origin=(0.1, 0, -0.5)),
        ]
        bodies = [da.point_mass("cart", 4.0), da.point_mass("load", 5.0)]
        if law:
            bodies.append(da.Body("wheel", 1.0, inertia=(1e-9,) * 3))
            joints.append(da.Joint("wheel", "revolute", "world", "wheel", axis="y"))
        return da.Machine("hoist", bodies, joints, ropes=[da.Rope("r", [da.Anchor("cart"), over, da.Anchor("load")])])

    light, turning = (
        da.simulate(hoist(**law), duration=0.1, **EXACT) for law in ({}, {"joint": "wheel", "teeth": True})
    )
    ratio = light["tension.r[1]"][-1] / light["tension.r[0]"][-1]
    assert ratio > 1.15
    assert turning["tension.r[1]"][-1] / turning["tension.r[0]"][-1] == pytest.approx(
        ratio, rel=1e-7
    )  # its inertia is 1e-7 kg at the rim
    assert turning["z"][-1] == pytest.approx(light["z"][-1], rel=1e-6)


def test_statics_of_turning_sheaves() -> None:
    k = (1 + C) / (1 - C)
    for law in ({"teeth": True}, {"friction": 0.8}):
        found = rope_efficiency(atwood(3.0, 3.0, **law), "r", held=["x1"])
        assert (found.lifting, found.lowering) == pytest.approx((1 / k, 1 / k), rel=1e-12)
    slips = rope_efficiency(atwood(3.0, 3.0, friction=0.05), "r", held=["x1"])
    assert slips.lifting == pytest.approx(math.exp(-0.05 * math.pi), rel=1e-12)


def test_files_and_refusals(tmp_path: Path) -> None:
    machine = atwood(5.0, 3.0, friction=0.8)
    machine.to_yaml(tmp_path / "a.yaml")
    assert da.load_machine(tmp_path / "a.yaml").ropes == machine.ropes
    with pytest.raises(MachineError, match="nothing makes the rope turn it"):
        da.Sheave("world", 0.1, "y", joint="wheel", loss=BEARING)
    with pytest.raises(MachineError, match="has teeth"):
        da.Sheave("world", 0.1, "y", teeth=True, loss=BEARING)
    over = da.Sheave("world", 0.1, "y", joint="wheel", friction=0.5, loss=BEARING)
    with pytest.raises(MachineError, match="'wheel' and has a loss, which is not supported for elastic ropes"):
        da.Rope("r", [da.Anchor("m1"), over, da.Anchor("m2")], stiffness=1e5)
    with pytest.raises(InputError, match=r"bearing 'r\.S\.bearing'"):
        da.linearize(machine, require_equilibrium=False)
