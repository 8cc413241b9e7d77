"""Laws of contacts that hold for every pair of shapes, and the parts that contacts are made of, against numpy."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation
from tests.unit.test_touch_parts import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    HALF_SPACE,
    HULL,
    KINDS,
    SHOWN,
    SPHERE,
    Shape,
    calls_with_shapes,
    field,
    placed,
)

from dalembert.compile.build import find_toolchain
from support.engine_units import unit_with

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

FIELD, AT_POINT, AT_LINE, AT_FACE = 7, 0, 1, 2
ENTRIES = """
SHOWN int64_t parts(SHAPE(a), SHAPE(b), double reach, double *out) {
    MADE(a); MADE(b);
    struct contact c[MOST_FOUND];
    const int count = touching(&a, &b, reach, c);
    for (int i = 0; i < count; i++, out += 15) {
        memcpy(out, c[i].point, 3 * sizeof(double)), memcpy(out + 3, c[i].normal, 3 * sizeof(double));
        out[6] = c[i].gap;
        for (int k = 0; k < 2; k++) {
            out[7 + k] = c[i].part[k];
            for (int q = 0; q < 3; q++) out[9 + 3 * k + q] = c[i].part[k] == AT_LINE ? c[i].line[k][q] : 0.0;
        }
    }
    return count;
}
SHOWN void farther(SHAPE(a), SHAPE(b), const double *d, const double *x, double *w) {
    MADE(a); MADE(b);
    struct vertex v;
    farther_support(&a, &b, d, x, &v);
    memcpy(w, v.w, sizeof v.w), memcpy(w + 3, v.x, sizeof v.x), memcpy(w + 6, v.y, sizeof v.y);
}
SHOWN int64_t put_apart(int64_t count, const double *points, const double *n, double within, double *out) {
    struct contact c[MOST_FOUND];
    int made = 0;
    for (int i = 0; i < count; i++) made = add_apart(c, made, points + 4 * i, points[4 * i + 3], n, within);
    for (int i = 0; i < made; i++) memcpy(out + 4 * i, c[i].point, sizeof c[i].point), out[4 * i + 3] = c[i].gap;
    return made;
}
SHOWN int64_t above(double *polygon, int64_t m, const double *origin, const double *normal, const double *n,
                    double reach, double within, double *out) {
    struct contact c[MOST_POINTS];
    const int made = points_above((double(*)[3])polygon, (int)m, origin, normal, n, reach, within, c);
    for (int i = 0; i < made; i++) memcpy(out + 4 * i, c[i].point, sizeof c[i].point), out[4 * i + 3] = c[i].gap;
    return made;
}
SHOWN int64_t within_sides(const double *face, int64_t n, const double *normal, double *polygon, int64_t m) {
    return clip_to((double(*)[3])face, (int)n, normal, (double(*)[3])polygon, (int)m, 0.0);
}
SHOWN int64_t part_of(SHAPE(a), const double *n, const double *at, double *x, int64_t m, double *line) {
    MADE(a);
    return part_along(&a, n, at, (double(*)[3])x, (int)m, line);
}
"""


@pytest.fixture(scope="module")
def engine() -> Any:
    integers = ("parts", "put_apart", "face_of", "above", "within_sides", "part_of")
    return calls_with_shapes(unit_with(SHOWN + ENTRIES, "collide", "shape-parts", integers=integers))


def found(engine: Any, a: Shape, b: Shape, reach: float) -> np.ndarray:
    """Contacts, a row each: point, normal, gap, which part of either touches (point, line, face), both lines."""
    out = np.zeros((256, 15))
    return out[: engine("parts", a, b, reach, out)]


def scaled(shape: Shape, by: float) -> Shape:
    other = deepcopy(shape)
    other.p, other.vertex = by * shape.p, by * shape.vertex
    other.size = shape.size * (np.array([by, by, 1.0]) if shape.kind == FIELD else by)
    return other


def partner(rng: np.random.Generator, kind: int, other: int, gap: float) -> tuple[Shape, Shape]:
    """A shape and another one, or a half-space or a field below it, at about a gap."""
    if other in KINDS:
        return placed(rng, kind, other, gap)
    a = Shape(rng, kind)
    b = Shape(rng, HALF_SPACE) if other == HALF_SPACE else field(rng, lambda x, y: 0.1 * np.sin(3.0 * x) * np.cos(y))
    n = b.R[:, 2].copy()
    a.p[:] = b.p
    a.p += n * (gap + a.reach(-n) + n @ b.p)
    return a, b


@pytest.mark.parametrize("other", [*KINDS, HALF_SPACE, FIELD])
@pytest.mark.parametrize("kind", KINDS)
def test_similar_shapes_have_similar_contacts(engine: Any, kind: int, other: int) -> None:
    """Nothing depends on the unit of length: all lengths times a power of two change lengths by it, to the last bit."""
    rng, seen = np.random.default_rng(100 * kind + other), 0
    for gap in (0.2, 0.02, 0.003, -0.0005, -0.003, -0.008, -0.015, -0.02, -0.1):
        a, b = partner(rng, kind, other, gap)
        rows = found(engine, a, b, 0.3)
        seen += len(rows)
        for by in (2.0**-12, 2.0**12):
            lengths = np.array([by] * 3 + [1.0] * 3 + [by])
            other_rows = found(engine, scaled(a, by), scaled(b, by), 0.3 * by)
            np.testing.assert_array_equal(other_rows[:, :7], rows[:, :7] * lengths)
            np.testing.assert_array_equal(other_rows[:, 7:9], rows[:, 7:9])
    assert seen


@pytest.mark.parametrize("by", [1.0, 2.0**-12, 2.0**9])
def test_boxes_whose_edges_overlap_are_parted_along_the_least_depth(engine: Any, by: float) -> None:
    """That of fifteen axes, up to a thousandth of the size; the cores that are apart have a normal between them."""
    rng, slanted = np.random.default_rng(1), 0
    for _ in range(30):
        a, b = Shape(rng, BOX), Shape(rng, BOX)
        least = min(a.size.min(), b.size.min())
        over = least * rng.uniform(0.001, 0.015, 2)
        a.R = np.ascontiguousarray(b.R @ Rotation.from_rotvec(1e-3 * rng.normal(size=3)).as_matrix())
        local = np.array([*(a.size[:2] + b.size[:2] - over), 0.3 * (rng.uniform() - 0.5) * b.size[2]])
        a.p = b.p + b.R @ (local * np.array([1.0, rng.choice([-1.0, 1.0]), 1.0]))
        axes = [*a.R.T, *b.R.T, *(np.cross(u, v) for u in a.R.T for v in b.R.T)]
        axes = [n / np.linalg.norm(n) for n in axes if np.linalg.norm(n) > 1e-6]
        gap = max(-a.reach(-s * n) - b.reach(s * n) for n in axes for s in (1.0, -1.0))
        rows = found(engine, scaled(a, by), scaled(b, by), 0.1 * by)
        assert abs(rows[:, 6].min() / by - gap) < 2e-3 * least
        slanted += gap > -0.6 * over.max()
    assert slanted > 3


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("kind", [BOX, HULL])
def test_a_corner_on_a_sharp_edge_is_where_they_touch(engine: Any, kind: int, first: bool) -> None:
    """Of a box that stands on a corner: on the edge of another box, or of a hull; near its end too."""
    rng = np.random.default_rng(3)
    for at in (-0.8, 0.0, 0.5, 0.9):
        for gap in (0.003, 1e-4, -2e-4):
            a, b = Shape(rng, BOX), Shape(rng, BOX)
            a.size[:], b.size[1] = a.size[0], b.size[0]  # centres are above and below, those of smaller cores too
            if kind == HULL:  # a prism whose edge, along z, looks along x
                b = Shape(rng, HULL)
                square = np.array([[0.6, 0.0], [-0.4, 0.5], [-0.4, -0.7]])
                b.vertex = np.array([[*s, z] for z in (-1.2, 1.2) for s in square])
                sides = np.array([np.append(square[(i + 1) % 3] - square[i], 0.0) for i in range(3)])
                b.normal = np.array(
                    [np.cross(s, [0.0, 0.0, 1.0]) / np.linalg.norm(s) for s in sides] + [[0, 0, 1.0], [0, 0, -1.0]]
                )
                b.loop, b.start = (
                    np.array([0, 1, 4, 3, 1, 2, 5, 4, 2, 0, 3, 5, 3, 4, 5, 2, 1, 0]),
                    np.array([0, 4, 8, 12, 15, 18]),
                )
                b.size[0], edge, up, half = 0.25, b.R @ [0.6, 0.0, 0.0], b.R[:, 0].copy(), 1.2
            else:
                edge, half = b.R @ (b.size * [1.0, 1.0, 0.0]), b.size[2]
                up = b.R @ (np.array([1.0, 1.0, 0.0]) / np.sqrt(2.0))
            corner = np.array([1.0, -1.0, 1.0]) * a.size  # its three edges look away
            down = a.R @ (np.array([1.0, -1.0, 1.0]) / np.sqrt(3.0))
            turn = Rotation.align_vectors([-up], [down])[0].as_matrix()
            a.R = np.ascontiguousarray(turn @ a.R)
            touch = b.p + edge + at * half * b.R[:, 2]
            a.p = touch + gap * up - a.R @ corner
            rows = found(engine, *((a, b) if first else (b, a)), 0.05)
            assert len(rows) == 1
            np.testing.assert_allclose(rows[0, 3:6], up if first else -up, atol=2e-6)
            assert rows[0, 6] == pytest.approx(gap, abs=1e-7)
            np.testing.assert_allclose(rows[0, :3], touch + 0.5 * gap * up, atol=1e-5)
            assert rows[0, 7:9].tolist() == ([AT_POINT, AT_LINE] if first else [AT_LINE, AT_POINT])
            line = rows[0, 12:15] if first else rows[0, 9:12]
            assert np.linalg.norm(np.cross(line, b.R[:, 2])) < 1e-6 * np.linalg.norm(line)


def test_the_farther_of_two_supports(engine: Any) -> None:
    """Of the difference of two shapes: its end along a direction, or the opposite one, as far as it is from a point."""
    rng, ends = np.random.default_rng(4), set[bool]()
    for kinds in ((BOX, HULL), (CONE, CYLINDER), (CAPSULE, BOX)) * 10:
        a, b = placed(rng, *kinds, -0.1)
        core = [0.0 if s.kind != CAPSULE else s.size[0] for s in (a, b)]  # supports are those of cores
        d, x, w = rng.normal(size=3), rng.normal(size=3), np.zeros(9)
        n = d / np.linalg.norm(d)
        high = a.reach(n) + b.reach(-n) - sum(core)
        low = -a.reach(-n) - b.reach(n) + sum(core)
        engine("farther", a, b, d, x, w)
        farther = high if abs(high - n @ x) > abs(low - n @ x) else low
        assert n @ w[:3] == pytest.approx(farther, abs=1e-12)
        np.testing.assert_allclose(w[:3], w[3:6] - w[6:], atol=1e-15)
        assert max(a.outside(w[3:6]), b.outside(w[6:])) < 1e-9
        ends.add(farther == high)
    assert len(ends) == 2


def test_points_that_are_near_each_other_are_one(engine: Any) -> None:
    """The one with the lesser gap stays, of equal gaps the middle; others are kept."""
    rng, n, out = np.random.default_rng(5), np.array([0.36, -0.48, 0.8]), np.zeros((8, 4))
    within, x, far = 0.1, rng.normal(size=3), rng.normal(size=3) + 5.0
    near = x + 0.5 * within * np.array([0.6, 0.0, -0.8])
    for one, two in ((0.52, 0.53), (0.03, 0.02), (0.52, 0.52), (0.02, 0.02 + 0.5e-3 * within), (-0.02, 0.02)):
        rows = np.array([[*far, 0.01], [*(x + 0.5 * one * n), one], [*(near + 0.5 * two * n), two]])
        count = engine("put_apart", 3, rows, n, within, out)
        part = 0.5 if abs(one - two) < 1e-3 * within else float(two < one)
        assert count == 2
        np.testing.assert_allclose(out[0], [*(far - 0.005 * n), 0.01], atol=1e-15)
        np.testing.assert_allclose(out[1], [*((1.0 - part) * x + part * near), one + part * (two - one)], atol=1e-15)
        rows[2, :3] += 0.7 * within * np.array([0.6, 0.0, -0.8])
        assert engine("put_apart", 3, rows, n, within, out) == 3
        np.testing.assert_allclose(out[2], [*(rows[2, :3] - 0.5 * two * n), two], atol=1e-15)


@pytest.mark.parametrize("corners", [2, 5, 8, 13])
def test_points_of_a_polygon_above_a_face(engine: Any, corners: int) -> None:
    """Those that are nearer than a reach, at most eight of them, evenly; they are on the first shape."""
    rng, out = np.random.default_rng(corners), np.zeros((8, 4))
    normal, origin = np.array([0.6, 0.0, 0.8]), rng.normal(size=3)
    for sign in (1.0, -1.0):  # the face is that of the second shape, or of the first
        n = sign * (normal + [0.0, 1e-9, 0.0])
        polygon = rng.normal(size=(corners, 3)) + origin
        for reach in (0.2, 9.0):
            gaps = (polygon - origin) @ normal
            kept = polygon[gaps <= reach]
            if len(kept) > 8:
                kept = kept[[i * len(kept) // 8 for i in range(8)]]
            gaps = (kept - origin) @ normal
            room = np.zeros((64, 3))
            room[:corners] = polygon
            assert engine("above", room, corners, origin, normal, n, reach, 1e-9, out) == len(kept)
            on = kept if sign > 0.0 else kept - gaps[:, None] * normal
            np.testing.assert_allclose(out[: len(kept), 3], gaps, atol=1e-14)
            np.testing.assert_allclose(out[: len(kept), :3], on - 0.5 * gaps[:, None] * n, atol=1e-13)


def test_a_polygon_within_the_sides_of_a_face(engine: Any) -> None:
    """Its corners are those of the intersection: they are within both, and so are the same random points."""
    rng = np.random.default_rng(6)
    for trial in range(20):
        frame = Rotation.random(random_state=rng).as_matrix()
        angle = np.sort(rng.uniform(0.0, 2.0 * np.pi, 5))
        face = np.column_stack([np.cos(angle), 0.7 * np.sin(angle), np.full(5, 0.3)])
        m = int(rng.integers(3, 7))
        around = np.sort(rng.uniform(0.0, 2.0 * np.pi, m))
        other = np.column_stack([0.3 + 0.8 * np.cos(around), 0.8 * np.sin(around), rng.normal(size=m) * (trial % 2)])
        room = np.zeros((128, 3))
        room[:m] = other @ frame.T
        normal = frame[:, 2].copy()
        count = engine("within_sides", face @ frame.T.copy(), 5, normal, room, m)
        made = (room[:count] @ frame)[:, :2]

        def inside(x: np.ndarray, polygon: np.ndarray, off_by: float = 0.0) -> np.ndarray:
            sides = np.roll(polygon, -1, axis=0) - polygon
            off = x[:, None, :] - polygon
            return np.asarray((sides[:, 0] * off[..., 1] - sides[:, 1] * off[..., 0] >= -off_by).all(axis=1))

        points = rng.uniform(-1.2, 1.2, (4000, 2))
        both = inside(points, face[:, :2]) & inside(points, other[:, :2])
        own = inside(points, made) if count > 2 else np.zeros(len(points), dtype=bool)
        assert (both == own).mean() > 0.999
        assert inside(made, face[:, :2], 1e-12).all() and inside(made, other[:, :2], 1e-12).all()


def test_parts_of_shapes_that_touch(engine: Any) -> None:
    """Ends of round shapes are faces but for a tip, their sides lines from rim to rim or tip, between the rims."""
    rng, line, none = np.random.default_rng(7), np.zeros(3), np.zeros((4, 3))
    for _ in range(5):
        a, b = Shape(rng, CYLINDER), Shape(rng, CONE)
        for s in (a, b):
            r, h = s.size[:2]
            slope = np.array([1.0, 0.0, 0.0]) if s is a else np.array([2.0 * h, 0.0, r]) / np.hypot(2.0 * h, r)
            rim = np.array([r, 0.0, -h])
            end = np.array([r, 0.0, h]) if s is a else np.array([0.0, 0.0, h])
            turn = s.R @ Rotation.from_euler("z", rng.uniform(0.0, 6.0)).as_matrix()
            for part, kind in (
                (0.5, AT_LINE),
                (0.01, AT_LINE),
                (0.99, AT_LINE),
                (1e-4, AT_POINT),
                (1.0 - 1e-4, AT_POINT),
            ):
                at = s.p + turn @ (rim + part * (end - rim))
                assert engine("part_of", s, turn @ slope, at, none, 0, line) == kind
                if kind == AT_LINE:
                    way, made = turn @ (end - rim), line / np.linalg.norm(line)
                    np.testing.assert_allclose(made, way / np.linalg.norm(way), atol=1e-12)
            middle = s.p + turn @ (0.5 * (rim + end))
            for tilt in (0.1, -0.1, 0.01, -0.01):  # the rim or the tip
                tilted = turn @ Rotation.from_euler("y", tilt).as_matrix() @ slope
                assert engine("part_of", s, tilted, middle, none, 0, line) == AT_POINT
            for tilt, up in ((5e-4, 1.0), (5e-4, -1.0), (0.01, 1.0), (0.01, -1.0)):
                n = turn @ Rotation.from_euler("y", tilt).as_matrix() @ np.array([0.0, 0.0, up])
                flat = tilt < 1e-3 and (s is a or up < 0.0)
                assert engine("part_of", s, n, s.p + h * up * turn[:, 2], none, 0, line) == (
                    AT_FACE if flat else AT_POINT
                )
        x = rng.normal(size=(4, 3))
        for count, kind in ((1, AT_POINT), (2, AT_LINE), (3, AT_FACE), (4, AT_FACE)):
            assert engine("part_of", Shape(rng, BOX), x[0].copy(), x[1].copy(), x, count, line) == kind
            if count == 2:
                np.testing.assert_allclose(line, x[1] - x[0])


@pytest.mark.parametrize("kind", [SPHERE, CAPSULE, BOX, CONE])
def test_shapes_leave_a_field_upwards(engine: Any, kind: int) -> None:
    """However deep they are: sides of the columns below its triangles are no walls."""
    rng, seen = np.random.default_rng(40 + kind), 0
    for trial in range(24):
        ground = field(rng, lambda x, y: 0.08 * rng.normal(size=x.shape))
        a = Shape(rng, kind)
        a.size *= 0.3
        a.p = ground.p + ground.R @ np.array([*rng.uniform(-0.6, 0.6, 2), -0.1 * (trial % 12)])
        for one, two, sign in ((a, ground, 1.0), (ground, a, -1.0)):
            rows = found(engine, one, two, 0.0)
            assert (sign * rows[:, 3:6] @ ground.R[:, 2] > 0.2).all()
            seen += len(rows)
    assert seen > 20


@pytest.mark.parametrize("kind", [CYLINDER, CONE])
def test_a_peak_in_the_middle_of_a_face(engine: Any, kind: int) -> None:
    """It pushes the face out by its depth there, though no corner is above the triangles of the peak."""
    rng = np.random.default_rng(50 + kind)
    for depth in (0.03, 0.06):
        height = np.zeros((9, 7))
        height[4, 3] = 0.35
        ground = field(rng, lambda x, y, height=height: height)
        a = Shape(rng, kind)
        a.size = np.array([1.0, 0.6, 0.4])
        turn = Rotation.from_rotvec([*(0.03 * rng.normal(size=2)), rng.uniform(0.0, 6.0)]).as_matrix()
        a.R = np.ascontiguousarray(ground.R @ turn)
        peak = ground.p + ground.R @ ground.vertex.reshape(9, 7, 3)[4, 3]
        off = [*rng.uniform(-0.2, 0.2, 2), depth - a.size[1]]
        a.p = peak - a.R @ off
        assert a.outside(peak) == pytest.approx(-depth)
        rows = found(engine, a, ground, 0.0)
        own = rows[rows[:, 3:6] @ a.R[:, 2] > 1.0 - 1e-6]  # others are along normals of triangles
        assert len(own)
        np.testing.assert_allclose(own[:, 6], -depth, atol=1e-6)
        np.testing.assert_allclose(own[:, :3], np.tile(peak - 0.5 * depth * a.R[:, 2], (len(own), 1)), atol=1e-5)
        assert rows[:, 6].max() < -0.9 * depth


@pytest.mark.parametrize("tilt", [0.0, 0.2])
def test_a_box_that_lies_on_a_plane_field(engine: Any, tilt: float) -> None:
    """All four corners of its face touch, with the same gap, and few other points between them."""
    rng = np.random.default_rng(60)
    for gap in (0.003, -0.004):
        slope = tilt * rng.normal(size=2)
        ground = field(rng, lambda x, y, s=slope: s[0] * x + s[1] * y)
        a, n = Shape(rng, BOX), np.array([-slope[0], -slope[1], 1.0]) / np.sqrt(1.0 + slope @ slope)
        a.size = np.array([0.7, 0.5, 0.3])
        level = Rotation.align_vectors([n, np.cross(n, [0.3, 1.0, 0.1])], [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])[0]
        turn = level.as_matrix() @ Rotation.from_euler("z", rng.uniform(0.0, 6.0)).as_matrix()
        a.R = np.ascontiguousarray(ground.R @ turn)
        up = ground.R @ n
        a.p = ground.p + (a.size[2] + gap) * up + a.R @ [0.05, -0.1, 0.0]
        rows = found(engine, a, ground, 0.02)
        np.testing.assert_allclose(rows[:, 6], gap, atol=1e-7)
        corners = [a.p + a.R @ (a.size * [u, v, -1.0]) - 0.5 * gap * up for u in (1.0, -1.0) for v in (1.0, -1.0)]
        for corner in corners:
            assert np.linalg.norm(rows[:, :3] - corner, axis=1).min() < 1e-6
        off = (rows[:, :3] - a.p) @ a.R
        assert (np.abs(off[:, :2]) < a.size[:2] + 1e-6).all() and len(rows) <= 8


def test_the_face_of_a_hull_is_that_which_looks_most_along_a_direction(engine: Any) -> None:
    rng, out, corner, seen = np.random.default_rng(61), np.zeros(3), np.zeros((128, 3)), set[int]()
    for _ in range(4):
        a = Shape(rng, HULL)
        for k, normal in enumerate(a.normal):
            n = a.R @ (normal + 0.05 * rng.normal(size=3))
            n /= np.linalg.norm(n)
            best = int((a.normal @ a.R.T @ n).argmax())
            assert engine("face_of", a, n, corner, out) == 3
            np.testing.assert_allclose(out, a.R @ a.normal[best], atol=1e-12)
            loop = a.loop[a.start[best] : a.start[best + 1]]
            np.testing.assert_allclose(corner[:3], a.p + a.vertex[loop] @ a.R.T, atol=1e-12)
            seen.add(best if best < 3 else k)
    assert {0, 1, 2} <= seen


def prism(rng: np.random.Generator, corners: int) -> Shape:
    """A hull with faces of many corners above and below."""
    a, angle = Shape(rng, HULL), np.sort(rng.uniform(0.0, 0.4, corners)) + 2.0 * np.pi * np.arange(corners) / corners
    rim = np.column_stack([0.9 * np.cos(angle), 0.7 * np.sin(angle)])
    a.vertex = np.array([[*x, z] for z in (-0.3, 0.3) for x in rim])
    along = np.column_stack([np.roll(rim, -1, axis=0) - rim, np.zeros(corners)])
    sides = np.cross(along, [0.0, 0.0, 1.0])
    k, after = np.arange(corners), (np.arange(corners) + 1) % corners
    loops = [k[::-1], corners + k, *np.column_stack([k, after, after + corners, k + corners])]
    a.normal = np.vstack([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0], sides / np.linalg.norm(sides, axis=1, keepdims=True)])
    a.loop, a.start = np.concatenate(loops).astype(np.int64), np.cumsum([0, *map(len, loops)])
    a.size[0], a.hull = 0.3, ConvexHull(a.vertex)
    return a


@pytest.mark.parametrize("ground", [HALF_SPACE, BOX, FIELD])
def test_a_face_of_many_corners_keeps_the_nearest(engine: Any, ground: int) -> None:
    """Eight points are kept, and if it tilts the one that is nearest is among them, wherever the face begins.

    All are on the face: also where the points of the second shape are kept, and beside triangles of a field.
    """
    rng, most = np.random.default_rng(70), 0
    for trial in range(30):
        a, b = prism(rng, 13), Shape(rng, ground) if ground != FIELD else field(rng, lambda x, y: 0.0 * x)
        b.size = np.array([3.0, 3.0, 0.5]) if ground == BOX else b.size
        up, tilt = b.R[:, 2].copy(), 10.0 ** rng.uniform(-3.0, -1.5) if trial % 5 else 0.0
        turn = Rotation.from_euler("zx", [rng.uniform(0.0, 6.0), tilt]).as_matrix()
        a.R = np.ascontiguousarray(b.R @ Rotation.from_euler("z", rng.uniform(0.0, 6.0)).as_matrix() @ turn)
        a.p = b.p + up * (0.5 if ground == BOX else 0.0)
        gap = rng.choice([0.002, -0.002])
        a.p += up * (gap + a.reach(-up) + up @ a.p)
        for one, two, sign in ((a, b, 1.0), (b, a, -1.0)):
            rows = found(engine, one, two, 0.2)
            if ground != FIELD:
                assert 3 <= len(rows) <= 8
            # of eight points one is replaced if another is nearer by a thousandth of the size
            assert rows[:, 6].min() == pytest.approx(gap, abs=1e-6 if ground == HALF_SPACE else 3.3e-4)
            k = rows[:, 6].argmin()
            low = a.p + a.R @ a.vertex[(a.vertex @ (a.R.T @ up)).argmin()]
            if tilt > 0.01 and abs(rows[k, 6] - gap) < 1e-6:
                assert np.linalg.norm(rows[k, :3] + sign * 0.5 * rows[k, 6] * rows[k, 3:6] - low) < 1e-3
            for row in rows:
                assert a.outside(row[:3] + sign * 0.5 * row[6] * row[3:6]) < 1e-3
            most = max(most, len(rows))
    assert most >= 8


@pytest.mark.parametrize("kind", [CAPSULE, BOX])
def test_parallel_lines_touch_at_both_ends_of_their_shared_part(engine: Any, kind: int) -> None:
    """Of capsules, and of boxes edge on edge, however far one is beyond the other."""
    rng = np.random.default_rng(80)
    for _ in range(12):
        a, b = Shape(rng, kind), Shape(rng, kind)
        half, reach = (a.size[1], b.size[1]), a.size[0] + b.size[0]
        if kind == BOX:  # along z, with edges towards each other
            a.size[1], b.size[1] = a.size[0], b.size[0]
            half, reach = (a.size[2], b.size[2]), np.sqrt(2.0) * (a.size[0] + b.size[0])
        gap, beyond = rng.choice([0.004, -0.001]), rng.uniform(-0.9, 0.9) * sum(half)
        up, along = b.R @ (np.array([1.0, 1.0, 0.0]) / np.sqrt(2.0)), b.R[:, 2].copy()
        a.R = np.ascontiguousarray(b.R @ np.diag(rng.choice([1.0, -1.0]) * np.array([1.0, 1.0, 0.0]) + [0.0, 0.0, 1.0]))
        a.p = b.p + (reach + gap) * up + beyond * along
        low, high = max(-half[1], beyond - half[0]), min(half[1], beyond + half[0])
        for one, two, sign in ((a, b, 1.0), (b, a, -1.0)):
            rows = found(engine, one, two, 0.02)
            assert len(rows) == 2 and (rows[:, 7:9] == AT_LINE).all()
            np.testing.assert_allclose(rows[:, 6], gap, atol=1e-6)
            np.testing.assert_allclose(rows[:, 3:6], np.tile(sign * up, (2, 1)), atol=1e-4)
            ends = np.sort((rows[:, :3] - b.p) @ along)
            np.testing.assert_allclose(ends, [low, high], atol=1e-4)
