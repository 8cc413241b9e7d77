"""Estimators and controllers over a horizon with tapes in Python: replays, least squares and optimality in numpy.

The C calls functions of a small model back, whose derivatives are complex steps. Estimates are compared with a replay
of all readings from the start, or with the least squares of the window by scipy; plans must obey the conditions of an
optimum, whose gradient is a complex step through the whole plan.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import least_squares

from dalembert.compile.build import find_toolchain
from dalembert.compile.cache import build_library
from dalembert.compile.forms import read_text
from dalembert.engine.horizon.sources import horizon_text, table
from support.engine_units import numbers

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

TAPE = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_long,
    *(ctypes.POINTER(kind) for kind in (ctypes.c_void_p, ctypes.c_long) * 2),
    ctypes.c_void_p,
)
H, AT = 0.2, 2
BEHIND = 64
"""Numbers behind an array that belong to others."""
HEAD = "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n#define MEMORY_AT 2\n"
ENTRY = """
EXPORT void set_tape(long k, tape *one) { tapes[k] = one; }
EXPORT long own_size(void) { return OWN_WORK; }
EXPORT int run(const double *t, const double *row, const double *memory, double *out, double *own) {
    const double *const in[5] = {t, row, memory, 0, 0};
    double *const to[1] = {out};
    return routine(in, to, own, 0);
}
"""
Function = Callable[..., np.ndarray]


def derivative(f: Function, x: np.ndarray, *rest: Any) -> np.ndarray:
    """The Jacobian by complex steps: exact to rounding."""
    columns = [f(x + 1e-30j * d, *rest).imag / 1e-30 for d in np.eye(len(x))]
    return np.array(columns).T


class Unit:
    """Texts of a horizon with tapes in Python."""

    def __init__(
        self,
        text: str,
        tapes: dict[str, tuple[tuple[int, ...], Callable[..., tuple[np.ndarray, ...]]]],
        sizes: tuple[int, int],
        before: str = "",
    ) -> None:
        """Each tape has the sizes of its inputs, and returns its outputs with rows that are padded already."""
        called = "".join(
            f"#define {name}(n, a, b, c, d, e) tapes[{k}](n, a, b, c, d, e)\n" for k, name in enumerate(tapes)
        )
        kind = "typedef int tape(long, const double *const *, const long *, double *const *, const long *, double *);\n"
        head = f"{read_text('library.h')}{HEAD}{kind}static tape *tapes[8];\n{called}{before}"
        self.library = build_library(head + text + ENTRY, "horizon-parts", optimise=("-O0",))
        self.broken, self.calls = dict[str, int](), dict.fromkeys(tapes, 0)
        self.lengths: dict[str, set[int]] = {name: set() for name in tapes}
        """How many evaluations a tape has been called for at once."""
        self._kept = [TAPE(self._called(name, *tape)) for name, tape in tapes.items()]
        for k, one in enumerate(self._kept):
            self.library.set_tape(ctypes.c_long(k), one)
        size = self.library.own_size()
        self.own = np.zeros(size + BEHIND)
        self.n_answer, n_memory = sizes
        whole = np.zeros(AT + n_memory + BEHIND)
        self.memory = whole[: AT + n_memory]
        whole[:AT] = whole[AT + n_memory :] = self.own[size:] = np.nan  # belongs to others

    def _called(self, name: str, sizes: tuple[int, ...], f: Callable[..., tuple[np.ndarray, ...]]) -> Any:
        def tape(n: int, inputs: Any, strides: Any, outputs: Any, steps: Any, _work: Any) -> int:
            self.calls[name] += 1
            self.lengths[name].add(n)
            if self.calls[name] == self.broken.get(name):
                return 1
            for k in range(n):
                values = [numbers(inputs[i] + 8 * k * strides[i], size).copy() for i, size in enumerate(sizes)]
                if not all(np.isfinite(x).all() for x in values):
                    return 1
                for i, made in enumerate(f(*values)):
                    numbers(outputs[i] + 8 * k * steps[i], made.size)[:] = made.ravel()
            return 0

        return tape

    def sample(self, t: float, row: np.ndarray) -> np.ndarray:
        """The answer of a sample; memory goes on."""
        out, arrays = np.full(self.n_answer + len(self.memory) - AT, np.nan), (np.array([t]), row, self.memory)
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (*arrays, out, self.own)]
        assert self.library.run(*pointers) == 0
        assert np.isnan(self.own[-BEHIND:]).all()
        self.memory[AT:] = out[self.n_answer :]
        return out[: self.n_answer]


def padded(J: np.ndarray) -> np.ndarray:
    wide = np.zeros((len(J), -(-J.shape[1] // 8) * 8))
    wide[:, : J.shape[1]] = J
    return wide


class Plain:
    """A pendulum with a stiffness that drifts; its second sensor is late and slow."""

    nx, nu, nm = 3, 2, 2
    delay, every = np.array([0.0, 2.0]), np.array([1.0, 2.0])
    noise, reading = np.array([1e-3, 2e-3, 3e-4]), np.array([1e-2, 4e-3])
    start, variance = np.array([0.2, -0.1, 1.1]), np.array([0.1, 0.2, 0.05])
    lower, upper = np.array([-np.inf, -np.inf, 1.05]), np.array([np.inf, 0.05, np.inf])
    attitudes, seen = list[int](), list[int]()

    @staticmethod
    def step(x: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
        rates = [x[1] + 0.2 * np.sin(t) * u[0], u[1] - np.sin(x[0]) * x[2], 0.05 * x[0] * np.cos(t)]
        return x + H * np.array(rates)

    @staticmethod
    def see(x: np.ndarray, t: float) -> np.ndarray:
        return np.array([x[0] + 0.3 * x[1] ** 2 + 0.2 * t, x[1] * x[2]])


class Turning:
    """An attitude that turns about one axis beside two numbers; readings are late, and of any sign."""

    nx, nu, nm = 6, 2, 6
    delay, every = np.array([1.0, 0, 0, 0, 0, 2.0]), np.ones(6)
    noise, reading = np.array([1e-3, 0, 0, 0, 0, 2e-3]), np.array([1e-2, 4e-3, 5e-3, 6e-3, 7e-3, 2e-2])
    start, variance = np.array([0.3, 0.9, 0.1, -0.2, 0.3, 0.5]), np.array([0.1, 0.02, 0.03, 0.04, 0.05, 0.2])
    lower, upper = np.full(6, -np.inf), np.full(6, np.inf)
    attitudes, seen = [1], [1]

    @staticmethod
    def step(x: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
        a, p, i, j, k, b = x
        c, s = np.cos(0.5 * H * (b + u[0])), np.sin(0.5 * H * (b + u[0]))
        turned = (c * p - s * k, c * i - s * j, c * j + s * i, c * k + s * p)
        return np.array([a + H * (0.3 * a * b + u[1]), *turned, b + H * (0.2 * np.sin(t) - 0.3 * a)])

    @staticmethod
    def see(x: np.ndarray, t: float) -> np.ndarray:
        return np.array([x[0] + 0.1 * t, *x[1:5], x[5] * x[0] + x[5]])


class Prompt(Plain):
    """Its readings are there at once."""

    delay, every = np.zeros(2), np.array([1.0, 3.0])


class Late(Plain):
    """Both sensors are late by a period, as are all estimates."""

    delay = np.ones(2)


Model = type[Plain] | type[Turning]


def begun(m: Model) -> tuple[np.ndarray, np.ndarray]:
    return normalised(m, m.start.copy(), np.diag(m.variance))


def normalised(m: Model, x: np.ndarray, P: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit quaternions, and their uncertainty across them."""
    for at in m.attitudes:
        size, T = np.linalg.norm(x[at : at + 4]), np.eye(m.nx)
        x[at : at + 4] /= size
        T[at : at + 4, at : at + 4] = (np.eye(4) - np.outer(x[at : at + 4], x[at : at + 4])) / size
        P = T @ P @ T.T
    return x, P


def readings(m: Model, y: np.ndarray, x: np.ndarray) -> np.ndarray:
    y = y.copy()
    for at, where in zip(m.seen, m.attitudes, strict=True):
        y[at : at + 4] *= np.sign(y[at : at + 4] @ x[where : where + 4])
    return y


def corrected(
    m: Model, x: np.ndarray, P: np.ndarray, at: np.ndarray, y: np.ndarray, on: np.ndarray, t: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """All readings at once, and their mean squared normalised innovation."""
    if not on.any():
        return x, P, 0.0
    C, R = derivative(m.see, at, t)[on], np.diag(m.reading[on])
    S, e = C @ P @ C.T + R, (y - m.see(at, t))[on] - C @ (x - at)
    K = P @ C.T @ np.linalg.inv(S)
    return x + K @ e, P - K @ S @ K.T, float(e @ np.linalg.solve(S, e)) / len(e)


def predicted(m: Model, P: np.ndarray, x: np.ndarray, u: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
    A = derivative(m.step, x, u, t)
    return m.step(x, u, t), A @ P @ A.T + np.diag(m.noise)


class Sensed:
    """A random run: inputs until each instant, readings of it, and whether they count; what arrives when."""

    def __init__(self, m: Model, rng: np.random.Generator, count: int) -> None:
        self.m, self.t0 = m, 0.7
        self.u, x = 0.5 * rng.normal(size=(count, m.nu)), normalised(m, m.start + 0.2, np.eye(m.nx))[0]
        y = []
        for i in range(count):
            x = m.step(x, self.u[i], self.time(i - 1)) if i else x
            x = x + np.sqrt(m.noise) * rng.normal(size=m.nx)
            y.append(m.see(x, self.time(i)) + np.sqrt(m.reading) * rng.normal(size=m.nm))
            for at in m.seen:
                y[-1][at : at + 4] *= rng.choice([-1.0, 1.0])
        self.y, self.valid = np.array(y), rng.choice([0.0, 0.5, 0.6, 1.0, 1.0], (count, m.nm))

    def time(self, i: int) -> float:
        return self.t0 + i * H

    def arrives(self, n: int) -> np.ndarray:
        taken = n - self.m.delay.astype(int)
        at = np.arange(self.m.nm)
        y, valid = np.where(taken < 0, 99.0, self.y[taken, at]), np.where(taken < 0, 1.0, self.valid[taken, at])
        return np.concatenate([self.u[n], y, valid])

    def count(self, i: int, n: int) -> np.ndarray:
        """Which readings of the instant i count at the instant n."""
        m = self.m
        return (self.valid[i] > 0.5) & (i % m.every == 0) & (i + m.delay <= n)


def unit(m: Model, files: tuple[str, ...], macros: dict[str, object], n_answer: int, n_memory: int) -> Unit:
    tables = [
        table("reading_variance", m.reading), table("noise_variance", m.noise), table("start_state", m.start),
        table("start_variance", m.variance), table("lower", m.lower), table("upper", m.upper),
        table("delay", m.delay), table("every", m.every), table("attitude_at", m.attitudes, "int"),
        table("seen_at", m.seen, "int"), table("seen_attitude", m.attitudes, "int"),
        table("noisy", np.flatnonzero(m.noise).tolist(), "int"),
        table("box_entry", np.flatnonzero(np.isfinite(m.lower) | np.isfinite(m.upper)).tolist(), "int"),
    ]  # fmt: skip
    macros = {
        "NX": m.nx, "NM": m.nm, "PERIOD": H, "N_ATTITUDES": len(m.attitudes), "N_SEEN": len(m.seen), **macros
    }  # fmt: skip
    tapes: dict[str, Any] = {
        "READ_TAPE": ((1, m.nu + 2 * m.nm), lambda t, row: (row,)),
        "STEP_TAPE": (
            (m.nx, m.nu, 1),
            lambda x, u, t: (m.step(x, u, t[0]), padded(derivative(m.step, x, u, t[0]))),
        ),
        "SEE_TAPE": ((m.nx, 1), lambda x, t: (m.see(x, t[0]), padded(derivative(m.see, x, t[0])))),
    }
    return Unit(horizon_text(files, macros, tables), tapes, (n_answer, n_memory))


def kalman_unit(m: Model, lag: int) -> Unit:
    n_memory = 1 + m.nx + m.nx**2 + (lag + 1) * (m.nu + 2 * m.nm)
    macros: dict[str, object] = {"NU": m.nu, "LAG": lag, "ONLY_FILTER": 1}
    return unit(m, ("filter.h", "ekf.c"), macros, 2 * m.nx + 2, n_memory)


@pytest.mark.parametrize("m", [Plain, Turning, Prompt, Late])
def test_a_filter_with_late_readings_is_a_replay_with_a_prediction(m: Model) -> None:
    lag, run = int(m.delay.max()), Sensed(m, np.random.default_rng(3), 12)
    assert (run.valid[0] > 0.5).any()
    made = kalman_unit(m, lag)
    x, P = begun(m)
    for n in range(12):
        i, surprise = n - lag, 0.0
        if i > 0:
            x, P = predicted(m, P, x, run.u[i], run.time(i - 1))
        if i >= 0:
            x, P, surprise = corrected(m, x, P, x, readings(m, run.y[i], x), run.count(i, n), run.time(i))
            x, P = normalised(m, np.clip(x, m.lower, m.upper), P)
        now = x
        for j in range(max(i, 0) + 1, n + 1):
            now = m.step(now, run.u[j], run.time(j - 1))
        answer = made.sample(run.time(n), run.arrives(n))
        np.testing.assert_allclose(answer[: m.nx], now, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(answer[m.nx : 2 * m.nx], np.sqrt(np.diag(P)), rtol=1e-8, atol=1e-8)
        assert answer[-2] == 0.0 and answer[-1] == pytest.approx(surprise, rel=1e-8)
        assert made.memory[AT] == n + 1
    assert all(lengths == {1} for lengths in made.lengths.values())


@pytest.mark.parametrize("broken", ["STEP_TAPE", "SEE_TAPE", "READ_TAPE"])
def test_a_filter_begins_anew_where_a_tape_fails(broken: str) -> None:
    """Later estimates are those of a replay from there, with the inputs since; what was not read is zero."""
    m, lag, run = Plain, 2, Sensed(Plain, np.random.default_rng(2), 9)
    made, (x, P) = kalman_unit(Plain, 2), begun(Plain)
    for n in range(9):
        row = run.arrives(n)
        made.broken = {broken: made.calls[broken] + 1} if n == 5 else {}
        answer = made.sample(run.time(n), row)
        if n == 5:
            assert answer[-2] == 1.0 and answer[-1] == 0.0
            np.testing.assert_allclose(answer[m.nx : 2 * m.nx], np.sqrt(m.variance))
            x, P = begun(m)
            if broken == "READ_TAPE":
                run.u[5], run.valid[5, 0] = 0.0, 0.0
                run.valid[3, 1] = 0.0  # what arrived at that instant
        elif n >= lag:
            i = n - lag
            if i > 0:
                x, P = predicted(m, P, x, run.u[i], run.time(i - 1))
            x, P, _ = corrected(m, x, P, x, run.y[i], run.count(i, n), run.time(i))
            x = np.clip(x, m.lower, m.upper)
        now = x
        for j in range(max(n - lag, 0) + 1, n + 1):
            now = m.step(now, run.u[j], run.time(j - 1))
        np.testing.assert_allclose(answer[: m.nx], now, rtol=1e-9, atol=1e-11)


def window_unit(m: Model, NN: int, rounds: int) -> Unit:
    boxes = int((np.isfinite(m.lower) | np.isfinite(m.upper)).sum())
    macros: dict[str, object] = {
        "NU": np.count_nonzero(m.noise), "NI": m.nu, "NN": NN, "NB": boxes, "NG": 0, "DENSE_COST": 1,
        "SOFT_ROWS": 0, "FREE_START": 1, "ROUNDS": rounds, "MOST_ITERATIONS": 40,
    }  # fmt: skip
    n_memory = 1 + m.nx + m.nx**2 + (NN + 1) * (m.nx + m.nu + 2 * m.nm)
    return unit(m, ("quadratic.h", "filter.h", "mhe.c"), macros, m.nx + 3, n_memory)


def most_probable(run: Sensed, n: int, NN: int, arrival: np.ndarray, P: np.ndarray, near: np.ndarray) -> np.ndarray:
    """States of the window by scipy: over all states where all are noisy, else over the first one and the noise."""
    m, last = run.m, min(n, NN)
    first, noisy = n - last, np.flatnonzero(m.noise)
    P = P.copy()
    for at in m.attitudes:
        P[at : at + 4, at : at + 4] += np.outer(arrival[at : at + 4], arrival[at : at + 4])
    root = np.linalg.cholesky(np.linalg.inv(P)).T
    on = [run.count(i, n) for i in range(first, n + 1)]
    whole = len(noisy) == m.nx

    def states(z: np.ndarray) -> np.ndarray:
        if whole:
            return z.reshape(last + 1, m.nx)
        x = normalised(m, z[: m.nx].copy(), P)[0]
        X = [x]
        for k, w in enumerate(z[m.nx :].reshape(last, len(noisy))):
            x = m.step(x, run.u[first + k + 1], run.time(first + k))
            x[noisy] += w
            X.append(x)
        return np.array(X)

    def left(z: np.ndarray) -> np.ndarray:
        X = states(z)
        parts = [root @ (X[0] - arrival)]
        for k in range(last + 1):
            y = readings(m, run.y[first + k], X[k])
            parts.append(((y - m.see(X[k], run.time(first + k))) / np.sqrt(m.reading))[on[k]])
            if k:
                w = X[k] - m.step(X[k - 1], run.u[first + k], run.time(first + k - 1))
                parts.append(w[noisy] / np.sqrt(m.noise[noisy]))
        return np.concatenate(parts)

    if whole:
        low, high = np.tile(m.lower, last + 1), np.tile(m.upper, last + 1)
        start = np.clip(near[: last + 1].ravel(), low + 1e-6, high - 1e-6)
        return states(least_squares(left, start, bounds=(low, high), xtol=1e-12, ftol=1e-14, gtol=1e-9).x)
    start = np.concatenate([near[0], np.zeros(last * len(noisy))])
    return states(least_squares(left, start, xtol=1e-13, ftol=1e-15, gtol=1e-12).x)


@pytest.mark.parametrize(("m", "tolerance"), [(Plain, 3e-4), (Turning, 1e-6)])
def test_a_window_holds_its_most_probable_states(m: Model, tolerance: float) -> None:
    """Bounds hold to the complementarity at which an interior point method ends."""
    NN, count = 3, 8
    run, made = Sensed(m, np.random.default_rng(3), count), window_unit(m, NN, 12)
    arrival, P = begun(m)
    X = np.tile(arrival, (NN + 1, 1))
    touched = False
    for n in range(count):
        if n > NN:
            i, at = n - NN - 1, X[0].copy()
            arrival, P, _ = corrected(m, arrival, P, at, readings(m, run.y[i], at), run.count(i, n), run.time(i))
            A = derivative(m.step, at, run.u[i + 1], run.time(i))
            moved, P = predicted(m, P, at, run.u[i + 1], run.time(i))
            arrival, P = normalised(m, moved + A @ (arrival - at), P)
        answer = made.sample(run.time(n), run.arrives(n))
        memory, last = made.memory[AT:], min(n, NN)
        X = memory[1 + m.nx + m.nx**2 :][: (NN + 1) * m.nx].reshape(NN + 1, m.nx).copy()
        expected = most_probable(run, n, NN, arrival, P, X)
        np.testing.assert_allclose(X[: last + 1], expected, rtol=0.0, atol=tolerance)
        np.testing.assert_array_equal(answer[: m.nx], X[last])
        assert answer[m.nx] == 0.0 and answer[m.nx + 1] >= 12 and answer[m.nx + 2] == last and memory[0] == n + 1
        np.testing.assert_allclose(memory[1 : 1 + m.nx], arrival, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(memory[1 + m.nx :][: m.nx**2].reshape(m.nx, m.nx), P, rtol=1e-7, atol=1e-10)
        touched |= bool((expected <= m.lower + 1e-5).any() or (expected >= m.upper - 1e-5).any())
    assert touched == (m is Plain)


@pytest.mark.parametrize(
    ("broken", "call"),
    [("STEP_TAPE", 1), ("STEP_TAPE", 2), ("STEP_TAPE", 3), ("SEE_TAPE", 1), ("SEE_TAPE", 2), ("READ_TAPE", 1)],
)
def test_a_window_says_which_sample_failed(broken: str, call: int) -> None:
    """Whichever call of a sample it is: that of the arrival cost, of the prediction, or of an iteration."""
    run, made = Sensed(Plain, np.random.default_rng(4), 7), window_unit(Plain, 3, 2)
    for n in range(7):
        made.broken = {broken: made.calls[broken] + call} if n == 5 else {}
        answer = made.sample(run.time(n), run.arrives(n))
        assert answer[Plain.nx] == (n == 5) and made.memory[AT] == n + 1 and np.isfinite(answer).all()


@pytest.mark.parametrize("m", [Plain, Turning])
def test_a_window_begins_at_its_last_state_a_period_on(m: Model) -> None:
    """Without rounds of least squares the answer is the motion from the start, within its bounds."""
    run, made = Sensed(m, np.random.default_rng(6), 8), window_unit(m, 3, 0)
    x = begun(m)[0]
    for n in range(8):
        if n:
            x = normalised(m, np.clip(m.step(x, run.u[n], run.time(n - 1)), m.lower, m.upper), np.eye(m.nx))[0]
        answer = made.sample(run.time(n), run.arrives(n))
        np.testing.assert_allclose(answer[: m.nx], x, rtol=1e-12)
        assert answer[m.nx :].tolist() == [0.0, 0.0, min(n, 3)]


class Cart:
    """Predictive control of a pendulum: references and dynamics that depend on the time, one row in all variables."""

    nx, nu, nv, NN, par = 3, 2, 1, 4, np.array([0.3, -0.2])
    weights, end = np.array([2.0, 0.5, 0.1, 0.2, 0.3]), np.diag([3.0, 1.0, 0.5]) + 0.1
    boxes, low, high = (3, 1, 4), np.array([-0.5, -0.1, -0.4]), np.array([0.4, np.inf, 0.7])
    soft, linear, square = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.01, 0.0]), np.array([0.0, 0.4, 0.0])
    first, last = np.array([0, 1, 0]), np.array([3, 4, 3])

    @staticmethod
    def step(z: np.ndarray, par: np.ndarray, t: float) -> np.ndarray:
        x, u = z[:3], z[3:]
        rates = [x[1] + 0.3 * x[2] * u[1], u[0] - np.sin(x[0] + par[0] * t), u[1] + par[1] * x[0] * x[1]]
        return x + H * np.array(rates)

    @staticmethod
    def goal(par: np.ndarray, t: float) -> np.ndarray:
        return np.array([0.5 * np.cos(t) + par[0], 0.1, par[1], 0.05, -0.05 * t])

    @staticmethod
    def row(z: np.ndarray, par: np.ndarray, t: float) -> np.ndarray:
        return np.array([z[0] ** 2 + 0.3 * z[1] * z[2] + par[0] * t + 0.2 * z[4]])

    @staticmethod
    def residuals(z: np.ndarray, par: np.ndarray, t: float) -> np.ndarray:
        w = np.sqrt(Cart.weights)
        return np.array([*(w * (z - Cart.goal(par, t))), 0.8 * z[0] * z[3] + 0.3, 0.5 * np.sin(z[1] + t)])


CLOCKS = """
#define REAL_TIME
static double now, tick, allowed;
static long late;
double realtime_clock(void);
double realtime_budget(void);
void realtime_late(void);
double realtime_clock(void) { return now += tick; }
double realtime_budget(void) { return allowed; }
void realtime_late(void) { late++; }
EXPORT void set_clock(double each, double most) { tick = each, allowed = most, late = 0; }
EXPORT long times_late(void) { return late; }
"""


class Controller:
    """A controller of the cart and what it is made of: general rows, dense costs, exact steps, an end."""

    def __init__(
        self, *, dense: bool = False, exact: bool = False, rows: int = 0, end_level: float = 0.0, shift: float = 1.0,
        rounds: int = 30, path: tuple[int, ...] = (), budget: float = 0.0, before: str = "", after: str = "",
        between: tuple[float, float] = (-np.inf, 0.35),
    ) -> None:  # fmt: skip
        m = Cart
        self.curves: list[tuple[np.ndarray, np.ndarray]] = []
        self.m, self.dense, self.rows, self.end_level = m, dense, rows, end_level
        n_rows = rows + int(end_level > 0.0)
        self.low = np.concatenate([m.low, np.full(rows, between[0]), np.zeros(n_rows - rows)])
        self.high = np.concatenate([m.high, np.full(rows, between[1]), np.full(n_rows - rows, np.inf)])
        self.soft = np.concatenate([m.soft, np.ones(rows), np.zeros(n_rows - rows)])
        self.linear = np.concatenate([m.linear, np.full(rows, 0.3), np.zeros(n_rows - rows)])
        self.square = np.concatenate([m.square, np.zeros(n_rows)])
        self.first = np.concatenate([m.first, np.ones(rows), np.full(n_rows - rows, m.NN)]).astype(int)
        self.last = np.concatenate([m.last, np.full(rows, m.NN - 1), np.full(n_rows - rows, m.NN)]).astype(int)
        self.path, self.n_rows = path, len(self.low)
        tables = [
            table("attitude_at", [], "int"), table("box_entry", m.boxes, "int"),
            table("row_from", self.first.tolist(), "int"), table("row_to", self.last.tolist(), "int"),
            table("row_low", self.low), table("row_high", self.high), table("row_soft", self.soft),
            table("row_linear", self.linear), table("row_square", self.square), table("stage_weight", m.weights),
            table("end_weight", m.end), table("input_low", np.array([-0.5, -0.4])),
            table("input_high", np.array([0.4, 0.7])), table("path_stage", path, "int"),
        ]  # fmt: skip
        macros: dict[str, object] = {
            "NX": m.nx, "NU": m.nu, "NV": m.nv, "NN": m.NN, "NB": len(m.boxes), "NG": n_rows,
            "N_PAR": 2, "DENSE_COST": int(dense), "N_RESIDUALS": 7 * dense, "SOFT_ROWS": 1, "N_ATTITUDES": 0,
            "FREE_START": 0, "N_PATH": len(path), "MIDPOINT": 0, "EXACT": int(exact), "INTERVAL": H,
            "END_ROW": rows if end_level else -1, "END_LEVEL": end_level or 1.0, "COST_FLOOR": 1e-3, "SHIFT": shift,
            "ROUNDS": rounds, "COLD_ROUNDS": 40, "MOST_ITERATIONS": 60, "TOLERANCE": 1e-10, "TIMED": 1,
            "BUDGET": budget, "FEASIBLE": 1e-9, "ACCEPTED": 1e-3, "CONVERGED": 1e-10,
        }  # fmt: skip
        tapes: dict[str, Any] = {
            "READ_TAPE": ((1, 7), lambda t, row: (row,)),
            "STEP_TAPE": ((3, 2, 2, 1), lambda x, u, p, t: self.two(m.step, x, u, p, t[0])),
            "GOAL_TAPE": ((2, 1), lambda p, t: (m.goal(p, t[0]),)),
            "COST_TAPE": ((3, 2, 2, 1), lambda x, u, p, t: self.two(m.residuals, x, u, p, t[0])),
            "ROWS_TAPE": ((3, 2, 2, 1), lambda x, u, p, t: self.two(self.general, x, u, p, t[0])),
            "CURVE_TAPE": ((3, 2, 3, n_rows + 1, 2, 1), self.curve),
            "PATH_TAPE": ((3, 2, 1), lambda x, p, t: (np.array([x[0] * p[0], x[1] + t[0], x[2]]),)),
        }
        n_memory = 2 + (m.NN + 1) * m.nx + m.NN * m.nu + (m.NN + 1) * 2 * self.n_rows
        text = horizon_text(("quadratic.h", "control.c"), macros, tables) + horizon_text(("control_entry.c",), {})
        sizes = (m.nu + 8 + 3 * len(path), n_memory)
        self.unit = Unit(text + after, tapes, sizes, before + (CLOCKS if budget else ""))

    @staticmethod
    def two(f: Function, x: np.ndarray, u: np.ndarray, p: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        z = np.concatenate([x, u])
        return f(z, p, t), padded(derivative(f, z, p, t))

    def general(self, z: np.ndarray, par: np.ndarray, t: float) -> np.ndarray:
        """General rows: that of the cart, and the ellipsoid at the end."""
        rows = [*self.m.row(z, par, t)] if self.rows else []
        if self.end_level:
            e = z[:3] - self.m.goal(par, t)[:3]
            rows.append(1.0 - e @ self.m.end @ e / self.end_level)
        return np.array(rows)

    def curve(self, x: np.ndarray, u: np.ndarray, costate: np.ndarray, force: np.ndarray, *rest: Any) -> Any:
        """Second derivatives of the Lagrangian of a stage, but for those of the ellipsoid, by differences."""
        p, t, z = rest[0], rest[1][0], np.concatenate([x, u])
        r = self.m.residuals(z, p, t)
        self.curves.append((costate, force))

        def value(z: np.ndarray) -> np.ndarray:
            rows = force[0] * self.m.row(z, p, t) if self.rows else 0.0
            return costate @ self.m.step(z, p, t) + force[-1] * (r @ self.m.residuals(z, p, t)) + rows + np.zeros(1)

        e = 1e-5
        C = [(derivative(value, z + e * d) - derivative(value, z - e * d))[0] / (2.0 * e) for d in np.eye(len(z))]
        return (padded(0.5 * (np.array(C) + np.array(C).T)),)

    def sample(self, t: float, x: np.ndarray, fallback: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
        return self.unit.sample(t, np.array([*x, *self.m.par, *fallback]))

    @property
    def plan(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """States, inputs, and multipliers of lower and upper sides."""
        m = self.m
        X, U, both = np.split(self.unit.memory[AT + 2 :], np.cumsum([(m.NN + 1) * m.nx, m.NN * m.nu]))
        return X.reshape(-1, m.nx), U.reshape(-1, m.nu), both.reshape(m.NN + 1, 2, self.n_rows)

    def rollout(self, t: float, x: np.ndarray, U: np.ndarray) -> list[np.ndarray]:
        X = [x]
        for k, u in enumerate(U):
            X.append(self.m.step(np.concatenate([X[-1], u]), self.m.par, t + k * H))
        return X

    def cost(self, t: float, X: list[np.ndarray], U: np.ndarray) -> Any:
        m, total = self.m, 0.0
        for k, u in enumerate(U):
            z, at = np.concatenate([X[k], u]), t + k * H
            r = m.residuals(z, m.par, at) if self.dense else np.sqrt(m.weights) * (z - m.goal(m.par, at))
            total = total + 0.5 * (r @ r)
        e = X[-1] - m.goal(m.par, t + m.NN * H)[:3]
        return total + 0.5 * (e @ m.end @ e)

    def values(self, t: float, X: list[np.ndarray], U: np.ndarray) -> np.ndarray:
        """All rows at all stages."""
        rows = []
        for k, x in enumerate(X):
            z = np.concatenate([x, U[min(k, len(U) - 1)]])
            rows.append(np.concatenate([z[list(self.m.boxes)], self.general(z, self.m.par, t + k * H)]))
        return np.array(rows)

    def slope(self, t: float, first: int, x: np.ndarray, U: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Derivatives of the cost to go, with the forces of all rows, with respect to a state."""
        m = self.m

        def to_go(x: np.ndarray) -> np.ndarray:
            total = 0.0
            for k in range(first, m.NN + 1):
                at, u = t + k * H, U[min(k, m.NN - 1)]
                z = np.concatenate([x, u])
                total = total + force[k] @ np.concatenate([z[list(m.boxes)], self.general(z, m.par, at)])
                if k < m.NN:
                    res = m.residuals(z, m.par, at) if self.dense else np.sqrt(m.weights) * (z - m.goal(m.par, at))
                    total, x = total + 0.5 * (res @ res), m.step(z, m.par, at)
            e = x - m.goal(m.par, t + m.NN * H)[:3]
            return np.array([total + 0.5 * (e @ m.end @ e)])

        return derivative(to_go, x)[0]

    def check(self, t: float, x: np.ndarray, answer: np.ndarray, tolerance: float) -> int:
        """The plan is an optimum: rows, multipliers, stationarity. Returns how many sides are active."""
        X, U, both = self.plan
        np.testing.assert_allclose(X, self.rollout(t, x, U), atol=tolerance)
        values, stage = self.values(t, list(X), U), np.arange(len(X))[:, None]
        on = (stage >= self.first) & (stage <= self.last)
        lower, upper = both[:, 0], both[:, 1]
        force = np.where(on & np.isfinite(self.high), upper, 0.0) - np.where(on & np.isfinite(self.low), lower, 0.0)

        def lagrangian(u: np.ndarray) -> np.ndarray:
            U = u.reshape(-1, self.m.nu)
            X = self.rollout(t, x, U)
            return np.array([self.cost(t, X, U) + (force * self.values(t, X, U)).sum()])

        assert np.abs(derivative(lagrangian, U.ravel())).max() < tolerance
        if answer[9] > 0.0:  # the last second derivatives were those with these multipliers
            for k, (costate, general) in enumerate(self.curves[-self.m.NN - 1 :]):
                np.testing.assert_allclose(general[:-1], force[k, 3:], atol=1e-3)
                assert general[-1] == float(k < self.m.NN)
                later = np.zeros(self.m.nx) if k == self.m.NN else self.slope(t, k + 1, X[k + 1], U, force)
                np.testing.assert_allclose(costate, later, atol=1e-3)
        active, worst, slack = 0, 0.0, 0.0
        for k, r in zip(*np.nonzero(on), strict=True):
            for beyond, force_of in (
                (self.low[r] - values[k, r], lower[k, r]), (values[k, r] - self.high[r], upper[k, r])
            ):  # fmt: skip
                if beyond == -np.inf:
                    continue
                s, price = max(beyond, 0.0), self.linear[r] + self.square[r] * max(beyond, 0.0)
                assert force_of > -tolerance and min(-beyond, force_of) < 1e2 * tolerance
                if self.soft[r]:  # the price of a slack is the multiplier
                    slack = max(slack, s)
                    assert force_of <= price + tolerance
                    assert s < tolerance or abs(force_of - price) < 1e2 * tolerance
                else:
                    worst = max(worst, s)
                active += force_of > 1e-3
        assert worst < tolerance
        assert answer[4] == pytest.approx(worst, abs=tolerance)
        assert answer[5] == pytest.approx(slack, abs=tolerance)
        assert answer[7] == pytest.approx(self.cost(t, list(X), U), rel=1e-6)
        np.testing.assert_allclose(answer[:2], np.clip(U[0], [-0.5, -0.4], [0.4, 0.7]), atol=1e-15)
        return active


SETTINGS: dict[str, dict[str, Any]] = {
    "diagonal": {"rows": 1, "path": (1, 4)},
    "dense": {"dense": True, "shift": 0.4},
    "exact": {"dense": True, "exact": True, "rows": 1},
    "end": {"end_level": 0.2},
    "all": {"exact": True, "dense": True, "end_level": 0.2, "rows": 1},
    "above": {"exact": True, "dense": True, "rows": 1, "between": (0.5, np.inf)},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_plans_are_optimal(name: str) -> None:
    made, rng, active = Controller(**SETTINGS[name]), np.random.default_rng(5), 0
    x = np.array([0.3, 0.2, -0.3])
    for n in range(3):
        t = 0.4 + H * n
        answer = made.sample(t, x)
        assert answer[2] in (0.0, 1.0) and answer[6] == 0.0 and answer[3] > 0.0, answer
        active += made.check(t, x, answer, 1e-6)
        assert answer[9] == float(made.unit.calls["CURVE_TAPE"] > 0) == float("exact" in SETTINGS[name])
        for j, k in enumerate(made.path):
            at = made.plan[0][k]
            np.testing.assert_allclose(answer[10 + 3 * j :][:3], [0.3 * at[0], at[1] + t + k * H, at[2]])
        x = Cart.step(np.concatenate([x, answer[:2]]), Cart.par, t) + 0.02 * rng.normal(size=3)
    assert active > 1
    stages = {"STEP_TAPE": Cart.NN, "COST_TAPE": Cart.NN, "READ_TAPE": 1, "PATH_TAPE": 1}
    for tape, lengths in made.unit.lengths.items():
        assert lengths <= {stages.get(tape, Cart.NN + 1)}, tape


def test_a_sample_without_finite_numbers_is_no_goal_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its status is another one; without a fallback that is finite inputs are zero."""
    made, x = Controller(), np.array([0.3, 0.2, -0.3])
    with monkeypatch.context() as patch:
        patch.setattr(Cart, "step", staticmethod(lambda z, par, t: z[:3] * np.nan))
        for fallback, expected in (((0.1, 0.2), [0.1, 0.2]), ((np.nan, 0.2), [0.0, 0.0])):
            answer = made.sample(0.4, x, fallback)
            assert answer[2:4].tolist() == [3.0, 0.0] and answer[6] == 3.0 and answer[:2].tolist() == expected
    assert made.sample(0.4, x)[2] == 0.0


def test_the_curvature_of_a_terminal_set() -> None:
    """Second derivatives of the multiplier times e' P e / level - 1, on top of those that are there."""
    before = """
#define CURVED EXPORT void curved(double multiplier, const double *was, double *now) { \\
    static struct quadratic Q; \\
    for (int i = 0; i < NX; i++) memcpy(Q.HN[i], was + i * NX, NX * sizeof(double)); \\
    Q.lam[NN * NC + NB + END_ROW] = multiplier; \\
    add_end_curvature(&Q); \\
    for (int i = 0; i < NX; i++) memcpy(now + i * NX, Q.HN[i], NX * sizeof(double)); }
"""
    made = Controller(end_level=0.2, rows=1, before=before, after="CURVED\n")
    was, now = np.random.default_rng(9).normal(size=(3, 3)), np.zeros((3, 3))
    made.unit.library.curved(ctypes.c_double(1.7), *(ctypes.c_void_p(a.ctypes.data) for a in (was, now)))
    np.testing.assert_allclose(now, was + 1.7 * 2.0 / 0.2 * Cart.end, rtol=1e-13)


@pytest.mark.parametrize("at", [1, 4])
def test_slacks_at_the_first_and_the_last_stage_of_a_row_count(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest one is told, wherever it is."""
    monkeypatch.setattr(Cart, "low", np.array([-0.5, -0.1 if at == 1 else 0.6, -0.4]))
    made, x, t = Controller(), np.array([0.3, -0.8 if at == 1 else 0.75, 0.1]), 0.4
    answer = made.sample(t, x)
    made.check(t, x, answer, 1e-6)
    lacks = made.low[1] - made.plan[0][1:, 1]
    assert lacks.argmax() + 1 == at and answer[5] == pytest.approx(lacks.max(), abs=1e-6) and lacks.max() > 0.01


def test_a_plan_is_shifted_where_a_sample_has_none() -> None:
    """Without a goal the plan moves on by a part of an interval; inputs are clipped, then those of the fallback."""
    made, shift = Controller(rows=1, shift=0.4), 0.4
    x, t = np.array([0.3, 0.2, -0.3]), 0.4
    made.sample(t, x)
    for n in range(1, 6):
        before = [part.copy() for part in made.plan]
        fallback = (0.1, -9.0) if n % 2 else (0.3, 9.0)
        made.unit.broken = {"GOAL_TAPE": made.unit.calls["GOAL_TAPE"] + 1}
        answer = made.sample(t + n * H, x, fallback)
        assert answer[2] == 3.0 and answer[3] == 0.0
        if n >= made.m.NN:  # a plan moves on as often as it has intervals, less one
            assert answer[6] == 3.0 and not made.unit.memory[AT:].any()
            np.testing.assert_array_equal(answer[:2], [0.1, -0.4] if n % 2 else [0.3, 0.7])
            continue
        assert answer[6] == 2.0 and made.unit.memory[AT] == 1.0 and made.unit.memory[AT + 1] == n
        for old, now in zip(before, made.plan, strict=True):
            later = np.concatenate([old[1:], old[-1:]])
            np.testing.assert_allclose(now, old + shift * (later - old), rtol=1e-14, atol=1e-15)
        np.testing.assert_allclose(answer[:2], np.clip(made.plan[1][0], [-0.5, -0.4], [0.4, 0.7]))


@pytest.mark.parametrize("call", [1, 2, 3])
def test_a_position_of_the_plan_that_has_no_numbers_is_zero(call: int) -> None:
    made, x = Controller(rows=1, path=(1, 4, 2)), np.array([0.3, 0.2, -0.3])
    made.unit.broken = {"PATH_TAPE": call}
    answer = made.sample(0.4, x)
    assert answer[2] == 0.0
    at = np.array([[0.3 * made.plan[0][k, 0], made.plan[0][k, 1] + 0.4 + k * H, made.plan[0][k, 2]] for k in made.path])
    at[call - 1] = 0.0
    np.testing.assert_allclose(answer[10:].reshape(3, 3), at)


def test_second_derivatives_weigh_less_where_the_problem_is_not_convex_with_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A half, a quarter, ... of them is on top of the weights; none after six halvings, or where there are none."""
    after = """
EXPORT void hessian(const double *own, long k, double *H, double *C) {
    const struct control *const S = (const struct control *)(const void *)own;
    for (int i = 0; i < NZ; i++)
        memcpy(H + i * NZ, S->Q.H[k][i], NZ * sizeof(double)), memcpy(C + i * NZ, S->C[k][i], NZ * sizeof(double));
}
"""
    J = np.vstack([np.diag(np.sqrt(Cart.weights)), [[0.8, 0.0, 0.0, 0.3, 0.1], [0.0, 0.5, -0.2, 0.0, 0.0]]])
    residuals = staticmethod(lambda z, p, t: J @ (z - np.append(Cart.goal(p, t)[:3], [0.1, 0.2])))
    monkeypatch.setattr(Cart, "residuals", residuals)
    for size, expected in ((0.5, {1.0}), (3.0, {0.5, 0.25}), (24.0, {1 / 16, 1 / 32}), (1e4, {0.0})):

        def bent(self: Controller, *values: Any, size: float = size) -> Any:
            return (-size * values[3][-1] * padded(J.T @ J),)

        monkeypatch.setattr(Controller, "curve", bent)
        made, H, C = Controller(dense=True, exact=True, after=after), np.zeros((5, 5)), np.zeros((5, 5))
        answer = made.sample(0.4, np.array([0.3, 0.2, -0.3]))
        assert answer[2] in (0.0, 1.0) and answer[6] == 0.0 and answer[9] in expected
        for k in range(Cart.NN):
            pointers = (ctypes.c_void_p(a.ctypes.data) for a in (H, C))
            made.unit.library.hessian(ctypes.c_void_p(made.unit.own.ctypes.data), ctypes.c_long(k), *pointers)
            np.testing.assert_allclose(C, -size * J.T @ J, rtol=1e-13, atol=1e-13)
            np.testing.assert_allclose(H, (1.0 - size * answer[9]) * J.T @ J, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("broken", ["READ_TAPE", "STEP_TAPE", "GOAL_TAPE", "COST_TAPE", "ROWS_TAPE", "CURVE_TAPE"])
def test_a_sample_recovers_from_a_tape_that_fails_once(broken: str) -> None:
    """Without numbers of the sample the plan moves on; where a round fails, one begins from nothing and is optimal."""
    made = Controller(rows=1, dense=True, exact=True)
    x, t = np.array([0.3, 0.2, -0.3]), 0.4
    first = made.sample(t, x)
    assert first[6] == 0.0
    x = Cart.step(np.concatenate([x, first[:2]]), Cart.par, t)
    made.unit.broken = {broken: made.unit.calls[broken] + 1}
    answer = made.sample(t + H, x)
    lost = broken in ("READ_TAPE", "GOAL_TAPE")
    assert answer[2] == (3.0 if lost else 0.0) and answer[6] == (2.0 if lost else 1.0)
    if not lost:
        made.check(t + H, x, answer, 1e-6)


def test_a_goal_out_of_reach_is_infeasible() -> None:
    made = Controller(end_level=1e-4)
    answer = made.sample(0.4, np.array([3.0, 0.2, -0.3]), (0.1, 0.2))
    assert answer[2] == 2.0 and answer[6] == 3.0 and answer[:2].tolist() == [0.1, 0.2]
    assert not made.unit.memory[AT:].any()


def test_samples_end_before_their_deadline() -> None:
    """The clock counts its own calls: a sample stops when a further lap would pass the least of both budgets."""
    made = Controller(rows=1, dense=True, budget=0.7, rounds=4)
    set_clock, late = made.unit.library.set_clock, made.unit.library.times_late
    x, t = np.array([0.3, 0.2, -0.3]), 0.4

    def timed(each: float, most: float) -> tuple[np.ndarray, int]:
        made.unit.memory[AT:] = 0.0
        set_clock(ctypes.c_double(each), ctypes.c_double(most))
        return made.sample(t, x), late()

    free, never = timed(1e-9, 9.0)
    assert free[2] == 0.0 and never == 0 and 0.0 < free[8] < 1e-6
    calls = round(free[8] / 1e-9)
    made.check(t, x, free, 1e-6)
    for each, most in ((2.0 * 0.7 / calls, 9.0), (2.0 * 0.3 / calls, 0.3)):  # half of the time that it takes
        answer, number = timed(each, most)
        assert answer[2] == 1.0 and number == 0 and answer[8] <= min(most, 0.7) + 4.0 * each
        assert answer[8] >= 0.5 * min(most, 0.7) and 0 < answer[3] < free[3]
        assert made.unit.memory[AT] == 1.0
    for each, most in ((1.0, 9.0), (0.2, 0.3)):  # not one round
        answer, number = timed(each, most)
        assert answer[2] == 4.0 and number == 1 and answer[6] == 3.0


def balance(z: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Equations of two coupled pendulums in the middle of an interval: q, v, a past input and a new one."""
    q, v, u = z[:2] + 0.5 * H * z[2:4] + 0.25 * H**2 * a, z[2:4] + 0.5 * H * a, z[5]
    swing = 0.4 * np.cos(q[0] - q[1])
    return np.array([
        1.5 * a[0] + swing * a[1] + np.sin(q[0]) + 0.1 * v[0] * v[1] - u + 0.05 * z[4],
        swing * a[0] + a[1] + 0.8 * np.sin(q[1]) + 0.3 * v[1],
    ])  # fmt: skip


@pytest.mark.parametrize("mixed", [False, True])
def test_plans_by_equations_at_midpoints_are_optimal(mixed: bool) -> None:
    """Accelerations are unknowns that each interval eliminates; the input of the last interval is a state.

    Equations may be mixed with each other: also so that the first one is without the first acceleration.
    """
    NN, weights, end = 4, np.array([2.0, 1.0, 0.1, 0.2, 0.0, 0.05]), np.diag([3.0, 2.0, 0.5, 0.5, 0.0])
    tables = [
        table("attitude_at", [], "int"), table("box_entry", [5, 2], "int"), table("row_from", [0, 1], "int"),
        table("row_to", [3, 4], "int"), table("row_low", np.array([-0.6, -0.5])),
        table("row_high", np.array([0.6, 0.5])), table("row_soft", np.zeros(2)),
        table("row_linear", np.zeros(2)), table("row_square", np.zeros(2)),
        table("stage_weight", weights), table("end_weight", end), table("input_low", np.array([-0.6])),
        table("input_high", np.array([0.6])),
    ]  # fmt: skip
    macros: dict[str, object] = {
        "NX": 5, "NU": 1, "NV": 2, "NN": NN, "NB": 2, "NG": 0, "N_PAR": 0, "DENSE_COST": 0, "N_RESIDUALS": 0,
        "SOFT_ROWS": 0, "N_ATTITUDES": 0, "FREE_START": 0, "N_PATH": 0, "MIDPOINT": 1, "EXACT": 0, "INTERVAL": H,
        "END_ROW": -1, "END_LEVEL": 1.0, "COST_FLOOR": 1e-3, "SHIFT": 1.0, "ROUNDS": 30, "COLD_ROUNDS": 40,
        "MOST_ITERATIONS": 60, "TOLERANCE": 1e-10, "TIMED": 1, "BUDGET": 0.0, "FEASIBLE": 1e-9, "ACCEPTED": 1e-3,
        "CONVERGED": 1e-10,
    }  # fmt: skip
    goal = np.array([0.9, -0.4, 0.0, 0.0, 0.0, 0.1])

    def tape(x: np.ndarray, u: np.ndarray, a: np.ndarray, *_: Any) -> tuple[np.ndarray]:
        z = np.concatenate([x, u])
        R_a, R_z = derivative(lambda a: balance(z, a), a), derivative(balance, z, a)
        rows = np.column_stack([R_a, R_z, balance(z, a)])
        if mixed:
            rows = np.array([rows[0, 0] * rows[1] - rows[1, 0] * rows[0], rows[0]])
            assert rows[0, 0] == 0.0
        return (rows,)

    tapes: dict[str, Any] = {
        "READ_TAPE": ((1, 6), lambda t, row: (row,)),
        "STEP_TAPE": ((5, 1, 2, 0, 1), tape),
        "GOAL_TAPE": ((0, 1), lambda p, t: (goal,)),
    }
    text = horizon_text(("quadratic.h", "control.c"), macros, tables) + horizon_text(("control_entry.c",), {})
    unit_ = Unit(text, tapes, (1 + 8, 2 + 5 * (NN + 1) + NN + 4 * (NN + 1) + 2 * NN))

    def rollout(x: np.ndarray, U: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        X, A = [x], []
        for u in U:
            z, a = np.append(X[-1], u), np.zeros(2)
            for _ in range(12):  # the last steps are those of complex numbers too
                a = a - np.linalg.solve(derivative(lambda a, z=z: balance(z.real, a), a.real), balance(z, a))
            v = z[2:4] + H * a
            A.append(a)
            X.append(np.array([*(z[:2] + 0.5 * H * (z[2:4] + v)), *v, u]))
        return X, A

    x, active = np.array([-0.5, 0.4, 0.2, 0.0, 0.3]), 0
    for _ in range(3):
        answer = unit_.sample(0.0, np.append(x, 0.0))
        assert answer[1] in (0.0, 1.0) and answer[5] == 0.0
        parts = np.split(unit_.memory[AT + 2 :], np.cumsum([5 * (NN + 1), NN, 4 * (NN + 1)]))
        X, U, both, A = parts[0].reshape(-1, 5), parts[1], parts[2].reshape(NN + 1, 2, 2), parts[3].reshape(NN, 2)
        expected, accelerations = rollout(x, U)
        np.testing.assert_allclose(X, expected, atol=1e-8)
        np.testing.assert_allclose(A, accelerations, atol=1e-8)

        def lagrangian(U: np.ndarray, x: np.ndarray = x, both: np.ndarray = both) -> np.ndarray:
            states, total = rollout(x, U)[0], 0.0
            for k, u in enumerate(U):
                e = np.append(states[k], u) - goal
                total = total + 0.5 * e @ (weights * e) + (both[k, 1, 0] - both[k, 0, 0]) * u
            for k in range(1, NN + 1):
                total = total + (both[k, 1, 1] - both[k, 0, 1]) * states[k][2]
            e = states[-1] - goal[:5]
            return np.array([total + 0.5 * e @ end @ e])

        assert np.abs(derivative(lagrangian, U)).max() < 1e-6
        rows = np.concatenate([U, X[1:, 2]])
        force = np.concatenate([both[:NN, 1, 0] - both[:NN, 0, 0], both[1:, 1, 1] - both[1:, 0, 1]])
        limit = np.repeat([0.6, 0.5], NN)
        assert (np.abs(rows) < limit + 1e-7).all()
        assert np.minimum(np.abs(force), limit - rows * np.sign(force)).max() < 1e-4
        active += int((np.abs(force) > 1e-3).sum())
        x = expected[1]
    assert active > 2
    sizes, before = np.cumsum([5 * (NN + 1), NN, 4 * (NN + 1)]), unit_.memory[AT + 2 :].copy()
    unit_.broken = {"GOAL_TAPE": unit_.calls["GOAL_TAPE"] + 1}
    assert unit_.sample(0.0, np.append(x, 0.0))[5] == 2.0  # the plan is shifted by an interval, accelerations too
    shifted = np.split(unit_.memory[AT + 2 :], sizes)
    for old, now, count in zip(np.split(before, sizes), shifted, (NN + 1, NN, NN + 1, NN), strict=True):
        rows = old.reshape(count, -1)
        np.testing.assert_array_equal(now.reshape(count, -1), [*rows[1:], rows[-1]])
