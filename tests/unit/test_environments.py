"""Machines as environments of Gymnasium: its own checker, its own vector environments, and simulation as the judge."""

from __future__ import annotations

import warnings
from typing import Any

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.campaigns import environment, vector_environment

gymnasium = pytest.importorskip("gymnasium")
check_env = pytest.importorskip("gymnasium.utils.env_checker").check_env

MODES = ("next-step", "same-step", "disabled")
PERIOD = 0.05


def crane() -> da.Machine:
    """A trolley that a rope hangs from, with a track that ends."""
    return da.Machine(
        "crane",
        bodies=[da.point_mass("trolley", 2.0), da.point_mass("load", da.Parameter("load", 1.0), com=(0, 0, -1.0))],
        joints=[
            da.Joint("x", "prismatic", "world", "trolley", axis="x", limits=da.Limits(-1.0, 1.0, stop=True)),
            da.Joint("swing", "revolute", "trolley", "load", axis="y"),
        ],
        motors=[da.Motor("drive", "x", effort=20.0)],
    )


def start(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "q0": {"x": rng.uniform(-0.5, 0.5), "swing": rng.uniform(-0.3, 0.3)},
        "v0": {"x_dot": 0.0, "swing_dot": rng.normal()},
        "p": {"load": rng.uniform(0.5, 3.0)},
    }


TASK: dict[str, Any] = {
    "period": PERIOD,
    "duration": 0.6,
    "observe": {"x": "x", "height": lambda s: ca.cos(s["swing"]), "swing_dot": "swing_dot"},
    "reward": lambda s: 1 - s["x"] ** 2 - 0.01 * s["u.drive"] ** 2,
    "terminated": lambda s: ca.fabs(s["swing"]) - 0.4,
    "start": start,
    "step": 5e-3,
}


@pytest.fixture(scope="module")
def eom() -> da.EquationsOfMotion:
    return da.equations(crane())


def test_gymnasiums_checker_has_nothing_to_say(eom: da.EquationsOfMotion) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        check_env(environment(eom, **TASK), skip_render_check=True)
    # Observations without bounds, and no registered name, are meant.
    assert not [str(w.message) for w in said if "infinity" not in str(w.message) and "spec" not in str(w.message)]


@pytest.mark.parametrize("mode", MODES)
def test_members_do_what_each_would_do_alone(eom: da.EquationsOfMotion, mode: str) -> None:
    """Against Gymnasium's own vector of single environments, to the bit, through every kind of end."""
    n = 5
    ours = vector_environment(eom, n, autoreset=mode, **TASK)
    autoreset = gymnasium.vector.AutoresetMode(ours.metadata["autoreset_mode"])
    theirs = gymnasium.vector.SyncVectorEnv([lambda: environment(eom, **TASK)] * n, autoreset_mode=autoreset)
    assert ours.single_action_space == theirs.single_action_space
    assert ours.observation_space == theirs.observation_space and ours.action_space == theirs.action_space
    (a, _), (b, _) = ours.reset(seed=7), theirs.reset(seed=7)
    np.testing.assert_array_equal(a, b)
    actions, ends = np.random.default_rng(1).uniform(-1, 1, size=(40, n, 1)), set()
    for k in range(40):
        left, right = ours.step(actions[k] * 3), theirs.step(actions[k] * 3)
        for mine, other in zip(left[:4], right[:4], strict=True):
            np.testing.assert_array_equal(mine, other)
        assert left[4].keys() == right[4].keys()
        for mine, other in zip(left[4].get("final_obs", ()), right[4].get("final_obs", ()), strict=True):
            assert (mine is None) == (other is None) and (mine is None or np.array_equal(mine, other))
        ends |= {kind for kind, flags in zip(("terminated", "truncated"), left[2:4], strict=True) if flags.any()}
        over = left[2] | left[3]
        if mode == "disabled" and over.any():
            with pytest.raises(da.InputError, match="are over; reset them first"):
                ours.step(actions[k])
            mask = {"reset_mask": over}
            np.testing.assert_array_equal(ours.reset(options=dict(mask))[0], theirs.reset(options=dict(mask))[0])
    assert ends == {"terminated", "truncated"}


def test_a_policy_does_in_simulate_what_it_does_in_the_environment(eom: da.EquationsOfMotion) -> None:
    env = environment(eom, period=PERIOD, duration=1.0, reward="x", q0={"swing": 0.3}, step=5e-3)
    seen, _ = env.reset()
    rewards, over = [], False
    while not over:
        seen, reward, _, over, _ = env.step([-0.2 * seen[0] - 0.1 * seen[2]])
        rewards.append(reward)
    law = da.SampledController(lambda t, q, v: np.array([20 * (-0.2 * q[0] - 0.1 * v[0])]), PERIOD)
    run = da.simulate(eom, duration=1.0, q0={"swing": 0.3}, control=law, step=5e-3, record=PERIOD)
    np.testing.assert_allclose(seen, run.x[-1, :4], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(rewards, run["x"][1:], rtol=1e-10, atol=1e-10)


def test_the_end_of_the_track_ends_the_episode_with_the_last_good_observation(eom: da.EquationsOfMotion) -> None:
    env = environment(eom, period=PERIOD, duration=10.0, reward=lambda s: 1.0)
    seen, _ = env.reset()
    for _ in range(100):
        last = seen
        seen, reward, terminated, truncated, info = env.step([1.0])
        if terminated:
            break
    assert terminated and not truncated and info == {"stopped": True} and reward == 0.0
    np.testing.assert_array_equal(seen, last)
    assert 0.5 < seen[0] <= 1.0
    assert np.array_equal(env.reset()[0], np.zeros(4))


@pytest.mark.slow
def test_contacts_push_in_an_environment() -> None:
    """A block that a motor pushes along the ground: friction holds it until the push is larger."""
    block = da.Machine(
        "block",
        [da.box("slider", 1e-3, (0.1, 0.1, 0.1)), da.sphere("ball", 1.0, 0.1)],
        [
            da.Joint("x", "prismatic", "world", "slider", axis="x"),
            da.Joint("z", "prismatic", "slider", "ball", axis="z"),
        ],
        motors=[da.Motor("push", "x", effort=10.0)],
        contacts=[da.Contact("ground", "ball", da.Sphere(0.1), friction=0.5)],
    )
    env = environment(
        block, period=0.1, duration=1.0, reward="x_dot", q0={"z": 0.1}, contact="time-stepping", step=1e-3
    )
    env.reset()
    assert abs(env.step([0.4])[1]) < 1e-9  # 4 N, of 4.9 N that friction holds
    rate = env.step([0.6])[1]
    assert rate == pytest.approx(0.1 * (6.0 - 0.5 * 9.81) / 1.001, rel=1e-2)


def test_gymnasium_makes_registered_ones() -> None:
    machine = crane()
    gymnasium.register(
        "dalembert-test/Crane-v0",
        entry_point=lambda **kw: environment(machine, **TASK, **kw),
        vector_entry_point=lambda num_envs, **kw: vector_environment(machine, num_envs, **TASK, **kw),
    )
    try:
        one = gymnasium.make("dalembert-test/Crane-v0")
        many = gymnasium.make_vec("dalembert-test/Crane-v0", num_envs=3, vectorization_mode="vector_entry_point")
        np.testing.assert_array_equal(many.reset(seed=4)[0][0], one.reset(seed=4)[0])
        assert many.num_envs == 3 and many.unwrapped.stepper.period == PERIOD
    finally:
        del gymnasium.registry["dalembert-test/Crane-v0"]


def test_one_sided_and_unlimited_inputs() -> None:
    body = da.Machine(
        "body",
        [da.sphere("ball", 2.0, 0.1)],
        [da.Joint("z", "prismatic", "world", "ball", axis="z", damping=0.0)],
        thrusters=[da.Thruster("jet", "ball", force=(0, 0, 1), effort=40.0, one_sided=True)],
        motors=[da.Motor("pull", "z")],
    )
    with pytest.raises(da.InputError, match="'pull' of machine 'body' has no effort limit"):
        environment(body, period=0.1, duration=1.0, reward="z")
    env = environment(body, period=0.1, duration=1.0, reward="z_dot", effort={"pull": 2.0})
    env.reset()
    for action, force in (([0.0, -1.0], 0.0), ([1.0, 1.0], 42.0), ([-0.5, 0.0], 19.0)):
        env.reset()
        rate = env.step(action)[1]
        assert rate == pytest.approx(0.1 * (force / 2.0 - 9.81), rel=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"duration": 0.62}, "whole number of periods"),
        ({"reward": 1.0}, "reward must be the name of a signal or a function"),
        ({"reward": "height"}, "height"),
        ({"terminated": 3}, "terminated must be"),
        ({"start": {"q0": 1}}, "random start must be a function"),
        ({"observe": "x"}, "observe must be names"),
        ({"effort": {"drve": 1.0}}, "did you mean 'drive'"),
        ({"effort": {"drive": -1.0}}, "effort of 'drive' must be"),
        ({"start": lambda rng: {"q": 1}}, "start must give some of q0, v0, p, got 'q'"),
    ],
)
def test_bad_tasks_are_refused(eom: da.EquationsOfMotion, change: dict[str, Any], message: str) -> None:
    with pytest.raises(da.DalembertError, match=message):
        environment(eom, **(TASK | change)).reset()


def test_bad_vectors_are_refused(eom: da.EquationsOfMotion) -> None:
    with pytest.raises(da.UnknownNameError, match="next-step"):
        vector_environment(eom, 2, autoreset="never", **TASK)
    envs = vector_environment(eom, 2, **TASK)
    with pytest.raises(da.InputError, match="seeds must be of 2 members, got 3"):
        envs.reset(seed=[1, 2, 3])
    with pytest.raises(da.InputError, match="reset_mask must be a boolean array of 2"):
        envs.reset(options={"reset_mask": np.array([1, 0])})
    still = da.Machine("still", [da.point_mass("a", 1.0)], [da.Joint("x", "prismatic", "world", "a")])
    with pytest.raises(da.InputError, match="nothing to act on"):
        environment(still, period=0.1, duration=1.0, reward="x")


LABEL = 30
"""Height of the text above a picture [pixels]."""


def masses(frame: Any) -> tuple[Any, Any]:
    """Columns and rows of the pixels in the colour of masses."""
    rows, columns = (np.abs(frame.astype(int) - [176, 112, 95]).max(axis=-1) < 8).nonzero()
    assert len(rows) > 20
    return columns, rows


def test_frames_show_the_machine_where_it_is(eom: da.EquationsOfMotion) -> None:
    """Trolley and load move in the picture as they do in the world, in one scale for both directions."""
    env = environment(eom, **(TASK | {"start": None}), render_mode="rgb_array")
    frames = []
    for x, swing in ((-0.5, 0.0), (0.0, 0.0), (0.5, 0.0), (0.0, np.pi)):
        env.stepper.reset(q0={"x": x, "swing": swing})
        frames.append(env.render())
    assert all(f.shape == (360, 480, 3) and f.dtype == np.uint8 for f in frames)
    (left, _), (middle, down), (right, _), (_, up) = map(masses, frames)
    scale = right.mean() - left.mean()  # pixels per metre
    assert scale > 50 and abs(middle.mean() - (left.mean() + right.mean()) / 2) < 0.5
    lowest, highest = down.max(), up.min()
    assert 2.0 < (lowest - highest) / scale < 2.3  # twice the rope, and the load itself


def test_gymnasiums_checker_likes_the_pictures() -> None:
    machine = crane()
    gymnasium.register("dalembert-test/Drawn-v0", entry_point=lambda **kw: environment(machine, **TASK, **kw))
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            check_env(gymnasium.make("dalembert-test/Drawn-v0", render_mode="rgb_array").unwrapped)
    finally:
        del gymnasium.registry["dalembert-test/Drawn-v0"]
    assert not [str(w.message) for w in said if "infinity" not in str(w.message)]


def test_gymnasiums_wrappers_take_the_pictures(eom: da.EquationsOfMotion) -> None:
    env = gymnasium.wrappers.RenderCollection(environment(eom, **TASK, render_mode="rgb_array"))
    assert env.metadata["render_fps"] == pytest.approx(1 / PERIOD)
    env.reset(seed=1)
    for _ in range(3):
        env.step([0.5])
    frames = env.render()
    assert len(frames) == 4 and len({frame.tobytes() for frame in frames}) == 4
    seen = gymnasium.wrappers.AddRenderObservation(environment(eom, **TASK, render_mode="rgb_array"), render_only=True)
    assert seen.observation_space.contains(seen.reset(seed=1)[0])


def test_members_are_drawn_as_each_would_be_alone(eom: da.EquationsOfMotion) -> None:
    """All but the number above: in one frame, and of their own parameters and states."""
    fixed = TASK | {"start": lambda rng: start(rng) | {"p": {"load": 1.0}}}
    many = vector_environment(eom, 3, **fixed, render_mode="rgb_array")
    many.reset(seed=5)
    frames = many.render()
    assert isinstance(frames, tuple) and many.metadata["render_modes"] == ["rgb_array"]
    for i, frame in enumerate(frames):
        one = environment(eom, **fixed, render_mode="rgb_array")
        one.reset(seed=5 + i)
        np.testing.assert_array_equal(frame[LABEL:], one.render()[LABEL:])
    assert vector_environment(eom, 2, **fixed).render() is None


def test_a_machine_that_leaves_is_followed_and_one_that_broke_is_kept() -> None:
    body = da.Machine(
        "body",
        [da.sphere("ball", 1.0, 0.1)],
        [da.Joint("x", "prismatic", "world", "ball", axis="x")],
        motors=[da.Motor("push", "x", effort=1.0)],
    )
    env = environment(body, period=0.1, duration=1.0, reward="x", render_mode="rgb_array", picture={"size": (200, 150)})
    env.reset()
    first = env.render()
    assert first.shape == (150, 200, 3)
    env.stepper.reset(q0={"x": 50.0})
    there = env.render()
    dark = [(f[LABEL:, 20:].max(axis=-1) < 200).sum() for f in (first, there)]
    assert min(dark) > 100
    env.stepper.reset(q0={"x": 50.0}, v0={"x_dot": 1e308})
    env.step([1.0])
    assert not env.stepper.x.max() < 1e300
    np.testing.assert_array_equal(env.render(), there)


@pytest.mark.parametrize("plane", [pytest.param("xz", marks=pytest.mark.slow), None])
def test_a_machine_that_is_followed_keeps_its_size_and_does_not_jump(plane: str | None) -> None:
    """In small steps it moves in the picture by no more than in the world, and its frame by the rest; members apart."""
    body = da.Machine(
        "body",
        [da.sphere("ball", 1.0, 0.1)],
        [da.Joint("x", "prismatic", "world", "ball", axis="x")],
        motors=[da.Motor("push", "x", effort=1.0)],
    )
    task = {"period": 0.1, "duration": 1.0, "reward": "x", "render_mode": "rgb_array"}
    env = vector_environment(body, 2, **task, picture={"size": (240, 180), "plane": plane})
    env.reset()

    def seen(frame: Any) -> tuple[float, float]:
        blue = (frame[LABEL:, :, 2].astype(int) - frame[LABEL:, :, 0] > 60) & (frame[LABEL:, :, 1] < 150)
        columns = blue[:, 30:].nonzero()[1]
        return columns.mean(), np.ptp(columns)

    at, widths, still = [], [], []
    for x in np.arange(0.0, 1.5, 0.02):
        env.stepper.reset(q0={"x": np.array([x, 0.0])})
        moving, other = env.render()
        (middle, width), (stays, _) = seen(moving), seen(other)
        at.append(middle)
        widths.append(width)
        still.append(stays)
    assert np.ptp(widths) <= 2 and np.ptp(still) <= 2
    scale = np.mean(widths) / 0.2  # pixels per metre
    assert np.abs(np.diff(at)).max() < 0.02 * scale + 2.0
    assert np.ptp(at[-20:]) <= 2  # it has come near the edge, and stays there


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"render_mode": "human"}, "HumanRendering"),
        ({"render_mode": "ansi"}, "no render mode named 'ansi'; known: rgb_array"),
        ({"picture": {"size": (64, 64)}}, "needs render_mode"),
        ({"render_mode": "rgb_array", "picture": {"colour": 1}}, "option of a picture"),
        ({"render_mode": "rgb_array", "picture": {"size": (0, 10)}}, "whole numbers of pixels"),
        ({"render_mode": "rgb_array", "picture": {"plane": "xx"}}, "plane must be two of"),
        ({"render_mode": "rgb_array", "picture": {"frames": ["hook"]}}, "no frame 'hook'"),
    ],
)
def test_bad_pictures_are_refused(eom: da.EquationsOfMotion, change: dict[str, Any], message: str) -> None:
    with pytest.raises(da.DalembertError, match=message):
        environment(eom, **(TASK | change)).render()
