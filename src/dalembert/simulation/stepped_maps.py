"""Derivatives of time-stepping steps, by implicit differentiation of the solved step.

A step is a smooth expression F(y, x) of the state y and of its impulses x (`stepped_tape`), and so are the velocities u
of the contacts. In the mode in which each block was solved, open, sticking or slipping, the laws are smooth equations
E(u, x) = 0 (`contact_modes`):

    (E_u u_x + E_x) dx = -E_u u_y dy,    d(state after) = F_y dy + F_x dx.

The engine takes every step of the run again, which returns its impulses. Forces that are not unique have no
derivatives, but the velocities do: the pseudo-inverse returns the least change of the impulses, and all others give the
same velocities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from dalembert.compile.kernel import Backend
from dalembert.core.errors import SimulationError
from dalembert.core.types import Array
from dalembert.engine.kernels import problem_kernels
from dalembert.engine.library import library
from dalembert.engine.problem.problem import Problem
from dalembert.engine.problem.stepping import BlockLaw, SteppingSystem
from dalembert.engine.stepping.native import DIRECT, NativeStepping
from dalembert.simulation.contact_modes import (
    BlockMode,
    coulomb_equations,
    coulomb_mode,
    settle_shared,
    stiction_equations,
    stiction_mode,
)
from dalembert.simulation.impulse_changes import solve_changes
from dalembert.simulation.run import Run
from dalembert.simulation.step_maps import Advanced, Along, Lack, Places, Seeds, watched_events
from dalembert.simulation.stepped_tape import StepTape, step_tape

__all__ = ["SteppedMaps"]

_NEAR = 1e-6  # margin of a mode below which the run has no derivatives
_TINY = 1e-300
_FAST, _STILL = 2.0, 1e-7  # as in step.h: closing speed by that of free motion; least speed [m/s]
_UNSOLVED = 100.0  # times the tolerance: residual above which impulses do not solve the step; at least _LEAST
_LEAST = 1e-6


class _Solved(NamedTuple):
    """Impulses of N steps.

    Impulses of both rounds (N, rows); of each block its rebound, its displacement, how many of its
    kinds of rows turn (none, normal, tangents too), and whether it acts (1 or 0);
    numbers of the laws; in how many parts each step was taken (N, 1).
    """

    first: Array
    second: Array
    bounce: Array
    displacement: Array
    turns: Array
    acts: Array
    numbers: Array
    parts: Array

    @property
    def on(self) -> NDArray[np.bool_]:
        """Which blocks act."""
        return self.acts > 0.5


@dataclass(frozen=True, eq=False)
class SteppedMaps:
    """The maps that time-stepping runs of a problem are made of, compiled with their derivatives.

    Parameters
    ----------
    problem
        The problem.
    running
        ``running(t, x, c, p)``: cost per second; None: there is none.
    backend
        As in `compile_function`.
    """

    problem: Problem
    running: Any = None
    backend: Backend = "auto"
    tape: StepTape = field(init=False)
    events: Along | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tape", step_tape(self.problem, self.running, self.backend))
        object.__setattr__(self, "events", watched_events(self.problem))

    @property
    def system(self) -> SteppingSystem:
        """The blocks of the problem."""
        assert self.problem.stepping is not None
        return self.problem.stepping

    @property
    def layout(self) -> Places:
        """Places in y."""
        return Places(self.problem.n_states, len(self.problem.held_names))

    @property
    def moving(self) -> tuple[int, ...]:
        """States on which anything depends."""
        return self.tape.moving

    @property
    def numbers_per_direction(self) -> int:
        """Numbers that a step needs for each direction."""
        return 2 * self.tape.outputs["shared"].stop

    def advance(self, run: Run, rows: NDArray[np.int64], c: Array, p: Array, seeds: Seeds) -> Advanced:
        """Return the states after the steps that begin at these rows, with their derivatives."""
        system = self.system
        n, D = self.problem.n_states, len(seeds.t)
        x1, dx1, dJ = np.empty((len(rows), n)), np.empty((len(rows), D, n)), np.empty((len(rows), D))
        lacks: list[Lack] = []
        solved = self._solved(run, rows, c, p)
        patterns, members = np.unique(solved.on, axis=0, return_inverse=True)
        for k, on in enumerate(patterns):
            chosen = np.flatnonzero(members.ravel() == k)
            part = _Solved(*(array[chosen] for array in solved))
            group = self._group(run, rows[chosen], c[chosen], p, seeds, part, on)
            x1[chosen], dx1[chosen], dJ[chosen] = group.x, group.dx, group.dJ
            lacks += [lack._replace(step=int(chosen[lack.step])) for lack in group.lacks]
        account = [system.residual, system.sweeps, system.undetermined, system.lowered]  # they have no derivatives
        x1[:, account] = run.x[rows + 1][:, account]
        return Advanced(x1, dx1, dJ, lacks)

    def cost(self, run: Run, c: Array, p: Array) -> float:
        """Integral of the cost per second, by the trapezoidal rule."""
        rows = np.flatnonzero(np.diff(run.t) > 0.0)
        solved = self._solved(run, rows, c[rows], p)
        value, _ = self._evaluated(run, rows, c[rows], p, solved, Seeds.none(self.layout, len(p)), np.zeros((1, 0)))
        return float(value[:, self.tape.outputs["cost"]].sum())

    def impacts(self, run: Run, c: Array, p: Array) -> list[tuple[str, float]]:
        """Return impacts, by contact and time: pairs that close faster than free motion makes it in two steps."""
        system, out = self.system, self.tape.outputs
        rows = np.flatnonzero(np.diff(run.t) > 0.0)
        solved = self._solved(run, rows, c[rows], p)
        value, _ = self._evaluated(run, rows, c[rows], p, solved, Seeds.none(self.layout, len(p)), np.zeros((1, 0)))
        hits = []
        for a, law in enumerate(system.laws):
            before, free = value[:, out["before"].start + a], value[:, out["free"].start + a]
            pushes = solved.on[:, a] & (solved.second[:, system.tables["row_start"][a]] > 0.0)
            strikes = pushes & (-before > _FAST * np.abs(free - before)) & (law is not BlockLaw.STICTION)
            hits += [(system.names[a], float(t)) for t in run.t[rows[strikes & (-before > _STILL)]]]
        return sorted(hits, key=lambda hit: hit[1])

    def _solved(self, run: Run, rows: NDArray[np.int64], c: Array, p: Array) -> _Solved:
        """Take the steps again; refuse those that have no derivatives."""
        system, n = self.system, self.problem.n_states
        kernels = problem_kernels(self.problem, self.backend).stepping_codes()
        steps = NativeStepping(system, n, kernels)
        tables, k = system.tables, len(system.names)
        R, numbers = tables["row_start"][-1], tables["mu_start"][-1]
        after, account = np.empty((len(rows), n)), np.empty((len(rows), 2 * R + 4 * k + numbers + 1))
        t, h, x, held, parameters = (
            np.ascontiguousarray(a, dtype=float) for a in (run.t[rows], np.diff(run.t)[rows], run.x[rows], c, p)
        )
        held = held.reshape(len(rows), -1)
        done = library("stepping").moreau_retrace(
            steps.address, len(rows), *(a.ctypes.data for a in (t, h, x, held)), held.shape[1], parameters.ctypes.data,
            after.ctypes.data, account.ctypes.data,
        )  # fmt: skip
        solved, there = _Solved(*np.split(account, np.cumsum([R, R, k, k, k, k, numbers]), axis=1)), run.x[rows + 1]
        for wrong, reason in (
            (np.arange(len(rows)) >= done, "a repetition of the step fails"),
            (solved.parts[:, 0] > 1.5, "a fast pair was swept, which cuts the step; take a shorter step"),
            (there[:, system.lowered] > 0.0, "restitution was lowered because it would have added energy"),
            (
                there[:, system.residual] > max(_UNSOLVED * system.way.tolerance, _LEAST),
                "the impulses do not solve the step (contact.residual); take a shorter step, or more sweeps",
            ),
        ):
            if wrong.any():
                self._refuse(run, rows[np.argmax(wrong)], reason)
        return solved

    def _refuse(self, run: Run, row: int, reason: str) -> NoReturn:
        raise SimulationError(
            f"the run of '{self.problem.name}' has no derivatives at t = {run.t[row]:.9g} s: {reason}", run
        )

    def _evaluated(
        self,
        run: Run,
        rows: NDArray[np.int64],
        c: Array,
        p: Array,
        solved: _Solved,
        seeds: Seeds,
        more: Array,
        share: Array | None = None,
    ) -> tuple[Array, Array]:
        """Values and derivatives of the tape; ``more``: directions in the impulses and displacements as well."""
        h, at = run.t[rows + 1] - run.t[rows], self.tape.inputs
        shared = np.zeros_like(solved.first) if share is None else share
        inputs = np.hstack([run.x[rows], h[:, None], solved.first, solved.second, solved.displacement, shared])
        D, E, m = len(seeds.t), len(more) if more.size else 0, at["share"].stop
        dx = np.zeros((D + E, m))
        dx[:D, at["x"]], dx[:D, at["h"].start] = seeds.x, seeds.h
        if E:
            dx[D:, at["first"].start : at["share"].start] = more
        rebounds, turns = solved.bounce < 0.0, solved.turns
        nothing = np.zeros((E, 1))
        along = (
            np.append(seeds.t, np.zeros(E)),
            dx,
            np.vstack([seeds.c, nothing * np.zeros(seeds.c.shape[1])]),
            np.vstack([seeds.p, nothing * np.zeros(seeds.p.shape[1])]),
        )

        def run_tape(clipped: NDArray[np.bool_], along: Sequence[Array]) -> tuple[Array, Array]:
            flags = np.hstack([rebounds, clipped, turns > 0.5, turns > 1.5]).astype(float)
            return self.tape.kernel(run.t[rows], inputs, c, p, flags, along=along)

        clipped = np.zeros_like(rebounds)
        if rebounds.any():
            gap, _ = run_tape(clipped, [a[:1] * 0.0 for a in along])
            clipped = rebounds & (gap[:, self.tape.outputs["gap_after"]] < 0.0)
        return run_tape(clipped, along)

    def _group(
        self,
        run: Run,
        rows: NDArray[np.int64],
        c: Array,
        p: Array,
        seeds: Seeds,
        solved: _Solved,
        on: NDArray[np.bool_],
    ) -> Advanced:
        """Steps in which the same blocks act."""
        system = self.system
        tables, out, D = system.tables, self.tape.outputs, len(seeds.t)
        R = tables["row_start"][-1]
        active = [int(a) for a in np.flatnonzero(on)]
        spans = [range(tables["row_start"][a], tables["row_start"][a + 1]) for a in active]
        acting = np.array([row for span in spans for row in span], dtype=np.intp)
        closing = np.array([a for a in active if system.laws[a] is not BlockLaw.STICTION], dtype=np.intp)
        r, g = len(acting), len(closing)
        more = np.zeros((2 * r + g, 2 * R + len(system.names)))
        for k, place in enumerate((*acting, *(R + acting), *(2 * R + closing))):
            more[k, place] = 1.0
        value, slope = self._evaluated(run, rows, c, p, solved, seeds, more)
        slope = slope.copy()
        h, dh = (run.t[rows + 1] - run.t[rows])[:, None], np.append(seeds.h, np.zeros(2 * r + g))
        margins = self._limits(value, solved, h[:, 0])
        modes, lacks, terms = dict[int, BlockMode](), list[Lack](), list[Array]()
        sizes = [len(span) for span in spans]
        places = [slice(end - size, end) for size, end in zip(sizes, accumulate(sizes), strict=True)]
        rounds = (("first", solved.first, D), ("second", solved.second, D + r)) if r else ()
        for pass_, impulses, start in rounds:
            own = np.zeros((len(dh), r))
            own[start : start + r] = np.eye(r)
            U, dU = value[:, out[pass_]][:, acting], slope[..., out[pass_]][..., acting]
            X, W = impulses[:, acting], np.swapaxes(dU[:, start : start + r], 1, 2)
            diagonal = np.diagonal(W, axis1=1, axis2=2)
            laws = [_Block(self, a, value, slope, h, dh, solved.numbers) for a in active]
            modes = {law.a: law.mode(X[:, at], U[:, at], diagonal[:, at]) for law, at in zip(laws, places, strict=True)}
            limits = [law.limit for law in laws]
            settle_shared(list(modes.values()), [system.laws[a] for a in active], limits, X, U, W, _NEAR)
            margins += [(a, mode.margin.min(axis=1)) for a, mode in modes.items()]
            equations = np.empty((len(rows), len(dh), r))
            for law, at in zip(laws, places, strict=True):
                mine = np.broadcast_to(own[:, at], (len(rows), *own[:, at].shape))
                equations[..., at] = law.equations(modes[law.a], X[:, at], U[:, at], diagonal[:, at], mine, dU[..., at])
            names = [system.names[a] for a, span in zip(active, spans, strict=True) for _ in span]
            terms.append(equations[:, :D].copy())
            weights = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
            solution = solve_changes(equations, start, r, D, weights)
            if solution.some.size:
                firm = np.hstack([law.firm(modes[law.a]) for law in laws])
                turning = solution.choices(firm, W)
                if turning and (r > DIRECT or not all(choice.unique for choice in turning)):
                    self._refuse(run, rows[turning[0].step], "the motion depends on forces that are not unique")
                if turning:
                    share = np.zeros((len(turning), R))
                    share[:, acting] = [choice.share(X[choice.step], W[choice.step]) for choice in turning]
                    some = np.array([choice.step for choice in turning])
                    chosen = _Solved(*(array[some] for array in solved))
                    moved = self._evaluated(run, rows[some], c[some], p, chosen, seeds, np.zeros((1, 0)), share)[1]
                    for choice, turned in zip(turning, moved[..., out["shared"]][..., acting], strict=True):
                        choice.apply(solution.change, turned)
            lacks += solution.apply(slope, start, equations[:, :D], names)
        self._check(run, rows, margins)
        stays = [
            modes[int(a)].pushes & ~(solved.bounce[:, a] < 0.0) | (solved.displacement[:, a] > 0.0) for a in closing
        ]
        if g:
            start = D + 2 * r
            W = np.stack([slope[:, start + k, out["gap_after"].start + a] for k, a in enumerate(closing)], axis=1)
            root = np.sqrt(np.maximum(W, _TINY))[:, None, :]
            own = np.zeros((len(dh), g))
            own[start:] = np.eye(g)
            gaps = slope[..., out["gap_after"].start + closing] / root
            equations = np.where(np.stack(stays, axis=1)[:, None, :], gaps, own * root) / h[..., None]  # as velocities
            terms.append(equations[:, :D].copy())
            solution = solve_changes(equations, start, g, D, root[:, 0])
            lacks += solution.apply(slope, start, equations[:, :D], [system.names[a] for a in closing])
        lacks = [lack._replace(terms=np.hstack([entry[lack.step] for entry in terms])) for lack in lacks]
        n = self.problem.n_states
        return Advanced(value[:, :n], slope[:, :D, :n], slope[:, :D, out["cost"].start], lacks)

    def _limits(self, value: Array, solved: _Solved, h: Array) -> list[tuple[int, Array]]:
        """Return how near each contact comes to closing, or not, within the step, and to rebounding, or not."""
        system, out = self.system, self.tape.outputs
        contacts = [a for a, law in enumerate(system.laws) if law is not BlockLaw.STICTION]
        margins = []
        for a in contacts:
            names = ("gap", "before", "free", "way", "restitution")
            gap, before, free, way, e = (value[:, out[name].start + a] for name in names)
            closes = (gap + way) / np.maximum(np.abs(gap) + np.abs(way), _TINY)
            on, row = solved.on[:, a], system.tables["row_start"][a]
            pushes = on & (solved.second[:, row] > 0.0)
            margin = np.where(pushes & (gap > system.way.margin), -closes, np.where(on, np.inf, closes))
            gained = _FAST * np.abs(free - before)
            rebounds = np.abs(-before - gained) / np.maximum(np.abs(before) + gained, _TINY)
            margins.append((a, np.where(on & (e != 0.0) & (before < 0.0), np.minimum(margin, rebounds), margin)))
        return margins

    def _check(self, run: Run, rows: NDArray[np.int64], margins: Sequence[tuple[int, Array]]) -> None:
        """Refuse steps near the limit of a mode."""
        for a, margin in margins:
            if len(margin) and margin.min() < _NEAR:
                i = int(np.argmin(margin))
                where = f"margin {margin[i]:.2g}, least {_NEAR:g}"
                self._refuse(run, rows[i], f"'{self.system.names[a]}' changes its mode there ({where})")


@dataclass(frozen=True, eq=False)
class _Block:
    """A block in N steps: its law, with values and derivatives of the tape."""

    maps: SteppedMaps
    a: int
    value: Array
    slope: Array
    h: Array
    dh: Array
    numbers: Array

    @property
    def _place(self) -> int:
        """Where the numbers of its law begin."""
        return self.maps.system.tables["mu_start"][self.a]

    @property
    def _at(self) -> int:
        """Where they begin in the output of the tape."""
        return self.maps.tape.outputs["numbers"].start + self._place

    @property
    def _is_joint(self) -> bool:
        return self.maps.system.laws[self.a] is BlockLaw.STICTION

    @property
    def _limits(self) -> tuple[Array, NDArray[np.bool_]]:
        """Largest impulses of a joint at rest and in motion, and whether it has broken away."""
        limits = self.value[:, self._at : self._at + 2] * self.h
        return limits, self.numbers[:, self._place] < 0.5 * (limits[:, 0] + limits[:, 1])

    @property
    def limit(self) -> Array:
        """Friction of a contact, or the largest impulse of a joint (N)."""
        if not self._is_joint:
            return self.value[:, self._at]
        limits, broken = self._limits
        return np.where(broken, limits[:, 1], limits[:, 0])

    def mode(self, x: Array, u: Array, W: Array) -> BlockMode:
        """Mode of the block."""
        if self._is_joint:
            limits, broken = self._limits
            return stiction_mode(x, u, limits, broken, W)
        out = self.maps.tape.outputs
        before, free = (self.value[:, out[name].start + self.a] for name in ("before", "free"))
        return coulomb_mode(x, u, self.value[:, self._at], W, np.abs(before) + np.abs(free))

    def firm(self, mode: BlockMode) -> NDArray[np.bool_]:
        """Which of its rows do not move (N, rows)."""
        if self._is_joint:
            return mode.sticks[:, None]
        tangents = 2 * [mode.sticks & mode.pushes] if self.maps.system.sizes[self.a] == 3 else []
        return np.stack([mode.pushes, *tangents], axis=1)

    def equations(self, mode: BlockMode, x: Array, u: Array, W: Array, dx: Array, du: Array) -> Array:
        """Derivatives of its equations (N, directions, rows)."""
        if not self._is_joint:
            mu, dmu = self.value[:, self._at], self.slope[..., self._at]
            return coulomb_equations(mode, x, u, mu, W, dx, du, dmu)
        _, broken = self._limits
        numbers, slopes = self.value[:, None, self._at : self._at + 2], self.slope[..., self._at : self._at + 2]
        dlimits = slopes * self.h[..., None] + self.dh[:, None] * numbers
        return stiction_equations(mode, W, dx, du, np.where(broken[:, None], dlimits[..., 1], dlimits[..., 0]))
