"""Machines as environments of Gymnasium, one at a time and many at once, on the one-step kernel of `dalembert.stepper`.

Observations, rewards and ends of episodes are expressions that are compiled into the step. Gymnasium itself is loaded
when an environment is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.campaigns.rendering import RENDER_MODES, Rendering, check_rendering
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.keywords import flat_keywords
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.core.validation import check_number
from dalembert.loop.experiment import Experiment, Runnable, Start, experiment_of
from dalembert.loop.experiment_keywords import KEYWORD_DEFAULTS, ExperimentKeywords
from dalembert.loop.signals import Quantity
from dalembert.loop.stepper import Stepper, stepper
from dalembert.model.machine import Machine

__all__ = ["Episode", "environment", "vector_environment"]

Draw = Callable[[np.random.Generator], Mapping[str, Any]]
Observed = Mapping[str, Quantity] | Sequence[str] | None

_REWARD, _END = " reward", " terminated"  # a space keeps them apart from the names of signals
_STARTS = ("q0", "v0", "p")
AUTORESET = ("next-step", "same-step", "disabled")


@dataclass(frozen=True)
class Episode:
    """A learning task: how long an action is held, observation and reward, the end, and the start.

    Parameters
    ----------
    period
        Seconds of a step.
    reward
        Name of a signal, or a function of signals on CasADi symbols, as in `dalembert.Measure`: the reward at the end
        of each step. ``s["u.MOTOR"]`` are the inputs.
    observe
        As in `dalembert.stepper`; None: coordinates and velocities.
    terminated
        A quantity that ends the episode where it is > 0.
    draw
        Function of a random generator that gives ``q0``, ``v0`` and ``p`` of an episode, or some of them, as mappings
        of names to numbers or as arrays; missing values are those of the experiment.
    effort
        Largest input of motors and thrusters that have no limit themselves.

    Examples
    --------
    >>> Episode(period=0.05, reward="x").period
    0.05
    """

    period: float
    reward: Quantity
    observe: Observed = None
    terminated: Quantity | None = None
    draw: Draw | None = None
    effort: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        check_number("period", self.period, unit="s")
        for what, quantity in (("reward", self.reward), ("terminated", self.terminated)):
            if not (isinstance(quantity, str) or callable(quantity) or (quantity is None and what == "terminated")):
                raise InputError(f"{what} must be the name of a signal or a function of signals, got {quantity!r}")
        if self.draw is not None and not callable(self.draw):
            raise InputError(f"the random start must be a function of a random generator, got {self.draw!r}")
        if isinstance(self.observe, str) or not isinstance(self.observe, Mapping | Sequence | None):
            raise InputError(
                f"observe must be names of signals, or names with functions of signals, got {self.observe!r}"
            )


class EnvironmentKeywords(ExperimentKeywords, total=False):
    """Keywords of an environment: those of an experiment, and of its `Episode`."""

    period: float
    reward: Quantity
    observe: Observed
    terminated: Quantity | None
    draw: Draw | None
    effort: Mapping[str, float] | None


_OF_EPISODE = ("period", "reward", "observe", "terminated", "draw", "effort")
_environment_verb = flat_keywords(EnvironmentKeywords, defaults={**KEYWORD_DEFAULTS, **dict.fromkeys(_OF_EPISODE)})


@_environment_verb
def environment(
    machine: Runnable,
    *,
    episode: Episode | None = None,
    render_mode: str | None = None,
    picture: Mapping[str, Any] | None = None,
    **keywords: Unpack[EnvironmentKeywords],
) -> Any:
    """Make a machine an environment of Gymnasium (needs the extra ``gym``).

    Actions are between -1 and 1 and stand for the range of each motor and thruster; they are held over a period. An
    episode is truncated after its duration. It is terminated where `terminated` is positive or the machine stops (at a
    limit with ``stop=True``, or because its state is no longer finite; ``info["stopped"]`` is then True, and the
    observation is the last good one).

    Parameters
    ----------
    machine
        The machine or its equations, with the keywords of an experiment; or an `Experiment`.
    episode
        The learning task; or give the fields of `Episode` one by one (``period=0.05, reward=...``).
    render_mode
        None, or ``"rgb_array"``: `render` then returns pixels (height, width, 3) of the machine as it is.
    picture
        How it is drawn: ``size`` (width and height in pixels), and ``plane``, ``view``, ``frames`` and ``exaggerate``
        as in `dalembert.view.animate`.
    **keywords
        As in `dalembert.Experiment` and `dalembert.stepper`; ``duration`` is that of an episode: a whole number of
        periods. A function as ``start`` is taken as ``draw``. Machines with contacts need
        ``contact="time-stepping"``.

    Returns
    -------
    gymnasium.Env
        With ``machine`` and ``stepper`` as attributes.

    Examples
    --------
    >>> import casadi as ca
    >>> import dalembert as da
    >>> from dalembert.campaigns import environment
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 1.0, com=(0, 0, -1.0))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
    ...     motors=[da.Motor("drive", "theta", effort=2.0)],
    ... )
    >>> env = environment(
    ...     pendulum, period=0.05, duration=10.0, reward=lambda s: -ca.cos(s["theta"]) - 1e-3 * s["u.drive"] ** 2
    ... )
    >>> observation, info = env.reset(seed=0)
    >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    >>> observation.shape, terminated, truncated
    ((2,), False, False)
    """
    task = _task(machine, episode, dict(keywords))
    check_rendering(render_mode, picture)
    single, _ = _classes()
    return single(task, render_mode, picture)


@_environment_verb
def vector_environment(
    machine: Runnable,
    members: int,
    *,
    episode: Episode | None = None,
    autoreset: str = "next-step",
    threads: int = 1,
    render_mode: str | None = None,
    picture: Mapping[str, Any] | None = None,
    **keywords: Unpack[EnvironmentKeywords],
) -> Any:
    """Make many members of a machine a vector environment of Gymnasium (needs the extra ``gym``).

    Members advance together in the lanes of SIMD vectors. Each is bitwise identical to `environment` alone with the
    same seed: an integer seed gives member ``i`` the seed ``seed + i``, as Gymnasium's own vector environments do.

    Parameters
    ----------
    machine, episode, keywords
        As in `environment`.
    members
        Their number.
    autoreset
        Treatment of a member whose episode is over: ``"next-step"`` (the default of Gymnasium): the next step resets
        it, ignores its action and earns nothing; ``"same-step"``: it is reset at once, and ``info["final_obs"]`` has
        its last observation; ``"disabled"``: ``reset(options={"reset_mask": mask})`` does it.
    threads
        Number of threads; 0: one per core. It pays from some thousand members on.
    render_mode, picture
        As in `environment`; `render` returns a tuple with a picture of each member, all in the same frame.

    Returns
    -------
    gymnasium.vector.VectorEnv
        With ``machine`` and ``stepper`` as attributes.
    """
    if autoreset not in AUTORESET:
        raise UnknownNameError("way to reset", autoreset, AUTORESET)
    task = _task(machine, episode, dict(keywords))
    check_rendering(render_mode, picture)
    _, vector = _classes()
    return vector(task, members, autoreset, threads, render_mode, picture)


@dataclass(frozen=True)
class _Task:
    """Common data of environments of one kind."""

    experiment: Experiment
    episode: Episode
    steps: int
    names: tuple[str, ...]
    quantities: Mapping[str, Quantity]
    low: Array
    high: Array

    def inputs(self, actions: ArrayLike) -> Array:
        """Inputs of actions between -1 and 1."""
        return self.low + (as_numbers(actions) + 1.0) * ((self.high - self.low) / 2)


def _task(what: Runnable, episode: Episode | None, keywords: dict[str, Any]) -> _Task:
    if keywords.get("start") is not None and not isinstance(keywords["start"], Start):
        keywords["draw"] = keywords.pop("start")
    about = {name: keywords.pop(name) for name in _OF_EPISODE if name in keywords}
    if episode is None:
        missing = [name for name in ("period", "reward") if name not in about]
        if missing:
            raise InputError(f"an environment needs {' and '.join(missing)}: give an Episode, or its fields")
        episode = Episode(**about)
    elif about:
        episode = replace(episode, **about)
    experiment = experiment_of(what, keywords)  # type: ignore[arg-type]  # what is left of them
    machine, period = experiment.machine, float(episode.period)
    if experiment.duration is None:
        raise InputError("an environment needs the duration of an episode: give duration= in seconds")
    steps = round(experiment.duration / period)
    if steps < 1 or abs(steps * period - experiment.duration) > 1e-9 * experiment.duration:
        raise InputError(f"duration must be a whole number of periods of {period:g} s, got {experiment.duration:g} s")
    seen = (*machine.q_names, *machine.v_names) if episode.observe is None else episode.observe
    quantities: dict[str, Quantity] = dict(seen) if isinstance(seen, Mapping) else {name: name for name in seen}
    names, end = tuple(quantities), episode.terminated
    quantities |= {_REWARD: episode.reward, _END: end if end is not None else lambda s: -1.0}
    low, high = _ranges(machine, episode.effort)
    return _Task(experiment, episode, steps, names, quantities, low, high)


def _ranges(machine: Machine, effort: Mapping[str, float] | None) -> tuple[Array, Array]:
    """Least and largest inputs, those without a limit as given."""
    efforts = dict(effort or {})
    if not machine.nu:
        raise InputError(f"machine '{machine.name}' has no motors and no thrusters: there is nothing to act on")
    for name in efforts:
        if name not in machine.u_names:
            raise UnknownNameError("motor or thruster", name, machine.u_names, f"machine '{machine.name}'")
    low, high = [], []
    for actuator in machine.actuators:
        least, most = actuator.range
        if actuator.name in efforts:
            limit = check_number(f"effort of '{actuator.name}'", efforts[actuator.name])
            least, most = max(least, -limit), min(most, limit)
        if not np.isfinite([least, most]).all():
            raise InputError(
                f"'{actuator.name}' of machine '{machine.name}' has no effort limit, which scales its action; give "
                f"effort={{'{actuator.name}': ...}}, or the motor an effort"
            )
        low.append(least)
        high.append(most)
    return np.array(low), np.array(high)


@dataclass
class _Members:
    """Members at work on a task, each with individual random numbers."""

    task: _Task
    count: int
    threads: int = 1
    stepper: Stepper = field(init=False)
    seen: Array = field(init=False)
    steps: NDArray[np.int64] = field(init=False)
    generators: list[np.random.Generator] = field(init=False)

    def __post_init__(self) -> None:
        task = self.task
        self.stepper = stepper(
            task.experiment, period=task.episode.period, members=self.count, observe=dict(task.quantities),
            threads=self.threads,
        )  # fmt: skip
        self.seen = np.zeros((self.count, len(task.names)))
        self.steps = np.zeros(self.count, dtype=np.int64)
        self.generators = [np.random.default_rng() for _ in range(self.count)]

    def reset(self, which: NDArray[np.int64]) -> None:
        """Begin new episodes of some members."""
        task = self.task
        start: dict[str, Any] = {}
        if task.episode.draw is not None:
            drawn = [dict(task.episode.draw(self.generators[i])) for i in which]
            for key in {key for one in drawn for key in one}:
                if key not in _STARTS:
                    raise InputError(f"start must give some of {', '.join(_STARTS)}, got {key!r}")
                start[key] = _together([one[key] for one in drawn], key)
        rows = self.stepper.reset(which, **start)
        self.seen[which] = rows[which, : len(task.names)]
        self.steps[which] = 0

    def step(self, actions: ArrayLike) -> tuple[Array, NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """Advance all members: rewards, and who has terminated, was truncated, or had to stop."""
        rows = self.stepper.step(self.task.inputs(actions))
        good = self.stepper.ok & np.isfinite(rows).all(axis=1)
        n = len(self.task.names)
        self.seen[good] = rows[good, :n]
        rewards = np.where(good, rows[:, n], 0.0)
        self.steps += 1
        ended = ~good | (rows[:, n + 1] > 0.0)
        return rewards, ended, self.steps >= self.task.steps, ~good


def _together(values: list[Any], key: str) -> Any:
    """Starts of several members as one."""
    if all(isinstance(value, Mapping) for value in values):
        names = values[0].keys()
        if any(value.keys() != names for value in values):
            raise InputError(f"start must give the same names in {key} every time")
        return {name: np.array([float(value[name]) for value in values]) for name in names}
    return np.array([as_numbers(value) for value in values])


def observation_bounds(experiment: Experiment, names: Sequence[str]) -> tuple[Array, Array]:
    """Smallest and largest values of observed quantities.

    Coordinates of joints whose limits are enforced (by ``limits="stop"`` or ``"contact"``, or by ``stop=True`` of the
    joint) stay within them; contact by time-stepping allows a little more, one percent of the range here. All other
    quantities are unbounded.

    Parameters
    ----------
    experiment
        The experiment.
    names
        Observed quantities.
    """
    low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    joints = {joint.name: joint for joint in experiment.machine.joints if joint.name in experiment.machine.q_names}
    for k, name in enumerate(names):
        joint = joints.get(name)
        if joint is None or not (joint.limits.stop or experiment.limits in ("stop", "contact")):
            continue
        lower, upper = float(joint.limits.lower), float(joint.limits.upper)
        room = 0.01 * (upper - lower) if np.isfinite(upper - lower) else 0.01
        low[k], high[k] = lower - room, upper + room
    return low, high


@cache
def _classes() -> tuple[type[Any], type[Any]]:
    """The two classes of environments: their bases are Gymnasium's."""
    try:
        import gymnasium
        from gymnasium.utils import seeding
        from gymnasium.vector import AutoresetMode, VectorEnv
        from gymnasium.vector.utils import batch_space
    except ImportError:
        raise InputError("environments need Gymnasium: pip install 'dalembert[gym]'") from None
    known = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED)
    modes = dict(zip(AUTORESET, known, strict=True))

    def spaces(task: _Task) -> tuple[Any, Any]:
        low, high = observation_bounds(task.experiment, task.names)
        seen = gymnasium.spaces.Box(low, high, dtype=np.float64)
        return seen, gymnasium.spaces.Box(-1.0, 1.0, (len(task.low),), dtype=np.float64)

    def drawn(task: _Task) -> dict[str, Any]:
        return {"render_modes": list(RENDER_MODES), "render_fps": 1.0 / task.episode.period}

    class MachineEnv(gymnasium.Env):  # type: ignore[misc]
        """A machine as an environment."""

        def __init__(self, task: _Task, render_mode: str | None, picture: Mapping[str, Any] | None) -> None:
            self._members = _Members(task, 1)
            self.metadata, self.render_mode = drawn(task), render_mode
            self._rendering = Rendering(task.experiment.equations, self._members.stepper, picture)
            self.machine, self.stepper = task.experiment.machine, self._members.stepper
            self.observation_space, self.action_space = spaces(task)

        def reset(
            self, *, seed: int | None = None, options: dict[str, Any] | None = None
        ) -> tuple[Array, dict[str, Any]]:
            """Begin an episode."""
            super().reset(seed=seed)
            self._members.generators = [self.np_random]
            self._members.reset(np.array([0]))
            return self._members.seen[0].copy(), {}

        def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
            """Hold an action for a period."""
            rewards, ended, over, stopped = self._members.step(action)
            info = {"stopped": True} if stopped[0] else {}
            return self._members.seen[0].copy(), float(rewards[0]), bool(ended[0]), bool(over[0]), info

        def render(self) -> NDArray[np.uint8] | None:
            """Picture of the machine as it is, where a render mode was chosen."""
            return None if self.render_mode is None else self._rendering.of(0)

    class MachineVectorEnv(VectorEnv):  # type: ignore[misc]
        """Many members of a machine as a vector environment."""

        def __init__(
            self,
            task: _Task,
            members: int,
            autoreset: str,
            threads: int,
            render_mode: str | None,
            picture: Mapping[str, Any] | None,
        ) -> None:
            self._members = _Members(task, members, threads)
            self.machine, self.stepper = task.experiment.machine, self._members.stepper
            self.num_envs, self._autoreset = members, autoreset
            self.metadata, self.render_mode = drawn(task) | {"autoreset_mode": modes[autoreset]}, render_mode
            self._rendering = Rendering(task.experiment.equations, self._members.stepper, picture)
            self.single_observation_space, self.single_action_space = spaces(task)
            self.observation_space = batch_space(self.single_observation_space, members)
            self.action_space = batch_space(self.single_action_space, members)
            self._over = np.zeros(members, dtype=bool)
            self._seeds: list[int] = []
            self._seed([None] * members, np.arange(members))

        def _seed(self, seeds: Sequence[int | None], which: NDArray[np.int64]) -> None:
            fresh = not self._seeds
            self._seeds = self._seeds or [0] * self.num_envs
            for i in which:
                if seeds[i] is not None or fresh:
                    self._members.generators[i], self._seeds[i] = seeding.np_random(seeds[i])

        @property
        def np_random(self) -> tuple[np.random.Generator, ...]:
            """Random numbers of each member."""
            return tuple(self._members.generators)

        @property
        def np_random_seed(self) -> tuple[int, ...]:
            """Seed of each member."""
            return tuple(self._seeds)

        def reset(
            self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
        ) -> tuple[Array, dict[str, Any]]:
            """Begin episodes of all members, or of those of ``options["reset_mask"]``."""
            n = self.num_envs
            if seed is None or isinstance(seed, int | np.integer):
                seeds = [None if seed is None else int(seed) + i for i in range(n)]
            else:
                seeds = list(seed)
            if len(seeds) != n:
                raise InputError(f"seeds must be of {n} members, got {len(seeds)}")
            mask = np.ones(n, dtype=bool) if not options else options.get("reset_mask", np.ones(n, dtype=bool))
            if not isinstance(mask, np.ndarray) or mask.dtype != bool or mask.shape != (n,) or not mask.any():
                raise InputError(f"reset_mask must be a boolean array of {n} with at least one True, got {mask!r}")
            which = np.flatnonzero(mask)
            self._seed(seeds, which)
            self._over[which] = False
            self._members.reset(which)
            return self._members.seen.copy(), {}

        def step(self, actions: Any) -> tuple[Array, Array, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
            """Hold an action of each member for a period."""
            waiting = np.flatnonzero(self._over)
            infos: dict[str, Any] = {}
            if len(waiting) and self._autoreset == "disabled":
                raise InputError(f"the episodes of the members {waiting.tolist()} are over; reset them first")
            rewards, ended, over, stopped = self._members.step(actions)
            if len(waiting):
                self._members.reset(waiting)
                rewards[waiting], ended[waiting], over[waiting], stopped[waiting] = 0.0, False, False, False
            self._over = ended | over
            done = np.flatnonzero(self._over)
            if self._autoreset == "same-step" and len(done):
                for i in done:
                    last = {"stopped": True} if stopped[i] else {}
                    infos = self._add_info(infos, {"final_obs": self._members.seen[i].copy(), "final_info": last}, i)
                self._members.reset(done)
                self._over = np.zeros(self.num_envs, dtype=bool)
            else:
                for i in np.flatnonzero(stopped):
                    infos = self._add_info(infos, {"stopped": True}, i)
            return self._members.seen.copy(), rewards, ended, over, infos

        def render(self) -> tuple[NDArray[np.uint8], ...] | None:
            """Pictures of all members, where a render mode was chosen."""
            return None if self.render_mode is None else tuple(map(self._rendering.of, range(self.num_envs)))

    return MachineEnv, MachineVectorEnv
