"""Starts of very many members on their constraints, in lanes and threads."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from dalembert.compile import Kernel, compile_function
from dalembert.core.constraint_tape import SHARE
from dalembert.core.types import Array
from dalembert.engine.problem.constrained_tape import start_tape
from dalembert.engine.problem.problem import Problem
from dalembert.formulations.constraints.projection import REACH
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["place_starts"]

_TOLERANCE, _CLOSE, _LEFT = 1e-12, 1e-9, 1e-8  # as in `consistent_states`
_ITERATIONS = 20


def place_starts(
    eom: EquationsOfMotion,
    problem: Problem,
    x: Array,
    *,
    t: float,
    p: Array,
    wanted: Mapping[str, Array],
    threads: int,
) -> NDArray[np.bool_]:
    """Put states (N, n) on their constraints, in place, as `consistent_states` does; return which of them are there.

    Each iteration is one call of a kernel that is compiled for it: that pays from about ten thousand members on.
    Members whose rows depend on each other, and those that have no such state, are left as they are.

    Parameters
    ----------
    eom, problem
        The equations, in whose velocities the wanted ones are, and the loop.
    x
        States, with latches that are right.
    t, p
        Time and parameters (N, np).
    wanted
        As in `consistent_states`.
    threads
        Number of threads.
    """
    system = problem.constrained
    assert system is not None
    coordinates, velocities = slice(0, system.nq), slice(system.nq, system.nq + system.nv)
    kernel = eom.kept.once("start kernel", (problem, tuple(wanted)), lambda: _kernel(eom, problem, tuple(wanted)))
    asked = np.stack([*wanted.values(), np.zeros(len(x))], axis=-1)[:, :-1]
    held = np.zeros(len(problem.held_names))
    open_, good = np.arange(len(x)), np.zeros(len(x), dtype=bool)
    best, start = np.full(len(x), np.inf), x
    for k in range(_ITERATIONS):
        which = open_ if k else slice(None)  # at first all of them, without a copy
        q, v, error, left, share = kernel(t, x[which], held, p[which], asked[which], threads=threads)
        able = (share >= SHARE) & (error <= (REACH if k == 0 else np.inf))
        there = (error <= _TOLERANCE) | ((k > 3) & (error > 0.5 * best[which]) & (error <= _CLOSE))
        best[which] = np.minimum(best[which], error)
        landed = able & there & (left <= _LEFT)
        if k == 0 and landed.all():
            x[:, velocities] = v
            return landed
        start = start if k else x.copy()
        good[open_[landed]] = True
        x[open_[landed], velocities] = v[landed]
        more = able & ~there & np.isfinite(q).all(axis=-1)
        x[open_[more], coordinates] = q[more]
        open_ = open_[more]
        if not len(open_):
            break
    x[~good] = start[~good]
    return good


def _kernel(eom: EquationsOfMotion, problem: Problem, wanted: tuple[str, ...]) -> Kernel:
    system = problem.constrained
    assert system is not None
    names = list(eom.machine.v_names)
    kept = np.eye(eom.nv)[[names.index(name) for name in wanted]]
    function = start_tape(system.geometry, system.move, system.flags, system.nq, system.nv, kept)
    return compile_function(function, backend=eom.backend, shapes=dict.fromkeys(("t", "error", "left", "share"), ()))
