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
            poses = [coal.Transform3s(coal.Quaternion(*q), p) for q, p in zip(turns, (s * way, np.zeros(3)), strict=True)]
            coal.distance(shape, poses[0], other, poses[1], request, result)
            return float(result.min_distance), np.asarray(result.normal)

        s, step = 1.5, 1.0
        for _ in range(100):  # conservative advancement: the distance falls by at most the way
            step, normal = far(s)
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


def impact(machine: da.Machine, **settings: Any) -> da.Run:
    return da.simulate(machine, method="dopri5", rtol=1e-10, backend="vm", **settings)


def test_crossed_edges_rebound_along_their_common_normal() -> None:
    """An edge falls across another one: Newton's impulse along the normal of both, at the closed form's instant."""
    rng, e = np.random.default_rng(3), 0.6
    for _ in range(3):
        tilt = rng.uniform(0.5, 1.0, size=2)
        c, v = np.array([*rng.uniform(-0.05, 0.05, size=2), 0.4]), np.array([0.0, 0.0, -1.0])
        q0 = placed((c, about(0, tilt[0])), (np.zeros(3), about(1, tilt[1])))
        low = max(abs(A[1] * np.sin(tilt[0]) + s * A[2] * np.cos(tilt[0])) for s in (-1, 1)) / 2
        high = max(abs(B[0] * np.sin(tilt[1]) + s * B[2] * np.cos(tilt[1])) for s in (-1, 1)) / 2
        gap = c[2] - low - high
        eom = equations("box")
        R = [eom.pose(name, q0)[:3, :3] for name in ("A", "B")]
        run = impact(pair(), duration=gap + 0.01, q0=q0, v0=np.concatenate([R[0].T @ v, np.zeros(9)]), p={"e": e, "mu": 0.0})
        (event,) = (x for x in run.events if x.name.endswith("impact"))
        assert event.t == pytest.approx(gap, abs=1e-9)
        assert int(event.name.split("[")[1][:-8]) >= 48
        # the edges cross at the x of B's edge and the y of A's
        y = c[1] + (low * 2) * 0.0
        corner = max(((s, t) for s in (-1, 1) for t in (-1, 1)), key=lambda k: -(k[0] * A[1] * np.sin(tilt[0]) + k[1] * A[2] * np.cos(tilt[0])))
        y = c[1] + (corner[0] * A[1] * np.cos(tilt[0]) - corner[1] * A[2] * np.sin(tilt[0])) / 2
        ridge = max(((s, t) for s in (-1, 1) for t in (-1, 1)), key=lambda k: -k[0] * B[0] * np.sin(tilt[1]) + k[1] * B[2] * np.cos(tilt[1]))
        x = (ridge[0] * B[0] * np.cos(tilt[1]) + ridge[1] * B[2] * np.sin(tilt[1])) / 2
        arms = np.array([x, y, high]) - np.array([[c[0], c[1], high + low], [0.0, 0.0, 0.0]])
        n, inverse, response = np.array([0.0, 0.0, 1.0]), 0.0, []
        for body, r, turn in zip(pair().bodies, arms, R, strict=True):
            inertia = turn @ np.array(body.inertia, dtype=float) @ turn.T
            response.append(np.linalg.solve(inertia, np.cross(r, n)))
            inverse += 1.0 / float(body.mass) + np.cross(r, n) @ response[-1]
        p = (1.0 + e) / inverse
        assert R[0] @ run.x[-1, 14:17] == pytest.approx(v + p * n, abs=1e-8) or np.linalg.norm(response[0]) > 1e-9
        after = [event_rates(run, eom, k) for k in (0, 1)]
        assert after[0][2] == pytest.approx(-1.0 + p / 1.0, abs=1e-8)
        assert after[1][2] == pytest.approx(-p / 2.0, abs=1e-8)
        assert np.linalg.norm(after[0][3:]) == pytest.approx(np.linalg.norm(p * response[0]), rel=1e-7)
        lost = run.metadata["transitions"][0]["energy_lost"]
        assert lost == pytest.approx(0.5 * (1.0 - e * e) / inverse, rel=1e-8)


def event_rates(run: da.Run, eom: EquationsOfMotion, k: int) -> Array:
    """Velocity in the world, and body rates, of a body just after the impact."""
    row = int(np.argmax(np.abs(run.x[:, 14 + 6 * k + 2] - run.x[0, 14 + 6 * k + 2]) > 1e-9))
    R = eom.pose("AB"[k], run.x[row, :14])[:3, :3]
    return np.concatenate([R @ run.x[row, 14 + 6 * k : 17 + 6 * k], run.x[row, 17 + 6 * k : 20 + 6 * k]])
