"""Linear models of elastic ropes with friction at sheaves: spans as separate springs, or in ratios of tensions.

A sheave to which the rope sticks separates two spans, each with the rope that is in it. Rims that turn carry it along,
``dl = dx/(1 + e)`` with the strain ``e`` at the sheave. Past a sheave at which it slips the rope moves so that the
ratio of the tensions stays ``e^(+-kappa)``: the spans on both sides share their rope, and have one tension ``tau``,

    sum_i L_i(q) / (1 + rho_i tau / EA) = l,    T_i = rho_i tau,

in which the ratios ``rho_i`` depend on the angles of wrap. The tensions are functions of the configuration then, and so
is the model. They are those with which a run by time-stepping starts: equal ones, or in the ratios of the sheaves past
which the rope runs; or those that are given. A heavy cable sticks to its pulley, with the tensions
with which a run starts.

The strain of the rope on a wheel that turns travels with it, so that the rope before such a wheel is a state of the
model, ``material.R.S``, with the rate of a run (`elastic_slips`). The rope before a sheave past which a rope with
damping slips is a state, too: there the slip is a function of the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array, Expression
from dalembert.formulations.base import RopeTerms
from dalembert.formulations.constraints.elastic_ropes import with_rope_terms
from dalembert.formulations.constraints.elastic_sheaves import (
    RUNS,
    SectionTerms,
    elastic_sheaves_of,
    span_lengths,
)
from dalembert.formulations.constraints.elastic_slips import damped_slips
from dalembert.formulations.constraints.heavy_pulleys import HeavyPulley, heavy_rubbing
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["RopeStates", "with_held_spans"]

_FITS = 1e-3  # part of a tension by which given ones may differ from those of a rope of the given length
_LIMIT = 1e-6  # part of kappa within which a ratio of given tensions is at its limit


@dataclass(frozen=True, eq=False)
class RopeStates:
    """States of elastic ropes in a linear model: the rope before sheaves.

    Parameters
    ----------
    names, symbols, values
        Names ``material.R.S``, symbols, and values at the operating point.
    force
        Generalised force of the ropes, less that at these values.
    rates
        Rates of the states.
    tensions
        Tensions of spans by their names ``R[i]``.
    """

    names: tuple[str, ...] = ()
    symbols: Expression = field(default_factory=lambda: ca.SX(0, 1))
    values: Array = field(default_factory=lambda: np.zeros(0))
    force: Expression = field(default_factory=lambda: ca.SX(0))
    rates: Expression = field(default_factory=lambda: ca.SX(0, 1))
    tensions: dict[str, Expression] = field(default_factory=dict)


def with_held_spans(
    eom: EquationsOfMotion,
    q: Array,
    v: Array,
    tensions: Mapping[str, float] | None = None,
    *,
    t: float,
    p: Array,
) -> tuple[EquationsOfMotion, RopeStates]:
    """Return equations near a state, in which ropes stick to their sheaves or slip past them as they do there.

    They are the same ones for machines without elastic ropes with friction. States of ropes are held in them.

    Parameters
    ----------
    eom, q, v
        The equations and the state.
    tensions
        Tensions [N] of all spans of ropes, by the names ``R[i]``; None: those with which a run starts.
    t, p
        Time and parameter values.
    """
    belts = elastic_sheaves_of(eom).belts if any(rope.elastic and rope.rubbing for rope in eom.machine.ropes) else ()
    known = [belt.terms.rope.tension_names[place] for belt in belts for place in belt.span_of]
    for name in tensions or ():
        if name not in known:
            raise UnknownNameError("tension of an elastic rope with friction", name, known, eom.machine.name)
    heavy = {terms.name: (_held(eom, terms, (q, v, t, p)),) for terms in heavy_rubbing(eom)}
    if not belts and not heavy:
        return eom, RopeStates()
    parts = {belt.terms.name: _Spans(belt, q, v, t, p, tensions or {}) for belt in belts}
    spans = {name: part.terms for name, part in parts.items()} | heavy
    z = ca.vertcat(ca.SX(0, 1), *(part.states for part in parts.values()))
    z0 = np.concatenate([np.zeros(0), *(part.values for part in parts.values())])
    held = {name: tuple(_at(one, z, z0) for one in some) for name, some in spans.items()}
    terms = [one for old in eom.formulation.elastic_ropes() for one in held.get(old.name) or (old,)]
    formulation = with_rope_terms(eom.formulation.without_ropes(), tuple(terms))
    near = EquationsOfMotion(eom.machine, formulation, eom.backend, eom.stops, eom.variant)
    force = sum((one.force for some in spans.values() for one in some), ca.SX(0))
    force -= sum((one.force for some in held.values() for one in some), ca.SX(0))
    names = tuple(f"material.{name}" for part in parts.values() for name in part.names)
    rates = ca.vertcat(ca.SX(0, 1), *(part.rates for part in parts.values()))
    pulls = {x.rope.tension_names[k]: x.tension for x in chain(*spans.values()) for k in x.spans}
    return near, RopeStates(names, z, z0, force, rates, pulls)


def _at(terms: RopeTerms, z: Expression, z0: Array) -> RopeTerms:
    """Terms at values of the states."""
    fields = ("stretch", "rate", "length", "elastic", "tension", "energy", "gradient", "loss", "driven")
    if not z0.size:
        return terms
    numbers = ca.substitute([ca.SX(getattr(terms, name)) for name in fields], [z], [ca.DM(z0)])
    return RopeTerms(terms.rope, terms.name, terms.spans, *numbers)


def _held(eom: EquationsOfMotion, terms: RopeTerms, at: tuple[Array, Array, float, Array]) -> RopeTerms:
    """A heavy cable that sticks to its pulley near a state."""
    s = eom.symbolic
    free = HeavyPulley(eom, terms, ca.SX(0))
    shape = free.cable.hanging(eom.constraint_system.context)
    length = shape.L + shape.arc
    rate = ca.jtimes(length, s.q, s.coordinate_rate) + ca.jacobian(length, s.t)
    made = ca.Function("length", [s.q, s.v, s.t, s.p], [length, rate])
    found, runs = (float(x) for x in made(*at))
    if abs(runs) > RUNS:
        raise InputError(
            f"a linear model in motion cannot have a heavy cable that slips (pulley '{free.name}' of machine "
            f"'{eom.machine.name}'): take a state in which it is at rest"
        )
    stuck = replace(free, length=ca.SX(found))
    pull = (stuck.shape.gradient(s.q) @ ca.jacobian(s.coordinate_rate, s.v)).T
    none, tension = ca.SX(eom.nv, 1), stuck.shape.tensions[1]
    parts = (none, none, -pull) if terms.rope.rheonomous else (pull, none, none)
    named = dict(zip(("gradient", "loss", "driven"), parts, strict=True))
    return replace(terms, elastic=tension, tension=tension, energy=stuck.shape.potential, **named)


class _Spans:
    """Spans of a section near a state."""

    def __init__(
        self, belt: SectionTerms, q: Array, v: Array, t: float, p: Array, tensions: Mapping[str, float]
    ) -> None:
        self.belt, self.point = belt, (q, v, t, p)
        rope, s = belt.terms.rope, belt.eom.symbolic
        assert rope.stiffness is not None
        self.EA, self.damped = ca.SX(s.value(rope.stiffness)), rope.damping != 0.0
        self.rims0 = self._numbers(belt.rims)
        self.slack = not self._numbers(belt.terms.stretch)[0] > 0.0
        given = self._given(tensions)
        self.material = self._numbers(belt.start(belt.ways)) if given is None else self._fitted(given)
        self.ways = self._ways(given)
        turns = np.abs(self._numbers(belt.rim_rates(s.v))) > RUNS
        moving = turns | (self._slips != 0.0) if self.damped else turns & (self.ways == 0.0)
        self.moving = np.flatnonzero(moving & (not self.slack))
        self.states = ca.SX.sym("material", len(self.moving))
        self.values = (self.material + self.rims0)[self.moving]
        self.names = [belt.names[k] for k in self.moving]

    def _numbers(self, expression: Expression, *more: tuple[Expression, Array]) -> Array:
        """Values in the state."""
        s = self.belt.eom.symbolic
        symbols, values = [x for x, _ in more], [x for _, x in more]
        made = ca.Function("numbers", [s.q, s.v, s.t, s.p, *symbols], [ca.densify(ca.SX(expression))])
        return np.array(ca.DM(made(*self.point, *values)).full())[:, 0]

    def _given(self, tensions: Mapping[str, float]) -> Array | None:
        """Given tensions of the spans, None if there are none."""
        belt, names = self.belt, self.belt.terms.rope.tension_names
        found: dict[int, float] = {}
        for place, span in belt.span_of.items():
            if names[place] in tensions:
                found[span] = float(tensions[names[place]])
        if not found:
            return None
        missing = [names[place] for place, span in belt.span_of.items() if span not in found]
        if missing or not all(np.isfinite(T) and T > 0.0 for T in found.values()):
            raise InputError(
                f"tensions of rope '{belt.terms.rope.name}' must be positive numbers of all its spans, got {found}"
                + (f"; {', '.join(missing)} are missing" if missing else "")
            )
        return np.array([found[i] for i in range(len(found))])

    def _fitted(self, given: Array) -> Array:
        """Rope before the sheaves at given tensions: Gauss and Newton's method."""
        belt, n = self.belt, int(self.belt.L.shape[0])
        z, EA, L = ca.SX.sym("material", len(belt.rubs)), float(self._numbers(self.EA)[0]), self._numbers(belt.L)
        T = self._on(z)[1]
        ends = np.cumsum(L / (1 + given / EA))
        found = np.concatenate([[0.0], ends[:-1]]) if belt.ring else ends[:-1]
        for _ in range(30):
            x = (z, found + self.rims0)
            slope = self._numbers(ca.vec(ca.jacobian(T, z)), x).reshape(len(found), n).T
            found = found + np.linalg.lstsq(slope, given - self._numbers(T, x), rcond=1e-12)[0]
        reached = self._numbers(T, (z, found + self.rims0))
        if not np.abs(reached - given).max() <= _FITS * given.max():
            raise InputError(
                f"tensions {given.tolist()} of rope '{belt.terms.rope.name}' do not fit its length there: the nearest "
                f"ones are {reached.round(6).tolist()}"
            )
        return found

    def _on(self, states: Expression) -> tuple[Expression, Expression, Expression]:
        """Rope in each span, tensions and slips, from the rope before all sheaves, with their rims."""
        belt, n = self.belt, int(self.belt.L.shape[0])
        if self.damped:
            damped = damped_slips(belt, states)
            return damped.lengths, damped.tensions, damped.slips
        lengths = ca.vertcat(*span_lengths(states - belt.rims, belt.terms.length, n, belt.ring))
        return lengths, self.EA * (belt.L / lengths - 1), ca.SX.zeros(len(belt.rubs))

    @cached_property
    def _slips(self) -> Array:
        """Slips of a rope with damping in the state."""
        z = ca.SX.sym("material", len(self.belt.rubs))
        return self._numbers(self._on(z)[2], (z, self.material + self.rims0))

    def _ways(self, given: Array | None) -> Array:
        """Which way tensions grow past sheaves at which the rope slips without damping: 1 or -1; 0 where it sticks."""
        belt = self.belt
        if given is None:
            return self._numbers(belt.ways)
        kappa = self._numbers(ca.vertcat(*(rub.kappa for rub in belt.rubs)))
        logs = np.array([np.log(given[j] / given[i]) for i, j in belt.between])
        worst = int(np.argmax(np.abs(logs) - kappa))
        if not abs(logs[worst]) <= kappa[worst] + _FITS:
            raise InputError(
                f"the friction of sheave '{belt.names[worst]}' of machine '{belt.eom.machine.name}' does not bear the "
                f"given tensions: |ln(T2/T1)| is {abs(logs[worst]):.6g}, and at most {kappa[worst]:.6g}"
            )
        ways = np.where(np.abs(logs) >= kappa * (1 - _LIMIT), np.sign(logs), 0.0)
        if belt.ring and ways.all():
            ways[int(np.argmax(kappa))] = 0.0
        return ways

    @cached_property
    def _spans(self) -> tuple[Expression, Expression, Expression]:
        """Rope in each span, tensions and slips."""
        belt, L, n = self.belt, self.belt.L, int(self.belt.L.shape[0])
        states = self._stuck_states()
        if self.damped:
            return self._on(states)
        lengths = ca.vertcat(*span_lengths(states - belt.rims, belt.terms.length, n, belt.ring))
        tensions = self.EA * (L / lengths - 1)
        held = [k for k, way in enumerate(self.ways) if not way]
        ends = [*held, held[0] + n] if belt.ring else [0, *(k + 1 for k in held), n]
        for first, last in pairwise(ends):
            if last > first + 1:
                group = [i % n for i in range(first, last)]
                shared = self._shared(group, ca.sum1(lengths[group]))
                tensions[group] = shared
                lengths[group] = L[group] / (1 + shared / self.EA)
        return lengths, tensions, ca.SX.zeros(len(belt.rubs))

    @property
    def rates(self) -> Expression:
        """Rates of the states."""
        lengths, _, slips = self._spans
        grown = self.belt.creep(self.belt.eom.symbolic.v, self.belt.L / lengths - 1, ca.SX(1))[0]
        return ca.vertcat(ca.SX(0, 1), *((grown - slips)[int(k)] for k in self.moving))

    @property
    def terms(self) -> tuple[RopeTerms, ...]:
        """Terms of each span; of a slack rope those of the whole, since it has no friction."""
        belt, s = self.belt, self.belt.eom.symbolic
        L, n = belt.L, int(belt.L.shape[0])
        if self.slack:
            return (belt.terms,)
        lengths, total, _ = self._spans
        elastic = self.EA * (L / lengths - 1)
        places: list[list[int]] = [[] for _ in range(n)]
        for place, span in belt.span_of.items():
            places[span].append(place)
        B, none = ca.jacobian(s.coordinate_rate, s.v), ca.SX(belt.eom.nv, 1)
        fed = {0: belt.section.start, n - 1: belt.section.payout - belt.section.start}
        found = []
        for i in range(n):
            paid = ca.jacobian(fed[i], s.q).T * elastic[i] ** 2 / (2 * self.EA) if i in fed else ca.SX(s.q.shape[0], 1)
            pull = ca.densify(belt.rows[i, :].T * elastic[i] - B.T @ paid)
            damped = ca.densify(belt.rows[i, :].T * (total[i] - elastic[i]))
            parts: tuple[Any, Any, Any] = (pull, -damped, none)
            if belt.terms.rope.rheonomous:
                parts = (none, none, -pull - damped)
            stretch = L[i] - lengths[i]
            found.append(
                RopeTerms(
                    belt.terms.rope,
                    belt.terms.name,
                    tuple(places[i]),
                    stretch,
                    belt.rate(stretch),
                    lengths[i],
                    elastic[i],
                    total[i],
                    self.EA * stretch**2 / (2 * lengths[i]),
                    *parts,
                )
            )
        return tuple(found)

    def _stuck_states(self) -> Expression:
        """Rope before each sheave, with its rim: states, and where it sticks at rest what its rim carries along."""
        belt, n = self.belt, int(self.belt.L.shape[0])
        rims = ca.vertcat(*(rub.rim for rub in belt.rubs))
        l = self._numbers(
            ca.vertcat(*span_lengths(ca.SX(self.material), self._numbers(belt.terms.length)[0], n, belt.ring))
        )
        strains = self._numbers(belt.L) / l - 1
        e = np.array([(strains[i] + strains[j]) / 2 for i, j in belt.between])
        found = ca.DM(self.material + self.rims0) + (rims - self._numbers(rims)) * ca.DM(e / (1 + e))
        for place, k in enumerate(self.moving):
            found[int(k)] = self.states[place]
        return found

    def _shared(self, group: list[int], length: Expression) -> Expression:
        """Tensions of spans that share their rope: one step of Newton's method, exact to first order."""
        belt, L = self.belt, self.belt.L[group]
        ratios = [ca.SX(1)]
        for span in group[1:]:
            k = next(k for k, (_, after) in enumerate(belt.between) if after == span)
            ratios.append(ratios[-1] * ca.exp(self.ways[k] * belt.rubs[k].kappa))
        rho = ca.vertcat(*ratios)
        at = (self.states, self.values)
        EA = float(self._numbers(self.EA)[0])
        whole, parts, r = float(self._numbers(length, at)[0]), self._numbers(L), self._numbers(rho)
        tau = EA * (parts.sum() / whole - 1)
        for _ in range(20):
            one = 1 + r * tau / EA
            tau += ((parts / one).sum() - whole) / (parts * r / (EA * one**2)).sum()
        one = 1 + rho * tau / self.EA
        return ca.SX(rho * (tau + (ca.sum1(L / one) - length) / ca.sum1(L * rho / (self.EA * one**2))))
