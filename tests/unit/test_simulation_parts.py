"""Parts of simulations one by one: maps of steps and their products, changes of impulses, modes, tapes, the audit."""

from __future__ import annotations

import re
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.support.all_rows import machine_of_all_rows

import dalembert as da
from dalembert import control
from dalembert.core.constraint_algebra import correction, minimum_norm
from dalembert.core.constraint_tape import SHARE
from dalembert.engine.loop.watch import told as told_log
from dalembert.engine.methods.constraints import Baumgarte, Projection
from dalembert.engine.problem.stepping import BlockLaw
from dalembert.engine.records import EventRecord
from dalembert.engine.setup import Outcome
from dalembert.engine.stepping.native import solve_blocks
from dalembert.engine.unilateral.native import NOT_CLOSED
from dalembert.loop.closed_loop import close_loop
from dalembert.simulation.contact_modes import (
    coulomb_equations,
    coulomb_mode,
    settle_shared,
    stiction_equations,
    stiction_mode,
)
from dalembert.simulation.derivatives import Need, Passage
from dalembert.simulation.energy import EnergyAudit
from dalembert.simulation.impulse_changes import ImpulseChoice, solve_changes
from dalembert.simulation.integrate import _blame_signal, _Ending, _failure
from dalembert.simulation.methods import TABLEAUS
from dalembert.simulation.rollout.events import EventSteps
from dalembert.simulation.rollout.tapes import (
    constraint_macros,
    events_tape,
    lasting_rows,
    outside_modes,
    rollout_tapes,
)
from dalembert.simulation.run import EndState
from dalembert.simulation.step_limits import longest_step, too_long_for
from dalembert.simulation.step_maps import Maps, Seeds
from dalembert.systems.mechanisms import four_bars

NAMES = ("t", "x", "c", "p")
RK4, DOPRI5 = TABLEAUS["rk4"], TABLEAUS["dopri5"]

# -- maps of steps ----------------------------------------------------------------------------------------------------


def _spinning() -> da.Machine:
    """A body that tumbles and carries a pendulum, with a spring, a damper, a motor and a parameter."""
    return da.Machine(
        "tumbler",
        [da.box("hub", 2.0, (0.6, 0.4, 0.2)), da.point_mass("bob", da.Parameter("m", 0.7), com=(0.0, 0.0, -0.8))],
        [da.Joint("hub", "free", "world", "hub"),
         da.Joint("turn", "revolute", "hub", "bob", axis="y", stiffness=3.0, damping=0.2)],
        motors=[da.Motor("u", "turn")],
    )  # fmt: skip


@cache
def _problem() -> Any:
    eom = da.equations(_spinning(), backend="vm")
    there = da.Event("there", lambda t, q, v: q[7] - 0.9 + 0.1 * t, terminal=True)
    law = control.Sampled(da.PD({"u": 5.0}, {"u": 0.7}, {"u": 0.4}), 0.02)
    return close_loop(eom, law, events=[there])


def _running(t: Any, x: Any, c: Any, p: Any) -> Any:
    return x[7] ** 2 * p[0] + ca.sin(t) * c[0]


@cache
def _maps(name: str = "rk4") -> Maps:
    tableau = {"rk4": RK4, "dopri5": DOPRI5}[name]
    return Maps(_problem().problem, Projection(), tableau, _running, "vm")


@cache
def _rates() -> ca.Function:
    problem = _problem().problem
    symbols = [ca.SX.sym(n, problem.ode.size1_in(k)) for k, n in enumerate(NAMES)]
    return ca.Function("rates", symbols, [ca.vertcat(problem.ode(*symbols), _running(*symbols))])


def _stepped(t: float, x: NDArray[Any], c: Any, p: Any, h: float) -> NDArray[Any]:
    """A step of the classical method of order four, quaternions normalised, and the integral of the cost."""

    def f(t: float, x: Any) -> NDArray[Any]:
        return np.array(_rates()(t, x, c, p)).ravel()

    k1 = f(t, x)
    k2 = f(t + h / 2.0, x + h / 2.0 * k1[:-1])
    k3 = f(t + h / 2.0, x + h / 2.0 * k2[:-1])
    k4 = f(t + h, x + h * k3[:-1])
    total = h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    y = np.append(x + total[:-1], total[-1])
    y[3:7] /= np.linalg.norm(y[3:7])
    return y


def _start(seed: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """A random state, held values and parameters."""
    rng, loop = np.random.default_rng(seed), _problem()
    x = np.zeros(loop.problem.n_states)
    x[:3] = 0.3 * rng.normal(size=3)
    x[3:7] = rng.normal(size=4)
    x[3:7] /= np.linalg.norm(x[3:7])
    x[7], x[8:15] = 0.2, 0.5 * rng.normal(size=7)
    return x, 0.3 * rng.normal(size=len(loop.problem.held_names)), np.array([0.7])


def _run(t: Any, x: Any, **more: Any) -> Any:
    problem = _problem().problem
    return da.Run(
        t=np.array(t), x=np.array(x), y=np.zeros((len(t), 0)), held=np.zeros((len(t), 0)),
        state_names=problem.state_names, signal_names=(), held_names=(), events=more.get("events", ()),
        status="completed", message="", final=EndState(t[-1], np.array(x[-1])), metadata={},
    )  # fmt: skip


def test_a_step_and_its_derivatives() -> None:
    """By the state, held values, parameters, time and the length of the step, against differences of a step by hand."""
    x, c, p = _start(1)
    t, h, n, m = 0.3, 0.05, len(x), len(c)
    one = _stepped(t, x, c, p, h)
    run = _run([t, t + h], [x, one[:-1]])
    D = n + m + 3
    seeds = Seeds(np.zeros(D), np.zeros((D, n)), np.zeros((D, m)), np.zeros((D, 1)), np.zeros(D))
    seeds.x[:n], seeds.c[n : n + m], seeds.p[n + m] = np.eye(n), np.eye(m), 1.0
    seeds.t[-2] = seeds.h[-1] = 1.0
    maps = _maps()
    found = maps.advance(run, np.array([0]), c[None], p, seeds)
    np.testing.assert_allclose(found.x[0], one[:-1], atol=1e-13)
    e = 1e-6
    for k in range(D):
        ends = [
            _stepped(t + s * seeds.t[k], x + s * seeds.x[k], c + s * seeds.c[k], p + s * seeds.p[k], h + s * seeds.h[k])
            for s in (e, -e)
        ]
        slope = (ends[0] - ends[1]) / (2.0 * e)
        np.testing.assert_allclose(found.dx[0, k], slope[:-1], atol=1e-8)
        assert found.dJ[0, k] == pytest.approx(slope[-1], abs=1e-8)
    assert maps.cost(run, np.array([c, c]), p) == pytest.approx(one[-1], rel=1e-12)
    still = {
        k
        for k, name in enumerate(run.state_names)
        if name.startswith(("work.", "loss.")) or name in "hub.x hub.y hub.z"
    }
    assert set(range(n)) - set(maps.moving) <= still


def test_a_step_of_another_method() -> None:
    """One with a last stage that is the first of the next: as exact as the order says, with the same derivatives."""
    x, c, p = _start(2)
    t, h = 0.3, 0.02
    fine = x.copy()
    for k in range(20):
        fine = _stepped(t + k * h / 20.0, fine, c, p, h / 20.0)[:-1]
    n = len(x)
    found = _maps("dopri5").advance(_run([t, t + h], [x, x]), np.array([0]), c[None], p, Seeds.none(_maps().layout, 1))
    np.testing.assert_allclose(found.x[0], fine, atol=1e-9)
    assert not found.dx.any() and found.dx.shape == (1, 1, n) and DOPRI5.fsal and not RK4.fsal


def _chain(x: NDArray[Any], p: NDArray[Any], to_event: bool) -> tuple[Any, ...]:
    """A run by hand: steps of 0.01 s, a law that is sampled every 0.02 s, and an event at which it ends."""
    loop = _problem()
    (update,) = loop.controller.updates
    ts, xs, c, cost = [0.0], [x], loop.controller.initial.copy(), 0.0
    g = lambda t, x: x[7] - 0.9 + 0.1 * t  # noqa: E731
    for k in range(60):
        if k % 2 == 0:
            c[list(update.rows)] = np.array(update.function(ts[-1], xs[-1], c, p, [])).ravel()
        y = _stepped(ts[-1], xs[-1], c, p, 0.01)
        if to_event and g(ts[-1] + 0.01, y[:-1]) >= 0.0:
            low, high = 0.0, 0.01
            for _ in range(60):
                h = 0.5 * (low + high)
                low, high = (low, h) if g(ts[-1] + h, _stepped(ts[-1], xs[-1], c, p, h)[:-1]) > 0.0 else (h, high)
            y = _stepped(ts[-1], xs[-1], c, p, h)
            ts, xs, cost = [*ts, ts[-1] + h], [*xs, y[:-1]], cost + y[-1]
            break
        ts, xs, cost = [*ts, ts[-1] + 0.01], [*xs, y[:-1]], cost + y[-1]
        if not to_event and k == 4:
            break
    return ts, xs, cost, ts[-1]


@pytest.mark.parametrize("to_event", [False, True])
def test_derivatives_of_a_run_are_products_of_its_maps(to_event: bool) -> None:
    """Samples, steps and an event at the end, whose time changes; forward and backward alike."""
    x, _, p = _start(3)
    x[7], x[14] = 0.6, 15.0
    loop, maps = _problem(), _maps()
    ts, xs, cost, _ = _chain(x, p, to_event)
    assert len(ts) < 20 and (to_event or len(ts) == 6)
    events = (EventRecord("there", ts[-1], xs[-1], 0),) if to_event else ()
    run = _run(ts, xs, events=events)
    passage = Passage(maps, run, p, np.array([[1.0]]), loop.controller, loop.controller.initial, cast(Any, None))
    at, n = maps.layout, len(x)
    start = np.zeros((at.size, 3))
    start[7, 0] = start[14, 1] = 1.0
    wanted = np.zeros(len(ts), dtype=bool)
    wanted[[0, -1]] = True
    by_state, times = Passage(
        maps, run, p, np.zeros((1, 3)), loop.controller, loop.controller.initial, cast(Any, None)
    ).forward(start, wanted)
    by_parameter, _ = passage.forward(np.zeros((at.size, 1)), wanted)
    e = 1e-6
    moves = [(np.eye(n)[7], 0.0), (np.eye(n)[14], 0.0), (np.zeros(n), 1.0)]
    for k, (dx, dp) in enumerate(moves):
        ends = [_chain(x + s * dx, p + s * dp, to_event) for s in (e, -e)]
        slope = (ends[0][1][-1] - ends[1][1][-1]) / (2.0 * e)
        late, more = ((ends[0][i] - ends[1][i]) / (2.0 * e) for i in (3, 2))
        found = by_state[-1][:, k] if k < 2 else by_parameter[-1][:, 0]
        np.testing.assert_allclose(found[:n], slope, atol=2e-7)
        assert found[at.t] == pytest.approx(late, abs=1e-7) and found[at.cost] == pytest.approx(more, abs=1e-7)
    assert passage.cost() == pytest.approx(cost, rel=1e-10)
    np.testing.assert_array_equal(by_state[0][:n], start[:n])
    np.testing.assert_allclose(by_state[0][n], [-5.0, -0.7, 0.0], atol=1e-12)  # what is sampled at a row is seen there
    assert [(name, round(t, 9)) for name, t, _ in times] == ([("there", round(ts[-1], 9))] if to_event else [])
    end = np.random.default_rng(1).normal(size=at.size)
    adjoint, total = passage.backward(end)
    np.testing.assert_allclose(adjoint @ start[:, :2], end @ by_state[-1][:, :2], rtol=1e-9)
    np.testing.assert_allclose(total, end @ by_parameter[-1], rtol=1e-9)


def test_events_matter_where_a_run_ends_or_jumps() -> None:
    """Rows 1 and 2 are before and after a jump, rows 3 and 4 of an event without one."""
    run = SimpleNamespace(t=np.array([0.0, 1.0, 1.0, 2.0, 2.0, 3.0]), x=np.array([[0.0], [1.0], [-1], [0], [0], [1]]))
    found = [Passage._matters(cast(Any, SimpleNamespace(run=run)), row) for row in range(6)]
    assert found == [False, True, False, False, False, True]


def test_runs_that_are_not_retraced_are_refused() -> None:
    x, c, p = _start(4)
    one = _stepped(0.0, x, np.zeros(len(c)), p, 0.01)[:-1]
    one[14] += 1e-5
    passage = Passage(
        _maps(), _run([0.0, 0.01], [x, one]), p, np.zeros((1, 0)), None, np.zeros(len(c)), cast(Any, None)
    )
    with pytest.raises(da.InputError, match="'turn_dot' instead of"):
        list(passage.legs())


def test_changes_that_contacts_cannot_follow_are_refused() -> None:
    """A need: what its equations lack along a quantity, beside the sizes of its terms."""
    x, c, p = _start(5)
    one = _stepped(0.0, x, np.zeros(len(c)), p, 0.01)[:-1]
    given: Any = (_maps(), _run([0.0, 0.01], [x, one]), p, np.eye(1), None, np.zeros(len(c)), None)
    passage = Passage(*given, quantities=("speed", "mass"))
    A, B = np.zeros((3, 2)), np.zeros((3, 2))
    A[0, 1], A[1, 0], A[2, 1], B[2, 0] = 1e-3, 0.0, 2.0, 3.0
    need = Need(("one",), A, B)
    passage._check_need(need, 0, np.array([[1.0, 5.0], [0.0, 0.0]]))  # the lacking direction does not change
    with pytest.raises(da.SimulationError, match="a change of 'mass' opens"):
        passage._check_need(need, 0, np.array([[1.0, 1.0], [0.0, 2.0]]))


def test_steps_onto_constraints() -> None:
    """After a step positions are nearer to the constraints, and velocities on them; by differences again."""
    eom = da.equations(four_bars(2), backend="vm")
    problem = close_loop(eom, None).problem
    maps = Maps(problem, Projection(), RK4, None, "vm")
    rng = np.random.default_rng(6)
    n = problem.n_states
    from dalembert.formulations.constraints.projection import consistent_state

    near = consistent_state(eom, eom.q_neutral + 0.02 * rng.normal(size=eom.nq), 0.5 * rng.normal(size=eom.nv))
    x = np.concatenate([near.q, near.v, np.zeros(n - eom.nq - eom.nv)])
    for k, name in enumerate(problem.state_names):
        if name in eom.constraint_system.latch_names:
            x[k] = eom.constraint_system.latch_nominal[eom.constraint_system.latch_names.index(name)]
    h, p = 0.01, np.array(eom.machine.p_nominal)

    def one(x: NDArray[Any], seeds: Seeds) -> Any:
        run = SimpleNamespace(t=np.array([0.0, h]), x=np.array([x, x]))
        return maps.advance(cast(Any, run), np.array([0]), np.zeros((1, 0)), p, seeds)

    seeds = Seeds.none(maps.layout, len(p))
    after = one(x, seeds).x[0]
    assert np.abs(eom.constraints(after[: eom.nq])).max() < 1e-9
    assert np.abs(eom.constraint_velocity(after[: eom.nq], after[eom.nq : eom.nq + eom.nv])).max() < 1e-8
    d = np.zeros(n)
    d[: eom.nq + eom.nv] = rng.normal(size=eom.nq + eom.nv)
    seeds = seeds._replace(x=d[None])
    found, e = one(x, seeds).dx[0, 0], 1e-6
    slope = (one(x + e * d, seeds).x[0] - one(x - e * d, seeds).x[0]) / (2.0 * e)
    np.testing.assert_allclose(found, slope, atol=1e-6 * np.abs(slope).max())


# -- changes of impulses ----------------------------------------------------------------------------------------------


def test_changes_of_impulses_are_those_of_least_size() -> None:
    """Equations that depend on each other: the pseudo-inverse in the weights, and what then does not hold."""
    rng = np.random.default_rng(7)
    N, D, r = 2, 3, 4
    K = rng.normal(size=(N, r, r))
    K[1, 3] = K[1, 0] + K[1, 1]  # an equation too many in the second step
    given = rng.normal(size=(N, D, r))
    given[1, 0, 3] = given[1, 0, 0] + given[1, 0, 1]  # which holds along the first direction
    equations = np.zeros((N, D + r, r))
    equations[:, :D] = given
    equations[:, D:] = K.transpose(0, 2, 1)
    weights = rng.uniform(0.5, 2.0, (N, r))
    made = solve_changes(equations, D, r, D, weights)
    for i in range(N):
        scaled = K[i] / weights[i]
        expected = -(np.linalg.pinv(scaled, rcond=1e-9) @ given[i].T).T / weights[i]
        np.testing.assert_allclose(made.change[i], expected, rtol=1e-8, atol=1e-10)
    assert made.some.tolist() == [1]
    slope = rng.normal(size=(N, D + r, 5))
    before = slope.copy()
    lacks = made.apply(slope, D, given, ["a", "b", "c", "d"])
    for i in range(N):
        np.testing.assert_allclose(slope[i, :D], before[i, :D] + made.change[i] @ before[i, D:], rtol=1e-10)
    (lack,) = lacks
    assert lack.step == 1 and lack.names == ("a", "b", "c", "d")
    left = given[1] + made.change[1] @ K[1].T
    np.testing.assert_allclose(lack.missing, left, atol=1e-9)
    assert np.abs(lack.missing[0]).max() < 1e-9 < np.abs(lack.missing[1]).max()


def test_a_choice_among_impulses_keeps_its_rule() -> None:
    """``N^T dx = N^T d(Y Y^T) a`` along every direction; the change is along what nothing else determines."""
    rng = np.random.default_rng(8)
    N, free = rng.normal(size=(4, 1)), rng.normal(size=(4, 1))
    choice = ImpulseChoice(0, N, free, np.array([True, True, False, True]))
    assert choice.unique and not ImpulseChoice(0, N, np.zeros((4, 1)), choice.firm).unique
    change, turned = rng.normal(size=(1, 3, 4)), rng.normal(size=(3, 4))
    before = change.copy()
    choice.apply(change, turned)
    np.testing.assert_allclose(change[0] @ N, turned @ N, atol=1e-12)
    moved = change[0] - before[0]
    np.testing.assert_allclose(moved, moved @ free @ free.T / (free.T @ free), atol=1e-12)
    A = rng.normal(size=(4, 4))
    W, x = A @ A.T, rng.normal(size=4)
    share = choice.share(x, W)
    held = [0, 1, 3]
    np.testing.assert_allclose(W[np.ix_(held, held)] @ share[held], x[held], atol=1e-9)
    assert share[2] == 0.0


# -- modes ------------------------------------------------------------------------------------------------------------


def test_modes_of_joints() -> None:
    """At rest up to the larger limit; in motion against it, at the limit that holds then."""
    limits = np.array([[2.0, 1.5]] * 4)
    x, u = np.array([[1.9], [1.5], [-1.5], [-1.2]]), np.array([[0.0], [-0.4], [0.3], [0.0]])
    broken, W = np.array([False, True, True, False]), np.full((4, 1), 0.5)
    mode = stiction_mode(x, u, limits, broken, W)
    assert mode.sticks.tolist() == [True, False, False, True] and mode.pushes.all()
    assert mode.along[:, 0].tolist() == [1.0, 1.0, -1.0, -1.0] and np.isinf(mode.margin[:, 0]).all()
    slip = [0.4 / (0.5 * 1.5), 0.3 / (0.5 * 1.5)]
    expected = [0.05, abs(slip[0] - 0.5 / 1.5), abs(slip[1] - 0.5 / 1.5), 0.4]
    np.testing.assert_allclose(mode.margin[:, 1], expected, atol=1e-12)
    rng = np.random.default_rng(9)
    dx, du, dlimit = rng.normal(size=(4, 2, 1)), rng.normal(size=(4, 2, 1)), rng.normal(size=(4, 2))
    made = stiction_equations(mode, W, dx, du, dlimit)[..., 0]
    root = np.sqrt(0.5)
    np.testing.assert_allclose(made[0], du[0, :, 0] / root)
    np.testing.assert_allclose(made[1], (dx[1, :, 0] - dlimit[1]) * root)
    np.testing.assert_allclose(made[2], (dx[2, :, 0] + dlimit[2]) * root)
    still = stiction_mode(np.zeros((1, 1)), np.full((1, 1), 0.2), limits[:1], broken[1:2], W[:1])
    assert still.along.tolist() == [[-1.0]]  # without an impulse: against the motion


def test_modes_of_contacts_without_friction() -> None:
    mode = coulomb_mode(
        np.array([[2.0], [0.0]]), np.array([[0.0], [3.0]]), np.zeros(2), np.full((2, 1), 0.5), np.array([4.0, 6.0])
    )
    assert mode.pushes.tolist() == [True, False] and not mode.sticks.any()
    np.testing.assert_allclose(mode.margin, [[0.25, np.inf], [0.5, np.inf]])
    dx, du = np.array([[[1.0]], [[2.0]]]), np.array([[[3.0]], [[5.0]]])
    made = coulomb_equations(
        mode, np.zeros((2, 1)), np.zeros((2, 1)), np.zeros(2), np.full((2, 1), 0.5), dx, du, np.zeros((2, 1))
    )
    np.testing.assert_allclose(made.ravel(), [3.0 / np.sqrt(0.5), 2.0 * np.sqrt(0.5)])


def test_margins_of_contacts_with_friction() -> None:
    """The room to the cone of those that stick, the slip of those that slide, both relative."""
    x, u = np.array([[2.0, 0.3, 0.4], [2.0, -0.6, 0.0]]), np.array([[0.0, 0.0, 0.0], [0.0, 0.9, 0.0]])
    W, scale = np.array([[0.5, 1.0, 2.0]] * 2), np.array([4.0, 4.0])
    mode = coulomb_mode(x, u, np.array([0.5, 0.3]), W, scale)
    assert mode.sticks.tolist() == [True, False]
    np.testing.assert_allclose(mode.margin, [[0.25, 1.0 - 0.5 / 1.0], [0.25, 0.9 / (2.0 * 0.6)]])
    np.testing.assert_allclose(mode.along[1], [1.0, 0.0])


def test_blocks_at_their_limit_where_nothing_moves() -> None:
    """A body on two feet: the share of one is at the limit of friction, but it would rest with less."""
    J = np.array(
        [[0.0, 1.0, -0.3], [1.0, 0.0, 0.1], [0.0, 0.0, 0.0], [0.0, 1.0, 0.3], [1.0, 0.0, 0.1], [0.0, 0.0, 0.0]]
    )
    M = np.diag([1.0, 1.0, 0.1])
    W = (J @ np.linalg.solve(M, J.T))[None]
    free = J @ np.array([0.05, -1.0, 0.0])
    laws = [BlockLaw.COULOMB, BlockLaw.COULOMB]
    rest = solve_blocks(W[0], free, laws, [0.3, 0.3]).impulses
    x = rest.copy()
    x[1], x[4] = 0.3 * x[0], rest[1] + rest[4] - 0.3 * x[0]  # all of the friction at one foot
    u = (W[0] @ x + free)[None]
    limits = [np.array([0.3]), np.array([0.3])]
    for slope, expected in ((1.0, True), (30.0, False)):
        given = free * np.array([1.0, slope, 1.0] * 2)
        speeds = (W[0] @ x + given)[None] if slope > 1.0 else u
        own = [slice(0, 3), slice(3, 6)]
        W_d = np.diagonal(W, axis1=1, axis2=2)
        modes = [coulomb_mode(x[None, at], 0.0 * u[:, at], limits[0], W_d[:, at], np.ones(1)) for at in own]
        assert modes[0].margin[0, 1] < 1e-9
        settle_shared(modes, laws, limits, x[None], speeds, W, 1e-6)
        assert bool(np.isinf(modes[0].margin[0, 1])) == expected and bool(modes[0].sticks[0])


# -- tapes of rollouts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [Projection(), Baumgarte(alpha=3.0, beta=5.0)], ids=["projection", "baumgarte"])
def test_rates_of_many_members(way: Any) -> None:
    """Accelerations of the rows that last, with the terms of Baumgarte; a step of Newton's method onto them."""
    eom = da.equations(machine_of_all_rows(), backend="vm")
    problem = close_loop(eom, None).problem
    system = problem.constrained
    assert system is not None
    rubs = {k for k, name in enumerate(system.row_names) if "friction" in name or name in ("floor", "r")}
    kept = [k for k in range(system.m) if k not in rubs]
    assert lasting_rows(system) == kept
    assert [problem.state_names[k] for k in outside_modes(system)] == ["active.r", "active.floor"]
    ode, others = rollout_tapes(problem, way)
    rng = np.random.default_rng(10)
    x = np.zeros(problem.n_states)
    x[: eom.nq] = eom.random_configuration(rng, 0.2)
    for name in ("x1", "x2", "b.z"):
        x[eom.q_names.index(name)] += 1.0
    x[eom.nq : eom.nq + eom.nv] = 0.4 * rng.normal(size=eom.nv)
    names = eom.constraint_system
    for name, value in zip(names.latch_names, names.latch_nominal, strict=True):
        x[problem.state_names.index(name)] = value
    for name, on in (("active.c", 1.0), ("active.smooth", 0.0), ("active.floor", 0.0), ("active.r", 0.0)):
        x[problem.state_names.index(name)] = on
    given = (0.4, x, np.zeros(0), np.array(eom.machine.p_nominal))
    terms = {n: np.array(y) for n, y in zip(system.tape.name_out(), system.tape(*given), strict=True)}
    act = [k for k in kept if system.row_names[k] != "smooth"]
    J, gamma = terms["Jt"].T[act], terms["gamma"][act, 0].copy()
    if not way.projects:
        gamma -= 6.0 * terms["phidot"][act, 0] + 25.0 * terms["phi"][act, 0]
    exact = minimum_norm(terms["M"], terms["f"][:, 0], J, gamma)
    out, share = (np.array(y).ravel() for y in ode(*given))
    a = out[eom.nq : eom.nq + eom.nv]
    np.testing.assert_allclose(a, exact.acceleration, atol=1e-9 * np.abs(exact.acceleration).max())
    assert share[0] > SHARE
    assert out[system.work_input] == pytest.approx(exact.multipliers @ terms["phi_t"][act, 0], rel=1e-9)
    assert ("PROJECT" in others) == way.projects
    if way.projects:
        q, v = x[: eom.nq], x[eom.nq : eom.nq + eom.nv]
        moved, error, _ = (np.array(y).ravel() for y in others["PROJECT"](*given))
        np.testing.assert_allclose(moved[eom.nq :], v + correction(terms["M"], J, terms["phidot"][act, 0]), atol=1e-10)
        assert error[0] == pytest.approx(np.abs(terms["phi"][act, 0]).max())
        d = correction(terms["M"], J, terms["phi"][act, 0])
        np.testing.assert_allclose(moved[3 : eom.nq], eom.integrate(q, d)[3:], atol=1e-10)
    symbols = [ca.SX.sym(n, problem.ode.size1_in(k)) for k, n in enumerate(NAMES)]
    g, share = (np.array(y).ravel() for y in events_tape(problem, symbols, way)(*given))
    own = 0 if problem.events is None else problem.events.size1_out(0)
    rows = system.unilateral
    tensions, gaps = g[own : own + len(rows)], g[own + len(rows) : own + 2 * len(rows)]
    expected = [exact.multipliers[act.index(row)] if row in act else 1.0 for row in rows]
    np.testing.assert_allclose(tensions, expected, rtol=1e-8)
    open_ = [1.0 if row in act else 1e-11 - terms["phi"][row, 0] for row in rows]
    np.testing.assert_allclose(gaps, open_, rtol=1e-9)
    assert (g[own + 2 * len(rows) :] == 1.0).all() and len(g) == own + 2 * len(rows) + 3 * len(system.rubbing)
    assert share[0] > SHARE
    x[problem.state_names.index("active.floor")] = 1.0  # friction is not for the tape
    assert events_tape(problem, symbols, way)(*given)[1] == 0.0
    macros = constraint_macros(problem, way)
    assert macros["CONSTRAINED"] == 1 and macros["PROJECTS"] == int(way.projects) and macros["WATCHES"] == 1
    assert macros["N_POSE"] == eom.nq + eom.nv and macros["N_WATCHED"] == len(problem.event_specs)
    assert macros.get("N_COORDINATES") == (eom.nq if way.projects else None)
    alone = constraint_macros(problem, way, alone=True)
    assert (alone["ALONE"], alone["WATCHES"], alone["CONSTRAINED"], alone["N_WATCHED"]) == (
        1,
        1,
        0,
        len(problem.event_specs),
    )


# -- checks of runs ---------------------------------------------------------------------------------------------------


def test_the_balance_of_energies() -> None:
    """Works count from the first row; what an instant brings that stands still is of a transition."""
    t = np.array([0.0, 1.0, 1.0, 2.0])
    T, V = np.array([1.0, 2.0, 5.0, 4.0]), np.array([3.0, 2.5, 2.5, 4.0])
    w_in, w_loss = np.array([10.0, 11.0, 11.0, 12.0]), np.array([-1.0, -1.5, -2.0, -2.0])
    audit = EnergyAudit.of(t, T, V, w_in, w_loss)
    assert audit.work_input.tolist() == [0.0, 1.0, 1.0, 2.0] and audit.work_loss.tolist() == [0.0, -0.5, -1.0, -1.0]
    unbooked = (T + V) - 4.0 - audit.work_input - audit.work_loss
    assert audit.transition.tolist() == [0.0, 0.0, unbooked[2] - unbooked[1], unbooked[2] - unbooked[1]]
    np.testing.assert_allclose(audit.residual, unbooked - audit.transition)
    assert audit.peak == 5.5 and audit.total.tolist() == [4.0, 4.5, 7.5, 8.0]
    eps = np.finfo(float).eps
    assert audit.rounding == pytest.approx(16.0 * eps * (5.0 + 4.0 + 2.0 + 1.0))
    np.testing.assert_allclose(audit.audit, audit.residual / 5.5)
    rest = EnergyAudit.of(t, 0.0 * T, 0.0 * T, 0.0 * T, 0.0 * T)
    assert not rest.audit.any() and rest.peak == 0.0
    high = EnergyAudit.of(t[:2], np.array([0.0, 1e-12]), np.array([1e6, 1e6]), np.zeros(2), np.zeros(2))
    assert np.abs(high.audit).max() == 0.0  # below the rounding of so high an energy


def test_the_longest_step_of_a_mode() -> None:
    """``|R(h lambda)| = 1`` at the end: of RK4 at 2.785 on the negative axis and 2.828 on the imaginary one."""
    z = np.roots([1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0])  # R(z) = 1 has the real root beside zero
    real = -z[np.abs(z.imag) < 1e-9].real[0]
    assert longest_step(RK4, -10.0 + 0.0j, 1.0) == pytest.approx(real / 10.0, abs=3e-4)
    assert longest_step(RK4, 10.0j, 1.0) == pytest.approx(np.sqrt(8.0) / 10.0, abs=3e-4)
    assert longest_step(RK4, -10.0 + 0.0j, 0.2) == 0.2
    spring = da.Machine(
        "spring", [da.point_mass("m", 1.0)],
        [da.Joint("x", "prismatic", "world", "m", axis="x", stiffness=400.0, damping=1.0)],
    )  # fmt: skip
    problem = close_loop(da.equations(spring, backend="vm"), None).problem
    x, p = np.zeros(problem.n_states), np.zeros(0)
    assert too_long_for(problem, RK4, 0.0, x, np.zeros(0), p, 0.1) == ""
    told = too_long_for(problem, RK4, 0.0, x, np.zeros(0), p, 0.2)
    assert "the mode of 20 rad/s, largest in 'x_dot'" in told
    limit, advice = (float(re.findall(text, told)[0]) for text in (r"up to ([\d.]+) s", r"step=([\d.]+),"))
    assert 0.6 * limit <= advice < limit and limit == pytest.approx(np.sqrt(8.0) / 20.0, rel=0.1)
    held = close_loop(da.equations(machine_of_all_rows(), backend="vm"), None).problem
    assert too_long_for(held, RK4, 0.0, np.zeros(held.n_states), np.zeros(0), p, 10.0) == ""


@pytest.mark.parametrize("bad", [-1, 0, 1, 2, 3])
def test_what_is_to_blame_for_a_run_that_ends(bad: int) -> None:
    """A state, the one that moves most where a work is bad, an event function, or the constraints."""
    specs, counted = (SimpleNamespace(name="impact"),), np.array([True, True, False])
    names = ("a", "b", "work")
    problem = SimpleNamespace(state_names=names, counted=counted, constrained=None, event_specs=specs)
    engine: Any = SimpleNamespace(t=1.5, bad=bad, h_used=0.25, x=np.array([0.02, -0.03, 9.0]), message="broken")
    culprit = ["state 'a'", "state 'b'", "state 'b'", "the function of event 'impact'", "the equations of motion"][bad]
    setup: Any = SimpleNamespace(method="rk4", problem=problem, max_steps=77)

    def told(outcome: Outcome) -> tuple[str, str]:
        ending = _failure(engine, setup, outcome)
        return ending.status, ending.message

    assert told(Outcome.DIVERGED)[1].startswith(f"{culprit} became infinite or not a number in the step of 0.25 s")
    status, message = told(Outcome.UNDERFLOW)
    assert status == "diverged" and f"where {culprit} changes fastest" in message
    assert told(Outcome.EXHAUSTED) == ("failed", "max_steps = 77 reached at t = 1.5 s")
    assert told(Outcome.FAILED) == ("failed", "broken")
    problem.constrained = object()
    kept = "the constraints could not be kept" in told(Outcome.DIVERGED)[1]
    assert kept == (bad < 0) and culprit in told(Outcome.UNDERFLOW)[1]
    setup.method = "midpoint"
    assert ("the iteration of the step" in told(Outcome.DIVERGED)[1]) == (bad < 0)


def test_what_is_to_blame_for_a_member_that_ends() -> None:
    """Outcome, pair, what its laws lack, and the row that stays open, from the numbers that the member carries."""
    said: list[tuple[Any, ...]] = []

    def ill_posed(t: float, pair: int, lacks: int) -> str:
        said.append(("ill", t, pair, lacks))
        return "no forces"

    def not_closed(t: float, row: int) -> str:
        said.append(("open", t, row))
        return "a gap"

    maker = SimpleNamespace(ill_posed=ill_posed, not_closed=not_closed)
    problem = SimpleNamespace(event_specs=(SimpleNamespace(name="one"), SimpleNamespace(name="two")))
    carried = np.zeros((4, 7))
    carried[1, 2:6] = Outcome.ILL_POSED, 4, 3, 6
    carried[2, 2:6] = Outcome.ILL_POSED, NOT_CLOSED, 0, 5
    carried[3, 2:6] = Outcome.ACCUMULATED, 1, 0, 0
    steps: Any = SimpleNamespace(carried=carried, _maker_of=lambda k: maker, setup=SimpleNamespace(problem=problem))
    words = [EventSteps.message(steps, k, 0.5 + k) for k in range(4)]
    assert words[:3] == ["", "no forces", "a gap"] and "'two'" in words[3] and "3.5" in words[3]
    assert said == [("ill", 1.5, 4, 3), ("open", 2.5, 5)]


def test_logs_of_members_are_told_apart() -> None:
    """Events and transitions of one member, with the events that caused each transition at its instant."""
    specs: Any = [SimpleNamespace(name=n) for n in ("hit", "slip")]
    log = {
        "event": np.array([0, 1, 0, 1]), "t": np.array([0.1, 0.1, 0.2, 0.3]), "sign": np.array([-1, 1, -1, 1]),
        "x": np.arange(8.0).reshape(4, 2), "member": np.array([5, 5, 6, 5]), "change_member": np.array([5, 6]),
        "change_first": np.array([0, 2]), "change_last": np.array([2, 4]), "change_t": np.array([0.1, 0.2]),
        "change_lost": np.array([1.5, 2.5]), "change_factor": np.ones(2), "change_shocks": np.zeros(2),
        "change_speed": np.array([3.0, 4.0]), "change_impulses": np.arange(4.0).reshape(2, 2),
    }  # fmt: skip
    records, entries = told_log(log, specs, 5)
    expected = [("hit", 0.1, [0.0, 1.0], -1), ("slip", 0.1, [2.0, 3.0], 1), ("slip", 0.3, [6.0, 7.0], 1)]
    assert [(r.name, r.t, r.x.tolist(), r.direction) for r in records] == expected
    assert [(entry.t, entry.names) for entry in entries] == [(0.1, ("hit", "slip"))]
    (entry,) = told_log(log, specs, 6)[1]
    assert (entry.t, entry.names, entry.energy_lost, entry.speed) == (0.2, ("hit",), 2.5, 4.0)
    every, entries = told_log(log, specs)
    assert len(every) == 4 and [entry.names for entry in entries] == [("hit", "slip"), ("hit",)]


def test_a_step_that_begins_later_is_shorter() -> None:
    """Derivatives by the time at which a step begins, with its end where it was: those of the step itself."""
    x, _, p = _start(5)
    x[7] = 0.3
    loop, maps, h, e = _problem(), _maps(), 0.03, 1e-6
    (update,) = loop.controller.updates
    c = loop.controller.initial.copy()
    c[list(update.rows)] = np.array(update.function(0.0, x, c, p, [])).ravel()
    run = _run([0.0, h], [x, _stepped(0.0, x, c, p, h)[:-1]])
    passage = Passage(maps, run, p, np.zeros((1, 1)), loop.controller, loop.controller.initial, cast(Any, None))
    at = maps.layout
    start = np.zeros((at.size, 1))
    start[at.t, 0] = 1.0
    found = passage.forward(start, np.array([False, True]))[0][-1][:, 0]
    ends = [_stepped(s, x, c, p, h - s) for s in (e, -e)]
    slope = (ends[0] - ends[1]) / (2.0 * e)
    np.testing.assert_allclose(found[: at.n], slope[:-1], atol=1e-7)
    assert found[at.cost] == pytest.approx(slope[-1], abs=1e-7) and found[at.t] == 0.0
    assert abs(slope[-1]) > 1e-3 and np.abs(slope).max() > 0.1


@pytest.mark.parametrize(("h", "before"), [(0.25, 1), (0.6, 1), (0.9, 0), (5.0, 0)])
def test_signals_that_are_to_blame_for_an_end(h: float, before: int) -> None:
    """States ahead are led on along the line through the last row that is a step or more in the past."""
    past, rows = np.array([0.2, 0.9, 1.4]), np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]])
    t, x, seen = 1.5, np.array([2.0, 7.0]), {}
    engine: Any = SimpleNamespace(t=t, x=x, h_used=h, record=lambda: None, rows=lambda: (past, rows))
    bad = np.array([np.nan, 1.0, 2.0])

    def signals(times: Any, states: Any, held: Any, p: Any) -> Any:
        seen.update(times=times, states=states, held=held)
        y = np.tile(bad, (len(times), 1))
        y[:, 2] = np.where(times > t + 0.4 * h, np.inf, 1.0)
        return y

    setup: Any = SimpleNamespace(t0=0.2, p=[], problem=SimpleNamespace(signal_names=("energy.kinetic", "a", "effort")))
    sampler: Any = SimpleNamespace(held=np.array([5.0, 6.0]))
    kernels: Any = SimpleNamespace(evaluate_signals=signals)
    told = _blame_signal(_Ending("diverged", "end"), engine, setup, kernels, sampler)
    ahead = np.array([0.0, 0.5 * h, h, 1.3e-6, 1.3e-4])
    slope = (x - rows[before]) / (t - past[before])
    np.testing.assert_allclose(seen["times"], t + ahead, rtol=1e-12)
    np.testing.assert_allclose(seen["states"], x + ahead[:, None] * slope, rtol=1e-12)
    np.testing.assert_array_equal(seen["held"], np.tile([5.0, 6.0], (5, 1)))
    assert told.message == f"signal 'effort' is inf at t = {t + 0.5 * h:.9g} s; end" and told.status == "diverged"
    bad[1] = -np.inf
    assert (
        "signal 'a' is -inf at t = 1.5 s"
        in _blame_signal(_Ending("diverged", "end"), engine, setup, kernels, sampler).message
    )


def test_logs_are_emptied_when_they_are_taken() -> None:
    """Their entries are copies, with as many members as there are entries; counting begins again."""
    struct = SimpleNamespace(n_signed=3, n_changes_signed=2)
    logs: list[Any] = []
    forgotten: list[int] = []
    log = {"event": np.array([0, 1, 1]), "change_t": np.array([0.1, 0.2])}
    whose = np.array([4, 7, 4, 99]), np.array([5, 7, 88])
    steps: Any = SimpleNamespace(
        _watch=SimpleNamespace(logged=lambda: dict(log), forget=lambda: forgotten.append(1)),
        _steps=SimpleNamespace(keeps=True), _whose=whose, _logs=logs, _struct=struct,
    )  # fmt: skip
    from dalembert.simulation.rollout import events

    (kind,) = [k for k in vars(events).values() if isinstance(k, type) and hasattr(k, "flush")]
    kind.flush(steps)  # type: ignore[attr-defined]
    whose[0][:] = 0
    assert logs[0]["member"].tolist() == [4, 7, 4] and logs[0]["change_member"].tolist() == [5, 7]
    assert logs[0]["members"] == {4, 5, 7} and (struct.n_signed, struct.n_changes_signed) == (0, 0)
    log["event"], log["change_t"] = log["event"][:0], log["change_t"][:0]
    kind.flush(steps)  # type: ignore[attr-defined]
    steps._steps.keeps, log["event"] = False, np.array([1])
    kind.flush(steps)  # type: ignore[attr-defined]
    assert len(logs) == 1 and len(forgotten) == 3
