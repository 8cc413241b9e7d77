"""Contacts with faces, edges and corners of boxes, event by event."""

from __future__ import annotations

from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import InputError, MachineError
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive

A, B = (0.3, 0.2, 0.1), (0.25, 0.35, 0.15)
G = 9.81


def quaternion(rng: np.random.Generator) -> Array:
    q = rng.normal(size=4)
    return np.asarray(q / np.linalg.norm(q))


def about(axis: int, angle: float) -> list[float]:
    q = [np.cos(angle / 2), 0.0, 0.0, 0.0]
    q[1 + axis] = np.sin(angle / 2)
    return q


@cache
def pair(solid: str = "box", gravity: float = 0.0, on: str = "free", **_: Any) -> da.Machine:
    """A box, capsule or ball A, and a box B that floats or is fixed."""
    body = {
        "box": da.box("A", 1.0, A),
        "capsule": da.Body("A", 1.0, inertia=np.diag([0.02, 0.02, 0.01]), geometry=da.Capsule(0.05, 0.4)),
        "ball": da.sphere("A", 1.0, 0.1),
    }[solid]
    joints = [da.Joint("a", "free", "world", "A"), da.Joint("b", on, "world", "B")]
    machine = da.Machine("pair", [body, da.box("B", 2.0, B)], joints, gravity=(0.0, 0.0, -gravity))
    e, mu = da.Parameter("e", 0.5), da.Parameter("mu", 0.5)
    return machine.with_(contacts=da.body_contacts(machine, "A", "B", restitution=e, friction=mu))


@cache
def equations(solid: str) -> EquationsOfMotion:
    return derive(pair(solid), backend="vm")


def placed(*poses: tuple[Array | list[float], Array | list[float]]) -> Array:
    return np.concatenate([np.concatenate([np.asarray(p), np.asarray(q)]) for p, q in poses])


@pytest.mark.parametrize("solid", ["box", "capsule"])
def test_rates_and_accelerations_are_those_of_the_distance(solid: str) -> None:
    """``d' = J_n v`` and ``(J v)' = J v' + b`` of all pairs, by central differences in random poses."""
    eom, rng, h = equations(solid), np.random.default_rng(0), 1e-6
    s, system = eom.symbolic, eom.contact_system()
    terms = ca.Function("f", [s.q, s.v], [system.distances, system.velocity, system.bias, s.coordinate_rate])
    for _ in range(5):
        q = placed((0.3 * rng.normal(size=3), quaternion(rng)), (0.3 * rng.normal(size=3), quaternion(rng)))
        v = rng.normal(size=12)
        _, u, b, rate = (np.array(x.full())[:, 0] for x in terms(q, v))
        (d1, u1, *_), (d2, u2, *_) = (
            [np.array(x.full())[:, 0] for x in terms(q + side * h * rate, v)] for side in (-1.0, 1.0)
        )
        smooth = np.abs(d2 - d1) < 1e-3  # a pair changes between opposite faces and edges far from contact
        assert smooth.mean() > 0.95
        assert ((d2 - d1) / (2 * h))[smooth] == pytest.approx(u[::3][smooth], rel=1e-6, abs=1e-7)
        rows = np.repeat(smooth, 3) & (np.abs(b) < 1e3)  # edges that are nearly parallel have any curvature
        assert ((u2 - u1) / (2 * h))[rows] == pytest.approx(b[rows], rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("solid", ["box", "capsule"])
def test_pairs_close_where_the_solids_touch(solid: str) -> None:
    """Solids that approach each other from all sides: the first gap closes at the touch that `coal` finds."""
    coal = pytest.importorskip("coal")
    shape = coal.Box(*A) if solid == "box" else coal.Capsule(0.05, 0.4)
    other, eom, rng = coal.Box(*B), equations(solid), np.random.default_rng(1)
    gaps = ca.Function("gaps", [eom.symbolic.q], [eom.contact_system().gaps])
    kinds = set()
    for _ in range(60):
        turns, way = (quaternion(rng), quaternion(rng)), rng.normal(size=3)
        way /= np.linalg.norm(way)

        def far(s: float, turns: Any = turns, way: Array = way) -> tuple[float, Array]:
            result, request = coal.DistanceResult(), coal.DistanceRequest()
            request.gjk_tolerance = 1e-10
            poses = [
                coal.Transform3s(coal.Quaternion(*q), p) for q, p in zip(turns, (s * way, np.zeros(3)), strict=True)
            ]
            coal.distance(shape, poses[0], other, poses[1], request, result)
            return float(result.min_distance), np.asarray(result.normal)

        s, step = 1.5, 1.0
        for _ in range(100):  # conservative advancement: the distance falls by at most the way
            step = far(s)[0]
            s -= step
            if step < 1e-9:
                break

        def seen(s: float, turns: Any = turns, way: Array = way) -> Array:
            return np.array(gaps(placed((s * way, turns[0]), (np.zeros(3), turns[1]))).full())[:, 0]

        apart, touch, deep = seen(s + 1e-4), seen(s), seen(s - 1e-5)
        assert apart.min() > 0.0
        assert touch.min() == pytest.approx(0.0, abs=1e-7)
        assert deep.min() < -1e-7
        first = int(np.argmin(touch))
        kinds.add(min(first // 24, 2) if solid == "box" else first // 2 if first < 2 else 1)
        _, axes = eom.contact_points(placed((s * way, turns[0]), (np.zeros(3), turns[1])))
        assert abs(axes[first, 0] @ far(s + 1e-6)[1]) == pytest.approx(1.0, abs=1e-3)
    assert len(kinds) == (3 if solid == "box" else 2)  # corners of either box, and edges; ends, and the side


def lowest(size: tuple[float, ...], tilt: float) -> tuple[float, float]:
    """Place across and height of the lowest edge of a box tilted about the axis along it, less those of its centre."""
    corners = [(np.cos(tilt) * y - np.sin(tilt) * z, np.sin(tilt) * y + np.cos(tilt) * z)
               for y in (-size[0] / 2, size[0] / 2) for z in (-size[1] / 2, size[1] / 2)]  # fmt: skip
    return min(corners, key=lambda corner: corner[1])


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)])
def test_crossed_edges_rebound_along_their_common_normal(seed: int) -> None:
    """An edge falls across another one: Newton's impulse along the normal of both, at the closed form's instant."""
    rng, e, n = np.random.default_rng(seed), 0.6, np.array([0.0, 0.0, 1.0])
    tilt = rng.uniform(0.5, 1.0, size=2)
    c = np.array([*rng.uniform(-0.05, 0.05, size=2), 0.4])
    across, low = lowest(A[1:], tilt[0])
    beside, high = lowest((B[0], B[2]), -tilt[1])
    gap, meets = c[2] + low + high, np.array([-beside, c[1] + across, 0.0])
    eom, q0 = equations("box"), placed((c, about(0, tilt[0])), (np.zeros(3), about(1, tilt[1])))
    R = [eom.pose(name, q0)[:3, :3] for name in "AB"]
    inverse, response = 0.0, []
    for body, centre, turn in zip(pair().bodies, (c, np.zeros(3)), R, strict=True):
        arm = np.cross((meets - centre) * [1.0, 1.0, 0.0], n)
        response.append(np.linalg.solve(turn @ np.array(body.inertia, dtype=float) @ turn.T, arm))
        inverse += 1.0 / float(body.mass) + arm @ response[-1]
    impulse = (1.0 + e) / inverse
    v0 = np.concatenate([R[0].T @ -n, np.zeros(9)])
    run = da.simulate(
        frictionless(), duration=gap + 0.002, q0=q0, v0=v0, p={"e": e}, method="dopri5", rtol=1e-10, backend="vm"
    )
    (event,) = run.events
    assert event.t == pytest.approx(gap, abs=1e-9)
    assert int(event.name.partition("[")[2].partition("]")[0]) >= 48
    row = int(np.flatnonzero(run.t == event.t)[-1])
    for k, (mass, way) in enumerate(((1.0, 1.0), (2.0, -1.0))):
        v, w = (R[k] @ run.x[row, 14 + 6 * k + 3 * j : 17 + 6 * k + 3 * j] for j in (0, 1))
        assert v == pytest.approx(-n * (k == 0) + way * impulse / mass * n, abs=1e-8)
        assert w == pytest.approx(way * impulse * response[k], abs=1e-7)
    assert run.metadata["transitions"][0]["energy_lost"] == pytest.approx(0.5 * (1.0 - e * e) / inverse, rel=1e-8)


@cache
def frictionless() -> da.Machine:
    machine = pair().with_(contacts=())
    return machine.with_(contacts=da.body_contacts(machine, "A", "B", restitution=da.Parameter("e", 0.5)))


@cache
def table(solid: str = "box") -> da.Machine:
    """A box or a ball, and a table whose top is 0.1 m above the origin and ends at x = 0.5 m."""
    body = da.box("A", 1.0, A) if solid == "box" else da.sphere("A", 1.0, 0.1)
    joints = [da.Joint("t", "fixed", "world", "table"), da.Joint("a", "planar", "world", "A", axis="-y")]
    machine = da.Machine("table", [da.box("table", 9.0, (1.0, 1.0, 0.2)), body], joints)
    friction = da.Parameter("mu", 0.5) if solid == "box" else 0.0
    return machine.with_(contacts=da.body_contacts(machine, "A", "table", friction=friction))


def on_table(solid: str = "box", **settings: Any) -> da.Run:
    return da.simulate(table(solid), method="dopri5", rtol=1e-9, record=0.01, backend="vm", **settings)


def test_a_box_tips_over_the_edge_of_a_table() -> None:
    """Its centre is beyond the edge, on which its lower edges pivot: ``w^2 (I + m r^2) = 2 m g`` times what it fell."""
    d, h = 0.05, 0.05
    run = on_table(duration=0.14, q0={"a.x": 0.5 + d, "a.y": 0.1 + h}, p={"mu": 0.9})
    inertia, fell = (A[0] ** 2 + A[2] ** 2) / 12 + d * d + h * h, 0.1 + h - run["a.y"]
    assert not run.events
    assert fell[-1] > 0.02
    assert run["a.angle_dot"] ** 2 * inertia == pytest.approx(2.0 * G * fell, rel=1e-7, abs=1e-9)
    assert np.hypot(run["a.x"] - 0.5, run["a.y"] - 0.1) == pytest.approx(np.hypot(d, h), abs=1e-9)


def test_a_box_slides_over_the_edge_of_a_table() -> None:
    """Corners leave the top, edges carry the box on; it tips as soon as friction and weight do so about the edge."""
    mu, v, x0 = 0.2, 1.2, 0.3
    run = on_table(duration=0.2, q0={"a.x": x0, "a.y": 0.15}, v0={"a.x_dot": v}, p={"mu": mu})

    def at(way: float) -> float:
        return float((v - np.sqrt(v * v - 2.0 * mu * G * way)) / (mu * G))

    leave, tips = at(0.5 - x0 - A[0] / 2), at(0.5 - x0 - mu * A[2] / 2)
    assert [event.name.partition(".")[2] for event in run.events] == ["leave"] * 2 + ["release"] * 2
    assert [event.t for event in run.events] == pytest.approx([leave] * 2 + [tips] * 2, abs=2e-6)
    rests = (run.t > leave + 1e-4) & (run.t < tips - 1e-4)
    assert run["a.y"][rests] == pytest.approx(0.15, abs=1e-10)
    carried = sum(run[f"force.A-table[{k}].normal"] for k in range(84))
    assert carried[rests] == pytest.approx(G, rel=1e-9)
    on_edge = sum(run[f"force.A-table[{k}].normal"] for k in range(48, 84))
    lever = (run["a.x"] + mu * A[2] / 2 - (run["a.x"] - A[0] / 2)) / (0.5 - run["a.x"] + A[0] / 2)
    assert on_edge[rests] == pytest.approx((G * lever)[rests], rel=1e-7)


def test_a_ball_leaves_the_edge_of_a_table() -> None:
    """Without friction its centre turns about the edge until ``cos a = 2/3 + v^2/(3 g r)``."""
    r, v = 0.1, 0.3
    run = on_table("ball", duration=0.4, q0={"a.x": 0.45, "a.y": 0.1 + r}, v0={"a.x_dot": v})
    (event,) = run.events
    x, z = event.x[0] - 0.5, event.x[1] - 0.1
    assert event.name == "A-table.release"
    assert np.hypot(x, z) == pytest.approx(r, abs=1e-10)
    assert z / r == pytest.approx(2.0 / 3.0 + v * v / (3.0 * G * r), abs=1e-8)


@pytest.mark.slow
def test_boxes_that_are_flush_and_bars_that_cross_carry_each_other() -> None:
    """A box falls on one of its own size, corner on corner, and a bar on a bar: no step passes through."""
    size = (0.2, 0.2, 0.2)
    bodies = [da.box(name, 1.0, size) for name in "AB"]
    machine = da.Machine("stack", bodies, [da.Joint(name, "free", "world", name) for name in "AB"])
    floor = da.Contact("floor", "B", da.Box(size), friction=0.5)
    machine = machine.with_(contacts=[*da.body_contacts(machine, "A", "B", friction=0.5), floor])
    for record in (0.05, 0.1):
        run = da.simulate(
            machine, duration=0.5, q0={"B.z": 0.1, "A.z": 0.35}, method="dopri5", record=record, backend="vm"
        )
        assert run.events[0].t == pytest.approx(np.sqrt(0.1 / G), abs=1e-10)
        assert run["A.z"][-1] == pytest.approx(0.3, abs=1e-10)
        assert sum(run[f"force.floor[{k}].normal"][-1] for k in range(4)) == pytest.approx(2.0 * G)
    bodies = [da.box("A", 1.0, (1.0, 0.1, 0.1)), da.box("B", 1.0, (0.1, 1.0, 0.1))]
    machine = da.Machine("bars", bodies, [da.Joint("A", "free", "world", "A"), da.Joint("B", "fixed", "world", "B")])
    machine = machine.with_(contacts=da.body_contacts(machine, "A", "B", friction=0.5))
    run = da.simulate(machine, duration=0.3, q0={"A.z": 0.15}, method="dopri5", record=0.1, backend="vm")
    forces = np.array([run[f"force.A-B[{k}].normal"][-1] for k in range(84)])
    assert forces[forces > 0.0] == pytest.approx(np.full(4, G / 4))


@pytest.mark.slow
def test_colliders_converge_to_it() -> None:
    """The box that slides over the edge and falls, by time-stepping with colliders, whose rows turn about the edge."""
    settings: dict[str, Any] = {"duration": 0.35, "q0": {"a.x": 0.3, "a.y": 0.15}, "v0": {"a.x_dot": 1.2}}
    exact = on_table(p={"mu": 0.2}, **settings)
    stepped = table().with_(contacts=(), colliders=[da.Collider("all", friction=0.2)])
    errors = []
    for step in (4e-4, 1e-4):
        run = da.simulate(stepped, contact="time-stepping", step=step, record=0.35, **settings)
        errors.append(np.linalg.norm(run.x[-1, :3] - exact.x[-1, :3]))
    assert errors[1] < 2e-6 and errors[1] < 0.4 * errors[0]


@pytest.mark.slow
@pytest.mark.parametrize("solid", ["box", "capsule"])
def test_random_throws_neither_overlap_nor_gain_energy(solid: str) -> None:
    coal = pytest.importorskip("coal")
    machine, shape = pair(solid, G, "fixed"), coal.Box(*A) if solid == "box" else coal.Capsule(0.05, 0.4)
    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-10
    for seed in range(3 if solid == "box" else 8):
        rng = np.random.default_rng(seed)
        q0 = np.concatenate([rng.uniform(-0.1, 0.1, size=2), [0.5], quaternion(rng)])
        v0 = np.concatenate([np.zeros(3), 3.0 * rng.normal(size=3)])
        p = {"mu": float(rng.uniform(0.1, 0.9)), "e": float(rng.uniform(0.0, 0.6))}
        run = da.simulate(machine, duration=0.6, q0=q0, v0=v0, p=p, method="dopri5", record=0.01, backend="vm")
        assert run.events
        assert run.energy.drift < 1e-6
        assert all(change["energy_lost"] > -1e-12 for change in run.metadata["transitions"])
        for x in run.x:
            result, q = coal.DistanceResult(), x[3:7] / np.linalg.norm(x[3:7])
            pose = coal.Transform3s(coal.Quaternion(*q), x[:3].copy())
            coal.distance(shape, pose, coal.Box(*B), coal.Transform3s(), request, result)
            assert result.min_distance > -1e-7


def test_what_cannot_be_located_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"contact 'A-B\[2\]' of machine 'pair' is with a face or edge.*as colliders"):
        da.simulate(pair("capsule"), duration=0.1, q0={"a.z": 1.0}, contact="time-stepping", step=1e-3)
    with pytest.raises(InputError, match=r"'A' and the surface on 'B' overlap by .* m at the start.*move them apart"):
        da.simulate(pair("capsule"), duration=0.1, q0={"a.z": 0.05}, backend="vm")

    def contacts(*shapes: Any) -> tuple[da.Contact, ...]:
        bodies = [
            da.Body(name, 1.0, inertia=np.eye(3), geometry=shape) for name, shape in zip("AB", shapes, strict=True)
        ]
        machine = da.Machine("m", bodies, [da.Joint(name, "free", "world", name) for name in "AB"])
        return da.body_contacts(machine, "A", "B")

    capsule, box = da.Capsule(0.1, 0.2), da.Box((1.0, 1.0, 1.0))
    for wrong in ((capsule, capsule), (da.Cylinder(0.1, 0.2), box), (da.Cone(0.1, 0.2), da.Sphere(0.1))):
        with pytest.raises(
            MachineError, match=r"cannot be located event by event.*colliders and contact='time-stepping'"
        ):
            contacts(*wrong)
    many = [da.Geometry(box, origin=(2.0 * k, 0.0, 0.0)) for k in range(4)]
    with pytest.raises(MachineError, match="may touch in 336 points, more than the 252"):
        contacts(many, box)
    assert [c.count for c in contacts(box, da.Sphere(0.1))] == [1]
    assert contacts(box, da.Sphere(0.1))[0].frame == "B"
    assert [c.count for c in contacts(da.Sphere(0.2), capsule)] == [1]
    with pytest.raises(MachineError, match="does not touch itself"):
        da.body_contacts(pair(), "A", "A")
    with pytest.raises(da.UnknownNameError, match="'C'"):
        da.body_contacts(pair(), "A", "C")
