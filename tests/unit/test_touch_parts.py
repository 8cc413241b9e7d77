"""Distances, depths and points of contact of convex shapes with certificates, and the rows of contacts, by numpy.

A direction bounds a distance from below by the support functions of both shapes, two points on them from above: where
both bounds agree, the distance is right, whichever way it was found. Depths of boxes are those of all separating axes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from dalembert.compile.build import find_toolchain
from dalembert.engine.layout import structure
from dalembert.engine.memory import NativeMemory
from support.engine_units import calls, unit_with

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

SPHERE, CAPSULE, CYLINDER, BOX, HULL, HALF_SPACE, CONE = range(7)
KINDS = (SPHERE, CAPSULE, CYLINDER, BOX, HULL, CONE)
SHOWN = """
#define SHOWN __attribute__((visibility("default")))
#define SHAPE(s) int64_t kind_##s, const double *size_##s, const double *p_##s, const double *R_##s, int64_t n_##s, \\
                 int64_t faces_##s, const double *vertex_##s, const double *normal_##s, const int64_t *start_##s, \\
                 const int64_t *loop_##s
#define MADE(s) const struct shape s = {kind_##s, size_##s, p_##s, R_##s, n_##s, faces_##s, vertex_##s, normal_##s, \\
                                        start_##s, loop_##s}
SHOWN int64_t contacts(SHAPE(a), SHAPE(b), double reach, double *out) {
    MADE(a); MADE(b);
    struct contact c[MOST_FOUND];
    const int count = touching(&a, &b, reach, c);
    for (int i = 0; i < count; i++) {
        memcpy(out + 7 * i, c[i].point, 3 * sizeof(double)), memcpy(out + 7 * i + 3, c[i].normal, 3 * sizeof(double));
        out[7 * i + 6] = c[i].gap;
    }
    return count;
}
SHOWN double distance(SHAPE(a), SHAPE(b), double *n, double *x, double *y) {
    MADE(a); MADE(b);
    struct simplex S;
    return gjk(&a, &b, 1.0, n, x, y, &S);
}
SHOWN double depth_of(SHAPE(a), SHAPE(b), double *n) { MADE(a); MADE(b); struct simplex S; return epa(&a, &b, n, &S); }
SHOWN void first_four(SHAPE(a), SHAPE(b), double *w) {
    MADE(a); MADE(b);
    struct vertex v[4];
    first_vertices(&a, &b, v);
    for (int i = 0; i < 4; i++) memcpy(w + 3 * i, v[i].w, sizeof v[i].w);
}
SHOWN double axes_apart(SHAPE(a), SHAPE(b)) { MADE(a); MADE(b); return boxes_apart(&a, &b); }
SHOWN int64_t nearest(int64_t n, const double *w, double *v) {
    struct simplex S;
    int inside = 0;
    S.n = (int)n;
    for (int i = 0; i < n; i++) memcpy(S.at[i].w, w + 3 * i, sizeof S.at[i].w), S.part[i] = 1.0;
    if (n == 2) nearest_on_segment(&S, 0, 1);
    if (n == 3) nearest_on_triangle(&S, 0, 1, 2);
    if (n == 4) inside = nearest_on_tetrahedron(&S);
    point_of(&S, v);
    return inside ? 9 : S.n;
}
SHOWN int64_t cut(double *polygon, int64_t n, const double *a, double most, double within) {
    return clip((double(*)[3])polygon, (int)n, a, most, within);
}
SHOWN int64_t lines(double *one, double *two, double *x, double *y) {
    return lines_meet((double(*)[3])one, (double(*)[3])two, x, y); }
SHOWN int64_t edge_of(int64_t kind, const double *n, double *face, int64_t count) {
    struct shape s = {0};
    s.kind = kind;
    return edge_along(&s, n, (double(*)[3])face, (int)count);
}
SHOWN int64_t face_of(SHAPE(a), const double *n, double *corner, double *normal) {
    MADE(a); return facing(&a, n, (double(*)[3])corner, normal); }
SHOWN double half(const struct scene *S, int64_t i, int64_t k) { return half_width(S, i, (int)k); }
SHOWN int64_t sorted_along(struct scene *S, double h, double reach) { return place_shapes(S, h, reach); }
SHOWN int64_t excluded(const struct scene *S, int64_t pair) { return is_excluded(S, pair); }
SHOWN void find(struct scene *S, double reach, double h) { find_contacts(S, reach, h, 0); }
SHOWN void numbers_of(const struct scene *S) { fill_numbers(S); }
SHOWN void axes(const struct scene *S, int64_t k, double *ways) { contact_axes(S, k, (double(*)[3])ways); }
SHOWN int64_t free_terms(const double *const *in, double *const *out, struct scene *S) {
    return scene_terms(in, out, (double *)(void *)S); }
SHOWN int64_t lifts(const double *const *in, double *const *out, struct scene *S) {
    return scene_lift(in, out, (double *)(void *)S); }
SHOWN int64_t near_to(struct scene *S, const double *x, double reach) { return scene_touching(S, x, reach); }
SHOWN void rows_of(const struct articulated *A, const double *v, int64_t k) { fill_rows(A, v, k); }
SHOWN void remembered(struct scene *S) { remember_contacts(S); }
SHOWN void forces_before(struct scene *S, int64_t count, double size, double *forces) {
    take_forces(S, count, size, forces); }
"""


@pytest.fixture(scope="module")
def engine() -> Any:
    doubles = ("distance", "depth_of", "axes_apart", "half")
    integers = ("contacts", "nearest", "cut", "lines", "edge_of", "face_of", "excluded", "near_to", "sorted_along")
    return calls_with_shapes(unit_with(SHOWN, "collide", "touch-parts", doubles=doubles, integers=integers))


def calls_with_shapes(library: ctypes.CDLL) -> Callable[..., Any]:
    """``call(name, *values)``, where shapes stand for what C is given of them."""
    call = calls(library)

    def flat(name: str, *values: Any) -> Any:
        return call(name, *(one for v in values for one in (v.given if isinstance(v, Shape) else [v])))

    return flat


class Shape:
    """A random shape with its support function and how far a point is outside of it, in numpy."""

    def __init__(self, rng: np.random.Generator, kind: int) -> None:
        self.kind, self.p, self.R = kind, rng.normal(size=3), Rotation.random(random_state=rng).as_matrix().copy()
        self.size, self.vertex = rng.uniform(0.3, 1.2, 3), np.zeros((1, 3))
        self.normal, self.start, self.loop, self.hull = np.zeros((1, 3)), np.zeros(2, int), np.zeros(1, int), None
        if kind == HULL:
            points = rng.normal(size=(9, 3))
            hull = self.hull = ConvexHull(points - points.mean(axis=0))
            self.vertex, self.normal = hull.points.copy(), hull.equations[:, :3].copy()
            loops = []
            for face, n in zip(hull.simplices, self.normal, strict=True):
                a, b, c = hull.points[face]
                loops += list(face if np.cross(b - a, c - a) @ n > 0.0 else face[::-1])
            self.loop, self.start = np.array(loops, dtype=np.int64), 3 * np.arange(len(self.normal) + 1)
            self.size[0] = -hull.equations[:, 3].max()
        if kind == CONE:
            r, h = self.size[:2]
            self.size[2] = min(r, h) * 0.5

    @property
    def given(self) -> list[Any]:
        arrays = (self.size, self.p, self.R, self.vertex, self.normal, self.start, self.loop)
        size, p, R, *rest = (ctypes.c_void_p(a.ctypes.data) for a in arrays)
        counts = ctypes.c_int64(len(self.vertex)), ctypes.c_int64(len(self.normal))
        return [ctypes.c_int64(self.kind), size, p, R, *counts, *rest]

    def reach(self, n: np.ndarray) -> float:
        """Largest n x of its points."""
        u, s = self.R.T @ n, self.size
        across = np.hypot(u[0], u[1])
        own = {
            SPHERE: s[0], CAPSULE: s[0] + s[1] * abs(u[2]), CYLINDER: s[0] * across + s[1] * abs(u[2]),
            BOX: s @ np.abs(u), HULL: (self.vertex @ u).max(), CONE: max(s[1] * u[2], s[0] * across - s[1] * u[2]),
        }[self.kind]  # fmt: skip
        return float(n @ self.p + own)

    def outside(self, x: np.ndarray) -> float:
        """How far a point is outside, at most; below zero inside."""
        u, s = self.R.T @ (x - self.p), self.size
        across = np.hypot(u[0], u[1])
        if self.kind in (SPHERE, CAPSULE):
            along = np.clip(u[2], -s[1], s[1]) if self.kind == CAPSULE else 0.0
            return float(np.linalg.norm(u - [0.0, 0.0, along]) - s[0])
        if self.kind == BOX:
            return float((np.abs(u) - s).max())
        if self.kind == CYLINDER:
            return float(max(across - s[0], abs(u[2]) - s[1]))
        if self.kind == CONE:
            slope = np.hypot(s[0], 2.0 * s[1])
            return float(max((2.0 * s[1] * across + s[0] * (u[2] - s[1])) / slope, -s[1] - u[2]))
        assert self.hull is not None
        return float((self.hull.equations[:, :3] @ u + self.hull.equations[:, 3]).max())


def apart(a: Shape, b: Shape, n: np.ndarray) -> float:
    """A lower bound of their distance, along n from b to a."""
    return -a.reach(-n) - b.reach(n)


def placed(rng: np.random.Generator, one: int, two: int, gap: float) -> tuple[Shape, Shape]:
    """Two shapes at about a gap: along the line of their centres."""
    a, b = Shape(rng, one), Shape(rng, two)
    d = rng.normal(size=3)
    d /= np.linalg.norm(d)
    a.p[:] = b.p + 0.1 * rng.normal(size=3)
    a.p += d * (gap - apart(a, b, d))
    return a, b


PAIRS = [(one, two) for one in KINDS for two in KINDS]


@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_contacts_of_shapes_that_are_apart_or_overlap(engine: Any, one: int, two: int) -> None:
    """The least gap has a certificate: support functions along the normal, and points on both shapes."""
    rng, out = np.random.default_rng(10 * one + two), np.zeros(7 * 64)
    for gap in (0.001, 0.05, 0.3, -0.002, -0.05):
        a, b = placed(rng, one, two, gap)
        n, x, y = np.zeros(3), np.zeros(3), np.zeros(3)
        size = min(a.size.min(), b.size.min())
        if gap > 0.0:  # gjk of the cores
            far = engine("distance", a, b, n, x, y)
            round_ = sum(s.size[0] for s in (a, b) if s.kind in (SPHERE, CAPSULE))
            assert far - round_ == pytest.approx(apart(a, b, n), abs=1e-6 * far)
            assert np.linalg.norm(x - y - far * n) < 1e-9
            assert max(a.outside(x - n * (a.size[0] if one <= CAPSULE else 0.0)), b.outside(y)) < 1e-7 + round_
            true = far - round_
            assert engine("contacts", a, b, 0.5 * true, out) == 0
        count = engine("contacts", a, b, 2.0, out)
        found = out[: 7 * count].reshape(-1, 7)
        assert count > 0
        k = found[:, 6].argmin()
        point, n, least = found[k, :3], found[k, 3:6], found[k, 6]
        np.testing.assert_allclose(np.linalg.norm(found[:, 3:6], axis=1), 1.0, rtol=1e-12)
        assert abs(least - apart(a, b, n)) < 2e-3 * size
        if gap > 0.0:
            assert least == pytest.approx(true, abs=1e-6 + (2e-4 if true < 0.01 * size else 0.0))
        else:  # along no direction of many do they part sooner
            ways = rng.normal(size=(400, 3))
            ways /= np.linalg.norm(ways, axis=1, keepdims=True)
            assert least > max(apart(a, b, way) for way in ways) - 2e-3 * size
        assert a.outside(point + 0.5 * least * n) < 1e-3 * size and b.outside(point - 0.5 * least * n) < 1e-3 * size
        for row in found:  # the others are on one shape, and above the other
            assert row[6] >= least and row[6] <= 2.0
            assert max(a.outside(row[:3] + 0.5 * row[6] * row[3:6]), b.outside(row[:3] - 0.5 * row[6] * row[3:6])) < 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_contacts_with_a_half_space(engine: Any, kind: int) -> None:
    rng, out = np.random.default_rng(kind), np.zeros(7 * 64)
    for tilted in (True, False):
        for gap in (0.01, -0.02):
            a, b = Shape(rng, kind), Shape(rng, HALF_SPACE)
            if not tilted:
                a.R = np.ascontiguousarray(b.R @ Rotation.from_euler("z", 0.4).as_matrix())
            n = b.R[:, 2].copy()
            a.p += n * (gap + n @ b.p - (n @ a.p - (a.reach(-n) + n @ a.p)))
            true = -a.reach(-n) - n @ b.p
            for first, second, sign in ((a, b, 1.0), (b, a, -1.0)):
                count = engine("contacts", first, second, 0.05, out)
                found = out[: 7 * count].reshape(-1, 7)
                np.testing.assert_allclose(found[:, 3:6], np.tile(sign * n, (count, 1)), atol=1e-14)
                assert found[:, 6].min() == pytest.approx(true, abs=1e-9)
                for row in found:
                    assert n @ (row[:3] - b.p) == pytest.approx(0.5 * row[6], abs=1e-9) and row[6] <= 0.05
                    assert a.outside(row[:3] + 0.5 * row[6] * n) < 1e-9
            if not tilted and kind in (BOX, CYLINDER):
                assert count == {BOX: 4, CYLINDER: 8}[kind]
    assert engine("contacts", b, Shape(rng, HALF_SPACE), 9.0, out) == 0


def test_boxes_by_separating_axes(engine: Any) -> None:
    """The largest gap over normals of both and products of their edges; where they overlap, it is the depth."""
    rng, which = np.random.default_rng(3), set()
    for trial in range(120):
        a, b = placed(rng, BOX, BOX, rng.choice([0.2, -0.1, -0.4]))
        if trial % 4 == 0:
            b.R = a.R.copy() if trial % 8 else np.ascontiguousarray(a.R @ Rotation.from_euler("z", 0.3).as_matrix())
        axes_ = [*a.R.T, *b.R.T]
        axes_ += [c / np.linalg.norm(c) for u in a.R.T for v in b.R.T if np.linalg.norm(c := np.cross(u, v)) > 1e-5]
        gaps = [max(apart(a, b, n), apart(a, b, -n)) for n in axes_]
        made = engine("axes_apart", a, b)
        assert made == pytest.approx(max(gaps), abs=1e-9)
        which.add(int(np.argmax(gaps)))
        if made < 0.0:
            n = np.zeros(3)
            assert engine("depth_of", a, b, n) == pytest.approx(-made, rel=1e-6, abs=1e-8)
            assert apart(a, b, n) == pytest.approx(made, rel=1e-6, abs=1e-8)
    assert len(which) > 9


@pytest.mark.parametrize("first", [True, False])
def test_a_corner_on_an_edge_is_where_they_touch(engine: Any, first: bool) -> None:
    """Of a box that stands on a corner, on a capsule that lies."""
    rng, out = np.random.default_rng(23), np.zeros(7 * 64)
    for gap in (0.02, 0.002, 0.0005):
        a, b = Shape(rng, BOX), Shape(rng, CAPSULE)
        down = -a.R @ (np.sign(rng.normal(size=3)) / np.sqrt(3.0))
        across = np.cross(down, rng.normal(size=3))
        b.R = np.ascontiguousarray(Rotation.align_vectors([across, down], [[0, 0, 1.0], [1.0, 0, 0]])[0].as_matrix())
        corner = a.p + a.R @ (a.size * np.sign(a.R.T @ down))
        b.p = corner + down * (b.size[0] + gap) + 0.3 * b.size[1] * b.R[:, 2]
        shapes = (a, b) if first else (b, a)
        assert engine("contacts", *shapes, 0.1, out) == 1
        np.testing.assert_allclose(out[3:6], -down if first else down, atol=1e-6)
        assert out[6] == pytest.approx(gap, abs=1e-9)
        np.testing.assert_allclose(out[:3], corner + 0.5 * gap * down, atol=1e-6)


@pytest.mark.parametrize(("one", "two"), [(BOX, HULL), (CYLINDER, CONE), (HULL, BOX), (CONE, CYLINDER)])
def test_first_vertices_of_a_polytope(engine: Any, one: int, two: int) -> None:
    """Points of the difference: its ends along an axis, then one off their line, then one off their plane."""
    rng, w, ways = np.random.default_rng(17), np.zeros((4, 3)), np.eye(3)
    for _ in range(20):
        a, b = placed(rng, one, two, -0.1)
        engine("first_four", a, b, w)
        ends = a.reach(ways[0]) + b.reach(-ways[0]), -a.reach(-ways[0]) - b.reach(ways[0])
        np.testing.assert_allclose(w[:2, 0], ends, atol=1e-12)
        for n in rng.normal(size=(30, 3)):
            assert (w @ n).max() <= a.reach(n) + b.reach(-n) + 1e-12
        volume = abs(np.linalg.det(w[1:] - w[0])) / 6.0
        thick = min(min(s.size[:2].min(), s.size.min()) for s in (a, b))
        assert volume > 0.01 * thick**3


@pytest.mark.parametrize("kind", [BOX, CYLINDER, CONE])
def test_spheres_whose_middle_is_inside(engine: Any, kind: int) -> None:
    """They leave by the nearest face: its depth along the normal leads the middle to the surface."""
    rng, out, faces = np.random.default_rng(21), np.zeros(7 * 64), set[Any]()
    while len(faces) < {BOX: 6, CYLINDER: 3, CONE: 2}[kind]:
        ball, b = Shape(rng, SPHERE), Shape(rng, kind)
        ball.p = b.p + b.R @ (rng.uniform(-1.0, 1.0, 3) * b.size[[0, 0, 1] if kind != BOX else slice(3)])
        depth = -b.outside(ball.p)
        if depth < 0.01:
            continue
        for first, second, sign in ((ball, b, 1.0), (b, ball, -1.0)):
            assert engine("contacts", first, second, 0.1, out) == 1
            n = sign * out[3:6]
            assert np.linalg.norm(n) == pytest.approx(1.0) and out[6] == pytest.approx(-depth - ball.size[0])
            assert abs(b.outside(ball.p + depth * n)) < 1e-12
            middle = ball.p - n * (ball.size[0] + 0.5 * out[6])
            np.testing.assert_allclose(out[:3], middle, atol=1e-12)
        u = b.R.T @ n
        faces.add(tuple(np.round(u)) if kind == BOX else round(u[2]) if kind == CYLINDER else u[2] < 0.0)


@pytest.mark.parametrize("kind", [SPHERE, CAPSULE])
def test_spheres_around_the_middle_of_a_round_shape(engine: Any, kind: int) -> None:
    """No direction is the nearest one: they are as deep as both radii, along some unit vector."""
    rng, out = np.random.default_rng(27), np.zeros(7 * 64)
    ball, b = Shape(rng, SPHERE), Shape(rng, kind)
    b.R = np.roll(np.eye(3), 1, axis=0)  # of no rounding
    ball.p = b.p = np.array([0.5, -0.25, 0.75])
    for first, second in ((ball, b), (b, ball)):
        assert engine("contacts", first, second, 0.1, out) == 1
        assert out[6] == pytest.approx(-ball.size[0] - b.size[0], rel=1e-14)
        assert np.linalg.norm(out[3:6]) == pytest.approx(1.0) and abs(out[3:6] @ b.R[:, 2]) < (1e-14 if kind else 2.0)


def test_nearest_points_of_simplices(engine: Any) -> None:
    """Against non-negative least squares with a heavy row for the sum of parts."""
    rng, seen = np.random.default_rng(4), set()
    for n in (2, 3, 4):
        for _ in range(150):
            w, v = rng.normal(size=(n, 3)) + 0.4 * rng.normal(size=3), np.zeros(3)
            parts, _ = nnls(np.vstack([w.T, 1e5 * np.ones(n)]), np.array([0.0, 0.0, 0.0, 1e5]))
            count = engine("nearest", n, w, v)
            expected = parts @ w
            seen.add((n, count))
            assert (count == 9) == (np.linalg.norm(expected) < 1e-6)
            if count != 9:
                np.testing.assert_allclose(v, expected, atol=1e-6)
                assert count == (parts > 1e-7).sum()
    assert len(seen) == 2 + 3 + 4


def test_polygons_are_clipped(engine: Any) -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        n = int(rng.integers(2, 8))
        angle = np.sort(rng.uniform(0.0, 6.28, n))
        frame = Rotation.random(random_state=rng).as_matrix()
        polygon = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(n)]) @ frame.T
        a, most = rng.normal(size=3), rng.normal() * 0.5
        a /= np.linalg.norm(a)
        f = polygon @ a - most
        expected = []
        for i in range(n):
            j = (i + 1) % n
            if f[i] <= 0.0:
                expected.append(polygon[i])
            if f[i] * f[j] < 0.0 and not (n == 2 and i == 1):
                expected.append(polygon[i] + f[i] / (f[i] - f[j]) * (polygon[j] - polygon[i]))
        room = np.zeros((128, 3))
        room[:n] = polygon
        count = engine("cut", room, n, a, most, 0.0)
        assert count == len(expected)
        if expected:
            np.testing.assert_allclose(room[:count], expected, atol=1e-13)
        room[:n] = polygon
        assert engine("cut", room, n, a, most, 9.0) == n and (room[:n] == polygon).all()  # all are near enough


def test_lines_and_edges(engine: Any) -> None:
    rng = np.random.default_rng(6)
    for _ in range(30):
        one, two, x, y = rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), np.zeros(3), np.zeros(3)
        assert engine("lines", one, two, x, y) == 1
        u, v = one[1] - one[0], two[1] - two[0]
        s, t = np.linalg.lstsq(np.column_stack([u, -v]), two[0] - one[0], rcond=None)[0]
        np.testing.assert_allclose(x, one[0] + s * u, atol=1e-9)
        np.testing.assert_allclose(y, two[0] + t * v, atol=1e-9)
        two = np.array([y, y - 2.0 * u])
        assert engine("lines", one, two, x, y) == 0
    square = np.array([[1.0, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]])
    for way, expected in (([1.0, 0, 1], {0, 3}), ([0, 1.0, 1], {0, 1}), ([-1.0, 0, 1], {1, 2}), ([0, -1.0, 1], {2, 3}),
                          ([1.0, 0.5, 1], {0}), ([-0.5, -1.0, 1], {2})):  # fmt: skip
        face = np.zeros((128, 3))
        face[:4] = square
        n = np.array(way) / np.linalg.norm(way)
        count = engine("edge_of", BOX, n, face, 4)
        assert count == len(expected)
        assert {int(np.abs(square - row).sum(axis=1).argmin()) for row in face[:count]} == expected
        assert engine("edge_of", CYLINDER, n, face, 8) == 8 and engine("edge_of", BOX, n, face, 2) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_faces_look_along_a_direction(engine: Any, kind: int) -> None:
    """Corners are on the shape, as far along the outward normal as it reaches, counter-clockwise."""
    rng = np.random.default_rng(kind)
    for trial in range(40):
        a, corner, out = Shape(rng, kind), np.zeros((128, 3)), np.zeros(3)
        n = rng.normal(size=3) if trial % 3 else a.R[:, trial % 2 * 2] * rng.choice([-1.0, 1.0])
        n = n / np.linalg.norm(n)
        count = engine("face_of", a, n, corner, out)
        face = corner[:count]
        assert max(abs(a.outside(x)) for x in face) < 1e-9 or count == 2
        if count > 2:
            assert np.abs(face @ out - a.reach(out)).max() < 1e-9 and n @ out > 0.0
            area = sum(np.cross(face[i] - face[0], face[i + 1] - face[0]) for i in range(1, count - 1))
            assert area @ out > 0.0
        else:
            u = (a.R.T @ n) * np.array([1.0, 1.0, 0.0 if kind in (CYLINDER, CONE) else 1.0])
            assert (face @ n).max() <= a.reach(n) + 1e-12
            if kind == CYLINDER:
                assert np.allclose((face - a.p) @ a.R @ u, a.size[0] * np.linalg.norm(u))
            elif kind != CONE:
                assert (face @ n).max() == pytest.approx(a.reach(n))
        assert count in {SPHERE: (1,), CAPSULE: (2,), CYLINDER: (2, 8), BOX: (4,), HULL: (3,), CONE: (1, 2, 8)}[kind]


class Scene:
    """Bodies with two shapes each and a ground; free, or with the Jacobians of a machine."""

    def __init__(
        self, rng: np.random.Generator, kinds: tuple[int, ...], bodies: tuple[int, ...], rows: int = 3
    ) -> None:
        n, m = len(kinds), max(bodies) + 1
        self.n, self.m, self.rows, self.bodies = n, m, rows, bodies
        self.shapes = [Shape(rng, kind) for kind in kinds]
        self.memory = NativeMemory(structure("scene"))
        S, array = self.memory.struct, self.memory.array
        S.n_bodies, S.n_shapes, S.most_contacts, S.rows, S.n_hashes = m, n, 60, rows, 101
        self.mass, self.inertia = array("mass", rng.uniform(1, 2, m)), array("inertia", rng.uniform(0.1, 1, (m, 3)))
        self.gravity = array("gravity", np.array([0.3, -0.5, -9.0]))
        array("kind", np.array(kinds)), array("body", np.array(bodies))
        array("size", np.array([s.size for s in self.shapes]))
        self.place = array("place", np.zeros((n, 12)))
        for k, s in enumerate(self.shapes):
            self.place[k, :3], self.place[k, 3:] = 0.2 * rng.normal(size=3), s.R.ravel()
            s.local, s.turn = self.place[k, :3].copy(), s.R.copy()  # type: ignore[attr-defined]
        array(
            "reach", np.array([max(s.reach(d) - d @ s.p for d in rng.normal(size=(500, 3)) / 1.0) for s in self.shapes])
        )
        array("inner", np.full(n, 0.2))
        for name in ("friction", "restitution", "spinning", "rolling", "across", "compliance", "damping", "adhesion"):
            setattr(self, name, array(name, rng.uniform(0.1, 0.9, n)))
        self.across[:] = self.friction  # type: ignore[attr-defined]
        self.belt, self.grain = array("belt", rng.normal(size=(n, 3))), array("grain", np.zeros((n, 3)))
        starts = np.cumsum([0, *(len(s.vertex) for s in self.shapes)])
        array("vertex_start", starts), array("vertex", np.concatenate([s.vertex for s in self.shapes]))
        array("face_start", np.zeros(n + 1, dtype=int)), array("loop_start", np.zeros(2, dtype=int))
        array("loop", np.zeros(1, dtype=int)), array("face_normal", np.zeros((1, 3)))
        for name, size in (("pose", 12 * m), ("pace", 2 * m), ("twist", 6 * m), ("drift", 6 * m),
                           ("normal_rate", 180), ("point_rate", 180), ("position", 3 * n), ("rotation", 9 * n),
                           ("low", 3 * n), ("high", 3 * n), ("point", 180), ("point_before", 180),
                           ("force_before", 60 * rows),
                           ("where", 180), ("normal", 180), ("gap", 60), ("hold_before", 60)):  # fmt: skip
            array(name, np.zeros(size))
        array("order", np.arange(n))
        for name in ("pair", "pair_before", "count", "known", "turns"):
            array(name, np.zeros(60, dtype=int))
        array("support", np.zeros(60 * 12, dtype=int)), array("hashes", np.full(101, -1))
        self.steps = NativeMemory(structure("moreau"))
        C, kept = self.steps.struct, self.steps.array
        kept("Y", np.zeros(60 * 12 * rows)), kept("u0", np.zeros(60 * rows)), kept("driven", np.zeros(60 * rows))
        kept("bent", np.zeros(60 * rows))
        (
            kept("g", np.zeros(60)),
            kept("e", np.zeros(60)),
            kept("mu", np.zeros(60 * 3)),
            kept("total", np.zeros(60 * rows)),
        )
        kept("mu_start", np.arange(60) * (3 if rows == 6 else 1)), kept("row_start", np.arange(61) * rows)
        kept("d", np.zeros(6 * m)), kept("support", np.zeros(60 * 40, dtype=int))
        C.margin = 1e-6
        S.steps = self.steps.address
        self.arrays, self.made = self.memory.arrays, self.steps.arrays

    def at(self, rng: np.random.Generator) -> np.ndarray:
        """A state of the bodies, with shapes where they are then."""
        x = np.concatenate([np.zeros(7 * self.m), rng.normal(size=6 * self.m)])
        for b in range(self.m):
            x[7 * b : 7 * b + 3] = 0.8 * rng.normal(size=3)
            x[7 * b + 3 : 7 * b + 7] = Rotation.random(random_state=rng).as_quat()[[3, 0, 1, 2]]
        self.put(x)
        return x

    def frame(self, x: np.ndarray, b: int) -> tuple[np.ndarray, np.ndarray]:
        return x[7 * b : 7 * b + 3], Rotation.from_quat(x[7 * b + 3 : 7 * b + 7][[1, 2, 3, 0]]).as_matrix()

    def put(self, x: np.ndarray) -> None:
        for s, b in zip(self.shapes, self.bodies, strict=True):
            p, Q = (np.zeros(3), np.eye(3)) if b < 0 else self.frame(x, b)
            s.p, s.R = p + Q @ s.local, np.ascontiguousarray(Q @ s.turn)  # type: ignore[attr-defined]


def test_contacts_of_a_scene(engine: Any) -> None:
    """All pairs of different bodies that are nearer than a reach, but those that are excluded; with their places."""
    rng, out, total = np.random.default_rng(7), np.zeros(7 * 64), 0
    kinds, bodies = (SPHERE, BOX, CAPSULE, CYLINDER, CONE, SPHERE, BOX), (0, 0, 1, 1, 2, 2, -1)
    for trial in range(12):
        scene = Scene(rng, kinds, bodies)
        x = scene.at(rng)
        excluded = np.array([2, 9, 20]) if trial % 2 else np.array([], dtype=int)
        scene.memory.array("excluded", excluded)
        scene.memory.struct.n_excluded = len(excluded)
        for pair in range(49):
            assert engine("excluded", scene.memory, pair) == int(pair in excluded)
        count = engine("near_to", scene.memory, x, 0.1)
        for i, shape in enumerate(scene.shapes):
            for k in range(3):
                axis = np.eye(3)[k]
                reach = shape.reach(axis) - axis @ shape.p
                if kinds[i] == CONE:  # that of the cylinder around it
                    reach = shape.size[0] * np.hypot(*shape.R[k, :2]) + shape.size[1] * abs(shape.R[k, 2])
                assert engine("half", scene.memory, i, k) == pytest.approx(reach, rel=1e-12)
        found: dict[int, list[int]] = {}
        for k in range(count):
            found.setdefault(int(scene.arrays["pair"][k]), []).append(k)
        for i in range(7):
            for j in range(i + 1, 7):
                a, b, pair = scene.shapes[i], scene.shapes[j], i * 7 + j
                number = engine("contacts", a, b, 0.1, out)
                if bodies[i] == bodies[j] or pair in excluded:
                    number = 0
                own = found.get(pair, [])
                assert len(own) == number
                # on curved surfaces points are found to the root of rounding
                for k, row in zip(own, out[: 7 * number].reshape(-1, 7), strict=True):
                    side = 0.5 if bodies[j] < 0 else 0.0
                    where = row[:3] + side * row[6] * row[3:6]
                    np.testing.assert_allclose(scene.arrays["where"][3 * k : 3 * k + 3], where, atol=1e-4)
                    np.testing.assert_allclose(scene.arrays["normal"][3 * k : 3 * k + 3], row[3:6], atol=1e-4)
                    np.testing.assert_allclose(
                        scene.arrays["point"][3 * k : 3 * k + 3], a.R.T @ (where - a.p), atol=1e-4
                    )
                    assert scene.arrays["gap"][k] == pytest.approx(row[6], abs=1e-7)
                    total += 1
        assert scene.memory.struct.deepest == min([0.0, *scene.arrays["gap"][:count]])
    assert total > 30
    scene.memory.struct.most_contacts = max(count - 1, 0)
    assert engine("near_to", scene.memory, x, 0.1) == (-1 if count else 0)


def test_what_moves_within_a_step_is_found(engine: Any) -> None:
    """Boxes of shapes grow by the way of their points; the fastest is that which moves most by its own size."""
    rng = np.random.default_rng(8)
    scene = Scene(rng, (SPHERE, BOX, CAPSULE), (0, 1, -1))
    x = scene.at(rng)
    engine("near_to", scene.memory, x, 0.0)
    for pace in ([2.0, 0.5, 1.0, 3.0], [9.0, 9.0, 1.0, 3.0]):
        scene.arrays["pace"][:] = pace
        h, reach = 0.1, 0.03
        engine("find", scene.memory, reach, h)
        ways = []
        for i, (linear, turning) in enumerate((pace[:2], pace[2:], (0.0, 0.0))):
            arm = np.linalg.norm(scene.place[i, :3]) + scene.arrays["reach"][i]
            ways.append(h * (linear + arm * turning))
            shape, axes_ = scene.shapes[i], np.eye(3)
            high = [shape.reach(axis) + ways[-1] + reach for axis in axes_]
            low = [-shape.reach(-axis) - ways[-1] - reach for axis in axes_]
            np.testing.assert_allclose(scene.arrays["high"].reshape(-1, 3)[i], high, rtol=1e-12)
            np.testing.assert_allclose(scene.arrays["low"].reshape(-1, 3)[i], low, rtol=1e-12)
        assert scene.memory.struct.fastest == pytest.approx(0.5 * max(ways) / 0.2)
        assert scene.memory.struct.fastest_shape == int(np.argmax(ways))


def test_boxes_are_sorted_along_the_axis_of_the_largest_spread(engine: Any) -> None:
    """That of the largest variance of positions, wherever their middle is; their lower sides ascend along it."""
    rng, seen = np.random.default_rng(18), set()
    scene = Scene(rng, (SPHERE, BOX, CAPSULE, CYLINDER, SPHERE), (0, 1, 2, 3, 4))
    for trial in range(9):
        x = scene.at(rng)
        poses = x[: 7 * scene.m].reshape(-1, 7)
        poses[:, :3] *= np.roll([1.0, 2.0, 4.0], trial)
        poses[:, :3] += 20.0 * np.eye(3)[trial // 3]
        scene.put(x)
        engine("near_to", scene.memory, x, 0.01)
        axis = engine("sorted_along", scene.memory, 0.0, 0.01)
        assert axis == np.var([shape.p for shape in scene.shapes], axis=0).argmax()
        low = scene.arrays["low"].reshape(-1, 3)[scene.arrays["order"], axis]
        assert (np.diff(low) >= 0.0).all()
        seen.add(axis)
    assert len(seen) == 3


@pytest.mark.parametrize("bodies", [(0, 1, 2, -1), (2, 1, 0, -1), (-1, 2, 0, 1)])
@pytest.mark.parametrize("rows", [3, 6])
def test_rows_and_numbers_of_contacts_of_free_bodies(engine: Any, rows: int, bodies: tuple[int, ...]) -> None:
    """Velocities of both bodies at the point along the axes of the contact, by differences; coefficients of pairs."""
    rng = np.random.default_rng(9)
    scene = Scene(rng, (BOX, SPHERE, CAPSULE, BOX), bodies, rows)
    x = scene.at(rng)
    while (count := engine("near_to", scene.memory, x, 0.6)) < 4:
        x = scene.at(rng)
    S, C, made, arrays = scene.memory.struct, scene.steps.struct, scene.made, scene.arrays
    scene.grain[0], scene.across[0] = [1.0, 0.4, 0.0], 0.05  # type: ignore[attr-defined]
    scene.grain[2], scene.across[2] = [0.2, 0.4, 1.0], 0.95  # type: ignore[attr-defined]
    scene.steps.array("compliance", np.zeros(60)), scene.steps.array("damping", np.zeros(60))
    scene.steps.array("hold", np.zeros(60))
    S.h, C.n_fixed = 0.01, 0
    arrays["gap"][:count] = rng.choice([-1e-3, 5e-7, 5e-6, 5e-5, 5e-4], count)
    arrays["known"][:count] = rng.choice([0, 1, 2], count)
    h, d, s0, b = np.array([0.01]), made["d"], np.zeros(18), np.zeros(18)
    inputs = (ctypes.c_void_p * 5)(None, x.ctypes.data, None, None, h.ctypes.data)
    outputs = (ctypes.c_void_p * 8)(None, d.ctypes.data, s0.ctypes.data, *[None] * 3, b.ctypes.data, None)
    engine("free_terms", inputs, outputs, scene.memory)
    full = np.concatenate([np.concatenate([np.full(3, scene.mass[i]), scene.inertia[i]]) for i in range(3)])
    np.testing.assert_allclose(d, full**-0.5)
    np.testing.assert_allclose(s0, -0.01 * b / np.sqrt(full))
    closed_of: dict[int, int] = {}
    limit = {0: 1e-6, 1: 1e-6, 2: 1e-4}
    for k in range(count):
        pair = int(arrays["pair"][k])
        closed_of[pair] = closed_of.get(pair, 0) + int(arrays["gap"][k] <= limit[int(arrays["known"][k])])
    for k in range(count):
        i, j = divmod(int(arrays["pair"][k]), 4)
        one, two = scene.bodies[i], scene.bodies[j]
        ways, n, point = np.zeros((6, 3)), arrays["normal"][3 * k : 3 * k + 3], arrays["where"][3 * k : 3 * k + 3]
        engine("axes", scene.memory, k, ways)
        along, across = (np.sqrt(v[i] * v[j]) for v in (scene.friction, scene.across))  # type: ignore[attr-defined]
        rough = i if scene.grain[i].any() else j
        np.testing.assert_allclose(ways[0], n)
        assert abs(ways[0] @ ways[1]) < 1e-12 and abs(ways[0] @ ways[2]) < 1e-12 and abs(ways[1] @ ways[2]) < 1e-12
        lengths = [1.0, min(1.0, along / across), min(1.0, across / along)]
        np.testing.assert_allclose(np.linalg.norm(ways[:3], axis=1), lengths)
        np.testing.assert_allclose(np.linalg.norm(ways[3:], axis=1), 1.0)
        assert np.cross(ways[0], ways[1]) @ ways[2] > 0.0
        if scene.grain[rough].any():
            grain = scene.shapes[rough].R @ scene.grain[rough]
            flat = grain - (grain @ n) * n
            np.testing.assert_allclose(ways[1] / lengths[1], flat / np.linalg.norm(flat), atol=1e-12)

        def speed(v: np.ndarray, one: int = one, two: int = two, point: np.ndarray = point, ways: Any = ways) -> Any:
            total = np.zeros(rows)
            for body, sign in ((one, 1.0), (two, -1.0)):
                if body < 0:
                    continue
                p, Q = scene.frame(x, body)
                w = Q @ v[6 * body + 3 : 6 * body + 6]
                linear = v[6 * body : 6 * body + 3] + np.cross(w, point - p)
                total[:3] += sign * (ways[:3] @ linear)
                if rows == 6:
                    total[3:] += sign * (ways[3:] @ w)
            return total

        J = np.array([speed(e) for e in np.eye(18)]).T
        width = int(arrays["count"][k])
        at = arrays["support"][12 * k : 12 * k + width]
        assert at.tolist() == [6 * body + q for body in sorted({one, two} - {-1}) for q in range(6)]
        Y = made["Y"][12 * rows * k :][: rows * width].reshape(rows, width)
        np.testing.assert_allclose(Y, (J * d)[:, at], atol=1e-12)
        belts = np.zeros(rows)
        belts[1:3] = ways[1:3] @ (scene.shapes[i].R @ scene.belt[i] - scene.shapes[j].R @ scene.belt[j])
        np.testing.assert_allclose(made["driven"][rows * k : rows * k + rows], belts, atol=1e-12)
        np.testing.assert_allclose(made["u0"][rows * k : rows * k + rows], speed(x[21:]) + belts, atol=1e-12)
        number = made["mu"][(3 if rows == 6 else 1) * k :]
        assert number[0] == pytest.approx(max(along, across)) and made["g"][k] == arrays["gap"][k]
        assert made["e"][k] == min(scene.restitution[i], scene.restitution[j])  # type: ignore[attr-defined]
        if rows == 6:
            spinning, rolling = scene.spinning, scene.rolling  # type: ignore[attr-defined]
            assert number[1:3].tolist() == [max(spinning[i], spinning[j]), max(rolling[i], rolling[j])]
        give, damping = scene.compliance, scene.damping  # type: ignore[attr-defined]
        assert made["compliance"][k] == pytest.approx(give[i] + give[j])
        assert made["damping"][k] == pytest.approx((give[i] * damping[i] + give[j] * damping[j]) / (give[i] + give[j]))
        is_closed = arrays["gap"][k] <= limit[int(arrays["known"][k])]
        pull = 0.01 * max(scene.adhesion[i], scene.adhesion[j])  # type: ignore[attr-defined]
        held = pull / closed_of[int(arrays["pair"][k])] if is_closed else 0.0
        assert made["hold"][k] == pytest.approx(held)
    # a displacement lifts against gravity
    moved, lift = rng.normal(size=18), np.array([7.0, 8.0])  # what was there does not count
    inputs = (ctypes.c_void_p * 3)(None, None, moved.ctypes.data)
    engine("lifts", inputs, (ctypes.c_void_p * 1)(lift.ctypes.data), scene.memory)
    assert lift[0] == pytest.approx(-sum(scene.mass[i] * scene.gravity @ moved[6 * i : 6 * i + 3] for i in range(3)))


@pytest.mark.parametrize("seed", range(12))
def test_forces_of_the_last_step_are_found_again(engine: Any, seed: int) -> None:
    """Of points of the same pair within a fifth of the size: the nearest two first, each once, in any order."""
    rng = np.random.default_rng(seed)
    scene = Scene(rng, (BOX, BOX, SPHERE), (0, 1, -1))
    S, arrays, C = scene.memory.struct, scene.arrays, scene.steps.struct
    S.n_contacts, S.h, C.n_fixed, size, free = 7, 0.02, 1, 1.0, seed % 3 > 0
    if not free:
        S.mass = None  # as with joints
    scene.steps.array("hold", np.full(60, 0.002))
    before, pairs, impulse = rng.uniform(-0.2, 0.2, (7, 3)), np.array([1, 1, 1, 1, 2, 5, 5]), rng.normal(size=(7, 3))
    impulse[:, 0] = rng.choice([0.5, -0.002, -0.0019, 0.0], 7)
    arrays["pair"][:7], arrays["point"][:21] = pairs, before.ravel()
    scene.made["total"][3:24] = impulse.ravel()
    behind = (
        arrays["pair_before"][7:],
        arrays["point_before"][21:],
        arrays["force_before"][21:],
        arrays["hold_before"][7:],
    )
    for part in behind:
        part[:] = 77
    arrays["hashes"][:] = 5
    engine("remembered", scene.memory)
    assert all((part == 77).all() for part in behind)
    assert sorted(arrays["hashes"][arrays["hashes"] >= 0]) == [0, 4, 5]  # the first contacts of pairs
    for pair in (1, 2, 5, 4):
        count = int(rng.integers(1, 6))
        first = int(rng.integers(0, 4))
        S.n_contacts = first + count
        now = rng.uniform(-0.2, 0.2, (count, 3))
        arrays["pair"][first : first + count], arrays["point"][3 * first : 3 * (first + count)] = pair, now.ravel()
        forces = np.full((first + count, 3), 9.0)
        engine("forces_before", scene.memory, count, size, forces)
        theirs = np.flatnonzero(pairs == pair)
        expected, known = np.zeros((count, 3)), np.zeros(count, int)
        near = sorted((np.linalg.norm(now[k] - before[i]), k, i) for k in range(count) for i in theirs)
        new, old = set(range(count)), set(theirs)
        for distance, k, i in near:
            if distance < 0.2 * size and k in new and i in old:
                new.remove(k), old.remove(i)
                expected[k], known[k] = impulse[i] / 0.02, (3 if free else 2) if impulse[i, 0] > -0.002 else 1
        np.testing.assert_allclose(forces[first:], expected)
        assert (forces[:first] == 9.0).all() and list(arrays["known"][1 + first : 1 + first + count]) == list(known)
    S.h = 0.0
    engine("remembered", scene.memory)
    engine("forces_before", scene.memory, count, size, forces)
    assert not forces[first:].any() and not arrays["known"][1 + first : 1 + first + count].any()


@pytest.mark.parametrize("rows", [3, 6])
def test_rows_of_contacts_of_a_machine(engine: Any, rows: int) -> None:
    """J L^-1 D^-1/2 with the Jacobians of both bodies, in either order, and the stretch of a segment."""
    rng = np.random.default_rng(12)
    nv, stretch = 7, rng.normal(size=11)
    columns, starts = np.array([0, 1, 2, 1, 3, 4, 5, 0, 2, 5, 6]), np.array([0, 3, 7, 11])
    A = np.tril(rng.normal(size=(nv, nv)), -1) + np.eye(nv)
    d = rng.uniform(0.5, 1.5, nv)
    done = 0
    for trial in range(40):
        bodies = (0, 1, 2, -1) if trial % 2 else (2, 1, 0, -1)
        scene = Scene(rng, (CAPSULE, SPHERE, CAPSULE, BOX), bodies, rows)
        x = scene.at(rng)
        count = engine("near_to", scene.memory, x, 0.3)
        S, C, kept = scene.memory.struct, scene.steps.struct, scene.steps.array
        R = NativeMemory(structure("articulated"))
        J = R.array("jacobian", rng.normal(size=(11, 6)))
        half = R.array("half", np.array([0.7, 0.0, 0.4]))
        R.array("stretch", stretch), R.array("row", np.zeros(nv))
        R.array("column", columns), R.array("column_start", starts)
        R.array("support", np.tile(np.arange(nv), 3)), R.array("support_start", np.array([0, nv, 2 * nv, 3 * nv]))
        R.struct.scene, R.struct.steps = scene.memory.address, scene.steps.address
        C.n_fixed, S.support = 0, C.support  # one table
        kept("d", d), kept("L", A[np.tril_indices(nv, -1)]), kept("L_start", np.cumsum([0, *range(nv)]))
        kept("L_column", np.concatenate([np.arange(k) for k in range(nv)]))
        kept("support_start", np.arange(60) * nv), kept("value_start", np.arange(60) * nv * rows)
        v = rng.normal(size=nv)
        for k in range(count):
            i, j = divmod(int(scene.arrays["pair"][k]), 4)
            engine("rows_of", R, v, k)
            ways, point = np.zeros((6, 3)), scene.arrays["where"][3 * k : 3 * k + 3]
            n, gap = scene.arrays["normal"][3 * k : 3 * k + 3], scene.arrays["gap"][k]
            engine("axes", scene.memory, k, ways)
            whole = np.zeros((rows, nv))
            for shape, other, sign in ((i, j, 1.0), (j, i, -1.0)):
                body = scene.bodies[shape]
                if body < 0:
                    continue
                p, Q = scene.frame(x, body)
                off = scene.shapes[shape].size[0] + (0.0 if scene.bodies[other] < 0 else 0.5 * gap)
                part = 0.0
                if half[body] > 0.0:
                    part = np.clip((point + sign * off * n - p) @ Q[:, 2] / half[body], -1.0, 1.0)
                for e in range(starts[body], starts[body + 1]):
                    linear = J[e, :3] + np.cross(J[e, 3:], point - p) + part * stretch[e] * Q[:, 2]
                    whole[:3, columns[e]] += sign * (ways[:3] @ linear)
                    if rows == 6:
                        whole[3:, columns[e]] += sign * (ways[3:] @ J[e, 3:])
            made = scene.made["Y"][k * nv * rows :][: nv * rows].reshape(rows, nv)
            np.testing.assert_allclose(made, whole @ np.linalg.inv(A) * d, atol=1e-9)
            driven = scene.made["driven"][rows * k : rows * k + rows]
            np.testing.assert_allclose(scene.made["u0"][rows * k :][:rows], whole @ v + driven, atol=1e-10)
            assert np.isfinite(scene.made["g"][k])
            done += 1
        J[:], stretch_ = 0.0, R.array("stretch", np.zeros(11))
        assert not stretch_.any()
        for k in range(count):  # nothing moves: no force has an effect
            engine("rows_of", R, v, k)
            assert scene.made["g"][k] == np.inf
        if done > 40:
            break
    assert done > 10 and S.n_contacts == count


def field(rng: np.random.Generator, height: Any) -> Shape:
    """A height field of 9 x 7 points, with a frame of its own."""
    shape = Shape(rng, HALF_SPACE)
    i, j = np.meshgrid(np.arange(9), np.arange(7), indexing="ij")
    x, y = 0.4 * i - 1.5, 0.6 * j - 1.7
    shape.kind, shape.size = 7, np.array([0.4, 0.6, 9.0])
    shape.vertex = np.stack([x, y, height(x, y)], axis=-1).reshape(-1, 3)
    return shape


@pytest.mark.parametrize("kind", KINDS)
def test_contacts_with_a_plane_field(engine: Any, kind: int) -> None:
    """A field whose points lie in a plane is that plane, above the field."""
    rng, out = np.random.default_rng(20 + kind), np.zeros(7 * 256)
    for gap in (0.004, 0.03, -0.004):
        a, slope = Shape(rng, kind), 0.3 * rng.normal(size=2)
        ground = field(rng, lambda x, y, s=slope: s[0] * x + s[1] * y)
        n = ground.R @ (np.array([-slope[0], -slope[1], 1.0]) / np.sqrt(1.0 + slope @ slope))
        if kind in (BOX, HULL, CYLINDER, CONE):
            a.size *= 0.4
            a.vertex *= 0.4
            if a.hull is not None:
                a.hull.equations[:, 3] *= 0.4
                a.hull.points[:] *= 0.4
        a.p[:] = ground.p + 0.1 * rng.normal(size=3)
        a.p += n * (gap + a.reach(-n) + n @ ground.p)
        true = -a.reach(-n) - n @ ground.p
        for first, second, sign in ((a, ground, 1.0), (ground, a, -1.0)):
            count = engine("contacts", first, second, 0.05, out)
            found = out[: 7 * count].reshape(-1, 7)
            assert count > 0 and found[:, 6].min() == pytest.approx(true, abs=1e-6)
            np.testing.assert_allclose(found[:, 3:6], np.tile(sign * n, (count, 1)), atol=1e-6)
            for row in found:
                assert n @ (row[:3] - ground.p) == pytest.approx(0.5 * row[6], abs=1e-6)
                assert a.outside(row[:3] + 0.5 * row[6] * n) < 1e-4
        assert engine("contacts", a, ground, true - 0.01, out) == 0


def test_spheres_over_a_rough_field(engine: Any) -> None:
    """The least gap is that to the nearest triangle of all, whose points are by least squares."""
    rng, out, seen = np.random.default_rng(30), np.zeros(7 * 256), 0
    for _ in range(25):
        ground = field(rng, lambda x, y: 0.15 * rng.normal(size=x.shape))
        a = Shape(rng, SPHERE)
        local = np.array([rng.uniform(-1.0, 1.2), rng.uniform(-1.2, 1.2), rng.uniform(0.4, 1.0)])
        a.p, a.size[0] = ground.p + ground.R @ local, 0.3
        grid, best = ground.vertex.reshape(9, 7, 3), np.inf
        for i in range(8):
            for j in range(6):
                for corners in (
                    (grid[i, j], grid[i + 1, j], grid[i + 1, j + 1]),
                    (grid[i, j], grid[i + 1, j + 1], grid[i, j + 1]),
                ):
                    w = np.array(corners) - local
                    if np.linalg.norm(w, axis=1).min() > 1.2:
                        continue
                    parts, _ = nnls(np.vstack([w.T, 1e4 * np.ones(3)]), np.array([0.0, 0.0, 0.0, 1e4]))
                    best = min(best, float(np.linalg.norm(parts @ w)))
        count = engine("contacts", a, ground, best - 0.3 + 0.05, out)
        found = out[: 7 * count].reshape(-1, 7)
        assert count > 0 and found[:, 6].min() == pytest.approx(best - 0.3, abs=1e-6)
        k = found[:, 6].argmin()
        assert np.linalg.norm(found[k, :3] + (0.3 + 0.5 * found[k, 6]) * found[k, 3:6] - a.p) < 1e-5
        seen += count > 1
    assert seen


@pytest.mark.parametrize("kind", [CYLINDER, BOX, HULL, CONE])
def test_shapes_that_overlap_a_rough_field_are_found(engine: Any, kind: int) -> None:
    """Also deep ones without a corner above the triangles that they touch."""
    out, met = np.zeros(7 * 256), 0
    parts = np.array([[1, 1, 1], [4, 1, 1], [1, 4, 1], [1, 1, 4]]) / np.array([[3], [6], [6], [6]])
    for seed in range(32, 44):
        rng = np.random.default_rng(seed)
        heights = 0.1 * rng.normal(size=(9, 7))
        ground = field(rng, lambda x, y, heights=heights: heights)
        a = Shape(rng, kind)
        a.p = ground.p + ground.R @ np.array([*rng.uniform(-0.5, 0.5, 2), rng.uniform(-0.3, 0.6)])
        grid = ground.vertex.reshape(9, 7, 3)
        squares = [grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]]
        faces = np.concatenate([np.stack([squares[k] for k in which], axis=2) for which in ((0, 1, 2), (0, 2, 3))])
        points = (parts @ faces.reshape(-1, 3, 3)).reshape(-1, 3) @ ground.R.T + ground.p
        near = points[np.linalg.norm(points - a.p, axis=1) < 1.5]
        if min(a.outside(x) for x in near) > -0.01:
            continue
        count = engine("contacts", a, ground, 0.0, out)
        assert count > 0 and out[: 7 * count].reshape(-1, 7)[:, 6].min() < -0.005, seed
        met += 1
    assert met > 4
