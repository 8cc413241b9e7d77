"""Wrong inputs: each gives its own clear error, none a traceback from inside a dependency, none a number."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.io import load_machine, load_urdf

NAN, INF = float("nan"), float("inf")


def body(name: str = "link", **fields: Any) -> da.Body:
    return da.Body(name, **{"mass": 1.0, "inertia": (0.1, 0.1, 0.1), **fields})


def joint(name: str = "q1", kind: str = "revolute", parent: str = "world", child: str = "link", **f: Any) -> da.Joint:
    return da.Joint(name, kind, parent, child, **f)


def machine(**fields: Any) -> da.Machine:
    return da.Machine(**{"name": "m", "bodies": [body()], "joints": [joint()], **fields})


def pendulum() -> da.Machine:
    length = da.Parameter("l", 1.0)
    return machine(
        bodies=[da.point_mass("link", da.Parameter("m", 2.0), com=(0.0, 0.0, -length))],
        joints=[joint(axis=(0, 1, 0))],
        motors=[da.Motor("drive", "q1", effort=5.0)],
    )


def floating() -> da.Machine:
    return machine(joints=[joint("base", "free")])


def yaml_text(**changes: str) -> str:
    parts = {
        "mass": "1.0",
        "parent": "world",
        "kind": "revolute",
        "axis": "[0, 1, 0]",
        "extra": "",
    } | changes
    return f"""name: pendulum
bodies:
  bob: {{mass: {parts["mass"]}, com: [0, 0, -1]}}
joints:
  theta: {{kind: {parts["kind"]}, parent: {parts["parent"]}, child: bob, axis: {parts["axis"]}}}
{parts["extra"]}"""


def urdf_text(**changes: str) -> str:
    parts = {
        "inertia": '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>',
        "mass": "1.0",
        "type": "revolute",
        "parent": "base",
        "limit": '<limit lower="-1" upper="1" effort="10" velocity="1"/>',
        "axis": '<axis xyz="0 0 1"/>',
        "extra": "",
    } | changes
    return f"""<robot name="r"><link name="base"/>
<link name="arm"><inertial><mass value="{parts["mass"]}"/>{parts["inertia"]}</inertial></link>
<joint name="j" type="{parts["type"]}"><parent link="{parts["parent"]}"/><child link="arm"/>
{parts["axis"]}{parts["limit"]}</joint>{parts["extra"]}</robot>"""


MACHINES: dict[str, tuple[Callable[[], Any], str]] = {
    "negative mass": (lambda: body(mass=-1.0), r"mass of body 'link' must be >= 0, got -1"),
    "NaN mass": (lambda: body(mass=NAN), r"mass of body 'link' must be finite, got nan"),
    "mass as text": (lambda: body(mass="heavy"), r"mass of body 'link' must be a number, got 'heavy'"),
    "short com": (lambda: body(com=(0, 0)), r"centre of mass of body 'link' must have 3 components"),
    "infinite com": (lambda: body(com=(0, INF, 0)), r"component y of centre of mass of body 'link' must be finite"),
    "asymmetric inertia": (lambda: body(inertia=((1, 0.2, 0), (0, 1, 0), (0, 0, 1))), r"must be symmetric"),
    "triangle": (lambda: machine(bodies=[body(inertia=(1, 1, 3))]), r"'link' is impossible.*triangle inequality"),
    "negative inertia": (lambda: machine(bodies=[body(inertia=(1, -1, 1))]), r"'link' is impossible.*negative"),
    "empty name": (lambda: body(name=""), r"name of a body must be a non-empty string"),
    "unknown kind": (lambda: joint(kind="hinge"), r"joint 'q1' has the kind 'hinge'; known kinds: revolute"),
    "zero axis": (lambda: joint(axis=(0, 0, 0)), r"axis of joint 'q1' must not be zero"),
    "negative damping": (lambda: joint(damping=-0.1), r"damping of joint 'q1' must be >= 0"),
    "limits reversed": (lambda: da.Limits(1.0, -1.0), r"lower limit 1 must not exceed the upper limit -1"),
    "spring on a ball joint": (lambda: joint(kind="spherical", stiffness=1.0), r"spherical joint takes no spring"),
    "left-handed frame": (
        lambda: da.Transform((0, 0, 0), ((1, 0, 0), (0, 1, 0), (0, 0, -1))),
        r"right-handed rotation",
    ),
    "zero quaternion": (lambda: da.Transform.quaternion((0, 0, 0, 0)), r"4 finite numbers .* not all zero"),
    "no bodies": (lambda: machine(bodies=[], joints=[]), r"machine 'm' has no bodies"),
    "missing parent": (lambda: machine(joints=[joint(parent="ghost")]), r"joint 'q1'.*no body named 'ghost'"),
    "cycle": (
        lambda: machine(
            bodies=[body("a"), body("b")],
            joints=[joint("j1", parent="a", child="b"), joint("j2", parent="b", child="a")],
        ),
        r"cycle through the bodies a, b",
    ),
    "loose body": (lambda: machine(bodies=[body(), body("loose")]), r"body 'loose' is not connected to the world"),
    "two parents": (
        lambda: machine(joints=[joint(), joint("q2")]),
        r"body 'link' is the child of two joints, 'q1' and 'q2'",
    ),
    "duplicate name": (lambda: machine(bodies=[body(), body()]), r"2 of the body or frame name 'link'"),
    "massless leaf": (lambda: machine(bodies=[da.Body("link")]), r"joint 'q1' moves nothing"),
    "motor on nothing": (lambda: machine(motors=[da.Motor("d", "q9")]), r"motor 'd': no joint named 'q9'.*known: q1"),
    "motor on a free joint": (
        lambda: machine(joints=[joint("base", "free")], motors=[da.Motor("d", "base")]),
        r"motor 'd' must drive a joint with one coordinate, but 'base' is free",
    ),
    "gear ratio zero": (lambda: da.Motor("d", "q1", ratio=0.0), r"gear ratio of motor 'd' must not be zero"),
    "parameter with two values": (
        lambda: machine(bodies=[da.point_mass("link", da.Parameter("m", 1.0), com=(da.Parameter("m", 2.0), 0, 0))]),
        r"parameter 'm' has two values, 1 and 2",
    ),
    "tube inside out": (lambda: da.hollow_cylinder("t", 1.0, 0.1, 0.2, 1.0), r"inner radius .* must not exceed"),
    "locking a ghost": (lambda: machine().lock({"q7": 0.0}), r"no moving joint named 'q7'"),
}

FILES: dict[str, tuple[Callable[[], Any], str]] = {
    "YAML: missing file": (lambda: load_machine(Path("no-such-file.yaml")), r"no-such-file.yaml"),
    "YAML: syntax": (lambda: load_machine("name: [unclosed\nbodies: {}"), r":2: is not valid YAML"),
    "YAML: unknown key": (lambda: load_machine(yaml_text(extra="colour: red")), r"colour"),
    "YAML: negative mass": (lambda: load_machine(yaml_text(mass="-2")), r"mass of body 'bob' must be >= 0, got -2"),
    "YAML: unknown parameter": (lambda: load_machine(yaml_text(mass="2 * m")), r"no parameter named 'm'"),
    "YAML: code is not run": (
        lambda: load_machine(yaml_text(mass="__import__('os').getpid()")),
        r"cannot use .*__import__",
    ),
    "YAML: unknown key where several types are allowed": (
        lambda: load_machine(
            "name: arm\nbodies:\n  boom:\n    beam: {length: 1, E: 1, density: 1, section: {radius: 1}}\n"
            "joints:\n  q: {kind: revolute, parent: world, child: boom}\n"
        ),
        r":4: unknown key 'radius' of beam section of body 'boom'; allowed: area, I_y",
    ),
    "YAML: wrong kind": (lambda: load_machine(yaml_text(kind="hinge")), r"hinge"),
    "YAML: short axis": (lambda: load_machine(yaml_text(axis="[0, 1]")), r"axis"),
    "YAML: python object": (lambda: load_machine("name: !!python/object/apply:os.getpid []\n"), r":1: .*python/object"),
    "URDF: missing file": (lambda: load_urdf(Path("no-such-file.urdf")), r"no-such-file.urdf"),
    "URDF: not XML": (lambda: load_urdf("<robot name='r'><link"), r":1: is not well-formed XML"),
    "URDF: negative mass": (lambda: load_urdf(urdf_text(mass="-1")), r"arm.*mass|mass.*arm"),
    "URDF: unknown joint": (lambda: load_urdf(urdf_text(type="helical")), r"helical"),
    "URDF: missing link": (lambda: load_urdf(urdf_text(parent="ghost")), r"ghost"),
    "URDF: wrong vector": (lambda: load_urdf(urdf_text(axis='<axis xyz="0 1"/>')), r"xyz|axis"),
    "URDF: impossible inertia": (
        lambda: load_urdf(urdf_text(inertia='<inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/>')),
        r"'arm' is impossible.*triangle",
    ),
    "URDF: two roots": (lambda: load_urdf(urdf_text(extra='<link name="other"/>')), r"other"),
    "URDF: unknown lock": (lambda: load_urdf(urdf_text(), lock={"nobody": 0.0}), r"nobody"),
}

CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "no machine": (lambda: da.equations("pendulum"), r"need a Machine, got str"),  # type: ignore[arg-type]
    "unknown formulation": (lambda: da.equations(machine(), "kane"), r"no formulation named 'kane'; known: .*lagrange"),
    "unknown backend": (
        lambda: da.equations(machine(), backend="gpu").mass_matrix([0.0]),  # type: ignore[arg-type]
        r"backend must be one of auto, native, vm, got 'gpu'",
    ),
    "wrong shape": (lambda: da.equations(machine()).mass_matrix([0.0, 1.0]), r"'q'.*\(2,\).*\(1,\)|got shape \(2,\)"),
    "NaN state": (lambda: da.equations(machine()).bias([NAN], [0.0]), r"'q'.*(finite|nan)"),
    "text as state": (lambda: da.equations(machine()).gravity(["up"]), r"'q'"),
    "complex state": (lambda: da.equations(machine()).gravity([1j]), r"'q'"),
    "ragged state": (lambda: da.equations(machine()).gravity([[1.0], [1.0, 2.0]]), r"'q'"),
    "unbroadcastable": (lambda: da.equations(machine()).bias(np.zeros((3, 1)), np.zeros((2, 1))), r"broadcast|batch"),
    "unknown frame": (lambda: da.equations(machine()).jacobian("tool", [0.0]), r"no frame named 'tool'.*known: link"),
    "unknown axes": (lambda: da.equations(machine()).jacobian("link", [0.0], axes="body"), r"axes .* got 'body'"),
    "long quaternion": (
        lambda: da.equations(floating()).mass_matrix([0, 0, 0, 2.0, 0, 0, 0]),
        r"quaternion .* of joint 'base' in q must have unit norm, got norm 2",
    ),
    "unknown parameter": (
        lambda: da.equations(pendulum()).mass_matrix([0.0], p={"mass": 1.0}),
        r"no parameter named 'mass'.*known: l, m",
    ),
    "parameter out of bounds": (
        lambda: da.equations(pendulum()).mass_matrix([0.0], p={"m": -1.0}),
        r"mass of body 'link' must be >= 0, got -1 \(parameter 'm'\)",
    ),
    "parameter vector too short": (lambda: da.equations(pendulum()).mass_matrix([0.0], p=[1.0]), r"p has shape \(1,\)"),
    "singular mass matrix": (
        lambda: da.equations(pendulum()).forward_dynamics([0.0], [0.0], [1.0], p={"l": 0.0}),
        r"singular",
    ),
    "wrench of text": (
        lambda: da.equations(machine()).inverse_dynamics([0.0], [0.0], [0.0], wrenches={"link": "up"}),
        r"the wrench at frame 'link' must be numbers, got 'up'",
    ),
    "force of text": (
        lambda: da.equations(machine()).forward_dynamics([0.0], [0.0], ["up"], wrenches={"link": [0.0] * 6}),
        r"tau must be numbers, got \['up'\]",
    ),
    "state of text": (lambda: da.equations(machine()).from_machine("a", [0.0]), r"q must be numbers, got 'a'"),
    "lock of a name": (
        lambda: machine().lock("q1"),  # type: ignore[arg-type]
        r"lock must map joint names to positions, or list joint names, got 'q1'",
    ),
    "run file of no name": (lambda: da.load_run(None), r"a run file must be a path, got None"),  # type: ignore[arg-type]
    "wrench too short": (
        lambda: da.equations(machine()).inverse_dynamics([0.0], [0.0], [0.0], wrenches={"link": [1, 2]}),
        r"wrench at frame 'link' must be 6 finite numbers",
    ),
    "parameters that do not broadcast": (
        lambda: da.equations(pendulum()).mass_matrix([0.0], p={"m": [1.0, 2.0], "l": [1.0, 2.0, 3.0]}),
        r"do not broadcast: m \(2,\), l \(3,\)",
    ),
    "infinite parameter": (
        lambda: da.equations(pendulum()).mass_matrix([0.0], p={"l": INF}),
        r"parameter 'l' must be finite, got inf",
    ),
    "two hinges on one axis": (
        lambda: machine(
            bodies=[da.Body("ring"), body()],
            joints=[joint("a", child="ring"), joint("b", parent="ring")],
        ),
        r"joint 'a' \(revolute\) moves no inertia .* give body 'ring' mass and inertia",
    ),
    "event without a function": (lambda: da.Event("hit", 1.0), r"event 'hit' needs a function"),  # type: ignore[arg-type]
    "event beyond the coordinates": (
        lambda: da.simulate(machine(), duration=1.0, events=[da.Event("hit", lambda t, q, v: q[7])]),
        r"expression of event 'hit' fails on CasADi symbols: RuntimeError: .*out of bounds",
    ),
    "event of two expressions": (
        lambda: da.simulate(floating(), duration=1.0, events=[da.Event("hit", lambda t, q, v: q[:2])]),
        r"event 'hit' must return one expression, got 2",
    ),
    "events that are none": (
        lambda: da.simulate(machine(), duration=1.0, events=["hit"]),  # type: ignore[list-item]
        r"events must be Event objects, got 'hit'",
    ),
    "switches that are none": (
        lambda: da.simulate(machine(), duration=1.0, switches=[0.5]),  # type: ignore[list-item]
        r"switches must be Switch objects, got 0.5",
    ),
    "transition to text": (
        lambda: da.simulate(
            machine(),
            duration=1.0,
            v0=[1.0],
            events=[da.Event("half", lambda t, q, v: q[0] - 0.5)],
            on_event=lambda t, x, names: "stop",
        ),
        r"the transition at t = 0.5 s must return 4 finite states, got 'stop'",
    ),
    "move of no duration": (
        lambda: da.Quintic([0.0], [1.0], "2 s"),  # type: ignore[arg-type]
        r"duration of a Quintic must be > 0, got '2 s'",
    ),
    "move with a delay that is none": (lambda: da.Quintic([0.0], [1.0], 1.0, NAN), r"delay of a Quintic must be"),
    "sine of different lengths": (
        lambda: da.Sine([0.0, 1.0], [1.0, 2.0, 3.0], 1.0),
        r"center of a Sine must be one number or 3 numbers, got 2",
    ),
    "zero duration": (lambda: da.simulate(machine(), duration=0.0), r"duration"),
    "negative step": (lambda: da.simulate(machine(), duration=1.0, step=-1e-3), r"step"),
    "unknown method": (lambda: da.simulate(machine(), duration=1.0, method="magic"), r"magic.*rk4"),
    "zero tolerance": (lambda: da.simulate(machine(), duration=1.0, method="dopri5", rtol=0.0, atol=0.0), r"tol"),
    "wrong q0": (lambda: da.simulate(machine(), duration=1.0, q0=[0, 0]), r"q0 must have 1 components \(q1\)"),
    "unknown q0": (lambda: da.simulate(machine(), duration=1.0, q0={"q2": 1.0}), r"no component of q0 named 'q2'"),
    "NaN v0": (lambda: da.simulate(machine(), duration=1.0, v0=[NAN]), r"v0 must be finite, but q1_dot is nan"),
    "unknown limits": (lambda: da.simulate(machine(), duration=1.0, limits="bounce"), r"limits must be"),
    "controller too long": (
        lambda: da.simulate(pendulum(), duration=1.0, control=da.SampledController(lambda t, q, v: [1, 2], 0.1)),
        r"controller .* must return 1 numbers \(command.drive\), got shape \(2,\)",
    ),
    "run of another machine": (
        lambda: da.simulate(floating(), duration=1.0, start=da.simulate(machine(), duration=0.01)),
        r"start must be a run with the states",
    ),
    "unknown signal": (lambda: da.simulate(machine(), duration=0.01)["speed"], r"'speed'.*q1"),
    "missing run": (lambda: da.load_run("no-such-run.nc"), r"no-such-run.nc"),
    "coordinates of the wrong size": (
        lambda: da.equations(machine(), coordinates=da.CoordinateMap(["y"], lambda y, p: [y[0], y[0]])),
        r"CoordinateMap \(y\) must return 1 expressions, got 2",
    ),
    "coordinates over quaternions": (
        lambda: da.equations(floating(), coordinates=da.CoordinateMap(["y"], lambda y, p: y)),
        r"quaternions",
    ),
}

CASES = {**MACHINES, **FILES, **CALLS}


def test_there_are_at_least_fifty() -> None:
    assert len(CASES) >= 50


@pytest.mark.parametrize("case", CASES, ids=lambda name: name.replace(" ", "_"))
def test_wrong_input_gives_its_own_clear_error(case: str) -> None:
    call, message = CASES[case]
    with pytest.raises(da.DalembertError, match=f"(?s){message}"):
        call()


@pytest.mark.parametrize("backend", ["native", "vm"])
@pytest.mark.parametrize("function", ["forward_dynamics", "forward_dynamics_derivatives"])
@pytest.mark.parametrize("p", [{"l": 0.0}, [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]], ids=["single", "batch"])
def test_a_singular_mass_matrix_is_refused(backend: str, function: str, p: Any) -> None:
    solve = getattr(da.equations(pendulum(), backend=backend), function)
    solve(np.zeros(1), np.zeros(1), np.ones(1))
    with pytest.raises(da.InputError, match="mass matrix of machine 'm' is singular"):
        solve(np.zeros(1), np.zeros(1), np.ones(1), p=p)


def test_errors_are_different_from_each_other() -> None:
    texts = set()
    for call, _ in CASES.values():
        with pytest.raises(da.DalembertError) as error:
            call()
        texts.add(str(error.value))
    assert len(texts) == len(CASES)
