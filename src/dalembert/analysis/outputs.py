"""Signals of frames as outputs of linear models: positions, velocities and rates, in world axes."""

from __future__ import annotations

import casadi as ca

from dalembert.core.types import Expression
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["COMPONENTS", "frame_signal", "is_frame_signal"]

COMPONENTS = ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz")
"""Components of a frame: position of its origin, velocity of its origin, rate of rotation."""


def is_frame_signal(eom: EquationsOfMotion, name: str) -> bool:
    """Whether a name such as ``"tool.x"`` or ``"tool.wz"`` is a component of a frame of the machine."""
    frame, _, component = name.rpartition(".")
    return component in COMPONENTS and frame in eom.machine.tree.frames


def frame_signal(eom: EquationsOfMotion, name: str) -> Expression:
    """The component of a frame as an expression in the coordinates, velocities and parameters of the equations.

    Parameters
    ----------
    eom
        The equations.
    name
        ``FRAME.x`` to ``FRAME.z`` (position), ``FRAME.vx`` to ``.vz`` (velocity) and ``FRAME.wx`` to ``.wz`` (rate of
        rotation).
    """
    s = eom.symbolic
    frame, _, component = name.rpartition(".")
    axis = "xyz".index(component[-1])
    if len(component) == 1:
        return ca.SX(s.pose(frame)[axis, 3])
    twist = s.jacobian(frame, "world") @ s.v
    return ca.SX(twist[axis if component[0] == "v" else 3 + axis])
