"""Smooth maps of which the runs of a problem are made, compiled with their derivatives along directions.

``derivatives.py`` strings them together as a run did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile import compile_function
from dalembert.compile.kernel import Backend
from dalembert.core.constraint_tape import TapeFactors, acting
from dalembert.core.types import Array, Expression, ExpressionLike
from dalembert.engine.methods.constraints import ConstraintMethod
from dalembert.engine.methods.tableaus import Tableau
from dalembert.engine.problem.problem import Problem
from dalembert.simulation.rollout.tapes import events_tape, rollout_tapes

__all__ = ["Along", "Maps", "Places", "position_step", "velocity_step"]

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
        specs = problem.event_specs
        events = None
        if specs and problem.constrained is not None and problem.constrained.unilateral:
            events = events_tape(problem, symbols, self.way)(*symbols)[0]
        elif specs and problem.events is not None:
            events = problem.events(*symbols)
        same = len(stages) == 1 and not problem.quaternions
        for name, value in (
            ("rates", Along("rates", symbols, ca.vertcat(rates, cost), self.backend)),
            ("settle", None if same else Along("settle", symbols, stages[-1], self.backend)),
            ("events", None if events is None else Along("events", symbols, events)),
            ("moving", _moving(x, ca.vertcat(rates, cost, stages[-1] - x))),
        ):
            object.__setattr__(self, name, value)

    @property
    def layout(self) -> Places:
        """Places in y."""
        return Places(self.problem.n_states, len(self.problem.held_names))


def _moving(x: Expression, expression: Expression) -> tuple[int, ...]:
    depends = ca.which_depends(expression, x, 1, False)
    return tuple(k for k, one in enumerate(depends) if one)
