"""Forces along a run, where they act and which way: contacts, wrenches, thrusters."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from dalembert.compile import compile_function
from dalembert.core.parameter import evaluate
from dalembert.core.types import Array
from dalembert.core.validation import Vector
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.layout import Layout
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.view.baked import interpolated

__all__ = ["forces_of"]

_AXES = ("normal", "tangent1", "tangent2")


def forces_of(run: Run, machine: Machine, times: Array) -> dict[str, tuple[Array, Array]]:
    """Points (n, 3) and vectors [N] (n, 3) in the world of every force that a run knows, by name.

    Parameters
    ----------
    run
        A run of the machine.
    machine
        The machine.
    times
        The instants; one that stands twice is before and after a jump.
    """
    touching = any(f"force.{pair}.normal" in run for contact in machine.contacts for pair in contact.pairs)
    thrusters = [thruster for thruster in machine.thrusters if f"u.{thruster.name}" in run]
    if not (touching or thrusters or machine.wrenches):
        return {}
    eom = derive(machine, backend="vm")
    quaternions = [start for _, start in Layout.of_nodes(machine.coordinate_nodes).quaternions]
    q = interpolated(times, run.t, run.array(machine.q_names), quaternions)
    p = dict(run.metadata.get("parameters") or {}) or None
    values = {x.name: x.value for x in machine.parameters} | dict(p or {})

    def signal(name: str) -> Array:
        return interpolated(times, run.t, run[name][:, None], ())[:, 0]

    def world(frame: str, axes: str, force: Vector, factor: Array) -> tuple[Array, Array]:
        pose = np.asarray(eom.pose(frame, q, p=p))
        columns = [np.broadcast_to(np.asarray(evaluate(f, values, times), dtype=float), times.shape) for f in force]
        vector = factor[:, None] * np.stack(columns, axis=-1)
        if axes == "frame":
            vector = np.einsum("nij,nj->ni", pose[:, :3, :3], vector)
        return pose[:, :3, 3], vector

    arrows: dict[str, tuple[Array, Array]] = {}
    for wrench in machine.wrenches:
        arrows[wrench.name] = world(wrench.frame, wrench.axes, wrench.force, np.ones_like(times))
    for thruster in thrusters:
        u = signal(f"u.{thruster.name}")
        arrows[thruster.name] = world(thruster.frame, thruster.axes, thruster.force, u)
    if touching:
        arrows |= _contacts(eom, q, p, run, signal)
    return {name: both for name, both in arrows.items() if np.any(both[1]) and np.isfinite(both[1]).all()}


def _contacts(
    eom: EquationsOfMotion, q: Array, p: dict[str, float] | None, run: Run, signal: Callable[[str], Array]
) -> dict[str, tuple[Array, Array]]:
    system = eom.contact_system()
    x = system.variables
    names = [name for name in system.names if f"force.{name}.normal" in run]
    outputs = [ca.densify(system.points), ca.densify(ca.reshape(system.axes, -1, 1))]
    function = ca.Function("contacts", [x.q, x.p], outputs, ["q", "p"], ["points", "axes"])
    kernel = compile_function(function, backend="vm")
    points, axes = kernel(q, np.broadcast_to(eom.parameter_values(p), (len(q), len(eom.p_names))))
    points = np.asarray(points).reshape(len(q), system.k, 3)
    axes = np.asarray(axes).reshape(len(q), system.k, 3, 3)  # normal and tangents one after the other
    arrows = {}
    for name in names:
        k = system.names.index(name)
        # A run that locates its events has a tangent only where there is friction and something to move along it.
        signals = [f"force.{name}.{axis}" for axis in _AXES]
        parts = np.stack([signal(s) if s in run else np.zeros(len(q)) for s in signals], axis=-1)
        arrows[name] = (points[:, k], np.einsum("na,nai->ni", parts, axes[:, k]))
    return arrows
