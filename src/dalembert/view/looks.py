"""Common data of all pictures of a scene: colours of bodies, the vertical axis, the length of rails."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dalembert.core.parameter import nominal
from dalembert.core.states import named_vector
from dalembert.core.types import Array, StateLike
from dalembert.formulations.constraints.assembly import assembled_start
from dalembert.formulations.equations import derive
from dalembert.model.machine import Machine
from dalembert.view.baked import Baked
from dalembert.view.parts import RailPart
from dalembert.view.scene import Scene

__all__ = ["body_colours", "drawn_posture", "rail_reach", "vertical"]

_BASE, _LOAD = "#4477aa", "#ccbb44"  # what joints hold on the world, and what a machine carries
_BETWEEN = ("#8fa6bd", "#5d7f9f")  # links between them, in turn along a chain
_LINKS = ("#c9ced6", "#5f8cc0")  # of robots made of meshes


def body_colours(scene: Scene) -> dict[str, str]:
    """A colour for every body that has solids, where these have none.

    Blue is what is held on the world, sand is what is at the end of a chain or hangs on ropes, and the links between
    alternate between two tones of steel. Robots made of meshes have two tones in turn.
    """
    bodies = dict.fromkeys(solid.body for solid in scene.solids)
    if any(solid.mesh is not None for solid in scene.solids):
        return {name: _LINKS[k % len(_LINKS)] for k, name in enumerate(bodies)}
    machine = scene.machine
    parents = {joint.child: joint for joint in machine.joints}
    carrying = {joint.parent for joint in machine.joints}
    hung = {frame for rope in machine.ropes for element in rope.path for frame in element.frames}
    hung |= {cable.anchor for cable in machine.cables}
    hung |= {frame.body for frame in machine.frames if frame.name in hung}

    def depth(name: str) -> int:
        joint = parents.get(name)
        return 0 if joint is None else 1 + depth(joint.parent)

    def colour(name: str) -> str:
        above = depth(name)
        if name not in carrying and (above > 1 or (name in hung and parents[name].kind != "prismatic")):
            return _LOAD
        return _BASE if above <= 1 else _BETWEEN[above % 2]

    return {name: colour(name) for name in bodies}


def drawn_posture(machine: Machine, q: StateLike, p: Mapping[str, float] | None = None) -> Array:
    """Coordinates in which a machine is drawn; where some are named and it has constraints, it is assembled."""
    if not isinstance(q, Mapping) or not machine.constrained:
        return named_vector(q, machine.q_names, machine.q_neutral, "q")
    eom = derive(machine, backend="vm")
    return assembled_start(eom, q, p=eom.parameter_values(p), what="q")[0]


def vertical(scene: Scene) -> Array:
    """Against gravity, or along z without any."""
    g = np.array([nominal(x) for x in scene.machine.gravity])
    size = float(np.linalg.norm(g))
    return -g / size if size > 0 else np.array([0.0, 0.0, 1.0])


def rail_reach(scene: Scene, baked: Baked, rail: RailPart) -> tuple[float, float]:
    """Range of a rail: between the limits of its joint, else where the carriage goes, and a little more."""
    at = baked.points[:, scene.index(rail.joint)] - baked.poses[:, rail.pose, :, 3]
    s = np.einsum("nij,j,ni->n", baked.poses[:, rail.pose, :, :3], np.array(rail.axis), at)
    extent = float(np.ptp(baked.points.reshape(-1, 3), axis=0).max())
    low, high = float(s.min()) - 0.15 * extent, float(s.max()) + 0.15 * extent
    return max(low, rail.lower), min(high, rail.upper)
