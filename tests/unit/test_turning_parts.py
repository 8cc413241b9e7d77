"""How contacts turn while their bodies keep their velocities: rates of normals and points against differences."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.unit.test_touch_parts import (
    BOX,
    CAPSULE,
    CYLINDER,
    HALF_SPACE,
    KINDS,
    SHOWN,
    Shape,
    placed,
)

from dalembert.compile.build import find_toolchain
from dalembert.engine.layout import structure
from dalembert.engine.memory import NativeMemory
from support.engine_units import arguments, unit_with

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

AT_POINT, AT_LINE, AT_FACE = range(3)
RATES = """
SHOWN int64_t rates(SHAPE(a), SHAPE(b), double reach, double h, double *twist, double *out) {
    MADE(a); MADE(b);
    static const int64_t body[2] = {0, 1};
    double pose[24];
    struct contact c[MOST_FOUND];
    struct scene S = {0};
    const int count = touching(&a, &b, reach, c);
    S.pose = pose, S.twist = twist;
    memcpy(pose, p_a, 3 * sizeof(double)), memcpy(pose + 12, p_b, 3 * sizeof(double));
    for (int i = 0; i < count; i++, out += 16) {
        memcpy(out, c[i].point, 3 * sizeof(double)), memcpy(out + 3, c[i].normal, 3 * sizeof(double));
        out[6] = c[i].gap, out[7] = turn_rates(&S, &a, &b, body, c + i, h, out + 8, out + 11);
        out[14] = c[i].part[0], out[15] = c[i].part[1];
    }
    return count;
}
SHOWN void turned(const struct scene *S, int64_t k, const double *ways, double part, double *to) {
    turn_rows(S, k, (const double(*)[3])ways, part, to);
}
"""


@pytest.fixture(scope="module")
def library() -> Any:
    return unit_with(SHOWN + RATES, "collide", "turning-parts", integers=("rates",))


@pytest.fixture(scope="module")
def rates(library: Any) -> Any:
    """The contacts of two shapes, a row each: point, normal, gap, whether it turns, both rates, parts that touch."""

    def call(a: Shape, b: Shape, twist: np.ndarray, h: float = 1e-9) -> np.ndarray:
        out = np.zeros((64, 16))
        return out[: library.rates(*arguments(*a.given, *b.given, 2.0, h, twist, out))]

    return call


def moved(shape: Shape, twist: np.ndarray, h: float) -> Shape:
    """The shape after a time, with a velocity of its origin and an angular velocity."""
    after = copy(shape)
    after.p = shape.p + h * twist[:3]
    after.R = np.ascontiguousarray(Rotation.from_rotvec(h * twist[3:]).as_matrix() @ shape.R)
    return after


def differences(rates: Any, a: Shape, b: Shape, twist: np.ndarray, row: np.ndarray, h: float) -> np.ndarray:
    """Rates of a normal, and of its point across it, by central differences."""
    ends = []
    for way in (h, -h):
        found = rates(moved(a, twist[:6], way), moved(b, twist[6:], way), twist)
        ends.append(found[np.linalg.norm(found[:, :3] - row[:3], axis=1).argmin()])
    change = (ends[0] - ends[1]) / (2.0 * h)
    return np.append(change[3:6], _across(row[3:6], change[:3]))


def _across(n: np.ndarray, d: np.ndarray) -> np.ndarray:
    return d - n * (n @ d)


def error_of_rates(rates: Any, a: Shape, b: Shape, twist: np.ndarray, row: np.ndarray) -> float:
    """Their error, by differences over a short way and a long one.

    Distances of round shapes have errors of 1e-6, and other parts may touch after a long way.
    """
    made, errors = np.append(row[8:11], _across(row[3:6], row[11:14])), []
    for h in (1e-5, 1e-3):
        true = differences(rates, a, b, twist, row, h)
        parts = [np.linalg.norm(true[i] - made[i]) / (1.0 + np.linalg.norm(true[i])) for i in (slice(3), slice(3, 6))]
        errors.append(float(max(parts)))
    return min(errors)


def nearest(found: np.ndarray) -> np.ndarray:
    """The contact with the least gap."""
    return found[found[:, 6].argmin()]


GAP = 0.03
"""Beyond a hundredth of the sizes distances are those of the shapes, not of smaller cores."""


def near_pair(rates: Any, rng: np.random.Generator, one: int, two: int) -> tuple[Shape, Shape, np.ndarray, np.ndarray]:
    """Two shapes at the gap, how they move, and their contact."""
    a, b = placed(rng, one, two, 0.05)
    twist = rng.normal(size=12)
    for _ in range(3):
        row = nearest(rates(a, b, twist))
        a.p -= row[3:6] * (row[6] - GAP)
    return a, b, twist, nearest(rates(a, b, twist))


@pytest.mark.parametrize(("one", "two"), [(one, two) for one in KINDS for two in KINDS])
def test_rates_of_two_shapes(rates: Any, one: int, two: int) -> None:
    """Normals and points of ten contacts, of which differences miss at most two, whose parts change within them."""
    rng, errors = np.random.default_rng(100 * one + two), []
    for _ in range(10):
        a, b, twist, row = near_pair(rates, rng, one, two)
        assert row[7] == 1.0
        errors.append(error_of_rates(rates, a, b, twist, row))
    assert sum(error < 2e-2 for error in errors) >= 8, np.round(errors, 4)
    assert np.median(errors) < 5e-3


def test_all_parts_of_shapes_are_seen(rates: Any) -> None:
    """Points, lines and faces of one shape touch those of the other, as far as they do so at one point."""
    rng, seen = np.random.default_rng(5), set[tuple[int, int]]()
    for _ in range(40):
        for one, two in ((BOX, BOX), (CYLINDER, BOX), (BOX, CYLINDER)):
            seen.add(tuple(near_pair(rates, rng, one, two)[3][14:].astype(int).tolist()))
    assert {
        (AT_POINT, AT_POINT),
        (AT_POINT, AT_LINE),
        (AT_LINE, AT_POINT),
        (AT_LINE, AT_LINE),
        (AT_POINT, AT_FACE),
        (AT_FACE, AT_POINT),
    } <= seen


@pytest.mark.parametrize("kind", KINDS)
def test_rates_on_a_half_space(rates: Any, kind: int) -> None:
    """The normal turns with the half-space; points of a shape are corners, or the lowest ones of round sides."""
    rng = np.random.default_rng(kind)
    for _ in range(5):
        a, b = Shape(rng, kind), Shape(rng, HALF_SPACE)
        n = b.R[:, 2].copy()
        twist = np.append(rng.normal(size=6), np.zeros(6))
        a.p += n * (GAP + n @ b.p + a.reach(-n))
        row = nearest(rates(a, b, twist))
        assert row[7] == 1.0 and not row[8:11].any()
        assert error_of_rates(rates, a, b, twist, row) < 1e-3
        twist[9:] = rng.normal(size=3)
        np.testing.assert_allclose(nearest(rates(a, b, twist))[8:11], np.cross(twist[9:], n), atol=1e-12)


def test_contacts_whose_points_run_away_have_no_rates(rates: Any) -> None:
    """A cylinder that leans little touches with a point that runs round its rim: it must stay near within the step."""
    rng = np.random.default_rng(0)
    a, b = Shape(rng, CYLINDER), Shape(rng, HALF_SPACE)
    a.R = np.ascontiguousarray(b.R @ Rotation.from_rotvec([0.02, 0.0, 0.0]).as_matrix())
    n = b.R[:, 2].copy()
    a.p += n * (1e-6 + n @ b.p + a.reach(-n))
    twist = np.append([0.0, 0.0, 0.0, *(b.R @ [0.0, 1.0, 0.0])], np.zeros(6))
    run_away = np.linalg.norm(nearest(rates(a, b, twist))[11:14])
    assert run_away == pytest.approx(a.size[0] / np.sin(0.02), rel=0.05)  # r w / tilt
    assert nearest(rates(a, b, twist, 0.1 * 0.02))[7] == 1.0
    assert nearest(rates(a, b, twist, 0.02))[7] == 0.0


def test_sharp_edges_along_each_other_have_no_rates(rates: Any) -> None:
    """Nothing says how the normal of two parallel edges turns."""
    rng, twist = np.random.default_rng(1), np.random.default_rng(2).normal(size=12)
    a, b = Shape(rng, BOX), Shape(rng, BOX)
    b.R = np.eye(3)
    a.R = np.ascontiguousarray(Rotation.from_euler("x", 45.0, degrees=True).as_matrix())
    b.R = a.R.copy()
    a.p = b.p + [0.0, 0.0, 1e-6] + a.R @ np.array([0.0, a.size[1] + b.size[1], a.size[2] + b.size[2]])
    row = nearest(rates(a, b, twist))
    assert row[14:].tolist() == [AT_LINE, AT_LINE] and row[7] == 0.0


@pytest.mark.parametrize("ground", [0, 1, 2])
def test_rates_of_velocities_along_the_axes(library: Any, ground: int) -> None:
    """Axes turn with the normal, the point moves on, and bodies change their velocities: as by differences."""
    rng = np.random.default_rng(ground)
    memory = NativeMemory(structure("scene"))
    bodies = {0: (0, 1), 1: (0, -1), 2: (-1, 1)}[ground]
    S = memory.struct
    S.n_shapes, S.rows = 2, 6
    memory.array("body", np.array(bodies)), memory.array("pair", np.array([0, 1]))
    memory.array("turns", np.array([0, 1]))
    pose, twist, drift = (
        memory.array(n, rng.normal(size=(2, k))) for n, k in (("pose", 12), ("twist", 6), ("drift", 6))
    )
    normal, where, n_rate, x_rate = (
        memory.array(name, rng.normal(size=(2, 3))) for name in ("normal", "where", "normal_rate", "point_rate")
    )
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    n_rate[1] -= normal[1] * (normal[1] @ n_rate[1])
    ways, to = rng.normal(size=(6, 3)), np.ones(6)
    spin = np.cross(normal[1], n_rate[1])

    def velocities(t: float) -> np.ndarray:
        x, v, w = where[1] + t * x_rate[1], np.zeros(3), np.zeros(3)
        for body, sign in zip(bodies, (1.0, -1.0), strict=True):
            if body >= 0:
                now = twist[body] + t * drift[body]
                v += sign * (now[:3] + np.cross(now[3:], x - pose[body, :3] - t * twist[body, :3]))
                w += sign * now[3:]
        axes = ways @ Rotation.from_rotvec(t * spin).as_matrix().T
        return np.append(axes[:3] @ v, axes[3:] @ w)

    library.turned(*arguments(memory, 1, ways, 0.3, to))
    h = 1e-4
    np.testing.assert_allclose(to, 0.3 * (velocities(h) - velocities(-h)) / (2.0 * h), atol=1e-6)
    library.turned(*arguments(memory, 0, ways, 0.3, to))
    assert not to.any()  # a contact without rates


@pytest.mark.parametrize("angle", [0.0, 0.3])
def test_contacts_of_bodies_at_rest_have_no_rates(rates: Any, angle: float) -> None:
    """Parallel capsules touch along a part of their lines, crossed ones at a point: it stays where it is."""
    rng = np.random.default_rng(3)
    a, b = Shape(rng, CAPSULE), Shape(rng, CAPSULE)
    a.R = np.ascontiguousarray(b.R @ Rotation.from_euler("x", angle).as_matrix())
    a.p = b.p + b.R @ [a.size[0] + b.size[0] + 1e-6, 0.0, 0.0]
    found = rates(a, b, np.zeros(12))
    assert (found[:, 7] == 1.0).all() and (found[:, 14:] == AT_LINE).all()
    assert len(found) == (2 if angle == 0.0 else 1) and not found[:, 8:14].any()
