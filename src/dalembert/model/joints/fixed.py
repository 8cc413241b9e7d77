"""Fixed joint: no motion."""

from __future__ import annotations

import casadi as ca

from dalembert.core.types import Expression
from dalembert.model.joints.kind import JointKind, Turn
from dalembert.spatial.alignment import rotation_error

__all__ = ["Fixed"]


class Fixed(JointKind):
    """No coordinates."""

    name = "fixed"
    q = ()
    v = ()
    neutral = ()

    def motion(self, q: Expression) -> tuple[Expression, Expression]:
        """The identity."""
        return ca.SX.eye(3), ca.SX(3, 1)

    def subspace(self, q: Expression) -> Expression:
        """No columns."""
        return ca.SX(6, 0)

    def turns(self, q: Expression) -> list[Turn]:
        """None at all."""
        return []

    def constraints(self, R: Expression, p: Expression) -> Expression:
        """Neither position nor rotation differ."""
        return ca.vertcat(p, rotation_error(R))

    def state(self, R: Expression, p: Expression, pdot: Expression, w: Expression) -> tuple[Expression, Expression]:
        """No coordinates."""
        return ca.SX(0, 1), ca.SX(0, 1)
