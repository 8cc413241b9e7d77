"""Linear models of elastic ropes with friction at sheaves: spans as separate springs, or in ratios of tensions.

A sheave to which the rope sticks separates two spans, each with the rope that is in it. Rims that turn carry it along,
``dl = dx/(1 + e)`` with the strain ``e`` at the sheave. Past a sheave at which it slips the rope moves so that the
ratio of the tensions stays ``e^(+-kappa)``: the spans on both sides share their rope, and have one tension ``tau``,

    sum_i L_i(q) / (1 + rho_i tau / EA) = l,    T_i = rho_i tau,

in which the ratios ``rho_i`` depend on the angles of wrap. The tensions are functions of the configuration then, and so
is the model. They are those with which a run by time-stepping starts: equal ones, or in the ratios of the sheaves past
which the rope runs. A heavy cable sticks to its pulley, with equal tensions on both sides of it.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.types import Array, Expression
from dalembert.formulations.base import RopeTerms
from dalembert.formulations.constraints.elastic_ropes import with_rope_terms
from dalembert.formulations.constraints.elastic_sheaves import RUNS, SectionTerms, elastic_sheaves_of, span_lengths
from dalembert.formulations.constraints.heavy_pulleys import HeavyPulley, heavy_rubbing
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["with_held_spans"]


def with_held_spans(eom: EquationsOfMotion, q: Array, v: Array, *, t: float, p: Array) -> EquationsOfMotion:
    """Return equations near a state, in which ropes stick to their sheaves or slip past them as they do there.

    They are the same ones for machines without elastic ropes with friction.
    """
    rubs = any(rope.elastic and rope.rubbing for rope in eom.machine.all_ropes)
    kept = {belt.terms.name: _Spans(belt, q, v, t, p).terms for belt in (elastic_sheaves_of(eom).belts if rubs else ())}
    kept |= {terms.name: (_held(eom, terms, (q, v, t, p)),) for terms in heavy_rubbing(eom)}
    if not kept:
        return eom
    terms = [one for old in eom.formulation.elastic_ropes() for one in kept.get(old.name) or (old,)]
    formulation = with_rope_terms(eom.formulation.without_ropes(), tuple(terms))
    return EquationsOfMotion(eom.machine, formulation, eom.backend, eom.stops, eom.variant)


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

    def __init__(self, belt: SectionTerms, q: Array, v: Array, t: float, p: Array) -> None:
        self.belt, self.point = belt, (q, v, t, p)
        rope, s = belt.terms.rope, belt.eom.symbolic
        assert rope.stiffness is not None
        self.EA, self.D = ca.SX(s.value(rope.stiffness)), ca.SX(s.value(rope.damping))
        runs = ca.vertcat(*(rub.run for rub in belt.rubs))
        rates = self._numbers(belt.rate(runs))
        self.ways = np.where((np.abs(rates) > RUNS) & (not belt.ring), -np.sign(rates), 0.0)
        turns = self._numbers(belt.rim_rates(s.v))
        for k, name in enumerate(belt.names):
            if self.ways[k] and rope.damping != 0.0:
                raise InputError(
                    f"a linear model in motion cannot have damping of an elastic rope that slips (sheave '{name}' of "
                    f"machine '{belt.eom.machine.name}'): leave out the damping there"
                )
            if not self.ways[k] and abs(turns[k]) > RUNS:
                raise InputError(
                    f"a linear model in motion cannot have a sheave that turns under an elastic rope (sheave '{name}' "
                    f"of machine '{belt.eom.machine.name}'), because its rope changes its strain: "
                    "take a state in which it is at rest"
                )

    def _numbers(self, expression: Expression) -> Array:
        """Values in the state."""
        s = self.belt.eom.symbolic
        made = ca.Function("numbers", [s.q, s.v, s.t, s.p], [ca.densify(ca.SX(expression))])
        return np.array(ca.DM(made(*self.point)).full())[:, 0]

    @property
    def terms(self) -> tuple[RopeTerms, ...]:
        """Terms of each span; none of a slack rope, which has no friction."""
        belt, s = self.belt, self.belt.eom.symbolic
        L, n = belt.L, int(belt.L.shape[0])
        if not self._numbers(belt.terms.stretch)[0] > 0.0:
            return (belt.terms,)
        lengths = ca.vertcat(*self._stuck_lengths())
        elastic = self.EA * (L / lengths - 1)
        rates = belt.rate(L - lengths)
        total = elastic + self.D * rates / lengths
        ends = [0, *(k + 1 for k, way in enumerate(self.ways) if not way), n]
        for first, last in pairwise(ends) if not belt.ring else ():
            if last > first + 1:
                shared = self._shared(first, last, ca.sum1(lengths[first:last]))
                elastic[first:last] = total[first:last] = shared
                lengths[first:last] = L[first:last] / (1 + shared / self.EA)
        places: list[list[int]] = [[] for _ in range(n)]
        for place, span in belt.span_of.items():
            places[span].append(place)
        B, none = ca.jacobian(s.coordinate_rate, s.v), ca.SX(belt.eom.nv, 1)
        fed = {0: belt.section.start, n - 1: belt.section.payout - belt.section.start}
        found = []
        for i in range(n):
            paid = ca.jacobian(fed[i], s.q).T * elastic[i] ** 2 / (2 * self.EA) if i in fed else ca.SX(s.q.shape[0], 1)
            if n == 1:
                paid = ca.jacobian(belt.section.payout, s.q).T * elastic[i] ** 2 / (2 * self.EA)
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
                    rates[i],
                    lengths[i],
                    elastic[i],
                    total[i],
                    self.EA * stretch**2 / (2 * lengths[i]),
                    *parts,
                )
            )
        return tuple(found)

    def _stuck_lengths(self) -> list[Expression]:
        """Rope in each span if it sticks to all sheaves, carried along by their rims."""
        belt, n = self.belt, int(self.belt.L.shape[0])
        rims = ca.vertcat(*(rub.rim for rub in belt.rubs))
        start, whole = self._numbers(belt.start), self._numbers(belt.terms.length)
        l = self._numbers(ca.vertcat(*span_lengths(ca.SX(start), ca.SX(whole), n, belt.ring)))
        strains = self._numbers(belt.L) / l - 1
        e = np.array([(strains[i] + strains[j]) / 2 for i, j in belt.between])
        carried = (rims - self._numbers(rims)) * ca.DM(e / (1 + e))
        material = ca.DM(start) + carried - (belt.rims - self._numbers(belt.rims))
        return span_lengths(material, belt.terms.length, n, belt.ring)

    def _shared(self, first: int, last: int, length: Expression) -> Expression:
        """Tensions of spans that share their rope: one step of Newton's method, exact to first order."""
        belt, L = self.belt, self.belt.L[first:last]
        ratios = [ca.SX(1)]
        for k in range(first, last - 1):
            ratios.append(ratios[-1] * ca.exp(self.ways[k] * belt.rubs[k].kappa))
        rho = ca.vertcat(*ratios)
        numbers, EA = self._numbers, float(self._numbers(self.EA)[0])
        whole, parts, r = float(numbers(length)[0]), numbers(L), numbers(rho)
        tau = EA * (parts.sum() / whole - 1)
        for _ in range(20):
            one = 1 + r * tau / EA
            tau += ((parts / one).sum() - whole) / (parts * r / (EA * one**2)).sum()
        one = 1 + rho * tau / self.EA
        return ca.SX(rho * (tau + (ca.sum1(L / one) - length) / ca.sum1(L * rho / (self.EA * one**2))))
