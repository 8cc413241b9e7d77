"""A plan on a grid as a nonlinear programme: unknowns, their bounds, and the elements that join them.

A phase has one or more segments, each with its own free duration, and each segment a grid of intervals with Lobatto
points. Neighbouring segments share coordinates and velocities; inputs may jump between them. Segments end where limits
begin or cease to act, so that every polynomial is smooth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array
from dalembert.optimal.elements import ElementGroup, Index, Programme, ProgrammeElement
from dalembert.optimal.lobatto import lobatto
from dalembert.optimal.phase_model import independent_rows
from dalembert.optimal.problem import PhaseProblem, PlanProblem, PointColumns

__all__ = ["GridSegment", "PlanMesh", "Transcription", "uniform_mesh"]

Flags = NDArray[np.bool_]

_ROOM = (0.4, 2.5)  # durations of one of several segments, as parts of the one to start from
_STRETCH = 0.5  # largest change of the length of a quaternion by the error of a polynomial


@dataclass(frozen=True, eq=False)
class GridSegment:
    """Grid of a segment.

    Parameters
    ----------
    phase
        Number of its phase.
    duration
        Its duration to start from [s].
    widths
        Widths of its intervals as parts of its duration.
    """

    phase: int
    duration: float
    widths: Array

    def fractions(self, points: int) -> Array:
        """Fractions of its duration at all points, those between intervals once."""
        starts = np.concatenate([[0.0], np.cumsum(self.widths)])
        inner = lobatto(points).c[:-1]
        inside = (starts[:-1, None] + self.widths[:, None] * inner).ravel()
        return np.concatenate([inside, [1.0]])

    def weights(self, points: int) -> Array:
        """Weights of the quadrature at all points."""
        n, b = len(self.widths), lobatto(points).b
        total = np.zeros(n * (points - 1) + 1)
        for k, width in enumerate(self.widths):
            total[k * (points - 1) : (k + 1) * (points - 1) + 1] += width * b
        return total


@dataclass(frozen=True, eq=False)
class PlanMesh:
    """Grids of all segments.

    Parameters
    ----------
    points
        Points of an interval.
    segments
        The segments in order.
    hull
        Whether bounds of coordinates, velocities and inputs hold for the Bernstein coefficients of their polynomials,
        and so between the points too.
    """

    points: int
    segments: tuple[GridSegment, ...]
    hull: bool = False

    @property
    def intervals(self) -> int:
        """Number of intervals."""
        return sum(len(s.widths) for s in self.segments)


def uniform_mesh(problem: PlanProblem, points: int, least: Sequence[int] = ()) -> PlanMesh:
    """First grid: one segment per phase, intervals of equal widths, at least ``least`` of them."""
    counts = [max(p.intervals, n) for p, n in zip(problem.phases, least or [1] * len(problem.phases), strict=True)]
    return PlanMesh(points, tuple(GridSegment(k, 0.0, np.full(n, 1.0 / n)) for k, n in enumerate(counts)))


class Transcription:
    """The nonlinear programme of a plan on a grid.

    Attributes
    ----------
    programme
        The programme.
    lower, upper
        Bounds of its unknowns.
    columns
        Places of the unknowns of each point, segment by segment.
    durations, starts
        Places of the durations of the segments, and of their starts in time (one more).
    parameters
        Places of the free parameters.
    """

    def __init__(self, problem: PlanProblem, mesh: PlanMesh, q_start: Array, q_end: Array) -> None:
        self.problem, self.mesh = problem, mesh
        self._count = 0
        n = len(mesh.segments)
        self.parameters = self._new(len(problem.free))
        self.durations, self.starts = self._new(n), self._new(n + 1)
        self.columns: list[Index] = []
        self.impulses: dict[int, Index] = {}
        for k, segment in enumerate(mesh.segments):
            self._add_columns(k, segment)
        self.lower, self.upper = np.full(self._count, -np.inf), np.full(self._count, np.inf)
        self._groups: list[ElementGroup] = []
        self._bound(q_start, q_end)
        self._assemble()
        self.programme = Programme(self._count, self._groups)

    def _new(self, n: int) -> Index:
        places = np.arange(self._count, self._count + n, dtype=np.int64)
        self._count += n
        return places

    def _add_columns(self, k: int, segment: GridSegment) -> None:
        problem, points = self.problem, self.mesh.points
        c = problem.phases[segment.phase].columns
        count = len(segment.widths) * (points - 1) + 1
        places = np.empty((count, c.size), dtype=np.int64)
        first = 0
        if k:
            before, c_before = self.columns[-1][-1], problem.phases[self.mesh.segments[k - 1].phase].columns
            same = self.mesh.segments[k - 1].phase == segment.phase
            link = problem.phases[self.mesh.segments[k - 1].phase].link
            row = self._new(c.size)
            follows = list(problem.phases[segment.phase].static.q)  # inputs may jump, and so may these
            own = row[c.q][follows]
            row[c.q] = before[c_before.q]
            row[follows] = own
            if same or link.kind == "smooth":
                row[c.v] = before[c_before.v]
            if problem.smooth_inputs:
                row[c.u] = before[c_before.u]
            if not same and link.kind != "smooth":
                self.impulses[segment.phase - 1] = self._new(len(link.pushes))
            places[0] = row
            first = 1
        places[first:] = self._new((count - first) * c.size).reshape(count - first, c.size)
        self.columns.append(places)

    # -- bounds -------------------------------------------------------------------------------------------------------

    def _bound(self, q_start: Array, q_end: Array) -> None:
        problem, segments = self.problem, self.mesh.segments
        low, high = self.lower, self.upper
        for place, (a, b) in zip(self.parameters, problem.free.values(), strict=True):
            low[place], high[place] = a, b
        low[self.starts[0]] = high[self.starts[0]] = problem.t0
        for k, segment in enumerate(segments):
            phase = problem.phases[segment.phase]
            c, places = phase.columns, self.columns[k]
            alone = sum(s.phase == segment.phase for s in segments) == 1
            shortest, longest = phase.durations
            low[self.durations[k]], high[self.durations[k]] = (
                (shortest, longest) if alone else (_ROOM[0] * segment.duration, _ROOM[1] * segment.duration)
            )
            bounded = np.concatenate([places[:, r] for r in (c.q, c.v, c.u, c.force)], axis=1)
            low[bounded], high[bounded] = (
                np.maximum(low[bounded], phase.lower), np.minimum(high[bounded], phase.upper),
            )  # fmt: skip
            low[places[:, c.stretch]], high[places[:, c.stretch]] = -_STRETCH, _STRETCH
            low[places[:, c.slack]] = 0.0
            for r in (c.v, c.a):
                still = places[:, r][:, list(phase.static.v)]
                low[still] = high[still] = 0.0
            for r in (c.mu, c.nu, c.stretch):
                low[places[0, r]] = high[places[0, r]] = 0.0
            if k + 1 == len(segments) or segments[k + 1].phase != segment.phase:
                self._fix(places[-1], c, phase.end_fixed)
        first = problem.phases[0].columns
        self._fix(self.columns[0][0], first, problem.start_fixed)
        for place, value in problem.start_inputs.items():
            where = self.columns[0][0, first.u][place]
            low[where] = high[where] = value
        for phase_number, places in self.impulses.items():
            for place, pushes in zip(places, problem.phases[phase_number].link.pushes, strict=True):
                low[place] = 0.0 if pushes else -np.inf
        self._q_ends = (q_start, q_end)

    def _fix(self, column: Index, c: PointColumns, values: dict[int, float]) -> None:
        nq = self.problem.phases[0].model.eom.nq
        for place, value in values.items():
            where = column[c.q][place] if place < nq else column[c.v][place - nq]
            self.lower[where] = self.upper[where] = value

    def _is_free(self, places: Index) -> Flags:
        return np.asarray(self.lower[places] < self.upper[places], dtype=bool)

    # -- elements -----------------------------------------------------------------------------------------------------

    def _group(
        self, element: ProgrammeElement, places: Index, ranges: tuple[Array, Array], *, constants: Array | None = None,
        counted: Flags | None = None,
    ) -> None:  # fmt: skip
        n = len(places)
        constants = np.zeros((n, 0)) if constants is None else constants
        counted = np.ones((n, element.m), dtype=bool) if counted is None else counted
        self._groups.append(ElementGroup(element, places, constants, *ranges, counted))

    def _assemble(self) -> None:
        problem, mesh = self.problem, self.mesh
        for k, segment in enumerate(mesh.segments):
            self._add_points(k, segment)
            self._add_intervals(k, segment)
        clock = problem.clock()
        n = len(mesh.segments)
        triples = np.column_stack([self.starts[:-1], self.durations, self.starts[1:]])
        self._group(clock, triples, _zeros(n, 1))
        for index, phase in enumerate(problem.phases):
            mine = [k for k, s in enumerate(mesh.segments) if s.phase == index]
            if len(mine) > 1:
                ends = self.starts[[[mine[0], mine[-1] + 1]]]
                ranges = (np.array([[phase.durations[0]]]), np.array([[phase.durations[1]]]))
                self._group(problem.whole(), ends, ranges)
            self._add_end(index, mine[-1])
            if index + 1 < len(problem.phases) and phase.link.kind != "smooth":
                self._add_link(index, mine[-1])
        if problem.total is not None:
            low, high = (np.array([[x]]) for x in problem.total)
            self._group(problem.whole(), self.starts[[[0, n]]], (low, high))
        if problem.periodic:
            states = tuple(problem.periodic)
            first, last = (self._state(k, row) for k, row in ((0, 0), (n - 1, -1)))
            values = np.array([list(problem.periodic.values())])
            places = np.concatenate([first[list(states)], last[list(states)]])[None, :]
            self._group(problem.span(states), places, (values, values))

    def _state(self, segment: int, row: int) -> Index:
        c = self.problem.phases[self.mesh.segments[segment].phase].columns
        column = self.columns[segment][row]
        return np.concatenate([column[c.q], column[c.v]])

    def _add_points(self, k: int, segment: GridSegment) -> None:
        problem, points = self.problem, self.mesh.points
        phase, element = problem.phases[segment.phase], problem.point(segment.phase)
        columns = self.columns[k]
        count, kinds = len(columns), problem.point_classes(segment.phase)
        shared = np.concatenate([[self.starts[k], self.durations[k]], self.parameters])
        places = np.hstack([columns, np.tile(shared, (count, 1))])
        constants = np.column_stack([segment.fractions(points), segment.weights(points)])
        low, high = np.zeros((count, element.m)), np.zeros((count, element.m))
        low[:, kinds["path"]], high[:, kinds["path"]] = phase.path_lower, phase.path_upper
        for i, bound in enumerate(phase.soft):
            below, above = kinds["soft"].start + 2 * i, kinds["soft"].start + 2 * i + 1
            low[:, below], high[:, below] = -np.inf, bound.upper
            low[:, above], high[:, above] = bound.lower, np.inf
        counted = np.ones((count, element.m), dtype=bool)
        self._count_at_start(k, segment, counted, kinds)
        last = k + 1 == len(self.mesh.segments) or self.mesh.segments[k + 1].phase != segment.phase
        if last:
            self._count_where_free(segment.phase, columns[-1], counted[-1], kinds, self._q_ends[1])
        for row, column in ((0, places[0]), (-1, places[-1])):
            self._count_changeable(element, column, constants[row], counted[row], kinds)
        self._group(element, places, (low, high), constants=constants, counted=counted)

    def _count_changeable(
        self, element: ProgrammeElement, places: Index, constants: Array, counted: Flags, kinds: dict[str, slice]
    ) -> None:
        """Leave out conditions that no free unknown can change, such as the power of a force at rest."""
        rows = np.r_[tuple(kinds[name] for name in ("acceleration", "velocity", "position", "equal"))]
        free = self._is_free(places)
        if not rows.size or free.all():
            return
        x = np.where(free, np.random.default_rng(0).uniform(0.3, 0.7, len(places)), self.lower[places])
        _, slope = element.evaluate("slope", x[None, :], constants[None, :])
        i, j = element.pattern("slope")
        sizes = np.zeros(element.m)
        np.maximum.at(sizes, i[free[j]], np.nan_to_num(np.abs(slope.ravel())[free[j]], nan=1.0))
        counted[rows] &= sizes[rows] > 1e-12

    def _count_at_start(self, k: int, segment: GridSegment, counted: Flags, kinds: dict[str, slice]) -> None:
        """Rows at the first point of a segment that the point before it does not have."""
        phase = self.problem.phases[segment.phase]
        if k == 0:
            self._count_where_free(0, self.columns[0][0], counted[0], kinds, self._q_ends[0])
            return
        counted[0, kinds["norm"]] = False
        before = self.problem.phases[self.mesh.segments[k - 1].phase]
        (old_q, old_v), (new_q, new_v) = before.held_names, phase.held_names
        same, kind = before is phase, before.link.kind
        counted[0, kinds["position"]] = [name not in old_q for name in new_q]
        fresh = [kind == "impulse" or (kind == "smooth" and name not in old_v) for name in new_v]
        counted[0, kinds["velocity"]] = np.zeros(len(new_v), dtype=bool) if same else fresh

    def _count_where_free(self, index: int, column: Index, counted: Flags, kinds: dict[str, slice], q: Array) -> None:
        """Leave out rows of constraints that fixed coordinates or velocities satisfy already."""
        phase = self.problem.phases[index]
        model, c = phase.model, phase.columns
        free_q, free_v = self._is_free(column[c.q]), self._is_free(column[c.v])
        norms, held = len(model.quaternions), phase.held_position.numel()
        if held or norms:
            rows = np.zeros((held + norms, model.eom.nq))
            rows[:held] = _slopes(phase, phase.held_position, "q", q)
            for i, r in enumerate(model.quaternions):
                rows[held + i, r] = 2.0 * q[r]
            kept = independent_rows(rows[:, free_q])
            chosen = np.isin(np.arange(held + norms), kept)
            counted[kinds["position"]] &= chosen[:held]
            counted[kinds["norm"]] &= chosen[held:]
        if phase.held_velocity.numel():
            kept = independent_rows(_slopes(phase, phase.held_velocity, "v", q)[:, free_v])
            counted[kinds["velocity"]] &= np.isin(np.arange(phase.held_velocity.numel()), kept)

    def _add_intervals(self, k: int, segment: GridSegment) -> None:
        problem, points = self.problem, self.mesh.points
        phase, hull = problem.phases[segment.phase], self.mesh.hull
        element = problem.interval(segment.phase, points, hull)
        n = len(segment.widths)
        columns = self.columns[k]
        chosen = np.arange(n)[:, None] * (points - 1) + np.arange(points)
        places = np.hstack([np.full((n, 1), self.durations[k]), columns[chosen].reshape(n, -1)])
        low, high = np.zeros((n, element.m)), np.zeros((n, element.m))
        at = (points - 1) * problem.nx
        for place in sorted(phase.rate_bounds):
            low[:, at : at + points], high[:, at : at + points] = phase.rate_bounds[place]
            at += points
        for place in phase.bounded if hull else ():
            count = points - 1 if place < problem.nx and place not in phase.static.q else points - 2
            low[:, at : at + count], high[:, at : at + count] = phase.lower[place], phase.upper[place]
            at += count
        counted = np.ones((n, element.m), dtype=bool)
        follows = list(phase.static.states(phase.model.eom.nq))
        for i in range(points - 1):
            counted[:, [i * problem.nx + k for k in follows]] = False
        self._group(element, places, (low, high), constants=segment.widths[:, None], counted=counted)

    def _add_end(self, index: int, k: int) -> None:
        element = self.problem.end(index)
        last = index == len(self.problem.phases) - 1
        if not element.m and not (last and not self.problem.terminal.is_zero()):
            return
        places = np.concatenate([self.columns[k][-1], [self.starts[k], self.durations[k]], self.parameters])[None, :]
        self._group(element, places, _zeros(1, element.m))

    def _add_link(self, index: int, k: int) -> None:
        element = self.problem.transition(index)
        c, after = self.problem.phases[index].columns, self.problem.phases[index + 1].columns
        parts = [
            self.columns[k][-1][c.q], self.columns[k][-1][c.v], self.columns[k + 1][0][after.v],
            self.impulses[index], [self.starts[k + 1]], self.parameters,
        ]  # fmt: skip
        places = np.concatenate(parts)[None, :].astype(np.int64)
        self._group(element, places, _zeros(1, element.m))

    # -- values -------------------------------------------------------------------------------------------------------

    def pack(self, columns: Sequence[Array], durations: Array, parameters: Array) -> Array:
        """Unknowns from columns, durations of the segments and free parameters."""
        x = np.zeros(self._count)
        x[self.parameters], x[self.durations] = parameters, durations
        x[self.starts] = self.problem.t0 + np.concatenate([[0.0], np.cumsum(durations)])
        for places, values in zip(self.columns, columns, strict=True):
            x[places] = values
        return x

    def interval_columns(self, k: int) -> Index:
        """Points of each interval of a segment: their rows in its columns."""
        n, points = len(self.mesh.segments[k].widths), self.mesh.points
        return np.arange(n)[:, None] * (points - 1) + np.arange(points)


def _zeros(n: int, m: int) -> tuple[Array, Array]:
    return np.zeros((n, m)), np.zeros((n, m))


def _slopes(phase: PhaseProblem, rows: ca.SX, by: str, q: Array) -> Array:
    """Derivatives of rows by coordinates or velocities at a configuration, with velocities of no special value."""
    s = phase.model.eom.symbolic
    J = ca.Function("J", [s.q, s.v, s.t, s.p], [ca.densify(ca.jacobian(rows, getattr(s, by)))])
    v = np.random.default_rng(0).uniform(0.3, 0.7, phase.model.eom.nv)
    return np.array(J(q, v, 0.0, phase.p))
