"""Events are located where the closed form says, together if simultaneous, and never at the start itself."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.special import ellipk

from dalembert.core.errors import SimulationError
from dalembert.simulation import EventSpec, integrate
from support.problems import ball, make_problem, oscillator, pendulum, sampled_integrator, stepping

G = 9.81
NATIVE_AND_PYTHON = pytest.mark.parametrize("backend", ["auto", "vm"])


@NATIVE_AND_PYTHON
@pytest.mark.parametrize(("method", "tolerance"), [("rk4", 1e-10), ("dopri5", 1e-9), ("cvodes", 1e-6)])
def test_pendulum_passes_the_bottom_at_quarter_periods(method: str, tolerance: float, backend: str) -> None:
    amplitude = 2.0
    period = 4.0 * ellipk(np.sin(amplitude / 2) ** 2) / np.sqrt(G)
    run = integrate(
        pendulum(),
        [amplitude, 0.0],
        [G],
        duration=5.0,
        **stepping(method, step=1e-3, rtol=1e-11, atol=1e-11),
        backend=backend,
    )
    expected = [(2 * k + 1) * period / 4 for k in range(int(10.0 / period + 0.5))]
    assert [event.t for event in run.events] == pytest.approx(expected, abs=tolerance)
    assert [event.direction for event in run.events] == [-1 if k % 2 == 0 else 1 for k in range(len(expected))]
    assert all(abs(event.x[0]) < 1e-10 for event in run.events)
    assert run.status == "completed"


@NATIVE_AND_PYTHON
@pytest.mark.parametrize("method", ["euler", "heun", "rk4", "bs32", "dopri5", "cvodes", "idas"])
def test_terminal_event_stops_the_run(method: str, backend: str) -> None:
    height = 1.7
    fall = np.sqrt(2 * height / G)
    run = integrate(ball(terminal=True), [height, 0.0], duration=2.0, **stepping(method, step=1e-3), backend=backend)
    assert run.status == "stopped"
    assert run.ok
    assert "ground1" in run.message
    # Free fall is a parabola: explicit methods from order two on are exact on it.
    tolerance = {"euler": 1e-3, "cvodes": 1e-6, "idas": 1e-6}.get(method, 1e-12)
    assert run.final.t == pytest.approx(fall, abs=tolerance)
    assert run.t[-1] == run.final.t == run.events[-1].t
    assert np.array_equal(run.x[-1], run.events[-1].x)
    assert run["height1"][-1] <= 0.0 < run["height1"][-2]


@NATIVE_AND_PYTHON
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_bouncing_ball(method: str, backend: str) -> None:
    restitution, height = 0.8, 1.0

    def bounce(t: float, x: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
        assert names == ("ground1",)
        return np.array([0.0, -restitution * x[1]])

    run = integrate(
        ball(), [height, 0.0], duration=3.0, **stepping(method, step=1e-3), on_event=bounce, backend=backend
    )
    fall = np.sqrt(2 * height / G)
    expected, flight = [fall], 2 * fall * restitution
    while expected[-1] + flight < 3.0:
        expected.append(expected[-1] + flight)
        flight *= restitution
    assert [event.t for event in run.events] == pytest.approx(expected, abs=1e-11)
    assert np.min(run["height1"]) > -1e-12
    # The instant of a bounce has two rows: before and after.
    k = int(np.searchsorted(run.t, run.events[0].t))
    assert run.t[k] == run.t[k + 1]
    assert run["speed1"][k + 1] == -restitution * run["speed1"][k]


@NATIVE_AND_PYTHON
def test_bounces_within_one_step_do_not_fall_through(backend: str) -> None:
    # The flights after the first bounces are far shorter than the step.
    with pytest.raises(SimulationError, match="events accumulate") as caught:
        integrate(
            ball(),
            [1e-3, 0.0],
            duration=0.06,
            step=0.02,
            backend=backend,
            on_event=lambda t, x, names: [0.0, -0.5 * x[1]],
        )
    run: Any = caught.value.run
    assert run.x[:, 0].min() > -1e-9
    fall = np.sqrt(2e-3 / G)
    expected = fall + 2 * fall * np.cumsum([0.5**k for k in range(1, 6)])
    assert [event.t for event in run.events[:6]] == pytest.approx([fall, *expected], abs=1e-11)


@NATIVE_AND_PYTHON
@pytest.mark.parametrize("method", ["rk4", "dopri5", "cvodes"])
def test_simultaneous_events_come_together(method: str, backend: str) -> None:
    calls = []

    def record(t: float, x: np.ndarray, names: tuple[str, ...]) -> None:
        calls.append((t, names))

    x0 = [1.0, 0.0, 2.0, 0.0, 1.0, 0.0]
    run = integrate(ball(3), x0, duration=0.8, **stepping(method, step=1e-3), on_event=record, backend=backend)
    assert [names for _, names in calls] == [("ground1", "ground3"), ("ground2",)]
    assert run.events[0].t == run.events[1].t
    assert [event.t for event in run.events] == pytest.approx([np.sqrt(2 / G)] * 2 + [np.sqrt(4 / G)], abs=1e-6)


@NATIVE_AND_PYTHON
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_several_events_of_one_step_come_in_order(method: str, backend: str) -> None:
    times = [0.71, 0.72, 0.705]
    problem = make_problem(
        ("x",),
        lambda t, x, c, p: (1.0,),
        events=lambda t, x, c, p: [x[0] - s for s in times],
        specs=[EventSpec(f"e{k}") for k in range(3)],
    )
    run = integrate(problem, [0.0], duration=1.0, **stepping(method, step=0.25), backend=backend)
    assert [(e.name, round(e.t, 12)) for e in run.events] == [("e2", 0.705), ("e0", 0.71), ("e1", 0.72)]


@NATIVE_AND_PYTHON
@pytest.mark.parametrize("method", ["rk4", "dopri5", "idas"])
@pytest.mark.parametrize("start", [0.0, 1e-17, -1e-17])
def test_start_on_an_event_does_not_fire(method: str, start: float, backend: str) -> None:
    exact = oscillator()
    problem = make_problem(
        ("x", "v"),
        lambda t, x, c, p: (x[1], -x[0]),
        events=lambda t, x, c, p: (x[0],),
        specs=(EventSpec("zero"),),
    )
    for speed in (1.0, -1.0):
        run = integrate(
            problem, [start, speed], duration=exact.duration * 0.9, **stepping(method, step=1e-2), backend=backend
        )
        assert [event.t for event in run.events] == pytest.approx([np.pi], abs=1e-6)


@NATIVE_AND_PYTHON
def test_function_that_stays_zero_never_fires(backend: str) -> None:
    problem = make_problem(
        ("x",), lambda t, x, c, p: (1.0,), events=lambda t, x, c, p: (0 * x[0],), specs=(EventSpec("never"),)
    )
    assert integrate(problem, [0.0], duration=0.1, backend=backend).events == ()


@pytest.mark.parametrize(("direction", "signs"), [(0, [-1, 1, -1]), (1, [1]), (-1, [-1, -1])])
def test_direction(direction: int, signs: list[int]) -> None:
    problem = pendulum(specs=(EventSpec("bottom", direction=direction),))
    run = integrate(problem, [1.0, 0.0], [G], duration=3.0, method="dopri5")
    assert [event.direction for event in run.events] == signs


def test_direction_of_events_that_ask() -> None:
    """Where the run stops at events, and may change there, they are recorded with the way that they went."""
    run = integrate(
        pendulum(), [1.0, 0.0], [G], duration=3.0, method="dopri5", on_event=lambda t, x, names: [x[0], 0.9 * x[1]]
    )
    assert len(run.events) > 2
    for event in run.events:
        assert event.direction == np.sign(event.x[1])


@NATIVE_AND_PYTHON
def test_noted_events_do_not_change_the_run(backend: str) -> None:
    with_events = integrate(pendulum(), [1.0, 0.0], [G], duration=2.0, method="dopri5", backend=backend)
    without = integrate(
        pendulum(events=None, specs=()), [1.0, 0.0], [G], duration=2.0, method="dopri5", backend=backend
    )
    assert with_events.events
    assert np.array_equal(with_events.x, without.x)


@NATIVE_AND_PYTHON
def test_event_on_a_grid_point_fires_once(backend: str) -> None:
    problem = make_problem(
        ("x",), lambda t, x, c, p: (1.0,), events=lambda t, x, c, p: (t - 0.5,), specs=(EventSpec("half"),)
    )
    run = integrate(problem, [0.0], duration=1.0, step=0.125, backend=backend)
    assert [event.t for event in run.events] == [0.5]


def test_event_of_a_held_value_fires_at_the_sample() -> None:
    class Ramp:
        period = 0.1

        def __call__(self, t: float, x: np.ndarray) -> list[float]:
            return [10.0 * t]

    base = sampled_integrator()
    problem = make_problem(
        base.state_names,
        lambda t, x, c, p: (c[0],),
        held=("rate",),
        events=lambda t, x, c, p: (c[0] - 4.5,),
        specs=(EventSpec("fast"),),
    )
    run = integrate(problem, [0.0], duration=1.0, step=0.03, controller=Ramp())
    assert [event.t for event in run.events] == pytest.approx([0.5], abs=1e-15)


def test_time_grid_goes_on_after_an_event() -> None:
    run = integrate(ball(), [1.0, 0.0], duration=1.0, step=0.125, on_event=lambda t, x, names: [0.0, -x[1]])
    regular = np.arange(9) * 0.125
    assert np.all(np.isin(regular, run.t))


def test_failing_transition_keeps_the_good_part() -> None:
    with pytest.raises(SimulationError, match=r"transition at t = 0\.45.* must return 2 finite states") as caught:
        integrate(ball(), [1.0, 0.0], duration=1.0, on_event=lambda t, x, names: [1.0])
    assert caught.value.run.t[-1] == pytest.approx(np.sqrt(2 / G))
    assert caught.value.run.status == "failed"

    def broken(t: float, x: np.ndarray, names: tuple[str, ...]) -> None:
        raise ZeroDivisionError("no ground")

    with pytest.raises(SimulationError, match="ZeroDivisionError: no ground") as caught:
        integrate(ball(), [1.0, 0.0], duration=1.0, on_event=broken)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_accumulating_events_are_refused() -> None:
    # A plane that follows the state: every transition puts it back to just before the event.
    problem = make_problem(
        ("x",), lambda t, x, c, p: (1.0,), events=lambda t, x, c, p: (x[0] - 0.5,), specs=(EventSpec("wall"),)
    )
    with pytest.raises(SimulationError, match=r"events accumulate at t = 0\.5"):
        integrate(problem, [0.0], duration=1.0, step=1e-3, on_event=lambda t, x, names: [0.5 - 1.5e-9])


@NATIVE_AND_PYTHON
def test_event_function_without_a_value_is_reported(backend: str) -> None:
    problem = make_problem(
        ("x",),
        lambda t, x, c, p: (-1.0,),
        events=lambda t, x, c, p: (ca.sqrt(x[0]) - 0.1,),
        specs=(EventSpec("root", direction=1),),
    )
    run = integrate(problem, [0.5], duration=1.0, backend=backend)
    assert run.status == "diverged"
    assert "event 'root'" in run.message
    assert 0.498 < run.t[-1] <= 0.5
