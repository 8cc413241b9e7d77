"""Poses that straight or sagging cables hold: tensions within bounds, lengths, stiffness, and maps of such poses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.analysis.cables.kinematics import configuration, numbers
from dalembert.analysis.cables.pulls import CablePulls, PulledState
from dalembert.analysis.cables.tensions import infeasible, nearest_tensions, tension_bounds
from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.formulations.equations import Parameters
from dalembert.model.machine import Machine

__all__ = ["HeldPose", "hold_pose", "wrench_feasible"]

_ROUNDS = 50
_SETTLED = 1e-10  # part of the largest tension by which the last round may change one
_BALANCED = 1e-7  # part of the load and tensions that may remain unbalanced
_HALVINGS = 55


@dataclass(frozen=True, eq=False)
class HeldPose:
    """A platform at rest in a given configuration, on cables with tensions within bounds.

    Parameters
    ----------
    machine
        The robot.
    q
        Configuration.
    tensions, exit_tensions
        Tensions of the cables at their anchors and at their exits [N]; equal for straight ones.
    lengths
        Unstretched lengths of the cables [m], which hold the platform there.
    state
        Forces, lengths and their derivatives.
    """

    machine: Machine
    q: Array
    tensions: Array
    exit_tensions: Array
    lengths: Array
    state: PulledState

    @property
    def stiffness(self) -> Array:
        """Derivative of the force that holds the platform with respect to its displacement, winches locked.

        Rows and columns belong to the velocities that are no winches (a free platform: body twist). Cables must be
        elastic.
        """
        s = self.state
        for cable in self.machine.cables:
            if not cable.elastic:
                raise InputError(
                    f"cable '{cable.name}' does not stretch: the platform's stiffness needs elastic cables"
                )
        return np.asarray(s.force_x - s.force_f @ (s.lengths_x / s.lengths_f[:, None]))

    @property
    def wraps(self) -> Array:
        """Angles that the cables wrap on their pulleys [rad]; zero at point exits."""
        return self.state.wraps

    def winch_tensions(self, friction: float | None = None) -> tuple[Array, Array]:
        """Least and largest tensions behind the pulleys on which the cables rest, with a coefficient of friction.

        Between ``T exp(-mu phi)`` and ``T exp(mu phi)`` of the tension ``T`` where the cable enters the pulley without
        friction and the angle of wrap ``phi``, the platform stands (L. Euler, 1769). Winches that coil up need the
        upper ones. The weight of the arc presses on the pulley and widens this, as it does in runs.

        Parameters
        ----------
        friction
            Coefficient of friction between cables and pulleys that do not turn; for a bearing, that which gives its
            ratio of tensions. None: those of the cables.
        """
        if friction is not None and not friction >= 0.0:
            raise InputError(f"friction must be >= 0, got {friction!r}")
        cables, wraps = self.machine.cables, self.wraps
        mu = np.array([nominal(cable.friction) if friction is None else friction for cable in cables])
        weight = np.array([nominal(cable.weight) * nominal(cable.pulley) for cable in cables])
        b, ratio = 2.0 * mu * weight / (1.0 + mu**2), np.exp(mu * wraps)
        pressed, leans = self.state.winches + mu * b * np.sin(wraps), b * np.cos(wraps)
        return (pressed + leans) / ratio - b, (pressed - leans) * ratio + b

    @property
    def own_frequencies(self) -> dict[str, float]:
        """First frequencies of the cables with weight, as strings along their lines [Hz].

        Motions must be slow against these: the cables hang as at rest at every instant.
        """
        return dict(self._frequencies)

    _frequencies: tuple[tuple[str, float], ...] = ()


def hold_pose(
    machine: Machine,
    q: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    *,
    wrench: ArrayLike | None = None,
    p: Parameters = None,
) -> HeldPose:
    """Tensions, lengths and stiffness of cables that hold the platform at rest in a configuration.

    The tension stays within its bounds along the whole cable. The result has the tensions along the lines between the
    ends of the cables that are nearest to the middle of their ranges. For straight cables this is
    `tension_distribution` with the method ``"qp"``. The pull of a heavy cable is not proportional to its tension; its
    balance is linearised and solved again until it holds.

    Parameters
    ----------
    machine
        The robot, with straight or heavy cables (``Cable(weight=)``), rigid or elastic.
    q
        Configuration; winches do not matter.
    lower, upper
        Bounds of the tensions [N], once for all cables or one by one.
    wrench
        Further generalised force on the platform.
    p
        Parameter values.

    Raises
    ------
    InputError
        If no tensions within the bounds hold the platform, or a cable is too heavy for its bounds.

    Examples
    --------
    >>> from dalembert.analysis import hold_pose
    >>> from dalembert.systems.cable_robots import eight_cable_robot
    >>> robot = eight_cable_robot()
    >>> pose = [0.1, 0.0, 1.5, 1.0, 0.0, 0.0, 0.0] + 8 * [0.0]
    >>> held = hold_pose(robot, pose, lower=50.0, upper=800.0)
    >>> bool(held.tensions.min() >= 50.0), held.lengths.round(3).tolist()[:2]
    (True, [3.799, 3.799])
    """
    x = configuration(machine, q)
    cables = CablePulls(machine, p=p)
    low, high = tension_bounds(lower, upper, len(machine.cables))
    more = np.zeros(len(cables.platform)) if wrench is None else numbers(wrench, len(cables.platform), "the wrench")
    f = _tensions(cables, x, *_along_lines(cables, x, low, high), more)
    state = cables.at(x, f)
    gravity = float(np.linalg.norm([nominal(g) for g in machine.gravity]))
    frequencies = tuple(
        (c.name, _first_frequency(f[k], state.chords[k], nominal(c.weight), gravity))
        for k, c in enumerate(machine.cables)
        if c.heavy
    )
    return HeldPose(machine, x, state.anchors, state.exits, state.lengths, state, frequencies)


def _first_frequency(tension: float, chord: float, weight: float, gravity: float) -> float:
    """First frequency of a string [Hz]."""
    return float(np.sqrt(tension * gravity / weight) / (2.0 * chord))


def _along_lines(cables: CablePulls, q: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Ranges of the tensions along the lines for which the tension stays within bounds on the whole cable."""
    if not cables.heavy.any():
        return low, high
    most = np.where(cables.heavy, high, low)
    for _ in range(200):  # the largest tension of a cable that sags deeply falls with its tension along the line
        too_much = cables.heavy & ~(cables.extremes(q, most)[1] <= high)
        if not too_much.any():
            break
        most = np.where(too_much, 0.95 * most, most)
        if (most < 1e-3 * high)[too_much].any():
            k = int(np.flatnonzero(too_much & (most < 1e-3 * high))[0])
            raise InputError(
                f"cable '{cables.machine.cables[k].name}' cannot hang there with at most {high[k]:g} N: it is too heavy"
            )
    upper = _halved(lambda f: cables.extremes(q, f)[1] <= high, most, np.minimum(most / 0.95, high))
    least = _halved(lambda f: cables.extremes(q, f)[0] < low, np.minimum(np.maximum(low, 1e-3 * upper), upper), upper)
    empty = cables.heavy & ~(cables.extremes(q, upper)[0] >= low)
    if empty.any():
        k = int(np.flatnonzero(empty)[0])
        raise InputError(
            f"the tension of cable '{cables.machine.cables[k].name}' cannot lie between {low[k]:g} and {high[k]:g} N "
            "on its whole length: it is too heavy"
        )
    return np.where(cables.heavy, least, low), np.where(cables.heavy, upper, high)


def _halved(true_below: Callable[[Array], NDArray[np.bool_]], below: Array, above: Array) -> Array:
    """Places between two arrays where a condition that holds below ceases to, element by element."""
    for _ in range(_HALVINGS):
        middle = (below + above) / 2.0
        holds = true_below(middle)
        below, above = np.where(holds, middle, below), np.where(holds, above, middle)
    return np.asarray(below)


def _tensions(cables: CablePulls, q: Array, low: Array, high: Array, wrench: Array) -> Array:
    """Tensions along the lines that balance the load and a wrench, nearest to the middle of their ranges."""
    from scipy.optimize import lsq_linear

    f = (low + high) / 2.0
    for _ in range(_ROUNDS):
        here = cables.at(q, f)
        A = -here.force_f
        right = here.force - wrench + A @ f
        try:
            new, holds = nearest_tensions(A, right, low, high), True
        except InputError:
            if not cables.heavy.any():
                raise
            wide = np.maximum(high, low + 1e-9 * (1.0 + np.abs(low)))
            new, holds = np.clip(lsq_linear(A, right, (low, wide)).x, low, high), False
        change = float(np.max(np.abs(new - f)))
        f = new
        if not cables.heavy.any() or change <= _SETTLED * max(float(np.max(np.abs(f))), 1.0):
            break
    if not holds:
        raise infeasible(cables.load(q) - wrench)
    left = float(np.max(np.abs(cables.at(q, f).force - wrench)))
    if left > _BALANCED * max(1.0, float(np.max(np.abs(f)))):
        raise InputError(f"the balance of the cables did not converge: {left:.3g} N remain")
    return f


def wrench_feasible(
    machine: Machine,
    configurations: Iterable[ArrayLike],
    lower: ArrayLike,
    upper: ArrayLike,
    *,
    wrenches: ArrayLike | None = None,
    p: Parameters = None,
) -> NDArray[np.bool_]:
    """Whether tensions within the bounds hold the platform at rest against every one of some wrenches.

    Parameters
    ----------
    machine
        The robot, with straight or heavy cables.
    configurations
        Configurations to look at: the points of a workspace map.
    lower, upper
        Bounds of the tensions, along the whole of each cable.
    wrenches
        Further generalised forces on the platform (n, nv of the platform), each to be balanced besides its own loads;
        the corners of a set of wrenches stand for all of it. None: its own loads only.
    p
        Parameter values.
    """
    from scipy.optimize import linprog

    low, high = tension_bounds(lower, upper, len(machine.cables))
    cables = CablePulls(machine, p=p)
    dof = len(cables.platform)
    further = [np.zeros(dof)] if wrenches is None else np.atleast_2d(as_numbers(wrenches))
    extra = [numbers(w, dof, "a wrench") for w in further]
    result = []
    for q in configurations:
        x = configuration(machine, q)
        try:
            if cables.heavy.any():
                ranges = _along_lines(cables, x, low, high)
                holds = all(len(_tensions(cables, x, *ranges, w)) for w in extra)
            else:
                here, bounds = cables.at(x, np.zeros(len(low))), list(zip(low, high, strict=True))
                answers = (
                    linprog(0.0 * low, A_eq=-here.force_f, b_eq=here.force - w, bounds=bounds, method="highs")
                    for w in extra
                )
                holds = all(answer.status == 0 for answer in answers)
        except InputError:
            holds = False
        result.append(holds)
    return np.array(result)
