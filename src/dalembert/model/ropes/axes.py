"""Axes of wheels in the tree of a machine: which node alone turns them, and where they are in the neutral posture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from dalembert.core.parameter import Scalar, nominal
from dalembert.core.types import Array
from dalembert.model.joints import JointKind
from dalembert.model.transform import Transform
from dalembert.spatial.rotations import snap

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["NeutralContext", "carried_axis"]

_SAMPLES = 3  # random postures of a joint at which an axis is compared


def carried_axis(machine: Machine, frame: str, axis: Array) -> tuple[int, Array]:
    """Return the node that turns a direction fixed in a frame, as the direction is in that node; -1 is the world.

    Joints that leave the direction as it is (that turn about it, or only slide) are passed: two directions stay
    parallel whatever the machine does if they are so in the same node.
    """
    index, pose = machine.tree.frames[frame]
    direction = _numbers(pose.rotation) @ axis
    while index >= 0:
        node = machine.tree.nodes[index]
        if node.station is not None or not _keeps(node.joint.mechanism(), direction):
            break
        index, direction = node.parent, _numbers(node.placement.rotation) @ direction
    return index, np.array([snap(x) for x in direction])


def _keeps(kind: JointKind, direction: Array) -> bool:
    """Whether a joint leaves a direction as it is."""
    rng = np.random.default_rng(0)
    for _ in range(_SAMPLES):
        q = np.array(rng.uniform(-1.0, 1.0, size=kind.nq))
        if kind.quaternion is not None:
            four = slice(kind.quaternion, kind.quaternion + 4)
            q[four] /= np.linalg.norm(q[four])
        R, _, _ = kind.posed(q)
        if np.abs(R @ direction - direction).max() > 1e-12:
            return False
    return True


def _numbers(rotation: tuple[tuple[Scalar, ...], ...]) -> Array:
    return np.array([[nominal(x) for x in row] for row in rotation])


@dataclass(frozen=True)
class NeutralContext:
    """A machine in its neutral configuration at time zero, with nominal parameters: a `MachineContext` of numbers."""

    machine: Machine

    def pose(self, frame: str) -> tuple[ca.SX, ca.SX]:
        """Rotation and position of a frame."""
        tree = self.machine.tree
        index, pose = tree.frames[frame]
        while index >= 0:
            node = tree.nodes[index]
            if node.station is not None and node.elastic is not None:
                R, p = node.elastic.section_pose(node.station)
                pose = Transform(p, R) @ pose  # type: ignore[arg-type]
            pose, index = node.placement @ pose, node.parent
        p = np.array([nominal(x) for x in pose.translation])
        return ca.SX(_numbers(pose.rotation)), ca.SX(p)

    def coordinate(self, joint: str) -> ca.SX:
        """Zero."""
        return ca.SX(0.0)

    def lies_on(self, obstacle: str, otherwise: ca.SX) -> ca.SX:
        """The geometric condition."""
        return otherwise

    def counted(self, angle: str) -> ca.SX:
        """None."""
        return ca.SX(0.0)

    def value(self, scalar: Scalar) -> ca.SX:
        """The nominal value."""
        return ca.SX(nominal(scalar))
