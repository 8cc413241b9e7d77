"""Laws of captures by robots, schedules of gains and uncertain machines, against definitions and matrices in numpy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.control.scheduled import powers
from dalembert.control.structured import ControllerGain, Gain, Poles, Variance, scheduling
from dalembert.control.structured.results import TuneResult, TuneSettings
from dalembert.control.structured.structures import Structure, Tunable
from dalembert.control.uncertain import state_equations
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.uncertain.lft import LFT
from dalembert.control.uncertain.relation import ERROR
from dalembert.control.uncertain.tapes import Held
from dalembert.core.errors import InputError, PlanError
from dalembert.plan import robot_capture
from dalembert.plan.held_base import ArmMotion, held_base, way_to
from dalembert.plan.pose import meet_pose, resting_pose
from dalembert.plan.robot_capture import CaptureApproach, RobotCapture
from dalembert.plan.robot_limits import RobotLimits, Verdict
from dalembert.plan.tumbling import TumblingBody


def _noting(calls: list[Any], answer: Any) -> Any:
    """A function that notes its arguments."""

    def function(*args: Any) -> Any:
        calls.append(args)
        return answer

    return function


# -- captures ---------------------------------------------------------------------------------------------------------

_BODY = TumblingBody(
    (2.0, 3.0, 4.5),
    rate=(0.02, -0.03, 0.04),
    point=(0.7, -0.4, 0.5),
    position=(2.6, 0.4, 0.3),
    velocity=(0.04, -0.03, 0.02),
)


def _scene(limits: RobotLimits, task: str = "position") -> Any:
    """A robot of two joints, whose tip turns with them, among axes that are turned and moved."""
    ranges = {"one": (-0.8, 2.0), "two": (-np.inf, 1.1)}
    machine = SimpleNamespace(
        joint=lambda n: SimpleNamespace(limits=SimpleNamespace(lower=ranges[n][0], upper=ranges[n][1]))
    )

    def tip(joints: Any) -> Any:
        X = np.zeros((*joints.shape[:-1], 4, 4))
        X[..., :3, :3] = Rotation.from_rotvec(
            np.concatenate([joints.reshape(-1, 2), np.full((joints.size // 2, 1), 0.4)], axis=1)
        ).as_matrix()
        return X, None

    robot = SimpleNamespace(
        names=("one", "two"),
        rows=(np.array([2, 3, 4, 5, 6, 7]), np.array([0, 1]), np.array([0, 1])),
        eom=SimpleNamespace(machine=machine),
        task=task,
        tip=tip,
    )
    rng = np.random.default_rng(3)
    return SimpleNamespace(
        robot=robot,
        limits=limits,
        body=_BODY,
        axis=np.array([0.6, -0.48, 0.64]),
        hold=2.5,
        centre=np.array([0.1, -0.2, 0.05]),
        R=Rotation.from_quat(rng.normal(size=4)).as_matrix(),
        shoulder=np.array([0.2, 0.1, 0.3]),
        reach=2.4,
        shape="shape",
        obstacles=("box",),
    )


def _motion(joints: Any, effort: Any, miss: Any) -> ArmMotion:
    return cast(Any, SimpleNamespace(joints=joints, effort=effort, miss=miss))


def test_the_use_of_every_limit_of_a_capture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Torques within their part, ranges of joints and the common one, least values, angles, distances to the debris."""
    rng = np.random.default_rng(5)
    limits = RobotLimits(
        base_torque=(7.0, 6.0, 9.0), joint_torque=11.0, joint_range=1.7, singularity=0.3, clearance=0.07, reserve=0.2,
        approach_angle=1.2,
    )  # fmt: skip
    scene = _scene(limits)
    t = np.linspace(0.0, 10.0, 9)  # the tip goes with the body from 7.5 s on
    joints, effort = rng.uniform(-0.6, 0.9, (9, 2)), rng.normal(size=(9, 8))
    effort[3] *= 3.0
    least, miss = rng.uniform(0.4, 2.0, 9), np.full(9, 5e-4)
    seen: list[Any] = []

    def clearance(*args: Any) -> dict[str, float]:
        seen.append(args)
        return {"arm": 0.5, "base": 0.05}

    monkeypatch.setattr(robot_capture, "least_clearance", clearance)
    for shift in ((0.0, 0.0), (1.3, 0.0), (-0.7, 0.0), (0.0, 0.6), (0.0, -1.5)):
        moved = joints + shift
        found = robot_capture._verdicts(scene, _BODY, t, _motion(moved, effort, miss), least, near=True)
        (one, two) = moved.T
        room = min(one.min() + 0.8, 1.7 - one.max(), two.min() + 1.7, 1.1 - two.max())
        base = np.abs(effort[:, 5:8]).max(axis=0) / (0.8 * np.array([7.0, 6.0, 9.0]))
        angles = []
        for k in (7, 8):
            z = scene.robot.tip(moved[k])[0][:3, 2]
            inward = -scene.R.T @ _BODY.attitude(t[k]) @ scene.axis
            angles.append(np.arctan2(np.linalg.norm(np.cross(z, inward)), z @ inward))
        k = int(np.argmax(base))
        joint = np.abs(effort[:, :2]).max()
        expected = [
            ("base torque", "N m", base[k] * 0.8 * (7.0, 6.0, 9.0)[k], 0.8 * (7.0, 6.0, 9.0)[k], 1.0 - base[k]),
            ("joint torque", "N m", joint, 8.8, 1.0 - joint / 8.8),
            ("room to the joint range", "rad", room, 0.0, room / 1.7),
            ("distance from singularity", "", least.min(), 0.3, least.min() / 0.3 - 1.0),
            ("approach angle", "rad", max(angles), 1.2, 1.0 - max(angles) / 1.2),
            ("clearance of arm", "m", 0.5, 0.07, 0.5 / 0.07 - 1.0),
            ("clearance of base", "m", 0.05, 0.07, 0.05 / 0.07 - 1.0),
        ]
        assert [(v.name, v.unit) for v in found] == [x[:2] for x in expected]
        np.testing.assert_allclose([(v.value, v.limit, v.slack) for v in found], [x[2:] for x in expected], rtol=1e-9)
        far = robot_capture._verdicts(scene, _BODY, t, _motion(moved, effort, miss), least)
        assert far == found[:5]
    robot, shape, given, X, obstacles = seen[-1]
    assert (robot, shape, obstacles) == (scene.robot, "shape", ("box",))
    np.testing.assert_array_equal(given, moved)
    for k, time in enumerate(t):
        place = np.array(_BODY.position) + time * np.array(_BODY.velocity) - scene.centre
        np.testing.assert_allclose(X[k, :3, :3], scene.R.T @ _BODY.attitude(time), atol=1e-12)
        np.testing.assert_allclose(X[k, :3, 3], scene.R.T @ place, atol=1e-12)
        np.testing.assert_array_equal(X[k, 3], [0.0, 0.0, 0.0, 1.0])
    posed = robot_capture._verdicts(_scene(limits, "pose"), _BODY, t, _motion(joints, effort, miss), least)
    assert [v.name for v in posed] == [x[0] for x in expected[:4]]


@pytest.mark.parametrize("miss", [0.0011, np.nan])
def test_a_path_that_the_tip_does_not_reach(miss: float) -> None:
    scene = _scene(RobotLimits())
    missed = np.array([1e-4, miss, 2e-4])
    (verdict,) = robot_capture._verdicts(
        scene, _BODY, np.arange(3.0), _motion(np.zeros((3, 2)), np.zeros((3, 8)), missed), np.ones(3), near=True
    )
    assert verdict.name == "reach of the path" and verdict.unit == "m" and not verdict.ok
    assert verdict.value == pytest.approx(miss, nan_ok=True) and (verdict.limit, verdict.slack) == (1e-3, -1.0)


def test_where_the_debris_should_stand() -> None:
    scene = _scene(RobotLimits())
    assert robot_capture._hint(scene, 0.97 * 2.4) == ""
    target = float(np.sqrt(0.7**2 + 0.4**2 + 0.5**2))
    there = np.linalg.norm(scene.R.T @ (np.array(_BODY.position) - scene.centre) - scene.shoulder)
    assert robot_capture._hint(scene, 0.99 * 2.4) == (
        f"; the centre of the debris is {there:.3g} m from the first joint of the arm and its target point "
        f"{target:.3g} m from that centre: bring the chaser to about {0.72 * 2.4 + target:.3g} m"
    )


def _candidate(*verdicts: tuple[str, float, float, float]) -> Any:
    told = tuple(
        Verdict(name, "N m" if "torque" in name else "", value, limit, s) for name, value, limit, s in verdicts
    )
    return robot_capture._Candidate(np.eye(3), 12.0, 0.5, told)


def test_why_no_candidate_is_accepted() -> None:
    """Each candidate counts for the limit that it misses most; the nearest of each limit is told."""
    scene = _scene(RobotLimits(), "axis")
    failed = [
        _candidate(("joint torque", 12.0, 8.0, -0.5), ("base torque", 5.0, 4.0, -0.25)),
        _candidate(("joint torque", 8.2, 8.0, -0.025), ("base torque", 6.0, 4.0, -0.5)),
        _candidate(("base torque", 4.8, 4.0, -0.2), ("joint torque", 2.0, 8.0, 0.75)),
        _candidate(("reach of the path", 0.25, 1e-3, -1.0)),
    ]
    said = robot_capture._reason(scene, failed, 7, (16.0, 40.5))
    assert said == (
        "none of 4 candidates (7 sides, 16 to 40.5 s) keeps every limit; failed by base torque: 2 (nearest 4.8, limit "
        "4 N m); joint torque: 1 (nearest 12, limit 8 N m); reach of the path: 1 (nearest 0.25, limit 0.001)"
    )
    stuck = robot_capture._reason(scene, failed[3:], 1, (16.0, 40.5))
    assert "the arm reaches the target point but not with the required" in stuck and "1 candidates (1 sides" in stuck


def test_the_first_good_candidate_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """By parts of 24; within a part the one with the most room, if it is as good on a fine grid."""
    rng = np.random.default_rng(8)
    room = rng.uniform(-1.0, -0.1, 60)
    room[[29, 33, 40, 55]] = 0.2, 0.6, 0.4, 0.9
    candidates = [robot_capture._Candidate(np.eye(3), float(k), 0.0) for k in range(60)]
    judged: list[int] = []
    fine: list[int] = []

    def evaluate(scene: Any, some: Any) -> Any:
        judged.append(len(some))
        return [
            replace(c, verdicts=(Verdict("a", "", 1, 1, room[int(c.duration)]), Verdict("b", "", 1, 1, 0.95)))
            for c in some
        ]

    refused = {33}

    def finished(scene: Any, candidate: Any, tried: int) -> Any:
        fine.append(int(candidate.duration))
        slack = -0.05 if fine[-1] in refused else 0.1
        return SimpleNamespace(verdicts=(Verdict("fine", "", 1, 1, slack),), tried=tried, duration=candidate.duration)

    monkeypatch.setattr(robot_capture, "_evaluate", evaluate)
    monkeypatch.setattr(robot_capture, "_finished", finished)
    plan = robot_capture._first_accepted(cast(Any, None), candidates, 5, (1.0, 2.0))
    assert (plan.duration, plan.tried, judged, fine) == (40.0, 48, [24, 24], [33, 40])
    refused |= {29, 40, 55}
    judged.clear()
    fine.clear()
    told: list[Any] = []
    monkeypatch.setattr(robot_capture, "_reason", _noting(told, "why"))
    with pytest.raises(PlanError, match="why"):
        robot_capture._first_accepted(cast(Any, None), candidates, 5, (1.0, 2.0))
    assert (judged, fine, len(told[0][1]), told[0][2:]) == ([24, 24, 12], [33, 40, 29, 55], 60, (5, (1.0, 2.0)))
    worst = {int(c.duration): c.verdicts[0].slack for c in told[0][1]}
    assert worst[33] == -0.05 and worst[3] == room[3]


@pytest.mark.parametrize(
    "fields",
    [
        {"durations": (0.0, 5.0)},
        {"durations": (-1.0, 5.0)},
        {"durations": (5.0, 2.0)},
        {"durations": (5.0, np.inf)},
        {"durations": 5.0},
        {"durations": (1.0, 2.0, 3.0)},
        {"durations": ("a", 2.0)},
        {"every": 0.0},
        {"hold": -1.0},
        {"sides": 0},
        {"sides": 2.5},
        {"sides": True},
    ],
)
def test_candidates_that_cannot_be(fields: Any) -> None:
    with pytest.raises(InputError, match=next(iter(fields))):
        CaptureApproach(**fields)


def test_candidates_of_a_plan() -> None:
    made = CaptureApproach(durations=cast(Any, [3, 3]), every=1, hold=2, sides=1)
    assert (made.durations, made.every, made.hold, made.sides) == ((3.0, 3.0), 1.0, 2.0, 1)
    usual = CaptureApproach()
    assert (usual.durations, usual.every, usual.hold, usual.sides) == ((16.0, 112.0), 2.0, 10.0, 48)


def test_a_plan_is_renewed_from_the_present_motion() -> None:
    """The grip of the debris as it is estimated now is met at the planned end, or a lead later if that is too near."""
    rng = np.random.default_rng(11)
    grip = Rotation.from_quat(rng.normal(size=4)).as_matrix()
    verdicts = (Verdict("a", "m", 0.25, 0.5, 0.5), Verdict("b", "N m", 3.5, 4.0, 0.125))
    nothing: Any = None
    capture = RobotCapture(
        _BODY, np.eye(3), 31.0, 7.0, grip, nothing, nothing, nothing, nothing, nothing, nothing, verdicts, 3, nothing
    )
    assert str(capture) == "capture after 31 s, followed for 7 s; nearest limit: b 3.5 (limit 4) N m"
    start = resting_pose(rng.normal(size=3), Rotation.from_quat(rng.normal(size=4)).as_matrix())
    for now, lead, left in ((12.0, 4.0, 19.0), (29.0, 5.5, 5.5), (40.0, 4.0, 4.0)):
        path = capture.replan(now, start, _BODY, **({} if lead == 4.0 else {"lead": lead}))
        np.testing.assert_allclose(path(0.0).position, start.position, atol=1e-12)
        for more in (0.0, 1.5):  # from then on the tip goes with the grip
            A, time = _BODY.attitude(now + left + more), now + left + more
            place = np.array(_BODY.position) + time * np.array(_BODY.velocity) + A @ np.array(_BODY.point)
            np.testing.assert_allclose(path(left + more).position, place, atol=1e-10)
            np.testing.assert_allclose(path(left + more).rotation, A @ grip, atol=1e-10)
        short = path(0.98 * left)
        A = _BODY.attitude(now + 0.98 * left)
        assert np.abs(short.rotation - A @ grip).max() > 1e-9
    with pytest.raises(InputError, match="lead"):
        capture.replan(1.0, start, _BODY, lead=-1.0)


# -- schedules of gains -----------------------------------------------------------------------------------------------


def test_products_of_measured_signals_and_powers() -> None:
    """Outputs are those of the model, then measured signals times each power of each number, one after the other."""
    rng = np.random.default_rng(2)
    sizes = {"a": 2, "b": 1}
    M = 0.3 * rng.normal(size=(3, 3))
    B, C, D = rng.normal(size=(3, 2)), rng.normal(size=(4, 3)), rng.normal(size=(4, 2))
    blocks = tuple(DeltaBlock(name, n, "real") for name, n in sizes.items())
    lft = LFT(M, B, C, D, blocks, ("f", "g"), ("w", "x", "y", "z"))
    measured, products = ("z", "x"), [f"{m}_times_{k}" for k in ("a1", "a2", "b1", "b2", "b3") for m in ("z", "x")]
    whole = scheduling._with_products(lft, measured, {"a": 2, "b": 3}, products)
    assert whole.outputs == ("w", "x", "y", "z", *products) and whole.inputs == ("f", "g")
    for a, b in rng.uniform(-1.0, 1.0, (4, 2)):
        delta = np.diag([a, a, b])
        G = D + C @ delta @ np.linalg.solve(np.eye(3) - M @ delta, B)
        expected = np.vstack([G, *(power * G[[3, 1]] for power in (a, a**2, b, b**2, b**3))])
        np.testing.assert_allclose(np.asarray(whole.at(a=a, b=b)), expected, rtol=1e-9, atol=1e-12)


def _affine(rng: np.random.Generator, nonlinear: bool = False) -> tuple[Structure, Any, Any]:
    constant, slopes = rng.normal(size=(2, 3)), rng.normal(size=(4, 2, 3))

    def matrices(x: Any) -> Any:
        D = ca.DM(constant) + sum((x[k] * ca.DM(slopes[k]) for k in range(4)), ca.SX.zeros(2, 3))
        return ca.SX(0, 0), ca.SX(0, 3), ca.SX(2, 0), D + (x[0] * x[1] if nonlinear else 0.0)

    names = ("k", "d", "m", "n")
    tunables = tuple(Tunable(n, 0.25 * (i + 1)) for i, n in enumerate(names))
    return Structure(("x", "y", "z"), ("f", "g"), tunables, 0, matrices), constant, slopes


def test_gains_as_polynomials() -> None:
    """Its own gains, then gains without their constant part for each power, with numbers and scales of their own."""
    rng = np.random.default_rng(4)
    structure, constant, slopes = _affine(rng)
    products = [f"{m}_times_{k}" for k in ("mass1", "mass2") for m in structure.measured]
    wide = scheduling._polynomial(structure, (2.0, 3.0, 5.0, 7.0), products)
    assert wide.measured == ("x", "y", "z", *products) and wide.controls == ("f", "g") and wide.order == 0
    assert [t.name for t in wide.tunables] == [f"{n}{w}" for w in ("", "*mass1", "*mass2") for n in "kdmn"]
    assert wide.tunables[:4] == structure.tunables
    assert [(t.start, t.scale) for t in wide.tunables[4:]] == 2 * [(0.0, x) for x in (2.0, 3.0, 5.0, 7.0)]
    y = rng.normal(size=12)
    A, B, C, D = wide.matrices(ca.SX(y))
    assert (ca.SX(A).shape, ca.SX(B).shape, ca.SX(C).shape) == ((0, 0), (0, 9), (2, 0))
    parts = [np.tensordot(y[4 * k : 4 * k + 4], slopes, 1) for k in range(3)]
    parts[0] = parts[0] + constant
    np.testing.assert_allclose(np.array(ca.DM(ca.SX(D))), np.hstack(parts), rtol=1e-12)
    with pytest.raises(InputError, match="gains that are linear"):
        scheduling._polynomial(_affine(rng, nonlinear=True)[0], (1.0,) * 4, products)
    fixed = Structure(("x",), ("f",), (Tunable("k", 1.0),), 0, lambda x: (0.0, 0.0, 0.0, ca.SX(1, 1)))
    assert len(scheduling._polynomial(fixed, (1.0,), ["x_times_a1"]).tunables) == 2


@pytest.mark.parametrize(("status", "end"), [("met", "missed"), ("unstable", "met"), ("met", "unstable")])
def test_gains_are_scheduled_from_the_best_fixed_ones(monkeypatch: pytest.MonkeyPatch, status: str, end: str) -> None:
    """First fixed gains, then those of all powers; both ends of each quantity come first; the gains by power."""
    rng = np.random.default_rng(14)
    lft = LFT(
        0.3 * rng.normal(size=(2, 2)), rng.normal(size=(2, 2)), rng.normal(size=(4, 2)), rng.normal(size=(4, 2)),
        (DeltaBlock("mass", 1, "real"), DeltaBlock("load.x", 1, "real")), ("f", "g"), ("x", "y", "w", "z"),
    )  # fmt: skip
    degrees = {"load.x": 2, "mass": 1, "fixed": 1}
    made: list[Any] = []
    numbers = rng.normal(size=20)
    values = {"k": 0.5, "d": 0.4, "m": -0.3, "n": 0.2}

    def tune(model: Any, structure: Any, hard: Any, soft: Any, settings: Any, **more: Any) -> TuneResult:
        made.append((model, structure, hard, soft, settings, more))
        first = len(made) == 1
        found = values if first else dict(zip((t.name for t in structure.tunables), numbers, strict=True))
        told = ("first", 31) if first else ("second", 12)
        return TuneResult(
            status if first else end, told[0], found, (), {}, (), (), structure, 0.5, told[1], hard=0.75, soft=1.25
        )

    monkeypatch.setattr(scheduling, "check_schedule", lambda model, schedule: dict(schedule))
    monkeypatch.setattr(scheduling, "tune_over_ranges", tune)
    monkeypatch.setattr(scheduling, "powers", lambda degrees, count: powers({"load.x": 2, "mass": 2}, count))
    monkeypatch.setattr(scheduling, "_sizes", lambda *args: [2.0, 3.0, 5.0, 7.0])
    monkeypatch.setattr(scheduling, "ScheduledGains", lambda *args: args)
    structure, constant, slopes = _affine(rng)
    model = _Model(lft)
    soft = () if end == "missed" else (Gain("f", "x"),)
    hard, settings = (Gain("g", "y"),), TuneSettings()
    result = scheduling.tune_scheduled(cast(Any, model), structure, hard, soft, settings, degrees)
    assert made[0][:5] == (model, structure, hard, soft, settings) and made[0][5] == {}
    wide = made[1][1]
    assert made[1][5] == {"first": [{"load.x": -1.0}, {"load.x": 1.0}, {"mass": -1.0}, {"mass": 1.0}]}
    assert made[1][2:5] == (hard, soft, settings)
    products = [f"{m}_times_{k}" for k in ("load_x1", "load_x2", "mass1", "fixed1") for m in ("x", "y", "z")]
    assert wide.measured == ("x", "y", "z", *products) and made[1][0].lft.outputs == (*lft.outputs, *products)
    starts = [t.start for t in wide.tunables[:4]]
    assert starts == ([0.25, 0.5, 0.75, 1.0] if status == "unstable" else list(values.values()))
    aim = "hard requirements at 0.75" if not soft else "soft requirements at 1.25"
    assert result.message == f"second; fixed gains are {status}, {aim}" and result.evaluations == 43
    assert result.fixed is not None and result.fixed.message == "first"
    if end == "unstable":
        assert result.scheduled is None
        return
    measured, controls, given, parts, of = cast(Any, result.scheduled)
    assert (measured, controls, given, of) == (("x", "y", "z"), ("f", "g"), degrees, model)
    assert len(parts) == 5
    for k, part in enumerate(parts):
        own = np.tensordot(numbers[4 * k : 4 * k + 4], slopes, 1)
        np.testing.assert_allclose(part, own if k else own + constant, rtol=1e-12)
    with pytest.raises(InputError, match="static gains"):
        scheduling.tune_scheduled(cast(Any, model), replace(structure, order=1), hard, soft, settings, degrees)


@dataclass(frozen=True)
class _Model:
    """An uncertain model, of which only the map counts."""

    lft: Any


def test_requirements_that_schedules_refuse() -> None:
    scheduling._check_requirements([Gain("f", "x"), Variance("f", "x"), Poles(decay=0.5)])
    for requirement, words in (
        (ControllerGain(3.0), "bounds the controller alone"),
        (Gain("r.x", "y"), "names 'r.x'"),
        (Gain("f", "e.y"), "names 'e.y'"),
        (Variance("f", "e.z"), "names 'e.z'"),
    ):
        with pytest.raises(InputError, match=words):
            scheduling._check_requirements([Gain("f", "x"), requirement])


def test_typical_sizes_are_those_of_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the frequency of the settings, else a typical one of the loop without products."""
    lft = LFT(
        np.array([[0.2]]), np.array([[1.0]]), np.array([[3.0]]), np.array([[2.0]]),
        (DeltaBlock("a", 1, "real"),), ("f",), ("x",),
    )  # fmt: skip
    asked: list[Any] = []
    monkeypatch.setattr(scheduling, "loop_plant", lambda *args: args)
    monkeypatch.setattr(scheduling, "typical_frequencies", _noting(asked, (6.5, 8.5)))
    found: Any = lambda structure, loops, omega: [SimpleNamespace(scale=omega), SimpleNamespace(scale=2 * omega)]  # noqa: E731
    monkeypatch.setattr(scheduling, "ranges", found)
    structure: Any = "structure"
    assert scheduling._sizes(lft, structure, [], TuneSettings(omega=4.5)) == [4.5, 9.0] and asked == []
    assert scheduling._sizes(lft, structure, [], TuneSettings()) == [6.5, 13.0]
    ((plant, given, name),), states, requirements = asked[0]
    assert (np.asarray(plant).ravel().tolist(), given, name, states, requirements) == (
        [2.0],
        structure,
        "middle",
        0,
        [],
    )


# -- robots on a held base --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def arm() -> da.EquationsOfMotion:
    """A free hull with an arm of six joints, and a camera on its hand."""
    names = ("hull", "a", "b", "c", "d", "e", "hand")
    bodies = [
        da.Body(name, 2.0 + 0.3 * k, com=(0.1 * k, -0.1, 0.05), inertia=(0.3, 0.4 + 0.05 * k, 0.5))
        for k, name in enumerate(names)
    ]
    axes = ((0, 0, 1.0), (0, 1.0, 0), (0.6, 0.8, 0), (1.0, 0, 0), (0, 0.8, 0.6), (0, 0, 1.0))
    joints = [da.Joint("base", "free", "world", "hull")]
    for k, axis in enumerate(axes):
        place = (0.3 + 0.02 * k, 0.1 - 0.05 * k, 0.2)
        joints.append(da.Joint(f"j{k}", "revolute", names[k], names[k + 1], axis=axis, origin=place))
    frames = [da.Frame("camera", "hand", origin=(0.2, 0.1, -0.15))]
    return da.equations(da.Machine("robot", bodies, joints, frames=frames, gravity=(0.0, 0.0, 0.0)), backend="vm")


_THETA = np.array([0.3, -0.9, 1.2, -0.8, 0.4, 0.2])


def _whole(arm: da.EquationsOfMotion, theta: Any) -> Any:
    """The configuration with these joints and the centre of mass at the origin, the base not turned."""
    q = arm.q_neutral.copy()
    q[[arm.q_names.index(f"j{k}") for k in range(6)]] = theta
    q[:3] = -arm.center_of_mass(q)
    return q


def test_functions_of_the_joints_of_a_held_base(arm: da.EquationsOfMotion) -> None:
    """Pose, velocities, places and efforts against the equations of the whole robot whose centre of mass rests."""
    held = held_base(arm, "camera")
    assert held.task == "pose" and held.names == tuple(f"j{k}" for k in range(6))
    X, J = held.tip(_THETA)
    np.testing.assert_allclose(X, arm.pose("camera", _whole(arm, _THETA)), atol=1e-12)
    h = 1e-5
    for k in range(6):
        step = h * np.eye(6)[k]
        ahead, behind = (arm.pose("camera", _whole(arm, _THETA + sign * step)) for sign in (1.0, -1.0))
        turn = Rotation.from_matrix(ahead[:3, :3] @ behind[:3, :3].T).as_rotvec()
        np.testing.assert_allclose(J[:, k], np.append(ahead[:3, 3] - behind[:3, 3], turn) / (2 * h), atol=1e-8)
    symbol = ca.SX.sym("theta", 6)
    expression = ca.Function("J", [symbol], [held.tip_jacobian(symbol)])
    np.testing.assert_allclose(np.array(expression(_THETA)), J, atol=1e-12)
    np.testing.assert_allclose(held.place(_THETA), _whole(arm, _THETA)[:3], atol=1e-12)
    points = held.points(("hull", "c", "camera"))(_THETA)
    expected = [arm.pose(name, _whole(arm, _THETA))[:3, 3] for name in ("hull", "c", "camera")]
    np.testing.assert_allclose(points, expected, atol=1e-12)
    rng = np.random.default_rng(6)
    rate, second = rng.normal(size=(2, 6))
    h = 1e-3
    way = [_whole(arm, _THETA + s * rate + 0.5 * s * s * second)[:3] for s in (-h, 0.0, h)]
    v, a = np.zeros(12), np.zeros(12)
    v[:3], v[6:] = (way[2] - way[0]) / (2 * h), rate
    a[:3], a[6:] = (way[2] - 2 * way[1] + way[0]) / h**2, second
    effort = held.effort(_THETA, rate, second)
    np.testing.assert_allclose(effort, arm.inverse_dynamics(_whole(arm, _THETA), v, a), atol=1e-4)
    np.testing.assert_allclose(effort[:3], 0.0, atol=1e-10)  # the centre of mass needs no force
    Q = Rotation.from_quat(rng.normal(size=4))
    centre, attitude = rng.normal(size=3), Q.as_quat()[[3, 0, 1, 2]]
    many = held.configuration(np.stack([_THETA, 0.5 * _THETA]), centre, attitude)
    for q, theta in zip(many, (_THETA, 0.5 * _THETA), strict=True):
        np.testing.assert_allclose(arm.center_of_mass(q), centre, atol=1e-12)
        np.testing.assert_allclose(q[3:7], attitude, atol=1e-15)
        there, own = arm.pose("camera", q), arm.pose("camera", _whole(arm, theta))
        np.testing.assert_allclose(there[:3, :3], Q.as_matrix() @ own[:3, :3], atol=1e-12)
        np.testing.assert_allclose(there[:3, 3], centre + Q.as_matrix() @ own[:3, 3], atol=1e-12)


@pytest.mark.parametrize(("task", "rows"), [("pose", 6), ("axis", 5), ("position", 3)])
def test_a_tip_follows_its_path_as_far_as_its_task_asks(arm: da.EquationsOfMotion, task: str, rows: int) -> None:
    """Rates and accelerations give the twist of the task; Newton's method brings the tip there; singular values."""
    held = held_base(arm, "camera", task=task)
    rng = np.random.default_rng(9)
    X, J = held.tip(_THETA)
    S = np.eye(6)
    S[3:, 3:] = X[:3, :3].T  # turns about the axes of the tip
    A = (np.eye(6) if task == "pose" else S)[:rows] @ J
    least = np.linalg.svd(A)[1][-1]
    stacked = held.least(np.stack([0.8 * _THETA, _THETA]))
    assert stacked.shape == (2,) and stacked[1] == pytest.approx(least, rel=1e-9)
    twist = 0.3 * rng.normal(size=6)
    rate = held.rates(_THETA, twist)
    np.testing.assert_allclose(A @ rate, (np.eye(6) if task == "pose" else S)[:rows] @ twist, atol=1e-9)
    change, h = 0.2 * rng.normal(size=6), 1e-5
    ends = [held.rates(_THETA + s * rate, twist + s * change) for s in (-h, h)]
    np.testing.assert_allclose(held.accelerations(_THETA, twist, change), (ends[1] - ends[0]) / (2 * h), atol=1e-6)
    goal, _ = held.tip(_THETA + 0.05 * rng.normal(size=6))
    theta, miss = held.solve(_THETA, goal[:3, 3], goal[:3, :3], 8)
    reached, _ = held.tip(theta)
    assert miss < 1e-10
    np.testing.assert_allclose(reached[:3, 3], goal[:3, 3], atol=1e-9)
    if task != "position":
        np.testing.assert_allclose(reached[:3, 2], goal[:3, 2], atol=1e-9)
    if task == "pose":
        np.testing.assert_allclose(reached[:3, :3], goal[:3, :3], atol=1e-9)
        turned = Rotation.from_rotvec((0.3, -0.2, 0.1)).as_matrix() @ X[:3, :3]
        for goal_, size in ((X[:3, 3] + [0.3, 0.4, 0.0], 0.5), (X[:3, 3] + [0.35, 0.0, 0.0], float(np.sqrt(0.14)))):
            rotation = X[:3, :3] if size == 0.5 else turned
            same, off = held.solve(_THETA, goal_, rotation, 0)
            np.testing.assert_array_equal(same, _THETA)
            assert off == pytest.approx(size, rel=1e-2)


def test_many_motions_at_once(arm: da.EquationsOfMotion) -> None:
    """Joints along several paths, with times of their own, as along each; rates and efforts belong to the joints."""
    held = held_base(arm, "camera")
    X, _ = held.tip(_THETA)
    ends = ((0.03, 0.015, -0.024), (-0.02, 0.03, 0.01))
    starts = resting_pose(X[:3, 3], X[:3, :3])
    times = np.array([np.linspace(0.0, 5.0, 9), np.linspace(0.0, 8.0, 9) ** 1.1])
    turn = Rotation.from_rotvec((0.03, -0.05, 0.06)).as_matrix()
    goals = [resting_pose(X[:3, 3] + end, turn @ X[:3, :3]) for end in ends]
    paths = [meet_pose(lambda s, goal=goal: goal, starts, 5.0) for goal in goals]  # type: ignore[misc]
    each = [path(t) for path, t in zip(paths, times, strict=True)]
    whole = type(starts)(*(np.stack(x) for x in zip(*each, strict=True)))
    motion = held.follow(whole, times, np.tile(_THETA, (2, 1)), steps=3)
    assert motion.joints.shape == (2, 9, 6) and motion.miss.shape == (2, 9) and motion.miss.max() < 1e-8
    for k in range(2):
        alone = held.follow(each[k], times[k], _THETA, steps=3)
        for got, expected in zip(vars(motion).values(), vars(alone).values(), strict=True):
            np.testing.assert_allclose(got[k], expected, atol=1e-12)
        for i in range(9):
            pose, J = held.tip(motion.joints[k, i])
            np.testing.assert_allclose(pose[:3, 3], each[k].position[i], atol=1e-8)
            np.testing.assert_allclose(pose[:3, :3], each[k].rotation[i], atol=1e-8)
            twist = np.append(each[k].velocity[i], each[k].rate[i])
            np.testing.assert_allclose(J @ motion.rates[k, i], twist, atol=1e-8)
    singular, calls = replace(held), list[int]()

    def rates(theta: Any, twist: Any) -> Any:
        calls.append(0)
        found = np.array(held.rates(theta, twist))
        return np.where(np.arange(6) == 2, np.nan, found) if len(calls) == 5 else found

    vars(singular)["rates"] = rates  # in a singular posture
    broken = singular.follow(whole, times, _THETA)
    assert np.isinf(broken.miss[:, 4]).all() and np.isfinite(np.delete(broken.miss, 4, axis=1)).all()
    assert np.isfinite(broken.joints).all() and np.isfinite(broken.accelerations).all()
    np.testing.assert_array_equal(broken.rates[:, 4] == 0.0, np.tile(np.arange(6) == 2, (2, 1)))


def test_joints_between_the_base_and_a_frame(arm: da.EquationsOfMotion) -> None:
    assert way_to(arm.machine, "camera") == ("j0", "j1", "j2", "j3", "j4", "j5")
    assert way_to(arm.machine, "b") == ("j0", "j1") and way_to(arm.machine, "hull") == ()
    with pytest.raises(InputError, match="reaction must be >= 0"):
        held_base(arm, "camera", reaction=-0.1)
    assert held_base(arm, "camera", task="axis", reaction=0.0).reaction == 0.0
    assert held_base(arm, "d").task == "position" and held_base(arm, "e").task == "axis"


def test_sides_are_those_of_the_spiral() -> None:
    """Super-Fibonacci quaternions (Alexa 2022, ``psi^4 = psi + 4``), seen from the first; the identity comes first."""
    roots = np.roots([1.0, 0.0, 0.0, -1.0, -4.0])
    psi = float(roots[(np.abs(roots.imag) < 1e-9) & (roots.real > 0.0)][0].real)
    n = 11
    s = np.arange(n - 1) + 0.5
    near, far = np.sqrt(s / n), np.sqrt((n - s) / n)
    a, b = np.exp(2j * np.pi * s / np.sqrt(2.0)), np.exp(2j * np.pi * s / psi)
    spiral = Rotation.from_quat(np.stack([near * a.imag, near * a.real, far * b.imag, far * b.real], axis=1))
    found = robot_capture._sides(n)
    np.testing.assert_array_equal(found[0], np.eye(3))
    # scalar last here; the planner's are scalar first
    quaternions = spiral.as_quat(canonical=False)[:, [1, 2, 3, 0]]
    G = Rotation.from_quat(quaternions).as_matrix()
    np.testing.assert_allclose(found[1:], G @ G[0].T, atol=1e-12)
    assert robot_capture._sides(1).shape == (1, 3, 3)


def test_candidates_are_judged_together_as_alone(arm: da.EquationsOfMotion) -> None:
    """On 48 times until the hold ends; the whole plan on times a quarter of a second apart, with distances."""
    held = held_base(arm, "camera")
    q = _whole(arm, _THETA)
    there = arm.pose("camera", q)[:3, 3] + np.array([0.06, 0.04, -0.03])
    point = np.array([0.2, -0.1, 0.15])
    body = TumblingBody((2.0, 3.0, 4.5), rate=(0.002, -0.001, 0.003), point=tuple(point), position=tuple(there - point))
    axis = tuple(-arm.pose("camera", q)[:3, 2] + np.array([0.05, -0.04, 0.03]))
    scene = robot_capture._scene(held, body, q, RobotLimits(), (3.3, axis), ((), 0.1))
    candidates = [
        robot_capture._Candidate(Rotation.from_rotvec(turn).as_matrix(), duration, 0.5)
        for turn, duration in (((0.0, 0.0, 0.0), 9.0), ((0.01, 0.02, -0.01), 13.0))
    ]
    judged = robot_capture._evaluate(scene, candidates)
    for one, candidate in zip(judged, candidates, strict=True):
        seen, grip, path = robot_capture._path(scene, candidate)
        for t, got in (
            (np.linspace(0.0, candidate.duration + 3.3, 48), one.verdicts),
            (None, robot_capture._finished(scene, candidate, 5)),
        ):
            steps = 2 if t is not None else 3
            if isinstance(got, RobotCapture):
                t = got.t
                assert (t[0], t[-1]) == (0.0, pytest.approx(candidate.duration + 3.3))
                assert np.diff(t) == pytest.approx(np.full(len(t) - 1, t[1])) and 0.24 < t[1] <= 0.25
            motion = held.follow(robot_capture._local(scene, path(t)), cast(Any, t), _THETA, steps=steps)
            least = held.least(motion.joints)
            near = isinstance(got, RobotCapture)
            verdicts = robot_capture._verdicts(scene, seen, cast(Any, t), motion, least, near=near)
            found = got.verdicts if isinstance(got, RobotCapture) else got
            assert [v.name for v in found] == [v.name for v in verdicts] and len(found) >= 4
            np.testing.assert_allclose([v.value for v in found], [v.value for v in verdicts], rtol=1e-9)
            if isinstance(got, RobotCapture):
                np.testing.assert_allclose(got.grip, grip, atol=1e-12)
                np.testing.assert_allclose(got.motion.joints, motion.joints, atol=1e-12)
                assert (got.duration, got.hold, got.tried, got.task) == (candidate.duration, 3.3, 5, "pose")
                for k in (0, 7, -1):
                    pose = arm.pose("camera", got.q[k])
                    np.testing.assert_allclose(pose[:3, 3], path(got.t[k]).position, atol=1e-6)
                    np.testing.assert_allclose(arm.center_of_mass(got.q[k]), arm.center_of_mass(q), atol=1e-9)


def test_what_all_candidates_have_in_common(arm: da.EquationsOfMotion) -> None:
    """The robot as it rests: its joints, centre of mass, attitude, tip and reach; and which limits do not fit it."""
    held = held_base(arm, "camera")
    rng = np.random.default_rng(12)
    Q = rng.normal(size=4)
    q = _whole(arm, _THETA)
    q[:7] = [*rng.normal(size=3), *(Q / np.linalg.norm(Q))]
    made = robot_capture._scene(held, _BODY, q, RobotLimits(), (3.5, (0.3, -1.2, 0.4)), ((), 0.11))
    np.testing.assert_allclose(made.axis, np.array([0.3, -1.2, 0.4]) / 1.3, atol=1e-12)
    np.testing.assert_allclose(made.centre, arm.center_of_mass(q), atol=1e-12)
    np.testing.assert_allclose(made.attitude, q[3:7])
    np.testing.assert_allclose(made.R, Rotation.from_quat(q[[4, 5, 6, 3]]).as_matrix(), atol=1e-12)
    np.testing.assert_allclose(made.joints, _THETA)
    own = _whole(arm, _THETA)
    np.testing.assert_allclose(made.home, arm.pose("camera", own), atol=1e-12)
    places = np.array([arm.pose(name, own)[:3, 3] for name in made.shape.frames])
    np.testing.assert_allclose(made.shoulder, places[0], atol=1e-12)
    assert made.reach == pytest.approx(sum(np.linalg.norm(b - a) for a, b in pairwise(places)))
    assert (made.hold, made.robot, made.body, made.obstacles) == (3.5, held, _BODY, ())
    plain = robot_capture._scene(held, _BODY, q, RobotLimits(), (3.5, None), ((), 0.11))
    np.testing.assert_allclose(plain.axis, np.array(_BODY.point) / np.linalg.norm(_BODY.point), atol=1e-12)
    fitting = RobotLimits(base_torque=(1.0, 2.0, 3.0), joint_torque=(1.0,) * 6)
    robot_capture._scene(held, _BODY, q, fitting, (3.5, None), ((), 0.11))
    for limits, axis, words in (
        (RobotLimits(base_torque=(1.0, 2.0)), None, "base_torque of the limits must be one number or 3, got 2"),
        (RobotLimits(joint_torque=(1.0,) * 3), None, "joint_torque of the limits must be one number or 6, got 3"),
        (RobotLimits(), (1.0, 2.0), "axis must be 3 finite numbers"),
        (RobotLimits(), (1.0, np.nan, 2.0), "axis must be 3 finite numbers"),
        (RobotLimits(), (0.0, 0.0, 0.0), "axis must be 3 finite numbers"),
    ):
        with pytest.raises(InputError, match=words):
            robot_capture._scene(held, _BODY, q, limits, (3.5, axis), ((), 0.11))


# -- uncertain models -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bounded", [True, False])
def test_the_state_space_form_of_an_uncertain_machine(monkeypatch: pytest.MonkeyPatch, *, bounded: bool) -> None:
    """Responses at a complex frequency, of the model and of the equations that it stands for, unknown by unknown."""
    rng = np.random.default_rng(15)
    nv, own, others, m, nu, n, k = 5, [0, 2, 4], [1, 3], 4, 2, 3, 2
    free, y = len(own), nv + m + 2 * len(others)
    rows = {"wire": [7], "plate": [3, 7, 5], "slack": [9], "half": [5, 8]}
    places = {"wire": [2], "plate": [0, 2, 1], "half": [1]}  # in (3, 5, 7); a joint is locked besides
    monkeypatch.setattr(state_equations, "multiplier_names", lambda eom: rows)
    monkeypatch.setattr(state_equations, "state_space_names", lambda eom: tuple(f"x.{i}" for i in range(2 * nv)))
    eom: Any = SimpleNamespace(nv=nv, v_names=tuple(f"v{i}" for i in range(nv)), constrained=True)
    held = Held((3, 5, 7), np.ones((1, nv)), tuple(own), np.zeros(0))
    A, B, C = 0.3 * rng.normal(size=(n, n)), rng.normal(size=(n, 2 * free + nu)), rng.normal(size=(y, n))
    D = rng.normal(size=(y, 2 * free + nu))
    into, seen = 0.3 * rng.normal(size=(y, k)), 0.3 * rng.normal(size=(k, y + 2 * free + nu))
    own_block = DeltaBlock("mass", n, "real")
    made: Any = SimpleNamespace(matrices=(A, B, C, D), error=(into, seen) if bounded else None, blocks=(own_block,))
    moving = (("x", 0.5),)
    lft = state_equations.state_equations(eom, made, ("f", "g"), 0.125, held, moving)
    assert lft.inputs == ("f", "g")
    expected = [f"x_{i}" for i in range(2 * nv)] + [f"v{i}_rate" for i in range(nv)] + ["wire", "plate", "half"]
    assert list(lft.outputs) == expected
    state, mass, error = lft.blocks
    assert (state.size, state.kind, mass) == (2 * free, "state", own_block)
    assert error == DeltaBlock(ERROR, k if bounded else 0, "error", None if bounded else 0.125, moving)
    s, number, wrong = 0.7 + 1.3j, 0.6, (0.4 if bounded else 0.0)
    delta = np.diag([1.0 / s] * 2 * free + [number] * n + [wrong] * error.size)
    size = len(delta)
    G = lft.M22 + lft.M21 @ delta @ np.linalg.solve(np.eye(size) - lft.M11 @ delta, lft.M12)
    # unknowns: d, w, z, e, y
    at = np.cumsum([0, free, free, n, k, y])
    d, w, z, e, out = (slice(*at[i : i + 2]) for i in range(5))
    K, R = np.zeros((at[-1], at[-1]), dtype=complex), np.zeros((at[-1], nu))
    K[d, d], K[d, w] = s * np.eye(free), -np.eye(free)
    K[w, w], K[w, out] = s * np.eye(free), -np.eye(y)[own]
    K[z, z] = np.eye(n) - number * A
    K[z, w], K[z, d], R[z] = -number * B[:, :free], -number * B[:, free : 2 * free], number * B[:, 2 * free :]
    K[e, e] = np.eye(k)
    E = np.split(seen, [y, y + free, y + 2 * free], axis=1)
    K[e, z] = -wrong * E[0] @ C
    K[e, w], K[e, d] = -wrong * (E[0] @ D[:, :free] + E[1]), -wrong * (E[0] @ D[:, free : 2 * free] + E[2])
    R[e] = wrong * (E[0] @ D[:, 2 * free :] + E[3])
    K[out, out], K[out, z], K[out, e] = np.eye(y), -C, -into
    K[out, w], K[out, d], R[out] = -D[:, :free], -D[:, free : 2 * free], D[:, 2 * free :]
    x = np.linalg.solve(K, R)
    told = np.zeros((3 * nv + 3, nu), dtype=complex)
    told[own], told[[nv + i for i in own]] = x[d], x[w]
    solved = x[out]
    told[[nv + i for i in others]], told[others] = solved[nv + m : nv + m + 2], solved[nv + m + 2 :]
    told[2 * nv : 3 * nv] = solved[:nv]
    for i, where in enumerate(places.values()):
        told[3 * nv + i] = solved[[nv + j for j in where]].sum(axis=0)
    np.testing.assert_allclose(G, told, rtol=1e-9, atol=1e-10)


def test_signals_behind_the_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signals of displacements, velocities and accelerations; reactions that are not determined are refused."""
    rng = np.random.default_rng(16)
    monkeypatch.setattr(state_equations, "multiplier_names", lambda eom: {"wire": [3, 5], "gone": [8, 3]})
    monkeypatch.setattr(state_equations, "state_space_names", lambda eom: ("x", "y", "x_dot", "y.dot"))
    monkeypatch.setattr(state_equations, "is_signal", lambda eom, name: name.startswith("hand"))
    monkeypatch.setattr(state_equations, "signal_names", lambda eom: ("hand.x",))
    eom: Any = SimpleNamespace(nv=2, constrained=True, machine=SimpleNamespace(name="m"), v_names=("x_dot", "y_dot"))
    of = state_equations.signals_of
    held = Held((3, 5), np.zeros((0, 2)), (0,), np.zeros(0))
    assert of(eom, ["hand.z", "x", "y.dot", "wire", "hand.x"], held) == ["hand.z", "hand.x"]
    for name, given, words in (
        ("wire", replace(held, redundant=True), "'wire' of machine 'm' is not determined"),
        ("gone", held, "'gone' of machine 'm' does not act"),
        ("wire", None, "'wire' of machine 'm' does not act"),
        ("foot", held, "foot"),
    ):
        with pytest.raises(da.DalembertError, match=words):
            of(eom, [name], given)
    with pytest.raises(da.DalembertError, match="wire"):
        of(cast(Any, SimpleNamespace(**{**vars(eom), "constrained": False})), ["wire"], held)
    assert state_equations._reactions(eom, None) == {} and state_equations._reactions(eom, replace(held, rows=())) == {}
    first = DeltaBlock("a", 2, "real")
    names = ("x", "y", "x_dot", "y_dot", "x_rate", "y_rate", "wire")
    states = LFT(
        0.3 * rng.normal(size=(2, 2)), rng.normal(size=(2, 3)), rng.normal(size=(7, 2)), rng.normal(size=(7, 3)),
        (first,), ("f", "g", "h"), names,
    )  # fmt: skip
    seen = LFT(
        0.3 * rng.normal(size=(3, 3)), rng.normal(size=(3, 6)), rng.normal(size=(2, 3)), rng.normal(size=(2, 6)),
        (DeltaBlock("b", 2, "real"), DeltaBlock(ERROR, 1, "error", 0.5)),
    )  # fmt: skip
    moving = (("x", 0.5),)
    made = state_equations.with_signals(eom, states, seen, ("hand.x", "hand.z"), moving)
    assert made.outputs == (*names, "hand_x", "hand_z") and made.inputs == ("f", "g", "h")
    assert {b.name: b.moving for b in made.blocks} == {"a": (), "b": (), ERROR: moving}
    value = {"a": 0.4, "b": -0.7, ERROR: 0.3}

    def closed(lft: LFT) -> Any:
        delta = np.diag(np.concatenate([[value[b.name]] * b.size for b in lft.blocks]))
        return lft.M22 + lft.M21 @ delta @ np.linalg.solve(np.eye(len(delta)) - lft.M11 @ delta, lft.M12)

    G = closed(states)
    np.testing.assert_allclose(closed(made), np.vstack([G, closed(seen) @ G[:6]]), rtol=1e-9, atol=1e-11)
    with pytest.raises(InputError, match=r"outputs hand.x, hand.z of machine 'm' over these ranges have no bound"):
        state_equations.with_signals(eom, states, None, ("hand.x", "hand.z"), moving)
