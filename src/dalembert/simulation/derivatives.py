"""Derivatives of a run along its own steps.

Every step, sample and transition of a run is a smooth map of ``y = (x, c, t, J)``: state, held values, time and a cost
that is integrated beside them. The derivatives of the run are products of the Jacobians of these maps, from the start
on (forward) or from the end on (adjoint), with the steps that the run took (internal numerical differentiation:
H. G. Bock, "Recent advances in parameter identification techniques for O.D.E.", 1983).

A step ends at a given time, or where an event function vanishes: with ``x1 = F(x, h)`` and ``g(t1, x1) = 0``,

    dt1 = -(g_x dF + g_p dp) / (g_t + g_x F_h),    dx1 = dF + F_h dt1,

and the next step, which ends at a given time again, is by as much shorter. Events need nothing else: jumps are maps as
well, and the saltation matrix is the product of the three.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import InputError, SimulationError
from dalembert.core.types import Array
from dalembert.engine.sampling import Schedule, Update
from dalembert.simulation.run import Run
from dalembert.simulation.step_maps import Along, Maps, Places, Seeds
from dalembert.simulation.stepped_maps import SteppedMaps

__all__ = ["Leg", "Passage"]

_SAME = 1e-9  # part of a period within which two instants are one
_RETRACED = 1e-8  # part by which a step that is taken again may differ
_GRAZING = 1e-8  # part of the rates of an event function that its sum must keep
_TOGETHER = 1e-6  # part of the terms of equations that depend on each other, by which they may differ
_ROUNDING = 1e-10  # part of the largest entry of such equations that is rounding
_ROOM = 4_000_000  # numbers in one block of derivatives


class Need(NamedTuple):
    """Equations of named contacts that depend on each other: ``A dy + B dp`` must vanish in their rows.

    The rows behind them are those of all equations of the step, and set the scale.
    """

    names: tuple[str, ...]
    A: Array
    B: Array


class Leg(NamedTuple):
    """One map of y, ``dy1 = A dy + B dp``, up to row ``row`` of a run; the event that it ends at, if there is one."""

    row: int
    A: Array
    B: Array
    event: str = ""
    needs: tuple[Need, ...] = ()


class _Sample(NamedTuple):
    row: int
    update: Update
    w: Array
    c: Array


Jump = Callable[[int, Array, Array, Array], tuple[Array, Array]]
"""(number of the transition, y before, state after, directions in p) -> derivatives of the state after, (n, size of y)
and (n, directions)."""


@dataclass(eq=False)
class Passage:
    """A run as a sequence of smooth maps.

    Parameters
    ----------
    maps
        The maps of its problem.
    run
        The run, with a row for every step.
    p
        Parameter values.
    directions
        In the parameters (parameters, quantities).
    schedule
        Sampled elements; None: none, or constant inputs.
    held
        Values held at first.
    jump
        Derivatives of the transitions.
    seed, member
        Seed and member number of the sensor noise.
    quantities
        Names of the quantities.
    """

    maps: Maps | SteppedMaps
    run: Run
    p: Array
    directions: Array
    schedule: Schedule | None
    held: Array
    jump: Jump
    seed: int = 0
    member: int = 0
    quantities: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._updates: dict[int, Along] = {}
        self._events_at: dict[float, list[str]] = {}
        for event in self.run.events if self.maps.events is not None else ():
            self._events_at.setdefault(event.t, []).append(event.name)
        self.c, self._items = self._ordered()

    def _ordered(self) -> tuple[Array, list[int | _Sample]]:
        """Held values at the rows, and the map after each row, in time: a sample, or the step or jump itself."""
        t, x = self.run.t, self.run.x
        updates = () if self.schedule is None else self.schedule.updates
        counts, held = [0] * len(updates), self.held.copy()
        c = np.empty((len(t), len(held)))
        items: list[int | _Sample] = []
        for k in range(len(t) - 1):
            c[k] = held
            if t[k + 1] > t[k]:
                for i, update in enumerate(updates):
                    if t[0] + update.offset + counts[i] * update.period > t[k] + _SAME * update.period:
                        continue
                    w = update.drawn(self.seed, counts[i], self.member)
                    sample = _Sample(k, update, w, held.copy())
                    items.append(sample)
                    held[list(update.rows)] = self._sampled(sample, x[k], ())[0]
                    counts[i] += 1
                c[k] = held
            items.append(k)
        c[-1] = held
        return c, items

    def _sampled(self, sample: _Sample, x: Array, seeds: Sequence[Array]) -> tuple[Array, Array]:
        """Values of a sample, and their derivatives along seeds (t, x, c, p)."""
        update, key = sample.update, id(sample.update)
        assert isinstance(update.function, ca.Function)
        if key not in self._updates:
            symbols = [ca.SX.sym(f"a{k}", update.function.size1_in(k)) for k in range(5)]
            self._updates[key] = Along("update", symbols, update.function(*symbols))
        if not seeds:
            seeds = [np.zeros((1, *np.shape(a))) for a in (0.0, x, sample.c, self.p)]
        return self._updates[key](self.run.t[sample.row], x, sample.c, self.p, sample.w, along=seeds)

    @property
    def layout(self) -> Places:
        """Places in y."""
        return self.maps.layout

    def legs(self, *, backward: bool = False) -> Iterator[Leg]:
        """All maps, from the start or from the end on."""
        blocks = self._blocks()
        for block in reversed(blocks) if backward else blocks:
            legs = self._legs_of(block)
            yield from reversed(legs) if backward else legs

    def _blocks(self) -> list[list[int | _Sample]]:
        """Parts of the run whose derivatives are held in memory at once."""
        N, m = self.layout.size, self.directions.shape[1]
        length = max(1, _ROOM // ((N + m) * self.maps.numbers_per_direction))
        return [self._items[k : k + length] for k in range(0, len(self._items), length)]

    def _legs_of(self, items: Sequence[int | _Sample]) -> list[Leg]:
        t = self.run.t
        steps = np.array([k for k in items if isinstance(k, int) and t[k + 1] > t[k]], dtype=np.intp)
        step_legs = dict(zip(steps.tolist(), self._steps(steps), strict=True))
        legs = []
        for item in items:
            if isinstance(item, _Sample):
                legs.append(self._sample_leg(item))
            elif item in step_legs:
                legs.append(step_legs[item])
            else:
                legs.append(self._jump_leg(item))
        return legs

    # -- steps --------------------------------------------------------------------------------------------------------

    def _steps(self, rows: NDArray[np.int64]) -> list[Leg]:
        """Maps of steps that begin at these rows."""
        if not len(rows):
            return []
        run, maps, m = self.run, self.maps, self.directions.shape[1]
        at, moving = maps.layout, np.array(maps.moving, dtype=np.intp)
        n, k, held = at.n, len(moving), at.held
        D = k + held + m + 2  # directions: states, held values, parameters, time, length of the step
        seeds = Seeds(*(np.zeros((D, size)) for size in (1, n, held, len(self.p), 1)))
        seeds = seeds._replace(t=seeds.t[:, 0], h=seeds.h[:, 0])
        seeds.x[np.arange(k), moving] = 1.0
        seeds.c[k + np.arange(held), np.arange(held)] = 1.0
        seeds.p[k + held : k + held + m] = self.directions.T
        seeds.t[-2], seeds.h[-1] = 1.0, 1.0
        x1, dx1, dJ, lacks = maps.advance(run, rows, self.c[rows], self.p, seeds)
        self._check(rows, x1)
        A, B = np.zeros((len(rows), at.size, at.size)), np.zeros((len(rows), at.size, m))
        A[:] = np.eye(at.size)

        def place(columns: Array, A: Array, B: Array) -> None:
            """Put derivatives (..., entries, D) along the directions into those by y and p."""
            A[..., moving] = columns[..., :k]
            A[..., n : at.t] = columns[..., k : k + held]
            A[..., at.t] = columns[..., -2] - columns[..., -1]  # what begins later is shorter
            B[...] = columns[..., k + held : k + held + m]

        for entries, d in ((slice(0, n), dx1), (slice(at.cost, at.size), dJ[..., None])):
            place(np.swapaxes(d, 1, 2), A[:, entries], B[:, entries])
        A[:, at.t] = 0.0
        needs: dict[int, list[Need]] = {}
        for lack in lacks:
            both = np.vstack([lack.missing.T, lack.terms.T])
            need = Need(lack.names, np.zeros((len(both), at.size)), np.zeros((len(both), m)))
            place(both, need.A, need.B)
            needs.setdefault(lack.step, []).append(need)
        legs = []
        for i, row in enumerate(rows.tolist()):
            names = self._events_at.get(float(run.t[row + 1]), [])
            end = np.append(dx1[i, -1], dJ[i, -1])  # rates at the end of the step
            leg = self._cut(row, names, A[i], B[i], end) if names else Leg(row + 1, A[i], B[i])
            legs.append(leg._replace(needs=tuple(needs.get(i, ()))))
        return legs

    def _check(self, rows: NDArray[np.int64], x1: Array) -> None:
        """Refuse to differentiate anything but the run."""
        there = self.run.x[rows + 1]
        wrong = np.abs(x1 - there) > _RETRACED * (1.0 + np.abs(there))
        if not (wrong.any() or np.isnan(x1).any()):
            return
        i, k = np.argwhere(wrong | np.isnan(x1))[0]
        name = self.run.state_names[k]
        raise InputError(
            f"the run of {self.maps.problem.name!r} cannot be differentiated at t = {self.run.t[rows[i]]:.9g} s: a "
            f"repetition of the step gives {x1[i, k]:.9g} for {name!r} instead of {there[i, k]:.9g}; constraints "
            "that depend "
            "on each other have no derivatives"
        )

    def _cut(self, row: int, names: list[str], A: Array, B: Array, end: Array) -> Leg:
        """Map of a step that ends at an event, where its end depends on all that the event function depends on."""
        at, problem = self.maps.layout, self.maps.problem
        specs = [spec.name for spec in problem.event_specs]
        t, x, c = self.run.t[row + 1], self.run.x[row + 1], self.c[row]
        m, size = self.directions.shape[1], at.n + at.held + 1
        seeds = np.eye(size)
        assert self.maps.events is not None
        before = self.maps.events(
            self.run.t[row],
            self.run.x[row],
            c,
            self.p,
            along=[np.zeros((1, *np.shape(a))) for a in (0.0, x, c, self.p)],
        )[0]
        g, slope = self.maps.events(
            t,
            x,
            c,
            self.p,
            along=(
                np.append(seeds[:, at.t], np.zeros(m)),
                np.vstack([seeds[:, : at.n], np.zeros((m, at.n))]),
                np.vstack([seeds[:, at.n : at.t], np.zeros((m, at.held))]),
                np.vstack([np.zeros((size, len(self.p))), self.directions.T]),
            ),
        )
        delays: list[tuple[Array, Array]] = []
        for name in dict.fromkeys(names):
            i = specs.index(name)
            g_x, g_c, g_t, g_p = slope[: at.n, i], slope[at.n : at.t, i], slope[at.t, i], slope[size:, i]
            rate, terms = g_t + g_x @ end[: at.n], abs(g_t) + np.abs(g_x) @ np.abs(end[: at.n])
            length = t - self.run.t[row]
            if abs(g[i]) > 1e-6 * max(terms * length, 1e-12):
                continue  # it jumped with a held value, or follows from another one
            if not (abs(rate) > _GRAZING * terms and abs(rate) * length > _GRAZING * abs(before[i])):
                if not self._matters(row + 1):
                    continue
                raise SimulationError(
                    f"event {name!r} at t = {t:.9g} s is not transversal: its function only touches zero, and the run "
                    "has no derivatives there",
                    self.run,
                )
            delays.append((-(g_x @ A[: at.n] + g_c @ A[at.n : at.t]) / rate, -(g_x @ B[: at.n] + g_p) / rate))
        if not delays:
            return Leg(row + 1, A, B)
        for other in delays[1:]:
            both = zip(other, delays[0], strict=True)
            if any(np.abs(a - b).max(initial=0.0) > 1e-6 * (1.0 + np.abs(b).max(initial=0.0)) for a, b in both):
                raise SimulationError(
                    f"events {', '.join(map(repr, names))} happen together at t = {t:.9g} s, but would not after any "
                    "small change: the run has no derivatives there",
                    self.run,
                )
        A, B = A.copy(), B.copy()
        late_A, late_B = delays[0]
        for place, rate_of in ((slice(0, at.n), end[: at.n]), (slice(at.cost, at.size), end[at.n :])):
            A[place] += np.outer(rate_of, late_A)
            B[place] += np.outer(rate_of, late_B)
        A[at.t], B[at.t] = late_A, late_B
        return Leg(row + 1, A, B, ", ".join(dict.fromkeys(names)))

    def _matters(self, row: int) -> bool:
        """Whether an event changes the run: it ends there, or its state jumps."""
        t, x = self.run.t, self.run.x
        if row == len(t) - 1:
            return True
        return t[row + 1] == t[row] and not np.array_equal(x[row + 1], x[row])

    # -- samples and jumps --------------------------------------------------------------------------------------------

    def _sample_leg(self, sample: _Sample) -> Leg:
        at, m = self.layout, self.directions.shape[1]
        seeds = np.eye(at.t + 1)
        _, slope = self._sampled(
            sample,
            self.run.x[sample.row],
            (
                np.append(np.zeros(at.t + 1), np.zeros(m)),  # samples are taken at given times
                np.vstack([seeds[:, : at.n], np.zeros((m, at.n))]),
                np.vstack([seeds[:, at.n : at.t], np.zeros((m, at.held))]),
                np.vstack([np.zeros((at.t + 1, len(self.p))), self.directions.T]),
            ),
        )
        A, B = np.eye(at.size), np.zeros((at.size, m))
        rows = at.n + np.array(sample.update.rows, dtype=np.intp)
        A[rows] = 0.0
        A[rows, : at.t] = slope[: at.t].T
        B[rows] = slope[at.t + 1 :].T
        return Leg(sample.row, A, B)

    def _jump_leg(self, row: int) -> Leg:
        at, run = self.layout, self.run
        A, B = np.eye(at.size), np.zeros((at.size, self.directions.shape[1]))
        y = np.concatenate([run.x[row], self.c[row], [run.t[row], 0.0]])
        number = int(np.count_nonzero(np.diff(run.t[: row + 1]) == 0.0))
        A[: at.n], B[: at.n] = self.jump(number, y, run.x[row + 1], self.directions)
        return Leg(row + 1, A, B)

    # -- products -----------------------------------------------------------------------------------------------------

    def forward(self, start: Array, wanted: Array) -> tuple[Array, list[tuple[str, float, Array]]]:
        """Derivatives of y at the wanted rows, and of the times of events.

        Parameters
        ----------
        start
            Derivatives of y at the start (size, quantities).
        wanted
            Which rows (a mask).
        """
        S, place = start, np.cumsum(wanted) - 1
        sensitivities = np.empty((int(wanted.sum()), *start.shape))
        if wanted[0]:
            sensitivities[0] = start
        times: list[tuple[str, float, Array]] = []
        for leg in self.legs():
            for need in leg.needs:
                self._check_need(need, leg.row - 1, S)
            S = leg.A @ S + leg.B
            if wanted[leg.row]:
                sensitivities[place[leg.row]] = S  # what is sampled at a row is seen there
            if leg.event:
                times.append((leg.event, float(self.run.t[leg.row]), S[self.layout.t].copy()))
        return sensitivities, times

    def _check_need(self, need: Need, row: int, S: Array) -> None:
        """Refuse changes of the state that not all of the contacts that push can follow."""
        k = len(need.names)
        lack = need.A[:k] @ S + need.B[:k]
        sizes = np.abs(need.A[k:]) @ np.abs(S) + np.abs(need.B[k:])
        rounding = _ROUNDING * np.abs(need.A).max() * np.abs(S).max(axis=0)
        wrong = np.abs(lack).max(axis=0) > _TOGETHER * sizes.max(axis=0) + rounding
        if wrong.any():
            names = dict.fromkeys(need.names)
            raise SimulationError(
                f"the run of '{self.maps.problem.name}' has no derivatives at t = {self.run.t[row]:.9g} s: contacts "
                f"{', '.join(map(repr, names))} depend on each other, and a change of "
                f"{self.quantities[int(np.argmax(wrong))]!r} opens one of them",
                self.run,
            )

    def backward(self, end: Array) -> tuple[Array, Array]:
        """Adjoint of y at the start, and derivatives by the directions, of an adjoint at the end."""
        adjoint, total = end, np.zeros(self.directions.shape[1])
        for leg in self.legs(backward=True):
            total = total + leg.B.T @ adjoint
            adjoint = leg.A.T @ adjoint
        return adjoint, total

    def cost(self) -> float:
        """Integral of the cost per second."""
        return self.maps.cost(self.run, self.c, self.p)
