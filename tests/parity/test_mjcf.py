"""MJCF files: the machines of Gymnasium and files of our own, against the model that MuJoCo makes of the same file."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.io import Mjcf, read_mjcf

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.peer


def assets() -> list[Path]:
    gymnasium = pytest.importorskip("gymnasium")
    return sorted((Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets").glob("*.xml"))


def compiled(source: str | Path) -> Any:
    spec = mujoco.MjSpec.from_file(str(source)) if isinstance(source, Path) else mujoco.MjSpec.from_string(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # files of others that are out of date
        return spec.compile()


def compare(read: Mjcf, model: Any, *, states: int = 3, passive: bool = True) -> None:
    """Mass matrix, bias and passive forces at random states, to 1e-12 of the largest entry."""
    eom, data = da.equations(read.machine, backend="vm"), mujoco.MjData(model)
    joints = [replace(joint, friction=0.0) for joint in read.machine.joints]  # a constraint in MuJoCo
    smooth = da.equations(read.machine.with_(joints=joints), backend="vm")
    rng = np.random.default_rng(0)
    for _ in range(states):
        q, v = rng.normal(size=model.nq), rng.normal(size=model.nv)
        for j in np.flatnonzero(model.jnt_type < 2):
            start = model.jnt_qposadr[j] + (3 if model.jnt_type[j] == 0 else 0)
            q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        s = read.from_mujoco(q, v)
        back = read.to_mujoco(s.q, s.v, np.zeros(model.nv))
        assert np.allclose(back.q, q, rtol=0.0, atol=1e-15) and np.allclose(back.v, v, rtol=0.0, atol=1e-14)
        T = np.array([read.to_mujoco(s.q, e).v for e in np.eye(model.nv)]).T
        theirs = T.T @ M @ T
        assert np.abs(eom.mass_matrix(s.q) - theirs).max() < 1e-12 * np.abs(theirs).max()
        bias = T.T @ (data.qfrc_bias - data.qfrc_spring + M @ back.a)
        assert np.abs(eom.bias(s.q, s.v) - bias).max() < 1e-12 * np.abs(bias).max()
        if passive:
            loss = T.T @ data.qfrc_damper
            ours = smooth.applied(s.q, s.v, np.zeros(eom.nu))
            assert np.abs(ours - loss).max() <= 1e-12 * max(np.abs(loss).max(), 1.0)


@pytest.mark.parametrize("name", [path.stem for path in assets()])
def test_the_machines_of_gymnasium_are_those_of_mujoco(name: str) -> None:
    path = next(p for p in assets() if p.stem == name)
    compare(read_mjcf(path), compiled(path))


EVERYTHING = """
<mujoco model="everything">
  <compiler angle="degree"/>
  <default><geom friction="0.7 0.1 0.1"/></default>
  <option gravity="0.3 -0.2 -9"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" zaxis="0.1 0 1" pos="0 0 -2"/>
    <geom name="post" type="cylinder" size="0.1 0.5" pos="3 0 0"/>
    <body name="base" pos="0.1 0.2 0.3" euler="10 20 30">
      <joint name="turn" type="hinge" axis="1 2 3" pos="0.1 -0.2 0.3" ref="25" springref="40" stiffness="3"
             armature="0.2" damping="0.5" range="-90 120" limited="true" frictionloss="0.1"/>
      <joint name="slide" type="slide" axis="0 1 1" pos="1 1 1" ref="0.4" stiffness="2" springref="0.1"/>
      <joint name="ball" type="ball" pos="0 0 0.2" armature="0.1" damping="0.3"/>
      <inertial pos="0.1 0.1 0.1" mass="2" fullinertia="0.3 0.4 0.35 0.01 -0.02 0.03"/>
      <site name="tool" pos="0.1 0 0" euler="0 90 0"/>
      <geom name="ball" type="sphere" size="0.1" pos="0 0 0.5"/>
      <body name="tip" pos="0 0 0.4" quat="0.5 0.5 0.5 0.5">
        <joint name="a second hinge" axis="0 0 1" pos="0.2 0 0"/>
        <geom name="rod" type="capsule" size="0.05" fromto="0 0 0 0.3 0.2 0.1" rgba="1 0 0 1"/>
        <body name="welded" pos="0.1 0 0"><geom name="block" type="box" size="0.1 0.2 0.3" mass="0.5"/></body>
      </body>
    </body>
    <body name="free" pos="1 1 1">
      <freejoint name="floats"/>
      <geom name="drop" type="sphere" size="0.2" friction="0.9 0 0" condim="3"/>
    </body>
    <body pos="0 1 0"><joint type="hinge"/><geom type="ellipsoid" size="0.1 0.2 0.3"/></body>
  </worldbody>
  <tendon><fixed name="both"><joint joint="turn" coef="1"/><joint joint="slide" coef="2"/></fixed></tendon>
  <actuator>
    <motor name="drive" joint="turn" gear="12" ctrllimited="true" ctrlrange="-3 3"/>
    <motor joint="slide" gear="-2"/>
    <motor name="lopsided" joint="a second hinge" ctrllimited="true" ctrlrange="-1 2"/>
    <motor name="jet" site="tool" gear="0 0 1 0 0 0.1" ctrllimited="true" ctrlrange="0 5"/>
    <position name="servo" joint="turn" kp="10"/>
    <motor name="pull" tendon="both"/>
  </actuator>
  <equality>
    <connect name="pin" body1="tip" body2="base" anchor="0.1 0.1 0.1"/>
    <joint name="gear" joint1="turn" joint2="slide" polycoef="0.1 2 0 0 0"/>
    <weld name="glue" body1="free" body2="base"/>
  </equality>
  <keyframe><key name="home" qpos="0.1 0.2 1 0 0 0 0.3 1 2 3 1 0 0 0 0.5"/></keyframe>
</mujoco>
"""


def test_every_kind_of_joint_and_several_on_a_body() -> None:
    read = read_mjcf(EVERYTHING)
    assert [j.kind for j in read.machine.coordinate_joints].count("spherical") == 1
    compare(read, compiled(EVERYTHING))


def test_frames_stand_where_mujoco_puts_them() -> None:
    read, model = read_mjcf(EVERYTHING), compiled(EVERYTHING)
    eom, data = da.equations(read.machine, backend="vm"), mujoco.MjData(model)
    data.qpos[:] = np.random.default_rng(1).normal(size=model.nq)
    mujoco.mj_normalizeQuat(model, data.qpos)
    mujoco.mj_forward(model, data)
    q = read.from_mujoco(data.qpos.copy()).q
    for frame, position, rotation in (
        ("tool", data.site("tool").xpos, data.site("tool").xmat),
        ("base.origin", data.body("base").xpos, data.body("base").xmat),
        ("tip.origin", data.body("tip").xpos, data.body("tip").xmat),
        ("welded", data.body("welded").xpos, data.body("welded").xmat),
    ):
        X = eom.pose(frame, q)
        assert np.allclose(X[:3, 3], position, rtol=0.0, atol=1e-13), frame
        assert np.allclose(X[:3, :3], np.reshape(rotation, (3, 3)), rtol=0.0, atol=1e-13), frame


def test_parts_and_what_is_left_out() -> None:
    read = read_mjcf(EVERYTHING)
    machine = read.machine
    turn = machine.joint("turn")
    assert (turn.limits.lower, turn.limits.upper) == pytest.approx((-np.pi / 2, 2 * np.pi / 3))
    assert turn.rest == pytest.approx(np.deg2rad(40)) and turn.friction == 0.1 and turn.armature == 0.2
    motors = {m.name: m for m in machine.motors}
    assert (motors["drive"].ratio, motors["drive"].effort) == (12.0, 3.0)
    assert motors["slide"].ratio == -2.0 and motors["slide"].effort == np.inf
    assert [(servo.motor, servo.kp, servo.kd) for servo in read.servos] == [("servo", 10.0, 0.0)]
    assert read.law() is None  # another motor drives the same joint
    (jet,) = machine.thrusters
    assert (jet.frame, jet.force, jet.torque, jet.range) == ("tool", (0, 0, 1), (0, 0, 0.1), (0.0, 5.0))
    shapes = {type(g.solid).__name__ for b in machine.bodies for g in b.geometry}
    assert shapes == {"Sphere", "Capsule", "Box", "Cylinder"}
    assert any(g.colour == "#ff0000" for b in machine.bodies for g in b.geometry)
    contacts = {c.name: c for c in machine.contacts}
    assert {"floor-drop", "floor-rod", "floor-block", "ball-drop", "rod-drop"} <= set(contacts)
    assert contacts["floor-drop"].friction == 0.9 and contacts["floor-rod"].friction == 0.7
    normal = np.array([0.1, 0, 1]) / np.hypot(0.1, 1)
    assert np.allclose(contacts["floor-drop"].surface.normal, normal, rtol=0.0, atol=1e-15)
    listed = "\n".join(read.left_out)
    for what in (
        "'pull' (on a tendon",
        "tendon 'both' (over joints, without forces)",
        "limits [-1, 2] of actuator 'lopsided': [-2, 2] here",
        "soft equality 'pin' (connect); hard_equalities=True",
        "the ellipsoid 'geom",
        "contact between",
    ):
        assert what in listed, what
    assert read.keyframes["home"][0][machine.q_names.index("slide")] == 0.2
    assert read.q0[machine.q_names.index("turn")] == pytest.approx(np.deg2rad(25))
    with pytest.warns(da.DalembertWarning, match="not carried over from MJCF: .*tendon 'both'"):
        assert da.load_mjcf(EVERYTHING) == machine
    bare = read_mjcf(EVERYTHING, contacts=False, geometry=False, name="other", gravity=(0, 0, 0)).machine
    assert (bare.name, bare.contacts, bare.gravity) == ("other", (), (0.0, 0.0, 0.0))
    assert not any(b.geometry for b in bare.bodies)


LISTED = """
<mujoco model="listed"><default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body><joint name="a" axis="0 1 0"/><geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.5"/>
      <site name="low" pos="0 0 -0.5"/></body>
    <body pos="1 0 0"><joint name="b" type="slide" axis="0 0 1"/><geom type="box" size="0.1 0.2 0.3"/></body>
    <body pos="2 0 0"><joint name="ball" type="ball" stiffness="4"/><geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0"/>
      <site name="corner" pos="0.2 0.2 0.3"/></body>
  </worldbody>
  <tendon>
    <fixed name="sum" stiffness="7" springlength="0.1" damping="2">
      <joint joint="a" coef="2"/><joint joint="b" coef="-3"/>
    </fixed>
    <spatial name="rope" limited="true" range="0 2.5"><site site="low"/><site site="corner"/></spatial>
  </tendon>
</mujoco>
"""


def test_what_is_listed_is_all_that_differs() -> None:
    """The springs of a ball joint and of a tendon over joints are listed, and nothing but their forces is missing."""
    read, model = read_mjcf(LISTED), compiled(LISTED)
    assert read.left_out == (
        "spring of ball joint 'ball'",
        "tendon 'sum' (over joints, with spring, damping)",
        "tendon 'rope' (along sites, with range)",
    )
    eom, data = da.equations(read.machine, backend="vm"), mujoco.MjData(model)
    rng = np.random.default_rng(2)
    for _ in range(3):
        data.qpos[:], data.qvel[:] = rng.normal(size=model.nq), rng.normal(size=model.nv)
        mujoco.mj_normalizeQuat(model, data.qpos)
        mujoco.mj_forward(model, data)
        s = read.from_mujoco(data.qpos.copy(), data.qvel.copy())
        # A vector along the axis of the rotation from the reference, as long as its angle, in axes of the body.
        w, axis = data.qpos[2], data.qpos[3:]
        angle = 2 * np.arctan2(np.linalg.norm(axis), w)
        angle -= 2 * np.pi * (angle > np.pi)
        spring = np.concatenate([np.zeros(2), 4 * angle * axis / np.linalg.norm(axis)])
        spring[:2] = 7 * (2 * data.qpos[0] - 3 * data.qpos[1] - 0.1) * np.array([2.0, -3.0])
        assert np.abs(spring).min() > 1e-3
        theirs = data.qfrc_bias - data.qfrc_spring
        np.testing.assert_allclose(eom.bias(s.q, s.v) + spring, theirs, rtol=0.0, atol=1e-12 * np.abs(theirs).max())


def test_contacts_have_the_gaps_of_mujoco() -> None:
    """At a pose in which the drop and the block go through the floor, gaps are MuJoCo's distances."""
    read, model = read_mjcf(EVERYTHING), compiled(EVERYTHING)
    eom, data = da.equations(read.machine, backend="vm"), mujoco.MjData(model)
    data.qpos[:] = model.qpos0
    data.joint("floats").qpos[:3] = (0.0, 0.0, -1.9)
    data.joint("slide").qpos[:] = -2.5
    mujoco.mj_forward(model, data)
    pairs = [pair for contact in read.machine.contacts for pair in contact.pairs]
    gaps = dict(zip(pairs, eom.contact_gaps(read.from_mujoco(data.qpos.copy()).q), strict=True))
    found: dict[str, list[float]] = {}
    for k in range(data.ncon):
        names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_GEOM, g) for g in data.contact.geom[k]]
        if "floor" in names:
            found.setdefault(f"floor-{names[1 - names.index('floor')]}", []).append(float(data.contact.dist[k]))
    assert {"floor-drop", "floor-block"} <= set(found)
    for name, distances in found.items():
        ours = sorted(g for key, g in gaps.items() if key.partition("[")[0] == name)[: len(distances)]
        assert np.allclose(sorted(distances), ours, rtol=0.0, atol=1e-12), name


def test_equalities_become_constraints_if_asked() -> None:
    read, model = read_mjcf(EVERYTHING, hard_equalities=True), compiled(EVERYTHING)
    eom, data = da.equations(read.machine, backend="vm"), mujoco.MjData(model)
    assert [c.name for c in read.machine.constraints] == ["pin", "gear", "glue"]
    data.qpos[:] = np.random.default_rng(1).normal(size=model.nq)
    mujoco.mj_normalizeQuat(model, data.qpos)
    mujoco.mj_forward(model, data)
    ours = eom.constraints(read.from_mujoco(data.qpos.copy()).q)
    theirs = data.efc_pos[: data.ne]
    assert np.linalg.norm(ours[:3]) == pytest.approx(np.linalg.norm(theirs[:3]), rel=1e-12)
    assert abs(ours[3]) == pytest.approx(abs(theirs[3]), rel=1e-12)
    assert np.linalg.norm(ours[4:7]) == pytest.approx(np.linalg.norm(theirs[4:7]), rel=1e-12)


def test_armatures_and_losses_of_actuators_go_to_their_joints() -> None:
    rotor = 'kp="10" gear="3" armature="0.05" damping="0.2"'
    text = EVERYTHING.replace('kp="10"', rotor)
    try:
        model = compiled(text)
    except ValueError:
        pytest.skip("this MuJoCo has no armature of actuators")
    read = read_mjcf(text)
    assert read.machine.joint("turn").armature == pytest.approx(0.2 + 9 * 0.05)
    compare(read, model, passive=False)


def test_a_fall_is_that_of_mujoco() -> None:
    """Half a second of the ant in the air: the same machine, two engines."""
    path = next(p for p in assets() if p.stem == "ant")
    read = read_mjcf(path, contacts=False)
    model = compiled(path)
    model.opt.timestep, model.opt.integrator = 1e-4, int(mujoco.mjtIntegrator.mjINT_RK4)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    data = mujoco.MjData(model)
    data.qvel[:] = np.random.default_rng(2).normal(size=model.nv)
    start = read.from_mujoco(data.qpos.copy(), data.qvel.copy())
    run = da.simulate(read.machine, duration=0.5, q0=start.q, v0=start.v, method="rk4", step=1e-4, limits="ignore")
    mujoco.mj_step(model, data, nstep=5000)
    end = read.from_mujoco(data.qpos.copy(), data.qvel.copy())
    q = np.array([run[name][-1] for name in read.machine.q_names])
    assert np.abs(q - end.q).max() < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("name", ["half_cheetah", "hopper", "walker2d"])
def test_the_machines_of_gymnasium_fall_on_their_ground(name: str) -> None:
    read = read_mjcf(next(p for p in assets() if p.stem == name))
    run = da.simulate(read.machine, duration=1.0, q0=read.q0, contact="time-stepping", limits="contact", step=2e-3)
    assert min(run[signal].min() for signal in run.names if signal.startswith("gap.")) > -1e-6
    assert run.energy.drift < 1e-3
    assert sum(run[f"force.{pair}.normal"][-50:].mean() for c in read.machine.contacts for pair in c.pairs) > 0.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot name='r'/>", "is <robot>, expected <mujoco>: this is a URDF file, which load_urdf reads"),
        ("<sdf/>", "the root element is <sdf>, expected <mujoco>"),
        ("<!-- <mujoco/> -->", "there is no XML element"),
        ("<mujoco><worldbody><body><geom/></worldbody></mujoco>", "MuJoCo rejects it"),
        ("<mujoco>\n<worldbody>\n<bdy/>\n</worldbody></mujoco>", "<text>:3: MuJoCo rejects it: .*bdy"),
        ("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>", "has no moving joint"),
        (EVERYTHING.replace('gear="12"', 'gear="1e308"'), "(too large|must be finite)"),
        (EVERYTHING.replace('pos="0.1 -0.2 0.3"', 'pos="nan 0 0"'), "translation of a transform must be finite"),
        ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "MuJoCo rejects it: .*mass and inertia"),
    ],
)
def test_bad_files_are_refused(text: str, message: str) -> None:
    with pytest.raises(da.MachineError, match=message):
        da.load_mjcf(text)


def test_bad_sources_are_refused(tmp_path: Path) -> None:
    with pytest.raises(da.FileFormatError, match="no such file, expected a MJCF file"):
        da.load_mjcf(tmp_path / "none.xml")
    with pytest.raises(da.InputError, match="must be a path or an XML text, got int"):
        da.load_mjcf(3)  # type: ignore[arg-type]


def test_meshes_are_where_their_file_puts_them(tmp_path: Path) -> None:
    """MuJoCo recentres a mesh; here the file counts again."""
    (tmp_path / "parts").mkdir()
    corners = [(1, 1, 1), (2, 1, 1), (1, 3, 1), (1, 1, 2)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    (tmp_path / "parts" / "tetra.obj").write_text("\n".join(lines) + "\n")
    (tmp_path / "model.xml").write_text(
        """<mujoco><compiler meshdir="parts"/><asset><mesh file="tetra.obj" scale="0.5 0.5 0.5"/></asset><worldbody>
        <body><joint pos="0 0 0.1"/><geom type="mesh" mesh="tetra" pos="0.1 0 0" euler="0 0 90"/></body>
        </worldbody></mujoco>"""
    )
    machine = read_mjcf(tmp_path / "model.xml").machine
    (shape,) = machine.bodies[0].geometry
    assert isinstance(shape.solid, da.Mesh) and shape.solid.file == str(tmp_path / "parts" / "tetra.obj")
    assert shape.solid.scale == (0.5, 0.5, 0.5)
    assert np.allclose(shape.origin.translation, (0.1, 0, -0.1), rtol=0.0, atol=1e-6)  # meshes have single precision
    assert np.allclose(shape.origin.rotation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], rtol=0.0, atol=1e-6)


def test_torsional_and_rolling_friction_is_named() -> None:
    text = """<mujoco><worldbody><geom type="plane" size="5 5 1"/>
      <body pos="0 0 1"><freejoint/><geom type="sphere" size="0.1" condim="6"/></body></worldbody></mujoco>"""
    read = read_mjcf(text)
    assert len(read.machine.contacts) == 1
    assert read.left_out == ("torsional and rolling friction (1 contact with condim 4 or 6)",)
    assert not read_mjcf(text.replace("6", "3")).left_out
