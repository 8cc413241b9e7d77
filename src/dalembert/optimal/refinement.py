"""Better grids from a solution: segments that end where limits begin or cease to act, and narrower intervals.

A polynomial cannot follow a kink or a jump inside an interval, and a limit that acts at the points of a grid is passed
between them. Both errors vanish when the nodes are where limits change: each segment then has a smooth motion, and its
free duration lets the solver place the change exactly.
"""

from __future__ import annotations

from itertools import pairwise

import casadi as ca
import numpy as np

from dalembert.core.types import Array
from dalembert.optimal.errors import GridErrors
from dalembert.optimal.problem import PhaseProblem, PlanProblem
from dalembert.optimal.trajectory import PlanPiece, PlanTrajectory
from dalembert.optimal.transcription import GridSegment, PlanMesh

__all__ = ["refined_mesh", "switch_times", "unresolved_changes"]

_ACTS = 1e-4  # part of the size of a limit within which it counts as acting
_MOST = 16  # changes of limits in a phase beyond which they are not followed one by one
_AT_NODE = 0.25  # part of an interval within which a change counts as one at the node
_GONE = 2e-3  # part of the phase below which a segment counts as gone


def switch_times(phase: PhaseProblem, pieces: list[PlanPiece], trajectory: PlanTrajectory, p: Array) -> list[float]:
    """Times at which limits of a phase begin or cease to act, as fractions of its duration."""
    start, duration = pieces[0].start, pieces[-1].end - pieces[0].start
    t = np.concatenate([piece.t for piece in pieces])
    values = [np.hstack([x.q, x.v, x.u, x.force]) for x in pieces]
    low, high = phase.lower, phase.upper
    if phase.paths.numel():
        s, model = phase.model.eom.symbolic, phase.model
        f = ca.Function("paths", [s.t, s.q, s.v, s.a, s.u, model.multipliers, s.p], [ca.densify(phase.paths)])
        for i, x in enumerate(pieces):
            n = len(x.t)
            arguments = (x.t[None, :], x.q.T, x.v.T, x.a.T, x.u.T, x.force.T, ca.repmat(ca.DM(p), 1, n))
            values[i] = np.hstack([values[i], np.array(f.map(n)(*arguments)).T])
        low, high = np.concatenate([low, phase.path_lower]), np.concatenate([high, phase.path_upper])
    y = np.vstack(values)
    width = np.array([d for x in pieces for d in np.repeat(x.duration * x.widths, x.points - 1).tolist() + [0.0]])
    times: list[float] = []
    for k in np.flatnonzero(np.isfinite(low) | np.isfinite(high)):
        spread = float(np.ptp(y[:, k]))
        room = high[k] - low[k] if np.isfinite(high[k] - low[k]) else max(1.0, abs(low[k]) if np.isfinite(low[k])
                                                                           else abs(high[k]))  # fmt: skip
        near = _ACTS * min(room, max(spread, 1e-3 * room))
        state = np.where(y[:, k] <= low[k] + near, -1, np.where(y[:, k] >= high[k] - near, 1, 0))
        if (state == state[0]).all():
            continue
        times += _changes(t, state, width)
    fractions = sorted((x - start) / duration for x in times)
    return [x for x in fractions if _GONE < x < 1.0 - _GONE]


def _changes(t: Array, state: Array, width: Array) -> list[float]:
    """Times of the changes of a limit; between opposite limits a short time without any is one change."""
    edges = [0, *(np.flatnonzero(np.diff(state)) + 1).tolist(), len(state)]
    runs = [(a, b, int(state[a])) for a, b in pairwise(edges)]
    times: list[float] = []
    skip = False
    for i, (a, b, s) in enumerate(runs):
        if i == 0 or skip:
            skip = False
            continue
        before = runs[i - 1][2]
        if s == 0 and i + 1 < len(runs) and before * runs[i + 1][2] == -1:
            length = t[b - 1] - t[a - 1]
            if length <= 2.0 * max(float(width[max(a - 1, 0) : b].max()), 1e-12):
                times.append(0.5 * float(t[a - 1] + t[b]))
                skip = True
                continue
        times.append(0.5 * float(t[a - 1] + t[a]))
    return times


def refined_mesh(
    problem: PlanProblem,
    mesh: PlanMesh,
    trajectory: PlanTrajectory,
    errors: GridErrors,
    parameters: Array,
    tolerance: float,
    *,
    follow: bool = True,
) -> PlanMesh:
    """Return a better grid.

    Parameters
    ----------
    problem, mesh, trajectory, errors, parameters
        The problem, its grid and its solution on it.
    tolerance
        Errors that are small enough.
    follow
        Whether segments end where limits change.
    """
    segments: list[GridSegment] = []
    for index, phase in enumerate(problem.phases):
        pieces = [x for x in trajectory.pieces if x.phase == index]
        mine = [k for k, x in enumerate(trajectory.pieces) if x.phase == index]
        duration = pieces[-1].end - pieces[0].start
        p = phase.p.copy()
        p[list(problem.free)] = parameters
        old = [(x.start - pieces[0].start) / duration for x in pieces[1:]]
        found = switch_times(phase, pieces, trajectory, p) if follow else old
        edges = _merged(found, pieces, duration)
        if len(edges) > _MOST:
            edges = old
        nodes = np.concatenate([(x.nodes[:-1] - pieces[0].start) / duration for x in pieces] + [[1.0]])
        bad = np.concatenate([_split(errors.motion[k], errors.limits[k], tolerance) for k in mine])
        for x in switch_times(phase, pieces, trajectory, p):  # a change inside an interval is not resolved yet
            k = int(np.clip(np.searchsorted(nodes, x) - 1, 0, len(bad) - 1))
            if _inside_interval(nodes, x):
                bad[k] = max(bad[k], 2)
        bounds = [0.0, *edges, 1.0]
        for a, b in pairwise(bounds):
            inside = _inside(nodes, bad, a, b)
            segments.append(GridSegment(index, (b - a) * duration, np.diff(inside) / (b - a)))
    return PlanMesh(mesh.points, tuple(segments), hull=True)


def _inside_interval(nodes: Array, x: float) -> bool:
    """Whether a fraction of a phase is inside an interval, away from the nodes."""
    k = int(np.clip(np.searchsorted(nodes, x) - 1, 0, len(nodes) - 2))
    width = float(nodes[k + 1] - nodes[k])
    return bool(min(x - nodes[k], nodes[k + 1] - x) > _AT_NODE * width)


def unresolved_changes(problem: PlanProblem, trajectory: PlanTrajectory, parameters: Array) -> int:
    """Number of changes of limits inside intervals, where a polynomial cannot follow them."""
    count = 0
    for index, phase in enumerate(problem.phases):
        pieces = [x for x in trajectory.pieces if x.phase == index]
        duration = pieces[-1].end - pieces[0].start
        p = phase.p.copy()
        p[list(problem.free)] = parameters
        nodes = np.concatenate([(x.nodes[:-1] - pieces[0].start) / duration for x in pieces] + [[1.0]])
        count += sum(_inside_interval(nodes, x) for x in switch_times(phase, pieces, trajectory, p))
    return count


def _split(motion: Array, limits: Array, tolerance: float) -> Array:
    """Parts into which each interval is divided."""
    worst = np.maximum(motion, limits) / tolerance
    return np.where(worst > 1e4, 3, np.where(worst > 1.0, 2, 1))


def _inside(nodes: Array, parts: Array, a: float, b: float) -> Array:
    """Nodes of a segment: those of the old grid inside of it, divided where needed, not too near to its ends."""
    new = np.concatenate(
        [np.linspace(x, y, int(n) + 1)[:-1] for x, y, n in zip(nodes[:-1], nodes[1:], parts, strict=True)] + [[1.0]]
    )
    typical = float(np.median(np.diff(new)))
    room = min(0.35 * typical, 0.35 * (b - a))
    kept = new[(new > a + room) & (new < b - room)]
    return np.concatenate([[a], kept, [b]])


def _merged(times: list[float], pieces: list[PlanPiece], duration: float) -> list[float]:
    """Changes; those that are nearer to each other than a third of an interval are one, in their middle."""
    nodes = np.concatenate([(x.nodes - pieces[0].start) / duration for x in pieces])
    clusters: list[list[float]] = []
    for x in sorted(times):
        k = int(np.clip(np.searchsorted(nodes, x) - 1, 0, len(nodes) - 2))
        width = max(float(nodes[k + 1] - nodes[k]), _GONE)
        if clusters and x - clusters[-1][0] < 0.35 * width:
            clusters[-1].append(x)
        else:
            clusters.append([x])
    return [float(np.mean(c)) for c in clusters if _GONE < np.mean(c) < 1.0 - _GONE]
