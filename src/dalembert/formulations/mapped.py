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


class _MappedModel:
    """The tree model seen through the map: what acts on the machine, in the new coordinates."""

    def __init__(self, owner: Mapped) -> None:
        self._owner = owner
        inner = owner.inner.model
        self.machine = inner.machine
        self.tree = inner.tree

    def coordinate_rates(self) -> Any:
        return self._owner.rates

    def frame_pose(self, name: str) -> tuple[Any, Any]:
        R, p = self._owner.inner.model.frame_pose(name)
        return self._owner.at(R), self._owner.at(p)

    @property
    def actuation(self) -> Any:
        return self._owner.project(self._owner.inner.model.actuation)

    @property
    def losses(self) -> Any:
        return self._owner.project(self._owner.inner.model.losses)


class Mapped:
    """A formulation in the coordinates ``y`` with ``q = f(y)``, ``v = E(y) w``, ``y' = rates(y, w)``."""

    def __init__(self, inner: Formulation, variables: Variables, q: Any, E: Any, rates: Any) -> None:
        self.inner = inner
        self.name = inner.name
        self.variables = variables
        self.q = q
        self.E = E
        self.rates = rates
        self.model = _MappedModel(self)

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

    def jacobian(self, frame: str) -> Any:
        """Jacobian of a frame's twist."""
        return self.at(self.inner.jacobian(frame)) @ self.E


def couple(inner: Formulation, machine: Machine) -> tuple[Formulation, Layout]:
    """Remove the coordinates of joints that follow others."""
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
    rates_inner = ca.Function("rates", [inner.variables.q, inner.variables.v], [inner.model.coordinate_rates()])
    rates_full = rates_inner(q_full, E @ variables.v)
    rows = [i for b in full.blocks if b.name in mine for i in range(b.q.start, b.q.stop)]
    return Mapped(inner, variables, q_full, E, rates_full[rows]), layout


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


def in_coordinates(inner: Formulation, machine: Machine, coordinates: CoordinateMap) -> tuple[Formulation, Layout]:
    """Wrap a formulation in the coordinates of a map."""
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
    return Mapped(inner, variables, q, E, variables.v), layout


def _symbols(layout: Layout) -> dict[str, Any]:
    return {
        "q": ca.SX.sym("y", layout.nq),
        "v": ca.SX.sym("w", layout.nv),
        "a": ca.SX.sym("a", layout.nv),
        "tau": ca.SX.sym("tau", layout.nv),
    }
