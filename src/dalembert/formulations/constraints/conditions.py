"""Conditions for the coordinates of a start: the constraints, and the given values.

``Phi(q, t) = 0`` and ``q_given = values``, of many members at once, with the sizes that make angles, lengths and rows
of any machine comparable: a machine of millimetres and one of hundreds of metres are solved alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.core.constraint_algebra import corrections
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.elastic.contract import Elastic
from dalembert.model.machine import Machine

__all__ = ["Conditions", "Landing", "Sizes", "given_sizes", "machine_size", "settle", "sizes_of"]

_SAMPLES = 16  # configurations that the sizes of rows are taken from
_STEPS = 40  # of Newton's method
_LONGEST = 1.0  # largest part of its size that a coordinate may change by in one step of Newton's method
_ROUNDING = 1e-13  # error, as part of its size, below which no step makes it smaller
_SOLVED = 1e-10  # error, as part of its size, up to which a condition counts as satisfied


def machine_size(machine: Machine) -> float:
    """Length [m] that is typical of a machine: the largest offset between neighbouring joints, frames and ropes."""
    offsets = [node.placement.translation for node in machine.tree.nodes]
    offsets += [frame.origin.translation for frame in machine.frames]
    offsets += [point for cable in machine.cables for point in (cable.exit_at, cable.anchor_at)]
    offsets += [element.at for rope in machine.ropes for element in rope.path]
    lengths = [float(np.linalg.norm([nominal(x) for x in offset])) for offset in offsets]
    lengths += [nominal(rope.length) for rope in machine.all_ropes if rope.length is not None]
    lengths += [b.size for b in machine.bodies if isinstance(b, Elastic)]
    return max(lengths, default=0.0) or 1.0


@dataclass(frozen=True, eq=False)
class Sizes:
    """Sizes of a machine's displacements and rows.

    Parameters
    ----------
    v
        Sizes of the displacements of each velocity: 1 rad, the size of the machine [m], the amplitude of a mode.
    rows
        Sizes of each constraint row: its change by a displacement of these sizes.
    angles
        Places in ``q`` of angles that a full turn leaves as they are, and of their displacements.
    modes
        Which displacements are modes of beams.
    """

    v: Array
    rows: Array
    angles: tuple[tuple[int, int], ...]
    modes: NDArray[np.bool_]


def sizes_of(eom: EquationsOfMotion) -> Sizes:
    """Return the sizes of equations in the machine's coordinates; kept with them."""
    return eom.kept.once("sizes", (), lambda: _sizes(eom))


def _sizes(eom: EquationsOfMotion) -> Sizes:
    length, v, angles = machine_size(eom.machine), np.ones(eom.nv), list[tuple[int, int]]()
    modes = np.zeros(eom.nv, dtype=bool)
    amplitudes = {f"{b.name}.delta": b.amplitudes for b in eom.machine.bodies if isinstance(b, Elastic)}
    for block in eom.layout.moving:
        kind, first = block.coordinates, block.v.start
        if block.name in amplitudes:
            v[block.v], modes[block.v] = amplitudes[block.name], True
        elif kind.quaternion is not None:
            v[first : first + kind.quaternion] = length
        else:
            turning = tuple(getattr(kind, "angles", ()))
            v[block.v] = [1.0 if k in turning else length for k in range(block.v.stop - first)]
            if block.kind != "screw":
                angles += [(block.q.start + k, first + k) for k in turning]
    rng = np.random.default_rng(0)
    q = np.stack([eom.random_configuration(rng) for _ in range(_SAMPLES)])
    J = eom.constraint_jacobian(q) * v
    lengths = np.linalg.norm(J, axis=-1)
    rows = np.max(np.where(np.isfinite(lengths), lengths, 0.0), axis=0, initial=0.0)
    return Sizes(v, np.where(rows > 0.0, rows, 1.0), tuple(angles), modes)


def given_sizes(eom: EquationsOfMotion, given: tuple[int, ...]) -> Array:
    """Sizes of coordinates, by their places in ``q``."""
    length, v = machine_size(eom.machine), sizes_of(eom).v
    quaternions = {start + k for _, start in eom.layout.quaternions for k in range(4)}
    places = _displacements(eom, given)
    return np.array([v[j] if j is not None else 1.0 if i in quaternions else length for i, j in places])


def _displacements(eom: EquationsOfMotion, given: tuple[int, ...]) -> list[tuple[int, int | None]]:
    """The displacement of each coordinate; None where it is one of a quaternion, or turned by one."""
    places: list[tuple[int, int | None]] = []
    for i in given:
        block = next(b for b in eom.layout.moving if b.q.start <= i < b.q.stop)
        plain = block.coordinates.quaternion is None
        places.append((i, block.v.start + i - block.q.start if plain else None))
    return places


@dataclass(frozen=True, eq=False)
class Conditions:
    """Constraints and given values of members.

    Parameters
    ----------
    eom
        Equations in the machine's own coordinates.
    given
        Places in ``q`` of the coordinates that are given.
    values
        The given values (N, k).
    t
        Time.
    p, latches
        Parameters (N, np) and latches (N, n) of the members.
    acting
        Which rows act (N, m); those of contacts, and of constraints that begin where they are, do not.
    """

    eom: EquationsOfMotion
    given: tuple[int, ...]
    values: Array
    t: float
    p: Array
    latches: Array
    acting: NDArray[np.bool_]

    @cached_property
    def sizes(self) -> Sizes:
        """Sizes of displacements and rows."""
        return sizes_of(self.eom)

    def of(self, which: NDArray[np.int64] | slice | list[int]) -> Conditions:
        """Return those of some members."""
        return replace(
            self, values=self.values[which], p=self.p[which], latches=self.latches[which], acting=self.acting[which]
        )

    def repeated(self, n: int) -> Conditions:
        """Return those of the first member, n times."""
        return self.of(np.zeros(n, dtype=np.int64))

    def without(self) -> Conditions:
        """Return the constraints alone, with nothing given."""
        return replace(self, given=(), values=self.values[:, :0])

    def phi(self, q: Array) -> Array:
        """Return ``Phi`` of the rows that act (N, m), as parts of their sizes."""
        values = self.eom.constraints(q, t=self.t, p=self.p, latches=self.latches)
        return np.asarray(np.where(self.acting, values, 0.0) / self.sizes.rows)

    def errors(self, q: Array) -> Array:
        """Return all errors (N, m + k), as parts of their sizes."""
        return np.concatenate([self.phi(q), (q[:, list(self.given)] - self.values) / self.given_sizes], axis=-1)

    def rows(self, q: Array) -> Array:
        """Return the derivatives of the errors (N, m + k, nv) by displacements that are parts of their sizes."""
        J = self.eom.constraint_jacobian(q, t=self.t, p=self.p, latches=self.latches)
        J = np.where(self.acting[..., None], J, 0.0) / self.sizes.rows[:, None]
        named = self._given_rows(q) / self.given_sizes[:, None]
        return np.asarray(np.concatenate([J, named], axis=-2) * self.sizes.v)

    def moved(self, q: Array) -> Array:
        """Return how far the given coordinates are from their values (N, k), as parts of their sizes."""
        return np.asarray(np.abs(q[:, list(self.given)] - self.values) / self.given_sizes)

    def exact(self, q: Array) -> Array:
        """Return coordinates with the given ones to the last digit."""
        q = q.copy()
        q[:, list(self.given)] = self.values
        return q

    @cached_property
    def _places(self) -> list[tuple[int, int | None]]:
        return _displacements(self.eom, self.given)

    @cached_property
    def given_sizes(self) -> Array:
        """Sizes of the given coordinates."""
        return given_sizes(self.eom, self.given)

    def _given_rows(self, q: Array) -> Array:
        rows = np.zeros((len(q), len(self.given), self.eom.nv))
        turned = [k for k, (_, j) in enumerate(self._places) if j is None]
        for k, (_, j) in enumerate(self._places):
            if j is not None:
                rows[:, k, j] = 1.0
        if turned:
            B = np.stack([np.array(ca.DM(self._rates(one)).full()) for one in q])
            rows[:, turned] = B[:, [self.given[k] for k in turned]]
        return rows

    @cached_property
    def _rates(self) -> ca.Function:
        q, v = ca.SX.sym("q", self.eom.nq), ca.SX.sym("v", self.eom.nv)
        return ca.Function("B", [q], [ca.densify(ca.jacobian(ca.SX(self.eom.layout.rates(q, v)), v))])


@dataclass(frozen=True, eq=False)
class Landing:
    """Where Newton's method led: coordinates (N, nq), who satisfies the conditions, and how far each was moved."""

    q: Array
    solved: NDArray[np.bool_]
    travel: Array


def settle(conditions: Conditions, q: Array, *, by_mass: bool = False) -> Landing:
    """Solve the conditions by Newton's method with the least changes: in sizes, or in the metric of the mass matrix.

    Parameters
    ----------
    conditions
        Constraints and given values.
    q
        Where to begin (N, nq).
    by_mass
        Whether the least change is that of the mass matrix.
    """
    eom, v, q = conditions.eom, conditions.sizes.v, q.copy()
    n = len(q)
    error, best = np.full(n, np.inf), np.full(n, np.inf)
    travel, open_ = np.zeros(n), np.arange(n)
    for k in range(_STEPS):
        c, here = conditions.of(open_), q[open_]
        left = c.errors(here)
        error[open_] = np.max(np.abs(left), axis=-1, initial=0.0)
        now = error[open_]
        stuck = (k > 3) & (now > 0.5 * best[open_])  # at a dead centre an error still falls to a fourth
        more = np.isfinite(now) & (now > _ROUNDING) & ~stuck
        best[open_] = np.fmin(best[open_], now)
        open_, left = open_[more], left[more]
        if not len(open_):
            break
        c = conditions.of(open_)
        J = c.rows(q[open_])
        finite = np.isfinite(J).all(axis=(-2, -1))
        error[open_[~finite]] = np.inf
        open_, left, J, c = open_[finite], left[finite], J[finite], c.of(np.flatnonzero(finite))
        if by_mass:
            M = eom.mass_matrix(q[open_], t=c.t, p=c.p) * v[:, None] * v
            scale = np.trace(M, axis1=-2, axis2=-1)[:, None, None] / len(v)
            M = M / np.where(scale > 0.0, scale, 1.0)
        else:
            M = np.broadcast_to(np.eye(len(v)), (len(open_), len(v), len(v)))
        try:
            step = corrections(M, J, left)
        except np.linalg.LinAlgError:  # a mass matrix that is singular somewhere on the way
            step = corrections(np.broadcast_to(np.eye(len(v)), M.shape), J, left)
        longest = np.max(np.abs(step), axis=-1)
        near = longest <= _LONGEST  # NaN is not
        error[open_[~near]] = np.inf
        open_, step = open_[near], step[near]
        q[open_] = eom.integrate(q[open_], step * v)
        travel[open_] += longest[near]
    exact = conditions.exact(q)
    solved = np.max(np.abs(conditions.phi(exact)), axis=-1, initial=0.0) <= _SOLVED
    solved &= error <= _SOLVED
    return Landing(np.where(solved[:, None], exact, q), solved, travel)
