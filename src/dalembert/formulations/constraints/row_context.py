"""Poses, coordinates, rates and latches of a formulation, of which rows of constraints and routes of ropes are made."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from dalembert.core.errors import InputError
from dalembert.core.parameter import Scalar
from dalembert.core.ports import Formulation
from dalembert.formulations.constraints.latches import LatchTable
from dalembert.model.joint import WORLD
from dalembert.model.machine import Machine
from dalembert.spatial.rotations import quaternion_matrix

__all__ = ["FormulationContext", "FormulationRates", "world_pose"]


def world_pose(formulation: Formulation, frame: str) -> tuple[ca.SX, ca.SX]:
    """Rotation and position of a frame in the world."""
    R, p = formulation.frame_pose(frame)
    return ca.SX(R), ca.SX(p)


@dataclass(frozen=True)
class FormulationContext:
    """Context of the rows of a constraint (`RowContext`); ``held`` are the position and quaternion that it holds."""

    formulation: Formulation
    latches: LatchTable
    held: ca.SX | None = None

    @property
    def machine(self) -> Machine:
        """The machine."""
        machine: Machine = self.formulation.machine
        return machine

    def pose(self, frame: str) -> tuple[ca.SX, ca.SX]:
        """Rotation matrix and position of a frame in the world."""
        return world_pose(self.formulation, frame)

    def coordinate(self, joint: str) -> ca.SX:
        """Coordinate of a joint that has one."""
        return ca.SX(self.formulation.joint_coordinate(joint))

    def lies_on(self, obstacle: str, otherwise: ca.SX) -> ca.SX:
        """Whether a rope lies on an obstacle (1 or 0): the latch, or else ``otherwise``."""
        place = self.latches.index(f"on.{obstacle}")
        return otherwise if place < 0 else self.latches.symbols[place]

    def counted(self, angle: str) -> ca.SX:
        """Half turns that a run has counted of an angle; 0 where none is counted."""
        place = self.latches.index(f"halves.{angle}")
        return ca.SX(0.0) if place < 0 else self.latches.symbols[place]

    def value(self, scalar: Scalar) -> ca.SX:
        """Expression of a scalar."""
        return ca.SX(self.formulation.variables.value(scalar))

    def held_pose(self) -> tuple[ca.SX, ca.SX]:
        """Pose that the constraint has held since it began to act."""
        if self.held is None:
            raise InputError("rows use the pose that the constraint holds, but its kind declares none")
        return quaternion_matrix(self.held[3:]), self.held[:3]


@dataclass(frozen=True)
class FormulationRates:
    """Rates of joints and frames (`RelativeRates`)."""

    formulation: Formulation

    def of_joint(self, joint: str) -> ca.SX:
        """Rate of a joint with one coordinate."""
        return ca.SX(self.formulation.joint_rate(joint))

    def between(self, frame: str, other: str) -> tuple[ca.SX, ca.SX]:
        """Velocity of the origin and angular velocity of a frame relative to another one, in the axes of that."""
        (v_f, w_f), (v_o, w_o) = self._twist(frame), self._twist(other)
        (_, p_f), (R_o, p_o) = world_pose(self.formulation, frame), world_pose(self.formulation, other)
        return R_o.T @ (v_f - v_o - ca.cross(w_o, p_f - p_o)), R_o.T @ (w_f - w_o)

    def _twist(self, frame: str) -> tuple[ca.SX, ca.SX]:
        """Velocity and angular velocity in the world."""
        if frame == WORLD:
            return ca.SX.zeros(3), ca.SX.zeros(3)
        R, _ = world_pose(self.formulation, frame)
        twist = ca.SX(self.formulation.jacobian(frame)) @ self.formulation.variables.v
        return R @ twist[:3], R @ twist[3:]
