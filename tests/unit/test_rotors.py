"""Rotors on moving links: coupling with the link and gyroscopic moments, against explicit bodies and the energy."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.formulations.tree.lagrange import Lagrange
from support.flexible_machines import random_flexible_machine
from support.random_machines import random_machine, random_state

AXIAL, ACROSS, MASS = 0.002, 0.0015, 0.4  # moments of inertia and mass of a rotor
ALL = ("newton-euler", "lagrange", "gibbs-appell")


def pair(axis: Any = "z", *, motors: Any = (), base: str = "revolute") -> da.Machine:
    """Two links; the motor of the second sits on the first."""
    bodies = [da.Body("a", 1.0, (0.1, 0, 0), (0.1, 0.2, 0.25)), da.Body("b", 1.0, (0, 0.1, 0), (0.1, 0.2, 0.25))]
    joints = [da.Joint("q1", base, "world", "a"), da.Joint("q2", "revolute", "a", "b", axis=axis)]
    return da.Machine("pair", bodies, joints, motors=motors, gravity=(0, 0, 0))


@pytest.mark.parametrize("by", [*ALL, "natural"])
def test_a_rotor_with_parallel_axes_has_the_mass_matrix_of_the_book(by: str) -> None:
    geared = pair(motors=[da.Motor("m", "q2", ratio=30.0, rotor_inertia=0.001)])
    energies = []
    for machine in (geared, pair()):
        eom = da.equations(machine, by=by, backend="vm")
        states = [eom.from_machine([0.3, 0.4], v) for v in np.eye(2).tolist() + [[1.0, 1.0]]]
        energies.append([float(eom.energy(q, v).kinetic) for q, v in states])
    T = np.subtract(*energies)
    M = np.array([[2 * T[0], T[2] - T[0] - T[1]], [T[2] - T[0] - T[1], 2 * T[1]]])
    np.testing.assert_allclose(M, [[0.001, 0.03], [0.03, 0.9]], rtol=0, atol=1e-12)


def arm(axis: Any, ratio: float, kind: str, *, explicit: bool) -> da.Machine:
    """A wrist on a link that turns on a slide; its rotor as a motor has it, or as a body with a gear."""
    place = da.Transform.about((0.3, 0.2, 0.9), 0.7, (0.2, 0.1, 0.3))
    e = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    link = da.Body("link", 2.0, (0.1, 0.2, 0.0), (0.3, 0.4, 0.5))
    R, p = np.array(place.rotation), np.array(place.translation)
    if not explicit:
        # The link has the mass of the rotor, and its moments across the axis.
        I = np.diag([0.3, 0.4, 0.5]) + R @ (ACROSS * (np.eye(3) - np.outer(e, e))) @ R.T
        d, m = p - np.array([0.1, 0.2, 0.0]), 2.0 * MASS / (2.0 + MASS)
        com = np.array([0.1, 0.2, 0.0]) + MASS / (2.0 + MASS) * d
        link = da.Body("link", 2.0 + MASS, com, I + m * (d @ d * np.eye(3) - np.outer(d, d)))
    bodies = [da.Body("carriage", 1.3), link, da.Body("wrist", 0.7, (0.0, 0.1, -0.2), (0.1, 0.15, 0.12))]
    joints = [
        da.Joint("x", "prismatic", "world", "carriage", axis="x"),
        da.Joint("turn", "revolute", "carriage", "link", axis=(0, 0.6, 0.8)),
        da.Joint("wrist", kind, "link", "wrist", origin=place, axis=e, **({"pitch": 0.05} if kind == "screw" else {})),
    ]
    if not explicit:
        motors = [da.Motor("m", "wrist", ratio=ratio, rotor_inertia=AXIAL)]
        return da.Machine("arm", bodies, joints, motors=motors)
    inertia = ACROSS * np.eye(3) + (AXIAL - ACROSS) * np.outer(e, e)
    bodies.append(da.Body("rotor", MASS, inertia=inertia))
    joints.append(da.Joint("zrotor", "revolute", "link", "rotor", origin=place, axis=e))
    return da.Machine("arm", bodies, joints, couplings=[da.Coupling("zrotor", "wrist", ratio=ratio)])


@pytest.mark.parametrize("kind", ["revolute", "screw"])
@pytest.mark.parametrize("ratio", [40.0, -0.3])
@pytest.mark.parametrize("by", ALL)
def test_a_rotor_is_a_body_that_a_gear_turns(by: str, ratio: float, kind: str) -> None:
    axis = (0.5, -0.7, 0.4)
    eom, body = (da.equations(arm(axis, ratio, kind, explicit=x), by=by, backend="vm") for x in (False, True))
    assert eom.v_names == body.v_names
    q, v, a, tau = random_state(eom, 3)
    given = {
        "mass_matrix": (q,), "bias": (q, v), "gravity": (q,), "inverse_dynamics": (q, v, a),
        "forward_dynamics": (q, v, tau), "momentum": (q, v), "center_of_mass": (q,),
    }  # fmt: skip
    for name, arguments in given.items():
        here, there = getattr(eom, name)(*arguments), getattr(body, name)(*arguments)
        np.testing.assert_allclose(here, there, rtol=0, atol=1e-11 * (1 + np.abs(there).max()), err_msg=name)
    np.testing.assert_allclose(eom.coriolis_matrix(q, v) @ v, body.coriolis_matrix(q, v) @ v, rtol=0, atol=1e-9)
    assert eom.energy(q, v).kinetic == pytest.approx(body.energy(q, v).kinetic, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_every_formulation_has_the_same_rotors(seed: int) -> None:
    machine = random_machine(seed, 3, kinds=("revolute", "screw", "prismatic"), base="free", couplings=0)
    joints = [j.name for j in machine.joints if j.info.nv == 1]
    machine = machine.with_(
        motors=[da.Motor(f"m{k}", j, ratio=3.0 - 2 * k, rotor_inertia=0.05) for k, j in enumerate(joints)]
    )
    assert machine.motors
    report = da.verify(machine, samples=3)
    assert report.ok, str(report)


@pytest.mark.slow
def test_beams_carry_rotors_too() -> None:
    machine = random_flexible_machine(3, 3, base="free")
    joints = [n.joint.name for n in machine.tree.nodes if n.joint.info.nv == 1]
    motors = [da.Motor(f"m{j}", j, ratio=-6.0, rotor_inertia=0.05) for j in joints]
    assert any(n.elastic and n.joint.kind == "fixed" for n in machine.tree.nodes)
    report = da.verify(machine.with_(motors=motors), samples=2)
    assert report.ok, str(report)


def test_the_equations_follow_from_the_energy() -> None:
    """Euler-Lagrange of ``T`` written out here, with the rotor's rate by hand."""
    machine = pair((0.6, 0.0, 0.8), motors=[da.Motor("m", "q2", ratio=11.0, rotor_inertia=0.03)])
    q, v, a = (ca.SX.sym(s, 2) for s in "qva")
    bare = Lagrange(pair((0.6, 0.0, 0.8)))
    T = ca.substitute(bare.kinetic_energy(), ca.vertcat(bare.variables.q, bare.variables.v), ca.vertcat(q, v))
    T = T + 0.03 * (0.8 * v[0] + 11.0 * v[1]) ** 2 / 2  # e.w of the first link, which turns about z
    momenta = ca.gradient(T, v)
    tau = ca.jtimes(momenta, q, v) + ca.jtimes(momenta, v, a) - ca.gradient(T, q)
    expected = ca.Function("tau", [q, v, a], [tau])
    at = [0.3, -0.8], [1.2, 2.0], [0.5, -0.4]
    for by in ALL:
        found = da.equations(machine, by=by, backend="vm").inverse_dynamics(*at)
        np.testing.assert_allclose(found, expected(*at).full()[:, 0], rtol=0, atol=1e-12)


def test_a_free_craft_keeps_its_momentum_with_a_rotor() -> None:
    """Braking the rotor turns the craft; without its coupling the angular momentum would change."""
    machine = pair((0.6, 0.0, 0.8), base="free", motors=[da.Motor("m", "q2", ratio=50.0, rotor_inertia=2e-3)])
    eom = da.equations(machine)
    run = da.simulate(eom, duration=1.0, v0={"q2_dot": 0.4, "q1.wx": 1.0}, control=da.PD(0.0, 0.1, [0.0]), step=1e-3)
    h = eom.momentum(run.x[:, : eom.nq], run.x[:, eom.nq : eom.nq + eom.nv])
    np.testing.assert_allclose(h, np.tile(h[0], (len(h), 1)), rtol=0, atol=1e-9)
    assert np.ptp(run["q1.wz"]) > 0.005
    assert run.energy.drift < 1e-8


def test_mujoco_is_told_of_the_diagonal_only() -> None:
    with pytest.warns(da.DalembertWarning, match="armature"):
        exported = da.to_mjcf(pair(motors=[da.Motor("m", "q2", ratio=30.0, rotor_inertia=0.001)]))
    assert any("rotors of 'm'" in line and "armature" in line for line in exported.left_out)
    assert 'armature="0.9"' in exported.text
    on_the_world = pair(motors=[da.Motor("m", "q1", ratio=30.0, rotor_inertia=0.001)])
    assert not any("rotor" in line for line in da.to_mjcf(on_the_world).left_out)


def test_a_rotor_gives_inertia_to_a_link_without_any() -> None:
    bodies = [da.Body("a"), da.Body("b", 1.0, (0, 0.1, 0), (0.1, 0.2, 0.25))]
    joints = [da.Joint("q1", "revolute", "world", "a"), da.Joint("q2", "revolute", "a", "b")]
    motors = [da.Motor("m", "q2", ratio=30.0, rotor_inertia=0.001)]
    eom = da.equations(da.Machine("light", bodies, joints, motors=motors, gravity=(0, 0, 0)), backend="vm")
    a = eom.forward_dynamics([0.1, 0.2], [0.0, 0.0], [0.0, 1.0])
    np.testing.assert_allclose(eom.mass_matrix([0.1, 0.2]) @ a, [0.0, 1.0], atol=1e-12)
    # Turned once as fast as its joint, the rotor is a part of what the second joint turns.
    with pytest.raises(da.MachineError, match="q1"):
        da.Machine("light", bodies, joints, motors=[da.Motor("m", "q2", rotor_inertia=0.001)])
