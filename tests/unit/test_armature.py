"""Inertia that moves with a joint and with no body: every formulation, motors, files, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.base_parameters import base_parameters
from dalembert.io import machine_to_yaml
from support.random_machines import random_machine, random_state

ONE = ("revolute", "prismatic", "screw")
MORE = ("cylindrical", "universal", "spherical", "planar")


def chain(kind: str, armature: Any = 0.0, **motor: Any) -> da.Machine:
    """The joint in question between two moving bodies."""
    extra: dict[str, Any] = {}
    if kind == "universal":
        extra["second_axis"] = (1, 0, 0)
    if kind == "screw":
        extra["pitch"] = 0.1
    return da.Machine(
        "chain",
        bodies=[
            da.Body("a", 2.0, (0.1, 0.2, 0.0), (0.3, 0.4, 0.5)),
            da.Body("b", 1.0, (0.0, 0.3, -0.2), (0.2, 0.25, 0.15)),
            da.Body("c", 0.7, (0.1, 0.0, -0.2), (0.1, 0.15, 0.12)),
        ],
        joints=[
            da.Joint("first", "revolute", "world", "a", axis=(0, 0.6, 0.8)),
            da.Joint("j", kind, "a", "b", origin=(0.2, 0.1, 0.3), axis=(0, 1, 0), armature=armature, **extra),
            da.Joint("last", "revolute", "b", "c", origin=(0.1, -0.3, 0.2), axis=(1, 0, 0)),
        ],
        motors=[da.Motor("m", "j", **motor)] if motor else (),
    )


@pytest.mark.parametrize("kind", ONE)
def test_an_armature_is_the_rotor_of_a_motor_on_the_world(kind: str) -> None:
    machines = chain(kind, 0.3), chain(kind, ratio=-5.0, rotor_inertia=0.012)
    if kind != "prismatic":  # a rotor on a moving link turns with it: tests/unit/test_rotors.py
        machines = tuple(machine.lock(["first"]) for machine in machines)
    eom, geared = (da.equations(machine, backend="vm") for machine in machines)
    q, v, a, tau = random_state(eom, 1)
    for name in ("mass_matrix", "bias", "inverse_dynamics", "forward_dynamics", "coriolis_matrix"):
        arguments = {"mass_matrix": (q,), "bias": (q, v), "coriolis_matrix": (q, v), "inverse_dynamics": (q, v, a)}
        given = arguments.get(name, (q, v, tau))
        assert np.allclose(getattr(eom, name)(*given), getattr(geared, name)(*given), rtol=0.0, atol=1e-12)
    assert eom.energy(q, v).kinetic == pytest.approx(geared.energy(q, v).kinetic, rel=1e-13)


@pytest.mark.parametrize("kind", [*ONE, *(pytest.param(kind, marks=pytest.mark.slow) for kind in MORE)])
def test_every_formulation_has_the_same_armature(kind: str) -> None:
    machine, bare = chain(kind, da.Parameter("J", 0.3)), chain(kind)
    report = da.verify(machine, samples=5)
    assert report.ok, str(report)
    assert not report.left_out
    eom, without = da.equations(machine, backend="vm"), da.equations(bare, backend="vm")
    q, v, _, _ = random_state(eom, 2)
    added = eom.mass_matrix(q, p={"J": 0.7}) - without.mass_matrix(q)
    expected = np.diag([0.7 if name.startswith("j") else 0.0 for name in eom.v_names])
    assert np.allclose(added, expected, rtol=0.0, atol=1e-13)
    assert np.allclose(eom.bias(q, v), without.bias(q, v), rtol=0.0, atol=1e-12)


def test_energy_is_conserved_by_a_machine_with_armatures() -> None:
    v0 = {"first_dot": 1.0, "j.wx": 2.0, "j.wy": -1.0}
    run = da.simulate(chain("spherical", 0.4), duration=1.0, v0=v0, method="rk4", step=1e-3)
    assert run.energy.drift < 1e-9


def test_it_makes_a_joint_movable_that_turns_nothing() -> None:
    bodies = [da.Body("a", 1.0, inertia=(0.1, 0.1, 0.1)), da.Body("b", 1.0)]
    joints = [
        da.Joint("x", "prismatic", "world", "a", axis="x"),
        da.Joint("spin", "revolute", "a", "b", axis="z", armature=0.2),
    ]
    eom = da.equations(da.Machine("spinner", bodies=bodies, joints=joints, gravity=(0, 0, 0)), backend="vm")
    q = eom.machine.q_names.index("spin")
    assert eom.forward_dynamics([0, 0], [0, 0], [0, 1.0])[q] == pytest.approx(5.0)
    with pytest.raises(da.MachineError, match="spin"):
        da.Machine("spinner", bodies=bodies, joints=[joints[0], da.Joint("spin", "revolute", "a", "b")])


def test_a_follower_gives_its_armature_to_its_leader() -> None:
    machine = random_machine(3, 3, kinds=("revolute",), motors=False, couplings=1)
    follower = machine.couplings[0]
    heavy = machine.with_(
        joints=[da.Joint(**{**vars(j), "armature": 0.5}) if j.name == follower.joint else j for j in machine.joints]
    )
    eom, bare = da.equations(heavy, backend="vm"), da.equations(machine, backend="vm")
    q = random_state(eom, 0)[0]
    i = eom.q_names.index(follower.leader)
    added = eom.mass_matrix(q) - bare.mass_matrix(q)
    assert added[i, i] == pytest.approx(0.5 * follower.ratio**2)
    assert np.abs(added).sum() == pytest.approx(0.5 * follower.ratio**2)


def test_files_and_closed_forms_and_base_parameters_have_it() -> None:
    machine = chain("revolute", da.Parameter("J", 0.3))
    text = machine_to_yaml(machine)
    assert "armature: J" in text
    assert da.load_machine(text) == machine
    form = da.closed_form(chain("revolute", 0.3))
    assert "J_j" in {str(s) for s in form.mass_matrix.free_symbols}
    names = base_parameters(chain("revolute", 0.3), losses=True).names
    assert "j.armature" in names


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kind": "revolute", "armature": -0.1}, "armature of joint 'j' must be >= 0, got -0.1"),
        ({"kind": "revolute", "armature": float("nan")}, "armature of joint 'j'"),
        ({"kind": "fixed", "armature": 0.1}, "a fixed joint has no armature"),
        ({"kind": "free", "armature": 0.1}, "a free joint has no armature; give its body the mass and inertia"),
    ],
)
def test_bad_armatures_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(da.MachineError, match=message):
        da.Joint("j", parent="world", child="b", **given)
