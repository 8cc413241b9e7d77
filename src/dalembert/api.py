"""The verbs of everyday use; those of the other rooms load when they are first asked for (see `dalembert`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile.kernel import Backend
from dalembert.core.errors import InputError, SimulationError
from dalembert.core.states import named_vector
from dalembert.core.types import StateLike
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.mapped import CoordinateMap
from dalembert.loop.closed_loop import Event, close_loop
from dalembert.loop.switching import Switch
from dalembert.model.machine import Machine
from dalembert.simulation.constrained.methods import ConstraintMethod
from dalembert.simulation.run import EndState, Run

if TYPE_CHECKING:
    from pathlib import Path
from dalembert.simulation.integrate import integrate

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
        differentiation) or ``"natural"`` (points and vectors of the bodies, with constraints).
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
    step: float = 1e-3,
    rtol: float = 1e-8,
    atol: ArrayLike = 1e-10,
    record: float | None = None,
    p: Mapping[str, float] | ArrayLike | None = None,
    t0: float = 0.0,
    start: Run | None = None,
    events: Sequence[Event] = (),
    limits: str = "record",
    on_event: Callable[..., Any] | None = None,
    progress: bool | Callable[[float], object] | None = None,
    by: str = "newton-euler",
    backend: Backend = "auto",
    constraints: str | ConstraintMethod | None = None,
    switches: Sequence[Switch] = (),
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
        None, constant inputs, an expression law such as `PD`, or a Python controller with a ``period``.
    method
        ``"rk4"`` and other fixed-step methods, ``"dopri5"`` (adaptive), ``"cvodes"`` or ``"idas"`` (stiff). None:
        ``"rk4"``, or the one that ``constraints`` brings along.
    step
        Step of fixed-step methods.
    rtol, atol
        Tolerances of adaptive methods.
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
        Show a progress bar; None: if the run takes longer than a moment and stderr is a terminal.
    by, backend
        As of `equations`.
    constraints
        How constraints are kept: an object with its settings (`Projection`, `Baumgarte`, `UdwadiaKalaba`, `Penalty`,
        `AugmentedLagrangian`, `GeneralizedAlpha`, `Idas`), or its name, such as ``"augmented-lagrangian"``. The last
        two bring their own integrator. None: as ``method`` does if it has a way of its own, else by projection.
    switches
        Constraints that are added and removed during the run.
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
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine, by, backend=backend)
    loop = close_loop(eom, control, events=events, limits=limits, switches=switches)
    report: dict[str, Any] = {}
    transition = on_event
    if loop.switching is not None:
        switching = loop.switching.for_run(eom.parameter_values(p), on_event)
        report["transitions"] = switching.log
        transition = switching if switching.needed else on_event
    x0: EndState | np.ndarray[Any, Any]
    if start is not None:
        if q0 is not None or v0 is not None:
            raise InputError("give either start (an earlier run) or q0 and v0, not both")
        if not isinstance(start, Run) or start.state_names != loop.problem.state_names:
            raise InputError(
                f"start must be a run with the states {', '.join(loop.problem.state_names)}, got {start!r}"
            )
        x0, t0 = start.final, start.final.t
    else:
        own = eom.machine
        q = named_vector(q0, own.q_names, own.q_neutral, "q0")
        _check_start(own, q)
        v = named_vector(v0, own.v_names, np.zeros(own.nv), "v0")
        q, v = eom.from_machine(q, v, p=p)
        x0 = np.concatenate([q, v, loop.z0, [0.0, 0.0]])
        if loop.switching is not None:
            x0, report["initial_projection"] = switching.prepare(x0, t0, reach)
    run = integrate(
        loop.problem,
        x0,
        eom.parameter_values(p),
        duration=duration,
        t0=t0,
        method=method,
        step=step,
        rtol=rtol,
        atol=atol,
        controller=loop.controller,
        record=record,
        progress=progress,
        on_event=transition,
        backend=eom.backend,
        constraints=constraints,
        max_step=max_step,
        max_steps=max_steps,
    )
    if eom.p_names:
        report["parameters"] = dict(zip(eom.p_names, eom.parameter_values(p).tolist(), strict=True))
    run = replace(run, metadata={**run.metadata, **report}, source=eom.machine)
    if check and run.status in ("diverged", "failed"):
        raise SimulationError(run.message, run)
    return run


def _check_start(machine: Machine, q: np.ndarray[Any, Any]) -> None:
    """Refuse to start where a limit would have stopped the run: the machine has no meaning there."""
    for joint in machine.joints:
        if joint.limits.stop and joint.name in machine.q_names:
            value = q[machine.q_names.index(joint.name)]
            if not joint.limits.lower <= value <= joint.limits.upper:
                raise InputError(
                    f"q0: {joint.name!r} of machine '{machine.name}' starts at {value:g}, outside of its range "
                    f"{joint.limits.lower:g} to {joint.limits.upper:g}, where a run must stop; give it a value within"
                )


def load_run(path: str | Path) -> Run:
    """Read a saved run."""
    return Run.load(path)
