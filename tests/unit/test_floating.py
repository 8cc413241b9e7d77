"""Robots on a free base: generalised Jacobians against momentum and differences, manipulability, the chasers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import generalized_jacobian, manipulability
from dalembert.systems.flexible_arms import mda_arm
from dalembert.systems.space_robots import space_chaser, three_joint_chaser

POSTURE = {"theta1": 0.3, "theta2": -0.9, "theta3": 1.7, "theta4": -0.8, "theta5": 0.4, "theta6": -0.2}


def state(eom: da.EquationsOfMotion, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return eom.random_configuration(rng, 0.7), rng.normal(size=eom.nv)


@pytest.fixture(scope="module")
def rigid() -> da.EquationsOfMotion:
    return da.equations(space_chaser("rigid", arrays="rigid"), backend="vm")


def test_mass_matrix_of_the_document() -> None:
    """SPACE D.1.3, D.2.1 without arrays: all twelve diagonal entries, to the digits that were worked out."""
    eom = da.equations(space_chaser("printed", arrays=None, rotors=False), backend="vm")
    arm = [1320.666, 1267.8401, 321.0948, 6.5124, 4.333, 0.01]
    wanted = [855.46] * 3 + [404.5937, 2767.7399, 2745.7192, *arm]
    np.testing.assert_allclose(np.diag(eom.mass_matrix(eom.q_neutral)), wanted, atol=5.1e-5)


def test_flexible_rigid_and_fixed_are_one_machine(rigid: da.EquationsOfMotion) -> None:
    """Undeformed booms and arrays have the mass matrix of stiff ones, and a base of infinite inertia is a fixed one."""
    machine = space_chaser()
    flexible = da.equations(machine, backend="vm")
    q = dict.fromkeys(machine.q_names, 0.0) | POSTURE | {"base.qw": 1.0}
    kept = [i for i, n in enumerate(machine.v_names) if "delta" not in n and "mode" not in n]
    M = flexible.mass_matrix([q[n] for n in machine.q_names])
    posed = [q[n] for n in rigid.q_names]
    np.testing.assert_allclose(M[np.ix_(kept, kept)], rigid.mass_matrix(posed), atol=1e-11)
    # no coupling between the appendages, SPACE (6.52)
    left, right = ([i for i, n in enumerate(machine.v_names) if n.startswith(side)] for side in ("left", "right"))
    arm = [i for i, n in enumerate(machine.v_names) if n.startswith(("theta", "segment"))]
    for a, b in ((left, right), (left, arm), (right, arm)):
        assert not M[np.ix_(a, b)].any()
    heavy = da.Body("base", 1e12, inertia=(1e12, 1e12, 1e12))
    craft = space_chaser(arrays=None)
    craft = craft.with_(bodies=[heavy if b.name == "base" else b for b in craft.bodies])
    fixed = mda_arm()
    fixed = fixed.with_(
        bodies=[replace(b, damping=0.005) if isinstance(b, da.Beam) else b for b in fixed.bodies],
        joints=[replace(j, armature=450**2 * 5.51e-5) if j.info.nv else j for j in fixed.joints],
        motors=[replace(m, rotor_inertia=0.0) for m in fixed.motors],
    )
    a, b = da.equations(craft, backend="vm"), da.equations(fixed, backend="vm")
    qb, v = state(b, 3)
    tau = np.random.default_rng(4).normal(size=b.nv)
    still = np.zeros(6)
    floating = a.forward_dynamics([0, 0, 0, 1, 0, 0, 0, *qb], [*still, *v], [*still, *tau])
    np.testing.assert_allclose(floating[6:], b.forward_dynamics(qb, v, tau), rtol=1e-7, atol=1e-7)


def test_momentum_and_energy_of_the_flexible_chaser() -> None:
    machine = space_chaser(damping=0.0)
    eom = da.equations(machine)
    v0 = {"theta1_dot": 0.05, "theta2_dot": -0.04, "theta4_dot": 0.1, "base.wx": 0.01, "left.mode1_dot": 0.05}
    options: dict[str, Any] = {"method": "dopri5", "rtol": 1e-10, "atol": 1e-12, "record": 0.1}
    run = da.simulate(eom, duration=0.5, q0=POSTURE, v0=v0, **options)
    h = eom.momentum(run.x[:, : eom.nq], run.x[:, eom.nq : eom.nq + eom.nv])
    np.testing.assert_allclose(h, np.tile(h[0], (len(h), 1)), atol=1e-9 * np.abs(h[0]).max())
    assert run.energy.drift < 1e-9


@pytest.mark.parametrize("hold", ["none", "attitude", "pose"])
def test_generalised_jacobian_is_the_jacobian_at_conserved_momentum(rigid: da.EquationsOfMotion, hold: str) -> None:
    J = generalized_jacobian(rigid, "tip", hold=hold)
    assert J.v_names == tuple(f"theta{i}_dot" for i in range(1, 7))
    q, w = state(rigid, 1)[0], np.random.default_rng(2).normal(size=6)
    v = J.velocities(q, w)
    np.testing.assert_allclose(v[6:], w)
    np.testing.assert_allclose(J(q) @ w, rigid.jacobian("tip", q, axes="world") @ v, atol=1e-12)
    h = rigid.momentum(q, v)
    if hold == "none":
        np.testing.assert_allclose(h, 0.0, atol=1e-10)
    elif hold == "attitude":
        np.testing.assert_allclose(h[:3], 0.0, atol=1e-10)
        np.testing.assert_allclose(v[3:6], 0.0)
        assert np.abs(h[3:]).max() > 1.0
    else:
        np.testing.assert_allclose(v[:6], 0.0)
    np.testing.assert_allclose(J.base_map(q) @ w, v[:6], atol=1e-14)


@pytest.mark.parametrize("hold", ["none", "attitude", "pose"])
@pytest.mark.parametrize("axes", ["world", "frame"])
def test_its_rate_by_differences(rigid: da.EquationsOfMotion, hold: str, axes: str) -> None:
    J = generalized_jacobian(rigid, "tip", hold=hold, axes=axes)
    q, v = state(rigid, 5)
    h = 1e-4
    steps = [J(rigid.integrate(q, k * h * v)) for k in (-2, -1, 1, 2)]
    difference = (steps[0] - 8 * steps[1] + 8 * steps[2] - steps[3]) / (12 * h)
    np.testing.assert_allclose(J.rate(q, v), difference, atol=1e-7 * np.abs(difference).max())


def test_velocities_with_momentum(rigid: da.EquationsOfMotion) -> None:
    """Whatever momentum a state has, the velocities of the joints and it give the base's back."""
    q, v = state(rigid, 6)
    J = generalized_jacobian(rigid, "tip")
    np.testing.assert_allclose(J.velocities(q, v[6:], momentum=rigid.momentum(q, v)), v, atol=1e-11)
    many = np.stack([q, q])
    assert J(many).shape == (2, 6, 6)
    assert J.rate(many, np.stack([v, v])).shape == (2, 6, 6)
    np.testing.assert_allclose(J.velocities(many, np.stack([v[6:]] * 2))[1], J.velocities(q, v[6:]), atol=1e-13)


def test_a_heavy_base_leaves_the_jacobian_of_the_arm() -> None:
    machine = three_joint_chaser()
    heavy = machine.with_(
        bodies=[da.box("base", 1e13, (3.5, 3.5, 3.5)) if b.name == "base" else b for b in machine.bodies]
    )
    q = np.array([*machine.q_neutral[:7], 0.2, -0.8, 1.1])
    none, pose = (generalized_jacobian(da.equations(heavy, backend="vm"), "tip", hold=h)(q) for h in ("none", "pose"))
    np.testing.assert_allclose(none, pose, atol=1e-9)


def test_manipulability() -> None:
    J = np.random.default_rng(0).normal(size=(4, 6, 8))
    found = manipulability(J)
    np.testing.assert_allclose(found.volume, np.sqrt(np.linalg.det(J @ J.swapaxes(1, 2))), rtol=1e-12)
    np.testing.assert_allclose(found.condition, [np.linalg.cond(x) for x in J], rtol=1e-12)
    np.testing.assert_allclose(manipulability(J, length=2.0).volume, found.volume / 8, rtol=1e-12)
    flat = manipulability(J[..., :4])
    assert not flat.volume.any()
    assert np.isinf(flat.condition).all()
    assert manipulability(J[:, :3]).volume.shape == (4,)
    with pytest.raises(da.InputError, match="6 rows"):
        manipulability(J[:, :4])


def test_what_has_no_generalised_jacobian_is_told() -> None:
    with pytest.raises(da.InputError, match="has no free base"):
        generalized_jacobian(mda_arm(), "tool")
    with pytest.raises(da.InputError, match="hold must be one of 'none', 'attitude', 'pose', got 'all'"):
        generalized_jacobian(three_joint_chaser(), "tip", hold="all")
    with pytest.raises(da.UnknownNameError, match="frame"):
        generalized_jacobian(three_joint_chaser(), "top")
    two = three_joint_chaser().with_parts(
        da.Machine("rock", [da.sphere("rock", 1.0, 0.1)], [da.Joint("rock", "free", "world", "rock")])
    )
    with pytest.raises(da.InputError, match=r"2 free joints \(base, rock\); name the base"):
        generalized_jacobian(two, "tip")
    with pytest.raises(da.UnknownNameError, match="free joint"):
        generalized_jacobian(two, "tip", base="moon")
    with pytest.raises(da.InputError, match="v must have 3 velocities"):
        generalized_jacobian(three_joint_chaser(), "tip").velocities(three_joint_chaser().q_neutral, [1.0])
