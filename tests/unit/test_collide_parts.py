"""Parts of collision detection and of scenes, one by one, against numpy: bodies beyond the first, and failures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dalembert.compile.build import find_toolchain
from support.engine_units import calls, unit_with

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

SHOWN = """
#define SHOWN __attribute__((visibility("default")))
SHOWN void bias(int64_t n, const double *mass, const double *inertia, const double *gravity, const double *x,
                double *b) {
    struct scene S = {0};
    S.n_bodies = n, S.mass = mass, S.inertia = inertia, S.gravity = gravity;
    bias_of(&S, x, b);
}
SHOWN void move(int64_t n, const double *x, const double *d, double *q, double *v) {
    struct scene S = {0};
    const double *in[] = {x, d, 0};
    double *out[] = {q, v};
    S.n_bodies = n;
    scene_move(in, out, (double *)(void *)&S);
}
static int breaks(void *steps, double t, double h, const double *x, const double *c, const double *p, double *next) {
    (void)steps, (void)h, (void)x, (void)c, (void)p;
    for (int i = 0; i < 19; i++) next[i] = t > 2.5 ? NAN : 0.0;
    next[3] = 1.0;
    return 0;
}
SHOWN int64_t failing_step(double t, double *x, double *next) {
    struct moreau steps = {0};
    struct scene S = {0};
    double pose[12], pace[2], twist[6], middle[32], displacement[8];
    static const int64_t rows[1] = {0};
    int64_t hashes[1] = {-1};
    steps.row_start = rows, steps.last = steps.total = next;
    steps.n = 19, S.steps = &steps, S.n_bodies = 1, S.pose = pose, S.pace = pace, S.twist = twist, S.x_middle = middle;
    S.displacement = displacement, S.hashes = hashes, S.n_hashes = 1;
    return scene_advance(breaks, &S, t, 1.0, 5, x, next);
}
SHOWN int64_t supports(const int64_t *start, const int64_t *support, int64_t one, int64_t two, int64_t *at) {
    struct articulated A = {0};
    A.support_start = start, A.support = support;
    return join_supports(&A, one, two, at);
}
SHOWN void paces(int64_t n, const int64_t *start, const int64_t *column, double *jacobian, const double *v,
                 double *pace) {
    struct scene S = {0};
    struct articulated A = {0};
    double twist[60];
    S.n_bodies = n, S.twist = twist, S.pace = pace, A.scene = &S;
    A.column_start = start, A.column = column, A.jacobian = jacobian;
    set_paces(&A, v);
}
/* Two bodies with a shape each, and the ground, whose shape is the last; contacts of pairs of shapes. */
SHOWN void forces(int64_t n, int64_t *pair, double *normal, double *impulse, double h, double *force) {
    static const int64_t body[3] = {0, 1, -1}, rows[1] = {0}, itself[2] = {0, 1};
    static const double none[9] = {0.0}, one[3] = {1.0, 1.0, 1.0};
    struct moreau steps = {0};
    struct scene S = {0};
    struct articulated A = {0};
    steps.total = impulse, steps.row_start = rows, S.n_bodies = 2, S.n_shapes = 3, S.body = body, S.n_contacts = n;
    S.pair = pair, S.normal = normal, S.h = h, S.rows = 3;
    S.grain = none, S.friction = S.across = one, A.scene = &S, A.steps = &steps, A.force_of = itself;
    body_forces(&A, force);
}
SHOWN void axes_of(int64_t k, int64_t *pair, double *normal, double *ways) {
    static const double none[9] = {0.0}, one[3] = {1.0, 1.0, 1.0};
    struct scene S = {0};
    S.n_shapes = 3, S.pair = pair, S.normal = normal, S.rows = 3, S.grain = none, S.friction = S.across = one;
    contact_axes(&S, k, (double(*)[3])ways);
}
SHOWN int64_t apart(double *low, double *high, const int64_t *body, int64_t axis) {
    struct scene S = {0};
    S.low = low, S.high = high, S.body = body;
    return are_apart(&S, 1, 2, (int)axis);
}
static struct shape field_of(const double *size, const double *vertex, int64_t n) {
    struct shape f = {FIELD, size, 0, 0, n, 0, vertex, 0, 0, 0};
    return f;
}
SHOWN void shares(const double *size, const double *vertex, int64_t n, int64_t i, int64_t j, int64_t side,
                  const double *x, double *out, double *corners, double *normal) {
    const struct shape f = field_of(size, vertex, n);
    const struct triangle T = field_triangle(&f, i, j, (int)side);
    for (int e = 0; e < 3; e++) out[e] = share(&T, e, x), memcpy(corners + 3 * e, T.corner[e], 3 * sizeof(double));
    memcpy(normal, T.normal, sizeof T.normal);
}
SHOWN double slope(const double *size, const double *vertex, int64_t n, int64_t i, int64_t j, int64_t side,
                   int64_t edge, const double *normal) {
    const struct shape f = field_of(size, vertex, n);
    const struct triangle T = field_triangle(&f, i, j, (int)side);
    return slope_across(&T, (int)edge, normal);
}
SHOWN int64_t nearest_corner(const double *size, const double *vertex, int64_t n, int64_t at, const double *normal) {
    const struct shape f = field_of(size, vertex, n);
    return corner_is_nearest(&f, vertex + 3 * at, normal);
}
"""


@pytest.fixture(scope="module")
def engine() -> Any:
    integers = ("failing_step", "supports", "apart", "nearest_corner")
    return calls(unit_with(SHOWN, "collide", "collide-parts", doubles=("slope",), integers=integers))


def test_gyroscopic_torques_and_weights_of_free_bodies(engine: Any) -> None:
    rng = np.random.default_rng(1)
    n = 3
    m, I, g = rng.uniform(1.0, 2.0, n), rng.uniform(0.1, 1.0, (n, 3)), np.array([0.3, -0.2, -9.0])
    x, b = rng.normal(size=13 * n), np.zeros((n, 6))
    engine("bias", n, m, I, g, x, b)
    w = x[7 * n :].reshape(n, 6)[:, 3:]
    np.testing.assert_allclose(b, np.hstack([-m[:, None] * g, np.cross(w, I * w)]), atol=1e-13)


def test_free_bodies_are_moved(engine: Any) -> None:
    rng = np.random.default_rng(2)
    n = 2
    x, d = rng.normal(size=13 * n), rng.normal(size=(n, 6))
    poses, v = x[: 7 * n].reshape(n, 7), x[7 * n :].reshape(n, 6)
    poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    q, spun = np.zeros((n, 7)), np.zeros((n, 6))
    engine("move", n, x, d, q, spun)
    turn = Rotation.from_rotvec(d[:, 3:])
    made = Rotation.from_quat(q[:, [4, 5, 6, 3]])
    expected = Rotation.from_quat(poses[:, [4, 5, 6, 3]]) * turn
    np.testing.assert_allclose(made.as_matrix(), expected.as_matrix(), atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(q[:, 3:], axis=1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(q[:, :3], poses[:, :3] + d[:, :3], atol=1e-14)
    np.testing.assert_allclose(spun, np.hstack([v[:, :3], turn.inv().apply(v[:, 3:])]), atol=1e-14)


def test_the_step_that_fails_is_told(engine: Any) -> None:
    for begin, failed in ((0.0, 4), (2.0, 2), (9.0, 1), (-9.0, 0)):
        x = np.zeros(19)
        x[3] = 1.0
        assert engine("failing_step", begin, x, np.zeros(19)) == failed


def test_velocities_that_two_bodies_have(engine: Any) -> None:
    start, support, at = np.array([0, 3, 5, 8]), np.array([0, 1, 4, 1, 6, 0, 4, 7]), np.zeros(8, dtype=np.int64)
    parts = [set(support[start[k] : start[k + 1]]) for k in range(3)] + [set()]
    for one in (0, 1, 2, -1):
        for two in (0, 1, 2, -1):
            both = sorted(parts[one] | parts[two])
            assert engine("supports", start, support, one, two, at) == len(both)
            assert at[: len(both)].tolist() == both


def test_speeds_of_all_bodies(engine: Any) -> None:
    rng = np.random.default_rng(3)
    start, column = np.array([0, 2, 5]), np.array([0, 1, 0, 1, 2])
    J, v, pace = rng.normal(size=(5, 6)), rng.normal(size=3), np.zeros((2, 2))
    engine("paces", 2, start, column, J, v, pace)
    for b in range(2):
        twist = sum(J[k] * v[column[k]] for k in range(start[b], start[b + 1]))
        assert pace[b] == pytest.approx([np.linalg.norm(twist[:3]), np.linalg.norm(twist[3:])])


def test_contacts_push_both_bodies(engine: Any) -> None:
    """The first body along the normal, the second one against it; the ground is not pushed."""
    rng = np.random.default_rng(4)
    pair = np.array([0 * 3 + 1, 1 * 3 + 2, 0 * 3 + 2])  # first body on second, either on the ground
    normal, impulse, force, h = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), np.zeros((2, 3)), 0.01
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    engine("forces", 3, pair, normal, impulse, h, force)
    parts = np.zeros((3, 3))
    for k in range(3):
        ways = np.zeros((6, 3))
        engine("axes_of", k, pair, normal, ways)
        np.testing.assert_allclose(ways[0], normal[k])
        np.testing.assert_allclose(ways[:3] @ ways[:3].T, np.eye(3), atol=1e-14)
        parts[k] = impulse[k] @ ways[:3] / h
    np.testing.assert_allclose(force, [parts[0] + parts[2], parts[1] - parts[0]], rtol=1e-12)


def test_boxes_are_apart_along_any_axis(engine: Any) -> None:
    body = np.array([5, 0, 1])
    for axis in range(3):  # that one has been looked at before
        for along in range(3):
            for gap in (-0.1, 0.1):
                low, high = np.zeros((3, 3)), np.ones((3, 3))
                low[0], high[0] = 7.0, 8.0
                low[2, along] += 1.0 + gap
                high[2, along] += 1.0 + gap
                expected = int(gap > 0.0 and along != axis)
                assert engine("apart", low, high, body, axis) == expected
                low[[1, 2]], high[[1, 2]] = low[[2, 1]], high[[2, 1]]
                assert engine("apart", low, high, body, axis) == expected
    assert engine("apart", np.zeros((3, 3)), np.ones((3, 3)), np.array([0, 4, 4]), 0) == 1  # of one body


def test_triangles_of_a_field(engine: Any) -> None:
    """Parts of a point seen from above, the normal, slopes into neighbours, and corners that are nearest."""
    rng = np.random.default_rng(5)
    nx, ny = 4, 5
    i, j = np.meshgrid(np.arange(nx), np.arange(ny), indexing="ij")
    height = 0.3 * rng.normal(size=(nx, ny))
    vertex = np.stack([0.5 * i, 0.8 * j, height], axis=-1).reshape(-1, 3)
    size = np.array([0.5, 0.8, float(nx)])
    for cell in ((1, 1), (0, 2), (2, 3)):
        for side in (0, 1):
            out, corners, normal = np.zeros(3), np.zeros((3, 3)), np.zeros(3)
            parts = rng.dirichlet(np.ones(3))
            point = np.zeros(3)
            engine("shares", size, vertex, nx * ny, *cell, side, point, out, corners, normal)
            point = parts @ corners
            engine("shares", size, vertex, nx * ny, *cell, side, point, out, corners, normal)
            np.testing.assert_allclose(out, np.roll(parts, -2), atol=1e-12)  # opposite to the edges 0-1, 1-2, 2-0
            across = np.cross(corners[1] - corners[0], corners[2] - corners[0])
            np.testing.assert_allclose(normal, across / np.linalg.norm(across), atol=1e-14)
    # across the diagonal of a cell: the way into the neighbour, along its face and across the edge
    one, two = (vertex[a * ny + b] for a, b in ((1, 1), (2, 2)))
    other = vertex[1 * ny + 2]
    edge = (one - two) / np.linalg.norm(one - two)
    t = other - two - ((other - two) @ edge) * edge
    n = np.array([0.2, -0.3, 0.9])
    expected = n @ t / np.linalg.norm(t)
    assert engine("slope", size, vertex, nx * ny, 1, 1, 0, 2, n) == pytest.approx(expected, rel=1e-12)
    for a, b in ((1, 1), (2, 3), (0, 0), (3, 4), (0, 4)):
        at = a * ny + b
        ways = [(a + u, b + v) for u, v in ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))]
        others = [vertex[u * ny + v] for u, v in ways if 0 <= u < nx and 0 <= v < ny]
        for n in (np.array([0.0, 0.0, 1.0]), rng.normal(size=3), np.array([-3.0, -3.0, 1.0])):
            n = n / np.linalg.norm(n)
            downhill = all(n @ (x - vertex[at]) <= 1e-4 * np.linalg.norm(x - vertex[at]) for x in others)
            assert engine("nearest_corner", size, vertex, nx * ny, at, n) == int(downhill)
