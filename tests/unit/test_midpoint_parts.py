"""Implicit midpoint steps with tapes in Python: equations of a step, its failures, and the error of two halves."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dalembert.compile.build import find_toolchain
from dalembert.engine.layout import structure
from dalembert.engine.memory import NativeMemory
from support.engine_units import KERNEL, numbers, unit_with

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

SHOWN = """
__attribute__((visibility("default"))) int64_t go(void *M, double t, double h, const double *x, const double *c,
                                                  const double *p, double *out) {
    return midpoint_step(M, t, h, x, c, p, out);
}
"""
N = 5


@pytest.fixture(scope="module")
def library() -> Any:
    return unit_with(SHOWN, "implicit", "midpoint-parts", integers=("go",))


class Steps:
    """Steps of x' = rate(t, x), of which the iteration sees the first four numbers; the last one is a quadrature."""

    def __init__(self, library: Any, rate: Callable[..., Any], *, iterations: int = 60, halves: bool = False) -> None:
        self._library, self.calls = library, 0
        self.memory = NativeMemory(structure("midpoint"))
        self.M, array = self.memory.struct, self.memory.array
        self.M.n, self.M.n_counted, self.M.max_iterations, self.M.tolerance = N, N - 1, iterations, 1e-13
        self.M.damping, self.M.t_known, self.M.work_loss, self.M.account = 0.25, np.nan, 4, -1
        for name in ("y", "y_next", "x_known", "x_middle", "further"):
            array(name, np.zeros(N))
        array("W", np.zeros(4))
        if halves:
            self.error = array("error", np.zeros(N))
            array("x_half", np.zeros(N))

        def tape(inputs: Any, outputs: Any, _work: Any) -> int:
            self.calls += 1
            t, x, y, settings = (numbers(inputs[k], n) for k, n in ((0, 1), (1, N), (4, N), (5, 2)))
            assert settings[1] == 0.25
            made = rate(t[0] + 0.5 * settings[0], x + 0.5 * settings[0] * y)
            if made is None:
                return 1
            numbers(outputs[0], N)[:] = made
            return 0

        self.use(tape)

    def use(self, tape: Any) -> None:
        self._kept = KERNEL(tape)
        self.M.tape = ctypes.cast(self._kept, ctypes.c_void_p).value

    def go(self, t: float, h: float, x: np.ndarray) -> tuple[int, np.ndarray]:
        out, none = np.full(N, np.nan), np.zeros(1)
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (x, none, none, out)]
        address = ctypes.c_void_p(self.memory.address)
        return self._library.go(address, ctypes.c_double(t), ctypes.c_double(h), *pointers), out


def system(rng: np.random.Generator) -> tuple[np.ndarray, Callable[..., np.ndarray]]:
    A = np.zeros((N, N))
    A[:4, :4] = rng.normal(size=(4, 4))
    A[4, :4] = rng.normal(size=4)
    b = rng.normal(size=N)
    return A, lambda t, x: A @ x + b * np.sin(t)


def exact(A: np.ndarray, rate: Callable[..., np.ndarray], t: float, h: float, x: np.ndarray) -> np.ndarray:
    y = np.linalg.solve(np.eye(N) - 0.5 * h * A, rate(t + 0.5 * h, x))
    return x + h * y


def test_a_step_solves_its_equations(library: Any) -> None:
    """Also after others; rates of the last step are where the next one begins, but only there."""
    rng = np.random.default_rng(1)
    for _ in range(4):
        A, rate = system(rng)
        steps, x, t, h, calls = Steps(library, rate), rng.normal(size=N), 0.3, 0.05, []
        for k in range(4):
            if k == 3:
                x, t = x + 0.5, t + 1.0  # elsewhere: without any memory
            before = steps.calls
            status, y = steps.go(t, h, x)
            calls.append(steps.calls - before)
            assert status == 0
            np.testing.assert_allclose(y, exact(A, rate, t, h, x), rtol=1e-12, atol=1e-12)
            fresh = Steps(library, rate)
            status, alone = fresh.go(t, h, x)
            if k in (0, 3):
                np.testing.assert_array_equal(y, alone)
                assert calls[-1] == fresh.calls
            else:
                assert calls[-1] < fresh.calls
            x, t = y, t + h
        assert steps.M.n_iterations == steps.calls == sum(calls)


@pytest.mark.parametrize("moved", [None, 0, 3, "time"])
def test_where_a_step_continues(library: Any, moved: Any) -> None:
    rng = np.random.default_rng(2)
    _, rate = system(rng)
    for size, goes_on in ((0.4, True), (3.0, False)):
        steps, x = Steps(library, rate), 2.0 * np.ones(N)
        _, y = steps.go(0.5, 0.05, x)
        fresh = Steps(library, rate)
        fresh.go(0.55, 0.05, y)
        before, t = steps.calls, 0.55
        if moved == "time":
            t += size * 1e-12 * 1.55
        elif moved is not None:
            y[moved] += size * 1e-12 * (1.0 + abs(y[moved]))
        assert steps.go(t, 0.05, y)[0] == 0
        assert (steps.calls - before < fresh.calls) == (goes_on or moved is None)


def test_steps_that_fail(library: Any) -> None:
    """By a tape, too few iterations, numbers that are not finite, and an iteration that grows four times."""
    rng = np.random.default_rng(3)
    _, rate = system(rng)
    x = rng.normal(size=N)
    full = Steps(library, rate)
    assert full.go(0.0, 0.05, x)[0] == 0
    for iterations in (full.calls - 1, full.calls):
        assert Steps(library, rate, iterations=iterations).go(0.0, 0.05, x)[0] == int(iterations < full.calls)
    assert Steps(library, lambda t, x: None).go(0.0, 0.05, x)[0] == 1
    assert Steps(library, lambda t, x: x * np.nan).go(0.0, 0.05, x)[0] == 1
    growing = Steps(library, lambda t, x: 100.0 * x)
    assert (
        growing.go(0.0, 0.05, x)[0] == 1 and growing.calls == 5
    )  # 2.5 times each; the first one has nothing before it
    broken = Steps(library, rate)
    _, y = broken.go(0.0, 0.05, x)
    broken.M.max_iterations = 1
    assert broken.go(0.05, 0.05, y)[0] == 1  # and then nothing is known
    broken.M.max_iterations = 60
    before = broken.calls
    broken.go(0.05, 0.05, y)
    fresh = Steps(library, rate)
    fresh.go(0.05, 0.05, y)
    assert broken.calls - before == fresh.calls


@pytest.mark.parametrize("h", [0.05, 1.5])
def test_the_error_of_a_step_is_that_of_two_halves(library: Any, h: float) -> None:
    rng = np.random.default_rng(4)
    A, rate = system(rng)
    A *= 0.2
    steps, x = Steps(library, rate, halves=True), rng.normal(size=N)
    steps.M.first_velocity, steps.M.end_velocity = 1, 3
    status, y = steps.go(0.2, h, x)
    half = exact(A, rate, 0.2, 0.5 * h, x)
    twice, whole = exact(A, rate, 0.2 + 0.5 * h, 0.5 * h, half), exact(A, rate, 0.2, h, x)
    assert status == 0
    np.testing.assert_allclose(y, twice, rtol=1e-11, atol=1e-12)
    expected = (twice - whole) / 3.0
    expected[1:3] *= min(h, 1.0)
    np.testing.assert_allclose(steps.error, expected, rtol=1e-8, atol=1e-12)
    calls = steps.calls
    single = Steps(library, rate)
    single.go(0.2, h, x)
    assert calls < 3 * single.calls  # the halves begin with the rates of the whole


@pytest.mark.parametrize("account", [-1, 0, 3])
def test_steps_with_constraints(library: Any, account: int) -> None:
    """The tape gives the middle, terms that enlarge the mass matrix, and a power; the equations give rates there."""
    rng = np.random.default_rng(5)
    A, rate = system(rng)
    steps, equations = Steps(library, rate), NativeMemory(structure("constrained"))
    C, W = equations.struct, np.arange(4.0)
    steps.M.equations, steps.M.work_loss, steps.M.account = equations.address, 4, account

    def tape(inputs: Any, outputs: Any, _work: Any) -> int:
        x, y, settings = (numbers(inputs[k], n) for k, n in ((1, N), (4, N), (5, 2)))
        numbers(outputs[0], N)[:] = x + 0.5 * settings[0] * y
        numbers(outputs[1], 4)[:] = W
        numbers(outputs[2], N)[:] = 7.0
        numbers(outputs[3], 1)[:] = 0.125
        assert not C.enlarged and not C.further
        return 0

    def rates(inputs: Any, outputs: Any, work: Any) -> int:
        t, x = numbers(inputs[0], 1), numbers(inputs[1], N)
        assert work == equations.address and (numbers(C.enlarged, 4) == W).all() and C.metric == C.enlarged
        assert (numbers(C.further, N) == 7.0).all() and np.isnan(C.t_seen)
        C.t_seen = 1.0
        numbers(outputs[0], N)[:] = rate(t[0], x)
        return 0

    steps.use(tape)
    kept = KERNEL(rates)
    steps.M.rates = ctypes.cast(kept, ctypes.c_void_p).value
    x, h = rng.normal(size=N), 0.05
    status, y = steps.go(0.2, h, x)
    assert status == 0 and not C.enlarged and not C.further and C.metric and np.isnan(C.t_seen)
    B, shift = A.copy(), np.zeros(N)
    shift[4] = -0.125
    if account >= 0:
        B[account], shift[account] = 0.0, 0.125
    middle = rate(0.2 + 0.5 * h, x)
    if account >= 0:
        middle[account] = 0.0
    expected = x + h * np.linalg.solve(np.eye(N) - 0.5 * h * B, middle + shift)
    np.testing.assert_allclose(y, expected, rtol=1e-11, atol=1e-12)
    # after a projection the end may be farther off
    before = steps.calls
    for size, goes_on in ((0.5e-6, True), (3e-6, False)):
        steps.go(0.2, h, x)
        known = steps.M.n_iterations
        steps.go(0.2 + h, h, y + size * (1.0 + np.abs(y)))
        used = steps.M.n_iterations - known
        fresh = steps.M.n_iterations
        steps.M.t_known = np.nan
        steps.go(0.2 + h, h, y + size * (1.0 + np.abs(y)))
        saved = steps.M.n_iterations - fresh - used
        assert (saved > 0) == goes_on or (account == 0 and saved == 0)
    assert steps.calls == before
