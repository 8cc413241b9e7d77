"""A motion in orbit on two industrial arms in a room, one of them on a rail (SPACE 9.2.2).

The arm that stands still carries the target, the other one, on its rail, the camera in place of the chaser's hand. The
motion in orbit is turned into the axes of the room, scaled to the reach of the arms, and moved apart by a safety
offset, so that a capture never lets them touch. Every command is checked against a security zone, the ranges of the
joints and of the rail before it is given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.inverse_kinematics import inverse_kinematics
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.body import cylinder
from dalembert.model.from_dh import machine_from_dh
from dalembert.model.joint import Limits
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame
from dalembert.model.transform import Transform
from dalembert.spatial.dh import DHRow, DHTable

__all__ = ["BenchCommand", "CaptureBench", "bench_arm"]

_RANGES = ((-180, 180), (-100, 110), (-60, 65), (-200, 200), (-120, 120), (-400, 400))
"""Ranges of the joints [deg]."""

_ZONE = ((0.5, 1.6), (-0.9, 0.9), (0.2, 1.8))
"""Where the ends of the tools may be, in axes of the arm's base: x, y, z [m]."""


def bench_arm(tool: float = 0.15) -> Machine:
    """An arm of six axes with the lengths and ranges of the IRB 2400/16 that SPACE 9.2 names; masses are own data.

    The frame ``eff`` is the end of a tool along the last axis.

    Parameters
    ----------
    tool
        Length of the tool [m].

    Examples
    --------
    >>> bench_arm().q_names
    ('q1', 'q2', 'q3', 'q4', 'q5', 'q6')
    """
    right = math.pi / 2
    rows = [
        (0.0, 0.615, 0.100, -right),
        (-right, 0.0, 0.705, 0.0),
        (0.0, 0.0, 0.135, -right),
        (0.0, 0.755, 0.0, right),
        (0.0, 0.0, 0.0, -right),
        (math.pi, 0.085, 0.0, 0.0),
    ]
    table = DHTable("classic", tuple(DHRow(*row) for row in rows))
    links = [
        cylinder("link1", 60.0, 0.12, 0.50, axis="y", com=(0.0, 0.25, 0.0)),
        cylinder("link2", 45.0, 0.09, 0.70, axis="x", com=(-0.35, 0.0, 0.0)),
        cylinder("link3", 30.0, 0.09, 0.30, axis="x", com=(-0.07, 0.0, 0.0)),
        cylinder("link4", 20.0, 0.07, 0.70, axis="y", com=(0.0, -0.35, 0.0)),
        cylinder("link5", 8.0, 0.06, 0.15, axis="y"),
        cylinder("link6", 3.0, 0.05, 0.10, axis="z", com=(0.0, 0.0, -0.04)),
    ]
    arm = machine_from_dh(table, links, name="bench-arm")
    limits = {
        name: Limits(math.radians(low), math.radians(high))
        for name, (low, high) in zip(arm.q_names, _RANGES, strict=True)
    }
    joints = tuple(replace(joint, limits=limits.get(joint.name, joint.limits)) for joint in arm.joints)
    return arm.with_(joints=joints, frames=(*arm.frames, Frame("eff", "link6", Transform((0.0, 0.0, tool)))))


@dataclass(frozen=True)
class BenchCommand:
    """Commands of the two arms.

    Parameters
    ----------
    rail
        Place of the chaser's arm on its rail [m].
    chaser, target
        Angles of the two arms [rad].
    refused
        Why the command is not given; empty if it is.
    """

    rail: float
    chaser: Array
    target: Array
    refused: str = ""

    @property
    def ok(self) -> bool:
        """Whether the command is within everything that is allowed."""
        return not self.refused


class CaptureBench:
    """Two arms that repeat a capture: one stands and carries the target, one on a rail carries the camera.

    The room's x axis goes from the target to the chaser, z is up (Fig. 9.9). With the rotation ``R`` from the axes of
    the orbit to those of the room, the scale ``s`` and the safety offset ``d``:

    - the target's arm moves its tool by ``s R (p_target - p_0)`` and turns it as the debris turns;
    - the chaser's arm brings the camera to ``p_T + d e_x + s R (p_tip - p_target)``, looking at the target; the
      attitude of the hand is not repeated, since the target would leave the picture;
    - the rail follows the distance of the arm's base from the target along the approach ``a``,
      ``s a . (p_base - p_target)``.

    Parameters
    ----------
    approach
        Direction from the target to the chaser in orbit, which is kept constant.
    scale
        Metres in the room per metre in orbit.
    offset
        Safety offset [m]: 2 in 9.2.3.
    rail
        Length of the rail [m]: 10 in 9.2.
    start
        Place on the rail where the distance of the arm's base from the target is zero [m].
    height
        Height of the target above the floor [m].
    roll
        Angle of the last joint of the target's arm at the beginning [rad]: room to turn with the debris.

    Examples
    --------
    >>> bench = CaptureBench(approach=(-1, 0, 0))
    >>> command = bench.command(tip=(5, 0, 0), base=(1.75, 0, 0), target=(6, 0.7, 0))
    >>> command.ok
    True
    >>> bench.relative(command).round(5) + 0.0  # from tip to target, as the two arms show it
    array([1. , 0.7, 0. ])
    """

    def __init__(
        self,
        approach: ArrayLike,
        *,
        scale: float = 0.28,
        offset: float = 2.0,
        rail: float = 10.0,
        start: float = 0.0,
        height: float = 0.7,
        roll: float = 0.0,
    ) -> None:
        a = np.asarray(approach, dtype=float)
        if a.shape != (3,) or not np.isfinite(a).all() or np.linalg.norm(a) < 1e-9:
            raise InputError(f"approach of a bench must be a direction of 3 numbers, got {approach!r}")
        for name, value in (("scale", scale), ("offset", offset), ("rail", rail), ("height", height)):
            if not (np.isfinite(value) and value > 0):
                raise InputError(f"{name} of a bench must be a positive number, got {value!r}")
        self.scale, self.offset, self.length, self.start = float(scale), float(offset), float(rail), float(start)
        x = a / np.linalg.norm(a)
        aside = np.cross((0.0, 0.0, 1.0) if abs(x[2]) < 0.9 else (0.0, 1.0, 0.0), x)
        y = aside / np.linalg.norm(aside)
        self.rotation = np.array([x, y, np.cross(x, y)])
        self.approach = x
        self.arm: EquationsOfMotion = derive(bench_arm())
        self._home = np.array([1.1, 0.0, height])  # of the target's tool
        forward = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # tools point along x of their base
        self._forward = forward
        solution = inverse_kinematics(self.arm, "eff", _pose(forward, self._home), q0=np.array([0, 0.1, 0.1, 0, 0, 0]))
        if not solution.converged:
            raise InputError(f"the arms of the bench do not reach a height of {height:g} m")
        self._first: tuple[Array, Array] | None = None
        self._chaser = solution.q
        self._target = solution.q + np.array([0, 0, 0, 0, 0, float(roll)])
        self._rolled = _turn(float(roll))

    def command(
        self, tip: ArrayLike, base: ArrayLike, target: ArrayLike, attitude: ArrayLike | None = None
    ) -> BenchCommand:
        """Return the commands of the arms for an instant in orbit; the arms continue from the previous command.

        Parameters
        ----------
        tip, base, target
            Places of the chaser's hand, of the base of its arm, and of the target point.
        attitude
            Rotation matrix of the debris; None: the target does not turn.
        """
        p_tip, p_base, p_target = (np.asarray(p, dtype=float) for p in (tip, base, target))
        A = np.eye(3) if attitude is None else np.asarray(attitude, dtype=float)
        if self._first is None:
            self._first = (p_target, A)
        R, s = self.rotation, self.scale
        p_0, A_0 = self._first
        held = self._home + s * R @ (p_target - p_0)
        turned = R @ A @ A_0.T @ R.T @ self._forward @ self._rolled
        seen = held + self.offset * np.array([1.0, 0.0, 0.0]) + s * R @ (p_tip - p_target)
        rail = self.start + s * float(self.approach @ (p_base - p_target))
        local = np.diag([-1.0, -1.0, 1.0]) @ (seen - self._foot(rail))  # the chaser's arm faces the target
        refused = ""
        if not 0.0 <= rail <= self.length:
            refused = f"the rail would be at {rail:.3f} m, it goes from 0 to {self.length:g} m"
        angles = {}
        for name, place, pose, before in (
            ("target", held, _pose(turned, held), self._target),
            ("chaser", local, _pose(self._forward, local), self._chaser),
        ):
            outside = [k for k, (low, high) in enumerate(_ZONE) if not low <= place[k] <= high]
            if outside and not refused:
                k = outside[0]
                low, high = _ZONE[k]
                where = f"{'xyz'[k]} = {place[k]:.3f} m, its zone is {low} to {high} m"
                refused = f"the tool of the {name}'s arm would be at {where}"
            solution = inverse_kinematics(
                self.arm, "eff", pose, q0=before, tolerance=1e-7, restarts=0, max_iterations=50
            )
            if not solution.converged and not refused:
                refused = f"the {name}'s arm cannot reach this pose within its joint limits: {solution.message}"
            angles[name] = solution.q
        command = BenchCommand(rail, angles["chaser"], angles["target"], refused)
        if command.ok:
            self._chaser, self._target = command.chaser, command.target
        return command

    def camera(self, command: BenchCommand) -> Array:
        """Return the target point in axes of the camera (z along its sight), from the angles of the arms alone."""
        held = self.arm.pose("eff", command.target)[:3, 3]
        X = self.arm.pose("eff", command.chaser)
        facing = np.diag([-1.0, -1.0, 1.0])
        return (facing @ X[:3, :3]).T @ (held - (self._foot(command.rail) + facing @ X[:3, 3]))

    def _foot(self, rail: float) -> Array:
        """Where the chaser's arm stands in the room; the rail is calibrated against the other arm."""
        return np.array([self._home[0] + self.offset + rail - self.start, 0.0, 0.0])

    def relative(self, command: BenchCommand, seen: Array | None = None) -> Array:
        """Return the way from tip to target in orbit that a view of the camera stands for.

        Parameters
        ----------
        command
            Where the arms are: the attitude of the camera is known.
        seen
            The target in axes of the camera; None: as the arms have it.
        """
        X = self.arm.pose("eff", command.chaser)
        view = self.camera(command) if seen is None else np.asarray(seen, dtype=float)
        room = np.diag([-1.0, -1.0, 1.0]) @ X[:3, :3] @ view
        return self.rotation.T @ (room + self.offset * np.array([1.0, 0.0, 0.0])) / self.scale


def _pose(R: Array, p: Array) -> Array:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, p
    return X


def _turn(angle: float) -> Array:
    """Rotation about z."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
