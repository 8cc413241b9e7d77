"""Friction of elastic ropes at sheaves, step by step: one state per sheave and a return mapping.

A section of an elastic rope has spans ``i`` of the lengths ``L_i(q)``, each arc cut at a direction fixed in the body
that carries its sheave, in which there is rope of the natural lengths ``l_i``,

    T_i = EA (L_i / l_i - 1) + EA' (L_i' - l_i') / l_i,    l_i = m_i - m_{i-1},    m_k = payout - rim_k + s_k

with the rope ``m_k`` before sheave k. While the rope sticks, ``s_k`` grows by ``rim' e / (1 + e)`` with the strain
``e`` of the span that it comes from: the rim carries stretched rope along, which makes belts creep. A step first lets
all sheaves stick, then moves rope ``d_k`` past those that cannot hold it, so that (Euler, 1769; Eytelwein, 1808)

    d_k = 0   e^-kappa T_k <= T_{k+1} <= e^kappa T_k
    d_k > 0   T_{k+1} = e^kappa T_k
    d_k < 0   T_k = e^kappa T_{k+1}

These are solved together: projected Gauss-Seidel sweeps find the sheaves that slip, and Newton's method with this
active set is exact (M. Hintermueller, K. Ito and K. Kunisch, SIAM Journal on Optimization 13 (2002) 865-888); its
matrices are tridiagonal M-matrices. Limiting the ratios one after another, without taking slips back, is not enough.
The signal ``friction_error`` tells by how much the law is broken. A slack rope has one strain everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import casadi as ca

from dalembert.core.errors import InputError
from dalembert.core.types import Expression
from dalembert.formulations.base import RopeTerms
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.ropes import RouteSection, Rub

__all__ = [
    "RUNS",
    "ElasticSheaves",
    "SectionTerms",
    "elastic_sheaves_of",
    "eliminated",
    "return_mapping",
    "span_lengths",
    "span_tensions",
]

_ROUNDS, _SWEEPS, _STEPS = 2, 3, 3  # rounds of the search, sweeps that find its active set, and Newton steps with it
_INSTANT = 1e-12  # time [s] in which no rope moves that counts
RUNS = 1e-6  # speed [m/s] of rope past a sheave at the start from which on it slips
_CREEPS = 1e-2  # part of the speed of a rim up to which it is creep: the strain of the rope


def return_mapping(
    tension: Callable[[int, Any], tuple[Any, Any]], kappa: Expression, taut: Any, *, ring: bool
) -> tuple[Expression, Expression, Expression]:
    """Rope that slips past each sheave, tensions, and by how much these break the law at most.

    Parameters
    ----------
    tension
        Tension of a span (its number) out of which a length of rope has slipped, and how it grows with this length.
    kappa
        Largest ``|ln(T2/T1)|`` of the sheaves: n - 1, or n of a ring, whose first sheave is between its last span and
        its first.
    taut
        Whether the rope is taut; a slack one has one strain everywhere.
    ring
        Whether the rope is a belt.
    """
    m = int(kappa.shape[0])
    n = m if ring else m + 1
    before = [(k - 1) % n if ring else k for k in range(m)]
    after = [k if ring else k + 1 for k in range(m)]
    between = list(zip(before, after, strict=True))
    d, left = [ca.SX(0)] * m, [ca.SX(0)] * n
    E = [ca.if_else(taut, ca.exp(kappa[k]), 1.0) for k in range(m)]

    def pull(i: int) -> tuple[Any, Any]:
        return tension(i, left[i])

    def slip(k: int, new: Any) -> None:
        i, j = between[k]
        left[i], left[j] = left[i] + (new - d[k]), left[j] - (new - d[k])
        d[k] = new

    def limits(k: int) -> tuple[Any, Any]:
        """Slips between which a sheave holds, to first order."""
        (T_i, c_i), (T_j, c_j) = (pull(span) for span in between[k])
        return d[k] + (T_j - E[k] * T_i) / (c_j + E[k] * c_i), d[k] - (T_i - E[k] * T_j) / (c_i + E[k] * c_j)

    for _ in range(_ROUNDS if m > 1 else 1):
        for k in [*range(m), *reversed(range(m - 1))] * (_SWEEPS if m > 1 else 0):
            least, most = limits(k)
            slip(k, ca.fmax(least, ca.fmin(most, 0)))
        for _ in range(_STEPS):
            bounds = [limits(k) for k in range(m)]
            modes = [ca.if_else(least > 0, 1, ca.if_else(most < 0, -1, 0)) for least, most in bounds]
            if ring:
                modes = _one_holds(modes, kappa, [ca.fmax(least, -most) for least, most in bounds])
            T, c = zip(*(pull(i) for i in range(n)), strict=True)
            rows = [[ca.SX(0)] * m for _ in range(m)]
            right: list[Any] = []
            for k, (i, j) in enumerate(between):
                slides = modes[k] != 0
                weight_i, weight_j = ca.if_else(modes[k] > 0, E[k], 1), ca.if_else(modes[k] < 0, E[k], 1)
                for other in range(m):
                    taken = [_change(span, other, before, after) * c[span] for span in (i, j)]
                    change = weight_i * taken[0] - weight_j * taken[1]
                    rows[k][other] = ca.if_else(slides, change, 1.0 if k == other else 0.0)
                right.append(ca.if_else(slides, weight_j * T[j] - weight_i * T[i], -d[k]))
            for k, step in enumerate(eliminated(rows, right)):
                slip(k, d[k] + step)
    found = [pull(i)[0] for i in range(n)]
    size = ca.mmax(ca.vertcat(*(ca.fabs(x) for x in found))) + 1e-300
    broken = [
        ca.fmax(
            ca.fmax(found[j] - E[k] * found[i], found[i] - E[k] * found[j]),
            ca.if_else(d[k] > 0, E[k] * found[i] - found[j], ca.if_else(d[k] < 0, E[k] * found[j] - found[i], 0)),
        )
        / size
        for k, (i, j) in enumerate(between)
    ]
    tensions = [ca.if_else(taut, ca.fmax(x, 0), 0) for x in found]
    return ca.vertcat(*d), ca.vertcat(*tensions), ca.if_else(taut, ca.mmax(ca.vertcat(0, *broken)), 0)


def span_lengths(material: Expression, total: Expression, n: int, ring: bool) -> list[Any]:
    """Rope in each span."""
    if ring:
        return [*(material[k + 1] - material[k] for k in range(n - 1)), total + material[0] - material[n - 1]]
    inner = [material[0], *(material[k] - material[k - 1] for k in range(1, n - 1))]
    return [*inner, total - material[n - 2]]


def _change(span: int, sheave: int, before: list[int], after: list[int]) -> int:
    """1 if a slip past a sheave takes rope from a span, -1 if it brings rope into it."""
    return int(before[sheave] == span) - int(after[sheave] == span)


def _one_holds(modes: list[Any], kappa: Expression, excess: list[Any]) -> list[Any]:
    """Modes of the sheaves of a belt, of which one sticks if all would slip: the product of all ratios is 1.

    It is one of those that slip the way in which the ratios are too large together, that which slips least.
    """
    every, surplus = ca.SX(1), ca.SX(0)
    for k, mode in enumerate(modes):
        every, surplus = ca.logic_and(every, mode != 0), surplus + mode * kappa[k]
    ranks = [ca.if_else(mode * surplus >= 0, e, ca.inf) for mode, e in zip(modes, excess, strict=True)]
    least, held = ca.mmin(ca.vertcat(*ranks)), []
    for mode, rank in zip(modes, ranks, strict=True):
        holds = ca.logic_and(every, rank <= least)
        held.append(ca.if_else(holds, 0, mode))
        every = ca.logic_and(every, ca.logic_not(holds))
    return held


def eliminated(A: list[list[Any]], b: list[Any]) -> list[Any]:
    """Solve ``A x = b`` with an M-matrix, which needs no pivots."""
    A, b, m = [list(row) for row in A], list(b), len(b)
    for k in range(m):
        for i in range(k + 1, m):
            part = A[i][k] / A[k][k]
            A[i] = [A[i][j] - part * A[k][j] if j > k else ca.SX(0) for j in range(m)]
            b[i] = b[i] - part * b[k]
    x: list[Any] = [ca.SX(0)] * m
    for k in reversed(range(m)):
        x[k] = (b[k] - sum((A[k][j] * x[j] for j in range(k + 1, m)), ca.SX(0))) / A[k][k]
    return x


@dataclass(frozen=True, eq=False)
class SectionTerms:
    """A section of an elastic rope with friction, on the symbols of its equations."""

    eom: EquationsOfMotion
    terms: RopeTerms
    section: RouteSection
    states: Expression  # s_k of the sheaves
    begun: Expression  # 0 before the first step

    @property
    def ring(self) -> bool:
        """Whether it is a belt."""
        return self.section.ring is not None

    @property
    def rubs(self) -> tuple[Rub, ...]:
        """Sheaves with friction."""
        return self.section.wheels

    @property
    def names(self) -> list[str]:
        """Names of these sheaves, after their rope."""
        return [f"{self.terms.rope.name}.{rub.name}" for rub in self.rubs]

    @property
    def L(self) -> Expression:
        """Lengths of the spans."""
        return self.section.ways

    @property
    def rims(self) -> Expression:
        """Ways by which rims have turned, less the rope that is fed in at the start."""
        return ca.vertcat(*(rub.rim for rub in self.rubs)) - self.section.start

    @cached_property
    def rows(self) -> Expression:
        """Rates at which spans lengthen against the rope in them, by velocities (n x nv)."""
        runs = [rub.run for rub in self.rubs]
        end = self.section.way - self.section.payout
        first, last = ([], [end + runs[0]]) if self.ring else ([ca.SX(0)], [end])
        all_runs = [*first, *runs, *last]
        spans = ca.vertcat(*(b - a for a, b in pairwise(all_runs)))
        s = self.eom.symbolic
        return ca.jacobian(spans, s.q) @ ca.jacobian(s.coordinate_rate, s.v)

    @cached_property
    def span_of(self) -> dict[int, int]:
        """The span here of each place in the path."""
        ends = [*(count for count, _ in self.section.rubs), len(self.section.spans)]
        return {place: next(i for i, end in enumerate(ends) if k < end) for k, place in enumerate(self.section.spans)}

    @cached_property
    def mapping(self) -> ca.Function:
        """(q, v, t, p, s, begun, ways, creep, h) -> s, tensions, strains, slips past the sheaves in the time h, error.

        ``ways`` are the `ways` of the start, and count for the first step alone.
        """
        s, rope, m, n = self.eom.symbolic, self.terms.rope, len(self.rubs), int(self.L.shape[0])
        creep, h, ways = ca.SX.sym("creep", m), ca.SX.sym("h"), ca.SX.sym("ways", m)
        total = self.terms.length
        rims = self.rims
        stuck = ca.if_else(self.begun > 0.5, self.states + creep - rims, self.start(ways))
        kappa = ca.vertcat(*(rub.kappa for rub in self.rubs))
        assert rope.stiffness is not None
        EA, D, L = s.value(rope.stiffness), s.value(rope.damping), self.L
        l = ca.vertcat(*span_lengths(stuck, total, n, self.ring))
        viscous = D * self.stretch_rates(L / l - 1) / l

        def tension(i: int, left: Any) -> tuple[Any, Any]:
            rest, drag = l[i] - left, D / (l[i] * h)
            return EA * (L[i] / rest - 1) + viscous[i] + drag * left, EA * L[i] / rest**2 + drag

        taut = ca.logic_and(ca.sum1(L) > total, EA * (ca.sum1(L) - total) + ca.dot(l, viscous) > 0)
        slips, T, error = return_mapping(tension, kappa, taut, ring=self.ring)
        slips = ca.if_else(self.begun > 0.5, slips, 0)
        lengths = ca.vertcat(*span_lengths(stuck - slips, total, n, self.ring))
        outputs = [stuck - slips + rims, T, L / lengths - 1, slips, error]
        inputs = [s.q, s.v, s.t, s.p, self.states, self.begun, ways, creep, h]
        return ca.Function("mapping", inputs, ca.cse([ca.densify(x) for x in outputs]))

    @cached_property
    def ways(self) -> Expression:
        """1 or -1 where a rope that is not closed runs past a sheave, to which tensions grow; 0 where it sticks."""
        s = self.eom.symbolic
        if self.ring:
            return ca.SX.zeros(len(self.rubs))
        rates = self.rate(ca.vertcat(*(rub.run for rub in self.rubs)))
        least = ca.fmax(RUNS, _CREEPS * ca.fabs(self.rim_rates(s.v)))
        return ca.densify(ca.if_else(ca.fabs(rates) > least, -ca.sign(rates), 0))

    def start(self, ways: Expression) -> Expression:
        """Rope before each sheave at the start: tensions are equal, or in the ratios of sheaves that it runs past."""
        s, total, L = self.eom.symbolic, self.terms.length, self.L
        assert self.terms.rope.stiffness is not None
        EA = s.value(self.terms.rope.stiffness)
        mean = EA * (ca.sum1(L) / total - 1)
        ratios = [ca.SX(1)]
        for k, rub in enumerate(self.rubs if not self.ring else ()):
            ratios.append(ratios[-1] * ca.exp(ways[k] * rub.kappa))
        r = ca.if_else(mean > 0, ca.vertcat(*ratios), 1) if not self.ring else ca.SX.ones(L.shape[0])
        T = mean * ca.sum1(L) / ca.dot(L, r)
        for _ in range(5):  # so that all spans have the length of the rope
            one = 1 + r * T / EA
            T = T + (ca.sum1(L / one) - total) / ca.sum1(L * r / (EA * one**2))
        ends = ca.cumsum(L / (1 + r * T / EA))
        return ca.vertcat(0, ends[:-1]) if self.ring else ends[:-1]

    @property
    def between(self) -> list[tuple[int, int]]:
        """Spans before and after each sheave."""
        n = int(self.L.shape[0])
        return [((k - 1) % n, k) if self.ring else (k, k + 1) for k in range(len(self.rubs))]

    def rim_rates(self, v: Expression) -> Expression:
        """Speeds of the rims at velocities ``v``."""
        s = self.eom.symbolic
        rims = ca.vertcat(*(rub.rim for rub in self.rubs))
        return ca.jacobian(rims, s.q) @ ca.substitute(s.coordinate_rate, s.v, v)

    def rate(self, expression: Expression) -> Expression:
        """Rate of a function of the configuration and time."""
        s = self.eom.symbolic
        return ca.jtimes(expression, s.q, s.coordinate_rate) + ca.jacobian(expression, s.t)

    def pull(self, tensions: Expression, strains: Expression) -> Expression:
        """Generalised force of the spans. A drum that pays out unstretched rope has ``T + EA e^2 / 2`` per length."""
        s, section = self.eom.symbolic, self.section
        assert self.terms.rope.stiffness is not None
        further = s.value(self.terms.rope.stiffness) * strains**2 / 2
        ends = ((section.start, 0), (section.payout - section.start, int(self.L.shape[0]) - 1))
        drums = sum((ca.jacobian(fed, s.q).T * further[span] for fed, span in ends), ca.SX(s.q.shape[0], 1))
        return ca.jacobian(s.coordinate_rate, s.v).T @ drums - self.rows.T @ tensions

    def stretch_rates(self, strains: Expression) -> Expression:
        """``L_i' - l_i'`` of the spans while all sheaves stick."""
        carried = self.creep(self.eom.symbolic.v, strains, ca.SX(1))[0] - self.rate(self.rims)
        n = int(self.L.shape[0])
        return self.rate(self.L) - ca.vertcat(*span_lengths(carried, self.rate(self.terms.length), n, self.ring))

    def creep(self, v: Expression, strains: Expression, h: Expression) -> tuple[Expression, Expression]:
        """Growth of the states while rims turn at velocities ``v`` for ``h`` seconds, and the slip of creep.

        The strain changes from that of the span from which the rope comes to the other one, on the mean by half.
        """
        rates = self.rim_rates(v)
        grown, slips = [], []
        for k, (i, j) in enumerate(self.between):
            e, mean = ca.if_else(rates[k] > 0, strains[i], strains[j]), (strains[i] + strains[j]) / 2
            grown.append(h * rates[k] * e / (1 + e))
            slips.append(h * rates[k] * (mean - e) / (1 + e))
        return ca.vertcat(*grown), ca.vertcat(*slips)


@dataclass(frozen=True, eq=False)
class ElasticSheaves:
    """Elastic ropes with friction at sheaves in a machine.

    Parameters
    ----------
    eom
        The equations, in which these ropes have no friction.
    belts
        Their sections.
    """

    eom: EquationsOfMotion
    belts: tuple[SectionTerms, ...]
    _more: tuple[Expression, ...] = ()

    @property
    def ropes(self) -> frozenset[str]:
        """Names of the ropes all of whose tensions come from here."""
        return frozenset(belt.terms.rope.name for belt in self.belts)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the states: of each section whether it has begun, then of each sheave ``s``, slip speed and loss."""
        names: list[str] = []
        for belt in self.belts:
            names.append(f"begun.{belt.terms.name}")
            for what in ("material", "slip", "loss"):
                names += [f"{what}.{sheave}" for sheave in belt.names]
        return tuple(names)

    @cached_property
    def states(self) -> Expression:
        """Their symbols."""
        parts = [ca.SX(0, 1)]
        for belt, kept in zip(self.belts, self._more, strict=True):
            parts += [belt.begun, belt.states, kept]
        return ca.vertcat(*parts)

    def _mapped(self, belt: SectionTerms, creep: Expression, h: Any) -> Any:
        """Mapping in the middle of a step, whose start was a time ``h`` before."""
        s = self.eom.symbolic
        ways = self._ways(belt, h, s.q, s.v, s.t)
        return belt.mapping(s.q, s.v, s.t, s.p, belt.states, belt.begun, ways, creep, h)

    def _ways(self, belt: SectionTerms, past: Any, q: Expression, v: Expression, t: Expression) -> Expression:
        """Ways in which the rope runs past its sheaves in a first step that began a time ``past`` before the middle.

        Past a sheave that does not turn a rope in motion runs as it does in the state (q, v, t) within the step; past
        one that turns as at the start of the step, since the rope stretches before it slips there.
        """
        s, eom = self.eom.symbolic, self.eom
        rates = ca.vertcat(belt.rate(belt.L), belt.rate(belt.terms.length))
        before = [ca.vertcat(eom.formulation.moved(-past * s.v), s.t - past)]
        first, rates = ca.substitute([belt.ways, rates], [ca.vertcat(s.q, s.t)], before)
        within = ca.substitute(belt.ways, ca.vertcat(s.q, s.v, s.t), ca.vertcat(q, v, t))
        moves = ca.mmax(ca.fabs(rates)) > RUNS
        turns = [not ca.SX(ca.jacobian(rub.rim, s.q)).is_zero() for rub in belt.rubs]
        return ca.vertcat(*(first[k] if turn else ca.if_else(moves, within[k], 0) for k, turn in enumerate(turns)))

    def force(self, h: Expression) -> Expression:
        """Force in the middle of a step of length ``h``, without that which the equations have."""
        total = ca.SX(self.eom.nv, 1)
        for belt in self.belts:
            _, T, strains, _, _ = self._mapped(belt, self._half(belt, h), h / 2)
            total = total + belt.pull(T, ca.if_else(T > 0, strains, 0)) - belt.terms.force
        return ca.densify(total)

    def pulls(self, h: Expression) -> dict[str, Expression]:
        """Tensions of all elastic ropes in the middle of a step of length ``h``, by the names of spans."""
        found = span_tensions(self.eom)
        for belt in self.belts:
            T, names = self._mapped(belt, self._half(belt, h), h / 2)[1], belt.terms.rope.tension_names
            found |= {names[place]: T[span] for place, span in belt.span_of.items()}
        return found

    def _half(self, belt: SectionTerms, h: Expression) -> Expression:
        strains = self._mapped(belt, ca.SX.zeros(len(belt.rubs)), _INSTANT)[2]
        return belt.creep(self.eom.symbolic.v, strains, h / 2)[0]

    def tangents(self, h: Expression) -> tuple[Expression, Expression]:
        """Stiffness and damping of the spans in a step, beyond those of the whole rope, which the equations have.

        Sheaves that slip join spans: the least energy over the rope that moves past them, which is symmetric.
        """
        s, nv = self.eom.symbolic, self.eom.nv
        K, D = ca.SX(nv, nv), ca.SX(nv, nv)
        for belt in self.belts:
            A, soft, rope = belt.rows, 1 / belt.L, belt.terms.rope
            assert rope.stiffness is not None
            slides = ca.fabs(self._mapped(belt, self._half(belt, h), h / 2)[3]) > 0
            N = ca.SX.zeros(len(belt.rubs), A.shape[0])
            for k, (i, j) in enumerate(belt.between):
                N[k, i], N[k, j] = slides[k] * soft[i], -slides[k] * soft[j]
            across = ca.SX.zeros(*N.shape)
            for k, (i, j) in enumerate(belt.between):
                across[k, i], across[k, j] = slides[k], -slides[k]
            gram, moved = N @ across.T, N @ A
            m = range(len(belt.rubs))
            rows = [[gram[k, o] + (0 if k != o else 1 - slides[k]) for o in m] for k in m]
            if belt.ring:  # rope that runs around past all wheels changes nothing
                every = ca.mmin(slides)
                rows[0] = [ca.if_else(every, 1.0 if o == 0 else 0.0, entry) for o, entry in enumerate(rows[0])]
                moved[0, :] = ca.if_else(every, 0, moved[0, :])
            freed = ca.vertcat(*eliminated(rows, [moved[k, :] for k in m]))
            whole = ca.sum1(A)
            each = A.T @ ca.diag(soft) @ A - (N @ A).T @ freed - whole.T @ whole / ca.sum1(belt.L)
            K, D = K + s.value(rope.stiffness) * each, D + s.value(rope.damping) * each
        return K, D

    def rates(self, h: Expression, dv: Expression) -> Expression:
        """Rates that take the states to the end of a step, from the middle of it and with the change of velocities."""
        s, eom = self.eom.symbolic, self.eom
        d = (h / 2) * (s.v + dv)
        end = eom.formulation.moved(d)
        changes: list[Any] = [ca.SX(0, 1)]
        for belt in self.belts:
            middle = self._mapped(belt, self._half(belt, h), h / 2)
            creep, creeps = belt.creep(s.v + dv / 2, middle[2], h)
            at = (end, s.v + dv, s.t + h / 2)
            ways = self._ways(belt, h / 2, *at)
            new, T, strains, slips, _ = belt.mapping(*at, s.p, belt.states, belt.begun, ways, creep, h)
            means = [1 + (strains[i] + strains[j]) / 2 for i, j in belt.between]
            ways = ca.vertcat(*(slips[k] * mean for k, mean in enumerate(means)))
            lost = [(T[j] - T[i]) * (ways[k] + creeps[k]) for k, (i, j) in enumerate(belt.between)]
            old = self._more[self.belts.index(belt)][: len(belt.rubs)]
            changes += [(1 - belt.begun) / h, (new - belt.states) / h, (ways / h - old) / h, ca.vertcat(*lost) / h]
        return ca.densify(ca.vertcat(*changes))

    @property
    def signals(self) -> list[tuple[str, Expression]]:
        """Tensions of the spans, and by how much they break the law."""
        signals: list[tuple[str, Any]] = []
        for belt in self.belts:
            _, T, _, _, error = self._mapped(belt, ca.SX.zeros(len(belt.rubs)), _INSTANT)
            names = belt.terms.rope.tension_names
            signals += [(f"tension.{names[place]}", T[span]) for place, span in belt.span_of.items()]
            signals.append((f"friction_error.{belt.terms.name}", error))
        return signals


def span_tensions(eom: EquationsOfMotion) -> dict[str, Expression]:
    """Return tensions of elastic ropes and cables without friction at sheaves, by the names of spans."""
    return {one.rope.tension_names[k]: one.tension for one in eom.formulation.elastic_ropes() for k in one.spans}


def elastic_sheaves_of(eom: EquationsOfMotion) -> ElasticSheaves:
    """Return the elastic ropes with friction at sheaves."""
    belts, more = [], []
    routes = eom.constraint_system.routes if eom.machine.ropes else {}
    for terms in eom.formulation.elastic_ropes():
        rope = terms.rope
        if not rope.rubbing or rope.heavy:
            continue
        section = routes[rope.name].sections[rope.section_names.index(terms.name)]
        if not section.rubs:  # a belt with friction on one wheel has one tension
            continue
        if getattr(rope, "closed", False) and section.ring is None and not rope.cuts:
            raise InputError(
                f"rope '{rope.name}' is closed and has friction: begin its path at one of the wheels with friction "
                f"({', '.join(element.what for element in rope.rubbing)})"
            )
        m = len(section.rubs) + (section.ring is not None)
        belts.append(SectionTerms(eom, terms, section, ca.SX.sym("s", m), ca.SX.sym("begun")))
        more.append(ca.SX.sym("kept", 2 * m))
    return ElasticSheaves(eom, tuple(belts), tuple(more))
