"""YAML machine files: the format, its refusals with their lines, and the simulation block."""

from __future__ import annotations

import math
import textwrap
import warnings
from pathlib import Path

import pytest

import dalembert.io.machine_files
from dalembert.control import PD
from dalembert.core.errors import DalembertWarning, FileFormatError, InputError
from dalembert.core.parameter import Parameter, nominal
from dalembert.io import load_machine, load_simulation, machine_to_yaml
from dalembert.model.body import Body, box, cylinder, hollow_cylinder, point_mass, rod, sphere
from dalembert.model.joint import Joint, Limits
from dalembert.model.machine import Machine
from dalembert.model.parts import Coupling, Frame, Motor, Wrench
from dalembert.model.transform import Transform

BASE = """\
name: pendulum
parameters: {m: 1.0, l: 0.5}
bodies:
  link:
    mass: m
    com: [0, 0, -l/2]
    inertia: [m * l**2 / 12, m * l**2 / 12, 1e-4]
joints:
  theta:
    kind: revolute
    parent: world
    child: link
    axis: [0, 1, 0]
motors:
  theta: {effort: 3}
simulation:
  duration: 2
  q0: {theta: pi/2}
"""


def changed(old: str, new: str, text: str = BASE) -> str:
    assert old in text
    return text.replace(old, new, 1)


def test_documented_example() -> None:
    doc = dalembert.io.machine_files.__doc__ or ""
    text = textwrap.dedent(doc.split("::\n\n", 1)[1].split("\n\nAny number", 1)[0])
    machine, settings = load_simulation(text)
    assert machine.q_names == ("x", "theta")
    assert machine.u_names == ("x",)
    assert [p.name for p in machine.parameters] == ["m", "l"]
    assert settings == {"duration": 10.0, "q0": {"theta": math.pi / 6}}
    assert load_machine(machine.to_yaml()) == machine


def test_every_part() -> None:
    m, l = Parameter("m", 2.0), Parameter("l", 0.5)
    expected = Machine(
        "all",
        bodies=[
            Body("a", m, (0.0, 0.0, l / 2.0), ((3.0, 0.1, 0.2), (0.1, 4.0, 0.3), (0.2, 0.3, 5.0))),
            box("b", 1.0, (1, 2, 3)),
            cylinder("c", m, 0.1, l, "z", (0, 0, 1)),
            hollow_cylinder("d", 1.0, 0.2, 0.1, 1.0),
            rod("e", m, l, "y"),
            sphere("f", 1.0, 0.3),
            point_mass("g", 1.0, (0.1, 0, 0)),
        ],
        joints=[
            Joint("ja", "free", "world", "a", damping=0.1),
            Joint("jb", "planar", "a", "b", Transform.rpy(0.1, 0.2, 0.3, (1, 2, 3)), axis=(1, 0, 0)),
            Joint("jc", "spherical", "a", "c", Transform.quaternion((1, 2, 3, 4))),
            Joint("jd", "revolute", "c", "d", limits=Limits(-1, 1, 2, 3), stiffness=m, rest=0.1, friction=l),
            Joint("je", "prismatic", "c", "e", friction_velocity=0.01),
            Joint("jf", "fixed", "e", "f", Transform((0, 0, l), ((0, -1, 0), (1, 0, 0), (0, 0, 1)))),
            Joint("jg", "revolute", "e", "g"),
        ],
        frames=[Frame("tip", "f", Transform.about((0, 0, 1), 0.5))],
        motors=[Motor("jd", "jd", 50.0, 1e-4, 1e-3, 2.0), Motor("other", "je")],
        wrenches=[Wrench("load", "tip", (1, 0, m), (0, 0, 1), "frame")],
        couplings=[Coupling("jg", "je", 2.0, 0.5)],
        gravity=(0, 0, -1.62),
    )
    text = """
        name: all
        gravity: [0, 0, -1.62]
        parameters: {m: 2, l: 0.5}
        bodies:
          a: {mass: m, com: [0, 0, l / 2], inertia: [3, 4, 5, 0.1, 0.2, 0.3]}
          b: {box: {mass: 1, size: [1, 2, 3]}}
          c: {cylinder: {mass: m, radius: 0.1, length: l, axis: z, com: [0, 0, 1]}}
          d: {hollow_cylinder: {mass: 1, outer: 0.2, inner: 0.1, length: 1}}
          e: {rod: {mass: m, length: l, axis: y}}
          f: {sphere: {mass: 1, radius: 0.3}}
          g: {point_mass: {mass: 1, com: [0.1, 0, 0]}}
        joints:
          ja: {kind: free, parent: world, child: a, damping: 0.1}
          jb: {kind: planar, parent: a, child: b, axis: [1, 0, 0], origin: {xyz: [1, 2, 3], rpy: [0.1, 0.2, 0.3]}}
          jc: {kind: spherical, parent: a, child: c, origin: {quaternion: [1, 2, 3, 4]}}
          jd:
            kind: revolute
            parent: c
            child: d
            limits: {lower: -1, upper: 1, velocity: 2, effort: 3}
            stiffness: m
            rest: 0.1
            friction: l
          je: {kind: prismatic, parent: c, child: e, friction_velocity: 0.01}
          jf: {kind: fixed, parent: e, child: f, origin: {xyz: [0, 0, l], matrix: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}}
          jg: {kind: revolute, parent: e, child: g}
        frames:
          tip: {body: f, origin: {rpy: [0, 0, 0.5]}}
        motors:
          jd: {ratio: 50, rotor_inertia: 1.0e-4, damping: 1e-3, effort: 2}
          other: {joint: je}
        wrenches:
          load: {frame: tip, force: [1, 0, m], torque: [0, 0, 1], axes: frame}
        couplings:
          jg: {leader: je, ratio: 2, offset: 0.5}
        """
    machine = load_machine(textwrap.dedent(text))
    assert machine == expected
    assert load_machine(machine_to_yaml(machine)) == expected


def test_expressions_stay_expressions() -> None:
    machine = load_machine(BASE)
    link = machine.body("link")
    assert str(link.inertia[0][0]) == "m * l ** 2.0 / 12.0"
    assert nominal(link.com[2]) == -0.25
    assert machine.parameters == (Parameter("m", 1.0), Parameter("l", 0.5))


def test_numbers_and_names_as_people_write_them() -> None:
    text = BASE.replace("theta", "yes").replace("1e-4", "1E-4").replace("link", "1")
    text = text.replace("child: 1", "child: '1'")
    machine = load_machine(text)
    assert machine.q_names == ("yes",)  # a key is text as it is written
    assert machine.body("1").inertia[2][2] == 1e-4


def test_files(tmp_path: Path) -> None:
    machine = load_machine(BASE)
    path = tmp_path / "pendulum.yaml"
    text = machine.to_yaml(path)
    assert path.read_text(encoding="utf-8") == text
    assert load_machine(path) == load_machine(str(path)) == machine
    path.write_bytes(text.encode("utf-16"))
    assert load_machine(path) == machine
    with pytest.raises(InputError, match=r"cannot write .*no such folder"):
        machine.to_yaml(tmp_path / "missing" / "x.yaml")
    path.write_text(changed("mass: m", "mass: -1"))
    with pytest.raises(FileFormatError, match=r"pendulum\.yaml:4: mass of body 'link' must be >= 0, got -1"):
        load_machine(path)
    with pytest.raises(FileFormatError, match=r"none\.yaml: no such file"):
        load_machine(tmp_path / "none.yaml")
    with pytest.raises(FileFormatError, match="is a folder"):
        load_machine(tmp_path)
    path.write_bytes(b"\xff\xfe\x00\x01garbage\x00\xff" * 9)
    with pytest.raises(FileFormatError, match="is not valid YAML"):
        load_machine(path)
    with pytest.raises(InputError, match="path or a YAML text, got dict"):
        load_machine({"name": "a"})  # type: ignore[arg-type]


def test_numbers_are_written_with_all_digits() -> None:
    machine = load_machine(changed("mass: m", "mass: 0.1").replace("[0, 0, -l/2]", f"[{1 / 3!r}, 1e-300, -0.0]"))
    back = load_machine(machine.to_yaml())
    assert repr(back) == repr(machine)
    assert math.copysign(1.0, back.body("link").com[2]) == -1.0  # type: ignore[arg-type]


def test_rotation_is_written_as_angles_only_if_exact() -> None:
    machine = load_machine(BASE)
    joint = machine.joint("theta")

    def text(origin: Transform) -> str:
        turned = Joint("theta", "revolute", "world", "link", origin, joint.axis)
        return machine.with_(joints=[turned]).to_yaml()

    assert "rpy: [1.5707963267948966, 0.0, 0.0]" in text(Transform.rpy(math.pi / 2))
    assert "matrix" in text(Transform.rpy(Parameter("m", 1.0)))
    skew = Transform(rotation=((1.0, -1e-10, 0.0), (1e-10, 1.0, 0.0), (0.0, 0.0, 1.0)))
    assert repr(load_machine(text(skew)).joint("theta").origin) == repr(skew)


def test_settings() -> None:
    law = "{law: pd, kp: 10, kd: 2, reference: [0.5]}"
    text = BASE + f"  v0: {{theta_dot: 2 * l}}\n  method: rk4\n  step: 1e-3\n  control: {law}\n"
    _, settings = load_simulation(text)
    assert settings == {
        "duration": 2.0,
        "method": "rk4",
        "step": 1e-3,
        "q0": {"theta": math.pi / 2},
        "v0": {"theta_dot": 1.0},
        "control": PD(kp=10, kd=2, reference=[0.5]),
    }
    assert load_simulation(BASE.split("simulation")[0])[1] == {}


def test_machine_of_a_file_is_simulated_under_its_own_law() -> None:
    """A wrong law is a matter of the simulation: the machine alone can still be had."""
    text = BASE + "  control: {law: magic}\n"
    assert load_machine(text).name == load_machine(BASE).name
    with pytest.raises(FileFormatError, match="<text>:19: no law named 'magic'"):
        load_simulation(text)


def test_unused_parameter_warns() -> None:
    with pytest.warns(DalembertWarning, match="the parameters k occur in no number of the machine"):
        load_machine(changed("l: 0.5", "l: 0.5, k: 3"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_machine(BASE)


ALIAS_BOMB = "a: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{b}: &{b} [{','.join(['*' + a] * 9)}]\n" for a, b in zip("abcdefg", "bcdefgh", strict=True)
)
BAD = {
    "empty": ("\n", "<text>: is empty"),
    "list": ("- a\n- b\n", "<text>:1: must be a mapping with the keys name, gravity"),
    "yaml": ("name: [\n", r"<text>:2: is not valid YAML: while parsing a flow node"),
    "tab": ("name:\n\t- a\n", r"<text>:2: is not valid YAML: .*cannot start any token"),
    "two documents": (BASE + "---\na: b\n", r"<text>:19: is not valid YAML: expected a single document"),
    "control character": ("name: a\x00\n", "is not valid YAML"),
    "unknown key": (BASE + "color: red\n", r"<text>:19: unknown key 'color'; allowed: name, gravity, parameters"),
    "unknown joint key": (
        changed("    axis", "    axes"),
        r"<text>:13: unknown key 'axes' of joint 'theta'.*; allowed: kind, parent, child, origin, axis",
    ),
    "unknown origin key": (
        changed("    axis", "    origin: {rot: [0, 0, 1]}\n    axis"),
        r":13: unknown key 'rot' of origin of joint 'theta'.*; allowed: xyz, rpy, quaternion, matrix",
    ),
    "unknown shape": (changed("mass: m\n", "mass: m\n    cone: {}\n"), r":6: unknown key 'cone' of body 'link'; .*box"),
    "twice": (BASE + "name: again\n", r"<text>:19: the key 'name' occurs twice, first at line 1"),
    "body twice": (
        changed("joints:", "  link: {mass: 1}\njoints:"),
        r":8: the key 'link' occurs twice, first at line 4",
    ),
    "key is a list": ("? [a, b]\n: c\n", r"<text>:1: a key must be text, got a sequence"),
    "missing": (changed("    kind: revolute\n", ""), r"<text>:9: the key 'kind' of joint 'theta' is missing"),
    "no bodies": (changed("bodies:", "bodys:"), "unknown key 'bodys' .did you mean 'bodies'.*; allowed: .*bodies"),
    "empty bodies": ("name: a\nbodies: {}\njoints: {}\n", "machine 'a' has no bodies"),
    "bodies null": ("name: a\nbodies:\njoints: {}\n", r"<text>:2: bodies must be a mapping, got None"),
    "limits a list": (
        "name: a\nbodies: {b: {mass: 1}}\njoints: {x: {kind: prismatic, parent: world, child: b, limits: [0, 1]}}\n",
        r"<text>:3: limits of joint 'x' must be a mapping with the keys lower, upper, .*, got \[0, 1\]",
    ),
    "body a number": (changed("joints:", "  b: 3\njoints:"), r"<text>:8: body 'b' must be a mapping, got 3"),
    "boolean mass": (changed("mass: m", "mass: true"), r":5: mass of body 'link' must be a number .*, got True"),
    "list mass": (changed("mass: m", "mass: [1]"), r":5: mass of body 'link' must be a number .*, got \[1\]"),
    "nan": (changed("mass: m", "mass: .nan"), r":5: mass of body 'link' must be finite, got nan"),
    "infinite": (changed("mass: m", "mass: .inf"), r":5: mass of body 'link' must be finite, got inf"),
    "huge integer": (changed("mass: m", "mass: 1" + "0" * 350), r":\d: .*mass of body 'link'.*beyond the range"),
    "negative mass": (changed("mass: m", "mass: -1"), r":4: mass of body 'link' must be >= 0, got -1"),
    "two numbers": (changed("[0, 1, 0]", "[0, 1]"), r":13: axis of joint 'theta' must have 3 entries, got 2"),
    "four numbers": (changed("[0, 1, 0]", "[0, 1, 0, 0]"), r":13: axis of joint 'theta' must have 3 entries, got 4"),
    "not a list": (changed("[0, 1, 0]", "2"), r":13: axis of joint 'theta' must be a list, got 2"),
    "text in a vector": (changed("[0, 1, 0]", "[0, null, 0]"), r":13: axis\[1\] of joint 'theta' must be a number"),
    "inertia": (changed("inertia: [m", "inertia: [1, m"), r":7: inertia of body 'link' must be 3 numbers, 6 numbers"),
    "impossible inertia": (changed("1e-4]", "1]"), r":4: inertia of body 'link' is impossible.*triangle"),
    "mass and shape": (
        changed("mass: m", "sphere: {mass: 1, radius: 1}"),
        "body 'link' takes mass, com and inertia, or one shape",
    ),
    "zero radius": (
        "name: a\nbodies:\n  b:\n    sphere: {mass: 1, radius: 0}\njoints: {}\n",
        r":4: the radius of sphere '[a-z]+' must be > 0, got 0",
    ),
    "shape axis": (
        "name: a\nbodies:\n  b: {rod: {mass: 1, length: 1, axis: w}}\njoints: {}\n",
        r":3: rod axis of body 'b' must be 'x', 'y' or 'z', got 'w'",
    ),
    "kind": (changed("revolute", "hinge"), r":9: joint 'theta' has the kind 'hinge'; known kinds: revolute"),
    "unknown child": (
        changed("child: link", "child: lnk"),
        r":9: child of joint 'theta': no body named 'lnk'.*known: link",
    ),
    "number as a name": (
        changed("child: link", "child: 3"),
        r":12: child of joint 'theta' must be text.*quotes.*got 3",
    ),
    "unconnected": (changed("joints:", "  free: {mass: 1}\njoints:"), r":8: body 'free' is not connected to the world"),
    "cycle": (
        "name: a\nbodies: {b: {mass: 1}, c: {mass: 1}}\njoints:\n  j: {kind: fixed, parent: b, child: c}\n"
        "  k: {kind: fixed, parent: c, child: b}\n",
        "the joints form a cycle through the bodies b, c",
    ),
    "limits": (
        changed("    axis", "    limits: {lower: 2, upper: 1}\n    axis"),
        r":13: joint 'theta': the lower limit 2 must not exceed the upper limit 1",
    ),
    "limit text": (
        changed("    axis", "    limits: {lower: m}\n    axis"),
        r":13: joint 'theta': 'lower' must be a plain number, got the expression 'm'",
    ),
    "two rotations": (
        changed("    axis", "    origin: {rpy: [0, 0, 1], quaternion: [1, 0, 0, 0]}\n    axis"),
        r":13: an origin takes one rotation, got rpy and quaternion",
    ),
    "not a rotation": (
        changed("    axis", "    origin:\n      matrix: [[1, 0, 0], [0, 1, 0], [0, 0, 2]]\n    axis"),
        r":14: joint 'theta': .*right-handed rotation matrix",
    ),
    "zero quaternion": (
        changed("    axis", "    origin: {quaternion: [0, 0, 0, 0]}\n    axis"),
        r":13: joint 'theta': a quaternion must be 4 finite numbers",
    ),
    "motor": (changed("  theta: {effort: 3}", "  drive: {effort: 3}"), r":15: motor 'drive': no joint named 'drive'"),
    "frame": (BASE + "frames: {tip: {body: lnk}}\n", r":19: frame 'tip': no body named 'lnk'"),
    "wrench": (BASE + "wrenches:\n  w: {frame: tip}\n", r":20: wrench 'w': no frame named 'tip'"),
    "axes": (
        BASE + "wrenches:\n  w: {frame: link, axes: body}\n",
        r":20: axes of wrench 'w' must be 'world' or 'frame', got 'body'",
    ),
    "coupling": (BASE + "couplings:\n  theta: {leader: x}\n", r":20: coupling of joint 'theta'|:9: coupling"),
    "parameter": (
        changed("mass: m", "mass: mm"),
        r":5: .*no parameter named 'mm' in the expression 'mm' \(did you mean 'm'\?\); known: l, m",
    ),
    "parameter name": (changed("l: 0.5", "l: 0.5, lambda: 1"), r":2: a parameter's name must be an identifier"),
    "parameter value": (changed("l: 0.5", "l: m"), r":2: parameter 'l' must be a number"),
    "expression": (changed("mass: m", "mass: m *"), r":5: .*cannot read 'm \*' as a number or an expression"),
    "code": (
        changed("mass: m", "mass: __import__('os').getcwd()"),
        r":5: .*cannot use \"__import__\('os'\).getcwd\(\)\"",
    ),
    "division": (
        changed("mass: m", "mass: m / (l - 0.5)"),
        r":4: mass of body 'link': .*no value at the nominal parameters",
    ),
    "root": (
        changed("mass: m", "mass: sqrt(-m)"),
        r":4: mass of body 'link': .*must be a real, finite number, got nan",
    ),
    "constant": (changed("mass: m", "mass: (-8) ** 0.5"), r":5: .*must be a real, finite number"),
    "time": (changed("mass: m", "mass: 1 + t"), r":4: mass of body 'link' must not depend on time"),
    "deep expression": (changed("mass: m", "mass: " + "(" * 5000 + "1" + ")" * 5000), r":5: .*cannot read"),
    "long expression": (changed("mass: m", "mass: " + "m+" * 30000 + "m"), r":5: .*(cannot read|nested too deeply)"),
    "tag": ("name: !!python/object/apply:os.system [ls]\n", r"<text>:1: the tag .* is not allowed"),
    "own tag": ("name: !thing a\n", r"<text>:1: the tag '!thing' is not allowed"),
    "self alias": ("name: &a [*a]\n", "<text>:1: an alias refers to the value that contains it"),
    "alias bomb": (ALIAS_BOMB, "expands to more than"),
    "unknown alias": ("name: *a\n", r"<text>:1: is not valid YAML: found undefined alias"),
    "deep": ("a: " + "[" * 3000 + "]" * 3000 + "\n", "nested"),
    "merge": (changed("joints:", "  b: {<<: {mass: 1}}\njoints:"), "unknown key '<<' of body 'b'"),
    "q0 name": (changed("{theta: pi/2}", "{thta: 1}"), r":18: q0: no coordinate named 'thta'.*known: theta"),
    "v0 name": (BASE + "  v0: {theta: 1}\n", r":19: v0: no velocity named 'theta'.*known: theta_dot"),
    "duration": (changed("duration: 2", "duration: 0"), r":17: duration must be a finite number > 0 s, got 0"),
    "duration text": (changed("duration: 2", "duration: [2]"), r":17: simulation duration must be a number"),
    "simulation key": (changed("duration: 2", "time: 2"), r":17: unknown key 'time' of simulation.*allowed: duration"),
    "q0 time": (changed("pi/2", "t"), r":18: 'theta' of the simulation must not depend on time"),
    "coordinate clash": (
        changed("joints:", "  b: {mass: 1}\njoints:\n  theta_dot: {kind: prismatic, parent: world, child: b}"),
        "2 coordinates named 'theta_dot'",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_refusals(case: str) -> None:
    text, message = BAD[case]
    with pytest.raises(FileFormatError, match=message) as caught:
        load_machine(text)
    assert str(caught.value).startswith("<text>:")
    assert len(str(caught.value)) < 600


def test_schema_and_parts_have_the_same_fields() -> None:
    """A field that a part gains must be writable and readable: the schema names every one."""
    from dataclasses import fields

    from dalembert.io import machine_schema as schema

    pairs = {
        Body: (schema.BodyEntry, {"name"}),
        Joint: (schema.JointEntry, {"name"}),
        Limits: (schema.LimitsEntry, set()),
        Frame: (schema.FrameEntry, {"name"}),
        Motor: (schema.MotorEntry, {"name"}),
        Wrench: (schema.WrenchEntry, {"name"}),
        Coupling: (schema.CouplingEntry, {"joint"}),
        Machine: (schema.MachineFile, set()),
    }
    for part, (entry, keys) in pairs.items():
        assert {f.name for f in fields(part)} - keys <= set(entry.model_fields)


def test_control_block_by_the_names_of_motors() -> None:
    from dalembert.io.control_blocks import make_law

    law = make_law(
        {
            "law": "pd",
            "kp": {"a": 2.0, "b": 1.0},
            "kd": 1.0,
            "reference": {"a": 0.5, "b": {"start": 0, "end": 1, "duration": 2}},
        }
    )
    assert dict(law.kp) == {"a": 2.0, "b": 1.0}
    assert dict(law.reference)["a"] == 0.5 and callable(dict(law.reference)["b"])
