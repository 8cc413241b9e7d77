"""Laws of the model by themselves: pairs of boxes that touch, and fields of points of beams."""

from __future__ import annotations

from itertools import product
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dalembert.core.types import Array
from dalembert.model.contacts import sharp

HALF_A, HALF_B = np.array([0.31, 0.17, 0.23]), np.array([0.41, 0.29, 0.37])
SIGNS = [np.array([i, j, k]) for k, j, i in product((-1.0, 1.0), repeat=3)]


def _values(pairs: list[sharp.Facing], symbols: list[ca.SX], numbers: list[Any]) -> list[dict[str, Array]]:
    """All numbers of pairs, as dictionaries."""
    f = ca.Function("f", symbols, [ca.densify(ca.SX(x)) for pair in pairs for x in (*pair, pair.window)])
    found = [np.array(x) for x in f(*numbers)]
    keys = [*sharp.Facing._fields, "window"]
    n = len(keys)
    rows = [dict(zip(keys, found[k : k + n], strict=True)) for k in range(0, len(found), n)]
    sizes: dict[str, Any] = {"axes": (3, 3), "point": 3}
    return [{k: x.reshape(sizes.get(k, ())) for k, x in row.items()} for row in rows]


def _beside(away: float, before: float) -> float:
    """Windows end before zero; what is beyond is farther away by a millimetre."""
    return away + (1e-3 if away > -before else 0.0)


def _fall(sines: list[float]) -> float:
    """By how much the deepest direction of a solid falls, beyond what may be rounding."""
    most = max([-s - 1e-4 for s in sines], default=-1.0)
    return most if most > 0.0 else -1.0


def _corner(x: Array, b: Array, inwards: list[Array], k: int) -> dict[str, Any]:
    """A corner of a solid, whose edges run along the given directions, on the two faces across axis k."""
    side = 1.0 if x[k] >= 0 else -1.0
    beside = []
    for m in range(3):
        if m != k:
            flush = any(abs(d[k]) < 1e-3 and d[m] * np.sign(x[m]) < -0.5 for d in inwards)
            away = abs(x[m]) - b[m]
            beside.append(away if flush else _beside(away, 5e-7))
    return {
        "gap": abs(x[k]) - b[k],
        "normal": side * np.eye(3)[k],
        "tangent": np.eye(3)[(k + 1) % 3],
        "point": x,
        "beside": max(beside),
        "falls": _fall([side * d[k] for d in inwards]),
        "depth": b[k],
    }


def _farthest_edge(Q: Array, i: int, a: Array, n: Array, label: float) -> tuple[Array, list[Array], float]:
    """Of two opposite edges along an axis that which reaches farther along n: middle, inward directions, extent."""
    one, two = (i + 1) % 3, (i + 2) % 3
    sides = [(s, label * s) for s in (-1.0, 1.0)]
    s1, s2 = max(sides, key=lambda s: n @ (s[0] * a[one] * Q[:, one] + s[1] * a[two] * Q[:, two]))
    centre = s1 * a[one] * Q[:, one] + s2 * a[two] * Q[:, two]
    chord = min(2 * a[m] / (abs(n @ Q[:, m]) + 1e-4) for m in (one, two))
    return centre, [-s1 * Q[:, one], -s2 * Q[:, two]], chord


def _nearest(p: Array, u: Array, o: Array, e: Array) -> tuple[float, float]:
    """Where two lines are nearest."""
    s, r = np.linalg.lstsq(np.column_stack([u, -e]), o - p, rcond=None)[0]
    return float(s), float(r)


def _same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """The tangents are n, t and n x t."""
    n, t = expected.pop("normal"), expected.pop("tangent")
    np.testing.assert_allclose(found["axes"], np.column_stack([n, t, np.cross(n, t)]), atol=1e-12)
    for key, value in expected.items():
        np.testing.assert_allclose(found[key], value, rtol=1e-9, atol=1e-12, err_msg=key)
    assert found["window"] == max(found["beside"], found["falls"])


def _poses() -> list[tuple[Array, Array]]:
    rng = np.random.default_rng(5)
    poses = [(Rotation.random(random_state=seed).as_matrix(), rng.normal(size=3) * 0.4) for seed in range(6)]
    poses += [(Rotation.from_rotvec(rng.normal(size=3)).as_matrix(), np.array([0.1, 0.05, 0.7]) * s) for s in (1, -1)]
    poses.append((Rotation.from_rotvec([0.0, 0.0, 0.4]).as_matrix(), np.array([0.35, -0.22, 0.6])))
    poses.append((Rotation.from_rotvec([0.2, 0.0, 0.0]).as_matrix(), np.array([-0.7, 0.2, 0.1])))
    poses.append((Rotation.from_rotvec([0.0, 2e-3, 0.3]).as_matrix(), np.array([0.3, 0.4, -0.61])))
    return poses


@pytest.fixture(scope="module")
def boxes() -> Any:
    """All numbers of the pairs of two boxes."""
    Q, c, a, b = ca.SX.sym("Q", 3, 3), ca.SX.sym("c", 3), ca.SX.sym("a", 3), ca.SX.sym("b", 3)
    pairs = sharp.box_on_box(Q, c, a, b)
    assert len(pairs) == sharp.BOX_PAIRS == 84
    return lambda *numbers: _values(pairs, [Q, c, a, b], list(numbers))


@pytest.mark.parametrize("seed", range(11))
def test_corners_and_edges_of_two_boxes(boxes: Any, seed: int) -> None:
    """Corners of either on the faces of the other, and the nearest points of the lines of their edges."""
    (Q, c), a, b = _poses()[seed], HALF_A, HALF_B
    found = iter(boxes(Q, c, a, b))
    for s in SIGNS:
        for k in range(3):
            _same(next(found), _corner(c + Q @ (s * a), b, [-s[m] * Q[:, m] for m in range(3)], k))
    for s in SIGNS:
        for k in range(3):
            expected = _corner(Q.T @ (s * b - c), a, [-s[m] * Q[m] for m in range(3)], k)
            n = -Q @ expected["normal"]  # from B to A
            point = s * b + expected["gap"] * n
            expected |= {"normal": n, "tangent": Q @ expected["tangent"], "point": point}
            _same(next(found), expected)
    for i, j in product(range(3), range(3)):
        u, e = Q[:, i], np.eye(3)[j]
        parallel = np.linalg.norm(np.cross(u, e)) < 1e-6
        n = np.eye(3)[(j + 1) % 3] if parallel else np.cross(u, e) / np.linalg.norm(np.cross(u, e))
        n = n if n @ c >= 0 else -n
        for one, two in product((-1.0, 1.0), repeat=2):
            p, inward_a, chord_a = _farthest_edge(Q, i, a, -n, one)
            o, inward_b, chord_b = _farthest_edge(np.eye(3), j, b, n, two)
            pair = next(found)
            if parallel:
                assert pair["beside"] == 1.0
                continue
            p = p + c
            s, r = _nearest(p, u, o, e)
            sines = [n @ d for d in inward_a] + [-n @ d for d in inward_b]
            expected = {
                "normal": n,
                "tangent": u,
                "gap": n @ (p + s * u - o - r * e),
                "point": p + s * u,
                "beside": _beside(max(abs(s) - a[i], abs(r) - b[j]), 2.5e-7),
                "falls": _fall(sines),
                "depth": 5e-7 if min(sines) < -1e-9 else chord_a + chord_b,
            }
            _same(pair, expected)
    assert next(found, None) is None


@pytest.mark.parametrize("seed", range(11))
def test_sides_of_capsules_on_edges_and_corners_of_a_box(seed: int) -> None:
    """The axis of a capsule and lines or points of a box, nearest to each other, less the radius."""
    (Q, c), b, half, radius = _poses()[seed], HALF_B, 0.27, 0.08
    symbols = [ca.SX.sym("w", 3), ca.SX.sym("c", 3), ca.SX.sym("h"), ca.SX.sym("r"), ca.SX.sym("b", 3)]
    pairs = sharp.capsule_on_box(*symbols)
    assert len(pairs) == sharp.CAPSULE_PAIRS == 14
    w = Q[:, 0]
    found = iter(_values(pairs, symbols, [w, c, half, radius, b]))
    for j in range(3):
        e = np.eye(3)[j]
        parallel = np.linalg.norm(np.cross(w, e)) < 1e-6
        n = np.eye(3)[(j + 1) % 3] if parallel else np.cross(w, e) / np.linalg.norm(np.cross(w, e))
        n = n if n @ c >= 0 else -n
        for label in (-1.0, 1.0):
            o, inward, chord = _farthest_edge(np.eye(3), j, b, n, label)
            pair = next(found)
            if parallel:
                assert pair["beside"] == 1.0
                continue
            s, r = _nearest(c, w, o, e)
            sines = [-n @ d for d in inward]
            expected = {
                "normal": n,
                "tangent": w,
                "gap": n @ (c + s * w - o - r * e) - radius,
                "point": c + s * w - radius * n,
                "beside": _beside(max(abs(s) - half, abs(r) - b[j]), 2.5e-7),
                "falls": _fall(sines),
                "depth": 5e-7 if min(sines) < -1e-9 else 2 * radius + chord,
            }
            _same(pair, expected)
    for signs in SIGNS:
        corner = signs * b
        s = w @ (corner - c)
        away = np.linalg.norm(c + s * w - corner)
        n = (c + s * w - corner) / away
        expected = {
            "normal": n,
            "tangent": w,
            "gap": away - radius,
            "point": c + s * w - radius * n,
            "beside": _beside(abs(s) - half, 2.5e-7),
            "falls": -1.0,
            "depth": radius,
        }
        _same(next(found), expected)
    assert next(found, None) is None


@pytest.mark.parametrize("width", [-6e-7, -4e-7, -3e-7, -2e-7, 2e-7])
def test_windows_at_the_ends_of_faces_and_edges(width: float) -> None:
    """Points end half a micrometre before the edges of a face; edges half of that before their ends."""
    b = HALF_B
    x = b * np.array([-0.3, 1.0, 0.9]) + [0.0, width, 0.0]
    y, d = ca.SX.sym("y", 3), ca.SX.sym("d", 3)
    on_top = _values(sharp.point_on_box(y, d), [y, d], [x, b])
    assert len(on_top) == sharp.POINT_PAIRS
    for k in (0, 2):
        assert on_top[k]["beside"] == pytest.approx(width + (1e-3 if width > -5e-7 else 0.0), abs=1e-12)
        assert on_top[k]["falls"] == -1.0 and on_top[k]["window"] == on_top[k]["beside"]
    symbols = [ca.SX.sym("w", 3), ca.SX.sym("c", 3), ca.SX.sym("h"), ca.SX.sym("r"), ca.SX.sym("b", 3)]
    along = np.array([0.0, 0.6, -0.8])  # across the end of the edge along x
    centre = np.array([b[0] + width, b[1] + 0.04, b[2] + 0.03])
    edges = _values(sharp.capsule_on_box(*symbols), symbols, [along, centre, 0.3, 0.05, b])[:2]
    least = min(edges, key=lambda pair: pair["gap"] ** 2)
    assert least["beside"] == pytest.approx(width + (1e-3 if width > -2.5e-7 else 0.0), abs=1e-12)
