"""The verbs of everyday use; those of the other rooms load when they are first asked for (see `dalembert`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from dalembert.compile.kernel import Backend
from dalembert.core.errors import InputError
from dalembert.core.types import StateLike
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.mapped import CoordinateMap
from dalembert.loop.closed_loop import Event
from dalembert.loop.simulate import run_equations
from dalembert.loop.switches import Switch
from dalembert.model.machine import Machine
from dalembert.model.signals import Sensor, Signal
from dalembert.simulation.constrained.methods import ConstraintMethod
from dalembert.simulation.contact.methods import ContactMethod
from dalembert.simulation.run import Run
from dalembert.simulation.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["equations", "load_run", "simulate"]


def equations(
    machine: Machine,
    by: str = "newton-euler",
    *,
    coordinates: CoordinateMap | None = None,
    backend: Backend = "auto",
    **options: Any,
) -> EquationsOfMotion:
    """Derive the equations of motion of a machine.

    Parameters
    ----------
    machine
        The machine.
    by
        The formulation: ``"newton-euler"`` (fast recursions), ``"lagrange"`` (energies and automatic
        differentiation), ``"gibbs-appell"`` (acceleration energy) or ``"natural"`` (points and vectors of the bodies,
        with constraints).
    coordinates
        Another choice of coordinates.
    backend
        ``"auto"``, ``"native"`` or ``"vm"``: how functions are compiled.
    options
        Options of the formulation. ``"newton-euler"`` has ``approximation``, which terms of the motion of flexible
        bodies it keeps: ``"flex"`` (all of them), ``"flex-M"`` (constant mass matrices), ``"flex-MA"`` (also twist
        propagation), ``"flex-MR"`` (also rotations).

    Examples
    --------
    >>> import dalembert as da
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 2.0, com=(0, 0, -0.5))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
    ... )
    >>> da.equations(pendulum).mass_matrix([0.3])
    array([[0.5]])
    """
    return derive(machine, by, coordinates=coordinates, backend=backend, **options)


def simulate(
    machine: Machine | EquationsOfMotion,
    *,
    duration: float,
    q0: StateLike = None,
    v0: StateLike = None,
    control: Any = None,
    method: str | None = None,
    step: float | None = None,
    rtol: float | None = None,
    atol: ArrayLike | None = None,
    record: float | None = None,
    p: Mapping[str, float] | ArrayLike | None = None,
    t0: float = 0.0,
    start: Run | None = None,
    events: Sequence[Event] = (),
    limits: str = "record",
    on_event: Callable[..., Any] | None = None,
    progress: bool | Callable[[float], object] | None = None,
    watch: Callable[[Run], object] | None = None,
    by: str = "newton-euler",
    backend: Backend = "auto",
    constraints: str | Mapping[str, Any] | ConstraintMethod | None = None,
    contact: str | Mapping[str, Any] | ContactMethod | None = None,
    switches: Sequence[Switch] = (),
    signals: Sequence[Signal] = (),
    sensors: Sequence[Sensor] = (),
    seed: int = 0,
    member: int = 0,
    reach: float = 0.1,
    check: bool = True,
    max_step: float | None = None,
    max_steps: int = 10_000_000,
) -> Run:
    """Simulate a machine.

    Parameters
    ----------
    machine
        The machine, or equations of motion derived from it.
    duration
        Seconds to simulate.
    q0, v0
        Initial coordinates and velocities in the machine's own coordinates: numbers, or a mapping of names to numbers
        (the others are neutral and zero).
    control
        None, constant inputs, an expression law such as `PD`, a Python controller with a ``period``, a law that is
        `dalembert.control.Sampled`, or a `dalembert.control.Cascade`.
    method
        ``"rk4"`` and other fixed-step methods, ``"dopri5"`` or ``"dop853"`` (adaptive), ``"cvodes"`` or ``"idas"``
        (stiff). None: ``"rk4"``, or the one that ``constraints`` brings along.
    step
        Step of fixed-step methods; None: 1e-3 s.
    rtol, atol
        Tolerances of adaptive methods, ``atol`` also one per state; None: 1e-8 and 1e-10.
    record
        Interval of the recorded rows; None: every step.
    p
        Parameter values, overriding the nominal ones.
    t0
        Initial time.
    start
        An earlier run of the same machine to go on from, instead of ``q0``, ``v0`` and ``t0``.
    events
        User-defined events.
    limits
        What to do at joint limits: ``"record"``, ``"stop"`` or ``"ignore"``.
    on_event
        Called as ``on_event(t, x, names)`` at located events; may return a new state.
    progress
        Show a progress bar; None: if the run takes longer than a moment and stderr is a terminal. A function is called
        with the fraction done instead; if it returns False, the run ends there as ``"interrupted"``.
    watch
        Called some ten times a second with the rows that are new, as a run with the status ``"running"``: to draw
        curves while they grow.
    by, backend
        As of `equations`.
    constraints
        How constraints are kept: an object with its settings (`Projection`, `Baumgarte`, `UdwadiaKalaba`, `Penalty`,
        `AugmentedLagrangian`, `GeneralizedAlpha`, `Idas`), or its name, such as ``"augmented-lagrangian"``. The last
        two bring their own integrator. None: as ``method`` does if it has a way of its own, else by projection.
    contact
        How contacts are dealt with: `TimeStepping` with its settings, or its name ``"time-stepping"``; None, or
        ``"event-driven"``: event by event.
    switches
        Constraints that are added and removed during the run.
    signals, sensors
        Signals and sensors besides those of the machine.
    seed, member
        Of the noise of sensors: a seed, and the number of the member of a rollout whose noise it is.
    reach
        Largest violation of a constraint from which the initial state is still projected.
    check
        Raise `SimulationError` (with the good part as ``run``) if the simulation diverges or fails; False: return the
        run.
    max_step
        Longest step of adaptive methods.
    max_steps
        Number of steps after which the run fails.

    Returns
    -------
    Run
        Time histories, events, energy audit and status.

    Examples
    --------
    >>> import dalembert as da
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 1.0, com=(0, 0, -1.0))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
    ... )
    >>> run = da.simulate(pendulum, duration=1.0, q0={"theta": 0.1})
    >>> run.status, run.energy.drift < 1e-9
    ('completed', True)
    """
    settings = Settings(
        duration=duration,
        t0=t0,
        method=method,
        step=step,
        rtol=rtol,
        atol=atol,
        max_step=max_step,
        max_steps=max_steps,
        record=record,
        constraints=constraints,
        reach=reach,
        limits=limits,
        contact=contact,
        seed=seed,
        member=member,
    )
    if not isinstance(check, bool):
        raise InputError(f"check must be true or false, got {check!r}")
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise InputError(f"progress must be true, false, None or a function of the time, got {progress!r}")
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine, by, backend=backend)
    return run_equations(
        eom,
        settings,
        q0=q0,
        v0=v0,
        p=p,
        control=control,
        start=start,
        events=events,
        switches=switches,
        signals=signals,
        sensors=sensors,
        on_event=on_event,
        progress=progress,
        watch=watch,
        check=check,
    )


def load_run(path: str | Path) -> Run:
    """Read a saved run."""
    return Run.load(path)
