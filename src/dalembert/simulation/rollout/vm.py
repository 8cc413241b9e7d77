"""Rollouts where there is no compiler: member after member on the virtual machine."""

from __future__ import annotations

from collections.abc import Callable

import casadi
import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.engine.constraints.fallback import PythonConstrained
from dalembert.engine.methods.constraints import ConstraintMethod, Projection
from dalembert.engine.problem.problem import Problem
from dalembert.engine.sampling import Schedule
from dalembert.engine.setup import normalise
from dalembert.simulation.engines.fallback import evaluator
from dalembert.simulation.methods import TABLEAUS
from dalembert.simulation.rollout.measures import Measures, reduce_step
from dalembert.simulation.rollout.members import Members
from dalembert.simulation.rollout.plan import Plan
from dalembert.simulation.rollout.stops import PROBE, STOPPED, WIDTH, terminal_events

__all__ = ["VmRollout"]

_Function = Callable[[float, Array, Array], Array]


class VmRollout:
    """The time loop of a problem in NumPy; see `LaneRollout`."""

    backend = "vm"

    def __init__(
        self,
        problem: Problem,
        method: str,
        measures: Measures | None = None,
        schedule: Schedule | None = None,
        way: ConstraintMethod | None = None,
    ) -> None:
        self._problem, self._measures, self._schedule = problem, measures, schedule
        self._way = Projection() if way is None else way
        self._tableau = TABLEAUS[method]
        if self._tableau.adaptive:
            raise InputError(
                f"rollouts by method {method!r} need a C compiler: install gcc, clang or the ziglang wheel, do not ask "
                "for backend='vm', or take fixed steps"
            )
        self._stops = terminal_events(problem)

    def run(self, plan: Plan, members: Members, *, threads: int, proceed: Callable[[float], bool]) -> None:
        """Integrate all members; see `RolloutEngine`."""
        x, p, rows, status, done = members.x, members.p, members.rows, members.status, members.done
        for i in range(len(x)):
            parameters = p[i] if p.ndim == 2 else p
            held = members.held[i] if members.held.ndim == 2 else members.held
            clock = 0.0 if members.clock is None else float(members.clock[i])
            ode, project = self._equations(parameters)
            look, watch = self._gauge(members, i, held, parameters), self._watch(members, i, parameters, ode, project)
            if self._schedule is None:
                look(clock + float(plan.segments[0]["anchor"]), 0.0, 0.0)
            for segment in plan.segments:
                if segment["sample"] >= 0 and not status[i]:
                    self._sample(plan, members, i, clock + float(segment["anchor"]), parameters, segment)
                    look(clock + float(segment["anchor"]), 0.0, 0.0)
                steps = [float(segment["h"])] * int(segment["count"])
                steps += [float(segment["rest"])] if segment["rest"] > 0.0 else []
                for k, h in enumerate(steps):
                    if status[i]:
                        break
                    t = clock + float(segment["anchor"]) + (int(segment["first"]) + k) * float(segment["h"])
                    new = self._step(ode, t, h, x[i], held)
                    bad = np.flatnonzero(~np.isfinite(new))
                    if not len(bad):
                        new = project(t + h, new, held)
                    if not np.isfinite(new).all():
                        status[i], members.failed_at[i] = 1 + (bad[0] if len(bad) else len(new)), t
                    else:
                        x[i], end = watch(t, h, x[i].copy(), new, held)
                        look(t + end, end, 1e-9 * float(segment["h"]))
                if segment["row"] >= 0:
                    rows[i, segment["row"]] = np.nan if status[i] else x[i]
                    if members.held_rows is not None:
                        members.held_rows[i, segment["row"]] = np.nan if status[i] else held
                    done[i] = segment["row"] + 1
                    if not proceed((i + done[i] / len(plan.t)) / len(x)):
                        return

    def bind(self, plan: Plan, members: Members, *, threads: int) -> Callable[[], None]:
        """Return what runs the same plan again; see `RolloutEngine`."""
        return lambda: self.run(plan, members, threads=threads, proceed=lambda fraction: True)

    def _sample(self, plan: Plan, members: Members, i: int, t: float, p: Array, segment: np.void) -> None:
        """Set anew what is due for a member."""
        if self._schedule is None or members.numbers is None or members.held_rows is None:
            return
        held, number = members.held[i], int(members.numbers[i])
        for update, k in zip(self._schedule.updates, plan.instants[segment["sample"]].tolist(), strict=True):
            if k >= 0 and isinstance(update.function, casadi.Function):
                values = update.function(t, members.x[i], held, p, update.drawn(members.seed, k, number))
                held[list(update.rows)] = np.array(values.full())[:, 0]
        if segment["begin"] >= 0:
            members.held_rows[i, segment["begin"]] = held

    def _gauge(self, members: Members, i: int, held: Array, p: Array) -> Callable[[float, float, float], None]:
        """Return (t, h, slack) -> None, which looks at the measures of a member at the end of a step."""
        measures, memory = self._measures, members.measured
        if measures is None or memory is None:
            return lambda t, h, slack: None
        value = evaluator(measures.function, p)
        before = np.zeros(len(measures))

        def look(t: float, h: float, slack: float) -> None:
            y = value(t, members.x[i], held)
            reduce_step(measures, t, h, slack, y, before, memory[i])
            before[:] = y

        return look

    def _watch(
        self, members: Members, i: int, p: Array, ode: _Function, project: _Function
    ) -> Callable[[float, float, Array, Array, Array], tuple[Array, float]]:
        """Return (t, h, x, new, held) -> the state after the step and its length, less if the member stops within."""
        stops, all_signs = self._stops, members.signs
        if stops is None or all_signs is None:
            return lambda t, h, x, new, held: (new, h)
        value, signs = evaluator(stops.function, p), all_signs[i]

        def substep(t: float, s: float, x: Array, held: Array) -> tuple[Array, Array]:
            new = project(t + s, self._step(ode, t, s, x, held), held)
            return new, value(t + s, new, held)

        def watch(t: float, h: float, x: Array, new: Array, held: Array) -> tuple[Array, float]:
            if np.isnan(signs[0]):
                signs[:] = np.sign(substep(t, PROBE * h, x, held)[1])
            g = value(t + h, new, held)
            if not stops.crossed(signs, g).any():
                signs[:] = np.sign(g)
                return new, h
            near, far = 0.0, h
            while far - near > WIDTH * h:
                middle = near + 0.5 * (far - near)
                crossed = stops.crossed(signs, substep(t, middle, x, held)[1]).any()
                near, far = (near, middle) if crossed else (middle, far)
            new, g = substep(t, far, x, held)
            members.status[i] = STOPPED - int(np.argmax(stops.crossed(signs, g)))
            members.failed_at[i] = t + far
            return new, far

        return watch

    def _equations(self, p: Array) -> tuple[_Function, _Function]:
        """Return (t, x, c) -> x' and the projection of a state (t, x, c) -> x."""
        if self._problem.constrained is None:
            return evaluator(self._problem.ode, p), lambda t, x, c: x
        constrained = PythonConstrained(self._problem, p, self._way)
        return constrained.ode, constrained.project

    def _step(self, ode: _Function, t: float, h: float, x: Array, held: Array) -> Array:
        a, b, c = self._tableau.a, self._tableau.b, self._tableau.c
        k = np.zeros((len(b), len(x)))
        with np.errstate(over="ignore", invalid="ignore"):
            for s in range(len(b)):
                k[s] = ode(t + c[s] * h, x + h * (a[s, :s] @ k[:s]), held)
            new = x + h * (b @ k)
            normalise(new, self._problem.quaternions)
        return new
