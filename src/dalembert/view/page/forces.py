"""Forces along a run, where they act and which way: contacts, wrenches, thrusters."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.compile import compile_function
from dalembert.core.types import Array
from dalembert.core.validation import Vector
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.layout import Layout
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.view.baked import interpolated

__all__ = ["DrawnForce", "drawn_forces", "forces_of"]

_AXES = ("normal", "tangent1", "tangent2")


@dataclass(frozen=True, eq=False)
class DrawnForce:
    """A force as an expression of the coordinates, of time and of the parameters.

    Parameters
    ----------
    name
        Name of the contact pair, wrench or thruster.
    point
        Where it acts, in the world.
    axes
        Vectors in the world [N per unit of the signal], each with the name of the signal that it is multiplied with;
        an empty name: with one. The force is their sum.
    """

    name: str
    point: ca.SX
    axes: tuple[tuple[ca.SX, str], ...]


def drawn_forces(eom: EquationsOfMotion, signals: Collection[str]) -> list[DrawnForce]:
    """Forces that are known where a run has these signals.

    Parameters
    ----------
    eom
        Equations in the machine's own coordinates.
    signals
        Names.
    """
    machine, formulation = eom.machine, eom.formulation
    x = formulation.variables

    def world(frame: str, axes: str, force: Vector) -> tuple[ca.SX, ca.SX]:
        R, point = formulation.frame_pose(frame)
        vector = ca.vertcat(*[ca.SX(x.value(f)) for f in force])
        return ca.SX(point), ca.SX(R) @ vector if axes == "frame" else vector

    forces = []
    for wrench in machine.wrenches:
        point, vector = world(wrench.frame, wrench.axes, wrench.force)
        forces.append(DrawnForce(wrench.name, point, ((vector, ""),)))
    for thruster in machine.thrusters:
        if (signal := f"u.{thruster.name}") in signals:
            point, vector = world(thruster.frame, thruster.axes, thruster.force)
            vector = vector if thruster.toward is None else eom.symbolic.pull(thruster)
            forces.append(DrawnForce(thruster.name, point, ((vector, signal),)))
    pairs = [name for contact in machine.contacts for name in contact.pairs if f"force.{name}.normal" in signals]
    if pairs:
        system = eom.contact_system()
        axes = ca.reshape(system.axes, 3, -1)  # normal and tangents one after the other
        for name in pairs:
            k = system.names.index(name)
            # A run that locates its events has a tangent only where there is friction and something to move along it.
            known = [(i, f"force.{name}.{axis}") for i, axis in enumerate(_AXES) if f"force.{name}.{axis}" in signals]
            columns = tuple((ca.SX(axes[:, 3 * k + i]), signal) for i, signal in known)
            forces.append(DrawnForce(name, ca.SX(system.points[3 * k : 3 * k + 3]), columns))
    return forces


def forces_of(run: Run, machine: Machine, times: Array, *, idle: bool = False) -> dict[str, tuple[Array, Array]]:
    """Points (n, 3) and vectors [N] (n, 3) in the world of every force that a run knows, by name.

    Parameters
    ----------
    run
        A run of the machine.
    machine
        The machine.
    times
        The instants; one that stands twice is before and after a jump.
    idle
        Whether forces that are zero throughout are there too.
    """
    if not (machine.contacts or machine.thrusters or machine.wrenches):
        return {}
    eom = derive(machine, backend="vm")
    forces = drawn_forces(eom, run.names)
    if not forces:
        return {}
    quaternions = [start for _, start in Layout.of_nodes(machine.coordinate_nodes).quaternions]
    q = interpolated(times, run.t, run.array(machine.q_names), quaternions)
    p = dict(run.metadata.get("parameters") or {}) or None
    x = eom.formulation.variables
    outputs = [ca.densify(ca.vertcat(f.point, *(vector for vector, _ in f.axes))) for f in forces]
    names = [f"out{k}" for k in range(len(forces))]
    function = ca.Function("forces", [x.q, x.t, x.p], ca.cse(outputs), ["q", "t", "p"], names)
    shapes = {name: (1 + len(f.axes), 3) for name, f in zip(names, forces, strict=True)}
    kernel = compile_function(_rows(function, shapes), backend="vm", shapes={**shapes, "t": ()})
    values = kernel(q, times, np.broadcast_to(eom.parameter_values(p), (len(q), len(eom.p_names))))
    arrows = {}
    for force, rows in zip(forces, values if isinstance(values, tuple) else (values,), strict=True):
        factors = [
            interpolated(times, run.t, run[signal][:, None], ())[:, 0] if signal else np.ones(len(q))
            for _, signal in force.axes
        ]
        vector = sum((u[:, None] * rows[:, 1 + k] for k, u in enumerate(factors)), np.zeros((len(q), 3)))
        if (idle or np.any(vector)) and np.isfinite(vector).all():
            arrows[force.name] = (rows[:, 0], vector)
    return arrows


def _rows(function: ca.Function, shapes: dict[str, tuple[int, int]]) -> ca.Function:
    """Columns of a function as matrices of these shapes, row by row."""
    x = [ca.SX.sym(function.name_in(k), function.sparsity_in(k)) for k in range(function.n_in())]
    outputs = [ca.reshape(column, n, m).T for column, (m, n) in zip(function.call(x), shapes.values(), strict=True)]
    return ca.Function(function.name(), x, outputs, function.name_in(), function.name_out())
