"""Equations in other coordinates: any formulation, wrapped.

With ``q = f(y)`` and ``v = E(y) w`` the equations become ``E^T M E``, ``E^T (C E + M E')``, ``E^T (bias + M E' w)``.
The choice of
the Coriolis matrix keeps ``M' - 2 C`` skew. Two users: another choice of coordinates (`CoordinateMap`) and joints
that follow others (`couple`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar, cast, overload

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.ports import Formulation
from dalembert.core.types import Array, Expression, ExpressionLike
from dalembert.formulations.base import FormulationBase
from dalembert.formulations.factorization import solve_spd
from dalembert.formulations.layout import Layout
from dalembert.formulations.variables import Variables
from dalembert.model.machine import Machine

__all__ = ["CoordinateMap", "Mapped", "couple", "in_coordinates", "in_machine_coordinates", "tree_coordinates"]


MapFunction = Callable[[Expression, dict[str, Expression]], Expression | Sequence[Expression | float]]
"""Function of a vector of coordinates and of the parameters by name; it gets symbols, or numbers (``ca.DM``)."""

Column = TypeVar("Column", bound=ca.SX | ca.DM)


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
        Its inverse, on the same kinds of argument; needed only to convert states given in machine coordinates. That it
        is the inverse, and that the map is not singular, is checked at random states.
    singular
        Postures that the coordinates do not have, by name: functions of the same arguments as ``to_machine`` that are
        positive elsewhere and reach zero just before. No run starts there, and one that comes there stops by this name.

    Examples
    --------
    >>> import dalembert as da
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 2.0, com=(0, 0, -0.5))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis="y")],
    ... )
    >>> degrees = da.CoordinateMap(["angle"], lambda y, p: y * 3.141592653589793 / 180)
    >>> da.equations(pendulum, coordinates=degrees).q_names
    ('angle',)
    """

    names: Sequence[str]
    to_machine: MapFunction
    from_machine: MapFunction | None = None
    singular: Mapping[str, MapFunction] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        names = () if isinstance(self.names, str) or not isinstance(self.names, Iterable) else tuple(self.names)
        if not names or not all(isinstance(n, str) and n for n in names) or len(set(names)) < len(names):
            raise InputError(f"names of a CoordinateMap must be a list of different names, got {self.names!r}")
        object.__setattr__(self, "names", names)
        for which in ("to_machine", "from_machine"):
            function = getattr(self, which)
            if not callable(function) and (which == "to_machine" or function is not None):
                raise InputError(f"{which} of a CoordinateMap must be a function of (y, parameters), got {function!r}")
        if not isinstance(self.singular, Mapping) or not all(map(callable, self.singular.values())):
            raise InputError(
                f"singular of a CoordinateMap must map names to functions of (y, parameters), got {self.singular!r}"
            )

    def call(self, which: str, x: Column, parameters: Mapping[str, ExpressionLike | float], n: int) -> Column:
        """Result of ``to_machine``, ``from_machine`` or a singular posture, as a column of ``n``."""
        try:
            function: Callable[..., Any] = self.singular.get(which) or getattr(self, which)
            components = function(x, parameters)
            column = ca.vertcat(*components) if isinstance(components, list | tuple) else components
            column = (ca.SX if isinstance(x, ca.SX) else ca.DM)(column)
        except Exception as error:
            reason = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
            raise InputError(f"{which} of the CoordinateMap ({', '.join(self.names)}) fails: {reason}") from error
        if column.shape != (n, 1):
            raise InputError(
                f"{which} of the CoordinateMap ({', '.join(self.names)}) must return {n} expressions, "
                f"got {column.shape[0]}"
            )
        return cast(Column, column)


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
        q: Expression,
        E: Expression,
        rates: Expression,
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

    def singularities(self) -> list[tuple[str, Expression]]:
        """Postures that the coordinates of the map do not have."""
        if self.coordinates is None:
            return []
        x = self.variables
        parameters = {name: x.p[i] for i, name in enumerate(x.names)}
        return [(name, self.coordinates.call(name, x.q, parameters, 1)) for name in self.coordinates.singular]

    @cached_property
    def _drift(self) -> Expression:
        """``E' w``."""
        return self._rate(self.E @ self.variables.v)

    def _rate(self, x: Expression) -> Expression:
        column = ca.jtimes(ca.densify(ca.vec(x)), self.variables.q, self.rates)
        return ca.reshape(column, *x.shape)

    def at(self, expression: Expression, a: Expression | None = None) -> Expression:
        """An expression of the inner formulation at the mapped state (and the acceleration ``a``)."""
        x, y = self.inner.variables, self.variables
        a = self.E @ y.a + self._drift if a is None else a
        f = ca.Function("f", [x.q, x.v, x.a, x.u, x.t, x.p], [expression])
        return f(self.q, self.E @ y.v, a, y.u, y.t, y.p)

    def project(self, force: Expression, a: Expression | None = None) -> Expression:
        """Generalised forces in the new coordinates."""
        return self.E.T @ self.at(force, a)

    def mass_matrix(self) -> Expression:
        """``E^T M E``."""
        return self.E.T @ self.at(self.inner.mass_matrix()) @ self.E

    def coriolis_matrix(self) -> Expression:
        """``E^T (C E + M E')``."""
        C, M = self.at(self.inner.coriolis_matrix()), self.at(self.inner.mass_matrix())
        return self.E.T @ (C @ self.E + M @ self._rate(self.E))

    def gravity(self) -> Expression:
        """Gravity force."""
        return self.project(self.inner.gravity())

    def bias(self) -> Expression:
        """``C w + dV/dy``."""
        return self.project(self.inner.inverse_dynamics(), self._drift)

    def inverse_dynamics(self) -> Expression:
        """``M a + C w + dV/dy``."""
        return self.project(self.inner.inverse_dynamics())

    def forward_dynamics(self) -> Expression:
        """Solution of ``M a = tau - bias`` by factorisation of the mass matrix."""
        return solve_spd(self.mass_matrix(), self.variables.tau - self.bias())

    def kinetic_energy(self) -> Expression:
        """Kinetic energy."""
        return self.at(self.inner.kinetic_energy())

    def potential_energy(self) -> Expression:
        """Potential energy."""
        return self.at(self.inner.potential_energy())

    def momentum(self) -> Expression:
        """Momentum in world axes."""
        return self.at(self.inner.momentum())

    def center_of_mass(self) -> Expression:
        """Centre of mass in the world."""
        return self.at(self.inner.center_of_mass())

    def actuation(self) -> Expression:
        """Generalised forces of the motors."""
        return self.project(self.inner.actuation())

    def losses(self) -> Expression:
        """Generalised forces of the losses."""
        return self.project(self.inner.losses())

    def coordinate_rates(self) -> Expression:
        """Rates of the new coordinates."""
        return self.rates

    def frame_pose(self, frame: str) -> tuple[Expression, Expression]:
        """Pose (R, p) of a frame in the world."""
        R, p = self.inner.frame_pose(frame)
        return self.at(R), self.at(p)

    def jacobian(self, frame: str) -> Expression:
        """Jacobian of a frame's twist."""
        return self.at(self.inner.jacobian(frame)) @ self.E

    def joint_coordinate(self, joint: str) -> Expression:
        """Coordinate of a joint that has one."""
        return self.at(self.inner.joint_coordinate(joint))

    def joint_rate(self, joint: str) -> Expression:
        """Rate of a joint that has one coordinate."""
        return self.at(self.inner.joint_rate(joint))

    def to_machine(self) -> tuple[Expression, Expression]:
        """Coordinates and velocities of the machine's own choice."""
        if self.coordinates is None:
            return super().to_machine()
        return self.q, self.E @ self.variables.v

    def from_machine(
        self, q: ExpressionLike, v: ExpressionLike, p: ExpressionLike
    ) -> tuple[ExpressionLike, ExpressionLike]:
        """Coordinates and velocities from the machine's own, which must be numbers."""
        if self.coordinates is None:
            return super().from_machine(q, v, p)
        if q.shape[1] > 1:
            each = [self.from_machine(*(a[:, k] for a in (q, v, p))) for k in range(q.shape[1])]
            return ca.horzcat(*(one for one, _ in each)), ca.horzcat(*(two for _, two in each))
        if self.coordinates.from_machine is None:
            raise InputError("this choice of coordinates has no inverse: give CoordinateMap a from_machine")
        x = self.variables
        parameters = {name: p[i] for i, name in enumerate(x.names)}
        y = self.coordinates.call("from_machine", ca.DM(q), parameters, self.layout.nq)
        back, E = ca.Function("map", [x.q, x.p], [ca.densify(self.q), ca.densify(self.E)])(y, ca.DM(p))
        names = ", ".join(self.coordinates.names)
        for posture in self.coordinates.singular:
            if float(self.coordinates.call(posture, y, parameters, 1)) <= 0.0:
                raise InputError(
                    f"the CoordinateMap ({names}) is singular at this state of machine '{self.machine.name}' "
                    f"({posture}): {', '.join(self.machine.q_names)} = {_listed(q)}"
                )
        if not np.isfinite(back.full()).all() or not np.isfinite(E.full()).all():
            raise InputError(
                f"the CoordinateMap ({names}) is singular at this state of machine '{self.machine.name}': "
                f"{', '.join(self.machine.q_names)} = {_listed(q)}"
            )
        if not _same(self.machine, back.full()[:, 0], ca.DM(q).full()[:, 0]):
            raise InputError(
                f"the CoordinateMap ({names}) does not map back to this state of machine '{self.machine.name}': "
                f"{', '.join(self.machine.q_names)} = {_listed(q)} became {_listed(back)}"
            )
        rates = ca.DM(v).full()[:, 0]
        w, _, rank, _ = np.linalg.lstsq(E.full(), rates, rcond=1e-12)
        if rank < len(w) and not np.allclose(E.full() @ w, rates, rtol=1e-9, atol=1e-12 * (1 + np.abs(rates).max())):
            raise InputError(
                f"the CoordinateMap ({names}) is singular at {_listed(y)}: it cannot represent these velocities"
            )
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
    q: list[Expression] = []
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


@overload
def tree_coordinates(
    machine: Machine, q: Expression, value: Callable[[Scalar], Expression | float] = nominal
) -> Expression: ...
@overload
def tree_coordinates(
    machine: Machine, q: Array | ca.DM, value: Callable[[Scalar], Expression | float] = nominal
) -> ca.DM: ...
def tree_coordinates(
    machine: Machine, q: ExpressionLike, value: Callable[[Scalar], Expression | float] = nominal
) -> ExpressionLike:
    """Coordinates of the whole tree from those of the machine: joints that follow others filled in.

    Parameters
    ----------
    machine
        The machine.
    q
        Its coordinates: numbers or symbols.
    value
        Value of a parameter; by default its nominal value.
    """
    mine = {b.name: b for b in Layout.of_nodes(machine.coordinate_nodes).blocks}
    rules = {c.joint: c for c in machine.couplings}
    parts = []
    for block in Layout.of_nodes(machine.tree.nodes).blocks:
        rule = rules.get(block.name)
        if rule is None:
            parts.append(q[mine[block.name].q])
        else:
            parts.append(value(rule.ratio) * q[mine[rule.leader].q] + value(rule.offset))
    return ca.vertcat(*parts) if parts else ca.DM.zeros(0, 1)


def in_coordinates(inner: Formulation, coordinates: CoordinateMap) -> Formulation:
    """Wrap a formulation in the coordinates of a map."""
    machine = inner.machine
    if not isinstance(coordinates, CoordinateMap):
        raise InputError(f"coordinates must be a CoordinateMap, got {coordinates!r}")
    if not inner.minimal:
        raise InputError(f"{inner.name} coordinates are already a choice of coordinates: leave out the map")
    if Layout.of_nodes(machine.coordinate_nodes).quaternions or machine.couplings:
        raise InputError(f"machine '{machine.name}' has quaternions or coupled joints; a coordinate map needs neither")
    layout = Layout.plain(coordinates.names)
    variables = replace(inner.variables, **_symbols(layout))
    parameters = {name: variables.p[i] for i, name in enumerate(variables.names)}
    if len(coordinates.names) > machine.nq:
        raise InputError(
            f"the CoordinateMap must have at most the {machine.nq} coordinates of machine '{machine.name}' "
            f"({', '.join(machine.q_names)}), got {len(coordinates.names)}: {', '.join(coordinates.names)}"
        )
    q = coordinates.call("to_machine", variables.q, parameters, machine.nq)
    E = ca.jacobian(q, variables.q)
    _check_map(machine, coordinates, variables, q, E)
    return Mapped(inner, variables, layout, q, E, variables.v, coordinates)


def _same(machine: Machine, one: Array, two: Array) -> bool:
    """Whether two configurations are the same, angles up to whole turns."""
    turning = np.array([n.joint.kind == "revolute" for n in machine.coordinate_nodes for _ in n.q_names])
    gap = one - two
    gap = np.where(turning, gap - 2 * np.pi * np.round(gap / (2 * np.pi)), gap)
    return bool(np.all(np.abs(gap) <= 1e-8 * (1.0 + np.abs(two))))


def _listed(x: ExpressionLike) -> str:
    return f"({', '.join(f'{value:g}' for value in ca.DM(x).full()[:, 0])})"


def _check_map(
    machine: Machine, coordinates: CoordinateMap, variables: Variables, q: Expression, E: Expression
) -> None:
    """Refuse a map that is singular, or not undone by its inverse, at most of the neutral and 15 random states.

    Not at any one of them: a map may have singular points, and choose one of two branches (an elbow up or down).
    """
    p = machine.p_nominal
    parameters = dict(zip(variables.names, p.tolist(), strict=True))
    free = ca.Function("map", [variables.q, variables.p], [q], {"allow_free": True}).free_sx()
    label = f"the CoordinateMap ({', '.join(coordinates.names)}) of machine '{machine.name}'"
    if free:
        raise InputError(f"{label} contains unknown symbols: {', '.join(map(str, free))}")
    both = ca.Function("map", [variables.q, variables.p], [ca.densify(q), ca.densify(E)])
    rng = np.random.default_rng(0)
    n, inverse = len(coordinates.names), coordinates.from_machine is not None
    states = [machine.q_neutral, *(0.5 * rng.normal(size=(15, machine.nq)) + machine.q_neutral)]
    regular, undone, example = 0, 0, ""
    for state in states:
        if n < machine.nq:  # fewer coordinates reach only some states
            state = both(ca.DM(state[:n]), p)[0].full()[:, 0]
        y = coordinates.call("from_machine", ca.DM(state), parameters, n) if inverse else ca.DM(state[:n])
        back, slope = (x.full() for x in both(y, p))
        if not np.isfinite(back).all() or not np.isfinite(slope).all():
            continue
        s = np.linalg.svd(slope, compute_uv=False)
        regular += bool(s[-1] > 1e-10 * s[0])
        if _same(machine, back[:, 0], state):
            undone += 1
        elif not example:
            example = f"{_listed(ca.DM(state))} becomes {_listed(back)}"
    if regular < len(states) // 4:
        raise InputError(f"{label} is singular: its Jacobian has no full rank at {len(states) - regular} of 16 states")
    if inverse and undone < len(states) // 4:
        raise InputError(
            f"to_machine and from_machine of {label} are not inverse to each other: {', '.join(machine.q_names)} = "
            f"{example}"
        )


def in_machine_coordinates(inner: Formulation) -> Formulation:
    """Wrap a formulation in its own coordinates in those of the machine, for the comparison of `verify`."""
    if inner.machine_coordinates:
        return inner
    layout = Layout.of_nodes(inner.machine.coordinate_nodes)
    variables = replace(inner.variables, **_symbols(layout))
    q, w = (ca.SX(x) for x in inner.from_machine(variables.q, variables.v, variables.p))
    E = ca.jacobian(w, variables.v)
    return Mapped(inner, variables, layout, q, E, layout.rates(variables.q, variables.v))


def _symbols(layout: Layout) -> dict[str, Expression]:
    return {
        "q": ca.SX.sym("y", layout.nq),
        "v": ca.SX.sym("w", layout.nv),
        "a": ca.SX.sym("a", layout.nv),
        "tau": ca.SX.sym("tau", layout.nv),
    }
