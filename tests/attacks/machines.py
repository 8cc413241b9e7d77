"""Attacks on descriptions: bodies, joints, beams, cables, constraints, machines, tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.attacks.harness import Attack, attacks

import dalembert as da
from dalembert.model.from_dh import machine_from_dh
from dalembert.spatial.dh import DHRow, DHTable

__all__ = ["description_attacks", "pendulum", "two_links"]

NAN, INF = float("nan"), float("inf")
NUMBERS: list[Any] = [NAN, INF, "big", None, [1.0, 2.0], 1j, object()]
POSITIVE = [*NUMBERS, 0.0, -1.0]
NOT_NEGATIVE = [*NUMBERS, -1.0]
VECTORS: list[Any] = [1.0, (1.0, 2.0), (1.0, 2.0, NAN), "xyz ", None, (0.0, 0.0, "z"), {"x": 1}]
NAMES: list[Any] = ["", " space ", None, 3, ["a"]]


def pendulum(**more: Any) -> da.Machine:
    """A driven pendulum with two parameters."""
    return da.Machine(
        **{
            "name": "pendulum",
            "bodies": [da.point_mass("bob", da.Parameter("m", 1.0), com=(0, 0, -da.Parameter("l", 1.0)))],
            "joints": [da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
            "motors": [da.Motor("drive", "theta", effort=5.0)],
            **more,
        }
    )


def two_links(**more: Any) -> da.Machine:
    """Two links with a frame at the end."""
    return da.Machine(
        **{
            "name": "arm",
            "bodies": [da.rod("upper", 1.0, 1.0, com=(0.5, 0, 0)), da.rod("lower", 1.0, 1.0, com=(0.5, 0, 0))],
            "joints": [
                da.Joint("q1", "revolute", "world", "upper", axis=(0, 1, 0)),
                da.Joint("q2", "revolute", "upper", "lower", axis=(0, 1, 0), origin=da.Transform((1.0, 0, 0))),
            ],
            "frames": [da.Frame("tool", "lower", da.Transform((1.0, 0, 0)))],
            **more,
        }
    )


def _body(**f: Any) -> object:
    return da.Body(**{"name": "link", "mass": 1.0, "com": (0, 0, 0), "inertia": (0.1, 0.1, 0.1), **f})


def _shapes() -> Iterator[Attack]:
    for shape, sizes in (
        ("box", {"size": (1.0, 1.0, 1.0)}),
        ("sphere", {"radius": 0.5}),
        ("cylinder", {"radius": 0.5, "length": 1.0}),
        ("rod", {"length": 1.0}),
        ("hollow_cylinder", {"outer": 0.5, "inner": 0.2, "length": 1.0}),
        ("point_mass", {}),
    ):
        make = getattr(da, shape)

        def call(make: Any = make, sizes: Any = sizes, **f: Any) -> object:
            return make(**{"name": "link", "mass": 1.0, **sizes, **f})

        wrong = {"mass": [NAN, -1.0, "big", None], "com": [1.0, (1.0, 2.0), "here"], "name": NAMES[:3]}
        for size, good in sizes.items():
            wrong[size] = [(1.0, 1.0), 1.0, (1.0, -1.0, 1.0)] if isinstance(good, tuple) else [NAN, -1.0, "big", None]
        for key, values in wrong.items():
            name = "name" if key == "name" else "link"
            yield from attacks(shape, call, {key: values}, names=name)
    for shape in ("cylinder", "rod"):
        bad = {"name": "link", "mass": 1.0, "length": 1.0} | ({"radius": 0.5} if shape == "cylinder" else {})
        yield from attacks(
            shape, lambda s=shape, b=bad, **f: getattr(da, s)(**b, **f), {"axis": ["w", 3, None]}, names="axis"
        )


def _joint(**f: Any) -> object:
    return da.Joint(**{"name": "hinge", "kind": "revolute", "parent": "world", "child": "link", **f})


def _joints() -> Iterator[Attack]:
    yield from attacks("Joint", _joint, {"name": NAMES, "kind": ["revolut", None, 3], "parent": NAMES, "child": NAMES})
    wrong = {
        "axis": [(0, 0, 0), (1, 2), "w", None, (NAN, 0, 1)],
        "origin": ["here", 3.0, None, [[1, 0], [0, 1]]],
        "limits": [3.0, "wide", (1, 2, 3, 4, 5, 6), None],
        "stiffness": NOT_NEGATIVE,
        "damping": NOT_NEGATIVE,
        "friction": NOT_NEGATIVE,
        "rest": NUMBERS,
        "friction_velocity": POSITIVE,
        "pitch": [0.1, "coarse"],
        "second_axis": [(0, 1, 0)],
    }
    yield from attacks("Joint", _joint, wrong, names="hinge")
    limits = {"lower": [NAN, "low", None], "upper": [NAN, "up"], "velocity": [NAN, -1.0, "fast"], "effort": [NAN, -1.0]}
    yield from attacks("Limits", lambda **f: da.Limits(**f), limits)
    yield Attack("Limits", "crossed", lambda: da.Limits(1.0, -1.0), "lower limit")
    yield Attack("Limits", "stop=1", lambda: da.Limits(stop=1), "stop")  # type: ignore[arg-type]


def _parts() -> Iterator[Attack]:
    yield from attacks("Body", _body, {"name": NAMES})
    impossible: list[Any] = [(1, 1, 3), (-1, 1, 1), (1, 1), "round", None, (NAN, 1, 1)]
    yield from attacks("Body", _body, {"mass": NOT_NEGATIVE, "com": VECTORS, "inertia": impossible[2:]}, names="link")
    for inertia in impossible[:2]:
        yield Attack(
            "Machine",
            f"inertia {inertia}",
            lambda i=inertia: two_links(
                bodies=[da.Body("upper", 1.0, (0, 0, 0), i), da.Body("lower", 1.0, (0, 0, 0), (1, 1, 1))]
            ),
            "upper",
        )

    def frame(**f: Any) -> object:
        return da.Frame(**{"name": "tool", "body": "link", **f})

    yield from attacks("Frame", frame, {"name": NAMES})
    yield from attacks("Frame", frame, {"body": NAMES, "origin": ["here", 3.0, (1, 2)]}, names="tool")

    def motor(**f: Any) -> object:
        return da.Motor(**{"name": "drive", "joint": "hinge", **f})

    yield from attacks("Motor", motor, {"name": NAMES})
    wrong: dict[str, Any] = {
        "joint": NAMES,
        "ratio": [*NUMBERS, 0.0],
        "rotor_inertia": NOT_NEGATIVE,
        "damping": NOT_NEGATIVE,
        "effort": [NAN, -1.0, "strong"],
    }
    yield from attacks("Motor", motor, wrong, names="drive")

    def wrench(**f: Any) -> object:
        return da.Wrench(**{"name": "push", "frame": "tool", **f})

    yield from attacks("Wrench", wrench, {"name": NAMES})
    yield from attacks(
        "Wrench", wrench, {"frame": NAMES, "force": VECTORS, "torque": VECTORS, "axes": ["body", None]}, names="push"
    )

    def coupling(**f: Any) -> object:
        return da.Coupling(**{"joint": "follower", "leader": "hinge", **f})

    yield from attacks("Coupling", coupling, {"joint": NAMES})
    yield from attacks("Coupling", coupling, {"leader": NAMES, "ratio": NUMBERS, "offset": NUMBERS}, names="follower")

    yield from attacks(
        "Parameter",
        lambda **f: da.Parameter(**{"name": "m", "value": 1.0, **f}),
        {"name": ["", "a b", "for", None, "t"], "value": [NAN, INF, "big", None]},
    )
    yield from attacks(
        "Transform",
        lambda **f: da.Transform(**f),
        {
            "translation": VECTORS,
            "rotation": [(1, 2), "round", [[1, 0, 0], [0, 1, 0], [0, 0, 2]], [[1, 0, 0], [0, -1, 0], [0, 0, 1]], None],
        },
    )
    yield from attacks(
        "Transform.rpy", lambda **f: da.Transform.rpy(**f), {"roll": NUMBERS[:4], "translation": VECTORS[:3]}
    )
    yield from attacks(
        "Transform.about",
        lambda axis=(0, 0, 1), angle=1.0: da.Transform.about(axis, angle),
        {"axis": [(0, 0, 0), (1, 2), "w"], "angle": ["round", NAN]},
    )
    yield from attacks(
        "Transform.quaternion",
        lambda q: da.Transform.quaternion(q),
        {"q": [(0, 0, 0, 0), (1, 2, 3), "round", (NAN, 0, 0, 1)]},
        names="quaternion",
    )
    yield Attack("Transform.quaternion", "any length", lambda: da.Transform.quaternion((2, 0, 0, 0)), "", "legitimate")


def _constraint(kind: Any, **good: Any) -> Any:
    return lambda **f: kind(**{"name": "tie", **good, **f})


def _constraints() -> Iterator[Attack]:
    pair = {"frame": "tool", "other": "world"}
    kinds: list[tuple[Any, dict[str, Any], dict[str, list[Any]]]] = [
        (da.BallConstraint, pair, {"components": ["", "w", "xx", None, 3]}),
        (da.DistanceConstraint, {**pair, "length": 1.0}, {"length": POSITIVE}),
        (da.WeldConstraint, pair, {"offset": ["here", 3.0, (1, 2)]}),
        (da.ParallelConstraint, pair, {"axis": [(0, 0, 0), (1, 2), "w"], "other_axis": [(0, 0, 0), None]}),
        (da.OrthogonalConstraint, pair, {"axis": [(0, 0, 0)], "angle": [0.0, 4.0, NAN, "right"]}),
        (da.LoopConstraint, pair, {"kind": ["hinge", None], "axis": [(0, 0, 0), "w"]}),
        (
            da.GearConstraint,
            {"terms": {"q1": 1.0}},
            {"terms": [{}, {"q1": 0.0}, {"q1": NAN}, "q1", None, [("q1",)], 3], "value": NUMBERS},
        ),
        (
            da.MotionConstraint,
            {"joint": "q1"},
            {"joint": [None, "", 3], "frame": ["tool"], "component": ["w", None], "value": NUMBERS},
        ),
    ]
    for kind, good, wrong in kinds:
        make = _constraint(kind, **good)
        yield from attacks(kind.__name__, make, {"name": NAMES})
        more: dict[str, Any] = {"switchable": [1, "yes"], "active": [0, False]}
        if "frame" in good:
            more |= {"frame": ["", None, "world"], "other": ["", 3]}
        yield from attacks(kind.__name__, make, {**more, **wrong}, names="tie")
    links = {
        "unknown frame": da.BallConstraint("tie", "tol"),
        "one body": da.BallConstraint("tie", "tool", "lower"),
        "unknown joint": da.GearConstraint("tie", {"q9": 1.0}),
    }
    for label, tie in links.items():
        yield Attack("Machine", f"constraint: {label}", lambda t=tie: two_links(constraints=[t]), "tie")


def _cables() -> Iterator[Attack]:
    def cable(**f: Any) -> object:
        return da.Cable(**{"name": "rope", "anchor": "tool", **f})

    yield from attacks("Cable", cable, {"name": NAMES})
    wrong: dict[str, Any] = {
        "anchor": NAMES,
        "exit": NAMES,
        "anchor_at": VECTORS,
        "exit_at": VECTORS,
        "length": [NAN, 0.0, -1.0, "long"],
        "winch": ["", 3],
        "drum": [0.1, NAN, "big"],
        "pulley": NOT_NEGATIVE,
        "swivel": ["loose", None],
        "stiffness": [0.0, -1.0, NAN, "stiff", 100.0],
        "damping": [1.0, -1.0, NAN],
        "bilateral": [1, "yes"],
    }
    yield from attacks("Cable", cable, wrong, names="rope")
    yield from attacks(
        "winch",
        lambda **f: da.winch(**{"name": "drum", "inertia": 0.1, **f}),
        {"inertia": NOT_NEGATIVE[:4], "damping": [-1.0, NAN], "friction": [-1.0], "effort": [-1.0, "strong"]},
        names="drum",
    )
    yield Attack(
        "Machine",
        "cable: unknown winch",
        lambda: two_links(cables=[da.Cable("rope", "tool", winch="w", drum=0.1)]),
        "rope",
    )
    yield Attack("Machine", "cable: unknown anchor", lambda: two_links(cables=[da.Cable("rope", "tol")]), "rope")


def _beams() -> Iterator[Attack]:
    tube = da.Section.tube(0.02, 0.01)

    def beam(**f: Any) -> object:
        return da.Beam(
            **{
                "name": "boom",
                "length": 1.0,
                "section": tube,
                "E": 7e10,
                "G": 2.6e10,
                "density": 2700.0,
                "modes": {"y": 2},
                **f,
            }
        )

    yield from attacks("Beam", beam, {"name": [*NAMES, "a.b"]})
    wrong: dict[str, Any] = {
        "length": POSITIVE,
        "section": [None, 3.0, [(1.0, "tube")], [(0.5, tube)]],
        "E": POSITIVE,
        "density": POSITIVE,
        "G": [NAN, -1.0, "big"],
        "modes": [{"y": 0}, {"y": 41}, {"w": 1}, {"y": "two"}, "y", 3, {"y": 1.5}, {"y": -1}],
        "boundary": ["glued", 3],
        "load": ["heavy", 3.0],
        "offset": [(1, 2), "here", (NAN, 0, 0)],
        "normalization": ["none", None],
        "damping": [-1.0, NAN, "some"],
        "rotary_inertia": ["no", 2],
        "stiffening": ["no", 2],
        "stations": [{"camera": 3.0}, {"camera": -1.0}, {"": 0.5}, {"tip": 0.5}, "camera", 3],
    }
    yield from attacks("Beam", beam, wrong, names="boom")
    yield from attacks(
        "Section",
        lambda **f: da.Section(**{"area": 1.0, **f}),
        {"area": POSITIVE, "I_y": NOT_NEGATIVE, "I_z": [-1.0], "I_p": [-1.0], "torsion": [-1.0], "I_yz": [NAN, 2.0]},
    )
    yield from attacks(
        "Section.tube",
        lambda **f: da.Section.tube(**{"outer": 1.0, **f}),
        {"outer": POSITIVE, "inner": [1.0, -1.0, NAN, "thin"]},
    )
    yield from attacks(
        "Load",
        lambda **f: da.Load(**f),
        {"mass": NOT_NEGATIVE, "inertia": [(1, 2), "round", (-1, 0, 0), 3], "first_moment": [NAN, 1.0]},
        names="load",
    )


def _machines() -> Iterator[Attack]:
    yield from attacks("Machine", two_links, {"name": NAMES})
    lists: dict[str, Any] = {
        key: [3, "text", ["text"], None]
        for key in ("bodies", "joints", "frames", "motors", "wrenches", "couplings", "constraints", "cables")
    }
    yield from attacks("Machine", two_links, lists)
    yield from attacks("Machine", two_links, {"gravity": VECTORS})
    upper, lower = two_links().bodies
    q1, q2 = two_links().joints
    cases: dict[str, tuple[dict[str, Any], str]] = {
        "no bodies": ({"bodies": [], "joints": [], "frames": []}, "no bodies"),
        "twice the same body": ({"bodies": [upper, lower, lower]}, "lower"),
        "twice the same joint": ({"joints": [q1, q1]}, "q1"),
        "body without joint": ({"joints": [q1]}, "lower"),
        "joint to nowhere": ({"joints": [q1, da.Joint("q2", "revolute", "uper", "lower")]}, "uper"),
        "joint of nothing": ({"joints": [q1, da.Joint("q2", "revolute", "upper", "lwer")]}, "lwer"),
        "a cycle": ({"joints": [da.Joint("q1", "revolute", "lower", "upper"), q2]}, "cycle"),
        "two parents": ({"joints": [q1, q2, da.Joint("q3", "revolute", "world", "lower")]}, "lower"),
        "a body named world": ({"bodies": [upper, lower, da.Body("world")]}, "world"),
        "a frame of no body": ({"frames": [da.Frame("tool", "hand")]}, "tool"),
        "a frame named as a body": ({"frames": [da.Frame("upper", "lower")]}, "upper"),
        "a motor of no joint": ({"motors": [da.Motor("drive", "q9")]}, "drive"),
        "two motors of one name": ({"motors": [da.Motor("drive", "q1"), da.Motor("drive", "q2")]}, "drive"),
        "a wrench at no frame": ({"wrenches": [da.Wrench("push", "hand")]}, "push"),
        "a coupling of no joint": ({"couplings": [da.Coupling("q2", "q9")]}, "q9"),
        "a coupling to itself": ({"couplings": [da.Coupling("q2", "q2")]}, "q2"),
        "a circle of couplings": ({"couplings": [da.Coupling("q2", "q1"), da.Coupling("q1", "q2")]}, "q"),
        "a motor on a follower": (
            {"couplings": [da.Coupling("q2", "q1")], "motors": [da.Motor("drive", "q2")]},
            "drive",
        ),
        "nothing to move": ({"bodies": [upper, da.Body("lower")]}, "q2"),
        "a point that turns": ({"bodies": [upper, da.point_mass("lower", 1.0)]}, "q2"),
        "all fixed": (
            {"joints": [da.Joint("q1", "fixed", "world", "upper"), da.Joint("q2", "fixed", "upper", "lower")]},
            "arm",
        ),
        "two values of a parameter": ({"gravity": (0, da.Parameter("g", 1.0), da.Parameter("g", 2.0))}, "g"),
        "time in a mass": ({"bodies": [upper, da.box("lower", 1.0, (1, 1, 1))], "gravity": (0, 0, da.TIME)}, "time"),
    }
    for label, (fields, names) in cases.items():
        yield Attack("Machine", label, lambda f=fields: two_links(**f), names)


def _tables() -> Iterator[Attack]:
    rows = [(0, 0, 1, 0), (0, 0, 1, 0)]
    links = [da.rod(f"link{i}", 1.0, 1.0, com=(-0.5, 0, 0)) for i in (1, 2)]
    yield from attacks(
        "DHRow",
        lambda **f: DHRow(**f),
        {"theta": NUMBERS[:5], "d": ["far"], "a": [NAN], "alpha": [None], "kind": ["screw", None]},
        names="DH",
    )
    wrong: dict[str, Any] = {
        "rows": [3, "rows", [(1, 2)], [(0, 0, NAN, 0)], [(0, 0, 0, 0, "screw")], [None]],
        "base": [3, [(1,)]],
        "tool": ["end"],
    }
    yield from attacks(
        "DHTable",
        lambda **f: DHTable(**{"convention": "classic", "rows": rows, **f}),
        {"convention": ["khalil", None, 3]},
        names="convention",
    )
    yield from attacks(
        "DHTable", lambda **f: DHTable(**{"convention": "classic", "rows": rows, **f}), wrong, names="DH table"
    )
    yield from attacks(
        "DHTable.pose",
        lambda q: DHTable("classic", rows).pose(q),
        {"q": [[0.0], [0.0, NAN], "home", None, [[0.0, 0.0]]]},
    )
    yield from attacks(
        "DHTable.to", lambda c: DHTable("classic", rows).to(c), {"c": ["khalil", None]}, names="convention"
    )
    dh: dict[str, Any] = {
        "table": [3, None, rows],
        "bodies": [[], links[:1], ["a", "b"], 3],
        "joint_names": [["a"], ["a", "a"], [1, 2], 3],
        "motors": ["yes", [3]],
        "gravity": [(1, 2)],
    }
    yield from attacks(
        "machine_from_dh", lambda **f: machine_from_dh(**{"table": DHTable("classic", rows), "bodies": links, **f}), dh
    )


def _near_misses() -> Iterator[Attack]:
    """What looks wrong and is not, and what is allowed but worth a word."""
    legitimate: dict[str, Any] = {
        "an axis by letter": lambda: _joint(axis="x"),
        "an axis of any length": lambda: _joint(axis=(0, 0, 2)),
        "a translation for a placement": lambda: _joint(origin=(1, 0, 0)),
        "a joint that is locked by its limits": lambda: _joint(limits=da.Limits(0.0, 0.0)),
        "a negative gear ratio": lambda: da.Motor("drive", "hinge", ratio=-1.0),
        "a massless body between two joints": lambda: da.Body("link"),
        "no gravity": lambda: two_links(gravity=(0, 0, 0)),
        "a left-handed thread": lambda: _joint(kind="screw", pitch=-0.1),
        "a winch that pays out backwards": lambda: da.Cable("rope", "tool", winch="q1", drum=-0.1),
        "time in a force": lambda: da.Wrench("push", "tool", force=(da.TIME, 0, 0)),
    }
    for label, call in legitimate.items():
        yield Attack("near misses", label, call, "", "legitimate")
    warned: dict[str, tuple[Any, str]] = {
        "limits in degrees": (lambda: _joint(limits=da.Limits(-180.0, 180.0)), "radians"),
        "angles in degrees": (lambda: da.Transform.rpy(0.0, 0.0, 90.0), "radians"),
        "a table in degrees": (lambda: DHTable("classic", [(0, 0, 1, 90.0)]), "radians"),
    }
    for label, (call, names) in warned.items():
        yield Attack("near misses", label, call, names, "warned")


def description_attacks() -> Iterator[Attack]:
    """All of them."""
    for part in (_parts, _shapes, _joints, _constraints, _cables, _beams, _machines, _tables, _near_misses):
        yield from part()
