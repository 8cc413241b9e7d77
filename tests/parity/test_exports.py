"""Machines written as URDF and MJCF: Pinocchio and MuJoCo read back the same mass matrix and bias."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.app import run as main
from dalembert.io import read_mjcf, to_mujoco, to_pinocchio
from dalembert.systems import SYSTEMS
from support.random_machines import random_machine, random_state, with_armatures

mujoco = pytest.importorskip("mujoco")
pin = pytest.importorskip("pinocchio")
pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore::dalembert.DalembertWarning")]

TREE = ("revolute", "prismatic", "cylindrical", "universal", "planar", "fixed")


def close(ours: Any, theirs: Any) -> None:
    assert np.abs(ours - theirs).max() < 1e-12 * np.abs(theirs).max()


def same_in_mujoco(machine: da.Machine, seed: int) -> None:
    text = da.to_mjcf(machine).text
    model = mujoco.MjSpec.from_string(text).compile()
    eom, data = da.equations(machine, backend="vm"), mujoco.MjData(model)
    q, v, _, _ = random_state(eom, seed)
    s = to_mujoco(machine, q, v, np.zeros(eom.nv))
    data.qpos[:], data.qvel[:] = s.q, s.v
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    T = np.array([to_mujoco(machine, q, e).v for e in np.eye(model.nv)]).T
    close(eom.mass_matrix(q), T.T @ M @ T)
    close(eom.bias(q, v), T.T @ (data.qfrc_bias - data.qfrc_spring + M @ s.a))
    smooth = machine.with_(joints=[replace(j, friction=0.0) for j in machine.joints])
    u = np.random.default_rng(seed).normal(size=eom.nu)
    data.ctrl[:] = u
    mujoco.mj_forward(model, data)
    force = T.T @ (data.qfrc_damper + data.qfrc_actuator)
    ours = da.equations(smooth, backend="vm").applied(q, v, u)
    assert np.abs(ours - force).max() < 1e-12 * max(1.0, np.abs(force).max())


@pytest.mark.parametrize("seed", range(8))
def test_mujoco_reads_back_random_trees(seed: int) -> None:
    same_in_mujoco(with_armatures(random_machine(seed, 6, kinds=(*TREE, "spherical"), couplings=0)), seed)


@pytest.mark.slow
def test_mujoco_takes_wheels_about_any_axis() -> None:
    """A disc has no slack in the triangle inequality of its moments, which MuJoCo checks to the last digit."""
    rng = np.random.default_rng(5)
    hub = da.Machine("craft", [da.Body("hub", 100.0, inertia=(30, 30, 30))], [da.Joint("hub", "free", "world", "hub")])
    for _ in range(200):
        I = 10.0 ** rng.uniform(-6.0, 4.0)
        wheel = da.Wheel("wheel", "hub", axis=rng.normal(size=3), inertia=I, mass=rng.choice([0.0, 3.0]))
        model = mujoco.MjSpec.from_string(da.to_mjcf(hub.with_parts(wheel)).text).compile()
        np.testing.assert_allclose(sorted(model.body_inertia[2]), [I / 2, I / 2, I], rtol=1e-12)
    plate = da.Body("plate", 1.0, inertia=(0.0834, 0.0834, 0.1669))  # printed digits, which a machine takes
    machine = da.Machine("plate", [plate], [da.Joint("q", "revolute", "world", "plate", axis="x")])
    with pytest.warns(da.DalembertWarning, match="'plate': 0.1669 kg m2 exceeds the sum of the others, 0.1668"):
        mujoco.MjSpec.from_string(da.to_mjcf(machine).text).compile()


def test_mujoco_reads_back_a_free_base() -> None:
    tree = with_armatures(random_machine(3, 4, kinds=("revolute", "spherical"), base="free", massless=False))
    joints = [j if j.kind != "free" else da.Joint(j.name, "free", j.parent, j.child) for j in tree.joints]
    same_in_mujoco(tree.with_(joints=joints), 3)


@pytest.mark.parametrize("name", ["six-axis-arm", "canadarm", "double-pendulum"])
def test_ready_made_machines_go_through_mujoco(name: str) -> None:
    machine = SYSTEMS[name].make()
    if not any(isinstance(b, da.Beam) for b in machine.bodies):
        same_in_mujoco(with_armatures(machine), 0)


def test_a_machine_comes_back_from_mjcf() -> None:
    """What goes out comes in: parts, not only matrices."""
    floor = da.HalfSpace((0, 0, 1), (0, 0, -1))
    machine = da.Machine(
        "round trip",
        bodies=[da.box("cart", 2.0, (0.4, 0.2, 0.1)), da.sphere("ball", 0.5, 0.1, com=(0, 0, -0.6))],
        joints=[
            da.Joint("x", "prismatic", "world", "cart", axis="x", limits=da.Limits(-1, 1), damping=0.3, friction=0.1),
            da.Joint("swing", "revolute", "cart", "ball", axis="y", stiffness=2.0, rest=0.1, armature=0.02),
        ],
        frames=[da.Frame("hook", "ball", (0, 0, -0.7))],
        motors=[da.Motor("drive", "x", 5.0, 0.01, 0.002, effort=3.0)],
        thrusters=[da.Thruster("jet", "hook", force=(1, 0, 0), effort=2.0, one_sided=True)],
        contacts=[da.Contact("floor", "ball", da.Sphere(0.1), (0, 0, -0.6), floor, friction=0.4)],
    )
    exported = da.to_mjcf(machine)
    assert exported.left_out == ("contacts are soft there, without restitution",)
    back = read_mjcf(exported.text).machine
    assert back.q_names == machine.q_names and back.u_names == machine.u_names
    assert back.joint("x").limits == machine.joint("x").limits and back.joint("x").friction == 0.1
    assert back.joint("x").armature == pytest.approx(25 * 0.01)
    assert back.joint("x").damping == pytest.approx(0.3 + 25 * 0.002)
    assert back.joint("swing").stiffness == 2.0 and back.joint("swing").rest == 0.1
    assert (back.motors[0].ratio, back.motors[0].effort) == (5.0, 3.0)
    assert back.thrusters[0].range == (0.0, 2.0) and back.thrusters[0].force == (1.0, 0.0, 0.0)
    (contact,) = back.contacts
    assert (contact.solid, contact.surface, contact.friction) == (da.Sphere(0.1), machine.contacts[0].surface, 0.4)
    assert "hook" in [f.name for f in back.frames]


def same_in_pinocchio(machine: da.Machine, seed: int) -> None:
    model = pin.buildModelFromXML(da.to_urdf(machine).text)
    model.gravity.linear = np.array([float(x) for x in machine.gravity])
    eom, data = da.equations(machine, backend="vm"), model.createData()
    q, v, _, _ = random_state(eom, seed)
    s = to_pinocchio(machine, q, v, continuous=[j.name for j in machine.coordinate_joints if j.kind == "revolute"])
    x = _expanded(machine, q, s.q)
    M = pin.crba(model, data, x)
    M = np.triu(M) + np.triu(M, 1).T
    close(eom.mass_matrix(q), M)
    close(eom.bias(q, v), pin.rnea(model, data, x, v, np.zeros(model.nv)))


def _expanded(machine: da.Machine, q: Any, theirs: Any) -> Any:
    """Coordinates in Pinocchio's order, joints of several coordinates written as several."""
    parts, i, k = [], 0, 0
    for joint in machine.coordinate_joints:
        n = joint.info.nq
        own = q[i : i + n]
        match joint.kind:
            case "revolute" | "free":
                size = 2 if joint.kind == "revolute" else 7
                parts.append(theirs[k : k + size])
            case "prismatic":
                parts.append(own)
            case "cylindrical":
                parts.append([np.cos(own[0]), np.sin(own[0]), own[1]])
            case "universal":
                parts.append([f(x) for x in own for f in (np.cos, np.sin)])
            case "planar":
                parts.append([own[0], own[1], np.cos(own[2]), np.sin(own[2])])
        i += n
        k += n + (joint.kind in ("revolute", "planar"))
    return np.concatenate(parts)


@pytest.mark.parametrize("seed", range(8))
def test_pinocchio_reads_back_random_trees(seed: int) -> None:
    machine = random_machine(seed, 6, kinds=TREE, springs=False, motors=False)
    same_in_pinocchio(machine, seed)


def test_pinocchio_reads_back_a_free_base() -> None:
    same_in_pinocchio(random_machine(3, 4, kinds=("revolute",), base="free", springs=False, motors=False), 3)


def test_a_machine_comes_back_from_urdf(tmp_path: Path) -> None:
    machine = random_machine(5, 5, kinds=("revolute", "prismatic", "fixed"), springs=False, motors=False, couplings=1)
    shapes = (da.Geometry(da.Box((0.1, 0.2, 0.3)), (0.1, 0, 0), "#ff0000"), da.Geometry(da.Sphere(0.2), visual=False))
    machine = machine.with_(bodies=[replace(b, geometry=shapes) for b in machine.bodies], gravity=(0, 0, -9.81))
    path = tmp_path / "machine.urdf"
    exported = da.to_urdf(machine, path)
    assert path.read_text() == str(exported)
    back = da.load_urdf(path, motors=False, mimic="follow")
    assert back.q_names == machine.q_names and back.bodies[0].geometry == machine.bodies[0].geometry
    ours, theirs = da.equations(machine, backend="vm"), da.equations(back, backend="vm")
    q, v, _, _ = random_state(ours, 0)
    close(ours.mass_matrix(q), theirs.mass_matrix(q))
    close(ours.bias(q, v), theirs.bias(q, v))
    assert {j.name: j.limits for j in back.joints}.items() >= {j.name: j.limits for j in machine.joints}.items()


def test_what_the_formats_do_not_have_is_listed() -> None:
    machine = random_machine(1, 3, kinds=("revolute",), parameters=True, wrenches=True).with_(
        constraints=[da.DistanceConstraint("rod", "frame 0", "world", length=1.0)]
    )
    urdf, mjcf = da.to_urdf(machine), da.to_mjcf(machine)
    listed = ("wrenches 'wrench 0', 'wrench 1'", "constraints 'rod'", "rotors and armatures", "gravity (", "parameters")
    for what in listed:
        assert any(what in line for line in urdf.left_out), what
    for what in ("wrenches 'wrench 0', 'wrench 1'", "constraint 'rod'", "parameters"):
        assert any(what in line for line in mjcf.left_out), what
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(da.DalembertWarning, match=r"not carried over to URDF: .*wrench 0"):
            da.to_urdf(machine)


def test_hard_parts_become_soft_ones_of_mujoco() -> None:
    machine = random_machine(2, 4, kinds=("revolute",), couplings=1, motors=False, springs=False, massless=False)
    joints = [j.name for j in machine.coordinate_joints][:2]
    machine = machine.with_(
        constraints=[
            da.BallConstraint("pin", "frame 0"),
            da.WeldConstraint("glue", "frame 1", "world", da.Transform((0.1, 0.2, 0.3)), active=False, switchable=True),
            da.GearConstraint("gear", {joints[0]: 2.0, joints[1]: 3.0}, 0.5),
        ]
    )
    exported = da.to_mjcf(machine)
    assert "couplings and constraints are soft there" in exported.left_out
    back = read_mjcf(exported.text, hard_equalities=True).machine
    kinds = {c.name: type(c).__name__ for c in back.constraints}
    assert kinds == {
        f"{machine.couplings[0].joint}.coupling": "GearConstraint",
        "pin": "BallConstraint",
        "glue": "WeldConstraint",
        "gear": "GearConstraint",
    }
    full = da.equations(machine.with_(couplings=()), backend="vm")
    hard = [c for c in back.constraints if not c.name.endswith(".coupling")]
    theirs = da.equations(back.with_(constraints=hard), backend="vm")
    q = random_state(full, 0)[0]
    a, b = full.constraints(q), theirs.constraints(q)
    assert np.allclose(np.abs(a[:3]), np.abs(b[:3]), rtol=0.0, atol=1e-12)
    assert a[-1] / 2.0 == pytest.approx(b[-1], abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "write", "message"),
    [
        ("screw", da.to_urdf, "URDF has no equivalent of a screw joint"),
        ("spherical", da.to_urdf, "URDF has no equivalent of a spherical joint"),
        ("screw", da.to_mjcf, "MJCF has no equivalent of a screw joint"),
    ],
)
def test_what_has_no_counterpart_is_refused(kind: str, write: Any, message: str) -> None:
    with pytest.raises(da.InputError, match=message):
        write(random_machine(0, 1, kinds=(kind,)))
    with pytest.raises(da.InputError, match="flexible"):
        write(SYSTEMS["planar-flexible-arm"].make())


def test_the_command_line_takes_and_writes_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(tmp_path / name) for name in ("arm.urdf", "arm.xml", "arm.yaml")]
    for file in files:
        assert main(["export", "double-pendulum", file]) == 0
    assert main(["check", *files]) == 0
    assert main(["export", files[1], str(tmp_path / "again.yaml")]) == 0
    assert main(["simulate", files[1], "--duration", "0.1"]) == 0
    (tmp_path / "robot.xml").write_text(Path(files[0]).read_text())  # a URDF by its content
    assert main(["check", str(tmp_path / "robot.xml")]) == 0
    capsys.readouterr()
    (tmp_path / "bad.xml").write_text("<mujoco><worldbody><bdy/></worldbody></mujoco>")
    assert main(["check", str(tmp_path / "bad.xml")]) == 1
    assert "MuJoCo rejects it" in capsys.readouterr().err
    assert main(["export", "double-pendulum", str(tmp_path / "arm.txt")]) == 2


def test_a_model_starts_where_its_file_puts_it(tmp_path: Path) -> None:
    """On the command line a ball of MuJoCo falls from its height onto its floor."""
    path, run = tmp_path / "ball.xml", tmp_path / "ball.nc"
    path.write_text(
        """<mujoco model="ball"><worldbody><geom name="floor" type="plane" size="1 1 1"/>
        <body name="ball" pos="0 0 0.4"><freejoint name="base"/><geom name="ball" size="0.1" mass="1"/></body>
        </worldbody></mujoco>"""
    )
    assert main(["simulate", str(path), "--duration", "0.5", "--out", str(run)]) == 0
    height = da.load_run(run)["base.z"]
    assert height[0] == 0.4
    assert height[-1] == pytest.approx(0.1, abs=1e-6)


def test_cables_between_two_points_are_tendons() -> None:
    """Elastic cables and springs go out and come back; forces at a random state are the same in both engines."""
    machine = random_machine(4, 3, kinds=("revolute", "spherical"), springs=False, losses=False, massless=False)
    cables = [
        da.Cable("rope", "frame 0", anchor_at=(0.1, 0, 0.2), exit_at=(0, 0, 3), length=0.3, stiffness=400.0),
        da.Cable("slack", "frame 0", exit_at=(0, 1, 0), length=50.0, stiffness=400.0),
        da.Cable("spring", "frame 1", length=0.7, stiffness=90.0, damping=4.0, bilateral=True),
    ]
    machine = machine.with_(cables=cables)
    exported = da.to_mjcf(machine)
    assert not exported.left_out
    back = {c.name: (c.stiffness, c.damping, c.length, c.bilateral) for c in read_mjcf(exported.text).machine.cables}
    assert back == {
        c.name: (pytest.approx(c.stiffness), pytest.approx(c.damping), c.length, c.bilateral) for c in cables
    }
    model = mujoco.MjSpec.from_string(exported.text).compile()
    eom, data = da.equations(machine, backend="vm"), mujoco.MjData(model)
    q, v, _, _ = random_state(eom, 1)
    s = to_mujoco(machine, q, v)
    data.qpos[:], data.qvel[:] = s.q, s.v
    mujoco.mj_forward(model, data)
    theirs = data.qfrc_bias - data.qfrc_passive
    assert np.abs(data.qfrc_passive).max() > 1.0
    close(eom.bias(q, v) - eom.applied(q, v, np.zeros(eom.nu)), theirs)
    firm = [da.Cable("cord", "frame 0", length=2.0), da.Cable("w", "frame 1", length=1.0, pulley=0.1)]
    listed = da.to_mjcf(machine.with_(cables=firm)).left_out
    assert listed == ("cable 'w'", "the lengths of the cables 'cord' are kept softly there")
