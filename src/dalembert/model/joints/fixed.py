"""Fixed joint: no motion."""

from __future__ import annotations

from typing import Any

import casadi as ca

from dalembert.model.joints.kind import JointKind, Turn
from dalembert.spatial.alignment import rotation_error

__all__ = ["Fixed"]


class Fixed(JointKind):
    """No coordinates."""

    name = "fixed"
    q = ()
    v = ()
    neutral = ()

    def motion(self, q: Any) -> tuple[Any, Any]:
        """The identity."""
        return ca.SX.eye(3), ca.SX(3, 1)

    def subspace(self, q: Any) -> Any:
        """No columns."""
        return ca.SX(6, 0)

    def turns(self, q: Any) -> list[Turn]:
        """None at all."""
        return []

    def constraints(self, R: Any, p: Any) -> Any:
        """Neither position nor rotation differ."""
        return ca.vertcat(p, rotation_error(R))

    def state(self, R: Any, p: Any, pdot: Any, w: Any) -> tuple[Any, Any]:
        """No coordinates."""
        return ca.SX(0, 1), ca.SX(0, 1)
