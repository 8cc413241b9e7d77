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

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

TAPE = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_long,
    *(ctypes.POINTER(kind) for kind in (ctypes.c_void_p, ctypes.c_long) * 2),
    ctypes.c_void_p,
)
H, AT = 0.2, 2
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


def numbers(address: int | None, count: int) -> np.ndarray:
    return np.ctypeslib.as_array((ctypes.c_double * count).from_address(address or 0))


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
        self._kept = [TAPE(self._called(name, *tape)) for name, tape in tapes.items()]
        for k, one in enumerate(self._kept):
            self.library.set_tape(ctypes.c_long(k), one)
        self.own = np.zeros(self.library.own_size())
        self.n_answer, n_memory = sizes
        self.memory = np.zeros(AT + n_memory)
        self.memory[:AT] = np.nan  # belongs to others

    def _called(self, name: str, sizes: tuple[int, ...], f: Callable[..., tuple[np.ndarray, ...]]) -> Any:
        def tape(n: int, inputs: Any, strides: Any, outputs: Any, steps: Any, _work: Any) -> int:
            self.calls[name] += 1
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
    """An attitude that turns about one axis beside two numbers; readings are late, those of the attitude of any sign."""

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


@pytest.mark.parametrize("m", [Plain, Turning])
def test_a_filter_with_late_readings_is_a_replay_with_a_prediction(m: Model) -> None:
    lag, run = int(m.delay.max()), Sensed(m, np.random.default_rng(1), 12)
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


@pytest.mark.parametrize("broken", ["STEP_TAPE", "SEE_TAPE", "READ_TAPE"])
def test_a_window_says_which_sample_failed(broken: str) -> None:
    run, made = Sensed(Plain, np.random.default_rng(4), 7), window_unit(Plain, 3, 2)
    for n in range(7):
        made.broken = {broken: made.calls[broken] + 1} if n == 5 else {}
        answer = made.sample(run.time(n), run.arrives(n))
        assert answer[Plain.nx] == (n == 5) and made.memory[AT] == n + 1 and np.isfinite(answer).all()
