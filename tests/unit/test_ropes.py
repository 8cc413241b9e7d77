"""Ropes over sheaves: their way against a numerical shortest path, their rows, and what they do in machines."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.optimize import minimize

import dalembert as da
from dalembert.core.errors import DalembertError, InputError, MachineError
from dalembert.model.ropes.tangents import Circle, line_between
from dalembert.studies.ropes.machines import CRANE_START, atwood, peg_pendulum, tackle, tower_crane
from dalembert.view import build_scene

G = 9.81


def numbers(x: object) -> np.ndarray:
    return np.array(ca.DM(ca.evalf(ca.SX(x))).full())[:, 0]


# -- geometry ----------------------------------------------------------------------------------------------------------


def machine_of(rope: da.Rope, *frames: da.Frame) -> da.Machine:
    """A machine with a mass on a free joint, besides which the rope runs in the world."""
    joint = da.Joint("free", "free", "world", "load")
    return da.Machine("line", [da.box("load", mass=1.0, size=(1, 1, 1))], [joint], frames=frames, ropes=[rope])


def random_path(rng: np.random.Generator, count: int, tilt: float) -> da.Rope:
    """Wheels along a zigzag, well apart, with axes near +-y, their sides as the corners ask."""
    points = np.array([[1.5 * k, 0.0, (-1) ** k * rng.uniform(0.5, 1.0)] for k in range(count + 2)])
    points[:, 1] += tilt * rng.uniform(-0.5, 0.5, len(points))
    path: list[da.model.PathElement] = [da.Anchor("world", tuple(points[0]))]
    for k in range(1, count + 1):
        turn = np.cross(points[k] - points[k - 1], points[k + 1] - points[k])
        axis = turn / np.linalg.norm(turn) + tilt * rng.uniform(-0.3, 0.3, 3) if tilt else np.sign(turn)
        path.append(da.Sheave("world", rng.uniform(0.1, 0.4), tuple(axis), at=tuple(points[k]), name=f"s{k}"))
    return da.Rope("r", [*path, da.Anchor("world", tuple(points[-1]))])


def shortest(rope: da.Rope) -> tuple[float, np.ndarray]:
    """Length and wraps of the shortest way that follows the rims and passes through no wheel, by optimisation.

    Unknown are the angles at which the rope meets and leaves each wheel; a line must not run into the wheel that it
    leaves, nor come out of the one that it meets.
    """
    wheels = rope.path[1:-1]
    ends = [np.array(rope.path[k].at) for k in (0, -1)]
    axes = [np.array(w.axis) for w in wheels]
    centres = [np.array(w.at) for w in wheels]
    before = [ends[0], *centres[:-1]]
    first = []
    for n, c, b in zip(axes, centres, before, strict=True):
        e = b - c - (b - c) @ n * n
        first.append(e / np.linalg.norm(e))

    def rim(k: int, angle: float) -> np.ndarray:
        return math.cos(angle) * first[k] + math.sin(angle) * np.cross(axes[k], first[k])

    def spans(x: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        at = [(c + float(w.radius) * rim(k, x[2 * k]), c + float(w.radius) * rim(k, x[2 * k + 1]))
              for k, (w, c) in enumerate(zip(wheels, centres, strict=True))]  # fmt: skip
        starts, stops = [ends[0], *(b for _, b in at)], [*(a for a, _ in at), ends[1]]
        return list(zip(starts, stops, strict=True))

    def length(x: np.ndarray) -> float:
        arcs = sum(float(w.radius) * (x[2 * k + 1] - x[2 * k]) for k, w in enumerate(wheels))
        return arcs + sum(float(np.linalg.norm(b - a)) for a, b in spans(x))

    def outside(x: np.ndarray) -> np.ndarray:
        lines = spans(x)
        return np.array(
            [g for k in range(len(wheels)) for g in (
                -rim(k, x[2 * k]) @ (lines[k][1] - lines[k][0]),
                rim(k, x[2 * k + 1]) @ (lines[k + 1][1] - lines[k + 1][0]),
            )]
        )  # fmt: skip

    start = np.array([value for _ in wheels for value in (0.6, 2.2)])
    found = minimize(length, start, constraints={"type": "ineq", "fun": outside}, method="SLSQP",
                     bounds=[(-3.0, 6.0)] * len(start), options={"ftol": 1e-14, "maxiter": 300})  # fmt: skip
    assert np.all((found.x > -3.0) & (found.x < 6.0))  # bounds keep the search from turning round and round
    return float(found.fun), found.x[1::2] - found.x[::2]


@pytest.mark.parametrize("tilt", [0.0, 1.0], ids=["one plane", "different planes"])
@pytest.mark.parametrize("seed", range(4))
def test_a_rope_takes_the_shortest_way_that_passes_through_no_wheel(seed: int, tilt: float) -> None:
    rng = np.random.default_rng(seed)
    rope = random_path(rng, 1 + seed % 3, tilt)
    route = rope.neutral_route(machine_of(rope))
    length, wraps = shortest(rope)
    assert float(numbers(route.length)[0]) == pytest.approx(length, rel=1e-8)
    assert numbers(ca.vertcat(*(w.arc.angle for w in route.wraps))) == pytest.approx(wraps, abs=5e-3)  # flat there
    assert all(float(numbers(c.value)[0]) > 0 for c in route.conditions)
    assert bool(route.errors) == (tilt > 0 and len(rope.path) > 3)
    for error in route.errors:
        assert float(numbers(error)[0]) < 1e-14


def test_lines_between_wheels_in_any_planes_touch_both_or_are_reported() -> None:
    rng, done = np.random.default_rng(0), 0
    for _ in range(80):
        axes = rng.normal(size=(2, 3))
        n, m = axes / np.linalg.norm(axes, axis=1, keepdims=True)
        r, s, d = *rng.uniform(0.05, 1.0, 2), rng.normal(size=3)
        d *= (r + s) * rng.uniform(1.0, 4.0) / np.linalg.norm(d)
        circles = (
            Circle(ca.SX(3, 1), ca.SX(r), ca.SX(n), -1, tuple(n)),
            Circle(ca.SX(d), ca.SX(s), ca.SX(m), -1, tuple(m)),
        )
        line = line_between(*circles)
        if not float(numbers(line.error)[0]) < 1e-9:
            continue
        a, b, out, into = (numbers(x) for x in (line.start, line.end, line.out, line.into))
        assert np.allclose(a, r * out, atol=1e-12) and np.allclose(b, d + s * into, atol=1e-12)
        assert abs(out @ (b - a)) < 1e-9 and abs(into @ (b - a)) < 1e-9
        assert abs(out @ n) < 1e-12 and abs(into @ m) < 1e-12
        done += np.cross(n, out) @ (b - a) > 0 and np.cross(m, into) @ (b - a) > 0
    assert done > 60


def test_turns_are_counted() -> None:
    def wrap(turns: int) -> float:
        path = [
            da.Anchor("world", (-1, 0, -1)),
            da.Guide("world", 0.2, "y", turns=turns),
            da.Anchor("world", (1, 0, -1)),
        ]
        rope = da.Rope("r", path)
        return float(numbers(rope.neutral_route(machine_of(rope)).wraps[0].arc.angle)[0])

    below = wrap(0)
    assert 0 < below < math.pi
    assert wrap(2) - below == pytest.approx(4 * math.pi, abs=1e-12)


def test_the_course_is_as_long_as_the_rope() -> None:
    rng = np.random.default_rng(5)
    rope = random_path(rng, 3, 0.7)
    route = rope.neutral_route(machine_of(rope))
    points, lines = route.points(400)
    X = np.array([numbers(p) for p in points])
    assert np.linalg.norm(np.diff(X, axis=0), axis=1).sum() == pytest.approx(float(numbers(route.length)[0]), rel=1e-6)
    assert len(lines) == 4


def unrolled(a: np.ndarray, b: np.ndarray, r: float) -> float:
    """Shortest way from a to b clockwise round a cylinder about z, by angles and heights of its points of contact."""

    def point(x: np.ndarray) -> np.ndarray:
        return np.array([r * math.cos(x[0]), r * math.sin(x[0]), x[1]])

    def length(x: np.ndarray) -> float:
        arc = math.hypot(r * (x[0] - x[2]), x[3] - x[1])
        return float(np.linalg.norm(point(x[:2]) - a) + arc + np.linalg.norm(b - point(x[2:])))

    def outside(x: np.ndarray) -> np.ndarray:
        p, q = point(x[:2]), point(x[2:])
        return np.array([(a - p)[:2] @ p[:2], (b - q)[:2] @ q[:2], x[0] - x[2]])

    found = minimize(length, [2.0, 0.5 * (a + b)[2], 1.2, 0.5 * (a + b)[2]], method="SLSQP", options={"ftol": 1e-15},
                     constraints={"type": "ineq", "fun": outside})  # fmt: skip
    return float(found.fun)


def test_ropes_lie_on_obstacles_along_the_shortest_way() -> None:
    a, b = np.array([-1.0, 0.1, 0.0]), np.array([0.8, 0.05, 0.6])
    rope = da.Rope(
        "r", [da.Anchor("world", tuple(a)), da.RopeObstacle("world", 0.3, "-z"), da.Anchor("world", tuple(b))]
    )
    route = rope.neutral_route(machine_of(rope))
    assert float(numbers(route.length)[0]) == pytest.approx(unrolled(a, b, 0.3), rel=1e-7)
    far = da.Rope(
        "r", [da.Anchor("world", (-1, 2, 0)), da.RopeObstacle("world", 0.3, "-z"), da.Anchor("world", (1, 2, 0))]
    )
    assert float(numbers(far.neutral_route(machine_of(far)).length)[0]) == 2.0


# -- laws of sheaves ---------------------------------------------------------------------------------------------------


def kappa(element: da.model.PathElement, angle: float) -> float:
    rope = da.Rope("r", [da.Anchor("world"), da.Anchor("load")])
    from dalembert.model.ropes.axes import NeutralContext

    return float(numbers(element.kappa(ca.SX(angle), NeutralContext(machine_of(rope))))[0])


def test_ratio_of_tensions_of_a_sheave_with_losses() -> None:
    loss = da.SheaveLoss(bearing=0.12, pin=0.02, bending=0.012)
    k = math.exp(kappa(da.Sheave("world", 0.15, "y", loss=loss), math.pi))
    assert k == pytest.approx(1.04491056911, abs=5e-12)
    c, phi = 0.12 * 0.02 / 0.15, 1.1  # balance of moments about the pin: (k - 1) r = c r |T1 + T2|
    k = math.exp(kappa(da.Sheave("world", 0.15, "y", loss=da.SheaveLoss(0.12, 0.02)), phi))
    assert (k - 1) ** 2 == pytest.approx(c**2 * (1 + k**2 - 2 * k * math.cos(phi)), rel=1e-12)


def test_friction_and_bearing_of_a_sheave_without_mass_give_the_smaller_ratio() -> None:
    loss = da.SheaveLoss(bearing=0.12, pin=0.02)
    turning = kappa(da.Sheave("world", 0.15, "y", loss=loss), math.pi)
    assert kappa(da.Sheave("world", 0.15, "y", loss=loss, friction=0.3), math.pi) == turning
    assert kappa(da.Sheave("world", 0.15, "y", loss=loss, friction=1e-3), math.pi) == pytest.approx(1e-3 * math.pi)
    assert kappa(da.Guide("world", 0.1, "y", friction=0.2), 2.0) == pytest.approx(0.4)


# -- machines ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["newton-euler", "lagrange", "natural"])
def test_teeth_turn_a_sheave_with_inertia(by: str) -> None:
    run = da.simulate(atwood(5.0, 3.0, inertia=0.02, teeth=True), duration=0.5, step=0.01, by=by, backend="vm",
                      q0={"x1": 0.5, "x2": 0.5, "wheel": 0.0})  # fmt: skip
    assert run["x1"][-1] == pytest.approx(0.5 + 1.962 / 8, abs=1e-12)
    assert run["wheel_dot"][-1] == pytest.approx(-9.81, abs=1e-11)
    assert run["tension.r[0]"][-1] == pytest.approx(39.24, abs=1e-10)
    assert run["tension.r[1]"][-1] == pytest.approx(35.316, abs=1e-10)
    assert run["wrap.r.S"][-1] == pytest.approx(math.pi, abs=1e-12)
    assert abs(run.energy.drift) < 1e-12


def test_an_ideal_sheave_has_one_tension() -> None:
    run = da.simulate(atwood(5.0, 3.0), duration=0.5, step=0.01, backend="vm", q0={"x1": 0.5, "x2": 0.5})
    assert run["x1"][-1] == pytest.approx(0.5 + G * 2 / 8 / 8, abs=1e-12)
    assert run["tension.r[0]"][-1] == run["tension.r[1]"][-1] == pytest.approx(2 * 5 * 3 * G / 8, abs=1e-10)


@pytest.mark.parametrize("parts", [2, 3, 4, 6])
def test_ideal_tackles_multiply_the_pull(parts: int) -> None:
    pull = 40.0  # M a_z = n T - M g, m a_h = T - m g, a_h = -n a_z
    T = 100 * G * (1 + parts) * pull / (pull * parts**2 + 100)
    eom = da.equations(tackle(parts, 100.0, pull))
    table = eom.constraint_system.latch_table
    latches = table.measured(table.nominal, np.zeros(2), 0.0, np.zeros(0))
    a, tension = eom.constrained_dynamics(np.zeros(2), np.zeros(2), np.zeros(2), latches=latches)
    assert tension[0] == pytest.approx(T, rel=1e-12)
    assert a[list(eom.v_names).index("h_dot")] == pytest.approx(T / pull - G, rel=1e-10)
    assert -parts * a[list(eom.v_names).index("z_dot")] == pytest.approx(T / pull - G, rel=1e-10)


def test_rows_are_the_rates_of_lengths() -> None:
    machine = tower_crane(length=70.5137166941154)
    eom, rng = da.equations(machine, backend="vm"), np.random.default_rng(3)
    q = np.array([CRANE_START["q0"][n] for n in machine.q_names]) + rng.uniform(-0.5, 0.5, 4)
    v, h, t = rng.normal(size=4), 1e-6, 0.7
    row = eom.constraint_system.row_names.index("hoist")
    rate = (eom.constraints(q + h * v, t=t) - eom.constraints(q - h * v, t=t))[row] / (2 * h)
    assert (eom.constraint_jacobian(q, t=t) @ v)[row] == pytest.approx(rate, rel=1e-8)
    assert np.abs(eom.constraint_jacobian(q, t=t)[row]).min() > 1e-3


def test_hook_of_a_tower_crane_arrives_where_an_independent_integration_leads() -> None:
    run = da.simulate(tower_crane(), duration=10.0, backend="vm", **CRANE_START)  # type: ignore[arg-type]
    assert run["length.hoist"][0] == pytest.approx(70.5137166941154, abs=1e-12)
    assert run["hook_x"][-1] == pytest.approx(19.142979507314, abs=1e-9)
    assert run["hook_z"][-1] == pytest.approx(11.000436166308, abs=1e-9)
    assert run["tension.hoist[2]"][-1] == pytest.approx(9808.377079820, abs=1e-5)
    assert abs(run.energy.drift) < 1e-9


def test_machine_files_keep_ropes(tmp_path: Path) -> None:
    loss = da.SheaveLoss(bearing=0.1, pin=0.03, bending=0.005)
    path = [
        da.Drum("drum", 0.3, axis="y"),
        da.Sheave("trolley", da.Parameter("r", 0.2), "y", at=(-0.45, 0, 0), name="A", loss=loss),
        da.Sheave("hook", 0.25, "-y", friction=0.1),
        da.Guide("trolley", 0.2, "y", at=(0.45, 0, 0), name="B", friction=0.2, turns=1),
        da.Guide("world", at=(20, 0, 30)),
        da.Anchor("world", (40, 0, 30.2)),
    ]
    machine = tower_crane().with_(ropes=[da.Rope("hoist", path, stiffness=1.2e7, damping=3e3, length=70.0)])
    file = tmp_path / "crane.yaml"
    machine.to_yaml(file)
    again = da.load_machine(file)
    assert again.ropes == machine.ropes
    assert [p.name for p in again.parameters] == ["r"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("sheave: trolley", "sheave: trolly"),
        ("drum: drum", "drum: drun"),
        ("anchor: world", "anchor: worl"),
    ],
)
def test_files_name_what_a_path_refers_to_in_vain(tmp_path: Path, change: str, words: str) -> None:
    file = tmp_path / "crane.yaml"
    file.write_text(tower_crane().to_yaml().replace(change, words, 1))
    with pytest.raises(DalembertError, match=f"rope 'hoist': no .* named '{words.split()[-1]}'"):
        da.load_machine(file)


def test_files_name_what_an_element_does_not_take(tmp_path: Path) -> None:
    file = tmp_path / "crane.yaml"
    file.write_text(tower_crane().to_yaml().replace("- anchor: world", "- anchor: world\n      radius: 0.1", 1))
    with pytest.raises(DalembertError, match="anchor 'world' takes at, name, got 'radius'"):
        da.load_machine(file)


# -- refusals ----------------------------------------------------------------------------------------------------------

ENDS = (da.Anchor("world", (-1, 0, 0)), da.Anchor("load", (1, 0, 0)))


def between(*elements: da.model.PathElement) -> list[da.model.PathElement]:
    return [ENDS[0], *elements, ENDS[1]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: da.Guide("load", friction=0.2), "guide 'load' has friction but no radius"),
        (lambda: da.Sheave("load", 0.0, "y"), "radius of sheave 'load' must be > 0"),
        (lambda: da.Sheave("load", 0.1, "y", joint="j"), "sheave 'load' turns with the joint 'j', but nothing makes"),
        (lambda: da.Sheave("load", 0.1, "y", teeth=True, friction=0.1), "sheave 'load' has teeth"),
        (lambda: da.SheaveLoss(bearing=0.1), "needs both 'bearing'"),
        (lambda: da.Rope("r", [ENDS[0]]), "two elements or more"),
        (lambda: da.Rope("r", [ENDS[0], da.Sheave("load", 0.1, "y")]), "must begin and end at an anchor or drum"),
        (lambda: da.Rope("r", between(da.Anchor("load"))), "has anchors and drums at its ends only"),
        (lambda: da.Rope("r", between(*[da.Guide("load")] * 2)), "2 elements named 'load'; give them different names"),
        (lambda: da.Rope("r", ENDS, damping=1.0), "rope 'r' is inextensible: it takes no damping"),
        (
            lambda: da.Rope("b", [da.Sheave(name, 0.1, "y", teeth=True) for name in ("p", "q")], closed=True),
            "closed, inextensible and drives both sheave 'p' and sheave 'q'.*give its stiffness",
        ),
    ],
)  # fmt: skip
def test_ropes_that_make_no_sense_are_refused_by_name(make: object, message: str) -> None:
    with pytest.raises(MachineError, match=message):
        make()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("sheaves", "message"),
    [
        ([da.Sheave("world", 1.2, "y", name="big")], "anchor 'world' of rope 'r' is inside sheave 'big'"),
        (
            [da.Sheave("world", 0.3, "y", name="a"), da.Sheave("world", 0.3, "-y", at=(0.4, 0, 0), name="b")],
            "sheave 'a' and sheave 'b' of rope 'r' overlap",
        ),
        (
            [da.Sheave("world", 0.1, "-y", at=(0, 0, 0.5), name="up")],
            "rope 'r' leaves sheave 'up'.*turn the axis round",
        ),
    ],
)
def test_ways_that_do_not_exist_are_refused_at_the_start(sheaves: list[da.Sheave], message: str) -> None:
    machine = machine_of(da.Rope("r", between(*sheaves)))
    with pytest.raises(InputError, match=message):
        da.simulate(machine, duration=0.1, backend="vm", q0={"free.x": 1.0})


def test_anchors_and_wheels_without_names_may_share_a_frame() -> None:
    """The names of both are that of the frame; events of the rope are told apart nevertheless."""
    ends = (da.Anchor("world", (-0.1, 0, -1)), da.Anchor("load"))
    machine = machine_of(da.Rope("r", [ends[0], da.Guide("world", 0.1, "y", friction=0.1), ends[1]]))
    run = da.simulate(machine, duration=0.01, q0={"free.x": 0.1, "free.z": -1.0}, backend="vm")
    assert run["wrap.r.world"][0] == pytest.approx(math.pi)


def test_a_drum_must_turn_about_its_axis() -> None:
    machine = tower_crane()
    rope = da.Rope("hoist", [da.Drum("drum", 0.3, axis="z"), da.Anchor("hook")])
    with pytest.raises(MachineError, match="drum 'drum' of rope 'hoist' must turn about its axis"):
        machine.with_(ropes=[rope])


# -- ropes beside cables -----------------------------------------------------------------------------------------


def test_a_rope_of_one_span_does_what_a_cable_does() -> None:
    machine = machine_of(da.Rope("r", [da.Anchor("world"), da.Anchor("load")], length=1.0))
    cable = machine.with_(ropes=(), cables=[da.Cable("r", "load", length=1.0)])
    start = {"q0": {"free.z": -0.9, "free.x": 0.1}, "duration": 1.0, "backend": "vm"}
    one, other = da.simulate(machine, **start), da.simulate(cable, **start)  # type: ignore[arg-type]
    assert [e.name for e in one.events] == [e.name for e in other.events] and one.events
    assert one["free.z"][-1] == other["free.z"][-1]
    assert one["tension.r[0]"][-1] == other["tension.r"][-1] > 0


def test_a_slack_rope_over_a_sheave_catches_its_load() -> None:
    machine = atwood(5.0, 3.0, length=2.2 + 0.1 * math.pi)
    run = da.simulate(machine, duration=0.5, step=1e-3, backend="vm", q0={"x1": 0.5, "x2": 0.5})
    assert run.events[0].name == "r.taut"
    t, v = math.sqrt(0.2 / G), math.sqrt(0.2 * G)  # both fall by 0.1 m until the rope is taut, and stop each other
    assert run.events[0].t == pytest.approx(t, abs=1e-10)
    after = (5 * v - 3 * v) / 8
    i = int(np.searchsorted(run.t, t + 1e-6))
    assert run["x1_dot"][i] == pytest.approx(after + G * 2 / 8 * (run.t[i] - t), abs=1e-8)
    assert abs(run.energy.drift) < 1e-10


@pytest.mark.parametrize("by", ["newton-euler", "lagrange"])
def test_an_elastic_tackle_rests_where_its_stretch_carries_the_load_and_swings_about_it(by: str) -> None:
    machine = tackle(2, 100.0, 50.0, stiffness=1e6, damping=2e3, length=8.0).with_(
        constraints=[da.MotionConstraint("hold", joint="h", value=-0.5)]
    )
    length = 8.0 * (1 + 100 * G / 2 / 1e6)  # 1 - h of the free end, two parts of 3 - z, two half turns of 0.15 m
    rest = {"h": -0.5, "z": 3.0 - (length - 1.5 - 0.3 * math.pi) / 2}
    run = da.simulate(machine, duration=0.5, step=0.01, by=by, backend="vm", q0=rest)
    assert run["length.r"][-1] == pytest.approx(length, rel=1e-12)
    assert run["tension.r[0]"][-1] == run["tension.r[2]"][-1] == pytest.approx(100 * G / 2, rel=1e-9)
    plant = da.linearize(machine, at=rest, by=by)
    poles = np.linalg.eigvals(plant.A)
    omega = math.sqrt(4 * 1e6 / 8.0 / 100)  # two parts of one rope: k = n^2 EA / l
    assert np.abs(poles).max() == pytest.approx(omega, rel=1e-5)


def test_ropes_roll_out_as_they_are_simulated() -> None:
    machine = tackle(4, 100.0, 30.0)
    start = {"z": np.array([0.0, 0.1, 0.2]), "h": np.array([0.0, 0.0, 0.0])}
    runs = da.rollout(machine, q0=start, duration=0.3, step=1e-3)
    for k in range(3):
        run = da.simulate(machine, q0={"z": float(start["z"][k]), "h": 0.0}, duration=0.3, step=1e-3)
        assert runs["h"][k][-1] == pytest.approx(run["h"][-1], abs=1e-10)


def test_pictures_show_ropes_along_their_way() -> None:
    machine = tower_crane()
    scene = build_scene(machine)
    baked = scene.bake(np.array([[CRANE_START["q0"][n] for n in machine.q_names]]), 0.0)
    way = baked.cables["hoist"][0]
    quarter = 0.3 * math.pi / 2  # of the drum
    drawn = np.linalg.norm(np.diff(way, axis=0), axis=1).sum()
    assert drawn == pytest.approx(70.5137166941154 + quarter, rel=1e-4)
    assert len(scene.pulleys) == 4


# -- belts, and ropes in space -----------------------------------------------------------------------------------------


def test_a_closed_belt_with_teeth_keeps_the_ratio_of_its_wheels() -> None:
    bodies = [da.Body("a", 1.0, inertia=(0.02,) * 3), da.Body("b", 1.0, inertia=(0.05,) * 3)]
    joints = [
        da.Joint("a", "revolute", "world", "a", axis="y"),
        da.Joint("b", "revolute", "world", "b", axis="y", origin=(1, 0, 0)),
    ]
    wheels = [
        da.Sheave("world", 0.1, "y", joint="a", teeth=True, name="A"),
        da.Sheave("world", 0.2, "y", at=(1, 0, 0), joint="b", teeth=True, name="B"),
    ]
    belt = da.Rope("belt", wheels, closed=True, stiffness=8000.0, damping=50.0, pretension=160.0)
    machine = da.Machine("belt", bodies, joints, ropes=[belt], motors=[da.Motor("a", "a")])
    run = da.simulate(machine, duration=2.0, control=[1.0], step=1e-3, backend="vm")
    assert [run[f"tension.belt[{k}]"][0] for k in range(2)] == pytest.approx([160.0] * 2, rel=1e-12)
    around = 2 * math.sqrt(1 - 0.01) + math.pi * 0.3 + 2 * 0.1 * math.asin(0.1)
    assert run["length.belt"][0] == pytest.approx(around, rel=1e-12)
    assert run["a_dot"][-1] == pytest.approx(2 / (0.02 + 0.05 / 4), rel=1e-6)
    assert run["b_dot"][-1] == pytest.approx(run["a_dot"][-1] / 2, rel=1e-6)
    pull = run["tension.belt[1]"][-1] - run["tension.belt[0]"][-1]  # of the span that leads to the driven wheel
    assert abs(pull) == pytest.approx(0.05 * 0.5 / (0.02 + 0.05 / 4) / 0.2, rel=0.05)
    assert abs(run.energy.drift) < 1e-8


def test_sheaves_of_a_load_in_space_keep_its_energy() -> None:
    path = [
        da.Anchor("world", (-1, 0, 0)),
        da.Sheave("load", 0.1, (0, -1, 0), at=(-0.6, 0, 0.3), name="L1"),
        da.Sheave("world", 0.12, (0.3, 1, 0), at=(0, 0.1, 0.2), name="T"),
        da.Sheave("load", 0.1, (0.1, -1, 0.2), at=(0.6, 0, 0.3), name="L2"),
        da.Anchor("world", (1, 0.2, 0)),
    ]
    joint = da.Joint("f", "free", "world", "load", origin=(0, 0, -3))
    machine = da.Machine("spreader", [da.box("load", mass=50.0, size=(1, 1, 0.3))], [joint], ropes=[da.Rope("r", path)])
    run = da.simulate(machine, duration=0.5, v0={machine.v_names[1]: 0.3}, step=2e-3, backend="vm")
    assert run["tangent_error.r"].max() < 1e-13
    assert np.ptp(run["wrap.r.T"]) > 1e-5 and np.ptp(run["length.r"]) < 1e-9
    assert abs(run.energy.drift) < 1e-9


# -- obstacles ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["newton-euler", "lagrange"])
def test_a_pendulum_meets_a_peg_and_leaves_it(by: str) -> None:
    start = {"x": 1.2 * math.sin(-0.9), "z": 1.2 - 1.2 * math.cos(0.9)}
    run = da.simulate(peg_pendulum(), duration=1.6, q0=start, by=by, backend="vm", step=2e-3)
    assert [event.name for event in run.events] == ["r.peg.meet", "r.peg.leave"]
    assert run.events[0].t == pytest.approx(0.578560125729, abs=1e-9)
    assert run.events[1].t == pytest.approx(1.46451843869, abs=1e-9)
    before, after = np.flatnonzero(run.t == run.events[0].t)
    assert run["tension.r[0]"][before] == pytest.approx(17.2340124225, abs=1e-7)
    assert run["tension.r[0]"][after] == pytest.approx(22.5368784386, abs=1e-7)
    assert run["wrap.r.peg"][0] == 0.0 and run["wrap.r.peg"].max() == pytest.approx(1.36934403928, abs=1e-4)
    assert abs(run.energy.drift) < 1e-10


def test_rollouts_locate_obstacles_too() -> None:
    angles = np.array([-0.9, -0.5])
    q0 = {"x": 1.2 * np.sin(angles), "z": 1.2 - 1.2 * np.cos(angles)}
    runs = da.rollout(peg_pendulum(), duration=1.0, q0=q0, step=2e-3)
    for k in range(2):
        run = da.simulate(peg_pendulum(), duration=1.0, q0={n: float(q0[n][k]) for n in q0}, step=2e-3)
        assert runs["x"][k][-1] == pytest.approx(run["x"][-1], abs=1e-9)


@pytest.mark.parametrize(("axis", "event"), [("y", "r.peg.meet"), ("-y", "r.peg.side")])
def test_a_rope_that_meets_an_obstacle_from_behind_stops_the_run(axis: str, event: str) -> None:
    """A bob falls past a peg, and a loose rope above it swings against the peg from the right."""
    peg = da.RopeObstacle("world", 0.05, axis, at=(0.15, 0, -0.5), name="peg")
    rope = da.Rope("r", [da.Anchor("world"), peg, da.Anchor("bob")], length=3.0)
    joint = da.Joint("z", "prismatic", "world", "bob", axis="-z", origin=(0.25, 0, 0))
    machine = da.Machine("fall", [da.point_mass("bob", 1.0)], [joint], ropes=[rope])
    run = da.simulate(machine, duration=0.6, q0={"z": 0.2}, step=1e-3, backend="vm")
    assert [e.name for e in run.events] == [event]
    assert (run.status == "completed") == (axis == "y")
    x, z = 0.15, 0.5  # where the line from the anchor to (0.25, h) touches the peg on the right
    h = run["z"][int(np.searchsorted(run.t, run.events[0].t))]
    assert (h * x - 0.25 * z) / math.hypot(h, 0.25) == pytest.approx(-0.05, abs=1e-9)


def test_obstacles_that_are_not_simulated_are_refused_by_name() -> None:
    pegs = [da.RopeObstacle("world", 0.1, "y", name=name) for name in ("a", "b")]
    with pytest.raises(MachineError, match="obstacle 'a' and obstacle 'b' next to each other"):
        da.Rope("r", between(*pegs))
    with pytest.raises(MachineError, match="elastic: obstacle 'a'"):
        da.Rope("r", between(pegs[0]), stiffness=1e5, length=2.0)


def test_time_stepping_meets_a_peg_and_leaves_it() -> None:
    start = {"x": 1.2 * math.sin(-0.9), "z": 1.2 - 1.2 * math.cos(0.9)}
    period = 2.04307856442
    errors = []
    for pieces in (400, 1600):
        settings: dict[str, Any] = {"duration": period, "step": period / pieces, "contact": "time-stepping"}
        run = da.simulate(peg_pendulum(), q0=start, backend="vm", record=0.05, **settings)
        errors.append(np.hypot(run["x"][-1] - start["x"], run["z"][-1] - start["z"]))
        assert run["on.r.peg"].max() == pytest.approx(1.0) and run["on.r.peg"][-1] == pytest.approx(0.0)
        assert run["wrap.r.peg"].max() == pytest.approx(1.36934403928, abs=5e-3)
    assert errors[0] < 1e-4 and errors[0] / errors[1] > 6.0, errors  # by the place in a step where they meet


@pytest.mark.parametrize("contact", [None, "time-stepping"])
def test_an_obstacle_with_friction_is_a_guide_while_the_rope_lies_on_it(contact: str | None) -> None:
    """Eytelwein's drum, 10 and 2 kg: a = 4.46021989087 m/s^2; a sheave that the rope leaves has no friction left."""
    ends = []
    for over in (
        da.Guide("world", 0.1, "y", friction=0.2, name="S"),
        da.RopeObstacle("world", 0.1, "y", friction=0.2, name="S"),
    ):
        joints = [
            da.Joint("x1", "prismatic", "world", "m1", axis="-z", origin=(-0.1, 0, -0.5)),
            da.Joint("x2", "prismatic", "world", "m2", axis="-z", origin=(0.1, 0, -0.5)),
        ]
        rope = da.Rope("r", [da.Anchor("m1"), over, da.Anchor("m2")])
        machine = da.Machine("drum", [da.point_mass("m1", 10.0), da.point_mass("m2", 2.0)], joints, ropes=[rope])
        run = da.simulate(machine, duration=0.2, step=2e-3, q0={"x1": 1.0, "x2": 1.0}, contact=contact, backend="vm")
        ends.append([run["x1_dot"][-1] / 0.2, run["tension.r[0]"][-1], run["tension.r[1]"][-1], run["loss.r.S"][-1]])
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-12)
    np.testing.assert_allclose(ends[0][:3], [4.46021989087, 53.4978010913, 28.5404397817], rtol=1e-11)


def test_a_rope_slides_over_a_peg_that_it_meets() -> None:
    """A counterweight behind an eyelet, and a bob that swings against a peg with friction: steps and events agree."""

    def machine(mu: float) -> da.Machine:
        peg = da.RopeObstacle("world", 0.15, "-y", at=(0.15, 0, -0.5), name="peg", friction=mu)
        path = [
            da.Anchor("m"),
            da.Guide("world", at=(-1, 0, 0), name="e"),
            da.Guide("world", name="f"),
            peg,
            da.Anchor("bob"),
        ]
        joints = [
            da.Joint("h", "prismatic", "world", "m", axis="-z", origin=(-1.0, 0, -0.5)),
            da.Joint("x", "prismatic", "world", "rail", axis="x"),
            da.Joint("z", "prismatic", "rail", "bob", axis="z", origin=(0, 0, -1.2)),
        ]
        bodies = [da.point_mass("m", 1.2), da.Body("rail"), da.point_mass("bob", 1.0)]
        return da.Machine("slide", bodies, joints, ropes=[da.Rope("r", path)])

    q0 = {"h": 1.0, "x": 1.2 * math.sin(-0.9), "z": 1.2 - 1.2 * math.cos(0.9)}
    run = da.simulate(machine(0.3), duration=0.85, q0=q0, method="dopri5", rtol=1e-9, atol=1e-11, backend="vm")
    free = da.simulate(machine(0.0), duration=0.85, q0=q0, method="dopri5", rtol=1e-9, atol=1e-11, backend="vm")
    stepped = da.simulate(machine(0.3), duration=0.85, q0=q0, step=1e-3, contact="time-stepping", backend="vm")
    met = next(e.t for e in run.events if e.name == "r.peg.meet")
    assert met == pytest.approx(free.events[0].t, abs=1e-8)  # no friction before
    assert run["loss.r.peg"][np.searchsorted(run.t, met)] == pytest.approx(0.0, abs=1e-12)
    for name in ("h", "x", "z"):
        assert stepped[name][-1] == pytest.approx(run[name][-1], abs=3e-6), name
    ratio = np.log(run["tension.r[3]"][-1] / run["tension.r[2]"][-1])
    assert ratio == pytest.approx(0.3 * run["wrap.r.peg"][-1], rel=1e-9) and run["slip.r.peg"][-1] > 0.0
    assert abs(run["x"][-1] - free["x"][-1]) > 1e-2 and run.energy.drift < 1e-9


@pytest.mark.parametrize("aside", [0.1, 0.3])
def test_fleet_angle_is_recorded_and_a_large_one_warns(aside: float) -> None:
    over = da.Sheave("world", 0.1, "y", name="S")
    machine = da.Machine(
        "aside",
        [da.point_mass("a", 1.0), da.point_mass("b", 1.0)],
        [
            da.Joint("z1", "prismatic", "world", "a", axis="z", origin=(-0.1, aside, -2)),
            da.Joint("z2", "prismatic", "world", "b", axis="z", origin=(0.1, 0, -2)),
        ],
        ropes=[da.Rope("r", [da.Anchor("a"), over, da.Anchor("b")])],
    )
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        run = da.simulate(machine, duration=0.01, backend="vm")
    assert run["fleet.r.S"][0] == pytest.approx(math.atan2(aside, 2.0), rel=1e-12)
    assert any("fleet angle of 8.5 degrees" in str(one.message) for one in seen) == (aside == 0.3)


@pytest.mark.parametrize(("at", "warned"), [((0.5, 0, 0), True), ((0.6, 0, 0), False), ((0.5, 0.1, 0), False)])
def test_neighbours_that_overlap_in_their_plane_warn(at: tuple[float, float, float], warned: bool) -> None:
    wheels = [da.Sheave("world", 0.3, "y", name="a"), da.Sheave("world", 0.3, "y", at=at, name="b")]
    machine = machine_of(da.Rope("r", between(*wheels)))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        da.simulate(machine, duration=0.01, backend="vm", q0={"free.x": 1.0})
    assert any("sheave 'a' and sheave 'b' of rope 'r' overlap in their plane" in str(x.message) for x in seen) == warned


def test_an_obstacle_between_swinging_bobs_slips_as_a_guide() -> None:
    """Both lines turn about the cylinder, so that the arc on it changes at both ends."""
    ends = []
    for over in (
        da.Guide("world", 0.1, "y", friction=0.2, name="S"),
        da.RopeObstacle("world", 0.1, "y", friction=0.2, name="S"),
    ):
        joints = []
        for k, side in ((1, -0.3), (2, 0.3)):
            joints.append(da.Joint(f"x{k}", "prismatic", "world", f"r{k}", axis="x", origin=(side, 0, -1)))
            joints.append(da.Joint(f"z{k}", "prismatic", f"r{k}", f"m{k}", axis="z"))
        bodies = [da.Body("r1"), da.point_mass("m1", 3.0), da.Body("r2"), da.point_mass("m2", 1.0)]
        rope = da.Rope("r", [da.Anchor("m1"), over, da.Anchor("m2")])
        machine = da.Machine("bobs", bodies, joints, ropes=[rope])
        run = da.simulate(machine, duration=0.3, step=2e-3, v0={"x1_dot": -1.0, "x2_dot": 0.5}, backend="vm")
        ends.append([run[n][-1] for n in ("x1", "z1", "x2", "z2", "slip.r.S", "wrap.r.S", "loss.r.S")])
        assert run.energy.drift < 1e-9 and run["loss.r.S"][-1] > 0.1
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-9, atol=1e-10)


def test_a_rope_of_two_hundred_turns_is_clamped_with_a_warning() -> None:
    guide = da.Guide("world", 0.1, "y", friction=0.9, turns=200, name="G")
    bollard = da.Machine(
        "bollard",
        [da.point_mass("m1", 5.0), da.point_mass("m2", 3.0)],
        [
            da.Joint(f"x{k}", "prismatic", "world", f"m{k}", axis="-z", origin=(x, 0, -0.5))
            for k, x in ((1, -0.1), (2, 0.1))
        ],
        ropes=[da.Rope("r", [da.Anchor("m1"), guide, da.Anchor("m2")])],
    )
    with pytest.warns(UserWarning, match=r"friction at 'r\.G' of machine 'bollard' .* e\^20"):
        run = da.simulate(bollard, duration=0.1, step=0.01, backend="vm")
    assert (run["tension.r[0]"][-1], run["tension.r[1]"][-1]) == pytest.approx((5 * 9.81, 3 * 9.81), rel=1e-12)
