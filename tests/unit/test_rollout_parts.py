"""Rollouts without compiled loops: plans, measures, memory of members, and launches of a GPU with a loop in Python."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.support.gpu_on_processor import ProcessorCupy

from dalembert.compile.cuda import BLOCK
from dalembert.core.errors import InputError
from dalembert.engine.collide.worlds import WorldImage
from dalembert.engine.sampling import Schedule, Update
from dalembert.engine.setup import Setup
from dalembert.simulation.rollout.cuda import CudaRollout, _make_stack, _Worlds
from dalembert.simulation.rollout.desk import BEGINS, SAMPLES, STEPS, Desk, DeskRow
from dalembert.simulation.rollout.measures import Measures, looked_at
from dalembert.simulation.rollout.members import Members, Pacing
from dalembert.simulation.rollout.plan import Plan, make_plan
from dalembert.simulation.rollout.result import Rollout
from dalembert.simulation.rollout.singles import _cuts
from dalembert.simulation.rollout.stops import STOPPED

NOTHING = np.uintp


def _setup(method: str = "rk4", **settings: Any) -> Setup:
    values: dict[str, Any] = {"step": 0.1, "t0": 0.0, "t_end": 1.0, "record": 0.0, "method": method}
    return cast(Setup, SimpleNamespace(**(values | settings)))


def _update(period: float, offset: float = 0.0, name: str = "u", rows: tuple[int, ...] = (0,)) -> Update:
    symbols = [ca.SX.sym(x) for x in "txcpw"]
    return Update(name, period, rows, ca.Function("update", symbols, [symbols[0]]), offset=offset)


def _ends(plan: Plan) -> list[float]:
    """Ends of all steps of a plan, in order."""
    found = []
    for s in plan.segments:
        found += [s["anchor"] + (s["first"] + k + 1) * s["h"] for k in range(s["count"])]
        if s["rest"] > 0.0:
            found.append(s["anchor"] + (s["first"] + s["count"]) * s["h"] + s["rest"])
    return found


def _stepped(stops: list[float], h: float) -> list[float]:
    """Ends of steps that begin anew at each stop, the last one before a stop shortened."""
    ends = []
    for a, b in pairwise(stops):
        k = 1
        while a + k * h < b - 1e-9:
            ends.append(a + k * h)
            k += 1
        ends.append(b)
    return ends


CASES: list[tuple[dict[str, Any], list[Update]]] = [
    ({}, []),
    ({"t0": 0.3, "t_end": 0.97}, []),
    ({"record": 0.25, "step": 0.1}, []),
    ({"record": 0.3, "t0": -0.2, "step": 0.07}, [_update(0.2)]),
    ({"record": 0.2, "step": 0.05}, [_update(0.2, 0.05), _update(0.15, name="v")]),
    ({"step": 0.04}, [_update(0.3, 0.1)]),
]


@pytest.mark.parametrize(("settings", "updates"), CASES)
def test_plans_have_the_steps_of_a_single_run(settings: dict[str, Any], updates: list[Update]) -> None:
    setup = _setup(**settings)
    plan = make_plan(setup, Schedule(tuple(updates), np.zeros(1)) if updates else None)
    t0, end, record = setup.t0, setup.t_end, setup.record
    records = [t0 + k * record for k in range(int((end - t0) / record + 1e-9) + 1)] if record else [t0]
    instants = [t0 + u.offset + k * u.period for u in updates for k in range(20)]
    instants = [t for t in instants if t < end - 1e-9]
    stops = sorted({round(t, 9) for t in [*records, *instants, end]})
    steps = _stepped(stops, setup.step)
    assert _ends(plan) == pytest.approx(steps, abs=1e-8)
    assert plan.steps == len(steps)
    assert (plan.segments["rest"] < (1.0 - 1e-6) * setup.step).all()  # a whole step is none that is cut
    shown = [*records, end] if record and end - records[-1] > 1e-9 else records if record else [t0, *steps]
    np.testing.assert_allclose(plan.t, shown, atol=1e-8)
    at = t0
    for s, before in zip(plan.segments, [None, *plan.segments[:-1]], strict=True):
        begins = s["anchor"] + s["first"] * s["h"]
        assert begins == pytest.approx(at, abs=1e-8)
        at = begins + s["count"] * s["h"] + s["rest"]
        assert s["begin"] == (0 if before is None else before["row"])
        if s["row"] >= 0:
            assert plan.t[s["row"]] == pytest.approx(at, abs=1e-8)
        if s["sample"] >= 0:
            for u, number in zip(updates, plan.instants[s["sample"]], strict=True):
                due = round((begins - t0 - u.offset) / u.period, 6)
                assert number == (due if due == int(due) and due >= 0 else -1)
    sampled = [s["anchor"] + s["first"] * s["h"] for s in plan.segments if s["sample"] >= 0]
    assert sorted(sampled) == pytest.approx(sorted({round(t, 9) for t in instants}), abs=1e-8)


def test_long_segments_are_divided() -> None:
    """So that an interrupt is seen: at most 1024 steps in each, and a row at the end of the last one alone."""
    plan = make_plan(_setup(step=1e-3, t_end=2.5004, record=2.5004))
    assert plan.segments["count"].tolist() == [1024, 1024, 452] and plan.segments["row"].tolist() == [-1, -1, 1]
    assert plan.segments["first"].tolist() == [0, 1024, 2048] and plan.segments["rest"][:2].tolist() == [0.0, 0.0]
    assert plan.segments["rest"][2] == pytest.approx(4e-4, abs=1e-12) and plan.steps == 2501
    assert plan.segments["begin"].tolist() == [0, -1, -1]


def test_adaptive_segments_lead_from_instant_to_instant() -> None:
    plan = make_plan(_setup("dopri5", record=0.4), Schedule((_update(0.3),), np.zeros(1)))
    s = plan.segments
    np.testing.assert_allclose(s["anchor"], [0.0, 0.3, 0.4, 0.6, 0.8, 0.9])
    np.testing.assert_allclose(s["h"], [0.3, 0.4, 0.6, 0.8, 0.9, 1.0])
    np.testing.assert_allclose(s["rest"], s["h"] - s["anchor"])
    assert s["row"].tolist() == [-1, 1, -1, 2, -1, 3] and s["begin"].tolist() == [0, -1, 1, -1, 2, -1]
    assert s["sample"].tolist() == [0, 1, -1, 2, -1, 3] and not s["count"].any()
    np.testing.assert_allclose(plan.t, [0.0, 0.4, 0.8, 1.0])


def test_measures_become_numbers() -> None:
    t, x, c, p = (ca.SX.sym(n) for n in "txcp")
    words = ("final", "max", "min", "max abs", "integral", "mean", "rms", "first", "last")
    names, n = tuple(f"m{k}" for k in range(len(words))), len(words)
    f = ca.Function("f", [t, x, c, p], [ca.vertcat(*([x] * n))])
    measures = Measures(f, names, words, np.full(n, -np.inf), np.full(n, np.inf))
    assert len(measures) == n and measures.kinds.tolist() == [0, 1, 2, 1, 3, 3, 3, 4, 5] and measures.every
    memory = measures.start(3)
    expected = [np.nan, -np.inf, np.inf, -np.inf, 0.0, 0.0, 0.0, np.nan, np.nan]
    np.testing.assert_array_equal(memory[:, 0], [expected] * 3)
    assert not memory[:, 1].any()
    memory[:, 0], memory[:, 1] = 8.0, 2.0
    memory[1, 1] = 0.0  # nothing was seen
    found = measures.finish(memory, np.array([True, True, False]))
    values = [8.0, 8.0, 8.0, 8.0, 8.0, 4.0, 2.0, 8.0, 8.0]
    for name, value in zip(names, values, strict=True):
        np.testing.assert_array_equal(found[name], [value, np.nan, np.nan])
    last = looked_at(("a", "b"), f)
    assert not last.every and last.by == ("final", "final") and len(last.since) == len(last.until) == 2
    late = Measures(f, ("a",), ("final",), np.array([0.5]), np.array([np.inf]))
    early = Measures(f, ("a",), ("final",), np.array([-np.inf]), np.array([0.5]))
    assert late.every and early.every


def test_what_became_of_members() -> None:
    n, x = 6, np.arange(12.0).reshape(6, 2)
    members = Members.at_start(x, np.zeros(1), np.zeros(0), 4)
    assert members.rows.shape == (n, 4, 2) and (members.rows[:, 0] == x).all() and (members.done == 1).all()
    members.done[:] = [4, 2, 4, 4, 4, 4]
    members.status[2:] = [1, 3, 4, STOPPED]
    members.failed_at[2:] = [0.25, 0.1, 0.3, 0.2]
    assert members.words.tolist() == ["completed", "interrupted", "diverged", "diverged", "failed", "stopped"]
    members.rows[:] = 1.0
    members.rows[5, 2:] = np.nan  # stopped at the instant of this row, before it was written
    assert members.good_rows(np.array([0.0, 0.1, 0.2, 0.3])).tolist() == [4, 2, 3, 2, 4, 2]


def test_some_members_go_elsewhere_and_come_back() -> None:
    x, held = np.arange(8.0).reshape(4, 2), np.arange(4.0).reshape(4, 1)
    members = Members.at_start(x, held, np.arange(12.0).reshape(4, 3), 3, np.zeros((4, 2, 1)))
    which = np.array([3, 1])
    some = members.some(which, 10.0 * x[which], held, members.measured)
    assert some.x.tolist() == [[60.0, 70.0], [20.0, 30.0]] and some.held.tolist() == [[3.0], [1.0]]
    assert some.p.tolist() == [[9.0, 10.0, 11.0], [3.0, 4.0, 5.0]] and some.measured is not None
    some.rows[:], some.status[:], some.done[:], some.failed_at[:] = 5.0, [1, 2], 3, 0.5
    some.x[:], some.held[:], some.measured[:] = -1.0, -2.0, -3.0
    members.put(which, some)
    assert members.x.tolist() == [[0.0, 1.0], [-1.0, -1.0], [4.0, 5.0], [-1.0, -1.0]]
    assert members.status.tolist() == [0, 2, 0, 1] and members.done.tolist() == [1, 3, 1, 3]
    assert members.held.ravel().tolist() == [0.0, -2.0, 2.0, -2.0]
    assert members.measured is not None and members.measured[:, 0, 0].tolist() == [0.0, -3.0, 0.0, -3.0]
    assert (members.rows[[1, 3]] == 5.0).all() and np.isnan(members.rows[0, 1:]).all()


class _Loop:
    """The loop of a GPU: ``x0' = 1``, ``x1' = c0``; ``c0`` is ten times the number of its instant, plus the member."""

    def __init__(self) -> None:
        self.arguments: list[tuple[Any, ...]] = []

    def __call__(self, grid: tuple[int], block: tuple[int], given: tuple[Any, ...]) -> None:
        self.arguments.append(given)
        n, x, held, stride, own, p, _, _, clock, anchor, h, first, count, rest, flags, times, target, *more = given
        assert grid[0] == -(-n // BLOCK) and block == (BLOCK,)
        values, due, seed, numbers, hold_begin, hold_row, *_ = more
        assert seed == 7 and (not isinstance(clock, np.ndarray) or len(clock) == n)
        assert (stride, own) == ((n, 1) if held.ndim == 2 else (1, 0)) and (p.ndim == 1 or p.shape[1] == n)
        if isinstance(due, np.ndarray) and due[0] >= 0:
            held[0] = 10.0 * due[0] + numbers
        if isinstance(hold_begin, np.ndarray):
            hold_begin[:] = held[: len(hold_begin)]
        length = h - anchor if rest and not count and not first and h > anchor else count * h + rest
        x[1] += length * (held[0] if held.ndim == 2 else held[:1])
        x[0] += length
        for member in (i for i, t in enumerate(x[0]) if t > 0.75 and i == 2 and not flags[i]):
            flags[member], times[member] = 1, 0.75
        if isinstance(values, np.ndarray):
            values[:] = x[0]
        if isinstance(target, np.ndarray):
            target[:] = x
        if isinstance(hold_row, np.ndarray):
            hold_row[:] = held[: len(hold_row)]


def _fly(plan: Plan, members: Members, loop: Any, folder: Path, proceed: Any = None, **more: Any) -> Any:
    rollout = SimpleNamespace(
        _cupy=ProcessorCupy(folder), _entry=loop, _dtype=np.dtype(np.float64), _image=None, _beside=None,
        _measures=None, _desk=lambda members, threads: None, **more,
    )  # fmt: skip
    CudaRollout.run(cast(Any, rollout), plan, members, threads=1, proceed=proceed or (lambda part: True))
    return rollout


@pytest.mark.parametrize("record", [0.2, 1.0, 0.0])
def test_launches_of_a_sampled_rollout(record: float, tmp_path: Path) -> None:
    """Rows, held values at rows, and the last state, against the integral of the held values by hand."""
    n, plan = 3, make_plan(_setup(record=record, step=0.1), Schedule((_update(0.4),), np.zeros(1)))
    members = Members.at_start(np.zeros((n, 2)), np.zeros(1), np.array([1.0, 2.0]), len(plan.t))
    members = members.sampled(np.array([5.0]), np.arange(n), 7)
    loop = _Loop()
    _fly(plan, members, loop, tmp_path)
    inputs = 10.0 * np.floor(plan.t / 0.4 + 1e-9)
    before = 10.0 * np.floor(np.maximum(plan.t - 1e-9, 0.0) / 0.4)

    def area(t: float) -> float:
        return float(sum(10.0 * k * max(0.0, min(t - 0.4 * k, 0.4)) for k in range(3)))

    for i in (0, 1):
        np.testing.assert_allclose(members.rows[i, :, 0], plan.t, atol=1e-12)
        np.testing.assert_allclose(members.rows[i, :, 1], [area(t) + i * t for t in plan.t], atol=1e-12)
        assert members.held_rows is not None
        np.testing.assert_allclose(members.held_rows[i, :-1, 0], inputs[:-1] + i, atol=1e-12)
        assert members.held_rows[i, -1, 0] == before[-1] + i and members.held[i, 0] == 20.0 + i
        assert members.x[i].tolist() == pytest.approx([1.0, area(1.0) + i])
    assert (members.done == len(plan.t)).all() and members.status.tolist() == [0, 0, 1]
    assert np.isnan(members.rows[2, -1]).all() and members.failed_at[2] == 0.75
    assert len(loop.arguments) == len(plan.segments)


def test_launches_with_values_of_each_member(tmp_path: Path) -> None:
    """Constant inputs, parameters and clocks of each member; measures come back; an interrupt ends the launches."""
    plan = make_plan(_setup(record=0.5, step=0.25))
    held, p = np.array([[1.0], [2.0]]), np.array([[3.0, 4.0], [5.0, 6.0]])
    measured = np.zeros((2, 2, 1))
    members = Members.at_start(np.zeros((2, 2)), held, p, 3, measured)
    members = Members(**{**vars(members), "seed": 7, "clock": np.array([0.1, 0.2])})
    loop = _Loop()
    _fly(plan, members, loop, tmp_path)
    np.testing.assert_allclose(members.x, [[1.0, 1.0], [1.0, 2.0]])
    np.testing.assert_allclose(members.rows[1], [[0.0, 0.0], [0.5, 1.0], [1.0, 2.0]])
    np.testing.assert_array_equal(loop.arguments[0][5][:2], p.T)
    np.testing.assert_array_equal(loop.arguments[0][2][:1], held.T)
    assert members.measured is not None and (members.measured == [[[1.0], [1.0]]]).all()
    again = Members.at_start(np.zeros((2, 2)), np.zeros(1), np.zeros(1), 3)
    again = Members(**{**vars(again), "seed": 7})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dalembert.simulation.rollout.cuda._PATIENCE", -1.0)
        parts: list[float] = []
        _fly(plan, again, _Loop(), tmp_path, lambda part: parts.append(part) is not None)
    assert parts == [0.5] and (again.done == 2).all() and again.words.tolist() == ["interrupted"] * 2
    np.testing.assert_allclose(again.rows[:, 1], [[0.5, 0.0]] * 2)
    assert np.isnan(again.rows[:, 2]).all()


def test_the_caller_is_asked_after_the_time_of_patience(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A launch takes 0.4 of it here: after every third one, and not at all while no time passes."""
    plan = make_plan(_setup(record=0.1, step=0.1))
    now, asked = [50.0], list[tuple[float, float]]()
    monkeypatch.setattr("dalembert.simulation.rollout.cuda.time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr("dalembert.simulation.rollout.cuda._PATIENCE", 1.0)

    class _Slow(_Loop):
        def __init__(self, takes: float) -> None:
            super().__init__()
            self.takes = takes

        def __call__(self, grid: Any, block: Any, given: tuple[Any, ...]) -> None:
            super().__call__(grid, block, given)
            now[0] += self.takes

    for takes in (0.0, 0.4):
        members = Members.at_start(np.zeros((2, 2)), np.zeros(1), np.zeros(1), len(plan.t))
        members = Members(**{**vars(members), "seed": 7})
        start = now[0]
        _fly(plan, members, _Slow(takes), tmp_path, lambda part: asked.append((part, now[0])) is None)
        assert (members.done == len(plan.t)).all() and bool(asked) == (takes > 0.0)
    times = np.array([start, *(t for _, t in asked)])
    assert len(plan.segments) == 10 and np.diff(times) == pytest.approx(1.2) and len(asked) >= 2
    assert [part for part, _ in asked] == pytest.approx([(t - start) / 0.4 / 10 for t in times[1:]])


def test_members_that_have_to_be_simulated_elsewhere(tmp_path: Path) -> None:
    """Those with the status -1 begin again, from their start."""
    plan = make_plan(_setup(record=1.0, step=0.5))
    members = Members.at_start(np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0]]), np.zeros(1), np.zeros(1), 2)
    members = Members(**{**vars(members), "seed": 7})

    class _Fails(_Loop):
        def __call__(self, grid: Any, block: Any, given: tuple[Any, ...]) -> None:
            super().__call__(grid, block, given)
            given[14][:] = [0, -1, 0]

    class _Beside:
        def run(self, plan: Plan, members: Members, *, threads: int, proceed: Any) -> None:
            assert members.x.tolist() == [[0.0, 2.0]] and threads == 1 and proceed(1.0)
            members.x[:], members.rows[:, -1], members.done[:] = 9.0, 9.0, 2

    rollout = SimpleNamespace(
        _cupy=ProcessorCupy(tmp_path), _entry=_Fails(), _dtype=np.dtype(float), _image=None, _beside=_Beside,
        _measures=None, _desk=lambda members, threads: None,
    )  # fmt: skip
    CudaRollout.run(cast(Any, rollout), plan, members, threads=1, proceed=lambda part: True)
    assert members.x.tolist() == [[1.0, 1.0], [9.0, 9.0], [1.0, 3.0]] and members.status.tolist() == [0, 0, 0]
    assert members.rows[:, -1].tolist() == members.x.tolist()


def test_adaptive_launches_go_on_until_all_members_are_there(tmp_path: Path) -> None:
    plan = make_plan(_setup("dopri5", record=0.5))
    members = Members.at_start(np.zeros((2, 2)), np.zeros(1), np.zeros(1), 3)
    pacing = Pacing(np.array([1e-6, 1e-7]), 1e-5, 0.2, 100, 1.0)
    members = Members(**{**vars(members), "seed": 7, "pacing": pacing, "pace": np.tile([0.0, 1e-4, 0.0, 0.0], (2, 1))})
    launches: list[list[float]] = []

    def entry(grid: Any, block: Any, given: tuple[Any, ...]) -> None:
        atol, rtol, most, steps, end, pace, reached, slopes, tries, going = given[23:]
        assert atol.tolist() == [1e-6, 1e-7] and (rtol, most, steps, end) == (1e-5, 0.2, 100.0, 1.0)
        assert pace.shape == (4, 2) and slopes.shape == (2, 2) and tries > 0
        launches.append(reached.tolist())
        pace[3] += 1.0
        if len(launches) % 2:  # one of them needs a second launch
            reached[1], going[0] = given[9] + 0.1, 1
        given[1][0] = given[10]
        if isinstance(given[16], np.ndarray):
            given[16][:] = given[1]

    _fly(plan, members, entry, tmp_path)
    assert len(launches) == 4 and np.isnan(launches[0]).all() and launches[1][1] == 0.1 and np.isnan(launches[2]).all()
    assert members.pace is not None and members.pace[:, 3].tolist() == [4.0, 4.0]
    np.testing.assert_allclose(members.rows[:, :, 0], [[0.0, 0.5, 1.0]] * 2)


class _Outside:
    """Takes members over steps: their states become those of the first member, plus ten."""

    def __init__(self) -> None:
        self.tasks: list[tuple[int, list[int], dict[str, Any]]] = []
        self.flushed = 0

    def in_thread(self) -> Any:
        def at_desk(desk: Any, task: int) -> None:
            named = ("anchor", "h", "rest", "first", "count", "size", "thread", "threads", "p_stride", "n_modes")
            numbers = {name: getattr(desk, name) for name in named}
            rows = np.ctypeslib.as_array((np.ctypeslib.ctypes.c_double * (desk.n * desk.size)).from_address(desk.rows))
            which = (np.ctypeslib.ctypes.c_int64 * desk.n).from_address(desk.member)
            self.tasks.append((task, list(which), numbers))
            for row, i in zip(rows.reshape(desk.n, desk.size), which, strict=True):
                if i % desk.threads == desk.thread:
                    row[5:7] += 10.0
                    row[7] = -1.0
                    row[4] = 2.0 if i == 4 and task == BEGINS else 0.0

        def flush() -> None:
            self.flushed += 1

        return SimpleNamespace(at_desk=at_desk, flush=flush)

    def give_back(self, steps: Any) -> None:
        steps.flush()


@pytest.mark.parametrize("per_member", [False, True])
def test_members_begin_at_the_desk(per_member: bool) -> None:
    n, outside = 11, _Outside()
    held = 100.0 * np.arange(n)[:, None] if per_member else np.array([5.0])
    members = Members.at_start(np.tile(np.arange(n)[:, None], (1, 2)).astype(float), held, np.zeros((n, 3)), 2)
    more = {
        "fresh": np.ones(n, dtype=np.int64),
        "watched": np.zeros((n, 1)),
        "outside": outside,
        "clock": np.arange(n) / 10,
    }
    members = Members(**{**vars(members), **more})
    members.fresh[[0, 2]] = 0  # type: ignore[index]
    row = DeskRow(2, 1, 1, 4, 3)
    assert (row.x, row.signs, row.held, row.size) == (slice(5, 7), slice(7, 8), slice(8, 9), 16)
    desk = Desk(members, row, np.array([1, 2]), 3)
    segment = make_plan(_setup(t0=0.5, t_end=1.5)).segments[0]
    desk.begin(segment, members.held)
    began = [i for i in range(n) if i not in (0, 2)]
    expected = np.arange(n) + 10.0 * np.isin(np.arange(n), began)
    np.testing.assert_array_equal(members.x, np.tile(expected[:, None], (1, 2)))
    assert members.watched is not None and members.fresh is not None and not members.fresh.any()
    np.testing.assert_array_equal(members.watched[:, 0], -1.0 * np.isin(np.arange(n), began))
    assert members.status.tolist() == [2 if i == 4 else 0 for i in range(n)]
    assert members.failed_at[4] == pytest.approx(0.9) and np.isnan(np.delete(members.failed_at, 4)).all()
    assert (
        np.isnan(members.rows[4, 0]).all() and (members.rows[5, 0] == 15.0).all() and (members.rows[0, 0] == 0.0).all()
    )
    task, which, numbers = outside.tasks[0]
    assert task == BEGINS and which == began and numbers["size"] == 16 and numbers["p_stride"] == 3
    assert {n["thread"] for _, _, n in outside.tasks} == {0, 1, 2} and numbers["n_modes"] == 2
    assert (numbers["anchor"], numbers["h"], numbers["count"]) == (0.5, segment["h"], segment["count"])
    desk.close()
    assert outside.flushed == 6  # each thread, when it keeps its events and when its memory goes back


def test_few_members_stay_on_the_threads_that_are_theirs() -> None:
    outside, row = _Outside(), DeskRow(2, 1, 0, 0, 0)
    members = Members.at_start(np.zeros((9, 2)), np.zeros(0), np.zeros(3), 2)
    members = Members(**{**vars(members), "outside": outside})
    desk = Desk(members, row, np.zeros(0, dtype=np.int64), 4)
    rows = np.zeros((2, row.size))
    desk.take(rows, np.array([5, 1]), make_plan(_setup()).segments[0])
    assert [(n["thread"], n["threads"], n["p_stride"]) for _, _, n in outside.tasks] == [(1, 4, 0)]
    assert (rows[:, 5:7] == 10.0).all()


class _AtDesk:
    """A desk that adds a hundred to the second state of who comes, and logs it."""

    row = DeskRow(2, 1, 1, 0, 0)

    def __init__(self, members: Members) -> None:
        self.taken: list[tuple[int, list[int], float]] = []
        self.begun: list[NDArray[Any]] = []
        self.closed, self._members = False, members

    def begin(self, segment: Any, held: NDArray[Any]) -> None:
        self.begun.append(np.array(held))
        self._members.x[:, 1] = 1.0

    def take(self, rows: NDArray[Any], which: NDArray[Any], segment: Any, task: int = STEPS) -> None:
        self.taken.append((task, which.tolist(), float(segment["anchor"])))
        rows[:, 6] += 100.0
        rows[:, 7] = 5.0

    def close(self) -> None:
        self.closed = True


class _Leaving(_Loop):
    """Member 1 leaves in the step from 0.4 on, member 0 at the sample at 0.4."""

    def __call__(self, grid: Any, block: Any, given: tuple[Any, ...]) -> None:
        watched, back, count, taken, left, n_left, lying, samples = given[23:31]
        x, anchor = given[1], given[9]
        self.arguments.append(given)
        if samples:
            given[2][0] = 10.0 * given[18][0] + np.arange(3)
            if isinstance(given[21], np.ndarray):
                given[21][:] = given[2][:1]
            if samples == 2 and anchor == 0.4:
                left[0], n_left[0] = 0, 1
                lying[0, 5:7], lying[0, 7] = x[:, 0], watched[0, 0]
            return
        if isinstance(back, np.ndarray):
            for k in range(count):
                x[:, back[k]] = taken[k, 5:7]
        elif anchor == 0.4:
            left[0], n_left[0] = 1, 1
            lying[0, 5:7] = x[:, 1]
        if isinstance(given[16], np.ndarray):
            given[16][:] = x


def test_members_leave_their_threads(tmp_path: Path) -> None:
    """They come back with what the processor made of them, in another launch; samples may move them at once."""
    plan = make_plan(_setup(record=0.2, step=0.2), Schedule((_update(0.4),), np.zeros(1)))
    members = Members.at_start(np.zeros((3, 2)), np.zeros(1), np.zeros(1), len(plan.t))
    members = members.sampled(np.array([5.0]), np.arange(3), 7)
    members = Members(**{**vars(members), "watched": np.zeros((3, 1)), "fresh": np.ones(3, dtype=np.int64)})
    desk, loop = _AtDesk(members), _Leaving()
    rollout = SimpleNamespace(
        _cupy=ProcessorCupy(tmp_path), _entry=loop, _dtype=np.dtype(float), _image=None, _beside=None,
        _measures=None, _desk=lambda members, threads: desk,
    )  # fmt: skip
    CudaRollout.run(cast(Any, rollout), plan, members, threads=1, proceed=lambda part: True)
    assert desk.closed and [h.tolist() for h in desk.begun] == [[[0.0], [1.0], [2.0]]]  # sampled before they begin
    assert desk.taken[:2] == [(SAMPLES, [0], 0.4), (STEPS, [1], 0.4)]
    assert all(not which for _, which, _ in desk.taken[2:])
    second = members.rows[:, :, 1]
    assert second[2, 1:].tolist() == [1.0] * 5  # who stays
    assert second[1].tolist()[1:] == [1.0, 1.0, 101.0, 101.0, 101.0]  # from the end of its step on
    assert second[0].tolist()[1:] == [1.0, 101.0, 101.0, 101.0, 101.0]  # at once, so that the row shows it
    assert members.watched is not None and members.watched.ravel().tolist() == [5.0, 0.0, 0.0]
    assert members.held_rows is not None and members.held_rows[1, 2, 0] == 11.0


def test_desks_have_room_for_all_numbers() -> None:
    """States, signs, held values, pace, and the values of measures that every step looks at."""
    symbols = [ca.SX.sym(n) for n in "txcp"]
    f = ca.Function("f", symbols, [symbols[0]])
    problem = SimpleNamespace(n_states=4, event_specs=(1, 2), held_names=("a", "b", "c"), constrained=None)
    members = Members.at_start(np.zeros((3, 4)), np.zeros(3), np.zeros(0), 2)
    members = Members(**{**vars(members), "outside": _Outside(), "pace": np.zeros((3, 4))})
    for words, count in ((("final",), 0), (("max", "min"), 2)):
        n = len(words)
        measures = Measures(f, words, words, np.full(n, -np.inf), np.full(n, np.inf))
        rollout = SimpleNamespace(_watched=problem, _measures=measures)
        desk = CudaRollout._desk(cast(Any, rollout), members, 2)
        assert desk is not None and desk.row.size >= 5 + 4 + 2 + 3 + 4 + count
        assert (desk.row.n_states, desk.row.n_events, desk.row.n_held, desk.row.n_pace) == (4, 2, 3, 4)
    assert CudaRollout._desk(cast(Any, SimpleNamespace(_watched=None)), members, 2) is None


def test_worlds_of_members(tmp_path: Path) -> None:
    """Addresses inside of a world grow by its size from one member to the next, those of shared arrays do not."""
    words = np.array([7, 0, 0, 9], dtype=np.int64)
    image = WorldImage(words, np.arange(5, dtype=np.int64), np.array([[1, 3]]), np.array([[2, 4]]))
    worlds = _Worlds(ProcessorCupy(tmp_path), image, 3)
    found: NDArray[np.int64] = np.asarray(worlds.words)
    base = worlds.words.ctypes.data
    np.testing.assert_array_equal(found[:, [0, 3]], [[7, 9]] * 3)
    assert found[:, 1].tolist() == [base + 8 * 3 + 32 * i for i in range(3)]
    assert found[:, 2].tolist() == [worlds._shared.ctypes.data + 8 * 4] * 3


def test_stacks_are_large_enough(tmp_path: Path) -> None:
    cupy = ProcessorCupy(tmp_path)
    _make_stack(cupy, SimpleNamespace(local_size_bytes=4096))
    assert cupy.stack == 4096 + (56 << 10)
    _make_stack(cupy, SimpleNamespace(local_size_bytes=0))
    assert cupy.stack == 4096 + (56 << 10)


def _result(**changes: Any) -> Rollout:
    """Five members of two states: one each completed, stopped, diverged, failed, and interrupted."""
    n, t = 5, np.array([0.0, 0.5, 1.0])
    x = np.arange(30.0).reshape(n, 3, 2)
    rows = np.array([3, 2, 2, 1, 2])
    for i, good in enumerate(rows):
        x[i, good:] = np.nan
    values: dict[str, Any] = {
        "t": t, "x": x, "state_names": ("a", "b"), "p": np.arange(5.0)[:, None], "parameter_names": ("m",),
        "held": np.array([7.0]), "held_names": ("u",), "rows": rows, "final": 100.0 + np.arange(10.0).reshape(n, 2),
        "status": np.array(["completed", "stopped", "diverged", "failed", "interrupted"]),
        "failed_at": np.array([np.nan, np.nan, 0.75, 0.25, np.nan]), "failed_state": np.array([-1, -1, 1, -1, -1]),
        "stopped_at": np.array([np.nan, 0.75, np.nan, np.nan, np.nan]),
        "stopped_by": np.array(["", "wall", "", "", ""]),
        "signal_names": ("sum", "energy.kinetic"),
        "evaluate_signals": lambda t, x, c, p: np.stack(
            [x.sum(axis=1) + np.broadcast_to(c, (len(t), 1))[:, 0] + p[..., 0], t], axis=1),
        "measures": {"most": np.arange(5.0)}, "metadata": {"method": "rk4", "step": 0.1, "machine": "m"},
    }  # fmt: skip
    return Rollout(**(values | changes))


def test_results_of_members_by_name() -> None:
    """States, signals and held values where a member has been; what is no history is said."""
    made = _result()
    assert len(made) == 5 and made.ok.tolist() == [True, False, False, False, False]
    assert made.names == ("a", "b", "sum", "energy.kinetic", "u")
    np.testing.assert_array_equal(made["b"][0], [1.0, 3.0, 5.0])
    for i in range(5):
        expected = made.x[i].sum(axis=1) + 7.0 + i
        np.testing.assert_allclose(made["sum"][i], np.where(np.arange(3) < made.rows[i], expected, np.nan))
    assert made["u"].shape == (5, 3) and (made["u"] == 7.0).all()
    with pytest.raises(InputError, match="is a measure"):
        made["most"]
    held = np.arange(15.0).reshape(5, 3, 1)
    sampled = _result(held=held, p=np.array([4.0]))
    np.testing.assert_array_equal(sampled["u"], held[..., 0])
    np.testing.assert_allclose(sampled["sum"][0], sampled.x[0].sum(axis=1) + held[0, :, 0] + 4.0)


def test_why_members_end() -> None:
    made = _result()
    assert [made.message(k) for k in (0, 1, 3, 4)] == [
        "", "terminal event 'wall' at t = 0.75 s", "too many steps: max_steps reached at t = 0.25 s",
        "stopped by the user at t = 0.5 s",
    ]  # fmt: skip
    assert (
        made.message(2) == made.message(-3) == "state 'b' became infinite or not a number in the step from t = 0.75 s"
    )
    kept = _result(failed_state=np.array([-1, -1, 2, -1, -1]))
    assert kept.message(2).startswith("the constraints could not be kept in the step from t = 0.75 s")
    implicit = _result(failed_state=np.array([-1, -1, 2, -1, -1]), metadata={"method": "midpoint"})
    assert implicit.message(2).startswith("the iteration of the step from t = 0.75 s did not converge")

    def broken(t: Any, x: Any, c: Any, p: Any) -> Any:
        assert t.tolist() == pytest.approx([0.75, 0.85]) and (x == made.final[2]).all() and p == 2.0
        return np.array([[1.0, np.inf], [np.nan, 1.0]])

    assert _result(evaluate_signals=broken).message(2).startswith("signal 'sum' is not a finite number; state 'b'")


def test_members_as_runs() -> None:
    """Up to their last good row, or to where they were stopped."""
    made = _result()
    whole, stopped = made.member(0), made.member(1)
    assert whole.t.tolist() == [0.0, 0.5, 1.0] and whole.status == "completed" and whole.held.tolist() == [[7.0]] * 3
    np.testing.assert_array_equal(whole.x, made.x[0])
    assert stopped.t.tolist() == [0.0, 0.5, 0.75] and stopped.x[-1].tolist() == made.final[1].tolist()
    assert stopped.message == made.message(1) and stopped.metadata["parameters"] == {"m": 1.0}
    assert made.member(-2).t.tolist() == [0.0] and made.member(-2).status == "failed"
    np.testing.assert_allclose(stopped["sum"], stopped.x.sum(axis=1) + 7.0 + 1.0)
    with pytest.raises(InputError):
        made.member(5)


def test_members_that_are_chosen_to_run_again() -> None:
    asked: list[Any] = []
    made = _result(rerun=lambda members, record: asked.append((members.tolist(), record)))
    made.again([3, 1], record=0.1)
    made.again(np.array([True, False, False, True, False]))
    made.again(4)
    made.again([4, 0, 2, 1, 0])  # as many numbers as members
    assert asked == [([3, 1], 0.1), ([0, 3], None), ([4], None), ([4, 0, 2, 1, 0], None)]
    for bad in ([5], [-1], [], [0.5], np.array([True, False])):
        with pytest.raises(InputError, match="members must be numbers from 0 to 4"):
            made.again(bad)
    with pytest.raises(InputError, match="does not contain its settings"):
        _result().again(0)


def test_calls_for_single_members_have_bounded_work() -> None:
    """Whole segments, in order: the last one of a call is that with which it reaches 1000 steps."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        rows = [(int(n), float(r)) for n, r in zip(rng.integers(0, 700, 30), rng.choice([0.0, 0.1], 30), strict=True)]
        segments = np.array(rows, dtype=[("count", int), ("rest", float)])
        steps = segments["count"] + (segments["rest"] > 0.0)
        cuts = _cuts(cast(Plan, SimpleNamespace(segments=segments)))
        assert cuts[0][0] == 0 and cuts[-1][1] == 30 and all(a[1] == b[0] for a, b in pairwise(cuts))
        assert all(steps[first : last - 1].sum() < 1000 for first, last in cuts)
        passed = np.cumsum(steps)
        assert all(passed[last - 1] // 1000 > (passed[last - 2] // 1000 if last > 1 else 0) for _, last in cuts[:-1])
