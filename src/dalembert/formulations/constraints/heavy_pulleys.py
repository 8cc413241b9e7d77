"""Friction of heavy cables on their pulleys: one state per cable, the cable beyond its pulley.

A heavy cable hangs as an elastic catenary from its pulley to its anchor. Its unstretched length ``l`` from where it
enters the pulley and the place of its anchor give its tension ``T`` there; the rest of the cable, ``n = length + payout
- l``, is in the straight lead of length ``s`` to the winch, with the tension ``T_0 = EA (s / n - 1)``. The law of the
pulley with the angle of wrap ``phi`` is that of a cable whose weight presses on the arc, too,

    dT/da = w r cos(a) +- mu (T + w r sin(a))    along the arc from the lead on, 0 <= a <= phi

whose solutions are, without the stretch of the arc and with ``b = 2 mu w r / (1 + mu^2)``,

    l' > 0    T + mu b sin(phi) + b cos(phi) = e^(mu phi) (T_0 + b)
    l' < 0    T_0 - b = e^(mu phi) (T + mu b sin(phi) - b cos(phi))

and ``l' = 0`` in between; without weight these are the ratios of Euler (1769) and Eytelwein (1808). So a catenary is
one more law of a span in `elastic_slips`. While it slips, ``l'`` follows from the rate of this condition. The energy of
strain and weight changes with ``l`` by

    dU/dl = (T_0 + T_0^2 / (2 EA)) - (T + T^2 / (2 EA)),

of which the pulley takes ``-dU/dl l' >= 0``. All other forces are derivatives of this energy at the same ``l``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca

from dalembert.core.types import Expression
from dalembert.engine.problem.problem import EventSpec
from dalembert.formulations.base import RopeTerms
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.cables import Cable
from dalembert.model.ropes import Hanging
from dalembert.model.ropes.elements import CLAMPS

__all__ = ["HeavyPulley", "HeavySlips", "heavy_rubbing"]

_STABLE = 100.0  # rate [1/s] at which an error of the ratio decays while the cable slips
_BEYOND = 1e-9  # part by which a ratio passes its limit before the cable slips
_FITS = 1e-9  # part of its length by which a catenary may miss its end


@dataclass(frozen=True, eq=False)
class HeavyPulley:
    """A heavy cable on its pulley, on the symbols of its equations.

    Parameters
    ----------
    eom
        The equations, in which the cable has no friction.
    terms
        The cable in these.
    length
        Its unstretched length beyond the entry of the pulley.
    """

    eom: EquationsOfMotion
    terms: RopeTerms
    length: Expression

    @property
    def cable(self) -> Cable:
        """The cable."""
        assert isinstance(self.terms.rope, Cable)
        return self.terms.rope

    @property
    def name(self) -> str:
        """Name of the pulley, after its cable."""
        return f"{self.cable.name}.{self.cable.rubbing[0].label}"

    @cached_property
    def shape(self) -> Hanging:
        """How it hangs."""
        return self.cable.beyond(self.eom.constraint_system.context, self.length)

    @property
    def tensions(self) -> tuple[Expression, Expression]:
        """Tensions before the pulley, at the winch, and beyond it."""
        return _tensions(self.shape)

    @property
    def wrap(self) -> Expression:
        """Angle of wrap."""
        return _wrap(self.shape)

    @cached_property
    def rooms(self) -> tuple[Expression, Expression]:
        """How far it is from slipping towards the anchor, and towards the winch [N]."""
        return self._rooms_of(self.shape)

    def _rooms_of(self, shape: Hanging) -> tuple[Expression, Expression]:
        (before, beyond), wrap, context = _tensions(shape), _wrap(shape), self.eom.constraint_system.context
        mu, weight = context.value(self.cable.friction), shape.w * context.value(self.cable.pulley)
        ratio = ca.exp(ca.fmin(self.cable.rubbing[0].kappa(wrap, context), CLAMPS))
        b = 2 * mu * weight / (1 + mu**2)
        pressed, leans = beyond + mu * b * ca.sin(wrap), b * ca.cos(wrap)
        return ratio * (before + b) - (pressed + leans), ratio * (pressed - leans) - (before - b)

    def room_rates(self, states: Expression) -> list[tuple[Expression, Expression]]:
        """Rates of both rooms while it sticks, and their derivatives by ``states``, of which its length is a sum.

        They are the derivatives of the equations that its shape solves, not of the steps that lead to the solution.
        """
        s, shape = self.eom.symbolic, self.shape
        x = ca.SX.sym("solution", 4)
        hangs, missed = self.cable.beyond_with(self.eom.constraint_system.context, self.length, x)
        rooms = ca.vertcat(*self._rooms_of(hangs))

        def given(of: Expression) -> Expression:
            along = ca.jtimes(of, s.q, s.coordinate_rate) + ca.jacobian(of, s.t)
            return ca.horzcat(along, ca.jacobian(of, states))

        follows = ca.solve(ca.jacobian(missed, x), -given(missed))
        rates = given(rooms) + ca.jacobian(rooms, x) @ follows
        assert shape.psi is not None
        rates = ca.substitute(rates, x, ca.vertcat(shape.psi, shape.L, shape.H, shape.V))
        return [(rates[k, 0], rates[k, 1]) for k in range(2)]

    @cached_property
    def force(self) -> Expression:
        """Its generalised force, less that which the equations have without friction."""
        s = self.eom.symbolic
        gradient = self.shape.gradient(s.q) @ ca.jacobian(s.coordinate_rate, s.v)
        return ca.densify(-gradient.T - self.terms.force)

    @property
    def energy(self) -> Expression:
        """Its energy, less that of the equations."""
        return self.shape.potential - self.terms.energy

    @property
    def worth(self) -> Expression:
        """Energy that the pulley takes by the unstretched length that slips towards the anchor."""
        (before, beyond), EA = self.tensions, self.shape.EA
        return (beyond - before) * (1 + (beyond + before) / (2 * EA))

    @property
    def stretch(self) -> Expression:
        """Mean stretch of what slips."""
        return 1 + sum(self.tensions) / (2 * self.shape.EA)

    @property
    def signals(self) -> list[tuple[str, Expression]]:
        """Its tensions, its first own frequency and its wrap."""
        s, name, shape = self.eom.symbolic, self.cable.name, self.shape
        gravity = ca.vertcat(*[ca.SX(s.value(x)) for x in self.eom.machine.gravity])
        start, end = shape.tensions
        return [
            (f"tension.{name}", end),
            (f"tension_start.{name}", start),
            (f"tension_winch.{name}", self.tensions[0]),
            (f"own_frequency.{name}", shape.frequency(gravity)),
            (f"wrap.{self.name}", self.wrap),
        ]


def _tensions(shape: Hanging) -> tuple[Expression, Expression]:
    assert shape.entry is not None
    return shape.winch_tension, shape.entry


def _wrap(shape: Hanging) -> Expression:
    assert shape.psi is not None
    return ca.pi - shape.psi


@dataclass(frozen=True, eq=False)
class HeavySlips:
    """A heavy cable on its pulley in a run event by event.

    Parameters
    ----------
    pulley
        The cable, with the length ``started + states``.
    states
        Growth of its length beyond the pulley since the start.
    latches
        1 where it slips.
    """

    pulley: HeavyPulley
    states: Expression
    latches: Expression

    @property
    def terms(self) -> RopeTerms:
        """The cable in the equations."""
        return self.pulley.terms

    @property
    def names(self) -> list[str]:
        """Name of the pulley."""
        return [self.pulley.name]

    @cached_property
    def _forward(self) -> Expression:
        """Whether it slips towards the anchor, if it does."""
        before, beyond = self.pulley.tensions
        return beyond >= before

    @cached_property
    def _rates(self) -> list[tuple[Expression, Expression]]:
        """Rates of both rooms while it sticks, and their derivatives by the length."""
        return self.pulley.room_rates(self.states)

    @cached_property
    def rates(self) -> Expression:
        """Rate of its length: zero while it sticks, and else that which keeps the ratio."""
        outward, inward = (
            -(stuck + _STABLE * room) / grows
            for room, (stuck, grows) in zip(self.pulley.rooms, self._rates, strict=True)
        )
        return ca.if_else(self.latches > 0.5, ca.if_else(self._forward, outward, inward), 0)

    @property
    def losses(self) -> Expression:
        """Power that the pulley takes."""
        return self.pulley.worth * self.rates

    @property
    def loss(self) -> Expression:
        """The same."""
        return self.losses

    @property
    def force(self) -> Expression:
        """Generalised force, less that which the equations have without friction."""
        return self.pulley.force

    @property
    def energy(self) -> Expression:
        """Energy, less that of the equations."""
        return self.pulley.energy

    @property
    def events(self) -> tuple[list[Expression], list[EventSpec]]:
        """How far it is from slipping while it sticks, its slip while it slips, and whether it hangs."""
        EA, name, slip = self.pulley.shape.EA, self.pulley.name, self.rates
        size = ca.fmax(*self.pulley.tensions)
        # a ratio that has drifted past its limit does no harm while it comes back
        rooms = [
            ca.fmax(room, stuck / _STABLE) for room, (stuck, _) in zip(self.pulley.rooms, self._rates, strict=True)
        ]
        g: list[Any] = [
            ca.if_else(self.latches > 0.5, 1, (ca.fmin(*rooms) + _BEYOND * size) / EA),
            ca.if_else(self.latches > 0.5, ca.if_else(self._forward, slip, -slip), 1),
            _FITS - self.pulley.shape.error,
        ]
        what = ("slip", "stick")
        specs = [EventSpec(f"{name}.{one}", direction=-1, switches=True, positive=True) for one in what]
        return g, [*specs, EventSpec(f"{name}.catenary", terminal=True, direction=-1)]

    @property
    def pulls(self) -> dict[str, Expression]:
        """Tension at its anchor."""
        return {self.pulley.cable.name: self.pulley.shape.tensions[1]}

    @property
    def signals(self) -> list[tuple[str, Expression]]:
        """Tensions, slip speed, and whether it sticks."""
        name = self.pulley.name
        more = [(f"slip.{name}", self.rates * self.pulley.stretch), (f"stick.{name}", self.latches < 0.5)]
        return [*self.pulley.signals, *more]


def heavy_rubbing(eom: EquationsOfMotion) -> list[RopeTerms]:
    """Heavy cables with friction on their pulleys."""
    rubbing = {cable.name for cable in eom.machine.cables if cable.rubbing}
    return [terms for terms in eom.formulation.elastic_ropes() if terms.rope.name in rubbing] if rubbing else []
