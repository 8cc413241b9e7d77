"""Gear: a linear relation of coordinates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

import casadi as ca

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, depends_on_time, nominal
from dalembert.model.constraints.kind import Constraint, RelativeRates, RowContext, Rubbing
from dalembert.model.kind_fields import JointName, Terms

__all__ = ["GearConstraint"]


@dataclass(frozen=True)
class GearConstraint(Constraint):
    """A linear relation of coordinates: ``sum c_j q_j = value``; gears, differentials, winches, levers.

    With an efficiency, its teeth rub. The friction is proportional to the tooth force, which is the multiplier of the
    gear: it holds a load at rest, and the gear transmits the part ``efficiency`` of the power of the first joint, and
    ``back_efficiency`` of that of the second one. A gear whose ``back_efficiency`` is not positive is self-locking.

    Parameters
    ----------
    terms
        Coefficients by joint (with one coordinate): a mapping, or pairs.
    value
        Right side; it may depend on time.
    efficiency
        Part of the power that arrives at the second joint where the first one drives, between 0 and 1.
    back_efficiency
        The same from the second joint to the first; by default ``2 - 1/efficiency``, the same loss of torque both ways.
    carrier
        Joint of the carrier of a planetary gear. Its teeth slide at rates relative to the carrier; efficiencies are
        those at rest of the carrier.

    Examples
    --------
    >>> import dalembert as da
    >>> da.GearConstraint("gear", {"motor": 1.0, "arm": -30.0}).terms
    (('motor', 1.0), ('arm', -30.0))
    >>> da.GearConstraint("worm", {"motor": 1.0, "drum": -40.0}, efficiency=0.44).self_locking
    True
    """

    terms: Terms = ()
    value: Scalar = 0.0
    efficiency: Scalar | None = None
    back_efficiency: Scalar | None = None
    carrier: JointName | None = None

    key = "gear"
    units = MappingProxyType({"efficiency": "1", "back_efficiency": "1"})

    def __post_init__(self) -> None:
        super().__post_init__()
        what = f"constraint '{self.name}'"
        if self.efficiency is None:
            for name in ("back_efficiency", "carrier"):
                if getattr(self, name) is not None:
                    raise MachineError(f"{what} has a {name.replace('_', ' ')}, but no efficiency: give efficiency=")
            return
        for name in ("efficiency", "back_efficiency"):
            if depends_on_time(getattr(self, name) or 0.0):
                raise MachineError(f"{name} of {what} must not depend on time")
        eta, back = nominal(self.efficiency), nominal(self._back)
        if not 0.0 < eta < 1.0:
            raise MachineError(f"efficiency of {what} must be above 0 and below 1, got {eta:g}")
        if not back < 1.0:
            raise MachineError(f"back efficiency of {what} must be below 1, got {back:g}")
        if self.switchable:
            raise MachineError(f"{what} has friction at its teeth, so it cannot be switchable")
        self._check_wheels(what)

    def _check_wheels(self, what: str) -> None:
        """Refuse terms that do not say which two wheels rub."""
        names, numbers = [joint for joint, _ in self.terms], [nominal(c) for _, c in self.terms]
        wheels = "two terms" if self.carrier is None else f"terms of two wheels, then of its carrier '{self.carrier}'"
        if len(set(names)) != (2 if self.carrier is None else 3) or names[2:] != [self.carrier][: len(names) - 2]:
            raise MachineError(f"{what} has an efficiency, so it must have {wheels}, got {', '.join(names)}")
        if numbers[0] == 0.0 or numbers[1] == 0.0:
            raise MachineError(f"{what} has an efficiency, so neither of its wheels may have the coefficient 0")
        if self.carrier is not None and abs(sum(numbers)) > 1e-9 * abs(numbers[0]):
            raise MachineError(
                f"{what}: coefficients of a planetary gear must add up to zero, because it turns as a whole, got "
                f"{', '.join(f'{c:g}' for c in numbers)}"
            )

    @property
    def _back(self) -> Scalar:
        if self.back_efficiency is not None or self.efficiency is None:
            return self.back_efficiency if self.back_efficiency is not None else 1.0
        return 2.0 - 1.0 / self.efficiency

    @property
    def self_locking(self) -> bool:
        """Whether no load on the second joint turns the first one."""
        return self.efficiency is not None and nominal(self._back) <= 0.0

    @property
    def rubs(self) -> bool:
        """Whether its teeth rub."""
        return self.efficiency is not None

    def without_friction(self) -> GearConstraint:
        """Return it without losses."""
        return replace(self, efficiency=None, back_efficiency=None, carrier=None)

    def rows(self, context: RowContext) -> ca.SX:
        """``sum c_j q_j - value``."""
        turned = (context.value(c) * context.coordinate(joint) for joint, c in self.terms)
        return sum(turned, ca.SX(0)) - context.value(self.value)

    def rubbing(self, context: RowContext, rates: RelativeRates) -> Rubbing | None:
        """Friction of the teeth, ``|f| <= k |lambda|`` against the rate ``w`` of the first joint.

        The rates ``w_1`` and ``-c_2/c_1 w_2`` of the two wheels (relative to the carrier) have the mean ``w`` with the
        weights ``a`` and ``b``. While the gear slips, forces on the wheels are ``c_1 lambda (1 +- a)`` and
        ``c_2 lambda (1 -+ b)``: ``eta = (1 - b)/(1 + a)``, ``eta_b = (1 - a)/(1 + b)`` and ``k = |c_1| (a + b)``.
        With the lead angle ``la`` of a worm and its friction angle ``rho``, ``eta = tan(la)/tan(la + rho)`` and
        ``eta_b = tan(la - rho)/tan(la)``.
        """
        if self.efficiency is None:
            return None
        eta, back = (context.value(x) for x in (self.efficiency, self._back))
        product = 1 - eta * back
        a, b = (1 - 2 * back + eta * back) / product, (1 - 2 * eta + eta * back) / product
        frame = ca.SX(0) if self.carrier is None else rates.of_joint(self.carrier)
        (first, c_1), (second, c_2) = ((joint, context.value(c)) for joint, c in self.terms[:2])
        w = (a * (rates.of_joint(first) - frame) - b * c_2 / c_1 * (rates.of_joint(second) - frame)) / (a + b)
        return Rubbing(w, ca.fabs(c_1) * (a + b), (0, 1))
