"""Memory of ropes in runs by time-stepping: the obstacles on which they lie, and turns about wheels.

No events are located: at the end of each step a rope lies on an obstacle if it reaches it, leaves it where its angle of
wrap is not positive any more, and counts the half turns of its angles. The way of a rope has no kink in between, so
that the error of a step is that of the others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from dalembert.core.types import Expression
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["RopeMemory"]


@dataclass(frozen=True, eq=False)
class RopeMemory:
    """Latches of inextensible ropes that steps set.

    Parameters
    ----------
    eom
        The equations.
    """

    eom: EquationsOfMotion

    @cached_property
    def latches(self) -> list[int]:
        """Places in the latches of the constraints."""
        if not self.eom.constrained:
            return []
        names = self.eom.constraint_system.latch_names
        return [i for i, name in enumerate(names) if name.startswith(("on.", "halves."))]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the states."""
        return tuple(self.eom.constraint_system.latch_names[i] for i in self.latches)

    @property
    def states(self) -> Expression:
        """Their symbols."""
        return ca.vertcat(ca.SX(0, 1), *(self.eom.constraint_system.latches[i] for i in self.latches))

    def rates(self, h: Expression, dv: Expression) -> Expression:
        """Rates that take the states to the end of a step, from the middle of it and with the change of velocities."""
        if not self.latches:
            return ca.SX(0, 1)
        s = self.eom.symbolic
        end = self.eom.formulation.moved((h / 2) * (s.v + dv))
        found = self._found
        new = ca.vertcat(*(found[name] for name in self.names))
        new = ca.substitute(new, ca.vertcat(s.q, s.t), ca.vertcat(end, s.t + h / 2))
        return ca.densify((new - self.states) / h)

    @cached_property
    def _found(self) -> dict[str, Expression]:
        """The latches as they are to be in a configuration."""
        system = self.eom.constraint_system
        found: dict[str, Expression] = {}
        for rope, route in system.routes.items():
            lying: dict[str, Expression] = {}
            for meeting in route.meetings:
                name = f"{rope}.{meeting.name}"
                before = system.latches[system.latch_index(f"on.{name}")] > 0.5
                on = ca.if_else(before, meeting.leaves > 0, meeting.meets <= 0)
                found[f"on.{name}"], lying[name] = on, ca.logic_and(before, on)
            for angle in route.counted:
                place = system.latch_index(f"halves.{angle.name}")
                if place >= 0:
                    more = ca.floor((angle.angle - angle.centre) / math.pi + 0.5)
                    found[f"halves.{angle.name}"] = ca.if_else(
                        lying.get(angle.name, ca.SX(1)), system.latches[place] + more, 0
                    )
        return found
