"""The whole capture with the flexible chaser: a few cases here, all of them in the study."""

from __future__ import annotations

from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert import plan
from dalembert.control.cascade import Known
from dalembert.spatial.rotations import numpy, quaternion_matrix
from dalembert.systems import space_robots
from dalembert.systems.space_robots import fly_capture, random_case
from dalembert.systems.space_robots.bent_arm import BentArm
from dalembert.systems.space_robots.cases import HOME, JOINTS
from dalembert.systems.space_robots.guide_law import GuideLaw, packed
from dalembert.systems.space_robots.native_guidance import _along, _with_target, chaser_law


def test_cases_are_drawn_from_what_is_printed() -> None:
    cases = [random_case(seed, 4.0) for seed in range(300)]
    assert np.allclose([np.degrees(np.linalg.norm(c.rate)) for c in cases], 4.0)
    factors = np.array([list(c.factors.values()) for c in cases])
    assert factors.min() > 0.9 and factors.max() < 1.1
    assert factors[:, 0].std() == pytest.approx(0.1 / np.sqrt(3.0), rel=0.15)
    assert np.abs(np.mean([c.quaternion for c in cases], axis=0)).max() < 0.12  # uniform: four sigma
    assert random_case(3) == random_case(3)
    assert random_case(3) != random_case(4)


def test_what_no_plan_can_meet_ends_with_its_reason() -> None:
    tight = fly_capture(camera=None, limits=plan.RobotLimits(base_torque=0.01))
    assert not tight.ok
    assert "no plan" in tight.reason and "base torque" in tight.reason
    with pytest.raises(da.InputError, match="there is no run"):
        _ = tight.whole
    with pytest.raises(da.InputError, match="CaptureCase"):
        fly_capture("first")  # type: ignore[arg-type]
    with pytest.raises(
        da.UnknownNameError, match=r"no keyword named 'holds' in fly_capture\(\) \(did you mean 'hold'\?\)"
    ):
        fly_capture(holds=3.0)  # type: ignore[call-arg]


def test_keywords_of_a_capture_are_fields_of_its_phases_and_sensors() -> None:
    limits = plan.RobotLimits(base_torque=0.01)
    short = fly_capture(watch=20.0, hold=3.0, noise=None, limits=limits)
    long = fly_capture(
        phases=space_robots.CapturePhases(watch=20.0, hold=3.0),
        sensors=space_robots.CaptureSensors(noise=None),
        limits=limits,
    )
    assert short.reason == long.reason
    assert short.estimate is not None and long.estimate is not None
    assert np.array_equal(short.estimate.body().position, long.estimate.body().position)
    other = fly_capture(watch=25.0, limits=limits)
    assert other.estimate is not None
    assert not np.array_equal(short.estimate.body().position, other.estimate.body().position)


@pytest.mark.slow
def test_what_guidance_computes_follows_the_path_of_the_tip() -> None:
    """The compiled law against the planner's NumPy, and the tip of the bent arm against the path."""
    flexible = da.equations(space_robots.space_chaser("flexible", arrays="rigid"))
    robot = plan.held_base(space_robots.space_chaser("rigid", arrays="rigid"))
    law = GuideLaw(robot, BentArm(flexible))
    home, turn = np.array(HOME), np.array([0.9, 0.1, -0.3, 0.2]) / np.linalg.norm([0.9, 0.1, -0.3, 0.2])
    centre, R0 = np.array([0.3, -0.2, 0.5]), numpy(quaternion_matrix(turn))
    X = robot.tip(home)[0]
    begin = plan.resting_pose(centre + R0 @ X[:3, 3], R0 @ X[:3, :3])
    goal = plan.resting_pose(
        begin.position + [0.3, -0.4, 0.2], begin.rotation @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1.0]])
    )
    path, times = plan.meet_pose(lambda t: goal, begin, 10.0), 0.02 * np.arange(400)
    local = path(times)
    local = plan.PoseMotion(
        (local.position - centre) @ R0, local.velocity @ R0, local.acceleration @ R0, R0.T @ local.rotation,
        local.rate @ R0, local.rate_change @ R0,
    )  # fmt: skip
    expected = robot.follow(local, times, home, steps=4)
    base, joints, _ = robot.rows
    state, frame = law.start(home), np.concatenate([centre, turn])
    off = np.array([2e-3, -1e-3, 3e-3])
    for k, motion in enumerate(packed(path(times))):
        # the base stands where the model has it, but for a shift that the filter takes over
        pose = np.concatenate([centre + R0 @ robot.place(expected.joints[k]) + off, turn])
        state, held = law.kernel(state, pose, motion, np.zeros(3), frame, np.array([0.02, 1.0]))
    assert np.allclose(state[:6], expected.joints[-1], atol=1e-7)
    assert np.allclose(held[12:18], expected.effort[-1, joints], atol=1e-6)
    assert np.allclose(held[18:21], expected.effort[-1, base[3:]], atol=1e-6)
    assert np.array_equal(held[21:], turn)
    shift = state[12:15]
    assert np.allclose(shift, off, atol=1e-4)  # after 8 s of a filter of 1 rad/s
    delta = np.array(law.arm.deflection(state[:6], expected.rates[-1], expected.accelerations[-1])).ravel()
    assert np.abs(delta).max() > 1e-6  # it does bend
    q = flexible.q_neutral.copy()
    q[:3], q[3:7] = pose[:3] - off + shift, turn
    q[[flexible.q_names.index(n) for n in JOINTS]] = held[:6]
    rest = [k for k, n in enumerate(flexible.q_names) if n not in JOINTS and k >= 7]
    q[rest] = delta
    tip = flexible.pose("tip", q)
    assert np.allclose(tip[:3, 3], path(times[-1]).position, atol=1e-7)
    assert np.allclose(tip[:3, :3], path(times[-1]).rotation, atol=1e-7)


@pytest.mark.slow
def test_a_capture_with_errors_and_estimated_debris() -> None:
    """Flexible arm and arrays, 10 % errors, noisy sensors, delayed pictures; up to the closing of the grip."""
    outcome = fly_capture(random_case(2), detumble=False)
    assert outcome.ok, str(outcome)
    assert outcome.approach is not None and outcome.plan is not None
    # without the debris the chaser conserves momentum but for its thrusters, which push by torques alone
    eom = da.equations(outcome.approach.machine)
    p = eom.parameter_values(dict(outcome.case.factors))
    q, v = (outcome.approach.array(n)[[0, -1]] for n in (eom.q_names, eom.v_names))
    linear = eom.momentum(q, v, p=p)[:, :3]
    assert np.allclose(linear[0], linear[1], atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 5])
def test_the_stack_comes_to_rest(seed: int) -> None:
    outcome = fly_capture(random_case(seed))
    assert outcome.ok, str(outcome)
    assert outcome.handover is not None and outcome.stack is not None and outcome.approach is not None
    whole = outcome.whole
    assert whole.t[-1] == outcome.stack.t[-1]
    # the grip keeps momentum: last row before, first row after, of the same bodies
    scene = da.equations(whole.machine)
    p = scene.parameter_values(dict(outcome.case.factors))
    k = len(outcome.approach.t)
    q, v = whole.array(scene.q_names), whole.array(scene.v_names)
    h = scene.momentum(q[[k - 1, k]], v[[k - 1, k]], p=p)
    assert np.allclose(h[0], h[1], atol=1e-6 * np.abs(h).max())
    assert np.allclose(q[k - 1], q[k], atol=1e-6)


def _known_debris() -> plan.RobotCapture:
    body = space_robots.tumbling_debris(np.radians([2.4, -2.8, 1.6]), position=(7.4, 0.0, 0.0))
    shape = space_robots.debris().bodies[0].geometry
    return plan.plan_robot_capture(chaser_law().robot.eom, body, dict(zip(JOINTS, HOME, strict=True)), geometry=shape)


@pytest.mark.slow
def test_the_native_path_is_that_of_the_plan() -> None:
    found, t = _known_debris(), ca.SX.sym("t")
    native = ca.Function("path", [t], [_along(found, t)])
    for at in (0.0, 0.5, 20.0, found.duration):
        assert np.allclose(np.array(native(at)).ravel(), packed(found.path(at)), atol=1e-12)
    # the grip on the debris, by Euler's equations on its state, against the closed form
    scene = da.equations(space_robots.capture_scene(uncertain=True), backend="vm")
    s, when = scene.symbolic, 33.0
    motion = ca.Function(
        "grip", [s.q, s.v, s.p], [_with_target(Known(scene, s.t, s.q, s.v, s.p), found.grip, "debris")]
    )
    q, v = np.zeros(scene.nq), np.zeros(scene.nv)
    at = scene.q_names.index("debris.x")
    q[scene.q_names.index("base.qw")] = 1.0
    q[at : at + 3] = found.body.position
    q[at + 3 : at + 7] = da.spatial.quaternion_from_matrix(found.body.attitude(when)).ravel()
    at = scene.v_names.index("debris.wx")
    v[at : at + 3] = found.body.rates(when)
    got = np.array(motion(q, v, scene.parameter_values())).ravel()
    assert np.allclose(got, packed(plan.gripped(found.body, found.grip)(when)), atol=1e-12)
    with pytest.raises(da.InputError, match="RobotCapture"):
        space_robots.capture_loop("there")  # type: ignore[arg-type]


def test_a_rollout_takes_the_loops_of_a_plan() -> None:
    """The begin of the approach, interpreted: members are simulations, each with noise of its own."""
    found = _known_debris()
    scene = da.equations(space_robots.capture_scene(uncertain=True, noise=space_robots.SensorNoise()), backend="vm")
    q0, v0 = space_robots.capture_start(found)
    settings = {
        "duration": 0.03,
        "q0": q0,
        "v0": v0,
        "control": space_robots.capture_loop(found),
        "seed": 4,
        "step": 2e-3,
    }
    many = da.rollout(scene, p={"base_mass": np.array([0.95, 1.05])}, record=0.01, **settings)
    one = da.simulate(scene, p={"base_mass": 1.05}, member=1, record=0.01, **settings)
    names = ["hand.x", "target.y", "goal2", "guidance.z20", "command.theta3"]
    assert np.allclose(many.member(1).array(names), one.array(names), rtol=1e-9, atol=1e-11)
    assert many.member(0)["inertial.base.x"][-1] != many.member(1)["inertial.base.x"][-1]


@pytest.mark.slow
def test_members_of_a_rollout_fly_a_plan() -> None:
    """One plan, errors of the model and noise of its own for each member; a member is the simulation of it."""
    found = _known_debris()
    scene = da.equations(space_robots.capture_scene(uncertain=True, noise=space_robots.SensorNoise()))
    q0, v0 = space_robots.capture_start(found)
    loop, duration = space_robots.capture_loop(found), found.duration + found.hold
    rng = np.random.default_rng(0)
    p = {
        name: 1.0 + 0.1 * rng.uniform(-1.0, 1.0, 8)
        for name in ("base_mass", "boom_mass", "boom_stiffness", "array_mass")
    }
    miss = da.Measure(
        lambda s: ca.sqrt(sum((s[f"hand.{x}"] - s[f"target.{x}"]) ** 2 for x in "xyz")), "max", since=found.duration
    )
    turn = da.Measure(lambda s: 2.0 * ca.sqrt(sum(s[f"base.q{x}"] ** 2 for x in "xyz")), "max")
    settings = {"duration": duration, "q0": q0, "v0": v0, "control": loop, "seed": 4}
    many = da.rollout(scene, p=p, measure={"miss": miss, "turn": turn}, **settings)
    assert (many.status == "completed").all()
    assert many.measures["miss"].max() < 0.01 and many.measures["turn"].max() < np.radians(0.1)
    one = da.simulate(scene, p={name: x[3] for name, x in p.items()}, member=3, **settings)
    gap = np.linalg.norm(
        one.array(["hand.x", "hand.y", "hand.z"]) - one.array(["target.x", "target.y", "target.z"]), axis=1
    )
    assert many.measures["miss"][3] == pytest.approx(gap[one.t >= found.duration - 1e-9].max(), rel=1e-6)


@pytest.mark.slow
def test_captures_as_a_campaign(tmp_path: Path) -> None:
    """Three captures in two processes, the store gone on with: rows are those of the missions themselves."""
    question = {"vary": {"case": [0, 1, 2], "speed": [4.0]}, "sampling": "grid", "chunk": 1, "store": tmp_path / "fly"}
    told: list[tuple[int, int]] = []

    def one_is_enough(done: int, members: int) -> bool:
        told.append((done, members))
        return False

    with pytest.raises(da.SimulationError, match="stopped by progress after 1 of 3 members"):
        da.campaign(space_robots.capture_measures, workers=1, progress=one_is_enough, **question)
    assert told == [(1, 3)]
    table = da.campaign(space_robots.capture_measures, workers=2, progress=False, **question).table
    assert table["case"].tolist() == [0.0, 1.0, 2.0] and (table["captured"] == 1.0).all()
    outcome = fly_capture(random_case(1))
    assert table.loc[1, "tip_error"] == outcome.requirements[0].value
    assert table.loc[1, "rest_rate"] == outcome.requirements[4].value


def test_a_capture_without_a_plan_is_a_row_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    from dalembert.systems.space_robots import measures

    tight = plan.RobotLimits(base_torque=0.01)
    monkeypatch.setattr(measures, "fly_capture", lambda case, detumble: fly_capture(case, camera=None, limits=tight))
    table = da.campaign(space_robots.capture_measures, vary={"case": [3]}, sampling="grid", workers=1).table
    assert table.loc[0, "status"] == "failed" and "PlanError: no plan: none of" in table.loc[0, "reason"]


@pytest.mark.slow
def test_what_is_fed_forward_is_the_decisive_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it the base turns by more than its limit."""
    from dalembert.systems.space_robots import mission

    class Blind(mission.CaptureGuide):
        def __call__(self, t, q, v, s):
            values = super().__call__(t, q, v, s)
            values[12:21] = 0.0
            return values

    monkeypatch.setattr(mission, "CaptureGuide", Blind)
    blind = fly_capture(random_case(0), detumble=False)
    turned = next(r for r in blind.requirements if r.name == "attitude of the base")
    assert turned.value > 3.0 * turned.limit
