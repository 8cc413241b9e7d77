"""The constrained equations of motion of constrained.c in NumPy, for machines without a C compiler; keep them alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi
import numpy as np

from dalembert.core.constraint_algebra import correction, minimum_norm
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.simulation.constrained.system import ConstraintMethod
from dalembert.simulation.problem import Problem

__all__ = ["GAP", "PythonConstrained"]

GAP = 1e-11
"""Length by which a slack cable must be too short to be seen as taut: beyond the rounding of a cable that touches."""


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
        if method.name == "generalized-alpha":
            raise InputError(
                "constraints='generalized-alpha' needs a C compiler: install gcc, clang or the ziglang wheel, do not "
                "ask for backend='vm', or use constraints='projection' or 'idas'"
            )
        self._system, self._p, self._method, self._tape_events = problem.constrained, p, method, events

    def _terms(self, function: casadi.Function, t: float, x: Array, c: Array) -> list[Array]:
        out = function.call([casadi.DM(v) for v in (t, x, c, self._p)])
        return [np.array(casadi.DM(casadi.densify(v)).full()) for v in out]

    def _solve(self, t: float, x: Array, c: Array) -> tuple[list[Array], Array, Array]:
        terms = self._terms(self._system.tape, t, x, c)
        _, f, Jt, phi, phidot, gamma, _, M = terms
        on = self._system.active(x)
        J, way = Jt.T[on], self._method
        multipliers = np.zeros(self._system.m)
        if way.name in ("penalty", "augmented-lagrangian"):
            b = (gamma - 2 * way.damping * way.frequency * phidot - way.frequency**2 * phi)[on, 0]
            A, mu, a = M + way.penalty * J.T @ J, np.zeros(len(J)), np.zeros(len(M))
            for k in range(1 if way.name == "penalty" else way.max_iterations):
                new = np.linalg.solve(A, f[:, 0] + J.T @ (way.penalty * b - mu))
                mu = mu + way.penalty * (J @ new - b)
                done = k > 0 and np.sum((new - a) ** 2) <= 1e-24 * np.sum(new**2)
                a = new
                if done:
                    break
            multipliers[on] = mu
            return terms, a, multipliers
        # Schur complement and pseudo-inverse (Udwadia and Kalaba) are two ways to the same accelerations
        alpha, beta = way.rates
        rhs = (gamma - 2 * alpha * phidot - beta**2 * phi)[on, 0]
        a, multipliers[on] = minimum_norm(M, f[:, 0], J, rhs)
        return terms, a, multipliers

    def ode(self, t: float, x: Array, c: Array) -> Array:
        """Rates of all states."""
        s = self._system
        terms, a, multipliers = self._solve(t, x, c)
        rates: Array = terms[0][:, 0].copy()
        rates[s.nq : s.nq + s.nv] = a
        rates[s.work_input] += multipliers @ terms[6][:, 0]
        return rates

    def events(self, t: float, x: Array, c: Array) -> Array:
        """Event functions: those of the tape, tensions of taut cables, gaps of slack ones (of cut ones nothing)."""
        own = np.zeros(0) if self._tape_events is None else self._tape_events(t, x, c)
        rows = list(self._system.unilateral)
        if not rows:
            return own
        terms, _, multipliers = self._solve(t, x, c)
        switch = x[self._system.flags[rows]]
        slack = (switch > -0.5) & (switch < 0.5)
        return np.concatenate(
            [own, np.where(switch > 0.5, multipliers[rows], 1.0), np.where(slack, GAP - terms[3][rows, 0], 1.0)]
        )

    def project(self, t: float, x: Array, c: Array) -> Array:
        """Project a state onto position and velocity constraints; NaN if that fails."""
        s, way = self._system, self._method
        return self.projected(t, x, c, way.reach) if way.projects and s.m else x

    def projected(self, t: float, x: Array, c: Array, reach: float, rounds: int = 8) -> Array:
        """Project a state whatever the method; NaN if the violation exceeds ``reach``."""
        s, way, before = self._system, self._method, np.inf
        x = x.copy()
        for k in range(rounds + 1):
            Jt, phi, phidot, M = self._terms(s.geometry, t, x, c)
            on = s.active(x)
            error = float(np.max(np.abs(phi[on]), initial=0.0))
            if not error <= reach:
                return np.full_like(x, np.nan)
            if error <= way.position_tolerance or error >= 0.5 * before or k == rounds:
                break
            before = error
            q: Any = s.move(x, correction(M, Jt[:, on].T, phi[on, 0]), self._p)
            x[: s.nq] = np.array(q.full())[:, 0]
        x[s.nq : s.nq + s.nv] += correction(M, Jt[:, on].T, phidot[on, 0])
        return x

    def signals(self, t: Array, x: Array, held: Array, p: Array) -> Array:
        """Multipliers, position and velocity violation of rows (n, m + 2)."""
        out = np.zeros((len(t), self._system.m + 2))
        for k, (t_k, x_k, c_k) in enumerate(zip(t, x, held, strict=True)):
            terms, _, multipliers = self._solve(float(t_k), x_k, c_k)
            on = self._system.active(x_k)
            out[k, :-2] = multipliers
            out[k, -2] = np.max(np.abs(terms[3][on]), initial=0.0)
            out[k, -1] = np.max(np.abs(terms[4][on]), initial=0.0)
        return out
