"""URDF files: what they mean, real robots against Pinocchio, and the refusals with their places."""

from __future__ import annotations

import importlib.metadata
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from dalembert.core.errors import DalembertWarning, FileFormatError, InputError, UnknownNameError
from dalembert.io import load_urdf
from dalembert.io.urdf_parts import nearest_inertia
from dalembert.model.checks import inertia_fault
from dalembert.model.joint import Limits
from dalembert.model.machine import Machine
from dalembert.model.tree import nominal_inertia

INERTIAL = (
    '<inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 -0.4 0.5"/><mass value="2.5"/>'
    '<inertia ixx="0.3" ixy="0.01" ixz="-0.02" iyy="0.4" iyz="0.03" izz="0.5"/></inertial>'
)
ARM = f"""<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">{INERTIAL}</link>
  <link name="lower">{INERTIAL}</link>
  <joint name="elbow" type="revolute">
    <parent link="upper"/>
    <child link="lower"/>
    <origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>
    <axis xyz="0 0 2"/>
    <limit lower="-1" upper="2" velocity="3" effort="40"/>
    <dynamics damping="0.5" friction="0.25"/>
  </joint>
  <joint name="base_slide" type="prismatic">
    <parent link="base"/>
    <child link="upper"/>
    <limit velocity="0" effort="10"/>
  </joint>
</robot>
"""


def changed(old: str, new: str, text: str = ARM) -> str:
    assert text.count(old) >= 1, old
    return text.replace(old, new, 1)


def test_arm() -> None:
    arm = load_urdf(ARM)
    assert arm.name == "arm"
    assert arm.q_names == ("base_slide", "elbow")
    assert [b.name for b in arm.bodies] == ["base", "upper", "lower"]
    elbow, slide = arm.joint("elbow"), arm.joint("base_slide")
    assert elbow.kind == "revolute"
    assert elbow.axis == (0.0, 0.0, 1.0)
    assert elbow.limits == Limits(-1, 2, 3, 40)
    assert (elbow.damping, elbow.friction) == (0.5, 0.25)
    assert elbow.origin.translation == (0.0, 0.0, 1.0)
    assert elbow.origin.rotation == ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    assert slide.axis == (1.0, 0.0, 0.0)  # the default of URDF
    assert slide.limits == Limits(0, 0, effort=10)  # URDF: lower and upper default to zero; zero speed is unknown
    assert {m.name: m.effort for m in arm.motors} == {"elbow": 40.0, "base_slide": 10.0}
    assert arm.joint("root_joint").kind == "fixed"
    assert load_urdf(ARM, motors=False).nu == 0
    assert load_urdf(ARM, gravity=(0, 0, 0), name="other").gravity == (0.0, 0.0, 0.0)
    assert load_urdf(ARM, name="other").name == "other"


def test_inertia_is_turned_into_the_axes_of_the_link() -> None:
    body = load_urdf(ARM).body("upper")
    roll, pitch, yaw = 0.3, -0.4, 0.5
    Rx = [[1, 0, 0], [0, math.cos(roll), -math.sin(roll)], [0, math.sin(roll), math.cos(roll)]]
    Ry = [[math.cos(pitch), 0, math.sin(pitch)], [0, 1, 0], [-math.sin(pitch), 0, math.cos(pitch)]]
    Rz = [[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1]]
    R = np.array(Rz) @ Ry @ Rx
    I = np.array([[0.3, 0.01, -0.02], [0.01, 0.4, 0.03], [-0.02, 0.03, 0.5]])
    assert_allclose(np.array(body.inertia), R @ I @ R.T, rtol=1e-14)
    assert body.com == (0.1, 0.2, 0.3)
    assert body.mass == 2.5


def test_joint_types() -> None:
    for kind, ours in (("continuous", "revolute"), ("planar", "planar"), ("floating", "free")):
        joint = load_urdf(changed('type="revolute"', f'type="{kind}"')).joint("elbow")
        assert joint.kind == ours
        assert joint.damping == 0.5
        assert joint.limits.lower == -math.inf
    assert load_urdf(changed('type="revolute"', 'type="fixed"')).q_names == ("base_slide",)
    assert load_urdf(changed('type="revolute"', 'type="continuous"')).joint("elbow").limits.effort == 40


FLOATING = changed('<link name="base"/>', f'<link name="base">{INERTIAL}</link>')


def test_floating_base() -> None:
    arm = load_urdf(FLOATING, floating_base=True)
    assert arm.joint("root_joint").kind == "free"
    assert arm.q_names[:4] == ("root_joint.x", "root_joint.y", "root_joint.z", "root_joint.qw")
    assert arm.u_names == ("elbow", "base_slide")
    with pytest.raises(FileFormatError, match=r"joint 'root_joint' .*give body 'base' mass and inertia"):
        load_urdf(ARM, floating_base=True)


def test_root_joint_does_not_clash() -> None:
    arm = load_urdf(ARM.replace('"elbow"', '"root_joint"'))
    assert arm.joint("root_joint").kind == "revolute"
    assert arm.joint("root_joint_2").parent == "world"


def test_root_link_named_world() -> None:
    text = FLOATING.replace('"base"', '"world"')
    assert "world" not in [b.name for b in load_urdf(text).bodies]
    assert load_urdf(text).joint("base_slide").parent == "world"
    with pytest.warns(DalembertWarning, match="'world' like the inertial frame; it floats as 'world_link'"):
        floating = load_urdf(text, floating_base=True)
    assert floating.joint("root_joint").child == "world_link"


MIMIC = changed(
    "</robot>",
    f"""<link name="f1">{INERTIAL}</link><link name="f2">{INERTIAL}</link>
    <joint name="f1" type="continuous"><parent link="lower"/><child link="f1"/>
      <mimic joint="elbow" multiplier="-2" offset="0.5"/></joint>
    <joint name="f2" type="continuous"><parent link="f1"/><child link="f2"/>
      <mimic joint="f1" multiplier="3" offset="0.25"/></joint>
    </robot>""",
)


def test_mimic() -> None:
    with pytest.warns(DalembertWarning) as caught:
        free = load_urdf(MIMIC)
    assert len(caught) == 1
    assert "'f1', 'f2'; mimic='follow' couples them" in str(caught[0].message)
    assert free.nv == 4 and free.nu == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error", DalembertWarning)
        assert load_urdf(MIMIC, lock=["f1", "f2"]).q_names == ("base_slide", "elbow")  # what is locked follows nobody

    coupled = load_urdf(MIMIC, mimic="follow")
    assert coupled.q_names == ("base_slide", "elbow")
    assert coupled.u_names == ("elbow", "base_slide")
    by_name = {c.joint: c for c in coupled.couplings}
    assert (by_name["f1"].leader, by_name["f1"].ratio, by_name["f1"].offset) == ("elbow", -2.0, 0.5)
    # f2 = 3 f1 + 0.25 with f1 = -2 elbow + 0.5
    assert (by_name["f2"].leader, by_name["f2"].ratio, by_name["f2"].offset) == ("elbow", -6.0, 1.75)


def test_lock() -> None:
    arm = load_urdf(ARM, lock={"elbow": math.pi / 2})
    assert arm.q_names == ("base_slide",)
    assert arm.u_names == ("base_slide",)
    # z by 90 degrees from the origin, and by 90 degrees from the joint
    assert_allclose(np.array(arm.joint("elbow").origin.rotation), np.diag([-1, -1, 1]), atol=1e-15)
    assert load_urdf(ARM, lock=["elbow"]).joint("elbow").origin == load_urdf(ARM).joint("elbow").origin
    slide = load_urdf(ARM, lock={"base_slide": 0.7}).joint("base_slide")
    assert slide.origin.translation == (0.7, 0.0, 0.0)
    locked = load_urdf(MIMIC, mimic="follow", lock={"elbow": 1.0})
    assert locked.q_names == ("base_slide",)
    assert locked.joint("f1").kind == "fixed"
    with pytest.raises(UnknownNameError, match=r"no moving joint named 'knee'.*base_slide, elbow"):
        load_urdf(ARM, lock=["knee"])
    with pytest.raises(InputError, match="must be a finite number, got 'up'"):
        load_urdf(ARM, lock={"elbow": "up"})  # type: ignore[dict-item]
    with pytest.raises(InputError, match="lock must map joint names to positions, or list joint names"):
        load_urdf(ARM, lock="elbow")


def test_massless_joint_can_be_locked() -> None:
    text = changed(INERTIAL + '</link>\n  <joint name="elbow"', '</link>\n  <joint name="elbow"')
    with pytest.raises(FileFormatError, match=r"<text>:6: joint 'elbow' moves nothing"):
        load_urdf(text)
    assert load_urdf(text, lock=["elbow"]).q_names == ("base_slide",)


BAD_INERTIA = changed('izz="0.5"', 'izz="5"')


def test_impossible_inertia() -> None:
    with pytest.raises(FileFormatError, match=r":4: inertia of body 'upper'.*triangle.*inertia='repair'"):
        load_urdf(BAD_INERTIA)
    with pytest.warns(DalembertWarning, match=r"<text>:4: inertia of link 'upper' was impossible"):
        repaired = load_urdf(BAD_INERTIA, inertia="repair")
    assert inertia_fault(np.array(repaired.body("upper").inertia, dtype=float)) is None
    # fixed to a body that outweighs it, the same link only gives a warning
    light = changed(
        "</robot>",
        '<link name="tag"><inertial><mass value="0.1"/>'
        '<inertia ixx="1e-6" ixy="0" ixz="0" iyy="1e-6" iyz="0" izz="1e-3"/></inertial></link>'
        '<joint name="glue" type="fixed"><parent link="lower"/><child link="tag"/></joint></robot>',
    )
    with pytest.warns(DalembertWarning, match=r"possible together with the bodies fixed to them: 'tag'"):
        load_urdf(light)


def test_nearest_inertia() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        A = rng.normal(size=(3, 3))
        I = A + A.T + np.diag(rng.uniform(0, 3, 3))
        near = nearest_inertia(I)
        assert inertia_fault(near) is None
        assert_allclose(nearest_inertia(near), near, atol=1e-12)
        # no possible inertia nearby is nearer, in the norm of the second moments
        distance = np.linalg.norm(_moments(near - I))
        for _ in range(50):
            B = rng.normal(size=(3, 3)) * rng.uniform(0, 1)
            S = _moments(near) + B @ B.T * rng.uniform(0, 1)
            assert np.linalg.norm(S - _moments(I)) >= distance - 1e-12


def _moments(I: np.ndarray) -> np.ndarray:
    return 0.5 * np.trace(I) * np.eye(3) - I


BAD = {
    "no xml": ("<robot name='a'><link", r"<text>:1: is not well-formed XML"),
    "unclosed": (changed("</robot>", ""), r"<text>:\d+: is not well-formed XML: no element found"),
    "not urdf": ("<html></html>", "root element is <html>, expected <robot>"),
    "sdf": ("<sdf version='1.6'><model/></sdf>", "root element is <sdf>"),
    "no name": (changed(' name="arm"', ""), r"<text>:2: <robot> has no attribute 'name'"),
    "no links": ("<robot name='a'></robot>", "<robot> has no <link> element"),
    "xacro": (changed("</robot>", "<xacro:arm side='left'/></robot>"), r"<text>:19: <xacro:arm>.*run xacro first"),
    "xacro value": (
        changed('xyz="0 0 1"', 'xyz="0 0 ${l}"'),
        r":9: joint 'elbow'.*expression of xacro; run xacro first",
    ),
    "entity": (
        '<!DOCTYPE r [<!ENTITY a "b">]><robot name="&a;"/>',
        r"<text>:1: declares an XML entity; entities are not allowed",
    ),
    "external entity": (
        '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot name="x">&a;</robot>',
        "entities are not allowed",
    ),
    "link twice": (changed('"lower">', '"upper">'), r"<text>:5: link 'upper': is a second link.*first is at line 4"),
    "joint twice": (changed('"base_slide"', '"elbow"'), r":14: joint 'elbow': is a second joint.*line 6"),
    "link without name": (changed('<link name="base"/>', "<link/>"), r":3: link without a name.*'name'"),
    "joint type": (
        changed('type="revolute"', 'type="hinge"'),
        r"<text>:6: joint 'elbow': type is 'hinge'; known types: revolute, continuous, prismatic",
    ),
    "no type": (changed(' type="revolute"', ""), r":6: joint 'elbow': <joint> has no attribute 'type'"),
    "no parent": (changed('<parent link="upper"/>', ""), r":6: joint 'elbow': <joint> has no <parent> element"),
    "no child link": (
        changed('<child link="lower"/>', "<child/>"),
        r":8: joint 'elbow': <child> has no attribute 'link'",
    ),
    "unknown parent": (
        changed('<parent link="upper"/>', '<parent link="uper"/>'),
        r":7: joint 'elbow': its parent does not exist: no link named 'uper'.*known: base, lower, upper",
    ),
    "unknown child": (changed('<child link="lower"/>', '<child link="x"/>'), r":8: .*no link named 'x'"),
    "two roots": (
        changed("</robot>", '<link name="extra"/></robot>'),
        r"2 root links.*'base' \(line 3\), 'extra' \(line 19\)",
    ),
    "cycle": (
        changed('<link name="base"/>', "").replace('<parent link="base"/>', '<parent link="lower"/>'),
        "there is no root link: .* form a cycle",
    ),
    "two parents": (
        changed(
            "</robot>", '<joint name="again" type="fixed"><parent link="base"/><child link="lower"/></joint></robot>'
        ),
        r":19: joint 'again': its child 'lower' is already the child of joint 'elbow'",
    ),
    "two numbers": (
        changed('xyz="0 0 1"', 'xyz="0 0"'),
        r":9: joint 'elbow'.*'xyz' of <origin> must be 3 numbers, got 2",
    ),
    "comma": (changed('xyz="0 0 1"', 'xyz="0,0,1"'), r":9: .*must be 3 numbers, got '0,0,1'"),
    "underscore": (changed('lower="-1"', 'lower="-1_0"'), r":11: .*'lower' of <limit> must be a number, got '-1_0'"),
    "nan": (changed('value="2.5"', 'value="nan"'), r":4: link 'upper'.*'value' of <mass> must be finite, got 'nan'"),
    "infinite": (changed('xyz="0 0 1"', 'xyz="0 0 inf"'), r":9: .*must be finite"),
    "nan limit": (changed('lower="-1"', 'lower="nan"'), r":11: joint 'elbow'.*'lower'"),
    "negative mass": (changed('value="2.5"', 'value="-1"'), r":4: mass of body 'upper' must be >= 0, got -1"),
    "no mass": (changed('<mass value="2.5"/>', ""), r":4: link 'upper': <inertial> has no <mass>"),
    "no inertia": (changed(' izz="0.5"', ""), r":4: link 'upper': <inertia> has no attribute 'izz'"),
    "two inertials": (changed(INERTIAL, INERTIAL + INERTIAL), r"<link> has 2 <inertial> elements"),
    "negative inertia": (changed('ixx="0.3"', 'ixx="-0.3"'), r":4: inertia of body 'upper'.*none may be negative"),
    "zero axis": (changed('xyz="0 0 2"', 'xyz="0 0 0"'), r":6: axis of joint 'elbow' must not be zero"),
    "no limit": (changed('<limit velocity="0" effort="10"/>', ""), r":14: joint 'base_slide'.*needs a <limit>"),
    "no effort": (changed(' effort="40"', ""), r":11: joint 'elbow': <limit> has no attribute 'effort'"),
    "negative effort": (changed('effort="40"', 'effort="-4"'), r":11: joint 'elbow'.*'effort' of <limit> must be >= 0"),
    "crossed limits": (changed('lower="-1"', 'lower="5"'), r":11: joint 'elbow'.*lower limit 5 must not exceed.*2"),
    "negative damping": (changed('damping="0.5"', 'damping="-1"'), r":6: damping of joint 'elbow' must be >= 0"),
    "only fixed": (
        ARM.replace('"revolute"', '"fixed"').replace('"prismatic"', '"fixed"'),
        "no moving joint; floating_base=True",
    ),
    "all massless": (ARM.replace(INERTIAL, ""), "joints 'base_slide', 'elbow' move nothing"),
    "inner link named world": (ARM.replace('"lower"', '"world"'), "'world'|world cannot be a child"),
    "empty attribute": (changed('name="base"', 'name=""'), r":3: .*attribute 'name' of <link> is empty"),
}


@pytest.mark.parametrize("case", BAD)
def test_refusals(case: str) -> None:
    text, message = BAD[case]
    with pytest.raises(FileFormatError, match=message) as caught:
        load_urdf(text)
    assert str(caught.value).startswith("<text>:")


def test_no_effort_is_no_effort() -> None:
    with pytest.warns(DalembertWarning, match=r":17: joint 'base_slide' has the effort limit 0: a motor on it can do"):
        arm = load_urdf(changed('effort="10"', 'effort="0"'))
    eom = da.equations(arm, backend="vm")
    assert eom.applied([0.0, 0.0], [0.0, 0.0], [50.0, 50.0]) == pytest.approx([0.0, 40.0])


def test_mimic_refusals() -> None:
    unknown = changed('mimic joint="elbow"', 'mimic joint="knee"', MIMIC)
    with pytest.raises(FileFormatError, match=r"joint 'f1': mimics.*no joint with one coordinate named 'knee'"):
        load_urdf(unknown, mimic="follow")
    with pytest.raises(FileFormatError, match=r"joint 'f1': mimics.*no joint named 'knee'.*known: base_slide, elbow"):
        load_urdf(unknown)
    circle = changed('mimic joint="elbow"', 'mimic joint="f2"', MIMIC)
    with pytest.raises(FileFormatError, match="the joints f1, f2 mimic each other in a cycle"):
        load_urdf(circle, mimic="follow")
    with pytest.raises(InputError, match="mimic must be one of 'independent', 'follow', got 'ignore'"):
        load_urdf(MIMIC, mimic="ignore")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="inertia must be one of"):
        load_urdf(ARM, inertia="drop")  # type: ignore[arg-type]


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"missing\.urdf: no such file, expected a URDF file"):
        load_urdf(tmp_path / "missing.urdf")
    with pytest.raises(FileFormatError, match="is a folder"):
        load_urdf(tmp_path)
    garbage = tmp_path / "garbage.urdf"
    garbage.write_bytes(bytes(range(256)) * 20)
    with pytest.raises(FileFormatError, match=r"garbage\.urdf:1: is not well-formed XML"):
        load_urdf(garbage)
    empty = tmp_path / "empty.urdf"
    empty.touch()
    with pytest.raises(FileFormatError, match=r"empty\.urdf:1: is not well-formed XML: no element found"):
        load_urdf(str(empty))
    with pytest.raises(FileFormatError, match="cannot be read"):
        load_urdf("a\x00b")
    with pytest.raises(InputError, match="must be a path or an XML text, got int"):
        load_urdf(3)  # type: ignore[arg-type]
    bomb = tmp_path / "bomb.urdf"
    bomb.write_text('<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n<robot name="&b;"/>')
    with pytest.raises(FileFormatError, match=r"bomb\.urdf:1: declares an XML entity"):
        load_urdf(bomb)
    deep = "<robot name='a'>" + "<x>" * 100_000 + "</x>" * 100_000 + "</robot>"
    with pytest.raises(FileFormatError, match="no <link>"):
        load_urdf(deep)


def test_encodings_and_lines(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(ARM.replace("upper", "öber"), encoding="utf-8")
    assert load_urdf(file).body("öber").mass == 2.5
    file.write_bytes(ARM.replace('"1.0"?', '"1.0" encoding="latin-1"?').replace("upper", "öber").encode("latin-1"))
    assert load_urdf(file).body("öber").mass == 2.5
    file.write_text(changed('value="2.5"', 'value="-1"'))
    with pytest.raises(FileFormatError, match=r"arm\.urdf:4: mass of body 'upper'"):
        load_urdf(file)
    with pytest.raises(FileFormatError, match=r"<text>:6: mass of body 'upper'"):
        load_urdf("\n\n" + changed('value="2.5"', 'value="-1"'))


# --- real robots ------------------------------------------------------------------------------------------------------

ROBOTS = [
    "ur_description/urdf/ur5_robot.urdf",
    "panda_description/urdf/panda.urdf",
    "solo_description/robots/solo12.urdf",
    "anymal_b_simple_description/robots/anymal.urdf",
    "talos_data/robots/talos_reduced.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "icub_description/robots/icub.urdf",
    "tiago_description/robots/tiago.urdf",
    "kinova_description/robots/kinova.urdf",
]

# Files that are refused, and why: (fixed base, floating base); None where they load.
NOT_MOVING = "no moving joint"
IDLE = "move nothing"
REFUSED: dict[str, tuple[str | None, str | None]] = {
    "bluevolta.urdf": (NOT_MOVING, None),
    "quadrotor_base.urdf": (NOT_MOVING, None),
    "iris_simple.urdf": (NOT_MOVING, None),
    "bluevolta_bravo7_gripper.urdf": (IDLE, IDLE),
    "bravo7_gripper.urdf": (IDLE, IDLE),
    "falcon_bravo7_gripper.urdf": (IDLE, IDLE),
    "romeo.urdf": (IDLE, IDLE),
    "romeo_small.urdf": ("triangle inequality", "triangle inequality"),
    "romeo_laas_small.urdf": ("none may be negative", "none may be negative"),
    "alex_psyonic_hands.urdf": ("no joint named 'index_q1'", "no joint named 'index_q1'"),
    "falcon.urdf": ("no link named 'Z_propeller'", "no link named 'Z_propeller'"),
    "ur3.urdf": ("has no <link> element", "has no <link> element"),
}


def robots_folder() -> Path:
    """Folder of the robots that the package example-robot-data brings."""
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.match("*/ur_description/urdf/ur5_robot.urdf"):
            return Path(str(file.locate())).resolve().parents[2]
    pytest.skip("needs example-robot-data")


def compare_with_pinocchio(path: Path, floating: bool) -> None:
    """Joint order, sizes, placements and merged inertias of every moving body."""
    pin: Any = pytest.importorskip("pinocchio")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        machine = load_urdf(path, floating_base=floating)
    root = (pin.JointModelFreeFlyer(),) if floating else ()
    model = pin.buildModelFromUrdf(str(path), *root)
    nodes = machine.tree.nodes
    assert [n.joint.name for n in nodes] == list(model.names)[1:]
    assert machine.nv == model.nv
    # Pinocchio describes a continuous joint by cosine and sine, a planar one as well.
    extra = sum(joint.nq - node.joint.info.nq for joint, node in zip(list(model.joints)[1:], nodes, strict=True))
    assert machine.nq + extra == model.nq
    for i, node in enumerate(nodes):
        place = model.jointPlacements[i + 1]
        assert_allclose(np.array(node.placement.translation, dtype=float), place.translation, atol=1e-12)
        assert_allclose(np.array(node.placement.rotation, dtype=float), place.rotation, atol=1e-12)
        assert model.parents[i + 1] == node.parent + 1
        _compare_inertia(machine, i, model.inertias[i + 1])


def _compare_inertia(machine: Machine, i: int, theirs: Any) -> None:
    m, c, I = nominal_inertia(machine.tree.nodes[i])
    scale = max(float(np.abs(I).max()), 1e-12)
    about_origin = theirs.matrix()[3:, 3:]
    assert_allclose(m, theirs.mass, rtol=1e-12)
    assert_allclose(c, theirs.mass * theirs.lever, atol=1e-12 * max(m, 1e-12))
    assert_allclose(I, about_origin, atol=1e-12 * scale)


@pytest.mark.peer
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("name", ROBOTS)
def test_real_robots(name: str, floating: bool) -> None:
    compare_with_pinocchio(robots_folder() / name, floating)


@pytest.mark.peer
@pytest.mark.slow
def test_every_robot_loads_or_is_refused_for_a_known_reason() -> None:
    files = sorted(robots_folder().rglob("*.urdf"))
    assert len(files) > 60  # the package drops and adds robots
    for path in files:
        reasons = REFUSED.get(path.name, (None, None))
        for floating, reason in zip((False, True), reasons, strict=True):
            if reason is None:
                compare_with_pinocchio(path, floating)
                continue
            with pytest.raises(FileFormatError, match=reason), warnings.catch_warnings():
                warnings.simplefilter("ignore", DalembertWarning)
                load_urdf(path, floating_base=floating)


@pytest.mark.peer
def test_refused_robot_loads_with_the_option_that_the_message_names() -> None:
    path = robots_folder() / "romeo_description/urdf/romeo_small.urdf"
    if not path.exists():
        pytest.skip("this version of example-robot-data has no romeo_small")
    with pytest.warns(DalembertWarning, match="nearest possible"):
        robot = load_urdf(path, inertia="repair")
    assert robot.nv == 31
