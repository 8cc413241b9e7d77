"""Every integrator shows its order; time grids are exact whatever the step, sample and record intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import DOP853

from dalembert.core.types import Array
from dalembert.engine.kernels import problem_kernels
from dalembert.engine.loop.native import NativeEngine
from dalembert.engine.methods.tableaus import INNER
from dalembert.simulation import TABLEAUS, Tableau, integrate
from dalembert.simulation.checks import check_setup
from dalembert.simulation.settings import Settings
from support.problems import (
    GENERAL_METHODS,
    Exact,
    make_problem,
    oscillator,
    pendulum,
    precession,
    rational,
    sampled_integrator,
    stepping,
)

FIXED = [name for name, tableau in TABLEAUS.items() if not tableau.adaptive]
ADAPTIVE = [name for name, tableau in TABLEAUS.items() if tableau.adaptive]
EXACT = {"rational": rational(), "precession": precession()}


def fixed_step_error(exact: Exact, tableau: Tableau, n_steps: int) -> float:
    """Largest error over a run with n equal steps, whatever the method."""
    settings = Settings(exact.duration, step=exact.duration / n_steps)
    setup = check_setup(exact.problem, exact.x0, None, settings, period=0.0)
    engine = NativeEngine(setup, problem_kernels(exact.problem).ode_code(), tableau=tableau, adaptive=False)
    engine.begin(np.zeros(0), setup.t_end)
    engine.advance()
    t, x = engine.rows()
    assert len(t) == n_steps + 1
    return float(np.max(np.abs(x - np.array([exact.solution(s) for s in t]))))


def observed_order(exact: Exact, tableau: Tableau) -> float:
    """Slope of the error over the step: steps small enough to be asymptotic, too large to be rounding."""
    n = {1: 2000, 2: 400, 3: 120, 4: 60, 5: 80, 8: 8}[tableau.order]
    coarse, fine = fixed_step_error(exact, tableau, n), fixed_step_error(exact, tableau, 2 * n)
    assert fine > 1e-13, "rounding would hide the order"
    return float(np.log2(coarse / fine))


@pytest.mark.parametrize("name", TABLEAUS)
def test_order(name: str) -> None:
    tableau = TABLEAUS[name]
    exact = EXACT["precession" if tableau.order > 5 else "rational"]  # which is too short for steps of order 8
    assert observed_order(exact, tableau) == pytest.approx(tableau.order, abs=0.2)


@pytest.mark.parametrize("name", TABLEAUS)
def test_order_on_unit_quaternions(name: str) -> None:
    # Normalisation removes the part of the error that is one of length; a method may show a higher order by that.
    tableau = TABLEAUS[name]
    few = 8 if tableau.order > 5 else 40
    coarse, fine = (fixed_step_error(EXACT["precession"], tableau, n) for n in (few, 2 * few))
    assert tableau.order - 0.2 < np.log2(coarse / fine) < tableau.order + 1.2


@pytest.mark.parametrize("name", ADAPTIVE)
def test_order_of_the_embedded_solution(name: str) -> None:
    tableau = TABLEAUS[name]
    for weights, order in ((tableau.b_hat, tableau.embedded_order), (tableau.b_second, tableau.second_order)):
        if weights is not None:
            embedded = replace(tableau, order=order, b=weights, b_hat=None, b_second=None)
            assert observed_order(EXACT["rational"], embedded) == pytest.approx(order, abs=0.2)


@pytest.mark.parametrize("name", TABLEAUS)
def test_first_order_conditions(name: str) -> None:
    tableau = TABLEAUS[name]
    assert np.sum(tableau.b) == pytest.approx(1.0, abs=1e-15)
    assert np.sum(tableau.a, axis=1) == pytest.approx(tableau.c, abs=1e-14)
    assert np.all(np.triu(tableau.a) == 0.0)


def test_polynomial_along_a_step() -> None:
    """It is SciPy's own along a step of a pendulum that is driven."""
    tableau, x0, h = TABLEAUS["dop853"], np.array([1.0, 0.3]), 0.4

    def f(t: float, x: Array) -> Array:
        return np.array([x[1], -3.0 * np.sin(x[0]) + np.cos(t)])

    along = tableau.along
    assert along is not None
    stages = np.zeros((0, 2))
    further = np.hstack([tableau.a, np.zeros((tableau.stages, len(along.c)))]), along.a
    for c, row in zip(np.concatenate([tableau.c, along.c]), np.vstack(further), strict=True):
        stages = np.vstack([stages, f(c * h, x0 + h * row[: len(stages)] @ stages)])
    peer = DOP853(f, 0.0, x0, 10.0, first_step=h, rtol=1e-3, atol=1e-3)
    peer.step()
    assert peer.t == h
    x = peer.dense_output()
    for k, part in enumerate(INNER):
        state, slope = along.weights[2 * k : 2 * k + 2] @ stages
        assert x0 + h * state == pytest.approx(x(part * h), abs=1e-14)
        s = h * (part + 1e-3 * np.array([-2.0, -1.0, 1.0, 2.0]))
        assert slope == pytest.approx(np.array([1.0, -8.0, 8.0, -1.0]) @ x(s).T / (12e-3 * h), abs=1e-9)


@pytest.mark.parametrize("case", EXACT)
@pytest.mark.parametrize("name", [*ADAPTIVE, "cvodes", "idas"])
def test_error_follows_the_tolerance(name: str, case: str) -> None:
    exact = EXACT[case]
    duration = exact.duration * (10.0 if name == "dop853" else 1.0)  # so that it has many steps, too

    def error(rtol: float) -> float:
        run = integrate(exact.problem, exact.x0, duration=duration, method=name, rtol=rtol, atol=rtol)
        assert run.status == "completed"
        return float(np.max(np.abs(run.x - np.array([exact.solution(t) for t in run.t]))))

    loose, tight = error(1e-5), error(1e-9)
    assert loose < 1e-3
    # Error per step is what is controlled, so that the global error is proportional to a power of it near 1.
    assert 0.7 < np.log(loose / tight) / np.log(1e4) < 1.3


@pytest.mark.parametrize("name", ["rk4", "dopri5"])
def test_quaternion_stays_unit(name: str) -> None:
    exact = precession()
    run = integrate(exact.problem, exact.x0, duration=20.0, **stepping(name, step=0.05, rtol=1e-6))
    assert np.max(np.abs(np.sum(run.x**2, axis=1) - 1.0)) < 1e-15


def test_energy_of_an_oscillator_drifts_with_the_sixth_power_of_the_step() -> None:
    # |R(iz)|^2 = 1 - z^6/72 + z^8/576 for the classical method: the loss per period is computable beforehand.
    exact = oscillator()
    for n in (50, 100):
        run = integrate(exact.problem, exact.x0, duration=exact.duration, step=exact.duration / n)
        z = exact.duration / n
        assert run.energy.residual[-1] == pytest.approx(0.5 * ((1 - z**6 / 72 + z**8 / 576) ** n - 1), rel=1e-6)


def test_energy_of_a_pendulum_is_kept_at_tight_tolerance() -> None:
    run = integrate(pendulum(), [2.5, 0.0], [9.81], duration=30.0, method="dopri5", rtol=1e-12, atol=1e-12)
    assert run.energy.drift < 1e-9


@settings(max_examples=30)
@given(
    matrix=st.lists(st.floats(-1.0, 1.0), min_size=9, max_size=9),
    x0=st.lists(st.floats(-2.0, 2.0), min_size=3, max_size=3),
    method=st.sampled_from(sorted(TABLEAUS)),
)
def test_virtual_machine_takes_the_same_steps(matrix: list[float], x0: list[float], method: str) -> None:
    runs = [
        integrate(
            LINEAR, x0, matrix, duration=1.0, record=0.1, backend=backend, **stepping(method, step=0.03, rtol=1e-6)
        )
        for backend in ("auto", "vm")
    ]
    assert {run.metadata["backend"] for run in runs} >= {"vm"}
    assert np.array_equal(runs[0].t, runs[1].t)
    np.testing.assert_allclose(runs[0].x, runs[1].x, rtol=1e-12, atol=1e-12)
    # The same decisions were taken, up to one that rounding may tip.
    assert abs(runs[0].metadata["steps"] - runs[1].metadata["steps"]) <= 1


LINEAR = make_problem(
    ("a", "b", "c"),
    lambda t, x, c, p: [sum(p[3 * i + j] * x[j] for j in range(3)) for i in range(3)],
    n_p=9,
)
HOLDING = sampled_integrator()


class Counting:
    """Returns 1, 2, 3, ... and remembers when."""

    def __init__(self, period: float) -> None:
        self.period, self.times = period, list[float]()

    def __call__(self, t: float, x: np.ndarray) -> list[float]:
        self.times.append(t)
        return [float(len(self.times))]


@settings(max_examples=60)
@given(
    t0=st.sampled_from([0.0, -3.7, 1234.56]),
    duration=st.floats(0.05, 3.0),
    step=st.floats(0.003, 0.05),
    period=st.floats(0.01, 1.0),
    share=st.none() | st.floats(0.05, 1.0),
    method=st.sampled_from(["rk4", "heun", "dopri5"]),
    backend=st.sampled_from(["auto", "vm"]),
)
def test_time_grid(
    t0: float, duration: float, step: float, period: float, share: float | None, method: str, backend: str
) -> None:
    record = None if share is None else max(share * duration, step)
    if record is not None and record > duration:
        record = duration
    controller = Counting(period)
    run = integrate(
        HOLDING, [0.0], duration=duration, t0=t0, **stepping(method, step=min(step, duration)), controller=controller,
        record=record, backend=backend,
    )  # fmt: skip
    assert run.status == "completed"
    end = t0 + duration
    ulp = 4 * np.spacing(max(abs(t0), abs(end)))
    assert run.t[0] == t0
    assert run.t[-1] == end
    assert np.all(np.diff(run.t) > 0)
    # Once per sample instant before the end, at exactly that instant.
    instants = t0 + period * np.arange(len(controller.times))
    np.testing.assert_allclose(controller.times, instants, rtol=0, atol=ulp)
    assert instants[-1] < end
    assert t0 + period * len(instants) > end - 2e-9 * period - ulp
    if record is None:
        assert np.all(np.diff(run.t) <= step * (1 + 1e-9) + ulp) or method == "dopri5"
        assert np.all(np.isin(controller.times, run.t))
    else:
        wanted = t0 + record * np.arange(int(duration / record * (1 - 1e-12)) + 1)
        assert len(run.t) in (len(wanted), len(wanted) + 1)
        np.testing.assert_allclose(run.t[: len(wanted)], wanted, rtol=0, atol=ulp)
    # x' = c is integrated exactly by every method, so that the state is the sum of what was held, as long as held.
    edges = np.append(controller.times, end)
    total = np.concatenate([[0.0], np.cumsum(np.arange(1, len(edges)) * np.diff(edges))])
    np.testing.assert_allclose(run["x"], np.interp(run.t, edges, total), rtol=1e-9, atol=1e-9)
    held = np.searchsorted(controller.times, run.t, side="right").astype(float)
    assert np.array_equal(run["rate"], held)


@settings(max_examples=25)
@given(cut=st.floats(0.1, 1.9), method=st.sampled_from(GENERAL_METHODS))
def test_continuation_equals_one_run(cut: float, method: str) -> None:
    cut = round(cut, 2)  # on the grid of the fixed steps
    settings_ = stepping(method, step=0.01, rtol=1e-10, atol=1e-10) | {"record": 0.01}
    whole = integrate(PENDULUM, [1.0, 0.0], [9.81], duration=2.0, **settings_)
    first = integrate(PENDULUM, [1.0, 0.0], [9.81], duration=cut, **settings_)
    second = integrate(PENDULUM, first.final, [9.81], duration=2.0 - cut, **settings_)
    joined = first.append(second)
    np.testing.assert_allclose(joined.t, whole.t, rtol=0, atol=1e-14)
    tolerance = 1e-12 if method in FIXED else 1e-7
    np.testing.assert_allclose(joined.x, whole.x, rtol=0, atol=tolerance)
    assert [event.t for event in joined.events] == pytest.approx([event.t for event in whole.events], abs=tolerance)


PENDULUM = pendulum()
