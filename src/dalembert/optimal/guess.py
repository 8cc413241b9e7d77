"""Motions to start the solver from: on a smooth way through the ends of the phases, with the forces that it needs."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.formulations.constraints.projection import consistent_state
from dalembert.optimal.phase_model import PhaseModel
from dalembert.optimal.problem import PhaseProblem, PlanProblem
from dalembert.optimal.quasi_static import fastest_coordinate, vibrations
from dalembert.optimal.trajectory import PlanTrajectory
from dalembert.optimal.transcription import PlanMesh

__all__ = ["MOST_INTERVALS", "first_columns", "resampled_columns", "vibration_intervals"]

MOST_INTERVALS = 200  # of a first grid that resolves vibrations
_TOO_MANY = 3  # times as many are beyond what refinements add

Guess = Callable[[Array], Array]


def first_columns(
    problem: PlanProblem, mesh: PlanMesh, q_start: Array, q_end: Array, guess: Guess | None, balanced: bool = True
) -> tuple[list[Array], Array]:
    """PointColumns of all segments and durations to start from."""
    durations = np.array([_middle(p.durations) for p in problem.phases])
    ends = _way_points(problem, durations, q_start, q_end)
    columns = []
    for k, segment in enumerate(mesh.segments):
        phase = problem.phases[k]
        before = problem.t0 + durations[:k].sum()
        t = before + durations[k] * segment.fractions(mesh.points)
        q = _between(phase.model, ends[k], ends[k + 1], (t - before) / durations[k])
        if guess is not None:
            q = as_numbers(guess(t))
            shape = (len(t), phase.model.eom.nq)
            if q.shape != shape or not np.isfinite(q).all():
                what = f"shape {q.shape}" if q.shape != shape else "some that are not finite"
                raise InputError(f"guess must return coordinates {shape}, got {what}")
        column = _column(phase, t, _projected(phase, t, q))
        if not balanced:
            column[:, phase.columns.u] = 0.0
        columns.append(column)
    return columns, durations


def vibration_intervals(problem: PlanProblem, points: int, q_start: Array) -> tuple[int, ...]:
    """Intervals of each phase that resolve the vibrations of the machine at its start.

    Collocation moves a vibration of frequency ``omega`` over an interval ``h`` by the diagonal Pade approximation of
    ``exp(i omega h)``, which is accurate to 1 % for ``omega h`` below 0.8 (points - 1). A plan on wider intervals uses
    vibrations that the machine does not have; vibrations that need far more intervals than `MOST_INTERVALS` are
    refused.

    Parameters
    ----------
    problem
        The problem.
    points
        Points of an interval.
    q_start
        Coordinates at the start.
    """
    counts = []
    for phase in problem.phases:
        omega, T = _fastest_vibration(phase, problem.t0, q_start), _middle(phase.durations)
        count = int(np.ceil(T * omega / (0.8 * (points - 1))))
        most = _TOO_MANY * MOST_INTERVALS
        if count > most:
            name = fastest_coordinate(phase.model, problem.t0, q_start, phase.p, phase.static)
            raise InputError(
                f"machine '{phase.model.eom.machine.name}' vibrates with up to {omega:.4g} rad/s, mostly in '{name}': "
                f"a plan of {T:g} s needs {count} intervals of {points} points, more than {most}; "
                "let fast deflections follow their loads (static=OMEGA in rad/s, or their names), or give fewer modes, "
                "a shorter duration, or refinements=0 and your own number of intervals"
            )
        counts.append(min(count, MOST_INTERVALS))
    return tuple(counts)


def _fastest_vibration(phase: PhaseProblem, t: float, q: Array) -> float:
    """Highest angular frequency [rad/s] at the start, of the coordinates with inertia."""
    e = phase.model.eom
    if phase.static:
        omegas, _ = vibrations(phase.model, t, q, phase.p, phase.static)
        return float(omegas.max(initial=0.0))
    values = phase.model.eigenvalues(t, q, np.zeros(e.nv), np.zeros(e.nu), phase.p)
    return float(np.abs(values[np.abs(values.imag) > np.abs(values.real)]).max(initial=0.0))


def _middle(durations: tuple[float, float]) -> float:
    """Duration to start from: in the middle of a narrow range, nearer to the shortest one of a wide one."""
    low, high = durations
    return 0.5 * (low + high) if high <= 20.0 * low else float(np.sqrt(low * high))


def _way_points(problem: PlanProblem, durations: Array, q_start: Array, q_end: Array) -> list[Array]:
    """Coordinates at the ends of the phases: those prescribed there, the others on the way from start to end."""
    model, nq = problem.phases[0].model, len(q_start)
    done = np.concatenate([[0.0], np.cumsum(durations) / durations.sum()])
    points = _between(model, q_start, q_end, done, smooth=False)
    for k, phase in enumerate(problem.phases[:-1]):
        for place, value in phase.end_fixed.items():
            if place < nq:
                points[k + 1, place] = value
    for place in range(nq):  # coordinates prescribed at some phases only: straight between these
        known = [k + 1 for k, p in enumerate(problem.phases[:-1]) if place in p.end_fixed]
        if known:
            at = [0, *known, len(done) - 1]
            points[:, place] = np.interp(done, done[at], points[at, place])
    return list(points)


def _between(model: PhaseModel, q0: Array, q1: Array, s: Array, *, smooth: bool = True) -> Array:
    """Coordinates along the shortest way, each attitude about one axis."""
    layout, nq, nv = model.eom.layout, model.eom.nq, model.eom.nv
    a, b, d, r = ca.SX.sym("a", nq), ca.SX.sym("b", nq), ca.SX.sym("d", nv), ca.SX.sym("r")
    way = np.array(ca.Function("way", [a, b], [ca.densify(layout.difference(a, b))])(q0, q1))
    along = ca.Function("along", [a, d, r], [ca.densify(layout.integrate(a, r * d))])
    x = s**3 * (10 - 15 * s + 6 * s * s) if smooth else s
    return np.array(along.map(len(s))(q0, way, x[None, :])).T


def _projected(phase: PhaseProblem, t: Array, q: Array) -> Array:
    """Coordinates on the constraints of the phase where they can be projected onto them."""
    if not phase.model.holonomic:
        return q
    result, eom = q.copy(), phase.model.eom
    for k, x in enumerate(q):
        try:
            result[k] = consistent_state(
                eom, x, np.zeros(eom.nv), t=float(t[k]), p=phase.p, latches=phase.model.latches, reach=np.inf
            ).q
        except InputError:
            continue
    return result


def _column(phase: PhaseProblem, t: Array, q: Array) -> Array:
    """Unknowns at all points of a segment from coordinates: velocities, accelerations, forces that balance them."""
    model, s, c = phase.model, phase.model.eom.symbolic, phase.columns
    nv, n = model.eom.nv, len(t)
    B = ca.Function("B", [s.q], [ca.densify(ca.jacobian(s.coordinate_rate, s.v))])
    rates = np.gradient(q, t, axis=0)
    v = np.stack([np.linalg.lstsq(np.array(B(y)), z, rcond=None)[0] for y, z in zip(q, rates, strict=True)])
    a = np.gradient(v, t, axis=0)
    loads = list(phase.static.q)
    v[:, list(phase.static.v)] = a[:, list(phase.static.v)] = 0.0
    unknown = ca.vertcat(s.u, model.multipliers, *(s.q[k] for k in loads))
    f = ca.Function(
        "balance", [s.t, s.q, s.v, s.a, s.p], [ca.densify(x) for x in _linear(unknown, model.balance)]
    )  # fmt: skip
    columns = np.zeros((n, c.size))
    columns[:, c.q], columns[:, c.v], columns[:, c.a] = q, v, a
    nu, m = model.eom.nu, model.m
    low, high = (np.concatenate([x[model.eom.nq + nv :], x[loads]]) for x in (phase.lower, phase.upper))
    for k in range(n):
        A, rest = (np.array(x) for x in f(t[k], q[k], v[k], a[k], phase.p))
        forces = np.linalg.lstsq(A, -rest[:, 0], rcond=None)[0] if np.isfinite(A).all() and np.isfinite(rest).all() \
            else np.zeros(nu + m + len(loads))  # fmt: skip
        forces = np.clip(forces, np.maximum(low, -1e9), np.minimum(high, 1e9))
        columns[k, c.u], columns[k, c.force], columns[k, loads] = np.split(forces, [nu, nu + m])
    if phase.projected:
        columns[:, c.q_raw], columns[:, c.v_raw] = q, v
    return columns


def _linear(x: ca.SX, y: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Matrix and rest of a balance that is linear in the forces, linearised at zero otherwise."""
    zero = ca.DM.zeros(x.shape)
    matrix, rest = ca.substitute([ca.jacobian(y, x), y], [x], [zero])
    return matrix, rest


def resampled_columns(problem: PlanProblem, mesh: PlanMesh, trajectory: PlanTrajectory) -> tuple[list[Array], Array]:
    """PointColumns and durations on a new grid from a solution on another one."""
    columns, durations = [], []
    for index in range(len(problem.phases)):
        pieces = [x for x in trajectory.pieces if x.phase == index]
        begin = pieces[0].start
        starts = np.array([x.start for x in pieces])
        at = begin
        for segment in (s for s in mesh.segments if s.phase == index):
            length = segment.duration
            x = segment.fractions(mesh.points)
            t = at + length * (1e-6 + (1.0 - 2e-6) * x)  # the ends belong to this segment, not to its neighbours
            place = np.clip(np.searchsorted(starts, t, side="right") - 1, 0, len(pieces) - 1)
            new = np.zeros((len(t), problem.phases[index].columns.size))
            for k in np.unique(place):
                piece, chosen = pieces[int(k)], place == k
                new[chosen] = piece.through(piece.columns, t[chosen])
            columns.append(new)
            durations.append(length)
            at += length
    return columns, np.array(durations)
