"""Assembly by hand: the machine at a start while sliders and bodies are dragged, with loops closed or their gaps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import evaluate
from dalembert.core.types import Array
from dalembert.formulations.constraints.assembly import assembled_start
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.experiment import Experiment, values_by_name
from dalembert.loop.postures import posture
from dalembert.loop.start import Start
from dalembert.model.constraints import DistanceConstraint
from dalembert.model.machine import Machine
from dalembert.view.page.packing import pack_machine

__all__ = ["dragged", "posed"]

_OPEN = 1e-6  # metres
_ROUNDS = 12  # steps of a drag
_DAMPING = 1e-3  # of a step, relative to the square of the lever
_LONGEST = 0.3  # largest change of a coordinate in a step


def posed(experiment: Experiment) -> dict[str, Any]:
    """The machine at the start of an experiment: its film, all coordinates, and the loops that do not close."""
    machine, p = experiment.machine, values_by_name(experiment)["p"] or None
    q = _all(machine, posture(experiment))
    eom = experiment.replace(backend="vm").equations.in_machine_coordinates()
    gaps = _gaps(eom, q, p) if machine.constrained else []
    # An array is drawn as it is; a mapping would be assembled, or refused.
    return {"film": pack_machine(machine, q, p), "q": dict(zip(machine.q_names, q.tolist(), strict=True)), "gaps": gaps}


def dragged(experiment: Experiment, body: object, target: object) -> dict[str, Any]:
    """The machine with a body as near to a place as its joints and loops allow.

    Damped least squares on the position of the body; after each step the loops are closed again. Flexible bodies keep
    their bending.

    Parameters
    ----------
    experiment
        The experiment.
    body
        Name of the body.
    target
        Place of its centre of mass in the world (3).
    """
    machine, start = experiment.machine, experiment.start
    if not isinstance(start, Start):
        raise InputError("a run that continues another one has no start to drag")
    if not isinstance(body, str) or body not in {one.name for one in machine.bodies}:
        raise UnknownNameError("body", str(body), [one.name for one in machine.bodies])
    numbers = isinstance(target, list) and all(isinstance(x, int | float) for x in target)
    place = np.asarray(target if numbers else [], dtype=float)
    if place.shape != (3,) or not np.isfinite(place).all():
        raise InputError(f"the place of a drag must be three finite numbers, got {target!r}")
    eom = experiment.replace(backend="vm").equations.in_machine_coordinates()
    p = values_by_name(experiment)["p"] or None
    q = _all(machine, posture(experiment))
    com = np.array([_number(eom, x, p) for x in getattr(machine.body(body), "com", (0.0, 0.0, 0.0))])
    rigid = {name for joint in machine.joints for name in joint.v_names}
    moving = np.array([name in rigid for name in machine.v_names])
    for _ in range(_ROUNDS):
        pose, twist = eom.pose(body, q, p=p), eom.jacobian(body, q, axes="world", p=p)
        lever = pose[:3, :3] @ com
        J = (twist[:3] + np.cross(twist[3:].T, lever).T) * moving  # of the centre of mass: v + w x r
        error = place - pose[:3, 3] - lever
        if np.linalg.norm(error) < 1e-9:
            break
        damping = _DAMPING * max(float(np.max(np.sum(J**2, axis=1))), 1e-12)
        step = J.T @ np.linalg.solve(J @ J.T + damping * np.eye(3), error)
        step *= min(1.0, _LONGEST / max(float(np.abs(step).max()), 1e-12))
        q = _closed(eom, _limited(machine, eom.integrate(q, step)), start, p)
    film = pack_machine(machine, q, p)
    named = dict(zip(machine.q_names, q.tolist(), strict=True))
    return {"film": film, "q": named, "gaps": _gaps(eom, q, p) if machine.constrained else []}


def _all(machine: Machine, named: Mapping[str, float]) -> Array:
    neutral = dict(zip(machine.q_names, machine.q_neutral.tolist(), strict=True))
    return np.array([float(named.get(name, neutral[name])) for name in machine.q_names])


def _limited(machine: Machine, q: Array) -> Array:
    """Coordinates within the limits of their joints."""
    limits = {joint.name: joint.limits for joint in machine.joints}
    low, high = (
        np.array([float(getattr(limits[name], end)) if name in limits else default for name in machine.q_names])
        for end, default in (("lower", -np.inf), ("upper", np.inf))
    )
    return np.clip(q, low, high)


def _closed(eom: EquationsOfMotion, q: Array, start: Start, p: Mapping[str, float] | None) -> Array:
    """The assembly nearest to given coordinates; the coordinates where there is none."""
    machine = eom.machine
    if not machine.constrained:
        return q
    near = dict(zip(machine.q_names, q.tolist(), strict=True))
    try:
        return assembled_start(eom, None, t=start.t, p=eom.parameter_values(p), branch=near)[0]
    except InputError:
        return q


def _gaps(eom: EquationsOfMotion, q: Array, p: Mapping[str, float] | None) -> list[dict[str, Any]]:
    """Loops whose frames are apart: name, both ends, and by how much [m]."""
    found = []
    for constraint in eom.machine.constraints:
        frames = constraint.frames
        if len(frames) != 2 or not constraint.active:
            continue
        a, b = (eom.pose(frame, q, p=p)[:3, 3] if frame != "world" else np.zeros(3) for frame in frames)
        apart = float(np.linalg.norm(b - a))
        if isinstance(constraint, DistanceConstraint):
            apart = abs(apart - float(_number(eom, constraint.length, p)))
        elif type(constraint).__name__ in ("ParallelConstraint", "OrthogonalConstraint"):
            continue
        if apart > _OPEN:
            found.append({"name": constraint.name, "from": a.tolist(), "to": b.tolist(), "gap": apart})
    return found


def _number(eom: EquationsOfMotion, x: Any, p: Mapping[str, float] | None) -> float:
    values = dict(zip(eom.p_names, eom.parameter_values(p).tolist(), strict=True))
    return float(evaluate(x, values))
