"""Integrate a `Problem` over time into a `Run`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile.kernel import Backend
from dalembert.core.errors import InputError, SimulationError
from dalembert.core.keywords import flat_keywords
from dalembert.engine.collide.articulated import native_steps
from dalembert.engine.constraints.native import NativeConstrained
from dalembert.engine.kernels import ProblemKernels, problem_kernels
from dalembert.engine.loop.native import NativeEngine
from dalembert.engine.problem.pairs import TransitionMaker
from dalembert.engine.problem.problem import Problem
from dalembert.engine.sampling import SampledLaw, Sampler, Schedule
from dalembert.engine.setup import Outcome, Setup
from dalembert.simulation.checks import check_setup
from dalembert.simulation.events import EventWatcher, Transition
from dalembert.simulation.methods import METHODS
from dalembert.simulation.recording import Recorder
from dalembert.simulation.run import EndState, Run
from dalembert.simulation.settings import SETTINGS_DEFAULTS, Settings, SettingsKeywords
from dalembert.simulation.step_limits import too_long_for
from dalembert.simulation.watch import Interrupt, Progress, interrupts

__all__ = ["integrate"]


@flat_keywords(SettingsKeywords, defaults=SETTINGS_DEFAULTS)
def integrate(
    problem: Problem,
    x0: ArrayLike | EndState,
    p: ArrayLike | None = None,
    settings: Settings | None = None,
    *,
    controller: SampledLaw | Schedule | None = None,
    progress: bool | Callable[[float], object] | None = None,
    watch: Callable[[Run], object] | None = None,
    on_event: Transition | TransitionMaker | None = None,
    **keywords: Unpack[SettingsKeywords],
) -> Run:
    """Integrate a problem; Python is not in the time loop.

    Parameters
    ----------
    problem
        Functions and sizes.
    x0
        Initial state, or the ``final`` of an earlier run, which is then continued: time, held values and the
        controller's sampling grid continue from there.
    p
        Run-time parameters.
    settings
        How it is done; or give the fields of `Settings` one by one (``duration=1.0, method="dopri5"``). Fixed steps end
        at t0 + k step; no step crosses a sample of the controller, an instant to record or the end: the last one before
        it is shortened, and steps are counted anew from there. The error of an adaptive step is kept below atol +
        rtol abs(x) (root mean square over the states that count). Rows are recorded where steps are cut to end; nothing
        is interpolated (SUNDIALS records the controller's period, at least 500 intervals).
    controller
        Object with a ``period``, called as ``controller(t, x)`` exactly once at each of t0 + k period, k = 0, 1, ...
        before the end; its return value is held until the next sample. Or a schedule of several of them.
    progress
        Show a progress bar on stderr once the run has taken 1.5 s; None: only on a terminal. A function is called with
        the fraction done instead, about ten times a second; if it returns False, the run ends there as
        ``"interrupted"``, in whatever thread it is.
    watch
        Called with the new rows, about ten times a second, as a run with the status ``"running"`` and the events since
        the last call; rows after the last call are in the returned run.
    on_event
        Called as ``on_event(t, x, names)`` at each located event that does not end the run; returns the next state, or
        None to continue with ``x``, which it may have edited.
    **keywords
        Fields of `Settings`, in place of those of ``settings``.

    Returns
    -------
    Run
        Up to the end, or to where its ``status`` says that it stopped: a terminal event, Ctrl-C, divergence.

    Raises
    ------
    InputError
        If an argument is wrong.
    SimulationError
        If the controller or a transition fails; its ``run`` is the part up to there.

    Examples
    --------
    >>> import casadi as ca
    >>> from dalembert.simulation import Problem, integrate
    >>> t, x, c, p = ca.SX.sym("t"), ca.SX.sym("x"), ca.SX(0, 1), ca.SX(0, 1)
    >>> rate, none = ca.Function("rate", [t, x, c, p], [-x]), ca.Function("none", [t, x, c, p], [ca.SX(0, 1)])
    >>> decay = Problem(("x",), rate, none)
    >>> round(float(integrate(decay, [1.0], duration=1.0)["x"][-1]), 6)
    0.367879
    """
    if settings is None:
        settings = Settings(**{"duration": None, **keywords})  # type: ignore[arg-type]  # which is refused by name
    elif keywords:
        settings = replace(settings, **keywords)
    backend = settings.backend
    schedule = _schedule(problem, controller)
    period = min((update.period for update in schedule.updates), default=0.0)
    setup = check_setup(problem, x0, p, settings, period=period)
    sampler = _sampler(problem, schedule, x0, setup, settings, backend)
    if on_event is not None and not callable(on_event) and not isinstance(on_event, TransitionMaker):
        raise InputError(f"on_event must be a function (t, x, names), got {type(on_event).__name__}")
    if watch is not None and not callable(watch):
        raise InputError(f"watch must be a function of a run, got {type(watch).__name__}")
    watcher = EventWatcher(setup, on_event)
    kernels = problem_kernels(problem, backend, tapes=(*setup.constraint_method.tapes, *watcher.tapes))
    engine = _engine(setup, kernels, watcher.tapes)
    engine.take_over(sampler)
    watcher.attach(engine, backend)
    recorder = Recorder(engine, setup, kernels, sampler, watcher, watch, each_transition=settings.each_transition)
    bar = Progress(progress, setup.t0, setup.t_end)
    try:
        with interrupts() as interrupt:
            ending = _drive(engine, setup, sampler, watcher, interrupt, bar, recorder)
            if ending.status in ("diverged", "failed") and ending.error is None:
                ending = _blame_signal(ending, engine, setup, kernels, sampler)
                ending = _blame_step(ending, setup, sampler)
    finally:
        bar.close()
    run = recorder.whole(ending.status, ending.message)
    if ending.error is not None:
        raise SimulationError(ending.message, run) from ending.error
    return run


@dataclass(frozen=True)
class _Ending:
    status: str
    message: str = ""
    error: Exception | None = None


def _schedule(problem: Problem, controller: SampledLaw | Schedule | None) -> Schedule:
    if not isinstance(problem, Problem):
        raise InputError(f"problem must be a Problem, got {type(problem).__name__}")
    return Schedule.of(controller, problem.held_names)


def _sampler(
    problem: Problem, schedule: Schedule, x0: ArrayLike | EndState, setup: Setup, settings: Settings, backend: Backend
) -> Sampler:
    """Return the sampler; that of a continued run with the same grid has the held values."""
    names = problem.held_names
    known: dict[str, Any] = {"seed": settings.seed, "member": settings.member, "backend": backend}
    if isinstance(x0, EndState) and schedule.updates:
        period = schedule.updates[-1].period
        if period == x0.sample_period and x0.held.size == len(names):
            return Sampler(schedule, names, x0.sample_origin, setup.p, start=x0.t, held=x0.held, **known)
    return Sampler(schedule, names, setup.t0, setup.p, **known)


def _engine(setup: Setup, kernels: ProblemKernels, further: tuple[str, ...]) -> NativeEngine:
    """Return the time loop; ``further`` are tapes that transitions need."""
    engine = METHODS[setup.method].engine(setup, kernels, further)
    if engine is not None:
        return engine
    if setup.problem.stepping is not None:
        stepping = native_steps(setup.problem.stepping, setup.problem.n_states, kernels.stepping_codes())
        return NativeEngine(setup, None, kernels.events_code(), constrained=stepping, backend=kernels.backend)
    if setup.problem.constrained is not None:
        way, codes = setup.constraint_method, kernels.constrained_codes()
        constrained = NativeConstrained(setup.problem, codes, way, further=further)
        return NativeEngine(setup, None, constrained=constrained, backend=kernels.backend)
    return NativeEngine(setup, kernels.ode_code(), kernels.events_code(), backend=kernels.backend)


def _drive(
    engine: NativeEngine,
    setup: Setup,
    sampler: Sampler,
    watcher: EventWatcher,
    interrupt: Interrupt,
    bar: Progress,
    recorder: Recorder,
) -> _Ending:
    """Run segment by segment: from sample to sample, or from the start to the end."""
    armed, doing = False, ""
    try:
        while engine.t < setup.t_end:
            doing = "controller"
            sampler.sample(engine.t, engine.x)
            engine.begin(sampler.held, sampler.next_stop(setup.t_end))
            if not armed:
                doing = "transition"
                watcher.begin(engine, sampler.held)
                armed = True
            outcome = Outcome.YIELD
            while outcome is not Outcome.REACHED:
                outcome = engine.advance()
                doing = "transition"
                stopped_by = watcher.collect(engine, outcome)
                if stopped_by:
                    return _Ending("stopped", f"terminal event {stopped_by} at t = {engine.t:.9g} s")
                if Outcome.YIELD < outcome < Outcome.ACCUMULATED:
                    return _failure(engine, setup, outcome)
                doing = "watch function"
                recorder.pass_on()
                doing = "progress function"
                if not bar.update(engine.t) or interrupt.pressed:
                    raise KeyboardInterrupt
    except KeyboardInterrupt:
        return _Ending("interrupted", f"stopped by the user at t = {engine.t:.9g} s")
    except SimulationError as error:
        return _Ending("failed", str(error), error)
    except Exception as error:
        doing = f"controller {sampler.doing!r}" if doing == "controller" else doing
        return _Ending("failed", f"{doing} failed at t = {engine.t:.9g} s: {type(error).__name__}: {error}", error)
    return _Ending("completed")


def _failure(engine: NativeEngine, setup: Setup, outcome: Outcome) -> _Ending:
    problem, t, bad = setup.problem, engine.t, engine.bad
    names = problem.state_names
    culprit = "the equations of motion"
    if METHODS[setup.method].implicit and outcome is Outcome.DIVERGED and bad < 0:
        more = "" if problem.constrained is None else ", or its constraints could not be kept"
        cure = "" if METHODS[setup.method].adaptive else "; shorten it, or use AdaptiveMidpoint"
        return _Ending(
            "diverged",
            f"the iteration of the step of {engine.h_used:.3g} s from t = {t:.9g} s did not converge{more}: the step "
            f"is too long for forces that are neither modes nor springs{cure}",
        )
    if problem.constrained is not None and outcome is Outcome.DIVERGED and bad < 0:
        return _Ending(
            "diverged",
            f"the constraints could not be kept in the step of {engine.h_used:.3g} s from t = {t:.9g} s: the step is "
            "too long, or the machine is at a singular position or past the reach of its constraints",
        )
    if 0 <= bad < len(names) and not problem.counted[bad]:
        # A quadrature only follows the motion: blame the state that moves most.
        bad = int(np.argmax(np.where(problem.counted, np.abs(engine.x), -1.0)))
    if 0 <= bad < len(names):
        culprit = f"state {names[bad]!r}"
    elif bad >= len(names):
        culprit = f"the function of event {problem.event_specs[bad - len(names)].name!r}"
    if outcome is Outcome.EXHAUSTED:
        return _Ending("failed", f"max_steps = {setup.max_steps} reached at t = {t:.9g} s")
    if outcome is Outcome.DIVERGED:
        return _Ending(
            "diverged",
            f"{culprit} became infinite or not a number in the step of {engine.h_used:.3g} s from t = {t:.9g} s",
        )
    if outcome is Outcome.UNDERFLOW:
        return _Ending(
            "diverged",
            f"the step shrank below the resolution of time at t = {t:.9g} s, where {culprit} changes "
            "fastest; the solution diverges or jumps there",
        )
    return _Ending("failed", engine.message)


def _blame_step(ending: _Ending, setup: Setup, sampler: Sampler) -> _Ending:
    """Name the mode for which a fixed step is too long, if there is one, and a step that is not."""
    tableau = setup.tableau or METHODS[setup.method].tableau
    if ending.status != "diverged" or tableau is None or tableau.adaptive:
        return ending
    hint = too_long_for(setup.problem, tableau, setup.t0, setup.x0, sampler.held, setup.p, setup.step)
    return replace(ending, message=f"{ending.message}; {hint}") if hint else ending


def _blame_signal(
    ending: _Ending, engine: NativeEngine, setup: Setup, kernels: ProblemKernels, sampler: Sampler
) -> _Ending:
    """Name the signal, such as the effort of a motor, that is not finite where a run ends, if there is one.

    It checks the last state, and the states ahead of it within the step that failed.
    """
    engine.record()
    past, rows = engine.rows()
    t, x, h = engine.t, engine.x, engine.h_used
    earlier = max(0, int(np.searchsorted(past, t - max(h, 1e-6 * (t - setup.t0)), side="right")) - 1)
    slope = (x - rows[earlier]) / (t - past[earlier]) if past[earlier] < t else np.zeros_like(x)
    ahead = np.array([0.0, 0.5 * h, h, 1e-6 * (t - setup.t0), 1e-4 * (t - setup.t0)])
    times, states = t + ahead, x + ahead[:, None] * slope
    finite = np.isfinite(states).all(axis=1)
    times, states = times[finite], states[finite]
    held = np.broadcast_to(sampler.held, (len(times), len(sampler.held)))
    y = kernels.evaluate_signals(times, states, held, setup.p)
    for k, name in enumerate(setup.problem.signal_names):
        wrong = ~np.isfinite(y[:, k])
        if wrong.any() and not name.startswith("energy."):
            first = int(np.argmin(np.where(wrong, times, np.inf)))
            where = f"signal {name!r} is {y[first, k]} at t = {times[first]:.9g} s"
            return replace(ending, message=f"{where}; {ending.message}")
    return ending
