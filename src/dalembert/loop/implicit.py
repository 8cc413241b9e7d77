"""The tape of implicit midpoint steps: rates in the middle of a step from a guess of them.

With stiffness ``K`` and damping ``D`` of modes and springs, ``W = h^2 K/4 + h D/2`` and a guess ``a`` of the
accelerations, the equations of motion in the middle ``x_m = x_0 + h y/2`` of a step are solved for

    (M + W) a_next = f(q_m, v_m) + W a,      v_m = v_0 + h a/2,      q_m = q_0 + h B v_m/2,

which has the exact solution as its fixed point. ``M + W`` is eliminated as ``M`` is: only pivots of modes and of joints
with springs grow, the elimination stays O(n).

Numerical damping is a force ``-D_n v`` on the modes, with the damping ratio ``beta x^2 / (1 + x^2)``, ``x = h w/2``:
for modes that the step resolves it falls as h^2. Its work is part of ``work.loss`` and, alone, ``loss.numerical``.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from dalembert.core.types import Expression
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.factorization import solve_spd
from dalembert.loop.stepping import stiffness_matrix

__all__ = ["middle_tape", "midpoint_tape"]


def midpoint_tape(
    eom: EquationsOfMotion,
    arguments: list[Expression],
    forces: Expression,
    losses: Expression,
    zdot: Expression,
    account: int | None,
) -> ca.Function:
    """Return the tape (t, x, c, p, y, (h, beta)) -> y.

    Parameters
    ----------
    eom
        The equations.
    arguments
        Symbols of t, x, c and p.
    forces, losses
        Applied forces of inputs and wrenches, and of losses.
    zdot
        Rates of the other states, without those of the works.
    account
        Place of ``loss.numerical`` in x; None: there is no such state.
    """
    s, nv = eom.symbolic, eom.nv
    t, x, c, p = arguments
    settings, a = ca.SX.sym("settings", 2), ca.SX.sym("a", nv)
    W, extra = _enlargement(eom, losses, settings)
    damping = extra * s.v
    tau = forces + losses - damping + W @ a
    solution = eom.formulation.enlarged_dynamics(W)
    if solution is None:
        solution = solve_spd(s.mass_matrix + W, s.tau - s.bias)
    power = [ca.dot(s.v, forces), ca.dot(s.v, losses - damping)]
    rates = ca.vertcat(s.coordinate_rate, ca.substitute(solution, s.tau, tau), zdot, *power)
    if account is not None:
        rates[account] = ca.dot(s.v, damping)
    middle = ca.Function("middle", [t, x, c, p, a, settings], [rates])
    start, y = ca.SX.sym("x", x.shape[0]), ca.SX.sym("y", x.shape[0])
    at = _middle(eom, t, start, y, p, settings[0])
    result = middle(t + settings[0] / 2, at, c, p, y[eom.nq : eom.nq + nv], settings)
    return _tape([t, start, c, p, y, settings], [result], ["out"])


def middle_tape(eom: EquationsOfMotion, arguments: list[Expression], losses: Expression) -> ca.Function:
    """Return the tape (t, x, c, p, y, (h, beta)) -> x in the middle, W, W a - D_n v, v D_n v of constrained machines.

    The engine solves the constrained equations there with ``M + W`` and ``f + W a - D_n v`` as ``M`` and ``f``.
    """
    nq, nv = eom.nq, eom.nv
    t, x, c, p = arguments
    settings = ca.SX.sym("settings", 2)
    terms = ca.Function("terms", [t, x, c, p, settings], list(_enlargement(eom, losses, settings)))
    start, y = ca.SX.sym("x", x.shape[0]), ca.SX.sym("y", x.shape[0])
    at = _middle(eom, t, start, y, p, settings[0])
    W, extra = terms(t + settings[0] / 2, at, c, p, settings)
    velocity = at[nq : nq + nv]
    damping = extra * velocity
    further = W @ y[nq : nq + nv] - damping
    results = [at, ca.reshape(W, nv * nv, 1), further, ca.dot(velocity, damping)]
    return _tape([t, start, c, p, y, settings], results, ["middle", "W", "further", "power"])


def _tape(arguments: list[Expression], results: list[Expression], labels: list[str]) -> ca.Function:
    dense = ca.cse([ca.densify(one) for one in results])
    return ca.Function("midpoint", arguments, dense, ["t", "x", "c", "p", "y", "settings"], labels)


def _enlargement(eom: EquationsOfMotion, losses: Expression, settings: Expression) -> tuple[Expression, Expression]:
    """Return ``W`` and the diagonal of ``D_n``, with settings (h, beta)."""
    s, h, beta = eom.symbolic, settings[0], settings[1]
    B = ca.jacobian(s.coordinate_rate, s.v)
    K = _unmoved(stiffness_matrix(eom, B), s.q, s.v)
    D = _unmoved(-ca.jacobian(losses, s.v), s.q, s.v)
    extra = _numerical_damping(eom, K, h, beta)
    return h**2 / 4 * K + h / 2 * (D + ca.diag(extra)), extra


def _middle(
    eom: EquationsOfMotion, t: Expression, start: Expression, y: Expression, p: Expression, h: Expression
) -> Expression:
    """State in the middle of a step with the rates y."""
    s, nq, nv = eom.symbolic, eom.nq, eom.nv
    turn = ca.Function("turn", [s.q, s.v, s.t, s.p], [s.coordinate_rate])
    v = start[nq : nq + nv] + h / 2 * y[nq : nq + nv]
    # The velocities of the middle go into its coordinates at once: stiff modes would not converge otherwise.
    q = start[:nq] + h / 2 * turn(start[:nq] + h / 2 * y[:nq], v, t, p)
    return ca.vertcat(q, v, start[nq + nv :] + h / 2 * y[nq + nv :])


def _unmoved(A: Expression, q: Expression, v: Expression) -> Expression:
    """Entries of a matrix that do not change with the state, and symmetric ones only."""
    A, moving = ca.sparsify(ca.SX(A)), ca.vertcat(q, v)
    kept = ca.SX(*A.shape)
    for i, j in zip(*A.sparsity().get_triplet(), strict=True):
        if not ca.depends_on(A[i, j], moving):
            kept[i, j] = A[i, j]
    return (kept + kept.T) / 2


def _numerical_damping(eom: EquationsOfMotion, K: Expression, h: Expression, beta: Expression) -> Expression:
    """Diagonal of ``D_n`` (nv), which acts on modes only."""
    result = ca.SX(eom.nv, 1)
    for node in eom.machine.tree.nodes:
        if not node.is_root or node.elastic is None:
            continue
        mass = np.diag(node.elastic.undeformed().modal)
        for name, m in zip(node.elastic.v_names, mass, strict=True):
            if name not in eom.v_names or m <= 0.0:
                continue
            i = eom.v_names.index(name)
            w = ca.sqrt(ca.fmax(K[i, i], 0.0) / float(m))
            x = (h * w / 2) ** 2
            result[i] = 2 * beta * w * float(m) * x / (1 + x)
    return result
