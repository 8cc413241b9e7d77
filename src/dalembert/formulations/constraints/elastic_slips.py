"""Friction of elastic ropes at sheaves, event by event: one state per sheave, the rope that has passed it.

With the spans, lengths and tensions of `elastic_sheaves`, the rope ``m_k`` before sheave k has the rate

    m_k' = rim_k' e/(1 + e) - rim_k' - d_k

with the strain ``e`` of the span from which the rim carries rope along, and the slip ``d_k``: zero while the rope
sticks, and while it slips that which keeps the ratio of the tensions at its limit (Euler, 1769; Eytelwein, 1808),

    d/dt (T_{k+1} - e^kappa T_k) = 0,  d_k > 0    or    d/dt (T_k - e^kappa T_{k+1}) = 0,  d_k < 0.

Tensions are functions of lengths, so that this is a linear system for the slips of all sheaves that slip. The side of a
slip is that of the larger tension. Sticking ends where the ratio reaches its limit, slipping where ``d_k`` reaches
zero; both are located as events, which set the latch ``slips``. A slack rope has one strain everywhere; where it
becomes taut, the rates of its tensions obey the law of the tensions, which gives the slips (`return_mapping`).

A sheave takes the power ``(T_{k+1} - T_k) w_k``, with the slip ``w_k`` of stretched rope past its rim, that of the
creep on the rim included. A drum that pays out unstretched rope does the work ``T + T^2/(2 EA)`` per length.

With damping ``D`` the tension of a span is ``T_i = EA e_i + D (L_i' - l_i')/l_i``, in which ``l_i'`` contains the
slips: the law gives these themselves, continuous functions of the state (`return_mapping`), and not a condition on
its rate. All spans obey ``sum l_i T_i = EA (L - l) + D (L' - l')``, so that a section pulls where the rope without
friction does. Its strain energy is that of the whole rope and ``sum EA l_i (e_i - e)^2 / 2``; the latter decays while
the rope is slack.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca

from dalembert.core.types import Expression
from dalembert.engine.problem.problem import EventSpec
from dalembert.formulations.base import RopeTerms
from dalembert.formulations.constraints.elastic_sheaves import (
    ElasticSheaves,
    SectionTerms,
    elastic_sheaves_of,
    eliminated,
    return_mapping,
    span_lengths,
    span_tensions,
)
from dalembert.formulations.constraints.heavy_pulleys import HeavyPulley, HeavySlips, heavy_rubbing
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["DampedSlips", "ElasticSlips", "damped_slips", "elastic_slips_of"]

_STABLE = 100.0  # rate [1/s] at which an error of the ratio decays while the rope slips
_BEYOND = 1e-9  # part by which a ratio passes its limit before the rope slips
_NOTHING = 1e-13  # strain within which a rope may be taut or slack
_STARTS, _ENDS = 1e-8, 1e-9  # slip speeds [m/s] at which a slip begins, and ends, where the law gives them
_FAINT = 1e-7  # strain up to which a rope has just become taut, or is about to become slack


def _switch(name: str) -> EventSpec:
    return EventSpec(name, direction=-1, switches=True, positive=True)


@dataclass(frozen=True, eq=False)
class _Slips:
    """A section on the symbols of its equations."""

    belt: SectionTerms
    taut: Expression  # 1 where it is taut
    states: Expression  # growth of the rope before each sheave since the start, with its rim
    latches: Expression  # 1 where it slips
    started: Expression  # the rope before each sheave at the start, with its rim

    @property
    def terms(self) -> RopeTerms:
        """The section in the equations."""
        return self.belt.terms

    @property
    def names(self) -> list[str]:
        """Names of its sheaves, after their rope."""
        return self.belt.names

    @property
    def _EA(self) -> Expression:
        assert self.belt.terms.rope.stiffness is not None
        return ca.SX(self.belt.eom.symbolic.value(self.belt.terms.rope.stiffness))

    @cached_property
    def _material(self) -> Expression:
        """Rope before each sheave."""
        return self.started + self.states - self.belt.rims

    @cached_property
    def lengths(self) -> Expression:
        """Rope in each span."""
        belt = self.belt
        return ca.vertcat(*span_lengths(self._material, belt.terms.length, int(belt.L.shape[0]), belt.ring))

    @cached_property
    def strains(self) -> Expression:
        """Strain of each span."""
        return self.belt.L / self.lengths - 1

    @cached_property
    def tensions(self) -> Expression:
        """Tension of each span."""
        return ca.if_else(self.taut, ca.fmax(self._EA * self.strains, 0), 0)

    @cached_property
    def _carried(self) -> tuple[Expression, Expression]:
        """Rate of the states where all sheaves stick, and the slip of creep past each of them."""
        return self.belt.creep(self.belt.eom.symbolic.v, self.strains, ca.SX(1))

    @cached_property
    def _stuck(self) -> tuple[Expression, Expression]:
        """Rates of the tensions where all sheaves stick, and how they grow with the rope that leaves their spans."""
        belt, n = self.belt, int(self.belt.L.shape[0])
        moved = self._carried[0] - self.belt.rate(belt.rims)
        l_rate = ca.vertcat(*span_lengths(moved, self.belt.rate(belt.terms.length), n, belt.ring))
        c = self._EA * belt.L / self.lengths**2
        return self._EA * self.belt.rate(belt.L) / self.lengths - c * l_rate, c

    @cached_property
    def _faint(self) -> Expression:
        """Whether the section has only just become taut, or becomes slack at once."""
        return ca.mmax(self.tensions) <= _FAINT * self._EA

    @cached_property
    def _fresh(self) -> Expression:
        """Whether it has only just become taut."""
        return ca.logic_and(self.taut, ca.logic_and(self._faint, self.belt.terms.rate > 0))

    @cached_property
    def _first(self) -> Expression:
        """Slips with which tensions grow from zero: their rates obey the law, and so do the tensions."""
        rates, c = self._stuck
        kappa = ca.vertcat(*(rub.kappa for rub in self.belt.rubs))
        return return_mapping(lambda i, left: (rates[i] + c[i] * left, c[i]), kappa, self.taut, ring=self.belt.ring)[0]

    @cached_property
    def ratios(self) -> list[tuple[Expression, int, int, Expression]]:
        """Largest ratio at each sheave, the spans before and after it, and whether the latter has the larger tension.

        Where a rope has just become taut, it is the one into which rope slips.
        """
        T = self.tensions
        return [
            (ca.exp(rub.kappa), i, j, ca.if_else(self._fresh, self._first[k] >= 0, T[j] >= T[i]))
            for k, (rub, (i, j)) in enumerate(zip(self.belt.rubs, self.belt.between, strict=True))
        ]

    @cached_property
    def slides(self) -> list[Expression]:
        """Which sheaves slip. Where all wheels of a belt are at their limits, that with the largest ``kappa`` holds."""
        slides = [ca.logic_and(latch > 0.5, self.taut) for latch in ca.vertsplit(self.latches)]
        if not self.belt.ring:
            return slides
        every, most = ca.SX(1), ca.mmax(ca.vertcat(*(rub.kappa for rub in self.belt.rubs)))
        for one in slides:
            every = ca.logic_and(every, one)
        kept = []
        for one, rub in zip(slides, self.belt.rubs, strict=True):
            holds = ca.logic_and(every, rub.kappa >= most)
            kept.append(ca.logic_and(one, ca.logic_not(holds)))
            every = ca.logic_and(every, ca.logic_not(holds))
        return kept

    @cached_property
    def slips(self) -> Expression:
        """Slip ``d_k`` past each sheave; zero where it sticks."""
        belt, T, (T_rate, c), m = self.belt, self.tensions, self._stuck, len(self.belt.rubs)
        rows = [[ca.SX(0)] * m for _ in range(m)]
        right: list[Any] = []
        for k, (E, i, j, forward) in enumerate(self.ratios):
            slides, kappa_rate = self.slides[k], self.belt.rate(belt.rubs[k].kappa)
            weight_i, weight_j = ca.if_else(forward, E, 1), ca.if_else(forward, 1, E)
            low = ca.if_else(forward, T[i], T[j])
            sign = ca.if_else(forward, 1, -1)
            for o in range(m):
                change_i, change_j = ((belt.between[o][0] == span) - (belt.between[o][1] == span) for span in (i, j))
                entry = weight_i * c[i] * change_i - weight_j * c[j] * change_j
                rows[k][o] = ca.if_else(slides, entry, 1.0 if o == k else 0.0)
            excess = weight_j * T[j] - weight_i * T[i]
            drift = weight_j * T_rate[j] - weight_i * T_rate[i] - sign * E * kappa_rate * low
            right.append(ca.if_else(slides, drift + _STABLE * excess, 0))
        return ca.if_else(self._fresh, self._first, ca.vertcat(*eliminated(rows, right)))

    @cached_property
    def _tension_rates(self) -> Expression:
        rates, c = self._stuck
        moved = ca.SX.zeros(rates.shape[0])
        for k, (i, j) in enumerate(self.belt.between):
            moved[i] += self.slips[k]
            moved[j] -= self.slips[k]
        return rates + c * moved

    @cached_property
    def rates(self) -> Expression:
        """Rates of the states; while the rope is slack, they even the strains out."""
        belt = self.belt
        ways = belt.L if belt.ring else belt.L[:-1]
        ends = ca.cumsum(ways) - (ways if belt.ring else 0)
        even = belt.terms.length * ends / ca.sum1(belt.L)
        evened = self.belt.rate(even + belt.rims) - _STABLE * (self._material - even)
        return ca.if_else(self.taut, self._carried[0] - self.slips, evened)

    @cached_property
    def speeds(self) -> Expression:
        """Speed at which stretched rope slips past each sheave."""
        means = [1 + (self.strains[i] + self.strains[j]) / 2 for i, j in self.belt.between]
        return self.slips * ca.vertcat(*means)

    @cached_property
    def losses(self) -> Expression:
        """Power that each sheave takes."""
        drops = ca.vertcat(*(self.tensions[j] - self.tensions[i] for i, j in self.belt.between))
        return ca.if_else(self.taut, drops * (self.speeds + self._carried[1]), 0)

    @property
    def loss(self) -> Expression:
        """Power that the section takes, less that which the equations have without friction."""
        return ca.sum1(self.losses)

    @property
    def _elastic(self) -> Expression:
        """Elastic part of the tensions."""
        return self.tensions

    @cached_property
    def force(self) -> Expression:
        """Generalised force of the section, less that which the equations have without friction."""
        return ca.densify(self.belt.pull(self.tensions, self._elastic / self._EA) - self.belt.terms.force)

    @cached_property
    def energy(self) -> Expression:
        """Strain energy, less that of the equations."""
        whole = ca.sum1(self._EA * (self.belt.L - self.lengths) ** 2 / (2 * self.lengths))
        return ca.if_else(self.taut, whole, 0) - self.belt.terms.energy

    @property
    def pulls(self) -> dict[str, Expression]:
        """Tensions of its spans by their names."""
        names = self.terms.rope.tension_names
        return {names[place]: self.tensions[span] for place, span in self.belt.span_of.items()}

    @property
    def signals(self) -> list[tuple[str, Expression]]:
        """Tensions of the spans, slips, and which sheaves stick."""
        signals: list[tuple[str, Any]] = [(f"tension.{name}", T) for name, T in self.pulls.items()]
        for k, name in enumerate(self.names):
            signals += [(f"slip.{name}", self.speeds[k]), (f"stick.{name}", self.latches[k] < 0.5)]
        return signals

    @property
    def events(self) -> tuple[list[Expression], list[EventSpec]]:
        """Stretch of the section; how far sheaves are from slipping while they stick, and slips while they slip."""
        stretch, least = self.belt.terms.stretch, _NOTHING * self.belt.terms.length
        g: list[Any] = [ca.if_else(self.taut, 1, least - stretch), ca.if_else(self.taut, stretch + least, 1)]
        specs = [_switch(f"{self.belt.terms.name}.{what}") for what in ("taut", "slack")]
        T, T_rate = self.tensions, self._tension_rates
        for k, (name, (E, i, j, forward)) in enumerate(zip(self.belt.names, self.ratios, strict=True)):
            falls = ca.logic_and(self._faint, self.belt.terms.rate <= 0)  # what happens before it is slack is rounding
            steady = ca.logic_and(self.taut, ca.logic_not(falls))
            sticks, slides = ca.logic_and(self.latches[k] < 0.5, steady), ca.logic_and(self.slides[k], steady)
            grows = E * self.belt.rate(self.belt.rubs[k].kappa)
            up = (E * T[i] - T[j], E * T_rate[i] + grows * T[i] - T_rate[j])
            down = (E * T[j] - T[i], E * T_rate[j] + grows * T[j] - T_rate[i])
            beyond = _BEYOND * ca.fmax(T[i], T[j])
            # a ratio that has drifted past its limit does no harm while it comes back
            room = ca.fmin(*(ca.fmax(left, rate / _STABLE) for left, rate in (up, down))) + beyond
            speed = ca.fabs(self._first[k])
            along = ca.if_else(forward, self.slips[k], -self.slips[k])
            g += [
                ca.if_else(sticks, ca.if_else(self._fresh, _STARTS - speed, room / self._EA), 1),
                ca.if_else(slides, ca.if_else(self._fresh, speed - _ENDS, along), 1),
            ]
            specs += [_switch(f"{name}.{what}") for what in ("slip", "stick")]
        return g, specs


@dataclass(frozen=True, eq=False)
class DampedSlips(_Slips):
    """A section with damping: the latches report slips, which the law gives itself."""

    @property
    def _D(self) -> Expression:
        return ca.SX(self.belt.eom.symbolic.value(self.belt.terms.rope.damping))

    @cached_property
    def _elastic(self) -> Expression:
        return ca.if_else(self.taut, self._EA * self.strains, 0)

    @cached_property
    def _mapped(self) -> tuple[Expression, Expression]:
        """Slips and tensions."""
        l, stuck = self.lengths, self.belt.stretch_rates(self.strains)
        kappa = ca.vertcat(*(rub.kappa for rub in self.belt.rubs))

        def tension(i: int, left: Any) -> tuple[Any, Any]:
            return self._elastic[i] + self._D * (stuck[i] + left) / l[i], self._D / l[i]

        slips, T, _ = return_mapping(tension, kappa, self.taut, ring=self.belt.ring)
        return ca.if_else(self.taut, slips, 0), T

    @property
    def tensions(self) -> Expression:
        """Tension of each span."""
        return self._mapped[1]

    @property
    def slips(self) -> Expression:
        """Slip past each sheave."""
        return self._mapped[0]

    @cached_property
    def losses(self) -> Expression:
        """Power that each sheave takes."""
        flows, rims = self.slips - self._carried[0], self.belt.rim_rates(self.belt.eom.symbolic.v)
        stored = self._elastic**2 / (2 * self._EA)
        lost = [
            (self.tensions[j] - self.tensions[i]) * flows[k] + (stored[j] - stored[i]) * (flows[k] + rims[k])
            for k, (i, j) in enumerate(self.belt.between)
        ]
        return ca.if_else(self.taut, ca.vertcat(*lost), 0)

    @cached_property
    def energy(self) -> Expression:
        """Strain energy beyond that of the whole rope."""
        mean = ca.sum1(self.belt.L) / self.belt.terms.length - 1
        return ca.SX(ca.dot(self._EA * self.lengths, (self.strains - mean) ** 2) / 2)

    @property
    def loss(self) -> Expression:
        """Friction and damping of the spans, less damping of the whole rope; while slack, energies that decay."""
        belt = self.belt
        stretched = belt.stretch_rates(self.strains)
        for k, (i, j) in enumerate(belt.between):
            stretched[i] += self.slips[k]
            stretched[j] -= self.slips[k]
        viscous = ca.dot(self.tensions - self._elastic, stretched)
        counted = ca.dot(belt.eom.symbolic.v, belt.terms.loss)
        decays = belt.rate(self.energy) + ca.jtimes(self.energy, self.states, self.rates)
        decays += ca.if_else(belt.terms.rate < 0, belt.rate(belt.terms.energy), 0)  # a step looks beyond `taut`
        return ca.if_else(self.taut, ca.sum1(self.losses) + viscous, -decays) + counted

    @property
    def events(self) -> tuple[list[Expression], list[EventSpec]]:
        """Pull of the section; slips that begin and end."""
        terms = self.belt.terms
        least = _NOTHING * terms.length
        pull = ca.fmin(terms.stretch, terms.stretch + self._D / self._EA * terms.rate)
        g: list[Any] = [ca.if_else(self.taut, 1, least - pull), ca.if_else(self.taut, pull + least, 1)]
        specs = [_switch(f"{terms.name}.{what}") for what in ("taut", "slack")]
        g.append(ca.if_else(self.taut, 1, terms.stretch))  # it pulls no more, and has strain up to here
        specs.append(EventSpec(f"{terms.name}.strain", direction=-1, hidden=True, kinks=True))
        for k, name in enumerate(self.belt.names):
            speed, sticks = ca.fabs(self.slips[k]), self.latches[k] < 0.5
            g += [
                ca.if_else(ca.logic_and(sticks, self.taut), _STARTS - speed, 1),
                ca.if_else(ca.logic_or(sticks, ca.logic_not(self.taut)), 1, speed - _ENDS),
            ]
            specs += [_switch(f"{name}.{what}") for what in ("slip", "stick")]
        return g, specs


@dataclass(frozen=True, eq=False)
class ElasticSlips:
    """Elastic ropes with friction at sheaves, and heavy cables on pulleys, in a run event by event.

    Parameters
    ----------
    eom
        The equations, in which these ropes have no friction.
    sections
        Their sections.
    lost
        Energy that each sheave has taken, states.
    """

    eom: EquationsOfMotion
    sections: tuple[_Slips | HeavySlips, ...]
    lost: Expression

    @property
    def ropes(self) -> frozenset[str]:
        """Names of the ropes all of whose tensions come from here."""
        return frozenset(one.terms.rope.name for one in self.sections)

    @property
    def _sheaves(self) -> list[str]:
        return [name for one in self.sections for name in one.names]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the states."""
        return tuple(f"{what}.{name}" for what in ("material", "loss") for name in self._sheaves)

    @property
    def states(self) -> Expression:
        """Their symbols."""
        return ca.vertcat(ca.SX(0, 1), *(one.states for one in self.sections), self.lost)

    @property
    def rates(self) -> Expression:
        """Their rates."""
        losses = (one.losses for one in self.sections)
        return ca.densify(ca.vertcat(ca.SX(0, 1), *(one.rates for one in self.sections), *losses))

    def _total(self, what: str, driven: bool) -> Expression:
        kept = [one for one in self.sections if one.terms.rope.rheonomous is driven]
        return sum((getattr(one, what) for one in kept), ca.SX(self.eom.nv if what == "force" else 1, 1))

    @property
    def forces(self) -> tuple[Expression, Expression]:
        """Generalised forces of ropes that move in time, which count as inputs, and of others."""
        return self._total("force", True), self._total("force", False)

    @property
    def loss(self) -> Expression:
        """Power that the sheaves of ropes that do not move in time take."""
        kept = [one.loss for one in self.sections if not one.terms.rope.rheonomous]
        return sum(kept, ca.SX(0))

    @property
    def energy(self) -> Expression:
        """Strain energy of these, less that of the equations."""
        return self._total("energy", False)

    @property
    def events(self) -> tuple[list[Expression], list[EventSpec]]:
        """Events of all sheaves."""
        parts = [one.events for one in self.sections]
        return [g for part in parts for g in part[0]], [spec for part in parts for spec in part[1]]

    @cached_property
    def _tensions(self) -> dict[str, Expression]:
        """Tensions of the spans of these ropes."""
        found: dict[str, Any] = {}
        for one in self.sections:
            found |= one.pulls
        return found

    @property
    def pulls(self) -> dict[str, Expression]:
        """Tensions of all elastic ropes, by the names of spans."""
        return span_tensions(self.eom) | self._tensions

    @property
    def signals(self) -> list[tuple[str, Expression]]:
        """Tensions, slips, and which sheaves and pulleys stick."""
        return [signal for one in self.sections for signal in one.signals]


def damped_slips(belt: SectionTerms, states: Expression) -> DampedSlips:
    """Return a taut section with damping, from the rope before each sheave with its rim."""
    none = ca.SX.zeros(len(belt.rubs))
    return DampedSlips(belt, ca.SX(1), states, none, none)


def elastic_slips_of(eom: EquationsOfMotion) -> ElasticSlips:
    """Return the elastic ropes with friction at sheaves, for a run event by event."""
    found: ElasticSheaves = elastic_sheaves_of(eom)
    system = eom.constraint_system
    sections: list[_Slips | HeavySlips] = []
    for belt in found.belts:
        places = [[system.latch_index(f"{what}.{name}") for name in belt.names] for what in ("slips", "material0")]
        latches, started = (ca.vertcat(*(system.latches[place] for place in row)) for row in places)
        taut = system.latches[system.latch_index(f"taut.{belt.terms.name}")] > 0.5
        kind = _Slips if belt.terms.rope.damping == 0.0 else DampedSlips
        sections.append(kind(belt, taut, ca.SX.sym("material", len(belt.rubs)), latches, started))
    for terms in heavy_rubbing(eom):
        grown = ca.SX.sym("material")
        name = HeavyPulley(eom, terms, grown).name
        latch, started = (system.latches[system.latch_index(f"{what}.{name}")] for what in ("slips", "material0"))
        sections.append(HeavySlips(HeavyPulley(eom, terms, started + grown), grown, latch))
    count = sum(len(one.names) for one in sections)
    return ElasticSlips(eom, tuple(sections), ca.SX.sym("lost", count))
