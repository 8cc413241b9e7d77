"""Universal, screw and cylindrical joints: against pairs of simpler joints, closed forms and each formulation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import InputError, MachineError
from dalembert.view import bake_run, build_scene

RNG = np.random.default_rng(3)
AXIS, SECOND = (0.36, 0.48, 0.8), (0.8, 0.0, -0.6)
ORIGIN = da.Transform.rpy(0.3, -0.4, 0.9, (0.1, -0.2, 0.3))
ARM = da.Body("arm", 1.7, (0.2, -0.1, 0.3), (0.3, 0.4, 0.35, 0.02, -0.01, 0.03))
HAND = da.Body("hand", 0.6, (0.0, 0.3, 0.1), (0.05, 0.04, 0.06))
PITCH = 0.15

JOINTS: dict[str, dict[str, Any]] = {
    "universal": {"axis": AXIS, "second_axis": SECOND},
    "screw": {"axis": AXIS, "pitch": da.Parameter("h", PITCH)},
    "cylindrical": {"axis": AXIS},
}


def arm(kind: str, **fields: Any) -> da.Machine:
    """A joint of a kind at the base, with a hand on a hinge beyond it."""
    return da.Machine(
        kind,
        bodies=[ARM, HAND],
        joints=[
            da.Joint("j", kind, "world", "arm", ORIGIN, **(JOINTS[kind] | fields)),
            da.Joint("k", "revolute", "arm", "hand", ORIGIN, axis=(0, 1, 0)),
        ],
        frames=[da.Frame("tool", "hand", da.Transform((0.1, 0.2, 0.3)))],
    )


def pair(kind: str) -> da.Machine:
    """The same machine with two joints and a body without mass instead."""
    first = da.Joint("j1", "revolute", "world", "cross", ORIGIN, axis=AXIS)
    if kind == "universal":
        second = da.Joint("j2", "revolute", "cross", "arm", axis=SECOND)
    else:
        second = da.Joint("j2", "prismatic", "cross", "arm", axis=AXIS)
    hand = da.Joint("k", "revolute", "arm", "hand", ORIGIN, axis=(0, 1, 0))
    followers = [da.Coupling("j2", "j1", PITCH)] if kind == "screw" else []
    tool = da.Frame("tool", "hand", da.Transform((0.1, 0.2, 0.3)))
    return da.Machine("pair", [da.Body("cross"), ARM, HAND], [first, second, hand], [tool], couplings=followers)


@pytest.mark.parametrize("kind", JOINTS)
@pytest.mark.parametrize("by", ["newton-euler", "lagrange"])
def test_a_joint_is_a_pair_of_simpler_ones(kind: str, by: str) -> None:
    one, two = da.equations(arm(kind), by=by, backend="vm"), da.equations(pair(kind), backend="vm")
    assert one.nv == two.nv
    q, v, tau = RNG.normal(size=(3, one.nv))
    assert one.mass_matrix(q) == pytest.approx(two.mass_matrix(q), abs=1e-12)
    assert one.bias(q, v) == pytest.approx(two.bias(q, v), abs=1e-11)
    assert one.coriolis_matrix(q, v) @ v == pytest.approx(two.coriolis_matrix(q, v) @ v, abs=1e-11)
    assert one.forward_dynamics(q, v, tau) == pytest.approx(two.forward_dynamics(q, v, tau), rel=1e-10, abs=1e-10)
    assert one.pose("tool", q) == pytest.approx(two.pose("tool", q), abs=1e-12)
    assert one.jacobian("tool", q) == pytest.approx(two.jacobian("tool", q), abs=1e-12)


@pytest.mark.parametrize("kind", JOINTS)
def test_verify_agrees(kind: str) -> None:
    table = da.verify(arm(kind))
    assert table.ok, str(table)


@pytest.mark.parametrize("kind", JOINTS)
def test_natural_coordinates_move_alike(kind: str) -> None:
    machine = arm(kind)
    minimal, natural = (da.equations(machine, by=by, backend="vm") for by in ("newton-euler", "natural"))
    q, v = RNG.normal(size=(2, machine.nv))
    x, w = natural.from_machine(q, v)
    assert natural.to_machine(x, w) == (pytest.approx(q, abs=1e-12), pytest.approx(v, abs=1e-12))
    tau = natural.applied(x, w, [])
    assert natural.constraints(x) == pytest.approx(0.0, abs=1e-12)
    a, _ = natural.constrained_dynamics(x, w, tau)
    # velocities a moment later and before, along the accelerations of each
    h = 1e-5
    later, before = (natural.to_machine(natural.integrate(x, s * w + s * s / 2 * a), w + s * a)[1] for s in (h, -h))
    expected = minimal.forward_dynamics(q, v, np.zeros(machine.nv))
    assert (later - before) / (2 * h) == pytest.approx(expected, rel=1e-6, abs=1e-6)  # h^2, and rounding over h


def test_a_nut_runs_down_its_thread() -> None:
    """``(I + m h^2) q'' = -m g h`` for a vertical screw."""
    m, I, h, g = 2.0, 0.003, 0.02, 9.81
    nut = da.Machine(
        "nut",
        bodies=[da.Body("nut", m, inertia=(I, I, I))],
        joints=[da.Joint("turn", "screw", "world", "nut", axis=(0, 0, 1), pitch=h)],
    )
    rate = -m * g * h / (I + m * h**2)
    assert da.equations(nut).forward_dynamics([0.3], [1.0], [0.0]) == pytest.approx([rate], rel=1e-13)
    end = da.simulate(da.equations(nut, backend="vm"), duration=0.5, method="rk4", step=1e-2)["turn"][-1]
    assert end == pytest.approx(rate * 0.125, rel=1e-10)
    form = da.closed_form(nut)
    assert form.latex("mass_matrix").replace(" ", "") == r"\begin{bmatrix}I_{zz}+mh^{2}\end{bmatrix}"


def spindle() -> da.Machine:
    """A nut on a spindle that itself turns."""
    return da.Machine(
        "spindle",
        bodies=[ARM, da.Body("nut", 0.5, (0.0, 0.0, 0.0), (0.01, 0.01, 0.01))],
        joints=[
            da.Joint("spin", "revolute", "world", "arm", axis=(0, 0, 1)),
            da.Joint("nut", "screw", "arm", "nut", axis=(0, 0, 1), pitch=0.05),
        ],
        gravity=(0, 0, 0),
    )


def test_a_screw_keeps_count_of_its_turns_between_bodies() -> None:
    """Natural coordinates know the angle of a screw by its slide."""
    natural = da.equations(spindle(), by="natural", backend="vm")
    q = [0.5, 40.0]
    assert natural.to_machine(*natural.from_machine(q, [1.0, 2.0]))[0] == pytest.approx(q, abs=1e-11)


@pytest.mark.slow
def test_a_screw_of_many_turns_in_natural_coordinates() -> None:
    machine = spindle()
    options: dict[str, Any] = {"duration": 1.0, "v0": {"nut_dot": 12.0}, "method": "rk4", "step": 1e-3}
    one, two = (da.simulate(machine, by=by, **options) for by in ("newton-euler", "natural"))
    assert one["nut"][-1] > 3 * math.pi
    assert two["nut"] == pytest.approx(one["nut"], abs=1e-5)


@pytest.mark.parametrize("kind", JOINTS)
def test_linear_models_inverse_kinematics_and_pictures(kind: str) -> None:
    machine = arm(kind, damping=2.0).with_(gravity=(0.0, 0.0, 0.0))
    eom = da.equations(machine, backend="vm")
    plant = da.linearize(eom)
    M = eom.mass_matrix(eom.q_neutral)
    # at rest without gravity a = -M^-1 D v, with a loss on each velocity of the joint and none on the hinge
    D = np.diag([2.0] * (eom.nv - 1) + [0.0])
    assert np.asarray(plant.A)[eom.nv :, eom.nv :] == pytest.approx(-np.linalg.solve(M, D), abs=1e-12)
    q = 0.4 * RNG.normal(size=eom.nq)
    found = da.inverse_kinematics(eom, "tool", eom.pose("tool", q), q0=q + 0.05)
    assert eom.pose("tool", found.q) == pytest.approx(eom.pose("tool", q), abs=1e-6)
    run = da.simulate(eom, duration=0.1, q0=q, method="rk4", step=1e-2)
    scene = build_scene(machine)
    assert bake_run(scene, run).points[0, scene.index("k")] == pytest.approx(eom.pose("hand", q)[:3, 3], abs=1e-12)


@pytest.mark.parametrize("kind", JOINTS)
def test_locked_where_they_are(kind: str) -> None:
    machine = arm(kind)
    eom = da.equations(machine, backend="vm")
    q = RNG.normal(size=eom.nq)
    position = q[:-1] if eom.nq > 2 else float(q[0])
    locked = da.equations(machine.lock({"j": position}), backend="vm")
    assert locked.q_names == ("k",)
    assert locked.pose("tool", q[-1:]) == pytest.approx(eom.pose("tool", q), abs=1e-12)
    if kind == "screw":
        h = {"h": 0.4}
        assert locked.pose("tool", q[-1:], p=h) == pytest.approx(eom.pose("tool", q, p=h), abs=1e-12)
    else:
        with pytest.raises(InputError, match=r"position of locked joint 'j' must be 2 finite numbers \(j\.angle"):
            machine.lock({"j": 1.0})


@pytest.mark.parametrize("kind", JOINTS)
def test_machine_files_hold_them(kind: str) -> None:
    machine = arm(kind)
    assert da.load_machine(machine.to_yaml()) == machine


def test_a_screw_takes_all_that_a_hinge_takes() -> None:
    """Spring, limits, motor and follower act on its angle."""
    screw = da.Joint(
        "s", "screw", "world", "arm", ORIGIN, AXIS, da.Limits(-1, 1), stiffness=30.0, rest=0.2, pitch=PITCH
    )
    hinge = da.Joint("h", "revolute", "arm", "hand", axis=(1, 0, 0))
    machine = da.Machine(
        "press",
        [ARM, HAND],
        [screw, hinge],
        motors=[da.Motor("m", "s", 10.0, 1e-3)],
        couplings=[da.Coupling("h", "s", 2)],
    )
    eom = da.equations(machine, backend="vm")
    bare = da.equations(
        machine.with_(motors=(), joints=[da.Joint("s", "screw", "world", "arm", ORIGIN, AXIS, pitch=PITCH), hinge]),
        backend="vm",
    )
    assert eom.mass_matrix([0.5]) == pytest.approx(bare.mass_matrix([0.5]) + 0.1)
    assert eom.bias([0.5], [0.0]) == pytest.approx(bare.bias([0.5], [0.0]) + 30.0 * 0.3)
    assert eom.applied([0.5], [0.0], [1.5]) == pytest.approx([15.0])
    run = da.simulate(eom, duration=1.0, control=[5.0], limits="stop", method="rk4", step=1e-2)
    assert run.events[-1].name == "s.upper"


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        ("universal", {"axis": AXIS}, "a universal joint needs a second_axis, got None"),
        ("universal", {"axis": AXIS, "second_axis": AXIS}, "its two axes must not be parallel"),
        ("universal", {"second_axis": (0, 0, 0)}, "second axis of joint 'j' must not be zero"),
        ("screw", {}, "a screw joint needs a pitch, got None"),
        ("screw", {"pitch": math.nan}, "pitch of joint 'j'"),
        ("revolute", {"pitch": 0.1}, "a revolute joint takes no pitch, got 0.1"),
        ("cylindrical", {"second_axis": SECOND}, "a cylindrical joint takes no second_axis"),
        ("cylindrical", {"stiffness": 1.0}, "a cylindrical joint takes no spring and no limits"),
        ("universal", {"second_axis": (1, 0, 0), "limits": da.Limits(-1, 1)}, "takes no spring and no limits"),
    ],
)
def test_refusals(kind: str, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(MachineError, match=message):
        da.Joint("j", kind, "world", "arm", **fields)


def test_a_motor_needs_one_coordinate() -> None:
    with pytest.raises(MachineError, match="motor 'm' must drive a joint with one coordinate, but 'j' is universal"):
        arm("universal").with_(motors=[da.Motor("m", "j")])


def test_bodies_without_the_inertia_that_a_joint_needs() -> None:
    with pytest.raises(MachineError, match="has no mass"):
        da.Machine("m", [da.Body("b", 0.0, inertia=(1, 1, 1))], [da.Joint("j", "cylindrical", "world", "b")])
    with pytest.raises(MachineError, match="has no inertia about its axis"):
        da.Machine("m", [da.Body("b", 1.0)], [da.Joint("j", "cylindrical", "world", "b")])
    with pytest.raises(MachineError, match="has no inertia about one of the axes it turns about"):
        da.Machine("m", [da.Body("b", 1.0)], [da.Joint("j", "universal", "world", "b", second_axis=(1, 0, 0))])
    # a point on a screw moves along it
    da.Machine("m", [da.Body("b", 1.0)], [da.Joint("j", "screw", "world", "b", pitch=0.1)])
