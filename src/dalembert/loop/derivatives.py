"""Runs of machines with the data of their derivatives: the start, the steps, the impacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.collide.smooth import with_smooth_contacts
from dalembert.core.constraint_tape import TapeFactors, acting
from dalembert.core.errors import InputError, SimulationError, UnknownNameError
from dalembert.core.states import named_vector, place_of
from dalembert.core.types import Array, Expression, StateLike
from dalembert.core.warn import warn
from dalembert.engine.methods.contacts import TimeStepping
from dalembert.engine.problem.problem import Problem
from dalembert.engine.problem.stepping import SteppingSystem
from dalembert.formulations.constraints.assembly import freedoms_left
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.loop.closed_loop import ClosedLoop
from dalembert.loop.experiment import Experiment, Start
from dalembert.loop.outlets import DERIVATIVES
from dalembert.loop.simulate import compose, run_experiment
from dalembert.model.checks import refuse_stick
from dalembert.simulation.derivatives import Passage
from dalembert.simulation.methods import agree
from dalembert.simulation.run import Run
from dalembert.simulation.step_maps import Along, Maps, position_step, velocity_step
from dalembert.simulation.stepped_maps import SteppedMaps

__all__ = ["LinearisedRun", "check_quantities", "differentiable", "linearised_run", "refuse_shared_forces"]

_FOUND = 1e-8  # part by which a start or an impact that is computed again may differ
_NEWTON = 60


def differentiable(experiment: Experiment) -> Experiment:
    """Return an experiment whose contacts have derivatives: colliders become contacts of all their pairs."""
    machine = experiment.machine
    if not machine.colliders or not isinstance(experiment.contact, TimeStepping):
        return experiment
    options, coordinates = experiment.equations.variant
    made = with_smooth_contacts(machine, "time-stepping has no derivatives through them")
    eom = derive(made, experiment.by, coordinates=coordinates, backend=experiment.backend, **options)
    p = experiment.p
    if p is not None and not isinstance(p, Mapping):
        p = dict(zip(experiment.equations.p_names, p, strict=True))
    return replace(experiment, machine=cast(Any, eom), p=p)


def check_quantities(eom: EquationsOfMotion, wrt: Sequence[str]) -> tuple[str, ...]:
    """Return names of parameters and initial values; refuse those that do not exist, or cannot change alone."""
    names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
    machine = eom.machine
    if not names:
        raise InputError(
            "there is nothing to differentiate with respect to: give names of parameters or initial values"
        )
    known = [*eom.p_names, *(f"q0.{n}" for n in machine.q_names), *(f"v0.{n}" for n in machine.v_names)]
    quaternions = {n for n in machine.q_names if n.rpartition(".")[2] in ("qw", "qx", "qy", "qz")}
    for name in names:
        if name not in known:
            raise UnknownNameError("parameter or initial value", name, known, f"machine '{machine.name}'")
        kind, rest = place_of(name)
        if kind == "q0" and rest in quaternions:
            raise InputError(f"{name!r} is an entry of a unit quaternion: it cannot change alone")
    return names


@dataclass(frozen=True, eq=False)
class LinearisedRun:
    """A run with its derivatives.

    Parameters
    ----------
    run
        The run, a row for every step.
    passage
        Its maps.
    start
        Derivatives of ``y`` at the start (see `Passage`).
    loop
        The closed loop.
    """

    run: Run
    passage: Passage
    start: Array
    loop: ClosedLoop

    def backward(self, end: Array) -> Array:
        """Return derivatives of a cost by the quantities, of its derivatives by ``y`` at the end."""
        if self.loop.problem.stepping is not None and self.run["contact.undetermined"].any():
            # changes that contacts which depend on each other cannot follow show only from the start on
            self.passage.forward(self.start, np.zeros(len(self.run.t), dtype=bool))
        adjoint, total = self.passage.backward(end)
        return np.asarray(total + self.start.T @ adjoint)


def linearised_run(
    experiment: Experiment, wrt: tuple[str, ...], *, running: tuple[Any, Any] = (None, None)
) -> LinearisedRun:
    """Simulate, and say how the run depends on parameters and initial values.

    Parameters
    ----------
    experiment
        The experiment to run; the interval of records is one at which steps end, but every step has a row.
    wrt
        Quantities, as in `check_quantities`.
    running
        Key of the cost per second in the cache, and ``running(problem)``, a function of (t, x, c, p).
    """
    eom, settings, start = DERIVATIVES.check(experiment).equations, experiment.settings, experiment.start
    assert isinstance(start, Start)
    loop = compose(experiment)
    problem = loop.problem
    method, way = agree(problem, experiment.integrator, experiment.constraints)
    tableau = method.tableau
    _check(experiment, loop)
    if problem.stepping is None and (tableau is None or (problem.constrained is not None and "tape" in way.tapes)):
        raise InputError(
            "derivatives of runs need an explicit method and constraints='projection' or 'baumgarte', got method "
            f"{method.name!r} and {way.name!r}"
        )
    q0, v0 = start.q, _named(start.v, wrt)
    every_step = experiment.replace(record=None, v0=v0)
    run = run_experiment(every_step, progress=False, marks=settings.record, each_transition=True)
    if not run.ok and run.status != "stopped":
        raise SimulationError(f"the run with derivatives ended early: {run.message}", run)
    parameters = eom.parameter_values(experiment.p)
    directions = np.array([[float(name == other) for other in wrt] for name in eom.p_names]).reshape(-1, len(wrt))

    def make() -> Maps | SteppedMaps:
        cost = running[1] and running[1](problem)
        if tableau is None:
            return SteppedMaps(problem, cost, eom.backend)
        return Maps(problem, way, tableau, cost, eom.backend)

    maps = eom.kept.once("maps", (problem, way, tableau, running[0]), make, at_most=8)
    schedule = None if loop.controller is None or loop.constant is not None else loop.controller
    held = loop.constant if loop.constant is not None else np.zeros(0) if schedule is None else schedule.initial
    impacts = _Impacts(eom, loop, run, parameters)
    passage = Passage(
        maps, run, parameters, directions, schedule, held, impacts.jump, settings.seed, settings.member, wrt
    )
    given, left = _given(eom, run, q0, parameters)
    names = (given, _wanted(v0))
    starts = eom.kept.once("starts", (problem, *names), lambda: _Start(eom, loop, *names))
    slopes = np.zeros((passage.layout.size, len(wrt)))
    slopes[: problem.n_states] = starts.derivatives(run, start, v0, left, parameters, directions, wrt)
    if isinstance(maps, SteppedMaps):
        _tell_impacts(maps, passage)
    return LinearisedRun(run, passage, slopes, loop)


def _tell_impacts(maps: SteppedMaps, passage: Passage) -> None:
    """Warn of impacts: steps do not resolve their instants."""
    if hits := maps.impacts(passage.run, passage.c, passage.p):
        first, *others = hits
        more = f" and {len(others)} more" if others else ""
        warn(
            f"machine '{maps.problem.name}': '{first[0]}' hits at t = {first[1]:.6g} s{more}. The derivatives are "
            "those of the steps, in which an impact keeps its instant; those of contact='event-driven' include the "
            "change of the instant"
        )


def refuse_shared_forces(linearised: LinearisedRun, expression: Expression, x: Expression) -> None:
    """Refuse derivatives of forces that are not unique, and of the losses of single contacts with them."""
    run, problem = linearised.run, linearised.loop.problem
    stepping = problem.stepping
    if stepping is None or not run["contact.undetermined"].any():
        return
    shared = {*range(stepping.first_force, stepping.first_force + stepping.n_forces), *stepping.losses}
    depends = ca.which_depends(ca.SX(expression), x, 1, False)
    names = [problem.state_names[i] for i, one in enumerate(depends) if one and i in shared]
    if names:
        t = run.t[int(np.argmax(run["contact.undetermined"] > 0.0))]
        raise SimulationError(
            f"{', '.join(map(repr, names))} of machine '{problem.name}' has no derivatives: forces are not unique at "
            f"t = {t:.9g} s; velocities and positions have derivatives",
            run,
        )


def _named(v0: StateLike, wrt: Sequence[str]) -> StateLike:
    """Initial velocities that name all that they are differentiated with respect to: those are kept."""
    if v0 is not None and not isinstance(v0, Mapping):
        return v0
    asked = [place_of(name)[1] for name in wrt if place_of(name)[0] == "v0"]
    return {**dict.fromkeys(asked, 0.0), **(v0 or {})} or None


def _given(eom: EquationsOfMotion, run: Run, q0: StateLike, p: Array) -> tuple[tuple[str, ...], int]:
    """Initial coordinates that the start keeps, if the constraints leave them free; and how many freedoms they leave.

    Attitudes are kept, too, but by four numbers of three: they are left to the projection.
    """
    if not isinstance(q0, Mapping) or not eom.machine.constrained:
        return (), eom.nv
    x = run.x[0]
    q, _ = eom.to_machine(x[: eom.nq], x[eom.nq : eom.nq + eom.nv], p=p)
    left = freedoms_left(eom, q, tuple(q0), t=float(run.t[0]), p=p)
    return ((), eom.nv) if left is None else (tuple(sorted(q0)), left)


def _wanted(v0: StateLike) -> tuple[str, ...]:
    return tuple(v0) if isinstance(v0, Mapping) else ()


def _check(experiment: Experiment, loop: ClosedLoop) -> None:
    """Refuse experiments that have no derivatives."""
    name = experiment.machine.name
    if loop.controller is not None and loop.constant is None and not loop.controller.native:
        owners = ", ".join(repr(update.name) for update in loop.controller.updates if not update.native)
        raise InputError(f"derivatives of runs need laws that are expressions, not Python controllers, got {owners}")
    if loop.controller is not None and loop.controller.routines:
        raise InputError(
            f"derivatives of runs need laws that are expressions, and {loop.controller.routines} is a routine in C"
        )
    for sensor in (*experiment.machine.sensors, *experiment.sensors):
        if np.any(sensor.quantum):
            raise InputError(f"sensor '{sensor.name}' rounds its readings: that has no derivatives; give quantum=0")
    system = loop.problem.constrained
    if loop.problem.stepping is not None:
        _check_stepping(experiment, loop.problem.stepping)
        return
    refuse_stick(experiment.machine, "a run with derivatives", "use friction_law='smooth'", bristles=False)
    if system is not None and system.rubbing:
        raise InputError(f"contacts of machine '{name}' with friction have no derivatives")


def _check_stepping(experiment: Experiment, stepping: SteppingSystem) -> None:
    """Refuse machines whose time-stepping has no derivatives."""
    machine = experiment.machine
    refused = [
        (experiment.equations.constrained, "loops, cables and ropes: use contact='event-driven'"),
        (any(count for _, count in stepping.loads), "joint friction that depends on a load: use friction_law='smooth'"),
    ]
    for wrong, what in refused:
        if wrong:
            raise InputError(f"time-stepping of machine '{machine.name}' has no derivatives through {what}")


class _Start:
    """The start of a run: from coordinates of the machine onto the constraints, with the values that are kept."""

    def __init__(
        self, eom: EquationsOfMotion, loop: ClosedLoop, given: tuple[str, ...], wanted: tuple[str, ...]
    ) -> None:
        machine, problem = eom.machine, loop.problem
        self._given = given
        self._eom, self._loop, self._problem, self._wanted = eom, loop, problem, wanted
        t, machine_state = ca.SX.sym("t"), ca.SX.sym("x", machine.nq + machine.nv)
        c, p = ca.SX.sym("c", 0), ca.SX.sym("p", len(eom.p_names))
        q, v = eom.formulation.from_machine(machine_state[: machine.nq], machine_state[machine.nq :], p)
        rest = ca.SX(ca.DM(np.concatenate([loop.z0, [0.0, 0.0]])))
        x = ca.vertcat(ca.SX(q), ca.SX(v), rest)
        if loop.switching is not None:
            system, base = loop.switching.eom.constraint_system, loop.switching.latches.start
            y = system.variables
            for _, where, expression in system.latch_table.measures:
                x[base + where.start : base + where.stop] = ca.substitute(
                    expression, ca.vertcat(y.q, y.t, y.p), ca.vertcat(q, t, p)
                )
        self._from_machine = Along("given", [t, machine_state, c, p], x)
        self._position: Along | None = None
        self._velocity: list[Along] = []
        if problem.constrained is not None and problem.constrained.m:
            symbols = [ca.SX.sym(n, problem.ode.size1_in(k)) for k, n in enumerate("txcp")]
            self._position = self._placed(symbols)
            if wanted:
                self._velocity.append(self._kept(symbols))
            self._velocity.append(Along("velocity", symbols, velocity_step(problem, symbols)))

    def _placed(self, symbols: Sequence[Expression]) -> Along:
        """A step onto the constraints, with those coordinates kept that were given: an input more, as in `_kept`."""
        eom, s, x = self._eom, self._eom.symbolic, symbols[1]
        names = list(eom.machine.q_names)
        q = ca.SX(s.to_machine[0])[[names.index(name) for name in self._given]]
        rates = ca.jtimes(q, s.q, s.coordinate_rate) if self._given else ca.SX(0, 1)
        at = ca.vertcat(x[: eom.nq], symbols[3])
        here = [ca.substitute(ca.SX(e), ca.vertcat(s.q, s.p), at) for e in (q, ca.jacobian(rates, s.v).T)]
        asked = ca.SX.sym("asked", len(self._given))
        zero = [symbols[0], x, ca.SX.zeros(symbols[2].shape[0]), symbols[3]]
        rows = (here[1], here[0] - asked) if self._given else (None, None)
        return Along("position", [symbols[0], x, asked, symbols[3]], position_step(self._problem, zero, *rows))

    def _kept(self, symbols: Sequence[Expression]) -> Along:
        """Velocities with the requested ones kept: these are an additional input, in the place of the held values."""
        eom, s, x = self._eom, self._eom.symbolic, symbols[1]
        names = list(eom.machine.v_names)
        v = s.to_machine[1][[names.index(name) for name in self._wanted]]
        at = ca.vertcat(x[: eom.nq], x[eom.nq : eom.nq + eom.nv], symbols[3])
        here = [ca.substitute(e, ca.vertcat(s.q, s.v, s.p), at) for e in (ca.SX(v), ca.jacobian(v, s.v).T)]
        asked = ca.SX.sym("asked", len(self._wanted))
        zero = [symbols[0], x, ca.SX.zeros(symbols[2].shape[0]), symbols[3]]
        value = velocity_step(self._problem, zero, here[1], here[0] - asked)
        return Along("kept", [symbols[0], x, asked, symbols[3]], value)

    def derivatives(
        self, run: Run, start: Start, v0: StateLike, left: int, p: Array, directions: Array, wrt: Sequence[str]
    ) -> Array:
        """Derivatives of the first state (n, quantities); ``left``: how many freedoms the given coordinates leave."""
        machine, m, t0 = self._eom.machine, len(wrt), start.t
        q = named_vector(start.q, machine.q_names, machine.q_neutral, "q0")
        if isinstance(start.branch, Mapping):
            q = named_vector(start.branch, machine.q_names, q, "branch")
        v = named_vector(v0, machine.v_names, np.zeros(machine.nv), "v0")
        seeds = np.zeros((m, machine.nq + machine.nv))
        asked, placed = np.zeros((m, len(self._wanted))), np.zeros((m, len(self._given)))
        for k, name in enumerate(wrt):
            kind, rest = place_of(name)
            if kind == "q0":
                seeds[k, machine.q_names.index(rest)] = 1.0
                if rest in self._given:
                    placed[k, self._given.index(rest)] = 1.0
            elif kind == "v0":
                seeds[k, machine.nq + machine.v_names.index(rest)] = 1.0
                if self._wanted:
                    asked[k, self._wanted.index(rest)] = 1.0
        dt, dp = np.zeros(m), directions.T
        x, S = self._from_machine(t0, np.concatenate([q, v]), np.zeros(0), p, along=(dt, seeds, np.zeros((m, 0)), dp))
        there = run.x[0]
        if self._position is None:
            return np.asarray(S.T)
        switching = self._loop.switching
        assert switching is not None
        system = switching.eom.constraint_system
        measured = np.zeros(len(x), dtype=bool)
        for _, where, _ in system.latch_table.measures:
            measured[switching.latches.start + where.start : switching.latches.start + where.stop] = True
        flip = measured & (np.abs(x + there) < np.abs(x - there))  # quaternions of the other sign
        x, S = np.where(flip, -x, x), np.where(flip, -S, S)
        flags = np.zeros(len(x), dtype=bool)
        flags[switching.latches] = True
        x = np.where(flags & ~measured, there, x)
        c, dc = np.zeros(len(self._problem.held_names)), np.zeros((m, len(self._problem.held_names)))
        if not left:  # what is given determines all coordinates, however they were found
            x = np.where(np.arange(len(x)) < self._eom.nq, there, x)
        places = np.array([q[machine.q_names.index(name)] for name in self._given])
        for _ in range(_NEWTON):
            before = x
            x, S = self._position(t0, x, places, p, along=(dt, S, placed, dp))
            if np.abs(x - before).max() <= 1e-13 * (1.0 + np.abs(x).max()):
                break
        values = np.array([v[machine.v_names.index(name)] for name in self._wanted])
        for step in self._velocity:
            kept = self._wanted and step is self._velocity[0]
            x1, S1 = step(t0, x, values if kept else c, p, along=(dt, S, asked if kept else dc, dp))
            if np.isfinite(x1).all() and (np.abs(x1 - there) <= _FOUND * (1.0 + np.abs(there))).all():
                return np.asarray(S1.T)
        raise InputError(
            f"the initial state of machine '{machine.name}' cannot be differentiated: it is not the projection of the "
            "given state onto its constraints (an impact at the start, or constraints that depend on each other)"
        )


class _Impacts:
    """The transitions of a run: impacts of rows that begin to act, numbers that constraints measure.

    Velocities after an impact are ``v + M^-1 J^T P`` with ``J v1 + Phi_t = -e (J v + Phi_t)`` for all rows with an
    impulse and all that act both ways. The rows are taken from the run; the map must reproduce the run.
    """

    def __init__(self, eom: EquationsOfMotion, loop: ClosedLoop, run: Run, p: Array) -> None:
        self._eom, self._loop, self._run, self._p = eom, loop, run, p
        self._log = run.metadata.get("transitions", [])

    def jump(self, number: int, y: Array, after: Array, directions: Array) -> tuple[Array, Array]:
        """Derivatives of the state after a transition, as `Passage` asks for them."""
        problem, switching = self._loop.problem, self._loop.switching
        n, held, m = problem.n_states, len(problem.held_names), directions.shape[1]
        if switching is None or number >= len(self._log):
            raise InputError(f"transitions of machine '{problem.name}' that are Python functions have no derivatives")
        entry = self._log[number]
        x, c, t = y[:n], y[n : n + held], float(y[n + held])
        size = len(y)
        seeds = np.vstack([np.eye(size), np.zeros((m, size))])
        dp = np.vstack([np.zeros((size, len(self._p))), directions.T])
        along = (seeds[:, n + held], seeds[:, :n], seeds[:, n : n + held], dp)
        D = seeds[:, :n].copy()
        if entry["impulse"]:
            D = self._struck(entry, t, x, c, along, after)
        base = switching.latches.start
        system = switching.eom.constraint_system
        begun = [name for name in entry["on"] if x[base + system.latch_index(f"active.{name}")] < 0.5]
        if any(name in begun for name, _, _ in system.latch_table.measures):
            value, slope = self._measures(t, x, c, self._p, along=along)
            for name, where, _ in system.latch_table.measures:
                if name in begun:
                    place = slice(base + where.start, base + where.stop)
                    sign = (
                        -1.0
                        if np.abs(value[place] + after[place]).sum() < np.abs(value[place] - after[place]).sum()
                        else 1.0
                    )
                    D[:, place] = sign * slope[:, place]
        return D[:size].T, D[size:].T

    @property
    def _measures(self) -> Along:
        """The state with all that constraints measure."""
        eom, problem, switching = self._eom, self._loop.problem, self._loop.switching
        assert switching is not None

        def make() -> Along:
            system, base = switching.eom.constraint_system, switching.latches.start
            symbols = [ca.SX.sym(n, problem.ode.size1_in(k)) for k, n in enumerate("txcp")]
            y, x = system.variables, ca.SX(symbols[1])
            for _, where, expression in system.latch_table.measures:
                x[base + where.start : base + where.stop] = ca.substitute(
                    expression, ca.vertcat(y.q, y.t, y.p), ca.vertcat(symbols[1][: eom.nq], symbols[0], symbols[3])
                )
            return Along("measures", symbols, x)

        return eom.kept.once("measuring", problem, make, at_most=8)

    def _struck(
        self, entry: Mapping[str, Any], t: float, x: Array, c: Array, along: Sequence[ArrayLike], after: Array
    ) -> Array:
        """Derivatives of the state after an impact."""
        problem, switching = self._loop.problem, self._loop.switching
        assert switching is not None
        assert problem.constrained is not None
        system, struck = problem.constrained, set(entry["impulse"])
        acts = system.active(after)
        for row in system.unilateral:
            acts[row] = system.row_names[row] in struck
        state = slice(system.nq, system.nq + system.nv)
        kernel = self._eom.kept.once("impacts", problem, lambda: _impact_map(switching.eom, problem), at_most=8)
        for bounce in (1.0, 0.0):
            value, slope = kernel(t, x, c, self._p, acts.astype(float), np.array([bounce]), along=along)
            size = 1.0 + np.abs(after[state]).max()
            if np.isfinite(value).all() and np.abs(value - after)[state].max() <= _FOUND * size:
                return np.asarray(slope)
        raise SimulationError(
            f"the impact at t = {t:.9g} s ({', '.join(entry['events'])}) has no derivatives: several bodies strike, "
            "and its impulses are not those of one law of restitution",
            self._run,
        )


def _impact_map(eom: EquationsOfMotion, problem: Problem) -> Along:
    """(t, x, c, p, which rows act, whether they bounce) -> state after the impact."""
    system = problem.constrained
    assert system is not None
    symbols = [ca.SX.sym(n, problem.ode.size1_in(k)) for k, n in enumerate("txcp")]
    acts, bounce = ca.SX.sym("acts", system.m), ca.SX.sym("bounce", 1)
    x, nq, nv = symbols[1], system.nq, system.nv
    Jt, _, phidot, M = (ca.SX(e) for e in system.geometry(*symbols))
    contacts, e = eom.constraint_system.contacts, ca.SX.zeros(system.m)
    of_pairs = ca.substitute(contacts.restitution, contacts.variables.p, symbols[3])
    for r in eom.constraint_system.rows:
        if r.kind == "contact":
            e[r.start] = of_pairs[contacts.names.index(r.name)]
    factors = TapeFactors(M, Jt, acting([acts[i] for i in range(system.m)]))
    v = x[nq : nq + nv]
    dv, impulses = factors.dynamics(ca.SX.zeros(nv), -(1 + bounce * e) * phidot)
    v1, change = v + dv, Jt.T @ dv
    after = ca.vertcat(x[:nq], v1, x[nq + nv :])
    for row, place in enumerate(system.losses):
        if place >= 0:
            after[int(place)] += (phidot[row] + change[row] / 2) * impulses[row]
    after[system.work_loss] -= ca.dot(phidot + change / 2, impulses)
    after[system.work_input] += ca.dot(phidot - Jt.T @ v, impulses)
    return Along("impact", [*symbols, acts, bounce], after)
