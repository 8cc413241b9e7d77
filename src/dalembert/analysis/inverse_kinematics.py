"""Inverse kinematics: damped least squares on the tangent space of the configurations, within joint limits.

Levenberg-Marquardt on the error of a frame: with the Jacobian ``J`` of the frame and the error ``e`` (position, and
for a pose also the rotation vector, in axes of the frame), each step minimises ``|e - J d|^2 + mu |d|^2`` over the
coordinates that are free to move. The damping ``mu`` adapts to how well the linear model predicted the last step.
Coordinates at a limit that the error pushes against are held. Quaternions never leave the unit sphere, because ``d`` is
a displacement on the tangent space.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.keywords import field_defaults, flat_keywords, grouped
from dalembert.core.labels import as_numbers
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.core.validation import check_names, check_seed
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.model.machine import Machine
from dalembert.model.transform import Transform
from dalembert.spatial.rotations import quaternion_from_matrix

__all__ = ["IKResult", "IKSettings", "inverse_kinematics"]


@dataclass(frozen=True, eq=False)
class IKResult:
    """Result of inverse kinematics.

    Parameters
    ----------
    q
        Coordinates: the solution, or the best that was found.
    converged
        Whether the error is within the tolerance.
    error
        Norm of the error [m, and rad for a pose].
    iterations
        Number of steps tried, over all starts.
    message
        Why it stopped.
    """

    q: Array
    converged: bool
    error: float
    iterations: int
    message: str


@dataclass(frozen=True)
class IKSettings:
    """How inverse kinematics searches.

    Parameters
    ----------
    damping
        Initial damping, relative to the largest curvature.
    tolerance
        Error [m, rad] at which to stop.
    max_iterations
        Bound of the steps from each start.
    restarts
        Random configurations to start from if ``q0`` does not lead to the target.
    seed
        Seed of the restarts.

    Examples
    --------
    >>> IKSettings(restarts=10, tolerance=1e-8).max_iterations
    200
    """

    damping: float = 1e-3
    tolerance: float = 1e-10
    max_iterations: int = 200
    restarts: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        _check_positive(damping=self.damping, tolerance=self.tolerance)
        _check_count(max_iterations=(self.max_iterations, 1), restarts=(self.restarts, 0))
        check_seed(self.seed)


class _Keywords(TypedDict, total=False):
    """Short forms of `IKSettings`."""

    damping: float
    tolerance: float
    max_iterations: int
    restarts: int
    seed: int


@flat_keywords(_Keywords, defaults=field_defaults(IKSettings))
def inverse_kinematics(
    eom: EquationsOfMotion | Machine,
    frame: str,
    target: ArrayLike | Transform,
    *,
    q0: ArrayLike | None = None,
    limits: bool = True,
    joints: Iterable[str] | None = None,
    settings: IKSettings | None = None,
    p: Parameters = None,
    **keywords: Unpack[_Keywords],
) -> IKResult:
    """Find coordinates that bring a frame to a position or a pose, on the constraints of the machine.

    A cable does not exceed its length; constraints that measure themselves when they begin to act (a grip, a cable
    without length) and those that do not act leave the machine free.

    Parameters
    ----------
    eom
        Equations of motion, or a machine.
    frame
        The frame (or body).
    target
        Position (3 numbers) or pose (4 x 4, or a Transform) in the world.
    q0
        Where to start; the neutral configuration if not given.
    limits
        Whether to respect the limits of the joints.
    joints
        Joints that may move; the others stay as in ``q0``. All if not given.
    settings
        Settings of the search.
    p
        Values of the machine's parameters.
    **keywords
        Fields of `IKSettings`: ``damping``, ``tolerance``, ``max_iterations``, ``restarts``, ``seed``.

    Returns
    -------
    IKResult
        A target out of reach is no error: ``converged`` is False and ``q`` comes as close as was found.

    Examples
    --------
    >>> import dalembert as da
    >>> arm = da.Machine(
    ...     "arm",
    ...     bodies=[da.rod("a", 1.0, 1.0, com=(0.5, 0, 0)), da.rod("b", 1.0, 1.0, com=(0.5, 0, 0))],
    ...     joints=[
    ...         da.Joint("q1", "revolute", "world", "a", axis="z"),
    ...         da.Joint("q2", "revolute", "a", "b", (1, 0, 0), axis="z"),
    ...     ],
    ...     frames=[da.Frame("tip", "b", (1, 0, 0))],
    ... )
    >>> solution = da.inverse_kinematics(arm, "tip", [1.0, 1.0, 0.0], q0=[0.1, 1.0])
    >>> solution.converged, solution.q.round(6)
    (True, array([-0.      ,  1.570796]))
    """
    if isinstance(eom, Machine):
        eom = derive(eom, backend="vm")
    if not isinstance(eom, EquationsOfMotion):
        raise InputError(f"inverse kinematics needs a Machine or its equations, got {type(eom).__name__}")
    settings = grouped(IKSettings, settings, keywords)
    error = _with_constraints(eom, _error_function(eom, frame, target, p), p)
    space = _Space.of(eom, joints, limits)
    best = space.clip(_start(eom, q0))
    rng = np.random.default_rng(settings.seed)
    best_error, total, message = np.inf, 0, ""
    for attempt in range(settings.restarts + 1):
        start = best if attempt == 0 else space.random(best, rng)
        q, size, used, why = _solve(eom, error, space, start, settings, rng)
        total += used
        if size < best_error:
            best, best_error, message = q, size, why
        if best_error <= settings.tolerance:
            return IKResult(best, True, best_error, total, "converged")
    return IKResult(best, False, best_error, total, f"{message}; the error is {best_error:.3g}")


ErrorFunction = Callable[[Array], tuple[Array, Array]]


def _error_function(eom: EquationsOfMotion, frame: str, target: ArrayLike | Transform, p: Parameters) -> ErrorFunction:
    """Function that returns error and Jacobian of a configuration, in axes of the frame."""
    if isinstance(target, Transform):
        X = np.eye(4)
        X[:3, :3] = [[nominal(x) for x in row] for row in target.rotation]
        X[:3, 3] = [nominal(x) for x in target.translation]
    else:
        X = _numbers(target, "target")
    if X.shape not in ((3,), (4, 4)) or not np.isfinite(X).all():
        raise InputError(f"the target must be a position (3 finite numbers) or a pose (4 x 4), got {target!r}")
    pose = X.shape == (4, 4)
    if pose:
        R = X[:3, :3]
        if np.abs(X[3] - [0, 0, 0, 1]).max() > 1e-9 or np.abs(R @ R.T - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0:
            raise InputError(f"the target must be a homogeneous matrix with a right-handed rotation, got {X.tolist()}")
    position = X[:3, 3] if pose else X

    def error(q: Array) -> tuple[Array, Array]:
        here = eom.pose(frame, q, p=p)
        J = eom.jacobian(frame, q, p=p)
        e = here[:3, :3].T @ (position - here[:3, 3])
        if not pose:
            return e, J[:3]
        return np.concatenate([e, _rotation_vector(here[:3, :3].T @ X[:3, :3])]), J

    return error


def _with_constraints(eom: EquationsOfMotion, error: ErrorFunction, p: Parameters) -> ErrorFunction:
    """Return the error with that of the constraints, by which the machine must stay together."""
    if not eom.constrained:
        return error
    system = eom.constraint_system
    on = system.activity(system.latch_nominal) != 0.0
    pulls = np.zeros(system.m, dtype=bool)
    for rows in system.rows:
        on[rows.start : rows.stop] &= rows.name not in system.latch_table.measuring
        pulls[rows.start : rows.stop] = rows.unilateral

    def both(q: Array) -> tuple[Array, Array]:
        e, J = error(q)
        phi = eom.constraints(q, p=p)
        held = on & (~pulls | (phi > 0.0))
        J_held = eom.constraint_jacobian(q, p=p) * held[:, None]
        return np.concatenate([e, -phi * held]), np.vstack([J, J_held])

    return both


def _rotation_vector(R: Array) -> Array:
    Q = quaternion_from_matrix(R)
    sine = float(np.linalg.norm(Q[1:]))
    return (2.0 * np.arctan2(sine, Q[0]) / sine if sine > 1e-12 else 2.0) * Q[1:]


@dataclass(frozen=True)
class _Space:
    """Coordinates that may move, and their ranges: ``index`` is the place in q of velocity i, -1 if it has none."""

    movable: NDArray[np.bool_]
    index: NDArray[np.int_]
    lower: Array
    upper: Array
    eom: EquationsOfMotion

    @staticmethod
    def of(eom: EquationsOfMotion, joints: Iterable[str] | None, limits: bool) -> _Space:
        # Beams bend under loads, not at will: their modal coordinates stay where they are.
        names = [b.name for b in eom.layout.blocks if b.kind != "modal"]
        chosen = set(names if joints is None else check_names(joints, "joints"))
        if not chosen:
            raise InputError(f"joints must name at least one joint to move; known: {', '.join(names)}")
        for name in chosen:
            if name not in names:
                raise UnknownNameError("joint", name, names, f"machine '{eom.machine.name}'")
        movable = np.zeros(eom.nv, dtype=bool)
        index = np.full(eom.nv, -1)
        lower, upper = np.full(eom.nv, -np.inf), np.full(eom.nv, np.inf)
        mapped = any(b.kind == "plain" for b in eom.layout.blocks)
        ranges = {} if mapped else _ranges(eom.machine)
        if mapped and limits and _ranges(eom.machine):
            raise InputError(
                f"machine '{eom.machine.name}' has joint limits, which are not known in other coordinates: pass "
                "limits=False"
            )
        for block in eom.layout.blocks:
            movable[block.v] = block.name in chosen
            if limits and block.name in ranges:
                i = block.v.start
                index[i] = block.q.start
                lower[i], upper[i] = ranges[block.name]
        return _Space(movable, index, lower, upper, eom)

    def clip(self, q: Array) -> Array:
        """The nearest configuration within the ranges (held joints stay as they are)."""
        q = q.copy()
        for i in np.flatnonzero((self.index >= 0) & self.movable):
            q[self.index[i]] = np.clip(q[self.index[i]], self.lower[i], self.upper[i])
        return q

    def pushed(self, q: Array, g: Array) -> NDArray[np.bool_]:
        """Velocities at a limit that the descent direction ``g`` pushes against."""
        held = np.zeros(len(g), dtype=bool)
        for i in np.flatnonzero(self.index >= 0):
            x = q[self.index[i]]
            held[i] = (x <= self.lower[i] and g[i] < 0) or (x >= self.upper[i] and g[i] > 0)
        return held

    def random(self, q: Array, rng: np.random.Generator) -> Array:
        """Random configuration: within the ranges, or anywhere on a circle, near ``q`` where unbounded."""
        d = rng.uniform(-np.pi, np.pi, size=self.eom.nv)
        moved = self.eom.integrate(q, np.where(self.movable, d, 0.0))
        for i in np.flatnonzero((self.index >= 0) & self.movable):
            if np.isfinite(self.lower[i]) and np.isfinite(self.upper[i]):
                moved[self.index[i]] = rng.uniform(self.lower[i], self.upper[i])
        return self.clip(moved)


def _ranges(machine: Machine) -> dict[str, tuple[float, float]]:
    """Range of each one-coordinate joint; followers of a joint narrow its range."""
    ranges = {j.name: (j.limits.lower, j.limits.upper) for j in machine.joints if j.info.nv == 1}
    for c in machine.couplings:
        ratio, offset = nominal(c.ratio), nominal(c.offset)
        if ratio != 0.0:
            a, b = ((x - offset) / ratio for x in ranges[c.joint])
            low, high = ranges[c.leader]
            ranges[c.leader] = (max(low, min(a, b)), min(high, max(a, b)))
    return {name: r for name, r in ranges.items() if r != (-np.inf, np.inf)}


def _solve(
    eom: EquationsOfMotion,
    error: ErrorFunction,
    space: _Space,
    q: Array,
    settings: IKSettings,
    rng: np.random.Generator,
) -> tuple[Array, float, int, str]:
    """Levenberg-Marquardt from one start: configuration, error, steps, reason."""
    damping, tolerance, max_iterations = settings.damping, settings.tolerance, settings.max_iterations
    e, J = error(q)
    best, best_size = q, float(np.linalg.norm(e))
    mu = damping * max(float((J * J).sum(axis=0).max(initial=0.0)), 1e-12)
    growth, nudges = 2.0, 3
    for step in range(max_iterations):
        size = float(np.linalg.norm(e))
        if size <= tolerance:
            return q, size, step, "converged"
        g = J.T @ e
        free = space.movable & ~space.pushed(q, g)
        A = J[:, free]
        if np.linalg.norm(g[free]) <= 1e-12 * size * max(1.0, float(np.linalg.norm(A))) or mu > 1e12:
            # Stationary. A stretched arm is, too, when it is asked to fold: leave it by a small random step.
            if nudges == 0 or not space.movable.any():
                return best, best_size, step, "no joint motion reduces the error; the target may be out of reach"
            nudges -= 1
            q = space.clip(eom.integrate(q, np.where(space.movable, 1e-2 * rng.normal(size=eom.nv), 0.0)))
            e, J = error(q)
            mu, growth = damping * max(float((J * J).sum(axis=0).max(initial=0.0)), 1e-12), 2.0
            continue
        d = np.zeros(eom.nv)
        stacked = np.vstack([A, np.sqrt(mu) * np.eye(A.shape[1])])
        d[free] = np.linalg.lstsq(stacked, np.concatenate([e, np.zeros(A.shape[1])]), rcond=None)[0]
        trial = space.clip(eom.integrate(q, d))
        e_new, J_new = error(trial)
        moved = J @ eom.difference(q, trial)
        predicted = float(e @ moved - moved @ moved / 2)
        gained = float(e @ e - e_new @ e_new) / 2
        if gained > 0.0:
            ratio = gained / predicted if predicted > 0.0 else 0.0
            mu *= 0.1 if ratio > 0.9 else float(np.clip(1.0 - (2.0 * ratio - 1.0) ** 3, 1.0 / 3.0, 2.0))
            growth = 2.0
            q, e, J = trial, e_new, J_new
            if float(np.linalg.norm(e)) < best_size:
                best, best_size = q, float(np.linalg.norm(e))
        else:
            mu, growth = mu * growth, 2.0 * growth
    if best_size <= tolerance:
        return best, best_size, max_iterations, "converged"
    return best, best_size, max_iterations, f"stopped after {max_iterations} steps"


def _start(eom: EquationsOfMotion, q0: ArrayLike | None) -> Array:
    if q0 is None:
        return eom.q_neutral
    q = _numbers(q0, "q0")
    if q.shape != (eom.nq,) or not np.isfinite(q).all():
        raise InputError(f"q0 must be {eom.nq} finite numbers ({', '.join(eom.q_names)}), got {q0!r}")
    for name, start in eom.layout.quaternions:
        norm = float(np.linalg.norm(q[start : start + 4]))
        if abs(norm - 1.0) > 1e-6:
            raise InputError(f"the quaternion of joint '{name}' in q0 must have unit norm, got norm {norm:g}")
    return q


def _numbers(x: ArrayLike, what: str) -> Array:
    try:
        return as_numbers(x).copy()
    except (TypeError, ValueError):
        raise InputError(f"{what} must be numbers, got {x!r}") from None


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < np.inf:
            raise InputError(f"{name} must be a positive number, got {value!r}")


def _check_count(**values: tuple[int, int]) -> None:
    for name, (value, least) in values.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InputError(f"{name} must be an integer >= {least}, got {value!r}")
