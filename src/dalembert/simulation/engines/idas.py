"""The constrained equations of motion for IDAS: index 1, accelerations and multipliers as algebraic variables.

    x' = (B v, a, ...),    M a + J^T lambda = f,    J a - gamma + 2 alpha Phi' + beta^2 Phi = eps lambda

Rows that do not act have lambda = 0 instead. The small ``eps`` (relative to J M^-1 J^T at the start) keeps the linear
systems regular where constraints are redundant, and makes their multipliers those of least norm.
"""

from __future__ import annotations

import casadi
import numpy as np

from dalembert.core.constraint_algebra import factorise
from dalembert.core.types import Array, Expression
from dalembert.engine.constraints.native import NativeConstrained
from dalembert.engine.methods.constraints import Idas
from dalembert.engine.setup import Setup

__all__ = ["AlgebraicPart"]

_REGULAR = 1e-12


class AlgebraicPart:
    """Algebraic equations of a constrained problem, and consistent values of their unknowns."""

    def __init__(self, setup: Setup, native: NativeConstrained) -> None:
        problem, way = setup.problem, setup.constraint_method
        assert problem.constrained is not None
        assert isinstance(way, Idas)
        self._system, self._native = problem.constrained, native
        self._alpha, self._beta = way.alpha, way.beta
        arguments = [np.array([setup.t0]), setup.x0, np.zeros(len(problem.held_names)), setup.p]
        terms = [np.array(y.full()) for y in self._system.tape.call(arguments)]
        Y = factorise(terms[7], terms[2].T).Y
        self._eps = _REGULAR * float(np.sum(Y**2)) / max(1, Y.shape[1])
        self.z = casadi.SX.sym("z", self._system.nv + self._system.m)

    def equations(self, t: Expression, x: Expression, c: Expression, p: Expression) -> tuple[Expression, Expression]:
        """Rates of x, and the algebraic residual, on symbols."""
        s = self._system
        rates, f, Jt, phi, phidot, gamma, phi_t, M = s.tape(t, x, c, p)
        a, multipliers = self.z[: s.nv], self.z[s.nv :]
        flags = [x[int(i)] > 0.5 if i >= 0 else casadi.SX(1) for i in s.flags]  # of a cut cable it is -1
        on = casadi.vertcat(*flags) if flags else casadi.SX(0, 1)
        held = Jt.T @ a - gamma + 2 * self._alpha * phidot + self._beta**2 * phi - self._eps * multipliers
        residual = casadi.vertcat(M @ a + Jt @ (on * multipliers) - f, on * held + (1 - on) * multipliers)
        rates = casadi.densify(rates)
        rates[s.nq : s.nq + s.nv] = a
        rates[s.work_input] += casadi.dot(on * multipliers, phi_t)
        return rates, residual

    def start(self, rates: Array) -> Array:
        """Accelerations and multipliers near those that belong to a state, whose rates have just been evaluated.

        IDAS makes them consistent together with x'; values that already are leave its line search nothing to improve,
        which it takes for a failure.
        """
        s = self._system
        return 1.001 * np.concatenate([rates[s.nq : s.nq + s.nv], self._native.memory.arrays["lambda"][: s.m]])
