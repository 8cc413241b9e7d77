"""Steps of bodies with shapes: where contacts are looked for, fast steps in parts, and when rows of contacts turn."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.unit.test_touch_parts import BOX, CAPSULE, CONE, CYLINDER, HALF_SPACE, HULL, SHOWN, SPHERE, Scene

from dalembert.compile.build import find_toolchain
from dalembert.engine.layout import structure
from dalembert.engine.memory import NativeMemory
from support.engine_units import calls, numbers, unit_with

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

STEP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, *[ctypes.c_double] * 2, *[ctypes.c_void_p] * 4)
N_FAULTS = 7
ENTRIES = """
typedef int (*step_of)(void *, double, double, const double *, const double *, const double *, double *);
SHOWN int64_t advanced(step_of step, struct scene *S, double t, double h, int64_t steps, double *x, double *next) {
    return scene_advance(step, S, t, h, steps, x, next);
}
SHOWN int64_t with_joints(struct articulated *A, double t, double h, const double *x, double *out) {
    return articulated_step(A, t, h, x, 0, 0, out);
}
SHOWN int64_t turns_within(const struct scene *S, int64_t i, int64_t j, double h) {
    const struct shape a = shape_of(S, i), b = shape_of(S, j);
    return moves_on(S, &a, &b, i, j, h);
}
SHOWN int64_t numbers_of_faults(void) { return N_FAULTS; }
"""


@pytest.fixture(scope="module")
def engine() -> Any:
    integers = ("advanced", "with_joints", "turns_within", "numbers_of_faults", "near_to")
    return calls(unit_with(SHOWN + ENTRIES, "collide", "scene-parts", integers=integers))


def scene_of(rng: np.random.Generator, kinds: tuple[int, ...], bodies: tuple[int, ...]) -> Scene:
    """A scene with the memory of its steps."""
    scene = Scene(rng, kinds, bodies)
    scene.memory.array("x_middle", np.zeros(13 * scene.m)), scene.memory.array("displacement", np.zeros(6 * scene.m))
    scene.steps.array("last", np.zeros(60 * scene.rows))
    scene.steps.struct.n = 13 * scene.m + 6
    return scene


def test_free_bodies_step_after_step(engine: Any) -> None:
    """Contacts are those half a step ahead, at the poses and velocities there; the state goes from step to step."""
    rng = np.random.default_rng(1)
    scene = scene_of(rng, (SPHERE, BOX, CAPSULE), (0, 1, 2))
    start = np.append(scene.at(rng), rng.normal(size=6))
    n, t, h = len(start), 1.7, 0.03
    change, seen = rng.normal(size=(6, n)) * 0.1, list[tuple[Any, ...]]()
    fails = 9

    def step(_: Any, t: float, h: float, x: int, c: int, p: int, out: int) -> int:
        names = ("x_middle", "pose", "pace", "twist")
        seen.append((t, h, numbers(x, n).copy(), *(scene.arrays[name].copy() for name in names)))
        numbers(out, n)[:] = numbers(x, n) + change[len(seen) - 1]
        return int(len(seen) == fails or c is not None or p is not None)

    code, x, after = STEP(step), start.copy(), np.zeros(n)
    assert engine("advanced", code, scene.memory, t, h, 4, x, after) == 0
    np.testing.assert_allclose(x, start + change[:4].sum(axis=0), atol=1e-14)
    m, before = scene.m, start.copy()
    assert len(seen) == 4
    for k, (at, length, given, middle, pose, pace, twist) in enumerate(seen):
        assert (at, length) == pytest.approx((t + k * h, h), rel=1e-15)
        np.testing.assert_allclose(given, before, atol=1e-14)
        for b in range(m):
            v, w = before[7 * m + 6 * b :][:3], before[7 * m + 6 * b + 3 :][:3]
            p, Q = before[7 * b : 7 * b + 3], Rotation.from_quat(before[7 * b + 3 : 7 * b + 7][[1, 2, 3, 0]])
            turn = Rotation.from_rotvec(0.5 * h * w)
            at_middle = (Q * turn).as_matrix()
            spin = turn.inv().apply(w)
            if k == 0:  # later quaternions are no units
                np.testing.assert_allclose(pose[12 * b + 3 : 12 * b + 12].reshape(3, 3), at_middle, atol=1e-14)
                np.testing.assert_allclose(twist[6 * b + 3 : 6 * b + 6], at_middle @ spin, atol=1e-14)
            np.testing.assert_allclose(pose[12 * b : 12 * b + 3], p + 0.5 * h * v, atol=1e-14)
            np.testing.assert_allclose(middle[7 * b : 7 * b + 3], p + 0.5 * h * v, atol=1e-14)
            np.testing.assert_allclose(twist[6 * b : 6 * b + 3], v, atol=1e-14)
            assert pace[2 * b : 2 * b + 2] == pytest.approx([np.linalg.norm(v), np.linalg.norm(w)], rel=1e-12)
        before = before + change[k]
    for fails in (1, 2, 4):
        seen.clear()
        assert engine("advanced", code, scene.memory, t, h, 4, start.copy(), after) == fails
    change[2, 13 * m - 1], fails = np.inf, 9
    seen.clear()
    assert engine("advanced", code, scene.memory, t, h, 4, start.copy(), after) == 3


def test_contacts_without_room_end_the_steps(engine: Any) -> None:
    rng = np.random.default_rng(2)
    scene = scene_of(rng, (SPHERE, SPHERE), (0, 1))
    x = np.append(scene.at(rng), np.zeros(6))
    x[7:10] = x[:3] + [0.1, 0.0, 0.0]
    scene.put(x)
    scene.memory.struct.most_contacts = 0
    code = STEP(lambda *_: 0)
    assert engine("advanced", code, scene.memory, 0.0, 0.01, 3, x, np.zeros(len(x))) == 1


class Articulated:
    """A machine whose steps are those of Python, with a scene of bodies that never touch."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.scene = scene_of(rng, (SPHERE, BOX), (0, 1))
        self.C, self.S = self.scene.steps.struct, self.scene.memory.struct
        self.nq, self.nv, self.n = 4, 3, 24
        self.C.nq, self.C.nv, self.C.n, self.C.residual_at, self.C.lowered_at = self.nq, self.nv, self.n, 9, 12
        self.memory = NativeMemory(structure("articulated"))
        A = self.memory.struct
        A.scene, A.steps, A.count_at, A.deepest_at, A.force_at = (
            self.scene.memory.address, self.scene.steps.address, 14, 15, 17,
        )  # fmt: skip
        self.faults = self.scene.steps.array("faults", np.zeros(N_FAULTS))
        self.after = self.memory.array("x_after", np.zeros(self.n))
        self.memory.array("force_of", np.array([0, 1]))
        self.seen: list[tuple[float, float, np.ndarray, float]] = []
        self.change, self.fastest, self.fails = rng.normal(size=(80, self.n)), 0.0, -1
        self._code = STEP(self.step)
        A.step = ctypes.cast(self._code, ctypes.c_void_p).value

    def step(self, _: Any, t: float, h: float, x: int, _c: int, _p: int, out: int) -> int:
        k = len(self.seen)
        self.seen.append((t, h, numbers(x, self.n).copy(), self.S.h))
        if k == 0:
            self.S.fastest = self.fastest
        self.S.h, self.S.deepest, self.faults[2] = h, -0.5 - k, self.faults[2] + 1.0 + k
        numbers(out, self.n)[:] = numbers(x, self.n) + h * self.change[k]
        return int(k == self.fails)


@pytest.mark.parametrize(
    ("fastest", "parts"), [(0.9, 0), (1.01, 2), (2.0, 3), (5.7, 6), (63.5, 64), (64.5, 64), (9e9, 64)]
)
def test_fast_bodies_take_a_step_in_parts(engine: Any, fastest: float, parts: int) -> None:
    """As many as the largest way of a shape has of its size, at most 64; residuals are the largest of the parts."""
    rng = np.random.default_rng(3)
    m, t, h = Articulated(rng), 2.5, 0.04
    assert engine("numbers_of_faults") == N_FAULTS
    m.fastest, x, out = fastest, rng.normal(size=m.n), np.zeros(m.n)
    m.faults[2] = 0.25
    assert engine("with_joints", m.memory, t, h, x, out) == 0
    assert len(m.seen) == 1 + parts
    assert m.seen[0][:2] == (t, h) and (m.seen[0][2] == x).all() and m.seen[0][3] == 0.0
    expected, taken = x + h * m.change[0], np.array([m.change[0]]) * h
    if parts:
        taken, expected = np.zeros((parts, m.n)), x.copy()
        for k in range(parts):
            at, length, given, _ = m.seen[1 + k]
            assert (at, length) == pytest.approx((t + k * h / parts, h / parts), rel=1e-14)
            np.testing.assert_allclose(given, expected, atol=1e-13)
            expected = expected + h / parts * m.change[1 + k]
            taken[k] = expected
        for place in (9, 12):
            expected[place] = max(0.0, taken[:, place].max())
    last = len(m.seen) - 1
    expected[14], expected[15], expected[17:23] = 0.0, -0.5 - last, 0.0
    np.testing.assert_allclose(out, expected, atol=1e-12)
    np.testing.assert_allclose(m.after[:7], expected[:7], atol=1e-12)
    # faults are those of the steps that were taken
    assert m.faults[2] == 0.25 + sum(1.0 + k for k in (range(1, parts + 1) if parts else (0,)))
    for fails in range(min(1 + parts, 4)):
        m.seen.clear()
        m.fails = fails
        assert engine("with_joints", m.memory, t, h, x, out) == 1 and len(m.seen) == fails + 1


def test_a_run_that_continues_elsewhere_forgets_contacts(engine: Any) -> None:
    """The length of the last step is kept only if all coordinates and velocities are those after it, up to rounding."""
    rng = np.random.default_rng(4)
    m, out = Articulated(rng), np.zeros(24)
    x = rng.normal(size=m.n)
    x[0], x[6] = 300.0, -300.0  # by their own size
    engine("with_joints", m.memory, 0.0, 0.01, x, out)
    cases = [(0, 0.0, True), (0, 1e-10, True), (6, -1e-10, True), (0, 1e-9, False), (6, 1e-9, False)]
    cases += [(3, 1e-11, False), (4, -1e-11, False), (1, 1e-13, True), (2, np.nan, False), (8, 5.0, True)]
    for k, off, kept in cases:
        m.S.h, m.after[:] = 0.01, x
        other = x.copy()
        other[k] += off
        m.seen.clear()
        engine("with_joints", m.memory, 0.0, 0.02, other, out)
        assert m.seen[0][3] == (0.01 if kept else 0.0), (k, off)
    m.seen.clear()
    m.fastest = 7.0
    engine("with_joints", m.memory, 0.0, 0.0, x, out)  # no time: an impact has no parts
    assert len(m.seen) == 1


def test_contacts_that_may_close_within_a_step_are_found(engine: Any) -> None:
    """Up to the reach and the ways of points of both bodies: their speed, and that of turning about their origin."""
    rng, found = np.random.default_rng(7), set[int]()
    for trial in range(40):
        scene = scene_of(rng, (SPHERE, SPHERE), (0, 1 if trial % 4 else -1))
        x, h, reach = np.append(scene.at(rng), np.zeros(6)), 0.05, 0.02
        pace = rng.uniform(0.2, 1.0, (scene.m, 2))
        ways = [h * (pace[b, 0] + pace[b, 1] * (np.linalg.norm(scene.place[i, :3]) + scene.arrays["reach"][i]))
                if b >= 0 else 0.0 for i, b in enumerate(scene.bodies)]  # fmt: skip
        one, two = scene.shapes
        n = rng.normal(size=3)
        n /= np.linalg.norm(n)
        gap = (reach + sum(ways)) * (0.99 if trial % 3 else 1.01)
        x[:3] += two.p + n * (one.size[0] + two.size[0] + gap) - one.p
        engine("near_to", scene.memory, x, 0.0)
        scene.arrays["pace"][:] = pace.ravel()
        engine("find", scene.memory, reach, h)
        count = scene.memory.struct.n_contacts
        assert count == int(trial % 3 > 0)
        if count:
            assert scene.arrays["gap"][0] == pytest.approx(gap, rel=1e-12)
            np.testing.assert_allclose(scene.arrays["normal"][:3], n, atol=1e-12)
        found.add(count)
    assert len(found) == 2


def test_rows_of_contacts_turn_where_bodies_do(engine: Any) -> None:
    """By more than 1e-5: the turn within a step, and the way by the size of the smaller shape."""
    rng = np.random.default_rng(5)
    scene = scene_of(rng, (SPHERE, CAPSULE, CYLINDER, BOX, HULL, SPHERE, CONE), (0, 1, 2, 3, -1, -1, 4))
    scene.arrays["kind"][5] = HALF_SPACE
    size = scene.arrays["size"].reshape(-1, 3)
    sizes = {
        0: size[0, 0],
        1: size[1, 0],
        2: size[2, :2].min(),
        3: size[3].min(),
        4: size[4, 0],
        5: np.inf,
        6: size[6, 2],
    }
    for i in range(7):
        for j in range(i + 1, 7):
            pace = rng.uniform(0.5, 2.0, (5, 2))
            scene.arrays["pace"][:] = pace.ravel()
            rates = [
                pace[b, 1] + pace[b, 0] / min(sizes[i], sizes[j]) for b in (scene.bodies[i], scene.bodies[j]) if b >= 0
            ]
            just = 1e-5 / max(rates, default=1e-9)
            assert engine("turns_within", scene.memory, i, j, 1.001 * just) == int(bool(rates))
            assert engine("turns_within", scene.memory, i, j, 0.999 * just) == 0


def test_tangents_of_a_normal_along_an_axis(engine: Any) -> None:
    """The first tangent is across the axis of the least part of the normal; of equal parts, the first of them."""
    scene = scene_of(np.random.default_rng(6), (SPHERE, BOX), (0, 1))
    ways, x, y, z = np.zeros((6, 3)), *np.eye(3)
    scene.arrays["pair"][0] = 1
    cases = [(x, y), (y, x), (z, x), (-z, x), (x + y, z), (x - z, y), (y + z, x), (x + y + z, x)]
    cases += [
        (5 * x + 4 * y + 3 * z, z),
        (3 * x - 5 * y + 4 * z, x),
        (4 * y - 5 * x + 3 * z, z),
        (5 * z - 4 * x + 3 * y, y),
    ]
    cases += [(2 * x + y + z, y), (x + 2 * y + z, x), (x + y + 2 * z, x)]
    for way, axis in cases:
        n = way / np.linalg.norm(way)
        scene.arrays["normal"][:3] = n
        engine("axes", scene.memory, 0, ways)
        first = np.cross(n, axis) / np.linalg.norm(np.cross(n, axis))
        np.testing.assert_allclose(ways[:3], [n, first, np.cross(n, first)], atol=1e-15)
        np.testing.assert_allclose(ways[3:], ways[:3])


def test_contacts_with_a_ground_along_an_axis_or_tilted(engine: Any) -> None:
    """The box of all below is bounded along its normal only where that is an axis of the world: up to the reach."""
    rng, reach, x_axis = np.random.default_rng(8), 0.05, np.eye(3)[0]
    for trial in range(24):
        scene = scene_of(rng, (SPHERE, SPHERE), (0, -1))
        up = np.eye(3)[trial % 3] if trial % 4 else rng.normal(size=3)
        up = up / np.linalg.norm(up)
        side = np.cross(up, x_axis if abs(up[0]) < 0.9 else np.eye(3)[1])
        side /= np.linalg.norm(side)
        scene.arrays["kind"][1] = HALF_SPACE
        scene.place[1, 3:] = np.column_stack([side, np.cross(up, side), up]).ravel()
        x, gap = scene.at(rng), reach * (0.97 if trial % 2 else 1.03)
        ball, at = scene.shapes[0], scene.place[1, :3]
        x[:3] += up * (ball.size[0] + gap - up @ (ball.p - at)) + 2.0 * side
        assert engine("near_to", scene.memory, x, reach) == trial % 2
        if trial % 2:
            assert scene.arrays["gap"][0] == pytest.approx(gap, rel=1e-11)
            np.testing.assert_allclose(scene.arrays["normal"][:3], up, atol=1e-14)
        x[:3] -= 30.0 * up  # deep, and far along another axis
        assert engine("near_to", scene.memory, x, reach) == 1
