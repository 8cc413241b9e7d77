"""Queries of the kinds of this room about their machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import casadi as ca

from dalembert.core.parameter import Scalar

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["MachineContext"]


class MachineContext(Protocol):
    """CasADi expressions of a machine's coordinates, time and parameters; formulations and pictures provide them."""

    @property
    def machine(self) -> Machine:
        """The machine."""

    def pose(self, frame: str) -> tuple[ca.SX, ca.SX]:
        """Rotation matrix and position of a frame in the world."""

    def coordinate(self, joint: str) -> ca.SX:
        """Coordinate of a joint that has one."""

    def lies_on(self, obstacle: str, otherwise: ca.SX) -> ca.SX:
        """Whether a rope lies on an obstacle (1 or 0): what a run remembers, or else ``otherwise``."""

    def counted(self, angle: str) -> ca.SX:
        """Half turns that a run has counted of an angle of a rope on a wheel; 0 where none is counted."""

    def value(self, scalar: Scalar) -> ca.SX:
        """Expression of a scalar; that of ``TIME`` is the time."""
