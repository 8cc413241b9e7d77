"""Smooth maps of which the runs of a problem are made, compiled with their derivatives along directions.

``derivatives.py`` strings them together as a run did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.compile import compile_function
from dalembert.compile.kernel import Backend
from dalembert.core.constraint_tape import TapeFactors, acting
from dalembert.core.types import Array, Expression, ExpressionLike
from dalembert.engine.methods.constraints import ConstraintMethod
from dalembert.engine.methods.tableaus import Tableau
from dalembert.engine.problem.problem import Problem
from dalembert.simulation.rollout.tapes import events_tape, rollout_tapes
from dalembert.simulation.run import Run

__all__ = ["Advanced", "Along", "Lack", "Maps", "Places", "Seeds", "position_step", "velocity_step", "watched_events"]

_NAMES = ("t", "x", "c", "p")


class Along:
    """A function of (t, x, c, p, ...) with its derivatives along directions, many at once.

    Parameters
    ----------
    name
        Its name.
    symbols
        t, x, c, p, and further inputs that have no directions.
    expression
        Its values.
    backend
        As in `compile_function`; a function that is called a few times in a run is not worth compiling.
    """

    def __init__(
        self, name: str, symbols: Sequence[Expression], expression: ExpressionLike, backend: Backend = "vm"
    ) -> None:
        value = ca.densify(ca.SX(expression))
        seeds = [ca.SX.sym(f"d{n}", s.shape[0]) for n, s in zip(_NAMES, symbols, strict=False)]
        slope = ca.jtimes(value, ca.vertcat(*symbols[:4]), ca.vertcat(*seeds))
        more = [f"more{k}" for k in range(len(symbols) - 4)]
        function = ca.Function(
            name,
            [*symbols, *seeds],
            ca.cse([value, ca.densify(slope)]),
            [*_NAMES, *more, *(f"d{n}" for n in _NAMES)],
            ["out", "along"],
        )
        self._kernel = compile_function(function, backend=backend, shapes={"t": (), "dt": ()})

    def __call__(
        self, t: float | Array, x: Array, c: Array, p: Array, *further: Array, along: Sequence[ArrayLike]
    ) -> tuple[Array, Array]:
        """Return values (...,n) and derivatives (..., directions, n), of states (...) along (..., directions)."""
        values, slopes = self._kernel(
            np.asarray(t)[..., None], x[..., None, :], c[..., None, :], p, *(w[..., None, :] for w in further), *along
        )
        return values[..., 0, :], slopes


def position_step(
    problem: Problem, symbols: Sequence[Expression], rows: Expression | None = None, error: Expression | None = None
) -> Expression:
    """State after one step of Newton's method onto the constraints, in the metric of the mass matrix.

    It also takes away an ``error`` of further rows (nv x k).
    """
    system = problem.constrained
    assert system is not None
    x = symbols[1]
    Jt, phi, _, M = (ca.SX(y) for y in system.geometry(*symbols))
    Jt, phi, on = _with_rows(Jt, phi, _on(problem, x), rows, error)
    factors = TapeFactors(M, Jt, on)
    return ca.vertcat(ca.SX(system.move(x, factors.correction(phi), symbols[3])), x[system.nq :])


def velocity_step(
    problem: Problem, symbols: Sequence[Expression], rows: Expression | None = None, error: Expression | None = None
) -> Expression:
    """State with velocities that the constraints allow, and that leave no ``error`` of further rows (nv x k)."""
    system = problem.constrained
    assert system is not None
    x, nq, nv = symbols[1], system.nq, system.nv
    Jt, _, phidot, M = (ca.SX(y) for y in system.geometry(*symbols))
    Jt, phidot, on = _with_rows(Jt, phidot, _on(problem, x), rows, error)
    change = TapeFactors(M, Jt, on).correction(phidot)
    return ca.vertcat(x[:nq], x[nq : nq + nv] + change, x[nq + nv :])


def _with_rows(
    Jt: Expression, residual: Expression, on: list[Expression], rows: Expression | None, error: Expression | None
) -> tuple[Expression, Expression, list[Expression]]:
    """Rows of the constraints, their residuals, and which are active, with further rows that always are."""
    if rows is None:
        return Jt, residual, on
    assert error is not None
    return ca.horzcat(Jt, rows), ca.vertcat(residual, error), [*on, *[ca.SX(1)] * rows.shape[1]]


def _on(problem: Problem, x: Expression) -> list[Expression]:
    system = problem.constrained
    assert system is not None
    return acting([None if flag < 0 else x[int(flag)] for flag in system.flags])


class Places(NamedTuple):
    """Where things are in ``y = (x, c, t, J)``."""

    n: int
    held: int

    @property
    def t(self) -> int:
        """Place of the time."""
        return self.n + self.held

    @property
    def cost(self) -> int:
        """Place of the cost."""
        return self.t + 1

    @property
    def size(self) -> int:
        """Length of y."""
        return self.t + 2


class Seeds(NamedTuple):
    """Directions of a derivative: in t (D), x (D, n), c, p, and the length h (D) of a step."""

    t: Array
    x: Array
    c: Array
    p: Array
    h: Array

    @classmethod
    def none(cls, at: Places, n_p: int) -> Seeds:
        """Return one direction in which nothing changes."""
        return cls(np.zeros(1), np.zeros((1, at.n)), np.zeros((1, at.held)), np.zeros((1, n_p)), np.zeros(1))


class Lack(NamedTuple):
    """Equations of a step that depend on each other.

    Parameters
    ----------
    step
        Number of the step.
    missing
        By how much each of them fails along each direction (D, equations).
    terms
        Derivatives of all equations of the step with impulses as they are.
    names
        Block of each of them.
    """

    step: int
    missing: Array
    terms: Array
    names: tuple[str, ...]


class Advanced(NamedTuple):
    """States after N steps (N, n), with derivatives of the states (N, D, n) and of the cost (N, D).

    ``lacks`` are equations that do not hold along every direction.
    """

    x: Array
    dx: Array
    dJ: Array
    lacks: Sequence[Lack] = ()


def watched_events(problem: Problem, way: ConstraintMethod | None = None) -> Along | None:
    """Return the event functions of a problem; None: there are none."""
    symbols, specs = [ca.SX.sym(n, problem.ode.size1_in(k)) for k, n in enumerate(_NAMES)], problem.event_specs
    if specs and problem.constrained is not None and problem.constrained.unilateral:
        assert way is not None
        return Along("events", symbols, events_tape(problem, symbols, way)(*symbols)[0])
    if specs and problem.events is not None:
        return Along("events", symbols, problem.events(*symbols))
    return None


@dataclass(frozen=True, eq=False)
class Maps:
    """The maps that runs of a problem are made of, compiled with their derivatives.

    Parameters
    ----------
    problem
        The problem.
    way
        How constraints are kept.
    tableau
        The integrator.
    running
        ``running(t, x, c, p)``: cost per second; None: there is none.
    backend
        As in `compile_function`.
    """

    problem: Problem
    way: ConstraintMethod
    tableau: Tableau
    running: Any = None
    backend: Backend = "auto"
    rates: Along = field(init=False)
    settle: Along | None = field(init=False)
    events: Along | None = field(init=False)
    moving: tuple[int, ...] = field(init=False)  # states on which anything depends

    def __post_init__(self) -> None:
        problem = self.problem
        symbols = [ca.SX.sym(n, problem.ode.size1_in(k)) for k, n in enumerate(_NAMES)]
        x = symbols[1]
        ode = rollout_tapes(problem, self.way)[0]
        rates = ca.SX(ode(*symbols) if problem.constrained is None else ode(*symbols)[0])
        cost = ca.SX(0) if self.running is None else ca.SX(self.running(*symbols))
        settled = x
        for offset in problem.quaternions:
            settled = ca.vertcat(
                settled[:offset],
                settled[offset : offset + 4] / ca.norm_2(settled[offset : offset + 4]),
                settled[offset + 4 :],
            )
        stages: list[Expression] = [settled]
        if self.way.projects and problem.constrained is not None and problem.constrained.m:
            for step in (position_step, velocity_step):
                stages.append(ca.SX(step(problem, [symbols[0], stages[-1], *symbols[2:]])))
        same = len(stages) == 1 and not problem.quaternions
        for name, value in (
            ("rates", Along("rates", symbols, ca.vertcat(rates, cost), self.backend)),
            ("settle", None if same else Along("settle", symbols, stages[-1], self.backend)),
            ("events", watched_events(problem, self.way)),
            ("moving", _moving(x, ca.vertcat(rates, cost, stages[-1] - x))),
        ):
            object.__setattr__(self, name, value)

    @property
    def layout(self) -> Places:
        """Places in y."""
        return Places(self.problem.n_states, len(self.problem.held_names))

    @property
    def numbers_per_direction(self) -> int:
        """Numbers that a step needs for each direction."""
        return self.layout.size * (self.tableau.stages + 1)

    def advance(self, run: Run, rows: NDArray[np.int64], c: Array, p: Array, seeds: Seeds) -> Advanced:
        """Return the states after the steps that begin at these rows, with their derivatives."""
        T, n, D = self.tableau, self.problem.n_states, len(seeds.t)
        t, x, h = run.t[rows], run.x[rows], run.t[rows + 1] - run.t[rows]
        dt, dx, dc, dp, dh = seeds
        K: list[Array] = []
        slopes: list[Array] = []

        def combined(weights: Array) -> tuple[Array, Array]:
            """Sum of the stages, and its derivatives."""
            value, slope = np.zeros((len(rows), n + 1)), np.zeros((len(rows), D, n + 1))
            for w, K_s, dK_s in zip(weights, K, slopes, strict=False):
                if w != 0.0:
                    value += w * K_s
                    slope += w * dK_s
            return value, h[:, None, None] * slope + dh[:, None] * value[:, None, :]

        last = T.stages - 1 if T.fsal else T.stages  # of the last stage nothing depends
        for s in range(last):
            value, slope = combined(T.a[s])
            K_s, dK_s = self.rates(
                t + T.c[s] * h,
                x + h[:, None] * value[:, :n],
                c,
                p,
                along=(dt + T.c[s] * dh, dx + slope[..., :n], dc, dp),
            )
            K.append(K_s)
            slopes.append(dK_s)
        value, slope = combined(T.b)
        x1, dx1, dJ = x + h[:, None] * value[:, :n], dx + slope[..., :n], slope[..., n]
        if self.settle is not None:
            x1, dx1 = self.settle(t + h, x1, c, p, along=(dt + dh, dx1, dc, dp))
        return Advanced(x1, dx1, dJ)

    def cost(self, run: Run, c: Array, p: Array) -> float:
        """Integral of the cost per second, by the integrator of the run."""
        T, n, total = self.tableau, self.layout.n, 0.0
        rows, nothing = np.flatnonzero(np.diff(run.t) > 0.0), Seeds.none(self.layout, len(p))[:4]
        for chunk in np.array_split(rows, max(1, len(rows) // 4096)):
            t, x, h = run.t[chunk], run.x[chunk], run.t[chunk + 1] - run.t[chunk]
            K: list[Array] = []
            for s in range(T.stages - 1 if T.fsal else T.stages):
                shift = sum((a * K_s for a, K_s in zip(T.a[s], K, strict=False)), np.zeros((len(chunk), n + 1)))
                at = t + T.c[s] * h
                K.append(self.rates(at, x + h[:, None] * shift[:, :n], c[chunk], p, along=nothing)[0])
            total += float(sum(h @ (b * K_s[:, n]) for b, K_s in zip(T.b, K, strict=False)))
        return total


def _moving(x: Expression, expression: Expression) -> tuple[int, ...]:
    depends = ca.which_depends(expression, x, 1, False)
    return tuple(k for k, one in enumerate(depends) if one)
