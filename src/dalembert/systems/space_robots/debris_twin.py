"""The debris as the chaser knows it: a rigid body with a target point, points that cameras recognise, and its shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.beam import Beam
from dalembert.model.body import Body
from dalembert.model.geometry import Box, Geometry
from dalembert.model.machine import Machine
from dalembert.model.transform import Transform
from dalembert.plan.clearance import boxes_of
from dalembert.plan.tumbling import TumblingBody

__all__ = ["DebrisTwin", "debris_twin"]


@dataclass(frozen=True)
class DebrisTwin:
    """A debris, and its rigid twin.

    Attributes
    ----------
    machine
        The debris as it flies: one free joint, anything on it.
    joint, body
        Its free joint, and the body on it.
    target
        The frame to be gripped.
    """

    machine: Machine
    joint: str
    body: str
    target: str

    @cached_property
    def rigid(self) -> EquationsOfMotion:
        """Equations of the rigid twin."""
        bodies = tuple(replace(b, modes=()) if isinstance(b, Beam) else b for b in self.machine.bodies)
        stiff = self.machine.with_(bodies=bodies, sensors=(), signals=())
        return derive(stiff.lock([j.name for j in stiff.joints if j.info.nv and j.name != self.joint]))

    @property
    def flexible(self) -> bool:
        """Whether it is more than a rigid body."""
        return self.machine.nv > 6

    def inertia(self, p: Mapping[str, float] | None = None) -> tuple[float, Array, Array]:
        """Mass, centre of mass, and inertia about it, in axes of the body."""
        known = {k: v for k, v in (p or {}).items() if k in self.rigid.p_names}
        M = self.rigid.mass_matrix(self.rigid.q_neutral, p=self.rigid.parameter_values(known))
        m = float(M[0, 0])
        c = np.array([M[5, 1], M[3, 2], M[4, 0]]) / m
        return m, c, np.asarray(M[3:, 3:] - m * (float(c @ c) * np.eye(3) - np.outer(c, c)))

    @cached_property
    def centre(self) -> Array:
        """Nominal centre of mass in axes of the body."""
        return self.inertia()[1]

    @cached_property
    def point(self) -> Array:
        """The target point, from the centre of mass, in axes of the body."""
        eom = self.rigid
        X = np.linalg.inv(eom.pose(self.body, eom.q_neutral)) @ eom.pose(self.target, eom.q_neutral)
        return np.asarray(X[:3, 3] - self.centre)

    @cached_property
    def solids(self) -> tuple[Geometry, ...]:
        """Its boxes, from the centre of mass."""
        eom, root = self.rigid, np.linalg.inv(self.rigid.pose(self.body, self.rigid.q_neutral))
        solids = []
        for body in self.machine.bodies:
            if isinstance(body, Body):
                X = root @ eom.pose(body.name, eom.q_neutral)
                for box in boxes_of(body.name, body.geometry):
                    Y = X @ box.pose
                    turn = tuple(map(tuple, Y[:3, :3].tolist()))
                    place = Transform(tuple((Y[:3, 3] - self.centre).tolist()), turn)  # type: ignore[arg-type]
                    solids.append(Geometry(Box(tuple(box.size.tolist())), place))
        return tuple(solids)

    @cached_property
    def features(self) -> Array:
        """Points (n, 3) that cameras recognise, from the centre of mass: the corners of the boxes of its main body."""
        main = next(b for b in self.machine.bodies if b.name == self.body)
        boxes = boxes_of(self.body, main.geometry) if isinstance(main, Body) else []
        points = [
            (o.pose[:3, :3] @ (0.5 * o.size * [x, y, z]) + o.pose[:3, 3]) - self.centre
            for o in boxes
            for x in (-1, 1)
            for y in (-1, 1)
            for z in (-1, 1)
        ]
        if not points:
            raise InputError(
                f"body '{self.body}' of machine '{self.machine.name}' has no box whose corners a camera could recognise"
                ": give it one as geometry, or fly with camera=None"
            )
        return np.array(points)

    def tumbling(
        self, rate: ArrayLike, quaternion: ArrayLike, position: ArrayLike, p: Mapping[str, float] | None = None
    ) -> TumblingBody:
        """Its free motion as a rigid body, with its centre of mass at rest in a place."""
        return TumblingBody(self.inertia(p)[2], rate, quaternion, position, (0.0, 0.0, 0.0), self.point)


@lru_cache(maxsize=16)
def debris_twin(machine: Machine, target: str = "target") -> DebrisTwin:
    """A debris and its twin.

    Parameters
    ----------
    machine
        The debris: a machine that floats on one free joint.
    target
        The frame to be gripped.
    """
    if not isinstance(machine, Machine):
        raise InputError(f"a debris must be a Machine, got {machine!r}")
    free = [j for j in machine.joints if j.kind == "free" and j.parent == "world"]
    rooted = [j for j in machine.joints if j.parent == "world"]
    if len(free) != 1 or rooted != free:
        raise InputError(
            f"machine '{machine.name}' is not a debris: it must float on one free joint, got {len(rooted)} joints on "
            "the "
            "world"
        )
    others = [b.name for b in machine.bodies if not isinstance(b, Body | Beam)]
    if others:
        raise InputError(
            f"flexible bodies of a debris must be beams or appendages; machine '{machine.name}' has {', '.join(others)}"
        )
    if target not in machine.tree.frames:
        known = [n for n in machine.tree.frames if n != "world"]
        raise UnknownNameError("frame", target, known, f"machine '{machine.name}'")
    return DebrisTwin(machine, free[0].name, free[0].child, target)
