"""Attacks on verbs, laws, references, files and commands."""

from __future__ import annotations

import contextlib
import functools
import io
import math
from collections.abc import Iterator
from typing import Any

import casadi as ca
import numpy as np
from tests.attacks.harness import Attack, attacks
from tests.attacks.machines import INF, NAN, pendulum, two_links

import dalembert as da
from dalembert.control.lqr import design_lqr
from dalembert.view.animation import animate

__all__ = ["call_attacks", "file_attacks"]

WORDS: list[Any] = ["", "lagrang", None, 3]


@functools.cache
def _eom() -> da.EquationsOfMotion:
    return da.equations(pendulum(), backend="vm")


@functools.cache
def _run() -> da.Run:
    return da.simulate(_eom(), duration=0.01)


@functools.cache
def _held() -> da.Machine:
    """Two links whose end is held on a line, by a constraint that can be switched."""
    return two_links(constraints=[da.BallConstraint("grip", "tool", components="z", switchable=True)])


def _simulate(**f: Any) -> da.Run:
    return da.simulate(_eom(), **{"duration": 0.01, **f})


def _equations() -> Iterator[Attack]:
    yield from attacks(
        "equations",
        lambda **f: da.equations(**{"machine": pendulum(), **f}),
        {
            "machine": [None, 3, "pendulum"],
            "approximation": ["flexx", None],
            "backend": ["gpu", None, 3],
            "coordinates": ["polar", 3],
        },
    )
    yield from attacks("equations", lambda by: da.equations(pendulum(), by), {"by": WORDS}, names="formulation")
    maps: dict[str, Any] = {
        "names": ["", [], [""], ["s", "s"], 3, None],
        "to_machine": [None, 3, "y"],
        "from_machine": [3, "q"],
    }
    yield from attacks(
        "CoordinateMap", lambda **f: da.CoordinateMap(**{"names": ["s"], "to_machine": lambda y, p: y, **f}), maps
    )
    for label, to, back in (
        ("not inverse", lambda y, p: 2 * y, lambda q, p: 2 * q),
        ("singular", lambda y, p: 0 * y, None),
        ("two results", lambda y, p: ca.vertcat(y, y), None),
        ("free symbol", lambda y, p: y * ca.SX.sym("z"), None),
        ("wrong parameter", lambda y, p: y * p["length"], None),
        ("text", lambda y, p: "y", None),
    ):
        yield Attack(
            "CoordinateMap",
            label,
            lambda t=to, b=back: da.equations(pendulum(), coordinates=da.CoordinateMap(["s"], t, b)),
            "CoordinateMap (s)",
        )
    q: list[Any] = [[0.0, 0.0], [], "zero", None, [NAN], {"theta": 0.0}, [[[0.0, 1.0]]], ["a"]]
    functions: dict[str, int] = {
        "mass_matrix": 1,
        "gravity": 1,
        "center_of_mass": 1,
        "coriolis_matrix": 2,
        "bias": 2,
        "energy": 2,
        "momentum": 2,
        "inverse_dynamics": 3,
        "forward_dynamics": 3,
    }
    for name, count in functions.items():
        for wrong in q:
            expected = "refused"
            yield Attack(
                f"eom.{name}",
                f"q={wrong!r}",
                lambda n=name, w=wrong, c=count: getattr(_eom(), n)(w, *[[0.0]] * (c - 1)),
                "q",
                expected,
            )
    for wrong in ([0.0, 0.0], "fast", None, [NAN]):
        yield Attack("eom.bias", f"v={wrong!r}", lambda w=wrong: _eom().bias([0.0], w), "v")
        yield Attack(
            "eom.forward_dynamics", f"tau={wrong!r}", lambda w=wrong: _eom().forward_dynamics([0.0], [0.0], w), "tau"
        )
    for p in ({"k": 1.0}, {"m": -1.0}, {"m": NAN}, {"m": "big"}, [1.0], "heavy", 3.0, {"m": None}):
        yield Attack("eom.mass_matrix", f"p={p!r}", lambda p=p: _eom().mass_matrix([0.0], p=p), "parameter|p ")
    for frame in (None, "tol", 3, ["bob"], ""):
        for name in ("pose", "jacobian"):
            yield Attack(
                f"eom.{name}", f"frame={frame!r}", lambda n=name, f=frame: getattr(_eom(), n)(f, [0.0]), "frame"
            )
    yield from attacks(
        "eom.jacobian", lambda axes: _eom().jacobian("bob", [0.0], axes=axes), {"axes": ["body", None, 3]}
    )
    yield from attacks(
        "eom.wrench_force",
        lambda w: _eom().wrench_force([0.0], w),
        {"w": [3, {"bob": [1.0]}, {"tol": [0.0] * 6}, {"bob": [NAN] * 6}, {"bob": "push"}]},
    )
    yield from attacks("eom.kernel", lambda n: _eom().kernel(n), {"n": ["mass", None, 3, ""]})


def _simulations() -> Iterator[Attack]:
    number: list[Any] = [NAN, INF, 0.0, -1.0, "long", None, [1.0], True]
    wrong: dict[str, Any] = {
        "machine": [None, 3, "pendulum"],
        "duration": number,
        "step": [NAN, INF, 0.0, -1.0, "short", [1.0]],
        "q0": [[0.0, 0.0], {"theta": NAN}, {"tetha": 1.0}, "home", [None], {"theta": "1.0"}, {"theta": [1.0, 2.0]}],
        "v0": [[0.0, 0.0], {"theta_dot": INF}, {"theta": 1.0}, "fast", {"theta_dot": None}],
        "method": ["rk5", "", 3],
        "record": [NAN, 0.0, -1.0, "often"],
        "t0": [NAN, "now", None],
        "p": [{"k": 1.0}, {"m": -1.0}, {"m": NAN}, [1.0], "heavy", {"m": "1"}],
        "control": ["push", [1.0, 2.0], [NAN], {"drive": "x"}, object(), lambda t, q, v: 0.0],
        "events": ["hit", [3], da.Event, [lambda t, q, v: q]],
        "limits": ["halt", None, 3],
        "start": ["run", 3],
        "by": ["lagrang", 3],
        "backend": ["gpu", 3],
        "constraints": ["glue", 3],
        "switches": ["on", [3]],
        "reach": [NAN, -1.0, "far"],
        "max_step": [NAN, 0.0, -1.0],
        "max_steps": [0, -1, 1.5, "many"],
        "on_event": [3, "stop"],
        "progress": ["yes"],
        "check": ["yes"],
    }

    def simulate(**f: Any) -> object:
        return da.simulate(**{"machine": pendulum(), "duration": 0.01, "backend": "vm", **f})

    yield from attacks("simulate", simulate, wrong)
    adaptive: dict[str, Any] = {"rtol": [NAN, 0.0, -1.0, 2.0, "fine"], "atol": [NAN, -1.0, [1e-9, 1e-9, 1e-9], "fine"]}
    yield from attacks("simulate", lambda **f: simulate(method="dopri5", **f), adaptive)
    for label, expression in (
        ("constant", lambda t, q, v: 1.0),
        ("boolean", lambda t, q, v: q > 0),
        ("two", lambda t, q, v: ca.vertcat(q, v)),
        ("text", lambda t, q, v: "q"),
        ("nan", lambda t, q, v: math.sin(t)),
        ("free", lambda t, q, v: q + ca.SX.sym("z")),
        ("fails", lambda t, q, v: q[7]),
    ):
        yield Attack("Event", label, lambda e=expression: _simulate(events=[da.Event("hit", e)]), "hit")
    event: dict[str, Any] = {
        "name": ["", None, 3],
        "expression": [3, None],
        "terminal": ["yes"],
        "direction": [2, "up"],
    }
    yield from attacks(
        "Event",
        lambda **f: _simulate(events=[da.Event(**{"name": "hit", "expression": lambda t, q, v: q - 1, **f})]),
        event,
        names="event",
    )
    twice = [da.Event("hit", lambda t, q, v: q - 1), da.Event("hit", lambda t, q, v: q - 2)]
    yield Attack("Event", "two of one name", lambda: _simulate(events=twice), "hit")
    switch: dict[str, Any] = {"at": [NAN, "now"], "event": ["hit", 3], "on": [["grp"], 3, [3]], "off": [["grp"]]}
    yield from attacks(
        "Switch",
        lambda **f: da.simulate(
            _held(), duration=0.01, backend="vm", switches=[da.Switch(**{"at": 0.005, "on": ["grip"], **f})]
        ),
        switch,
    )
    yield Attack("Switch", "nothing", lambda: da.Switch(at=1.0), "switch")
    yield Attack("Switch", "no constraints", lambda: _simulate(switches=[da.Switch(at=0.1, on=["grip"])]), "constraint")
    controllers: dict[str, Any] = {"function": [3, None, "push"], "period": [0.0, -1.0, NAN, "often", None]}
    yield from attacks(
        "SampledController",
        lambda **f: _simulate(
            control=da.SampledController(**{"function": lambda t, q, v: [0.0], "period": 0.005, **f})
        ),
        controllers,
    )
    for label, function in (
        ("two inputs", lambda t, q, v: [0.0, 0.0]),
        ("nothing", lambda t, q, v: None),
        ("text", lambda t, q, v: "push"),
        ("NaN", lambda t, q, v: [NAN]),
        ("raises", lambda t, q, v: 1 / 0),
    ):
        yield Attack(
            "SampledController",
            label,
            lambda g=function: _simulate(control=da.SampledController(g, 0.005)),
            "controller",
        )


def _rollouts() -> Iterator[Attack]:
    wrong: dict[str, Any] = {
        "machine": [None, 3],
        "duration": [NAN, 0.0, -1.0, "long", None],
        "step": [NAN, 0.0, -1.0, "short"],
        "q0": [np.zeros((3, 2)), {"tetha": 1.0}, {"theta": NAN}, "home", np.zeros((2, 2, 1))],
        "v0": [np.zeros((3, 2)), {"theta": 1.0}, "fast"],
        "p": [{"k": 1.0}, {"m": -1.0}, np.ones((3, 5)), "heavy", {"m": NAN}],
        "method": ["rk5", None.__class__, 3],
        "record": [NAN, 0.0, -1.0],
        "t0": [NAN, "now"],
        "threads": [-1, 1.5, "all"],
        "device": ["tpu", 3],
        "precision": ["half", 3],
        "max_steps": [0, -1, "many"],
        "control": [[NAN], [1.0, 2.0], "push", da.SampledController(lambda t, q, v: [0.0], 0.01)],
    }
    yield from attacks(
        "rollout", lambda **f: da.rollout(**{"machine": _eom(), "duration": 0.01, "q0": np.zeros((2, 1)), **f}), wrong
    )


def _analyses() -> Iterator[Attack]:
    line: dict[str, Any] = {
        "machine": [None, 3],
        "at": [[0.0, 0.0], {"tetha": 0.0}, [NAN], "home", [1.0]],
        "v": [[0.0, 0.0], {"theta": 1.0}],
        "u": [[0.0, 0.0], [NAN], "push"],
        "inputs": [["drve"], 3],
        "outputs": [["tetha"], 3],
        "t": [NAN, "now"],
        "p": [{"k": 1.0}, {"m": -1.0}],
        "tolerance": [NAN, -1.0, "fine"],
        "independent": [["x"]],
        "locked": [["x"]],
        "active": [{"grip": True}],
    }
    yield from attacks("linearize", lambda **f: da.linearize(**{"machine": _eom(), **f}), line)
    yield from attacks(
        "verify",
        lambda **f: da.verify(**{"machine": pendulum(), "samples": 1, **f}),
        {
            "machine": [None, 3, "pendulum"],
            "samples": [0, -1, 1.5, "many", None, True],
            "seed": [-1, "dice", 1.5],
            "tolerance": [0.0, -1.0, NAN, "fine"],
            "backend": ["gpu", 3],
        },
    )
    yield from attacks(
        "closed_form",
        lambda **f: da.closed_form(**{"machine": pendulum(), **f}),
        {"machine": [None, 3], "symbols": ["some", None], "limit": [0, -1, "long", NAN], "coordinates": [3]},
    )
    yield from attacks("closed_form", lambda n: da.closed_form(pendulum()).text(n), {"n": ["mass", None, 3]})
    for verb in (da.linearize, da.closed_form):
        yield from attacks(
            verb.__name__, lambda by, f=verb: f(pendulum(), by=by), {"by": ["lagrang", 3]}, names="formulation"
        )
    goals: list[Any] = [[1.0], "there", None, [NAN, 0, 0], np.eye(3), np.zeros((4, 4)), 3]
    ik: dict[str, Any] = {
        "frame": ["tol", None, 3],
        "target": goals,
        "q0": [[0.0], [NAN, 0.0], "home"],
        "damping": [-1.0, NAN, "some"],
        "tolerance": [0.0, NAN, -1.0],
        "max_iterations": [0, -1, 1.5, "many"],
        "joints": [["q9"], 3, []],
        "restarts": [-1, 1.5, "many"],
        "seed": [-1, "dice"],
        "p": [{"k": 1.0}, "heavy"],
        "eom": [None, 3],
    }
    arm = da.equations(two_links(), backend="vm")
    yield from attacks(
        "inverse_kinematics",
        lambda **f: da.inverse_kinematics(**{"eom": arm, "frame": "tool", "target": [1.0, 0, 1.0], **f}),
        ik,
    )


class _Law:
    """A law of a user."""

    def __init__(self, result: Any, names: Any = (), start: Any = ()) -> None:
        self.result, self.names, self.start = result, names, start

    def state_names(self, eom: Any) -> Any:
        """As given."""
        return self.names

    def initial_state(self, eom: Any) -> Any:
        """As given."""
        return self.start

    def expression(self, eom: Any, t: Any, q: Any, v: Any, z: Any, p: Any) -> Any:
        """As given."""
        return self.result(t, q, v)


def _laws() -> Iterator[Attack]:
    gains: list[Any] = [NAN, INF, -1.0, [1.0, 2.0], "stiff", None]
    references: list[Any] = [
        [0.0, 0.0],
        "home",
        NAN,
        None,
        math.sin,
        lambda t: "x",
        lambda t: ca.vertcat(t, t),
        lambda t: 1 / 0,
        lambda t: t * ca.SX.sym("z"),
    ]
    good: dict[str, Any] = {"kp": 1.0, "kd": 1.0, "reference": 0.0}
    for law, more in ((da.PD, {}), (da.PID, {"ki": 1.0}), (da.ComputedTorque, {})):
        wrong = {key: gains for key in {**good, **more} if key != "reference"} | {"reference": references}
        yield from attacks(
            law.__name__, lambda w=law, g={**good, **more}, **f: _simulate(control=w(**{**g, **f})), wrong
        )
    yield from attacks(
        "PID", lambda **f: _simulate(control=da.PID(**good, ki=1.0, **f)), {"tracking_time": [0.0, -1.0, NAN, "slow"]}
    )
    yield from attacks(
        "GravityCompensation", lambda **f: _simulate(control=da.GravityCompensation(**f)), {"damping": gains}
    )
    yield Attack(
        "ComputedTorque",
        "no motors",
        lambda: da.simulate(two_links(), duration=0.01, control=da.ComputedTorque(1.0, 1.0, [0.0, 0.0])),
        "motor",
    )
    for label, result in (
        ("one result", lambda t, q, v: -q),
        ("three results", lambda t, q, v: (-q, [], [])),
        ("free symbols", lambda t, q, v: (-q * ca.SX.sym("gain"), [])),
        ("two inputs", lambda t, q, v: (ca.vertcat(q, q), [])),
        ("unwanted rates", lambda t, q, v: (-q, q)),
        ("fails", lambda t, q, v: q["theta"]),
        ("NaN", lambda t, q, v: (math.sin(t), [])),
        ("text", lambda t, q, v: ("push", [])),
    ):
        yield Attack("own law", label, lambda r=result: _simulate(control=_Law(r)), "law _Law")
    for label, names, start in (
        ("names", "e", [0.0]),
        ("start", ("e",), [NAN]),
        ("length", ("e",), [0.0, 0.0]),
        ("text", ("e",), "0"),
    ):
        yield Attack(
            "own law",
            label,
            lambda n=names, s=start: _simulate(control=_Law(lambda t, q, v: (-q, q), n, s)),
            "law _Law",
        )
    move: dict[str, Any] = {
        "start": [NAN, "home", None, [[0.0]]],
        "end": [[1.0, 2.0], INF, "there"],
        "duration": [0.0, -1.0, NAN, "long", None],
        "delay": [-1.0, NAN, "late", None],
    }
    yield from attacks("Quintic", lambda **f: da.Quintic(**{"start": 0.0, "end": 1.0, "duration": 1.0, **f}), move)
    sine: dict[str, Any] = {
        "center": [NAN, "home"],
        "amplitude": [[1.0, 2.0, 3.0], NAN, None],
        "frequency": [NAN, "often", None],
        "phase": [[1.0, 2.0, 3.0], "late"],
    }
    yield from attacks(
        "Sine",
        lambda **f: da.Sine(**{"center": [0.0, 0.0], "amplitude": 1.0, "frequency": 1.0, **f}),
        sine,
        names="Sine",
    )
    weights: list[Any] = [NAN, -1.0, "big", [1.0], [[1.0, 0.5], [0.0, 1.0]], {"tetha": 1.0}, {"theta": "big"}, None]
    yield from attacks(
        "design_lqr",
        lambda **f: design_lqr(_eom(), **f),
        {"Q": weights, "R": [NAN, 0.0, -1.0, [1.0, 2.0], "big", None]},
    )
    yield Attack(
        "design_lqr", "reference", lambda: _simulate(control=design_lqr(_eom(), reference=[0.0, 0.0, 0.0])), "reference"
    )
    for label, make in (
        ("math.sin", lambda: math.sin(da.TIME)),  # type: ignore[arg-type]
        ("float", lambda: float(da.Parameter("m", 1.0))),  # type: ignore[arg-type]
        ("truth", lambda: bool(da.TIME)),
        ("sin of text", lambda: da.sin("x")),  # type: ignore[arg-type]
        ("sum with text", lambda: da.TIME + "x"),  # type: ignore[operator]
        ("smoothstep of text", lambda: da.smoothstep("x")),
    ):
        yield Attack("expressions", label, make, "")


# --- files and commands -----------------------------------------------------------------------------------------------

_YAML = """name: pendulum
bodies:
  bob: {mass: 1.0, com: [0, 0, -1]}
joints:
  theta: {kind: revolute, parent: world, child: bob, axis: [0, 1, 0]}
"""
_EDITS = """
mass: 1.0 -> mass: -1
mass: 1.0 -> mass: heavy
mass: 1.0 -> mass: .nan
mass: 1.0 -> mas: 1.0
mass: 1.0 -> mass: [1, 2]
mass: 1.0 -> mass: 1/0
mass: 1.0 -> mass: __import__('os')
mass: 1.0 -> mass: 'm'
mass: 1.0 -> mass: true
mass: 1.0 -> mass: null
com: [0, 0, -1] -> com: [0, 0]
com: [0, 0, -1] -> com: here
kind: revolute -> kind: revolut
kind: revolute -> kind: 3
parent: world -> parent: wrld
child: bob -> child: bb
axis: [0, 1, 0] -> axis: [0, 0, 0]
axis: [0, 1, 0] -> axis: [0, 1]
axis: [0, 1, 0] -> axs: [0, 1, 0]
, child: bob -> (nothing)
joints: -> joint:
bodies: -> bodies: 3|others:
name: pendulum -> name: [a]
name: pendulum -> nme: p
  theta: ->   bob:|  theta:
"""
_EXTRAS = """
motors: {drive: {joint: thta}}
motors: {drive: {joint: theta, ratio: 0}}
motors: [drive]
frames: {tool: {body: bb}}
constraints: {rod: {type: distance, length: 1.0}}
constraints: {rod: {type: distance, frame: bob}}
constraints: {rod: {type: rod}}
constraints: {rod: {type: ball, frame: bob, length: 2}}
constraints: {rod: {type: gear}}
constraints: {rod: 3}
constraints: {rod: {frame: bob}}
cables: {rope: {anchor: bb}}
cables: {rope: {}}
cables: {rope: {anchor: bob, stiffness: -1}}
wrenches: {push: {frame: bb}}
couplings: {theta: {leader: phi}}
gravity: [0, 0]
gravity: down
parameters: {m: heavy}
parameters: {1m: 1.0}
parameters: [m]
simulation: {duration: -1}
simulation: {duration: long}
simulation: {method: rk5}
simulation: {q0: {phi: 1.0}}
simulation: {steps: 3}
simulation: {q0: [1.0, 2.0]}
simulation: {q0: 1.0}
simulation: {events: [{name: low}]}
simulation: {events: [{name: low, expression: "theta +"}]}
simulation: {method: {rtol: 1.0e-6}}
simulation: {method: {name: rk4, rtol: 1.0e-6}}
simulation: 3
extra: 1
bodies: {bob: {mass: 1}}
beams: 3
"""
_URDF = """<robot name="pendulum"><link name="base"/><link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="theta" type="revolute"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
_URDF_EDITS = """
mass value="1" -> mass value="-1"
mass value="1" -> mass value="heavy"
mass value="1" -> mass value="nan"
mass value="1" -> mass
ixx="1" -> ixx="9"
ixx="1" -> ixx="big"
ixx="1"  -> (nothing)
type="revolute" -> type="revolut"
 type="revolute" -> (nothing)
parent link="base" -> parent link="bse"
child link="bob" -> child link="bb"
<child link="bob"/> -> (nothing)
xyz="0 1 0" -> xyz="0 0 0"
xyz="0 1 0" -> xyz="0 1"
lower="-1" -> lower="2"
lower="-1" -> lower="low"
</robot> -> (nothing)
<robot -> <robt
name="bob" -> name="base"
xyz="0 0 -1" -> xyz="0 0"
name="theta" -> name=""
xyz="0 0 -1" -> xyz="0 0 -1" rpy="0 0"
<robot name -> <!DOCTYPE r [<!ENTITY a "b">]><robot name
velocity="1"/> -> velocity="1"/><mimic joint="phi"/>
velocity="1"/> -> velocity="fast"/>
<link name="base"/> -> (nothing)
"""


def _edits(text: str) -> Iterator[tuple[str, str]]:
    """Pairs ``old -> new``, one per line; ``|`` in the new text begins a line."""
    for line in text.split("\n")[1:-1]:
        old, _, new = line.partition(" -> ")
        yield old, "" if new == "(nothing)" else new.replace("|", "\n")


def _sources() -> Iterator[Attack]:
    for old, new in _edits(_EDITS):
        text = _YAML.replace(old, new)
        yield Attack("load_machine", f"{old} -> {new}", lambda t=text: da.load_machine(t))
    for extra in _EXTRAS.split("\n")[1:-1]:
        yield Attack("load_machine", extra, lambda e=extra: da.load_simulation(_YAML + e + "\n"), "")
    texts: list[Any] = [
        None,
        3,
        "",
        "missing.yaml",
        "/",
        "/dev/null",
        "[",
        "a: b: c",
        "name: x",
        "- 1",
        "\0",
        b"name: x",
        "name: *x",
        "x" * 5000,
    ]
    yield from attacks("load_machine", lambda source: da.load_machine(source), {"source": texts})
    for old, new in _edits(_URDF_EDITS):
        text = _URDF.replace(old, new)
        yield Attack("load_urdf", f"{old} -> {new}", lambda t=text: da.load_urdf(t))
    texts = [
        None,
        3,
        "",
        "missing.urdf",
        "/",
        "/dev/null",
        "/dev/zero",
        "<robot",
        "<robot/>",
        "\0",
        b"<robot/>",
        "x" * 5000,
    ]
    yield from attacks("load_urdf", lambda source: da.load_urdf(source), {"source": texts})
    options: dict[str, Any] = {
        "mimic": ["maybe", None],
        "inertia": ["ignore", 3],
        "lock": [["phi"], {"theta": "x"}, 3, {"theta": NAN}],
        "gravity": [(1, 2), "down"],
        "name": [""],
    }
    yield from attacks("load_urdf", lambda **f: da.load_urdf(_URDF, **f), options)


def _run_files() -> Iterator[Attack]:
    yield from attacks(
        "load_run",
        lambda path: da.load_run(path),
        {"path": [None, 3, "", "missing.nc", "/", "/dev/null", "/dev/zero", "\0", __file__]},
    )
    signals: list[Any] = ["tetha", None, 3, ("theta",), ""]
    yield from attacks("run[...]", lambda name: _run()[name], {"name": signals}, names="signal")
    yield from attacks(
        "run.array", lambda names: _run().array(names), {"names": [["tetha"], "tetha", [3]]}, names="signal"
    )
    yield from attacks(
        "run.append", lambda later: _run().append(later), {"later": ["x", None, 3]}, names="continuation"
    )
    yield Attack(
        "run.append",
        "another machine",
        lambda: _run().append(da.simulate(two_links(), duration=0.01, backend="vm")),
        "names",
    )
    yield Attack("run.append", "another time", lambda: _run().append(_run()), "start")
    places: list[Any] = [None, 3, "missing/run", "/", "\0"]
    for name, write in (
        ("save", lambda p: _run().save(p)),
        ("to_csv", lambda p: _run().to_csv(p)),
        ("plot", lambda p: _run().plot(path=p)),
    ):
        wrong = places[1:] if name == "plot" else places
        yield from attacks(f"run.{name}", lambda path, w=write: w(path), {"path": wrong})
    yield from attacks("run.plot", lambda names: _run().plot(names), {"names": [["tetha"], [], 3, [3]]})
    yield Attack("run.plot", "path=run.xyz", lambda: _run().plot(path="run.xyz"), ".png")
    yield from attacks(
        "machine.to_yaml", lambda path: pendulum().to_yaml(path), {"path": [3, "missing/m.yaml", "/", "\0"]}
    )
    films: dict[str, Any] = {
        "run": [pendulum(), None, "run"],
        "machine": [3, "pendulum"],
        "path": ["film.xyz", 3, "missing/a.gif"],
        "fps": [0.0, -1.0, NAN, "fast"],
        "speed": [0.0, NAN],
        "trace": [["tol"], 3],
    }
    yield from attacks(
        "animate", lambda **f: animate(**{"run": _run(), "machine": pendulum(), "path": "film.gif", **f}), films
    )
    yield from attacks(
        "export_c",
        lambda **f: _eom().export_c(**{"folder": "c", "functions": ["gravity"], **f}),
        {"folder": [3, "/dev/null/c"], "functions": [["mass"], [], 3, [3]], "name": ["", "a b", "for", 3]},
    )


_OPTIONS = """
--duration: -1, long, nan, 0
--method: rk5
--step: -1, 0, nan, short
--rtol: 2
--record: -1, 0
--q0: theta, theta=x, phi=1, theta=nan, =1
--v0: theta=1, x
-p: k=1, m=-1, m
--start: missing.nc, /
--out: missing/run.nc, /
--csv: missing/run.csv
--plot: run.xyz, missing/run.png
--by: lagrang
--constraints: glue
--backend: gpu
--limits: halt
--t0: now, nan
--max-steps: 0, many
--wrong: 1
"""
_LINES = """
simulate
simulate missing.yaml
simulate /
simulate /dev/null
verify
verify pendlum
verify actuated-pendulum --samples 0
verify actuated-pendulum --samples x
verify actuated-pendulum --tolerance -1
verify actuated-pendulum --seed -1
systems show pendlum
systems --yaml pendlum
reproduce nothing
bench nothing
bench --robot r2d2
bench chains --quantity inverse
bench --json --out x.json
bench --out missing/x.json
plot missing.nc
animate missing.nc
dance
demo --out /dev/null/x
"""


def _command(*arguments: str) -> None:
    """A command; its refusals are raised as our own, what it says on the way are our warnings."""
    from dalembert.cli.app import run

    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        status = run(arguments)
    if "Traceback" in said.getvalue():
        raise RuntimeError(said.getvalue())
    if status:
        raise da.InputError(said.getvalue() or f"exit status {status}")


def _commands() -> Iterator[Attack]:
    for option in _OPTIONS.split("\n")[1:-1]:
        name, _, values = option.partition(": ")
        for value in values.split(", "):
            arguments = ["simulate", "actuated-pendulum", name, value]
            yield Attack("dalembert simulate", f"{name} {value}", lambda a=arguments: _command(*a))
    for line in _LINES.split("\n")[1:-1]:
        yield Attack("dalembert", line, lambda a=line: _command(*a.split()))


def call_attacks() -> Iterator[Attack]:
    """Attacks on verbs."""
    for part in (_equations, _simulations, _rollouts, _analyses, _laws):
        yield from part()


def file_attacks() -> Iterator[Attack]:
    """Attacks on files and commands, in a folder of their own."""
    for part in (_sources, _run_files, _commands):
        yield from part()
