"""Equations in other coordinates: any formulation, wrapped.

With ``q = f(y)`` and ``v = E(y) w`` the equations become ``E^T M E``, ``E^T (C E + M E')``, ``E^T (bias + M E' w)``.
The choice of
the Coriolis matrix keeps ``M' - 2 C`` skew. Two users: another choice of coordinates (`CoordinateMap`) and joints
that follow others (`couple`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.ports import Formulation
from dalembert.core.types import Array
from dalembert.formulations.base import FormulationBase
from dalembert.formulations.factorization import solve_spd
from dalembert.formulations.layout import Layout
from dalembert.formulations.variables import Variables
from dalembert.model.machine import Machine

__all__ = ["CoordinateMap", "Mapped", "couple", "in_coordinates", "tree_coordinates"]


@dataclass(frozen=True)
class CoordinateMap:
    """Another choice of coordinates for a machine without quaternions.

    Parameters
    ----------
    names
        Names of the new coordinates.
    to_machine
        Function that returns the machine's coordinates for the new ones; it gets a CasADi vector ``y`` and a mapping
        of the machine's parameters by name, and returns a vector (or a list) of expressions.
    from_machine
        Its inverse, on the same kinds of argument; needed only to convert states given in machine coordinates.
    """

    names: Sequence[str]
    to_machine: Callable[[Any, dict[str, Any]], Any]
    from_machine: Callable[[Any, dict[str, Any]], Any] | None = None


class Mapped(FormulationBase):
    """A formulation in the coordinates ``y`` with ``q = f(y)``, ``v = E(y) w``, ``y' = rates(y, w)``.

    Parameters
    ----------
    inner
        The formulation.
    variables, layout
        Symbols and names of the new coordinates.
    q, E, rates
        ``f(y)``, ``E(y)`` and the rates of ``y``.
    coordinates
        The map, where the new coordinates are not the machine's own.
    """

    def __init__(
        self,
        inner: Formulation,
        variables: Variables,
        layout: Layout,
        q: Any,
        E: Any,
        rates: Any,
        coordinates: CoordinateMap | None = None,
    ) -> None:
        self.inner = inner
        self.name = inner.name
        self.machine = inner.machine
        self.variables = variables
        self.layout = layout
        self.q = q
        self.E = E
        self.rates = rates
        self.coordinates = coordinates
        self.machine_coordinates = coordinates is None

    @cached_property
    def _drift(self) -> Any:
        """``E' w``."""
        return self._rate(self.E @ self.variables.v)

    def _rate(self, x: Any) -> Any:
        column = ca.jtimes(ca.densify(ca.vec(x)), self.variables.q, self.rates)
        return ca.reshape(column, *x.shape)

    def at(self, expression: Any, a: Any | None = None) -> Any:
        """An expression of the inner formulation at the mapped state (and the acceleration ``a``)."""
        x, y = self.inner.variables, self.variables
        a = self.E @ y.a + self._drift if a is None else a
        f = ca.Function("f", [x.q, x.v, x.a, x.u, x.t, x.p], [expression])
        return f(self.q, self.E @ y.v, a, y.u, y.t, y.p)

    def project(self, force: Any, a: Any | None = None) -> Any:
        """Generalised forces in the new coordinates."""
        return self.E.T @ self.at(force, a)

    def mass_matrix(self) -> Any:
        """``E^T M E``."""
        return self.E.T @ self.at(self.inner.mass_matrix()) @ self.E

    def coriolis_matrix(self) -> Any:
        """``E^T (C E + M E')``."""
        C, M = self.at(self.inner.coriolis_matrix()), self.at(self.inner.mass_matrix())
        return self.E.T @ (C @ self.E + M @ self._rate(self.E))

    def gravity(self) -> Any:
        """Gravity force."""
        return self.project(self.inner.gravity())

    def bias(self) -> Any:
        """``C w + dV/dy``."""
        return self.project(self.inner.inverse_dynamics(), self._drift)

    def inverse_dynamics(self) -> Any:
        """``M a + C w + dV/dy``."""
        return self.project(self.inner.inverse_dynamics())

    def forward_dynamics(self) -> Any:
        """Solution of ``M a = tau - bias`` by factorisation of the mass matrix."""
        return solve_spd(self.mass_matrix(), self.variables.tau - self.bias())

    def kinetic_energy(self) -> Any:
        """Kinetic energy."""
        return self.at(self.inner.kinetic_energy())

    def potential_energy(self) -> Any:
        """Potential energy."""
        return self.at(self.inner.potential_energy())

    def momentum(self) -> Any:
        """Momentum in world axes."""
        return self.at(self.inner.momentum())

    def center_of_mass(self) -> Any:
        """Centre of mass in the world."""
        return self.at(self.inner.center_of_mass())

    def actuation(self) -> Any:
        """Generalised forces of the motors."""
        return self.project(self.inner.actuation())

    def losses(self) -> Any:
        """Generalised forces of the losses."""
        return self.project(self.inner.losses())

    def coordinate_rates(self) -> Any:
        """Rates of the new coordinates."""
        return self.rates

    def frame_pose(self, frame: str) -> tuple[Any, Any]:
        """Pose (R, p) of a frame in the world."""
        R, p = self.inner.frame_pose(frame)
        return self.at(R), self.at(p)

    def jacobian(self, frame: str) -> Any:
        """Jacobian of a frame's twist."""
        return self.at(self.inner.jacobian(frame)) @ self.E

    def joint_coordinate(self, joint: str) -> Any:
        """Coordinate of a joint that has one."""
        return self.at(self.inner.joint_coordinate(joint))

    def joint_rate(self, joint: str) -> Any:
        """Rate of a joint that has one coordinate."""
        return self.at(self.inner.joint_rate(joint))

    def to_machine(self) -> tuple[Any, Any]:
        """Coordinates and velocities of the machine's own choice."""
        if self.coordinates is None:
            return super().to_machine()
        return self.q, self.E @ self.variables.v

    def from_machine(self, q: Any, v: Any, p: Any) -> tuple[Any, Any]:
        """Coordinates and velocities from the machine's own, which must be numbers."""
        if self.coordinates is None:
            return super().from_machine(q, v, p)
        if self.coordinates.from_machine is None:
            raise InputError("this choice of coordinates has no inverse: give CoordinateMap a from_machine")
        x = self.variables
        y = self.coordinates.from_machine(q, {name: p[i] for i, name in enumerate(x.names)})
        y = ca.DM(ca.vertcat(*y) if isinstance(y, list | tuple) else y)
        E = ca.Function("E", [x.q, x.p], [ca.densify(self.E)])(y, p)
        w = np.linalg.lstsq(E.full(), ca.DM(v).full()[:, 0], rcond=None)[0]
        return y, ca.DM(w)


def couple(inner: Formulation) -> Formulation:
    """Remove the coordinates of joints that follow others."""
    machine = inner.machine
    layout = Layout.of_nodes(machine.coordinate_nodes)
    full = Layout.of_nodes(machine.tree.nodes)
    variables = replace(inner.variables, **_symbols(layout))
    value = variables.value
    coupling = {c.joint: c for c in machine.couplings}
    mine = {b.name: b for b in layout.blocks}
    q: list[Any] = []
    E = ca.SX(full.nv, layout.nv)
    for block in full.blocks:
        rule = coupling.get(block.name)
        if rule is None:
            q.append(variables.q[mine[block.name].q])
            E[block.v, mine[block.name].v] = ca.SX.eye(block.v.stop - block.v.start)
        else:
            leader = mine[rule.leader]
            q.append(value(rule.ratio) * variables.q[leader.q] + value(rule.offset))
            E[block.v, leader.v] = value(rule.ratio)
    q_full = ca.vertcat(*q)
    rates_inner = ca.Function("rates", [inner.variables.q, inner.variables.v], [inner.coordinate_rates()])
    rates_full = rates_inner(q_full, E @ variables.v)
    rows = [i for b in full.blocks if b.name in mine for i in range(b.q.start, b.q.stop)]
    return Mapped(inner, variables, layout, q_full, E, rates_full[rows])


def tree_coordinates(machine: Machine, q: Array) -> Array:
    """Coordinates of the whole tree from those of the machine, at nominal parameters: what follows others filled in."""
    mine = {b.name: b for b in Layout.of_nodes(machine.coordinate_nodes).blocks}
    rules = {c.joint: c for c in machine.couplings}
    parts = []
    for block in Layout.of_nodes(machine.tree.nodes).blocks:
        rule = rules.get(block.name)
        if rule is None:
            parts.append(q[mine[block.name].q])
        else:
            parts.append(nominal(rule.ratio) * q[mine[rule.leader].q] + nominal(rule.offset))
    return np.concatenate(parts) if parts else np.zeros(0)


def in_coordinates(inner: Formulation, coordinates: CoordinateMap) -> Formulation:
    """Wrap a formulation in the coordinates of a map."""
    machine = inner.machine
    if not inner.minimal:
        raise InputError(f"{inner.name} coordinates are a choice of coordinates themselves: give no map with them")
    if Layout.of_nodes(machine.coordinate_nodes).quaternions or machine.couplings:
        raise InputError(f"machine '{machine.name}' has quaternions or coupled joints; a coordinate map needs neither")
    layout = Layout.plain(coordinates.names)
    variables = replace(inner.variables, **_symbols(layout))
    parameters = {name: variables.p[i] for i, name in enumerate(variables.names)}
    mapped = coordinates.to_machine(variables.q, parameters)
    q = ca.SX(ca.vertcat(*mapped) if isinstance(mapped, list | tuple) else mapped)
    if q.shape != (machine.nq, 1):
        raise InputError(
            f"the coordinate map must return {machine.nq} expressions ({', '.join(machine.q_names)}), got {q.shape[0]}"
        )
    E = ca.jacobian(q, variables.q)
    return Mapped(inner, variables, layout, q, E, variables.v, coordinates)


def _symbols(layout: Layout) -> dict[str, Any]:
    return {
        "q": ca.SX.sym("y", layout.nq),
        "v": ca.SX.sym("w", layout.nv),
        "a": ca.SX.sym("a", layout.nv),
        "tau": ca.SX.sym("tau", layout.nv),
    }
