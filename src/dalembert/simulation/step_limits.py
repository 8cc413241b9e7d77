"""The longest stable step of an explicit method for the modes of a problem, for the message of a run that diverged.

An explicit Runge-Kutta method multiplies a mode ``exp(lambda t)`` in each step by ``R(h lambda)``, with the stability
function ``R(z) = 1 + z b^T (1 - z A)^-1 1`` (E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.3). A
mode that decays or oscillates grows without bound where ``|R| > 1``.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from dalembert.core.types import Array
from dalembert.engine.methods.tableaus import Tableau
from dalembert.engine.problem.problem import Problem

__all__ = ["longest_step", "too_long_for"]

_POINTS = 4000  # of steps that are tried up to the chosen one
_DAMPED = 1e-9  # real part over magnitude up to which a mode counts as not growing
_LARGEST = 400  # states of a problem whose modes are computed


def longest_step(tableau: Tableau, pole: complex, step: float) -> float:
    r"""Return the longest step up to ``step`` below which all steps keep a mode bounded.

    Examples
    --------
    >>> from dalembert.simulation import explicit_tableau
    >>> round(longest_step(explicit_tableau(4, "1/2\n0 1/2\n0 0 1", "1/6 1/3 1/3 1/6"), 100j, 1.0), 3)
    0.028
    """
    h = step * np.arange(1, _POINTS + 1) / _POINTS
    z = h * pole
    one = np.eye(len(tableau.b))
    stages = np.linalg.solve(one - z[:, None, None] * tableau.a, np.ones((len(z), len(one), 1)))[..., 0]
    growing = np.abs(1.0 + z * (stages @ tableau.b)) > 1.0 + 1e-12
    return float(step if not growing.any() else h[max(int(growing.argmax()) - 1, 0)])


def too_long_for(problem: Problem, tableau: Tableau, t: float, x: Array, held: Array, p: Array, step: float) -> str:
    """Return a sentence about the mode for which a step is too long, and a step that is not; empty if there is none.

    Parameters
    ----------
    problem
        The problem.
    tableau
        The method.
    t, x, held, p
        Where the modes are computed: time, state, values of sampled laws and parameters.
    step
        The chosen step [s].
    """
    count = int(problem.counted.sum())
    other = problem.constrained is not None or problem.stepping is not None or not problem.ode.is_a("SXFunction")
    if other or count > _LARGEST:
        return ""
    symbols = [ca.SX.sym(name, problem.ode.size1_in(k)) for k, name in enumerate(("t", "x", "c", "p"))]
    rate = problem.ode(*symbols)
    held = held if np.isfinite(held).all() else np.zeros_like(held)
    J = np.array(ca.Function("J", symbols, [ca.densify(ca.jacobian(rate, symbols[1]))])(t, x, held, p).full())
    J = J[:count, :count]
    if not np.isfinite(J).all():
        return ""
    poles, V = np.linalg.eig(J)
    calm = poles.real <= _DAMPED * np.abs(poles)
    limits = np.array([longest_step(tableau, s, step) if c else step for s, c in zip(poles, calm, strict=True)])
    k = int(limits.argmin()) if len(limits) else 0
    if not len(limits) or limits[k] >= step:
        return ""
    name = problem.state_names[int(np.abs(V[:, k]).argmax())]
    mode = f"the mode of {abs(poles[k]):.4g} rad/s, largest in {name!r}"
    if limits[k] <= 2.0 * step / _POINTS:
        return f"a step of {step:.3g} s is too long for {mode}: use a method of higher order, or an implicit one"
    works = float(f"{0.8 * limits[k]:.1g}")
    works = works if works < limits[k] else 0.8 * float(limits[k])
    return (
        f"a step of {step:.3g} s is too long for {mode}, which the method keeps bounded up to {limits[k]:.3g} s: use "
        f"step={works:.3g}, or an implicit method"
    )
