"""One description of the drawing of a machine, for plots, animations and viewers.

A scene lists parts (``view/parts.py``) and has one kernel from the machine's coordinates to all the points and
poses that they follow, so that a whole run is evaluated (`bake_run`) in one call. It knows neither camera nor file. New
kinds of part only add points and poses. `build_scene` makes it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile import Kernel
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers
from dalembert.core.parameter import evaluate
from dalembert.core.types import Array
from dalembert.formulations.layout import Layout
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.view.baked import Baked, exaggerated, interpolated, sagging
from dalembert.view.parts import (
    BallPart,
    BeamPart,
    CablePart,
    FramePart,
    JointPart,
    LinkPart,
    PulleyPart,
    RailPart,
    SkinPart,
    SolidPart,
)
from dalembert.view.solids import faces_of

__all__ = ["Scene", "bake_run"]


_SLACK = 1e-7  # part of its length by which a rope is longer than its way where it is drawn as slack


@dataclass(frozen=True, eq=False)
class Scene:
    """Parts of a machine, and the kernel that moves them.

    Parameters
    ----------
    machine
        The machine.
    kernel
        ``(q, t, p) -> points (n, 3), poses (n, 3, 4), lengths (cables, 2)``: world positions; rotation and position;
        way and paid-out length of each cable (the latter without the length that a run measures at its start).
    solids, links, beams, skins, cables, pulleys, balls, joints, rails, frames
        Its parts.
    points
        Index of the point that each name stands for: bodies (their centre of mass), frames, sections of beams, joints.
    """

    machine: Machine
    kernel: Kernel
    solids: tuple[SolidPart, ...]
    links: tuple[LinkPart, ...]
    beams: tuple[BeamPart, ...]
    skins: tuple[SkinPart, ...]
    cables: tuple[CablePart, ...]
    pulleys: tuple[PulleyPart, ...]
    balls: tuple[BallPart, ...]
    joints: tuple[JointPart, ...]
    rails: tuple[RailPart, ...]
    frames: tuple[FramePart, ...]
    points: Mapping[str, int]

    @cached_property
    def modal(self) -> tuple[int, ...]:
        """Indices of the modal coordinates in q."""
        blocks = Layout.of_nodes(self.machine.coordinate_nodes).blocks
        return tuple(k for b in blocks if b.kind == "modal" for k in range(b.q.start, b.q.stop))

    @cached_property
    def extents(self) -> tuple[Array, ...]:
        """Lower and upper corner (2, 3) of the box about every solid, in its own frame."""
        clouds = (faces_of(solid.solid, solid.mesh)[0] for solid in self.solids)
        return tuple(np.array([cloud.min(axis=0), cloud.max(axis=0)]) for cloud in clouds)

    def bake(
        self,
        q: ArrayLike,
        t: ArrayLike = 0.0,
        p: Mapping[str, float] | None = None,
        *,
        exaggerate: float = 1.0,
        measured: Mapping[str, Array] | None = None,
    ) -> Baked:
        """Evaluate the scene in many configurations at once.

        Parameters
        ----------
        q
            Coordinates of the machine (n, nq).
        t
            Times (n), or one for all.
        p
            Parameter values that differ from the nominal ones.
        exaggerate
            Factor on the elastic displacements: every point moves away from where it would be if no beam were bent.
        measured
            Lengths at zero winch angle of the cables and ropes that measure them at the start of a run, by name.
        """
        if not (isinstance(exaggerate, int | float) and math.isfinite(exaggerate) and exaggerate >= 0):
            raise InputError(f"exaggerate must be a finite number >= 0, got {exaggerate!r}")
        Q = np.atleast_2d(as_numbers(q))
        if Q.ndim != 2 or Q.shape[1] != self.machine.nq:
            raise InputError(f"q of a scene must have the shape (n, {self.machine.nq}), got {np.shape(q)}")
        times = np.broadcast_to(as_numbers(t), Q.shape[:1])
        points, poses, lengths = self._evaluate(Q, times, p)
        if exaggerate != 1.0 and self.modal:
            straight = Q.copy()
            straight[:, self.modal] = 0.0
            points, poses = exaggerated((points, poses), self._evaluate(straight, times, p)[:2], exaggerate)
        gravity = np.array([evaluate(g, self._values(p)) for g in self.machine.gravity], dtype=float)
        curves, loose = {}, {}
        for drawn in self.cables:
            way, paid_out = lengths[:, drawn.row, 0], lengths[:, drawn.row, 1]
            rope = next(rope for rope in self.machine.all_ropes if rope.name == drawn.name)
            if rope.length is None:
                known = (measured or {}).get(drawn.name)
                paid_out = way if known is None else paid_out + known
            slack = np.zeros_like(way) if drawn.bilateral else np.maximum(paid_out - way, 0.0)
            curves[drawn.name] = sagging(points[:, list(drawn.points)], slack, gravity, drawn.lines)
            loose[drawn.name] = slack > _SLACK * way
        return Baked(times, points, poses, curves, loose, Q)

    def _evaluate(self, q: Array, t: Array, p: Mapping[str, float] | None) -> tuple[Array, Array, Array]:
        more = (self.machine.parameter_vector(p),) if self.machine.parameters else ()
        points, poses, lengths = self.kernel(q, t, *more)
        return points, poses.reshape(*poses.shape[:-1], 3, 4), lengths

    def _values(self, p: Mapping[str, float] | None) -> dict[str, float]:
        return {q.name: q.value for q in self.machine.parameters} | dict(p or {})

    def index(self, name: str) -> int:
        """Index of the point of a body, frame, section or joint."""
        if name not in self.points:
            raise UnknownNameError("point", name, self.points, f"machine '{self.machine.name}'")
        return self.points[name]


def bake_run(scene: Scene, run: Run, times: Array | None = None, *, exaggerate: float = 1.0) -> Baked:
    """Evaluate a scene along a run of its machine, in the coordinates of the run.

    Parameters
    ----------
    scene
        The scene.
    run
        The run.
    times
        Instants; default those of the run. In between, coordinates are interpolated linearly and attitudes normalised;
        an instant that stands twice is before and after a jump.
    exaggerate
        As in `Scene.bake`.
    """
    machine = scene.machine
    missing = [name for name in machine.q_names if name not in run]
    if missing:
        raise InputError(f"this run is not one of machine '{machine.name}': it has no signal '{missing[0]}'")
    q = run.array(machine.q_names)
    measured = {
        rope.name: np.sum([run[f"length0.{section}"] for section in rope.section_names], axis=0)
        for rope in machine.all_ropes
        if all(f"length0.{section}" in run for section in rope.section_names)
    }
    t = run.t
    if times is not None:
        t = as_numbers(times)
        quaternions = [start for _, start in Layout.of_nodes(machine.coordinate_nodes).quaternions]
        q = interpolated(t, run.t, q, quaternions)
        measured = {name: interpolated(t, run.t, values[:, None], ())[:, 0] for name, values in measured.items()}
    p = run.metadata.get("parameters")
    return scene.bake(q, t, p, exaggerate=exaggerate, measured=measured)
