"""Forward dynamics against MuJoCo: random trees and a floating robot, through the conversions of states."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.benchmarks.peers.mujoco_model import mujoco_xml
from dalembert.core.errors import InputError
from dalembert.io.conventions import from_mujoco, to_mujoco
from support.comparison import difference
from support.random_machines import random_machine, random_state, with_armatures

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.peer


def compare(machine: da.Machine, seed: int) -> None:
    eom = da.equations(machine, backend="vm")
    model = mujoco.MjModel.from_xml_string(mujoco_xml(machine))
    data = mujoco.MjData(model)
    assert (model.nq, model.nv) == (eom.nq, eom.nv)
    q, v, a, tau = random_state(eom, seed)
    s = to_mujoco(machine, q, v, a, tau)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = s.q, s.v, s.tau
    mujoco.mj_forward(model, data)
    theirs = from_mujoco(machine, s.q, s.v, data.qacc.copy()).a
    assert difference(eom.forward_dynamics(q, v, tau), theirs) < 1e-9
    data.qacc[:] = s.a
    mujoco.mj_inverse(model, data)
    force = from_mujoco(machine, s.q, s.v, tau=data.qfrc_inverse.copy()).tau
    assert difference(eom.inverse_dynamics(q, v, a), force) < 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_random_trees_agree_with_mujoco(seed: int) -> None:
    kinds = ("revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "fixed")
    compare(with_armatures(random_machine(seed, 5, kinds=kinds, springs=False, massless=False)), seed)


@pytest.mark.parametrize("seed", range(5))
def test_floating_trees_agree_with_mujoco(seed: int) -> None:
    kinds = ("revolute", "spherical")
    tree = with_armatures(random_machine(seed, 4, kinds=kinds, base="free", springs=False, massless=False))
    joints = [j if j.kind != "free" else da.Joint(j.name, "free", j.parent, j.child) for j in tree.joints]
    compare(tree.with_(joints=joints), seed)


def test_what_mujoco_cannot_represent_is_refused() -> None:
    tree = random_machine(0, 2, kinds=("revolute",), base="free")
    with pytest.raises(InputError, match="free joints are at the world's origin"):
        mujoco_xml(tree)
    screw = random_machine(0, 1, kinds=("screw",))
    with pytest.raises(InputError, match="MuJoCo has no equivalent of a screw joint"):
        mujoco_xml(screw)
    coupled = random_machine(1, 3, kinds=("revolute",), couplings=1, motors=False)
    with pytest.raises(InputError, match="coupled joints"):
        mujoco_xml(coupled)
