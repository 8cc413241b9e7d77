"""Gear: a linear relation of coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from dalembert.core.parameter import Scalar
from dalembert.model.constraints.kind import Constraint, RowContext
from dalembert.model.kind_fields import Terms

__all__ = ["GearConstraint"]


@dataclass(frozen=True)
class GearConstraint(Constraint):
    """A linear relation of coordinates: ``sum c_j q_j = value``; gears, differentials, winches, levers.

    Parameters
    ----------
    terms
        Coefficients by joint (with one coordinate): a mapping, or pairs.
    value
        Right side; it may depend on time.

    Examples
    --------
    >>> import dalembert as da
    >>> da.GearConstraint("gear", {"motor": 1.0, "arm": -30.0}).terms
    (('motor', 1.0), ('arm', -30.0))
    """

    terms: Terms = ()
    value: Scalar = 0.0

    key = "gear"

    def rows(self, context: RowContext) -> ca.SX:
        """``sum c_j q_j - value``."""
        turned = (context.value(c) * context.coordinate(joint) for joint, c in self.terms)
        return sum(turned, ca.SX(0)) - context.value(self.value)
