"""What acts one way only, cables that pull and contacts that push, as pairs: which of them touch, and their rows.

A pair can act if it touches: it does, or its gap has closed. All that touch are looked at together, so that any number
may take hold or let go at once, redundant or not. Without friction and restitution that is the principle of least
constraint (``core/constraint_algebra.py``), with them ``core/contact_algebra.py``; a cable is a pair without either.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array
from dalembert.formulations.constraints.system import ConstraintSystem

__all__ = [
    "LETS_GO",
    "SLIPS",
    "STILL",
    "Instant",
    "Mask",
    "Pairs",
    "Terms",
    "candidates",
    "held_rows",
    "taking_part",
]

Mask = NDArray[np.bool_]
# Impacts may follow each other ever faster and ever weaker: a ball that bounces, a body on several cables. Below these
# they are taken to rest; what a pair does within the gap of its event (1e-11 m) lies well below.
_TOUCHES = 1e-8  # gap [m] up to which what is open touches
STILL = 1e-4  # rate [m/s] up to which what touches stays closed
SLIPS = 1e-7  # rate [m/s] from which on a contact slips
# part of the largest multiplier that counts as one, of a contact whose force, or what its friction lacks of the limit,
# was seen to pass zero
LETS_GO = 1e-6


@dataclass(frozen=True, eq=False)
class Instant:
    """A state of a machine at an event.

    Parameters
    ----------
    t, q, v, latches, p
        Time, coordinates, velocities, latches and parameter values.
    loose
        What has just let go; ``NAME.slip`` if friction has just reached its limit, ``NAME.open`` if a pair is to open,
        ``NAME.end`` if its slip is to end.
    """

    t: float
    q: Array
    v: Array
    latches: Array
    p: Array
    loose: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Terms:
    """Terms of the constrained equations at an instant: ``M a + J^T lambda = f``, ``J a = gamma``."""

    M: Array
    f: Array
    J: Array
    gamma: Array
    phi: Array
    phidot: Array


@dataclass(frozen=True, eq=False)
class Pairs:
    """The unilateral rows of a system as pairs, with places of their tangents and latches (-1: there is none)."""

    system: ConstraintSystem

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(r.name for r in self.system.rows if r.unilateral)

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Rows of the normals."""
        return np.array([r.start for r in self.system.rows if r.unilateral], dtype=np.int64)

    @cached_property
    def flags(self) -> NDArray[np.int64]:
        """Latches that say whether they act."""
        return np.array([r.flag for r in self.system.rows if r.unilateral], dtype=np.int64)

    @cached_property
    def is_contact(self) -> Mask:
        """Which of them are contacts."""
        return np.array([r.kind == "contact" for r in self.system.rows if r.unilateral], dtype=bool)

    @cached_property
    def tangents(self) -> NDArray[np.int64]:
        """Rows of their two tangents (k x 2)."""
        rows = np.full((len(self.names), 2), -1, dtype=np.int64)
        for r in self.system.rows:
            if r.kind == "friction":
                ways = self.system.tangents[self.system.contacts.names.index(r.name)]
                rows[self.names.index(r.name), [way - 1 for way in ways]] = np.arange(r.start, r.stop)
        return rows

    @cached_property
    def rubs(self) -> Mask:
        """Which have friction."""
        return np.asarray((self.tangents >= 0).any(axis=1))

    @cached_property
    def friction(self) -> NDArray[np.int64]:
        """Latches of friction (k x 7): whether it sticks, where it slips to (2), forces as shared (3), leeway."""
        what = ("stick.{0}", *(f"{name}.{{0}}[{j}]" for name, n in (("toward", 2), ("share", 3)) for j in range(n)))
        what = (*what, "leeway.{0}")
        places = [[self.system.latch_index(x.format(name)) for x in what] for name in self.names]
        return np.array(places, dtype=np.int64).reshape(-1, 7)

    @cached_property
    def varies(self) -> Mask:
        """Which have a coefficient of friction that depends on the state, and is on the tape of the equations alone."""
        x, contacts, varies = self.system.variables, self.system.contacts, np.zeros(len(self.names), dtype=bool)
        for k, pair in enumerate(np.flatnonzero(self.is_contact)):
            varies[pair] = self.rubs[pair] and ca.depends_on(contacts.friction[k], ca.vertcat(x.q, x.v, x.t))
        return varies

    @cached_property
    def coefficients_tape(self) -> ca.Function:
        """Restitution and friction as a function of the parameters."""
        contacts, e, mu = self.system.contacts, ca.SX(len(self.names), 1), ca.SX(len(self.names), 1)
        for k, pair in enumerate(np.flatnonzero(self.is_contact)):
            e[int(pair)] = contacts.restitution[k]
            mu[int(pair)] = 0.0 if not self.rubs[pair] else 1.0 if self.varies[pair] else contacts.friction[k]
        p = self.system.variables.p
        return ca.Function("coefficients", [p], [ca.densify(e), ca.densify(mu)], ["p"], ["e", "mu"])

    def coefficients(self, p: Array) -> tuple[Array, Array]:
        """Restitution and friction at parameter values (np,), or of each of many (N, np)."""
        tape = self.coefficients_tape.map(len(p)) if p.ndim == 2 else self.coefficients_tape
        e, mu = (np.array(x.full()).T.reshape(*p.shape[:-1], -1) for x in tape.call([ca.DM(p.T)]))
        return e, mu

    @cached_property
    def poisson(self) -> Mask:
        """Which have Poisson's restitution."""
        poisson = np.zeros(len(self.names), dtype=bool)
        poisson[self.is_contact] = self.system.contacts.poisson
        return poisson

    def touching(self, latches: Array, phi: Array, loose: frozenset[str]) -> Mask:
        """Which act or could: they do, or their gap has closed; what was cut, or has just let go, does not."""
        on = latches[self.flags]
        near = (on > -0.5) & (on < 0.5) & (phi[self.rows] > -_TOUCHES)
        return ((on > 0.5) | near) & np.array([name not in loose for name in self.names], dtype=bool)

    def marked(self, what: str, loose: frozenset[str]) -> Mask:
        """Which have been seen to do something at an instant (see `Instant`)."""
        return np.array([f"{name}.{what}" in loose for name in self.names], dtype=bool)

    def spread(self, values: Array, which: Mask) -> Array:
        """Rows of the chosen pairs, three each (zero where there is none), of values by row (m, ...), turned round."""
        chosen = np.flatnonzero(which)
        axes = np.zeros((3 * len(chosen), *values.shape[1:]))
        axes[::3] = -values[self.rows[chosen]]
        for j in range(2):
            rows = self.tangents[chosen, j]
            axes[j + 1 :: 3][rows >= 0] = -values[rows[rows >= 0]]
        return axes

    def gather(self, values: Array, which: Mask, m: int) -> Array:
        """Multipliers of all rows from forces of the chosen pairs (k x 3)."""
        chosen, by_row = np.flatnonzero(which), np.zeros(m)
        by_row[self.rows[chosen]] = values[:, 0]
        for j in range(2):
            rows = self.tangents[chosen, j]
            by_row[rows[rows >= 0]] = values[rows >= 0, j + 1]
        return by_row


def taking_part(pairs: Pairs, latches: Array, phi: Array, loose: frozenset[str]) -> tuple[Mask, Mask]:
    """Rows that take part in an instant, and which of all rows act one way only."""
    active = pairs.system.activity(latches) != 0.0
    one_way = np.zeros(len(active), dtype=bool)
    one_way[pairs.rows] = True
    active[pairs.rows] = pairs.touching(latches, phi, loose)
    return active, one_way


def held_rows(pairs: Pairs, latches: Array) -> Mask:
    """Rows of constraints that act: all but those of pairs."""
    held = pairs.system.activity(latches) != 0.0
    held[pairs.rows] = False
    held[pairs.tangents[pairs.tangents >= 0]] = False
    return held


def candidates(pairs: Pairs, latches: Array, phi: Array, phidot: Array, loose: frozenset[str]) -> Mask:
    """Pairs that may go on to act: those that touch and do not open."""
    touch = pairs.touching(
        latches, phi, loose & {n for n, c in zip(pairs.names, pairs.is_contact, strict=True) if not c}
    )
    return touch & (phidot[pairs.rows] > -STILL) & ~pairs.marked("open", loose)
