"""Torques of the PR robot learnt on repeated runs, against inverse dynamics (ROBOTICS, inverse dynamics)."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np

from dalembert import Quintic, equations, simulate
from dalembert.control import Learning, Trial, learn_torques
from dalembert.core.types import Array
from dalembert.systems.textbook import pr_robot

__all__ = ["learnt", "missing", "nominal_torques"]

PERIOD, TRIALS = 0.01, 40
_START, _END = [0.0, -0.5], [0.6, 2.0]


@lru_cache(maxsize=1)
def learnt() -> Learning:
    """Learn a move of 1 s from nothing, by a feedback with ``kd^2 >= 2 m kp`` at both joints."""
    robot = pr_robot()
    eom, move = equations(robot), Quintic(_START, _END, duration=1.0)
    first = Trial(robot, move, duration=1.0, period=PERIOD, kp=[500.0, 30.0], kd=[100.0, 6.0])
    return learn_torques(lambda trial: simulate(eom, duration=1.0, q0=_START, control=trial), first, trials=TRIALS)


@lru_cache(maxsize=1)
def nominal_torques() -> Array:
    """Inverse dynamics of the move, in the middle of each sample: what is held for a period stands for its mean."""
    t = ca.SX.sym("t")
    r = ca.SX(Quintic(_START, _END, duration=1.0)(t))
    r_dot = ca.jacobian(r, t)
    path = ca.Function("path", [t], [r, r_dot, ca.jacobian(r_dot, t)])
    times = learnt().times + PERIOD / 2
    q, v, a = (np.array([np.array(path(x)[k].full())[:, 0] for x in times]) for k in range(3))
    return np.asarray(equations(pr_robot()).inverse_dynamics(q, v, a))


def missing() -> Array:
    """Largest difference of the torques of each trial from inverse dynamics, relative to its largest, shape (n, 2).

    The last sample is left out: its effect shows only after the end of the task.
    """
    u = nominal_torques()
    gaps = np.abs(np.concatenate([learnt().history, learnt().torques[None]]) - u)[:, :-1]
    return np.asarray(gaps.max(axis=1) / np.abs(u).max(axis=0))
