"""The time loop, its events and the steps of members, function by function, with problems in Python.

Polynomials, roots and controllers are compared with numpy and scipy, whole runs with closed forms: throws, decays and
bounces whose instants are known.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from dalembert.compile.build import find_toolchain
from dalembert.engine.layout import structure
from dalembert.engine.loop.native import loop_memory
from dalembert.engine.loop.watch import watch_memory
from dalembert.engine.memory import NativeMemory
from dalembert.engine.methods import tableaus
from support.engine_units import KERNEL, calls, numbers, unit_with

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

REACHED, CROSSING, YIELD, FULL, DIVERGED, UNDERFLOW, EXHAUSTED = range(7)
LOG_FULL, ACCUMULATED, ILL_POSED, NOT_FINITE, STOPPED, ASKED = range(8, 14)
PASSES, CUTS, STAYS, SWITCHES, ENDS = range(5)
METHOD = tableaus.DORMAND_PRINCE_5

SHOWN = """
#define SHOWN __attribute__((visibility("default")))
SHOWN void combination(const double *x, double h, const double *w, int64_t count, const double *slopes, double *out,
                       int64_t n) {
    const double *k[MOST_STAGES];
    for (int64_t j = 0; j < count; j++) k[j] = slopes + j * n;
    combine(x, h, w, (int)count, k, out, (int)n);
}
SHOWN double length(double longest, double rest, int64_t *landed) {
    int is;
    const double h = step_length(longest, rest, &is);
    *landed = is;
    return h;
}
SHOWN double shorter(double h, double error, double order) { return shorter_step(h, error, order); }
SHOWN double next(double h, double error, double last, int64_t refused, double planned, double order) {
    return next_step(h, error, last, (int)refused, planned, order); }
SHOWN int64_t is_too_short(double h, double t) { return too_short(h, t); }
SHOWN double trial(double d0, double d1, double most) { return trial_step(d0, d1, most); }
SHOWN double starting(double h0, double d1, double d2, double most, double order) {
    return starting_step(h0, d1, d2, most, order); }
SHOWN double norm(struct loop *L) { return error_norm(L); }
SHOWN int64_t bad(struct loop *L) { return find_bad(L); }
SHOWN void planned(struct loop *L) { plan(L); }
SHOWN double first(struct loop *L, double longest) { return loop_first_step(L, longest); }
SHOWN int64_t go(struct loop *L) { return loop_advance(L); }
SHOWN void push(struct loop *L) { loop_push(L); }
SHOWN double next_sample(struct loop *L, double end) { return loop_next_sample(L, end); }
SHOWN void node(struct watch *W, double s, const double *x, const double *slope) {
    memcpy(W->slope, slope, (size_t)W->loop->n * sizeof(double));
    W->off = add_node(W, s, x);
}
SHOWN void at(struct watch *W, double s) { interpolate(W, s); }
SHOWN double value(struct watch *W, double s, int64_t i, double *slope) { return value_at(W, s, i, slope); }
SHOWN double defect_of(struct watch *W) { return defect(W); }
SHOWN double ends(struct watch *W) { return interpolate_ends(W); }
SHOWN int64_t inside(struct watch *W) { return interpolate_inside(W); }
SHOWN double error(struct watch *W, double s) { return error_at(W, s); }
SHOWN double root(struct watch *W, void (*probe)(struct watch *, double), int64_t i, double *bracket,
                  int64_t deflated) {
    struct bracket B = {bracket[0], bracket[1], bracket[2], bracket[3], bracket[4], bracket[5], bracket[6], bracket[7],
                        (int)deflated};
    return find_crossing(W, probe, i, &B);
}
SHOWN double settled(struct watch *W, int64_t i, double *bracket, int64_t deflated, double s) {
    struct bracket B = {bracket[0], bracket[1], bracket[2], bracket[3], bracket[4], bracket[5], bracket[6], bracket[7],
                        (int)deflated};
    return settled_crossing(W, i, &B, s);
}
SHOWN int64_t has_crossed(struct watch *W, int64_t i, double g) { return crossed(W, i, g); }
SHOWN int64_t demanded(struct watch *W) { return demand(W); }
SHOWN int64_t first_of(struct watch *W) { return first_fired(W); }
SHOWN void recorded(struct watch *W, double t, const double *x, const double *signs) { record(W, t, x, signs); }
SHOWN void jumped(struct watch *W, double t, const double *x, const double *before) { record_jumps(W, t, x, before); }
SHOWN int64_t crowded(struct watch *W, int64_t event) { return accumulated(W, event); }
SHOWN int64_t room(struct watch *W) { return has_room(W); }
SHOWN void begin(struct watch *W) { watch_begin(W); }
SHOWN int64_t advance(struct watch *W) { return watch_advance(W); }
SHOWN int64_t here(struct watch *W) { return watch_here(W); }
SHOWN int64_t offer(struct watch *W) { return watch_offer(W); }
SHOWN int64_t answer(struct watch *W, const double *x, int64_t landed) { return watch_answer(W, x, landed); }
SHOWN void *offered(void) { return (void *)watch_offer; }
SHOWN int64_t member_begins(struct members *S, int64_t i, double *t, double h, double *x, const double *c,
                            const double *p, double *signs) { return members_begin(S, i, t, h, x, c, p, signs); }
SHOWN int64_t member_steps(struct members *S, int64_t i, double *t, double h, double end, double *x, const double *c,
                           const double *p, double *signs) { return members_step(S, i, t, h, end, x, c, p, signs); }
SHOWN int64_t member_sampled(struct members *S, int64_t i, double t, double h, double end, double *x, const double *c,
                             const double *p, double *signs) {
    return members_sampled(S, i, t, h, end, x, c, p, signs); }
SHOWN void at_desk(struct members *S, const struct desk *D, int64_t task) { members_at_desk(S, D, task); }
SHOWN void one_alone(const struct singles *R, int64_t i, int64_t n, const struct segment *segments) {
    singles_run(R, i, n, segments); }
"""
REALS = ("length", "shorter", "next", "trial", "starting", "norm", "first", "next_sample", "value", "defect_of", "ends")
PROBE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_double)
PROJECT = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.POINTER(ctypes.c_double), *[ctypes.c_void_p] * 2
)
TRANSITION = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_double,
    *[ctypes.POINTER(ctypes.c_double)] * 3,
    ctypes.POINTER(ctypes.c_int64),
)


@pytest.fixture(scope="module")
def engine() -> Any:
    integers = ("is_too_short", "bad", "go", "inside", "has_crossed", "demanded", "first_of", "crowded", "room",
                "advance", "here", "offer", "answer", "member_begins", "member_steps", "member_sampled")  # fmt: skip
    doubles = (*REALS, "error", "root", "settled")
    return calls(unit_with(SHOWN, "members", "loop-parts", doubles=doubles, integers=integers))


class Code:
    """A kernel in Python: f(t, x, c, p) -> values; None: it cannot be evaluated."""

    def __init__(self, f: Callable[..., Any], sizes: tuple[int, ...]) -> None:
        def kernel(inputs: Any, outputs: Any, _work: Any) -> int:
            t, *rest = [numbers(inputs[k], size) for k, size in enumerate((1, *sizes))]
            made = f(t[0], *rest)
            if made is None:
                return 1
            made = np.atleast_1d(np.asarray(made, dtype=float))
            numbers(outputs[0], made.size)[:] = made
            return 0

        self._kept = KERNEL(kernel)
        self.address = ctypes.cast(self._kept, ctypes.c_void_p).value

    def work(self) -> np.ndarray:
        return np.zeros(1)


def event(direction: int = 0, *, positive: bool = False, jumps: bool = False, kinks: bool = False) -> Any:
    return SimpleNamespace(direction=direction, positive=positive, jumps=jumps, kinks=kinks)


class Run:
    """A loop with its events, of functions in Python."""

    def __init__(
        self, ode: Callable[..., Any], x0: Any, events: Callable[..., Any] | None = None, specs: tuple[Any, ...] = (),
        kinds: tuple[int, ...] = (), *, adaptive: bool = True, end: float = 1.0, step: float = 0.1, held: int = 0,
        method: Any = METHOD, record: float = 0.0, capacity: int = 4000, rtol: float = 1e-9, p: Any = (),
        quaternions: tuple[int, ...] = (), counted: Any = None, atol: Any = 1e-9, t0: float = 0.0, changes: int = 50,
    ) -> None:  # fmt: skip
        x0 = np.array(x0, dtype=float)
        self.n = n = len(x0)
        problem = SimpleNamespace(
            n_states=n, event_specs=specs, held_names=range(held), quaternions=quaternions,
            counted=np.ones(n, bool) if counted is None else np.array(counted),
        )  # fmt: skip
        setup: Any = SimpleNamespace(
            problem=problem, x0=x0, p=np.array(p, dtype=float), atol=np.full(n, atol), step=step, max_step=np.inf,
            rtol=rtol, t0=t0, t_end=end, record=record, max_steps=100_000, patience=1e9, first_step=None,
        )  # fmt: skip
        sizes = (n, held, len(setup.p))
        self.codes: list[Any] = [Code(ode, sizes), Code(events, sizes) if events else None]
        kept: Any = self.codes
        self.loop = loop_memory(setup, method, adaptive=adaptive, capacity=capacity, ode=kept[0], events=kept[1])
        self.L, self.arrays = self.loop.struct, self.loop.arrays
        self.L.t_end = end
        self.watch = watch_memory(setup, self.loop.address, kinds, changes=changes)
        self.W, self.seen = self.watch.struct, self.watch.arrays
        self.W.n_changes = self.seen["n_changes"].ctypes.data
        self.bounced: list[Any] = []

    def transition(self, f: Callable[[float, np.ndarray, np.ndarray], int]) -> None:
        """f(t, x, fired) changes x and fired in place, and returns -1 if it succeeds."""

        def made(_context: Any, t: float, x: Any, _c: Any, _p: Any, fired: Any) -> int:
            count = self.L.n_events
            return f(t, np.ctypeslib.as_array(x, (self.n,)), np.ctypeslib.as_array(fired, (count,)))

        self._made = TRANSITION(made)
        self.W.transition = ctypes.cast(self._made, ctypes.c_void_p).value

    def start(self, engine: Any) -> None:
        engine("push", self.loop)
        if self.L.adaptive:
            self.L.h = engine("first", self.loop, self.W.run_end - self.L.t)
        engine("begin", self.watch)

    @property
    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        return self.arrays["rows_t"][: self.L.n_rows].copy(), self.arrays["rows_x"][: self.L.n_rows].copy()

    @property
    def records(self) -> list[tuple[int, int, float]]:
        k = self.W.n_records
        parts = (self.seen[f"record_{name}"][:k].tolist() for name in ("event", "sign", "t"))
        return list(zip(*parts, strict=True))


def test_weighted_sums_of_slopes(engine: Any) -> None:
    rng = np.random.default_rng(1)
    for count in range(11):
        for n in (1, 3, 6):
            x, w, k = rng.normal(size=n), rng.normal(size=max(count, 1)), rng.normal(size=(max(count, 1), n))
            w[rng.random(len(w)) < 0.3] = 0.0
            out, h = np.full(n, np.nan), 0.37
            engine("combination", x, h, w, count, k, out, n)
            expected = h * w[:count] @ k[:count]
            np.testing.assert_allclose(out, x + expected, rtol=0.0, atol=1e-14)
            engine("combination", None, h, w, count, k, out, n)
            np.testing.assert_allclose(out, expected, rtol=0.0, atol=1e-14)


def test_lengths_of_steps(engine: Any) -> None:
    """PI control of Gustafsson with a safety of 0.9, changes between a fifth and ten times, two equal last steps."""
    landed = np.zeros(1, dtype=np.int64)
    for longest, rest, expected, last in ((0.1, 0.05, 0.05, 1), (0.1, 0.1, 0.1, 1), (0.1, 0.1 * (1.0 + 5e-10), 0.1, 1)):
        assert engine("length", longest, rest, landed) == pytest.approx(expected) and landed[0] == last
    for rest, expected in ((0.15, 0.075), (0.1001, 0.05005), (0.199, 0.0995), (0.2, 0.1), (0.5, 0.1)):
        assert engine("length", 0.1, rest, landed) == pytest.approx(expected) and landed[0] == 0
    for order in (1.0, 2.0, 4.0, 7.0):
        k, beta = order + 1.0, 0.2 / (order + 1.0)
        for e in (1.1, 5.0, 1e4, 1e9):
            assert engine("shorter", 0.3, e, order) == pytest.approx(
                0.3 * max(0.2, 0.9 * e ** -(1.0 / k - 0.75 * beta)), rel=1e-12
            )
        assert engine("shorter", 0.3, np.inf, order) == pytest.approx(0.06)
        assert engine("shorter", 0.3, 1e-7, order) == engine("shorter", 0.3, 1e-4, order)
        for e, before in ((0.9, 0.3), (1e-3, 0.02), (1e-9, 1e-4), (0.5, 1e-9), (1.0, 1.0), (1.0, 0.0)):
            raw = 0.9 * max(e, 1e-4) ** -(1.0 / k - 0.75 * beta) * max(before, 1e-4) ** beta
            factor = min(10.0, max(0.2, raw))
            assert engine("next", 0.3, e, before, 0, 0.3, order) == pytest.approx(0.3 * factor, rel=1e-12)
            assert engine("next", 0.3, e, before, 1, 0.3, order) == pytest.approx(0.3 * min(factor, 1.0), rel=1e-12)
            assert engine("next", 0.3, e, before, 0, 8.0, order) == 8.0  # it was cut, and comes back
    assert engine("next", 0.3, 1e-9, 1.0, 0, 0.3, 1.0) == pytest.approx(3.0)  # not more than ten times
    for h, t, short in ((1e-15, 1.0, 0), (8e-16, 1.0, 1), (8e-16, -1.0, 1), (1e-15, -1.0, 0), (1e-291, 0.0, 1)):
        assert engine("is_too_short", h, t) == short
    assert engine("is_too_short", 1e-289, 0.0) == 0


def test_the_first_step(engine: Any) -> None:
    """Hairer, Norsett and Wanner, section II.4: of the sizes of a state, its rate, and the rate's change."""
    for d0, d1, expected in ((1.0, 4.0, 0.0025), (1e-6, 4.0, 1e-6), (1.0, 1e-6, 1e-6), (1.0, 1e-4, 3.0)):
        assert engine("trial", d0, d1, 3.0) == pytest.approx(expected)
    assert engine("starting", 1e-2, 2.0, 0.5, 9.0, 5.0) == pytest.approx((0.01 / 2.0) ** 0.2)
    assert engine("starting", 1e-2, 2.0, 8.0, 9.0, 4.0) == pytest.approx((0.01 / 8.0) ** 0.25)
    assert engine("starting", 1e-4, 2.0, 0.5, 9.0, 5.0) == pytest.approx(1e-2)  # a hundred trials
    assert engine("starting", 1e-2, 2.0, 0.5, 0.1, 5.0) == pytest.approx(0.1)
    assert engine("starting", 0.5, 0.0, 1e-16, 9.0, 5.0) == pytest.approx(5e-4)
    assert engine("starting", 1e-5, 0.0, 1e-16, 9.0, 5.0) == pytest.approx(1e-6)
    assert engine("starting", 1e-2, np.nan, 1.0, 9.0, 5.0) > 0.0
    rng = np.random.default_rng(2)
    A, x, atol, rtol = rng.normal(size=(3, 3)), rng.normal(size=3), 1e-4, 1e-3
    run = Run(lambda t, x, c, p: A @ x + [np.sin(t), 0.0, 0.0], x, rtol=rtol, atol=atol, counted=[1, 0, 1], t0=0.3)

    def size(v: np.ndarray) -> float:
        r = (v / (atol + rtol * np.abs(x)))[[0, 2]]
        return float(np.sqrt(np.mean(r**2)))

    f = A @ x + [np.sin(0.3), 0.0, 0.0]
    h0 = 0.01 * size(x) / size(f)
    change = A @ (x + h0 * f) + [np.sin(0.3 + h0), 0.0, 0.0] - f
    expected = min(100.0 * h0, (0.01 / max(size(f), size(change) / h0)) ** (1.0 / 5.0))
    assert engine("first", run.loop, 9.0) == pytest.approx(expected, rel=1e-9)
    assert engine("first", run.loop, 1e-3) == pytest.approx(1e-3)
    run = Run(lambda t, x, c, p: None, x)
    assert engine("first", run.loop, 9.0) == 1e-6 and engine("first", run.loop, 1e-8) == 1e-8
    run = Run(lambda t, x, c, p: x if t == 0.0 else None, x)  # it cannot be tried
    assert engine("first", run.loop, 9.0) == 1e-6 and engine("first", run.loop, 1e-8) == 1e-8


def test_the_error_of_a_step(engine: Any) -> None:
    """Weighted root mean square over the states that count; of two embedded solutions, section II.10 of Hairer."""
    rng = np.random.default_rng(3)
    for method in (METHOD, next(t for t in vars(tableaus).values() if getattr(t, "b_second", None) is not None)):
        run = Run(lambda t, x, c, p: x, rng.normal(size=4), method=method, counted=[1, 1, 0, 1], rtol=1e-2, atol=1e-3)
        run.arrays["stage"][:] = k = rng.normal(size=(method.stages, 4))
        run.arrays["x_next"][:] = x = rng.normal(size=4)
        run.L.h_used = h = 0.2
        scale = 1e-3 + 1e-2 * np.maximum(np.abs(run.arrays["x"]), np.abs(x))

        def size(e: np.ndarray, h: float = h, k: np.ndarray = k, scale: np.ndarray = scale) -> np.ndarray:
            return (h * e @ k / scale)[[0, 1, 3]]

        first = size(method.b - method.b_hat)
        expected = np.sqrt(np.mean(first**2))
        if method.b_second is not None:
            second = np.mean(size(method.b - method.b_second) ** 2)
            expected = expected**2 / np.sqrt(expected**2 + 0.01 * second)
        assert engine("norm", run.loop) == pytest.approx(expected, rel=1e-12)
        assert run.L.bad == [0, 1, 3][np.abs(first).argmax()]


def test_the_state_to_blame(engine: Any) -> None:
    run = Run(lambda t, x, c, p: x, [1.0, -3.0, 2.0, 9.0])
    assert engine("bad", run.loop) == -1
    for values, blamed in (([np.nan, 1, 1, 1], 0), ([np.nan, np.inf, np.nan, 0], 1), ([0, 0, np.nan, -np.inf], 3)):
        run.arrays["x_next"][:] = values
        assert engine("bad", run.loop) == blamed


def test_steps_hit_instants_to_record_and_the_end(engine: Any) -> None:
    for adaptive in (True, False):
        run = Run(lambda t, x, c, p: [-x[0]], [1.0], adaptive=adaptive, record=0.25, end=1.1, step=0.1, t0=-0.1)
        run.L.h = 0.1
        assert engine("go", run.loop) == REACHED
        t, x = run.rows
        np.testing.assert_allclose(t, [0.15, 0.4, 0.65, 0.9], atol=1e-15)
        np.testing.assert_allclose(x[:, 0], np.exp(-(t + 0.1)), rtol=1e-6)
        assert run.L.t == 1.1 and run.arrays["x"][0] == pytest.approx(np.exp(-1.2), rel=1e-6)
    run = Run(lambda t, x, c, p: [1.0], [0.0], adaptive=False, step=0.1, end=0.35, t0=0.0)
    assert engine("go", run.loop) == REACHED
    np.testing.assert_array_equal(run.rows[0], [0.1, 0.2, 3 * 0.1, 0.35])
    assert run.L.n_steps == 4 and run.L.anchor == 0.35 and run.L.k == 0


def test_a_loop_comes_back(engine: Any) -> None:
    """When its rows are full, its steps are used up, functions fail, and steps become too short."""
    run = Run(lambda t, x, c, p: [1.0], [0.0], adaptive=False, step=0.125, end=1.0, capacity=3)
    assert engine("go", run.loop) == FULL and run.L.n_rows == 3
    run.L.n_rows, run.L.max_steps = 0, 5
    assert engine("go", run.loop) == EXHAUSTED and run.L.n_steps == 5
    run = Run(lambda t, x, c, p: None if t > 0.5 else [1.0], [0.0], adaptive=False, step=0.125, end=1.0)
    assert engine("go", run.loop) == DIVERGED and run.L.t == 0.5 and run.L.bad == -1
    run = Run(lambda t, x, c, p: [1.0, np.nan if t > 0.5 else 0.0], [0.0, 0.0], adaptive=False, step=0.125)
    assert engine("go", run.loop) == DIVERGED and run.L.bad == 1
    run = Run(lambda t, x, c, p: [x[0] ** 2], [1.0], end=2.0, rtol=1e-6)  # infinite at 1
    run.L.h = 0.01
    assert engine("go", run.loop) == UNDERFLOW and run.L.t == pytest.approx(1.0, abs=1e-6) and run.L.n_rejected > 3
    run = Run(lambda t, x, c, p: [1.0], [0.0], lambda t, x, c, p: [1.0, np.nan if t > 0.3 else 1.0], (event(),) * 2)
    run.L.adaptive, run.L.step = 0, 0.125
    assert engine("go", run.loop) == DIVERGED and run.L.bad == 2 and run.L.t == 0.25


def test_quaternions_stay_units(engine: Any) -> None:
    w = 0.7
    run = Run(
        lambda t, x, c, p: [0.0, *(0.5 * w * np.array([-x[4], -x[3], x[2], x[1]]) + 0.1 * x[1:])], [2.0, 1, 0, 0, 0],
        quaternions=(1,), adaptive=False, step=0.01, method=tableaus.CLASSICAL,
    )  # fmt: skip
    assert engine("go", run.loop) == REACHED
    np.testing.assert_allclose(run.arrays["x"], [2.0, np.cos(w / 2), 0, 0, np.sin(w / 2)], atol=1e-9)


def test_held_values_are_sampled_in_time(engine: Any) -> None:
    """x' = c with c = 1 + x at multiples of 0.3 from 0.1 on: x grows by (1 + x) 0.3 in each period."""
    run = Run(lambda t, x, c, p: [c[1]], [0.0], adaptive=False, step=0.05, end=1.0, held=2)
    update, code = NativeMemory(structure("update")), Code(lambda t, x, c, p: [1.0 + x[0]], (1, 2, 0))
    update.struct.f, update.struct.n, update.struct.period, update.struct.offset = code.address, 1, 0.3, 0.1
    update.array("values", np.zeros(1)), update.array("rows", np.array([1])), update.array("work", np.zeros(1))
    instants = np.zeros(1, dtype=np.int64)
    run.L.n_updates, run.L.updates, run.L.instants, run.L.t_last = 1, update.address, instants.ctypes.data, 1.0
    assert engine("next_sample", run.loop, 1.0) == pytest.approx(0.1)
    assert engine("next_sample", run.loop, 0.05) == 0.05
    assert engine("next_sample", run.loop, 0.1 + 1e-10) == 0.1 + 1e-10  # the end itself
    run.L.t_end = 0.1
    assert engine("go", run.loop) == REACHED and run.L.t == 1.0 and instants[0] == 3
    expected = 0.0
    for _ in range(3):
        expected += 0.3 * (1.0 + expected)
    assert run.arrays["x"][0] == pytest.approx(expected, rel=1e-12)
    t, held = run.rows[0], run.arrays["rows_c"][: run.L.n_rows, 1]
    assert held[np.argmin(np.abs(t - 0.1))] == 1.0  # rows of an instant show what it sets
    assert held[np.argmin(np.abs(t - 0.4))] == pytest.approx(1.3) and held[0] == 0.0


def hermite(rng: np.random.Generator, n: int, degree: int) -> tuple[Any, Any]:
    coefficients = rng.normal(size=(degree + 1, n))
    powers = np.arange(degree + 1)
    return (
        lambda s: s**powers @ coefficients,
        lambda s: (powers[1:] * s ** powers[:-1]) @ coefficients[1:],
    )


@pytest.mark.parametrize("nodes", [(0.0, 0.5), (0.0, 0.5, 0.2), (0.0, 0.5, 0.2, 0.35)])
def test_a_polynomial_through_states_and_slopes(engine: Any, nodes: tuple[float, ...]) -> None:
    """Of a polynomial of its degree nothing is left, and a node says by how much it was off."""
    rng = np.random.default_rng(4)
    f, slope = hermite(rng, 3, 2 * len(nodes) - 1)
    run = Run(lambda t, x, c, p: x, [0.0, 0.0, 0.0], counted=[1, 0, 1], rtol=1e-3, atol=1e-4)
    run.seen["newton"][:3], run.seen["newton"][3:6] = f(0.0), slope(0.0)
    run.W.n_nodes, run.seen["nodes"][0], made = 1, 0.0, np.zeros(1)
    run.arrays["x"][:], run.arrays["x_next"][:] = f(0.0), f(0.5)
    for s in nodes[1:]:
        before = np.array([engine("value", run.watch, s, i, made) for i in range(3)])
        engine("node", run.watch, s, f(s), slope(s))
        allowed = 0.1 * (1e-4 + 1e-3 * np.maximum(np.abs(f(0.0)), np.abs(f(0.5))))
        assert run.W.off == pytest.approx(np.abs((f(s) - before) / allowed)[[0, 2]].max(), rel=1e-6)
    assert run.W.n_nodes == len(nodes)
    for s in (0.0, 0.1, 0.27, 0.5, 0.6):
        engine("at", run.watch, s)
        np.testing.assert_allclose(run.seen["x_part"], f(s), rtol=0.0, atol=1e-10)
        for i in range(3):
            assert engine("value", run.watch, s, i, made) == pytest.approx(f(s)[i], abs=1e-10)
            assert made[0] == pytest.approx(slope(s)[i], abs=1e-9)


def test_the_error_of_a_polynomial(engine: Any) -> None:
    """Of a cubic by its defect: exact where the solution is of degree four; elsewhere by what nodes leave of it."""
    h, c = 0.4, np.array([0.7, -1.3])
    run = Run(lambda t, x, _c, p: 4.0 * c * t**3 + 1.0, [0.0, 0.0], rtol=1e-3, atol=1e-4)
    run.arrays["x_next"][:] = x = c * h**4 + h
    run.arrays["stage"][0] = 1.0
    run.L.h_used = run.L.t_next = h
    allowed = 0.1 * (1e-4 + 1e-3 * np.abs(x))
    run.W.off = off = engine("ends", run.watch)
    assert off == pytest.approx((np.abs(c) * h**4 / 16.0 / allowed).max(), rel=1e-9)
    for s in (0.0, 0.1, 0.2, 0.4):
        engine("at", run.watch, s)
        left = np.abs(run.seen["x_part"] - (c * s**4 + s))
        assert engine("error", run.watch, s) == pytest.approx((left / allowed).max(), abs=1e-9)
    run.W.inside = -1
    engine("node", run.watch, 0.1, c * 0.1**4 + 0.1, 4.0 * c * 0.1**3 + 1.0)
    for s in (0.0, 0.05, 0.1, 0.3, 0.4):  # by the next polynomial with a double zero at each older node
        grown = (s - 0.1) / h * (s * (s - h)) / (0.1 * (0.1 - h))
        assert engine("error", run.watch, s) == pytest.approx(run.W.off * grown**2, rel=1e-12, abs=1e-15)
    run.L.adaptive = 0
    assert engine("defect_of", run.watch) == np.inf


def test_the_polynomial_of_the_method(engine: Any) -> None:
    """With further stages it is nearly as exact as the method: of a decay, by the eighth power of the step."""
    off = []
    for h in (1.6, 0.8):
        run = Run(lambda t, x, c, p: [-x[0], t], [1.0, 0.0], rtol=1e-6, end=h, method=tableaus.DORMAND_PRINCE_8)
        run.L.h = 9.0
        run.arrays["x_next"][:] = 0.0
        run.L.t_end, run.L.capacity, run.L.rtol, run.L.n_rows = h, 9, 1e9, 0
        run.L.n_events = 0
        assert engine("go", run.loop) == REACHED  # the step, whose stages stay
        run.arrays["x"][:], run.L.t, run.L.rtol = [1.0, 0.0], 0.0, 1e-6
        run.arrays["stage"][0] = [-1.0, 0.0]
        run.L.h_used, run.L.t_next = h, h
        engine("ends", run.watch)
        assert engine("inside", run.watch) == 1 and run.W.inside == 1 and run.W.n_nodes == 4
        s = np.linspace(0.0, h, 9)
        values = []
        for one in s:
            engine("at", run.watch, one)
            values.append(run.seen["x_part"].copy())
        off.append(np.abs(np.array(values) - np.stack([np.exp(-s), 0.5 * s**2], axis=1)).max())
        assert engine("inside", run.watch) == 0  # it is known by four places already
    for method in (METHOD, tableaus.CLASSICAL):  # those that have none say so, and are not asked again
        run = Run(lambda t, x, c, p: [-x[0]], [1.0], end=0.5, method=method)
        run.L.h_used = run.L.t_next = 0.5
        engine("ends", run.watch)
        assert engine("inside", run.watch) == 0 and run.W.inside == -1 and run.W.n_nodes == 2
    run = Run(lambda t, x, c, p: None if 0.0 < t < 0.5 else [-x[0]], [1.0], end=0.5, method=tableaus.DORMAND_PRINCE_8)
    run.L.h_used = run.L.t_next = 0.5
    engine("ends", run.watch)
    assert engine("inside", run.watch) == 0 and run.W.inside == -1 and run.W.n_nodes == 2  # its stages have no values
    assert off[0] < 1e-4 and off[0] / off[1] > 2.0**7


@pytest.mark.parametrize("deflated", [0, 1])
@pytest.mark.parametrize("guessed", [False, True])
def test_roots_are_found_to_the_tolerance(engine: Any, guessed: bool, deflated: int) -> None:
    """Of functions with strong curvature, of either sign; what is found lies at the root or beyond it."""
    rng = np.random.default_rng(5)
    for trial in range(12):
        at, sign, k = rng.uniform(0.2, 0.8), rng.choice([-1.0, 1.0]), (1.0, 3.0, 9.0)[trial % 3]
        run = Run(lambda t, x, c, p: x, [0.0], lambda t, x, c, p: [0.0, 0.0], (event(),) * 2, (STAYS,) * 2)

        def g(s: float, at: float = at, sign: float = sign, k: float = k) -> float:
            return float(sign * (np.expm1(k * (s - at))) * (s if deflated else 1.0))

        looked: list[float] = []

        def probe(_watch: Any, s: float, run: Run = run, g: Any = g, looked: list[float] = looked) -> None:
            run.seen["g_part"][:], run.seen["x_part"][:] = [9.0, g(s)], s
            looked.append(s)

        a, b, tolerance = 0.1, 0.9, 1e-11
        run.seen["g_found"][:], run.seen["x_found"][:] = [9.0, g(b)], b
        guess = at + 1e-4 if guessed else np.nan
        s = engine(
            "root", run.watch, PROBE(probe), 1, np.array([a, g(a), b, g(b), tolerance, guess, 0.0, 0.0]), deflated
        )
        assert brentq(g, a, b, xtol=1e-15) == pytest.approx(at, abs=1e-14)
        assert abs(s - at) <= 1.01 * tolerance and g(s) * g(b) >= 0.0
        assert run.seen["x_found"][0] == s and run.seen["g_found"][1] == g(s)
        assert len(looked) < 20 and (not guessed or looked[0] == guess)


@pytest.mark.parametrize("deflated", [0, 1])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_crossing_follows_the_state_as_it_settles(engine: Any, sign: float, deflated: int) -> None:
    """An event at x1 = 0.9 of a cubic, of which settling moves x1 by 0.01 t.

    What is found are the settled state and its functions, of which that of the event has not the sign from before.
    """
    t0, zero = 0.7, -0.2
    f, slope = hermite(np.random.default_rng(11), 2, 3)

    def x(s: float) -> np.ndarray:
        return np.array([0.2 + f(s)[0], 0.3 + 2.0 * s + 0.2 * s**3])

    def settled(s: float) -> np.ndarray:
        return x(s) + [0.0, 0.01 * (t0 + s)]

    def g(s: float) -> float:
        return float(sign * (settled(s)[1] - 0.9))

    def events(_t: float, x: np.ndarray, _c: Any, _p: Any) -> list[float]:
        return [7.0 * x[0], sign * (x[1] - 0.9)]

    def moved(_context: Any, t: float, x: Any, _c: Any, _p: Any) -> int:
        x[1] += 0.01 * t
        return fails[0]

    fails, made = [0], PROJECT(moved)
    run = Run(lambda t, x, c, p: x, [0.0, 0.0], events, (event(),) * 2, (STAYS,) * 2, t0=t0)
    run.L.project, run.L.h_used = ctypes.cast(made, ctypes.c_void_p).value, 0.5
    run.seen["newton"][:2], run.seen["newton"][2:4] = x(0.0), [slope(0.0)[0], 2.0]
    run.W.n_nodes, run.seen["nodes"][0] = 1, 0.0
    engine("node", run.watch, 0.5, x(0.5), np.array([slope(0.5)[0], 2.0 + 0.6 * 0.25]))
    root = brentq(g, 0.0, 0.5, xtol=1e-15)
    rate = sign * (2.01 + 0.6 * root**2) / ((root - zero) if deflated else 1.0)

    def found(begin: float, tolerance: float, a: float = 0.1) -> float:
        bracket = np.array([a, g(a), 0.45, g(0.45), tolerance, np.nan, rate, zero])
        return float(engine("settled", run.watch, 1, bracket, deflated, begin))

    for begin in (root - 0.05, root + 0.05, root - 1e-4, root + 1e-4, 0.2, 0.4):
        for tolerance in (1e-3, 1e-9, 1e-12):
            s = found(begin, tolerance)
            near = abs(begin - root) < tolerance
            assert abs(s - root) <= 1.01 * tolerance and (s == begin) == near
            np.testing.assert_allclose(run.seen["x_found"], settled(s), rtol=1e-14)
            beyond = g(s) * sign >= 0.0
            if abs(s - root) > 1e-13:
                assert run.seen["g_found"][1] == pytest.approx(g(s) if beyond else 0.0, abs=1e-15)
            assert run.seen["g_found"][0] == pytest.approx(7.0 * settled(s)[0], rel=1e-13)
    assert np.isnan(found(0.4, 1e-9, a=root + 0.01))  # it is not within the bracket
    fails[0] = 1
    assert np.isnan(found(0.3, 1e-9))


def test_a_root_that_a_probe_meets_is_the_answer(engine: Any) -> None:
    """In the middle of the bracket, at its end, and where the function only touches zero between numbers."""
    run = Run(lambda t, x, c, p: x, [0.0], lambda t, x, c, p: [0.0], (event(),), (STAYS,))
    for sign in (1.0, -1.0):

        def probe(_watch: Any, s: float, sign: float = sign) -> None:
            run.seen["g_part"][:], run.seen["x_part"][:] = sign * (s - 0.5), s

        run.seen["g_found"][:], run.seen["x_found"][:] = sign * 0.5, 1.0
        s = engine(
            "root", run.watch, PROBE(probe), 0, np.array([0.0, -0.5 * sign, 1.0, 0.5 * sign, 1e-12, np.nan, 0, 0]), 0
        )
        assert s == 0.5 and run.seen["x_found"][0] == 0.5 and run.seen["g_found"][0] == 0.0
        s = engine("root", run.watch, PROBE(probe), 0, np.array([0.0, -0.5 * sign, 0.5, 0.0, 1e-12, np.nan, 0, 0]), 0)
        assert s == 0.5


def test_a_root_after_a_place_without_a_value_is_the_answer(engine: Any) -> None:
    """What is returned is where the state and the functions are that are kept, though no slope is known there."""
    for sign in (1.0, -1.0):
        run = Run(lambda t, x, c, p: x, [0.0], lambda t, x, c, p: [0.0], (event(),), (STAYS,))
        looked: list[float] = []

        def probe(_watch: Any, s: float, run: Run = run, looked: list[float] = looked) -> None:
            looked.append(s)
            run.seen["g_part"][:], run.seen["x_part"][:] = np.nan if len(looked) == 1 else 0.0, s

        run.seen["g_found"][:], run.seen["x_found"][:] = sign, 1.0
        s = engine("root", run.watch, PROBE(probe), 0, np.array([0.0, -sign, 1.0, sign, 1e-9, np.nan, 0.0, 0.0]), 0)
        assert s == looked[-1] == run.seen["x_found"][0] and run.seen["g_found"][0] == 0.0 and len(looked) == 2


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_jumps_over_zero_are_found_to_the_tolerance(engine: Any, sign: float) -> None:
    """What is found lies beyond the jump, by less than the tolerance, however small or large the function is there."""
    run = Run(lambda t, x, c, p: x, [0.0], lambda t, x, c, p: [0.0], (event(),), (STAYS,))
    for before, after in ((-0.5, 0.25), (-3.0, 40.0), (-1e-3, 1.0), (-1.0, 1e-3)):
        at = 0.321

        def probe(_watch: Any, s: float, at: float = at, before: float = before, after: float = after) -> None:
            run.seen["g_part"][:], run.seen["x_part"][:] = sign * (before if s < at else after), s

        run.seen["g_found"][:], run.seen["x_found"][:] = sign * after, 1.0
        bracket = np.array([0.0, sign * before, 1.0, sign * after, 1e-9, np.nan, 0.0, 0.0])
        s = engine("root", run.watch, PROBE(probe), 0, bracket, 0)
        assert at <= s <= at + 1.01e-9 and run.seen["x_found"][0] == s


def test_which_events_happen(engine: Any) -> None:
    run = Run(
        lambda t, x, c, p: x, [0.0], lambda t, x, c, p: [0.0] * 4, tuple(event(d) for d in (0, 1, -1, 0)), (0,) * 4
    )
    signs, passed, kinds, fired = run.arrays["signs"], run.seen["passed"], run.seen["kinds"], run.seen["fired"]
    for sign in (1.0, -1.0, 0.0):
        signs[:] = sign
        for g in (1.0, -1.0, 0.0):
            for i, direction in enumerate((0, 1, -1)):
                happens = sign != 0.0 and g * sign <= 0.0 and (direction == 0 or direction == -sign)
                assert engine("has_crossed", run.watch, i, g) == int(happens)
            passed[0] = 1
            assert engine("has_crossed", run.watch, 0, g) == 0
            passed[0] = 0
    kinds[:] = [STAYS, ENDS, SWITCHES, CUTS]
    for which, most, first in (
        ((0,), STAYS, 0),
        ((3,), CUTS, 3),
        ((2, 3), SWITCHES, 2),
        ((0, 1), ENDS, 0),
        ((), PASSES, 3),
    ):
        fired[:] = [i in which for i in range(4)]
        assert engine("demanded", run.watch) == most and engine("first_of", run.watch) == first
    fired[:] = [1, 2, 1, 1]  # the second one last, the fourth, which cuts steps only, not at all
    engine("recorded", run.watch, 2.0, np.array([7.0]), np.array([1.0, -1.0, -1.0, 1.0]))
    assert run.records == [(0, -1, 2.0), (2, 1, 2.0), (1, 1, 2.0)] and (run.seen["record_x"][:3] == 7.0).all()
    engine("recorded", run.watch, 3.0, np.array([8.0]), None)
    assert run.records[3:] == [(0, -1, 3.0), (2, -1, 3.0), (1, -1, 3.0)]


def test_functions_that_jump_over_zero_happen(engine: Any) -> None:
    specs = tuple(event(d, jumps=j) for d, j in ((0, True), (1, True), (-1, True), (0, False), (0, True), (0, True)))
    run = Run(lambda t, x, c, p: x, [0.0], lambda t, x, c, p: [0.0] * 6, specs, (STAYS,) * 5 + (SWITCHES,))
    for before in (1.0, -1.0):
        run.arrays["signs"][:], run.seen["fired"][:] = -before, 0
        run.seen["fired"][4], run.W.n_records = 1, 0  # it has happened already
        engine("jumped", run.watch, 2.5, np.array([7.0]), np.full(6, before))
        down = before > 0.0
        expected = [0, 2] if down else [0, 1]
        assert run.records == [(i, int(-before), 2.5) for i in expected]
        assert np.flatnonzero(run.seen["fired"]).tolist() == sorted([*expected, 4, 5])
        assert run.seen["fired"][5] not in (0, 1)  # a transition of it is still to come
        run.arrays["signs"][:], run.seen["fired"][:], run.W.n_records = before, 0, 0
        engine("jumped", run.watch, 2.5, np.array([7.0]), np.full(6, before))
        assert run.records == [] and not run.seen["fired"].any()
    run.arrays["signs"][:] = 0.0
    engine("jumped", run.watch, 2.5, np.array([7.0]), np.full(6, 1.0))
    assert run.records == []


def test_transitions_that_never_end_are_noticed(engine: Any) -> None:
    for spacing, end in ((1e-9, 1.0), (2.1e-9, 1.0), (2.1e-9, 2.0)):
        run = Run(lambda t, x, c, p: x, [0.0], end=end)
        told = []
        for k in range(505):
            run.L.t = 0.2 + k * spacing
            told.append(engine("crowded", run.watch, 3))
        near = 499 * spacing <= 1e-6 * end
        assert told == ([0] * 499 + [1] * 6 if near else [0] * 505)
        assert run.W.n_stops == 500 and run.seen["stops"][-1] == run.L.t


def test_room_for_records(engine: Any) -> None:
    run = Run(lambda t, x, c, p: x, [0.0], lambda t, x, c, p: [0.0] * 3, (event(),) * 3, (STAYS,) * 3, changes=5)
    capacity = run.W.records_capacity
    for changes, records, free in ((0, 0, 1), (4, capacity - 3, 1), (4, capacity - 2, 0), (5, 0, 0)):
        run.seen["n_changes"][0], run.W.n_records = changes, records
        assert engine("room", run.watch) == free


G = 9.81


def thrown(height: float, speed: float, level: float) -> list[float]:
    """When a throw passes a level."""
    roots = np.roots([-0.5 * G, speed, height - level])
    return sorted(float(t.real) for t in roots if abs(t.imag) < 1e-12 and t.real > 0.0)


def throw(
    functions: Callable[[float, np.ndarray], Any], specs: tuple[Any, ...], kinds: tuple[int, ...], **settings: Any
) -> Run:
    """A throw with a drift beside it, which is not a polynomial: y, v and z with z' = z."""
    start = settings.pop("start", [1.0, 4.0, 1.0])
    return Run(lambda t, x, c, p: [x[1], -G, x[2]], start, lambda t, x, c, p: functions(t, x), specs, kinds, **settings)


WAYS: list[dict[str, Any]] = [
    {"adaptive": True, "rtol": 1e-7},
    {"adaptive": True, "method": tableaus.DORMAND_PRINCE_8},
    {"adaptive": False, "step": 0.13},
    {"adaptive": False, "step": 0.13, "method": tableaus.CLASSICAL},
]


@pytest.mark.parametrize("way", WAYS, ids=["five", "eight", "fixed", "classical"])
def test_instants_of_events_are_those_of_the_motion(engine: Any, way: dict[str, Any]) -> None:
    """Both crossings of a level, one of each direction, several in a step, and one of a function that is not linear."""
    level, up = thrown(1.0, 4.0, 1.5), 4.0 / G
    specs = (event(), event(1), event(-1), event(), event(-1), event(kinks=True))
    for kind in (STAYS, PASSES):
        run = throw(
            lambda t, x: [x[0] - 1.5, x[0] - 1.5, x[0] - 1.5, np.exp(x[2]) - np.exp(1.4), x[1], x[0] - 1.501],
            specs, (kind,) * 6, **way,
        )  # fmt: skip
        run.start(engine)
        assert engine("advance", run.watch) == REACHED and run.L.t == 1.0
        near = thrown(1.0, 4.0, 1.501)
        expected = [
            (0, 1, level[0]), (1, 1, level[0]), (5, 1, near[0]), (3, 1, np.log(1.4)), (4, -1, up), (5, -1, near[1]),
            (0, -1, level[1]), (2, -1, level[1]),
        ]  # fmt: skip
        made = sorted(run.records, key=lambda r: (round(r[2], 6), r[0]))
        for got, want in zip(made, sorted(expected, key=lambda r: (round(r[2], 6), r[0])), strict=True):
            assert got[:2] == want[:2] and got[2] == pytest.approx(want[2], abs=2e-6 if want[0] == 3 else 1e-9)
        for k, (i, _, t) in enumerate(run.records):
            x = run.seen["record_x"][k]
            np.testing.assert_allclose(
                x, [1.0 + 4.0 * t - 0.5 * G * t * t, 4.0 - G * t, np.exp(t)], rtol=2e-5, atol=1e-9
            )
            if i in (0, 1, 2):
                assert x[0] == pytest.approx(1.5, abs=1e-10)
        times = run.rows[0]
        ends = [t for *_, t in run.records]
        assert all((times == t).any() == (kind == STAYS) for t in ends)
        np.testing.assert_allclose(run.arrays["x"], [1.0 + 4.0 - 0.5 * G, 4.0 - G, np.e], rtol=2e-5)


@pytest.mark.parametrize("way", WAYS, ids=["five", "eight", "fixed", "classical"])
def test_instants_of_events_of_a_motion_that_is_driven(engine: Any, way: dict[str, Any]) -> None:
    """Rates that depend on time alone: x = sin(7 t) / 7."""
    run = Run(lambda t, x, c, p: [np.cos(7.0 * t)], [0.0], lambda t, x, c, p: [x[0] - 0.1], (event(),), (STAYS,), **way)
    run.start(engine)
    assert engine("advance", run.watch) == REACHED
    first = np.arcsin(0.7) / 7.0
    expected = [first, np.pi / 7.0 - first, first + 2.0 * np.pi / 7.0]
    exact = 1e-7 if way["adaptive"] else 2e-3  # of steps of 0.13
    np.testing.assert_allclose([t for *_, t in run.records], [t for t in expected if t < 1.0], rtol=0.0, atol=exact)


def test_a_step_ends_at_the_strongest_of_simultaneous_events(engine: Any) -> None:
    for kinds, outcome in (((STAYS, CUTS), REACHED), ((CUTS, ENDS), STOPPED), ((PASSES, ENDS), STOPPED)):
        run = throw(lambda t, x: [x[0] - 1.5, 3.0 - 2.0 * x[0]], (event(), event()), kinds, end=0.3)
        run.start(engine)
        got, first = engine("advance", run.watch), thrown(1.0, 4.0, 1.5)
        assert got == outcome and [r[:2] for r in run.records[:2]] == [
            (i, s) for i, s in ((0, 1), (1, -1)) if kinds[i] != CUTS
        ]
        if outcome == STOPPED:
            assert run.L.t == pytest.approx(first[0], abs=1e-11) and len(run.records) < 3


def bouncing(restitution: float, rest: float = 0.0, **settings: Any) -> Run:
    """A ball that bounces on the floor, with an event where its velocity changes its sign and one at a time."""
    specs = (event(-1, positive=True), event(jumps=True), event(-1))
    run = Run(
        lambda t, x, c, p: [x[1], -G], [1.0, 0.5], lambda t, x, c, p: [x[0], x[1] - 0.2, 0.6 - t], specs,
        (SWITCHES, STAYS, STAYS), **{"end": 1.5, **settings},
    )  # fmt: skip

    def bounce(t: float, x: np.ndarray, fired: np.ndarray) -> int:
        assert t == run.L.t
        run.bounced.append((t, fired.copy().tolist()))
        if fired[0]:
            x[0], x[1] = max(x[0], 0.0), -restitution * x[1]
        return -1

    run.transition(bounce)
    run.W.n_positive = 1
    return run


def bounces(restitution: float, end: float) -> list[float]:
    v = np.sqrt(0.5**2 + 2.0 * G)
    t = (0.5 + v) / G
    made = []
    while t < end:
        made.append(t)
        v *= restitution
        t += 2.0 * v / G
    return made


@pytest.mark.parametrize("way", WAYS, ids=["five", "eight", "fixed", "classical"])
def test_transitions_happen_at_their_instants(engine: Any, way: dict[str, Any]) -> None:
    run = bouncing(0.6, **way)
    run.start(engine)
    assert engine("advance", run.watch) == REACHED
    expected = bounces(0.6, 1.5)
    np.testing.assert_allclose([t for t, _ in run.bounced], expected, rtol=0.0, atol=1e-9)
    assert run.seen["n_changes"][0] == len(expected) == 3
    assert run.seen["change_first"][:3].tolist() == [k for k, r in enumerate(run.records) if r[0] == 0]
    apex = [t for r, _, t in run.records if r == 1]
    speeds = [np.sqrt(0.25 + 2.0 * G) * 0.6**k for k in range(4)]
    passes = [0.3 / G] + [t + (v - 0.2) / G for t, v in zip(expected, speeds[1:], strict=True)]
    np.testing.assert_allclose(sorted(apex), sorted([*expected, *(t for t in passes if t < 1.5)]), atol=1e-9)
    assert [r[1] for r in run.records if r[0] == 1] == [-1, 1, -1, 1, -1, 1, -1][: len(apex)]
    assert [r[:2] for r in run.records if r[0] == 2] == [(2, -1)]
    last, v = expected[-1], speeds[3]
    s = 1.5 - last
    np.testing.assert_allclose(run.arrays["x"], [v * s - 0.5 * G * s * s, v - G * s], rtol=1e-6, atol=1e-9)


def test_a_transition_that_fails_ends_the_run(engine: Any) -> None:
    for answer, outcome in ((5, ILL_POSED), (-1, NOT_FINITE)):
        run = bouncing(0.6)

        def fails(t: float, x: np.ndarray, fired: np.ndarray, answer: int = answer) -> int:
            x[1] = np.inf
            return answer

        run.transition(fails)
        run.start(engine)
        assert engine("advance", run.watch) == outcome and run.W.culprit == answer
        assert run.L.t == pytest.approx(bounces(0.6, 1.0)[0], abs=1e-9)
        assert [r[0] for r in run.records] == [1, 0] and run.seen["n_changes"][0] == 0
        assert np.isfinite(run.arrays["x"]).all()


def test_an_event_that_a_transition_makes_has_its_own(engine: Any) -> None:
    """The velocity jumps over zero at a bounce: a transition of that event follows, at the same instant."""
    run = Run(
        lambda t, x, c, p: [x[1], -G], [1.0, 0.5], lambda t, x, c, p: [x[0], x[1] + 1.0],
        (event(-1, positive=True), event(1, jumps=True)), (SWITCHES, SWITCHES), end=0.9,
    )  # fmt: skip
    seen = []

    def bounce(t: float, x: np.ndarray, fired: np.ndarray) -> int:
        seen.append((t, (fired != 0).tolist()))
        x[:] = 0.0, -0.5 * x[1] if fired[0] else x[1] - 0.25
        return -1

    run.transition(bounce)
    run.W.n_positive = 1
    run.start(engine)
    assert engine("advance", run.watch) == REACHED
    t = bounces(0.5, 0.9)[0]
    assert [fired for _, fired in seen] == [[True, False], [False, True]]
    assert seen[0][0] == seen[1][0] == pytest.approx(t, abs=1e-9)
    v = 0.5 * np.sqrt(0.25 + 2.0 * G) - 0.25
    assert run.arrays["x"][1] == pytest.approx(v - G * (0.9 - t), abs=1e-8)
    assert [r[0] for r in run.records] == [0, 1]


def test_a_function_that_must_not_be_negative_fires_at_once(engine: Any) -> None:
    """A state that begins below zero, or falls from it at once."""
    for height, speed in ((-1e-3, -1.0), (0.0, -1.0), (0.0, 0.0)):
        run = bouncing(0.5, end=0.1)
        run.arrays["x"][:] = height, speed
        run.transition(lambda t, x, fired: x.__setitem__(slice(None), (0.0, 2.0)) or -1)
        run.start(engine)
        assert engine("advance", run.watch) == REACHED
        assert run.records[0][0] == 0 and run.records[0][2] == 0.0
        np.testing.assert_allclose(run.arrays["x"], [0.2 - 0.005 * G, 2.0 - 0.1 * G], rtol=1e-9)


def test_the_caller_may_change_the_state(engine: Any) -> None:
    run = throw(lambda t, x: [x[0] - 1.5], (event(1),), (STAYS,))
    run.W.asks = 1
    run.start(engine)
    t = thrown(1.0, 4.0, 1.5)[0]
    assert engine("advance", run.watch) == ASKED and run.L.t == pytest.approx(t, abs=1e-11)
    assert engine("answer", run.watch, np.array([0.8, 4.0, 1.0]), 0) == REACHED
    assert engine("advance", run.watch) == ASKED
    assert run.L.t == pytest.approx(t + thrown(0.8, 4.0, 1.5)[0], abs=1e-9)
    assert engine("answer", run.watch, None, 0) == REACHED
    assert engine("advance", run.watch) == REACHED and run.L.t == 1.0


def test_events_at_a_state_reached_by_other_means(engine: Any) -> None:
    run = throw(lambda t, x: [x[0] - 1.5, 1.5 - x[0], x[2] - 1.5], (event(1), event(1), event()), (STAYS, STAYS, ENDS))
    run.start(engine)
    run.arrays["x"][:], run.L.t = [2.0, 1.0, 1.2], 0.25
    assert engine("here", run.watch) == REACHED
    assert run.records == [(0, 1, 0.25)] and run.arrays["signs"].tolist() == [1.0, -1.0, -1.0]
    run.arrays["x"][2] = 1.6
    assert engine("here", run.watch) == STOPPED and run.records[1:] == [(2, 1, 0.25)]
    run.W.n_records = run.W.records_capacity
    assert engine("here", run.watch) == LOG_FULL


def test_steps_of_another_solver(engine: Any) -> None:
    """Events in a step that is offered are located by parts of it, which the other solver makes."""
    run = throw(lambda t, x: [x[0] - 1.5, x[1]], (event(1), event(-1)), (STAYS, STAYS))
    kind = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.c_double, *[ctypes.POINTER(ctypes.c_double)] * 4
    )

    def part(_context: Any, t: float, h: float, x: Any, _c: Any, _p: Any, out: Any) -> int:
        out[0], out[1], out[2] = x[0] + h * x[1] - 0.5 * G * h * h, x[1] - G * h, x[2] * np.exp(h)
        return 0

    kept = kind(part)
    run.L.custom = ctypes.cast(kept, ctypes.c_void_p).value
    run.start(engine)
    outcomes = []
    while run.L.t < 0.6:
        x, h = run.arrays["x"], 0.3
        part(None, run.L.t, h, x, None, None, run.arrays["x_next"])
        run.L.t_next, run.L.h_used, run.L.whole = run.L.t + h, h, 1
        outcomes.append(engine("offer", run.watch))
    assert set(outcomes) == {REACHED}
    expected = [(0, 1, thrown(1.0, 4.0, 1.5)[0]), (1, -1, 4.0 / G)]
    for got, want in zip(run.records, expected, strict=True):
        assert got[:2] == want[:2] and got[2] == pytest.approx(want[2], abs=1e-10)
    for k, bad in ((1, np.nan), (0, np.inf)):
        run.arrays["x_next"][:] = 1.0
        run.arrays["x_next"][k] = bad
        assert engine("offer", run.watch) == DIVERGED and run.L.bad == k


class Members:
    """Members of a rollout that take their steps in the loop of a run."""

    def __init__(self, run: Run, count: int, *, keeps: bool = False, every: bool = False) -> None:
        self.run, self.count = run, count
        self.memory = NativeMemory(structure("members"))
        S, array = self.memory.struct, self.memory.array
        S.watch, S.every, S.keeps, S.guess_of = run.watch.address, every, keeps, -1
        array("stops", np.arange(10, 10 + run.L.n_events))
        self.carried = array("carried", np.zeros((count, 7)))
        self.carried[:, 0] = -np.inf
        self.pace = array("pace", np.tile([0.0, 1e-4, 0.0, 0.0], (count, 1)))
        array("record_member", np.full(run.W.records_capacity, -1))
        array("change_member", np.full(run.W.changes_capacity, -1))
        array("x_before", np.zeros(run.n))
        self.log: list[tuple[int, int, int, float]] = []
        self.changed: list[int] = []

        def drain() -> None:
            who = self.memory.arrays["record_member"][: run.W.n_records].tolist()
            self.log += [(i, *r) for i, r in zip(who, run.records, strict=True)]
            self.changed += self.memory.arrays["change_member"][: run.seen["n_changes"][0]].tolist()

        self._drain = ctypes.CFUNCTYPE(None)(drain)
        S.drain = ctypes.cast(self._drain, ctypes.c_void_p).value
        self.drain = drain
        self.x = np.tile(run.arrays["x"], (count, 1))
        self.signs, self.t = np.zeros((count, run.L.n_events)), np.zeros(count)
        self.c, self.p = np.zeros((count, run.L.n_held)), np.zeros(8)

    def begin(self, engine: Any, i: int, h: float) -> int:
        own = self.t[i : i + 1], h, self.x[i], self.c[i], self.p, self.signs[i]
        return int(engine("member_begins", self.memory, i, *own))

    def step(self, engine: Any, i: int, h: float, end: float) -> int:
        own = self.t[i : i + 1], h, end, self.x[i], self.c[i], self.p, self.signs[i]
        return int(engine("member_steps", self.memory, i, *own))


def fallen(height: float, speed: float, restitution: float, t: float) -> np.ndarray:
    """The ball after t, from bounce to bounce."""
    while True:
        hit = (speed + np.sqrt(speed**2 + 2.0 * G * height)) / G
        if hit > t:
            return np.array([height + speed * t - 0.5 * G * t * t, speed - G * t])
        height, speed, t = 0.0, restitution * (G * hit - speed), t - hit


@pytest.mark.parametrize("way", WAYS, ids=["five", "eight", "fixed", "classical"])
def test_members_do_not_depend_on_each_other(engine: Any, way: dict[str, Any]) -> None:
    """Members in turns are those that are alone, to the last bit, and bounce as the closed form does."""
    starts = ((1.0, 0.5), (0.4, -1.0), (0.0, 2.0))
    ends, alone = np.cumsum(np.full(6, 0.15)), []
    step = 0.15 if not way["adaptive"] else 0.0

    def members() -> Members:
        made = Members(bouncing(0.6, **way), 3, keeps=True)
        made.x[:] = starts
        return made

    for i in range(3):
        one = members()
        assert one.begin(engine, i, 0.15) == 0
        for end in ends:
            while one.t[i] < end - 1e-12:
                assert one.step(engine, i, step, end) == 0
        alone.append(one.x[i].copy())
        one.drain()
        assert {entry[0] for entry in one.log} == set(one.changed) == {i}
    both = members()
    for i in range(3):
        assert both.begin(engine, i, 0.15) == 0
    for end in ends:
        for i in (2, 0, 1):
            while both.t[i] < end - 1e-12:
                assert both.step(engine, i, step, end) == 0
            np.testing.assert_allclose(both.x[i], fallen(*starts[i], 0.6, both.t[i]), rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(both.x, alone)


def test_members_stop_and_fail_with_their_status(engine: Any) -> None:
    """At an event by its number, else by the state that is to blame, constraints and transitions, or too many steps."""
    n = 3
    run = throw(lambda t, x: [x[0] - 1.5, x[1]], (event(-1), event()), (ENDS, ENDS), adaptive=False, step=0.1)
    made = Members(run, 2)
    assert made.begin(engine, 1, 0.1) == 0 and made.signs[1].tolist() == [-1.0, 1.0]
    statuses = [made.step(engine, 1, 0.1, 0.1 * (k + 1)) for k in range(5)]
    assert statuses == [0, 0, 0, 0, -2 - 11] and made.t[1] == pytest.approx(4.0 / G, abs=1e-10)
    assert made.x[1, 1] == pytest.approx(0.0, abs=1e-9) and made.t[0] == 0.0
    for cause, status in (("rate", 1 + 2), ("function", 1 + n), ("transition", 1 + n), ("steps", 2 + n)):
        run = Run(
            lambda t, x, c, p, cause=cause: [x[1], -G, np.nan if cause == "rate" and t > 0.05 else 1.0],
            [0.1, 0.0, 0.0], lambda t, x, c, p, cause=cause: [np.nan if cause == "function" and t > 0.05 else x[0]],
            (event(-1),), (SWITCHES,), adaptive=False, step=0.1,
        )  # fmt: skip
        run.transition(lambda t, x, fired: 7)
        made = Members(run, 1)
        assert made.begin(engine, 0, 0.1) == 0
        run.L.max_steps = 0 if cause == "steps" else 9
        assert [made.step(engine, 0, 0.1, 0.1), made.step(engine, 0, 0.1, 0.2)][
            0 if cause != "transition" else 1
        ] == status
        assert made.carried[0, 3] == (7.0 if cause == "transition" else made.carried[0, 3])
        outcome = {"rate": DIVERGED, "function": DIVERGED, "transition": ILL_POSED, "steps": EXHAUSTED}[cause]
        assert made.carried[0, 2] == outcome


BEGINS = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_void_p, ctypes.c_double, *[ctypes.POINTER(ctypes.c_double)] * 4
)  # fmt: skip


@pytest.mark.parametrize("begins", [True, False])
def test_a_member_whose_start_is_ill_posed_does_not_begin(engine: Any, begins: bool) -> None:
    """It stays where it is, its events have no signs; else it begins at the state that is found."""
    run = Run(lambda t, x, c, p: [1.0], [0.25], lambda t, x, c, p: [x[0] - 0.5], (event(),), (STAYS,), end=2.0)
    made = Members(run, 1)

    def begin(_context: Any, t: float, x: Any, found: Any, _c: Any, _p: Any) -> int:
        found[0] = x[0] + 0.5
        return -1 if begins else 3

    kept = BEGINS(begin)
    made.memory.struct.begin = ctypes.cast(kept, ctypes.c_void_p).value
    status = made.begin(engine, 0, 0.1)
    if begins:
        assert status == 0 and made.x[0, 0] == 0.75 and made.signs[0, 0] == 1.0
    else:
        assert status == 1 + run.n and made.x[0, 0] == 0.25 and made.signs[0, 0] == 0.0
        assert made.carried[0, 2:4].tolist() == [ILL_POSED, 3.0]


def test_a_log_of_members_is_emptied_where_it_is_full(engine: Any) -> None:
    whole = Members(bouncing(0.6), 1, keeps=True)
    short = Members(bouncing(0.6, changes=2), 1, keeps=True)
    for made in (whole, short):
        made.begin(engine, 0, 0.1)
        while made.t[0] < 1.5:
            assert made.step(engine, 0, 0.0, 1.5) == 0
        drained = len(made.log)
        made.drain()
        assert (drained > 0) == (made is short)
    assert whole.log == short.log and whole.changed == short.changed == [0, 0, 0] and len(whole.log) > 6


def test_new_held_values_have_their_effects_at_once(engine: Any) -> None:
    """A switch that a held value makes fires before the step; without one nothing is changed."""
    for adaptive in (False, True):
        run = Run(
            lambda t, x, c, p: [x[1], c[0]], [1.0, 0.0], lambda t, x, c, p: [0.5 - c[0], x[1] - 9.0],
            (event(), event()), (SWITCHES, STAYS), adaptive=adaptive, step=0.1, held=1, end=2.0,
        )  # fmt: skip
        run.transition(lambda t, x, fired: x.__setitem__(1, x[1] + 3.0) or -1)
        made = Members(run, 2)
        made.t[:] = 0.3
        assert made.begin(engine, 1, 0.1) == 0 and made.signs[1, 0] == 1.0
        own = made.x[1], made.c[1], made.p, made.signs[1]
        assert engine("member_sampled", made.memory, 1, 0.4, 0.1, 0.5, *own) == 0
        assert made.x[1].tolist() == [1.0, 0.0] and made.signs[1, 0] == 1.0
        made.c[1] = 2.0
        assert engine("member_sampled", made.memory, 1, 0.4, 0.1, 0.5, *own) == 1
        assert made.x[1].tolist() == [1.0, 3.0] and made.signs[1].tolist() == [-1.0, -1.0]
        assert engine("member_sampled", made.memory, 1, 0.4, 0.1, 0.5, *own) == 0
        made.t[1] = 0.4
        while made.t[1] < 0.5:
            assert made.step(engine, 1, 0.1, 0.5) == 0
        np.testing.assert_allclose(made.x[1], [1.0 + 0.3 + 0.01, 3.2], rtol=1e-12)


def test_many_transitions_at_the_instant_of_a_new_held_value(engine: Any) -> None:
    """Each makes the next one necessary, more of them than rows that are kept: all of them happen before the step."""
    run = Run(
        lambda t, x, c, p: [0.0], [1.0], lambda t, x, c, p: [0.5 - c[0], x[0]], (event(), event(-1, positive=True)),
        (SWITCHES, SWITCHES), adaptive=False, step=0.1, held=1, end=2.0,
    )  # fmt: skip
    fired = list[list[int]]()

    def raises(t: float, x: np.ndarray, which: np.ndarray) -> int:
        fired.append((which != 0).tolist())
        x[0] = -11.5 if which[0] else x[0] + 1.0
        return -1

    run.transition(raises)
    run.W.n_positive = 1
    made = Members(run, 1)
    assert made.begin(engine, 0, 0.1) == 0
    made.c[0], own = 2.0, (made.x[0], made.c[0], made.p, made.signs[0])
    assert engine("member_sampled", made.memory, 0, 0.4, 0.1, 0.5, *own) == 1
    assert fired == [[True, False], *[[False, True]] * 12]
    assert made.x[0].tolist() == [0.5] and made.signs[0].tolist() == [-1.0, 1.0]


def desk_of(made: Members, numbers_of: list[int], **settings: Any) -> tuple[NativeMemory, np.ndarray]:
    run = made.run
    size = 5 + run.n + run.L.n_events + run.L.n_held + 4
    desk = NativeMemory(structure("desk"))
    rows = desk.array("rows", np.zeros((len(numbers_of), size)))
    desk.array("member", np.array(numbers_of))
    desk.array("parameters", np.arange(16.0).reshape(8, 2))
    desk.struct.n, desk.struct.size, desk.struct.p_stride, desk.struct.threads = len(rows), size, 2, 1
    for name, value in settings.items():
        setattr(desk.struct, name, value)
    return desk, rows


@pytest.mark.parametrize("adaptive", [False, True])
def test_members_at_a_desk(engine: Any, adaptive: bool) -> None:
    """x' = p1 + c: rows have their own clocks, held values and parameters; those of another thread stay."""
    run = Run(
        lambda t, x, c, p: [p[1] + c[0], 1.0], [0.0, 0.0], lambda t, x, c, p: [x[1] - 9.0, 7.5 - c[0] - t],
        (event(), event()), (STAYS, SWITCHES), adaptive=adaptive, step=0.1, held=1, p=(0.0, 0.0), end=99.0,
    )  # fmt: skip
    run.transition(lambda t, x, fired: x.__setitem__(1, x[1] + 100.0) or -1)
    made = Members(run, 8)
    desk, rows = desk_of(made, [5, 2, 7], anchor=1.0, h=0.1, rest=0.04, first=3, count=2, threads=2, thread=1)
    clock, held = np.array([10.0, 20.0, 30.0]), np.array([0.5, 0.6, 0.7])
    rows[:, 0], rows[:, 1], rows[:, 5:7], rows[:, 9] = clock, clock + 1.3, [[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]], held
    if adaptive:
        rows[:, 10:14] = [0.05, 1e-4, 0.0, 3.0]
    untouched = rows[1].copy()
    engine("at_desk", made.memory, desk, 1)
    for k, member in ((0, 5), (2, 7)):
        assert rows[k, 4] == 0.0 and rows[k, 7:9].tolist() == [-1.0, np.sign(7.5 - held[k] - clock[k])]
        assert made.carried[member, 0] == rows[k, 1] and rows[k, 5] == 1.0 + k
    np.testing.assert_array_equal(rows[1], untouched)
    if adaptive:
        assert (rows[[0, 2], 10] > 0.0).all() and (rows[[0, 2], 13] == 3.0).all() is not None
        desk.struct.h = 40.0
        for k in (0, 2):
            rows[k, 10] = 0.05
        engine("at_desk", made.memory, desk, 0)
        for k, p in ((0, 11.0), (2, 15.0)):
            length = rows[k, 2]
            assert (
                rows[k, 4] == 0.0
                and rows[k, 1] == pytest.approx(40.0)
                and length == pytest.approx(40.0 - clock[k] - 1.3)
            )
            assert rows[k, 5] == pytest.approx(1.0 + k + (p + held[k]) * length, rel=1e-9)
            assert rows[k, 13] > 0.0
        return
    for step, h in ((0, 0.1), (1, 0.1), (2, 0.04)):
        rows[:, 3] = step
        before = rows[:, 5].copy()
        engine("at_desk", made.memory, desk, 0)
        for k, p in ((0, 11.0), (2, 15.0)):
            assert rows[k, 1] == pytest.approx(clock[k] + 1.0 + (3 + step) * 0.1 + h, abs=1e-12)
            assert rows[k, 2] == h and rows[k, 4] == 0.0 and rows[k, 3] == step
            assert rows[k, 5] == pytest.approx(before[k] + (p + held[k]) * h, rel=1e-12)
    # a member in a mode of its own goes on to the end of the segment: two steps and a part of one
    desk.array("modes", np.array([0])), setattr(desk.struct, "n_modes", 1)
    rows[:, 3], rows[0, 5], rows[2, 5] = 0.0, 1.0, -99.0
    engine("at_desk", made.memory, desk, 0)
    assert rows[0, 3] == 2.0 and rows[0, 5] == pytest.approx(1.0 + 11.5 * 0.24) and rows[2, 3] == 0.0
    assert rows[0, 1] == pytest.approx(10.0 + 1.0 + 0.5 + 0.04)
    desk.struct.rest, rows[0, 3], rows[0, 5] = 0.0, 0.0, 1.0
    engine("at_desk", made.memory, desk, 0)  # without a part of one
    assert rows[0, 3] == 1.0 and rows[0, 5] == pytest.approx(1.0 + 11.5 * 0.2) and rows[0, 1] == pytest.approx(11.5)
    # samples: what a held value switches
    rows[0, 1], rows[0, 8], rows[0, 9], rows[0, 6] = 1.0, -1.0, 5.0, 2.0
    engine("at_desk", made.memory, desk, 2)
    assert rows[0, 6] == 102.0 and rows[0, 8] == 1.0 and rows[2, 6] < 3.0


def test_a_member_that_fails_at_a_desk_stays_where_it_was(engine: Any) -> None:
    for blamed in (0, 1):
        run = Run(
            lambda t, x, c, p, k=blamed: np.where([t > 0.15 and k == 0, t > 0.15 and k == 1], np.nan, 1.0), [0.0, 0.0],
            adaptive=False, step=0.1,
        )  # fmt: skip
        made = Members(run, 1)
        desk, rows = desk_of(made, [0], h=0.1, count=2, modes=0)
        rows[0, 5:7] = 3.0, 4.0
        for step, status in ((0, 0.0), (1, 1.0 + blamed)):
            rows[0, 3] = step
            engine("at_desk", made.memory, desk, 0)
            assert rows[0, 4] == status
        np.testing.assert_allclose(rows[0, 5:7], [3.1, 4.1])


class Segment(ctypes.Structure):
    """As in singles.c."""

    _fields_ = [
        *((name, ctypes.c_double) for name in ("anchor", "h", "rest")),
        *((name, ctypes.c_int64) for name in ("first", "count", "row", "begin", "sample")),
    ]  # fmt: skip


FINAL, MAXIMUM, MINIMUM, INTEGRAL, FIRST, LAST = range(6)


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("adaptive", [False, True])
def test_a_member_alone_over_segments(engine: Any, adaptive: bool, every: bool) -> None:
    """x' = c of a second member whose clock is late: rows, held rows, and measures of all kinds by closed forms."""
    run = Run(
        lambda t, x, c, p: [c[0], p[1]], [0.0, 0.0], adaptive=adaptive, step=0.1, held=2, p=(0.0, 0.0), end=99.0
    )  # fmt: skip
    made, n = Members(run, 2, every=every), 2
    R = NativeMemory(structure("singles"))
    S, array = R.struct, R.array
    clock = 0.0 if adaptive else 5.0
    S.steps, S.held_stride, S.p_stride, S.n_rows, S.every, S.seed = made.memory.address, 2, 2, 3, every, 7
    x = array("state", np.array([[8.0, 8.0], [1.0, 2.0]]))
    held = array("held", np.array([[9.0, 9.0], [2.0, 0.0]]))
    array("parameters", np.array([[0.0, 0.0], [0.0, -3.0]])), array("clock", np.array([0.0, clock]))
    fresh, status = array("fresh", np.ones(2, dtype=np.int64)), array("status", np.zeros(2, dtype=np.int64))
    array("watched", np.zeros((2, 1))), array("failed_at", np.zeros(2))
    rows, held_rows = array("rows", np.zeros((2, 3, n))), array("held_rows", np.zeros((2, 3, 2)))
    kinds = [FINAL, MAXIMUM, MINIMUM, INTEGRAL, FIRST, LAST, INTEGRAL, FINAL]
    m = S.n_measures = len(kinds)
    array("kinds", np.array(kinds))
    # x0 - 1.45 and x1; the window of the seventh begins and ends within the run, that of the last ends before it
    measure = Code(lambda t, x, c, p: [x[0], x[0], x[1], x[1], x[0] - 1.45, 1.45 - x[0], x[0], x[0]], (n, 2, 2))
    S.measure = measure.address
    since, until = np.full(m, -np.inf), np.full(m, np.inf)
    since[6], until[6], until[7] = clock + 0.1, clock + 0.3, clock + 0.2
    array("since", since), array("until", until)
    values = array("values", np.zeros((2, 2, m)))
    values[:, 0, 1], values[:, 0, 2] = -np.inf, np.inf
    array("before", np.zeros(m)), array("y", np.zeros(m)), array("kept", np.zeros(n))
    array("number", np.array([0, 1]))
    updates = (structure("update") * 2)()
    code = Code(lambda t, x, c, p: [c[0] + 10.0, t], (n, 2, 2))
    update = NativeMemory(structure("update"), updates[1])
    update.struct.f, update.struct.n = code.address, 2
    update.array("values", np.zeros(2)), update.array("rows", np.array([0, 1]))
    S.n_updates, S.updates = 2, ctypes.addressof(updates)
    array("instants", np.array([[-1, -1], [-1, 4]]))
    end = 0.2 + clock if adaptive else 0.1
    first = Segment(clock, end, 0.0 if not adaptive else 0.2, 0, 2, 1, 0, -1)
    if adaptive:
        second = Segment(0.2, 0.35, 0.15, 0, 0, -1, 2, 1)
    else:
        first = Segment(0.0, 0.1, 0.0, 0, 2, 1, 0, -1)
        second = Segment(0.2, 0.1, 0.05, 0, 1, -1, 2, 1)
    engine("one_alone", R, 1, 2, (Segment * 2)(first, second))
    assert fresh.tolist() == [1, 0] and status.tolist() == [0, 0] and x[0].tolist() == [8.0, 8.0]
    np.testing.assert_allclose(rows[1, :2], [[1.0, 2.0], [1.4, 1.4]], rtol=1e-12)
    np.testing.assert_allclose(x[1], [1.4 + 12.0 * 0.15, 2.0 - 3.0 * 0.35], rtol=1e-12)
    np.testing.assert_allclose(held[1], [12.0, clock + 0.2]), np.testing.assert_array_equal(held[0], 9.0)
    np.testing.assert_allclose(held_rows[1, 1:], [[2.0, 0.0], [12.0, clock + 0.2]])
    assert not rows[0].any()
    if not every:
        assert values[1, 0, 0] == pytest.approx(3.2)
        return
    kept = values[1, 0]
    assert kept[:4] == pytest.approx([3.2, 3.2, 0.95, 2.0 * 0.35 - 1.5 * 0.35**2], rel=1e-9)
    assert kept[7] == pytest.approx(1.4)
    if not adaptive:  # each step of 0.1 is looked at
        assert kept[4] == pytest.approx(5.3) and kept[5] == pytest.approx(5.2)
        assert kept[6] == pytest.approx(0.05 * (1.2 + 1.4) + 0.05 * (1.4 + 2.6))
        assert values[1, 1, 3] == pytest.approx(0.35) and values[1, 1, 6] == pytest.approx(0.2)


def test_a_member_alone_that_fails_or_stops(engine: Any) -> None:
    """One that fails stays at its last state, its rows have no numbers; one that stops is measured there."""
    for stops in (False, True):
        run = Run(
            lambda t, x, c, p, stops=stops: [2.0, np.nan if t > 0.25 and not stops else 1.0], [0.0, 0.0],
            lambda t, x, c, p: [0.5 - x[0], 3.0], (event(), event()), (ENDS if stops else STAYS, STAYS),
            adaptive=False, step=0.1,
        )  # fmt: skip
        made = Members(run, 1)
        R = NativeMemory(structure("singles"))
        S, array = R.struct, R.array
        S.steps, S.n_rows, S.n_measures = made.memory.address, 2, 1
        x, status = array("state", np.zeros((1, 2))), array("status", np.zeros(1, dtype=np.int64))
        array("held", np.zeros(0)), array("parameters", np.zeros(0)), array("fresh", np.ones(1, dtype=np.int64))
        array("watched", np.zeros((1, 2)))
        failed_at, rows = array("failed_at", np.zeros(1)), array("rows", np.zeros((1, 2, 2)))
        array("kinds", np.array([FINAL])), array("since", np.full(1, -np.inf)), array("until", np.full(1, np.inf))
        measure = Code(lambda t, x, c, p: [x[0] + t], (2, 0, 0))
        S.measure = measure.address
        values = array("values", np.zeros((1, 2, 1)))
        array("before", np.zeros(1)), array("y", np.zeros(1)), array("kept", np.zeros(2))
        segments = (Segment * 2)(Segment(0.0, 0.1, 0.0, 0, 2, 0, -1, -1), Segment(0.2, 0.1, 0.0, 0, 2, 1, -1, -1))
        engine("one_alone", R, 0, 2, segments)
        np.testing.assert_allclose(rows[0, 0], [0.4, 0.2])
        if stops:
            assert status[0] == -2 - 10 and failed_at[0] == pytest.approx(0.25, abs=1e-10)
            np.testing.assert_allclose(x[0], [0.5, 0.25], atol=1e-9)
            assert values[0, 0, 0] == pytest.approx(0.75, abs=1e-9)
        else:
            assert status[0] == 2 and failed_at[0] == pytest.approx(0.2) and np.isnan(rows[0, 1]).all()
            np.testing.assert_allclose(x[0], [0.4, 0.2])


ADMITS = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p, ctypes.c_double, *[ctypes.c_void_p] * 3,
    ctypes.c_double,
)  # fmt: skip
PROJECT = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.POINTER(ctypes.c_double), *[ctypes.c_void_p] * 2
)


@pytest.mark.parametrize("why", ["energy", "projection"])
def test_steps_that_are_refused_are_tried_again_shorter(engine: Any, why: str) -> None:
    """By a fifth; the length that then is accepted counts as one after a refusal. Fixed steps are never refused."""
    for adaptive in (True, False):
        run, lengths = Run(lambda t, x, c, p: [1.0], [0.0], adaptive=adaptive, end=2.0, step=0.5, rtol=1e-3), []

        def admits(_c: Any, t: float, _x: Any, t_next: float, *rest: Any, lengths: list[float] = lengths) -> int:
            assert rest[-1] == pytest.approx(0.1)  # a hundred times the tolerance
            lengths.append(t_next - t)
            return int(t_next - t < 0.05)

        def project(_c: Any, t: float, _x: Any, *_: Any, run: Run = run, lengths: list[float] = lengths) -> int:
            lengths.append(t - run.L.t)
            return int(t - run.L.t > 0.05 and run.L.adaptive)

        kept = ADMITS(admits) if why == "energy" else PROJECT(project)
        setattr(run.L, "admits" if why == "energy" else "project", ctypes.cast(kept, ctypes.c_void_p).value)
        run.L.h, run.L.max_steps = 0.5, 3
        assert engine("go", run.loop) == EXHAUSTED
        if adaptive:
            assert lengths == pytest.approx([0.5, 0.1, 0.02]) and run.L.n_rejected == 2
            assert run.L.t == pytest.approx(0.02) and run.L.h == pytest.approx(0.02)  # no longer after a refusal
        else:
            assert run.L.t == 1.5 and run.L.n_rejected == 0 and (why == "projection" or not lengths)


@pytest.mark.parametrize("adaptive", [False, True])
def test_how_often_rates_are_evaluated(engine: Any, adaptive: bool) -> None:
    """The last of seven stages is the first one of the next step, unless a projection lies between them.

    A projected step needs it only for its error.
    """
    for projects in (False, True):
        run = Run(lambda t, x, c, p: [np.cos(t)], [0.0], adaptive=adaptive, step=0.25, end=1.0, rtol=1e-3, atol=1e-3)
        kept = PROJECT(lambda *_: 0)
        if projects:
            run.L.project = ctypes.cast(kept, ctypes.c_void_p).value
        run.L.h = run.L.max_step = 0.25
        assert engine("go", run.loop) == REACHED
        assert run.L.n_steps == 4 and run.L.n_rejected == 0
        assert run.L.n_calls == (1 + 4 * 6 if not projects else 4 * 7 if adaptive else 4 * 6)


def test_a_step_before_a_bounce_is_short(engine: Any) -> None:
    """What is expected soon bounds one step; after a transition that is 1.05 times the time to the return."""
    run = Run(lambda t, x, c, p: [1.0], [0.0], end=9.0)
    run.L.h, run.L.soon, run.L.max_step = 0.25, 0.03125, 0.25
    assert engine("go", run.loop) == REACHED
    np.testing.assert_allclose(np.diff(run.rows[0])[:3], 0.25, atol=1e-12)
    assert run.rows[0][0] == 0.03125 and run.L.soon == 0.0
    for returns in (0.01, np.inf, 0.0, 0.5):
        ball = bouncing(0.6)
        kept = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)(lambda c, x, r=returns: r)
        ball.W.returns = ctypes.cast(kept, ctypes.c_void_p).value
        ball.W.asks = 1
        ball.start(engine)
        while engine("advance", ball.watch) == ASKED and not ball.bounced:
            pass
        soon = max(1.05 * returns, 1e-6 * ball.L.h)
        assert ball.L.soon == pytest.approx(soon if soon < ball.L.h else 0.0)


def test_signs_are_those_just_after(engine: Any) -> None:
    """A millionth of a step later, or of what is left; those that cannot be evaluated then keep theirs."""
    for h, end, later in ((0.1, 9.0, 1e-7), (0.1, 0.05, 5e-8)):
        run = Run(
            lambda t, x, c, p: [-1.0], [0.0], lambda t, x, c, p: [x[0], 2.0], (event(),) * 2, (STAYS,) * 2, end=end
        )
        engine("push", run.loop)
        run.L.h = h
        engine("begin", run.watch)
        assert run.W.armed_for == pytest.approx(later) and run.W.armed_at == 0.0
        assert run.arrays["signs"].tolist() == [-1.0, 1.0]
    # of functions that must not be negative Euler's step is enough: one that is zero now may be negative then
    run = Run(
        lambda t, x, c, p: [-1.0], [0.0], lambda t, x, c, p: [x[0]], (event(-1, positive=True),), (SWITCHES,), end=9.0
    )  # fmt: skip
    run.L.h = 0.1
    engine("push", run.loop)
    engine("begin", run.watch)
    assert run.arrays["signs"][0] == -1.0 and run.seen["x_part"][0] == pytest.approx(-1e-7)
