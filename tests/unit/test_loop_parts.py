"""Parts of loops: poles of sampled ones, segments, joints that close, and events of what passes, one by one."""

from __future__ import annotations

import sys
import warnings
from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert import control
from dalembert.core.errors import InputError
from dalembert.core.warn import DalembertWarning
from dalembert.engine.problem.pairs import KINK
from dalembert.formulations.contact.system import ContactSystem
from dalembert.loop.join import join
from dalembert.loop.nearest import axis_events, line_events, nearest_events, window_events
from dalembert.loop.poles import SampledPoles, _common_period, sampled_poles
from dalembert.loop.quantities import Quantities, Slots
from dalembert.loop.scenes import _segments
from dalembert.loop.simulate import _tell_changes
from dalembert.loop.stepping.bounds import contact_paces, contact_sizes
from dalembert.loop.stepping.start import SteppedStart
from dalembert.simulation.run import EndState
from dalembert.studies.ropes.machines import tackle


def _mass(n: int = 1, stiffness: float = 0.0) -> da.Machine:
    names = ["x", "y"][:n]
    return da.Machine(
        "masses",
        [da.point_mass(f"m{name}", 2.0) for name in names],
        [da.Joint(name, "prismatic", "world", f"m{name}", axis=name, stiffness=stiffness) for name in names],
        motors=[da.Motor(name, name) for name in names],
        gravity=(0, 0, 0),
    )


def _same(found: Any, expected: Any, atol: float = 1e-6) -> None:
    """Sets of eigenvalues, up to the error of differences."""
    found, expected = list(found), list(expected)
    assert len(found) == len(expected)
    for x in expected:
        k = int(np.argmin([abs(x - y) for y in found]))
        assert abs(found.pop(k) - x) < atol


@pytest.mark.parametrize("stiffness", [0.0, 50.0])
def test_poles_of_a_mass_with_a_sampled_law(stiffness: float) -> None:
    """By the exact discretisation of an oscillator, or of a free mass, between two instants."""
    h, kp, kd, m = 0.1, 6.0, 3.0, 2.0
    poles = sampled_poles(
        da.equations(_mass(stiffness=stiffness), backend="vm"), control.Sampled(da.PD(kp, kd, [0.0]), h)
    )
    w = np.sqrt(stiffness / m)
    c, s, push = (np.cos(w * h), np.sin(w * h) / w, (1 - np.cos(w * h)) / w**2) if w else (1.0, h, h * h / 2)
    A = np.array([[c, s], [-w * w * s, c]])
    B = np.array([push, s]) / m
    _same([z for z in poles.poles if abs(z) > 1e-6], np.linalg.eigvals(A - np.outer(B, [kp, kd])))
    assert poles.period == pytest.approx(h) and poles.stable
    slow = max(np.abs(np.linalg.eigvals(A - np.outer(B, [kp, kd]))))
    assert poles.slowest == pytest.approx(np.log(slow) / h, rel=1e-5)
    assert not sampled_poles(da.equations(_mass(), backend="vm"), control.Sampled(da.PD(6.0, 90.0, [0.0]), h)).stable


@pytest.mark.parametrize(
    ("periods", "expected"), [([0.1], 0.1), ([0.1, 0.25], 0.5), ([0.02, 0.03, 0.05], 0.3), ([1, 0.5], 1)]
)
def test_common_periods(periods: list[float], expected: float) -> None:
    schedule = SimpleNamespace(updates=[SimpleNamespace(period=h) for h in periods])
    assert _common_period(cast(Any, schedule)) == pytest.approx(expected)


def test_periods_that_never_come_together() -> None:
    schedule = SimpleNamespace(updates=[SimpleNamespace(period=h) for h in (1.0, float(np.sqrt(2.0)) / 3.0)])
    with pytest.raises(InputError, match="no common multiple"):
        _common_period(cast(Any, schedule))


def test_what_poles_say() -> None:
    """Poles at one belong to what rests; the slowest of the others decides."""
    made = SampledPoles(np.array([0.5, -0.8, 1.0 + 1e-12, 0.0]), 0.2)
    assert made.stable and made.neutral == 1 and made.slowest == pytest.approx(np.log(0.8) / 0.2)
    assert not SampledPoles(np.array([0.5, -1.1]), 0.2).stable
    assert SampledPoles(np.array([1.0]), 0.2).slowest == -np.inf


def test_held_values_in_order() -> None:
    """Those that are not recorded come last, whenever they are added."""
    slots = Slots()
    slots.add("a", 1.0)
    hidden = slots.add("memory", 2.0, shown=False)
    given = ca.SX.sym("given")
    assert slots.add("b", 3.0, symbol=given) is given
    assert slots.names == ("a", "b", "memory") and slots.unrecorded == 1
    assert slots.initial.tolist() == [1.0, 3.0, 2.0] and slots.rows(["memory", "a"]) == (2, 0)
    assert set(slots.by_name) == {"a", "b"} and slots.symbols.shape == (3, 1)
    assert ca.is_equal(slots.symbols[2], hidden) and ca.is_equal(slots.symbols[1], given)
    for name in ("a", "memory"):
        with pytest.raises(InputError, match="two held values"):
            slots.add(name)


@pytest.mark.parametrize(
    ("t0", "duration", "step", "record"),
    [(0.0, 1.0, 0.1, None), (0.5, 1.0, 0.3, None), (0.0, 1.0, 0.1, 0.25), (1.0, 0.95, 0.2, 0.4), (0.0, 0.3, 0.1, 5.0)],
)
def test_segments_between_rows(t0: float, duration: float, step: float, record: float | None) -> None:
    """Whole steps, then a shorter one; a row at each multiple of the interval, and at the end."""
    rows, at = [], t0
    for start, h, count, recorded in _segments(t0, duration, step, record):
        assert start == pytest.approx(at) and h <= step * (1.0 + 1e-9) and count >= 1
        at = start + count * h
        if recorded:
            rows.append(at)
    interval = min(step if record is None else record, duration)
    expected = [t0 + k * interval for k in range(1, 100) if k * interval < duration - 1e-9] + [t0 + duration]
    assert rows == pytest.approx(expected) and at == pytest.approx(t0 + duration)


def _ended(eom: da.EquationsOfMotion, q: Any, v: Any) -> da.Run:
    """A run that has ended in a state."""
    x, names = np.append(q, v), (*eom.q_names, *eom.v_names)
    return da.Run(
        t=np.array([0.3]), x=x[None], y=np.zeros((1, 0)), held=np.zeros((1, 0)), state_names=names,
        signal_names=(), held_names=(), events=(), status="completed", message="", final=EndState(0.3, x), metadata={},
        source=eom.machine,
    )  # fmt: skip


def test_a_body_is_gripped(monkeypatch: pytest.MonkeyPatch) -> None:
    """All momentum along the motions of the new machine stays, by a projection of all velocities of the bodies."""
    arm = [da.box("a", 2.0, (1, 0.5, 0.3)), da.box("link", 0.7, (0.8, 0.1, 0.2), com=(0.4, 0, 0)),
           da.Body("b", 1.3, com=(0.1, -0.2, 0.05), inertia=(0.3, 0.4, 0.5))]  # fmt: skip
    base = [
        da.Joint("a", "free", "world", "a"),
        da.Joint("hinge", "revolute", "a", "link", (0.5, 0, 0), axis=(0, 1, 1)),
    ]
    place = da.Transform((0.8, 0.1, -0.1), Rotation.from_rotvec([0.2, -0.4, 0.3]).as_matrix())
    two = da.Machine("two", arm, [*base, da.Joint("b", "free", "world", "b")], gravity=(0, 0, 0))
    one = da.Machine("one", arm, [*base, da.Joint("grip", "fixed", "link", "b", place)], gravity=(0, 0, 0))
    rng = np.random.default_rng(1)
    before, after = da.equations(two, backend="vm"), da.equations(one, backend="vm")
    q = after.random_configuration(rng, 0.3)
    X = after.pose("b", q)
    moved = X.copy()
    moved[:3, 3] += [2e-4, -1e-4, 3e-4]
    start = before.q_neutral
    for name, value in zip(after.q_names, q, strict=True):
        start[before.q_names.index(name)] = value
    k = before.q_names.index("b.x")
    start[k : k + 3] = moved[:3, 3]
    w = 0.5 * np.sqrt(1.0 + np.trace(X[:3, :3]))
    R = X[:3, :3]
    start[k + 3 : k + 7] = [w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4.0 * w))]
    v = rng.normal(size=before.nv)
    run = _ended(before, start, v)
    monkeypatch.setattr(sys.modules[join.__module__], "derive", lambda machine: da.equations(machine, backend="vm"))
    made = join(run, after)
    assert made.t == 0.3
    np.testing.assert_allclose(made.q, q, atol=1e-8)
    assert made.gap == pytest.approx(np.linalg.norm([2e-4, -1e-4, 3e-4]), rel=1e-3) and made.turn < 1e-6
    M, N = before.mass_matrix(start), after.mass_matrix(q)
    J = [np.vstack([e.jacobian(b, x) for b in ("a", "link", "b")]) for e, x in ((before, start), (after, q))]
    S = np.linalg.lstsq(J[0], J[1], rcond=None)[0]  # the same motions of all bodies
    expected = np.linalg.solve(S.T @ M @ S, S.T @ M @ v)
    np.testing.assert_allclose(made.v, expected, atol=1e-6)
    assert made.loss == pytest.approx(0.5 * v @ M @ v - 0.5 * made.v @ N @ made.v, rel=1e-3) and made.loss > 0.0
    far = start.copy()
    far[k] += 0.01
    run = _ended(before, far, v)
    with pytest.raises(InputError, match=r"the grip is open: body 'b' is 0\.01"):
        join(run, after)
    assert join(run, after, gap=0.02).gap > 0.0099
    heavy = one.with_(bodies=[*arm[:2], da.Body("b", 2.6, com=(0.1, -0.2, 0.05), inertia=(0.6, 0.8, 1.0))])
    with pytest.raises(InputError, match="mass distribution"):
        join(run, heavy, gap=0.02)


def _values(eom: da.EquationsOfMotion, g: list[Any], q: Any, v: Any, latches: Any = None) -> Any:
    s, system = eom.symbolic, eom.constraint_system
    f = ca.Function("g", [s.q, s.v, s.t, s.p, system.latches], [ca.vertcat(*g)])
    at = np.array(system.latch_nominal) if latches is None else latches
    return np.array(f(q, v, 0.0, eom.parameter_values(None), at)).ravel()


def test_contacts_that_pass_each_other() -> None:
    """A ball over a floor: the rate at which they part, less 1e-6 m/s, while they do not touch."""
    machine = da.Machine(
        "ball", [da.point_mass("m", 1.0)], [da.Joint("z", "prismatic", "world", "m", axis="z")],
        contacts=[da.Contact("floor", "m", da.Sphere(0.1))],
    )  # fmt: skip
    eom = da.equations(machine, backend="vm")
    g, specs = nearest_events(eom)
    assert [(spec.name, spec.direction, spec.hidden) for spec in specs] == [("floor.nearest", 1, True)]
    latches = np.array(eom.constraint_system.latch_nominal)
    latches[eom.constraint_system.latch_index("active.floor")] = 0.0
    for speed in (-0.3, 0.0, 0.7):
        assert _values(eom, g, [1.0], [speed], latches) == pytest.approx([speed - 1e-6], abs=1e-15)
    latches[eom.constraint_system.latch_index("active.floor")] = 1.0
    assert _values(eom, g, [1.0], [0.7], latches).tolist() == [-1.0]
    assert window_events(eom) == ([], []) and line_events(eom) == ([], []) and axis_events(eom, rigid=True) == ([], [])


@pytest.mark.parametrize("elastic", [False, True])
def test_anchors_that_pass_the_axis_of_a_pulley(elastic: bool) -> None:
    """Nearest where the distance from the axis begins to grow; at the axis itself shortly before."""
    joints = [("x", "prismatic", "world", "x"), ("y", "prismatic", "x", "y"), ("z", "prismatic", "y", "m")]
    cable: dict[str, Any] = {"stiffness": 1e4, "length": 1.0} if elastic else {}
    machine = da.Machine(
        "hung",
        [da.Body("x"), da.Body("y"), da.point_mass("m", 1.0)],
        [da.Joint(*joint, axis=joint[0]) for joint in joints],
        cables=[da.Cable("c", "m", pulley=0.1, **cable)],
    )
    eom = da.equations(machine, backend="vm")
    g, specs = axis_events(eom, rigid=True)
    assert [spec.name for spec in specs] == ["c.axis.nearest"] + (["c.axis"] if not elastic else [])
    assert [spec.direction for spec in specs] == [1, -1][: len(specs)] and all(spec.kinks for spec in specs)
    assert len(axis_events(eom, rigid=False)[1]) == (1 if elastic else 0)
    place = {name: eom.q_names.index(name) for name in "xyz"}
    system = eom.constraint_system
    motions = [(0.1, 0.05, 0.5, -0.2), (0.1, 0.05, -0.5, 0.2), (0.3, 0.1, 1.0, 1.0), (3e-6, 4e-6, 0.6, 0.8)]
    for x, y, vx, vy in motions:
        q, v = np.zeros(3), np.zeros(3)
        q[[place["x"], place["y"], place["z"]]] = x, y, -1.0
        v[[place["x"], place["y"]]] = vx, vy
        latches = system.latch_table.measured(system.latch_nominal, q, 0.0, eom.parameter_values(None))
        distance = np.hypot(x, y)
        leaves = (x * vx + y * vy) / distance
        near = distance - 0.01 * max(leaves, 0.0) < 0.2
        found = _values(eom, g, q, v, latches)
        assert found[0] == pytest.approx(leaves - 1e-6 if near else -1.0, rel=1e-9)
        if elastic:
            continue
        acts = latches[system.latch_index("active.c")] > 0.5 if system.latch_index("active.c") >= 0 else True
        time = distance / abs(leaves)
        jump = 1.0
        if leaves > 0.0 and time < 1e-5:
            rate = float(eom.constraint_velocity(q, v, latches=latches)[0])
            jump = 1e-3 * leaves - abs(rate)
        assert acts and found[1] == pytest.approx(min(min(time, 1.0) - KINK, jump), rel=1e-6, abs=1e-12)


def test_free_lines_of_ropes_that_vanish() -> None:
    """Half the rate of the square of their length, by differences, and the square over a second."""
    eom = da.equations(tackle(3, 60.0, 15.0), backend="vm")
    g, specs = line_events(eom)
    (route,) = eom.constraint_system.routes.values()
    passing = [condition for condition in route.conditions if condition.passes]
    assert g and [spec.name for spec in specs] == [f"{condition.name}.nearest" for condition in passing]
    assert all(spec.direction == 1 and spec.hidden for spec in specs)
    rng, h = np.random.default_rng(2), 1e-6
    q, v = 0.1 * rng.normal(size=2), rng.normal(size=2)
    squares = [condition.value for condition in passing]
    here, ahead, behind = (_values(eom, squares, eom.integrate(q, s * h * v), v) for s in (0.0, 1.0, -1.0))
    np.testing.assert_allclose(_values(eom, g, q, v), 0.25 * (ahead - behind) / h + here, rtol=1e-6)


def test_joints_that_a_new_machine_locks() -> None:
    """A slide that is clamped, and a body that floats beside a moving one and is now held by it: both stop there."""
    bodies = [
        da.box("cart", 2.0, (0.4, 0.3, 0.2)),
        da.box("hull", 3.0, (0.5, 0.6, 0.7)),
        da.box("part", 1.2, (0.2, 0.3, 0.1)),
    ]
    slide = da.Joint("slide", "prismatic", "world", "cart", axis="x")
    turn = da.Joint("turn", "revolute", "world", "hull", (0, 0, 2.0), axis="z")
    place = (0.9, 0.3, 0.0)
    two = da.Machine("two", bodies, [slide, turn, da.Joint("part", "free", "hull", "part", place)], gravity=(0, 0, 0))
    one = da.Machine(
        "one",
        bodies,
        [da.Joint("clamp", "fixed", "world", "cart"), turn, da.Joint("grip", "fixed", "hull", "part", place)],
        gravity=(0, 0, 0),
    )
    before, after = da.equations(two, backend="vm"), da.equations(one, backend="vm")
    q, v = before.q_neutral, np.random.default_rng(2).normal(size=before.nv)
    made = join(_ended(before, q, v), after)
    M, k = before.mass_matrix(q), before.v_names.index("turn_dot")
    assert made.v == pytest.approx([(M @ v)[k] / M[k, k]], rel=1e-9)
    assert made.loss == pytest.approx(0.5 * (v @ M @ v - (M @ v)[k] ** 2 / M[k, k]), rel=1e-9)


def test_estimates_take_the_place_of_measurements() -> None:
    """What laws see of a coordinate: its estimate, else its reading, else the coordinate itself."""
    sensors = [da.Sensor("encoder", ["x", "y"], 0.1), da.Sensor("aside", ["x_dot"], 0.1, feedback=False)]
    eom = da.equations(_mass(2), backend="vm")
    slots = Slots()
    held = {name: slots.add(name) for name in ("encoder.x", "encoder.y", "aside.x_dot", "filter.y", "filter.y_dot")}
    plain = Quantities(eom, (), sensors, slots)
    known = Quantities(eom, (), sensors, slots, {"y": "filter.y", "y_dot": "filter.y_dot"})
    for found, seen in (
        (plain, {"x": "encoder.x", "y": "encoder.y"}),
        (known, {"x": "encoder.x", "y": "filter.y", "y_dot": "filter.y_dot"}),
    ):
        for name in ("x", "y", "x_dot", "y_dot"):
            expected = held[seen[name]] if name in seen else found.true[name]
            assert ca.is_equal(found.seen[name], expected), name
        state = ca.vertcat(found.q, found.v)
        assert [str(state[k]) for k in range(4)] == [str(found.seen[n]) for n in ("x", "y", "x_dot", "y_dot")]


def test_velocities_that_constraints_change_are_told() -> None:
    """From a thousandth of the largest one on; those that are zero follow from the others."""
    machine = SimpleNamespace(name="m", v_names=("a", "b", "c"))
    eom: Any = SimpleNamespace(nq=2, nv=3, machine=machine, to_machine=lambda q, v, p: (q, v))
    for got, told in (
        ([1.0, -2.0, 7.0], None),
        ([1.0019, -2.0, 7.0], None),
        ([1.0, -2.01, 0.0], "'b' starts at -2.01 instead of -2"),
        ([0.5, -2.1, 0.0], "'a' starts at 0.5 instead of 1"),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", DalembertWarning)
            _tell_changes(eom, np.array([8.0, 9.0, *got, 5.0]), np.array([1.0, -2.0, 0.0]), {})
        assert len(caught) == (told is not None) and (told is None or told in str(caught[0].message))


def test_bounds_of_contacts() -> None:
    """No point of a solid or of what faces it is faster than its bound; sizes are those of balls."""
    bodies = [da.box("a", 1.0, (0.4, 0.3, 0.2)), da.box("b", 2.0, (1.0, 0.8, 0.6))]
    joints = [da.Joint("a", "free", "world", "a"), da.Joint("b", "free", "world", "b")]
    at = (0.32, -0.24, 0.3)
    contacts = [
        da.Contact("ball", "a", da.Sphere(0.17), at),
        da.Contact("stick", "a", da.Capsule(0.13, 0.7), at),
        da.Contact("crate", "a", da.Box((0.3, 0.5, 0.2)), at),
        da.Contact("point", "a", None, at),
        da.Contact("moving", "a", da.Sphere(0.17), at, on="b"),
        da.Contact(
            "round", "a", da.Sphere(0.17), at, on="b", surface=da.model.contacts.SphericalSurface(0.6, (0.2, -0.1, 0.3))
        ),
        da.Contact("bowl", "a", da.Sphere(0.05), at, surface=da.model.contacts.SphericalSurface(4.0, inside=True)),
    ]
    eom = da.equations(da.Machine("pair", bodies, joints, contacts=contacts), backend="vm")
    system = ContactSystem(eom.formulation)
    rng, s = np.random.default_rng(3), eom.symbolic
    q, v = eom.random_configuration(rng, 0.4), rng.normal(size=eom.nv)
    f = ca.Function("f", [s.q, s.v, s.p], [ca.densify(contact_paces(system)), ca.densify(ca.SX(system.gaps))])
    paces, gaps = (np.array(x).ravel() for x in f(q, v, eom.parameter_values(None)))
    twists = {name: eom.jacobian(name, q) @ v for name in ("a", "b")}
    fast, spin = ({n: np.linalg.norm(w[k]) for n, w in twists.items()} for k in (slice(0, 3), slice(3, 6)))
    apart, arm = np.linalg.norm(eom.pose("a", q)[:3, 3] - eom.pose("b", q)[:3, 3]), np.linalg.norm(at)
    arms = {"ball": 0.17, "stick": 0.13 + 0.35, "crate": np.linalg.norm([0.3, 0.5, 0.2]) / 2, "point": 0.0,
            "moving": 0.17, "round": 0.17, "bowl": 0.05}  # fmt: skip
    other = {"moving": apart + arm + 0.17, "round": np.linalg.norm([0.2, -0.1, 0.3]) + 0.6}
    sizes = {"ball": 0.17, "stick": 0.13, "moving": 0.17, "round": 0.77, "bowl": 0.05}
    found = contact_sizes(system.pairs)
    for k, pair in enumerate(system.pairs):
        name = cast(Any, pair.contact).name
        bound = fast["a"] + spin["a"] * (arm + arms[name])
        if name in other:
            bound += fast["b"] + spin["b"] * (other[name] + abs(gaps[k]))
        assert paces[k] == pytest.approx(bound, rel=1e-12), name
        assert found[k] == sizes.get(name, np.inf), name
    assert {cast(Any, pair.contact).name for pair in system.pairs} == set(arms)


@pytest.mark.parametrize("angle", [1e-3, 0.4, 2.9])
def test_how_far_a_grip_has_turned(angle: float) -> None:
    """The angle of the rotation between both places of the body, about any axis."""
    bodies = [da.box("hull", 3.0, (0.5, 0.6, 0.7)), da.box("part", 1.2, (0.2, 0.3, 0.1))]
    base, place = da.Joint("hull", "free", "world", "hull"), np.array([0.9, 0.3, 0.2])
    tilt = Rotation.from_euler("xyz", [0.3, -0.5, 0.9])
    held = da.Transform(tuple(place), tilt.as_matrix())
    two = da.Machine("two", bodies, [base, da.Joint("part", "free", "world", "part")], gravity=(0, 0, 0))
    one = da.Machine("one", bodies, [base, da.Joint("grip", "fixed", "hull", "part", held)], gravity=(0, 0, 0))
    before, after = da.equations(two, backend="vm"), da.equations(one, backend="vm")
    q = before.q_neutral
    axis = np.array([0.48, -0.6, 0.64])
    turned = (tilt * Rotation.from_rotvec(angle * axis)).as_quat()[[3, 0, 1, 2]]
    k = before.q_names.index("part.x")
    q[k : k + 7] = [*(place + [1e-4, -2e-4, 2e-4]), *turned]
    made = join(_ended(before, q, np.zeros(12)), after, gap=1.0, turn=4.0)
    assert made.turn == pytest.approx(angle, rel=1e-9) and made.gap == pytest.approx(3e-4, rel=1e-9)
    with pytest.raises(InputError, match=f"and {np.degrees(angle):.3g} degrees from its place"):
        join(_ended(before, q, np.zeros(12)), after, gap=1.0, turn=0.99 * angle)


def test_a_start_of_steps_is_put_on_its_constraints() -> None:
    """Of a state beside them: the nearest one, how far it is, requested velocities, and latches of slack cables."""
    machine = da.Machine(
        "hung",
        [da.point_mass("one", 1.0), da.point_mass("two", 2.5)],
        [da.Joint("x", "prismatic", "world", "one", axis="x"), da.Joint("y", "prismatic", "world", "two", axis="y")],
        constraints=[da.DistanceConstraint("rod", "one", "two", length=1.0)],
        cables=[da.Cable("line", "one", exit_at=(3.0, 0, 0), length=2.6)],
    )
    eom = da.equations(machine, backend="vm")
    names = eom.constraint_system.latch_names
    chosen = [k for k, name in enumerate(names) if name.startswith("active.")]
    start = SteppedStart(eom, chosen, [4 + k for k in range(len(chosen))])
    p = eom.parameter_values(None)
    a = 0.93  # the rod at an angle, a little too long
    x = np.array([1.001 * np.cos(a), 1.001 * np.sin(a), 0.7, 0.4, *np.ones(len(chosen))])
    made, moved = start.one(x, 0.0, p, None)
    assert np.hypot(*made[:2]) == pytest.approx(1.0, abs=1e-12) and made[:2] @ made[2:4] == pytest.approx(
        0.0, abs=1e-12
    )
    assert moved["velocity"] == pytest.approx(np.abs(made[2:4] - x[2:4]).max(), rel=1e-12)
    assert moved["position"] == pytest.approx(np.abs(made[:2] - x[:2]).max(), rel=1e-6)
    change = np.diag([1.0, 2.5]) @ (made[2:4] - x[2:4])
    assert abs(np.cross([*change, 0.0], [*made[:2], 0.0])[2]) < 1e-10  # an impulse along the rod
    assert made[4] == 0.0  # the cable is longer than its way
    asked, far = start.one(x, 0.0, p, {"x_dot": 0.7})
    assert asked[2] == pytest.approx(0.7) and asked[3] == pytest.approx(-0.7 * asked[0] / asked[1])
    assert far["velocity"] == pytest.approx(abs(asked[3] - 0.4))
    both = start.many(np.stack([x, x]), 0.0, np.zeros((2, 0)), {}, 1)
    np.testing.assert_allclose(both, [made, made], atol=1e-10)
    with pytest.raises(InputError, match="do not allow the velocities x_dot, y_dot together"):
        start.one(x, 0.0, p, {"x_dot": 0.7, "y_dot": 0.7})
