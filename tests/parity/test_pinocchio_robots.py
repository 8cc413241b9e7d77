"""Published robots, read by both: UR5, Panda, a quadruped and a humanoid against Pinocchio."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.benchmarks.robots import ROBOTS, robot_file, robot_machine, robot_pinocchio
from dalembert.core.errors import InputError, MachineError
from dalembert.io.conventions import from_pinocchio, to_pinocchio
from dalembert.io.urdf import load_urdf
from support.comparison import difference

pin = pytest.importorskip("pinocchio")
pytestmark = pytest.mark.peer

STATES = 5


@pytest.mark.parametrize("name", ROBOTS)
def test_robot_agrees_with_pinocchio(name: str) -> None:
    try:
        robot_file(name)
    except InputError as error:
        pytest.skip(str(error))
    machine, model = robot_machine(name), robot_pinocchio(name)
    data = model.createData()
    eom = da.equations(machine, backend="vm")
    assert eom.nv == model.nv
    rng = np.random.default_rng(0)
    moving = [model.names[i] for i in range(1, model.njoints)]
    assert [j.name for j in machine.coordinate_joints] == moving
    for _ in range(STATES):
        q = eom.random_configuration(rng)
        v, a, tau = rng.normal(size=(3, eom.nv))
        tau *= 20.0
        s = to_pinocchio(machine, q, v, a, tau, continuous=True)
        M = pin.crba(model, data, s.q)
        M = np.triu(M) + np.triu(M, 1).T
        assert difference(eom.mass_matrix(q), M) < 1e-9
        force = pin.rnea(model, data, s.q, s.v, s.a)
        scale = max(np.abs(force).max(), np.abs(M @ a).max())
        assert difference(eom.inverse_dynamics(q, v, a), force, scale) < 1e-9
        gravity = pin.computeGeneralizedGravity(model, data, s.q)
        assert difference(eom.gravity(q), gravity) < 1e-9
        bias = pin.nonLinearEffects(model, data, s.q, s.v)
        assert difference(eom.bias(q, v), bias) < 1e-9
        assert difference(eom.coriolis_matrix(q, v) @ v, bias - gravity, np.abs(bias).max()) < 1e-9
        theirs = from_pinocchio(machine, s.q, s.v, pin.aba(model, data, s.q, s.v, s.tau), continuous=True).a
        ours = eom.forward_dynamics(q, v, tau)
        assert difference(ours, theirs) < 1e-9
        assert difference(M @ ours + bias, tau, scale) < 1e-9
        for frame in (machine.bodies[-1].name, machine.bodies[len(machine.bodies) // 2].name):
            index = model.getFrameId(frame, pin.BODY)
            J = pin.computeFrameJacobian(model, data, s.q, index, pin.LOCAL)
            assert difference(eom.jacobian(frame, q), J) < 1e-9


# Files whose machines are refused: joints that move no mass or mimic one that does not exist, impossible inertias. The
# two others are no URDF files.
REFUSED = {
    "alex_psyonic_hands",
    *("bravo7_gripper", "bluevolta_bravo7_gripper", "falcon_bravo7_gripper"),
    *("romeo", "romeo_laas_small", "romeo_small"),
}
UNREADABLE = {"falcon", "ur3"}


def _all_files() -> list[Path]:
    try:
        folder = robot_file("ur5").parents[2]
    except InputError:
        return []
    return sorted(folder.rglob("*.urdf"))


@pytest.mark.slow
@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("path", _all_files(), ids=lambda path: f"{path.parents[1].name}/{path.stem}")
def test_every_robot_file_agrees_with_pinocchio(path: Path, floating: bool) -> None:
    if path.stem in REFUSED | UNREADABLE:
        with pytest.raises(MachineError):
            load_urdf(path, floating_base=floating)
        return
    root = [pin.JointModelFreeFlyer()] if floating else []
    model = pin.buildModelFromUrdf(str(path), *root)
    if not 0 < model.nv <= 60:
        pytest.skip(f"{model.nv} degrees of freedom")
    machine = load_urdf(path, floating_base=floating, motors=False)
    assert [j.name for j in machine.coordinate_joints] == list(model.names)[1:]
    eom, data = da.equations(machine, backend="vm"), model.createData()
    rng = np.random.default_rng(1)
    q = eom.random_configuration(rng)
    v, a, tau = rng.normal(size=(3, eom.nv))
    s = to_pinocchio(machine, q, v, a, continuous=True)
    force = from_pinocchio(machine, s.q, tau=pin.rnea(model, data, s.q, s.v, s.a), continuous=True).tau
    assert difference(eom.inverse_dynamics(q, v, a), force) < 1e-9
    acceleration = eom.forward_dynamics(q, v, tau)
    s = to_pinocchio(machine, q, v, acceleration, continuous=True)
    back = from_pinocchio(machine, s.q, tau=pin.rnea(model, data, s.q, s.v, s.a), continuous=True).tau
    assert difference(back, tau, np.abs(eom.mass_matrix(q) @ acceleration).max()) < 1e-9
