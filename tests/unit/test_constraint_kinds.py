"""The contract of a kind of constraint (`dalembert.model.constraints.kind`), checked for every kind there is.

`RackConstraint` is one from outside the package, complete as it stands here. Each kind has cases in `CASES` with its
rows written once more in NumPy; a kind without one fails `test_every_kind_has_a_case`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import casadi as ca
import numpy as np
import pytest
from tests.support.random_machines import random_machine

import dalembert as da
from dalembert.core.errors import DalembertError, FileFormatError, MachineError
from dalembert.core.parameter import Scalar
from dalembert.core.types import Array
from dalembert.formulations.constraints.projection import consistent_state
from dalembert.io.json_schema import machine_json_schema
from dalembert.io.machine_check import check_machine
from dalembert.io.units import machine_units
from dalembert.model.constraints import (
    CONSTRAINT_KINDS,
    BallConstraint,
    Constraint,
    FramePair,
    RowContext,
    register_constraint,
)
from dalembert.model.context import MachineContext
from dalembert.model.kind_fields import Axis, JointName
from dalembert.view.scene_builder import build_scene


@dataclass(frozen=True)
class RackConstraint(FramePair):
    """Rack and pinion: the origin of ``frame`` moves along ``axis`` of ``other`` as a joint turns.

    Parameters
    ----------
    joint
        The pinion.
    radius
        Its radius; negative if the rack is on the other side.
    axis
        Direction of the rack in ``other``.
    shift
        Position along the rack at zero angle.
    """

    joint: JointName = field(kw_only=True)
    radius: Scalar = field(kw_only=True)
    axis: Axis = (1.0, 0.0, 0.0)
    shift: Scalar = 0.0

    key = "rack"

    def rows(self, context: RowContext) -> ca.SX:
        """``axis . p - radius q - shift``."""
        _, p = self.relative_pose(context)
        turned = context.value(self.radius) * context.coordinate(self.joint)
        return ca.dot(ca.DM(self.axis), p) - turned - context.value(self.shift)

    @property
    def multiplier_units(self) -> tuple[str, ...]:
        """The force of the teeth."""
        return ("N",)

    def rods(self, context: MachineContext) -> tuple[tuple[ca.SX, ca.SX], ...]:
        """The rack from its zero to the frame."""
        R, p = context.pose(self.other)
        return ((p, p + R @ ca.DM(self.axis)),)


@pytest.fixture(autouse=True)
def registered(registers: None) -> None:
    """Register the kind for the tests of this module; elsewhere the function is a decorator of the class."""
    register_constraint(RackConstraint)


Rows = Callable[[Array, Array, Array, float], Array]
"""Rows of a case in NumPy: of the pose ``R, p`` of the frame in the other, the two joint coordinates and the time."""


@dataclass(frozen=True, eq=False)
class Case:
    """A constraint of frame ``end`` in frame ``seat``, a pose that it admits, and its rows written independently."""

    constraint: Constraint
    R: Array
    p: Array
    rows: Rows


def turn(axis: Array, angle: float) -> Array:
    """Rotation about a unit vector, by Rodrigues' formula."""
    K = np.cross(np.eye(3), axis)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def unit(rng: np.random.Generator) -> Array:
    x = rng.normal(size=3)
    return np.asarray(x / np.linalg.norm(x))


def crossing(n: Array) -> Array:
    """Two unit vectors across ``n`` as rows: across its least component, and what completes them."""
    first = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(n, first)])


def twist(R: Array) -> Array:
    """``sin(angle) axis`` of a rotation."""
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2


def held(text: str) -> list[int]:
    return ["xyz".index(k) for k in text]


def make_cases(seed: int = 0) -> dict[str, Case]:
    """Cases by name; the first word is the key of the kind."""
    rng = np.random.default_rng(seed)
    a, b = unit(rng), unit(rng)
    Q, s = turn(unit(rng), 0.7), rng.normal(size=3)
    zero, eye = np.zeros(3), np.eye(3)
    wave = 0.1 * da.sin(da.TIME)
    cross = np.cross(Q @ a, b)
    sine = float(np.linalg.norm(cross))
    onto_b = turn(cross / sine, float(np.arctan2(sine, Q @ a @ b))) @ Q
    angle = float(np.arccos(b @ Q @ a))
    ends = ("end", "seat")
    return {
        "ball xyz": Case(da.BallConstraint("c", *ends), Q, zero, lambda R, p, q, t: p),
        "ball zx": Case(da.BallConstraint("c", *ends, "zx"), Q, s * [0, 1, 0], lambda R, p, q, t: p[held("zx")]),
        "distance": Case(
            da.DistanceConstraint("c", *ends, length=da.Parameter("l", float(np.linalg.norm(s))) + wave), Q, s,
            lambda R, p, q, t: [np.sqrt(p @ p) - np.linalg.norm(s) - 0.1 * np.sin(t)],
        ),
        "weld": Case(
            da.WeldConstraint("c", *ends, da.Transform(tuple(s), Q)), Q, s,
            lambda R, p, q, t: [*(p - s), *twist(Q.T @ R)],
        ),
        "parallel": Case(
            da.ParallelConstraint("c", *ends, tuple(a), tuple(b)), onto_b, s, lambda R, p, q, t: crossing(b) @ R @ a
        ),
        "orthogonal": Case(
            da.OrthogonalConstraint("c", *ends, tuple(a), tuple(b), angle), Q, s,
            lambda R, p, q, t: [b @ R @ a - np.cos(angle)],
        ),
        "loop ball": Case(da.LoopConstraint("c", *ends, "ball", tuple(a)), Q, zero, lambda R, p, q, t: p),
        "loop revolute": Case(
            da.LoopConstraint("c", *ends, "revolute", tuple(a)), turn(a, 0.4), zero,
            lambda R, p, q, t: [*p, *(crossing(a) @ R @ a)],
        ),
        "loop prismatic": Case(
            da.LoopConstraint("c", *ends, "prismatic", tuple(a)), eye, 0.3 * a,
            lambda R, p, q, t: [*(crossing(a) @ p), *twist(R)],
        ),
        "loop cylindrical": Case(
            da.LoopConstraint("c", *ends, "cylindrical", tuple(a)), turn(a, 0.4), 0.3 * a,
            lambda R, p, q, t: [*(crossing(a) @ p), *(crossing(a) @ R @ a)],
        ),
        "loop fixed": Case(da.LoopConstraint("c", *ends, "fixed"), eye, zero, lambda R, p, q, t: [*p, *twist(R)]),
        "gear": Case(
            da.GearConstraint("c", {"one": da.Parameter("g", 2.0), "two": -0.5}, 0.7 + wave),
            Q, s, lambda R, p, q, t: [2.0 * q[0] - 0.5 * q[1] - 0.7 - 0.1 * np.sin(t)],
        ),
        "motion joint": Case(
            da.MotionConstraint("c", joint="one", value=0.3 + wave), Q, s,
            lambda R, p, q, t: [q[0] - 0.3 - 0.1 * np.sin(t)],
        ),
        "rack": Case(
            RackConstraint("c", *ends, joint="one", radius=0.4, axis=tuple(a), shift=float(a @ s) - 0.12), Q, s,
            lambda R, p, q, t: [a @ p - 0.4 * q[0] - (a @ s - 0.12)],
        ),
    }  # fmt: skip


CASES = make_cases()
START = {"one": 0.3, "two": -0.2}


def machine_of(case: Case, seed: int = 1) -> tuple[da.Machine, Array]:
    """A random floating arm and a floating carrier with the constraint, and a configuration that it admits."""
    options = {"springs": False, "losses": False, "motors": False, "massless": False}
    arm = random_machine(seed, 3, kinds=("revolute",), base="free", **options)
    names = iter(START)
    joints = [replace(j, name=next(names) if j.kind == "revolute" else "base") for j in arm.joints]
    bare = arm.with_(
        bodies=[*arm.bodies, da.box("carrier", 2.0, (0.3, 0.4, 0.5))],
        joints=[*joints, da.Joint("carriage", "free", "world", "carrier")],
        frames=[da.Frame("end", "body 2", da.Transform.rpy(0.1, 0.2, 0.3, (0.1, 0.0, 0.2)))],
    )
    eom = da.equations(bare, backend="vm")
    q = eom.random_configuration(np.random.default_rng(seed))
    for joint, angle in START.items():
        q[bare.q_names.index(joint)] = angle
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = case.R, case.p
    seat = np.linalg.inv(eom.pose("carrier", q)) @ eom.pose("end", q) @ np.linalg.inv(X)
    placed = da.Transform(tuple(seat[:3, 3]), seat[:3, :3])
    return bare.with_(frames=[*bare.frames, da.Frame("seat", "carrier", placed)], constraints=[case.constraint]), q


def expected_rows(case: Case, eom: da.EquationsOfMotion, q: Array, t: float) -> Array:
    X = np.linalg.inv(eom.pose("seat", q)) @ eom.pose("end", q)
    coordinates = np.array([q[eom.machine.q_names.index(joint)] for joint in START])
    return np.array(case.rows(X[:3, :3], X[:3, 3], coordinates, t))


def test_every_kind_has_a_case() -> None:
    assert {name.split()[0] for name in CASES} == set(CONSTRAINT_KINDS)
    assert all(kind.key == key for key, kind in CONSTRAINT_KINDS.items())


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", CASES)
def test_rows_are_those_of_the_definition_and_independent(name: str, seed: int) -> None:
    case = CASES[name]
    machine, q = machine_of(case, seed)
    eom = da.equations(machine, backend="vm")
    assert np.allclose(eom.constraints(q), 0.0, atol=1e-12)
    J = eom.constraint_jacobian(q)
    assert np.linalg.matrix_rank(J, tol=1e-9) == len(J)
    away = eom.integrate(q, np.random.default_rng(2).normal(size=eom.nv))
    expected = expected_rows(case, eom, away, 0.6)
    assert np.abs(expected).max() > 1e-3
    assert np.allclose(eom.constraints(away, t=0.6), expected, rtol=0.0, atol=1e-12)
    units = case.constraint.multiplier_units
    assert len(units) in (0, len(J))


@pytest.mark.parametrize("name", CASES)
def test_rates_of_the_rows_are_their_derivatives(name: str) -> None:
    """``Phi' = J v + Phi_t`` and ``Phi'' = J v' - gamma`` by central differences along a motion, to second order."""
    machine, q0 = machine_of(CASES[name])
    eom = da.equations(machine, backend="vm")
    rng = np.random.default_rng(3)
    q, t, h = eom.integrate(q0, 0.1 * rng.normal(size=eom.nv)), 0.4, 1e-5
    v, a = rng.normal(size=(2, eom.nv))

    def moved(s: float) -> tuple[Array, Array, float]:
        # rates of a free joint are body-fixed: a step with the mean velocity is exact to second order
        return eom.integrate(q, s * v + s * s / 2 * a), v + s * a, t + s

    (q1, v1, t1), (q2, v2, t2) = moved(-h), moved(h)
    rate = (eom.constraints(q2, t=t2) - eom.constraints(q1, t=t1)) / (2 * h)
    assert np.allclose(eom.constraint_velocity(q, v, t=t), rate, rtol=0.0, atol=1e-7)
    J = eom.constraint_jacobian(q, t=t)
    columns = np.column_stack(
        [
            (eom.constraints(eom.integrate(q, h * e), t=t) - eom.constraints(eom.integrate(q, -h * e), t=t)) / (2 * h)
            for e in np.eye(eom.nv)
        ]
    )
    assert np.allclose(J, columns, rtol=0.0, atol=1e-7)
    second = (eom.constraint_velocity(q2, v2, t=t2) - eom.constraint_velocity(q1, v1, t=t1)) / (2 * h)
    assert np.allclose(J @ a - eom.constraint_rhs(q, v, t=t), second, rtol=0.0, atol=1e-6)


QUICK = ("ball xyz", "gear")  # the others run in make test-slow: each compiles the machine by two formulations


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in CASES])
def test_runs_keep_energy_and_agree_between_formulations(name: str) -> None:
    """Trees and natural coordinates differ by the error of the steps only, which have order four."""
    machine, q = machine_of(CASES[name])
    eom = da.equations(machine, backend="vm")
    start = consistent_state(eom, q, 0.5 * np.random.default_rng(4).normal(size=eom.nv))
    ends = {}
    for by in ("newton-euler", "natural"):
        run = da.simulate(machine, by=by, duration=0.2, step=2e-3, method="rk4", q0=start.q, v0=start.v, backend="vm")
        assert run.energy.drift < 1e-7
        ends[by] = run.array(machine.q_names)[-1]
    assert np.abs(ends["newton-euler"] - start.q).max() > 1e-3
    assert np.allclose(ends["newton-euler"], ends["natural"], rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("name", CASES)
def test_machine_files_give_every_kind_back(name: str) -> None:
    machine, _ = machine_of(CASES[name])
    assert da.load_machine(machine.to_yaml()) == machine


@pytest.mark.parametrize("name", CASES)
def test_pictures_show_every_kind(name: str) -> None:
    """Rods start and end where their frames are."""
    machine, q = machine_of(CASES[name])
    scene = build_scene(machine)
    rods = [part for part in scene.links if part.kind == "rod"]
    assert len(rods) == (name in ("distance", "rack"))
    p = [parameter.value for parameter in machine.parameters]
    points = scene.kernel(q, 0.0, *([p] if p else []))[0]
    eom = da.equations(machine, backend="vm")
    end, seat = (eom.pose(frame, q)[:3] for frame in ("end", "seat"))
    for rod in rods:
        start, stop = end[:, 3], seat[:, 3]
        if name == "rack":
            start, stop = seat[:, 3], seat @ [*CASES["rack"].constraint.axis, 1.0]
        assert np.allclose(points[list(rod.ends)], [start, stop], rtol=0.0, atol=1e-12)


def test_a_weld_holds_the_pose_in_which_it_begins() -> None:
    case = CASES["weld"]
    machine, q = machine_of(replace(case, constraint=da.WeldConstraint("c", "end", "seat")))
    eom = da.equations(machine, backend="vm")
    latches = eom.measured_latches(
        q[None], t=0.0, p=np.zeros((1, 0)), latches=eom.constraint_system.latch_nominal[None]
    )[0]
    away = eom.integrate(q, np.random.default_rng(2).normal(size=eom.nv))
    expected = expected_rows(case, eom, away, 0.0)
    assert np.allclose(eom.constraints(away, latches=latches), expected, rtol=0.0, atol=1e-12)


def test_a_motion_may_be_that_of_a_frame() -> None:
    case = CASES["motion joint"]
    machine, q = machine_of(
        Case(da.MotionConstraint("c", frame="end", component="y", value=0.2), case.R, case.p, case.rows)
    )
    eom = da.equations(machine, backend="vm")
    assert eom.constraints(q) == pytest.approx([eom.pose("end", q)[1, 3] - 0.2])


def test_a_kind_from_outside_is_taken_everywhere() -> None:
    machine, _ = machine_of(CASES["rack"])
    assert da.verify(machine, samples=1).ok
    entry = machine_json_schema()["$defs"]["ConstraintEntry"]["properties"]
    assert "rack" in entry["type"]["enum"]
    assert "radius" in entry
    assert machine_units(machine)["multiplier.c"] == "N"


RACK_FILE = """
name: rack
bodies:
  slide: {mass: 1.0}
  pinion: {mass: 1.0, inertia: [1, 1, 1]}
joints:
  x: {kind: prismatic, parent: world, child: slide, axis: x}
  turn: {kind: revolute, parent: world, child: pinion}
constraints:
  teeth: {type: rack, frame: slide, joint: turn, radius: 0.5}
"""


def test_a_pinion_moves_its_rack() -> None:
    """A torque on the pinion sees its inertia and that of the rack: ``tau = (I + m r^2) alpha``, ``x = r angle``."""
    eom = da.equations(da.load_machine(RACK_FILE), backend="vm")
    solution = eom.constrained_dynamics([0.0, 0.0], [0.0, 0.0], [2.5, 0.0])
    assert eom.machine.q_names == ("turn", "x")
    assert np.allclose(solution.acceleration, [2.0, 1.0])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("radius: 0.5", "length: 0.5", r":10: .*a constraint of type 'rack' takes active, axis, .*, got 'length'"),
        (", radius: 0.5", "", r":10: .*a constraint of type 'rack' needs 'radius'"),
        ("radius: 0.5", "radius: [1]", r":10: .*radius must be a number or an expression of parameters"),
        ("joint: turn", "joint: tern", r"no joint with one coordinate named 'tern'.*turn"),
        ("type: rack", "type: ruck", r":10: .*type must be .*'rack'.*, got 'ruck'; import .*register_constraint"),
        ("radius: 0.5", "radius: 0.5, axis: u", r":10: .*axis must be 3 numbers or one of x, y, z"),
    ],
)
def test_mistakes_in_files_have_their_line(old: str, new: str, message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        da.load_machine(RACK_FILE.replace(old, new))
    assert len(check_machine(RACK_FILE.replace(old, new))) == 1


def test_a_kind_that_is_not_registered_is_refused_by_name() -> None:
    class OddConstraint(BallConstraint):
        """A subclass that nobody registered."""

    machine, _ = machine_of(CASES["ball xyz"])
    with pytest.raises(
        MachineError, match=r"constraint 'odd' is of the class OddConstraint.*@dalembert.model.register_constraint"
    ):
        machine.with_(constraints=[OddConstraint("odd", "end", "seat")])


def _kind(name: str, base: type = FramePair, **members: object) -> type:
    return dataclass(frozen=True)(type(name, (base,), {"rows": lambda self, context: ca.SX(0), **members}))


def test_what_cannot_be_registered_is_refused() -> None:
    register: Callable[[object], object] = register_constraint  # type: ignore[assignment]
    twice = {"key": "twice", "__annotations__": {"length": str}, "length": ""}
    refusals = {
        "must inherit": int,
        "needs a 'key'": _kind("Nameless"),
        "has the key 'ball', which belongs to BallConstraint": _kind("Ball", key="ball"),
        "must define rows": dataclass(frozen=True)(type("Empty", (FramePair,), {"key": "empty"})),
        "field 'length' of Twice is a str, but a Scalar in DistanceConstraint": _kind("Twice", **twice),
        "has the type .*complex": _kind("Complex", key="z", __annotations__={"z": complex}, z=0j),
        "must inherit dalembert.model.FramePair": _kind("Holder", Constraint, key="h", holds_pose=property(bool)),
    }
    before = dict(CONSTRAINT_KINDS)
    for message, kind in refusals.items():
        with pytest.raises(DalembertError, match=message):
            register(kind)
    assert before == CONSTRAINT_KINDS


def test_a_kind_that_is_defined_again_takes_the_place_of_the_first() -> None:
    first, second = (_kind("Again", key="again") for _ in range(2))
    register_constraint(first)
    register_constraint(second)
    assert CONSTRAINT_KINDS["again"] is second
