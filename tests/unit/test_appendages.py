"""Modal appendages, wheels and control moment gyros: against their equations on paper, and conservation laws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.model.transform import Transform

ARRAY = {
    "mass": 200.0,
    "com": (2.0, 0.0, 0.0),
    "inertia": (66.7, 333.3, 266.7),
    "omega": [8.0, 15.0, 20.0],
    "damping": 0.005,
    "participation": [[0, 5, 0, 0, 0, 5], [0, 0, 2, 0, -2, 0], [0, 0, 0, 2, 0, 0]],  # SPACE D.2.1
}
SKEW = {  # force and torque of a mode that are not perpendicular: a screw
    "mass": 30.0,
    "com": (0.4, -0.1, 0.2),
    "inertia": (9.0, 8.0, 7.0, 0.3, -0.2, 0.1),
    "omega": [3.0, 7.0],
    "damping": [0.01, 0.02],
    "participation": [[1.0, 0.5, -0.3, 0.4, 0.2, 0.9], [0.2, -0.6, 0.1, 0.5, 0.3, -0.4]],
}
PLACE = Transform.rpy(0.3, -0.5, 1.1, (0.2, 0.9, -0.1))


def craft(**fields: Any) -> da.Machine:
    """A hub that floats; its inertia is known, so that all else in the mass matrix is the appendage."""
    hub = da.Body("hub", 500.0, inertia=(200.0, 250.0, 300.0))
    machine = da.Machine("craft", [hub], [da.Joint("hub", "free", "world", "hub")], gravity=(0, 0, 0))
    return machine.with_parts(da.ModalAppendage("array", "hub", origin=PLACE, **fields)) if fields else machine


def cross(x: np.ndarray) -> np.ndarray:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def on_paper(fields: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M, damping and stiffness of hub and appendage as SPACE D.2.1 writes them, with modal coordinates of unit mass."""
    m, c = fields["mass"], np.array(fields["com"])
    J = np.diag(fields["inertia"][:3]).astype(float)
    if len(fields["inertia"]) == 6:
        for (i, j), x in zip(((0, 1), (0, 2), (1, 2)), fields["inertia"][3:], strict=True):
            J[i, j] = J[j, i] = x
    C = m * cross(c)
    rigid = np.block([[m * np.eye(3), -C], [C, J + m * ((c @ c) * np.eye(3) - np.outer(c, c))]])
    L, w = np.array(fields["participation"], float), np.array(fields["omega"])
    R, p = np.array(PLACE.rotation, float), np.array(PLACE.translation, float)
    X = np.block([[R.T, -R.T @ cross(p)], [np.zeros((3, 3)), R.T]])  # twist of the hub to that of the array's frame
    hub = np.diag([500.0] * 3 + [200.0, 250.0, 300.0])
    n = len(w)
    M = np.block([[hub + X.T @ rigid @ X, X.T @ L.T], [L @ X, np.eye(n)]])
    zeros = np.zeros(6)
    return M, np.diag([*zeros, *(2 * np.broadcast_to(fields["damping"], n) * w)]), np.diag([*zeros, *w**2])


@pytest.mark.parametrize("fields", [ARRAY, SKEW], ids=["solar array", "screw"])
def test_small_motions_are_those_of_the_modal_equations(fields: dict[str, Any]) -> None:
    """Transfer from a wrench on the hub to its acceleration, at many frequencies."""
    eom = da.equations(craft(**fields), backend="vm")
    M, D, K = on_paper(fields)
    q, zero = eom.q_neutral, np.zeros(eom.nv)
    own = eom.mass_matrix(q)
    n = eom.nv - 6
    stiffness = np.zeros((eom.nv, eom.nv))
    damping = np.zeros((eom.nv, eom.nv))
    for k in range(n):
        moved, moving = q.copy(), zero.copy()
        moved[7 + k] = moving[6 + k] = 1.0
        stiffness[:, 6 + k] = eom.bias(moved, zero) - eom.bias(q, zero)
        damping[:, 6 + k] = -eom.applied(q, moving, [])
    for w in (0.5, 2.9, 7.9, 8.3, 14.0, 21.0, 300.0):
        paper, machine = (
            np.linalg.inv(-(w**2) * a + 1j * w * b + c)[:6, :6] for a, b, c in ((M, D, K), (own, damping, stiffness))
        )
        np.testing.assert_allclose(machine, paper, atol=1e-12 * np.abs(paper).max())


def test_momentum_and_energy_are_conserved() -> None:
    machine = craft(**{**ARRAY, "damping": 0.0})
    eom = da.equations(machine)
    v0 = {"hub.wx": 0.1, "hub.wy": -0.2, "hub.vx": 0.3, "array.mode1_dot": 0.2, "array.mode3_dot": 0.1}
    run = da.simulate(eom, duration=5.0, v0=v0, method="dopri5", rtol=1e-11, atol=1e-12)
    h = eom.momentum(run.x[:, : eom.nq], run.x[:, eom.nq : eom.nq + eom.nv])
    np.testing.assert_allclose(h, np.tile(h[0], (len(h), 1)), atol=1e-9 * np.abs(h).max())
    assert run.energy.drift < 1e-9


def test_parameters_stay_inputs_and_are_checked() -> None:
    w, s, m = da.Parameter("w", 8.0), da.Parameter("s", 1.0), da.Parameter("m", 200.0)
    eom = da.equations(craft(**{**ARRAY, "omega": [w, 15.0, 20.0], "scale": s, "mass": m}), backend="vm")
    moved = eom.q_neutral.copy()
    moved[7] = 1.0
    base = eom.bias(moved, np.zeros(eom.nv))[6]
    assert eom.bias(moved, np.zeros(eom.nv), p={"w": 16.0})[6] == pytest.approx(4 * base)
    heavier = da.equations(craft(**{**ARRAY, "mass": 200.0, "scale": 1.3}), backend="vm")
    np.testing.assert_allclose(eom.mass_matrix(moved, p={"s": 1.3}), heavier.mass_matrix(moved), rtol=1e-13, atol=1e-12)
    with pytest.raises(da.InputError, match="mass of body 'array' must be >= 0, got -9"):
        eom.mass_matrix(moved, p={"m": 20.0})
    with pytest.raises(da.InputError, match="inertia of body 'array' is impossible with these parameters"):
        eom.mass_matrix(moved, p={"m": 30.0})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"participation": [[0, 15, 0, 0, 0, 5]], "omega": [8.0]}, "exceeds the inertia.*is -"),
        ({"participation": [[14, 0, 0, 0, 0, 0], [0, 14, 0, 0, 0, 28]], "omega": [8.0, 9.0]}, "leave -192 kg"),
        ({"omega": [8.0, 15.0]}, "participation of appendage 'array' must be 2 rows of 6"),
        ({"omega": []}, "has no modes"),
        ({"omega": [8.0, 15.0, -1.0]}, "omega 3 of appendage 'array' must be > 0"),
        ({"damping": [0.1]}, "3 modes but 1 damping ratios"),
        ({"mass": 0.0}, "mass of appendage 'array' must be > 0"),
        ({"participation": [[0, 5, 0, 0, 0, 5], [0.0] * 6, [0, 0, 0, 2, 0, 0]]}, "mode 2 .* has no participation"),
        ({"participation": "none"}, "rows of 6 finite numbers"),
    ],
)
def test_impossible_appendages_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(da.MachineError, match=message):
        da.ModalAppendage("array", "hub", **(ARRAY | fields))


def test_a_mode_may_hold_all_of_a_mass() -> None:
    """A slosh mass: nothing but its inertia is left of the rigid rest."""
    slosh = da.ModalAppendage(
        "tank",
        "hub",
        mass=9.0,
        com=(0, 0, 0),
        inertia=(1, 1, 1),
        omega=[2.0],
        participation=[[3.0, 0, 0, 0, 0, 0]],
    )
    assert [float(b.mass) for b in slosh.bodies] == [0.0, 9.0]
    assert craft().with_parts(slosh).nv == 7


def test_wheels_trade_momentum_with_the_body() -> None:
    wheel = da.Wheel("wheel", "hub", axis="y", inertia=0.5, mass=4.0, torque=2.0, momentum=1.5)
    machine = craft().with_parts(wheel)
    run = da.simulate(machine, duration=0.74, control=[5.0])
    assert run["u.wheel"][-1] == 2.0
    held = 250.0 + 0.5  # of hub and wheel about y
    rate = -2.0 * run.t[-1] / 250.0
    np.testing.assert_allclose(run["hub.wy"][-1], rate, rtol=1e-9)
    np.testing.assert_allclose(held * run["hub.wy"][-1] + 0.5 * run["wheel_dot"][-1], 0.0, atol=1e-9)
    later = da.simulate(machine, duration=0.26, start=run, control=[5.0])
    assert [e.name for e in later.events] == ["wheel.velocity"], "reaching the momentum limit is an event"
    assert 0.5 * later["wheel_dot"][-1] == pytest.approx(1.5, rel=1e-5)


def test_a_gyro_gives_the_torque_of_its_gimbal_rate() -> None:
    gyro = da.ControlMomentGyro("gyro", "hub", "x", "z", inertia=0.2, momentum=40.0, gimbal_inertia=0.1, torque=5.0)
    machine = craft().with_parts(gyro)
    eom = da.equations(machine)
    v = np.zeros(eom.nv)
    v[eom.v_names.index("gyro.rotor_dot")] = gyro.v0["gyro.rotor_dot"]
    rate = 0.01
    v[eom.v_names.index("gyro.gimbal_dot")] = rate
    a = eom.forward_dynamics(eom.q_neutral, v, np.zeros(eom.nv))
    # h along z, gimbal rate along x: h' = w x h = -40 rate y, which the hub takes the other way
    J = 250.0 + 0.1 + 0.05  # hub, rotor and gimbal about y
    assert a[eom.v_names.index("hub.wy")] == pytest.approx(40.0 * rate / J, rel=1e-3)
    run = da.simulate(eom, duration=1.0, v0=dict(gyro.v0), control=[0.05], method="dopri5", rtol=1e-11, atol=1e-12)
    h = eom.momentum(run.x[:, : eom.nq], run.x[:, eom.nq : eom.nq + eom.nv])
    np.testing.assert_allclose(h[-1], h[0], atol=1e-9)
    np.testing.assert_allclose(h[0][3:], [0, 0, 40.0], atol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: da.Wheel("w", "hub", inertia=0.0), "inertia of wheel 'w' must be > 0"),
        (lambda: da.Wheel("w", "hub", torque=-1.0), "torque limit of wheel 'w' must be > 0"),
        (lambda: da.Wheel("w", "hub", momentum=math.nan), "momentum limit of wheel 'w' must be > 0"),
        (lambda: da.ControlMomentGyro("g", "hub", "x", (1, 1, 0), 0.1, 1.0), "must be perpendicular"),
        (lambda: da.ControlMomentGyro("g", "hub", "x", "y", 0.1, 1.0, rate=0.0), "rate limit of gyro 'g' must be > 0"),
        (lambda: craft().with_parts("wheel"), "cannot take 'wheel'"),
    ],
)
def test_wrong_wheels_and_gyros_are_refused(make: Any, message: str) -> None:
    with pytest.raises(da.MachineError, match=message):
        make()
