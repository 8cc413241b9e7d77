"""Springs, losses, motors, gears and loads at joints: the formulas of docs/machines.md, with numbers of their own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.support.laws import evaluated, law

import dalembert as da
from dalembert.model import elastic_joint


def disc(**joint: Any) -> da.Machine:
    """A disc of 0.37 kg m2 about z on one joint, in no gravity, with what the keywords say."""
    parts = {key: joint.pop(key) for key in ("motors", "wrenches", "contacts") if key in joint}
    kind = joint.pop("kind", "revolute")
    body = da.Body("disc", 2.3, inertia=(0.21, 0.22, 0.37))
    return da.Machine(
        "disc", [body], [da.Joint("a", kind, "world", "disc", axis="z", **joint)], gravity=(0, 0, 0), **parts
    )


@law("Joint.stiffness", "Joint.rest")
def test_a_spring_pulls_to_its_rest() -> None:
    machine = disc(stiffness=13.7, rest=-0.41)
    assert evaluated(machine, "bias", q=[0.29]) == pytest.approx([13.7 * (0.29 + 0.41)], rel=1e-14)
    assert evaluated(machine, "potential_energy", q=[0.29]) == pytest.approx([13.7 * 0.7**2 / 2], rel=1e-14)


@law("Joint.damping")
def test_a_damper_acts_against_the_rate() -> None:
    assert evaluated(disc(damping=0.83), "applied", q=[0.2], v=[-1.9]) == pytest.approx([0.83 * 1.9], rel=1e-14)


@law("Joint.friction", "Joint.friction_velocity")
def test_smooth_friction_is_that_of_a_hyperbolic_tangent() -> None:
    machine = disc(friction=3.1, friction_velocity=0.45)
    assert evaluated(machine, "applied", v=[0.6]) == pytest.approx([-3.1 * math.tanh(0.6 / 0.45)], rel=1e-14)


@law("Joint.friction", "BlockLaw.STICTION")
@pytest.mark.parametrize("contact", ["event-driven", "time-stepping"])
def test_a_joint_that_sticks_stands_below_its_friction_and_gives_way_above(contact: str) -> None:
    """Against 5.2 N m: 4.9 N m move nothing, 7.7 N m turn 0.37 kg m2 by (7.7 - 5.2) t^2 / (2 * 0.37)."""
    for torque, angle in ((4.9, 0.0), (7.7, (7.7 - 5.2) * 0.3**2 / (2 * 0.37))):
        far = [da.Contact("floor", "disc", surface=da.HalfSpace(point=(0.0, 0.0, -9.0)))]
        load = [da.Wrench("load", "disc", torque=(0.0, 0.0, torque))]
        machine = disc(friction=5.2, friction_law="stick", wrenches=load, contacts=far)
        run = da.simulate(machine, duration=0.3, step=0.01, contact=contact, backend="vm")
        assert run["a"][-1] == pytest.approx(angle, rel=1e-10, abs=1e-12)
        assert run["friction.a"][-1] == pytest.approx(-min(torque, 5.2), rel=1e-10)


@law("Joint.armature", "Joint.pitch")
def test_inertia_of_armatures_and_screws() -> None:
    assert evaluated(disc(armature=0.058), "mass_matrix") == pytest.approx(np.array([0.37 + 0.058]), rel=1e-14)
    screw = disc(kind="screw", pitch=0.12)
    assert evaluated(screw, "mass_matrix") == pytest.approx(np.array([0.37 + 2.3 * 0.12**2]), rel=1e-14)


@law("Motor.ratio", "Motor.rotor_inertia", "Motor.damping", "Motor.effort")
def test_a_motor_acts_through_its_gear() -> None:
    motor = da.Motor("m", "a", ratio=-7.5, rotor_inertia=1.3e-3, damping=2.1e-2, effort=0.9)
    machine = disc(motors=[motor])
    assert evaluated(machine, "mass_matrix") == pytest.approx(np.array([0.37 + 7.5**2 * 1.3e-3]), rel=1e-14)
    for u, felt in ((0.4, 0.4), (2.6, 0.9), (-1.7, -0.9)):
        force = -7.5 * felt - 7.5**2 * 2.1e-2 * 1.1
        assert evaluated(machine, "applied", v=[1.1], u=[u]) == pytest.approx([force], rel=1e-14)


@law("Motor.speed")
def test_a_motor_does_not_drive_beyond_its_speed_but_brakes() -> None:
    """Of 30 rad/s behind a gear of -7.5: all effort at 29 rad/s, half at 29.85, none at 31; against it all."""
    machine = disc(motors=[da.Motor("m", "a", ratio=-7.5, speed=30.0)])
    for speed, u, felt in ((29.0, 0.4, 0.4), (29.85, 0.4, 0.2), (31.0, 0.4, 0.0), (31.0, -0.4, -0.4)):
        assert evaluated(machine, "applied", v=[speed / -7.5], u=[u]) == pytest.approx(
            [-7.5 * felt], rel=1e-9, abs=1e-12
        )


@law("Limits.effort")
def test_the_effort_of_a_joint_limits_what_its_motor_gives() -> None:
    """The limit is on the side of the link: |n u| <= 3.3."""
    machine = disc(limits=da.Limits(effort=3.3), motors=[da.Motor("m", "a", ratio=4.0, effort=50.0)])
    for u, felt in ((-20.0, -3.3), (0.7, 2.8)):
        assert evaluated(machine, "applied", u=[u]) == pytest.approx([felt], rel=1e-14)


@law("Limits.restitution", "Limits.velocity")
def test_a_stop_throws_back_a_part_of_the_speed_and_speed_limits_are_events() -> None:
    machine = disc(kind="prismatic", limits=da.Limits(-5.0, 0.25, restitution=0.35))
    run = da.simulate(machine, v0=[2.0], duration=0.3, step=0.05, limits="contact", backend="vm")
    assert run["a_dot"][-1] == pytest.approx(-0.35 * 2.0, rel=1e-12)
    assert run["a"][-1] == pytest.approx(0.25 - 0.35 * 2.0 * (0.3 - 0.125), abs=1e-10)
    push = [da.Wrench("push", "disc", force=(0.0, 0.0, 4.6))]  # 2 m/s2
    driven = disc(kind="prismatic", limits=da.Limits(velocity=0.7), wrenches=push)
    run = da.simulate(driven, duration=0.5, step=0.05, backend="vm")
    assert [(e.name, e.t) for e in run.events] == [("a.velocity", pytest.approx(0.35, rel=1e-10))]


@law("Thruster.force", "Thruster.torque", "Thruster.effort", "Wrench.force", "Wrench.torque")
def test_thrusters_and_wrenches_act_at_their_frames() -> None:
    """A quarter turn about z takes x of the frame to y of the world; forces at a frame have a lever arm."""
    turn = [0.0, 0.0, 0.0, math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]
    arm, f, n = np.array([0.3, -0.2, 0.5]), np.array([1.1, 0.4, -0.7]), np.array([0.06, -0.05, 0.09])
    world = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    common = {
        "bodies": [da.Body("hub", 5.0, inertia=(1.0, 1.2, 0.9))],
        "joints": [da.Joint("b", "free", "world", "hub")],
    }
    frames, gravity = [da.Frame("nozzle", "hub", tuple(arm))], (0.0, 0.0, 0.0)
    for axes, R in (("frame", np.eye(3)), ("world", world.T)):
        push, twist = R @ f, np.cross(arm, R @ f) + R @ n
        jet = da.Thruster("jet", "nozzle", tuple(f), tuple(n), axes, effort=0.8, one_sided=True)
        machine = da.Machine("m", **common, frames=frames, thrusters=[jet], gravity=gravity)
        for u, felt in ((0.6, 0.6), (3.0, 0.8), (-2.0, 0.0)):
            got = evaluated(machine, "applied", q=turn, u=[u])
            np.testing.assert_allclose(got, felt * np.concatenate([push, twist]), atol=1e-14)
        load = da.Wrench("load", "nozzle", tuple(f), tuple(n), axes)
        got = evaluated(da.Machine("m", **common, frames=frames, wrenches=[load], gravity=gravity), "applied", q=turn)
        np.testing.assert_allclose(got, np.concatenate([push, twist]), atol=1e-14)


@law("Thruster.toward")
def test_a_thruster_pulls_its_frame_toward_a_point() -> None:
    """4 N at (0.3, 0, 0.1) of a body at (1, 2, 2) toward (4.3, 6, 2.1): along (3, 4, 0)/5, with a lever arm."""
    machine = da.Machine(
        "m",
        bodies=[da.Body("hub", 5.0, inertia=(1.0, 1.2, 0.9))],
        joints=[da.Joint("b", "free", "world", "hub")],
        frames=[da.Frame("eye", "hub", (0.3, 0.0, 0.1))],
        thrusters=[da.Thruster("cable", "eye", toward=(4.3, 6.0, 2.1))],
        gravity=(0, 0, 0),
    )
    pull = np.array([2.4, 3.2, 0.0])
    got = evaluated(machine, "applied", q=[1.0, 2.0, 2.0, 1.0, 0.0, 0.0, 0.0], u=[4.0])
    np.testing.assert_allclose(got, np.concatenate([pull, np.cross((0.3, 0.0, 0.1), pull)]), atol=1e-13)


def two_discs(**parts: Any) -> da.Machine:
    bodies = [da.Body("one", 1.0, inertia=(0.3, 0.3, 0.42)), da.Body("two", 1.0, inertia=(0.1, 0.1, 0.15))]
    joints = [
        da.Joint("a", "revolute", "world", "one", axis="z"),
        da.Joint("b", "revolute", "world", "two", axis="z", stiffness=8.0),
    ]
    return da.Machine("discs", bodies, joints, gravity=(0, 0, 0), **parts)


@law("Coupling.ratio", "Coupling.offset")
def test_a_coupled_joint_carries_inertia_and_spring_over() -> None:
    machine = two_discs(couplings=[da.Coupling("b", "a", -2.5, 0.3)])
    assert evaluated(machine, "mass_matrix") == pytest.approx(np.array([0.42 + 2.5**2 * 0.15]), rel=1e-14)
    assert evaluated(machine, "bias", q=[0.7]) == pytest.approx([-2.5 * 8.0 * (-2.5 * 0.7 + 0.3)], rel=1e-14)


@law("GearConstraint.terms", "GearConstraint.value")
def test_a_gear_shares_the_load_by_its_coefficients() -> None:
    """3 a + 2 b = 0.5 t^2: 3 a'' + 2 b'' = 1; multipliers are the forces per coefficient."""
    gear = da.GearConstraint("gear", terms={"a": 3.0, "b": 2.0}, value=0.5 * da.TIME * da.TIME)
    eom = da.equations(two_discs(constraints=[gear]), backend="vm")
    a, force = eom.constrained_dynamics([0.0, 0.0], [0.0, 0.0], [1.7, -0.6])
    # M a + J^T lambda = tau with J = (3, 2), J a = 1
    lam = (3.0 * 1.7 / 0.42 + 2.0 * -0.6 / 0.15 - 1.0) / (9.0 / 0.42 + 4.0 / 0.15)
    np.testing.assert_allclose(a, [(1.7 - 3.0 * lam) / 0.42, (-0.6 - 2.0 * lam) / 0.15], rtol=1e-12)
    np.testing.assert_allclose(force, [lam], rtol=1e-12)


@law("Joint.stiffness", "Motor.rotor_inertia")
def test_an_elastic_joint_has_its_rotor_before_the_spring() -> None:
    arm = da.Body("arm", 1.0, inertia=(0.4, 0.4, 0.6))
    j = elastic_joint("q", "revolute", "world", "arm", stiffness=90.0, rotor_inertia=2e-4, ratio=40.0, damping=0.7)
    machine = da.Machine("m", [arm, j.carrier], j.joints, motors=[j.motor], gravity=(0, 0, 0))
    np.testing.assert_allclose(evaluated(machine, "mass_matrix"), [[0.6 + 40.0**2 * 2e-4, 0.6], [0.6, 0.6]], rtol=1e-14)
    np.testing.assert_allclose(evaluated(machine, "bias", q=[0.8, 0.05]), [0.0, 90.0 * 0.05], rtol=1e-14)
    np.testing.assert_allclose(
        evaluated(machine, "applied", v=[1.0, 0.2], u=[0.03]), [40.0 * 0.03, -0.7 * 0.2], rtol=1e-13
    )
