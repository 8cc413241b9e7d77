"""Parts of estimates and of proofs with errors: motions, pictures, corrections, choices within ranges, trials."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.control import StereoCamera, Trial, TumblingFilter, learn_torques
from dalembert.control.estimation import tumbling_motion
from dalembert.control.estimation.camera import pose_from_points
from dalembert.control.estimation.tumbling_filter import TumblingEstimate, _mirrored, _moments
from dalembert.control.estimation.tumbling_fit import Fit
from dalembert.control.mu.machine import at_level, extent, sampled_error, without_errors
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.uncertain.decisions import decided
from dalembert.control.uncertain.dynamics import multiplicative, neglected_delay, neglected_lag
from dalembert.control.uncertain.enclosures import Enclosure
from dalembert.core.errors import InputError

Array = NDArray[Any]
CAMERA = StereoCamera(noise=0.3)
MARKERS = np.array([[0.5, -0.9, 0.4], [-0.6, 1.1, 0.45], [0.55, 0.8, -0.35], [-0.4, -1.0, -0.5], [0.1, 0.2, 0.6]])


def _rotation(Q: Array) -> Array:
    return np.asarray(Rotation.from_quat(np.roll(Q, -1)).as_matrix())


def _state(rng: np.random.Generator) -> Array:
    Q = rng.normal(size=4)
    root = rng.normal(size=(3, 3)) * 0.3 + np.eye(3)
    numbers = tumbling_motion.inertia_numbers(root @ root.T)
    return np.concatenate([[0.2, -0.1, 4.0], 0.1 * rng.normal(size=3), Q / np.linalg.norm(Q), 0.3 * rng.normal(size=3),
                           numbers])  # fmt: skip


def test_numbers_of_an_inertia() -> None:
    rng = np.random.default_rng(1)
    root = rng.normal(size=(3, 3))
    I = root @ root.T + 0.2 * np.eye(3)
    numbers = tumbling_motion.inertia_numbers(I)
    np.testing.assert_allclose(tumbling_motion.inertia_matrix(numbers), I / I[2, 2], rtol=1e-12)
    expected = [np.log(I[0, 0] / I[2, 2]), np.log(I[1, 1] / I[2, 2]), *(I[[0, 0, 1], [1, 2, 2]] / I[2, 2])]
    np.testing.assert_allclose(numbers, expected, rtol=1e-12)


def test_errors_move_one_state_to_the_other() -> None:
    rng = np.random.default_rng(2)
    for size in (0.0, 1e-12, 0.3, 2.5):
        x = _state(rng)
        d = size * rng.normal(size=17) / 3.0
        y = tumbling_motion.moved(x, d)
        np.testing.assert_allclose(tumbling_motion.apart(x, y), d, rtol=1e-7, atol=1e-15)
        np.testing.assert_allclose(y[:6], x[:6] + d[:6])
        np.testing.assert_allclose(y[10:], x[10:] + d[9:])
        turned = _rotation(x[6:10]) @ Rotation.from_rotvec(d[6:9]).as_matrix()  # in axes of the body
        np.testing.assert_allclose(_rotation(y[6:10]), turned, atol=1e-12)
        flipped = y.copy()
        flipped[6:10] *= -1.0  # the same attitude
        np.testing.assert_allclose(tumbling_motion.apart(x, flipped), d, rtol=1e-7, atol=1e-12)


def test_a_motion_and_the_matrix_of_its_errors() -> None:
    """Euler's equations by SciPy, at a time of several steps; derivatives by differences of errors."""
    rng = np.random.default_rng(3)
    x = _state(rng)
    I = tumbling_motion.inertia_matrix(x[13:])

    def rate(t: float, y: Array) -> Array:
        Q, w = y[3:7], y[7:]
        turn = 0.5 * np.array([-Q[1:] @ w, *(Q[0] * w + np.cross(Q[1:], w))])
        return np.concatenate([x[3:6], turn, np.linalg.solve(I, -np.cross(w, I @ w))])

    start = np.concatenate([x[:3], x[6:13]])
    for span in (0.4, 1.3):
        end, F = tumbling_motion.stepped(x, span)
        exact = solve_ivp(rate, (0.0, span), start, rtol=1e-11, atol=1e-12).y[:, -1]
        np.testing.assert_allclose(end[:3], exact[:3], rtol=1e-9)
        np.testing.assert_allclose(end[6:13], exact[3:], atol=3e-5)  # of Runge-Kutta steps of half a second
        np.testing.assert_array_equal(end[[3, 4, 5, *range(13, 18)]], x[[3, 4, 5, *range(13, 18)]])
        for k in range(17):
            ends = [
                tumbling_motion.stepped(tumbling_motion.moved(x, s * 1e-6 * np.eye(17)[k]), span)[0] for s in (1, -1)
            ]
            column = (tumbling_motion.apart(end, ends[0]) - tumbling_motion.apart(end, ends[1])) / 2e-6
            np.testing.assert_allclose(F[:, k], column, atol=2e-6)


def _camera_pose() -> Array:
    C = np.eye(4)
    C[:3, :3] = Rotation.from_rotvec([0.05, -0.1, 0.2]).as_matrix()
    C[:3, 3] = [0.1, 0.2, -1.0]
    return C


def test_pixels_of_markers_and_their_derivatives() -> None:
    """By two lenses beside each other; back to points; and by differences of errors of the state."""
    rng = np.random.default_rng(4)
    x, C = _state(rng), _camera_pose()
    lens = np.array([CAMERA.gain, CAMERA.baseline])
    pixels, H = tumbling_motion.sight(5)(x, C, MARKERS, lens)
    world = MARKERS @ _rotation(x[6:10]).T + x[:3]
    inside = (world - C[:3, 3]) @ C[:3, :3]
    f = CAMERA.focal_length / CAMERA.pixel
    for side, columns in ((0.5, (0, 1)), (-0.5, (2, 3))):
        local = inside + [side * CAMERA.baseline, 0.0, 0.0]
        np.testing.assert_allclose(CAMERA.pixels(inside)[:, columns], f * local[:, :2] / local[:, 2:], rtol=1e-12)
    np.testing.assert_allclose(pixels, CAMERA.pixels(inside).ravel(), rtol=1e-10)
    np.testing.assert_allclose(CAMERA.points(CAMERA.pixels(inside)), inside, rtol=1e-9)
    for k in range(17):
        ends = [tumbling_motion.sight(5)(tumbling_motion.moved(x, s * 1e-6 * np.eye(17)[k]), C, MARKERS, lens)[0]
                for s in (1, -1)]  # fmt: skip
        np.testing.assert_allclose(H[:, k], (ends[0] - ends[1]) / 2e-6, atol=1e-4 * max(np.abs(H).max(), 1.0))
    rough = CAMERA.take(np.tile(inside, (400, 1, 1)), np.random.default_rng(1)) - CAMERA.pixels(inside)
    assert rough.std() == pytest.approx(0.3, rel=0.05)
    np.testing.assert_array_equal(CAMERA.take(inside), CAMERA.pixels(inside))


def test_points_within_pictures() -> None:
    """Both lenses must see them: the width at a depth is less by the baseline."""
    half = np.array(CAMERA.size) / 2.0 * CAMERA.pixel / CAMERA.focal_length * 3.0
    edge = half[0] - 0.5 * CAMERA.baseline
    points = [[edge - 1e-3, 0, 3.0], [edge + 1e-3, 0, 3.0], [1e-3 - edge, 0, 3.0], [-1e-3 - edge, 0, 3.0],
              [0, half[1] - 1e-3, 3.0], [0, half[1] + 1e-3, 3.0], [0, 0, -3.0]]  # fmt: skip
    assert CAMERA.seen(points).tolist() == [True, False, True, False, True, False, False]
    with pytest.raises(InputError, match="in front"):
        CAMERA.pixels([[0.0, 0.0, 0.0]])
    with pytest.raises(InputError, match="to the right"):
        CAMERA.points([[1.0, 2.0, 1.0, 2.0]])
    for options in ({"noise": -0.1}, {"delay": -1.0}, {"size": (0, 5)}, {"period": 0.0}, {"baseline": -1.0}):
        with pytest.raises(InputError):
            StereoCamera(**cast(Any, options))


def test_poses_of_points_are_rotations_that_fit_best() -> None:
    rng = np.random.default_rng(5)
    R, t = Rotation.from_rotvec([1.2, -0.4, 2.0]).as_matrix(), np.array([0.3, -2.0, 5.0])
    X = pose_from_points(MARKERS @ R.T + t, MARKERS)
    np.testing.assert_allclose(X, np.block([[R, t[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]]), atol=1e-12)
    rough = MARKERS @ R.T + t + 0.05 * rng.normal(size=MARKERS.shape)
    X = pose_from_points(rough, MARKERS)
    assert np.linalg.det(X[:3, :3]) == pytest.approx(1.0)

    def misfit(R: Array, t: Array) -> float:
        return float(((MARKERS @ R.T + t - rough) ** 2).sum())

    best = misfit(X[:3, :3], X[:3, 3])
    for _ in range(200):
        turn = Rotation.from_rotvec(0.02 * rng.normal(size=3)).as_matrix()
        assert misfit(turn @ X[:3, :3], X[:3, 3] + 0.02 * rng.normal(size=3)) >= best
    mirrored = pose_from_points(MARKERS * [1, 1, -1], MARKERS)
    assert np.linalg.det(mirrored[:3, :3]) == pytest.approx(1.0)
    for wrong in (MARKERS[:2], np.outer([1.0, 2.0, 5.0], [1.0, 1.0, 2.0])):
        with pytest.raises(InputError, match="a pose needs"):
            pose_from_points(wrong, wrong)


def test_markers_behind_solids_by_points_of_their_lines_of_sight() -> None:
    rng = np.random.default_rng(6)
    turned = np.eye(4)
    turned[:3, :3], turned[:3, 3] = Rotation.from_rotvec([0.2, 0.5, -0.3]).as_matrix(), [0.1, -0.2, 0.9]
    place = da.Transform(tuple(turned[:3, 3]), tuple(map(tuple, turned[:3, :3])))
    solids = [da.Geometry(da.Box((1.0, 2.0, 0.8))), da.Geometry(da.Box((0.3, 0.5, 0.7)), place)]
    markers = rng.uniform(-1.3, 1.3, (40, 3))
    made = TumblingFilter(CAMERA, markers, solids=solids)
    for _ in range(4):
        X, C = np.eye(4), np.eye(4)
        X[:3, :3], C[:3, :3] = (Rotation.random(random_state=int(rng.integers(1000))).as_matrix() for _ in range(2))
        X[:3, 3] = rng.normal(size=3)
        C[:3, 3] = X[:3, 3] + 6.0 * C[:3, 2]
        eye = X[:3, :3].T @ (C[:3, 3] - X[:3, 3])
        s = np.linspace(0.0, 1.0, 4001)[:, None]
        expected, sure = np.zeros(40, dtype=bool), np.ones(40, dtype=bool)
        for k, marker in enumerate(markers):
            line = marker + s * (eye - marker)
            for pose, size in ((np.eye(4), (1.0, 2.0, 0.8)), (turned, (0.3, 0.5, 0.7))):
                local = np.abs((line - pose[:3, 3]) @ pose[:3, :3]) - 0.4995 * np.array(size)
                deepest = local.max(axis=1).min()
                expected[k] |= bool(deepest < 0.0)
                sure[k] &= abs(deepest) > 2e-3
        hidden = made.hidden(X, C)
        np.testing.assert_array_equal(hidden[sure], expected[sure])
        assert expected.any() and not expected.all()
        C[:3, :3] = np.column_stack([C[:3, 0], -C[:3, 1], -C[:3, 2]])  # towards the body
        depth = ((markers @ X[:3, :3].T + X[:3, 3] - C[:3, 3]) @ C[:3, :3])[:, 2]
        free = [k for k in np.argsort(depth) if not hidden[k]][:6]
        seen = CAMERA.seen((markers[free] @ X[:3, :3].T + X[:3, 3] - C[:3, 3]) @ C[:3, :3])
        assert made.visible(X, C, 6).tolist() == [k for k, good in zip(free, seen, strict=True) if good]
    straight = TumblingFilter(CAMERA, [[0, 0, -1.0], [0, 0.4, 1.0], [2.0, 0, 0]], solids=solids[:1])
    C = np.eye(4)
    C[:3, 3] = [0.0, 0.0, 5.0]  # lines along the axes of the box
    assert straight.hidden(np.eye(4), C).tolist() == [True, False, False]


def _estimate(rng: np.random.Generator) -> TumblingEstimate:
    root = 0.02 * rng.normal(size=(17, 17))
    return TumblingEstimate(2.0, _state(rng), root @ root.T + 1e-6 * np.eye(17))


def test_predictions_carry_their_covariance_and_its_noise() -> None:
    rng = np.random.default_rng(7)
    made = TumblingFilter(CAMERA, MARKERS, acceleration=2e-3, turning=5e-4)
    first = _estimate(rng)
    later = made.predict(first, 3.1)
    x, F = tumbling_motion.stepped(first.x, 1.1)
    noise = 1.1 * np.repeat([0.0, 4e-6, 0.0, 2.5e-7, 0.0], [3, 3, 3, 3, 5])
    np.testing.assert_allclose(later.x, x, rtol=1e-12)
    np.testing.assert_allclose(later.P, F @ first.P @ F.T + np.diag(noise), rtol=1e-9, atol=1e-12)
    assert later.t == 3.1 and made.predict(first, 2.0) is first
    with pytest.raises(InputError, match="later times"):
        made.predict(first, 1.9)
    point = np.array([0.3, -0.4, 1.0])
    np.testing.assert_allclose(first.place(3.1, point), x[:3] + _rotation(x[6:10]) @ point, rtol=1e-9)
    np.testing.assert_allclose(first.place(2.0), first.x[:3], rtol=1e-12)
    for name, rows in (("position", slice(0, 3)), ("velocity", slice(3, 6)), ("attitude", slice(6, 9)),
                       ("rate", slice(9, 12)), ("inertia", slice(12, 17))):  # fmt: skip
        assert first.deviation(name) == pytest.approx(np.sqrt(np.trace(first.P[rows, rows])))
    with pytest.raises(InputError, match="an error is one of"):
        first.deviation("spin")


def test_corrections_are_the_most_probable_states() -> None:
    """The posterior has no slope there, and its covariance is the inverse of the information."""
    rng = np.random.default_rng(8)
    made, C = TumblingFilter(CAMERA, MARKERS), _camera_pose()
    first = _estimate(rng)
    lens = np.array([CAMERA.gain, CAMERA.baseline])
    true = tumbling_motion.moved(first.x, 0.3 * np.linalg.cholesky(first.P) @ rng.normal(size=17))
    chosen = np.array([0, 2, 3, 4])
    pixels = tumbling_motion.sight(4)(true, C, MARKERS[chosen], lens)[0].reshape(4, 4)
    found = made.correct(first, 2.0, chosen, pixels, C)
    expected, H = tumbling_motion.sight(4)(found.x, C, MARKERS[chosen], lens)
    known = np.linalg.inv(first.P)
    slope = H.T @ (pixels.ravel() - expected) / 0.09 - known @ tumbling_motion.apart(first.x, found.x)
    scale = np.abs(H.T @ H).max() / 0.09
    assert np.abs(slope).max() < 2e-3 * scale * 1e-1
    np.testing.assert_allclose(
        found.P, np.linalg.inv(known + H.T @ H / 0.09), rtol=5e-2, atol=1e-3 * np.abs(found.P).max()
    )
    np.testing.assert_allclose(found.P, found.P.T, rtol=1e-9, atol=1e-15)
    assert made.correct(first, 2.0, [], np.zeros((0, 4)), C) is first
    with pytest.raises(InputError, match="pixels must be"):
        made.correct(first, 2.0, [0, 1], np.zeros((3, 4)), C)
    times = [2.5, 3.5]
    total, x, F, t = np.zeros((17, 17)), first.x, np.eye(17), 2.0
    for time in times:
        x, step = tumbling_motion.stepped(x, time - t)
        t, F = time, step @ F
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = _rotation(x[6:10]), x[:3]
        seen = made.visible(pose, C)
        assert len(seen) == 4
        A = tumbling_motion.sight(4)(x, C, MARKERS[seen], lens)[1] @ F / 0.3
        total += A.T @ A
    values = np.sort(np.linalg.eigvals(first.P @ total).real)
    np.testing.assert_allclose(np.sort(made.information(first, times, C)), values, rtol=1e-5, atol=1e-6 * values[-1])


def test_fits_sum_what_all_pictures_say() -> None:
    rng = np.random.default_rng(9)
    x, C = _state(rng), _camera_pose()
    lens = np.array([CAMERA.gain, CAMERA.baseline])
    places = [(0.4, np.array([0, 1, 3])), (1.1, np.array([], dtype=int)), (1.7, np.array([1, 2, 3, 4]))]
    pictures, motions = [], []
    for t, chosen in places:
        end, F = tumbling_motion.stepped(x, t)
        clean, H = tumbling_motion.sight(max(len(chosen), 1))(end, C, MARKERS[chosen if len(chosen) else [0]], lens)
        offset = 0.1 * rng.normal(size=4 * len(chosen))
        pictures.append((t, chosen, (clean[: 4 * len(chosen)] + offset).reshape(-1, 4), C))
        motions.append((H[: 4 * len(chosen)] @ F / 0.3, offset / 0.3))
    fit = Fit(MARKERS, lens, 0.3, pictures)
    N, g, end, F, misfit = fit._through(x, 0.0, pictures)
    # steps of the pictures end elsewhere than those of half a second: fourth order
    np.testing.assert_allclose(N, sum(A.T @ A for A, _ in motions), rtol=1e-3, atol=1e-4 * np.abs(N).max())
    np.testing.assert_allclose(g, sum(A.T @ b for A, b in motions), rtol=0.05, atol=0.05 * np.abs(g).max())
    assert misfit == pytest.approx(sum(b @ b for _, b in motions), rel=0.05)
    np.testing.assert_allclose(end, tumbling_motion.stepped(x, 1.7)[0], atol=1e-5)
    np.testing.assert_allclose(F, tumbling_motion.stepped(x, 1.7)[1], atol=1e-4)
    guess = tumbling_motion.moved(x, 1e-2 * rng.normal(size=17))
    clean_pictures = [
        (t, k, p - 0.3 * b.reshape(-1, 4), C) for (t, k, p, _), (_, b) in zip(pictures, motions, strict=True)
    ]
    found, P = Fit(MARKERS, lens, 0.3, clean_pictures).best([(0.0, guess, np.eye(17))])
    assert np.abs(tumbling_motion.apart(end, found))[:9].max() < 2e-2
    assert np.linalg.eigvalsh(P)[0] > 0.0


def test_first_estimates_from_two_pictures() -> None:
    """Of a body that turns steadily: pose, rate, and sizes of the errors of a triangulation."""
    made, C = TumblingFilter(CAMERA, MARKERS), _camera_pose()
    axis = np.array([0.1, 0.25, -0.2])
    pictures = []
    for t in (1.0, 3.0):
        R = Rotation.from_rotvec([0.4, 0.1, 0.9]).as_matrix() @ Rotation.from_rotvec(axis * t).as_matrix()
        world = MARKERS[:4] @ R.T + [0.2, -0.1, 4.0]
        pictures.append((t, np.arange(4), CAMERA.pixels((world - C[:3, 3]) @ C[:3, :3]), C))
    found = made.begin(pictures, [2.0, 3.0, 4.0], inertia_error=0.2, drift=0.03)
    np.testing.assert_allclose(found.x[:6], [0.2, -0.1, 4.0, 0.0, 0.0, 0.0], atol=1e-7)
    np.testing.assert_allclose(_rotation(found.x[6:10]), R, atol=1e-7)
    np.testing.assert_allclose(found.x[10:13], axis, atol=1e-7)
    np.testing.assert_allclose(found.x[13:], [np.log(0.5), np.log(0.75), 0.0, 0.0, 0.0], atol=1e-12)
    z = np.linalg.norm(np.array([0.2, -0.1, 4.0]) - C[:3, 3])
    depth = z * z * np.sqrt(2.0) * 0.3 / (CAMERA.gain * CAMERA.baseline)  # of an error of the disparity
    angle = depth / np.sqrt(MARKERS.var(axis=0).sum())
    sizes = np.repeat([depth, 0.03, angle, angle + 1e-4, 0.2], [3, 3, 3, 3, 5])
    np.testing.assert_allclose(np.sqrt(np.diag(found.P)), sizes, rtol=1e-9)
    assert found.t == 3.0
    rng = np.random.default_rng(1)
    points = rng.normal(size=(5, 3)) + [0.3, -0.5, 6.0]
    mirror = _mirrored(points)
    u = points.mean(axis=0) / np.linalg.norm(points.mean(axis=0))
    np.testing.assert_allclose((mirror - points) @ u, -2.0 * (points - points.mean(axis=0)) @ u, rtol=1e-9)
    np.testing.assert_allclose(np.cross(mirror - points, u), 0.0, atol=1e-12)
    np.testing.assert_array_equal(_moments([1.0, 2.0, 3.0]), np.diag([1.0, 2.0, 3.0]))
    for wrong in ([1.0, -2.0, 3.0], [1.0, 2.0], np.diag([1.0, 0.0, 1.0]), [np.nan, 1.0, 1.0]):
        with pytest.raises(InputError, match="positive moments"):
            _moments(wrong)


# -- choices and errors ------------------------------------------------------------------------------------------------


def test_choices_that_are_the_same_in_the_whole_box() -> None:
    """Against their values at corners of the numbers; those that change within the box are refused."""
    p, c = (("p", "m"),), (("cos", "a"),)
    rng = np.random.default_rng(20)

    def make(middle: float, *more: float) -> dict[Any, Enclosure]:
        return {(): Enclosure(middle), **{m: Enclosure(x) for m, x in zip((p, c), more, strict=False)}}

    functions = {"FMAX": max, "FMIN": min, "LT": lambda x, y: float(x < y), "LE": lambda x, y: float(x <= y),
                 "EQ": lambda x, y: float(x == y), "NE": lambda x, y: float(x != y),
                 "AND": lambda x, y: float(bool(x and y)), "OR": lambda x, y: float(bool(x or y))}  # fmt: skip

    def value(x: Any, numbers: Any) -> float:
        return float(sum(e.m * np.prod([numbers[f] for f in m]) for m, e in x.items()))

    for _ in range(60):
        x, y = make(*rng.normal(size=3) * [2.0, 0.2, 0.1]), make(*rng.normal(size=2) * [2.0, 0.3])
        if rng.uniform() < 0.2:
            y = dict(x)
        op = str(rng.choice(list(functions)))
        corners = [{p[0]: a, c[0]: b} for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
        differences = [value(x, n) - value(y, n) for n in corners]
        sizes = [[value(z, n) for n in corners] for z in (x, y)]
        mixed = (min(differences) < 0.0 < max(differences)) if op not in ("AND", "OR") else any(
            min(s) < 0.0 < max(s) for s in sizes)  # fmt: skip
        try:
            signal, found = decided(op, (False, x), (False, y))
        except InputError as failure:
            assert mixed and f"choose ({op})" in str(failure)
            continue
        assert not signal and not mixed
        for n in corners:
            assert value(found, n) == pytest.approx(functions[op](value(x, n), value(y, n)))
    for middle in (0.7, -0.7, 0.0):
        x = make(middle, 0.1, 0.2) if middle else {}
        for op, function in (("FABS", abs), ("SIGN", np.sign), ("NOT", lambda z: float(not z))):
            assert value(decided(op, (False, x), None)[1], {p[0]: 0.4, c[0]: -0.3}) == pytest.approx(
                function(value(x, {p[0]: 0.4, c[0]: -0.3})))  # fmt: skip
        chosen = decided("IF_ELSE_ZERO", (False, x), (True, "signal"))
        assert chosen == ((True, "signal") if middle else (True, {}))
    with pytest.raises(InputError, match="depends on a, m"):
        decided("SIGN", (False, make(0.25, 0.1, -0.2)), None)
    with pytest.raises(InputError, match="rounding"):
        decided("SIGN", (False, {(): Enclosure(1e-20, 1e-18)}), None)
    for pair in (((True, "s"), (False, {})), ((False, {}), (True, "s"))):
        with pytest.raises(InputError, match="between displacements or inputs"):
            decided("FMAX", cast(Any, pair[0]), cast(Any, pair[1]))


def test_errors_of_models_keep_their_size_at_every_level() -> None:
    rng = np.random.default_rng(21)
    blocks = [
        DeltaBlock("a", 2),
        DeltaBlock("e", 3, "error", 0.2),
        DeltaBlock("b", 1),
        DeltaBlock("z", 0, "error", 0.4),
    ]
    A, B, C, D = rng.normal(size=(2, 2)), rng.normal(size=(2, 8)), rng.normal(size=(9, 2)), rng.normal(size=(9, 8))
    (a, b, c, d), made = at_level((A, B, C, D), blocks, 2.5)
    assert [(x.name, x.kind) for x in made] == [("a", "real"), ("e", "full"), ("b", "real")]
    factor = np.array([1, 1, 2.5, 2.5, 2.5, 1, 1, 1, 1])[:, None]
    assert a is A and b is B
    np.testing.assert_allclose(c, factor * C)
    np.testing.assert_allclose(d, factor * D)
    (a, b, c, d), rest = without_errors((A, B, C, D), blocks)
    rows, columns = [0, 1, 5, 6, 7, 8], [0, 1, 5, 6, 7]
    assert [x.name for x in rest] == ["a", "b"]
    np.testing.assert_array_equal(b, B[:, columns])
    np.testing.assert_array_equal(c, C[rows])
    np.testing.assert_array_equal(d, D[np.ix_(rows, columns)])
    assert sampled_error(blocks) == 0.4 and sampled_error(blocks[:1]) is None
    assert extent(blocks) == " for the LFT (its error, sampled: 0.4)" and extent(blocks[:1]) == ""


def test_neglected_dynamics_are_relative_errors() -> None:
    """``1 + w d``: at ``d`` with ``1 + w d = exp(-T s)``, or the lag, ``|d|`` is at most one at every frequency."""
    T = 0.3
    for w in np.geomspace(0.05, 300.0, 15):
        for made, exact in (
            (neglected_delay("d", T), np.exp(-1j * w * T)),
            (neglected_lag("d", T), 1 / (1 + 1j * w * T)),
        ):
            (A, B, C, D), blocks = made.state_space()
            assert [(b.name, b.kind, b.size) for b in blocks] == [("d", "complex", 1)]
            G = D + C @ np.linalg.solve(1j * w * np.eye(len(A)) - A, B)
            weight = G[0, 1] * G[1, 0]
            assert G[0, 0] == pytest.approx(0.0) and G[1, 1] == pytest.approx(1.0)
            size = abs((exact - 1.0) / weight)
            assert size <= 1.0 + 1e-9 and (made.sizes == {"d": 1})
            expected = (
                1j * w * T / (1 + 1j * w * T / np.sqrt(12.0)) if abs(exact) == pytest.approx(1.0) else exact - 1.0
            )
            assert abs(weight) == pytest.approx(abs(expected), rel=1e-9)
    for wrong in (0.0, -1.0, np.inf, "T"):
        with pytest.raises(InputError, match="positive number of seconds"):
            neglected_lag("d", cast(Any, wrong))
    with pytest.raises(InputError, match="one input and one output"):
        multiplicative("d", cast(Any, np.ones((2, 2))))


# -- trials ------------------------------------------------------------------------------------------------------------


def test_trials_play_back_torques_and_add_feedback() -> None:
    machine = da.Machine(
        "slide",
        bodies=[da.point_mass("one", 2.0), da.point_mass("two", 1.0)],
        joints=[
            da.Joint("x", "prismatic", "world", "one", axis=(1, 0, 0)),
            da.Joint("y", "prismatic", "one", "two", axis=(0, 1, 0)),
        ],
        motors=[da.Motor("G", "y", ratio=4.0), da.Motor("F", "x", ratio=-2.0)],
    )
    rng = np.random.default_rng(22)
    torques = rng.normal(size=(5, 2))
    path = da.Quintic([0.0, 1.0], [0.5, -1.0], duration=0.5)
    trial = Trial(machine, path, duration=0.5, period=0.1, kp=[30.0, 7.0], kd=[2.0, 5.0], torques=torques)
    np.testing.assert_allclose(trial.times, [0.0, 0.1, 0.2, 0.3, 0.4])
    for k, t in ((2, 0.2000001), (4, 0.5)):
        q, v = rng.normal(size=2), rng.normal(size=2)
        s = trial.times[k] / 0.5
        shape, slope = 10 * s**3 - 15 * s**4 + 6 * s**5, (30 * s**2 - 60 * s**3 + 30 * s**4) / 0.5
        r, rate = np.array([0.5 * shape, 1.0 - 2.0 * shape]), np.array([0.5, -2.0]) * slope
        e, de = r - q[[1, 0]], rate - v[[1, 0]]  # motors drive y, then x
        added = (np.array([30.0, 7.0]) * e + np.array([2.0, 5.0]) * de) / [4.0, -2.0]
        np.testing.assert_allclose(trial(t, q, v), torques[k] + added, rtol=1e-9)
        np.testing.assert_allclose(trial.feedback[k], added, rtol=1e-9)
        np.testing.assert_allclose(trial.errors[k], e, rtol=1e-9)
    new = trial.again(2.0 * torques)
    assert (
        not new.feedback.any() and not new.errors.any() and trial.feedback.any() and (new.torques == 2 * torques).all()
    )
    for lead in (0, 1, 3):
        played: list[Array] = []

        def run(one: Any, played: list[Array] = played) -> None:
            played.append(one.torques.copy())
            one.feedback[:] = np.arange(10.0).reshape(5, 2) * (len(played) + 1)
            one.errors[:] = -one.feedback

        found = learn_torques(run, trial.again(torques), trials=3, lead=lead)
        shift = np.array([min(k + lead, 4) for k in range(5)])
        first = np.arange(10.0).reshape(5, 2)[shift]
        np.testing.assert_allclose(found.history, [torques, torques + 2 * first, torques + 5 * first])
        np.testing.assert_allclose(found.torques, torques + 9 * first)
        np.testing.assert_allclose(found.errors, [[8 * n, 9 * n] for n in (2, 3, 4)])
