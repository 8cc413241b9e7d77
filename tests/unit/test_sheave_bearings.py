"""Turning sheaves with losses: runs, steps, lanes, statics and files against closed forms; refusals."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import machine_modes, rope_efficiency
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
    with pytest.raises(InputError, match="its constraints leave no degree of freedom"):
        da.linearize(atwood(3.3, 3.0, friction=0.8))


def test_linear_model_of_a_bearing_that_turns() -> None:
    """Two weights: F - T1 and so on, with T1 (1 - side c) = T2 (1 + side c) + I a / r^2 - M / r."""
    for side in (1.0, -1.0):
        plain = atwood(5.0, 3.0)
        machine = plain.with_(motors=[da.Motor("F", "x1"), da.Motor("M", "wheel")])
        outputs = ["x1", "tension.r[0]", "tension.r[1]"]
        plant = da.linearize(machine, v={"x1_dot": side}, u=[0, 0], require_equilibrium=False, outputs=outputs)
        mass = 5.0 * (1 - side * C) + 3.0 * (1 + side * C) + 2.0
        a = np.array([1 - side * C, -10.0]) / mass
        np.testing.assert_allclose(plant.B, [[0, 0], a], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(plant.D, [[0, 0], np.array([1.0, 0.0]) - 5.0 * a, 3.0 * a], rtol=1e-11, atol=1e-13)


def swing(**law: Any) -> da.Machine:
    """A cart that pulls a load, free in a plane, over a turning sheave with a bearing and bending loss."""
    over = da.Sheave("world", 0.1, "y", joint="wheel", name="S", **(law or {"teeth": True}))
    joints = [
        da.Joint("x", "prismatic", "world", "cart", axis="x", origin=(-1.0, 0, 0.1)),
        da.Joint("X", "prismatic", "world", "slide", axis="x"),
        da.Joint("Z", "prismatic", "slide", "load", axis="z"),
        da.Joint("wheel", "revolute", "world", "wheel", axis="y"),
    ]
    bodies = [
        da.point_mass("cart", 4.0),
        da.point_mass("slide", 0.5),
        da.point_mass("load", 5.0),
        da.Body("wheel", 1.0, inertia=(0.02,) * 3),
    ]
    rope = da.Rope("r", [da.Anchor("cart"), over, da.Anchor("load")])
    return da.Machine("swing", bodies, joints, motors=[da.Motor("F", "x")], ropes=[rope])


def accelerations(x: np.ndarray, F: float, side: float, slip: float, loss: da.SheaveLoss, mu: float) -> np.ndarray:
    """Accelerations (cart, X, Z, wheel) by hand; x: X, Z, rates; slip: of the rope on the wheel, 0 if it sticks."""
    r, m, I = 0.1, np.array([5.5, 5.0]), 0.02

    def geometry(X: float, Z: float) -> tuple[float, np.ndarray]:
        D = math.hypot(X, Z)
        phi = math.atan2(X, Z) - math.acos(r / D)
        n = np.array([X, Z]) - r * np.array([math.sin(phi), math.cos(phi)])
        return phi, n / np.linalg.norm(n)

    (phi, n), v, h = geometry(*x[:2]), x[2:], 1e-5
    turned = (geometry(*(x[:2] + h * v))[1] - geometry(*(x[:2] - h * v))[1]) / (2 * h)
    c = float(loss.bearing) * float(loss.pin) / r
    k = np.roots([1 - c * c, 2 * c * c * math.cos(phi) - 2, 1 - c * c]).real.max() * (1 + float(loss.bending))
    lever = side * r * (k - 1) / (k + 1)
    # a_cart, a_X, a_Z, alpha, T1, T2
    K, b = np.zeros((6, 6)), np.array([F, 0.0, -5.0 * G, 0.0, -turned @ v, 0.0])
    K[0, [0, 4]] = 4.0, -1.0
    K[1, [1, 5]], K[2, [2, 5]] = (m[0], n[0]), (m[1], n[1])
    K[3, [3, 4, 5]] = I, r + lever, -r + lever
    K[4, [0, 1, 2]] = -1.0, n[0], n[1]
    K[5, [0, 3]] = 1.0, -r
    if slip:
        K[5] = 0.0
        K[5, [4, 5]] = math.exp(mu * phi * slip), -1.0
    return np.asarray(np.linalg.solve(K, b)[:4])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("slip", [0.0, 1.0, -1.0])
def test_linear_models_against_differences_of_equations_by_hand(seed: int, slip: float) -> None:
    rng = np.random.default_rng(seed)
    loss, mu = da.SheaveLoss(rng.uniform(0.1, 0.4), 0.04, rng.uniform(0.0, 0.05)), 0.2
    side, X, Z = rng.choice([-1.0, 1.0]), rng.uniform(0.15, 0.5), -rng.uniform(0.5, 1.0)
    machine = swing(loss=loss, **({"friction": mu} if slip else {"teeth": True}))
    speeds = {"X_dot": rng.normal(), "Z_dot": -3.0 * side + rng.normal()}
    D = math.hypot(X, Z)
    phi = math.atan2(X, Z) - math.acos(0.1 / D)
    n = np.array([X, Z]) - 0.1 * np.array([math.sin(phi), math.cos(phi)])
    rim = (np.array(list(speeds.values())) @ n) / np.linalg.norm(n) - 0.4 * slip * side
    if slip:
        speeds["wheel_dot"] = 10.0 * rim
    states = ["X", "Z", *(["wheel"] if slip else [])]
    plant = da.linearize(
        machine,
        {"X": X, "Z": Z},
        v=speeds,
        u=[-60.0],
        require_equilibrium=False,
        independent=states,
        outputs=["X", "Z"],
    )
    which, free = ([1, 2, 3], [0, 1, 3, 4]) if slip else ([1, 2], [0, 1, 2, 3])
    way = np.sign(rim)  # of the wheel

    def rates(y: np.ndarray) -> np.ndarray:
        return accelerations(y[:4], y[4], way, slip * side, loss, mu)[which]

    at = np.array([X, Z, speeds["X_dot"], speeds["Z_dot"], -60.0])
    h = 1e-4
    slopes = np.column_stack([(rates(at + h * e) - rates(at - h * e)) / (2 * h) for e in np.eye(5)])
    count = len(states)
    np.testing.assert_allclose(plant.A[count:, free], slopes[:, :4], rtol=1e-5, atol=1e-5 * np.abs(slopes).max())
    np.testing.assert_allclose(plant.B[count:, 0], slopes[:, 4], rtol=1e-7, atol=1e-9)


def test_a_bearing_that_holds_leaves_a_pendulum() -> None:
    machine = swing(loss=da.SheaveLoss(0.3, 0.04), friction=0.9)
    modes = machine_modes(machine, {"X": 0.1, "Z": -0.8}, u=[-51.0])
    # while the rope sticks to the wheel and the wheel in its bearing, the load swings on its free line
    assert modes.omega == pytest.approx([math.sqrt(G * 5.0 / (5.5 * 0.8))], rel=1e-9)
    with pytest.raises(InputError, match="is left unbalanced"):
        machine_modes(machine, {"X": 0.1, "Z": -0.8}, u=[-10.0])
