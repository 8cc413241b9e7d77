"""The pull of straight and sagging cables as a function of one tension of each: the contract of statics.

A cable with the tension ``f`` along the line between its ends pulls on the platform and has an unstretched length:

    straight:  (dL/dx)^T f,                   L / (1 + f / EA), or L if it does not stretch
    heavy:     H dl/dx + V dh/dx + w L dz/dx,  L: the catenary with H = f times the cosine of the slope of the line

Straight cables have this tension everywhere. For a heavy cable there is exactly one catenary for every ``f > 0``, and
its length falls with ``f``; its tension at an end has a minimum. Without weight both are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import casadi as ca
import numpy as np

from dalembert.analysis.cables.kinematics import check_tangents, platform_velocities
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.model.machine import Machine

__all__ = ["CablePulls", "PulledState"]

_ERROR = 1e-9  # part of its length by which a catenary may miss its end
_UPRIGHT = 1e-6  # part of its length by which the ends of a heavy cable must be apart horizontally


@dataclass(frozen=True, eq=False)
class PulledState:
    """Forces and lengths of the cables in a configuration, with the tensions ``f`` along their lines.

    Parameters
    ----------
    force
        Generalised force on the platform that is missing for it to rest: its load less the pull of the cables.
    lengths
        Unstretched lengths of the cables [m].
    exits, anchors
        Tensions at the exits and at the anchors [N].
    winches
        Tensions at the winches, behind pulleys without friction [N].
    least, largest
        Least and largest tension along each cable [N].
    chords
        Distances of the ends of heavy cables, and ways of straight ones [m].
    wraps
        Angles that the cables wrap on their pulleys [rad]; zero at point exits.
    force_f, force_x, lengths_f, lengths_x
        Derivatives with respect to ``f`` and to a displacement of the platform; a length depends on its own ``f`` only.
    """

    force: Array
    lengths: Array
    exits: Array
    winches: Array
    anchors: Array
    least: Array
    largest: Array
    chords: Array
    wraps: Array
    force_f: Array
    force_x: Array
    lengths_f: Array
    lengths_x: Array


class CablePulls:
    """The cables of a machine, with values of its parameters.

    Parameters
    ----------
    machine
        The robot.
    t, p
        Time of lengths and wrenches, and parameter values.
    """

    def __init__(self, machine: Machine, *, t: float = 0.0, p: Parameters = None) -> None:
        self.machine, self.eom = machine, derive(machine, backend="vm")
        self.platform = platform_velocities(machine)
        self.heavy = np.array([cable.heavy for cable in machine.cables], dtype=bool)
        self._inputs = t, self.eom.parameter_values(p)

    def at(self, q: Array, f: Array) -> PulledState:
        """Evaluate the cables, or raise an error for those that cannot hang there."""
        near = self._solved(q, f, *self._inputs)
        values = [np.array(x.full()) for x in self._state(q, f, near, *self._inputs)]
        columns, (force_f, force_x, lengths_x), fits = values[:10], values[10:13], values[13]
        check_tangents(self.machine, fits[:, 0], np.ones(len(f)))
        for cable, (_, upright, error) in zip(self.machine.cables, fits, strict=True):
            if not upright > _UPRIGHT:
                raise InputError(
                    f"the ends of cable '{cable.name}', which has weight, lie above each other: it has no horizontal "
                    "tension"
                )
            if not error <= _ERROR:
                swivels = "; the axis about which its pulley swivels must be vertical" if cable.has_pulley else ""
                raise InputError(f"no catenary of cable '{cable.name}' was found between its ends{swivels}")
        force, lengths, exits, winches, anchors, least, largest, chords, wraps, lengths_f = (x[:, 0] for x in columns)
        tensions = exits, winches, anchors, least, largest
        return PulledState(force, lengths, *tensions, chords, wraps, force_f, force_x, lengths_f, lengths_x)

    def extremes(self, q: Array, f: Array) -> tuple[Array, Array]:
        """Least and largest tension along each cable; without its other values, for searches."""
        least, largest = (np.array(x.full())[:, 0] for x in self._extremes(q, f, *self._inputs))
        return least, largest

    def tensions_of(self, q: Array, lengths: Array) -> Array:
        """Tensions along the lines of cables with these lengths; zero for straight ones that do not stretch."""
        return np.array(self._tightness(q, lengths, *self._inputs).full())[:, 0]

    def load(self, q: Array) -> Array:
        """Generalised force that the cables must exert on the platform for it to rest."""
        return np.array(self._load(q, *self._inputs).full())[:, 0]

    # Kept here: looking them up by their machine takes longer than to evaluate them.

    @cached_property
    def _state(self) -> ca.Function:
        return _state(self.machine)

    @cached_property
    def _solved(self) -> ca.Function:
        return _solved(self.machine)

    @cached_property
    def _extremes(self) -> ca.Function:
        return _extremes(self.machine)

    @cached_property
    def _tightness(self) -> ca.Function:
        return _tightness(self.machine)

    @cached_property
    def _load(self) -> ca.Function:
        return _load(self.machine)


def _platform_load(eom: EquationsOfMotion) -> ca.SX:
    """Bias less wrenches of the machine at rest, without the pull of its cables."""
    s, cables = eom.symbolic, {c.name for c in eom.machine.cables}
    load = eom.formulation.without_ropes().bias() - s.wrenches
    for term in eom.formulation.elastic_ropes():
        if term.rope.name not in cables:
            load += term.gradient - term.driven
    return ca.substitute(load, s.v, ca.SX.zeros(eom.nv))[platform_velocities(eom.machine)]


@lru_cache(maxsize=32)
def _load(machine: Machine) -> ca.Function:
    eom = derive(machine, backend="vm")
    s = eom.symbolic
    return ca.Function("load", [s.q, s.t, s.p], [ca.densify(_platform_load(eom))])


@dataclass(frozen=True, eq=False)
class _Cable:
    """Expressions of one cable: pull on all velocities, lengths, tensions, and what must hold for it to hang."""

    pull: ca.SX
    length: ca.SX
    chord: ca.SX
    tensions: tuple[ca.SX, ca.SX, ca.SX, ca.SX, ca.SX]
    fits: tuple[ca.SX, ca.SX, ca.SX]
    wrap: ca.SX


def _cables(eom: EquationsOfMotion, f: ca.SX, near: ca.SX | None = None) -> list[_Cable]:
    s, system = eom.symbolic, eom.constraint_system
    B = ca.jacobian(s.coordinate_rate, s.v)
    one, none = ca.SX(1), ca.SX(0)
    cables = []
    for k, cable in enumerate(eom.machine.cables):
        if cable.heavy:
            shape = cable.tightened(system.context, f[k], None if near is None else near[:, k])
            cables.append(
                _Cable(
                    (shape.gradient(s.q) @ B).T,
                    shape.unstretched,
                    ca.sqrt(shape.l**2 + shape.h**2),
                    (shape.tensions[0], shape.winch_tension, shape.tensions[1], *shape.extremes),
                    (one, shape.l / shape.L, shape.error),
                    none if shape.psi is None else ca.pi - shape.psi,
                )
            )
            continue
        path = system.paths[cable.name]
        give = 1 if cable.stiffness is None else 1 + f[k] / s.value(cable.stiffness)
        tangent = one if path.tangent is None else path.tangent
        pull = (ca.jacobian(path.length, s.q) @ B).T * f[k]
        wrap = none if path.arc is None else ca.pi - path.arc[0]
        cables.append(_Cable(pull, path.length / give, path.length, (f[k],) * 5, (tangent, one, none), wrap))
    return cables


@lru_cache(maxsize=32)
def _state(machine: Machine) -> ca.Function:
    eom = derive(machine, backend="vm")
    s, platform = eom.symbolic, platform_velocities(machine)
    f, near = ca.SX.sym("f", len(machine.cables)), ca.SX.sym("near", 2, len(machine.cables))
    cables = _cables(eom, f, near)
    force = _platform_load(eom) + sum((c.pull for c in cables), ca.SX(eom.nv, 1))[platform]
    lengths = ca.vertcat(*[c.length for c in cables])
    moved = ca.jacobian(s.coordinate_rate, s.v)[:, platform]
    tensions = [ca.vertcat(*[c.tensions[i] for c in cables]) for i in range(5)]
    lengths_f = ca.vertcat(*[ca.jacobian(c.length, f[k]) for k, c in enumerate(cables)])
    derivatives = [ca.jacobian(force, f), ca.jacobian(force, s.q) @ moved, ca.jacobian(lengths, s.q) @ moved]
    fits = ca.vertcat(*[ca.horzcat(*c.fits) for c in cables])
    chords = ca.vertcat(*[c.chord for c in cables])
    wraps = ca.vertcat(*[c.wrap for c in cables])
    outputs = [force, lengths, *tensions, chords, wraps, lengths_f, *derivatives, fits]
    return ca.Function("pulls", [s.q, f, near, s.t, s.p], [ca.densify(x) for x in outputs])


@lru_cache(maxsize=32)
def _solved(machine: Machine) -> ca.Function:
    """Vertical pulls and lengths (2 x n) of heavy cables; of straight ones zeros."""
    eom = derive(machine, backend="vm")
    s, f = eom.symbolic, ca.SX.sym("f", len(machine.cables))
    solved = [ca.SX.zeros(2)] * len(machine.cables)
    for k, cable in enumerate(machine.cables):
        if cable.heavy:
            shape = cable.tightened(eom.constraint_system.context, f[k])
            solved[k] = ca.vertcat(shape.V, shape.L)
    return ca.Function("solved", [s.q, f, s.t, s.p], [ca.densify(ca.horzcat(*solved))])


@lru_cache(maxsize=32)
def _extremes(machine: Machine) -> ca.Function:
    eom = derive(machine, backend="vm")
    s, f = eom.symbolic, ca.SX.sym("f", len(machine.cables))
    cables = _cables(eom, f)
    outputs = [ca.vertcat(*[c.tensions[i] for c in cables]) for i in (3, 4)]
    return ca.Function("extremes", [s.q, f, s.t, s.p], [ca.densify(x) for x in outputs])


@lru_cache(maxsize=32)
def _tightness(machine: Machine) -> ca.Function:
    eom = derive(machine, backend="vm")
    s, system, lengths = eom.symbolic, eom.constraint_system, ca.SX.sym("l", len(machine.cables))
    tensions = []
    for k, cable in enumerate(machine.cables):
        if cable.heavy:
            tensions.append(cable.hanging(system.context, length=lengths[k]).chord_tension)
        elif cable.stiffness is None:
            tensions.append(ca.SX(0))
        else:
            tensions.append(s.value(cable.stiffness) * (system.paths[cable.name].length / lengths[k] - 1))
    return ca.Function("tightness", [s.q, lengths, s.t, s.p], [ca.densify(ca.vertcat(*tensions))])
