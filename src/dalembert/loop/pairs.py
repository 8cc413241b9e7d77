"""Unilateral constraints, cables that pull and contacts that push, as pairs: places of their rows and latches.

A pair can act if it touches: it does, or its gap has closed. All touching pairs are solved together, so that any number
may take hold or let go at once, redundant or not; a cable is a pair without friction and restitution. The engine
(``engine/unilateral``), which receives them as arrays, handles them at events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array
from dalembert.engine.problem.pairs import PairTable, UnilateralLaw
from dalembert.formulations.constraints.system import ConstraintRows, ConstraintSystem

__all__ = ["Pairs"]

Mask = NDArray[np.bool_]


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
    def sheaves(self) -> tuple[tuple[str, ...], ...]:
        """Sheaves with friction of each of them: those of ropes."""
        of_ropes = {section.name: section.sheave_names for section in self.system.sections}
        return tuple(of_ropes.get(name, ()) for name in self.names)

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
        """Which are contacts with friction."""
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
        for rope, sheaves in enumerate(self.sheaves):
            if sheaves:
                mu[rope] = 1.0  # numbers of sheaves are on the tape of the equations
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

    def table(self, restitution: Array, friction: Array, first: int) -> PairTable:
        """Return pairs in numbers, with these coefficients, then joints that stick; latches are in x from ``first`` on.

        A cable or a contact is a cone, of one row or, with friction, of three; a joint that sticks is a limit of one. A
        rope over sheaves has the rows of these, and its own.
        """
        joints = [r for r in self.system.rows if r.kind == "stick"]
        n = len(joints)
        none, never = np.full(n, -1), np.zeros(n, dtype=bool)
        places = {r.name: r.start for r in self.system.rows if r.kind == "sheave"}
        rows: list[tuple[int, ...]] = []
        for row, ways, rubs, sheaves in zip(self.rows, self.tangents, self.rubs, self.sheaves, strict=True):
            on_sheaves = tuple(places[sheave] for sheave in sheaves)
            rows.append((*on_sheaves, int(row), *(map(int, ways) if rubs else ())))
        laws = [UnilateralLaw.ROPE if sheaves else UnilateralLaw.CONE for sheaves in self.sheaves]
        rubs = np.array([len(s) or int(r) for s, r in zip(self.sheaves, self.rubs, strict=True)], dtype=np.int64)
        varies = np.where(self.varies, np.cumsum(rubs) - 1, -1)
        return PairTable(
            (*laws, *(UnilateralLaw.LIMIT for _ in joints)),
            (*rows, *((r.start,) for r in joints)),
            np.concatenate([self.flags + first, none]),
            self._entries(joints, first),
            np.concatenate([self.is_contact, never]),
            np.concatenate([rubs, np.ones(n, dtype=np.int64)]),
            np.concatenate([self.poisson, never]),
            np.concatenate([restitution, np.zeros(n)]),
            np.concatenate([friction, np.ones(n)]),
            np.concatenate([varies, none]),
        )

    def _entries(self, joints: Sequence[ConstraintRows], first: int) -> NDArray[np.int64]:
        """Latches of all entries with friction: of the pairs, each sheave one, then of joints."""
        index, entries = self.system.latch_index, []
        for pair, (name, sheaves) in enumerate(zip(self.names, self.sheaves, strict=True)):
            for s in sheaves:
                places = (index(f"stick.{s}"), index(f"toward.{s}"), -1, index(f"share.{name}"), index(f"share.{s}"))
                entries.append((*places, -1, index(f"leeway.{s}")))
            if self.rubs[pair]:
                entries.append(tuple(self.friction[pair]))
        for r in joints:
            places = (index(f"stick.{r.name}"), index(f"toward.{r.name}"), -1, -1, index(f"share.{r.name}"))
            entries.append((*places, -1, index(f"leeway.{r.name}")))
        table = np.array(entries, dtype=np.int64).reshape(-1, 7)
        return np.where(table >= 0, table + first, -1)
