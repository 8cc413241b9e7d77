"""The constrained equations of motion of constrained.c in NumPy, for machines without a C compiler; keep them alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi
import numpy as np
from numpy.typing import NDArray

from dalembert.core.constraint_algebra import RANK_TOLERANCE, correction, independent_rows, unsymmetric
from dalembert.core.contact_algebra import delassus
from dalembert.core.types import Array
from dalembert.engine.methods.constraints import ConstraintMethod
from dalembert.engine.problem.problem import Problem

__all__ = ["GAP", "TURNED", "TURNS", "PythonConstrained"]

GAP = 1e-11
"""Length by which a slack cable must be too short to be seen as taut: beyond the rounding of a cable that touches."""

TURNED, TURNS = 1e-7, 12
"""Angle [rad] by which friction may still have to turn, and how often it is at most."""

_HALVES = 8  # of a turn of friction, at most
_ROUNDS = 8  # of a projection, as in constrained.c
_LEAD = 1e-4  # time [s] by which friction of a slip that has only just begun is ahead of it
_SLOW, _FAST = 1e-5, 1e-2  # slip [m/s] beyond which that falls off, and from which on there is none


class PythonConstrained:
    """Constrained equations on the CasADi virtual machine.

    Parameters
    ----------
    problem
        The problem, with its constrained part.
    p
        Run-time parameters.
    method
        How the constraints are kept.
    events
        (t, x, c) -> the event functions of the problem's tape, or None.
    """

    def __init__(
        self,
        problem: Problem,
        p: Array,
        method: ConstraintMethod,
        events: Callable[[float, Array, Array], Array] | None = None,
    ) -> None:
        assert problem.constrained is not None
        self._system, self._p, self._method, self._tape_events = problem.constrained, p, method, events
        self.leads = np.zeros(0)
        """Time by which friction of each pair that rubs was ahead of its slip when they were last solved; else NaN."""

    def terms(self, function: casadi.Function, t: float, x: Array, c: Array) -> list[Array]:
        """Outputs of one of the tapes."""
        out = function.call([casadi.DM(v) for v in (t, x, c, self._p)])
        return [np.array(casadi.DM(casadi.densify(v)).full()) for v in out]

    def solve(self, t: float, x: Array, c: Array) -> tuple[list[Array], Array, Array]:
        """Outputs of the tape, accelerations and multipliers."""
        s = self._system
        terms = self.terms(s.tape if s.contact is None else s.contact, t, x, c)
        _, f, Jt, phi, phidot, gamma, _, M = terms[:8]
        on = s.active(x)
        multipliers = np.zeros(s.m)
        self.leads = np.full(len(s.rubbing), np.nan)
        if s.contact is None or not terms[8].any():
            a, lambdas = self._method.solve(M, f[:, 0], Jt.T[on], phi[on, 0], phidot[on, 0], gamma[on, 0])
            multipliers[on] = lambdas if s.contact is None else _kept_shares(Jt.T[on], lambdas, s.shares[on] >= 0)
        else:
            a, multipliers[on] = self._turned(x, terms)
        if s.contact is not None:
            shared = on & (s.shares >= 0)
            multipliers[shared] += x[s.shares[shared]]
            for normal, *tangents in s.rubbing:
                for row in tangents:
                    if row >= 0 and terms[8][row, 0] != 0.0:
                        multipliers[row] = terms[8][row, 0] * multipliers[normal]
        return terms, a, multipliers

    def _sliding(self, x: Array, terms: list[Array]) -> tuple[Array, Array]:
        """Accelerations and multipliers of the rows that act, with friction as it is in the terms."""
        on, K = self._system.active(x), self._dragged(terms)
        solution = unsymmetric(terms[7], terms[1][:, 0], terms[2].T[on], K[on], terms[5][on, 0])
        return solution.acceleration, _kept_shares(K[on], solution.multipliers, self._system.shares[on] >= 0)

    def _dragged(self, terms: list[Array]) -> Array:
        """Rows along which multipliers act: of a pair that slips friction is part of the normal force."""
        K = terms[2].T.copy()
        for normal, *tangents in self._system.rubbing:
            for row in tangents:
                K[normal] += terms[8][row, 0] * terms[2][:, row] if row >= 0 else 0.0
        return K

    def _turned(self, x: Array, terms: list[Array]) -> tuple[Array, Array]:
        """Accelerations and multipliers where pairs slip, after friction has turned to where slow slips are going.

        Newton's method as in `turn_slow_slips` of contact.c; friction and forces in the terms change with it.
        """
        s, on, J, gamma, M = self._system, self._system.active(x), terms[2].T, terms[5][:, 0], terms[7]
        mu, speed = terms[9][::3, 0], terms[9][2::3, 0]
        a, multipliers = self._sliding(x, terms)
        slow = [
            r
            for r, rows in enumerate(s.rubbing)
            if min(rows) >= 0 and x[s.flags[rows[0]]] > 0.5 and terms[8][list(rows[1:])].any() and speed[r] < _FAST
        ]
        if not slow:
            return a, multipliers
        mu, speed, rows = mu[slow], speed[slow], np.array(s.rubbing)[slow]
        normals, tangents = rows[:, 0], rows[:, 1:]
        d = -terms[8][tangents, 0] / mu[:, None]
        u, lead = speed[:, None] * d, np.zeros(0)
        place = np.cumsum(on)[normals] - 1
        for _ in range(TURNS):
            rate = gamma[tangents] - J[tangents] @ a
            # by what it slows down with all friction turned: that goes on where another pair begins to slip or stick
            slows = np.maximum(0.0, -(rate * u).sum(axis=1) / speed)
            lead = self.leads[slow] = 1.0 / ((1.0 + (speed / _SLOW) ** 4) / _LEAD + 2.0 * slows / speed)
            ahead = u + lead[:, None] * rate
            F = d[:, 0] * ahead[:, 1] - d[:, 1] * ahead[:, 0]
            across = d[:, :1] * J[tangents[:, 1]] - d[:, 1:] * J[tangents[:, 0]]
            push = mu * (multipliers[place] + x[s.shares[normals]])
            moved = unsymmetric(M, across.T, J[on], self._dragged(terms)[on], np.zeros(1)).acceleration
            A = lead[:, None] * push * (across @ moved)
            A += np.diag(np.maximum(0.5 * speed, (ahead * d).sum(axis=1)))
            size = np.abs(A).max(axis=1)
            turn = np.linalg.lstsq(A / size[:, None], F / size, rcond=1e-13)[0]
            angle, before = np.clip(turn, -0.5, 0.5)[:, None], d
            for _ in range(_HALVES):  # beyond a direction in which it would jam a pair pulls: not across that
                d = np.cos(angle) * before + np.sin(angle) * np.column_stack([-before[:, 1], before[:, 0]])
                change = -mu[:, None] * d - terms[8][tangents, 0]
                terms[8][tangents, 0] += change
                friction = change * x[s.shares[normals]][:, None]
                terms[1] = terms[1] - (J[tangents.ravel()].T @ friction.ravel())[:, None]
                a, multipliers = self._sliding(x, terms)
                if not ((push > 0.0) & (multipliers[place] + x[s.shares[normals]] < 0.0)).any():
                    break
                angle = 0.5 * angle
            if not np.abs(turn).max() > TURNED:
                break
        return a, multipliers

    def ode(self, t: float, x: Array, c: Array) -> Array:
        """Rates of all states."""
        s = self._system
        terms, a, multipliers = self.solve(t, x, c)
        rates: Array = terms[0][:, 0].copy()
        rates[s.nq : s.nq + s.nv] = a
        rates[s.work_input] += multipliers @ terms[6][:, 0]
        if s.contact is not None:
            slips = np.flatnonzero(terms[8][:, 0])
            rubbed = multipliers[slips] * terms[4][slips, 0]
            rates[s.work_loss] -= rubbed.sum()
            np.add.at(rates, s.losses[slips], rubbed)
        return rates

    def events(self, t: float, x: Array, c: Array) -> Array:
        """Event functions: those of the tape, tensions of taut cables, gaps of slack ones (of cut ones nothing)."""
        problem_events = np.zeros(0) if self._tape_events is None else self._tape_events(t, x, c)
        rows = list(self._system.unilateral)
        if not rows:
            return problem_events
        terms, _, multipliers = self.solve(t, x, c)
        switch = x[self._system.flags[rows]]
        slack = (switch > -0.5) & (switch < 0.5)
        values = [
            problem_events,
            np.where(switch > 0.5, multipliers[rows], 1.0),
            np.where(slack, GAP - terms[3][rows, 0], 1.0),
        ]
        if self._system.rubbing:
            n, one, two = np.array(self._system.rubbing).T
            sticks = x[self._system.flags[one]] > 0.5
            push = np.hypot(multipliers[one], np.where(two >= 0, multipliers[two], 0.0))
            values.append(np.where(sticks, terms[9][::3, 0] * multipliers[n] - push, 1.0))
            values.append(np.where((x[self._system.flags[n]] > 0.5) & ~sticks, terms[9][1::3, 0], 1.0))
            values.append(self._pivots(x, terms))
        return np.concatenate(values)

    def _pivots(self, x: Array, terms: list[Array]) -> Array:
        """Of each pair that slips (else 1) how much of the normal force's effect friction leaves; see `contact.c`."""
        s, (J, M, drag) = self._system, (terms[2].T, terms[7], terms[8][:, 0])
        held = s.active(x)
        held[list(s.unilateral)] = False
        pivots = np.ones(len(s.rubbing))
        for _, *tangents in s.rubbing:
            held[[row for row in tangents if row >= 0]] = False
        for r, (normal, *tangents) in enumerate(s.rubbing):
            rows = [row for row in tangents if row >= 0]
            if x[s.flags[normal]] > 0.5 and drag[rows].any():
                W = delassus(M, J[[normal, *rows]], J[held])[0]
                pivots[r] = 1.0 + drag[rows] @ W[0, 1:] / W[0, 0] - 0.5 * RANK_TOLERANCE
        return pivots

    def project(self, t: float, x: Array, c: Array) -> Array:
        """Project a state onto position and velocity constraints if the method does so; NaN if that fails."""
        s, way, before = self._system, self._method, np.inf
        if not way.projects or not s.m:
            return x
        drift, tolerance = way.settings["drift"], way.settings["tolerance"]
        x = x.copy()
        for k in range(_ROUNDS + 1):
            Jt, phi, phidot, M = self.terms(s.geometry, t, x, c)
            on = s.active(x)
            error = float(np.max(np.abs(phi[on]), initial=0.0))
            if not error <= drift:
                return np.full_like(x, np.nan)
            if error <= tolerance or error >= 0.5 * before or k == _ROUNDS:
                break
            before = error
            q: Any = s.move(x, correction(M, Jt[:, on].T, phi[on, 0]), self._p)
            x[: s.nq] = np.array(q.full())[:, 0]
        x[s.nq : s.nq + s.nv] += correction(M, Jt[:, on].T, phidot[on, 0])
        return x

    def signals(self, t: Array, x: Array, held: Array, p: Array) -> Array:
        """Multipliers, position and velocity violation of rows (n, m + 2); ``held`` and ``p`` also for all rows."""
        out, before = np.zeros((len(t), self._system.m + 2)), self._p
        for k, (t_k, x_k) in enumerate(zip(t, x, strict=True)):
            self._p = p[k] if p.ndim == 2 else p
            terms, _, multipliers = self.solve(float(t_k), x_k, held[k] if held.ndim == 2 else held)
            on = self._system.active(x_k)
            out[k, :-2] = multipliers
            out[k, -2] = np.max(np.abs(terms[3][on]), initial=0.0)
            out[k, -1] = np.max(np.abs(terms[4][on]), initial=0.0)
        self._p = before
        return out


def _kept_shares(K: Array, multipliers: Array, shared: NDArray[np.bool_]) -> Array:
    """Of all multipliers with the same ``K^T multipliers`` those that differ least from the given ones.

    Rows that have none, constraints that hold, take what they can; see `keep_shares` of contact.c.
    """
    if shared.all() or not shared.any() or independent_rows(K) == len(K):
        return multipliers
    A, B, w = K[~shared].T, K[shared].T, K.T @ multipliers
    rest = np.column_stack([B, w])
    rest -= A @ np.linalg.lstsq(A, rest, rcond=RANK_TOLERANCE)[0]
    kept = multipliers.copy()
    kept[shared] = np.linalg.lstsq(rest[:, :-1], rest[:, -1], rcond=RANK_TOLERANCE)[0]
    kept[~shared] = np.linalg.lstsq(A, w - B @ kept[shared], rcond=RANK_TOLERANCE)[0]
    return kept
