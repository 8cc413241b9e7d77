"""Frames that carry shapes: bodies, and the segments of beams and rods, with their poses and Jacobians."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.collide.placed import collider_groups
from dalembert.core.parameter import nominal
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.axis_segments import AxisSegment, axis_segments
from dalembert.model.elastic.contract import Elastic
from dalembert.model.machine import Machine

__all__ = ["FrameMotions", "ShapeFrame", "ShapeMotion", "frame_poses", "half_lengths", "shape_frames"]


@dataclass(frozen=True)
class ShapeFrame:
    """A frame that moves and carries shapes: that of a body, or (``segment``) of a capsule of a beam or rod."""

    owner: str
    segment: AxisSegment | None = None


def shape_frames(machine: Machine) -> tuple[ShapeFrame, ...]:
    """Frames of all bodies in colliders that move, in the order of the bodies, from root to tip of beams and rods."""
    frames, groups, poses = list[ShapeFrame](), collider_groups(machine), machine.tree.frames
    for body in machine.bodies:
        if body.name not in groups or poses[body.name][0] < 0:
            continue
        if isinstance(body, Elastic):
            segments = axis_segments(body, groups[body.name], f"machine '{machine.name}'")
            frames += [ShapeFrame(body.name, segment) for segment in segments]
        elif any(g.collision for g in body.geometry):
            frames.append(ShapeFrame(body.name))
    return tuple(frames)


def half_lengths(segments: Sequence[AxisSegment]) -> list[float]:
    """Half of the distance of the two sections of each segment of the undeformed body."""
    deltas = {s.body.name: ca.SX.sym("delta", s.body.n_modes) for s in segments}
    ways = []
    for s in segments:
        one, two = (s.body.axis_section(at, deltas[s.body.name], nominal).p for at in (s.start, s.end))
        ways.append(ca.norm_2(two - one) / 2)
    halves = ca.Function("halves", [*deltas.values()], [ca.densify(ca.vertcat(ca.SX(0, 1), *ways))])
    return [float(x) for x in np.asarray(halves.call([ca.DM.zeros(d.shape) for d in deltas.values()])[0]).ravel()]


@dataclass(frozen=True, eq=False)
class ShapeMotion:
    """Motion of a frame that carries shapes, in axes of the world.

    Parameters
    ----------
    R, p
        Rotation and position.
    J
        Jacobian (6 x nv) of velocity and angular velocity.
    half, stretch
        Half of the length of a segment (of other frames zero), and its rates (1 x nv).
    """

    R: Expression
    p: Expression
    J: Expression
    half: Expression
    stretch: Expression


@dataclass(frozen=True, eq=False)
class _Motion:
    """Rotation, position and Jacobians of the velocity and the angular velocity (3 x nv), in axes of the world."""

    R: Expression
    p: Expression
    v: Expression
    w: Expression


class FrameMotions:
    """Poses and Jacobians of frames that carry shapes, on the symbols of the equations of a machine.

    The frame of a segment lies in the middle between the sections at its ends, a and b, with its z axis z from a to b.
    Its velocity and angular velocity are, with the distance l of the sections and their velocities v and rates w,

        (v_a + v_b)/2,    z x (v_b - v_a)/l + z z.(w_a + w_b)/2.

    The first term of the rate turns z as the sections do. The second one is the rotation of the surface about the axis.
    Half of the length grows by ``z.(v_b - v_a)/2``, so that ends of the segment are points of both sections.
    """

    def __init__(self, eom: EquationsOfMotion) -> None:
        self._eom = eom
        self._sections: dict[tuple[str, float], _Motion] = {}

    def of(self, frame: ShapeFrame) -> ShapeMotion:
        """Motion of a frame."""
        if frame.segment is None:
            body = self._body(frame.owner)
            return ShapeMotion(body.R, body.p, ca.vertcat(body.v, body.w), ca.SX(1, 1), ca.SX(1, self._eom.nv))
        a, b = (self._section(frame.segment.body, s) for s in (frame.segment.start, frame.segment.end))
        way = b.p - a.p
        length = ca.norm_2(way)
        z = way / length
        side = a.R[:, 1] + b.R[:, 1]
        x = side - z * ca.dot(side, z)
        x = x / ca.norm_2(x)
        turn = ca.skew(z) @ (b.v - a.v) / length + z @ (z.T @ (a.w + b.w)) / 2
        R = ca.horzcat(x, ca.cross(z, x), z)
        J = ca.vertcat((a.v + b.v) / 2, turn)
        return ShapeMotion(R, (a.p + b.p) / 2, J, length / 2, z.T @ (b.v - a.v) / 2)

    def _body(self, name: str) -> _Motion:
        R, p = (ca.SX(e) for e in self._eom.formulation.frame_pose(name))
        J = ca.SX(self._eom.formulation.jacobian(name))
        return _Motion(R, p, R @ J[:3, :], R @ J[3:, :])

    def _section(self, body: Elastic, s: float) -> _Motion:
        if (body.name, s) not in self._sections:
            self._sections[body.name, s] = self._made(body, s)
        return self._sections[body.name, s]

    def _made(self, body: Elastic, s: float) -> _Motion:
        """Motion of a section: that of the root's frame, and in it by the coordinates of the body."""
        eom, root = self._eom, self._body(body.name)
        delta = eom.symbolic.q[[eom.q_names.index(name) for name in body.q_names]]
        section = body.axis_section(s, delta, eom.formulation.variables.value)
        rates = ca.SX(body.n_modes, eom.nv)
        for k, name in enumerate(body.v_names):
            rates[k, eom.v_names.index(name)] = 1.0
        S, arm = ca.SX(section.S), root.R @ section.p
        v = root.v - ca.skew(arm) @ root.w + root.R @ (S[:3, :] @ rates)
        return _Motion(root.R @ section.R, root.p + arm, v, root.w + root.R @ (S[3:, :] @ rates))


def frame_poses(eom: EquationsOfMotion) -> Callable[[Array, Array], tuple[Array, Array]]:
    """Return the function (q, p) -> poses and halves of the lengths of the `shape_frames`.

    Poses are positions (3) and rotations by rows (9).
    """
    motions, s, rows = FrameMotions(eom), eom.symbolic, []
    for frame in shape_frames(eom.machine):
        motion = motions.of(frame)
        rows.append(ca.vertcat(motion.p, ca.vec(motion.R.T), motion.half).T)
    place = ca.Function("place", [s.q, s.p, s.t], [ca.densify(ca.vertcat(ca.SX(0, 13), *rows))])

    def places(q: Array, p: Array) -> tuple[Array, Array]:
        values = np.asarray(place(q, p, 0.0)).reshape(-1, 13)
        return values[:, :12], values[:, 12]

    return places
