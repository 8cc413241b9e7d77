"""Sampled control, divergence, interruption, continuation, bad input."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from dalembert.core.errors import DalembertError, InputError, SimulationError
from dalembert.simulation import TABLEAUS, EndState, EventSpec, Problem, integrate
from support.problems import (
    GENERAL_METHODS,
    make_problem,
    oscillator,
    pendulum,
    precession,
    sampled_integrator,
    stepping,
)

ROOT = Path(__file__).resolve().parents[2]
HOLDING = sampled_integrator()
PENDULUM = pendulum()
SQUARE = make_problem(("calm", "wild"), lambda t, x, c, p: (-x[0], x[1] ** 2), name="square")


class Law:
    """A controller from a function."""

    def __init__(self, period: Any, function: Any) -> None:
        self.period, self.function, self.times = period, function, list[float]()

    def __call__(self, t: float, x: np.ndarray) -> Any:
        self.times.append(t)
        return self.function(t, x)


# --- sampled control --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", GENERAL_METHODS)
@pytest.mark.parametrize("period", [0.1, 0.07, 0.25])
def test_controller_is_called_once_per_sample(method: str, period: float) -> None:
    law = Law(period, lambda t, x: [np.cos(t)])
    run = integrate(HOLDING, [0.0], duration=1.0, **stepping(method, step=0.03), controller=law)
    expected = period * np.arange(int(np.ceil(1.0 / period - 1e-9)))
    assert law.times == pytest.approx(expected, abs=1e-15)
    edges = np.append(expected, 1.0)
    assert run["x"][-1] == pytest.approx(np.sum(np.cos(expected) * np.diff(edges)), abs=1e-12)


@pytest.mark.parametrize("method", ["rk4", "dopri5", "cvodes"])
def test_sampled_damping_matches_the_exact_discretisation(method: str) -> None:
    # x'' = c with c = -k x - d v held: x and v at the samples follow from the matrix of the double integrator.
    problem = make_problem(("x", "v"), lambda t, x, c, p: (x[1], c[0]), held=("force",))
    law = Law(0.05, lambda t, x: [-4.0 * x[0] - 1.5 * x[1]])
    settings = stepping(method, step=0.01, rtol=1e-11, atol=1e-12)
    run = integrate(problem, [1.0, 0.0], duration=2.0, controller=law, record=0.05, **settings)
    state, h = np.array([1.0, 0.0]), 0.05
    for k in range(41):
        assert run.x[k] == pytest.approx(state, abs=1e-9)
        c = -4.0 * state[0] - 1.5 * state[1]
        state = np.array([state[0] + h * state[1] + h * h / 2 * c, state[1] + h * c])


def test_controller_sees_a_copy_of_the_state() -> None:
    def vandal(t: float, x: np.ndarray) -> list[float]:
        x[:] = 1e9
        return [1.0]

    run = integrate(HOLDING, [0.0], duration=1.0, step=0.1, controller=Law(0.5, vandal))
    assert run["x"][-1] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([1.0, 2.0], "got shape (2,)"),
        (1.0, "got shape ()"),
        ([np.nan], "returned nan for 'rate'"),
        (["up"], "must return 1 numbers"),
        (None, "got shape ()"),
    ],
)
def test_wrong_answer_of_a_controller_is_named(value: Any, words: str) -> None:
    law = Law(0.1, lambda t, x: [1.0] if t < 0.45 else value)
    with pytest.raises(SimulationError) as caught:
        integrate(HOLDING, [0.0], duration=1.0, step=0.01, controller=law)
    assert "controller 'Law' at t = 0.5 s" in str(caught.value)
    if value is not None:
        assert words in str(caught.value)
    run = caught.value.run
    assert run.status == "failed"
    assert run.t[-1] == 0.5
    assert run["x"][-1] == pytest.approx(0.5)


def test_exception_of_a_controller_keeps_the_good_part() -> None:
    def function(t: float, x: np.ndarray) -> list[float]:
        return [1 / (1 if t < 0.45 else 0)]

    with pytest.raises(SimulationError, match=r"controller 'Law' failed at t = 0\.5 s: ZeroDivisionError") as caught:
        integrate(HOLDING, [0.0], duration=1.0, step=0.01, controller=Law(0.1, function))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert len(caught.value.run.t) == 51


# --- divergence -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["auto", "vm"])
@pytest.mark.parametrize("method", TABLEAUS)
def test_divergence_names_time_and_state_and_keeps_the_good_part(method: str, backend: str) -> None:
    # x' = x^2 from 1 is 1 / (1 - t).
    run = integrate(SQUARE, [1.0, 1.0], duration=2.0, **stepping(method, step=1e-3, rtol=1e-6), backend=backend)
    assert run.status == "diverged"
    assert not run.ok
    assert "'wild'" in run.message
    assert "calm" not in run.message
    assert 0.99 < run.t[-1] < 1.02
    assert f"t = {run.t[-1]:.9g} s" in run.message
    assert np.isfinite(run.x).all()
    good = run.t < 0.9
    assert run["wild"][good] == pytest.approx(1 / (1 - run.t[good]), rel=0.05 if method == "euler" else 1e-3)
    assert run.final.t == run.t[-1]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_of_states_that_diverge_in_one_step_the_largest_is_named(order: tuple[int, ...]) -> None:
    names, start = ("small", "large", "calm"), (1e170, 1e200, 1.0)
    rates = [lambda x: x**2, lambda x: x**2, lambda x: -x]
    problem = make_problem(
        tuple(names[k] for k in order), lambda t, x, c, p: tuple(rates[k](x[i]) for i, k in enumerate(order))
    )
    run = integrate(problem, [start[k] for k in order], duration=1.0, method="euler", step=0.1)
    assert run.status == "diverged" and "'large'" in run.message and "small" not in run.message


@pytest.mark.parametrize("method", ["cvodes", "idas"])
def test_sundials_failure_is_a_status(method: str) -> None:
    run = integrate(SQUARE, [1.0, 1.0], duration=2.0, method=method, record=0.01)
    assert run.status in ("failed", "diverged")
    assert method in run.message
    assert "'wild'" in run.message
    assert run.t[-1] == pytest.approx(0.99, abs=0.011)
    good = run.t < 0.9  # an early error grows by the factor x^2
    assert run["wild"][good] == pytest.approx(1 / (1 - run.t[good]), rel=1e-4)


@pytest.mark.parametrize("backend", ["auto", "vm"])
def test_equations_without_a_value_at_the_start(backend: str) -> None:
    problem = make_problem(("x",), lambda t, x, c, p: (ca.sqrt(x[0]),))
    for method in ("rk4", "dopri5"):
        run = integrate(problem, [-1.0], duration=1.0, method=method, backend=backend)
        assert run.status == "diverged"
        assert "'x'" in run.message
        assert len(run.t) == 1


@pytest.mark.parametrize("method", ["dopri5", "cvodes"])
def test_too_many_steps_fail(method: str) -> None:
    run = integrate(oscillator().problem, [1.0, 0.0], duration=1e5, method=method, max_steps=500)
    assert run.status == "failed"
    assert "max_steps = 500" in run.message
    assert 0.0 < run.t[-1] < 1e5


def test_quadratures_do_not_count_in_the_error_norm() -> None:
    # The quadrature has kinks that an error test would chase.
    def rate(t: Any, x: Any, c: Any, p: Any) -> tuple[Any, ...]:
        return x[1], -x[0], ca.sign(ca.sin(40 * t))

    steps = []
    for name in ("work.input", "kinks"):
        run = integrate(make_problem(("x", "v", name), rate), [1.0, 0.0, 0.0], duration=5.0, method="dopri5")
        steps.append(run.metadata["steps"] + run.metadata["rejected"])
    assert steps[1] > 3 * steps[0]


# --- stiffness --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["cvodes", "idas"])
def test_stiff_problem(method: str) -> None:
    # Prothero-Robinson: x' = -k (x - cos t) - sin t has the solution cos t for every k.
    problem = make_problem(("x",), lambda t, x, c, p: (-1e7 * (x[0] - ca.cos(t)) - ca.sin(t),))
    run = integrate(problem, [1.0], duration=10.0, method=method, rtol=1e-8, atol=1e-10)
    assert run.status == "completed"
    assert run["x"] == pytest.approx(np.cos(run.t), abs=1e-6)
    assert run.metadata["steps"] < 10_000


# --- interruption -----------------------------------------------------------------------------------------------------


def test_interrupt_from_a_controller_keeps_the_run() -> None:
    def function(t: float, x: np.ndarray) -> list[float]:
        if t > 0.45:
            raise KeyboardInterrupt
        return [1.0]

    run = integrate(HOLDING, [0.0], duration=1.0, step=0.01, controller=Law(0.1, function))
    assert run.status == "interrupted"
    assert run.t[-1] == 0.5
    rest = integrate(HOLDING, run.final, duration=0.5, step=0.01, controller=Law(0.1, lambda t, x: [1.0]))
    assert run.append(rest)["x"][-1] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("method", "number"), [("rk4", "SIGINT"), ("dopri5", "SIGINT"), ("cvodes", "SIGINT"), ("rk4", "SIGTERM")]
)
def test_signal_stops_a_long_run_and_loses_nothing(method: str, number: str) -> None:
    """A process that would run for minutes gets a real signal from a timer of its own."""
    program = f"""
        import os, signal, threading
        import numpy as np
        from support.problems import oscillator, stepping
        from dalembert.simulation import integrate
        exact = oscillator(50.0)
        settings = stepping({method!r}, step=1e-3, rtol=1e-10, atol=1e-10)
        integrate(exact.problem, exact.x0, duration=0.01, **settings)  # compile before the clock starts
        threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.{number})).start()
        run = integrate(
            exact.problem, exact.x0, duration=1e7, record=0.5, max_steps=10**12, progress=False, **settings
        )
        assert run.status == "interrupted", run.status
        assert 1.0 < run.t[-1] < 1e7
        assert np.isfinite(run.x).all()
        more = integrate(exact.problem, run.final, duration=0.5, **settings)
        assert run.append(more).status == "completed"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        print("survived", len(run.t))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'tests'}"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.stdout.startswith("survived"), done.stderr


def test_runs_in_threads_do_not_touch_signals() -> None:
    before = signal.getsignal(signal.SIGINT)
    results: list[Any] = []
    threads = [
        threading.Thread(
            target=lambda: results.append(integrate(PENDULUM, [1.0, 0.0], [9.81], duration=5.0, step=1e-3))
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert signal.getsignal(signal.SIGINT) is before
    assert all(np.array_equal(run.x, results[0].x) for run in results)


def test_progress_function_and_bar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    fractions: list[float] = []
    law = Law(0.1, lambda t, x: time.sleep(0.015) or [1.0])
    integrate(HOLDING, [0.0], duration=2.0, step=0.01, controller=law, progress=fractions.append)
    assert fractions == sorted(fractions)
    assert 0.0 <= fractions[0] <= fractions[-1] <= 1.0
    assert len(fractions) > 1
    monkeypatch.setattr(importlib.import_module("dalembert.simulation.watch"), "_PATIENCE", 0.0)
    integrate(HOLDING, [0.0], duration=0.5, step=0.01, controller=law, progress=True)
    assert "simulating" in capsys.readouterr().err
    integrate(HOLDING, [0.0], duration=0.5, step=0.01, controller=law)
    assert capsys.readouterr().err == "", "stderr is not a terminal"


# --- continuation -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
@pytest.mark.parametrize("cut", [0.2, 0.25, 0.47])
def test_continuation_keeps_the_sampling_grid(method: str, cut: float) -> None:
    problem = make_problem(("x", "v"), lambda t, x, c, p: (x[1], c[0] - x[0]), held=("force",))
    settings = stepping(method, step=0.01, rtol=1e-11, atol=1e-12)

    def law() -> Law:
        return Law(0.1, lambda t, x: [np.sin(3 * t) - x[1]])

    whole = integrate(problem, [1.0, 0.0], duration=1.0, controller=law(), **settings)
    first_law, second_law = law(), law()
    first = integrate(problem, [1.0, 0.0], duration=cut, controller=first_law, **settings)
    second = integrate(problem, first.final, duration=1.0 - cut, controller=second_law, **settings)
    assert first_law.times + second_law.times == pytest.approx(0.1 * np.arange(10), abs=1e-12)
    assert second.x[-1] == pytest.approx(whole.x[-1], abs=1e-9)
    joined = first.append(second)
    assert joined["force"] == pytest.approx(np.interp(joined.t, whole.t, whole["force"]), abs=0.2)
    assert joined.metadata["steps"] == first.metadata["steps"] + second.metadata["steps"]


def test_runs_that_do_not_fit_are_not_joined() -> None:
    first = integrate(PENDULUM, [1.0, 0.0], [9.81], duration=1.0)
    with pytest.raises(InputError, match="must start at t = "):
        first.append(first)
    other = integrate(oscillator().problem, [1.0, 0.0], t0=1.0, duration=1.0)
    with pytest.raises(InputError, match="different state_names"):
        first.append(other)


# --- bad input --------------------------------------------------------------------------------------------------------

GOOD: dict[str, Any] = {"problem": PENDULUM, "x0": [1.0, 0.0], "p": [9.81], "duration": 1.0}


ADAPTIVE = "bs32, dopri5, dop853, cvodes, radau, idas, adaptive-midpoint"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"problem": "pendulum"}, "problem must be a Problem, got str"),
        ({"duration": 0.0}, "duration must be a finite number > 0 s, got 0"),
        ({"duration": -1.0}, "duration must be a finite number > 0 s, got -1"),
        ({"duration": np.nan}, "duration must be a finite number > 0 s, got nan"),
        ({"duration": np.inf}, "duration must be a finite number > 0 s, got inf"),
        ({"duration": "long"}, "duration must be a finite number > 0 s, got 'long'"),
        ({"duration": True}, "duration must be a finite number > 0 s, got True"),
        ({"duration": None}, "duration must be a finite number > 0 s, got None"),
        ({"t0": np.inf}, "t0 must be a finite number, got inf"),
        ({"step": 0.0}, "step must be a finite number > 0 s, got 0"),
        ({"step": -1e-3}, "step must be a finite number > 0 s, got -0.001"),
        ({"step": np.nan}, "step must be a finite number > 0 s, got nan"),
        ({"step": 2.0}, "step = 2 s is longer than the duration of 1 s"),
        ({"step": 1e-9}, "takes 1e+09 steps, more than max_steps = 10000000"),
        ({"step": 1e-7, "t0": 1e9, "max_steps": 10**9}, "step = 1e-07 s cannot be resolved at t = 1e+09 s"),
        (
            {"method": "rk45"},
            "unknown method 'rk45' (did you mean 'rk4'?); known: euler, heun, rk4, bs32, dopri5, dop853, cvodes,",
        ),
        ({"method": 4}, "method must be a Method such as RK4(step=1e-3), or its name, got 4"),
        ({"x0": [1.0]}, "x0 must have shape (2,) (theta, theta_dot), got (1,)"),
        ({"x0": [[1.0, 0.0]]}, "x0 must have shape (2,) (theta, theta_dot), got (1, 2)"),
        ({"x0": [1.0, np.nan]}, "x0[1] must be finite, got nan"),
        ({"x0": ["a", "b"]}, "x0 must be 2 numbers"),
        ({"p": None}, "p must have shape (1,) (run-time parameters), got (0,)"),
        ({"p": [1.0, 2.0]}, "p must have shape (1,) (run-time parameters), got (2,)"),
        ({"p": [np.inf]}, "p[0] must be finite, got inf"),
        ({"rtol": 0.0}, "rtol must be a finite number > 0, got 0"),
        ({"rtol": -1e-3}, "rtol must be a finite number > 0, got -0.001"),
        ({"rtol": 1e-17}, "rtol must be between 1e-14 and 1, got 1e-17"),
        ({"rtol": 2.0}, "rtol must be between 1e-14 and 1, got 2"),
        ({"atol": 0.0}, "atol must be a finite number > 0, got 0"),
        ({"atol": [1e-9], "method": "dopri5"}, "atol must have shape (2,) (one per state), got (1,)"),
        ({"atol": [1e-9, -1.0], "method": "dopri5"}, "atol must be > 0 for every state, got -1"),
        ({"atol": [1e-9, 1e-8], "method": "cvodes"}, "method 'cvodes' takes one atol for all states"),
        ({"record": 0.0}, "record must be a finite number > 0 s, got 0"),
        ({"record": 2.0}, "record = 2 s is longer than the duration of 1 s"),
        ({"record": 1e-4}, "record = 0.0001 s is shorter than the step of 0.001 s"),
        ({"max_steps": 0}, "max_steps must be a whole number >= 1, got 0"),
        ({"max_steps": 1e6}, "max_steps must be a whole number >= 1, got 1000000.0"),
        ({"max_step": 0.1}, "max_step is for bs32, dopri5, dop853, radau, adaptive-midpoint; method 'rk4' has none"),
        ({"rtol": 1e-6}, f"rtol is for {ADAPTIVE}; method 'rk4' has none"),
        ({"atol": 1e-6}, f"atol is for {ADAPTIVE}; method 'rk4' has none"),
        (
            {"step": 1e-3, "method": "dopri5"},
            "step is for euler, heun, rk4, generalized-alpha, midpoint, moreau; method 'dopri5' has none",
        ),
        ({"max_step": -0.1, "method": "dopri5"}, "max_step must be a finite number > 0 s, got -0.1"),
        ({"on_event": 3}, "on_event must be a function (t, x, names), got int"),
        ({"backend": "fortran"}, "fortran"),
        ({"controller": Law(0.1, None)}, "controller 'Law' was given, but the problem has no held values"),
        ({"problem": HOLDING, "x0": [0.0], "p": None}, "holds values (rate) that a controller must set; got none"),
        (
            {"problem": HOLDING, "x0": [0.0], "p": None, "controller": Law(0.0, None)},
            "period of controller 'Law' must be > 0 s, got 0",
        ),
        (
            {"problem": HOLDING, "x0": [0.0], "p": None, "controller": Law("often", None)},
            "controller 'Law' needs a period in seconds, got 'often'",
        ),
        (
            {"problem": HOLDING, "x0": [0.0], "p": None, "controller": lambda t, x: [0.0]},
            "controller 'function' needs a period in seconds, got \"no attribute 'period'\"",
        ),
        (
            {"problem": precession().problem, "x0": [2.0, 0.0, 0.0, 0.0], "p": None},
            "x0[0:4] (qw, qx, qy, qz) must be a unit quaternion, got length 2",
        ),
        ({"x0": EndState(3.0, np.array([1.0, 0.0])), "t0": 1.0}, "t0 = 1 contradicts the end state"),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
def test_bad_input_is_named(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        integrate(**{**GOOD, **change})
    assert words in str(caught.value)


def _function(n_x: int = 1, n_out: int = 1, n_c: int = 0, n_p: int = 0) -> ca.Function:
    arguments = [ca.SX.sym("t"), ca.SX.sym("x", n_x), ca.SX.sym("c", n_c), ca.SX.sym("p", n_p)]
    return ca.Function("f", arguments, [ca.SX.ones(n_out) if n_out else ca.SX(0, 1)])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"state_names": ()}, "at least one state"),
        ({"state_names": ("x", "x")}, "names must be unique, got 'x' more than once"),
        ({"state_names": ("t",)}, "'t' is the time"),
        ({"state_names": ("",)}, "must be a non-empty string"),
        ({"signal_names": ("x",), "signals": _function()}, "got 'x' more than once"),
        ({"ode": len}, "ode must be a casadi.Function, got builtin_function_or_method"),
        ({"ode": ca.Function("f", [ca.SX.sym("x")], [ca.SX(1)])}, "must map (t, x, c, p) to one vector, got 1 inputs"),
        ({"ode": _function(n_x=2)}, "ode: input x must have 1 rows, got (2, 1)"),
        ({"ode": _function(n_out=3)}, "ode must return 1 values (one per name), got 3"),
        ({"signal_names": ("a", "b")}, "signals must return 2 values"),
        ({"held_names": ("c",)}, "ode: input c must have 1 rows"),
        ({"signals": _function(n_out=0, n_p=2)}, "signals: input p must have 0 rows"),
        ({"quaternions": (0,)}, "quaternion offset 0 needs 4 states of its own within 0..0"),
        ({"event_specs": (EventSpec("e"),)}, "1 event_specs but no events function"),
        ({"events": _function(n_out=2), "event_specs": (EventSpec("e"),)}, "events must return 1 values"),
    ],
)
def test_bad_problem_is_named(change: dict[str, Any], words: str) -> None:
    good = {"state_names": ("x",), "ode": _function(), "signals": _function(n_out=0)}
    Problem(**good)
    with pytest.raises(InputError) as caught:
        Problem(**{**good, **change})
    assert words in str(caught.value)


def test_bad_event_spec_is_named() -> None:
    with pytest.raises(InputError, match="direction of event 'e' must be -1, 0 or \\+1, got 2"):
        EventSpec("e", direction=2)
    with pytest.raises(DalembertError, match="non-empty string"):
        EventSpec("")


# --- details ----------------------------------------------------------------------------------------------------------


def test_recording_does_not_change_a_fixed_step_run() -> None:
    every = integrate(PENDULUM, [1.0, 0.0], [9.81], duration=2.0, step=1e-3)
    tenth = integrate(PENDULUM, [1.0, 0.0], [9.81], duration=2.0, step=1e-3, record=1e-2)
    assert tenth.t == pytest.approx(every.t[::10], abs=1e-15)
    assert np.array_equal(tenth.x, every.x[::10])


def test_time_does_not_accumulate_rounding() -> None:
    run = integrate(oscillator().problem, [1.0, 0.0], duration=100.0, step=1e-3, t0=0.1)
    assert np.array_equal(run.t, np.append(0.1 + 1e-3 * np.arange(100_000), 100.1))
    assert run.metadata["steps"] == 100_000


def test_last_step_is_shortened() -> None:
    exact = oscillator()
    run = integrate(exact.problem, exact.x0, duration=1.0, step=0.3)
    assert run.t == pytest.approx([0.0, 0.3, 0.6, 0.9, 1.0], abs=1e-15)
    assert run.x[-1] == pytest.approx(exact.solution(1.0), abs=1e-3)


def test_largest_step_is_kept() -> None:
    exact = oscillator()
    run = integrate(exact.problem, exact.x0, duration=3.0, method="dopri5", rtol=1e-3, max_step=0.05)
    assert np.max(np.diff(run.t)) <= 0.05 * (1 + 1e-9)


@pytest.mark.parametrize("backend", ["auto", "vm"])
@pytest.mark.parametrize("method", ["bs32", "dopri5"])
def test_rounding_does_not_choose_steps(method: str, backend: str) -> None:
    """Under a constant acceleration the estimate is rounding: steps grow as after the least error that counts."""
    falling = make_problem(("z", "v"), lambda t, x, c, p: (x[1], -9.81), name="falling")
    run = integrate(falling, [0.3, 0.1], duration=1e4, method=method, backend=backend)
    order = TABLEAUS[method].embedded_order
    beta = 0.2 / (order + 1.0)
    factor = 0.9 * 1e-4 ** (beta - (1.0 / (order + 1.0) - 0.75 * beta))
    length = np.diff(run.t)[:6]
    np.testing.assert_allclose(length[1:] / length[:-1], factor, rtol=1e-11)


def test_tolerance_per_state() -> None:
    exact = oscillator()
    loose = integrate(exact.problem, exact.x0, duration=3.0, method="dopri5", rtol=1e-12, atol=[1e-3, 1e-3])
    tight = integrate(exact.problem, exact.x0, duration=3.0, method="dopri5", rtol=1e-12, atol=[1e-3, 1e-10])
    assert tight.metadata["steps"] > 2 * loose.metadata["steps"]


def test_long_record() -> None:
    """Long records pass through a buffer that fills several times; nothing is lost at its seams."""
    exact = oscillator()
    run = integrate(exact.problem, exact.x0, duration=400.0, step=1e-3)
    assert len(run.t) == 400_001
    assert np.array_equal(run.t[:-1], 1e-3 * np.arange(400_000))
    assert np.max(np.abs(run["x"] - np.cos(run.t))) < 1e-9


def test_every_step_is_recorded_unless_an_interval_is_given() -> None:
    for record, rows in ((None, 13), (0.3, 5)):
        run = integrate(pendulum(), [0.2, 0.0], [9.81], duration=1.2, step=0.1, record=record, backend="vm")
        np.testing.assert_allclose(run.t, np.linspace(0.0, 1.2, rows), atol=1e-12)
