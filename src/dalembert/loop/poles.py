"""Poles of loops that are sampled: the linear map of one period of a cascade around an equilibrium."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.compile import Kernel, compile_function
from dalembert.core.errors import InputError
from dalembert.core.states import named_vector
from dalembert.core.types import Array, StateLike
from dalembert.engine.sampling import Schedule
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, derive
from dalembert.formulations.states import Parameters
from dalembert.loop.closed_loop import ClosedLoop, close_loop
from dalembert.model.signals import Sensor, Signal

__all__ = ["SampledPoles", "sampled_poles"]

_STEP = 1e-5  # of the differences
_LONGEST = 64  # periods of the slowest stage in which all come around again
_SAME = 1e-9
_NEUTRAL = 1e-7


@dataclass(frozen=True)
class SampledPoles:
    """Poles of a sampled loop.

    Attributes
    ----------
    poles
        Eigenvalues of the map of one period, the largest first.
    period
        Seconds after which all stages come around again.
    """

    poles: Array
    period: float

    @property
    def neutral(self) -> int:
        """Number of poles at one: directions in which the machine may rest anywhere."""
        return int(np.count_nonzero(self._resting))

    @property
    def _resting(self) -> NDArray[np.bool_]:
        return np.asarray(np.abs(self.poles - 1.0) < _NEUTRAL)

    @property
    def stable(self) -> bool:
        """Whether deviations die out, except those that may stay."""
        return self.slowest < 0.0

    @property
    def slowest(self) -> float:
        """Rate [1/s] of the slowest deviation that moves: negative if it dies out."""
        moving = np.abs(self.poles[~self._resting])
        return float(np.log(moving.max()) / self.period) if moving.size else -np.inf


def sampled_poles(
    machine: MachineOrEquations,
    control: Any,
    at: StateLike = None,
    *,
    held: dict[str, float] | None = None,
    signals: Sequence[Signal] = (),
    sensors: Sequence[Sensor] = (),
    p: Parameters = None,
) -> SampledPoles:
    """Linearise a machine with sampled laws, guidance and sensors at rest, and return its poles.

    Between instants the state moves as the linear machine does, exactly; at instants the held values change as their
    expressions say. Attitudes count three. A state that never changes, as a constant among the held values, has no
    pole.

    Parameters
    ----------
    machine
        The machine without constraints, or its equations.
    control
        Expression laws, sampled ones, and cascades with native guidance.
    at
        The posture, which the control must hold at rest.
    held
        Held values by name to begin with, such as gains that a stage keeps as its states.
    signals, sensors
        As in `dalembert.simulate`; noise does not affect the poles.
    p
        Parameter values.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert import control
    >>> mass = da.Machine("m", [da.point_mass("m", 1.0)], [da.Joint("x", "prismatic", "world", "m")],
    ...     motors=[da.Motor("x", "x")], gravity=(0, 0, 0))
    >>> sampled_poles(mass, control.Sampled(da.PD(1.0, 1.5, [0.0]), 0.1)).stable
    True
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    loop = close_loop(eom, control, limits="ignore", signals=signals, sensors=sensors)
    if loop.problem.constrained is not None:
        raise InputError(f"machine '{eom.machine.name}' has constraints, which sampled_poles does not take")
    schedule = loop.controller
    if schedule is None or not schedule.native or schedule.routines:
        raise InputError("sampled_poles needs laws and guidance that are expressions, and one of them sampled")
    posture = named_vector(at, eom.machine.q_names, eom.machine.q_neutral, "at")
    q, v = eom.from_machine(posture, np.zeros(eom.machine.nv), p=p)
    x = np.concatenate([q, v, loop.z0, np.zeros(2)])
    c = schedule.initial.copy()
    for name, value in (held or {}).items():
        if name not in loop.problem.held_names:
            raise InputError(
                f"no controller holds a value {name!r}; held values are {', '.join(loop.problem.held_names)}"
            )
        c[loop.problem.held_names.index(name)] = float(value)
    period = _common_period(schedule)
    P = _period_map(eom, loop, schedule, x, c, eom.parameter_values(p), period)
    return SampledPoles(_reduced(eom, loop, P, x, c), period)


def _common_period(schedule: Schedule) -> float:
    """Time after which all updates come around again."""
    periods = [update.period for update in schedule.updates]
    for k in range(1, _LONGEST + 1):
        T = k * max(periods)
        if all(abs(T / h - round(T / h)) < 1e-6 for h in periods):
            return T
    raise InputError(f"the periods {', '.join(f'{h:g}' for h in periods)} s have no common multiple of reasonable size")


def _differences(f: Callable[[Array, Array], Array], x: Array, c: Array) -> tuple[Array, Array]:
    """Jacobians of a function of state and held values, by central differences."""
    jacobians = []
    for which, y in enumerate((x, c)):
        columns = []
        for k in range(len(y)):
            h = _STEP * max(1.0, abs(y[k]))
            ends = []
            for sign in (1.0, -1.0):
                moved = y.copy()
                moved[k] += sign * h
                ends.append(f(moved, c) if which == 0 else f(x, moved))
            columns.append((ends[0] - ends[1]) / (2 * h))
        jacobians.append(np.array(columns).reshape(len(y), -1).T)
    return jacobians[0], jacobians[1]


def _kernel(eom: EquationsOfMotion, function: object) -> Kernel:
    assert isinstance(function, ca.Function)  # the schedule is native
    return compile_function(function, backend=eom.backend, shapes={"t": ()}, lanes=False)


def _called(kernel: Kernel, t: float, p: Array, w: Array | None, x: Array, c: Array) -> Array:
    return np.asarray(kernel(t, x, c, p) if w is None else kernel(t, x, c, p, w))


def _period_map(
    eom: EquationsOfMotion, loop: ClosedLoop, schedule: Schedule, x: Array, c: Array, p: Array, period: float
) -> Array:
    """Map of deviations (x, c) over one period, from just before its first instant; ``c`` ends as it is then."""
    from scipy.linalg import expm

    n, m = len(x), len(c)
    ode, *kernels = (_kernel(eom, f) for f in (loop.problem.ode, *(u.function for u in schedule.updates)))
    instants: dict[float, list[int]] = {}
    for i, update in enumerate(schedule.updates):
        for k in range(round(period / update.period)):
            t = round((update.offset + k * update.period) / (_SAME * period)) * _SAME * period
            instants.setdefault(t, []).append(i)
    times = sorted(instants)
    for t in times:  # once around: delays are filled, stages have begun
        for i in sorted(instants[t]):
            c[list(schedule.updates[i].rows)] = kernels[i](t, x, c, p, np.zeros(schedule.updates[i].noise))
    P = np.eye(n + m)
    rest = np.asarray(ode(0.0, x, c, p))
    for k, t in enumerate(times):
        for i in sorted(instants[t]):
            kernel, rows = kernels[i], n + np.array(schedule.updates[i].rows)
            w = np.zeros(schedule.updates[i].noise)
            Cx, Cc = _differences(partial(_called, kernel, t, p, w), x, c)
            U = np.eye(n + m)
            U[rows] = np.hstack([Cx, Cc])
            P = U @ P
            c[rows - n] = kernel(t, x, c, p, w)
        end = times[k + 1] if k + 1 < len(times) else period
        middle = 0.5 * (t + end)
        if k == 0:
            rest = np.asarray(ode(middle, x, c, p))[: eom.nq + eom.nv]
            if np.abs(rest).max() > 1e-6:
                name = loop.problem.state_names[int(np.argmax(np.abs(rest)))]
                worst = float(np.abs(rest).max())
                raise InputError(f"the control does not hold this posture: {name!r} changes at {worst:.3g}")
        A, B = _differences(partial(_called, ode, middle, p, None), x, c)
        flow = np.zeros((n + m, n + m))
        flow[:n, :n], flow[:n, n:] = A, B
        P = expm(flow * (end - t)) @ P
    return P


def _reduced(eom: EquationsOfMotion, loop: ClosedLoop, P: Array, x: Array, c: Array) -> Array:
    """Eigenvalues without works, constants and the lengths of quaternions."""
    problem = loop.problem
    names = (*problem.state_names, *problem.held_names)
    y, n = np.concatenate([x, c]), len(x)
    starts = list(problem.quaternions)
    for k in range(n, len(names) - 3):
        owner = names[k].removesuffix("qw")
        whole = names[k].endswith("qw") and names[k + 1 : k + 4] == tuple(owner + q for q in ("qx", "qy", "qz"))
        if whole and abs(np.linalg.norm(y[k : k + 4]) - 1.0) < 1e-6:
            starts.append(k)
    constant = [k for k in range(n, len(names)) if np.abs(P[k] - np.eye(len(names))[k]).max() < _SAME]
    dropped = {k for k, name in enumerate(names) if name.startswith(("work.", "loss."))} | set(constant)
    columns = []
    inside = {k + i for k in starts for i in range(4)}
    for k in range(len(names)):
        if k in starts and k not in dropped:
            w, a, b, d = y[k : k + 4]
            G = 0.5 * np.array([[-a, -b, -d], [w, -d, b], [d, w, -a], [-b, a, w]])
            for j in range(3):
                e = np.zeros(len(names))
                e[k : k + 4] = G[:, j]
                columns.append(e)
        elif k not in inside and k not in dropped:
            columns.append(np.eye(len(names))[k])
    T = np.array(columns).T
    poles = np.linalg.eigvals(np.linalg.pinv(T) @ P @ T)
    return np.asarray(poles[np.argsort(-np.abs(poles))])
