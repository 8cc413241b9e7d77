"""Errors of a plan on its grid: of the motion between nodes, and of limits between points."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.core.types import Array, Expression
from dalembert.optimal.problem import PhaseProblem, PlanProblem
from dalembert.optimal.trajectory import PlanPiece, PlanTrajectory

__all__ = ["GridErrors", "grid_errors"]

_SAMPLES = 12  # places between two nodes at which limits are evaluated
_REACH = 0.8  # largest step of the integration times the fastest eigenvalue: accurate, and well inside its stability
_MOST_STEPS = 4000


@dataclass(frozen=True, eq=False)
class GridErrors:
    """Errors of a solution between the points of its grid.

    Attributes
    ----------
    motion
        Distance from the next node of an integration over each interval, segment by segment.
    limits
        Largest violation of a limit in each interval, relative to the size of the limit (or 1 if that is smaller).
    worst
        Largest violations by name, in the units of the quantity; those that are rounding are left out.
    """

    motion: tuple[Array, ...]
    limits: tuple[Array, ...]
    worst: dict[str, float]

    @property
    def error(self) -> float:
        """Largest error of the motion."""
        return max(float(e.max()) for e in self.motion)

    @property
    def violation(self) -> float:
        """Largest relative violation of a limit."""
        return max(float(e.max()) for e in self.limits)


def grid_errors(problem: PlanProblem, trajectory: PlanTrajectory, parameters: Array) -> GridErrors:
    """Return the errors of a solution between the points of its grid."""
    motion, limits = [], []
    worst: dict[str, float] = {}
    before = None
    for piece in trajectory.pieces:
        phase = problem.phases[piece.phase]
        p = phase.p.copy()
        p[list(problem.free)] = parameters
        motion.append(_motion_error(phase, piece, p, _static_start(phase, piece, before)))
        before = piece
        relative, named = _violations(phase, trajectory, piece, p)
        limits.append(relative)
        for name, value in named.items():
            worst[name] = max(worst.get(name, 0.0), value)
    return GridErrors(tuple(motion), tuple(limits), worst)


def _static_start(phase: PhaseProblem, piece: PlanPiece, before: PlanPiece | None) -> Array:
    """State at which a piece begins: coordinates that follow their loads have inertia, and do not jump."""
    q, v, static = piece.q[0].copy(), piece.v[0].copy(), phase.static
    q[list(static.q)] = static.start if before is None else before.q[-1, list(static.q)]
    v[list(static.v)] = 0.0 if before is None else before.v[-1, list(static.v)]
    return np.concatenate([q, v])


def _motion_error(phase: PhaseProblem, piece: PlanPiece, p: Array, begin: Array) -> Array:
    """Distance of Runge-Kutta integrations over the intervals from the next nodes, with the inputs of the plan.

    They begin at the nodes, the first one at ``begin``. Vibrations need steps that resolve them: their number follows
    from the eigenvalues along the plan. A plan that would need too many has an unknown error, which is infinite here.
    """
    model, s, n = phase.model, phase.model.eom.symbolic, piece.points
    widest = float((piece.duration * piece.widths).max())
    steps = max(8 * (n - 2) ** 2, int(np.ceil(widest * _fastest(phase, piece, p) / _REACH)))
    if steps > _MOST_STEPS:
        return np.full(len(piece.widths), np.inf)
    rate = ca.Function("f", [s.t, s.q, s.v, s.u, s.p], [ca.densify(ca.vertcat(s.coordinate_rate, model.solved[0]))])
    nq, width = model.eom.nq, model.eom.nq + model.eom.nv
    x0, t0, h, k = ca.SX.sym("x", width), ca.SX.sym("t"), ca.SX.sym("h"), ca.SX.sym("k")
    U = ca.SX.sym("u", model.eom.nu, n)
    basis = ca.DM(piece.method.polynomials)

    def slope(r: Expression, x: Expression) -> Expression:
        powers = ca.vertcat(*(r**i for i in range(n)))
        return rate(t0 + r * h, x[:nq], x[nq:], U @ (basis @ powers), ca.DM(p))

    d, hs = 1.0 / steps, h / steps
    a = slope(k, x0)
    b = slope(k + d / 2, x0 + hs / 2 * a)
    c = slope(k + d / 2, x0 + hs / 2 * b)
    last = slope(k + d, x0 + hs * c)
    count = len(piece.widths)
    step = ca.Function("step", [t0, h, k, x0, U], [x0 + hs / 6 * (a + 2 * b + 2 * c + last)]).map(count)
    x = np.hstack([piece.q, piece.v])
    rows = np.arange(count)[:, None] * (n - 1) + np.arange(n)
    held = np.hstack([piece.u[r].T for r in rows])
    nodes = x[rows[:, 0]]
    nodes[0] = begin
    now: ca.DM = ca.DM(nodes.T)
    times, widths = ca.DM(piece.nodes[:-1]).T, ca.DM(piece.duration * piece.widths).T
    for i in range(steps):
        now = step(times, widths, i / steps, now, held)
    off = np.abs(np.array(now).T - x[rows[:, -1]])
    return np.where(np.isfinite(off), off, np.inf).max(axis=1)


def _fastest(phase: PhaseProblem, piece: PlanPiece, p: Array) -> float:
    """Largest magnitude of an eigenvalue of the equations of motion at nodes along the plan [1/s]."""
    nodes = np.unique(np.linspace(0, len(piece.t) - 1, 9).astype(int))
    at = [phase.model.eigenvalues(piece.t[k], piece.q[k], piece.v[k], piece.u[k], p) for k in nodes]
    return max(float(np.abs(x).max(initial=0.0)) for x in at)


def _violations(
    phase: PhaseProblem, trajectory: PlanTrajectory, piece: PlanPiece, p: Array
) -> tuple[Array, dict[str, float]]:
    """Largest relative violation of a limit in each interval, and the worst of each by name."""
    model, s = phase.model, phase.model.eom.symbolic
    count = len(piece.widths)
    x = (np.arange(_SAMPLES) + 0.5) / _SAMPLES
    t = (piece.nodes[:-1, None] + (piece.duration * piece.widths)[:, None] * x).ravel()
    t = np.concatenate([t, piece.t])
    of = np.concatenate([np.repeat(np.arange(count), _SAMPLES),
                         np.minimum(np.arange(len(piece.t)) // (piece.points - 1), count - 1)])  # fmt: skip
    q, v, a, u, force = (trajectory.of_piece(piece, what, t) for what in ("q", "v", "a", "u", "force"))
    values, low, high = np.hstack([q, v, u, force]), phase.lower, phase.upper
    names = [*model.eom.q_names, *model.eom.v_names, *model.eom.u_names, *(f"force.{n}" for n in model.row_names)]
    watched = ca.vertcat(phase.paths, phase.equal, *phase.servo)
    if watched.numel():
        f = ca.Function("paths", [s.t, s.q, s.v, s.a, s.u, model.multipliers, s.p], [ca.densify(watched)])
        more = np.array(f.map(len(t))(t[None, :], q.T, v.T, a.T, u.T, force.T, ca.repmat(ca.DM(p), 1, len(t)))).T
        values = np.hstack([values, more])
        none = np.zeros(phase.equal.numel() + sum(x.numel() for x in phase.servo))
        low = np.concatenate([low, phase.path_lower, none])
        high = np.concatenate([high, phase.path_upper, none])
        names += [*phase.path_names, *(f"equal[{k}]" for k in range(len(none)))]
    over = np.maximum(np.maximum(low - values, values - high), 0.0)
    size = np.maximum(1.0, np.minimum(_finite(low), _finite(high)))
    relative = np.where(np.isfinite(over), over / size, np.inf)
    worst = {n: float(o) for n, o, r in zip(names, over.max(axis=0), relative.max(axis=0), strict=True) if r > 1e-9}
    result = np.zeros(count)
    np.maximum.at(result, of, relative.max(axis=1, initial=0.0))
    return result, worst


def _finite(bound: Array) -> Array:
    """Sizes of bounds, 1 where there is none."""
    return np.where(np.isfinite(bound), np.abs(bound), 1.0)
