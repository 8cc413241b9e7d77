"""One run of a machine: its equations and what acts on them as one problem, from its initial state, over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, SimulationError
from dalembert.core.states import named_vector
from dalembert.core.types import Array, StateLike
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.closed_loop import Event, close_loop
from dalembert.loop.switching import Switch
from dalembert.model.machine import Machine
from dalembert.simulation.integrate import integrate
from dalembert.simulation.run import EndState, Run
from dalembert.simulation.settings import Settings

__all__ = ["run_equations"]


def run_equations(
    eom: EquationsOfMotion,
    settings: Settings,
    *,
    q0: StateLike = None,
    v0: StateLike = None,
    p: Mapping[str, float] | ArrayLike | None = None,
    control: Any = None,
    start: Run | None = None,
    events: Sequence[Event] = (),
    switches: Sequence[Switch] = (),
    on_event: Callable[..., Any] | None = None,
    progress: bool | Callable[[float], object] | None = None,
    check: bool = True,
) -> Run:
    """Simulate; what is given besides equations and settings is as of `dalembert.simulate`."""
    loop = close_loop(eom, control, events=events, limits=settings.limits, switches=switches)
    report: dict[str, Any] = {}
    transition = on_event
    if loop.switching is not None:
        switching = loop.switching.for_run(eom.parameter_values(p), on_event)
        report["transitions"] = switching.log
        transition = switching if switching.needed else on_event
    x0: EndState | Array
    if start is not None:
        if q0 is not None or v0 is not None:
            raise InputError("give either start (an earlier run) or q0 and v0, not both")
        if not isinstance(start, Run) or start.state_names != loop.problem.state_names:
            raise InputError(
                f"start must be a run with the states {', '.join(loop.problem.state_names)}, got {start!r}"
            )
        x0 = start.final
    else:
        own = eom.machine
        q = named_vector(q0, own.q_names, own.q_neutral, "q0")
        _check_start(own, q)
        v = named_vector(v0, own.v_names, np.zeros(own.nv), "v0")
        q, v = eom.from_machine(q, v, p=p)
        x0 = np.concatenate([q, v, loop.z0, [0.0, 0.0]])
        if loop.switching is not None:
            x0, report["initial_projection"] = switching.prepare(x0, settings.t0, settings.reach)
    run = integrate(
        loop.problem,
        x0,
        eom.parameter_values(p),
        settings,
        controller=loop.controller,
        progress=progress,
        on_event=transition,
        backend=eom.backend,
    )
    if eom.p_names:
        report["parameters"] = dict(zip(eom.p_names, eom.parameter_values(p).tolist(), strict=True))
    run = replace(run, metadata={**run.metadata, **report}, source=eom.machine)
    if check and run.status in ("diverged", "failed"):
        raise SimulationError(run.message, run)
    return run


def _check_start(machine: Machine, q: Array) -> None:
    """Refuse to start where a limit would have stopped the run: the machine has no meaning there."""
    for joint in machine.joints:
        if joint.limits.stop and joint.name in machine.q_names:
            value = q[machine.q_names.index(joint.name)]
            if not joint.limits.lower <= value <= joint.limits.upper:
                raise InputError(
                    f"q0: {joint.name!r} of machine '{machine.name}' starts at {value:g}, outside of its range "
                    f"{joint.limits.lower:g} to {joint.limits.upper:g}, where a run must stop; give it a value within"
                )
