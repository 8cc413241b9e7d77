"""Torques learnt on repeated runs: inverse dynamics by experiment, without a model (ROBOTICS, inverse dynamics).

A task is tried again and again with a feedback law of the joints. The contribution of the feedback in a trial is added
to the torques that are played back in the next one:

    u_{k+1}(t) = u_k(t) + kp e_k(t) + kd e_k'(t)

Where the feedback adds nothing, the torques are those of inverse dynamics. For one joint of inertia ``m`` the missing
torque after a trial is ``m s^2/(m s^2 + kd s + kp)`` times that before: less at every frequency if ``kd^2 >= 2 m kp``.
At the highest frequencies that samples of length ``T`` know it is ``(z - 1)(1 - x)/(z - 1 + x)`` times, ``x = kd T/m``,
if the correction comes a sample earlier: less for ``x < 4/3``. Learning of this kind: S. Arimoto, S. Kawamura, F.
Miyazaki, Bettering operation of robots by learning, Journal of Robotic Systems 1 (1984).
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from numbers import Integral

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.law_bases import Reference, _driven, _gain, _reference
from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.formulations.equations import derive
from dalembert.model.machine import Machine

__all__ = ["Learning", "Trial", "learn_torques"]


class Trial:
    """A controller for one trial of a task: torques from a table, and PD feedback of the driven joints.

    It is sampled, as on a real machine: give it to ``simulate`` as ``control``, or call it once per period yourself.

    Parameters
    ----------
    machine
        The machine; only the order of its coordinates, and the gears of its motors, are used.
    reference
        Positions of the driven joints as a function of time, on CasADi symbols.
    duration, period
        Length of the task, and time between two samples [s].
    kp, kd
        Gains of the feedback at the joints, for all or for each motor.
    torques
        Inputs of the motors to play back, shape (n, nu) for n samples; default zero.

    Attributes
    ----------
    times
        The samples [s], shape (n,).
    torques
        Torques to play back, shape (n, nu).
    feedback
        Torques that the feedback has added, shape (n, nu).
    errors
        Reference minus position of the driven joints, shape (n, nu).
    """

    def __init__(
        self,
        machine: Machine,
        reference: Reference,
        *,
        duration: float,
        period: float,
        kp: ArrayLike,
        kd: ArrayLike,
        torques: ArrayLike | None = None,
    ) -> None:
        if not isinstance(machine, Machine):
            raise InputError(f"a Trial needs a Machine, got {machine!r}")
        for name, value in (("duration", duration), ("period", period)):
            if isinstance(value, bool) or not isinstance(value, int | float) or not (np.isfinite(value) and value > 0):
                raise InputError(f"{name} of a Trial must be a number > 0, got {value!r}")
        n = round(duration / period)
        if n < 2 or abs(n * period - duration) > 1e-9 * duration:
            raise InputError(
                f"duration of a Trial must be a whole number of periods, two at least, got {duration!r} s with a "
                f"period of {period!r} s"
            )
        eom = derive(machine, backend="vm")
        self.period = float(period)
        self.times: Array = np.asarray(np.arange(n) * self.period, dtype=np.float64)
        self._rows_q, self._rows_v, _ = _driven(eom, "Trial")
        self._kp, self._kd = (np.array(ca.DM(_gain(x, eom.nu, k)).full())[:, 0] for k, x in (("kp", kp), ("kd", kd)))
        self._ratio = np.array([nominal(motor.ratio) for motor in machine.motors])
        t = ca.SX.sym("t")
        path = ca.Function("path", [t], list(_reference(reference, t, eom.nu, "Trial")[:2]))
        self._path = [np.array([np.array(path(x)[k].full())[:, 0] for x in self.times]) for k in (0, 1)]
        self.torques = np.zeros((n, eom.nu)) if torques is None else np.array(torques, dtype=float)
        if self.torques.shape != (n, eom.nu) or not np.isfinite(self.torques).all():
            got = self.torques.shape
            raise InputError(f"torques of a Trial must be finite and of shape ({n}, {eom.nu}), got the shape {got}")
        self.feedback, self.errors = np.zeros((2, n, eom.nu))

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """Return the inputs to hold until the next sample."""
        k = min(round(t / self.period), len(self.times) - 1)
        e = self._path[0][k] - q[self._rows_q]
        self.errors[k] = e
        self.feedback[k] = (self._kp * e + self._kd * (self._path[1][k] - v[self._rows_v])) / self._ratio
        return np.asarray(self.torques[k] + self.feedback[k])

    def again(self, torques: Array) -> Trial:
        """Return the next trial of the same task, with other torques."""
        new = copy(self)
        new.torques = torques
        new.feedback, new.errors = np.zeros((2, *torques.shape))
        return new


@dataclass(frozen=True, eq=False)
class Learning:
    """Result of learning.

    Attributes
    ----------
    times
        The samples [s], shape (n,).
    torques
        Inputs of the motors after the last trial, shape (n, nu); each is held for a period.
    errors
        Largest error of each joint in each trial, shape (trials, nu).
    history
        Torques that were played back in each trial, shape (trials, n, nu).
    """

    times: Array
    torques: Array
    errors: Array
    history: Array


def learn_torques(run: Callable[[Trial], object], first: Trial, *, trials: int = 10, lead: int = 1) -> Learning:
    """Learn the torques of a task on repeated trials, ``u <- u + feedback``, until they are those of inverse dynamics.

    Parameters
    ----------
    run
        Does a trial, always from the same state: ``lambda trial: da.simulate(arm, control=trial, ...)``, or the
        machine itself. Its return value is not used.
    first
        The first trial: the task, the feedback, and the torques to begin with.
    trials
        How many.
    lead
        Number of samples by which the contribution of the feedback is advanced. A torque acts after it was given: with
        one sample, the missing torque falls at every frequency below the Nyquist frequency; with none it grows slowly
        at the highest.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.control import Trial, learn_torques
    >>> slide = da.Machine(
    ...     "slide",
    ...     bodies=[da.point_mass("load", 2.0)],
    ...     joints=[da.Joint("x", "prismatic", "world", "load", axis=(1, 0, 0), damping=3.0)],
    ...     motors=[da.Motor("F", "x")],
    ... )
    >>> move = da.Quintic([0.0], [0.5], duration=1.0)
    >>> first = Trial(slide, move, duration=1.0, period=0.01, kp=200.0, kd=40.0)
    >>> learnt = learn_torques(lambda trial: da.simulate(slide, duration=1.0, control=trial), first, trials=8)
    >>> bool(learnt.errors[-1, 0] < 1e-2 * learnt.errors[0, 0])
    True
    """
    if not isinstance(first, Trial):
        raise InputError(f"learn_torques needs a Trial to begin with, got {first!r}")
    for name, value, least in (("trials", trials, 1), ("lead", lead, 0)):
        if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
            raise InputError(f"{name} of learn_torques must be a whole number >= {least}, got {value!r}")
    if lead >= len(first.times):
        raise InputError(f"lead of learn_torques must be less than the {len(first.times)} samples, got {lead}")
    trial, errors, history = first, [], []
    for _ in range(trials):
        run(trial)
        errors.append(np.abs(trial.errors).max(axis=0))
        history.append(trial.torques)
        early = np.concatenate([trial.feedback[lead:], np.repeat(trial.feedback[-1:], lead, axis=0)])
        trial = trial.again(trial.torques + early)
    return Learning(first.times, trial.torques, np.array(errors), np.array(history))
